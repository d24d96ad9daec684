"""The state of the auction: the questions answered so far and the calls that may be made now.

It is the bidding of `core.bidding` for one deal, packed into integers as `core.call_odds` takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from typing import NamedTuple

from kqj_sim.core import dispatch
from kqj_sim.core.jit import get_python_function
from kqj_sim.core.round import BID_PENDING, COUNTER_PENDING, NOTHING_PENDING
from kqj_sim.core.views import PASS, bid_code, replace_last_bid
from kqj_sim.positions.position import Position, list_call_positions
from kqj_sim.record import Call
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.rules import SEATS, KqjRules, require_kqj_rules
from kqj_sim.simulation.encode import CONTRACTS

GUARANTEED_CAPOT_TOTAL = 400
"""Card points, last trick and Capot together: what a Capot is sure to reach."""

_bid_code = get_python_function(bid_code)
_replace_last_bid = get_python_function(replace_last_bid)


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
            last_bids=_replace_last_bid(self.last_bids, place, amount // 10, contract),
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


def replay_calls(position: Position) -> tuple[list[ObservedCall], AuctionState]:
    """Return the questions that the others answered, in order, and the state of the auction.

    Not to counter is an answer, too.  Where a counter is in question all others have declined: if
    one of them had not, the answer would not matter.

    Args:
        position: a position of KQJ whose seats are places.
    """
    observed_calls: list[ObservedCall] = []
    state = AuctionState()
    for _, before, call in list_call_positions(position):
        observed_calls += _observe(before, state, call)
        if call is not None and call.call in ("counter", "overcounter"):
            state = state.after_counter(call.call == "overcounter")
        elif call is not None and before.question == "bid":
            state = state.after_turn(before.turn, _encode_call(call))
    return [each for each in observed_calls if each.place != position.seat], state


def _observe(before: Position, state: AuctionState, call: Call | None) -> Iterator[ObservedCall]:
    """Yield the questions that a call answers; None stands for not to counter, or overcounter."""
    place, turn, rules = before.seat, before.turn, require_kqj_rules(before.rules)
    step = (place - state.sender) % SEATS
    in_turn = rules.counter_timing == "turn" and not state.capot
    text = f"no {before.question}" if call is None else format_call(call)
    if before.question == "overcounter":
        # The question belongs to the turn of the bid, or of the counter where this took a turn.
        number = 16 * (turn if in_turn else turn - 1) + 8 + step
        is_made = int(call is not None)
        yield ObservedCall(place, dispatch.OVERCOUNTER, number, 1, is_made, state, text)
    elif before.question == "counter":
        number, is_made = 16 * (turn - 1) + step, int(call is not None)
        yield ObservedCall(place, dispatch.COUNTER, number, 0, is_made, state, text)
    elif before.question == "take":
        assert call is not None
        rule = int(allows_all_no_trump(rules, before.lap))
        taken = PASS if call.contract is None else CONTRACTS.index(call.contract)
        yield ObservedCall(place, dispatch.TAKE, before.lap, rule, taken, state, text)
    else:
        assert call is not None
        is_counter = call.call == "counter"
        if in_turn and state.sender >= 0 and before.teams[state.sender] != before.teams[place]:
            said = text if is_counter else "no counter"
            yield ObservedCall(place, dispatch.COUNTER, 16 * turn, 0, int(is_counter), state, said)
        if not is_counter:
            limits, code = _pack_bid_limits(rules), _encode_call(call)
            yield ObservedCall(place, dispatch.BID, turn, limits, code, state, text)


def _pack_bid_limits(rules: KqjRules) -> int:
    """Return the rules as `core.dispatch.ask_bid` takes them."""
    limits = (rules.minimum_bid << 16 | rules.max_amount) << 1
    return limits | (0 if rules.all_no_trump == "never" else 1)


def _encode_call(call: Call) -> int:
    """Return a pass or a bid as a policy answers it."""
    if call.call == "pass":
        return PASS
    assert call.amount is not None and call.contract is not None
    return _bid_code(call.amount, CONTRACTS.index(call.contract), int(call.capot is True))


def find_lowest_amount(position: Position) -> int:
    """Return the lowest amount that may be bid now; above `max_amount` if none may."""
    assert isinstance(position.calling, KqjCalling)
    return position.calling.lowest_amount


def make_bid_option(position: Position, auction_state: AuctionState, call: Call) -> CallOption:
    """Return a pass or a bid in an auction; the others call on."""
    turn = position.turn
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
    position: Position, auction_state: AuctionState, contract: str, amount: int
) -> CallOption:
    """Return a contract that is bid and then played, with nobody calling on."""
    code = _encode_call(Call(position.seat, "bid", amount, contract, False))
    turn = position.turn - position.turn % SEATS + position.seat
    stands = replace(auction_state.after_turn(turn, code), open=0)
    return CallOption(f"{contract} played", stands, turn, NOTHING_PENDING, contract, amount)


def list_call_options(position: Position, auction_state: AuctionState) -> Iterator[CallOption]:
    """Yield the calls that may be made now; of bids, the lowest in each contract."""
    place, turn, rules = position.seat, position.turn, require_kqj_rules(position.rules)
    if position.question == "take":
        yield CallOption("pass", auction_state, turn + 1, NOTHING_PENDING)
        for contract in CONTRACTS:
            call = Call(place, "take", contract=contract)
            if position.calling.explain_illegal_call(call) is None:
                taken = auction_state.after_take(place, position.lap, CONTRACTS.index(contract))
                yield CallOption(format_call(call), taken, turn + 1, NOTHING_PENDING, contract)
    elif position.question == "bid":
        yield make_bid_option(position, auction_state, Call(place, "pass"))
        if position.calling.explain_illegal_call(Call(place, "counter")) is None:
            at_once = rules.counter_timing == "any"
            yield CallOption(
                "counter", auction_state.after_counter(), turn - at_once, COUNTER_PENDING
            )
        amount = find_lowest_amount(position)
        if amount <= rules.max_amount:
            for contract in rules.contracts:
                yield make_bid_option(
                    position, auction_state, Call(place, "bid", amount, contract, False)
                )
    elif position.question == "counter":
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


def make_question(position: Position, auction_state: AuctionState) -> list[ObservedCall]:
    """Return the questions that the player is asked, whose answers are left open.

    The text is the kind of question.  Where counters are made in one's turn, the question whether
    to counter comes before the bid.
    """
    place, turn, rules = position.seat, position.turn, require_kqj_rules(position.rules)

    def ask(member: int, second: int, rule: int, text: str) -> ObservedCall:
        return ObservedCall(place, member, second, rule, PASS, auction_state, text)

    if position.question == "take":
        rule = int(allows_all_no_trump(rules, position.lap))
        return [ask(dispatch.TAKE, position.lap, rule, "take")]
    if position.question == "counter":
        return [ask(dispatch.COUNTER, 16 * turn + place, 0, "counter")]
    if position.question == "overcounter":
        return [ask(dispatch.OVERCOUNTER, 16 * turn + 8 + place, 1, "overcounter")]
    questions = [ask(dispatch.BID, turn, _pack_bid_limits(rules), "bid")]
    counter = Call(place, "counter")
    in_turn = rules.counter_timing == "turn"
    if in_turn and position.calling.explain_illegal_call(counter) is None:
        questions.insert(0, ask(dispatch.COUNTER, 16 * turn, 0, "counter"))
    return questions
