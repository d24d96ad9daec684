"""Rounds a block at a time, from deal numbers to rows; and the stages of a round of KQJ.

The stages are called by address.  In KQJ there are three: `begin_rounds`; one of `call_by_taking`,
`call_by_auction`, `impose_contract`, `impose_opener_take` and `impose_opener_pass`; and
`finish_rounds`.  Policies that play hands out continue rounds in the middle by the `resume_...`
kernels, which share `RESUME_SIGNATURE`.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numba import typeof, types

from kqj_sim.core import bidding, columns, rng
from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core import types as t
from kqj_sim.core.deal import deal_first_cards, deal_further_cards, draw_exchanged_card
from kqj_sim.core.dispatch import FOLLOW, LEAD, ask
from kqj_sim.core.jit import block_loop, kernel, make_address_caller, scalar
from kqj_sim.core.scoring import count_tricks, score_rounds
from kqj_sim.core.trick import finish_trick, play_last_trick
from kqj_sim.core.views import PASS

_EXCHANGED = b.SCRATCH
"""The Return and the card that the Sender gives to the dealer for it; none if the dealer sends."""
_SUIT_SHIFT = b.SCRATCH
_HAS_SENDER = b.SCRATCH + 2 * b.STRIDE
"""1 where there is a Sender."""


@block_loop
def move_taken_first(state: t.Block, lanes: int, rows: int) -> int:
    """Exchange `rows` rows of lanes so that those with a Sender come first; return their number."""
    for i in range(lanes):
        state[_HAS_SENDER + i] = 1 if state[b.SENDER + i] >= 0 else 0
    taken, pairs = b.pair_selected_lanes(state, lanes, _HAS_SENDER)
    b.swap_lanes(state, pairs, 0, rows)
    return taken


@scalar
def _select_of_three(cards: t.CardSet, number: int) -> t.Card:
    """Return the card with the number 0, 1 or 2 (from the lowest) of three."""
    cards = cards & (cards - 1) if number >= 1 else cards
    cards = cards & (cards - 1) if number >= 2 else cards
    return c.lowest_bit(cards)


@block_loop
def complete_hands(state: t.Block, lanes: int, sender_takes_return: t.Flag) -> None:
    """Deal the remaining cards: eight for each place in DEALT, natural coding.

    With `sender_takes_return` (games without an auction) the Sender takes the Return and, unless
    they are the dealer, gives the dealer one random card of their three further cards in its place.
    In auctions there is no Return: the card is one of the dealer's.
    """
    n = b.pad_lanes(lanes)
    for i in range(n):
        sender = state[b.SENDER + i]
        three = (
            (state[b.FURTHER_CARDS + i] & -(sender == 0))
            | (state[b.FURTHER_CARDS + b.STRIDE + i] & -(sender == 1))
            | (state[b.FURTHER_CARDS + 2 * b.STRIDE + i] & -(sender == 2))
            | (state[b.FURTHER_CARDS + 3 * b.STRIDE + i] & -(sender == 3))
            | (state[b.FURTHER_CARDS + 4 * b.STRIDE + i] & -(sender == 4))
        )
        upcard = state[b.UPCARD + i]
        handed_over = _select_of_three(three, draw_exchanged_card(state[b.KEY + i]))
        exchanges = (three != 0) & (sender_takes_return != 0)
        state[b.REPLACEMENT_CARD + i] = handed_over if exchanges else upcard
        state[_EXCHANGED + i] = handed_over | upcard if exchanges else 0
    for place in range(b.SEATS - 1):
        hand = b.DEALT + place * b.STRIDE
        five = b.FIRST_FIVE + place * b.STRIDE
        further = b.FURTHER_CARDS + place * b.STRIDE
        for i in range(n):
            exchanged = state[_EXCHANGED + i] if state[b.SENDER + i] == place else 0
            cards = state[b.cell_index(five, i)] | state[b.cell_index(further, i)]
            state[b.cell_index(hand, i)] = cards ^ exchanged
    for i in range(n):
        state[b.DEALT + (b.SEATS - 1) * b.STRIDE + i] = (
            state[b.FIRST_FIVE + (b.SEATS - 1) * b.STRIDE + i]
            | state[b.FURTHER_CARDS + (b.SEATS - 1) * b.STRIDE + i]
            | state[b.REPLACEMENT_CARD + i]
        )


@scalar
def seat_at_first_trick(state: t.Block, lane: t.Lane) -> None:
    """Let the opener lead, with nothing played or won, and note the Sender's team."""
    state[b.PLAYED_CARDS + lane] = 0
    state[b.WON_CARDS + lane] = 0
    state[b.WON_CARDS + b.STRIDE + lane] = 0
    state[b.LEADER + lane] = 0
    players = state[b.PLAYERS + lane]
    sender = state[b.SENDER + lane]
    state[b.PLAYERS_BY_POSITION + lane] = players
    state[b.SENDER_TEAM + lane] = b.team_of(players, sender if sender >= 0 else 0)


