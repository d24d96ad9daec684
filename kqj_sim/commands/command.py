"""The class of all commands: errors that name the right option."""

from __future__ import annotations

import click

from kqj_sim.commands.renamed import find_renamed_option


class Command(click.Command):
    """A command whose errors name the new name of a renamed option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line; raise UsageError for a renamed option."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            new = find_renamed_option(str(self.name), error.option_name)
            if new is None:
                raise
            raise click.UsageError(
                f"{error.option_name} is now --{new}: write --{new} instead", ctx
            ) from None
