"""Grids: rows and columns of text for people, on a screen or as Markdown."""

from __future__ import annotations

import codecs
import math
import re
import textwrap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from kqj_sim.cards import add_suit_signs, format_contract
from kqj_sim.columns import TOTAL_STEP
from kqj_sim.games import find_column, find_game
from kqj_sim.messages import visible_lines
from kqj_sim.places import format_ordinal, name_places
from kqj_sim.stats.quantities import find_quantity

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kqj_sim.stats.intervals import Estimate
    from kqj_sim.stats.tables import Table

# Group columns of tables in words: headings and values as people read them, data as it is.

_HEADINGS = {
    "sender": "Sender's seat",
    "sender_trumps": "Sender's trumps",
    "sender_trump_points": "Sender's trump points",
    "sender_points": "Sender's card points",
    "sender_points_from": "Sender's card points",
    "total_from": "total",
    "margin_from": "margin",
    "sender_aces": "Sender's side aces",
    "sender_voids": "Sender's voids",
    "sender_longest": "Sender's longest suit",
    "return_suit": "Return's suit",
    "return_rank": "Return's rank",
    "opening_amount": "first bid",
    "amount": "amount bid",
    "dealer_trumps": "dealer's trumps",
    "turned_rank": "card shown",
    "whose": "side",
    "label": "player",
    "labels": "players",
}
_SUIT_COLUMNS = ("contract", "return_suit", "trump")
_CALL_COLUMNS = ("call", "calls", "card", "choice", "best", "option")
_STEP_COLUMNS = ("sender_points_from", "total_from", "margin_from")
PASSED_OUT = "passed out"
_VALUES: dict[str, dict[Any, str]] = {
    "kind": {"return": "Return's suit", "other": "another suit", "suit": "a suit"},
    "stake": {1: "not countered", 2: "countered", 4: "overcountered"},
    "whose": {"caller": "caller's team"},
    "trick": {0: "calls"},
}


def format_heading(column: str, game: str) -> str:
    """Return the heading of a group column: `Sender's trumps` for `sender_trumps`."""
    heading = _HEADINGS.get(column, column.replace("_", " "))
    return heading.replace("Sender", find_game(game).sender)


def format_value(column: str, value: Any, game: str) -> str:
    """Return a value of a group column: `♥`, `opener`, `2nd`, `yes`."""
    if value is None or value != value:
        return "all"
    described = find_column(column, game)
    null = None if described is None or described.rule else described.null_value
    if described is not None and value in (null, "passed_out"):
        return PASSED_OUT
    if value in _VALUES.get(column, {}):
        return _VALUES[column][value]
    if column in _SUIT_COLUMNS:
        return format_contract(str(value))
    if column in _CALL_COLUMNS:
        return add_suit_signs(str(value))
    if described is not None and described.is_flag:
        return "yes" if value else "no"
    if column == "place":
        return name_places(find_game(game).rules.seats)[int(value)]
    if column == "lap":
        return format_ordinal(int(value))
    if column in _STEP_COLUMNS:
        return f"{int(value)} to {int(value) + TOTAL_STEP - 1}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


PIPED_WIDTH = 100
"""Width in characters of output that is not written to a terminal."""

SCREEN_WIDTH = 80
"""Width in characters of key figures."""

MIN_OBSERVATIONS = 30
"""With fewer observations a number is neither drawn nor named in a sentence."""
EMPTY_CELL_TEXT = "-"
NO_INTERVAL = "±?"
"""The sign beside a number whose observations are too few, or too much alike, for an interval."""
LEADS = ("lead", "game_lead_share")
"""What an option of `odds` is worth less than the best."""
_LOSSES = ("loss_points", "loss_games", "loss_win_share")
"""The beginnings of quantities below 0 only by the error of their estimates."""
_LEAST_SHARE = 1e-4
"""Shares that are surely smaller than this are given by their bound."""
_MIN_HEADING_WIDTH = 12
MAX_WORD_WIDTH = 20
"""Width in characters beyond which words are broken into lines."""
_NARROW_WORD_WIDTH = 32
"""The same in grids with few other columns."""
_CONTINUED = " (continued)"
_GAP = 3  # characters between columns on a screen


class Cell(NamedTuple):
    """A number or text, and its interval in a quieter colour."""

    text: str
    interval: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.interval}".rstrip()

    @property
    def words(self) -> str:
        """The number for a sentence, which says nothing of a missing interval."""
        return self.text if self.interval == NO_INTERVAL else str(self)


