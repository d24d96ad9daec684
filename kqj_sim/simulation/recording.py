"""Play rounds and convert the core's numbers to records (docs/records.md); replay and compare them.

Rules, players, seed, deal, dealer and pending gratuity determine a round, and the Sender and the
contract an imposed one.  A record that differs was changed, or comes from another version.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np

from kqj_sim.cards import CONTRACTS
from kqj_sim.core import block as core_block
from kqj_sim.core import round as core_games
from kqj_sim.core.bidding import LOG_SIZE
from kqj_sim.core.block import LANES, SEATS, STRIDE, TRICKS
from kqj_sim.core.cards import EACH_SUIT, TRUMP_QUEEN
from kqj_sim.core.round import MAX_ROUNDS, play_block
from kqj_sim.core.scoring import CAPOT_BONUS, KQ_BONUS, KQJ_BONUS, LAST_TRICK_BONUS
from kqj_sim.engines import get_engine
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import find_game, get_column_numbers, get_columns
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.card_sets import format_cards, split_cards
from kqj_sim.policies.players import parse_recorded_player
from kqj_sim.record import Bonus, Call, Record, Trick
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import MAX_DEAL, Experiment, make_endless_game_error
from kqj_sim.simulation.policy_errors import find_failed_round

CallName = Literal["pass", "take", "bid", "counter", "overcounter", "play"]
ResultName = Literal["made", "failed", "litigation", "tie", "passed_out"]


class RecordingBlock(ABC):
    """A block of rounds, played with its history and read lane by lane.

    Attributes:
        call_names: names of the calls, by the engine's number of their kind.
        result_names: names of the results, by the engine's number.
    """

    call_names: ClassVar[tuple[CallName, ...]]
    result_names: ClassVar[tuple[ResultName, ...]]

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.game = get_engine(experiment.rules)
        self.core_rules, seating = experiment.compile_seating()
        self.seating = seating._replace(keeps_history=1)
        self.players = [player.text for player in experiment.players]
        self.state = core_block.allocate_block()
        self.log = np.zeros(LOG_SIZE, dtype=np.int64)

    def play(self, lanes: int) -> None:
        """Play the rounds that the rows DEAL_NUMBER, DEALER and PENDING of the lanes name."""
        seed = self.experiment.seed
        play_block(self.state, lanes, seed, self.core_rules, self.seating, self.log)
        for lane in range(lanes):
            if self._read_row(core_block.ILLEGAL, lane):
                failed_round = find_failed_round(
                    self.state, self._read_row(core_block.DEAL_NUMBER, lane)
                )
                raise self.experiment.explain_illegal_choice(failed_round)

    def read_record(self, lane: int) -> Record:
        """Return the round of a lane, without the keys of a game, which are None."""
        taken = self._read_column("taken", lane) == 1
        contract = self._read_row(core_block.CONTRACT, lane)
        return Record(
            rules=self.experiment.rules.to_dict(),
            seed=self.experiment.seed,
            deal=self._read_row(core_block.DEAL_NUMBER, lane),
            players=self.players,
            game_id=None,
            round=None,
            score_before=None,
            score_after=None,
            dealer=self._read_row(core_block.DEALER, lane),
            teams=self._read_teams(lane),
            imposed=self.experiment.imposed is not None,
            calls=[self._make_call(*call) for call in self._iterate_calls(lane)],
            sender=self._read_column("sender", lane) if taken else None,
            contract=CONTRACTS[contract] if taken else None,
            hands=self._read_hands(lane, contract) if taken else None,
            tricks=self._read_tricks(lane, contract) if taken else [],
            card_points=self._read_team_values("card_points", lane),
            trick_counts=self._read_team_values("tricks", lane),
            result=self.result_names[self._read_column("result", lane)],
            pending_after=self._read_column("pending_after", lane),
            scores=self._read_team_values("score", lane),
            **self._get_game_keys(lane, taken, contract),
        )

    @abstractmethod
    def _get_game_keys(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        """Return the keys of a record that depend on the game."""

    def _make_call(self, kind: int, seat: int, value: int) -> Call:
        """Return a call; `value` is the engine's number of a bid or contract."""
        return Call(seat, self.call_names[kind])

    def get_original_lane(self, lane: int) -> int:
        """Return the number that a lane had before lanes were exchanged."""
        return self._read_row(core_block.ORIGINAL_LANE, lane)

    def _read_row(self, offset: int, lane: int) -> int:
        return int(self.state[offset + lane])

    def _read_rows(self, offset: int, lane: int, count: int) -> list[int]:
        return [self._read_row(offset + k * STRIDE, lane) for k in range(count)]

    def _read_places(self, offset: int, lane: int) -> list[int]:
        return self._read_rows(offset, lane, self.game.rules.seats)

    def _read_column(self, name: str, lane: int) -> int:
        return self._read_row(self.game.column_offset(name), lane)

    def _read_team_values(self, name: str, lane: int) -> list[int]:
        teams = self.experiment.rules.team_count
        return [self._read_column(f"{name}_{team}", lane) for team in range(teams)]

    def _format_cards(self, cards: int, contract: int | None = None) -> list[str]:
        return format_cards(cards, contract, self.game.rules.game)

    def _read_teams(self, lane: int) -> list[int]:
        return [
            self._read_column(f"team_of_seat_{seat}", lane) for seat in range(self.game.rules.seats)
        ]

    def _find_seat(self, lane: int, place: int) -> int:
        """Return the seat of a place, counted from the dealer's left."""
        return (self._read_row(core_block.DEALER, lane) + 1 + place) % self.game.rules.seats

    def _order_by_seat(self, by_place: Sequence[list[str]], lane: int) -> list[list[str]]:
        seats = self.game.rules.seats
        left = self._find_seat(lane, 0)
        return [by_place[(seat - left) % seats] for seat in range(seats)]

    def _iterate_calls(self, lane: int) -> Iterator[tuple[int, int, int]]:
        """Yield the kind, the seat and the engine's bid or contract of each call."""
        origin = self.get_original_lane(lane)
        for number in range(self._read_row(core_block.CALL_COUNT, lane)):
            entry = int(self.log[number * STRIDE + origin])
            yield entry & 15, self._find_seat(lane, (entry >> 4) & 15), entry >> 8

    def _read_hands(self, lane: int, contract: int) -> list[list[str]]:
        hands = self._read_places(core_block.DEALT, lane)
        return self._order_by_seat([self._format_cards(hand, contract) for hand in hands], lane)

    def _read_tricks(self, lane: int, contract: int) -> list[Trick]:
        tricks, leaders = [], []
        for trick in range(self.game.rules.tricks):
            start = core_block.TRICK_HISTORY + trick * (1 + SEATS) * STRIDE
            leader, *cards = self._read_rows(start, lane, 1 + self.game.rules.seats)
            leaders.append(self._find_seat(lane, leader))
            tricks.append([self._format_cards(card, contract)[0] for card in cards])
        leaders.append(self._find_seat(lane, self._read_row(core_block.LEADER, lane)))
        return [Trick(leaders[k], cards, leaders[k + 1]) for k, cards in enumerate(tricks)]


