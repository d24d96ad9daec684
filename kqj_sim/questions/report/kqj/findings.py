"""The findings of a report of KQJ: its headlines, and what its sentences say besides numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.numbers import Numbers, find_extremes
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate, estimate_share

_EQUAL_CHANCE = 0.5


class TakeAdvice(NamedTuple):
    """The advice of a take chart.

    Attributes:
        gain: of taking at once against passing, over all hands.
        classes: number of classes of hands with enough deals.
        better: number of classes with which taking gains.
        worse: number of those with which passing does.
        worse_share: share of the hands in these.
        worst: the class with which passing gains most: highest trumps, number of trumps and side
            aces; None if there is none.
    """

    gain: Estimate
    classes: int
    better: int
    worse: int
    worse_share: float
    worst: tuple[str, int, str] | None


class AmountAdvice(NamedTuple):
    """The amounts that are made.

    Attributes:
        made: share of contracts made, by amount.
        highest: the highest amount bid.
        limit: the amount up to which contracts are made more often than not; None if there is none.
        best, worst: the amounts made most and least often; None where it is not shown.
    """

    made: Mapping[int, Estimate]
    highest: int
    limit: int | None
    best: int | None
    worst: int | None


def find_facts(found: Numbers) -> dict[str, Any]:
    """Return what sentences say besides numbers of tables, by name."""
    return {
        "few_asked": _find_few_asked(found),
        "stakes": _find_made_by_stake(found),
        "take_advice": read_take_chart(found) if "take_chart" in found else None,
    }


def _find_few_asked(found: Numbers) -> dict[int, list[str]]:
    """Return by lap the places that were asked too seldom to be drawn."""
    places = name_places(found.run.rules.seats)
    few: dict[int, list[str]] = {}
    for (lap, place), each in found.estimates("take_rate", "takes_share").items():
        if 0 < each.observations < MIN_OBSERVATIONS:
            few.setdefault(lap, []).append(places[place])
    return few


def _select_reliable(shares: Mapping[tuple[Any, ...], Estimate]) -> dict[Any, Estimate]:
    """Return the shares that rest on enough observations, by the value of a group column."""
    return {
        value: each for (value,), each in shares.items() if each.observations >= MIN_OBSERVATIONS
    }


def _find_made_by_stake(found: Numbers) -> dict[int, Estimate]:
    """Return the share of contracts made by stake; the countered ones, 2, hold those of 4, too."""
    by_stake = found.estimates("contracts_by_stake", "made_share")
    countered = [by_stake[stake,] for stake in (2, 4) if (stake,) in by_stake]
    made = sum(round(each.value * each.observations) for each in countered)
    contracts = sum(each.observations for each in countered)
    share = estimate_share(made, contracts, found.run.confidence or DEFAULT_CONFIDENCE)
    return _select_reliable({**by_stake, (2,): share})


def read_take_chart(found: Numbers) -> TakeAdvice:
    """Return what the take chart of a study says."""
    hands = {
        hand: each
        for hand, each in found.estimates("take_chart_by_hand", "gain_mean").items()
        if each.observations >= MIN_OBSERVATIONS
    }
    worse = {hand: each for hand, each in hands.items() if each.high < 0}
    deals = sum(each.observations for each in hands.values())
    share = sum(each.observations for each in worse.values()) / deals if deals else 0.0
    better = sum(each.low > 0 for each in hands.values())
    gain = found.estimate("take_chart", "gain_mean")
    worst: Any = min(worse, key=lambda hand: worse[hand].value, default=None)
    return TakeAdvice(gain, len(hands), better, len(worse), share, worst)


def read_amounts(made: Mapping[int, Estimate]) -> AmountAdvice:
    """Return which amounts are made, by the share of contracts made of each."""
    amounts = sorted(made)
    good = [amount for amount in amounts if made[amount].low > _EQUAL_CHANCE]
    limit = good[-1] if good and good == amounts[: len(good)] else None
    return AmountAdvice(made, amounts[-1], limit, *find_extremes(made))


def write_headlines(found: Numbers, facts: Mapping[str, Any]) -> Sequence[str]:
    """Return the findings: what happens, who gains, what to do."""
    if not found.count("contracts", "made_share"):
        return [say(__name__, "nothing_played")]
    return [
        say(__name__, "contracts_headline", found),
        say(__name__, "lead_headline", found),
        *_give_advice(found, facts),
    ]


def _give_advice(found: Numbers, facts: Mapping[str, Any]) -> Sequence[str]:
    if facts["take_advice"] is not None:
        return [say(__name__, "take_headline", facts["take_advice"])]
    if "contracts_by_amount" not in found:
        return []
    made = _select_reliable(found.estimates("contracts_by_amount", "made_share"))
    countered = found.estimate("auctions", "countered_share")
    return describe_amounts(made, facts["stakes"], countered)


def describe_amounts(
    made: Mapping[int, Estimate], stakes: Mapping[int, Estimate], countered: Estimate
) -> Sequence[str]:
    """Say up to which amount contracts are made more often than not, or what counters do.

    Args:
        made: the share of contracts made, by amount.
        stakes: the same by stake: 1, 2 if countered, overcountered or not, 4 if overcountered.
        countered: the share of contracts that are countered.
    """
    if len(made) < 2:
        return []
    said = say(__name__, "amounts_headline", read_amounts(made), stakes, countered)
    return [said] if said else []
