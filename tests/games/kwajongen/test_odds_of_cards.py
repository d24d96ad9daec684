"""Odds of cards, against all distributions played on by the referee, and on their own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from kqj_sim.cards import SUITS, Card
from kqj_sim.core.block import LANES
from kqj_sim.errors import InputError
from kqj_sim.games.kwajongen import KwajongenRules
from kqj_sim.games.kwajongen.odds import draw_hidden_hands, list_hidden_hands
from kqj_sim.games.kwajongen.referee import PACK
from kqj_sim.games.kwajongen.samplers import KwajongenCardSampler, make_kwajongen_turn
from kqj_sim.notation.typed import read_typed_position
from kqj_sim.policies.card_sets import encode_cards
from kqj_sim.policies.players import parse_player
from kqj_sim.positions.estimator import FIRST_CHOOSING, estimate_position
from kqj_sim.positions.odds import CardOdds, Playouts
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_position
from kqj_sim.positions.search import Search
from kqj_sim.record import Record, partial_record_from_json, to_json
from kqj_sim.referee.base import PlayedTrick
from kqj_sim.simulation.encode import encode_rules, encode_seating
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from tests.games.kwajongen.coding import strength
from tests.policies.files import write_policy
from tests.positions.estimates import estimate_cards
from tests.referee.random_rounds import random_record

SEATS = 4
Hands = dict[int, frozenset[Card]]
RULES = [KwajongenRules(), KwajongenRules(void_rule="free")]

PLAIN = '''
from kqj_sim.policies.tools import count

plain = policy("plain")

@plain
def choose_accept(view):
    """With two trumps."""
    return count(view.hand & view.trumps) >= 2

@plain
def choose_card(view):
    """The lowest bit of what is legal."""
    return view.legal & -view.legal
'''


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The specification of a player whose choices are seen at a glance."""
    return write_policy(tmp_path_factory.mktemp("plain"), PLAIN)


def at(record: Record, trick: int, card: int) -> Position:
    """A round before a card of a trick, both from 1, as who is to play it sees it."""
    return read_position(record, (trick, card))


def is_right(so_far: Position, dealt: Hands) -> bool:
    """Return True if every play was legal with these hands and the dealer has the shown card."""
    held = {seat: set(hand) for seat, hand in dealt.items()}
    assert isinstance(so_far.rules, KwajongenRules)
    for leader, cards in so_far.tricks:
        for position, card in enumerate(cards):
            hand = held[(leader + position) % SEATS]
            trump = so_far.contract.contract
            if card not in so_far.referee.list_legal_cards(
                hand, cards[:position], leader, so_far.teams, trump
            ):
                return False
            hand.remove(card)
    return so_far.upcard in dealt[so_far.dealer]


def hidden(so_far: Position) -> Iterator[Hands]:
    """All that may have been dealt, by seat."""
    own, played = so_far.seat, {seat: set(so_far.played_by(seat)) for seat in range(SEATS)}
    others = [seat for seat in range(SEATS) if seat != own]

    def deal(which: int, cards: set[Card]) -> Iterator[Hands]:
        if which == len(others):
            yield {own: frozenset(so_far.hand) | played[own]}
            return
        seat = others[which]
        for hand in combinations(sorted(cards), 4 - len(played[seat])):
            for rest in deal(which + 1, cards - set(hand)):
                yield {seat: frozenset(played[seat] | set(hand)), **rest}

    unseen = set(PACK) - set(so_far.plays) - set(so_far.hand)
    return (dealt for dealt in deal(0, unseen) if is_right(so_far, dealt))


def would_call(so_far: Position, dealt: Hands) -> bool:
    """Return True if plain players would have called as the others did."""
    return all(
        (sum(card.suit == so_far.contract.contract for card in dealt[call.seat]) >= 2)
        == (call.call == "play")
        for call in so_far.calls or ()
        if call.seat != so_far.seat
    )


