"""The tables of calls and contracts, and the list of all tables of rounds.

A deal stands in two categories: it is one of all deals, and, unless it was passed out, one of
the taken deals.  Every quantity that is a share says of which.  With auctions a deal is taken
if somebody bid, and its lap, place and contract are those of the last bid.

The tables of bonuses, gratuities and scores.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.joint_counts import DerivedColumn
from kqj_sim.analysis.tables import (
    SHARE_OF_DEALS,
    SHARE_OF_TAKEN,
    ColumnValues,
    Table,
    TableBuilder,
    TableRows,
    describe_distribution,
    name_grouping,
    select_groupings,
)
from kqj_sim.cards import SUITS
from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS
from kqj_sim.rules import SEATS, require_kqj_rules

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import Rows


def has_litigation(experiment: Experiment) -> bool:
    """True if equal totals leave a litigation gratuity under these rules."""
    rules = require_kqj_rules(experiment.rules)
    return rules.bidding == "take" or rules.must_outscore


def derive_score_columns(experiment: Experiment) -> list[DerivedColumn]:
    """Columns that the tables need beside those of the rows."""
    rules = require_kqj_rules(experiment.rules)
    score = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["score_0"]]
    defending = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["defending_score"]]
    # Twice the difference to a defending team if there are two of them, to stay in integers.
    times = rules.teams - 1
    made = [
        DerivedColumn(
            "score_difference",
            -defending.high,
            times * score.high,
            ("contracting_score", "defending_score"),
            lambda rows: times * rows.column("contracting_score") - rows.column("defending_score"),
        )
    ]
    if rules.partners == "random":
        made += [
            DerivedColumn(
                f"seat_score_{seat}",
                score.low,
                score.high,
                (f"team_of_seat_{seat}", "score_0", "score_1", "score_2"),
                _make_seat_score(seat),
            )
            for seat in range(SEATS)
        ]
    elif rules.teams == 2:
        made.append(
            DerivedColumn(
                "team_difference",
                -score.high,
                score.high,
                ("score_0", "score_1"),
                lambda rows: rows.column("score_0") - rows.column("score_1"),
            )
        )
    return made


def _make_seat_score(seat: int) -> Callable[[Rows], NDArray[np.int32]]:
    """What computes the score of the player at a seat: that of his team of the round."""

    def compute(rows: Rows) -> NDArray[np.int32]:
        team = rows.column(f"team_of_seat_{seat}")
        scores = np.zeros(len(rows), np.int32)
        for number in range(3):  # products vectorise, three times as fast as a choice
            scores += rows.column(f"score_{number}") * (team == number)
        return scores

    return compute


def make_score_tables(source: TableBuilder) -> Iterable[Table]:
    """Bonuses, three-team gratuities, litigation gratuities, scores."""
    yield from _make_bonus_tables(source)
    if require_kqj_rules(source.experiment.rules).teams == 3:
        yield source.table(
            "gratuities", "Gratuities of three teams, taken deals", (), _list_gratuities(source)
        )
    if has_litigation(source.experiment):
        yield source.table(
            "pending", "Litigation gratuities, taken deals", (), _list_pending(source)
        )
    yield source.table("scores", "Scores of a round", (), _list_scores(source))
    player = "seat" if source.experiment.rules.partners == "random" else "team"
    yield source.table(
        f"scores_by_{player}",
        f"Scores of a round, by {player}",
        (player,),
        _list_player_scores(source),
    )


def _make_bonus_tables(source: TableBuilder) -> Iterable[Table]:
    """Last trick, Capot, KQ and KQJ, by side."""

    def lines(own: tuple[str, ...]) -> TableRows:
        tricks = source.split(
            own, ("last_trick_contracting", "capot_contracting", "capot_defending")
        )
        announcements = source.split(
            own, ("kq_contracting", "kq_defending", "kqj_contracting", "kqj_defending")
        )
        for group, won in tricks.items():
            deals = sum(won.values())
            last = sum(count for key, count in won.items() if key[0])
            for side, count in enumerate((last, deals - last)):
                yield (
                    (*group, side),
                    f"last trick, {SHARE_OF_TAKEN}",
                    "share",
                    source.share(count, deals),
                )
            for side, places in enumerate(((1,), (2,), (1, 2))):
                count = sum(n for key, n in won.items() if any(key[place] for place in places))
                yield (
                    (*group, side),
                    f"Capot, {SHARE_OF_TAKEN}",
                    "share",
                    source.share(count, deals),
                )
            for quantity, places_of_side in (
                ("KQ", ((0,), (1,), (0, 1))),
                ("KQJ", ((2,), (3,), (2, 3))),
            ):
                for side, places in enumerate(places_of_side):
                    numbers = _sum_values(announcements[group], places)
                    some = source.share(deals - numbers.get(0, 0), deals)
                    name = f"{quantity}, number a taken deal"
                    yield (*group, side), name, "count", source.mean(numbers, (0, len(SUITS)))
                    yield (*group, side), f"any {quantity}, {SHARE_OF_TAKEN}", "share", some

    def sorted_lines(own: tuple[str, ...]) -> TableRows:
        return sorted(lines(own), key=lambda line: line[0])  # stable: a side's lines together

    imposed = source.experiment.imposed is not None
    for own in select_groupings(source, [()] if imposed else [(), ("contract",)]):
        name, title = name_grouping(own)
        title = f"Bonuses{title or ', by side'}{' and side' if own else ''}, taken deals"
        yield source.table(f"bonuses{name}", title, (*own, "side"), sorted_lines(own))


def _sum_values(joint: Mapping[ColumnValues, int], places: Iterable[int]) -> dict[int, int]:
    """Histogram of the sum of several of the values."""
    places = tuple(places)
    histogram: dict[int, int] = {}
    for values, count in joint.items():
        number = sum(values[place] for place in places)
        histogram[number] = histogram.get(number, 0) + count
    return histogram


def _list_gratuities(source: TableBuilder) -> TableRows:
    """How often teams come out low or without a trick, and what is paid for it."""
    for group, joint in source.split((), ("low_teams", "trickless_teams")).items():
        deals = sum(joint.values())
        teams = require_kqj_rules(source.experiment.rules).teams
        paid: dict[int, int] = {}
        for (low, trickless), count in joint.items():
            # Each such team has two other teams to pay.
            points = 2 * (20 * low + 60 * trickless)
            paid[points] = paid.get(points, 0) + count
        for quantity, place in (("20 card points or fewer", 0), ("no trick", 1)):
            numbers = _sum_values(joint, (place,))
            some = source.share(deals - numbers.get(0, 0), deals)
            yield group, f"a team with {quantity}, {SHARE_OF_TAKEN}", "share", some
            name = f"teams with {quantity}, number a taken deal"
            yield group, name, "count", source.mean(numbers, (0, teams))
        some = source.share(deals - paid.get(0, 0), deals)
        yield group, f"any gratuity paid, {SHARE_OF_TAKEN}", "share", some
        mean = source.mean(paid, (0, 2 * (20 + 60) * teams))
        yield group, "paid to all teams, mean a taken deal", "points", mean


def _list_pending(source: TableBuilder) -> TableRows:
    """Litigation gratuities: waiting before a played round, received in it, left behind by it.

    Of taken deals only: a gratuity that waits goes on waiting while rounds are passed out, so
    that all rounds would not be independent observations.
    """
    moments = [("left behind", "pending_after")]
    if source.experiment.games is not None:
        moments = [
            ("waiting before the round", "pending_before"),
            ("received", "gratuity_received"),
            *moments,
        ]
    histograms = {column: source.group_histograms((), column) for _, column in moments}
    for group in histograms["pending_after"]:
        for quantity, column in moments:
            sizes = histograms[column][group]
            deals = sum(sizes.values())
            some = {size: count for size, count in sizes.items() if size > 0}
            estimate = source.share(sum(some.values()), deals)
            yield group, f"gratuity {quantity}, {SHARE_OF_TAKEN}", "share", estimate
            yield group, f"size of a gratuity {quantity}, mean", "points", source.mean(some)


def _list_scores(source: TableBuilder) -> TableRows:
    """Scores of the sides, and the difference between two fixed teams."""
    rules = require_kqj_rules(source.experiment.rules)
    teams = rules.teams - 1
    defending = "each defending team" if teams == 2 else "defending team"
    sides = (
        ("contracting team", "contracting_score", 1),
        (defending, "defending_score", teams),
        (f"contracting team less {defending}", "score_difference", teams),
    )
    histograms = [source.group_histograms((), column) for _, column, _ in sides]
    for group in histograms[0]:
        for (quantity, _, parts), histogram in zip(sides, histograms, strict=True):
            estimate = source.mean(histogram[group]).scaled(1 / parts)
            yield group, f"{quantity}, mean a taken deal", "points", estimate
    if rules.teams == 2 and rules.partners == "fixed":
        for group, differences in source.group_histograms(
            (), "team_difference", taken=False
        ).items():
            yield group, "team 0 less team 1, mean a deal", "points", source.mean(differences)


def _list_player_scores(source: TableBuilder) -> TableRows:
    """Scores of the teams, or of the seats with random partners, passed-out deals included."""
    rules = require_kqj_rules(source.experiment.rules)
    column = "seat_score" if rules.partners == "random" else "score"
    players = [
        source.group_histograms((), f"{column}_{number}", taken=False)
        for number in range(SEATS if rules.partners == "random" else rules.teams)
    ]
    for group in players[0]:
        for number, histograms in enumerate(players):
            estimate = source.mean(histograms[group])
            yield (*group, number), "score, mean a deal", "points", estimate


GAME_ONLY_TABLES: tuple[str, ...] = ()

RESULTS = ("made", "failed", "litigation")
RESULT_LABELS = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["result"]].labels
KIND_LABELS = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["kind"]].labels
MADE_NUMBER = RESULT_LABELS.index("made")

_AUCTION_NOTE = "A deal is taken if somebody bid; lap, place and contract are the last bid's."


def list_notes(experiment: Experiment) -> tuple[str, ...]:
    """What is told under every table."""
    return (_AUCTION_NOTE,) if require_kqj_rules(experiment.rules).bidding == "auction" else ()


def derive_columns(experiment: Experiment) -> list[DerivedColumn]:
    """Columns that the tables need beside those of the rows."""
    return derive_score_columns(experiment)


def list_joints(experiment: Experiment) -> list[tuple[str, ...]]:
    """The tuples of columns of which the tables need joint counts."""
    rules = require_kqj_rules(experiment.rules)
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


def make_tables(source: TableBuilder) -> list[Table]:
    """Every table that the experiment gives a meaning.

    One that is grouped by a column of `by` anyway would repeat another, and is left out.  With
    an imposed contract there is no calling to tell of.
    """
    imposed = source.experiment.imposed is not None
    made = [] if imposed else [*_make_taking_tables(source), *_make_auction_tables(source)]
    return [
        *made,
        *_make_contract_tables(source),
        *_make_total_tables(source),
        *make_score_tables(source),
    ]


def _list_possible_values(source: TableBuilder, column: str) -> tuple[int, ...]:
    """Values of a column that a taken deal can have, told even where no deal has them."""
    rules = require_kqj_rules(source.experiment.rules)
    contracts = [*range(len(rules.contracts))]
    if column == "contract":
        return tuple(contracts)
    if column == "place":
        return tuple(range(SEATS))
    if column == "lap":
        return (1, 2) if rules.bidding == "take" else (1,)
    suits = ("return", "other") if rules.bidding == "take" else ("suit",)
    return tuple(KIND_LABELS.index(kind) for kind in (*suits, *rules.contracts[4:]))


def _make_taking_tables(source: TableBuilder) -> Iterable[Table]:
    """Who takes, when, with what."""
    everything = source.group_histograms((), "taken", taken=False)

    def overall() -> TableRows:
        for group, counts in everything.items():
            deals = sum(counts.values())
            for quantity, taken in (("taken", 1), ("passed out", 0)):
                estimate = source.share(counts.get(taken, 0), deals)
                yield group, f"{quantity}, {SHARE_OF_DEALS}", "share", estimate

    def split(own: tuple[str, ...]) -> TableRows:
        possible = set(
            itertools.product(*(_list_possible_values(source, column) for column in own))
        )
        taken = source.split((), own)
        for group, counts in everything.items():
            places = taken.get(group, {})
            for place in sorted(possible | places.keys()):
                count = places.get(place, 0)
                for quantity, deals in (
                    (SHARE_OF_DEALS, sum(counts.values())),
                    (SHARE_OF_TAKEN, sum(places.values())),
                ):
                    yield (*group, *place), quantity, "share", source.share(count, deals)

    yield source.table("taking", "Deals taken and passed out", (), overall())
    owns = [("lap",), ("place",), ("lap", "place"), ("kind",), ("contract",)]
    for own in select_groupings(source, owns):
        name, title = name_grouping(own)
        yield source.table(f"taking{name}", f"Deals taken{title}", own, split(own))


def _make_auction_tables(source: TableBuilder) -> Iterable[Table]:
    """Amounts, bids, counters."""
    if require_kqj_rules(source.experiment.rules).bidding != "auction":
        return

    def overall() -> TableRows:
        openings = source.group_histograms((), "opening_amount")
        finals = source.group_histograms((), "amount")
        bids = source.group_histograms((), "bids")
        stakes = source.group_histograms((), "stake")
        announced = source.group_histograms((), "capot_announced")
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
                ("outbid", deals - bids[group].get(1, 0), deals, SHARE_OF_TAKEN),
                ("countered", countered, deals, SHARE_OF_TAKEN),
                ("overcountered", overcountered, deals, SHARE_OF_TAKEN),
                ("overcountered", overcountered, countered, "share of countered deals"),
                ("Capot announced", announced[group].get(1, 0), deals, SHARE_OF_TAKEN),
            ):
                yield group, f"{quantity}, {whole}", "share", source.share(count, of)

    def distribution(column: str) -> TableRows:
        for group, counts in source.group_histograms((), column).items():
            for value in sorted(counts):
                estimate = source.share(counts[value], sum(counts.values()))
                yield (*group, value), SHARE_OF_TAKEN, "share", estimate

    yield source.table("auctions", "Auctions", (), overall())
    for name, title, column in (
        ("opening_amounts", "Amount of the first bid", "opening_amount"),
        ("final_amounts", "Amount of the last bid", "amount"),
        ("bids", "Number of bids", "bids"),
    ):
        if column not in source.by:
            yield source.table(name, f"{title}, taken deals", (column,), distribution(column))


def _make_contract_tables(source: TableBuilder) -> Iterable[Table]:
    """What comes of the contracts."""
    results = RESULTS if has_litigation(source.experiment) else RESULTS[:2]

    def lines(own: tuple[str, ...]) -> TableRows:
        for group, counts in source.group_histograms(own, "result").items():
            for result in results:
                count = counts.get(RESULT_LABELS.index(result), 0)
                estimate = source.share(count, sum(counts.values()))
                yield group, f"{result}, {SHARE_OF_TAKEN}", "share", estimate

    auction = require_kqj_rules(source.experiment.rules).bidding == "auction"
    owns: list[tuple[str, ...]] = [()]
    if source.experiment.imposed is None:
        owns += [("lap",), ("place",), ("lap", "place"), ("kind",), ("contract",)]
        owns += [("amount",), ("stake",)] if auction else []
    elif not auction:
        owns += [("kind",)]
    for own in select_groupings(source, owns):
        name, title = name_grouping(own)
        title = f"Contracts made{title}, taken deals"
        yield source.table(f"contracts{name}", title, own, lines(own))

    def capot() -> TableRows:
        columns = ("capot_announced", "capot_contracting", "result")
        for group, counts in source.split((), columns).items():
            deals = sum(counts.values())
            announced = {key: count for key, count in counts.items() if key[0] == 1}
            bids = sum(announced.values())
            made = sum(count for key, count in announced.items() if key[2] == MADE_NUMBER)
            surprises = sum(count for key, count in counts.items() if key[:2] == (0, 1))
            for quantity, count, of in (
                (f"Capot announced, {SHARE_OF_TAKEN}", bids, deals),
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


def _make_total_tables(source: TableBuilder) -> Iterable[Table]:
    """The contracting team's total."""
    imposed = source.experiment.imposed is not None
    for own in select_groupings(source, [()] if imposed else [(), ("contract",)]):
        name, title = name_grouping(own)
        lines: TableRows = [
            (group, quantity, "points", estimate)
            for group, histogram in source.group_histograms(own, "contracting_total").items()
            for quantity, estimate in describe_distribution(histogram, source.confidence)
        ]
        title = f"Total of the contracting team{title}, taken deals"
        yield source.table(f"contracting_total{name}", title, own, lines)
