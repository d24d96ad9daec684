"""The commands that train the policies that learn."""

from __future__ import annotations

import math
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kqj_sim import __version__
from kqj_sim.cli.accept import accept
from kqj_sim.cli.interrupt import Interruption, end_interrupted
from kqj_sim.cli.options import (
    Whole,
    color_option,
    config_option,
    quiet_option,
    screen_width,
    stack,
    teams_and_bidding,
    wants_color,
)
from kqj_sim.cli.points import points
from kqj_sim.cli.progress import ProgressLine
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.reporting.grid import Cell, Grid
    from kqj_sim.training.linear import LinearTraining
    from kqj_sim.training.measure import Measure
    from kqj_sim.training.network import NetworkTraining
    from kqj_sim.training.report import KindReport
    from kqj_sim.training.run import Plan, Table, Training

ROUNDS = {"linear": 3, "network": 2}
"""Rounds unless asked for others."""

SAVE_EVERY = 30.0
"""Seconds between two checkpoints: losing less is not worth writing more."""

MATCH = 10_000
"""Deals of the match at the end."""


@click.group()
def train() -> None:
    """Train the policies that learn: their weights, and the point count."""


train.add_command(points)
train.add_command(accept)

_options = stack(
    teams_and_bidding,
    click.option(
        "--decisions",
        type=Whole(1, "2e6"),
        default=2_000_000,
        show_default=True,
        help="How many decisions each round learns from.",
    ),
    click.option(
        "--rounds",
        type=Whole(1, "3"),
        help="Rounds: each is played by what the one before has made; the first by standard "
        "(linear) or by linear (network).  [default: 3 for linear, 2 for network]",
    ),
    click.option(
        "--calling",
        default="standard",
        show_default=True,
        metavar="SPEC",
        help="The policy that calls.",
    ),
    click.option(
        "--seed",
        type=Whole(0, "1"),
        default=1,
        show_default=True,
        help="Seed of the training; the deals' is 1,000,000,000 more, so that other commands with "
        "seeds below that measure strength on other deals.",
    ),
    click.option(
        "--held-out",
        type=Whole(1, "1e5"),
        default=100_000,
        show_default=True,
        help="Decisions of other deals on which the result is measured.",
    ),
    click.option(
        "--out",
        metavar="FOLDER",
        default="weights",
        show_default=True,
        help="Folder for the file of weights and, until it is finished, the checkpoint.",
    ),
    click.option(
        "--weights-version",
        type=Whole(1, "2"),
        help="Version that the weights get.  [default: one more than the package's]",
    ),
    click.option("--resume", is_flag=True, help="Go on from the checkpoint of an interrupted run."),
    click.option(
        "--threads",
        type=Whole(1, "2"),
        help="Threads that play deals.  [default: all processors]",
    ),
    config_option,
    color_option,
    quiet_option,
)
"""Options of both policies."""

_PLACE = """\b
A file that is made takes the place of the package's own one by being copied to the folder
kqj_sim/policies/weights of the sources.
"""


@train.command(
    epilog=f"""\b
Examples:
  kqj-sim train linear --out weights
  kqj-sim train linear --teams 3 --bidding auction --out weights

{_PLACE}"""
)
@_options
def linear(**options: Any) -> None:
    """Train linear weights: deals are played, and every card of a decision tried out.

    Writes FOLDER/linear-TEAMS-BIDDING.npz and prints what it is worth: the gain, points that the
    chosen card brings more than the mean of the candidates, on deals it was not trained with.

    Interrupted, it goes on with --resume, and the file is the same to the byte as without.
    """
    _learn("linear", **options)


@train.command(
    epilog=f"""\b
Examples:
  kqj-sim train network --out weights --decisions 2e7
  kqj-sim train network --out weights --decisions 2e7 --resume

{_PLACE}"""
)
@_options
def network(**options: Any) -> None:
    """Train a network: deals are played, and every card of a decision tried out.

    Writes FOLDER/network-TEAMS-BIDDING.npz and prints what it is worth: the gain, points that the
    chosen card brings more than the mean of the candidates, on deals it was not trained with.
    It begins with the linear weights of the FOLDER, or else of the package.

    Interrupted, it goes on with --resume, and the file is the same to the byte as without.
    """
    _learn("network", **options)


