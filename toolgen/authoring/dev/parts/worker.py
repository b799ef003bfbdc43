"""The process of one part: it answers questions on stdin, one after another, on stdout."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Final

from toolgen.authoring.dev.parts.records import Answer, Part, PartProblem

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.authoring.dev.parts.records import Build, Changes, Lint, Question, Surface

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
        pickle.dump(_answer(compute, question), answers)
        answers.flush()


def _computer(part: Part) -> Callable[[Question], Build | Lint | Changes | Surface]:
    if part is Part.CHANGES:
        from toolgen.authoring.dev.parts.comparison import Comparison

        return Comparison()
    if part is Part.SURFACE:
        from toolgen.authoring.dev.parts.surface import SurfaceMeasure

        return SurfaceMeasure()
    from toolgen.authoring.dev.parts.problems import build_targets, lint_targets

    return build_targets if part is Part.BUILD else lint_targets


def _answer(compute: Callable[[Question], Build | Lint | Changes | Surface], question: Question) -> Answer:
    try:
        return Answer(compute(question))
    except PartProblem as error:
        return Answer(problem=str(error))
    except Exception as error:  # noqa: BLE001  # the page goes on, shows it, and prints the traceback at its end
        text = f"internal error: this is a bug in toolgen: {type(error).__name__}: {error}"
        return Answer(problem=text, traceback=traceback.format_exc())
