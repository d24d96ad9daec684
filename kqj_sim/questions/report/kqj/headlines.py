"""The findings of a study of KQJ in a few sentences: what happens, who gains, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.key_figures import capitalize
from kqj_sim.questions.report.chapter import (
    Findings,
    describe_lead,
    describe_share,
    find_extremes,
    format_estimate,
    name_share,
    select_reliable,
)
from kqj_sim.rules import require_kqj_rules
from kqj_sim.stats.intervals import Estimate

_EQUAL_CHANCE = 0.5


class TakeAdvice(NamedTuple):
    """The advice of a take chart.

    Attributes:
        gain: of taking at once against passing, over all hands.
        classes: number of classes of hands with enough deals.
        better: number of classes with which taking gains.
        worse: number of those with which passing does.
        worse_share: share of the hands in these.
        worst: the class with which passing gains most, in words; empty if there is none.
    """

    gain: Estimate
    classes: int
    better: int
    worse: int
    worse_share: float
    worst: str


def read_take_chart(found: Findings) -> TakeAdvice:
    """Return what the take chart of a study says."""
    hands = {
        hand: each
        for hand, each in found.tables["take_chart_by_hand"].estimates("gain_mean").items()
        if each.observations >= MIN_OBSERVATIONS
    }
    worse = {hand: each for hand, each in hands.items() if each.high < 0}
    deals = sum(each.observations for each in hands.values())
    share = sum(each.observations for each in worse.values()) / deals if deals else 0.0
    worst = ""
    if worse:
        tops, trumps, aces = min(worse, key=lambda hand: worse[hand].value)
        highest = f"the {tops.replace(' ', ', ')}" if tops != "none" else "no 9, 8 or 7"
        worst = (
            f"{trumps} trump{'s' * (trumps != 1)} ({highest}) and {'no' if aces == '0' else aces} "
            f"side ace{'s' * (aces != '1')}"
        )
    better = sum(each.low > 0 for each in hands.values())
    gain = found.estimate("take_chart", "gain_mean")
    return TakeAdvice(gain, len(hands), better, len(worse), share, worst)


def write_headlines(found: Findings) -> tuple[str, ...]:
    """Return the findings of a study."""
    if found.estimate("contracts", "made_share").observations == 0:
        return ("Every deal is passed out.",)
    return (_describe_contracts(found), _describe_gains(found), *_give_advice(found))


def _describe_contracts(found: Findings) -> str:
    made = name_share(found.estimate("contracts", "made_share"))
    if "taking" not in found.tables:
        return f"The imposed contract is made in {made} of the deals."
    taken = found.estimate("taking", "taken_share")
    deals = describe_share(taken, "deals", "are taken")
    return f"{deals}, and {made} of the contracts are made."


def _describe_gains(found: Findings) -> str:
    teams = require_kqj_rules(found.rules).teams
    other = "the defending team" if teams == 2 else "each defending team"
    lead = found.estimate("scores", "score_difference_mean")
    return describe_lead("The contracting team", other, lead, "per taken deal")


def _give_advice(found: Findings) -> tuple[str, ...]:
    if "take_chart" in found.tables:
        advice = read_take_chart(found)
        gain = format_estimate(advice.gain, "points")
        if advice.gain.low > 0:
            text = (
                f"For the opener, taking at once with any hand scores {gain} points more than "
                "passing with any hand"
            )
            if advice.worst:
                return (
                    f"{text}; passing gains with {100 * advice.worse_share:.1f}% of the hands, for "
                    f"example with {advice.worst}.",
                )
            return (f"{text}, and no class of hands clearly gains by passing.",)
        if advice.gain.high < 0:
            return (
                f"As opener, wait for a good hand: taking at once with any hand changes your lead "
                f"by {gain} points; it gains with {advice.better} of {advice.classes} classes of "
                "hands.",
            )
        return (
            "Taking at once with any hand and passing are statistically tied for the opener; "
            f"taking gains with {advice.better} of {advice.classes} classes of hands, passing "
            f"with {advice.worse}.",
        )
    if "contracts_by_amount" in found.tables:
        return describe_amounts(
            select_reliable(found.get_estimates("contracts_by_amount", "made_share")),
            select_reliable(found.get_estimates("contracts_by_stake", "made_share")),
            name_share(found.estimate("auctions", "countered_share")),
        )
    return ()


def describe_amounts(
    numbers: Mapping[int, Estimate], stakes: Mapping[int, Estimate], countered: str
) -> tuple[str, ...]:
    """Say up to which amount contracts are made more often than not, or what counters do.

    Args:
        numbers: the share of contracts made, by amount.
        stakes: the same by stake: 1, 2 if countered, 4 if overcountered.
        countered: the share of contracts that are countered.
    """
    if len(numbers) < 2:
        return ()
    amounts = sorted(numbers)
    good = [amount for amount in amounts if numbers[amount].low > _EQUAL_CHANCE]
    if good == amounts:
        return (
            f"Contracts of every amount bid {MIN_OBSERVATIONS} times or more, up to {amounts[-1]}, "
            "are made more often than not.",
        )
    if good and good == amounts[: len(good)]:
        share = format_estimate(numbers[good[-1]], "share")
        return (
            f"Contracts up to {good[-1]} are made more often than not ({share} at {good[-1]}), "
            "higher ones not clearly so.",
        )
    if 1 in stakes and 2 in stakes:
        one, two = (name_share(stakes[stake]) for stake in (1, 2))
        return (
            capitalize(
                f"{countered} of the contracts are countered: {two} of these are made, {one} of "
                "those not countered."
            ),
        )
    best, worst = find_extremes(numbers)
    if best is None:
        return ()
    text = f"Contracts of {best} are made most often ({format_estimate(numbers[best], 'share')})"
    if worst is None:
        return (f"{text}.",)
    return (f"{text}, those of {worst} least often ({format_estimate(numbers[worst], 'share')}).",)
