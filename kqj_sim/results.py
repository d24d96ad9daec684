"""Results of the public functions: shown as text and in notebooks, tabulated, drawn and saved."""

from __future__ import annotations

import pickle
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from kqj_sim.arguments import parse_argument, parse_path, parse_text
from kqj_sim.errors import InputError
from kqj_sim.messages import quote, represent, shorten, suggest
from kqj_sim.output.files import make_write_error
from kqj_sim.output.formats import render
from kqj_sim.output.grid import SCREEN_WIDTH, Grid
from kqj_sim.output.page import to_html_fragment
from kqj_sim.plain import to_plain
from kqj_sim.stats.intervals import Estimate, make_plain
from kqj_sim.suffixes import TABLE_SUFFIXES, choose_by_suffix

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from kqj_sim.output.figures import Drawing
    from kqj_sim.output.screen import Screen
    from kqj_sim.stats.tables import Table

_MAX_LINES, _MAX_WIDTH = 10, 96
"""Lines of a representation, and characters of a line, at most: together less than 1000."""


class UnwrittenFileError(OSError):
    """A failure to write a file after deals were played; `result` is the result up to then."""

    def __init__(self, path: str, error: OSError, result: ShownResult, note: str) -> None:
        failure = make_write_error(Path(path), error)
        super().__init__(failure.errno, failure.strerror, failure.filename)
        self.result: Any = result
        self.add_note(note)


R = TypeVar("R", bound="Result")


def write_rows(
    path: str | None,
    columns: Sequence[str],
    chunks: Generator[tuple[Any, Any]],
    make_result: Callable[[], R],
    tell: Callable[[str], object],
) -> R:
    """Write rows as they are played, and return the result of those that were.

    Args:
        path: the file; None to write nothing.
        chunks: yields rows, and for which of them to write, None for all; played until it ends.
        make_result: called once the last chunk is played.
        tell: called with a note on the file beside that with the rows, if there is one.

    Raises:
        InputError: the suffix stands for no format.
        OSError: the file cannot be written; nothing was played.
        UnwrittenFileError: the rows could not be written, which ended the run.
    """
    from kqj_sim.output.rows import RowsFile

    failure = None
    with ExitStack() as stack:
        file = None if path is None else stack.enter_context(RowsFile(path, columns))
        with closing(chunks):
            for rows, mask in chunks:
                try:
                    if file is not None:
                        file.write(rows, mask)
                except OSError as error:
                    failure = error
                    break
        result = make_result()
        try:
            if failure is not None:
                raise failure
            if file is not None:
                file.finish(result.screen.run)
            stack.close()
        except OSError as error:
            note = f"The rows were not written: the tables hold {result.deals:,} deals"
            raise UnwrittenFileError(str(path), error, result, note) from None
    if file is not None and file.sidecar is not None:
        tell(f"Rules, players and seed: {file.sidecar}")
    return result


class ShownResult(ABC):
    """A result that shows itself as a few lines of text, and as a table in notebooks."""

    headline: str

    @abstractmethod
    def _list_lines(self) -> Sequence[str]:
        """Return the lines below the headline, the most important first."""

    def _list_html_grids(self) -> Sequence[Grid]:
        return ()

    def __repr__(self) -> str:
        lines = [f"<{type(self).__name__}>"]
        for text in (*self.headline.split("\n"), *self._list_lines()):
            # A long line keeps its beginning, and leaves room for the others.
            lines += textwrap.wrap(text, _MAX_WIDTH, max_lines=2, placeholder=" ...")
        return "\n".join(lines[:_MAX_LINES])

    def __reduce__(self) -> tuple[Any, ...]:
        # Results hold functions of columns, which plain pickle does not take.
        import cloudpickle

        return _restore, (type(self), cloudpickle.dumps(self.__dict__))

    def _repr_html_(self) -> str:
        lines = [line for line in self._list_lines() if line]
        return to_html_fragment(self.headline.split("\n"), lines, self._list_html_grids())


def _restore(kind: type[ShownResult], attributes: bytes) -> ShownResult:
    """Return a result that was pickled or copied."""
    result = kind.__new__(kind)
    vars(result).update(pickle.loads(attributes))
    return result


