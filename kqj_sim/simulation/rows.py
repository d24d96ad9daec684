"""Columnar results: one row per deal, one array per column, and one row per finished game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kqj_sim.cards import RANKS, SUITS
from kqj_sim.columns import SENDER_HAND, Column
from kqj_sim.core import round as core_games
from kqj_sim.core.cards import ALL_TRUMPS, NO_TRUMP, SUIT_MASK
from kqj_sim.core.columns import CONTRACT_SHIFT
from kqj_sim.core.types import BoolArray, Int64Array
from kqj_sim.games import get_column_numbers, get_columns
from kqj_sim.policies.card_sets import RANK_ORDERS, split_cards
from kqj_sim.rules import GameRules

if TYPE_CHECKING:
    import pandas as pd

    from kqj_sim.simulation.experiment import Experiment

# The Sender's cards of rows, as text and as conditions.

_TRUMP_SUIT = 3
"""The number of the trump suit in coding by strength."""


def format_sender_hands(cards: Int64Array, game: str) -> NDArray[np.object_]:
    """Return each Sender's cards, `As 7s Jh 9d`, or None where everybody passed; (rows,).

    `cards` are as `core.columns.write_sender_cards` writes them.
    """
    texts = _list_suit_texts(game)
    contract = _read_contracts(cards)
    hands: Any = np.full(len(cards), "", object)
    for suit in range(len(SUITS)):
        number = np.where(contract < NO_TRUMP, (suit - contract - 1) % len(SUITS), suit)
        is_trump = (contract == ALL_TRUMPS) | (contract < NO_TRUMP) & (number == _TRUMP_SUIT)
        hands = hands + texts[is_trump.astype(int), suit, cards >> 16 * number & SUIT_MASK]
    return np.array([hand[:-1] or None for hand in hands], object)


@cache
def _list_suit_texts(game: str) -> NDArray[np.object_]:
    """Return the cards of every set of a suit in natural and in trump order, each with a blank
    behind it; (2, suits, sets)."""
    texts = np.empty((2, len(SUITS), SUIT_MASK + 1), object)
    for trumps, order in enumerate(RANK_ORDERS[game]):
        for cards in range(1 << len(order)):
            ranks = sorted((order[bit] for bit in split_cards(cards)), key=RANKS.index)
            for number, suit in enumerate(SUITS):
                texts[trumps, number, cards] = "".join(f"{rank}{suit} " for rank in ranks)
    return texts


def find_held_trumps(cards: Int64Array, ranks: str, game: str) -> BoolArray:
    """Return whether each Sender holds these ranks of the trump suit, (rows,).

    At All-Trumps one of the suits must have them all; at No-Trump there are no trumps.
    """
    order = RANK_ORDERS[game][1]
    wanted = sum(1 << order.index(rank) for rank in ranks)
    suits = [(cards >> 16 * number & wanted) == wanted for number in range(len(SUITS))]
    contract = _read_contracts(cards)
    anywhere: BoolArray = np.logical_or.reduce(suits)
    in_trumps: BoolArray = np.where(contract < NO_TRUMP, suits[_TRUMP_SUIT], False)
    return np.where(contract == ALL_TRUMPS, anywhere, in_trumps)


def _read_contracts(cards: Int64Array) -> Int64Array:
    return cards >> CONTRACT_SHIFT & 7


@dataclass(frozen=True)
class GameRows:
    """Results of finished games, in order of their numbers, or in a chunk as they ended.

    Attributes:
        played_rounds: number of rounds that were not passed out.
        winner: a team, or a seat with random partners.
        first_dealer_side_won: 1 if the first dealer or their team won.
        score: int64 (n, teams or seats), the final scores; all others int64 (n,).
    """

    game: NDArray[np.int64]
    rounds: NDArray[np.int64]
    played_rounds: NDArray[np.int64]
    first_dealer: NDArray[np.int64]
    winner: NDArray[np.int64]
    first_dealer_side_won: NDArray[np.int64]
    score: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.game)

    @classmethod
    def from_slots(cls, rules: GameRules, games: NDArray[np.int64]) -> GameRows:
        """Return the rows of the core's slots, int64 (n, `core.round.SLOT_FIELDS`)."""
        games = games.copy()  # The next chunk overwrites them.
        dealer, winner = games[:, core_games.FIRST_DEALER], games[:, core_games.WINNER]
        side = dealer if rules.partners == "random" else dealer % rules.team_count
        return cls(
            game=games[:, core_games.GAME],
            rounds=games[:, core_games.ROUND],
            played_rounds=games[:, core_games.PLAYED_ROUNDS],
            first_dealer=dealer,
            winner=winner,
            first_dealer_side_won=(side == winner).astype(np.int64),
            score=games[:, core_games.SCORE : core_games.SCORE + rules.score_count],
        )


