"""The command `solve` and its result."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.cards import parse_card
from kqj_sim.positions.reader import read_round
from kqj_sim.record import to_json
from tests.command_line import run
from tests.variants import LIVELY

CAPOT = "tests/golden/capot.jsonl"


def test_best_play_is_legal_and_has_the_lead_of_the_best_card() -> None:
    result = kqj.solve(deal=5, policy="standard", at="5.3")
    assert result.lead == next(iter(result.cards.values())) == max(result.cards.values())
    assert result.frame().value.to_dict() == result.cards
    record = kqj.show(deal=5, policy="standard").record
    plays = [card for trick in record.tricks for card in trick.cards][:26]
    assert result.cards[result.line[0][1]] == result.lead
    plays += [card for _, card in result.line]
    # A position checks that each play is legal.
    assert replace(read_round(record), plays=tuple(map(parse_card, plays))).is_over


def test_a_record_of_a_file_is_solved_before_a_card() -> None:
    shown = run("solve", CAPOT, "--at", "6.2", "--format", "json")
    assert shown.exit_code == 0
    solution = json.loads(shown.stdout)
    assert (solution["command"], solution["at"]) == ("solve", "6.2")
    assert solution["seed"] is solution["first"] is None
    assert len(solution["line"]) == 48 - 31
    (table,) = solution["tables"]
    assert max(row["value"] for row in table["rows"]) == solution["lead"]


def test_the_screen_says_who_wins_and_shows_the_best_play() -> None:
    shown = run("solve", "--deal", "5", "--policy", "standard", "--at", "7.2").stdout
    assert shown.startswith("The contract can be made. With all cards open the side of the Sender")
    assert "The 5th may play any legal card." in shown
    assert "Value of each card of the 5th" in shown and "The best play" in shown
    three = run(
        "solve", "--deal", "5", "--policy", "standard", "--at", "7.2", "--teams", "3"
    ).stdout
    assert "the two other teams" in " ".join(three.split()) and "the mean of the others" in three


def test_a_hand_that_is_not_known_is_no_round_to_solve(tmp_path: Path) -> None:
    record = kqj.show(deal=5, policy="standard").record
    keys = json.loads(to_json(record))
    keys["hands"][2] = []
    keys["tricks"] = keys["tricks"][:2]
    keys["dealt"] = [[] for _ in range(6)]
    path = tmp_path / "round.json"
    path.write_text(json.dumps(keys), encoding="utf-8")
    with pytest.raises(kqj.InputError, match="needs all eight cards of the"):
        kqj.solve(path)


TYPED = b"""
Contract: h by 2nd
Hands:
  opener: As Ts Ks 9h Qh Ad 4d 5c
  2nd: 4s 5s 8h 7h Jh Kd Ac 6c
  3rd: Qs 6s Ah Td 5d Hd Kc 7c
  4th: Js Hs Th 4h Jd 6d Tc 8c
  5th: 9s 8s Kh 5h 9d 7d Qc 9c
  dealer: 7s Hh 6h Qd 8d Hc Jc 4c
Tricks:
  As 4s 6s Js 8s 7s
  Ts 5s Qs Hs 9s 6h
  Hc 5c Ac 7c Tc Qc
  Jh Ah Th Kh Hh 9h
  Ad Kd Td 6d
"""


def test_a_typed_round_is_solved_where_its_play_breaks_off() -> None:
    result = kqj.solve(TYPED)
    assert result.line[0][0] == 4 and len(result.line) == 20
    assert result.cards == kqj.solve(TYPED, at="5.5").cards
    assert json.loads(result.to_json())["at"] == "5.5"


def test_each_turn_has_the_value_that_it_has_alone_and_changes_are_those_of_the_lead() -> None:
    turns = kqj.solve(deal=2, policy="random", at="5.1", turns=True)
    frame = turns.frame().reset_index()
    assert frame["at"].nunique() == 24
    made: list[bool] = []
    record = kqj.show(deal=2, policy="random").record
    sender = record.sender or 0
    for at in frame["at"].unique():
        rows = frame[frame["at"] == at]
        trick, card = map(int, at.split("."))
        alone = kqj.solve(deal=2, policy="random", at=at)
        assert dict(zip(rows.card, rows.value, strict=True)) == alone.cards
        (played,) = rows.card[rows.choice == "played"]
        assert played == record.tricks[trick - 1].cards[card - 1]
        seat = (record.tricks[trick - 1].leader or 0) + card - 1
        sign = 1 if (seat - sender) % 2 == 0 else -1
        made += [sign * alone.lead > 0, sign * alone.cards[played] > 0]
    changed = [before != after for before, after in pairwise(made)][::2]
    assert turns.changes == list(frame["at"].unique()[changed])


def find_lead(amount: int, contract: str, place: str) -> float:
    """Return the lead of the Sender's side in an auction that is imposed."""
    impose = f"{place}:{contract}:{amount}"
    result = kqj.solve(deal=3, bidding="auction", impose=impose)
    return result.lead if place == "opener" else -result.lead


