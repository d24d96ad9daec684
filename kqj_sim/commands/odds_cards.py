"""What `kqj-sim odds` tells during the round: what each card is worth."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.commands.estimation import OddsOptions, exit_if_interrupted, run_estimate
from kqj_sim.commands.options import assign_policies, open_output, print_rule_notes, write_report
from kqj_sim.commands.options import combine_options as options_stack
from kqj_sim.rules import SEATS

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.odds.cards import CardOdds
    from kqj_sim.analysis.odds.position import PartialRound


class TrickCardType(click.ParamType[tuple[int, int]]):
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
        type=TrickCardType(),
        metavar="TRICK.CARD",
        help="With --record: before this card, 3.2 for the second of trick 3.",
    ),
)
"""How a round is told that is being played."""


def read_partial_round(data: bytes, line: int | None, at: tuple[int, int] | None) -> PartialRound:
    """The round of a file with one record, or of the record in a line (from 1).

    Raises:
        UsageError: there are more records, or fewer lines.
        RecordError, RoundError: what is wrong with it.
    """
    from kqj_sim.analysis.odds import kqj_position
    from kqj_sim.analysis.odds import kwajongen_position as kwajongen
    from kqj_sim.record import partial_record_from_json

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
    record = partial_record_from_json(data)
    if record.game == "kwajongen":
        return kwajongen.make_kwajongen_round(record, at)
    return kqj_position.make_kqj_round(record, at)


def _make_card_estimator(
    partial_round: PartialRound, options: OddsOptions
) -> Callable[..., CardOdds]:
    """What finds out what each card is worth, in the game of the round."""
    from kqj_sim.analysis.odds import cards
    from kqj_sim.analysis.odds import kwajongen_cards as kwajongen
    from kqj_sim.analysis.odds.calls import choose_assumed_player
    from kqj_sim.analysis.odds.kqj_position import KqjPartialRound
    from kqj_sim.analysis.odds.kwajongen_position import KwajongenPartialRound

    def players(default: str | None = None) -> tuple[str, ...]:
        if partial_round.players is not None and not options.players:
            return partial_round.players
        return assign_policies(options.players, partial_round.rules, "--players", default)

    if isinstance(partial_round, KwajongenPartialRound):
        return partial(kwajongen.estimate_kwajongen_cards, partial_round, players())
    assert isinstance(partial_round, KqjPartialRound)
    return partial(
        cards.estimate_cards, partial_round, players(choose_assumed_player(partial_round.rules))
    )


def report_cards(partial_round: PartialRound, options: OddsOptions) -> None:
    """Find out what each card is worth, and write it."""
    ask = _make_card_estimator(partial_round, options)
    print_rule_notes(partial_round.rules, options.quiet)
    from kqj_sim.reporting.odds import make_card_report

    with ExitStack() as stack:
        stream = open_output(stack, options.out)
        found = run_estimate(ask, options, _find_best_card)
        write_report(make_card_report(found), options.format, stream, options.color)
    exit_if_interrupted(found.interrupted, found.deals)


def _find_best_card(odds: CardOdds) -> tuple[str, Estimate]:
    """The best card, and its chance to win."""
    best = odds.cards[0]
    return str(best.card), best.measures["wins"]
