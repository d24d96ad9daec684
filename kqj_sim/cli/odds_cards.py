"""What `kqj-sim odds` tells during the round: what each card is worth."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.cli.options import announce, choose_policies
from kqj_sim.cli.options import stack as options_stack
from kqj_sim.cli.output import open_output, write_report
from kqj_sim.cli.sampling import Sampling, end_if_interrupted, find
from kqj_sim.rules import SEATS

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.odds_play import PlayOdds
    from kqj_sim.analysis.so_far import SoFar


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


card_options = options_stack(
    click.option(
        "--played",
        metavar="CARDS",
        help='During the round: the cards played so far, trick after trick, "9h Th 4h 6s 5h Ah, '
        'Ac 4c"; "" if you lead to the first.  CARDS are all you were dealt or those left.',
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
        type=click.File("rb", lazy=True),
        help="A round as a record whose plays break off; in place of all this.  - reads stdin.",
    ),
    click.option(
        "--line",
        type=click.IntRange(1),
        metavar="NUMBER",
        help="With --record: the record in this line of a file with several.",
    ),
    click.option(
        "--at",
        type=Turn(),
        metavar="TRICK.CARD",
        help="With --record: before this card, 3.2 for the second of trick 3.",
    ),
)
"""How a round is told that is being played."""


def read_record(data: bytes, line: int | None, at: tuple[int, int] | None) -> SoFar:
    """The round of a file with one record, or of the record in a line (from 1).

    Raises:
        UsageError: there are more records, or fewer lines.
        RecordError, RoundError: what is wrong with it.
    """
    from kqj_sim.analysis import round_so_far
    from kqj_sim.analysis.kwajongen import round_so_far as kwajongen
    from kqj_sim.record import so_far_from_json

    lines = data.splitlines()
    records = [each for each in lines if each.startswith(b"{") and b":" in each]
    if line is not None:
        if line > len(lines):
            raise click.UsageError(f"--line {line}: the file has {len(lines)} lines")
        data = lines[line - 1]
    elif len(records) > 1:
        raise click.UsageError(
            f"--record: {len(records)} records in the file, there should be one; name one with "
            "--line, such as --line 1"
        )
    record = so_far_from_json(data)
    if record.game == "kwajongen":
        return kwajongen.from_record(record, at)
    return round_so_far.from_record(record, at)


def _asking(so_far: SoFar, how: Sampling) -> Callable[..., PlayOdds]:
    """What finds out what each card is worth, in the game of the round."""
    from kqj_sim.analysis import odds_play
    from kqj_sim.analysis.kwajongen import odds_play as kwajongen
    from kqj_sim.analysis.kwajongen.round_so_far import KwajongenSoFar
    from kqj_sim.analysis.odds import default_player
    from kqj_sim.analysis.round_so_far import RoundSoFar

    def players(default: str | None = None) -> tuple[str, ...]:
        if so_far.players is not None and not how.players:
            return so_far.players
        return choose_policies(how.players, so_far.rules, "--players", default)

    if isinstance(so_far, KwajongenSoFar):
        return partial(kwajongen.odds_of_cards, so_far, players())
    assert isinstance(so_far, RoundSoFar)
    return partial(odds_play.odds_of_cards, so_far, players(default_player(so_far.rules)))


def tell_cards(so_far: SoFar, how: Sampling) -> None:
    """Find out what each card is worth, and write it."""
    ask = _asking(so_far, how)
    announce(so_far.rules, how.quiet)
    from kqj_sim.reporting.odds_play import cards_report

    with ExitStack() as stack:
        stream = open_output(stack, how.out)
        found = find(ask, how, _best)
        write_report(cards_report(found), how.format, stream, how.color)
    end_if_interrupted(found.interrupted, found.deals)


def _best(found: PlayOdds) -> tuple[str, Estimate]:
    """The best card, and its chance to win."""
    best = found.cards[0]
    return str(best.card), best.measures["wins"]
