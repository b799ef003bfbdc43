"""What commands print: diagnostics, JSON, progress. Colour and progress on a terminal only."""

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
    help="For people, or for programs.",
)


def show_json(value: Any) -> None:
    """Print a JSON value, readable and in UTF-8."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"))


def show_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics for people, on stderr, with the lines they are about.

    `sources` has the texts that lines are quoted from, by path. No file is read for it: one that a diagnostic is about
    may be one that must not be shown.
    """
    from toolgen.compiler.diagnostics.render import render_text

    text = render_text(diagnostics, sources, color=takes_color(sys.stderr))
    click.echo(text.encode("utf-8", "backslashreplace"), err=True, nl=False)


def takes_color(stream: TextIO) -> bool:
    """Say whether a stream is a terminal that is to show colour: `NO_COLOR` (no-color.org) and `TERM=dumb` say no."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and not _is_dumb()


def _is_dumb() -> bool:
    """Say whether the terminal takes plain lines only, as `TERM=dumb` says: nothing can be moved or taken back."""
    return os.environ.get("TERM") == "dumb"


def diagnostics_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as JSON values."""
    from toolgen.compiler.diagnostics.render import render_json

    return render_json(diagnostics)


@contextmanager
def progress() -> Generator[Callable[[str], None]]:
    """Give a function that takes the name of each stage. On a terminal, what takes over a second is shown."""
    if not sys.stderr.isatty() or _is_dumb():
        yield lambda stage: None
        return
    spinner = _Spinner()
    patience = threading.Timer(_PATIENCE, spinner.start)
    patience.daemon = True
    patience.start()
    try:
        yield spinner.show
    finally:
        patience.cancel()
        patience.join()
        spinner.stop()


_PATIENCE: Final = 1.0
"""Seconds before progress is shown."""


class _Spinner:
    """The name of the stage, turning. Its library is only loaded when it starts."""

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


def counted(number: int, noun: str) -> str:
    """Say how many there are: `1 event`, `2 events`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