def played_on(so_far: Position, card: Card, dealt: Hands) -> dict[str, int]:
    """Return the outcome of a card, by the referee; the others are plain players."""
    trump, referee = so_far.contract.contract, so_far.referee
    held = {seat: set(hand) - set(so_far.plays) for seat, hand in dealt.items()}
    tricks = [
        PlayedTrick(b, c, referee.find_trick_winner(b, c, trump))
        for b, c in so_far.tricks
        if len(c) == 4
    ]
    assert isinstance(so_far.rules, KwajongenRules)
    leader, cards = so_far.tricks[-1]
    chosen: Card | None = card
    while len(tricks) < 4:
        while len(cards) < SEATS:
            seat = (leader + len(cards)) % SEATS
            if chosen is None:
                legal = referee.list_legal_cards(held[seat], cards, leader, so_far.teams, trump)
                chosen = min(legal, key=lambda each: strength([each], trump))
            held[seat].remove(chosen)
            cards, chosen = (*cards, chosen), None
        tricks.append(PlayedTrick(leader, cards, referee.find_trick_winner(leader, cards, trump)))
        leader, cards = tricks[-1].winner, ()
    own = so_far.seat % 2
    score = referee.score_round(so_far.teams, so_far.contract, (), tricks, so_far.pending)
    return {
        "win_share": int(score.totals[own] > score.totals[1 - own]),
        "value": score.scores[1 - own] - score.scores[own],
        "contract_made_share": int(score.result == "made"),
        "tied_share": int(score.result == "tie"),
        "own_points_mean": score.totals[own],
        "own_all_tricks_share": int(score.trick_counts[own] == 4),
    }


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("ignore_calls", [False, True])
def test_the_last_two_tricks_by_enumeration(
    rules: KwajongenRules, ignore_calls: bool, plain: str
) -> None:
    """Every measure of every card, among them rounds in which somebody was void."""
    wanted = {2: 1, 3: 2, 4: 3}
    experiment = Experiment(rules, (plain,) * SEATS, 200, 7)
    for record in (each for each in play_records(experiment) if each.tricks):
        for card in [card for card, number in wanted.items() if number > 0]:
            so_far = at(record, 3, card)
            if len(so_far.legal_cards) < 2:
                continue
            answer = estimate_cards(so_far, plain, ignore_calls=ignore_calls, threads=1)
            if not 0 < answer.layout_count <= 2500:
                continue
            wanted[card] -= 1
            agree(so_far, answer, ignore_calls)
    assert sum(wanted.values()) == 0


def agree(so_far: Position, answer: CardOdds, ignore_calls: bool) -> None:
    """The answer is exact and says what enumeration says."""
    assert answer.is_exact
    worlds = list(hidden(so_far))
    assert answer.layout_count == len(worlds)
    kept = [dealt for dealt in worlds if ignore_calls or would_call(so_far, dealt)]
    assert answer.bidding_probability == pytest.approx(len(kept) / len(worlds))
    assert answer.options == so_far.legal_cards
    means: dict[Card, dict[str, float]] = {}
    for card in so_far.legal_cards:
        found = [played_on(so_far, card, dealt) for dealt in kept]
        means[card] = {
            name: float(Fraction(sum(each[name] for each in found), len(found)))
            for name in found[0]
        }
    best = means[answer.options[answer.best]]
    assert best["value"] == max(each["value"] for each in means.values())
    for number, card in enumerate(answer.options):
        for name, value in means[card].items():
            assert answer.estimate(name, number).value == pytest.approx(value), (card, name)
            behind = answer.estimate(name, number, baseline=answer.best)
            assert behind.value == pytest.approx(value - best[name])


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_hands_that_are_drawn_are_possible(rules: KwajongenRules) -> None:
    """At every card of random rounds; where few are, the true hands are among them."""
    table = encode_seating(rules, [parse_player("random", "kwajongen")] * SEATS, None)
    keys = np.zeros(LANES, dtype=np.int64)
    checked = among = 0
    bits = {1 << 16 * SUITS.index(card.suit) + "9TJQKA".index(card.rank): card for card in PACK}
    for seed in range(12):
        record = random_record(rules, seed)
        for trick, card in [(n, k) for n in range(1, 5) for k in range(1, 5)]:
            if not record.tricks:
                break
            so_far = at(record, trick, card)
            turn, hands = make_kwajongen_turn(so_far), np.zeros(SEATS * LANES, dtype=np.int64)
            assert draw_hidden_hands(turn, 0, seed, encode_rules(rules), table, hands, keys)
            for draw in hands.reshape(-1, SEATS)[:12]:
                dealt = {
                    (so_far.opener + place) % SEATS: frozenset(
                        held for bit, held in bits.items() if bit & int(hand)
                    )
                    for place, hand in enumerate(draw)
                }
                assert all(len(hand) == 4 for hand in dealt.values())
                assert len(frozenset().union(*dealt.values())) == 16
                assert dealt[so_far.seat] >= set(so_far.hand) and is_right(so_far, dealt)
                checked += 1
            if (trick, card) >= (3, 4):
                true = {
                    seat: frozenset(Card(text[0], text[1]) for text in hand)
                    for seat, hand in enumerate(record.dealt)
                }
                listed = {tuple(int(hand) for hand in each) for each in listed_hands(so_far, rules)}
                places = [true[(so_far.opener + place) % SEATS] for place in range(SEATS)]
                assert tuple(encode_cards(hand, "kwajongen") for hand in places) in listed
                among += 1
    assert checked > 1000 and among > 20


