"""The policies of Kwajongen: found by name, legal, and what they answer for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kqj_sim.cards import parse_card
from kqj_sim.errors import InputError
from kqj_sim.games import find_game
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.policies import COUNT_PARAMETERS
from kqj_sim.policies import parse_player
from kqj_sim.policies.players import format_player_file
from kqj_sim.policies.registry import describe, find_policy
from kqj_sim.record import Record
from kqj_sim.referee import check_record
from kqj_sim.rules import KqjRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.run import simulate
from tests.command_line import read_error
from tests.policies.files import write_policy
from tests.slow import slow_rows_after
from tests.variants import told
from tools.leads import measure_lead

RULES = KwajongenRules()
NAMES = find_game("kwajongen").built_ins
SEED = 4


def rounds(policies: tuple[str, ...], deals: int, **more: object) -> list[Record]:
    return list(play_records(Experiment(RULES, policies, deals, SEED, **more)))  # type: ignore[arg-type]


def test_the_policies_are_those_of_the_game() -> None:
    assert [each.name for each in describe("kwajongen")][: len(NAMES)] == [*NAMES]
    for name in NAMES:
        policy = find_policy(name, "kwajongen")
        assert policy is not find_policy(name)
        assert policy.calls("kwajongen") and policy.plays and not policy.calls("kqj")
    default = find_game("kwajongen").default_player
    assert [player.name for player in Experiment(RULES).players] == [default] * 4


@pytest.mark.parametrize("name", NAMES)
def test_a_player_is_read_back_from_his_text_and_file(name: str, tmp_path: Path) -> None:
    found = parse_player(name, "kwajongen")
    assert parse_player(found.text, "kwajongen") == found
    path = tmp_path / "own.toml"
    path.write_text(format_player_file(found, 100), encoding="utf-8")
    assert parse_player(str(path), "kwajongen") == found


@pytest.mark.parametrize("name", NAMES)
def test_answers_do_not_hang_on_who_else_plays_so(name: str) -> None:
    """Other seats have another player, who would only play, or call, otherwise."""
    alone, other = f"random:accept=0.3+{name}", f"random:accept=0.30+{name}"
    caller, too = f"{name}+random", f"{name}+standard"
    for one, two, calls in ((alone, other, False), (caller, too, True)):
        for record, same in zip(
            rounds((one,) * 4, 60), rounds((one, two, one, two), 60), strict=True
        ):
            assert record.calls == same.calls, told(record)
            assert calls or record.tricks == same.tricks, told(record)


def test_random_plays_with_its_chance_and_any_card() -> None:
    rows = simulate(Experiment(RULES, ("random:accept=0.25",) * 4, 40_000, SEED))
    share = (rows.column("place") == 0).mean()
    assert abs(share - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 40_000)
    assert (simulate(Experiment(RULES, ("random:accept=0",) * 4, 500)).column("taken") == 0).all()
    leads = {record.tricks[0].cards[0] for record in rounds(("random:accept=1",) * 4, 300)}
    assert len(leads) == 24


RANKS = ("nine", "ten", "jack", "queen", "king", "ace")


def slow_count(hand: list[str], turned: str, place: int) -> float:
    """Return the count of `standard`, computed slowly from its description."""
    value = {name: float(each.default) for name, each in COUNT_PARAMETERS.items()}
    trump = parse_card(turned).suit
    points = dict(zip(KwajongenRules.ranks[::-1], (value[name] for name in RANKS), strict=True))
    trumps = [text for text in hand if text[1] == trump]
    total = sum(points[text[0]] for text in trumps)
    total += sum(value["plain_king"] for text in hand if text[0] == "K" and text[1] != trump)
    total += sum(value["plain_ace"] for text in hand if text[0] == "A" and text[1] != trump)
    held = {text[1] for text in hand}
    total += value["void"] * (4 - len(held)) if trumps else 0.0
    total += {2: value["two"], 3: value["three"], 4: value["four"]}.get(len(trumps), 0.0)
    more = value["shown"] * (points[turned[0]] - value["nine"])
    return total + {0: -more, 1: more, 2: -more, 3: 0.0}[place]


def test_standard_plays_with_the_points_that_its_place_wants() -> None:
    defaults = {name: float(each.default) for name, each in COUNT_PARAMETERS.items()}
    seen = set()
    for games in (None, 40):
        for record in rounds(("standard",) * 4, 1500, games=games):
            assert record.turned is not None
            for call in record.calls:
                place = (call.seat - record.dealer - 1) % 4
                count = slow_count(record.dealt[call.seat], record.turned, place)
                line = defaults[("first", "second", "third", "dealer")[place]]
                line -= defaults["raised"] * record.pending_before
                if abs(count - line) > 1e-9:
                    assert (call.call == "play") == (count > line), told(record, count, line)
                    seen.add((place, call.call, record.pending_before))
    assert len(seen) == 16


def test_standard_keeps_points_out_of_tricks_that_are_lost() -> None:
    """The last to play follows a plain suit with the fewest points, if they cannot win."""
    order = KwajongenRules.ranks[::-1]

    def points(text: str) -> int:
        return max(order.index(text[0]) - 1, 0)

    seen = 0
    for record in rounds(("random:accept=1+standard",) * 4, 400):
        for number, trick in enumerate(record.tricks[:3]):
            seat, last, led = (trick.leader + 3) % 4, trick.cards[3], trick.cards[0][1]
            lost = record.teams[trick.winner] != record.teams[seat]
            if lost and last[1] == led != record.contract:
                held = [each.cards[(seat - each.leader) % 4] for each in record.tricks[number:]]
                least = min(points(text) for text in held if text[1] == led)
                assert points(last) == least, told(record, number)
                seen += 1
    assert seen > 50


@pytest.mark.parametrize("worse", ["standard+random", "random+standard"])
def test_standard_calls_and_plays_better_than_random(worse: str) -> None:
    mean, error = measure_lead(RULES, "standard", worse, 4000, SEED)
    assert mean > 2 * error


OWN = """
@policy("cautious")
def choose_card(view):
    return lowest(view.legal)

