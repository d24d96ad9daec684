"""docs/rules.md, sections 6 to 8: bonuses, totals, scores, the game.

Seat s is of team s modulo the number of teams, so that Sender 0 is of team 0.
"""

from __future__ import annotations

from typing import Any

import pytest

from kqj_sim.cards import Card, parse_cards
from kqj_sim.record import Bonus
from kqj_sim.referee.base import FinalContract, PlayedTrick, RoundScore
from kqj_sim.referee.kqj import PACK, KqjReferee, find_bonuses, round_to_ten, score_totals
from kqj_sim.rules import KqjRules

TWO = KqjRules()
THREE = KqjRules(teams=3)
AUCTION = KqjRules(bidding="auction")
AUCTION_3 = KqjRules(teams=3, bidding="auction")
OUTSCORE = KqjRules(bidding="auction", must_outscore=True)
ROUNDED = KqjRules(bidding="auction", amount_uses="rounded")


def score(
    rules: KqjRules, card_points: list[int], *, tricks: list[int] | None = None,
    bonuses: dict[int, int] | None = None, called: FinalContract | None = None, pending: int = 0,
) -> RoundScore:  # fmt: skip
    """Settle a round; `bonuses` are the bonus points of teams, the last trick included."""
    assert sum(card_points) == 236
    if tricks is None:
        tricks = [4, 4] if rules.teams == 2 else [3, 3, 2]
    assert sum(tricks) == 8
    won = [Bonus("kq", team, points) for team, points in (bonuses or {}).items()]
    teams = [rules.fixed_team_of(seat) for seat in range(6)]
    return score_totals(
        rules, teams, called or FinalContract(0, "h"), card_points, tricks, won, pending
    )


# Bonuses


def bonuses_of(
    contract: str, order: str, hand: str | None = None, winners: str = "00000000"
) -> list[Bonus]:
    """The bonuses when seat 0 has eight cards and plays them in `order`."""
    own = parse_cards(order)
    rest = [card for card in PACK if card not in own]
    # The others get the pack in its order, so that K Q J of a suit not with seat 0 go to one.
    hands: list[tuple[Card, ...]] = [own, *(tuple(rest[at::5]) for at in range(5))]
    tricks = [
        PlayedTrick(0, tuple(hand[number] for hand in hands), int(winner))
        for number, winner in enumerate(winners)
    ]
    return find_bonuses(hands, tricks, [0, 1] * 3, contract)


def marriages(contract: str, order: str) -> list[tuple[str, int, int | None, str | None]]:
    return [
        (bonus.bonus, bonus.points, bonus.seat, bonus.suit)
        for bonus in bonuses_of(contract, order)
        if bonus.bonus in ("kq", "kqj") and bonus.seat == 0
    ]


@pytest.mark.parametrize(
    ("winners", "bonuses"),
    [
        ("00000003", [Bonus("last_trick", 1, 10)]),
        ("13151531", [Bonus("last_trick", 1, 10), Bonus("capot", 1, 154)]),
        ("00001000", [Bonus("last_trick", 0, 10)]),  # seven tricks are no Capot
    ],
)
def test_last_trick_gives_10_and_all_tricks_154(winners: str, bonuses: list[Bonus]) -> None:
    assert bonuses_of("NT", "4s 5s 6s 7s 4h 5h 6h 7h", winners=winners) == bonuses


MARRIAGES: dict[str, tuple[str, list[str], list[tuple[str, int, int, str]]]] = {
    "king before queen of trump is KQ": ("h", ["Kh 4s Qh 5s 6s 7s 8s 9s"], [("kq", 20, 0, "h")]),
    "queen before king is nothing": ("h", ["Qh Kh 4s 5s 6s 7s 8s 9s"], []),
    "king, queen, jack in order are KQJ in place of KQ": (
        "h", ["4s Kh 5s Qh 6s 7s 8s Jh"], [("kqj", 50, 0, "h")],
    ),
    "all three with only king before queen are KQ": (
        "h", ["Kh Jh Qh 4s 5s 6s 7s 8s", "Jh Kh Qh 4s 5s 6s 7s 8s"], [("kq", 20, 0, "h")],
    ),
    "all three with queen before king are nothing": (
        "h", [f"{order} 4s 5s 6s 7s 8s" for order in ("Qh Kh Jh", "Qh Jh Kh", "Jh Qh Kh")], [],
    ),
    "king and queen of a plain suit are nothing": ("h", ["Ks Qs Js 4s 5s 6s 7s 8s"], []),
    "king or queen alone is nothing": (
        "h", ["Kh Jh 4s 5s 6s 7s 8s 9s", "Qh Jh 4s 5s 6s 7s 8s 9s"], [],
    ),
    "at All-Trumps each suit can give a bonus": (
        "AT", ["Ks Qs Js Kh Qh Kd Qd Jd"],
        [("kqj", 50, 0, "s"), ("kq", 20, 0, "h"), ("kqj", 50, 0, "d")],
    ),
    "at No-Trump there is no KQ": ("NT", ["Ks Qs Js Kh Qh Kd Qd Jd"], []),
}  # fmt: skip
"""A rule, the contract, and orders in which seat 0 plays its cards, with its bonuses for them."""


