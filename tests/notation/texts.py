"""Rounds as text in tests: read, compared with their records, and mutated."""

from __future__ import annotations

import random

from msgspec.structs import replace

from kqj_sim.errors import RecordError
from kqj_sim.notation.rounds import read_rounds
from kqj_sim.notation.write import format_records
from kqj_sim.record import PartialRecord, Record
from kqj_sim.referee import check_record


def read(text: str) -> list[Record | PartialRecord | RecordError]:
    """Return the rounds of a text."""
    return [record for _, record in read_rounds(text)]


def normalise(record: Record) -> Record:
    """Return a record with its cards and bonuses in a fixed order."""
    return replace(
        record,
        dealt=[sorted(hand) for hand in record.dealt],
        hands=record.hands and [sorted(hand) for hand in record.hands],
        bonuses=sorted(record.bonuses, key=repr),
    )


def assert_round_trip(records: list[Record]) -> None:
    """Assert that records written as text are read as the same records."""
    back = read("".join(format_records(records)))
    assert len(back) == len(records)
    for record, found in zip(records, back, strict=True):
        assert isinstance(found, Record), found
        assert normalise(found) == normalise(record)


def check_mutations(texts: list[str]) -> None:
    """Check that mutated texts give rounds that keep to the rules, or errors of their lines."""
    draw = random.Random(7)
    signs = " \n:,.#+\"'19TKhs♠♥xé\x00\u2028/-"
    for text in texts:
        for _ in range(250):
            mutated = list(text)
            for _ in range(draw.randint(1, 4)):
                place = draw.randrange(len(mutated))
                kind = draw.randrange(4)
                if kind == 0:
                    mutated[place] = draw.choice(signs)
                elif kind == 1:
                    del mutated[place : place + draw.randint(1, 12)]
                elif kind == 2:
                    mutated.insert(place, draw.choice(signs))
                else:
                    start = draw.randrange(len(mutated))
                    mutated[place:place] = mutated[start : start + draw.randint(1, 60)]
            count = "".join(mutated).count("\n") + 1
            for line, found in read_rounds("".join(mutated)):
                assert 1 <= line <= count
                if isinstance(found, Record):
                    assert check_record(found) == []
                if isinstance(found, RecordError):
                    assert "\n" not in str(found)
                    assert str(found)
