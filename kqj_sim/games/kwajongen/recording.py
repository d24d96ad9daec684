"""Rounds of Kwajongen as records."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import block as core_block
from kqj_sim.core.dispatch import ACCEPT
from kqj_sim.core.round import NO_RULES
from kqj_sim.core.types import Rules
from kqj_sim.engines import Engine
from kqj_sim.games.kwajongen import KwajongenRules, cards, engine
from kqj_sim.simulation.recording import RecordingBlock


class KwajongenRecordingBlock(RecordingBlock):
    """A block of rounds of Kwajongen."""

    call_names = ("pass", "play")
    result_names = ("made", "failed", "tie", "passed_out")

    def _get_game_keys(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        dealt = [
            self._format_cards(cards) for cards in self._read_places(core_block.FIRST_FIVE, lane)
        ]
        return {
            "game": "kwajongen",
            "dealt": self._order_by_seat(dealt, lane),
            "turned": self._format_cards(self._read_row(core_block.UPCARD, lane))[0],
            "amount": None,
            "capot": False,
            "stake": 1,
            "bonuses": [],
            "totals": self._read_team_values("card_points", lane),
            "gratuities": [0] * self.experiment.rules.team_count,
            "pending_before": self._read_column("raised", lane),
        }


# Kwajongen in the engine: its rules as numbers, and the kernels that a round runs.


def _encode_rules(rules: KwajongenRules) -> Rules:
    return NO_RULES._replace(
        seats=rules.seats,
        start_score=rules.start_score,
        target=rules.target,
        variant=int(rules.void_rule == "must_trump"),
        teams=rules.team_count,
    )


ENGINE = Engine(
    KwajongenRules,
    cards.PACK,
    _encode_rules,
    {
        ACCEPT: ("kwajongen_accept", engine.make_ask_accept),
        engine.CARD: ("kwajongen_card", engine.make_ask_card),
    },
    lambda rules, imposed: ([ACCEPT, engine.CARD], (engine.play_rounds,)),
    lambda rules: (),
    engine.advance,
)
