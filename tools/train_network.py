"""Train the networks of `network`, one for each kind of contract, with PyTorch.

    python -m tools.train_network --teams 2 --bidding take --decisions 2e6 --out trained.npz

    value of a card = its linear weights + w3 . relu(b2 + W2' relu(b1 + shared rows + card rows))

Deals are played, and at each recorded decision the round is played out with every legal card
(`record_decisions`).  The loss of a decision is the sum, over its cards, of

    ((value of the card - their mean) - (lead after it - their mean))^2,

weighed by trick; that of a minibatch is the mean over its decisions.  The optimiser is AdamW
(Loshchilov and Hutter, 2019), and the running average of the weights is what the package gets.
"""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path
from typing import Literal

import click
import numpy as np
import torch
from torch.nn.functional import embedding_bag

from kqj_sim.commands.from_function import make_number_type
from kqj_sim.core.types import Float32Array, Float64Array, Int64Array
from kqj_sim.policies import weights
from kqj_sim.policies.features import (
    BIAS_1_OFFSET,
    BIAS_2_OFFSET,
    CARD_FEATURES,
    CARD_INDICES,
    CARD_ROWS_OFFSET,
    HIDDEN_1_UNITS,
    HIDDEN_2_UNITS,
    KIND_SIZE,
    LINEAR_OFFSET,
    MATRIX_OFFSET,
    OUTPUT_OFFSET,
    SHARED_FEATURES,
    SHARED_INDICES,
    SHARED_ROWS_OFFSET,
    read_trick_numbers,
)
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from tools import HELD_OUT_START, SEED_OFFSET
from tools.record_decisions import (
    KINDS,
    MAX_CANDIDATES,
    CardDecisions,
    collect_decisions,
    iterate_decisions,
)

POINTS_PER_UNIT = 50.0
"""Points per unit of the network's values in training."""

BATCH = 256
"""Decisions of a minibatch."""

CHUNK_DECISIONS = 100_000
"""Decisions that are learnt from at a time, in random order among themselves."""

FRESH_RATE, TUNING_RATE = 1e-3, 5e-4
"""Highest learning rate, from random weights and from trained ones."""

WARM_UP_SHARE = 0.02
"""Share of the training in which the learning rate rises from zero; then it falls to zero as a
cosine."""

WEIGHT_DECAY = 0.3
"""The score of a round is mostly chance: with 8 million decisions this much decay brought twice the
gain that hardly any brought."""

AVERAGE_DECAY = 0.999
"""Share of the running average of the weights kept at each step."""

IMPORTANCE = np.array((0.65, 0.7, 0.75, 0.85, 0.9, 1.05, 1.35, 1.0), dtype=np.float32)
"""Factor of a decision's loss, by trick: in proportion to one over the standard deviation of the
leads after its cards, with a mean of one."""

LAYOUT: dict[str, tuple[int, tuple[int, ...]]] = {
    "linear": (LINEAR_OFFSET, (CARD_INDICES, 1)),
    "shared_rows": (SHARED_ROWS_OFFSET, (SHARED_INDICES, HIDDEN_1_UNITS)),
    "card_rows": (CARD_ROWS_OFFSET, (CARD_INDICES, HIDDEN_1_UNITS)),
    "bias_1": (BIAS_1_OFFSET, (HIDDEN_1_UNITS,)),
    "matrix": (MATRIX_OFFSET, (HIDDEN_1_UNITS, HIDDEN_2_UNITS)),
    "bias_2": (BIAS_2_OFFSET, (HIDDEN_2_UNITS,)),
    "output": (OUTPUT_OFFSET, (HIDDEN_2_UNITS,)),
}
"""First number and shape of each parameter in the weights of a kind (`policies.features`)."""

IN_POINTS = ("linear", "output")
"""Parameters that the package holds in points, and training in units."""


def unpack_weights(numbers: Float32Array) -> dict[str, torch.Tensor]:
    """Return the parameters of one kind's network from the package's numbers (KIND_SIZE,)."""
    parameters = {}
    for name, (start, shape) in LAYOUT.items():
        part = torch.tensor(numbers[start : start + math.prod(shape)]).reshape(shape)
        parameters[name] = part / POINTS_PER_UNIT if name in IN_POINTS else part
    return parameters


def pack_weights(parameters: dict[str, torch.Tensor]) -> Float32Array:
    """Return the package's numbers, float32 (KIND_SIZE,), of one kind's network."""
    numbers = np.zeros(KIND_SIZE, dtype=np.float32)
    for name, (start, shape) in LAYOUT.items():
        part = parameters[name] * POINTS_PER_UNIT if name in IN_POINTS else parameters[name]
        numbers[start : start + math.prod(shape)] = part.detach().numpy().ravel()
    return numbers


