"""Decisions about cards of a whole block, side by side: facts, candidates and their features.

One loop over the lanes collects the facts of their decisions, another over the candidate cards of
many lanes writes the cards' features.  Both use the functions that do so for a single view
(`trick_odds`, `features`), which have no branches, so that eight decisions or eight cards take one
vector instruction.  A batch holds the candidates of whole decisions; its features stay in the
first-level cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kqj_sim.core.block import (
    HAND,
    MUST_BEAT,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    SEATS,
    STRIDE,
    TRICKS,
    TRUMPS,
    cell_index,
    fill_vectors,
    policy_of,
)
from kqj_sim.core.cards import PACK, SUIT_MASK, lowest_bit, popcount, trailing_zeros
from kqj_sim.core.dispatch import LEAD, AskLoop, view_block
from kqj_sim.core.jit import scalar, stack_float32, stack_int64
from kqj_sim.core.rules import MAX_POLICIES
from kqj_sim.core.trick import (
    find_following_cards,
    follow_view,
    lead_view,
    put_card,
    read_hand,
    winning_cards,
)
from kqj_sim.core.types import (
    Block,
    Float32Pointer,
    Float64Pointer,
    Int64Pointer,
    Kernel,
    Lane,
    Position,
)
from kqj_sim.core.views import CardView
from kqj_sim.policies.features import (
    CARD_FEATURES,
    HELD_BACK_SHARE,
    SHARED_FEATURES,
    write_card_features,
    write_shared_features,
)
from kqj_sim.policies.trick_odds import (
    KIND_COUNT,
    TrickContext,
    build_trick_context,
    estimate_win_chances_of_lanes,
    mask_up_to_highest,
)

(_KIND, _LEGAL, _UNSEEN, _MASTER, _RETURNED, _PLACES, _SMALL) = (
    STRIDE * row for row in range(7)
)  # fmt: skip
FACTS_SIZE = 7 * STRIDE
"""Numbers of the facts of a block, row by row like the block."""
SHARED_SIZE = SHARED_FEATURES * STRIDE
"""Numbers of the shared features of a block, likewise."""

_HIDDEN_SHIFT = 8
"""In the row _PLACES hidden cards stand above the positions known void, both for each suit."""
(_PARTNER, _CONTRACTING, _RELATION, _NEEDED, _CAPOT, _SENDER, _LED, _PARTNERS, _OPPONENTS, _SLOTS,
 _ON_TABLE) = (0, 1, 2, 5, 8, 10, 13, 15, 21, 27, 35)  # fmt: skip
"""First bit of each small fact in the row _SMALL: a candidate then gathers all of them at once."""

BATCH = 128
"""Most candidates of a batch."""
BATCH_SIZE = CARD_FEATURES * BATCH
"""Numbers of the features of a batch."""
_SIZE_BITS = (1 << 31) - 1
"""The bits of a float32 but for the sign."""


@scalar
def _put_facts(view: Any, lane: Lane, facts: Int64Pointer, shared: Int64Pointer) -> None:
    """Write the facts of a decision and its shared features to the column of a lane."""
    known = build_trick_context(view)
    sender = view.sender - view.leader
    sender += SEATS if sender < 0 else 0
    facts[_KIND + lane] = known.kind
    facts[_LEGAL + lane] = view.legal
    facts[_UNSEEN + lane] = known.unseen
    facts[_MASTER + lane] = view.master
    facts[_RETURNED + lane] = view.turned & known.unseen
    facts[_PLACES + lane] = known.voids | known.hidden << _HIDDEN_SHIFT
    facts[_SMALL + lane] = (
        view.partner_is_master << _PARTNER
        | view.contracting << _CONTRACTING
        | known.relation << _RELATION
        | known.needed << _NEEDED
        | known.capot << _CAPOT
        | (sender & 7) << _SENDER
        | ((trailing_zeros(view.led) >> 4) & 3) << _LED
        | known.partners << _PARTNERS
        | known.opponents << _OPPONENTS
        | known.slots << _SLOTS
        | known.on_table << _ON_TABLE
    )
    write_shared_features(view, known, shared, lane, STRIDE)


@scalar
def collect_facts(
    state: Block, lanes: int, trick: int, position: Position, teams: int, facts: Int64Pointer,
    shared: Int64Pointer,
) -> None:  # fmt: skip
    """Collect the facts of the decisions of a position in all lanes.

    Args:
        state: the block.
        lanes: its deals.
        trick: number of the trick, 0 to 7.
        position: 0 to 5.
        teams: 2 or 3.
        facts: gets `FACTS_SIZE` numbers.
        shared: gets `SHARED_SIZE` numbers.
    """
    n = fill_vectors(lanes)
    if position == 0:
        for lane in range(n):
            view = lead_view(state, lane, trick, teams)
            _put_facts(view, lane, facts, shared)
    else:
        for lane in range(n):
            hand = read_hand(state, lane, position)
            legal = find_following_cards(state, lane, hand, position)
            view = follow_view(state, lane, hand, legal, trick, position, teams)
            _put_facts(view, lane, facts, shared)


@scalar
def write_candidate_features(
    state: Block, trick: int, position: Position, facts: Int64Pointer, lanes: Int64Pointer,
    cards: Int64Pointer, count: int, features: Int64Pointer,
) -> None:  # fmt: skip
    """Write the features of a batch of candidate cards, all in the same kind of contract.

    Args:
        state: the block.
        trick: number of the trick, 0 to 7.
        position: 0 to 5.
        facts: as `collect_facts` wrote them.
        lanes: lane of each candidate; filled up with any lane to a multiple of eight.
        cards: card of each candidate; likewise, with any card or 0.
        count: candidates, 1 to `BATCH`.
        features: gets the number k of candidate c at k * `BATCH` + c.
    """
    # The kind of contract determines these rows of the block.
    one = lanes[0]
    trumps, climbing = state[TRUMPS + one], state[MUST_BEAT + one]
    points_1, points_2 = state[POINT_PLANES + one], state[POINT_PLANES + STRIDE + one]
    points_4 = state[POINT_PLANES + 2 * STRIDE + one]
    points_8 = state[POINT_PLANES + 3 * STRIDE + one]
    points_16 = state[POINT_PLANES + 4 * STRIDE + one]
    for at in range(fill_vectors(count)):
        lane = lanes[at]
        hand = state[cell_index(HAND + position * STRIDE, lane)]
        unseen, places = facts[_UNSEEN + lane], facts[_PLACES + lane]
        small = facts[_SMALL + lane]
        master = facts[_MASTER + lane]
        led = 0 if position == 0 else SUIT_MASK << 16 * ((small >> _LED) & 3)
        winning = -1 if position == 0 else winning_cards(led, trumps, master)
        view = CardView(
            hand=hand,
            legal=0,
            trick_number=trick,
            position=position,
            led=led,
            trumps=trumps,
            climbing=climbing,
            winning=winning,
            master=master,
            partner_is_master=(small >> _PARTNER) & 1,
            trick=0,
            # With those of the trick, which nothing here tells apart.
            played=PACK & ~(hand | unseen),
            won=0,
            won_contracting=0,
            turned=facts[_RETURNED + lane],
            points_1=points_1,
            points_2=points_2,
            points_4=points_4,
            points_8=points_8,
            points_16=points_16,
            players=0,
            leader=0,
            sender=(small >> _SENDER) & 7,
            contracting=(small >> _CONTRACTING) & 1,
            contract=0,
            amount=0,
            capot=0,
            stake=0,
            team_count=0,
            random=0,
        )
        context = TrickContext(
            kind=0,
            unseen=unseen,
            below=mask_up_to_highest(unseen),
            voids=places,
            hidden=places >> _HIDDEN_SHIFT,
            slots=(small >> _SLOTS) & 255,
            partners=(small >> _PARTNERS) & 63,
            opponents=(small >> _OPPONENTS) & 63,
            relation=(small >> _RELATION) & 7,
            own_points=0,
            missing=0,
            needed=(small >> _NEEDED) & 7,
            capot=(small >> _CAPOT) & 3,
            on_table=(small >> _ON_TABLE) & 255,
        )
        card = cards[at]
        odds = estimate_win_chances_of_lanes(view, HELD_BACK_SHARE, context, card)
        write_card_features(view, context, card, odds, features, at, BATCH)


@scalar
def _choose_best(
    decisions: Int64Pointer, lanes: Int64Pointer, cards: Int64Pointer, values: Float32Pointer,
    count: int, keys: Int64Pointer, chosen: Int64Pointer,
) -> None:  # fmt: skip
    """Write for each lane of a batch its candidate of the greatest value; of several, the first.

    Keys are ordered by decision, value and candidate, so that one running maximum, without a
    branch, finds the best of every decision.
    """
    for at in range(fill_vectors(count)):
        # Floats are ordered like their bits but for the sign; adding 0 turns -0 into 0.
        bits = np.int64(np.float32(values[at] + np.float32(0)).view(np.int32))
        ordered = bits ^ ((bits >> 31) & _SIZE_BITS)
        keys[at] = (decisions[at] << 40) + (ordered << 8) + (BATCH - at)
    best = keys[0]
    for at in range(count):
        best = max(best, keys[at])
        chosen[lanes[at]] = cards[BATCH - (best & 255)]


def make_choose_card(write_values: Kernel) -> AskLoop:
    """Return the loop of a policy that plays the legal card of the greatest value.

    Args:
        write_values: writes the values of a batch's candidates, in points: a scalar function of
            the features (as `write_candidate_features` writes them), the shared features (at
            feature * `STRIDE` + lane), the lane of each decision, the batch's first decision and
            its last, the candidates' decisions, their number, the address of the policy's weights,
            their kind of contract, and the array for the values.
    """

    def choose_card(
        block_pointer: Int64Pointer, lanes: int, trick: int, position: Position, teams: int,
        sole: int, number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Choose in the lanes in which the policy sits at a position (`ASK_SIGNATURE`).

        With `sole` it sits at all seats; in playouts the block has the seats of the outer table.
        """
        state = view_block(block_pointer)
        weights = resources[LEAD * MAX_POLICIES + number]
        facts, shared = stack_int64(FACTS_SIZE), stack_int64(SHARED_SIZE)
        collect_facts(state, lanes, trick, position, teams, facts, shared)
        chosen, undecided = stack_int64(STRIDE), stack_int64(STRIDE)
        for lane in range(fill_vectors(lanes)):
            chosen[lane] = facts[_LEGAL + lane]
        candidate_lanes, cards = stack_int64(BATCH), stack_int64(BATCH)
        candidate_decisions, keys = stack_int64(BATCH), stack_int64(BATCH)
        for at in range(BATCH):
            candidate_lanes[at], candidate_decisions[at], cards[at] = 0, 0, 1
        features, values = stack_int64(BATCH_SIZE), stack_float32(BATCH)
        most = TRICKS - trick
        # Kind by kind: a batch then needs the weights of one only.
        for kind in range(KIND_COUNT):
            decisions = 0
            for lane in range(lanes):
                seated = policy_of(state[PLAYERS_BY_POSITION + lane], position) == number
                legal = facts[_LEGAL + lane]
                wanted = (sole != 0) | seated
                wanted &= (facts[_KIND + lane] == kind) & (legal & (legal - 1) != 0)
                undecided[decisions] = lane
                decisions += 1 if wanted else 0
            count, first = 0, 0
            for decision in range(decisions):
                lane = undecided[decision]
                left = facts[_LEGAL + lane]
                end = count + popcount(left)
                # A constant number of times, which the processor foresees.
                for at in range(count, count + most):
                    candidate_lanes[at], cards[at] = lane, lowest_bit(left)
                    candidate_decisions[at] = decision
                    left &= left - 1
                count = end
                if count > BATCH - TRICKS or decision == decisions - 1:
                    write_candidate_features(
                        state, trick, position, facts, candidate_lanes, cards, count, features
                    )
                    write_values(
                        features, shared, undecided, first, decision, candidate_decisions, count,
                        weights, kind, values,
                    )  # fmt: skip
                    _choose_best(
                        candidate_decisions, candidate_lanes, cards, values, count, keys, chosen
                    )
                    count, first = 0, decision + 1
        if sole != 0:
            for lane in range(fill_vectors(lanes)):
                put_card(state, lane, position, chosen[lane])
        else:
            for lane in range(lanes):
                if policy_of(state[PLAYERS_BY_POSITION + lane], position) == number:
                    put_card(state, lane, position, chosen[lane])

    return choose_card
