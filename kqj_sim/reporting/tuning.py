"""What a search for better parameters found: in words, as tables, and as a player's file."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kqj_sim import __version__
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.table import Line, Table, make_table
from kqj_sim.messages import shell_join
from kqj_sim.policies.chosen import split_file
from kqj_sim.policies.parameters import write_number
from kqj_sim.policies.player_files import PARTS, write_parts
from kqj_sim.reporting.grid import format_number
from kqj_sim.reporting.report import Report, Run, describe_rules

if TYPE_CHECKING:
    from kqj_sim.analysis.tune import Tuning
    from kqj_sim.policies.player_files import Parts

_WIDTH = 100


@dataclass(frozen=True)
class TuningRun(Run):
    """A run that searches parameters; `policies` are the policy and the field."""

    tuning: Tuning | None = None

    @property
    def _of(self) -> Tuning:
        assert self.tuning is not None
        return self.tuning

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        of = self._of
        return {
            **super().to_dict(),
            "policy": of.policy,
            "field": of.field,
            "method": METHOD,
            "parameters": {
                each.name: {
                    "low": each.low,
                    "high": each.high,
                    "step": each.step,
                    "start": each.start,
                    "found": value,
                }
                for each, value in zip(of.searched, of.values, strict=True)
            },
            "candidates": of.candidates,
            "generations": len(of.generations),
            "deals_a_candidate": of.deals,
            "confirmed_on": of.confirmed,
            "shown": of.shown if of.confirmed else None,
            "found": of.player,
        }

    def summary(self) -> str:
        """The run in a line for people."""
        of = self._of
        confirmed = f"; then {of.confirmed:,} fresh deals" if of.confirmed else ""
        generations = f"{len(of.generations)} generation{'s' if len(of.generations) > 1 else ''}"
        return (
            f"{describe_rules(of.rules)}; {of.policy} against {of.field}, its side holding every "
            f"side's cards; {generations} of {of.candidates} candidates by "
            f"{METHOD}, {of.deals:,} deals each, the same in a generation, from {of.first:,}, "
            f"seed {of.seed}{confirmed}"
        )


METHOD = "CMA-ES with margin (cmaes)"


def tuning_report(tuning: Tuning, command: str) -> Report:
    """Everything that is shown of a search; `command` is how to play what was found."""
    run = TuningRun(
        command="tune",
        rules=tuning.rules,
        policies=(tuning.policy, tuning.field),
        players=(tuning.player,),
        seed=tuning.seed,
        first=tuning.first,
        deals=tuning.confirmed,
        confidence=tuning.confidence,
        interrupted=tuning.interrupted,
        tuning=tuning,
    )
    return Report(run, [*_tables(tuning)], answer(tuning), [command])


def values_of(tuning: Tuning, values: tuple[float, ...] | None = None) -> str:
    """Values of the parameters, by default those found: `take=35, lap2=30`."""
    pairs = zip(tuning.searched, values or tuning.values, strict=True)
    return ", ".join(f"{each.name}={write_number(value)}" for each, value in pairs)


def answer(tuning: Tuning) -> list[str]:
    """What was found, and what the fresh deals say of it."""
    found = f"Found: {values_of(tuning)}"
    if tuning.shown == "same":
        return [f"{found}, where it began"]
    if tuning.confirmed == 0:
        return [f"{found}; not confirmed on fresh deals"]
    gain = tuning.gain
    if tuning.alike:
        told = f"It scored the same as where it began in each of {tuning.confirmed:,} fresh deals"
        return [found, told]
    number = str(format_number(gain.value, gain.low, gain.high, "points"))
    start = tuple(each.start for each in tuning.searched)
    words = {
        "better": "Confirmed",
        "worse": "Not confirmed, it is worse",
        "open": "Not shown to be better",
    }[tuning.shown]
    return [
        found,
        f"{words}: {number} points a round more than {values_of(tuning, start)} "
        f"({100 * tuning.confidence:g}%), {tuning.confirmed:,} fresh deals",
    ]


def _tables(tuning: Tuning) -> list[Table]:
    """The confirmation, the parameters, and the course of the search."""
    measured: list[Line] = [
        ((), f"where it began, points a round more than {tuning.field}", "points", tuning.start),
        ((), f"what was found, points a round more than {tuning.field}", "points", tuning.found),
        ((), "the difference, on the same deals", "points", tuning.gain),
    ]
    parameters: list[Line] = [
        (
            (
                each.name,
                write_number(each.start),
                write_number(value),
                f"{write_number(each.low)} to {write_number(each.high)}",
            ),
            "change, share of the range",
            "share",
            _plain((value - each.start) / (each.high - each.low), tuning.confirmed),
        )
        for each, value in zip(tuning.searched, tuning.values, strict=True)
    ]
    course: list[Line] = []
    for each in tuning.generations:
        group = (each.number, values_of(tuning, each.values))
        course += [
            (group, "candidates' mean", "points", _plain(each.points, tuning.deals)),
            (group, "best of them", "points", _plain(each.best, tuning.deals)),
        ]
    note = "The best of them was partly lucky, and each generation has other deals."
    confirmation = make_table("confirmation", "Confirmation on fresh deals", (), measured)
    return [
        *([confirmation] if tuning.confirmed else []),
        make_table(
            "parameters", "Parameters", ("parameter", "before", "found", "searched"), parameters,
            counted=False,
        ),
        make_table(
            "search", f"The search: points a round more than {tuning.field}",
            ("generation", "centre"), course, note, counted=False,
        ),
    ]  # fmt: skip


def _plain(value: float, deals: int) -> Estimate:
    """A number without an interval."""
    return Estimate(value, math.nan, math.nan, deals)


def player_file(tuning: Tuning, path: str, command: list[str]) -> bytes:
    """The policy with what was found as a player's file for `--policy`.

    Args:
        tuning: what was found.
        path: where the file will stand: a policy's own Python file is named relative to that.
        command: the words of the command line that found it.
    """
    made = [f"Made by: {shell_join(command)}", f"kqj-sim {__version__}"]
    lines = [f"# {line}" for line in (*made, *answer(tuning))]
    parts = _beside(tuning.parts, Path(path).parent)
    return ("\n".join(lines) + "\n\n" + write_parts(parts, _WIDTH)).encode()


def _beside(parts: Parts, folder: Path) -> Parts:
    """The parts with their policies' own files relative to a folder."""

    def moved(source: str) -> str:
        of_file = split_file(source, ".py")
        if of_file is None:
            return source
        return f"{Path(os.path.relpath(of_file[0], folder)).as_posix()}:{of_file[1]}"

    changed = {
        part: replace(chosen, source=moved(chosen.source))
        for part in PARTS
        if (chosen := getattr(parts, part)) is not None
    }
    return replace(parts, **changed)
