"""The search of positions with all cards open, compiled: which lead can the contracting side force?

A search answers one question: can the contracting side reach a given lead in score?  It is
alpha-beta with a window of no width over the *margin*: the points by which the contracting side's
total exceeds the least one that is enough.  With three teams both defending teams play together.

Points to come depend on the remaining cards and the leader alone, so the table keeps their bounds
from one question to the next.  Where an announcement or a Capot is still open and would count, an
entry holds for the question at hand; with three teams, whose whole score must be known at the end,
all do.

The numbers of a search are in one array, the workspace, passed by address, since a function that
calls itself should take few arguments.
"""

from __future__ import annotations

import numpy as np
from numba import types

from kqj_sim.columns import CARD_POINTS
from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core import types as t
from kqj_sim.core.jit import int64_at, kernel, scalar, stack_int64
from kqj_sim.core.scoring import (
    CAPOT_BONUS,
    KQ_BONUS,
    KQJ_BONUS,
    LAST_TRICK_BONUS,
    score_rounds,
)
from kqj_sim.core.trick import legal_cards, suit_mask_of, winning_cards
from kqj_sim.policies.card_sets import RANK_ORDER

# The workspace, by seat, suit or card.
HANDS = 0
"""The cards left, by strength."""
HELD = 6
"""By side the cards left in its hands."""
SIDES = 8
"""1 for the contracting side."""
TEAMS = 14
"""0 for the contracting team."""
ANNOUNCERS = 20
"""By suit the seat that was dealt King and Queen of trumps; -1 for none."""
PLANES = 24
TRUMPS, MUST_BEAT = 29, 30
ANNOUNCING = 31
"""The Queens, and Jacks, whose play may announce."""
KEPT = 32
"""The cards of possible announcements, which no other card can stand for."""
DEAL_STAMP, STAMP = 33, 34
"""Numbers of the deal and of the question; entries of the table with others are void."""
OWN_CAPOT, OTHER_CAPOT = 35, 36
"""1 if a Capot of the contracting side, or of the others, changes the answer."""
LEAST, MOST = 37, 38
"""The least and the greatest total that may be enough."""
THREE, EXACT, GOAL = 39, 40, 41
"""1 with three teams; 1 if then a higher total may be worse; twice the lead asked for."""
AUCTION, ROUNDED, OUTSCORE = 42, 43, 44
TABLE, TABLE_SIZE, BLOCK, LEADS = 45, 46, 47, 48
"""Addresses of the table, of a block and of the leads; the table's number of entries."""
NODES = 49
"""How often a trick began."""
CONTRACT = 50
NEEDED = 51
"""By tricks left: the total that is enough, as known when the trick began; UNKNOWN if it is not."""
PLACE, LIKE, CONTEXT = 60, 69, 78
"""By tricks left: the address of the position's entry in the table, and its first two numbers."""
ENOUGH = 87
"""The least total that is enough, without a Capot, by Capot (nobody's, the contracting side's, the
others') and tens of bonuses."""
BONUS_STEPS = 21
DECIDING = ENOUGH + 3 * BONUS_STEPS
"""By tricks left and position: the card that decided last."""
POINTS = DECIDING + 64
"""By card."""
LIKENESS = POINTS + 64
"""By suit and set of cards without points that are left: the set that stands for all like it."""
PROMISES = LIKENESS + 64
"""What cards promise, 32 numbers for leading and 32 for following."""
HISTORY = PROMISES + 64
"""How well a card did, by situation (leading, its side master, or not) and card."""
WORKSPACE = HISTORY + 3 * 64
TOTALS = 512
"""Totals in a row of leads."""

(
    SURE, SURE_POINTS, TRUMP, TRUMP_POINTS, NEEDLESS, NEEDLESS_POINTS, HELPED, HELPED_POINTS,
    UNSURE, UNSURE_POINTS, HOPED, HOPED_POINTS, LOST, LOST_POINTS, LOST_TRUMP, UNSURE_TRUMP,
    PAST, DECIDED,
) = range(18)  # fmt: skip
"""Numbers of what a card promises (`_rate_card`): constants, and `_POINTS` a card point."""
LEADING = np.array(
    [1570, 26, 480, 22, -170, -6, 1200, -14, 430, 2, 540, 24, 730, -116, 0, 330, 5, 300]
)
FOLLOWING = np.array(
    [1660, 16, 500, 54, 30, 6, 900, -12, 500, -32, 500, -16, 230, -40, 300, 300, 2, 330]
)
"""Fitted to whole searches of endings of seven cards, which they halve."""

CARD_ORDER = np.array(
    [16 * suit + RANK_ORDER.index(r) for suit in range(4) for r in sorted(RANK_ORDER)]
)
"""Bits of the cards, natural coding, in the order in which legal cards are listed."""

ENTRY = 4
"""Numbers of an entry: remaining cards, context, lower bound with the best card, upper bound."""
OWN_TRICK, FIRST_TRICK, SECOND_TRICK = 1 << 8, 1 << 9, 1 << 10
"""Flags of `extra` beside the announcements: the contracting team, or a defending one, has won a
trick."""
FIRST_TOTAL = 11
"""Bit of `extra` from which on it holds the first defending team's total, with three teams."""
ALL_POINTS = CARD_POINTS + LAST_TRICK_BONUS
NEVER = 1 << 12
"""A total that nobody reaches."""
UNKNOWN = 1 << 13
UNBOUNDED = 1 << 20
"""Beyond every margin."""
_SEATS = 6

