"""A training from its beginning, or a checkpoint, to its end.

In each round the players play deals, and decisions met there are learnt from, a chunk at a time;
threads play the next deals meanwhile.  What comes of it depends on the plan alone: not on the
threads, and not on where the training was interrupted and gone on with.

Decisions by the hundred thousand: deals are played by threads and noted by `recorder`.
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
from kqj_sim.encode import encode_rules, encode_seating
from kqj_sim.policies import weights
from kqj_sim.policies.features import CARD_FEATURES, SHARED_FEATURES
from kqj_sim.policies.spec import parse_player
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

MOMENTS_PER_DEAL = 8
"""Moments of each deal that are recorded: few, so that decisions come from many deals."""

THREAD_DEALS = 16 * LANES
"""Deals of a thread's turn; what comes of them does not depend on the number of threads."""


@dataclass(frozen=True)
class DecisionSettings:
    """How decisions are made.

    Attributes:
        rules: the rules of the table.
        behaviour: specification of who calls and plays.
        rollout: specification of who plays on after each candidate card.
        seed: seed of the deals.
    """

    rules: KqjRules
    behaviour: str
    rollout: str
    seed: int


def generate_decisions(
    play: DecisionSettings, first: int, deals: int, threads: int = 1
) -> CardDecisions:
    """The decisions noted in the deals `first` to `first + deals - 1`, in order.

    Raises:
        kqj_sim.policies.PolicyError: a policy cannot be used.
    """
    starts = range(first, first + deals, THREAD_DEALS)
    with ThreadPoolExecutor(threads) as pool:
        parts = list(
            pool.map(
                lambda start: _generate_part(play, start, min(THREAD_DEALS, first + deals - start)),
                starts,
            )
        )
    return concatenate_decisions(parts)


def _generate_part(play: DecisionSettings, first: int, deals: int) -> CardDecisions:
    rules = encode_rules(play.rules)
    table = encode_seating(play.rules, [parse_player(play.behaviour)] * SEATS, None)
    rollouts = encode_seating(
        play.rules, [parse_player(play.rollout)] * SEATS, None, for_rollouts=True
    )
    sheet = np.zeros(1 + LANES * SHEET_SIZE, dtype=np.int64)
    recorders = make_recorder_seating(table, sheet)
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
            state, inner, sheet, start, lanes, play.seed, MOMENTS_PER_DEAL, rules, table, rollouts,
            recorders, output, filled,
        )  # fmt: skip
    return CardDecisions(
        kind=output.kind[:filled].copy(),
        shared=output.shared.reshape(room, SHARED_FEATURES)[:filled].copy(),
        shared_count=output.shared_count[:filled].copy(),
        cards=output.cards.reshape(room, MAX_CANDIDATES, CARD_FEATURES)[:filled].copy(),
        card_count=output.card_count[:filled].copy(),
        values=output.values.reshape(room, MAX_CANDIDATES)[:filled].copy(),
    )


CHUNK_DECISIONS = 200_000
"""Decisions that are learnt from at a time, and put in order by chance among themselves."""

PART_DEALS = 1024
"""Deals that a thread plays at a time."""

PARTS_AHEAD = 16
"""Parts that are played ahead."""

MAX_BARREN_PARTS = 8
"""Parts that must not be all without a decision."""

ROUND_STRIDE = 1 << 40
"""Deals between the first ones of two rounds."""

HELD_OUT_START = 1 << 59
"""The first deal of those that are held out: no round comes to it."""

SEED_OFFSET = 10**9
"""Added to the seed of a training: its deals are none of those with which strength is measured."""


class TrainingError(ValueError):
    """A training that cannot be done, or gone on with; one line."""


DecisionGenerator = Callable[[int, int], CardDecisions]
"""The decisions of a range of deals, by its first deal and their number; for threads."""


class DecisionSource(Protocol):
    """Where decisions come from."""

    def start(self, player: str, in_use: Mapping[str, NDArray[np.float32]]) -> DecisionGenerator:
        """Decisions of a player, with these weights by policy from now on."""


class Learner(Protocol):
    """What is trained: `linear.LinearTraining`, `network.NetworkTraining`."""

    name: str

    def player(self, round: int) -> str:
        """Who plays in a round, from 0."""

    def weights_in_use(self, round: int) -> dict[str, NDArray[np.float32]]:
        """The weights of those who play in a round, by policy."""

    def learn(self, decisions: CardDecisions, chunk: int, begin: float, end: float) -> None:
        """Take in a chunk; `begin` and `end` are shares of the training done around it."""

    def end_round(self) -> None:
        """Finish a round."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that going on needs, by name, not copied."""

    def trained_weights(self) -> NDArray[np.float32]:
        """The weights, for values in points."""