class KqjRecordingBlock(RecordingBlock):
    """A block of rounds of KQJ."""

    call_names = ("pass", "take", "bid", "counter", "overcounter")
    result_names = ("made", "failed", "litigation", "passed_out")

    def _get_game_keys(self, lane: int, taken: bool, contract: int) -> dict[str, Any]:
        rules = self.experiment.rules
        auction = rules.bidding == "auction"
        five = self._read_places(core_block.FIRST_FIVE, lane)
        further = self._read_places(core_block.FURTHER_CARDS, lane)
        turned = self._read_row(core_block.UPCARD, lane)
        eight = [cards | more for cards, more in zip(five, further, strict=True)]
        eight[SEATS - 1] |= turned
        dealt = [self._format_cards(cards) for cards in (eight if auction else five)]
        return {
            "game": "kqj",
            "dealt": self._order_by_seat(dealt, lane),
            "turned": None if auction else self._format_cards(turned)[0],
            "amount": self._read_row(core_block.AMOUNT, lane) if taken and auction else None,
            "capot": bool(self._read_row(core_block.CAPOT, lane)),
            "stake": self._read_row(core_block.STAKE, lane),
            "bonuses": self._read_bonuses(lane, contract) if taken else [],
            "totals": self._read_team_values("total", lane),
            "gratuities": self._read_team_values("gratuity", lane),
            "pending_before": self._read_column("pending_before", lane),
        }

    def _make_call(self, kind: int, seat: int, value: int) -> Call:
        call = self.call_names[kind]
        if call == "take":
            return Call(seat, call, contract=CONTRACTS[value])
        if call == "bid":
            return Call(seat, call, value >> 4, CONTRACTS[(value >> 1) & 7], bool(value & 1))
        return Call(seat, call)

    def _read_bonuses(self, lane: int, contract: int) -> list[Bonus]:
        """Return the bonuses one by one, as `core.scoring` counts them."""
        teams = self._read_teams(lane)
        last = teams[self._find_seat(lane, self._read_row(core_block.LEADER, lane))]
        bonuses = [Bonus("last_trick", last, LAST_TRICK_BONUS)]
        bonuses += [
            Bonus("capot", team, CAPOT_BONUS)
            for team, count in enumerate(self._read_team_values("tricks", lane))
            if count == TRICKS
        ]
        must_beat = self._read_row(core_block.MUST_BEAT, lane)
        played_earlier = self._read_row(core_block.UPPER_PLAYED_EARLIER, lane)
        for place, hand in enumerate(self._read_places(core_block.DEALT, lane)):
            seat = self._find_seat(lane, place)
            later = hand & played_earlier
            for queen in split_cards(later & (hand >> 1) & must_beat & (EACH_SUIT << TRUMP_QUEEN)):
                suit = self._format_cards(1 << queen, contract)[0][1]
                if later >> (queen - 1) & 1:
                    bonuses.append(Bonus("kqj", teams[seat], KQJ_BONUS, seat, suit))
                else:
                    bonuses.append(Bonus("kq", teams[seat], KQ_BONUS, seat, suit))
        return bonuses


