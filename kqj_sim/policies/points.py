"""`points`: calls by a point count.

Taking: compare the count of the hand with the Return, for the best contract, with a threshold for
the lap and the place.  With two teams that is the count from which the contract is more often made
than not; taking at once with any hand, as the preset `bold` does, scores more, but few people play
so, and no pass would ever be observed.  With three teams it is the count from which taking scores
more than passing.  docs/point_count.md has the measurements.

Auctions: estimate the team's total in each contract from the hand and the bids of partners and
opponents, and choose the bid, or the pass, of the greatest value.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kqj_sim.core import cards as c
from kqj_sim.core.block import SEATS
from kqj_sim.core.jit import scalar
from kqj_sim.core.scoring import CAPOT_TOTAL
from kqj_sim.core.types import CardSet, Contract, PackedBids, PackedPlayers, Place, Suit
from kqj_sim.core.views import PASS, bid_code, last_bid_contract
from kqj_sim.policies.parameters import Parameter, number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import is_partner, normal_share

# The point count: points that a hand's cards add to its team's total in a contract.
#
# A count is the sum of *terms*, such as "trumps held" or "aces of plain suits", each times a
# parameter of `points` of the same name, which says what it is (`make_count_parameters`).
# `tools/fit_points` fits these parameters to played rounds. Cards are in natural coding
# (`core.cards`).

_7, _8, _9, _J, _Q, _K, _H, _T, _A = (c.EACH_SUIT << bit for bit in range(3, 12))

_TOP_EIGHT = _9 | _8 | _7 | _A | _T | _H | _K | _Q
"""The eight highest trumps."""


class SuitTerms(NamedTuple):
    """The terms of a hand with a suit as trump."""

    trump: int
    long: int
    trump_9: int
    trump_8: int
    trump_7: int
    trump_A: int
    trump_T: int
    trump_KQ: int
    trump_KQJ: int
    plain_A: int
    plain_T: int
    void: int


class NoTrumpTerms(NamedTuple):
    """The terms of a hand at No-Trump."""

    nt_A: int
    nt_T: int
    nt_H: int
    nt_AT: int
    nt_ATH: int
    nt_long: int


class AllTrumpsTerms(NamedTuple):
    """The terms of a hand at All-Trumps."""

    at_9: int
    at_8: int
    at_7: int
    at_98: int
    at_987: int
    at_KQ: int
    at_KQJ: int
    at_long: int


@scalar
def _count_suits_with(cards: CardSet, ranks: int) -> int:
    """Return the number of suits that hold all the given ranks (marked in every suit)."""
    count = 0
    for suit in range(4):
        wanted = ranks & (c.SUIT_MASK << 16 * suit)
        count += 1 if cards & wanted == wanted else 0
    return count


@scalar
def _longest_suit(cards: CardSet) -> int:
    """Return the number of cards in the longest suit."""
    longest = 0
    for suit in range(4):
        longest = max(longest, c.popcount(cards & (c.SUIT_MASK << 16 * suit)))
    return longest


@scalar
def count_suit_terms(hand: CardSet, suit: Suit) -> SuitTerms:
    """Return the terms of a hand with a suit as trump."""
    trumps = hand & (c.SUIT_MASK << 16 * suit)
    plain = hand ^ trumps
    length = c.popcount(trumps)
    king_queen = c.popcount(trumps & (trumps >> 1) & _Q)
    king_queen_jack = c.popcount(trumps & (trumps >> 1) & (trumps << 1) & _Q)
    voids = 0
    for other in range(4):
        voids += 1 if (other != suit) & (plain & (c.SUIT_MASK << 16 * other) == 0) else 0
    return SuitTerms(
        length,
        max(length - 3, 0),
        c.popcount(trumps & _9),
        c.popcount(trumps & _8),
        c.popcount(trumps & _7),
        c.popcount(trumps & _A),
        c.popcount(trumps & _T),
        king_queen - king_queen_jack,
        king_queen_jack,
        c.popcount(plain & _A),
        c.popcount(plain & _T),
        voids,
    )


@scalar
def count_no_trump_terms(hand: CardSet) -> NoTrumpTerms:
    """Return the terms of a hand at No-Trump."""
    with_hero = _count_suits_with(hand, _A | _T | _H)
    return NoTrumpTerms(
        c.popcount(hand & _A),
        c.popcount(hand & _T),
        c.popcount(hand & _H),
        _count_suits_with(hand, _A | _T) - with_hero,
        with_hero,
        _longest_suit(hand),
    )


@scalar
def count_all_trumps_terms(hand: CardSet) -> AllTrumpsTerms:
    """Return the terms of a hand at All-Trumps."""
    with_7 = _count_suits_with(hand, _9 | _8 | _7)
    with_jack = _count_suits_with(hand, _K | _Q | _J)
    return AllTrumpsTerms(
        c.popcount(hand & _9),
        c.popcount(hand & _8),
        c.popcount(hand & _7),
        _count_suits_with(hand, _9 | _8) - with_7,
        with_7,
        _count_suits_with(hand, _K | _Q) - with_jack,
        with_jack,
        _longest_suit(hand),
    )


@scalar
def count_points(hand: CardSet, contract: Contract, parameters: Any) -> float:
    """Return the count of a hand for a contract, by the parameters of `points`."""
    if contract == c.NO_TRUMP:
        n = count_no_trump_terms(hand)
        return (
            parameters.nt_A * n.nt_A
            + parameters.nt_T * n.nt_T
            + parameters.nt_H * n.nt_H
            + parameters.nt_AT * n.nt_AT
            + parameters.nt_ATH * n.nt_ATH
            + parameters.nt_long * n.nt_long
        )
    if contract == c.ALL_TRUMPS:
        a = count_all_trumps_terms(hand)
        return (
            parameters.at_9 * a.at_9
            + parameters.at_8 * a.at_8
            + parameters.at_7 * a.at_7
            + parameters.at_98 * a.at_98
            + parameters.at_987 * a.at_987
            + parameters.at_KQ * a.at_KQ
            + parameters.at_KQJ * a.at_KQJ
            + parameters.at_long * a.at_long
        )
    s = count_suit_terms(hand, contract)
    return (
        parameters.trump * s.trump
        + parameters.long * s.long
        + parameters.trump_9 * s.trump_9
        + parameters.trump_8 * s.trump_8
        + parameters.trump_7 * s.trump_7
        + parameters.trump_A * s.trump_A
        + parameters.trump_T * s.trump_T
        + parameters.trump_KQ * s.trump_KQ
        + parameters.trump_KQJ * s.trump_KQJ
        + parameters.plain_A * s.plain_A
        + parameters.plain_T * s.plain_T
        + parameters.void * s.void
    )


@scalar
def wins_every_trick(hand: CardSet, contract: Contract) -> bool:
    """Return True if a hand that leads wins every trick, as no other card beats one of its own.

    With a suit as trump it must consist of trumps, as a plain winner could be ruffed.
    """
    if contract < c.NO_TRUMP:
        return hand == _TOP_EIGHT & (c.SUIT_MASK << 16 * contract)
    held = c.to_strength_order(hand, contract)
    for lane in range(4):
        cards = (held >> 16 * lane) & c.SUIT_MASK
        # Cards at the top of a lane: adding the lowest of them carries out of the lane.
        if cards != 0 and cards + (cards & -cards) != c.SUIT_MASK + 1:
            return False
    return True


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
DEFAULTS: dict[int, dict[str, float]] = {
    teams: {name: float(value) for name, value in (_TABLES["count"] | _TABLES[table]).items()}
    for teams, table in ((2, "two_teams"), (3, "three_teams"))
}
"""The defaults of the parameters, by number of teams."""


def make_count_parameters() -> dict[str, Parameter]:
    """Return the parameters of the count, whose defaults are the same with two and three teams."""
    meanings = {
        "trump": "each trump",
        "long": "each trump from the fourth on, besides",
        **{f"trump_{rank}": f"the {rank} of trump, besides" for rank in "987AT"},
        "trump_KQ": "King and Queen of trump without the Jack, besides",
        "trump_KQJ": "King, Queen and Jack of trump, besides",
        "plain_A": "each ace of another suit than trump",
        "plain_T": "each ten of another suit than trump",
        "void": "each other suit than trump of which there is no card",
        **{f"nt_{rank}": f"each {rank} at No-Trump" for rank in "ATH"},
        "nt_AT": "A and T of a suit without its H at No-Trump, besides",
        "nt_ATH": "A, T and H of a suit at No-Trump, besides",
        "nt_long": "each card of the longest suit at No-Trump, besides",
        **{f"at_{rank}": f"each {rank} at All-Trumps" for rank in "987"},
        "at_98": "9 and 8 of a suit without its 7 at All-Trumps, besides",
        "at_987": "9, 8 and 7 of a suit at All-Trumps, besides",
        "at_KQ": "K and Q of a suit without its J at All-Trumps, besides",
        "at_KQJ": "K, Q and J of a suit at All-Trumps, besides",
        "at_long": "each card of the longest suit at All-Trumps, besides",
    }
    return {
        name: number(DEFAULTS[2][name], f"points of count for {what}", -100, 100)
        for name, what in meanings.items()
    }


def _make_decision_parameters() -> dict[str, Parameter]:
    """Return the decisions' parameters, whose defaults may depend on the number of teams."""
    bidding = {"taking": "take", "auctions": "auction"}
    count, chance = (-400, 400), (0, 1)
    rows: list[tuple[str, str, tuple[float, float]]] = [
        ("other", "taking: added to the count of another suit than the Return's", count),
        ("no_trump", "taking: added to the count of No-Trump", count),
        ("all_trumps", "taking: added to the count of All-Trumps", count),
        ("take", "taking: least count to take in the first lap, for the opener", count),
        *((f"take_{k}", f"taking: more than that for place {k}", count) for k in range(1, SEATS)),
        ("lap2", "taking: least count to take in the second lap, for the opener", count),
        *((f"lap2_{k}", f"taking: more than that for place {k}", count) for k in range(1, SEATS)),
        ("base_suit", "auctions: expected total in a suit with a count of nothing", count),
        ("base_nt", "auctions: the same at No-Trump", count),
        ("base_at", "auctions: the same at All-Trumps", count),
        ("per_count", "auctions: more expected for each point of the count", (-10, 10)),
        ("named", "auctions: more expected for each partner who bid the contract", count),
        ("their_named", "auctions: more expected for each opponent who bid the contract", count),
        ("spread", "auctions: standard deviation of a total from the expected one", (1, 400)),
        ("margin", "auctions: what opponents' total will exceed a lowest bid of theirs by", count),
        ("margin_falls", "auctions: less than that for each point of a higher bid", (-10, 10)),
        ("hold", "auctions: less than that for each point of the player's count in it", (-10, 10)),
        ("backed", "auctions: more than that for each further opponent who bid it", count),
        ("opening", "auctions: expected gain with which to bid first", count),
        ("outbid", "auctions: expected gain with which to outbid opponents", count),
        ("support", "auctions: expected gain with which to outbid a partner", count),
        ("risk", "auctions: share by which a loss expected from a bid counts more", (-1, 10)),
        ("jump", "auctions: points below the expected total to which one bids at once", count),
        ("counter", "auctions: opponents' chance to make it up to which to counter", chance),
        ("overcounter", "auctions: chance to make it from which to overcounter", chance),
        ("capot", "auctions: expected total with which Capot is as likely as not", (1, 1000)),
        ("capot_spread", "auctions: more than that for a chance of 84%", (1, 1000)),
    ]
    return {
        name: replace(
            number(DEFAULTS[2][name], meaning, *limits),
            three_teams=None if DEFAULTS[3][name] == DEFAULTS[2][name] else DEFAULTS[3][name],
            bidding=bidding[meaning.partition(":")[0]],
        )
        for name, meaning, limits in rows
    }


