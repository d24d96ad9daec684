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

_DEFAULTS: dict[str, float] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)["parameters"]

_POINTS_FOR = "points of count for "


def _make_number(name: str, meaning: str, low: float, high: float) -> Parameter:
    return number(_DEFAULTS[name], meaning, low, high)


def make_count_parameters() -> dict[str, Parameter]:
    """Return the parameters of the count, the same for two and three teams."""
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
        name: _make_number(name, _POINTS_FOR + what, -100, 100) for name, what in meanings.items()
    }


def _decision_parameters(prefix: str, table: str, teams: int) -> dict[str, Parameter]:
    """Return the parameters of the decisions, for two teams (no prefix) or three."""
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
        f"{prefix}{name}": replace(
            _make_number(f"{prefix}{name}", f"{table}, {meaning}", *limits),
            only_with=(("teams", teams), ("bidding", bidding[meaning.partition(":")[0]])),
        )
        for name, meaning, limits in rows
    }


PARAMETERS = {
    **make_count_parameters(),
    **_decision_parameters("", "two teams", 2),
    **_decision_parameters("three_", "three teams", 3),
}
"""All parameters; the defaults are those of `points.toml`, all fitted but `take` and `lap2`."""

points = policy("points", "calls by a point count", None, **PARAMETERS)

FITTED: Any = points.tuple_type(*_DEFAULTS.values())
"""The defaults, as the functions here take them."""


@scalar
def _select_by_teams(two: float, three: float, team_count: int) -> float:
    """Return a parameter by the number of teams."""
    return two if team_count == 2 else three


@scalar
def _select_by_contract(
    suit: float, no_trump: float, all_trumps: float, contract: Contract
) -> float:
    """Return a parameter by the kind of contract."""
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
    first = _select_by_teams(
        _raise_by_place(p.take, place, p.take_1, p.take_2, p.take_3, p.take_4, p.take_5),
        _raise_by_place(
            p.three_take, place, p.three_take_1, p.three_take_2, p.three_take_3, p.three_take_4,
            p.three_take_5,
        ),
        view.team_count,
    )  # fmt: skip
    second = _select_by_teams(
        _raise_by_place(p.lap2, place, p.lap2_1, p.lap2_2, p.lap2_3, p.lap2_4, p.lap2_5),
        _raise_by_place(
            p.three_lap2, place, p.three_lap2_1, p.three_lap2_2, p.three_lap2_3, p.three_lap2_4,
            p.three_lap2_5,
        ),
        view.team_count,
    )  # fmt: skip
    return first if view.lap == 1 else second


@scalar
def count_to_take(view: Any, contract: Contract, parameters: Any) -> float:
    """Return the count of a hand with the Return, plus an offset if not in the Return's suit."""
    teams = view.team_count
    offset = _select_by_contract(
        _select_by_teams(parameters.other, parameters.three_other, teams),
        _select_by_teams(parameters.no_trump, parameters.three_no_trump, teams),
        _select_by_teams(parameters.all_trumps, parameters.three_all_trumps, teams),
        contract,
    )
    is_own = contract == trailing_zeros(view.turned) >> 4
    return count_points(view.hand | view.turned, contract, parameters) + (0.0 if is_own else offset)


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
    """Return the better of a call and to take in another contract."""
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
    """Count the other players whose last bid (`BidView.last_bids`) is in a contract, for a
    place."""
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
def base_total(contract: Contract, team_count: int, parameters: Any) -> float:
    """Return a team's expected total in an auction's contract with a count of zero and no bids."""
    return _select_by_contract(
        _select_by_teams(parameters.base_suit, parameters.three_base_suit, team_count),
        _select_by_teams(parameters.base_nt, parameters.three_base_nt, team_count),
        _select_by_teams(parameters.base_at, parameters.three_base_at, team_count),
        contract,
    )


@scalar
def expected_total(view: Any, contract: Contract, parameters: Any) -> float:
    """Return the team's expected total in a contract, from the player's hand and the calls so
    far."""
    teams = view.team_count
    h = summarise_bids(view.last_bids, view.players, view.place, contract)
    return (
        base_total(contract, teams, parameters)
        + _select_by_teams(parameters.per_count, parameters.three_per_count, teams)
        * count_points(view.hand, contract, parameters)
        + _select_by_teams(parameters.named, parameters.three_named, teams) * h.named
        + _select_by_teams(parameters.their_named, parameters.three_their_named, teams)
        * h.their_named
    )


@scalar
def _capot_chance(total: float, teams: int, parameters: Any) -> float:
    """Return the chance of Capot with an expected total."""
    spread = _select_by_teams(parameters.capot_spread, parameters.three_capot_spread, teams)
    return normal_share(
        (total - _select_by_teams(parameters.capot, parameters.three_capot, teams)) / spread
    )


