"""Train the networks of `network`, one for each kind of contract, by the results of rounds.

    python -m tools.train_network --teams 2 --bidding take --decisions 4e7 --out trained.npz

Deals are played, and at each recorded decision the round is played out with every legal card
(`record_decisions`).  The loss of a decision is the sum, over its cards, of

    ((value of the card - their mean) - (lead after it - their mean))^2,

weighed by trick; that of a minibatch is the mean over its decisions.  The optimiser is Adam (Kingma
and Ba, 2015), and the running average of the weights is what the package gets.
"""

from __future__ import annotations

import copy
import math
import os
import time
from pathlib import Path
from typing import Literal

import click
import numpy as np
import torch

from kqj_sim.commands.from_function import make_number_type
from kqj_sim.core.types import Float64Array, Int64Array
from kqj_sim.policies import weights
from kqj_sim.policies.players import parse_player
from kqj_sim.rules import KqjRules
from tools import HELD_OUT_START, SEED_OFFSET
from tools.card_network import POINTS_PER_UNIT, CardNetwork, compute_rate_share, to_bytes
from tools.record_decisions import (
    KINDS,
    MAX_CANDIDATES,
    CardDecisions,
    collect_decisions,
    find_tricks,
    iterate_decisions,
)

BATCH = 4096
"""Decisions of a minibatch."""

CHUNK_DECISIONS = 400_000
"""Decisions that are learnt from at a time, in random order among themselves."""

AVERAGE_DECAY = 0.9997
"""Share of the running average of the weights kept at each step."""

IMPORTANCE = np.array((0.65, 0.7, 0.75, 0.85, 0.9, 1.05, 1.35, 1.0), dtype=np.float32)
"""Factor of a decision's loss, by trick: in proportion to one over the standard deviation of the
leads after its cards, with a mean of one."""


class Training:
    """The network of one kind of contract in training."""

    def __init__(self, network: CardNetwork, rate: float) -> None:
        self.network, self.average = network, copy.deepcopy(network)
        self.rate = rate
        self.steps = 0
        self.optimizer = torch.optim.Adam(network.parameters(), rate, (0.9, 0.99))

    def learn(self, decisions: CardDecisions, progress: float) -> None:
        """Make a step; `progress` is the share of the training that is done."""
        self.optimizer.param_groups[0]["lr"] = self.rate * compute_rate_share(progress)
        self.optimizer.zero_grad()
        compute_loss(self.network, decisions).backward()
        self.optimizer.step()
        self.steps += 1
        kept = min(AVERAGE_DECAY, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for average, part in pairs:
                average.lerp_(part, 1 - kept)


def select(decisions: CardDecisions, rows: Int64Array) -> CardDecisions:
    """Return some of the decisions."""
    return CardDecisions._make(array[rows] for array in decisions)


def evaluate(network: CardNetwork, decisions: CardDecisions) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the values of the cards in units, and 1 for each card to choose from, else 0."""
    legal = np.arange(MAX_CANDIDATES) < decisions.card_count[:, None]
    outputs = np.where(legal, decisions.outputs, 0).astype(np.int64)
    features = torch.from_numpy(decisions.features.astype(np.int64))
    values: torch.Tensor = network(features, torch.from_numpy(outputs))
    return values, torch.from_numpy(legal.astype(np.float32))


def compute_loss(network: CardNetwork, decisions: CardDecisions) -> torch.Tensor:
    """Return the mean loss of decisions."""
    values, legal = evaluate(network, decisions)
    difference = values - torch.from_numpy(decisions.values) / POINTS_PER_UNIT
    mean = (difference * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True)
    squares = ((difference - mean).square() * legal).sum(1)
    return (squares * torch.from_numpy(IMPORTANCE[find_tricks(decisions.features)])).mean()


@torch.no_grad()
def compute_gains(networks: list[CardNetwork], decisions: CardDecisions) -> Float64Array:
    """Return the lead after each decision's chosen card minus the candidates' mean, in points."""
    gains = np.zeros(len(decisions.kind))
    for kind, network in enumerate(networks):
        rows = np.flatnonzero(decisions.kind == kind)
        members = select(decisions, rows)
        values, legal = evaluate(network, members)
        chosen = values.masked_fill(legal == 0, -math.inf).argmax(1)
        results = torch.from_numpy(members.values)
        after = results.gather(1, chosen[:, None])[:, 0]
        gains[rows] = (after - (results * legal).sum(1) / legal.sum(1)).numpy()
    return gains


def format_gain(gains: Float64Array) -> str:
    """Return a mean gain with its 95% interval."""
    error = 1.96 * gains.std(ddof=1) / math.sqrt(len(gains))
    return f"{gains.mean():.3f} ±{error:.3f}"


@click.command()
@click.option("--teams", type=click.Choice([2, 3]), default=2, show_default=True)
@click.option(
    "--bidding", type=click.Choice(["take", "auction"]), default="take", show_default=True
)
@click.option("--decisions", type=make_number_type(10_000, "2e6"), default=2_000_000)
@click.option("--held-out", type=make_number_type(1000, "1e5"), default=100_000)
@click.option("--player", default="points+network", show_default=True, help="Who plays the deals.")
@click.option("--rate", type=float, default=5e-4, show_default=True, help="Highest learning rate.")
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count() or 1)
@click.option("--seed", type=make_number_type(0, "1"), default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default="trained.npz", show_default=True)
def main(
    teams: Literal[2, 3], bidding: Literal["take", "auction"], decisions: int, held_out: int,
    player: str, rate: float, threads: int, seed: int, out: Path,
) -> None:  # fmt: skip
    """Train the package's weights of network for one variant further, and write them to a file.

    The gain of a choice is the lead after it minus the mean over the legal cards, on deals that
    were not learnt from.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    rules = KqjRules(teams=teams, bidding=bidding)
    kinds = weights.load("network", teams, bidding).reshape(len(KINDS), -1)
    packaged = [CardNetwork(numbers) for numbers in kinds]
    networks = [Training(CardNetwork(numbers), rate) for numbers in kinds]
    parsed, first_seed, began = parse_player(player), SEED_OFFSET + seed, time.monotonic()
    parts = iterate_decisions(rules, parsed, first_seed, 0, threads)
    generator = np.random.default_rng(seed)
    done = 0
    while done < decisions:
        chunk = collect_decisions(parts, min(CHUNK_DECISIONS, decisions - done))
        count = min(len(chunk.kind), decisions - done)
        order = generator.permutation(count)
        for kind, network in enumerate(networks):
            rows = order[chunk.kind[order] == kind]
            for batch in np.array_split(rows, max(1, len(rows) // BATCH)):
                network.learn(select(chunk, batch), (done + count / 2) / decisions)
        done += count
        seconds = time.monotonic() - began
        click.echo(f"{done:,} of {decisions:,} decisions, {seconds:,.0f} s", err=True)
    parts.close()
    trained = [network.average for network in networks]
    out.write_bytes(to_bytes(trained, teams, bidding, "train_network"))
    parts = iterate_decisions(rules, parsed, first_seed, HELD_OUT_START, threads)
    measured = collect_decisions(parts, held_out)
    parts.close()
    after, before = compute_gains(trained, measured), compute_gains(packaged, measured)
    click.echo(f"{out}: {done:,} decisions, {time.monotonic() - began:,.0f} s")
    click.echo(
        f"gain {format_gain(after)}, package's {format_gain(before)}, "
        f"difference {format_gain(after - before)} points a decision ({len(after):,} decisions)"
    )


if __name__ == "__main__":
    main()
