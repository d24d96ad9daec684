"""Scoring of played rounds (docs/rules.md, sections 6 and 7), into the columns of the results."""

from __future__ import annotations

from kqj_sim.columns import CARD_POINTS
from kqj_sim.core import block as b
from kqj_sim.core import cards as c
from kqj_sim.core.jit import block_loop, scalar
from kqj_sim.core.types import Block, CardSet, Lane, Place, Rules, Team

MADE, FAILED, LITIGATION, PASSED_OUT = range(4)
RETURN_SUIT, OTHER_SUIT, BID_SUIT, KIND_NO_TRUMP, KIND_ALL_TRUMPS, NO_KIND = range(6)
"""Kinds of contract."""

LAST_TRICK_BONUS, CAPOT_BONUS, KQ_BONUS, KQJ_BONUS = 10, 154, 20, 50
CAPOT_TOTAL = CARD_POINTS + LAST_TRICK_BONUS + CAPOT_BONUS
"""Total that a Capot is sure to reach."""
FEW_POINTS, FEW_POINTS_GRATUITY, NO_TRICK_GRATUITY = 20, 20, 60

_RESULT = b.column_offset("result")
_TOTAL = b.column_offset("total_0")
_CARD_POINTS = b.column_offset("card_points_0")
_TRICKS = b.column_offset("tricks_0")
_SCORE = b.column_offset("score_0")
_GRATUITY = b.column_offset("gratuity_0")
_KQ_CONTRACTING = b.column_offset("kq_contracting")
_KQ_DEFENDING = b.column_offset("kq_defending")
_KQJ_CONTRACTING = b.column_offset("kqj_contracting")
_KQJ_DEFENDING = b.column_offset("kqj_defending")
_LOW_TEAMS = b.column_offset("low_teams")
_TRICKLESS_TEAMS = b.column_offset("trickless_teams")
_PENDING_AFTER = b.column_offset("pending_after")
_GRATUITY_RECEIVED = b.column_offset("gratuity_received")
_CONTRACTING_TOTAL = b.column_offset("contracting_total")
_DEFENDING_TOTAL = b.column_offset("defending_total")


@scalar
def count_announcements(
    hand: CardSet, upper_played_earlier: CardSet, must_beat: CardSet
) -> tuple[int, int]:
    """Count the KQ and the KQJ that a player announced.

    `hand` is the eight cards dealt to the player, by strength; the others are rows of the block.
    """
    later = hand & upper_played_earlier
    kq = later & (hand >> 1) & must_beat & (c.EACH_SUIT << c.TRUMP_QUEEN)
    kqj = c.popcount(kq & ((later & (c.EACH_SUIT << c.TRUMP_JACK)) << 1))
    return c.popcount(kq) - kqj, kqj


_TEAM_BITS, _KQJ_SHIFT, _COUNT = 16, 8, 255
"""Packed announcements: bits of a team, place of its KQJ in them, and the bits of a number."""


@scalar
def _pack_announcements(state: Block, lane: Lane, place: Place) -> int:
    """Return the KQ and KQJ that a place announced, packed with the bits of its team."""
    kq, kqj = count_announcements(
        state[b.cell_index(b.DEALT + place * b.STRIDE, lane)],
        state[b.UPPER_PLAYED_EARLIER + lane],
        state[b.MUST_BEAT + lane],
    )
    return (kq | kqj << _KQJ_SHIFT) << _TEAM_BITS * b.team_of(state[b.PLAYERS + lane], place)


@scalar
def _sum_bonuses(announced: int) -> int:
    """Return the bonuses for the announcements of the team whose bits are the lowest."""
    return KQ_BONUS * (announced & _COUNT) + KQJ_BONUS * (announced >> _KQJ_SHIFT & _COUNT)


@block_loop
def count_tricks(state: Block, lanes: int, rules: Rules) -> None:
    """Fill card points, tricks, bonuses and totals of the teams from the cards won."""
    n = b.pad_lanes(lanes)
    for i in range(n):
        won_0 = state[b.WON_CARDS + i]
        won_1 = state[b.WON_CARDS + b.STRIDE + i]
        won_2 = c.PACK & ~(won_0 | won_1)
        p1 = state[b.POINT_PLANES + i]
        p2 = state[b.POINT_PLANES + b.STRIDE + i]
        p4 = state[b.POINT_PLANES + 2 * b.STRIDE + i]
        p8 = state[b.POINT_PLANES + 3 * b.STRIDE + i]
        p16 = state[b.POINT_PLANES + 4 * b.STRIDE + i]
        points_0 = c.count_card_points(won_0, p1, p2, p4, p8, p16)
        points_1 = c.count_card_points(won_1, p1, p2, p4, p8, p16)
        points_2 = CARD_POINTS - points_0 - points_1
        state[_CARD_POINTS + i] = points_0
        state[_CARD_POINTS + b.STRIDE + i] = points_1
        state[_CARD_POINTS + 2 * b.STRIDE + i] = points_2
        # A trick is six cards; popcount * 11 >> 6 is popcount / 6 for its multiples up to 48.
        state[_TRICKS + i] = (c.popcount(won_0) * 11) >> 6
        state[_TRICKS + b.STRIDE + i] = (c.popcount(won_1) * 11) >> 6
        state[_TRICKS + 2 * b.STRIDE + i] = (c.popcount(won_2) * 11) >> 6
        last = b.team_of(state[b.PLAYERS_BY_POSITION + i], 0)
        last_0 = LAST_TRICK_BONUS * (last == 0)
        last_1 = LAST_TRICK_BONUS * (last == 1)
        last_2 = LAST_TRICK_BONUS * (last == 2)
        state[_TOTAL + i] = points_0 + last_0 + (CAPOT_BONUS if won_0 == c.PACK else 0)
        state[_TOTAL + b.STRIDE + i] = points_1 + last_1 + (CAPOT_BONUS if won_1 == c.PACK else 0)
        state[_TOTAL + 2 * b.STRIDE + i] = (
            points_2 + last_2 + (CAPOT_BONUS if won_2 == c.PACK else 0)
        )
    for i in range(n):
        announced = (
            _pack_announcements(state, i, 0)
            + _pack_announcements(state, i, 1)
            + _pack_announcements(state, i, 2)
            + _pack_announcements(state, i, 3)
            + _pack_announcements(state, i, 4)
            + _pack_announcements(state, i, 5)
        )
        second = announced >> _TEAM_BITS
        third = second >> _TEAM_BITS
        state[_TOTAL + i] += _sum_bonuses(announced)
        state[_TOTAL + b.STRIDE + i] += _sum_bonuses(second)
        state[_TOTAL + 2 * b.STRIDE + i] += _sum_bonuses(third)
        contracting = announced >> _TEAM_BITS * state[b.SENDER_TEAM + i]
        everybody = announced + second + third
        kq, kqj = contracting & _COUNT, contracting >> _KQJ_SHIFT & _COUNT
        state[_KQ_CONTRACTING + i] = kq
        state[_KQ_DEFENDING + i] = (everybody & _COUNT) - kq
        state[_KQJ_CONTRACTING + i] = kqj
        state[_KQJ_DEFENDING + i] = (everybody >> _KQJ_SHIFT & _COUNT) - kqj


