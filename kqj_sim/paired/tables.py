"""Tables of a comparison: leads, what each policy does, and the deals on which they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from kqj_sim.games import find_game
from kqj_sim.paired.comparison import Comparison, average_jointly
from kqj_sim.paired.leads import Leads
from kqj_sim.stats.intervals import Estimate, make_exact
from kqj_sim.stats.tables import Table, TableRow


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


def make_comparison_tables(comparison: Comparison) -> list[Table]:
    """Return all tables, the answer first.

    Two policies have no ranking and no matrix; games have no largest leads.
    """
    leads, where, efficiency, largest = _make_pair_tables(comparison)
    tables = [leads, _make_breakdown_table(comparison), where, efficiency]
    if comparison.is_ranked:
        tables = [_make_ranking_table(comparison), _make_matrix_table(comparison), *tables]
    if comparison.plan.games:
        return [replace(table, observations="games") for table in tables]
    return [*tables, _make_passed_out_table(comparison), largest]


def _name_lead(comparison: Comparison, name: str) -> str:
    """Return the identifier of a lead: `lead` is `lead_per_round`, of games `lead_share`."""
    return f"{name}_share" if comparison.plan.games else f"{name}_per_round"


def _to_lead(comparison: Comparison, lead: Estimate) -> Estimate:
    """Return a lead as tables have it: those in games won are shares, not per cent."""
    return lead * (0.01 if comparison.plan.games else 1.0)


def _make_pair_tables(comparison: Comparison) -> tuple[Table, Table, Table, Table]:
    """Return the lead in each pair, where the two differ, the efficiency and the largest leads.

    Of several pairs only the largest lead of each.
    """
    game, unit, several = comparison.rules.game, comparison.unit, len(comparison.pairs) > 1
    pairs: list[TableRow] = []
    where: list[TableRow] = []
    efficiency: list[TableRow] = []
    largest: list[TableRow] = []
    lead_name = _name_lead(comparison, "lead")
    for sides, leads in comparison.pairs.items():
        names = comparison.name_pair(sides)
        group = names if several else ()
        pairs.append(((*names, leads.verdict), lead_name, _to_lead(comparison, leads.lead)))
        where += [
            (group, f"differing_{unit}_share", leads.differing_share),
            (group, _name_lead(comparison, "lead_in_differing"), leads.lead_in_differing),
        ]
        factor = make_exact(leads.relative_efficiency, leads.deals)
        efficiency.append((names, "relative_efficiency", factor))
        for deal, lead in leads.tally.largest[: 1 if several else None]:
            value = lead / leads.match.lead_divisor
            row = (*group, deal), "lead_per_round", make_exact(value, 1)
            largest.append(row)
    both = ("policy", "other")
    groups = both if several else ()
    title = f"Relative efficiency: independent {unit}s that are as precise as a {unit} here"
    note = "A game differs if its rounds or scores do." if comparison.plan.games else ""
    first = "the first" if several else comparison.names[0]
    return (
        Table("pairs", "Lead of the policy over the other", (*both, "shown"), pairs, game=game),
        Table("where", "Where they differ", groups, where, note, game=game),
        Table("efficiency", title, both, efficiency, game=game),
        Table(
            "largest", f"Largest differences: lead of {first}", (*groups, "deal"), largest,
            counted=False, game=game,
        ),
    )  # fmt: skip


def _make_ranking_table(comparison: Comparison) -> Table:
    """Return the ranking; policies that none is significantly better than have rank 1."""
    lines: list[TableRow] = []
    for policy in comparison.ranking:
        group = (comparison.count_better(policy) + 1, comparison.names[policy])
        lead = _to_lead(comparison, comparison.estimate_mean_lead(policy))
        lines.append((group, _name_lead(comparison, "mean_lead"), lead))
        pairs = [
            dict(_list_key_shares(comparison.pairs[sides], sides.index(policy)))
            for sides in _choose_pairs(comparison, policy)
        ]
        for quantity in pairs[0]:
            mean = average_jointly([shares[quantity] for shares in pairs])
            lines.append((group, quantity, mean))
    note = "Rank: one more than the number of policies that are significantly better."
    if comparison.opponents is None:
        note += " Means over the matches with each of the others."
    return Table(
        "ranking", "Ranking", ("rank", "policy"), lines, note,
        counted=False, game=comparison.rules.game,
    )  # fmt: skip


def _choose_pairs(comparison: Comparison, policy: int) -> list[tuple[int, int]]:
    """Return the pairs that say what a policy did, by their numbers."""
    pairs = [sides for sides in comparison.pairs if policy in sides]
    if comparison.opponents is None:
        return pairs
    # Against the same opponents a policy plays the same deals in all its pairs.
    return sorted(pairs, key=lambda sides: -comparison.pairs[sides].deals)[:1]


def _make_matrix_table(comparison: Comparison) -> Table:
    """Return the leads of each policy over each, in the order of the ranking, NaN over itself."""
    lines: list[TableRow] = []
    for one, other in product(comparison.ranking, repeat=2):
        lead = make_exact(math.nan, 0)
        if one != other:
            lead = _to_lead(comparison, comparison.lead(one, other))
        names = comparison.name_pair((one, other))
        lines.append((names, _name_lead(comparison, "lead"), lead))
    unit = "share of the games" if comparison.plan.games else "points a round"
    title = f"Lead of the row over the column ({unit})"
    return Table(
        "matrix", title, ("policy", "other"), lines,
        counted=False, spread="other", game=comparison.rules.game,
    )  # fmt: skip


def _make_breakdown_table(comparison: Comparison) -> Table:
    between = len(comparison.names) > 2 and comparison.opponents is None
    groups = ("policy", "against") if between else ("policy",)
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        for sides in _choose_pairs(comparison, policy):
            side = sides.index(policy)
            group = (name, comparison.name_pair(sides)[1 - side]) if between else (name,)
            count = _list_game_estimates if comparison.plan.games else _list_round_estimates
            lines += [(group, *line) for line in count(comparison.pairs[sides], side)]
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
        for sides in _choose_pairs(comparison, policy):
            side = sides.index(policy)
            if between and side == 1:
                continue
            group = comparison.name_pair(sides) if between else (name,)
            share = comparison.pairs[sides].estimate_share(side, "passed_out")
            lines.append((group, "passed_out_round_share", share))
    groups = ("policy", "other") if between else ("policy",)
    return Table("passed_out", "Rounds passed out", groups, lines, game=comparison.rules.game)


def _list_key_shares(leads: Leads, side: int) -> list[tuple[str, Estimate]]:
    """Return the share of games won, or those of rounds taken and contracts made."""
    if leads.match.games:
        return [("won_share", leads.estimate_share(side, "wins"))]
    game = find_game(leads.match.rules.game)
    return [
        (game.taken_share, leads.estimate_share(side, "takes")),
        (game.made_share, leads.estimate_ratio(side, "made", "takes")),
    ]


def _list_round_estimates(leads: Leads, side: int) -> Iterator[tuple[str, Estimate]]:
    game = find_game(leads.match.rules.game)
    yield from _list_key_shares(leads, side)
    for measure, quantity in (
        ("won", game.points_from_made),
        ("lost", game.points_from_failed),
        ("defended", game.points_from_others),
        ("bonuses", game.points_from_bonuses),
        ("score", game.score_points),
    ):
        if quantity:
            yield quantity, leads.estimate_mean(side, measure, leads.match.lead_divisor)


def _list_game_estimates(leads: Leads, side: int) -> Iterator[tuple[str, Estimate]]:
    yield from _list_key_shares(leads, side)
    yield "final_score_mean", leads.estimate_mean(side, "score", leads.match.lead_divisor)
    yield "rounds_mean", leads.estimate_mean(side, "rounds", len(leads.match.arrangements))
