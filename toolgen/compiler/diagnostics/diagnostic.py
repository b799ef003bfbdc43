"""The diagnostic record, and the sink that every stage reports into."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nlargest
from typing import Any, Final

from toolgen.compiler.diagnostics.codes import CODES, Severity
from toolgen.spec.text import cut

# Spec values in messages.


def shown(value: Any) -> str:
    """Describe a spec value in a message: the value if it is short, else its kind."""
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f'"{cut(value, 60)}"'
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


__all__ = ["Diagnostic", "Diagnostics", "Related", "Severity", "Span", "closest", "listing", "nearest"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of one spec's text. Lines and columns count from 1, in characters; the end is exclusive.

    `file` is the path as shown in messages: relative to the project, with `/`.
    """

    file: str
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Related:
    """A second source range that explains a diagnostic."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `fix` is one sentence on what to write instead; empty if unknown."""

    code: str
    severity: Severity
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fix: str = ""


_LISTED: Final = 20
"""Maximum number of names listed in a message."""

_COMPARED: Final = 200
"""Maximum number of names that a misspelled one is compared with: a comparison takes 10 µs, and there may be
thousands of both.
"""

_MOST_COMPARED: Final = 500_000
"""Names that the misspelled ones of a build are compared with: it takes some 2 µs for each to say which are close."""

_LONGEST: Final = 200
"""Maximum length in characters of a word to compare: a comparison takes quadratic time."""


class Diagnostics:
    """Collects the diagnostics of a build, so that one run shows every problem.

    `sources` maps the path of each file that was read to its text, from which messages quote lines. What `hides`
    returns true for is left out.
    """

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}
        self.sources: dict[str, str] = {}
        self.hides: Callable[[Diagnostic], bool] = lambda found: False
        self._compared = 0

    def report(self, code: str, span: Span, message: str, *, related: Iterable[Related] = (), fix: str = "") -> None:
        """Add a finding, with the severity from the table of codes. Duplicates are dropped."""
        self.add(Diagnostic(code, CODES[code].severity, span, message, tuple(related), fix))

    def add(self, found: Diagnostic) -> None:
        """Add a finding of another sink."""
        if not self.hides(found):
            self._found[found] = None

    def take(self, found: Diagnostics) -> bool:
        """Add what was found elsewhere; return whether that is anything."""
        for each in found:
            self.add(each)
        return bool(len(found))

    def keep(self, count: int) -> None:
        """Forget all but the first `count` findings: the others are of specs that have changed since."""
        for found in [*self._found][count:]:
            del self._found[found]

    def nearest(self, word: str, known: Collection[str]) -> str:
        """Return "did you mean …?" as `nearest` does; empty once that has looked at `_MOST_COMPARED` names in all."""
        self._compared += len(known) + _COMPARED
        return nearest(word, known) if self._compared <= _MOST_COMPARED else ""

    @property
    def has_errors(self) -> bool:
        """Whether there are errors, so that the build is not published."""
        return self.refuses(warnings_as_errors=False)

    def refuses(self, *, warnings_as_errors: bool) -> bool:
        """Whether the findings prevent publishing: errors, or also warnings."""
        refused = {Severity.ERROR, Severity.WARNING} if warnings_as_errors else {Severity.ERROR}
        return any(found.severity in refused for found in self._found)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Iterate sorted by file, line and column."""
        return iter(sorted(self._found, key=lambda found: (found.span, found.code, found.message)))

    def __len__(self) -> int:
        return len(self._found)


def listing(what: str, names: Iterable[str]) -> str:
    """Format a list of names: "the args are `a`, `b`", the first few of many, or that there are none."""
    names = list(names)
    shown = ", ".join(f"`{name}`" for name in names[:_LISTED])
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"the {what} are {shown}{more}" if names else f"there are no {what}"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return "did you mean …?" with the known word closest to `word`; empty if none is close."""
    meant = closest(word, known)
    return f"did you mean `{meant}`?" if meant else ""


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word closest to `word`; empty if none is close."""
    known = [name for name in known if len(name) <= _LONGEST]
    if len(word) > _LONGEST:
        return ""
    if len(known) > _COMPARED:
        known = nlargest(_COMPARED, known, key=lambda name: _resemblance(word, name))
    shortened = [name for name in known if len(word) > 2 and name.startswith(word)]
    matches = get_close_matches(word, known, n=1, cutoff=0.6) or shortened
    return matches[0] if matches else ""


def _resemblance(word: str, name: str) -> tuple[int, int]:
    """A cheap similarity estimate, used to choose the words to compare."""
    ends = (name[:1] == word[:1]) + (name[:3] == word[:3]) + (name[-3:] == word[-3:])
    return ends, -abs(len(name) - len(word))
