"""Train the networks by which `learned` calls, one for each kind of contract, with PyTorch.

    python -m tools.train_calls --teams 2 --seconds 3600 --out trained.npz

    values of a contract's calls = b2 + W' relu(b1 + sum of rows)

In each iteration auctions are played and calls tried (`record_calls`); then the networks learn from
the decisions of the last iterations.  The loss is the sum, over the calls tried, of

    (value of the call - (lead after it - lead after a pass))^2,

the optimiser Adam (Kingma and Ba, 2015).  The running average of the weights makes the calls of the
next iteration.  Without weights to begin with, the first decisions are those of `points`.
"""

from __future__ import annotations

import math
import time
from collections import deque
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import embedding_bag, pad

from kqj_sim.commands.from_function import make_number_type
from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import NO_TRUMP
from kqj_sim.core.jit import kernel, stack_int64
from kqj_sim.core.simd_int16 import UNITS
from kqj_sim.core.types import Float32Array, Int16Array
from kqj_sim.policies import weights
from kqj_sim.policies.call_features import (
    AMOUNTS,
    BIDDER_ROWS,
    CALL_ROWS,
    CALLS,
    FEATURES,
    LAYOUT,
    PARTS,
    ROWS,
    CallTurn,
    order_suits,
    write_call_features,
)
from kqj_sim.policies.learned import COUNTER_UNIT, OVERCOUNTER_UNIT
from kqj_sim.policies.one_layer import HIDDEN_UNITS
from kqj_sim.policies.trick_odds import KIND_COUNT
from kqj_sim.rules import KqjRules
from tools import SEED_OFFSET
from tools.call_tables import CALLERS, Caller, CallTable, join_decisions, record_calls
from tools.record_calls import CONTRACTS, OPTIONS, CallDecisions

POINTS_PER_UNIT = 100.0
"""Points per unit of the network's values in training."""

BATCH = 2048
"""Contracts of a minibatch."""
CHUNK_DECISIONS = 100_000
"""Decisions that are learnt from at a time, in random order."""
BLOCKS = 400
"""Blocks of deals of an iteration."""
KEPT_ITERATIONS = 10
"""Iterations whose decisions are learnt from, the last ones."""
OLDER_VERSIONS = 3
"""Versions before the last that are among the opponents."""
LAST_SHARE = 4
USUAL_OPPONENTS = ("points", "points", "points", "always", "always", "never", "never", "random")
"""Opponents: the last version so many times, each older one once, and these."""

FIRST_RATE, LAST_RATE = 1e-3, 1e-4
"""Learning rates at the beginning and the end of an iteration; times 0.3 after the first ones, and
always for networks that begin with weights."""
FAST_ITERATIONS = 4
AVERAGE_DECAY = 0.9999
"""Share of the running average of the weights kept at each step."""
HOLDINGS_DECAY = 1e-6
"""Weight decay of the rows of holdings, which sums of cards explain for the most part."""

MARGINS = {COUNTER_UNIT: 25.0, OVERCOUNTER_UNIT: 40.0}
"""Points that a call should be worth more than nothing, as it ends the auction."""

HALVES, HALF_BITS = 8, 6
"""Halves of suits, and cards of each."""
HALF_ROWS = HALVES << HALF_BITS
CALL_TABLES = 2 * SEATS - 1
"""Tables of last calls: of each other player as partner and as opponent, and of oneself."""


@kernel
def _expand_decisions(
    turns: Any, options: Any, values: Any, features: Any, kinds: Any, targets: Any, tried: Any
) -> int:
    """Write a row for each contract of which a decision tried a call; return their number."""
    found = stack_int64(FEATURES)
    count = 0
    for i in range(turns.shape[0]):
        t = turns[i]
        turn = CallTurn(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10])
        order = order_suits(turn.hand)
        for contract in range(CONTRACTS):
            number = 0
            for k in range(OPTIONS):
                option = options[i, k]
                if option >= 0 and option // UNITS == contract:
                    targets[count, option % UNITS] = values[i, k]
                    tried[count, option % UNITS] = 1.0
                    number += 1
            if number > 0:
                write_call_features(turn, order, contract, found, 0, 1)
                for k in range(FEATURES):
                    features[count, k] = found[k]
                kinds[count] = max(contract - NO_TRUMP + 1, 0)
                count += 1
    return count