@scalar
def _chance_of_opponents(view: Any, parameters: Any) -> float:
    """Return the chance that an opponent makes the last bid, from their bids and the player's
    hand."""
    teams = view.team_count
    h = summarise_bids(view.last_bids, view.players, view.bidder, view.contract)
    to_spare = (
        _select_by_teams(parameters.margin, parameters.three_margin, teams)
        - _select_by_teams(parameters.margin_falls, parameters.three_margin_falls, teams)
        * (view.amount - _select_by_teams(120.0, 80.0, teams))
        - _select_by_teams(parameters.hold, parameters.three_hold, teams)
        * count_points(view.hand, view.contract, parameters)
        + _select_by_teams(parameters.backed, parameters.three_backed, teams) * h.named
    )
    return normal_share(
        to_spare / _select_by_teams(parameters.spread, parameters.three_spread, teams)
    )


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
def _prefer_bid(
    view: Any, best: BidChoice, contract: Contract, allowed: bool, parameters: Any
) -> BidChoice:
    """Return the better of the bids so far and one in a contract."""
    p, teams = parameters, view.team_count
    spread = _select_by_teams(p.spread, p.three_spread, teams)
    jump = _select_by_teams(p.jump, p.three_jump, teams)
    total = expected_total(view, contract, p)
    amount = max(view.lowest_amount, 10 * math.floor((total - jump) / 10.0))
    amount = min(amount, view.highest_amount)
    risk = _select_by_teams(p.risk, p.three_risk, teams)
    value = _value_of_bid(amount, normal_share((total - amount) / spread), risk)
    sure = view.place == 0 and wins_every_trick(view.hand, contract)
    return BidChoice(
        _prefer(best.bid, value, bid_code(amount, contract, 0), allowed),
        _prefer(best.capot, math.inf if sure else total, contract, allowed),
    )


@points
def choose_bid(view: Any, parameters: Any) -> int:
    """Choose the most valuable of a bid in each contract, Capot and the pass."""
    p, teams = parameters, view.team_count
    spread = _select_by_teams(p.spread, p.three_spread, teams)
    without_suit = view.all_no_trump != 0
    found = BidChoice(Choice(-1e9, PASS), Choice(-1e9, PASS))
    found = _prefer_bid(view, found, 0, True, p)
    found = _prefer_bid(view, found, 1, True, p)
    found = _prefer_bid(view, found, 2, True, p)
    found = _prefer_bid(view, found, 3, True, p)
    found = _prefer_bid(view, found, NO_TRUMP, without_suit, p)
    found = _prefer_bid(view, found, ALL_TRUMPS, without_suit, p)
    # Of bids with Capot, whose amounts are the same, the one with the greatest total is the best.
    amount = min(view.highest_amount, CAPOT_TOTAL)
    value = _value_of_bid(
        amount,
        _capot_chance(found.capot.value, teams, p),
        _select_by_teams(p.risk, p.three_risk, teams),
    )
    capot = bid_code(amount, found.capot.call, 1)
    best = _prefer(found.bid, value, capot, amount >= view.lowest_amount)
    if view.bidder < 0:
        needed = _select_by_teams(p.opening, p.three_opening, teams)
    elif is_partner(view.players, view.bidder, view.place):
        total = expected_total(view, view.contract, p)
        stands = view.amount * (2.0 * normal_share((total - view.amount) / spread) - 1.0)
        needed = stands + _select_by_teams(p.support, p.three_support, teams)
    else:
        stands = view.amount * (2.0 * _chance_of_opponents(view, p) - 1.0)
        needed = -stands / (teams - 1) + _select_by_teams(p.outbid, p.three_outbid, teams)
    may_bid = view.lowest_amount <= view.highest_amount
    return best.call if may_bid and best.value > needed else PASS


@points
def choose_counter(view: Any, parameters: Any) -> bool:
    """Counter if the opponents' chance to make it is at most `counter`."""
    p, teams = parameters, view.team_count
    if view.capot != 0:
        # Who has the 9 of trump wins a trick.
        trump = SUIT_MASK << 16 * view.contract if view.contract < NO_TRUMP else 0
        return view.hand & trump & _9 != 0
    return _chance_of_opponents(view, p) <= _select_by_teams(p.counter, p.three_counter, teams)


@points
def choose_overcounter(view: Any, parameters: Any) -> bool:
    """Overcounter if the team's chance to make it is at least `overcounter`."""
    p, teams = parameters, view.team_count
    total = expected_total(view, view.contract, p)
    chance = normal_share((total - view.amount) / _select_by_teams(p.spread, p.three_spread, teams))
    if view.capot != 0:
        chance = _capot_chance(total, teams, p)
        if view.place == 0 and view.bidder == 0 and wins_every_trick(view.hand, view.contract):
            chance = 1.0
    return chance >= _select_by_teams(p.overcounter, p.three_overcounter, teams)