@block_loop
def prepare_play(state: t.Block, lanes: int) -> None:
    """Fill the rows that the first trick needs, from DEALT, SENDER and CONTRACT."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        contract = state[b.CONTRACT + i]
        all_trumps = contract == c.ALL_TRUMPS
        no_trump = contract == c.NO_TRUMP
        state[b.TRUMPS + i] = 0 if all_trumps or no_trump else c.TOP_SUIT
        state[b.MUST_BEAT + i] = c.PACK if all_trumps else (0 if no_trump else c.TOP_SUIT)
        state[_SUIT_SHIFT + i] = c.suit_shift(contract if contract >= 0 else 0)
        state[b.UPPER_PLAYED_EARLIER + i] = 0
        seat_at_first_trick(state, i)
    for plane in range(5):
        suit, no_trump_plane = c.SUIT_PLANES[plane], c.NO_TRUMP_PLANES[plane]
        all_trumps_plane = c.ALL_TRUMPS_PLANES[plane]
        points = b.POINT_PLANES + plane * b.STRIDE
        for i in range(n):
            contract = state[b.CONTRACT + i]
            without_suit = all_trumps_plane if contract == c.ALL_TRUMPS else no_trump_plane
            state[b.cell_index(points, i)] = without_suit if contract >= c.NO_TRUMP else suit
    for place in range(b.SEATS):
        dealt = b.DEALT + place * b.STRIDE
        held = b.HAND + place * b.STRIDE
        for i in range(n):
            natural = state[b.cell_index(dealt, i)]
            hand = c.order_by_strength(natural, state[_SUIT_SHIFT + i], state[b.MUST_BEAT + i])
            state[b.cell_index(dealt, i)] = hand
            state[b.cell_index(held, i)] = hand


@scalar
def record_trick(state: t.Block, lanes: int, seating: t.Seating, trick: int) -> None:
    """Write the leader and the cards of a trick to the history, if it is kept."""
    if seating.keeps_history != 0:
        for i in range(lanes):
            state[b.cell_index(b.history_offset(trick, 0), i)] = state[b.LEADER + i]
        for position in range(b.SEATS):
            for i in range(lanes):
                card = state[b.cell_index(b.TRICK_CARDS + position * b.STRIDE, i)]
                state[b.cell_index(b.history_offset(trick, 1 + position), i)] = card


@block_loop
def play_tricks(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, first_trick: int,
    first_position: t.Position, end: int = b.TRICKS,
) -> None:  # fmt: skip
    """Play the tricks from a position of one on, up to `end`; the last is forced and always played
    whole."""
    position = first_position
    for trick in range(first_trick, min(end, b.TRICKS - 1)):
        while position < b.SEATS:
            loop = LEAD if position == 0 else FOLLOW
            ask(seating, loop, state, lanes, trick, position, rules.teams, 0)
            position += 1
        position = 0
        record_trick(state, lanes, seating, trick)
        finish_trick(state, lanes)
    if end < b.TRICKS:
        return
    play_last_trick(state, lanes)
    record_trick(state, lanes, seating, b.TRICKS - 1)
    finish_trick(state, lanes)


_HASH_MULTIPLIER = np.int64(-0x61C8864680B583EB)
"""SplitMix64's constant.  Multiplying by it and folding the high bits down mixes well enough: two
different rounds have the same fingerprint about once in 2**60."""


@block_loop
def write_fingerprints(
    state: t.Block, lanes: int, log: t.Int64Array, fingerprints: t.Int64Array, first: int
) -> None:
    """Write a number for each round of a block that its calls and cards determine.

    Args:
        state: the block; its history was kept (`core.types.Seating.keeps_history`).
        log: int64 (`core.bidding.LOG_SIZE`,), the calls by ORIGINAL_LANE.
        fingerprints: written from index `first` on.
    """
    for i in range(lanes):
        mark = np.int64(0)
        for call in range(state[b.CALL_COUNT + i]):
            mark = (mark ^ log[call * b.STRIDE + state[b.ORIGINAL_LANE + i]]) * _HASH_MULTIPLIER
            mark ^= mark >> 32
        fingerprints[first + i] = mark
    # In a smaller game the rows of further cards are always 0.
    for trick in range(b.TRICKS):
        for card in range(1, b.SEATS + 1):
            offset = b.history_offset(trick, card)
            for i in range(lanes):
                if state[b.SENDER + i] >= 0:
                    mark = fingerprints[first + i] ^ state[b.cell_index(offset, i)]
                    mark *= _HASH_MULTIPLIER
                    fingerprints[first + i] = mark ^ (mark >> 32)


def _pack_teams(teams: tuple[int, ...]) -> int:
    return sum(team << b.PLAYER_BITS * seat for seat, team in enumerate(teams))


def _list_splits(teams: int) -> t.Int64Array:
    """Return all splits of the seats into equal numbered teams, packed: 20 or 90."""
    sizes = [seat % teams for seat in range(b.SEATS)]
    return np.array(sorted({_pack_teams(split) for split in permutations(sizes)}), dtype=np.int64)


TWO_TEAMS, THREE_TEAMS = (_pack_teams(tuple(seat % n for seat in range(b.SEATS))) for n in (2, 3))
TWO_TEAM_SPLITS, THREE_TEAM_SPLITS = _list_splits(2), _list_splits(3)


@scalar
def pack_policies(policy_of_seat: int) -> t.PackedPlayers:
    """Return the policies of the seats (`core.types.Seating.seats`) as packed players."""
    policies = 0
    for seat in range(b.SEATS):
        policies |= ((policy_of_seat >> 4 * seat) & 7) << (b.PLAYER_BITS * seat + 2)
    return policies


@block_loop
def seat_players(state: t.Block, lanes: int, rules: t.Rules, policy_of_seat: int) -> None:
    """Fill PLAYERS: the team and the policy of each place, from the seats and the dealer."""
    policies = pack_policies(policy_of_seat)
    n = b.pad_lanes(lanes)
    if rules.random_partners:
        splits = TWO_TEAM_SPLITS if rules.teams == 2 else THREE_TEAM_SPLITS
        for i in range(n):
            number = rng.scale_below(rng.draw(state[b.KEY + i], rng.TEAMS), splits.shape[0])
            state[b.PLAYERS + i] = splits[number]
    else:
        fixed = TWO_TEAMS if rules.teams == 2 else THREE_TEAMS
        for i in range(n):
            state[b.PLAYERS + i] = fixed
    for i in range(n):
        opener = state[b.DEALER + i] + 1
        opener = 0 if opener == b.SEATS else opener
        state[b.PLAYERS + i] = b.rotate_players(
            state[b.PLAYERS + i] | policies, b.PLAYER_BITS * opener
        )


@kernel
def begin_rounds(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Seat the players and deal: in auctions all cards, else those before the taking."""
    seat_players(state, lanes, rules, seating.seats)
    deal_first_cards(state, lanes)
    if rules.auction:
        deal_further_cards(state, lanes)
    bidding.reset_calls(state, lanes)
    return lanes


