"""Weights of policies: files of the package, made by `kqj-sim train`.

A file is an npz archive of one array, `weights`, and a text, `about`: JSON with the policy, rules
and features that the weights are for, and how they were made.  The same weights and the same
`about` give the same bytes.
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

from kqj_sim.core.types import Float32Array
from kqj_sim.policies import features
from kqj_sim.policies.trick_odds import KIND_COUNT

FOLDER = Path(__file__).resolve().parent / "weights"
"""Folder of the package's own files."""

WEIGHT_COUNTS = {
    "linear": KIND_COUNT * features.CARD_INDICES,
    "network": KIND_COUNT * features.KIND_SIZE,
}
"""Number of weights of each policy."""

VERSIONS = {"linear": 2, "network": 3}
"""Version of each policy's weights in use.

It is a parameter of the policy, so that outputs and records name the weights they were made with.
"""

OLDEST_VERSIONS = {"linear": 2, "network": 2}
"""Oldest version of each policy's weights that the package still holds, for comparison."""

_STORED_TYPES = {"linear": np.float32, "network": np.float16}
"""Type of the numbers in a file; half precision costs a network nothing that can be measured."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every archive member, the earliest that zip files can hold."""


class WeightsError(RuntimeError):
    """Weights that are missing or do not fit this version of the package; the message is one
    line."""


_IN_USE: dict[tuple[str, int, str, int], tuple[Float32Array, int]] = {}
"""The weights in use by policy, rules and the version asked for, and their own version."""


def load(policy: str, teams: int, bidding: str, wanted: int | None = None) -> Float32Array:
    """Return the weights of a policy: float32, one dimension, aligned to 64 bytes.

    It is always the same array and is never freed, as compiled players hold its address.

    Args:
        policy, teams, bidding: the policy and the rules.
        wanted: version of the weights, by default the one in use.

    Raises:
        WeightsError: the weights are missing or do not fit.
    """
    return _load(policy, teams, bidding, wanted or VERSIONS[policy])[0]


def version(policy: str, teams: int, bidding: str) -> int:
    """Return the version of the weights that `load` gives, from 1; 0 for those of `override`."""
    return _load(policy, teams, bidding, VERSIONS[policy])[1]


def override(policy: str, teams: int, bidding: str, weights: Float32Array) -> None:
    """Replace a policy's weights in use, for compiled players too."""
    key = (policy, teams, bidding, VERSIONS[policy])
    found = _IN_USE[key][0] if key in _IN_USE else _allocate_aligned(weights.size)
    np.copyto(found, weights.ravel())
    _IN_USE[key] = (found, 0)


def restore() -> None:
    """Replace all weights given to `override` by those of the package, where it has such files.

    Raises:
        WeightsError: a file holds no weights.
    """
    for key, (numbers, version) in _IN_USE.items():
        path = FOLDER / file_name(*key)
        if version == 0 and path.is_file():
            packaged, about = read(path)
            np.copyto(numbers, packaged)
            _IN_USE[key] = (numbers, int(about["version"]))


def packaged_version(policy: str, teams: int, bidding: str) -> int:
    """Return the version of the package's own file, fit or not; 0 if there is none.

    Raises:
        WeightsError: the file holds no weights.
    """
    path = FOLDER / file_name(policy, teams, bidding)
    return int(_parse(path)[1]["version"]) if path.is_file() else 0


def file_name(policy: str, teams: int, bidding: str, wanted: int | None = None) -> str:
    """Return the name of the file with a policy's weights for a number of teams and a way of
    bidding; those of an older version name it, too."""
    old = wanted is not None and wanted != VERSIONS[policy]
    return f"{policy}-{teams}-{bidding}{f'-{wanted}' if old else ''}.npz"


def describe_features(policy: str) -> dict[str, Any]:
    """Return what a policy's weights are made for: the tables of its features, and its units."""
    tables: dict[str, Any] = {
        "card": {name: list(sizes) for name, sizes in features.CARD_TABLES.items()}
    }
    if policy == "network":
        tables["shared"] = {name: list(sizes) for name, sizes in features.SHARED_TABLES.items()}
        tables["units"] = [features.HIDDEN_1_UNITS, features.HIDDEN_2_UNITS]
    return tables


def to_bytes(policy: str, weights: Float32Array, about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file with a policy's weights, float32 (`WEIGHT_COUNTS`,).

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


def read(path: Path) -> tuple[Float32Array, dict[str, Any]]:
    """Read the weights of a file, as `load` gives them, and its `about`.

    Raises:
        WeightsError: not a file of weights, or they do not fit this version of the package.
        OSError: the file cannot be read.
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
    """Read the stored numbers of a file, and its `about`, checked for the necessary keys."""
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
    """Return the command that makes such weights, in backticks."""
    return f"`kqj-sim train {policy} --teams {teams} --bidding {bidding}`"


def _load(policy: str, teams: int, bidding: str, wanted: int) -> tuple[Float32Array, int]:
    key = (policy, teams, bidding, wanted)
    if key not in _IN_USE:
        path = FOLDER / file_name(*key)
        if not path.is_file():
            raise WeightsError(
                f"{policy} has no weights for {teams} teams and --bidding {bidding}: "
                f"make them with {training_command(policy, teams, bidding)}"
            )
        weights, about = read(path)
        if about["version"] != wanted:
            raise WeightsError(
                f"{path} has version {about['version']} and not {wanted}: "
                "kqj_sim/policies/weights.py names the version of the package's files"
            )
        _IN_USE[key] = (weights, int(about["version"]))
    return _IN_USE[key]


def _allocate_aligned(size: int) -> Float32Array:
    """Return float32 zeros (size,) that begin at a multiple of 64 bytes, a cache line."""
    numbers = np.zeros(size + 16, dtype=np.float32)
    start = -numbers.ctypes.data % 64 // 4
    return numbers[start : start + size]


def _find_difference(made_for: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return the first difference between the features of a file and the package's; empty if
    none."""
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
