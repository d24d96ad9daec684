"""Arguments of the public functions: what is accepted."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from decimal import Context, Decimal, Inexact, localcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kqj_sim as kqj
from kqj_sim.arguments import (
    collect_rules,
    join_items,
    parse_players,
    parse_positive_number,
    parse_share_width,
    parse_turn,
    parse_whole_number,
    read_place,
    read_places,
)
from kqj_sim.cards import parse_cards
from kqj_sim.errors import InputError
from kqj_sim.messages import LONGEST_LINE
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.play import parse_parameter_values
from kqj_sim.rules import KqjRules
from tests.command_line import read_error

RULES = KqjRules()
api: Any = kqj
"""The package, for values of other types than it takes."""


@pytest.mark.parametrize("number", [1_000_000, 1e6, "1e6", "1M", "1,000,000", "1_000_000"])
def test_whole_numbers_are_written_as_on_the_command_line(number: object) -> None:
    assert parse_whole_number(number, 1, "1e6") == 1_000_000


def test_python_numbers_mean_one_thing() -> None:
    assert parse_whole_number(1.000, 1, "1e6") == 1
    assert parse_positive_number(1.125) == 1.125
    assert [*map(parse_share_width, (0.5, "50%", "0.005"))] == [0.5, 0.5, 0.005]
    assert read_place("place", 3, RULES) == 3


CONTEXTS = {
    "precision": Context(prec=4), "inexact": Context(prec=4, traps=[Inexact]),
    "exponents": Context(Emax=2, Emin=-2), "no traps": Context(traps=[]),
}  # fmt: skip


@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_decimals_of_the_callers_program_change_no_number(context: Context) -> None:
    point_count = parse_player("points+greedy")
    with localcontext(context):
        assert parse_whole_number("123456", 1, "5") == 123_456
        assert parse_whole_number(2**63 - 1, 1, "5") == 2**63 - 1
        run = kqj.simulate(deals=12_345, policy="random", seed=123_457).run
        assert (run["deals"], run["seed"]) == (12_345, 123_457)
        _, values = parse_parameter_values("take=100.1255:100.6255:.25", point_count, RULES)
        assert values == ("100.1255", "100.3755", "100.6255")
        with pytest.raises(InputError, match="123\\.456 can mean 123\\.456 or 123456"):
            parse_positive_number("123.456")
        with pytest.raises(InputError, match="far too many values"):
            parse_parameter_values("take=0:1:1e-40", point_count, RULES)


@pytest.mark.parametrize(
    ("policy", "seats"),
    [
        ("greedy", ["greedy"] * 6),
        (["greedy"], ["greedy"] * 6),
        (["random", *["greedy"] * 5], ["random", *["greedy"] * 5]),
        (("random", "greedy") * 3, ["random", "greedy"] * 3),
        ({"all": "greedy", "seat0": "random"}, ["random", *["greedy"] * 5]),
        ({"team0": "random", "team1": "greedy"}, ["random", "greedy"] * 3),
        (["greedy", "seat5=random"], [*["greedy"] * 5, "random"]),
        (None, ["learned+network"] * 6),
    ],
)
def test_policies_of_a_table(policy: Any, seats: list[str]) -> None:
    assert [player.given for player in parse_players(policy, RULES)] == seats


def test_paths_name_files(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('policy = "greedy"\n', encoding="utf-8")
    players = parse_players(path, RULES)
    assert [player.given for player in players] == [str(path)] * 6
    assert players == parse_players("greedy", RULES)


def test_rules_are_given_whole_or_by_their_fields() -> None:
    rules = KqjRules(teams=3, bidding="auction")
    assert collect_rules(rules, {}, "show") is rules
    assert collect_rules(None, {"teams": 3, "bidding": "auction"}, "show") == rules
    with pytest.warns(UserWarning, match="`max_amount` has no effect with `bidding='take'`"):
        collect_rules(None, {"max_amount": 200}, "show")


def test_cards_and_places_are_texts_or_lists() -> None:
    cards = parse_cards("9h Ah Ks")
    assert join_items("hand", cards) == join_items("hand", ["9h", "Ah", "Ks"]) == "9h Ah Ks"
    assert read_place("place", "3rd", RULES) == read_place("place", 2, RULES) == 2
    assert read_places("partners_at", ["2nd", 5], RULES) == (1, 5)
    assert parse_turn(3.2) == parse_turn("3.2") == parse_turn((3, 2)) == (3, 2)


def test_lists_are_written_as_on_the_command_line() -> None:
    few: dict[str, Any] = {"deals": 100, "policy": "standard"}
    wanted = kqj.simulate(by=["lap", "place"], **few).to_json()
    for given in ("lap,place", "lap, place", "lap place", ["lap,place"]):
        assert kqj.simulate(by=given, **few).to_json() == wanted
    frame = kqj.simulate(**few).frame("deal, contract")
    assert [*frame] == ["deal", "contract"]
    search: dict[str, Any] = {"opponents": "standard", "deals": 16, "generations": 1, "confirm": 16}
    both = kqj.tune("standard", "take, lap2", **search)
    assert both.best == kqj.tune("standard", ["take", "lap2"], **search).best
    round = kqj.show(deal=3, policy="standard")
    one, other = (
        kqj.review(round, samples=2, reference="points+greedy", **given).to_json()
        for given in (
            {"seat": "seat0,seat3", "by": "trick, kind", "worst": "2"},
            {"seat": [0, 3], "by": ["trick", "kind"], "worst": 2},
        )
    )
    assert one == other


def test_numbers_and_lists_of_numpy_and_pandas_are_those_of_python() -> None:
    rules: dict[str, Any] = {"teams": np.int64(3), "bidding": np.str_("auction")}
    auction: dict[str, Any] = rules | {"must_outscore": np.True_, "target": np.int32(500)}
    expected = KqjRules(teams=3, bidding="auction", must_outscore=True, target=500)
    assert KqjRules(**auction) == expected
    assert repr(KqjRules(**auction)) == repr(expected)
    few: dict[str, Any] = {"deals": np.int64(64), "seed": np.uint64(2), "first": np.array(5)}
    given = api.simulate(
        policy=np.array(["standard"] * 6), by=pd.Series(["lap", "place"]),
        confidence=np.float32(0.5), **few, **rules,
    )  # fmt: skip
    plain = api.simulate(
        policy=["standard"] * 6, by=["lap", "place"], deals=64, seed=2, first=5, confidence=0.5,
        teams=3, bidding="auction",
    )  # fmt: skip
    assert given.to_json() == plain.to_json()
    assert [*given.frame(pd.Index(["deal", "contract"]))] == ["deal", "contract"]
    grouped = api.simulate(policy="standard", by="place", deals=64)
    group: dict[str, Any] = {"quantity": "score_mean", "table": "scores_by_team", "team": 0}
    assert grouped.estimate(**group, place=np.int64(2)) == grouped.estimate(**group, place=2)
    vary: dict[str, Any] = {"take": np.arange(20, 40, 10), "lap2": pd.Series([30.5, 40.5])}
    swept = api.sweep("standard", vary, opponents="standard", deals=np.int64(8))
    names = [each.name for each in swept.settings]
    assert names[:2] == ["take=20, lap2=30.5", "take=20, lap2=40.5"]
    labelled = api.sweep("standard", pd.Series({"take": "20,30"}), opponents="standard", deals=8)
    assert [each.name for each in labelled.settings][:2] == ["take=20", "take=30"]
    sides = {"team0": "greedy", "seat1": "random"}
    seated = [api.simulate(policy=each, deals=8).to_json() for each in (sides, pd.Series(sides))]
    assert seated[0] == seated[1]
    hand = np.array(["9h", "8h", "Ah", "Ks", "4d"])
    asked: dict[str, Any] = {"place": np.int64(2), "policy": "standard", "deals": 8}
    found = api.odds(hand, return_card=np.str_("7h"), lap=np.int64(1), **asked)
    assert found.run["place"] == 2
    experiment = api.Experiment(players=np.array(["greedy"] * 6), deals=np.int64(5))
    assert experiment == api.Experiment(players="greedy", deals=5)
    assert api.number(np.float64(3), low=np.int64(1)) == api.number(3, low=1)


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


def nest(levels: int) -> list[object]:
    nested: list[object] = []
    for _ in range(levels):
        nested = [nested]
    return nested


WRONG: tuple[Any, ...] = (
    object(), Unwritable(), [Unwritable()], 10**5000, Decimal("sNaN"), 1j, nest(10_000), pd.NA,
    pd.DataFrame({"name": [1]}), np.zeros((2, 2)), np.array([None, {}]), {1: 2}, "x" * 100_000,
    ["x" * 100_000], "x\0.csv",
)  # fmt: skip
"""Values that are wrong for every argument, but texts for titles."""

NEEDED = {"policy": "standard", "vary": "take=20", "parameters": "take", "records": []}
QUESTIONS = (
    "simulate", "compare", "sweep", "tune", "odds", "records", "show", "check", "review",
    "check_policy", "report",
)  # fmt: skip


def check_error(function: Callable[..., object], *values: object, **named: object) -> None:
    text = read_error(partial(function, *values, **named))
    assert text.isprintable() and len(text) <= LONGEST_LINE


@pytest.mark.parametrize("name", QUESTIONS)
def test_wrong_arguments_of_any_type_end_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(kqj, name)
    parameters = inspect.signature(function).parameters.values()
    fewest = {
        each.name: {**NEEDED, "out": tmp_path / "report"}[each.name]
        for each in parameters
        if each.default is each.empty and each.name in (*NEEDED, "out")
    }
    for parameter in parameters:
        for value in WRONG:
            if parameter.kind is parameter.VAR_POSITIONAL:
                check_error(function, value, "standard")
            elif parameter.name != "title" or not isinstance(value, str):
                check_error(function, **{**fewest, parameter.name: value})
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
def test_wrong_arguments_of_classes_and_methods_end_in_one_line(value: Any, tmp_path: Path) -> None:
    experiment: dict[str, Any] = {"rules": value, "players": value, "deals": value, "seed": value}
    for name, each in (experiment | {"games": value, "imposed": value}).items():
        check_error(api.Experiment, **{name: each})
    for name in ("teams", "bidding", "max_amount", "must_outscore", "target"):
        check_error(KqjRules, **{name: value})
    for name in ("progress", "tell", "threads"):
        check_error(api.Runner, **{name: value})
    check_error(api.number, value)
    check_error(api.number, 1, "", value)
    check_error(api.flag, value)
    check_error(api.named, value, ("greedy",))
    check_error(api.policy, "x", take=value)
    result = api.simulate(deals=10, policy="standard")
    for call in (result.estimate, result.render, result.plot, result.frame, result.save):
        check_error(call, value)
    check_error(result.estimate, "taken_share", table=value)
    check_error(result.estimate, "taken_share", place=value)


def test_none_is_a_value_only_where_it_is_the_default() -> None:
    few: dict[str, Any] = {"deals": 10, "policy": "standard"}
    assert api.simulate(rules=None, runner=None, columns=None, **few).deals == 10
    for name in ("seed", "first", "confidence", "by"):
        with pytest.raises(kqj.InputError, match=f"^`{name}`: "):
            api.simulate(**{name: None}, **few)
    with pytest.raises(kqj.InputError, match=r"^`out`: it is the path of a file, not NoneType"):
        api.report(out=None, **few)


def test_nothing_to_check_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    empty: list[Any] = [[], (), tmp_path / "empty.jsonl"]
    for records in empty:
        with pytest.raises(kqj.InputError, match="there are no records to check"):
            api.check(records)


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
