"""What a report says of an experiment: for each subject sentences, pictures and tables.

Every number comes from the study's tables, the ones that are written as CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kqj_sim.analysis.intervals import Estimate
from kqj_sim.analysis.source import OF_DEALS, OF_TAKEN
from kqj_sim.analysis.table import Table
from kqj_sim.notation import SUIT_SIGNS
from kqj_sim.reporting.charts import bars, dots, heat_maps
from kqj_sim.reporting.grid import Cell, Grid, format_number, table_grids
from kqj_sim.reporting.page import Part, Picture, Section

if TYPE_CHECKING:
    from kqj_sim.analysis.study import Study

PLACES = {0: "opener", 1: "2nd", 2: "3rd", 3: "4th", 4: "5th", 5: "dealer"}
KINDS = {
    "return": "the Return's suit",
    "other": "another suit",
    "suit": "a suit",
    "NT": "No-Trump",
    "AT": "All-Trumps",
}
HALF_OF_ALL = 123
"""Half of the 236 card points and the 10 for the last trick."""
FEW = 30
"""With fewer deals a cell of a heat map stays empty."""


@dataclass(frozen=True)
class Findings:
    """A study with what is needed to tell of it; `slug` sets its files apart from others'."""

    study: Study
    slug: str = ""

    @property
    def tables(self) -> Mapping[str, Table]:
        """The study's tables by name."""
        return self.study.tables

    def estimate(self, table: str, quantity: str, *group: int | str) -> Estimate:
        """A number of a table; raises KeyError if it is not there."""
        return self.tables[table].estimates(quantity)[group]

    def show(self, table: str, quantity: str, *group: int | str) -> str:
        """A number with its interval, as the tables on the page write it."""
        frame = self.tables[table].frame
        unit = frame.loc[frame["quantity"] == quantity, "unit"].iloc[0]
        return str(shown(self.estimate(table, quantity, *group), unit))

    def by(self, table: str, quantity: str) -> dict[Any, Estimate]:
        """The numbers of a table with a single group column, by its values."""
        found = self.tables[table].estimates(quantity)
        return {group[0]: each for group, each in found.items()}

    def picture(self, name: str, alt: str, svg: str) -> Picture:
        """A picture of this study."""
        return Picture(f"{self.slug}-{name}" if self.slug else name, alt, svg)

    def grids(self, *names: str) -> tuple[Grid, ...]:
        """Those of these tables that there are, for the page."""
        found = (self.tables[name] for name in names if name in self.tables)
        return tuple(grid for table in found for grid in table_grids(table))


def shown(estimate: Estimate, unit: str) -> Cell:
    """A number with its interval as tables write it."""
    return format_number(estimate.value, estimate.low, estimate.high, unit)


def contract_name(contract: Any) -> str:
    """A contract for people: the sign of a suit, NT or AT."""
    return SUIT_SIGNS.get(str(contract), str(contract))


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _largest(numbers: Mapping[Any, Estimate]) -> tuple[Any, Estimate]:
    return max(numbers.items(), key=lambda item: item[1].value)


def _well_known(numbers: Mapping[Any, Estimate]) -> dict[Any, Estimate]:
    """Those that stand on enough observations to be named in a sentence."""
    return {key: each for key, each in numbers.items() if each.observations >= FEW}


