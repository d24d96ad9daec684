"""Rounds as records: the core's numbers turned into RECORD.md's form, one deal at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
import numpy as np

from kqj_sim.columns import COLUMN_NUMBER, CONTRACTS
from kqj_sim.core import games as core_games
from kqj_sim.core import state as core_state
from kqj_sim.core.bits import EACH_LANE, TRUMP_QUEEN
from kqj_sim.core.calls import LOG_SIZE
from kqj_sim.core.round import play_block, start_deals
from kqj_sim.core.scoring import CAPOT_BONUS, KQ_BONUS, KQJ_BONUS, LAST_TRICK
from kqj_sim.core.state import LANES, SEATS, STRIDE, TRICKS
from kqj_sim.encode import bits_of, card_texts
from kqj_sim.mistakes import round_of
from kqj_sim.record import Bonus, Call, Record, Trick
from kqj_sim.simulation import Experiment, endless_game

_CALLS: tuple[Literal["pass", "take", "bid", "counter", "overcounter"], ...] = (
    "pass", "take", "bid", "counter", "overcounter",
)  # fmt: skip
"""By the kinds of `core.calls`."""

_RESULTS: tuple[Literal["made", "failed", "litigation", "passed_out"], ...] = (
    "made", "failed", "litigation", "passed_out",
)  # fmt: skip


class _Block:
    """A block of rounds, played with everything noted, and read lane by lane."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.rules = experiment.rules
        self.core_rules, table = experiment.table()
        self.table = table._replace(memory=1)
        self.players = [player.text for player in experiment.players]
        self.state = core_state.new_state()
        self.log = np.zeros(LOG_SIZE, dtype=np.int64)

    def play(self, lanes: int) -> None:
        """Deal, call and play the rounds that DEAL, DEALER and PENDING of the lanes name."""
        seed = self.experiment.seed
        play_block(self.state, lanes, seed, self.core_rules, self.table, self.log)
        for lane in range(lanes):
            if self._row(core_state.ILLEGAL, lane):
                deal = self._row(core_state.DEAL, lane)
                raise self.experiment.wrong_choice(round_of(self.state, seed, deal))

    def _row(self, offset: int, lane: int) -> int:
        return int(self.state[offset + lane])

    def _rows(self, offset: int, lane: int, count: int = SEATS) -> list[int]:
        return [self._row(offset + k * STRIDE, lane) for k in range(count)]

    def _column(self, name: str, lane: int) -> int:
        return self._row(core_state.RESULT + COLUMN_NUMBER[name] * STRIDE, lane)

    def _per_team(self, name: str, lane: int) -> list[int]:
        return [self._column(f"{name}_{team}", lane) for team in range(self.rules.teams)]

    def origin(self, lane: int) -> int:
        """The number that a lane had before lanes were exchanged."""
        return self._row(core_state.ORIGIN, lane)

    def record(self, lane: int) -> Record:
        """The round of a lane; what belongs to a game is left out."""
        rules, auction = self.rules, self.rules.bidding == "auction"
        opener = (self._row(core_state.DEALER, lane) + 1) % SEATS
        five, extra = self._rows(core_state.FIVE, lane), self._rows(core_state.EXTRA, lane)
        turned = self._row(core_state.TURNED, lane)
        eight = [cards | more for cards, more in zip(five, extra, strict=True)]
        eight[SEATS - 1] |= turned
        taken = self._column("taken", lane) == 1
        contract = self._row(core_state.CONTRACT, lane)
        amount = self._row(core_state.AMOUNT, lane)
        tricks = self._tricks(lane, contract, opener) if taken else []
        return Record(
            game="kqj",
            rules=rules.to_dict(),
            seed=self.experiment.seed,
            deal=self._row(core_state.DEAL, lane),
            players=self.players,
            game_id=None,
            round=None,
            score_before=None,
            score_after=None,
            dealer=self._row(core_state.DEALER, lane),
            teams=self._teams(lane),
            dealt=_by_seat([card_texts(cards) for cards in (eight if auction else five)], opener),
            turned=None if auction else card_texts(turned)[0],
            imposed=self.experiment.imposed is not None,
            calls=self._calls(lane, opener),
            sender=self._column("sender", lane) if taken else None,
            contract=CONTRACTS[contract] if taken else None,
            amount=amount if taken and auction else None,
            capot=bool(self._row(core_state.CAPOT, lane)),
            stake=self._row(core_state.STAKE, lane),
            hands=self._hands(lane, contract, opener) if taken else None,
            tricks=tricks,
            card_points=self._per_team("card_points", lane),
            trick_counts=self._per_team("tricks", lane),
            bonuses=self._bonuses(lane, contract, opener) if taken else [],
            totals=self._per_team("total", lane),
            result=_RESULTS[self._column("result", lane)],
            gratuities=self._per_team("gratuity", lane),
            pending_before=self._column("pending_before", lane),
            pending_after=self._column("pending_after", lane),
            scores=self._per_team("score", lane),
        )

    def _teams(self, lane: int) -> list[int]:
        return [self._column(f"team_of_seat_{seat}", lane) for seat in range(SEATS)]

    def _calls(self, lane: int, opener: int) -> list[Call]:
        calls = []
        origin = self.origin(lane)
        for number in range(self._row(core_state.CALL_COUNT, lane)):
            entry = int(self.log[number * STRIDE + origin])
            kind, place, what = entry & 15, (entry >> 4) & 15, entry >> 8
            seat, call = (opener + place) % SEATS, _CALLS[kind]
            if call == "take":
                calls.append(Call(seat, call, contract=CONTRACTS[what]))
            elif call == "bid":
                contract = CONTRACTS[(what >> 1) & 7]
                calls.append(Call(seat, call, what >> 4, contract, bool(what & 1)))
            else:
                calls.append(Call(seat, call))
        return calls

    def _hands(self, lane: int, contract: int, opener: int) -> list[list[str]]:
        hands = self._rows(core_state.DEALT, lane)
        return _by_seat([card_texts(hand, contract) for hand in hands], opener)

    def _tricks(self, lane: int, contract: int, opener: int) -> list[Trick]:
        tricks = []
        leaders = []
        for trick in range(TRICKS):
            start = core_state.HISTORY + trick * (1 + SEATS) * STRIDE
            leader, *cards = self._rows(start, lane, 1 + SEATS)
            leaders.append((opener + leader) % SEATS)
            tricks.append([card_texts(card, contract)[0] for card in cards])
        leaders.append((opener + self._row(core_state.LEADER, lane)) % SEATS)
        return [Trick(leaders[k], tricks[k], leaders[k + 1]) for k in range(TRICKS)]

    def _bonuses(self, lane: int, contract: int, opener: int) -> list[Bonus]:
        """The bonuses one by one, as `core.scoring` counts them."""
        teams = self._teams(lane)
        last = teams[(opener + self._row(core_state.LEADER, lane)) % SEATS]
        bonuses = [Bonus("last_trick", last, LAST_TRICK)]
        bonuses += [
            Bonus("capot", team, CAPOT_BONUS)
            for team, count in enumerate(self._per_team("tricks", lane))
            if count == TRICKS
        ]
        climbing = self._row(core_state.CLIMBING, lane)
        before = self._row(core_state.BEFORE, lane)
        for place, hand in enumerate(self._rows(core_state.DEALT, lane)):
            seat = (opener + place) % SEATS
            later = hand & before
            for queen in bits_of(later & (hand >> 1) & climbing & (EACH_LANE << TRUMP_QUEEN)):
                suit = card_texts(1 << queen, contract)[0][1]
                if later >> (queen - 1) & 1:
                    bonuses.append(Bonus("kqj", teams[seat], KQJ_BONUS, seat, suit))
                else:
                    bonuses.append(Bonus("kq", teams[seat], KQ_BONUS, seat, suit))
        return bonuses


