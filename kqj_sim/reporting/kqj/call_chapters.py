"""Chapters of a report of KQJ on calls: takes, auctions, and when the opener should take."""

from __future__ import annotations

from typing import Any

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.reporting.chapter import Findings, format_estimate, select_reliable
from kqj_sim.reporting.kqj.plots import PLACE_NAMES
from kqj_sim.reporting.page import Part
from kqj_sim.rules import require_kqj_rules

KIND_NAMES = {
    "return": "the Return's suit",
    "other": "another suit",
    "suit": "a suit",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}
"""The kinds of contract in a sentence."""
MADE = "made_share"


def has_taken_deals(found: Findings) -> bool:
    """Return True if any deal was taken."""
    return found.estimate("contracts", MADE).observations > 0


def describe_taking(found: Findings) -> Part | None:
    """Describe the takes by lap and place, and their contracts."""
    if "taking" not in found.tables or require_kqj_rules(found.rules).bidding != "take":
        return None
    if not has_taken_deals(found):
        return Part(text=("Nobody takes: all deals are passed out.",))
    taken, passed = (
        found.format_text("taking", quantity) for quantity in ("taken_share", "passed_out_share")
    )
    cells = found.tables["taking_by_lap_and_place"].estimates("share_of_deals")
    lap, place = max(cells, key=lambda turn: cells[turn].value)
    kinds = found.get_estimates("taking_by_kind", "share_of_taken")
    kind = max(kinds, key=lambda each: kinds[each].value)
    rates = select_reliable(found.tables["take_rate"].estimates("takes_share"))
    text = (
        f"{taken} of the deals are taken, {passed} are passed out. Most takes come from the "
        f"{PLACE_NAMES[place]} in lap {lap}: {format_estimate(cells[lap, place], 'share')} of all "
        f"deals. Of the taken deals {format_estimate(kinds[kind], 'share')} are played in "
        f"{KIND_NAMES[kind]}.",
    )
    laps = {lap: f"lap {lap}" for lap in sorted({lap for lap, _ in cells})}
    rates_by_lap = {
        name: {PLACE_NAMES[at]: each for (of, at), each in sorted(rates.items()) if of == lap}
        for lap, name in laps.items()
    }
    return Part(
        text=text,
        pictures=(
            found.make_heat_maps(
                "taking_heat",
                "Deals taken, by lap and place of the take.",
                {
                    "Deals taken, % of all deals": {
                        (laps[lap], PLACE_NAMES[at]): each for (lap, at), each in cells.items()
                    }
                },
                ("", list(laps.values())),
                ("place in the order of speaking", PLACE_NAMES),
                min_observations=1,
            ),
            found.make_dots(
                "take_rate",
                "How often each place takes when it is asked, by lap, with intervals.",
                {name: places for name, places in rates_by_lap.items() if places},
                "takes, % of those asked",
                comparable=True,
            ),
        ),
        grids=found.make_grids("take_rate"),
        folded=found.make_grids(
            "taking", "taking_by_lap_and_place", "taking_by_kind", "taking_by_contract"
        ),
    )


def describe_auctions(found: Findings) -> Part | None:
    """Describe the amounts, bids and counters of auctions, and the contracts made."""
    if "auctions" not in found.tables:
        return None
    if not has_taken_deals(found):
        return Part(text=("Nobody bids: all deals are passed out.",))
    opening, final, bids, countered = (
        found.format_text("auctions", quantity)
        for quantity in (
            "opening_amount_mean", "final_amount_mean", "bids_mean", "countered_share",
        )
    )  # fmt: skip
    text = [
        f"Somebody bids in {found.format_text('taking', 'taken_share')} of the "
        f"deals. The first bid is {opening} on average, the last {final}, after {bids} bids. "
        f"{countered} of the contracts are countered."
    ]
    stakes = {
        stake: str(format_estimate(each, "share"))
        for stake, each in found.get_estimates("contracts_by_stake", MADE).items()
    }
    if 2 in stakes:
        uncountered = f", of the others {stakes[1]}" if 1 in stakes else ""
        overcountered = f", of the overcountered {stakes[4]}" if 4 in stakes else ""
        text.append(f"Of the countered contracts {stakes[2]} are made{uncountered}{overcountered}.")
    return Part(
        text=tuple(text),
        pictures=(
            found.make_distribution(
                "amounts",
                "Distribution of the amounts of the last bid.",
                {"last bid": found.get_estimates("final_amounts", "share_of_taken")},
                "amount of the last bid",
                "% of taken deals",
                step=10,
            ),
            found.make_dots(
                "made_by_amount",
                "Share of the contracts made by the amount of the last bid, with intervals.",
                {"made": select_reliable(found.get_estimates("contracts_by_amount", MADE))},
                "contracts made, %",
                comparable=True,
            ),
        ),
        grids=found.make_grids("auctions", "contracts_by_stake"),
        folded=found.make_grids(
            "opening_amounts", "final_amounts", "contracts_by_amount", "bids", "capot",
            "taking_by_place", "taking_by_contract",
        ),
    )  # fmt: skip


def describe_take_chart(found: Findings) -> Part | None:
    """Describe with which hands the opener should take."""
    if "take_chart" not in found.tables:
        return None
    gains, more, less = "gain_mean", "taking_better_share", "passing_better_share"
    hands = found.tables["take_chart_by_hand"].estimates(gains)
    above = sum(each.low > 0 for each in hands.values())
    below = sum(each.high < 0 for each in hands.values())
    overall = found.estimate("take_chart", gains)
    text = (
        "Over all hands, the opener's taking at once is worth "
        f"{found.format_text('take_chart', gains)} points to his side against passing; it scores "
        f"more in {found.format_text('take_chart', more)} of the deals and less in "
        f"{found.format_text('take_chart', less)} ({overall.observations:,} deals, played both "
        "ways).",
        f"{len(hands)} classes of hands came up. With {above} of them the interval of the gain "
        f"lies above nothing, with {below} below; some intervals miss by chance.",
    )
    panels: dict[str, dict[tuple[Any, ...], Estimate]] = {}
    for (tops, trumps, aces), each in hands.items():
        word = "ace" if aces == "1" else "aces"
        title = f"{'no' if aces == '0' else aces} {word} of other suits"
        panels.setdefault(title, {})[tops, trumps] = each
    order = sorted(panels, key=lambda title: ("no" not in title, title))
    rows = ("9, 8, 7 of trump", list(dict.fromkeys(top for top, _, _ in hands)))
    columns = (
        "trumps among five cards and the Return", sorted({number for _, number, _ in hands}),
    )  # fmt: skip
    return Part(
        text=text,
        pictures=(
            found.make_heat_maps(
                "take_chart",
                "What taking gains the opener against passing, in points, by his highest trumps, "
                "the number of his trumps and of his aces in other suits; purple where taking is "
                "better, orange where passing is.",
                {title: panels[title] for title in order},
                rows,
                columns,
                "points",
                diverging=True,
            ),
            found.make_heat_maps(
                "take_right",
                "In how many of 100 deals taking scores more than passing, by the highest trumps "
                "and the number of trumps.",
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
