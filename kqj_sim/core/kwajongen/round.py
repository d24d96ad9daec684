"""A block of rounds of Kwajongen, in three stages as in `core.round`."""

from __future__ import annotations

from typing import Any

from kqj_sim.core import marks, round
from kqj_sim.core.calls import no_calls
from kqj_sim.core.compile import calling, kernel, stage, variant
from kqj_sim.core.kwajongen.calls import accepting, name_trumps
from kqj_sim.core.kwajongen.deal import deal
from kqj_sim.core.kwajongen.play import play_tricks, prepare_play
from kqj_sim.core.kwajongen.rows import describe_calls, describe_passed_out, describe_play
from kqj_sim.core.kwajongen.rules import Rules
from kqj_sim.core.kwajongen.scoring import score_rounds
from kqj_sim.core.kwajongen.state import SEATS, TRICKS, turned
from kqj_sim.core.play import taken_first
from kqj_sim.core.round import EMPTY_TABLE, stage_signature
from kqj_sim.core.rules import Table
from kqj_sim.core.state import ABOUT, DEALER, PLAYERS, padded

_TEAMS = sum((seat % 2) << ABOUT * seat for seat in range(SEATS))


@stage
def seat_players(state: Any, lanes: int, policy_of_seat: int) -> None:
    """Fill PLAYERS: the team and the policy of each place, from the seats and the dealer."""
    seats = _TEAMS
    for seat in range(SEATS):
        seats |= ((policy_of_seat >> 4 * seat) & 7) << (ABOUT * seat + 2)
    for i in range(padded(lanes)):
        left = state[DEALER + i] + 1
        state[PLAYERS + i] = turned(seats, 0 if left == SEATS else left)


@kernel
def begin(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """Seat the players and deal."""
    seat_players(state, lanes, table.seats)
    deal(state, lanes)
    no_calls(state, lanes)
    name_trumps(state, lanes)
    return lanes


@kernel
def accept(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """The calls."""
    accepting(state, lanes, rules, table, log, 0, SEATS)
    return lanes


@kernel
def finish(state: Any, lanes: int, rules: Rules, table: Table, log: Any) -> int:
    """Play and score where somebody accepted, and describe it; how many lanes were played.

    Lanes are exchanged so that those that were played come first.
    """
    played = taken_first(state, lanes, 0)
    prepare_play(state, played, rules)
    if played > 0:
        play_tricks(state, played, rules, table, 0, 0)
        score_rounds(state, played)
    if table.wanted.shape[0] > 0:
        describe_calls(state, lanes)
        describe_play(state, played)
        describe_passed_out(state, lanes, played)
    return played


call_stage = calling(stage_signature(Rules(2, 0), EMPTY_TABLE))
"""Call a stage of a round: (address, (state, lanes, rules, table, log))."""

write_marks = stage(variant("kwajongen_write_marks", marks.write_marks, SEATS=SEATS, TRICKS=TRICKS))
play_block = kernel(variant("kwajongen_play_block", round.play_block, call_stage=call_stage))
start_deals = kernel(variant("kwajongen_start_deals", round.start_deals, SEATS=SEATS))
play_deals = kernel(
    variant(
        "kwajongen_play_deals",
        round.play_deals,
        start_deals=start_deals,
        play_block=play_block,
        write_marks=write_marks,
    )
)
play_again = kernel(variant("kwajongen_play_again", round.play_again, play_block=play_block))
