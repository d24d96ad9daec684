"""The commands that train the policies that learn.

The command that fits the count of Kwajongen.

The command that fits the point count.
"""

from __future__ import annotations

import math
import shlex
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kqj_sim import __version__
from kqj_sim.commands.options import (
    WholeNumberType,
    combine_options,
    config_option,
    quiet_option,
    teams_and_bidding,
)
from kqj_sim.commands.output import color_option, print_screen, screen_width
from kqj_sim.commands.progress import (
    InterruptHandler,
    ProgressLine,
    exit_interrupted,
    make_timed_printer,
)
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.reporting.grid import Cell, Grid
    from kqj_sim.training.decisions import GainEstimate
    from kqj_sim.training.linear import LinearTraining
    from kqj_sim.training.network import NetworkTraining
    from kqj_sim.training.report import KindReport
    from kqj_sim.training.run import SelfPlaySource, Training, TrainingPlan


MIN_ACCEPT_DEALS = 10_000
"""With fewer the counts of a place that is seldom asked are chance."""


@click.command(
    epilog="""\b
Examples:
  kqj-sim train accept > counted.toml
  kqj-sim train accept --void-rule free --deals 1e6 --seed 2

\b
The file is a player of Kwajongen:
  kqj-sim compare --game kwajongen counted.toml standard
"""
)
@click.option(
    "--void-rule",
    type=click.Choice(["must_trump", "free"]),
    default="must_trump",
    show_default=True,
    help="Whether a player who is void in the suit led must play a trump.",
)
@click.option(
    "--playing", default="standard", show_default=True, metavar="SPEC", help="Who plays the cards."
)
@click.option(
    "--deals", type=WholeNumberType(MIN_ACCEPT_DEALS, "1e6"), default=300_000, show_default=True,
    help="Deals of the fit.",
)  # fmt: skip
@click.option(
    "--seed",
    type=WholeNumberType(0, "11"),
    default=11,
    show_default=True,
    help="Seed of the deals.",
)
@config_option
@quiet_option
def accept(void_rule: str, playing: str, deals: int, seed: int, quiet: bool) -> None:
    """Fit the count of Kwajongen's standard: what cards count, and from when on to play.

    Prints a player's file, standard with the parameters that were found.
    """
    from kqj_sim.policies.player_files import format_player_file
    from kqj_sim.policies.spec import parse_player, parse_player_spec
    from kqj_sim.rules import KwajongenRules
    from kqj_sim.training.accept import fit_count, play_deals

    parse_player(playing, "kwajongen")
    say = make_timed_printer(quiet)
    say(f"playing {deals:,} deals")
    played = play_deals(KwajongenRules.from_dict({"void_rule": void_rule}), deals, seed, playing)
    say("fitting")
    values = {name: str(value) for name, value in fit_count(played).items()}
    parts = parse_player_spec("standard", "kwajongen").with_parameters(values, "standard")
    click.echo(format_player_file(parts, screen_width() or 100), nl=False)


MIN_POINTS_DEALS = 1000
"""With fewer some holdings do not occur."""


@click.command(
    epilog="""\b
Examples:
  kqj-sim train points --out fit
  kqj-sim train points --playing standard --deals 1e4 --out fit

\b
The file points.toml takes the place of the package's own one by being copied to the folder
kqj_sim/policies of the sources; for a single run --policy FOLDER/points.toml calls by it.
"""
)
@click.option(
    "--playing",
    default="network",
    show_default=True,
    metavar="SPEC",
    help="The policy that plays the cards.",
)
@click.option(
    "--deals",
    type=WholeNumberType(MIN_POINTS_DEALS, "1e5"),
    default=100_000,
    show_default=True,
    help="Rounds in each of 14 situations for the count; the other parts are in proportion, in "
    "all about 120 times as many.",
)
@click.option(
    "--seed",
    type=WholeNumberType(0, "1"),
    default=1,
    show_default=True,
    help="Seed of the fit; the deals' are 1,000,000,000 more and higher.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    default="fit",
    show_default=True,
    help="Folder for points.toml and points.md.",
)
@config_option
@quiet_option
def points(playing: str, deals: int, seed: int, out: str, quiet: bool) -> None:
    """Fit the point count: what cards count, when to take, and how to bid.

    Writes FOLDER/points.toml, every parameter of the policy points, and FOLDER/points.md, the
    count as a page for people, with how well it tells what a hand will make.
    """
    from kqj_sim.policies.spec import parse_player
    from kqj_sim.reporting.files import OutputFile
    from kqj_sim.reporting.points import describe_first_lap, render_points_page
    from kqj_sim.training.points import TEAMS, PointsPlan, fit_points
    from kqj_sim.training.run import SEED_OFFSET

    if seed >= SEED_OFFSET:
        raise click.UsageError(f"--seed {seed}: it is below {SEED_OFFSET:,}")
    plays = parse_player(f"points+{playing}").playing
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        toml, page = (
            files.enter_context(OutputFile(folder / name)) for name in ("points.toml", "points.md")
        )
        fit = fit_points(PointsPlan.of(playing, deals, seed), make_timed_printer(quiet))
        made_by = {
            "made by": f"`kqj-sim train points --playing {shlex.quote(playing)} --deals {deals} "
            f"--seed {seed}`",
            "version": f"kqj-sim {__version__}",
            "player of the cards": plays.text if plays.policy.weights else playing,
            "seed": f"{seed} (deals from seed {SEED_OFFSET + seed:,} on)",
        }
        toml.write(fit.to_toml().encode())
        page.write(render_points_page(fit, made_by).encode())
    for teams in TEAMS:
        click.echo(describe_first_lap(fit.thresholds[teams], teams))
    click.echo(f"{folder / 'points.toml'} and {folder / 'points.md'} are written")


