"""Train a small network that makes one pass a decision to choose the cards that `network` chooses.

    python -m tools.distill_network --teams 2 --bidding take --decisions 2e7 --out distilled.npz

    value of a card = its bias + its output row . relu(bias + shared rows)

The shared rows are those of `network`'s shared features; a card's output row is that of how it is
played, its slot and its rank.  It learns from the values that `network` gives all cards: there is
no chance in them, unlike in results.  Every turn of a deal is recorded; a share of the cards is
drawn at random, to see more of the game.  The loss of a decision is the sum of the squared
differences of centred values, plus what the cards that the values make likely lose by the teacher's
values.  `tools/distilled.py` plays by the file.
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
from torch.nn.functional import embedding_bag

from kqj_sim.commands.from_function import make_number_type
from kqj_sim.core import rng
from kqj_sim.core.block import LANES, SEATS, TRICKS, allocate_block
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import kernel, scalar, stack_float32
from kqj_sim.core.rules import Rules, Seating
from kqj_sim.core.trick import finish_trick
from kqj_sim.core.types import Block, Int64Array
from kqj_sim.policies import weights
from kqj_sim.policies.features import SHARED_FEATURES, SHARED_INDICES, write_shared_features
from kqj_sim.policies.network import write_card_values
from kqj_sim.policies.players import parse_player
from kqj_sim.policies.tools import best_card
from kqj_sim.policies.trick_odds import build_trick_context
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.encode import encode_rules, encode_seating
from tools import HELD_OUT_START, SEED_OFFSET
from tools.distilled import OUTPUTS, find_output
from tools.record_decisions import (
    KINDS,
    MAX_CANDIDATES,
    bind_recorder,
    make_recorder_seating,
    start_play,
)
from tools.train_network import compute_rate_share

EXPLORE_SHARE = 0.08
"""Share of the turns at which a card is drawn at random."""

PART_DEALS = 20 * LANES
"""Deals that are recorded at a time."""

POINTS_PER_UNIT = 10.0
"""Points per unit of the values in training."""

LIKELY_POINTS = 1.5
"""Points by which a card must be better to be e times as likely in the second part of the loss."""

BATCH, RATE, FIRST_SCALE = 2048, 2e-3, 0.06

# A decision as int64: kind of contract, cards to choose from, shared features, outputs of the
# cards, and their values in thousandths of a point.
KIND, COUNT, SHARED = 0, 1, 2
OUTPUT = SHARED + SHARED_FEATURES
VALUE = OUTPUT + MAX_CANDIDATES
DECISION_SIZE = VALUE + MAX_CANDIDATES


@scalar
def _record_decision(view: Any, parameters: Any, sheet: Any) -> int:
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
    write_shared_features(view, known, sheet, at + SHARED, 1)
    drawn = rng.draw(view.random, 0)
    number = rng.scale_below(rng.draw(drawn, 0), count)
    chosen: int = best_card(legal, values)
    explores = rng.scale_below(drawn, 1_000_000) < sheet[2]
    left = legal
    for which in range(count):
        card = lowest_bit(left)
        left ^= card
        sheet[at + OUTPUT + which] = find_output(view, known.slots, card)
        sheet[at + VALUE + which] = round(1000.0 * values[which])
        chosen = card if explores and which == number else chosen
    return chosen


_RECORDERS = {
    member: bind_recorder(member, _record_decision, "distiller") for member in (LEAD, FOLLOW)
}


@kernel
def _play_deals(
    state: Block, first: int, lanes: int, seed: int, rules: Rules, seating: Seating,
    recorders: Seating,
) -> None:  # fmt: skip
    """Play deals of a block but for the last trick, recording all decisions."""
    lanes = start_play(state, first, lanes, seed, rules, seating)
    for trick in range(TRICKS - 1):
        for position in range(SEATS):
            member = LEAD if position == 0 else FOLLOW
            ask(recorders, member, state, lanes, trick, position, rules.teams, 0)
        finish_trick(state, lanes)


def record_values(
    rules: KqjRules, seed: int, first: int, deals: int, explore: float = EXPLORE_SHARE
) -> Int64Array:
    """Return the decisions of deals, int64 (n, DECISION_SIZE): `points` calls, `network` plays."""
    seating = encode_seating(rules, [parse_player("points+network")] * SEATS, None)
    teacher = weights.load_for_play("network", rules.teams, rules.bidding)
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


class _Student(torch.nn.Module):  # type: ignore[misc]
    """The network of one kind of contract."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.rows = torch.nn.Parameter(torch.randn(SHARED_INDICES, units) * FIRST_SCALE)
        self.bias_1 = torch.nn.Parameter(torch.zeros(units))
        self.outputs = torch.nn.Parameter(torch.randn(OUTPUTS, units) * 0.5 / math.sqrt(units))
        self.bias_2 = torch.nn.Parameter(torch.zeros(OUTPUTS))

    def forward(self, decisions: Int64Array) -> torch.Tensor:
        """Return the values of the cards, (n, MAX_CANDIDATES), in units."""
        shared = torch.from_numpy(decisions[:, SHARED:OUTPUT].astype(np.int64))
        cards = torch.from_numpy(decisions[:, OUTPUT:VALUE].astype(np.int64))
        hidden = torch.relu(self.bias_1 + embedding_bag(shared, self.rows, mode="sum"))
        return (hidden @ self.outputs.T + self.bias_2).gather(1, cards)


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
def _compare(student: _Student, decisions: Int64Array) -> tuple[float, float]:
    """Return the share of the teacher's choices, and the mean loss by the teacher's values."""
    teacher, legal = _read_values(decisions)
    chosen = student(decisions).masked_fill(~legal, -math.inf).argmax(1, keepdim=True)
    best = teacher.masked_fill(~legal, -math.inf).amax(1)
    lost = best - teacher.gather(1, chosen)[:, 0]
    return float((lost == 0).float().mean()), float(lost.mean())


