"""Specifications that mean the same player, and policies that fill only one part."""

from __future__ import annotations

from pathlib import Path

import pytest

from kqj_sim.games import KQJ
from kqj_sim.policies import points
from kqj_sim.policies.players import Player, label_players, parse_player
from kqj_sim.questions.compare.match import describe_open_parts, explain_same_player
from kqj_sim.rules import GameRules, KqjRules
from tests.variants import AUCTION_2, TAKE_2

TAKE = f"take={points.DEFAULTS[2]['take']:g}"


def _parse(*specifications: str) -> list[Player]:
    return [parse_player(each) for each in specifications]


def _explain(*specifications: str, rules: GameRules = TAKE_2) -> str:
    policies = _parse(*specifications)
    return explain_same_player(policies, policies, rules)


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("standard", "standard", "`standard` is given twice"),
        ("standard", f"standard:{TAKE}", f"are the same player: {TAKE} is the default"),
        (
            "learned",
            KQJ.default_player,
            "are the same player: `learned` only calls; `network` plays",
        ),
        ("standard:take=41", "standard:take=41.0", "all their parameters are equal"),
    ],
)
def test_two_specifications_of_one_player_are_explained(one: str, other: str, reason: str) -> None:
    for pair in ((one, other), (other, one), ("greedy", one, other)):
        told = _explain(*pair)
        assert reason in told
        assert f"`{pair[-1]}`" in told


def test_different_players_are_not_taken_for_the_same() -> None:
    assert _explain("standard", "standard:take=41", "greedy") == ""
    assert _explain("points:opening=3", "points", rules=AUCTION_2) == ""


def test_a_file_may_hold_the_player_of_a_specification(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('policy = "standard"\n[parameters]\ntake = 41\n', encoding="utf-8")
    told = _explain(str(path), "standard:take=41")
    assert told.endswith("are the same player: all their parameters are equal")


def test_completed_policies_are_compared() -> None:
    """With --calling both are completed by the same player of the cards."""
    policies = _parse("standard:take=41", "standard:take=42")
    players = _parse("points+greedy", "points+greedy")
    told = explain_same_player(policies, players, KqjRules())
    assert told.endswith("are the same player: all their parameters are equal")


def test_policies_that_fill_one_part_are_named_with_what_fills_the_other() -> None:
    assert describe_open_parts(_parse("points", "standard")) == [
        "`points` only calls; `network` plays for it"
    ]
    assert describe_open_parts(_parse("greedy", "network", "never")) == [
        "`never` only calls; `network` plays for it",
        "`greedy` and `network` only play; `learned` calls for them",
    ]
    assert describe_open_parts(_parse("points+greedy", "standard")) == []


def test_labels_leave_out_long_parameters_and_tell_players_apart() -> None:
    numbers = ",".join(f"number_{k}={k}" for k in range(12))
    one, other = (f"points:{numbers},take={take}+greedy" for take in (41, 43))
    names = [one, "points:take=41+greedy", other, one]
    assert label_players(names) == {
        one: "points:…+greedy",
        "points:take=41+greedy": "points:take=41+greedy",
        other: "points:…+greedy (2)",
    }
