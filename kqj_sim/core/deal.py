"""Dealing: a uniformly random deal as a function of the deal's key.

All 48 cards are dealt at once: five to each place, the Return, and three more to each place (two to
the dealer).  Groups of three and two cards are drawn from tables of all subsets of as many
positions and deposited into the cards that remain, so every deal is equally likely.  In
colexicographic order the k-subsets of n positions come first in a table, so one table serves every
n.  Where the processor lacks the `pdep` instruction, vectors deal the same cards by bit planes.

A Sender other than the dealer takes the Return and gives the dealer a random one of their three
further cards, so within one deal only these two hands depend on who takes.
"""

from __future__ import annotations

from math import comb

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.extending import intrinsic

from kqj_sim.core import block as b
from kqj_sim.core import rng
from kqj_sim.core.cards import PACK, popcount
from kqj_sim.core.jit import block_loop, has_instructions, processor_name, scalar
from kqj_sim.core.types import Block, CardSet, Int64Array, Kernel, Key, Numba, Place, RowOffset

PACK_SIZE = 48


def _list_subsets(size: int) -> Int64Array:
    """Return all subsets of 48 positions of a size as bits, in colexicographic order."""
    one = np.int64(1) << np.arange(PACK_SIZE, dtype=np.int64)
    masks = np.zeros(1, np.int64)
    for _ in range(size):
        larger = masks[:, None] | one
        masks = larger[one > masks[:, None]]
    return np.sort(masks)


PAIRS = _list_subsets(2)
TRIPLES = _list_subsets(3)

GROUP_SIZES = (3, 2) * 6 + (1,) + (3,) * 5
"""Sizes of the groups in the order drawn; the last two cards remain."""


def count_subsets(group_sizes: tuple[int, ...], pack_size: int) -> Int64Array:
    """Return the number of ways to draw each group, one after another, from a pack."""
    left = [pack_size - sum(group_sizes[:number]) for number in range(len(group_sizes))]
    return np.array([comb(n, k) for n, k in zip(left, group_sizes, strict=True)], dtype=np.int64)


SUBSET_COUNTS = count_subsets(GROUP_SIZES, PACK_SIZE)


