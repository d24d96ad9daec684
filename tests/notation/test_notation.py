"""The notation: rounds as text and back, what follows from a text, and wrong lines."""

from __future__ import annotations

import io
import random
import re
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace

from kqj_sim.errors import RecordError
from kqj_sim.notation.files import explain_missing, find_round, read_file
from kqj_sim.notation.reader import read_rounds
from kqj_sim.notation.write import format_records
from kqj_sim.record import PartialRecord, Record, from_json, to_json
from kqj_sim.referee import check_record
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.text_files import iterate_lines
from tests.command_line import expect_error, run
from tests.games.every import SHARED, VARIANTS, name_rules
from tests.referee.random_rounds import random_game, random_record
from tests.variants import OTHER_GAMES

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
NAMES = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn"]


def read(text: str) -> list[Record | PartialRecord | RecordError]:
    return [record for _, record in read_rounds(text)]


def normalise(record: Record) -> Record:
    """Return a record with its cards and bonuses in a fixed order."""
    return replace(
        record,
        dealt=[sorted(hand) for hand in record.dealt],
        hands=record.hands and [sorted(hand) for hand in record.hands],
        bonuses=sorted(record.bonuses, key=repr),
    )


def assert_round_trip(records: list[Record]) -> None:
    back = read("".join(format_records(records)))
    assert len(back) == len(records)
    for record, found in zip(records, back, strict=True):
        assert isinstance(found, Record), found
        assert normalise(found) == normalise(record)


def example(number: int = 0) -> str:
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", GUIDE, re.MULTILINE)
    texts = [re.sub("^    ", "", each, flags=re.MULTILINE).lstrip("\n") for each in blocks]
    return [each for each in texts if "Players:" in each][number]


def read_one(text: str) -> Record | PartialRecord:
    (found,) = read(text)
    assert not isinstance(found, RecordError), found
    return found


def read_whole(text: str) -> Record:
    """Return the one round of a text of which everything is known."""
    found = read_one(text)
    assert isinstance(found, Record)
    return found


def expect_line(text: str, line: int, words: str) -> None:
    """Assert that a line of a text is wrong, and that the error says so in these words."""
    rounds = read_rounds(text)
    found = [(number, str(each)) for number, each in rounds if isinstance(each, RecordError)]
    assert found, "no error"
    assert found[0][0] == line, found
    assert words in found[0][1], found


@pytest.mark.parametrize("rules", VARIANTS, ids=name_rules)
def test_single_rounds_and_games_come_back_from_their_text(rules: GameRules) -> None:
    pending = cycle(SHARED[rules.game].PENDING)
    singles = [random_record(rules, seed, pending=next(pending)) for seed in range(12)]
    assert_round_trip(singles)
    assert_round_trip(random_game(rules, 3) + random_game(rules, 4))


def test_simulated_rounds_come_back_byte_by_byte(tmp_path: Path) -> None:
    played, text = tmp_path / "rounds.jsonl", tmp_path / "rounds.txt"
    options = ("--deals", "12", "--policy", "greedy", "--quiet")
    assert run("records", *options, "--out", str(played)).exit_code == 0
    assert run("records", "--from", str(played), "--out", str(text)).exit_code == 0
    back = run("records", "--from", str(text))
    assert back.exit_code == 0, back.output
    assert back.stdout == played.read_text()


def test_rare_records_come_back_from_their_text() -> None:
    rules = KqjRules(
        bidding="auction", counter_timing="turn", amount_uses="rounded", must_outscore=True,
        all_no_trump="never", max_amount=400, target=500,
    )  # fmt: skip
    assert_round_trip([random_record(rules, seed) for seed in range(6)])
    record = random_record(KqjRules(), 2)
    singles = [
        random_record(KqjRules(), 5, impose=FinalContract(2, "AT")),
        random_record(KqjRules(bidding="auction"), 5, impose=FinalContract(4, "h", 150)),
        *(
            replace(record, players=players)
            for players in (
                NAMES, ["Ann"] * 6, ["greedy"] * 6,
                ["a, b", "c:d", "e#f", "seat 2", "dealer", "Return"],
                ["Ann B.", "Ben", "Cem", "Ann C.", "Eva", "Zoë"],
            )
        ),
    ]  # fmt: skip
    for single in singles:
        assert_round_trip([single])


