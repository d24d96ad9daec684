"""Reviews: `review` and its result."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence, Sized
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Unpack

from kqj_sim.analysis.review.decisions import RecordedRound
from kqj_sim.analysis.review.reading import UnreadRound, list_rounds, prepare_round
from kqj_sim.analysis.review.tables import (
    GROUP_COLUMNS,
    ReviewedDecision,
    estimate_decision_loss,
    list_decisions,
)
from kqj_sim.analysis.tables import describe_estimate
from kqj_sim.api.review_run import (
    ReviewedRounds,
    ReviewOptions,
    make_records_command,
    make_run,
    run_review,
)
from kqj_sim.api.rounds import Round
from kqj_sim.api.simulate import make_experiment
from kqj_sim.arguments import (
    CONFIDENCE_RANGE,
    ArgumentError,
    Count,
    PoliciesLike,
    PolicyLike,
    RuleArguments,
    collect_rules,
    convert_policy,
    parse_argument,
    parse_count,
    parse_positive_number,
    parse_share,
    split_items,
)
from kqj_sim.messages import suggest
from kqj_sim.notation.files import ReadRound, find_round, is_notation, read_file
from kqj_sim.progress import ProgressLike
from kqj_sim.record import Record, RecordError
from kqj_sim.recording import play_records
from kqj_sim.reporting.figures import NothingToDrawError
from kqj_sim.reporting.formats import TABLE_SUFFIXES, choose_by_suffix
from kqj_sim.reporting.review import WORST, ReviewRun, make_review_report, render_review
from kqj_sim.results import Result, save_file
from kqj_sim.run_scope import run_scope
from kqj_sim.text_files import open_lines

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.experiment import Experiment
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.reporting.figures import Drawing
    from kqj_sim.rules import GameRules

DEFAULT_ROUNDS = 20
"""Rounds of a policy that are reviewed, unless asked otherwise."""


class ReviewResult(Result):
    """The result of `review`: every decision with what it lost.

    Attributes:
        errors: line and text of records that could not be reviewed.

    Example:
        >>> import kqj_sim as kqj
        >>> found = kqj.review(kqj.play(deal=3, policy="greedy"), samples=50)
        >>> len(found.frame()) > 20, list(found.errors)
        (True, [])
    """

    kind: ClassVar[str] = "review"

    def __init__(self, found: ReviewedRounds, run: ReviewRun, worst: int) -> None:
        super().__init__(make_review_report(found.reviews, run, worst))
        self._found = found
        self._confidence = run.confidence or 0.95
        self.errors = tuple(found.errors)

    def frame(self) -> pd.DataFrame:
        """Return one row per decision, in the order in which they were made.

        The columns are those of `--by`, then `at`, `choice`, `best`, `loss_points` and
        `loss_win_share` with `_low` and `_high`, `mistake`, `exact`, `hindsight_loss_points`.
        """
        import pandas as pd

        return pd.DataFrame(
            [self._describe(each) for each in list_decisions(self._found.reviews)],
        )

    def _describe(self, each: ReviewedDecision) -> dict[str, object]:
        grade = each.grade
        points = estimate_decision_loss(grade, self._confidence)
        wins = grade.loss.wins.estimate(self._confidence)
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
        return tuple(sentence for sentence, _ in self._report.passages)

    def to_json(self) -> str:
        """Return the rounds, decisions and tables as JSON, as the command's --format json."""
        return render_review(self._report, self._found.reviews, "json").decode()

    def save(self, path: str | Path) -> None:
        """Write the review to a .html, .txt, .csv, .json, .md or .parquet file.

        Raises:
            FormatError: the suffix stands for no format.
        """
        format = choose_by_suffix(path, {**TABLE_SUFFIXES, ".html": "html"})
        save_file(path, render_review(self._report, self._found.reviews, format))

    def _list_lines(self) -> Sequence[str]:
        lines = super()._list_lines()
        return [*self.worst[:1], *lines]

    def make_drawing(self) -> Drawing:
        """Return the picture; raise NothingToDrawError if there is none."""
        raise NothingToDrawError("a review has no picture; save it to a page")


