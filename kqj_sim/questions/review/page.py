"""The page of a review: rounds to click through, with every number from the JSON in the page."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from kqj_sim.cards import add_suit_signs, format_contract
from kqj_sim.messages import capitalize, format_json
from kqj_sim.output.page import render_html
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.questions.review.tables import OF_FEW_ROUNDS, OF_PLAYERS, is_few
from kqj_sim.stats.quantities import find_quantity

_WIDTH, _HEIGHT, _MARGIN = 720, 180, 26
_TRACE_WIDTH, _TRACE_HEIGHT = 240, 90
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


Value: TypeAlias = tuple[str, str]
"""A number of the page: its text, and where it is in the JSON; nowhere for `about 0`."""


def make_review_page(text: bytes) -> bytes:
    """Return the page of a review, one file of HTML, from its JSON."""
    data = json.loads(text)
    # A closing tag in a name would end the script.
    embedded = format_json(data, compact=True).replace("<", "\\u003c")
    lost = f"loss_{data['grade']}"
    rounds = [_Round(played, number, lost) for number, played in enumerate(data["rounds"])]
    worst = [(decision, played) for played in rounds for decision in played.worst]
    worst.sort(key=lambda pair: (pair[0]["mistake"], pair[0][lost]), reverse=True)
    page = render_html(
        "questions/review/templates/review.html",
        data=data,
        embedded=embedded,
        rounds=[played.describe() for played in rounds],
        worst=[played.describe_worst(decision) for decision, played in worst[:3]],
        players=_list_players(data) if len(rounds) > 1 else None,
        traces=_draw_traces(data["evening"]) if len(rounds) > 1 else [],
    )
    return page.encode()


def _list_players(data: dict[str, Any]) -> dict[str, Any]:
    """Return the table of the players, best first: its headings and rows."""
    number, table = next(
        (number, table) for number, table in enumerate(data["tables"]) if table["name"] == "players"
    )
    names = OF_FEW_ROUNDS if is_few(data["deals"]) else OF_PLAYERS
    columns = [name.replace("points", data["grade"]) for name in names]
    rows: dict[tuple[str, str], dict[str, list[Value]]] = {}
    for index, row in enumerate(table["rows"]):
        path, name = f"tables.{number}.rows.{index}", row["quantity"]
        cells = rows.setdefault((row["player"], row["worst_kind"]), {})
        if name.startswith("loss_") and row["value"] < 0:
            cells[name] = [("about 0", "")]
            continue
        show = {"count": "{:.0f}".format, "share": format_share}.get(row["unit"], format_points)
        cells[name] = [
            (show(row[key]), f"{path}.{key}")
            for key in ("value", "low", "high")
            if row[key] is not None
        ]
    shown = [name for name in columns if any(name in cells for cells in rows.values())]
    return {
        "headings": [
            "player",
            *(find_quantity(name, data["game"]).heading for name in shown),
            "worst kind",
        ],
        "rows": [
            (player, [*(cells.get(name, []) for name in shown), [(kind, "")]])
            for (player, kind), cells in rows.items()
        ],
    }


def _draw_traces(evening: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each player's results as lines of a picture, all on one scale, and their ends."""
    kinds = {"results": "result", "without_luck": "without luck"}
    values = [value for trace in evening for kind in kinds for value in trace[kind]]
    low, high = min([0.0, *values]), max([1.0, *values])
    scale, traces = _TRACE_HEIGHT / (high - low), []
    for number, trace in enumerate(evening):
        count = len(trace["results"])
        if not count:
            continue
        lines = {
            kind: " ".join(
                f"{index / count * _TRACE_WIDTH:.1f},{(high - value) * scale:.1f}"
                for index, value in enumerate([0.0, *trace[kind]])
            )
            for kind in kinds
        }
        ends = [
            (title, format_points(trace[kind][-1]), f"evening.{number}.{kind}.{count - 1}")
            for kind, title in kinds.items()
        ]
        traces.append({
            "player": trace["player"], "lines": lines, "ends": ends, "width": _TRACE_WIDTH,
            "height": _TRACE_HEIGHT, "zero": f"{high * scale:.1f}",
        })  # fmt: skip
    return traces


