"""The state of the auction: the questions answered so far and the calls that may be made now.

It is the bidding of `core.bidding` for one deal, packed into integers as `core.call_odds` takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from typing import NamedTuple

from kqj_sim.core import dispatch
from kqj_sim.core.round import BID_PENDING, COUNTER_PENDING, NOTHING_PENDING
from kqj_sim.core.views import PASS, bid_code, replace_last_bid
from kqj_sim.positions.situation import BiddingSituation
from kqj_sim.record import Call
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.encode import CONTRACTS

GUARANTEED_CAPOT_TOTAL = 400
"""Card points, last trick and Capot together: what a Capot is sure to reach."""


@dataclass(frozen=True)
class AuctionState:
    """The public state of the auction: the rows `core.playouts.PUBLIC_ROWS`, in their order."""

    sender: int = -1
    contract: int = -1
    lap: int = 0
    amount: int = 0
    capot: int = 0
    stake: int = 1
    opening: int = 0
    bids: int = 0
    last_bids: int = 0
    passes: int = 0
    open: int = 1
    news: int = 0
    call: int = PASS

    def pack(self) -> tuple[int, ...]:
        """Return the rows."""
        return astuple(self)

    def after_take(self, place: int, lap: int, contract: int) -> AuctionState:
        """Return the state after a place took in a lap."""
        return replace(self, sender=place, lap=lap, contract=contract, open=0)

    def after_turn(self, turn: int, code: int) -> AuctionState:
        """Return the state after the pass, or bid (`core.views.bid_code`), of a turn."""
        if code == PASS:
            passes = self.passes + 1
            over = passes == (SEATS if self.sender < 0 else SEATS - 1)
            return replace(self, passes=passes, open=0 if over else 1, news=0)
        place, amount, contract = turn % SEATS, code >> 4, (code >> 1) & 7
        return AuctionState(
            sender=place,
            contract=contract,
            lap=turn // SEATS + 1,
            amount=amount,
            capot=code & 1,
            opening=self.opening or amount,
            bids=self.bids + 1,
            last_bids=replace_last_bid.py_func(self.last_bids, place, amount // 10, contract),
            open=0 if code & 1 else 1,
        )

    def after_counter(self, is_overcounter: bool = False) -> AuctionState:
        """Return the state after a counter, or an overcounter."""
        return replace(
            self, stake=4 if is_overcounter else 2, news=0 if is_overcounter else 1, open=0
        )


class ObservedCall(NamedTuple):
    """A question that a player answered.

    Attributes:
        place: place of the player.
        member, second, rule: the question as `core.dispatch.ask` takes it.
        answer: the answer as a policy gives it.
        auction_state: the state at that moment.
        text: the call in words.
    """

    place: int
    member: int
    second: int
    rule: int
    answer: int
    auction_state: AuctionState
    text: str

    def pack(self) -> tuple[int, ...]:
        """Return the question as `core.observed_calls.OBSERVED_CALL_SIZE` integers."""
        return (
            self.place, self.member, self.second, self.rule, self.answer,
            *self.auction_state.pack(),
        )  # fmt: skip


class CallOption(NamedTuple):
    """A call that may be made, or a contract that would be played.

    Attributes:
        text: the call in words, `pass`, `take h`, `150 h`, `400 AT capot`, `counter`.
        auction_state: the state after it.
        turn, resume_stage: where the bidding goes on (`core.round`).
        contract, amount, capot: the bid or the contract taken; None or 0 if there is none.
    """

    text: str
    auction_state: AuctionState
    turn: int
    resume_stage: int
    contract: str | None = None
    amount: int = 0
    capot: bool = False

    def __str__(self) -> str:
        return self.text

    def pack(self) -> tuple[int, ...]:
        """Return the call as `core.call_odds.OPTION_SIZE` integers."""
        return (self.turn, self.resume_stage, *self.auction_state.pack())


def format_call(call: Call) -> str:
    """Return a call in words: `pass`, `take h`, `150 h`, `400 AT capot`, `counter`."""
    if call.call == "take":
        return f"take {call.contract}"
    if call.call == "bid":
        return f"{call.amount} {call.contract}{' capot' if call.capot else ''}"
    return call.call


def allows_all_no_trump(rules: KqjRules, lap: int) -> bool:
    """Return whether All-Trumps and No-Trump may be taken in a lap."""
    return rules.all_no_trump == "both_laps" or (rules.all_no_trump == "second_lap" and lap == 2)


def replay_calls(situation: BiddingSituation) -> tuple[list[ObservedCall], AuctionState]:
    """Return the questions that the others answered, in order, and the state of the auction.

    Not to counter is an answer, too.  Where a counter is in question all others have declined: if
    one of them had not, the answer would not matter.
    """
    walk = _CallReplay(situation)
    for call in situation.calls:
        walk.add(call)
    walk.decline_rest()
    others = [each for each in walk.observed_calls if each.place != situation.place]
    return others, walk.auction_state


class _CallReplay:
    """A replay of the calls of a situation that notes the questions."""

    def __init__(self, situation: BiddingSituation) -> None:
        self.situation = situation
        self.rules = situation.rules
        self.auction_state = AuctionState()
        self.observed_calls: list[ObservedCall] = []
        self.turn = 0
        self.pending: list[tuple[int, int, int]] = []
        """The next questions about (over)counters: member, place, number of the question."""

    def add(self, call: Call) -> None:
        """Add a call, and the counters that others did not make before it."""
        if call.call in ("counter", "overcounter"):
            self._add_counter(call)
            return
        self.decline_rest()
        place = self.turn % SEATS
        if self.rules.bidding == "take":
            lap = self.turn // SEATS + 1
            rule = int(allows_all_no_trump(self.rules, lap))
            named = PASS if call.contract is None else CONTRACTS.index(call.contract)
            self._add_observed_call(place, dispatch.TAKE, lap, rule, named, format_call(call))
        else:
            self._decline_at_turn()
            code = _encode_call(call)
            text = format_call(call)
            self._add_observed_call(
                place, dispatch.BID, self.turn, _pack_bid_limits(self.rules), code, text
            )
            self.auction_state = self.auction_state.after_turn(self.turn, code)
            if code != PASS:
                self._queue_opponents()
        self.turn += 1

    def decline_rest(self) -> None:
        """Add that nobody still to be asked (over)counters."""
        for member, place, question in self.pending:
            over = int(member == dispatch.OVERCOUNTER)
            text = "no overcounter" if over else "no counter"
            self._add_observed_call(place, member, question, over, 0, text)
        self.pending = []

    def _add_observed_call(self, place: int, member: int, second: int, rule: int, answer: int,
              text: str) -> None:  # fmt: skip
        self.observed_calls.append(
            ObservedCall(place, member, second, rule, answer, self.auction_state, text)
        )

    def _is_opponent(self, place: int) -> bool:
        teams, sender = self.situation.teams, self.auction_state.sender
        return sender >= 0 and teams[sender] != teams[place]

    def _queue_opponents(self) -> None:
        """Queue all opponents of the bidder, or with counters in one's turn nobody."""
        if self.rules.counter_timing == "turn" and not self.auction_state.capot:
            return
        for step in range(1, SEATS):
            place = (self.auction_state.sender + step) % SEATS
            if self._is_opponent(place):
                self.pending.append((dispatch.COUNTER, place, 16 * self.turn + step))

    def _decline_at_turn(self) -> None:
        """With counters in one's turn, add that the player whose turn it is has not countered."""
        place = self.turn % SEATS
        if self.rules.counter_timing == "turn" and self._is_opponent(place):
            self.pending.append((dispatch.COUNTER, place, 16 * self.turn))
            self.decline_rest()

    def _add_counter(self, call: Call) -> None:
        """Add a counter: those before declined, the bidder's team is to be asked."""
        if not self.pending:
            self.pending.append((dispatch.COUNTER, call.seat, 16 * self.turn))
            question = 16 * self.turn
        else:
            question = 16 * (self.turn - 1)
        before = next(n for n, (_, place, _) in enumerate(self.pending) if place == call.seat)
        rest, self.pending = self.pending[before], self.pending[:before]
        self.decline_rest()
        over = call.call == "overcounter"
        self._add_observed_call(call.seat, rest[0], rest[2], int(over), 1, call.call)
        self.auction_state = self.auction_state.after_counter(over)
        if over:
            return
        sender = self.auction_state.sender
        for step in range(SEATS):
            place = (sender + step) % SEATS
            if not self._is_opponent(place):
                self.pending.append((dispatch.OVERCOUNTER, place, question + 8 + step))


