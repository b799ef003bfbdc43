"""Silenced warnings: the rows of `silence` in the configuration, by code, path and toolset, for all commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolgen.compiler.diagnostics.codes import CODES, LINT_RULES, Severity
from toolgen.compiler.diagnostics.diagnostic import nearest

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics.codes import Code, LintRule
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic

_KEYS: Final = ("codes", "paths", "toolsets")


@dataclass(frozen=True, slots=True)
class Silenced:
    """One row: what it silences has one of the codes, and is in one of the paths and of the toolsets.

    Paths and toolsets are patterns in which `*` stands for any text; an empty list means all.
    """

    codes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    toolsets: tuple[str, ...] = ()

    def hides(self, found: Diagnostic, toolset: Callable[[str], str]) -> bool:
        """Whether it silences a diagnostic. `toolset` returns the toolset of a file, by its path."""
        file = found.span.file
        return (
            (not self.codes or found.code in self.codes)
            and (not self.paths or any(fnmatchcase(file, each) for each in self.paths))
            and (not self.toolsets or any(fnmatchcase(toolset(file), each) for each in self.toolsets))
        )


def hides(rows: Sequence[Silenced], found: Diagnostic, toolset: Callable[[str], str]) -> bool:
    """Whether a diagnostic is silenced. An error never is."""
    return found.severity is not Severity.ERROR and any(row.hides(found, toolset) for row in rows)


def read_silence(value: object, report: Callable[[str, str, str], None]) -> tuple[Silenced, ...]:
    """Read the rows of `silence`. `report` takes each problem: the setting, the message, and how to fix it."""
    if not isinstance(value, list) or not all(map(_is_table, value)):
        report("silence", "`silence` must be an array of tables", "write `[[silence]]`, and what to silence below")
        return ()
    return tuple(row for table in value if (row := _read(table, report)) is not None)


def _read(table: Mapping[str, Any], report: Callable[[str, str, str], None]) -> Silenced | None:
    for key in table:
        if key not in _KEYS:
            report(f"silence.{key}", f"`silence` has no setting `{key}`", nearest(key, _KEYS))
    read: dict[str, tuple[str, ...]] = {}
    for key in _KEYS:
        words = table.get(key, [])
        if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
            report(f"silence.{key}", f"`silence.{key}` must be an array of strings", "")
            return None
        read[key] = tuple(words)
    if not any(read.values()):
        report("silence", "a row of `silence` names nothing, so it would silence everything", "add `codes`")
        return None
    codes = [_code(text, report) for text in read["codes"]]
    return Silenced(tuple(filter(None, codes)), read["paths"], read["toolsets"]) if all(codes) else None


def _code(text: str, report: Callable[[str, str, str], None]) -> str:
    """Return the code of a warning or a note, given by code or name; empty for another one."""
    rows: list[Code | LintRule] = [*CODES.values(), *LINT_RULES.values()]
    known = {row.code: row.severity for row in rows}
    names = {row.name: row.code for row in rows}
    code = text.upper() if text.upper() in known else names.get(text.lower(), "")
    if not code:
        report("silence.codes", f"there is no warning `{text}`", nearest(text, (*known, *names)))
    elif known[code] is Severity.ERROR:
        report("silence.codes", f"{code} is an error, which cannot be silenced", "")
        return ""
    return code


def _is_table(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