_TOTAL = b.column_offset("total_0")
_CARD_POINTS = b.column_offset("card_points_0")
_TRICKS = b.column_offset("tricks_0")
_SCORE = b.column_offset("score_0")


@kernel
def score_lanes(
    state: t.Int64Pointer, lanes: int, three: int, auction: int, rounded: int, outscore: int
) -> None:
    """Score the totals in lanes of a block, in which team 0 is the contracting one."""
    rules = t.Rules(6, 0, 0, 0, 2 + three, 0, auction, 0, 0, 0, 0, rounded, outscore)
    score_rounds(state, lanes, rules)


@scalar
def _read_lead(state: t.Int64Pointer, lane: int, three: int) -> int:
    """Return twice the lead of team 0 over the other team, or over the mean of the others."""
    own, first = state[_SCORE + lane], state[_SCORE + b.STRIDE + lane]
    return int(2 * own - (first + state[_SCORE + 2 * b.STRIDE + lane] if three != 0 else 2 * first))


@scalar
def _sum_bonuses(w: t.Int64Pointer, announced: int, team: int) -> int:
    """Return the bonuses of a team for announcements; those of all teams for -1."""
    bonuses = 0
    for suit in range(4):
        kind = announced >> (2 * suit) & 3
        if kind != 0 and (team < 0 or w[TEAMS + w[ANNOUNCERS + suit]] == team):
            bonuses += KQ_BONUS if kind == 1 else KQJ_BONUS
    return bonuses


@scalar
def _score_three_teams(
    w: t.Int64Pointer, own: int, first: int, second: int, extra: int, last: int
) -> int:
    """Return twice the lead with three teams; `last` is the team of the last trick, -1 for none."""
    state = int64_at(w[BLOCK])
    for team in range(3):
        total = own if team == 0 else (first if team == 1 else second)
        bonuses = _sum_bonuses(w, extra & 255, team) + LAST_TRICK_BONUS * (last == team)
        tricks = extra >> (8 + team) & 1
        others = extra >> 8 & ~(1 << team) & 7
        capot = tricks != 0 and others == 0
        state[_TOTAL + team * b.STRIDE] = total + (CAPOT_BONUS if capot else 0)
        state[_CARD_POINTS + team * b.STRIDE] = total - bonuses
        state[_TRICKS + team * b.STRIDE] = b.TRICKS if capot else tricks
    score_lanes(state, 1, 1, w[AUCTION], w[ROUNDED], w[OUTSCORE])
    return _read_lead(state, 0, 1)


@scalar
def _announce(w: t.Int64Pointer, seat: int, card: t.Card, announced: int) -> int:
    """Return the announcements after a card of a seat whose hand has it still."""
    suit = c.trailing_zeros(card) >> 4
    if card & w[ANNOUNCING] == 0 or w[ANNOUNCERS + suit] != seat:
        return announced
    if card & (c.EACH_SUIT << c.TRUMP_QUEEN) != 0:
        return announced | (1 << 2 * suit if w[HANDS + seat] & (card << 1) == 0 else 0)
    # The Jack: a KQ, which is not announced while the Queen is held, becomes a KQJ.
    kq = 1 << 2 * suit
    return announced + (kq if announced & kq != 0 else 0)


@scalar
def _sum_open_bonuses(w: t.Int64Pointer, remaining: t.CardSet, announced: int, side: int) -> int:
    """Return the most that a side may get for announcements to come."""
    bonuses = 0
    for suit in range(4):
        seat = w[ANNOUNCERS + suit]
        if seat >= 0 and w[SIDES + seat] == side:
            cards = remaining & w[ANNOUNCING] & (c.SUIT_MASK << 16 * suit)
            queen = cards & (c.EACH_SUIT << c.TRUMP_QUEEN)
            jack = cards & (c.EACH_SUIT << c.TRUMP_JACK)
            if queen != 0:
                bonuses += KQJ_BONUS if jack != 0 else KQ_BONUS
            elif jack != 0 and announced >> 2 * suit & 1 != 0:
                bonuses += KQJ_BONUS - KQ_BONUS
    return bonuses


@scalar
def _compute_margin(w: t.Int64Pointer, total: int, extra: int, leader: t.Seat) -> int:
    """Return the margin after the last trick."""
    if w[THREE] != 0:
        first = extra >> FIRST_TOTAL
        everything = ALL_POINTS + _sum_bonuses(w, extra & 255, -1)
        second = everything - total - first
        lead = _score_three_teams(w, total, first, second, extra, w[TEAMS + leader])
        return 0 if lead >= w[GOAL] else -1
    capot = 0
    # A Capot that does not count is left out: the bounds of points to come know of none.
    if extra & FIRST_TRICK == 0:
        capot = w[OWN_CAPOT]
    elif extra & OWN_TRICK == 0:
        capot = 2 * w[OTHER_CAPOT]
    tens = 0 if extra & 255 == 0 else _sum_bonuses(w, extra & 255, -1) // 10
    return int(total - w[ENOUGH + BONUS_STEPS * capot + tens])


@scalar
def _sum_points(w: t.Int64Pointer, cards: t.CardSet) -> int:
    return c.count_card_points(
        cards, w[PLANES], w[PLANES + 1], w[PLANES + 2], w[PLANES + 3], w[PLANES + 4]
    )


