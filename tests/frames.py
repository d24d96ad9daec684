"""Frames of rows in plain types."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kqj_sim.simulation.rows import Rows


def make_plain_frame(rows: Rows) -> pd.DataFrame:
    """Return the rows as the engine stores them: labels as text, all else as int64, nulls too."""
    columns = {"deal": rows.deal}
    for column in rows.columns:
        numbers = rows.column(column.name).astype(np.int64)
        columns[column.name] = np.array(column.labels)[numbers] if column.labels else numbers
    return pd.DataFrame(columns)
