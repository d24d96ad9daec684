"""Errors of user policies in a round: the round is replayed, and the policies' answers logged."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numba import carray, types
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import jit
from kqj_sim.core.block import DEAL_NUMBER, DEALER, LANES, PENDING, allocate_block
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.core.dispatch import LOOP_COUNT
from kqj_sim.core.round import play_block
from kqj_sim.core.types import MAX_PARAMETERS, MAX_POLICIES
from kqj_sim.core.views import EXCEPTION_RAISED, PASS
from kqj_sim.engines import Engine, Imposed, get_engine
from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.messages import describe_error
from kqj_sim.policies import binding
from kqj_sim.policies.card_sets import format_cards
from kqj_sim.policies.players import ConfiguredPolicy, Player
from kqj_sim.policies.registry import Policy
from kqj_sim.policies.user_code import locate_source
from kqj_sim.rules import GameRules
from kqj_sim.simulation.encode import encode_rules, encode_seating

_VIEWS: dict[str, Any] = dict(binding.VIEW_OF_DECISION)
_ENTRY_SIZE = 3 + max(len(view._fields) for view in _VIEWS.values())
"""Numbers of an answer in the log: loop, number of the policy, answer, then the view."""

_LOG_ENTRIES = 4096
"""Room for all answers of a round."""


FailedRound: TypeAlias = tuple[int, int, int]
"""Deal, dealer and pending gratuity of a round in which a policy failed: what replays it."""


def find_failed_round(state: NDArray[np.int64], deal: int) -> FailedRound:
    """Return the round of a deal that is in a block."""
    lane = int(np.flatnonzero(state[DEAL_NUMBER : DEAL_NUMBER + LANES] == deal)[0])
    return deal, int(state[DEALER + lane]), int(state[PENDING + lane])


def explain_failure(
    rules: GameRules,
    players: Sequence[Player],
    imposed: Imposed,
    seed: int,
    failed: FailedRound,
) -> InputError:
    """Return the error for an illegal choice, or an exception, with the policy's own line."""
    game = get_engine(rules)
    deal, dealer, _ = failed
    where = f"deal {deal} of seed {seed}"
    replayed = replay_decisions(rules, players, imposed, seed, failed)
    for configured, decision, answer, view in replayed:
        fault = _CHECKS[decision](view, answer, game)
        if fault is None:
            continue
        line = 0
        if answer == EXCEPTION_RAISED:
            line, fault = _find_exception(configured, decision, view)
        seats = game.rules.seats
        seat = (dealer + 1 + _place_of_view(decision, view, seats)) % seats
        function = configured.policy.choices[decision][0]
        place = locate_source(function, line)
        who = f"policy {configured.policy.name!r}, {function.__name__}()"
        return InputError(f"{place}: {who}, {where}, seat {seat}: {fault}")
    for policy in {part.policy for player in players for part in player.parts.values()}:
        if policy.failure:
            return InputError(f"player {policy.name!r}, {where}: {policy.failure}")
    return InputError(f"a policy chose a call or card that is not legal in {where}")


def replay_decisions(
    rules: GameRules,
    players: Sequence[Player],
    imposed: Imposed,
    seed: int,
    failed: FailedRound,
) -> Iterator[tuple[ConfiguredPolicy, str, int, Any]]:
    """Replay a round; yield (policy, decision, answer, view) of each answer of user policies."""
    state = allocate_block()
    deal, dealer, pending = failed
    get_engine(rules).start_deals(state, deal, 1)
    state[DEALER], state[PENDING] = dealer, pending
    entries = _play_and_log(state, 1, seed, rules, players, imposed)
    distinct = list(dict.fromkeys(players))
    for loop, number, answer, *values in entries.tolist():
        decision = binding.DECISION_OF_LOOP[loop]
        kind = _VIEWS[decision]
        configured = distinct[number].policy_for(decision).under(rules)
        yield configured, decision, answer, kind(*values[: len(kind._fields)])


