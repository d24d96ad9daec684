"""The instructions that compiled code may use."""

from __future__ import annotations

import numba
import pytest

from kqj_sim.core.jit import has_instructions


def test_a_generic_processor_is_not_asked_for_pdep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CPU_NAME", "generic")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    assert not has_instructions("bmi2")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+sse4.2,+bmi2")
    assert has_instructions("bmi2")
    monkeypatch.setattr(numba.config, "CPU_FEATURES", "+sse4.2,-bmi2")
    assert not has_instructions("bmi2")
