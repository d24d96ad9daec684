"""Decisions about cards of a whole block, side by side: facts, candidates and their features.

One loop over the lanes collects the facts of their decisions, another over the candidate cards of
many lanes writes the cards' features.  Both use the functions that do so for a single view
(`trick_odds`, `features`), which have no branches, so that eight decisions or eight cards take one
vector instruction.  A batch holds the candidates of whole decisions; its features stay in the
first-level cache.
"""

from __future__ import annotations

from typing import Any

from kqj_sim.core.block import (
    HAND,
    LEADER,
    MUST_BEAT,
    PLAYED_CARDS,
    PLAYERS_BY_POSITION,
    POINT_PLANES,
    SENDER,
    STRIDE,
    TRICKS,
    TRUMPS,
    cell_index,
    fill_vectors,
    policy_of,
)
from kqj_sim.core.cards import lowest_bit
from kqj_sim.core.dispatch import LEAD, AskLoop, view_block
from kqj_sim.core.jit import float32_at, scalar, stack_float32, stack_int64
from kqj_sim.core.rules import MAX_POLICIES
from kqj_sim.core.trick import follow_view, lead_view, put_card, read_hand
from kqj_sim.core.types import (
    Block,
    Float32Pointer,
    Float64Pointer,
    Int64Pointer,
    Kernel,
    Lane,
    Position,
    RowOffset,
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
)

_CONTEXT_ROWS = len(TrickContext._fields)
(_KIND, _UNSEEN, _BELOW, _VOIDS, _HIDDEN, _SLOTS, _PARTNERS, _OPPONENTS, _RELATION, _OWN_POINTS,
 _MISSING, _NEEDED, _CAPOT, _ON_TABLE) = (STRIDE * row for row in range(_CONTEXT_ROWS))  # fmt: skip
(_LEGAL, _LED, _WINNING, _MASTER, _PARTNER, _TRICK, _TURNED, _CONTRACTING) = (
    STRIDE * (_CONTEXT_ROWS + row) for row in range(8)
)
FACTS_SIZE = (_CONTEXT_ROWS + 8) * STRIDE
"""Numbers of the facts of a block, row by row like the block."""
SHARED_SIZE = SHARED_FEATURES * STRIDE
"""Numbers of the shared features of a block, likewise."""

BATCH = 128
"""Most candidates of a batch."""
BATCH_SIZE = CARD_FEATURES * BATCH
"""Numbers of the features of a batch."""


@scalar
def _put_facts(
    view: Any, lane: Lane, facts: Int64Pointer, shared: Int64Pointer, with_shared: bool
) -> None:
    """Write the facts of a decision, and its shared features if wanted, to the column of a lane."""
    known = build_trick_context(view)
    facts[_KIND + lane] = known.kind
    facts[_UNSEEN + lane] = known.unseen
    facts[_BELOW + lane] = known.below
    facts[_VOIDS + lane] = known.voids
    facts[_HIDDEN + lane] = known.hidden
    facts[_SLOTS + lane] = known.slots
    facts[_PARTNERS + lane] = known.partners
    facts[_OPPONENTS + lane] = known.opponents
    facts[_RELATION + lane] = known.relation
    facts[_NEEDED + lane] = known.needed
    facts[_CAPOT + lane] = known.capot
    facts[_ON_TABLE + lane] = known.on_table
    facts[_LEGAL + lane] = view.legal
    facts[_LED + lane] = view.led
    facts[_WINNING + lane] = view.winning
    facts[_MASTER + lane] = view.master
    facts[_PARTNER + lane] = view.partner_is_master
    facts[_TRICK + lane] = view.trick
    facts[_TURNED + lane] = view.turned
    facts[_CONTRACTING + lane] = view.contracting
    if with_shared:
        write_shared_features(view, known, shared, lane, STRIDE)


@scalar
def collect_facts(
    state: Block, lanes: int, trick: int, position: Position, teams: int, facts: Int64Pointer,
    shared: Int64Pointer, with_shared: bool,
) -> None:  # fmt: skip
    """Collect the facts of the decisions of a position in all lanes.

    Args:
        state: the block.
        lanes: its deals.
        trick: number of the trick, 0 to 7.
        position: 0 to 5.
        teams: 2 or 3.
        facts: gets `FACTS_SIZE` numbers.
        shared: with `with_shared`, a constant, gets `SHARED_SIZE` numbers.
        with_shared: see `shared`.
    """
    n = fill_vectors(lanes)
    if position == 0:
        for lane in range(n):
            view = lead_view(state, lane, trick, teams)
            _put_facts(view, lane, facts, shared, with_shared)
    else:
        for lane in range(n):
            hand = read_hand(state, lane, position)
            view = follow_view(state, lane, hand, trick, position, teams)
            _put_facts(view, lane, facts, shared, with_shared)


@scalar
def _read(state: Block, offset: RowOffset, lane: Lane) -> int:
    """Return a number of a block; unsigned indices keep the loop vector code."""
    return state[cell_index(offset, lane)]


