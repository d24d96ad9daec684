"""The command `odds`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kqj_sim.api.odds_questions import (
    EstimationOptions,
    PositionOptions,
    Question,
    ask_about_record,
    make_question,
    run_estimation,
)
from kqj_sim.arguments import (
    assign_policies,
    parse_share_width,
    read_place,
    read_places,
)
from kqj_sim.commands.command import Command
from kqj_sim.commands.input import read_content
from kqj_sim.commands.odds_dialog import is_terminal, run_dialog
from kqj_sim.commands.odds_input import TurnType, join_cards
from kqj_sim.commands.options import (
    SECONDS_TYPE,
    NumberType,
    WholeNumberType,
    combine_options,
    config_option,
    pop_rules,
    print_rule_notes,
    quiet_option,
    rule_options,
    seed_option,
    threads_option,
)
from kqj_sim.commands.output import (
    Output,
    choose_tables,
    color_option,
    confidence_option,
    out_option,
    plot_option,
    tables_option,
)
from kqj_sim.commands.say import say
from kqj_sim.reporting.formats import FORMATS, TABLE_SUFFIXES
from kqj_sim.rules import GameRules
from kqj_sim.signals import get_exit_status
from kqj_sim.text_files import MAX_RECORD_BYTES

if TYPE_CHECKING:
    from kqj_sim.analysis.odds.estimator import Odds

_PAGE_FORMAT = "html"
_SUFFIXES = {**TABLE_SUFFIXES, ".html": _PAGE_FORMAT}


TABLE_TITLES = {
    "calls": "All calls, with all their figures",
    "contracts": "Chance to make each amount in each contract (auctions)",
    "heard": "How likely the others' calls are",
    "cards": "All legal cards, with all their figures (during play)",
}
"""The tables of --tables."""


round_options = combine_options(
    click.option(
        "--played",
        metavar="CARDS",
        help='During play: give the cards played so far, trick after trick; "" if you lead first.',
    ),
    click.option(
        "--contract",
        metavar="CONTRACT",
        help='During play: give the contract, h or "150 h", if --heard is unknown.',
    ),
    click.option(
        "--sender",
        metavar="PLACE",
        help="With --contract: give the place of the Sender.",
    ),
    click.option(
        "--record",
        metavar="FILE",
        help="Read the round from this record (- for stdin).",
    ),
    click.option(
        "--line",
        type=WholeNumberType(1, "12"),
        help="With --record: read the record on this line of FILE.",
    ),
    click.option(
        "--at",
        type=TurnType(),
        metavar="TRICK.CARD|c.CALL",
        help="With --record: go back to trick 3, card 2 (3.2), or to the fourth call (c.4).",
    ),
)
"""Options that describe a round in progress."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  kqj-sim odds 9h 8h Ah Ks 4d --return 7h
  kqj-sim odds h: 98AKQ d: 5 c: 6A --bidding auction --heard "pass 120s pass"
  kqj-sim odds 7h Ks 4d Qd 9s 8c Tc Jc --return 9h --heard take --played As
  kqj-sim odds --record round.json --at 6.3
  kqj-sim odds Ah 9h Ks Tc --game kwajongen --return Jh --place 2nd
