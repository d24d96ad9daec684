"""Tables and pictures that `odds` shows of the calls of KQJ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from kqj_sim.cards import format_contract
from kqj_sim.columns import MAX_TOTAL, TOTAL_STEP
from kqj_sim.games.kqj.call_sampler import KqjCallOdds
from kqj_sim.output.figures import Chart, make_distribution, make_lines
from kqj_sim.output.grid import Cell, Grid
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.policies.players import get_default_player
from kqj_sim.positions.auction_state import format_call
from kqj_sim.positions.measures import DRAWN, LOST, WON
from kqj_sim.questions.odds import screen
from kqj_sim.questions.odds.screen import RankedOption, describe_hand, name_option
from kqj_sim.rules import HALF_OF_POINTS, require_kqj_rules
from kqj_sim.stats.intervals import Estimate, make_count
from kqj_sim.stats.tables import Table, TableRow

_MAX_DISTRIBUTIONS = 4
_MAX_CONTRACTS = 3
"""Contracts whose totals are drawn, at most: the same as on a screen."""
_AMOUNT_COLUMNS = 7
_HIGHEST_AMOUNT = 250
"""Most contracts that are made by more than this are Capots."""

_HIGHEST_TOTAL = 450
"""Right end of the totals; only All-Trumps can reach more."""

_MIN_SHOWN_PROBABILITY = 0.005
"""Amounts are shown up to the first that no contract reaches more often than this."""

_KQJ_ENDINGS = {"wins": WON, "loses": LOST, "litigation": DRAWN}
"""Indices of the endings of rounds, from the bottom of a stack."""


def list_details(odds: KqjCallOdds, shared: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the JSON output, with those that all games have."""
    situation, rival = odds.position, odds.find_uncountered_best()
    found = {} if odds.uncountered_best is None else {
        "best_if_not_countered": odds.get_text(odds.best if rival is None else rival[0]),
        "best_only_because_countered": rival is not None and rival[1].low > 0,
    }  # fmt: skip
    return {
        "return": None if situation.upcard is None else str(situation.upcard),
        "place": situation.place,
        "lap": situation.lap,
        "teams": list(situation.teams),
        "question": situation.question,
        "heard": [
            {"place": call.seat, "call": format_call(call)} for call in situation.calls or ()
        ],
        "pending": situation.pending,
        **shared,
        **found,
    }


def describe_situation(of: KqjCallOdds) -> str:
    """Return what the player knows, in a sentence."""
    so_far, mates = of.position, []
    if so_far.rules.partners == "random":
        own = so_far.teams[so_far.place]
        names = name_places(len(so_far.teams))
        mates = [
            f"the {name}"
            for place, (name, team) in enumerate(zip(names, so_far.teams, strict=True))
            if team == own and place != so_far.place
        ]
    calls = [format_call(call) for call in so_far.calls or ()]
    return describe_hand(of) + say(__name__, "situation", of, mates, calls)


def list_tables(odds: KqjCallOdds) -> list[Table]:
    """Return the chances to reach each amount, and how likely the others' calls are."""
    tables = [_make_contract_table(odds)] if odds.contract_options else []
    return [*tables, _make_bidding_table(odds)] if odds.question_count else tables


def _make_contract_table(odds: KqjCallOdds) -> Table:
    """Return the chance to reach each amount, if the player's side plays a contract."""
    played = odds.contract_options
    lowest = odds.options[played[0]].amount

    def lines() -> Iterator[TableRow]:
        for amount in range(lowest, MAX_TOTAL + 1, 10):
            chances = [odds.estimate_reach_probability(option, amount) for option in played]
            if amount > lowest and max(chance.value for chance in chances) < _MIN_SHOWN_PROBABILITY:
                break
            for option, chance in zip(played, chances, strict=True):
                yield (str(amount),), name_reach_share(odds, option), chance
        for option in played:
            chance = odds.estimate("own_capot_share", option)
            yield ("Capot",), name_reach_share(odds, option), chance

    return Table(
        "contracts",
        "Chance to reach each amount",
        ("amount",),
        [*lines()],
        f"Your side plays the contract at {lowest}, with no further call.",
        counted=False,
        game=odds.rules.game,
    )


def name_reach_share(odds: KqjCallOdds, option: int) -> str:
    """Return the quantity that is the chance to reach an amount in the contract of an option."""
    return f"reach_{str(odds.options[option].contract).lower()}_share"


def _make_bidding_table(odds: KqjCallOdds) -> Table:
    """Return the share of hands with which each place would have called as observed."""

    def lines() -> Iterator[TableRow]:
        indices = range(odds.question_count)
        groups = groupby(indices, lambda index: odds.observed_calls[index].place)
        for caller, (place, group) in enumerate(groups):
            questions = list(group)
            tried = int(odds.question_counts[questions[0], 0])
            # They are asked about in another order, the rarest first.
            spoken = sorted(
                (odds.observed_calls[index] for index in questions),
                key=lambda call: (call.auction_state.amount, call.auction_state.passes),
            )
            calls = ", ".join(call.text for call in spoken)
            yield (place, calls), "hands_tried_count", make_count(tried)
            yield (place, calls), "agreeing_share", odds.estimate_agreeing_share(caller)

    return Table(
        "heard",
        "How likely the calls of the others are",
        ("place", "calls"),
        [*lines()],
        "Hands are drawn from the cards that neither you nor the places above hold.",
        counted=False,
        game=odds.rules.game,
    )


