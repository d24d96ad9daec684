"""A turn to play: what the player sees in his lane of the block, and his card put on the table."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import rng
from kqj_sim.core.bits import by_strength, chosen
from kqj_sim.core.compile import scalar
from kqj_sim.core.state import (
    AMOUNT,
    AT_TABLE,
    CAPOT,
    CARDS,
    CLIMB_LED,
    CLIMBING,
    CONTRACT,
    HAND,
    KEY,
    LEADER,
    LED,
    MASTER,
    MASTER_TEAM,
    PLAYED,
    POINTS,
    SEATS,
    SENDER,
    SENDER_TEAM,
    STAKE,
    STRIDE,
    TRICK,
    TRUMPS,
    TURNED,
    WON,
    around,
    index,
    team_of,
)
from kqj_sim.core.trick import lane_of, legal_cards, winning_cards
from kqj_sim.core.views import CardView


@scalar
def _of_team(team: int, played: int, won_0: int, won_1: int) -> int:
    """The cards won by a team."""
    won_2 = played & ~(won_0 | won_1)
    return (won_0 & -(team == 0)) | (won_1 & -(team == 1)) | (won_2 & -(team == 2))


@scalar
def turned_up(state: Any, i: int) -> int:
    """The Return of a lane by strength; 0 with auctions."""
    return 0 if state[AMOUNT + i] > 0 else by_strength(state[TURNED + i], state[CONTRACT + i])


@scalar
def lead_view(state: Any, i: int, trick: int, teams: int) -> CardView:
    """What the leader of a lane sees."""
    players = state[AT_TABLE + i]
    hand = state[HAND + i]
    place = state[LEADER + i]
    team = team_of(players, 0)
    contracting = state[SENDER_TEAM + i]
    played, won, too = state[PLAYED + i], state[WON + i], state[WON + STRIDE + i]
    return CardView(
        hand, hand, trick, 0, 0, state[TRUMPS + i], state[CLIMBING + i], -1, 0, 0, 0, played,
        _of_team(team, played, won, too), _of_team(contracting, played, won, too),
        turned_up(state, i),
        state[POINTS + i], state[POINTS + STRIDE + i], state[POINTS + 2 * STRIDE + i],
        state[POINTS + 3 * STRIDE + i], state[POINTS + 4 * STRIDE + i],
        players, place, state[SENDER + i],
        1 if contracting == team else 0,
        state[CONTRACT + i], state[AMOUNT + i], state[CAPOT + i], state[STAKE + i], teams,
        rng.card_draw(state[KEY + i], trick, place),
    )  # fmt: skip


@scalar
def held(state: Any, i: int, position: int) -> int:
    """The cards in the hand of a position of a lane."""
    return state[index(HAND + position * STRIDE, i)]


@scalar
def follow_view(state: Any, i: int, hand: int, trick: int, position: int, teams: int) -> CardView:
    """What a following position (1 to 5) of a lane sees, who holds a hand."""
    players = state[AT_TABLE + i]
    leader = state[LEADER + i]
    place = around(leader + position, SEATS)
    led = state[LED + i]
    trumps = state[TRUMPS + i]
    master = state[MASTER + i]
    team = team_of(players, position)
    winning = winning_cards(led, trumps, master)
    partner = state[MASTER_TEAM + i] == team
    legal = legal_cards(hand, led, state[CLIMB_LED + i], winning, partner)
    contracting = state[SENDER_TEAM + i]
    played, won, too = state[PLAYED + i], state[WON + i], state[WON + STRIDE + i]
    return CardView(
        hand, legal, trick, position, led, trumps, state[CLIMBING + i], winning, master,
        1 if partner else 0, state[TRICK + i], played,
        _of_team(team, played, won, too), _of_team(contracting, played, won, too),
        turned_up(state, i),
        state[POINTS + i], state[POINTS + STRIDE + i], state[POINTS + 2 * STRIDE + i],
        state[POINTS + 3 * STRIDE + i], state[POINTS + 4 * STRIDE + i],
        players, leader, state[SENDER + i],
        1 if contracting == team else 0,
        state[CONTRACT + i], state[AMOUNT + i], state[CAPOT + i], state[STAKE + i], teams,
        rng.card_draw(state[KEY + i], trick, place),
    )  # fmt: skip


@scalar
def legal_in(state: Any, i: int, trick: int, position: int, teams: int) -> int:
    """The cards that a position of a lane may play."""
    if position == 0:
        return lead_view(state, i, trick, teams).legal
    return follow_view(state, i, held(state, i, position), trick, position, teams).legal


@scalar
def put_lead(state: Any, i: int, card: int) -> None:
    """Put the leader's card on the table."""
    led = lane_of(card)
    state[CARDS + i] = card
    state[TRICK + i] = card
    state[LED + i] = led
    state[CLIMB_LED + i] = led & state[CLIMBING + i]
    state[MASTER + i] = card
    state[MASTER_TEAM + i] = team_of(state[AT_TABLE + i], 0)


@scalar
def put_follow(state: Any, i: int, position: int, card: int) -> None:
    """Put the card of a following position (1 to 5) on the table."""
    state[index(CARDS + position * STRIDE, i)] = card
    join_trick(state, i, position, card)


@scalar
def join_trick(state: Any, i: int, position: int, card: int) -> None:
    """What the card of a following position means for the trick."""
    master = state[MASTER + i]
    wins = card & winning_cards(state[LED + i], state[TRUMPS + i], master) != 0
    team = team_of(state[AT_TABLE + i], position)
    state[TRICK + i] |= card
    state[MASTER + i] = chosen(wins, card, master)
    state[MASTER_TEAM + i] = chosen(wins, team, state[MASTER_TEAM + i])
