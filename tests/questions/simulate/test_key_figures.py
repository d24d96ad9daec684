"""First screens of `simulate`: a headline and key figures that fit a screen, and the picture."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.output.formats import render
from kqj_sim.output.grid import format_number
from kqj_sim.output.screen import Run
from kqj_sim.questions.simulate.result import SimulationResult
from kqj_sim.questions.simulate.screen import make_simulation_screen
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.run import reduce_rows
from kqj_sim.stats.tally import Tally
from tests.command_line import run, run_json
from tests.games.every import SHARED
from tests.output.images import read_texts
from tests.variants import OTHER_GAMES

WIDTH, MOST_LINES, MOST_LINES_BY_PLACE = 80, 40, 30
RULES: dict[str, GameRules] = {
    "two teams": KqjRules(),
    "random partners": KqjRules(partners="random"),
    "three teams": KqjRules(teams=3),
    "three teams, random partners": KqjRules(teams=3, partners="random"),
    "auctions": KqjRules(bidding="auction"),
    "auctions, three teams": KqjRules(bidding="auction", teams=3, partners="random"),
    "auctions with litigation": KqjRules(bidding="auction", must_outscore=True),
    **OTHER_GAMES,
}


def shown(
    rules: GameRules, players: tuple[str, ...], deals: int = 600, games: int | None = None,
    by: tuple[str, ...] = (),
) -> str:  # fmt: skip
    played = Experiment(rules, players, deals=deals, games=games)
    tally = reduce_rows(played, lambda: Tally(played, by), 1).result
    about = Run(
        "simulate", rules, players, 1, 0, tally.deals, 0.95, games, by=by, players=players
    )  # fmt: skip
    return render(make_simulation_screen(about, tally.tables()), "table", width=WIDTH).decode()


def seat(rules: GameRules, *policies: str) -> tuple[str, ...]:
    return tuple(policies[number % len(policies)] for number in range(rules.seats))


@pytest.mark.parametrize(
    ("policies", "games"),
    [(("standard",), None), (("standard", "random"), None), (("standard", "random"), 30)],
)
@pytest.mark.parametrize("variant", RULES)
def test_answer_fits_a_screen(variant: str, policies: tuple[str, ...], games: int | None) -> None:
    rules = RULES[variant]
    text = shown(rules, seat(rules, *policies), games=games)
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES, text
    assert max(map(len, lines)) <= WIDTH, text
    assert "…" not in text
    for word in ("100.0%  ", "nan", "None", " _"):
        assert word not in text
    told = " ".join(lines[:4])
    assert re.search(r"\d% ±\d", told)
    assert " on average." in told or "statistically tied" in told
    if games is not None:
        assert text.startswith("A game ")
        assert "Games" in text


@pytest.mark.parametrize("variant", RULES)
def test_groups_have_a_row_each(variant: str) -> None:
    rules = RULES[variant]
    text = shown(rules, seat(rules, "standard"), by=("place",))
    assert len(text.splitlines()) <= MOST_LINES_BY_PLACE, text
    assert max(map(len, text.splitlines())) <= WIDTH, text
    assert len(re.findall(r"^(opener|2nd|3rd|dealer) ", text, flags=re.M)) == 4
    assert not re.search(r"^[0-5] ", text, flags=re.M)


def test_rows_of_few_deals_become_sentences() -> None:
    text = run("simulate", "--deals", "1000", "--seed", "5", "--policy", "points").stdout
    told = re.search(
        r"Too few for a row: (\d+) takes? in the 2nd lap, (\d+) by the", " ".join(text.split())
    )
    assert told, text
    assert all(0 < int(count) < 30 for count in told.groups())
    assert re.search(r"^(opener|2nd) ", text, flags=re.M) and "2nd lap  " not in text
    assert not re.search(r"^dealer ", text, flags=re.M)
    assert re.search(r"^\d+ contracts? in (another suit|NT|AT)", text, flags=re.M)
    everything = run(
        "simulate", "--deals", "1000", "--seed", "5", "--policy", "points", "--tables", "all"
    ).stdout
    assert re.search(r"^dealer ", everything, flags=re.M)


def test_no_row_without_takes() -> None:
    few = ("simulate", "--deals", "1000", "--policy", "points")
    text = run(*few, "--where", "place in (0, 1, 3)").stdout
    assert "No takes by the 3rd, the 5th or the dealer." in " ".join(text.split()), text
    assert not re.search(r"^(3rd|5th|dealer) ", text, flags=re.M)
    text = run("simulate", "--deals", "20").stdout
    assert re.search(r"^all +100% .* 20$", text, flags=re.M), text
    assert not re.search(r"^opener ", text, flags=re.M)


def test_groups_of_few_deals_have_no_numbers() -> None:
    text = run("simulate", "--deals", "1000", "--policy", "points", "--by", "place").stdout
    assert re.search(r"^dealer +\d+ +- +- +- +-$", text, flags=re.M), text
    assert "-: fewer than 30 deals, not shown." in text


@pytest.mark.slow
def test_headline_names_groups_only_if_a_test_shows_a_difference() -> None:
    """The suit of the Return makes no difference: a false alarm in one of twenty runs."""
    runs, alarms, rules = 80, 0, KqjRules()
    for number in range(runs):
        played = Experiment(rules, ("random",) * 6, deals=400, first=400 * number)
        tally = reduce_rows(played, partial(Tally, played, ("return_suit",)), 1).result
        about = Run(
            "simulate", rules, ("random",) * 6, 1, 0, 400, 0.95, None, by=("return_suit",),
            players=tuple(player.text for player in played.players),
        )  # fmt: skip
        (headline,) = make_simulation_screen(about, tally.tables()).headline
        alarms += "Contracts made differ by" in headline
    assert 0 < alarms <= runs * 0.05 + 3.5 * (runs * 0.05 * 0.95) ** 0.5
    shown_to_differ = run(
        "simulate", "--deals", "4000", "--policy", "random+greedy", "--by", "sender_trumps",
    ).stdout  # fmt: skip
    assert re.search(r"differ by Sender.s trumps .chi-square p < 0.001.: most", shown_to_differ)


def test_two_columns_have_a_row_for_each_combination() -> None:
    text = shown(KqjRules(), seat(KqjRules(), "greedy"), by=("lap", "contract"))
    assert re.search(r"^1st +♠ ", text, flags=re.M)
    assert len(re.findall(r"^ +[♥♦♣] ", text, flags=re.M)) >= 3


def test_columns_of_groups_may_stand_between_commas() -> None:
    few = ("simulate", "--deals", "300", "--policy", "greedy")
    several = run(*few, "--by", "lap", "--by", "place", "--format", "json").stdout
    assert run(*few, "--by", "lap,place", "--format", "json").stdout == several


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("90", 90), ("0", 100), ("", 100)])
def test_output_to_a_pipe_is_as_wide_as_columns_says(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = run("simulate", "--deals", "50", "--policy", "greedy").stdout.splitlines()
    assert width - 20 < max(map(len, lines)) <= width


def test_numbers_are_those_of_the_tables() -> None:
    text = run("simulate", "--deals", "2000", "--policy", "standard").stdout
    found = run_json("simulate", "--deals", "2000", "--policy", "standard")
    tables = {table["name"]: table["rows"] for table in found["tables"]}
    made = next(each for each in tables["contracts"] if each["quantity"] == "made_share")
    lead = next(each for each in tables["scores"] if each["quantity"] == "score_difference_mean")
    assert text.startswith(f"{100 * made['value']:.1f}% ±")
    assert f"scores {lead['value']:.1f} ±" in text
    assert found["answer"][0].split()[0] == f"{100 * made['value']:.1f}%"


@pytest.mark.parametrize(("arguments", "told", "left_out"), [
    (["--policy", "always"], "Every deal was taken in the 1st lap by the opener.", "Takes  "),
    (["--impose", "opener:h"], "The opener makes", "Takes  "),
    (["--impose", "dealer:NT"], "contracts in NT", "Takes  "),
    (["--where", "lap == 7"], "No deal matches lap == 7.", "Bonuses"),
    (["--where", "lap == 7", "--by", "place"], "No deal matches lap == 7.", "deals  "),
    (["--policy", "standard:take=300,lap2=300"], "Every deal was passed out", "Bonuses"),
    (["--policy", "standard:take=300,lap2=300", "--by", "dealer"], "Every deal was", "─"),
    (["--deals", "1"], "The only contract", "Bonuses"),
    (["--bidding", "auction", "--impose", "3rd:AT:150"], "contracts of 150 AT", "Last bid"),
])  # fmt: skip
def test_empty_tables_become_sentences(arguments: list[str], told: str, left_out: str) -> None:
    done = run("simulate", "--deals", "300", "--policy", "greedy", *arguments)
    assert done.exit_code == 0, done.stderr
    assert told in " ".join(done.stdout.split())
    assert left_out not in done.stdout


def test_tables_are_shown_by_name() -> None:
    few = ("simulate", "--deals", "200", "--policy", "greedy")
    named = run(*few, "--tables", "bonuses,taking_by_place").stdout
    assert "Bonuses, by side" in named and "Deals taken, by place" in named
    assert "Scores of a round" not in named and "More:" not in named
    everything = run(*few, "--tables", "all").stdout
    listed = run(*few, "--tables", "list").stdout
    found = run_json(*few)
    assert [line.split()[0] for line in listed.splitlines()] == [
        table["name"] for table in found["tables"]
    ]
    for line in listed.splitlines():
        assert line.split("  ", 1)[1].strip() in everything


def test_list_names_the_tables_of_games() -> None:
    listed = run("simulate", "--games", "5", "--policy", "random", "--tables", "list").stdout
    assert {"games", "games_by_team"} <= {*listed.split()}


RANDOM: dict[str, Any] = {"policy": "random", "deals": 3000, "seed": 5}


def read_picture(result: SimulationResult) -> str:
    return "\n".join(read_texts(result.make_drawing().render("svg")))


def test_picture_says_the_result_the_run_and_the_numbers() -> None:
    result = kqj.simulate(**RANDOM, teams=3)
    texts = read_picture(result)
    for part in ("three teams", "random at every seat", "3,000 deals", "seed 5", "contracts are"):
        assert part in texts
    for quantity, group in (
        ("share_of_deals", {"lap": 2, "place": 3}),
        ("made_share", {"kind": "AT"}),
        ("contracting_total_median", {"contract": "h"}),
        ("kq_share", {"side": "defending"}),
    ):
        estimate = result.estimate(quantity, **group)
        unit = "points" if quantity.endswith("median") else "share"
        assert str(format_number(estimate, unit)) in texts, quantity


@pytest.mark.parametrize(("changes", "words"), [
    ({"bidding": "auction"}, ("Last bids, by place", "a suit", "AT")),
    ({"impose": "2nd:NT", "deals": 50}, ("Total of the contracting team", "upper quartile")),
    ({"policy": "random:take=0", "deals": 50}, ("no rounds were played",)),
    ({"deals": 1}, ("1 deal",)),
    ({"partners": "random", "deals": 400}, ("Fewer than 30 deals: NT, AT",)),
    ({"games": 20, "deals": None}, ("Games won, by team", "rounds in a game", "last trick")),
    ({"by": "place"}, ("opener (", "dealer (", "Made, by place", "made, % of taken deals")),
    ({"by": "lap,contract"}, (r"1st lap, ♥ \(", "Score lead, by lap and contract")),
    ({"by": "contracting_total", "deals": 400}, ("groups with fewer than 30 deals",)),
    ({"by": "lap", "policy": "always+random", "deals": 300}, ("Deals taken, by place",)),
    *(({"rules": rules}, SHARED[rules.game].PICTURE) for rules in OTHER_GAMES.values()),
    *(
        ({"rules": rules, "games": 20, "deals": None}, ("Games won, by team",))
        for rules in OTHER_GAMES.values()
    ),
])  # fmt: skip
def test_every_experiment_can_be_drawn(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    texts = read_picture(kqj.simulate(**RANDOM | changes))
    for word in words:
        assert word in texts or re.search(word, texts), word
    # Axes have no offsets.
    assert not re.search(r"^\+?\de\d", texts, re.M)
