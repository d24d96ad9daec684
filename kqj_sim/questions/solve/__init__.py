"""The question what the best play is with all cards open: `solve`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from kqj_sim.arguments import PoliciesLike, RuleArguments, parse_argument, parse_path, reject_both
from kqj_sim.errors import InputError
from kqj_sim.question import question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.questions.solve.result import SolveResult


def _list_tables(turns: bool, contracts: bool, deals: int | None, **_: Any) -> Mapping[str, str]:
    if deals is not None:
        return {"endings": "What was played, and the best play"}
    if contracts:
        return {"contracts": "What each contract makes"}
    if turns:
        return {"turns": "Value of each legal card at each turn"}
    return {"cards": "Lead in score after each legal card, with the best play of all"}


@question(
    arguments={"file": "[FILE]"},
    output=("tables", "format", "out", "color", "quiet", "config"),
    workers=("threads",),
    list_tables=_list_tables,
    examples="""\
  kqj-sim solve --deal 4183
  kqj-sim solve --deal 4183 --impose 3rd:h
  kqj-sim solve rounds.jsonl --line 12 --at 3.2
  kqj-sim solve rounds.jsonl --turns
  kqj-sim solve --deal 4183 --bidding auction --contracts
  kqj-sim solve --deals 10000 --cards 3 --rows endings.parquet
""",
)
def solve(
    file: str | os.PathLike[str] | bytes | None = None,
    *,
    line: int | None = None,
    at: str | tuple[int, int] | None = None,
    deal: int = 0,
    policy: PoliciesLike | None = None,
    impose: str | ImposedContract | None = None,
    turns: bool = False,
    contracts: bool = False,
    deals: int | None = None,
    cards: int | None = None,
    rows: str | os.PathLike[str] | None = None,
    seed: int = 1,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> SolveResult:
    """Find the best play with all cards open.

    Every player sees every card and plays as well as possible for their side.  The value of each
    card is exact.  With three teams the two defending teams play together.  A whole deal may take
    some seconds, with three teams minutes; endings take less.

    Args:
        file: a file with a record of a round; in Python the content of one, too.
        line: solve the round on this line of the file.  [default: 1]
        at: begin at trick 3, card 2 (3.2).  [default: the first card, or where the play breaks off]
        deal: solve the deal with this number.
        policy: seat these players, who make the calls and play up to `at`.
        turns: value each card at each turn of the round, and find where the contract was lost.
        contracts: find what each contract makes, and in auctions of two teams par.
        deals: play this many deals, from `deal` on, and solve the ending of each.
        cards: with `deals`: begin with this many cards of each player.  [default: 3]
        rows: with `deals`: write one row per ending to a .parquet or .csv file.

    Raises:
        ValueError: an argument is wrong, or the round has no contract; one line.
        OSError: the file cannot be read, or `rows` not be written; if deals were played, its
            attribute `result` has the numbers.

    >>> import kqj_sim as kqj
    >>> result = kqj.solve(deal=5, policy="standard", at="6.1")
    >>> result.lead == max(result.cards.values())
    True
    """
    if file is None and line is not None:
        raise InputError("`line` is for a `file` of records: name the file")
    for played in ({"policy": policy}, {"impose": impose}):
        reject_both(file=file, **played)
        reject_both(contracts=contracts, **played)
    reject_both(contracts=contracts, turns=turns)
    reject_both(contracts=contracts, at=at)
    for other in ({"file": file}, {"at": at}, {"turns": turns}, {"contracts": contracts}):
        reject_both(deals=deals, **other)
    asked = {"cards": cards, "rows": rows, "confidence": None if confidence == 0.95 else confidence}
    for name, value in asked.items():
        if deals is None and value is not None:
            raise InputError(f"`{name}` is for `deals`: say how many")
    from kqj_sim.questions.solve import play, result

    if file is None:
        experiment = play.make_experiment(rules, policy, impose, deals or 1, seed, deal)
    if deals is not None:
        from kqj_sim.questions.solve.endings import solve_endings

        return solve_endings(experiment, cards or 3, rows, confidence, runner)
    source, drawn = "a recorded round", None
    if file is not None:
        if not isinstance(file, bytes):
            file = parse_argument("file", parse_path, file)
        position = play.read_recorded_round(file, line or 1)
        rules = position.rules
    else:
        source, drawn = f"deal {deal}, seed {seed}", (seed, deal)
    solved = result.Solved(source, drawn, rules)
    if contracts:
        sides = play.deal_sides(rules, seed, deal) if drawn else play.list_sides(position)
        return result.show_contracts(play.value_contracts(sides, runner), solved)
    if drawn:
        position = play.play_round(experiment)
    if turns:
        return result.show_turns(play.solve_turns(position, at, runner), solved)
    return result.show_cards(play.solve_round(position, at, runner), solved)
