"""The columns, each computed again from the round's record; and what they must not hang on."""

from __future__ import annotations

import numpy as np
import pytest

from kqj_sim.cards import parse_card
from kqj_sim.games import get_column_numbers
from kqj_sim.games.kwajongen import KWAJONGEN_COLUMNS, KwajongenRules
from kqj_sim.record import Record
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import iterate_row_chunks, play_same_deals, simulate
from tests.frames import make_plain_frame
from tests.variants import told

RULES = KwajongenRules()
PLAYERS = ("random:accept=0.4", "standard", "random:accept=0.1", "random:accept=0.3")


def row(record: Record) -> dict[str, int | str]:
    """The columns of a round."""
    assert record.turned is not None
    card = parse_card(record.turned)
    trumps = [sum(text[1] == card.suit for text in hand) for hand in record.dealt]
    taken = record.sender is not None
    found: dict[str, int | str] = {
        "dealer": record.dealer,
        "taken": int(taken),
        "place": -1,
        "sender": -1,
        "contracting_team": -1,
        "trump": card.suit,
        "turned_rank": card.rank,
        "result": record.result,
        "raised": record.pending_before,
        "pending_after": record.pending_after,
        "sender_trumps": -1,
        "dealer_trumps": trumps[record.dealer],
        "contracting_card_points": 0,
        "defending_card_points": 0,
        "contracting_tricks": 0,
        "capot_contracting": 0,
        "capot_defending": 0,
        "contracting_score": 0,
        "defending_score": 0,
    }
    for team in range(2):
        found[f"card_points_{team}"] = record.card_points[team]
        found[f"tricks_{team}"] = record.trick_counts[team]
        found[f"score_{team}"] = record.scores[team]
    for seat in range(4):
        found[f"team_of_seat_{seat}"] = record.teams[seat]
    if record.sender is not None:
        team = record.teams[record.sender]
        found |= {
            "place": (record.sender - record.dealer - 1) % 4,
            "sender": record.sender,
            "contracting_team": team,
            "sender_trumps": trumps[record.sender],
            "contracting_card_points": record.card_points[team],
            "defending_card_points": record.card_points[1 - team],
            "contracting_tricks": record.trick_counts[team],
            "capot_contracting": int(record.trick_counts[team] == 4),
            "capot_defending": int(record.trick_counts[1 - team] == 4),
            "contracting_score": record.scores[team],
            "defending_score": record.scores[1 - team],
        }
    return found


@pytest.mark.parametrize("games", [None, 30])
def test_columns_agree_with_records(games: int | None) -> None:
    experiment = Experiment(RULES, PLAYERS, 700, 5, games=games)
    frame = make_plain_frame(simulate(experiment))
    records = list(play_records(experiment))
    assert len(frame) == len(records)
    for (_, found), record in zip(frame.iterrows(), records, strict=True):
        expected = row(record)
        assert set(expected) == {column.name for column in KWAJONGEN_COLUMNS}
        assert {name: found[name] for name in expected} == expected, told(record)
        assert found["deal"] == record.deal


@pytest.mark.parametrize("games", [None, 300])
def test_threads_and_chunks_are_not_seen(games: int | None) -> None:
    experiment = Experiment(RULES, PLAYERS, 2_000, 6, games=games)
    one = simulate(experiment, threads=1)
    other = list(iterate_row_chunks(experiment, threads=2, chunk=77))
    assert np.array_equal(one.values, np.concatenate([rows.values for rows in other], axis=1))
    assert {rows.game_name for rows in other} == {one.game_name} == {"kwajongen"}


def test_a_range_of_deals_is_the_same_deals() -> None:
    all_of_them = simulate(Experiment(RULES, PLAYERS, 1_000, 6))
    some = simulate(Experiment(RULES, PLAYERS, 300, 6, first=500))
    assert np.array_equal(all_of_them.values[:, 500:800], some.values)


def test_marks_tell_rounds_apart() -> None:
    """Rounds have the same mark if, and only if, the same was said and played."""
    seats = [PLAYERS, (*PLAYERS[:3], "standard")]
    one, two = (Experiment(RULES, each, 400, 8) for each in seats)
    parts = play_same_deals(
        [one, two], lambda rows: [each.fingerprints for each in rows], with_fingerprints=True
    )
    marks = np.concatenate(list(parts), axis=1)
    for number, (record, other) in enumerate(
        zip(play_records(one), play_records(two), strict=True)
    ):
        same = record.calls == other.calls and record.tricks == other.tricks
        assert same == (marks[0][number] == marks[1][number]), told(record)


def test_a_quantity_of_both_games_has_one_name() -> None:
    both = {*get_column_numbers("kqj")} & {*get_column_numbers("kwajongen")}
    assert both >= {
        "dealer", "taken", "place", "sender", "contracting_team", "result", "pending_after",
        "contracting_card_points", "contracting_tricks", "contracting_score", "defending_score",
        "capot_contracting", "capot_defending", "sender_trumps", "score_0", "team_of_seat_3",
    }  # fmt: skip
