"""The page of a review: every mark and number on it is found again in the JSON in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.cards import format_card, parse_card
from kqj_sim.games import GAMES
from kqj_sim.output.sentences import say
from kqj_sim.questions.review import page
from kqj_sim.questions.review.page import format_points, format_share, make_review_page
from tests.command_line import run
from tests.games.every import SHARED
from tests.output.html_tree import read_html
from tests.web.browser import Browser, needs_browser

OPTIONS = ("--samples", "20", "--ignore-calls", "--quiet")
"""Options of a fast review."""


class Reader:
    """The elements of a page with a path into its JSON, its marks and links, and the JSON."""

    def __init__(self, text: str) -> None:
        elements = [*read_html(text).iter()]
        self.values = [
            (element.attrib["data-value"], element.text or "")
            for element in elements
            if "data-value" in element.attrib
        ]
        marks = [each for each in elements if each.tag == "circle"]
        self.marks = [each.attrib["data-at"] for each in marks if each.get("class") == "mistake"]
        self.links = [element.attrib["href"] for element in elements if element.tag == "a"]
        names = ("src", "srcset")
        self.sources = [each.attrib[name] for each in elements for name in names if each.get(name)]
        self.embedded = next(each.text or "" for each in elements if each.get("id") == "review")
        self.rest = [
            text
            for element in elements
            if element.tag not in ("script", "style")
            for text in ("" if "data-value" in element.attrib else element.text, element.tail)
            if text
        ]


def look_up(data: Any, path: str) -> Any:
    for key in path.split("."):
        data = data[int(key) if isinstance(data, list) else key]
    return data


def assert_values_are_of_json(reader: Reader, data: Any) -> None:
    assert reader.values
    for path, text in reader.values:
        number = look_up(data, path)
        row = look_up(data, path.rpartition(".")[0]) if ".rows." in path else {}
        share = path.endswith(("accuracy", "_share")) or row.get("unit") == "share"
        share = share or "win_share_" in path
        right = {
            f"{number}",
            f"{number:g}",
            format_share(number) if share else format_points(number),
        }
        assert text in right, path


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The JSON of a review of two rounds; a name tries to end the script."""
    rounds = tmp_path_factory.mktemp("review") / "rounds.jsonl"
    played = run("records", "--deals", "2", "--policy", "random", "--quiet", "--out", str(rounds))
    assert played.exit_code == 0
    text = re.sub(r'"random:[^"]*"', '"</script><b>x"', rounds.read_text(), count=1)
    rounds.write_text(text)
    more = ("--reference", "greedy", "--hidden", "--format", "json")
    done = run("review", str(rounds), *OPTIONS, *more)
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def test_every_number_of_the_page_is_in_its_json(review: bytes) -> None:
    reader, data = Reader(make_review_page(review).decode()), json.loads(review)
    assert json.loads(reader.embedded) == data
    assert_values_are_of_json(reader, data)
    decimals = re.findall(r"\d+\.\d+%?", " ".join(reader.rest))
    answers = " ".join([*data["answer"], data["source"], data["reference"]])
    assert [number for number in decimals if number not in answers] == []


def test_the_page_has_the_totals_and_the_luck_of_every_seat(review: bytes) -> None:
    paths = {path for path, _ in Reader(make_review_page(review).decode()).values}
    changes = ("deal_luck", "own_decisions", "own_luck", "others_decisions", "remainder")
    columns = {
        "totals": ("decisions", "mistakes", "loss_points", "accuracy"),
        "luck": ("average", *changes, "result"),
    }
    for number, played in enumerate(json.loads(review)["rounds"]):
        for part, names in columns.items():
            for seat, values in enumerate(played[part]["seats"]):
                known = {name for name in names if values[name] is not None}
                known -= {"loss_points"} if values.get("loss_points", 0) < 0 else set()
                assert known
                assert {f"rounds.{number}.{part}.seats.{seat}.{name}" for name in known} <= paths


def test_marks_are_the_mistakes_and_links_lead_to_decisions(review: bytes) -> None:
    reader, rounds = Reader(make_review_page(review).decode()), json.loads(review)["rounds"]
    assert all(played["timeline"] for played in rounds)
    decisions = [
        {decision["at"]: decision["mistake"] for decision in played["decisions"]}
        for played in rounds
    ]
    assert sorted(reader.marks) == sorted(
        at for own in decisions for at, is_mistake in own.items() if is_mistake
    )
    for link in reader.links:
        number, _, at = link.removeprefix("#r").partition("-")
        assert not at or at in decisions[int(number)]


def test_the_page_needs_no_network_and_names_cannot_end_its_script(review: bytes) -> None:
    page = make_review_page(review).decode()
    assert Reader(page).sources == []
    assert "default-src 'none'" in page
    assert re.findall(r"(?:https?:)?//\w", re.sub(r"(?s)<script.*?</script>", "", page)) == []
    assert page.count("</script>") == 2
    assert "<b>x" not in page


