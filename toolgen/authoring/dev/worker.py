"""The process of one part: it answers questions on stdin, one after another, on stdout."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolgen.authoring.dev.page import Answer, Build, BuiltTarget, Lint, Part, PartProblem
from toolgen.authoring.evaluations import checked_evaluations, linted_evaluations
from toolgen.authoring.lint.baseline import BaselineBroken, load_baseline
from toolgen.authoring.lint.lint import lint
from toolgen.compiler.build import build_target
from toolgen.compiler.compile import check_settings, compile_specs, read_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.collector import paused
from toolgen.compiler.source.origins import reporting
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.redact.call_secrets import hide_text
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.runtime.redact.secrets import NO_SECRETS

if TYPE_CHECKING:
    from toolgen.authoring.dev.page import Changes, Question, Surface
    from toolgen.compiler.project.config import Config, Target


# Problems: the builds of all targets with their diagnostics, and the findings of lint.


def build_targets(question: Question) -> Build:
    """Build every target, and check the evaluations, as `toolgen build` does."""
    started = time.perf_counter()
    targets = tuple(_built(question.config, target) for target in question.config.targets)
    is_built = all(each.is_published and not each.strays for each in targets)
    evaluations = tuple(checked_evaluations(question.config)) if is_built else ()
    return Build(targets, time.perf_counter() - started, evaluations)


def _built(config: Config, target: Target) -> BuiltTarget:
    sink = reporting(config.silence)
    built = build_target(config, target, sink)
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
    """Run all rules of lint over every target, and check the evaluations. Raises PartProblem for a broken baseline."""
    config, sink = question.config, Diagnostics()
    files = {target: read_files(config.root, target, sink) for target in config.targets}
    if sink.has_errors:
        return Lint(waits=True)
    try:
        found = lint(config, files, load_baseline(config.root), cache=open_cache(config.root))
    except BaselineBroken as error:
        raise PartProblem(f"{error}. Delete it, or restore it") from None
    if found.errors:
        return Lint(waits=True)
    findings = (*linted_evaluations(config), *found.findings)
    return Lint(findings, sum(each in found.fixes for each in found.findings))


_NICENESS: Final = {Part.BUILD: 0, Part.LINT: 5, Part.CHANGES: 10, Part.SURFACE: 10}
"""How much each part leaves the processor to the others."""


def main(name: str) -> None:
    """Answer until stdin is closed."""
    part = Part(name)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # so that nothing else is written between answers
    if hasattr(os, "nice"):
        os.nice(_NICENESS[part])
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit())  # temporary folders are removed on the way
    compute = _computer(part)
    while True:
        try:
            question: Question = pickle.load(sys.stdin.buffer)  # noqa: S301  # from the process that started this one
        except EOFError:
            return
        with paused():
            pickle.dump(_answer(compute, question), answers)
            answers.flush()
        gc.collect()  # after the answer, when nobody waits


def _computer(part: Part) -> Callable[[Question], Build | Lint | Changes | Surface]:
    if part is Part.CHANGES:
        from toolgen.authoring.dev.surface import Comparison

        return Comparison()
    if part is Part.SURFACE:
        from toolgen.authoring.dev.surface import SurfaceMeasure

        return SurfaceMeasure()

    return build_targets if part is Part.BUILD else lint_targets


def _answer(compute: Callable[[Question], Build | Lint | Changes | Surface], question: Question) -> Answer:
    try:
        return Answer(compute(question))
    except PartProblem as error:
        return Answer(problem=str(error))
    except Exception as error:  # noqa: BLE001  # the page goes on, shows it, and prints the traceback at its end
        text = f"internal error: this is a bug in toolgen: {shown_error(error)}"
        return Answer(problem=text, traceback=hide_text(traceback.format_exc(), NO_SECRETS))
