"""The page gives the answers of the command, to the digit."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from kqj_sim.web.make import MANIFEST, PAGE, SCRIPTS, read_part, read_sources_hash
from tests.web.browser import MAX_SECONDS, Browser, check_answer, get_page, needs_browser
from tests.web.node import needs_node, run_in_node
from tools.page.build import hash_engine_sources, write_built_script

TAKE_HAND = ["9h", "8h", "Ah", "Ks", "4d"]
BID_HAND = ["9h", "8h", "Ah", "Kh", "Qh", "5d", "6c", "Ac"]


def test_the_engine_is_built_of_these_sources() -> None:
    """The page promises the numbers of this version: `python -m tools.page.build` makes it anew."""
    assert read_sources_hash() == hash_engine_sources()
    assert read_part("built.js") == write_built_script()


def test_every_text_is_there_once() -> None:
    scripts = "".join(map(read_part, SCRIPTS))
    named = re.findall(r'data-(?:text|label)="(\w+)"', read_part("page.html"))
    keys = re.findall(r"^  (\w+):", read_part("texts.js"), re.MULTILINE)
    assert {*keys} == {*re.findall(r"TEXTS\.(\w+)", scripts), *named}
    assert len(keys) == len({*keys})


def wait_for_answer(browser: Browser) -> None:
    """Wait until all deals of the answer are played."""
    browser.wait("document.querySelector('#headline:not(.pending)')?.textContent")


def check_command(browser: Browser, command: str) -> None:
    """Compare the page's answer with that of the command, which the page names."""
    check_answer(browser, command.removeprefix("kqj-sim "))
    assert browser.text("#command") == command


@needs_browser
@pytest.mark.slow
def test_taking_by_clicks(browser: Browser) -> None:
    browser.click(*(f"card {card}" for card in (*TAKE_HAND, "7h")))
    check_command(browser, "kqj-sim odds 9h 8h Ah Ks 4d --return 7h")
    browser.click("place 3")
    check_command(browser, "kqj-sim odds 9h 8h Ah Ks 4d --return 7h --place 4th")
    browser.click("choose pass", "call pass", "call pass", "all pass")
    check_command(browser, "kqj-sim odds 9h 8h Ah Ks 4d --return 7h --place 4th --lap 2")
    browser.run("document.getElementById('undo').click()")
    browser.wait("state.round.calls.length === 6")


@needs_browser
@pytest.mark.slow
def test_earlier_hands_are_kept(browser: Browser) -> None:
    link = "hand=9h8hAhKs4d&return=7h"
    for place in ("opener", "3rd&heard=pass,pass"):
        browser.open(f"{get_page().as_uri()}#{link}&place={place}")
        browser.wait("state.isFinal")
    browser.open(get_page().as_uri())
    assert browser.text("#hands-list").endswith(" 9♥ 8♥ A♥ K♠ 4♦ 7♥")
    # The page may be drawn anew before the browser says that a link was followed.
    browser.run("document.querySelector('#hands-list a').click(); render()")
    browser.wait("state.isFinal && state.round.place === 2")
    for stored in ("5", "[1]", '"x"', "{", '[{"link": 5}]', '[{"link": "x"}]'):
        browser.run(f"localStorage.setItem('kqj-hands', {json.dumps(stored)})")
        browser.open(get_page().as_uri())
        browser.wait("state.engine")


@needs_browser
@pytest.mark.slow
def test_the_decision_stands_there_from_the_first_deals_on(browser: Browser) -> None:
    browser.run(
        "window.drawn = []; new MutationObserver(() => {"
        " const { textContent, className, ariaBusy } = find('headline');"
        " if (textContent) drawn.push([textContent, className, ariaBusy]); })"
        ".observe(find('headline'), { childList: true, subtree: true, attributes: true })"
    )
    browser.run("location.hash = 'bidding=auction&hand=HsJs9sAhTh4dKc5c'; 0")
    browser.wait("state.isFinal")
    first, *_, last = browser.run("drawn")
    assert first[0].startswith(("Bid ", "Pass")) and first[1:] == ["pending", "true"]
    assert len(last[0]) > len(first[0]) and last[1:] == ["", "false"]


@needs_browser
@pytest.mark.slow
def test_auction_by_clicks(browser: Browser) -> None:
    browser.run("document.querySelector('[name=bidding][value=auction]').click()")
    browser.wait("state.engine")
    # All before the player have passed, unless a call is changed.
    browser.click(
        *(f"card {card}" for card in BID_HAND), "place 3", "recall 1", "bid s", "call pass"
    )
    check_command(
        browser,
        "kqj-sim odds 9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --place 4th "
        '--heard "pass, 120 s, pass"',
    )


