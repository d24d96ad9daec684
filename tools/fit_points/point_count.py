"""The point count: points that each card adds to the contracting team's total, by least squares.

One count serves two teams and three, five cards with the Return and eight: in each setting the
expected total is a base plus a slope times the count,

    total  =  base_d + slope_d * (terms . points)  +  noise,     d the setting,

so that the points are fitted to all settings together, in turn with bases and slopes.  The points
are then rounded to whole ones, with which people can reckon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, trailing_zeros
from kqj_sim.core.jit import kernel
from kqj_sim.core.types import BoolArray, Float64Array, Int64Array
from kqj_sim.policies.points import (
    AllTrumpsTerms,
    NoTrumpTerms,
    SuitTerms,
    count_all_trumps_terms,
    count_no_trump_terms,
    count_suit_terms,
)
from kqj_sim.rules import KqjRules
from tools.fit_points.imposed import ImposedRounds

TERMS_OF_KIND: dict[str, tuple[str, ...]] = {
    "suit": SuitTerms._fields,
    "NT": NoTrumpTerms._fields,
    "AT": AllTrumpsTerms._fields,
}
"""Terms of the count for each kind of contract, named as the parameters of `points`."""

KIND_OF_ROLE = {"return": "suit", "other": "suit", "suit": "suit", "NT": "NT", "AT": "AT"}
"""Kind of each role of a contract: the Return's suit, another suit, a suit in auctions."""

HELD_OUT_SHARE = 0.25
"""Share of the rounds that measure a fit; it is fitted to the others."""

SURE_ERRORS = 2.0
"""Standard errors that count as certain: for taking with the weakest hands, and for replacing a
parameter."""

FIT_SWEEPS = 20
AMOUNT_COUNT = 10
"""Number of amounts, from the lowest up, that are imposed in auctions."""


class ContractSetting(NamedTuple):
    """A setting in which a hand is counted: the game, and the role of the contract."""

    teams: int
    bidding: str
    role: str

    @property
    def known(self) -> str:
        """The cards that are counted."""
        return "five cards and the Return" if self.bidding == "take" else "eight cards"


CONTRACT_SETTINGS = [
    *(
        ContractSetting(teams, "take", role)
        for role in ("return", "other", "NT", "AT")
        for teams in (2, 3)
    ),
    *(ContractSetting(teams, "auction", role) for role in ("suit", "NT", "AT") for teams in (2, 3)),
]


@dataclass(frozen=True)
class CountSample:
    """Rounds of a setting.

    Attributes:
        terms: float64 (n, terms).
        total: float64 (n,), totals of the contracting team.
        value: float64 (n,), its score less that of the other team, or the mean of the others'.
        made: bool (n,), True if the contract was made.
    """

    terms: Float64Array
    total: Float64Array
    value: Float64Array
    made: BoolArray

    def part(self, held_out: bool) -> CountSample:
        """Return the rounds to fit to, or those held out."""
        first = round(len(self.total) * (1 - HELD_OUT_SHARE))
        which = slice(first, None) if held_out else slice(first)
        return CountSample(*(values[which] for values in vars(self).values()))


@kernel
def _fill_terms(hands: Any, contracts: Any, terms: Any) -> None:
    """Write the terms of each hand for a contract of its own to `terms`, float64 (n, terms)."""
    for i in range(hands.shape[0]):
        if contracts[i] == NO_TRUMP:
            n = count_no_trump_terms(hands[i])
            for k in range(len(n)):
                terms[i, k] = n[k]
        elif contracts[i] == ALL_TRUMPS:
            a = count_all_trumps_terms(hands[i])
            for k in range(len(a)):
                terms[i, k] = a[k]
        else:
            s = count_suit_terms(hands[i], contracts[i])
            for k in range(len(s)):
                terms[i, k] = s[k]


@kernel
def suits_of(cards: Int64Array) -> Int64Array:
    """Return the suit, 0 to 3, of each single card."""
    suits = np.empty_like(cards)
    for i in range(cards.shape[0]):
        suits[i] = trailing_zeros(cards[i]) >> 4
    return suits


