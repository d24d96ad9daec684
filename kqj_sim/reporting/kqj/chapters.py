"""The chapters of a report of KQJ, in order, and the figures that tell most.

What a report of KQJ says of what comes of the calls: contracts, totals, scores.
"""

from __future__ import annotations

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.tables import SHARE_OF_DEALS, SHARE_OF_TAKEN
from kqj_sim.reporting.chapter import (
    COMPARED,
    GAMES,
    MIN_OBSERVATIONS,
    Chapter,
    Findings,
    KeyFigure,
    format_estimate,
    select_reliable,
)
from kqj_sim.reporting.kqj import chapters_on_calls as calls
from kqj_sim.reporting.kqj.words import KIND_NAMES, PLACE_NAMES, has_played_deals
from kqj_sim.reporting.page import Part
from kqj_sim.reporting.page_charts import render_distribution, render_dots, render_heat_maps
from kqj_sim.rules import require_kqj_rules

HALF_OF_POINTS = 123
"""Half of the 236 card points and the 10 for the last trick."""


def describe_contracts(found: Findings) -> Part | None:
    """How many contracts are made, by kind and place."""
    if not has_played_deals(found):
        return None
    made = f"made, {SHARE_OF_TAKEN}"
    text = [
        f"{found.show('contracts', made)} of the taken deals are made and "
        f"{found.show('contracts', f'failed, {SHARE_OF_TAKEN}')} failed."
    ]
    pictures = []
    if "contracts_by_kind" in found.tables:
        kinds = select_reliable(found.by("contracts_by_kind", made))
        if len(kinds) > 1:
            best, worst = (pick(kinds, key=lambda kind: kinds[kind].value) for pick in (max, min))
            text.append(
                f"In these deals {KIND_NAMES[best]} is made most often, "
                f"{format_estimate(kinds[best], 'share')}, "
                f"and {KIND_NAMES[worst]} least often, {format_estimate(kinds[worst], 'share')}."
            )
        pictures.append(
            found.picture(
                "made_by_kind",
                "Contracts made, by kind of contract, with intervals.",
                render_dots(
                    {"made": kinds},
                    "contracts made, %",
                    "share",
                    names=KIND_NAMES,
                    whole=bool(found.slug),
                ),
            )
        )
    if "contracts_by_place" in found.tables:
        lap_and_place = found.tables["contracts_by_lap_and_place"].estimates(made)
        laps = sorted({lap for lap, _ in lap_and_place})[:2]
        auction = require_kqj_rules(found.study.plan.experiment.rules).bidding == "auction"
        series = (
            {"last bid": found.by("contracts_by_place", made)}
            if auction
            else {
                f"lap {lap}": {at: each for (of, at), each in lap_and_place.items() if of == lap}
                for lap in laps
            }
        )
        series = {
            name: {
                at: each for at, each in numbers.items() if each.observations >= MIN_OBSERVATIONS
            }
            for name, numbers in series.items()
        }
        pictures.append(
            found.picture(
                "made_by_place",
                "Share of the contracts made, by the Sender's place, with intervals.",
                render_dots(
                    series, "contracts made, %", "share", names=PLACE_NAMES, whole=bool(found.slug)
                ),
            )
        )
    return Part(
        text=tuple(text),
        pictures=tuple(pictures),
        grids=found.grids("contracts"),
        folded=found.grids(
            "contracts_by_contract", "contracts_by_kind", "contracts_by_lap_and_place",
            "contracts_by_place",
        ),
    )  # fmt: skip