PARAMETERS = {**make_count_parameters(), **_make_decision_parameters()}
"""All parameters; the defaults are those of `points.toml`, all fitted but `take` and `lap2`."""

points = policy("points", "calls by a point count", **PARAMETERS)

FITTED_TWO: Any = points.tuple_type(**DEFAULTS[2])
"""The defaults with two teams, as the functions here take them."""
FITTED_THREE: Any = points.tuple_type(**DEFAULTS[3])
"""The defaults with three teams."""


@scalar
def get_fitted(team_count: int) -> Any:
    """Return FITTED_TWO or FITTED_THREE, by the number of teams."""
    return FITTED_TWO if team_count == 2 else FITTED_THREE


@scalar
def _select_by_contract(
    suit: float, no_trump: float, all_trumps: float, contract: Contract
) -> float:
    return (
        no_trump if contract == c.NO_TRUMP else (all_trumps if contract == c.ALL_TRUMPS else suit)
    )


@scalar
def _raise_by_place(
    base: float, place: Place, one: float, two: float, three: float, four: float, five: float
) -> float:
    """Return a threshold plus what a place, 0 to 5, has more; nothing for the opener."""
    # Products, as a choice among many numbers would end vectorisation.
    return base + (
        (place == 1) * one
        + (place == 2) * two
        + (place == 3) * three
        + (place == 4) * four
        + (place == 5) * five
    )


