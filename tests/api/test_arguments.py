"""Arguments of the public functions: what is accepted."""

from __future__ import annotations

from decimal import Context, Inexact, localcontext
from pathlib import Path
from typing import Any

import numpy as np
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
from kqj_sim.policies.players import parse_player
from kqj_sim.questions.compare.vary import parse_parameter_values
from kqj_sim.rules import KqjRules

RULES = KqjRules()


@pytest.mark.parametrize("number", [1_000_000, 1e6, "1e6", "1M", "1,000,000", "1_000_000"])
def test_whole_numbers_are_written_as_on_the_command_line(number: object) -> None:
    assert parse_whole_number(number, 1, "1e6") == 1_000_000


def test_python_numbers_mean_one_thing() -> None:
    assert parse_whole_number(1.000, 1, "1e6") == 1
    assert parse_positive_number(1.125) == 1.125
    assert (parse_share_width(0.5), parse_share_width("50%"), parse_share_width("0.005")) == (
        0.5, 0.5, 0.005,
    )  # fmt: skip
    assert read_place("--place", 3, RULES) == 3


@pytest.mark.parametrize(
    "context",
    [
        Context(prec=4),
        Context(prec=4, traps=[Inexact]),
        Context(Emax=2, Emin=-2),
        Context(traps=[]),
    ],
    ids=["precision", "inexact", "exponents", "no traps"],
)
def test_decimals_of_the_callers_program_change_no_number(context: Context) -> None:
    point_count = parse_player("points+greedy")
    with localcontext(context):
        assert parse_whole_number("123456", 1, "5") == 123_456
        assert parse_whole_number(2**63 - 1, 1, "5") == 2**63 - 1
        run = kqj.simulate(deals=12_345, policy="random", seed=123_457).run
        assert (run["deals"], run["seed"]) == (12_345, 123_457)
        values = parse_parameter_values("take=100.1255:100.6255:.25", point_count, RULES).values
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
    assert collect_rules(rules, {}, "play") is rules
    assert collect_rules(None, {"teams": 3, "bidding": "auction"}, "play") == rules
    with pytest.warns(UserWarning, match="--max-amount has no effect with --bidding take"):
        collect_rules(None, {"max_amount": 200}, "play")


def test_cards_and_places_are_texts_or_lists() -> None:
    cards = parse_cards("9h Ah Ks")
    assert join_items("hand", cards) == join_items("hand", ["9h", "Ah", "Ks"]) == "9h Ah Ks"
    assert read_place("--place", "3rd", RULES) == read_place("--place", 2, RULES) == 2
    assert read_places("--partners-at", ["2nd", 5], RULES) == (1, 5)
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
    round = kqj.play(deal=3, policy="standard")
    one, other = (
        kqj.review(round, samples=2, reference="points+greedy", **given).to_json()
        for given in (
            {"seat": "seat0,seat3", "by": "trick, kind", "worst": "2"},
            {"seat": [0, 3], "by": ["trick", "kind"], "worst": 2},
        )
    )
    assert one == other


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