@scalar
def _gratuity_owed(points: int, tricks: int) -> int:
    """Return the gratuity that a team owes each of the others."""
    few = FEW_POINTS_GRATUITY if points <= FEW_POINTS else 0
    return NO_TRICK_GRATUITY if tricks == 0 else few


@scalar
def _base_score(
    team: Team, contracting: Team, outcome: int, total: int, stake_value: int, auction: int
) -> int:
    """Return a team's score without gratuities; `stake_value` is the amount times the stake."""
    score = stake_value if auction else c.round_to_ten(total)
    own = team == contracting
    earns = ((outcome == MADE) & own) | ((outcome == FAILED) & (not own))
    return score if earns else 0


@block_loop
def score_rounds(state: Block, lanes: int, rules: Rules) -> None:
    """Fill results (made, failed or litigation), scores and gratuities."""
    n = b.pad_lanes(lanes)
    three = rules.teams == 3
    for i in range(n):
        contracting = state[b.SENDER_TEAM + i]
        total_0 = state[_TOTAL + i]
        total_1 = state[_TOTAL + b.STRIDE + i]
        total_2 = state[_TOTAL + 2 * b.STRIDE + i]
        others_0 = total_0 - 1000 * (contracting == 0)
        others_1 = total_1 - 1000 * (contracting == 1)
        others_2 = total_2 - 1000 * ((contracting == 2) | (not three))
        best = max(max(others_0, others_1), others_2)
        own = b.select_by_team(contracting, total_0, total_1, total_2)
        outscores = FAILED * (own < best) + LITIGATION * (own == best)
        amount = state[b.AMOUNT + i]
        tricks = b.select_by_team(
            contracting, state[_TRICKS + i], state[_TRICKS + b.STRIDE + i],
            state[_TRICKS + 2 * b.STRIDE + i],
        )  # fmt: skip
        capot_missed = (state[b.CAPOT + i] != 0) & (tricks < b.TRICKS)
        reached = (c.round_to_ten(own) if rules.amount_rounded else own) >= amount
        holds = outscores if rules.must_outscore else MADE
        bid = holds if reached & (not capot_missed) else FAILED
        outcome = bid if rules.auction else outscores
        state[_RESULT + i] = outcome
        state[_CONTRACTING_TOTAL + i] = own
        state[_DEFENDING_TOTAL + i] = best

        stake_value = amount * state[b.STAKE + i]
        auction = rules.auction
        score_0 = _base_score(0, contracting, outcome, total_0, stake_value, auction)
        score_1 = _base_score(1, contracting, outcome, total_1, stake_value, auction)
        base_2 = _base_score(2, contracting, outcome, total_2, stake_value, auction)
        score_2 = base_2 if three else 0

        pending = 0 if outcome == LITIGATION else state[b.PENDING + i]
        made = outcome == MADE
        gratuity_0 = pending * ((contracting == 0) & made | (others_0 == best) & (not made))
        gratuity_1 = pending * ((contracting == 1) & made | (others_1 == best) & (not made))
        gratuity_2 = pending * ((contracting == 2) & made | (others_2 == best) & (not made))
        state[_GRATUITY_RECEIVED + i] = pending
        state[_PENDING_AFTER + i] = c.round_to_ten(own) if outcome == LITIGATION else 0

        low = 0
        trickless = 0
        if three:
            owed_0 = _gratuity_owed(state[_CARD_POINTS + i], state[_TRICKS + i])
            owed_1 = _gratuity_owed(
                state[_CARD_POINTS + b.STRIDE + i], state[_TRICKS + b.STRIDE + i]
            )
            owed_2 = _gratuity_owed(
                state[_CARD_POINTS + 2 * b.STRIDE + i], state[_TRICKS + 2 * b.STRIDE + i]
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
        state[_GRATUITY + b.STRIDE + i] = gratuity_1
        state[_GRATUITY + 2 * b.STRIDE + i] = gratuity_2
        state[_SCORE + i] = score_0 + gratuity_0
        state[_SCORE + b.STRIDE + i] = score_1 + gratuity_1
        state[_SCORE + 2 * b.STRIDE + i] = score_2 + gratuity_2