@scalar
def threshold_to_take(view: Any, parameters: Any) -> float:
    """Return the lowest count with which to take, in this lap at this place."""
    p, place = parameters, view.place
    first = _raise_by_place(p.take, place, p.take_1, p.take_2, p.take_3, p.take_4, p.take_5)
    second = _raise_by_place(p.lap2, place, p.lap2_1, p.lap2_2, p.lap2_3, p.lap2_4, p.lap2_5)
    return first if view.lap == 1 else second


@scalar
def count_to_take(view: Any, contract: Contract, parameters: Any) -> float:
    """Return the count of a hand with the Return, plus an offset if not in the Return's suit."""
    p = parameters
    offset = _select_by_contract(p.other, p.no_trump, p.all_trumps, contract)
    is_own = contract == c.trailing_zeros(view.turned) >> 4
    return count_points(view.hand | view.turned, contract, p) + (0.0 if is_own else offset)


class Choice(NamedTuple):
    """The best call so far, and its value."""

    value: float
    call: int


@scalar
def _prefer(best: Choice, value: float, call: int, allowed: bool) -> Choice:
    """Return the better of two calls; of equal ones, and if it is not allowed, the first.

    Calls are compared one by one, not in a loop: loops over the deals then become vector code.
    """
    better = allowed & (value > best.value)
    return Choice(value if better else best.value, call if better else best.call)