def describe_hands(found: Findings) -> Part | None:
    """Contracts made by the strength of the Sender's hand."""
    made = f"made, {SHARE_OF_TAKEN}"
    if not has_played_deals(found):
        return None
    text, pictures = [], []
    if "contracts_by_sender_trumps" in found.tables:
        trumps = found.by("contracts_by_sender_trumps", made)
        known = sorted(select_reliable(trumps))
        if len(known) > 1:
            few, many = known[0], known[-1]
            text.append(
                f"With {few} trump{'s' * (few != 1)} in his eight cards the Sender makes "
                f"{format_estimate(trumps[few], 'share')} of his contracts in a suit, with {many} "
                f"of them "
                f"{format_estimate(trumps[many], 'share')}."
            )
        cells = found.tables["contracts_by_sender_trumps_and_aces"].estimates(made)
        rows = sorted({number for number, _ in cells}, reverse=True)
        pictures.append(
            found.picture(
                "made_by_hand",
                "Contracts in a suit that are made, by the number of the Sender's trumps and of "
                "his aces in other suits.",
                render_heat_maps(
                    {"Contracts in a suit made, %": cells},
                    ("trumps", rows),
                    ("aces of other suits", sorted({aces for _, aces in cells})),
                    "share",
                    min_observations=MIN_OBSERVATIONS,
                ),
            )
        )
    points = select_reliable(found.by("contracts_by_sender_points", made))
    pictures.append(
        found.picture(
            "made_by_points",
            "Share of the contracts made by the card points in the Sender's hand, with intervals.",
            render_dots(
                {"made": points},
                "contracts made, %",
                "share",
                names={least: f"{least} to {least + 9}" for least in points},
                whole=bool(found.slug),
            ),
        )
    )
    return Part(
        text=tuple(text),
        pictures=tuple(pictures),
        folded=found.grids(
            "contracts_by_sender_trumps", "contracts_by_sender_trumps_and_aces",
            "contracts_by_sender_points",
        ),
    )  # fmt: skip


def describe_totals(found: Findings) -> Part | None:
    """The contracting team's total, with the threshold."""
    if not has_played_deals(found):
        return None
    rules = require_kqj_rules(found.study.plan.experiment.rules)
    total = "contracting_total"
    mean, median, low, high = (
        found.show(total, quantity)
        for quantity in ("mean", "median", "quantile 25%", "quantile 75%")
    )
    text = [
        f"The contracting team comes to {mean} points on average, bonuses included; the median "
        f"is {median}, and half of the totals lie from {low} to {high}."
    ]
    if "margins" in found.tables:
        against = "the amount" if rules.bidding == "auction" else "the best other team's total"
        text.append(
            f"What it takes differs from deal to deal, so the picture shows the total less "
            f"{against}: "
            + (
                "the contract is made from nothing on."
                if rules.bidding == "auction" and not rules.must_outscore
                else "the contract is made where that is more than nothing."
            )
        )
        name, label, threshold = "margins", f"total less {against}", (0.0, "0")
    else:
        text.append(
            f"Of the 246 points without other bonuses more than {HALF_OF_POINTS} win; a KQ, KQJ or "
            "Capot moves that for the deals in which it comes up."
        )
        name, label = "totals", "total of the contracting team"
        threshold = (float(HALF_OF_POINTS), f"{HALF_OF_POINTS}: half of 246")
    stacks: dict[str, dict[int, Estimate]] = {}
    for quantity in found.tables[name].quantities:
        numbers = found.by(name, quantity)
        if any(each.value for each in numbers.values()):
            stacks[quantity.partition(",")[0]] = numbers
    return Part(
        text=tuple(text),
        pictures=(
            found.picture(
                "totals",
                f"Distribution of the {label}, by what became of the contract, with the threshold "
                "drawn in.",
                render_distribution(
                    stacks, label, "% of taken deals", step=10, threshold=threshold
                ),
            ),
        ),
        grids=found.grids(total),
        folded=found.grids(f"{total}_by_contract", "totals", "margins"),
    )


def describe_bonuses(found: Findings) -> Part | None:
    """Last trick, KQ, KQJ and Capot, by side."""
    if not has_played_deals(found):
        return None
    quantities = {
        "last trick": f"last trick, {SHARE_OF_TAKEN}",
        "KQ": f"any KQ, {SHARE_OF_TAKEN}",
        "KQJ": f"any KQJ, {SHARE_OF_TAKEN}",
        "Capot": f"Capot, {SHARE_OF_TAKEN}",
    }
    either = {
        name: found.show("bonuses", quantity, "either")
        for name, quantity in quantities.items()
        if name != "last trick"
    }
    text = (
        f"A KQ comes up in {either['KQ']} of the taken deals, a KQJ in {either['KQJ']}, a Capot in "
        f"{either['Capot']}. The contracting team has the last trick in "
        f"{found.show('bonuses', quantities['last trick'], 'contracting')}.",
    )
    series = {
        side: {
            name: found.estimate("bonuses", quantity, side) for name, quantity in quantities.items()
        }
        for side in ("contracting", "defending")
    }
    return Part(
        text=text,
        pictures=(
            found.picture(
                "bonuses",
                "Taken deals with each bonus, by side, on a logarithmic scale; what never "
                "came up is not drawn.",
                render_dots(series, "% of taken deals, logarithmic", "share", logarithmic=True),
            ),
        ),
        folded=found.grids("bonuses", "bonuses_by_contract"),
    )


