"""`points`: calls by a point count.

Taking: the count of the hand with the Return, for the best contract, against a threshold for the
lap and the place.  Auctions: what the own team is to expect in each contract, from the own cards
and from what partners and opponents bid; of all bids and the pass, what is worth most.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kqj_sim.core.bits import ALL_TRUMPS, EACH_LANE, LANE, NO_TRUMP, trailing_zeros
from kqj_sim.core.calls import bid_code
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import SEATS
from kqj_sim.core.views import PASS
from kqj_sim.policies.counting import count, runs_alone
from kqj_sim.policies.parameters import Parameter, number
from kqj_sim.policies.registry import policy
from kqj_sim.policies.tools import is_partner, normal_share

_9 = EACH_LANE << 5

_CAPOT_TOTAL = 400
"""Card points, last trick and Capot together: what a Capot is sure to reach."""

_DEFAULTS: dict[str, float] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)["parameters"]

_WORTH = "points of count for "


def _number(name: str, meaning: str, low: float, high: float) -> Parameter:
    return number(_DEFAULTS[name], meaning, low, high)


def _counts() -> dict[str, Parameter]:
    """What the cards count, the same for two and three teams."""
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
    return {name: _number(name, _WORTH + what, -100, 100) for name, what in meanings.items()}


def _decisions(prefix: str, table: str, teams: int) -> dict[str, Parameter]:
    """What is done with a count, with two teams (no prefix) or three."""
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
        ("hold", "auctions: less than that for each point of the own count in it", (-10, 10)),
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
            _number(f"{prefix}{name}", f"{table}, {meaning}", *limits),
            only=(("teams", teams), ("bidding", bidding[meaning.partition(":")[0]])),
        )
        for name, meaning, limits in rows
    }


PARAMETERS = {
    **_counts(),
    **_decisions("", "two teams", 2),
    **_decisions("three_", "three teams", 3),
}
"""What can be set, with the fitted values as defaults (`points.toml`)."""

points = policy("points", "calls by a point count", None, **PARAMETERS)

FITTED: Any = points.tuple_type(*_DEFAULTS.values())
"""The fitted values, as the functions here take them."""


@scalar
def _of(two: float, three: float, team_count: int) -> float:
    """A parameter by the number of teams."""
    return two if team_count == 2 else three


@scalar
def _of_contract(suit: float, no_trump: float, all_trumps: float, contract: int) -> float:
    """A parameter by the kind of contract."""
    return no_trump if contract == NO_TRUMP else (all_trumps if contract == ALL_TRUMPS else suit)


@scalar
def needed_to_take(view: Any, p: Any) -> float:
    """The least count with which one takes, in this lap at this place."""
    if view.team_count == 2:
        thresholds = (
            p.take, p.take_1, p.take_2, p.take_3, p.take_4, p.take_5,
            p.lap2, p.lap2_1, p.lap2_2, p.lap2_3, p.lap2_4, p.lap2_5,
        )  # fmt: skip
    else:
        thresholds = (
            p.three_take, p.three_take_1, p.three_take_2, p.three_take_3, p.three_take_4,
            p.three_take_5, p.three_lap2, p.three_lap2_1, p.three_lap2_2, p.three_lap2_3,
            p.three_lap2_4, p.three_lap2_5,
        )  # fmt: skip
    first = SEATS * (view.lap - 1)
    return thresholds[first] + (thresholds[first + view.place] if view.place > 0 else 0.0)


@scalar
def count_to_take(view: Any, contract: int, p: Any) -> float:
    """The count of a hand with the Return, and what is added for another contract than its suit."""
    value = count(view.hand | view.turned, contract, p)
    if contract == trailing_zeros(view.turned) >> 4:
        return value
    teams = view.team_count
    return value + _of_contract(
        _of(p.other, p.three_other, teams),
        _of(p.no_trump, p.three_no_trump, teams),
        _of(p.all_trumps, p.three_all_trumps, teams),
        contract,
    )


@points
def choose_take(view: Any, parameters: Any) -> int:
    """Take in the contract of the highest count, if that reaches the threshold."""
    suit = trailing_zeros(view.turned) >> 4
    best, choice = count_to_take(view, suit, parameters), suit
    for contract in range(NO_TRUMP + 2 * view.all_no_trump):
        if (view.lap == 2 or contract >= NO_TRUMP) and contract != suit:
            value = count_to_take(view, contract, parameters)
            if value > best:
                best, choice = value, contract
    return choice if best >= needed_to_take(view, parameters) else PASS


class Heard(NamedTuple):
    """What the bids tell about a contract; each a number of players."""

    named: int
    """Partners whose last bid is in it."""
    their_named: int
    """Opponents whose last bid is in it."""


@scalar
def heard(last_bids: int, players: int, place: int, contract: int) -> Heard:
    """What the bids of others (`BidView.last_bids`) tell a place about a contract."""
    named, their_named = 0, 0
    for other in range(SEATS):
        if other != place and ((last_bids >> 10 * other) & 7) - 1 == contract:
            partner = is_partner(players, other, place)
            named += 1 if partner else 0
            their_named += 0 if partner else 1
    return Heard(named, their_named)


@scalar
def base_total(contract: int, team_count: int, p: Any) -> float:
    """A team's expected total in an auction's contract with a count of nothing, nothing heard."""
    return _of_contract(
        _of(p.base_suit, p.three_base_suit, team_count),
        _of(p.base_nt, p.three_base_nt, team_count),
        _of(p.base_at, p.three_base_at, team_count),
        contract,
    )


@scalar
def expected_total(view: Any, contract: int, p: Any) -> float:
    """The own team's expected total in a contract, from the own cards and the calls so far."""
    teams = view.team_count
    h = heard(view.last_bids, view.players, view.place, contract)
    return (
        base_total(contract, teams, p)
        + _of(p.per_count, p.three_per_count, teams) * count(view.hand, contract, p)
        + _of(p.named, p.three_named, teams) * h.named
        + _of(p.their_named, p.three_their_named, teams) * h.their_named
    )


