"""The key figures of KQJ: takes, contracts, bonuses and points, on one screen."""

from __future__ import annotations

from kqj_sim.output.chapters import KeyFigure, Numbers
from kqj_sim.output.grid import Cell, Grid, format_value
from kqj_sim.output.sentences import say
from kqj_sim.places import format_ordinal, name_places
from kqj_sim.questions.simulate import screen
from kqj_sim.rules import SEATS, require_kqj_rules

GROUP_FIGURES: tuple[KeyFigure, ...] = (
    KeyFigure("taken", "taking", "taken_share"),
    KeyFigure("made", "contracts", "made_share"),
    KeyFigure("total", "contracting_total", "contracting_total_mean"),
    KeyFigure("Capot", "bonuses", "capot_share", ("contracting",)),
    KeyFigure("score lead", "scores", "score_difference_mean"),
)
_RESULTS = ("made", "failed", "litigation")
_PLACES = name_places(SEATS)


def make_grids(numbers: Numbers) -> tuple[list[str], list[Grid | None]]:
    # Whole games and scores of single seats need the lines that kinds of contract take elsewhere.
    games = "games" in numbers
    scores = None if games else screen.make_score_grid(numbers, "score_mean")
    compact = games or scores is not None
    remarks, takes = _make_take_grid(numbers, compact)
    contracts = _make_contract_grid(numbers, compact and takes is not None)
    return remarks, [takes, contracts, _make_bonus_grid(numbers), _make_point_grid(numbers), scores]


def _make_take_grid(numbers: Numbers, compact: bool) -> tuple[list[str], Grid | None]:
    if "taking_by_place" not in numbers:
        return [], None
    auction = require_kqj_rules(numbers.run.rules).bidding == "auction"
    remarks = [say(__name__, "units", auction)]
    is_always = numbers.value("taking", "taken_share") == 1
    laps = [
        lap
        for lap in (() if auction else (1, 2))
        if numbers.value("taking_by_lap", "share_of_deals", lap)
    ]
    takers = [
        place for place in range(SEATS) if numbers.value("taking_by_place", "share_of_deals", place)
    ]
    if len(takers) == 1:
        taker, only_lap = _PLACES[takers[0]], laps[0] if len(laps) == 1 else None
        remarks.append(say(__name__, "only_taker", numbers, auction, taker, only_lap, is_always))
        return remarks, None
    rare, laps, shown_places = _drop_rare(numbers, laps, takers)
    if len(laps) == 1 and not rare:
        remarks.append(say(__name__, "only_lap", laps[0], is_always))
    elif is_always:
        remarks.append(say(__name__, "all_taken", auction))
    if rare:
        remarks.append(say(__name__, "rare_takers", rare, auction))
    absent = [f"the {name}" for place, name in enumerate(_PLACES) if place not in takers]
    if absent:
        remarks.append(say(__name__, "no_takers", absent, auction))
    if len(laps) == 1:
        laps = []
    names = [f"{format_ordinal(lap)} lap" for lap in laps]
    names += [] if laps and compact else ["both laps" if laps else "of deals"]
    shown = [f"{result}_share" for result in _RESULTS] if compact else ["made_share"]
    shown = [quantity for quantity in shown if numbers.get("contracts", quantity) is not None]
    rows = []
    for place, name in (*((place, _PLACES[place]) for place in shown_places), (None, "all")):
        group = () if place is None else (place,)
        cells = [
            numbers.cell("taking_by_lap", "share_of_deals", lap)
            if place is None
            else numbers.cell("taking_by_lap_and_place", "share_of_deals", lap, place)
            for lap in laps
        ]
        if not (laps and compact):
            cells.append(
                (Cell("100%") if is_always else numbers.cell("taking", "taken_share"))
                if place is None
                else numbers.cell("taking_by_place", "share_of_deals", place)
            )
        table = "contracts" if place is None else "contracts_by_place"
        cells += [numbers.cell(table, quantity, *group) for quantity in shown]
        cells.append(screen.count_cell(numbers.count(table, "made_share", *group)))
        rows.append((name, cells))
    headings = [*names, *(quantity.removesuffix("_share") for quantity in shown), "contracts"]
    note = say(__name__, "countered_note", numbers) if compact else ""
    return remarks, screen.make_grid("Last bid" if auction else "Takes", headings, rows, note)


