"""Records of Kwajongen: what their keys mean, and rounds as text; the rest is of every game."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from kqj_sim.errors import RecordError
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.notation.write import format_records
from kqj_sim.questions.records.screen import render_round
from kqj_sim.record import Record, from_json, to_json
from kqj_sim.rules import KqjRules
from tests.command_line import read_error
from tests.games.kwajongen.shared import GOLDEN
from tests.questions.records.printed_rounds import find_section, print_round, with_symbol
from tests.referee.random_rounds import random_game, random_record

RULES = KwajongenRules()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games_have_every_end_of_a_raised_round(path: Path) -> None:
    rounds = [from_json(line) for line in path.read_text("utf-8").splitlines()]
    raised = {record.result for record in rounds if record.pending_before}
    assert raised == {"made", "failed", "tie", "passed_out"}
    assert any(-3 in record.scores for record in rounds)


def test_a_record_is_read() -> None:
    values = json.loads(to_json(random_record(KqjRules(), 1)))
    values |= {"game": "kwajongen", "rules": {"void_rule": "free"}, "result": "tie"}
    values |= {"calls": [{"seat": 1, "call": "play"}], "players": ["random"] * 4}
    record = from_json(json.dumps(values))
    assert record.game == "kwajongen" and record.game_rules() == KwajongenRules(void_rule="free")
    values["rules"] = {"teams": 2}
    with pytest.raises(RecordError, match="rules: the key void_rule is missing"):
        from_json(json.dumps(values)).game_rules()


def test_a_record_of_another_game_is_not_shown_as_one() -> None:
    record = random_record(KqjRules(), 3)
    other = msgspec.structs.replace(record, game="kwajongen")
    assert "the key void_rule is missing" in read_error(render_round, other, kind=RecordError)


def test_a_text_with_all_tricks_needs_no_hands() -> None:
    record = next(each for each in random_game(RULES, 2) if each.tricks)
    (text,) = format_records([record])
    assert "hands" not in re.sub(r"Hands:\n(  .*\n)+", "", text).lower()


# A round as a person reads it.


def test_the_card_turned_up_and_tricks_are_shown() -> None:
    for seed in range(30):
        record = random_record(RULES, seed)
        text = print_round(record)
        assert f"Dealer's card: {with_symbol(record.turned or '')}" in text, record
        assert "Kwajongen" in text.splitlines()[0] and "change of score" in text, record
        for team, tricks in enumerate(record.trick_counts):
            (line,) = re.findall(rf"^{team}  .*$", find_section(text, "Result"), re.MULTILINE)
            assert line.split()[-3] == str(tricks), record


def find(**wanted: object) -> Record:
    rounds = (record for seed in range(50) for record in random_game(RULES, seed))
    return next(
        record
        for record in rounds
        if all(getattr(record, key) == value for key, value in wanted.items())
    )


def test_raised_rounds_are_named_before_and_after() -> None:
    passed_out = print_round(find(result="passed_out", pending_before=0))
    assert "The next round is raised" in passed_out and "Nobody called play" in passed_out
    assert "The round is raised" not in passed_out
    tied = print_round(find(result="tie", pending_before=1))
    assert "The round is raised" in tied and "The next round is raised" not in tied
    assert "tied, which counts as lost" in tied and "caller" in find_section(tied, "Hands")