def expand_decisions(decisions: CallDecisions) -> tuple[NDArray[Any], ...]:
    """Return a row for each contract of which a decision tried a call, m in all.

    Returns:
        features int32 (m, FEATURES), kinds int8 (m,), targets float32 (m, UNITS) in units, and
        float32 (m, UNITS), 1 for each call tried.
    """
    room = len(decisions.turns) * CONTRACTS
    features, kinds = np.empty((room, FEATURES), np.int32), np.empty(room, np.int8)
    targets, tried = np.zeros((2, room, UNITS), np.float32)
    count = _expand_decisions(*decisions, features, kinds, targets, tried)
    return features[:count], kinds[:count], targets[:count] / POINTS_PER_UNIT, tried[:count]


class CallNetwork:
    """The network of one kind of contract in training.

    The row of a holding, half of a suit, is a number of its own plus one for each card; that of a
    bid one of its own plus one for its contract and one for its amount.
    """

    def __init__(self, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.parameters = {
            "rows": torch.zeros(ROWS, HIDDEN_UNITS),
            **self._make_shared_parts(),
            "bias": torch.zeros(HIDDEN_UNITS),
            "matrix": torch.zeros(HIDDEN_UNITS, UNITS),
            "output_bias": torch.zeros(UNITS),
        }
        for part, spread in (
            (self.parameters["rows"][HALF_ROWS:], 0.1),
            (self.parameters["cards"], 0.2),
            (self.parameters["contracts"], 0.1),
            (self.parameters["amounts"], 0.1),
            (self.parameters["matrix"], 0.02),
        ):
            part.normal_(0, spread, generator=generator)
        self._begin()

    @staticmethod
    def _make_shared_parts() -> dict[str, torch.Tensor]:
        """Return the numbers that several rows share, all zero."""
        return {
            "cards": torch.zeros(HALVES, HALF_BITS, HIDDEN_UNITS),
            "contracts": torch.zeros(CALL_TABLES, CONTRACTS, 1, HIDDEN_UNITS),
            "amounts": torch.zeros(2, AMOUNTS, HIDDEN_UNITS),
        }

    def _begin(self) -> None:
        """Begin to learn with the parameters as they are."""
        for part in self.parameters.values():
            part.requires_grad_()
        self.average = {name: part.detach().clone() for name, part in self.parameters.items()}
        self.optimizer = torch.optim.Adam(self.parameters.values(), lr=FIRST_RATE, foreach=True)
        self.steps = 0
        holdings = np.arange(1 << HALF_BITS)[:, None] >> np.arange(HALF_BITS) & 1
        self.holdings = torch.tensor(holdings.astype(np.float32))

    def unpack(self, numbers: Float32Array) -> None:
        """Begin with the package's numbers (`LAYOUT.stored_size`,)."""
        rows = numbers[: LAYOUT.bias].reshape(ROWS, HIDDEN_UNITS)
        matrix = numbers[LAYOUT.matrix : LAYOUT.output_bias].reshape(HIDDEN_UNITS, UNITS)
        output_bias = numbers[LAYOUT.output_bias :].copy()
        for unit, points in MARGINS.items():
            output_bias[unit] += points
        self.parameters = {
            "rows": torch.tensor(rows),
            **self._make_shared_parts(),
            "bias": torch.tensor(numbers[LAYOUT.bias : LAYOUT.matrix]),
            "matrix": torch.tensor(matrix) / POINTS_PER_UNIT,
            "output_bias": torch.tensor(output_bias) / POINTS_PER_UNIT,
        }
        self._begin()

    def pack(self) -> Float32Array:
        """Return the package's numbers, float32 (`LAYOUT.stored_size`,), of the average."""
        parts = self.average
        output_bias = parts["output_bias"].numpy() * np.float32(POINTS_PER_UNIT)
        for unit, points in MARGINS.items():
            output_bias[unit] -= points
        matrix = parts["matrix"].numpy() * np.float32(POINTS_PER_UNIT)
        rows = self._sum_rows(parts).numpy()
        numbers: Float32Array = np.concatenate(
            [rows.ravel(), parts["bias"].numpy(), matrix.ravel(), output_bias]
        )
        return numbers

    def _sum_rows(self, parts: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the rows of all features."""
        cards = torch.einsum("pb,sbh->sph", self.holdings, parts["cards"])
        # The contract that is looked at has amounts of its own.
        bids = parts["contracts"] + parts["amounts"][[0, *[1] * (CONTRACTS - 1)]]
        silence = CALLS - CONTRACTS * AMOUNTS
        calls = pad(bids.reshape(CALL_TABLES, -1, HIDDEN_UNITS), (0, 0, silence, 0))
        rows = parts["rows"].clone()
        rows[:HALF_ROWS] += cards.reshape(HALF_ROWS, -1)
        rows[CALL_ROWS:BIDDER_ROWS] += calls.reshape(-1, HIDDEN_UNITS)
        return rows

    def learn(
        self, features: NDArray[Any], targets: NDArray[Any], tried: NDArray[Any], rate: float
    ) -> float:
        """Make a step; arguments but the learning rate as of `expand_decisions`.

        Returns:
            The loss before it.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad()
        parts = self.parameters
        rows = self._sum_rows(parts)
        hidden = parts["bias"] + embedding_bag(torch.tensor(features), rows, mode="sum")
        found = parts["output_bias"] + torch.relu(hidden) @ parts["matrix"]
        squares = ((found - torch.tensor(targets)) * torch.tensor(tried)).square()
        loss = squares.sum() / len(features)
        decay = HOLDINGS_DECAY * parts["rows"][:HALF_ROWS].square().sum()
        (loss + decay).backward()
        self.optimizer.step()
        self.steps += 1
        kept = min(AVERAGE_DECAY, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            for name, part in parts.items():
                self.average[name].lerp_(part, 1 - kept)
        return loss.item()


def learn_decisions(
    networks: list[CallNetwork], parts: deque[CallDecisions], rate: float,
    generator: np.random.Generator,
) -> float:  # fmt: skip
    """Learn from all decisions once, in random order; return the mean loss of a contract."""
    decisions = join_decisions(parts)
    order = generator.permutation(len(decisions.turns))
    chunks = np.array_split(order, 1 + len(order) // CHUNK_DECISIONS)
    losses = []
    for number, chunk in enumerate(chunks):
        rows = expand_decisions(CallDecisions._make(each[chunk] for each in decisions))
        features, kinds, targets, tried = rows
        falling = (1 + math.cos(math.pi * number / len(chunks))) / 2
        now = rate * (LAST_RATE + (FIRST_RATE - LAST_RATE) * falling)
        for kind, network in enumerate(networks):
            members = generator.permutation(np.flatnonzero(kinds == kind))
            for batch in np.array_split(members, 1 + len(members) // BATCH):
                if len(batch) > 0:
                    loss = network.learn(features[batch], targets[batch], tried[batch], now)
                    losses.append(loss)
    return float(np.mean(losses))


def fill_other_seats(rows: Float32Array, teams: int) -> None:
    """Fill rows of partners and opponents in seats where fixed partners never have them.

    They get the mean of the rows of the other seats, for tables with random partners.
    """
    starts = dict(zip(PARTS, np.cumsum([0, *(size for size, _ in PARTS.values())]), strict=False))
    calls = [rows[starts[f"call_{step}"] :][: PARTS[f"call_{step}"][0]] for step in range(1, SEATS)]
    bidders = rows[starts["bidder"] :][: PARTS["bidder"][0]].reshape(-1, CONTRACTS, HIDDEN_UNITS)
    # The first is for no bidder, the next two are for the player.
    by_step = [bidders[1 + 2 * step : 3 + 2 * step] for step in range(1, SEATS)]
    for parts in ([call.reshape(2, -1, HIDDEN_UNITS) for call in calls], by_step):
        for partner in range(2):
            seen = [step % teams == 0 for step in range(1, SEATS)]
            known = [part[partner] for part, own in zip(parts, seen, strict=True) if own == partner]
            for part, own in zip(parts, seen, strict=True):
                if own != partner:
                    part[partner] = np.mean(known, axis=0)


def pack_networks(networks: list[CallNetwork], teams: int) -> Float32Array:
    """Return the package's numbers of all kinds of contracts."""
    numbers = np.stack([network.pack() for network in networks])
    for kind in numbers:
        fill_other_seats(kind[: LAYOUT.bias].reshape(ROWS, HIDDEN_UNITS), teams)
    return numbers.ravel()


@click.command()
@click.option("--teams", type=click.Choice([2, 3]), default=2, show_default=True)
@click.option("--seconds", type=make_number_type(1, "3600"), default=3600, show_default=True)
@click.option(
    "--begin",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Begin with these weights.",
)
@click.option(
    "--against",
    type=click.Choice(["learned", *CALLERS]),
    help="Find what wins most from this caller at all other seats: a best response to it.",
)
@click.option("--seed", type=make_number_type(0, "1"), default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default="trained.npz", show_default=True)
def main(
    teams: Literal[2, 3], seconds: int, begin: Path | None, against: str | None, seed: int,
    out: Path,
) -> None:  # fmt: skip
    """Train weights of learned for auctions, and write them to a file after each iteration."""
    torch.set_num_threads(1)
    began = time.monotonic()
    table, generator = (
        CallTable(KqjRules(teams=teams, bidding="auction")),
        np.random.default_rng(seed),
    )
    networks = [CallNetwork(seed + kind) for kind in range(KIND_COUNT)]
    versions: list[Int16Array] = []
    if begin is not None:
        numbers, _ = weights.read(begin)
        for network, part in zip(networks, numbers.reshape(KIND_COUNT, -1), strict=True):
            network.unpack(part)
        versions.append(weights.align_for_play("learned", numbers))
    command = f"python -m tools.train_calls --teams {teams} --seconds {seconds} --seed {seed}"
    if begin is not None:
        command += f" --begin {begin.name}"
    opponent: Caller | None = against
    if against is not None:
        command += f" --against {against}"
    if against == "learned":
        opponent = weights.load_for_play("learned", teams, "auction")
    nothing = weights.align_for_play(
        "learned", np.zeros(weights.count_weights("learned"), np.float32)
    )
    parts: deque[CallDecisions] = deque(maxlen=KEPT_ITERATIONS)
    iteration = 0
    while iteration == 0 or time.monotonic() - began < seconds:
        deal_seed = SEED_OFFSET + 1000 * seed + iteration
        if versions:
            last, older = versions[-1], versions[-1 - OLDER_VERSIONS : -1]
            usual = [last] * LAST_SHARE + older + [*USUAL_OPPONENTS]
            others, alone = (usual, False) if opponent is None else ([opponent], True)
            found = record_calls(table, last, last, others, BLOCKS, deal_seed, alone)
        else:
            found = record_calls(table, nothing, "points", ["points"], BLOCKS, deal_seed)
        parts.append(found)
        rate = 1.0 if begin is None and iteration < FAST_ITERATIONS else 0.3
        loss = learn_decisions(networks, parts, rate, generator)
        trained = pack_networks(networks, teams)
        versions.append(weights.align_for_play("learned", trained))
        about = {
            "policy": "learned", "teams": teams, "bidding": "auction",
            "version": weights.VERSIONS["learned"],
            "command": command,
        }  # fmt: skip
        out.write_bytes(weights.to_bytes("learned", trained, about))
        iteration += 1
        click.echo(
            f"{iteration}: {len(found.turns):,} decisions, loss {loss:.3f}, "
            f"{time.monotonic() - began:,.0f} s",
            err=True,
        )


if __name__ == "__main__":
    main()