@needs_browser
def test_a_key_steps_through_the_worst_decisions_of_all_rounds(
    review: bytes, tmp_path: Path
) -> None:
    data = json.loads(review)
    worst = [
        (decision["mistake"], decision["loss_points"], f"#r{number}-{decision['at']}")
        for number, played in enumerate(data["rounds"])
        for decision in played["decisions"]
        if decision["number"] in played["worst"]
    ]
    page = tmp_path / "review.html"
    page.write_bytes(make_review_page(review))
    browser = Browser(page.as_uri())
    try:
        for _, _, link in sorted(worst, reverse=True)[:3]:
            browser.press("w")
            assert browser.run("location.hash") == link
    finally:
        browser.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_page_is_written_by_its_suffix(game: str, tmp_path: Path) -> None:
    names = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn"][: GAMES[game].rules.seats]
    source, page = tmp_path / "friday.txt", tmp_path / "friday.html"
    head = f"Players: {', '.join(names)}\nGame: {GAMES[game].title}\n"
    source.write_text(head + SHARED[game].OPENED)
    done = run("review", str(source), *OPTIONS, "--out", str(page))
    assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    reader = Reader(text)
    assert "`" not in re.sub(r"(?s)<script.*?</script>", "", text)
    data = json.loads(reader.embedded)
    assert [player["label"] for player in data["rounds"][0]["players"]] == names
    assert {decision["seat"] for decision in data["rounds"][0]["decisions"]} == {0}
    assert_values_are_of_json(reader, data)


def open_page(review: bytes, link: str, folder: Path) -> str:
    """Return the HTML of the page of a review in a browser that follows a link in it."""
    page = folder / "review.html"
    page.write_bytes(make_review_page(review))
    browser = Browser(f"{page.as_uri()}#{link}")
    try:
        return str(browser.run("document.documentElement.outerHTML"))
    finally:
        browser.close()


@needs_browser
def test_the_page_goes_on_after_the_best_card(review: bytes, tmp_path: Path) -> None:
    data = json.loads(review)
    number, decision = next(
        (number, decision)
        for number, played in enumerate(data["rounds"])
        for decision in played["decisions"]
        if decision["lines"] and decision["choice"] != decision["best"]
    )
    link = f"r{number}-{decision['at']}"
    assert re.search(r'<button data-line="best">after ', open_page(review, link, tmp_path))
    after = open_page(review, f"{link}+best", tmp_path)
    assert "as the reference player goes on" in after and "back to the round" in after
    # The card on the table is the best one.
    last = re.findall(r'<span class="card[^"]*chosen[^"]*">(.{2})<small>(?!<)', after)[-1]
    assert last == format_card(parse_card(decision["best"]))
    assert_values_are_of_json(Reader(after), data)


@needs_browser
def test_the_clicked_through_page_shows_values_of_its_json(review: bytes, tmp_path: Path) -> None:
    data = json.loads(review)
    decisions = data["rounds"][1]["decisions"]
    page = open_page(review, f"r1-{decisions[-1]['at']}", tmp_path)
    reader = Reader(page)
    path = f"rounds.1.decisions.{len(decisions) - 1}.options"
    options = {name.split(".")[5] for name, _ in reader.values if name.startswith(path)}
    assert options == {str(number) for number in range(len(decisions[-1]["options"]))}
    assert decisions[-1]["hidden"]
    hidden = f"rounds.1.decisions.{len(decisions) - 1}.hidden.0.places.4.held_share"
    assert hidden in dict(reader.values)
    assert_values_are_of_json(reader, data)
    # A seat without a name is called by its place, and that once.
    names, others = zip(*re.findall(r"<b>(.*?)</b><small>(.*?)</small>", page), strict=True)
    assert {*names} == {"opener", "2nd", "3rd", "4th", "5th", "dealer"}
    assert {*others} == {""}


@pytest.mark.parametrize(("choice", "is_call", "deed", "option"), [
    ("Qh", False, "played Q♥", "Q♥"),
    ("pass", True, "passed", "passing"),
    ("take NT", True, "took NT", "taking NT"),
    ("150 d capot", True, "bid 150 ♦ Capot", "bidding 150 ♦ Capot"),
    ("counter", True, "countered", "countering"),
    ("no overcounter", True, "did not overcounter", "not overcountering"),
    ("play", True, "said play", "saying play"),
])  # fmt: skip
def test_choices_are_deeds_and_options(choice: str, is_call: bool, deed: str, option: str) -> None:
    assert say(page.__name__, "deed", choice, is_call) == deed
    assert say(page.__name__, "option", choice, is_call) == option


def test_the_worst_decisions_are_sentences_and_others_have_a_reason(review: bytes) -> None:
    data = json.loads(review)
    played, other = data["rounds"]
    decision = next(each for each in played["decisions"] if each["at"].startswith("3."))
    decision.update(choice="Qh", best="9c", reason="it keeps Q♥ for KQ", mistake=True)
    decision.update(loss_points=8.4, loss_points_low=5.1, loss_points_high=11.7)
    played["worst"], other["worst"] = [decision["number"]], []
    reasons = {"c.2": "the bids are rare", "1.1": "a card is not known", "c.4": "the bids are rare"}
    played["skipped"] = [{"at": at, "reason": reason} for at, reason in reasons.items()]
    text = re.sub("<.*?>", "", make_review_page(json.dumps(data).encode()).decode())
    player = played["players"][decision["seat"]]["label"]
    sentence = (
        f"the {player} played Q♥; 9♣ was worth 8.4 (5.1 to 11.7) points more: it keeps Q♥ for KQ."
    )
    assert f"Round 1, in trick 3, {sentence}" in text
    assert f"In trick 3 {sentence}" in text
    assert "Not graded, since the bids are rare: c.2, c.4." in text
    assert "Not graded, since a card is not known: 1.1." in text
