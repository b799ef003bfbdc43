"""Nodes: the content of a spec with source locations, the same for YAML and JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from toolgen.compiler.diagnostics import Span
from toolgen.spec.text import line_end, line_starts

Scalar: TypeAlias = "str | int | float | bool | None"
MappingEntry: TypeAlias = "tuple[Node, int, int]"
"""The value of a key, and the start and end offsets of the key itself."""


class Source:
    """The text of one spec file, with conversion of offsets to lines and columns.

    `path` is the path as shown in messages. Offsets count characters from 0.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.has_findings = False
        """Whether anything was reported when it was read: what is made of it then is not kept for later builds."""

    @cached_property
    def _line_starts(self) -> list[int]:
        return line_starts(self.text)

    @cached_property
    def line_end(self) -> str:
        """The line end of most lines, which a new line gets too."""
        return line_end(self.text)

    def span(self, start: int, end: int) -> Span:
        """The span from offset `start` to `end`, exclusive."""
        line, column = self._position(start)
        end_line, end_column = self._position(end)
        return Span(self.path, line, column, end_line, end_column)

    def offsets(self, span: Span) -> tuple[int, int]:
        """The start and end offsets of a span."""
        starts = self._line_starts
        return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


class Node(ABC):
    """One value of a spec. `start` and `end` are offsets into the text of `source`; the end is exclusive."""

    __slots__ = ("end", "source", "start")

    source: Source
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The span of the value."""
        return self.source.span(self.start, self.end)

    @abstractmethod
    def to_data(self) -> Any:
        """The value as new dicts, lists and scalars. A node shared by aliases is copied for each."""

    @abstractmethod
    def child(self, step: str | int) -> Node | None:
        """The node under a key or an index, or None. An index may be text, as in a JSON pointer."""

    def at(self, path: Iterable[str | int]) -> Node:
        """The node at `path`, or its nearest existing parent."""
        node: Node = self
        for step in path:
            inner = node.child(step)
            if inner is None:
                break
            node = inner
        return node

    def span_at(self, path: Sequence[str | int], *, key: bool = False) -> Span:
        """The span of the value at `path`, or of its nearest existing parent.

        With `key`, the span of the value's key, if it has one below this node.
        """
        node: Node = self
        key_span: tuple[MappingNode, str] | None = None
        for step in path:
            inner = node.child(step)
            if inner is None:
                break
            if isinstance(node, MappingNode):
                key_span = node, str(step)
            node = inner
        if key and key_span is not None:
            mapping, name = key_span
            return mapping.key_span(name)
        return node.span


class ScalarNode(Node):
    """Text, a number, a boolean, or null."""

    __slots__ = ("value",)

    def __init__(self, source: Source, start: int, end: int, value: Scalar) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.value = value

    def __repr__(self) -> str:
        return f"ScalarNode({self.value!r})"

    def to_data(self) -> Scalar:
        """The value."""
        return self.value

    def child(self, step: str | int) -> None:
        """None: a scalar has no children."""


class SequenceNode(Node):
    """A list of nodes."""

    __slots__ = ("items",)

    def __init__(self, source: Source, start: int, end: int, items: list[Node]) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.items = items

    def __repr__(self) -> str:
        return f"SequenceNode({self.items!r})"

    def to_data(self) -> list[Any]:
        """The values of the items."""
        return [item.to_data() for item in self.items]

    def child(self, step: str | int) -> Node | None:
        """The item at an index from 0, given as a number or as digits, or None."""
        if isinstance(step, str):
            if not (step.isascii() and step.isdigit() and len(step) < _INDEX_DIGITS):
                return None
            step = int(step)
        return self.items[step] if 0 <= step < len(self.items) else None


_INDEX_DIGITS: Final = 10


class MappingNode(Node):
    """Unique text keys and their nodes, in file order."""

    __slots__ = ("_entries",)

    def __init__(self, source: Source, start: int, end: int, entries: dict[str, MappingEntry]) -> None:
        self.source = source
        self.start = start
        self.end = end
        self._entries = entries

    def __repr__(self) -> str:
        return f"MappingNode({dict(self.entries())!r})"

    def keys(self) -> list[str]:
        """The keys, in order."""
        return list(self._entries)

    def entries(self) -> list[tuple[str, Node]]:
        """Each key and its node, in order."""
        return [(key, entry[0]) for key, entry in self._entries.items()]

    def get(self, key: str) -> Node | None:
        """The node under `key`, or None."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def key_range(self, key: str) -> tuple[int, int]:
        """The start and end offsets of a key. Raises KeyError."""
        _, start, end = self._entries[key]
        return start, end

    def key_span(self, key: str) -> Span:
        """The span of a key. Raises KeyError."""
        return self.source.span(*self.key_range(key))

    def to_data(self) -> dict[str, Any]:
        """The keys and their values."""
        return {key: entry[0].to_data() for key, entry in self._entries.items()}

    def child(self, step: str | int) -> Node | None:
        """The node under a key, or None; a number means the key with its digits."""
        return self.get(str(step))