def make_recording_block(experiment: Experiment) -> RecordingBlock:
    """Return a block for the rounds of an experiment."""
    return find_game(experiment.rules.game).make_recording_block(experiment)


def play_records(experiment: Experiment) -> Iterator[Record]:
    """Play the rounds of an experiment; yield their records in order of deal, or of game.

    Raises:
        InputError: a policy cannot be used, or makes an illegal choice.
        RunError: a game does not end.
    """
    if experiment.games is None:
        yield from _play_single_rounds(experiment)
    else:
        yield from _play_games(experiment)


def play_rounds(block: RecordingBlock, rounds: Sequence[tuple[int, int, int]]) -> list[Record]:
    """Play single rounds, each a deal, its dealer and the pending gratuity; at most `LANES`.

    The records are in the order of `rounds` and belong to no game.  Raises InputError if a policy
    makes an illegal choice.
    """
    lanes = len(rounds)
    block.game.start_deals(block.state, 0, lanes)
    numbers = np.array(rounds, dtype=np.int64).T
    for row, values in zip(
        (core_block.DEAL_NUMBER, core_block.DEALER, core_block.PENDING), numbers, strict=True
    ):
        block.state[row : row + lanes] = values
    block.play(lanes)
    by_origin = {block.get_original_lane(lane): block.read_record(lane) for lane in range(lanes)}
    return [by_origin[lane] for lane in range(lanes)]


