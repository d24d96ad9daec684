"""`kqj-sim page` writes the page, which begins with the position of its options."""

from __future__ import annotations

import json
import re
import shlex
import webbrowser
from pathlib import Path

import platformdirs
import pytest

import kqj_sim as kqj
from tests.command_line import expect_error, run
from tests.web.browser import Browser, check_answer, needs_browser
from tests.web.node import LANGUAGE, needs_node, read_scripts, run_in_node

POSITIONS = [
    "9h 8h Ah Ks 4d --return 7h --place 3rd",
    "9h 8h Ah Ks 4d --return 7h --lap 2 --teams 3",
    "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --heard 'pass 120s pass'",
    "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --teams 3 --heard '80s pass' --place 3rd",
    "7h Ks 4d Qd 9s 8c Tc Jc --return 9h --heard take --played 'As 4s'",
    "7h 9h Ks 4d Qd 9s 8c Tc --return 9h --heard take --played ''",
    "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --place 5th --heard '120 s, counter 2nd'",
    "9h 8h Ah Kh Qh 5d 6c Ac --bidding auction --heard '120d pass 140h pass pass pass pass pass' "
    "--played '5c Tc'",
]
"""Words of `odds` whose positions the page knows."""


def read_position(path: Path) -> str:
    """Return the position with which a page begins, as a link."""
    found = re.search(r'^const POSITION = (".*");', path.read_text(encoding="utf-8"), re.M)
    assert found is not None
    return str(json.loads(found[1]))


def write_page(words: str, path: Path) -> Path:
    done = run("page", *shlex.split(words), "--out", str(path))
    assert (done.exit_code, done.stdout) == (0, f"{path}\n"), done.output
    return path


@needs_node
def test_the_page_reads_the_positions_of_the_command(tmp_path: Path) -> None:
    links = [read_position(write_page(words, tmp_path / "p.html")) for words in POSITIONS]
    found = run_in_node(
        read_scripts(*LANGUAGE, "built.js", "words.js", "link.js"), "given.map(readPosition)", links
    )
    for words, each in zip(POSITIONS, found, strict=True):
        cards = words.split(" --")[0].split()
        assert "wrong" not in each["round"], words
        held = {*each["round"]["hand"], *each["round"]["more"]}
        held |= {each["round"]["up"]} if "--played ''" in words else set()
        assert held == {*cards}, words


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("words", POSITIONS)
def test_the_page_of_a_position_answers_as_the_command(
    words: str, browser: Browser, tmp_path: Path
) -> None:
    browser.open(write_page(words, tmp_path / "p.html").as_uri())
    check_answer(browser, f"odds {words}")


def test_the_page_is_opened_in_a_browser_unless_a_file_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: str(tmp_path))

    def open_url(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_url)
    assert [kqj.page(teams=3).as_uri()] == opened
    assert read_position(tmp_path / "kqj.html") == "teams=3&bidding=take"
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    assert "no browser was found: open " in expect_error(run("page"))