def draw_weights(seed: int) -> dict[str, torch.Tensor]:
    """Return parameters to begin with: rows by Kaiming initialisation (2015), the rest zero."""
    generator = torch.Generator().manual_seed(seed)
    parameters = {name: torch.zeros(shape) for name, (_, shape) in LAYOUT.items()}
    for name, inputs in (
        ("shared_rows", CARD_FEATURES + SHARED_FEATURES),
        ("card_rows", CARD_FEATURES + SHARED_FEATURES),
        ("matrix", HIDDEN_1_UNITS),
    ):
        parameters[name].normal_(0, math.sqrt(2 / inputs), generator=generator)
    return parameters


def evaluate(
    parameters: dict[str, torch.Tensor], shared: torch.Tensor, cards: torch.Tensor
) -> torch.Tensor:
    """Return the values of candidates, (n, MAX_CANDIDATES), in units.

    Args:
        parameters: of one kind's network.
        shared: int64 (n, SHARED_FEATURES).
        cards: int64 (n, MAX_CANDIDATES, CARD_FEATURES).
    """
    flat = cards.reshape(-1, CARD_FEATURES)
    common = parameters["bias_1"] + embedding_bag(shared, parameters["shared_rows"], mode="sum")
    rows = embedding_bag(flat, parameters["card_rows"], mode="sum")
    first = torch.relu(common[:, None] + rows.reshape(-1, MAX_CANDIDATES, HIDDEN_1_UNITS))
    second = torch.relu(parameters["bias_2"] + first @ parameters["matrix"])
    linear = embedding_bag(flat, parameters["linear"], mode="sum").reshape(-1, MAX_CANDIDATES)
    return linear + second @ parameters["output"]


def compute_loss(values: torch.Tensor, decisions: Batch) -> torch.Tensor:
    """Return the mean loss of the decisions of a minibatch."""
    difference = values - decisions.values / POINTS_PER_UNIT
    mean = (difference * decisions.legal).sum(1) / decisions.legal.sum(1)
    squares = (difference - mean[:, None]).square() * decisions.legal
    return (squares.sum(1) * decisions.importance).mean()


class Batch:
    """Decisions as tensors.

    Attributes:
        shared, cards: int64, as in `CardDecisions`; indices of cards that mean nothing are 0.
        legal: float32 (n, MAX_CANDIDATES), 1 for each candidate.
        values: float32 (n, MAX_CANDIDATES), in points.
        importance: float32 (n,).
    """

    def __init__(self, decisions: CardDecisions, rows: Int64Array) -> None:
        legal = np.arange(MAX_CANDIDATES) < decisions.card_count[rows, None]
        shared = decisions.shared[rows]
        self.shared = torch.tensor(shared.astype(np.int64))
        cards = decisions.cards[rows].astype(np.int64)
        self.cards = torch.tensor(np.where(legal[:, :, None], cards, 0))
        self.legal = torch.tensor(legal.astype(np.float32))
        self.values = torch.tensor(decisions.values[rows])
        self.importance = torch.tensor(IMPORTANCE[read_trick_numbers(shared)])


