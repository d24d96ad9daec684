"""What a round is worth (RULES.md sections 6 and 7), and the row that tells of it."""

from __future__ import annotations

from typing import Any

from kqj_sim.core.bits import EACH_LANE, PACK, TRUMP_JACK, TRUMP_QUEEN, popcount
from kqj_sim.core.compile import scalar, stage
from kqj_sim.core.points import points_of
from kqj_sim.core.rules import Rules
from kqj_sim.core.state import (
    AMOUNT,
    AT_TABLE,
    BEFORE,
    CAPOT,
    CLIMBING,
    DEALT,
    PENDING,
    PLAYERS,
    POINTS,
    SEATS,
    SENDER_TEAM,
    STAKE,
    STRIDE,
    TRICKS,
    WON,
    index,
    padded,
    result,
    team_of,
)

MADE, FAILED, LITIGATION, PASSED_OUT = range(4)
RETURN_SUIT, OTHER_SUIT, BID_SUIT, KIND_NO_TRUMP, KIND_ALL_TRUMPS, NO_KIND = range(6)

LAST_TRICK, CAPOT_BONUS, KQ_BONUS, KQJ_BONUS = 10, 154, 20, 50
FEW_POINTS, FEW_POINTS_GRATUITY, NO_TRICK_GRATUITY = 20, 20, 60

_TAKEN = result("taken")
_CONTRACT = result("contract")
_KIND = result("kind")
_RESULT = result("result")
_TOTAL = result("total_0")
_CARD_POINTS = result("card_points_0")
_TRICKS = result("tricks_0")
_SCORE = result("score_0")
_GRATUITY = result("gratuity_0")
_TEAM_OF_SEAT = result("team_of_seat_0")
_KQ_CONTRACTING = result("kq_contracting")
_KQ_DEFENDING = result("kq_defending")
_KQJ_CONTRACTING = result("kqj_contracting")
_KQJ_DEFENDING = result("kqj_defending")
_LOW_TEAMS = result("low_teams")
_TRICKLESS_TEAMS = result("trickless_teams")
_PENDING_AFTER = result("pending_after")
_RECEIVED = result("gratuity_received")
_CONTRACTING_TOTAL = result("contracting_total")
_DEFENDING_TOTAL = result("defending_total")


@scalar
def _of_team(team: int, first: int, second: int, third: int) -> int:
    """The value of a team; a sum, since of nested choices LLVM makes a switch: no vector code."""
    return first * (team == 0) + second * (team == 1) + third * (team == 2)


@scalar
def tens(number: int) -> int:
    """A whole number of tens: number // 10 for 0 <= number < 16384, without a division."""
    return (number * 6554) >> 16


@scalar
def rounded(total: int) -> int:
    """To the nearest ten, 5 upwards."""
    return 10 * tens(total + 5)


@scalar
def announcements(hand: int, before: int, climbing: int) -> tuple[int, int]:
    """Numbers of KQ and of KQJ of a player.

    Args:
        hand: the eight cards he was dealt, by strength.
        before: the rows BEFORE and CLIMBING of `core.state`.
        climbing: see there.
    """
    later = hand & before
    kq = later & (hand >> 1) & climbing & (EACH_LANE << TRUMP_QUEEN)
    kqj = popcount(kq & ((later & (EACH_LANE << TRUMP_JACK)) << 1))
    return popcount(kq) - kqj, kqj


@stage
def count_tricks(state: Any, lanes: int, rules: Rules) -> None:
    """Card points, tricks, bonuses and totals of the teams, from the cards won."""
    n = padded(lanes)
    for i in range(n):
        won_0 = state[WON + i]
        won_1 = state[WON + STRIDE + i]
        won_2 = PACK & ~(won_0 | won_1)
        p1 = state[POINTS + i]
        p2 = state[POINTS + STRIDE + i]
        p4 = state[POINTS + 2 * STRIDE + i]
        p8 = state[POINTS + 3 * STRIDE + i]
        p16 = state[POINTS + 4 * STRIDE + i]
        points_0 = points_of(won_0, p1, p2, p4, p8, p16)
        points_1 = points_of(won_1, p1, p2, p4, p8, p16)
        points_2 = 236 - points_0 - points_1
        state[_CARD_POINTS + i] = points_0
        state[_CARD_POINTS + STRIDE + i] = points_1
        state[_CARD_POINTS + 2 * STRIDE + i] = points_2
        # A trick is six cards; popcount * 11 >> 6 is popcount / 6 for its multiples up to 48.
        state[_TRICKS + i] = (popcount(won_0) * 11) >> 6
        state[_TRICKS + STRIDE + i] = (popcount(won_1) * 11) >> 6
        state[_TRICKS + 2 * STRIDE + i] = (popcount(won_2) * 11) >> 6
        last = team_of(state[AT_TABLE + i], 0)
        last_0 = LAST_TRICK * (last == 0)
        last_1 = LAST_TRICK * (last == 1)
        last_2 = LAST_TRICK * (last == 2)
        state[_TOTAL + i] = points_0 + last_0 + (CAPOT_BONUS if won_0 == PACK else 0)
        state[_TOTAL + STRIDE + i] = points_1 + last_1 + (CAPOT_BONUS if won_1 == PACK else 0)
        state[_TOTAL + 2 * STRIDE + i] = points_2 + last_2 + (CAPOT_BONUS if won_2 == PACK else 0)
        state[_KQ_CONTRACTING + i] = 0
        state[_KQ_DEFENDING + i] = 0
        state[_KQJ_CONTRACTING + i] = 0
        state[_KQJ_DEFENDING + i] = 0
    for place in range(SEATS):
        dealt = DEALT + place * STRIDE
        for i in range(n):
            kq_count, kqj_count = announcements(
                state[index(dealt, i)], state[BEFORE + i], state[CLIMBING + i]
            )
            bonus = KQ_BONUS * kq_count + KQJ_BONUS * kqj_count
            team = team_of(state[PLAYERS + i], place)
            state[_TOTAL + i] += bonus * (team == 0)
            state[_TOTAL + STRIDE + i] += bonus * (team == 1)
            state[_TOTAL + 2 * STRIDE + i] += bonus * (team == 2)
            contracting = team == state[SENDER_TEAM + i]
            state[_KQ_CONTRACTING + i] += kq_count if contracting else 0
            state[_KQ_DEFENDING + i] += 0 if contracting else kq_count
            state[_KQJ_CONTRACTING + i] += kqj_count if contracting else 0
            state[_KQJ_DEFENDING + i] += 0 if contracting else kqj_count


