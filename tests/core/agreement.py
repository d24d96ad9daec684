"""Rounds of the engine held against the referee, in a process of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kqj_sim.core.block import LANES, PENDING
from kqj_sim.core.round import start_deals
from kqj_sim.record import Record
from kqj_sim.referee import check_record, check_records
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import KqjRecordingBlock, play_records
from tests.variants import LIVELY, VARIANTS, impositions, lively, tables, told

SEED = 7
CAPOT = "random:bid=0.5,capot=1,counter=0.2"
"""Who bids Capot only, since few announced ones are made by chance."""


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
    bidding = record.rules["bidding"]
    yield f"{bidding}: {record.result}"
    yield f"{bidding}: contract {record.contract}"
    yield f"{bidding}: stake {record.stake}"
    if record.capot:
        yield f"capot announced: {record.result}"
    for call in record.calls:
        yield f"{bidding}: {call.call}"
    for bonus in record.bonuses:
        yield f"bonus {bonus.bonus}"
    if record.pending_before:
        yield f"pending: {record.result}"
    if any(record.gratuities) and not record.pending_before:
        yield "three-team gratuity"


def _checked(records: Iterable[Record], seen: Counter[str]) -> tuple[int, str | None]:
    rounds = 0
    for record in records:
        rounds += 1
        seen.update(set(_occurred(record)))
        wrong = check_record(record)
        if record.tricks and sum(record.card_points) != 236:
            wrong = [*wrong, f"card points {record.card_points}"]
        if wrong:
            return rounds, told(record, *wrong)
    return rounds, None


def _experiments(rules: KqjRules, amounts: Amounts) -> Iterator[Experiment]:
    for policies in tables().values():
        yield Experiment(rules, policies, deals=amounts.rounds, seed=SEED)
    if rules.bidding == "auction":
        yield Experiment(rules, (CAPOT,) * 6, deals=amounts.rounds, seed=SEED)
    for imposed in impositions(rules):
        yield Experiment(rules, (LIVELY,) * 6, amounts.imposed, SEED, imposed=imposed)


def _pending_records(rules: KqjRules) -> Iterator[Record]:
    """A block of rounds before which a gratuity of 0 to 390 waits."""
    block = KqjRecordingBlock(lively(rules, seed=SEED))
    start_deals(block.state, 0, LANES)
    for lane in range(LANES):
        block.state[PENDING + lane] = 10 * (lane % 40)
    block.play(LANES)
    return map(block.read_record, range(LANES))


def variant_agrees(variant: str, amounts: Amounts) -> Agreement:
    """Rounds by every table, every Sender and contract imposed, and with gratuities waiting."""
    total, seen = 0, Counter[str]()
    rules = VARIANTS[variant]
    runs = [*map(play_records, _experiments(rules, amounts)), _pending_records(rules)]
    for records in runs:
        count, failure = _checked(records, seen)
        total += count
        if failure is not None:
            return Agreement(total, seen, failure)
    return Agreement(total, seen, None)


def games_agree(variant: str, amounts: Amounts) -> Agreement:
    """Whole games to 500 and 1000, each round and how rounds follow each other."""
    total, seen = 0, Counter[str]()
    for target in (500, 1000):
        rules = replace(VARIANTS[variant], target=target)
        for policies in ((LIVELY,) * 6, tables()["mixed"]):
            experiment = Experiment(rules, policies, seed=SEED, games=amounts.games)
            records = list(play_records(experiment))
            rounds, failure = _checked(records, seen)
            total += rounds
            for line, wrong in check_records(enumerate(records)):
                failure = failure or told(records[line], wrong)
            failure = failure or _wrong_ends(records, amounts.games)
            if failure is not None:
                return Agreement(total, seen, failure)
    return Agreement(total, seen, None)


def _wrong_ends(records: list[Record], count: int) -> str | None:
    """Games that do not begin at 0, or do not end when, and only when, they are decided."""
    games: dict[int | None, list[Record]] = {}
    for record in records:
        games.setdefault(record.game_id, []).append(record)
    if list(games) != list(range(count)):
        return f"seed={SEED}: games {list(games)}"
    for rounds in games.values():
        if [record.round for record in rounds] != list(range(len(rounds))):
            return told(rounds[0], "the rounds are not numbered from 0")
        for record in rounds:
            scores = record.score_after or []
            best = max(scores)
            over = best >= record.rules["target"] and scores.count(best) == 1
            if over != (record is rounds[-1]):
                return told(record, f"{scores} of {record.rules['target']}: over is {over}")
    return None
