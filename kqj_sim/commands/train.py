"""The command `train`: learned policies, and the point counts of both games."""

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
from kqj_sim.api.progress import InterruptHandler, ProgressLine
from kqj_sim.commands.command import Command, Group
from kqj_sim.commands.options import (
    WholeNumberType,
    combine_options,
    config_option,
    quiet_option,
    teams_and_bidding,
    threads_option,
)
from kqj_sim.commands.output import color_option, print_screen, screen_width
from kqj_sim.commands.progress import exit_interrupted, make_timed_printer
from kqj_sim.commands.say import say
from kqj_sim.rules import KqjRules

if TYPE_CHECKING:
    from kqj_sim.reporting.grid import Cell, Grid
    from kqj_sim.training.decisions import GainEstimate
    from kqj_sim.training.linear import LinearTraining
    from kqj_sim.training.network import NetworkTraining
    from kqj_sim.training.report import KindReport
    from kqj_sim.training.run import SelfPlaySource, Training, TrainingPlan


MIN_ACCEPT_DEALS = 10_000
"""Fewest deals of a fit: with fewer, some places are asked too seldom."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim train accept > counted.toml
  kqj-sim train accept --void-rule free --deals 1e6 --seed 2

\b
The file is a player of Kwajongen:
  kqj-sim compare --game kwajongen counted.toml standard
""",
)
@click.option(
    "--void-rule",
    type=click.Choice(["must_trump", "free"]),
    metavar="RULE",
    default="must_trump",
    show_default=True,
    help="Make a player who cannot follow suit play a trump (must_trump) or not (free).",
)
@click.option(
    "--player",
    default="standard",
    show_default=True,
    metavar="SPEC",
    help="Play the cards like this policy.",
)
@click.option(
    "--deals", type=WholeNumberType(MIN_ACCEPT_DEALS, "1e6"), default=300_000, show_default=True,
    help="Play this many deals.",
)  # fmt: skip
@click.option(
    "--seed",
    type=WholeNumberType(0, "11"),
    default=11,
    show_default=True,
    help="Choose the deals by this seed.",
)
@config_option
@quiet_option
def accept(void_rule: str, player: str, deals: int, seed: int, quiet: bool) -> None:
    """Fit the point count by which Kwajongen's standard calls.

    Prints a player's file: standard with the fitted values of the cards and thresholds.
    """
    from kqj_sim.policies.spec import format_player_file, parse_player, parse_player_spec
    from kqj_sim.rules import KwajongenRules
    from kqj_sim.training.accept import fit_count, play_deals

    parse_player(player, "kwajongen")
    print_line = make_timed_printer(quiet)
    print_line(f"playing {deals:,} deals")
    played = play_deals(KwajongenRules.from_dict({"void_rule": void_rule}), deals, seed, player)
    print_line("fitting")
    values = {name: str(value) for name, value in fit_count(played).items()}
    parts = parse_player_spec("standard", "kwajongen").with_parameters(values, "standard")
    say(format_player_file(parts, screen_width() or 100), nl=False)