@click.command()
@click.option("--teams", type=click.Choice([2, 3]), default=2, show_default=True)
@click.option(
    "--bidding", type=click.Choice(["take", "auction"]), default="take", show_default=True
)
@click.option("--decisions", type=make_number_type(10_000, "2e7"), default=20_000_000)
@click.option("--units", type=click.IntRange(8, 128), default=64, show_default=True)
@click.option("--seed", type=make_number_type(0, "1"), default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default="distilled.npz", show_default=True)
def main(
    teams: Literal[2, 3], bidding: Literal["take", "auction"], decisions: int, units: int,
    seed: int, out: Path,
) -> None:  # fmt: skip
    """Train networks of one pass, one for each kind of contract, and write them to a file."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rules = KqjRules(teams=teams, bidding=bidding)
    students = [_Student(units) for _ in KINDS]
    optimizers = [torch.optim.Adam(each.parameters(), RATE, (0.9, 0.99)) for each in students]
    generator = np.random.default_rng(seed)
    done, began = 0, time.monotonic()
    for part in _iterate_parts(rules, SEED_OFFSET + seed):
        for kind, (student, optimizer) in enumerate(zip(students, optimizers, strict=True)):
            members = generator.permutation(np.flatnonzero(part[:, KIND] == kind))
            for rows in np.array_split(members, 1 + len(members) // BATCH):
                optimizer.param_groups[0]["lr"] = RATE * compute_rate_share(done / decisions)
                optimizer.zero_grad()
                _compute_loss(student(part[rows]), part[rows]).backward()
                optimizer.step()
        done = min(done + len(part), decisions)
        seconds = time.monotonic() - began
        click.echo(f"{done:,} of {decisions:,} decisions, {seconds:,.0f} s", err=True)
        if done == decisions:
            break
    names = ("rows", "bias_1", "outputs", "bias_2")
    stacked = {name: torch.stack([getattr(s, name) for s in students]) for name in names}
    np.savez(out, **{name: tensor.detach().numpy() for name, tensor in stacked.items()})
    held_out = record_values(rules, SEED_OFFSET + seed, HELD_OUT_START, PART_DEALS, 0)
    for kind, (name, student) in enumerate(zip(KINDS, students, strict=True)):
        agreement, lost = _compare(student, held_out[held_out[:, KIND] == kind])
        click.echo(f"{name}: {agreement:.1%} of network's choices, {lost:.3f} points lost")


if __name__ == "__main__":
    main()
