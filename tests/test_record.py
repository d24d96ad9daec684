from __future__ import annotations

import io
import json
from typing import Any

import msgspec
import pytest

from kqj_sim.errors import RecordError
from kqj_sim.notation.files import read_file
from kqj_sim.record import Bonus, Call, Record, from_json, to_json
from kqj_sim.rules import KqjRules
from tests.command_line import read_error
from tests.referee.random_rounds import random_record

KEYS = [
    "game", "rules", "seed", "deal", "players", "game_id", "round", "score_before", "score_after",
    "dealer", "teams", "dealt", "turned", "calls", "sender", "contract", "amount", "capot", "stake",
    "hands", "tricks", "card_points", "trick_counts", "bonuses", "totals", "result", "gratuities",
    "pending_before", "pending_after", "scores",
]  # fmt: skip

AUCTION = KqjRules(bidding="auction")


def as_dict(record: Record) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(to_json(record))
    return values


def a_record() -> dict[str, Any]:
    return as_dict(random_record(KqjRules(), 1))


def test_a_record_has_every_key_and_no_other() -> None:
    assert list(a_record()) == KEYS


def test_a_record_is_one_line_and_comes_back() -> None:
    for seed in range(50):
        for rules in (KqjRules(), AUCTION, KqjRules(teams=3, partners="random")):
            record = random_record(rules, seed)
            assert "\n" not in to_json(record)
            assert from_json(to_json(record)) == record


def test_imposed_is_written_only_when_true() -> None:
    record = random_record(KqjRules(), 1)
    assert "imposed" not in as_dict(record)
    assert as_dict(msgspec.structs.replace(record, imposed=True))["imposed"] is True
    assert from_json(json.dumps({**a_record(), "imposed": False})) == record


def test_null_is_written_where_there_is_nothing() -> None:
    values = a_record()
    assert values["game_id"] is None and values["score_before"] is None
    assert values["amount"] is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call(2, "pass"), '{"seat":2,"call":"pass"}'),
        (Call(3, "take", contract="AT"), '{"seat":3,"call":"take","contract":"AT"}'),
        (
            Call(3, "bid", 150, "s", False),
            '{"seat":3,"call":"bid","amount":150,"contract":"s","capot":false}',
        ),
        (Call(4, "counter"), '{"seat":4,"call":"counter"}'),
        (Call(3, "overcounter"), '{"seat":3,"call":"overcounter"}'),
        (Call(1, "play"), '{"seat":1,"call":"play"}'),
    ],
)
def test_a_call_has_only_the_keys_that_belong_to_it(call: Call, text: str) -> None:
    assert msgspec.json.encode(call).decode() == text


def test_only_kq_and_kqj_have_a_seat_and_a_suit() -> None:
    last = msgspec.json.encode(Bonus("last_trick", 0, 10)).decode()
    assert last == '{"bonus":"last_trick","team":0,"points":10}'
    kqj = msgspec.json.encode(Bonus("kqj", 1, 50, 3, "h")).decode()
    assert kqj == '{"bonus":"kqj","team":1,"points":50,"seat":3,"suit":"h"}'


def test_unknown_keys_are_ignored() -> None:
    values = a_record()
    more = {**values, "comment": {"x": [1]}, "rules": {**values["rules"], "house": "ours"}}
    more["calls"] = [{**call, "thinking_time": 1.5} for call in values["calls"]]
    assert from_json(json.dumps(more)).game_rules() == from_json(json.dumps(values)).game_rules()


@pytest.mark.parametrize("key", KEYS)
def test_a_value_of_the_wrong_type_is_named(key: str) -> None:
    for wrong in (1.5, {"a": 1} if key != "rules" else [], [None]):
        assert key in read_error(
            from_json, json.dumps({**a_record(), key: wrong}), kind=RecordError
        )


@pytest.mark.parametrize("key", list(KqjRules().to_dict()))
def test_a_rule_that_is_wrong_is_named(key: str) -> None:
    values = a_record()
    values["rules"][key] = "no such"
    with pytest.raises(RecordError, match=f"rules: {key} (is|cannot be)"):
        from_json(json.dumps(values)).game_rules()


@pytest.mark.parametrize(
    "text",
    ["", "x", "{", "[]", "3", "null", '"a"', "{}", "[" * 100_000, '{"a":' * 100_000, b"\xff",
     b'{"game":"\xff"}', '{"game":"\ud800"}', '{"game":"go"}', '{"seed":' + "9" * 9999 + "}"],
    ids=range(15),
)  # fmt: skip
def test_text_that_is_no_record_raises(text: str | bytes) -> None:
    assert len(read_error(from_json, text, kind=RecordError)) < 200


def test_value_without_json_raises() -> None:
    record = msgspec.structs.replace(random_record(KqjRules(), 1), contract=object())
    with pytest.raises(RecordError, match="cannot be written"):
        to_json(record)


def test_a_file_is_read_line_by_line_past_what_is_no_record() -> None:
    record = random_record(KqjRules(), 1)
    line = to_json(record).encode()
    stream = io.BytesIO(b"\n".join([line, b"", b"  ", b"{\xff}", line, b"[]"]))
    (n1, first), (n4, fourth), (n5, fifth), (n6, sixth) = read_file(stream)
    assert (n1, n4, n5, n6) == (1, 4, 5, 6)
    assert first == fifth == record
    assert isinstance(fourth, RecordError) and isinstance(sixth, RecordError)