RecordsLike = Record | Round | str | os.PathLike[str] | Iterable[Record]


@run_scope()
def review(
    records: RecordsLike | None = None,
    *,
    line: int | None = None,
    policy: PoliciesLike | None = None,
    deals: Count | None = None,
    games: Count | None = None,
    first: Count = 0,
    impose: str | ImposedContract | None = None,
    reference: PolicyLike | None = None,
    samples: Count | None = None,
    time: float | None = None,
    seat: int | str | Iterable[int | str] | None = None,
    worst: Count = WORST,
    by: str | Iterable[str] = (),
    ignore_calls: bool = False,
    ignore_plays: bool = False,
    seed: Count = 1,
    threads: Count | None = None,
    confidence: float | str = 0.95,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> ReviewResult:
    """Grade every decision of recorded rounds, as `kqj-sim review`.

    Args:
        records: records: a record, a `Round`, several records, or a file of them.
        line: review only this line of the file.
        policy: play and review rounds of this policy, in place of `records`.
        deals: with `records` the deals that grade a decision on average, by default 1,000; with
            `policy` the number of rounds, by default 20.
        games: with `policy`, the number of whole games instead.
        first: with `policy`, the number of the first deal.
        impose: with `policy`, a Sender's place and contract that are played without calls.
        reference: the player who plays every round on; the default player unless given.
        samples: the deals that grade a decision on average.
        time: stop after this many seconds.
        seat: grade only the decisions of this player, or of these: by name, place ("opener") or
            number of the seat; a text may name several, "Ann, opener".
        worst: number of the worst decisions that are described.
        by: group the losses by these columns, such as "trick,kind".
        ignore_calls: True for hidden cards that need not agree with the calls.
        ignore_plays: True for hidden cards that are not weighed by the cards played.
        seed: seed of the deals, played and sampled.
        threads: number of threads; None for all processors.
        confidence: confidence level of the intervals.
        progress: True for a line on stderr, or a function of the finished and of all steps.
        rules: with `policy`, the rules, in place of their fields.
        fields: with `policy`, fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong, or no record can be reviewed; one line.

    >>> import kqj_sim as kqj
    >>> found = kqj.review(kqj.play(deal=3, policy="greedy"), samples=200)
    >>> bool(found.frame().mistake.any())
    True
    """
    level = parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE)
    sampled = parse_count("samples", samples, 1, "1e4")
    given = parse_count("deals", deals, 1, "1000")
    columns = parse_columns(by)
    if (records is None) == (policy is None):
        raise ArgumentError("records and policy: give one of them")
    if policy is None:
        if rules is not None or fields or games is not None or impose is not None or first:
            raise ArgumentError("rules, games, first and impose are for policy: leave them out")
        sampled, given = sampled or given, None
    seats = None if seat is None else _list_seats(seat)
    options = ReviewOptions(
        None if reference is None else convert_policy(reference), sampled,
        None if time is None else parse_argument("time", parse_positive_number, time),
        parse_count("seed", seed, 0, "1") or 0, level, parse_count("threads", threads, 1, "2"),
        ignore_calls, ignore_plays, seats,
    )  # fmt: skip
    if policy is not None:
        experiment = make_experiment(
            collect_rules(rules, fields, "review"), policy, impose, seed, first,
            deals=given or DEFAULT_ROUNDS, games=parse_count("games", games, 1, "10"),
        )  # fmt: skip
        rounds = play_reviewed_rounds(experiment)
        count = count_played_rounds(experiment)
        source = make_records_command(experiment)
    else:
        assert records is not None
        rounds, count, source = _list_records(records, parse_count("line", line, 1, "12"))
    described = parse_count("worst", worst, 0, "5") or 0
    found = run_review(rounds, count, options, progress)
    if not found.reviews and found.errors:
        number, text = found.errors[0]
        raise RecordError(f"{source}:{number}: {text}")
    return ReviewResult(
        found, make_run(found, options, source, columns, policy is not None), described
    )


