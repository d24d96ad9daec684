"""Calibration of `kqj-sim odds` during the play: where hidden cards lie, and contracts made.

In dealt rounds a random turn of tricks 3 to 7 is drawn.  From the knowledge of the player whose
turn it is, the chance is estimated that each hidden card lies in each hidden hand, and that the
contract is made once they play the card that they played: with hidden hands that agree with calls
and plays, and with the same hands weighed by the chance of the plays.  The deal shows which is
nearer to the truth.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kqj_sim.analysis.intervals import Estimate, estimate_share
from kqj_sim.analysis.odds.estimator import EstimateSettings
from kqj_sim.analysis.odds.kqj_cards import KqjCardSampler, convert_cards_to_bits
from kqj_sim.analysis.odds.plays import PATIENCE, POWER, PlayModel
from kqj_sim.analysis.odds.position import PartialRound
from kqj_sim.analysis.odds.position_input import read_position
from kqj_sim.analysis.odds.sampling import Search, SearchEnded
from kqj_sim.cards import parse_card
from kqj_sim.core import rng
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.experiment import Experiment
from kqj_sim.policies.spec import parse_player
from kqj_sim.record import Record, partial_record_from_json, to_json
from kqj_sim.recording import play_records
from kqj_sim.rules import SEATS, KqjRules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAYERS = ("points+network", "points+standard")
"""Players whose rounds are asked about: those whose values say how likely plays are, and others."""
TRICKS_ASKED = (3, 7)
DRAWS = 2048
"""Hidden hands drawn for a turn, at most."""
MAX_LAYOUTS = 2048
"""With no more distributions than this all are listed."""
MAX_HANDS = 100_000
"""Hands to try for each turn: not a limit of time, so that the results can be repeated."""
BATCH_DEALS = 20
"""Rounds that are dealt before their scores are stored."""
BINS = 10
"""Classes of chances that a card lies in a hand."""
MADE_BINS = 5
"""Classes of chances that the contract is made."""
PATIENCES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
POWERS = (0.25, 0.5, 0.75, 1.0)


class Turn(NamedTuple):
    """A turn of a dealt round, with hidden hands that agree with calls and plays."""

    sampler: KqjCardSampler
    played: int
    """Index of the card played, among the legal ones."""
    weights: Float64Array
    """float64 (n,): by the calls."""
    hands: Int64Array
    """int64 (n, 6): hidden hands by place, natural coding."""
    dealt: Int64Array
    """int64 (6,): the true hidden hands."""


class Score(NamedTuple):
    """Estimates of a turn against the truth, first unweighed, then weighed by the plays."""

    deal: int
    trick: int
    brier: list[float]
    """Mean over the hidden cards of the sum over players of (chance - truth)^2."""
    bins: list[list[list[float]]]
    """By tenth of the chance that a card lies in a hand: number, sum of chances, those that did."""
    chances: list[float]
    """Chances that the contract is made."""
    made: bool
    effective: float
    """Effective share of the deals once they are weighed."""


def draw_turn(record: Record, rules: KqjRules, player: str, seed: int) -> Turn | None:
    """Return a random turn of a round; None if the calls are so rare that no hands are found."""
    draw = rng.draw(seed, record.deal)
    first, last = TRICKS_ASKED
    trick = first + rng.scale_below(rng.draw(draw, 1), last - first + 1)
    position = rng.scale_below(rng.draw(draw, 2), SEATS)
    at = read_position(partial_record_from_json(to_json(record)), (trick, position + 1))
    settings = EstimateSettings(seed=seed, threads=1)
    sampler = KqjCardSampler(at, [parse_player(player)] * SEATS, settings, MAX_LAYOUTS)
    if sampler.layout_count:
        hands, weights = sampler.layouts, sampler.count_ways(seed).astype(float)
    else:
        search = Search(sampler.question_count, math.inf, None, MAX_HANDS)
        found = []
        try:
            for start in range(0, DRAWS, sampler.chunk_size):
                found.append(sampler.draw_hands(search, start, sampler.chunk_size))
                search.finish_chunk(found[-1].counts, len(found[-1].weights))
        except SearchEnded:
            return None
        hands = np.concatenate([each.hands for each in found])
        weights = np.concatenate([each.weights for each in found])
    if not weights.any():
        return None
    card = parse_card(record.tricks[trick - 1].cards[position])
    return Turn(
        sampler, at.legal_cards.index(card), weights, hands, list_dealt_hands(record, at)
    )  # fmt: skip


def list_dealt_hands(record: Record, at: PartialRound) -> Int64Array:
    """Return the true hidden hands by place."""
    dealt = np.zeros(SEATS, dtype=np.int64)
    for trick in record.tricks:
        for number, text in enumerate(trick.cards):
            seat, card = (trick.leader + number) % SEATS, parse_card(text)
            if seat != at.seat and card not in at.plays:
                dealt[at.place_of(seat)] |= convert_cards_to_bits([card])
    return dealt


def estimate_locations(turn: Turn, weights: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the chance that each hidden card lies in each hand, and the truth: (cards, hands)."""
    hidden = int(np.bitwise_or.reduce(turn.dealt))
    bits = np.array([1 << bit for bit in range(64) if hidden >> bit & 1], dtype=np.int64)
    places = np.flatnonzero(turn.dealt)
    held = (turn.hands[:, places, None] & bits) != 0
    chances = np.tensordot(weights / weights.sum(), held, axes=1).T
    truth = ((turn.dealt[places, None] & bits) != 0).T
    return chances, truth.astype(float)