@scalar
def _prefer_take(view: Any, best: Choice, contract: Contract, parameters: Any) -> Choice:
    allowed = contract != c.trailing_zeros(view.turned) >> 4
    return _prefer(best, count_to_take(view, contract, parameters), contract, allowed)


@points
def choose_take(view: Any, parameters: Any) -> int:
    """Take in the contract of the highest count, if that reaches the threshold."""
    suit = c.trailing_zeros(view.turned) >> 4
    best = Choice(count_to_take(view, suit, parameters), suit)
    if view.lap == 2:
        best = _prefer_take(view, best, 0, parameters)
        best = _prefer_take(view, best, 1, parameters)
        best = _prefer_take(view, best, 2, parameters)
        best = _prefer_take(view, best, 3, parameters)
    if view.all_no_trump != 0:
        best = _prefer_take(view, best, c.NO_TRUMP, parameters)
        best = _prefer_take(view, best, c.ALL_TRUMPS, parameters)
    return best.call if best.value >= threshold_to_take(view, parameters) else PASS


_COUNT_BITS = 4
"""Bits of a count in packed counts by contract, from -1 for no bid on."""


@scalar
def summarise_bids(
    last_bids: PackedBids, players: PackedPlayers, place: Place, contract: Contract
) -> tuple[int, int]:
    """Count partners and opponents whose last bid (`BidView.last_bids`) is in a contract."""
    # First for all contracts at once: the compiler does that once for all questions about a view.
    named, their_named = 0, 0
    for other in range(SEATS):
        one = (1 if other != place else 0) << _COUNT_BITS * (
            last_bid_contract(last_bids, other) + 1
        )
        partner = is_partner(players, other, place)
        named += one if partner else 0
        their_named += 0 if partner else one
    shift, mask = _COUNT_BITS * (contract + 1), (1 << _COUNT_BITS) - 1
    return (named >> shift) & mask, (their_named >> shift) & mask


@scalar
def base_total(contract: Contract, parameters: Any) -> float:
    """Return a team's expected total in an auction's contract with a count of zero and no bids."""
    p = parameters
    return _select_by_contract(p.base_suit, p.base_nt, p.base_at, contract)


@scalar
def expected_total(view: Any, contract: Contract, parameters: Any) -> float:
    """Return the team's expected total in a contract, from the hand and the calls so far."""
    p = parameters
    partners, opponents = summarise_bids(view.last_bids, view.players, view.place, contract)
    return (
        base_total(contract, p)
        + p.per_count * count_points(view.hand, contract, p)
        + p.named * partners
        + p.their_named * opponents
    )


@scalar
def _capot_chance(total: float, parameters: Any) -> float:
    return normal_share((total - parameters.capot) / parameters.capot_spread)


@scalar
def _chance_of_opponents(view: Any, parameters: Any) -> float:
    """Return the chance that an opponent makes the last bid, from their bids and this hand."""
    p = parameters
    backing, _ = summarise_bids(view.last_bids, view.players, view.bidder, view.contract)
    to_spare = (
        p.margin
        - p.margin_falls * (view.amount - (120.0 if view.team_count == 2 else 80.0))
        - p.hold * count_points(view.hand, view.contract, p)
        + p.backed * backing
    )
    return normal_share(to_spare / p.spread)


