"""A training from its beginning, or a checkpoint, to its end.

In each round the players play deals, and decisions met there are learnt from, a chunk at a time;
threads play the next deals meanwhile.  What comes of it depends on the plan alone: not on the
threads, and not on where the training was interrupted and gone on with.
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

from kqj_sim.policies import weights
from kqj_sim.rules import KqjRules
from kqj_sim.training.decisions import Decisions, joined, part
from kqj_sim.training.generate import Play, generate

CHUNK = 200_000
"""Decisions that are learnt from at a time, and put in order by chance among themselves."""

PART = 1024
"""Deals that a thread plays at a time."""

AHEAD = 16
"""Parts that are played ahead."""

BARREN = 8
"""Parts that must not be all without a decision."""

ROUND = 1 << 40
"""Deals between the first ones of two rounds."""

HELD_OUT = 1 << 59
"""The first deal of those that are held out: no round comes to it."""

SEEDS = 10**9
"""Added to the seed of a training: its deals are none of those with which strength is measured."""


class TrainingError(ValueError):
    """A training that cannot be done, or gone on with; one line."""


Generate = Callable[[int, int], Decisions]
"""The decisions of a range of deals, by its first deal and their number; for threads."""


class Source(Protocol):
    """Where decisions come from."""

    def start(self, player: str, in_use: Mapping[str, NDArray[np.float32]]) -> Generate:
        """Decisions of a player, with these weights by policy from now on."""


class Learner(Protocol):
    """What is trained: `linear.LinearTraining`, `network.NetworkTraining`."""

    name: str

    def player(self, round: int) -> str:
        """Who plays in a round, from 0."""

    def in_use(self, round: int) -> dict[str, NDArray[np.float32]]:
        """The weights of those who play in a round, by policy."""

    def learn(self, decisions: Decisions, chunk: int, begin: float, end: float) -> None:
        """Take in a chunk; `begin` and `end` are shares of the training done around it."""

    def end_round(self) -> None:
        """Finish a round."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that going on needs, by name, not copied."""

    def trained(self) -> NDArray[np.float32]:
        """The weights, for values in points."""


@dataclass(frozen=True)
class Plan:
    """What is trained, and how.

    Attributes:
        policy: `linear` or `network`.
        teams, bidding: the rules it is for.
        calling: specification of who calls.
        decisions: how many a round learns from.
        rounds: each but the first is played by what the one before has made.
        seed: of the deals, and of all else that is drawn; SEEDS is added to it.
    """

    policy: str
    teams: Literal[2, 3]
    bidding: Literal["take", "auction"]
    calling: str
    decisions: int
    rounds: int
    seed: int


@dataclass
class Position:
    """How far a training has come: `done` decisions of a round, from `part` parts of deals."""

    round: int = 0
    part: int = 0
    done: int = 0


@dataclass(frozen=True)
class Table:
    """A source: deals of a table where one player sits at all seats and plays all rollouts.

    The same weights serve fixed and random partners, so every fourth part is played with partners
    drawn anew.
    """

    rules: KqjRules
    calling: str
    seed: int

    def start(self, player: str, in_use: Mapping[str, NDArray[np.float32]]) -> Generate:
        """Decisions of a player, with these weights by policy from now on."""
        for policy, numbers in in_use.items():
            weights.use(policy, self.rules.teams, self.rules.bidding, numbers)
        behaviour = f"{self.calling}+{player}"
        fixed, drawn = (
            Play(replace(self.rules, partners=partners), behaviour, behaviour, SEEDS + self.seed)
            for partners in ("fixed", "random")
        )
        return lambda first, deals: generate(
            drawn if first // PART % 4 == 3 else fixed, first, deals
        )


class Training:
    """A training that can be stopped after each chunk, saved, and gone on with.

    Attributes:
        plan: what is trained, and how.
        learner: what is trained.
        position: how far it has come.
    """

    def __init__(self, plan: Plan, learner: Learner) -> None:
        self.plan = plan
        self.learner = learner
        self.position = Position()

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

    def run(self, source: Source, threads: int) -> Iterator[int]:
        """Go on to the end; yields the number of decisions of each chunk when it is done."""
        while not self.finished:
            round = self.position.round
            player, in_use = self.learner.player(round), self.learner.in_use(round)
            chunks = self._chunks(source.start(player, in_use), threads)
            try:
                for decisions, parts in chunks:
                    yield self._learn(decisions, parts)
                    if self.position.round != round:
                        break
            finally:
                chunks.close()

    def _learn(self, decisions: Decisions, parts: int) -> int:
        position, count, begin = self.position, len(decisions.kind), self.done
        chunk = position.round * ROUND + position.part
        self.learner.learn(decisions, chunk, begin / self.total, (begin + count) / self.total)
        position.part += parts
        position.done += count
        if position.done == self.plan.decisions:
            self.learner.end_round()
            self.position = Position(position.round + 1)
        return count

    def _chunks(
        self, generate: Generate, threads: int
    ) -> Generator[tuple[Decisions, int], None, None]:
        """The next chunks of this round without end, each with the parts of deals it is made of."""
        waiting: deque[Future[Decisions]] = deque()
        following = self.position.part
        first = self.position.round * ROUND
        with ThreadPoolExecutor(threads) as pool:
            try:
                while True:
                    wanted = min(CHUNK, self.plan.decisions - self.position.done)
                    found: list[Decisions] = []
                    while _count(found) < wanted:
                        while len(waiting) < AHEAD:
                            start = first + following * PART
                            waiting.append(pool.submit(generate, start, PART))
                            following += 1
                        found.append(waiting.popleft().result())
                        _check(found)
                    yield part(joined(found), slice(wanted)), len(found)
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
            plan, position = about["plan"], Position(**about["position"])
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


def _count(parts: list[Decisions]) -> int:
    """How many decisions there are."""
    return sum(len(each.kind) for each in parts)


def _check(parts: list[Decisions]) -> None:
    """Raise TrainingError if many parts have not a single decision."""
    if len(parts) >= BARREN and _count(parts) == 0:
        raise TrainingError(
            f"no decisions in {len(parts) * PART:,} deals: the policy that calls never takes"
        )


def held_out(generate: Generate, count: int, threads: int) -> Decisions:
    """So many decisions that no training learns from."""
    found: list[Decisions] = []
    with ThreadPoolExecutor(threads) as pool:
        start = HELD_OUT
        while _count(found) < count:
            starts = [start + number * PART for number in range(threads)]
            found += pool.map(generate, starts, [PART] * threads)
            _check(found)
            start += threads * PART
    return part(joined(found), slice(count))
