"""The formats in which tables are written, for people and for programs.

In the formats for programs each number has a row (the long form), in the units of the analysis:
shares from 0 to 1, points, counts.  A Parquet file carries the run in its metadata, as JSON
under the key `kqj_sim`; a CSV file has it in a file of its own, `NAME.run.json`.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from kqj_sim.errors import InputError
from kqj_sim.messages import format_json, visible_lines
from kqj_sim.output.grid import (
    LETTERS_FOR_SIGNS,
    NO_INTERVAL,
    PIPED_WIDTH,
    drop_repeated_notes,
    escape_tags,
    make_grids,
    replace_grid_signs,
    split_grid,
    to_markdown,
    to_rich,
    to_screen,
)
from kqj_sim.output.screen import RANGE_SIGNS, Run, Screen

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.output.grid import Grid
    from kqj_sim.stats.tables import Table


RUN_KEY = "kqj_sim"
"""Key of the run in the metadata of Parquet files."""


def render(
    screen: Screen,
    format: str,
    *,
    color: bool = False,
    width: int | None = None,
    encoding: str = "utf-8",
) -> bytes:
    """Return the screen in one of FORMATS; raise InputError for another format.

    `color`, `width` (characters) and `encoding` are for "table"; the others are UTF-8.
    """
    if format == "table":
        return _render_table(screen, color, width, encoding).encode(encoding, LETTERS_FOR_SIGNS)
    if format not in [*_WRITERS]:
        raise InputError(f"format: it is table or {' or '.join(_WRITERS)}, not {format!r}")
    return _WRITERS[format](screen)


def make_long_frame(screen: Screen) -> pd.DataFrame:
    """Return all tables in one frame: `table`, every group column, then the numbers."""
    import pandas as pd

    groups = list(dict.fromkeys(group for table in screen.tables for group in table.groups))
    numbers = ["quantity", "unit", "value", "low", "high", "deals"]
    if not screen.tables:
        return pd.DataFrame(columns=["table", *numbers])
    frame = pd.concat(
        [
            table.frame.astype({group: object for group in table.groups}).assign(table=table.name)
            for table in screen.tables
        ],
        ignore_index=True,
    )
    for group in groups:
        values = frame[group].dropna()
        whole = all(isinstance(value, int) or hasattr(value, "__index__") for value in values)
        frame[group] = frame[group].astype("Int64" if whole else "string")
    return frame[["table", *groups, *numbers]]


def format_run(run: Run, indent: int | None = None) -> str:
    """Return the run as JSON, on one line unless it is indented."""
    return format_json(run.to_dict(), indent)


def _render_table(screen: Screen, color: bool, width: int | None, encoding: str) -> str:
    from rich.console import RenderableType
    from rich.text import Text

    run = screen.run
    grids = screen.make_grids(width or PIPED_WIDTH)
    legend = _name_signs(run.describe_intervals(), grids)
    parts: list[RenderableType] = [Text(line, "bold") for line in screen.headline]
    parts.append(Text(run.describe(), "italic"))
    if screen.shown is None:
        words = [*screen.remarks]
        if screen.tables:
            words += [*([f"{legend}."] if legend else []), "More: --tables list."]
        parts.append(Text(" ".join(words), "dim"))
    elif legend and screen.shown:
        parts.append(Text(legend, "dim"))
    for grid in grids:
        plain = replace_grid_signs(grid, encoding)
        for part in [grid] if plain == grid else split_grid(plain, width or PIPED_WIDTH):
            parts += [Text(""), to_rich(part)]
    # A command is not wrapped, so that it can be copied.
    commands = "".join(
        f"\n{_wrap(sentence, width)}\n  {command}\n"
        for sentence, command in screen.commands
        if sentence and screen.shown is None
    )
    return to_screen(parts, color=color, width=width) + visible_lines(commands)


def _name_signs(legend: str, grids: Sequence[Grid]) -> str:
    cells = [cell for grid in grids for row in grid.rows for cell in row]
    signs = ["±", *sorted({cell.text[:1] for cell in cells} & {"<", ">"})]
    has_ranges = any(cell.interval.startswith("(") for cell in cells)
    named = ", ".join(signs) + (" and ranges in brackets" if has_ranges else "")
    legend = legend.replace(RANGE_SIGNS, named)
    if legend and any(NO_INTERVAL in str(cell) for cell in cells):
        legend += f". {NO_INTERVAL}: too few deals for an interval, or all alike"
    return legend


def _wrap(sentence: str, width: int | None) -> str:
    size = width or PIPED_WIDTH
    return "\n".join(
        textwrap.fill(line, size, initial_indent="  " * (number > 0), subsequent_indent="  ")
        for number, line in enumerate(sentence.split("\n"))
    )


def _render_markdown(screen: Screen) -> bytes:
    lines = [f"# kqj-sim {screen.run.command}", ""]
    for line in (*screen.headline, screen.run.describe(), *screen.remarks):
        lines += [line, ""]
    text = escape_tags("\n".join(lines).rstrip("\n") + "\n")
    tables = (grid for table in screen.tables for grid in make_grids(table))
    # Whole tables follow anyway.
    parts = (part for part in screen.parts if not isinstance(part, str))
    key_grids = (grid for part in parts for grid in screen.lay_out(part))
    for grid in drop_repeated_notes((*key_grids, *tables)):
        text += "\n" + to_markdown(grid)
    for sentence, command in screen.commands:
        if sentence:
            text += f"\n{escape_tags(sentence)}\n"
        text += f"\n```console\n$ {command}\n```\n"
    run = (f"- {key}: {_format_list(value)}\n" for key, value in screen.run.to_dict().items())
    return visible_lines(f"{text}\n### Run\n\n{''.join(run)}").encode()


def _format_list(value: Any) -> str:
    """Return a value as JSON; a list of equal values, such as players, as one of them."""
    text, times = format_json(value), ""
    if isinstance(value, list) and len(value) > 1 and value.count(value[0]) == len(value):
        text, times = format_json(value[0]), f", {len(value)} times"
    return f"`{text}`{times}" if "`" not in text else f"{escape_tags(text)}{times}"


def _render_csv(screen: Screen) -> bytes:
    return visible_lines(make_long_frame(screen).to_csv(index=False, lineterminator="\n")).encode()


def convert_table(table: Table) -> dict[str, Any]:
    """Return a table as plain values, for JSON; without pandas, whose import takes 0.3 s."""
    columns = table.list_columns()
    return {
        "name": table.name,
        "title": table.title,
        "groups": list(table.groups),
        "note": table.note,
        "rows": [
            {name: _convert_value(value) for name, value in zip(columns, row, strict=True)}
            for row in zip(*columns.values(), strict=True)
        ],
    }


def _render_json(screen: Screen) -> bytes:
    commands = [command for _, command in screen.commands]
    words = {"answer": screen.headline, "commands": commands}
    said = {key: list(lines) for key, lines in words.items() if lines}
    tables = [convert_table(table) for table in screen.tables]
    values = {**screen.run.to_dict(), **said, "tables": tables}
    return format_json(values, 1).encode() + b"\n"


def _convert_value(value: Any) -> Any:
    """Return a plain value, None for NaN, which JSON does not have."""
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _render_parquet(screen: Screen) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(make_long_frame(screen), preserve_index=False)
    metadata = {**(table.schema.metadata or {}), RUN_KEY.encode(): format_run(screen.run).encode()}
    out = BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata), out)
    return out.getvalue()


_WRITERS: Mapping[str, Callable[[Screen], bytes]] = {
    "csv": _render_csv,
    "json": _render_json,
    "markdown": _render_markdown,
    "parquet": _render_parquet,
}
