"""Failures are said in a sentence, and the page goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.web.browser import Browser, check_answer, get_page, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

HAND = "hand=9h8hAhKs4d&return=7h"
HEADLINE = "document.querySelector('#headline').textContent"
FAIL = "onerror(new ErrorEvent('error', { message: 'no memory', cancelable: true }))"


@contextmanager
def start(init: str, link: str = HAND) -> Iterator[Browser]:
    """Open the page in a browser in which a script has run before; errors are the test's."""
    browser = Browser(f"{get_page().as_uri()}#{link}", init=init)
    try:
        yield browser
    finally:
        browser.close()


@pytest.mark.parametrize("name", ["WebAssembly", "DecompressionStream"])
def test_a_browser_that_lacks_something_is_told_so_and_cards_can_be_tapped(name: str) -> None:
    with start(f"delete window.{name}", "") as browser:
        browser.wait(f"{HEADLINE}.startsWith('The page cannot compute: this browser lacks {name}')")
        browser.errors.clear()
        browser.click("card 9h", "card 8h", "quiz", "play", "game")
        assert browser.run("state.round.hand.length") == 2
        assert "lacks" in browser.text("#headline")
        assert not browser.errors


def test_the_other_workers_play_for_one_that_fails(browser: Browser) -> None:
    browser.open(f"{get_page().as_uri()}#{HAND}")
    browser.wait("state.pool?.workers.some((worker) => worker.busy)")
    browser.run(f"state.pool.workers.find((worker) => worker.busy).{FAIL}")
    check_answer(browser, "odds 9h 8h Ah Ks 4d --return 7h")


def test_without_any_worker_the_next_step_tries_again(browser: Browser) -> None:
    browser.open(f"{get_page().as_uri()}#hand=9h8hAhKs&return=7h")
    browser.wait("state.engine")
    browser.run(
        "window.source = state.pool.source; state.pool.workers.forEach((each) => each.terminate());"
        "state.pool.source = 'data:text/javascript,throw new Error(`no memory`)';"
        "state.pool.workers = []; find('do-card-4d').click()"
    )
    browser.wait(f"{HEADLINE}.startsWith('This did not work: ')")
    browser.run("state.pool.source = source")
    browser.errors.clear()
    browser.click("place 1", "place 0")
    check_answer(browser, "odds 9h 8h Ah Ks 4d --return 7h")


def test_a_browser_that_keeps_nothing_answers() -> None:
    denied = "{ get() { throw new Error('denied'); } }"
    init = f"Object.defineProperty(window, 'localStorage', {denied});"
    init += "history.pushState = history.replaceState = () => { throw new Error('too often'); };"
    with start(init, "quiz=6100&subject=calls") as browser:
        browser.wait("state.quiz?.kind")
        browser.click("call pass")
        browser.wait("state.quiz.isCounted")
        assert browser.text("#headline").startswith("You chose pass: ")
        browser.click("language")
        assert browser.text("#headline").startswith("Votre choix : je passe, ")
        assert not browser.errors


@pytest.mark.parametrize(
    "stored", ["5", "{", '[null, 5, {"game": "kqj"}]', '{"a": [1]}', '"x"', "null"]
)
def test_what_is_stored_may_be_of_another_page(browser: Browser, stored: str) -> None:
    browser.run(
        "for (const key of ['kqj-language', 'kqj-quiz-results', 'kqj-quiz-mistakes', 'kqj-rounds'])"
        f"localStorage.setItem(key, `{stored}`)"
    )
    browser.open(f"{get_page().as_uri()}#{HAND}")
    check_answer(browser, "odds 9h 8h Ah Ks 4d --return 7h")
    browser.click("quiz")
    browser.wait("state.quiz?.kind")


def test_a_link_can_be_copied_without_a_clipboard(browser: Browser) -> None:
    for clipboard in ("undefined", "{ writeText: () => Promise.reject(new Error('denied')) }"):
        browser.run(
            f"Object.defineProperty(navigator, 'clipboard', "
            f"{{ value: {clipboard}, configurable: true }});"
            "draw('copied', ''); find('share').click()"
        )
        browser.wait("find('copied').textContent")
        assert browser.run("find('copied').textContent === `Copy the link: ${location.href}`")


def test_the_page_can_send_nothing_and_runs_no_other_script(browser: Browser) -> None:
    for attempt, directive in {
        "fetch('http://localhost:9').catch(() => {})": "connect-src",
        "new Image().src = 'http://localhost:9'": "img-src",
        "document.body.append(Object.assign(document.createElement('script'), { text: '1' }))": (
            "script-src-elem"
        ),
        "document.body.insertAdjacentHTML('beforeend', '<a onclick=1></a>');"
        "document.body.lastChild.click()": "script-src-attr",
        "document.body.insertAdjacentHTML('beforeend', '<style>p {}</style>')": "style-src-elem",
    }.items():
        violated = browser.run(
            "new Promise((resolve) => { addEventListener('securitypolicyviolation', (event) =>"
            f" resolve(event.violatedDirective), {{ once: true }}); {attempt}; }})"
        )
        assert violated == directive
