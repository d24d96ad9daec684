"""The command `records`: rounds as lines of JSON, or as text, written one by one."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import Any

from kqj_sim.arguments import collect_rules
from kqj_sim.commands.errors import exit_interrupted
from kqj_sim.commands.from_function import prepare, reject_options
from kqj_sim.commands.output import open_output
from kqj_sim.commands.stdout import get_stdout
from kqj_sim.progress import InterruptHandler
from kqj_sim.question import CommandDescription
from kqj_sim.record import to_json


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Write each record as soon as it is played or read; the function would collect them."""
    output, runner = prepare(asked, given)
    if given["source"] is None:
        given["rules"] = collect_rules(given["rules"], {}, asked.name)
    else:
        reject_options(
            ("from", *asked.output), "is for rounds that are played: leave it out, or --from"
        )
    from kqj_sim.questions.records.sources import iterate_records, watch_rounds

    out: str | None = output["out"]
    suffixed = "text" if out is not None and out.lower().endswith(".txt") else "json"
    is_text = (output["format"] or suffixed) == "text"
    given["policy"] = given["policy"] or None
    rounds = iterate_records(**given, checks=is_text)
    written = 0
    with ExitStack() as stack:
        stream = open_output(stack, out) or get_stdout().buffer
        interruption = stack.enter_context(InterruptHandler())
        if given["source"] is None:
            # Lines on the same terminal would cut the one that shows the progress.
            shows_progress = out is not None or not stream.isatty()
            watched = watch_rounds(rounds, given["deals"], given["games"], runner, shows_progress)
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
