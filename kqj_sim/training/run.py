"""A training from its beginning, or a checkpoint, to its end.

In each round the players play deals, and learn from the decisions met there, a chunk at a time;
threads play the next deals meanwhile.  The result depends on the plan alone: not on the number of
threads, nor on where the training was interrupted and resumed.
"""

from __future__ import annotations

import io
import json
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.block import LANES, allocate_block
from kqj_sim.core.types import Float32Array
from kqj_sim.encode import encode_rules, encode_seating
from kqj_sim.policies import weights
from kqj_sim.policies.features import CARD_FEATURES, SHARED_FEATURES
from kqj_sim.policies.spec import Player, parse_player
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.training.decisions import (
    MAX_CANDIDATES,
    CardDecisions,
    concatenate_decisions,
    select_decisions,
)
from kqj_sim.training.recorder import (
    SHEET_SIZE,
    DecisionBuffer,
    make_recorder_seating,
    record_deals,
)

MOMENTS_PER_DEAL = 20
"""Most turns of each deal that are recorded (`recorder.EARLY_SHARE`, `LATE_SHARE`)."""


def generate_decisions(
    rules: KqjRules, player: Player, seed: int, first: int, deals: int
) -> CardDecisions:
    """Return the decisions recorded in the deals `first` to `first + deals - 1`, in order.

    The player sits at all seats, and also plays on after each candidate card.

    Raises:
        kqj_sim.policies.PolicyError: a policy cannot be used.
    """
    players, encoded_rules = [player] * SEATS, encode_rules(rules)
    seating = encode_seating(rules, players, None)
    rollouts = encode_seating(rules, players, None, "rollouts")
    sheet = np.zeros(1 + LANES * SHEET_SIZE, dtype=np.int64)
    recorders = make_recorder_seating(seating, sheet)
    room = deals * MOMENTS_PER_DEAL
    output = DecisionBuffer(
        kind=np.zeros(room, dtype=np.int8),
        shared=np.zeros(room * SHARED_FEATURES, dtype=np.uint16),
        shared_count=np.zeros(room, dtype=np.int64),
        cards=np.zeros(room * MAX_CANDIDATES * CARD_FEATURES, dtype=np.uint16),
        card_count=np.zeros(room, dtype=np.int64),
        values=np.zeros(room * MAX_CANDIDATES, dtype=np.float32),
    )
    state, inner = allocate_block(), allocate_block()
    filled = 0
    for start in range(first, first + deals, LANES):
        lanes = min(LANES, first + deals - start)
        filled = record_deals(
            state, inner, sheet, start, lanes, seed, MOMENTS_PER_DEAL, encoded_rules, seating,
            rollouts, recorders, output, filled,
        )  # fmt: skip
    return CardDecisions(
        kind=output.kind[:filled].copy(),
        shared=output.shared.reshape(room, SHARED_FEATURES)[:filled].copy(),
        shared_count=output.shared_count[:filled].copy(),
        cards=output.cards.reshape(room, MAX_CANDIDATES, CARD_FEATURES)[:filled].copy(),
        card_count=output.card_count[:filled].copy(),
        values=output.values.reshape(room, MAX_CANDIDATES)[:filled].copy(),
    )


PART_DEALS = 1024
"""Deals that a thread plays at a time."""

CHUNK_PARTS, CHUNK_DECISIONS = 8, 200_000
"""Most parts and decisions that are learnt from at a time, in random order among themselves."""

PARTS_AHEAD = 16
"""Parts that are played ahead."""

MAX_BARREN_PARTS = 8
"""Parts without any decision after which a training gives up."""

ROUND_STRIDE = 1 << 40
"""Deals between the first ones of two rounds."""

HELD_OUT_START = 1 << 59
"""First deal of those that are held out: no round reaches it."""

SEED_OFFSET = 10**9
"""Added to the seed of a training: its deals are none of those with which strength is measured."""


class TrainingError(ValueError):
    """A training that cannot be done, or resumed; the message is one line."""


