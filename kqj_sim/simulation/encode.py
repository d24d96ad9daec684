"""Rules and policies as the numbers that the kernels take."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import dispatch
from kqj_sim.core.code_cache import can_keep_code, has_cached_kernels
from kqj_sim.core.jit import address_of, compile_cfunc
from kqj_sim.core.round import (
    CARD_VALUES,
    RESUME_CALLS,
    RESUME_PLAY,
    RESUME_SIGNATURE,
    STAGE_SIGNATURE,
)
from kqj_sim.core.types import MAX_PARAMETERS, MAX_POLICIES, Rules, Seating
from kqj_sim.engines import get_engine
from kqj_sim.games import find_game, get_columns
from kqj_sim.imposed import ImposedContract, ImposedFirstCall
from kqj_sim.policies import binding, weights
from kqj_sim.policies.parameters import NO_POLICY
from kqj_sim.policies.players import ConfiguredPolicy, Player, parse_player
from kqj_sim.policies.registry import Policy
from kqj_sim.rules import GameRules, require_kqj_rules
from kqj_sim.simulation.workers import count_processors

# Compile kernels that every round needs in a second process, while this one compiles the rest.
#
# numba compiles one function at a time, whatever the threads; two processes use two processors,
# and the first run ever is over sooner.  The second process leaves its kernels in the cache on
# disk.  If it fails in any way, this process compiles them itself.

PROGRAM = """
import sys
sys.path[:] = {path!r}
from kqj_sim.core import round
from kqj_sim.core.jit import address_of
address_of(round.finish_rounds, round.STAGE_SIGNATURE)
if {whole_rounds}:
    round.play_deals.compile(round.PLAY_DEALS_SIGNATURE)
"""
PATIENCE = 60.0
"""Seconds to wait for the second process in the end."""


@contextmanager
def compile_elsewhere(*, whole_rounds: bool) -> Iterator[None]:
    """Have a second process compile the stage `core.round.finish_rounds` meanwhile; wait for it.

    With `whole_rounds` it compiles `core.round.play_deals`, too.  Does nothing if the stage is in
    the cache, no second processor is free, or the cache cannot be written.
    """
    is_cached = has_cached_kernels("core.round.finish_rounds")
    useful = not is_cached and has_free_processor() and can_keep_code()
    helper = start_process(whole_rounds) if useful else None
    if helper is None:
        yield
        return
    with helper:
        try:
            yield
            helper.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            helper.kill()


def has_free_processor() -> bool:
    """Return True if a processor besides this process's has had nothing to do of late."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return busy < count_processors() - 1


def start_process(whole_rounds: bool) -> subprocess.Popen[bytes] | None:
    """Start the second process; return None if that is impossible."""
    # In a program with a Python inside, the executable is the program.
    if not sys.executable or hasattr(sys, "frozen"):
        return None
    quiet = subprocess.DEVNULL
    program = PROGRAM.format(path=sys.path, whole_rounds=whole_rounds)
    try:
        return subprocess.Popen(
            [sys.executable, "-c", program], stdin=quiet, stdout=quiet, stderr=quiet
        )
    except OSError:
        return None


Use: TypeAlias = Literal["rounds", "calls", "rollouts"]
"""What a seating is for: whole rounds; calls that go on from a turn, and the play after them; or
both, and play that goes on from a card, as policies need that play hands out."""


def encode_rules(rules: GameRules) -> Rules:
    """Return the rules in integers."""
    return get_engine(rules).encode_rules(rules)


def encode_seating(
    rules: GameRules,
    players: Sequence[Player],
    imposed: ImposedContract | ImposedFirstCall | None,
    use: Use = "rounds",
) -> Seating:
    """Return the seats' policies and the stages of a round as addresses and numbers.

    Only the loops and stages that the bidding and the use need are compiled.  The result is kept,
    so its arrays must not be changed.

    Raises:
        InputError: a policy's function does not compile.
    """
    return _encode_seating(rules, tuple(players), imposed, use)


