"""Whole rounds by random players, played with the referee alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from kqj_sim.cards import Card
from kqj_sim.record import Call, Record, Trick
from kqj_sim.referee.kqj import (
    PACK,
    FinalContract,
    KqjCalling,
    PlayedTrick,
    add_scores,
    find_trick_winner,
    is_decided,
    list_legal_cards,
    score_passed_out,
    score_round,
)
from kqj_sim.rules import SEATS, KqjRules

# How often a player does anything but pass, and how often a bid is countered or announces
# Capot: often enough for all to occur in a few hundred rounds, passing out included.
SPEAKS = 0.24
COUNTERS = 0.05
OVERCOUNTERS = 0.2
CAPOT = 0.03


def rules_in(record: Record) -> KqjRules:
    """The rules of a round of KQJ."""
    rules = record.game_rules()
    assert isinstance(rules, KqjRules)
    return rules


def random_record(
    rules: KqjRules,
    seed: int,
    *,
    pending: int = 0,
    dealer: int | None = None,
    impose: FinalContract | None = None,
) -> Record:
    """A legal round of its own; the same arguments give the same round."""
    return next(_rounds(rules, seed, pending=pending, dealer=dealer, impose=impose))


def random_game(rules: KqjRules, seed: int) -> list[Record]:
    """The rounds of a game to the target."""
    return list(_rounds(rules, seed, game_id=seed % 1000))


def _rounds(
    rules: KqjRules,
    seed: int,
    *,
    pending: int = 0,
    dealer: int | None = None,
    impose: FinalContract | None = None,
    game_id: int | None = None,
) -> Iterator[Record]:
    draw = random.Random(f"{rules} {seed}")
    dealer = draw.randrange(SEATS) if dealer is None else dealer
    before = [0] * rules.score_count
    number = 0
    while not is_decided(rules, before):
        teams = [rules.fixed_team_of(seat) for seat in range(SEATS)]
        if rules.partners == "random":
            draw.shuffle(teams)
        record = _play_round(draw, rules, dealer, teams, pending, impose)
        after = add_scores(rules, before, teams, record["scores"])
        yield Record(
            game="kqj",
            rules=rules.to_dict(),
            seed=seed,
            deal=number,
            players=["random"] * SEATS,
            game_id=game_id,
            round=None if game_id is None else number,
            score_before=None if game_id is None else before,
            score_after=None if game_id is None else after,
            **record,
        )
        dealer, pending, before = (dealer + 1) % SEATS, record["pending_after"], after
        number += 1


def _play_round(
    draw: random.Random,
    rules: KqjRules,
    dealer: int,
    teams: list[int],
    pending: int,
    impose: FinalContract | None,
) -> dict[str, Any]:
    """The keys of a record that one round fills."""
    pack = list(PACK)
    draw.shuffle(pack)
    size = 5 if rules.bidding == "take" else 8
    hands = [{pack.pop() for _ in range(size)} for _ in range(SEATS)]
    dealt = [_texts(hand) for hand in hands]
    turned = pack.pop() if rules.bidding == "take" else None
    if impose is None:
        calling = random_calling(draw, rules, dealer, teams, turned)
        calls, called = calling.calls, calling.final_contract()
    else:
        calls, called = [], impose
    tricks: list[PlayedTrick] = []
    if called is None:
        score = score_passed_out(rules, pending)
    else:
        if turned is not None:
            hands[called.sender].add(turned)
        for hand in hands:
            hand.update(pack.pop() for _ in range(8 - len(hand)))
        tricks = _play(draw, [set(hand) for hand in hands], dealer, teams, called.contract)
        score = score_round(rules, teams, called, hands, tricks, pending)
    return {
        "dealer": dealer,
        "teams": teams,
        "dealt": dealt,
        "turned": turned and str(turned),
        "imposed": impose is not None,
        "calls": calls,
        "sender": called and called.sender,
        "contract": called and called.contract,
        "amount": called and called.amount,
        "capot": called is not None and called.capot,
        "stake": called.stake if called else 1,
        "hands": called and [_texts(hand) for hand in hands],
        "tricks": [Trick(t.leader, [str(card) for card in t.cards], t.winner) for t in tricks],
        "pending_before": pending,
        **score._asdict(),
    }


def random_calling(
    draw: random.Random,
    rules: KqjRules,
    dealer: int,
    teams: list[int],
    turned: Card | None,
) -> KqjCalling:
    """A whole calling by players who know nothing of their cards."""
    calling = KqjCalling(rules, dealer, teams, turned)
    while not calling.is_closed:
        calling.add(_turn(draw, rules, calling))
        _maybe_counter(draw, calling)
    return calling


def _turn(draw: random.Random, rules: KqjRules, calling: KqjCalling) -> Call:
    seat = calling.turn
    contracts = list(rules.contracts)
    draw.shuffle(contracts)
    if rules.bidding == "take":
        choices = [Call(seat, "take", contract=contract) for contract in contracts]
    else:
        counter = Call(seat, "counter")
        if draw.random() < COUNTERS and calling.explain_illegal_call(counter) is None:
            return counter
        amount = calling.lowest_amount + draw.choice((0, 0, 10, 20, 50))
        capot = draw.random() < CAPOT
        choices = [Call(seat, "bid", amount, contract, capot) for contract in contracts]
    choices = [call for call in choices if calling.explain_illegal_call(call) is None]
    return choices[0] if choices and draw.random() < SPEAKS else Call(seat, "pass")


def _maybe_counter(draw: random.Random, calling: KqjCalling) -> None:
    """Ask whoever may counter or overcounter outside the turns."""
    if calling.calls[-1].call == "bid":
        for seat in range(SEATS):
            counter = Call(seat, "counter")
            if draw.random() < COUNTERS and calling.explain_illegal_call(counter) is None:
                calling.add(counter)
                break
    if calling.calls[-1].call == "counter":
        for seat in range(SEATS):
            overcounter = Call(seat, "overcounter")
            if draw.random() < OVERCOUNTERS and calling.explain_illegal_call(overcounter) is None:
                calling.add(overcounter)
                break


def _play(
    draw: random.Random, held: list[set[Card]], dealer: int, teams: list[int], contract: str
) -> list[PlayedTrick]:
    tricks = []
    leader = (dealer + 1) % SEATS
    while held[leader]:
        trick: list[Card] = []
        for place in range(SEATS):
            hand = held[(leader + place) % SEATS]
            card = draw.choice(sorted(list_legal_cards(hand, trick, leader, teams, contract)))
            hand.remove(card)
            trick.append(card)
        winner = find_trick_winner(leader, trick, contract)
        tricks.append(PlayedTrick(leader, tuple(trick), winner))
        leader = winner
    return tricks


def _texts(hand: set[Card]) -> list[str]:
    return sorted(str(card) for card in hand)
