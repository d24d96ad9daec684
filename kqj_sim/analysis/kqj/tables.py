"""The tables of calls and contracts, and the list of all tables of rounds.

A deal stands in two categories: it is one of all deals, and, unless it was passed out, one of
the taken deals.  Every quantity that is a share says of which.  With auctions a deal is taken
if somebody bid, and its lap, place and contract are those of the last bid.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kqj_sim.analysis.counts import Derived
from kqj_sim.analysis.kqj import score_tables
from kqj_sim.analysis.kqj.score_tables import has_litigation
from kqj_sim.analysis.source import (
    OF_DEALS,
    OF_TAKEN,
    Source,
    grouping_names,
    spread,
    wanted,
)
from kqj_sim.analysis.table import Lines, Table
from kqj_sim.columns import COLUMN_NUMBER, COLUMNS
from kqj_sim.rules import SEATS, kqj_of

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment

OF_GAMES: tuple[str, ...] = ()

RESULTS = ("made", "failed", "litigation")
LABELS = COLUMNS[COLUMN_NUMBER["result"]].labels
KINDS = COLUMNS[COLUMN_NUMBER["kind"]].labels
MADE = LABELS.index("made")

_AUCTION_NOTE = "A deal is taken if somebody bid; lap, place and contract are the last bid's."


def notes(experiment: Experiment) -> tuple[str, ...]:
    """What is told under every table."""
    return (_AUCTION_NOTE,) if kqj_of(experiment.rules).bidding == "auction" else ()


def derived(experiment: Experiment) -> list[Derived]:
    """Columns that the tables need beside those of the rows."""
    return score_tables.derived(experiment)


def joints(experiment: Experiment) -> list[tuple[str, ...]]:
    """The tuples of columns of which the tables need joint counts."""
    rules = kqj_of(experiment.rules)
    needed: list[tuple[str, ...]] = [
        ("taken", "lap", "place", "result"),
        (
            "taken", "contract", "kind", "result",
            "last_trick_contracting", "capot_contracting", "capot_defending",
        ),
        ("taken", "contract", "contracting_total"),
        (
            "taken", "contract",
            "kq_contracting", "kq_defending", "kqj_contracting", "kqj_defending",
        ),
        ("taken", "contracting_score"),
        ("taken", "defending_score"),
        ("taken", "score_difference"),
    ]  # fmt: skip
    if rules.partners == "random":
        needed += [(f"seat_score_{seat}",) for seat in range(SEATS)]
    else:
        needed += [(f"score_{team}",) for team in range(rules.teams)]
        needed += [("team_difference",)] if rules.teams == 2 else []
    if rules.bidding == "auction":
        needed += [
            ("taken", "opening_amount"),
            ("taken", "amount", "result"),
            ("taken", "bids"),
            ("taken", "stake", "result"),
            ("taken", "capot_announced", "capot_contracting", "result"),
        ]
    if rules.teams == 3:
        needed.append(("taken", "low_teams", "trickless_teams"))
    if has_litigation(experiment):
        needed.append(("taken", "pending_after"))
        if experiment.games is not None:
            needed += [("taken", "pending_before"), ("taken", "gratuity_received")]
    return needed


def tables(source: Source) -> list[Table]:
    """Every table that the experiment gives a meaning.

    One that is grouped by a column of `by` anyway would repeat another, and is left out.  With
    an imposed contract there is no calling to tell of.
    """
    imposed = source.experiment.imposed is not None
    made = [] if imposed else [*_taking(source), *_auctions(source)]
    return [*made, *_contracts(source), *_totals(source), *score_tables.tables(source)]


def _possible(source: Source, column: str) -> tuple[int, ...]:
    """Values of a column that a taken deal can have, told even where no deal has them."""
    rules = kqj_of(source.experiment.rules)
    contracts = [*range(len(rules.contracts))]
    if column == "contract":
        return tuple(contracts)
    if column == "place":
        return tuple(range(SEATS))
    if column == "lap":
        return (1, 2) if rules.bidding == "take" else (1,)
    suits = ("return", "other") if rules.bidding == "take" else ("suit",)
    return tuple(KINDS.index(kind) for kind in (*suits, *rules.contracts[4:]))


def _taking(source: Source) -> Iterable[Table]:
    """Who takes, when, with what."""
    everything = source.histograms((), "taken", taken=False)

    def overall() -> Lines:
        for group, counts in everything.items():
            deals = sum(counts.values())
            for quantity, taken in (("taken", 1), ("passed out", 0)):
                estimate = source.share(counts.get(taken, 0), deals)
                yield group, f"{quantity}, {OF_DEALS}", "share", estimate

    def split(own: tuple[str, ...]) -> Lines:
        possible = set(itertools.product(*(_possible(source, column) for column in own)))
        taken = source.split((), own)
        for group, counts in everything.items():
            places = taken.get(group, {})
            for place in sorted(possible | places.keys()):
                count = places.get(place, 0)
                for quantity, deals in (
                    (OF_DEALS, sum(counts.values())),
                    (OF_TAKEN, sum(places.values())),
                ):
                    yield (*group, *place), quantity, "share", source.share(count, deals)

    yield source.table("taking", "Deals taken and passed out", (), overall())
    owns = [("lap",), ("place",), ("lap", "place"), ("kind",), ("contract",)]
    for own in wanted(source, owns):
        name, title = grouping_names(own)
        yield source.table(f"taking{name}", f"Deals taken{title}", own, split(own))


def _auctions(source: Source) -> Iterable[Table]:
    """Amounts, bids, counters."""
    if kqj_of(source.experiment.rules).bidding != "auction":
        return

    def overall() -> Lines:
        openings = source.histograms((), "opening_amount")
        finals = source.histograms((), "amount")
        bids = source.histograms((), "bids")
        stakes = source.histograms((), "stake")
        announced = source.histograms((), "capot_announced")
        for group in openings:
            deals = sum(openings[group].values())
            outbids = {number - 1: count for number, count in bids[group].items()}
            countered = deals - stakes[group].get(1, 0)
            overcountered = stakes[group].get(4, 0)
            yield group, "opening amount, mean", "amount", source.mean(openings[group])
            yield group, "final amount, mean", "amount", source.mean(finals[group])
            yield group, "bids, mean", "count", source.mean(bids[group])
            yield group, "outbids, mean", "count", source.mean(outbids)
            for quantity, count, of, whole in (
                ("outbid", deals - bids[group].get(1, 0), deals, OF_TAKEN),
                ("countered", countered, deals, OF_TAKEN),
                ("overcountered", overcountered, deals, OF_TAKEN),
                ("overcountered", overcountered, countered, "share of countered deals"),
                ("Capot announced", announced[group].get(1, 0), deals, OF_TAKEN),
            ):
                yield group, f"{quantity}, {whole}", "share", source.share(count, of)

    def distribution(column: str) -> Lines:
        for group, counts in source.histograms((), column).items():
            for value in sorted(counts):
                estimate = source.share(counts[value], sum(counts.values()))
                yield (*group, value), OF_TAKEN, "share", estimate

    yield source.table("auctions", "Auctions", (), overall())
    for name, title, column in (
        ("opening_amounts", "Amount of the first bid", "opening_amount"),
        ("final_amounts", "Amount of the last bid", "amount"),
        ("bids", "Number of bids", "bids"),
    ):
        if column not in source.by:
            yield source.table(name, f"{title}, taken deals", (column,), distribution(column))


def _contracts(source: Source) -> Iterable[Table]:
    """What comes of the contracts."""
    results = RESULTS if has_litigation(source.experiment) else RESULTS[:2]

    def lines(own: tuple[str, ...]) -> Lines:
        for group, counts in source.histograms(own, "result").items():
            for result in results:
                count = counts.get(LABELS.index(result), 0)
                estimate = source.share(count, sum(counts.values()))
                yield group, f"{result}, {OF_TAKEN}", "share", estimate

    auction = kqj_of(source.experiment.rules).bidding == "auction"
    owns: list[tuple[str, ...]] = [()]
    if source.experiment.imposed is None:
        owns += [("lap",), ("place",), ("lap", "place"), ("kind",), ("contract",)]
        owns += [("amount",), ("stake",)] if auction else []
    elif not auction:
        owns += [("kind",)]
    for own in wanted(source, owns):
        name, title = grouping_names(own)
        title = f"Contracts made{title}, taken deals"
        yield source.table(f"contracts{name}", title, own, lines(own))

    def capot() -> Lines:
        columns = ("capot_announced", "capot_contracting", "result")
        for group, counts in source.split((), columns).items():
            deals = sum(counts.values())
            announced = {key: count for key, count in counts.items() if key[0] == 1}
            bids = sum(announced.values())
            made = sum(count for key, count in announced.items() if key[2] == MADE)
            surprises = sum(count for key, count in counts.items() if key[:2] == (0, 1))
            for quantity, count, of in (
                (f"Capot announced, {OF_TAKEN}", bids, deals),
                ("contract made, share of deals with Capot announced", made, bids),
                (
                    "all tricks won, share of taken deals without Capot announced",
                    surprises,
                    deals - bids,
                ),
            ):
                yield group, quantity, "share", source.share(count, of)

    if auction and source.experiment.imposed is None:
        yield source.table("capot", "Capot announced and made, taken deals", (), capot())


def _totals(source: Source) -> Iterable[Table]:
    """The contracting team's total."""
    imposed = source.experiment.imposed is not None
    for own in wanted(source, [()] if imposed else [(), ("contract",)]):
        name, title = grouping_names(own)
        lines: Lines = [
            (group, quantity, "points", estimate)
            for group, histogram in source.histograms(own, "contracting_total").items()
            for quantity, estimate in spread(histogram, source.confidence)
        ]
        title = f"Total of the contracting team{title}, taken deals"
        yield source.table(f"contracting_total{name}", title, own, lines)