def _pack_bid_limits(rules: KqjRules) -> int:
    """Return the rules as `core.dispatch.ask_bid` takes them."""
    limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
    return limits | (0 if rules.all_no_trump == "never" else 1)


def _encode_call(call: Call) -> int:
    """Return a pass or a bid as a policy answers it."""
    if call.call == "pass":
        return PASS
    assert call.amount is not None and call.contract is not None
    return int(
        bid_code.py_func(call.amount, CONTRACTS.index(call.contract), int(call.capot is True))
    )


def find_lowest_amount(situation: BiddingSituation) -> int:
    """Return the lowest amount that may be bid now; above `max_amount` if none may."""
    return situation.replay_calling().lowest_amount


def make_bid_option(
    situation: BiddingSituation, auction_state: AuctionState, call: Call
) -> CallOption:
    """Return a pass or a bid in an auction; the others call on."""
    turn = situation.turn
    entered = replace(auction_state, call=_encode_call(call))
    return CallOption(
        format_call(call),
        entered,
        turn,
        BID_PENDING,
        call.contract,
        call.amount or 0,
        call.capot is True,
    )


def make_contract_option(
    situation: BiddingSituation, auction_state: AuctionState, contract: str, amount: int
) -> CallOption:
    """Return a contract that is bid and then played, with nobody calling on."""
    code = _encode_call(Call(situation.place, "bid", amount, contract, False))
    turn = situation.turn - situation.turn % SEATS + situation.place
    stands = replace(auction_state.after_turn(turn, code), open=0)
    return CallOption(f"{contract} played", stands, turn, NOTHING_PENDING, contract, amount)


