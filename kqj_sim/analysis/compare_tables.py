"""Tables of a comparison: leads, what each policy does, and the deals on which they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kqj_sim.analysis.compare import Comparison, PolicyPair
from kqj_sim.analysis.games import get_analyzed_game
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.tables import Table, TableRow, Unit, make_table


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
    ]
    return tables if comparison.games else [*tables, _make_largest_leads_table(comparison)]


def get_lead_unit(comparison: Comparison) -> tuple[Unit, float]:
    """Return the unit of leads and their divisor: games won are shares."""
    return ("share", 100.0) if comparison.games else ("points", 1.0)


def describe_lead_unit(comparison: Comparison) -> str:
    """Return the unit of leads in terms."""
    return "share of the games won" if comparison.games else "points a round"


def _make_ranking_table(comparison: Comparison) -> Table:
    """Return the ranking; policies that none is significantly better than have rank 1."""
    unit, divisor = get_lead_unit(comparison)
    lines: list[TableRow] = [
        (
            (comparison.count_better(policy) + 1, comparison.names[policy]),
            "mean lead over the others",
            unit,
            comparison.estimate_mean_lead(policy).scaled(1 / divisor),
        )
        for policy in comparison.ranking
    ]
    note = "Rank: one more than the number of policies shown better."
    title = f"Ranking ({describe_lead_unit(comparison)})"
    return make_table("ranking", title, ("rank", "policy"), lines, note)


def _make_matrix_table(comparison: Comparison) -> Table:
    """Return the leads of each policy over each, in the order of the ranking, NaN over itself."""
    unit, divisor = get_lead_unit(comparison)
    lines: list[TableRow] = []
    for one in comparison.ranking:
        for other in comparison.ranking:
            lead = Estimate(math.nan, math.nan, math.nan, 0)
            if one != other:
                lead = comparison.lead(one, other).scaled(1 / divisor)
            over = f"over {comparison.names[other]}"
            lines.append(((comparison.names[one],), over, unit, lead))
    title = f"Each against each: lead of the row ({describe_lead_unit(comparison)})"
    return make_table("matrix", title, ("policy",), lines, counted=False)


def _make_pair_table(comparison: Comparison) -> Table:
    """Return the lead and the relative efficiency of each pair."""
    unit, divisor = get_lead_unit(comparison)
    lines: list[TableRow] = []
    what = "games" if comparison.games else "deals"
    for pair in comparison.pairs:
        group = (*_get_pair_names(comparison, pair), pair.verdict)
        lines.append((group, "lead", unit, pair.lead.scaled(1 / divisor)))
        worth = Estimate(pair.relative_efficiency, math.nan, math.nan, pair.tally.deals)
        lines.append((group, f"worth in independent {what}", "count", worth))
    title = f"Lead of the first over the second ({describe_lead_unit(comparison)})"
    return make_table("pairs", title, ("policy", "other", "shown"), lines)


def _get_pair_names(comparison: Comparison, pair: PolicyPair) -> tuple[str, str]:
    """Return the names of the two policies."""
    return comparison.names[pair.one], comparison.names[pair.other]


def _make_breakdown_table(comparison: Comparison) -> Table:
    """Return takes, contracts, points and bonuses of each policy."""
    between = len(comparison.names) > 2 and comparison.opponents is None
    groups = ("policy", "against") if between else ("policy",)
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        own = [pair for pair in comparison.pairs if policy in (pair.one, pair.other)]
        if not between:
            # Against a field a policy plays the same deals in all its pairs.
            own = sorted(own, key=lambda pair: -pair.tally.deals)[:1]
        for pair in own:
            side = 0 if policy == pair.one else 1
            group = (name, _get_pair_names(comparison, pair)[1 - side]) if between else (name,)
            count = _list_game_estimates if comparison.games else _list_round_estimates
            lines += [(group, *line) for line in count(pair, side)]
    if comparison.games:
        return make_table("why", "What each did, a game", groups, lines)
    note = get_analyzed_game(comparison.rules.game).terms.note
    return make_table("why", "What each did, a round", groups, lines, note)


def _list_round_estimates(pair: PolicyPair, side: int) -> Iterator[tuple[str, Unit, Estimate]]:
    plan, tally, divisor = pair.plan, pair.tally, pair.match.lead_divisor
    rounds = len(pair.match.list_sides(side))
    terms = get_analyzed_game(pair.match.rules.game).terms
    yield (
        f"{terms.takes}, share of rounds",
        "share",
        plan.estimate_share(tally, f"{side} takes", rounds),
    )
    made = plan.estimate_ratio(tally, f"{side} made", f"{side} takes", rounds)
    yield f"{terms.made}, share of {terms.contracts}", "share", made
    for name in ("won", "lost", "defended", "bonuses", "score"):
        quantity = getattr(terms, name)
        if quantity:
            yield quantity, "points", plan.estimate_mean(tally, f"{side} {name}", divisor)
    yield (
        "passed out, share of rounds",
        "share",
        plan.estimate_share(tally, f"{side} passed_out", rounds),
    )


def _list_game_estimates(pair: PolicyPair, side: int) -> Iterator[tuple[str, Unit, Estimate]]:
    plan, tally, divisor = pair.plan, pair.tally, pair.match.lead_divisor
    yield "games won, share", "share", plan.estimate_share(tally, f"{side} wins", divisor)
    yield "final score", "points", plan.estimate_mean(tally, f"{side} score", divisor)
    rounds = len(pair.match.list_sides(side))
    yield "rounds of a game", "rounds", plan.estimate_mean(tally, f"{side} rounds", rounds)


def _make_difference_table(comparison: Comparison) -> Table:
    """Return the share of deals with a difference, and the mean lead in these."""
    unit, divisor = get_lead_unit(comparison)
    several = len(comparison.pairs) > 1
    lines: list[TableRow] = []
    what = "games" if comparison.games else "deals"
    for pair in comparison.pairs:
        group = _get_pair_names(comparison, pair) if several else ()
        differs = pair.plan.estimate_share(pair.tally, "differs", 1)
        lines.append((group, f"{what} in which they differ, share", "share", differs))
        lead = pair.plan.estimate_ratio(pair.tally, "lead", "differs")
        lead = lead.scaled(pair.points_per_lead / divisor / pair.match.lead_divisor)
        lines.append((group, f"lead of the first in these {what}", unit, lead))
    title = "Where they differ"
    note = (
        "A game differs if its rounds or scores do."
        if comparison.games
        else "A deal differs if anything was said or played otherwise."
    )
    groups = ("policy", "other") if several else ()
    return make_table("where", title, groups, lines, note)


def _make_largest_leads_table(comparison: Comparison) -> Table:
    """Return the deals with the largest leads; of several pairs the first of each."""
    several = len(comparison.pairs) > 1
    lines: list[TableRow] = []
    for pair in comparison.pairs:
        for deal, lead in pair.tally.largest_leads[: 1 if several else None]:
            value = lead / pair.match.lead_divisor
            group = (*(_get_pair_names(comparison, pair) if several else ()), deal)
            lines.append((group, "lead", "points", Estimate(value, math.nan, math.nan, 1)))
    groups = ("policy", "other", "deal") if several else ("deal",)
    title = f"Largest differences: lead of {'the first' if several else comparison.names[0]}"
    return make_table("largest", title, groups, lines, counted=False)
