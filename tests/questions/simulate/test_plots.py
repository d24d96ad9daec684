"""The picture of a simulation shows what was counted."""

from __future__ import annotations

import re
from typing import Any

import pytest

import kqj_sim as kqj
from kqj_sim.output.grid import format_number
from kqj_sim.questions.simulate.result import SimulationResult
from tests.games.every import SHARED
from tests.output.images import read_texts
from tests.variants import OTHER_GAMES

RANDOM: dict[str, Any] = {"policy": "random", "deals": 3000, "seed": 5}


def read_picture(result: SimulationResult) -> str:
    return "\n".join(read_texts(result.make_drawing().render("svg")))


def test_picture_says_the_result_the_run_and_the_numbers() -> None:
    result = kqj.simulate(**RANDOM, teams=3)
    texts = read_picture(result)
    for part in (
        "three teams",
        "random at every seat",
        "3,000 deals",
        "seed 5",
        "of contracts are",
    ):
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


@pytest.mark.parametrize(
    ("changes", "words"),
    [
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
    ],
)
def test_every_experiment_can_be_drawn(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    texts = read_picture(kqj.simulate(**RANDOM | changes))
    for word in words:
        assert word in texts or re.search(word, texts), word
    # Axes have no offsets.
    assert not re.search(r"^\+?\de\d", texts, re.M)
