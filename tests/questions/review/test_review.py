"""The command `review`: its screen, its JSON, the commands it names, and damaged records."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.output.sentences import say
from kqj_sim.questions.review import screen
from kqj_sim.questions.review.tables import replace_players
from kqj_sim.record import to_json
from kqj_sim.stats.intervals import Estimate, make_count
from kqj_sim.stats.tables import Table, TableRow
from tests.command_line import expect_error, run, run_json
from tests.imports import ROOT

ROUND = kqj.records(deals=1, first=3, policy="greedy")[0]
AUCTION = kqj.records(deals=1, first=1, policy="greedy", bidding="auction")[0]
FEW = ("--samples", "20", "--reference", "points+greedy")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "round.jsonl"
    path.write_text(to_json(ROUND) + "\n", encoding="utf-8")
    return path


def review(*arguments: str, **settings: object) -> Any:
    return run_json("review", *arguments, *FEW, "--quiet", **settings)


@pytest.fixture(scope="module")
def whole() -> Any:
    """The JSON of a review of the round, which comes from stdin."""
    return review("-", "--hidden", input=to_json(ROUND).encode())


def test_screen_has_the_result_and_commands_that_run(file: Path) -> None:
    done = run("review", str(file), *FEW, "--error-rate", "0", env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) <= 40
    commands = [line.strip() for line in lines if line.startswith("  kqj-sim odds")]
    assert len(commands) == 3
    for command in commands:
        odds = run(*shlex.split(command)[1:], "--deals", "64")
        assert odds.exit_code == 0, odds.output


def test_json_has_the_keys_of_the_document_and_no_others(whole: dict[str, Any]) -> None:
    assert whole["source"] == "-"
    document = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)`", document))
    told |= {f"{name}_{end}" for name in told for end in ("low", "high")}
    (played,) = whole["rounds"]
    objects = [whole, played, *played["decisions"], *played["players"], *played["timeline"]]
    objects += [option for decision in played["decisions"] for option in decision["options"]]
    (hidden, *_) = played["decisions"][0]["hidden"]
    objects += [hidden, *hidden["places"]]
    objects += [*played["luck"]["seats"], *played["totals"]["teams"]]
    assert {key for each in objects for key in each} <= told
    steps = ["start", *(decision["at"] for decision in played["decisions"])]
    assert [step["at"] for step in played["timeline"]] == steps


def test_options_hold_the_choice_and_totals_are_sums(whole: dict[str, Any]) -> None:
    (played,) = whole["rounds"]
    for decision in played["decisions"]:
        names = [option["name"] for option in decision["options"]]
        assert {decision["choice"], decision["best"], decision["reference_choice"]} <= {*names}
        assert names[0] == decision["best"]
    for total in played["totals"]["seats"]:
        own = [each for each in played["decisions"] if each["seat"] == total["seat"]]
        assert total["decisions"] == len(own)
        assert total["mistakes"] == sum(each["mistake"] for each in own)
        assert total["loss_points"] == pytest.approx(sum(each["loss_points"] for each in own))


def test_plays_weigh_hidden_hands_unless_they_are_ignored(file: Path) -> None:
    def effective_shares(*options: str) -> list[float]:
        (played,) = review(str(file), "--ignore-calls", *options)["rounds"]
        late = [each for each in played["decisions"] if each["at"][0] in "3456" and each["n"]]
        assert all(("--ignore-plays" in each["command"]) == bool(options) for each in late)
        return [each["effective_n"] / each["n"] for each in late if not each["exact"]]

    assert min(effective_shares("--ignore-plays")) > 1 - 1e-9
    assert np.mean(effective_shares()) < 0.9


@pytest.mark.slow
def test_same_seed_gives_the_same_numbers_whatever_the_threads(file: Path) -> None:
    one, two = (review(str(file), "--threads", threads) for threads in "12")
    assert one == two
    assert review(str(file), "--seed", "2")["rounds"] != one["rounds"]


def test_seat_grades_the_decisions_of_a_seat(whole: dict[str, Any], file: Path) -> None:
    (part,) = review(str(file), "--seat", "seat2")["rounds"]
    own = [each["at"] for each in whole["rounds"][0]["decisions"] if each["seat"] == 2]
    assert [decision["at"] for decision in part["decisions"]] == own
    assert part["luck"] is None


def test_counters_that_were_not_made_can_be_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "auction.jsonl"
    path.write_text(to_json(AUCTION), encoding="utf-8")
    (played,) = review(str(path), "--ignore-calls")["rounds"]
    declined = [each for each in played["decisions"] if each["choice"] == "no counter"]
    assert declined
    at = declined[0]["at"]
    shown = run("odds", "--record", str(path), "--at", at, "--policy", "greedy", "--deals", "64")
    assert shown.exit_code == 0, shown.output
    assert "ounter" in shown.stdout.splitlines()[0]


def test_rounds_of_a_policy_are_grouped_and_named_by_commands_that_run() -> None:
    options = ("--policy", "greedy", "--deals", "2", "--teams", "3", "--by", "trick,kind")
    found = review(*options)
    table = next(each for each in found["tables"] if each["name"] == "loss_by")
    assert table["groups"] == ["trick", "kind"]
    writes, asks = found["worst"][0]["command"].split(" | ")
    written = run(*shlex.split(writes)[1:])
    assert written.exit_code == 0
    shown = run(*shlex.split(asks)[1:], "--deals", "64", input=written.stdout)
    assert shown.exit_code == 0, shown.output


def test_damaged_records_get_a_line_each_and_the_others_are_reviewed(file: Path) -> None:
    good = to_json(ROUND)
    forged = good.replace('"dealer":', '"dealer":1', 1)
    file.write_text(f"{good[:500]}\n{forged}\n\n{good}\nx\n", encoding="utf-8")
    done = run("review", str(file), *FEW)
    assert done.exit_code == 1
    errors = [line for line in done.stderr.splitlines() if line.startswith(f"{file}:")]
    assert [line.removeprefix(f"{file}:").split(":")[0] for line in errors] == ["1", "2", "5"]
    assert "points" in done.stdout


def test_formats_and_the_python_function_agree(whole: dict[str, Any], tmp_path: Path) -> None:
    result = kqj.review(ROUND, samples=20, reference="points+greedy", hidden=True)
    assert json.loads(result.to_json())["rounds"] == whole["rounds"]
    assert len(repr(result)) < 1000
    assert "<table" in result._repr_html_()
    assert len(result.frame()) == len(whole["rounds"][0]["decisions"])
    for suffix in ("csv", "md", "txt"):
        result.save(tmp_path / f"review.{suffix}")
        assert (tmp_path / f"review.{suffix}").stat().st_size > 500


NAMES = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn"]


@pytest.mark.slow
def test_names_stand_for_places_on_the_screen_the_page_and_in_seat(tmp_path: Path) -> None:
    path = tmp_path / "named.jsonl"
    path.write_text(to_json(msgspec.structs.replace(ROUND, players=NAMES)) + "\n", encoding="utf-8")
    screen = run("review", str(path), *FEW).stdout
    page = tmp_path / "named.html"
    assert run("review", str(path), *FEW, "--out", str(page)).exit_code == 0
    headline = re.findall(r'<p class="headline">(.*?)</p>', page.read_text(encoding="utf-8"))
    for text in (screen, " ".join(headline)):
        assert not re.search(r"\b(opener|2nd|3rd|4th|5th|dealer)\b", text)
    opener = NAMES[(ROUND.dealer + 1) % 6]
    by_name, by_place = (review(str(path), "--seat", seat) for seat in (opener, "opener"))
    assert by_name == by_place and by_name["rounds"][0]["decisions"]
    unknown = run("review", str(path), *FEW, "--seat", "Zoe")
    assert "write one of Ann, Ben" in expect_error(unknown)


def test_rounds_without_the_player_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "season.jsonl"
    records = [json.loads(kqj.show(deal=deal, policy="standard").to_json()) for deal in (3, 4, 5)]
    for number, record in enumerate(records):
        last = "Zoe" if number == 1 else "Finn"
        record["players"] = ["Ann", "Ben", "Cem", "Dora", "Eva", last]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    done = run("review", str(path), *FEW, "--seat", "Zoe")
    assert done.exit_code == 0
    assert "Left out: 2 of 3 rounds, without Zoe at the table" in done.stderr
    assert "Left out" not in run("review", str(path), *FEW, "--seat", "Ann").stderr


def test_names_that_differ_in_case_are_one_player_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "friday.jsonl"
    tables = NAMES, ["ANN", *NAMES[1:]], ["ann", *NAMES[1:]]
    records = [msgspec.structs.replace(ROUND, players=[*names]) for names in tables]
    path.write_text("".join(f"{to_json(record)}\n" for record in records), encoding="utf-8")
    done = run("review", str(path), *FEW, "--tables", "players", "--format", "csv")
    assert re.search(r"players,Ann,\w+,,,,,,,,,rounds,count,3", done.stdout)
    assert "ANN" not in done.stdout
    for other in ("ANN", "ann"):
        assert f"'{other}' and 'Ann' are counted as one player" in done.stderr


def test_players_whose_cards_are_not_known_have_no_rank(tmp_path: Path) -> None:
    path = tmp_path / "friday.txt"
    rounds = [
        f"Round\nDealer: {dealer}\nReturn: 9h\nCalls: take\nHands:\n  {opener}: 8h Ah Kh 5d 6c\n"
        for dealer, opener in (("Finn", "Ann"), ("Ann", "Ben"))
    ]
    path.write_text(f"Players: {', '.join(NAMES)}\n" + "".join(rounds), encoding="utf-8")
    found = kqj.review(path, samples=20, reference="points+greedy")
    players = found.tables["players"]
    assert set(players[players.quantity == "rank"].player) == {"Ann", "Ben"}


def test_a_few_rounds_without_hands_have_sums_scores_and_names(tmp_path: Path) -> None:
    path = tmp_path / "friday.jsonl"
    game = list(kqj.records(games=1, policy=["standard"] * 3 + ["greedy"] * 3))[:3]
    named = [msgspec.structs.replace(record, players=NAMES) for record in game]
    path.write_text("".join(f"{to_json(record)}\n" for record in named), encoding="utf-8")
    typed = run("records", "--from", str(path), "--format", "text").stdout
    text = re.sub(r"Hands:\n(  \w+: .*\n)+", "", typed)
    assert text != typed
    path = tmp_path / "friday.txt"
    path.write_text(text, encoding="utf-8")
    shown = run("review", str(path), *FEW).stdout
    assert "±?" not in shown and not re.search(r" -\d[^\n]*points lost", shown)
    found = review(str(path))
    answer = " ".join(found["answer"])
    assert re.match(r"\w+ lost most, .* points in 3 rounds; \w+ lost least, ", answer)
    scores = sorted(game[-1].score_after or [], reverse=True)
    assert re.search(rf"Game 1, after 3 rounds: .* {scores[0]} : {scores[1]}\.", answer)
    rounds = found["rounds"]
    assert [each["title"] for each in rounds] == [f"Game 1, round {n}" for n in (1, 2, 3)]
    assert [each["scores"] for each in rounds] == [record.scores for record in game]
    assert [each["result"] for each in rounds] == [record.result for record in game]
    assert rounds[-1]["scores_after"] == game[-1].score_after
    assert found["worst"][0]["text"].startswith("Game 1, round ")
    other = tmp_path / "saturday.txt"
    other.write_text(text, encoding="utf-8")
    of_both = " ".join(review(str(path), str(other))["answer"])
    assert all(f"{each}, game 1, after 3 rounds: " in of_both for each in (path, other))


def test_several_files_and_folders_are_one_review(file: Path) -> None:
    (file.parent / "empty.txt").touch()
    (file.parent / "notes.md").write_text("no rounds", encoding="utf-8")
    done = run("review", str(file.parent), str(file), *FEW, "--format", "json")
    assert done.exit_code == 1
    assert [
        line for line in done.stderr.splitlines() if "empty.txt:1: there are no records" in line
    ]
    rounds = json.loads(done.stdout)["rounds"]
    assert [played["file"] for played in rounds] == [str(file), str(file)]
    assert rounds[0] == rounds[1]
    command = rounds[1]["decisions"][0]["command"]
    assert f"--record {file} --line 1" in command
    missing = run("review", str(file), str(file.parent / "missing"), *FEW)
    assert "missing: No such file" in expect_error(missing, 1)
    several = run("review", str(file), str(file), "--line", "1")
    assert "--line 1 can be of any of 2 files" in expect_error(several)


def test_players_are_ranked_by_what_they_lose_without_luck() -> None:
    played = list(kqj.records(deals=10, seed=3, policy=["standard"] * 3 + ["greedy"] * 3))
    records = [msgspec.structs.replace(record, players=NAMES) for record in played]
    found = kqj.review(records, samples=20, reference="points+greedy", by="player")
    numbers = found.tables["players"].groupby("quantity").value.agg(list)
    ranks, losses = numbers["rank"], numbers["rated_loss_points_per_round"]
    assert ranks[0] == 1 and losses == sorted(losses)
    assert sum(losses) == pytest.approx(found.estimate("loss_points_per_round", "loss").value)
    assert "Who played best" in str(found.key)


def make_loss(value: float, reach: float) -> Estimate:
    return Estimate(value, value - reach, value + reach, 300)


@pytest.mark.parametrize(("tied", "text"), [
    ([], "Ben lost most, 34 ±9 points in 3 rounds; Finn lost least, 4.9 ±2.0."),
    (["Finn"], "Finn played best: 4.9 ±2.0 points lost a round; Ben 34 ±9."),
    (["Finn", "Ann"],
     "Finn and Ann are tied for the best: they lost 4.9 ±2.0 to 7 ±2 points a round, "
     "Ben 34 ±9."),
    (["Finn", "Ann", "Ben"],
     "Nobody is shown to play better than another: Finn lost 4.9 ±2.0 points a round, "
     "Ben 34 ±9."),
])  # fmt: skip
def test_the_answer_says_who_is_shown_to_play_best(tied: list[str], text: str) -> None:
    losses = {"Finn": make_loss(4.9, 2), "Ann": make_loss(7, 2), "Ben": make_loss(34, 9)}
    assert say(screen.__name__, "best", losses, tied, 3, "points") == text


def test_nobody_lost_most_if_nobody_lost() -> None:
    sentences = [
        say(screen.__name__, "round_losses", 1, 0, "Ann", make_loss(value, 0.5), "points")
        for value in (0.0, 3.0)
    ]
    assert sentences == [
        "1 decision, no mistake shown.",
        "1 decision, no mistake shown; Ann lost most: 3.0 ±0.5 points.",
    ]


def test_of_many_games_the_answer_counts_those_won() -> None:
    won = say(screen.__name__, "wins", 32, [("Ann and Cem", 21), ("Ben and Dora", 11)])
    assert won == "Ann and Cem won 21 of 32 games, Ben and Dora won 11."


def test_several_rounds_without_a_decision_of_the_player_say_so(tmp_path: Path) -> None:
    path = tmp_path / "friday.txt"
    known = "Hands:\n  Ann: 8h Ah Kh 5d 6c + 9h Qh Ac\nTricks:\n  8h 7h Jh 4h 5h Th\n"
    head = f"Players: {', '.join(NAMES)}\nDealer: Finn\nReturn: 9h\nCalls: take\n"
    path.write_text(2 * (head + known), encoding="utf-8")
    done = run("review", str(path), *FEW, "--seat", "Ben")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("2 rounds: no decision to grade.\n")


def test_mistakes_and_the_worst_decisions_matter() -> None:
    played = kqj.records(deals=1, seed=7, policy="greedy")
    found = kqj.review(played, samples=50, reference="points+greedy")
    frame = found.frame()
    small = frame[(frame.loss_points < 1) & (frame.loss_win_share < 0.01)]
    shown = small[small.loss_points_low.fillna(small.loss_points) > 0]
    assert len(shown) and not small.mistake.any()
    assert not any("was worth 0." in sentence for sentence in found.worst)


def test_players_and_their_opponents_have_labels_and_other_columns_do_not() -> None:
    rows: list[TableRow] = [(("long", 3, "other", "long"), "rounds", make_count(5))]
    columns = ("player", "line", "other", "kind")
    table = Table("differences", "Differences", columns, rows, "", False, game="kqj")
    labelled = replace_players(table, {"long": "short", "other": "short (2)"})
    assert [line[0] for line in labelled.lines] == [("short", 3, "short (2)", "long")]
    assert [line[1:] for line in labelled.lines] == [line[1:] for line in table.lines]