class Tables(Mapping[str, "pd.DataFrame"]):
    """Tables by name, each made when it is first looked up.

    A table has its group columns, then `quantity`, `unit`, `value`, `low`, `high` and `n`: a row
    for each number with its interval and its number of observations.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = {table.name: table for table in tables}
        self._frames: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._frames:
            if name not in self._tables:
                raise KeyError(
                    f"{shorten(represent(name))}: the tables are {', '.join(self._tables)}"
                )
            self._frames[name] = self._tables[name].make_api_frame()
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return shorten(f"<Tables: {', '.join(self._tables)}>", _MAX_WIDTH)


class Result(ShownResult):
    """A result of deals that were played.

    Attributes:
        headline: the result in sentences.
        tables: all tables by name, as data frames.
        interrupted: True if Ctrl-C ended the run early; the numbers hold for what was played.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.simulate(deals=300, policy="standard")
        >>> isinstance(result, kqj.Result), "contracts" in result.tables
        (True, True)
    """

    kind: ClassVar[str] = "result"
    suffixes: ClassVar[Mapping[str, str]] = TABLE_SUFFIXES

    def __init__(self, screen: Screen, draw: Callable[[Screen], Drawing]) -> None:
        self._screen, self._draw = screen, draw
        self.headline = "\n".join(screen.headline) or "No deals were played."
        self.tables: Mapping[str, pd.DataFrame] = Tables(screen.tables)
        self.interrupted = screen.run.interrupted

    def describe_interruption(self) -> str:
        """Say how much was finished before Ctrl-C."""
        return f"the tables hold {self.deals:,} deals"

    @property
    def screen(self) -> Screen:
        """The run with all that is shown of it."""
        return self._screen

    @property
    def run(self) -> dict[str, Any]:
        """The run as plain values: rules, policies, seed, number of deals and more."""
        return self._screen.run.to_dict()

    @property
    def deals(self) -> int:
        """The number of deals played."""
        return self._screen.run.deals

    @property
    def key(self) -> str:
        """The key figures as text, on one screen."""
        return render(self._screen, "table", width=SCREEN_WIDTH).decode()

    def estimate(self, quantity: str, table: str | None = None, **groups: object) -> Estimate:
        """Return a number of the tables with its interval.

        Args:
            quantity: its identifier, such as "taken_share"; the tables list them.
            table: name of the table; None: the first one that has the number.
            groups: values of the table's group columns, such as `contract="h"`; places by name or
                by number, from 0.

        Raises:
            InputError: no table has the number, or a table has several such numbers.
        """
        quantity = parse_argument("quantity", parse_text, quantity)
        if table is not None:
            table = parse_argument("table", parse_text, table)
        groups = to_plain(groups)
        for column, value in groups.items():
            if not isinstance(value, str | int | float):
                raise InputError(f"{column}: it is a text or a number, not {type(value).__name__}")
        candidates: list[tuple[str, Estimate]] = []
        for named in self._screen.tables:
            if table not in (None, named.name) or not groups.keys() <= {*named.groups}:
                continue
            rows = named.find_estimates(quantity, groups)
            if rows and (not named.groups or groups.keys() == {*named.groups} or len(rows) == 1):
                return make_plain(rows[0])
            candidates += [(named.name, row) for row in rows]
        if candidates:
            name = candidates[0][0]
            columns = next(t.groups for t in self._screen.tables if t.name == name)
            raise InputError(
                f"{quantity} has {len(candidates)} values in the table {name}: name the group by "
                f"{', '.join(f'{column}=...' for column in columns)}"
            )
        raise InputError(self._explain_missing(quantity, table, groups))

    def _explain_missing(
        self, quantity: str, table: str | None, groups: Mapping[str, object]
    ) -> str:
        tables = [each for each in self._screen.tables if table in (None, each.name)]
        if not tables:
            return _explain_unknown("there is no table", str(table), self.tables)
        names = dict.fromkeys(name for each in tables for name in each.quantities)
        if quantity not in names:
            return _explain_unknown("there is no quantity", quantity, names)
        tables = [each for each in tables if quantity in each.quantities]
        columns = dict.fromkeys(column for each in tables for column in each.groups)
        for column in groups:
            if column not in columns:
                return _explain_unknown(f"{quantity} has no group column", column, columns)
        group = ", ".join(f"{column}={represent(value)}" for column, value in groups.items())
        grouped = [each for each in tables if groups.keys() <= {*each.groups}]
        return (
            f"no table has {quantity} of {group}: look into the tables "
            f"{', '.join(each.name for each in grouped or tables)}"
        )

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the rows: one per deal, option, pair, setting, generation or decision."""

    def make_drawing(self) -> Drawing:
        """Return the picture; raise NothingToDrawError if there is none."""
        return self._draw(self._screen)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture, and return the (first) axes.

        Args:
            ax: matplotlib axes on which to draw the main part; None for a new figure of pyplot
                with all of it.

        Raises:
            NothingToDrawError: there is nothing to draw, such as a single option.
        """
        from kqj_sim.output.figures import check_axes

        check_axes(ax)
        return self.make_drawing().plot(ax)

    def to_json(self) -> str:
        """Return the run and all tables as JSON."""
        return self.render("json").decode()

    def render(self, format: str) -> bytes:
        """Return the tables in a format, such as "csv"."""
        return render(self._screen, parse_argument("format", parse_text, format))

    def save(self, path: str | Path) -> None:
        """Write the tables to a .txt, .csv, .json, .md or .parquet file.

        Raises:
            InputError: the suffix stands for no format.
        """
        path = parse_argument("path", parse_path, path)
        save_file(path, self.render(choose_by_suffix(path, self.suffixes)))

    def _list_lines(self) -> Sequence[str]:
        run = self._screen.run
        names = ", ".join(self.tables)
        return [*run.describe().split("\n"), run.describe_intervals(), f"Tables: {names}"]

    def _list_html_grids(self) -> Sequence[Grid]:
        return self._screen.make_grids()

    def _repr_html_(self) -> str:
        """Return the headline and the key tables as HTML, for notebooks."""
        run = self._screen.run
        described = [*run.describe().split("\n"), run.describe_intervals(), *self._screen.remarks]
        return to_html_fragment(self._screen.headline, described, self._list_html_grids())


def _explain_unknown(claim: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    ending = suggest(name, names) or f"there are {', '.join(names) or 'none'}"
    return f"{claim} {quote(name)}: {ending}"


def save_file(path: str | Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    from kqj_sim.output.files import OutputFile

    with OutputFile(str(path)) as file:
        file.write(content)