def _by_seat(by_place: Sequence[list[str]], opener: int) -> list[list[str]]:
    """What is listed by place, listed by seat."""
    return [by_place[(seat - opener) % SEATS] for seat in range(SEATS)]


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


def _single_rounds(experiment: Experiment) -> Iterator[Record]:
    block = _Block(experiment)
    end = experiment.first + experiment.deals
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        start_deals(block.state, first, lanes)
        block.play(lanes)
        yield from sorted(map(block.record, range(lanes)), key=lambda record: record.deal)


def _games(experiment: Experiment) -> Iterator[Record]:
    block = _Block(experiment)
    rules, seed = experiment.rules, experiment.seed
    slots = core_games.new_slots(LANES)

    def scores(slot: int) -> list[int]:
        start = core_games.SCORE
        return [int(value) for value in slots[slot, start : start + rules.score_count]]

    end = experiment.first + (experiment.games or 0)
    for first in range(experiment.first, end, LANES):
        lanes = min(LANES, end - first)
        for slot in range(lanes):
            core_games.start_game(slots, slot, first + slot, seed)
        rounds: dict[int, list[Record]] = {first + slot: [] for slot in range(lanes)}
        while lanes > 0:
            core_games.name_rounds(block.state, slots, lanes)
            block.play(lanes)
            before = [scores(slot) for slot in range(lanes)]
            core_games.advance(block.state, slots, lanes, block.core_rules, rules.target)
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
