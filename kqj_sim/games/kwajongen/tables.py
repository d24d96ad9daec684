"""Tables of Kwajongen rounds: calls, results, tricks, card points and scores.

A deal is played if somebody said play, else passed out.  Every share says of which deals.  Scores
go down: a change below 0 is good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.stats import tables
from kqj_sim.stats.quantities import Quantity, list_distribution
from kqj_sim.stats.tables import DerivedColumn, Table, TableBuilder, TableRows

if TYPE_CHECKING:
    from kqj_sim.simulation.experiment import Experiment

SEATS, TEAMS, TRICKS = KwajongenRules.seats, KwajongenRules.team_count, KwajongenRules.tricks

RESULT_SHARES = {"made": "caller_won_share", "failed": "caller_lost_share", "tie": "tied_share"}
"""Identifiers of the shares of the results of a played round."""

_GROUP_NAMES = {"place": "the caller's place", "turned_rank": "the card turned up"}
"""Descriptions of the columns that group the results."""

_RESULT_LABELS = tables.get_labels("result", "kwajongen")
RESULT_NUMBERS = {share: _RESULT_LABELS.index(result) for result, share in RESULT_SHARES.items()}
"""The number of each result by the identifier of its share."""
_MAX_CARD_POINTS = 40


def derive_columns(experiment: Experiment, detail: bool) -> list[DerivedColumn]:
    return [
        DerivedColumn(
            "points_difference",
            -_MAX_CARD_POINTS,
            _MAX_CARD_POINTS,
            ("contracting_card_points", "defending_card_points"),
            lambda rows: (
                rows.column("contracting_card_points") - rows.column("defending_card_points")
            ),
        ),
        DerivedColumn(
            "worth",
            -4,
            4,
            ("contracting_score", "defending_score"),
            lambda rows: rows.column("defending_score") - rows.column("contracting_score"),
        ),
        DerivedColumn(
            "team_worth",
            -4,
            4,
            ("score_0", "score_1"),
            lambda rows: rows.column("score_1") - rows.column("score_0"),
        ),
    ]


def list_joints(experiment: Experiment, detail: bool) -> list[tuple[str, ...]]:
    needed: list[tuple[str, ...]] = [
        ("taken", "place", "result"),
        ("taken", "turned_rank", "result"),
        ("taken", "capot_contracting", "capot_defending"),
        ("taken", "contracting_tricks"),
        ("taken", "contracting_card_points", "result"),
        ("taken", "sender_trumps", "result"),
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
    if detail:
        needed += [
            ("taken", "place", "sender_trumps", "result"),
            ("taken", "dealer_trumps", "result"),
            ("taken", "points_difference", "result"),
        ]
    return needed


def make_tables(builder: TableBuilder, detail: bool) -> list[Table]:
    """Return every table that applies to the experiment.

    A table grouped by a column of `by` would repeat another, and is left out.
    """
    return [
        *_make_call_tables(builder),
        *_make_result_tables(builder),
        builder.table("capot", "All four tricks, played deals", (), _list_capots(builder)),
        builder.table(
            "tricks",
            "Tricks of the caller's team, played deals",
            ("contracting_tricks",),
            builder.list_shares("contracting_tricks", "share_of_played", range(TRICKS + 1)),
        ),
        *_make_raised_tables(builder),
        builder.table(
            "card_points", "Card points, played deals", ("whose",), _list_card_points(builder)
        ),
        builder.table("scores", "Changes of the scores in a round", (), _list_scores(builder)),
        builder.table(
            "scores_by_team",
            "Changes of the scores in a round, by team",
            ("team",),
            builder.list_means([f"score_{team}" for team in range(TEAMS)], "score_change_mean"),
        ),
        *(_make_detail_tables(builder) if detail else ()),
    ]


def _make_call_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of deals played and passed out, and of callers by place."""
    everything = builder.group_histograms((), "taken", taken=False)

    def by_place() -> TableRows:
        callers = builder.group_histograms((), "place")
        for group, counts in everything.items():
            deals = waiting = sum(counts.values())
            places = callers.get(group, {})
            for place in range(SEATS):
                count = places.get(place, 0)
                for quantity, of in (
                    ("says_play_share", waiting),
                    ("caller_share_of_deals", deals),
                    ("caller_share_of_played", sum(places.values())),
                ):
                    yield (*group, place), quantity, builder.share(count, of)
                waiting -= count

    overall = builder.split(everything, {"played_share": 1, "passed_out_share": 0})
    yield builder.table("calls", "Deals played and passed out", (), overall)
    if "place" not in builder.by:
        yield builder.table("calls_by_place", "Calls of play, by place", ("place",), by_place())


def _list_result_rows(builder: TableBuilder, groups: tuple[str, ...]) -> TableRows:
    """Return the share of each result among the played deals of each group."""
    return builder.split(builder.group_histograms(groups, "result"), RESULT_NUMBERS)


def _make_result_tables(builder: TableBuilder) -> Iterable[Table]:
    for grouping in tables.select_groupings(builder, [(), *((column,) for column in _GROUP_NAMES)]):
        name, _ = tables.name_grouping(grouping)
        by = "".join(f", by {_GROUP_NAMES[column]}" for column in grouping)
        title = f"Rounds won by the caller's team and by the others{by}, played deals"
        yield builder.table(f"results{name}", title, grouping, _list_result_rows(builder, grouping))


def _list_capots(builder: TableBuilder) -> TableRows:
    columns = ("capot_contracting", "capot_defending")
    for group, counts in builder.count_groups((), columns).items():
        deals = sum(counts.values())
        for side, places in (("caller", (0,)), ("others", (1,)), ("either", (0, 1))):
            count = sum(n for key, n in counts.items() if any(key[place] for place in places))
            estimate = builder.share(count, deals)
            yield group, f"{side}_capot_share", estimate


