"""Weights of policies: files of the package, made by `tools/train_network.py`.

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
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.types import Float32Array
from kqj_sim.policies import features
from kqj_sim.policies.fixed_point import to_fixed_point
from kqj_sim.policies.trick_odds import KIND_COUNT

FOLDER = Path(__file__).resolve().parent / "weights"
"""Folder of the package's own files."""

WEIGHT_COUNTS = {"network": KIND_COUNT * features.KIND_SIZE}
"""Number of weights of each policy."""

VERSIONS = {"network": 4}
"""Version of each policy's weights in use.

It is a parameter of the policy, so that outputs and records name the weights they were made with.
Version 4 of `network` has the numbers of version 3, but is computed in fixed point, which changes
one choice in five hundred.
"""

_STORED_TYPE = np.float16
"""Type of the numbers in a file; half precision costs a network nothing that can be measured."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every archive member, the earliest that zip files can hold."""


class WeightsError(RuntimeError):
    """Weights that are missing or do not fit this version of the package; the message is one
    line."""


_Key: TypeAlias = tuple[str, int, str]
"""Policy, teams and bidding."""


class _WeightsInUse(NamedTuple):
    """Weights in use.

    Attributes:
        numbers: float32 (`WEIGHT_COUNTS`,).
        played: the same as compiled players read them, aligned to 64 bytes.
        version: their version, from 1; 0 for those of `override`.
    """

    numbers: Float32Array
    played: NDArray[Any]
    version: int


_IN_USE: dict[_Key, _WeightsInUse] = {}


def load(policy: str, teams: int, bidding: str) -> Float32Array:
    """Return the weights of a policy, float32 (`WEIGHT_COUNTS`,).

    Raises:
        WeightsError: the weights are missing or do not fit.
    """
    return _load(policy, teams, bidding).numbers


def load_for_play(policy: str, teams: int, bidding: str) -> NDArray[Any]:
    """Return the weights as the policy's compiled functions read them, int16
    (`fixed_point.to_fixed_point`).

    It is always the same array and is never freed, as compiled players hold its address.
    Arguments and errors are those of `load`.
    """
    return _load(policy, teams, bidding).played


def version(policy: str, teams: int, bidding: str) -> int:
    """Return the version of the weights that `load` gives, from 1; 0 for those of `override`."""
    return _load(policy, teams, bidding).version


def override(policy: str, teams: int, bidding: str, weights: Float32Array) -> None:
    """Replace a policy's weights in use, for compiled players too."""
    _use((policy, teams, bidding), weights.ravel(), 0)


def restore() -> None:
    """Replace all weights given to `override` by those of the package, where it has such files.

    Raises:
        WeightsError: a file holds no weights.
    """
    for key, each in list(_IN_USE.items()):
        path = FOLDER / file_name(*key)
        if each.version == 0 and path.is_file():
            packaged, about = read(path)
            _use(key, packaged, int(about["version"]))


def packaged_version(policy: str, teams: int, bidding: str) -> int:
    """Return the version of the package's own file, fit or not; 0 if there is none.

    Raises:
        WeightsError: the file holds no weights.
    """
    path = FOLDER / file_name(policy, teams, bidding)
    return int(_parse(path)[1]["version"]) if path.is_file() else 0


def file_name(policy: str, teams: int, bidding: str) -> str:
    """Return the name of the file with a policy's weights for a number of teams and a way of
    bidding."""
    return f"{policy}-{teams}-{bidding}.npz"


def describe_features() -> dict[str, Any]:
    """Return what weights are made for: the tables of the features, and the network's units."""
    return {
        "card": {name: list(sizes) for name, sizes in features.CARD_TABLES.items()},
        "shared": {name: list(sizes) for name, sizes in features.SHARED_TABLES.items()},
        "units": [features.HIDDEN_1_UNITS, features.HIDDEN_2_UNITS],
    }


def to_bytes(policy: str, weights: Float32Array, about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file with a policy's weights, float32 (`WEIGHT_COUNTS`,).

    Args:
        policy: name of the policy, such as `network`.
        weights: the weights.
        about: `policy`, `teams`, `bidding`, `version`, and how they were made; no dates.
    """
    assert weights.size == WEIGHT_COUNTS[policy]
    text = json.dumps({**about, "features": describe_features()}, sort_keys=True)
    arrays: dict[str, NDArray[Any]] = {
        "weights": weights.ravel().astype(_STORED_TYPE),
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
    """Read the weights of a file, float32 (`WEIGHT_COUNTS`,), and its `about`.

    Raises:
        WeightsError: not a file of weights, or they do not fit this version of the package.
        OSError: the file cannot be read.
    """
    stored, about = _parse(path)
    expected = WEIGHT_COUNTS[about["policy"]]
    difference = _find_difference(about["features"], describe_features())
    if difference:
        raise WeightsError(
            f"{path} is for other features ({difference}): make it anew with "
            f"{training_command(**about)}"
        )
    if stored.shape != (expected,) or not np.isfinite(stored).all():
        raise WeightsError(f"{path} should hold {expected:,} finite numbers: it does not")
    return stored.astype(np.float32), about


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
    return f"`python -m tools.train_{policy} --teams {teams} --bidding {bidding}`"


def _load(policy: str, teams: int, bidding: str) -> _WeightsInUse:
    key = (policy, teams, bidding)
    if key not in _IN_USE:
        path = FOLDER / file_name(*key)
        if not path.is_file():
            raise WeightsError(
                f"{policy} has no weights for {teams} teams and --bidding {bidding}: "
                f"make them with {training_command(policy, teams, bidding)}"
            )
        weights, about = read(path)
        if about["version"] != VERSIONS[policy]:
            raise WeightsError(
                f"{path} has version {about['version']} and not {VERSIONS[policy]}: "
                "kqj_sim/policies/weights.py names the version of the package's files"
            )
        _use(key, weights, int(about["version"]))
    return _IN_USE[key]


def _use(key: _Key, weights: Float32Array, version: int) -> None:
    """Use weights from now on; the arrays in which players find them stay the same."""
    played = to_fixed_point(weights).ravel()
    if key not in _IN_USE:
        _IN_USE[key] = _WeightsInUse(weights.copy(), _align(played), version)
        return
    found = _IN_USE[key]
    np.copyto(found.numbers, weights)
    np.copyto(found.played, played)
    _IN_USE[key] = found._replace(version=version)


def _align(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return a copy that begins at a multiple of 64 bytes, a cache line."""
    room = np.empty(numbers.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    aligned = room[start : start + numbers.nbytes].view(numbers.dtype)
    aligned[:] = numbers
    return aligned


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
