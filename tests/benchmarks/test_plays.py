"""Calibration during the play: chances of locations, and batches that are stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import plays
from tests.variants import TAKE_2


def test_chances_are_the_weighted_shares_of_hands() -> None:
    _, records = next(plays.iterate_rounds(TAKE_2, "points+standard", 3))
    record = next(iter(records))
    turn = plays.draw_turn(record, TAKE_2, "points+standard", 3)
    assert turn is not None
    weights = np.arange(1.0, 1.0 + len(turn.hands))
    chances, truth = plays.estimate_locations(turn, weights)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(truth.sum(axis=1), 1.0)
    place = int(np.flatnonzero(turn.dealt)[0])
    card = int(turn.dealt[place]) & -int(turn.dealt[place])
    slow = sum(w for w, hand in zip(weights, turn.hands, strict=True) if int(hand[place]) & card)
    hidden = int(np.bitwise_or.reduce(turn.dealt))
    row = (hidden & (card - 1)).bit_count()
    assert chances[row, 0] == pytest.approx(slow / weights.sum())
    assert truth[row, 0] == 1


def test_scores_that_are_stored_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plays, "BATCH_DEALS", 2)
    monkeypatch.setattr(plays, "DRAWS", 256)
    asked = (TAKE_2, "two teams, taking", "points+standard", 1, 5, tmp_path / "state.jsonl")
    first = plays.score_turns(*asked)
    monkeypatch.setattr(plays, "score_turn", None)
    assert plays.score_turns(*asked) == first
    text = plays.format_section({("two teams, taking", "points+standard"): first * 2}, 1, 5)
    assert "Brier score" in text
