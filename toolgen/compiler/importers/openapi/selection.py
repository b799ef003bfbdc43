"""Selection: which operations are imported, by tag, path and operation id."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from toolgen.spec.http_paths import http_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.compiler.importers.openapi.operations import Operation

KINDS: Final = ("tag", "path", "operation")


@dataclass(frozen=True, slots=True)
class Selection:
    """Patterns such as `tag:orders`, `path:/v1/*` and `operation:get*`, with `*` and `?` as in file names.

    An operation is imported if no pattern of `exclude` matches it, and one of `include` does where there are any.
    """

    include: tuple[tuple[str, str], ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, include: Sequence[str], exclude: Sequence[str]) -> Selection:
        """Read the patterns. Raises ValueError for one that is none."""
        return cls(tuple(map(_pattern, include)), tuple(map(_pattern, exclude)))

    def has(self, operation: Operation) -> bool:
        """Return whether an operation is imported."""
        if any(_matches(each, operation) for each in self.exclude):
            return False
        return not self.include or any(_matches(each, operation) for each in self.include)


def _pattern(text: str) -> tuple[str, str]:
    kind, colon, pattern = text.partition(":")
    if kind not in KINDS or not colon or not pattern:
        raise ValueError(f"`{text}` is not a pattern of operations: write `tag:…`, `path:…` or `operation:…`")
    return kind, pattern


def _matches(pattern: tuple[str, str], operation: Operation) -> bool:
    kind, text = pattern
    paths = (operation.path, http_path(operation.path).path)
    named = {"tag": operation.tags, "path": paths, "operation": (operation.name,)}
    return any(fnmatchcase(name, text) for name in named[kind])