@dataclass(frozen=True)
class Rows:
    """Results of deals, one row per deal.

    Attributes:
        deal: int64 (n,), the numbers of the deals.
        values: int16 (columns, n), the game's columns of `kqj_sim.columns` as the engine stores
            them.  Sums and products of int16 overflow silently: calculate with `column`.
        game, round: int64 (n,), for rounds of games; else None.
        finished_games: the games that ended with these rounds; None for single rounds.
        sender_cards: int64 (n,), the Senders' cards as `core.columns.write_sender_cards` writes
            them; None if not asked for.
        fingerprints: int64 (n,), a hash of all calls and plays of each round; None if not asked
            for.
        filled_columns: names of the columns that were filled; None for all.
        array_names: names of the arrays beside the values, some of which may be None.
    """

    array_names: ClassVar[Sequence[str]] = "deal", "game", "round", "sender_cards", "fingerprints"

    deal: NDArray[np.int64]
    values: NDArray[np.int16]
    game: NDArray[np.int64] | None = None
    round: NDArray[np.int64] | None = None
    finished_games: GameRows | None = None
    sender_cards: NDArray[np.int64] | None = None
    fingerprints: NDArray[np.int64] | None = None
    game_name: str = "kqj"
    filled_columns: frozenset[str] | None = None

    def __len__(self) -> int:
        return len(self.deal)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of `values`, in their order."""
        return get_columns(self.game_name)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column as a new array, (n,): bool for a flag, else int32.

        A column with labels gives the numbers of its labels, one of the Sender -1 for null.  Raises
        KeyError if the game has no such column, or it was not filled.
        """
        if self.filled_columns is not None and name not in self.filled_columns:
            raise KeyError(name)
        number = get_column_numbers(self.game_name)[name]
        kind = np.bool_ if self.columns[number].is_flag else np.int32
        values: NDArray[Any] = self.values[number].astype(kind)
        return values

    def get_sender_cards(self) -> NDArray[np.int64]:
        """Return `sender_cards`; raise KeyError if they were not asked for."""
        if self.sender_cards is None:
            raise KeyError(SENDER_HAND)
        return self.sender_cards

    def find_nulls(self, column: Column) -> BoolArray | None:
        """Return the rows where a column of these is null, bool (n,); None if it never is."""
        if not column.has_null:
            return None
        nulls: BoolArray = (
            ~self.column("taken")
            if column.null is None
            else self.column(column.name) == column.null
        )
        return nulls

    def frame(self, names: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the rows as a pandas data frame; `names` are its columns, by default all but
        `sender_hand`.

        Places and columns with labels are categorical, flags bool, `deal`, `game` and `round`
        int64, those that may be null Int32, all other columns int32; `sender_hand` is str.

        Raises:
            KeyError: there is no such column, or it was not filled.
        """
        import pandas as pd

        known = {column.name: column for column in self.columns}
        columns: dict[str, Any] = {}
        for name in ["deal", "game", "round", *known] if names is None else names:
            if name == SENDER_HAND:
                hands = format_sender_hands(self.get_sender_cards(), self.game_name)
                columns[name] = pd.array(hands, dtype="str")
            elif name in self.array_names:
                columns[name] = getattr(self, name)
            else:
                nulls = self.find_nulls(known[name])
                columns[name] = to_pandas(known[name], self.column(name), nulls)
        return pd.DataFrame({name: each for name, each in columns.items() if each is not None})


def to_pandas(column: Column, numbers: NDArray[Any], nulls: BoolArray | None) -> Any:
    """Return the numbers of a column as frames hold them: an array, a category or Int32."""
    import pandas as pd

    if column.categories:
        codes = numbers if nulls is None else np.where(nulls, -1, numbers)
        categories = pd.Index(column.categories)
        return pd.Categorical.from_codes(codes, categories, ordered=column.is_ordered)
    return numbers if nulls is None else pd.arrays.IntegerArray(numbers, nulls)


def list_row_columns(experiment: Experiment) -> list[str]:
    """Return the names of the columns of rows that have a meaning under its rules, in order."""
    rules = experiment.rules
    names = ["deal"] if experiment.games is None else ["deal", "game", "round"]
    for column in get_columns(rules.game):
        if column.rule is None or getattr(rules, column.rule[0], None) == column.rule[1]:
            names.append(column.name)
    return names


def concatenate_rows(parts: list[Rows]) -> Rows:
    """Return all rows in order of deal, with their games in order of number."""
    order = np.argsort(np.concatenate([part.deal for part in parts]))
    rows = map_rows(lambda *arrays: np.concatenate(arrays)[order], *parts)
    games = [part.finished_games for part in parts if part.finished_games is not None]
    if not games:
        return rows
    order = np.argsort(np.concatenate([part.game for part in games]), kind="stable")
    columns = ([getattr(part, column.name) for part in games] for column in fields(GameRows))
    finished_games = GameRows(*(np.concatenate(each)[order] for each in columns))
    return replace(rows, finished_games=finished_games)


def map_rows(make: Callable[..., NDArray[Any]], *parts: Rows) -> Rows:
    """Return rows of which each array, and each column filled, is made of others by a function."""
    first = parts[0]
    arrays: dict[str, Any] = {
        name: make(*(getattr(part, name) for part in parts))
        for name in first.array_names
        if getattr(first, name) is not None
    }
    # Untouched columns of zeros take no time.
    values = np.zeros((len(first.values), len(arrays["deal"])), np.int16)
    for name, at in get_column_numbers(first.game_name).items():
        if first.filled_columns is None or name in first.filled_columns:
            values[at] = make(*(part.values[at] for part in parts))
    return replace(first, values=values, **arrays)


def copy_rows(rows: Rows) -> Rows:
    """Return a copy that the next chunk does not overwrite."""
    return map_rows(np.copy, rows)


def slice_rows(rows: Rows, part: slice) -> Rows:
    """Return some of the rows, in the same memory."""
    arrays = {name: getattr(rows, name) for name in rows.array_names}
    parts: dict[str, Any] = {name: a if a is None else a[part] for name, a in arrays.items()}
    return replace(rows, values=rows.values[:, part], **parts)
