"""Every number of the tables of rounds as a sample of a pandas table: slow and plain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from kqj_sim.rules import KqjRules
from kqj_sim.stats import intervals
from kqj_sim.stats.intervals import Estimate

Sample = tuple[tuple[Any, ...], str, Estimate]


def share(condition: pd.Series[bool]) -> Estimate:
    bounds = intervals.estimate_share(int(condition.sum()), len(condition))
    value = float(condition.mean()) if len(condition) else np.nan
    return Estimate(value, bounds.low, bounds.high, len(condition))


def mean(
    sample: pd.Series[int], parts: int = 1, limits: tuple[float, float] | None = None
) -> Estimate:
    bounds = intervals.estimate_mean(Counter(sample.tolist()), limits=limits)
    value = float(sample.mean()) if len(sample) else np.nan
    return Estimate(value / parts, bounds.low / parts, bounds.high / parts, len(sample))


def spread(name: str, sample: pd.Series[int]) -> Iterator[tuple[str, Estimate]]:
    yield f"{name}_mean", mean(sample)
    counter = Counter(sample.tolist())
    _, low, high, _ = intervals.estimate_standard_deviation(counter)
    deviation = float(sample.std()) if len(sample) >= 1000 else np.nan
    yield f"{name}_standard_deviation", Estimate(deviation, low, high, len(sample))
    for percent in (5, 25, 50, 75, 95):
        _, low, high, _ = intervals.estimate_quantile(counter, percent / 100)
        value = (
            np.quantile(sample.to_numpy(), percent / 100, method="inverted_cdf")
            if len(sample)
            else np.nan
        )
        end = "median" if percent == 50 else f"quantile_{percent:02}"
        yield f"{name}_{end}", Estimate(float(value), low, high, len(sample))


def numbers(name: str, frame: pd.DataFrame, rules: KqjRules, games: bool) -> Iterator[Sample]:
    """The numbers of the table `name` for these rows: group, quantity, number."""
    taken = frame[frame["taken"] == 1]
    family, _, grouping = name.partition("_by_")
    own = grouping.replace("_aces", "_sender_aces").split("_and_") if grouping else []
    if family in ("taking", "opening_amounts", "final_amounts", "bids"):
        yield from calling(family, own, frame, taken, rules)
    elif family in ("contracts", "contracting_total", "bonuses"):
        if "sender_trumps" in own:
            taken = taken[taken["kind"].isin(["return", "other", "suit"])]
        taken = taken.assign(sender_points=taken["sender_points"] // 10 * 10)
        groups = taken.groupby(own, sort=True, observed=True) if own else [((), taken)]
        for group, rows in groups:
            for inner, quantity, estimate in ROUND[family](rows, rules):
                yield (*group, *inner), quantity, estimate
    elif family == "pending":
        yield from pending(taken, games)
    elif name in ("auctions", "capot", "gratuities"):
        yield from ROUND[name](taken, rules)
    elif name == "take_rate":
        for lap, place in product((1, 2), range(6)):
            takes = (frame["taken"] == 1) & (frame["lap"] == lap) & (frame["place"] == place)
            yield (lap, place), "takes_share", share(takes)
            frame = frame[~takes]
    elif name in ("totals", "margins"):
        yield from steps(name, taken, rules)
    elif name == "scores":
        yield from scores(frame, taken, rules)
    else:
        for number in range(rules.score_count):
            scored = frame[f"score_{number}"] if grouping == "team" else seat_score(frame, number)
            yield (number,), "score_mean", mean(scored)


def calling(
    family: str, own: list[str], frame: pd.DataFrame, taken: pd.DataFrame, rules: KqjRules
) -> Iterator[Sample]:
    if family != "taking":
        column = {"opening_amounts": "opening_amount", "final_amounts": "amount"}.get(
            family, family
        )
        for value in sorted(set(taken[column])):
            yield (value,), "share_of_taken", share(taken[column] == value)
        return
    if not own:
        yield (), "taken_share", share(frame["taken"] == 1)
        yield (), "passed_out_share", share(frame["taken"] == 0)
        return
    take = rules.bidding == "take"
    places: dict[str, list[Any]] = {
        "lap": [1, 2] if take else sorted({1, *taken["lap"]}),
        "place": list(range(6)),
        "kind": ["return", "other", "NT", "AT"] if take else ["suit", "NT", "AT"],
        "contract": ["s", "h", "d", "c", "NT", "AT"],
    }
    product: list[tuple[Any, ...]] = [()]
    for column in own:
        product = [(*place, value) for place in product for value in places[column]]
    if own == ["lap", "place"] and not take:
        seen = set(zip(taken["lap"], taken["place"], strict=True))
        product = [place for place in product if place[0] == 1 or place in seen]
    for place in product:
        here = [
            (rows[list(own)] == list(place)).all(axis=1) & (rows["taken"] == 1)
            for rows in (frame, taken)
        ]
        yield place, "share_of_deals", share(here[0])
        yield place, "share_of_taken", share(here[1])


def contracts(rows: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    for result in list_results(rules):
        yield (), f"{result}_share", share(rows["result"] == result)


def list_results(rules: KqjRules) -> list[str]:
    tie = rules.bidding == "take" or rules.must_outscore
    return ["made", "failed", "litigation"] if tie else ["made", "failed"]


def steps(name: str, taken: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    numbers = taken["contracting_total"].astype(int)
    if name == "margins":
        rounded = rules.bidding == "auction" and rules.amount_uses == "rounded"
        against = taken["amount" if rules.bidding == "auction" else "defending_total"].astype(int)
        numbers = ((numbers + 5) // 10 * 10 if rounded else numbers) - against
    for step in sorted({*(numbers // 10 * 10)}):
        for result in list_results(rules):
            here = (numbers // 10 * 10 == step) & (taken["result"] == result)
            yield (step,), f"{result}_share", share(here)


def contracting_total(rows: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    for quantity, estimate in spread("contracting_total", rows["contracting_total"]):
        yield (), quantity, estimate


def bonuses(rows: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    last = rows["last_trick_contracting"] == 1
    yield ("contracting",), "last_trick_share", share(last)
    yield ("defending",), "last_trick_share", share(~last)
    for bonus in ("capot", "kq", "kqj"):
        sides = {side: rows[f"{bonus}_{side}"].astype(int) for side in ("contracting", "defending")}
        sides["either"] = sides["contracting"] + sides["defending"]
        for side, sample in sides.items():
            if bonus != "capot":
                yield (side,), f"{bonus}_mean", mean(sample, limits=(0, 4))
            yield (side,), f"{bonus}_share", share(sample > 0)


def auctions(rows: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    yield (), "opening_amount_mean", mean(rows["opening_amount"])
    yield (), "final_amount_mean", mean(rows["amount"])
    yield (), "bids_mean", mean(rows["bids"])
    yield (), "outbids_mean", mean(rows["bids"] - 1)
    yield (), "outbid_share", share(rows["bids"] > 1)
    yield (), "countered_share", share(rows["stake"] >= 2)
    yield (), "overcountered_share", share(rows["stake"] == 4)
    countered = rows[rows["stake"] >= 2]
    yield (), "overcountered_share_of_countered", share(countered["stake"] == 4)
    yield (), "capot_announced_share", share(rows["capot_announced"] == 1)


def capot(rows: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    announced, silent = (rows[rows["capot_announced"] == flag] for flag in (1, 0))
    yield (), "capot_announced_share", share(rows["capot_announced"] == 1)
    made = share(announced["result"] == "made")
    yield (), "announced_capot_made_share", made
    surprises = share(silent["capot_contracting"] == 1)
    yield (), "unannounced_capot_share", surprises


def gratuities(rows: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    low, none = rows["low_teams"].astype(int), rows["trickless_teams"].astype(int)
    for quantity, sample in (("low_team", low), ("trickless_team", none)):
        yield (), f"{quantity}_share", share(sample > 0)
        yield (), f"{quantity}s_mean", mean(sample, limits=(0, 3))
    paid = 40 * low + 120 * none
    yield (), "gratuity_paid_share", share(paid > 0)
    yield (), "gratuity_paid_mean", mean(paid, limits=(0, 480))


def pending(rows: pd.DataFrame, games: bool) -> Iterator[Sample]:
    columns = {"left": "pending_after"}
    if games:
        columns |= {"waiting": "pending_before", "received": "gratuity_received"}
    for quantity, column in columns.items():
        sizes = rows[column]
        yield (), f"gratuity_{quantity}_share", share(sizes > 0)
        yield (), f"gratuity_{quantity}_mean", mean(sizes[sizes > 0])


def scores(frame: pd.DataFrame, taken: pd.DataFrame, rules: KqjRules) -> Iterator[Sample]:
    three = rules.teams == 3
    own, others = taken["contracting_score"].astype(int), taken["defending_score"].astype(int)
    parts = 2 if three else 1
    yield (), "contracting_score_mean", mean(own)
    yield (), "defending_score_mean", mean(others, parts)
    difference = mean(parts * own - others, parts)
    yield (), "score_difference_mean", difference
    if not three and rules.partners == "fixed":
        yield (), "team_difference_mean", mean(frame["score_0"] - frame["score_1"])


def seat_score(frame: pd.DataFrame, seat: int) -> pd.Series[int]:
    scored: pd.Series[int] = frame.apply(
        lambda row: row[f"score_{row[f'team_of_seat_{seat}']}"], axis=1
    )
    return scored


ROUND = {
    "contracts": contracts,
    "contracting_total": contracting_total,
    "bonuses": bonuses,
    "auctions": auctions,
    "capot": capot,
    "gratuities": gratuities,
}