@scalar
def _value_of_bid(amount: int, chance: float, risk: float) -> float:
    """Return the expected score difference of a bid; a bad one may be countered."""
    worth = amount * (2.0 * chance - 1.0)
    return worth if worth > 0.0 else worth * (1.0 + risk)


class BidChoice(NamedTuple):
    """The best bid so far, and the contract in which Capot is likeliest."""

    bid: Choice
    capot: Choice
    """Its value is the expected total."""


@scalar
def _choose_amount(view: Any, total: float, parameters: Any) -> int:
    reached = 10 * math.floor((total - parameters.jump) / 10.0)
    return min(max(view.lowest_amount, reached), view.highest_amount)


@scalar
def _prefer_bid(
    view: Any, best: BidChoice, contract: Contract, allowed: bool, parameters: Any
) -> BidChoice:
    p, total = parameters, expected_total(view, contract, parameters)
    amount = _choose_amount(view, total, p)
    value = _value_of_bid(amount, normal_share((total - amount) / p.spread), p.risk)
    sure = view.place == 0 and wins_every_trick(view.hand, contract)
    return BidChoice(
        _prefer(best.bid, value, bid_code(amount, contract, 0), allowed),
        _prefer(best.capot, math.inf if sure else total, contract, allowed),
    )


@scalar
def may_bid(view: Any, bid: int, parameters: Any, resource: int) -> bool:
    """Return False for an amount that is not that of the hand in the contract."""
    total = expected_total(view, (bid >> 1) & 7, parameters)
    return bid & 1 != 0 or _choose_amount(view, total, parameters) == bid >> 4


@points
def choose_bid(view: Any, parameters: Any) -> int:
    """Choose the most valuable of a bid in each contract, Capot and the pass."""
    p, without_suit = parameters, view.all_no_trump != 0
    choices = BidChoice(Choice(-1e9, PASS), Choice(-1e9, PASS))
    choices = _prefer_bid(view, choices, 0, True, p)
    choices = _prefer_bid(view, choices, 1, True, p)
    choices = _prefer_bid(view, choices, 2, True, p)
    choices = _prefer_bid(view, choices, 3, True, p)
    choices = _prefer_bid(view, choices, c.NO_TRUMP, without_suit, p)
    choices = _prefer_bid(view, choices, c.ALL_TRUMPS, without_suit, p)
    # Of bids with Capot, whose amounts are the same, the one with the greatest total is the best.
    amount = min(view.highest_amount, CAPOT_TOTAL)
    value = _value_of_bid(amount, _capot_chance(choices.capot.value, p), p.risk)
    capot = bid_code(amount, choices.capot.call, 1)
    best = _prefer(choices.bid, value, capot, amount >= view.lowest_amount)
    if view.bidder < 0:
        needed = p.opening
    elif is_partner(view.players, view.bidder, view.place):
        total = expected_total(view, view.contract, p)
        stands = view.amount * (2.0 * normal_share((total - view.amount) / p.spread) - 1.0)
        needed = stands + p.support
    else:
        stands = view.amount * (2.0 * _chance_of_opponents(view, p) - 1.0)
        needed = -stands / (view.team_count - 1) + p.outbid
    can_bid = view.lowest_amount <= view.highest_amount
    return best.call if can_bid and best.value > needed else PASS


@points
def choose_counter(view: Any, parameters: Any) -> bool:
    """Counter if the opponents' chance to make it is at most `counter`."""
    if view.capot != 0:
        # Who has the 9 of trump wins a trick.
        trump = c.SUIT_MASK << 16 * view.contract if view.contract < c.NO_TRUMP else 0
        return view.hand & trump & _9 != 0
    return _chance_of_opponents(view, parameters) <= parameters.counter


@points
def choose_overcounter(view: Any, parameters: Any) -> bool:
    """Overcounter if the team's chance to make it is at least `overcounter`."""
    p, total = parameters, expected_total(view, view.contract, parameters)
    chance = normal_share((total - view.amount) / p.spread)
    if view.capot != 0:
        chance = _capot_chance(total, p)
        if view.place == 0 and view.bidder == 0 and wins_every_trick(view.hand, view.contract):
            chance = 1.0
    return chance >= p.overcounter


points.bid_filter = may_bid
