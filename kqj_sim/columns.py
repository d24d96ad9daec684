"""The columns of each game's rows: one row per deal, named columns of small integers.

This is the only description of a row.  The core fills the columns in this order, `where` and
`by` use these names, and the documentation prints the same table.

A column with `labels` holds the number of a label; its texts are what tables, files and
expressions show and accept.  A flag holds 0 or 1; frames and files show it as a boolean.  Numbers
and labels of what did not happen are null in frames, files and expressions: those of the Sender and
of the two sides where everybody passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kqj_sim.cards import CONTRACTS, RANKS, SUITS
from kqj_sim.places import name_places

RANK_LABELS = tuple(reversed(RANKS))

CARD_POINTS = 236
"""Card points of KQJ's pack, whatever the contract."""

MAX_TOTAL = 600
"""The largest total in KQJ: card points, last trick, Capot and four KQJ at All-Trumps."""


_OF_TAKEN = ("sender", "contracting_", "defending_", "kq_", "kqj_")
"""Beginnings of the names of columns of the Sender and of the two sides."""

_RULES: Mapping[str, tuple[str, int | str]] = {
    **dict.fromkeys(("return_suit", "return_rank"), ("bidding", "take")),
    **dict.fromkeys(
        ("bids", "opening_amount", "amount", "capot_announced", "stake"), ("bidding", "auction")
    ),
    **dict.fromkeys(
        ("low_teams", "trickless_teams", "total_2", "card_points_2", "tricks_2", "score_2",
         "gratuity_2"), ("teams", 3),
    ),
}  # fmt: skip
"""Columns that have a meaning only if a rule has a value."""


@dataclass(frozen=True)
class Column:
    """A column: its values are integers from `low` to `high`, numbers of `labels`, or a flag.

    Attributes:
        null: the number that stands for null, or None.
    """

    name: str
    low: int
    high: int
    meaning: str
    labels: tuple[str, ...] = ()
    is_flag: bool = False
    null: int | None = None

    @property
    def rule(self) -> tuple[str, int | str] | None:
        """Name and value of the rule without which it has no meaning, or None."""
        return _RULES.get(self.name)

    @property
    def is_ordered(self) -> bool:
        """True if its texts have an order, from the lowest on."""
        return self.name == "place" or self.name.endswith("_rank")

    @property
    def categories(self) -> tuple[str, ...]:
        """The texts of its numbers from 0 on, but for null; those of places tables do not show."""
        return name_places(self.high + 1) if self.name == "place" else self.labels[: self.null]

    @property
    def is_of_taken(self) -> bool:
        """True if it is null where everybody passed: numbers of the Sender and of the two sides."""
        return self.name.startswith(_OF_TAKEN) and not self.is_flag

    @property
    def has_null(self) -> bool:
        """True if a value may be null."""
        return self.null is not None or self.is_of_taken

    @property
    def null_value(self) -> int | str | None:
        """The value that stands for null in tables, or None."""
        return self.null if self.null is None or not self.labels else self.labels[self.null]


def make_sender_column(name: str, high: int, meaning: str) -> Column:
    """Return a column of numbers, from 0 on, that is -1, null, where everybody passed."""
    return Column(name, -1, high, meaning, null=-1)


SENDER_HAND = "sender_hand"
"""The column of the Sender's cards, which frames and files have only if it is named."""


NO_LABEL = "none"
"""The last label of a column that may be null, in tables."""


def make_label_column(name: str, labels: tuple[str, ...], meaning: str) -> Column:
    """Return a column of numbers of labels."""
    null = labels.index(NO_LABEL) if NO_LABEL in labels else None
    return Column(name, 0, len(labels) - 1, meaning, labels, null=null)


def make_flag_column(name: str, meaning: str) -> Column:
    """Return a column of flags."""
    return Column(name, 0, 1, meaning, is_flag=True)


TOTAL_STEP = 10
"""Width, in points, of the steps of totals and of card points in tables."""

