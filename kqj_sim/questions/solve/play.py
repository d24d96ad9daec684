"""The round that `solve` is asked about, and its solution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kqj_sim.arguments import PoliciesLike, parse_imposed, parse_players
from kqj_sim.cards import Card
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ
from kqj_sim.imposed import ImposedContract
from kqj_sim.notation.files import read_round_on
from kqj_sim.places import name_places
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import Solver
from kqj_sim.rules import GameRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records


@dataclass(frozen=True)
class Solution:
    """A round with all cards open, solved at one of its turns.

    Attributes:
        position: the round before the turn.
        leads: the lead of the contracting side after each legal card, with the best play.
        line: the best play from there on, with the seat of each card.
    """

    position: Position
    leads: dict[Card, float]
    line: list[tuple[int, Card]]

    @property
    def sign(self) -> int:
        """1 if the player to play belongs to the contracting side, else -1."""
        position = self.position
        own = position.teams[position.seat] == position.teams[position.contract.sender]
        return 1 if own else -1

    @property
    def lead(self) -> float:
        """The lead of the contracting side with the best play of all."""
        return self.sign * max(self.sign * lead for lead in self.leads.values())


def play_round(
    rules: GameRules, policy: PoliciesLike | None, impose: str | ImposedContract | None, seed: int,
    deal: int,
) -> Position:  # fmt: skip
    """Return a deal as players play it; raise InputError if it is passed out."""
    _require_kqj(rules.game)
    imposed = parse_imposed(impose, rules)
    experiment = Experiment(rules, parse_players(policy, rules), 1, seed, deal, None, imposed)
    record = next(play_records(experiment))
    if record.contract is None:
        raise InputError(
            f"deal {deal} is passed out: name another `deal`, or a contract, `impose='3rd:h'`"
        )
    return read_round(record)


def read_recorded_round(file: str | bytes, line: int) -> Position:
    """Return the round on a line of a file, or of its content, of which every card must be known.

    Raises:
        RecordError: there is no such round, or it is damaged.
        InputError: it is not known in full, or has no contract.
    """
    record, _ = read_round_on(file, line)
    _require_kqj(record.game)
    position = read_round(record)
    if position.final_contract is None:
        raise InputError(f"the round on line {line} has no contract: solve one that is played")
    places = name_places(position.rules.seats)
    missing = [
        places[position.place_of(seat)]
        for seat, hand in enumerate(position.known_hands)
        if len(hand) != position.rules.tricks
    ]
    if missing:
        raise InputError(
            f"the round on line {line} is not known in full: `solve` needs all eight cards of the "
            f"{', '.join(missing)}"
        )
    return position


def _require_kqj(game: str) -> None:
    if game != KQJ.name:
        raise InputError("`kqj.solve()` is for KQJ: Kwajongen, with four tricks, needs no solver")


def solve_round(position: Position, at: Any, runner: Runner) -> Solution:
    """Return the solution of a round before a card, `(trick, card)` from 1.

    None is the next card of a round that breaks off, the first of one that is over.

    Raises:
        InputError: the round does not reach the card, or that is no card.
    """
    if isinstance(at, str):
        raise InputError(f"`at` {at}: name a card, such as 3.2; calls are for `odds`")
    rules, played = position.rules, len(position.plays)
    plays = 0 if position.is_over else played
    if at is not None:
        plays = rules.seats * (at[0] - 1) + at[1] - 1
        if plays > played:
            raise InputError(f"`at` {at[0]}.{at[1]}: the round has only {played} cards")
    solver, start = Solver(), replace(position, plays=position.plays[:plays])
    solver.load(start)
    leads: dict[Card, float] = {}
    line: list[tuple[int, Card]] = []
    legal, left = start.legal_cards, rules.seats * rules.tricks - plays
    # Ctrl-C is noticed between two cards.
    with runner.start("cards", len(legal) + left, polls=False):
        for card, lead in solver.rate_cards():
            leads[card] = lead
            runner.advance(1)
        solution = Solution(start, leads, line)
        while not solver.position.is_over:
            best = solver.find_best_card(solution.lead)
            line.append((solver.position.seat, best))
            solver.play(best)
            runner.advance(1)
    return solution
