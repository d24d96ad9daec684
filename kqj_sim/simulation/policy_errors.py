"""Errors of user policies in a round: the round is replayed, and the policies' answers logged."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import carray
from numpy.typing import NDArray

from kqj_sim.core.block import DEAL_NUMBER, DEALER, LANES, PENDING, allocate_block
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.dispatch import LOOP_COUNT
from kqj_sim.core.jit import int64_at, scalar
from kqj_sim.core.round import play_block
from kqj_sim.core.rules import MAX_POLICIES
from kqj_sim.core.views import EXCEPTION_RAISED, PASS
from kqj_sim.engines import Engine, get_engine
from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.imposed import ImposedContract, ImposedFirstCall
from kqj_sim.policies.binding import (
    DECISION_OF_LOOP,
    VIEW_OF_DECISION,
    adapt_arguments,
    bind_function,
    guard_exceptions,
    make_parameters_reader,
)
from kqj_sim.policies.card_sets import format_cards
from kqj_sim.policies.configured import ConfiguredPolicy
from kqj_sim.policies.players import Player
from kqj_sim.policies.registry import Policy
from kqj_sim.policies.user_policies import locate_source
from kqj_sim.rules import GameRules
from kqj_sim.simulation.encode import CONTRACTS, encode_rules, encode_seating

_VIEWS: dict[str, Any] = dict(VIEW_OF_DECISION)
_ENTRY_SIZE = 3 + max(len(view._fields) for view in _VIEWS.values())
"""Numbers per answer in the log: loop, number of the policy, answer, then the view."""

_LOG_SIZE = 1 + 4096 * _ENTRY_SIZE
"""Room for all answers of a round; the first number is the size of the part in use."""


class FailedRound(NamedTuple):
    """A round in which a policy failed: the numbers that replay it."""

    seed: int
    deal: int
    dealer: int
    pending: int


def find_failed_round(state: NDArray[np.int64], seed: int, deal: int) -> FailedRound:
    """Return the round of a deal that is in a block."""
    lane = int(np.flatnonzero(state[DEAL_NUMBER : DEAL_NUMBER + LANES] == deal)[0])
    return FailedRound(seed, deal, int(state[DEALER + lane]), int(state[PENDING + lane]))


def explain_failure(
    rules: GameRules,
    players: Sequence[Player],
    imposed: ImposedContract | ImposedFirstCall | None,
    failed: FailedRound,
) -> InputError:
    """Return the error for an illegal choice, or an exception, with the policy's own line.

    Args:
        rules, players, imposed: the experiment.
        failed: the round in which it happened.
    """
    game = get_engine(rules)
    where = f"deal {failed.deal} of seed {failed.seed}"
    for chosen, question, answer, view in replay_decisions(rules, players, imposed, failed):
        fault = _CHECKS[question](view, answer, game)
        if fault is None:
            continue
        line = 0
        if answer == EXCEPTION_RAISED:
            line, fault = _find_exception(chosen, question, view)
        seats = game.rules.seats
        seat = (failed.dealer + 1 + _place_of_view(question, view, seats)) % seats
        function = chosen.policy.choices[question][0]
        place = locate_source(function, line)
        who = f"policy {chosen.policy.name!r}, {function.__name__}()"
        return InputError(f"{place}: {who}, {where}, seat {seat}: {fault}")
    return InputError(f"a policy chose a call or card that is not legal in {where}")


def replay_decisions(
    rules: GameRules,
    players: Sequence[Player],
    imposed: ImposedContract | ImposedFirstCall | None,
    failed: FailedRound,
) -> list[tuple[ConfiguredPolicy, str, int, Any]]:
    """Replay a round; return (policy, decision, answer, view) of each answer of user policies."""
    game, table = get_engine(rules), encode_seating(rules, players, imposed)
    distinct = list(dict.fromkeys(players))
    notes = np.zeros(_LOG_SIZE, dtype=np.int64)
    notes[0] = 1
    headers = np.zeros((LOOP_COUNT, MAX_POLICIES, 3), dtype=np.int64)
    for member, question in enumerate(DECISION_OF_LOOP):
        for number, each in enumerate(distinct):
            at = member * MAX_POLICIES + number
            if table.loop_addresses[at] == 0:
                continue
            policy = each.policy_for(question).policy
            if policy.built_in:
                continue
            headers[member, number] = member, number, notes.ctypes.data
            table.resources[at] = headers[member, number].ctypes.data
            table.loop_addresses[at] = _bind_logging_loop(member, policy, game.rules.game).address
    state = allocate_block()
    game.start_deals(state, failed.deal, 1)
    state[DEALER], state[PENDING] = failed.dealer, failed.pending
    play_block(state, 1, failed.seed, encode_rules(rules), table, np.empty(0, np.int64))
    found = []
    for start in range(1, int(notes[0]), _ENTRY_SIZE):
        member, number, answered = (int(value) for value in notes[start : start + 3])
        question = DECISION_OF_LOOP[member]
        kind = _VIEWS[question]
        values = notes[start + 3 : start + 3 + len(kind._fields)].tolist()
        chosen = distinct[number].policy_for(question).under(rules)
        found.append((chosen, question, answered, kind(*values)))
    return found


@cache
def _bind_logging_loop(loop: int, policy: Policy, game: str) -> Any:
    """Compile a loop with a policy that logs its views and answers."""
    inner = guard_exceptions(adapt_arguments(*policy.compile_decision(DECISION_OF_LOOP[loop])))
    start = loop * MAX_POLICIES

    def read(resources: Any, number: int) -> Any:
        return carray(int64_at(resources[start + number]), 3)

    def note(view: Any, values: Any, header: Any) -> Any:
        call = inner(view, values, header)
        notes = carray(int64_at(header[2]), _LOG_SIZE)
        at = notes[0]
        if at + _ENTRY_SIZE <= _LOG_SIZE:
            notes[at] = header[0]
            notes[at + 1] = header[1]
            notes[at + 2] = call
            for k in range(len(view)):
                notes[at + 3 + k] = view[k]
            notes[0] = at + _ENTRY_SIZE
        return call

    reader = make_parameters_reader(loop, policy.tuple_type)
    return bind_function(
        loop,
        scalar(note),
        reader,
        scalar(read),
        None,
        sole_policy=False,
        checked=True,
        loops=find_game(game).part("engine").loops,
    )


def _place_of_view(decision: str, view: Any, seats: int) -> int:
    """Return the place of the player who decides."""
    return (view.leader + view.position) % seats if decision == "card" else int(view.place)


def _find_exception(configured: ConfiguredPolicy, decision: str, view: Any) -> tuple[int, str]:
    """Return the line of an exception in the user's file (0 if unknown), and its text."""
    plain, arguments = configured.policy.choices[decision]
    compiled, _ = configured.policy.compile_decision(decision)
    asked = (view, configured.policy.tuple_type(*configured.numbers))[:arguments]
    path = plain.__code__.co_filename
    swapped = asked[::-1] if decision in configured.policy.methods else asked
    # Python knows its lines better than numba.
    for function, given in ((plain, swapped), (compiled, asked)):
        try:
            function(*given)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno or 0 for frame in frames if frame.filename == path]
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return lines[-1] if lines else 0, told
    return 0, "an exception"


