"""Files of weights: written, read, refused."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.errors import RunError
from kqj_sim.policies import features, weights
from kqj_sim.policies.one_layer import to_fixed_point
from tests.command_line import read_error

ABOUT = {"policy": "network", "teams": 3, "bidding": "auction", "version": 4, "seed": 9}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the package's, and nothing loaded."""
    monkeypatch.setattr(weights, "FOLDER", tmp_path)
    for function in ("load", "load_for_play"):
        fresh = functools.cache(getattr(weights, function).__wrapped__)
        monkeypatch.setattr(weights, function, fresh)
    monkeypatch.setattr(weights, "VERSIONS", {"network": 4})
    return tmp_path


def numbers() -> NDArray[np.float32]:
    drawn = np.random.default_rng(1).normal(0, 3, weights.count_weights("network"))
    return drawn.astype(np.float32)


def write(folder: Path) -> Path:
    """A file of weights for three teams and auctions."""
    path = folder / weights.file_name("network", 3, "auction")
    path.write_bytes(weights.to_bytes("network", numbers(), ABOUT))
    return path


def refusal(path: Path) -> str:
    message = read_error(weights.read, path, kind=RunError)
    assert path.name in message
    return message


def test_what_is_written_is_read(folder: Path) -> None:
    found, about = weights.read(write(folder))
    np.testing.assert_allclose(found, numbers(), rtol=2**-11, atol=1e-7)
    assert {**about, **ABOUT} == about
    assert about["features"]["parts"]["sender_0"] == list(features.PARTS["sender_0"])


def test_same_weights_give_the_same_bytes(folder: Path) -> None:
    assert write(folder).read_bytes() == write(folder).read_bytes()


def test_loaded_weights_stay_where_they_are(folder: Path) -> None:
    write(folder)
    loaded = weights.load("network", 3, "auction")
    assert loaded.dtype == np.float32 and loaded.ndim == 1
    played = weights.load_for_play("network", 3, "auction")
    assert played.dtype == np.int16 and played.ctypes.data % 64 == 0
    np.testing.assert_array_equal(
        played, to_fixed_point(loaded, features.LAYOUT, features.PARTS.values()).ravel()
    )
    assert weights.load("network", 3, "auction") is loaded
    assert weights.load_for_play("network", 3, "auction") is played


def test_another_version_than_the_package_names_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder)
    monkeypatch.setattr(weights, "VERSIONS", {"network": 5})
    with pytest.raises(RunError, match="has version 4 and not 5"):
        weights.load("network", 3, "auction")


def test_missing_weights_name_the_command(folder: Path) -> None:
    with pytest.raises(RunError, match=r"`python -m tools\.distill_network --teams 2"):
        weights.load("network", 2, "take")


def test_weights_for_other_features_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder)
    monkeypatch.setattr(features, "PARTS", {**features.PARTS, "another": (4, 1)})
    command = "`python -m tools.distill_network --teams 3 --bidding auction`"
    assert all(words in refusal(path) for words in ("is for other features", command))


def test_wrong_numbers_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder)
    monkeypatch.setattr(weights, "count_weights", lambda policy: 10)
    assert "10 finite numbers" in refusal(path)
    monkeypatch.undo()
    path.write_bytes(weights.to_bytes("network", numbers() * np.nan, ABOUT))
    assert "finite numbers" in refusal(path)


def test_what_is_no_file_of_weights_is_refused(folder: Path) -> None:
    path = folder / "some.npz"
    for content in (b"", b"rubbish", write(folder).read_bytes()[:2000]):
        path.write_bytes(content)
        assert "not a file of weights" in refusal(path)
    for missing in ("policy", "version", "teams"):
        about = {name: value for name, value in ABOUT.items() if name != missing}
        path.write_bytes(weights.to_bytes("network", numbers(), about))
        assert f"not a file of weights: {missing!r}" in refusal(path)


def test_packaged_files_fit() -> None:
    for path in weights.FOLDER.glob("*.npz"):
        _, about = weights.read(path)
        assert path.name == weights.file_name(about["policy"], about["teams"], about["bidding"])
        assert about["version"] == weights.VERSIONS[about["policy"]]
