"""Estimates of every call that a player may make, in deals that agree with what they know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

from kqj_sim.analysis.odds.estimator import (
    CallOdds,
    EstimateSettings,
    SettingsArguments,
    check_range,
    estimate_options,
    parse_players,
)
from kqj_sim.analysis.odds.kqj_calls import KqjCallOdds, KqjCallSampler
from kqj_sim.analysis.odds.kwajongen import KwajongenCallSampler
from kqj_sim.analysis.odds.situation import (
    BiddingSituation,
    KwajongenBiddingSituation,
    parse_situation,
)
from kqj_sim.rules import MAX_TOTAL, KqjRules
from kqj_sim.run_scope import run_scope


def estimate_calls(
    situation: BiddingSituation | KwajongenBiddingSituation,
    policies: str | Sequence[str] | None = None,
    **settings: Unpack[SettingsArguments],
) -> CallOdds:
    """Estimate the outcome of each call in a situation, as `KqjCallOdds` or `KwajongenCallOdds`.

    Args:
        situation: what the player knows.
        policies: a player specification for every place, or one for each place;
            the default player unless given.
        settings: see `EstimateSettings`.

    Raises:
        OddsError: a number is out of range.
        ImpossibleBiddingError: the players would hardly ever have called as observed.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    asked = EstimateSettings(**settings)
    seated = parse_players(policies, situation.rules)
    if isinstance(situation, KwajongenBiddingSituation):
        both = KwajongenCallSampler(situation, seated, asked)
        candidates = both.make_odds(asked)
        return estimate_options(both, both.make_odds(asked), asked, (both, candidates))
    check_range("pending", situation.pending, 0, MAX_TOTAL)
    sampler, chooser = KqjCallSampler(situation, seated, asked).choose_options(asked)
    choosing = (chooser, chooser.make_odds(asked))
    return estimate_options(sampler, sampler.make_odds(asked), asked, choosing)


@run_scope()
def odds(
    hand: str,
    *,
    return_card: str | None = None,
    place: int | None = None,
    lap: int | None = None,
    heard: str | None = None,
    partners_at: Iterable[int] | None = None,
    rules: KqjRules | None = None,
    policies: str | Sequence[str] | None = None,
    pending: int = 0,
    **settings: Unpack[SettingsArguments],
) -> KqjCallOdds:
    """Estimate the outcome of each call with a hand.

    Args:
        hand: the cards held: five, or eight with auctions.
        return_card, place, lap, heard, partners_at, pending: see
            `analysis.odds.situation.parse_situation`.
        rules: the rules; two teams and taking unless given.
        policies: a player specification for every place, or one for each place from the opener on;
            the default player unless given.
        settings: `deals`, `precision`, `time`, `seed`, `ignore_calls`, `confidence`, `threads`,
            `progress` and `searching`, see `analysis.odds.estimator.EstimateSettings`.

    Raises:
        SituationError, OddsError: cards, calls or numbers that cannot be.
        ImpossibleBiddingError: the players would hardly ever have called as observed.
        PolicyError: a policy cannot be used, or chooses what is not allowed.
    """
    situation = parse_situation(
        hand,
        rules or KqjRules(),
        return_card=return_card,
        place=place,
        lap=lap,
        heard=heard,
        partners_at=None if partners_at is None else tuple(partners_at),
        pending=pending,
    )
    found = estimate_calls(situation, policies, **settings)
    assert isinstance(found, KqjCallOdds)
    return found
