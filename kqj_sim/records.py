"""Rounds as records: the core's numbers turned into RECORD.md's form, one deal at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from kqj_sim.columns import CONTRACT_LABELS
from kqj_sim.core import block as core_state
from kqj_sim.core import games as core_games
from kqj_sim.core.bidding import LOG_SIZE
from kqj_sim.core.block import LANES, SEATS, STRIDE, TRICKS
from kqj_sim.core.cards import EACH_SUIT, TRUMP_QUEEN
from kqj_sim.core.kwajongen.cards import DEALT_FOUR
from kqj_sim.core.scoring import CAPOT_BONUS, KQ_BONUS, KQJ_BONUS, LAST_TRICK_BONUS
from kqj_sim.encode import format_cards, split_cards
from kqj_sim.experiment import Experiment, make_endless_game_error
from kqj_sim.games import get_game
from kqj_sim.policy_errors import find_failed_round
from kqj_sim.record import Bonus, Call, Record, Trick
from kqj_sim.rules import KqjRules

CallName = Literal["pass", "take", "bid", "counter", "overcounter", "play"]
ResultName = Literal["made", "failed", "litigation", "tie", "passed_out"]


class _RecordingBlock(ABC):
    """A block of rounds, played with everything noted, and read lane by lane.

    Attributes:
        said: what is said, by the kind of the call in the engine.
        results: what comes of a round, likewise.
    """

    said: ClassVar[tuple[CallName, ...]]
    results: ClassVar[tuple[ResultName, ...]]

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.game = get_game(experiment.rules)
        self.core_rules, table = experiment.compile_seating()
        self.table = table._replace(keeps_history=1)
        self.players = [player.text for player in experiment.players]
        self.state = core_state.allocate_block()
        self.log = np.zeros(LOG_SIZE, dtype=np.int64)

    def play(self, lanes: int) -> None:
        """Deal, call and play the rounds that DEAL, DEALER and PENDING of the lanes name."""
        seed = self.experiment.seed
        self.game.play_block(self.state, lanes, seed, self.core_rules, self.table, self.log)
        for lane in range(lanes):
            if self._read_row(core_state.ILLEGAL, lane):
                deal = self._read_row(core_state.DEAL_NUMBER, lane)
                raise self.experiment.explain_illegal_choice(
                    find_failed_round(self.state, seed, deal)
                )

    def record(self, lane: int) -> Record:
        """The round of a lane; what tells which round of a whole game it is, is None."""
        taken = self._column("taken", lane) == 1
        contract = self._read_row(core_state.CONTRACT, lane)
        return Record(
            rules=self.experiment.rules.to_dict(),
            seed=self.experiment.seed,
            deal=self._read_row(core_state.DEAL_NUMBER, lane),
            players=self.players,
            game_id=None,
            round=None,
            score_before=None,
            score_after=None,
            dealer=self._read_row(core_state.DEALER, lane),
            teams=self._read_teams(lane),
            imposed=self.experiment.imposed is not None,
            calls=[self._make_call(*said) for said in self._iterate_calls(lane)],
            sender=self._column("sender", lane) if taken else None,
            contract=CONTRACT_LABELS[contract] if taken else None,
            hands=self._read_hands(lane, contract) if taken else None,
            tricks=self._read_tricks(lane, contract) if taken else [],
            card_points=self._read_team_values("card_points", lane),
            trick_counts=self._read_team_values("tricks", lane),
            result=self.results[self._column("result", lane)],
            pending_after=self._column("pending_after", lane),
            scores=self._read_team_values("score", lane),
            **self._own(lane, taken, contract),
        )

    @abstractmethod
    def _own(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        """The keys of a record that each game fills in its own way."""

    def _make_call(self, kind: int, seat: int, value: int) -> Call:
        """A call of a kind; `value` is the engine's number of a bid or contract."""
        return Call(seat, self.said[kind])

    def get_original_lane(self, lane: int) -> int:
        """The number that a lane had before lanes were exchanged."""
        return self._read_row(core_state.ORIGINAL_LANE, lane)

    def _read_row(self, offset: int, lane: int) -> int:
        return int(self.state[offset + lane])

    def _read_rows(self, offset: int, lane: int, count: int) -> list[int]:
        return [self._read_row(offset + k * STRIDE, lane) for k in range(count)]

    def _read_places(self, offset: int, lane: int) -> list[int]:
        return self._read_rows(offset, lane, self.game.seats)

    def _column(self, name: str, lane: int) -> int:
        return self._read_row(self.game.column_offset(name), lane)

    def _read_team_values(self, name: str, lane: int) -> list[int]:
        teams = self.experiment.rules.team_count
        return [self._column(f"{name}_{team}", lane) for team in range(teams)]

    def _format_cards(self, cards: int, contract: int | None = None) -> list[str]:
        return format_cards(cards, contract, self.game.name)

    def _read_teams(self, lane: int) -> list[int]:
        return [self._column(f"team_of_seat_{seat}", lane) for seat in range(self.game.seats)]

    def _seat(self, lane: int, place: int) -> int:
        """The seat of a place, counted from the dealer's left."""
        return (self._read_row(core_state.DEALER, lane) + 1 + place) % self.game.seats

    def _order_by_seat(self, by_place: Sequence[list[str]], lane: int) -> list[list[str]]:
        """What is listed by place, listed by seat."""
        seats = self.game.seats
        left = self._seat(lane, 0)
        return [by_place[(seat - left) % seats] for seat in range(seats)]

    def _iterate_calls(self, lane: int) -> Iterator[tuple[int, int, int]]:
        """The kind, the seat and the bid or contract of each call."""
        origin = self.get_original_lane(lane)
        for number in range(self._read_row(core_state.CALL_COUNT, lane)):
            entry = int(self.log[number * STRIDE + origin])
            yield entry & 15, self._seat(lane, (entry >> 4) & 15), entry >> 8

    def _read_hands(self, lane: int, contract: int) -> list[list[str]]:
        hands = self._read_places(core_state.DEALT, lane)
        return self._order_by_seat([self._format_cards(hand, contract) for hand in hands], lane)

    def _read_tricks(self, lane: int, contract: int) -> list[Trick]:
        tricks, leaders = [], []
        for trick in range(self.game.tricks):
            start = core_state.TRICK_HISTORY + trick * (1 + SEATS) * STRIDE
            leader, *cards = self._read_rows(start, lane, 1 + self.game.seats)
            leaders.append(self._seat(lane, leader))
            tricks.append([self._format_cards(card, contract)[0] for card in cards])
        leaders.append(self._seat(lane, self._read_row(core_state.LEADER, lane)))
        return [Trick(leaders[k], cards, leaders[k + 1]) for k, cards in enumerate(tricks)]


