"""Rounds and games played on the page: the other players, the score, the review, the record."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.record import Record, from_json, to_json
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block, play_records, play_rounds
from kqj_sim.web.make import TABLES
from tests.command_line import run
from tests.web.browser import Browser, check_answer, get_page, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

DEALS = (0, 2, 31)
"""Rounds; in auctions of two teams the last is passed out."""

PLAY_ON = """
(() => {
  const { round } = state, { calls, play } = readTurn(round);
  if (play) return `card ${chooseCard(round, play)}`;
  const kind = calls.question,
    mayCounter = calls.repliers.includes(round.place),
    counter = mayCounter && chooseCall(round, calls, round.place, COUNTER),
    call = kind < COUNTER && counter ? counter : chooseCall(round, calls, round.place, kind);
  if (call?.text && /^\\d/.test(call.text)) {
    const [amount, contract] = call.text.split(" ");
    find("amount").value = amount;
    return `bid ${contract}`;
  }
  return `call ${call?.text ?? (kind === COUNTER ? "no counter" : "no overcounter")}`;
})()
"""
"""Returns the action by which the player does what the default player would."""


VALUES = """
(({ round, choice, odds }) => [
  round.plays.length,
  choice,
  estimateLoss({ odds, choice }),
  Object.fromEntries(odds.texts.map((text, option) => [text, odds.estimate("value", option)])),
])
"""
"""Returns of a reviewed decision where it was, the choice, its loss, and all options' values."""


def play_on(browser: Browser) -> None:
    """Play a round to its end like the default player, by clicks."""
    while not browser.run("readTurn(state.round).isOver"):
        browser.click(browser.run(PLAY_ON))


def read_record(browser: Browser) -> Record:
    """Return the record of the round that is over."""
    written = browser.run("JSON.stringify(makeRecord(state.round, readTurn(state.round)))")
    return from_json(written)


def check_open_values(browser: Browser, file: Path) -> int:
    """Compare with `solve` what the cards of a round bring with all cards open; return how many."""
    written = browser.run(
        "JSON.stringify(listOwnDecisions(state.round).filter(({ round }) => round.begun).map("
        "({ round, trick }) => [round.plays.length, valueOpenCards(readTurn(round).play, trick)]))"
    )
    opened = {count: dict(values) for count, values in json.loads(written) if values}
    for count, values in opened.items():
        assert values == kqj.solve(file, at=f"{count // 6 + 1}.{count % 6 + 1}").cards
    assert min(opened) >= 12
    return len(opened)


def describe(record: Record) -> dict[str, Any]:
    """Return what a round brought, whoever played it."""
    keys = (
        "dealer", "teams", "turned", "calls", "sender", "contract", "amount", "stake", "tricks",
        "card_points", "trick_counts", "totals", "result", "gratuities", "pending_after", "scores",
    )  # fmt: skip
    bonuses = sorted(record.bonuses, key=repr)
    hands = [sorted(hand) for hand in record.hands or record.dealt]
    return {key: getattr(record, key) for key in keys} | {"bonuses": bonuses, "hands": hands}


@pytest.mark.parametrize("table", TABLES)
def test_the_others_are_default_players(browser: Browser, table: str, tmp_path: Path) -> None:
    teams, bidding = table.split("-")
    experiment = Experiment(rules=TABLES[table], deals=1)
    block, lines = make_recording_block(experiment), []
    for place, deal in enumerate(DEALS, start=2):
        link = f"teams={teams}&bidding={bidding}&pending=120&deal={deal}&place="
        link += ("opener", "2nd", "3rd", "4th", "5th", "dealer")[place]
        browser.open(f"{get_page().as_uri()}#{link}")
        browser.wait("state.engine")
        play_on(browser)
        record = read_record(browser)
        (expected,) = play_rounds(block, [(deal, record.dealer, 120)])
        assert describe(record) == describe(expected)
        lines.append(to_json(record))
    file = tmp_path / "rounds.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    result = run("check", str(file))
    assert result.exit_code == 0, result.output


