"""`serve`: questions of other programs on stdin, answers on stdout."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.commands.serve import MAX_LINE_BYTES, Service
from kqj_sim.notation.write import format_records
from kqj_sim.record import to_json
from tests.command_line import ENVIRONMENT, PROGRAM, run_json

HAND = {"hand": "9h 8h Ah Ks 4d", "return_card": "7h", "policy": "standard", "deals": 200}
"""A quick question."""


def answer(
    lines: Iterable[dict[str, Any] | bytes], threads: int = 2, allowed: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Return the answers of a service to some lines, in the order in which they were ready."""
    stream = BytesIO()
    with Service(stream, threads, allowed) as service:
        for number, line in enumerate(lines, start=1):
            service.take(number, line if isinstance(line, bytes) else json.dumps(line).encode())
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def by_id(answers: Iterable[dict[str, Any]]) -> dict[Any, Any]:
    return {each["id"]: each["answer"] for each in answers}


def test_answers_are_those_of_the_commands() -> None:
    (record,) = kqj.records(deals=1, first=3, policy="greedy")
    written = json.loads(to_json(record))
    questions = [
        {"id": "hand", "ask": "odds", **HAND},
        {"id": "record", "ask": "odds", "record": written, "at": "7.2"},
        {"id": "review", "ask": "review", "records": [written], "samples": 100},
        {"id": "check", "ask": "check", "records": written},
        {"id": "solved", "ask": "solve", "file": written, "at": "6.1"},
        {"id": "equity", "ask": "equity", "scores": "900:850"},
        {"id": "choice", "ask": "choose", "record": written, "at": "c.1", "policy": "points"},
    ]
    answers = by_id(answer(questions))
    words = shlex.split("9h 8h Ah Ks 4d --return 7h --policy standard --deals 200")
    assert answers["hand"] == run_json("odds", *words)
    assert answers["record"] == json.loads(kqj.odds(record=record, at="7.2").to_json())
    review = json.loads(kqj.review(record, samples=100).to_json())
    del review["command"], answers["review"]["command"]
    assert answers["review"] == review
    solved = json.loads(kqj.solve(to_json(record).encode(), at="6.1").to_json())
    assert answers["solved"] == solved
    assert answers["check"] == {"summary": kqj.check(record).headline, "discrepancies": []}
    assert answers["equity"] == run_json("equity", "--scores", "900:850")
    assert answers["choice"] == kqj.choose(record=record, at="c.1", policy="points")


def test_threads_change_no_answer() -> None:
    questions = [{"id": seed, "ask": "odds", **HAND, "seed": seed} for seed in range(8)]
    assert by_id(answer(questions, 1)) == by_id(answer(questions, 4))


def test_rounds_are_records_or_typed() -> None:
    (record,) = kqj.records(deals=1, first=3, policy="greedy")
    written = json.loads(to_json(record))
    broken = {**written, "scores": [1, 2]}
    typed = "".join(format_records([record]))
    questions = [
        {"id": 1, "ask": "check", "records": to_json(record) + "\n" + to_json(record)},
        {"id": 2, "ask": "check", "records": [written, broken]},
        {"id": 3, "ask": "odds", "record": typed, "at": "7.2"},
        {"id": 4, "ask": "odds", "record": written, "at": "7.2"},
    ]
    answers = by_id(answer(questions))
    assert answers[1]["discrepancies"] == []
    assert {each["line"] for each in answers[2]["discrepancies"]} == {2}
    assert answers[3]["tables"] == answers[4]["tables"]