def _check_card(view: Any, card: int, game: Engine) -> str | None:
    """Return the error of a card, None if it is legal."""
    if card > 0 and card.bit_count() == 1 and card & view.legal:
        return None
    known = card & game.pack == card
    chosen = format_cards(card, view.contract, game.rules.game) if known else []
    if len(chosen) == 1:
        what = f"{chosen[0]} is not legal"
    else:
        what = f"{len(chosen)} cards ({' '.join(chosen)})" if chosen else f"{card} is no card"
    return f"{what}; legal: {' '.join(format_cards(view.legal, view.contract, game.rules.game))}"


def _check_take(view: Any, call: int, game: Engine) -> str | None:
    """Return the error of a decision to take, None if it is allowed."""
    own = (view.turned.bit_length() - 1) >> 4
    allowed = list(range(NO_TRUMP)) if view.lap == 2 else [own]
    allowed += [NO_TRUMP, ALL_TRUMPS] if view.all_no_trump else []
    if call == PASS or call in allowed:
        return None
    named = f" ({CONTRACTS[call]})" if 0 <= call <= ALL_TRUMPS else ""
    texts = ", ".join(f"{each} ({CONTRACTS[each]})" for each in allowed)
    return f"{call}{named} may not be taken in lap {view.lap}; allowed: PASS, {texts}"


def _check_bid(view: Any, call: int, game: Engine) -> str | None:
    """Return the error of a bid, None if it is allowed."""
    amount, contract = call >> 4, (call >> 1) & 7
    highest = ALL_TRUMPS if view.all_no_trump else NO_TRUMP - 1
    amounts = range(view.lowest_amount, view.highest_amount + 1, 10)
    if call == PASS or (call >= 0 and amount in amounts and contract <= highest):
        return None
    what = f"bid_code({amount}, {contract}, {call & 1})" if call >= 0 else str(call)
    bids = f", amounts {amounts[0]} to {amounts[-1]} by tens, contracts 0 to {highest}"
    return f"{what} may not be bid; allowed: PASS{bids if amounts else ''}"


def _check_yes_or_no(view: Any, call: int, game: Engine) -> str | None:
    """Return the error of a decision to counter, or to play, None if it is allowed."""
    return None if call in (0, 1) else f"{call} is no answer; allowed: True or False"


_CHECKS = {
    "take": _check_take,
    "bid": _check_bid,
    "counter": _check_yes_or_no,
    "overcounter": _check_yes_or_no,
    "accept": _check_yes_or_no,
    "card": _check_card,
}
