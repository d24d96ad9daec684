"""The key figures of KQJ: takes, contracts, bonuses and points, on one screen."""

from __future__ import annotations

from kqj_sim.messages import count_noun, join_words
from kqj_sim.output.grid import MIN_OBSERVATIONS, Cell, Grid
from kqj_sim.output.group_words import format_value
from kqj_sim.output.key_figures import (
    BLANK,
    GameFigures,
    count_cell,
    list_rare,
    make_grid,
    make_score_grid,
)
from kqj_sim.output.numbers import KeyFigure, Numbers
from kqj_sim.places import format_ordinal, name_places
from kqj_sim.rules import SEATS, require_kqj_rules

_GROUP_COLUMNS = (
    KeyFigure("taken", "taking", "taken_share"),
    KeyFigure("made", "contracts", "made_share"),
    KeyFigure("total", "contracting_total", "contracting_total_mean"),
    KeyFigure("Capot", "bonuses", "capot_share", ("contracting",)),
    KeyFigure("score lead", "scores", "score_difference_mean"),
)
_RESULTS = ("made", "failed", "litigation")
_PLACES = name_places(SEATS)
_GROUP_UNITS = "made: share of contracts; total, score lead: the contracting team's points, mean."
_UNITS = "Results, bonuses: share of contracts."


def _make_grids(results: Numbers) -> tuple[list[str], list[Grid | None]]:
    """Return remarks and the grids of single rounds."""
    # Whole games and scores of single seats need the lines that kinds of contract take elsewhere.
    games = "games" in results
    scores = None if games else make_score_grid(results, "score_mean")
    compact = games or scores is not None
    remarks, takes = _make_take_grid(results, compact)
    if "taking_by_place" in results:
        auction = require_kqj_rules(results.run.rules).bidding == "auction"
        remarks.insert(0, _UNITS if auction else f"Takes: share of deals. {_UNITS}")
    contracts = _make_contract_grid(results, compact and takes is not None)
    grids = [takes, contracts, _make_bonus_grid(results), _make_point_grid(results), scores]
    return remarks, grids


def _name_defenders(results: Numbers) -> str:
    two_teams = require_kqj_rules(results.run.rules).teams == 2
    return "the defenders" if two_teams else "each defending team"


def _describe_lead(results: Numbers, is_ahead: bool, points: str) -> str:
    more = "more" if is_ahead else "less"
    return (
        f", and the contracting team scores {points} points {more} than {_name_defenders(results)}"
    )


def _describe_contracts(results: Numbers, contracts: int) -> str:
    """Return how many of the contracts are made."""
    what, taker = "contract", ""
    if results.run.imposed:
        place, contract, *amount = results.run.imposed.split(":")
        name = format_value("contract", contract, "kqj")
        what += f" of {amount[0]} {name}" if amount else f" in {name}"
        taker = f"the {place}"
    if contracts == 1:
        result = next(each for each in _RESULTS if results.value("contracts", f"{each}_share"))
        ends = {"made": "is made", "failed": "fails", "litigation": "ends in litigation"}
        return f"the only {what} {ends[result]}"
    share = results.value("contracts", "made_share")
    if share in (0.0, 1.0):
        every = "every" if share else "no"
        return f"{taker} makes {every} {what}" if taker else f"{every} {what} is made"
    if contracts < MIN_OBSERVATIONS:
        count = round(share * contracts)
        made = f"{count} of {contracts} {what.replace('contract', 'contracts')}"
        verb = "is" if count == 1 else "are"
        return f"{taker} makes {made}" if taker else f"{made} {verb} made"
    made = f"{results.text('contracts', 'made_share')} of {what.replace('contract', 'contracts')}"
    return f"{taker} makes {made}" if taker else f"{made} are made"