def test_a_record_against_the_rules_has_no_text() -> None:
    record = random_record(KqjRules(), 2)
    with pytest.raises(RecordError, match="breaks the rules"):
        list(format_records([replace(record, scores=[990, 0])]))
    with pytest.raises(RecordError, match="breaks the rules"):
        list(format_records([replace(record, tricks=record.tricks[::-1])]))


def test_the_examples_of_the_guide_are_whole_rounds() -> None:
    record = read_whole(example())
    assert record.players == NAMES
    assert check_record(record) == []
    first = read(example(1))[0]
    assert isinstance(first, Record)
    assert (first.result, first.game_id, first.round) == ("passed_out", 0, 0)


def test_the_error_in_the_guide_is_what_check_says() -> None:
    shown = re.search(
        r"With `(.*)` in place of `(.*)` above.*\n\n.*\n +friday.txt:(\d+): (.*)", GUIDE
    )
    assert shown is not None
    new, old, line, words = shown.groups()
    assert example().count(old) == 1
    expect_line(example().replace(old, new), int(line), words)


def test_the_notation_forgives_spelling() -> None:
    text = example()
    other = text.replace("♠", "S:").replace("♥", "h: ").replace("Calls: pass take", "calls P, TAKE")
    other = re.sub(r"(?m)^ +\d\. ", "  ", other).replace("Dealer: Ben", "DEALER Ben")
    other = "\ufeff" + "\n".join(f"   {line}" for line in other.splitlines())
    lines = iterate_lines(io.BytesIO(other.encode()), "friday.txt")
    ((_, found),) = read_file(lines)
    assert found == read_whole(text)


@pytest.mark.parametrize(
    "left_out", [r"Hands:\n(  .*\n)+", r"  8\. .*\n"], ids=["hands", "last trick"]
)
def test_hands_and_the_last_trick_follow_from_the_rest(left_out: str) -> None:
    record = replace(random_record(KqjRules(bidding="auction"), 8), players=NAMES)
    (text,) = format_records([record])
    assert record.tricks
    shorter = re.sub(left_out, "", text)
    assert shorter != text
    assert normalise(read_whole(shorter)) == normalise(read_whole(text))


def test_with_taking_the_five_cards_do_not_follow() -> None:
    found = read_one(re.sub(r"Hands:.*\n(  .*\n)+", "", example()))
    assert isinstance(found, PartialRecord)
    whole = read_whole(example())
    assert found.hands == whole.hands
    assert found.dealt == [None] * 6
    assert explain_missing(found).startswith("the five cards dealt to Ann, Ben")


def test_own_hand_and_plays_make_a_round_in_progress() -> None:
    text = example()
    hand = re.search(r"(  Ann: .*\n)", text)
    assert hand is not None
    own = re.sub(r"(?s)Hands:.*?Calls", f"Hands:\n{hand[1]}Calls", text)
    own = re.sub(r"(?s)  4\..*", "", own).replace("♣ 5 4\n", "♣ 5 4 + ♥ 8 ♦ 9 ♣ A\n")
    found = read_one(own)
    assert isinstance(found, PartialRecord)
    assert found.hands is not None
    assert [hand is not None for hand in found.hands] == [True] + [False] * 5
    assert explain_missing(found) == "the play breaks off after 18 cards"


def test_rounds_of_a_game_carry_scores_dealer_and_gratuities_over() -> None:
    game = [replace(each, players=NAMES) for each in random_game(KqjRules(), 12)]
    text = "".join(format_records(game))
    assert text.count("Dealer") == len(game)
    bare = re.sub(r"\nDealer: .*", "", text.replace("\nDealer", "\nFirst", 1)).replace(
        "\nFirst", "\nDealer", 1
    )
    bare = re.sub(r"\nPending: .*", "", bare)
    assert [normalise(each) for each in read(bare) if isinstance(each, Record)] == [
        normalise(each) for each in read(text) if isinstance(each, Record)
    ]


