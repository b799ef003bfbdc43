"""Output of commands: text, diagnostics, JSON, progress. Color and progress on a terminal only.

All that a command prints goes through here, because it may quote what a spec, a server or a store says: that controls
no terminal, hides nothing and forges no line of a person's screen.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

import click

from toolgen.contract.picklable import Picklable
from toolgen.spec.files import read_file
from toolgen.spec.text import cut, first_line, visible, visible_json

if TYPE_CHECKING:
    from pathlib import Path

    from rich.status import Status

    from toolgen.compiler.diagnostics import Diagnostic

_MOST_NOTED: Final = 10_000_000


class FiniteRange(click.FloatRange):
    """A finite number in a range. `nan` is in none, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number. Raises click.BadParameter."""
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return found


class UnknownCommand(Picklable, click.UsageError):
    """There is no command of a name. The message has the nearest of those that there are."""

    def __init__(self, name: str, known: Collection[str], ctx: click.Context) -> None:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean `{near[0]}`?" if near else f"See `{ctx.command_path} --help`."
        super().__init__(f"There is no command `{name}`. {hint}", ctx)


class CommandGroup(click.Group):
    """Commands of a command. Their summaries are whole sentences, and an unknown name gets a suggestion."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run. Raises UnknownCommand."""
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise UnknownCommand(args[0], known, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with the first sentence of its help."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=1000)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format: text for people, json for programs.",
)

_F = TypeVar("_F", bound="Callable[..., Any]")

_LISTINGS: Final = {"text": "for people", "concise": "for one line each", "json": "for programs"}


def listing_options(**more: str) -> Callable[[_F], _F]:
    """Return a decorator that adds the options of `Listing`; `more` are formats that only one command has."""
    formats = {**_LISTINGS, **more}
    options = (
        click.option("--all", "all_", is_flag=True, help="List every finding, also those of imported tools."),
        click.option("--statistics", is_flag=True, help="Only count the findings of each rule."),
        click.option(
            "--format",
            "output_format",
            type=click.Choice(list(formats)),
            default="text",
            show_default=True,
            help=f"Output format: {', '.join(f'{output_format} {use}' for output_format, use in formats.items())}.",
        ),
    )

    def add(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@dataclass(frozen=True, slots=True)
class Listing:
    """How a command lists what it finds. Raises click.UsageError for options that exclude each other."""

    output_format: str = "text"
    statistics: bool = False
    all_: bool = False

    def __post_init__(self) -> None:
        if self.statistics and self.output_format not in ("text", "json"):
            raise click.UsageError(f"`--statistics` prints text or JSON, not {self.output_format}.")

    @property
    def is_text(self) -> bool:
        """Whether people read it as text, in lines or in blocks."""
        return self.output_format in ("text", "concise")

    @property
    def has_blocks(self) -> bool:
        """Whether findings are blocks on stderr; else stdout has them, and nothing else."""
        return self.output_format == "text" and not self.statistics

    @property
    def is_complete(self) -> bool:
        """Whether all findings are asked for, also where a command would have nothing to do: programs ask for them."""
        return self.all_ or self.statistics or self.output_format != "text"

    def show(
        self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, str], *, command: str, packages: Sequence[Path]
    ) -> None:
        """Print diagnostics as text.

        On stderr all errors and at most 20 blocks of others, what is new first, or with `all_` each of them; one line
        each, or with `statistics` the count of each code, on stdout. `command` is the one that runs. What was shown as
        blocks is noted in the derived data of `packages`, to tell next time what is new.
        """
        from toolgen.compiler.diagnostics.render import render_concise

        if self.statistics:
            _show_statistics(diagnostics)
        elif self.output_format == "concise":
            click.echo(render_concise(diagnostics).encode("utf-8", "backslashreplace"), nl=False)
        else:
            _show_blocks(diagnostics, sources, command, packages, all_=self.all_)

    def to_json(self, diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
        """Return diagnostics, or with `statistics` the count of each code, as JSON values."""
        from toolgen.compiler.diagnostics.render import render_statistics

        return render_statistics(diagnostics) if self.statistics else diagnostics_json(diagnostics)


def echo(text: str | bytes = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text on stdout, or on stderr, with hidden characters but line feeds as escapes; bytes as they are."""
    shown = text if isinstance(text, bytes) else "\n".join(map(visible, text.split("\n"))).encode()
    click.echo(shown, err=err, nl=nl)


def short(description: str) -> str:
    """Return what a list of tools shows of a description: its first line, of at most 80 characters."""
    return cut(visible(first_line(description)), _SHORT)


_SHORT: Final = 80


def show_json(value: Any) -> None:
    """Print a JSON value, indented, in UTF-8, with hidden characters as escapes."""
    show_json_text(json.dumps(value, ensure_ascii=False, indent=2))


def show_json_text(text: str) -> None:
    """Print a JSON text in UTF-8, with hidden characters but line feeds as its escapes."""
    click.echo(visible_json(text).encode())


def show_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics as text on stderr, with the source lines they refer to.

    `sources` maps paths to the texts that lines are quoted from. No file is read: the file of a diagnostic may be one
    that must not be shown.
    """
    from toolgen.compiler.diagnostics.render import render_text

    text = render_text(diagnostics, sources, color=takes_color(sys.stderr))
    click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)


def show_grouped(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], *, everything: str) -> None:
    """Print diagnostics on stderr: all errors, and at most 20 blocks of others. `everything` shows each of them."""
    from toolgen.compiler.diagnostics.render import render_listed

    color = takes_color(sys.stderr)
    text = render_listed(diagnostics, sources, color=color, is_imported=lambda found: False, everything=everything)
    click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)


