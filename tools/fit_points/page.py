"""The page of a fit of `points`: the count to use at a card table, and how well it predicts."""

from __future__ import annotations

import math
from statistics import NormalDist

from kqj_sim.core.block import SEATS
from kqj_sim.output.grid import EMPTY_CELL_TEXT, Cell, Grid, format_number, to_markdown
from kqj_sim.policies.points import PARAMETERS
from kqj_sim.stats.intervals import Estimate
from tools.fit_points.auctions import BidModel
from tools.fit_points.fit import BAND_WIDTH, TEAMS, PointsFit, round_thresholds
from tools.fit_points.point_count import HELD_OUT_SHARE, TERMS_OF_KIND, CountFit, SettingFit
from tools.fit_points.thresholds import Threshold

KIND_TITLES = {"suit": "With a suit as trump", "NT": "At No-Trump", "AT": "At All-Trumps"}
"""The kinds of contract in words."""

SUIT_ROLES = {
    "return": "suit of the Return",
    "other": "another suit",
    "suit": "suit",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}
"""The roles of a contract in words."""

_TEAM_COUNT_WORDS = {2: "Two teams", 3: "Three teams"}
_PLACE_NAMES = ("opener", "second", "third", "fourth", "fifth", "dealer")
_TRUMP = {"trump_9": "9", "trump_8": "8", "trump_7": "7", "trump_A": "ace", "trump_T": "ten"}
_EXAMPLE_COUNTS = (20, 40, 60, 80, 100, 120)
"""Counts for which the expected total in an auction is written out."""


def _format_with_error(value: float, error: float, unit: str) -> Cell:
    """Return a number with its 95% interval, by its standard error (NaN: none)."""
    half = NormalDist().inv_cdf(0.975) * error
    return format_number(Estimate(value, value - half, value + half, 0), unit)


def _describe_parameter(parameter: str) -> str:
    """Return the meaning of a parameter, without the words that all of its table share."""
    meaning = PARAMETERS[parameter].meaning
    for common in ("points of count for ", "auctions: "):
        meaning = meaning.removeprefix(common)
    return meaning


def _make_count_grid(fit: PointsFit, kind: str) -> Grid:
    """Return the points of one kind of contract."""
    found = fit.counts[kind]
    rows = tuple(
        (
            Cell(_describe_parameter(name)),
            Cell(f"{fit.values[2][name]:g}"),
            _format_with_error(points, error, "points"),
            Cell(name),
        )
        for name, points, error in zip(TERMS_OF_KIND[kind], found.points, found.errors, strict=True)
    )
    note = ""
    if kind == "suit":
        value = fit.values[2]
        each = value["trump"]
        whole = ", ".join(
            f"the {card} {each + value[name]:g} ({each:g} + {value[name]:g})"
            for name, card in _TRUMP.items()
        )
        note = f"A trump card with all that it counts by itself: {whole}; any other {each:g}."
    return Grid(KIND_TITLES[kind], ("for", "points", "as fitted", "parameter"), rows, 1, note)


def _make_offsets_grid(fit: PointsFit) -> Grid:
    """Return the offsets that make counts of different contracts comparable when taking."""
    rows = tuple(
        (Cell(_describe_parameter(name).removeprefix("taking: ")),
         *(Cell(f"{fit.values[teams][name]:+g}") for teams in TEAMS))
        for name in ("other", "no_trump", "all_trumps")
    )  # fmt: skip
    headings = ("taking", *(_TEAM_COUNT_WORDS[teams].lower() for teams in TEAMS))
    return Grid("To compare contracts when taking", headings, rows)


def _make_line_row(line: SettingFit) -> tuple[Cell, ...]:
    setting = line.setting
    return (
        Cell(_TEAM_COUNT_WORDS[setting.teams]),
        Cell(f"{SUIT_ROLES[setting.role]}, {setting.known}"),
        Cell(f"{line.base:.0f} + {line.slope:.2f} x count"),
        Cell(f"{line.residual:.1f}"),
        Cell(f"{line.r2:.3f}"),
        Cell(f"{line.r2_unconstrained:.3f}"),
        Cell(f"{line.value_base:.0f} + {line.value_slope:.2f} x count"),
    )


def _make_lines_grid(counts: dict[str, CountFit], deals: int) -> Grid:
    """Return how well the count predicts totals."""
    held_out = round(deals * HELD_OUT_SHARE)
    headings = (
        "teams", "contract, cards counted", "expected total", "residual SD", "R2", "R2 free",
        "expected score difference",
    )  # fmt: skip
    note = (
        f"In each setting fitted to {deals - held_out:,} rounds; R2 and the residual SD are of "
        f"{held_out:,} others.  R2 free: of a fit of all terms to that setting alone.  In "
        "auctions amounts are imposed at random, so the score difference is for these."
    )
    rows = tuple(_make_line_row(line) for fit in counts.values() for line in fit.lines)
    return Grid("How well the count predicts the total of the contracting team", headings, rows, 2,
                note)  # fmt: skip


