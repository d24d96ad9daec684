"""The command that tells what each call is worth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from kqj_sim.commands.estimation import OddsOptions, exit_if_interrupted, run_estimate
from kqj_sim.commands.odds_cards import card_options, read_partial_round, report_cards
from kqj_sim.commands.options import (
    ShareType,
    WholeNumberType,
    assign_policies,
    config_option,
    pop_rules,
    print_rule_notes,
    quiet_option,
    rule_options,
    seed_option,
    threads_option,
)
from kqj_sim.commands.output import (
    color_option,
    confidence_option,
    open_output,
    write_report,
)
from kqj_sim.reporting.formats import FORMATS, PLOT_SUFFIXES, TABLE_SUFFIXES, choose_by_suffix
from kqj_sim.rules import SEATS, GameRules, KqjRules, KwajongenRules

if TYPE_CHECKING:
    from kqj_sim.analysis.intervals import Estimate
    from kqj_sim.analysis.odds.calls import CallOdds

PAGE_FORMAT = "html"
_SUFFIXES = {**TABLE_SUFFIXES, ".html": PAGE_FORMAT}


class PlacesType(click.ParamType[tuple[int, ...]]):
    """Places, such as `2 4`."""

    name = "places"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The places, or a usage error."""
        if isinstance(value, tuple):
            return value
        words = str(value).replace(",", " ").split()
        if not words or any(word not in map(str, range(SEATS)) for word in words):
            self.fail(f"places are 0 (the opener) to 5 (the dealer), such as 2 4, not {value}")
        return tuple(int(word) for word in words)