# A review asks for the same few at each decision.
@lru_cache(maxsize=32)
def _encode_seating(
    rules: GameRules,
    players: tuple[Player, ...],
    imposed: ImposedContract | ImposedFirstCall | None,
    use: Use,
) -> Seating:
    distinct = list(dict.fromkeys(players))
    engine = get_engine(rules)
    members, kernels = engine.select_stages(rules, imposed)
    if use != "rounds" and dispatch.BID in members:
        members.append(dispatch.RULE_OUT_BID)
    functions = np.zeros(dispatch.LOOP_ENTRIES, dtype=np.int64)
    parameters = np.zeros(dispatch.LOOP_ENTRIES * MAX_PARAMETERS)
    resources = np.zeros(dispatch.LOOP_ENTRIES, dtype=np.int64)
    stages = np.zeros(len(kernels), dtype=np.int64)
    remembers = False
    resuming = engine.select_resuming(rules)
    # Only kernels that resume rounds are many enough for a second process, which takes a third of
    # the compiling off this one.
    with compile_elsewhere(whole_rounds=use == "rounds") if resuming else nullcontext():
        for member in members:
            for number, player in enumerate(distinct):
                configured = player.policy_for(binding.DECISION_OF_LOOP[member]).under(rules)
                resource = _find_resource(rules, configured, binding.DECISION_OF_LOOP[member])
                bound = _bind_loop(member, configured.policy, len(distinct) == 1, rules.game)
                if bound is not None:
                    functions[member * MAX_POLICIES + number] = bound.address
                resources[member * MAX_POLICIES + number] = resource.ctypes.data
                # Blocks of policies with weights know all they need from the lanes.
                remembers |= (
                    "card" in configured.policy.blocks and configured.policy.weights is None
                )
                start = binding.parameter_offset(member, number)
                parameters[start : start + len(configured.numbers)] = configured.numbers
        for number, stage in enumerate(kernels):
            if use != "calls" and number < len(kernels) - 1:
                stages[number] = address_of(stage, STAGE_SIGNATURE)
    stages[-1] = address_of(kernels[-1], STAGE_SIGNATURE)
    seats = sum(distinct.index(player) << 4 * seat for seat, player in enumerate(players))
    resume = np.zeros(dispatch.RESUME_COUNT, dtype=np.int64)
    memory = int(remembers)
    table = Seating(
        functions,
        parameters,
        resources,
        len(distinct),
        seats,
        stages,
        resume,
        -1,
        -1,
        0,
        memory,
        np.arange(len(get_columns(rules.game))),
    )
    if isinstance(imposed, ImposedContract):
        table = table._replace(
            imposed_place=imposed.place,
            imposed_contract=CONTRACTS.index(imposed.contract),
            imposed_amount=imposed.amount or 0,
        )
    if use != "rounds" and resuming:
        resume[RESUME_CALLS] = address_of(resuming[RESUME_CALLS], RESUME_SIGNATURE)
    if use == "rollouts" and resuming:
        resume[RESUME_PLAY] = address_of(resuming[RESUME_PLAY], RESUME_SIGNATURE)
        valuing = _bind_card_values(distinct[0].policy_for("card").policy)
        resume[CARD_VALUES] = (
            0 if valuing is None else address_of(valuing, dispatch.VALUE_SIGNATURE)
        )
    return table


def without_counters(rules: GameRules, seating: Seating) -> Seating:
    """Return the seating of the same players, none of whom counters."""
    if rules.bidding != "auction":
        return seating
    silent = _bind_loop(dispatch.COUNTER, parse_player("never").calling.policy, True, rules.game)
    functions = seating.loop_addresses.copy()
    functions[dispatch.COUNTER * MAX_POLICIES : (dispatch.COUNTER + 1) * MAX_POLICIES] = (
        silent.address
    )
    return seating._replace(loop_addresses=functions)


@cache
def _find_resource(rules: GameRules, configured: ConfiguredPolicy, decision: str) -> NDArray[Any]:
    """Return the array that a policy's function gets by address; never freed, as addresses to it
    are kept."""
    if configured.others:
        return dispatch.pack_seatings(
            encode_rules(rules),
            [_encode_rollout_seating(rules, name) for name in configured.others],
        )
    if configured.policy.weights is not None and decision in configured.policy.blocks:
        of_kqj = require_kqj_rules(rules)
        return weights.load_for_play(configured.policy.weights, of_kqj.teams, of_kqj.bidding)
    return np.empty(0)


@cache
def _encode_rollout_seating(rules: GameRules, spec: str) -> Seating | None:
    """Return a seating with one player at all seats, to play hands out or to value cards."""
    if spec == NO_POLICY:
        return None
    return encode_seating(rules, [parse_player(spec)] * rules.seats, None, "rollouts")


@cache
def _bind_card_values(policy: Policy) -> Any:
    if policy.value_function is None:
        return None
    return binding.bind_card_values(policy.value_function, policy.name)


@cache
def _bind_loop(loop: int, policy: Policy, everybody: bool, game: str) -> Any:
    """Compile a loop with a policy in it; a user's policy is checked and not cached on disk.

    None if the policy rules out no bids.
    """
    question, loops = binding.DECISION_OF_LOOP[loop], find_game(game).get_engine().loops
    if loop == dispatch.RULE_OUT_BID:
        if policy.bid_filter is None:
            return None
        return binding.bind_bid_filter(
            policy.bid_filter, policy.tuple_type, policy.name, everybody, loops
        )
    if question in policy.blocks:
        name = f"{game}_{policy.name}_{question}"
        return compile_cfunc(dispatch.ASK_SIGNATURE, policy.blocks[question], cache=True, name=name)
    choice, arguments = policy.compile_decision(question)
    # Choices of an environment were checked, and what is asked of other lanes is left out there.
    is_replayed = policy.wrap_loop is None and question == "card"
    bound = binding.bind_policy(
        loop,
        choice,
        policy.tuple_type,
        arguments,
        policy.name if policy.built_in else None,
        sole_policy=everybody,
        checked=not policy.built_in or (arguments == binding.OUTSIDE and not is_replayed),
        loops=loops,
    )
    return bound if policy.wrap_loop is None else policy.wrap_loop(bound)
