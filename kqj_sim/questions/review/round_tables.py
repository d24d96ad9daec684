"""Tables of one reviewed round: what each player lost, luck and skill, every option."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kqj_sim.output.sentences import say
from kqj_sim.questions.review.rounds import Parts, RoundReview, Total
from kqj_sim.stats.intervals import Estimate, make_count
from kqj_sim.stats.tables import Table, TableRow

if TYPE_CHECKING:
    from kqj_sim.questions.review.reviewed_decisions import ReviewedDecision


def make_round_tables(
    review: RoundReview, decisions: Sequence[ReviewedDecision], confidence: float, game: str
) -> list[Table]:
    """Return what each player lost, and luck and skill of each side and seat."""
    played = review.played
    outcomes = Counter((each.grade.decision.seat, each.outcome) for each in decisions)
    rows: list[TableRow] = []
    for total in sorted(review.totals, key=lambda each: played.place_of(each.seat or 0)):
        if total.seat not in review.seats or total.seat is None:
            continue
        name, role = played.seat_names.describe(total.seat), played.describe_role(total.seat)
        group = total.seat, name, role or ""
        rows += _list_total(group, total, confidence)
        if not outcomes[total.seat, "unknown"]:
            for outcome, quantity in (("lucky", "lucky"), ("bad luck", "bad_luck")):
                rows.append((group, quantity, make_count(outcomes[total.seat, outcome])))
    tables = [
        Table(
            "seats", "What each player lost", ("seat", "label", "role"), rows,
            say(__name__, "luck_note"), counted=False, game=game,
        )
    ]  # fmt: skip
    if review.parts is not None and review.team_parts is not None:
        seats = [
            row for each in review.parts for row in _list_parts((each.seat or 0,), each, confidence)
        ]
        teams = [
            row
            for each in review.team_parts
            for row in _list_parts((each.team, played.name_side(each.team)), each, confidence)
        ]
        note = say(__name__, "parts_note")
        tables += [
            Table(
                "team_parts", "Luck and skill of each side", ("team", "labels"), teams, note,
                counted=False, game=game,
            ),
            Table(
                "parts", "Luck and skill of each seat", ("seat",), seats, note,
                counted=False, game=game,
            ),
        ]  # fmt: skip
    return tables


def _list_total(group: tuple[int, str, str], total: Total, confidence: float) -> Iterator[TableRow]:
    yield group, "decisions", make_count(total.decisions)
    yield group, "mistakes", make_count(total.mistakes)
    yield group, "loss_points", total.points.estimate(confidence)
    yield group, "loss_win_share", total.wins.estimate(confidence)
    if total.accuracy is not None:
        accuracy = Estimate(total.accuracy, math.nan, math.nan, total.decisions)
        yield group, "accuracy_share", accuracy
    if total.hindsight_loss is not None:
        hindsight = Estimate(total.hindsight_loss, math.nan, math.nan, total.decisions)
        yield group, "hindsight_loss_points", hindsight


def _list_parts(
    group: tuple[int] | tuple[int, str], parts: Parts, confidence: float
) -> Iterator[TableRow]:
    def exact(value: float) -> Estimate:
        return Estimate(value, math.nan, math.nan, 1)

    yield group, "result", exact(parts.result)
    yield group, "average", parts.average.estimate(confidence)
    yield group, "deal_luck", exact(parts.deal_luck)
    yield group, "own_decisions", parts.own_decisions.estimate(confidence)
    yield group, "own_luck", exact(parts.own_luck)
    yield group, "others_decisions", exact(parts.others_decisions)
    yield group, "remainder", exact(parts.remainder)


def make_option_table(decisions: Sequence[ReviewedDecision], confidence: float, game: str) -> Table:
    """Return the value of every option of every decision."""
    rows: list[TableRow] = []
    for each in decisions:
        for option in each.grade.options:
            group = (each.grade.decision.at, option.name)
            rows.append((group, "value", option.value.estimate(confidence)))
            rows.append((group, "win_share", option.win.estimate(confidence)))
    return Table("options", "Every option", ("at", "option"), rows, counted=False, game=game)
