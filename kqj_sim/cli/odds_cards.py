"""What `kqj-sim odds` tells during the round: what each card is worth."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.cli.options import stack
from kqj_sim.rules import SEATS

if TYPE_CHECKING:
    from kqj_sim.analysis.odds_play import PlayOdds
    from kqj_sim.analysis.round_so_far import RoundSoFar
    from kqj_sim.cli.progress import ProgressLine


class Turn(click.ParamType[tuple[int, int]]):
    """A card of a trick, such as `3.2`: trick 3, card 2."""

    name = "turn"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Trick (1 to 8) and card (1 to 6), or a usage error."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"([1-8])\.([1-6])", str(value).strip())
        if match is None:
            self.fail(
                f"it is a trick, 1 to 8, and a card of it, 1 to 6, such as 3.2, not {value}",
                param,
                ctx,
            )
        return int(match[1]), int(match[2])


card_options = stack(
    click.option(
        "--played",
        metavar="CARDS",
        help='During the round: the cards played so far, trick after trick, "9h Th 4h 6s 5h Ah, '
        'Ac 4c"; "" if you lead to the first.  CARDS are your eight or those left.',
    ),
    click.option(
        "--contract",
        metavar="CONTRACT",
        help='Then the contract, if not all calls are given by --heard: h, or "150 h".',
    ),
    click.option(
        "--sender", type=click.IntRange(0, SEATS - 1), help="And the place of the Sender."
    ),
    click.option(
        "--record",
        metavar="FILE",
        type=click.File("rb"),
        help="A round as a record whose plays break off; in place of all this.  - reads stdin.",
    ),
    click.option(
        "--at",
        type=Turn(),
        metavar="TRICK.CARD",
        help="With --record: before this card, 3.2 for the second of trick 3.",
    ),
)
"""How a round is told that is being played."""


def read_record(data: bytes, at: tuple[int, int] | None) -> RoundSoFar:
    """The round of a file with one record.

    Raises:
        UsageError: there are more records.
        RecordError, RoundError: what is wrong with it.
    """
    from kqj_sim.analysis.round_so_far import from_record
    from kqj_sim.record import so_far_from_json

    records = [line for line in data.splitlines() if line.startswith(b"{") and b":" in line]
    if len(records) > 1:
        raise click.UsageError(f"--record: {len(records)} records in the file, there should be one")
    return from_record(so_far_from_json(data), at)


class Told:
    """Tells a line of progress how far it is, and the answer so far."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line
        self._before = 0

    def __call__(self, odds: PlayOdds) -> None:
        self._line.advance(odds.deals - self._before)
        self._before = odds.deals
