"""The page by keyboard alone, and as a screen reader has it."""

from __future__ import annotations

import pytest

from tests.web.browser import Browser, get_page, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

CONTROLS = {"button", "radio", "checkbox", "combobox", "table", "region", "group", "form", "list"}


def check_names(browser: Browser) -> None:
    """Check that each control has a name, and that the answer is announced."""
    found = browser.list_accessible()
    assert not [role for role, name in found if role in CONTROLS and not name]
    # The answer, and whether a link was copied.
    assert [role for role, _ in found].count("status") == 2
    sentences = browser.text("#headline")
    spoken = "".join(name for role, name in found if role == "StaticText")
    assert sentences.replace(" ", "") in spoken.replace(" ", "")
    assert browser.run("document.querySelector('#headline').role") == "status"


def check_targets(browser: Browser) -> None:
    """Check that a thumb can hit each control, and that nothing is cut off."""
    small = browser.run(
        "[...document.querySelectorAll('button, select, label')].filter((each) =>"
        " each.offsetParent && Math.min(each.offsetWidth, each.offsetHeight) < 40)"
        ".map((each) => each.textContent)"
    )
    assert small == []
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def use(browser: Browser, *identifiers: str) -> None:
    """Go to buttons by Tab and press Enter."""
    for identifier in identifiers:
        browser.reach(identifier)
        browser.press("Enter")


def wait_for_answer(browser: Browser) -> None:
    """Wait until all deals of the answer are played, and check what is shown."""
    browser.wait("state.isFinal")
    check_names(browser)
    check_targets(browser)


def test_taking_and_a_trick(browser: Browser) -> None:
    check_names(browser)
    browser.press(*"9h8hAhKs4d7h")
    wait_for_answer(browser)
    assert browser.text("#headline").startswith("Take ♥")
    use(browser, "do-choose-take-h")
    assert browser.text("#cards-title") == "Tap your two further cards"
    # Where a button is gone, the next step has the focus.
    assert browser.run("document.activeElement.id") == "cards-title"
    browser.press(*"5h6h")
    wait_for_answer(browser)
    assert browser.text("#cards-title") == "Your turn: play a card"
    browser.reach("do-card-9h")
    browser.press("Enter")
    browser.press(*"QhKhTcJh4h")
    assert browser.run("state.round.plays.join(' ')") == "9h Qh Kh Tc Jh 4h"
    wait_for_answer(browser)
    use(browser, "undo")
    browser.wait("state.round.plays.length === 5")


def test_a_card_keeps_the_focus_while_deals_are_drawn(browser: Browser) -> None:
    browser.press(*"7hKs4dQd9s9h")
    browser.reach("do-choose-take-h")
    browser.press("Enter", *"8cTc")
    browser.wait("state.play")
    # A tap is lost, too, if its button is replaced.
    browser.run("window.first = document.querySelector('#deck button'); first.focus()")
    assert not browser.run("state.isFinal")
    browser.wait("state.isFinal && document.querySelector('#deck small')")
    assert browser.run("first.isConnected && document.activeElement === first")


def test_an_auction(browser: Browser) -> None:
    browser.run("document.querySelector('[name=bidding]').id = 'bidding'")
    browser.reach("bidding")
    browser.press("ArrowRight")
    browser.wait("state.engine && state.rules.bidding === 'auction'")
    browser.press(*"9h8hAhKhQh5d6cAc")
    use(browser, "do-place-2", "do-recall-1")
    browser.reach("amount")
    browser.press("ArrowDown")
    use(browser, "do-bid-s")
    wait_for_answer(browser)
    assert browser.run("writeHeard(state.round.calls)") == "pass, 130 s"
    use(browser, "do-show")
    assert not browser.run("document.getElementById('do-show')")
    check_names(browser)


def test_a_quiz(browser: Browser) -> None:
    use(browser, "quiz")
    browser.wait("state.quiz && state.quiz.kind")
    assert browser.run("document.activeElement.id") == "cards-title"
    check_names(browser)
    check_targets(browser)
    browser.run("askQuiz('calls', 6100); dealQuiz()")
    use(browser, "do-call-pass")
    browser.wait("state.quiz.isCounted")
    wait_for_answer(browser)
    # The next question is one key away.
    browser.press("Enter")
    browser.wait("state.quiz?.kind && state.quiz.choice === undefined")
    browser.run("askQuiz('cards', 11006); dealQuiz()")
    rank, suit = browser.run("document.querySelector('[data-do^=\"card \"]').dataset.do.slice(5)")
    browser.press(rank, suit)
    browser.wait("state.quiz.isCounted")
    wait_for_answer(browser)
    sign = "♠♥♦♣"["shdc".index(suit)]
    assert browser.text("#headline").startswith(f"You chose {rank}{sign}: ")


def test_a_round_that_is_played(browser: Browser) -> None:
    use(browser, "play")
    browser.wait("isDealt()")
    browser.open(f"{get_page().as_uri()}#bidding=auction&deal=7&place=3rd")
    browser.wait("state.engine && state.asked")
    check_names(browser)
    check_targets(browser)
    use(browser, "suggest")
    wait_for_answer(browser)
    use(browser, "do-call-pass")
    while not browser.run("readTurn(state.round).isOver"):
        if browser.run("Boolean(state.play)"):
            browser.press(*browser.run("state.play.legal[0]"))
        else:
            call = browser.run("readCalls().question")
            use(browser, "do-call-pass" if call == 1 else "do-call-no-counter")
    check_names(browser)
    check_targets(browser)
    browser.wait("state.review.decisions.every(({ odds, hasNoAnswer }) => odds || hasNoAnswer)")
    use(browser, "next-round")
    browser.wait("!readTurn(state.round).isOver || !state.round.plays.length")
    use(browser, "again")
    assert not browser.run("isDealt()")


def test_lines_of_help_on_terms(browser: Browser) -> None:
    names = [name for role, name in browser.list_accessible() if role == "button"]
    assert "What is meant by Errors?" in names
    browser.press(*"9h8hAhKs4d7h")
    wait_for_answer(browser)
    browser.run("document.querySelector('[data-do^=\"explain value\"]').id = 'asked'")
    use(browser, "asked")
    assert browser.run("find('explanation').matches(':popover-open')")
    assert browser.text("#explained").startswith("ValueThe points by which")
    browser.press("Escape")
    assert not browser.run("find('explanation').matches(':popover-open')")
    assert browser.run("document.activeElement.id") == "asked"
    assert browser.run("document.querySelector('footer a[rel]').href").startswith("https://")
