"""Questions about policies: which is better, and with which parameters?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, Unpack

from kqj_sim.arguments import (
    PolicyLike,
    RuleArguments,
    VaryLike,
    name_policy,
    parse_game_count,
    reject_both,
)
from kqj_sim.errors import InputError
from kqj_sim.options import OPTIONS, read_number
from kqj_sim.question import TABLES_AND_PLOT, question
from kqj_sim.rules import DEFAULT_RULES, GameRules
from kqj_sim.runner import DEFAULT_RUNNER, Runner

if TYPE_CHECKING:
    from kqj_sim.questions.compare.result import ComparisonResult, SweepResult, TuningResult

DEFAULT_DEALS = 20_000
"""Deals of each set of values that `sweep` plays without a number or a precision."""


def _list_comparison_tables(
    policies: Sequence[str], games: int | str | None, **_: Any
) -> Mapping[str, str]:
    from kqj_sim.paired.comparison import list_tables

    return list_tables(len(policies) > 2, games is not None)


@question(
    arguments={"policies": "POLICIES..."},
    output=TABLES_AND_PLOT,
    list_tables=_list_comparison_tables,
    games=OPTIONS["games"]._replace(parse=parse_game_count, metavar="NUMBER|auto"),
    examples="""\
  kqj-sim compare standard:take=45 standard
  kqj-sim compare learned+network points+greedy standard --plot ranking.png
  kqj-sim compare my_policy.py:cautious standard --bidding auction --deals 1e5
  kqj-sim compare --calling points standard --with network --precision 0.5
  kqj-sim compare standard greedy --games auto --target 500
  kqj-sim compare random standard --game kwajongen --deals 5000
""",
)
def compare(
    *policies: PolicyLike | Sequence[PolicyLike],
    opponents: PolicyLike | None = None,
    calling: bool = False,
    playing: bool = False,
    other_part: PolicyLike | None = None,
    deals: int | None = None,
    games: int | Literal["auto"] | None = None,
    precision: float | None = None,
    indifference: float | None = None,
    max_deals: int | None = None,
    seed: int = 1,
    first: int = 0,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> ComparisonResult:
    """Compare policies on the same deals and rank them.

    Shows which policy is better, by how much and why.  Two policies play every deal against each
    other with the sides exchanged; more than two play in pairs.  Without `deals` they go on until
    the lead is known to within a fifth of it, or both are shown to be equal.

    `policies` are specifications (see `kqj-sim help policies`).

    Args:
        policies: two specifications, files or policies, or more.
        opponents: seat this policy on the other sides.  [default: `policies` play each other]
        calling: compare how the policies call; all play like `other_part`.
        playing: compare how the policies play; all call like `other_part`.
        other_part: fill the part that `calling` or `playing` leaves open.  [default:
            learned+network; standard in Kwajongen]
        deals: play this many deals for each pair.
        games: play this many whole games to the target instead of single deals; auto: as many as it
            takes.
        precision: stop when the interval is at most ± this: points a round (percentage points of
            games won).
        indifference: treat policies within this many points a round as equal.  [default: 0.5; 0.01
            in Kwajongen]
        max_deals: stop after this many deals (games) at most.  [default: 1e6 deals, 1e5 games]

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.compare(["standard", "random"], deals=500)
    >>> result.best
    'standard'
    >>> result.lead.low > 0
    True
    """
    listed: Sequence[Any] = policies
    if len(policies) == 1 and isinstance(policies[0], list | tuple):
        listed = policies[0]
    if len(listed) == 1:
        raise InputError(f"{name_policy(listed[0])} alone: name two policies or more")
    reject_both(calling=calling, playing=playing)
    if other_part is not None and not (calling or playing):
        raise InputError("`other_part` is for `calling` or `playing`: give one of them")
    exact = None if games == "auto" else games
    reject_both(deals=deals, games=exact)
    for limit in ({"precision": precision}, {"max_deals": max_deals}):
        reject_both(deals=deals, **limit)
        reject_both(games=exact, **limit)
    if deals is not None and games == "auto":
        raise InputError(f"`deals` and `games='auto'`: write `games={deals}` for that many")
    from kqj_sim.paired.comparison import play_pairs
    from kqj_sim.paired.leads import ComparisonPlan
    from kqj_sim.policies.players import parse_player
    from kqj_sim.questions.compare.result import ComparisonResult

    plan = ComparisonPlan.make(
        rules, games, deals, indifference, max_deals,
        precision=precision, confidence=confidence, seed=seed, first=first,
    )  # fmt: skip
    return ComparisonResult(
        play_pairs(
            [parse_player(policy, rules.game) for policy in listed], rules, plan, runner,
            opponents=None if opponents is None else parse_player(opponents, rules.game),
            part="calling" if calling else "playing" if playing else "both",
            other_part=parse_player(other_part, rules.game),
        )
    )  # fmt: skip


def _list_sweep_tables(vary: Sequence[str], plot: str | None, **_: Any) -> Mapping[str, str]:
    """Return the titles of the tables of `sweep`; raise InputError for too large a picture."""
    from kqj_sim.questions.compare.screen import MAX_PARAMETERS, explain_parameters

    if plot is not None and len(vary) > MAX_PARAMETERS:
        raise InputError(explain_parameters(len(vary)))
    return {"sweep": "Every set of values", "best_other": "Lead over the best of the others"}


@question(
    arguments={"policy": "POLICY"},
    output=TABLES_AND_PLOT,
    list_tables=_list_sweep_tables,
    deals=OPTIONS["deals"]._replace(**read_number(2, "1e5")),
    examples="""\
  kqj-sim sweep points --vary take=0:60:10 --plot take.png
  kqj-sim sweep points --vary take=30:60:5 --vary lap2=20:60:10 --deals 1e5
  kqj-sim sweep my_policy.py:cautious --vary courage=1,2,3 --precision 0.5
  kqj-sim sweep pimc --vary prior=none,network --teams 3 --deals 2000
  kqj-sim sweep standard --game kwajongen --vary dealer=10:25:3