def _list_seats(seat: int | str | Iterable[int | str]) -> tuple[int | str, ...]:
    """Return what names the seats, one by one; names may hold blanks."""
    parts = [seat] if isinstance(seat, int | str) else seat
    return tuple(
        name
        for part in parts
        for name in ([part] if isinstance(part, int) else re.split(r"\s*,\s*", part.strip()))
    )


def parse_columns(by: str | Iterable[str]) -> tuple[str, ...]:
    """Return the columns of `--by`; raise ArgumentError if one does not exist."""
    names = split_items(by)
    for name in names:
        if name not in GROUP_COLUMNS:
            hint = suggest(name, GROUP_COLUMNS) or f"there are {', '.join(GROUP_COLUMNS)}"
            raise ArgumentError(f"--by {name}: there is no such column; {hint}")
    return tuple(dict.fromkeys(names))


def play_reviewed_rounds(experiment: Experiment) -> Iterator[UnreadRound]:
    """Play the rounds of an experiment; yield them with their numbers, from 1."""
    for number, record in enumerate(play_records(experiment), start=1):
        yield number, partial(RecordedRound, record, number, experiment.policies)


def count_played_rounds(experiment: Experiment) -> int | None:
    """Return the number of rounds of an experiment; None for whole games."""
    return None if experiment.games is not None else experiment.deals


def _list_records(
    records: RecordsLike, line: int | None
) -> tuple[Iterator[UnreadRound], int | None, str]:
    """Return the rounds with their lines, their number if known, and the name of the file."""
    if isinstance(records, Round):
        records = records.record
    if isinstance(records, Record):
        prepared = prepare_round(records)
        return iter([(1, lambda: prepared)]), 1, "FILE"
    if isinstance(records, (str, os.PathLike)):
        return _read_path(records, line), count_rounds(records, line), str(records)
    rounds = (
        (number, partial(_prepare, record, number)) for number, record in enumerate(records, 1)
    )
    return rounds, len(records) if isinstance(records, Sized) else None, "FILE"


def _read_path(path: str | os.PathLike[str], line: int | None) -> Iterator[UnreadRound]:
    with open_lines(path) as lines:
        yield from read_review_rounds(lines, line)


def count_rounds(path: str | os.PathLike[str], line: int | None) -> int | None:
    """Return the number of rounds of a file of JSON Lines, or 1 for those of a line.

    It is None where it is not known before all is read, as of stdin or of typed rounds.
    """
    if line is not None:
        return 1
    if not os.path.isfile(path):
        return None
    with open_lines(path) as lines:
        texts = (each for each in lines if each.strip())
        first = next(texts, b"")
        return None if is_notation(first) else 1 + sum(1 for _ in texts)


def read_review_rounds(lines: Iterable[bytes], line: int | None) -> Iterator[UnreadRound]:
    """Yield the rounds of a file, JSON or typed, or that of one line, as they are read.

    Raises:
        ArgumentError: there is no round on the line.
    """
    rest = iter(lines)
    start: list[bytes] = []
    for text in rest:
        start.append(text)
        if text.strip():
            break
    content = chain(start, rest)
    if not is_notation(b"".join(start)):
        rounds = list_rounds(content if line is None else islice(content, line))
        if line is not None:
            rounds = (each for each in rounds if each[0] == line)
    elif line is None:
        rounds = ((at, partial(_prepare, record, at)) for at, record in read_file(content))
    else:
        typed = list(content)
        found = find_round(typed, line) if line <= len(typed) else None
        known = [] if found is None else [found]
        rounds = iter([(each.line, partial(_prepare, each.record, each.line)) for each in known])
    first = next(rounds, None)
    if first is None:
        if line is not None:
            raise ArgumentError(f"--line {line}: there is no record on that line")
        return
    yield first
    yield from rounds


def _prepare(record: ReadRound, line: int) -> RecordedRound | str:
    """Return the round of a record, or one line that says what is wrong with it."""
    if isinstance(record, RecordError):
        return str(record)
    try:
        return prepare_round(record, line)
    except ValueError as error:
        return str(error)