@pytest.mark.parametrize(
    ("damaged", "repaired"),
    [(r"4\. ", "4. K♠ "), (r"(?s)  8\. .*", ""), (r"(?s).*", "\n")],
    ids=["wrong", "unfinished", "left out"],
)
def test_no_gratuity_is_carried_over_an_unknown_round(damaged: str, repaired: str) -> None:
    litigation, between, after = random_game(KqjRules(), 50)[5:8]
    assert litigation.pending_after == 120
    before, text = "".join(format_records([litigation, between])).split("\n\n")
    *_, last = "".join(format_records([litigation, between, after])).split("\n\n")
    assert "Pending" not in last
    found = read("\n\n".join([before, re.sub(damaged, repaired, text, count=1), last]))[-1]
    assert isinstance(found, Record), found
    assert (found.round, found.pending_before, found.scores) == (None, 0, after.scores)


def test_all_pass_stands_for_the_passes_to_the_end() -> None:
    auction = "Game: KQJ, auctions\nCalls: pass 120h all pass\n"
    found = read_one(auction)
    assert found.calls is not None
    assert [call.call for call in found.calls] == ["pass", "bid", *["pass"] * 5]
    taking = read_one("Return: 9h\nCalls: all pass pass take NT\n")
    assert taking.calls is not None
    assert (len(taking.calls), taking.contract, taking.sender) == (8, "NT", 1)


def test_counters_name_players() -> None:
    text = "Game: KQJ, auctions\nPlayers: Ann, Ben, Cem, Dora, Eva, Finn\n"
    found = read_one(f"{text}Calls: 120h, countered by Dora, xx by Cem\n")
    assert found.calls is not None
    assert [call.seat for call in found.calls] == [0, 3, 2]
    assert found.stake == 4


WRONG = [
    ("Dealer: Ben", "Dealer: Bob", 5, "'Bob' is not a player: write one of Ann, Ben"),
    ("Dealer: Ben", "Daeler: Ben", 5, "did you mean Dealer?"),
    ("Return: 10♥", "Return: 1♥", 6, "is not a card"),
    ("Return: 10♥", "Return: 9♠", 8, "9s is the Return"),
    ("two teams", "2 teems", 2, "'2 teems' is not a game or a rule"),
    ("two teams", "four teams", 2, "'four teams' is not a game or a rule"),
    ("Ann, Ben,", "Ann,", 3, "5 names; there should be 6"),
    ("♥ J  ♦ A  ♣ H", "♥ J  ♦ A", 9, "Dora has 4 cards; with taking write the 5 dealt"),
    ("Dora: ♠ K 8", "Dora: ♠ 9 8", 9, "Cem and Dora both have 9s"),
    ("Eva: ♠ H", "Eve: ♠ H", 10, "'Eve' is not a player"),
    ("pass take", "pass take x", 14, "Calls: call 3"),
    ("pass take", "pass talk", 14, "'talk', is not a call"),
    (
        "pass take\n",
        "pass\nContract: h by Cem\n",
        15,
        "Contract: the calls make another one, or none",
    ),
    ("pass take\n", "pass take\nContract: d by Cem\n", 15, "Contract: the calls make another one"),
    ("Result: ", "Result: great ", None, "Result"),
]


@pytest.mark.parametrize("old, new, line, words", WRONG)
def test_a_wrong_line_has_its_number_and_what_would_be_right(
    old: str, new: str, line: int | None, words: str
) -> None:
    text = example()
    assert text.count(old) == 1
    expect_line(text.replace(old, new), line or len(text.splitlines()), words)


def test_results_and_points_are_checked() -> None:
    text = example()
    record = read_whole(text)
    last = len(text.splitlines())
    result = re.search(r"Result: .*", text)
    assert result is not None
    wrong = text.replace(result[0], "Result: litigation")
    expect_line(wrong, last, "litigation is written, but the plays give")
    points = " : ".join(map(str, record.totals))
    assert isinstance(read_one(text + f"Points: {points}\n"), Record)
    expect_line(
        text + "Points: 1 : 2\n", last + 1, f"1 : 2 is written, but the plays give {points}"
    )


