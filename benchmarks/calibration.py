"""The calibration of `kqj-sim odds`: estimated chances against the contracts made.

    python benchmarks/calibration.py --out benchmarks/CALIBRATION.md \\
        --plot benchmarks/calibration.png

In dealt rounds a random turn is drawn, and with it a random contract that the player may take (with
auctions: bid, as low as possible).  The chance to make it is estimated from the knowledge of that
player; the deal itself, played by the same players, shows whether it is made.  Of the contracts
with an estimated chance of 60 to 70%, that share should be made.

Rounds are dealt until there are enough contracts.  Classes of chances with so few of them that the
interval of the share made is wider than 5 percentage points on either side are merged.

With `--during-play` turns to play are scored instead (`benchmarks.plays`), and with
`--choose-patience` the chances of plays with which hidden cards are predicted best are compared.
With `--decisions` the result is predicted from every decision of the default players.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import plays
from kqj_sim.cards import CONTRACTS
from kqj_sim.core import rng
from kqj_sim.core.block import LANES
from kqj_sim.core.types import BoolArray, Float64Array
from kqj_sim.games import KQJ
from kqj_sim.games.kqj.call_sampler import KqjCallSampler
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.policies.players import parse_player
from kqj_sim.policies.weights import VERSIONS
from kqj_sim.positions.auction_state import (
    CallOption,
    find_lowest_amount,
    format_call,
    list_call_options,
    make_bid_option,
    make_contract_option,
)
from kqj_sim.positions.estimator import make_sampler
from kqj_sim.positions.sampling import EstimatePlan, Limits
from kqj_sim.positions.search import Search, SearchEnded
from kqj_sim.questions.review.cross_fitting import average
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import derive_seed, draw_deals, play_all
from kqj_sim.record import Record
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.stats.intervals import Estimate, estimate_share
from tools.fit_points.imposed import ImposedRounds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASS_COUNT = 10
MAX_HALF_WIDTH = 0.05
"""Widest interval on either side of the share of a class that were made."""
BATCH_DEALS = 200
"""Rounds that are dealt before their contracts are counted and stored."""
TURNS = 2 * SEATS
"""Turns to speak, of which one is drawn."""
TURN_DRAWS = 3
"""Draws, of which the earliest turn counts: a late turn of an auction costs up to a hundred times
as much time as an early one."""
SPEAKING = ("pass", "take", "bid")
ENOUGH = 400
"""Effective sample size to reach: with fewer, chances scatter, and the largest and the smallest of
them are too large and too small."""
BLOCKS = 16
"""Blocks of 256 deals, at most."""
MAX_HANDS = 1_000_000
"""Hands to try for each estimate: not a limit of time, so that the results can be repeated."""

PREDICTING_DEALS = 256
"""Deals that predict a decision: the mean over many decisions needs no precise predictions."""
AUCTION_PARTS, AUCTION_TRICK_PART = {"bid": 0.5, "counter": 0.25}, 1 / 3
"""Share of the bids, counters and tricks that are predicted in auctions, where it takes longer."""

VARIANTS = {
    "two teams, taking": KqjRules(),
    "two teams, auctions": KqjRules(bidding="auction"),
    "three teams, taking": KqjRules(teams=3),
    "three teams, auctions": KqjRules(teams=3, bidding="auction"),
}


class EstimatedContract(NamedTuple):
    """A contract in a dealt round, with the estimated chance to make it."""

    deal: int
    place: int
    """Place of the player whose contract it is."""
    contract: int
    amount: int
    chance: float


class ChanceClass(NamedTuple):
    """Contracts with similar chances, from `low` to `high` tenths."""

    low: int
    high: int
    mean: float
    """Mean of the estimated chances."""
    made: Estimate


class Prediction(NamedTuple):
    """The result that a player expected after a decision, and that of the round."""

    kind: str
    """`take`, `bid` or `counter`, or the trick, and whether it is a lead: `trick 3, lead`."""
    predicted: list[float]
    """The `plays.MEASURES`."""
    result: list[float]


def estimate_contract(record: Record, rules: KqjRules, seed: int) -> EstimatedContract | None:
    """Estimate a contract at a random turn of a round.

    None if the round ends before that turn, or the calls so far are so rare that `odds` finds no
    hands for them: the player knows both.

    The draw does not depend on the round.  One among the turns that it came to would prefer rounds
    that end soon, of which the player who is asked knows nothing, and so would leaving out rounds
    for what is said later.
    """
    draw = rng.draw(seed, record.deal)
    turn = min(rng.scale_below(rng.draw(draw, 2 + each), TURNS) for each in range(TURN_DRAWS))
    spoken = [number for number, call in enumerate(record.calls) if call.call in SPEAKING]
    if turn >= len(spoken):
        return None
    opener = (record.dealer + 1) % SEATS
    place = turn % SEATS
    situation = read_typed_position(
        " ".join(record.dealt[(opener + place) % SEATS]),
        rules,
        return_card=record.turned,
        heard=", ".join(format_call(call) for call in record.calls[: spoken[turn]]),
    )
    settings = EstimatePlan(seed=seed, threads=1)
    sampler = KqjCallSampler(situation, [parse_player(KQJ.default_player)] * SEATS, settings)
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
    search = Search(sampler.question_count, math.inf, None, MAX_HANDS)
    try:
        for chunk in sampler.iterate_chunks(0, Limits(BLOCKS * LANES), search, threads=1):
            found.add(chunk)
            if found.effective_sample_size >= ENOUGH:
                break
    except SearchEnded:
        return None
    if found.effective_sample_size == 0:
        return None
    chance = found.estimate("own_made_share", 0).value
    number = CONTRACTS.index(str(option.contract))
    return EstimatedContract(record.deal, place, number, amount, chance)


def estimate_contracts(
    variant: str, count: int, seed: int, state: Path | None
) -> list[EstimatedContract]:
    """Return at least `count` contracts with their estimated chances, one per round at most.

    Batches that `state` holds are not estimated again, and new ones are appended.
    """
    rules = VARIANTS[variant]
    known = plays.read_batches(state, [variant, seed])
    found: list[EstimatedContract] = []
    experiment = Experiment(rules, (KQJ.default_player,) * SEATS, BATCH_DEALS, seed)
    while len(found) < count:
        batch = known.get(experiment.first)
        if batch is None:
            estimates = (estimate_contract(each, rules, seed) for each in play_records(experiment))
            batch = [each for each in estimates if each is not None]
            plays.append_batch(state, [variant, seed], experiment.first, batch)
        found += [EstimatedContract(*each) for each in batch]
        experiment = replace(experiment, first=experiment.first + BATCH_DEALS)
    return found


def predict_decisions(record: Record, rules: KqjRules, seed: int) -> list[Prediction]:
    """Predict a round from each decision, or each of some, as its player saw it.

    Which of them does not depend on the round.  Left out are those after calls so rare that `odds`
    finds no hands for them: the player knows them.
    """
    predictions = []
    for decision in RecordedRound(record).decisions:
        # Of a trick all cards are taken, as what one side wins the others lose.
        kind, at = str(decision.kind), decision.at
        if not decision.is_call:
            at = str(decision.trick)
            kind = f"trick {at}, {'lead' if kind == 'lead' else 'follow'}"
        part = 1.0 if rules.bidding == "take" else AUCTION_PARTS.get(kind, AUCTION_TRICK_PART)
        if derive_seed(seed, record.deal, at) >= part * 2**63:
            continue
        try:
            predicted = predict_result(
                decision, record, derive_seed(seed, record.deal, decision.at)
            )
        except SearchEnded:
            continue
        result = plays.read_result(record, decision.knowledge)
        predictions.append(Prediction(kind, predicted, result))
    return predictions


def predict_result(decision: Decision, record: Record, seed: int) -> list[float]:
    """Return the `plays.MEASURES` that the player expects after their choice.

    Raises:
        SearchEnded: hardly any hands agree with the calls.
    """
    players = [parse_player(KQJ.default_player)] * SEATS
    settings = EstimatePlan(seed=seed, threads=1)
    sampler = make_sampler(decision.knowledge, players, settings, plays.MAX_LAYOUTS)
    names = [str(option) for option in sampler.options]
    if decision.choice in names:
        sampler = sampler.with_numbers([names.index(decision.choice)])
    else:  # A bid that is not the lowest one.
        assert isinstance(sampler, KqjCallSampler)
        call = record.calls[int(decision.at.removeprefix("c.")) - 1]
        bid = make_bid_option(sampler.position, sampler.auction_state, call)
        sampler = sampler.with_options([bid])
    draws = play_all(sampler)
    if draws is not None:
        return [average(draws.weights, each[0]).value for each in (draws.wins, draws.values)]
    draws = draw_deals(sampler.with_hand_lists(), 0, PREDICTING_DEALS)
    return [average_unbiased(draws.weights, each[0]) for each in (draws.wins, draws.values)]


def average_unbiased(weights: Float64Array, values: Float64Array) -> float:
    """Return a weighted mean by the jackknife: a ratio of sums of few draws is biased."""
    total, weighted = weights.sum(), weights * values
    without = (weighted.sum() - weighted) / (total - weights)
    count = len(weights)
    return float(count * weighted.sum() / total - (count - 1) * without.mean())


def predict_rounds(
    variant: str, count: int, seed: int, state: Path | None
) -> list[list[Prediction]]:
    """Return the predictions of the first `count` rounds; batches as of `estimate_contracts`."""
    rules, key = VARIANTS[variant], ["decisions", variant, PREDICTING_DEALS, seed]
    known = plays.read_batches(state, key)
    found: list[list[Prediction]] = []
    for first in range(0, count, plays.BATCH_DEALS):
        players = (KQJ.default_player,) * SEATS
        experiment = Experiment(rules, players, plays.BATCH_DEALS, seed, first=first)
        if first not in known:
            records = play_records(experiment)
            known[first] = [predict_decisions(record, rules, seed) for record in records]
            plays.append_batch(state, key, first, known[first])
        found += [[Prediction(*each) for each in batch] for batch in known[first]]
    return found


def format_decisions(found: dict[str, list[list[Prediction]]]) -> str:
    """Return results minus predictions by kind of decision, as Markdown."""
    text = ""
    for variant, rounds in found.items():
        size = max(map(len, rounds))
        kinds = np.full((len(rounds), size), "", dtype="U16")
        differences = np.zeros((len(rounds), size, len(plays.MEASURES)))
        for number, predictions in enumerate(rounds):
            for at, (kind, predicted, result) in enumerate(predictions):
                kinds[number, at] = kind
                differences[number, at] = np.array(result) - predicted
        groups = {"all": ("",), "calls": ("take", "bid", "counter"), "cards": ("trick",)}
        groups |= {"leads": ("lead",), "follows": ("follow",)}
        names = {*kinds.flat} - {""}
        groups |= {each: (each,) for each in sorted(names | {each.split(",")[0] for each in names})}
        text += (
            f"\n## {variant.capitalize()}, {len(rounds):,} rounds\n\n"
            "| decision | decisions | wins | value |\n| --- | --: | --: | --: |\n"
        )
        for group, parts in groups.items():
            holds = [np.char.find(kinds, part) >= 0 for part in parts]
            members = (kinds != "") & np.any(holds, axis=0)
            cells = plays.format_differences(differences, " | ", members)
            text += f"| {group} | {members.sum():,} | {cells} |\n"
    return text


def play_contracts(contracts: list[EstimatedContract], rules: KqjRules, seed: int) -> BoolArray:
    """Return which contracts are made when the same players play those very deals."""
    columns = [np.array(column) for column in list(zip(*contracts, strict=True))[:4]]
    made: BoolArray = ImposedRounds(rules, KQJ.default_player, seed).play(*columns).made != 0
    return made


def classify_contracts(chances: Float64Array, made: BoolArray) -> list[ChanceClass]:
    """Return the classes of contracts by chance, merged until their intervals are narrow.

    A class whose interval is wider than `MAX_HALF_WIDTH` on one side is merged with the smaller of
    its neighbours.
    """
    number = np.minimum((chances * CLASS_COUNT).astype(int), CLASS_COUNT - 1)
    bounds = [(each, each + 1) for each in np.unique(number)]

    def summarise(low: int, high: int) -> ChanceClass:
        members = (number >= low) & (number < high)
        share = estimate_share(int(made[members].sum()), int(members.sum()))
        return ChanceClass(low, high, float(chances[members].mean()), share)

    while True:
        found = [summarise(low, high) for low, high in bounds]
        wide = [
            at
            for at, each in enumerate(found)
            if max(each.made.high - each.made.value, each.made.value - each.made.low)
            > MAX_HALF_WIDTH
        ]
        if not wide or len(found) == 1:
            return found
        at = min(wide, key=lambda at: found[at].made.observations)
        neighbours = [each for each in (at - 1, at + 1) if 0 <= each < len(found)]
        other = min(neighbours, key=lambda each: found[each].made.observations)
        first, last = sorted((at, other))
        bounds[first : last + 1] = [(bounds[first][0], bounds[last][1])]


def format_page(found: dict[str, list[ChanceClass]], contracts: int, seed: int) -> str:
    """Return the classes of all variants as Markdown."""
    text = (
        "# Calibration of odds\n\n"
        f"Made by `python benchmarks/calibration.py --contracts {contracts} --seed {seed}`, all "
        f"players `{KQJ.default_player}` with version {VERSIONS['network']} of the network's "
        "weights.\n\n"
        "In dealt rounds a random player estimates the chance to make a random contract from what "
        "they know, and the\ndeal itself, played by the same players, shows whether it is made.\n\n"
        "![Estimated chances, and contracts made](calibration.png)\n\n"
        "Contracts are grouped by their estimated chance. *Made* is "
        "the share of them that were made\nwhen the same players played those deals, with its 95% "
        "interval. Classes whose interval would be\n"
        f"wider than ±{100 * MAX_HALF_WIDTH:g} percentage points are merged with a neighbour.\n"
    )
    for variant, classes in found.items():
        text += f"\n## {variant.capitalize()}\n\n"
        text += "| estimated chance | contracts | mean estimate | made | standard errors apart |\n"
        text += "| --- | --: | --: | --: | --: |\n"
        for low, high, mean, made in classes:
            error = max((mean * (1 - mean) / made.observations) ** 0.5, 1e-9)
            text += (
                f"| {100 * low // CLASS_COUNT} to {100 * high // CLASS_COUNT}% "
                f"| {made.observations:,} | {100 * mean:.1f}% | {100 * made.value:.1f}% "
                f"({100 * made.low:.1f} to {100 * made.high:.1f}) | "
                f"{(made.value - mean) / error:+.1f} |\n"
            )
    return text


@click.command()
@click.option(
    "--contracts", default=5000, show_default=True, help="Contracts of each variant, at least."
)
@click.option("--seed", default=1, show_default=True, help="Seed.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    help="File of estimates: those that it holds are used, new ones are added.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The tables, as Markdown.")
@click.option("--plot", type=click.Path(path_type=Path), help="The picture, .png.")
@click.option("--during-play", is_flag=True, help="Score turns to play instead.")
@click.option("--choose-patience", is_flag=True, help="Compare chances of plays by log loss.")
@click.option("--decisions", is_flag=True, help="Predict the result from every decision instead.")
@click.option(
    "--rounds",
    default=2000,
    show_default=True,
    help="Rounds of each variant and player, in which turns to play are scored; with auctions "
    f"one in {plays.AUCTION_PART} of them.  With --decisions, of each variant.",
)
def main(
    contracts: int, seed: int, state: Path | None, out: Path | None, plot: Path | None,
    during_play: bool, choose_patience: bool, decisions: bool, rounds: int,
) -> None:  # fmt: skip
    """Compare the chances estimated by odds with the contracts made."""
    if choose_patience:
        for variant, rules in VARIANTS.items():
            for player in plays.PLAYERS:
                click.echo(plays.format_losses(variant, rules, player, rounds, seed))
        return
    if decisions:
        predicted = {each: predict_rounds(each, rounds, seed, state) for each in VARIANTS}
        write_page(format_decisions(predicted), out)
        return
    if during_play:
        scores = {}
        for variant, rules in VARIANTS.items():
            count = rounds // plays.AUCTION_PART if rules.bidding == "auction" else rounds
            for player in plays.PLAYERS:
                scores[variant, player] = plays.score_rounds(
                    rules, variant, player, count, seed, state
                )
        write_page(plays.format_section(scores, rounds, seed), out)
        if plot is not None:
            plays.draw(scores, plot)
        return
    found: dict[str, list[ChanceClass]] = {}
    for variant, rules in VARIANTS.items():
        estimated = estimate_contracts(variant, contracts, seed, state)
        made = play_contracts(estimated, rules, seed)
        found[variant] = classify_contracts(np.array([each.chance for each in estimated]), made)
        click.echo(f"{variant}: {len(estimated):,} contracts", err=True)
    write_page(format_page(found, contracts, seed), out)
    if plot is not None:
        draw(found, plot)


def write_page(text: str, out: Path | None) -> None:
    """Write a page to a file, or to stdout."""
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")


def draw(found: dict[str, list[ChanceClass]], path: Path) -> None:
    """Draw one panel per variant: the share made against the estimated chance."""
    from kqj_sim.output.figures import BLUE, GREY, render_figure

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
        for axes, (variant, classes) in zip(panels, found.items(), strict=True):
            axes.plot([0, 100], [0, 100], color=GREY, linewidth=1)
            axes.errorbar(
                [100 * each.mean for each in classes],
                [100 * each.made.value for each in classes],
                yerr=[
                    [100 * (each.made.value - each.made.low) for each in classes],
                    [100 * (each.made.high - each.made.value) for each in classes],
                ],
                fmt="o", color=BLUE, markersize=4, capsize=3,
            )  # fmt: skip
            axes.set_title(variant)
            axes.set_xlim(0, 100)
            axes.set_ylim(0, 100)
            axes.set_aspect("equal")
            axes.set_xlabel("estimated chance, %")
        panels[0].set_ylabel("contracts made, %")

    path.write_bytes(render_figure(paint, (3.6 * len(found), 3.9), "png"))


if __name__ == "__main__":
    main()