@needs_browser
@pytest.mark.slow
def test_other_rules_keep_what_they_can(browser: Browser) -> None:
    browser.open(
        f"{get_page().as_uri()}#hand=9h8hAhKs4d&return=7h&place=3rd&heard=pass,pass&errors=10"
    )
    browser.run("document.querySelector('[name=teams][value=\"3\"]').click()")
    check_answer(browser, "odds 9h 8h Ah Ks 4d --return 7h --place 3rd --teams 3 --error-rate 10%")
    browser.run("document.querySelector('[name=bidding][value=auction]').click()")
    kept = browser.run("[state.round.hand.join(' '), state.round.place, state.rules.errors]")
    assert kept == ["9h 8h Ah Ks 4d", 2, 10]
    browser.run("history.back()")
    browser.wait("state.isFinal && state.round.up === '7h'")


SCORED = {
    "scores=640:880&pending=120&target=2000&hand=9h8hAhKs4d&return=7h": (
        "9h 8h Ah Ks 4d --return 7h --scores 640:880 --target 2000 --pending 120"
    ),
    "bidding=auction&scores=640:880&hand=9sJh7h6cQd7sTsTc&place=2nd&heard=120 s": (
        '9s Jh 7h 6c Qd 7s Ts Tc --bidding auction --scores 640:880 --place 2nd --heard "120 s"'
    ),
    "teams=3&scores=640:880:500&hand=9h8hAhKs4d&return=7h&place=3rd&heard=pass,pass": (
        "9h 8h Ah Ks 4d --return 7h --teams 3 --scores 640:880:500 --place 3rd"
    ),
    "scores=640:880&hand=7hKs4dQd9s&more=8cTcJc&return=9h&place=2nd&heard=take h&played=As": (
        '7h Ks 4d Qd 9s 8c Tc Jc --return 9h --scores 640:880 --heard "take h" --played "As"'
    ),
    "pending=120&hand=9h8hAhKs4d&return=7h": "9h 8h Ah Ks 4d --return 7h --pending 120",
}


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("link", SCORED)
def test_the_score_of_the_game(link: str, browser: Browser) -> None:
    browser.open(f"{get_page().as_uri()}#{link}")
    check_command(browser, f"kqj-sim odds {SCORED[link]}")


@needs_browser
@pytest.mark.slow
def test_the_score_of_the_game_is_typed(browser: Browser) -> None:
    browser.click(*(f"card {card}" for card in (*TAKE_HAND, "7h")))
    browser.run("find('settings').open = find('game').open = true")
    for name, number, message in (
        ("score-0", "640", "Scores are multiples of 10 below 1000; give all of them, or none."),
        ("score-1", "880", ""),
        ("pending", "120", ""),
    ):
        browser.reach(name)
        browser.press(*number)
        browser.press("Tab")
        assert browser.text("#wrong-scores") == message
    check_command(browser, "kqj-sim odds 9h 8h Ah Ks 4d --return 7h --scores 640:880 --pending 120")


@needs_browser
@pytest.mark.slow
def test_a_played_trick_by_clicks(browser: Browser) -> None:
    browser.click(*(f"card {card}" for card in ["7h", "Ks", "4d", "Qd", "9s", "9h"]))
    browser.click("place 1", "recall 0", "call take h")
    browser.click(*(f"card {card}" for card in ["8c", "Tc", "Jc", "As"]))
    hand = "kqj-sim odds 7h Ks 4d Qd 9s 8c Tc Jc --return 9h --heard"
    check_command(browser, f'{hand} "take h" --played "As"')
    assert "9♠ gives 3 points less to the opponents' trick." in browser.text("#headline")
    assert browser.text("[data-do='card 9s'] small") == "-143"
    assert browser.run("document.querySelector(`[data-do='card 7h']`).disabled")
    browser.click(*(f"card {card}" for card in ["9s", "4s", "5s", "6s", "7s", "4c"]))
    wait_for_answer(browser)
    played = "As 9s 4s 5s 6s 7s 4c"
    assert browser.text("#command") == f'{hand} "take h" --played "{played}"'
    browser.run("document.getElementById('undo').click()")
    browser.wait("state.round.plays.length === 6")


@needs_browser
@pytest.mark.slow
def test_calls_that_nobody_would_make(browser: Browser) -> None:
    link = (
        f"{get_page().as_uri()}#bidding=auction&place=3rd&hand=4h5hAhKhQh5d6cAc&heard=120 s,300 s"
    )
    browser.open(link)
    wait_for_answer(browser)
    headline = browser.text("#headline")
    assert "2nd's 300 ♠" in headline and "would hardly ever call like this" in headline
    browser.open(f"{link}&errors=0")
    wait_for_answer(browser)
    said = "the assumed player bids 300 ♠ as the 2nd to speak with none of"
    assert said in browser.text("#headline")


