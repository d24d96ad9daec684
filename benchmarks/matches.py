"""Two players on the same deals, with sides exchanged, and what a player's own rounds take.

The unit is the deal: it is played in every arrangement of the two sides and counts once, with the
mean of what one side scores more than the other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.core import round
from kqj_sim.core.block import LANE_MULTIPLE, LANES, allocate_block
from kqj_sim.paired.match import (
    Arrangement,
    assign_players,
    compute_lead_divisor,
    compute_leads,
    list_arrangements,
)
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.blocks import CHUNK_ROWS
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows
from kqj_sim.simulation.run import iterate_row_chunks, play_same_deals

MOST = 60_000
"""Deals that are played at a time, at most; each seat deals as often as the others."""

FIRST = 48
"""Deals that are played first, to see how long they take."""

FASTER = 8
"""No batch of deals is larger than the one before by more than this."""

ENOUGH = 0.95
"""Share of the seconds after which no further batch begins."""

REPEATS = 5
"""Times that a cost is measured; the least counts."""

MADE = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["result"]].labels.index("made")


class Limit(msgspec.Struct, frozen=True):
    """The extent of a match: a number of seconds, or of deals.

    A repetition of what is timed takes about `timing` seconds.
    """

    seconds: float
    deals: int | None = None
    timing: float = 0.1


class Contracts(msgspec.Struct, frozen=True):
    """Rounds in which a player might have been Sender, those in which they were, and those made."""

    rounds: int
    contracts: int
    made: int


class Match(msgspec.Struct, frozen=True):
    """The score difference of two players on the same deals.

    Attributes:
        one, other: the players as they are written.
        deals: how many were played, each in all arrangements.
        points: points a round that `one` scores more; the scores of a side's seats count with
            their mean.
        error: the standard error of `points`, from the differences of the deals.
        own, others: contracts of each against the other; with three teams, where both defending
            teams are the other's.
    """

    one: str
    other: str
    deals: int
    points: float
    error: float
    own: Contracts
    others: Contracts


class Alone(msgspec.Struct, frozen=True):
    """Rounds of one player at all seats.

    Attributes:
        player: as it is written.
        contracts: the player's contracts.
        calls: microseconds that a side takes for the calls of a deal.
        cards: microseconds that a side takes from the calls to the scores of a played round.
    """

    player: str
    contracts: Contracts
    calls: float
    cards: float


def _contracts(rows: Rows, seats: Arrangement, side: int) -> NDArray[np.int64]:
    """Return a side's rounds, contracts and contracts made, int64 (3,)."""
    sent = np.isin(rows.column("sender"), [seat for seat in range(SEATS) if seats[seat] == side])
    made = rows.column("result") == MADE
    return np.array([len(rows), sent.sum(), (sent & made).sum()])


def _batches(limit: Limit) -> Iterator[tuple[int, int]]:
    """Yield ranges of deals to play, one after the other, until the limit is reached."""
    start = time.perf_counter()
    first, count = 0, FIRST if limit.deals is None else min(FIRST, limit.deals)
    while count > 0:
        yield first, count
        first += count
        if limit.deals is not None:
            count = min(MOST, limit.deals - first)
            continue
        spent = time.perf_counter() - start
        fitting = int(first * (limit.seconds / spent - 1)) // SEATS * SEATS
        count = min(MOST, FASTER * count, fitting) if spent < ENOUGH * limit.seconds else 0


def _rows(experiment: Experiment, threads: int) -> Iterator[Rows]:
    """Yield an experiment's rows in order, played by the threads."""
    return iterate_row_chunks(experiment, threads, _chunk(experiment.deals, threads))


