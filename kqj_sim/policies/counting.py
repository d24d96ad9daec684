"""The hand's count: about how many points more than an average hand it brings its team.

The numbers are least-squares fits of the contracting team's total on the Sender's cards, over
random Senders and contracts with `standard` card play: the total is about BASE plus the count,
with a standard deviation of 57 points (two teams) or 46 (three).
"""

from __future__ import annotations

from kqj_sim.core.bits import ALL_TRUMPS, EACH_LANE, LANE, NO_TRUMP, popcount
from kqj_sim.core.compile import scalar

_7, _8, _9, _J, _Q, _K, _H, _T, _A = (EACH_LANE << bit for bit in range(3, 12))

_RUN = _9 | _8 | _7 | _A | _T | _H | _K | _Q
"""The eight highest trumps."""

AVERAGE = 30.0
"""Count of an average hand of eight cards, for a suit."""


@scalar
def base_total(contract: int, team_count: int) -> float:
    """The contracting team's expected total with a count of nothing, eight cards known."""
    two = 94.0 if contract == NO_TRUMP else (99.0 if contract == ALL_TRUMPS else 88.0)
    three = 46.0 if contract == NO_TRUMP else (48.0 if contract == ALL_TRUMPS else 37.0)
    return two if team_count == 2 else three


@scalar
def _suits_with(cards: int, all_of: int) -> int:
    """The number of suits in which a set holds all the given ranks (bits of the lowest lane)."""
    count = 0
    for suit in range(4):
        count += 1 if (cards >> 16 * suit) & all_of == all_of else 0
    return count


@scalar
def _longest(cards: int) -> int:
    """Cards in the longest suit."""
    longest = 0
    for suit in range(4):
        longest = max(longest, popcount(cards & (LANE << 16 * suit)))
    return longest


@scalar
def count_suit(hand: int, suit: int) -> float:
    """The count of a hand (natural coding) with a suit (0 to 3) as trump."""
    trumps = hand & (LANE << 16 * suit)
    plain = hand & ~(LANE << 16 * suit)
    king_queen = trumps & (trumps >> 1) & _Q
    voids = 0
    for other in range(4):
        voids += 1 if other != suit and plain & (LANE << 16 * other) == 0 else 0
    return (
        10.0 * popcount(trumps)
        + 32.0 * popcount(trumps & _9)
        + 18.0 * popcount(trumps & _8)
        + 8.0 * popcount(trumps & _7)
        + 4.0 * popcount(trumps & _A)
        + 3.0 * popcount(trumps & _T)
        + 20.0 * popcount(king_queen)
        + 35.0 * popcount(king_queen & (trumps << 1))
        + 14.0 * popcount(plain & _A)
        + 4.0 * popcount(plain & _T)
        + 3.0 * voids
    )


@scalar
def count_no_trump(hand: int) -> float:
    """The count of a hand at No-Trump."""
    return (
        24.0 * popcount(hand & _A)
        + 10.0 * popcount(hand & _T)
        + 7.0 * _suits_with(hand, (_A | _T) & LANE)
        + 13.0 * _suits_with(hand, (_A | _T | _H) & LANE)
        + 2.4 * _longest(hand)
    )


@scalar
def count_all_trumps(hand: int) -> float:
    """The count of a hand at All-Trumps."""
    king_queen = hand & (hand >> 1) & _Q
    return (
        23.0 * popcount(hand & _9)
        + 9.0 * popcount(hand & _8)
        + 6.0 * _suits_with(hand, (_9 | _8) & LANE)
        + 12.0 * _suits_with(hand, (_9 | _8 | _7) & LANE)
        + 18.0 * popcount(king_queen)
        + 28.0 * popcount(king_queen & (hand << 1))
        + 2.6 * _longest(hand)
    )


@scalar
def count(hand: int, contract: int) -> float:
    """The count of a hand for a contract (0 to 5)."""
    if contract == NO_TRUMP:
        return count_no_trump(hand)
    if contract == ALL_TRUMPS:
        return count_all_trumps(hand)
    return count_suit(hand, contract)


@scalar
def runs_alone(hand: int, contract: int) -> bool:
    """Whether a hand that leads wins every trick by itself: no card that it lacks beats one of its.

    With a suit as trump it must also be trump throughout: a plain winner could be ruffed.
    """
    if contract < NO_TRUMP:
        trumps = (hand >> 16 * contract) & LANE
        return trumps << 16 * contract == hand and trumps == (_RUN & LANE)
    for suit in range(4):
        held = (hand >> 16 * suit) & LANE
        if contract == ALL_TRUMPS:
            held = (held & 7) | ((held & 0x38) << 6) | ((held & 0xFC0) >> 3)
        missing = LANE & ~held
        below = missing
        for _ in range(11):
            below |= below >> 1
        if held & below != 0:
            return False
    return True
