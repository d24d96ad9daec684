"""Calibration of contracts, decisions and plays: narrow classes, locations, stored batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import calibration, plays
from benchmarks.calibration import MAX_HALF_WIDTH, classify_contracts
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.slow import slow_after
from tests.variants import TAKE_2, TAKE_3


def test_classes_are_merged_until_their_intervals_are_narrow() -> None:
    draws = np.random.default_rng(5)
    chances = draws.beta(6, 5, 3000)
    made = draws.random(3000) < chances
    classes = classify_contracts(chances, made)
    assert sum(each.made.observations for each in classes) == 3000
    assert 2 < len(classes) < 10
    assert [each.high for each in classes[:-1]] <= [each.low for each in classes[1:]]
    for _, _, mean, share in classes:
        assert share.high - share.value <= MAX_HALF_WIDTH
        assert share.value - share.low <= MAX_HALF_WIDTH
        assert abs(share.value - mean) < 2 * MAX_HALF_WIDTH


def test_few_contracts_are_one_class() -> None:
    (only,) = classify_contracts(np.array([0.1, 0.5, 0.9]), np.array([False, True, True]))
    assert (only.low, only.high, only.made.observations) == (1, 10, 3)


def test_a_weighted_mean_of_few_draws_is_not_biased() -> None:
    draws = np.random.default_rng(1)
    values = (draws.random((20_000, 40)) < 0.3).astype(float)
    weights = draws.random(values.shape) ** 2 * np.where(values > 0, 3, 1)  # Mean 0.9 / 1.6.
    means = [calibration.average_unbiased(*each) for each in zip(weights, values, strict=True)]
    ratios = (weights * values).sum(axis=1) / weights.sum(axis=1)
    error = np.std(means) / len(means) ** 0.5
    assert abs(np.mean(means) - 0.5625) < 4 * error < abs(ratios.mean() - 0.5625)


@pytest.mark.parametrize("variant", slow_after(1, calibration.VARIANTS))
def test_every_decision_is_predicted_and_its_result_known(
    variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plays, "BATCH_DEALS", 2)
    rounds = calibration.predict_rounds(variant, 2, 5, tmp_path / "state.jsonl")
    monkeypatch.setattr(calibration, "predict_decisions", None)
    assert calibration.predict_rounds(variant, 2, 5, tmp_path / "state.jsonl") == rounds
    experiment = Experiment(calibration.VARIANTS[variant], deals=2, seed=5)
    for record, predictions in zip(play_records(experiment), rounds, strict=True):
        sides, total = len(record.scores), sum(record.scores)
        assert {tuple(each.result) for each in predictions} <= {
            (float(sorted(record.scores)[-2] < score), score - (total - score) / (sides - 1))
            for score in record.scores
        }
        if calibration.VARIANTS[variant].bidding == "take":
            assert len(predictions) == len(RecordedRound(record).decisions)
    lines = calibration.format_decisions({variant: rounds}).splitlines()
    assert lines[5].startswith(f"| all | {sum(map(len, rounds))} | ")


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
