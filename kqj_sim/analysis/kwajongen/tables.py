"""The tables of rounds of Kwajongen: who plays, who wins, tricks, card points and scores.

A deal is played if somebody said play, else passed out.  Every quantity that is a share says of
which deals.  Scores go down: a change below 0 is good.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kqj_sim.analysis.counts import Derived
from kqj_sim.analysis.source import (
    OF_DEALS,
    Source,
    grouping_names,
    labels,
    spread,
    wanted,
)
from kqj_sim.analysis.table import Lines, Table
from kqj_sim.rules import KwajongenRules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment

SEATS, TEAMS, TRICKS = KwajongenRules.seats, KwajongenRules.team_count, KwajongenRules.tricks

OF_GAMES: tuple[str, ...] = ("raised", "results_by_raised")

OF_PLAYED = "share of played deals"

RESULTS = {"made": "won by the caller's team", "failed": "won by the others", "tie": "tied"}
"""The results of a played round, in words."""

_GROUPS = {
    "place": "the caller's place",
    "turned_rank": "the card turned up",
}
"""Columns that group the results, in words."""
_LABELS = labels("result", "kwajongen")
_MOST_POINTS = 40


def notes(experiment: Experiment) -> tuple[str, ...]:
    """What is told under every table: nothing."""
    return ()


def derived(experiment: Experiment) -> list[Derived]:
    """Columns that the tables need beside those of the rows."""
    return [
        Derived(
            "points_difference",
            -_MOST_POINTS,
            _MOST_POINTS,
            lambda rows: (
                rows.column("contracting_card_points") - rows.column("defending_card_points")
            ),
        ),
        Derived(
            "worth",
            -4,
            4,
            lambda rows: rows.column("defending_score") - rows.column("contracting_score"),
        ),
        Derived("team_worth", -4, 4, lambda rows: rows.column("score_1") - rows.column("score_0")),
    ]


def joints(experiment: Experiment) -> list[tuple[str, ...]]:
    """The tuples of columns of which the tables need joint counts."""
    needed: list[tuple[str, ...]] = [
        ("taken", "place", "result"),
        ("taken", "turned_rank", "result"),
        ("taken", "capot_contracting", "capot_defending"),
        ("taken", "contracting_tricks"),
        ("taken", "contracting_card_points"),
        ("taken", "defending_card_points"),
        ("taken", "points_difference"),
        ("taken", "contracting_score"),
        ("taken", "defending_score"),
        ("taken", "worth"),
        ("team_worth",),
        *((f"score_{team}",) for team in range(TEAMS)),
    ]
    if experiment.games is not None:
        needed += [("taken", "raised", "result"), ("taken", "raised", "worth")]
    return needed


def tables(source: Source) -> list[Table]:
    """Every table that the experiment gives a meaning.

    One that is grouped by a column of `by` anyway would repeat another, and is left out.
    """
    return [
        *_calls(source),
        *_results(source),
        source.table("capot", "All four tricks, played deals", (), _capot(source)),
        source.table(
            "tricks",
            "Tricks of the caller's team, played deals",
            ("contracting_tricks",),
            _tricks(source),
        ),
        *_raised(source),
        source.table("card_points", "Card points, played deals", ("whose",), _card_points(source)),
        source.table("scores", "Changes of the scores in a round", (), _scores(source)),
        source.table(
            "scores_by_team",
            "Changes of the scores in a round, by team",
            ("team",),
            _by_team(source),
        ),
    ]


def _calls(source: Source) -> Iterable[Table]:
    """Who says play, and how often all pass."""
    everything = source.histograms((), "taken", taken=False)

    def overall() -> Lines:
        for group, counts in everything.items():
            deals = sum(counts.values())
            for quantity, taken in (("played", 1), ("passed out", 0)):
                estimate = source.share(counts.get(taken, 0), deals)
                yield group, f"{quantity}, {OF_DEALS}", "share", estimate

    def by_place() -> Lines:
        callers = source.histograms((), "place")
        for group, counts in everything.items():
            deals = waiting = sum(counts.values())
            places = callers.get(group, {})
            for place in range(SEATS):
                count = places.get(place, 0)
                for quantity, of in (
                    ("says play, share of those asked", waiting),
                    (f"caller, {OF_DEALS}", deals),
                    (f"caller, {OF_PLAYED}", sum(places.values())),
                ):
                    yield (*group, place), quantity, "share", source.share(count, of)
                waiting -= count

    yield source.table("calls", "Deals played and passed out", (), overall())
    if "place" not in source.by:
        yield source.table("calls_by_place", "Who says play, by place", ("place",), by_place())


def result_lines(source: Source, own: tuple[str, ...]) -> Lines:
    """The share of each result among the played deals of each group."""
    for group, counts in source.histograms(own, "result").items():
        for result, words in RESULTS.items():
            count = counts.get(_LABELS.index(result), 0)
            estimate = source.share(count, sum(counts.values()))
            yield group, f"{words}, {OF_PLAYED}", "share", estimate


def _results(source: Source) -> Iterable[Table]:
    """Who wins the rounds."""
    for own in wanted(source, [(), *((column,) for column in _GROUPS)]):
        name, _ = grouping_names(own)
        by = "".join(f", by {_GROUPS[column]}" for column in own)
        title = f"Rounds won by the caller's team and by the others{by}, played deals"
        yield source.table(f"results{name}", title, own, result_lines(source, own))


def _capot(source: Source) -> Lines:
    """All four tricks, by side."""
    columns = ("capot_contracting", "capot_defending")
    for group, counts in source.split((), columns).items():
        deals = sum(counts.values())
        for side, places in (("the caller's team", (0,)), ("the others", (1,)), ("either", (0, 1))):
            count = sum(n for key, n in counts.items() if any(key[place] for place in places))
            estimate = source.share(count, deals)
            yield group, f"won by {side}, {OF_PLAYED}", "share", estimate


def _tricks(source: Source) -> Lines:
    """How many tricks the caller's team wins."""
    for group, counts in source.histograms((), "contracting_tricks").items():
        for number in range(TRICKS + 1):
            estimate = source.share(counts.get(number, 0), sum(counts.values()))
            yield (*group, number), OF_PLAYED, "share", estimate


