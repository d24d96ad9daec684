"""Errors name the place of what is wrong, and stay of their kind."""

from __future__ import annotations

import pytest

from kqj_sim.errors import InputError, RecordError, locate_errors


@pytest.mark.parametrize("kind", [InputError, RecordError])
def test_a_located_error_keeps_its_kind_and_names_every_place(kind: type[InputError]) -> None:
    with (
        pytest.raises(kind, match=r"^file\.txt: line 3: no such card$") as raised,
        locate_errors("file.txt"),
        locate_errors("line 3"),
    ):
        raise kind("no such card")
    assert raised.type is kind


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(KeyError, match=r"^'seat'$"), locate_errors("--policy"):
        raise KeyError("seat")


def test_control_characters_of_a_message_are_visible() -> None:
    assert str(InputError("card \x1b[2J")) == r"card \x1b[2J"
