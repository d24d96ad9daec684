"""What a report of KQJ says of calls: who takes or bids, and when one should take."""

from __future__ import annotations

from typing import Any

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.tables import SHARE_OF_DEALS, SHARE_OF_TAKEN
from kqj_sim.reporting.chapter import MIN_OBSERVATIONS, Findings, format_estimate, select_reliable
from kqj_sim.reporting.kqj.words import KIND_NAMES, PLACE_NAMES, has_played_deals
from kqj_sim.reporting.page import Part
from kqj_sim.reporting.page_charts import render_distribution, render_dots, render_heat_maps
from kqj_sim.rules import require_kqj_rules


def describe_taking(found: Findings) -> Part | None:
    """Who takes when asked, at which place and lap, and with what."""
    if (
        "taking" not in found.tables
        or require_kqj_rules(found.study.plan.experiment.rules).bidding != "take"
    ):
        return None
    if not has_played_deals(found):
        return Part(text=("Nobody takes: all deals are passed out.",))
    taken, passed = (
        found.show("taking", f"{what}, {SHARE_OF_DEALS}") for what in ("taken", "passed out")
    )
    cells = found.tables["taking_by_lap_and_place"].estimates(SHARE_OF_DEALS)
    lap, place = max(cells, key=lambda turn: cells[turn].value)
    who = f"the {PLACE_NAMES[place]}"
    kinds = found.by("taking_by_kind", SHARE_OF_TAKEN)
    kind = max(kinds, key=lambda each: kinds[each].value)
    rates = found.tables["take_rate"].estimates("takes, share of those asked")
    asked = select_reliable(rates)
    text = (
        f"{taken} of the deals are taken, {passed} are passed out. Most takes come from {who} in "
        f"lap {lap}: {format_estimate(cells[lap, place], 'share')} of all deals. Of the taken "
        f"deals "
        f"{format_estimate(kinds[kind], 'share')} are played in {KIND_NAMES[kind]}.",
    )
    names = {**PLACE_NAMES, 1: "2nd"}
    laps = sorted({lap for lap, _ in cells})
    heat = render_heat_maps(
        {
            "Deals taken, % of all deals": {
                (f"lap {lap}", PLACE_NAMES[at]): each for (lap, at), each in cells.items()
            }
        },
        ("", [f"lap {lap}" for lap in laps]),
        ("place in the order of speaking", list(names.values())),
        "share",
    )
    rate = render_dots(
        {
            f"lap {lap}": {
                PLACE_NAMES[at]: asked[lap, at] for at in PLACE_NAMES if (lap, at) in asked
            }
            for lap in laps
            if any(turn[0] == lap for turn in asked)
        },
        "takes, % of those asked",
        "share",
        whole=bool(found.slug),
    )
    return Part(
        text=text,
        pictures=(
            found.picture(
                "taking_heat",
                "Deals taken, by lap and place of the take.",
                heat,
            ),
            found.picture(
                "take_rate",
                "How often each place takes when it is asked, by lap, with intervals.",
                rate,
            ),
        ),
        grids=found.grids("take_rate"),
        folded=found.grids(
            "taking", "taking_by_lap_and_place", "taking_by_kind", "taking_by_contract"
        ),
    )


