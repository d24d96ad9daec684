"""Tables of KQJ rounds: calls, contracts, totals, bonuses, gratuities and scores.

A deal is counted among all deals, and, unless it was passed out, among the taken deals.  Every
share says of which.  With auctions a deal is taken if somebody bid, and its lap, place and contract
are those of the last bid.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from kqj_sim.cards import SUITS
from kqj_sim.columns import KQJ_COLUMN_NUMBERS, KQJ_COLUMNS, TOTAL_STEP
from kqj_sim.rules import SEATS, require_kqj_rules
from kqj_sim.stats import tables
from kqj_sim.stats.quantities import Quantity, list_distribution
from kqj_sim.stats.tables import DerivedColumn, Table, TableBuilder, TableRows

if TYPE_CHECKING:
    from kqj_sim.core.types import Int32Array
    from kqj_sim.simulation.experiment import Experiment
    from kqj_sim.simulation.rows import Rows

RESULT_LABELS = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["result"]].labels
KIND_LABELS = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["kind"]].labels
MADE_NUMBER = RESULT_LABELS.index("made")

_AUCTION_NOTE = "A deal is taken if somebody bid; lap, place and contract are the last bid's."


def has_litigation(experiment: Experiment) -> bool:
    """Return whether equal totals leave a litigation gratuity under these rules."""
    rules = require_kqj_rules(experiment.rules)
    return rules.bidding == "take" or rules.must_outscore


def _number_results(experiment: Experiment) -> dict[str, int]:
    """Return the shares of the results that the rules allow, each with the result's number."""
    results = ("made", "failed", "litigation") if has_litigation(experiment) else ("made", "failed")
    return {f"{result}_share": RESULT_LABELS.index(result) for result in results}


def list_notes(experiment: Experiment) -> tuple[str, ...]:
    """Return the remarks under every table."""
    return (_AUCTION_NOTE,) if require_kqj_rules(experiment.rules).bidding == "auction" else ()


def derive_columns(experiment: Experiment, detail: bool) -> list[DerivedColumn]:
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
    return [*made, *_derive_detail_columns(experiment)] if detail else made


def _make_seat_score(seat: int) -> Callable[[Rows], Int32Array]:
    """Return a function that computes the score of a seat, which is that of its team."""

    def compute(rows: Rows) -> Int32Array:
        team = rows.column(f"team_of_seat_{seat}")
        scores = np.zeros(len(rows), np.int32)
        for number in range(3):  # Products vectorise: three times as fast as np.choose.
            scores += rows.column(f"score_{number}") * (team == number)
        return scores

    return compute


