"""Train the networks of `network` to choose the cards that `feature_network` chooses.

    python -m tools.distill_network --teams 2 --bidding take --decisions 6e7 --out distilled.npz

They learn from the values that it gives all cards: there is no chance in them, unlike in results,
by which `train_network` then trains them further.  Every turn of a deal is recorded; a share of the
cards is drawn at random, to see more of the game.  The loss of a decision is the sum of the squared
differences of centred values, plus what the cards that the values make likely lose by the teacher's
values.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
import torch

from kqj_sim.commands.from_function import make_number_type
from kqj_sim.core import rng
from kqj_sim.core.block import LANES, SEATS, TRICKS, allocate_block
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import kernel, scalar, stack_float32
from kqj_sim.core.trick import finish_trick
from kqj_sim.core.types import Block, Int64Array, Rules, Seating
from kqj_sim.policies.features import FEATURES, find_output, write_features
from kqj_sim.policies.players import parse_player
from kqj_sim.policies.tools import best_card
from kqj_sim.policies.trick_odds import build_trick_context
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from tools import HELD_OUT_START, SEED_OFFSET
from tools.card_network import POINTS_PER_UNIT, CardNetwork, compute_rate_share, to_bytes
from tools.feature_network import read_weights, weights_file, write_card_values
from tools.record_decisions import (
    KINDS,
    MAX_CANDIDATES,
    bind_recorder,
    make_recorder_seating,
    start_play,
)

EXPLORE_SHARE = 0.08
"""Share of the turns at which a card is drawn at random."""

IMPOSED_SHARE = 0.75
"""Share of the rounds whose Sender and contract are drawn: No-Trump and All-Trumps, each with
weights of its own, need as many decisions as suits."""

PART_DEALS = 20 * LANES
"""Deals that are recorded at a time."""

LIKELY_POINTS = 1.5
"""Points by which a card must be better to be e times as likely in the second part of the loss."""

BATCH, RATE = 2048, 2e-3

# A decision as int64: kind of contract, cards to choose from, features, outputs of the cards, and
# their values in thousandths of a point.
KIND, COUNT, FEATURE = 0, 1, 2
OUTPUT = FEATURE + FEATURES
VALUE = OUTPUT + MAX_CANDIDATES
DECISION_SIZE = VALUE + MAX_CANDIDATES


@scalar
def _record_decision(view: Any, parameters: Any, sheet: Any, lane: Any) -> int:
    """Record a decision with the teacher's values, and return the card to play.

    The sheet begins with the number of decisions in it, the address of the teacher's weights and
    the share of random cards in millionths.
    """
    legal: int = view.legal
    if legal & (legal - 1) == 0:
        return legal
    known = build_trick_context(view)
    values = stack_float32(MAX_CANDIDATES)
    count = write_card_values(view, sheet[1], values)
    at = 3 + sheet[0] * DECISION_SIZE
    sheet[0] += 1
    sheet[at + KIND], sheet[at + COUNT] = known.kind, count
    write_features(view, known, sheet, at + FEATURE, 1)
    drawn = rng.draw(view.random, 0)
    number = rng.scale_below(rng.draw(drawn, 0), count)
    chosen: int = best_card(legal, values)
    explores = rng.scale_below(drawn, 1_000_000) < sheet[2]
    left = legal
    for which in range(count):
        card = lowest_bit(left)
        left ^= card
        sheet[at + OUTPUT + which] = find_output(
            view.position, view.led, view.winning, known.slots, card
        )
        sheet[at + VALUE + which] = round(1000.0 * values[which])
        chosen = card if explores and which == number else chosen
    return chosen


_RECORDERS = {member: bind_recorder(member, _record_decision) for member in (LEAD, FOLLOW)}


@kernel(cache=False)
def _play_deals(
    state: Block, first: int, lanes: int, seed: int, rules: Rules, seating: Seating,
    recorders: Seating,
) -> None:  # fmt: skip
    """Play deals of a block but for the last trick, recording all decisions."""
    lanes = start_play(state, first, lanes, seed, rules, seating, IMPOSED_SHARE)
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            member = LEAD if position == 0 else FOLLOW
            ask(recorders, member, state, lanes, trick, position, rules.teams, 0)
        finish_trick(state, lanes)


def record_values(
    rules: KqjRules, seed: int, first: int, deals: int, explore: float = EXPLORE_SHARE
) -> Int64Array:
    """Return the decisions of deals, int64 (n, DECISION_SIZE), with the teacher's values."""
    seating = encode_seating(rules, [parse_player("points")] * SEATS, None)
    teacher = read_weights(weights_file(rules.teams, rules.bidding))
    sheet = np.zeros(3 + deals * SEATS * (TRICKS - 1) * DECISION_SIZE, np.int64)
    sheet[1], sheet[2] = teacher.ctypes.data, round(1e6 * explore)
    recorders = make_recorder_seating(seating, sheet, _RECORDERS)
    state, encoded = allocate_block(), encode_rules(rules)
    for start in range(first, first + deals, LANES):
        lanes = min(LANES, first + deals - start)
        _play_deals(state, start, lanes, seed, encoded, seating, recorders)
    return sheet[3 : 3 + sheet[0] * DECISION_SIZE].reshape(-1, DECISION_SIZE).copy()


