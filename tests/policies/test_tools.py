"""Tools that policies are written with, and named sets of cards, in the views of every game."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from scipy.stats import chisquare

import kqj_sim as kqj
from kqj_sim.cards import CONTRACTS, RANKS, SUITS, Card, parse_cards
from kqj_sim.core import cards as core_points
from kqj_sim.core.cards import PACK
from kqj_sim.core.jit import kernel
from kqj_sim.core.views import CardView
from kqj_sim.games import find_game
from kqj_sim.policies import cheapest, dearest, highest, lowest, random_card, tools
from kqj_sim.policies.card_sets import CONSTANTS, encode_cards, in_view, list_cards
from kqj_sim.referee.kqj import PACK as CARDS
from kqj_sim.referee.kqj import card_points
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.policy_errors import replay_decisions
from tests.core.coding import strength_of
from tests.policies.files import write_policy
from tests.slow import slow_after
from tests.variants import AUCTION_2, OTHER_GAMES, TAKE_2

PLANES = dict.fromkeys("shdc", core_points.SUIT_PLANES)
PLANES |= {"NT": core_points.NO_TRUMP_PLANES, "AT": core_points.ALL_TRUMPS_PLANES}


def _view(contract: str, bits: int = 0) -> CardView:
    """A view with the card points of a contract and random bits; nothing else is looked at."""
    fields: dict[str, Any] = dict.fromkeys(CardView._fields, 0)
    planes = (int(plane) for plane in PLANES[contract])
    fields |= zip((f"points_{2**k}" for k in range(5)), planes, strict=True)
    return CardView(**{**fields, "random": bits})


def _sets(contract: str) -> list[tuple[int, dict[Card, int]]]:
    """Random sets of up to eight cards, as bits and as cards."""
    draw, coded = random.Random(contract), strength_of(contract)
    sets = [draw.sample(CARDS, draw.randint(1, 8)) for _ in range(400)]
    bits = [{card: coded[card] for card in cards} for cards in sets]
    return [(sum(cards.values()), cards) for cards in bits]


def _by_rank(cards: list[int]) -> list[int]:
    """By rank, of equal ranks the plain ones first: the trump suit is in the top lane."""
    return sorted(cards, key=lambda bit: ((bit.bit_length() - 1) & 15, bit))


@pytest.mark.parametrize("contract", CONTRACTS)
def test_cards_are_chosen_by_rank_and_points(contract: str) -> None:
    view = _view(contract)
    for bits, cards in _sets(contract):
        ordered = _by_rank(list(cards.values()))
        assert (lowest(bits), highest(bits)) == (ordered[0], ordered[-1]), cards
        worth = {bit: card_points(card, contract) for card, bit in cards.items()}
        assert tools.points(view, bits) == sum(worth.values()), cards
        light, fair = ([bit for bit in ordered if worth[bit] < most] for most in (4, 8))
        assert cheapest(view, bits) == (light or fair or ordered)[0], cards
        classes = ([bit for bit in ordered if worth[bit] & plane] for plane in (16, 8, 4))
        assert dearest(view, bits) == next(filter(None, classes), ordered)[0], cards
    assert lowest(0) == highest(0) == 0


def test_nth_card_counts_from_the_lowest_bit() -> None:
    for bits, cards in _sets("AT"):
        for number, bit in enumerate(sorted(cards.values())):
            assert tools.nth_card(bits, number) == bit


def test_random_card_is_any_card_of_the_set() -> None:
    draw = random.Random(3)
    for size in range(1, 9):
        bits, cards = next(each for each in _sets("s") if len(each[1]) == size)
        counts = Counter(random_card(_view("s", draw.getrandbits(32)), bits) for _ in range(4000))
        assert set(counts) == set(cards.values())
        if size > 1:
            assert chisquare(list(counts.values())).pvalue > 1e-4, counts


def test_chance_is_the_probability() -> None:
    draw = random.Random(4)
    views = [_view("s", draw.getrandbits(32)) for _ in range(8000)]
    for probability in (0.0, 0.25, 0.5, 1.0):
        share = sum(tools.chance(view, probability) for view in views) / len(views)
        assert share == pytest.approx(probability, abs=0.02 if 0 < probability < 1 else 0)


def test_random_below_is_within_its_bound() -> None:
    draw = random.Random(5)
    for bound in (1, 2, 3, 7, 1000, 32767):
        values = [tools.random_below(_view("s", draw.getrandbits(32)), bound) for _ in range(2000)]
        assert 0 <= min(values) <= max(values) < bound
        assert sum(values) / 2000 == pytest.approx((bound - 1) / 2, rel=0.1, abs=0.05)


def test_small_tools() -> None:
    assert (tools.first_of(6, 9), tools.first_of(0, 9)) == (6, 9)
    assert (tools.ranks(PACK), tools.ranks(1 << 53 | 1 << 18)) == (0xFFF, 1 << 5 | 1 << 2)
    assert [tools.suit_cards(suit) for suit in range(4)] == [0xFFF << 16 * k for k in range(4)]
    counted = kernel(lambda cards: tools.count(cards))
    assert counted(0b1011) == 3


WATCH = """
from kqj_sim import NINES, has, hand, in_view, suit

