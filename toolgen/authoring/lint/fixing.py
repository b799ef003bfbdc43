"""Fixing: safe fixes applied until none is left, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.authoring.lint.lint import Linted, lint
from toolgen.authoring.text import apply_fixes
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from toolgen.authoring.lint.baseline import BaselineEntry
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Config, Target

_ROUNDS: Final = 20
"""Maximum rounds: a fix may uncover another finding, and overlapping ones take a round each."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The outcome: the texts that changed, by path, how many findings were fixed in each, and what is left."""

    texts: Mapping[str, str]
    counts: Mapping[str, int]
    left: Linted


def fix(
    config: Config,
    files: Mapping[Target, Sequence[SpecFile]],
    baseline: Mapping[BaselineEntry, int] | None = None,
    only: Collection[str] | None = None,
    cache: Cache | None = None,
) -> Fixed:
    """Apply the fixes of all findings, round by round. `only` are the paths of files that may change.

    `cache` is as in `lint`.

    Raises RuntimeError if a fix breaks a spec, which is a defect of its rule.
    """
    changed: dict[str, str] = {}
    counts = Counter[str]()
    found = lint(config, files, baseline, cache=cache)
    for _ in range(_ROUNDS):
        texts = {each.path: each.text for read in files.values() for each in read}
        news: dict[str, str] = {}
        for path, text in texts.items():
            if only is None or path in only:
                chosen = [
                    found.fixes[each] for each in found.findings if each in found.fixes and each.span.file == path
                ]
                news[path], applied = apply_fixes(text, path, chosen)
                counts[path] += applied
        news = {path: text for path, text in news.items() if text != texts[path]}
        if not news:
            break
        files = {target: [_reread(each, news) for each in read] for target, read in files.items()}
        before, found = found, lint(config, files, baseline, cache=cache)
        if found.errors and not before.errors:
            raise RuntimeError(f"a fix broke a spec: {found.errors[0].span}: {found.errors[0].message}")
        changed |= news
    return Fixed(changed, counts, found)


def _reread(file: SpecFile, texts: Mapping[str, str]) -> SpecFile:
    """Return a file with its new text."""
    if file.path not in texts:
        return file
    sink = Diagnostics()
    root = parse(texts[file.path], file.path, sink)
    if root is None or sink.has_errors:
        raise RuntimeError(f"a fix broke a spec: {file.path} cannot be parsed")
    return SpecFile(file.path, texts[file.path], root)
