"""Origins: which toolset a file has, and whether a diagnostic is about what was imported; parsed when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.diagnostics.silence import hides
from toolgen.compiler.source.nodes import MappingNode, ScalarNode

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic
    from toolgen.compiler.diagnostics.silence import Silenced
    from toolgen.compiler.source.nodes import Node


class Origins:
    """The files of diagnostics. `sources` has their texts, by path; it may grow."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._roots: dict[str, Node | None] = {}
        self._own: dict[str, list[tuple[int, int]] | None] = {}

    def toolset(self, file: str) -> str:
        """Return the toolset of a file; empty if it has none."""
        root = self._root(file)
        node = root.get("toolset") if isinstance(root, MappingNode) else None
        return str(node.value) if isinstance(node, ScalarNode) else ""

    def is_imported(self, found: Diagnostic) -> bool:
        """Whether a warning is about a tool that an import wrote, or about what such a file has beside its tools."""
        if found.severity is Severity.ERROR:
            return False
        file = found.span.file
        if file not in self._own:
            self._own[file] = _own_tools(self._root(file))
        own = self._own[file]
        return own is not None and not any(start <= found.span.line <= end for start, end in own)

    def _root(self, file: str) -> Node | None:
        if file not in self._roots:
            from toolgen.compiler.source.read import parse  # slow to import, and most builds show no warning

            text = self._sources.get(file)
            self._roots[file] = None if text is None else parse(text, file, Diagnostics())
        return self._roots[file]


def reporting(silence: Sequence[Silenced]) -> Diagnostics:
    """Return a sink that leaves out what the configuration silences."""
    sink = Diagnostics()
    if silence:
        toolset = Origins(sink.sources).toolset
        sink.hides = lambda found: hides(silence, found, toolset)
    return sink


def _own_tools(root: Node | None) -> list[tuple[int, int]] | None:
    """Return the first and last lines of the tools that a person wrote; None for a file that has no imported one."""
    tools = root.get("tools") if isinstance(root, MappingNode) else None
    if root is None or not isinstance(tools, MappingNode):
        return None
    own = [key for key, tool in tools.entries() if tool.child("imported") is None]
    if len(own) == len(tools.keys()):
        return None
    return [(tools.key_span(key).line, root.span_at(("tools", key)).end_line) for key in own]
