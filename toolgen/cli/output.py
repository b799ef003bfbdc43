"""Output of commands: diagnostics, JSON, progress. Color and progress on a terminal only."""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from typing import TextIO

    from rich.status import Status

    from toolgen.compiler.diagnostics import Diagnostic

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format: text for people, json for programs.",
)


def show_json(value: Any) -> None:
    """Print a JSON value, indented, in UTF-8."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"))


def show_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics as text on stderr, with the source lines they refer to.

    `sources` maps paths to the texts that lines are quoted from. No file is read: the file of a diagnostic may be one
    that must not be shown.
    """
    from toolgen.compiler.diagnostics.render import render_text

    text = render_text(diagnostics, sources, color=takes_color(sys.stderr))
    click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)


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
