"""Loops over a block that ask policies for their calls (`core.dispatch`)."""

from __future__ import annotations

from kqj_sim.core import rng
from kqj_sim.core.block import (
    AMOUNT,
    CALL,
    CAPOT,
    CONTRACT,
    DEALT,
    FIRST_FIVE,
    KEY,
    LAST_BIDS,
    MAY_COUNTER,
    PLAYERS,
    SEATS,
    SENDER,
    STILL_CALLING,
    STRIDE,
    UPCARD,
    fill_vectors,
    pad_lanes,
    policy_of,
)
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.dispatch import Asking, AskLoop, check_choice, view_block, view_parameters
from kqj_sim.core.jit import (
    mark_noalias,
    scalar,
    stack_int64,
)
from kqj_sim.core.trick import (
    suit_mask_of,
)
from kqj_sim.core.types import (
    Block,
    CardSet,
    Flag,
    Float64Pointer,
    Int64Pointer,
    Lane,
    Parameters,
    Place,
)
from kqj_sim.core.views import PASS, BidView, CounterView, TakeView


def make_ask_take(asking: Asking) -> AskLoop:
    """Return the loop that asks a place in the taking."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_take(
        block_pointer: Int64Pointer, lanes: int, place: Place, lap: int, teams: int,
        all_no_trump: Flag, number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place in a lap of the taking: CALL is a contract or PASS, where STILL_CALLING."""
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = pad_lanes(lanes)
        hands = mark_noalias(block_pointer, FIRST_FIVE + place * STRIDE)
        turn = rng.CALL + SEATS * lap + place
        for i in range(n):
            players = state[PLAYERS + i]
            if sole_policy or (
                policy_of(players, place) == number and state[STILL_CALLING + i] != 0
            ):
                view = TakeView(
                    hands[i], state[UPCARD + i], lap, place, all_no_trump, players, teams,
                    rng.draw_32(state[KEY + i], turn),
                )  # fmt: skip
                asked = not checked or (i < lanes and state[STILL_CALLING + i] != 0)
                call = choose(view, values, resource) if asked else PASS
                if checked:
                    own = suit_mask_of(state[UPCARD + i]) == suit_mask_of(1 << 16 * (call & 3))
                    allowed = 0 <= call < NO_TRUMP and (lap == 2 or own)
                    allowed |= NO_TRUMP <= call <= ALL_TRUMPS and all_no_trump != 0
                    call = check_choice(state, i, call, allowed or call == PASS, PASS)
                state[CALL + i] = call

    return ask_take


@scalar
def find_lowest_bid(amount: int, limits: int) -> int:
    """Return the lowest amount of a bid over one of an amount, 0 for none; `limits` as of
    `make_ask_bid`."""
    return amount + 10 if amount > 0 else limits >> 17


@scalar
def find_highest_bid(limits: int) -> int:
    """Return the highest amount of a bid; `limits` as of `make_ask_bid`."""
    return (limits >> 1) & 0xFFFF


@scalar
def bid_view(
    state: Block, lane: Lane, hand: CardSet, place: Place, turn: int, limits: int, teams: int
) -> BidView:
    """Return the view of a place at its turn of an auction; `limits` as of `make_ask_bid`."""
    amount = state[AMOUNT + lane]
    return BidView(
        hand, place, turn, find_lowest_bid(amount, limits), find_highest_bid(limits), limits & 1,
        state[SENDER + lane], amount, state[CONTRACT + lane], state[LAST_BIDS + lane],
        state[PLAYERS + lane], teams, rng.draw_32(state[KEY + lane], rng.CALL + turn),
    )  # fmt: skip


def make_ask_bid(asking: Asking) -> AskLoop:
    """Return the loop that asks a place at its turn of an auction."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    def ask_bid(
        block_pointer: Int64Pointer, lanes: int, place: Place, turn: int, teams: int, limits: int,
        number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place at its turn of an auction: CALL is a bid (`bid_code`) or PASS, where
        STILL_CALLING.

        `limits` is the least amount of a first bid, the highest amount and whether All-Trumps and
        No-Trump may be bid, packed as (least << 16 | highest) << 1 | all_no_trump.
        """
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = fill_vectors(lanes)
        hands = mark_noalias(block_pointer, DEALT + place * STRIDE)
        for i in range(n):
            players = state[PLAYERS + i]
            if state[STILL_CALLING + i] != 0 and (
                sole_policy or policy_of(players, place) == number
            ):
                view = bid_view(state, i, hands[i], place, turn, limits, teams)
                call = choose(view, values, resource) if not checked or i < lanes else PASS
                if checked:
                    bid, contract = call >> 4, (call >> 1) & 7
                    allowed = view.lowest_amount <= bid <= view.highest_amount and bid % 10 == 0
                    without_suit = contract <= ALL_TRUMPS and view.all_no_trump != 0
                    allowed &= contract < NO_TRUMP or without_suit
                    call = check_choice(state, i, call, allowed or call == PASS, PASS)
                state[CALL + i] = call

    return ask_bid


