"""The examples are run, and say what they should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from kqj_sim.referee import check_record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.policies.chosen import plays
from tests.slow import slow_after
from tests.variants import AUCTION_3, TAKE_2, told
from tools.leads import measure_lead

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
CAUTIOUS = f"{EXAMPLES / 'my_policy.py'}:cautious"
ACE_COUNTER = f"{EXAMPLES / 'ace_counter.py'}:ace_counter"


def test_compare_policies_prints_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    variables = runpy.run_path(str(EXAMPLES / "compare_policies.py"))
    printed = capsys.readouterr().out
    lead = measure_lead(variables["rules"], variables["OWN"], "greedy", 20_000, 1)
    assert f"ace_counter scores {lead.mean:+.1f} points a round more than greedy" in printed
    low, high = variables["low"], variables["high"]
    assert low == pytest.approx(lead.mean - 1.96 * lead.error, abs=0.01)
    assert high == pytest.approx(lead.mean + 1.96 * lead.error, abs=0.01)
    assert f"(95%: {low:+.1f} to {high:+.1f})" in printed
    for name in ("ace_counter", "greedy", "rounds", "made"):
        assert name in printed


@pytest.mark.parametrize("specification", [CAUTIOUS, ACE_COUNTER, f"{ACE_COUNTER}:take=4,dear=0"])
@pytest.mark.parametrize("rules", slow_after(1, [AUCTION_3, TAKE_2]))
def test_own_policies_play_by_the_rules(specification: str, rules: KqjRules) -> None:
    experiment = Experiment(rules, (specification,) * 6, deals=150)
    played = 0
    for record in play_records(experiment):
        assert check_record(record) == [], told(record)
        played += bool(record.tricks)
    assert played > 20


def test_ace_counter_counts_as_it_says() -> None:
    policy = f"{ACE_COUNTER}:take=4"
    takes = 0
    for record in play_records(Experiment(TAKE_2, (policy,) * 6, deals=400)):
        assert record.turned is not None
        for number, call in enumerate(record.calls):
            hand = [*record.dealt[call.seat], record.turned]
            worth = {
                suit: sum(card[1] == suit for card in hand)
                + sum(card[0] == "A" and card[1] != suit for card in hand)
                for suit in ("shdc" if number >= 6 else record.turned[1])
            }
            assert (call.call == "take") == (max(worth.values()) >= 4), told(record)
            if call.contract is not None:
                assert worth[call.contract] == max(worth.values()), told(record)
                takes += 1
    assert takes > 100


def test_cautious_plays_no_card_above_another_of_the_same_suit_and_kind() -> None:
    """The lowest card is never stronger than another legal one of its suit."""
    order = {"plain": "ATHKQJ987654", "trump": "987ATHKQJ654"}
    for record in play_records(Experiment(TAKE_2, (CAUTIOUS,) * 6, deals=150)):
        if not record.tricks:
            continue
        for play in plays(record):
            trump = record.contract in ("AT", play.card.suit)
            ranks = order["trump" if trump else "plain"]
            same = [card for card in play.legal if card.suit == play.card.suit]
            assert play.card == max(same, key=lambda c: ranks.index(c.rank)), told(record, play)
