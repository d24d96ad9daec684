"""The command that compares policies, and the deals that it names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import kqj_sim as kqj
from kqj_sim.output.grid import Excerpt, to_rich, to_screen
from kqj_sim.paired.comparison import Comparison, describe_progress, write_headline
from kqj_sim.questions.compare.screen import make_comparison_drawing, make_comparison_screen
from kqj_sim.rules import KqjRules
from kqj_sim.stats.intervals import Estimate
from kqj_sim.stats.tables import Table, TableRow
from tests.command_line import run, run_json
from tests.comparisons import compare, make_leads
from tests.output.images import read_texts
from tests.runners import WatchedRunner

ONE, OTHER, THIRD = "random:take=0.3+greedy", "random:take=0.3", "random:take=0.1"
FEW = ("--deals", "600", "--threads", "1")


def compared(*arguments: str) -> Any:
    return run_json("compare", *arguments)


def rows(found: dict[str, Any], table: str) -> list[dict[str, Any]]:
    (each,) = [each for each in found["tables"] if each["name"] == table]
    return list(each["rows"])


@pytest.mark.parametrize(
    "policies",
    [
        (ONE, OTHER),
        (ONE, OTHER, THIRD),
        ("points:take=44,lap2=39+greedy", "points:take=45,lap2=38"),
    ],
)
def test_the_answer_fits_on_a_screen(
    policies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kqj_sim.commands.output.screen_width", lambda: 80)
    shown = run("compare", *policies, *FEW).stdout.splitlines()
    assert len(shown) <= 35
    assert all(len(line) <= 80 for line in shown if not line.startswith("  kqj-sim show "))
    assert len([line for line in shown if line.startswith("  kqj-sim show ")]) == 1
    assert not any("continued" in line for line in shown)


def test_tables_are_shown_by_name() -> None:
    listed = run("compare", ONE, OTHER, THIRD, "--tables", "list").stdout.splitlines()
    names = [line.split()[0] for line in listed]
    assert names == [each["name"] for each in compared(ONE, OTHER, THIRD, *FEW)["tables"]]
    shown = run("compare", ONE, OTHER, "--tables", "largest,efficiency", *FEW).stdout
    assert "Largest differences" in shown and "Relative efficiency" in shown
    assert "Results of each policy" not in shown
    assert "kqj-sim show" not in shown
    commands = compared(ONE, OTHER, *FEW)["commands"]
    assert [line.startswith("kqj-sim show ") for line in commands] == [True] * 5


def test_a_policy_for_one_part_is_pointed_out_with_what_fills_the_rest() -> None:
    shown = run("compare", "never", ONE, "--deals", "50", "--threads", "1").stdout
    assert "`never` only calls; `network` plays for it." in " ".join(shown.split())
    shown = run("compare", "--calling", "never", THIRD, "--with", "greedy", *FEW).stdout
    assert "only calls" not in shown


def test_the_progress_line_shows_the_lead_its_interval_and_the_target() -> None:
    runner = WatchedRunner()
    compare(ONE, "random:take=0.2+greedy", runner=runner)
    shown = runner.answers
    assert shown[0] == ""  # Before the first look.
    numbers = r"\+\d+\.\d ±(\d+\.\d), going on to ±(\d+\.\d)"
    matches = [re.fullmatch(numbers, each) for each in shown if each]
    reached = [float(each[1]) <= float(each[2]) for each in matches if each is not None]
    assert len(reached) == len(matches)
    assert reached[-1] and not reached[0]
    (leads,) = compare(ONE, OTHER, deals=1200).pairs.values()
    assert re.fullmatch(r"\+\d+\.\d ±\d+\.\d", describe_progress(leads))


def test_json_carries_what_was_asked_and_found() -> None:
    asked = ("--seed", "5", "--first", "7", "--max-deals", "1500", "--confidence", "90%")
    found = compared(ONE, OTHER, *asked)
    comparison = compare(ONE, OTHER, seed=5, first=7, max_deals=1500, confidence=0.9)
    (leads,) = comparison.pairs.values()
    (shown,) = found["pairs"]
    assert shown["policies"] == found["policies"] == [ONE, OTHER]
    assert (shown["deals"], shown["shown"]) == (leads.deals, leads.verdict)
    lead = rows(found, "pairs")[0]
    assert (lead["value"], lead["low"], lead["high"]) == tuple(leads.lead[:3])
    assert (found["seed"], found["confidence"], found["sides"]) == (5, 0.9, "exchanged")
    assert found["asked"]["cap"] == 1500
    assert "Waudby-Smith" in found["method"]
    assert found["rules"]["teams"] == 2
    assert len(found["players"]) == 2
    assert rows(found, "where")[0]["value"] == leads.tally.differing / leads.deals


def test_three_policies_have_a_ranking_and_a_matrix() -> None:
    found = compared(ONE, OTHER, THIRD, *FEW)
    assert rows(found, "ranking")[0]["rank"] == 1
    assert {row["policy"] for row in rows(found, "ranking")} == {ONE, OTHER, THIRD}
    leads = {(row["policy"], row["other"]): row["value"] for row in rows(found, "matrix")}
    assert len(leads) == 9
    ranked = list(dict.fromkeys(row["policy"] for row in rows(found, "ranking")))
    assert [each for each, value in leads.items() if value is None] == [
        (name, name) for name in ranked
    ]
    assert leads[ONE, OTHER] == -leads[OTHER, ONE]
    best = rf"{re.escape(ONE)} is best: it scores .* points a round more than "
    assert re.fullmatch(best + rf"{re.escape(ranked[1])}\.", found["answer"][0])
    text = " ".join(run("compare", ONE, OTHER, THIRD, *FEW).stdout.split())
    assert "±: 95% intervals, 3 pairs jointly. More: --tables list." in text


def test_each_of_many_policies_has_a_line() -> None:
    names = [f"standard:take={number},lap2=20" for number in range(120, 145)]
    lead, share = Estimate(-1.04, -3.5, 1.4, 900), Estimate(0.305, 0.29, 0.33, 900)
    lines: list[TableRow] = [
        ((1, name), quantity, estimate)
        for name in names
        for quantity, estimate in (
            ("mean_lead_per_round", lead),
            ("sender_share", share),
            ("sender_made_share", Estimate(0.99, 0.8, 1.0, 50)),
        )
    ]
    table = Table("ranking", "Ranking", ("rank", "policy"), lines, counted=False, game="kqj")
    (grid,) = Excerpt("ranking", table.quantities).make_grids({"ranking": table}, 80)
    text = to_screen([to_rich(grid)], color=False, width=80)
    for name in names:
        assert re.search(rf"^.* {name} +-1.0 ±2.5 +30.5% ±2.5 +>80%$", text, flags=re.M), text
    assert len(text.splitlines()) <= len(names) + 6


@pytest.mark.parametrize(
    ("leads", "said"),
    [
        ([0, 0, 0, 0], "a and b play all 4 deals alike."),
        ([10, 12] * 500, "a scores 11.0 ±0.1 points a round more than b."),
        ([-10, -12] * 500, "b scores 11.0 ±0.1 points a round more than a."),
        ([20, -20] * 500, "a and b are statistically tied: a scores 0.0 ±1.2 points a round more."),
        (
            [2, -2] * 500,
            "a and b are statistically tied, within 0.5 points a round: "
            "a scores 0.0 ±0.1 points a round more.",
        ),
    ],
)
def test_the_headline_is_the_decision(leads: list[int], said: str) -> None:
    pair = make_leads(leads)
    players, pairs = pair.match.players, {(0, 1): pair}
    comparison = Comparison(
        players, ("a", "b"), players, KqjRules(), None, "both", pair.plan, pairs
    )
    assert write_headline(comparison) == [said]


def test_the_largest_differences_are_shown_by_their_commands() -> None:
    found = compared(ONE, OTHER, "--teams", "3", *FEW)
    for command, row in zip(found["commands"], rows(found, "largest"), strict=True):
        program, *arguments = shlex.split(command)
        assert program == "kqj-sim"
        assert f"--deal {row['deal']} --teams 3" in command
    shown = run(*arguments)
    assert shown.exit_code == 0, shown.output
    assert "Version 1: " in shown.stdout
    assert re.search(r"Differs from version 1 in (the calls|trick \d): the ", shown.stdout)


def test_two_versions_stand_side_by_side_on_a_wide_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ["show", "--deal", "3", "--policy", ONE, "--against", f"{ONE.split('+')[0]}+random"]
    below = run(*arguments).stdout
    assert below.count("Version") >= 2
    monkeypatch.setattr("kqj_sim.commands.output.screen_width", lambda: 240)
    beside = run(*arguments).stdout
    assert re.search(r"^Version 1: .* Version 2: ", beside, re.M)


def test_a_deal_that_goes_the_same_way_is_shown_once() -> None:
    shown = run("show", "--deal", "3", "--policy", ONE, "--against", ONE).stdout
    assert "Version 2" not in shown
    assert "The round is the same in every seating." in shown


def test_parts_opponents_and_games_are_named() -> None:
    calling = run("compare", "--calling", THIRD, "never", "--with", "greedy", *FEW).stdout
    assert "calling only: " in calling
    field = compared(ONE, OTHER, "--opponents", THIRD, *FEW)
    assert (field["field"], field["sides"]) == (THIRD, "same")
    assert field["answer"][0].startswith(f"Against {THIRD}, {ONE} scores ")
    assert f"--opponents {THIRD}" in field["commands"][0]
    games = compared(ONE, OTHER, "--games", "40", "--target", "200")
    assert re.match(r".* wins \d\d\.\d% ±\d+\.\d of the games against ", games["answer"][0])
    assert games["games"] == 40
    won = [row for row in rows(games, "why") if row["quantity"] == "won_share"]
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
    wanted = ["Mean lead over the others"] if several else ["ahead: "]
    assert all(words in picture for words in wanted)


def test_the_legend_of_the_leads_says_how_often_each_is_ahead() -> None:
    comparison = compare(ONE, OTHER, deals=600)
    drawing = make_comparison_drawing(comparison, make_comparison_screen(comparison))
    texts = read_texts(drawing.render("svg"))
    tally = comparison.pairs[0, 1].tally
    for name, sign in zip(comparison.names, (1, -1), strict=True):
        ahead = sum(count for lead, count in tally.distribution.items() if sign * lead > 0)
        assert f"{name} ahead: {100 * ahead / tally.deals:.1f}%" in texts


def test_names_of_files_are_no_formulas_in_pictures(tmp_path: Path) -> None:
    """$, ^ and _ are TeX to matplotlib, which also leaves names with _ out of its legends."""
    for name, take in (("_a$b_$x^{", 60), ("c$_$^", 30)):
        text = f'policy = "standard"\n[parameters]\ntake = {take}\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    whole = Figure()
    axes = kqj.compare(*sorted(tmp_path.iterdir()), deals=64).plot(whole.subplots())
    legend = axes.get_legend()
    assert legend is not None and legend.get_texts()[0].get_text().startswith("_a$b_$x^{ ahead: ")
    whole.savefig(tmp_path / "lead.svg")
    assert "lead of _a$b_$x^{, points" in (tmp_path / "lead.svg").read_text(encoding="utf-8")


def test_it_is_said_if_the_precision_was_not_reached() -> None:
    shown = run("compare", ONE, OTHER, "--precision", "1e-6", "--max-deals", "600").stdout
    assert "The precision of ±1e-06 was not reached within 600 deals." in " ".join(shown.split())
    shown = run("compare", ONE, OTHER, "--precision", "1000", "--max-deals", "600").stdout
    assert "was not reached" not in shown
