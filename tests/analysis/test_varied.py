"""Parameters that vary: how they are written, and what is played with them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kqj_sim.analysis.varied import (
    Match,
    Subject,
    Varied,
    VaryError,
    combinations,
    read_varied,
    specification,
)
from kqj_sim.duplicate import lead_chunks
from kqj_sim.policies.errors import PolicyError
from kqj_sim.policies.specification import player
from kqj_sim.records import play_records
from kqj_sim.rules import SEATS, KqjRules
from tests.variants import LIVELY

COUNTER = Subject("points:take=45+greedy")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("take=30:70:20", ["30", "50", "70"]),
        ("take=30:75:20", ["30", "50", "70"]),
        ("take = 40,30, 45.5", ["40", "30", "45.5"]),
        ("per_count=0.1:0.5:0.1", ["0.1", "0.2", "0.3", "0.4", "0.5"]),
        ("take=-10:10:10", ["-10", "0", "10"]),
        ("take=5:5:1", ["5"]),
        ("calling.take=1,2", ["1", "2"]),
    ],
)
def test_values_of_numbers(text: str, values: list[str]) -> None:
    assert read_varied(text, COUNTER) == Varied(text.partition("=")[0].strip(), tuple(values))


def test_values_of_names_and_flags() -> None:
    subject = Subject("pimc")
    assert read_varied("prior=linear,network", subject).values == ("linear", "network")
    assert read_varied("merge=true,False", subject).values == ("true", "false")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("take", "write parameter=from:to:step or parameter=value,value"),
        ("take=", "write parameter=from:to:step"),
        ("take=30:70", "30:70 is no range"),
        ("take=30:70:0", "with a step above 0"),
        ("take=30:70:-5", "with a step above 0"),
        ("take=70:30:5", "the range is empty, as 30 is below 70"),
        ("take=a:b:c", "is no range"),
        ("take=0:400:0.1", "4,001 values: at most 400"),
        ("take=0:1e5000:1", "far too many values: at most 400"),
        ("take=-9e999999:9e999999:1e-999999", "far too many values: at most 400"),
        ("take=1e5000:1e5000:1", "it should be a number from -400 to 400"),
        ("take=3,4,3", "the value 3 is there twice"),
        ("take=3,,4", "take=: it should be a number"),
        ("tak=3:4:1", "no parameter 'tak'; did you mean 'take'"),
        ("take=1000", "take=1000: it should be a number from -400 to 400"),
        ("playing.take=3", "'greedy' has no parameter 'take'"),
        ("seat.take=3", "seat.take: known: calling, playing"),
    ],
)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    with pytest.raises((VaryError, PolicyError), match=told):
        read_varied(text, COUNTER)


@pytest.mark.parametrize(
    ("policy", "name"), [("points:take=45", "points"), ("points+greedy", "points+greedy")]
)
def test_too_many_parameters_for_a_line_are_shown_by_a_command(policy: str, name: str) -> None:
    count = len(player(name).calling.policy.parameters)
    told = f"no parameter 'prior'; `kqj-sim policies show {name}` lists the {count} there are"
    with pytest.raises(PolicyError, match=rf"{re.escape(told)}$"):
        read_varied("prior=1,2", Subject(policy))


def test_combinations_go_through_all_values() -> None:
    varied = [Varied("take", ("1", "2")), Varied("lap2", ("3", "4"))]
    assert combinations(varied) == [("1", "3"), ("1", "4"), ("2", "3"), ("2", "4")]
    with pytest.raises(VaryError, match="take varies twice"):
        combinations([varied[0], varied[0]])
    with pytest.raises(VaryError, match="21 x 21 are 441 sets of values: at most 400"):
        combinations([Varied(name, tuple("x" * 21)) for name in "ab"])
    with pytest.raises(VaryError, match="nothing varies"):
        combinations([])


def test_values_are_those_of_the_player() -> None:
    text = specification(COUNTER.with_values({"take": "30", "lap2": "12"}))
    expected = player("points:take=30,lap2=12+greedy")
    assert player(text) == expected
    # What a policy leaves out the default player does.
    assert player(specification(Subject("points").with_values({"take": "1"}))) == player(
        "points:take=1"
    )


@pytest.mark.parametrize(
    "rules",
    [KqjRules(), KqjRules(teams=3), KqjRules(teams=3, partners="random", bidding="auction")],
    ids=["two", "three", "random three auction"],
)
def test_what_is_counted_is_what_the_records_say(rules: KqjRules) -> None:
    one, other, deals = f"{LIVELY}+greedy", f"{LIVELY}+random", 120
    match = Match(rules, other, seed=5)
    played = match.play(one, 7, deals, threads=1)
    assert np.array_equal(
        played.lead, np.concatenate([*lead_chunks(rules, one, other, deals, 5, 7, alone=True)])
    )
    takes, made = np.zeros(deals), np.zeros(deals)
    for experiment, seats in zip(match.experiments(one, 7, deals), match.seatings, strict=True):
        for record in play_records(experiment):
            assert record.deal is not None
            own = record.sender is not None and seats[record.sender] == 0
            takes[record.deal - 7] += own
            made[record.deal - 7] += own and record.result == "made"
    assert np.array_equal(played.takes, takes) and np.array_equal(played.made, made)
    assert 0 < made.sum() < takes.sum() < deals * len(match.seatings) / 6 * SEATS


def test_too_many_values_are_refused_before_they_are_read() -> None:
    text = "take=" + ",".join(map(str, range(100_000)))
    with pytest.raises(VaryError, match="take has 100,000 values: at most 400"):
        read_varied(text, COUNTER)
    hundreds = [Varied(str(number), tuple(map(str, range(400)))) for number in range(4)]
    with pytest.raises(VaryError, match=r"400 x 400 x 400 x 400 are 25,600,000,000 sets"):
        combinations(hundreds)
