"""What commands print: diagnostics, JSON, progress. Colour and progress on a terminal only."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from pathlib import Path

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


def show_diagnostics(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], root: Path) -> None:
    """Print diagnostics for people, on stderr, with the lines they are about."""
    from toolgen.compiler.diagnostics.render import render_text

    found = list(diagnostics)
    if found:
        known = {**_texts(found, root), **sources}
        click.echo(render_text(found, known, color=sys.stderr.isatty()).encode("utf-8", "backslashreplace"), err=True)


def diagnostics_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as JSON values."""
    from toolgen.compiler.diagnostics.render import render_json

    return render_json(diagnostics)


def _texts(diagnostics: Iterable[Diagnostic], root: Path) -> dict[str, str]:
    """The texts of files that were not compiled, where they can be read: configuration, files with syntax errors."""
    texts: dict[str, str] = {}
    for file in {found.span.file for found in diagnostics}:
        try:
            texts[file] = (root / file).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
    return texts


@contextmanager
def progress() -> Generator[Callable[[str], None]]:
    """Give a function that takes the name of each stage. On a terminal, stages after the first second are shown."""
    if not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.console import Console

    started = time.monotonic()
    status = Console(stderr=True).status("")

    def show(stage: str) -> None:
        status.update(f"{stage} ({time.monotonic() - started:.0f} s)")
        status.start()

    try:
        yield show
    finally:
        status.stop()
