"""Checks of a policy: legal choices, choices from the view alone, speed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, find_game
from kqj_sim.messages import shorten
from kqj_sim.output.sentences import say
from kqj_sim.policies.binding import VIEW_OF_DECISION
from kqj_sim.policies.card_sets import format_cards
from kqj_sim.policies.players import ConfiguredPolicy, Player, PlayerLike, parse_player, split_parts
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.policy_errors import compile_asking, log_decisions
from kqj_sim.simulation.rows import Rows, concatenate_rows
from kqj_sim.simulation.run import iterate_row_chunks

REPLAYED_DEALS = 60
"""Deals of each variant whose choices are made again from their views."""
_TIMED_CALLS = 200_000
_SHOWN_PROBLEMS = 3
_CHUNK_DEALS = 64
"""Deals after which Ctrl-C is heard."""
_FAST_SECONDS = 0.5
"""Time of an experiment that needs no chunks for that."""

_SITUATIONS: Mapping[str, Sequence[tuple[str, str, Sequence[int]]]] = {
    "take": (("in lap 2", "lap", [2]), ("of the dealer", "place", [5])),
    "bid": (("before any bid", "bidder", [-1]), ("after a bid", "bidder", range(6))),
    "card": (
        ("at No-Trump", "contract", [NO_TRUMP]),
        ("at All-Trumps", "contract", [ALL_TRUMPS]),
        ("of a defender", "contracting", [0]),
        ("of the contracting team", "contracting", [1]),
        ("when leading", "position", [0]),
    ),
}
"""Situations of decisions in words, each with a field of the view and its values there."""

_Log: TypeAlias = dict[
    tuple[ConfiguredPolicy, str], list[tuple[NDArray[np.int64], NDArray[np.int64]]]
]
"""Answers (n,) and views (n, fields) of each policy's decisions, in parts."""


@dataclass
class DecisionCheck:
    """The checks of one decision of a policy.

    Attributes:
        asked: choices that were made again from the view alone.
        changed: those of them that came out differently.
        microseconds: mean time of a choice.
        situations: those of `_SITUATIONS` in which it was asked for.
    """

    asked: int = 0
    changed: int = 0
    microseconds: float = 0.0
    situations: set[str] = field(default_factory=set)


@dataclass(repr=False)
class PolicyCheck:
    """The result of `check_policy`.

    Attributes:
        policy: the specification.
        deals: deals played, over all variants.
        variants: the rules played, in words.
        problems: a line for each illegal choice, exception, and choice that depends on more than
            the view; empty if there is none.
        decisions: the checks of each decision that the policy makes itself.
        unreached: situations of its decisions that none of the deals with such checks had.
        microseconds_per_deal: mean time of a deal on one thread, with the policy at every seat.
    """

    policy: str
    deals: int = 0
    variants: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    decisions: dict[str, DecisionCheck] = field(default_factory=dict)
    unreached: list[str] = field(default_factory=list)
    microseconds_per_deal: float = float("nan")

    @property
    def ok(self) -> bool:
        """True if there are no problems."""
        return not self.problems

    def __repr__(self) -> str:
        return "\n".join(self.list_lines(_SHOWN_PROBLEMS)[:10])

    def list_lines(self, shown_problems: int) -> list[str]:
        """Return the result as lines of text, with at most so many problems."""
        lines = [say(__name__, "summary", self)]
        lines += [shorten(problem, 200) for problem in self.problems[:shown_problems]]
        lines.append(say(__name__, "further", len(self.problems) - shown_problems))
        lines += [say(__name__, "decision", *checked) for checked in self.decisions.items()]
        lines.append(say(__name__, "unreached", self.unreached))
        lines.append(say(__name__, "speed", self))
        return [line for line in lines if line]


def run_checks(policy: PlayerLike, deals: int, seed: int, runner: Runner) -> PolicyCheck:
    """Play every variant of the games that a policy plays, and check its choices.

    Every variant is played twice, with the policy at every seat.  A policy that chooses cards also
    plays contracts of every kind, called at random.  Choices of some deals are made again from
    their views alone, in another order and without the deal: a policy that comes to another choice
    depends on something beyond its view.

    Args:
        runner: shows the progress; all is played in one thread, as that is timed.

    Raises:
        InputError: it is no policy, or does not compile.
    """
    players = _parse_players(policy)
    seated = {game: _list_players(player) for game, player in players.items()}
    variants = {
        name: rules
        for game in players
        for name, rules in find_game(game).list_checked_rules().items()
        if not players[game].explain_unasked(rules)
    }
    check = PolicyCheck(next(iter(players.values())).given, variants=[*variants])
    runs = sum(len(seated[rules.game]) for rules in variants.values())
    times: list[float] = []
    logged: _Log = {}
    with runner.start("deals", deals * runs, polls=False):
        for name, rules in variants.items():
            for player in seated[rules.game]:
                check.deals += deals
                try:
                    seconds = _play_twice(Experiment(rules, player, deals, seed), check, runner)
                except InputError as error:
                    _add_problem(check, say(__name__, "failed", error, name))
                else:
                    if player is players[rules.game]:
                        times.append(seconds / deals)
                    _log_choices(rules, player, seed, deals, logged)
                runner.advance(deals)
        _ask_again(check, logged)
        check.unreached = _list_unreached(players.values(), check)
    if times:
        check.microseconds_per_deal = 1e6 * sum(times) / len(times)
    return check