class NetworkTraining:
    """The network of one kind of contract in training."""

    def __init__(self, parameters: dict[str, torch.Tensor], rate: float) -> None:
        self.parameters = {name: part.requires_grad_() for name, part in parameters.items()}
        self.average = {name: part.detach().clone() for name, part in parameters.items()}
        self.rate = rate
        self.steps = 0
        self.optimizer = torch.optim.AdamW(
            self.parameters.values(), lr=rate, weight_decay=WEIGHT_DECAY, foreach=True
        )

    def learn(self, batch: Batch, progress: float) -> None:
        """Make a step; `progress` is the share of the training that is done."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * compute_rate_share(progress)
        self.optimizer.zero_grad()
        loss = compute_loss(evaluate(self.parameters, batch.shared, batch.cards), batch)
        loss.backward()
        self.optimizer.step()
        self.steps += 1
        kept = min(AVERAGE_DECAY, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            for name, part in self.parameters.items():
                self.average[name].lerp_(part, 1 - kept)


def compute_rate_share(progress: float) -> float:
    """Return the learning rate as a share of the highest, at a share `progress` of the training."""
    if progress < WARM_UP_SHARE:
        return progress / WARM_UP_SHARE
    return (1 + math.cos(math.pi * (progress - WARM_UP_SHARE) / (1 - WARM_UP_SHARE))) / 2


def learn_chunk(
    networks: list[NetworkTraining], decisions: CardDecisions, order: Int64Array,
    begin: float, end: float,
) -> None:  # fmt: skip
    """Train on decisions in an order; `begin` and `end` are shares of the training around it."""
    for kind, network in enumerate(networks):
        rows = order[decisions.kind[order] == kind]
        batches = np.array_split(rows, max(1, len(rows) // BATCH)) if len(rows) else []
        for number, batch in enumerate(batches):
            progress = begin + (end - begin) * number / len(batches)
            network.learn(Batch(decisions, batch), progress)


def compute_gains(
    networks: list[dict[str, torch.Tensor]], decisions: CardDecisions
) -> Float64Array:
    """Return the lead after each decision's chosen card minus the candidates' mean, in points."""
    gains = np.zeros(len(decisions.kind))
    for kind, parameters in enumerate(networks):
        members = np.flatnonzero(decisions.kind == kind)
        for rows in np.array_split(members, 1 + len(members) // 10_000):
            batch = Batch(decisions, rows)
            with torch.no_grad():
                values = evaluate(parameters, batch.shared, batch.cards)
            chosen = values.masked_fill(batch.legal == 0, -math.inf).argmax(1)
            after = batch.values.gather(1, chosen[:, None])[:, 0]
            mean = (batch.values * batch.legal).sum(1) / batch.legal.sum(1)
            gains[rows] = (after - mean).numpy()
    return gains


def format_gain(gains: Float64Array) -> str:
    """Return a mean gain with its 95% interval."""
    error = 1.96 * gains.std(ddof=1) / math.sqrt(len(gains))
    return f"{gains.mean():.2f} ±{error:.2f}"


@click.command()
@click.option("--teams", type=click.Choice([2, 3]), default=2, show_default=True)
@click.option(
    "--bidding", type=click.Choice(["take", "auction"]), default="take", show_default=True
)
@click.option("--decisions", type=make_number_type(10_000, "2e6"), default=2_000_000)
@click.option("--held-out", type=make_number_type(1000, "1e5"), default=100_000)
@click.option("--player", help="Play the deals with this player.  [default: points+network]")
@click.option("--rate", type=float, help="Highest learning rate.  [default: 0.0005; fresh: 0.001]")
@click.option("--fresh", is_flag=True, help="Begin with random weights, played by points+standard.")
@click.option("--seed", type=make_number_type(0, "1"), default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default="trained.npz", show_default=True)
def main(
    teams: Literal[2, 3], bidding: Literal["take", "auction"], decisions: int, held_out: int,
    player: str | None, rate: float | None, fresh: bool, seed: int, out: Path,
) -> None:  # fmt: skip
    """Train weights of network for one variant, and write them to a file.

    The gain of a choice is the lead after it minus the mean over the legal cards, on deals that
    were not learnt from.
    """
    torch.manual_seed(seed)
    rules = KqjRules(teams=teams, bidding=bidding)
    played_by = player or ("points+standard" if fresh else "points+network")
    threads = os.cpu_count() or 1
    kinds = weights.load("network", teams, bidding).reshape(len(KINDS), -1)
    packaged = [unpack_weights(numbers) for numbers in kinds]
    starts = [draw_weights(seed + kind) if fresh else unpack_weights(numbers)
              for kind, numbers in enumerate(kinds)]  # fmt: skip
    rate = rate or (FRESH_RATE if fresh else TUNING_RATE)
    networks = [NetworkTraining(start, rate) for start in starts]
    parsed, first_seed, began = parse_player(played_by), SEED_OFFSET + seed, time.monotonic()
    parts = iterate_decisions(rules, parsed, first_seed, 0, threads)
    generator = np.random.default_rng(seed)
    done = 0
    while done < decisions:
        chunk = collect_decisions(parts, min(CHUNK_DECISIONS, decisions - done))
        count = min(len(chunk.kind), decisions - done)
        order = generator.permutation(count)
        learn_chunk(networks, chunk, order, done / decisions, (done + count) / decisions)
        done += count
        seconds = time.monotonic() - began
        click.echo(f"{done:,} of {decisions:,} decisions, {seconds:,.0f} s", err=True)
    parts.close()
    trained = np.stack([pack_weights(network.average) for network in networks])
    about = {
        "policy": "network", "teams": teams, "bidding": bidding,
        "version": weights.VERSIONS["network"] + 1,
        "command": f"python -m tools.train_network {' '.join(sys.argv[1:])}",
        "player": played_by,
    }  # fmt: skip
    out.write_bytes(weights.to_bytes("network", trained, about))
    parts = iterate_decisions(rules, parsed, first_seed, HELD_OUT_START, threads)
    measured = collect_decisions(parts, held_out)
    parts.close()
    after = compute_gains([network.average for network in networks], measured)
    before = compute_gains(packaged, measured)
    click.echo(f"{out}: {done:,} decisions, {time.monotonic() - began:,.0f} s")
    click.echo(
        f"gain {format_gain(after)}, package's {format_gain(before)}, "
        f"difference {format_gain(after - before)} points a decision ({len(after):,} decisions)"
    )


if __name__ == "__main__":
    main()
