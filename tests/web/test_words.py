"""The page's words and digits are those of the command: JavaScript in node beside Python."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from jinja2 import Environment, nodes

from kqj_sim.cards import Card
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.games.kqj.card_sampler import KqjCardSampler
from kqj_sim.output import card_reasons
from kqj_sim.output.grid import format_symmetric
from kqj_sim.output.sentences import FILTERS, say
from kqj_sim.positions.sampling import Sampler
from kqj_sim.positions.search import Search, SearchEnded
from kqj_sim.questions.odds import screen
from kqj_sim.questions.odds.screen import RankedOption
from kqj_sim.stats.intervals import Estimate
from tests.web.node import LANGUAGE, list_numbers, needs_node, read_scripts, run_in_node
from tools.page.build import write_constants
from tools.page.sentences import UnknownSyntaxError, read_templates, write_functions

CALLS = ["pass", "take ♥", "take NT", "120 ♥", "400 AT Capot", "counter", "no counter", "play"]
CARDS = [Card("9", "s"), Card("K", "h"), Card("T", "d"), Card("H", "c")]

READ = """
const read = (part) => {
  if (Array.isArray(part)) return part.map(read);
  if (part === null || typeof part !== "object") return part === null ? undefined : part;
  if ("number" in part && Object.keys(part).length === 1) return Number(part.number);
  const made = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, read(value)]));
  if (made.estimates) made.estimate = (name, option) => made.estimates[`${name} ${option}`];
  return made;
};
"""


def evaluate(expression: str, cases: list[Any], language: str = "en") -> Any:
    """Return an expression of `each` with the page's words, for each of some arguments."""
    functions = write_functions(read_templates())
    scripts = write_constants() + functions + read_scripts(*LANGUAGE, "estimate.js", "words.js")
    scripts += f"{READ}speak({json.dumps(language)});\n"
    return run_in_node(
        scripts, f"read(given).map((each) => {expression})", [write(each) for each in cases]
    )


def write(value: Any) -> Any:
    """Return an argument of a macro or a filter as JSON, which knows neither NaN nor cards."""
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, RankedOption):
        return {**value._asdict(), "lead": write(value.lead), "is_tied": value.is_tied}
    if isinstance(value, Estimate):
        return {name: write(getattr(value, name)) for name in ("value", "low", "high")}
    if isinstance(value, SimpleNamespace):
        return {name: write(part) for name, part in vars(value).items() if not callable(part)}
    if isinstance(value, dict):
        return {name: write(part) for name, part in value.items()}
    if isinstance(value, list):
        return [write(each) for each in value]
    return {"number": str(value).replace("inf", "Infinity")} if isinstance(value, float) else value


def draw_number(rng: np.random.Generator) -> float:
    """Return a number of any size, often one that lies between two decimals."""
    number = float(rng.normal() * 10 ** rng.uniform(-4, 4))
    return round(number * 8) / 8 if rng.random() < 0.3 else number


def draw_points(rng: np.random.Generator) -> Estimate:
    """Return a mean: without an interval, with an infinite one, or with one of any width."""
    value, half = draw_number(rng), abs(draw_number(rng)) * 10 ** rng.uniform(-3, 0)
    edges = [0.0, 5.0, 0.5, 0.05, 0.005, math.nan, math.inf]
    half = float(rng.choice(edges)) if rng.random() < 0.4 else half
    return Estimate(value, value - half, value + half, 100)


def draw_share(rng: np.random.Generator) -> Estimate:
    """Return a share, often near 0 or 1, with an interval or without."""
    value = float(
        rng.choice([rng.random(), 10 ** rng.uniform(-6, 0), 0.0, 0.5, round(rng.random(), 3)])
    )
    value = 1 - value if rng.random() < 0.5 else value
    if rng.random() < 0.2:
        return Estimate(value, math.nan, math.nan, 100)
    width = 10 ** rng.uniform(-5, -0.5)
    low, high = value - width * rng.random(), value + width * rng.random()
    return Estimate(value, max(0.0, low), min(1.0, high), 100)


_ARGUMENTS: dict[str, list[float]] = {
    "chance": [], "brief_share": [], "percent": [], "tenths": [],
    "size": [], "whole": [], "rest": [0.75], "rounded": [600], "half": [600],
    "mean": [600], "gap": [600],
}  # fmt: skip
"""The filters of numbers, with what they get besides them."""


