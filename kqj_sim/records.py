"""Rounds as records: the core's numbers turned into RECORD.md's form, one deal at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from kqj_sim.columns import CONTRACTS
from kqj_sim.core import games as core_games
from kqj_sim.core import state as core_state
from kqj_sim.core.bits import EACH_LANE, TRUMP_QUEEN
from kqj_sim.core.calls import LOG_SIZE
from kqj_sim.core.kwajongen.state import HANDS
from kqj_sim.core.scoring import CAPOT_BONUS, KQ_BONUS, KQJ_BONUS, LAST_TRICK
from kqj_sim.core.state import LANES, SEATS, STRIDE, TRICKS
from kqj_sim.encode import bits_of, card_texts
from kqj_sim.experiment import Experiment, endless_game
from kqj_sim.games import game_of
from kqj_sim.mistakes import round_of
from kqj_sim.record import Bonus, Call, Record, Trick
from kqj_sim.rules import KqjRules

CallName = Literal["pass", "take", "bid", "counter", "overcounter", "play"]
ResultName = Literal["made", "failed", "litigation", "tie", "passed_out"]


class _Block(ABC):
    """A block of rounds, played with everything noted, and read lane by lane.

    Attributes:
        said: what is said, by the kind of the call in the engine.
        results: what comes of a round, likewise.
    """

    said: ClassVar[tuple[CallName, ...]]
    results: ClassVar[tuple[ResultName, ...]]

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.game = game_of(experiment.rules)
        self.core_rules, table = experiment.table()
        self.table = table._replace(memory=1)
        self.players = [player.text for player in experiment.players]
        self.state = core_state.new_state()
        self.log = np.zeros(LOG_SIZE, dtype=np.int64)

    def play(self, lanes: int) -> None:
        """Deal, call and play the rounds that DEAL, DEALER and PENDING of the lanes name."""
        seed = self.experiment.seed
        self.game.play_block(self.state, lanes, seed, self.core_rules, self.table, self.log)
        for lane in range(lanes):
            if self._row(core_state.ILLEGAL, lane):
                deal = self._row(core_state.DEAL, lane)
                raise self.experiment.wrong_choice(round_of(self.state, seed, deal))

    def record(self, lane: int) -> Record:
        """The round of a lane; what tells which round of a whole game it is, is None."""
        taken = self._column("taken", lane) == 1
        contract = self._row(core_state.CONTRACT, lane)
        return Record(
            rules=self.experiment.rules.to_dict(),
            seed=self.experiment.seed,
            deal=self._row(core_state.DEAL, lane),
            players=self.players,
            game_id=None,
            round=None,
            score_before=None,
            score_after=None,
            dealer=self._row(core_state.DEALER, lane),
            teams=self._teams(lane),
            imposed=self.experiment.imposed is not None,
            calls=[self._call(*said) for said in self._said(lane)],
            sender=self._column("sender", lane) if taken else None,
            contract=CONTRACTS[contract] if taken else None,
            hands=self._hands(lane, contract) if taken else None,
            tricks=self._tricks(lane, contract) if taken else [],
            card_points=self._per_team("card_points", lane),
            trick_counts=self._per_team("tricks", lane),
            result=self.results[self._column("result", lane)],
            pending_after=self._column("pending_after", lane),
            scores=self._per_team("score", lane),
            **self._own(lane, taken, contract),
        )

    @abstractmethod
    def _own(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        """The keys of a record that each game fills in its own way."""

    def _call(self, kind: int, seat: int, what: int) -> Call:
        """A call of a kind; `what` is the engine's number of a bid or contract."""
        return Call(seat, self.said[kind])

    def origin(self, lane: int) -> int:
        """The number that a lane had before lanes were exchanged."""
        return self._row(core_state.ORIGIN, lane)

    def _row(self, offset: int, lane: int) -> int:
        return int(self.state[offset + lane])

    def _rows(self, offset: int, lane: int, count: int) -> list[int]:
        return [self._row(offset + k * STRIDE, lane) for k in range(count)]

    def _places(self, offset: int, lane: int) -> list[int]:
        return self._rows(offset, lane, self.game.seats)

    def _column(self, name: str, lane: int) -> int:
        return self._row(self.game.column(name), lane)

    def _per_team(self, name: str, lane: int) -> list[int]:
        teams = self.experiment.rules.team_count
        return [self._column(f"{name}_{team}", lane) for team in range(teams)]

    def _texts(self, cards: int, contract: int | None = None) -> list[str]:
        return card_texts(cards, contract, self.game.name)

    def _teams(self, lane: int) -> list[int]:
        return [self._column(f"team_of_seat_{seat}", lane) for seat in range(self.game.seats)]

    def _seat(self, lane: int, place: int) -> int:
        """The seat of a place, counted from the dealer's left."""
        return (self._row(core_state.DEALER, lane) + 1 + place) % self.game.seats

    def _by_seat(self, by_place: Sequence[list[str]], lane: int) -> list[list[str]]:
        """What is listed by place, listed by seat."""
        seats = self.game.seats
        left = self._seat(lane, 0)
        return [by_place[(seat - left) % seats] for seat in range(seats)]

    def _said(self, lane: int) -> Iterator[tuple[int, int, int]]:
        """The kind, the seat and the bid or contract of each call."""
        origin = self.origin(lane)
        for number in range(self._row(core_state.CALL_COUNT, lane)):
            entry = int(self.log[number * STRIDE + origin])
            yield entry & 15, self._seat(lane, (entry >> 4) & 15), entry >> 8

    def _hands(self, lane: int, contract: int) -> list[list[str]]:
        hands = self._places(core_state.DEALT, lane)
        return self._by_seat([self._texts(hand, contract) for hand in hands], lane)

    def _tricks(self, lane: int, contract: int) -> list[Trick]:
        tricks, leaders = [], []
        for trick in range(self.game.tricks):
            start = core_state.HISTORY + trick * (1 + SEATS) * STRIDE
            leader, *cards = self._rows(start, lane, 1 + self.game.seats)
            leaders.append(self._seat(lane, leader))
            tricks.append([self._texts(card, contract)[0] for card in cards])
        leaders.append(self._seat(lane, self._row(core_state.LEADER, lane)))
        return [Trick(leaders[k], cards, leaders[k + 1]) for k, cards in enumerate(tricks)]


