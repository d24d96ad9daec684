"""Reports of the odds of calls and of cards, of both games."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kqj_sim.cards import SUITS, Card, add_suit_signs, format_card, format_hand
from kqj_sim.core.block import SEATS
from kqj_sim.games import describe_rules, find_game
from kqj_sim.output.card_reasons import compare_cards
from kqj_sim.output.figures import Chart, Drawing, NothingToDrawError, make_dots
from kqj_sim.output.grid import LEADS, Excerpt, format_number
from kqj_sim.output.screen import RANGE_SIGNS, Run, Screen, ScreenPart, group_seats
from kqj_sim.output.sentences import say
from kqj_sim.places import describe_place, name_places
from kqj_sim.policies.card_sets import RANK_ORDERS
from kqj_sim.positions.auction_state import ObservedCall
from kqj_sim.positions.measures import GAME_MEASURE, RANKING_MEASURE, UNCOUNTERED_VALUE
from kqj_sim.positions.odds import CardOdds, Odds
from kqj_sim.stats.intervals import Estimate, make_exact
from kqj_sim.stats.tables import Table, TableRow

# Odds in words: names of calls and cards, and the headline that says the decision.


class RankedOption(NamedTuple):
    """A call or a card in sentences.

    Attributes:
        name: its name, `take ♥`, `120 ♥`, `K♠`.
        lead: the lead of the best option over it, for the best one nothing.
    """

    number: int
    name: str
    lead: Estimate = make_exact(0.0, 0)

    @property
    def is_tied(self) -> bool:
        """True if it is not shown to be worse than the best option."""
        return self.lead.value <= 0 or self.lead.low <= 0


def name_option(odds: Odds, option: int) -> str:
    """Return the name of a call or a card: `take ♥`, `120 ♥`, `K♠`."""
    if odds.kind == "card":
        return format_card(odds.options[option])
    return add_suit_signs(odds.get_text(option))


def write_headline(odds: Odds) -> list[str]:
    """Return the decision in sentences, and what restricts it."""
    leads = odds.estimate_leads()
    best = RankedOption(odds.best, name_option(odds, odds.best))
    others = [RankedOption(other, name_option(odds, other), leads[other]) for other in leads]
    lines = [_write_decision(odds, best, others)]
    if odds.measures.game:
        lines = _write_game_decision(odds, best, others)
    if odds.kind == "call":
        lines.append(_explain_call(odds, best, others))
        if odds.measures.game is None:
            lines.append(find_game(odds.rules.game).answers().explain_best(odds, best))
    elif others:
        reason = compare_cards(
            odds.position, odds.options[best.number], odds.options[others[0].number]
        )
        lines.append(say(__name__, "card_reason", best, others[0], reason))
    lines.append(say(__name__, "high_trumps", _list_high_trumps(odds)))
    lines.append(say(__name__, "errors", [*map(_describe_call, odds.likely_errors)], "call"))
    plays = [
        f"the {name_places(SEATS)[place]}'s {format_card(card)} in trick {trick}"
        for place, card, trick in _list_likely_card_errors(odds)
    ]
    lines.append(say(__name__, "errors", plays, "card"))
    lines.append(say(__name__, "ended_early", odds))
    lines.append(say(__name__, "hint", odds, advises=True))
    return [line for line in lines if line]


def _describe_call(call: ObservedCall) -> str:
    """Return a call with its player: `the opener's pass`, `the 3rd's missing counter`."""
    place = name_places(SEATS)[call.place]
    if call.text.startswith("no "):
        return f"the {place}'s missing {call.text[3:]}"
    return f"the {place}'s {add_suit_signs(call.text)}"


def _list_likely_card_errors(odds: Odds) -> Iterator[tuple[int, Card, int]]:
    """Yield the cards that were errors more likely than not: place, card and trick, from 1."""
    for number in odds.likely_card_errors:
        trick, turn = divmod(number, SEATS)
        leader, cards = odds.position.tricks[trick]
        yield odds.position.place_of((leader + turn) % SEATS), cards[turn], trick + 1


def _write_decision(odds: Odds, best: RankedOption, others: list[RankedOption]) -> str:
    return say(__name__, "decision", odds, best, others, *_sort_out(others))


def _write_game_decision(odds: Odds, best: RankedOption, others: list[RankedOption]) -> list[str]:
    """Return the decision by the chance to win the game, and that by points if it is another."""
    leads = odds.estimate_leads(GAME_MEASURE)
    by_game = [other._replace(lead=leads[other.number]) for other in others]
    rival_in_points, *_ = _sort_out(others)
    return [
        say(__name__, "game_decision", odds, best, by_game, *_sort_out(by_game)),
        say(__name__, "points_decision", odds, best, rival_in_points),
    ]


def _sort_out(
    others: list[RankedOption],
) -> tuple[RankedOption | None, list[RankedOption], bool]:
    """Return the option that is better than the best one in these deals, if any is, those that are
    tied with it, and whether these are equal in each deal."""
    # The deals that value may show what those that chose did not see.  A lead that is the same in
    # all deals has no interval.
    better = [other for other in others if other.lead.value < 0 and not other.lead.high >= 0]
    rival = min(better, key=lambda other: other.lead.value, default=None)
    tied = [other for other in others if other.is_tied]
    equal = all(other.lead.value == 0 and math.isnan(other.lead.low) for other in tied)
    return rival, tied, equal


def _explain_call(odds: Odds, best: RankedOption, others: list[RankedOption]) -> str:
    """Return what makes the best call better than a pass, or a pass better than the next call.

    There is nothing to say unless the difference is shown, or where the question is no contract.
    """
    passing = next((option for option in (best, *others) if option.name == "pass"), None)
    if passing is None or not others:
        return ""
    other = others[0] if passing is best else passing
    return say(__name__, "against_pass", odds, best, other)


# Tables of the estimates of calls and cards.

BEST = "best"
"""The group column that marks the best option."""

LEAD, GAME_LEAD = LEADS
_BEST_MARK = "*"


def make_odds_tables(odds: Odds) -> list[Table]:
    """Return all tables: the options, with auctions the contracts, and the bidding."""
    hidden = [_make_hidden_table(odds)] if odds.hidden_cards else []
    if odds.kind == "card":
        return [_make_option_table(odds, "cards", "Legal cards", "card"), *hidden]
    table = _make_option_table(odds, "calls", "Calls", "call")
    return [table, *find_game(odds.rules.game).answers().list_tables(odds), *hidden]


def _make_hidden_table(odds: Odds) -> Table:
    """Return the chance of each place to hold each hidden card, and some of a kind."""
    hidden = odds.hidden_cards
    assert hidden is not None
    rows = [
        ((holding.text, group[0]), "held_share", odds.estimate_holding(at, number))
        for number, holding in enumerate(hidden.holdings)
        for at, group in enumerate(hidden.groups[:-2])
    ]
    title = "Where the hidden cards are: the chance of each place to hold them"
    return Table(
        "hidden", title, ("card", "place"), rows, counted=False, spread="place",
        game=odds.rules.game,
    )  # fmt: skip


_HIGH_TRUMPS, _NAMED_TRUMPS = 3, 2
"""The highest trumps, of which some are named if they are hidden."""


def _list_high_trumps(odds: Odds) -> list[tuple[str, Estimate, Estimate]]:
    """Return the highest hidden trumps, each with the chances of the partners and the opponents.

    Trump is the suit of the contract, or that of the best call.
    """
    hidden, best = odds.hidden_cards, odds.options[odds.best]
    if hidden is None:
        return []
    called = odds.position.contract if odds.kind == "card" else best
    trump = getattr(called, "contract", None)
    if trump is None or trump not in SUITS:
        return []
    _, order = RANK_ORDERS[odds.rules.game]
    numbers = {holding.text: number for number, holding in enumerate(hidden.holdings)}
    trumps = [rank + trump for rank in order[: -1 - _HIGH_TRUMPS : -1]]
    return [
        (
            format_card(hidden.holdings[numbers[card]].cards[0]),
            odds.estimate_holding(-2, numbers[card]),
            odds.estimate_holding(-1, numbers[card]),
        )
        for card in [card for card in trumps if card in numbers][:_NAMED_TRUMPS]
    ]


def _make_option_table(odds: Odds, name: str, title: str, group: str) -> Table:
    measures = [
        measure
        for measure in odds.measures.functions
        if measure not in odds.measures.rare
        or any(odds.estimate(measure, option).value > 0 for option in odds.ranking)
    ]
    leads = {LEAD: odds.estimate_leads()}
    if GAME_MEASURE in measures:
        leads[GAME_LEAD] = odds.estimate_leads(GAME_MEASURE)
    behind = {RANKING_MEASURE: LEAD, GAME_MEASURE: GAME_LEAD}
    # Results of cards give no deals here.
    no_lead = make_exact(math.nan, 0 if odds.kind == "card" else odds.deals)
    lines: list[TableRow] = []
    for option in odds.rows:
        groups = (_BEST_MARK if option == odds.best else "", odds.get_text(option))
        for measure in measures:
            lines.append((groups, measure, odds.estimate(measure, option)))
            if measure in behind:
                lead = leads[behind[measure]].get(option, no_lead)
                lines.append((groups, behind[measure], lead))
    note, game = odds.measures.note, odds.rules.game
    return Table(name, title, (BEST, group), lines, note, counted=False, game=game)


# The first screen of odds: the best options, and with auctions the contracts.

_MOST_OPTIONS, _MOST_IN_AUCTIONS = 8, 5
"""Options shown, at most; with auctions the contracts need room, too."""

_OF_CALLS = ("win_share", "own_made_share", "own_capot_share", "own_all_tricks_share")
_OF_AUCTIONS = ("win_share", "own_countered_share", UNCOUNTERED_VALUE)
_OF_CARDS = (
    "win_share", "contract_made_share", "own_total_mean", "own_points_mean", "own_capot_share",
    "own_all_tricks_share",
)  # fmt: skip
"""The columns besides the value of each option and how far it is behind the best one."""


def list_key_parts(odds: Odds, names_table: bool = True) -> list[ScreenPart]:
    """Return what people see unless they ask for tables.

    With `names_table` the note says which table has the rest.
    """
    # To counter or not is a question about the bid as it is: no columns on further counters.
    is_auction = bool(odds.contract_options)
    quantities = _OF_AUCTIONS if is_auction else _OF_CALLS if odds.kind == "call" else _OF_CARDS
    most = _MOST_IN_AUCTIONS if is_auction else _MOST_OPTIONS
    # A line that stands for one row saves nothing.
    rest = odds.rows[most:] if len(odds.ranking) > most + 1 else ()
    ranking = odds.measures.ranking_measure
    least = min((odds.estimate_leads(ranking)[option].value for option in rest), default=0.0)
    columns = (RANKING_MEASURE, LEAD, *quantities)
    if ranking == GAME_MEASURE:
        columns = (GAME_MEASURE, GAME_LEAD, RANKING_MEASURE, *quantities[:2])
    options = Excerpt(
        f"{odds.kind}s",
        columns,
        without=(BEST,),
        title="",
        note=say(__name__, "note", odds, len(rest), least, names_table),
        most=len(odds.ranking) - len(rest),
    )
    if odds.kind == "card":
        return [options]
    return [options, *find_game(odds.rules.game).answers().list_grids(odds)]


_NEARLY_ALL = 0.995
"""Calls that occur in at least this share of the deals say nothing about the hidden cards."""

_INTERVALS = {True: "confidence sequences", False: "for this number of deals"}
"""The kind of intervals, by `Odds.sequential`."""


def describe_players_by_place(names: Sequence[str]) -> str:
    """Describe the players: `random at every place`, or `standard: opener, 3rd; random: 2nd`."""
    places = name_places(len(names))
    groups = group_seats(names)
    if len(groups) == 1:
        return f"{names[0]} at every place"
    return ", ".join(
        f"{name}: {' '.join(places[int(place)] for place in own_places)}"
        for name, own_places in groups.items()
    )


def get_bounds(estimate: Estimate) -> list[float] | None:
    """Return the bounds of an interval as plain values; None if there is none."""
    return [estimate.low, estimate.high] if math.isfinite(estimate.low) else None


def format_share(estimate: Estimate) -> str:
    """Return a share with its interval; without one with two digits, however small it is."""
    if math.isnan(estimate.low) and estimate.value < 0.001:
        return f"{100 * estimate.value:.2g}%"
    return str(format_number(estimate, "share"))


def _list_game_details(odds: Odds) -> dict[str, Any]:
    game = odds.measures.game
    if game is None:
        return {}
    return {"scores": game.own_scores, "equity_deals": game.equity.table.deals}


def _list_errors(odds: Odds) -> dict[str, Any]:
    errors: list[dict[str, Any]] = [
        {"place": call.place, "call": call.text} for call in odds.likely_errors
    ]
    for place, card, trick in _list_likely_card_errors(odds):
        errors.append({"place": place, "card": str(card), "trick": trick})
    return {"error_rate": odds.error_rate, "errors": errors}


def _list_call_details(odds: Any) -> dict[str, Any]:
    shared = {
        **_list_game_details(odds),
        "ignore_calls": odds.ignore_calls,
        **_list_errors(odds),
        "best": odds.get_text(odds.best),
        "choosing_deals": odds.choosing_deals,
        "early_deals": odds.early.deals if odds.early else None,
        "agreeing_share": odds.bidding_probability,
        "agreeing_interval": get_bounds(odds.estimate_bidding_probability()),
        "effective_deals": odds.effective_sample_size,
        "intervals": _INTERVALS[odds.sequential],
        "ended": odds.stop_reason,
        "ended_by": odds.stop_text or None,
    }
    hand = [str(card) for card in odds.position.hand]
    return {"hand": hand, **find_game(odds.rules.game).answers().list_details(odds, shared)}


def describe_hand(odds: Odds) -> str:
    """Return the cards and the place of the player, as the beginning of a sentence."""
    position, rules = odds.position, odds.rules
    hand = format_hand(position.hand, ranks=rules.ranks)
    return f"You hold {hand} as {describe_place(position.place_of(position.seat), rules.seats)}"


def _list_card_details(odds: CardOdds) -> dict[str, Any]:
    position, upcard_key = odds.position, find_game(odds.rules.game).upcard_key
    contract = position.contract
    return {
        "hand": [str(card) for card in sorted(position.hand)],
        position.seat_term: position.seat,
        "dealer": position.dealer,
        "teams": list(position.teams),
        upcard_key: None if position.upcard is None else str(position.upcard),
        "sender": contract.sender,
        "contract": contract.contract,
        "amount": contract.amount,
        "capot": contract.capot,
        "stake": contract.stake,
        "tricks": [
            {"leader": leader, "cards": [str(card) for card in cards]}
            for leader, cards in position.tricks
        ],
        "pending": position.pending,
        **_list_game_details(odds),
        "calls_count": odds.uses_calls,
        **_list_errors(odds),
        "plays_count": odds.uses_plays,
        "plays_effective": odds.effective_number if odds.uses_plays else None,
        "best": odds.get_text(odds.best),
        "choosing_deals": odds.choosing_deals,
        "exact": odds.is_exact,
        "distributions": odds.layout_count or None,
        "agreeing_share": odds.bidding_probability,
        "agreeing_interval": get_bounds(odds.estimate_bidding_probability()),
        "effective_deals": odds.effective_sample_size,
        "ended_by": odds.stop_text or None,
        "intervals": _INTERVALS[odds.sequential],
    }


def _describe_card_situation(odds: CardOdds) -> str:
    position, game = odds.position, find_game(odds.rules.game)
    seat, contract = position.seat, position.contract
    sender = ""
    if contract.sender != seat:
        sender = describe_place(position.place_of(contract.sender), odds.rules.seats)
    is_partner = position.teams[contract.sender] == position.teams[seat]
    clauses = [describe_hand(odds), say(__name__, "contract", contract, sender, is_partner)]
    if position.upcard is not None and game.upcard_clause:
        clauses.append(game.upcard_clause.format(format_card(position.upcard)))
    if position.pending:
        pending = game.pending_sentences[0].format(position.pending)
        clauses.append(f"{pending[0].lower()}{pending[1:-1]}")
    clauses.append(say(__name__, "trick", len(position.tricks), position.tricks[-1][1]))
    return f"{'; '.join(clauses)}."


def _describe(odds: Odds, policies: Sequence[str]) -> str:
    """Return the situation in a line for people, and the run in another."""
    if isinstance(odds, CardOdds):
        opener = odds.position.opener
        policies = [*policies[opener:], *policies[:opener]]
        situation = _describe_card_situation(odds)
    else:
        situation = find_game(odds.rules.game).answers().describe_situation(odds)
    if odds.people is not None:
        situation = odds.people.name_in(situation)
    players = describe_players_by_place(policies)
    return f"{situation}\n{describe_rules(odds.rules)}; {players}; {say(__name__, 'deals', odds)}"


def _describe_bidding(odds: Odds) -> str:
    """Return how likely the bidding is; empty if nobody else called."""
    if isinstance(odds, CardOdds):
        if not odds.uses_calls:
            return say(__name__, "bidding", odds, None)
    elif not odds.question_count:
        return ""
    share = odds.estimate_bidding_probability()
    return "" if share.value >= _NEARLY_ALL else say(__name__, "bidding", odds, format_share(share))


def _describe_intervals(odds: Odds) -> str:
    sentences = [say(__name__, "intervals", odds, RANGE_SIGNS), _describe_bidding(odds)]
    if isinstance(odds, CardOdds) and odds.uses_plays and odds.layout_count != 1:
        sentences.append(say(__name__, "plays", odds))
    return ". ".join(filter(None, sentences))


def make_odds_screen(odds: Odds) -> Screen:
    """Return the screen of odds."""
    # A name that has all parameters is shown without defaults.
    policies = tuple(
        player.shorten(odds.rules) if player.name == player.text else player.name
        for player in odds.players
    )
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
    return Screen(run, make_odds_tables(odds), write_headline(odds), list_key_parts(odds))


# Charts of odds, of both games: for `plot`, and each a picture of the page.

_MAX_OPTIONS = 8


def make_odds_drawing(odds: Odds, screen: Screen) -> Drawing:
    """Return the picture of odds; raise NothingToDrawError for a single option."""
    if len(odds.ranking) < 2:
        raise NothingToDrawError("only one option is legal")
    return Drawing((*screen.headline, *screen.run.describe().split("\n")), list_charts(odds))


def list_charts(odds: Odds) -> list[Chart]:
    """Return the charts of odds: values, chances to win and more; none for a single option."""
    rows = odds.rows[:_MAX_OPTIONS]
    if len(rows) < 2:
        return []
    few = "" if len(rows) == len(odds.ranking) else f", the best {len(rows)}"
    measures = {"value": RANKING_MEASURE}
    if UNCOUNTERED_VALUE in odds.measures.indices:
        measures["value if not countered"] = UNCOUNTERED_VALUE
    values = {
        words: {option: odds.estimate(measure, option) for option in rows}
        for words, measure in measures.items()
    }
    title = f"Value of each {odds.kind}{few}, in points"
    charts = [_make_dots("values", title, odds, values, RANKING_MEASURE)]
    if odds.measures.game:
        games = {option: odds.estimate(GAME_MEASURE, option) for option in rows}
        title = f"Games that your side wins{few}, %"
        charts.insert(0, _make_dots("games", title, odds, {"": games}, GAME_MEASURE))
    if odds.kind == "card" and len(rows) > 2:
        # Differences between cards are known better than their values.
        leads = odds.estimate_leads()
        title = f"Less than {name_option(odds, odds.best)}, in points"
        shown = {option: leads[option] for option in rows[1:]}
        charts.append(_make_dots("leads", title, odds, {"": shown}, RANKING_MEASURE))
    else:
        wins = {option: odds.estimate("win_share", option) for option in rows}
        title = "Rounds that your side wins, %"
        charts.append(_make_dots("wins", title, odds, {"": wins}, "win_share"))
    more = [] if odds.kind == "card" else find_game(odds.rules.game).answers().list_charts(odds)
    return [*filter(None, charts), *more]


def _make_dots(
    name: str,
    title: str,
    odds: Odds,
    series: Mapping[str, Mapping[int, Estimate]],
    measure: str,
) -> Chart | None:
    """Return a row for each option, the best on top: dots with intervals, and their numbers."""
    unit = odds.get_unit(measure)
    lowest = min(estimate.value for numbers in series.values() for estimate in numbers.values())
    return make_dots(
        name, title, series, "", unit, names={o: name_option(odds, o) for o in odds.rows},
        middle=0 if unit != "share" and lowest <= 0 else None, numbered=True,
    )  # fmt: skip