def list_joints(experiment: Experiment, detail: bool) -> list[tuple[str, ...]]:
    rules = require_kqj_rules(experiment.rules)
    needed: list[tuple[str, ...]] = [
        ("taken", "lap", "place", "result"),
        (
            "taken", "contract", "kind", "result",
            "last_trick_contracting", "capot_contracting", "capot_defending",
        ),
        ("taken", "contract", "contracting_total", "result"),
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
    if detail:
        needed += [
            ("taken", "kind", "sender_trumps", "sender_aces", "result"),
            ("taken", "sender_points_from", "result"),
        ]
        needed += [("taken", "margin_from", "result")] if _has_margin(experiment) else []
    return needed


def make_tables(builder: TableBuilder, detail: bool) -> list[Table]:
    """Return every table that applies to the experiment.

    A table grouped by a column of `by` would repeat another, and is left out.  With an imposed
    contract there are no tables of calls.
    """
    imposed = builder.experiment.imposed is not None
    made = [] if imposed else [*_make_taking_tables(builder), *_make_auction_tables(builder)]
    return [
        *made,
        *_make_contract_tables(builder),
        *_make_total_tables(builder),
        *_make_score_tables(builder),
        *(_make_detail_tables(builder) if detail else ()),
    ]


def _list_possible_values(builder: TableBuilder, column: str) -> tuple[int, ...]:
    """Return the values of a column that are listed even if no deal has them."""
    rules = require_kqj_rules(builder.experiment.rules)
    contracts = [*range(len(rules.contracts))]
    if column == "contract":
        return tuple(contracts)
    if column == "place":
        return tuple(range(SEATS))
    if column == "lap":
        return (1, 2) if rules.bidding == "take" else (1,)
    suits = ("return", "other") if rules.bidding == "take" else ("suit",)
    return tuple(KIND_LABELS.index(kind) for kind in (*suits, *rules.contracts[4:]))


def _make_taking_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of takes: their number, lap, place and contract."""
    everything = builder.group_histograms((), "taken", taken=False)

    def split(grouping: tuple[str, ...]) -> TableRows:
        possible = set(
            itertools.product(*(_list_possible_values(builder, column) for column in grouping))
        )
        taken = builder.count_groups((), grouping)
        for group, counts in everything.items():
            places = taken.get(group, {})
            for place in sorted(possible | places.keys()):
                count = places.get(place, 0)
                for quantity, deals in (
                    ("share_of_deals", sum(counts.values())),
                    ("share_of_taken", sum(places.values())),
                ):
                    yield (*group, *place), quantity, builder.share(count, deals)

    overall = builder.split(everything, {"taken_share": 1, "passed_out_share": 0})
    yield builder.table("taking", "Deals taken and passed out", (), overall)
    groupings = [("lap",), ("place",), ("lap", "place"), ("kind",), ("contract",)]
    for grouping in tables.select_groupings(builder, groupings):
        name, title = tables.name_grouping(grouping)
        yield builder.table(f"taking{name}", f"Deals taken{title}", grouping, split(grouping))


def _make_auction_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of amounts, bids and counters."""
    if require_kqj_rules(builder.experiment.rules).bidding != "auction":
        return

    def overall() -> TableRows:
        openings = builder.group_histograms((), "opening_amount")
        finals = builder.group_histograms((), "amount")
        bids = builder.group_histograms((), "bids")
        stakes = builder.group_histograms((), "stake")
        announced = builder.group_histograms((), "capot_announced")
        for group in openings:
            deals = sum(openings[group].values())
            outbids = {number - 1: count for number, count in bids[group].items()}
            countered = deals - stakes[group].get(1, 0)
            overcountered = stakes[group].get(4, 0)
            yield group, "opening_amount_mean", builder.mean(openings[group])
            yield group, "final_amount_mean", builder.mean(finals[group])
            yield group, "bids_mean", builder.mean(bids[group])
            yield group, "outbids_mean", builder.mean(outbids)
            for quantity, count, of in (
                ("outbid_share", deals - bids[group].get(1, 0), deals),
                ("countered_share", countered, deals),
                ("overcountered_share", overcountered, deals),
                ("overcountered_share_of_countered", overcountered, countered),
                ("capot_announced_share", announced[group].get(1, 0), deals),
            ):
                yield group, quantity, builder.share(count, of)

    yield builder.table("auctions", "Auctions", (), overall())
    for name, title, column in (
        ("opening_amounts", "Amount of the first bid", "opening_amount"),
        ("final_amounts", "Amount of the last bid", "amount"),
        ("bids", "Number of bids", "bids"),
    ):
        if column not in builder.by:
            lines = builder.list_shares(column, "share_of_taken")
            yield builder.table(name, f"{title}, taken deals", (column,), lines)


def _make_contract_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of the results of contracts."""
    results = _number_results(builder.experiment)
    auction = require_kqj_rules(builder.experiment.rules).bidding == "auction"
    groupings: list[tuple[str, ...]] = [()]
    if builder.experiment.imposed is None:
        groupings += [("lap",), ("place",), ("lap", "place"), ("kind",), ("contract",)]
        groupings += [("amount",), ("stake",)] if auction else []
    elif not auction:
        groupings += [("kind",)]
    for grouping in tables.select_groupings(builder, groupings):
        name, title = tables.name_grouping(grouping)
        title = f"Contracts made{title}, taken deals"
        lines = builder.split(builder.group_histograms(grouping, "result"), results)
        yield builder.table(f"contracts{name}", title, grouping, lines)

    def capot() -> TableRows:
        columns = ("capot_announced", "capot_contracting", "result")
        for group, counts in builder.count_groups((), columns).items():
            deals = sum(counts.values())
            announced = {key: count for key, count in counts.items() if key[0] == 1}
            bids = sum(announced.values())
            made = sum(count for key, count in announced.items() if key[2] == MADE_NUMBER)
            surprises = sum(count for key, count in counts.items() if key[:2] == (0, 1))
            for quantity, count, of in (
                ("capot_announced_share", bids, deals),
                ("announced_capot_made_share", made, bids),
                ("unannounced_capot_share", surprises, deals - bids),
            ):
                yield group, quantity, builder.share(count, of)

    if auction and builder.experiment.imposed is None:
        yield builder.table("capot", "Capot announced and made, taken deals", (), capot())


def _make_total_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of the contracting team's total."""
    imposed = builder.experiment.imposed is not None
    for grouping in tables.select_groupings(builder, [()] if imposed else [(), ("contract",)]):
        name, title = tables.name_grouping(grouping)
        lines = builder.list_distributions(grouping, "contracting_total", "contracting_total")
        title = f"Total of the contracting team{title}, taken deals"
        yield builder.table(f"contracting_total{name}", title, grouping, lines)


def _make_score_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of bonuses, gratuities and scores."""
    yield from _make_bonus_tables(builder)
    if require_kqj_rules(builder.experiment.rules).teams == 3:
        yield builder.table(
            "gratuities", "Gratuities of three teams, taken deals", (), _list_gratuities(builder)
        )
    if has_litigation(builder.experiment):
        yield builder.table(
            "pending", "Litigation gratuities, taken deals", (), _list_pending(builder)
        )
    yield builder.table("scores", "Scores of a round", (), _list_scores(builder))
    rules = require_kqj_rules(builder.experiment.rules)
    is_random = rules.partners == "random"
    player, column = ("seat", "seat_score") if is_random else ("team", "score")
    count = SEATS if is_random else rules.teams
    yield builder.table(
        f"scores_by_{player}",
        f"Scores of a round, by {player}",
        (player,),
        builder.list_means([f"{column}_{number}" for number in range(count)], "score_mean"),
    )


def _make_bonus_tables(builder: TableBuilder) -> Iterable[Table]:
    """Yield the tables of last trick, Capot, KQ and KQJ, by side."""

    def lines(grouping: tuple[str, ...]) -> TableRows:
        tricks = builder.count_groups(
            grouping, ("last_trick_contracting", "capot_contracting", "capot_defending")
        )
        announcements = builder.count_groups(
            grouping, ("kq_contracting", "kq_defending", "kqj_contracting", "kqj_defending")
        )
        for group, won in tricks.items():
            deals = sum(won.values())
            last = sum(count for key, count in won.items() if key[0])
            for side, count in enumerate((last, deals - last)):
                yield (*group, side), "last_trick_share", builder.share(count, deals)
            for side, places in enumerate(((1,), (2,), (1, 2))):
                count = sum(n for key, n in won.items() if any(key[place] for place in places))
                yield (*group, side), "capot_share", builder.share(count, deals)
            for quantity, places_of_side in (
                ("kq", ((0,), (1,), (0, 1))),
                ("kqj", ((2,), (3,), (2, 3))),
            ):
                for side, places in enumerate(places_of_side):
                    numbers = _sum_values(announcements[group], places)
                    some = builder.share(deals - numbers.get(0, 0), deals)
                    name = f"{quantity}_mean"
                    yield (*group, side), name, builder.mean(numbers, (0, len(SUITS)))
                    yield (*group, side), f"{quantity}_share", some

    def sorted_lines(grouping: tuple[str, ...]) -> TableRows:
        return sorted(lines(grouping), key=lambda line: line[0])  # stable: a side's lines together

    imposed = builder.experiment.imposed is not None
    for grouping in tables.select_groupings(builder, [()] if imposed else [(), ("contract",)]):
        name, title = tables.name_grouping(grouping)
        title = f"Bonuses{title or ', by side'}{' and side' if grouping else ''}, taken deals"
        yield builder.table(f"bonuses{name}", title, (*grouping, "side"), sorted_lines(grouping))


def _sum_values(joint: Mapping[tables.ColumnValues, int], places: Iterable[int]) -> dict[int, int]:
    """Return the histogram of the sum of several of the values."""
    places = tuple(places)
    histogram: dict[int, int] = {}
    for values, count in joint.items():
        number = sum(values[place] for place in places)
        histogram[number] = histogram.get(number, 0) + count
    return histogram


def _list_gratuities(builder: TableBuilder) -> TableRows:
    """Yield shares of deals with low or trickless teams, and the gratuities paid."""
    for group, joint in builder.count_groups((), ("low_teams", "trickless_teams")).items():
        deals = sum(joint.values())
        teams = require_kqj_rules(builder.experiment.rules).teams
        paid: dict[int, int] = {}
        for (low, trickless), count in joint.items():
            # Each such team pays two other teams.
            points = 2 * (20 * low + 60 * trickless)
            paid[points] = paid.get(points, 0) + count
        for quantity, place in (("low_team", 0), ("trickless_team", 1)):
            numbers = _sum_values(joint, (place,))
            some = builder.share(deals - numbers.get(0, 0), deals)
            yield group, f"{quantity}_share", some
            yield group, f"{quantity}s_mean", builder.mean(numbers, (0, teams))
        some = builder.share(deals - paid.get(0, 0), deals)
        yield group, "gratuity_paid_share", some
        mean = builder.mean(paid, (0, 2 * (20 + 60) * teams))
        yield group, "gratuity_paid_mean", mean


def _list_pending(builder: TableBuilder) -> TableRows:
    """Yield the litigation gratuities waiting before a played round, received and left by it.

    They are those of taken deals: a gratuity goes on waiting while rounds are passed out, so that
    all rounds would not be independent observations.
    """
    moments = [("left", "pending_after")]
    if builder.experiment.games is not None:
        moments = [("waiting", "pending_before"), ("received", "gratuity_received"), *moments]
    histograms = {column: builder.group_histograms((), column) for _, column in moments}
    for group in histograms["pending_after"]:
        for quantity, column in moments:
            sizes = histograms[column][group]
            deals = sum(sizes.values())
            some = {size: count for size, count in sizes.items() if size > 0}
            estimate = builder.share(sum(some.values()), deals)
            yield group, f"gratuity_{quantity}_share", estimate
            yield group, f"gratuity_{quantity}_mean", builder.mean(some)


def _list_scores(builder: TableBuilder) -> TableRows:
    """Yield the scores of the sides, and the difference of two fixed teams."""
    rules = require_kqj_rules(builder.experiment.rules)
    teams = rules.teams - 1
    sides = (
        ("contracting_score_mean", "contracting_score", 1),
        ("defending_score_mean", "defending_score", teams),
        ("score_difference_mean", "score_difference", teams),
    )
    histograms = [builder.group_histograms((), column) for _, column, _ in sides]
    for group in histograms[0]:
        for (quantity, _, parts), histogram in zip(sides, histograms, strict=True):
            estimate = builder.mean(histogram[group]) * (1 / parts)
            yield group, quantity, estimate
    if rules.teams == 2 and rules.partners == "fixed":
        for group, differences in builder.group_histograms(
            (), "team_difference", taken=False
        ).items():
            yield group, "team_difference_mean", builder.mean(differences)


# Further tables of reports: take rates, contracts by hand, totals in steps.


_SUIT_KINDS = tuple(KIND_LABELS.index(kind) for kind in ("return", "other", "suit"))


def _derive_detail_columns(experiment: Experiment) -> list[DerivedColumn]:
    made = [_derive_steps("sender_points_from", "sender_points")]
    if _has_margin(experiment):
        highest = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["contracting_total"]].high
        against = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS["amount"]].high
        made.append(
            DerivedColumn(
                "margin_from",
                -against,
                highest,
                ("contracting_total", "defending_total", "amount"),
                lambda rows: _compute_margin(experiment, rows) // TOTAL_STEP * TOTAL_STEP,
            )
        )
    return made


def _derive_steps(name: str, column: str) -> DerivedColumn:
    """Return a column rounded down to steps of `TOTAL_STEP`."""
    known = KQJ_COLUMNS[KQJ_COLUMN_NUMBERS[column]]
    return DerivedColumn(
        name,
        known.low,
        known.high,
        (column,),
        lambda rows: rows.column(column) // TOTAL_STEP * TOTAL_STEP,
    )


def _has_margin(experiment: Experiment) -> bool:
    """Return whether the total needed to make a contract differs between deals."""
    return (
        require_kqj_rules(experiment.rules).bidding == "auction"
        or require_kqj_rules(experiment.rules).teams == 3
    )


def _compute_margin(experiment: Experiment, rows: Rows) -> Int32Array:
    """Return the contracting team's total minus the amount, or minus the best other total."""
    auction = require_kqj_rules(experiment.rules).bidding == "auction"
    total = rows.column("contracting_total")
    if auction and require_kqj_rules(experiment.rules).amount_uses == "rounded":
        total = (total + 5) // 10 * 10
    margin: Int32Array = total - rows.column("amount" if auction else "defending_total")
    return margin


def _make_detail_tables(builder: TableBuilder) -> Iterable[Table]:
    experiment, results = builder.experiment, _number_results(builder.experiment)
    if require_kqj_rules(experiment.rules).bidding == "take" and experiment.imposed is None:
        lines = _list_take_rates(builder)
        yield builder.table("take_rate", "Takes", ("lap", "place"), lines)
    for name, title, grouping, columns in (
        ("sender_trumps", "number of the Sender's trumps", ("sender_trumps",), (1,)),
        (
            "sender_trumps_and_aces",
            "number of the Sender's trumps and side aces",
            ("sender_trumps", "sender_aces"),
            (1, 2),
        ),
    ):
        yield builder.table(
            f"contracts_by_{name}",
            f"Contracts made in a suit, by {title}, taken deals",
            grouping,
            builder.split(_count_results_by_trumps(builder, columns), results),
        )
    yield builder.table(
        "contracts_by_sender_points",
        f"Contracts made, by the card points in the Sender's hand in steps of {TOTAL_STEP}, "
        f"taken deals",
        ("sender_points_from",),
        builder.split(builder.group_histograms(("sender_points_from",), "result"), results),
    )
    yield from make_plot_tables(builder)
    if _has_margin(experiment):
        against = (
            "the amount"
            if require_kqj_rules(experiment.rules).bidding == "auction"
            else "the best other total"
        )
        yield builder.table(
            "margins",
            f"Total of the contracting team minus {against} in steps of {TOTAL_STEP}, by result, "
            "taken deals",
            ("margin_from",),
            builder.list_joint_shares("margin_from", "result", results, TOTAL_STEP),
        )


def make_plot_tables(builder: TableBuilder) -> Iterable[Table]:
    yield builder.table(
        "totals",
        f"Total of the contracting team in steps of {TOTAL_STEP}, by result, taken deals",
        ("total_from",),
        builder.list_joint_shares(
            "contracting_total", "result", _number_results(builder.experiment), TOTAL_STEP
        ),
    )


def _list_take_rates(builder: TableBuilder) -> TableRows:
    """Yield the share of takes among those asked: the players before whom nobody took."""
    everything = builder.group_histograms((), "taken", taken=False)
    turns = builder.count_groups((), ("lap", "place"))
    for group, counts in everything.items():
        waiting = sum(counts.values())
        for turn in ((lap, place) for lap in (1, 2) for place in range(SEATS)):
            taken = turns.get(group, {}).get(turn, 0)
            yield (*group, *turn), "takes_share", builder.share(taken, waiting)
            waiting -= taken


def _count_results_by_trumps(
    builder: TableBuilder, columns: tuple[int, ...]
) -> dict[tables.ColumnValues, dict[int, int]]:
    """Count the results of contracts in a suit by some of (kind, sender_trumps, sender_aces)."""
    results: dict[tables.ColumnValues, dict[int, int]] = {}
    size = len(builder.by)
    for group, counts in builder.count_groups(
        ("kind", "sender_trumps", "sender_aces"), ("result",)
    ).items():
        if group[size] not in _SUIT_KINDS:
            continue
        key = (*group[:size], *(group[size + column] for column in columns))
        histogram = results.setdefault(key, {})
        for (result,), count in counts.items():
            histogram[result] = histogram.get(result, 0) + count
    return dict(sorted(results.items()))


# The quantities of KQJ: its rounds, and what questions ask of them.

_ROUNDS = {
    "share_of_deals": Quantity("share of all deals", "share"),
    "share_of_taken": Quantity("share of taken deals", "share"),
    "taken_share": Quantity("taken, share of all deals", "share"),
    "takes_share": Quantity("takes, when asked", "share"),
    "opening_amount_mean": Quantity("first bid, mean", "amount"),
    "final_amount_mean": Quantity("last bid, mean", "amount"),
    "bids_mean": Quantity("bids, mean", "count"),
    "outbids_mean": Quantity("bids after the first, mean", "count"),
    "outbid_share": Quantity("first bid outbid, share of taken deals", "share"),
    "countered_share": Quantity("countered, share of taken deals", "share"),
    "overcountered_share": Quantity("overcountered, share of taken deals", "share"),
    "overcountered_share_of_countered": Quantity(
        "overcountered, share of countered deals", "share"
    ),
    "capot_announced_share": Quantity("Capot announced, share of taken deals", "share"),
    "announced_capot_made_share": Quantity(
        "contract made, share of deals with an announced Capot", "share"
    ),
    "unannounced_capot_share": Quantity(
        "all tricks won, share of taken deals without an announced Capot", "share"
    ),
    "made_share": Quantity("made, share of taken deals", "share"),
    "failed_share": Quantity("failed, share of taken deals", "share"),
    "litigation_share": Quantity("litigation, share of taken deals", "share"),
    **list_distribution("contracting_total", "points"),
    "last_trick_share": Quantity("last trick, share of taken deals", "share"),
    "capot_share": Quantity("Capot, share of taken deals", "share"),
    "kq_mean": Quantity("KQ, number per taken deal", "count"),
    "kq_share": Quantity("any KQ, share of taken deals", "share"),
    "kqj_mean": Quantity("KQJ, number per taken deal", "count"),
    "kqj_share": Quantity("any KQJ, share of taken deals", "share"),
    "low_team_share": Quantity(
        "a team with 20 card points or fewer, share of taken deals", "share"
    ),
    "low_teams_mean": Quantity(
        "teams with 20 card points or fewer, number per taken deal", "count"
    ),
    "trickless_team_share": Quantity("a team without a trick, share of taken deals", "share"),
    "trickless_teams_mean": Quantity("teams without a trick, number per taken deal", "count"),
    "gratuity_paid_share": Quantity("any gratuity paid, share of taken deals", "share"),
    "gratuity_paid_mean": Quantity("paid to all teams, mean per taken deal", "points"),
    "gratuity_waiting_share": Quantity(
        "gratuity waiting before the round, share of taken deals", "share"
    ),
    "gratuity_waiting_mean": Quantity("size of a waiting gratuity, mean", "points"),
    "gratuity_received_share": Quantity("gratuity received, share of taken deals", "share"),
    "gratuity_received_mean": Quantity("size of a received gratuity, mean", "points"),
    "gratuity_left_share": Quantity(
        "gratuity left for later rounds, share of taken deals", "share"
    ),
    "gratuity_left_mean": Quantity("size of a gratuity left for later rounds, mean", "points"),
    "contracting_score_mean": Quantity("contracting team, mean per taken deal", "points"),
    "defending_score_mean": Quantity("a defending team, mean per taken deal", "points"),
    "score_difference_mean": Quantity(
        "contracting team minus a defending team, mean per taken deal", "points"
    ),
    "team_difference_mean": Quantity("team 0 minus team 1, mean per deal", "points"),
    "score_mean": Quantity("score, mean per deal", "points"),
}

_TAKE_CHART = {
    "gain_mean": Quantity("gain by taking, mean", "points"),
    "taking_better_share": Quantity("taking scores more, share of deals", "share"),
    "passing_better_share": Quantity("passing scores more, share of deals", "share"),
}

_ODDS = {
    "value": Quantity("value", "points"),
    "lead": Quantity("less than the best", "points"),
    "own_countered_share": Quantity("countered", "share"),
    "value_if_not_countered": Quantity("value if not countered", "points"),
    "litigated_share": Quantity("litigation", "share"),
    "own_total_mean": Quantity("own total", "points"),
    "own_capot_share": Quantity("Capot", "share"),
    "own_kq_share": Quantity("KQ", "share"),
    "own_kqj_share": Quantity("KQJ", "share"),
    "reach_s_share": Quantity("♠", "share"),
    "reach_h_share": Quantity("♥", "share"),
    "reach_d_share": Quantity("♦", "share"),
    "reach_c_share": Quantity("♣", "share"),
    "reach_nt_share": Quantity("NT", "share"),
    "reach_at_share": Quantity("AT", "share"),
    "hands_tried_count": Quantity("hands tried", "count"),
}

_COMPARE = {
    "sender_share": Quantity("takes, share of rounds", "share"),
    "sender_made_share": Quantity("contracts made, share of those taken", "share"),
    "made_per_round": Quantity("won by contracts made", "points"),
    "failed_per_round": Quantity("lost in failed contracts", "points"),
    "defended_per_round": Quantity("won in defence", "points"),
    "bonuses_per_round": Quantity("bonus points", "points"),
    "score_per_round": Quantity("score", "points"),
}

QUANTITIES: Mapping[str, Quantity] = {**_ROUNDS, **_TAKE_CHART, **_ODDS, **_COMPARE}
"""The quantities of this game alone, by identifier."""
