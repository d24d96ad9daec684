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
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kqj_sim.core.types import Float32Array
from kqj_sim.errors import RunError
from kqj_sim.policies import call_features, features
from kqj_sim.policies.one_layer import HIDDEN_UNITS, to_fixed_point
from kqj_sim.policies.trick_odds import KIND_COUNT

FOLDER = Path(__file__).resolve().parent / "weights"
"""Folder of the package's own files."""

_INPUTS = {"network": features, "learned": call_features}
"""Modules with each policy's features and the layout of its networks."""

_TRAINING = {
    "network": "distill_network --teams {teams} --bidding {bidding}",
    "learned": "train_calls --teams {teams}",
}
"""Programs that make the weights, and their options."""

VERSIONS = {"network": 8, "learned": 6}
"""Version of each policy's weights in use.

It is a parameter of the policy, so that outputs and records name the weights they were made with.
Version 5 of `network` is another network than version 4, whose values it has learnt; version 6 has
new numbers for taking with two teams only, as has version 8; version 7 for auctions only.  Version
2 of `learned` has new numbers for three teams only, as has version 6; version 4 looks at fewer
contracts, and has new numbers, as has version 5.
"""

_STORED_TYPE = np.float16
"""Type of the numbers in a file; half precision costs a network nothing that can be measured."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every archive member, the earliest that zip files can hold."""


@cache
def load(policy: str, teams: int, bidding: str) -> Float32Array:
    """Return the weights of a policy, float32 (`count_weights`,).

    Raises:
        RunError: the weights are missing or do not fit.
    """
    path = FOLDER / file_name(policy, teams, bidding)
    if not path.is_file():
        raise RunError(
            f"{policy} has no weights for {teams} teams and `bidding='{bidding}'`: "
            f"make them with {training_command(policy, teams, bidding)}"
        )
    weights, about = read(path)
    if about["version"] != VERSIONS[policy]:
        raise RunError(
            f"{path} has version {about['version']} and not {VERSIONS[policy]}: "
            "kqj_sim/policies/weights.py names the version of the package's files"
        )
    return weights


@cache
def load_for_play(policy: str, teams: int, bidding: str) -> NDArray[Any]:
    """Return the weights as the policy's compiled functions read them (`align_for_play`).

    It is always the same array and is never freed, as compiled players hold its address.
    Arguments and errors are those of `load`.
    """
    return align_for_play(policy, load(policy, teams, bidding))


def align_for_play(policy: str, weights: Float32Array) -> NDArray[Any]:
    """Return weights in fixed point, int16, in an array that begins at a cache line (64 bytes)."""
    inputs = _INPUTS[policy]
    numbers = to_fixed_point(weights, inputs.LAYOUT, inputs.PARTS.values()).ravel()
    room = np.empty(numbers.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    aligned = room[start : start + numbers.nbytes].view(numbers.dtype)
    aligned[:] = numbers
    return aligned


def file_name(policy: str, teams: int, bidding: str) -> str:
    """Return the name of the file of a policy's weights for a number of teams and a bidding."""
    return f"{policy}-{teams}-{bidding}.npz"


def describe_features(policy: str) -> dict[str, Any]:
    """Return what weights are made for: the parts of the features and the networks' units."""
    inputs = _INPUTS[policy]
    return {
        "parts": {name: list(sizes) for name, sizes in inputs.PARTS.items()},
        "units": [HIDDEN_UNITS, inputs.LAYOUT.outputs],
    }


def count_weights(policy: str) -> int:
    """Return the number of a policy's weights."""
    return KIND_COUNT * _INPUTS[policy].LAYOUT.stored_size


def to_bytes(policy: str, weights: Float32Array, about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file with a policy's weights, float32 (`count_weights`,).

    `about` has `policy`, `teams`, `bidding`, `version`, and how they were made; no dates.
    """
    assert weights.size == count_weights(policy)
    text = json.dumps({**about, "features": describe_features(policy)}, sort_keys=True)
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
    """Read the weights of a file, float32 (`count_weights`,), and its `about`.

    Raises:
        RunError: not a file of weights, or they do not fit this version of the package.
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            stored, text = archive["weights"], archive["about"].tobytes().decode()
        about: dict[str, Any] = json.loads(text)
        for name in ("policy", "teams", "bidding", "version", "features"):
            _ = about[name]
        expected = count_weights(about["policy"])
    except Exception as error:  # A damaged archive makes numpy and zipfile raise any kind.
        raise RunError(f"{path} is not a file of weights: {error}") from None
    if about["features"] != describe_features(about["policy"]):
        raise RunError(
            f"{path} is for other features: make it anew with {training_command(**about)}"
        )
    if stored.shape != (expected,) or not np.isfinite(stored).all():
        raise RunError(f"{path} should hold {expected:,} finite numbers: it does not")
    return stored.astype(np.float32), about


def training_command(policy: str, teams: int, bidding: str, **_: Any) -> str:
    """Return the command that makes such weights, in backticks."""
    return f"`python -m tools.{_TRAINING[policy].format(teams=teams, bidding=bidding)}`"