@dataclass(frozen=True)
class TrainingPlan:
    """What is trained, and how.

    Attributes:
        policy: `linear` or `network`.
        teams, bidding: the rules it is for.
        calling: specification of who calls.
        decisions: how many a round learns from.
        rounds: each but the first is played by what the one before has made.
        seed: of the deals, and of all else that is drawn; SEED_OFFSET is added to it.
    """

    policy: str
    teams: Literal[2, 3]
    bidding: Literal["take", "auction"]
    calling: str
    decisions: int
    rounds: int
    seed: int


@dataclass
class TrainingProgress:
    """How far a training has come: `done` decisions of a round, from `select_decisions` parts of
    deals."""

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

    def start(self, player: str, in_use: Mapping[str, NDArray[np.float32]]) -> DecisionGenerator:
        """Decisions of a player, with these weights by policy from now on."""
        for policy, numbers in in_use.items():
            weights.override(policy, self.rules.teams, self.rules.bidding, numbers)
        behaviour = f"{self.calling}+{player}"
        fixed, drawn = (
            DecisionSettings(
                replace(self.rules, partners=partners),
                behaviour,
                behaviour,
                SEED_OFFSET + self.seed,
            )
            for partners in ("fixed", "random")
        )
        return lambda first, deals: generate_decisions(
            drawn if first // PART_DEALS % 4 == 3 else fixed, first, deals
        )


class Training:
    """A training that can be stopped after each chunk, saved, and gone on with.

    Attributes:
        plan: what is trained, and how.
        learner: what is trained.
        position: how far it has come.
    """

    def __init__(self, plan: TrainingPlan, learner: Learner) -> None:
        self.plan = plan
        self.learner = learner
        self.position = TrainingProgress()

    @property
    def finished(self) -> bool:
        """Whether all rounds are done."""
        return self.position.round == self.plan.rounds

    @property
    def done(self) -> int:
        """Decisions that were learnt from, in all rounds."""
        return self.position.round * self.plan.decisions + self.position.done

    @property
    def total(self) -> int:
        """Decisions of all rounds."""
        return self.plan.rounds * self.plan.decisions

    def run(self, source: DecisionSource, threads: int) -> Iterator[int]:
        """Go on to the end; yields the number of decisions of each chunk when it is done."""
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
        """The next chunks of this round without end, each with the parts of deals it is made of."""
        waiting: deque[Future[CardDecisions]] = deque()
        following = self.position.part
        first = self.position.round * ROUND_STRIDE
        with ThreadPoolExecutor(threads) as pool:
            try:
                while True:
                    wanted = min(CHUNK_DECISIONS, self.plan.decisions - self.position.done)
                    found: list[CardDecisions] = []
                    while _count_decisions(found) < wanted:
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
        """A checkpoint."""
        out = io.BytesIO()
        about = json.dumps({"plan": asdict(self.plan), "position": asdict(self.position)})
        arrays: dict[str, Any] = {"about": np.array(about), **self.learner.arrays()}
        np.savez(out, **arrays)
        return out.getvalue()

    def restore(self, name: str, checkpoint: bytes) -> None:
        """Go on from a checkpoint, which errors call by its name.

        Raises:
            TrainingError: it is no checkpoint, or one of another training.
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
        except Exception as error:  # A damaged archive makes numpy and zipfile raise any kind.
            raise TrainingError(f"{name} is no checkpoint of such a training: {error}") from None
        if different is not None:
            raise TrainingError(
                f"{name} is of a training with {different} {plan[different]}, not {own[different]}"
            )
        self.position = position


def _count_decisions(parts: list[CardDecisions]) -> int:
    """How many decisions there are."""
    return sum(len(each.kind) for each in parts)


def _check_not_barren(parts: list[CardDecisions]) -> None:
    """Raise TrainingError if many parts have not a single decision."""
    if len(parts) >= MAX_BARREN_PARTS and _count_decisions(parts) == 0:
        raise TrainingError(
            f"no decisions in {len(parts) * PART_DEALS:,} deals: the policy that calls never takes"
        )


def generate_held_out(generate: DecisionGenerator, count: int, threads: int) -> CardDecisions:
    """So many decisions that no training learns from."""
    found: list[CardDecisions] = []
    with ThreadPoolExecutor(threads) as pool:
        start = HELD_OUT_START
        while _count_decisions(found) < count:
            starts = [start + number * PART_DEALS for number in range(threads)]
            found += pool.map(generate, starts, [PART_DEALS] * threads)
            _check_not_barren(found)
            start += threads * PART_DEALS
    return select_decisions(concatenate_decisions(found), slice(count))
