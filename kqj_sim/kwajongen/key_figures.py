"""The key figures of Kwajongen: callers, results, tricks, card points and scores, on one screen."""

from __future__ import annotations

from kqj_sim.kwajongen.game import KwajongenRules
from kqj_sim.messages import join_words
from kqj_sim.output.grid import Grid
from kqj_sim.output.key_figures import (
    BLANK,
    GameFigures,
    count_cell,
    list_rare,
    make_grid,
    make_score_grid,
)
from kqj_sim.output.numbers import KeyFigure, Numbers
from kqj_sim.places import name_places

_GROUP_COLUMNS = (
    KeyFigure("played", "calls", "played_share"),
    KeyFigure("wins", "results", "caller_won_share"),
    KeyFigure("card points", "card_points", "card_points_mean", ("difference",)),
    KeyFigure("all tricks", "capot", "caller_capot_share"),
    KeyFigure("score lead", "scores", "change_difference_mean"),
)
_PLACES = name_places(KwajongenRules.seats)


def _make_grids(results: Numbers) -> tuple[list[str], list[Grid | None]]:
    """Return remarks and the grids of single rounds."""
    remarks, callers = _make_caller_grid(results)
    scores = make_score_grid(results, "score_change_mean")
    return remarks, [callers, _make_side_grid(results), _make_point_grid(results), scores]


def _describe_results(results: Numbers, count: int) -> str:
    """Return the share of rounds that the caller's team wins."""
    share = results.value("results", "caller_won_share")
    if count == 1:
        return f"the caller's team {'wins' if share else 'does not win'} the only round played"
    if share in (0.0, 1.0):
        return f"the caller's team wins {f'all {count:,} rounds' if share else 'no round'} played"
    won = results.text("results", "caller_won_share")
    return f"the caller's team wins {won} of the rounds played"


def _describe_lead(results: Numbers, is_ahead: bool, points: str) -> str:
    return f" and {'gains' if is_ahead else 'loses'} {points} points on the others"


def _make_caller_grid(results: Numbers) -> tuple[list[str], Grid | None]:
    """Return what there is to say of callers in words, and the callers by place."""
    played = results.value("calls", "played_share")
    remarks = ["Every deal was played."] if played == 1 else []
    callers = [
        place
        for place in range(KwajongenRules.seats)
        if results.value("calls_by_place", "caller_share_of_deals", place)
    ]
    if len(callers) == 1:
        share = f"{results.text('calls', 'played_share')} of the deals"
        deals = "every deal" if played == 1 else share
        return [f"Only the {_PLACES[callers[0]]} says play, in {deals}."], None
    rounds = {
        _PLACES[place]: results.count("results_by_place", "caller_won_share", place)
        for place in callers
    }
    rare = list_rare(rounds)
    if rare:
        words = [f"{rounds[place]:,} by the {place}" for place in rare]
        remarks.append(f"Too few rounds for a row: {', '.join(words)}.")
    absent = [f"the {name}" for name in _PLACES if name not in rounds]
    if absent:
        remarks.append(f"No rounds by {join_words(absent, 'or')}.")
    shown = [
        (place, name) for place, name in enumerate(_PLACES) if name in rounds and name not in rare
    ]
    rows = []
    for place, name in (*shown, (None, "all")):
        group = () if place is None else (place,)
        table = "results" if place is None else "results_by_place"
        shares = [BLANK, results.cell("calls", "played_share")]
        if place is not None:
            shares = [
                results.cell("calls_by_place", quantity, place)
                for quantity in ("says_play_share", "caller_share_of_deals")
            ]
        won = [
            results.cell(table, quantity, *group)
            for quantity in ("caller_won_share", "caller_lost_share", "tied_share")
        ]
        count = count_cell(results.count(table, "caller_won_share", *group))
        rows.append((name, [*shares, *won, count]))
    headings = ("when asked", "of deals", "wins", "loses", "ties", "rounds")
    return remarks, make_grid("Caller", headings, rows)


def _make_side_grid(results: Numbers) -> Grid:
    """Return the shares of rounds in which a side wins all four tricks."""
    cells = [
        results.cell("capot", f"{side}_capot_share") for side in ("caller", "others", "either")
    ]
    raised = ""
    if results.get("raised", "raised_share") is not None:
        raised = f"{results.text('raised', 'raised_share')} of the rounds played are raised."
    headings = ("caller", "others", "either side")
    return make_grid("Four tricks", headings, [("won", cells)], raised)


def _make_point_grid(results: Numbers) -> Grid:
    """Return card points and changes of the scores, per round played."""
    rows = [
        (
            words,
            [
                results.cell("card_points", f"card_points_{end}", side)
                for end in ("mean", "quantile_25", "median", "quantile_75")
            ],
        )
        for words, side in (
            ("caller's card points", "caller"),
            ("others' card points", "others"),
            ("difference", "difference"),
        )
    ]
    for words, quantity in (
        ("caller's team's score", "caller_change_mean"),
        ("others' score", "others_change_mean"),
        ("caller's lead", "change_difference_mean"),
    ):
        rows.append((words, [results.cell("scores", quantity), BLANK, BLANK, BLANK]))
    note = "A score goes down by what a team gains: the lowest wins."
    return make_grid("Points per round", ("mean", "25%", "median", "75%"), rows, note)


FIGURES = GameFigures(
    columns=_GROUP_COLUMNS,
    rounds="Rounds won by the caller's team",
    groups_remark="Of the caller's team; card points and score lead: minus the others', mean.",
    nobody_played="nobody said play",
    team_lead="team_change_difference_mean",
    describe_results=_describe_results,
    tied=lambda _: "the sides",
    describe_lead=_describe_lead,
    make_grids=_make_grids,
)
