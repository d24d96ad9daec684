"""Records of an experiment: their form and order, those of games, those played again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from kqj_sim.core.block import LANES
from kqj_sim.errors import InputError
from kqj_sim.imposed import ImposedContract, ImposedFirstCall
from kqj_sim.record import Record, to_json
from kqj_sim.referee import check_record
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records, replay_records
from tests.games.every import OTHER_VARIANTS, SHARED
from tests.policies.files import write_policy
from tests.slow import slow_after, slow_between
from tests.variants import (
    AUCTION_2,
    AUCTION_3,
    LIVELY,
    OTHER_GAMES,
    TAKE_2,
    TAKE_3,
    VARIANTS,
    lively,
    rules_in,
    told,
)


def test_records_come_in_order_and_say_how_to_make_them_again() -> None:
    experiment = lively(TAKE_3, deals=LANES + 50, seed=9, first=LANES - 20)
    records = list(play_records(experiment))
    assert [record.deal for record in records] == list(range(LANES - 20, 2 * LANES + 30))
    for record in records:
        assert record.game == "kqj"
        assert record.seed == 9
        assert record.rules == TAKE_3.to_dict()
        assert record.dealer == record.deal % 6
        assert record.pending_before == 0
        assert (record.game_id, record.round) == (None, None)
        assert (record.score_before, record.score_after) == (None, None)
        assert not record.imposed
    record = records[33]
    again = Experiment(rules_in(record), tuple(record.players), 1, record.seed, record.deal)
    assert list(play_records(again)) == [record]


def test_players_are_named_by_seat() -> None:
    policies = ("greedy", "random", "standard", "random:take=0.5", "greedy", "random+greedy")
    record = next(play_records(Experiment(TAKE_2, policies, 1)))
    assert [text.split(":")[0] for text in record.players] == [
        "learned", "random", "standard", "random", "learned", "random",
    ]  # fmt: skip
    assert record.players[0].endswith("+greedy")
    assert record.players[5].endswith("+greedy")
    assert "take=0.5" in record.players[3]


def test_imposed_rounds_say_so() -> None:
    for rules, imposed in (
        (TAKE_2, ImposedContract(4, "AT")),
        (TAKE_3, ImposedContract(5, "d")),
        (AUCTION_2, ImposedContract(4, "AT", 150)),
        (AUCTION_3, ImposedContract(0, "NT", 90)),
    ):
        for record in play_records(lively(rules, deals=20, imposed=imposed)):
            assert record.imposed and record.calls == []
            assert record.sender == (record.dealer + 1 + imposed.place) % 6
            assert record.contract == imposed.contract
            assert (record.amount, record.capot, record.stake) == (imposed.amount, False, 1)
            assert '"imposed":true' in to_json(record)


def test_records_are_made_as_they_are_asked_for() -> None:
    records = play_records(Experiment(TAKE_2, (LIVELY,) * 6, deals=10**12))
    assert next(records).deal == 0


def experiments(rules: GameRules) -> Iterator[Experiment]:
    if not isinstance(rules, KqjRules):
        players = ("random", "standard") * (rules.seats // 2)
        yield Experiment(rules, ("random",) * rules.seats, deals=20, seed=4)
        yield Experiment(rules, players, games=3, seed=5, first=2)
        return
    yield lively(rules, deals=20, seed=4)
    yield lively(replace(rules, target=200), games=3, seed=5, first=2)
    contract = "h" if rules.all_no_trump == "never" else "AT"
    amount = rules.minimum_bid if rules.bidding == "auction" else None
    yield lively(rules, deals=5, seed=6, imposed=ImposedContract(4, contract, amount))


def changed(record: Record, **values: object) -> Record:
    return msgspec.structs.replace(record, **values)


def forge(record: Record) -> Iterator[tuple[str, Record]]:
    """Change what the referee cannot see, the name of each change with it."""
    yield "seed", changed(record, seed=record.seed + 1)
    yield "deal", changed(record, deal=record.deal + (1 << 40))
    if record.result != "passed_out" and not record.imposed:
        yield "players", changed(record, players=[SHARED[record.game].NEVER] * len(record.players))


def with_other_card(record: Record) -> Record:
    first, second, *others = (list(hand) for hand in record.dealt)
    first[0], second[0] = second[0], first[0]
    return changed(record, dealt=[first, second, *others])


@pytest.mark.parametrize(
    "rules", [*slow_between(5, VARIANTS.values()), *slow_after(1, OTHER_VARIANTS.values())], ids=str
)
def test_untouched_rounds_agree_and_forged_ones_do_not(rules: GameRules) -> None:
    records = [record for each in experiments(rules) for record in play_records(each)]
    for each in replay_records(records):
        assert (each.differing, each.reason) == ((), ""), told(each.record, each)
    for record in records[::3]:
        changes = dict(forge(record))
        replayed = replay_records([*changes.values(), with_other_card(record)])
        for name, each in zip([*changes, "card"], replayed, strict=True):
            assert each.discrepancy and not each.reason, told(record, name)
            if name != "card":
                assert check_record(each.record) == [], told(record, name)
                assert name in each.discrepancy
            if name != "players":
                assert "dealt" in each.differing, told(record, name)


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
    variants = (TAKE_2, *OTHER_GAMES.values(), AUCTION_2, TAKE_3)
    records = [
        record
        for rules in variants
        for experiment in experiments(rules)
        for record in play_records(replace(experiment, deals=LANES // 2 + 9))
    ]
    mixed = sorted(records, key=lambda record: (record.deal * 7919) % 1009)
    forged = set(range(0, len(mixed), 10))
    mixed = [
        changed(record, seed=99) if number in forged else record
        for number, record in enumerate(mixed)
    ]
    replayed = replay_records(mixed)
    assert [each.record for each in replayed] == mixed
    assert {number for number, each in enumerate(replayed) if each.differing} == forged


@pytest.mark.parametrize(("changes", "reason"), [
    ({"players": ["nobody"] * 6}, "'nobody'"), ({"players": ["missing.py:bold"] * 6}, "missing.py"),
    ({"players": ["missing.toml"] * 6}, "missing.toml"),
    ({"players": ["greedy"] * 5}, "5 policies"), ({"players": []}, "players: none are named"),
    ({"seed": -1}, "seed is -1"), ({"seed": 1 << 70}, "seed is 1180591620717411303424"),
    ({"deal": -1}, "deal is -1"), ({"deal": 1 << 70}, "deal is 1180591620717411303424"),
    ({"dealer": 6}, "dealer is 6: it should be 0 to 5"),
    ({"pending_before": 1 << 40}, "pending_before is 1099511627776"),
    ({"rules": {}}, "rules: the key teams is missing"),
    ({"imposed": True, "sender": None}, "imposed: a round without a Sender"),
    ({"imposed": True, "sender": 1, "contract": "x"}, "imposed contract 'x'"),
])  # fmt: skip
def test_unplayable_record_has_a_reason(changes: dict[str, object], reason: str) -> None:
    record = next(iter(play_records(lively(TAKE_2, deals=1))))
    again, unplayed = replay_records([record, changed(record, **changes)])
    assert (again.differing, again.reason) == ((), "")
    assert reason in unplayed.reason and "\n" not in unplayed.reason
    assert not unplayed.discrepancy


def test_user_policies_are_played_again(tmp_path: Path) -> None:
    path = write_policy(
        tmp_path,
        'mine = policy("mine")\n'
        "@mine\n"
        "def choose_take(view):\n"
        "    return -1 if view.place < 3 or view.lap == 1 else view.place - 3\n",
    )
    records = list(play_records(Experiment(TAKE_2, (path,) * 6, deals=10)))
    allowed = {path: path}
    assert [each.reason for each in replay_records(records, allowed)] == [""] * 10
    assert {each.differing for each in replay_records(records, allowed)} == {()}
    assert all("own.py" in each.reason for each in replay_records(records))
    Path(path).unlink()
    assert all("own.py" in each.reason for each in replay_records(records, allowed))


@pytest.mark.slow
def test_one_forbidden_choice_does_not_stop_the_others(tmp_path: Path) -> None:
    path = write_policy(
        tmp_path,
        'mine = policy("mine")\n'
        "@mine\n"
        "def choose_card(view):\n"
        "    if view.trick_number == 0 and view.hand & 0xFFFF == 0:\n"
        "        return -1\n"
        "    return lowest(view.legal)\n",
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
    replayed = replay_records(records, {path: path})
    assert 3 < len(forbidden) < 37
    assert [deal for deal, each in enumerate(replayed) if each.reason] == forbidden
    assert {each.differing for each in replayed} == {()}
    assert f"deal {forbidden[0]} of seed 1" in replayed[forbidden[0]].reason


def test_an_imposed_first_take_is_played_again() -> None:
    experiment = Experiment(TAKE_2, deals=100, imposed=ImposedFirstCall(takes=True))
    assert {each.differing for each in replay_records(play_records(experiment))} == {()}