@scalar
def _capot_chance(total: float, teams: int, p: Any) -> float:
    """The chance of Capot with an expected total."""
    spread = _of(p.capot_spread, p.three_capot_spread, teams)
    return normal_share((total - _of(p.capot, p.three_capot, teams)) / spread)


@scalar
def _their_chance(view: Any, p: Any) -> float:
    """The chance of an opponent to make the last bid, as his bids and the own cards tell."""
    teams = view.team_count
    h = heard(view.last_bids, view.players, view.bidder, view.contract)
    to_spare = (
        _of(p.margin, p.three_margin, teams)
        - _of(p.margin_falls, p.three_margin_falls, teams) * (view.amount - _of(120.0, 80.0, teams))
        - _of(p.hold, p.three_hold, teams) * count(view.hand, view.contract, p)
        + _of(p.backed, p.three_backed, teams) * h.named
    )
    return normal_share(to_spare / _of(p.spread, p.three_spread, teams))


@scalar
def _worth_of_bid(amount: int, chance: float, risk: float) -> float:
    """The expected score difference of a bid; a bad one may be countered."""
    worth = amount * (2.0 * chance - 1.0)
    return worth if worth > 0.0 else worth * (1.0 + risk)


@points
def choose_bid(view: Any, parameters: Any) -> int:
    """Of a bid in each contract, Capot and the pass, what is worth most."""
    p, teams = parameters, view.team_count
    if view.lowest_amount > view.highest_amount:
        return PASS
    spread = _of(p.spread, p.three_spread, teams)
    risk, jump = _of(p.risk, p.three_risk, teams), _of(p.jump, p.three_jump, teams)
    best, choice = -1e9, PASS
    for contract in range(NO_TRUMP + 2 * view.all_no_trump):
        total = expected_total(view, contract, p)
        amount = max(view.lowest_amount, 10 * int((total - jump) // 10.0))
        amount = min(amount, view.highest_amount)
        worth = _worth_of_bid(amount, normal_share((total - amount) / spread), risk)
        if worth > best:
            best, choice = worth, bid_code(amount, contract, 0)
        amount = min(view.highest_amount, _CAPOT_TOTAL)
        if amount >= view.lowest_amount:
            sure = view.place == 0 and runs_alone(view.hand, contract)
            chance = 1.0 if sure else _capot_chance(total, teams, p)
            worth = _worth_of_bid(amount, chance, risk)
            if worth > best:
                best, choice = worth, bid_code(amount, contract, 1)
    if view.bidder < 0:
        needed = _of(p.opening, p.three_opening, teams)
    elif is_partner(view.players, view.bidder, view.place):
        total = expected_total(view, view.contract, p)
        stands = view.amount * (2.0 * normal_share((total - view.amount) / spread) - 1.0)
        needed = stands + _of(p.support, p.three_support, teams)
    else:
        stands = view.amount * (2.0 * _their_chance(view, p) - 1.0)
        needed = -stands / (teams - 1) + _of(p.outbid, p.three_outbid, teams)
    return choice if best > needed else PASS


@points
def choose_counter(view: Any, parameters: Any) -> bool:
    """Counter if their chance to make it is at most `counter`."""
    p, teams = parameters, view.team_count
    if view.capot != 0:
        # Who has the 9 of trump wins a trick.
        trump = LANE << 16 * view.contract if view.contract < NO_TRUMP else 0
        return view.hand & trump & _9 != 0
    return _their_chance(view, p) <= _of(p.counter, p.three_counter, teams)


@points
def choose_overcounter(view: Any, parameters: Any) -> bool:
    """Overcounter if the own team's chance to make it is at least `overcounter`."""
    p, teams = parameters, view.team_count
    total = expected_total(view, view.contract, p)
    chance = normal_share((total - view.amount) / _of(p.spread, p.three_spread, teams))
    if view.capot != 0:
        chance = _capot_chance(total, teams, p)
        if view.place == 0 and view.bidder == 0 and runs_alone(view.hand, view.contract):
            chance = 1.0
    return chance >= _of(p.overcounter, p.three_overcounter, teams)