def _iterate_parts(rules: KqjRules, seed: int) -> Iterator[Int64Array]:
    """Yield the decisions of part after part, without end."""
    for first in itertools.count(0, PART_DEALS):
        yield record_values(rules, seed, first, PART_DEALS)


def _evaluate(network: CardNetwork, decisions: Int64Array) -> torch.Tensor:
    """Return the values of the cards, (n, MAX_CANDIDATES), in units."""
    features, outputs = decisions[:, FEATURE:OUTPUT], decisions[:, OUTPUT:VALUE]
    values: torch.Tensor = network(torch.from_numpy(features), torch.from_numpy(outputs))
    return values


def _read_values(decisions: Int64Array) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the teacher's values in points, and which of them are of legal cards."""
    legal = np.arange(MAX_CANDIDATES) < decisions[:, COUNT, None]
    return torch.from_numpy(decisions[:, VALUE:] / np.float32(1000)), torch.from_numpy(legal)


def _compute_loss(values: torch.Tensor, decisions: Int64Array) -> torch.Tensor:
    """Return the mean loss of decisions."""
    teacher, legal = _read_values(decisions)
    difference = (values - teacher / POINTS_PER_UNIT) * legal
    mean = difference.sum(1, keepdim=True) / legal.sum(1, keepdim=True)
    squares = ((difference - mean).square() * legal).sum(1)
    ranked = (values * (POINTS_PER_UNIT / LIKELY_POINTS)).masked_fill(~legal, -math.inf)
    best = teacher.masked_fill(~legal, -math.inf).amax(1, keepdim=True)
    lost = (torch.softmax(ranked, 1) * (best - teacher) * legal).sum(1)
    return (squares + lost).mean()


@torch.no_grad()
def _compare(network: CardNetwork, decisions: Int64Array) -> tuple[float, float]:
    """Return the share of the teacher's choices, and the mean loss by the teacher's values."""
    teacher, legal = _read_values(decisions)
    chosen = _evaluate(network, decisions).masked_fill(~legal, -math.inf).argmax(1, keepdim=True)
    best = teacher.masked_fill(~legal, -math.inf).amax(1)
    lost = best - teacher.gather(1, chosen)[:, 0]
    return float((lost == 0).float().mean()), float(lost.mean())


@click.command()
@click.option("--teams", type=click.Choice([2, 3]), default=2, show_default=True)
@click.option(
    "--bidding", type=click.Choice(["take", "auction"]), default="take", show_default=True
)
@click.option("--decisions", type=make_number_type(10_000, "6e7"), default=60_000_000)
@click.option("--seed", type=make_number_type(0, "1"), default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default="distilled.npz", show_default=True)
def main(
    teams: Literal[2, 3], bidding: Literal["take", "auction"], decisions: int, seed: int,
    out: Path,
) -> None:  # fmt: skip
    """Train networks from random weights for one variant, and write them to a file."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rules = KqjRules(teams=teams, bidding=bidding)
    networks = [CardNetwork() for _ in KINDS]
    optimizers = [torch.optim.Adam(each.parameters(), RATE, (0.9, 0.99)) for each in networks]
    generator = np.random.default_rng(seed)
    done, began = 0, time.monotonic()
    for part in _iterate_parts(rules, SEED_OFFSET + seed):
        for kind, (network, optimizer) in enumerate(zip(networks, optimizers, strict=True)):
            members = generator.permutation(np.flatnonzero(part[:, KIND] == kind))
            for rows in np.array_split(members, 1 + len(members) // BATCH):
                optimizer.param_groups[0]["lr"] = RATE * compute_rate_share(done / decisions)
                optimizer.zero_grad()
                _compute_loss(_evaluate(network, part[rows]), part[rows]).backward()
                optimizer.step()
        done = min(done + len(part), decisions)
        seconds = time.monotonic() - began
        click.echo(f"{done:,} of {decisions:,} decisions, {seconds:,.0f} s", err=True)
        if done == decisions:
            break
    out.write_bytes(to_bytes(networks, teams, bidding, "distill_network"))
    held_out = record_values(rules, SEED_OFFSET + seed, HELD_OUT_START, PART_DEALS, 0)
    for kind, (name, network) in enumerate(zip(KINDS, networks, strict=True)):
        agreement, lost = _compare(network, held_out[held_out[:, KIND] == kind])
        click.echo(f"{name}: {agreement:.1%} of the teacher's choices, {lost:.3f} points lost")


if __name__ == "__main__":
    main()
