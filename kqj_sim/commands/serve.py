"""The command `serve`: questions of other programs on stdin, answers on stdout, lines of JSON."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Event, Lock, Semaphore
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, NoReturn, Self

import click

from kqj_sim.commands.command import Command
from kqj_sim.commands.errors import FAILED, exit_interrupted, explain
from kqj_sim.commands.from_function import make_option
from kqj_sim.commands.stdout import get_stdout
from kqj_sim.errors import InputError, RecordError
from kqj_sim.messages import format_json, one_line, quote, suggest, suggest_file
from kqj_sim.options import OPTIONS
from kqj_sim.runner import Runner

if TYPE_CHECKING:
    from kqj_sim.record import AnyRecord

ASKED = ("odds", "choose", "solve", "review", "check", "equity")
"""The public functions that lines may ask."""

MAX_LINE_BYTES = 1 << 20

MAX_WAITING = 1000
"""Questions that are read before they are answered; no further line is read meanwhile."""

_KEYS = ("id", "ask", "partial")
_LEFT_OUT = {"runner", "rules", "quiz", "allow"}
"""Parameters that take files, or objects of Python."""


@click.command(
    cls=Command,
    params=[
        make_option("allow", OPTIONS["allow"], help="let questions name this file of a policy."),
        make_option("threads", OPTIONS["threads"]),
    ],
    epilog="""\b
Example:
  kqj-sim serve < questions.jsonl > answers.jsonl
""",
)
def serve(allow: tuple[str, ...], threads: int | None) -> None:
    """Answer questions of other programs, a line of JSON each.

    A line on stdin asks a function of the Python package: its `id`, the name of the function as
    `ask` (odds, choose, solve, review, check or equity), and the arguments.  The answer on stdout
    has the same `id`.  Questions are answered side by side, and each as soon as it is ready.  A
    line {"cancel": ID} ends a question.
    """
    from kqj_sim.simulation.workers import count_processors

    for path in allow:
        if not os.path.isfile(path):
            raise InputError(f"`allow`: {quote(path)}: no such file{suggest_file(path)}")
    service = Service(get_stdout().buffer, threads or count_processors(), allow)
    try:
        with service:
            for number, line in read_lines(sys.stdin.buffer):
                service.take(number, line)
    except KeyboardInterrupt:
        exit_interrupted(f"{service.answered:,} questions were answered")


def read_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number, from 1, of each line that is not blank, and the line.

    Of one that is longer than `MAX_LINE_BYTES` only the beginning is kept.
    """
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        end = line
        while len(end) > MAX_LINE_BYTES and not end.endswith(b"\n"):
            end = stream.readline(MAX_LINE_BYTES + 1)
        if line.strip():
            yield number, line


class QuestionRunner(Runner):
    """The runner of a question that may be cancelled from another thread.

    Args:
        show: called with the number of deals played and the answer so far.
        seconds: time between two such calls, at least; None for no call.
    """

    def __init__(
        self, threads: int, show: Callable[[int, str], object], seconds: float | None
    ) -> None:
        super().__init__(threads)
        self.cancelled = Event()
        self._show, self._seconds = show, seconds
        self._deals, self._shown = 0, monotonic()

    @property
    def interrupted(self) -> bool:
        """True once the question was cancelled."""
        return self.cancelled.is_set()

    def advance(self, count: int, answer: str = "") -> None:
        """Add finished units, and show the answer so far."""
        super().advance(count, answer)
        self._deals += count
        if self._seconds is not None and answer and monotonic() - self._shown >= self._seconds:
            self._shown = monotonic()
            self._show(self._deals, answer)


