"""The formats of files that are written, by their suffix."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kqj_sim.errors import InputError
from kqj_sim.messages import quote, shorten

TABLE_SUFFIXES: Mapping[str, str] = {
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".parquet": "parquet",
}
PAGE_SUFFIXES: Mapping[str, str] = {**TABLE_SUFFIXES, ".html": "html"}

ROW_SUFFIXES: Mapping[str, str] = {".parquet": "parquet", ".csv": "csv"}
PLOT_SUFFIXES: Mapping[str, str] = {".png": "png", ".svg": "svg", ".pdf": "pdf"}

FORMATS = tuple(TABLE_SUFFIXES.values())

PAGE_FORMATS = tuple(PAGE_SUFFIXES.values())


def choose_by_suffix(path: str | Path, choices: Mapping[str, str], default: str = "") -> str:
    """Return the format of the suffix of `path`; raise InputError, with `default`, for others."""
    suffix = Path(path).suffix.lower()
    if suffix not in choices:
        said = f"the suffix {shorten(suffix)}" if suffix else "no suffix"
        *most, last = choices
        raise InputError(
            f"{quote(path)} has {said}: let it end in {', '.join(most)} or {last}{default}"
        )
    return choices[suffix]
