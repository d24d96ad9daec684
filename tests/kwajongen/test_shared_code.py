"""What code that knows no game does with Kwajongen: words, errors, files, searches, screens."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from kqj_sim.core.block import LANES
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import get_column_numbers
from kqj_sim.kwajongen.game import KwajongenRules
from kqj_sim.kwajongen.samplers import KwajongenCallSampler
from kqj_sim.output.group_words import format_heading, format_value
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.estimator import FIRST_CHOOSING
from kqj_sim.positions.odds import Playouts
from kqj_sim.positions.reader import read_position, read_typed_position
from kqj_sim.positions.samplers import estimate_position
from kqj_sim.positions.search import Search
from kqj_sim.questions.records.rounds import render_round
from kqj_sim.questions.review.luck import compute_differences
from kqj_sim.record import from_json, partial_record_from_json, to_json
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.command_line import expect_error, run
from tests.commands.test_odds_dialog import commands_in, enter
from tests.questions.odds.test_screen import MOST_LINES, WIDTH, show
from tests.referee.kqj.random_rounds import random_record
from tests.test_question import ask
from tests.test_record import a_record


def test_a_quantity_of_both_games_has_one_name() -> None:
    both = {*get_column_numbers("kqj")} & {*get_column_numbers("kwajongen")}
    assert both >= {
        "dealer", "taken", "place", "sender", "contracting_team", "result", "pending_after",
        "contracting_card_points", "contracting_tricks", "contracting_score", "defending_score",
        "capot_contracting", "capot_defending", "sender_trumps", "score_0", "team_of_seat_3",
    }  # fmt: skip


def test_kwajongen_has_one_field_four_seats_and_two_teams() -> None:
    rules = KwajongenRules(void_rule="free")
    assert KwajongenRules().to_dict() == {"void_rule": "must_trump"}
    assert rules.to_dict() == {"void_rule": "free"}
    assert rules.seats == 4 and rules.team_count == rules.score_count == 2
    assert [rules.fixed_team_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert rules.contracts == ("s", "h", "d", "c") and rules.start_score == 10
    assert rules.without_effect == ()


def test_a_player_of_another_game_raises() -> None:
    with pytest.raises(InputError, match="policy 'greedy' plays kqj, not kwajongen"):
        parse_player(parse_player("greedy"), "kwajongen")


@pytest.mark.slow
def test_kwajongen_cards_end_too() -> None:
    players = ("random:accept=0.5",) * 4
    records = play_records(Experiment(KwajongenRules(), players, 40, seed=3))
    record = next(each for each in records if len(each.calls) == 4 and each.tricks)
    so_far = read_position(partial_record_from_json(to_json(record)), (1, 3))
    with pytest.raises(
        InputError, match=r"occur in none of 1,\d+,\d+ deals of the assumed players"
    ):
        estimate_position(so_far, ("random:accept=0",) * 4, deals=10, threads=1)


def test_kwajongen_fits_a_screen() -> None:
    rules = KwajongenRules()
    situation = read_typed_position("Ah Kh 9s Ts", rules, return_card="Jh", place=1, pending=1)
    lines = show(estimate_position(situation, "random", deals=512))
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= WIDTH


def test_a_choice_in_kwajongen_has_deals_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is among those that give the values."""
    asked: list[int] = []
    real = KwajongenCallSampler.play_chunk

    def play_chunk(self: KwajongenCallSampler, search: Search, first: int, count: int) -> Playouts:
        asked.append(first)
        return real(self, search, first, count)

    monkeypatch.setattr(KwajongenCallSampler, "play_chunk", play_chunk)
    situation = read_typed_position("Ah 9h Ks Tc", KwajongenRules(), return_card="Jh", place=1)
    odds = estimate_position(situation, "standard", deals=1024, threads=1)
    assert odds.deals == 1024 and odds.choosing_deals == 512
    assert {first for first in asked if first < FIRST_CHOOSING} == set(range(0, 1024, LANES))
    assert set(asked) >= {FIRST_CHOOSING, FIRST_CHOOSING + LANES}
    assert sorted(odds.order) == [0, 1] and odds.ranking == list(odds.order)


def test_a_kwajongen_record_is_read() -> None:
    values = a_record()
    values |= {"game": "kwajongen", "rules": {"void_rule": "free"}, "result": "tie"}
    values |= {"calls": [{"seat": 1, "call": "play"}], "players": ["random"] * 4}
    record = from_json(json.dumps(values))
    assert record.game == "kwajongen" and record.game_rules() == KwajongenRules(void_rule="free")
    values["rules"] = {"teams": 2}
    with pytest.raises(RecordError, match="rules: the key void_rule is missing"):
        from_json(json.dumps(values)).game_rules()


def test_the_dialog_asks_the_same_question(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["kwajongen", "As Qd Kd 9c", "Jc", "3rd", "pass play", "Ts Kc", ""]
    done = enter(monkeypatch, lines, "--policy", "random")
    (words,) = commands_in(done)
    assert words[words.index("--game") + 1] == "kwajongen"


def test_a_rule_of_another_game_names_its_game() -> None:
    with pytest.raises(InputError, match="--void-rule is a rule of kwajongen"):
        ask(void_rule="free")


def test_a_record_that_is_called_one_of_another_game_raises() -> None:
    record = msgspec.structs.replace(random_record(KqjRules(), 3), game="kwajongen")
    with pytest.raises(RecordError, match="the key void_rule is missing"):
        render_round(record)


def test_a_checkpoint_of_another_game_is_refused(tmp_path: Path) -> None:
    file = str(tmp_path / "run.npz")
    given = ("simulate", "--deals", "60", "--policy", "random", "--checkpoint", file)
    assert run(*given, "--game", "kqj").exit_code == 0
    error = expect_error(run(*given, "--game", "kwajongen"), 1)
    assert "game kqj and not kwajongen" in error


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [("trump", "s", "♠"), ("place", 3, "dealer"), ("contracting_score", -1, "-1"),
     ("raised", 1, "yes")],
)  # fmt: skip
def test_values_are_words(column: str, value: object, shown: str) -> None:
    assert format_value(column, value, "kwajongen") == shown


def test_the_sender_is_called_the_caller() -> None:
    assert format_heading("sender_trumps", "kwajongen") == "caller's trumps"


def test_a_report_of_a_single_deal_can_be_made(tmp_path: Path) -> None:
    few = ("--games", "1", "--deals", "1", "--policy", "random", "--game", "kwajongen")
    compared = ("--compare", "random", "--compare", "standard", "--compare-deals", "2")
    done = run("report", "--out", str(tmp_path / "out"), *few, *compared)
    assert done.exit_code == 0, done.output


def test_differences_are_good_for_the_side_whose_score_goes_down() -> None:
    changes = np.array([[-2.0, 0.0], [1.0, -1.0]])
    assert compute_differences(changes, KwajongenRules()).tolist() == [[2, -2], [-2, 2]]
