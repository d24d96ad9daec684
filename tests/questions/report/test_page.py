"""Reports: what views name exists; extremes that are shown; shares of all and none in words."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import pytest

from kqj_sim.games import GAMES
from kqj_sim.games.kqj.report import describe_amounts, find_facts
from kqj_sim.output.chapters import WHOLE_GAMES, Chapter, Dots, HeatMap, Numbers, find_extremes
from kqj_sim.output.grid import NO_INTERVAL, format_number
from kqj_sim.output.sentences import load_sentences
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.report import page
from kqj_sim.questions.report.page import make_numbers
from kqj_sim.questions.report.play import StudyPlan, run_study
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.stats.intervals import Estimate, estimate_share, make_unbounded

report = load_sentences("kqj_sim.questions.report.page")
kqj = load_sentences("kqj_sim.games.kqj.report")


def _say(words: str) -> str:
    return " ".join(words.split())


@functools.cache
def _find_numbers(game: str) -> list[Numbers]:
    """Return the numbers of short reports that together have all tables of a game."""
    rules: type[GameRules] = GAMES[game].rules
    variants: list[dict[str, Any]] = [{}]
    if game == "kqj":
        variants += [{"partners": "random", "teams": 3}, {"bidding": "auction"}]
    numbers: list[Numbers] = []
    for made in (replace(rules(), **variant) for variant in variants):
        player = parse_player("standard", made.game)
        compared = () if numbers else ("standard", "random", "random+standard")
        plan = StudyPlan(
            Experiment(made, (player,) * made.seats, deals=600), games=5, chart_deals=200,
            compared_policies=tuple(parse_player(each, made.game) for each in compared),
            compared_deals=12,
        )  # fmt: skip
        numbers.append(make_numbers(run_study(plan, Runner())))
    return numbers


CHAPTERS = [(game, chapter) for game in GAMES for chapter in GAMES[game].report().CHAPTERS]


@pytest.mark.parametrize(
    ("game", "chapter"), CHAPTERS, ids=[f"{game}-{chapter.name}" for game, chapter in CHAPTERS]
)
def test_tables_and_quantities_of_a_chapter_exist(game: str, chapter: Chapter) -> None:
    made: dict[str, set[str]] = {}
    for found in _find_numbers(game):
        for table in found.tables:
            made.setdefault(table.name, set()).update(table.quantities)
    random_partners = {"games_by_seat"}
    if any(found.run.rules.partners == "random" for found in _find_numbers(game)):
        random_partners = set()
    assert {*chapter.tables, *chapter.folded, chapter.needs} - {""} - random_partners <= {*made}
    for picture in chapter.pictures:
        if picture.table in random_partners:
            continue
        assert picture.needs in {"", *made}
        asked = (
            {picture.quantity} if isinstance(picture, HeatMap) else {*picture.quantities.values()}
        )
        assert asked <= made[picture.table]
        if isinstance(picture, Dots) and picture.series != "quantity":
            groups = next(
                found.tables_by_name[picture.table].groups
                for found in _find_numbers(game)
                if picture.table in found
            )
            assert picture.series in {"", *groups}


@pytest.mark.parametrize("game", GAMES)
def test_sentences_of_a_chapter_exist(game: str) -> None:
    of = GAMES[game].report()
    macros = load_sentences(GAMES[game].sentences)
    for chapter in of.CHAPTERS:
        if chapter not in (WHOLE_GAMES, page.COMPARED):
            assert all(hasattr(macros, name) for name in chapter.sentences or (chapter.name,))


def test_what_is_said_of_countered_contracts_has_the_base_of_their_share() -> None:
    policy = parse_player("random:bid=.2,counter=.2")
    for teams in (2, 3):
        rules = KqjRules(teams=teams, bidding="auction")
        played = Experiment(rules, (policy,) * 6, deals=2000)
        found = make_numbers(run_study(StudyPlan(played, games=1, chart_deals=1), Runner()))
        stakes = find_facts(found)["stakes"]
        countered = found.estimate("auctions", "countered_share")
        made = found.estimate("contracts", "made_share")
        assert stakes[2].observations == round(countered.value * countered.observations)
        assert stakes[1].observations + stakes[2].observations == made.observations
        assert made.value == pytest.approx(
            (1 - countered.value) * stakes[1].value + countered.value * stakes[2].value
        )


def test_extremes_are_named_where_their_intervals_lie_beyond_all_others() -> None:
    numbers = {"a": Estimate(0.6, 0.5, 0.7, 90), "b": Estimate(0.55, 0.54, 0.56, 9000)}
    assert find_extremes(numbers) == (None, None)
    numbers["c"] = Estimate(0.2, 0.1, 0.3, 90)
    assert find_extremes(numbers) == (None, "c")
    assert find_extremes({"a": numbers["a"]}) == (None, None)


@pytest.mark.parametrize("count, observations, text", [
    (0, 50, "none of the deals"),
    (50, 50, "all deals"),
    (1, 2, "1 of 2 deals"),
    (999_999, 1_000_000, "all but 1 of 1,000,000 deals"),
    (2, 1_000_000, "2 of 1,000,000 deals"),
    (500, 1000, "50.0% ±3.1 of the deals"),
])  # fmt: skip
def test_shares_of_all_and_of_none_are_words(count: int, observations: int, text: str) -> None:
    assert _say(report.part(estimate_share(count, observations), "deals")) == text


@pytest.mark.parametrize("rules, sentence", [
    (KqjRules(), "The contract is made above 0."),
    (KqjRules(bidding="auction"), "made; an announced Capot also needs all eight tricks."),
    (
        KqjRules(bidding="auction", must_outscore=True),
        "contract is made, if the total also exceeds that of the best opponents; an announced "
        "Capot also needs all eight tricks.",
    ),
])  # fmt: skip
def test_a_contract_is_made_by_what_the_rules_ask_for(rules: KqjRules, sentence: str) -> None:
    assert _say(kqj.made(rules)).endswith(sentence)


def test_number_without_an_interval_claims_nothing() -> None:
    few = make_unbounded(12.0, 5)
    assert "tied" in report.lead("One", "two", few, "a round")
    assert str(format_number(few, "points")) == f"12 {NO_INTERVAL}"
    assert str(format_number(Estimate(12, math.nan, math.nan, 5), "points")) == "12"


# Findings of auctions, by what the shares of contracts made show.

NONE = estimate_share(0, 1000)
BY_STAKE = {1: estimate_share(740, 1000), 2: estimate_share(345, 1000)}


@pytest.mark.parametrize(("made", "sentence"), [
    (
        {120: 700, 130: 650, 140: 600},
        "Contracts of every amount bid 30 times or more, up to 140, are made more often "
        "than not.",
    ),
    (
        {120: 700, 130: 650, 140: 510, 150: 300},
        "Contracts up to 130 are made more often than not (65.0% ±3.0 at 130), higher ones not "
        "clearly so.",
    ),
    # Above 130, which is no limit, contracts are made again.
    (
        {120: 540, 130: 500, 140: 670, 150: 650},
        "29.3% ±2.8 of the contracts are countered; 34.5% ±2.9 of the countered ones and "
        "74.0% ±2.7 of the others are made.",
    ),
    ({120: 700}, None),
])  # fmt: skip
def test_a_limit_is_named_only_if_there_is_one(made: dict[int, int], sentence: str | None) -> None:
    numbers = {amount: estimate_share(count, 1000) for amount, count in made.items()}
    found = describe_amounts(numbers, BY_STAKE, estimate_share(293, 1000))
    assert found == ([] if sentence is None else [sentence])


def test_without_counters_the_extremes_are_named_by_their_bounds() -> None:
    # 30 contracts of 150, all failed, are not shown to be worse than 1,000 of 140.
    numbers = {
        120: estimate_share(500, 1000),
        130: estimate_share(400, 1000),
        140: estimate_share(50, 1000),
        150: estimate_share(0, 30),
    }
    assert describe_amounts(numbers, {}, NONE) == [
        "Contracts of 120 are made most often (50.0% ±3.1)."
    ]
    numbers[150] = estimate_share(300, 1000)
    assert describe_amounts(numbers, {}, NONE) == [
        "Contracts of 120 are made most often (50.0% ±3.1), those of 140 least often (5.0% ±1.4)."
    ]
