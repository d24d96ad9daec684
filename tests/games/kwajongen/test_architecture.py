"""The place of Kwajongen in the package."""

from __future__ import annotations

from tests.imports import check_independent_of_engine, list_imported_modules


def test_one_module_names_the_game() -> None:
    """The others ask a game for its parts (`kqj_sim.games.game`)."""
    game = "kqj_sim.games.kwajongen"
    naming = {
        name
        for name, targets in list_imported_modules().items()
        if not name.startswith(game) and any(target.startswith(game) for target in targets)
    }
    assert naming == {"kqj_sim.games"}


def test_referee_shares_no_code_with_the_engine() -> None:
    check_independent_of_engine("kqj_sim.games.kwajongen.referee")
