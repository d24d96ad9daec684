"""Every number of the tables of Kwajongen's rounds as a sample of a pandas table."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from tests.stats.by_pandas import Sample, mean, share, spread

RESULTS = {"made": "caller_won_share", "failed": "caller_lost_share", "tie": "tied_share"}


def numbers(name: str, frame: pd.DataFrame) -> Iterator[Sample]:
    """The numbers of the table `name` for these rows: group, quantity, number."""
    played = frame[frame["sender"] >= 0]
    made = {
        "calls": lambda: calls(frame),
        "calls_by_place": lambda: calls_by_place(frame),
        "capot": lambda: capot(played),
        "tricks": lambda: tricks(played),
        "raised": lambda: raised(played),
        "card_points": lambda: card_points(played),
        "scores": lambda: scores(frame, played),
        "scores_by_team": lambda: by_team(frame),
        "points": lambda: distribution(played, "contracting_card_points"),
        "margins": lambda: distribution(
            played.assign(
                difference=played["contracting_card_points"] - played["defending_card_points"]
            ),
            "difference",
        ),
    }
    if name in made:
        yield from made[name]()
        return
    family, _, grouping = name.partition("_by_")
    assert family == "results", name
    own = grouping.split("_and_") if grouping else []
    for group, rows in played.groupby(own, sort=True, observed=True) if own else [((), played)]:
        for result, quantity in RESULTS.items():
            yield group, quantity, share(rows["result"] == result)
    if own == ["raised"]:
        for group, rows in played.groupby(own):
            worth = rows["defending_score"] - rows["contracting_score"]
            yield group, "change_difference_mean", mean(worth)


def calls(frame: pd.DataFrame) -> Iterator[Sample]:
    yield (), "played_share", share(frame["sender"] >= 0)
    yield (), "passed_out_share", share(frame["sender"] < 0)


def calls_by_place(frame: pd.DataFrame) -> Iterator[Sample]:
    """Compute the calls by place: nobody is asked after somebody said play."""
    place = ((frame["sender"] - frame["dealer"] - 1) % 4).where(frame["sender"] >= 0, 9)
    for number in range(4):
        asked = place[place >= number]
        yield (number,), "says_play_share", share(asked == number)
        yield (number,), "caller_share_of_deals", share(place == number)
        yield (number,), "caller_share_of_played", share(place[place < 9] == number)


def capot(played: pd.DataFrame) -> Iterator[Sample]:
    own, others = played["contracting_tricks"] == 4, played["contracting_tricks"] == 0
    yield (), "caller_capot_share", share(own)
    yield (), "others_capot_share", share(others)
    yield (), "either_capot_share", share(own | others)


def tricks(played: pd.DataFrame) -> Iterator[Sample]:
    for number in range(5):
        yield (number,), "share_of_played", share(played["contracting_tricks"] == number)


def raised(played: pd.DataFrame) -> Iterator[Sample]:
    yield (), "raised_share", share(played["raised"] == 1)


def card_points(played: pd.DataFrame) -> Iterator[Sample]:
    own, others = played["contracting_card_points"], played["defending_card_points"]
    for whose, sample in (
        ("caller", own), ("others", others), ("difference", own - others),
    ):  # fmt: skip
        for quantity, estimate in spread("card_points", sample):
            yield (whose,), quantity, estimate


def scores(frame: pd.DataFrame, played: pd.DataFrame) -> Iterator[Sample]:
    own, others = played["contracting_score"], played["defending_score"]
    yield (), "caller_change_mean", mean(own)
    yield (), "others_change_mean", mean(others)
    yield (), "change_difference_mean", mean(others - own)
    yield (), "team_change_difference_mean", mean(frame["score_1"] - frame["score_0"])


def by_team(frame: pd.DataFrame) -> Iterator[Sample]:
    for team in range(2):
        yield (team,), "score_change_mean", mean(frame[f"score_{team}"])


def distribution(played: pd.DataFrame, column: str) -> Iterator[Sample]:
    """Shares of numbers by result."""
    for number in sorted(set(played[column])):
        for result, quantity in RESULTS.items():
            here = (played[column] == number) & (played["result"] == result)
            yield (number,), quantity, share(here)
