"""The tally of an experiment: counts rows and games, and makes tables of them.

Its memory does not grow with the number of deals.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kqj_sim.columns import KQJ_COLUMNS, SENDER_HAND, Column
from kqj_sim.core.jit import kernel
from kqj_sim.core.types import BoolArray, Int16Array, Int64Array
from kqj_sim.errors import InputError
from kqj_sim.games import describe_listing, find_game, get_column_numbers, get_columns
from kqj_sim.messages import quote, suggest
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import DEFAULT_CONFIDENCE
from kqj_sim.stats.tables import (
    DerivedColumn,
    Table,
    TableBuilder,
    TableRow,
    describe_distribution,
    list_deviation_notes,
)
from kqj_sim.stats.where import compile_expression

if TYPE_CHECKING:
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.rows import GameRows, Rows

# Joint histograms of columns: the number of rows with each combination of values.
#
# Every table of rounds is made of such counts. They are integers, and merging adds them, so that
# threads and chunks cannot change them. Their size depends on the ranges of the columns, not on
# the number of deals.

DENSE_CELLS = 1 << 22
"""Number of cells above which a joint is counted sparsely."""

MOST_GROUPS = 1_000
"""Largest number of groups in a table: larger tables are unreadable, and take minutes to make."""

_ROWS_PER_BLOCK = 1024
_MAX_PENDING_KEYS = 1 << 20


class TooManyCombinations(ValueError):
    """Columns with more combinations of values than can be numbered, or shown as groups."""


class JointCounts:
    """Counts of the joint values of columns, for several tuples of columns (joints) at once.

    `derived` columns are computed from those of the rows.  Raises TooManyCombinations if a joint
    has more than 2**62 cells.
    """

    def __init__(
        self,
        joints: Sequence[tuple[str, ...]],
        derived: Sequence[DerivedColumn] = (),
        columns: Sequence[Column] = KQJ_COLUMNS,
    ) -> None:
        self._derived = tuple(derived)
        self._known: list[Column | DerivedColumn] = [*columns, *derived]
        self._joints = [_JointIndex(names, self._known) for names in joints]
        self._dense = [joint for joint in self._joints if joint.cells <= DENSE_CELLS]
        self._sparse = [joint for joint in self._joints if joint.cells > DENSE_CELLS]
        self._stores = [_SparseStore() for _ in self._sparse]
        starts = np.cumsum([0, *(joint.cells for joint in self._dense)])
        self._starts = [int(start) for start in starts]
        self._counts = np.zeros(self._starts[-1], np.int64)
        terms = [term for joint in self._dense for term in joint.terms]
        self._columns = np.array([column for column, _ in terms], np.int64)
        self._strides = np.array([stride for _, stride in terms], np.int32)
        self._first_terms = np.cumsum([0, *(len(joint.terms) for joint in self._dense)])
        self._offsets = np.array(
            [start + joint.offset for start, joint in zip(starts, self._dense, strict=False)],
            np.int32,
        )
        used = sorted({column for joint in self._joints for column, _ in joint.terms})
        self._used = np.array(used, np.int64)
        self._lows = np.array([self._known[column].low for column in used], np.int16)
        self._highs = np.array([self._known[column].high for column in used], np.int16)

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the rows that are used."""
        used = [self._known[column] for column in self._used]
        plain = {column.name for column in used if isinstance(column, Column)}
        return frozenset(plain.union(*(column.sources for column in self._derived)))

    def add(self, rows: Rows, mask: BoolArray) -> None:
        """Count the rows where `mask` is true; raise ValueError for a value out of range."""
        values = np.ascontiguousarray(rows.values)
        extra = np.empty((len(self._derived), len(rows)), np.int16)
        for row, derived in zip(extra, self._derived, strict=True):
            row[:] = derived.compute(rows)
        outside = _find_out_of_range(values, extra, self._used, self._lows, self._highs)
        if outside >= 0:
            column = self._known[self._used[outside]]
            raise ValueError(f"{column.name} leaves its range {column.low} to {column.high}")
        flags = np.ascontiguousarray(mask).view(np.uint8)
        _count_dense(
            values, extra, flags, self._columns, self._strides, self._first_terms, self._offsets,
            self._counts,
        )  # fmt: skip
        for joint, store in zip(self._sparse, self._stores, strict=True):
            store.add(*_sum_by_code(joint.encode(values, extra)[mask]))

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to pickle, without the empty cells: with groups, 130 MB of them."""
        places = np.flatnonzero(self._counts)
        return {**self.__dict__, "_counts": (len(self._counts), places, self._counts[places])}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        size, places, counts = state["_counts"]
        self._counts = np.zeros(size, np.int64)
        self._counts[places] = counts

    def numbers(self) -> dict[str, Int64Array]:
        """Return all counts, as arrays by name, (cells that occur,) each."""
        places = np.flatnonzero(self._counts)
        numbers = {"places": places, "counts": self._counts[places]}
        for number, store in enumerate(self._stores):
            numbers[f"codes_{number}"], numbers[f"counts_{number}"] = store.distinct()
        return numbers

    def add_numbers(self, numbers: Mapping[str, Int64Array]) -> None:
        """Add `numbers` of counts of the same joints; raises KeyError and ValueError."""
        _check_counts(numbers["places"], numbers["counts"], len(self._counts))
        self._counts[numbers["places"]] += numbers["counts"]
        for number, (joint, store) in enumerate(zip(self._sparse, self._stores, strict=True)):
            codes, counts = numbers[f"codes_{number}"], numbers[f"counts_{number}"]
            _check_counts(codes, counts, joint.cells)
            store.add(codes, counts)

    def get_cells(self, columns: Sequence[str]) -> tuple[Int64Array, Int64Array]:
        """Return the combinations of values of `columns` that occur, and their numbers of rows.

        Values are int64 (cells, columns) in ascending order, counts int64 (cells,).  Raises
        KeyError if no joint has all these columns.
        """
        fitting = [joint for joint in self._joints if set(columns) <= set(joint.columns)]
        if not fitting:
            raise KeyError(f"no joint counts of {', '.join(columns)}")
        joint = min(fitting, key=lambda joint: joint.cells)
        names = tuple(dict.fromkeys(columns))
        if joint in self._dense:
            start = self._starts[self._dense.index(joint)]
            counts = self._counts[start : start + joint.cells].reshape(joint.shape)
            left = [axis for axis, name in enumerate(joint.columns) if name not in names]
            counts = counts.sum(axis=tuple(left))
            remaining = [name for name in joint.columns if name in names]
            counts = counts.transpose([remaining.index(name) for name in names])
            places = np.nonzero(counts)
            values = {
                name: place + joint.get_low(name) for name, place in zip(names, places, strict=True)
            }
            return np.stack([values[name] for name in columns], axis=1), counts[places]
        codes, numbers = self._stores[self._sparse.index(joint)].distinct()
        marginal = _JointIndex(names, self._known)
        coded = np.zeros(len(codes), np.int64)
        for name, (_, stride) in zip(names, marginal.terms, strict=True):
            coded += (joint.decode(name, codes) - joint.get_low(name)) * stride
        codes, numbers = _sum_by_code(coded, numbers)
        return np.stack([marginal.decode(name, codes) for name in columns], axis=1), numbers


def _check_counts(cells: Int64Array, counts: Int64Array, most: int) -> None:
    """Raise ValueError for cells outside of 0 to `most` - 1, and for counts that cannot be."""
    if cells.ndim != 1 or cells.shape != counts.shape:
        raise ValueError(f"{cells.shape} cells and {counts.shape} counts")
    if cells.min(initial=0) < 0 or cells.max(initial=0) >= max(most, 1):
        raise ValueError(f"cells {cells.min():,} to {cells.max():,} of {most:,}")
    if counts.min(initial=0) < 0:
        raise ValueError(f"{counts.min():,} deals")


class _JointIndex:
    """A numbering of the values of several columns: code = offset + sum of value * stride."""

    def __init__(self, columns: tuple[str, ...], known: Sequence[Column | DerivedColumn]) -> None:
        numbers = {column.name: number for number, column in enumerate(known)}
        chosen = [known[numbers[name]] for name in columns]
        self.columns = columns
        self.shape = tuple(column.high - column.low + 1 for column in chosen)
        self.cells = math.prod(self.shape)
        if self.cells > 1 << 62:
            raise TooManyCombinations(
                f"{', '.join(columns)} have too many combinations of values: group by fewer columns"
            )
        strides = [math.prod(self.shape[place + 1 :]) for place in range(len(columns))]
        self.terms = [
            (numbers[name], stride) for name, stride in zip(columns, strides, strict=True)
        ]
        self.offset = -sum(
            column.low * stride for column, stride in zip(chosen, strides, strict=True)
        )
        self._lows = [column.low for column in chosen]

    def encode(self, values: Int16Array, extra: Int16Array) -> Int64Array:
        codes = np.full(values.shape[1], self.offset, np.int64)
        for column, stride in self.terms:
            row = values[column] if column < len(values) else extra[column - len(values)]
            codes += row * np.int64(stride)
        return codes

    def get_low(self, name: str) -> int:
        return self._lows[self.columns.index(name)]

    def decode(self, name: str, codes: Int64Array) -> Int64Array:
        place = self.columns.index(name)
        _, stride = self.terms[place]
        return codes // stride % self.shape[place] + self._lows[place]


class Groups:
    """Combinations of values of columns that occur, counted to refuse too many."""

    def __init__(self, names: tuple[str, ...], columns: Sequence[Column]) -> None:
        self._joint = _JointIndex(names, columns)
        self._codes = np.empty(0, np.int64)

    def add(self, rows: Rows, kept: BoolArray) -> None:
        """Add the rows where `kept` is true; raise TooManyCombinations above `MOST_GROUPS`."""
        if self._joint.cells <= MOST_GROUPS:
            return
        codes = self._joint.encode(rows.values, rows.values[:0])[kept]
        self._codes = np.union1d(self._codes, codes)
        self.check(len(self._codes))

    def check(self, count: int) -> None:
        """Raise TooManyCombinations if `count` is too many groups."""
        if count <= MOST_GROUPS:
            return
        joint = self._joint
        ranges = " x ".join(
            f"{name} {size:,}" for name, size in zip(joint.columns, joint.shape, strict=True)
        )
        raise TooManyCombinations(
            f"`by`: more than {MOST_GROUPS:,} groups occur, of {joint.cells:,} possible ones "
            f"({ranges}): group by fewer columns, or use `rows`"
        )


class _SparseStore:
    """Counts by code, for the codes that occur.

    Recent additions wait in lists, and are merged when there are more of them than merged codes.
    """

    def __init__(self) -> None:
        self._codes = [np.empty(0, np.int64)]
        self._counts = [np.empty(0, np.int64)]
        self._pending = 0

    def add(self, codes: Int64Array, counts: Int64Array) -> None:
        self._codes.append(codes)
        self._counts.append(counts)
        self._pending += len(codes)
        if self._pending > max(_MAX_PENDING_KEYS, len(self._codes[0])):
            self.distinct()

    def distinct(self) -> tuple[Int64Array, Int64Array]:
        """Return the codes in ascending order, and their counts."""
        if self._pending:
            codes, counts = _sum_by_code(np.concatenate(self._codes), np.concatenate(self._counts))
            self._codes, self._counts, self._pending = [codes], [counts], 0
        return self._codes[0], self._counts[0]


def _sum_by_code(
    codes: Int64Array, counts: Int64Array | None = None
) -> tuple[Int64Array, Int64Array]:
    """Return the distinct codes in ascending order, and their summed counts (1 each if None)."""
    if len(codes) == 0:
        return codes, np.empty(0, np.int64)
    if counts is None:
        codes = np.sort(codes)
    else:
        order = np.argsort(codes, kind="stable")
        codes, counts = codes[order], counts[order]
    firsts = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    if counts is None:
        return codes[firsts], np.diff(firsts, append=len(codes))
    return codes[firsts], np.add.reduceat(counts, firsts)


@kernel(  # type: ignore[untyped-decorator]
    "int64(int16[:,::1], int16[:,::1], int64[::1], int16[::1], int16[::1])"
)
def _find_out_of_range(values: Any, extra: Any, columns: Any, lows: Any, highs: Any) -> Any:
    """Return the index in `columns` of the first that leaves its range, or -1."""
    for place in range(columns.shape[0]):
        number = columns[place]
        inside = number < values.shape[0]
        column = values[number] if inside else extra[number - values.shape[0]]
        low, high = lows[place], highs[place]
        outside = False
        for row in range(column.shape[0]):
            outside |= (column[row] < low) | (column[row] > high)
        if outside:
            return place
    return -1


@kernel(  # type: ignore[untyped-decorator]
    "void(int16[:,::1], int16[:,::1], uint8[::1], int64[::1], int32[::1], int64[::1], int32[::1],"
    " int64[::1])"
)
def _count_dense(
    values: Any, extra: Any, kept: Any, columns: Any, strides: Any, first_terms: Any,
    offsets: Any, counts: Any,
) -> None:  # fmt: skip
    """Add the kept rows to the dense joints.

    Codes are computed column by column over a block of rows, a loop that vectorises (without slices
    from the block's start it takes seven times as long); only the counting goes row by row.
    """
    codes = np.empty(_ROWS_PER_BLOCK, np.int32)
    for start in range(0, kept.shape[0], _ROWS_PER_BLOCK):
        rows = min(_ROWS_PER_BLOCK, kept.shape[0] - start)
        for joint in range(offsets.shape[0]):
            codes[:] = offsets[joint]
            for term in range(first_terms[joint], first_terms[joint + 1]):
                number = columns[term]
                inside = number < values.shape[0]
                column = values[number] if inside else extra[number - values.shape[0]]
                block = column[start : start + rows]
                stride = strides[term]
                for row in range(rows):
                    codes[row] += np.int32(np.int32(block[row]) * stride)
            for row in range(rows):
                counts[np.uint32(codes[row])] += kept[start + row]


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
                    f"{quote(name)} cannot be grouped by: " + (hint or describe_listing(game))
                )
        games = experiment.games is not None
        self.expression = (
            compile_expression(where, games=games, game=game) if where is not None else None
        )
        self._game_tables = find_game(game).tables()
        joints = [
            tuple(dict.fromkeys((*self.by, *needed)))
            for needed in self._game_tables.list_joints(experiment, detail)
        ]
        derived = self._game_tables.derive_columns(experiment, detail)
        self._counts = JointCounts(joints, derived, columns)
        self._groups = Groups(self.by, columns)
        self._games: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._waiting_games: list[dict[str, Int64Array]] = []
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
        """Count a chunk of rows; raise ValueError for a value out of range, TooManyCombinations."""
        kept = self._select_rows(rows)
        self._counts.add(rows, kept)
        self._groups.add(rows, kept)
        self.deals += len(rows)

    def add_games(self, games: GameRows) -> None:
        """Count finished games."""
        self._waiting_games.append(measure_games(games))
        # Many games have few more different results than the thousand of a chunk.
        if len(self._waiting_games) == 32:
            self._count_games()

    def _count_games(self) -> defaultdict[str, Counter[int]]:
        """Return the histogram of each quantity of all games added."""
        waiting, self._waiting_games = self._waiting_games, []
        for name in waiting[0] if waiting else ():
            values = np.concatenate([batch[name] for batch in waiting])
            distinct, numbers = np.unique(values, return_counts=True)
            self._games[name].update(dict(zip(distinct.tolist(), numbers.tolist(), strict=True)))
        return self._games

    def merge(self, other: Tally) -> None:
        """Add the counts of other deals; raises ValueError if `other` counts something else."""
        if self._counted_fields() != other._counted_fields():
            raise ValueError("only tallies of the same experiment, by and where can be merged")
        self.add_numbers(other.numbers())

    def numbers(self) -> dict[str, Int64Array]:
        """Return all counts, as arrays by name."""
        numbers = self._counts.numbers() | {"deals": np.array([self.deals])}
        for name, counter in self._count_games().items():
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
        """Return every table with a number in it; raise TooManyCombinations above `MOST_GROUPS`."""
        return [table for table in self._make_tables(confidence) if table.lines]

    def list_titles(self) -> dict[str, str]:
        """Return the title of every table that applies to the experiment, by its name."""
        return {table.name: table.title for table in self._make_tables(DEFAULT_CONFIDENCE)}

    def make_plot_tables(self, confidence: float) -> list[Table]:
        """Return every table of all deals together, with distributions that only pictures show."""
        builder = self._make_builder(confidence)
        more = self._game_tables.make_plot_tables(builder)
        lengths = make_length_table(self.experiment, self._count_games(), confidence)
        every = [*self._make_tables(confidence, builder), *more, lengths]
        return [table for table in every if table.lines]

    def _make_builder(self, confidence: float, by: tuple[str, ...] = ()) -> TableBuilder:
        notes = find_game(self.experiment.rules.game).list_notes(self.experiment)
        return TableBuilder(self.experiment, by, self.where, self._counts, confidence, notes)

    def _make_tables(self, confidence: float, builder: TableBuilder | None = None) -> list[Table]:
        """Return every table that applies to the experiment, with or without rows."""
        if self.by:
            self._groups.check(len(self._counts.get_cells(self.by)[1]))
        builder = builder or self._make_builder(confidence, self.by)
        tables = [*self._game_tables.make_tables(builder, self.detail)]
        if self._count_games() or self.experiment.games is not None:
            tables += make_game_tables(self.experiment, self._count_games(), confidence)
            if self.detail:
                tables.append(make_length_table(self.experiment, self._count_games(), confidence))
        return tables

    def _counted_fields(self) -> tuple[object, ...]:
        """Return everything that tallies must share to be merged: all but the range of deals."""
        played = self.experiment
        return (
            played.rules, played.players, played.seed, played.imposed, played.games is None,
            self.by, self.where, self.detail,
        )  # fmt: skip

    def _select_rows(self, rows: Rows) -> BoolArray:
        if self.expression is not None:
            return self.expression.mask(rows)
        if len(self._every_row) < len(rows):
            self._every_row = np.ones(len(rows), np.bool_)
        return self._every_row[: len(rows)]