@pytest.mark.parametrize("rule", MARRIAGES)
def test_bonus_of_king_queen_jack(rule: str) -> None:
    contract, orders, bonuses = MARRIAGES[rule]
    for order in orders:
        assert marriages(contract, order) == bonuses


def test_a_defender_has_his_kq_too() -> None:
    order = [parse_cards("4s 5s 6s 7s 4d 5d 6d 7d"), parse_cards("Kh Qh 4h 5h 6h 7h 8h 9h")]
    rest = [card for card in PACK if card not in {*order[0], *order[1]}]
    hands = [*order, *(tuple(rest[at::4]) for at in range(4))]
    tricks = [PlayedTrick(0, tuple(hand[number] for hand in hands), 0) for number in range(8)]
    assert Bonus("kq", 1, 20, 1, "h") in find_bonuses(hands, tricks, [0, 1] * 3, "h")


@pytest.mark.parametrize(
    ("total", "right"), [(154, 150), (155, 160), (0, 0), (4, 0), (5, 10), (400, 400)]
)
def test_rounding_goes_to_the_nearest_ten_five_upwards(total: int, right: int) -> None:
    assert round_to_ten(total) == right


# Settling

_BID = FinalContract(0, "h", 150)
_BID_80 = FinalContract(0, "h", 80)
_BID_120 = FinalContract(0, "h", 120)