def test_plays_against_the_rules_are_named() -> None:
    text = example()
    lines = text.splitlines()
    number = next(k for k, line in enumerate(lines, start=1) if line.strip().startswith("2."))
    cards = lines[number - 1].split()
    swapped = "  2. " + " ".join([cards[1], *cards[3:4], cards[2], *cards[4:]])
    expect_line("\n".join([*lines[: number - 1], swapped, *lines[number:]]), number, "trick 2")
    doubled = lines[number - 1].replace(cards[3], cards[2])
    expect_line("\n".join([*lines[: number - 1], doubled, *lines[number:]]), number, "twice")


def test_mutated_texts_give_rounds_or_errors_of_their_lines() -> None:
    kinds = (KqjRules(bidding="auction", teams=3), *OTHER_GAMES.values())
    rounds = [record for rules in kinds for record in random_game(rules, 6)[:2]]
    texts = [example(), example(1), *("".join(format_records([each])) for each in rounds)]
    draw = random.Random(7)
    signs = " \n:,.#+\"'19TKhs♠♥xé\x00\u2028/-"
    for text in texts:
        for _ in range(250):
            mutated = list(text)
            for _ in range(draw.randint(1, 4)):
                place = draw.randrange(len(mutated))
                kind = draw.randrange(4)
                if kind == 0:
                    mutated[place] = draw.choice(signs)
                elif kind == 1:
                    del mutated[place : place + draw.randint(1, 12)]
                elif kind == 2:
                    mutated.insert(place, draw.choice(signs))
                else:
                    start = draw.randrange(len(mutated))
                    mutated[place:place] = mutated[start : start + draw.randint(1, 60)]
            count = "".join(mutated).count("\n") + 1
            for line, found in read_rounds("".join(mutated)):
                assert 1 <= line <= count
                if isinstance(found, Record):
                    assert check_record(found) == []
                if isinstance(found, RecordError):
                    assert "\n" not in str(found)
                    assert str(found)


def test_files_that_are_neither_give_one_line(tmp_path: Path) -> None:
    for content in (b"", b"\n\n", b"\xff\xfe", b"hello", b"Game: chess", b"Players: Ann"):
        path = tmp_path / "file"
        path.write_bytes(content)
        assert "Error: " in expect_error(run("show", str(path)), 1)


def test_a_line_of_a_file_names_its_round() -> None:
    text = "# two rounds\n\nGame: KQJ, auctions\nCalls: all pass\n\nRound\nCalls: 120h all pass\n"
    lines = text.encode().splitlines(keepends=True)
    starts = [line for line, _ in read_file(lines)]
    assert starts == [4, 6]
    for line in range(1, 8):
        found = find_round(lines, line)
        assert found is not None
        assert found.line == (4 if line < 6 else 6)


def test_commands_read_texts(tmp_path: Path) -> None:
    path = tmp_path / "friday.txt"
    path.write_text(example(), encoding="utf-8")
    shown = run("show", str(path))
    assert shown.exit_code == 0
    assert "Round on line 5" in shown.stdout
    assert "Ann at seat 0" in shown.stdout
    assert run("check", str(path)).exit_code == 0
    record = from_json(run("records", "--from", str(path)).stdout)
    assert to_json(record) == to_json(read_whole(example()))
    asked = run("odds", "--record", str(path), "--at", "7.2", "--deals", "100", "--quiet")
    assert asked.exit_code == 0, asked.output


def test_a_round_in_progress_is_shown_and_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "friday.txt"
    path.write_text("Return: 9h\nHands:\n  opener: 8h 7h Ah Ks 4d\nCalls: take\n")
    shown = run("show", str(path))
    assert shown.exit_code == 0
    assert "Hands that are empty are not known" in shown.stdout
    line = expect_error(run("records", "--from", str(path)), 1)
    assert "this round is not known in full" in line
    checked = run("check", str(path))
    assert checked.exit_code == 0
    assert "Rounds not known in full: 1" in checked.stderr


@pytest.mark.parametrize(
    "line", ["Game: KQJ, to 1.000", "Scores before: 1.340 280", "Pending: 1.200"]
)
def test_numbers_that_can_be_meant_in_two_ways_are_refused(line: str) -> None:
    header = "Players: Ann, Ben, Cem, Dora, Eva, Finn\n"
    _, found = next(read_rounds(f"{header}{line}\nRound 2\nDealer: Ann\n{line}\nCalls: pass\n"))
    assert "can mean 1" in str(found)