DecisionGenerator = Callable[[int, int], CardDecisions]
"""A function of a first deal and a number of deals that returns their decisions; used by
threads."""


class DecisionSource(Protocol):
    """A source of decisions."""

    def start(self, player: str, in_use: Mapping[str, Float32Array]) -> DecisionGenerator:
        """Return the generator of a player's decisions, with these weights in use."""


class Learner(Protocol):
    """A policy in training: `linear.LinearTraining`, `network.NetworkTraining`."""

    name: str

    def player(self, round: int) -> str:
        """Return the policy that plays in a round, from 0."""

    def weights_in_use(self, round: int) -> dict[str, Float32Array]:
        """Return the weights of the policies that play in a round, by policy."""

    def learn(self, decisions: CardDecisions, chunk: int, begin: float, end: float) -> None:
        """Learn from a chunk; `begin` and `end` are shares of the training done around it."""

    def end_round(self) -> None:
        """Finish a round."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that resuming needs, by name, not copied."""

    def trained_weights(self) -> Float32Array:
        """Return the weights, for values in points."""


@dataclass(frozen=True)
class TrainingPlan:
    """The policy to train, the rules it is for, and the extent of the training.

    Attributes:
        policy: `linear` or `network`.
        teams, bidding: the rules it is for.
        calling: specification of the policy that calls.
        decisions: number that a round learns from.
        rounds: each but the first is played by the result of the one before.
        begin_with: version of the package's network to begin with, which also plays the first
            round; 0: the linear weights do both.
        seed: of the deals, and of all other draws; SEED_OFFSET is added to it.
    """

    policy: str
    teams: Literal[2, 3]
    bidding: Literal["take", "auction"]
    calling: str
    decisions: int
    rounds: int
    seed: int
    begin_with: int = 0


@dataclass
class TrainingProgress:
    """Progress of a training: `done` decisions of a round, from `part` parts of deals."""

    round: int = 0
    part: int = 0
    done: int = 0


@dataclass(frozen=True)
class SelfPlaySource:
    """A source: deals of a table where one player sits at all seats and plays all rollouts.

    The same weights serve fixed and random partners, so every fourth part is played with partners
    drawn anew.
    """

    rules: KqjRules
    calling: str
    seed: int

    def start(self, player: str, in_use: Mapping[str, Float32Array]) -> DecisionGenerator:
        """Return the generator of a player's decisions, with these weights in use."""
        for policy, numbers in in_use.items():
            weights.override(policy, self.rules.teams, self.rules.bidding, numbers)
        found = parse_player(f"{self.calling}+{player}")
        fixed, drawn = (replace(self.rules, partners=partners) for partners in ("fixed", "random"))
        seed = SEED_OFFSET + self.seed
        return lambda first, deals: generate_decisions(
            drawn if first // PART_DEALS % 4 == 3 else fixed, found, seed, first, deals
        )