@scalar
def _find_sure_trumps(w: t.Int64Pointer, side: int) -> t.CardSet:
    """Return the highest trumps left in hands, as far down as one side holds them all."""
    highest = c.highest_bit(w[HELD + 1 - side] & w[TRUMPS])
    return int(w[HELD + side] & w[TRUMPS] & ~(2 * highest - (1 if highest != 0 else 0)))


@scalar
def _find_like(w: t.Int64Pointer, remaining: t.CardSet) -> t.CardSet:
    """Return the cards that stand for the remaining ones in the table.

    Of cards without points only the order counts in which their holders follow each other.
    """
    like = remaining & ~(15 * c.EACH_SUIT)
    for suit in range(4):
        like |= w[LIKENESS + 16 * suit + (remaining >> 16 * suit & 15)] << 16 * suit
    return like


@scalar
def _list_behind(
    w: t.Int64Pointer, leader: t.Seat, position: int, led: t.SuitMask, side: int
) -> tuple[t.CardSet, t.CardSet]:
    """Return the cards that players behind a position may play to a suit: others', and a side's."""
    cards = own = 0
    for later in range(position + 1, _SEATS):
        seat = b.wrap_seat(leader + later, _SEATS)
        hand = w[HANDS + seat]
        following = hand & led
        following = following if following != 0 else hand
        cards |= following
        own |= following if w[SIDES + seat] == side else 0
    # Cards are in one hand.
    return cards ^ own, own


@scalar
def _find_least(w: t.Int64Pointer, cards: t.CardSet, sign: int) -> int:
    """Return the least points of a card; with sign -1 the most, negative.  0 if there is none."""
    least = 64 if cards != 0 else 0
    while cards != 0:
        least = min(least, sign * w[POINTS + c.trailing_zeros(cards)])
        cards &= cards - 1
    return least


@scalar
def _sum_falling(
    w: t.Int64Pointer, leader: t.Seat, position: t.Position, led: t.SuitMask, side: int,
    sure_trumps: t.CardSet,
) -> int:  # fmt: skip
    """Return the points that fall behind a position at least, if the trick is a side's.

    Its players add their best card, but no sure trump, and the others their cheapest.
    """
    points = 0
    for later in range(position + 1, _SEATS):
        seat = b.wrap_seat(leader + later, _SEATS)
        hand, is_own = w[HANDS + seat], w[SIDES + seat] == side
        following = hand & led
        if following == 0:
            points += (
                -_find_least(w, hand & ~sure_trumps, -1) if is_own else _find_least(w, hand, 1)
            )
            continue
        # Points rise with the ranks of a suit.  Who must beat may have to play a sure trump.
        is_free = is_own and led & w[MUST_BEAT] == 0
        card = c.highest_bit(following) if is_free else c.lowest_bit(following)
        points += w[POINTS + c.trailing_zeros(card)] if following & sure_trumps == 0 else 0
    return points


@scalar
def _decide(
    w: t.Int64Pointer, side: int, sure: int, remaining: t.CardSet, total: int, needed: int
) -> int:
    """Return the margin if the points of which a side is sure decide it; else UNBOUNDED."""
    if side == 1:
        return total + sure - needed if total + sure >= needed else UNBOUNDED
    most = total + _sum_points(w, remaining) + LAST_TRICK_BONUS - sure
    return most - needed if most < needed else UNBOUNDED


@scalar
def _play_card(
    w: t.Int64Pointer, position: t.Position, leader: t.Seat, remaining: t.CardSet,
    trick: t.CardSet, led: t.SuitMask, winning: t.CardSet, master: t.Position, total: int,
    extra: int, card: t.Card,
) -> tuple[int, ...]:  # fmt: skip
    """Take a card out of the hand to play and return the next turn, the arguments of `search`."""
    seat = b.wrap_seat(leader + position, _SEATS)
    after = _announce(w, seat, card, extra & 255)
    if after != extra & 255:
        gain = _sum_bonuses(w, after, -1) - _sum_bonuses(w, extra & 255, -1)
        total += gain * w[SIDES + seat]
        if w[THREE] != 0 and w[TEAMS + seat] == 1:
            extra += gain << FIRST_TOTAL
        extra += after - (extra & 255)
    if position == 0:
        led = suit_mask_of(card)
    if position == 0 or card & winning != 0:
        winning, master = winning_cards(led, w[TRUMPS], card), position
    w[HANDS + seat] ^= card
    w[HELD + w[SIDES + seat]] ^= card
    trick |= card
    if position < _SEATS - 1:
        return position + 1, leader, remaining, trick, led, winning, master, total, extra
    winner = b.wrap_seat(leader + master, _SEATS)
    team = w[TEAMS + winner]
    points = _sum_points(w, trick) + (LAST_TRICK_BONUS if remaining == trick else 0)
    extra |= OWN_TRICK << team
    if team == 0:
        total += points
    elif w[THREE] != 0 and team == 1:
        extra += points << FIRST_TOTAL
    return 0, winner, remaining & ~trick, 0, 0, 0, 0, total, extra


