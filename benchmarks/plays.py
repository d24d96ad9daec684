"""Calibration of `kqj-sim odds` during the play: where hidden cards lie, who wins, and by how much.

In dealt rounds a random trick from 1 to 7 is drawn.  At each of its six turns, from the knowledge
of the player to move, the chance is estimated that each hidden card lies in each hidden hand, and
that their side wins, with the value, once they play the card that they played: with hidden hands
that agree with calls and plays, and with the same hands weighed by the chance of the plays.  The
deal shows which is nearer to the truth.

All six turns are scored since what one side wins the others lose: with two teams the luck of the
deal cancels out of the mean difference between estimates and results, whose standard error is a
quarter of that of as many single turns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kqj_sim.cards import parse_card
from kqj_sim.core import rng
from kqj_sim.core.types import BoolArray, Float64Array, Int64Array
from kqj_sim.games.kqj.card_sampler import (
    PATIENCE,
    POWER,
    KqjCardSampler,
    PlayModel,
    convert_cards_to_bits,
)
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_position
from kqj_sim.positions.sampling import EstimatePlan, derive_keys
from kqj_sim.positions.search import Search, SearchEnded
from kqj_sim.record import Record
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAYERS = ("points+network", "points+standard")
"""Players whose rounds are asked about: those whose values say how likely plays are, and others."""
LAST_TRICK = 7
DRAWS = 1024
"""Hidden hands drawn for a turn, at most."""
MAX_LAYOUTS = 1024
"""With no more distributions than this all are listed."""
MAX_HANDS = 100_000
"""Hands to try for each turn: not a limit of time, so that the results can be repeated."""
BATCH_DEALS = 20
"""Rounds that are dealt before their scores are stored."""
BINS = 10
"""Classes of chances that a card lies in a hand."""
AUCTION_PART = 40
"""One in so many rounds is scored with auctions, where one takes 20 to 60 times as long."""
WIN_BINS = 5
"""Classes of chances to win."""
MEASURES = ("win_share", "value")
HANDS = ("unweighed", "weighed")
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
    """Estimates at the six turns of a trick against the truth, each as of `HANDS`."""

    deal: int
    trick: int
    brier: list[float]
    """Mean over turns and hidden cards of the sum over players of (chance - truth)^2."""
    bins: list[list[list[float]]]
    """By tenth of the chance that a card lies in a hand: number, sum of chances, those that did."""
    estimates: list[list[list[float]]]
    """By turn, of the card played: the `MEASURES`."""
    results: list[list[float]]
    """By turn: the `MEASURES` of the round as it was played."""
    effective: float
    """Effective share of the deals once they are weighed, mean over turns."""


class Scores(NamedTuple):
    """The estimates of many rounds, and their results."""

    trick: Int64Array
    """int64 (rounds,)."""
    estimates: Float64Array
    """float64 (HANDS, rounds, turns, MEASURES)."""
    results: Float64Array
    """float64 (rounds, turns, MEASURES)."""


def choose_turn(record: Record, seed: int) -> tuple[int, int]:
    """Return a random trick, from 1, and position of a round, whatever happens in it."""
    draw = rng.draw(seed, record.deal)
    return (
        1 + rng.scale_below(rng.draw(draw, 1), LAST_TRICK),
        rng.scale_below(rng.draw(draw, 2), SEATS),
    )


def draw_turn(record: Record, player: str, seed: int, trick: int, position: int) -> Turn | None:
    """Return a turn of a round; None if the calls are so rare that no hands are found."""
    at = read_position(record, (trick, position + 1))
    settings = EstimatePlan(seed=seed, threads=1)
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


def list_dealt_hands(record: Record, at: Position) -> Int64Array:
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


def score_round(record: Record, rules: KqjRules, player: str, seed: int) -> Score | None:
    """Score the estimates at the turns of a random trick; None if one of them has no hands."""
    trick, _ = choose_turn(record, seed)
    model = PlayModel(rules)
    brier: list[list[float]] = []
    bins = np.zeros((len(HANDS), 3, BINS))
    estimates: list[list[list[float]]] = [[] for _ in HANDS]
    results: list[list[float]] = []
    effective: list[float] = []
    for position in range(SEATS):
        turn = draw_turn(record, player, seed, trick, position)
        if turn is None:
            return None
        both = (turn.weights, turn.weights * model.weigh(turn.sampler.turn, turn.hands))
        values = play_out_played_card(turn, seed)
        brier.append([])
        for which, weights in enumerate(both):
            estimated, truth = estimate_locations(turn, weights)
            brier[-1].append(float(((estimated - truth) ** 2).sum(axis=1).mean()))
            number = np.minimum((estimated * BINS).astype(int), BINS - 1).reshape(-1)
            counted = (np.ones(number.size), estimated.reshape(-1), truth.reshape(-1))
            bins[which] += [np.bincount(number, each, BINS) for each in counted]
            estimates[which].append((values @ weights / weights.sum()).tolist())
        results.append(read_result(record, turn.sampler.position))
        size = [each.sum() ** 2 / (each**2).sum() for each in both]
        effective.append(size[1] / size[0])
    return Score(
        record.deal, trick, np.mean(brier, axis=0).tolist(), bins.tolist(), estimates, results,
        float(np.mean(effective)),
    )  # fmt: skip


def play_out_played_card(turn: Turn, seed: int) -> Float64Array:
    """Return the `MEASURES` of each of the hands: float64 (measures, n)."""
    sampler = turn.sampler.with_numbers([turn.played])
    outcomes = sampler.play_out(turn.hands, derive_keys(seed, 0, len(turn.hands)))
    indices = [sampler.measures.indices[name] for name in MEASURES]
    return sampler.measures.compute(outcomes)[indices, 0]


def read_result(record: Record, at: Position) -> list[float]:
    """Return the `MEASURES` of a round as it was played, for the player to move."""
    own = at.teams[at.seat]
    score, others = record.scores[own], [*record.scores[:own], *record.scores[own + 1 :]]
    return [float(score > max(others)), score - sum(others) / len(others)]


def score_rounds(
    rules: KqjRules, variant: str, player: str, count: int, seed: int, state: Path | None
) -> list[Score]:
    """Return the scores of at least `count` rounds.

    Batches that `state` holds are not scored again, and new ones are appended.
    """
    key = ["plays", variant, player, PATIENCE, POWER, seed]
    known = read_batches(state, key)
    found: list[Score] = []
    for first, records in iterate_rounds(rules, player, seed):
        if first not in known:
            scores = (score_round(record, rules, player, seed) for record in records)
            known[first] = [each for each in scores if each is not None]
            append_batch(state, key, first, known[first])
        found += [Score(*each) for each in known[first]]
        if len(found) >= count:
            break
    return found


def read_batches(state: Path | None, key: list[Any]) -> dict[int, list[Any]]:
    """Return what a file holds for a key, by the first deal of each batch."""
    if state is None or not state.exists():
        return {}
    batches = [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines()]
    return {first: batch for *of, first, batch in batches if of == key}


def append_batch(state: Path | None, key: list[Any], first: int, batch: list[Any]) -> None:
    """Append a batch to a file, if there is one."""
    if state is not None:
        with state.open("a", encoding="utf-8") as file:
            file.write(json.dumps([*key, first, batch]) + "\n")


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
            turn = draw_turn(record, player, seed, *choose_turn(record, seed))
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
    """Return the bins of all rounds together, float64 (3, BINS); `which` is an index of `HANDS`."""
    total: Float64Array = np.sum([each.bins[which] for each in scores], axis=0)
    return total


def collect(scores: list[Score]) -> Scores:
    """Return the estimates and results of rounds as arrays."""
    return Scores(
        np.array([each.trick for each in scores]),
        np.array([each.estimates for each in scores]).swapaxes(0, 1),
        np.array([each.results for each in scores]),
    )


def estimate_mean(values: Float64Array, members: BoolArray) -> tuple[float, float]:
    """Return the mean of some turns, and its standard error; turns of a round are not independent.

    Args:
        values, members: (rounds, turns): the values, and which of them count.
    """
    count = members.sum()
    mean = (values * members).sum() / count
    by_round = ((values - mean) * members).sum(axis=1)
    return float(mean), float(np.sqrt((by_round**2).sum()) / count)


def format_section(found: dict[tuple[str, str], list[Score]], rounds: int, seed: int) -> str:
    """Return the scores of all variants and players as Markdown."""
    everything = [each for scores in found.values() for each in scores]
    return (
        "# Calibration of `kqj-sim odds` during the play\n\n"
        "Made by `python benchmarks/calibration.py --during-play "
        f"--rounds {rounds} --seed {seed}`:\n"
        f"the six turns of a random trick from 1 to {LAST_TRICK} of each round. "
        f"Hidden hands agree with calls and plays; *weighed*, they count by the\nchance of the "
        f"plays, too (patience {PATIENCE:g}, power {POWER:g}). ± is the standard error, by round."
        "\n\n"
        f"{format_wins(found)}\n{format_wins_by_trick(everything)}\n"
        f"{format_win_classes(everything)}\n{format_locations(found)}\n"
        f"{format_location_classes(everything)}"
    )


def format_wins(found: dict[tuple[str, str], list[Score]]) -> str:
    """Return the chance to win and the value of the player to move, estimated and observed."""
    text = (
        "## Does the player to move win as often as estimated?\n\n"
        "The difference is what happened minus the estimate: negative if `odds` is hopeful.\n\n"
        "| variant | players | rounds | hands | estimated wins | difference | estimated value "
        "| difference |\n| --- | --- | --: | --- | --: | --: | --: | --: |\n"
    )
    for (variant, player), scores in found.items():
        _, estimates, results = collect(scores)
        for which, name in enumerate(HANDS):
            wins, value = estimates[which].mean(axis=(0, 1))
            text += (
                f"| {variant} | `{player}` | {len(scores):,} | {name} | {100 * wins:.1f}% "
                f"| {format_differences(results - estimates[which], f' | {value:+.1f} | ')} |\n"
            )
    return text


def format_differences(
    differences: Float64Array, separator: str, members: BoolArray | None = None
) -> str:
    """Return the means of differences, (rounds, turns, MEASURES): percentage points, and points."""
    if members is None:
        members = np.ones(differences.shape[:2], dtype=np.bool_)
    wins, wins_error = estimate_mean(100 * differences[..., 0], members)
    value, value_error = estimate_mean(differences[..., 1], members)
    return f"{wins:+.2f} ±{wins_error:.2f} pp{separator}{value:+.2f} ±{value_error:.2f}"


def format_wins_by_trick(scores: list[Score]) -> str:
    """Return the differences between results and estimates by trick."""
    trick, estimates, results = collect(scores)
    text = (
        "All variants and players together, by trick:\n\n"
        "| trick | rounds | unweighed: wins | value | weighed: wins | value |\n"
        "| --- | --: | --: | --: | --: | --: |\n"
    )
    for number in np.unique(trick):
        members = trick == number
        cells = [
            format_differences(results[members] - estimated[members], " | ")
            for estimated in estimates
        ]
        text += f"| {number} | {members.sum():,} | {' | '.join(cells)} |\n"
    return text


def format_win_classes(scores: list[Score]) -> str:
    """Return the share of turns won by class of the chance to win, and the Brier scores."""
    _, estimates, results = collect(scores)
    text = (
        "By the estimated chance to win:\n\n"
        "| estimated chance | hands | turns | mean chance | won |\n"
        "| --- | --- | --: | --: | --: |\n"
    )
    won = results[..., 0]
    for which, name in enumerate(HANDS):
        chances = estimates[which, ..., 0]
        number = np.minimum((chances * WIN_BINS).astype(int), WIN_BINS - 1)
        for each in np.unique(number):
            members = number == each
            mean, error = estimate_mean(100 * won, members)
            text += (
                f"| {each * 100 // WIN_BINS} to {(each + 1) * 100 // WIN_BINS}% | {name} "
                f"| {members.sum():,} | {100 * chances[members].mean():.1f}% "
                f"| {mean:.1f}% ±{error:.1f} |\n"
            )
    unweighed, weighed = ((estimates[..., 0] - won) ** 2).mean(axis=2)
    better, error = estimate_mean((unweighed - weighed)[:, None], np.ones((len(won), 1), np.bool_))
    return text + (
        f"\nBrier score of these chances: unweighed {unweighed.mean():.3f}, weighed "
        f"{weighed.mean():.3f}, better by {better:.3f} ±{error:.3f}.\n"
    )


def format_locations(found: dict[tuple[str, str], list[Score]]) -> str:
    """Return the Brier scores of the chances where hidden cards lie."""
    text = (
        "## Where do hidden cards lie?\n\n"
        "The Brier score of a hidden card is the sum over the other players of (chance that they "
        "hold it - truth)²:\n0 is perfect. The difference is paired.\n\n"
        "| variant | players | rounds | unweighed | weighed | better by | standard errors | "
        "effective |\n| --- | --- | --: | --: | --: | --: | --: | --: |\n"
    )
    for (variant, player), scores in found.items():
        brier = np.array([each.brier for each in scores])
        better = brier[:, 0] - brier[:, 1]
        error = better.std(ddof=1) / math.sqrt(len(better))
        effective = np.mean([each.effective for each in scores])
        text += (
            f"| {variant} | `{player}` | {len(scores):,} | {brier[:, 0].mean():.3f} "
            f"| {brier[:, 1].mean():.3f} | {better.mean():.3f} ±{error:.3f} "
            f"| {better.mean() / error:.1f} | {100 * effective:.0f}% |\n"
        )
    return text


def format_location_classes(scores: list[Score]) -> str:
    """Return how often cards lie in a hand, by class of the chance that they do."""
    text = (
        "## How often does a card lie where it is said to?\n\n"
        "| chance | unweighed: mean | lies there | weighed: mean | lies there |\n"
        "| --- | --: | --: | --: | --: |\n"
    )
    both = [classify(scores, which) for which in range(len(HANDS))]
    for each in range(BINS):
        cells = [
            f"{100 * told[each] / count[each]:.1f}% | {100 * lies[each] / count[each]:.1f}%"
            if count[each]
            else " | "
            for count, told, lies in both
        ]
        text += f"| {each * 100 // BINS} to {(each + 1) * 100 // BINS}% | {' | '.join(cells)} |\n"
    return text


def draw(found: dict[tuple[str, str], list[Score]], path: Path) -> None:
    """Draw the share of cards that lie where they are said to against the chance."""
    from kqj_sim.output.figures import BLUE, GREY, render_figure

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