@dataclass(frozen=True)
class Grid:
    """Rows under headings; the first `keys` columns name the row and are aligned left.

    `narrow` grids have less space between columns on a screen, and more for long words, such as
    specifications of players, which are broken into lines.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1
    note: str = ""
    narrow: bool = False

    @property
    def word_width(self) -> int:
        """Width in characters beyond which words are broken into lines."""
        return _NARROW_WORD_WIDTH if self.narrow else MAX_WORD_WIDTH


def format_number(estimate: Estimate, unit: str) -> Cell:
    """Return a number as people read it: `67.1% ±0.1`, `1.2% (0.3 to 3.4)`, `142.3 ±0.2`, `1,234`.

    It is a share (unit "share"), points, an amount, rounds, a change of score or a count; NaN for
    `low` means that it is exact, or that an interval has no meaning.  If there are too few
    observations for an interval, the sign `NO_INTERVAL` stands in its place.  The width of the
    interval decides the number of decimals, of a change at least two: `0.14 ±0.06`; a clearly
    lopsided interval is written out.  A zero has no sign.  A share of few observations is given by
    their numbers, `1 of 5`, one that is next to nothing or everything by its bound, `<0.01%`.
    """
    value, low, high = map(float, estimate[:3])
    if math.isnan(value):
        return Cell(EMPTY_CELL_TEXT)
    if unit == "share" and low >= 0 and high <= 1:
        events = value * estimate.observations
        if 0 < estimate.observations < MIN_OBSERVATIONS and abs(events - round(events)) < 1e-6:
            return Cell(f"{round(events)} of {estimate.observations}")
        if high < _LEAST_SHARE or low > 1 - _LEAST_SHARE:
            return format_bound(estimate)
    sign = "%" if unit == "share" else ""
    scale = 100 if unit == "share" else 1
    value, low, high = value * scale, low * scale, high * scale
    least = 2 if unit == "change" else 1
    if not (math.isfinite(low) and math.isfinite(high)):
        decimals = 0 if not sign and float(value).is_integer() else least
        missing = NO_INTERVAL if math.isinf(low) or math.isinf(high) else ""
        return Cell(f"{value:z,.{decimals}f}{sign}", missing)
    half, decimals = (high - low) / 2, _count_decimals(value, low, high, unit)
    if decimals == 0 and half == 0:
        return Cell(f"{value:,.0f}")
    if sign and low >= 0 and high <= 100 and round(value, decimals) in (0, 100):
        return format_bound(estimate)
    below, above = value - low, high - value
    if max(below, above) > 1.5 * min(below, above) and round(below, decimals) != round(
        above, decimals
    ):
        return Cell(
            f"{value:z,.{decimals}f}{sign}", f"({low:z,.{decimals}f} to {high:z,.{decimals}f})"
        )
    return Cell(f"{value:z,.{decimals}f}{sign}", f"±{half:z,.{decimals}f}")


def _count_decimals(value: float, low: float, high: float, unit: str) -> int:
    """Return the decimals of a number with this interval, a share in per cent."""
    # Quantiles and their bounds are whole points.
    if unit != "share" and all(float(number).is_integer() for number in (value, low, high)):
        return 0
    least = 2 if unit == "change" else 1
    return least if high <= low else min(5, max(least, math.ceil(-math.log10(high - low))))


def format_bound(share: Estimate) -> Cell:
    """Return the upper bound of a rare share, the lower bound of a frequent one: `<0.04%`."""
    is_rare = share.value <= 1 / 2
    bound = 100 * (share.high if is_rare else share.low)
    rest = min(bound, 100 - bound)
    scale = 1 if rest >= 10 else 10 if rest >= 1 else 100
    if is_rare:
        bound = math.ceil(bound * scale - 1e-9) / scale
    else:
        bound = math.floor(bound * scale + 1e-9) / scale
    return Cell(f"{'<' if is_rare else '>'}{bound:.{len(str(scale)) - 1}f}%")


def format_symmetric(estimate: Estimate, unit: str, most_decimals: int = 2) -> Cell:
    """Return a number with the larger half of its interval: `2.5% ±1.2`, never `±0.0`.

    Wide intervals need no decimals: `703 ±55`.  A share whose interval would go below 0 or above 1
    is given by its bound: `<0.04%`.
    """
    value, low, high, observations = estimate
    half = max(value - low, high - value)
    sign, scale = ("%", 100) if unit == "share" else ("", 1)
    if not math.isfinite(half) or half <= 0 or (sign and 0 < observations < MIN_OBSERVATIONS):
        return format_number(estimate, unit)
    # The bounds of a difference of shares may be below 0.
    if sign and low >= 0 and high <= 1 and half > min(value, 1 - value):
        return format_bound(estimate)
    middle, bounds = scale * value, (scale * (value - half), scale * (value + half))
    decimals = _count_decimals(middle, *bounds, unit)
    decimals = 0 if half * scale >= 10 else min(most_decimals, decimals)
    # Rounded up where it would be nothing.
    least = 10.0**-decimals
    text = f"{value * scale:z,.{decimals}f}{sign}"
    return Cell(text, f"±{max(half * scale, least):,.{decimals}f}")


def make_grids(table: Table, width: int | None = None, brief: bool = False) -> list[Grid]:
    """Return a table as grids with one row per group and one column per quantity.

    Quantities with the same observations share a column with their number.  A table without
    groups has one row per quantity, and so has one with `spread`, whose groups are its columns.
    Columns that do not fit into `width` characters go to a further grid with the same rows.
    If `brief`, numbers are as short as `format_symmetric` writes them, and the grids narrow.
    """
    write = format_symmetric if brief else format_number
    if table.spread:
        return _make_spread_grids(table, width, brief)
    quantities = {name: find_quantity(name, table.game) for name in table.quantities}
    title, unneeded = _split_common_suffix(
        table.title, [quantity.heading for quantity in quantities.values()]
    )
    numbers: dict[str, dict[tuple[Hashable, ...], tuple[Cell, int]]] = {}
    rows: dict[tuple[Hashable, ...], None] = {}
    for row, name, estimated in table.lines:
        heading, unit = quantities[name]
        rows[row] = None
        # A tied option may seem better in these deals than the one that others chose as the best.
        seems_better = estimated.value < 0 and (
            (name in LEADS and estimated.high >= 0) or name.startswith(_LOSSES)
        )
        cell = Cell("about 0") if seems_better else write(estimated, unit)
        cells = numbers.setdefault(heading.removesuffix(unneeded), {})
        cells[row] = (cell, int(estimated.observations))
    if not table.groups:
        lines = tuple(
            (Cell(quantity), cell, Cell(f"{deals:,}"))
            for quantity, cells in numbers.items()
            for cell, deals in cells.values()
        )
        return [
            Grid(
                title, ("quantity", "value", _name_observations(table)), lines, 1, table.note, brief
            )
        ]
    observations = _name_observations(table)
    columns = _group_columns_by_deals(numbers, rows, table.counted, observations)
    headings = tuple(format_heading(group, table.game) for group in table.groups)
    left = [tuple(map(Cell, _format_keys(table, row))) for row in rows]
    return _lay_out(
        Grid(title, headings, tuple(left), len(headings), table.note, brief), columns, width,
        table.counted, _CONTINUED,
    )  # fmt: skip


def _name_observations(table: Table) -> str:
    return "games" if table.name.startswith("games") else table.observations


def _make_spread_grids(table: Table, width: int | None, brief: bool) -> list[Grid]:
    write = format_symmetric if brief else format_number
    place = table.groups.index(table.spread)
    rest = tuple(
        format_heading(group, table.game) for group in table.groups if group != table.spread
    )
    several = len(table.quantities) > 1
    cells: dict[str, dict[tuple[str, ...], Cell]] = {}
    deals: dict[str, set[int]] = {}
    rows: dict[tuple[str, ...], None] = {}
    for group, quantity, estimate in table.lines:
        heading, unit = find_quantity(quantity, table.game)
        keys_of_row = _format_keys(table, group)
        others = [key for number, key in enumerate(keys_of_row) if number != place]
        row = (*others, *([heading] if several else []))
        rows[row] = None
        column = keys_of_row[place]
        cells.setdefault(column, {})[row] = write(estimate, unit)
        deals.setdefault(column, set()).add(int(estimate.observations))
    left = [tuple(Cell(text) for text in row) for row in rows]
    columns = [
        (column, [cells_by_row.get(row, Cell(EMPTY_CELL_TEXT)) for row in rows])
        for column, cells_by_row in cells.items()
    ]
    if table.counted and not rest and all(len(counts) == 1 for counts in deals.values()):
        left.append((Cell(_name_observations(table)),))
        for (_, numbers_of_column), (count,) in zip(columns, deals.values(), strict=True):
            numbers_of_column.append(Cell(f"{count:,}"))
    keys = (*rest, *(["quantity"] if several else []))
    left_side = Grid(table.title, keys, tuple(left), len(keys), table.note, brief)
    return _lay_out(left_side, [[column] for column in columns], width, continued=_CONTINUED)


def _split_common_suffix(title: str, labels: Iterable[str]) -> tuple[str, str]:
    """Return the title with the words that all headings have after a comma, and these words.

    `made, share of taken deals` and `failed, share of taken deals` need not say it twice.
    """
    ends = {label.partition(", ")[2] for label in labels}
    if len(ends) != 1 or ends == {""}:
        return title, ""
    (words,) = ends
    return f"{title} ({words})", f", {words}"


_Column = tuple[str, list[Cell]]


def _group_columns_by_deals(
    numbers: dict[str, dict[tuple[Hashable, ...], tuple[Cell, int]]],
    rows: Iterable[tuple[Hashable, ...]],
    counted: bool,
    observations: str,
) -> list[list[_Column]]:
    """Return blocks of columns with the same observations, whose number is last if `counted`."""
    rows = list(rows)
    blocks: list[tuple[dict[tuple[Hashable, ...], int], list[_Column]]] = []
    for quantity, cells in numbers.items():
        observed = {row: deals for row, (_, deals) in cells.items()}
        column = [cells[row][0] if row in cells else Cell(EMPTY_CELL_TEXT) for row in rows]
        for counts, block in blocks:
            if not counted or all(counts.get(row, n) == n for row, n in observed.items()):
                counts.update(observed)
                block.append((quantity, column))
                break
        else:
            blocks.append((observed, [(quantity, column)]))
    for counts, block in blocks if counted else ():
        texts = [f"{counts[row]:,}" if row in counts else EMPTY_CELL_TEXT for row in rows]
        block.append((observations, [*map(Cell, texts)]))
    return [block for _, block in blocks]


def _lay_out(
    keys: Grid, blocks: list[list[_Column]], width: int | None, counted: bool = False,
    continued: str = "",
) -> list[Grid]:  # fmt: skip
    """Return a grid with these columns, or several with the same keys if one would be too wide.

    Args:
        keys: the grid without columns but its keys.
        blocks: the columns; if `counted`, the last of each block stands in every grid of the block.
        continued: end of the title of a further grid.
    """
    gap = _GAP - keys.narrow
    start = sum(
        _compute_column_width(heading, [row[place] for row in keys.rows], keys.word_width) + gap
        for place, heading in enumerate(keys.headings)
    )
    parts: list[list[_Column]] = [[]]
    used = start
    for block in blocks:
        columns, last = (block[:-1], block[-1:]) if counted else (block, [])
        last_width = sum(_compute_column_width(*column) + gap for column in last)
        for place, column in enumerate(columns):
            wide = _compute_column_width(*column) + gap
            if width is not None and parts[-1] and used + wide + last_width - gap > width:
                parts[-1] += last if place else []
                parts.append([])
                used = start
            parts[-1].append(column)
            used += wide
        parts[-1] += last
        used += last_width
    return [
        replace(
            keys,
            title=f"{keys.title}{continued if number else ''}",
            headings=(*keys.headings, *(heading for heading, _ in part)),
            rows=tuple(
                (*key, *(cells[at] for _, cells in part)) for at, key in enumerate(keys.rows)
            ),
            note=keys.note if part is parts[-1] else "",
        )
        for number, part in enumerate(parts)
    ]


def split_grid(grid: Grid, width: int | None) -> list[Grid]:
    """Return the grid, or several with the same rows if it is wider than `width` characters."""
    size = grid.keys
    columns = [
        (heading, [row[place] for row in grid.rows])
        for place, heading in enumerate(grid.headings[size:], start=size)
    ]
    keys = replace(grid, headings=grid.headings[:size], rows=tuple(row[:size] for row in grid.rows))
    return _lay_out(keys, [[column] for column in columns], width)


def drop_repeated_notes(grids: Iterable[Grid], seen: list[str] | None = None) -> list[Grid]:
    """Return the grids without notes, or parts of notes, that one of them had before.

    `seen` holds the notes of earlier grids and gets those of these.
    """
    seen = [] if seen is None else seen
    kept = []
    for grid in grids:
        note = grid.note
        for earlier in seen:
            note = note.replace(earlier, "").strip()
        if grid.note and grid.note not in seen:
            seen.append(grid.note)
        kept.append(replace(grid, note=note))
    return kept


def _compute_column_width(
    heading: str, cells: Sequence[Cell], word_width: int = MAX_WORD_WIDTH
) -> int:
    longest = max((_measure_cell(cell, word_width) for cell in cells), default=0)
    return max(longest, *(len(line) for line in _wrap_heading(heading, longest)))


def _measure_cell(cell: Cell, word_width: int = MAX_WORD_WIDTH) -> int:
    return max(map(len, break_long_words(str(cell), word_width).split("\n")))


def _wrap_heading(heading: str, width: int) -> list[str]:
    """Return the lines of a heading, about as wide as its cells, words whole."""
    width = max(width, _MIN_HEADING_WIDTH)
    is_column = re.fullmatch(r"\w+", heading) is not None and len(heading) > width
    words = heading.replace("_", " ") if is_column else heading
    lines = textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
    return break_long_words("\n".join(lines), MAX_WORD_WIDTH).split("\n")


def break_long_words(text: str, width: int) -> str:
    """Break words longer than `width`, such as specifications of players, after `:`, `,`, `+`, `/`.

    A piece without such a character stays whole.
    """

    def break_word(match: re.Match[str]) -> str:
        lines = [""]
        for piece in re.findall(r"[^:,+/]*[:,+/]+|[^:,+/]+", match[0]):
            if lines[-1] and len(lines[-1]) + len(piece) > width:
                lines.append("")
            lines[-1] += piece
        return "\n".join(lines)

    return re.sub(rf"\S{{{width + 1},}}", break_word, text)


def _format_keys(table: Table, row: Sequence[Any]) -> list[str]:
    return [
        str(key) if group in table.parameters else format_value(group, key, table.game)
        for group, key in zip(table.groups, row, strict=True)
    ]


def to_markdown(grid: Grid) -> str:
    """Return the grid as a Markdown table under its title."""
    lines = [f"### {grid.title}", ""] if grid.title else []
    rules = ["---"] * grid.keys + ["--:"] * (len(grid.headings) - grid.keys)
    for line in (grid.headings, rules, *grid.rows):
        cells = (" ".join(str(cell).split()).replace("|", "\\|") for cell in line)
        lines.append(f"| {' | '.join(cells)} |")
    if grid.note:
        lines += ["", grid.note]
    return escape_tags("\n".join(lines) + "\n")


def escape_tags(text: str) -> str:
    """Return Markdown in which no title or name is HTML; `<5%` stays as it is."""
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", text)


def to_rich(grid: Grid, numbers: bool = True) -> RenderableType:
    """Return the grid for a screen; repeated keys are left out.

    Without `numbers` the columns after the keys are text: aligned left, and wrapped.
    """
    from rich import box
    from rich.console import Group
    from rich.table import Table as Screen
    from rich.text import Text

    padding = (0, 1, 0, 0) if grid.narrow else (0, 1)
    screen = Screen(box=box.SIMPLE_HEAD, pad_edge=False, padding=padding, show_edge=False)
    for place, heading in enumerate(grid.headings):
        is_key = place < grid.keys
        cells = [row[place] for row in grid.rows]
        longest = max((_measure_cell(cell, grid.word_width) for cell in cells), default=0)
        lines = _wrap_heading(heading, longest)
        screen.add_column(
            Text("\n".join(lines)),
            # Known, so that it need not be measured cell by cell.
            width=max(longest, *map(len, lines)) if is_key or numbers else None,
            justify="left" if is_key or not numbers else "right",
            no_wrap=is_key or numbers,
            vertical="top",
            header_style="bold cyan" if is_key else "bold",
            overflow="fold",
        )
    above: tuple[str, ...] = ()
    for row in grid.rows:
        key = tuple(str(cell) for cell in row[: grid.keys])
        same = 0
        while same < min(len(key) - 1, len(above)) and key[same] == above[same]:
            same += 1
        above = key
        screen.add_row(
            *(
                Text("" if place < same else break_long_words(cell.text, grid.word_width), "cyan")
                if place < grid.keys
                else Text(cell.text).append(f" {cell.interval}" if cell.interval else "", "dim")
                for place, cell in enumerate(row)
            )
        )
    parts: list[RenderableType] = [Text(grid.title, "bold")] if grid.title else []
    parts.append(screen)
    if grid.note:
        parts.append(Text(grid.note, "italic dim"))
    return Group(*parts)


def to_screen(parts: Iterable[RenderableType], *, color: bool, width: int | None) -> str:
    """Return what a terminal of this width shows, with colour codes if `color` and no others."""
    from rich.console import Console
    from rich.segment import Segment, Segments

    out = StringIO()
    console = Console(
        file=out,
        force_terminal=color,
        force_jupyter=False,  # In a notebook Rich would display the parts instead.
        color_system="standard" if color else None,
        no_color=not color,
        width=width or PIPED_WIDTH,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    for part in parts:
        segments = console.render(part)
        clean = (Segment(visible_lines(text), style) for text, style, _ in segments)
        console.print(Segments(clean), end="")
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


# Letters in the place of signs that the encoding of stdout does not have.

LETTERS_FOR_SIGNS = "kqj_sim.letters"
"""Error handler of `str.encode` that writes `take h 71.0% +/-0.4` in ASCII."""

_LETTERS = {
    "♠": "s", "♥": "h", "♦": "d", "♣": "c", "±": "+/-", "─": "-", "━": "=", "\N{EN DASH}": "-",
    "\N{MINUS SIGN}": "-", "…": "...", "\N{MULTIPLICATION SIGN}": "x", "→": "->", "≤": "<=",
    "≥": ">=",
}  # fmt: skip


def _write_letters(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    signs = error.object[error.start : error.end]
    return "".join(_LETTERS.get(sign, "?") for sign in signs), error.end


codecs.register_error(LETTERS_FOR_SIGNS, _write_letters)


def replace_signs(text: str, encoding: str) -> str:
    """Return the text as the encoding can write it."""
    return text.encode(encoding, LETTERS_FOR_SIGNS).decode(encoding)


def replace_grid_signs(grid: Grid, encoding: str) -> Grid:
    """Return the grid with letters for signs, so that its columns are as wide as these need."""
    return replace(
        grid,
        title=replace_signs(grid.title, encoding),
        headings=tuple(replace_signs(heading, encoding) for heading in grid.headings),
        rows=tuple(
            tuple(Cell(*(replace_signs(part, encoding) for part in cell)) for cell in row)
            for row in grid.rows
        ),
        note=replace_signs(grid.note, encoding),
    )


# Excerpts of tables: what a first screen shows of them, as data.


@dataclass(frozen=True)
class Excerpt:
    """Some columns and rows of a table, with numbers as short as a screen needs them.

    Attributes:
        quantities: the columns, in order; those that the table does not have are left out.
        without: group columns that are left out, since others say the same.
        title: the heading; None for that of the table.
        note: the remark below; None for that of the table.
        most: number of rows at most, the first ones.
        sorted_by: a quantity by which the rows fall; empty for the order of the table.
    """

    table: str
    quantities: tuple[str, ...]
    without: tuple[str, ...] = ()
    title: str | None = None
    note: str | None = None
    most: int | None = None
    sorted_by: str = ""

    def make_grids(self, tables: Mapping[str, Table], width: int | None = None) -> list[Grid]:
        """Return the excerpt as grids of a width; none if its table is not there."""
        table = tables.get(self.table)
        if table is None:
            return []
        rows = list(dict.fromkeys(group for group, *_ in table.lines))
        if self.sorted_by:
            numbers = table.estimates(self.sorted_by)
            rows.sort(key=lambda group: -numbers[group].value)
        columns = [at for at, group in enumerate(table.groups) if group not in self.without]
        numbers_by_place = {(group, name): estimate for group, name, estimate in table.lines}
        lines = [
            (tuple(group[at] for at in columns), name, numbers_by_place[group, name])
            for name in self.quantities
            for group in rows[: self.most]
            if (group, name) in numbers_by_place
        ]
        excerpt = replace(
            table,
            title=table.title if self.title is None else self.title,
            groups=tuple(table.groups[at] for at in columns),
            lines=lines,
            note=table.note if self.note is None else self.note,
        )
        return make_grids(excerpt, width, brief=True)