def log_decisions(
    rules: GameRules, player: Player, seed: int, deals: int
) -> Iterator[tuple[ConfiguredPolicy, str, NDArray[np.int64], NDArray[np.int64]]]:
    """Play the first deals of a seed with one player at all seats, at most LANES of them.

    Yields for each loop whose answers are those of a user policy (policy, decision, answers (n,),
    views (n, fields)).
    """
    state = allocate_block()
    get_engine(rules).start_deals(state, 0, deals)
    entries = _play_and_log(state, deals, seed, rules, [player] * rules.seats, None)
    for loop in np.unique(entries[:, 0]).tolist():
        decision = binding.DECISION_OF_LOOP[loop]
        size = len(_VIEWS[decision]._fields)
        logged = entries[entries[:, 0] == loop]
        configured = player.policy_for(decision).under(rules)
        yield configured, decision, logged[:, 2], logged[:, 3 : 3 + size]


def _play_and_log(
    state: NDArray[np.int64],
    lanes: int,
    seed: int,
    rules: GameRules,
    players: Sequence[Player],
    imposed: Imposed,
) -> NDArray[np.int64]:
    """Play the rounds of a block; return the answers of user policies (n, _ENTRY_SIZE)."""
    seating, game = encode_seating(rules, players, imposed), rules.game
    seating = seating._replace(
        resources=seating.resources.copy(), loop_addresses=seating.loop_addresses.copy()
    )
    # The end of the part in use, where the last entry may begin, and the entries.
    log = np.zeros(2 + (lanes * _LOG_ENTRIES + 1) * _ENTRY_SIZE, dtype=np.int64)
    log[:2] = 2, len(log) - _ENTRY_SIZE
    headers = np.zeros((LOOP_COUNT, MAX_POLICIES, 5), dtype=np.int64)
    for loop, decision in enumerate(binding.DECISION_OF_LOOP):
        for number, player in enumerate(dict.fromkeys(players)):
            at = loop * MAX_POLICIES + number
            if seating.loop_addresses[at] == 0:
                continue
            policy = player.policy_for(decision).policy
            if policy.built_in:
                continue
            parameters = seating.parameters[binding.parameter_offset(loop, number) :]
            asking = jit.address_of(compile_asking(policy, decision), _ASKING_SIGNATURE)
            header = headers[loop, number]
            header[:] = loop, number, log.ctypes.data, asking, parameters.ctypes.data
            seating.resources[at] = header.ctypes.data
            seating.loop_addresses[at] = _bind_logging_loop(loop, game).address
    play_block(state, lanes, seed, encode_rules(rules), seating, np.empty(0, np.int64))
    return log[2 : log[0]].reshape(-1, _ENTRY_SIZE)


_ASKING_SIGNATURE = types.void(types.int64[::1], types.float64[::1], types.int64[::1], types.int64)
"""Views one after the other, parameters, the array for the answers, and how often to ask."""

_ask_at = jit.make_address_caller(_ASKING_SIGNATURE)


@cache
def compile_asking(policy: Policy, decision: str) -> Any:
    """Compile a loop of `_ASKING_SIGNATURE` that asks a policy with given views."""
    choose = binding.guard_exceptions(binding.adapt_arguments(*policy.compile_decision(decision)))
    view = _VIEWS[decision]
    size = len(view._fields)
    read = jit.make_tuple_reader(types.NamedUniTuple(types.int64, size, view))
    read_parameters = binding.make_parameters_reader(0, policy.tuple_type)

    def ask(
        views: NDArray[np.int64],
        parameters: NDArray[np.float64],
        answers: NDArray[np.int64],
        repeats: int,
    ) -> None:
        values = read_parameters(parameters, 0)
        for _ in range(repeats):
            for at in range(len(answers)):
                answers[at] = choose(read(views, at * size), values, 0.0, 0)

    return jit.kernel(ask, cache=False)