@policy("watch")
def choose_card(view):
    nine = has(view, "9h")
    nines = in_view(view, NINES)
    best = view.legal & (nines | suit(view, 2) | in_view(view, hand("Ks As")))
    return lowest(best) if best else lowest(view.legal)
"""


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_policy(tmp_path_factory.mktemp("watch"), WATCH)


def test_constants_are_the_four_cards_of_a_rank() -> None:
    first = {name: list_cards(cards) for name, cards in CONSTANTS.items()}
    assert {each[0].rank for each in first.values()} == set(RANKS)
    for name, cards in first.items():
        assert [card.suit for card in cards] == list(SUITS)
        assert len({card.rank for card in cards}) == 1
        assert getattr(kqj, name) == CONSTANTS[name]
    assert first["HEROES"][0].rank == "H"
    assert first["NINES"][0].rank == "9"


def test_tools_at_the_prompt() -> None:
    held = kqj.hand("9h 8h Ad")
    assert set(list_cards(held)) == set(parse_cards("9h 8h Ad"))
    assert kqj.cards_text(held) == "♥ 9 8  ♦ A"
    assert kqj.has(held, "9h")
    assert not kqj.has(held, "9h 7h")
    assert kqj.cards_text(kqj.suit(held, kqj.HEARTS)) == "♥ 9 8"
    assert kqj.count(held & kqj.ACES) == 1


@pytest.mark.parametrize("rules", slow_after(1, [AUCTION_2, TAKE_2, *OTHER_GAMES.values()]))
def test_views_of_the_play_hold_the_named_cards(watch: str, rules: GameRules) -> None:
    caller = find_game(rules.game).lively_player
    experiment = Experiment(rules, (f"{caller}+{watch}",) * rules.seats, deals=40)
    contracts, seen = set(), 0
    for deal in range(40):
        replayed = replay_decisions(
            rules, experiment.players, None, 1, (deal, deal % rules.seats, 0)
        )
        for _, decision, answer, view in replayed:
            assert decision == "card"
            contracts.add(view.contract)
            legal = list_cards(view.legal, view.contract, rules.game)
            (chosen,) = list_cards(answer, view.contract, rules.game)
            wanted = {
                card
                for card in legal
                if card.rank == "9" or card.suit == "d" or card in parse_cards("Ks As")
            }
            assert chosen in (wanted or legal)
            held = list_cards(view.hand, view.contract, rules.game)
            for card in (Card("9", "h"), Card("8", "s"), Card("K", "c")):
                assert kqj.has(view, str(card)) == (card in held)
            diamonds = list_cards(kqj.suit(view, kqj.DIAMONDS), view.contract, rules.game)
            assert diamonds == [card for card in held if card.suit == "d"]
            nines = in_view(view, kqj.NINES)
            assert {card.rank for card in list_cards(nines, view.contract, rules.game)} == {"9"}
            shown = kqj.cards_text(view).replace("♠", "s").replace("♥", "h").replace("♦", "d")
            assert set(parse_cards(shown.replace("♣", "c"))) == set(held)
            seen += 1
    assert seen > 100
    assert len(contracts) >= 4


def test_a_policy_prints_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
        from kqj_sim import PASS, cards_text

        @policy("spelling")
        def choose_take(view):
            print(cards_text(view.hand))
            return PASS if view.lap == 1 else 1

        @policy("spelling")
        def choose_card(view):
            print(cards_text(view.legal, view))
            return lowest(view.legal)
    """
    kqj.show(policy=write_policy(tmp_path, dedent(text)))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "♥ J 9  ♦ K J  ♣ J"
    lead = next(line for line in printed if sum(map(str.isalnum, line)) == 8)
    assert lead == "♠ 8  ♥ J 9 7  ♦ K J  ♣ J 6"


def test_sets_are_encoded_as_records_write_them() -> None:
    assert encode_cards(parse_cards("9h")) == kqj.hand("9h") == kqj.NINES & 0xFFFF_0000
