"""The calibration of `kqj-sim odds`: estimated chances against the contracts made.

    python benchmarks/calibration.py --hands 2000 --out calibration.md --plot calibration.png

In dealt rounds a random turn is drawn, and with it a random contract that the player may take (with
auctions: bid, as low as possible).  The chance to make it is estimated from the knowledge of that
player; the deal itself, played by the same players, shows whether it is made.  Of the contracts
with an estimated chance of 60 to 70%, that share should be made.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import numpy as np

from kqj_sim.analysis.intervals import Estimate, estimate_share
from kqj_sim.analysis.odds.auction_state import (
    CallOption,
    find_lowest_amount,
    format_call,
    list_call_options,
    make_contract_option,
)
from kqj_sim.analysis.odds.estimator import EstimateSettings
from kqj_sim.analysis.odds.kqj_calls import KqjCallSampler
from kqj_sim.analysis.odds.situation import parse_situation
from kqj_sim.core import rng
from kqj_sim.core.block import LANES
from kqj_sim.encode import CONTRACTS
from kqj_sim.experiment import Experiment
from kqj_sim.policies.spec import DEFAULT_PLAYER, parse_player
from kqj_sim.record import Record
from kqj_sim.records import play_records
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.training.imposed import ImposedRounds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = 10
TURNS = 2 * SEATS
"""Turns to speak, of which one is drawn."""
SPEAKING = ("pass", "take", "bid")
ENOUGH = 400
"""Effective sample size to reach: with fewer, chances scatter, and the largest and the smallest of
them are too large and too small."""
BLOCKS = 16
"""Blocks of 256 deals, at most."""

FORMS = {
    "two teams, taking": KqjRules(),
    "two teams, auctions": KqjRules(bidding="auction"),
    "three teams, taking": KqjRules(teams=3),
}


class Told(NamedTuple):
    """A contract: the deal, who plays it, the number of the contract, the amount, the chance."""

    deal: int
    place: int
    contract: int
    amount: int
    chance: float


def ask(record: Record, rules: KqjRules, seats: str, seed: int) -> Told | None:
    """Estimate a contract at a random turn of a round; None if the round ends before that turn.

    The draw does not depend on the round.  One among the turns that it came to would prefer rounds
    that end soon, of which the player who is asked knows nothing, and so would leaving out rounds
    for what is said later.
    """
    draw = rng.draw(seed, record.deal)
    turn = rng.scale_below(draw, TURNS)
    spoken = [number for number, call in enumerate(record.calls) if call.call in SPEAKING]
    if turn >= len(spoken):
        return None
    opener = (record.dealer + 1) % SEATS
    place = turn % SEATS
    situation = parse_situation(
        " ".join(record.dealt[(opener + place) % SEATS]),
        rules,
        return_card=record.turned,
        heard=", ".join(format_call(call) for call in record.calls[: spoken[turn]]),
    )
    settings = EstimateSettings(seed=seed, threads=1)
    sampler = KqjCallSampler(situation, [parse_player(seats)] * SEATS, settings)
    amount = find_lowest_amount(situation) if rules.bidding == "auction" else 0
    named: list[CallOption] = [
        make_contract_option(situation, sampler.auction_state, contract, amount)
        if amount
        else option
        for option in list_call_options(situation, sampler.auction_state)
        if (contract := option.contract) is not None
    ]
    option = named[rng.scale_below(rng.draw(draw, 1), len(named))]
    sampler = sampler.with_options([option])
    found = sampler.make_odds(settings)
    search = sampler.start_search(None, None)
    for chunk in sampler.iterate_chunks(0, BLOCKS * LANES, search):
        found.add(chunk)
        if found.effective_sample_size >= ENOUGH:
            break
    chance = found.estimate("makes", 0).value
    return Told(record.deal, place, CONTRACTS.index(str(option.contract)), amount, chance)


def told(rules: KqjRules, hands: int, seed: int) -> tuple[list[Told], np.ndarray]:
    """Return contracts with their estimated chances, and for each whether it was made."""
    seats = DEFAULT_PLAYER
    experiment = Experiment(rules=rules, policies=(seats,) * SEATS, deals=hands, seed=seed)
    asked = [
        each
        for record in play_records(experiment)
        if (each := ask(record, rules, seats, seed)) is not None
    ]
    columns = (np.array(column) for column in list(zip(*asked, strict=True))[:4])
    deals, places, contracts, amounts = columns
    return asked, ImposedRounds(rules, seats, seed).play(deals, places, contracts, amounts).made


def classes(asked: list[Told], made: np.ndarray) -> Iterator[tuple[str, float, Estimate]]:
    """Yield each class of chances: its name, the mean estimate, and the share made."""
    chances = np.array([each.chance for each in asked])
    number = np.minimum((chances * CLASSES).astype(int), CLASSES - 1)
    for each in range(CLASSES):
        members = number == each
        if members.any():
            name = f"{100 * each // CLASSES} to {100 * (each + 1) // CLASSES}%"
            count = int(members.sum())
            yield (
                name,
                float(chances[members].mean()),
                estimate_share(int(made[members].sum()), count),
            )


@click.command()
@click.option(
    "--hands",
    default=2000,
    show_default=True,
    help="Rounds of each form; few of them come to late turns.",
)
@click.option("--seed", default=1, show_default=True, help="Seed.")
@click.option("--out", type=click.Path(path_type=Path), help="The table, as Markdown.")
@click.option("--plot", type=click.Path(path_type=Path), help="The picture, .png.")
def main(hands: int, seed: int, out: Path | None, plot: Path | None) -> None:
    """Compare the chances estimated by odds with the contracts made."""
    text = (
        "# Are the chances told by `kqj-sim odds` right?\n\n"
        f"Made by `python benchmarks/calibration.py --hands {hands} --seed {seed}`.  Contracts are "
        "put into classes\nby the chance told; *made* is the share that were made when the same "
        "players played the\nvery deals, with its 95% interval.\n"
    )
    drawn: dict[str, list[tuple[str, float, Estimate]]] = {}
    for form, rules in FORMS.items():
        asked, made = told(rules, hands, seed)
        drawn[form] = list(classes(asked, made))
        text += f"\n## {form[0].upper()}{form[1:]}, {DEFAULT_PLAYER}\n\n"
        text += "| chance told | contracts | mean told | made | standard errors off |\n"
        text += "| --- | --: | --: | --: | --: |\n"
        for name, mean, found in drawn[form]:
            error = max((mean * (1 - mean) / found.observations) ** 0.5, 1e-9)
            text += (
                f"| {name} | {found.observations:,} | {100 * mean:.1f}% | {100 * found.value:.1f}% "
                f"({100 * found.low:.1f} to {100 * found.high:.1f}) | "
                f"{(found.value - mean) / error:+.1f} |\n"
            )
        click.echo(form, err=True)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
    if plot is not None:
        draw(drawn, plot)


def draw(drawn: dict[str, list[tuple[str, float, Estimate]]], path: Path) -> None:
    """Draw one panel per variant: the share made against the estimated chance."""
    from kqj_sim.reporting.figures import BLUE, GREY, render_figure

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, len(drawn), sharey=True, squeeze=False)[0]
        for axes, (form, found) in zip(panels, drawn.items(), strict=True):
            axes.plot([0, 100], [0, 100], color=GREY, linewidth=1)
            axes.errorbar(
                [100 * mean for _, mean, _ in found],
                [100 * each.value for *_, each in found],
                yerr=[
                    [100 * (each.value - each.low) for *_, each in found],
                    [100 * (each.high - each.value) for *_, each in found],
                ],
                fmt="o", color=BLUE, markersize=4, capsize=3,
            )  # fmt: skip
            axes.set_title(form)
            axes.set_xlim(0, 100)
            axes.set_ylim(0, 100)
            axes.set_aspect("equal")
            axes.set_xlabel("% told")
        panels[0].set_ylabel("% made")

    path.write_bytes(render_figure(paint, (4.2 * len(drawn), 4.4), "png"))


if __name__ == "__main__":
    main()
