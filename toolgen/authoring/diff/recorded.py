"""Recorded calls: those that were valid before, and are not after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.diff.git import DiffError
from toolgen.changes.rules import Change, quoted
from toolgen.record.replay import BrokenLine, read_calls
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.runtime.codec.validation import Validation
from toolgen.runtime.redact.call_secrets import (
    hide_args,
    hide_result,
    secrets_of_call,
    secrets_of_tool,
    with_result_values,
)
from toolgen.runtime.redact.redacted import issues_of_rest
from toolgen.schema.json_values import value_of
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.record.replay import RecordingLine
    from toolgen.runtime.catalog.catalog import Catalog

_CODES: Final = {"args": "WIRE501", "result": "WIRE502"}
_QUOTED: Final = 3
"""Calls of one tool that are quoted; the others are counted."""


@dataclass(frozen=True, slots=True)
class _Line:
    place: str
    call: RecordingLine
    value: Any


class Recording:
    """Recorded calls, in the lines that `toolgen replay` reads. Raises DiffError for a line that is none.

    `place` tells where a line is, by its number from 1.
    """

    def __init__(self, lines: Iterable[bytes], place: Callable[[int], str]) -> None:
        self._lines = list(_read(lines, place))

    def changes(self, before: Catalog, after: Catalog, formats: tuple[bool, bool]) -> Iterator[Change]:
        """Yield a change for each tool and side with values that the old catalog accepts, and the new one does not.

        `formats` says of each whether `format` is checked.
        """
        rejected: dict[tuple[str, str], list[_Line]] = {}
        validations: dict[tuple[str, str], tuple[Validation, Validation]] = {}
        for ident, line in self._of(before):
            if ident not in after:
                continue  # told as removed
            key = ident, line.call.side
            if key not in validations:
                validations[key] = (
                    _validation(before, *key, assert_formats=formats[0]),
                    _validation(after, *key, assert_formats=formats[1]),
                )
            was, now = validations[key]
            if _fits(was, line.value) and not _fits(now, line.value):
                rejected.setdefault(key, []).append(line)
        for (ident, side), lines in rejected.items():
            yield _change(before, ident, side, lines)

    def check(self, catalogs: Iterable[Catalog]) -> str:
        """Return how many calls are of no tool that one of the catalogs has, as a sentence; empty if there is none.

        Raises DiffError if that are all calls: then nothing would be checked.
        """
        used = {id(line) for catalog in catalogs for _, line in self._of(catalog)}
        left = len(self._lines) - len(used)
        if left == len(self._lines):
            named = f", such as `{visible(self._lines[0].call.tool)}`" if left else ""
            raise DiffError(f"no call is of a tool of the version before{named}, so there is nothing to check")
        return f"{left} of {len(self._lines)} recorded calls are of no tool of the version before" if left else ""

    def _of(self, catalog: Catalog) -> Iterator[tuple[str, _Line]]:
        known = KnownTools(catalog.spelled_tools())
        for line in self._lines:
            idents = known.find(line.call.tool)
            if len(idents) == 1:
                yield idents[0], line


def _read(lines: Iterable[bytes], place: Callable[[int], str]) -> Iterator[_Line]:
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            for call in read_calls(text):
                yield _Line(place(number), call, value_of(call.payload))
        except BrokenLine as error:
            raise DiffError(f"{place(number)}:{error.column}: {error.reason}") from None
        except ValueError as error:
            raise DiffError(f"{place(number)}: {error}") from None


def _validation(catalog: Catalog, ident: str, side: Any, *, assert_formats: bool) -> Validation:
    return Validation(catalog.schema(ident, side), assert_formats=assert_formats)


def _fits(validation: Validation, value: Any) -> bool:
    """Whether a recorded value is valid, whatever is redacted in it."""
    return validation.is_valid(value) or not issues_of_rest(validation.issues(value), value)


def _change(catalog: Catalog, ident: str, side: str, lines: list[_Line]) -> Change:
    what = "call" if side == "args" else "result"
    some = f"{len(lines)} recorded {what}s are" if len(lines) > 1 else f"a recorded {what} is"
    shown = [f"{line.place}: {quoted(_redacted(catalog, ident, line))}" for line in lines[:_QUOTED]]
    more = [f"and {len(lines) - _QUOTED} more"] if len(lines) > _QUOTED else []
    path = ("tools", ident, side)
    return Change(
        code=_CODES[side],
        subject=ident,
        message=f"{some} rejected",
        before_path=path,
        after_path=path,
        evidence="; ".join([*shown, *more]),
    )


def _redacted(catalog: Catalog, ident: str, line: _Line) -> Any:
    of_tool = secrets_of_tool(catalog.definition(ident))
    if line.call.side == "args":
        return hide_args(line.value, secrets_of_call(of_tool, line.call.payload))
    return hide_result(line.value, with_result_values(of_tool, line.value))
