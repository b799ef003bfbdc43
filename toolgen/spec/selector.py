"""Selectors: a toolset, an ident, or a pattern, and tags that a tool must have, as in `mcp.*+network`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Set


@dataclass(frozen=True, slots=True)
class Selector:
    """What one selector asks for. `parts` is the pattern, cut at each `*`; no name asks for none."""

    name: str
    parts: tuple[str, ...]
    tags: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Read a selector. Any text is one; whether it is a sensible one is the compiler's to say."""
        name, *tags = text.split("+")
        return cls(name, tuple(name.split("*")), frozenset(tags))

    def matches(self, ident: str, toolset: str, tags: Set[str]) -> bool:
        """Whether it names a tool, by its ident, its toolset and its tags."""
        is_named = not self.name or self.name == toolset or _matches(self.parts, ident)
        return is_named and self.tags <= tags


def names_one_of(selector: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns matches the name of a selector, which may be a pattern itself."""
    name = selector.partition("+")[0]
    return any(_matches(tuple(pattern.split("*")), name) for pattern in patterns)


def _matches(parts: tuple[str, ...], ident: str) -> bool:
    """Whether an ident is the parts with any text between them. A regular expression may take exponential time."""
    first, *rest = parts
    if not rest:
        return ident == first
    last = rest.pop()
    if len(ident) < len(first) + len(last) or not (ident.startswith(first) and ident.endswith(last)):
        return False
    at, end = len(first), len(ident) - len(last)
    for part in rest:
        at = ident.find(part, at, end) + len(part)
        if at < len(part):
            return False
    return True
