"""The tally of an experiment: counts rows and games, and makes tables of them.

Its memory does not grow with the number of deals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from kqj_sim.columns import SENDER_HAND
from kqj_sim.errors import InputError
from kqj_sim.games import describe_listing, find_game, get_column_numbers, get_columns
from kqj_sim.messages import quote, suggest
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE
from kqj_sim.stats.joint_counts import Groups, JointCounts
from kqj_sim.stats.tables import (
    Table,
    TableBuilder,
    TableRow,
    describe_distribution,
    list_deviation_notes,
)
from kqj_sim.stats.where import compile_expression

if TYPE_CHECKING:
    from kqj_sim.core.types import BoolArray, Int64Array
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.rows import GameRows, Rows


_GAME_NOTE = "Whole games are counted, not deals; --where and --by do not apply to them."


def measure_games(games: GameRows) -> dict[str, Int64Array]:
    """Return the quantities counted of each game, by name, int64 (games,) each."""
    counted = {
        "rounds": games.rounds,
        "played_rounds": games.played_rounds,
        "first_dealer_side_won": games.first_dealer_side_won,
        "winner": games.winner,
    }
    scores = {f"score_{number}": games.score[:, number] for number in range(games.score.shape[1])}
    return counted | scores


def make_game_tables(
    experiment: Experiment, counts: Mapping[str, Counter[int]], confidence: float
) -> list[Table]:
    """Return the tables of games, from the histogram of each quantity of `measure_games`."""
    rules = experiment.rules
    games = counts["rounds"].total()
    won = intervals.estimate_share(counts["first_dealer_side_won"][1], games, confidence)
    overall: list[TableRow] = [
        ((), "games_count", intervals.make_count(games)),
        ((), "first_dealer_won_share", won),
    ]
    for name in ("rounds", "played_rounds"):
        for quantity, estimate in describe_distribution(name, counts[name], confidence):
            overall.append(((), quantity, estimate))
    player = "seat" if rules.partners == "random" else "team"
    by_player: list[TableRow] = []
    for number in range(rules.score_count):
        share = intervals.estimate_share(counts["winner"][number], games, confidence)
        score = intervals.estimate_mean(counts[f"score_{number}"], confidence)
        by_player.append(((number,), "won_share", share))
        by_player.append(((number,), "final_score_mean", score))
    note = " ".join([_GAME_NOTE, *list_deviation_notes(overall)])
    return [
        Table("games", "Games", (), overall, note, game=rules.game),
        Table(
            f"games_by_{player}", f"Games, by {player}", (player,), by_player, _GAME_NOTE,
            game=rules.game,
        ),
    ]  # fmt: skip


def make_length_table(
    experiment: Experiment, counts: Mapping[str, Counter[int]], confidence: float
) -> Table:
    """Return the table of games by their number of rounds."""
    games = counts["rounds"].total()
    lines: list[TableRow] = [
        ((rounds,), "share_of_games", intervals.estimate_share(number, games, confidence))
        for rounds, number in sorted(counts["rounds"].items())
    ]
    return Table(
        "games_by_rounds", "Games, by their rounds", ("rounds",), lines, _GAME_NOTE,
        game=experiment.rules.game,
    )  # fmt: skip


class Tally:
    """Counts of an experiment's rows and games, from which its tables are made.

    One tally serves one thread; `merge` adds another's counts, in any order with the same result.
    Games are counted whole, whatever `by` and `where`.

    Args:
        experiment: the experiment.
        by: columns that group every table of rounds.
        where: expression; only deals for which it holds are counted.
        detail: True to make the further tables of a report too.

    Raises:
        InputError: an unknown column in `by`; an invalid `where`.
        TooManyCombinations: `by` has too many groups to be numbered.
    """

    def __init__(
        self,
        experiment: Experiment,
        by: Sequence[str] = (),
        where: str | None = None,
        detail: bool = False,
    ) -> None:
        self.experiment = experiment
        self.detail = detail
        self.by = tuple(dict.fromkeys(by))
        self.where = where
        game = experiment.rules.game
        columns = get_columns(game)
        for name in self.by:
            if name not in get_column_numbers(game):
                hint = suggest(name, get_column_numbers(game))
                hint = "it holds cards" if name == SENDER_HAND else hint
                raise InputError(
                    f"{quote(name)} is no column to group by: " + (hint or describe_listing(game))
                )
        games = experiment.games is not None
        self.expression = (
            compile_expression(where, games=games, game=game) if where is not None else None
        )
        analyzed = find_game(game).part("analysis")
        self._table_sets = [analyzed.tables, *([analyzed.detail_tables] if detail else [])]
        joints = [
            tuple(dict.fromkeys((*self.by, *needed)))
            for part in self._table_sets
            for needed in part.list_joints(experiment)
        ]
        derived = [
            column for part in self._table_sets for column in part.derive_columns(experiment)
        ]
        self._counts = JointCounts(joints, derived, columns)
        self._groups = Groups(self.by, columns)
        self._games: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._every_row = np.ones(0, np.bool_)
        self.deals = 0
        """Number of deals added, those for which `where` does not hold included."""

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the rows that are used."""
        used = () if self.expression is None else self.expression.columns
        return self._counts.columns.union(used)

    @property
    def size(self) -> tuple[Literal["deals", "games"], int]:
        """The unit that the experiment counts, and its number of them."""
        games = self.experiment.games
        return ("deals", self.experiment.deals) if games is None else ("games", games)

    def add(self, rows: Rows) -> None:
        """Count a chunk of rows.

        Raises:
            ValueError: a value leaves its column's range.
            TooManyCombinations: more than `joint_counts.MOST_GROUPS` groups have occurred.
        """
        kept = self._select_rows(rows)
        self._counts.add(rows, kept)
        self._groups.add(rows, kept)
        self.deals += len(rows)

    def add_games(self, games: GameRows) -> None:
        """Count finished games."""
        for name, values in measure_games(games).items():
            distinct, numbers = np.unique(values, return_counts=True)
            self._games[name].update(dict(zip(distinct.tolist(), numbers.tolist(), strict=True)))

    def merge(self, other: Tally) -> None:
        """Add the counts of other deals; raises ValueError if `other` counts something else."""
        if self._counted_fields() != other._counted_fields():
            raise ValueError("only tallies of the same experiment, by and where can be merged")
        self.add_numbers(other.numbers())

    def numbers(self) -> dict[str, Int64Array]:
        """Return all counts, as arrays by name."""
        numbers = self._counts.numbers() | {"deals": np.array([self.deals])}
        for name, counter in self._games.items():
            values = sorted(counter)
            numbers[f"games {name}"] = np.array([values, [counter[value] for value in values]])
        return numbers

    def add_numbers(self, numbers: Mapping[str, Int64Array]) -> None:
        """Add `numbers` of a tally of the same experiment; raises KeyError and ValueError."""
        self._counts.add_numbers(numbers)
        deals = int(numbers["deals"][0])
        if deals < 0:
            raise ValueError(f"{deals:,} deals")
        self.deals += deals
        for key, array in numbers.items():
            kind, _, name = key.partition(" ")
            if kind == "games":
                if array[1].min(initial=0) < 0:
                    raise ValueError(f"{array[1].min():,} games")
                self._games[name].update(dict(zip(*array.tolist(), strict=True)))

    def tables(self, confidence: float = DEFAULT_CONFIDENCE) -> list[Table]:
        """Return every table that applies to the experiment and has any number in it.

        Raises:
            TooManyCombinations: more than `joint_counts.MOST_GROUPS` groups occur.
        """
        return [table for table in self._make_tables(confidence) if table.lines]

    def list_titles(self) -> dict[str, str]:
        """Return the title of every table that applies to the experiment, by its name."""
        return {table.name: table.title for table in self._make_tables(DEFAULT_CONFIDENCE)}

    def _make_tables(self, confidence: float) -> list[Table]:
        """Return every table that applies to the experiment, with or without rows."""
        if self.by:
            self._groups.check(len(self._counts.get_cells(self.by)[1]))
        notes = find_game(self.experiment.rules.game).part("analysis").list_notes(self.experiment)
        source = TableBuilder(self.experiment, self.by, self.where, self._counts, confidence, notes)
        made = [table for part in self._table_sets for table in part.make_tables(source)]
        if self._games or self.experiment.games is not None:
            made += make_game_tables(self.experiment, self._games, confidence)
            if self.detail:
                made.append(make_length_table(self.experiment, self._games, confidence))
        return made

    def get_cells(self, columns: Sequence[str]) -> tuple[Int64Array, Int64Array]:
        """Return the values of columns that occur, and how often, as `JointCounts.get_cells`."""
        return self._counts.get_cells(columns)

    def make_length_table(self, confidence: float = DEFAULT_CONFIDENCE) -> Table:
        """Return the table of games by their number of rounds; without games it has no rows."""
        return make_length_table(self.experiment, self._games, confidence)

    def _counted_fields(self) -> tuple[object, ...]:
        """Return everything that tallies must share to be merged: all but the range of deals."""
        played = self.experiment
        return (
            played.rules, played.players, played.seed, played.imposed, played.games is None,
            self.by, self.where, self.detail,
        )  # fmt: skip

    def _select_rows(self, rows: Rows) -> BoolArray:
        """Return the rows to count, bool (rows,)."""
        if self.expression is not None:
            return self.expression.mask(rows)
        if len(self._every_row) < len(rows):
            self._every_row = np.ones(len(rows), np.bool_)
        return self._every_row[: len(rows)]