def list_call_options(
    situation: BiddingSituation, auction_state: AuctionState
) -> Iterator[CallOption]:
    """Yield the calls that may be made now; of bids, the lowest in each contract."""
    place, turn, rules = situation.place, situation.turn, situation.rules
    if situation.question == "take":
        yield CallOption("pass", auction_state, turn + 1, NOTHING_PENDING)
        for contract in CONTRACTS:
            call = Call(place, "take", contract=contract)
            if situation.replay_calling().explain_illegal_call(call) is None:
                taken = auction_state.after_take(place, situation.lap, CONTRACTS.index(contract))
                yield CallOption(format_call(call), taken, turn + 1, NOTHING_PENDING, contract)
    elif situation.question == "bid":
        yield make_bid_option(situation, auction_state, Call(place, "pass"))
        if situation.replay_calling().explain_illegal_call(Call(place, "counter")) is None:
            at_once = rules.counter_timing == "any"
            yield CallOption(
                "counter", auction_state.after_counter(), turn - at_once, COUNTER_PENDING
            )
        amount = find_lowest_amount(situation)
        if amount <= rules.max_amount:
            for contract in rules.contracts:
                yield make_bid_option(
                    situation, auction_state, Call(place, "bid", amount, contract, False)
                )
    elif situation.question == "counter":
        yield CallOption("no counter", auction_state, turn, NOTHING_PENDING)
        # The question belongs to the turn of the bid, the last one.
        yield CallOption("counter", auction_state.after_counter(), turn - 1, COUNTER_PENDING)
    else:
        yield CallOption("no overcounter", replace(auction_state, news=0), turn, NOTHING_PENDING)
        yield CallOption(
            "overcounter", auction_state.after_counter(is_overcounter=True), turn, NOTHING_PENDING
        )


def order_rarest_first(observed_calls: list[ObservedCall]) -> list[ObservedCall]:
    """Return questions by player, first those who bid or countered: few hands will do for that."""
    spoke: dict[int, int] = {}
    for each in observed_calls:
        silent = each.text in ("pass", "no counter", "no overcounter")
        spoke[each.place] = spoke.get(each.place, 0) + (0 if silent else 1)
    return sorted(observed_calls, key=lambda each: (-spoke[each.place], each.place))


def make_question(situation: BiddingSituation, auction_state: AuctionState) -> list[ObservedCall]:
    """Return the questions that the player is asked, whose answers are left open.

    The text is the kind of question.  Where counters are made in one's turn, the question whether
    to counter comes before the bid.
    """
    place, turn, rules = situation.place, situation.turn, situation.rules

    def ask(member: int, second: int, rule: int, text: str) -> ObservedCall:
        return ObservedCall(place, member, second, rule, PASS, auction_state, text)

    if situation.question == "take":
        rule = int(allows_all_no_trump(rules, situation.lap))
        return [ask(dispatch.TAKE, situation.lap, rule, "take")]
    if situation.question == "counter":
        return [ask(dispatch.COUNTER, 16 * turn + place, 0, "counter")]
    if situation.question == "overcounter":
        return [ask(dispatch.OVERCOUNTER, 16 * turn + 8 + place, 1, "overcounter")]
    questions = [ask(dispatch.BID, turn, _pack_bid_limits(rules), "bid")]
    counter = Call(place, "counter")
    in_turn = rules.counter_timing == "turn"
    if in_turn and situation.replay_calling().explain_illegal_call(counter) is None:
        questions.insert(0, ask(dispatch.COUNTER, 16 * turn, 0, "counter"))
    return questions