KQJ_COLUMNS: tuple[Column, ...] = (
    Column("dealer", 0, 5, "seat of the dealer"),
    make_flag_column("taken", "true if somebody took, or bid"),
    Column("lap", 0, 60, "lap of the take, or of the last bid, from 1", null=0),
    make_sender_column("place", 5, "place of the Sender, also 0 (opener) to 5 (dealer)"),
    make_sender_column("sender", 5, "seat of the Sender"),
    make_sender_column("contracting_team", 2, "team of the Sender"),
    make_label_column("contract", (*CONTRACTS, NO_LABEL), "the contract"),
    make_label_column(
        "kind",
        ("return", "other", "suit", "NT", "AT", NO_LABEL),
        "kind of contract: suit of the Return, another suit (taking), a suit (auctions), NT, AT",
    ),
    make_label_column("return_suit", (*SUITS, NO_LABEL), "suit of the Return (taking)"),
    make_label_column("return_rank", (*RANK_LABELS, NO_LABEL), "rank of the Return (taking)"),
    Column("bids", 0, 60, "number of bids (auctions)"),
    Column("opening_amount", 0, 1000, "amount of the first bid, null if none (auctions)", null=0),
    Column("amount", 0, 1000, "amount of the last bid, null if none (auctions)", null=0),
    make_flag_column("capot_announced", "true if the last bid announced Capot (auctions)"),
    Column("stake", 1, 4, "1, countered 2, overcountered 4 (auctions)"),
    make_label_column(
        "result", ("made", "failed", "litigation", "passed_out"), "what became of the contract"
    ),
    Column("contracting_total", 0, MAX_TOTAL, "card points and bonuses of the contracting team"),
    Column("defending_total", 0, MAX_TOTAL, "card points and bonuses of the best defending team"),
    Column("contracting_card_points", 0, CARD_POINTS, "card points of the contracting team"),
    Column("contracting_tricks", 0, 8, "tricks of the contracting team"),
    Column("contracting_score", 0, 4500, "what the contracting team scores, gratuities included"),
    Column(
        "defending_score", 0, 9000, "scores of the defending teams together, gratuities included"
    ),
    make_flag_column("last_trick_contracting", "true if the contracting team won the last trick"),
    make_flag_column("capot_contracting", "true if the contracting team won all eight tricks"),
    make_flag_column("capot_defending", "true if a defending team won all eight tricks"),
    Column("kq_contracting", 0, 4, "KQ of the contracting team"),
    Column("kq_defending", 0, 4, "KQ of the defending teams"),
    Column("kqj_contracting", 0, 4, "KQJ of the contracting team"),
    Column("kqj_defending", 0, 4, "KQJ of the defending teams"),
    Column("low_teams", 0, 2, "teams with a trick and 20 card points or fewer (three teams)"),
    Column("trickless_teams", 0, 2, "teams without a trick (three teams)"),
    Column("pending_before", 0, MAX_TOTAL, "litigation gratuity that waited before the round"),
    Column("pending_after", 0, MAX_TOTAL, "litigation gratuity that waits after the round"),
    Column(
        "gratuity_received", 0, MAX_TOTAL, "litigation gratuity that was paid out to a winning team"
    ),
    make_sender_column("sender_trumps", 8, "trumps among the Sender's cards (NT 0, AT 8)"),
    Column("sender_trump_points", 0, CARD_POINTS, "card points of these trumps"),
    Column("sender_points", 0, CARD_POINTS, "card points of the Sender's eight cards"),
    Column("sender_aces", 0, 4, "aces of the Sender, the ace of trump not counted"),
    Column("sender_voids", 0, 4, "suits of which the Sender has no card"),
    Column("sender_longest", 0, 8, "cards in the Sender's longest suit"),
    *(Column(f"total_{t}", 0, MAX_TOTAL, f"card points and bonuses of team {t}") for t in range(3)),
    *(Column(f"card_points_{t}", 0, CARD_POINTS, f"card points of team {t}") for t in range(3)),
    *(Column(f"tricks_{t}", 0, 8, f"tricks of team {t}") for t in range(3)),
    *(Column(f"score_{t}", 0, 4500, f"score of team {t}, gratuities included") for t in range(3)),
    *(Column(f"gratuity_{t}", 0, 4500, f"gratuities of team {t}") for t in range(3)),
    *(Column(f"team_of_seat_{s}", 0, 2, f"team of seat {s} in this round") for s in range(6)),
)

KQJ_COLUMN_NUMBERS = {column.name: number for number, column in enumerate(KQJ_COLUMNS)}
