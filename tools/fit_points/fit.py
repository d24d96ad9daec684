"""The fit of `points`: count and thresholds, and a model of bids, from rounds of a strong player.

Everything is fitted to rounds that the given policy plays, and depends on the plan alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from kqj_sim.core.block import SEATS
from kqj_sim.core.types import Int64Array
from kqj_sim.policies.players import parse_player
from kqj_sim.policies.points import DEFAULTS, PARAMETERS, make_count_parameters, points
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_seating
from tools import HELD_OUT_START, SEED_OFFSET
from tools.fit_points.auctions import BidModel, fit_bid_model, format_bidder_spec
from tools.fit_points.point_count import (
    CONTRACT_SETTINGS,
    SURE_ERRORS,
    TERMS_OF_KIND,
    ContractSetting,
    CountFit,
    CountSample,
    compute_offsets,
    fit_count,
    play_sample,
)
from tools.fit_points.thresholds import LAP_COUNT, TakingSample, Threshold, find_best_responses
from tools.leads import Lead, measure_lead

TEAMS = (2, 3)

COUNT_PARAMETERS = make_count_parameters()

VARIANTS = [(teams, bidding) for teams in TEAMS for bidding in ("take", "auction")]
"""Numbers of teams and ways of bidding."""

START_THRESHOLDS = {2: 0.0, 3: 35.0}
"""Thresholds that the search begins with, by number of teams."""

REFERENCE_COUNT = 60.0
"""Count at which contracts are made comparable: a usual one of the best contract of a hand."""

BAND_WIDTH = 10
"""Width of the bands of counts for which chances and scores are reported."""


@dataclass(frozen=True)
class PointsPlan:
    """The numbers of rounds to play for a fit.

    Attributes:
        plays: specification of the policy that plays the cards.
        deals: rounds played in each setting for the count.
        taking: deals whose hands are counted for the thresholds.
        turn: rounds played for each turn's threshold.
        sweeps: passes over all turns.
        auction: deals of each comparison, and of the fit of auctions.
        seed: seed of the fit; its deals are none of those with which strength is measured.
    """

    plays: str
    deals: int
    taking: int
    turn: int
    sweeps: int
    auction: int
    seed: int

    @classmethod
    def of(cls, plays: str, deals: int, seed: int) -> PointsPlan:
        """Return a plan in proportion to the deals of the count."""
        return cls(plays, deals, 5 * deals, deals // 5, 2, deals // 8, seed)


@dataclass(frozen=True)
class CountBand:
    """Hands with a count from `low` to `low` + BAND_WIDTH - 1 that take the Return's suit.

    Attributes:
        teams, low: number of teams and band; the first band holds all lower counts too, the last
        all
            higher ones.
        share: of all hands.
        made, made_error: share made, and its standard error.
        value, value_error: mean score less the others', and its standard error.
        deals: number of rounds played.
    """

    teams: int
    low: int
    share: float
    made: float
    made_error: float
    value: float
    value_error: float
    deals: int


@dataclass
class PointsFit:
    """The result of a fit.

    Attributes:
        values: every parameter of `points`, by number of teams; those of the count are the same.
        counts: the count, for each kind of contract.
        bands: results by count, with two teams and three.
        thresholds, bid_models: by number of teams.
        leads: of the parameters over other callers, by rules and caller; where the parameters
            before the fit were kept, one of these is the fit that was rejected.
    """

    plan: PointsPlan
    values: dict[int, dict[str, float]]
    counts: dict[str, CountFit] = field(default_factory=dict)
    bands: list[CountBand] = field(default_factory=list)
    thresholds: dict[int, list[Threshold]] = field(default_factory=dict)
    bid_models: dict[int, BidModel] = field(default_factory=dict)
    leads: dict[tuple[int, str, str], Lead] = field(default_factory=dict)

    def to_toml(self) -> str:
        """Return the parameters in the form of `kqj_sim/policies/points.toml`."""
        decisions = [name for name in PARAMETERS if name not in COUNT_PARAMETERS]
        tables = (
            ("count", 2, [*COUNT_PARAMETERS]), ("two_teams", 2, decisions),
            ("three_teams", 3, decisions),
        )  # fmt: skip
        return "\n".join(
            f"[{table}]\n" + "".join(f"{name} = {self.values[teams][name]:g}\n" for name in names)
            for table, teams, names in tables
        )


def summarise_bands(
    thresholds: CountSample, whole: Int64Array, teams: int, min_rounds: int = 200
) -> list[CountBand]:
    """Summarise a sample by count; bands with fewer than `min_rounds` rounds are joined."""
    counts = thresholds.terms @ whole
    lows = np.floor(counts / BAND_WIDTH).astype(int) * BAND_WIDTH
    min_rounds = min(min_rounds, int(np.unique(lows, return_counts=True)[1].max()))
    kept = [low for low in np.unique(lows) if (lows == low).sum() >= min_rounds]
    lows = np.clip(lows, kept[0], kept[-1])
    rows = []
    for low in kept:
        chosen = lows == low
        made, value = thresholds.made[chosen], thresholds.value[chosen]
        n = len(value)
        made_error, value_error = (float(x.std() / np.sqrt(n)) for x in (made, value))
        share, mean = float(made.mean()), float(value.mean())
        rows.append(
            CountBand(teams, int(low), n / len(lows), share, made_error, mean, value_error, n)
        )
    return rows


def round_thresholds(thresholds: list[Threshold]) -> list[int]:
    """Round thresholds; 0 where taking gains even with the weakest hands."""
    return [
        0
        if each.weakest > SURE_ERRORS * each.weakest_error or not np.isfinite(each.count)
        else max(0, round(each.count))
        for each in thresholds
    ]


def threshold_parameters(whole: list[int]) -> dict[str, float]:
    """Return twelve thresholds as parameters of `points`: the opener's, and the differences by
    place."""
    found: dict[str, float] = {}
    for lap, name in enumerate(("take", "lap2")[:LAP_COUNT]):
        first, *others = whole[SEATS * lap : SEATS * (lap + 1)]
        found[name] = float(first)
        found |= {f"{name}_{place + 1}": float(more - first) for place, more in enumerate(others)}
    return found


def fit_points(plan: PointsPlan, report_progress: Callable[[str], None]) -> PointsFit:
    """Fit the parameters of `points`, but for those of auctions, which `kqj-sim tune` found.

    Args:
        plan: the numbers of rounds and the player.
        report_progress: called with a line of text for each step.

    Raises:
        InputError: no such player, or it chose an illegal card.
        RunError: the player has no weights for one of the four games.
    """
    for teams, bidding in VARIANTS:
        rules = KqjRules.from_dict({"teams": teams, "bidding": bidding})
        encode_seating(rules, [parse_player(f"points+{plan.plays}")] * SEATS, None)
    fit = PointsFit(plan, {teams: dict(DEFAULTS[teams]) for teams in TEAMS})
    seed = SEED_OFFSET + plan.seed
    samples: dict[ContractSetting, CountSample] = {}
    for number, setting in enumerate(CONTRACT_SETTINGS):
        report_progress(f"count: {' '.join(map(str, setting))}")
        samples[setting] = play_sample(setting, plan.plays, plan.deals, seed + number)
    for kind in TERMS_OF_KIND:
        present = np.array([fit.values[2][name] for name in TERMS_OF_KIND[kind]])
        fit.counts[kind] = fit_count(samples, kind, present)
        for teams in TEAMS:
            fit.values[teams] |= dict(
                zip(TERMS_OF_KIND[kind], map(float, fit.counts[kind].whole), strict=True)
            )
    for teams in TEAMS:
        taken = samples[ContractSetting(teams, "take", "return")].part(True)
        fit.bands += summarise_bands(taken, fit.counts["suit"].whole, teams)
    samples.clear()
    for teams in TEAMS:
        before = dict(fit.values[teams])
        _fit_taking(fit, teams, report_progress)
        _keep_better(fit, before, teams)
    for teams in TEAMS:
        report_progress(f"auctions, {teams} teams")
        fit.bid_models[teams] = fit_bid_model(
            KqjRules.from_dict({"teams": teams, "bidding": "auction"}),
            format_bidder_spec(fit.values[teams], plan.plays), plan.plays, seed + 1000 * teams,
            np.arange(plan.auction),
        )  # fmt: skip
    _compare_callers(fit, report_progress)
    return fit


def _fit_taking(fit: PointsFit, teams: int, report_progress: Callable[[str], None]) -> None:
    """Fit the offsets and thresholds of taking.

    With two teams the thresholds stay: the best response is to take with any hand, while `points`
    waits for a hand with which the contract is more often made than not.
    """
    report_progress(f"taking, {teams} teams")
    plan = fit.plan
    more = compute_offsets(fit.counts, teams, REFERENCE_COUNT)
    parameters = points.tuple_type(**fit.values[teams])
    taking = TakingSample.of(
        teams, plan.plays, SEED_OFFSET + plan.seed, plan.taking, more, parameters
    )
    start = np.full(LAP_COUNT * SEATS, START_THRESHOLDS[teams])
    found = find_best_responses(taking, start, plan.turn, plan.sweeps)
    fit.thresholds[teams] = found
    fit.values[teams] |= {name: float(value) for name, value in more.items()}
    if teams != 2:
        fit.values[teams] |= threshold_parameters(round_thresholds(found))


def _keep_better(fit: PointsFit, before: dict[str, float], teams: int) -> None:
    """Restore the parameters of taking before a fit, unless the new ones are shown to be better.

    Thresholds by place follow chance.
    """
    if before == fit.values[teams]:
        return
    rules = KqjRules.from_dict({"teams": teams})
    found, other = (
        format_bidder_spec(values, fit.plan.plays) for values in (fit.values[teams], before)
    )
    lead = measure_lead(
        rules, found, other, fit.plan.auction, SEED_OFFSET + fit.plan.seed, HELD_OUT_START // 2
    )
    if lead.mean <= SURE_ERRORS * lead.error:
        fit.values[teams] = before
        fit.leads[teams, "take", "what this fit found"] = Lead(-lead.mean, lead.error)


def _compare_callers(fit: PointsFit, report_progress: Callable[[str], None]) -> None:
    """Measure the new parameters against other callers, on deals that nothing was fitted to."""
    plays = fit.plan.plays
    for teams, bidding in VARIANTS:
        own = format_bidder_spec(fit.values[teams], plays)
        rules = KqjRules.from_dict({"teams": teams, "bidding": bidding})
        others = {"always": f"always+{plays}", "never": f"never+{plays}"}
        if bidding == "auction":
            others["random"] = f"random+{plays}"
        else:
            others["points as it was"] = f"points+{plays}"
            others["bold"] = f"bold+{plays}"
            for more in (-10, 10, 20):
                values = {**fit.values[teams], "take": fit.values[teams]["take"] + more}
                others[f"thresholds of the first lap {more:+d}"] = format_bidder_spec(values, plays)
        for name, other in others.items():
            report_progress(f"against {name}, {bidding}, {teams} teams")
            seed = SEED_OFFSET + fit.plan.seed
            lead = measure_lead(
                rules, own, other, fit.plan.auction, seed, HELD_OUT_START, single_team=True
            )
            fit.leads[teams, bidding, name] = lead
