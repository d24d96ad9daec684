"""Calibration: classes of chances whose intervals are narrow, and predictions of decisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import calibration, plays
from benchmarks.calibration import MAX_HALF_WIDTH, classify_contracts
from kqj_sim.questions.review.decisions import RecordedRound
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.slow import slow_after


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
