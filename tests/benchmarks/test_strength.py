"""The measure of strength: what a match counts, and that the whole of it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.matches import Limit, measure_cost, play_alone, play_match
from benchmarks.strength import VARIANTS, main
from kqj_sim.paired.match import list_arrangements
from kqj_sim.rules import SEATS, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.variants import LIVELY
from tools.leads import measure_lead

SEED = 23
DEALS = 60
ONE, OTHER = f"{LIVELY}+greedy", f"{LIVELY}+random"

RULES = {name: rules for name, (_, rules) in VARIANTS.items()}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_nobody_scores_more_than_himself(rules: KqjRules) -> None:
    match = play_match(rules, ONE, ONE, Limit(0, DEALS), SEED, 1)
    assert (match.deals, match.points, match.error) == (DEALS, 0, 0)
    assert match.own == match.others
    assert match.own.contracts > 0


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_match_counts_what_the_records_say(rules: KqjRules) -> None:
    contracts = [[0, 0, 0], [0, 0, 0]]
    for seats in list_arrangements(rules):
        policies = tuple((ONE, OTHER)[side] for side in seats)
        for record in play_records(Experiment(rules, policies, DEALS, SEED)):
            for side, count in enumerate(contracts):
                if seats.count(side) <= 3:
                    sent = record.sender is not None and seats[record.sender] == side
                    count[0] += 1
                    count[1] += sent
                    count[2] += sent and record.result == "made"
    match = play_match(rules, ONE, OTHER, Limit(0, DEALS), SEED, 2)
    # The lead is held against records in tests/paired.
    lead = measure_lead(rules, ONE, OTHER, DEALS, SEED)
    assert (match.points, match.error) == pytest.approx(lead)
    for found, expected in zip((match.own, match.others), contracts, strict=True):
        assert [found.rounds, found.contracts, found.made] == expected
    reverse = play_match(rules, OTHER, ONE, Limit(0, DEALS), SEED, 1)
    assert (reverse.points, reverse.error) == (-match.points, match.error)
    assert (reverse.own, reverse.others) == (match.others, match.own)


def test_seconds_say_how_many_deals() -> None:
    few, many = (play_match(KqjRules(), ONE, OTHER, Limit(s), SEED, 1) for s in (1e-6, 0.5))
    assert few.deals == 48
    assert many.deals > 480
    assert many.deals % SEATS == 0
    assert many.error < few.error / 2


def test_one_alone_has_his_contracts_and_his_times() -> None:
    alone = play_alone(KqjRules(), ONE, Limit(0, DEALS, 0.001), SEED, 1)
    records = list(play_records(Experiment(KqjRules(), (ONE,) * SEATS, DEALS, SEED)))
    taken = [record for record in records if record.sender is not None]
    made = [record for record in taken if record.result == "made"]
    contracts = alone.contracts
    assert (contracts.rounds, contracts.contracts, contracts.made) == (
        DEALS, len(taken), len(made),
    )  # fmt: skip
    assert alone.calls > 0
    slow = measure_cost(KqjRules(), f"{LIVELY}+standard", SEED, 0.001)
    assert slow[1] > 2 * alone.cards


@pytest.mark.slow
def test_measurement_runs(tmp_path: Path) -> None:
    out, page = tmp_path / "STRENGTH.md", tmp_path / "strength.md"
    page.write_text("Before\n<!-- strength -->\nold\n<!-- /strength -->\nafter\n", "utf-8")
    options = ["--quick", "--threads", "1", "--out", str(out), "--page", str(page)]
    for name, value in (
        ("player", "random"), ("player", "greedy"), ("player", "standard"), ("caller", "standard"),
        ("caller", "random:take=0.5"), ("calling", "standard"), ("variant", "take-2"),
        ("variant", "take-3"),
    ):  # fmt: skip
        options += [f"--{name}", value]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 0, done.output
    text, short = out.read_text("utf-8"), page.read_text("utf-8")
    assert text.startswith("# Strength\n\nMade by `python benchmarks/strength.py --player random")
    assert "--caller random:take=0.5" in text and str(tmp_path) not in text
    for title in (
        "How it was made", "Points a round", "Cards: two teams, taking",
        "Cards: three teams, taking, each against each",
        "Cards: three teams, taking, contracts made", "Calls: two teams, taking",
    ):  # fmt: skip
        assert f"\n## {title}\n" in text
    assert short.startswith("Before\n<!-- strength -->\n| policy | two teams, taking |")
    assert short.endswith("\n<!-- /strength -->\nafter\n") and "old" not in short
    assert all(f"| `{policy}` |" in short for policy in ("random", "greedy", "standard"))


def test_a_page_without_marks_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "strength.md"
    page.write_text("Nothing here\n", "utf-8")
    out = ["--out", str(tmp_path / "STRENGTH.md"), "--page", str(page)]
    who = ["--player", "random", "--variant", "take-2", "--contest", "cards"]
    done = CliRunner().invoke(main, ["--quick", *out, *who])
    assert done.exit_code == 1
    assert "has no <!-- strength -->" in done.output