def _make_bands_grid(fit: PointsFit, teams: int) -> Grid:
    """Return the results of takes by count."""
    found = [band for band in fit.bands if band.teams == teams]
    rows = []
    for band in found:
        name = f"{band.low} to {band.low + BAND_WIDTH - 1}"
        if band is found[-1]:
            name = f"{band.low} and more"
        if band is found[0]:
            name = f"up to {band.low + BAND_WIDTH - 1}"
        rows.append((
            Cell(name),
            Cell(f"{100 * band.share:.1f}%"),
            _format_with_error(band.made, band.made_error, "share"),
            _format_with_error(band.value, band.value_error, "points"),
            Cell(f"{band.deals:,}"),
        ))  # fmt: skip
    return Grid(
        f"{_TEAM_COUNT_WORDS[teams]}: what taking the suit of the Return comes to",
        ("count", "hands", "made", "score difference", "deals"),
        tuple(rows),
    )


def _is_always_reached(least: float) -> bool:
    """Return True if every hand reaches a threshold."""
    return least <= 0


def _describe_threshold(least: float) -> str:
    """Return a threshold in words."""
    return "any hand" if _is_always_reached(least) else f"from {least:g}"


def _get_threshold(fit: PointsFit, teams: int, lap: int, place: int) -> float:
    """Return the threshold of a turn, as the parameters have it."""
    value, name = fit.values[teams], "take" if lap == 1 else "lap2"
    return value[name] + (value[f"{name}_{place}"] if place > 0 else 0)


_USED_THRESHOLDS = {
    2: "Used is the count from which the contract is more often made than not; the best response "
    "is the preset bold.",
    3: "Used is what was found if it scores more by two standard errors than what there was (see "
    "below).",
}
"""Notes on the thresholds that the parameters have, by number of teams."""


def _make_thresholds_grid(fit: PointsFit, teams: int) -> Grid:
    """Return the thresholds by lap and place."""
    found = fit.thresholds[teams]
    rows = tuple(
        (
            Cell(str(each.lap)),
            Cell(_PLACE_NAMES[each.place]),
            Cell(_describe_threshold(_get_threshold(fit, teams, each.lap, each.place))),
            Cell(_describe_threshold(least)),
            _format_with_error(each.count, each.error, "points"),
            _format_with_error(each.weakest, each.weakest_error, "points"),
            Cell(f"{each.deals:,}"),
        )
        for each, least in zip(found, round_thresholds(found), strict=True)
    )
    return Grid(
        f"{_TEAM_COUNT_WORDS[teams]}: with which count to take",
        (
            "lap",
            "place",
            "used: take with",
            "found here",
            "taking gains nothing at",
            "gain with the weakest",
            "deals",
        ),
        rows,
        4,
        f"{_USED_THRESHOLDS[teams]}  Rounds in which all before passed: taking "
        "against passing in the same deal.  The weakest "
        f"are the lowest tenth of the counts there.  {EMPTY_CELL_TEXT}: no such count was found.",
    )


def describe_first_lap(thresholds: list[Threshold], teams: int) -> str:
    """Describe the best thresholds of the first lap in a sentence.

    Args:
        thresholds: the thresholds of the twelve turns.
        teams: 2 or 3.
    """
    least = round_thresholds(thresholds)[:SEATS]
    opener = thresholds[0]
    gains = "gains" if opener.weakest > 0 else "loses"
    weakest = (
        f"with the weakest tenth of the opener's hands taking {gains} {abs(opener.weakest):.1f} "
        f"points against passing (standard error {opener.weakest_error:.1f}, {opener.deals:,} "
        "deals)"
    )
    if all(map(_is_always_reached, least)):
        best = "take the suit of the Return at once with any hand, at every place"
    elif _is_always_reached(least[0]):
        later = ", ".join(
            f"the {_PLACE_NAMES[place]} "
            f"{'any hand' if _is_always_reached(count) else f'from {count}'}"
            for place, count in enumerate(least)
            if place > 0
        )
        best = f"the opener takes the suit of the Return with any hand; then {later}"
    else:
        several = f"{min(least)} to {max(least)}, by place" if len({*least}) > 1 else f"{least[0]}"
        best = f"in the first lap do not take with any hand, but from a count of {several}"
        if math.isfinite(opener.error):
            best += f" (the opener's standard error {opener.error:.1f})"
    return f"{_TEAM_COUNT_WORDS[teams]}: {best}; {weakest}."