def _drop_rare(
    numbers: Numbers, laps: list[int], takers: list[int]
) -> tuple[list[tuple[int, str, int]], list[int], list[int]]:
    """Return what is too rare for a row (lap, or 0 and place; number), laps and places to show."""
    deals = numbers.count("taking", "taken_share")
    takes = {
        lap: round(deals * numbers.value("taking_by_lap", "share_of_deals", lap)) for lap in laps
    }
    rare_laps = screen.list_rare(takes)
    if len(rare_laps) == len(laps):
        rare_laps, laps = [], []
    contracts = {
        place: numbers.count("contracts_by_place", "made_share", place) for place in takers
    }
    rare_places = screen.list_rare(contracts)
    rare = [(lap, "", takes[lap]) for lap in rare_laps]
    rare += [(0, _PLACES[place], contracts[place]) for place in rare_places]
    return (
        rare,
        [lap for lap in laps if lap not in rare_laps],
        [place for place in takers if place not in rare_places],
    )


def _make_contract_grid(numbers: Numbers, compact: bool) -> Grid | None:
    """Return the results of contracts by kind; None if other grids have them."""
    results_shown = [
        result for result in _RESULTS if numbers.get("contracts", f"{result}_share") is not None
    ]
    kinds = (
        [kind for (kind,) in numbers.list_groups("contracts_by_kind")]
        if "contracts_by_kind" in numbers
        else []
    )
    counts = {kind: numbers.count("contracts_by_kind", "made_share", kind) for kind in kinds}
    rare = screen.list_rare(counts)
    kinds = [kind for kind in kinds if kind not in rare]
    names = [format_value("kind", kind, "kqj") for kind in rare if kinds]
    several = sum(counts[kind] for kind in rare)
    note = say(__name__, "contracts_note", numbers, names, several)
    if compact or (len(kinds) < 2 and numbers.value("contracts", "made_share") in (0.0, 1.0)):
        return None
    has_shares = "taking_by_kind" in numbers
    rows = []
    for kind in [*(kinds if len(kinds) > 1 else ()), None]:
        group = () if kind is None else (kind,)
        table = "contracts" if kind is None else "contracts_by_kind"
        cells = [numbers.cell(table, f"{result}_share", *group) for result in results_shown]
        if has_shares and len(kinds) > 1:
            share = numbers.cell("taking_by_kind", "share_of_taken", *group)
            cells.insert(0, screen.BLANK if kind is None else share)
        cells.append(screen.count_cell(numbers.count(table, "made_share", *group)))
        name = "all" if kind is None else format_value("kind", kind, "kqj")
        rows.append((name, cells))
    headings = [*results_shown, "contracts"]
    if has_shares and len(kinds) > 1:
        headings.insert(0, "share")
    return screen.make_grid("Contracts", headings, rows, note)


def _make_bonus_grid(numbers: Numbers) -> Grid | None:
    if numbers.count("contracts", "made_share") == 1:
        return None
    rows, never = [], []
    for name, quantity in (
        ("Capot", "capot_share"), ("KQJ", "kqj_share"), ("KQ", "kq_share"),
    ):  # fmt: skip
        if not numbers.value("bonuses", quantity, "either"):
            never.append(name)
            continue
        cells = [
            numbers.cell("bonuses", quantity, side)
            for side in ("contracting", "defending", "either")
        ]
        rows.append((name, cells))
    last = [
        numbers.cell("bonuses", "last_trick_share", side) for side in ("contracting", "defending")
    ]
    rows.append(("last trick", [*last, screen.BLANK]))
    note = say(__name__, "no_bonuses", never) if never else ""
    return screen.make_grid("Bonuses", ("contracting", "defending", "either side"), rows, note)


def _make_point_grid(numbers: Numbers) -> Grid:
    rows = []
    if "auctions" in numbers:
        for name, quantity in (
            ("first bid", "opening_amount_mean"), ("last bid", "final_amount_mean"),
        ):  # fmt: skip
            rows.append((name, [numbers.cell("auctions", quantity), *[screen.BLANK] * 3]))
    total = screen.list_quartiles(numbers, "contracting_total")
    rows.append(("contracting team's total", total))
    teams = require_kqj_rules(numbers.run.rules).teams
    scores = [
        ("contracting team's score", "contracting_score_mean"),
        ("defenders' score" if teams == 2 else "a defending team's score", "defending_score_mean"),
        ("difference of the scores", "score_difference_mean"),
    ]
    # Whole games need the lines.
    for name, quantity in scores if "games" not in numbers else scores[2:]:
        rows.append((name, [numbers.cell("scores", quantity), *[screen.BLANK] * 3]))
    if numbers.count("contracts", "made_share") == 1:
        return screen.make_grid("Points", ("",), [(name, cells[:1]) for name, cells in rows])
    return screen.make_grid("Points per contract", ("mean", "25%", "median", "75%"), rows)
