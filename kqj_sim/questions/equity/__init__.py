"""The question who wins the game from some score: `equity`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from kqj_sim.arguments import (
    PoliciesLike,
    RuleArguments,
    parse_argument,
    parse_players,
    parse_scores,
)
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS, read_number
from kqj_sim.question import TABLES_AND_PLOT, question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from kqj_sim.questions.equity.result import EquityResult

DEFAULT_DEALS = 100_000
LEAST_DEALS = 240
"""`MIN_DEALS` of `stats.equity`, which takes long to import."""


def _list_tables(**_: Any) -> Mapping[str, str]:
    return {"equity": "Chance to win the game, by dealer and scores, or with `scores` by side"}


@question(
    output=TABLES_AND_PLOT,
    list_tables=_list_tables,
    deals=OPTIONS["deals"]._replace(**read_number(LEAST_DEALS, "1e6")),
    examples="""\
  kqj-sim equity
  kqj-sim equity --scores 640:880
  kqj-sim equity --teams 3 --scores 900:850:500 --pending 100
  kqj-sim equity --policy standard --target 500 --plot equity.png
""",
)
def equity(
    *,
    scores: str | Sequence[int] | None = None,
    pending: int = 0,
    policy: PoliciesLike | None = None,
    deals: int | None = None,
    seed: int = 1,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> EquityResult:
    """Estimate the chance to win the game, from every score.

    The table has your side's score (that of seats 0, 2 and 4) in its rows and the opponents' in its
    columns; with three teams both opponents have that score.  Simulated deals show what a
    round brings; those of the default players come with the program.  With random partners games
    are played on from `scores`.

    Args:
        scores: give the chances at these scores, yours first: 640:880, or 640:880:500, where the
            second are your left neighbour's; with random partners six.
        pending: with `scores`: add this pending litigation gratuity.
        deals: play this many deals.  [default: the 1000000 stored, or 100000]

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.equity(policy="standard", deals=2000)
    >>> result.chance((900, 100), dealer=0).value > 0.9
    True
    """
    from kqj_sim.questions.equity.result import EquityResult
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.stats.equity import (
        EquityTable,
        PlayedGames,
        load_rounds,
        order_scores,
        play_rounds,
        require_equity_rules,
    )

    rules, start = require_equity_rules(rules), None
    if scores is not None:
        start = parse_argument("scores", order_scores, parse_scores(scores), rules)
    elif rules.partners == "random":
        raise InputError(
            "with random partners games are played on from some scores: give `scores`, one of each "
            "player, yours first"
        )
    elif pending:
        raise InputError("`pending` is for `scores`: leave it out, or give the scores")
    experiment = Experiment(rules, parse_players(policy, rules), deals or DEFAULT_DEALS, seed)
    counted, interrupted = (load_rounds(experiment) if deals is None else None), False
    if counted is None:
        with runner.start("deals", experiment.deals, polls=False):
            counted, interrupted = play_rounds(experiment, runner.workers, runner.advance)
    table = (PlayedGames if rules.partners == "random" else EquityTable)(experiment, counted)
    return EquityResult(table, experiment, start, pending, confidence, interrupted)