def _chunk(deals: int, threads: int) -> int:
    """Return the number of deals that a thread plays at a time."""
    return min(CHUNK_ROWS, -(-deals // threads))


def play_match(
    rules: KqjRules, one: str, other: str, limit: Limit, seed: int, threads: int
) -> Match:
    """Play two players against each other.

    Args:
        rules: the rules of the table.
        one, other: specifications of players.
        limit: how many deals.
        seed: seed of the deals, which are numbered from 0.
        threads: threads to play with.

    Raises:
        kqj_sim.errors.InputError: a policy cannot be used.
    """
    seatings = list_arrangements(rules)

    def counted(played: tuple[Rows, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lead of side 0 in each deal, and the contracts of both sides."""
        worth = np.zeros(len(played[0]), dtype=np.int64)
        contracts = np.zeros((2, 3), dtype=np.int64)
        for rows, seats in zip(played, seatings, strict=True):
            worth += compute_leads(rows, seats)
            for side in (0, 1):
                if seats.count(side) <= SEATS // 2:
                    contracts[side] += _contracts(rows, seats, side)
        return worth, contracts

    experiments = [
        Experiment(rules, assign_players(seats, one, other), 1, seed) for seats in seatings
    ]
    for each in experiments:
        next(_rows(each, 1))  # Compiled here, outside of the time that counts.
    deals = total = squares = 0
    contracts = np.zeros((2, 3), dtype=np.int64)
    for first, count in _batches(limit):
        batch = [replace(each, first=first, deals=count) for each in experiments]
        for worth, more in play_same_deals(batch, counted, threads, _chunk(count, threads)):
            total += int(worth.sum())
            squares += int((worth * worth).sum())
            contracts += more
        deals += count
    points = compute_lead_divisor(seatings)
    variance = (squares - total * total / deals) / max(deals - 1, 1)
    return Match(
        one,
        other,
        deals,
        total / deals / points,
        math.sqrt(variance / deals) / points,
        *(Contracts(*side) for side in contracts.tolist()),
    )


def play_alone(rules: KqjRules, player: str, limit: Limit, seed: int, threads: int) -> Alone:
    """Play one player at all seats; arguments as of `play_match`."""
    calls, cards = measure_cost(rules, player, seed, limit.timing)
    experiment = Experiment(rules, (player,) * SEATS, 1, seed)
    next(_rows(experiment, 1))
    contracts = np.zeros(3, dtype=np.int64)
    for first, count in _batches(limit):
        for rows in _rows(replace(experiment, first=first, deals=count), threads):
            contracts += _contracts(rows, (0,) * SEATS, 0)
    return Alone(player, Contracts(*contracts.tolist()), calls, cards)


def measure_cost(rules: KqjRules, player: str, seed: int, seconds: float) -> tuple[float, float]:
    """Measure the microseconds of a side, on one thread, with the player at all seats.

    First the time of the calls of a deal, then that from the calls to the scores of a played round
    (0 if none is), each divided by the number of teams.  The least of some repetitions counts, each
    of about so many `seconds`.
    """
    core_rules, table = Experiment(rules, (player,) * SEATS).compile_seating()
    no_stage = table._replace(stages=table.stages[:0])  # A round without stages: keys are made.
    calling = round.call_by_auction if rules.bidding == "auction" else round.call_by_taking
    state, log = allocate_block(), np.empty(0, dtype=np.int64)

    def play(blocks: int, lanes: int) -> tuple[float, float, int]:
        """Return the seconds of the calls and of the cards, and the number of rounds played."""
        calls = cards = 0.0
        played = 0
        for block in range(blocks):
            round.start_deals(state, block * lanes, lanes)
            round.play_block(state, lanes, seed, core_rules, no_stage, log)
            round.begin_rounds(state, lanes, core_rules, table, log)
            start = time.perf_counter()
            calling(state, lanes, core_rules, table, log)
            between = time.perf_counter()
            played += round.finish_rounds(state, lanes, core_rules, table, log)
            calls += between - start
            cards += time.perf_counter() - between
        return calls, cards, played

    play(1, LANE_MULTIPLE)
    lanes, share = LANE_MULTIPLE, seconds / sum(play(1, LANE_MULTIPLE)[:2])
    if share > LANES / LANE_MULTIPLE:
        lanes, share = LANES, share * LANE_MULTIPLE / LANES
    blocks = max(1, int(share))
    found = [play(blocks, lanes) for _ in range(REPEATS)]
    sides = 1e-6 * rules.teams
    return (
        min(calls for calls, _, _ in found) / (blocks * lanes) / sides,
        min(cards / max(played, 1) for _, cards, played in found) / sides,
    )