@pytest.mark.slow
def test_par_is_the_highest_amount_that_a_side_can_make() -> None:
    result = kqj.solve(deal=3, bidding="auction", contracts=True)
    values = result.frame().value
    assert result.par == result.best["opener, 3rd, 5th"] == values.max() == 400
    for side, place in zip(result.best, ("opener", "2nd"), strict=True):
        highest = int(values[side, "c"])
        assert not highest or find_lead(highest, "c", place) == highest
        following = max(highest + 10, 120)
        assert find_lead(following, "c", place) == -following


@pytest.mark.parametrize("bidding", ["take", "auction"])
@pytest.mark.parametrize("teams", [2, 3])
def test_each_ending_has_the_value_that_it_has_alone(teams: int, bidding: str) -> None:
    rules: Any = {"teams": teams, "bidding": bidding, "partners": "random", "seed": 5}
    rules |= {"policy": LIVELY}
    frame: Any = kqj.solve(deals=16, deal=3, cards=3, **rules).frame()
    for row in frame.to_dict("records"):
        alone = kqj.solve(deal=row["deal"], at="6.1", **rules)
        assert (alone.line[0][0], next(iter(alone.cards))) == (row["leader"], row["best"])
        assert alone.lead == row["value"] * (1 if row["contracting_leads"] else -1)
    played: Any = kqj.simulate(deals=16, first=3, **rules).frame()
    played = played[played.taken].reset_index(drop=True)
    assert len(frame) == len(played) > 8
    assert (frame[played.columns] == played).where(played.notna(), True).all(axis=None)
    others = played.defending_score / (teams - 1)
    assert (frame.played == played.contracting_score - others).all()


def test_endings_are_the_same_whatever_the_threads_and_chunks(tmp_path: Path) -> None:
    frames = []
    for threads, first, name in ((1, 0, "a.csv"), (2, 0, "b.csv"), (2, 90, "c.csv")):
        runner, path = kqj.Runner(threads=threads), tmp_path / name
        deals = 700 - first
        result = kqj.solve(deals=deals, deal=first, policy="greedy", rows=path, runner=runner)
        frames.append(path.read_text(encoding="utf-8").splitlines())
        assert len(frames[-1]) == deals + 1
    one, other, later = frames
    assert one == other and [later[0], *one[91:]] == later
    assert (tmp_path / "c.run.json").exists() and result.deals == 610


def test_the_last_card_loses_nothing_and_the_headline_has_the_means_of_the_rows() -> None:
    assert kqj.solve(deals=99, cards=1, policy="greedy").estimate("off_best_share").value == 0
    result = kqj.solve(deals=400, cards=2, policy="random")
    rows: Any = result.frame()
    gained = rows.played - rows.value
    assert result.estimate("net_gain_mean").value == pytest.approx(gained.mean())
    assert result.estimate("distance_mean").value == pytest.approx(gained.abs().mean())
    assert result.estimate("off_best_share").value == (gained != 0).mean() > 0
    assert result.estimate("makeable_share").value == (rows.value > 0).mean()
    assert result.estimate("made_share").value == (rows.result == "made").mean()
    assert result.headline.startswith(f"In {len(rows)} endings of 2 cards, what was")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "c.2", "--policy", "greedy"], "name a card, such as 3.2"),
        (["--policy", "never"], "deal 0 is passed out"),
        (["--line", "3"], "name the file"),
        (["--confidence", "0.9"], "--confidence is for --deals"),
        ([CAPOT, "--line", "999"], "has no record on line 999"),
        ([CAPOT, "--policy", "greedy"], "--policy"),
        (["--contracts", "--turns"], "--contracts and --turns: give one of them"),
        (["--contracts", "--at", "3.2"], "--contracts and --at: give one of them"),
        ([CAPOT, "--deals", "3"], "--deals and FILE: give one of them"),
    ],
)
def test_wrong_input_is_one_line(words: list[str], message: str) -> None:
    shown = run("solve", *words)
    assert shown.exit_code and message in shown.stderr and shown.stderr.count("\n") == 1