def _play_single_rounds(experiment: Experiment) -> Iterator[Record]:
    block = make_recording_block(experiment)
    end = experiment.first + experiment.deals
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        block.game.start_deals(block.state, first, lanes)
        block.play(lanes)
        yield from sorted(map(block.read_record, range(lanes)), key=lambda record: record.deal)


def _play_games(experiment: Experiment) -> Iterator[Record]:
    block = make_recording_block(experiment)
    rules, seed = experiment.rules, experiment.seed
    slots = core_games.new_slots(LANES)

    def read_scores(slot: int) -> list[int]:
        start = core_games.SCORE
        return [int(value) for value in slots[slot, start : start + rules.score_count]]

    end = experiment.first + (experiment.games or 0)
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        core_games.start_games(slots, lanes, first, seed, block.core_rules)
        rounds: dict[int, list[Record]] = {first + slot: [] for slot in range(lanes)}
        while lanes > 0:
            core_games.assign_rounds(block.state, slots, lanes)
            block.play(lanes)
            before = [read_scores(slot) for slot in range(lanes)]
            block.game.advance(block.state, slots, lanes, block.core_rules)
            for lane in range(lanes):
                slot, record = block.get_original_lane(lane), block.read_record(lane)
                game = int(slots[slot, core_games.GAME])
                if len(rounds[game]) == core_games.MAX_ROUNDS:
                    raise make_endless_game_error(seed, record.deal - 1)
                record = msgspec.structs.replace(
                    record,
                    game_id=game,
                    round=len(rounds[game]),
                    score_before=before[slot],
                    score_after=read_scores(slot),
                )
                rounds[game].append(record)
            lanes = core_games.drop_finished(slots, lanes)
        for number in sorted(rounds):
            yield from rounds[number]


_GIVEN = frozenset(
    {
        "game", "rules", "seed", "deal", "players", "game_id", "round", "score_before",
        "score_after", "dealer", "imposed", "pending_before",
    }
)  # fmt: skip
"""Keys that say which round it is; the others are compared."""

_Key: TypeAlias = tuple[GameRules, int, tuple[str, ...], ImposedContract | None]

_DEALT = {"dealt", "turned", "teams"}
_CHOSEN = {"calls", "tricks", "sender", "contract", "hands"}


@dataclass(frozen=True)
class Replayed:
    """The outcome of replaying a recorded round.

    Attributes:
        differing: the keys of the record that differ, in its order; none if the rounds are equal.
        reason: the reason why the round could not be replayed; empty if it was.
    """

    record: Record
    differing: tuple[str, ...] = ()
    reason: str = ""

    @property
    def discrepancy(self) -> str:
        """One line with the differing keys and the likely cause; empty if there are none."""
        if not self.differing:
            return ""
        record, keys = self.record, ", ".join(self.differing)
        named = f"seed {record.seed}, deal {record.deal} and dealer {record.dealer}"
        if _DEALT & {*self.differing}:
            cause = f"{named} give other cards or teams"
        elif _CHOSEN & {*self.differing}:
            cause = f"{named} give these cards, but the players named choose otherwise"
        elif {*self.differing} <= {"game_id", "round"}:
            game, number = divmod(record.deal, MAX_ROUNDS)
            cause = f"deal {record.deal} is round {number} of game {game}"
        else:
            cause = "the same calls and cards give other results"
        return f"replay differs in {keys}: {cause}"


