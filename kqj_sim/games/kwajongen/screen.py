"""The key figures of Kwajongen: callers, results, tricks, card points and scores, on one screen."""

from __future__ import annotations

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.output.chapters import KeyFigure, Numbers
from kqj_sim.output.grid import Grid
from kqj_sim.output.sentences import say
from kqj_sim.places import name_places
from kqj_sim.questions.simulate import screen

GROUP_FIGURES: tuple[KeyFigure, ...] = (
    KeyFigure("played", "calls", "played_share"),
    KeyFigure("wins", "results", "caller_won_share"),
    KeyFigure("card points", "card_points", "card_points_mean", ("difference",)),
    KeyFigure("all tricks", "capot", "caller_capot_share"),
    KeyFigure("score lead", "scores", "change_difference_mean"),
)
_PLACES = name_places(KwajongenRules.seats)


def make_grids(numbers: Numbers) -> tuple[list[str], list[Grid | None]]:
    remarks, callers = _make_caller_grid(numbers)
    scores = screen.make_score_grid(numbers, "score_change_mean")
    return remarks, [callers, _make_side_grid(numbers), _make_point_grid(numbers), scores]


def _make_caller_grid(numbers: Numbers) -> tuple[list[str], Grid | None]:
    """Return remarks on callers, and the callers by place."""
    is_always = numbers.value("calls", "played_share") == 1
    callers = [
        place
        for place in range(KwajongenRules.seats)
        if numbers.value("calls_by_place", "caller_share_of_deals", place)
    ]
    if len(callers) == 1:
        return [say(__name__, "only_caller", numbers, _PLACES[callers[0]], is_always)], None
    remarks = [say(__name__, "all_played")] if is_always else []
    rounds = {
        _PLACES[place]: numbers.count("results_by_place", "caller_won_share", place)
        for place in callers
    }
    rare = screen.list_rare(rounds)
    if rare:
        remarks.append(say(__name__, "rare_callers", {place: rounds[place] for place in rare}))
    absent = [f"the {name}" for name in _PLACES if name not in rounds]
    if absent:
        remarks.append(say(__name__, "no_callers", absent))
    shown = [
        (place, name) for place, name in enumerate(_PLACES) if name in rounds and name not in rare
    ]
    rows = []
    for place, name in (*shown, (None, "all")):
        group = () if place is None else (place,)
        table = "results" if place is None else "results_by_place"
        shares = [screen.BLANK, numbers.cell("calls", "played_share")]
        if place is not None:
            shares = [
                numbers.cell("calls_by_place", quantity, place)
                for quantity in ("says_play_share", "caller_share_of_deals")
            ]
        won = [
            numbers.cell(table, quantity, *group)
            for quantity in ("caller_won_share", "caller_lost_share", "tied_share")
        ]
        count = screen.count_cell(numbers.count(table, "caller_won_share", *group))
        rows.append((name, [*shares, *won, count]))
    headings = ("when asked", "of deals", "wins", "loses", "ties", "rounds")
    return remarks, screen.make_grid("Caller", headings, rows)


def _make_side_grid(numbers: Numbers) -> Grid:
    """Return the shares of rounds in which a side wins all four tricks."""
    cells = [
        numbers.cell("capot", f"{side}_capot_share") for side in ("caller", "others", "either")
    ]
    has_raises = numbers.get("raised", "raised_share") is not None
    raised = say(__name__, "raised_rounds", numbers) if has_raises else ""
    headings = ("caller", "others", "either side")
    return screen.make_grid("Four tricks", headings, [("won", cells)], raised)


def _make_point_grid(numbers: Numbers) -> Grid:
    """Return card points and changes of the scores, per round played."""
    rows = [
        (words, screen.list_quartiles(numbers, "card_points", side))
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
        rows.append((words, [numbers.cell("scores", quantity), *[screen.BLANK] * 3]))
    return screen.make_grid(
        "Points per round", ("mean", "25%", "median", "75%"), rows, say(__name__, "lowest_wins")
    )