class Service:
    """Answers lines in threads; a context manager that waits for the last answers.

    Args:
        stream: what the answers are written to.
        threads: how many questions are answered at a time; one alone has all threads.
        allowed: the files of policies that questions may name.
    """

    def __init__(self, stream: IO[bytes], threads: int, allowed: tuple[str, ...] = ()) -> None:
        self.answered = 0
        self._stream, self._threads = stream, threads
        self._allowed = {os.path.abspath(path) for path in allowed}
        self._running: dict[str | int, QuestionRunner] = {}
        self._free = Semaphore(MAX_WAITING)
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        if kind is not None:
            for runner in [*self._running.values()]:
                runner.cancelled.set()
        self._pool.shutdown()

    def take(self, number: int, line: bytes) -> None:
        """Begin to answer a line, or cancel the question that it names."""
        values: dict[str, Any] = {}
        try:
            values = _parse(line)
            if "cancel" in values:
                runner = self._running.get(_read_id(values["cancel"]))
                if runner is not None:  # Else it has just been answered.
                    runner.cancelled.set()
                return
            identifier, seconds = _read_id(values.get("id")), values.get("partial")
            if not (seconds is None or isinstance(seconds, int | float)):
                raise InputError(f"partial: it is a number of seconds, not {json.dumps(seconds)}")
            if identifier in self._running:
                raise InputError(f"id: {json.dumps(identifier)} is being answered; give another")
            ask = self._read_question(values)
        except (InputError, RecursionError) as error:
            self._write({"id": values.get("id"), **_describe_error(number, error)})
            return
        self._free.acquire()

        def show(deals: int, answer: str) -> None:
            self._write({"id": identifier, "partial": answer, "deals": deals})

        with self._lock:
            threads = max(1, self._threads // (len(self._running) + 1))
            runner = self._running[identifier] = QuestionRunner(threads, show, seconds)
        self._pool.submit(self._answer, number, identifier, runner, ask)

    def _answer(
        self,
        number: int,
        identifier: str | int,
        runner: QuestionRunner,
        ask: Callable[[Runner], Any],
    ) -> None:
        answer: dict[str, Any] = {"cancelled": True}
        try:
            if not runner.interrupted:
                result = ask(runner)
                found = result if isinstance(result, dict) else json.loads(result.to_json())
                if not runner.interrupted:
                    answer = {"answer": found}
        except KeyboardInterrupt:
            pass
        except Exception as error:
            answer = _describe_error(number, error)
        with self._lock:
            del self._running[identifier]
            self.answered += 1
        self._free.release()
        self._write({"id": identifier, **answer})

    def _write(self, answer: dict[str, Any]) -> None:
        try:
            with self._lock:
                self._stream.write(f"{format_json(answer, compact=True)}\n".encode())
                self._stream.flush()
        except OSError:
            # Nobody reads the answers any more, and the main thread waits for a line.
            os._exit(FAILED)

    def _read_question(self, values: dict[str, Any]) -> Callable[[Runner], Any]:
        """Return the function that a line asks, with its arguments; raise InputError."""
        name = values.get("ask")
        if name not in ASKED:
            hint = suggest(str(name), ASKED) or f"it is {', '.join(ASKED[:-1])} or {ASKED[-1]}"
            raise InputError(f"ask: there is no question {json.dumps(name)}: {hint}")
        function = getattr(import_module("kqj_sim"), name)
        arguments = {key: value for key, value in values.items() if key not in _KEYS}
        parameters = inspect.signature(function).parameters
        known = parameters.keys() - _LEFT_OUT
        for key in arguments.keys() - known:
            raise InputError(f"{name} has no {quote(key)}: {suggest(key, known) or 'leave it out'}")
        for key in known - arguments.keys():
            if parameters[key].default is inspect.Parameter.empty:
                raise InputError(f"{name}: `{key}` is missing")
        for key in ("policy", "reference"):
            self._check_policy(arguments.get(key))
        for key in {"record", "file"} & arguments.keys():
            if arguments[key] is not None:
                arguments[key] = _write_rounds(arguments[key])
        if arguments.get("records") is not None:
            arguments["records"] = _read_rounds(arguments["records"])
        takes_runner = "runner" in parameters

        def ask(runner: Runner) -> Any:
            return function(**arguments, **({"runner": runner} if takes_runner else {}))

        return ask

    def _check_policy(self, policy: object) -> None:
        """Raise InputError if a policy of a question is of a file that it may not name."""
        from kqj_sim.policies.players import split_file, split_parts

        if isinstance(policy, dict | list):
            for each in policy.values() if isinstance(policy, dict) else policy:
                self._check_policy(each)
        elif isinstance(policy, str):
            for part in split_parts(
                policy.partition("=")[2] if policy.startswith(("team", "seat")) else policy
            ):
                file = split_file(part)
                if file is not None and os.path.abspath(file[0]) not in self._allowed:
                    raise InputError(f"policy: {quote(file[0])} is read only with --allow")


def _describe_error(number: int, error: Exception) -> dict[str, Any]:
    return {"line": number, "error": one_line(explain(error)[0])}


def _parse(line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise InputError(f"the line has more than {MAX_LINE_BYTES >> 20} MB")
    try:
        values = json.loads(line, parse_constant=_reject_constant)
    except ValueError as error:
        raise InputError(f"the line is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise InputError('the line is no object: write {"id": 1, "ask": "odds", ...}')
    return values


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _read_id(value: object) -> str | int:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError("id: it is missing; give a number or a text, which the answer repeats")
    return value


def _write_rounds(rounds: object) -> bytes:
    """Return rounds as the content of a file: a record, several of them, or rounds as typed."""
    if isinstance(rounds, str):
        return rounds.encode()
    records = rounds if isinstance(rounds, list) else [rounds]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _read_rounds(rounds: object) -> list[AnyRecord]:
    """Return the records of rounds; raise RecordError for one that cannot be read."""
    from kqj_sim.notation.files import read_file
    from kqj_sim.record import any_record_from_json

    records = []
    for line, record in read_file(_write_rounds(rounds).splitlines(True), any_record_from_json):
        if isinstance(record, RecordError):
            raise RecordError(f"record on line {line}: {record}")
        records.append(record)
    return records
