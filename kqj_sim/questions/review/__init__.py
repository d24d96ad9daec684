"""Questions about recorded rounds: `review`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from kqj_sim.arguments import (
    PoliciesLike,
    PolicyLike,
    RuleArguments,
    parse_imposed,
    parse_players,
    reject_both,
)
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS, read_number
from kqj_sim.plan import DEFAULT_ERROR_RATE
from kqj_sim.question import question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner
from kqj_sim.suffixes import FORMATS, PAGE_FORMATS, choose_by_suffix

if TYPE_CHECKING:
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.questions.review.decisions import RoundsLike
    from kqj_sim.questions.review.result import ReviewResult

DEFAULT_ROUNDS = 20

DEFAULT_SAMPLES = 1000
"""Deals that grade a decision on average, unless asked otherwise."""

MAX_SAMPLES = 1 << 16
"""The same where only the time is limited."""

FOR_PLAYED = "is for rounds that are played: leave it out, or give `policy`"

COUNTS_ROUNDS = "counts the rounds of `policy`; `samples` sets the deals that grade a decision"


def _list_tables(**_: Any) -> Mapping[str, str]:
    from kqj_sim.questions.review.tables import TABLES

    return TABLES


@question(
    arguments={"records": "[FILE]..."},
    output=("tables", "format", "out", "color", "quiet", "config"),
    workers=("threads",),
    list_tables=_list_tables,
    deals=OPTIONS["deals"]._replace(**read_number(1, "1000")),
    format=OPTIONS["format"]._replace(
        help=f"Write {', '.join(FORMATS)} or html.  [default: by --out, else table]",
        choices=PAGE_FORMATS,
    ),
    examples="""\
  kqj-sim review round.jsonl
  kqj-sim review friday.txt --out friday.html
  kqj-sim review evenings/ --by player,file
  kqj-sim review friday.txt --seat Ann --quiz ann.json
  kqj-sim review --policy standard --deals 100 --by trick,kind
""",
)
def review(
    records: RoundsLike | None = None,
    *,
    line: int | None = None,
    policy: PoliciesLike | None = None,
    deals: int | None = None,
    games: int | None = None,
    first: int = 0,
    impose: str | ImposedContract | None = None,
    reference: PolicyLike | None = None,
    grade: Literal["points", "games"] = "points",
    samples: int | None = None,
    time: float | None = None,
    seat: int | str | Sequence[int | str] | None = None,
    worst: int = 3,
    by: str | Sequence[str] = (),
    error_rate: float = DEFAULT_ERROR_RATE,
    ignore_calls: bool = False,
    ignore_plays: bool = False,
    hidden: bool = False,
    quiz: str | os.PathLike[str] | None = None,
    seed: int = 1,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> ReviewResult:
    """Grade recorded rounds: where were the points lost?

    Reviews the rounds of `records`, JSON or typed.  Each decision is graded on deals that agree
    with what the player knew; a mistake is marked only if the deals show it.  With `policy`, plays
    the rounds first.

    Args:
        records: a file of records, a folder of such files, a record, a `Round`, or several.
        line: review only the record on this line of the file.
        deals: with `policy`: play and review this many deals.  [default: 20]
        games: play this many whole games to the target instead of single deals.
        reference: let this policy finish every round.  [default: learned+network; standard in
            Kwajongen]
        grade: count losses in points, or in games won of 100, by the scores before each round.
        samples: sample this many deals for each decision, on average.  [default: 1000]
        seat: grade this player only: Ann or 3rd.
        hidden: say where the hidden cards that matter were thought to be, beside where they were.
        worst: describe this many of the worst decisions.
        by: group the losses by trick, role, kind, contract, player, seat, place, result, line,
            file or outcome.
        quiz: write mistakes and as many good decisions, all or those of `seat`, as questions: .json
            for the page, .txt, .tsv or .csv for Anki.

    Raises:
        ValueError: an argument is wrong, or no record can be reviewed; one line.

    >>> import kqj_sim as kqj
    >>> found = kqj.review(kqj.show(deal=3, policy="greedy"), samples=200)
    >>> bool(found.frame().mistake.any())
    True
    """
    if policy is None:
        if records is None:
            raise InputError("`records` is missing: name a file of records, or give `policy`")
        if deals is not None:
            raise InputError(f"`deals` {COUNTS_ROUNDS}")
        of_policies = {"games": games, "first": first, "impose": impose}
        for name, value in {**of_policies, "rules": rules != DEFAULT_RULES}.items():
            if value:
                raise InputError(f"`{name}` {FOR_PLAYED}")
    elif records is not None or line is not None:
        raise InputError("`records` and `policy`: give one of them")
    reject_both(deals=deals, games=games)
    from kqj_sim.output.files import OutputFile
    from kqj_sim.questions.review.decisions import list_rounds, play_rounds
    from kqj_sim.questions.review.grading import UNITS, GradePlan
    from kqj_sim.questions.review.play import review_rounds
    from kqj_sim.questions.review.quiz import QUIZ_SUFFIXES, make_quiz
    from kqj_sim.questions.review.result import ReviewResult
    from kqj_sim.questions.review.screen import make_review_run
    from kqj_sim.questions.review.tables import parse_columns
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats.equity import require_table_rules

    columns = parse_columns(by)
    if records is not None:
        rounds, count, source = list_rounds(records, line)
    else:
        if grade == "games":
            require_table_rules(rules)
            if games is None:
                raise InputError("`grade='games'` needs the scores of whole games: give `games`")
        imposed = parse_imposed(impose, rules)
        players = parse_players(policy, rules)
        number = deals or DEFAULT_ROUNDS
        experiment = Experiment(rules, players, number, seed, first, games=games, imposed=imposed)
        rounds, count, source = play_rounds(experiment)
    plan = GradePlan(
        deals=samples or (DEFAULT_SAMPLES if time is None else MAX_SAMPLES), time=time, seed=seed,
        confidence=confidence, reference=reference, unit=UNITS[grade], error_rate=error_rate,
        ignore_calls=ignore_calls, ignore_plays=ignore_plays, counts_hidden=hidden,
    )  # fmt: skip
    path = None if quiz is None else Path(quiz)
    kind = "" if path is None else choose_by_suffix(path, QUIZ_SUFFIXES)
    with OutputFile(path) if path is not None else nullcontext() as stream:
        reviewed = review_rounds(rounds, count, plan, seat, runner)
        run = make_review_run(reviewed, plan, source, rules, columns, played=records is None)
        if stream is not None:
            stream.write(make_quiz(reviewed.reviews, run, kind))
    return ReviewResult(reviewed, run, worst)
