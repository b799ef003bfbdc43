"""Reports: what a model is told of a snippet. One line for each thing that went wrong, and bounds for all it shows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.contract.visible import escaped, is_hidden, visible
from toolgen.runtime.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from toolgen.contract.records import ToolError
    from toolgen.runtime.presentations.codeact.worker import Objection, SnippetFailed

_EXCEPTIONS: Final[dict[FailureKind, type[Exception]]] = {
    FailureKind.PERMISSION_DENIED: PermissionError,
    FailureKind.TIMEOUT: TimeoutError,
    FailureKind.INVALID_CALL: ValueError,
    FailureKind.TOOL_NOT_AVAILABLE: LookupError,
}
"""The builtin exception that a failure is in a snippet; RuntimeError for every other kind."""

_OBJECTIONS: Final = 10
_LINE: Final = 1_000
_PRINTED: Final = "| "
_NAME: Final = re.compile(r"Name `(\w+)`")


def exception_of(error: ToolError) -> Exception:
    """The exception that a failed call raises: its message begins with the kind."""
    hint = f" ({error.hint})" if error.hint and error.hint not in error.message else ""
    return _EXCEPTIONS.get(error.kind, RuntimeError)(one_line(f"{error.kind}: {error.message}{hint}"))


class Printed:
    """What a snippet printed, as much of it as is shown."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[str] = []
        self._room = limit
        self._length = 0

    def add(self, text: str) -> None:
        """Take some more."""
        self._length += len(text)
        if self._room > 0:
            self._kept.append(text[: self._room])
            self._room -= len(text)

    def report(self) -> str:
        """Say it, or nothing where nothing was printed. Its lines are marked: none passes for the report's own."""
        if not self._length:
            return ""
        kept = "".join(self._kept)
        shown = "".join(escaped(char) if is_hidden(char) and char not in "\n\t" else char for char in kept)
        lines = shown.removesuffix("\n").replace("\n", f"\n{_PRINTED}")
        return _cut(f"printed:\n{_PRINTED}{lines}", len(kept), self._length)


def result_report(text: str, limit: int) -> str:
    """Say what a result is, given as JSON text; characters that are not to be seen become escapes of JSON."""
    shown = "".join(json.dumps(char)[1:-1] if is_hidden(char) else char for char in text[:limit])
    return _cut(f"result: {shown}", min(limit, len(text)), len(text))


def failure_report(failure: SnippetFailed) -> str:
    """Say what a snippet raised, and where."""
    where = f"line {failure.line}: " if failure.line else ""
    source = f" in `{one_line(failure.source)}`" if failure.source else ""
    return f"{where}{failure.kind}: {one_line(failure.message)}{source}"


def objections_report(objections: Sequence[Objection], functions: Collection[str]) -> str:
    """Say what the type checker has against a snippet."""
    lines = [f"line {each.line}: {one_line(each.message)}{_meant(each, functions)}" for each in objections]
    more = len(lines) - _OBJECTIONS
    shown = [*lines[:_OBJECTIONS], *([f"and {more} more"] if more > 0 else [])]
    return "\n".join(["nothing was run, for the type checker found:", *shown])


def _meant(objection: Objection, functions: Collection[str]) -> str:
    name = _NAME.match(objection.message) if objection.rule == "unresolved-reference" else None
    near = nearest(name[1], functions, count=1) if name else ()
    return f"; did you mean `{near[0]}`?" if near else ""


def one_line(text: str) -> str:
    """Text that a snippet may have written, as one line of bounded length."""
    line = visible(text[:_LINE])
    return line if len(text) <= _LINE else f"{line}…"


def _cut(shown: str, kept: int, length: int) -> str:
    return shown if kept == length else f"{shown}\n[cut: these are the first {kept} of {length} characters]"
