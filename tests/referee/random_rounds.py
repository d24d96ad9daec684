"""Whole rounds of any game by random players, played with the referee alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal

from kqj_sim.cards import Card
from kqj_sim.record import Call, Record, Trick
from kqj_sim.referee import get_referee
from kqj_sim.referee.base import Calling, FinalContract, PlayedTrick, Referee
from kqj_sim.rules import GameRules

# How often a player does anything but pass, and how often a bid is countered or announces
# Capot: often enough for all to occur in a few hundred rounds, passing out included.
SPEAKS = {"take": 0.24, "bid": 0.24, "accept": 0.3}
COUNTERS = 0.05
OVERCOUNTERS = 0.2
CAPOT = 0.03


def random_record(
    rules: GameRules, seed: int, *, pending: int = 0, dealer: int | None = None,
    impose: FinalContract | None = None,
) -> Record:  # fmt: skip
    """A legal round of its own; the same arguments give the same round.

    Of an imposed contract, the suit of the upcard replaces the contract if it is trump.
    """
    return next(_rounds(rules, seed, pending=pending, dealer=dealer, impose=impose))


def random_played(rules: GameRules, number: int = 0, pending: int = 0) -> Record:
    """The `number`th random round that was not passed out."""
    rounds = (random_record(rules, seed, pending=pending) for seed in range(10_000))
    return next(islice((r for r in rounds if r.sender is not None), number, None))


def random_passed_out(rules: GameRules, pending: int = 0) -> Record:
    rounds = (random_record(rules, seed, pending=pending) for seed in range(10_000))
    return next(r for r in rounds if r.sender is None)


def random_game(rules: GameRules, seed: int) -> list[Record]:
    return list(_rounds(rules, seed, game_id=seed % 1000))


def _rounds(
    rules: GameRules, seed: int, *, pending: int = 0, dealer: int | None = None,
    impose: FinalContract | None = None, game_id: int | None = None,
) -> Iterator[Record]:  # fmt: skip
    referee = get_referee(rules)
    draw = random.Random(f"{rules} {seed}")
    dealer = draw.randrange(rules.seats) if dealer is None else dealer
    before = [rules.start_score] * rules.score_count
    number = 0
    while not referee.is_decided(before):
        teams = [rules.fixed_team_of(seat) for seat in range(rules.seats)]
        if rules.partners == "random":
            draw.shuffle(teams)
        record = _play_round(draw, referee, dealer, teams, pending, impose)
        after = referee.add_scores(before, teams, record["scores"])
        yield Record(
            game=rules.game,
            rules=rules.to_dict(),
            seed=seed,
            deal=number,
            players=["random"] * rules.seats,
            game_id=game_id,
            round=None if game_id is None else number,
            score_before=None if game_id is None else before,
            score_after=None if game_id is None else after,
            **record,
        )
        dealer = referee.find_next_dealer(dealer, record["sender"] is None)
        pending, before, number = record["pending_after"], after, number + 1


def _play_round(
    draw: random.Random, referee: Referee, dealer: int, teams: list[int], pending: int,
    impose: FinalContract | None,
) -> dict[str, Any]:  # fmt: skip
    """The keys of a record that one round fills."""
    rules = referee.rules
    pack = list(referee.pack)
    draw.shuffle(pack)
    hands = [{pack.pop() for _ in range(referee.dealt_count)} for _ in range(rules.seats)]
    dealt = [_texts(hand) for hand in hands]
    upcard = None
    if referee.has_upcard:
        holder = referee.find_upcard_seat(dealer, None)
        upcard = pack.pop() if holder is None else draw.choice(sorted(hands[holder]))
    if impose is None:
        calling = random_calling(draw, referee, dealer, teams, upcard)
        calls, called = calling.calls, calling.final_contract()
    else:
        calls, called = [], impose
        if upcard is not None and not referee.names_contract:
            called = impose._replace(contract=upcard.suit)
    tricks: list[PlayedTrick] = []
    if called is None:
        score = referee.score_passed_out(pending)
    else:
        if upcard is not None and referee.deals_after_calls:
            hands[called.sender].add(upcard)
        for hand in hands:
            hand.update(pack.pop() for _ in range(rules.tricks - len(hand)))
        tricks = _play(draw, referee, [set(hand) for hand in hands], dealer, teams, called.contract)
        score = referee.score_round(teams, called, hands, tricks, pending)
    return {
        "dealer": dealer,
        "teams": teams,
        "dealt": dealt,
        "turned": upcard and str(upcard),
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
    draw: random.Random, referee: Referee, dealer: int, teams: Sequence[int], upcard: Card | None
) -> Calling:
    """A whole calling by players who know nothing of their cards."""
    calling: Any = referee.start_calling(dealer, teams, upcard)
    while not calling.is_closed:
        calling.add(_draw_call(draw, referee, calling))
        _maybe_counter(draw, referee, calling)
    return calling  # type: ignore[no-any-return]


def _draw_call(draw: random.Random, referee: Referee, calling: Any) -> Call:
    seat = calling.turn
    if referee.question == "accept":
        choices = [Call(seat, "play")]
    else:
        contracts = list(referee.rules.contracts)
        draw.shuffle(contracts)
        if referee.question == "take":
            choices = [Call(seat, "take", contract=contract) for contract in contracts]
        else:
            counter = Call(seat, "counter")
            if draw.random() < COUNTERS and calling.explain_illegal_call(counter) is None:
                return counter
            amount = calling.lowest_amount + draw.choice((0, 0, 10, 20, 50))
            capot = draw.random() < CAPOT
            choices = [Call(seat, "bid", amount, contract, capot) for contract in contracts]
        choices = [call for call in choices if calling.explain_illegal_call(call) is None]
    speaks = choices and draw.random() < SPEAKS[referee.question]
    return choices[0] if speaks else Call(seat, "pass")


def _maybe_counter(draw: random.Random, referee: Referee, calling: Calling) -> None:
    """Ask whoever may counter or overcounter outside the turns."""
    replies: list[tuple[str, Literal["counter", "overcounter"], float]] = [
        ("bid", "counter", COUNTERS),
        ("counter", "overcounter", OVERCOUNTERS),
    ]
    for before, reply, chance in replies:
        if calling.calls[-1].call == before:
            for seat in range(referee.rules.seats):
                call = Call(seat, reply)
                if draw.random() < chance and calling.explain_illegal_call(call) is None:
                    calling.add(call)
                    break


def _play(
    draw: random.Random, referee: Referee, held: list[set[Card]], dealer: int, teams: list[int],
    contract: str,
) -> list[PlayedTrick]:  # fmt: skip
    tricks = []
    seats = len(held)
    leader = (dealer + 1) % seats
    while held[leader]:
        trick: list[Card] = []
        for place in range(seats):
            hand = held[(leader + place) % seats]
            legal = referee.list_legal_cards(hand, trick, leader, teams, contract)
            card = draw.choice(sorted(legal))
            hand.remove(card)
            trick.append(card)
        winner = referee.find_trick_winner(leader, trick, contract)
        tricks.append(PlayedTrick(leader, tuple(trick), winner))
        leader = winner
    return tricks


def _texts(hand: set[Card]) -> list[str]:
    return sorted(str(card) for card in hand)
