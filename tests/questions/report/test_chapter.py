"""Sentences of reports: extremes that are shown, shares of all and none in words."""

from __future__ import annotations

import math

import pytest

from kqj_sim.output.grid import NO_INTERVAL, format_number
from kqj_sim.questions.report.chapter import (
    describe_lead,
    describe_share,
    find_extremes,
    name_share,
)
from kqj_sim.questions.report.kqj.play_chapters import describe_made
from kqj_sim.rules import KqjRules
from kqj_sim.stats.intervals import Estimate, estimate_share, make_unbounded


def test_extremes_are_named_where_their_intervals_lie_beyond_all_others() -> None:
    numbers = {"a": Estimate(0.6, 0.5, 0.7, 90), "b": Estimate(0.55, 0.54, 0.56, 9000)}
    assert find_extremes(numbers) == (None, None)
    numbers["c"] = Estimate(0.2, 0.1, 0.3, 90)
    assert find_extremes(numbers) == (None, "c")
    assert find_extremes({"a": numbers["a"]}) == (None, None)


@pytest.mark.parametrize("count, observations, text", [
    (0, 50, "None of the deals are taken"),
    (50, 50, "All deals are taken"),
    (999_999, 1_000_000, "All but 1 of 1,000,000 deals are taken"),
    (500, 1000, "50.0% ±3.1 of the deals are taken"),
])  # fmt: skip
def test_shares_of_all_and_of_none_are_words(count: int, observations: int, text: str) -> None:
    assert describe_share(estimate_share(count, observations), "deals", "are taken") == text


def test_shares_of_all_and_of_none_are_words_within_a_sentence() -> None:
    shares = [name_share(estimate_share(count, 5)) for count in (0, 5)]
    assert shares == ["none", "all"]
    assert name_share(estimate_share(500, 1000)) == "50.0% ±3.1"


@pytest.mark.parametrize("rules, sentence", [
    (KqjRules(), "made above 0."),
    (KqjRules(bidding="auction"), "from 0 on, provided that an announced Capot is won."),
    (
        KqjRules(bidding="auction", must_outscore=True),
        "from 0 on, provided that an announced Capot is won, and the total is above the best "
        "opponents'.",
    ),
])  # fmt: skip
def test_a_contract_is_made_by_what_the_rules_ask_for(rules: KqjRules, sentence: str) -> None:
    assert describe_made(rules).endswith(sentence)


def test_number_without_an_interval_claims_nothing() -> None:
    few = make_unbounded(12.0, 5)
    assert "tied" in describe_lead("One", "two", few, "a round")
    assert str(format_number(*few[:3], "points")) == f"12 {NO_INTERVAL}"
    assert str(format_number(12, math.nan, math.nan, "points")) == "12"
