"""The result of `solve`: the value of each card, and the best play."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kqj_sim.cards import Card, format_card
from kqj_sim.games import describe_rules
from kqj_sim.output.figures import Drawing, NothingToDrawError
from kqj_sim.output.grid import Cell, Grid
from kqj_sim.output.screen import Run, Screen
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.positions.measures import RANKING_MEASURE
from kqj_sim.positions.position import split_tricks
from kqj_sim.questions.solve.play import Solution
from kqj_sim.results import Result
from kqj_sim.stats.intervals import make_exact
from kqj_sim.stats.tables import Table

if TYPE_CHECKING:
    import pandas as pd


class SolveResult(Result):
    """The result of `solve`: the value of each card with all cards open, and the best play.

    Attributes:
        lead: points by which the player's side outscores the others with the best play of all.
        cards: the same after each legal card, by its text such as "As", the best first.
        line: the best play to the end of the round: seat and card of each play.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.solve(deal=5, policy="standard", at="7.6")
        >>> [card in result.cards for _, card in result.line[:1]], len(result.line)
        ([True], 7)
    """

    kind: ClassVar[str] = "solve"

    def __init__(self, solution: Solution, source: str, drawn: tuple[int, int] | None) -> None:
        position, sign = solution.position, solution.sign
        leads = {str(card): sign * lead + 0.0 for card, lead in solution.leads.items()}
        self.cards = dict(sorted(leads.items(), key=lambda item: -item[1]))
        self.lead = sign * solution.lead
        self.line = [(seat, str(card)) for seat, card in solution.line]
        rules, places = position.rules, name_places(position.rules.seats)
        three, place = rules.team_count == 3, places[position.place]
        trick, card = divmod(len(position.plays), rules.seats)
        title = f"Value of each card of the {place}"
        table = Table(
            "cards", title, ("card",),
            [((text,), RANKING_MEASURE, make_exact(lead, 1)) for text, lead in self.cards.items()],
            say(__name__, "note", three), counted=False, game=rules.game,
        )  # fmt: skip
        sender = places[position.place_of(position.contract.sender)]
        best = [card for card, lead in solution.leads.items() if sign * lead == self.lead]
        headline = [
            say(__name__, "headline", sender, position.contract, solution.lead, three),
            say(__name__, "best", place, best, len(self.cards)),
        ]
        seed, deal = drawn or (None, None)
        run = Run(
            self.kind, rules, (), seed, deal, 1, intervals="",
            description=say(
                __name__, "source", describe_rules(rules), source, trick + 1, card + 1
            ),
            details={
                "at": f"{trick + 1}.{card + 1}",
                "seat": position.seat,
                "lead": self.lead,
                "line": [{"seat": seat, "card": text} for seat, text in self.line],
            },
        )  # fmt: skip
        screen = Screen(run, [table], headline, ["cards", _lay_out_line(solution)])
        super().__init__(screen, _refuse_to_draw)

    def frame(self) -> pd.DataFrame:
        """Return one row per legal card, the best first: its `value`, by its text."""
        import pandas as pd

        return pd.DataFrame({"value": self.cards.values()}, index=pd.Index(self.cards, name="card"))


def _lay_out_line(solution: Solution) -> Grid:
    """Return the best play, a row for each trick that begins with its leader's place."""
    position = solution.position
    cards = (*position.plays, *(card for _, card in solution.line))
    tricks = split_tricks(cards, position.dealer, position.referee, position.contract.contract)
    places, first = name_places(position.rules.seats), len(position.plays) // position.rules.seats
    rows = tuple(
        (Cell(str(number)), Cell(places[position.place_of(leader)]), *map(_show_card, played))
        for number, (leader, played) in enumerate(tricks, start=1)
        if number > first and played
    )
    headings = ("trick", "leader", *["card"] * position.rules.seats)
    return Grid("The best play, in the order of each trick", headings, rows, 2)


def _show_card(card: Card) -> Cell:
    return Cell(format_card(card))


def _refuse_to_draw(screen: Screen) -> Drawing:
    raise NothingToDrawError("a solution has no picture: its table has a number for each card")
