"""Imports of the servers in a configuration file: each into a spec of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.cli.consent import Consent
from toolgen.cli.mcp_import.answers import live_answer, saved_answer
from toolgen.cli.mcp_import.server_entries import server_entries
from toolgen.cli.mcp_import.writing import place_of, write_spec
from toolgen.cli.output import echo
from toolgen.execute.reach import reached_by_server
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.cli.mcp_import.server_entries import ServerEntry
    from toolgen.cli.mcp_import.writing import Written
    from toolgen.compiler.project.config import Config

INCOMPLETE: Final = 1
UNREACHABLE: Final = 2
"""Exit codes: something was left out, or a server could not be imported at all."""


@dataclass(frozen=True, slots=True)
class EntryImport:
    """What became of one entry: what was written, or why nothing was."""

    entry: ServerEntry
    toolset: str
    written: Written | None = None
    error: str = ""

    @property
    def code(self) -> int:
        """The exit code."""
        if self.written is None:
            return UNREACHABLE
        return INCOMPLETE if self.written.is_incomplete else 0

    def to_json(self) -> dict[str, Any]:
        """Return the outcome for programs."""
        outcome = {"error": self.error} if self.written is None else self.written.to_json()
        return {
            "server": self.entry.name,
            "toolset": self.toolset,
            **outcome,
            "variables": self.entry.variables,
        }

    def show(self) -> None:
        """Print the outcome for people."""
        if self.written is None:
            echo(visible(f"{self.entry.name}: {self.error}"), err=True)
            return
        self.written.show()
        variables = self.entry.variables
        if variables:
            echo("  to run the tools, set these environment variables:")
        for name, origin in variables.items():
            echo(visible(f"  {name}{' (set)' if name in os.environ else ''}: {origin}"))


def import_entries(
    config: Config, file: str, only: str | None, toolset: str | None, out: str | None, dialect: str | None, *, yes: bool
) -> list[EntryImport]:
    """Import the servers of a file, or the one of them; what an entry has as literals is used to connect.

    A person is asked before, unless `yes` says so.
    Raises click.UsageError for a file that cannot be read, and for `toolset` or `out` with several servers.
    """
    source = saved_answer(file, config.root)
    entries = server_entries(source.path, source.text, only)
    if (toolset or out) and len(entries) != 1:
        raise click.UsageError(f"{source.path} has {len(entries)} servers: choose one with --server.")
    of_toolset = {entry.toolset: entry.name for entry in reversed(entries)}
    for entry in entries:
        if of_toolset[entry.toolset] != entry.name:
            names = f"`{of_toolset[entry.toolset]}` and `{entry.name}`"
            raise click.UsageError(
                f"{source.path}: {names} would both be {entry.toolset}: "
                "import them one by one, with --server and --toolset."
            )
    consent = Consent(config.root, yes=yes)
    consent.ask(
        each for entry in entries for each in reached_by_server(entry.name, entry.server, entry.references.made_of)
    )
    return [_imported(config, entry, toolset or entry.toolset, out, dialect) for entry in entries]


def _imported(config: Config, entry: ServerEntry, toolset: str, out: str | None, dialect: str | None) -> EntryImport:
    try:
        place = place_of(config, toolset, out)
        answer = live_answer(entry.server, entry.references.environment(os.environ))
        return EntryImport(entry, toolset, write_spec(place, toolset, answer, entry.server, dialect))
    except click.UsageError as error:  # the other servers come through
        return EntryImport(entry, toolset, error=error.message)
