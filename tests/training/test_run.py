"""Trainings as a whole: rounds, chunks, threads, checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.policies.features import CARD_INDICES
from kqj_sim.training import run
from kqj_sim.training.decisions import CardDecisions, select_decisions
from kqj_sim.training.linear import LinearTraining
from kqj_sim.training.network import NetworkTraining
from kqj_sim.training.run import (
    HELD_OUT_START,
    DecisionGenerator,
    Learner,
    Training,
    TrainingError,
    TrainingPlan,
    generate_held_out,
)
from tests.training.synthetic import WEIGHTS, Made, made

PLAN = TrainingPlan("network", 2, "take", "standard", decisions=3500, rounds=2, seed=5)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of some thousand decisions, the last one of a round smaller than the others."""
    monkeypatch.setattr(run, "CHUNK_DECISIONS", 1500)


def learner(policy: str) -> Learner:
    """Return an untrained learner."""
    if policy == "linear":
        return LinearTraining()
    linear = np.zeros((3, CARD_INDICES), dtype=np.float32)
    linear[:, : WEIGHTS.shape[1]] = WEIGHTS
    return NetworkTraining(linear, seed=1)


def trained(training: Training, threads: int = 1) -> bytes:
    """The weights after the training has gone on to its end."""
    for _ in training.run(Made(), threads):
        pass
    assert training.finished
    return training.learner.trained_weights().tobytes()


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "decisions"), [("linear", 1600), ("network", 3500)])
def test_interrupted_training_gives_the_same_weights(policy: str, decisions: int) -> None:
    plan = replace(PLAN, policy=policy, decisions=decisions)
    whole = Training(plan, learner(policy))
    wanted = trained(whole)
    assert whole.done == whole.total == 2 * plan.decisions
    training = Training(plan, learner(policy))
    chunks = []
    while not training.finished:
        # Killed after every chunk, with nothing left but the checkpoint.
        steps = training.run(Made(), 1)
        chunks.append(next(steps))
        steps.close()  # type: ignore[attr-defined]
        checkpoint = training.save()
        training = Training(plan, learner(policy))
        training.restore("c", checkpoint)
    assert chunks == ([1500, 100] if policy == "linear" else [1500, 1500, 500]) * 2
    assert training.learner.trained_weights().tobytes() == wanted


def test_threads_make_no_difference() -> None:
    one, three = (Training(PLAN, learner("network")) for _ in range(2))
    assert trained(one, threads=1) == trained(three, threads=3)


def test_each_round_is_played_by_what_the_one_before_has_made() -> None:
    for policy, players in (("linear", ["standard", "linear"]), ("network", ["linear", "network"])):
        source = Made()
        training = Training(replace(PLAN, policy=policy), learner(policy))
        for _ in training.run(source, 1):
            pass
        assert source.players == players


def test_rounds_have_deals_of_their_own() -> None:
    firsts: list[int] = []

    class Noted(Made):
        def start(
            self, player: str, in_use: Mapping[str, NDArray[np.float32]]
        ) -> DecisionGenerator:
            generate = super().start(player, in_use)

            def noted(first: int, deals: int) -> CardDecisions:
                firsts.append(first)
                return generate(first, deals)

            return noted

    source = Noted()
    for _ in Training(PLAN, learner("network")).run(source, 1):
        pass
    held = generate_held_out(source.start("network", {}), 1000, threads=2)
    assert len(held.kind) == 1000
    assert len(set(firsts)) == len(firsts)
    assert max(firsts) >= HELD_OUT_START > run.ROUND_STRIDE + 1000 * run.PART_DEALS


def test_checkpoint_of_another_training_is_refused() -> None:
    checkpoint = Training(PLAN, learner("network")).save()
    other = Training(replace(PLAN, seed=6), learner("network"))
    before = other.learner.trained_weights().tobytes()
    with pytest.raises(TrainingError, match=r"^c is of a training with seed 5, not 6$"):
        other.restore("c", checkpoint)
    assert other.learner.trained_weights().tobytes() == before
    with pytest.raises(TrainingError, match=r"^c is no checkpoint"):
        other.restore("c", b"rubbish")
    with pytest.raises(TrainingError, match=r"^c is no checkpoint"):
        other.restore("c", checkpoint[:1000])


def test_players_who_never_take_are_an_error() -> None:
    class Barren(Made):
        def start(
            self, player: str, in_use: Mapping[str, NDArray[np.float32]]
        ) -> DecisionGenerator:
            return lambda first, deals: select_decisions(made(1, 1)[0], [])

    with pytest.raises(TrainingError, match="never takes"):
        next(Training(PLAN, learner("network")).run(Barren(), 1))
    with pytest.raises(TrainingError, match="never takes"):
        generate_held_out(Barren().start("network", {}), 10, threads=1)