ROUNDS = {"linear": 3, "network": 2}
"""Rounds unless asked for others."""

SAVE_SECONDS = 30.0
"""Seconds between two checkpoints: losing less is not worth writing more."""

MATCH_DEALS = 10_000
"""Deals of the match at the end."""


@click.group()
def train() -> None:
    """Train the learned policies and fit the point counts."""


train.add_command(points)
train.add_command(accept)

_options = combine_options(
    teams_and_bidding,
    click.option(
        "--decisions",
        type=WholeNumberType(1, "2e6"),
        default=2_000_000,
        show_default=True,
        help="How many decisions each round learns from.",
    ),
    click.option(
        "--rounds",
        type=WholeNumberType(1, "3"),
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
        type=WholeNumberType(0, "1"),
        default=1,
        show_default=True,
        help="Seed of the training; the deals' is 1,000,000,000 more, so that other commands with "
        "seeds below that measure strength on other deals.",
    ),
    click.option(
        "--held-out",
        type=WholeNumberType(1, "1e5"),
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
        type=WholeNumberType(1, "2"),
        help="Version that the weights get.  [default: one more than the package's]",
    ),
    click.option("--resume", is_flag=True, help="Go on from the checkpoint of an interrupted run."),
    click.option(
        "--threads",
        type=WholeNumberType(1, "2"),
        help="Threads that play deals.  [default: all processors]",
    ),
    config_option,
    color_option,
    quiet_option,
)
"""Options of both policies."""

_INSTALL_HINT = """\b
A file that is made takes the place of the package's own one by being copied to the folder
kqj_sim/policies/weights of the sources.
"""


@train.command(
    epilog=f"""\b
Examples:
  kqj-sim train linear --out weights
  kqj-sim train linear --teams 3 --bidding auction --out weights

{_INSTALL_HINT}"""
)
@_options
def linear(**options: Any) -> None:
    """Train linear weights: deals are played, and every card of a decision tried out.

    Writes FOLDER/linear-TEAMS-BIDDING.npz and prints what it is worth: the gain, points that the
    chosen card brings more than the mean of the candidates, on deals it was not trained with.

    Interrupted, it goes on with --resume, and the file is the same to the byte as without.
    """
    _train_policy("linear", **options)


@train.command(
    epilog=f"""\b
Examples:
  kqj-sim train network --out weights --decisions 2e7
  kqj-sim train network --out weights --decisions 2e7 --resume

{_INSTALL_HINT}"""
)
@_options
def network(**options: Any) -> None:
    """Train a network: deals are played, and every card of a decision tried out.

    Writes FOLDER/network-TEAMS-BIDDING.npz and prints what it is worth: the gain, points that the
    chosen card brings more than the mean of the candidates, on deals it was not trained with.
    It begins with the linear weights of the FOLDER, or else of the package.

    Interrupted, it goes on with --resume, and the file is the same to the byte as without.
    """
    _train_policy("network", **options)


