"""Tables of a comparison: leads, what each policy does, and the deals on which they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from kqj_sim.games import find_game
from kqj_sim.questions.compare.pairs import Comparison, PolicyPair
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow


def make_comparison_tables(comparison: Comparison) -> list[Table]:
    """Return all tables, the answer first.

    Two policies have no ranking and no matrix; games have no largest leads.
    """
    several = len(comparison.names) > 2 and not comparison.interrupted
    tables = [_make_ranking_table(comparison), _make_matrix_table(comparison)] if several else []
    tables += [
        _make_pair_table(comparison),
        _make_breakdown_table(comparison),
        _make_difference_table(comparison),
        _make_efficiency_table(comparison),
    ]
    if comparison.plan.games:
        return [replace(table, observations="games") for table in tables]
    return [*tables, _make_passed_out_table(comparison), _make_largest_leads_table(comparison)]


def list_tables(several: bool, games: bool) -> dict[str, str]:
    """Return the titles of the tables of a comparison, by name."""
    return {
        **({"ranking": "Ranking", "matrix": "Lead of each over each"} if several else {}),
        "pairs": "Lead in each pair",
        "why": "What each did",
        "where": "Where they differ",
        "efficiency": "Relative efficiency of the same deals",
        **({} if games else {"passed_out": "Rounds passed out", "largest": "Largest differences"}),
    }


def get_lead_divisor(comparison: Comparison) -> float:
    """Return the divisor of leads: those in games won are shares."""
    return 100.0 if comparison.plan.games else 1.0


def describe_lead_unit(comparison: Comparison) -> str:
    """Return the unit of leads in words."""
    return "share of the games" if comparison.plan.games else "points a round"


def name_lead(comparison: Comparison, name: str) -> str:
    """Return the identifier of a lead: `lead` is `lead_per_round`, of games `lead_share`."""
    return f"{name}_share" if comparison.plan.games else f"{name}_per_round"


def _make_ranking_table(comparison: Comparison) -> Table:
    """Return the ranking; policies that none is significantly better than have rank 1."""
    divisor = get_lead_divisor(comparison)
    lines: list[TableRow] = []
    for policy in comparison.ranking:
        group = (comparison.count_better(policy) + 1, comparison.names[policy])
        lead = comparison.estimate_mean_lead(policy).scaled(1 / divisor)
        lines.append((group, name_lead(comparison, "mean_lead"), lead))
        found = [dict(_list_key_shares(*each)) for each in _list_sides(comparison, policy)]
        for quantity in found[0]:
            mean = _average_estimates([shares[quantity] for shares in found])
            lines.append((group, quantity, mean))
    note = "Rank: one more than the number of policies that are significantly better."
    if comparison.opponents is None:
        note += " Means over the matches with each of the others."
    return Table(
        "ranking", "Ranking", ("rank", "policy"), lines, note,
        counted=False, game=comparison.rules.game,
    )  # fmt: skip


def _list_sides(comparison: Comparison, policy: int) -> list[tuple[PolicyPair, int]]:
    """Return the pairs of a policy, with the side that it is of each."""
    found = [
        (pair, 0 if policy == pair.one else 1)
        for pair in comparison.pairs
        if policy in (pair.one, pair.other)
    ]
    if comparison.opponents is None:
        return found
    # Against the same opponents a policy plays the same deals in all its pairs.
    return sorted(found, key=lambda each: -each[0].tally.deals)[:1]


def _average_estimates(estimates: list[Estimate]) -> Estimate:
    """Return the mean of estimates whose intervals hold jointly, leaving out those without one."""
    known = [each for each in estimates if not math.isnan(each.value)]
    if not known:
        return estimates[0]
    value, low, high = (sum(each[k] for each in known) / len(known) for k in range(3))
    return Estimate(value, low, high, sum(each.observations for each in known))


def _make_matrix_table(comparison: Comparison) -> Table:
    """Return the leads of each policy over each, in the order of the ranking, NaN over itself."""
    divisor = get_lead_divisor(comparison)
    lines: list[TableRow] = []
    for one in comparison.ranking:
        for other in comparison.ranking:
            lead = Estimate(math.nan, math.nan, math.nan, 0)
            if one != other:
                lead = comparison.lead(one, other).scaled(1 / divisor)
            group = (comparison.names[one], comparison.names[other])
            lines.append((group, name_lead(comparison, "lead"), lead))
    title = f"Lead of the row over the column ({describe_lead_unit(comparison)})"
    return Table(
        "matrix", title, ("policy", "other"), lines,
        counted=False, spread="other", game=comparison.rules.game,
    )  # fmt: skip


def _make_pair_table(comparison: Comparison) -> Table:
    divisor = get_lead_divisor(comparison)
    lines: list[TableRow] = [
        (
            (*_get_pair_names(comparison, pair), pair.verdict),
            name_lead(comparison, "lead"),
            pair.lead.scaled(1 / divisor),
        )
        for pair in comparison.pairs
    ]
    title = "Lead of the policy over the other"
    return Table("pairs", title, ("policy", "other", "shown"), lines, game=comparison.rules.game)


def _make_efficiency_table(comparison: Comparison) -> Table:
    lines: list[TableRow] = [
        (
            _get_pair_names(comparison, pair),
            "relative_efficiency",
            Estimate(pair.relative_efficiency, math.nan, math.nan, pair.tally.deals),
        )
        for pair in comparison.pairs
    ]
    what = "game" if comparison.plan.games else "deal"
    title = f"Relative efficiency: independent {what}s that are as precise as a {what} here"
    return Table("efficiency", title, ("policy", "other"), lines, game=comparison.rules.game)


def _get_pair_names(comparison: Comparison, pair: PolicyPair) -> tuple[str, str]:
    return comparison.names[pair.one], comparison.names[pair.other]


def _make_breakdown_table(comparison: Comparison) -> Table:
    between = len(comparison.names) > 2 and comparison.opponents is None
    groups = ("policy", "against") if between else ("policy",)
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        for pair, side in _list_sides(comparison, policy):
            group = (name, _get_pair_names(comparison, pair)[1 - side]) if between else (name,)
            count = _list_game_estimates if comparison.plan.games else _list_round_estimates
            lines += [(group, *line) for line in count(pair, side)]
    title, note = "What each did, per game", ""
    if not comparison.plan.games:
        title = "What each did, per round"
        note = find_game(comparison.rules.game).comparison_note
    spread = "policy" if len(comparison.names) == 2 else ""
    return Table(
        "why", title, groups, lines, note,
        counted=not spread, spread=spread, game=comparison.rules.game,
    )  # fmt: skip


def _make_passed_out_table(comparison: Comparison) -> Table:
    between = comparison.opponents is None
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        for pair, side in _list_sides(comparison, policy):
            if between and side == 1:
                continue
            group = _get_pair_names(comparison, pair) if between else (name,)
            rounds = len(pair.match.list_sides(side))
            share = pair.plan.estimate_share(pair.tally, f"{side} passed_out", rounds)
            lines.append((group, "passed_out_round_share", share))
    groups = ("policy", "other") if between else ("policy",)
    return Table("passed_out", "Rounds passed out", groups, lines, game=comparison.rules.game)


def _list_key_shares(pair: PolicyPair, side: int) -> list[tuple[str, Estimate]]:
    """Return the share of games won, or those of rounds taken and contracts made."""
    plan, tally = pair.plan, pair.tally
    if pair.match.games:
        return [("won_share", plan.estimate_share(tally, f"{side} wins", pair.match.lead_divisor))]
    game = find_game(pair.match.rules.game)
    rounds = len(pair.match.list_sides(side))
    return [
        (game.taken_share, plan.estimate_share(tally, f"{side} takes", rounds)),
        (game.made_share, plan.estimate_ratio(tally, f"{side} made", f"{side} takes", rounds)),
    ]


def _list_round_estimates(pair: PolicyPair, side: int) -> Iterator[tuple[str, Estimate]]:
    plan, tally, divisor = pair.plan, pair.tally, pair.match.lead_divisor
    game = find_game(pair.match.rules.game)
    yield from _list_key_shares(pair, side)
    for name, quantity in (
        ("won", game.points_from_made),
        ("lost", game.points_from_failed),
        ("defended", game.points_from_others),
        ("bonuses", game.points_from_bonuses),
        ("score", game.score_points),
    ):
        if quantity:
            yield quantity, plan.estimate_mean(tally, f"{side} {name}", divisor)


def _list_game_estimates(pair: PolicyPair, side: int) -> Iterator[tuple[str, Estimate]]:
    plan, tally, divisor = pair.plan, pair.tally, pair.match.lead_divisor
    yield from _list_key_shares(pair, side)
    yield "final_score_mean", plan.estimate_mean(tally, f"{side} score", divisor)
    rounds = len(pair.match.list_sides(side))
    yield "rounds_mean", plan.estimate_mean(tally, f"{side} rounds", rounds)


def _make_difference_table(comparison: Comparison) -> Table:
    divisor = get_lead_divisor(comparison)
    several = len(comparison.pairs) > 1
    lines: list[TableRow] = []
    what = "game" if comparison.plan.games else "deal"
    for pair in comparison.pairs:
        group = _get_pair_names(comparison, pair) if several else ()
        differs = pair.plan.estimate_share(pair.tally, "differs", 1)
        lines.append((group, f"differing_{what}_share", differs))
        lead = pair.plan.estimate_ratio(pair.tally, "lead", "differs")
        lead = lead.scaled(pair.points_per_lead / divisor / pair.match.lead_divisor)
        lines.append((group, name_lead(comparison, "lead_in_differing"), lead))
    note = "A game differs if its rounds or scores do." if comparison.plan.games else ""
    groups = ("policy", "other") if several else ()
    return Table("where", "Where they differ", groups, lines, note, game=comparison.rules.game)


def _make_largest_leads_table(comparison: Comparison) -> Table:
    """Return the deals with the largest leads; of several pairs the first of each."""
    several = len(comparison.pairs) > 1
    lines: list[TableRow] = []
    for pair in comparison.pairs:
        for deal, lead in pair.tally.largest_leads[: 1 if several else None]:
            value = lead / pair.match.lead_divisor
            group = (*(_get_pair_names(comparison, pair) if several else ()), deal)
            lines.append((group, "lead_per_round", Estimate(value, math.nan, math.nan, 1)))
    groups = ("policy", "other", "deal") if several else ("deal",)
    title = f"Largest differences: lead of {'the first' if several else comparison.names[0]}"
    return Table("largest", title, groups, lines, counted=False, game=comparison.rules.game)
