"""A comparison as tables: who leads whom, why, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kqj_sim.analysis.comparison import Comparison, Pair
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.table import Line, Table, Unit, make_table
from kqj_sim.analysis.words import WORDS


def comparison_tables(comparison: Comparison) -> list[Table]:
    """All tables, the answer first.

    With two policies there is neither ranking nor matrix; of games none differs more than others.
    """
    several = len(comparison.names) > 2 and not comparison.interrupted
    tables = [_ranking(comparison), _matrix(comparison)] if several else []
    tables += [_pairs(comparison), _why(comparison), _where(comparison)]
    return tables if comparison.games else [*tables, _largest(comparison)]


def unit_of(comparison: Comparison) -> tuple[Unit, float]:
    """The unit of leads, and what they are divided by: games won are shares."""
    return ("share", 100.0) if comparison.games else ("points", 1.0)


def per(comparison: Comparison) -> str:
    """What leads are, in words."""
    return "share of the games won" if comparison.games else "points a round"


def _ranking(comparison: Comparison) -> Table:
    """Rank 1 has everybody whom nobody is shown better than."""
    unit, divisor = unit_of(comparison)
    lines: list[Line] = [
        (
            (comparison.better(policy) + 1, comparison.names[policy]),
            "mean lead over the others",
            unit,
            comparison.mean_lead(policy).scaled(1 / divisor),
        )
        for policy in comparison.ranking
    ]
    note = "Rank: one more than the number of policies shown better."
    title = f"Ranking ({per(comparison)})"
    return make_table("ranking", title, ("rank", "policy"), lines, note)


def _matrix(comparison: Comparison) -> Table:
    """Rows and columns in the order of the ranking; nothing (NaN) over oneself."""
    unit, divisor = unit_of(comparison)
    lines: list[Line] = []
    for one in comparison.ranking:
        for other in comparison.ranking:
            lead = Estimate(math.nan, math.nan, math.nan, 0)
            if one != other:
                lead = comparison.lead(one, other).scaled(1 / divisor)
            over = f"over {comparison.names[other]}"
            lines.append(((comparison.names[one],), over, unit, lead))
    title = f"Each against each: lead of the row ({per(comparison)})"
    return make_table("matrix", title, ("policy",), lines, counted=False)


def _pairs(comparison: Comparison) -> Table:
    unit, divisor = unit_of(comparison)
    lines: list[Line] = []
    what = "games" if comparison.games else "deals"
    for pair in comparison.pairs:
        group = (*_names(comparison, pair), pair.verdict)
        lines.append((group, "lead", unit, pair.lead.scaled(1 / divisor)))
        worth = Estimate(pair.factor, math.nan, math.nan, pair.sums.deals)
        lines.append((group, f"worth in independent {what}", "count", worth))
    title = f"Lead of the first over the second ({per(comparison)})"
    return make_table("pairs", title, ("policy", "other", "shown"), lines)


def _names(comparison: Comparison, pair: Pair) -> tuple[str, str]:
    return comparison.names[pair.one], comparison.names[pair.other]


def _why(comparison: Comparison) -> Table:
    """Takes, contracts, points and bonuses of each policy."""
    between = len(comparison.names) > 2 and comparison.field is None
    groups = ("policy", "against") if between else ("policy",)
    lines: list[Line] = []
    for policy, name in enumerate(comparison.names):
        own = [pair for pair in comparison.pairs if policy in (pair.one, pair.other)]
        if not between:
            # Against a field a policy plays the same deals in all its pairs.
            own = sorted(own, key=lambda pair: -pair.sums.deals)[:1]
        for pair in own:
            side = 0 if policy == pair.one else 1
            group = (name, _names(comparison, pair)[1 - side]) if between else (name,)
            count = _of_games if comparison.games else _of_rounds
            lines += [(group, *line) for line in count(pair, side)]
    if comparison.games:
        return make_table("why", "What each did, a game", groups, lines)
    note = WORDS[comparison.rules.game].note
    return make_table("why", "What each did, a round", groups, lines, note)


def _of_rounds(pair: Pair, side: int) -> Iterator[tuple[str, Unit, Estimate]]:
    plan, sums, scale = pair.plan, pair.sums, pair.contest.scale
    rounds = len(pair.contest.seats(side))
    words = WORDS[pair.contest.rules.game]
    yield f"{words.takes}, share of rounds", "share", plan.share(sums, f"{side} takes", rounds)
    made = plan.ratio(sums, f"{side} made", f"{side} takes", rounds)
    yield f"{words.made}, share of {words.contracts}", "share", made
    for name in ("won", "lost", "defended", "bonuses", "score"):
        quantity = getattr(words, name)
        if quantity:
            yield quantity, "points", plan.mean(sums, f"{side} {name}", scale)
    yield "passed out, share of rounds", "share", plan.share(sums, f"{side} passed_out", rounds)


def _of_games(pair: Pair, side: int) -> Iterator[tuple[str, Unit, Estimate]]:
    plan, sums, scale = pair.plan, pair.sums, pair.contest.scale
    yield "games won, share", "share", plan.share(sums, f"{side} wins", scale)
    yield "final score", "points", plan.mean(sums, f"{side} score", scale)
    rounds = len(pair.contest.seats(side))
    yield "rounds of a game", "rounds", plan.mean(sums, f"{side} rounds", rounds)


def _where(comparison: Comparison) -> Table:
    """How often the two did anything different, and what that was worth."""
    unit, divisor = unit_of(comparison)
    several = len(comparison.pairs) > 1
    lines: list[Line] = []
    what = "games" if comparison.games else "deals"
    for pair in comparison.pairs:
        group = _names(comparison, pair) if several else ()
        differs = pair.plan.share(pair.sums, "differs", 1)
        lines.append((group, f"{what} in which they differ, share", "share", differs))
        lead = pair.plan.ratio(pair.sums, "lead", "differs")
        lead = lead.scaled(pair.points / divisor / pair.contest.scale)
        lines.append((group, f"lead of the first in these {what}", unit, lead))
    title = "Where they differ"
    note = (
        "A game differs if its rounds or scores do."
        if comparison.games
        else "A deal differs if anything was said or played otherwise."
    )
    groups = ("policy", "other") if several else ()
    return make_table("where", title, groups, lines, note)


def _largest(comparison: Comparison) -> Table:
    """The deals that are worth most to either; of several pairs the first of each."""
    several = len(comparison.pairs) > 1
    lines: list[Line] = []
    for pair in comparison.pairs:
        for deal, lead in pair.sums.largest[: 1 if several else None]:
            value = lead / pair.contest.scale
            group = (*(_names(comparison, pair) if several else ()), deal)
            lines.append((group, "lead", "points", Estimate(value, math.nan, math.nan, 1)))
    groups = ("policy", "other", "deal") if several else ("deal",)
    title = f"Largest differences: lead of {'the first' if several else comparison.names[0]}"
    return make_table("largest", title, groups, lines, counted=False)