""",
)
def sweep(
    policy: PolicyLike,
    vary: VaryLike,
    *,
    opponents: PolicyLike | None = None,
    deals: int | None = None,
    precision: float | None = None,
    seed: int = 1,
    first: int = 0,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> SweepResult:
    """Vary a policy's parameters and score every setting.

    One side plays the policy against the opponents; all settings play the same deals.  The answer
    names the best setting and those statistically tied with it.  `kqj-sim policies show POLICY`
    lists the parameters.

    Args:
        policy: the policy whose parameters vary.
        vary: vary a parameter over FROM:TO:STEP or VALUE,VALUE.
        opponents: seat this policy on the other sides.  [default: learned+network; standard in
            Kwajongen]
        deals: play this many deals for each setting.  [default: 20000]
        precision: stop when the interval of every setting is at most ± this: points a round.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.sweep("standard", {"take": [20, 150]}, opponents="standard", deals=200)
    >>> [setting.name for setting in result.settings]
    ['take=20', 'take=150']
    """
    reject_both(deals=deals, precision=precision)
    from kqj_sim.paired.leads import ComparisonPlan
    from kqj_sim.policies.players import parse_player
    from kqj_sim.questions.compare.play import play_settings
    from kqj_sim.questions.compare.result import SweepResult

    count = DEFAULT_DEALS if deals is None and precision is None else deals
    plan = ComparisonPlan.make(
        rules, deals=count, precision=precision, confidence=confidence, seed=seed, first=first
    )
    player = parse_player(policy, rules.game)
    field = parse_player(opponents, rules.game)
    return SweepResult(play_settings(player, vary, rules, field, plan, runner))


def _list_tune_tables(out: str | None, **_: Any) -> Mapping[str, str]:
    """Return the titles of the tables of `tune`; raise InputError if they go to a .toml file."""
    if out is not None and out.lower().endswith(".toml"):
        raise InputError(f"`out` is for the tables: write `save={out}` for the policy")
    return {
        "confirmation": "Lead on fresh deals",
        "parameters": "Parameters before and after",
        "search": "Generations of the search",
    }


@question(
    arguments={"policy": "POLICY"},
    output=TABLES_AND_PLOT,
    workers=("threads",),
    list_tables=_list_tune_tables,
    deals=OPTIONS["deals"]._replace(**read_number(2, "1e4")),
    save=OPTIONS["save"]._replace(default="tuned.toml"),
    examples="""\
  kqj-sim tune points+standard --parameters take=0:80,lap2=0:80
  kqj-sim tune points --parameters opening --bidding auction --save bid.toml
  kqj-sim tune my_policy.py:cautious --parameters courage --generations 10

