"""Group columns of tables in words: headings and values as people read them, data as it is."""

from __future__ import annotations

from typing import Any

from kqj_sim.cards import add_suit_signs, format_contract
from kqj_sim.columns import TOTAL_STEP
from kqj_sim.games import find_column, find_game
from kqj_sim.places import format_ordinal, name_places

_HEADINGS = {
    "sender": "Sender's seat",
    "sender_trumps": "Sender's trumps",
    "sender_trump_points": "Sender's trump points",
    "sender_points": "Sender's card points",
    "sender_points_from": "Sender's card points",
    "total_from": "total",
    "margin_from": "margin",
    "sender_aces": "Sender's side aces",
    "sender_voids": "Sender's voids",
    "sender_longest": "Sender's longest suit",
    "return_suit": "Return's suit",
    "return_rank": "Return's rank",
    "opening_amount": "first bid",
    "amount": "amount bid",
    "dealer_trumps": "dealer's trumps",
    "turned_rank": "card shown",
    "whose": "side",
    "label": "player",
    "labels": "players",
}
_SUIT_COLUMNS = ("contract", "return_suit", "trump")
_CALL_COLUMNS = ("call", "calls", "card", "choice", "best", "option")
_STEP_COLUMNS = ("sender_points_from", "total_from", "margin_from")
PASSED_OUT = "passed out"
_VALUES: dict[str, dict[Any, str]] = {
    "kind": {"return": "Return's suit", "other": "another suit", "suit": "a suit"},
    "stake": {1: "not countered", 2: "countered", 4: "overcountered"},
    "whose": {"caller": "caller's team"},
    "trick": {0: "calls"},
}


def format_heading(column: str, game: str) -> str:
    """Return the heading of a group column: `Sender's trumps` for `sender_trumps`."""
    heading = _HEADINGS.get(column, column.replace("_", " "))
    return heading.replace("Sender", find_game(game).sender)


def format_value(column: str, value: Any, game: str) -> str:
    """Return a value of a group column: `♥`, `opener`, `2nd`, `yes`."""
    if value is None or value != value:
        return "all"
    described = find_column(column, game)
    null = None if described is None or described.rule else described.null_value
    if described is not None and value in (null, "passed_out"):
        return PASSED_OUT
    if value in _VALUES.get(column, {}):
        return _VALUES[column][value]
    if column in _SUIT_COLUMNS:
        return format_contract(str(value))
    if column in _CALL_COLUMNS:
        return add_suit_signs(str(value))
    if described is not None and described.is_flag:
        return "yes" if value else "no"
    if column == "place":
        return name_places(find_game(game).rules.seats)[int(value)]
    if column == "lap":
        return format_ordinal(int(value))
    if column in _STEP_COLUMNS:
        return f"{int(value)} to {int(value) + TOTAL_STEP - 1}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
