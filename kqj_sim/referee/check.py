"""Check round records, and files of them, against the rules of their game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kqj_sim.errors import RecordError
from kqj_sim.record import PartialRecord, Record, from_json, to_json
from kqj_sim.referee.games import get_referee
from kqj_sim.referee.round_check import RoundCheck, describe_difference


def check_record(record: Record) -> list[str]:
    """Return the discrepancies of a record with the rules, one line each; [] if there are none.

    Accepts whatever a Record can hold, and raises nothing.
    """
    try:
        # A record made in Python may hold values of any type: the way through JSON rejects them.
        record = from_json(to_json(record))
        return RoundCheck(record, get_referee(record.game_rules())).run()
    except RecordError as error:
        return [str(error)]


def check_records(
    records: Iterable[tuple[int, Record | PartialRecord | RecordError]],
    before: Record | None = None,
) -> Iterator[tuple[int, str]]:
    """Yield the line number and text of every discrepancy of a file of records.

    Besides each record, check that rounds of one game (same seed and `game_id`) on consecutive
    lines follow from each other.

    Args:
        records: line numbers and records, as `read_records` yields them; rounds of which not all is
            known were checked when they were read.
        before: the record on the line before the first; None if there is none.
    """
    for line, record in records:
        if isinstance(record, RecordError):
            yield line, str(record)
            before = None
            continue
        if isinstance(record, PartialRecord):
            before = None
            continue
        for discrepancy in check_record(record):
            yield line, discrepancy
        if before is not None:
            for discrepancy in _check_continuity(before, record):
                yield line, discrepancy
        before = record


def _check_continuity(before: Record, after: Record) -> Iterator[str]:
    """Yield the keys of a round that do not follow from the round before, if one game has both."""
    if after.game_id is None or after.round == 0:
        return
    if (before.game, before.seed, before.game_id) != (after.game, after.seed, after.game_id):
        return
    try:
        referee = get_referee(before.game_rules())
    except RecordError:
        return
    next_dealer = referee.find_next_dealer(before.dealer, before.sender is None)
    source = "the line before"
    next_round = None if before.round is None else before.round + 1
    yield from describe_difference("round", after.round, next_round, source)
    yield from describe_difference("rules", after.rules, before.rules, source)
    yield from describe_difference("players", after.players, before.players, source)
    yield from describe_difference("dealer", after.dealer, next_dealer, source)
    yield from describe_difference(
        "pending_before", after.pending_before, before.pending_after, source
    )
    yield from describe_difference("score_before", after.score_before, before.score_after, source)
