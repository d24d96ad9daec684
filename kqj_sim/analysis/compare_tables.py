"""A comparison as tables: who leads whom, why, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kqj_sim.analysis.compare import COMPARISON_TERMS, Comparison, PolicyPair
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.tables import Table, TableRow, Unit, make_table


def make_comparison_tables(comparison: Comparison) -> list[Table]:
    """All tables, the answer first.

    With two policies there is neither ranking nor matrix; of games none differs more than others.
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
    """The unit of leads, and what they are divided by: games won are shares."""
    return ("share", 100.0) if comparison.games else ("points", 1.0)


def describe_lead_unit(comparison: Comparison) -> str:
    """What leads are, in words."""
    return "share of the games won" if comparison.games else "points a round"


def _make_ranking_table(comparison: Comparison) -> Table:
    """Rank 1 has everybody whom nobody is shown better than."""
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
    """Rows and columns in the order of the ranking; nothing (NaN) over oneself."""
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
    unit, divisor = get_lead_unit(comparison)
    lines: list[TableRow] = []
    what = "games" if comparison.games else "deals"
    for pair in comparison.pairs:
        group = (*_get_pair_names(comparison, pair), pair.verdict)
        lines.append((group, "lead", unit, pair.lead.scaled(1 / divisor)))
        worth = Estimate(pair.relative_efficiency, math.nan, math.nan, pair.sums.deals)
        lines.append((group, f"worth in independent {what}", "count", worth))
    title = f"Lead of the first over the second ({describe_lead_unit(comparison)})"
    return make_table("pairs", title, ("policy", "other", "shown"), lines)


def _get_pair_names(comparison: Comparison, pair: PolicyPair) -> tuple[str, str]:
    return comparison.names[pair.one], comparison.names[pair.other]


def _make_breakdown_table(comparison: Comparison) -> Table:
    """Takes, contracts, points and bonuses of each policy."""
    between = len(comparison.names) > 2 and comparison.field is None
    groups = ("policy", "against") if between else ("policy",)
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        own = [pair for pair in comparison.pairs if policy in (pair.one, pair.other)]
        if not between:
            # Against a field a policy plays the same deals in all its pairs.
            own = sorted(own, key=lambda pair: -pair.sums.deals)[:1]
        for pair in own:
            side = 0 if policy == pair.one else 1
            group = (name, _get_pair_names(comparison, pair)[1 - side]) if between else (name,)
            count = _list_game_estimates if comparison.games else _list_round_estimates
            lines += [(group, *line) for line in count(pair, side)]
    if comparison.games:
        return make_table("why", "What each did, a game", groups, lines)
    note = COMPARISON_TERMS[comparison.rules.game].note
    return make_table("why", "What each did, a round", groups, lines, note)


def _list_round_estimates(pair: PolicyPair, side: int) -> Iterator[tuple[str, Unit, Estimate]]:
    plan, sums, scale = pair.plan, pair.sums, pair.match.scale
    rounds = len(pair.match.seats(side))
    words = COMPARISON_TERMS[pair.match.rules.game]
    yield f"{words.takes}, share of rounds", "share", plan.share(sums, f"{side} takes", rounds)
    made = plan.ratio(sums, f"{side} made", f"{side} takes", rounds)
    yield f"{words.made}, share of {words.contracts}", "share", made
    for name in ("won", "lost", "defended", "bonuses", "score"):
        quantity = getattr(words, name)
        if quantity:
            yield quantity, "points", plan.mean(sums, f"{side} {name}", scale)
    yield "passed out, share of rounds", "share", plan.share(sums, f"{side} passed_out", rounds)


def _list_game_estimates(pair: PolicyPair, side: int) -> Iterator[tuple[str, Unit, Estimate]]:
    plan, sums, scale = pair.plan, pair.sums, pair.match.scale
    yield "games won, share", "share", plan.share(sums, f"{side} wins", scale)
    yield "final score", "points", plan.mean(sums, f"{side} score", scale)
    rounds = len(pair.match.seats(side))
    yield "rounds of a game", "rounds", plan.mean(sums, f"{side} rounds", rounds)


def _make_difference_table(comparison: Comparison) -> Table:
    """How often the two did anything different, and what that was worth."""
    unit, divisor = get_lead_unit(comparison)
    several = len(comparison.pairs) > 1
    lines: list[TableRow] = []
    what = "games" if comparison.games else "deals"
    for pair in comparison.pairs:
        group = _get_pair_names(comparison, pair) if several else ()
        differs = pair.plan.share(pair.sums, "differs", 1)
        lines.append((group, f"{what} in which they differ, share", "share", differs))
        lead = pair.plan.ratio(pair.sums, "lead", "differs")
        lead = lead.scaled(pair.points / divisor / pair.match.scale)
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
    """The deals that are worth most to either; of several pairs the first of each."""
    several = len(comparison.pairs) > 1
    lines: list[TableRow] = []
    for pair in comparison.pairs:
        for deal, lead in pair.sums.largest_leads[: 1 if several else None]:
            value = lead / pair.match.scale
            group = (*(_get_pair_names(comparison, pair) if several else ()), deal)
            lines.append((group, "lead", "points", Estimate(value, math.nan, math.nan, 1)))
    groups = ("policy", "other", "deal") if several else ("deal",)
    title = f"Largest differences: lead of {'the first' if several else comparison.names[0]}"
    return make_table("largest", title, groups, lines, counted=False)