MIN_POINTS_DEALS = 1000
"""Fewest rounds of a fit: with fewer, some holdings do not occur."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim train points --out fit
  kqj-sim train points --player standard --deals 1e4 --out fit

\b
To replace the package's own file, copy points.toml to kqj_sim/policies of the
sources; to use it in a single run, write --policy FOLDER/points.toml.
""",
)
@click.option(
    "--player",
    default="network",
    show_default=True,
    metavar="SPEC",
    help="Play the cards like this policy.",
)
@click.option(
    "--deals",
    type=WholeNumberType(MIN_POINTS_DEALS, "1e5"),
    default=100_000,
    show_default=True,
    help="Play this many deals in each of 14 situations, in total about 120 times as many.",
)
@click.option(
    "--seed",
    type=WholeNumberType(0, "1"),
    default=1,
    show_default=True,
    help="Choose the deals by this seed, plus 1,000,000,000.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    default="fit",
    show_default=True,
    help="Write points.toml and points.md to this folder.",
)
@config_option
@quiet_option
def points(player: str, deals: int, seed: int, out: str, quiet: bool) -> None:
    """Fit the point count: the values of cards, when to take, and how to bid.

    Writes FOLDER/points.toml, all parameters of the policy points, and FOLDER/points.md, the count
    as a page for people with the accuracy of its predictions.
    """
    from kqj_sim.policies.spec import parse_player
    from kqj_sim.reporting.files import OutputFile
    from kqj_sim.reporting.points import describe_first_lap, render_points_page
    from kqj_sim.training.points import TEAMS, PointsPlan, fit_points
    from kqj_sim.training.run import SEED_OFFSET

    if seed >= SEED_OFFSET:
        raise click.UsageError(f"--seed {seed}: it is below {SEED_OFFSET:,}")
    plays = parse_player(f"points+{player}").playing
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        toml, page = (
            files.enter_context(OutputFile(folder / name)) for name in ("points.toml", "points.md")
        )
        fit = fit_points(PointsPlan.of(player, deals, seed), make_timed_printer(quiet))
        made_by = {
            "made by": f"`kqj-sim train points --player {shlex.quote(player)} --deals {deals} "
            f"--seed {seed}`",
            "version": f"kqj-sim {__version__}",
            "player of the cards": plays.text if plays.policy.weights else player,
            "seed": f"{seed} (deals from seed {SEED_OFFSET + seed:,} on)",
        }
        toml.write(fit.to_toml().encode())
        page.write(render_points_page(fit, made_by).encode())
    for teams in TEAMS:
        say(describe_first_lap(fit.thresholds[teams], teams))
    say(f"{folder / 'points.toml'} and {folder / 'points.md'} are written")


ROUNDS = {"linear": 3, "network": 2}
"""Default number of rounds of training, by policy."""

SAVE_SECONDS = 30.0
"""Time between two checkpoints, the most that is lost when the process ends."""

MATCH_DEALS = 10_000
"""Deals of the final match against the policy before."""


@click.group(cls=Group)
def train() -> None:
    """Train the learned policies and fit the point counts."""


train.add_command(points)
train.add_command(accept)

training_options = combine_options(
    teams_and_bidding,
    click.option(
        "--decisions",
        type=WholeNumberType(1, "2e6"),
        default=2_000_000,
        show_default=True,
        help="Learn from this many decisions in each round.",
    ),
    click.option(
        "--rounds",
        type=WholeNumberType(1, "3"),
        help="Train in this many rounds, each with the weights of the one before.  [default: 3 for "
        "linear, 2 for network]",
    ),
    click.option(
        "--caller",
        default="standard",
        show_default=True,
        metavar="SPEC",
        help="Call like this policy.",
    ),
    click.option(
        "--seed",
        type=WholeNumberType(0, "1"),
        default=1,
        show_default=True,
        help="Choose the deals by this seed, plus 1,000,000,000.",
    ),
    click.option(
        "--held-out",
        type=WholeNumberType(1, "1e5"),
        default=100_000,
        show_default=True,
        help="Measure the result on this many decisions from other deals.",
    ),
    click.option(
        "--out",
        metavar="FOLDER",
        default="weights",
        show_default=True,
        help="Write the weights, and the checkpoint until then, to this folder.",
    ),
    click.option(
        "--weights-version",
        type=WholeNumberType(1, "2"),
        help="Give the weights this version.  [default: one more than the package's]",
    ),
    click.option(
        "--resume", is_flag=True, help="Resume from the checkpoint of an interrupted run."
    ),
    threads_option,
    config_option,
    color_option,
    quiet_option,
)
"""Options for training either policy."""

_INSTALL_HINT = """\b
To replace the package's own weights, copy the file to the folder
kqj_sim/policies/weights of the sources.
"""


@train.command(
    cls=Command,
    epilog=f"""\b
Examples:
  kqj-sim train linear --out weights
  kqj-sim train linear --teams 3 --bidding auction --out weights

{_INSTALL_HINT}""",
)
@training_options
def linear(**options: Any) -> None:
    """Train linear weights from deals in which every card of a decision is played.

    Writes FOLDER/linear-TEAMS-BIDDING.npz and prints its gain: by how many points the chosen card
    beats the mean of the candidates, on deals that were not used for training.

    An interrupted run resumes with --resume; the file is then the same to the byte.
    """
    _train_policy("linear", **options)


