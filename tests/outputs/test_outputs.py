"""Commands write what they wrote before, byte for byte."""

from __future__ import annotations

import pytest

from tests.command_line import run_python
from tests.outputs.outputs import (
    STORED,
    describe_output,
    list_commands,
    locate_stored,
    read_stored,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", list_commands())
def test_output_is_unchanged(command: str) -> None:
    assert describe_output(command) == read_stored(command), (
        f"`kqj-sim {command}` writes other JSON, CSV, records or rows than before. If that is "
        "intended, store the new output with `python -m tests.outputs.outputs --write` and say in "
        "CHANGELOG.md what changed"
    )


def test_numbers_are_the_same_with_the_instructions_of_older_processors() -> None:
    """numpy and its BLAS choose their code by the processor, and add in another order."""
    older = {
        "OPENBLAS_CORETYPE": "NEHALEM",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    }
    arguments = ("-m", "tests.outputs.outputs", "^odds|^review|^report")
    found = run_python(*arguments, variables=older)
    assert found.returncode == 0, found.stdout + found.stderr


def test_every_stored_output_has_its_command() -> None:
    assert {*STORED.iterdir()} == {locate_stored(command) for command in list_commands()}
    assert len({locate_stored(command) for command in list_commands()}) == len(list_commands())
