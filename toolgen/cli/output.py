"""Output of commands: text, diagnostics, JSON, progress. Color and progress on a terminal only.

All that a command prints goes through here, because it may quote what a spec, a server or a store says: that controls
no terminal, hides nothing and forges no line of a person's screen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.spec.files import read_file
from toolgen.spec.visible import is_hidden, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from rich.status import Status

    from toolgen.compiler.diagnostics import Diagnostic

_MOST_NOTED: Final = 10_000_000

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format: text for people, json for programs.",
)


def echo(text: str | bytes = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text on stdout, or on stderr, with hidden characters but line feeds as escapes; bytes as they are."""
    shown = text if isinstance(text, bytes) else "\n".join(map(visible, text.split("\n"))).encode()
    click.echo(shown, err=err, nl=nl)


def show_json(value: Any) -> None:
    """Print a JSON value, indented, in UTF-8, with hidden characters as escapes."""
    show_json_text(json.dumps(value, ensure_ascii=False, indent=2))


def show_json_text(text: str) -> None:
    """Print a JSON text in UTF-8, with hidden characters but line feeds as its escapes."""
    click.echo("\n".join(map(_json_line, text.split("\n"))).encode())


def _json_line(line: str) -> str:
    if visible(line) == line:
        return line
    return "".join(_json_escape(char) if is_hidden(char) else char for char in line)


def _json_escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else json.dumps(char)[1:-1]


def show_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics as text on stderr, with the source lines they refer to.

    `sources` maps paths to the texts that lines are quoted from. No file is read: the file of a diagnostic may be one
    that must not be shown.
    """
    from toolgen.compiler.diagnostics.render import render_text

    text = render_text(diagnostics, sources, color=takes_color(sys.stderr))
    click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)


def show_listed(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, str], *, command: str, packages: Sequence[Path], all_: bool
) -> None:
    """Print diagnostics as text on stderr, for a person: at most 20 blocks, what is new first; or all of them.

    `command` is the one that runs; with `--all` it shows everything. What it showed is noted in the derived data of
    `packages`, so that it can tell next time what is new.
    """
    from toolgen.compiler.diagnostics.render import digest, render_listed, render_text
    from toolgen.compiler.source.origins import Origins
    from toolgen.spec.derived import DERIVED, write_derived

    color = takes_color(sys.stderr)
    file = f"{command}.warnings.json"
    known = _noted([package / DERIVED / file for package in packages])
    origins = Origins(sources)
    text = (
        render_text(diagnostics, sources, color=color)
        if all_
        else render_listed(
            diagnostics,
            sources,
            color=color,
            is_imported=origins.is_imported,
            known=known,
            everything=f"toolgen {command} --all",
        )
    )
    click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)
    noted = json.dumps(sorted({digest(each) for each in diagnostics}), indent=0).encode()
    for package in packages:
        if package.is_dir():
            write_derived(package, file, noted)


def _noted(files: Sequence[Path]) -> set[str] | None:
    """Return what was noted the last time; None if nothing was."""
    found: set[str] = set()
    for file in files:
        try:
            found |= {each for each in json.loads(read_file(file, _MOST_NOTED)) if isinstance(each, str)}
        except (OSError, ValueError, TypeError, RecursionError):
            return None
    return found


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