@train.command(
    cls=Command,
    epilog=f"""\b
Examples:
  kqj-sim train network --out weights --decisions 2e7
  kqj-sim train network --out weights --decisions 2e7 --resume

{_INSTALL_HINT}""",
)
@training_options
@click.option(
    "--begin-with",
    type=WholeNumberType(1, "2"),
    metavar="VERSION",
    help="Begin with this version of the package's network, which also plays the first round.  "
    "[default: the linear weights]",
)
def network(**options: Any) -> None:
    """Train a network from deals in which every card of a decision is played.

    Writes FOLDER/network-TEAMS-BIDDING.npz and prints its gain: by how many points the chosen card
    beats the mean of the candidates, on deals that were not used for training.  Training starts
    from the linear weights in FOLDER, or else from those of the package.

    An interrupted run resumes with --resume; the file is then the same to the byte.
    """
    _train_policy("network", **options)


def _train_policy(
    policy: str, teams: Any, bidding: Any, decisions: int, rounds: int | None, caller: str,
    seed: int, held_out: int, out: str, weights_version: int | None, resume: bool,
    threads: int | None, color: str, quiet: bool, begin_with: int | None = None,
) -> None:  # fmt: skip
    """Train one policy for one variant of KQJ and print its gain."""
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
    plan = TrainingPlan(
        policy, teams, bidding, caller, decisions, rounds or ROUNDS[policy], seed, begin_with or 0
    )
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
    source = SelfPlaySource(rules, caller, seed)
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
    """Return the learner, and a description of the weights from which it starts."""
    from kqj_sim.policies import weights

    if plan.policy == "linear":
        from kqj_sim.training.linear import LinearTraining

        return LinearTraining(), ""
    from kqj_sim.training.decisions import KINDS
    from kqj_sim.training.network import NetworkTraining

    linear_path = folder / weights.file_name("linear", plan.teams, plan.bidding)
    if linear_path.is_file():
        linear, about = weights.read(linear_path)
        version = about["version"]
    else:
        linear = weights.load("linear", plan.teams, plan.bidding)
        version = weights.version("linear", plan.teams, plan.bidding)
    linear = linear.reshape(len(KINDS), -1)
    if plan.begin_with == 0:
        return NetworkTraining(linear, plan.seed), f"linear version {version}"
    begun = weights.load("network", plan.teams, plan.bidding, plan.begin_with)
    started = f"network version {plan.begin_with}"
    return NetworkTraining(linear, plan.seed, begun.reshape(len(KINDS), -1).copy()), started


def _format_command(plan: TrainingPlan, version: int) -> str:
    """Return the command line that makes the same weights."""
    names = {"calling": "caller"}
    options = {names.get(name, name): value for name, value in asdict(plan).items()}
    options["weights_version"] = version
    policy = options.pop("policy")
    if options["begin_with"] == 0:
        del options["begin_with"]
    words = [f"--{name.replace('_', '-')} {shlex.quote(str(options[name]))}" for name in options]
    return f"kqj-sim train {policy} {' '.join(words)}"


def _train(
    training: Training, source: SelfPlaySource, checkpoint: Path, threads: int | None, quiet: bool
) -> bool:
    """Train to the end, or until Ctrl-C, which leaves a checkpoint; return True at the end."""
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
    """Write a file that appears under its name when it is complete."""
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
    """Print the gain of the weights, and the result of a match against the policy before."""
    from kqj_sim.reporting.grid import to_rich
    from kqj_sim.training.report import play_match, report_gains
    from kqj_sim.workers import count_processors

    threads = threads or count_processors()
    rows = report_gains(learner, source, held_out, threads)
    before = "linear" if learner.name == "network" else learner.player(0)
    ahead = _format_points(play_match(training.plan, before, MATCH_DEALS, threads))
    say(f"{written}: {training.total:,} decisions, {seconds:,.0f} s")
    say(f"{ahead} points a round ahead of {before}, on {MATCH_DEALS:,} deals with sides changed")
    print_screen([to_rich(_make_grid(rows))], color)


def _make_grid(rows: list[KindReport]) -> Grid:
    """Return a table with one row per kind of contract, and one for all."""
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
    """Return a gain in points with its error."""
    from kqj_sim.reporting.grid import format_with_error

    return format_with_error(measure.gain, measure.error, "points")