def _show_statistics(diagnostics: Sequence[Diagnostic]) -> None:
    from toolgen.compiler.diagnostics.render import render_statistics
    from toolgen.runtime.issues.issue_text import counted

    rows = render_statistics(diagnostics)
    width = len(str(rows[0]["count"])) if rows else 1
    for row in rows:
        echo(f"{row['count']:>{width}}  {row['code']}  {row['severity']:7}  {row['name']}")
    echo(counted(len(diagnostics), "finding"), err=True)


def _show_blocks(
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, str],
    command: str,
    packages: Sequence[Path],
    *,
    all_: bool,
) -> None:
    from toolgen.compiler.diagnostics.render import digest, render_listed
    from toolgen.compiler.source.origins import Origins
    from toolgen.spec.derived import DERIVED, write_derived

    if all_:
        show_diagnostics(diagnostics, sources)
    else:
        file = _NOTED_IN.format(command)
        text = render_listed(
            diagnostics,
            sources,
            color=takes_color(sys.stderr),
            is_imported=Origins(sources).is_imported,
            known=_noted([package / DERIVED / file for package in packages]),
            everything=f"toolgen {command} --all",
        )
        click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)
    noted = json.dumps(sorted({digest(each) for each in diagnostics}), indent=0).encode()
    for package in packages:
        if package.is_dir():
            write_derived(package, _NOTED_IN.format(command), noted)


_NOTED_IN: Final = "{}.warnings.json"


def _noted(files: Sequence[Path]) -> set[str] | None:
    """Return what was noted the last time; None if nothing was."""
    found: set[str] = set()
    for file in files:
        try:
            found |= {each for each in json.loads(read_file(file, _MOST_NOTED)) if isinstance(each, str)}
        except (OSError, ValueError, TypeError, RecursionError):
            return None
    return found if files else None


def takes_color(stream: TextIO) -> bool:
    """Return whether to write color to a stream: a terminal, without `NO_COLOR` (no-color.org) or `TERM=dumb`."""
    return can_move_cursor(stream) and not os.environ.get("NO_COLOR")


def can_move_cursor(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can be drawn on."""
    return stream.isatty() and not _is_dumb()


def _is_dumb() -> bool:
    """Return whether the terminal cannot move its cursor, as `TERM=dumb` says."""
    return os.environ.get("TERM") == "dumb"


def diagnostics_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as JSON values."""
    from toolgen.compiler.diagnostics.render import render_json

    return render_json(diagnostics)


@contextmanager
def progress(clock: Callable[[str], None] = lambda stage: None) -> Generator[Callable[[str], None]]:
    """Return a function that takes the name of each stage, and passes it to `clock`, if there is one.

    On a terminal, a stage longer than a second is shown.
    """
    if not can_move_cursor(sys.stderr):
        yield clock
        return
    spinner = _Spinner()
    patience = threading.Timer(_PATIENCE, spinner.start)
    patience.daemon = True
    patience.start()

    def begin(stage: str) -> None:
        clock(stage)
        spinner.show(stage)

    try:
        yield begin
    finally:
        patience.cancel()
        patience.join()
        spinner.stop()


_PATIENCE: Final = 1.0
"""Seconds before progress is shown."""


class _Spinner:
    """A spinner with the name of the stage. Its library is loaded when it starts."""

    def __init__(self) -> None:
        self._stage = ""
        self._status: Status | None = None

    def show(self, stage: str) -> None:
        self._stage = stage
        if self._status is not None:
            self._status.update(stage)

    def start(self) -> None:
        from rich.console import Console

        self._status = Console(stderr=True, no_color=not takes_color(sys.stderr)).status(self._stage)
        self._status.start()

    def stop(self) -> None:
        if self._status is not None:
            self._status.stop()