def name_parts(result: str | Estimate) -> str | dict[str, float | None]:
    """Return what a filter made as it comes from node: estimates by name, None for no number."""
    if isinstance(result, str):
        return result
    parts = zip(("value", "low", "high"), result[:3], strict=True)
    return {name: part if math.isfinite(part) else None for name, part in parts}


@needs_node
@pytest.mark.parametrize("name", _ARGUMENTS)
def test_filters_give_the_same_digits(name: str) -> None:
    rng = np.random.default_rng(1)
    is_share = name in ("chance", "brief_share")
    cases: list[Any] = [(draw_share if is_share else draw_points)(rng) for _ in range(5000)]
    if name in ("whole", "tenths"):
        cases = [abs(each.value) for each in cases]
    arguments = _ARGUMENTS[name]
    found = evaluate(f"FILTERS.{name}(each, ...{json.dumps(arguments)})", cases)
    assert found == [name_parts(FILTERS[name](each, *arguments)) for each in cases]


@needs_node
@pytest.mark.parametrize("unit", ["points", "share"])
def test_cells_of_the_table_have_the_same_digits(unit: Any) -> None:
    rng = np.random.default_rng(2)
    cases = [(draw_share if unit == "share" else draw_points)(rng) for _ in range(5000)]
    found = evaluate(f"formatCell(each, {json.dumps(unit == 'share')})", cases)
    assert found == [str(format_symmetric(each, unit)) for each in cases]


@needs_node
def test_filters_of_text() -> None:
    for name, arguments in (
        ("capital", [["taking ♥"], ["120 ♥"]]),
        ("card", [[card] for card in CARDS]),
        ("sign", [[card] for card in CARDS]),
        ("listed", [[["a"], "or"], [["a", "b"], "or"], [["a", "b", "c"], "and"]]),
    ):
        found = evaluate(f"FILTERS.{name}(...each)", [list(each) for each in arguments])
        assert found == [FILTERS[name](*each) for each in arguments]


def draw_odds(rng: np.random.Generator, kind: str, names: list[str]) -> Any:
    """Return odds with random numbers, as the macros see them."""
    estimates = {
        f"{name} {option}": draw_share(rng) if name.endswith("_share") else draw_points(rng)
        for name in (
            "value", "value_if_not_countered", "win_share", "own_contract_share", "passed_share",
            "own_made_share", "own_countered_share", "game_share",
        )
        for option in range(len(names))
    }  # fmt: skip
    game = SimpleNamespace(own_scores=[640, 880])
    return SimpleNamespace(
        kind=kind,
        estimates=estimates,
        estimate=lambda name, option: estimates[f"{name} {option}"],
        options=[{"contract": "h" if rng.random() < 0.5 else ""} for _ in names],
        rules=SimpleNamespace(
            team_count=int(rng.choice([2, 3])), score_sign=int(rng.choice([1, -1]))
        ),
        max_points=600,
        measures=SimpleNamespace(game=game if rng.random() < 0.5 else None),
        is_exact=bool(rng.random() < 0.3),
        uses_plays=bool(rng.random() < 0.5),
        stop_text=str(rng.choice(["", "the opener's pass is rare."])),
        effective_sample_size=float(rng.choice([9.4, 99.6, 2500.0])),
    )


def draw_arguments(rng: np.random.Generator) -> Iterator[tuple[str, list[Any]]]:
    """Yield macros with arguments that odds may give them."""
    kind = str(rng.choice(["call", "card"]))
    names = [FILTERS["card"](card) for card in CARDS] if kind == "card" else CALLS
    names = [str(name) for name in rng.permutation(names)]
    odds = draw_odds(rng, kind, names)
    best, *others = (RankedOption(at, name, draw_points(rng)) for at, name in enumerate(names))
    others = others[: int(rng.choice([0, 1, 2, len(others)]))]
    tied = others if rng.random() < 0.5 else others[:1]
    rival = others[0] if others and rng.random() < 0.3 else None
    flag = bool(rng.random() < 0.5)
    are_equal = bool(rng.random() < 0.3)
    yield "decision", [odds, best, others, rival, tied if flag else [], are_equal]
    if odds.measures.game:
        yield "game_decision", [odds, best, others, rival, tied if flag else [], are_equal]
    yield "points_decision", [odds, best, rival]
    yield "hint", [odds, flag]
    yield "ended_early", [odds]
    yield "waiting", []
    yield (
        "errors",
        [
            [f"the {name}'s pass" for name in ("opener", "2nd", "3rd", "4th", "5th")][
                : len(others)
            ],
            kind,
        ],
    )
    high = [["9♥", draw_share(rng), draw_share(rng)], ["8♥", draw_share(rng), draw_share(rng)]]
    yield "high_trumps", [high[: len(others)]]
    yield "left_out", [odds, len(others), abs(draw_number(rng))]
    if others and kind == "call":
        yield "counters", [odds, best, others[0]]
        passing = best._replace(name="pass")
        pair = (
            (passing, others[0]) if flag else (others[0], passing._replace(lead=draw_points(rng)))
        )
        yield "against_pass", [odds, *pair]
    if others and kind == "card":
        yield "card_reason", [best, others[0], str(rng.choice(["", "wins the trick"]))]


