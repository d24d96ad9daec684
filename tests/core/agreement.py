"""Rounds of the engine held against the referee, in a process of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kqj_sim.core.block import LANES, PENDING
from kqj_sim.record import Record
from kqj_sim.referee import check_record, check_records, get_referee
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import make_recording_block, play_records
from tests.games.every import OTHER_VARIANTS, SHARED
from tests.variants import VARIANTS, lively, mixed, told, with_target

SEED = 7
ALL_VARIANTS: dict[str, GameRules] = {**VARIANTS, **OTHER_VARIANTS}


class Amounts(NamedTuple):
    """The extent of the checks of each variant.

    Attributes:
        rounds: rounds of each table of players.
        imposed: rounds of each imposed contract.
        games: whole games to each target of each table.
    """

    rounds: int
    imposed: int
    games: int


class Agreement(NamedTuple):
    """The result for a variant: rounds checked, events seen, the first disagreement."""

    rounds: int
    seen: Counter[str]
    failure: str | None


def _occurred(record: Record) -> Iterable[str]:
    """Yield the names of rare events of a round."""
    bidding = get_referee(record.game_rules()).question
    yield f"{bidding}: {record.result}"
    yield f"{bidding}: contract {record.contract}"
    yield f"{bidding}: stake {record.stake}"
    yield f"{bidding}: dealer {record.dealer}"
    if record.capot:
        yield f"capot announced: {record.result}"
    for call in record.calls:
        yield f"{bidding}: {call.call}"
    for bonus in record.bonuses:
        yield f"bonus {bonus.bonus}"
    if record.pending_before:
        yield f"{bidding}, pending: {record.result}"
    if record.game_rules().tricks in record.trick_counts:
        yield f"{bidding}: all tricks"
    if any(record.gratuities) and not record.pending_before:
        yield "three-team gratuity"


def _checked(records: Iterable[Record], seen: Counter[str]) -> tuple[int, str | None]:
    rounds = 0
    for record in records:
        rounds += 1
        seen.update(set(_occurred(record)))
        wrong = check_record(record)
        if record.game == "kqj" and record.tricks and sum(record.card_points) != 236:
            wrong = [*wrong, f"card points {record.card_points}"]
        if wrong:
            return rounds, told(record, *wrong)
    return rounds, None


def list_runs(rules: GameRules, amounts: Amounts) -> list[Experiment]:
    """Return the experiments by every table of players, and of every imposed contract."""
    shared = SHARED[rules.game]
    deals = amounts.rounds * shared.MORE_ROUNDS
    tables = [Experiment(rules, players, deals, SEED) for players in shared.list_tables(rules)]
    contracts = shared.list_impositions(rules)
    return tables + [lively(rules, deals=amounts.imposed, seed=SEED, imposed=c) for c in contracts]


def _pending_records(rules: GameRules) -> Iterator[Record]:
    """A block of rounds before which a gratuity waits, or which are raised."""
    block = make_recording_block(lively(rules, seed=SEED))
    block.game.start_deals(block.state, 0, LANES)
    for lane in range(LANES):
        block.state[PENDING + lane] = SHARED[rules.game].wait(lane)
    block.play(LANES)
    return map(block.read_record, range(LANES))


def variant_agrees(variant: str, amounts: Amounts) -> Agreement:
    """Rounds by every table, every Sender and contract imposed, and with gratuities waiting."""
    total, seen = 0, Counter[str]()
    rules = ALL_VARIANTS[variant]
    runs = [*map(play_records, list_runs(rules, amounts)), _pending_records(rules)]
    for records in runs:
        count, failure = _checked(records, seen)
        total += count
        if failure is not None:
            return Agreement(total, seen, failure)
    return Agreement(total, seen, None)


def games_agree(variant: str, amounts: Amounts) -> Agreement:
    """Whole games to 500 and 1000, each round and how rounds follow each other."""
    total, seen = 0, Counter[str]()
    default = ALL_VARIANTS[variant]
    games = amounts.games * SHARED[default.game].MORE_ROUNDS
    for target in (500, 1000) if isinstance(default, KqjRules) else (0,):
        rules = with_target(default, target)
        for make in (lively, mixed):
            records = list(play_records(make(rules, seed=SEED, games=games)))
            rounds, failure = _checked(records, seen)
            total += rounds
            for line, wrong in check_records(enumerate(records)):
                failure = failure or told(records[line], wrong)
            failure = failure or _wrong_ends(records, games)
            if failure is not None:
                return Agreement(total, seen, failure)
    return Agreement(total, seen, None)


def _wrong_ends(records: list[Record], count: int) -> str | None:
    """Games that do not begin anew, or do not end when, and only when, they are decided."""
    games: dict[int | None, list[Record]] = {}
    for record in records:
        games.setdefault(record.game_id, []).append(record)
    if list(games) != list(range(count)):
        return f"seed={SEED}: games {list(games)}"
    for rounds in games.values():
        if [record.round for record in rounds] != list(range(len(rounds))):
            return told(rounds[0], "the rounds are not numbered from 0")
        rules = rounds[0].game_rules()
        if rounds[0].score_before != [rules.start_score] * rules.score_count:
            return told(rounds[0], "the game does not begin with the scores at the start")
        for record in rounds:
            over = get_referee(rules).is_decided(record.score_after or [])
            if over != (record is rounds[-1]):
                return told(record, f"{record.score_after}: over is {over}")
    return None
