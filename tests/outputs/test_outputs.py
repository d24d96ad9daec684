"""Commands write what they wrote before, byte for byte."""

from __future__ import annotations

import pytest

from tests.outputs.outputs import hash_output, list_commands, read_hashes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", list_commands())
def test_output_is_unchanged(command: str) -> None:
    assert hash_output(command) == read_hashes().get(command), (
        f"`kqj-sim {command}` writes other JSON, CSV, records or rows than before. If that is "
        "intended, store the new hashes with `python -m tests.outputs.outputs --write` and say in "
        "CHANGELOG.md what changed"
    )


def test_every_stored_hash_has_its_command() -> None:
    assert [*read_hashes()] == list_commands()
