"""A policy with parameters that vary, and what each set of their values scores against a field.

One team (every second seat with random partners) plays the policy, the others the field, with the
cards of each side of the table in turn (`kqj_sim.duplicate`); all values play the same deals.  The
unit is the deal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kqj_sim import duplicate
from kqj_sim.columns import column_numbers, columns_of
from kqj_sim.crew import Threads, at_once
from kqj_sim.duplicate import Arrangement, arrangements, seated
from kqj_sim.experiment import Experiment
from kqj_sim.messages import quote, shorten
from kqj_sim.policies.chosen import Chosen
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.parameters import Parameter, Value, write_number
from kqj_sim.policies.player_files import Parts
from kqj_sim.policies.specification import default_player, read_specification
from kqj_sim.rows import Rows
from kqj_sim.rules import GameRules
from kqj_sim.simulation import play_together
from kqj_sim.worker import CHUNK

MOST = 400
"""Sets of values of a sweep, at most."""


class VaryError(ValueError):
    """A parameter that cannot vary as it is asked to; one line that says what would be right."""


class Varied(NamedTuple):
    """A parameter and the values it takes, as they are written."""

    name: str
    values: tuple[str, ...]


class Played(NamedTuple):
    """What came of a policy's rounds, each int64 (n,), by deal and summed over the arrangements.

    Attributes:
        lead: what its side scores more than the field, in whole numbers (`Match.scale`).
        squares: the squares of the leads of the single rounds.
        takes: rounds in which its side is Sender.
        made: of these, contracts made.
    """

    lead: NDArray[np.int64]
    squares: NDArray[np.int64]
    takes: NDArray[np.int64]
    made: NDArray[np.int64]


@dataclass(frozen=True)
class Match:
    """A field, the rules, and the deals on which policies meet it.

    Attributes:
        rules: the rules of the table.
        field: specification of who plays against the policy.
        seed: seed of the deals.
    """

    rules: GameRules
    field: str
    seed: int

    @cached_property
    def seatings(self) -> tuple[Arrangement, ...]:
        """The arrangements of the policy's side and the field."""
        return arrangements(self.rules, alone=True)

    @property
    def scale(self) -> int:
        """What a lead is divided by to be points a round."""
        return duplicate.scale(self.seatings)

    @property
    def largest_lead(self) -> int:
        """The most that a deal can be worth, in points."""
        return self.rules.most_points

    def experiments(self, policy: str, first: int, deals: int) -> list[Experiment]:
        """What is played: an experiment an arrangement; raises as `Experiment`."""
        return [
            Experiment(self.rules, seated(seats, policy, self.field), deals, self.seed, first)
            for seats in self.seatings
        ]

    def play(self, policy: str, first: int, deals: int, threads: Threads = None) -> Played:
        """Play a range of deals; raises as `simulation.fold`."""
        chunk = max(1, min(CHUNK, -(-deals // at_once(threads))))
        experiments = self.experiments(policy, first, deals)
        parts = [*play_together(experiments, self._count, threads, chunk)]
        return Played(*np.concatenate(parts, axis=1))

    def _count(self, played: tuple[Rows, ...]) -> NDArray[np.int64]:
        """What `Played` holds of a chunk, int64 (4, n)."""
        counts = np.zeros((len(Played._fields), len(played[0])), dtype=np.int64)
        result = columns_of(self.rules.game)[column_numbers(self.rules.game)["result"]]
        made = result.labels.index("made")
        for rows, seats in zip(played, self.seatings, strict=True):
            own = duplicate.sends(rows, seats, 0)
            lead = duplicate.leads(rows, seats)
            counts += [lead, lead * lead, own, own & (rows.column("result") == made)]
        return counts


@dataclass(frozen=True)
class Subject:
    """A policy of a game whose parameters are set anew: a specification, read."""

    text: str
    game: str = "kqj"

    @cached_property
    def parts(self) -> Parts:
        """Who calls and who plays, as far as it says; raises PolicyError."""
        return read_specification(self.text, self.game)

    def with_values(self, values: Mapping[str, str]) -> Parts:
        """The same with other values of parameters, what is left out being the default player's.

        Raises:
            PolicyError: an unknown parameter, or a value that is not allowed.
        """
        parts = self.parts.changed(values, self.text)
        default = default_player(self.game)
        return Parts(parts.name, parts.calling or default.calling, parts.playing or default.playing)

    def parameter(self, name: str) -> tuple[Parameter, str]:
        """A parameter, and its value as it is written; `calling.NAME` says whose it is.

        Raises:
            PolicyError: there is none of that name, or both parts have one.
        """
        part, own = self.parts.addressed(name, self.text)[0]
        chosen: Chosen = getattr(self.parts, part)
        parameter = chosen.parameter(own)
        return parameter, parameter.write(chosen.by_name[own])

    def check_effect(self, names: Sequence[str], rules: GameRules) -> None:
        """Raise VaryError for a parameter that games by these rules do not read."""
        for name in names:
            part, own = self.parts.addressed(name, self.text)[0]
            told = getattr(self.parts, part).without_effect(own, rules)
            if told:
                raise VaryError(told)

    def read(self, name: str, text: str) -> Value:
        """A value of a parameter; raises PolicyError if it is not allowed."""
        parameter, _ = self.parameter(name)
        try:
            return parameter.read(text)
        except PolicyError as error:
            raise PolicyError(
                f"policy {quote(self.text)}: {name}={shorten(text)}: {error}"
            ) from None


def specification(parts: Parts) -> str:
    """Who calls and who plays, written out."""
    assert parts.calling is not None and parts.playing is not None
    if parts.together:
        return parts.calling.text
    return f"{parts.calling.text}+{parts.playing.text}"


def read_varied(text: str, subject: Subject) -> Varied:
    """A parameter that varies: `take=30:70:5` (to 70 included), `take=30,40,45`.

    Raises:
        VaryError: it is written otherwise, or gives no values.
        PolicyError: an unknown parameter, or a value that is not allowed.
    """
    name, equals, given = (piece.strip() for piece in text.partition("="))
    if not name or not equals or not given:
        raise VaryError(f"{quote(text)}: write parameter=from:to:step or parameter=value,value,...")
    parameter, _ = subject.parameter(name)
    values = _range(text, given) if ":" in given else [each.strip() for each in given.split(",")]
    if len(values) > MOST:
        raise VaryError(f"{name} has {len(values):,} values: at most {MOST}; take a larger step")
    written = [parameter.write(subject.read(name, value)) for value in values]
    for number, value in enumerate(written):
        if value in written[:number]:
            raise VaryError(f"{quote(text)}: the value {value} is there twice")
    return Varied(name, tuple(written))


def _range(text: str, given: str) -> list[str]:
    """The values of `from:to:step`, exactly as decimals count."""
    from decimal import Decimal, InvalidOperation

    form = "write from:to:step with a step above 0, such as 30:70:5"
    pieces = given.split(":")
    try:
        low, high, step = (Decimal(piece.strip()) for piece in pieces)
    except (ValueError, InvalidOperation):
        raise VaryError(f"{quote(text)}: {shorten(given)} is no range; {form}") from None
    if not all(number.is_finite() for number in (low, high, step)) or step <= 0:
        raise VaryError(f"{quote(text)}: {shorten(given)} is no range; {form}")
    if high < low:
        raise VaryError(
            f"{quote(text)}: the range is empty, as {shorten(pieces[1])} is below "
            f"{shorten(pieces[0])}"
        )
    try:
        steps = (high - low) // step
    except ArithmeticError:  # The quotient has more digits than are reckoned with.
        steps = Decimal("inf")
    if steps >= MOST:
        many = f"{int(steps) + 1:,}" if steps.is_finite() else "far too many"
        raise VaryError(f"{quote(text)}: {many} values: at most {MOST}; take a larger step")
    return [write_number(float(low + step * number)) for number in range(int(steps) + 1)]


def combinations(varied: Sequence[Varied]) -> list[tuple[str, ...]]:
    """Every set of values, the last parameter's changing fastest.

    Raises:
        VaryError: nothing varies, a parameter is there twice, or too many sets of values.
    """
    if not varied:
        raise VaryError("nothing varies: give a parameter and its values, such as take=30:70:5")
    names = [each.name for each in varied]
    for name in names:
        if names.count(name) > 1:
            raise VaryError(f"{name} varies twice: give all its values at once")
    count = math.prod(len(each.values) for each in varied)
    if count > MOST:
        counts = " x ".join(str(len(each.values)) for each in varied)
        raise VaryError(f"{counts} are {count:,} sets of values: at most {MOST}")
    return list(itertools.product(*(each.values for each in varied)))
