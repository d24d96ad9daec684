"""The page of a review: rounds to click through, with every number from the JSON in the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from kqj_sim.cards import format_contract
from kqj_sim.games import find_game
from kqj_sim.messages import capitalize, format_json
from kqj_sim.output.page import render_html
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places

_WIDTH, _HEIGHT, _MARGIN = 720, 180, 26
_RESULTS = {"passed_out": "everybody passed", None: "unfinished"}
_PARTS = {
    "average": "average of the place",
    "deal_luck": "luck of the deal",
    "own_decisions": "own decisions",
    "own_luck": "own luck",
    "others_decisions": "others' decisions",
    "remainder": "remainder",
    "result": "result",
}
"""The parts of a result, in the order in which they are added up."""


class Value(NamedTuple):
    """A number of the page: its text, and where it is in the JSON."""

    text: str
    path: str


class Row(NamedTuple):
    """A row of a table of the page."""

    name: str
    values: tuple[tuple[Value, ...], ...]


def make_review_page(text: bytes) -> bytes:
    """Return the page of a review, one file of HTML, from its JSON."""
    data = json.loads(text)
    # A closing tag in a name would end the script.
    embedded = format_json(data, compact=True).replace("<", "\\u003c")
    page = render_html(
        "questions/review/templates/review.html",
        data=data,
        embedded=embedded,
        rounds=[_describe_round(data, number) for number in range(len(data["rounds"]))],
        worst=_link_worst(data),
    )
    return page.encode()


def format_points(number: float) -> str:
    """Return points as the page shows them, with one decimal and a true minus, U+2212."""
    text = f"{number:.1f}"
    return "0.0" if text == "-0.0" else text.replace("-", "\u2212")


def format_share(number: float) -> str:
    """Return a share as the page shows it: `63.2%`."""
    return f"{format_points(100 * number)}%"


def _value(container: dict[str, Any], path: str, key: str) -> tuple[Value, ...]:
    """Return a number and, if it has one, its interval."""
    number = container[key]
    if number is None:
        return ()
    show = format_share if key in ("accuracy", "loss_win_share") else format_points
    if isinstance(number, int):
        return (Value(str(number), f"{path}.{key}"),)
    values = [Value(show(number), f"{path}.{key}")]
    for bound in ("low", "high"):
        limit = container.get(f"{key}_{bound}")
        if limit is not None:
            values.append(Value(show(limit), f"{path}.{key}_{bound}"))
    return tuple(values)


def _describe_round(data: dict[str, Any], number: int) -> dict[str, Any]:
    """Return what the page says about a round without clicks."""
    found = data["rounds"][number]
    record, path = found["record"], f"rounds.{number}"
    names = [each["label"] for each in found["players"]]
    nouns = _list_nouns(found)
    result = _RESULTS.get(record.get("result"), record.get("result"))
    if record.get("contract"):
        words = (
            nouns[record["sender"]], "plays", record.get("amount"),
            format_contract(record["contract"]), "Capot" if record.get("capot") else "",
        )  # fmt: skip
        result = f"{' '.join(str(word) for word in words if word)}, {result}"
    return {
        "number": number,
        "line": found["line"],
        "title": result,
        "nouns": format_json(nouns, compact=True),
        "words": format_json(
            [_describe_choice(found, each) for each in found["decisions"]], compact=True
        ),
        "scores": record.get("scores"),
        "worst": [_describe_worst(found, number, each) for each in _list_worst(found)[:3]],
        "timeline": _draw_timeline(found, number),
        "luck": _make_luck(found, path, names),
        "totals": [
            Row(names[each["seat"]], tuple(_value(each, f"{path}.totals.seats.{seat}", key)
                for key in ("decisions", "mistakes", "loss_points", "accuracy")))
            for seat, each in enumerate(found["totals"]["seats"])
        ],
        "skipped": found["skipped"],
    }  # fmt: skip


def _list_worst(found: dict[str, Any]) -> list[dict[str, Any]]:
    by_number = {each["number"]: each for each in found["decisions"]}
    return [by_number[number] for number in found["worst"]]


def _list_nouns(found: dict[str, Any]) -> list[str]:
    """Return the players as nouns: `Cem`, or `the dealer` where nobody is named."""
    places = name_places(len(found["players"]))
    return [
        f"the {each['label']}" if each["label"] == places[each["place"]] else each["label"]
        for each in found["players"]
    ]


def _describe_choice(found: dict[str, Any], decision: dict[str, Any]) -> tuple[str, str]:
    """Return what was done, `the dealer played 5♦`, and the best option, `9♣`."""
    is_call = decision["trick"] == 0
    deed = say(__name__, "deed", decision["choice"], is_call)
    best = say(__name__, "option", decision["best"], is_call)
    return f"{_list_nouns(found)[decision['seat']]} {deed}", best


def _describe_worst(found: dict[str, Any], number: int, decision: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of the sentence on a decision, and its link."""
    index = found["decisions"].index(decision)
    path = f"rounds.{number}.decisions.{index}"
    deed, best = _describe_choice(found, decision)
    return {
        "link": f"#r{number}-{decision['at']}",
        "line": found["line"],
        "moment": say(__name__, "moment", decision["at"]),
        "deed": deed,
        "best": best,
        "loss": _value(decision, path, "loss_points"),
        "mistake": decision["mistake"],
        "reason": decision["reason"],
    }