@click.command(
    epilog="""\b
Examples:
  kqj-sim odds "9h 8h Ah Ks 4d" --return 7h
  kqj-sim odds "Ah Ac As Td Kd" --return 4s --place 3 --lap 2 --until 0.5%
  kqj-sim odds "9h 8h Ah Kh Qh 5d 6c Ac" --bidding auction --heard "pass, 120 s, pass"
  kqj-sim odds "9s 8s As Ah Ad 5d 6c Ac" --bidding auction --place 3 --heard "pass, pass, 140 d"
  kqj-sim odds "9h 8h Ah Ks 4d" --return 7h --teams 3 --players standard --plot hand.png
  kqj-sim odds "9h 8h Ah Ks 4d" --return 7h --out hand.html
  kqj-sim odds "7h Ks 4d Qd 9s 8c Tc Jc" --return 9h --heard "take h" --played "As 4s"
  kqj-sim odds --record round.json --at 6.3
  kqj-sim odds "Ah 9h Ks Tc" --game kwajongen --turned Jh --place 1
  kqj-sim odds "As Qd Kd 9c" --game kwajongen --turned Jc --heard "pass, play" --played "Ts Kc"
"""
)
@click.argument("hand", metavar="[CARDS]", required=False)
@click.option(
    "--return",
    "--turned",
    "turned",
    metavar="CARD",
    help="The card turned up, with taking; in Kwajongen the dealer's card that is shown.",
)
@click.option(
    "--place",
    type=click.IntRange(0, SEATS - 1),
    help="Your place: 0 the opener to 5 the dealer.  [default: whose turn it is after --heard]",
)
@click.option("--lap", type=click.IntRange(1, 2), help="The lap, with taking.  [default: 1]")
@click.option(
    "--heard",
    metavar="CALLS",
    help='All calls so far: "pass, 120 h, pass, counter".  A counter\'s place may be told, '
    '"counter 4".  [default: all before you passed]',
)
@click.option(
    "--with",
    "partner_places",
    type=PlacesType(),
    metavar="PLACES",
    help="Places of your partners, with --partners random.  [default: seated alternately]",
)
@card_options
@click.option(
    "--players",
    multiple=True,
    metavar="SPEC",
    help="Who calls and plays, you included: SPEC for all, team0=SPEC or seat3=SPEC (seats are "
    "places here); a later one overrides.  [default: points:take=45,lap2=38+network with two "
    "teams and taking, else points+network]",
)
@click.option(
    "--ignore-calls", is_flag=True, help="Hidden cards need not agree with what was heard."
)
@click.option(
    "--pending", type=WholeNumberType(0, "120"), default=0, help="Litigation gratuity that waits."
)
@click.option("--raised", is_flag=True, help="The round is raised (kwajongen only).")
@click.option(
    "--deals",
    type=WholeNumberType(1, "1e5"),
    help="Deals that value each call; up to half as many others choose the best.  [default: 10000]",
)
@click.option(
    "--until",
    type=ShareType(),
    metavar="SHARE",
    help="Go on until the chance of the best call is known to this on either side, such as 0.5%, "
    "or the best call is sure.",
)
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="A limit of time.")
@seed_option
@threads_option
@confidence_option
@config_option
@rule_options
@click.option(
    "--format",
    type=click.Choice([*FORMATS, PAGE_FORMAT]),
    help="Format of the answer.  [default: by the suffix of --out, else table]",
)
@click.option("--out", metavar="FILE", help="Write the answer to this file; .html: as a page.")
@click.option("--plot", metavar="FILE", help="Draw what each call makes: .png, .svg or .pdf.")
@color_option
@quiet_option
def odds(
    hand: str | None, turned: str | None, place: int | None, lap: int | None, heard: str | None,
    partner_places: tuple[int, ...] | None, played: str | None, contract: str | None,
    sender: int | None, record: IO[bytes] | None, line: int | None,
    at: tuple[int, int] | None,
    players: tuple[str, ...], ignore_calls: bool, pending: int, raised: bool,
    deals: int | None,
    until: float | None, seconds: float | None, seed: int, threads: int | None, confidence: float,
    format: str | None, out: str | None, plot: str | None, color: str, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """What each call is worth with a hand, and which is best.

    CARDS are the cards you hold: five with taking, eight with auctions, four in Kwajongen.  Hidden
    cards are dealt at random so that the players assumed would have called as they did; then every
    call that is open to you is made in the same deals, they call on, and play.

    During the round, with --played or --record: what each card is worth that you may play.  CARDS
    are your eight or those left.  Hidden cards agree with the plays, too (who could not follow,
    beat or trump); few distributions are all gone through.
    """
    if deals is not None and until is not None:
        raise click.UsageError("--deals and --until: give one of them")
    if format is None:
        format = "table" if out is None else choose_by_suffix(out, _SUFFIXES, ", or give --format")
    if format == "parquet" and out is None and sys.stdout.isatty():
        raise click.UsageError("--format parquet is nothing for a terminal: give --out FILE")
    if plot is not None:
        choose_by_suffix(plot, PLOT_SUFFIXES)
    rules = pop_rules(options)
    how = OddsOptions(
        deals, until, seconds, seed, threads, confidence, ignore_calls, players, format, out,
        color, quiet,
    )  # fmt: skip
    if not isinstance(rules, KqjRules):
        _reject_options(rules, _KQJ_ONLY)
    elif raised:
        raise click.UsageError("--raised is for --game kwajongen: leave it out")
    for option, given in (("--at", at), ("--line", line)):
        if given is not None and record is None:
            raise click.UsageError(f"{option} is for --record: leave it out, or give a record")
    if record is not None or played is not None:
        if plot is not None or format == PAGE_FORMAT:
            raise click.UsageError("--plot and .html are for calls: cards have a table only")
        if record is not None:
            told = (hand, turned, place, lap, heard, partner_places, played, contract, sender)
            if raised or any(each is not None for each in told):
                raise click.UsageError(
                    "--record tells cards, places, calls and plays: give nothing else of them"
                )
            report_cards(read_partial_round(record.read(), line, at), how)
            return
        if hand is None:
            own = "eight" if isinstance(rules, KqjRules) else "four"
            raise click.UsageError(f"CARDS are missing: give your {own} cards, or those left")
        if isinstance(rules, KwajongenRules):
            from kqj_sim.analysis.odds import kwajongen_position as kwajongen

            report_cards(
                kwajongen.parse_kwajongen_round(
                    hand, rules, played=played or "", turned=turned, heard=heard, sender=sender,
                    place=place, raised=raised,
                ),
                how,
            )  # fmt: skip
            return
        if lap is not None:
            raise click.UsageError("--lap is for calls: leave it out")
        from kqj_sim.analysis.odds.kqj_position import parse_kqj_round

        report_cards(
            parse_kqj_round(
                hand, rules, played=played or "", turned=turned, heard=heard, contract=contract,
                sender=sender, place=place, partners=partner_places, pending=pending,
            ),
            how,
        )  # fmt: skip
        return
    if isinstance(rules, KwajongenRules):
        if sender is not None:
            raise click.UsageError("--sender goes with --played: the cards so far are missing")
        _report_calls(
            _make_kwajongen_estimator(hand, turned, place, heard, raised, rules, players),
            rules,
            how,
            plot,
        )
        return
    if hand is None:
        raise click.UsageError("CARDS are missing: give the cards you hold, such as '9h 8h Ah'")
    if contract is not None or sender is not None:
        raise click.UsageError(
            "--contract and --sender go with --played: the cards played so far are missing"
        )
    from kqj_sim.analysis.odds.situation import parse_situation

    situation = parse_situation(
        hand, rules, turned=turned, place=place, lap=lap, heard=heard, partners=partner_places
    )
    from kqj_sim.analysis.odds.calls import estimate_calls

    seated = _assign_players(players, rules)
    ask = partial(estimate_calls, situation, players=seated, pending=pending)
    _report_calls(ask, rules, how, plot)


_KQJ_ONLY = (
    "lap", "partner_places", "contract", "pending",
)  # fmt: skip
"""Options of questions that are answered for KQJ only."""


def _reject_options(rules: GameRules, names: Sequence[str]) -> None:
    """Raise UsageError if one of these options was given."""
    context = click.get_current_context()
    options = {each.name: each.opts[0] for each in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"{options[name]} is not for --game {rules.game}: leave it out")


def _make_kwajongen_estimator(
    hand: str | None, turned: str | None, place: int | None, heard: str | None, raised: bool,
    rules: KwajongenRules, players: tuple[str, ...],
) -> Callable[..., CallOdds]:  # fmt: skip
    """What finds out what playing and passing are worth in Kwajongen."""
    if hand is None:
        raise click.UsageError("CARDS are missing: give your four cards, such as 'Ah Kh 9s Ts'")
    from kqj_sim.analysis.odds.kwajongen import estimate_kwajongen_calls, parse_kwajongen_situation

    situation = parse_kwajongen_situation(
        hand, rules, turned=turned, place=place, heard=heard, raised=raised
    )
    seated = assign_policies(players, rules, "--players")
    return partial(estimate_kwajongen_calls, situation, players=seated)


def _report_calls(
    estimate: Callable[..., CallOdds], rules: GameRules, options: OddsOptions, plot: str | None
) -> None:
    """Find out what each call is worth, and tell it; `estimate` takes what `options` says."""
    print_rule_notes(rules, options.quiet)
    picture = None if plot is None else choose_by_suffix(plot, PLOT_SUFFIXES)
    with ExitStack() as stack:
        answer_file = open_output(stack, options.out)
        plot_file = open_output(stack, plot)
        found: Any = run_estimate(
            estimate, options, partial(_find_best_call, confidence=options.confidence)
        )
        _write_odds(found, options, answer_file)
        if picture is not None and plot_file is not None:
            plot_file.write(_get_call_output(rules).render(found, options.confidence, picture))
    exit_if_interrupted(found.ended == "interrupted", found.deals)


def _find_best_call(odds: CallOdds, confidence: float) -> tuple[str, Estimate]:
    """The best call, and its chance to win."""
    return odds.options[odds.best].text, odds.estimate("wins", odds.best, confidence)


def _assign_players(players: tuple[str, ...], rules: KqjRules) -> tuple[str, ...]:
    """Who sits at each place."""
    from kqj_sim.analysis.odds.calls import choose_assumed_player

    return assign_policies(players, rules, "--players", choose_assumed_player(rules))


class _CallOutput(NamedTuple):
    """Functions that present the odds of calls of a game."""

    make_report: Callable[..., Any]
    make_pictures: Callable[..., Any]
    render: Callable[..., bytes]


def _get_call_output(rules: GameRules) -> _CallOutput:
    """Return the functions that present the odds of a game."""
    from kqj_sim.reporting import odds, odds_plots

    if isinstance(rules, KqjRules):
        return _CallOutput(
            odds.make_kqj_call_report,
            odds_plots.make_kqj_pictures,
            odds_plots.render_kqj_call_odds,
        )
    return _CallOutput(
        odds.make_kwajongen_call_report,
        odds_plots.make_kwajongen_pictures,
        odds_plots.render_kwajongen_call_odds,
    )


def _write_odds(odds: Any, options: OddsOptions, stream: Any) -> None:
    """The answer in a format, to a file or stdout."""
    rules, confidence = odds.situation.rules, options.confidence
    output = _get_call_output(rules)
    report = output.make_report(odds, confidence)
    if options.format != PAGE_FORMAT:
        write_report(report, options.format, stream, options.color)
        return
    from kqj_sim.cards import format_hand
    from kqj_sim.reporting.odds import make_odds_page
    from kqj_sim.reporting.page import to_html

    hand = format_hand(odds.situation.hand, ranks=rules.ranks)
    page = to_html(make_odds_page(report, hand, *output.make_pictures(odds, confidence)))
    if stream is None:
        click.echo(page, nl=False)
    else:
        stream.write(page)
