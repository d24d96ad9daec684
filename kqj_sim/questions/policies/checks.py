"""Checks of a policy: legal choices, choices from the view alone, speed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from kqj_sim.core.jit import kernel, make_tuple_reader, scalar
from kqj_sim.errors import InputError
from kqj_sim.games import GAMES, find_game
from kqj_sim.messages import count_noun, shorten
from kqj_sim.policies.binding import VIEW_OF_DECISION, adapt_arguments, guard_exceptions
from kqj_sim.policies.card_sets import format_cards
from kqj_sim.policies.configured import ConfiguredPolicy
from kqj_sim.policies.players import Player, PlayerLike, parse_player
from kqj_sim.policies.registry import Policy
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.policy_errors import FailedRound, replay_decisions
from kqj_sim.simulation.run import simulate


def _list_kqj_variants() -> Iterator[tuple[str, KqjRules]]:
    """Yield the description and the rules of each variant of KQJ under which policies differ."""
    for teams, bidding, all_no_trump in product(
        (2, 3), ("take", "auction"), ("second_lap", "both_laps", "never")
    ):
        changes = {"teams": teams, "bidding": bidding, "all_no_trump": all_no_trump}
        yield f"KQJ, {teams} teams, {bidding}, {all_no_trump}", KqjRules(**changes)  # type: ignore[arg-type]
        if all_no_trump == "both_laps":
            changed = KqjRules(**changes, partners="random")  # type: ignore[arg-type]
            yield f"KQJ, {teams} teams, {bidding}, random partners", changed


KQJ_VARIANTS = dict(_list_kqj_variants())
"""The variants of KQJ under which policies are checked."""

REPLAYED_DEALS = 60
"""Deals of each variant whose choices are made again from their views."""
_TIMED_CALLS = 200_000
_SHOWN_PROBLEMS = 3


@dataclass
class DecisionCheck:
    """The checks of one decision of a policy.

    Attributes:
        asked: choices that were made again from the view alone.
        changed: those of them that came out differently.
        microseconds: mean time of a choice.
    """

    asked: int = 0
    changed: int = 0
    microseconds: float = 0.0


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
        microseconds_per_deal: mean time of a deal on one thread, with the policy at every seat.
    """

    policy: str
    deals: int = 0
    variants: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    decisions: dict[str, DecisionCheck] = field(default_factory=dict)
    microseconds_per_deal: float = float("nan")

    @property
    def ok(self) -> bool:
        """True if there are no problems."""
        return not self.problems

    def __repr__(self) -> str:
        return "\n".join(self.list_lines(_SHOWN_PROBLEMS)[:10])

    def list_lines(self, shown_problems: int) -> list[str]:
        """Return the result as lines of text, with at most so many problems."""
        count = len(self.problems)
        found = count_noun(count, "problem") if count else "no problems"
        lines = [f"{self.policy}: {found} in {self.deals:,} deals of {len(self.variants)} variants"]
        lines += [shorten(each, 200) for each in self.problems[:shown_problems]]
        if count > shown_problems:
            lines.append(f"and {count - shown_problems} more, see .problems")
        lines += [
            f"choose_{name}: {each.microseconds:.3f} µs a decision; asked again with the same "
            f"view, {each.asked - each.changed:,} of {each.asked:,} are the same"
            for name, each in self.decisions.items()
        ]
        if self.microseconds_per_deal == self.microseconds_per_deal:
            lines.append(f"{self.microseconds_per_deal:.1f} µs a deal, at every seat, one thread")
        return lines


def run_checks(policy: PlayerLike, deals: int, seed: int) -> PolicyCheck:
    """Play every variant of the games that a policy plays, and check its choices.

    Every variant is played twice, with the policy at every seat.  A policy that chooses cards also
    plays contracts of every kind, called at random.  Choices of some deals are made again from
    their views alone, in another order and without the deal: a policy that comes to another choice
    depends on something beyond its view.

    Args:
        policy: the policy.
        deals: deals of each variant.
        seed: seed of the deals.

    Raises:
        InputError: it is no policy, or does not compile.
    """
    players = _parse_players(policy)
    found = PolicyCheck(next(iter(players.values())).given)
    times: list[float] = []
    logged: dict[tuple[ConfiguredPolicy, str], list[tuple[Any, int]]] = {}
    variants = chain.from_iterable(find_game(game).part("variants").items() for game in players)
    for name, rules in variants:
        found.variants.append(name)
        checked = players[rules.game]
        for player in _list_players(checked):
            experiment = Experiment(rules, player, deals, seed)
            found.deals += deals
            try:
                seconds = _play_twice(experiment, found)
            except InputError as error:
                _add_problem(found, f"{error} ({name})")
                continue
            if player is checked:
                times.append(seconds / deals)
            _log_choices(experiment, logged)
    _ask_again(found, logged)
    if times:
        found.microseconds_per_deal = 1e6 * sum(times) / len(times)
    return found


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
    if "playing" in player.open_parts or "+" in player.given:
        return [player]
    return [player, parse_player(find_game(player.game).lively_player, player.game).join(player)]