def test_a_round_and_its_review(browser: Browser, tmp_path: Path) -> None:
    browser.open(f"{get_page().as_uri()}#deal=5&place=3rd")
    browser.wait("state.engine && state.play")
    browser.click("card 7c")
    # Values are hidden until one asks for them.
    browser.wait("state.isFinal")
    assert not browser.run("document.querySelector('#options table')")
    browser.click("suggest")
    check_answer(browser, browser.text("#command").removeprefix("kqj-sim "))
    while not browser.run("readTurn(state.round).isOver"):
        browser.click(f"card {browser.run('state.play.legal[0]')}")
    assert "The contract is made, with 152 to spare." in browser.text("#result")
    browser.wait("state.review.decisions.every(({ odds }) => odds)")
    lost = browser.run("state.review.decisions.map((each) => writeMean(estimateLoss(each)))")
    rows = browser.run(
        "[...document.querySelectorAll('#review tbody tr')].map((row) => row.cells[3].textContent)"
    )
    assert rows == lost and "±" in lost[0]
    losses = [browser.run(f"estimateLoss(state.review.decisions[{at}])") for at in range(len(lost))]
    total = sum(loss["value"] for loss in losses)
    half = math.hypot(*((loss["high"] - loss["value"]) for loss in losses if loss["high"]))
    found = browser.text("#review > p").removeprefix(f"Your {len(lost)} decisions lost ")
    points, error = map(float, found.split(" points")[0].split(" ±"))
    assert points == pytest.approx(total, abs=0.06) and error == pytest.approx(half, abs=0.51)
    file = tmp_path / "round.jsonl"
    file.write_text(to_json(read_record(browser)), encoding="utf-8")
    assert "no discrepancies" in run("check", str(file)).output
    assert "you" in run("review", str(file), "--samples", "100").stdout
    # The commands find the same in the record: `odds` with the same deals, `review` with others.
    decisions = json.loads(browser.run(f"JSON.stringify(state.review.decisions.map({VALUES}))"))
    (played,) = json.loads(
        run("review", str(file), "--seat", "you", "--samples", "2000", "--format", "json").stdout
    )["rounds"]
    assert [(each["at"], each["choice"]) for each in played["decisions"]] == [
        (f"{count // 6 + 1}.{count % 6 + 1}", choice) for count, choice, *_ in decisions
    ]
    for (_, choice, loss, estimates), reviewed in zip(decisions, played["decisions"], strict=True):
        odds = kqj.odds(record=file, at=reviewed["at"])
        lead = next(option.lead for option in odds.options if option.name == choice)
        assert loss["value"] == pytest.approx(lead.value if lead else 0, abs=1e-6)
        for option in reviewed["options"]:
            estimate = estimates[option["name"]]
            lows = (estimate["low"], option["value_low"])  # None of exact values.
            pairs = list(zip((estimate["value"], option["value"]), lows, strict=True))
            error = math.hypot(*(0 if low is None else value - low for value, low in pairs))
            assert abs(pairs[0][0] - pairs[1][0]) <= 0.5 + 2 * error, option
    # With all cards open late cards have the values of `solve`.
    assert check_open_values(browser, file)
    assert browser.run(
        "state.review.decisions.every(({ round, trick, open }) => !round.begun || "
        "`${open}` === `${valueOpenCards(readTurn(round).play, trick)}`)"
    )
    assert "All cards open: " in browser.text("#review")
    # A decision is a link into its position, from which Back leads to the review.
    browser.run("document.querySelector('#review a').click()")
    browser.wait("state.isFinal && state.round.plays.length === 6")
    check_answer(browser, browser.text("#command").removeprefix("kqj-sim "))
    browser.run("history.back()")
    browser.wait("document.querySelectorAll('#review tbody tr').length === 5")


