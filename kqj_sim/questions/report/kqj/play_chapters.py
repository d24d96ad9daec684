"""Chapters of a report of KQJ on play: contracts, hands, totals, bonuses, scores."""

from __future__ import annotations

from kqj_sim.output.key_figures import capitalize
from kqj_sim.output.kqj.plots import HALF_OF_POINTS, PLACE_NAMES
from kqj_sim.output.page import Part
from kqj_sim.output.page_charts import make_distribution, make_dots, make_heat_maps
from kqj_sim.questions.report.chapter import (
    Findings,
    describe_share,
    find_extremes,
    format_estimate,
    name_share,
    select_reliable,
)
from kqj_sim.questions.report.kqj.call_chapters import KIND_NAMES, MADE
from kqj_sim.rules import KqjRules, require_kqj_rules
from kqj_sim.stats.intervals import Estimate


def describe_contracts(found: Findings) -> Part:
    """Describe the contracts made, by kind and place."""
    text = [
        capitalize(
            f"{name_share(found.estimate('contracts', MADE))} of the contracts are made and "
            f"{name_share(found.estimate('contracts', 'failed_share'))} fail."
        )
    ]
    pictures = []
    if "contracts_by_kind" in found.tables:
        kinds = select_reliable(found.get_estimates("contracts_by_kind", MADE))
        best, worst = find_extremes(kinds)
        if best is not None and worst is not None:
            text.append(
                f"Contracts in {KIND_NAMES[best]} are made most often, "
                f"{format_estimate(kinds[best], 'share')}; those in {KIND_NAMES[worst]} least "
                f"often, {format_estimate(kinds[worst], 'share')}."
            )
        pictures.append(
            make_dots(
                "made_by_kind",
                "Contracts made, by kind of contract.",
                {"made": kinds},
                "contracts made, %",
                names=KIND_NAMES,
            )
        )
    if "contracts_by_place" in found.tables:
        by_lap_and_place = found.tables["contracts_by_lap_and_place"].estimates(MADE)
        series = {
            f"lap {lap}": {at: each for (of, at), each in by_lap_and_place.items() if of == lap}
            for lap in sorted({lap for lap, _ in by_lap_and_place})[:2]
        }
        if require_kqj_rules(found.rules).bidding == "auction":
            series = {"last bid": found.get_estimates("contracts_by_place", MADE)}
        pictures.append(
            make_dots(
                "made_by_place",
                "Contracts made, by the Sender's place.",
                {name: select_reliable(numbers) for name, numbers in series.items()},
                "contracts made, %",
                names=dict(enumerate(PLACE_NAMES)),
            )
        )
    return Part(
        text=tuple(text),
        pictures=tuple(pictures),
        grids=found.make_grids("contracts"),
        folded=found.make_grids(
            "contracts_by_contract", "contracts_by_kind", "contracts_by_lap_and_place",
            "contracts_by_place",
        ),
    )  # fmt: skip


def describe_hands(found: Findings) -> Part:
    """Describe the contracts made by the strength of the Sender's hand."""
    text, pictures = [], []
    if "contracts_by_sender_trumps" in found.tables:
        trumps = found.get_estimates("contracts_by_sender_trumps", MADE)
        known = select_reliable(trumps)
        best, worst = find_extremes(known)
        if best is not None and worst is not None:
            text.append(
                f"With {best} trump{'s' * (best != 1)} in eight cards the Sender makes the most "
                f"contracts in a suit, {format_estimate(known[best], 'share')}; with {worst} the "
                f"fewest, {format_estimate(known[worst], 'share')}."
            )
        cells = found.tables["contracts_by_sender_trumps_and_aces"].estimates(MADE)
        pictures.append(
            make_heat_maps(
                "made_by_hand",
                "Contracts in a suit made, by the number of the Sender's trumps and side aces.",
                {"Contracts in a suit made, %": cells},
                ("trumps", sorted({number for number, _ in cells}, reverse=True)),
                ("side aces", sorted({aces for _, aces in cells})),
            )
        )
    points = select_reliable(found.get_estimates("contracts_by_sender_points", MADE))
    pictures.append(
        make_dots(
            "made_by_points",
            "Contracts made, by the card points in the Sender's hand.",
            {"made": points},
            "contracts made, %",
            names={least: f"{least} to {least + 9}" for least in points},
        )
    )
    return Part(
        text=tuple(text),
        pictures=tuple(pictures),
        folded=found.make_grids(
            "contracts_by_sender_trumps", "contracts_by_sender_trumps_and_aces",
            "contracts_by_sender_points",
        ),
    )  # fmt: skip