def compute_terms(hands: Int64Array, contracts: Int64Array, kind: str) -> Float64Array:
    """Return the terms of hands for contracts of one kind, float64 (n, terms)."""
    terms = np.zeros((len(hands), len(TERMS_OF_KIND[kind])))
    _fill_terms(hands, contracts, terms)
    return terms


def play_sample(setting: ContractSetting, policy: str, deals: int, seed: int) -> CountSample:
    """Play deals in a setting, with random Senders and, in auctions, random amounts."""
    rules = KqjRules.from_dict({"teams": setting.teams, "bidding": setting.bidding})
    given = ImposedRounds(rules, policy, seed)
    numbers = np.arange(deals)
    hands = given.hands(numbers)
    draws = np.random.default_rng(seed)
    places = draws.integers(0, SEATS, deals)
    if setting.role in ("NT", "AT"):
        contracts = np.full(deals, NO_TRUMP if setting.role == "NT" else ALL_TRUMPS)
    elif setting.role == "suit":
        contracts = draws.integers(0, NO_TRUMP, deals)
    else:
        away = 0 if setting.role == "return" else draws.integers(1, NO_TRUMP, deals)
        contracts = (suits_of(hands.upcards) + away) % NO_TRUMP
    amounts = np.zeros(deals, dtype=np.int64)
    held = hands.five[places, numbers] | hands.upcards
    if rules.bidding == "auction":
        amounts = rules.minimum_bid + 10 * draws.integers(0, AMOUNT_COUNT, deals)
        held = hands.eight[places, numbers]
    outcomes = given.play(numbers, places, contracts, amounts)
    own = outcomes.score[places % rules.teams, numbers]
    others = (outcomes.score.sum(axis=0) - own) / (rules.teams - 1)
    terms = compute_terms(held, contracts, KIND_OF_ROLE[setting.role])
    return CountSample(terms, outcomes.total.astype(float), own - others, outcomes.made != 0)


@dataclass(frozen=True)
class SettingFit:
    """The line that a count predicts totals with in a setting.

    Attributes:
        base, slope: the expected total with a count of zero, and its increase per point.
        residual: standard deviation of the total from the expected one, held out.
        r2: share of the variance of the total that the whole count explains, held out.
        r2_unconstrained: the same of a fit of all terms to this setting alone.
        value_base, value_slope: the expected score difference in the same way.
    """

    setting: ContractSetting
    base: float
    slope: float
    residual: float
    r2: float
    r2_unconstrained: float
    value_base: float
    value_slope: float


@dataclass(frozen=True)
class CountFit:
    """The fitted count for one kind of contract.

    Attributes:
        points, errors: for each of TERMS_OF_KIND, in points of the total with two teams, and its
            standard error.
        whole: the points rounded, or the whole ones in use that agree with them.
        lines: the line of the whole count for each setting.
    """

    kind: str
    points: Float64Array
    errors: Float64Array
    whole: Int64Array
    lines: list[SettingFit]


def _add_intercept(column: Float64Array) -> Float64Array:
    """Prepend a column of ones."""
    return np.column_stack([np.ones(len(column)), column])


def _r2(total: Float64Array, expected: Float64Array) -> float:
    """Return the share of the variance of totals that expected ones explain."""
    return float(1 - np.mean((total - expected) ** 2) / total.var())


def _fit_setting(setting: ContractSetting, found: CountSample, whole: Int64Array) -> SettingFit:
    """Fit the line of a setting for given points."""
    train, test = found.part(False), found.part(True)
    counts = train.terms @ whole
    base, slope = np.linalg.lstsq(_add_intercept(counts), train.total)[0]
    value_base, value_slope = np.linalg.lstsq(_add_intercept(counts), train.value)[0]
    free = np.linalg.lstsq(_add_intercept(train.terms), train.total)[0]
    expected = base + slope * (test.terms @ whole)
    return SettingFit(
        setting,
        float(base),
        float(slope),
        float((test.total - expected).std()),
        _r2(test.total, expected),
        _r2(test.total, _add_intercept(test.terms) @ free),
        float(value_base),
        float(value_slope),
    )