@scalar
def _find_legal(
    w: t.Int64Pointer, position: t.Position, leader: t.Seat, led: t.SuitMask, winning: t.CardSet,
    master: t.Position,
) -> t.CardSet:  # fmt: skip
    seat = b.wrap_seat(leader + position, _SEATS)
    master_seat = b.wrap_seat(leader + master, _SEATS)
    hand: t.CardSet = w[HANDS + seat]
    partner = w[TEAMS + master_seat] == w[TEAMS + seat]
    return hand if position == 0 else legal_cards(hand, led, led & w[MUST_BEAT], winning, partner)


@scalar
def _rate_card(
    w: t.Int64Pointer, position: t.Position, card: t.Card, winning: t.CardSet, better: t.CardSet,
    is_held: bool, was_held: bool, others: t.CardSet, partners: t.CardSet,
) -> int:  # fmt: skip
    """Return what a card promises: the most promising is tried first.

    Args:
        winning: the cards that would become master before the card; `better`: after it.
        is_held, was_held: True if the master is one of the player's side, with the card and before.
        others, partners: the cards that may be played behind by the others and by the side.
    """
    row = PROMISES if position == 0 else PROMISES + 32
    points = w[POINTS + c.trailing_zeros(card)]
    is_trump = card & w[TRUMPS] != 0
    if is_held and others & better == 0:
        promise = w[row + SURE] + w[row + SURE_POINTS] * points
        if is_trump:
            promise -= w[row + TRUMP] + w[row + TRUMP_POINTS] * points
        if card & winning != 0 and was_held and others & winning == 0:
            promise -= w[row + NEEDLESS] + w[row + NEEDLESS_POINTS] * points
        return int(promise)
    if is_held and partners & better != 0:
        return int(w[row + HELPED] + w[row + HELPED_POINTS] * points)
    if is_held:
        promise = w[row + UNSURE] + w[row + UNSURE_POINTS] * points
        return int(promise - (w[row + UNSURE_TRUMP] if is_trump else 0))
    if partners & better != 0:
        return int(w[row + HOPED] + w[row + HOPED_POINTS] * points)
    promise = w[row + LOST] + w[row + LOST_POINTS] * points
    return int(promise - (w[row + LOST_TRUMP] if is_trump else 0))


@scalar
def _bound_by_earlier(
    w: t.Int64Pointer, cards: t.Int64Pointer, margins: t.Int64Pointer, number: int,
    hand: t.CardSet, winning: t.CardSet, side: int,
) -> int:  # fmt: skip
    """Return a margin that shows that a card fails, as a like card did; UNBOUNDED if none does.

    Of two cards of a suit with no card in another hand between them, one is better than the other
    by the difference of their points at most if both become master, or neither.
    """
    card = cards[number]
    if card & w[KEPT] == 0:
        for earlier in range(number):
            other = cards[earlier]
            between = (max(card, other) - min(card, other)) & (w[HELD] | w[HELD + 1]) & ~hand
            is_like = between == 0 and (card & winning != 0) == (other & winning != 0)
            if is_like and suit_mask_of(other) & card != 0 and other & w[KEPT] == 0:
                gap = abs(w[POINTS + c.trailing_zeros(card)] - w[POINTS + c.trailing_zeros(other)])
                bound = margins[earlier] + (gap if side == 1 else -gap)
                if (gap == 0 or w[THREE] == 0) and (bound < 0) == (side == 1):
                    return int(bound)
    return UNBOUNDED


@scalar
def _learn(
    w: t.Int64Pointer, history: int, cards: t.Int64Pointer, number: int, tricks: int
) -> None:
    """Note in the history that a card decided, and that those tried before it did not."""
    for tried in range(number + 1):
        row = history + c.trailing_zeros(cards[tried])
        sign = 1 if tried == number else -1
        w[row] += tricks * tricks * (16 * sign - (w[row] >> 8))


@scalar
def _play_last_trick(w: t.Int64Pointer, leader: t.Seat, total: int, extra: int, points: int) -> int:
    """Return the margin after the last trick, in which nobody has a choice."""
    winning, winner = w[HANDS + leader], leader
    led = suit_mask_of(winning)
    winning = winning_cards(led, w[TRUMPS], winning)
    for number in range(1, _SEATS):
        seat = b.wrap_seat(leader + number, _SEATS)
        card = w[HANDS + seat]
        if card & winning != 0:
            winning, winner = winning_cards(led, w[TRUMPS], card), seat
    team = w[TEAMS + winner]
    if team == 0:
        total += points
    elif w[THREE] != 0 and team == 1:
        extra += points << FIRST_TOTAL
    return _compute_margin(w, total, extra | OWN_TRICK << team, winner)


@scalar
def _sum_sure_points(w: t.Int64Pointer, side: int, tricks: int, to_come: int) -> int:
    """Return points to come of which a side is sure: its highest trumps, and what falls on them.

    Those of one hand win a trick each, to which every opponent plays a card; which of these fall is
    looked at with two teams, if they keep no more than two.  With three the bonus of the last trick
    must stay apart, as gratuities go by card points.
    """
    sure = _find_sure_trumps(w, side)
    points, won = _sum_points(w, sure), 0
    if sure == 0 or c.popcount(sure) < tricks - 2 or w[THREE] != 0:
        return int(points)
    for seat in range(_SEATS):
        if w[SIDES + seat] == side:
            won = max(won, c.popcount(sure & w[HANDS + seat]))
    if won == tricks:
        return to_come
    for seat in range(_SEATS if tricks - won <= 2 else 0):
        if w[SIDES + seat] != side:
            left, most, second = w[HANDS + seat], 0, 0
            points += _sum_points(w, left)
            while left != 0:
                card_points = w[POINTS + c.trailing_zeros(left)]
                left &= left - 1
                if card_points > most:
                    most, second = card_points, most
                elif card_points > second:
                    second = card_points
            points -= most + (second if tricks - won == 2 else 0)
    return int(points)


