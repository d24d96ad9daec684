"""Options of the commands that set a policy against a field."""

from __future__ import annotations

import click

from kqj_sim.cli.options import config_option, first_option, rule_options, stack

field_options = stack(
    click.option(
        "--field",
        metavar="SPEC",
        help="Who plays against the policy.  [default: the default player]",
    ),
    first_option,
    config_option,
    rule_options,
)
"""A field, where the deals begin, the rules."""
