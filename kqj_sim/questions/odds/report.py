"""Reports of the odds of calls and of cards, of both games."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kqj_sim.cards import format_card, format_hand
from kqj_sim.games import describe_rules, find_game
from kqj_sim.output.grid import format_number
from kqj_sim.output.run import RANGE_SIGNS, Report, Run, group_seats
from kqj_sim.output.sentences import say
from kqj_sim.places import describe_place, name_places
from kqj_sim.policies.players import Player
from kqj_sim.positions.odds import CardOdds
from kqj_sim.questions.odds.summary import list_key_views
from kqj_sim.questions.odds.tables import make_odds_tables
from kqj_sim.questions.odds.words import write_headline
from kqj_sim.rules import GameRules
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from kqj_sim.output.grid import Grid
    from kqj_sim.positions.odds import Odds
    from kqj_sim.questions.odds.plots import Panel
    from kqj_sim.questions.records.terms import RoundTerms
    from kqj_sim.stats.tables import Table

_NEARLY_ALL = 0.995
"""Calls that occur in at least this share of the deals say nothing about the hidden cards."""


def describe_players_by_place(names: Sequence[str]) -> str:
    """Describe the players: `random at every place`, or `standard: opener, 3rd; random: 2nd`."""
    places = name_places(len(names))
    groups = group_seats(names)
    if len(groups) == 1:
        return f"{names[0]} at every place"
    return ", ".join(
        f"{name}: {' '.join(places[int(place)] for place in where)}"
        for name, where in groups.items()
    )


def get_bounds(estimate: Estimate) -> list[float] | None:
    """Return the bounds of an interval as plain values; None if there is none."""
    return [estimate.low, estimate.high] if math.isfinite(estimate.low) else None


def format_share(estimate: Estimate) -> str:
    """Return a share with its interval; without one with two digits, however small it is."""
    if math.isnan(estimate.low) and estimate.value < 0.001:
        return f"{100 * estimate.value:.2g}%"
    return str(format_number(estimate, "share"))


def _list_call_details(of: Any) -> dict[str, Any]:
    """Return what was asked and found about calls, as plain values for JSON."""
    shared = {
        "ignore_calls": of.ignore_calls,
        "best": of.get_text(of.best),
        "choosing_deals": of.choosing_deals,
        "agreeing_share": of.bidding_probability,
        "agreeing_interval": get_bounds(of.estimate_bidding_probability()),
        "effective_deals": of.effective_sample_size,
        "intervals": "confidence sequences" if of.sequential else "for this number of deals",
        "ended": of.stop_reason,
        "ended_by": of.stop_text or None,
    }
    hand = [str(card) for card in of.position.hand]
    return {"hand": hand, **_find_answers(of).list_details(of, shared)}


def describe_hand(odds: Odds) -> str:
    """Return the cards and the place of the player, as the beginning of a sentence."""
    of, rules = odds.position, odds.rules
    hand = format_hand(of.hand, ranks=rules.ranks)
    return f"You hold {hand} as {describe_place(of.place_of(of.seat), rules.seats)}"


def _find_answers(odds: Odds) -> GameAnswers:
    answers: GameAnswers = find_game(odds.rules.game).part("answers")
    return answers


class GameAnswers(NamedTuple):
    """Tables and pictures that `odds` shows of a game's calls.

    Attributes:
        describe_situation: what the player knows, in a sentence.
        list_details: the values of the JSON output, with those that all games have.
        list_panels: the pictures besides their values and chances to win.
        list_tables: the tables besides that of the options.
        list_grids: the key figures besides those of the options.
        explain_best: a sentence on what makes the best call (`RankedOption`) the best, or "".
    """

    describe_situation: Callable[[Any], str]
    list_details: Callable[[Any, dict[str, Any]], dict[str, Any]]
    list_panels: Callable[[Any], list[Panel]]
    list_tables: Callable[[Any], list[Table]]
    list_grids: Callable[[Any], list[Grid]]
    explain_best: Callable[[Any, Any], str]


def _list_card_details(of: CardOdds) -> dict[str, Any]:
    """Return what was asked and found about cards, as plain values for JSON."""
    so_far = of.position
    called, upcard_key = so_far.contract, find_game(of.rules.game).upcard_key
    return {
        "hand": [str(card) for card in sorted(so_far.hand)],
        so_far.seat_term: so_far.seat,
        "dealer": so_far.dealer,
        "teams": list(so_far.teams),
        upcard_key: None if so_far.upcard is None else str(so_far.upcard),
        "sender": called.sender,
        "contract": called.contract,
        "amount": called.amount,
        "capot": called.capot,
        "stake": called.stake,
        "tricks": [
            {"leader": leader, "cards": [str(card) for card in cards]}
            for leader, cards in so_far.tricks
        ],
        "pending": so_far.pending,
        "calls_count": of.uses_calls,
        "plays_count": of.uses_plays,
        "plays_effective": of.effective_number if of.uses_plays else None,
        "best": of.get_text(of.best),
        "choosing_deals": of.choosing_deals,
        "exact": of.is_exact,
        "distributions": of.layout_count or None,
        "agreeing_share": of.bidding_probability,
        "agreeing_interval": get_bounds(of.estimate_bidding_probability()),
        "effective_deals": of.effective_sample_size,
        "ended_by": of.stop_text or None,
        "intervals": "confidence sequences" if of.sequential else "for this number of deals",
    }


def _describe_card_situation(of: CardOdds) -> str:
    """Return what the player knows in a sentence."""
    so_far, rules = of.position, of.rules
    told = [describe_hand(of), _describe_contract(of)]
    terms: RoundTerms = find_game(rules.game).part("round_terms")
    if so_far.upcard is not None and terms.shown:
        told.append(terms.shown.format(format_card(so_far.upcard)))
    if so_far.pending:
        pending = terms.pending[0].format(so_far.pending)
        told.append(f"{pending[0].lower()}{pending[1:-1]}")
    told.append(say(__name__, "trick", len(so_far.tricks), so_far.tricks[-1][1]))
    return f"{'; '.join(told)}."


def _describe_contract(of: CardOdds) -> str:
    """Return who plays which contract: `the opener, your partner, plays 120 ♥ Capot`."""
    so_far, called = of.position, of.position.contract
    sender = ""
    if called.sender != so_far.seat:
        sender = describe_place(so_far.place_of(called.sender), of.rules.seats)
    is_partner = so_far.teams[called.sender] == so_far.teams[so_far.seat]
    return say(__name__, "contract", called, sender, is_partner)


def _describe(odds: Odds, policies: Sequence[str]) -> str:
    """Return the situation in a line for people, and the run in another."""
    if isinstance(odds, CardOdds):
        opener, seats = odds.position.opener, odds.rules.seats
        policies = [policies[(opener + place) % seats] for place in range(seats)]
        situation = _describe_card_situation(odds)
    else:
        situation = _find_answers(odds).describe_situation(odds)
    if odds.people is not None:
        situation = odds.people.name_in(situation)
    parts = (
        describe_rules(odds.rules),
        describe_players_by_place(policies),
        say(__name__, "deals", odds),
    )
    return f"{situation}\n{'; '.join(parts)}"


def _describe_bidding(odds: Odds) -> str:
    """Return how likely the bidding is; empty if nobody else called."""
    if isinstance(odds, CardOdds):
        if not odds.uses_calls:
            return say(__name__, "bidding", odds, None)
    elif not odds.question_count:
        return ""
    found = odds.estimate_bidding_probability()
    return "" if found.value >= _NEARLY_ALL else say(__name__, "bidding", odds, format_share(found))


def _describe_intervals(odds: Odds) -> str:
    """Describe the intervals, how likely the bidding is, and the weights."""
    told = [say(__name__, "intervals", odds, RANGE_SIGNS), _describe_bidding(odds)]
    if isinstance(odds, CardOdds) and odds.uses_plays and odds.layout_count != 1:
        told.append(say(__name__, "plays", odds))
    return ". ".join(filter(None, told))


def _shorten_name(player: Player, rules: GameRules) -> str:
    """Return a player's name as it was given; without defaults if it has all parameters."""
    return player.shorten(rules) if player.name == player.text else player.name


def make_odds_report(odds: Odds) -> Report:
    """Return the report of odds."""
    policies = tuple(_shorten_name(player, odds.rules) for player in odds.players)
    details = _list_card_details(odds) if isinstance(odds, CardOdds) else _list_call_details(odds)
    run = Run(
        command="odds",
        rules=odds.rules,
        policies=policies,
        players=tuple(player.text for player in odds.players),
        seed=odds.seed,
        first=0,
        deals=odds.deals,
        confidence=None if odds.is_exact else odds.confidence,
        interrupted=odds.stop_reason == "interrupted",
        description=_describe(odds, policies),
        intervals=_describe_intervals(odds),
        details=details,
    )
    return Report(
        run,
        make_odds_tables(odds),
        write_headline(odds),
        views=list_key_views(odds),
    )