def test_a_game(browser: Browser, tmp_path: Path) -> None:
    browser.run("state.rules = { ...state.rules, target: 500 }")
    browser.click("game")
    lines = []
    while True:
        play_on(browser)
        lines.append(to_json(read_record(browser)))
        if browser.text("#next-round") == "New game":
            break
        browser.click("next")
        browser.wait("state.round.calls.length < 6 || !readTurn(state.round).isOver")
    assert "won the game" in browser.text("#standing")
    assert ">" not in browser.text("#result")
    records = [json.loads(line) for line in lines]
    assert [record["round"] for record in records] == [*range(len(records))]
    assert max(records[-1]["score_after"]) >= 500
    file = tmp_path / "game.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    assert "no discrepancies" in run("check", str(file)).output
    assert browser.run("readKept().length") == len(records)
    assert "undefined" not in browser.text("#kept-rounds")


def test_a_round_begins_once_other_rules_are_loaded(browser: Browser) -> None:
    bidding = browser.run("state.rules.bidding === 'take' ? 'auction' : 'take'")
    browser.run(f"document.querySelector('[name=bidding][value={bidding}]').click()")
    assert browser.run("state.engine === undefined")
    browser.click("play")
    browser.wait("state.engine && readTurn(state.round).question")
    assert browser.run("state.rules.bidding") == bidding


def test_a_choice_that_costs_much_is_confirmed(browser: Browser) -> None:
    browser.open(f"{get_page().as_uri()}#deal=5&place=3rd")
    browser.wait("state.engine && state.play")
    browser.click("card 7c")
    browser.run("find('warn').click()")
    browser.wait("state.isFinal")
    browser.click("card Kc")
    assert browser.text("#doubt").startswith("Think again? In these deals K♣ costs 5")
    assert browser.run("state.round.plays.length") == 6
    browser.click("card Kc")
    assert browser.run("state.round.plays.length") > 6 and not browser.text("#doubt")
    # Back takes the card back, and so does Undo.
    browser.run("history.back()")
    browser.wait("state.round.plays.length === 6")
    browser.press("Backspace")
    browser.wait("state.round.plays.length === 2")


def test_a_record_is_opened_and_the_round_followed(browser: Browser, tmp_path: Path) -> None:
    """A round that was followed has its result and the review, too."""
    file = tmp_path / "round.jsonl"
    for rules in TABLES.values():
        records = play_records(Experiment(rules=rules, first=3, deals=20))
        # The page shows it as the player of seat 0.
        record = next(it for it in records if it.sender and it.teams[it.sender] == it.teams[0])
        browser.run(f"openRecord({to_json(record)})")
        browser.wait("state.engine && readTurn(state.round).isOver")
        score = json.loads(
            browser.run("(({ calls, play }) => JSON.stringify(scoreRound(calls, play)))"
                        "(readTurn(state.round))")
        )  # fmt: skip
        opener = (record.dealer + 1) % 6
        assert score["result"] == record.result
        for team, side in enumerate(score["teams"]):
            number = record.teams[(opener + team) % 6]
            assert side == {
                "points": record.card_points[number],
                "tricks": record.trick_counts[number],
                "total": record.totals[number],
                "gratuity": record.gratuities[number],
                "score": record.scores[number],
            }
        assert browser.text("#trick").count("points") == rules.teams
        assert browser.run("document.querySelectorAll('#tricks li').length") == 8
        file.write_text(to_json(record), encoding="utf-8")
        assert check_open_values(browser, file)
    browser.wait("state.review.decisions.every(({ odds, hasNoAnswer }) => odds || hasNoAnswer)")
    bad = to_json(record).replace('"all_no_trump":"second_lap"', '"all_no_trump":"never"')
    browser.run(f"openRecord({bad})")
    assert "the page knows two and three teams" in browser.text("#record-error")
    browser.run("openRecord({})")
    assert "it is not a record of kqj-sim" in browser.text("#record-error")
