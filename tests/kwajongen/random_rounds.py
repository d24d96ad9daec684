"""Whole rounds of Kwajongen by random players, played with the referee alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from kqj_sim.cards import Card
from kqj_sim.games.kwajongen.game import KwajongenRules
from kqj_sim.games.kwajongen.referee import (
    PACK,
    KwajongenCalling,
    add_scores,
    find_next_dealer,
    find_trick_winner,
    is_decided,
    list_legal_cards,
    score_passed_out,
    score_round,
)
from kqj_sim.record import Call, Record, Trick
from kqj_sim.referee.trick import PlayedTrick

SEATS, TRICKS = KwajongenRules.seats, KwajongenRules.tricks
TEAMS = [0, 1, 0, 1]

# How often a player who is asked says play: a quarter of the rounds is passed out.
PLAYS = 0.3


def random_record(
    rules: KwajongenRules,
    seed: int,
    *,
    pending: int = 0,
    dealer: int | None = None,
    impose: int | None = None,
) -> Record:
    """A legal round of its own, with the seat `impose` as caller if given; the same arguments
    give the same round."""
    return next(_rounds(rules, seed, pending=pending, dealer=dealer, impose=impose))


def random_game(rules: KwajongenRules, seed: int) -> list[Record]:
    """The rounds of a game."""
    return list(_rounds(rules, seed, game_id=seed % 1000))


def _rounds(
    rules: KwajongenRules,
    seed: int,
    *,
    pending: int = 0,
    dealer: int | None = None,
    impose: int | None = None,
    game_id: int | None = None,
) -> Iterator[Record]:
    draw = random.Random(f"{rules} {seed}")
    dealer = draw.randrange(SEATS) if dealer is None else dealer
    before = [rules.start_score] * rules.team_count
    number = 0
    while not is_decided(before):
        record = _play_round(draw, rules, dealer, pending, impose)
        after = add_scores(before, record["scores"])
        yield Record(
            game="kwajongen",
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
        dealer = find_next_dealer(dealer, record["sender"] is None)
        pending, before, number = record["pending_after"], after, number + 1


def _play_round(
    draw: random.Random, rules: KwajongenRules, dealer: int, pending: int, impose: int | None
) -> dict[str, Any]:
    """The keys of a record that one round fills."""
    pack = list(PACK)
    draw.shuffle(pack)
    hands = [{pack.pop() for _ in range(TRICKS)} for _ in range(SEATS)]
    turned = draw.choice(sorted(hands[dealer]))
    calling = KwajongenCalling(dealer, turned)
    while impose is None and not calling.is_closed:
        call = "play" if draw.random() < PLAYS else "pass"
        calling.add(Call(calling.turn, call))  # type: ignore[arg-type]
    final = calling.final_contract()
    caller = impose if final is None else final.sender
    tricks: list[PlayedTrick] = []
    if caller is None:
        score = score_passed_out()
    else:
        tricks = _play(draw, rules, [set(hand) for hand in hands], dealer, turned.suit)
        score = score_round(TEAMS, caller, tricks, pending)
    texts = [sorted(str(card) for card in hand) for hand in hands]
    return {
        "dealer": dealer,
        "teams": TEAMS,
        "dealt": texts,
        "turned": str(turned),
        "imposed": impose is not None,
        "calls": calling.calls,
        "sender": caller,
        "contract": None if caller is None else turned.suit,
        "amount": None,
        "capot": False,
        "stake": 1,
        "hands": None if caller is None else texts,
        "tricks": [Trick(t.leader, [str(card) for card in t.cards], t.winner) for t in tricks],
        "pending_before": pending,
        **score._asdict(),
    }


def _play(
    draw: random.Random, rules: KwajongenRules, held: list[set[Card]], dealer: int, trump: str
) -> list[PlayedTrick]:
    tricks = []
    leader = (dealer + 1) % SEATS
    while held[leader]:
        trick: list[Card] = []
        for place in range(SEATS):
            hand = held[(leader + place) % SEATS]
            card = draw.choice(sorted(list_legal_cards(rules, hand, trick, trump)))
            hand.remove(card)
            trick.append(card)
        winner = find_trick_winner(leader, trick, trump)
        tricks.append(PlayedTrick(leader, tuple(trick), winner))
        leader = winner
    return tricks
