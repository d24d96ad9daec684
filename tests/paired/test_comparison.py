"""Comparisons of several policies: who is compared, ranked, and taken for the same player."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kqj_sim.games import KQJ
from kqj_sim.paired.comparison import (
    describe_open_parts,
    explain_same_player,
    make_comparison_tables,
)
from kqj_sim.policies import points
from kqj_sim.policies.players import Player, label_players, parse_player
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.stats import quantiles
from tests.comparisons import compare
from tests.runners import WatchedRunner
from tests.variants import AUCTION_2, OTHER_GAMES, TAKE_2

WEAK, STRONG = "random:take=0.1", "random:take=0.1+greedy"
SAME = "random:take=0.1,counter=0.9+greedy"
"""Does the same as STRONG where nobody can counter."""
TAKE = f"take={points.DEFAULTS[2]['take']:g}"


def _parse(*specifications: str) -> list[Player]:
    return [parse_player(specification) for specification in specifications]


def _explain(*specifications: str, rules: GameRules = TAKE_2) -> str:
    policies = _parse(*specifications)
    return explain_same_player(policies, policies, rules)


@pytest.mark.parametrize(("one", "other", "reason"), [
    ("standard", "standard", "`standard` is given twice"),
    ("standard", f"standard:{TAKE}", f"are the same player: {TAKE} is the default"),
    ("learned", KQJ.default_player, "are the same player: `learned` only calls; `network` plays"),
    ("standard:take=41", "standard:take=41.0", "all their parameters are equal"),
])  # fmt: skip
def test_two_specifications_of_one_player_are_explained(one: str, other: str, reason: str) -> None:
    for pair in ((one, other), (other, one), ("greedy", one, other)):
        told = _explain(*pair)
        assert reason in told
        assert f"`{pair[-1]}`" in told


def test_different_players_are_not_taken_for_the_same() -> None:
    assert _explain("standard", "standard:take=41", "greedy") == ""
    assert _explain("points:opening=3", "points", rules=AUCTION_2) == ""


def test_a_file_may_hold_the_player_of_a_specification(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('policy = "standard"\n[parameters]\ntake = 41\n', encoding="utf-8")
    told = _explain(str(path), "standard:take=41")
    assert told.endswith("are the same player: all their parameters are equal")


def test_completed_policies_are_compared() -> None:
    """With --calling both are completed by the same player of the cards."""
    policies = _parse("standard:take=41", "standard:take=42")
    players = _parse("points+greedy", "points+greedy")
    told = explain_same_player(policies, players, KqjRules())
    assert told.endswith("are the same player: all their parameters are equal")


def test_policies_that_fill_one_part_are_named_with_what_fills_the_other() -> None:
    assert describe_open_parts(_parse("points", "standard")) == [
        "`points` only calls; `network` plays for it"
    ]
    assert describe_open_parts(_parse("greedy", "network", "never")) == [
        "`never` only calls; `network` plays for it",
        "`greedy` and `network` only play; `learned` calls for them",
    ]
    assert describe_open_parts(_parse("points+greedy", "standard")) == []


def test_labels_leave_out_long_parameters_and_tell_players_apart() -> None:
    numbers = ",".join(f"number_{k}={k}" for k in range(12))
    one, other = (f"points:{numbers},take={take}+greedy" for take in (41, 43))
    names = [one, "points:take=41+greedy", other, one]
    assert label_players(names) == {
        one: "points:…+greedy",
        "points:take=41+greedy": "points:take=41+greedy",
        other: "points:…+greedy (2)",
    }


def test_files_of_the_same_name_are_numbered(tmp_path: Path) -> None:
    paths = []
    for number, take in enumerate((0.1, 0.2)):
        paths.append(tmp_path / f"{number}.toml")
        text = f'name = "mine"\npolicy = "random"\n[parameters]\ntake = {take}\n'
        paths[-1].write_text(text, encoding="utf-8")
    assert compare(*map(str, paths), deals=10).names == ("mine", "mine (2)")


@pytest.mark.parametrize("games", [False, True])
@pytest.mark.parametrize("plan", [{"deals": 300}, {"max_deals": 300}], ids=["fixed", "watched"])
def test_constant_quantities_have_intervals(plan: dict[str, Any], games: bool) -> None:
    """Shares of nothing and of all, and leads of nothing; none goes beyond what is possible."""
    if games:
        plan = {"games": plan["deals"]} if "deals" in plan else {"games": "auto", **plan}
    comparison = compare(WEAK, STRONG, SAME, rules=KqjRules(target=500), **plan)
    for table in make_comparison_tables(comparison):
        lines = table.frame.dropna(subset="value")
        if table.name not in ("matrix", "largest"):
            measured = lines[lines["unit"] != "count"]
            assert (measured["low"] < measured["high"]).all(), table.name
        shares = lines[(lines["unit"] == "share") & (table.name in ("why", "where"))]
        shares = shares[~shares["quantity"].str.contains("lead")]
        assert shares["low"].ge(0).all() and shares["high"].le(1).all()
    same = comparison.pairs[1, 2]
    assert same.lead.value == 0 and same.lead.low == -same.lead.high < 0
    assert str(comparison.lead(2, 1).value) == "0.0"  # Not -0.0, which tables would show.
    assert same.verdict == "open" and same.tally.distribution == {0: same.deals}
    assert np.isnan(same.relative_efficiency) and same.differing_share[:2] == (0, 0)


@pytest.mark.parametrize("rules", [KqjRules(), KqjRules(teams=3)], ids=["two", "three"])
def test_order_threads_and_chunks_do_not_matter(rules: KqjRules) -> None:
    one = compare(WEAK, STRONG, "greedy", rules=rules, max_deals=1500)
    other = compare("greedy", STRONG, WEAK, rules=rules, max_deals=1500, runner=Runner(threads=2))
    for here, there in np.ndindex(3, 3):
        if here != there:
            assert one.lead(here, there) == other.lead(2 - here, 2 - there)
    assert one.ranking == [2 - policy for policy in other.ranking]


def test_the_intervals_of_several_pairs_hold_together() -> None:
    two = compare(WEAK, STRONG, deals=1200)
    three = compare(WEAK, STRONG, "greedy", deals=1200)
    one, other = (comparison.pairs[0, 1].tally.measures for comparison in (two, three))
    assert np.array_equal(one.sums, other.sums)
    wide, narrow = ((lead.high - lead.low) for lead in (three.lead(0, 1), two.lead(0, 1)))
    expected = quantiles.student_quantile(1199, 1 - 0.05 / 3)
    assert wide / narrow == pytest.approx(expected / quantiles.student_quantile(1199, 0.95))
    mean = three.estimate_mean_lead(1)
    assert mean.value == pytest.approx((three.lead(1, 0).value + three.lead(1, 2).value) / 2)
    assert three.count_better(three.ranking[0]) == 0


def test_a_ranking_puts_whom_nobody_beats_first() -> None:
    comparison = compare(WEAK, STRONG, "never+greedy", deals=3000)
    best = comparison.ranking[0]
    assert all(comparison.lead(best, policy).value > 0 for policy in range(3) if policy != best)


def test_calling_alone_and_playing_alone() -> None:
    calling = compare("random:take=0.2", "never", part="calling", other_part="greedy", deals=60)
    given = ["random:take=0.2+greedy", "never+greedy"]
    assert [player.given for player in calling.players] == given
    assert [*calling.players] == _parse(*given)
    playing = compare("random", "greedy", part="playing", other_part="random:take=0.2", deals=60)
    assert [player.given.split("+")[1] for player in playing.players] == ["random", "greedy"]
    assert playing.players[0].given.startswith("random:take=0.2")
    assert [*playing.players] == _parse("random:take=0.2+random", "random:take=0.2+greedy")


@pytest.mark.parametrize("rules", [*OTHER_GAMES.values()], ids=str)
def test_other_games_have_an_indifference_of_their_own(rules: GameRules) -> None:
    comparison = compare("random", "standard", rules=rules, seed=23)
    (leads,) = comparison.pairs.values()
    assert comparison.plan.indifference < 0.5
    assert leads.verdict == "worse" and leads.deals % rules.seats == 0
    games = compare("random", "standard", rules=rules, games=60)
    assert games.plan.indifference == 0.5 and games.lead(0, 1).value < 0


def test_interrupted_it_gives_what_was_played() -> None:
    comparison = compare(WEAK, STRONG, "greedy", deals=5000, runner=WatchedRunner(lambda: True))
    assert comparison.interrupted and [*comparison.pairs] == [(0, 1)]
    assert 0 < comparison.deals < 5000
