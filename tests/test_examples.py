"""The examples, the notebooks and the picture of the README: they run, and are up to date."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

import kqj_sim as kqj
from docs.draw_trick import PICTURE, draw_worst_card, review_round
from kqj_sim.referee import check_record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.notebooks import NOTEBOOKS, execute, list_texts
from tests.policies.moments import moments
from tests.slow import slow_after
from tests.variants import AUCTION_3, TAKE_2, told
from tools.leads import measure_lead

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
CAUTIOUS = f"{EXAMPLES / 'my_policy.py'}:cautious"
ACE_COUNTER = f"{EXAMPLES / 'ace_counter.py'}:ace_counter"
ERRING = f"{EXAMPLES / 'erring.py'}:erring"


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


@pytest.mark.slow
def test_a_policy_learns_to_play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(sys, "argv", ["train_policy.py", "8"])
    runpy.run_path(str(EXAMPLES / "train_policy.py"))
    lines = capsys.readouterr().out.splitlines()
    interval = r"\d+ s: (\S+) points a round, (\S+) to (\S+)"
    curve = [[*map(float, re.fullmatch(interval, line).groups())] for line in lines]  # type: ignore[union-attr]
    assert len(curve) == 5 and all(low < lead < high for lead, low, high in curve)
    assert curve[-1][1] > curve[0][2]


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


def test_erring_players_take_like_points_but_for_their_errors() -> None:
    def list_calls(policy: str) -> list[list[str]]:
        records = play_records(Experiment(TAKE_2, (policy,) * 6, deals=150))
        return [[call.call for call in record.calls] for record in records]

    expected = list_calls("points")
    assert list_calls(f"{ERRING}:share=0") == expected != list_calls(f"{ERRING}:share=0,spread=60")
    opposite = list_calls(f"{ERRING}:share=1")
    assert all(one[0] != other[0] for one, other in zip(expected, opposite, strict=True))


def test_cautious_plays_no_card_above_another_of_the_same_suit_and_kind() -> None:
    """The lowest card is never stronger than another legal one of its suit."""
    order = {"plain": "ATHKQJ987654", "trump": "987ATHKQJ654"}
    for record in play_records(Experiment(TAKE_2, (CAUTIOUS,) * 6, deals=150)):
        if not record.tricks:
            continue
        for play in moments(record):
            trump = record.contract in ("AT", play.card.suit)
            ranks = order["trump" if trump else "plain"]
            same = [card for card in play.legal if card.suit == play.card.suit]
            assert play.card == max(same, key=lambda c: ranks.index(c.rank)), told(record)


MAX_BYTES = 300_000


def test_the_notebooks_are_small_and_have_outputs() -> None:
    assert [path.name for path in NOTEBOOKS] == ["statistics.ipynb", "tour.ipynb"]
    for path in NOTEBOOKS:
        assert path.stat().st_size < MAX_BYTES
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        texts = list_texts(notebook)
        assert sum(map(bool, texts)) > 6
        assert any("picture" in each for each in texts)
        assert any("text/html" in str(cell.get("outputs")) for cell in notebook.cells)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_give_the_outputs_that_are_stored(path: Path) -> None:
    stored = list_texts(nbformat.read(path, as_version=4))
    found = list_texts(execute(path))
    assert [[_drop_times(text) for text in cell] for cell in found] == [
        [_drop_times(text) for text in cell] for cell in stored
    ]


def _drop_times(text: str) -> str:
    return re.sub(r"[\d.]+ (µs|s)\b", "TIME", text)


@pytest.mark.parametrize("seed", range(3))
def test_each_legal_card_has_its_value_and_two_are_marked(seed: int) -> None:
    played = kqj.records(policy="greedy", deals=1, seed=seed)
    reviewed = json.loads(kqj.review(played, samples=20).to_json())
    picture = ElementTree.fromstring(draw_worst_card(reviewed))
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    decisions = reviewed["rounds"][0]["decisions"]
    cards = [each for each in decisions if each["trick"] and not each["at"].endswith(".1")]
    worst = max(cards, key=lambda card: card["loss_points"])
    values = [text for text in texts if text and text[0] in "+-" and text[1:].isdigit()]
    assert sorted(values) == sorted(f"{option['value']:+.0f}" for option in worst["options"])
    assert texts.count("best") == texts.count("played") == 1
    on_table = int(worst["at"].split(".")[1]) - 1
    in_hand = 9 - worst["trick"]
    assert len([*picture.iter("{http://www.w3.org/2000/svg}use")]) == on_table + in_hand


@pytest.mark.slow
def test_the_picture_is_up_to_date() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw_worst_card(review_round())
