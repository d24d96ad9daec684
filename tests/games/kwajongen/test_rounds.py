"""A round of Kwajongen as a person reads it."""

from __future__ import annotations

import re

from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.record import Record
from tests.questions.records.printed_rounds import find_section, print_round, with_symbol
from tests.referee.random_rounds import random_game, random_record

RULES = KwajongenRules()


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
