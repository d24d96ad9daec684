"""Questions whose answer is a folder: `report`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from kqj_sim.arguments import (
    PoliciesLike,
    PolicyLike,
    RuleArguments,
    name_policy,
    parse_imposed,
    parse_players,
)
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS, read_number
from kqj_sim.question import question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from kqj_sim.imposed import ImposedContract
    from kqj_sim.questions.report.result import ReportResult


@question(
    output=("quiet", "config"),
    out=OPTIONS["out"]._replace(metavar="FOLDER"),
    games=OPTIONS["games"]._replace(**read_number(0, "1000")),
    examples="""\
  kqj-sim report --out taking
  kqj-sim report --out auctions --bidding auction --teams 3 --deals 1e6
  kqj-sim report --out players --compare standard --compare greedy
""",
)
def report(
    out: str | os.PathLike[str],
    *,
    title: str | None = None,
    deals: int = 100_000,
    games: int = 2_000,
    chart_deals: int = 100_000,
    compare: PolicyLike | Sequence[PolicyLike] = (),
    compare_deals: int = 20_000,
    policy: PoliciesLike | None = None,
    impose: str | ImposedContract | None = None,
    seed: int = 1,
    first: int = 0,
    confidence: float = 0.95,
    save_rows: bool = False,
    index: bool = False,
    force: bool = False,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> ReportResult:
    """Play deals and write a report with tables and plots.

    Writes the report as a single page that needs no network (report.html) and as Markdown, with
    every picture, every table as CSV and all data as JSON.

    Args:
        out: write the report to this folder.
        title: set the title of the report, in place of the result of `compare` or the rules.
        deals: play this many deals.
        games: play this many whole games to the target as well; 0 for none.
        chart_deals: play this many deals for the chart of hands to take; 0 for no chart.
        compare: compare these policies, two or more.
        compare_deals: play this many deals for each pair of policies compared.
        save_rows: write one row per deal to rows.parquet, too.
        index: link to a page, index.html, beside the folder, which lists the reports of all
            folders there.
        force: replace files of the same names in the folder.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.
        OSError: the folder cannot be written; if the deals were played, its attribute `result`
            has the report.

    >>> import kqj_sim as kqj, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> result = kqj.report(folder, deals=300, games=0, chart_deals=0, policy="standard")
    >>> result.path.name
    'report.html'
    """
    # One policy alone is no list of names.
    several: Sequence[Any] = compare if isinstance(compare, (list, tuple)) else [compare]
    if len(several) == 1:
        raise InputError(f"`compare` {name_policy(several[0])} alone: name two policies or more")
    from kqj_sim.messages import visible
    from kqj_sim.output.loading import load_writers
    from kqj_sim.paired.comparison import compose_players
    from kqj_sim.policies.players import parse_player
    from kqj_sim.questions.report.play import StudyPlan
    from kqj_sim.questions.report.result import write_report
    from kqj_sim.simulation.experiment import Experiment

    experiment = Experiment(
        rules, parse_players(policy, rules), deals, seed, first,
        imposed=parse_imposed(impose, rules),
    )  # fmt: skip
    compared = tuple(parse_player(each, rules.game) for each in several)
    if compared:
        compose_players(compared, rules)  # Raises errors before anything is played.
    load_writers("html")
    plan = StudyPlan(experiment, games, chart_deals, compared, compare_deals, confidence)
    return write_report(plan, str(out), force, visible(title or ""), runner, save_rows, index)
