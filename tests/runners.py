"""A runner that notes its progress, and is interrupted when a test says so."""

from __future__ import annotations

from collections.abc import Callable

from kqj_sim.runner import Runner


class WatchedRunner(Runner):
    """A runner in one thread.

    Args:
        interrupted: returns True to interrupt the run.

    Attributes:
        advanced: the finished units, as they were reported.
        answers: the answers with them.
    """

    def __init__(self, interrupted: Callable[[], bool] = lambda: False) -> None:
        super().__init__(threads=1)
        self.advanced: list[int] = []
        self.answers: list[str] = []
        self._is_interrupted = interrupted

    def advance(self, count: int, answer: str = "") -> None:
        """Note finished units."""
        self.advanced.append(count)
        self.answers.append(answer)

    @property
    def interrupted(self) -> bool:
        """True if the test says so."""
        return self._is_interrupted()
