"""The state of the auction: the questions answered so far and the calls that may be made now.

The kernels of `core.auction` find them; here they get names and words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import auction, dispatch
from kqj_sim.core.auction import CALL_SIZE, MAX_OPTIONS, STATE_SIZE
from kqj_sim.core.block import SEATS
from kqj_sim.core.call_odds import OPTION_SIZE
from kqj_sim.core.jit import get_python_function
from kqj_sim.core.observed_calls import CALL_ROWS, OBSERVED_CALL_SIZE
from kqj_sim.core.round import BID_PENDING
from kqj_sim.core.views import PASS, bid_code
from kqj_sim.positions.position import Position
from kqj_sim.record import Call
from kqj_sim.referee.kqj import KqjCalling
from kqj_sim.rules import require_kqj_rules
from kqj_sim.simulation.encode import encode_rules

_bid_code = get_python_function(bid_code)
_allows_all_no_trump = get_python_function(auction.allows_all_no_trump)
_pack_bid_limits = get_python_function(auction.pack_bid_limits)

_KINDS = {
    "take": dispatch.TAKE, "bid": dispatch.BID, "counter": dispatch.COUNTER,
    "overcounter": dispatch.OVERCOUNTER,
}  # fmt: skip


class AuctionState(NamedTuple):
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


_COMMONNESS = {"pass": 1, "no counter": 2, "no overcounter": 2}


class ObservedCall(NamedTuple):
    """A question that a player answered.

    Attributes:
        member, second, rule: the question as `core.dispatch.ask` takes it.
        answer: the answer as a policy gives it.
        auction_state: the state at that moment.
    """

    place: int
    member: int
    second: int
    rule: int
    answer: int
    auction_state: AuctionState
    text: str

    @property
    def is_silent(self) -> bool:
        """True for a pass, and if the player did not counter."""
        return self.text in _COMMONNESS

    def pack(self) -> tuple[int, ...]:
        """Return the question as `core.observed_calls.OBSERVED_CALL_SIZE` integers."""
        return (
            self.place, self.member, self.second, self.rule, self.answer,
            *self.auction_state,
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
        return (self.turn, self.resume_stage, *self.auction_state)


def format_call(call: Call) -> str:
    """Return a call in words: `pass`, `take h`, `150 h`, `400 AT capot`, `counter`."""
    if call.call == "take":
        return f"take {call.contract}"
    if call.call == "bid":
        return f"{call.amount} {call.contract}{' capot' if call.capot else ''}"
    return call.call


def decode_answer(place: int, kind: int, answer: int) -> Call | None:
    """Return the call that answers a question (`core.dispatch`); None if nobody counters."""
    if kind in (dispatch.COUNTER, dispatch.OVERCOUNTER) and not answer:
        return None
    if kind == dispatch.COUNTER:
        return Call(place, "counter")
    if kind == dispatch.OVERCOUNTER:
        return Call(place, "overcounter")
    if answer == PASS:
        return Call(place, "pass")
    if kind == dispatch.TAKE:
        return Call(place, "take", contract=CONTRACTS[answer])
    return Call(place, "bid", answer >> 4, CONTRACTS[(answer >> 1) & 7], bool(answer & 1))


def format_answer(kind: int, answer: int) -> str:
    """Return the answer to a question as a call in words, or `no counter`."""
    call = decode_answer(0, kind, answer)
    if call is None:
        return "no counter" if kind == dispatch.COUNTER else "no overcounter"
    return format_call(call)


def _encode_call(call: Call, kind: int) -> tuple[int, int, int]:
    """Return a call as `core.auction` takes it."""
    if call.call in ("counter", "overcounter"):
        return call.seat, _KINDS[call.call], 1
    if call.contract is None:
        return call.seat, kind, PASS
    contract = CONTRACTS.index(call.contract)
    if call.amount is None:
        return call.seat, kind, contract
    return call.seat, kind, _bid_code(call.amount, contract, int(call.capot is True))


def replay_calls(
    position: Position, own: int | None = None
) -> tuple[list[ObservedCall], AuctionState]:
    """Return the questions that the others answered, in order, and the state of the auction.

    Seats are places.  The questions of the place `own` are left out: -1 for none, by default the
    player's.
    """
    rules = require_kqj_rules(position.rules)
    kind = _KINDS[rules.bidding if rules.bidding == "take" else "bid"]
    calls = [_encode_call(call, kind) for call in position.calls or ()]
    observed = np.empty(OBSERVED_CALL_SIZE * (SEATS + 2) * (len(calls) + 1), dtype=np.int64)
    state = np.empty(STATE_SIZE, dtype=np.int64)
    count = auction.replay_calls(
        np.array(calls, dtype=np.int64).reshape(-1, CALL_SIZE), np.array(position.teams),
        encode_rules(rules), position.seat if own is None else own, observed, state,
    )  # fmt: skip
    rows = observed.reshape(-1, OBSERVED_CALL_SIZE)[:count].tolist()
    return [_unpack_observed(row) for row in rows], AuctionState(*state.tolist())


def _unpack_observed(row: list[int]) -> ObservedCall:
    place, kind, second, rule, answer = row[:CALL_ROWS]
    state = AuctionState(*row[CALL_ROWS:])
    return ObservedCall(place, kind, second, rule, answer, state, format_answer(kind, answer))


def find_lowest_amount(position: Position) -> int:
    """Return the lowest amount that may be bid now; above `max_amount` if none may."""
    assert isinstance(position.calling, KqjCalling)
    return position.calling.lowest_amount


def make_bid_option(position: Position, auction_state: AuctionState, call: Call) -> CallOption:
    """Return a pass or a bid in an auction; the others call on."""
    entered = auction_state._replace(call=_encode_call(call, dispatch.BID)[2])
    return CallOption(
        format_call(call),
        entered,
        position.turn,
        BID_PENDING,
        call.contract,
        call.amount or 0,
        call.capot is True,
    )


def make_contract_option(
    position: Position, auction_state: AuctionState, contract: str, amount: int
) -> CallOption:
    """Return a contract that is bid and then played, with nobody calling on."""
    option = np.empty((1, OPTION_SIZE), dtype=np.int64)
    auction.write_contract_option(
        np.array(auction_state), position.turn, position.seat, amount, CONTRACTS.index(contract),
        option,
    )  # fmt: skip
    turn, pending, *state = option[0].tolist()
    played = AuctionState(*state)
    return CallOption(f"{contract} played", played, turn, pending, contract, amount)


def list_call_options(position: Position, auction_state: AuctionState) -> Iterator[CallOption]:
    """Yield the calls that may be made now; of bids, the lowest in each contract."""
    rules, question = require_kqj_rules(position.rules), position.question
    suit = 0 if position.upcard is None else CONTRACTS.index(position.upcard.suit)
    options = np.empty((MAX_OPTIONS, OPTION_SIZE), dtype=np.int64)
    count = auction.list_calls(
        np.array(auction_state), _KINDS[question], position.turn, position.seat, suit,
        np.array(position.teams), encode_rules(rules), options,
    )  # fmt: skip
    for number, (turn, pending, *row) in enumerate(options[:count].tolist()):
        state = AuctionState(*row)
        if question in ("counter", "overcounter"):
            yield CallOption(f"no {question}" if number == 0 else question, state, turn, pending)
        elif question == "bid" and state.stake > auction_state.stake:
            yield CallOption("counter", state, turn, pending)
        else:
            answer = state.call if question == "bid" else state.contract
            call = decode_answer(position.seat, _KINDS[question], answer)
            assert call is not None
            yield CallOption(
                format_call(call), state, turn, pending, call.contract, call.amount or 0
            )


def order_rarest_first(observed_calls: list[ObservedCall]) -> list[ObservedCall]:
    """Return questions by player, first those who bid or countered: few hands will do for that.

    Those of a player begin with their bids and counters; that they did not counter comes last.
    """
    spoke: dict[int, int] = {}
    for each in observed_calls:
        spoke[each.place] = spoke.get(each.place, 0) + (not each.is_silent)
    return sorted(
        observed_calls,
        key=lambda each: (-spoke[each.place], each.place, _COMMONNESS.get(each.text, 0)),
    )


def make_question(position: Position, auction_state: AuctionState) -> list[ObservedCall]:
    """Return the questions that the player is asked, whose answers are left open.

    The text is the kind of question.  Where counters are made in one's turn, the question whether
    to counter comes before the bid.
    """
    place, turn, rules = position.seat, position.turn, require_kqj_rules(position.rules)

    def ask(member: int, second: int, rule: int, text: str) -> ObservedCall:
        return ObservedCall(place, member, second, rule, PASS, auction_state, text)

    if position.question == "take":
        rule = int(_allows_all_no_trump(encode_rules(rules), position.lap))
        return [ask(dispatch.TAKE, position.lap, rule, "take")]
    if position.reply is not None:
        # Those who may reply to the last call are listed last, as if they had declined.
        asked = [each for each in replay_calls(position, -1)[0] if each.place == place]
        return [asked[-1]._replace(text=position.question)]
    questions = [ask(dispatch.BID, turn, _pack_bid_limits(encode_rules(rules)), "bid")]
    counter = Call(place, "counter")
    in_turn = rules.counter_timing == "turn"
    if in_turn and position.calling.explain_illegal_call(counter) is None:
        questions.insert(0, ask(dispatch.COUNTER, 16 * turn, 0, "counter"))
    return questions
