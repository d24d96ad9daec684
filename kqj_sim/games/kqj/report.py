"""The chapters of a report of KQJ, in order, and its key figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kqj_sim.output import chapters
from kqj_sim.output.chapters import KeyFigure, Numbers, find_extremes
from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.sentences import say
from kqj_sim.questions.report.page import COMPARED
from kqj_sim.rules import HALF_OF_POINTS
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE, Estimate, estimate_share

# The findings of a report of KQJ: its headlines, and what its sentences say besides numbers.

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
        limit: the amount up to which contracts are made more often than not; None if there is none.
        best, worst: the amounts made most and least often; None where it is not shown.
    """

    made: Mapping[int, Estimate]
    highest: int
    limit: int | None
    best: int | None
    worst: int | None


def find_facts(numbers: Numbers) -> dict[str, Any]:
    """Return what sentences say besides numbers of tables, by name."""
    asked = numbers.estimates("take_rate", "takes_share").values()
    return {
        "few_asked": any(0 < share.observations < MIN_OBSERVATIONS for share in asked),
        "stakes": _find_made_by_stake(numbers),
        "take_advice": read_take_chart(numbers) if "take_chart" in numbers else None,
    }


def _select_reliable(shares: Mapping[tuple[Any, ...], Estimate]) -> dict[Any, Estimate]:
    """Return the shares that rest on enough observations, by the value of a group column."""
    return {
        value: estimate
        for (value,), estimate in shares.items()
        if estimate.observations >= MIN_OBSERVATIONS
    }


def _find_made_by_stake(numbers: Numbers) -> dict[int, Estimate]:
    """Return the share of contracts made by stake; the countered ones, 2, hold those of 4, too."""
    by_stake = numbers.estimates("contracts_by_stake", "made_share")
    countered = [by_stake[stake,] for stake in (2, 4) if (stake,) in by_stake]
    made = sum(round(estimate.value * estimate.observations) for estimate in countered)
    contracts = sum(estimate.observations for estimate in countered)
    share = estimate_share(made, contracts, numbers.run.confidence or DEFAULT_CONFIDENCE)
    return _select_reliable({**by_stake, (2,): share})


def read_take_chart(numbers: Numbers) -> TakeAdvice:
    """Return what the take chart of a study says."""
    hands = {
        hand: estimate
        for hand, estimate in numbers.estimates("take_chart_by_hand", "gain_mean").items()
        if estimate.observations >= MIN_OBSERVATIONS
    }
    worse = {hand: estimate for hand, estimate in hands.items() if estimate.high < 0}
    deals = sum(estimate.observations for estimate in hands.values())
    share = sum(estimate.observations for estimate in worse.values()) / deals if deals else 0.0
    better = sum(estimate.low > 0 for estimate in hands.values())
    gain = numbers.estimate("take_chart", "gain_mean")
    worst: Any = min(worse, key=lambda hand: worse[hand].value, default=None)
    return TakeAdvice(gain, len(hands), better, len(worse), share, worst)


def read_amounts(made: Mapping[int, Estimate]) -> AmountAdvice:
    """Return which amounts are made, by the share of contracts made of each."""
    amounts = sorted(made)
    good = [amount for amount in amounts if made[amount].low > _EQUAL_CHANCE]
    limit = good[-1] if good and good == amounts[: len(good)] else None
    return AmountAdvice(made, amounts[-1], limit, *find_extremes(made))


def write_headlines(numbers: Numbers, facts: Mapping[str, Any]) -> Sequence[str]:
    """Return the findings: what to do, what happens, who gains."""
    if not numbers.count("contracts", "made_share"):
        return [say(__name__, "nothing_played")]
    return [
        *_give_advice(numbers, facts),
        say(__name__, "contracts_headline", numbers),
        say(__name__, "lead_headline", numbers),
    ]


def _give_advice(numbers: Numbers, facts: Mapping[str, Any]) -> Sequence[str]:
    if facts["take_advice"] is not None:
        return [say(__name__, "take_headline", facts["take_advice"])]
    if "contracts_by_amount" not in numbers:
        return []
    made = _select_reliable(numbers.estimates("contracts_by_amount", "made_share"))
    countered = numbers.estimate("auctions", "countered_share")
    return describe_amounts(made, facts["stakes"], countered)


def describe_amounts(
    made: Mapping[int, Estimate], stakes: Mapping[int, Estimate], countered: Estimate
) -> Sequence[str]:
    """Say up to which amount contracts are made more often than not, or what counters do.

    Args:
        stakes: the share of contracts made, by stake: 1, 2 if countered, overcountered or not, 4 if
            overcountered.
    """
    if len(made) < 2:
        return []
    said = say(__name__, "amounts_headline", read_amounts(made), stakes, countered)
    return [said] if said else []


_MADE = {"made": "made_share"}
_MADE_LABEL = "contracts made, %"
_RESULTS = {result: f"{result}_share" for result in ("made", "litigation", "failed")}

