"""Players of different specifications: which are the same, and what fills the parts left open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from kqj_sim.messages import visible
from kqj_sim.policies.registry import Policy
from kqj_sim.policies.spec import Player, get_default_player, parse_player, parse_player_spec
from kqj_sim.rules import GameRules


def explain_same_player(
    specs: Sequence[str], rules: GameRules, players: Sequence[str] | None = None
) -> str:
    """Return a sentence on the first two specifications that mean the same player; else "".

    Players are the same if they differ at most in parameters without effect under the rules.

    Args:
        specs: the specifications as they were given.
        rules: the rules of the table.
        players: the specifications of the players that stand for them; None: the same.

    Raises:
        kqj_sim.errors.InputError: a specification is wrong.
    """
    parsed = [parse_player(each, rules.game).under(rules) for each in players or specs]
    for one, other in combinations(range(len(specs)), 2):
        if specs[one].strip() == specs[other].strip():
            return f"`{visible(specs[one])}` is given twice: name each policy once"
        if _list_effective(parsed[one], rules) == _list_effective(parsed[other], rules):
            pair = {specs[each]: parsed[each] for each in (one, other)}
            told = " and ".join(f"`{visible(spec)}`" for spec in pair)
            return f"{told} are the same player: {_explain_equality(pair, rules)}"
    return ""


def _list_effective(player: Player, rules: GameRules) -> list[tuple[Policy, dict[str, Any]]]:
    """Return the policy of each part with the parameters that have an effect."""
    return [
        (
            each.policy,
            {
                name: value
                for name, value in each.values_by_name.items()
                if each.policy.parameters[name].applies_to(rules)
            },
        )
        for each in (player.calling, player.playing)
    ]


def _explain_equality(pair: Mapping[str, Player], rules: GameRules) -> str:
    """Return why two specifications mean the same player."""
    one, other = pair.values()
    reasons = [
        mine.without_effect(name, rules)
        for mine, theirs in ((one.calling, other.calling), (one.playing, other.playing))
        for name, value in mine.values_by_name.items()
        if value != theirs.values_by_name[name]
    ]
    for spec, player in pair.items():
        given = re.findall(r"[\w.]+=[^,+:]+", spec)
        for each in (player.calling, player.playing):
            for name, parameter in each.policy.parameters.items():
                text = f"{name}={parameter.write(parameter.get_default(rules))}"
                reasons += [f"{text} is the default"] * (text in given)
    if not reasons:
        reasons = describe_open_parts([*pair], rules.game)
    return "; ".join(dict.fromkeys(reasons)) or "all their parameters are equal"


def describe_open_parts(specs: Sequence[str], game: str) -> list[str]:
    """Return a line for each kind of policy that fills only one part, with what fills the other.

    Raises:
        kqj_sim.errors.InputError: a specification is wrong.
    """
    default = get_default_player(game)
    found = []
    for part, verbs, filler in (
        ("playing", ("calls", "call", "plays"), default.playing),
        ("calling", ("plays", "play", "calls"), default.calling),
    ):
        names = [
            f"`{visible(spec)}`"
            for spec in specs
            if getattr(parse_player_spec(spec, game), part) is None
        ]
        if names:
            several = len(names) > 1
            subject = f"{', '.join(names[:-1])} and {names[-1]}" if several else names[0]
            found.append(
                f"{subject} only {verbs[several]}; `{filler.source}` {verbs[2]} for "
                f"{'them' if several else 'it'}"
            )
    return found