def list_charts(odds: KqjCallOdds) -> list[Chart]:
    """Return those chances, and the totals of the player's side."""
    charts: list[Chart] = []
    shown = odds.ranking[:_MAX_DISTRIBUTIONS]
    if odds.contract_options:
        shown = _rank_contracts(odds)
        charts.append(_make_chance_chart(odds, shown))
    drawn = shown[:_MAX_CONTRACTS] if odds.contract_options else shown
    stacks = {option: _list_totals(odds, option) for option in drawn}
    for option, endings in stacks.items():
        lowest = _find_threshold(odds, option)
        charts.append(
            make_distribution(
                f"total-{option}", f"Your side's total: {_name_played(odds, option)}", endings,
                "points", "% of deals", step=TOTAL_STEP,
                threshold=None if lowest is None else (lowest, "makes the contract"),
                alike=[*stacks.values()],
            )
        )  # fmt: skip
    return charts


def _rank_contracts(odds: KqjCallOdds) -> list[int]:
    """Return the options that are contracts as played, in the order of the best calls in each."""
    played = {odds.options[option].contract: option for option in odds.contract_options}
    contracts = dict.fromkeys(odds.options[option].contract for option in odds.ranking)
    return [played[contract] for contract in contracts if contract in played]


def _name_played(odds: KqjCallOdds, option: int) -> str:
    if option < odds.option_count:
        return name_option(odds, option)
    of = odds.options[option]
    return f"{of.amount} {format_contract(str(of.contract))} played"


def _list_totals(odds: KqjCallOdds, option: int) -> dict[str, dict[int, Estimate]]:
    """Return by ending the share of deals in each step of the total of the player's side."""
    moments, _ = odds.find_moments(option)
    shares = odds.totals[option] / moments.weights
    padded = np.pad(shares, ((0, 0), (0, -shares.shape[1] % TOTAL_STEP)))
    steps = padded.reshape(len(shares), -1, TOTAL_STEP).sum(axis=2)
    return {
        name: {
            TOTAL_STEP * at: Estimate(share, math.nan, math.nan, moments.deals)
            for at, share in enumerate(steps[ending].tolist())
        }
        for name, ending in _KQJ_ENDINGS.items()
        if odds.totals[:, ending].any()
    }


def _find_threshold(odds: KqjCallOdds, option: int) -> float | None:
    """Return the total that makes the contract; None if that depends on the opponents."""
    rules = require_kqj_rules(odds.position.rules)
    if rules.bidding == "auction":
        return odds.options[option].amount if option >= odds.option_count else None
    return HALF_OF_POINTS if rules.teams == 2 else None


def _make_chance_chart(odds: KqjCallOdds, played: Sequence[int]) -> Chart:
    lowest = odds.options[played[0]].amount
    chances = {
        format_contract(str(odds.options[option].contract)): {
            float(amount): odds.estimate_reach_probability(option, amount)
            for amount in range(lowest, _HIGHEST_TOTAL + 1, 10)
        }
        for option in played
    }
    title = "Chance to make each amount"
    return make_lines("chances", title, chances, "amount", "% of deals", "share", band=True)


def list_grids(odds: KqjCallOdds) -> list[Grid]:
    """Return the chances to reach each amount, in auctions."""
    return [_make_amount_grid(odds)] if odds.contract_options else []


def _make_amount_grid(odds: KqjCallOdds) -> Grid:
    chosen = _rank_contracts(odds)[:_MAX_CONTRACTS]
    lowest = odds.options[chosen[0]].amount
    highest = min(max(_HIGHEST_AMOUNT, lowest + 10 * _AMOUNT_COLUMNS), odds.max_points)
    step = 10 * math.ceil((highest - lowest) / (10 * _AMOUNT_COLUMNS))
    amounts = range(lowest, highest + 1, max(step, 10))[:_AMOUNT_COLUMNS]
    rows, half = [], 0.0
    for option in chosen:
        chances = [odds.estimate_reach_probability(option, each) for each in amounts]
        chances.append(odds.estimate("own_capot_share", option))
        half = max(half, *(max(each.high - each.value, each.value - each.low) for each in chances))
        contract = format_contract(str(odds.options[option].contract))
        rows.append((Cell(contract), *(Cell(f"{100 * each.value:.0f}%") for each in chances)))
    return Grid(
        f"Chance to make an amount (±{100 * half:.1f} or less)",
        ("contract", *(str(amount) for amount in amounts), "Capot"),
        tuple(rows),
    )


def explain_best(odds: KqjCallOdds, best: RankedOption) -> str:
    """Return a line if the opponents' counters, or their waiting, decide which call is the best."""
    uncountered = odds.find_uncountered_best()
    if uncountered is None and best.name != "pass":
        return ""
    if uncountered is None:
        position, default = odds.position, get_default_player().under(odds.rules)
        is_first = position and position.question == "take" and position.lap == 1
        if is_first and odds.rules.team_count == 2 and {*odds.players} == {default}:
            return say(screen.__name__, "waiting")
        return ""
    option, lead = uncountered
    rival = RankedOption(option, name_option(odds, option), lead)
    return say(screen.__name__, "counters", odds, best, rival)
