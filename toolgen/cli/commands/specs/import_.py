"""`toolgen import`: tool definitions in other formats, as specs. Its commands are the importers of the table."""

from __future__ import annotations

from typing import Any

import click

from toolgen.cli.importers import IMPORTERS, importer_named
from toolgen.cli.output import CommandGroup
from toolgen.compiler.importers.bounds import TooMuch, bounded_time


class _Importers(CommandGroup):
    """A command for each importer. Each has the same time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The importers, in the order of the table."""
        return list(IMPORTERS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import an importer; None for an unknown name."""
        if cmd_name not in IMPORTERS:
            return None
        from toolgen.cli.importers.importer import command_of

        return command_of(importer_named(cmd_name))

    def invoke(self, ctx: click.Context) -> Any:
        """Run an importer. Raises click.UsageError where it takes too long."""
        try:
            with bounded_time():
                return super().invoke(ctx)
        except TooMuch as error:
            advice = "Import the tools in parts, each into its own toolset; a file that was not written is as it was."
            raise click.UsageError(f"Given up: {error}. {advice}") from error


@click.group("import", cls=_Importers)
def command() -> None:
    """Import tool definitions from other formats as specs."""
