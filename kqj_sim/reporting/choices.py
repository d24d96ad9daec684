"""What a file's suffix stands for: formats of tables, of rows and of pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from kqj_sim.messages import quote, shorten

TABLE_SUFFIXES: Mapping[str, str] = {
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".parquet": "parquet",
}
ROW_SUFFIXES: Mapping[str, str] = {".parquet": "parquet", ".csv": "csv"}
PLOT_SUFFIXES: Mapping[str, str] = {".png": "png", ".svg": "svg", ".pdf": "pdf"}

FORMATS = tuple(TABLE_SUFFIXES.values())
"""The formats of tables."""


class FormatError(ValueError):
    """A file's suffix that stands for no format; its one line names those that do."""


def by_suffix(path: str | Path, choices: Mapping[str, str], otherwise: str = "") -> str:
    """What the suffix of `path` stands for; raises FormatError naming the right suffixes."""
    suffix = Path(path).suffix.lower()
    if suffix not in choices:
        said = f"the suffix {shorten(suffix)}" if suffix else "no suffix"
        *most, last = choices
        raise FormatError(
            f"{quote(path)} has {said}: let it end in {', '.join(most)} or {last}{otherwise}"
        )
    return choices[suffix]


def table_format(path: str | Path | None, chosen: str | None) -> str:
    """The format of tables: the one chosen, else by the file's suffix, else that for people.

    Raises FormatError for a suffix that stands for none.
    """
    if chosen is not None:
        return chosen
    if path is None:
        return "table"
    return by_suffix(path, TABLE_SUFFIXES, ", or give --format")


def slug(name: str) -> str:
    """A name as it stands in names of files: `Two teams, taking` is `two_teams_taking`."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
