"""Decisions of a review as a quiz: for the page (JSON), or as cards for Anki."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from typing import Any

from kqj_sim.cards import add_suit_signs, format_hand
from kqj_sim.errors import InputError
from kqj_sim.games import describe_rules, find_game
from kqj_sim.messages import capitalize, format_json
from kqj_sim.output.sentences import format_with_half, say
from kqj_sim.places import describe_place, name_places
from kqj_sim.positions.auction_state import format_call
from kqj_sim.positions.position import Position
from kqj_sim.questions.review import screen
from kqj_sim.questions.review.grading import POINTS, Grade
from kqj_sim.questions.review.play import RoundReview
from kqj_sim.questions.review.result import flatten
from kqj_sim.questions.review.tables import list_grades
from kqj_sim.web.make import write_link

QUIZ_SUFFIXES: Mapping[str, str] = {".json": "json", ".txt": "tab", ".tsv": "tab", ".csv": "comma"}
"""The separators of cards for Anki, as it calls them, by the suffix of the file."""


def make_quiz(reviews: Sequence[RoundReview], run: screen.ReviewRun, kind: str) -> bytes:
    """Return the quiz of reviewed rounds; `kind` is of `QUIZ_SUFFIXES`."""
    grades = pick_decisions(list_grades(reviews))
    if kind == "json":
        quiz = {
            "kind": "quiz",
            "reference": run.name_reference(run.rules.game),
            "unit": run.plan.unit.noun,
            "confidence": run.confidence,
            "questions": [describe_question(grade) for grade in grades],
        }
        return format_json(quiz, 1).encode() + b"\n"
    text = io.StringIO()
    text.write(f"#separator:{kind}\n#html:true\n#columns:Front{_SEPARATORS[kind]}Back\n")
    writer = csv.writer(text, delimiter=_SEPARATORS[kind], lineterminator="\n")
    writer.writerows((_write_front(grade), _write_back(grade)) for grade in grades)
    return text.getvalue().encode()


_SEPARATORS = {"tab": "\t", "comma": ","}


def pick_decisions(grades: Sequence[Grade]) -> list[Grade]:
    """Return the mistakes, and of each player as many good decisions, in order.

    With mistakes alone the answer would always be another than the obvious one.  Good ones are
    those whose choice is the best: first where the second option is shown to be worse, the closest
    ones first, as they are the hardest; then where it seems so, the farthest first.
    """
    by_player: dict[str, list[Grade]] = {}
    for grade in grades:
        name = grade.decision.played.names[grade.decision.seat]
        by_player.setdefault(name, []).append(grade)
    chosen: set[int] = set()
    for own in by_player.values():
        mistakes = [grade for grade in own if grade.mistake]
        good = sorted(filter(_is_good, own), key=_order_good)
        chosen |= {id(grade) for grade in (*mistakes, *good[: len(mistakes)])}
    return [grade for grade in grades if id(grade) in chosen]


def _compute_lead(grade: Grade) -> float:
    best, second = grade.options[:2]
    return best.value.value - second.value.value


def _is_good(grade: Grade) -> bool:
    return grade.decision.choice == grade.best and _compute_lead(grade) >= grade.unit.least


def _order_good(grade: Grade) -> tuple[bool, float]:
    best, second = grade.options[:2]
    is_shown = grade.layouts is not None or best.value.low > second.value.high
    return not is_shown, _compute_lead(grade) * (1 if is_shown else -1)


def describe_question(grade: Grade) -> dict[str, Any]:
    """Return a question as plain values: docs/review.md says what each key means."""
    decision, played = grade.decision, grade.decision.played
    try:
        link = write_link(played.rules, decision.knowledge.rotate_to_places())
    except InputError:  # The page does not know the rules, or the calls.
        link = None
    question = {
        "link": link,
        "player": played.names[decision.seat],
        "round": played.full_title,
        "at": decision.at,
        "kind": decision.kind,
        "choice": decision.choice,
        "best": grade.best,
        "mistake": grade.mistake,
        "loss": grade.loss.cautious_points,
        "reason": screen.explain_best(grade),
        "options": [
            flatten({"name": option.name, "value": option.value}, POINTS)
            for option in grade.options
        ],
    }
    return flatten(question, POINTS)


# Cards for Anki.


def _write_front(grade: Grade) -> str:
    """Return what the player knew, in lines of HTML, and the question."""
    position = grade.decision.knowledge.rotate_to_places()
    places = name_places(position.rules.seats)
    lines = [
        describe_rules(position.rules),
        f"You are {describe_place(position.place, position.rules.seats)}.",
        f"Your cards: {format_hand(position.hand, ranks=position.rules.ranks)}",
        *_list_facts(position, places),
        f"<b>{'What do you call?' if grade.decision.is_call else 'Which card?'}</b>",
    ]
    return "<br>".join(lines)


def _list_facts(position: Position, places: Sequence[str]) -> list[str]:
    lines = []
    if position.upcard is not None:
        name = find_game(position.rules.game).upcard_name
        lines.append(f"{capitalize(name)}: {add_suit_signs(str(position.upcard))}")
    calls = [f"{places[call.seat]}: {format_call(call)}" for call in position.calls or ()]
    if calls:
        lines.append(f"Calls: {add_suit_signs(', '.join(calls))}")
    for number, (leader, cards) in enumerate(position.tricks, start=1):
        if cards:
            played = add_suit_signs(" ".join(map(str, cards)))
            lines.append(f"Trick {number}, {places[leader]} leads: {played}")
    return lines


def _write_back(grade: Grade) -> str:
    """Return the best option, what was chosen and why it was worse, and all values."""
    decision, max_points = grade.decision, grade.decision.played.rules.max_points
    text = f"{decision.played.names[decision.seat]} chose it, too."
    if grade.mistake:
        text = screen.write_mistake(grade)
    best = say(screen.__name__, "option", grade.best, decision.is_call)
    options = (
        f"{say(screen.__name__, 'option', option.name, decision.is_call)}: "
        f"{format_with_half(option.value, max_points)}"
        for option in grade.options
    )
    lines = map(html.escape, [text, *options, decision.played.full_title])
    return "<br>".join([f"<b>{best}</b>", *lines])
