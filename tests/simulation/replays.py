"""Rounds that are played again, untouched and forged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec

from kqj_sim.core.block import LANES
from kqj_sim.record import Record
from kqj_sim.referee import check_record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.replay import replay_records
from tests.variants import told


def changed(record: Record, **values: object) -> Record:
    """Return a record with other values."""
    return msgspec.structs.replace(record, **values)


def forge(record: Record, never: str) -> Iterator[tuple[str, Record]]:
    """Change what the referee cannot see, the name of each change with it."""
    yield "seed", changed(record, seed=record.seed + 1)
    yield "deal", changed(record, deal=record.deal + (1 << 40))
    if record.result != "passed_out" and not record.imposed:
        yield "players", changed(record, players=[never] * len(record.players))


def with_other_card(record: Record) -> Record:
    """Exchange a card of seat 0 for one of seat 1."""
    first, second, *others = (list(hand) for hand in record.dealt)
    first[0], second[0] = second[0], first[0]
    return changed(record, dealt=[first, second, *others])


def check_replays(experiment: Experiment, never: str) -> None:
    """Check that the rounds of an experiment agree when played again, and forged ones do not.

    Args:
        experiment: what is played.
        never: a policy that always passes.
    """
    records = list(play_records(experiment))
    for each in replay_records(records):
        assert (each.differing, each.reason) == ((), ""), told(each.record, each)
    for record in records[::3]:
        changes = dict(forge(record, never))
        replayed = replay_records([*changes.values(), with_other_card(record)])
        for name, each in zip([*changes, "card"], replayed, strict=True):
            assert each.discrepancy and not each.reason, told(record, name)
            if name != "card":
                assert check_record(each.record) == [], told(record, name)
                assert name in each.discrepancy
            if name != "players":
                assert "dealt" in each.differing, told(record, name)


def check_order(experiments: Iterable[Experiment]) -> None:
    """Check that mixed records of many experiments are answered in their order."""
    records = [
        record
        for experiment in experiments
        for record in play_records(replace(experiment, deals=LANES // 2 + 9))
    ]
    mixed = sorted(records, key=lambda record: (record.deal * 7919) % 1009)
    forge = set(range(0, len(mixed), 10))
    mixed = [
        changed(record, seed=99) if number in forge else record
        for number, record in enumerate(mixed)
    ]
    replayed = replay_records(mixed)
    assert [each.record for each in replayed] == mixed
    assert {number for number, each in enumerate(replayed) if each.differing} == forge