def _make_raised_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of raised rounds, played ones: a raise goes on while all pass."""
    if builder.experiment.games is None:
        return

    def by_raised() -> TableRows:
        yield from _list_result_rows(builder, ("raised",))
        for group, counts in builder.group_histograms(("raised",), "worth").items():
            yield group, "change_difference_mean", builder.mean(counts)

    overall = builder.split(builder.group_histograms((), "raised"), {"raised_share": 1})
    yield builder.table("raised", "Raised rounds, played deals", (), overall)
    if "raised" not in builder.by:
        title = "Raised rounds and others, played deals"
        yield builder.table("results_by_raised", title, ("raised",), by_raised())


def _list_card_points(builder: TableBuilder) -> TableRows:
    for column, whose in (
        ("contracting_card_points", "caller"),
        ("defending_card_points", "others"),
        ("points_difference", "difference"),
    ):
        for group, quantity, estimate in builder.list_distributions((), column, "card_points"):
            yield (*group, whose), quantity, estimate


def _list_scores(builder: TableBuilder) -> TableRows:
    sides = (
        ("caller_change_mean", "contracting_score"),
        ("others_change_mean", "defending_score"),
        ("change_difference_mean", "worth"),
    )
    histograms = [builder.group_histograms((), column) for _, column in sides]
    for group in histograms[0]:
        for (quantity, _), histogram in zip(sides, histograms, strict=True):
            estimate = builder.mean(histogram[group])
            yield group, quantity, estimate
    for group, changes in builder.group_histograms((), "team_worth", taken=False).items():
        yield group, "team_change_difference_mean", builder.mean(changes)


# Further tables of reports: results by trumps, distributions of card points.


def _make_detail_tables(builder: TableBuilder) -> Iterable[Table]:
    by_trumps, points = make_plot_tables(builder)
    yield by_trumps
    yield _make_result_table(
        builder,
        "place_and_sender_trumps",
        "place and the caller's number of trumps",
        ("place", "sender_trumps"),
    )
    yield _make_result_table(
        builder, "dealer_trumps", "the dealer's number of trumps", ("dealer_trumps",)
    )
    yield points
    yield _make_distribution(
        builder,
        "margins",
        "Card points of the caller's team minus the others'",
        "points_difference",
    )


def make_plot_tables(builder: TableBuilder) -> list[Table]:
    return [
        _make_result_table(
            builder, "sender_trumps", "the caller's number of trumps", ("sender_trumps",)
        ),
        _make_distribution(
            builder, "points", "Card points of the caller's team", "contracting_card_points"
        ),
    ]


def _make_result_table(
    builder: TableBuilder, name: str, words: str, grouping: tuple[str, ...]
) -> Table:
    return builder.table(
        f"results_by_{name}",
        f"Rounds won by the caller's team and by the others, by {words}, played deals",
        grouping,
        _list_result_rows(builder, grouping),
    )


def _make_distribution(builder: TableBuilder, name: str, title: str, column: str) -> Table:
    lines = builder.list_joint_shares(column, "result", RESULT_NUMBERS)
    return builder.table(name, f"{title}, by result, played deals", (column,), lines)


# The quantities of Kwajongen: its rounds, and what questions ask of them.

_ROUNDS = {
    "share_of_played": Quantity("share of played deals", "share"),
    "played_share": Quantity("played, share of all deals", "share"),
    "says_play_share": Quantity("says play, when asked", "share"),
    "caller_share_of_deals": Quantity("caller, share of all deals", "share"),
    "caller_share_of_played": Quantity("caller, share of played deals", "share"),
    "caller_won_share": Quantity("won by the caller's team, share of played deals", "share"),
    "caller_lost_share": Quantity("won by the others, share of played deals", "share"),
    "caller_capot_share": Quantity("won by the caller's team, share of played deals", "share"),
    "others_capot_share": Quantity("won by the others, share of played deals", "share"),
    "either_capot_share": Quantity("won by either team, share of played deals", "share"),
    "raised_share": Quantity("raised, share of played deals", "share"),
    **list_distribution("card_points", "points"),
    "caller_change_mean": Quantity("caller's team, mean per played deal", "points"),
    "others_change_mean": Quantity("others, mean per played deal", "points"),
    "change_difference_mean": Quantity(
        "others minus caller's team, mean per played deal", "points"
    ),
    "team_change_difference_mean": Quantity("team 1 minus team 0, mean per deal", "points"),
    "score_change_mean": Quantity("change of the score, mean per deal", "points"),
}

_ODDS = {
    "value": Quantity("value", "change"),
    "lead": Quantity("less than the best", "change"),
    "tied_share": Quantity("tie", "share"),
    "own_points_mean": Quantity("own card points", "points"),
    "own_all_tricks_share": Quantity("all four tricks", "share"),
}

_COMPARE = {
    "caller_share": Quantity("is the caller, share of rounds", "share"),
    "caller_round_won_share": Quantity("won, share of rounds as caller", "share"),
    "caller_won_per_round": Quantity("won as caller", "change"),
    "caller_lost_per_round": Quantity("lost as caller", "change"),
    "against_caller_per_round": Quantity("won against callers", "change"),
    "score_reduction_per_round": Quantity("reduction of the score", "change"),
}

QUANTITIES: Mapping[str, Quantity] = {**_ROUNDS, **_ODDS, **_COMPARE}
"""The quantities of this game alone, by identifier."""