def listed_hands(so_far: Position, rules: KwajongenRules) -> NDArray[np.int64]:
    """All distributions that agree with the plays, (n, 4) by place, natural coding."""
    room = np.zeros(SEATS * 2000, dtype=np.int64)
    table = encode_seating(rules, [parse_player("random", "kwajongen")] * SEATS, None)
    found = list_hidden_hands(make_kwajongen_turn(so_far), 2000, encode_rules(rules), table, room)
    assert found > 0
    return room.reshape(-1, SEATS)[:found]


def a_round(rules: KwajongenRules = RULES[0]) -> Record:
    """A round that was played, from the second trick on with a choice."""
    records = (random_record(rules, seed) for seed in range(100))
    return next(each for each in records if each.tricks and len(at(each, 3, 2).legal_cards) == 2)


def test_draws_agree_with_the_exact_answer_and_with_themselves(plain: str) -> None:
    so_far = at(a_round(), 3, 2)
    players = (plain,) * SEATS
    exact = estimate_cards(so_far, players, ignore_calls=True)
    one, two = (
        estimate_cards(
            so_far, players, deals=2000, seed=3, ignore_calls=True, threads=n, max_layouts=10
        )
        for n in (1, 2)
    )
    assert exact.is_exact and not one.is_exact and one.deals == 2000
    assert one.order == two.order
    for card in range(one.option_count):
        for name in ("win_share", "value", "own_points_mean"):
            assert one.estimate(name, card) == two.estimate(name, card)
            _, low, high, _ = one.estimate(name, card)
            value = exact.estimate(name, card).value
            assert low - (high - low) <= value <= high + (high - low)


def test_few_draws_are_all_different(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the calls reject most draws of a block, the next one begins behind it."""
    real, firsts = KwajongenCardSampler.play_chunk, []

    def play_chunk(self: KwajongenCardSampler, search: Search, first: int, count: int) -> Playouts:
        firsts.append(first % FIRST_CHOOSING)
        found = real(self, search, first, count)
        kept = 20
        return Playouts(
            kept, found.weights[:kept], found.outcomes[:, :kept], found.hands, found.counts
        )

    monkeypatch.setattr(KwajongenCardSampler, "play_chunk", play_chunk)
    so_far = at(a_round(), 3, 2)
    found = estimate_cards(so_far, ("random",) * SEATS, deals=100, threads=1, max_layouts=1)
    assert found.deals == 100 and len(firsts) > 2
    assert all(first % LANES == 0 for first in firsts)


def test_impossible_calls_raise() -> None:
    """Nobody passes who plays with every hand: told of draws, and of all distributions."""
    records = (random_record(RULES[0], seed) for seed in range(100))
    moments = [(1, 4), (3, 2)]
    record = next(
        each
        for each in records
        if each.tricks
        and each.calls[0].call == "pass"
        and all(at(each, *moment).seat != each.calls[0].seat for moment in moments)
    )
    for moment in moments:
        with pytest.raises(InputError, match="in none of") as found:
            estimate_cards(at(record, *moment), ("random:accept=1",) * SEATS)
        assert "`ignore_calls`" in str(found.value) and "\n" not in str(found.value)


def test_a_round_is_read_as_typed() -> None:
    typed = partial(read_typed_position, "As Qd Kd 9c", RULES[0], played="Ts Kc", return_card="Jc")
    so_far = typed(heard="pass, play")
    assert so_far.seat == 2 and so_far.contract.sender == 1
    assert [str(card) for card in so_far.legal_cards] == ["As"]
    assert typed(sender=1) == so_far


def test_a_record_with_a_gratuity_that_waits_raises() -> None:
    text = to_json(a_round()).replace('"pending_before":0', '"pending_before":120')
    with pytest.raises(InputError, match="pending_before: 120 is not 1 if"):
        read_position(partial_record_from_json(text))


@pytest.mark.slow
def test_a_search_for_hidden_hands_ends() -> None:
    players = ("random:accept=0.5",) * 4
    records = play_records(Experiment(RULES[0], players, 40, seed=3))
    record = next(each for each in records if len(each.calls) == 4 and each.tricks)
    so_far = read_position(record, (1, 3))
    with pytest.raises(InputError, match=r"the assumed players .* in none of 1,\d+,\d+ deals"):
        estimate_position(so_far, ("random:accept=0",) * 4, deals=10, threads=1, error_rate=0.0)
