"""Continuations of a round: the reference player plays on at every seat, the cards as they are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from kqj_sim.cards import Card, parse_cards
from kqj_sim.policies.players import Player
from kqj_sim.positions.plan import EstimatePlan
from kqj_sim.positions.position import Position
from kqj_sim.positions.samplers import make_sampler
from kqj_sim.positions.sampling import derive_keys
from kqj_sim.questions.review.decisions import Decision, RecordedRound
from kqj_sim.questions.review.grading import derive_seed
from kqj_sim.referee.trick import PlayedTrick


class Continuation:
    """Continuations of a round; cards asked for before are not asked for again.

    Args:
        played: the round, of which all hands are known.
        reference: the player who plays on; of one who chooses at random a single way to go on.
        seed: seed of the draws of such a player.
    """

    def __init__(self, played: RecordedRound, reference: Player, seed: int) -> None:
        hands, ranks = played.record.hands or (), played.rules.ranks
        self._hands = [parse_cards(" ".join(hand or ()), ranks=ranks) for hand in hands]
        self._players = [reference] * played.rules.seats
        self._plan = EstimatePlan(seed=derive_seed(seed, played.line))
        self._found: dict[tuple[Card, ...], Card] = {}

    def list_tricks(self, decision: Decision, card: Card) -> list[PlayedTrick]:
        """Return the tricks from that of a decision on, if this card is played there."""
        position = self._play(decision.knowledge, card)
        while not position.is_over:
            if position.plays not in self._found:
                self._found[position.plays] = self._choose(position)
            position = self._play(position, self._found[position.plays])
        # Each trick is led by the winner of the one before; the last one has no cards.
        tricks = position.tricks[decision.trick - 1 :]
        return [PlayedTrick(*trick, winner) for trick, (winner, _) in pairwise(tricks)]

    def _play(self, position: Position, card: Card) -> Position:
        """Return the position of the player after this card, who sees their own hand."""
        plays = (*position.plays, card)
        unknown = replace(position, plays=plays, hands=((),) * len(self._hands))
        if unknown.is_over:
            return unknown
        hands = [hand if seat == unknown.seat else () for seat, hand in enumerate(self._hands)]
        return replace(unknown, hands=tuple(hands))

    def _choose(self, position: Position) -> Card:
        legal = position.legal_cards
        if len(legal) == 1:
            return legal[0]
        sampler = make_sampler(position, self._players, self._plan, 0)
        (text,) = sampler.ask(derive_keys(self._plan.seed, 0, 1))
        return position.referee.card_by_text[text]