class _KqjBlock(_Block):
    """A block of rounds of KQJ."""

    said = ("pass", "take", "bid", "counter", "overcounter")
    results = ("made", "failed", "litigation", "passed_out")

    def _own(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        rules = self.experiment.rules
        auction = isinstance(rules, KqjRules) and rules.bidding == "auction"
        five, extra = self._places(core_state.FIVE, lane), self._places(core_state.EXTRA, lane)
        turned = self._row(core_state.TURNED, lane)
        eight = [cards | more for cards, more in zip(five, extra, strict=True)]
        eight[SEATS - 1] |= turned
        dealt = [self._texts(cards) for cards in (eight if auction else five)]
        return {
            "game": "kqj",
            "dealt": self._by_seat(dealt, lane),
            "turned": None if auction else self._texts(turned)[0],
            "amount": self._row(core_state.AMOUNT, lane) if taken and auction else None,
            "capot": bool(self._row(core_state.CAPOT, lane)),
            "stake": self._row(core_state.STAKE, lane),
            "bonuses": self._bonuses(lane, contract) if taken else [],
            "totals": self._per_team("total", lane),
            "gratuities": self._per_team("gratuity", lane),
            "pending_before": self._column("pending_before", lane),
        }

    def _call(self, kind: int, seat: int, what: int) -> Call:
        call = self.said[kind]
        if call == "take":
            return Call(seat, call, contract=CONTRACTS[what])
        if call == "bid":
            return Call(seat, call, what >> 4, CONTRACTS[(what >> 1) & 7], bool(what & 1))
        return Call(seat, call)

    def _bonuses(self, lane: int, contract: int) -> list[Bonus]:
        """The bonuses one by one, as `core.scoring` counts them."""
        teams = self._teams(lane)
        last = teams[self._seat(lane, self._row(core_state.LEADER, lane))]
        bonuses = [Bonus("last_trick", last, LAST_TRICK)]
        bonuses += [
            Bonus("capot", team, CAPOT_BONUS)
            for team, count in enumerate(self._per_team("tricks", lane))
            if count == TRICKS
        ]
        climbing = self._row(core_state.CLIMBING, lane)
        before = self._row(core_state.BEFORE, lane)
        for place, hand in enumerate(self._places(core_state.DEALT, lane)):
            seat = self._seat(lane, place)
            later = hand & before
            for queen in bits_of(later & (hand >> 1) & climbing & (EACH_LANE << TRUMP_QUEEN)):
                suit = self._texts(1 << queen, contract)[0][1]
                if later >> (queen - 1) & 1:
                    bonuses.append(Bonus("kqj", teams[seat], KQJ_BONUS, seat, suit))
                else:
                    bonuses.append(Bonus("kq", teams[seat], KQ_BONUS, seat, suit))
        return bonuses


class _KwajongenBlock(_Block):
    """A block of rounds of Kwajongen."""

    said = ("pass", "play")
    results = ("made", "failed", "tie", "passed_out")

    def _own(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        dealt = [self._texts(cards) for cards in self._places(HANDS, lane)]
        return {
            "game": "kwajongen",
            "dealt": self._by_seat(dealt, lane),
            "turned": self._texts(self._row(core_state.TURNED, lane))[0],
            "amount": None,
            "capot": False,
            "stake": 1,
            "bonuses": [],
            "totals": self._per_team("card_points", lane),
            "gratuities": [0] * self.experiment.rules.team_count,
            "pending_before": self._column("raised", lane),
        }


_BLOCKS: dict[str, type[_Block]] = {"kqj": _KqjBlock, "kwajongen": _KwajongenBlock}


def block_of(experiment: Experiment) -> _Block:
    """A block for the rounds of an experiment."""
    return _BLOCKS[experiment.rules.game](experiment)


def play_records(experiment: Experiment) -> Iterator[Record]:
    """Play the rounds of an experiment and give each as a record, in order of deal, or of game.

    Raises:
        PolicyError: a policy cannot be used, or makes a choice that is not allowed.
        GameError: a game does not end.
    """
    if experiment.games is None:
        yield from _single_rounds(experiment)
    else:
        yield from _games(experiment)


def play_rounds(block: _Block, rounds: Sequence[tuple[int, int, int]]) -> list[Record]:
    """Play rounds named by deal, dealer and pending gratuity, with the block's experiment.

    Args:
        block: a block; its experiment gives rules, players, seed and imposed contract.
        rounds: deal, dealer and pending gratuity of each round, `LANES` at most.

    Returns:
        The records in the order of `rounds`; they belong to no game.

    Raises:
        PolicyError: a policy makes a choice that is not allowed.
    """
    lanes = len(rounds)
    block.game.start_deals(block.state, 0, lanes)
    numbers = np.array(rounds, dtype=np.int64).T
    for row, values in zip(
        (core_state.DEAL, core_state.DEALER, core_state.PENDING), numbers, strict=True
    ):
        block.state[row : row + lanes] = values
    block.play(lanes)
    by_origin = {block.origin(lane): block.record(lane) for lane in range(lanes)}
    return [by_origin[lane] for lane in range(lanes)]


def _single_rounds(experiment: Experiment) -> Iterator[Record]:
    block = block_of(experiment)
    end = experiment.first + experiment.deals
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        block.game.start_deals(block.state, first, lanes)
        block.play(lanes)
        yield from sorted(map(block.record, range(lanes)), key=lambda record: record.deal)


def _games(experiment: Experiment) -> Iterator[Record]:
    block = block_of(experiment)
    rules, seed = experiment.rules, experiment.seed
    slots = core_games.new_slots(LANES)

    def scores(slot: int) -> list[int]:
        start = core_games.SCORE
        return [int(value) for value in slots[slot, start : start + rules.score_count]]

    end = experiment.first + (experiment.games or 0)
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        for slot in range(lanes):
            block.game.start_game(slots, slot, first + slot, seed)
        rounds: dict[int, list[Record]] = {first + slot: [] for slot in range(lanes)}
        while lanes > 0:
            block.game.name_rounds(block.state, slots, lanes)
            block.play(lanes)
            before = [scores(slot) for slot in range(lanes)]
            block.game.advance(
                block.state, slots, lanes, block.core_rules, block.game.target(rules)
            )
            for lane in range(lanes):
                slot, record = block.origin(lane), block.record(lane)
                game = int(slots[slot, core_games.GAME])
                if len(rounds[game]) == core_games.ROUNDS:
                    raise endless_game(seed, record.deal - 1)
                record = msgspec.structs.replace(
                    record,
                    game_id=game,
                    round=len(rounds[game]),
                    score_before=before[slot],
                    score_after=scores(slot),
                )
                rounds[game].append(record)
            lanes = core_games.drop_finished(slots, lanes)
        for number in sorted(rounds):
            yield from rounds[number]
