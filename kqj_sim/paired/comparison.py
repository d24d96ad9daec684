"""Comparison of policies: which is better, by how much, and with what certainty.

Each pair of policies plays a match of its own on the same deals: for a number of deals, or until
its interval is narrow enough.  With several pairs the intervals hold jointly (Bonferroni).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Literal

from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.messages import visible
from kqj_sim.output.sentences import say, take_absolute
from kqj_sim.paired.leads import ComparisonPlan, Leads, play_until_enough
from kqj_sim.paired.match import Match
from kqj_sim.policies.players import Player, get_default_player, split_parts
from kqj_sim.policies.registry import Policy
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.stats import sequences
from kqj_sim.stats.intervals import Estimate, make_exact
from kqj_sim.stats.tables import Table, TableRow

MAX_POLICIES = 25
"""Largest number of policies: they make 300 pairs, all of which are played before a result."""

_MOST_NAMED = 4
"""Policies that a sentence names."""

PolicyPart = Literal["both", "calling", "playing"]


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    Attributes:
        names: the policies by name, numbered where two files have the same name.
        opponents, part: as for `play_pairs`.
        plan: the deals, and the confidence of all pairs jointly.
        pairs: the leads of each policy over each of the later ones, by their numbers.
    """

    policies: tuple[Player, ...]
    names: tuple[str, ...]
    players: tuple[Player, ...]
    rules: GameRules
    opponents: Player | None
    part: PolicyPart
    plan: ComparisonPlan
    pairs: Mapping[tuple[int, int], Leads]
    interrupted: bool = False

    @property
    def unit(self) -> str:
        """The unit of observation."""
        return "game" if self.plan.games else "deal"

    @property
    def deals(self) -> int:
        """Number of deals, or games, of the pair that played most."""
        return max(leads.deals for leads in self.pairs.values())

    @property
    def is_ranked(self) -> bool:
        """True if there are several policies, all of whose pairs were played."""
        return len(self.names) > 2 and not self.interrupted

    def lead(self, one: int, other: int) -> Estimate:
        """Return the lead of one policy over another, in points a round (per cent of the games)."""
        if (one, other) in self.pairs:
            return self.pairs[one, other].lead
        value, low, high, deals = self.pairs[other, one].lead
        # Subtraction keeps a lead of 0 without a sign.
        return Estimate(0 - value, 0 - high, 0 - low, deals)

    def estimate_mean_lead(self, policy: int) -> Estimate:
        """Return the mean lead of a policy over the others."""
        return average_jointly([self.lead(policy, other) for other in self._list_others(policy)])

    def name_pair(self, sides: tuple[int, int]) -> tuple[str, str]:
        """Return the names of the policies of a pair."""
        one, other = sides
        return self.names[one], self.names[other]

    def _list_others(self, policy: int) -> list[int]:
        return [other for other in range(len(self.names)) if other != policy]

    def count_better(self, policy: int) -> int:
        """Return the number of policies that are significantly better than this one."""
        return sum(self.lead(policy, other).high < 0 for other in self._list_others(policy))

    @property
    def ranking(self) -> list[int]:
        """The policies, by the number of significantly better ones, then by mean lead."""
        policies = range(len(self.names))
        leads = [self.estimate_mean_lead(policy).value for policy in policies]
        return sorted(policies, key=lambda policy: (self.count_better(policy), -leads[policy]))


