"""The tables of bonuses, gratuities and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kqj_sim.analysis.counts import Derived
from kqj_sim.analysis.source import (
    OF_TAKEN,
    Source,
    Values,
    grouping_names,
    wanted,
)
from kqj_sim.analysis.table import Lines, Table
from kqj_sim.columns import COLUMN_NUMBER, COLUMNS
from kqj_sim.notation import SUITS
from kqj_sim.rules import SEATS, kqj_of

if TYPE_CHECKING:
    from kqj_sim.experiment import Experiment
    from kqj_sim.rows import Rows


def has_litigation(experiment: Experiment) -> bool:
    """True if equal totals leave a litigation gratuity under these rules."""
    rules = kqj_of(experiment.rules)
    return rules.bidding == "take" or rules.must_outscore


def derived(experiment: Experiment) -> list[Derived]:
    """Columns that the tables need beside those of the rows."""
    rules = kqj_of(experiment.rules)
    score = COLUMNS[COLUMN_NUMBER["score_0"]]
    defending = COLUMNS[COLUMN_NUMBER["defending_score"]]
    # Twice the difference to a defending team if there are two of them, to stay in integers.
    times = rules.teams - 1
    made = [
        Derived(
            "score_difference",
            -defending.high,
            times * score.high,
            ("contracting_score", "defending_score"),
            lambda rows: times * rows.column("contracting_score") - rows.column("defending_score"),
        )
    ]
    if rules.partners == "random":
        made += [
            Derived(
                f"seat_score_{seat}",
                score.low,
                score.high,
                (f"team_of_seat_{seat}", "score_0", "score_1", "score_2"),
                _seat_score(seat),
            )
            for seat in range(SEATS)
        ]
    elif rules.teams == 2:
        made.append(
            Derived(
                "team_difference",
                -score.high,
                score.high,
                ("score_0", "score_1"),
                lambda rows: rows.column("score_0") - rows.column("score_1"),
            )
        )
    return made


def _seat_score(seat: int) -> Callable[[Rows], NDArray[np.int32]]:
    """What computes the score of the player at a seat: that of his team of the round."""

    def compute(rows: Rows) -> NDArray[np.int32]:
        team = rows.column(f"team_of_seat_{seat}")
        scores = np.zeros(len(rows), np.int32)
        for number in range(3):  # products vectorise, three times as fast as a choice
            scores += rows.column(f"score_{number}") * (team == number)
        return scores

    return compute


def tables(source: Source) -> Iterable[Table]:
    """Bonuses, three-team gratuities, litigation gratuities, scores."""
    yield from _bonuses(source)
    if kqj_of(source.experiment.rules).teams == 3:
        yield source.table(
            "gratuities", "Gratuities of three teams, taken deals", (), _gratuities(source)
        )
    if has_litigation(source.experiment):
        yield source.table("pending", "Litigation gratuities, taken deals", (), _pending(source))
    yield source.table("scores", "Scores of a round", (), _scores(source))
    player = "seat" if source.experiment.rules.partners == "random" else "team"
    yield source.table(
        f"scores_by_{player}", f"Scores of a round, by {player}", (player,), _by_player(source)
    )


def _bonuses(source: Source) -> Iterable[Table]:
    """Last trick, Capot, KQ and KQJ, by side."""

    def lines(own: tuple[str, ...]) -> Lines:
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
                yield (*group, side), f"last trick, {OF_TAKEN}", "share", source.share(count, deals)
            for side, places in enumerate(((1,), (2,), (1, 2))):
                count = sum(n for key, n in won.items() if any(key[place] for place in places))
                yield (*group, side), f"Capot, {OF_TAKEN}", "share", source.share(count, deals)
            for quantity, places_of_side in (
                ("KQ", ((0,), (1,), (0, 1))),
                ("KQJ", ((2,), (3,), (2, 3))),
            ):
                for side, places in enumerate(places_of_side):
                    numbers = _sums(announcements[group], places)
                    some = source.share(deals - numbers.get(0, 0), deals)
                    name = f"{quantity}, number a taken deal"
                    yield (*group, side), name, "count", source.mean(numbers, (0, len(SUITS)))
                    yield (*group, side), f"any {quantity}, {OF_TAKEN}", "share", some

    def sorted_lines(own: tuple[str, ...]) -> Lines:
        return sorted(lines(own), key=lambda line: line[0])  # stable: a side's lines together

    imposed = source.experiment.imposed is not None
    for own in wanted(source, [()] if imposed else [(), ("contract",)]):
        name, title = grouping_names(own)
        title = f"Bonuses{title or ', by side'}{' and side' if own else ''}, taken deals"
        yield source.table(f"bonuses{name}", title, (*own, "side"), sorted_lines(own))


def _sums(joint: Mapping[Values, int], places: Iterable[int]) -> dict[int, int]:
    """Histogram of the sum of several of the values."""
    places = tuple(places)
    histogram: dict[int, int] = {}
    for values, count in joint.items():
        number = sum(values[place] for place in places)
        histogram[number] = histogram.get(number, 0) + count
    return histogram


def _gratuities(source: Source) -> Lines:
    """How often teams come out low or without a trick, and what is paid for it."""
    for group, joint in source.split((), ("low_teams", "trickless_teams")).items():
        deals = sum(joint.values())
        teams = kqj_of(source.experiment.rules).teams
        paid: dict[int, int] = {}
        for (low, trickless), count in joint.items():
            # Each such team has two other teams to pay.
            points = 2 * (20 * low + 60 * trickless)
            paid[points] = paid.get(points, 0) + count
        for quantity, place in (("20 card points or fewer", 0), ("no trick", 1)):
            numbers = _sums(joint, (place,))
            some = source.share(deals - numbers.get(0, 0), deals)
            yield group, f"a team with {quantity}, {OF_TAKEN}", "share", some
            name = f"teams with {quantity}, number a taken deal"
            yield group, name, "count", source.mean(numbers, (0, teams))
        some = source.share(deals - paid.get(0, 0), deals)
        yield group, f"any gratuity paid, {OF_TAKEN}", "share", some
        mean = source.mean(paid, (0, 2 * (20 + 60) * teams))
        yield group, "paid to all teams, mean a taken deal", "points", mean


def _pending(source: Source) -> Lines:
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
    histograms = {column: source.histograms((), column) for _, column in moments}
    for group in histograms["pending_after"]:
        for quantity, column in moments:
            sizes = histograms[column][group]
            deals = sum(sizes.values())
            some = {size: count for size, count in sizes.items() if size > 0}
            estimate = source.share(sum(some.values()), deals)
            yield group, f"gratuity {quantity}, {OF_TAKEN}", "share", estimate
            yield group, f"size of a gratuity {quantity}, mean", "points", source.mean(some)


def _scores(source: Source) -> Lines:
    """Scores of the sides, and the difference between two fixed teams."""
    rules = kqj_of(source.experiment.rules)
    teams = rules.teams - 1
    defending = "each defending team" if teams == 2 else "defending team"
    sides = (
        ("contracting team", "contracting_score", 1),
        (defending, "defending_score", teams),
        (f"contracting team less {defending}", "score_difference", teams),
    )
    histograms = [source.histograms((), column) for _, column, _ in sides]
    for group in histograms[0]:
        for (quantity, _, parts), histogram in zip(sides, histograms, strict=True):
            estimate = source.mean(histogram[group]).scaled(1 / parts)
            yield group, f"{quantity}, mean a taken deal", "points", estimate
    if rules.teams == 2 and rules.partners == "fixed":
        for group, differences in source.histograms((), "team_difference", taken=False).items():
            yield group, "team 0 less team 1, mean a deal", "points", source.mean(differences)


def _by_player(source: Source) -> Lines:
    """Scores of the teams, or of the seats with random partners, passed-out deals included."""
    rules = kqj_of(source.experiment.rules)
    column = "seat_score" if rules.partners == "random" else "score"
    players = [
        source.histograms((), f"{column}_{number}", taken=False)
        for number in range(SEATS if rules.partners == "random" else rules.teams)
    ]
    for group in players[0]:
        for number, histograms in enumerate(players):
            estimate = source.mean(histograms[group])
            yield (*group, number), "score, mean a deal", "points", estimate
