"""The games in the engine: one frozen value for each, with its pack, columns and kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from kqj_sim.columns import Column
from kqj_sim.core import cards as kqj_cards
from kqj_sim.core import round as kqj_round
from kqj_sim.core.block import COLUMN_ROWS, STRIDE
from kqj_sim.core.dispatch import BID, COUNTER, FOLLOW, LEAD, OVERCOUNTER, TAKE
from kqj_sim.core.types import Block, Kernel, Rules
from kqj_sim.games import find_game, get_column_numbers, get_columns
from kqj_sim.imposed import ImposedContract, ImposedFirstCall
from kqj_sim.policies.binding import LOOPS, Loops
from kqj_sim.rules import GameRules, KqjRules

Imposed: TypeAlias = ImposedContract | ImposedFirstCall | None


@dataclass(frozen=True)
class Engine:
    """A game in the engine.

    Attributes:
        pack: all cards, a set in natural coding.
        select_stages: returns the loops that a round runs under its rules, with a contract or first
            call imposed or None, and the stages of the round, the last of which plays the cards.
        select_resuming: returns the kernels that resume calls and play in the middle of a round
            under its rules (`core.round.RESUME_CALLS`, `RESUME_PLAY`); none where nobody plays
            hands out.
        advance: the kernel that continues games after a round (`core.round`).
    """

    rules: type[GameRules]
    pack: int
    encode_rules: Callable[[Any], Rules]
    loops: Loops
    select_stages: Callable[[Any, Imposed], tuple[list[int], tuple[Kernel, ...]]]
    select_resuming: Callable[[Any], tuple[Kernel, ...]]
    advance: Kernel

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the game's rows, in their order."""
        return get_columns(self.rules.game)

    def column_offset(self, name: str) -> int:
        """Return the offset of a column's row in the block."""
        return COLUMN_ROWS + get_column_numbers(self.rules.game)[name] * STRIDE

    def start_deals(self, state: Block, first: int, lanes: int) -> None:
        """Assign single rounds to the lanes of a block (`core.round.start_deals`)."""
        kqj_round.start_deals(state, first, lanes, self.rules.seats)


ALL_NO_TRUMP = ("second_lap", "both_laps", "never")


def _encode_kqj_rules(rules: KqjRules) -> Rules:
    return Rules(
        seats=rules.seats,
        start_score=0,
        target=rules.target,
        variant=0,
        teams=rules.teams,
        random_partners=int(rules.partners == "random"),
        auction=int(rules.bidding == "auction"),
        all_no_trump=ALL_NO_TRUMP.index(rules.all_no_trump),
        minimum_bid=rules.minimum_bid,
        max_amount=rules.max_amount,
        counter_any_time=int(rules.counter_timing == "any"),
        amount_rounded=int(rules.amount_uses == "rounded"),
        must_outscore=int(rules.must_outscore),
    )


def _select_kqj_stages(rules: KqjRules, imposed: Imposed) -> tuple[list[int], tuple[Kernel, ...]]:
    loops = [LEAD, FOLLOW]
    calling = kqj_round.impose_contract
    if isinstance(imposed, ImposedFirstCall):
        calling = kqj_round.impose_opener_take if imposed.takes else kqj_round.impose_opener_pass
        loops += [TAKE]
    elif imposed is None and rules.bidding == "auction":
        calling = kqj_round.call_by_auction
        loops += [BID, COUNTER, OVERCOUNTER]
    elif imposed is None:
        calling = kqj_round.call_by_taking
        loops += [TAKE]
    return loops, (kqj_round.begin_rounds, calling, kqj_round.finish_rounds)


def _select_kqj_resuming(rules: KqjRules) -> tuple[Kernel, ...]:
    auction = rules.bidding == "auction"
    calls = kqj_round.resume_auction if auction else kqj_round.resume_taking
    return calls, kqj_round.resume_play


KQJ_ENGINE = Engine(
    KqjRules,
    kqj_cards.PACK,
    _encode_kqj_rules,
    LOOPS,
    _select_kqj_stages,
    _select_kqj_resuming,
    kqj_round.advance,
)


def get_engine(rules: GameRules) -> Engine:
    """Return the engine of the game to which the rules belong."""
    return find_game(rules.game).get_engine()
