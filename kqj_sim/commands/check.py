"""The command `check`: discrepancies, printed as they are found."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from kqj_sim.commands.stdout import write_line
from kqj_sim.messages import visible
from kqj_sim.notation.files import read_file
from kqj_sim.question import CommandDescription
from kqj_sim.questions.records.checking import RecordCheck
from kqj_sim.runner import Runner
from kqj_sim.text_files import open_lines


def run(asked: CommandDescription, given: dict[str, Any]) -> None:
    """Check each file, and print the summary."""
    quiet: bool = given["quiet"]
    runner = Runner(tell=None if quiet else partial(write_line, err=True))
    checked = RecordCheck(given["replay"], given["allow"], runner)
    for file in given["records"]:
        name = "stdin" if file == "-" else visible(file)
        with open_lines(file) as lines:
            for line, discrepancy in checked.check_rounds(read_file(lines)):
                write_line(f"{name}:{line}: {discrepancy}")
    summary = list(checked.summarise())
    for line_of_summary in () if quiet else summary:
        write_line(line_of_summary, err=True)
    if checked.discrepancy_count:
        click.get_current_context().exit(1)
