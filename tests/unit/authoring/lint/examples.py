"""Examples: small specs in one text, several files divided by a line of three dashes, linted in memory."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from toolgen.authoring.lint.lint import Linted, lint
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.lint_settings import LintSettings
from toolgen.compiler.project.config import Config, Target
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.authoring.lint.baseline import BaselineEntry
    from toolgen.compiler.project.cache import Cache


def files_of(example: str) -> dict[str, str]:
    """Return the files of an example, by path."""
    texts = [f"toolgen: 1\n{text.strip()}\n" for text in dedent(example).strip("\n").split("---\n")]
    return {f"specs/{number}.yaml": text for number, text in enumerate(texts, 1)}


def parsed(files: Mapping[str, str]) -> list[SpecFile]:
    """Parse texts by path; fails if one cannot be parsed."""
    sink = Diagnostics()
    read = [SpecFile(path, text, root) for path, text in files.items() if (root := parse(text, path, sink)) is not None]
    assert len(read) == len(files), list(sink)
    return read


def linted(
    files: Mapping[str, str],
    settings: LintSettings | None = None,
    baseline: Mapping[BaselineEntry, int] | None = None,
    target: Target | None = None,
    cache: Cache | None = None,
) -> Linted:
    """Lint texts by path; fails if one cannot be parsed."""
    read = parsed(files)
    chosen = target or Target()
    return lint(Config(Path(), (chosen,), lint=settings or LintSettings()), {chosen: read}, baseline, cache=cache)


def codes(outcome: Linted) -> list[str]:
    """Return the rules of the findings; fails if a spec has errors."""
    assert not outcome.errors, outcome.errors
    return [found.code for found in outcome.findings]
