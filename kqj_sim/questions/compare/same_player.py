"""Policies that are the same player, and what plays the parts that policies leave open."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from kqj_sim.messages import visible
from kqj_sim.policies.players import Player, get_default_player
from kqj_sim.policies.registry import Policy
from kqj_sim.rules import GameRules


def explain_same_player(
    policies: Sequence[Player], players: Sequence[Player], rules: GameRules
) -> str:
    """Return a sentence on the first two policies that are the same player; else "".

    Players are the same if they differ at most in parameters without effect under the rules.

    Args:
        policies: the policies as they were given.
        players: the players that stand for them.
        rules: the rules of the table.
    """
    seated = [each.under(rules) for each in players]
    for one, other in combinations(range(len(policies)), 2):
        if policies[one].given == policies[other].given and seated[one] == seated[other]:
            return f"`{visible(policies[one].given)}` is given twice: name each policy once"
        if _list_effective(seated[one], rules) == _list_effective(seated[other], rules):
            pair = {policies[each].given: seated[each] for each in (one, other)}
            names = " and ".join(f"`{visible(policies[each].given)}`" for each in (one, other))
            reason = _explain_equality(pair, [policies[one], policies[other]], rules)
            return f"{names} are the same player: {reason}"
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


def _explain_equality(
    pair: Mapping[str, Player], policies: Sequence[Player], rules: GameRules
) -> str:
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
        reasons = describe_open_parts(policies)
    return "; ".join(dict.fromkeys(reasons)) or "all their parameters are equal"


def describe_open_parts(policies: Sequence[Player]) -> list[str]:
    """Return a line for each kind of policy that fills only one part, with what fills the other."""
    lines = []
    for part, verbs in (
        ("playing", ("calls", "call", "plays")),
        ("calling", ("plays", "play", "calls")),
    ):
        names = [f"`{visible(each.given)}`" for each in policies if part in each.open_parts]
        if names:
            filler = getattr(get_default_player(policies[0].game), part).source
            several = len(names) > 1
            subject = f"{', '.join(names[:-1])} and {names[-1]}" if several else names[0]
            lines.append(
                f"{subject} only {verbs[several]}; `{filler}` {verbs[2]} for "
                f"{'them' if several else 'it'}"
            )
    return lines
