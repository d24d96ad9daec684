"""Recorded rounds played again: untouched ones agree, forged ones do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kqj_sim.errors import InputError
from kqj_sim.imposed import ImposedContract, ImposedFirstCall
from kqj_sim.record import Record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.replay import replay_records
from tests.simulation.replays import changed, check_order, check_replays
from tests.slow import slow_between
from tests.variants import AUCTION_2, LIVELY, TAKE_2, TAKE_3, VARIANTS, lively

NEVER = "random:take=0,bid=0"


def experiments(rules: KqjRules) -> Iterator[Experiment]:
    """Single rounds, games, and imposed rounds."""
    yield lively(rules, deals=20, seed=4)
    yield lively(replace(rules, target=200), games=3, seed=5, first=2)
    contract = "h" if rules.all_no_trump == "never" else "AT"
    amount = rules.minimum_bid if rules.bidding == "auction" else None
    yield lively(rules, deals=5, seed=6, imposed=ImposedContract(4, contract, amount))


@pytest.mark.parametrize("variant", slow_between(5, VARIANTS))
def test_untouched_rounds_agree_and_forged_ones_do_not(variant: str) -> None:
    for experiment in experiments(VARIANTS[variant]):
        check_replays(experiment, NEVER)


def test_order_of_cards_and_bonuses_is_free() -> None:
    for record in play_records(lively(TAKE_2, deals=30)):
        turned = changed(
            record,
            dealt=[hand[::-1] for hand in record.dealt],
            hands=record.hands and [hand[::-1] for hand in record.hands],
            bonuses=record.bonuses[::-1],
        )
        assert replay_records([turned])[0].differing == ()


def test_results_are_compared_too() -> None:
    record = next(each for each in play_records(lively(TAKE_2, deals=30)) if each.tricks)
    (each,) = replay_records([changed(record, scores=[7, 7])])
    assert each.differing == ("scores",)
    assert each.discrepancy == (
        "replay differs in scores: the same calls and cards give other results"
    )


def test_the_round_of_a_game_goes_with_its_deal() -> None:
    record = list(play_records(lively(TAKE_2, games=2, first=7)))[-1]
    assert record.round is not None
    (each,) = replay_records([changed(record, round=record.round + 1)])
    assert each.differing == ("round",)
    assert each.discrepancy.endswith(f"deal {record.deal} is round {record.round} of game 8")


def test_records_of_many_experiments_are_answered_in_order() -> None:
    variants = (TAKE_2, AUCTION_2, TAKE_3)
    check_order(experiment for rules in variants for experiment in experiments(rules))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"players": ["nobody"] * 6}, "'nobody'"),
        ({"players": ["missing.py:bold"] * 6}, "missing.py"),
        ({"players": ["missing.toml"] * 6}, "missing.toml"),
        ({"players": ["greedy"] * 5}, "5 policies"),
        ({"players": []}, "players: none are named"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1 << 70}, "seed is 1180591620717411303424"),
        ({"deal": -1}, "deal is -1"),
        ({"deal": 1 << 70}, "deal is 1180591620717411303424"),
        ({"dealer": 6}, "dealer is 6: it should be 0 to 5"),
        ({"pending_before": 1 << 40}, "pending_before is 1099511627776"),
        ({"rules": {}}, "rules: the key teams is missing"),
        ({"imposed": True, "sender": None}, "imposed: a round without a Sender"),
        ({"imposed": True, "sender": 1, "contract": "x"}, "imposed contract 'x'"),
    ],
)
def test_unplayable_record_has_a_reason(changes: dict[str, object], reason: str) -> None:
    record = next(iter(play_records(lively(TAKE_2, deals=1))))
    again, unplayed = replay_records([record, changed(record, **changes)])
    assert (again.differing, again.reason) == ((), "")
    assert reason in unplayed.reason and "\n" not in unplayed.reason
    assert not unplayed.discrepancy


def test_user_policies_are_played_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from kqj_sim import policy\n"
        'mine = policy("mine")\n'
        "@mine\n"
        "def choose_take(view):\n"
        "    return -1 if view.place < 3 or view.lap == 1 else view.place - 3\n",
        encoding="utf-8",
    )
    records = list(play_records(Experiment(TAKE_2, (str(path),) * 6, deals=10)))
    allowed = {str(path): str(path)}
    assert [each.reason for each in replay_records(records, allowed)] == [""] * 10
    assert {each.differing for each in replay_records(records, allowed)} == {()}
    assert all("mine.py" in each.reason for each in replay_records(records))
    path.unlink()
    assert all("mine.py" in each.reason for each in replay_records(records, allowed))


@pytest.mark.slow
def test_one_forbidden_choice_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from kqj_sim import lowest, policy\n"
        'mine = policy("mine")\n'
        "@mine\n"
        "def choose_card(view):\n"
        "    if view.trick_number == 0 and view.hand & 0xFFFF == 0:\n"
        "        return -1\n"
        "    return lowest(view.legal)\n",
        encoding="utf-8",
    )
    experiment = Experiment(TAKE_2, (f"{LIVELY}+{path}",) * 6, deals=1)
    records: list[Record] = []
    forbidden = []
    for deal in range(40):
        try:
            records += play_records(replace(experiment, first=deal))
        except InputError:
            (record,) = play_records(lively(TAKE_2, deals=1, first=deal))
            records.append(changed(record, players=records[0].players))
            forbidden.append(deal)
    replayed = replay_records(records, {str(path): str(path)})
    assert 3 < len(forbidden) < 37
    assert [deal for deal, each in enumerate(replayed) if each.reason] == forbidden
    assert {each.differing for each in replayed} == {()}
    assert f"deal {forbidden[0]} of seed 1" in replayed[forbidden[0]].reason


def test_an_imposed_first_take_is_played_again() -> None:
    experiment = Experiment(TAKE_2, deals=100, imposed=ImposedFirstCall(takes=True))
    assert {each.differing for each in replay_records(play_records(experiment))} == {()}
