"""Options of the commands that set a policy against a field."""

from __future__ import annotations

import click

from kqj_sim.cli.options import Whole, config_option, rule_options, stack

field_options = stack(
    click.option(
        "--field",
        metavar="SPEC",
        help="Who plays against the policy.  [default: the default player]",
    ),
    click.option(
        "--first",
        type=Whole(0, "0"),
        default=0,
        show_default=True,
        help="Number of the first deal.",
    ),
    click.option(
        "--threads", type=Whole(1, "2"), help="Threads to use.  [default: all processors]"
    ),
    config_option,
    rule_options,
)
"""A field, where the deals begin, threads, the rules."""
