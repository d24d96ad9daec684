"""Rounds of every variant to review."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kqj_sim.games import KQJ, find_game
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.questions.review.grading import GradePlan
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.variants import AUCTION_2, AUCTION_3, OTHER_GAMES, TAKE_2, TAKE_3

TABLES: dict[str, GameRules] = {
    "two teams": TAKE_2,
    "three teams": replace(TAKE_3, partners="random"),
    "auctions": AUCTION_2,
    "counters in turn": replace(AUCTION_2, counter_timing="turn"),
    "three teams, auctions": AUCTION_3,
    **OTHER_GAMES,
}


def find_reference(rules: GameRules) -> str:
    """Return a player who chooses the same each time, and fast."""
    return "points+greedy" if rules.game == KQJ.name else find_game(rules.game).default_player


def make_settings(rules: GameRules, **more: Any) -> GradePlan:
    """Settings with as few deals as there can be."""
    few: dict[str, Any] = {"deals": 1, "threads": 2, "ignore_calls": True, "max_layouts": 0}
    return GradePlan(**{**few, "reference": find_reference(rules), **more})


def list_rounds(
    rules: GameRules, policy: str = "", count: int = 1, **more: Any
) -> list[RecordedRound]:
    """Rounds of a policy at all seats, by default the reference player."""
    policies = (policy or find_reference(rules),) * rules.seats
    experiment = Experiment(rules, policies, deals=count, seed=5, **more)
    records = list(play_records(experiment))[:count]
    return [RecordedRound(record, line) for line, record in enumerate(records, start=1)]
