"""Weights of policies: files of the package, made by `kqj-sim train`.

A file is an npz archive of one array, `weights`, and a text, `about`: JSON that says what the
weights are for, for which features they were made, and how.  The same weights and the same `about`
give the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.policies import features
from kqj_sim.policies.trick_odds import KIND_COUNT

FOLDER = Path(__file__).resolve().parent / "weights"
"""The package's own files."""

WEIGHT_COUNTS = {
    "linear": KIND_COUNT * features.CARD_INDICES,
    "network": KIND_COUNT * features.KIND_SIZE,
}
"""Numbers that each policy's weights are."""

VERSIONS = {"linear": 2, "network": 2}
"""Versions of the package's weights: each policy's files have this one.  It is a parameter of the
policy, so that outputs and records tell with which weights they were made."""

_STORED_TYPES = {"linear": np.float32, "network": np.float16}
"""How numbers are kept in a file; halves cost a network nothing that can be measured."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time in every archive: zip files know no earlier one."""


class WeightsError(RuntimeError):
    """Weights that are missing, or do not fit this version of the package; one line."""


_IN_USE: dict[tuple[str, int, str], tuple[NDArray[np.float32], int]] = {}


def load(policy: str, teams: int, bidding: str) -> NDArray[np.float32]:
    """The weights of a policy: float32, one dimension, at a multiple of 64 bytes.

    It is always the same array, kept for ever: compiled players have its address.

    Raises:
        WeightsError: there are none for such a table, or they do not fit.
    """
    return _load(policy, teams, bidding)[0]


def version(policy: str, teams: int, bidding: str) -> int:
    """The version of the weights that `load` gives, from 1; 0 for those given by `override`."""
    return _load(policy, teams, bidding)[1]


def override(policy: str, teams: int, bidding: str, weights: NDArray[np.float32]) -> None:
    """Put other weights in place of a policy's, for compiled players too."""
    key = (policy, teams, bidding)
    found = _IN_USE[key][0] if key in _IN_USE else _allocate_aligned(weights.size)
    np.copyto(found, weights.ravel())
    _IN_USE[key] = (found, 0)


def packaged_version(policy: str, teams: int, bidding: str) -> int:
    """The version of the package's own file, fit or not; 0 if there is none.

    Raises:
        WeightsError: it is no file of weights.
    """
    path = FOLDER / file_name(policy, teams, bidding)
    return int(_parse(path)[1]["version"]) if path.is_file() else 0


def file_name(policy: str, teams: int, bidding: str) -> str:
    """Name of the file with a policy's weights for a number of teams and a way of bidding."""
    return f"{policy}-{teams}-{bidding}.npz"


def describe_features(policy: str) -> dict[str, Any]:
    """What a policy's weights are made for: the tables of its features, and its units."""
    tables: dict[str, Any] = {
        "card": {name: list(sizes) for name, sizes in features.CARD_TABLES.items()}
    }
    if policy == "network":
        tables["shared"] = {name: list(sizes) for name, sizes in features.SHARED_TABLES.items()}
        tables["units"] = [features.HIDDEN_1_UNITS, features.HIDDEN_2_UNITS]
    return tables


def to_bytes(policy: str, weights: NDArray[np.float32], about: Mapping[str, Any]) -> bytes:
    """A file of a policy's weights, float32 (`WEIGHT_COUNTS`,).

    Args:
        policy: `linear` or `network`.
        weights: the weights.
        about: `policy`, `teams`, `bidding`, `version`, and how they were made; no dates.
    """
    assert weights.size == WEIGHT_COUNTS[policy]
    text = json.dumps({**about, "features": describe_features(policy)}, sort_keys=True)
    arrays = {
        "weights": weights.ravel().astype(_STORED_TYPES[policy]),
        "about": np.frombuffer(text.encode(), dtype=np.uint8),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            archive.writestr(member, content.getvalue(), compresslevel=9)
    return out.getvalue()


def read(path: Path) -> tuple[NDArray[np.float32], dict[str, Any]]:
    """The weights of a file, as `load` gives them, and its `about`.

    Raises:
        WeightsError: it is no such file, or its weights do not fit this version of the package.
        OSError: it cannot be read.
    """
    stored, about = _parse(path)
    expected = WEIGHT_COUNTS[about["policy"]]
    difference = _find_difference(about["features"], describe_features(about["policy"]))
    if difference:
        raise WeightsError(
            f"{path} is for other features ({difference}): make it anew with "
            f"{training_command(**about)}"
        )
    if stored.shape != (expected,) or not np.isfinite(stored).all():
        raise WeightsError(f"{path} should hold {expected:,} finite numbers: it does not")
    weights = _allocate_aligned(expected)
    weights[:] = stored
    return weights, about


def _parse(path: Path) -> tuple[NDArray[Any], dict[str, Any]]:
    """The numbers of a file as they stand there, and its `about`, which has what it should."""
    content = path.read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            stored, text = archive["weights"], archive["about"].tobytes().decode()
        about: dict[str, Any] = json.loads(text)
        for name in ("policy", "teams", "bidding", "version", "features"):
            _ = about[name]
        _ = WEIGHT_COUNTS[about["policy"]]
    except Exception as error:  # A damaged archive makes numpy and zipfile raise any kind.
        raise WeightsError(f"{path} is no file of weights: {error}") from None
    return stored, about


def training_command(policy: str, teams: int, bidding: str, **_: Any) -> str:
    """The command that makes such weights."""
    return f"`kqj-sim train {policy} --teams {teams} --bidding {bidding}`"


def _load(policy: str, teams: int, bidding: str) -> tuple[NDArray[np.float32], int]:
    key = (policy, teams, bidding)
    if key not in _IN_USE:
        path = FOLDER / file_name(*key)
        if not path.is_file():
            raise WeightsError(
                f"{policy} has no weights for {teams} teams and --bidding {bidding}: "
                f"make them with {training_command(*key)}"
            )
        weights, about = read(path)
        if about["version"] != VERSIONS[policy]:
            raise WeightsError(
                f"{path} has version {about['version']} and not {VERSIONS[policy]}: "
                "kqj_sim/policies/weights.py names the version of the package's files"
            )
        _IN_USE[key] = (weights, int(about["version"]))
    return _IN_USE[key]


def _allocate_aligned(size: int) -> NDArray[np.float32]:
    """Zeros that begin at a multiple of 64 bytes, a line of the cache."""
    numbers = np.zeros(size + 16, dtype=np.float32)
    start = -numbers.ctypes.data % 64 // 4
    return numbers[start : start + size]


def _find_difference(made_for: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """The first thing in which the features of a file and of the package differ; empty if none."""
    if made_for == known:
        return ""
    for group in known:
        given = made_for.get(group, {})
        if group != "units" and isinstance(given, Mapping):
            for name in [*known[group], *given]:
                if given.get(name) != known[group].get(name):
                    return f"the table {name!r} of the {group} features is another"
        elif given != known[group]:
            return f"hidden units {given}, not {known[group]}"
    return "other groups of features"
