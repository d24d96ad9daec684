"""Reports of reviews: the run, its tables, the worst decisions in words, and the JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from kqj_sim.cards import Card, parse_card, parse_cards
from kqj_sim.messages import format_json, shell_join
from kqj_sim.output.card_reasons import compare_cards
from kqj_sim.output.excerpts import Excerpt
from kqj_sim.output.formats import convert_table
from kqj_sim.output.run import Report
from kqj_sim.output.sentences import say
from kqj_sim.policies.players import Player, parse_player
from kqj_sim.positions.estimator import make_sampler
from kqj_sim.positions.position import Position
from kqj_sim.positions.sampling import EstimatePlan, derive_keys
from kqj_sim.questions.review.cross_fitting import LARGE_LOSS
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import derive_seed
from kqj_sim.questions.review.play import ReviewRun
from kqj_sim.questions.review.reviewed_decisions import ReviewedDecision, list_decisions, sort_worst
from kqj_sim.questions.review.rounds import Hindsight, Parts, RoundReview, Total
from kqj_sim.questions.review.tables import (
    OUTCOMES,
    estimate_decision_loss,
    make_review_tables,
)
from kqj_sim.referee.trick import PlayedTrick
from kqj_sim.stats.intervals import Estimate

if TYPE_CHECKING:
    from kqj_sim.questions.review.grading import Grade
    from kqj_sim.stats.tables import Table

# Reviewed decisions in sentences.

RARE_BIDS = "the reference player would hardly ever have bid as the others did"

OUT_OF_TIME = "out of time"
"""Why a decision is not graded that the limit of time left no deals for."""


def describe_player(played: RecordedRound, seat: int) -> str:
    """Return a player as a noun: `Cem`, `the opener`, `the 3rd`."""
    return played.seat_names.describe_noun(seat).removesuffix(" to speak")


def write_mistake(each: ReviewedDecision, confidence: float, several: bool) -> str:
    """Return a sentence on what a decision lost, with its line if there are `several` rounds."""
    played, line = each.review.played, each.review.played.line if several else 0
    who = describe_player(played, each.grade.decision.seat)
    loss = each.grade.loss.points.estimate(confidence)
    reason, outcome = explain_best(each.grade), each.outcome
    return say(__name__, "mistake", each.grade, who, line, loss, reason, outcome, LARGE_LOSS)


def list_lines(each: ReviewedDecision, going_on: Continuation) -> list[list[PlayedTrick]] | None:
    """Return how the round goes on after the choice and after the best card.

    None for a call, if a card was not known, or if nothing was lost.
    """
    grade = each.grade
    if each.hindsight is None or grade.decision.is_call or not grade.matters:
        return None
    cards = grade.decision.knowledge.referee.card_by_text
    return [
        going_on.list_tricks(grade.decision, cards[name])
        for name in (grade.decision.choice, grade.best)
    ]


def write_lines(each: ReviewedDecision, going_on: Continuation) -> list[str]:
    """Return the cards that follow the choice and the best card, with the result of each."""
    lines, names, hindsight = list_lines(each, going_on), each.grade.names, each.hindsight
    if lines is None or hindsight is None:
        return []
    place = len(each.grade.decision.knowledge.tricks[-1][1])
    written = []
    for name, tricks in zip((each.grade.decision.choice, each.grade.best), lines, strict=True):
        following = [tricks[0].cards[place + 1 :], *(trick.cards for trick in tricks[1:])]
        value = float(hindsight.values[names.index(name), hindsight.team])
        written.append(say(__name__, "line", name, [each for each in following if each], value))
    return written


def explain_best(grade: Grade) -> str:
    """Return a clause on what the best option does that the choice does not; may be empty."""
    decision, best = grade.decision, grade.best
    if best == decision.choice:
        return ""
    if decision.is_call:
        options = {option.name: option for option in grade.options}
        return say(__name__, "better_call", options[best], options[decision.choice])
    ranks = decision.knowledge.rules.ranks
    better, chosen = (parse_card(text, ranks=ranks) for text in (best, decision.choice))
    reason = compare_cards(decision.knowledge, better, chosen)
    return f"it {reason}" if reason else ""


def list_remarks(reviews: Sequence[RoundReview], ignore_calls: bool) -> list[str]:
    """Return sentences on what was not graded as usual."""
    lines = []
    ignored = sum(grade.ignores_calls for review in reviews for grade in review.grades)
    if ignored and not ignore_calls:
        lines.append(say(__name__, "ignored_calls", ignored))
    for count, what, reason in (
        (sum(len(each.uncounted) for each in reviews), "call", f", since {RARE_BIDS}"),
        (sum(len(each.ungraded) for each in reviews), "decision", f": {OUT_OF_TIME}"),
    ):
        if count:
            lines.append(say(__name__, "not_graded", count, what, reason))
    skipped = [(each.played, one.seat) for each in reviews for one in each.played.skipped]
    if skipped:
        names = dict.fromkeys(describe_player(played, seat) for played, seat in skipped)
        several = len(reviews) > 1
        lines.append(say(__name__, "cards_missing", len(skipped), [*names], several))
    return lines


# Continuations of a round: the reference player plays on at every seat, the cards as they are.


class Continuation:
    """Continuations of a round; cards asked for before are not asked for again.

    Args:
        played: the round, of which all hands are known.
        reference: the player who plays on; of one who chooses at random a single way to go on.
        seed: seed of the draws of such a player.
    """

    def __init__(self, played: RecordedRound, reference: Player, seed: int) -> None:
        hands, ranks = played.record.hands or (), played.rules.ranks
        self._hands = [parse_cards(" ".join(hand or ()), ranks=ranks) for hand in hands]
        self._players = [reference] * played.rules.seats
        self._plan = EstimatePlan(seed=derive_seed(seed, played.line))
        self._found: dict[tuple[Card, ...], Card] = {}

    def list_tricks(self, decision: Decision, card: Card) -> list[PlayedTrick]:
        """Return the tricks from that of a decision on, if this card is played there."""
        position = self._play(decision.knowledge, card)
        while not position.is_over:
            if position.plays not in self._found:
                self._found[position.plays] = self._choose(position)
            position = self._play(position, self._found[position.plays])
        # Each trick is led by the winner of the one before; the last one has no cards.
        tricks = position.tricks[decision.trick - 1 :]
        return [PlayedTrick(*trick, winner) for trick, (winner, _) in pairwise(tricks)]

    def _play(self, position: Position, card: Card) -> Position:
        """Return the position of the player after this card, who sees their own hand."""
        plays = (*position.plays, card)
        unknown = replace(position, plays=plays, hands=((),) * len(self._hands))
        if unknown.is_over:
            return unknown
        hands = [hand if seat == unknown.seat else () for seat, hand in enumerate(self._hands)]
        return replace(unknown, hands=tuple(hands))

    def _choose(self, position: Position) -> Card:
        legal = position.legal_cards
        if len(legal) == 1:
            return legal[0]
        sampler = make_sampler(position, self._players, self._plan, 0)
        (text,) = sampler.ask(derive_keys(self._plan.seed, 0, 1))
        return position.referee.card_by_text[text]


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

_LOSSES = ("loss_points_per_round", "mistakes_per_round", "loss_points_per_decision")


def make_review_report(reviews: Sequence[RoundReview], run: ReviewRun, worst: int) -> Report:
    """Return the report of reviewed rounds, with the `worst` decisions in words."""
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
    loss = _find_estimate(tables, "loss", "loss_points_per_round")
    mistakes = sum(each.grade.mistake for each in decisions)
    return [say(__name__, "losses", len(reviews), len(decisions), mistakes, loss)]


def _list_season_views(tables: Sequence[Table], by: Sequence[str]) -> list[Excerpt]:
    """Return the players, their luck, and the losses by trick and role, or the largest ones."""
    by_role = [Excerpt(f"loss_by_{column}", _LOSSES) for column in ("trick", "role")]
    return [*_OF_PLAYERS, *([_show_largest(tables, column) for column in by] or by_role)]


def _show_largest(tables: Sequence[Table], column: str) -> Excerpt:
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
    reference = parse_player(run.plan.reference, review.played.rules.game)
    return Continuation(review.played, reference, run.seed)


def _describe_lines(
    each: ReviewedDecision, going_on: Continuation
) -> dict[str, list[dict[str, Any]]] | None:
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