def _taking(found: Findings) -> Part | None:
    if "taking" not in found.tables or found.study.plan.experiment.rules.bidding != "take":
        return None
    taken, passed = (
        found.show("taking", f"{what}, {OF_DEALS}") for what in ("taken", "passed out")
    )
    cells = found.tables["taking_by_lap_and_place"].estimates(OF_DEALS)
    (lap, place), most = _largest(cells)
    who = "the opener" if place == 0 else "the dealer" if place == 5 else f"place {PLACES[place]}"
    kind, share = _largest(found.by("taking_by_kind", OF_TAKEN))
    rates = found.tables["take_rate"].estimates("takes, share of those asked")
    asked = _well_known(rates)
    text = (
        f"{taken} of the deals are taken, {passed} are passed out. Most takes come from {who} in "
        f"lap {lap}: {shown(most, 'share')} of all deals. Of the taken deals "
        f"{shown(share, 'share')} are played in {KINDS[kind]}.",
    )
    names = {**PLACES, 1: "2nd"}
    laps = sorted({lap for lap, _ in cells})
    heat = heat_maps(
        {
            "Deals taken, % of all deals": {
                (f"lap {lap}", PLACES[at]): each for (lap, at), each in cells.items()
            }
        },
        ("", [f"lap {lap}" for lap in laps]),
        ("place in the order of speaking", list(names.values())),
        "share",
    )
    rate = dots(
        {
            f"lap {lap}": {PLACES[at]: asked[lap, at] for at in PLACES if (lap, at) in asked}
            for lap in laps
            if any(turn[0] == lap for turn in asked)
        },
        "takes, % of those asked",
        "share",
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


def _auctions(found: Findings) -> Part | None:
    if "auctions" not in found.tables:
        return None
    opening, final, bids = (
        found.show("auctions", quantity)
        for quantity in ("opening amount, mean", "final amount, mean", "bids, mean")
    )
    countered = found.show("auctions", f"countered, {OF_TAKEN}")
    text = [
        f"Somebody bids in {found.show('taking', f'taken, {OF_DEALS}')} of the deals. The first "
        f"bid is {opening} on average, the last {final}, after {bids} bids. {countered} of the "
        "contracts are countered."
    ]
    made = f"made, {OF_TAKEN}"
    stakes = found.by("contracts_by_stake", made)
    if 2 in stakes:
        undisturbed = f", of the others {shown(stakes[1], 'share')}" if 1 in stakes else ""
        text.append(
            f"Of the countered contracts {shown(stakes[2], 'share')} are made{undisturbed}"
            + (f", of the overcountered {shown(stakes[4], 'share')}." if 4 in stakes else ".")
        )
    amounts = {
        name: {at: each for (at,), each in found.tables[table].estimates(OF_TAKEN).items()}
        for name, table in (("first bid", "opening_amounts"), ("last bid", "final_amounts"))
    }
    by_amount = _well_known(found.by("contracts_by_amount", made))
    pictures = [
        found.picture(
            "amounts",
            "Distribution of the amounts of the last bid.",
            bars(
                {"last bid": amounts["last bid"]},
                "amount of the last bid",
                "% of taken deals",
                step=10,
            ),
        ),
        found.picture(
            "made_by_amount",
            "Share of the contracts made by the amount of the last bid, with intervals.",
            dots({"made": by_amount}, "contracts made, %", "share"),
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


def _contracts(found: Findings) -> Part | None:
    if "contracts" not in found.tables:
        return None
    made = f"made, {OF_TAKEN}"
    text = [
        f"{found.show('contracts', made)} of the taken deals are made and "
        f"{found.show('contracts', f'failed, {OF_TAKEN}')} failed."
    ]
    pictures = []
    if "contracts_by_contract" in found.tables:
        contracts = found.by("contracts_by_contract", made)
        best, worst = (
            pick(_well_known(contracts).items(), key=lambda item: item[1].value, default=None)
            for pick in (max, min)
        )
        if best and worst and best[0] != worst[0]:
            text.append(
                f"Made most often is {contract_name(best[0])} ({shown(best[1], 'share')}), least "
                f"often {contract_name(worst[0])} ({shown(worst[1], 'share')})."
            )
        pictures.append(
            found.picture(
                "made_by_contract",
                "Share of the contracts made, by contract, with intervals.",
                dots(
                    {"made": contracts},
                    "contracts made, %",
                    "share",
                    names={key: contract_name(key) for key in contracts},
                ),
            )
        )
    if "contracts_by_place" in found.tables:
        lap_and_place = found.tables["contracts_by_lap_and_place"].estimates(made)
        laps = sorted({lap for lap, _ in lap_and_place})[:2]
        auction = found.study.plan.experiment.rules.bidding == "auction"
        series = (
            {"last bid": found.by("contracts_by_place", made)}
            if auction
            else {
                f"lap {lap}": {at: each for (of, at), each in lap_and_place.items() if of == lap}
                for lap in laps
            }
        )
        series = {
            name: {at: each for at, each in numbers.items() if each.observations >= FEW}
            for name, numbers in series.items()
        }
        pictures.append(
            found.picture(
                "made_by_place",
                "Share of the contracts made, by the Sender's place, with intervals.",
                dots(series, "contracts made, %", "share", names=PLACES),
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


def _hands(found: Findings) -> Part | None:
    made = f"made, {OF_TAKEN}"
    if "contracts_by_sender_points" not in found.tables:
        return None
    text, pictures = [], []
    if "contracts_by_sender_trumps" in found.tables:
        trumps = found.by("contracts_by_sender_trumps", made)
        known = sorted(_well_known(trumps))
        if len(known) > 1:
            few, many = known[0], known[-1]
            text.append(
                f"With {_counted(few, 'trump')} in his eight cards the Sender makes "
                f"{shown(trumps[few], 'share')} of his contracts in a suit, with {many} "
                f"of them "
                f"{shown(trumps[many], 'share')}."
            )
        cells = found.tables["contracts_by_sender_trumps_and_aces"].estimates(made)
        rows = sorted({number for number, _ in cells}, reverse=True)
        pictures.append(
            found.picture(
                "made_by_hand",
                "Contracts in a suit that are made, by the number of the Sender's trumps and of "
                "his aces in other suits.",
                heat_maps(
                    {"Contracts in a suit made, %": cells},
                    ("trumps", rows),
                    ("aces of other suits", sorted({aces for _, aces in cells})),
                    "share",
                    least=FEW,
                ),
            )
        )
    points = _well_known(found.by("contracts_by_sender_points", made))
    pictures.append(
        found.picture(
            "made_by_points",
            "Share of the contracts made by the card points in the Sender's hand, with intervals.",
            dots(
                {"made": points},
                "contracts made, %",
                "share",
                names={least: f"{least} to {least + 9}" for least in points},
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


def _totals(found: Findings) -> Part | None:
    if "contracting_total" not in found.tables:
        return None
    rules = found.study.plan.experiment.rules
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
            f"Of the 246 points without other bonuses more than {HALF_OF_ALL} win; a KQ, KQJ or "
            "Capot moves that for the deals in which it comes up."
        )
        name, label = "totals", "total of the contracting team"
        threshold = (float(HALF_OF_ALL), f"{HALF_OF_ALL}: half of 246")
    stacks: dict[str, dict[int, Estimate]] = {}
    for quantity in dict.fromkeys(found.tables[name].frame["quantity"]):
        numbers = found.by(name, quantity)
        if any(each.value for each in numbers.values()):
            stacks[str(quantity).partition(",")[0]] = numbers
    return Part(
        text=tuple(text),
        pictures=(
            found.picture(
                "totals",
                f"Distribution of the {label}, by what became of the contract, with the threshold "
                "drawn in.",
                bars(stacks, label, "% of taken deals", step=10, threshold=threshold),
            ),
        ),
        grids=found.grids(total),
        folded=found.grids(f"{total}_by_contract", "totals", "margins"),
    )


def _take_chart(found: Findings) -> Part | None:
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
        f"Of the {len(hands)} classes of hands that came up taking surely gains with {sure} and "
        f"surely loses with {never}: there the whole interval lies on one side of nothing.",
    )
    panels: dict[str, dict[tuple[Any, ...], Estimate]] = {}
    for (tops, trumps, aces), each in hands.items():
        word = "ace" if aces == "1" else "aces"
        title = f"{'no' if aces == '0' else aces} {word} of other suits"
        panels.setdefault(title, {})[tops, trumps] = each
    order = sorted(panels, key=lambda title: ("no" not in title, title))
    tops = list(dict.fromkeys(top for top, _, _ in hands))
    trumps = sorted({number for _, number, _ in hands})
    return Part(
        text=text,
        pictures=(
            found.picture(
                "take_chart",
                "What taking gains the opener against passing, in points, by his highest trumps, "
                "the number of his trumps and of his aces in other suits; purple where taking is "
                "better, orange where passing is.",
                heat_maps(
                    {title: panels[title] for title in order},
                    ("9, 8, 7 of trump", tops),
                    ("trumps among five cards and the Return", trumps),
                    "points",
                    diverging=True,
                    least=FEW,
                ),
            ),
        ),
        grids=found.grids("take_chart"),
        folded=found.grids("take_chart_by_trumps", "take_chart_by_hand"),
    )


def _bonuses(found: Findings) -> Part | None:
    if "bonuses" not in found.tables:
        return None
    quantities = {
        "last trick": f"last trick, {OF_TAKEN}",
        "KQ": f"any KQ, {OF_TAKEN}",
        "KQJ": f"any KQJ, {OF_TAKEN}",
        "Capot": f"Capot, {OF_TAKEN}",
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
                "Share of the taken deals with each bonus, by side, on a logarithmic scale.",
                dots(series, "% of taken deals, logarithmic", "share", logarithmic=True),
            ),
        ),
        folded=found.grids("bonuses", "bonuses_by_contract"),
    )


def _litigation(found: Findings) -> Part | None:
    quantity = f"litigation, {OF_TAKEN}"
    if "pending" not in found.tables or "contracts" not in found.tables:
        return None
    share = found.estimate("contracts", quantity)
    text = f"{shown(share, 'share')} of the taken deals end in a tie, and litigation follows."
    if share.value:
        size = found.show("pending", "size of a gratuity left behind, mean")
        text += f" The gratuity that then waits for the next winner is {size} points on average."
    return Part(text=(text,), folded=found.grids("pending"))


def _gratuities(found: Findings) -> Part | None:
    if "gratuities" not in found.tables:
        return None
    low, none, paid = (
        found.show("gratuities", quantity)
        for quantity in (
            f"a team with 20 card points or fewer, {OF_TAKEN}",
            f"a team with no trick, {OF_TAKEN}",
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


def _scores(found: Findings) -> Part | None:
    if "scores" not in found.tables:
        return None
    teams = found.study.plan.experiment.rules.teams
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


def _games(found: Findings) -> Part | None:
    if "games" not in found.tables:
        return None
    rules = found.study.plan.experiment.rules
    dealer = "first dealer" if rules.partners == "random" else "first dealer's team"
    rounds, low, high = (
        found.show("games", f"rounds, {quantity}")
        for quantity in ("mean", "quantile 5%", "quantile 95%")
    )
    player = "seat" if rules.partners == "random" else "team"
    winners = found.by(f"games_by_{player}", "won, share of games")
    games = found.estimate("games", "games")
    return Part(
        text=(
            f"{games.observations:,} games to {rules.target:,} last {rounds} rounds on average; "
            f"nine of ten last from {low} to {high}. The {dealer} wins "
            f"{found.show('games', f'won by the {dealer}, share of games')}.",
        ),
        pictures=(
            found.picture(
                "games",
                "Distribution of the number of rounds in a game.",
                bars(
                    {"games": found.by("games_by_rounds", "share of games")},
                    "rounds in a game",
                    "% of games",
                ),
            ),
            found.picture(
                "winners",
                f"Share of the games won, by {player}, with intervals.",
                dots(
                    {"won": winners},
                    "games won, %",
                    "share",
                    names={number: f"{player} {number}" for number in winners},
                    middle=1 / len(winners),
                ),
            ),
        ),
        grids=found.grids(f"games_by_{player}"),
        folded=found.grids("games", "games_by_rounds"),
    )


@dataclass(frozen=True)
class _Chapter:
    name: str
    title: str
    tell: Callable[[Findings], Part | None]
    note: str = ""


_CHAPTERS = (
    _Chapter("taking", "Who takes, when, with what", _taking),
    _Chapter(
        "auctions",
        "The bidding",
        _auctions,
        "A deal is taken if somebody bid; its contract is the last bid's.",
    ),
    _Chapter("contracts", "What is made", _contracts),
    _Chapter(
        "hands",
        "How strong the Sender's hand is",
        _hands,
        "By the eight cards with which he plays, of which he knew fewer when he took.",
    ),
    _Chapter("totals", "The contracting team's total", _totals),
    _Chapter(
        "take_chart",
        "When to take",
        _take_chart,
        "In each deal the opener takes with the Return's suit, and in the same deal he passes and "
        "the players go on calling; the same players play both. The numbers are points of his side "
        "less the mean of the others'. They hold against these players and for that first call.",
    ),
    _Chapter("bonuses", "Bonuses", _bonuses),
    _Chapter("litigation", "Litigation", _litigation),
    _Chapter("gratuities", "Gratuities of three teams", _gratuities),
    _Chapter("scores", "Scores of a round", _scores),
    _Chapter(
        "games",
        "Whole games",
        _games,
        "Played besides, by the same players from the same seed; the first dealer is drawn.",
    ),
)

_KEY_FIGURES = (
    ("deals taken", "taking", f"taken, {OF_DEALS}"),
    ("contracts made", "contracts", f"made, {OF_TAKEN}"),
    ("litigation", "contracts", f"litigation, {OF_TAKEN}"),
    ("total of the contracting team, mean", "contracting_total", "mean"),
    ("final amount, mean", "auctions", "final amount, mean"),
    ("contracts countered", "auctions", f"countered, {OF_TAKEN}"),
    ("score of the contracting team, mean", "scores", "contracting team, mean a taken deal"),
    ("score of the defending team, mean", "scores", "defending team, mean a taken deal"),
    ("score of each defending team, mean", "scores", "each defending team, mean a taken deal"),
    ("the opener's taking gains against passing", "take_chart", "taking gains, mean"),
    ("rounds in a game, mean", "games", "rounds, mean"),
)


def key_figures(findings: Sequence[Findings]) -> Grid:
    """The figures that tell most, a column an experiment."""
    rows = []
    for name, table, quantity in _KEY_FIGURES:
        cells = []
        for found in findings:
            there = table in found.tables and () in found.tables[table].estimates(quantity)
            cells.append(Cell(found.show(table, quantity)) if there else Cell("-"))
        if any(cell.text != "-" for cell in cells):
            rows.append((Cell(name), *cells))
    names = [found.study.plan.name for found in findings]
    headings = ("", *(names if len(findings) > 1 else ["value"]))
    return Grid("Key figures", headings, tuple(rows), 1)


def sections(findings: Sequence[Findings]) -> tuple[Section, ...]:
    """The report's sections: the figures that tell most, then a section a subject."""
    several = len(findings) > 1
    made = [Section("short", "In short", (Part(grids=(key_figures(findings),)),))]
    for chapter in _CHAPTERS:
        parts = []
        for found in findings:
            part = chapter.tell(found)
            if part is not None:
                heading = found.study.plan.name if several else ""
                parts.append(Part(**{**vars(part), "heading": heading}))
        if parts:
            made.append(Section(chapter.name, chapter.title, tuple(parts), chapter.note))
    return tuple(made)


def all_tables(findings: Iterable[Findings]) -> dict[str, Table]:
    """Every table by the name of its file, without suffix."""
    return {
        f"{found.slug}/{name}" if found.slug else name: table
        for found in findings
        for name, table in found.tables.items()
    }
