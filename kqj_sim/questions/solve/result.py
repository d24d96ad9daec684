"""The result of `solve`: the value of each card, and the best play."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from kqj_sim.cards import Card, format_card
from kqj_sim.games import describe_rules
from kqj_sim.output.figures import Drawing, NothingToDrawError
from kqj_sim.output.grid import Cell, Grid
from kqj_sim.output.screen import Run, Screen
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.positions.position import Position, split_tricks
from kqj_sim.questions.solve.play import Solution
from kqj_sim.results import Result
from kqj_sim.rules import GameRules
from kqj_sim.stats.intervals import make_exact
from kqj_sim.stats.tables import Table

if TYPE_CHECKING:
    import pandas as pd


class SolveResult(Result):
    """The result of `solve`: the value of each card with all cards open, and the best play.

    Attributes:
        lead: points by which the player's side outscores the others with the best play of all; NaN
            with `turns`, `contracts` and `deals`, which leave `cards` and `line` empty.
        cards: the same after each legal card, by its text such as "As", the best first.
        line: the best play to the end of the round: seat and card of each play.
        changes: with `turns` the plays after which the contract, with the best play of all, could
            no longer be made, or could again, from the first on: trick and card such as "3.2".
        best: with `contracts` the value of the best contract of each side.
        par: with `contracts` in auctions of two teams the points of the opener's side if neither
            side can improve its score by bidding on or by countering; else None.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.solve(deal=5, policy="standard", at="7.6")
        >>> [card in result.cards for _, card in result.line[:1]], len(result.line)
        ([True], 7)
    """

    kind: ClassVar[str] = "solve"

    def __init__(self, screen: Screen, **values: Any) -> None:
        super().__init__(screen, _refuse_to_draw)
        self.lead: float = values.get("lead", math.nan)
        self.cards: dict[str, float] = values.get("cards", {})
        self.line: list[tuple[int, str]] = values.get("line", [])
        self.changes: list[str] = values.get("changes", [])
        self.best: dict[str, float] = values.get("best", {})
        self.par: float | None = values.get("par")

    def frame(self) -> pd.DataFrame:
        """Return one row per legal card, or contract: its `value`, by the groups of the table.

        With `deals` it is one row per ending; the deals are played again.
        """
        import pandas as pd

        (table,) = self._screen.tables
        groups = [group for group, *_ in table.lines]
        if len(table.groups) == 1:
            index = pd.Index([group for (group,) in groups], name=table.groups[0])
        else:
            index = pd.MultiIndex.from_tuples(groups, names=table.groups)
        return pd.DataFrame({"value": [float(number) for *_, number in table.lines]}, index=index)


@dataclass(frozen=True)
class Solved:
    """The rules and a sentence on what was solved; seed and deal if it was drawn."""

    source: str
    drawn: tuple[int, int] | None
    rules: GameRules

    def make_run(self, trick: int, card: int, **details: Any) -> Run:
        """Return the run of a solution from a card on."""
        seed, deal = self.drawn or (None, None)
        described = say(__name__, "source", describe_rules(self.rules), self.source, trick, card)
        return Run(
            SolveResult.kind, self.rules, (), seed, deal, 1, intervals="", description=described,
            details=details,
        )  # fmt: skip

    def make_table(
        self, name: str, title: str, groups: tuple[str, ...], values: Values, spread: str = ""
    ) -> Table:
        """Return a table of values, by the values of its groups."""
        quantity = "amount_made" if name == "contracts" and is_auction(self.rules) else "value"
        note = say(__name__, "note", self.rules.team_count == 3, quantity)
        return Table(
            name, title, groups,
            [(group, quantity, make_exact(value, 1)) for group, value in values],
            note, counted=False, spread=spread, game=self.rules.game,
        )  # fmt: skip


Values: TypeAlias = Iterable[tuple[tuple[int | str, ...], float]]
"""Values by the groups of a table."""


def show_cards(solution: Solution, solved: Solved) -> SolveResult:
    """Return the result of one turn."""
    position, sign = solution.position, solution.sign
    leads = {str(card): sign * lead + 0.0 for card, lead in solution.leads.items()}
    cards = dict(sorted(leads.items(), key=lambda item: -item[1]))
    lead, rules = sign * solution.lead + 0.0, position.rules
    line = [(seat, str(card)) for seat, card in solution.line]
    places = name_places(rules.seats)
    place, sender = places[position.place], places[position.place_of(position.contract.sender)]
    trick, card = find_turn(position)
    table = solved.make_table(
        "cards", f"Value of each card of the {place}", ("card",),
        [((text,), value) for text, value in cards.items()],
    )  # fmt: skip
    three = rules.team_count == 3
    best = [card for card in solution.leads if leads[str(card)] == lead]
    headline = [
        say(__name__, "headline", sender, position.contract, solution.lead, three),
        say(__name__, "best", place, best, len(cards)),
    ]
    run = solved.make_run(
        trick, card, at=f"{trick}.{card}", seat=position.seat, lead=lead,
        line=[{"seat": seat, "card": text} for seat, text in line],
    )  # fmt: skip
    plays = (*position.plays, *(card for _, card in solution.line))
    grid = _lay_out_tricks(position, plays, "The best play, in the order of each trick", {})
    return SolveResult(
        Screen(run, [table], headline, ["cards", grid]), lead=lead, cards=cards, line=line
    )


def find_turn(position: Position) -> tuple[int, int]:
    """Return trick and card, from 1, of the next play."""
    trick, card = divmod(len(position.plays), position.rules.seats)
    return trick + 1, card + 1


def show_turns(turns: Sequence[Solution], solved: Solved) -> SolveResult:
    """Return the result of all turns of a round."""
    places = name_places(solved.rules.seats)
    values: list[tuple[tuple[int | str, ...], float]] = []
    losses: dict[Card, float] = {}
    changes: list[tuple[str, str, Card, bool]] = []
    for turn in turns:
        (_, played), position = turn.line[0], turn.position
        at = "{}.{}".format(*find_turn(position))
        for card, lead in turn.leads.items():
            played_text = "played" if card == played else "not played"
            values.append(((at, position.place, str(card), played_text), turn.sign * lead + 0.0))
        losses[played] = turn.sign * (turn.lead - turn.leads[played])
        if (turn.lead > 0) != (turn.leads[played] > 0):
            changes.append((at, places[position.place], played, turn.leads[played] > 0))
    first, last = turns[0].position, turns[-1].position
    headline = [say(__name__, "turns", turns[0].lead, changes)]
    said = [
        {"at": at, "place": place, "card": str(card), "made": made}
        for at, place, card, made in changes
    ]
    run = solved.make_run(*find_turn(first), changes=said)
    plays = (*last.plays, turns[-1].line[0][1])
    title = "The cards played, and the points that each lost with all cards open"
    grid = _lay_out_tricks(first, plays, title, losses)
    table = solved.make_table(
        "turns", "Value of each card at each turn", ("at", "place", "card", "choice"), values
    )
    return SolveResult(Screen(run, [table], headline, [grid]), changes=[at for at, *_ in changes])


def show_contracts(values: Mapping[tuple[str, str], float], solved: Solved) -> SolveResult:
    """Return the result of all contracts of a deal."""
    best: dict[str, float] = {}
    for (side, _), value in values.items():
        best[side] = max(value, best.get(side, value))
    par = None
    if is_auction(solved.rules) and solved.rules.team_count == 2:
        # Where both can make as much, the opener's side, who is the first, bids it first.
        side = max(best, key=lambda side: best[side])
        par = best[side] if side == next(iter(best)) else -best[side]
    contracts = {
        side: [c for (s, c), v in values.items() if (s, v) == (side, best[side])] for side in best
    }
    headline = [say(__name__, "contracts", best, contracts, par, is_auction(solved.rules))]
    table = solved.make_table(
        "contracts", "What each contract makes", ("side", "contract"), values.items(), "contract"
    )
    run = solved.make_run(1, 1, best=best, par=par)
    return SolveResult(Screen(run, [table], headline, ["contracts"]), best=best, par=par)


def is_auction(rules: GameRules) -> bool:
    """Return True for rules with auctions."""
    return getattr(rules, "bidding", None) == "auction"


def _lay_out_tricks(
    position: Position, plays: tuple[Card, ...], title: str, losses: Mapping[Card, float]
) -> Grid:
    """Return plays with what they lost, a row for each trick that begins with its leader's place.

    The first is the trick of the position.
    """
    tricks = split_tricks(plays, position.dealer, position.referee, position.contract.contract)
    places, first = name_places(position.rules.seats), len(position.plays) // position.rules.seats
    rows = tuple(
        (
            Cell(str(number)), Cell(places[position.place_of(leader)]),
            *(Cell(format_card(card), f"-{losses[card]:g}" if losses.get(card) else "")
              for card in played),
        )
        for number, (leader, played) in enumerate(tricks, start=1)
        if number > first and played
    )  # fmt: skip
    headings = ("trick", "leader", *["card"] * position.rules.seats)
    rows = tuple((*row, *[Cell("")] * (len(headings) - len(row))) for row in rows)
    return Grid(title, headings, rows, 2)


def _refuse_to_draw(screen: Screen) -> Drawing:
    raise NothingToDrawError("a solution has no picture: its table has a number for each card")