class _KqjRecordingBlock(_RecordingBlock):
    """A block of rounds of KQJ."""

    said = ("pass", "take", "bid", "counter", "overcounter")
    results = ("made", "failed", "litigation", "passed_out")

    def _own(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        rules = self.experiment.rules
        auction = isinstance(rules, KqjRules) and rules.bidding == "auction"
        five, extra = (
            self._read_places(core_state.FIRST_FIVE, lane),
            self._read_places(core_state.FURTHER_CARDS, lane),
        )
        turned = self._read_row(core_state.UPCARD, lane)
        eight = [cards | more for cards, more in zip(five, extra, strict=True)]
        eight[SEATS - 1] |= turned
        dealt = [self._format_cards(cards) for cards in (eight if auction else five)]
        return {
            "game": "kqj",
            "dealt": self._order_by_seat(dealt, lane),
            "turned": None if auction else self._format_cards(turned)[0],
            "amount": self._read_row(core_state.AMOUNT, lane) if taken and auction else None,
            "capot": bool(self._read_row(core_state.CAPOT, lane)),
            "stake": self._read_row(core_state.STAKE, lane),
            "bonuses": self._read_bonuses(lane, contract) if taken else [],
            "totals": self._read_team_values("total", lane),
            "gratuities": self._read_team_values("gratuity", lane),
            "pending_before": self._column("pending_before", lane),
        }

    def _make_call(self, kind: int, seat: int, value: int) -> Call:
        call = self.said[kind]
        if call == "take":
            return Call(seat, call, contract=CONTRACT_LABELS[value])
        if call == "bid":
            return Call(seat, call, value >> 4, CONTRACT_LABELS[(value >> 1) & 7], bool(value & 1))
        return Call(seat, call)

    def _read_bonuses(self, lane: int, contract: int) -> list[Bonus]:
        """The bonuses one by one, as `core.scoring` counts them."""
        teams = self._read_teams(lane)
        last = teams[self._seat(lane, self._read_row(core_state.LEADER, lane))]
        bonuses = [Bonus("last_trick", last, LAST_TRICK_BONUS)]
        bonuses += [
            Bonus("capot", team, CAPOT_BONUS)
            for team, count in enumerate(self._read_team_values("tricks", lane))
            if count == TRICKS
        ]
        climbing = self._read_row(core_state.MUST_BEAT, lane)
        before = self._read_row(core_state.UPPER_PLAYED_EARLIER, lane)
        for place, hand in enumerate(self._read_places(core_state.DEALT, lane)):
            seat = self._seat(lane, place)
            later = hand & before
            for queen in split_cards(later & (hand >> 1) & climbing & (EACH_SUIT << TRUMP_QUEEN)):
                suit = self._format_cards(1 << queen, contract)[0][1]
                if later >> (queen - 1) & 1:
                    bonuses.append(Bonus("kqj", teams[seat], KQJ_BONUS, seat, suit))
                else:
                    bonuses.append(Bonus("kq", teams[seat], KQ_BONUS, seat, suit))
        return bonuses


class _KwajongenRecordingBlock(_RecordingBlock):
    """A block of rounds of Kwajongen."""

    said = ("pass", "play")
    results = ("made", "failed", "tie", "passed_out")

    def _own(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        dealt = [self._format_cards(cards) for cards in self._read_places(DEALT_FOUR, lane)]
        return {
            "game": "kwajongen",
            "dealt": self._order_by_seat(dealt, lane),
            "turned": self._format_cards(self._read_row(core_state.UPCARD, lane))[0],
            "amount": None,
            "capot": False,
            "stake": 1,
            "bonuses": [],
            "totals": self._read_team_values("card_points", lane),
            "gratuities": [0] * self.experiment.rules.team_count,
            "pending_before": self._column("raised", lane),
        }


_RECORDING_BLOCKS: dict[str, type[_RecordingBlock]] = {
    "kqj": _KqjRecordingBlock,
    "kwajongen": _KwajongenRecordingBlock,
}


def make_recording_block(experiment: Experiment) -> _RecordingBlock:
    """A block for the rounds of an experiment."""
    return _RECORDING_BLOCKS[experiment.rules.game](experiment)


def play_records(experiment: Experiment) -> Iterator[Record]:
    """Play the rounds of an experiment and give each as a record, in order of deal, or of game.

    Raises:
        PolicyError: a policy cannot be used, or makes a choice that is not allowed.
        GameError: a game does not end.
    """
    if experiment.games is None:
        yield from _play_single_rounds(experiment)
    else:
        yield from _play_games(experiment)


def play_rounds(block: _RecordingBlock, rounds: Sequence[tuple[int, int, int]]) -> list[Record]:
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
        (core_state.DEAL_NUMBER, core_state.DEALER, core_state.PENDING), numbers, strict=True
    ):
        block.state[row : row + lanes] = values
    block.play(lanes)
    by_origin = {block.get_original_lane(lane): block.record(lane) for lane in range(lanes)}
    return [by_origin[lane] for lane in range(lanes)]


def _play_single_rounds(experiment: Experiment) -> Iterator[Record]:
    block = make_recording_block(experiment)
    end = experiment.first + experiment.deals
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        block.game.start_deals(block.state, first, lanes)
        block.play(lanes)
        yield from sorted(map(block.record, range(lanes)), key=lambda record: record.deal)


def _play_games(experiment: Experiment) -> Iterator[Record]:
    block = make_recording_block(experiment)
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
            block.game.assign_rounds(block.state, slots, lanes)
            block.play(lanes)
            before = [scores(slot) for slot in range(lanes)]
            block.game.advance_games(
                block.state, slots, lanes, block.core_rules, block.game.find_target(rules)
            )
            for lane in range(lanes):
                slot, record = block.get_original_lane(lane), block.record(lane)
                game = int(slots[slot, core_games.GAME])
                if len(rounds[game]) == core_games.MAX_ROUNDS:
                    raise make_endless_game_error(seed, record.deal - 1)
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