def score_turn(record: Record, rules: KqjRules, player: str, seed: int) -> Score | None:
    """Score the estimates of a random turn of a round, unweighed and weighed."""
    turn = draw_turn(record, rules, player, seed)
    if turn is None:
        return None
    sampler = turn.sampler
    weighed = turn.weights * PlayModel(rules).weigh(sampler.turn, turn.hands)
    sampler.turn = sampler.turn._replace(cards=sampler.turn.cards[turn.played : turn.played + 1])
    sampler.card_count = 1
    outcomes = sampler.play_out(turn.hands, np.arange(len(turn.hands)), seed)
    index = sampler.measures.indices["contract_made_share"]
    made = sampler.measures.compute(outcomes)[index, 0]
    brier, bins, chances = [], [], []
    for weights in (turn.weights, weighed):
        estimated, truth = estimate_locations(turn, weights)
        brier.append(float(((estimated - truth) ** 2).sum(axis=1).mean()))
        number = np.minimum((estimated * BINS).astype(int), BINS - 1).reshape(-1)
        bins.append(
            [
                np.bincount(number, each, BINS).tolist()
                for each in (np.ones(number.size), estimated.reshape(-1), truth.reshape(-1))
            ]
        )
        chances.append(float(made @ weights / weights.sum()))
    size = [each.sum() ** 2 / (each**2).sum() for each in (turn.weights, weighed)]
    trick = sampler.turn.trick + 1
    return Score(
        record.deal, trick, brier, bins, chances, record.result == "made", size[1] / size[0]
    )


def score_turns(
    rules: KqjRules, variant: str, player: str, count: int, seed: int, state: Path | None
) -> list[Score]:
    """Return the scores of at least `count` turns, one per round at most.

    Batches that `state` holds are not scored again, and new ones are appended.
    """
    key = ["plays", variant, player, PATIENCE, POWER, seed]
    known: dict[int, list[Score]] = {}
    if state is not None and state.exists():
        for line in state.read_text(encoding="utf-8").splitlines():
            *of, first, batch = json.loads(line)
            if of == key:
                known[first] = [Score(*each) for each in batch]
    found: list[Score] = []
    for first, records in iterate_rounds(rules, player, seed):
        if first not in known:
            scores = (score_turn(record, rules, player, seed) for record in records)
            known[first] = [each for each in scores if each is not None]
            if state is not None:
                with state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*key, first, known[first]]) + "\n")
        found += known[first]
        if len(found) >= count:
            break
    return found