SETTLED: list[tuple[str, KqjRules, list[int], dict[str, Any], dict[str, Any]]] = [
    # Two teams, taking.
    ("the larger total scores its rounded total alone", TWO, [140, 96], {"bonuses": {0: 10}},
     {"result": "made", "totals": [150, 96], "scores": [150, 0]}),
    ("the larger total scores its rounded total alone", TWO, [96, 140], {"bonuses": {0: 10}},
     {"result": "failed", "totals": [106, 140], "scores": [0, 140]}),
    ("bonuses count for the contract", TWO, [100, 136], {"bonuses": {0: 60}}, {"result": "made"}),
    ("bonuses count for the contract", TWO, [120, 116], {"bonuses": {1: 10}}, {"result": "failed"}),
    ("unrounded totals decide", TWO, [122, 114], {"bonuses": {1: 10}}, {"result": "failed"}),
    ("unrounded totals decide", TWO, [124, 112], {"bonuses": {1: 10}}, {"result": "made"}),
    *(
        ("equal totals are a litigation", TWO, points, {"bonuses": bonuses},
         {"result": "litigation", "scores": [0, 0], "gratuities": [0, 0], "pending_after": pending})
        for points, bonuses, pending in (
            ([123, 113], {1: 10}, 120),
            ([133, 103], {1: 30}, 130),
            ([148, 88], {1: 60}, 150),
            ([143, 93], {1: 50}, 140),  # All-Trumps: last trick and two KQ
            ([158, 78], {1: 80}, 160),  # All-Trumps: last trick, KQ and KQJ
        )
    ),
    ("the winner gets the pending gratuity", TWO, [140, 96], {"bonuses": {0: 10}, "pending": 120},
     {"scores": [270, 0], "gratuities": [120, 0], "pending_after": 0}),
    ("the winner gets the pending gratuity", TWO, [96, 140], {"bonuses": {0: 10}, "pending": 120},
     {"scores": [0, 260], "gratuities": [0, 120]}),
    ("a litigation replaces a pending gratuity by its own", TWO, [133, 103],
     {"bonuses": {1: 30}, "pending": 120},
     {"scores": [0, 0], "gratuities": [0, 0], "pending_after": 130}),
    ("two teams have no low score gratuities", TWO, [220, 16], {"tricks": [7, 1]},
     {"gratuities": [0, 0]}),
    ("two teams have no low score gratuities", TWO, [236, 0], {"tricks": [8, 0]},
     {"gratuities": [0, 0]}),
    # Three teams, taking.
    ("made, the contracting team alone scores", THREE, [90, 80, 66], {"bonuses": {0: 10}},
     {"result": "made", "scores": [100, 0, 0]}),
    ("failed, each defending team scores its own total", THREE, [80, 91, 65], {"bonuses": {0: 10}},
     {"result": "failed", "scores": [0, 90, 70]}),
    ("they hold against the better of the others", THREE, [80, 70, 86], {}, {"result": "failed"}),
    ("they hold against the better of the others", THREE, [80, 76, 80], {},
     {"result": "litigation"}),
    ("equal totals are a litigation", THREE, [82, 82, 72], {"bonuses": {2: 10}},
     {"result": "litigation", "scores": [0, 0, 0], "pending_after": 80}),
    ("defenders that tie are no litigation", THREE, [100, 68, 68], {"bonuses": {0: 10}},
     {"result": "made"}),
    ("pending goes to the contracting team if made", THREE, [96, 80, 60], {"pending": 80},
     {"gratuities": [80, 0, 0]}),
    ("pending goes to the better defending team if failed", THREE, [60, 80, 96], {"pending": 80},
     {"gratuities": [0, 0, 80], "scores": [0, 80, 180]}),
    ("pending goes to each defending team if they tie", THREE, [60, 88, 88], {"pending": 80},
     {"gratuities": [0, 80, 80], "scores": [0, 170, 170]}),
    *(
        ("three-team gratuities", THREE, points, {"tricks": tricks}, {"gratuities": gratuities})
        for points, tricks, gratuities in (
            ([100, 115, 21], [3, 4, 1], [0, 0, 0]), ([100, 116, 20], [3, 4, 1], [20, 20, 0]),
            ([116, 100, 20], [3, 3, 2], [20, 20, 0]), ([236, 0, 0], [6, 1, 1], [40, 20, 20]),
            ([120, 116, 0], [4, 4, 0], [60, 60, 0]), ([220, 16, 0], [7, 1, 0], [80, 60, 20]),
            ([236, 0, 0], [8, 0, 0], [120, 60, 60]), ([0, 236, 0], [0, 8, 0], [60, 120, 60]),
        )
    ),
    ("gratuities come from card points before bonuses", THREE, [116, 100, 20],
     {"bonuses": {2: 60}}, {"gratuities": [20, 20, 0], "totals": [116, 100, 80]}),
    ("gratuities are added to scores, not counted for the contract", THREE, [110, 111, 15],
     {"tricks": [3, 4, 1]}, {"result": "failed", "scores": [20, 130, 20]}),
    ("gratuities are paid in a litigation too", THREE, [118, 118, 0], {"tricks": [4, 4, 0]},
     {"result": "litigation", "scores": [60, 60, 0], "pending_after": 120}),
    ("gratuities are paid with auctions and never multiplied", AUCTION_3, [120, 116, 0],
     {"tricks": [4, 4, 0], "called": FinalContract(0, "h", 100, False, 4)},
     {"scores": [460, 60, 0], "gratuities": [60, 60, 0]}),
    # Auctions.
    ("made scores the announced amount and no more", AUCTION, [200, 36], {"called": _BID},
     {"result": "made", "scores": [150, 0]}),
    ("made scores the announced amount and no more", AUCTION, [150, 86], {"called": _BID},
     {"result": "made"}),
    ("failed gives each defending team the amount", AUCTION, [149, 87], {"called": _BID},
     {"result": "failed", "scores": [0, 150]}),
    ("failed gives each defending team the amount", AUCTION_3, [70, 100, 66], {"called": _BID_80},
     {"result": "failed", "scores": [0, 80, 80]}),
    ("bonuses count for the amount", AUCTION, [140, 96], {"called": _BID, "bonuses": {0: 10}},
     {"result": "made"}),
    *(
        (f"the stake {stake} multiplies the amount", AUCTION, points,
         {"called": _BID._replace(stake=stake)}, {"scores": scores})
        for stake in (1, 2, 4)
        for points, scores in (([200, 36], [150 * stake, 0]), ([100, 136], [0, 150 * stake]))
    ),
    ("countered, both others score whoever countered", AUCTION_3, [70, 100, 66],
     {"called": _BID_80._replace(stake=2)}, {"scores": [0, 160, 160]}),
    ("countered, both others score whoever countered", AUCTION_3, [100, 70, 66],
     {"called": _BID_80._replace(stake=2)}, {"scores": [160, 0, 0]}),
    ("amount_uses=total", AUCTION, [145, 91], {"called": _BID}, {"result": "failed"}),
    ("amount_uses=rounded", ROUNDED, [145, 91], {"called": _BID}, {"result": "made"}),
    ("amount_uses=rounded", ROUNDED, [144, 92], {"called": _BID}, {"result": "failed"}),
    ("the amount is all that counts by default", AUCTION, [120, 116],
     {"called": _BID_120, "bonuses": {1: 60}}, {"result": "made", "scores": [120, 0]}),
    ("the amount is all that counts by default", AUCTION, [123, 113],
     {"called": _BID_120, "bonuses": {1: 10}}, {"result": "made"}),
    ("must_outscore fails below the best other total", OUTSCORE, [120, 116],
     {"called": _BID_120, "bonuses": {1: 60}}, {"result": "failed", "scores": [0, 120]}),
    ("must_outscore fails below the best other total", OUTSCORE, [124, 112],
     {"called": _BID_120, "bonuses": {1: 10}}, {"result": "made"}),
    ("must_outscore: equal totals are a litigation", OUTSCORE, [123, 113],
     {"called": _BID_120._replace(stake=2), "bonuses": {1: 10}, "pending": 50},
     {"result": "litigation", "scores": [0, 0], "pending_after": 120}),
    ("must_outscore: equal totals are a litigation",
     KqjRules(teams=3, bidding="auction", must_outscore=True), [82, 72, 82],
     {"called": _BID_80, "bonuses": {1: 10}}, {"result": "litigation", "pending_after": 80}),
    ("must_outscore is no litigation if the amount is missed", OUTSCORE, [123, 113],
     {"called": FinalContract(0, "h", 130), "bonuses": {1: 10}},
     {"result": "failed", "scores": [0, 130], "pending_after": 0}),
    *(
        ("must_outscore with rounded amounts compares unrounded totals",
         KqjRules(bidding="auction", amount_uses="rounded", must_outscore=True), points,
         {"called": _BID_120}, {"result": result})
        for points, result in (([118, 118], "litigation"), ([117, 119], "failed"))
    ),
    ("must_outscore is no litigation if an announced Capot is missed", OUTSCORE, [123, 113],
     {"called": _BID_120._replace(capot=True), "bonuses": {1: 10}}, {"result": "failed"}),
    ("a pending gratuity goes to the winning side with auctions", OUTSCORE, [200, 36],
     {"called": _BID, "pending": 120}, {"scores": [270, 0]}),
    ("a pending gratuity goes to the winning side with auctions", OUTSCORE, [100, 136],
     {"called": _BID, "pending": 120}, {"scores": [0, 270]}),
    ("failed pays the better defender even if the Sender has more", AUCTION_3, [110, 60, 66],
     {"called": _BID, "pending": 80}, {"gratuities": [0, 0, 80], "scores": [0, 150, 230]}),
    ("an announced Capot must win all tricks", AUCTION, [236, 0],
     {"called": FinalContract(0, "h", 200, True), "tricks": [8, 0], "bonuses": {0: 164}},
     {"result": "made", "scores": [200, 0]}),
    ("an announced Capot must win all tricks", AUCTION, [236, 0],
     {"called": FinalContract(0, "h", 200, True), "tricks": [7, 1]},
     {"result": "failed", "scores": [0, 200]}),
    ("an announced Capot needs its amount too", AUCTION, [236, 0],
     {"called": FinalContract(0, "h", 410, True), "tricks": [8, 0], "bonuses": {0: 164}},
     {"result": "failed"}),
]  # fmt: skip
"""A rule; card points of the teams, and what else differs; and what follows."""


