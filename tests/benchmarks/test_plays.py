"""Calibration during the play: chances of locations, and batches that are stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import plays
from kqj_sim.rules import KqjRules
from tests.variants import TAKE_2, TAKE_3


def test_chances_are_the_weighted_shares_of_hands() -> None:
    _, records = next(plays.iterate_rounds(TAKE_2, "points+standard", 3))
    record = next(iter(records))
    turn = plays.draw_turn(record, "points+standard", 3, 4, 2)
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


@pytest.mark.parametrize("rules", [TAKE_2, TAKE_3], ids=["two teams", "three teams"])
def test_played_out_in_the_true_hands_a_round_ends_as_it_was_played(rules: KqjRules) -> None:
    _, records = next(plays.iterate_rounds(rules, "points+standard", 3))
    for number, record in enumerate(records):
        turn = plays.draw_turn(record, "points+standard", 3, 1 + number % 7, number % 6)
        assert turn is not None
        turn = turn._replace(hands=turn.dealt[None])
        (outcome,) = plays.play_out_played_card(turn, 3).T
        assert outcome.tolist() == plays.read_result(record, turn.sampler.position)


def test_the_standard_error_of_a_mean_counts_rounds_not_turns() -> None:
    draws = np.random.default_rng(1)
    rounds = draws.normal(size=(400, 1))
    mean, error = plays.estimate_mean(np.repeat(rounds, 6, axis=1), np.ones((400, 6), np.bool_))
    assert mean == pytest.approx(rounds.mean())
    assert error == pytest.approx(rounds.std() / 20)


def test_estimates_equal_to_the_results_differ_by_nothing() -> None:
    result = [[1.0, 160.0], [0.0, -160.0]] * 3
    score = plays.Score(0, 2, [0.5, 0.4], [[[1.0] * plays.BINS] * 3] * 2, [result] * 2, result, 0.5)
    lines = plays.format_wins({("two teams", "standard"): [score] * 3}).splitlines()
    assert lines[-1] == (
        "| two teams | `standard` | 3 | weighed | 50.0% | +0.00 ±0.00 pp | +0.0 | +0.00 ±0.00 |"
    )


def test_scores_that_are_stored_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plays, "BATCH_DEALS", 2)
    monkeypatch.setattr(plays, "DRAWS", 256)
    asked = (TAKE_2, "two teams, taking", "points+standard", 1, 5, tmp_path / "state.jsonl")
    first = plays.score_rounds(*asked)
    monkeypatch.setattr(plays, "score_round", None)
    assert plays.score_rounds(*asked) == first
    text = plays.format_section({("two teams, taking", "points+standard"): first * 2}, 1, 5)
    assert "Brier score" in text