def _describe_expected_total(fit: PointsFit, teams: int) -> str:
    """Describe the expected total in auctions as a sum."""
    value = {name: fit.values[teams][name] for name in fit.bid_models[teams].parameters}
    hearing = fit.bid_models[teams]
    terms = [f"{value['per_count']:g} x count"] if "per_count" in value else []
    for name, who in (("named", "partner"), ("their_named", "opponent")):
        if name in value:
            terms.append(f"{value[name]:+g} for each {who} whose last bid is in it")
    return (
        f"Expected total: a base, {', '.join(terms)}, with an SD of {value['spread']:g}.  It is "
        "what scores most to bid by, not the mean total.  Mean in play: R2 "
        f"{hearing.r2:.3f} of the bidder's total, "
        f"{hearing.r2_opponents:.3f} of what opponents' totals exceed their bids by; "
        f"a turn of each of {fit.plan.auction:,} auctions."
    )


def _make_totals_grid(fit: PointsFit, teams: int) -> Grid:
    """Return the expected totals in auctions when nobody has bid."""
    value = fit.values[teams]
    rows = tuple(
        (Cell(str(count)), *(
            Cell(f"{value[base] + value['per_count'] * count:.0f}")
            for base in ("base_suit", "base_nt", "base_at")
        ))
        for count in _EXAMPLE_COUNTS
    )  # fmt: skip
    title = f"{_TEAM_COUNT_WORDS[teams]}: expected total with eight cards, nothing heard"
    return Grid(title, ("count", "suit", "No-Trump", "All-Trumps"), rows)


def _make_bidding_grid(fit: PointsFit, hearing: BidModel, teams: int) -> Grid:
    """Return the parameters fitted to auctions, beside those used."""
    rows = []
    for name in PARAMETERS:
        if PARAMETERS[name].bidding != "auction":
            continue
        fitted = Cell(EMPTY_CELL_TEXT)
        if name in hearing.parameters:
            fitted = _format_with_error(
                hearing.parameters[name], hearing.errors.get(name, math.nan), ""
            )
        used = Cell(f"{fit.values[teams][name]:g}")
        rows.append((Cell(_describe_parameter(name)), used, fitted, Cell(name)))
    return Grid(
        f"{_TEAM_COUNT_WORDS[teams]}: the parameters of auctions",
        ("what", "used", "mean in play", "parameter"),
        tuple(rows),
        1,
        "Used: found by `kqj-sim tune`, as docs/training.md tells.  Mean in play: what totals come "
        "to between these players, fitted by least squares; what scores most may be more cautious.",
    )


def _make_leads_grid(fit: PointsFit) -> Grid:
    """Return the leads of the new parameters over other callers."""
    rows = tuple(
        (
            Cell(_TEAM_COUNT_WORDS[teams]),
            Cell("taking" if bidding == "take" else "auctions"),
            Cell(other),
            _format_with_error(*lead, "points"),
            Cell(f"{fit.plan.auction:,}"),
        )
        for (teams, bidding, other), lead in fit.leads.items()
    )
    return Grid(
        "Points a round ahead of other callers",
        ("teams", "bidding", "against", "ahead by", "deals"),
        rows,
        3,
        "All play the cards alike, on deals that nothing was fitted to, each deal once with each "
        "team's cards.",
    )


def render_points_page(fit: PointsFit, provenance: dict[str, str]) -> str:
    """Return the page as Markdown.

    Args:
        fit: the fit.
        provenance: names and texts of the lines that say how it was made.
    """

    def grids(*each: Grid) -> list[str]:
        return [to_markdown(grid) for grid in each]

    parts = [
        "# The point count\n",
        *(f"- {name}: {what}" for name, what in provenance.items()),
        "\n±: 95% intervals.\n",
        "## The count\n",
        "Add up what the hand holds: when taking the five cards with the Return, in auctions the "
        "eight.  Points are of the expected total, two teams, the suit of the Return.\n",
        *grids(*(_make_count_grid(fit, kind) for kind in KIND_TITLES), _make_offsets_grid(fit)),
        "## Taking\n",
        *(f"**{describe_first_lap(fit.thresholds[teams], teams)}**\n" for teams in TEAMS),
        *grids(*(_make_thresholds_grid(fit, teams) for teams in TEAMS)),
        "## What a count is worth\n",
        *grids(*(_make_bands_grid(fit, teams) for teams in TEAMS),
               _make_lines_grid(fit.counts, fit.plan.deals)),
        "## Auctions\n",
    ]  # fmt: skip
    for teams in TEAMS:
        parts += grids(_make_totals_grid(fit, teams))
        parts += [_describe_expected_total(fit, teams) + "\n"]
        parts += grids(_make_bidding_grid(fit, fit.bid_models[teams], teams))
    parts += ["## Against other callers\n", *grids(_make_leads_grid(fit))]
    return "\n".join(parts)
