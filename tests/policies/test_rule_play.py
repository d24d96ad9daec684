"""Card play by rule, in small positions: what a good player does there, for a reason that is told.

The player to choose is at seat 0 in every position; with two teams 2 and 4 are the partners.
"""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest

from kqj_sim.cards import Card, parse_card
from kqj_sim.policies.standard import PRICES, choose_card_by_rule
from kqj_sim.referee.kqj import list_legal_cards
from tests.core.coding import strength_of
from tests.policies.moments import Moment, view_of

_Prices: Any = namedtuple("_Prices", tuple(PRICES))  # type: ignore[misc]
DEFAULTS = _Prices(*(price.default for price in PRICES.values()))


def chosen(
    contract: str,
    hand: str,
    trick: str = "",
    finished: tuple[str, ...] = (),
    *,
    sender: int = 0,
    teams: int = 2,
    turned: str | None = None,
) -> str:
    """Return the card that seat 0 plays.

    Args:
        contract: `s h d c NT AT`.
        hand: the player's cards, separated by spaces.
        trick: the cards already in the trick.
        finished: the tricks before, each with its leader's seat and its cards: `1 As 4s 5s ...`.
        sender: the Sender's seat.
        teams: 2 or 3, fixed partners.
        turned: the Return.
    """

    def cards(text: str) -> tuple[Card, ...]:
        return tuple(parse_card(each) for each in text.split())

    leader = -len(trick.split()) % 6
    record: Any = SimpleNamespace(
        dealer=5, teams=[seat % teams for seat in range(6)], contract=contract, sender=sender,
        turned=turned, amount=None, capot=False, stake=1,
    )  # fmt: skip
    tricks = tuple((int(each[0]), cards(each[1:])) for each in finished)
    legal = list_legal_cards(set(cards(hand)), list(cards(trick)), leader, record.teams, contract)
    moment = Moment(
        record, 0, frozenset(cards(hand)), frozenset(legal), tricks, leader, cards(trick)
    )
    card = choose_card_by_rule(view_of(moment), DEFAULTS)
    coded = {bit: each for each, bit in strength_of(contract).items()}
    return str(coded[card])


def test_the_sender_draws_trumps_with_the_best_one() -> None:
    assert chosen("h", "9h 8h 4h 4d 5d 6s 7s Js") in ("9h", "8h")
    assert chosen("h", "9h 8h 7h Ah 4s 5d Jc 6c") in ("9h", "8h", "7h", "Ah")


def test_leads_the_master() -> None:
    assert chosen("h", "As 5s 6d Jd Qc 5c 4c 6h", sender=1) == "As"


def test_leads_a_card_that_has_become_master() -> None:
    """The ten goes first once the ace is gone, and not before."""
    hand = "Ts 5d Jd Qc 5c 4c 6h"
    assert chosen("h", hand, finished=("0 4s As 5s 6s 7s 8s",), sender=1) == "Ts"
    assert chosen("h", hand, finished=("0 4d Ad Td 6d 7d 8d",), sender=1) != "Ts"


@pytest.mark.parametrize("trick", ["8c Ac 4c 9c 7c", "8c 9c 4c 7c Ac"])
def test_gives_points_to_partners_only(trick: str) -> None:
    """Last to play: the second card is a partner's, the fifth an opponent's."""
    partner = trick.split()[1] == "Ac"
    assert chosen("h", "Tc 5c 4d 5d 6s 7s Jd Js", trick) == ("Tc" if partner else "5c")


def test_gives_points_to_a_partner_who_is_likely_to_win() -> None:
    """The last opponent would have to be void in a suit of which few cards are out."""
    assert chosen("h", "Tc 5c 4d 5d 6s 7s Jd Js", "Ac 4c 9c 7c") == "Tc"


def test_keeps_trumps_out_of_a_partners_trick() -> None:
    assert chosen("h", "9h 4h Td 4d 5d 6s 7s Js", "8c Ac 4c 9c 7c") in ("Td", "Js")


def test_ruffs_with_the_lowest_trump_behind_nobody() -> None:
    assert chosen("h", "9h 8h 4h 4d 5d 6s 7s Js", "Tc 8c 4c 9c Ac") == "4h"


def test_wins_with_the_last_card_rather_than_let_the_points_go() -> None:
    assert chosen("h", "As 4s 5d 6d Jd Qc 5c 4c", "Ts 6s Hs 7s Ks") == "As"


def test_keeps_the_guarded_ten() -> None:
    """Without the small spade the ten would fall to the ace; an ace needs no guard, a Jack does."""
    before = ("1 Ac Kc 4c 5c 6c 7c",)
    assert chosen("h", "Ts 4s Jd 4d", "Tc 8c 9c Hc Qc", before) == "4d"
    assert chosen("h", "As 4s Jd 4d", "Tc 8c 9c Hc Qc", before) == "4s"


def test_keeps_the_ten_from_an_ace_behind() -> None:
    assert chosen("h", "Ts 4s 4d Jd 5d 6d 6c 5c", "Js") == "4s"


@pytest.mark.parametrize("suit", "shdc")
def test_king_before_queen_before_jack(suit: str) -> None:
    """Even where the rest of the trick would be a reason for the other order."""
    other = "s" if suit != "s" else "h"
    hand = f"K{suit} Q{suit} J{suit} 4{other}"
    assert chosen(suit, hand, f"4{suit}") == f"K{suit}"
    assert chosen(suit, f"Q{suit} J{suit} 4{other}", f"4{suit}") == f"Q{suit}"
    assert chosen("AT", hand, f"4{suit} 9{suit}") == f"K{suit}"


def test_the_return_is_known_to_be_in_the_senders_hand() -> None:
    """The ten wins but for the ace: the Sender took it, who is behind, or has played already."""
    hand, trick = "Ts 4s 5d 6d Jd Qc 5c 4c", "8s 9s 6s 7s"
    assert chosen("d", hand, trick, sender=1, turned="As") == "4s"
    assert chosen("d", hand, trick, sender=5, turned="As") == "Ts"
