"""How an answer of `kqj-sim odds` is found, while it is told how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from kqj_sim.commands.progress import ProgressLine

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.odds.calls import CallOdds
    from kqj_sim.analysis.odds.cards import CardOdds

A = TypeVar("A", bound="CallOdds | CardOdds")


class OddsOptions(NamedTuple):
    """How an answer is to be found and written; the options of the command."""

    deals: int | None
    until: float | None
    seconds: float | None
    seed: int
    threads: int | None
    confidence: float
    ignore_calls: bool
    players: tuple[str, ...]
    format: str
    out: str | None
    color: str
    quiet: bool


def run_estimate(
    estimate: Callable[..., A], options: OddsOptions, find_best: Callable[[A], tuple[str, Estimate]]
) -> A:
    """Find an answer, and tell how far it is.

    Args:
        estimate: finds it, and takes what `options` says.
        options: the options of the command.
        find_best: what is best so far, and its chance to win.
    """
    from kqj_sim.analysis.odds.calls import DEFAULT_DEALS, MAX_DEALS
    from kqj_sim.analysis.odds.choosing import limits
    from kqj_sim.reporting.grid import format_number

    deals = MAX_DEALS if options.until is not None else options.deals or DEFAULT_DEALS
    choosing = limits(deals, options.until, None, 0).deals
    with ProgressLine("deals", choosing + deals, options.quiet) as line:
        finished, shown = 0, ""

        def tell(found: A) -> None:
            nonlocal finished, shown
            shown, chance = find_best(found)
            now = found.deals
            if found.choosing_deals > 0:
                # A choice that ended early leaves out the rest of its deals.
                now += choosing
                shown += f": wins {format_number(*chance[:3], 'share')}"
            line.advance(now - finished, shown)
            finished = now

        def search(hands: int) -> None:
            line.advance(0, shown or f"looking for hands that agree: {hands:,} tried")

        return estimate(
            deals=deals,
            until=options.until,
            seconds=options.seconds,
            seed=options.seed,
            confidence=options.confidence,
            threads=options.threads,
            ignore_calls=options.ignore_calls,
            progress=tell,
            searching=search,
        )


def exit_if_interrupted(interrupted: bool, deals: int) -> None:
    """End the command with status 130 if Ctrl-C ended the search for its answer."""
    if interrupted:
        click.echo(f"Interrupted: the answer rests on {deals:,} deals", err=True)
        click.get_current_context().exit(130)
