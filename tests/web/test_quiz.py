"""The quiz asks what comes up in rounds of the default players, and shows values afterwards."""

from __future__ import annotations

import json

import pytest

from kqj_sim.positions.auction_state import format_call
from kqj_sim.positions.position import Position
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.web.make import QUESTIONS, TABLES, read_part
from tests.web.browser import Browser, get_page, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

DEALS = (0, 1, 2, 31)
"""Rounds; in auctions of two teams the last is passed out."""
LIST_POSITIONS = """
(deal, subject) => {
  const played = playRound(deal);
  return JSON.stringify(listDecisions(played, subject).map((decision) => {
    state.round = makeRound({ ...played, ...decision, subject });
    const { place, hand, up, calls, plays } = state.round;
    const cards = subject === "calls" ? hand : listHand(readCalls().contract);
    const left = cards.filter((card) => !plays.includes(card)).sort();
    return [place, left.join(" "), up, calls.map(({ text }) => text), plays.join(" ")];
  }));
}
"""
"""Lists what the player knows at each decision of a round."""


def describe(position: Position) -> str:
    """Return a position as the page describes it."""
    hand = " ".join(sorted(map(str, position.hand)))
    upcard = None if position.upcard is None else str(position.upcard)
    calls = [format_call(call) for call in position.calls or ()]
    played = " ".join(map(str, position.plays))
    return json.dumps([position.place, hand, upcard, calls, played])


@pytest.mark.parametrize("table", TABLES)
def test_questions_are_the_decisions_of_recorded_rounds(browser: Browser, table: str) -> None:
    teams, bidding = table.split("-")
    browser.open(f"{get_page().as_uri()}#teams={teams}&bidding={bidding}")
    browser.wait("state.engine")
    for deal in DEALS:
        (record,) = play_records(Experiment(rules=TABLES[table], first=deal, deals=1))
        decisions = RecordedRound(record).decisions
        for subject in ("calls", "cards"):
            asked = json.loads(browser.run(f"({LIST_POSITIONS})({record.deal}, '{subject}')"))
            expected = {
                describe(decision.knowledge)
                for decision in decisions
                if decision.is_call == (subject == "calls")
            }
            found = {json.dumps(each) for each in asked}
            # In an auction who countered forestalls others, whom the page asks, too.
            assert found >= expected if subject == "calls" else found == expected
            least = 1 if subject == "calls" else 20 if record.sender is not None else 0
            assert len(expected) >= least


def open_question(browser: Browser, link: str) -> None:
    browser.open(f"{get_page().as_uri()}#{link}")
    browser.wait("state.engine && state.quiz.kind")


def choose(browser: Browser, action: str) -> None:
    """Choose a call or a card, and wait for its value."""
    browser.click(action)
    browser.wait("state.quiz.isCounted")


def test_values_stand_after_the_choice(browser: Browser) -> None:
    open_question(browser, "quiz=6100&subject=calls")
    position = browser.run("JSON.stringify(state.round)")
    assert browser.text("#headline") == "What do you call?"
    browser.wait("state.isFinal")
    assert not browser.run("document.querySelector('#options table')")
    choose(browser, "call pass")
    lost = browser.run(
        "(({ odds }) => odds.estimate('value', odds.ranking[0], odds.texts.indexOf('pass')).value)"
        "(state)"
    )
    assert lost > 5
    words = browser.text("#headline")
    assert words.startswith(f"You chose pass: {lost:.1f} ±") and " points lost. Take ♦: " in words
    assert browser.text("#results-table tbody") == f"Taking1{lost:.1f}"
    assert browser.run("document.activeElement.id") == "next"
    # The same question again, by its link, and the best call.
    open_question(browser, browser.run("location.hash.slice(1)"))
    assert browser.run("JSON.stringify(state.round)") == position
    choose(browser, "call take d")
    assert browser.text("#headline").startswith("You chose take ♦: the best, nothing lost.")
    assert browser.text("#results-table tbody") == f"Taking2{lost / 2:.1f} ±?"
    browser.run("document.getElementById('clear').click()")
    assert browser.run("document.getElementById('results').hidden")
    browser.run("document.getElementById('next').click()")
    browser.wait("state.quiz?.kind && state.quiz.choice === undefined")
    assert "quiz=6100&" not in browser.run("location.hash")


def test_values_stand_on_the_cards_after_the_choice(browser: Browser) -> None:
    open_question(browser, "quiz=11006&subject=cards")
    browser.wait("state.isFinal")
    assert browser.text("#headline") == "Which card do you play?"
    assert not browser.run("document.querySelector('#deck small')")
    card = browser.run("state.odds.texts[state.odds.ranking.at(-1)]")
    choose(browser, f"card {card}")
    assert browser.run("document.querySelectorAll('#deck small').length > 1")
    assert browser.text("#results-table tbody").startswith("Leads1")
    # After the answer the round can be played on.
    browser.click(f"card {card}")
    assert browser.run("state.quiz === undefined && state.round.plays.length") == 7
    assert "quiz" not in browser.run("location.hash")


