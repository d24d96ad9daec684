"""How an answer of `kqj-sim odds` is found, while it is told how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from kqj_sim.cli.progress import ProgressLine

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.odds_answer import Answer
    from kqj_sim.analysis.odds_play import PlayOdds

A = TypeVar("A", bound="Answer | PlayOdds")


class Sampling(NamedTuple):
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


def find(ask: Callable[..., A], how: Sampling, best: Callable[[A], tuple[str, Estimate]]) -> A:
    """Find an answer, and tell how far it is.

    Args:
        ask: finds it, and takes what `how` says.
        how: the options of the command.
        best: what is best so far, and its chance to win.
    """
    from kqj_sim.analysis.choosing import limits
    from kqj_sim.analysis.odds import DEALS, MOST_DEALS
    from kqj_sim.reporting.grid import format_number

    deals = MOST_DEALS if how.until is not None else how.deals or DEALS
    choosing = limits(deals, how.until, None, 0).deals
    with ProgressLine("deals", choosing + deals, how.quiet) as line:
        finished, shown = 0, ""

        def tell(found: A) -> None:
            nonlocal finished, shown
            shown, chance = best(found)
            now = found.deals
            if found.choosing_deals > 0:
                # A choice that ended early leaves out the rest of its deals.
                now += choosing
                shown += f": wins {format_number(*chance[:3], 'share')}"
            line.advance(now - finished, shown)
            finished = now

        def search(hands: int) -> None:
            line.advance(0, shown or f"looking for hands that agree: {hands:,} tried")

        return ask(
            deals=deals,
            until=how.until,
            seconds=how.seconds,
            seed=how.seed,
            confidence=how.confidence,
            threads=how.threads,
            ignore_calls=how.ignore_calls,
            progress=tell,
            searching=search,
        )


def end_if_interrupted(interrupted: bool, deals: int) -> None:
    """End the command with status 130 if Ctrl-C ended the search for its answer."""
    if interrupted:
        click.echo(f"Interrupted: the answer rests on {deals:,} deals", err=True)
        click.get_current_context().exit(130)
