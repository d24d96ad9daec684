"""Questions about single rounds: play, write, show and check them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack, cast

from kqj_sim.arguments import PoliciesLike, RuleArguments, parse_players, reject_both
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS
from kqj_sim.question import question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from rich.console import RenderableType

    from kqj_sim.imposed import ImposedContract
    from kqj_sim.notation.files import RecordsLike
    from kqj_sim.questions.records.result import CheckResult, Records, Round


@question(
    output=("format", "out", "quiet", "config"),
    workers=(),
    format=OPTIONS["format"]._replace(
        choices=("json", "text"),
        help="Write json, or text as people type it.  [default: text for --out NAME.txt, else "
        "json]",
    ),
    out=OPTIONS["out"]._replace(help="Write the records to this file instead of stdout."),
    examples="""\
  kqj-sim records --deals 1000 --out rounds.jsonl
  kqj-sim records --games 10 --teams 3 --policy greedy | kqj-sim check -
  kqj-sim records --from friday.txt --out friday.jsonl
  kqj-sim records --from rounds.jsonl --format text
""",
)
def records(
    *,
    deals: int | None = None,
    games: int | None = None,
    source: str | os.PathLike[str] | None = None,
    policy: PoliciesLike | None = None,
    impose: str | ImposedContract | None = None,
    seed: int = 1,
    first: int = 0,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> Records:
    """Play deals and write each round as a line of JSON.

    A record holds the whole round: cards, calls, tricks, points and scores.  With --from, the
    rounds of a file are converted instead.

    Args:
        deals: play this many deals.  [default: 10]
        games: play this many whole games to the target instead of single deals.
        source: convert the rounds of this file, JSON or typed, instead of playing (- for stdin).

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.
        RecordError: a round of the file is not known in full, or the file has none.
        OSError: the file cannot be read.

    >>> import kqj_sim as kqj
    >>> rounds = kqj.records(deals=3, policy="greedy")
    >>> [record.deal for record in rounds]
    [0, 1, 2]
    """
    for played in ({"deals": deals}, {"games": games}, {"policy": policy}, {"impose": impose}):
        reject_both(source=source, **played)
    from kqj_sim.questions.records.result import Records
    from kqj_sim.questions.records.rounds import iterate_records, watch_rounds

    rounds = iterate_records(deals, games, source, policy, impose, seed, first, rules)
    if source is not None:
        return Records(list(rounds))
    return Records(list(watch_rounds(rounds, deals, games, runner)), runner.interrupted)


@question()
def play(
    *,
    deal: int = 0,
    seed: int = 1,
    policy: PoliciesLike | None = None,
    impose: str | ImposedContract | None = None,
    rules: GameRules = DEFAULT_RULES,
    **fields: Unpack[RuleArguments],
) -> Round:
    """Play one round, as `kqj-sim show` does.

    Args:
        deal: number of the deal.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> round = kqj.play(deal=5, policy="standard")
    >>> round.record.deal, len(round.record.tricks)
    (5, 8)
    """
    from kqj_sim.questions.records.result import Round
    from kqj_sim.questions.records.rounds import iterate_records

    return Round(next(iterate_records(1, None, None, policy, impose, seed, deal, rules)))


@question(
    arguments={"file": "[FILE]"},
    output=("color", "quiet", "config"),
    workers=(),
    examples="""\
  kqj-sim show --deal 4183
  kqj-sim show rounds.jsonl --line 12
  kqj-sim show friday.txt
  kqj-sim show --deal 4183 --seed 7 --bidding auction --policy greedy
  kqj-sim show --deal 74 --policy standard:take=45 --against standard
""",
)
def show(
    file: str | None = None,
    *,
    line: int | None = None,
    deal: int = 0,
    against: str | None = None,
    opponents: str | None = None,
    policy: Sequence[str] = (),
    impose: str | None = None,
    seed: int = 1,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
) -> tuple[Sequence[RenderableType], Sequence[str]]:
    """Show one round: hands, calls, tricks, points and scores.

    Plays the deal that --seed and --deal name, or shows a record of FILE (- for stdin).  With
    --against, each different outcome of the deal is shown, side by side where there is room.

    Args:
        file: a file of records.
        line: show the record on this line of FILE.  [default: 1]
        deal: show the deal of this number.
        against: play --policy against this policy, with the sides exchanged as in `kqj-sim
            compare`.
        opponents: with --against: seat this policy on the other sides instead.

    Returns:
        The round for a screen, and what it has against the rules.  Python has `play` and
        `records(source=...)` instead.
    """
    if opponents is not None and against is None:
        raise InputError("--opponents is for --against: name who is compared")
    if file is None and line is not None:
        raise InputError("--line is for a FILE of records: name the file")
    if against is not None and (len(policy) != 1 or policy[0].startswith(("team", "seat"))):
        raise InputError("--against needs --policy SPEC, one policy for the whole side")
    reject_both(against=against, impose=impose)
    from kqj_sim.questions.records.rounds import iterate_records
    from kqj_sim.questions.records.screen import play_versions, render_checked, render_file

    if file is not None:
        return render_file(file, line or 1)
    from kqj_sim.policies.players import parse_player

    with runner:
        if against is not None:
            sides = parse_player(policy[0], rules.game), parse_player(against, rules.game)
            field = None if opponents is None else parse_player(opponents, rules.game)
            return play_versions(sides, field, rules, seed, deal), ()
        record = next(iterate_records(1, None, None, policy or None, impose, seed, deal, rules))
        names = [player.given for player in parse_players(policy or None, rules)]
        return render_checked(record, names)


@question(
    arguments={"records": "FILE..."},
    output=("quiet",),
    examples="""\
  kqj-sim check rounds.jsonl
  kqj-sim records --deals 1000 | kqj-sim check -
  kqj-sim check --replay rounds.jsonl
  kqj-sim check --replay --allow my_policy.py rounds.jsonl
""",
)
def check(
    records: RecordsLike,
    *,
    replay: bool = False,
    allow: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> CheckResult:
    """Check recorded rounds against an independent referee.

    Prints each discrepancy with its file and line; the exit status is 1 if there are any.  The
    referee finds whatever the rules do not allow; --replay also finds a changed seed, deal or
    player.

    Args:
        records: a record, a `Round`, several records, or the path of a file of records; the command
            takes several files.
        replay: play each round again, too, and compare.
        allow: with --replay, run this policy file where a record names it; no other is read.

    Raises:
        OSError: the file cannot be read.
        InputError: these are no records, or there are none.

    >>> import kqj_sim as kqj
    >>> kqj.check(kqj.records(deals=20, policy="standard")).ok
    True
    """
    from kqj_sim.notation.files import open_rounds
    from kqj_sim.questions.records.result import CheckResult
    from kqj_sim.questions.records.rounds import RecordCheck

    checked = RecordCheck(replay, cast("list[str]", allow))
    with open_rounds(records) as rounds:
        discrepancies = list(checked.check_rounds(rounds))
    return CheckResult(discrepancies, list(checked.summarise()))
