"""The page of a review: every mark and number on it is found again in the JSON in it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from kqj_sim.games import GAMES
from kqj_sim.output.sentences import say
from kqj_sim.questions.review import page
from kqj_sim.questions.review.page import make_review_page
from tests.command_line import run
from tests.games.every import SHARED
from tests.questions.review.pages import (
    OPTIONS,
    Reader,
    assert_values_are_of_json,
)
from tests.web.browser import PROGRAM, needs_browser


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The JSON of a review of two rounds; a name tries to end the script."""
    folder = tmp_path_factory.mktemp("review")
    rounds = folder / "rounds.jsonl"
    played = run("records", "--deals", "2", "--policy", "random", "--quiet", "--out", str(rounds))
    assert played.exit_code == 0
    text = re.sub(r'"random:[^"]*"', '"</script><b>x"', rounds.read_text(), count=1)
    rounds.write_text(text)
    found = run("review", str(rounds), *OPTIONS, "--reference", "greedy", "--format", "json")
    assert found.exit_code == 0, found.output
    return found.stdout_bytes


def test_every_number_of_the_page_is_in_its_json(review: bytes) -> None:
    page = make_review_page(review).decode()
    reader, data = Reader(page), json.loads(review)
    assert json.loads(reader.embedded) == data
    assert_values_are_of_json(reader, data)
    decimals = re.findall(r"\d+\.\d+%?", " ".join(reader.rest))
    answers = " ".join([*data["answer"], data["source"], data["reference"]])
    assert [each for each in decimals if each not in answers] == []


def test_the_page_has_the_totals_and_the_luck_of_every_seat(review: bytes) -> None:
    shown = {path for path, _ in Reader(make_review_page(review).decode()).values}
    changes = ("deal_luck", "own_decisions", "own_luck", "others_decisions", "remainder")
    columns = {
        "totals": ("decisions", "mistakes", "loss_points", "accuracy"),
        "luck": ("average", *changes, "result"),
    }
    for number, found in enumerate(json.loads(review)["rounds"]):
        for part, names in columns.items():
            for seat, values in enumerate(found[part]["seats"]):
                known = {name for name in names if values[name] is not None}
                assert known
                assert {f"rounds.{number}.{part}.seats.{seat}.{name}" for name in known} <= shown


def test_marks_are_the_mistakes_and_links_lead_to_decisions(review: bytes) -> None:
    reader, data = Reader(make_review_page(review).decode()), json.loads(review)
    mistakes = [
        each["at"]
        for found in data["rounds"]
        if found["timeline"]
        for each in found["decisions"]
        if each["mistake"]
    ]
    assert sorted(reader.marks) == sorted(mistakes)
    for link in reader.links:
        number, _, at = link.removeprefix("#r").partition("-")
        decisions = data["rounds"][int(number)]["decisions"]
        assert not at or at in [each["at"] for each in decisions]


def test_the_page_needs_no_network(review: bytes) -> None:
    page = make_review_page(review).decode()
    reader = Reader(page)
    assert reader.sources == []
    assert "default-src 'none'" in page
    assert re.findall(r"(?:https?:)?//\w", re.sub(r"(?s)<script.*?</script>", "", page)) == []


def test_names_cannot_end_the_script(review: bytes) -> None:
    page = make_review_page(review).decode()
    assert page.count("</script>") == 2
    assert "<b>x" not in page


@pytest.mark.parametrize("game", GAMES)
def test_a_page_is_written_by_its_suffix(game: str, tmp_path: Path) -> None:
    names = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn"][: GAMES[game].rules.seats]
    source, page = tmp_path / "friday.txt", tmp_path / "friday.html"
    head = f"Players: {', '.join(names)}\nGame: {GAMES[game].title}\n"
    source.write_text(head + SHARED[game].OPENED)
    done = run("review", str(source), *OPTIONS, "--out", str(page))
    assert done.exit_code == 0, done.output
    reader = Reader(page.read_text(encoding="utf-8"))
    data = json.loads(reader.embedded)
    assert [player["label"] for player in data["rounds"][0]["players"]] == names
    assert {decision["seat"] for decision in data["rounds"][0]["decisions"]} == {0}
    assert_values_are_of_json(reader, data)


def open_page(page: Path, link: str, folder: Path) -> str:
    """Return the HTML of a page in a browser that follows a link in it."""
    options = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *(f"--user-data-dir={folder / 'profile'}", "--dump-dom"),
    )
    assert PROGRAM is not None
    return subprocess.run(
        [PROGRAM, *options, f"{page.as_uri()}#{link}"],
        capture_output=True, text=True, timeout=120, check=False,
    ).stdout  # fmt: skip