def iterate_rounds(
    rules: KqjRules, player: str, seed: int
) -> Iterator[tuple[int, Iterator[Record]]]:
    """Yield the played rounds of each batch of deals, with the number of the first deal."""
    experiment = Experiment(rules, (player,) * SEATS, BATCH_DEALS, seed)
    while True:
        yield experiment.first, (each for each in play_records(experiment) if each.tricks)
        experiment = replace(experiment, first=experiment.first + BATCH_DEALS)


def measure_log_loss(turn: Turn, weights: Float64Array) -> float:
    """Return the mean log loss of the chances where hidden cards lie.

    One further deal is added in which each hand that the plays allow is equally likely, since a
    chance of 0 that comes of few deals would cost infinitely much.
    """
    chances, truth = estimate_locations(turn, weights)
    possible, _ = estimate_locations(turn, turn.weights)
    equal = (possible > 0) / np.maximum((possible > 0).sum(axis=1, keepdims=True), 1)
    size = weights.sum() ** 2 / (weights**2).sum()
    smooth = (size * chances + equal) / (size + 1)
    told = (smooth * truth).sum(axis=1)
    return float(-np.log(np.maximum(told, 1e-6)).mean())


def compare_patience(
    rules: KqjRules, player: str, count: int, seed: int
) -> dict[tuple[float, float], Float64Array]:
    """Return the log losses of some turns by patience and power; without weighing by (0, 0)."""
    losses: dict[tuple[float, float], list[float]] = {}
    done = 0
    for _, records in iterate_rounds(rules, player, seed):
        for record in records:
            turn = draw_turn(record, rules, player, seed)
            if turn is None:
                continue
            done += 1
            losses.setdefault((0.0, 0.0), []).append(measure_log_loss(turn, turn.weights))
            for patience in PATIENCES:
                whole = PlayModel(rules, patience, 1.0).weigh(turn.sampler.turn, turn.hands)
                for power in POWERS:
                    loss = measure_log_loss(turn, turn.weights * whole**power)
                    losses.setdefault((patience, power), []).append(loss)
            if done >= count:
                return {key: np.array(each) for key, each in losses.items()}
    raise AssertionError("there is no end of deals")


def format_losses(variant: str, rules: KqjRules, player: str, count: int, seed: int) -> str:
    """Return the mean log losses of `compare_patience` in a line per power."""
    losses = compare_patience(rules, player, count, seed)
    lines = [f"{variant}, {player}: unweighed {losses[0.0, 0.0].mean():.4f}"]
    for power in POWERS:
        told = " ".join(f"{losses[patience, power].mean():.4f}" for patience in PATIENCES)
        lines.append(f"  power {power:g}, patience {PATIENCES}: {told}")
    return "\n".join(lines)


def classify(scores: list[Score], which: int) -> Float64Array:
    """Return the bins of all turns together, float64 (3, BINS); `which` 1 is weighed."""
    total: Float64Array = np.sum([each.bins[which] for each in scores], axis=0)
    return total


def classify_made(scores: list[Score], which: int) -> list[tuple[int, float, Estimate]]:
    """Return by fifth of the chance to make the contract: its number, mean chance, share made."""
    chances = np.array([each.chances[which] for each in scores])
    made = np.array([each.made for each in scores])
    number = np.minimum((chances * MADE_BINS).astype(int), MADE_BINS - 1)
    found = []
    for each in np.unique(number):
        members = number == each
        share = estimate_share(int(made[members].sum()), int(members.sum()))
        found.append((int(each), float(chances[members].mean()), share))
    return found