def _play_twice(experiment: Experiment, found: PolicyCheck) -> float:
    """Play an experiment twice; return the seconds of the second time, when all is compiled."""
    once = simulate(experiment, threads=1)
    began = time.perf_counter()
    again = simulate(experiment, threads=1)
    seconds = time.perf_counter() - began
    if not once.frame().equals(again.frame()):
        _add_problem(found, "the same deals, played again, have other results")
    return seconds


def _add_problem(found: PolicyCheck, text: str) -> None:
    """Add a problem unless the same one of another deal is there."""
    known = [each.partition(", deal ")[0] for each in found.problems]
    if text.partition(", deal ")[0] not in known:
        found.problems.append(text)


def _log_choices(
    experiment: Experiment, logged: dict[tuple[ConfiguredPolicy, str], list[tuple[Any, int]]]
) -> None:
    """Log the choices of the first deals with the views from which they were made."""
    rules = experiment.rules
    for deal in range(min(REPLAYED_DEALS, experiment.deals)):
        failed = FailedRound(experiment.seed, deal, deal % rules.seats, 0)
        for chosen, decision, answer, view in replay_decisions(
            rules, experiment.players, None, failed
        ):
            logged.setdefault((chosen, decision), []).append((view, answer))


def _ask_again(
    found: PolicyCheck, logged: dict[tuple[ConfiguredPolicy, str], list[tuple[Any, int]]]
) -> None:
    """Make all logged choices again from their views, in another order, and time it."""
    generator = np.random.default_rng(1)
    for (chosen, decision), entries in logged.items():
        check = found.decisions.setdefault(decision, DecisionCheck())
        order = generator.permutation(len(entries))
        views = np.array([entries[at][0] for at in order], dtype=np.int64).ravel()
        before = np.array([entries[at][1] for at in order], dtype=np.int64)
        ask = _compile_asking(chosen.policy, decision)
        names = chosen.policy.tuple_type._fields
        values = chosen.policy.tuple_type(*chosen.numbers) if names else 0.0
        answers = np.zeros_like(before)
        ask(views, values, answers, 1)
        changed = np.flatnonzero(answers != before)
        repeats = 1 + _TIMED_CALLS // len(entries)
        began = time.perf_counter()
        ask(views, values, np.zeros_like(before), repeats)
        seconds = time.perf_counter() - began
        check.microseconds = max(check.microseconds, 1e6 * seconds / (repeats * len(entries)))
        check.asked += len(entries)
        first = check.changed == 0
        check.changed += len(changed)
        if first and len(changed):
            view = entries[order[changed[0]]][0]
            one, other = (
                _describe_choice(decision, int(each[changed[0]]), view, chosen.game)
                for each in (before, answers)
            )
            _add_problem(
                found,
                f"policy {chosen.policy.name!r}, choose_{decision}() depends on more than its "
                f"view: {one}, and with the same view again {other}",
            )


def _describe_choice(decision: str, choice: int, view: Any, game: str) -> str:
    """Return a choice in words: the card, or the number of a call."""
    if decision != "card" or choice <= 0:
        return str(choice)
    return " ".join(format_cards(choice, view.contract, game))


@cache
def _compile_asking(policy: Policy, decision: str) -> Any:
    """Compile a loop that asks a policy with given views: (views, parameters, answers, repeats)."""
    choose = guard_exceptions(adapt_arguments(*policy.compile_decision(decision)))
    view: Any = VIEW_OF_DECISION[decision]
    size = len(view._fields)
    read = make_tuple_reader(types.NamedUniTuple(types.int64, size, view))
    one = scalar(lambda views, values, at: choose(read(views, at * size), values, 0.0))

    def ask(
        views: NDArray[np.int64], values: Any, answers: NDArray[np.int64], repeats: int
    ) -> None:
        for _ in range(repeats):
            for at in range(len(answers)):
                answers[at] = one(views, values, at)

    return kernel(ask, cache=False)
