"""The page in French: each text has its twin, with the digits of the English one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from kqj_sim.web.make import SCRIPTS, read_part
from tests.web.browser import Browser, get_page, needs_browser
from tests.web.node import LANGUAGE, list_numbers, needs_node, read_scripts, run_in_node
from tools.page.sentences import read_templates, write_functions

FIELD = r"\{(\d+)\}"

LIST_TEXTS = """
const list = (table, path = "") => Object.entries(table).flatMap(([name, text]) =>
  typeof text === "object" ? list(text, `${path}${name}.`) : [[`${path}${name}`, describe(text)]]);
const ARGUMENTS = [[101, 102, 103, 104, 105], [1, 1, 1], [2, 8], [2, 3], ["101", "made", 102, 103],
  ["101", "failed", 102, 103], ["101", "failed", 102, 103, true],
  ["101", "litigation", 102, 103], ["", "101", 2]];
const describe = (text) => typeof text !== "function" ? "" :
  ARGUMENTS.map((values) => [...new Set(String(text(...values)).match(/10\\d/g))].sort().join(" "));
"""
"""Lists the texts of a table, of functions with the arguments that come up in them."""


def list_literals(script: str) -> Iterator[str]:
    """Yield the templates of the literals tell`...` of a script."""
    for match in re.finditer("tell`", script):
        template, fields, depth, at = "", 0, 0, match.end()
        while depth or script[at] != "`":
            if depth:
                depth += (script[at] == "{") - (script[at] == "}")
            elif script.startswith("${", at):
                template, fields, depth = f"{template}{{{fields}}}", fields + 1, 1
                at += 1
            else:
                template += script[at]
            at += 1
        yield template


@needs_node
def test_every_sentence_has_its_twin() -> None:
    functions = write_functions(read_templates())
    templates = set(map(json.loads, re.findall(r'fill\(("(?:[^"\\]|\\.)*")', functions)))
    for name in SCRIPTS:
        templates |= set(list_literals(read_part(name)))
    assert len(templates) > 100
    twins = run_in_node(read_scripts(*LANGUAGE), "FRENCH_SENTENCES", None)
    assert sorted(templates - twins.keys() - {"{0}"}) == []
    for template, twin in twins.items():
        assert set(re.findall(FIELD, template)) == set(re.findall(FIELD, twin)), template


@needs_node
def test_every_text_has_its_twin() -> None:
    scripts = read_scripts(*LANGUAGE) + LIST_TEXTS
    english, french = run_in_node(scripts, "[list(ENGLISH), list(FRENCH)]", None)
    assert english == french


@needs_browser
@pytest.mark.slow
def test_the_page_speaks_the_language_of_the_browser_until_one_is_chosen() -> None:
    init = "Object.defineProperty(navigator, 'languages', { value: ['fr-CH', 'en'] })"
    browser = Browser(get_page().as_uri(), init=init)
    try:
        browser.open(f"{get_page().as_uri()}#hand=9h8hAhKs4d&return=7h")
        browser.wait("state.isFinal")
        assert browser.run("document.documentElement.lang") == "fr"
        french = browser.text("#headline")
        assert french.startswith("Je prends ♥ : vous gagnez ")
        assert "R♠" in browser.text("#deck")
        browser.click("language")
        english = browser.text("#headline")
        assert english.startswith("Take ♥: you win ")
        assert list_numbers(english) == list_numbers(french)
        browser.open(f"{get_page().as_uri()}#hand=9x")
        browser.wait("state.engine")
        assert browser.run("document.documentElement.lang") == "en"
        assert browser.text("#headline").startswith("The link is wrong: ")
        browser.click("language")
        assert browser.text("#headline").startswith("Le lien est faux : ")
    finally:
        browser.close()