def _parse_players(policy: PlayerLike) -> dict[str, Player]:
    """Return the player for each game that a policy plays; raise InputError if there is none."""
    errors, players = [], {}
    for game in GAMES:
        try:
            players[game] = parse_player(policy, game)
        except InputError as error:
            errors.append(error)
    if not players:
        raise errors[0]
    return players


def _list_players(player: Player) -> list[Player]:
    """Return the policy, and the policy with a caller that makes contracts of every kind."""
    if "playing" in player.open_parts or len(split_parts(player.given)) > 1:
        return [player]
    return [player, parse_player(find_game(player.game).lively_player, player.game).join(player)]


def _play_twice(experiment: Experiment, check: PolicyCheck, runner: Runner) -> float:
    """Play an experiment twice; return the seconds of the second time, when all is compiled."""
    began = time.perf_counter()
    once = _play(experiment, runner, _CHUNK_DEALS)
    # A fast policy takes less time than such small chunks do.
    chunk = None if time.perf_counter() - began < _FAST_SECONDS else _CHUNK_DEALS
    began = time.perf_counter()
    again = _play(experiment, runner, chunk)
    seconds = time.perf_counter() - began
    if not np.array_equal(once.values, again.values):
        _add_problem(check, say(__name__, "unsteady"))
    return seconds


def _play(experiment: Experiment, runner: Runner, chunk: int | None) -> Rows:
    chunks = []
    for rows in iterate_row_chunks(experiment, threads=1, chunk=chunk):
        chunks.append(rows)
        runner.advance(0)
    return concatenate_rows(chunks)


def _add_problem(check: PolicyCheck, text: str) -> None:
    """Add a problem unless the same one of another deal is there."""
    known = [problem.partition(", deal ")[0] for problem in check.problems]
    if text.partition(", deal ")[0] not in known:
        check.problems.append(text)


def _log_choices(rules: GameRules, player: Player, seed: int, deals: int, logged: _Log) -> None:
    """Log the choices of the first deals with the views from which they were made."""
    played = min(REPLAYED_DEALS, deals)
    for configured, decision, answers, views in log_decisions(rules, player, seed, played):
        logged.setdefault((configured, decision), []).append((answers, views))


def _ask_again(check: PolicyCheck, logged: _Log) -> None:
    """Make all logged choices again from their views, in another order, and time it."""
    generator = np.random.default_rng(1)
    for (configured, decision), parts in logged.items():
        result = check.decisions.setdefault(decision, DecisionCheck())
        before, views = map(np.concatenate, zip(*parts, strict=True))
        view: Any = VIEW_OF_DECISION[decision]
        for situation, name, values in _SITUATIONS.get(decision, ()):
            if np.isin(views[:, view._fields.index(name)], values).any():
                result.situations.add(situation)
        order = generator.permutation(len(before))
        before, views = before[order], views[order]
        ask = partial(
            compile_asking(configured.policy, decision),
            views.ravel(),
            np.array(configured.numbers, dtype=np.float64),
        )
        answers = np.zeros_like(before)
        ask(answers, 1)
        changed = np.flatnonzero(answers != before)
        repeats = 1 + _TIMED_CALLS // len(before)
        began = time.perf_counter()
        ask(np.zeros_like(before), repeats)
        seconds = time.perf_counter() - began
        result.microseconds = max(result.microseconds, 1e6 * seconds / (repeats * len(before)))
        result.asked += len(before)
        first = result.changed == 0
        result.changed += len(changed)
        if first and len(changed):
            view = VIEW_OF_DECISION[decision](*views[changed[0]].tolist())
            choices = [
                _describe_choice(decision, int(choice[changed[0]]), view, configured.game)
                for choice in (before, answers)
            ]
            problem = say(__name__, "depends", configured.policy.name, decision, *choices)
            _add_problem(check, problem)


def _list_unreached(players: Iterable[Player], check: PolicyCheck) -> list[str]:
    """Return the decisions that were never asked for, and the situations that others never had."""
    policies = (part.policy for player in players for part in player.parts.values())
    own = dict.fromkeys(name for each in policies if not each.built_in for name in each.choices)
    never = [f"choose_{decision}" for decision in own if decision not in check.decisions]
    return never + [
        f"choose_{decision} {situation}"
        for decision, checked in check.decisions.items()
        for situation, *_ in _SITUATIONS.get(decision, ())
        if situation not in checked.situations
    ]


def _describe_choice(decision: str, choice: int, view: Any, game: str) -> str:
    """Return a choice in words: the card, or the number of a call."""
    if decision != "card" or choice <= 0:
        return str(choice)
    return " ".join(format_cards(choice, view.contract, game))