@scalar
def _three_team_gratuity(points: int, tricks: int) -> int:
    """What a team owes each of the others."""
    few = FEW_POINTS_GRATUITY if points <= FEW_POINTS else 0
    return NO_TRICK_GRATUITY if tricks == 0 else few


@scalar
def _payment(
    team: int, contracting: int, outcome: int, total: int, worth: int, auction: int
) -> int:
    """A team's score without gratuities; `worth` is the amount times the stake."""
    score = worth if auction else rounded(total)
    own = team == contracting
    earns = ((outcome == MADE) & own) | ((outcome == FAILED) & (not own))
    return score if earns else 0


@stage
def score_rounds(state: Any, lanes: int, rules: Rules) -> None:
    """Made, failed or litigation; scores and gratuities."""
    n = padded(lanes)
    three = rules.teams == 3
    for i in range(n):
        contracting = state[SENDER_TEAM + i]
        total_0 = state[_TOTAL + i]
        total_1 = state[_TOTAL + STRIDE + i]
        total_2 = state[_TOTAL + 2 * STRIDE + i]
        others_0 = total_0 - 1000 * (contracting == 0)
        others_1 = total_1 - 1000 * (contracting == 1)
        others_2 = total_2 - 1000 * ((contracting == 2) | (not three))
        best = max(max(others_0, others_1), others_2)
        own = _of_team(contracting, total_0, total_1, total_2)
        outscores = FAILED * (own < best) + LITIGATION * (own == best)
        amount = state[AMOUNT + i]
        tricks = _of_team(
            contracting, state[_TRICKS + i], state[_TRICKS + STRIDE + i],
            state[_TRICKS + 2 * STRIDE + i],
        )  # fmt: skip
        capot_missed = (state[CAPOT + i] != 0) & (tricks < TRICKS)
        reached = (rounded(own) if rules.amount_rounded else own) >= amount
        holds = outscores if rules.must_outscore else MADE
        bid = holds if reached & (not capot_missed) else FAILED
        outcome = bid if rules.auction else outscores
        state[_RESULT + i] = outcome
        state[_CONTRACTING_TOTAL + i] = own
        state[_DEFENDING_TOTAL + i] = best

        worth = amount * state[STAKE + i]
        auction = rules.auction
        score_0 = _payment(0, contracting, outcome, total_0, worth, auction)
        score_1 = _payment(1, contracting, outcome, total_1, worth, auction)
        score_2 = _payment(2, contracting, outcome, total_2, worth, auction) if three else 0

        pending = 0 if outcome == LITIGATION else state[PENDING + i]
        made = outcome == MADE
        gratuity_0 = pending * ((contracting == 0) & made | (others_0 == best) & (not made))
        gratuity_1 = pending * ((contracting == 1) & made | (others_1 == best) & (not made))
        gratuity_2 = pending * ((contracting == 2) & made | (others_2 == best) & (not made))
        state[_RECEIVED + i] = pending
        state[_PENDING_AFTER + i] = rounded(own) if outcome == LITIGATION else 0

        low = 0
        trickless = 0
        if three:
            owed_0 = _three_team_gratuity(state[_CARD_POINTS + i], state[_TRICKS + i])
            owed_1 = _three_team_gratuity(
                state[_CARD_POINTS + STRIDE + i], state[_TRICKS + STRIDE + i]
            )
            owed_2 = _three_team_gratuity(
                state[_CARD_POINTS + 2 * STRIDE + i], state[_TRICKS + 2 * STRIDE + i]
            )
            gratuity_0 += owed_1 + owed_2
            gratuity_1 += owed_0 + owed_2
            gratuity_2 += owed_0 + owed_1
            low = (
                1 * (owed_0 == FEW_POINTS_GRATUITY)
                + 1 * (owed_1 == FEW_POINTS_GRATUITY)
                + 1 * (owed_2 == FEW_POINTS_GRATUITY)
            )
            trickless = (
                1 * (owed_0 == NO_TRICK_GRATUITY)
                + 1 * (owed_1 == NO_TRICK_GRATUITY)
                + 1 * (owed_2 == NO_TRICK_GRATUITY)
            )
        state[_LOW_TEAMS + i] = low
        state[_TRICKLESS_TEAMS + i] = trickless
        state[_GRATUITY + i] = gratuity_0
        state[_GRATUITY + STRIDE + i] = gratuity_1
        state[_GRATUITY + 2 * STRIDE + i] = gratuity_2
        state[_SCORE + i] = score_0 + gratuity_0
        state[_SCORE + STRIDE + i] = score_1 + gratuity_1
        state[_SCORE + 2 * STRIDE + i] = score_2 + gratuity_2
