"""Rows in files: the same values, whatever the format and the chunks."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from kqj_sim.output import rows as rows_module
from kqj_sim.output.rows import RowsFile
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.rows import Rows, list_row_columns
from kqj_sim.simulation.run import iterate_row_chunks, simulate
from tests.output.tables import run
from tests.variants import LIVELY, OTHER_GAMES

DEALS = 700
EXPERIMENT = Experiment(players=("random",) * 6, deals=DEALS, seed=5)


def write(path: Path, chunk: int = 150, experiment: Experiment = EXPERIMENT) -> None:
    with RowsFile(path, list_row_columns(experiment)) as file:
        for rows in iterate_row_chunks(experiment, threads=1, chunk=chunk):
            file.write(rows)
        file.finish(run(deals=DEALS, seed=5))


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Labels as text, places as numbers, all integers alike, flags as they are."""
    if frame["place"].dtype == "category":
        frame = frame.assign(place=frame["place"].cat.codes.astype("Int64").replace(-1, None))
    kinds = {"i": "Int64", "b": "bool", "f": "Int64"}
    return frame.astype(
        {name: kinds.get(column.dtype.kind, "object") for name, column in frame.items()}
    )


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("group", [100, 1 << 17])
def test_file_holds_the_rows_in_order_of_deal(
    suffix: str, group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "ROW_GROUP_SIZE", group)
    path = tmp_path / f"rows{suffix}"
    write(path)
    found = pd.read_parquet(path) if suffix == ".parquet" else pd.read_csv(path)
    frame = simulate(EXPERIMENT, threads=1).frame(list_row_columns(EXPERIMENT))
    expected = plain(frame)
    nullable = ["lap", "place", "contract", "kind", "contracting_total", "sender_aces"]
    for each in (found, frame):
        assert all((each[name].isna() == ~each["taken"]).all() for name in nullable)
    assert 0 < frame["taken"].sum() < DEALS
    assert list(found["deal"]) == list(range(DEALS))
    pd.testing.assert_frame_equal(plain(found[list(expected.columns)]), expected)
    beside = [path.with_suffix(".run.json")] if path.suffix == ".csv" else []
    assert sorted(tmp_path.iterdir()) == [path, *beside]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_chunks_cannot_be_seen(suffix: str, tmp_path: Path) -> None:
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    write(one, chunk=150)
    write(other, chunk=999)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("experiment", [
    EXPERIMENT,
    Experiment(KqjRules(teams=3, bidding="auction"), (LIVELY,) * 6, games=5, seed=3),
    *(
        Experiment(rules, ("standard",) * rules.seats, deals=500, games=games)
        for rules in OTHER_GAMES.values()
        for games in (None, 30)
    ),
])  # fmt: skip
def test_parquet_reads_back_as_the_frame(experiment: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write(path, experiment=experiment)
    frame = simulate(experiment, threads=1).frame(list_row_columns(experiment))
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)


def test_rows_have_the_run_with_them(tmp_path: Path) -> None:
    paths = [tmp_path / "rows.parquet", tmp_path / "rows.csv"]
    for path in paths:
        write(path)
    within = pq.read_metadata(paths[0]).metadata[b"kqj_sim"]
    assert "{" not in paths[1].read_text(encoding="utf-8")
    for text in (within, (tmp_path / "rows.run.json").read_bytes()):
        assert json.loads(text) == run(deals=DEALS, seed=5).to_dict()


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("lap", [2, 9], ids=["some", "none"])
def test_mask_chooses_rows(suffix: str, lap: int, tmp_path: Path) -> None:
    path = tmp_path / f"rows{suffix}"
    rows = simulate(EXPERIMENT, threads=1)
    mask = rows.column("lap") == lap
    with RowsFile(path, list_row_columns(EXPERIMENT)) as file:
        file.write(rows, mask)
        assert file.count == mask.sum() and mask.any() == (lap == 2)
        file.finish(run())
    found = pd.read_parquet(path) if suffix == ".parquet" else pd.read_csv(path)
    assert {"deal", "return_rank", "total_1"} < {*found}
    assert not {"total_2", "low_teams", "bids", "stake", "game"} & {*found}
    assert list(found["deal"]) == list(rows.deal[mask])
    assert set(found["lap"]) <= {lap}


def test_sidecar_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "rows.run.json").mkdir()
    with pytest.raises(OSError, match="cannot be written"), RowsFile(tmp_path / "rows.csv", []):
        pytest.fail("the rows would have no run")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.run.json"]


def test_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    rows: Rows = simulate(EXPERIMENT, threads=1)
    with pytest.raises(KeyError), RowsFile(tmp_path / "rows.csv", ["deal"]) as file:
        file.write(rows)
        raise KeyError
    assert list(tmp_path.iterdir()) == []
