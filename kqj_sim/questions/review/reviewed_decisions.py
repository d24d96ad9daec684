"""Decisions of reviewed rounds, with the columns by which they are grouped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kqj_sim.errors import InputError
from kqj_sim.messages import suggest
from kqj_sim.questions.review.grading import LEAST_POINTS, Grade
from kqj_sim.questions.review.rounds import Hindsight, RoundReview

Value = int | str

GROUP_COLUMNS: Mapping[str, str] = {
    "trick": "the trick, 1 to 8; 0 for calls",
    "role": "sender, partner, defender; caller during the calls",
    "kind": "take, bid, counter, play (the call in Kwajongen), lead, follow, discard",
    "contract": "the contract; none if the round was passed out",
    "player": "the player's name in the record",
    "seat": "the player's seat",
    "place": "the player's place, 0 the opener",
    "result": "made, failed, litigation, tie, passed_out",
    "line": "the round's line in the file",
    "outcome": "mistake, lucky, bad luck, fine; unknown unless all cards are known",
}


def parse_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of `--by`; raise InputError if one does not exist."""
    for name in names:
        if name not in GROUP_COLUMNS:
            hint = suggest(name, GROUP_COLUMNS) or f"there are {', '.join(GROUP_COLUMNS)}"
            raise InputError(f"--by {name}: there is no such column; {hint}")
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class ReviewedDecision:
    """A decision of a reviewed round."""

    review: RoundReview
    grade: Grade
    hindsight: Hindsight | None

    @property
    def outcome(self) -> str:
        """The name of its fair loss and its loss in hindsight together.

        A mistake that is shown is a `mistake`, or `lucky` if it cost nothing with the cards as they
        were; any other choice is `bad luck` if another would have brought more with these cards,
        else `fine`.
        """
        if self.hindsight is None:
            return "unknown"
        costs = self.hindsight.loss >= LEAST_POINTS
        if self.grade.mistake:
            return "mistake" if costs else "lucky"
        return "bad luck" if costs else "fine"

    def get(self, column: str) -> Value:
        """Return the value of one of `GROUP_COLUMNS`."""
        return _READERS[column](self)


def _read_role(each: ReviewedDecision) -> str:
    if each.grade.decision.is_call:
        return "caller"
    return each.review.played.describe_role(each.grade.decision.seat) or "none"


_READERS: Mapping[str, Callable[[ReviewedDecision], Value]] = {
    "trick": lambda each: each.grade.decision.trick,
    "role": _read_role,
    "kind": lambda each: each.grade.decision.kind,
    "contract": lambda each: each.review.played.record.contract or "none",
    "player": lambda each: each.review.played.names[each.grade.decision.seat],
    "seat": lambda each: each.grade.decision.seat,
    "place": lambda each: each.review.played.place_of(each.grade.decision.seat),
    "result": lambda each: str(getattr(each.review.played.source, "result", "none")),
    "line": lambda each: each.review.played.line,
    "outcome": lambda each: each.outcome,
}


def list_decisions(reviews: Sequence[RoundReview]) -> list[ReviewedDecision]:
    """Return the decisions of the seats that are reported, in order."""
    return [
        ReviewedDecision(review, grade, hindsight)
        for review in reviews
        for grade, hindsight in zip(review.grades, review.hindsight, strict=True)
        if grade.decision.seat in review.seats
    ]


def sort_worst(decisions: Sequence[ReviewedDecision]) -> list[ReviewedDecision]:
    """Return decisions with a loss that matters, shown mistakes first, then by what they lost."""
    lost = [each for each in decisions if each.grade.matters]
    return sorted(lost, key=lambda each: (not each.grade.mistake, -each.grade.loss.points.value))