def describe_litigation(found: Findings) -> Part | None:
    """Ties, and what waits after them."""
    quantity = f"litigation, {SHARE_OF_TAKEN}"
    if "pending" not in found.tables or not has_played_deals(found):
        return None
    share = found.estimate("contracts", quantity)
    ties = format_estimate(share, "share")
    text = f"{ties} of the taken deals end in a tie, and litigation follows."
    if share.value:
        size = found.show("pending", "size of a gratuity left behind, mean")
        text += f" The gratuity that then waits for the next winner is {size} points on average."
    return Part(text=(text,), folded=found.grids("pending"))


def describe_gratuities(found: Findings) -> Part | None:
    """What low teams pay with three teams."""
    if "gratuities" not in found.tables or not has_played_deals(found):
        return None
    low, none, paid = (
        found.show("gratuities", quantity)
        for quantity in (
            f"a team with 20 card points or fewer, {SHARE_OF_TAKEN}",
            f"a team with no trick, {SHARE_OF_TAKEN}",
            "paid to all teams, mean a taken deal",
        )
    )
    return Part(
        text=(
            f"In {low} of the taken deals a team with a trick has 20 card points or fewer, in "
            f"{none} a team has no trick. All gratuities of a deal together come to {paid} points "
            "on average.",
        ),
        folded=found.grids("gratuities"),
    )


def describe_scores(found: Findings) -> Part | None:
    """Scores of the sides in a round."""
    if not has_played_deals(found):
        return None
    teams = require_kqj_rules(found.study.plan.experiment.rules).teams
    other = "each defending team" if teams == 3 else "defending team"
    own, others, difference = (
        found.show("scores", f"{quantity}, mean a taken deal")
        for quantity in ("contracting team", other, f"contracting team less {other}")
    )
    return Part(
        text=(
            f"In a taken deal the contracting team scores {own} points on average, "
            f"{'each' if teams == 3 else 'the'} defending team {others}: a difference of "
            f"{difference}.",
        ),
        grids=found.grids("scores"),
        folded=found.grids("scores_by_team", "scores_by_seat"),
    )


CHAPTERS = (
    Chapter(
        "taking",
        "Who takes, when, with what",
        calls.describe_taking,
        "Places count from the opener, 0, to the dealer, 5.",
    ),
    Chapter(
        "auctions",
        "The bidding",
        calls.describe_auctions,
        "A deal is taken if somebody bid; its contract is the last bid's.",
    ),
    Chapter("contracts", "What is made", describe_contracts),
    Chapter(
        "hands",
        "How strong the Sender's hand is",
        describe_hands,
        "By the eight cards with which he plays, of which he knew fewer when he took.",
    ),
    Chapter("totals", "The contracting team's total", describe_totals),
    Chapter(
        "take_chart",
        "When to take",
        calls.describe_take_chart,
        "In each deal the opener takes with the Return's suit, and in the same deal he passes and "
        "the players go on calling; the same players play both. The numbers are points of his side "
        "less the mean of the others'. They hold against these players and for that first call.",
    ),
    Chapter("bonuses", "Bonuses", describe_bonuses),
    Chapter("litigation", "Litigation", describe_litigation),
    Chapter("gratuities", "Gratuities of three teams", describe_gratuities),
    Chapter("scores", "Scores of a round", describe_scores),
    GAMES,
    COMPARED,
)

KEY_FIGURES = (
    KeyFigure("deals taken", "taking", f"taken, {SHARE_OF_DEALS}"),
    KeyFigure("contracts made", "contracts", f"made, {SHARE_OF_TAKEN}"),
    KeyFigure("litigation", "contracts", f"litigation, {SHARE_OF_TAKEN}"),
    KeyFigure("total of the contracting team, mean", "contracting_total", "mean"),
    KeyFigure("final amount, mean", "auctions", "final amount, mean"),
    KeyFigure("contracts countered", "auctions", f"countered, {SHARE_OF_TAKEN}"),
    KeyFigure(
        "score of the contracting team, mean", "scores", "contracting team, mean a taken deal"
    ),
    KeyFigure("score of the defending team, mean", "scores", "defending team, mean a taken deal"),
    KeyFigure(
        "score of each defending team, mean", "scores", "each defending team, mean a taken deal"
    ),
    KeyFigure("the opener's taking gains against passing", "take_chart", "taking gains, mean"),
    KeyFigure("rounds in a game, mean", "games", "rounds, mean"),
)
