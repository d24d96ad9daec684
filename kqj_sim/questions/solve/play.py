"""The round that `solve` is asked about, and its solution."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from kqj_sim.arguments import PoliciesLike, parse_imposed, parse_players
from kqj_sim.cards import Card
from kqj_sim.errors import InputError
from kqj_sim.games import KQJ
from kqj_sim.imposed import ImposedContract
from kqj_sim.notation.files import read_round_on
from kqj_sim.places import name_places
from kqj_sim.positions.position import Position
from kqj_sim.positions.reader import read_round
from kqj_sim.positions.solver import LEAST_MADE, Solver
from kqj_sim.referee.base import FinalContract
from kqj_sim.rules import GameRules, KqjRules
from kqj_sim.runner import Runner
from kqj_sim.simulation.experiment import Experiment
from kqj_sim.simulation.recording import play_records
from kqj_sim.simulation.workers import count_workers, map_in_threads


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


def make_experiment(
    rules: GameRules, policy: PoliciesLike | None, impose: str | ImposedContract | None, deals: int,
    seed: int, first: int,
) -> Experiment:  # fmt: skip
    """Return an experiment; raise InputError for another game than KQJ."""
    _require_kqj(rules.game)
    players, imposed = parse_players(policy, rules), parse_imposed(impose, rules)
    return Experiment(rules, players, deals, seed, first, imposed=imposed)


def play_round(experiment: Experiment) -> Position:
    """Return the first deal as players play it; raise InputError if it is passed out."""
    record = next(play_records(experiment))
    if record.contract is None:
        raise InputError(
            f"deal {experiment.first} is passed out: name another `deal`, or a contract, "
            "`impose='3rd:h'`"
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


def count_plays(at: Any, seats: int, default: int = 0) -> int:
    """Return the number of cards before `at`, a trick and a card from 1; InputError for a call."""
    if isinstance(at, str):
        raise InputError(f"`at` {at}: name a card, such as 3.2; calls are for `odds`")
    return default if at is None else seats * (at[0] - 1) + at[1] - 1


def go_back(position: Position, at: Any, default: int = 0) -> Position:
    """Return a round before a card, or after the first `default` ones; raise InputError."""
    plays = count_plays(at, position.rules.seats, default)
    if plays > len(position.plays):
        raise InputError(f"`at` {at[0]}.{at[1]}: the round has only {len(position.plays)} cards")
    return replace(position, plays=position.plays[:plays])


def solve_round(position: Position, at: Any, runner: Runner) -> Solution:
    """Return the solution of a round before a card, `(trick, card)` from 1.

    None is the next card of a round that breaks off, the first of one that is over.

    Raises:
        InputError: the round does not reach the card, or that is no card.
    """
    start = go_back(position, at, 0 if position.is_over else len(position.plays))
    rules, plays, solver = position.rules, len(start.plays), Solver()
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


def solve_turns(position: Position, at: Any, runner: Runner) -> list[Solution]:
    """Return the solution of each turn from a card on; the line of each is the card played there.

    Raises:
        InputError: as `solve_round`.
    """
    solver, start, turns = Solver(), go_back(position, at), []
    if start.plays == position.plays:
        raise InputError("`turns` are those played, and none is from there on: leave it out")
    solver.load(start)
    plays = position.plays[len(start.plays) :]
    with runner.start("cards", len(plays), polls=False):
        for card in plays:
            before = solver.position
            turns.append(Solution(before, dict(solver.rate_cards()), [(before.seat, card)]))
            solver.play(card)
            runner.advance(1)
    return turns


def list_sides(position: Position) -> dict[str, Position]:
    """Return the deal of a round by the places of each team, whose first one is the Sender."""
    seats, names = position.rules.seats, name_places(position.rules.seats)
    places: dict[int, list[int]] = {}
    for place in range(seats):
        places.setdefault(position.teams[(position.opener + place) % seats], []).append(place)
    return {
        ", ".join(names[place] for place in own): replace(
            position, calls=None, upcard=None, plays=(),
            hands=tuple(map(tuple, position.known_hands)),
            final_contract=FinalContract((position.opener + own[0]) % seats, "s"),
        )
        for own in places.values()
    }  # fmt: skip


def deal_sides(rules: GameRules, seed: int, deal: int) -> dict[str, Position]:
    """Return a deal by the places of a Sender: with taking the Return changes hands."""
    _require_kqj(rules.game)
    takes = getattr(rules, "bidding", None) == "take"
    amount = None if takes else cast(KqjRules, rules).minimum_bid
    places = rules.seats if takes else 1
    deals = [
        play_round(Experiment(rules, "greedy", 1, seed, deal, imposed=imposed))
        for imposed in (ImposedContract(place, "s", amount) for place in range(places))
    ]
    names = name_places(rules.seats)
    return dict(zip(names, deals, strict=True)) if takes else list_sides(deals[0])


def value_contracts(sides: Mapping[str, Position], runner: Runner) -> dict[tuple[str, str], float]:
    """Return the value of each contract of a deal by side: the lead with the best play of all.

    With auctions it is the highest amount with which it can be made, or 0.
    """
    rules = cast(KqjRules, next(iter(sides.values())).rules)
    pairs = [(side, contract) for side in sides for contract in rules.contracts]
    amounts = range(rules.minimum_bid, rules.max_amount + 1, 10)

    def fails(solver: Solver, deal: Position, amount: int) -> bool:
        solver.load(replace(deal, final_contract=deal.contract._replace(amount=amount)))
        return not solver.reaches(LEAST_MADE[rules.team_count])

    def value(solver: Solver, side: str, contract: str) -> float:
        final = FinalContract(sides[side].contract.sender, contract)
        deal = replace(sides[side], calls=None, upcard=None, plays=(), final_contract=final)
        if rules.bidding == "auction":
            made = bisect_left(amounts, True, key=lambda amount: fails(solver, deal, amount))
            return float(amounts[made - 1]) if made else 0.0
        solver.load(deal)
        return solver.find_lead()

    def make_worker() -> Callable[[int, int], list[float]]:
        solver = Solver()
        return lambda first, count: [value(solver, *pair) for pair in pairs[first : first + count]]

    values: list[float] = []
    with runner.start("contracts", len(pairs), polls=False):
        workers = [make_worker() for _ in range(count_workers(runner.workers))]
        for some in map_in_threads(workers, 0, len(pairs), 1):
            values += some
            runner.advance(len(some))
    return dict(zip(pairs, values, strict=True))