@scalar
def _begin_trick(
    w: t.Int64Pointer, leader: t.Seat, remaining: t.CardSet, total: int, extra: int
) -> int:
    """Return the margin as `search` does, if it is known without a search; else UNBOUNDED.

    Numbers by tricks left are filled in for the search.
    """
    w[NODES] += 1
    tricks = c.popcount(remaining) // _SEATS
    if remaining == 0:
        return _compute_margin(w, total, extra, leader)
    announced = extra & 255
    to_come = _sum_points(w, remaining) + LAST_TRICK_BONUS
    if tricks == 1 and remaining & w[ANNOUNCING] == 0:
        return _play_last_trick(w, leader, total, extra, to_come)
    own_open = other_open = base = 0
    if remaining & w[ANNOUNCING] != 0:
        own_open = _sum_open_bonuses(w, remaining, announced, 1)
        other_open = _sum_open_bonuses(w, remaining, announced, 0)
    least = total + _sum_sure_points(w, 1, tricks, to_come)
    most = total + to_come + own_open - _sum_sure_points(w, 0, tricks, to_come)
    w[NEEDED + tricks] = UNKNOWN
    context = leader + 8 * extra + (w[STAMP] << 36)
    own_capot = extra & FIRST_TRICK == 0 and w[OWN_CAPOT] != 0
    other_capot = extra & OWN_TRICK == 0 and w[OTHER_CAPOT] != 0
    if w[THREE] != 0:
        if w[EXACT] != 0:
            context += total << 26
        else:
            first = extra >> FIRST_TOTAL
            second = ALL_POINTS - to_come + _sum_bonuses(w, announced, -1) - total - first
            best = _score_three_teams(w, most, first, second, extra | OWN_TRICK, 0)
            if best < w[GOAL]:
                return -1
            more = total + to_come - least + other_open
            more += CAPOT_BONUS if extra & OWN_TRICK == 0 else 0
            worst = _score_three_teams(
                w, least, first + more, second + more, extra | FIRST_TRICK | SECOND_TRICK, 1
            )
            if worst >= w[GOAL]:
                return 0
    elif own_open + other_open > 0 or own_capot or other_capot:
        if most < w[LEAST]:
            return int(most - w[LEAST])
        if least >= w[MOST]:
            return int(least - w[MOST])
    else:
        base = w[ENOUGH + (0 if announced == 0 else _sum_bonuses(w, announced, -1) // 10)]
        w[NEEDED + tricks] = base
        if least >= base:
            return int(least - base)
        if most < base:
            return int(most - base)
        context = leader + (w[DEAL_STAMP] << 36)
    like = _find_like(w, remaining)
    key = like * 0x1E3779B97F4A7C15 + context * 0x3F58476D1CE4E5B9
    key = (key ^ (key >> 29)) * 0x14D049BB133111EB
    # Many positions have two tricks left: their part of the table stays in the cache.
    part = w[TABLE_SIZE] >> (1 if tricks > 3 else (2 if tricks == 3 else 4))
    place = w[TABLE] + 8 * ENTRY * (part + ((key >> 32) & (part - 1)))
    entry = int64_at(place)
    if entry[0] == like and entry[1] == context:
        lower, upper = (entry[2] >> 6) + total - base, entry[3] + total - base
        if lower >= 0:
            return int(lower)
        if upper < 0:
            return int(upper)
    w[PLACE + tricks], w[LIKE + tricks], w[CONTEXT + tricks] = place, like, context
    return UNBOUNDED


_SEARCH = types.int64(*[types.int64] * 10)


@kernel(_SEARCH)  # type: ignore[untyped-decorator]
def search(
    workspace: t.Address, position: t.Position, leader: t.Seat, remaining: t.CardSet,
    trick: t.CardSet, led: t.SuitMask, winning: t.CardSet, master: t.Position, total: int,
    extra: int,
) -> int:  # fmt: skip
    """Return a bound of the margin that the contracting side can force: from 0 on a lower one.

    Args:
        position: that of the player to move; the other arguments up to `master`, the position of
            the master, are those of the trick so far.
        remaining: the cards that are not in finished tricks.
        total: the contracting side's total so far.
        extra: announcements so far, two bits a suit, with the flags and numbers above.
    """
    w = int64_at(workspace)
    tricks = c.popcount(remaining) // _SEATS
    needed = w[NEEDED + tricks]
    entry = int64_at(w[PLACE + tricks])
    table_move = -1
    if position == 0 and entry[0] == w[LIKE + tricks] and entry[1] == w[CONTEXT + tricks]:
        table_move = entry[2] & 63
    seat = b.wrap_seat(leader + position, _SEATS)
    side, hand = w[SIDES + seat], w[HANDS + seat]
    legal = _find_legal(w, position, leader, led, winning, master)
    was_held = position > 0 and w[SIDES + b.wrap_seat(leader + master, _SEATS)] == side
    history = HISTORY + (0 if position == 0 else (64 if was_held else 128))

    # The cards, the most promising first.
    cards, promises, margins = stack_int64(8), stack_int64(8), stack_int64(8)
    count, left, falling = 0, legal, -1
    sure_trumps = _find_sure_trumps(w, side)
    others, partners = _list_behind(w, leader, position, led, side)
    is_lost = position > 0 and not was_held and (legal | partners) & winning == 0
    if is_lost and needed != UNKNOWN:
        theirs = _find_sure_trumps(w, 1 - side)
        sure = _find_least(w, legal, 1) + _sum_points(w, trick | theirs)
        sure += _sum_falling(w, leader, position, led, 1 - side, theirs)
        margin = _decide(w, 1 - side, sure, remaining, total, needed)
        if margin != UNBOUNDED:
            return margin
    while left != 0:
        card = c.lowest_bit(left)
        left ^= card
        index = c.trailing_zeros(card)
        if position == 0 and card & led == 0:
            led, falling = suit_mask_of(card), -1
            others, partners = _list_behind(w, leader, 0, led, side)
        wins = position == 0 or card & winning != 0
        better = winning_cards(led, w[TRUMPS], card) if wins else winning
        is_held = wins or was_held
        if is_held and others & better == 0 and needed != UNKNOWN:
            # The trick is the side's, and so are its highest trumps.
            if falling < 0:
                falling = _sum_falling(w, leader, position, led, side, sure_trumps)
            sure = falling + _sum_points(w, trick | card | sure_trumps)
            margin = _decide(w, side, sure, remaining, total, needed)
            if margin != UNBOUNDED:
                return margin
        promise = _rate_card(
            w, position, card, winning, better, is_held, was_held, others, partners
        )
        row = PROMISES if position == 0 else PROMISES + 32
        promise += w[row + PAST] * w[history + index] >> 4
        if w[DECIDING + _SEATS * tricks + position] == index:
            promise += w[row + DECIDED]
        if index == table_move:
            promise = UNBOUNDED
        place = count
        while place > 0 and promises[place - 1] < promise:
            promises[place], cards[place] = promises[place - 1], cards[place - 1]
            place -= 1
        promises[place], cards[place] = promise, card
        count += 1

    before = stack_int64(SIDES)
    for held in range(SIDES):
        before[held] = w[held]
    best = -UNBOUNDED if side == 1 else UNBOUNDED
    best_card = cards[0]
    for number in range(count):
        card = cards[number]
        margin = _bound_by_earlier(w, cards, margins, number, hand, winning, side)
        if margin == UNBOUNDED:
            turn: tuple[int, ...] = (
                position, leader, remaining, trick, led, winning, master, total, extra,
            )  # fmt: skip
            left = card
            while margin == UNBOUNDED:
                turn = _play_card(
                    w, turn[0], turn[1], turn[2], turn[3], turn[4], turn[5], turn[6], turn[7],
                    turn[8], left,
                )  # fmt: skip
                if turn[0] == 0:
                    margin = _begin_trick(w, turn[1], turn[2], turn[7], turn[8])
                # Who has no choice plays on here.
                left = _find_legal(w, turn[0], turn[1], turn[4], turn[5], turn[6])
                if margin == UNBOUNDED and left & (left - 1) != 0:
                    margin = search(workspace, *turn)
            for held in range(SIDES):
                w[held] = before[held]
        margins[number] = margin
        if (margin > best) == (side == 1):
            best, best_card = margin, card
        if (best >= 0) == (side == 1):
            _learn(w, history, cards, number, tricks)
            w[DECIDING + _SEATS * tricks + position] = c.trailing_zeros(best_card)
            break
    if position == 0:
        # Positions after this one may have taken its entry.
        if entry[0] != w[LIKE + tricks] or entry[1] != w[CONTEXT + tricks]:
            entry[0], entry[1] = w[LIKE + tricks], w[CONTEXT + tricks]
            entry[2], entry[3] = -UNBOUNDED << 6, UNBOUNDED
        bound = best - total + (0 if needed == UNKNOWN else needed)
        entry[2] = (bound if best >= 0 else entry[2] >> 6) << 6 | c.trailing_zeros(best_card)
        if best < 0:
            entry[3] = bound
    return best


@kernel
def fill_leads(block: t.Block, leads: t.Int64Array, scoring: t.Int64Array) -> None:
    """Fill twice the leads with two teams, by Capot, tens of bonuses and the contracting total.

    Args:
        leads: int64 (3, BONUS_STEPS, TOTALS).
        scoring: int64 (7,): amount, stake, Capot bid, pending gratuity, and the rules AUCTION,
            ROUNDED, OUTSCORE.
    """
    for capot in range(3):
        for tens in range(BONUS_STEPS):
            for start in range(0, TOTALS, b.LANES):
                for lane in range(b.LANES):
                    own = start + lane
                    other = ALL_POINTS + 10 * tens - own
                    block[_TOTAL + lane] = own + CAPOT_BONUS * (capot == 1)
                    block[_TOTAL + b.STRIDE + lane] = other + CAPOT_BONUS * (capot == 2)
                    block[_TRICKS + lane] = b.TRICKS if capot == 1 else 0
                    _set_contract(block, lane, scoring)
                score_lanes(block, b.LANES, 0, scoring[4], scoring[5], scoring[6])
                for lane in range(b.LANES):
                    leads[capot, tens, start + lane] = _read_lead(block, lane, 0)


@scalar
def _set_contract(block: t.Block, lane: t.Lane, scoring: t.Int64Array) -> None:
    block[b.SENDER_TEAM + lane] = 0
    block[b.AMOUNT + lane] = scoring[0]
    block[b.STAKE + lane] = scoring[1]
    block[b.CAPOT + lane] = scoring[2]
    block[b.PENDING + lane] = scoring[3]


@scalar
def _find_holders(w: t.Int64Pointer, suit: int, cards: int) -> int:
    """Return the holders of low cards of a suit, four bits each, the highest card's last."""
    holders = 0
    for rank in range(4):
        if cards >> rank & 1 != 0:
            for seat in range(_SEATS):
                if w[HANDS + seat] >> 16 * suit + rank & 1 != 0:
                    holders = 16 * holders + seat + 1
    return holders


@scalar
def _find_likeness(w: t.Int64Pointer) -> None:
    for suit in range(4):
        pointless = 4 if w[POINTS + 16 * suit + 3] == 0 else 3
        left = (w[HELD] | w[HELD + 1]) >> 16 * suit & 15
        for cards in range(16):
            if cards & ~left != 0:
                continue
            holders = _find_holders(w, suit, cards)
            # Cards with points stand for themselves.
            like = cards >> pointless << pointless
            while _find_holders(w, suit, like) != holders:
                like += 1
            w[LIKENESS + 16 * suit + cards] = like


@scalar
def _begin_deal(w: t.Int64Pointer, contract: t.Contract, scoring: t.Int64Array) -> None:
    """Fill the workspace for a deal of which it has hands and teams already."""
    for number in range(3):
        w[AUCTION + number] = scoring[4 + number]
    trumps = c.TOP_SUIT if contract < c.NO_TRUMP else 0
    must_beat = c.PACK if contract == c.ALL_TRUMPS else trumps
    w[CONTRACT], w[TRUMPS], w[MUST_BEAT] = contract, trumps, must_beat
    for plane in range(c.PLANE_COUNT):
        w[PLANES + plane] = c.SUIT_PLANES[plane]
        if contract == c.NO_TRUMP:
            w[PLANES + plane] = c.NO_TRUMP_PLANES[plane]
        elif contract == c.ALL_TRUMPS:
            w[PLANES + plane] = c.ALL_TRUMPS_PLANES[plane]
    for index in range(64):
        w[POINTS + index] = _sum_points(w, 1 << index)
        w[DECIDING + index] = -1
        for situation in range(3):
            w[HISTORY + 64 * situation + index] = 0
    for number in range(LEADING.shape[0]):
        w[PROMISES + number], w[PROMISES + 32 + number] = LEADING[number], FOLLOWING[number]
    w[ANNOUNCING] = w[KEPT] = w[HELD] = w[HELD + 1] = 0
    for suit in range(4):
        w[ANNOUNCERS + suit] = -1
    for seat in range(_SEATS):
        hand = w[HANDS + seat]
        w[SIDES + seat] = 1 if w[TEAMS + seat] == 0 else 0
        w[HELD + w[SIDES + seat]] |= hand
        for suit in range(4):
            king_queen = (0b11 << c.TRUMP_QUEEN) << 16 * suit
            if hand & must_beat & king_queen == king_queen:
                jack = hand & (1 << c.TRUMP_JACK + 16 * suit)
                w[ANNOUNCERS + suit] = seat
                w[ANNOUNCING] |= 1 << c.TRUMP_QUEEN + 16 * suit | jack
                w[KEPT] |= king_queen | jack
    w[STAMP] += 1
    w[DEAL_STAMP] = w[STAMP]
    w[NODES] = 0


@kernel
def load_deal(
    w: t.Int64Array, hands: t.Int64Array, teams: t.Int64Array, contract: t.Contract,
    scoring: t.Int64Array,
) -> None:  # fmt: skip
    """Fill the workspace with a deal: the eight cards of each seat, natural coding, and its team.

    Team 0 is the contracting one; `scoring` is that of `fill_leads`.
    """
    for seat in range(_SEATS):
        w[HANDS + seat] = c.to_strength_order(hands[seat], contract)
        w[TEAMS + seat] = teams[seat]
    _begin_deal(w, contract, scoring)
    _find_likeness(w)


@scalar
def _find_enough(leads: t.Int64Pointer, row: int, most: int, goal: int) -> int:
    """Return the least total of a row of leads with the goal; NEVER if the greatest misses it."""
    low, high = 0, most + 1
    while low < high:
        middle = (low + high) // 2
        if leads[row * TOTALS + middle] >= goal:
            high = middle
        else:
            low = middle + 1
    return low if low <= most else NEVER


@scalar
def _pose_question(w: t.Int64Pointer, most_tens: int, goal: int) -> None:
    """Fill the workspace for a goal; `most_tens` is of the bonuses that there may be."""
    w[STAMP] += 1
    w[GOAL] = goal
    for tricks in range(b.TRICKS + 1):
        w[NEEDED + tricks] = UNKNOWN
    w[OWN_CAPOT] = w[OTHER_CAPOT] = 0
    w[LEAST], w[MOST] = NEVER, 0
    for tens in range(most_tens + 1):
        most = ALL_POINTS + 10 * tens
        for capot in range(3):
            enough = _find_enough(int64_at(w[LEADS]), capot * BONUS_STEPS + tens, most, goal)
            w[ENOUGH + capot * BONUS_STEPS + tens] = enough
            w[LEAST], w[MOST] = min(w[LEAST], enough), max(w[MOST], enough)
        alone, own = w[ENOUGH + tens], w[ENOUGH + BONUS_STEPS + tens]
        if max(alone, own) > ALL_POINTS and min(alone, own) <= most:
            w[OWN_CAPOT] = 1
        other = w[ENOUGH + 2 * BONUS_STEPS + tens]
        if max(alone, other) > 0 and min(alone, other) <= 10 * tens:
            w[OTHER_CAPOT] = 1


@scalar
def _sum_most_bonuses(w: t.Int64Pointer, remaining: t.CardSet, announced: int) -> int:
    return (
        _sum_bonuses(w, announced, -1)
        + _sum_open_bonuses(w, remaining, announced, 0)
        + _sum_open_bonuses(w, remaining, announced, 1)
    )


@kernel
def play(workspace: t.Address, turn: t.Int64Array, card: t.Card) -> None:
    """Play a card, natural coding: change the turn, int64 (9,), the arguments of `search`."""
    w = int64_at(workspace)
    _move(w, turn, c.to_strength_order(card, w[CONTRACT]))


@scalar
def _move(w: t.Int64Pointer, turn: t.Int64Array, card: t.Card) -> None:
    after = _play_card(
        w, turn[0], turn[1], turn[2], turn[3], turn[4], turn[5], turn[6], turn[7], turn[8], card
    )
    for number in range(turn.shape[0]):
        turn[number] = after[number]


@kernel
def find_lead(
    workspace: t.Address, turn: t.Int64Array, levels: t.Int64Array, lowest: int, highest: int
) -> int:
    """Return the index of the greatest level that the contracting side can force.

    Args:
        turn: int64 (9,), the arguments `position` to `extra` of `search`.
        levels: int64 (n,), twice the leads that there are, ascending.
        lowest: index of a level that is known to be reached.
        highest: index of the greatest level that may be.
    """
    w = int64_at(workspace)
    most_tens = _sum_most_bonuses(w, turn[2], turn[8] & 255) // 10
    middle = int(np.searchsorted(levels, 1))
    middle = middle if lowest < middle <= highest else (lowest + highest + 1) // 2
    while lowest < highest:
        _pose_question(w, most_tens, levels[middle])
        margin = UNBOUNDED
        if turn[0] == 0:
            margin = _begin_trick(w, turn[1], turn[2], turn[7], turn[8])
        if margin == UNBOUNDED:
            margin = search(
                workspace, turn[0], turn[1], turn[2], turn[3], turn[4], turn[5], turn[6], turn[7],
                turn[8],
            )  # fmt: skip
        if margin >= 0:
            lowest = middle
        else:
            highest = middle - 1
        middle = (lowest + highest + 1) // 2
    return lowest


@scalar
def _find_best_card(
    workspace: t.Address, turn: t.Int64Array, levels: t.Int64Array, level: int
) -> int:
    """Return the number of the leader's first card that keeps a level, the value of the turn."""
    w = int64_at(workspace)
    hand, side = w[HANDS + turn[1]], w[SIDES + turn[1]]
    # The contracting side could fall below the level, the others could let it rise.
    low, high = max(level - side, 0), min(level + 1 - side, levels.shape[0] - 1)
    after, best = np.empty_like(turn), -1
    for number in CARD_ORDER:
        card = c.to_strength_order(1 << number, w[CONTRACT])
        if card & hand != 0:
            best = number
            after[:] = turn
            _move(w, after, card)
            kept = low == high or find_lead(workspace, after, levels, low, high) == level
            w[HANDS + turn[1]] = hand
            w[HELD + side] ^= card
            if kept:
                break
    return best


@kernel
def value_endings(
    workspace: t.Address, state: t.Block, lanes: t.Int64Array, cards: int, scoring: t.Int64Array,
    levels: t.Int64Array, values: t.Int64Array,
) -> None:  # fmt: skip
    """Fill twice the lead that the contracting side can force, the leader's place, and the number
    of the bit of its best card, natural coding, (3, LANES).

    `state` is a block with its history, `lanes`, int64 (n,), are rounds of one scoring, that of
    `fill_leads`, and `cards`, 1 to 8, are left of each player.
    """
    w = int64_at(workspace)
    teams = 3 if w[THREE] != 0 else 2
    turn = np.empty(9, np.int64)
    for lane in lanes:
        for place in range(_SEATS):
            w[HANDS + place] = state[b.cell_index(b.DEALT + place * b.STRIDE, lane)]
            team = b.team_of(state[b.PLAYERS + lane], place) + teams - state[b.SENDER_TEAM + lane]
            w[TEAMS + place] = b.wrap_seat(team, teams)
        _begin_deal(w, state[b.CONTRACT + lane], scoring)
        turn[:] = 0
        turn[2] = c.PACK
        for trick in range(b.TRICKS - cards):
            for card in range(1, _SEATS + 1):
                _move(w, turn, state[b.cell_index(b.history_offset(trick, card), lane)])
        # Only now: of the cards that are left it takes less time.
        _find_likeness(w)
        level = find_lead(workspace, turn, levels, 0, levels.shape[0] - 1)
        values[0, lane], values[1, lane] = levels[level], turn[1]
        values[2, lane] = _find_best_card(workspace, turn, levels, level)
