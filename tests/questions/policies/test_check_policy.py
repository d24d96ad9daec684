"""Checks of a policy find what they promise to find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kqj_sim import check_policy, compare, policy
from kqj_sim.errors import InputError
from kqj_sim.questions.policies.checks import PolicyCheck
from kqj_sim.runner import DEFAULT_RUNNER, Runner
from tests.variants import OTHER_GAMES

HEAD = "import numba, numpy as np\nfrom kqj_sim import policy, lowest, highest\n"


def _check(tmp_path: Path, text: str, runner: Runner = DEFAULT_RUNNER) -> PolicyCheck:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return check_policy(str(path), deals=60, runner=runner)


@pytest.mark.slow
def test_a_correct_policy_has_no_problems(tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    runner = Runner(progress=lambda finished, total: progress.append((finished, total)))
    found = _check(tmp_path, "@policy\ndef low(view):\n    return lowest(view.legal)\n", runner)
    assert found.ok
    assert len(progress) > len(found.variants)
    assert progress[-1] == (found.deals, found.deals)
    for title in OTHER_GAMES:
        assert any(title in each for each in found.variants)
    assert any("auction" in each for each in found.variants)
    assert found.deals == 2 * 60 * len(found.variants)
    assert found.decisions["card"].asked > 1000
    assert found.decisions["card"].microseconds > 0
    assert found.microseconds_per_deal > 0
    assert len(repr(found).splitlines()) <= 10
    assert len(repr(found)) < 1000


@pytest.mark.slow
def test_exceptions_are_found(tmp_path: Path) -> None:
    """Illegal choices are in tests/commands/test_listings.py."""
    answer = "8 // (6 - view.trick_number) * 0 + highest(view.legal)"
    found = _check(tmp_path, f"@policy\ndef wrong(view):\n    return {answer}\n")
    assert "ZeroDivisionError" in found.problems[0]
    assert not found.ok


@pytest.mark.slow
def test_choices_that_depend_on_more_than_the_view_are_found(tmp_path: Path) -> None:
    text = (
        "@numba.njit\ndef draw():\n    return np.random.random() < 0.2\n"
        "@policy\ndef leaky(view):\n"
        "    return highest(view.legal) if draw() else lowest(view.legal)\n"
    )
    found = _check(tmp_path, text)
    assert any("depends on more than its view" in each for each in found.problems)
    assert found.decisions["card"].changed > 0


def test_policy_that_does_not_compile_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leagl"):
        _check(tmp_path, "@policy\ndef wrong(view):\n    return view.leagl\n")


def test_situations_that_never_arise_are_named(tmp_path: Path) -> None:
    text = "@policy\ndef choose_bid(view):\n    return -1\n"
    found = _check(tmp_path, text)
    assert found.unreached == ["choose_bid after a bid"] and found.unreached[0] in repr(found)
    assert all("auction" in each for each in found.variants)


def test_a_policy_that_is_never_asked_says_so() -> None:
    @policy
    def choose_bid(view: Any) -> int:
        return -1

    with pytest.raises(InputError, match=r"never asked with `bidding='take'`: add choose_take\(\)"):
        compare(choose_bid, "random", deals=10)
