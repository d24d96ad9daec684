"""Estimates of calls and cards in tests, and positions to ask about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kqj_sim.games import KQJ
from kqj_sim.games.kqj.call_sampler import KqjCallOdds
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.policies.players import PlayerLike, parse_player, parse_recorded_player
from kqj_sim.positions.estimator import estimate_position
from kqj_sim.positions.odds import CardOdds
from kqj_sim.positions.position import Position
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records

SITUATION = ("return_card", "place", "lap", "heard", "partners_at", "pending")


def odds(
    hand: str, rules: KqjRules | None = None, policies: str | Sequence[str] | None = None,
    **settings: Any,
) -> KqjCallOdds:  # fmt: skip
    """Estimate the outcome of each call; `settings` has the situation, and `EstimatePlan`.

    Players do not err unless `error_rate` says so.
    """
    settings.setdefault("error_rate", 0.0)
    situation = {name: settings.pop(name) for name in SITUATION if name in settings}
    position = read_typed_position(hand, rules or KqjRules(), **situation)
    calls = estimate_position(position, policies, **settings)
    assert isinstance(calls, KqjCallOdds)
    return calls


def estimate_cards(
    so_far: Position, policies: Sequence[PlayerLike] | PlayerLike | None = None, **settings: Any
) -> CardOdds:
    """Return the estimates of the legal cards, by default by the players of the round.

    Players do not err unless `error_rate` says so.
    """
    settings.setdefault("error_rate", 0.0)
    if policies is None:
        policies = [parse_recorded_player(text, so_far.rules.game) for text in so_far.players or ()]
    cards = estimate_position(so_far, policies, **settings)
    assert isinstance(cards, CardOdds)
    return cards


_RANDOM = "random:take=0.3,bid=0.1"


def list_card_positions(rules: GameRules, count: int) -> Iterator[Position]:
    """Yield what the player to play knows, at every card of rounds of random calls and cards."""
    player = parse_player(_RANDOM if rules.game == KQJ.name else "random", rules.game)
    for record in play_records(Experiment(rules, [player] * rules.seats, count, seed=7)):
        for decision in RecordedRound(record).decisions:
            if not decision.is_call:
                yield decision.knowledge
