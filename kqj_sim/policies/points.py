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

from kqj_sim.core.block import SEATS
from kqj_sim.core.cards import ALL_TRUMPS, EACH_SUIT, NO_TRUMP, SUIT_MASK, trailing_zeros
from kqj_sim.core.jit import scalar
from kqj_sim.core.types import Contract, PackedBids, PackedPlayers, Place
from kqj_sim.core.views import PASS, bid_code, last_bid_contract
from kqj_sim.policies.parameters import Parameter, number
from kqj_sim.policies.point_count import count_points, wins_every_trick
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import is_partner, normal_share

_9 = EACH_SUIT << 5

CAPOT_TOTAL = 400
"""Total that a Capot is sure to reach: card points, last trick and Capot."""

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
    return no_trump if contract == NO_TRUMP else (all_trumps if contract == ALL_TRUMPS else suit)


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
    is_own = contract == trailing_zeros(view.turned) >> 4
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
    allowed = contract != trailing_zeros(view.turned) >> 4
    return _prefer(best, count_to_take(view, contract, parameters), contract, allowed)


@points
def choose_take(view: Any, parameters: Any) -> int:
    """Take in the contract of the highest count, if that reaches the threshold."""
    suit = trailing_zeros(view.turned) >> 4
    best = Choice(count_to_take(view, suit, parameters), suit)
    if view.lap == 2:
        best = _prefer_take(view, best, 0, parameters)
        best = _prefer_take(view, best, 1, parameters)
        best = _prefer_take(view, best, 2, parameters)
        best = _prefer_take(view, best, 3, parameters)
    if view.all_no_trump != 0:
        best = _prefer_take(view, best, NO_TRUMP, parameters)
        best = _prefer_take(view, best, ALL_TRUMPS, parameters)
    return best.call if best.value >= threshold_to_take(view, parameters) else PASS


class BidSummary(NamedTuple):
    """Numbers of players whose last bid is in a contract."""

    named: int
    """Partners."""
    their_named: int
    """Opponents."""


_COUNT_BITS = 4
"""Bits of a count in packed counts by contract, from -1 for no bid on."""


@scalar
def summarise_bids(
    last_bids: PackedBids, players: PackedPlayers, place: Place, contract: Contract
) -> BidSummary:
    """Count the others whose last bid (`BidView.last_bids`) is in a contract, for a place."""
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
    return BidSummary((named >> shift) & mask, (their_named >> shift) & mask)


@scalar
def base_total(contract: Contract, parameters: Any) -> float:
    """Return a team's expected total in an auction's contract with a count of zero and no bids."""
    p = parameters
    return _select_by_contract(p.base_suit, p.base_nt, p.base_at, contract)


@scalar
def expected_total(view: Any, contract: Contract, parameters: Any) -> float:
    """Return the team's expected total in a contract, from the hand and the calls so far."""
    p, h = parameters, summarise_bids(view.last_bids, view.players, view.place, contract)
    return (
        base_total(contract, p)
        + p.per_count * count_points(view.hand, contract, p)
        + p.named * h.named
        + p.their_named * h.their_named
    )


@scalar
def _capot_chance(total: float, parameters: Any) -> float:
    return normal_share((total - parameters.capot) / parameters.capot_spread)


@scalar
def _chance_of_opponents(view: Any, parameters: Any) -> float:
    """Return the chance that an opponent makes the last bid, from their bids and this hand."""
    p, h = parameters, summarise_bids(view.last_bids, view.players, view.bidder, view.contract)
    to_spare = (
        p.margin
        - p.margin_falls * (view.amount - (120.0 if view.team_count == 2 else 80.0))
        - p.hold * count_points(view.hand, view.contract, p)
        + p.backed * h.named
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


@points.may_bid
@scalar
def may_bid(view: Any, bid: int, parameters: Any, resource: int) -> bool:
    """Return False for an amount that is not that of the hand in the contract."""
    total = expected_total(view, (bid >> 1) & 7, parameters)
    return bid & 1 != 0 or _choose_amount(view, total, parameters) == bid >> 4


@points
def choose_bid(view: Any, parameters: Any) -> int:
    """Choose the most valuable of a bid in each contract, Capot and the pass."""
    p, without_suit = parameters, view.all_no_trump != 0
    found = BidChoice(Choice(-1e9, PASS), Choice(-1e9, PASS))
    found = _prefer_bid(view, found, 0, True, p)
    found = _prefer_bid(view, found, 1, True, p)
    found = _prefer_bid(view, found, 2, True, p)
    found = _prefer_bid(view, found, 3, True, p)
    found = _prefer_bid(view, found, NO_TRUMP, without_suit, p)
    found = _prefer_bid(view, found, ALL_TRUMPS, without_suit, p)
    # Of bids with Capot, whose amounts are the same, the one with the greatest total is the best.
    amount = min(view.highest_amount, CAPOT_TOTAL)
    value = _value_of_bid(amount, _capot_chance(found.capot.value, p), p.risk)
    capot = bid_code(amount, found.capot.call, 1)
    best = _prefer(found.bid, value, capot, amount >= view.lowest_amount)
    if view.bidder < 0:
        needed = p.opening
    elif is_partner(view.players, view.bidder, view.place):
        total = expected_total(view, view.contract, p)
        stands = view.amount * (2.0 * normal_share((total - view.amount) / p.spread) - 1.0)
        needed = stands + p.support
    else:
        stands = view.amount * (2.0 * _chance_of_opponents(view, p) - 1.0)
        needed = -stands / (view.team_count - 1) + p.outbid
    may_bid = view.lowest_amount <= view.highest_amount
    return best.call if may_bid and best.value > needed else PASS


@points
def choose_counter(view: Any, parameters: Any) -> bool:
    """Counter if the opponents' chance to make it is at most `counter`."""
    if view.capot != 0:
        # Who has the 9 of trump wins a trick.
        trump = SUIT_MASK << 16 * view.contract if view.contract < NO_TRUMP else 0
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