def list_texts(names: Iterable[str]) -> Iterator[str]:
    tree = Environment().parse(read_templates())
    for macro in tree.find_all(nodes.Macro):
        if macro.name in names:
            yield from (" ".join(each.data.split()) for each in macro.find_all(nodes.TemplateData))


def draw_cases() -> list[tuple[str, list[Any]]]:
    """Return macros with arguments until all that they say is said."""
    rng = np.random.default_rng(3)
    cases = [each for _ in range(500) for each in draw_arguments(rng)]
    return cases + [
        ("reason", [reason.name.lower(), *pair, points])
        for reason in card_reasons.Reason
        for pair in permutations(CARDS, 2)
        for points in (-7, 12)
    ]


@needs_node
def test_sentences_are_the_same() -> None:
    cases = draw_cases()
    found = evaluate("say(each[0], ...each[1])", [list(case) for case in cases])
    modules = {"reason": card_reasons.__name__}
    expected = [
        say(modules.get(name, screen.__name__), name, *arguments) for name, arguments in cases
    ]
    assert found == expected
    # Nothing that the page may say is left out.
    said = "\n".join(expected)
    functions = write_functions(read_templates())
    macros = re.findall(r"^  (\w+)\(.*\) \{$", functions, re.MULTILINE)
    assert len(macros) > 9
    assert [text for text in list_texts(macros) if text not in said] == []


@needs_node
def test_french_sentences_have_the_same_digits() -> None:
    cases = [list(case) for case in draw_cases()]
    english, french = (
        evaluate("say(each[0], ...each[1])", cases, language) for language in ("en", "fr")
    )
    english_words = re.compile(r"\b(the|of|with|you|is|points? less|rounds?)\b")
    for sentence, twin in zip(english, french, strict=True):
        if "'s pass" in sentence:  # Made by the test.
            continue
        assert list_numbers(sentence) == list_numbers(twin), twin
        assert not english_words.search(twin), twin


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("{% for each in a %}{{ each }}{% endfor %}", "For"),
        ("{{ a ** 2 }}", "Pow"),
        ("{{ b }}", "Name"),
        ("{{ a.upper() }}", "Call"),
        ("{{ a | join(sep=b) }}", "Filter"),
        ("{{ 1 < a < 3 }}", "Compare"),
        ("{{ a or 1 }}", "Or"),
    ],
)
def test_unknown_syntax_ends_the_build(template: str, what: str) -> None:
    macro = f"{{% macro say(a) %}}\n{template}{{% endmacro %}}"
    with pytest.raises(UnknownSyntaxError, match=f"line 2: {what}"):
        write_functions(macro, ["say"])


@needs_node
def test_a_search_of_the_page_ends_after_as_many_hands_as_one_of_the_package() -> None:
    samplers: dict[str, type[Sampler]] = {"call": KqjCallSampler, "card": KqjCardSampler}
    cases = []
    for kind, sampler in samplers.items():
        for deals in (0, 5):
            least = sampler.max_hands + deals * sampler.max_hands // 1024
            cases += [
                {"kind": kind, "found": deals, "hands": hands, "asked": [hands, deals]}
                for hands in (least - 1, least)
            ]

    def ends(case: dict[str, Any]) -> bool:
        search = Search(1, max_hands=samplers[case["kind"]].max_hands)
        try:
            search.finish_chunk(np.array([case["asked"]]), case["found"])
        except SearchEnded:
            return True
        return False

    found = evaluate("Object.assign(Object.create(Odds.prototype), each).isSearched", cases)
    assert found == [ends(case) for case in cases] == 4 * [False, True]
