"""Replay recorded rounds and compare.

Rules, players, seed, deal, dealer and pending gratuity determine a round, and the Sender and the
contract an imposed one.  A record that differs was changed, or comes from another version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kqj_sim.core.block import LANES
from kqj_sim.core.round import MAX_ROUNDS
from kqj_sim.errors import InputError, RecordError
from kqj_sim.games import get_column_numbers, get_columns
from kqj_sim.imposed import ImposedContract
from kqj_sim.policies.players import parse_recorded_player
from kqj_sim.record import Record
from kqj_sim.rules import GameRules
from kqj_sim.simulation.experiment import MAX_DEAL, Experiment
from kqj_sim.simulation.recording import make_recording_block, play_rounds

__all__ = ["Replayed", "replay_records"]

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
    found: dict[int, Replayed] = {}
    together: dict[Experiment, list[int]] = defaultdict(list)
    known: dict[_Key, Experiment] = {}
    for number, record in enumerate(all_records):
        try:
            together[_find_experiment(record, known, allowed or {})].append(number)
        except InputError as error:
            found[number] = Replayed(record, reason=str(error))
    for experiment, numbers in together.items():
        for start in range(0, len(numbers), LANES):
            part = numbers[start : start + LANES]
            replayed = _replay(experiment, [all_records[number] for number in part])
            found.update(zip(part, replayed, strict=True))
    return [found[number] for number in range(len(all_records))]


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
        players = [parse_recorded_player(each, rules.game, allowed) for each in key[2]]
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