@pytest.mark.parametrize(
    ("rules", "card_points", "options", "expected"),
    [row[1:] for row in SETTLED],
    ids=[row[0] for row in SETTLED],
)
def test_round_is_settled(
    rules: KqjRules, card_points: list[int], options: dict[str, Any], expected: dict[str, Any]
) -> None:
    settled = score(rules, card_points, **options)._asdict()
    assert {key: settled[key] for key in expected} == expected


def test_a_round_passed_out_keeps_the_gratuity_pending() -> None:
    out = KqjReferee(THREE).score_passed_out(120)
    assert (out.result, out.pending_after, out.bonuses) == ("passed_out", 120, [])
    assert out.scores == out.totals == out.card_points == out.trick_counts == [0, 0, 0]


# The game


def test_with_random_partners_each_player_scores_what_his_team_scored() -> None:
    rules = KqjRules(partners="random")
    assert KqjReferee(rules).add_scores([10, 20, 30, 40, 50, 60], [0, 0, 0, 1, 1, 1], [150, 0]) == [
        160, 170, 180, 40, 50, 60,
    ]  # fmt: skip


def test_with_fixed_partners_scores_are_kept_by_team() -> None:
    assert KqjReferee(THREE).add_scores([10, 20, 30], [0, 1, 2] * 2, [100, 0, 20]) == [110, 20, 50]


def test_the_game_ends_at_the_target() -> None:
    assert not KqjReferee(TWO).is_decided([990, 0])
    assert KqjReferee(TWO).is_decided([1000, 0])
    assert KqjReferee(KqjRules(target=500)).is_decided([500, 490])
    assert KqjReferee(KqjRules(teams=3)).is_decided([1010, 1000, 1040])


def test_a_shared_highest_score_goes_on() -> None:
    assert not KqjReferee(TWO).is_decided([1020, 1020])
    assert not KqjReferee(KqjRules(partners="random")).is_decided([1000, 1000, 1000, 0, 0, 0])
