"""Records of Kwajongen: kept, read, written as text, and played again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kqj_sim.errors import RecordError
from kqj_sim.games.kwajongen.game import KwajongenRules
from kqj_sim.notation.write import format_records
from kqj_sim.questions.records import checking
from kqj_sim.questions.records.rounds import render_round
from kqj_sim.record import from_json, to_json
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.commands import replayed_files
from tests.kwajongen.random_rounds import random_game
from tests.notation.texts import assert_round_trip, check_mutations
from tests.referee.golden import check_end, check_rules, check_text, load_rounds
from tests.referee.kqj import random_rounds as kqj_rounds
from tests.simulation.replays import check_order, check_replays
from tests.slow import slow_after
from tests.variants import AUCTION_2, TAKE_2, lively

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.jsonl"))
RULES = {void: KwajongenRules(void_rule=void) for void in ("must_trump", "free")}


def test_the_golden_files_are_there() -> None:
    assert len(GOLDEN) == 2


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_rounds_have_no_discrepancy(path: Path) -> None:
    check_rules(path)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_rounds_are_written_as_they_stand(path: Path) -> None:
    check_text(path)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games_end_when_they_are_decided(path: Path) -> None:
    check_end(path)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games_have_every_end_of_a_raised_round(path: Path) -> None:
    rounds = load_rounds(path)
    raised = {record.result for record in rounds if record.pending_before}
    assert raised == {"made", "failed", "tie", "passed_out"}
    assert any(-3 in record.scores for record in rounds)


def test_a_record_is_read() -> None:
    values = json.loads(to_json(kqj_rounds.random_record(KqjRules(), 1)))
    values |= {"game": "kwajongen", "rules": {"void_rule": "free"}, "result": "tie"}
    values |= {"calls": [{"seat": 1, "call": "play"}], "players": ["random"] * 4}
    record = from_json(json.dumps(values))
    assert record.game == "kwajongen" and record.game_rules() == KwajongenRules(void_rule="free")
    values["rules"] = {"teams": 2}
    with pytest.raises(RecordError, match="rules: the key void_rule is missing"):
        from_json(json.dumps(values)).game_rules()


def test_a_record_of_another_game_is_not_shown_as_one() -> None:
    record = kqj_rounds.random_record(KqjRules(), 3)
    with pytest.raises(RecordError, match="the key void_rule is missing") as raised:
        render_round(msgspec.structs.replace(record, game="kwajongen"))
    assert "\n" not in str(raised.value)


def test_games_come_back_from_their_text() -> None:
    games = [random_game(RULES["free"], seed) for seed in range(4)]
    assert_round_trip([record for game in games for record in game])


def test_a_text_with_all_tricks_needs_no_hands() -> None:
    record = next(each for each in random_game(KwajongenRules(), 2) if each.tricks)
    (text,) = format_records([record])
    assert "hands" not in re.sub(r"Hands:\n(  .*\n)+", "", text).lower()


def test_mutated_texts_give_rounds_or_errors_of_their_lines() -> None:
    rounds = random_game(KwajongenRules(), 3)[:2]
    check_mutations(["".join(format_records([each])) for each in rounds])


def make_experiments(rules: KwajongenRules) -> Iterator[Experiment]:
    """Single rounds and games."""
    yield Experiment(rules, ("random",) * 4, deals=20, seed=4)
    yield Experiment(rules, ("random", "standard") * 2, games=3, seed=5, first=2)


@pytest.mark.parametrize("void_rule", slow_after(1, ["free", "must_trump"]))
def test_untouched_rounds_agree_and_forged_ones_do_not(void_rule: str) -> None:
    for experiment in make_experiments(RULES[void_rule]):
        check_replays(experiment, "random:accept=0")


def test_records_of_both_games_are_answered_in_order() -> None:
    kqj = [lively(TAKE_2, deals=20, seed=4), lively(AUCTION_2, deals=20, seed=4)]
    check_order([kqj[0], *make_experiments(RULES["free"]), kqj[1]])


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A file of rounds that the engine played: two games of KQJ, and ten deals of Kwajongen."""
    path = tmp_path / "played.jsonl"
    games = Experiment(KqjRules(target=500), ("random",) * 6, games=2)
    single = Experiment(KwajongenRules(), ("random",) * 4, deals=10)
    records = [*play_records(games), *play_records(single)]
    path.write_text("".join(f"{to_json(record)}\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("batch", [1, 3, 4096])
def test_check_replay_finds_what_the_referee_cannot(
    played: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "BATCH", batch)
    replayed_files.check_what_the_referee_cannot_find(
        played, seats=4, always="random:accept=1", never="random:accept=0"
    )


@pytest.mark.parametrize("batch", [1, 3, 4096])
def test_check_replay_follows_the_rounds_of_a_game(
    played: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "BATCH", batch)
    replayed_files.check_rounds_of_a_game(played)


def test_check_replay_counts_what_it_cannot_play(played: Path) -> None:
    replayed_files.check_counts_of_what_is_not_played(played, seats=4)


def test_check_replay_does_not_list_every_reason(played: Path) -> None:
    replayed_files.check_few_reasons_are_listed(played, seats=4)