def _raised(source: Source) -> Iterable[Table]:
    """Raised rounds, which there are in games only.

    Of played deals: a raise goes on while rounds are passed out.
    """
    if source.experiment.games is None:
        return

    def overall() -> Lines:
        for group, counts in source.histograms((), "raised").items():
            estimate = source.share(counts.get(1, 0), sum(counts.values()))
            yield group, f"raised, {OF_PLAYED}", "share", estimate

    def by_raised() -> Lines:
        yield from result_lines(source, ("raised",))
        for group, counts in source.histograms(("raised",), "worth").items():
            quantity = "others' change less the caller's team's, mean a played deal"
            yield group, quantity, "points", source.mean(counts)

    yield source.table("raised", "Raised rounds, played deals", (), overall())
    if "raised" not in source.by:
        title = "Raised rounds and others, played deals"
        yield source.table("results_by_raised", title, ("raised",), by_raised())


def _card_points(source: Source) -> Lines:
    """Card points of the sides, and how they are spread."""
    for column, whose in (
        ("contracting_card_points", "caller's team"),
        ("defending_card_points", "others"),
        ("points_difference", "caller's team less others"),
    ):
        for group, histogram in source.histograms((), column).items():
            for quantity, estimate in spread(histogram, source.confidence):
                yield (*group, whose), quantity, "points", estimate


def _scores(source: Source) -> Lines:
    """How the scores of the sides change."""
    sides = (
        ("caller's team", "contracting_score"),
        ("others", "defending_score"),
        ("others less caller's team", "worth"),
    )
    histograms = [source.histograms((), column) for _, column in sides]
    for group in histograms[0]:
        for (quantity, _), histogram in zip(sides, histograms, strict=True):
            estimate = source.mean(histogram[group])
            yield group, f"{quantity}, mean a played deal", "points", estimate
    for group, changes in source.histograms((), "team_worth", taken=False).items():
        yield group, "team 1 less team 0, mean a deal", "points", source.mean(changes)


def _by_team(source: Source) -> Lines:
    """How the scores of the teams change, passed-out deals included."""
    teams = [source.histograms((), f"score_{team}", taken=False) for team in range(TEAMS)]
    for group in teams[0]:
        for team, histograms in enumerate(teams):
            estimate = source.mean(histograms[group])
            yield (*group, team), "change of the score, mean a deal", "points", estimate
