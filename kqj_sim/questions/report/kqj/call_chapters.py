"""Chapters of a report of KQJ on calls: takes, auctions, and when the opener should take."""

from __future__ import annotations

from typing import Any

from kqj_sim.output.grid import MIN_OBSERVATIONS
from kqj_sim.output.key_figures import capitalize
from kqj_sim.output.kqj.plots import PLACE_NAMES
from kqj_sim.output.page import Part
from kqj_sim.output.page_charts import make_distribution, make_dots, make_heat_maps
from kqj_sim.questions.report.chapter import (
    Findings,
    describe_share,
    format_estimate,
    name_share,
    select_reliable,
)
from kqj_sim.questions.report.kqj.headlines import TakeAdvice, read_take_chart
from kqj_sim.stats.intervals import Estimate

KIND_NAMES = {
    "return": "the Return's suit",
    "other": "another suit",
    "suit": "a suit",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}
"""The kinds of contract in a sentence."""
MADE = "made_share"
_LAPS = {1: "first", 2: "second"}


def has_taken_deals(found: Findings) -> bool:
    """Return True if any deal was taken."""
    return found.estimate("contracts", MADE).observations > 0


def describe_taking(found: Findings) -> Part:
    """Describe the takes by lap and place, and their contracts."""
    if not has_taken_deals(found):
        return Part(text=("Nobody takes: every deal is passed out.",))
    cells = found.tables["taking_by_lap_and_place"].estimates("share_of_deals")
    lap, place = max(cells, key=lambda turn: cells[turn].value)
    kinds = found.get_estimates("taking_by_kind", "share_of_taken")
    kind = max(kinds, key=lambda each: kinds[each].value)
    rates = select_reliable(found.tables["take_rate"].estimates("takes_share"))
    taken = found.estimate("taking", "taken_share")
    text = [
        f"{describe_share(taken, 'deals', 'are taken')}, "
        f"{format_estimate(cells[lap, place], 'share')} of all deals by the {PLACE_NAMES[place]} "
        f"in the {_LAPS[lap]} lap. "
        f"{describe_share(kinds[kind], 'taken deals', 'are played')} in {KIND_NAMES[kind]}."
    ]
    few: dict[int, list[str]] = {}
    for (of, at), each in found.tables["take_rate"].estimates("takes_share").items():
        if 0 < each.observations < MIN_OBSERVATIONS:
            few.setdefault(of, []).append(PLACE_NAMES[at])
    if few:
        places = "; ".join(f"{', '.join(at)} in the {_LAPS[of]} lap" for of, at in few.items())
        text.append(f"Not drawn, since asked in fewer than {MIN_OBSERVATIONS} deals: {places}.")
    laps = {lap: f"lap {lap}" for lap in sorted({lap for lap, _ in cells})}
    rates_by_lap = {
        name: {PLACE_NAMES[at]: each for (of, at), each in sorted(rates.items()) if of == lap}
        for lap, name in laps.items()
    }
    return Part(
        text=tuple(text),
        pictures=(
            make_heat_maps(
                "taking_heat",
                "Deals taken, by lap and place of the take.",
                {
                    "Deals taken, % of all deals": {
                        (laps[lap], PLACE_NAMES[at]): each for (lap, at), each in cells.items()
                    }
                },
                ("", list(laps.values())),
                ("place", PLACE_NAMES),
                min_observations=1,
            ),
            make_dots(
                "take_rate",
                "Share of takes among the players asked, by place and lap.",
                {name: places for name, places in rates_by_lap.items() if places},
                "takes, % of the players asked",
            ),
        ),
        grids=found.make_grids("take_rate"),
        folded=found.make_grids(
            "taking", "taking_by_lap_and_place", "taking_by_kind", "taking_by_contract"
        ),
    )


