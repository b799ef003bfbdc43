"""Selectors: a toolset, an ident, or a pattern, and tags that a tool must have, as in `mcp.*+network`."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Selector:
    """One selector. `parts` is the pattern of idents, split at each `*`; `toolset` is empty if it names none."""

    toolset: str
    parts: tuple[str, ...]
    tags: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Parse a selector. Any text is valid here; the compiler checks it. An empty name matches everything."""
        name, *tags = text.split("+")
        return cls(name, tuple((name or "*").split("*")), frozenset(tags))

    @classmethod
    def of_tool(cls, ident: str, tags: Iterable[str]) -> Selector:
        """Return the selector of one tool, also where a toolset has the same name."""
        return cls("", (ident,), frozenset(tags))

    @property
    def pattern(self) -> str:
        """Its pattern of idents, or the name of a toolset or a tool."""
        return "*".join(self.parts)

    def matches(self, ident: str, toolset: str, tags: Set[str]) -> bool:
        """Whether it matches a tool, by ident, toolset and tags."""
        is_named = (bool(self.toolset) and self.toolset == toolset) or _matches(self.parts, ident)
        return is_named and self.tags <= tags


def names_one_of(selector: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns matches the name of a selector, which may be a pattern itself."""
    name = selector.partition("+")[0]
    return any(_matches(tuple(pattern.split("*")), name) for pattern in patterns)


def _matches(parts: tuple[str, ...], ident: str) -> bool:
    """Whether an ident consists of the parts with any text between, without the exponential time of a regex."""
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
