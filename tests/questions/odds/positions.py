"""Turns to play of rounds in which calls and cards are chosen at random."""

from __future__ import annotations

from collections.abc import Iterator

from kqj_sim.games import KQJ
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.position import Position
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records

_RANDOM = "random:take=0.3,bid=0.1"


def list_card_positions(rules: GameRules, count: int) -> Iterator[Position]:
    """Yield what the player to play knows, at every card of some rounds."""
    player = parse_player(_RANDOM if rules.game == KQJ.name else "random", rules.game)
    for record in play_records(Experiment(rules, [player] * rules.seats, count, seed=7)):
        for decision in RecordedRound(record).decisions:
            if not decision.is_call:
                yield decision.knowledge
