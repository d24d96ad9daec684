"""Arguments of the public functions: what is accepted, and the errors of the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kqj_sim as kqj
from kqj_sim.api.arguments import (
    ArgumentError,
    collect_rules,
    convert_policies,
    join_items,
    parse_positive_number,
    parse_share_width,
    parse_turn,
    parse_whole_number,
    read_place,
    read_places,
)
from kqj_sim.cards import parse_cards
from kqj_sim.rules import KqjRules, KwajongenRules
from tests.command_line import expect_error, run

RULES = KqjRules()


@pytest.mark.parametrize("number", [1_000_000, 1e6, "1e6", "1M", "1,000,000", "1_000_000"])
def test_whole_numbers_are_written_as_on_the_command_line(number: object) -> None:
    assert parse_whole_number(number, 1, "1e6") == 1_000_000


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("1.000", "1 or 1000"), ("12.500", "12.5 or 12500"), ("1.500k", "1500 or 1500000"),
        ("1,500 k", "1500 or 1500000"),
    ],
)  # fmt: skip
def test_numbers_that_can_be_meant_in_two_ways_are_refused(text: str, readings: str) -> None:
    with pytest.raises(ArgumentError, match=f"can mean {readings}"):
        parse_whole_number(text, 1, "1e6")


def test_python_numbers_mean_one_thing() -> None:
    assert parse_whole_number(1.000, 1, "1e6") == 1
    assert parse_positive_number(1.125) == 1.125
    assert (parse_share_width(0.5), parse_share_width("50%"), parse_share_width("0.005")) == (
        0.5, 0.5, 0.005,
    )  # fmt: skip
    assert read_place("--place", 3, RULES) == 3
    for text in ("1.125", "1,125"):
        with pytest.raises(ArgumentError, match=r"can mean 1\.125 or 1125"):
            parse_positive_number(text)
    with pytest.raises(ArgumentError, match=r"0\.5 can mean 50% or 0\.5%"):
        parse_share_width("0.5")
    with pytest.raises(ArgumentError, match="write 3rd or 4th"):
        read_place("--place", "3", RULES)


@pytest.mark.parametrize("option", ["--deals", "--seed", "--target", "--max-amount", "--first"])
def test_every_way_to_give_a_number_refuses_two_readings(tmp_path: Path, option: str) -> None:
    name = option[2:].replace("-", "_")
    file = tmp_path / "kqj.toml"
    file.write_text(f"{name} = 1.000\n", encoding="utf-8")
    variable = {f"KQJ_SIM_SIMULATE_{name.upper()}": "1.000"}
    for done in (
        run("simulate", option, "1.000"), run("simulate", "--config", str(file)),
        run("simulate", env=variable),
    ):  # fmt: skip
        assert "can mean 1 or 1000" in expect_error(done)


@pytest.mark.parametrize("number", [0, -3, 2.5, True, "many", float("nan"), float("inf"), 1e30])
def test_other_numbers_are_refused(number: object) -> None:
    with pytest.raises(ArgumentError, match="it is a whole number from 1, such as 1e6, not "):
        parse_whole_number(number, 1, "1e6")


@pytest.mark.parametrize(
    ("policy", "seats"),
    [
        ("greedy", ["greedy"] * 6),
        (["greedy"], ["greedy"] * 6),
        (Path("folder/mine.py"), ["folder/mine.py"] * 6),
        (["random", *["greedy"] * 5], ["random", *["greedy"] * 5]),
        (("random", "greedy") * 3, ["random", "greedy"] * 3),
        ({"all": "greedy", "seat0": "random"}, ["random", *["greedy"] * 5]),
        ({"team0": "random", "team1": "greedy"}, ["random", "greedy"] * 3),
        (["greedy", "seat5=random"], [*["greedy"] * 5, "random"]),
        (None, ["points+network"] * 6),
    ],
)
def test_policies_of_a_table(policy: Any, seats: list[str]) -> None:
    assert list(convert_policies(policy, RULES)) == seats


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (["greedy"] * 4, "4 policies: give one, one for each seat"),
        ({"seat9": "greedy"}, "the seats are seat0 to seat5"),
        ({"team0": ""}, "names no policy"),
        (7, "'7' is not a policy"),
        ([], "0 policies"),
    ],
)
def test_other_policies_are_refused(policy: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        convert_policies(policy, RULES)


def test_rules_are_given_whole_or_by_their_fields() -> None:
    rules = KqjRules(teams=3, bidding="auction")
    assert collect_rules(rules, {}, "play") is rules
    assert collect_rules(None, {"teams": 3, "bidding": "auction"}, "play") == rules
    assert collect_rules(None, {"game": "kwajongen"}, "play") == KwajongenRules()
    with pytest.raises(ArgumentError, match="rules and teams: give one of them"):
        collect_rules(rules, {"teams": 3}, "play")
    with pytest.raises(TypeError, match=r"play\(\) got .* 'team': did you mean teams"):
        collect_rules(None, {"team": 3}, "play")
    with pytest.warns(UserWarning, match="--max-amount has no effect with --bidding take"):
        collect_rules(None, {"max_amount": 200}, "play")


def test_cards_and_places_are_texts_or_lists() -> None:
    cards = parse_cards("9h Ah Ks")
    assert join_items(cards) == join_items(["9h", "Ah", "Ks"]) == "9h Ah Ks"
    assert read_place("--place", "3rd", RULES) == read_place("--place", 2, RULES) == 2
    assert read_places("--partners-at", ["2nd", 5], RULES) == (1, 5)
    assert parse_turn(3.2) == parse_turn("3.2") == parse_turn((3, 2)) == (3, 2)


def test_lists_are_written_as_on_the_command_line(tmp_path: Path) -> None:
    few: dict[str, Any] = {"deals": 100, "policy": "standard"}
    round = kqj.play(deal=3, policy="standard")
    search: dict[str, Any] = {"opponents": "standard", "deals": 64, "generations": 1, "confirm": 64}
    calls: list[tuple[Callable[..., Any], list[str]]] = [
        (lambda by: kqj.simulate(by=by, **few), ["lap", "place"]),
        (lambda by: kqj.review(round, samples=10, by=by), ["trick", "kind"]),
    ]
    for call, names in calls:
        wanted = call(names).to_json()
        for given in (",".join(names), ", ".join(names), " ".join(names), [",".join(names)]):
            assert call(given).to_json() == wanted
    frame = kqj.simulate(**few).frame("deal, contract")
    assert [*frame] == ["deal", "contract"]
    both = kqj.tune("standard", "take, lap2", **search)
    assert both.best == kqj.tune("standard", ["take", "lap2"], **search).best
    chosen = kqj.review(round, samples=10, seat="seat0,seat3").to_json()
    assert chosen == kqj.review(round, samples=10, seat=[0, 3]).to_json()
    with pytest.raises(ArgumentError, match=r"^--seat: 'nobody' is not a player"):
        kqj.review(round, seat="nobody")
    with pytest.raises(ArgumentError, match="--compare standard alone"):
        kqj.report(tmp_path / "report", compare="standard")


HAND = "9h 8h Ah Ks 4d"


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("simulate --teams 4", lambda: kqj.simulate(teams=4)),  # type: ignore[arg-type]
        ("simulate --deals 5 --games 5", lambda: kqj.simulate(deals=5, games=5)),
        ("simulate --policy brave", lambda: kqj.simulate(policy="brave")),
        ("simulate --policy seat7=greedy", lambda: kqj.simulate(policy={"seat7": "greedy"})),
        ("simulate --by plase", lambda: kqj.simulate(by="plase")),
        ("simulate --where lap=2", lambda: kqj.simulate(where="lap=2")),
        ("simulate --impose 9:h", lambda: kqj.simulate(impose="9:h")),
        ("simulate --void-rule free", lambda: kqj.simulate(void_rule="free")),
        ("compare standard", lambda: kqj.compare("standard")),
        ("compare standard standard", lambda: kqj.compare("standard", "standard")),
        ("compare standard greedy --deals 5 --precision 1",
         lambda: kqj.compare("standard", "greedy", deals=5, precision=1)),
        ("compare standard greedy --with random",
         lambda: kqj.compare("standard", "greedy", other_part="random")),
        ("sweep standard --vary tak=1,2", lambda: kqj.sweep("standard", "tak=1,2")),
        ("tune standard --parameters tak", lambda: kqj.tune("standard", "tak")),
        ("odds 9h 8h Ah Ks 4d", lambda: kqj.odds(HAND)),
        ("odds 9h 8h Ah Ks --return 7h", lambda: kqj.odds(HAND[:-3], return_card="7h")),
        ("odds 9h 8h Ah Ks 4d --return 7h --place 9th",
         lambda: kqj.odds(HAND, return_card="7h", place="9th")),
        ("odds 9h 8h Ah Ks 4d --return 7h --at 3.2",
         lambda: kqj.odds(HAND, return_card="7h", at="3.2")),
        ("odds Ah 9h Ks Tc --game kwajongen --return Jh --lap 2",
         lambda: kqj.odds("Ah 9h Ks Tc", game="kwajongen", return_card="Jh", lap=2)),
        ("records --deals 5 --games 5", lambda: kqj.records(deals=5, games=5)),
        ("report --out x --compare standard", lambda: kqj.report("x", compare=["standard"])),
    ],
)  # fmt: skip
def test_wrong_arguments_have_the_message_of_the_command_line(
    words: str, call: Callable[[], object]
) -> None:
    told = expect_error(run(*words.split()))
    with pytest.raises(ValueError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    # Click names choices of an option itself.
    if "Invalid value" in told:
        assert message.startswith("teams ") and message.endswith(": use 2 or 3")
    else:
        assert message == told.removeprefix("Error: ").strip()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("deals", lambda: kqj.simulate(deals=0)),
        ("seed", lambda: kqj.simulate(seed=-1)),
        ("confidence", lambda: kqj.simulate(confidence=2)),
        ("precision", lambda: kqj.odds(HAND, return_card="7h", precision="5")),
        ("precision", lambda: kqj.compare("standard", "greedy", precision=-1)),
        ("games", lambda: kqj.compare("standard", "greedy", games="some")),
        ("at", lambda: kqj.odds(record="none.json", at="9.9")),
    ],
)
def test_errors_of_numbers_name_the_argument(name: str, call: Callable[[], object]) -> None:
    with pytest.raises(ArgumentError, match=f"^{name}: it "):
        call()


def test_numbers_of_functions_are_written_as_on_the_command_line() -> None:
    played = kqj.play(deal=3, policy="standard")
    few = kqj.review(played, samples=2, seat=0, worst="1e0", threads="2")
    assert few.key == kqj.review(played, samples=2, seat=0, worst=1, threads=2).key
    calls: list[Callable[..., Any]] = [
        kqj.simulate, kqj.compare, partial(kqj.sweep, "points", "take=30,40"),
        partial(kqj.tune, "points", "take"), partial(kqj.odds, "9h 8h Ah Ks 4d", return_card="7h"),
        partial(kqj.review, played), partial(kqj.report, "unused"),
    ]  # fmt: skip
    for call in calls:
        for wrong in ("none", 0, "1.000"):
            with pytest.raises(ArgumentError, match=r"^threads: "):
                call(threads=wrong)
    with pytest.raises(ArgumentError, match=r"^worst: "):
        kqj.review(played, worst=-1)


def test_frames_have_no_infinite_bounds() -> None:
    """Too few deals have no interval: NaN, as in files, in every frame."""
    frames = [
        kqj.sweep("points", "take=30,40", deals=5).frame(),
        kqj.compare("points", "standard", deals=5).frame(),
        kqj.odds("9h 8h Ah Ks 4d", return_card="7h", deals=5).frame(),
        kqj.review(policy="points", deals=1, samples=5, seat=0).frame(),
        kqj.simulate(deals=5, policy="points").tables["scores"],
    ]
    for frame in frames:
        numbers = frame.select_dtypes("float64")
        assert not np.isinf(numbers.to_numpy()).any()
    assert any(frame.isna().to_numpy().any() for frame in frames)
