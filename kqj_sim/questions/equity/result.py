"""The result of `equity`: the chance to win the game, by dealer and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, ClassVar

from kqj_sim.arguments import parse_argument, parse_count, parse_scores
from kqj_sim.messages import capitalize
from kqj_sim.output.figures import Drawing, NothingToDrawError, make_heat_maps
from kqj_sim.output.grid import Cell, Grid
from kqj_sim.output.screen import Run, Screen
from kqj_sim.output.sentences import say
from kqj_sim.results import Result
from kqj_sim.rules import SEATS
from kqj_sim.stats.equity import POINTS, EquityTable, PlayedGames, order_scores
from kqj_sim.stats.intervals import Estimate, make_plain
from kqj_sim.stats.tables import Table, TableRow, describe_estimate

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.simulation.experiment import Experiment

QUANTITY = "game_share"

_SIDES = {
    2: ("your side", "the opponents"),
    3: ("your side", "the side to your left", "the side to your right"),
    6: ("you", *(f"seat {seat}" for seat in range(1, SEATS))),
}

_STEP_SHARE = 10
"""Rows of the table up to the target."""


class EquityResult(Result):
    """The result of `equity`: the chance to win the game from every score.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.equity(policy="standard", deals=2000)
        >>> result.chance((640, 880), dealer=1, pending=120).value < 0.5
        True
    """

    kind: ClassVar[str] = "equity"

    def __init__(
        self, table: EquityTable | PlayedGames, experiment: Experiment, start: Sequence[int] | None,
        pending: int, confidence: float, interrupted: bool,
    ) -> None:  # fmt: skip
        self._table, self._confidence, self._start = table, confidence, start
        self._teams = table.rules.score_count
        step = max(POINTS, table.rules.target // (_STEP_SHARE * POINTS) * POINTS)
        self._scores = range(0, table.rules.target, step)
        if start is None:
            groups = ("dealer", *(f"score_{team}" for team in range(self._teams)))
            lines, what = [*self._list_scores()], "scores"
        else:
            what = "seat" if self._teams == SEATS else "side"
            groups = ("dealer", what)
            lines = [*self._list_sides(start, pending)]
        title, game = f"Chance to win the game, by dealer and {what}", table.rules.game
        shown = Table("equity", title, groups, lines, counted=False, game=game)
        run = Run.of(
            self.kind, experiment, table.deals, confidence=confidence, interrupted=interrupted,
            details={"scores": start, "pending": pending},
        )  # fmt: skip
        grids = self._make_grids(shown) if start is None else []
        # At given scores of sides the headline says everything.
        is_said = not grids and self._teams < SEATS
        screen = Screen(
            run, [shown], self._write_headline(pending), grids, shown=() if is_said else None
        )
        super().__init__(screen, self._draw)

    def chance(
        self, scores: str | Sequence[int], dealer: int = 0, pending: int = 0, side: int = 0
    ) -> Estimate:
        """Return the chance of a side to win the game.

        Args:
            scores: of each side, yours first.
            dealer: seat of the next dealer; seat 0 is yours, seat 1 to its left.
            pending: litigation gratuity that waits.
            side: 0 for yours, 1 for that to your left; with random partners a seat.

        Raises:
            InputError: there are no such scores, seat or side.
        """
        read = parse_argument("scores", parse_scores, scores)
        ordered = parse_argument("scores", order_scores, read, self._table.rules)
        parse_count("dealer", dealer, 0, "0", SEATS - 1)
        parse_count("side", side, 0, "0", self._teams - 1)
        parse_count("pending", pending, 0, "120")
        return make_plain(self._estimate(ordered, dealer, pending, side))

    def frame(self) -> pd.DataFrame:
        """Return one row per dealer and scores, or with `scores` per dealer and side.

        The chance to win the game is `game_share`, its bounds `game_share_low` and
        `game_share_high`.
        """
        import pandas as pd

        (table,) = self._screen.tables
        return pd.DataFrame(
            {**dict(zip(table.groups, group, strict=True)), **describe_estimate(QUANTITY, estimate)}
            for group, _, estimate in table.lines
        )

    def _estimate(
        self, scores: Sequence[int], dealer: int, pending: int = 0, side: int = 0
    ) -> Estimate:
        return self._table.estimate(side, scores, dealer, pending, self._confidence)

    def _list_scores(self) -> Iterator[TableRow]:
        for dealer in range(self._table.dealers):
            for scores in product(self._scores, repeat=self._teams):
                yield (dealer, *scores), QUANTITY, self._estimate(scores, dealer)

    def _list_sides(self, start: Sequence[int], pending: int) -> Iterator[TableRow]:
        for dealer in range(self._table.dealers):
            for side in range(self._teams):
                yield (dealer, side), QUANTITY, self._estimate(start, dealer, pending, side)

    def _name_dealer(self, dealer: int) -> str:
        """Return who deals: `your side deals`, `the opponents deal`, `seat 4 deals`."""
        if self._table.dealers > self._teams:
            return f"seat {dealer} deals"
        name = _SIDES[self._teams][dealer]
        return f"{name} deal{'' if name == 'you' or name.endswith('s') else 's'}"

    def _write_headline(self, pending: int) -> list[str]:
        start = self._start or [0] * self._teams
        chances = [
            (self._name_dealer(dealer), self._estimate(start, dealer, pending))
            for dealer in range(self._table.dealers)
        ]
        who = "you win" if self._teams == SEATS else "your side wins"
        return [say(__name__, "headline", start, pending, who, chances)]

    def _make_grids(self, table: Table) -> list[Grid]:
        """Return a grid for each dealer: own scores down, and the others' across."""
        chances, grids, others = table.estimates(QUANTITY), [], self._teams - 1
        half = max((chance.high - chance.low) / 2 for chance in chances.values())
        note = say(__name__, "note", 100 * half, self._teams)
        for dealer in range(self._table.dealers):
            rows: list[tuple[Cell, ...]] = []
            for own in self._scores:
                beside = [chances[(dealer, own, *[other] * others)] for other in self._scores]
                rows.append((Cell(f"{own}"), *(Cell(f"{100 * it.value:.1f}") for it in beside)))
            headings = ("yours", *map(str, self._scores))
            title = capitalize(self._name_dealer(dealer))
            grids.append(Grid(title, headings, tuple(rows), 1, note, narrow=True))
        return grids

    def _draw(self, screen: Screen) -> Drawing:
        """Return the picture: a heat map for each dealer."""
        if self._start is not None:
            raise NothingToDrawError("the picture has all scores: leave out `scores`")
        chances, others = screen.tables[0].estimates(QUANTITY), self._teams - 1
        panels = {
            capitalize(self._name_dealer(dealer)): {
                (own, other): chances[(dealer, own, *[other] * others)]
                for own, other in product(self._scores, repeat=2)
            }
            for dealer in range(self._table.dealers)
        }
        rows, columns = ("your score", self._scores), ("their score", self._scores)
        chart = make_heat_maps("equity", "Games that your side wins, %", panels, rows, columns)
        assert chart is not None
        return Drawing((*screen.headline, screen.run.describe()), [chart])