def replay_records(
    records: Iterable[Record], allowed: Mapping[str, str] | None = None
) -> list[Replayed]:
    """Replay the rounds of records and compare them, in the order given.

    `allowed` is what they may have run, as `parse_recorded_player` takes it.
    """
    all_records = list(records)
    results: dict[int, Replayed] = {}
    together: dict[Experiment, list[int]] = defaultdict(list)
    known: dict[_Key, Experiment] = {}
    for number, record in enumerate(all_records):
        try:
            together[_find_experiment(record, known, allowed or {})].append(number)
        except InputError as error:
            results[number] = Replayed(record, reason=str(error))
    for experiment, numbers in together.items():
        for start in range(0, len(numbers), LANES):
            part = numbers[start : start + LANES]
            replayed = _replay(experiment, [all_records[number] for number in part])
            results.update(zip(part, replayed, strict=True))
    return [results[number] for number in range(len(all_records))]


def _find_experiment(
    record: Record, known: dict[_Key, Experiment], allowed: Mapping[str, str]
) -> Experiment:
    """Return the experiment of a record's round; raise RecordError or InputError if it has none.

    Experiments are kept in `known`: parsing players takes longer than playing a round.
    """
    rules = record.game_rules()
    imposed = _read_imposed_contract(record, rules) if record.imposed else None
    key = rules, record.seed, tuple(record.players), imposed
    if key not in known:
        if not record.players:
            raise RecordError("players: none are named")
        players = [parse_recorded_player(player, rules.game, allowed) for player in key[2]]
        known[key] = Experiment(rules, players, deals=1, seed=record.seed, imposed=imposed)
    _check_numbers(record, rules)
    return known[key]


def _read_imposed_contract(record: Record, rules: GameRules) -> ImposedContract:
    """Return the Sender and contract of an imposed round; raises RecordError if there are none."""
    if record.sender is None or record.contract is None:
        raise RecordError("imposed: a round without a Sender and a contract is not imposed")
    place = (record.sender - record.dealer - 1) % rules.seats
    return ImposedContract(place, record.contract, record.amount)


def _check_numbers(record: Record, rules: GameRules) -> None:
    """Raise RecordError if the engine has no round of this deal, dealer and pending gratuity."""
    numbers = get_column_numbers(rules.game)
    pending = get_columns(rules.game)[numbers.get("pending_before") or numbers["raised"]]
    for key, value, most in (
        ("deal", record.deal, 2 * MAX_DEAL),
        ("dealer", record.dealer, rules.seats - 1),
        ("pending_before", record.pending_before, pending.high),
    ):
        if not 0 <= value <= most:
            raise RecordError(f"{key} is {value}: it should be 0 to {most}")


def _replay(experiment: Experiment, records: Sequence[Record]) -> list[Replayed]:
    """Replay at most `LANES` rounds of one experiment."""
    try:
        block = make_recording_block(experiment)
    except InputError as error:
        return [Replayed(record, reason=str(error)) for record in records]
    rounds = [(record.deal, record.dealer, record.pending_before) for record in records]
    try:
        again = play_rounds(block, rounds)
    except InputError as error:
        if len(records) == 1:
            return [Replayed(records[0], reason=str(error))]
        # One round stops the block: look for it by halves.
        middle = len(records) // 2
        return [*_replay(experiment, records[:middle]), *_replay(experiment, records[middle:])]
    return [
        Replayed(record, _find_differing_keys(record, other))
        for record, other in zip(records, again, strict=True)
    ]


def _find_differing_keys(record: Record, again: Record) -> tuple[str, ...]:
    keys = [
        key
        for key in Record.__struct_fields__
        if key not in _GIVEN
        and _sort_unordered(key, getattr(record, key)) != _sort_unordered(key, getattr(again, key))
    ]
    if record.game_id is not None:
        of_deal = zip(("game_id", "round"), divmod(record.deal, MAX_ROUNDS), strict=True)
        keys += [key for key, value in of_deal if getattr(record, key) != value]
    return tuple(keys)


def _sort_unordered(key: str, value: object) -> object:
    """Return a value with the cards of each hand, or the bonuses, in a fixed order."""
    if key in ("dealt", "hands") and isinstance(value, list):
        return [sorted(hand) for hand in value]
    return sorted(value, key=repr) if key == "bonuses" and isinstance(value, list) else value