class Training:
    """A training that can be stopped after each chunk, saved, and resumed.

    Attributes:
        plan: the policy and the extent of the training.
        learner: the policy in training.
        position: its progress.
    """

    def __init__(self, plan: TrainingPlan, learner: Learner) -> None:
        self.plan = plan
        self.learner = learner
        self.position = TrainingProgress()

    @property
    def finished(self) -> bool:
        """True if all rounds are done."""
        return self.position.round == self.plan.rounds

    @property
    def done(self) -> int:
        """Decisions learnt from, in all rounds."""
        return self.position.round * self.plan.decisions + self.position.done

    @property
    def total(self) -> int:
        """Decisions of all rounds."""
        return self.plan.rounds * self.plan.decisions

    def run(self, source: DecisionSource, threads: int) -> Iterator[int]:
        """Train to the end, and yield the number of decisions of each chunk when it is done."""
        while not self.finished:
            round = self.position.round
            player, in_use = self.learner.player(round), self.learner.weights_in_use(round)
            chunks = self._chunks(source.start(player, in_use), threads)
            try:
                for decisions, parts in chunks:
                    yield self._learn(decisions, parts)
                    if self.position.round != round:
                        break
            finally:
                chunks.close()

    def _learn(self, decisions: CardDecisions, parts: int) -> int:
        """Learn from a chunk and return its number of decisions."""
        position, count, begin = self.position, len(decisions.kind), self.done
        chunk = position.round * ROUND_STRIDE + position.part
        self.learner.learn(decisions, chunk, begin / self.total, (begin + count) / self.total)
        position.part += parts
        position.done += count
        if position.done == self.plan.decisions:
            self.learner.end_round()
            self.position = TrainingProgress(position.round + 1)
        return count

    def _chunks(
        self, generate: DecisionGenerator, threads: int
    ) -> Generator[tuple[CardDecisions, int], None, None]:
        """Yield the next chunks of this round without end, each with its number of parts of
        deals."""
        waiting: deque[Future[CardDecisions]] = deque()
        following = self.position.part
        first = self.position.round * ROUND_STRIDE
        with ThreadPoolExecutor(threads) as pool:
            try:
                while True:
                    found: list[CardDecisions] = []
                    wanted = min(CHUNK_DECISIONS, self.plan.decisions - self.position.done)
                    while len(found) < CHUNK_PARTS and _count_decisions(found) < wanted:
                        while len(waiting) < PARTS_AHEAD:
                            start = first + following * PART_DEALS
                            waiting.append(pool.submit(generate, start, PART_DEALS))
                            following += 1
                        found.append(waiting.popleft().result())
                    _check_not_barren(found)
                    yield select_decisions(concatenate_decisions(found), slice(wanted)), len(found)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def save(self) -> bytes:
        """Return a checkpoint."""
        out = io.BytesIO()
        about = json.dumps({"plan": asdict(self.plan), "position": asdict(self.position)})
        arrays: dict[str, Any] = {"about": np.array(about), **self.learner.arrays()}
        np.savez(out, **arrays)
        return out.getvalue()

    def restore(self, name: str, checkpoint: bytes) -> None:
        """Resume from a checkpoint; `name` is its name in errors.

        Raises:
            TrainingError: not a checkpoint, or one of another training.
        """
        own = asdict(self.plan)
        try:
            with np.load(io.BytesIO(checkpoint), allow_pickle=False) as archive:
                about = json.loads(str(archive["about"]))
                given = {key: archive[key] for key in archive.files}
            plan, position = about["plan"], TrainingProgress(**about["position"])
            different = next((key for key, value in own.items() if plan[key] != value), None)
            if different is None:
                for key, array in self.learner.arrays().items():
                    np.copyto(array, given[key])
        except Exception:
            # A damaged archive makes numpy and zipfile raise any kind, and their advice is no help.
            raise TrainingError(
                f"{name} is no checkpoint of such a training, or a damaged one: name another file, "
                "or delete this one to begin anew"
            ) from None
        if different is not None:
            raise TrainingError(
                f"{name} is of a training with {different} {plan[different]}, not {own[different]}"
            )
        self.position = position


def _count_decisions(parts: list[CardDecisions]) -> int:
    """Return the number of decisions."""
    return sum(len(each.kind) for each in parts)


def _check_not_barren(parts: list[CardDecisions]) -> None:
    """Raise TrainingError if many parts have not a single decision."""
    if len(parts) >= MAX_BARREN_PARTS and _count_decisions(parts) == 0:
        raise TrainingError(
            f"no decisions in {len(parts) * PART_DEALS:,} deals: the policy that calls never takes"
        )


def generate_held_out(generate: DecisionGenerator, count: int, threads: int) -> CardDecisions:
    """Return `count` decisions that no training learns from."""
    found: list[CardDecisions] = []
    with ThreadPoolExecutor(threads) as pool:
        start = HELD_OUT_START
        while _count_decisions(found) < count:
            starts = [start + number * PART_DEALS for number in range(threads)]
            found += pool.map(generate, starts, [PART_DEALS] * threads)
            _check_not_barren(found)
            start += threads * PART_DEALS
    return select_decisions(concatenate_decisions(found), slice(count))
