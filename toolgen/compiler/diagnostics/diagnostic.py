"""The diagnostic record, and the sink that every stage reports into."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics.codes import CODES, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Diagnostic", "Diagnostics", "Related", "Severity", "Span", "closest", "listing", "nearest"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of one spec's text. Lines and columns count from 1, in characters; the end is exclusive.

    `file` is the path as it is shown: relative to the project, with `/`.
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
    """Another place that explains a diagnostic."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `fix` says in one sentence what to write instead, where that is known."""

    code: str
    severity: Severity
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fix: str = ""


_LISTED: Final = 20
"""How many names a message lists."""

_COMPARED: Final = 200
"""How many names a misspelt one is compared with: a comparison takes 10 µs, and there may be thousands of both."""

_LONGEST: Final = 200
"""In characters; a longer word is no misspelling, and comparing takes the square of the length."""


class Diagnostics:
    """Collects the diagnostics of a build, so that one run shows every problem.

    `sources` has the text of each file that was read, by the path in its spans: lines are quoted from there, and no
    file is read to be quoted.
    """

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}
        self.sources: dict[str, str] = {}

    def report(self, code: str, span: Span, message: str, *, related: Iterable[Related] = (), fix: str = "") -> None:
        """Add a finding; its severity comes from the table of codes. The same finding twice is kept once."""
        self.add(Diagnostic(code, CODES[code].severity, span, message, tuple(related), fix))

    def add(self, found: Diagnostic) -> None:
        """Add a finding of another sink."""
        self._found[found] = None

    @property
    def has_errors(self) -> bool:
        """Whether anything found keeps the build from being published."""
        return self.refuses(warnings_as_errors=False)

    def refuses(self, *, warnings_as_errors: bool) -> bool:
        """Whether anything found keeps the build from being published, with warnings or without."""
        refused = {Severity.ERROR, Severity.WARNING} if warnings_as_errors else {Severity.ERROR}
        return any(found.severity in refused for found in self._found)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Iterate in the order a reader wants: by file, then line, then column."""
        return iter(sorted(self._found, key=lambda found: (found.span, found.code, found.message)))

    def __len__(self) -> int:
        return len(self._found)


def listing(what: str, names: Iterable[str]) -> str:
    """Say which names there are: "the args are `a`, `b`", the first few of many, or that there are none."""
    names = list(names)
    shown = ", ".join(f"`{name}`" for name in names[:_LISTED])
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"the {what} are {shown}{more}" if names else f"there are no {what}"


def nearest(word: str, known: Iterable[str]) -> str:
    """Say "did you mean …?" with the known word nearest to `word`, or nothing."""
    meant = closest(word, known)
    return f"did you mean `{meant}`?" if meant else ""


def closest(word: str, known: Iterable[str]) -> str:
    """The known word nearest to `word`, or nothing where none is near."""
    known = [name for name in known if len(name) <= _LONGEST]
    if len(word) > _LONGEST:
        return ""
    if len(known) > _COMPARED:
        known = nlargest(_COMPARED, known, key=lambda name: _resemblance(word, name))
    shortened = [name for name in known if len(word) > 2 and name.startswith(word)]
    matches = get_close_matches(word, known, n=1, cutoff=0.6) or shortened
    return matches[0] if matches else ""


def _resemblance(word: str, name: str) -> tuple[int, int]:
    """A quick guess at how alike two words are, to choose the ones worth comparing."""
    ends = (name[:1] == word[:1]) + (name[:3] == word[:3]) + (name[-3:] == word[-3:])
    return ends, -abs(len(name) - len(word))
