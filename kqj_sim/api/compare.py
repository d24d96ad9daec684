"""Comparisons of policies: `compare` and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Unpack

from kqj_sim.analysis.compare import Comparison, PolicyPair
from kqj_sim.analysis.compare import compare as compare_policies
from kqj_sim.analysis.comparison_plan import DEFAULT_MAX_DEALS
from kqj_sim.analysis.intervals import Estimate
from kqj_sim.api.arguments import (
    CONFIDENCE_RANGE,
    ArgumentError,
    Count,
    PolicyLike,
    RuleArguments,
    collect_rules,
    convert_policy,
    parse_argument,
    parse_count,
    parse_game_count,
    parse_positive_number,
    parse_share,
    reject_both,
)
from kqj_sim.api.progress import InterruptHandler, ProgressLike, open_progress, open_workers
from kqj_sim.api.results import Result, make_plain
from kqj_sim.reporting.compare import make_comparison_report
from kqj_sim.reporting.compare_plots import make_comparison_drawing

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.dask_cluster import DaskCluster
    from kqj_sim.reporting.figures import Drawing
    from kqj_sim.rules import GameRules


@dataclass(frozen=True)
class PairResult:
    """Two of the policies compared.

    Attributes:
        one, other: their names.
        lead: points a round (percentage points of games won) by which `one` leads.
        verdict: "better", "worse", "equal" (within the indifference) or "open", said of `one`.

    Example:
        >>> import kqj_sim as kqj
        >>> (pair,) = kqj.compare("standard", "random", deals=500).pairs
        >>> pair.one, pair.other, pair.verdict
        ('standard', 'random', 'better')
    """

    one: str
    other: str
    lead: Estimate
    verdict: Literal["better", "worse", "equal", "open"]


class ComparisonResult(Result):
    """The result of `compare`: the ranking of the policies, and the lead of each pair.

    Attributes:
        names: the policies, in the order given.
        ranking: the policies, the best first.
        best: the first of these.
        pairs: the pairs of policies.

    Example:
        >>> import kqj_sim as kqj
        >>> result = kqj.compare("random", "greedy", "standard", deals=500)
        >>> result.ranking
        ('standard', 'greedy', 'random')
        >>> result.find_lead("standard", "random").low > 0
        True
    """

    kind: ClassVar[str] = "compare"

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(make_comparison_report(comparison))
        self._comparison = comparison
        names = self.names = comparison.names
        self.pairs = tuple(
            PairResult(names[pair.one], names[pair.other], make_plain(pair.lead), pair.verdict)
            for pair in comparison.pairs
        )
        # Without all pairs there is no ranking.
        is_whole = len(self.pairs) == len(names) * (len(names) - 1) // 2
        self.ranking = tuple(names[each] for each in comparison.ranking) if is_whole else names
        self.best = self.ranking[0]

    @property
    def lead(self) -> Estimate:
        """The lead of the first policy given over the second."""
        return self.pairs[0].lead

    def find_lead(self, one: str, other: str) -> Estimate:
        """Return the lead of one policy over another, by name; raise KeyError for others."""
        numbers = {name: number for number, name in enumerate(self.names)}
        return make_plain(self._comparison.lead(numbers[one], numbers[other]))

    def frame(self) -> pd.DataFrame:
        """Return one row per pair: `one`, `other`, `lead`, `low`, `high`, `n` and `verdict`."""
        import pandas as pd

        rows = [
            (each.one, each.other, each.lead.value, *each.lead.finite_bounds,
             each.lead.observations, each.verdict)
            for each in self.pairs
        ]  # fmt: skip
        columns = ["one", "other", "lead", "low", "high", "n", "verdict"]
        verdicts = pd.CategoricalDtype(["better", "worse", "equal", "open"])
        return pd.DataFrame(rows, columns=columns).astype({"verdict": verdicts})

    def _make_drawing(self) -> Drawing:
        return make_comparison_drawing(self._comparison)


def compare(
    *policies: PolicyLike,
    opponents: PolicyLike | None = None,
    calling: bool = False,
    playing: bool = False,
    other_part: PolicyLike | None = None,
    deals: Count | None = None,
    games: Count | None = None,
    precision: float | str | None = None,
    indifference: float | str | None = None,
    max_deals: Count | None = None,
    seed: Count = 1,
    first: Count = 0,
    confidence: float | str = 0.95,
    threads: Count | None = None,
    cluster: str | DaskCluster | None = None,
    progress: ProgressLike | None = None,
    rules: GameRules | None = None,
    **fields: Unpack[RuleArguments],
) -> ComparisonResult:
    """Compare policies on the same deals and rank them, as `kqj-sim compare`.

    Args:
        policies: two specifications, files or policies, or more.
        opponents: the policy on the other sides; by default the policies play each other.
        calling: True to compare how the policies call.
        playing: True to compare how the policies play.
        other_part: then the policy for the other part (`--with`).
        deals: number of deals for each pair; by default as many as it takes.
        games: number of whole games for each pair, or "auto" for as many as it takes.
        precision: stop when the interval is at most ± this: points a round.
        indifference: points a round within which policies count as equal.
        max_deals: number of deals (games) after which to stop.
        seed: seed of the deals.
        first: number of the first deal.
        confidence: confidence level of the intervals, of all pairs jointly.
        threads: number of threads; None for all processors.
        cluster: address of a Dask scheduler, or a `DaskCluster`.
        progress: True for a line on stderr, or a function of the finished and of all deals.
        rules: the rules, in place of their fields.
        fields: fields of the rules, such as `teams=3, bidding="auction"`.

    Raises:
        ValueError: an argument is wrong; one line that says what would be right.

    >>> import kqj_sim as kqj
    >>> result = kqj.compare("standard", "random", deals=500)
    >>> result.best
    'standard'
    >>> result.lead.low > 0
    True
    """
    if len(policies) == 1:
        raise ArgumentError(f"{convert_policy(policies[0])} alone: name two policies or more")
    reject_both(calling=calling, playing=playing)
    if other_part is not None and not (calling or playing):
        raise ArgumentError("--with is for --calling or --playing: give one of them")
    number = None if games is None else parse_argument("games", parse_game_count, games)
    exact = None if number == "auto" else number
    for some in (
        {"deals": deals, "games": exact},
        {"deals": deals, "precision": precision},
        {"deals": deals, "max_deals": max_deals},
        {"games": exact, "precision": precision},
        {"games": exact, "max_deals": max_deals},
    ):
        reject_both(**some)
    if deals is not None and number == "auto":
        raise ArgumentError(f"--deals and --games auto: write --games {deals} for that many")
    table = collect_rules(rules, fields, "compare")
    count = parse_count("deals", deals, 1, "1e5")
    limit = parse_count("max_deals", max_deals, 1, "1e6")
    pairs = len(policies) * (len(policies) - 1) // 2
    default = DEFAULT_MAX_DEALS // 10 if number else DEFAULT_MAX_DEALS
    most = pairs * (exact or count or limit or default)
    watched: dict[tuple[int, int], int] = {}
    with (
        open_workers(threads, cluster) as workers,
        open_progress(progress, "games" if number else "deals", most) as line,
        InterruptHandler() as interruption,
    ):

        def watch(pair: PolicyPair) -> None:
            before = watched.get((pair.one, pair.other), 0)
            watched[pair.one, pair.other] = pair.tally.deals
            left = pairs - len(watched) + 1
            line.expect(sum(watched.values()) - pair.tally.deals + left * pair.expected_deals)
            line.advance(pair.tally.deals - before)

        found = compare_policies(
            *map(convert_policy, policies),
            rules=table,
            opponents=None if opponents is None else convert_policy(opponents),
            part="calling" if calling else "playing" if playing else "both",
            other_part=None if other_part is None else convert_policy(other_part),
            games=number,
            deals=count,
            precision=_parse_points("precision", precision),
            indifference=_parse_points("indifference", indifference),
            max_deals=limit,
            confidence=parse_argument("confidence", parse_share, confidence, *CONFIDENCE_RANGE),
            seed=parse_count("seed", seed, 0, "1") or 0,
            first=parse_count("first", first, 0, "0") or 0,
            threads=workers,
            interrupted=lambda: interruption.stop_requested,
            watch=watch,
        )
    if not found.pairs:
        raise KeyboardInterrupt
    return ComparisonResult(found)


def _parse_points(name: str, value: float | str | None) -> float | None:
    return None if value is None else parse_argument(name, parse_positive_number, value)