\b
Then: kqj-sim simulate --policy bid.toml
""",
)
def tune(
    policy: PolicyLike,
    parameters: str | Sequence[str],
    *,
    opponents: PolicyLike | None = None,
    deals: int = 10_000,
    generations: int = 30,
    candidates: int | None = None,
    confirm: int = 100_000,
    save: str | os.PathLike[str] | None = None,
    seed: int = 1,
    first: int = 0,
    confidence: float = 0.95,
    rules: GameRules = DEFAULT_RULES,
    runner: Runner = DEFAULT_RUNNER,
    **fields: Unpack[RuleArguments],
) -> TuningResult:
    """Search a policy's parameters for more points a round.

    An evolution strategy (CMA-ES) plays candidates against the opponents, generation by generation.
    The best is compared with the policy on fresh deals and saved; Ctrl-C ends the search early.
    `kqj-sim policies show POLICY` lists the parameters.

    Args:
        policy: the policy to start from.
        parameters: search these parameters, each within its own range or the one you give.
        opponents: seat this policy on the other sides.  [default: learned+network; standard in
            Kwajongen]
        deals: play this many deals for each candidate.
        generations: stop after this many generations at most; each plays fresh deals.
        candidates: try this many candidates in a generation.  [default: by the number of
            parameters]
        confirm: compare the result with the original policy on this many fresh deals.
        save: save the policy with the best parameters to this .toml file, for `policy`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.
        OSError: the policy cannot be saved; if the search was over, its attribute `result` has what
            was found.

    >>> import kqj_sim as kqj
    >>> result = kqj.tune(
    ...     "standard", "take", opponents="standard", deals=64, generations=2, confirm=256
    ... )
    >>> list(result.best), len(result.frame())
    (['take'], 2)
    """
    if save is not None:
        save = os.fspath(save)
        if not save.lower().endswith(".toml"):
            raise InputError(f"`save` {save}: a player's file ends in .toml")
    from kqj_sim.output.files import OutputFile
    from kqj_sim.policies.players import parse_player
    from kqj_sim.questions.compare.play import SearchPlan, search_parameters
    from kqj_sim.questions.compare.result import TuningResult
    from kqj_sim.results import UnwrittenFileError

    plan = SearchPlan(
        deals=deals, generations=generations, candidates=candidates, confirm=confirm,
        confidence=confidence, seed=seed, first=first,
    )  # fmt: skip
    start = parse_player(policy, rules.game)
    field = parse_player(opponents, rules.game)
    names = [parameters] if isinstance(parameters, str) else parameters
    if save is None:
        tuning = search_parameters(start, names, rules, field, plan, runner)
        return TuningResult(tuning, runner.made_by)
    with ExitStack() as stack:
        file = stack.enter_context(OutputFile(save))
        tuning = search_parameters(start, names, rules, field, plan, runner)
        result = TuningResult(tuning, runner.made_by, save)
        try:
            file.write(result.render_player(save))
            stack.close()
        except OSError as error:
            note = "The policy was not saved: the table of parameters has its values"
            unsaved = TuningResult(tuning, runner.made_by)
            raise UnwrittenFileError(save, error, unsaved, note) from None
    return result