@scalar
def write_candidate_features(
    state: Block, trick: int, position: Position, facts: Int64Pointer, lanes: Int64Pointer,
    cards: Int64Pointer, count: int, features: Int64Pointer,
) -> None:  # fmt: skip
    """Write the features of a batch of candidate cards.

    Args:
        state: the block.
        trick: number of the trick, 0 to 7.
        position: 0 to 5.
        facts: as `collect_facts` wrote them.
        lanes: lane of each candidate; filled up with any lane to a multiple of eight.
        cards: card of each candidate; likewise.
        count: candidates, 1 to `BATCH`.
        features: gets the number k of candidate c at k * `BATCH` + c.
    """
    for at in range(fill_vectors(count)):
        lane = lanes[at]
        view = CardView(
            hand=_read(state, HAND + position * STRIDE, lane),
            legal=0,
            trick_number=trick,
            position=position,
            led=facts[_LED + lane],
            trumps=_read(state, TRUMPS, lane),
            climbing=_read(state, MUST_BEAT, lane),
            winning=facts[_WINNING + lane],
            master=facts[_MASTER + lane],
            partner_is_master=facts[_PARTNER + lane],
            trick=facts[_TRICK + lane],
            played=_read(state, PLAYED_CARDS, lane),
            won=0,
            won_contracting=0,
            turned=facts[_TURNED + lane],
            points_1=_read(state, POINT_PLANES, lane),
            points_2=_read(state, POINT_PLANES + STRIDE, lane),
            points_4=_read(state, POINT_PLANES + 2 * STRIDE, lane),
            points_8=_read(state, POINT_PLANES + 3 * STRIDE, lane),
            points_16=_read(state, POINT_PLANES + 4 * STRIDE, lane),
            players=0,
            leader=_read(state, LEADER, lane),
            sender=_read(state, SENDER, lane),
            contracting=facts[_CONTRACTING + lane],
            contract=0,
            amount=0,
            capot=0,
            stake=0,
            team_count=0,
            random=0,
        )
        context = TrickContext(
            kind=0,
            unseen=facts[_UNSEEN + lane],
            below=facts[_BELOW + lane],
            voids=facts[_VOIDS + lane],
            hidden=facts[_HIDDEN + lane],
            slots=facts[_SLOTS + lane],
            partners=facts[_PARTNERS + lane],
            opponents=facts[_OPPONENTS + lane],
            relation=facts[_RELATION + lane],
            own_points=0,
            missing=0,
            needed=facts[_NEEDED + lane],
            capot=facts[_CAPOT + lane],
            on_table=facts[_ON_TABLE + lane],
        )
        card = cards[at]
        odds = estimate_win_chances_of_lanes(view, HELD_BACK_SHARE, context, card)
        write_card_features(view, context, card, odds, features, at, BATCH)


@scalar
def add_linear_values(
    features: Int64Pointer, count: int, weights: Float32Pointer, start: int, values: Float32Pointer
) -> None:
    """Write the sum of the features' weights, which begin at `start`, for each candidate."""
    for at in range(count):
        values[at] = weights[start + features[at]]
    for k in range(1, CARD_FEATURES):
        for at in range(count):
            values[at] += weights[start + features[k * BATCH + at]]


@scalar
def _put_best_candidates(
    state: Block, position: Position, lanes: Int64Pointer, cards: Int64Pointer,
    values: Float32Pointer, count: int,
) -> None:  # fmt: skip
    """Play in each lane of a batch its candidate of the greatest value; of several, the first."""
    best = 0
    for at in range(1, count):
        if lanes[at] != lanes[best]:
            put_card(state, lanes[best], position, cards[best])
            best = at
        best = at if values[at] > values[best] else best
    put_card(state, lanes[best], position, cards[best])


def make_choose_card(write_values: Kernel, kind_size: int, *, with_shared: bool) -> AskLoop:
    """Return the loop of a policy that plays the legal card of the greatest value.

    Args:
        write_values: writes the values of a batch's candidates, in points: a scalar function of
            the features (as `write_candidate_features` writes them), the shared features (at
            feature * `STRIDE` + lane), the candidates' lanes, their number, the policy's weights,
            where those for their kind of contract begin, and the array for the values.
        kind_size: number of weights for each kind of contract.
        with_shared: `write_values` needs the shared features.
    """

    def choose_card(
        block_pointer: Int64Pointer, lanes: int, trick: int, position: Position, teams: int,
        sole: int, number: int, parameter_table: Float64Pointer, resources: Int64Pointer,
    ) -> None:  # fmt: skip
        """Choose in the lanes in which the policy sits at a position (`ASK_SIGNATURE`).

        With `sole` it sits at all seats; in playouts the block has the seats of the outer table.
        """
        state = view_block(block_pointer)
        weights = float32_at(resources[LEAD * MAX_POLICIES + number])
        facts, shared = stack_int64(FACTS_SIZE), stack_int64(SHARED_SIZE)
        collect_facts(state, lanes, trick, position, teams, facts, shared, with_shared)
        candidate_lanes, cards = stack_int64(BATCH), stack_int64(BATCH)
        for at in range(BATCH):
            candidate_lanes[at], cards[at] = 0, 1
        features, values = stack_int64(BATCH_SIZE), stack_float32(BATCH)
        # Kind by kind: a batch then needs the weights of one only.
        for kind in range(KIND_COUNT):
            count = 0
            for lane in range(lanes):
                seated = policy_of(state[PLAYERS_BY_POSITION + lane], position) == number
                asked = sole != 0 or seated
                if asked and facts[_KIND + lane] == kind:
                    left = facts[_LEGAL + lane]
                    if left & (left - 1) == 0:
                        put_card(state, lane, position, left)
                        left = 0
                    while left != 0:
                        candidate_lanes[count], cards[count] = lane, lowest_bit(left)
                        left &= left - 1
                        count += 1
                if count > BATCH - TRICKS or (count > 0 and lane == lanes - 1):
                    write_candidate_features(
                        state, trick, position, facts, candidate_lanes, cards, count, features
                    )
                    write_values(
                        features, shared, candidate_lanes, count, weights, kind * kind_size, values
                    )
                    _put_best_candidates(state, position, candidate_lanes, cards, values, count)
                    count = 0

    return choose_card