_TAKING_HEAT = chapters.HeatMap(
    "taking_heat",
    "Deals taken, by lap and place of the take.",
    "Deals taken, % of all deals",
    "taking_by_lap_and_place",
    "share_of_deals",
    min_observations=1,
    # What would read 0.0%.
    least=0.0005,
)
_TOTALS = chapters.Distribution(
    "totals",
    "Distribution of the contracting team's total, by result. The dashed line is the threshold.",
    "total of the contracting team",
    "% of taken deals",
    "totals",
    _RESULTS,
    step=10,
    threshold=(float(HALF_OF_POINTS), f"{HALF_OF_POINTS}: half of 246"),
)
_BONUSES = chapters.Dots(
    "bonuses",
    "Taken deals with each bonus, by side, on a logarithmic scale.",
    "% of taken deals, logarithmic",
    "bonuses",
    {
        "last trick": "last_trick_share",
        "KQ": "kq_share",
        "KQJ": "kqj_share",
        "Capot": "capot_share",
    },
    series="side",
    rows=chapters.QUANTITY,
    logarithmic=True,
)

CHAPTERS: tuple[chapters.Chapter, ...] = (
    COMPARED,
    chapters.Chapter(
        "taking",
        "Takes",
        (
            _TAKING_HEAT,
            chapters.Dots(
                "take_rate",
                "Takes, when asked, by place and lap.",
                "takes, when asked, %",
                "take_rate",
                {"takes": "takes_share"},
                series="lap",
            ),
        ),
        ("take_rate",),
        ("taking", "taking_by_lap_and_place", "taking_by_kind", "taking_by_contract"),
        "Players are asked in order from the opener to the dealer, in two laps.",
        ("taking", "few_asked"),
        needs="take_rate",
        needs_play=False,
    ),
    chapters.Chapter(
        "auctions",
        "Bidding",
        (
            chapters.Distribution(
                "amounts",
                "Distribution of the amounts of the last bid.",
                "amount of the last bid",
                "% of taken deals",
                "final_amounts",
                {"last bid": "share_of_taken"},
                step=10,
            ),
            chapters.Dots(
                "made_by_amount",
                "Contracts made, by the amount of the last bid.",
                _MADE_LABEL,
                "contracts_by_amount",
                _MADE,
            ),
        ),
        ("auctions", "contracts_by_stake"),
        (
            "opening_amounts", "final_amounts", "contracts_by_amount", "bids", "capot",
            "taking_by_place", "taking_by_contract",
        ),
        "A deal is taken if anybody bids; its contract is the last bid.",
        ("auctions", "countered"),
        needs="auctions",
        needs_play=False,
    ),
    chapters.Chapter(
        "contracts",
        "Contracts made",
        (
            chapters.Dots(
                "made_by_kind",
                "Contracts made, by kind of contract.",
                _MADE_LABEL,
                "contracts_by_kind",
                _MADE,
            ),
            chapters.Dots(
                "made_by_place",
                "Contracts made, by the Sender's place and lap.",
                _MADE_LABEL,
                "contracts_by_lap_and_place",
                _MADE,
                series="lap",
                needs="take_rate",
            ),
            chapters.Dots(
                "made_by_place",
                "Contracts made, by the Sender's place.",
                _MADE_LABEL,
                "contracts_by_place",
                _MADE,
            ),
        ),
        ("contracts",),
        (
            "contracts_by_contract", "contracts_by_kind", "contracts_by_lap_and_place",
            "contracts_by_place",
        ),
        sentences=("contracts", "kinds"),
    ),
    chapters.Chapter(
        "hands",
        "The Sender's hand",
        (
            chapters.HeatMap(
                "made_by_hand",
                "Contracts in a suit made, by the number of the Sender's trumps and side aces.",
                "Contracts in a suit made, %",
                "contracts_by_sender_trumps_and_aces",
                "made_share",
                upward=True,
            ),
            chapters.Dots(
                "made_by_points",
                "Contracts made, by the card points in the Sender's hand.",
                _MADE_LABEL,
                "contracts_by_sender_points",
                _MADE,
            ),
        ),
        folded=(
            "contracts_by_sender_trumps", "contracts_by_sender_trumps_and_aces",
            "contracts_by_sender_points",
        ),
        note="Counted in the eight cards with which the Sender plays.",
    ),
    chapters.Chapter(
        "totals",
        "The contracting team's total",
        (
            chapters.Distribution(
                "totals",
                "Distribution of the contracting team's total minus what it has to reach, by "
                "result. The dashed line is the threshold.",
                "total minus what it has to reach",
                "% of taken deals",
                "margins",
                _RESULTS,
                step=10,
                threshold=(0.0, "0"),
            ),
            _TOTALS,
        ),
        ("contracting_total",),
        ("contracting_total_by_contract", "totals", "margins"),
        sentences=("totals", "threshold"),
    ),
    chapters.Chapter(
        "take_chart",
        "When to take",
        (
            chapters.HeatMap(
                "take_chart",
                "Gain by taking in points, by highest trumps, number of trumps and side aces; "
                "purple where taking is better, orange where passing is.",
                "",
                "take_chart_by_hand",
                "gain_mean",
                diverging=True,
            ),
            chapters.HeatMap(
                "take_right",
                "Deals in which taking scores more than passing, by highest trumps and number of "
                "trumps.",
                "Taking scores more, % of deals",
                "take_chart_by_trumps",
                "taking_better_share",
            ),
        ),
        ("take_chart",),
        ("take_chart_by_trumps", "take_chart_by_hand"),
        "Once the opener takes the Return's suit; once they pass and the players go on calling. "
        "The gain is that of the opener's first call, against these players: the lead of their "
        "side after taking minus its lead after passing.",
        sample="take_chart",
        sentences=("take_chart", "classes", "worst_class"),
        needs="take_chart",
        needs_play=False,
    ),
    chapters.Chapter(
        "bonuses",
        "Bonuses",
        (
            _BONUSES,
        ),
        folded=("bonuses", "bonuses_by_contract"),
    ),
    chapters.Chapter("litigation", "Litigation", folded=("pending",), needs="pending"),
    chapters.Chapter(
        "gratuities", "Gratuities of three teams", folded=("gratuities",), needs="gratuities",
    ),
    chapters.Chapter(
        "scores", "Scores of a round", tables=("scores",),
        folded=("scores_by_team", "scores_by_seat"),
    ),
    chapters.WHOLE_GAMES,
)  # fmt: skip