def make_rule_out_bid(asking: Asking) -> AskLoop:
    """Return the loop that rules out, before a place is asked, that it bids as in CALL.

    The decision is a function of (view, bid, parameters, resource), False if the policy would not
    make the bid.  It is asked where hands that agree with a bid are searched, which most do not.
    """
    may_bid, read_parameters, read_resource, sole_policy, _ = asking

    def rule_out_bid(
        block_pointer: Int64Pointer, lanes: int, place: Place, turn: int, teams: int, limits: int,
        number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Make the bid in CALL a PASS where the place would not make it; arguments as of
        `make_ask_bid`.

        Only hands and keys differ between the lanes.
        """
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        hands = mark_noalias(block_pointer, DEALT + place * STRIDE)
        # Read once, so that what follows from it is computed once.
        bid, public = state[CALL], bid_view(state, 0, 0, place, turn, limits, teams)
        if not sole_policy and policy_of(public.players, place) != number:
            return
        for i in range(lanes):
            view = BidView(
                hands[i], place, turn, public.lowest_amount, public.highest_amount,
                public.all_no_trump, public.bidder, public.amount, public.contract,
                public.last_bids, public.players, teams,
                rng.draw_32(state[KEY + i], rng.CALL + turn),
            )  # fmt: skip
            state[CALL + i] = bid if may_bid(view, bid, values, resource) else PASS

    return rule_out_bid


_FEW = 16
"""One in so many lanes or fewer are few (`make_ask_counter`)."""


def make_ask_counter(asking: Asking) -> AskLoop:
    """Return the loop that asks a place to counter or overcounter."""
    choose, read_parameters, read_resource, sole_policy, checked = asking

    @scalar
    def is_asked(state: Block, lane: Lane, place: Place, number: int) -> bool:
        mine = sole_policy or policy_of(state[PLAYERS + lane], place) == number
        return (state[MAY_COUNTER + lane] != 0) & mine

    @scalar
    def ask_lane(
        state: Block, lane: Lane, hand: CardSet, place: Place, turn: int, teams: int,
        values: Parameters, resource: object,
    ) -> None:  # fmt: skip
        view = CounterView(
            hand, place, state[SENDER + lane], state[AMOUNT + lane], state[CONTRACT + lane],
            state[CAPOT + lane], state[LAST_BIDS + lane], state[PLAYERS + lane], teams,
            rng.draw_32(state[KEY + lane], rng.COUNTER + turn),
        )  # fmt: skip
        call = choose(view, values, resource)
        if checked:
            call = check_choice(state, lane, call, call == 0 or call == 1, 0)
        state[CALL + lane] = 1 if call else 0

    def ask_counter(
        block_pointer: Int64Pointer, lanes: int, place: Place, turn: int, teams: int, over: Flag,
        number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Ask a place whether it counters (with `over`, overcounters), where MAY_COUNTER: CALL is
        0 or 1.

        `turn` counts the questions of an auction, so that each has random bits of its own.
        """
        state = view_block(block_pointer)
        values = read_parameters(view_parameters(parameter_table), number)
        resource = read_resource(resources, number)
        n = pad_lanes(lanes)
        hands = mark_noalias(block_pointer, DEALT + place * STRIDE)
        count = 0
        for i in range(n):
            count += state[MAY_COUNTER + i]
        if _FEW * count > n:
            for i in range(n):
                if is_asked(state, i, place, number) and (not checked or i < lanes):
                    ask_lane(state, i, hands[i], place, turn, teams, values, resource)
            return
        # Few lanes are asked: they are listed, as vector code would ask all.
        asked = stack_int64(STRIDE)
        count = 0
        for i in range(lanes):
            asked[count] = i
            count += 1 if is_asked(state, i, place, number) else 0
        for k in range(count):
            i = asked[k]
            ask_lane(state, i, hands[i], place, turn, teams, values, resource)

    return ask_counter