def _link_worst(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the three worst decisions of all rounds."""
    found = [
        (decision["mistake"], decision["loss_points"], number, decision)
        for number, each in enumerate(data["rounds"])
        for decision in _list_worst(each)[:3]
    ]
    found.sort(key=lambda each: each[:2], reverse=True)
    return [_describe_worst(data["rounds"][number], number, each) for _, _, number, each in found][
        :3
    ]


def _make_luck(found: dict[str, Any], path: str, names: Sequence[str]) -> dict[str, Any] | None:
    luck = found["luck"]
    if luck is None:
        return None
    rows = [
        Row(
            title,
            tuple(
                _value(each, f"{path}.luck.seats.{seat}", key)
                for seat, each in enumerate(luck["seats"])
            ),
        )
        for key, title in _PARTS.items()
    ]
    return {"names": names, "rows": rows}


def _draw_timeline(found: dict[str, Any], number: int) -> dict[str, Any] | None:
    """Return the timeline as coordinates for a picture: lines, marks and labels."""
    timeline = found["timeline"]
    if not timeline or len(timeline) < 2:
        return None
    record = found["record"]
    teams = find_game(record["game"]).rules.from_dict(record["rules"]).team_count
    shown = range(teams) if teams > 2 else range(1)
    values = [point["values"][team] for point in timeline for team in shown]
    reach = max(1.0, *map(abs, values))
    step = (_WIDTH - 2 * _MARGIN) / (len(timeline) - 1)

    def place(index: int, value: float) -> tuple[str, str]:
        height = _HEIGHT / 2 - value / reach * (_HEIGHT / 2 - _MARGIN)
        return f"{_MARGIN + index * step:.1f}", f"{height:.1f}"

    lines = [
        {
            "team": team,
            "points": " ".join(
                ",".join(place(index, point["values"][team]))
                for index, point in enumerate(timeline)
            ),
        }
        for team in shown
    ]
    decisions = {each["at"]: each for each in found["decisions"]}
    marks = []
    for index, point in enumerate(timeline):
        decision = decisions.get(point["at"])
        if decision is None:
            continue
        x, y = place(index, point["values"][0])
        marks.append(
            {
                "x": x, "y": y, "link": f"#r{number}-{point['at']}", "at": point["at"],
                "mistake": decision["mistake"],
                "label": f"{capitalize(say(__name__, 'moment', point['at']))} "
                f"{_describe_choice(found, decision)[0]}",
            }
        )  # fmt: skip
    ticks: list[dict[str, str]] = []
    for index, point in enumerate(timeline):
        trick = point["at"].split(".")[0]
        if trick.isdigit() and (not ticks or ticks[-1]["trick"] != trick):
            ticks.append({"trick": trick, "x": place(index, 0)[0]})
    ends = [
        {
            "x": place(index, 0)[0], "y": place(index, timeline[index]["values"][team])[1],
            "value": Value(
                format_points(timeline[index]["values"][team]),
                f"rounds.{number}.timeline.{index}.values.{team}",
            ),
            "anchor": anchor,
        }
        for team in shown
        for index, anchor in ((0, "start"), (len(timeline) - 1, "end"))
    ]  # fmt: skip
    nouns = zip(found["players"], _list_nouns(found), strict=True)
    side = [noun for each, noun in nouns if each["team"] == 0] if teams == 2 else []
    return {
        "lines": lines, "marks": marks, "ticks": ticks, "ends": ends, "width": _WIDTH,
        "height": _HEIGHT, "middle": _HEIGHT / 2, "margin": _MARGIN,
        "caption": say(__name__, "timeline", side),
    }  # fmt: skip
