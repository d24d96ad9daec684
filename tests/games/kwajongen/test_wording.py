"""Kwajongen's numbers as people read them: identifiers, group columns, headlines, screens."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen import odds as core
from kqj_sim.games.kwajongen.samplers import CALL_MEASURES, CALL_OPTIONS, KwajongenCallOdds
from kqj_sim.output.group_words import format_heading, format_value
from kqj_sim.positions.estimator import estimate_position
from kqj_sim.positions.odds import Playouts
from kqj_sim.positions.reader import read_typed_position
from kqj_sim.questions.odds.screen import write_headline
from tests.questions.odds.screens import check_screen
from tests.stats.identifiers import FEW, check_identifiers

COMMANDS = {
    "compare": ("compare", "--game", "kwajongen", "random", "standard", *FEW),
    "odds": ("odds", "--game", "kwajongen", "Ah", "Kh", "9s", "Qd", "--return", "Th", *FEW),
    "odds of cards": (
        "odds", "--game", "kwajongen", "Js", "As", "Qd", "Kd", "--return", "Jc",
        "--heard", "pass play", "--played", "Ts Kc", *FEW,
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_every_command_writes_identifiers_with_headings(words: tuple[str, ...]) -> None:
    check_identifiers("kwajongen", *words)


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("trump", "s", "♠"),
        ("place", 3, "dealer"),
        ("contracting_score", -1, "-1"),
        ("raised", 1, "yes"),
    ],
)
def test_values_of_groups_are_words(column: str, value: object, shown: str) -> None:
    assert format_value(column, value, "kwajongen") == shown


def test_headings_of_groups_are_words() -> None:
    assert format_heading("sender_trumps", "kwajongen") == "caller's trumps"


def test_headline_of_odds_is_the_decision() -> None:
    deals = 1000
    odds = KwajongenCallOdds(
        measures=CALL_MEASURES, rules=KwajongenRules(), players=(), seed=1, options=CALL_OPTIONS,
        option_count=2, position=cast(Any, None),
    )  # fmt: skip
    outcomes = np.zeros((2, deals, core.OUTCOME_SIZE), dtype=np.int16)
    # Passing costs a point, playing two.
    outcomes[:, :, core.OWN_SCORE] = np.array([[1], [2]])
    hands, counts = np.zeros((4, deals), dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    odds.add(Playouts(deals, np.ones(deals), outcomes, hands, counts))
    odds.order = (0, 1)
    told = "Pass: you win 0% of the rounds and lose 1 points to the opponents"
    assert " / ".join(write_headline(odds)).startswith(told)


def test_odds_fit_a_screen() -> None:
    rules = KwajongenRules()
    position = read_typed_position("Ah Kh 9s Ts", rules, return_card="Jh", place=1, pending=1)
    check_screen(estimate_position(position, "random", deals=512))