def describe_auctions(found: Findings) -> Part:
    """Describe the amounts, bids and counters of auctions, and the contracts made."""
    if not has_taken_deals(found):
        return Part(text=("Nobody bids: every deal is passed out.",))
    opening, final, bids = (
        found.format_text("auctions", quantity)
        for quantity in ("opening_amount_mean", "final_amount_mean", "bids_mean")
    )
    countered = describe_share(
        found.estimate("auctions", "countered_share"), "contracts", "are countered"
    )
    text = [
        f"Somebody bids in {name_share(found.estimate('taking', 'taken_share'))} of the "
        f"deals. The first bid is {opening} on average, the last {final}, after {bids} bids. "
        f"{countered}."
    ]
    stakes = {
        stake: name_share(each)
        for stake, each in select_reliable(found.get_estimates("contracts_by_stake", MADE)).items()
    }
    if 2 in stakes:
        uncountered = f", {stakes[1]} of those not countered" if 1 in stakes else ""
        overcountered = f", {stakes[4]} of the overcountered ones" if 4 in stakes else ""
        countered = f"{stakes[2]} of the countered contracts are made"
        text.append(capitalize(f"{countered}{uncountered}{overcountered}."))
    return Part(
        text=tuple(text),
        pictures=(
            make_distribution(
                "amounts",
                "Distribution of the amounts of the last bid.",
                {"last bid": found.get_estimates("final_amounts", "share_of_taken")},
                "amount of the last bid",
                "% of taken deals",
                step=10,
            ),
            make_dots(
                "made_by_amount",
                "Contracts made, by the amount of the last bid.",
                {"made": select_reliable(found.get_estimates("contracts_by_amount", MADE))},
                "contracts made, %",
            ),
        ),
        grids=found.make_grids("auctions", "contracts_by_stake"),
        folded=found.make_grids(
            "opening_amounts", "final_amounts", "contracts_by_amount", "bids", "capot",
            "taking_by_place", "taking_by_contract",
        ),
    )  # fmt: skip


def describe_take_chart(found: Findings) -> Part:
    """Describe with which hands the opener should take."""
    gains, more, less = "gain_mean", "taking_better_share", "passing_better_share"
    hands = found.tables["take_chart_by_hand"].estimates(gains)
    advice = read_take_chart(found)
    text = [
        "Over all hands, taking at once changes the lead of the opener's side by "
        f"{found.format_text('take_chart', gains)} points against passing. Taking scores more in "
        f"{found.format_text('take_chart', more)} of the deals, passing in "
        f"{found.format_text('take_chart', less)} ({advice.gain.observations:,} deals, each "
        "played both ways).",
        _describe_classes(advice),
    ]
    if advice.worst:
        text.append(f"Passing gains, for example, with {advice.worst}.")
    panels: dict[str, dict[tuple[Any, ...], Estimate]] = {}
    for (tops, trumps, aces), each in hands.items():
        word = "ace" if aces == "1" else "aces"
        title = f"{'no' if aces == '0' else aces} side {word}"
        panels.setdefault(title, {})[tops, trumps] = each
    order = sorted(panels, key=lambda title: ("no" not in title, title))
    rows = ("9, 8, 7 of trump", list(dict.fromkeys(top for top, _, _ in hands)))
    columns = (
        "trumps in five cards and the Return", sorted({number for _, number, _ in hands}),
    )  # fmt: skip
    return Part(
        text=tuple(text),
        pictures=(
            make_heat_maps(
                "take_chart",
                "Gain by taking in points, by highest trumps, number of trumps and side aces; "
                "purple where taking is better, orange where passing is.",
                {title: panels[title] for title in order},
                rows,
                columns,
                "points",
                diverging=True,
            ),
            make_heat_maps(
                "take_right",
                "Deals in which taking scores more than passing, by highest trumps and number of "
                "trumps.",
                {
                    "Taking scores more, % of deals": found.tables["take_chart_by_trumps"]
                    .estimates(more)
                },
                rows,
                columns,
            ),
        ),
        grids=found.make_grids("take_chart"),
        folded=found.make_grids("take_chart_by_trumps", "take_chart_by_hand"),
    )  # fmt: skip


def _describe_classes(advice: TakeAdvice) -> str:
    """Return with how many classes of hands taking gains, passing gains, and neither is shown."""
    better, worse, classes = advice.better, advice.worse, advice.classes
    if better == classes:
        return "Taking clearly gains with every class of hands."
    if worse == classes:
        return "Passing clearly gains with every class of hands."
    tied = classes - better - worse
    others = {0: "", 1: "; 1 is statistically tied"}.get(tied, f"; {tied} are statistically tied")
    passing = f"passing with {worse}" if worse else "passing with none"
    return f"Taking clearly gains with {better} of {classes} classes of hands, {passing}{others}."