def format_points(number: float) -> str:
    """Return points as the page shows them, with one decimal and a true minus, U+2212."""
    text = f"{number:.1f}"
    return "0.0" if text == "-0.0" else text.replace("-", "\u2212")


def format_share(number: float) -> str:
    """Return a share as the page shows it: `63.2%`."""
    return f"{format_points(100 * number)}%"


class _Round:
    """A reviewed round of the JSON, as the page shows it without clicks."""

    def __init__(self, played: dict[str, Any], number: int, lost: str) -> None:
        self.played, self.number, self._path = played, number, f"rounds.{number}"
        self._lost, self._by_games = lost, lost == "loss_games"
        places = name_places(len(played["players"]))
        self.nouns = [
            f"the {player['label']}" if player["label"] == places[player["place"]]
            else player["label"]
            for player in played["players"]
        ]  # fmt: skip
        self.labels = [player["label"] for player in played["players"]]
        self._by_number = {decision["number"]: decision for decision in played["decisions"]}

    @property
    def worst(self) -> list[dict[str, Any]]:
        """The three worst decisions."""
        return [self._by_number[number] for number in self.played["worst"][:3]]

    def describe(self) -> dict[str, Any]:
        """Return what the page says about the round."""
        record, luck = self.played["record"], self.played["luck"]
        title = _RESULTS.get(self.played["result"], self.played["result"])
        if record.get("contract"):
            words = (
                self.nouns[record["sender"]], "plays", record.get("amount"),
                format_contract(record["contract"]), "Capot" if record.get("capot") else "",
            )  # fmt: skip
            title = f"{' '.join(str(word) for word in words if word)}, {title}"
        totals = self.played["totals"]["seats"]
        columns = {
            "decisions": "decisions",
            "mistakes": "mistakes",
            self._lost: "lost",
            "accuracy": "accuracy",
        }
        # A round seldom has the decisions that an accuracy needs.
        known = [key for key in columns if any(total[key] is not None for total in totals)]
        choices = [self._describe_choice(decision) for decision in self.played["decisions"]]
        return {
            "number": self.number,
            "name": self.played["title"],
            "title": title,
            "nouns": format_json(self.nouns, compact=True),
            "words": format_json(choices, compact=True),
            "scores": self.played["scores"],
            "open_hands": self.played["open_hands"],
            "worst": [self.describe_worst(decision) for decision in self.worst],
            "timeline": self._draw_timeline(),
            "labels": self.labels,
            "luck": luck and [
                (title, [self._value(f"luck.seats.{seat}", parts, key)
                         for seat, parts in enumerate(luck["seats"])])
                for key, title in _PARTS.items()
            ],
            "columns": [columns[key] for key in known],
            "totals": [
                (self.labels[seat], [self._value(f"totals.seats.{seat}", total, key)
                                     for key in known])
                for seat, total in enumerate(totals)
            ],
            "tricks": self._list_tricks(),
            "skipped": self.played["skipped"],
        }  # fmt: skip

    def _list_tricks(self) -> list[list[tuple[str, str]]]:
        """Return the cards of each trick by seat, each with the classes of its cell."""
        seats = len(self.labels)
        wrong = {decision["at"] for decision in self.played["decisions"] if decision["mistake"]}
        tricks = []
        for number, trick in enumerate(self.played["record"]["tricks"], start=1):
            if trick["leader"] is None:
                break
            cells = [("", "")] * seats
            for turn, card in enumerate(trick["cards"]):
                classes = "" if turn else "leads"
                classes += " wrong" if f"{number}.{turn + 1}" in wrong else ""
                cells[(trick["leader"] + turn) % seats] = (add_suit_signs(card), classes)
            tricks.append(cells)
        return tricks

    def describe_worst(self, decision: dict[str, Any]) -> dict[str, Any]:
        """Return the parts of the sentence on a decision, and its link."""
        index = self.played["decisions"].index(decision)
        deed, best = self._describe_choice(decision)
        return {
            "link": f"#r{self.number}-{decision['at']}",
            "name": self.played["title"],
            "player": self.labels[decision["seat"]],
            "moment": say(__name__, "moment", decision["at"]),
            "deed": deed,
            "best": best,
            "loss": self._value(f"decisions.{index}", decision, self._lost),
            "mistake": decision["mistake"],
            "reason": decision["reason"],
        }

    def _describe_choice(self, decision: dict[str, Any]) -> tuple[str, str]:
        """Return what was done, `the dealer played 5♦`, and the best option, `9♣`."""
        is_call = decision["trick"] == 0
        deed = say(__name__, "deed", decision["choice"], is_call)
        best = say(__name__, "option", decision["best"], is_call)
        return f"{self.nouns[decision['seat']]} {deed}", best

    def _value(self, path: str, container: dict[str, Any], key: str) -> list[Value]:
        """Return a number of a container at a path and, if it has one, its interval."""
        show = format_share if key in ("accuracy", "loss_win_share") else format_points
        if key == self._lost and container[key] < 0:
            return [("about 0", "")]
        numbers = {name: container.get(name) for name in (key, f"{key}_low", f"{key}_high")}
        return [
            (
                str(number) if isinstance(number, int) else show(number),
                f"{self._path}.{path}.{name}",
            )
            for name, number in numbers.items()
            if number is not None
        ]

    def _draw_timeline(self) -> dict[str, Any] | None:
        """Return the timeline as coordinates for a picture: lines, marks and labels."""
        timeline = self.played["timeline"]
        if not timeline or len(timeline) < 2:
            return None
        teams = len(timeline[0]["values"])
        lines = range(teams) if teams > 2 else range(1)
        middle = 100 / teams if self._by_games else 0.0
        leads = [[value - middle for value in point["values"]] for point in timeline]
        reach = max(1.0, *(abs(by_team[team]) for by_team in leads for team in lines))
        step = (_WIDTH - 2 * _MARGIN) / (len(timeline) - 1)

        def place(index: int, team: int) -> tuple[str, str]:
            height = leads[index][team] / reach * (_HEIGHT / 2 - _MARGIN)
            return f"{_MARGIN + index * step:.1f}", f"{_HEIGHT / 2 - height:.1f}"

        decisions = {decision["at"]: decision for decision in self.played["decisions"]}
        marks: list[dict[str, Any]] = []
        ticks: dict[str, str] = {}
        for index, point in enumerate(timeline):
            x, y = place(index, 0)
            at = point["at"]
            trick = at.split(".")[0]
            if trick.isdigit():
                ticks.setdefault(trick, x)
            if at in decisions:
                deed, _ = self._describe_choice(decisions[at])
                marks.append({
                    "x": x, "y": y, "link": f"#r{self.number}-{at}", "at": at,
                    "mistake": decisions[at]["mistake"],
                    "label": f"{capitalize(say(__name__, 'moment', at))} {deed}",
                })  # fmt: skip
        ends = []
        for team in lines:
            for index, anchor in ((0, "start"), (len(timeline) - 1, "end")):
                text = format_points(timeline[index]["values"][team])
                path = f"{self._path}.timeline.{index}.values.{team}"
                ends.append((*place(index, team), anchor, text, path))
        nouns = zip(self.played["players"], self.nouns, strict=True)
        side = [noun for player, noun in nouns if player["team"] == 0] if teams == 2 else []
        return {
            "lines": {team: [place(index, team) for index in range(len(timeline))]
                      for team in lines},
            "marks": marks, "ticks": ticks, "ends": ends, "width": _WIDTH, "height": _HEIGHT,
            "middle": _HEIGHT / 2, "margin": _MARGIN,
            "caption": say(__name__, "timeline", side, self._by_games),
        }  # fmt: skip