def describe_totals(found: Findings) -> Part:
    """Describe the contracting team's total, with the threshold."""
    rules = require_kqj_rules(found.rules)
    total = "contracting_total"
    mean, median, low, high = (
        found.format_text(total, f"{total}_{quantity}")
        for quantity in ("mean", "median", "quantile_25", "quantile_75")
    )
    text = [
        f"The contracting team's total, bonuses included, is {mean} points on average. Its median "
        f"is {median}; half of the totals lie between {low} and {high}."
    ]
    if "margins" in found.tables:
        auction = rules.bidding == "auction"
        against = "the amount" if auction else "the best opponents' total"
        rounded = auction and rules.amount_uses == "rounded"
        text.append(
            "The total needed differs from deal to deal, so the picture shows the total"
            f"{', rounded to tens,' if rounded else ''} minus {against}. {describe_made(rules)}"
        )
        name, label, threshold = "margins", f"total minus {against}", (0.0, "0")
    else:
        text.append(
            f"Cards and last trick are worth 246 points: more than {HALF_OF_POINTS} win, unless a "
            "KQ, KQJ or Capot adds to either side."
        )
        name, label = "totals", "total of the contracting team"
        threshold = (float(HALF_OF_POINTS), f"{HALF_OF_POINTS}: half of 246")
    stacks: dict[str, dict[int, Estimate]] = {}
    for quantity in found.tables[name].quantities:
        numbers = found.get_estimates(name, quantity)
        if any(each.value for each in numbers.values()):
            stacks[quantity.removesuffix("_share")] = numbers
    return Part(
        text=tuple(text),
        pictures=(
            make_distribution(
                "totals",
                f"Distribution of the {label}, by result. The dashed line is the threshold.",
                stacks,
                label,
                "% of taken deals",
                step=10,
                threshold=threshold,
            ),
        ),
        grids=found.make_grids(total),
        folded=found.make_grids(f"{total}_by_contract", "totals", "margins"),
    )


def describe_made(rules: KqjRules) -> str:
    """Return from which margin on a contract is made, and what else it needs."""
    if rules.bidding == "take":
        return "The contract is made above 0."
    needs = ", and the total is above the best opponents'" if rules.must_outscore else ""
    return f"The contract is made from 0 on, provided that an announced Capot is won{needs}."


def describe_bonuses(found: Findings) -> Part:
    """Describe the bonuses by side: last trick, KQ, KQJ and Capot."""
    quantities = {
        "last trick": "last_trick_share",
        "KQ": "kq_share",
        "KQJ": "kqj_share",
        "Capot": "capot_share",
    }
    sentences = " ".join(
        f"{describe_share(found.estimate('bonuses', quantity, 'either'), 'taken deals', 'have')} a "
        f"{name}."
        for name, quantity in quantities.items()
        if name != "last trick"
    )
    text = (
        f"{sentences} The contracting team wins the last trick in "
        f"{name_share(found.estimate('bonuses', quantities['last trick'], 'contracting'))}.",
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
            make_dots(
                "bonuses",
                "Taken deals with each bonus, by side, on a logarithmic scale.",
                series,
                "% of taken deals, logarithmic",
                logarithmic=True,
            ),
        ),
        folded=found.make_grids("bonuses", "bonuses_by_contract"),
    )


def describe_litigation(found: Findings) -> Part:
    """Describe ties, and the gratuities that wait after them."""
    share = found.estimate("contracts", "litigation_share")
    ties = describe_share(share, "taken deals", "end in a tie")
    text = f"{ties}: the round goes to litigation." if share.value else f"{ties}."
    if share.value:
        size = found.format_text("pending", "gratuity_left_mean")
        text += f" The gratuity left for the next winner is {size} points on average."
    return Part(text=(text,), folded=found.make_grids("pending"))


def describe_gratuities(found: Findings) -> Part:
    """Describe the gratuities that low teams pay with three teams."""
    low, none, paid = (
        found.format_text("gratuities", quantity)
        for quantity in ("low_team_share", "trickless_team_share", "gratuity_paid_mean")
    )
    return Part(
        text=(
            f"In {low} of the taken deals a team with a trick has 20 card points or fewer, in "
            f"{none} a team has no trick. The gratuities of a deal add up to {paid} points on "
            "average.",
        ),
        folded=found.make_grids("gratuities"),
    )


def describe_scores(found: Findings) -> Part:
    """Describe the scores of the sides in a round."""
    teams = require_kqj_rules(found.rules).teams
    contracting, others, difference = (
        found.format_text("scores", f"{quantity}_mean")
        for quantity in ("contracting_score", "defending_score", "score_difference")
    )
    return Part(
        text=(
            f"When a deal is taken, the contracting team scores {contracting} points on average, "
            f"{'each' if teams == 3 else 'the'} defending team {others}: a difference of "
            f"{difference}.",
        ),
        grids=found.make_grids("scores"),
        folded=found.make_grids("scores_by_team", "scores_by_seat"),
    )