_PLAIN_TOTALS = replace(
    _TOTALS, caption="Total of the contracting team, by result.", threshold=None
)

_QUARTILES = chapters.Dots(
    "quartiles",
    "Quartiles of the contracting team's total, by contract.",
    "points",
    "contracting_total_by_contract",
    {
        "lower quartile": "contracting_total_quantile_25",
        "median": "contracting_total_median",
        "upper quartile": "contracting_total_quantile_75",
    },
    series=chapters.QUANTITY,
)

PLOTS: tuple[chapters.Drawn, ...] = (
    # With auctions, and with three teams, there is no single total that makes a contract.
    replace(_PLAIN_TOTALS, needs="auctions"),
    replace(_PLAIN_TOTALS, needs="gratuities"),
    replace(_PLAIN_TOTALS, threshold=_TOTALS.threshold),
    chapters.Dots(
        "taken",
        "Last bids, by place.",
        "% of deals",
        "taking_by_place",
        {"last bid": "share_of_deals"},
        needs="auctions",
    ),
    chapters.Dots(
        "taken",
        "Deals taken, by place and lap of the take.",
        "% of deals",
        "taking_by_lap_and_place",
        {"taken": "share_of_deals"},
        series="lap",
    ),
    replace(_TAKING_HEAT, title="Last bids, by lap and place, % of deals", needs="auctions"),
    chapters.Dots(
        "results",
        "Results, by kind of contract.",
        "% of contracts",
        "contracts_by_kind",
        _RESULTS,
        series=chapters.QUANTITY,
    ),
    _QUARTILES,
    replace(
        _QUARTILES,
        caption="Quartiles of the contracting team's total.",
        table="contracting_total",
        series="",
        rows=chapters.QUANTITY,
    ),
    _BONUSES,
)

KEY_FIGURES: tuple[KeyFigure, ...] = (
    KeyFigure("deals taken", "taking", "taken_share"),
    KeyFigure("contracts made, of taken deals", "contracts", "made_share"),
    KeyFigure("litigation, of taken deals", "contracts", "litigation_share"),
    KeyFigure("total of the contracting team, mean", "contracting_total", "contracting_total_mean"),
    KeyFigure("last bid, mean", "auctions", "final_amount_mean"),
    KeyFigure("contracts countered", "auctions", "countered_share"),
    KeyFigure("Capot, either side", "bonuses", "capot_share", ("either",)),
    KeyFigure("KQ, either side", "bonuses", "kq_share", ("either",)),
    KeyFigure("KQJ, either side", "bonuses", "kqj_share", ("either",)),
    KeyFigure(
        "last trick won by the contracting team", "bonuses", "last_trick_share", ("contracting",)
    ),
    KeyFigure("score of the contracting team, mean", "scores", "contracting_score_mean"),
    KeyFigure("score of a defending team, mean", "scores", "defending_score_mean"),
    KeyFigure("lead of the contracting team, mean", "scores", "score_difference_mean"),
    KeyFigure("opener's gain by taking at once, mean", "take_chart", "gain_mean"),
    KeyFigure("rounds in a game, mean", "games", "rounds_mean"),
)

PLAYED = ("contracts", "made_share")
