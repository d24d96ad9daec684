"""The commands that do other things than write the tables and the picture of their answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import fields
from functools import partial
from typing import Any

import click

from kqj_sim.arguments import collect_rules
from kqj_sim.commands.errors import exit_interrupted
from kqj_sim.commands.from_function import (
    ask,
    ask_or_keep,
    end,
    prepare,
    reject_options,
    write_tables,
)
from kqj_sim.commands.stdout import get_stdout, write_line
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES
from kqj_sim.messages import quote, visible
from kqj_sim.question import CommandDescription
from kqj_sim.runner import InterruptHandler, ProgressLine, Runner
from kqj_sim.signals import get_exit_status
from kqj_sim.suffixes import PAGE_SUFFIXES

# `check` is to load few modules: what writes tables is imported where it is used.

_CALL_PATTERN = re.compile(
    r"(?:pass|p|takes?|play|counter|x|xx|overcounter|(?:[89]|[1-6][02-9])0\D*),?", re.IGNORECASE
)
"""A call, such as `pass` or `120h`, but not `910h`, nine and ten of hearts."""


def _join_cards(values: dict[str, Any]) -> None:
    """Make one text of the words of CARDS; raise InputError for a call (--heard)."""
    words: tuple[str, ...] = values["hand"]
    for word in words:
        if _CALL_PATTERN.fullmatch(word):
            raise InputError(
                f"{quote(word)} is a call among the cards: write calls between quotes, such as "
                "--heard 'pass, 120 h'"
            )
    values["hand"] = " ".join(words) or None


def _run_page(question: CommandDescription, values: dict[str, Any]) -> None:
    """Write the page and print its path."""
    output, _ = prepare(question, values)
    _join_cards(values)
    path = question.function(**values)
    if not output["quiet"]:
        write_line(visible(str(path)))


_OF_POLICIES = {
    "game", *(rule.name for each in GAMES.values() for rule in fields(each.rules)),
    "impose", "first", "deals", "games",
}  # fmt: skip
"""Options of rounds that are played."""


def _run_review(question: CommandDescription, values: dict[str, Any]) -> None:
    """Write the review, and a line on stderr for each round that cannot be reviewed."""
    from kqj_sim.commands.output import Output, choose_tables
    from kqj_sim.questions.review import COUNTS_ROUNDS, FOR_PLAYED

    context = click.get_current_context()
    values["records"] = [*values["records"]] or None
    if not values["policy"]:
        reject_options(values.keys() - {"deals"}, COUNTS_ROUNDS)
        reject_options(values.keys() - _OF_POLICIES, FOR_PLAYED)
        for name in _OF_POLICIES:  # A file of options may set them for other commands.
            del values[name]
    output, runner = prepare(question, values)
    assert question.list_tables is not None
    shown = choose_tables(output["tables"], question.list_tables())
    seats = values["seat"]
    with Output(output["out"], output["format"], None, output["color"], PAGE_SUFFIXES) as files:
        from kqj_sim.questions.review.play import NothingReviewedError

        try:
            review = ask(question, values, runner)
        except NothingReviewedError:
            context.exit(1)  # Each of the records has had its line.
        if review.deals:
            files.write_result(review, shown)
    if review.without_player:
        total = f"{review.without_player:,} of {review.without_player + review.deals:,} rounds"
        write_line(f"Left out: {total}, without {' or '.join(seats)} at the table", err=True)
    if (text := review.describe_end()) is not None:
        write_line(text, err=True)
    if review.interrupted and not review.out_of_time:
        context.exit(get_exit_status())
    if review.errors or not review.deals:
        context.exit(1)


def _run_report(question: CommandDescription, values: dict[str, Any]) -> None:
    """Write the report, and print the path of its page, or the report if it cannot be written."""
    output, runner = prepare(question, values)
    report, failure = ask_or_keep(question, values, runner)
    if not report.files:
        write_line(report.to_markdown(), nl=False)
    elif not output["quiet"]:
        write_line(visible(str(report.path)))
    end(report, failure)


def _run_show(question: CommandDescription, values: dict[str, Any]) -> None:
    """Print the round, and what it has against the rules."""
    from kqj_sim.commands.output import print_screen

    output, runner = prepare(question, values)
    if values["file"] is not None:
        reject_options(
            ("file", "line", *question.output),
            "is for a round that is played: leave it out, or the FILE",
        )
    round = ask(question, values, runner)
    print_screen(round.parts, output["color"])
    for discrepancy in round.discrepancies:
        write_line(f"Warning: against the rules: {discrepancy}", err=True)


def _run_records(question: CommandDescription, values: dict[str, Any]) -> None:
    """Write each record as soon as it is played or read; the function would collect them."""
    output, runner = prepare(question, values)
    if values["source"] is None:
        values["rules"] = collect_rules(values["rules"], {}, question.name)
    else:
        reject_options(
            ("from", *question.output), "is for rounds that are played: leave it out, or --from"
        )
    from kqj_sim.commands.output import open_output
    from kqj_sim.questions.records.rounds import iterate_records, watch_rounds
    from kqj_sim.record import to_json

    out: str | None = output["out"]
    suffixed = "text" if out is not None and out.lower().endswith(".txt") else "json"
    is_text = (output["format"] or suffixed) == "text"
    values["policy"] = values["policy"] or None
    rounds = iterate_records(**values, checks=is_text)
    written = 0
    with ExitStack() as stack:
        stream = open_output(stack, out) or get_stdout().buffer
        interruption = stack.enter_context(InterruptHandler())
        if values["source"] is None:
            # Lines on the same terminal would cut the one that shows the progress.
            shows_progress = out is not None or not stream.isatty()
            watched = watch_rounds(rounds, values["deals"], values["games"], runner, shows_progress)
            rounds = stack.enter_context(closing(watched))
        if is_text:
            from kqj_sim.notation.write import format_records

            texts = format_records(rounds)
        else:
            texts = (to_json(record) + "\n" for record in rounds)
        for text in texts:
            stream.write(text.encode())
            written += 1
            if interruption.stop_requested:
                break
        stream.flush()
    if interruption.stop_requested or runner.interrupted:
        exit_interrupted(f"{written:,} records were written")


def _run_check(question: CommandDescription, values: dict[str, Any]) -> None:
    """Print each discrepancy as it is found, and the summary of all files."""
    from kqj_sim.notation.files import read_file
    from kqj_sim.questions.records.rounds import RecordCheck
    from kqj_sim.text_files import count_lines, open_lines

    quiet: bool = values["quiet"]
    runner = Runner(tell=None if quiet else partial(write_line, err=True))
    check = RecordCheck(values["replay"], values["allow"], runner)
    total = 0 if quiet else sum(map(count_lines, values["records"]))
    with ProgressLine("lines", total, total > 0) as progress:
        for file in values["records"]:
            name = "stdin" if file == "-" else visible(file)
            with open_lines(file) as lines:
                rounds = read_file(progress.watch(lines))
                for line, discrepancy in check.check_rounds(rounds):
                    write_line(f"{name}:{line}: {discrepancy}")
    summary = list(check.summarise())
    for line_of_summary in () if quiet else summary:
        write_line(line_of_summary, err=True)
    if check.discrepancy_count:
        click.get_current_context().exit(1)


RUNS: Mapping[str, Callable[[CommandDescription, dict[str, Any]], None]] = {
    "odds": partial(write_tables, complete=_join_cards),
    "page": _run_page,
    "review": _run_review,
    "report": _run_report,
    "show": _run_show,
    "records": _run_records,
    "check": _run_check,
}
"""What carries a command out, by its name."""