WRONG: dict[str, dict[str, Any] | bytes] = {
    "the line is no JSON: Expecting value: line 1 column 1 (char 0)": b"nonsense",
    "NaN is no number of JSON": b'{"id": NaN}',
    "codec can't decode": b'{"id": "\xff"}',
    'the line is no object: write {"id": 1, "ask": "odds", ...}': b"[1]",
    "more than 1 MB": b"x" * (MAX_LINE_BYTES + 1),
    "recursion": b"[" * 100_000,
    "id: it is missing": {"ask": "odds"},
    "id: it is missing; give a number or a text": {"id": True, "ask": "odds"},
    'ask: there is no question "ods": did you mean odds?': {"id": 1, "ask": "ods"},
    'ask: there is no question "report": it is odds, ': {"id": 1, "ask": "report"},
    "odds has no 'return_crd': did you mean return_card?": {
        "id": 1, "ask": "odds", "hand": "9h", "return_crd": "7h",
    },
    "odds has no 'runner'": {"id": 1, "ask": "odds", "runner": 1},
    "review has no 'quiz'": {"id": 1, "ask": "review", "records": [], "quiz": "mine.json"},
    "check: `records` is missing": {"id": 1, "ask": "check"},
    "3 cards given": {"id": 1, "ask": "odds", **HAND, "hand": "9h 8h Ah"},
    "`hand`: it is a text or a list, not int": {"id": 1, "ask": "odds", **HAND, "hand": 5},
    "teams cannot be x": {"id": 1, "ask": "odds", **HAND, "teams": "x"},
    "partial: it is a number of seconds": {"id": 1, "ask": "odds", **HAND, "partial": "x"},
    "policy: './mine.py' is read only with --allow": {
        "id": 1, "ask": "odds", **HAND, "policy": {"team0": "random+./mine.py:x=1"},
    },
    "record on line 1: not a record": {"id": 1, "ask": "check", "records": {"x": 1}},
}  # fmt: skip


@pytest.mark.parametrize("error", WRONG)
def test_a_wrong_line_has_its_number_and_one_line(error: str) -> None:
    right = {"id": "right", "ask": "odds", **HAND}
    answers = answer([right, WRONG[error]])
    (found,) = (each for each in answers if each["id"] != "right")
    assert found["line"] == 2 and error in found["error"] and "\n" not in found["error"]
    assert by_id(each for each in answers if each["id"] == "right")["right"]["deals"]


def test_a_policy_file_that_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from kqj_sim import TakeView, policy\n\n\n"
        "@policy\ndef always(view: TakeView) -> bool:\n    return True\n"
    )
    question = {"id": 1, "ask": "choose", **HAND, "policy": str(file)}
    del question["deals"]
    assert "only with --allow" in answer([question])[0]["error"]
    assert by_id(answer([question], allowed=(str(file),)))[1] == {"take h": 1.0}


def test_partial_answers_and_an_end() -> None:
    long = {"id": "long", "ask": "odds", **HAND, "deals": 10**6, "partial": 0}

    def lines() -> Iterable[dict[str, Any]]:
        yield long
        time.sleep(0.5)
        yield {"cancel": "long"}
        yield {"cancel": "unknown"}

    *partial, last = answer(lines())
    assert last == {"id": "long", "cancelled": True}
    assert partial and all(each["partial"].startswith("take ♥") for each in partial)
    deals = [each["deals"] for each in partial]
    assert deals == sorted(deals) and 0 < deals[-1] < 10**6


def test_an_id_in_use_is_refused() -> None:
    long = {"id": 1, "ask": "odds", **HAND, "deals": 10**6}
    first, second = answer([long, long, {"cancel": 1}])
    assert first["error"] == "id: 1 is being answered; give another"
    assert second == {"id": 1, "cancelled": True}


def start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*PROGRAM, "serve", "--threads", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=ENVIRONMENT,
    )  # fmt: skip


def test_the_program_answers_until_its_input_ends() -> None:
    lines = [b"\n", b"x" * (3 * MAX_LINE_BYTES) + b"\n"]
    lines += [b"nonsense\n"] * 1000
    lines += [json.dumps({"id": 1, "ask": "choose", **HAND} | {"deals": 1}).encode() + b"\n"]
    lines += [json.dumps({"id": 2, "ask": "odds", **HAND}).encode()]
    with start() as program:
        out, err = program.communicate(b"".join(lines), timeout=120)
    answers = [json.loads(line) for line in out.splitlines()]
    assert program.returncode == 0 and err == b""
    assert [each["line"] for each in answers if "error" in each] == [*range(2, 1004)]
    assert by_id(each for each in answers if "answer" in each).keys() == {2}


def test_a_signal_or_a_closed_stream_ends_the_program() -> None:
    endless = json.dumps({"id": 1, "ask": "odds", **HAND, "deals": 10**6, "partial": 0}).encode()
    with start() as program:
        assert program.stdin and program.stdout
        program.stdin.write(endless + b"\n")
        program.stdin.flush()
        assert b"partial" in program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        assert b'"cancelled":true' in program.stdout.read()
        assert program.wait(60) == 143
    with start() as program:
        assert program.stdin and program.stdout
        program.stdout.close()
        program.stdin.write(endless + b"\n")
        program.stdin.flush()
        assert program.wait(60) == 1
