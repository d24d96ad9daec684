"""What all tests need."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import numpy as np
import pytest


def pytest_configure() -> None:
    """Let Ctrl-C reach the programs that tests start.

    Who is started in the background by a shell without job control ignores it, and so do those he
    starts; they take it again if he does.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def packaged_weights() -> Iterator[None]:
    """Put the package's weights back where training has put its own, for the whole process."""
    yield
    weights = sys.modules.get("kqj_sim.policies.weights")
    if weights is None:
        return
    for key, (numbers, version) in weights._IN_USE.items():
        path = weights.FOLDER / weights.file_name(*key)
        if version == 0 and path.is_file():
            kept, about = weights.read(path)
            np.copyto(numbers, kept)
            weights._IN_USE[key] = (numbers, about["version"])