def _fisher_information(
    points: Float64Array,
    slopes: Float64Array,
    variances: Float64Array,
    moments: list[Float64Array],
) -> Float64Array:
    """Return Fisher's information on the points and on the slopes of all settings but the first.

    The slopes count: the first one's being one makes the points as uncertain in size as it is.

    Args:
        points: float64 (terms,).
        slopes, variances: float64 (settings,), of the totals around the expected ones.
        moments: for each setting float64 (terms, terms), sums of products of centred terms.
    """
    size = len(points)
    found = np.zeros((size + len(slopes) - 1,) * 2)
    for number, (slope, variance, moment) in enumerate(
        zip(slopes, variances, moments, strict=True)
    ):
        found[:size, :size] += slope**2 * moment / variance
        if number > 0:
            at = size + number - 1
            found[at, :size] = found[:size, at] = slope * moment @ points / variance
            found[at, at] = points @ moment @ points / variance
    return found


def fit_count(
    samples: dict[ContractSetting, CountSample], kind: str, present: Float64Array | None = None
) -> CountFit:
    """Fit the points of one kind of contract to samples of all its settings.

    The slope of the first setting is one, which fixes the size of a point.

    Args:
        samples: the samples.
        kind: the kind of contract.
        present: whole points in use, which stay unless the fit contradicts them; None: round all.
    """
    found = {each: part for each, part in samples.items() if KIND_OF_ROLE[each.role] == kind}
    centred = []
    for each in found.values():
        train = each.part(False)
        terms, total = train.terms - train.terms.mean(axis=0), train.total - train.total.mean()
        centred.append((terms.T @ terms, terms.T @ total, float(total @ total), len(total)))
    slopes = np.ones(len(centred))
    variances = np.array([squares / n for _, _, squares, n in centred])
    for _ in range(FIT_SWEEPS):
        weights = slopes / variances
        matrix = sum(w * s * m for w, s, (m, _, _, _) in zip(weights, slopes, centred, strict=True))
        vector = sum(w * v for w, (_, v, _, _) in zip(weights, centred, strict=True))
        points = np.linalg.solve(matrix, vector)
        spread = [float(points @ m @ points) for m, _, _, _ in centred]
        slopes = np.array([v @ points / s for s, (_, v, _, _) in zip(spread, centred, strict=True)])
        variances = np.array(
            [
                (q - s * s * p) / n
                for s, p, (_, _, q, n) in zip(slopes, spread, centred, strict=True)
            ]
        )
        points, slopes = points * slopes[0], slopes / slopes[0]
    moments = [m for m, _, _, _ in centred]
    errors = np.sqrt(
        np.diag(np.linalg.inv(_fisher_information(points, slopes, variances, moments)))
    )
    errors = errors[: len(points)]
    whole = np.rint(points)
    if present is not None:
        whole = np.where(np.abs(points - present) <= 0.5 + SURE_ERRORS * errors, present, whole)
    whole = whole.astype(np.int64)
    return CountFit(
        kind,
        points,
        errors,
        whole,
        [_fit_setting(each, part, whole) for each, part in found.items()],
    )


def compute_offsets(fits: dict[str, CountFit], teams: int, at: float) -> dict[str, int]:
    """Return the parameters of `points` that make counts of contracts comparable in taking.

    Added to a count of `at` they give a count in the Return's suit with the same expected score.
    """
    lines = {
        line.setting.role: line
        for fit in fits.values()
        for line in fit.lines
        if line.setting.teams == teams and line.setting.bidding == "take"
    }
    base = lines["return"]
    found = {}
    for role, name in (("other", "other"), ("NT", "no_trump"), ("AT", "all_trumps")):
        value = lines[role].value_base + lines[role].value_slope * at
        found[name] = round((value - base.value_base) / base.value_slope - at)
    return found
