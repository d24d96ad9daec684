"""Rounds of Kwajongen as records."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import block as core_block
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
