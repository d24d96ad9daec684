"""The command that compares policies, and the deals that it names."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from kqj_sim.analysis.compare import compare
from tests.command_line import expect_error, run

ONE, OTHER, THIRD = "random:take=0.3+greedy", "random:take=0.3", "random:take=0.1"
FEW = ("--deals", "600", "--threads", "1")


def compared(*arguments: str) -> dict[str, Any]:
    """The JSON that a comparison prints."""
    done = run("compare", *arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(found: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    (each,) = [each for each in found["tables"] if each["name"] == table]
    return list(each["rows"])


def test_the_answer_comes_first() -> None:
    shown = run("compare", ONE, OTHER, *FEW).stdout
    first = shown.splitlines()[0]
    number = r"-?\d+\.\d ± \d+\.\d"
    assert re.fullmatch(
        rf"{re.escape(ONE)} scores {number} points a round more than {OTHER} \(95%\), 600 deals",
        first,
    )
    assert "played both ways, is worth" in shown.splitlines()[1]
    for word in ("takes", "made", "lost in", "bonus points", "passed out", "differ", "seed 1"):
        assert word in shown
    assert "Student's interval at a number set beforehand" in shown


def test_json_carries_what_was_asked_and_found() -> None:
    found = compared(ONE, OTHER, "--seed", "5", "--max-deals", "1500", "--confidence", "90%")
    (pair,) = compare(ONE, OTHER, seed=5, max_deals=1500, confidence=0.9).pairs
    (shown,) = found["pairs"]
    assert shown["policies"] == found["policies"] == [ONE, OTHER]
    assert (shown["deals"], shown["shown"]) == (pair.tally.deals, pair.verdict)
    lead = rows(found, "pairs")[0]
    assert (lead["value"], lead["low"], lead["high"]) == tuple(pair.lead[:3])
    assert (found["seed"], found["confidence"], found["sides"]) == (5, 0.9, "exchanged")
    assert found["asked"]["cap"] == 1500
    assert "Waudby-Smith" in found["method"]
    assert found["rules"]["teams"] == 2
    assert len(found["players"]) == 2
    assert rows(found, "where")[0]["value"] == pair.tally.total("differs") / pair.tally.deals


def test_three_policies_have_a_ranking_and_a_matrix() -> None:
    found = compared(ONE, OTHER, THIRD, *FEW)
    assert rows(found, "ranking")[0]["rank"] == 1
    assert {row["policy"] for row in rows(found, "ranking")} == {ONE, OTHER, THIRD}
    leads = {(row["policy"], row["quantity"]): row["value"] for row in rows(found, "matrix")}
    assert len(leads) == 9
    assert [each for each, value in leads.items() if value is None] == [
        (row["policy"], f"over {row['policy']}") for row in rows(found, "ranking")
    ]
    assert leads[ONE, f"over {OTHER}"] == -leads[OTHER, f"over {ONE}"]
    assert "better than" in found["answer"][0]
    shown = run("compare", ONE, OTHER, THIRD, *FEW).stdout
    assert "Ranking (points a round)" in shown
    assert "all 3 pairs together" in shown


def test_threads_and_order_cannot_be_seen() -> None:
    one = compared(ONE, OTHER, "--deals", "700", "--threads", "1")
    assert one == compared(ONE, OTHER, "--deals", "700", "--threads", "2")
    back = compared(OTHER, ONE, "--deals", "700")
    (lead,), (opposite,) = ([rows(each, "pairs")[0]["value"]] for each in (one, back))
    assert lead == -opposite
    assert one["answer"] == back["answer"]


def test_the_same_policy_twice_does_the_same() -> None:
    found = compared(ONE, ONE, *FEW)
    told = f"{ONE} and {ONE} (2) did the same in each of 600 deals: 0 between them"
    assert found["answer"] == [told]
    assert rows(found, "where")[0]["value"] == 0


def test_parameters_that_the_game_does_not_read_are_named() -> None:
    """The note names parameters without effect, and those that have one."""
    one, other = "points:take=45,opening=3+random", "points+random"
    assert not any("no effect" in line for line in compared(one, other, *FEW)["answer"])
    assert compared(one, other, "--teams", "3", *FEW)["answer"][1:] == [
        "take has no effect here: it is read with --teams 2 --bidding take only; here it is "
        "three_take",
        "opening has no effect here: it is read with --teams 2 --bidding auction only",
    ]


def test_the_largest_differences_are_shown_by_their_commands() -> None:
    found = compared(ONE, OTHER, "--teams", "3", *FEW)
    for command, row in zip(found["commands"], rows(found, "largest"), strict=True):
        program, *arguments = shlex.split(command)
        assert program == "kqj-sim"
        assert f"--deal {row['deal']} --teams 3" in command
    shown = run(*arguments)
    assert shown.exit_code == 0, shown.output
    assert "Version 1: " in shown.stdout
    assert re.search(r"From version 1 it parts (at the calls|in trick \d): seat \d", shown.stdout)


def test_two_versions_stand_side_by_side_on_a_wide_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ["show", "--deal", "3", "--policy", ONE, "--against", f"{ONE.split('+')[0]}+random"]
    below = run(*arguments).stdout
    assert below.count("Version") >= 2
    monkeypatch.setattr("kqj_sim.commands.records.screen_width", lambda: 240)
    beside = run(*arguments).stdout
    assert re.search(r"^Version 1: .* Version 2: ", beside, re.M)


def test_a_deal_that_goes_the_same_way_is_shown_once() -> None:
    shown = run("show", "--deal", "3", "--policy", ONE, "--against", ONE).stdout
    assert "Version 2" not in shown
    assert "All arrangements go the same way" in shown


def test_calling_field_and_games_are_told() -> None:
    calling = run("compare", "--calling", THIRD, "never", "--with", "greedy", *FEW).stdout
    assert "calling only" in calling
    field = compared(ONE, OTHER, "--opponents", THIRD, *FEW)
    assert (field["field"], field["sides"]) == (THIRD, "same")
    assert f"each against {THIRD}" in field["answer"][0]
    assert f"--opponents {THIRD}" in field["commands"][0]
    games = compared(ONE, OTHER, "--games", "40", "--target", "200")
    assert "percentage points more of the games" in games["answer"][0]
    assert games["games"] == 40
    won = [row for row in rows(games, "why") if row["quantity"] == "games won, share"]
    assert sum(row["value"] for row in won) == pytest.approx(1)


@pytest.mark.parametrize("several", [False, True])
def test_everything_can_be_written_to_files(tmp_path: Path, several: bool) -> None:
    policies = [ONE, OTHER, THIRD][: 3 if several else 2]
    for suffix, start in (
        (".csv", "table,"),
        (".md", "# kqj-sim compare\n\n"),
        (".txt", policies[0][:6]),
    ):
        out = tmp_path / f"out{suffix}"
        done = run("compare", *policies, *FEW, "--out", str(out), "--plot", str(tmp_path / "a.svg"))
        assert (done.exit_code, done.stdout) == (0, "")
        assert out.read_text(encoding="utf-8").startswith(start)
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for name in policies:
        assert name.replace("+greedy", "") in picture
    wanted = ["Mean lead over the others"] if several else ["as it went on", "ahead: "]
    assert all(words in picture for words in wanted)


def test_a_file_that_cannot_be_written_is_told_before(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "a.csv"
    told = expect_error(run("compare", ONE, OTHER, "--out", str(path)), 1)
    assert "does not exist" in told