@needs_browser
@pytest.mark.slow
def test_a_wrong_link_has_a_sentence_and_no_number(browser: Browser) -> None:
    trick = "hand=7sKs4dQd9s&return=9h&place=3rd&heard=take h&more=8cTcJc&played=As5h7s4s5s6s8s"
    for link, sentence in {
        "hand=9h9h9h9h9h&return=7h": "The link is wrong: 9h is named twice: name each card once.",
        trick: "Trick 1: the 2nd to speak cannot have played 5♥: they held 8♠, which would have "
        "been right.",
    }.items():
        browser.open(f"{get_page().as_uri()}#{link}")
        browser.wait("state.engine")
        assert browser.text("#headline") == sentence
        assert not browser.text("#options") and not browser.text("#command")
    browser.open(f"{get_page().as_uri()}#hand=9h8hAhKs4d&return=9h")
    browser.wait("state.engine")
    assert browser.run("location.hash") == "#hand=9h8hAhKs4d&return=9h"
    browser.click(*(f"card {card}" for card in (*TAKE_HAND, "7h")))
    check_command(browser, "kqj-sim odds 9h 8h Ah Ks 4d --return 7h")


def wait_for_failure(browser: Browser, sentence: str) -> None:
    """Wait until the page says what it cannot do, and forget the error."""
    end = time.monotonic() + MAX_SECONDS
    while not browser.run("state.failure"):
        assert time.monotonic() < end
    assert browser.text("#headline") == sentence
    browser.run("render()")
    assert browser.text("#headline") == sentence and not browser.text("#run")
    assert browser.errors
    browser.errors.clear()


class _QuietHandler(SimpleHTTPRequestHandler):
    """A handler that logs nothing."""

    is_down = False

    def do_GET(self) -> None:
        """Answer, or say that the server is down."""
        if self.is_down:
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serve() -> Iterator[str]:
    """Serve the page's folder; yield the page's address."""
    handler = partial(_QuietHandler, directory=str(get_page().parent))
    with ThreadingHTTPServer(("localhost", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://localhost:{server.server_port}/{PAGE}"
        finally:
            server.shutdown()


@needs_browser
@pytest.mark.slow
def test_a_served_page_works_without_the_server(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve() as url:
        browser.open(url)
        browser.wait("state.engine")
        browser.run("navigator.serviceWorker.ready.then(() => caches.match('kqj.html'))")
        browser.wait("navigator.serviceWorker.controller || location.reload()")
        monkeypatch.setattr(_QuietHandler, "is_down", True)
        browser.open(url)
        browser.wait("state.engine")
    browser.open(f"{url}#hand=9h8hAhKs4d&return=7h")
    wait_for_answer(browser)
    assert browser.text("#headline").startswith("Take ♥: you win 99.7% of the rounds")


KEEP = """
const PAGE = '<meta name="kqj-sources"></html>';
let kept = given.kept;
const handlers = {}, waiting = [];
globalThis.self = { addEventListener: (name, handle) => (handlers[name] = handle) };
const put = async (_, response) => {
  if (given.isFull) throw new Error("QuotaExceededError");
  kept = await response.text();
};
globalThis.caches = { open: async () => ({ put }), match: async () => kept && new Response(kept) };
globalThis.fetch = async () => {
  if (!given.status) throw new TypeError("there is no network");
  return new Response(given.answer ?? PAGE, { status: given.status });
};
const open = async () => {
  const request = { url: "https://example.org/kqj.html" };
  const response = await new Promise((respondWith) =>
    handlers.fetch({ request, respondWith, waitUntil: (promise) => waiting.push(promise) }));
  await Promise.all(waiting);
  const name = (text) => (text === PAGE ? "new" : text);
  return [name(await response.text()), name(kept)];
};
"""
"""Opens the page with the script that keeps it: what is shown, and what is kept afterwards."""


@needs_node
@pytest.mark.parametrize(
    ("status", "is_full", "kept", "shown", "kept_then"),
    [
        (200, False, None, "new", "new"),
        (200, False, "old", "new", "new"),
        (200, True, "old", "new", "old"),
        (200, True, None, "new", None),
        (503, False, "old", "old", "old"),
        (404, False, "old", "old", "old"),
        (503, False, None, "new", None),
        (0, False, "old", "old", "old"),
        (0, False, None, "", None),
    ],
)
def test_an_error_or_a_full_storage_loses_no_page(
    status: int, is_full: bool, kept: str | None, shown: str, kept_then: str | None
) -> None:
    given = {"status": status, "isFull": is_full, "kept": kept}
    script = read_part("offline.js")
    assert run_in_node(KEEP + script, "open()", given) == [shown, kept_then]


@needs_node
@pytest.mark.parametrize("answer", ['<meta name="kqj-sources"><body', "<p>Sign in</p></html>", ""])
def test_a_page_that_is_not_whole_is_not_kept(answer: str) -> None:
    given = {"status": 200, "kept": "old", "answer": answer}
    assert run_in_node(KEEP + read_part("offline.js"), "open()", given) == ["old", "old"]


@needs_browser
@pytest.mark.slow
def test_a_served_page_can_be_installed(browser: Browser) -> None:
    with serve() as url:
        browser.open(url)
        browser.wait("state.engine")
        found = browser.send("Page.getAppManifest")
        assert found["url"].endswith(MANIFEST) and not found["errors"]
        assert not browser.send("Page.getInstallabilityErrors")["installabilityErrors"]
    browser.open(get_page().as_uri())
    assert not browser.run("document.querySelector('[rel=manifest]')")