@cache
def _bind_logging_loop(loop: int, game: str) -> Any:
    """Compile a loop that logs views and answers, and asks any policy by address.

    It is kept on disk: only what asks a user's policy is compiled anew.
    """
    start = loop * MAX_POLICIES

    def read(resources: Any, number: int) -> Any:
        return carray(jit.int64_at(resources[start + number]), 5)

    def note(view: Any, values: Any, header: Any, lane: Any) -> Any:
        log = jit.int64_at(header[2])
        at = log[0]
        log[at], log[at + 1] = header[0], header[1]
        for k in range(len(view)):
            log[at + 3 + k] = view[k]
        entry = header[2] + 8 * at
        _ask_at(
            header[3],
            (
                carray(jit.int64_at(entry + 24), len(view)),
                carray(jit.float64_at(header[4]), MAX_PARAMETERS),
                carray(jit.int64_at(entry + 16), 1),
                1,
            ),
        )
        # What does not fit overwrites the last entry.
        if at + _ENTRY_SIZE <= log[1]:
            log[0] = at + _ENTRY_SIZE
        return log[at + 2]

    return binding.bind_function(
        loop,
        jit.scalar(note),
        jit.scalar(lambda parameters, number: 0.0),
        jit.scalar(read),
        "log",
        sole_policy=False,
        checked=True,
        loops=find_game(game).get_engine().loops,
    )


def _place_of_view(decision: str, view: Any, seats: int) -> int:
    return (view.leader + view.position) % seats if decision == "card" else int(view.place)


def _find_exception(configured: ConfiguredPolicy, decision: str, view: Any) -> tuple[int, str]:
    """Return the line of an exception in the user's file (0 if unknown), and its text."""
    plain, arguments = configured.policy.choices[decision]
    compiled, _ = configured.policy.compile_decision(decision)
    values = {"view": view, "parameters": configured.policy.tuple_type(*configured.numbers)}
    path = plain.__code__.co_filename
    # Python knows its lines better than numba.
    for function in (plain, compiled):
        try:
            function(*(values[name] for name in arguments))
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno or 0 for frame in frames if frame.filename == path]
            return lines[-1] if lines else 0, describe_error(error)
    return 0, "an exception"


def _check_card(view: Any, card: int, game: Engine) -> str | None:
    """Return the error of a card, None if it is legal."""
    if card > 0 and card.bit_count() == 1 and card & view.legal:
        return None
    known = card & game.pack == card
    cards = format_cards(card, view.contract, game.rules.game) if known else []
    if len(cards) == 1:
        what = f"{cards[0]} is not legal"
    else:
        what = f"{len(cards)} cards ({' '.join(cards)})" if cards else f"{card} is no card"
    return f"{what}; legal: {' '.join(format_cards(view.legal, view.contract, game.rules.game))}"


def _check_take(view: Any, call: int, game: Engine) -> str | None:
    own = (view.turned.bit_length() - 1) >> 4
    allowed = list(range(NO_TRUMP)) if view.lap == 2 else [own]
    allowed += [NO_TRUMP, ALL_TRUMPS] if view.all_no_trump else []
    if call == PASS or call in allowed:
        return None
    named = f" ({CONTRACTS[call]})" if 0 <= call <= ALL_TRUMPS else ""
    texts = ", ".join(f"{each} ({CONTRACTS[each]})" for each in allowed)
    return f"{call}{named} may not be taken in lap {view.lap}; allowed: PASS, {texts}"


def _check_bid(view: Any, call: int, game: Engine) -> str | None:
    amount, contract = call >> 4, (call >> 1) & 7
    highest = ALL_TRUMPS if view.all_no_trump else NO_TRUMP - 1
    amounts = range(view.lowest_amount, view.highest_amount + 1, 10)
    if call == PASS or (call >= 0 and amount in amounts and contract <= highest):
        return None
    what = f"bid_code({amount}, {contract}, {call & 1})" if call >= 0 else str(call)
    bids = f", amounts {amounts[0]} to {amounts[-1]} by tens, contracts 0 to {highest}"
    return f"{what} may not be bid; allowed: PASS{bids if amounts else ''}"


def _check_yes_or_no(view: Any, call: int, game: Engine) -> str | None:
    return None if call in (0, 1) else f"{call} is not an answer; allowed: True or False"


_CHECKS = {
    "take": _check_take,
    "bid": _check_bid,
    "counter": _check_yes_or_no,
    "overcounter": _check_yes_or_no,
    "accept": _check_yes_or_no,
    "card": _check_card,
}
