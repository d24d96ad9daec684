"""Questions about deals: what comes of them, by the million?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from kqj_sim.arguments import (
    PoliciesLike,
    RuleArguments,
    parse_imposed,
    parse_players,
    reject_both,
    split_items,
)
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS, read_number
from kqj_sim.question import TABLES_AND_PLOT, question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.questions.simulate.result import SimulationResult

DEFAULT_DEALS = 100_000


def _list_tables(
    tables: str | None, rules: GameRules, by: Sequence[str], games: int | None, impose: str | None,
    **_: Any,
) -> Mapping[str, str]:  # fmt: skip
    if tables is None:
        return {}
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats.tally import Tally

    experiment = Experiment(rules, games=games, imposed=parse_imposed(impose, rules))
    return Tally(experiment, split_items(by)).list_titles()


@question(
    output=TABLES_AND_PLOT,
    list_tables=_list_tables,
    deals=OPTIONS["deals"]._replace(**read_number(1, "1e6")),
    examples="""\
  kqj-sim simulate --deals 1e6
  kqj-sim simulate --policy greedy --policy seat0=standard --teams 3
  kqj-sim simulate --by contract --where "lap == 2 and contract != 'NT'"
  kqj-sim simulate --bidding auction --games 10000 --out games.json
  kqj-sim simulate --impose opener:h --plot hearts.png --rows rows.parquet
  kqj-sim simulate --impose opener:h --where "sender_holds('KQJ')"
  kqj-sim simulate --game kwajongen --by turned_rank
""",
)
def simulate(
    *,
    deals: int | None = None,
    games: int | None = None,
    policy: PoliciesLike | None = None,
    by: str | Sequence[str] = (),
    where: str | None = None,
    impose: str | ImposedContract | None = None,
    rows: str | os.PathLike[str] | None = None,
    columns: str | Sequence[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    seed: int = 1,
    first: int = 0,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> SimulationResult:
    """Play deals and summarise the results in tables.

    Shows how often deals are taken, made and failed, by whom and with what scores.  Every number
    comes with its interval and its number of deals.

    Args:
        deals: play this many deals.  [default: 100000]
        games: play this many whole games to the target instead of single deals.
        by: show one row per value of these columns.
        where: count only the deals for which this holds; `kqj-sim columns` lists the columns.
        rows: write one row per deal to a .parquet or .csv file.
        columns: with `rows`: write these columns.  [default: all but sender_hand]
        checkpoint: save the counts to this file during the run and resume from it.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.
        OSError: a file cannot be written; if the deals were played, its attribute `result` has
            the tables.

    >>> import kqj_sim as kqj
    >>> result = kqj.simulate(deals=2000, policy="standard", teams=3)
    >>> result.estimate("taken_share").observations
    2000
    >>> list(result.tables)[:2]
    ['taking', 'taking_by_lap']
    >>> result.frame(["contract", "result"]).shape
    (2000, 2)
    """
    reject_both(deals=deals, games=games)
    if rows is not None and checkpoint is not None:
        raise InputError(
            "`rows` and `checkpoint`: rows are not kept in checkpoints; write them range by range "
            "with `first` and `deals`"
        )
    if columns is not None and rows is None:
        raise InputError("`columns` is for `rows`: name the file")
    from kqj_sim.questions.simulate.checkpoint import SavedRun
    from kqj_sim.questions.simulate.result import SimulationResult, play_and_write
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.run import reduce_rows
    from kqj_sim.stats.tally import Tally

    experiment = Experiment(
        rules, parse_players(policy, rules), deals or DEFAULT_DEALS, seed, first, games,
        parse_imposed(impose, rules),
    )  # fmt: skip
    start = partial(Tally, experiment, by, where)
    tally = start()  # Raises errors before anything is played.
    if rows is not None:
        return play_and_write(os.fspath(rows), columns, tally, confidence, runner)
    if checkpoint is not None:
        saved = SavedRun(os.fspath(checkpoint), tally)
        is_finished = saved.play(runner)
        return SimulationResult(tally, confidence, not is_finished, runner, saved.is_saved)
    with runner.start(*tally.size, polls=False):
        reduced = reduce_rows(experiment, start, runner.workers, progress=runner.advance)
    return SimulationResult(reduced.result, confidence, reduced.interrupted, runner)
