"""What things are called in each game where the analysis tells the same of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """The words of a game.

    Attributes:
        takes: what somebody does who becomes Sender.
        made: what becomes of a contract at best.
        contracts: the rounds in which somebody is Sender.
        both: the two together, a heading.
        won, lost, defended: where points come from: contracts made, those that fail, and those of
            the others.
        bonuses: points beside those of the cards; empty if there are none.
        score: what a side scores in a round.
        note: what these are, in a sentence.
        decimals: of points a round, where their interval does not say how many.
    """

    takes: str
    made: str
    contracts: str
    both: str
    won: str
    lost: str
    defended: str
    bonuses: str
    score: str
    note: str
    decimals: int


WORDS: Mapping[str, Words] = {
    "kqj": Words(
        takes="takes",
        made="made",
        contracts="contracts",
        both="Contracts taken and made",
        won="won by contracts made",
        lost="lost in failed contracts",
        defended="won in defence",
        bonuses="bonus points",
        score="score",
        note="Points won: what one's side leads by in contracts of its own that are made, and "
        "lost: is behind by in those that fail; in defence: leads by in the others' contracts.",
        decimals=1,
    ),
    "kwajongen": Words(
        takes="is caller",
        made="won",
        contracts="rounds as caller",
        both="Rounds as caller, and won",
        won="won as caller",
        lost="lost as caller",
        defended="won against callers",
        bonuses="",
        score="own score comes down by",
        note="Points won: by what the others' score changes more than one's own in rounds that "
        "one's side calls and wins, and lost: less in those that it calls and does not win; "
        "against callers: more in rounds that the others call.",
        decimals=3,
    ),
}
"""The words by the game's name."""