@intrinsic
def _deposit_instruction(typingctx: Numba, bits: Numba, mask: Numba) -> Numba:
    def codegen(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        i64 = ir.IntType(64)
        function_type = ir.FunctionType(i64, [i64, i64])
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", [], function_type)
        return builder.call(function, args)

    return types.int64(types.int64, types.int64), codegen


@scalar
def _spread_parity(bits: int) -> int:
    """Return a mask of the positions with an odd number of bits set up to there."""
    bits ^= bits << 1
    bits ^= bits << 2
    bits ^= bits << 4
    bits ^= bits << 8
    bits ^= bits << 16
    return bits ^ bits << 32


@scalar
def _find_moves(mask: int, gaps: int, distance: int) -> tuple[int, int, int]:
    """Return the bits of a mask that move by a distance, the mask without it, and gaps left."""
    odd = _spread_parity(gaps)
    moves = odd & mask
    return moves, (mask ^ moves) | (moves >> distance), gaps & ~odd


@scalar
def deposit_by_steps(bits: int, mask: int) -> int:
    """Move the i-th lowest bit of `bits` to the i-th lowest set bit of `mask`, for every i.

    Each bit moves up by the number of gaps in the mask below it, by powers of two (`expand` in
    Warren, "Hacker's Delight", 2nd edition, section 7-5).  Vectors can do that.
    """
    moves_1, left, gaps = _find_moves(mask, ~mask << 1, 1)
    moves_2, left, gaps = _find_moves(left, gaps, 2)
    moves_4, left, gaps = _find_moves(left, gaps, 4)
    moves_8, left, gaps = _find_moves(left, gaps, 8)
    moves_16, left, gaps = _find_moves(left, gaps, 16)
    moves_32, left, gaps = _find_moves(left, gaps, 32)
    bits = (bits & ~moves_32) | (bits << 32 & moves_32)
    bits = (bits & ~moves_16) | (bits << 16 & moves_16)
    bits = (bits & ~moves_8) | (bits << 8 & moves_8)
    bits = (bits & ~moves_4) | (bits << 4 & moves_4)
    bits = (bits & ~moves_2) | (bits << 2 & moves_2)
    bits = (bits & ~moves_1) | (bits << 1 & moves_1)
    return bits & mask


@scalar
def _deposit_beside_by_instruction(bits: int, taken: int) -> int:
    deposited: int = _deposit_instruction(bits, ~taken)
    return deposited


@scalar
def deposit_beside_by_loop(bits: int, taken: int) -> int:
    """Move the i-th lowest bit of `bits` to the i-th lowest bit that `taken` lacks, for every i."""
    while taken != 0:
        lowest = taken & -taken
        bits += bits & -lowest
        taken ^= lowest
    return bits


# Zen 1 and 2 have it, but as microcode that takes a step for each bit.
_HAS_PDEP = has_instructions("bmi2") and processor_name() not in ("znver1", "znver2")
deposit: Kernel = _deposit_instruction if _HAS_PDEP else deposit_by_steps
deposit_beside: Kernel = _deposit_beside_by_instruction if _HAS_PDEP else deposit_beside_by_loop


_UPCARD_DRAW, _FURTHER_DRAW, _EXCHANGE_DRAW = b.SEATS, b.SEATS + 1, b.SEATS + 4
"""Numbers of the draws after those of the first five cards, one for each place."""


@scalar
def draw_cards(left: CardSet, size: int, key: Key, counter: int) -> CardSet:
    """Draw `size` cards of a set that has as many or more, every subset equally likely.

    One draw for every three cards is used, from `counter` on.
    """
    n, positions = popcount(left), 0
    while size > 0:
        group = min(size, 3)
        choices = n
        if group == 2:
            choices = n * (n - 1) // 2
        elif group == 3:
            choices = n * (n - 1) * (n - 2) // 6
        number = rng.scale_below(rng.draw(key, counter), choices)
        subset = 1 << number
        if group == 2:
            subset = PAIRS[np.uint64(number)]
        elif group == 3:
            subset = TRIPLES[np.uint64(number)]
        positions |= deposit_beside(subset, positions)
        n -= group
        size -= group
        counter += 1
    return deposit(positions, left)


@scalar
def _draw_subsets(
    state: Block, n: int, draw: int, first: int, second: int, row: RowOffset = b.SCRATCH
) -> None:
    """Draw the numbers of two groups' subsets into a row and the next, by the halves of one draw.

    `first` and `second` are numbers of subsets, none likelier than another by more than 2**-32.
    """
    for i in range(n):
        bits = rng.draw(state[b.KEY + i], rng.DEAL + draw)
        state[row + i] = rng.scale_32_below(rng.high_half(bits), first)
        state[row + b.STRIDE + i] = rng.scale_32_below(rng.low_half(bits), second)


@block_loop
def deal_first_cards_by_instruction(state: Block, lanes: int) -> None:
    """Deal the first cards of `lanes` deals: fill FIRST_FIVE, UPCARD and REMAINING_CARDS."""
    # Place by place: the deposits of one deal wait for each other, and a processor looks only some
    # hundred instructions ahead for those of the next deals.  With the three loops that ask a
    # follower this took 7 ns of 60 off a deal.
    n = b.pad_lanes(lanes)
    for i in range(n):
        state[b.REMAINING_CARDS + i] = PACK
    for place in range(b.SEATS):
        _draw_subsets(state, n, place, SUBSET_COUNTS[2 * place], SUBSET_COUNTS[2 * place + 1])
        for i in range(n):
            cards = state[b.REMAINING_CARDS + i]
            three = TRIPLES[np.uint64(state[b.SCRATCH + i])]
            two = PAIRS[np.uint64(state[b.SCRATCH + b.STRIDE + i])]
            five = deposit(three | deposit_beside(two, three), cards)
            state[b.cell_index(b.FIRST_FIVE + place * b.STRIDE, i)] = five
            state[b.REMAINING_CARDS + i] = cards ^ five
    _draw_subsets(state, n, _UPCARD_DRAW, SUBSET_COUNTS[12], 1)
    for i in range(n):
        cards = state[b.REMAINING_CARDS + i]
        turned_up = deposit(1 << state[b.SCRATCH + i], cards)
        state[b.UPCARD + i] = turned_up
        state[b.REMAINING_CARDS + i] = cards ^ turned_up


@scalar
def _deal_three(state: Block, n: int, place: Place, drawn: RowOffset) -> None:
    """Deal a place the three further cards whose number stands in a row."""
    for i in range(n):
        cards = state[b.REMAINING_CARDS + i]
        three = deposit(TRIPLES[np.uint64(state[b.cell_index(drawn, i)])], cards)
        state[b.cell_index(b.FURTHER_CARDS + place * b.STRIDE, i)] = three
        state[b.REMAINING_CARDS + i] = cards ^ three


@block_loop
def deal_further_cards_by_instruction(state: Block, lanes: int) -> None:
    """Deal the cards that remain after the first cards: fill FURTHER_CARDS."""
    n = b.pad_lanes(lanes)
    for pair in range(2):
        place, draw = 2 * pair, _FURTHER_DRAW + pair
        _draw_subsets(state, n, draw, SUBSET_COUNTS[13 + place], SUBSET_COUNTS[14 + place])
        _deal_three(state, n, place, b.SCRATCH)
        _deal_three(state, n, place + 1, b.SCRATCH + b.STRIDE)
    _draw_subsets(state, n, _FURTHER_DRAW + 2, SUBSET_COUNTS[17], 1)
    _deal_three(state, n, 4, b.SCRATCH)
    for i in range(n):
        state[b.FURTHER_CARDS + 5 * b.STRIDE + i] = state[b.REMAINING_CARDS + i]


# Without the instruction groups are laid out from the last to the first: each opens gaps among the
# positions of those that are drawn after it.  A group has a number, and planes hold its bits.

_LOW = b.SCRATCH + 5 * b.STRIDE
_MIDDLE, _HIGH = _LOW + b.STRIDE, _LOW + 2 * b.STRIDE


@scalar
def _open_two_gaps(two: int, plane: int) -> int:
    """Move the bits of a plane up from two positions on, and so leave these free."""
    plane += plane & (two | -two)
    return plane + (plane & -(two & (two - 1)))


@scalar
def _open_three_gaps(three: int, plane: int) -> int:
    """Move the bits of a plane up from three positions on, and so leave these free."""
    plane += plane & (three | -three)
    return _open_two_gaps(three & (three - 1), plane)


@scalar
def _open_five_gaps(three: int, two: int, plane: int) -> int:
    """Leave the positions of two and, counted with these, of three free."""
    return _open_three_gaps(three, _open_two_gaps(two, plane))


@scalar
def _look_up_triples(state: Block, n: int, row: RowOffset) -> None:
    """Replace the numbers of subsets in a row by the subsets."""
    for i in range(n):
        at = b.cell_index(row, i)
        state[at] = TRIPLES[np.uint64(state[at])]


@scalar
def _lay_out_five(state: Block, n: int, place: Place, number: int, opens_high: bool) -> None:
    """Draw the first five cards of a place and put them, by their number, into the planes."""
    _draw_subsets(state, n, place, SUBSET_COUNTS[2 * place], SUBSET_COUNTS[2 * place + 1])
    _look_up_triples(state, n, b.SCRATCH)
    for i in range(n):
        state[b.SCRATCH + b.STRIDE + i] = PAIRS[np.uint64(state[b.SCRATCH + b.STRIDE + i])]
    in_low, in_middle, in_high = -(number & 1), -(number >> 1 & 1), -(number >> 2)
    for i in range(n):
        three, two = state[b.SCRATCH + i], state[b.SCRATCH + b.STRIDE + i]
        five = three | _open_three_gaps(three, two)
        low, middle = state[_LOW + i], state[_MIDDLE + i]
        state[_LOW + i] = _open_five_gaps(three, two, low) | (five & in_low)
        state[_MIDDLE + i] = _open_five_gaps(three, two, middle) | (five & in_middle)
        high = _open_five_gaps(three, two, state[_HIGH + i]) if opens_high else 0
        state[_HIGH + i] = high | (five & in_high)


@block_loop
def deal_first_cards_by_planes(state: Block, lanes: int) -> None:
    """Deal the first cards of `lanes` deals: fill FIRST_FIVE, UPCARD and REMAINING_CARDS."""
    n = b.pad_lanes(lanes)
    _draw_subsets(state, n, _UPCARD_DRAW, SUBSET_COUNTS[12], 1)
    for i in range(n):
        state[_LOW + i] = 1 << state[b.SCRATCH + i]
        state[_MIDDLE + i] = 0
    # The cards that remain have the number 0, the Return 1, the places 7 to 2.
    for place in range(5, 2, -1):
        _lay_out_five(state, n, place, 7 - place, False)
    for place in range(2, -1, -1):
        _lay_out_five(state, n, place, 7 - place, True)
    for i in range(n):
        low = deposit_by_steps(state[_LOW + i], PACK)
        middle = deposit_by_steps(state[_MIDDLE + i], PACK)
        high = deposit_by_steps(state[_HIGH + i], PACK)
        state[b.FIRST_FIVE + i] = high & middle & low
        state[b.FIRST_FIVE + b.STRIDE + i] = high & middle & ~low
        state[b.FIRST_FIVE + 2 * b.STRIDE + i] = high & ~middle & low
        state[b.FIRST_FIVE + 3 * b.STRIDE + i] = high & ~(middle | low)
        state[b.FIRST_FIVE + 4 * b.STRIDE + i] = middle & low & ~high
        state[b.FIRST_FIVE + 5 * b.STRIDE + i] = middle & ~(high | low)
        state[b.UPCARD + i] = low & ~(high | middle)
        state[b.REMAINING_CARDS + i] = PACK & ~(high | middle | low)


@block_loop
def deal_further_cards_by_planes(state: Block, lanes: int) -> None:
    """Deal the cards that remain after the first cards: fill FURTHER_CARDS."""
    n = b.pad_lanes(lanes)
    two, four = b.SCRATCH + 2 * b.STRIDE, b.SCRATCH + 4 * b.STRIDE
    _draw_subsets(state, n, _FURTHER_DRAW + 2, SUBSET_COUNTS[17], 1, four)
    _draw_subsets(state, n, _FURTHER_DRAW + 1, SUBSET_COUNTS[15], SUBSET_COUNTS[16], two)
    _draw_subsets(state, n, _FURTHER_DRAW, SUBSET_COUNTS[13], SUBSET_COUNTS[14])
    for place in range(5):
        _look_up_triples(state, n, b.SCRATCH + place * b.STRIDE)
    # The dealer's cards have the number 0, the places 5 to 1.
    for i in range(n):
        three = state[b.SCRATCH + 3 * b.STRIDE + i]
        low, middle = _open_three_gaps(three, state[four + i]), three
        three = state[two + i]
        low = _open_three_gaps(three, low) | three
        middle = _open_three_gaps(three, middle) | three
        three = state[b.SCRATCH + b.STRIDE + i]
        low, middle, high = _open_three_gaps(three, low), _open_three_gaps(three, middle), three
        three = state[b.SCRATCH + i]
        state[_LOW + i] = _open_three_gaps(three, low) | three
        state[_MIDDLE + i] = _open_three_gaps(three, middle)
        state[_HIGH + i] = _open_three_gaps(three, high) | three
    for i in range(n):
        cards = state[b.REMAINING_CARDS + i]
        low = deposit_by_steps(state[_LOW + i], cards)
        middle = deposit_by_steps(state[_MIDDLE + i], cards)
        high = deposit_by_steps(state[_HIGH + i], cards)
        state[b.FURTHER_CARDS + i] = high & low
        state[b.FURTHER_CARDS + b.STRIDE + i] = high & ~low
        state[b.FURTHER_CARDS + 2 * b.STRIDE + i] = middle & low
        state[b.FURTHER_CARDS + 3 * b.STRIDE + i] = middle & ~low
        state[b.FURTHER_CARDS + 4 * b.STRIDE + i] = low & ~(high | middle)
        state[b.FURTHER_CARDS + 5 * b.STRIDE + i] = cards & ~(high | middle | low)
        state[b.REMAINING_CARDS + i] = cards & ~(high | middle | low)


if _HAS_PDEP:
    deal_first_cards, deal_further_cards = (
        deal_first_cards_by_instruction,
        deal_further_cards_by_instruction,
    )
else:
    deal_first_cards, deal_further_cards = deal_first_cards_by_planes, deal_further_cards_by_planes


@scalar
def draw_exchanged_card(key: Key) -> int:
    """Return which of a Sender's three further cards the dealer gets for the Return: 0, 1 or 2."""
    return rng.scale_32_below(rng.draw_32(key, rng.DEAL + _EXCHANGE_DRAW), 3)
