"""The result of `review`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from kqj_sim.messages import represent
from kqj_sim.output.figures import NothingToDrawError
from kqj_sim.questions.review.page import make_review_page
from kqj_sim.questions.review.play import ReviewedRounds, ReviewRun
from kqj_sim.questions.review.reviewed_decisions import (
    GROUP_COLUMNS,
    ReviewedDecision,
    list_decisions,
)
from kqj_sim.questions.review.screen import make_review_report, render_review
from kqj_sim.questions.review.tables import estimate_decision_loss
from kqj_sim.results import Result
from kqj_sim.stats.tables import describe_estimate
from kqj_sim.suffixes import PAGE_SUFFIXES

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.output.figures import Drawing


class ReviewResult(Result):
    """The result of `review`: every decision with what it lost.

    Attributes:
        errors: line and text of records that could not be reviewed.
        without_player: number of rounds left out, since no player asked for sat at their table.
        out_of_time: True if the time was over before the last round.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.review(kqj.play(deal=3, policy="greedy"), samples=50)
        >>> len(found.frame()) > 20, list(found.errors)
        (True, [])
    """

    kind: ClassVar[str] = "review"
    suffixes = PAGE_SUFFIXES

    def __init__(self, reviewed: ReviewedRounds, run: ReviewRun, worst: int) -> None:
        run = reviewed.complete_run(run)
        super().__init__(make_review_report(reviewed.reviews, run, worst))
        self._reviewed = reviewed
        self._confidence = run.confidence or 0.95
        self.errors = tuple(reviewed.errors)
        self.without_player = reviewed.without_player
        self.out_of_time = reviewed.out_of_time

    def describe_end(self) -> str | None:
        """Return a line on how far the review came; None if it came to the end."""
        return self._reviewed.describe_end()

    def frame(self) -> pd.DataFrame:
        """Return one row per decision, in the order in which they were made.

        The columns are those of `--by`, then `at`, `choice`, `best`, `loss_points` and
        `loss_win_share` with `_low` and `_high`, `mistake`, `exact`, `hindsight_loss_points`.
        """
        import pandas as pd

        decisions = list_decisions(self._reviewed.reviews)
        return pd.DataFrame([self._describe(each) for each in decisions])

    def _describe(self, each: ReviewedDecision) -> dict[str, object]:
        grade = each.grade
        points = estimate_decision_loss(grade, self._confidence)
        wins = grade.loss.estimate_wins(self._confidence)
        row: dict[str, object] = {column: each.get(column) for column in GROUP_COLUMNS}
        row |= {"at": grade.decision.at, "choice": grade.decision.choice, "best": grade.best}
        for name, found in (("loss_points", points), ("loss_win_share", wins)):
            row |= describe_estimate(name, found)
        row |= {"mistake": grade.mistake, "exact": grade.layouts is not None}
        hindsight = each.hindsight
        row["hindsight_loss_points"] = float("nan") if hindsight is None else hindsight.loss
        return row

    @property
    def worst(self) -> tuple[str, ...]:
        """The decisions that lost most, in sentences."""
        return tuple(text.partition("\n")[0] for text, _ in self._report.commands)

    def render(self, format: str) -> bytes:
        """Return the review in a format; JSON and pages have all decisions of all rounds."""
        if represent(format, str) not in ("json", "html"):
            return super().render(format)
        text = render_review(self._report, self._reviewed.reviews)
        return text if format == "json" else make_review_page(text)

    def _list_lines(self) -> Sequence[str]:
        lines = super()._list_lines()
        return [*self.worst[:1], *lines]

    def make_drawing(self) -> Drawing:
        """Return the picture; raise NothingToDrawError if there is none."""
        raise NothingToDrawError("a review has no picture; save it to a page")
