"""Problems: the builds of all targets with their diagnostics, and the findings of lint."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toolgen.authoring.dev.parts.records import Build, BuiltTarget, Lint, PartProblem
from toolgen.authoring.lint.baseline import BaselineBroken, load_baseline
from toolgen.authoring.lint.lint import lint
from toolgen.compiler.build import build
from toolgen.compiler.cache.store import open_cache
from toolgen.compiler.compile import check_settings, compile_specs, read_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.origins import reporting
from toolgen.runtime.issues.issue_text import counted

if TYPE_CHECKING:
    from toolgen.authoring.dev.parts.records import Question
    from toolgen.compiler.project.config import Config, Target


def build_targets(question: Question) -> Build:
    """Build every target, as `toolgen build` does."""
    started = time.perf_counter()
    targets = tuple(_built(question.config, target) for target in question.config.targets)
    return Build(targets, time.perf_counter() - started)


def _built(config: Config, target: Target) -> BuiltTarget:
    sink = reporting(config.silence)
    built = build(config, target, sink)
    published = built.published
    if published is None:
        return BuiltTarget(target.out, is_published=False, outcome="not built", found=tuple(sink))
    if not built.sources:  # nothing had changed, so nothing was compiled, and warnings are not known
        compiled = compile_specs(config.root, target, sink, cache=open_cache(config.root))
        check_settings(config, target, compiled, sink)
    is_same = not published.written and not published.removed
    written = f"{counted(len(published.written), 'file')} written, {len(published.removed)} removed"
    return BuiltTarget(target.out, True, "up to date" if is_same else written, tuple(sink), built.strays)


def lint_targets(question: Question) -> Lint:
    """Run all rules of lint over every target. Raises PartProblem for a broken baseline."""
    config, sink = question.config, Diagnostics()
    files = {target: read_files(config.root, target, sink) for target in config.targets}
    if sink.has_errors:
        return Lint(waits=True)
    try:
        found = lint(config, files, load_baseline(config.root))
    except BaselineBroken as error:
        raise PartProblem(f"{error}. Delete it, or restore it") from None
    if found.errors:
        return Lint(waits=True)
    return Lint(tuple(found.findings), sum(each in found.fixes for each in found.findings))
