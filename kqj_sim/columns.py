"""The columns of each game's rows: one row per deal, named columns of small integers.

This is the only description of a row.  The core fills the columns in this order, `--where` and
`--by` use these names, and the documentation prints the same table.

A column with `labels` holds the number of a label; its texts are what tables, files and
expressions show and accept.  A flag holds 0 or 1; frames and files show it as a boolean.  Some
columns of the Sender hold -1 where everybody passed: null in frames, files and expressions.
"""

from __future__ import annotations

from dataclasses import dataclass

from kqj_sim.cards import CONTRACTS, RANKS, SUITS

RANK_LABELS = tuple(reversed(RANKS))

CARD_POINTS = 236
"""Card points of KQJ's pack, whatever the contract."""

MAX_TOTAL = 600
"""The largest total in KQJ: card points, last trick, Capot and four KQJ at All-Trumps."""


@dataclass(frozen=True)
class Column:
    """A column: its values are integers from `low` to `high`, numbers of `labels`, or a flag.

    With `has_null` the lowest, -1, stands for null.
    """

    name: str
    low: int
    high: int
    meaning: str
    labels: tuple[str, ...] = ()
    is_flag: bool = False
    has_null: bool = False


NULL = -1
"""The value of a column of the Sender where there is none."""


def make_sender_column(name: str, high: int, meaning: str) -> Column:
    """Return a column of numbers, from 0 on, that is null where everybody passed."""
    return Column(name, NULL, high, f"{meaning}, null if passed out", has_null=True)


SENDER_HAND = "sender_hand"
"""The column of the Sender's cards, which frames and files have only if it is named."""


def make_label_column(name: str, labels: tuple[str, ...], meaning: str) -> Column:
    """Return a column of numbers of labels."""
    return Column(name, 0, len(labels) - 1, meaning, labels)


def make_flag_column(name: str, meaning: str) -> Column:
    """Return a column of flags."""
    return Column(name, 0, 1, meaning, is_flag=True)


TOTAL_STEP = 10
"""Width, in points, of the steps of totals and of card points in tables."""

KQJ_COLUMNS: tuple[Column, ...] = (
    Column("dealer", 0, 5, "seat of the dealer"),
    make_flag_column("taken", "true if somebody took, or bid"),
    Column("lap", 0, 60, "lap of the take, or of the last bid, from 1; 0 if passed out"),
    make_sender_column("place", 5, "place of the Sender: 0 the opener to 5 the dealer"),
    make_sender_column("sender", 5, "seat of the Sender"),
    make_sender_column("contracting_team", 2, "team of the Sender"),
    make_label_column("contract", (*CONTRACTS, "none"), "the contract"),
    make_label_column(
        "kind",
        ("return", "other", "suit", "NT", "AT", "none"),
        "kind of contract: suit of the Return, another suit (taking), a suit (auctions), NT, AT",
    ),
    make_label_column("return_suit", (*SUITS, "none"), "suit of the Return (taking)"),
    make_label_column("return_rank", (*RANK_LABELS, "none"), "rank of the Return (taking)"),
    Column("bids", 0, 60, "number of bids (auctions)"),
    Column("opening_amount", 0, 1000, "amount of the first bid, 0 if none (auctions)"),
    Column("amount", 0, 1000, "amount of the last bid, 0 if none (auctions)"),
    make_flag_column("capot_announced", "true if the last bid announced Capot (auctions)"),
    Column("stake", 1, 4, "1, countered 2, overcountered 4"),
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
