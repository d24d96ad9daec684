"""Reports of reviews: the run, its tables, the worst decisions in words, and the JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from kqj_sim.messages import format_json, shell_join
from kqj_sim.output.excerpts import Excerpt
from kqj_sim.output.formats import convert_table
from kqj_sim.output.run import Report
from kqj_sim.output.sentences import say
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.review.play_on import Continuation
from kqj_sim.questions.review.reviewed_decisions import ReviewedDecision, list_decisions, sort_worst
from kqj_sim.questions.review.rounds import Hindsight, Parts, RoundReview, Total
from kqj_sim.questions.review.run import ReviewRun
from kqj_sim.questions.review.tables import (
    OUTCOMES,
    estimate_decision_loss,
    make_review_tables,
)
from kqj_sim.questions.review.words import (
    OUT_OF_TIME,
    RARE_BIDS,
    describe_player,
    explain_best,
    list_lines,
    list_remarks,
    write_lines,
    write_mistake,
)
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from kqj_sim.stats.tables import Table

_MOST_GROUPS = 10
"""Groups of --by that are shown, at most."""

_OF_ROUND = (
    Excerpt(
        "seats",
        (
            "mistakes", "lucky", "bad_luck", "loss_points", "loss_win_share", "accuracy_share",
        ),
        without=("seat",),
    ),
    Excerpt(
        "team_parts",
        (
            "average", "deal_luck", "own_decisions", "own_luck", "others_decisions", "remainder",
            "result",
        ),
        without=("team",),
    ),
)  # fmt: skip
"""What people see of a round."""

_OF_PLAYERS = (
    Excerpt(
        "players",
        (
            "rounds", "result_mean", "adjusted_mean", "loss_points_per_round", "mistakes_per_round",
            "accuracy_share",
        ),
    ),
    Excerpt("outcomes", tuple(OUTCOMES.values())),
)  # fmt: skip
"""What people see of the players of several rounds."""

_LOSSES = ("loss_points_per_round", "mistakes_per_round", "loss_points_per_decision")
"""What people see of a group of decisions."""


def make_review_report(reviews: Sequence[RoundReview], run: ReviewRun, worst: int) -> Report:
    """Return the report of reviewed rounds.

    Args:
        reviews: the rounds.
        run: the review.
        worst: number of decisions in words.
    """
    confidence = run.confidence or 0.95
    tables = make_review_tables(reviews, confidence, run.by)
    if not reviews:
        return Report(run, tables, [say(__name__, "nothing")])
    decisions = list_decisions(reviews)
    remarks = list_remarks(reviews, run.plan.ignore_calls)
    single = len(reviews) == 1
    headline = _write_round(reviews[0], confidence) if single else _write_rounds(
        reviews, tables, decisions
    )  # fmt: skip
    if not decisions:
        return Report(run, (), headline, remarks=remarks)
    passages = []
    for number, each in enumerate(sort_worst(decisions)[:worst]):
        lines = [write_mistake(each, confidence, len(reviews) > 1)]
        if number == 0:  # Those of more would not fit on a screen.
            lines += write_lines(each, _make_continuation(each.review, run))
        passages.append(("\n".join(lines), make_command(each, run)))
    views = _OF_ROUND if single else _list_season_views(tables, run.by)
    return Report(run, tables, headline, views, remarks=remarks, commands=passages)


def make_command(each: ReviewedDecision, run: ReviewRun) -> str:
    """Return the command that shows the options of a decision."""
    played = each.review.played
    words = ["kqj-sim", "odds", "--record"]
    before = ""
    if run.played:
        # A round that was played on the way is played again.
        number = getattr(played.source, "game_id", None)
        number = getattr(played.source, "deal", 0) if number is None else number
        before = f"{run.source.format(first=number)} | "
        line = (getattr(played.source, "round", None) or 0) + 1
        words += ["-", *(["--line", str(line)] if line > 1 else [])]
    else:
        words += [run.source if run.source != "-" else "FILE", "--line", str(played.line)]
    words += ["--at", each.grade.decision.at, "--policy", run.reference_name]
    if each.grade.ignores_calls:
        words.append("--ignore-calls")
    if run.plan.ignore_plays and not each.grade.decision.is_call:
        words.append("--ignore-plays")
    return before + shell_join(words)


def _write_round(review: RoundReview, confidence: float) -> list[str]:
    """Return the result of a round and who lost most, in sentences."""
    played, record = review.played, review.played.record
    lines = []
    result = getattr(played.source, "result", None)
    if record.sender is not None and record.contract is not None:
        winner, lead = None, 0.0
        if review.result is not None:
            scores = [float(each) for each in review.result]
            lead = max(scores)
            winner = played.name_side(scores.index(lead)) if lead > 0 else ""
        who = describe_player(played, record.sender)
        lines.append(say(__name__, "round", who, record, str(result), winner, lead))
    elif result == "passed_out":
        lines.append(say(__name__, "passed_out"))
    totals = [each for each in review.totals if each.seat in review.seats and each.decisions]
    decisions, mistakes = (
        sum(numbers)
        for numbers in (
            [each.decisions for each in totals], [each.mistakes for each in totals],
        )
    )  # fmt: skip
    who, lost = "", None
    if totals:
        most = max(totals, key=lambda each: each.points.value)
        assert most.seat is not None
        who, lost = describe_player(played, most.seat), most.points.estimate(confidence)
    return [*lines, say(__name__, "round_losses", decisions, mistakes, who, lost)]


def _find_table(tables: Sequence[Table], name: str) -> Table:
    return next(each for each in tables if each.name == name)


def _find_estimate(tables: Sequence[Table], name: str, quantity: str) -> Estimate:
    found = list(_find_table(tables, name).estimates(quantity).values())
    return found[0] if found else Estimate(math.nan, math.nan, math.nan, 0)


def _write_rounds(
    reviews: Sequence[RoundReview], tables: Sequence[Table], decisions: Sequence[ReviewedDecision]
) -> list[str]:
    """Return what was lost in several rounds, in sentences."""
    loss = _find_estimate(tables, "loss", "loss_points_per_round")
    mistakes = sum(each.grade.mistake for each in decisions)
    return [say(__name__, "losses", len(reviews), len(decisions), mistakes, loss)]


def _list_season_views(tables: Sequence[Table], by: Sequence[str]) -> list[Excerpt]:
    """Return the players, their luck, and the losses by trick and role, or the largest ones."""
    by_role = [Excerpt(f"loss_by_{column}", _LOSSES) for column in ("trick", "role")]
    return [*_OF_PLAYERS, *([_show_largest(tables, column) for column in by] or by_role)]


def _show_largest(tables: Sequence[Table], column: str) -> Excerpt:
    """Return the groups of a column that lost most, the largest loss first."""
    name = f"loss_by_{column}"
    groups = len(_find_table(tables, name).estimates(_LOSSES[0]))
    note = ""
    if groups > _MOST_GROUPS:
        note = say(__name__, "largest", _MOST_GROUPS, groups, name)
    quantities = (_LOSSES[0], "loss_share", *_LOSSES[1:])
    return Excerpt(name, quantities, note=note, most=_MOST_GROUPS, sorted_by=_LOSSES[0])


def render_review(report: Report, reviews: Sequence[RoundReview]) -> bytes:
    """Return a review as JSON, with all decisions of all rounds."""
    assert isinstance(report.run, ReviewRun)
    found = {
        **report.run.to_dict(),
        "answer": list(report.headline),
        "worst": [
            {"text": text.partition("\n")[0], "command": command}
            for text, command in report.commands
        ],
        "rounds": [describe_review(each, report.run) for each in reviews],
        "tables": [convert_table(table) for table in report.tables],
    }
    return format_json(found, 1).encode() + b"\n"


def describe_review(review: RoundReview, run: ReviewRun) -> dict[str, Any]:
    """Return a reviewed round as plain values: `docs/review.md`, "The JSON of a review"."""
    played, confidence = review.played, run.confidence or 0.95
    source = msgspec.to_builtins(played.source)
    decisions, going_on = list_decisions([review]), _make_continuation(review, run)
    timeline = None
    if review.start is not None:
        timeline = [{"at": "start", "values": [float(value) for value in review.start]}]
        timeline += [
            {
                "at": grade.decision.at,
                "values": [float(value) for value in hindsight.values[hindsight.choice]],
            }
            for grade, hindsight in review.all_decisions
            if hindsight is not None
        ]
    luck = None
    if review.parts is not None and review.team_parts is not None:
        luck = {
            "seats": [_describe_parts(each, confidence) for each in review.parts],
            "teams": [_describe_parts(each, confidence) for each in review.team_parts],
        }
    return {
        "line": played.line,
        "record": source,
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
        "decisions": [_describe_decision(each, run, going_on) for each in decisions],
        "worst": [each.grade.decision.number for each in sort_worst(decisions)],
        "timeline": timeline,
        "luck": luck,
        "totals": {
            "seats": [_describe_total(each, confidence) for each in review.totals],
            "teams": [_describe_total(each, confidence) for each in review.team_totals],
        },
        "skipped": [
            *({"at": each.at, "reason": each.reason} for each in played.skipped),
            *({"at": grade.decision.at, "reason": RARE_BIDS} for grade, _ in review.uncounted),
            *({"at": each.at, "reason": OUT_OF_TIME} for each in review.ungraded),
        ],
    }


def _put(name: str, estimate: Estimate) -> dict[str, float | None]:
    """Return a number and its bounds as three keys."""
    return {
        f"{name}{end}": float(number) if math.isfinite(number) else None
        for end, number in zip(("", "_low", "_high"), estimate[:3], strict=True)
    }


def _make_continuation(review: RoundReview, run: ReviewRun) -> Continuation:
    """Return how a round goes on after some card."""
    reference = parse_player(run.plan.reference, review.played.rules.game)
    return Continuation(review.played, reference, run.seed)


def _describe_lines(
    each: ReviewedDecision, going_on: Continuation
) -> dict[str, list[dict[str, Any]]] | None:
    """Return the tricks that follow the choice and the best card; None without a loss."""
    lines = list_lines(each, going_on)
    if lines is None:
        return None
    return {
        name: [
            {
                "leader": trick.leader,
                "cards": [str(card) for card in trick.cards],
                "winner": trick.winner,
            }
            for trick in tricks
        ]
        for name, tricks in zip(("choice", "best"), lines, strict=True)
    }


def _describe_decision(
    each: ReviewedDecision, run: ReviewRun, going_on: Continuation
) -> dict[str, Any]:
    grade, hindsight, played = each.grade, each.hindsight, each.review.played
    decision, confidence = grade.decision, run.confidence or 0.95
    names = grade.names

    def look_back(name: str) -> float | None:
        if hindsight is None:
            return None
        return float(hindsight.values[names.index(name), hindsight.team])

    role = "caller" if decision.is_call else played.describe_role(decision.seat)
    return {
        "number": decision.number,
        "at": decision.at,
        "seat": decision.seat,
        "place": played.place_of(decision.seat),
        "team": played.teams[decision.seat],
        "role": role,
        "kind": decision.kind,
        "trick": decision.trick,
        "choice": decision.choice,
        "best": grade.best,
        "reference_choice": grade.reference_choice,
        "options": [
            {
                "name": option.name,
                **_put("value", option.value.estimate(confidence)),
                **_put("win_share", option.win.estimate(confidence)),
                "n": option.value.observations,
                "hindsight_value": look_back(option.name),
            }
            for option in grade.options
        ],
        **_put("loss_points", estimate_decision_loss(grade, confidence)),
        **_put("loss_win_share", grade.loss.estimate_wins(confidence)),
        **_put("large_loss_share", grade.loss.large.estimate_share(confidence)),
        "p_value": grade.p_value,
        "mistake": grade.mistake,
        "exact": grade.layouts is not None,
        "layouts": grade.layouts,
        "n": grade.loss.points.observations,
        "effective_n": grade.effective_deals,
        "ignores_calls": grade.ignores_calls,
        **_put("effect_points", grade.effect.estimate(confidence)),
        **_describe_hindsight(hindsight, names),
        "outcome": each.outcome,
        "lines": _describe_lines(each, going_on),
        "reason": explain_best(grade),
        "command": make_command(each, run),
    }


def _describe_hindsight(hindsight: Hindsight | None, names: Sequence[str]) -> dict[str, Any]:
    if hindsight is None:
        return dict.fromkeys(("hindsight_loss_points", "hindsight_best", "hindsight_effect_points"))
    return {
        "hindsight_loss_points": hindsight.loss,
        "hindsight_best": names[hindsight.best],
        "hindsight_effect_points": float(hindsight.change[hindsight.team]),
    }


def _describe_parts(parts: Parts, confidence: float) -> dict[str, Any]:
    return {
        "seat": parts.seat,
        "team": parts.team,
        "result": parts.result,
        **_put("average", parts.average.estimate(confidence)),
        "deal_luck": parts.deal_luck,
        **_put("own_decisions", parts.own_decisions.estimate(confidence)),
        "own_luck": parts.own_luck,
        "others_decisions": parts.others_decisions,
        "remainder": parts.remainder,
    }


def _describe_total(total: Total, confidence: float) -> dict[str, Any]:
    return {
        "seat": total.seat,
        "team": total.team,
        "decisions": total.decisions,
        "mistakes": total.mistakes,
        **_put("loss_points", total.points.estimate(confidence)),
        **_put("loss_win_share", total.wins.estimate(confidence)),
        "hindsight_loss_points": total.hindsight_loss,
        "accuracy": total.accuracy,
    }