def _make_take_grid(results: Numbers, compact: bool) -> tuple[list[str], Grid | None]:
    """Return what there is to say of takes in words, and the takes by place."""
    if "taking_by_place" not in results:
        return [], None
    auction = require_kqj_rules(results.run.rules).bidding == "auction"
    taken = results.value("taking", "taken_share")
    every = "Somebody bid in every deal." if auction else "Every deal was taken."
    remarks = [every] if taken == 1 else []
    laps = [
        lap
        for lap in (() if auction else (1, 2))
        if results.value("taking_by_lap", "share_of_deals", lap)
    ]
    takers = [
        place for place in range(SEATS) if results.value("taking_by_place", "share_of_deals", place)
    ]
    if len(takers) == 1:
        where = "" if auction else f" in the {format_ordinal(laps[0])} lap"
        by = f"by the {_PLACES[takers[0]]}"
        if len(laps) == 2:
            where = ""
        if taken == 1:
            said = f"The last bid was {by[3:]}'s in every deal." if auction else ""
            return [said or f"Every deal was taken{where} {by}."], None
        deals = results.text("taking", "taken_share")
        done = "The last bid was always" if auction else "Every take was"
        return [f"{done}{where} {by}, in {deals} of the deals."], None
    rare, laps, shown_places = _drop_rare(results, laps, takers)
    if rare:
        remarks.append(f"Too few for a row: {rare}.")
    elif len(laps) == 1:
        lap = format_ordinal(laps[0])
        remarks = [f"Every {'deal was taken' if taken == 1 else 'take was'} in the {lap} lap."]
    absent = [f"the {name}" for place, name in enumerate(_PLACES) if place not in takers]
    if absent:
        remarks.append(f"No {'last bids' if auction else 'takes'} by {join_words(absent, 'or')}.")
    if len(laps) == 1:
        laps = []
    names = [f"{format_ordinal(lap)} lap" for lap in laps]
    names += [] if laps and compact else ["both laps" if laps else "of deals"]
    shown = [f"{result}_share" for result in _RESULTS] if compact else ["made_share"]
    shown = [each for each in shown if results.get("contracts", each) is not None]
    rows = []
    for place, name in (*((place, _PLACES[place]) for place in shown_places), (None, "all")):
        group = () if place is None else (place,)
        cells = [
            results.cell("taking_by_lap", "share_of_deals", lap)
            if place is None
            else results.cell("taking_by_lap_and_place", "share_of_deals", lap, place)
            for lap in laps
        ]
        if not (laps and compact):
            cells.append(
                (Cell("100%") if taken == 1 else results.cell("taking", "taken_share"))
                if place is None
                else results.cell("taking_by_place", "share_of_deals", place)
            )
        table = "contracts" if place is None else "contracts_by_place"
        cells += [results.cell(table, each, *group) for each in shown]
        cells.append(count_cell(results.count(table, "made_share", *group)))
        rows.append((name, cells))
    headings = [*names, *(each.removesuffix("_share") for each in shown), "contracts"]
    note = _describe_counters(results) if compact else ""
    return remarks, make_grid("Last bid" if auction else "Takes", headings, rows, note)


def _drop_rare(
    results: Numbers, laps: list[int], takers: list[int]
) -> tuple[str, list[int], list[int]]:
    """Return the takes that are too few for a row, in words, and the laps and places to show."""
    deals = results.count("taking", "taken_share")
    takes = {
        format_ordinal(lap): round(deals * results.value("taking_by_lap", "share_of_deals", lap))
        for lap in laps
    }
    rare_laps = list_rare(takes)
    if len(rare_laps) == len(laps):
        rare_laps, laps = [], []
    contracts = {
        _PLACES[place]: results.count("contracts_by_place", "made_share", place) for place in takers
    }
    rare_places = list_rare(contracts)
    found = [(takes[lap], f"in the {lap} lap") for lap in rare_laps]
    found += [(contracts[place], f"by the {place}") for place in rare_places]
    noun = "take" if takes else "contract"
    words = [f"{count_noun(count, noun)} {where}" for count, where in found[:1]]
    words += [f"{count:,} {where}" for count, where in found[1:]]
    shown_laps = [lap for lap in laps if format_ordinal(lap) not in rare_laps]
    shown_places = [place for place in takers if _PLACES[place] not in rare_places]
    return ", ".join(words), shown_laps, shown_places


