"""Reports of snippets for the model: one line per error, all of bounded length."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.llm.sandbox.type_check_errors import undefined_name
from toolgen.runtime.base.suggest import nearest
from toolgen.spec.visible import escaped, is_hidden, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from toolgen.contract.records import ToolError
    from toolgen.llm.sandbox.checker import TypeCheckError
    from toolgen.llm.sandbox.process import SnippetFailed

_EXCEPTIONS: Final[dict[FailureKind, type[Exception]]] = {
    FailureKind.PERMISSION_DENIED: PermissionError,
    FailureKind.TIMEOUT: TimeoutError,
    FailureKind.INVALID_CALL: ValueError,
    FailureKind.TOOL_NOT_AVAILABLE: LookupError,
}
"""The builtin exception that a snippet sees for a kind of failure; RuntimeError for all others."""

_MAX_ERRORS: Final = 10
_LINE: Final = 1_000
_PRINTED: Final = "| "
_PRINTED_LINE: Final = f"\n{_PRINTED}"


def exception_of(error: ToolError) -> Exception:
    """Return the exception that a failed call raises: its message begins with the kind."""
    hint = f" ({error.hint})" if error.hint and error.hint not in error.message else ""
    return _EXCEPTIONS.get(error.kind, RuntimeError)(one_line(f"{error.kind}: {error.message}{hint}"))


class Printed:
    """The output of a snippet, up to the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[str] = []
        self._room = limit
        self._length = 0

    def add(self, text: str) -> None:
        """Append output."""
        self._length += len(text)
        if self._room > 0:
            self._kept.append(text[: self._room])
            self._room -= len(text)

    def report(self) -> str:
        """Return the output, empty if there is none. Its lines are marked, so that they cannot imitate the report."""
        if not self._length:
            return ""
        shown, kept = _bounded("".join(self._kept), self._limit, _printed)
        return _cut(f"printed:\n{_PRINTED}{shown.removesuffix(_PRINTED_LINE)}", kept, self._length)


def result_report(text: str, limit: int) -> str:
    """Report a result, given as JSON text; invisible characters become JSON escapes."""
    shown, kept = _bounded(text, limit, lambda char: json.dumps(char)[1:-1] if is_hidden(char) else char)
    return _cut(f"result: {shown}", kept, len(text))


def failure_report(failure: SnippetFailed) -> str:
    """Report what a snippet raised, and where."""
    where = f"line {failure.line}: " if failure.line else ""
    source = f" in `{one_line(failure.source)}`" if failure.source else ""
    return f"{where}{failure.kind}: {one_line(failure.message)}{source}"


def type_check_report(errors: Sequence[TypeCheckError], functions: Collection[str]) -> str:
    """Report the type errors of a snippet."""
    lines = [f"line {each.line}: {one_line(each.message)}{_meant(each, functions)}" for each in errors[:_MAX_ERRORS]]
    more = len(errors) - _MAX_ERRORS
    return "\n".join([
        "nothing was run, because the type checker found:", *lines, *([f"and {more} more"] if more > 0 else [])
    ])  # fmt: skip


def _meant(error: TypeCheckError, functions: Collection[str]) -> str:
    name = undefined_name(error)
    near = nearest(name, functions, count=1) if name else ()
    return f"; did you mean `{near[0]}`?" if near else ""


def one_line(text: str) -> str:
    """Return text from a snippet as one line of bounded length."""
    line, kept = _bounded(text, _LINE, visible)
    return line if kept == len(text) else f"{line}…"


def _printed(char: str) -> str:
    if char == "\n":
        return _PRINTED_LINE
    return escaped(char) if is_hidden(char) and char != "\t" else char


def _bounded(text: str, limit: int, show: Callable[[str], str]) -> tuple[str, int]:
    """Return as much of a text as fits into `limit` characters with escapes and marks, and its original length."""
    shown: list[str] = []
    room = limit
    for char in text[:limit]:  # no character is shown shorter than it is
        piece = show(char)
        if len(piece) > room:
            break
        shown.append(piece)
        room -= len(piece)
    return "".join(shown), len(shown)


def _cut(shown: str, kept: int, length: int) -> str:
    return shown if kept == length else f"{shown}\n[cut: these are the first {kept} of {length} characters]"