@needs_browser
def test_the_page_goes_on_after_the_best_card(review: bytes, tmp_path: Path) -> None:
    data = json.loads(review)
    page = tmp_path / "review.html"
    page.write_bytes(make_review_page(review))
    number, decision = next(
        (number, each)
        for number, found in enumerate(data["rounds"])
        for each in found["decisions"]
        if each["lines"] and each["choice"] != each["best"]
    )
    at = decision["at"]
    before = open_page(page, f"r{number}-{at}", tmp_path)
    assert re.search(r'<button data-line="best">after ', before)
    after = open_page(page, f"r{number}-{at}+best", tmp_path)
    assert "as the reference player goes on" in after and "back to the round" in after
    # The card on the table is the best one.
    rank, suit = decision["best"]
    sign = {"s": "\u2660", "h": "\u2665", "d": "\u2666", "c": "\u2663"}[suit]
    last = re.findall(r'<span class="card[^"]*chosen[^"]*">(.{2})<small>(?!<)', after)[-1]
    assert last == f"{rank}{sign}"
    assert_values_are_of_json(Reader(after), data)


@needs_browser
def test_the_clicked_through_page_shows_values_of_its_json(review: bytes, tmp_path: Path) -> None:
    data = json.loads(review)
    page = tmp_path / "review.html"
    page.write_bytes(make_review_page(review))
    at = data["rounds"][1]["decisions"][-1]["at"]
    shown = open_page(page, f"r1-{at}", tmp_path)
    reader = Reader(shown)
    path = f"rounds.1.decisions.{len(data['rounds'][1]['decisions']) - 1}"
    options_shown = [each for each, _ in reader.values if each.startswith(f"{path}.options")]
    count = len(data["rounds"][1]["decisions"][-1]["options"])
    assert {each.split(".")[5] for each in options_shown} == {str(k) for k in range(count)}
    assert_values_are_of_json(reader, data)
    # A seat without a name is called by its place, and that once.
    seats = re.findall(r"<b>(.*?)</b><small>(.*?)</small>", shown)
    assert {name for name, _ in seats} == {"opener", "2nd", "3rd", "4th", "5th", "dealer"}
    assert {rest for _, rest in seats} == {""}


@pytest.mark.parametrize(
    ("choice", "is_call", "deed", "option"),
    [
        ("Qh", False, "played Q♥", "Q♥"),
        ("pass", True, "passed", "passing"),
        ("take NT", True, "took with NT", "taking with NT"),
        ("150 d capot", True, "bid 150 ♦ Capot", "bidding 150 ♦ Capot"),
        ("counter", True, "countered", "countering"),
        ("no overcounter", True, "did not overcounter", "not overcountering"),
        ("play", True, "said play", "saying play"),
    ],
)
def test_choices_are_told_as_deeds_and_as_options(
    choice: str, is_call: bool, deed: str, option: str
) -> None:
    assert say(page.__name__, "deed", choice, is_call) == deed
    assert say(page.__name__, "option", choice, is_call) == option


def test_the_worst_decisions_are_sentences(review: bytes) -> None:
    data = json.loads(review)
    found = data["rounds"][0]
    decision = next(each for each in found["decisions"] if each["at"].startswith("3."))
    decision.update(choice="Qh", best="9c", reason="it keeps Q♥ for KQ", mistake=True)
    decision.update(loss_points=8.4, loss_points_low=5.1, loss_points_high=11.7)
    found["worst"], data["rounds"][1]["worst"] = [decision["number"]], []
    text = re.sub("<.*?>", "", make_review_page(json.dumps(data).encode()).decode())
    player = found["players"][decision["seat"]]["label"]
    sentence = (
        f"the {player} played Q♥; 9♣ was worth 8.4 (5.1 to 11.7) points more: it keeps Q♥ for KQ."
    )
    assert f"Line 1, in trick 3, {sentence}" in text
    assert f"In trick 3 {sentence}" in text


def test_decisions_that_were_not_graded_are_listed_by_reason(review: bytes) -> None:
    found = json.loads(review)
    skipped = [
        ("c.2", "the bids are rare"),
        ("1.1", "a card is not known"),
        ("c.4", "the bids are rare"),
    ]
    found["rounds"][0]["skipped"] = [{"at": at, "reason": reason} for at, reason in skipped]
    page = make_review_page(json.dumps(found).encode()).decode()
    assert "Not graded, since the bids are rare: c.2, c.4." in page
    assert "Not graded, since a card is not known: 1.1." in page
