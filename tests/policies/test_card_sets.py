"""Named sets of cards are the same cards in every view of every game."""

from __future__ import annotations

import pytest

import kqj_sim as kqj
from kqj_sim.cards import RANKS, SUITS, Card, parse_cards
from kqj_sim.games import find_game
from kqj_sim.policies.card_sets import CONSTANTS, encode_cards, in_view, list_cards
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.policy_errors import FailedRound, replay_decisions
from tests.slow import slow_after
from tests.variants import AUCTION_2, OTHER_GAMES, TAKE_2

WATCH = """
from kqj_sim import PASS, bid_code, has, hand, in_view, lowest, policy, suit, count, NINES

@policy("watch")
def choose_card(view):
    nine = has(view, "9h")
    nines = in_view(view, NINES)
    best = view.legal & (nines | suit(view, 2) | in_view(view, hand("Ks As")))
    return lowest(best) if best else lowest(view.legal)
"""


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("watch") / "watch.py"
    path.write_text(WATCH, encoding="utf-8")
    return str(path)


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
    assert kqj.show(held) == "♥ 9 8  ♦ A"
    assert kqj.has(held, "9h")
    assert not kqj.has(held, "9h 7h")
    assert kqj.show(kqj.suit(held, kqj.HEARTS)) == "♥ 9 8"
    assert kqj.count(held & kqj.ACES) == 1


@pytest.mark.parametrize("rules", slow_after(1, [AUCTION_2, TAKE_2, *OTHER_GAMES.values()]))
def test_views_of_the_play_hold_the_named_cards(watch: str, rules: GameRules) -> None:
    caller = find_game(rules.game).lively_player
    experiment = Experiment(rules, (f"{caller}+{watch}",) * rules.seats, deals=40)
    contracts, seen = set(), 0
    for deal in range(40):
        failed = FailedRound(1, deal, deal % rules.seats, 0)
        for _, decision, answer, view in replay_decisions(rules, experiment.players, None, failed):
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
            shown = kqj.show(view).replace("♠", "s").replace("♥", "h").replace("♦", "d")
            assert set(parse_cards(shown.replace("♣", "c"))) == set(held)
            seen += 1
    assert seen > 100
    assert len(contracts) >= 4


def test_sets_are_encoded_as_records_write_them() -> None:
    assert encode_cards(parse_cards("9h")) == kqj.hand("9h") == kqj.NINES & 0xFFFF_0000