def test_mistakes_come_back_on_a_schedule(browser: Browser) -> None:
    open_question(browser, "quiz=6100&subject=calls")
    browser.run(
        "window.now = Date.now; window.day = 0; Date.now = () => now() + 864e5 * window.day"
    )
    choose(browser, "call pass")
    assert browser.text("#mistakes-count").endswith(": 1, due now: 0.")
    browser.run("Math.random = () => 0.3")
    for days in (1, 3, 8, 21):
        browser.run(f"window.day += {days} - 0.01; renderMistakes()")
        assert browser.text("#mistakes-count").endswith(": 1, due now: 0.")
        browser.run("window.day += 0.02; renderMistakes()")
        assert browser.text("#mistakes-count").endswith(": 1, due now: 1.")
        browser.click("quiz")
        browser.wait("state.quiz?.link && state.quiz.kind === 'take'")
        choose(browser, "call take d")
    assert browser.run("find('mistakes').hidden && !readMistakes().length")


def test_mistakes_of_a_review_are_practised_and_written_for_anki(browser: Browser) -> None:
    links = ["bidding=auction&hand=9h8hAhKhQh5d6cAc&place=2nd&heard=120 s", "hand=9x"]
    quiz = json.dumps({"kind": "quiz", "questions": [{"link": link} for link in [*links, None]]})
    browser.run(f"openFile(new File([{json.dumps(quiz)}], 'mistakes.json'))")
    browser.wait("state.engine && state.quiz?.kind === 'bid'")
    assert browser.text("#record-error") == "New questions: 1."
    choose(browser, "call pass")
    browser.run("window.save = (text) => { window.saved = text; }")
    browser.click("anki")
    front, back = browser.run("saved").splitlines()[-1].split("\t")
    assert "You are the 2nd to speak.<br>Your cards: 9♥ 8♥ A♥ K♥ Q♥ 5♦ 6♣ A♣<br>" in front
    assert back.startswith("Bid 1") and "you win" in back


@pytest.mark.parametrize("table", TABLES)
def test_questions_have_a_best_answer(browser: Browser, table: str) -> None:
    teams, bidding = table.split("-")
    questions = json.loads(read_part(QUESTIONS))[table]
    kinds = ["take"] if bidding == "take" else ["bid", "counter"]
    for subject, names in (("calls", kinds), ("cards", ["lead", "follow", "discard"])):
        for kind, numbers in zip(names, questions[subject], strict=True):
            assert len(set(numbers)) == len(numbers) > 0
            link = f"teams={teams}&bidding={bidding}&quiz={numbers[-1]}&subject={subject}"
            open_question(browser, link)
            assert browser.run("state.quiz.kind") == kind
            # The number is that of a decision, not of the one after it.
            assert (
                browser.run(
                    "stepOf(findQuestion(), state.quiz.number % 1000 < 100 ? 'cards' : 'calls')"
                )
                == numbers[-1] % 1000
            )
            browser.wait("state.isFinal")
            lead = browser.run(
                "(({ odds }) => Math.min(...odds.ranking.slice(1).map((other) =>"
                " odds.estimate('value', odds.ranking[0], other).value)))(state)"
            )
            assert lead > 5


def test_no_question_is_asked_twice(browser: Browser) -> None:
    browser.run("state.questions = { calls: [[6100, 7100], []], cards: [[]] }")
    numbers = browser.run("[0, 1, 2].map(() => chooseQuestion('calls'))")
    assert set(numbers[:2]) == {6100, 7100}
    assert numbers[2] in numbers[:2]


def test_a_bid_of_any_amount_is_valued(browser: Browser) -> None:
    open_question(browser, "bidding=auction&quiz=22135&subject=calls")
    browser.run("document.getElementById('amount').value = '290'")
    choose(browser, "bid c")
    assert browser.text("#headline").startswith("You chose 290 ♣: ")
    assert browser.run("state.odds.texts.filter((text) => text === '290 c').length") == 1
    assert browser.text("#results-table tbody").startswith("Bids1")


def test_other_rules_ask_another_question(browser: Browser) -> None:
    open_question(browser, "quiz=6100&subject=both")
    browser.run("document.querySelector('[name=bidding][value=auction]').click()")
    browser.wait("state.engine && state.quiz.kind && state.rules.bidding === 'auction'")
    assert browser.run("state.round.hand.length") == 8
    assert "bidding=auction&quiz=" in browser.run("location.hash")


def test_stored_results_of_another_form_are_left_out(browser: Browser) -> None:
    for stored in ("5", "[1]", '"x"', "{", '{"take": 5, "bid": ["a", 1, 2], "lead": [1, 2, 4]}'):
        browser.run(f"localStorage.setItem('kqj-quiz-results', {json.dumps(stored)})")
        open_question(browser, "quiz=6100&subject=calls")
        found = browser.text("#results-table tbody")
        assert found == ("Leads12.0" if "lead" in stored else "")
    choose(browser, "call pass")
    assert browser.text("#results-table tbody").startswith("Taking1")