bold = policy("bold", wrong=0)

@bold
def choose_accept(view, parameters):
    if parameters.wrong == 1 and view.place == 2:
        return 2
    if parameters.wrong == 2:
        return 1 // (view.place - view.place)
    return view.hand & view.trumps != 0

@bold
def choose_card(view, parameters):
    if parameters.wrong == 3 and view.position == 1:
        return view.trumps & ~view.hand & -(view.trumps & ~view.hand)
    return view.legal & -view.legal
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    path = write_policy(tmp_path_factory.mktemp("own"), OWN)
    return lambda name: f"{path}:{name}"


def test_a_policy_of_cards_alone_serves_both_games(own: Callable[[str], str]) -> None:
    cautious = own("cautious")
    for record in rounds((f"random:accept=1+{cautious}",) * 4, 40):
        assert check_record(record) == [], told(record)
        order = KwajongenRules.ranks[::-1]
        for trick in record.tricks:
            later = record.tricks[record.tricks.index(trick) :]
            held = [done.cards[(trick.leader - done.leader) % 4] for done in later]
            assert order.index(trick.cards[0][0]) == min(order.index(text[0]) for text in held)
    kqj = Experiment(KqjRules(), (f"random+{cautious}",) * 6, 40)
    assert all(check_record(record) == [] for record in play_records(kqj))


def test_users_accept(own: Callable[[str], str]) -> None:
    for record in rounds((own("bold"),) * 4, 200):
        assert check_record(record) == [], told(record)
        assert record.turned is not None
        for call in record.calls:
            holds = any(text[1] == record.turned[1] for text in record.dealt[call.seat])
            assert (call.call == "play") == holds, told(record)


@pytest.mark.parametrize(
    ("wrong", "question", "line", "fault"),
    slow_rows_after(
        1,
        [
            (3, "card", 18, "[9TJQKA][shdc] is not legal; legal: "),
            (1, "accept", 10, "2 is not an answer; allowed: True or False"),
            (2, "accept", 14, "ZeroDivisionError"),
        ],
    ),
)
def test_illegal_choice_raises(
    own: Callable[[str], str], wrong: int, question: str, line: int, fault: str
) -> None:
    what = rf"policy 'bold', choose_{question}\(\), deal \d+ of seed 4, seat \d: {fault}"
    message = read_error(rounds, (f"{own('bold')}:wrong={wrong}",) * 4, 300)
    assert re.search(what, message) and f".py:{line}: " in message


def test_policy_that_does_not_compile_raises(tmp_path: Path) -> None:
    for body, fault in (
        ("return view.lap == 1", "no field of the view 'lap'"),
        ('return "play"', "must return True or False on every path; it returns a string"),
    ):
        text = f'@policy("one")\ndef choose_accept(view):\n    {body}\n'
        path = write_policy(tmp_path, text)
        with pytest.raises(InputError, match=fault):
            parse_player(f"{path}:one", "kwajongen")


def test_a_player_of_another_game_raises() -> None:
    with pytest.raises(InputError, match="policy 'greedy' plays kqj, not kwajongen"):
        parse_player(parse_player("greedy"), "kwajongen")
