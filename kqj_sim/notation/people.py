"""Names of the people who sit at the table of a recorded round, in texts about it."""

from __future__ import annotations

from collections.abc import Sequence

from kqj_sim.games import find_game
from kqj_sim.places import MAX_NAME, SeatNames
from kqj_sim.record import AnyRecord

_POLICY_SIGNS = frozenset(":/\\+")


def is_policy(name: str, game: str) -> bool:
    """Return True for the name of a policy, built-in or of a file, and False for people's, such as
    Dr. Ann."""
    if _POLICY_SIGNS & set(name) or name.endswith((".py", ".toml")):
        return True
    # Here, since numba takes half a second.
    from kqj_sim.policies.registry import list_names, list_session_names

    return name in {*list_names(game), *list_session_names()}


def label_seats(players: Sequence[str], record: AnyRecord) -> SeatNames:
    """Return the names for the seats of a record; policies are names only if each has its own."""
    names = SeatNames(
        tuple(player if len(player) <= MAX_NAME else "" for player in players), record.dealer
    )
    if all(names.own_names) or not any(is_policy(text, record.game) for text in players):
        return names
    return SeatNames(("",) * names.seats, record.dealer)


def find_people(record: AnyRecord) -> SeatNames | None:
    """Return the names of the people at the seats; None where a policy sits, or nobody is named."""
    players = record.players or []
    if len(players) != find_game(record.game).rules.seats:
        return None
    names = label_seats(players, record)
    if not names.has_names or any(is_policy(name, record.game) for name in players):
        return None
    return names


def name_people_in(text: str, record: AnyRecord) -> str:
    """Return a text about a record with the names of its people for their seats."""
    people = find_people(record)
    return text if people is None else people.name_in(text)
