"""The result of `review`: its rows, and the JSON with all decisions of all rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from kqj_sim.messages import format_json, represent
from kqj_sim.output.formats import convert_table
from kqj_sim.output.screen import Screen
from kqj_sim.places import name_places
from kqj_sim.questions.review import screen
from kqj_sim.questions.review.grading import Grade, Unit
from kqj_sim.questions.review.hindsight import Continuation
from kqj_sim.questions.review.page import make_review_page
from kqj_sim.questions.review.play import ReviewedRounds, RoundReview
from kqj_sim.questions.review.tables import GROUP_COLUMNS, list_grades, sort_worst, trace_results
from kqj_sim.results import Result
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import describe_estimate
from kqj_sim.suffixes import PAGE_SUFFIXES

if TYPE_CHECKING:
    import pandas as pd


class ReviewResult(Result):
    """The result of `review`: every decision with what it lost.

    Attributes:
        errors: line and text of records that could not be reviewed.
        without_player: number of rounds left out, since no player asked for sat at their table.
        out_of_time: True if the time was over before the last round.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.review(kqj.show(deal=3, policy="greedy"), samples=50)
        >>> len(found.frame()) > 20, list(found.errors)
        (True, [])
    """

    kind: ClassVar[str] = "review"
    suffixes = PAGE_SUFFIXES

    def __init__(self, reviewed: ReviewedRounds, run: screen.ReviewRun, worst: int) -> None:
        super().__init__(
            screen.make_review_screen(reviewed.reviews, run, worst), screen.refuse_drawing
        )
        self._reviewed, self._run = reviewed, run
        self.errors = tuple(reviewed.errors)
        self.without_player = reviewed.without_player
        self.out_of_time = reviewed.out_of_time

    def describe_end(self) -> str | None:
        """Return a line on how far the review came; None if it came to the end."""
        return screen.describe_end(self._reviewed)

    def frame(self) -> pd.DataFrame:
        """Return one row per decision, in the order in which they were made.

        The columns are those of `by`, then `at`, `choice`, `best`, `loss_points` and
        `loss_win_share` with `_low` and `_high`, `mistake`, `exact`, `hindsight_loss_points`.  Null
        are the trick of a call, the contract where everybody passed and a result that is not known.
        """
        import pandas as pd

        hindsight_key = self._run.plan.unit.name_key("hindsight_loss_points")
        rows = [
            {column: read(grade) for column, read in GROUP_COLUMNS.items()}
            | {"place": name_places(played.rules.seats)[played.place_of(grade.decision.seat)]}
            | {"at": grade.decision.at, "choice": grade.decision.choice, "best": grade.best}
            | describe_estimate(grade.unit.name_key("loss_points"), grade.loss.cautious_points)
            | describe_estimate("loss_win_share", grade.loss.wins)
            | {"mistake": grade.mistake, "exact": grade.layouts is not None}
            | {hindsight_key: grade.hindsight.loss if grade.hindsight else math.nan}
            for grade in list_grades(self._reviewed.reviews)
            for played in [grade.decision.played]
        ]
        if not rows:
            return pd.DataFrame()
        seats = max(review.played.rules.seats for review in self._reviewed.reviews)
        frame = pd.DataFrame(rows).replace({"contract": "none", "result": "none"}, None)
        frame["trick"] = frame["trick"].astype("Int64").mask(frame["trick"] == 0)
        places = pd.CategoricalDtype([*name_places(seats)], ordered=True)
        return frame.astype({"place": places})

    @property
    def worst(self) -> tuple[str, ...]:
        """The decisions that lost most, in sentences."""
        return tuple(text.partition("\n")[0] for text, _ in self._screen.commands)

    def render(self, format: str) -> bytes:
        """Return the review in a format; JSON and pages have all decisions of all rounds."""
        if represent(format, str) not in ("json", "html"):
            return super().render(format)
        text = render_review(self._screen, self._run, self._reviewed.reviews)
        return text if format == "json" else make_review_page(text)

    def _list_lines(self) -> Sequence[str]:
        lines = super()._list_lines()
        return [*self.worst[:1], *lines]


# The JSON of a review: docs/review.md says what each key means.


def render_review(shown: Screen, run: screen.ReviewRun, reviews: Sequence[RoundReview]) -> bytes:
    """Return a review as JSON, with all decisions of all rounds."""
    review = {
        **run.to_dict(),
        "answer": list(shown.headline),
        "worst": [
            {"text": text.partition("\n")[0], "command": command}
            for text, command in shown.commands
        ],
        "evening": trace_results(reviews, run.confidence, run.plan.unit),
        "rounds": [describe_review(review, run) for review in reviews],
        "tables": [convert_table(table) for table in shown.tables],
    }
    return format_json(review, 1).encode() + b"\n"


def describe_review(review: RoundReview, run: screen.ReviewRun) -> dict[str, Any]:
    """Return a reviewed round as plain values."""
    played, grades, unit = review.played, review.grades, run.plan.unit
    continuation = screen.make_continuation(played, run)
    timeline = luck = None
    if review.start is not None:
        steps = [("start", review.start)]
        steps += [
            (grade.decision.at, grade.hindsight.values[grade.hindsight.choice])
            for grade in review.all_grades
            if grade.hindsight is not None
        ]
        timeline = [{"at": at, "values": values.tolist()} for at, values in steps]
    if review.parts is not None and review.team_parts is not None:
        luck = {
            "seats": [flatten(vars(parts), unit) for parts in review.parts],
            "teams": [flatten(vars(parts), unit) for parts in review.team_parts],
        }
    return {
        "file": None if played.file in ("-", "FILE") else played.file,
        "line": played.line,
        "title": run.name_round(played),
        "result": played.score and played.score.result,
        "scores": played.score and played.score.scores,
        "scores_after": played.scores_after,
        "record": msgspec.to_builtins(played.source),
        "players": [
            {
                "seat": seat,
                "place": played.place_of(seat),
                "name": played.names[seat],
                "label": played.seat_names.describe(seat),
                "team": played.teams[seat],
                "role": played.describe_role(seat),
            }
            for seat in range(played.rules.seats)
        ],
        "decisions": [describe_grade(grade, run, continuation) for grade in grades],
        "worst": [grade.decision.number for grade in sort_worst(grades)],
        "open_hands": screen.write_open_hands(review),
        "timeline": timeline,
        "luck": luck,
        "totals": {
            "seats": [flatten(vars(total), unit) for total in review.totals],
            "teams": [flatten(vars(total), unit) for total in review.team_totals],
        },
        "skipped": [
            *({"at": at, "reason": reason} for at, _, reason in played.skipped),
            *({"at": grade.decision.at, "reason": screen.RARE_BIDS} for grade in review.uncounted),
            *({"at": decision.at, "reason": screen.OUT_OF_TIME} for decision in review.ungraded),
        ],
    }


def flatten(values: Mapping[str, Any], unit: Unit) -> dict[str, Any]:
    """Return values with three keys for an estimate: NAME, NAME_low and NAME_high.

    What is not finite is None, which JSON has.
    """
    plain: dict[str, Any] = {}
    for name, value in values.items():
        name = unit.name_key(name)
        if isinstance(value, Estimate):
            for end, number in zip(("", "_low", "_high"), value[:3], strict=True):
                plain[name + end] = float(number) if math.isfinite(number) else None
        else:
            plain[name] = value
    return plain


def describe_grade(
    grade: Grade, run: screen.ReviewRun, continuation: Continuation
) -> dict[str, Any]:
    """Return a graded decision as plain values."""
    decision, hindsight, played = grade.decision, grade.hindsight, grade.decision.played
    lines = [
        [
            {"leader": trick.leader, "cards": [*map(str, trick.cards)], "winner": trick.winner}
            for trick in tricks
        ]
        for _, tricks in screen.list_lines(grade, continuation)
    ] or None
    return flatten(
        {
            "number": decision.number,
            "at": decision.at,
            "seat": decision.seat,
            "place": played.place_of(decision.seat),
            "team": played.teams[decision.seat],
            "role": GROUP_COLUMNS["role"](grade),
            "kind": decision.kind,
            "trick": decision.trick,
            "choice": decision.choice,
            "best": grade.best,
            "reference_choice": grade.reference_choice,
            "options": [
                flatten(
                    {
                        "name": option.name,
                        "value": option.value,
                        "win_share": option.win,
                        "n": option.value.observations,
                        "hindsight_value": grade.look_back(option.name),
                        "open_value": None
                        if hindsight is None or hindsight.exact is None
                        else float(hindsight.exact[grade.names.index(option.name)]),
                    },
                    grade.unit,
                )
                for option in grade.options
            ],
            "loss_points": grade.loss.cautious_points,
            "loss_win_share": grade.loss.wins,
            "large_loss_share": grade.loss.large,
            "p_value": grade.loss.points.p_value,
            "mistake": grade.mistake,
            "exact": grade.layouts is not None,
            "layouts": grade.layouts,
            "n": grade.loss.points.observations,
            "effective_n": grade.effective_deals,
            "ignores_calls": grade.ignores_calls,
            "effect_points": grade.effect,
            "hindsight_loss_points": hindsight and hindsight.loss,
            "hindsight_best": hindsight and grade.names[hindsight.best],
            "hindsight_effect_points": hindsight and float(hindsight.change[hindsight.team]),
            "outcome": grade.outcome,
            "lines": lines and dict(zip(("choice", "best"), lines, strict=True)),
            "reason": screen.explain_best(grade),
            "hidden": grade.whereabouts
            and [
                {"card": str(card), "places": [flatten(it._asdict(), grade.unit) for it in places]}
                for card, places in screen.list_key_hidden(grade, run.confidence)
            ],
            "command": screen.make_command(grade, run),
        },
        grade.unit,
    )