def _make_contract_grid(results: Numbers, compact: bool) -> Grid | None:
    """Return the results of contracts by kind; None if other grids have them."""
    results_shown = [
        result for result in _RESULTS if results.get("contracts", f"{result}_share") is not None
    ]
    kinds = (
        [kind for (kind,) in results.list_groups("contracts_by_kind")]
        if "contracts_by_kind" in results
        else []
    )
    counts = {kind: results.count("contracts_by_kind", "made_share", kind) for kind in kinds}
    rare = list_rare(counts)
    kinds = [kind for kind in kinds if kind not in rare]
    note = _describe_counters(results)
    if rare and kinds:
        several = sum(counts[kind] for kind in rare)
        words = [format_value("kind", kind, "kqj") for kind in rare]
        names = join_words([f"the {each}" if "Return" in each else each for each in words], "or")
        count = count_noun(several, "contract") if several else "No contract"
        note = f"{note} {count} in {names}.".lstrip()
    if compact or (len(kinds) < 2 and results.value("contracts", "made_share") in (0.0, 1.0)):
        return None
    has_shares = "taking_by_kind" in results
    rows = []
    for kind in [*(kinds if len(kinds) > 1 else ()), None]:
        group = () if kind is None else (kind,)
        table = "contracts" if kind is None else "contracts_by_kind"
        cells = [results.cell(table, f"{result}_share", *group) for result in results_shown]
        if has_shares and len(kinds) > 1:
            share = results.cell("taking_by_kind", "share_of_taken", *group)
            cells.insert(0, BLANK if kind is None else share)
        cells.append(count_cell(results.count(table, "made_share", *group)))
        name = "all" if kind is None else format_value("kind", kind, "kqj")
        rows.append((name, cells))
    headings = [*results_shown, "contracts"]
    if has_shares and len(kinds) > 1:
        headings.insert(0, "share")
    return make_grid("Contracts", headings, rows, note)


def _describe_counters(results: Numbers) -> str:
    """Return how often contracts are countered, with auctions."""
    if "auctions" not in results:
        return ""
    if not results.value("auctions", "countered_share"):
        return "No contract is countered."
    countered = results.text("auctions", "countered_share")
    over = results.text("auctions", "overcountered_share")
    again = f", {over} overcountered" if results.value("auctions", "overcountered_share") else ""
    return f"{countered} of contracts are countered{again}."


def _make_bonus_grid(results: Numbers) -> Grid | None:
    """Return the bonuses by side; bonuses that nobody had are in the note."""
    if results.count("contracts", "made_share") == 1:
        return None
    rows, never = [], []
    for name, quantity in (
        ("Capot", "capot_share"), ("KQJ", "kqj_share"), ("KQ", "kq_share"),
    ):  # fmt: skip
        if not results.value("bonuses", quantity, "either"):
            never.append(name)
            continue
        cells = [
            results.cell("bonuses", quantity, side)
            for side in ("contracting", "defending", "either")
        ]
        rows.append((name, cells))
    last = [
        results.cell("bonuses", "last_trick_share", side) for side in ("contracting", "defending")
    ]
    rows.append(("last trick", [*last, BLANK]))
    note = f"Nobody had a {' or a '.join(never)}." if never else ""
    return make_grid("Bonuses", ("contracting", "defending", "either side"), rows, note)


def _make_point_grid(results: Numbers) -> Grid:
    """Return bids, the contracting team's total and the scores, per contract."""
    rows = []
    if "auctions" in results:
        for name, quantity in (
            ("first bid", "opening_amount_mean"), ("last bid", "final_amount_mean"),
        ):  # fmt: skip
            rows.append((name, [results.cell("auctions", quantity), BLANK, BLANK, BLANK]))
    total = [
        results.cell("contracting_total", f"contracting_total_{end}")
        for end in ("mean", "quantile_25", "median", "quantile_75")
    ]
    rows.append(("contracting team's total", total))
    teams = require_kqj_rules(results.run.rules).teams
    scores = [
        ("contracting team's score", "contracting_score_mean"),
        ("defenders' score" if teams == 2 else "a defending team's score", "defending_score_mean"),
        ("difference of the scores", "score_difference_mean"),
    ]
    # Whole games need the lines.
    for name, quantity in scores if "games" not in results else scores[2:]:
        rows.append((name, [results.cell("scores", quantity), BLANK, BLANK, BLANK]))
    if results.count("contracts", "made_share") == 1:
        return make_grid("Points", ("",), [(name, cells[:1]) for name, cells in rows])
    return make_grid("Points per contract", ("mean", "25%", "median", "75%"), rows)


FIGURES = GameFigures(
    columns=_GROUP_COLUMNS,
    rounds="Contracts made",
    groups_remark=_GROUP_UNITS,
    nobody_played="nobody took",
    team_lead="team_difference_mean",
    describe_results=_describe_contracts,
    tied=lambda results: f"the contracting team and {_name_defenders(results)}",
    describe_lead=_describe_lead,
    make_grids=_make_grids,
)
