"""`toolgen dev`: what is broken, what changed, and what models see, on one page that follows every change."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from toolgen.authoring.dev.loop import Loop
from toolgen.authoring.dev.page import Choices
from toolgen.authoring.dev.terminal import Log, Screen
from toolgen.cli.names import GivenName
from toolgen.cli.output import can_move_cursor, echo, takes_color
from toolgen.cli.project import check_folders, project
from toolgen.compiler.project.config import ConfigError
from toolgen.providers.table import PROVIDERS

if TYPE_CHECKING:
    from toolgen.authoring.dev.loop import View
    from toolgen.compiler.project.config import Config


@click.command("dev")
@click.option(
    "--against",
    type=GivenName(),
    metavar="REF|DIR|PACKAGE",
    help="The version to compare with, as `toolgen diff` takes it. "
    "Default: where the working tree left the default branch.",
)
@click.option(
    "--provider",
    type=click.Choice(list(PROVIDERS)),
    default="openai",
    show_default=True,
    help="The provider whose requests are measured.",
)
@click.option("--agent", default="", help="The agent whose tools are measured. Default: all tools of a package.")
def command(*, against: str | None, provider: str, agent: str) -> NoReturn:
    """Build after each change, and show on one page what is broken, what changed and what models see.

    Problems are the diagnostics of the build and the findings of lint, the worst first. Changes are those of `toolgen
    diff`. Surface is what a first request to a model takes, for the presentation of each layer, as in `toolgen stats`,
    and the largest tools. Each is computed by itself; what is not of the newest specs yet is marked as stale. Ctrl-C
    ends it. Without a terminal, or with `TERM=dumb`, each change is a block of plain text.
    """
    with suppress(ConfigError):  # which the page shows
        project()
    loop = Loop(Path.cwd(), Choices(against or "", provider, agent), _view(sys.stdout), _problem_of)
    try:
        loop.run()
    finally:
        for traceback in loop.page.tracebacks:
            echo(traceback, err=True)


def _view(out: TextIO) -> View:
    """Return the page that a stream can take."""
    return Screen(out, color=takes_color(out)) if can_move_cursor(out) else Log(_print)


def _print(line: str) -> None:
    echo(line.encode("utf-8", "backslashreplace"))


def _problem_of(config: Config) -> str:
    """Return what is wrong with the folders of a project."""
    try:
        check_folders(config)
    except click.UsageError as error:
        return error.format_message()
    return ""