""",
)
@click.argument("hand", metavar="[CARDS]...", nargs=-1)
@click.option(
    "--return",
    metavar="CARD",
    help="Give the Return (in Kwajongen the dealer's card).",
)
@click.option(
    "--place",
    metavar="PLACE",
    help="Give your place, such as 3rd.  [default: the next]",
)
@click.option("--lap", type=click.Choice([1, 2]), help="Give the lap of taking.  [default: 1]")
@click.option(
    "--heard",
    metavar="CALLS",
    help='Give all calls so far: "pass 120h counter".  [default: all before you passed]',
)
@click.option(
    "--partners-at",
    metavar="PLACES",
    help="Give your partners' places, with --partners random: '2nd dealer'.",
)
@round_options
@click.option(
    "--policy",
    multiple=True,
    metavar="SPEC",
    help="Seat this policy everywhere, or by team0=SPEC or seat3=SPEC (repeatable).  "
    "[default: points+network; standard in Kwajongen]",
)
@click.option(
    "--ignore-calls", is_flag=True, help="Deal the hidden cards regardless of the calls so far."
)
@click.option("--ignore-plays", is_flag=True, help="Do not weigh hidden cards by the cards played.")
@click.option(
    "--pending",
    type=WholeNumberType(0, "120"),
    default=0,
    show_default=True,
    metavar="POINTS",
    help="Add this pending litigation gratuity.",
)
@click.option("--raised", is_flag=True, help="Play a raised round.")
@click.option(
    "--deals",
    type=WholeNumberType(1, "1e5"),
    help="Play this many deals for each call or card.  [default: 10000]",
)
@click.option(
    "--precision",
    type=NumberType("share", parse_share_width),
    metavar="SHARE",
    help="Stop when the best option's chance to win is known to ± this, such as 0.5%.",
)
@click.option("--time", type=SECONDS_TYPE, metavar="SECONDS", help="Stop after this many seconds.")
@seed_option
@threads_option
@confidence_option
@config_option
@rule_options
@click.option(
    "--format",
    type=click.Choice([*FORMATS, _PAGE_FORMAT]),
    metavar="FORMAT",
    help=f"Write {', '.join(FORMATS)} or {_PAGE_FORMAT}.  [default: by --out, else table]",
)
@tables_option
@out_option
@plot_option
@color_option
@quiet_option
def odds(
    hand: tuple[str, ...], place: str | None, lap: int | None, heard: str | None,
    partners_at: str | None, played: str | None, contract: str | None,
    sender: str | None, record: str | None, line: int | None,
    at: tuple[int, int] | str | None, policy: tuple[str, ...], ignore_calls: bool,
    ignore_plays: bool, pending: int, raised: bool, deals: int | None,
    precision: float | None, time: float | None, seed: int, threads: int | None,
    confidence: float, format: str | None, tables: str | None, out: str | None,
    plot: str | None, color: str,
    quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Estimate the value of each call, or card, and name the best.

    CARDS are the cards you hold: five with taking, eight with auctions, four in Kwajongen.  With
    --played or --record the question is which card to play, and CARDS are all your cards or those
    left.  Hidden cards are sampled to agree with the calls and plays so far.  Without CARDS, on a
    terminal, it asks for them and goes on with the round.
    """
    if deals is not None and precision is not None:
        raise click.UsageError("--deals and --precision: give one of them")
    # Refuses wrong suffixes before anything is asked.
    Output(out, format, plot, color, _SUFFIXES)
    rules = pop_rules(options)
    for option, given in (("--at", at), ("--line", line)):
        if given is not None and record is None:
            raise click.UsageError(f"{option} is for --record: leave it out, or give a record")
    shown = choose_tables(tables, TABLE_TITLES)
    position = PositionOptions(
        join_cards(hand),
        options.pop("return"),
        read_place("--place", place, rules),
        lap,
        heard,
        read_places("--partners-at", partners_at, rules),
        played,
        contract,
        read_place("--sender", sender, rules),
        pending,
        raised,
    )
    seat_players = partial(assign_policies, policy) if policy else None
    limits = EstimationOptions(
        deals, precision, time, seed, threads, confidence, ignore_calls, ignore_plays
    )

    def answer(question: Question) -> bool:
        print_rule_notes(question.rules, quiet)
        with Output(out, format, plot, color, _SUFFIXES) as output:
            found = run_estimation(question, limits, not quiet)
            _write_odds(found, output, confidence, shown)
        if found.stop_reason == "interrupted":
            say(f"Interrupted: the answer rests on {found.deals:,} deals", err=True)
        return found.stop_reason != "interrupted"

    def answer_position(position: PositionOptions, rules: GameRules) -> bool:
        return answer(make_question(position, rules, seat_players, _list_given_options()))

    if record is None and not hand and is_terminal():
        run_dialog(position, rules, answer_position)
        return
    if record is None:
        finished = answer_position(position, rules)
    else:
        if raised or any(each is not None for each in position[:-2]):
            raise click.UsageError(
                "--record holds the cards, places, calls and plays: leave their options out"
            )
        data = read_content(record, MAX_RECORD_BYTES)
        finished = answer(ask_about_record(data, line, at, seat_players))
    if not finished:
        click.get_current_context().exit(get_exit_status())


def _list_given_options() -> set[str]:
    """Return the names of the options that were not left at their defaults."""
    context = click.get_current_context()
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    }


def _write_odds(
    odds: Odds, output: Output, confidence: float, shown: Collection[str] | None
) -> None:
    """Write the answer as tables or as a page, and the picture."""
    from kqj_sim.reporting.odds import make_odds_report

    report = replace(make_odds_report(odds, confidence), shown=shown)
    if output.format == _PAGE_FORMAT:
        from kqj_sim.reporting.odds_page import make_odds_page
        from kqj_sim.reporting.page import to_html

        output.write_page(to_html(make_odds_page(odds, report, confidence)), report)
    else:
        output.write_report(report)
    if output.has_plot:
        from kqj_sim.reporting.odds_plots import render_odds

        output.write_plot(lambda format: render_odds(odds, report, confidence, format))
