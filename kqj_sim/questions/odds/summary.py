"""The first screen of odds: the best options, and with auctions the contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kqj_sim.games import find_game
from kqj_sim.output.excerpts import Excerpt
from kqj_sim.output.sentences import say
from kqj_sim.positions.measures import RANKING_MEASURE, UNCOUNTERED_VALUE
from kqj_sim.questions.odds.tables import BEST, LEAD

if TYPE_CHECKING:
    from kqj_sim.output.run import ScreenView
    from kqj_sim.positions.odds import Odds

_MOST_OPTIONS, _MOST_IN_AUCTIONS = 8, 5
"""Options shown, at most; with auctions the contracts need room, too."""

_OF_CALLS = ("win_share", "own_made_share", "own_capot_share", "own_all_tricks_share")
_OF_AUCTIONS = ("win_share", "own_countered_share", UNCOUNTERED_VALUE)
_OF_CARDS = (
    "win_share", "contract_made_share", "own_total_mean", "own_points_mean", "own_capot_share",
    "own_all_tricks_share",
)  # fmt: skip
"""The columns besides the value of each option and how far it is behind the best one."""


def list_key_views(odds: Odds, names_option: bool = True) -> list[ScreenView]:
    """Return what people see unless they ask for tables.

    With `names_option` the note says which option of the command line shows the rest.
    """
    # To counter or not is a question about the bid as it is: no columns on further counters.
    is_auction = bool(odds.contract_options)
    quantities = _OF_AUCTIONS if is_auction else _OF_CALLS if odds.kind == "call" else _OF_CARDS
    most = _MOST_IN_AUCTIONS if is_auction else _MOST_OPTIONS
    # A line that stands for one row saves nothing.
    rest = odds.ranking[most:] if len(odds.ranking) > most + 1 else ()
    least = min((odds.estimate_leads()[option].value for option in rest), default=0.0)
    options = Excerpt(
        f"{odds.kind}s",
        (RANKING_MEASURE, LEAD, *quantities),
        without=(BEST,),
        title="",
        note=say(__name__, "note", odds, len(rest), least, names_option),
        most=len(odds.ranking) - len(rest),
    )
    if odds.kind == "card":
        return [options]
    return [options, *find_game(odds.rules.game).part("answers").list_grids(odds)]
