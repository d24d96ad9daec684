"""Frames of rows in plain types."""

from __future__ import annotations

import pandas as pd

from kqj_sim.columns import NULL
from kqj_sim.simulation.rows import Rows


def make_plain_frame(rows: Rows) -> pd.DataFrame:
    """Return the rows with labels as text and all else as int64, of which -1 is null."""
    nulls = {column.name: NULL for column in rows.columns if column.has_null}
    kinds = {column.name: "str" if column.labels else "int64" for column in rows.columns}
    return rows.frame().fillna(nulls).astype(kinds)
