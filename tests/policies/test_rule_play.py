"""Card play by rule, in small positions: what a good player does there, for a reason that is told.

The player to choose is at seat 0 in every position; with two teams 2 and 4 are the partners.
"""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest

from kqj_sim.cards import parse_cards
from kqj_sim.policies.standard import PRICES, choose_card_by_rule
from kqj_sim.referee.kqj import list_legal_cards
from tests.core.coding import strength_of
from tests.policies.moments import Moment, view_of

_Prices: Any = namedtuple("_Prices", tuple(PRICES))  # type: ignore[misc]
DEFAULTS = _Prices(*(price.default for price in PRICES.values()))


def chosen(
    contract: str, hand: str, trick: str = "", finished: tuple[str, ...] = (), *, sender: int = 0,
    teams: int = 2, turned: str | None = None,
) -> str:  # fmt: skip
    """Return the card that seat 0 plays; finished tricks are `1 As 4s 5s ...`, the leader first."""
    held, played = parse_cards(hand), parse_cards(trick)
    leader = -len(played) % 6
    record: Any = SimpleNamespace(
        dealer=5, teams=[seat % teams for seat in range(6)], contract=contract, sender=sender,
        turned=turned, amount=None, capot=False, stake=1,
    )  # fmt: skip
    tricks = tuple((int(each[0]), parse_cards(each[1:])) for each in finished)
    legal = list_legal_cards(held, played, leader, record.teams, contract)
    moment = Moment(record, 0, frozenset(held), frozenset(legal), tricks, leader, played)
    card = choose_card_by_rule(view_of(moment), DEFAULTS)
    coded = {bit: each for each, bit in strength_of(contract).items()}
    return str(coded[card])


SPADE_GONE, CLUBS_GONE = ("0 4s As 5s 6s 7s 8s",), ("1 Ac Kc 4c 5c 6c 7c",)
CHOICES: list[tuple[str, str, str, str, dict[str, Any], str]] = [
    ("the Sender draws trumps with the best one", "h", "9h 8h 4h 4d 5d 6s 7s Js", "", {}, "9h 8h"),
    ("the Sender draws trumps with the best one", "h", "9h 8h 7h Ah 4s 5d Jc 6c", "", {},
     "9h 8h 7h Ah"),
    ("leads the master", "h", "As 5s 6d Jd Qc 5c 4c 6h", "", {"sender": 1}, "As"),
    ("leads a card that has become master", "h", "Ts 5d Jd Qc 5c 4c 6h", "",
     {"sender": 1, "finished": SPADE_GONE}, "Ts"),
    ("leads a card that has become master, not before", "h", "Ts 5d Jd Qc 5c 4c 6h", "",
     {"sender": 1, "finished": ("0 4d Ad Td 6d 7d 8d",)}, "5d Jd Qc 5c 4c 6h"),
    # Last to play: the second card is a partner's, the fifth an opponent's.
    ("gives points to partners only", "h", "Tc 5c 4d 5d 6s 7s Jd Js", "8c Ac 4c 9c 7c", {}, "Tc"),
    ("gives points to partners only", "h", "Tc 5c 4d 5d 6s 7s Jd Js", "8c 9c 4c 7c Ac", {}, "5c"),
    # The last opponent would have to be void in a suit of which few cards are out.
    ("gives points to a partner who is likely to win", "h", "Tc 5c 4d 5d 6s 7s Jd Js",
     "Ac 4c 9c 7c", {}, "Tc"),
    ("keeps trumps out of a partner's trick", "h", "9h 4h Td 4d 5d 6s 7s Js", "8c Ac 4c 9c 7c", {},
     "Td Js"),
    ("ruffs with the lowest trump behind nobody", "h", "9h 8h 4h 4d 5d 6s 7s Js", "Tc 8c 4c 9c Ac",
     {}, "4h"),
    ("wins with the last card rather than let the points go", "h", "As 4s 5d 6d Jd Qc 5c 4c",
     "Ts 6s Hs 7s Ks", {}, "As"),
    # Without the small spade the ten would fall to the ace; an ace needs no guard, a Jack does.
    ("keeps the guarded ten", "h", "Ts 4s Jd 4d", "Tc 8c 9c Hc Qc", {"finished": CLUBS_GONE}, "4d"),
    ("keeps the guarded ten", "h", "As 4s Jd 4d", "Tc 8c 9c Hc Qc", {"finished": CLUBS_GONE}, "4s"),
    ("keeps the ten from an ace behind", "h", "Ts 4s 4d Jd 5d 6d 6c 5c", "Js", {}, "4s"),
    # Even where the rest of the trick would be a reason for the other order.
    *((f"king before queen before jack {suit}", contract, f"{held} 4{other}", trick, {}, right)
      for suit, other in ("sh", "hs", "ds", "cs")
      for contract, held, trick, right in (
          (suit, f"K{suit} Q{suit} J{suit}", f"4{suit}", f"K{suit}"),
          (suit, f"Q{suit} J{suit}", f"4{suit}", f"Q{suit}"),
          ("AT", f"K{suit} Q{suit} J{suit}", f"4{suit} 9{suit}", f"K{suit}"))),
    # The ten wins but for the ace: the Sender took it, who is behind, or has played already.
    ("the Return is known to be in the Sender's hand", "d", "Ts 4s 5d 6d Jd Qc 5c 4c",
     "8s 9s 6s 7s", {"sender": 1, "turned": "As"}, "4s"),
    ("the Return is known to be in the Sender's hand", "d", "Ts 4s 5d 6d Jd Qc 5c 4c",
     "8s 9s 6s 7s", {"sender": 5, "turned": "As"}, "Ts"),
]  # fmt: skip
"""A reason; contract, hand and trick, and what else is not the default; what may be played."""


@pytest.mark.parametrize(
    ("contract", "hand", "trick", "options", "wanted"),
    [row[1:] for row in CHOICES],
    ids=[row[0] for row in CHOICES],
)
def test_the_card_of_the_rule_is_played(
    contract: str, hand: str, trick: str, options: dict[str, Any], wanted: str
) -> None:
    assert chosen(contract, hand, trick, **options) in wanted.split()