@scalar
def _deal_to_taken(state: t.Block, lanes: int) -> None:
    """Move the lanes with a Sender to the front and deal their further cards."""
    deal_further_cards(state, move_taken_first(state, lanes, b.TAKING_ROWS))


@kernel
def call_by_taking(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Run the taking, and deal further cards if somebody took."""
    bidding.run_taking(state, lanes, rules, seating, log, 0)
    _deal_to_taken(state, lanes)
    return lanes


@kernel
def call_by_auction(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Complete the hands and run the auction."""
    complete_hands(state, lanes, 0)
    bidding.run_auction(state, lanes, rules, seating, log, 0)
    return lanes


@kernel
def impose_contract(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Make the seating's imposed place the Sender, without calls."""
    for i in range(b.pad_lanes(lanes)):
        state[b.SENDER + i] = seating.imposed_place
        state[b.CONTRACT + i] = seating.imposed_contract
        state[b.AMOUNT + i] = seating.imposed_amount
    if not rules.auction:
        deal_further_cards(state, lanes)
    return lanes


@kernel
def impose_opener_take(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Have the opener take with the Return's suit, whatever their hand."""
    for i in range(b.pad_lanes(lanes)):
        state[b.SENDER + i] = 0
        state[b.CONTRACT + i] = c.trailing_zeros(state[b.UPCARD + i]) >> 4
        state[b.LAP + i] = 1
    deal_further_cards(state, lanes)
    return lanes


@kernel
def impose_opener_pass(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Have the opener pass in the first lap, whatever their hand; then the players call."""
    bidding.run_taking(state, lanes, rules, seating, log, 1)
    _deal_to_taken(state, lanes)
    return lanes


@block_loop
def begin_play(state: t.Block, lanes: int, rules: t.Rules) -> int:
    """Prepare the play of the rounds that were taken; return their number.

    Lanes are exchanged so that they come first: to skip the others in each loop would end its
    vectorisation.
    """
    played = move_taken_first(state, lanes, b.AUCTION_ROWS)
    complete_hands(state, played, 1 - rules.auction)
    prepare_play(state, played)
    return played


@kernel
def finish_rounds(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> int:
    """Play and score the rounds that were taken, and fill their columns; return their number."""
    played = begin_play(state, lanes, rules)
    if played > 0:
        play_tricks(state, played, rules, seating, 0, 0)
        count_tricks(state, played, rules)
        score_rounds(state, played, rules)
    if seating.wanted.shape[0] > 0:
        columns.fill_call_columns(state, lanes, rules)
        columns.fill_play_columns(state, played, rules)
        columns.fill_passed_out_columns(state, lanes, played)
    return played


BEGIN_STAGE, CALL_STAGE, FINISH_STAGE = range(3)
"""The stages of a round in `Seating.stages`."""

_EMPTY = np.zeros(1, dtype=np.int64)
EMPTY_SEATING = t.Seating(_EMPTY, np.zeros(1), _EMPTY, 1, 0, _EMPTY, _EMPTY, -1, -1, 0, 0, _EMPTY)
"""A seating for its types."""
NO_RULES = t.Rules(*[0] * len(t.Rules._fields))
"""Rules for their types, and for a game to replace those that it has."""
_BLOCK, _I64 = types.int64[::1], types.int64
STAGE_SIGNATURE = _I64(_BLOCK, _I64, typeof(NO_RULES), typeof(EMPTY_SEATING), _BLOCK)
call_stage = make_address_caller(STAGE_SIGNATURE)
"""Call a stage of a round: (address, (block, lanes, rules, seating, log))."""


@block_loop
def find_illegal_choice(state: t.Block, lanes: int) -> int:
    """Return the number of the first deal in which a policy made an illegal choice, or -1."""
    count = 0
    for i in range(lanes):
        count += state[b.ILLEGAL + i]
    if count != 0:
        for i in range(lanes):
            if state[b.ILLEGAL + i] != 0:
                return int(state[b.DEAL_NUMBER + i])
    return -1


@kernel
def play_block(
    state: t.Block, lanes: int, seed: int, rules: t.Rules, seating: t.Seating, log: t.Int64Array
) -> None:
    """Deal, call, play and score the rounds of a block.

    DEAL_NUMBER, DEALER and PENDING must be filled.

    `log` is empty or int64 (`core.bidding.LOG_SIZE`,), filled with the calls by ORIGINAL_LANE.
    """
    for i in range(b.pad_lanes(lanes)):
        state[b.KEY + i] = rng.derive_deal_key(seed, state[b.DEAL_NUMBER + i])
        state[b.ILLEGAL + i] = 0
    for stage in range(seating.stages.shape[0]):
        call_stage(seating.stages[stage], (state, lanes, rules, seating, log))


@kernel
def start_deals(state: t.Block, first: int, lanes: int, seats: int = b.SEATS) -> None:
    """Assign single rounds: deals from `first` on, dealer deal mod seats, nothing pending."""
    first_dealer = first % seats
    for i in range(b.pad_lanes(lanes)):
        state[b.DEAL_NUMBER + i] = first + i
        state[b.DEALER + i] = b.wrap_number(first_dealer + i, seats)
        state[b.PENDING + i] = 0


@kernel
def play_deals(
    state: t.Block, first: int, count: int, seed: int, rules: t.Rules, seating: t.Seating, deals:
    t.Int64Array, values: t.Int16Array, sender_cards: t.Int64Array, fingerprints: t.Int64Array,
) -> int:  # fmt: skip
    """Play single rounds of the deals `first` to `first + count - 1`, dealer deal mod seats.

    Args:
        deals: int64 (count,), filled with the deal number of each row.
        values: int16 (columns * count,), of which the wanted columns are filled.
        sender_cards: empty, or int64 (count,), filled by `core.columns.write_sender_cards`.
        fingerprints: empty, or int64 (count,), filled with the rounds' fingerprints; then the
            seating must keep the history.

    Returns:
        -1, or the number of a deal in which a policy made an illegal choice.
    """
    marked = fingerprints.shape[0] > 0
    log = np.empty(bidding.LOG_SIZE if marked else 0, np.int64)
    for done in range(0, count, b.LANES):
        lanes = min(b.LANES, count - done)
        start_deals(state, first + done, lanes, rules.seats)
        play_block(state, lanes, seed, rules, seating, log)
        illegal = find_illegal_choice(state, lanes)
        if illegal >= 0:
            return illegal
        columns.write_rows(state, lanes, seating.wanted, deals, values, done)
        if sender_cards.shape[0] > 0:
            columns.write_sender_cards(state, lanes, sender_cards, done)
        if marked:
            write_fingerprints(state, lanes, log, fingerprints, done)
    return -1


PLAY_DEALS_SIGNATURE = (
    _BLOCK, _I64, _I64, _I64, typeof(NO_RULES), typeof(EMPTY_SEATING),
    types.int64[::1], types.int16[::1], types.int64[::1], types.int64[::1],
)  # fmt: skip

RESUME_CALLS, RESUME_PLAY = range(2)
"""The kernels of `core.types.Seating.resume`, by index."""
CARD_VALUES = 2
"""Index of the address of the player's `core.dispatch.VALUE_SIGNATURE` function, 0 for none."""

NOTHING_PENDING, BID_PENDING, COUNTER_PENDING = range(3)
"""The last call of an auction that is resumed."""


@kernel
def resume_taking(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, turn: int, unused: int
) -> int:
    """Continue the taking from a turn (0 to 11), where STILL_CALLING."""
    bidding.run_taking(state, lanes, rules, seating, np.empty(0, np.int64), turn)
    return lanes


@kernel
def resume_auction(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, turn: int, pending: int
) -> int:
    """Continue an auction from a turn, where STILL_CALLING.

    With `pending` BID_PENDING, CALL is entered for that turn first.  With COUNTER_PENDING, a player
    was asked to counter: if they did (AWAITS_REPLY and STAKE), they may be overcountered; if not,
    nobody else counters in this turn, nor do they bid if it was theirs.
    """
    complete_hands(state, lanes, 0)
    log = np.empty(0, np.int64)
    if pending == COUNTER_PENDING:
        bidding.ask_overcounters(state, lanes, rules, seating, log, 16 * turn)
        if not rules.counter_any_time:
            for i in range(b.pad_lanes(lanes)):
                state[b.CALL + i] = PASS
            bidding.enter_bids(state, lanes, rules, seating, log, turn)
    if pending == BID_PENDING:
        bidding.enter_bids(state, lanes, rules, seating, log, turn)
    bidding.run_auction(
        state, lanes, rules, seating, log, turn if pending == NOTHING_PENDING else turn + 1
    )
    return lanes


@kernel
def resume_play(
    state: t.Block, lanes: int, rules: t.Rules, seating: t.Seating, trick: int, position: int
) -> int:
    """Continue the play from a position of a trick (0 to 6), and score the round.

    Afterwards the rows `total_0` and `score_0` and those of the other teams are filled.
    """
    play_tricks(state, lanes, rules, seating, trick, position)
    count_tricks(state, lanes, rules)
    score_rounds(state, lanes, rules)
    return lanes


RESUME_SIGNATURE = _I64(_BLOCK, _I64, typeof(NO_RULES), typeof(EMPTY_SEATING), _I64, _I64)
call_resume = make_address_caller(RESUME_SIGNATURE)
"""Call a `resume_...` kernel: (address, (block, lanes, rules, seating, turn or trick, pending or
position))."""


# Games to a target score: rounds that follow each other, many games side by side.
#
# A slot is a game in progress. Slots are an array of their own, int64 (LANES, SLOT_FIELDS), since
# the lanes of a block are exchanged while its rounds are played.

MAX_ROUNDS = 10_000
"""Deal number of a round: game * MAX_ROUNDS + round.  A game that is not over by then is an
error."""

NO_ERROR, ILLEGAL_CHOICE, TOO_LONG = range(3)

GAME, ROUND, PLAYED_ROUNDS, FIRST_DEALER, NEXT_DEALER, PENDING_NEXT, WINNER = range(7)
SCORE = 7
"""Scores, by team, or by seat with random partners: `SEATS` fields, of which a game may use
fewer."""
SLOT_FIELDS = SCORE + b.SEATS

_PENDING_AFTER = b.column_offset("pending_after")
_ROUND_SCORE = b.column_offset("score_0")


def new_slots(count: int) -> t.Int64Array:
    """Return slots for a number of games."""
    return np.zeros((count, SLOT_FIELDS), dtype=np.int64)


@kernel
def advance(state: t.Block, slots: t.Int64Array, lanes: int, rules: t.Rules) -> None:
    """Update the slots after a round of KQJ: scores, pending gratuity and winner."""
    for i in range(lanes):
        slot = state[b.ORIGINAL_LANE + i]
        taken = state[b.SENDER + i] >= 0
        best, at, shared = -1, -1, False
        for score in range(b.SEATS if rules.random_partners else rules.teams):
            team = score
            if rules.random_partners:
                place = b.wrap_seat(score + b.SEATS - 1 - state[b.DEALER + i], b.SEATS)
                team = b.team_of(state[b.PLAYERS + i], place)
            if taken:
                slots[slot, SCORE + score] += state[_ROUND_SCORE + team * b.STRIDE + i]
            value = slots[slot, SCORE + score]
            shared = (shared and value <= best) or value == best
            if value > best:
                best, at = value, score
        slots[slot, WINNER] = at if best >= rules.target and not shared else -1
        slots[slot, PENDING_NEXT] = state[(_PENDING_AFTER if taken else b.PENDING) + i]
        slots[slot, NEXT_DEALER] = b.wrap_seat(state[b.DEALER + i] + 1, b.SEATS)
        slots[slot, PLAYED_ROUNDS] += taken
        slots[slot, ROUND] += 1


@kernel
def drop_finished(slots: t.Int64Array, lanes: int) -> int:
    """Remove the slots whose games are over; return the number of the others."""
    slot = 0
    while slot < lanes:
        if slots[slot, WINNER] < 0:
            slot += 1
        else:
            lanes -= 1
            slots[slot] = slots[lanes]
    return lanes


ADVANCE_SIGNATURE = types.void(types.int64[::1], types.int64[:, ::1], types.int64, typeof(NO_RULES))
call_advance = make_address_caller(ADVANCE_SIGNATURE)
"""Call a game's `advance`: (address, (block, slots, lanes, rules))."""


@block_loop
def start_game(slots: t.Int64Array, slot: int, game: int, seed: int, rules: t.Rules) -> None:
    """Begin a game in a slot: its first dealer is drawn at random."""
    slots[slot, :] = 0
    slots[slot, GAME] = game
    slots[slot, WINNER] = -1
    dealer = rng.scale_below(
        rng.draw(rng.derive_deal_key(seed, game * MAX_ROUNDS), rng.FIRST_DEALER), rules.seats
    )
    slots[slot, FIRST_DEALER] = slots[slot, NEXT_DEALER] = dealer
    for score in range(b.SEATS):
        slots[slot, SCORE + score] = rules.start_score


@kernel
def start_games(slots: t.Int64Array, lanes: int, first: int, seed: int, rules: t.Rules) -> None:
    """Begin the games `first` to `first + lanes - 1` in the first slots."""
    for slot in range(lanes):
        start_game(slots, slot, first + slot, seed, rules)


@kernel
def assign_rounds(state: t.Block, slots: t.Int64Array, lanes: int) -> None:
    """Assign the next round of each slot to the lanes of a block."""
    for i in range(b.pad_lanes(lanes)):
        slot = min(i, lanes - 1)
        state[b.DEAL_NUMBER + i] = slots[slot, GAME] * MAX_ROUNDS + slots[slot, ROUND]
        state[b.DEALER + i] = slots[slot, NEXT_DEALER]
        state[b.PENDING + i] = slots[slot, PENDING_NEXT]


@kernel
def play_games(
    state: t.Block, slots: t.Int64Array, lanes: int, next_game: int, last_game: int, seed: int,
    rules: t.Rules, seating: t.Seating, advance_address: t.Address, deals: t.Int64Array,
    values: t.Int16Array, sender_cards: t.Int64Array, games: t.Int64Array,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Continue the games in the slots, and start further ones in slots that become free.

    Stop when all games are over or the rows are full; call again with the result.

    Args:
        slots: int64 (LANES, SLOT_FIELDS), with `lanes` games in progress.
        next_game, last_game: the games still to start, `last_game` excluded.
        advance_address: address of the game's `ADVANCE_SIGNATURE` kernel.
        deals: int64 (chunk,), values: int16 (columns * chunk,): the rows.
        sender_cards: empty, or int64 (chunk,), filled by `core.columns.write_sender_cards`.
        games: int64 (chunk, SLOT_FIELDS): the finished games.

    Returns:
        lanes, next_game, rows written, games written, error, deal of the error.
    """
    log = np.empty(0, np.int64)
    rows, finished = 0, 0
    while lanes > 0 and rows + b.LANES <= deals.shape[0]:
        assign_rounds(state, slots, lanes)
        play_block(state, lanes, seed, rules, seating, log)
        illegal = find_illegal_choice(state, lanes)
        if illegal >= 0:
            return lanes, next_game, rows, finished, ILLEGAL_CHOICE, illegal
        columns.write_rows(state, lanes, seating.wanted, deals, values, rows)
        if sender_cards.shape[0] > 0:
            columns.write_sender_cards(state, lanes, sender_cards, rows)
        rows += lanes
        call_advance(advance_address, (state, slots, lanes, rules))
        for slot in range(lanes):
            if slots[slot, WINNER] >= 0:
                games[finished] = slots[slot]
                finished += 1
                if next_game < last_game:
                    start_game(slots, slot, next_game, seed, rules)
                    next_game += 1
            elif slots[slot, ROUND] >= MAX_ROUNDS:
                deal = slots[slot, GAME] * MAX_ROUNDS + MAX_ROUNDS - 1
                return lanes, next_game, rows, finished, TOO_LONG, int(deal)
        lanes = drop_finished(slots, lanes)
    return lanes, next_game, rows, finished, NO_ERROR, -1
