"""Questions about single rounds: play, write, show and check them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from kqj_sim.arguments import (
    PoliciesLike,
    PolicyLike,
    RuleArguments,
    name_policy,
    parse_argument,
    parse_path,
    parse_players,
    reject_both,
)
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS
from kqj_sim.question import question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
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

    A record holds the whole round: cards, calls, tricks, points and scores.  With `source`,
    the rounds of a file are converted instead.

    Args:
        deals: play this many deals.  [default: 10]
        games: play this many whole games to the target instead of single deals.
        source: convert the rounds of this file, JSON or typed, instead of playing.

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
    file: str | os.PathLike[str] | None = None,
    *,
    line: int | None = None,
    deal: int = 0,
    against: PolicyLike | None = None,
    opponents: PolicyLike | None = None,
    policy: PoliciesLike | None = None,
    impose: str | ImposedContract | None = None,
    seed: int = 1,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> Round:
    """Show one round: hands, calls, tricks, points and scores.

    Plays the deal that `seed` and `deal` name, or shows a record of `file`.  With `against`, each
    different outcome of the deal is shown, side by side where there is room.

    Args:
        file: a file of records.
        line: show the record on this line of the file.  [default: 1]
        deal: show the deal with this number.
        against: play `policy` against this policy, with the sides exchanged as in
            `kqj.compare()`.
        opponents: with `against`: seat this policy on the other sides instead.

    Raises:
        ValueError: an argument is wrong, or the file has no such record; one line.
        OSError: the file cannot be read.

    >>> import kqj_sim as kqj
    >>> round = kqj.show(deal=5, policy="standard")
    >>> round.record.deal, len(round.record.tricks)
    (5, 8)
    """
    if opponents is not None and against is None:
        raise InputError("`opponents` is for `against`: name who is compared")
    if file is None and line is not None:
        raise InputError("`line` is for a `file` of records: name the file")
    for played in ({"policy": policy}, {"against": against}, {"impose": impose}):
        reject_both(file=file, **played)
    reject_both(against=against, impose=impose)
    from kqj_sim.notation.files import read_round_on
    from kqj_sim.questions.records.result import Round
    from kqj_sim.questions.records.rounds import iterate_records
    from kqj_sim.questions.records.screen import play_versions

    if file is not None:
        record, title = read_round_on(parse_argument("file", parse_path, file), line or 1)
        return Round(record, title=title)
    from kqj_sim.policies.players import parse_player

    with runner:
        if against is not None:
            sides = parse_player(_get_only(policy), rules.game), parse_player(against, rules.game)
            field = None if opponents is None else parse_player(opponents, rules.game)
            parts, versions = play_versions(sides, field, rules, seed, deal)
            return Round(versions[0], parts=parts, versions=versions)
        record = next(iterate_records(1, None, None, policy, impose, seed, deal, rules))
        return Round(record, [player.given for player in parse_players(policy, rules)])


def _get_only(policy: PoliciesLike | None) -> PolicyLike:
    """Return the policy of a whole side; raise InputError if there is none, or are several."""
    only: Any = policy[0] if isinstance(policy, list | tuple) and len(policy) == 1 else policy
    is_table = isinstance(only, Mapping | list | tuple | None)
    if is_table or name_policy(only).startswith(("team", "seat")):
        raise InputError("`against` needs `policy=SPEC`, one policy for the whole side")
    return cast("PolicyLike", only)


@question(
    arguments={"records": "FILE..."},
    output=("quiet",),
    examples="""\
  kqj-sim check rounds.jsonl
  kqj-sim records --deals 1000 | kqj-sim check -
  kqj-sim check --replay rounds.jsonl
  kqj-sim check --replay --allow my_policy.py rounds.jsonl

Prints each discrepancy with its file and line; the exit status is 1 if there are any.
""",
)
def check(
    records: RecordsLike,
    *,
    replay: bool = False,
    allow: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> CheckResult:
    """Check recorded rounds against an independent referee.

    The referee finds whatever the rules do not allow; `replay` also finds a changed seed, deal or
    player.

    Args:
        records: a record, a `Round`, several records, or the path of a file of records.
        replay: also play each round again and compare.
        allow: with `replay`, run this policy file where a record names it; no other is read.

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