def average_jointly(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of estimates whose intervals hold jointly, leaving out those without one."""
    known = [estimate for estimate in estimates if not math.isnan(estimate.value)]
    if not known:
        return estimates[0]
    value, low, high = (sum(estimate[k] for estimate in known) / len(known) for k in range(3))
    return Estimate(value, low, high, sum(estimate.observations for estimate in known))


def play_pairs(
    policies: Sequence[Player],
    rules: GameRules,
    plan: ComparisonPlan,
    runner: Runner,
    opponents: Player | None = None,
    part: PolicyPart = "both",
    other_part: Player | None = None,
) -> Comparison:
    """Compare policies on the same deals.

    Args:
        policies: two or more, at most `MAX_POLICIES`.
        plan: the deals; the confidence is that of all pairs jointly.
        opponents: the player against whom each of them plays; None: they play each other, with
            sides exchanged.
        part: "calling" compares the policies as callers, with the same player of the cards;
            "playing" as players of the cards.
        other_part: the player of the other part, for a part alone.

    Raises:
        InputError: too few or too many policies, two that are the same player, one that makes an
            illegal choice, or a number out of range.
        RunError: a game does not end.
    """
    players = compose_players(policies, rules, part, other_part)
    count = math.comb(len(policies), 2)
    together = replace(plan, confidence=1 - (1 - plan.confidence) / count)
    pairs: dict[tuple[int, int], Leads] = {}
    for one, other in combinations(range(len(players)), 2):
        sides = players[one], players[other]
        match = Match(rules, sides, opponents, plan.seed, plan.games, is_pair=True)
        match.make_experiments(plan.first, 1)  # Raises errors before anything is played.
        pairs[one, other] = Leads(match, together)
    names = _number_duplicates([policy.name for policy in policies])
    result = Comparison(tuple(policies), names, players, rules, opponents, part, plan, pairs)
    with runner.start("games" if plan.games else "deals", count * plan.deal_limit):
        for number, leads in enumerate(pairs.values()):
            advance = _make_advance([*pairs.values()], number, runner)
            if not play_until_enough(leads, plan.iterate_looks(), runner, advance):
                played = {sides: leads for sides, leads in pairs.items() if leads.deals > 0}
                return replace(result, pairs=played, interrupted=True)
    return result


def _make_advance(pairs: Sequence[Leads], number: int, runner: Runner) -> Callable[[int], object]:
    """Return the function that shows how far the pair of a number is, and how far all are."""
    before, playing = sum(leads.deals for leads in pairs[:number]), pairs[number]

    def advance(count: int) -> None:
        runner.expect(before + (len(pairs) - number) * playing.expected_deals)
        text = describe_progress(playing)
        several = f"pair {number + 1} of {len(pairs)}: " if text and len(pairs) > 1 else ""
        runner.advance(count, several + text)

    return advance


def describe_progress(leads: Leads) -> str:
    """Return the lead so far and the width to reach: `+10.8 ±2.4, going on to ±2.2`."""
    half_width = leads.compute_half_width()
    if leads.deals < sequences.FIRST_LOOK or math.isnan(half_width):
        return ""
    decimals, unit = get_decimals(leads.match.rules, leads.plan), "%" if leads.plan.games else ""
    text = f"{leads.lead.value:+.{decimals}f}{unit} ±{half_width:.{decimals}f}"
    if leads.plan.deals is not None:
        return text
    return f"{text}, going on to ±{leads.target_width:.{decimals}f}"


def get_decimals(rules: GameRules, plan: ComparisonPlan) -> int:
    """Return the number of decimals of a lead whose interval does not decide them."""
    return 1 if plan.games else find_game(rules.game).point_decimals


def compose_players(
    policies: Sequence[Player],
    rules: GameRules,
    part: PolicyPart = "both",
    other_part: Player | None = None,
) -> tuple[Player, ...]:
    """Return the players that stand for policies in a comparison.

    Arguments are those of `play_pairs`.

    Raises:
        InputError: too few or too many policies, or two that are the same player.
    """
    if len(policies) < 2:
        raise InputError("a comparison needs two policies or more, such as standard greedy")
    if len(policies) > MAX_POLICIES:
        raise InputError(
            f"{len(policies):,} policies make {math.comb(len(policies), 2):,} pairs: compare at "
            f"most {MAX_POLICIES} policies ({math.comb(MAX_POLICIES, 2)} pairs)"
        )
    players = tuple(_compose_player(policy, part, other_part) for policy in policies)
    message = explain_same_player(policies, players, rules)
    if message:
        raise InputError(message)
    return players


def _compose_player(policy: Player, part: PolicyPart, other_part: Player | None) -> Player:
    if part == "both":
        return policy
    assert other_part is not None
    parts = split_parts(policy.given)
    if len(parts) > 1:
        raise InputError(
            f"{policy.given} says who calls and who plays: with only one of them compared, "
            f"write {parts[0 if part == 'calling' else 1]}"
        )
    if part == "calling":
        rest = other_part.playing
        return Player(policy.calling, rest, f"{policy.given}+{rest.text}")
    return Player(other_part.calling, policy.playing, f"{other_part.calling.text}+{policy.given}")


def _number_duplicates(names: Sequence[str]) -> tuple[str, ...]:
    numbered: list[str] = []
    for name in names:
        again = names[: len(numbered)].count(name)
        numbered.append(f"{name} ({again + 1})" if again else name)
    return tuple(numbered)


# Policies that are the same player, and what plays the parts that policies leave open.


def explain_same_player(
    policies: Sequence[Player], players: Sequence[Player], rules: GameRules
) -> str:
    """Return a sentence on the first two policies that are the same player; else "".

    Players are the same if they differ at most in parameters without effect under the rules.
    """
    seated = [player.under(rules) for player in players]
    for one, other in combinations(range(len(policies)), 2):
        if policies[one].given == policies[other].given and seated[one] == seated[other]:
            return f"`{visible(policies[one].given)}` is given twice: name each policy once"
        if _list_effective(seated[one], rules) == _list_effective(seated[other], rules):
            pair = {policies[number].given: seated[number] for number in (one, other)}
            names = " and ".join(f"`{visible(given)}`" for given in pair)
            reason = _explain_equality(pair, [policies[one], policies[other]], rules)
            return f"{names} are the same player: {reason}"
    return ""


def _list_effective(player: Player, rules: GameRules) -> list[tuple[Policy, dict[str, Any]]]:
    """Return the policy of each part with the parameters that have an effect."""
    return [
        (
            part.policy,
            {
                name: value
                for name, value in part.values_by_name.items()
                if part.policy.parameters[name].applies_to(rules)
            },
        )
        for part in (player.calling, player.playing)
    ]


def _explain_equality(
    pair: Mapping[str, Player], policies: Sequence[Player], rules: GameRules
) -> str:
    one, other = pair.values()
    reasons = [
        mine.without_effect(name, rules)
        for mine, theirs in ((one.calling, other.calling), (one.playing, other.playing))
        for name, value in mine.values_by_name.items()
        if value != theirs.values_by_name[name]
    ]
    for spec, player in pair.items():
        given = re.findall(r"[\w.]+=[^,+:]+", spec)
        for part in (player.calling, player.playing):
            for name, parameter in part.policy.parameters.items():
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
        names = [f"`{visible(policy.given)}`" for policy in policies if part in policy.open_parts]
        if names:
            filler = getattr(get_default_player(policies[0].game), part).source
            several = len(names) > 1
            subject = f"{', '.join(names[:-1])} and {names[-1]}" if several else names[0]
            lines.append(
                f"{subject} only {verbs[several]}; `{filler}` {verbs[2]} for "
                f"{'them' if several else 'it'}"
            )
    return lines


# What is said of a comparison.


def write_headline(comparison: Comparison) -> list[str]:
    """Return the result in a sentence: the lead of two policies, or the best of several."""
    if not comparison.is_ranked:
        return [
            _describe_pair(comparison, sides, leads) for sides, leads in comparison.pairs.items()
        ]
    best = _list_best(comparison)
    first = best[0]
    behind = [
        policy
        for policy in comparison.ranking
        if policy not in best and comparison.lead(first, policy).low > 0
    ]
    other, lead = "", None
    if behind:
        other, lead = comparison.names[behind[0]], comparison.lead(first, behind[0])
    named = _name_best(comparison, best)
    return [say(__name__, "ranking", named, other, lead, comparison)]


def write_title(comparison: Comparison) -> str:
    """Return the result in a few words; empty if several policies were interrupted."""
    if len(comparison.names) == 2:
        (leads,) = comparison.pairs.values()
        best = {"better": [0], "worse": [1]}.get(leads.verdict, [0, 1])
    elif comparison.interrupted:
        return ""
    else:
        best = _list_best(comparison)
    others = [name for policy, name in enumerate(comparison.names) if policy not in best]
    return say(__name__, "title", _name_best(comparison, best), others, len(comparison.names))


def _list_best(comparison: Comparison) -> list[int]:
    """Return the best of several policies and those tied with it."""
    first, *others = comparison.ranking
    tied = [
        policy
        for policy in others
        if comparison.lead(first, policy).low <= 0 and comparison.count_better(policy) == 0
    ]
    return [first, *tied]


def _name_best(comparison: Comparison, best: Sequence[int]) -> list[str]:
    names = [comparison.names[policy] for policy in best]
    return names if len(names) <= _MOST_NAMED else [names[0], f"{len(names) - 1} others"]


def _describe_pair(comparison: Comparison, sides: tuple[int, int], leads: Leads) -> str:
    names = comparison.name_pair(sides)
    if leads.tally.differing == 0:
        return say(__name__, "alike", names, leads.deals, comparison.unit)
    one, other = names if leads.lead.value >= 0 else names[::-1]
    lead, won = take_absolute(leads.lead), None
    if comparison.plan.games and comparison.opponents is None and leads.rounds == 2:
        # One of the two wins each game.
        won = 0.5 + 0.005 * lead
    return say(__name__, "pair", one, other, lead, won, leads.verdict, comparison)


def list_remarks(comparison: Comparison) -> list[str]:
    """Return the remarks: policies for one part only, and the relative efficiency."""
    remarks, unit, pairs = [], comparison.unit, [*comparison.pairs.values()]
    if comparison.part == "both":
        remarks += [f"{line}." for line in describe_open_parts(comparison.policies)]
    if all(leads.tally.differing == leads.deals for leads in pairs):
        remarks.append(say(__name__, "differ_everywhere", unit))
    factors = [leads.relative_efficiency for leads in pairs]
    factors = [factor for factor in factors if not math.isnan(factor)]
    if factors:
        worth = dict.fromkeys(f"{factor:.1f}" for factor in (min(factors), max(factors)))
        ways = len(pairs[0].match.arrangements)
        remarks.append(
            say(__name__, "efficiency", " to ".join(worth), unit, ways, comparison.opponents)
        )
    return remarks


# Tables of a comparison: leads, what each policy does, and the deals on which they differ.


def list_tables(several: bool, games: bool) -> dict[str, str]:
    """Return the titles of the tables of a comparison, by name."""
    return {
        **(
            {"ranking": "Ranking", "matrix": "Lead of each policy over each other"}
            if several
            else {}
        ),
        "pairs": "Lead in each pair",
        "why": "Results of each policy",
        "where": "Where they differ",
        "efficiency": "Relative efficiency of the same deals",
        **({} if games else {"passed_out": "Rounds passed out", "largest": "Largest differences"}),
    }


def make_comparison_tables(comparison: Comparison) -> list[Table]:
    """Return all tables, the answer first.

    Two policies have no ranking and no matrix; games have no largest leads.
    """
    leads, where, efficiency, largest = _make_pair_tables(comparison)
    tables = [leads, _make_breakdown_table(comparison), where, efficiency]
    if comparison.is_ranked:
        tables = [_make_ranking_table(comparison), _make_matrix_table(comparison), *tables]
    if comparison.plan.games:
        return [replace(table, observations="games") for table in tables]
    return [*tables, _make_passed_out_table(comparison), largest]


def _name_lead(comparison: Comparison, name: str) -> str:
    """Return the identifier of a lead: `lead` is `lead_per_round`, of games `lead_share`."""
    return f"{name}_share" if comparison.plan.games else f"{name}_per_round"


def _to_lead(comparison: Comparison, lead: Estimate) -> Estimate:
    """Return a lead as tables have it: those in games won are shares, not per cent."""
    return lead * (0.01 if comparison.plan.games else 1.0)


def _make_pair_tables(comparison: Comparison) -> tuple[Table, Table, Table, Table]:
    """Return the lead in each pair, where the two differ, the efficiency and the largest leads.

    Of several pairs only the largest lead of each.
    """
    game, unit, several = comparison.rules.game, comparison.unit, len(comparison.pairs) > 1
    pairs: list[TableRow] = []
    where: list[TableRow] = []
    efficiency: list[TableRow] = []
    largest: list[TableRow] = []
    lead_name = _name_lead(comparison, "lead")
    for sides, leads in comparison.pairs.items():
        names = comparison.name_pair(sides)
        group = names if several else ()
        pairs.append(((*names, leads.verdict), lead_name, _to_lead(comparison, leads.lead)))
        where += [
            (group, f"differing_{unit}_share", leads.differing_share),
            (group, _name_lead(comparison, "lead_in_differing"), leads.lead_in_differing),
        ]
        factor = make_exact(leads.relative_efficiency, leads.deals)
        efficiency.append((names, "relative_efficiency", factor))
        for deal, lead in leads.tally.largest[: 1 if several else None]:
            value = lead / leads.match.lead_divisor
            row = (*group, deal), "lead_per_round", make_exact(value, 1)
            largest.append(row)
    both = ("policy", "other")
    groups = both if several else ()
    title = f"Relative efficiency: independent {unit}s that are as precise as a {unit} here"
    note = "A game differs if its rounds or scores do." if comparison.plan.games else ""
    first = "the first" if several else comparison.names[0]
    return (
        Table("pairs", "Lead of the policy over the other", (*both, "shown"), pairs, game=game),
        Table("where", "Where they differ", groups, where, note, game=game),
        Table("efficiency", title, both, efficiency, game=game),
        Table(
            "largest", f"Largest differences: lead of {first}", (*groups, "deal"), largest,
            counted=False, game=game,
        ),
    )  # fmt: skip


def _make_ranking_table(comparison: Comparison) -> Table:
    """Return the ranking; policies that none is significantly better than have rank 1."""
    lines: list[TableRow] = []
    for policy in comparison.ranking:
        group = (comparison.count_better(policy) + 1, comparison.names[policy])
        lead = _to_lead(comparison, comparison.estimate_mean_lead(policy))
        lines.append((group, _name_lead(comparison, "mean_lead"), lead))
        pairs = [
            dict(_list_key_shares(comparison.pairs[sides], sides.index(policy)))
            for sides in _choose_pairs(comparison, policy)
        ]
        for quantity in pairs[0]:
            mean = average_jointly([shares[quantity] for shares in pairs])
            lines.append((group, quantity, mean))
    note = "Rank: one more than the number of policies that are significantly better."
    if comparison.opponents is None:
        note += " Means over the matches with each of the others."
    return Table(
        "ranking", "Ranking", ("rank", "policy"), lines, note,
        counted=False, game=comparison.rules.game,
    )  # fmt: skip


def _choose_pairs(comparison: Comparison, policy: int) -> list[tuple[int, int]]:
    """Return the pairs that say what a policy did, by their numbers."""
    pairs = [sides for sides in comparison.pairs if policy in sides]
    if comparison.opponents is None:
        return pairs
    # Against the same opponents a policy plays the same deals in all its pairs.
    return sorted(pairs, key=lambda sides: -comparison.pairs[sides].deals)[:1]


def _make_matrix_table(comparison: Comparison) -> Table:
    """Return the leads of each policy over each, in the order of the ranking, NaN over itself."""
    lines: list[TableRow] = []
    for one, other in product(comparison.ranking, repeat=2):
        lead = make_exact(math.nan, 0)
        if one != other:
            lead = _to_lead(comparison, comparison.lead(one, other))
        names = comparison.name_pair((one, other))
        lines.append((names, _name_lead(comparison, "lead"), lead))
    unit = "share of the games" if comparison.plan.games else "points a round"
    title = f"Lead of the row over the column ({unit})"
    return Table(
        "matrix", title, ("policy", "other"), lines,
        counted=False, spread="other", game=comparison.rules.game,
    )  # fmt: skip


def _make_breakdown_table(comparison: Comparison) -> Table:
    between = len(comparison.names) > 2 and comparison.opponents is None
    groups = ("policy", "against") if between else ("policy",)
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        for sides in _choose_pairs(comparison, policy):
            side = sides.index(policy)
            group = (name, comparison.name_pair(sides)[1 - side]) if between else (name,)
            lines += [(group, *line) for line in _list_estimates(comparison.pairs[sides], side)]
    title, note = "Results of each policy, per game", ""
    if not comparison.plan.games:
        title = "Results of each policy, per round"
        note = find_game(comparison.rules.game).comparison_note
    spread = "policy" if len(comparison.names) == 2 else ""
    return Table(
        "why", title, groups, lines, note,
        counted=not spread, spread=spread, game=comparison.rules.game,
    )  # fmt: skip


def _make_passed_out_table(comparison: Comparison) -> Table:
    between = comparison.opponents is None
    lines: list[TableRow] = []
    for policy, name in enumerate(comparison.names):
        for sides in _choose_pairs(comparison, policy):
            side = sides.index(policy)
            if between and side == 1:
                continue
            group = comparison.name_pair(sides) if between else (name,)
            share = comparison.pairs[sides].estimate_share(side, "passed_out")
            lines.append((group, "passed_out_round_share", share))
    groups = ("policy", "other") if between else ("policy",)
    return Table("passed_out", "Rounds passed out", groups, lines, game=comparison.rules.game)


def _list_key_shares(leads: Leads, side: int) -> list[tuple[str, Estimate]]:
    """Return the share of games won, or those of rounds taken and contracts made."""
    if leads.match.games:
        return [("won_share", leads.estimate_share(side, "wins"))]
    game = find_game(leads.match.rules.game)
    return [
        (game.taken_share, leads.estimate_share(side, "takes")),
        (game.made_share, leads.estimate_ratio(side, "made", "takes")),
    ]


def _list_estimates(leads: Leads, side: int) -> Iterator[tuple[str, Estimate]]:
    """Yield what a side did, per round or per game."""
    match, game = leads.match, find_game(leads.match.rules.game)
    yield from _list_key_shares(leads, side)
    if match.games:
        yield "final_score_mean", leads.estimate_mean(side, "score", match.lead_divisor)
        yield "rounds_mean", leads.estimate_mean(side, "rounds", len(match.arrangements))
        return
    for measure, quantity in (
        ("won", game.points_from_made),
        ("lost", game.points_from_failed),
        ("defended", game.points_from_others),
        ("bonuses", game.points_from_bonuses),
        ("score", game.score_points),
    ):
        if quantity:
            yield quantity, leads.estimate_mean(side, measure, match.lead_divisor)