def describe_auctions(found: Findings) -> Part | None:
    """Amounts, bids, counters, and what is made of them."""
    if "auctions" not in found.tables:
        return None
    if not has_played_deals(found):
        return Part(text=("Nobody bids: all deals are passed out.",))
    opening, final, bids = (
        found.show("auctions", quantity)
        for quantity in ("opening amount, mean", "final amount, mean", "bids, mean")
    )
    countered = found.show("auctions", f"countered, {SHARE_OF_TAKEN}")
    text = [
        f"Somebody bids in {found.show('taking', f'taken, {SHARE_OF_DEALS}')} of the deals. The "
        f"first "
        f"bid is {opening} on average, the last {final}, after {bids} bids. {countered} of the "
        "contracts are countered."
    ]
    made = f"made, {SHARE_OF_TAKEN}"
    stakes = found.by("contracts_by_stake", made)
    if 2 in stakes:
        undisturbed = (
            f", of the others {format_estimate(stakes[1], 'share')}" if 1 in stakes else ""
        )
        text.append(
            f"Of the countered contracts {format_estimate(stakes[2], 'share')} are "
            f"made{undisturbed}"
            + (
                f", of the overcountered {format_estimate(stakes[4], 'share')}."
                if 4 in stakes
                else "."
            )
        )
    amounts = {
        name: {at: each for (at,), each in found.tables[table].estimates(SHARE_OF_TAKEN).items()}
        for name, table in (("first bid", "opening_amounts"), ("last bid", "final_amounts"))
    }
    by_amount = select_reliable(found.by("contracts_by_amount", made))
    pictures = [
        found.picture(
            "amounts",
            "Distribution of the amounts of the last bid.",
            render_distribution(
                {"last bid": amounts["last bid"]},
                "amount of the last bid",
                "% of taken deals",
                step=10,
            ),
        ),
        found.picture(
            "made_by_amount",
            "Share of the contracts made by the amount of the last bid, with intervals.",
            render_dots({"made": by_amount}, "contracts made, %", "share", whole=bool(found.slug)),
        ),
    ]
    return Part(
        text=tuple(text),
        pictures=tuple(pictures),
        grids=found.grids("auctions", "contracts_by_stake"),
        folded=found.grids(
            "opening_amounts", "final_amounts", "contracts_by_amount", "bids", "capot",
            "taking_by_place", "taking_by_contract",
        ),
    )  # fmt: skip


def describe_take_chart(found: Findings) -> Part | None:
    """With which hands the opener should take."""
    if "take_chart" not in found.tables:
        return None
    gains, more = "taking gains, mean", "taking scores more, share of deals"
    less = "passing scores more, share of deals"
    hands = found.tables["take_chart_by_hand"].estimates(gains)
    sure = sum(each.low > 0 for each in hands.values())
    never = sum(each.high < 0 for each in hands.values())
    overall = found.estimate("take_chart", gains)
    text = (
        f"Over all hands, the opener's taking at once is worth {found.show('take_chart', gains)} "
        f"points to his side against passing; it scores more in "
        f"{found.show('take_chart', more)} of the deals and less in "
        f"{found.show('take_chart', less)} ({overall.observations:,} deals, played both ways).",
        f"{len(hands)} classes of hands came up. With {sure} of them the interval of the gain lies "
        f"above nothing, with {never} below; some intervals miss by chance.",
    )
    panels: dict[str, dict[tuple[Any, ...], Estimate]] = {}
    for (tops, trumps, aces), each in hands.items():
        word = "ace" if aces == "1" else "aces"
        title = f"{'no' if aces == '0' else aces} {word} of other suits"
        panels.setdefault(title, {})[tops, trumps] = each
    order = sorted(panels, key=lambda title: ("no" not in title, title))
    by_trumps = found.tables["take_chart_by_trumps"].estimates(more)
    held = list(dict.fromkeys(top for top, _, _ in hands))
    numbers = sorted({number for _, number, _ in hands})
    return Part(
        text=text,
        pictures=(
            found.picture(
                "take_chart",
                "What taking gains the opener against passing, in points, by his highest trumps, "
                "the number of his trumps and of his aces in other suits; purple where taking is "
                "better, orange where passing is.",
                render_heat_maps(
                    {title: panels[title] for title in order},
                    ("9, 8, 7 of trump", held),
                    ("trumps among five cards and the Return", numbers),
                    "points",
                    diverging=True,
                    min_observations=MIN_OBSERVATIONS,
                ),
            ),
            found.picture(
                "take_right",
                "In how many of 100 deals taking scores more than passing, by the highest trumps "
                "and the number of trumps.",
                render_heat_maps(
                    {"Taking scores more, % of deals": by_trumps},
                    ("9, 8, 7 of trump", held),
                    ("trumps among five cards and the Return", numbers),
                    "share",
                    min_observations=MIN_OBSERVATIONS,
                ),
            ),
        ),
        grids=found.grids("take_chart"),
        folded=found.grids("take_chart_by_trumps", "take_chart_by_hand"),
    )