def _learn(
    policy: str, teams: Any, bidding: Any, decisions: int, rounds: int | None, calling: str,
    seed: int, held_out: int, out: str, weights_version: int | None, resume: bool,
    threads: int | None, color: str, quiet: bool,
) -> None:  # fmt: skip
    """Train one policy for one game, and tell what it is worth."""
    from kqj_sim.policies import weights
    from kqj_sim.training.run import SEEDS, Plan, Table, Training, TrainingError

    if seed >= SEEDS:
        raise click.UsageError(f"--seed {seed}: it is below {SEEDS:,}")
    plan = Plan(policy, teams, bidding, calling, decisions, rounds or ROUNDS[policy], seed)
    rules = KqjRules(teams=plan.teams, bidding=bidding)
    target = Path(out) / weights.file_name(policy, teams, bidding)
    checkpoint = target.with_suffix(".checkpoint")
    if resume and not checkpoint.is_file():
        raise TrainingError(f"{checkpoint} does not exist: leave --resume out")
    if checkpoint.is_file() and not resume:
        raise TrainingError(f"{checkpoint} is there: go on from it with --resume, or remove it")
    version = weights_version or weights.packaged_version(policy, teams, bidding) + 1
    about = {**asdict(plan), "version": version, "package": __version__}
    learner, about["begun_with"] = _learner(plan, target.parent)
    about["command"] = _command(plan, version)
    training = Training(plan, learner)
    if resume:
        training.restore(str(checkpoint), checkpoint.read_bytes())
    target.parent.mkdir(parents=True, exist_ok=True)
    source = Table(rules, calling, seed)
    began = time.monotonic()
    if not _train(training, source, checkpoint, threads, quiet):
        end_interrupted(f"{training.done:,} of {training.total:,} decisions; go on with --resume")
    seconds = time.monotonic() - began
    _write(target, weights.to_bytes(policy, learner.trained(), about))
    checkpoint.unlink(missing_ok=True)
    written = f"{target}, version {version}"
    _tell(learner, training, source, held_out, threads, written, seconds, color)


def _learner(plan: Plan, folder: Path) -> tuple[LinearTraining | NetworkTraining, str]:
    """What is to be trained, and the weights it begins with in words."""
    from kqj_sim.policies import weights

    if plan.policy == "linear":
        from kqj_sim.training.linear import LinearTraining

        return LinearTraining(), ""
    from kqj_sim.training.decisions import KINDS
    from kqj_sim.training.network import NetworkTraining

    own = folder / weights.file_name("linear", plan.teams, plan.bidding)
    if own.is_file():
        linear, about = weights.read(own)
        version = about["version"]
    else:
        linear = weights.load("linear", plan.teams, plan.bidding)
        version = weights.version("linear", plan.teams, plan.bidding)
    return NetworkTraining(linear.reshape(len(KINDS), -1), plan.seed), f"linear version {version}"


def _command(plan: Plan, version: int) -> str:
    """The command line that makes the same weights again."""
    options = asdict(plan) | {"weights_version": version}
    policy = options.pop("policy")
    words = [f"--{name.replace('_', '-')} {shlex.quote(str(options[name]))}" for name in options]
    return f"kqj-sim train {policy} {' '.join(words)}"


def _train(
    training: Training, source: Table, checkpoint: Path, threads: int | None, quiet: bool
) -> bool:
    """Train to the end, or until Ctrl-C, which leaves a checkpoint; whether it is the end."""
    from kqj_sim.crew import default_threads

    with (
        ProgressLine("decisions", training.total, quiet) as progress,
        Interruption() as interruption,
    ):
        progress.resume(training.done)
        saved = time.monotonic()
        for count in training.run(source, threads or default_threads()):
            progress.advance(count)
            if training.finished:
                break
            if interruption.asked or time.monotonic() - saved > SAVE_EVERY:
                _write(checkpoint, training.save())
                saved = time.monotonic()
            if interruption.asked:
                break
    return training.finished


def _write(path: Path, content: bytes) -> None:
    from kqj_sim.reporting.files import OutputFile

    with OutputFile(path) as stream:
        stream.write(content)


def _tell(
    learner: LinearTraining | NetworkTraining, training: Training, source: Table, held_out: int,
    threads: int | None, written: str, seconds: float, color: str,
) -> None:  # fmt: skip
    """Print what the weights are worth."""
    from kqj_sim.crew import default_threads
    from kqj_sim.reporting.grid import to_rich, to_screen
    from kqj_sim.training.report import match, report

    threads = threads or default_threads()
    rows = report(learner, source, held_out, threads)
    before = learner.player(0)
    ahead = _points(match(training.plan, before, MATCH, threads))
    click.echo(f"{written}: {training.total:,} decisions, {seconds:,.0f} s")
    click.echo(f"{ahead} points a round ahead of {before}, on {MATCH:,} deals with sides changed")
    colored = wants_color(color)
    text = to_screen([to_rich(_grid(rows))], color=colored, width=screen_width())
    click.echo(text, nl=False, color=colored)


def _grid(rows: list[KindReport]) -> Grid:
    """The table: a row a kind of contract, and one for all."""
    from kqj_sim.reporting.grid import NOTHING, Cell, Grid

    fitted = rows[0].fit is not None
    headings = ["contract", "gain"]
    headings += ["R2 of the fit", "residual SD"] if fitted else ["gain of linear", "difference"]
    lines = []
    for row in rows:
        cells = [Cell(row.kind), _points(row.gain)]
        if row.before is not None and row.more is not None:
            cells += [_points(row.before), _points(row.more)]
        elif row.fit is None or math.isnan(row.fit.r2):
            cells += [Cell(NOTHING), Cell(NOTHING)]
        else:
            cells += [Cell(f"{row.fit.r2:.4f}"), Cell(f"{row.fit.residual:.1f}")]
        lines.append((*cells, Cell(f"{row.gain.decisions:,}")))
    return Grid(
        "Gain: points that the chosen card brings more than the mean of the candidates",
        (*headings, "decisions"),
        tuple(lines),
        note="On decisions held out; ±: 95% intervals.",
    )


def _points(measure: Measure) -> Cell:
    from kqj_sim.reporting.grid import estimate

    return estimate(measure.gain, measure.error, "points")
