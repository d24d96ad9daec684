"""What a policy of Kwajongen sees when it is asked to accept; for cards it is `core.views`."""

from __future__ import annotations

from typing import NamedTuple


class AcceptView(NamedTuple):
    """Play (1), or pass (0)?  Cards coded by strength, six a lane: trumps in the top lane."""

    hand: int
    """The four cards held."""
    turned: int
    """The dealer's card that is shown; its suit is the trump suit."""
    trumps: int
    """All trumps."""
    contract: int
    """The trump suit, 0 to 3 `shdc`."""
    place: int
    """Place in the order of speaking, 0 the dealer's left to 3 the dealer."""
    raised: int
    """1 if the round is raised, else 0."""
    players: int
    """Teams of the places, packed (`core.state.team_of`)."""
    team_count: int
    """2."""
    random: int
    """64 random bits of this decision."""