def format_section(found: dict[tuple[str, str], list[Score]], turns: int, seed: int) -> str:
    """Return the scores of all variants and players as Markdown."""
    text = (
        "# Calibration of `kqj-sim odds` during the play\n\n"
        f"Made by `python benchmarks/calibration.py --during-play --turns {turns} --seed {seed}`: "
        "one random turn of tricks 3 to 7 a round.\nHidden hands agree with calls and plays; "
        f"*weighed*, they count by the chance of the plays, too (patience {PATIENCE:g}, power "
        f"{POWER:g}).\n\n## Where do hidden cards lie?\n\n"
        "The Brier score of a hidden card is the sum over the other players of (chance that they "
        "hold it - truth)²:\n0 is perfect. The difference is paired, with its standard error.\n\n"
        "| variant | players | turns | unweighed | weighed | better by | standard errors | "
        "effective |\n| --- | --- | --: | --: | --: | --: | --: | --: |\n"
    )
    for (variant, player), scores in found.items():
        brier = np.array([each.brier for each in scores])
        better = brier[:, 0] - brier[:, 1]
        error = better.std(ddof=1) / math.sqrt(len(better))
        effective = np.mean([each.effective for each in scores])
        text += (
            f"| {variant} | `{player}` | {len(scores)} | {brier[:, 0].mean():.3f} "
            f"| {brier[:, 1].mean():.3f} | {better.mean():.3f} ± {error:.3f} "
            f"| {better.mean() / error:.1f} | {100 * effective:.0f}% |\n"
        )
    everything = [each for scores in found.values() for each in scores]
    text += (
        "\n## How often does a card lie where it is said to?\n\n"
        "| chance | unweighed: mean | lies there | weighed: mean | lies there |\n"
        "| --- | --: | --: | --: | --: |\n"
    )
    both = [classify(everything, which) for which in (0, 1)]
    for each in range(BINS):
        cells = [
            f"{100 * told[each] / count[each]:.1f}% | {100 * lies[each] / count[each]:.1f}%"
            if count[each]
            else " | "
            for count, told, lies in both
        ]
        text += f"| {each * 100 // BINS} to {(each + 1) * 100 // BINS}% | {' | '.join(cells)} |\n"
    text += "\n## How often is the contract made?\n\n"
    text += "| estimated chance | hands | turns | mean chance | made |\n"
    text += "| --- | --- | --: | --: | --: |\n"
    for which, name in enumerate(("unweighed", "weighed")):
        for each, mean, made in classify_made(everything, which):
            text += (
                f"| {each * 100 // MADE_BINS} to {(each + 1) * 100 // MADE_BINS}% | {name} "
                f"| {made.observations} | {100 * mean:.1f}% | {100 * made.value:.1f}% "
                f"({100 * made.low:.1f} to {100 * made.high:.1f}) |\n"
            )
    chances = np.array([each.chances for each in everything])
    truth = np.array([each.made for each in everything])
    better = (chances[:, 0] - truth) ** 2 - (chances[:, 1] - truth) ** 2
    error = better.std(ddof=1) / math.sqrt(len(better))
    text += (
        f"\nBrier score of these chances: unweighed {((chances[:, 0] - truth) ** 2).mean():.3f}, "
        f"weighed {((chances[:, 1] - truth) ** 2).mean():.3f}, better by {better.mean():.3f} "
        f"± {error:.3f} (standard error).\n"
    )
    return text


def draw(found: dict[tuple[str, str], list[Score]], path: Path) -> None:
    """Draw the share of cards that lie where they are said to against the chance."""
    from kqj_sim.reporting.figures import BLUE, GREY, render_figure

    everything = [each for scores in found.values() for each in scores]

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for which, axes in enumerate(panels):
            count, told, lies = classify(everything, which)
            seen = count > 0
            axes.plot([0, 100], [0, 100], color=GREY, linewidth=1)
            axes.plot(
                100 * told[seen] / count[seen], 100 * lies[seen] / count[seen], "o-", color=BLUE
            )
            axes.set_title(("unweighed", "weighed by the plays")[which])
            axes.set_xlim(0, 100)
            axes.set_ylim(0, 100)
            axes.set_aspect("equal")
            axes.set_xlabel("chance that a card lies in a hand, %")
        panels[0].set_ylabel("cards that lie there, %")

    path.write_bytes(render_figure(paint, (7.6, 3.9), "png"))