def _train_policy(
    policy: str, teams: Any, bidding: Any, decisions: int, rounds: int | None, calling: str,
    seed: int, held_out: int, out: str, weights_version: int | None, resume: bool,
    threads: int | None, color: str, quiet: bool,
) -> None:  # fmt: skip
    """Train one policy for one game, and tell what it is worth."""
    from kqj_sim.policies import weights
    from kqj_sim.training.run import (
        SEED_OFFSET,
        SelfPlaySource,
        Training,
        TrainingError,
        TrainingPlan,
    )

    if seed >= SEED_OFFSET:
        raise click.UsageError(f"--seed {seed}: it is below {SEED_OFFSET:,}")
    plan = TrainingPlan(policy, teams, bidding, calling, decisions, rounds or ROUNDS[policy], seed)
    rules = KqjRules(teams=plan.teams, bidding=bidding)
    target = Path(out) / weights.file_name(policy, teams, bidding)
    checkpoint = target.with_suffix(".checkpoint")
    if resume and not checkpoint.is_file():
        raise TrainingError(f"{checkpoint} does not exist: leave --resume out")
    if checkpoint.is_file() and not resume:
        raise TrainingError(f"{checkpoint} is there: go on from it with --resume, or remove it")
    version = weights_version or weights.packaged_version(policy, teams, bidding) + 1
    about = {**asdict(plan), "version": version, "package": __version__}
    learner, about["begun_with"] = _make_training(plan, target.parent)
    about["command"] = _format_command(plan, version)
    training = Training(plan, learner)
    if resume:
        training.restore(str(checkpoint), checkpoint.read_bytes())
    target.parent.mkdir(parents=True, exist_ok=True)
    source = SelfPlaySource(rules, calling, seed)
    began = time.monotonic()
    if not _train(training, source, checkpoint, threads, quiet):
        exit_interrupted(f"{training.done:,} of {training.total:,} decisions; go on with --resume")
    seconds = time.monotonic() - began
    _write(target, weights.to_bytes(policy, learner.trained_weights(), about))
    checkpoint.unlink(missing_ok=True)
    written = f"{target}, version {version}"
    _print_result(learner, training, source, held_out, threads, written, seconds, color)


def _make_training(
    plan: TrainingPlan, folder: Path
) -> tuple[LinearTraining | NetworkTraining, str]:
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


def _format_command(plan: TrainingPlan, version: int) -> str:
    """The command line that makes the same weights again."""
    options = asdict(plan) | {"weights_version": version}
    policy = options.pop("policy")
    words = [f"--{name.replace('_', '-')} {shlex.quote(str(options[name]))}" for name in options]
    return f"kqj-sim train {policy} {' '.join(words)}"


def _train(
    training: Training, source: SelfPlaySource, checkpoint: Path, threads: int | None, quiet: bool
) -> bool:
    """Train to the end, or until Ctrl-C, which leaves a checkpoint; whether it is the end."""
    from kqj_sim.workers import count_processors

    with (
        ProgressLine("decisions", training.total, quiet) as progress,
        InterruptHandler() as interruption,
    ):
        progress.resume(training.done)
        saved = time.monotonic()
        for count in training.run(source, threads or count_processors()):
            progress.advance(count)
            if training.finished:
                break
            if interruption.stop_requested or time.monotonic() - saved > SAVE_SECONDS:
                _write(checkpoint, training.save())
                saved = time.monotonic()
            if interruption.stop_requested:
                break
    return training.finished


def _write(path: Path, content: bytes) -> None:
    from kqj_sim.reporting.files import OutputFile

    with OutputFile(path) as stream:
        stream.write(content)


def _print_result(
    learner: LinearTraining | NetworkTraining,
    training: Training,
    source: SelfPlaySource,
    held_out: int,
    threads: int | None,
    written: str,
    seconds: float,
    color: str,
) -> None:
    """Print what the weights are worth."""
    from kqj_sim.reporting.grid import to_rich
    from kqj_sim.training.report import play_match, report_gains
    from kqj_sim.workers import count_processors

    threads = threads or count_processors()
    rows = report_gains(learner, source, held_out, threads)
    before = learner.player(0)
    ahead = _format_points(play_match(training.plan, before, MATCH_DEALS, threads))
    click.echo(f"{written}: {training.total:,} decisions, {seconds:,.0f} s")
    click.echo(
        f"{ahead} points a round ahead of {before}, on {MATCH_DEALS:,} deals with sides changed"
    )
    print_screen([to_rich(_make_grid(rows))], color)


def _make_grid(rows: list[KindReport]) -> Grid:
    """The table: a row a kind of contract, and one for all."""
    from kqj_sim.reporting.grid import EMPTY_CELL_TEXT, Cell, Grid

    fitted = rows[0].fit is not None
    headings = ["contract", "gain"]
    headings += ["R2 of the fit", "residual SD"] if fitted else ["gain of linear", "difference"]
    lines = []
    for row in rows:
        cells = [Cell(row.kind), _format_points(row.gain)]
        if row.before is not None and row.more is not None:
            cells += [_format_points(row.before), _format_points(row.more)]
        elif row.fit is None or math.isnan(row.fit.r2):
            cells += [Cell(EMPTY_CELL_TEXT), Cell(EMPTY_CELL_TEXT)]
        else:
            cells += [Cell(f"{row.fit.r2:.4f}"), Cell(f"{row.fit.residual:.1f}")]
        lines.append((*cells, Cell(f"{row.gain.decisions:,}")))
    return Grid(
        "Gain: points that the chosen card brings more than the mean of the candidates",
        (*headings, "decisions"),
        tuple(lines),
        note="On decisions held out; ±: 95% intervals.",
    )


def _format_points(measure: GainEstimate) -> Cell:
    from kqj_sim.reporting.grid import format_with_error

    return format_with_error(measure.gain, measure.error, "points")
