"""Origins: which toolset a file has, and whether a diagnostic is about what was imported; parsed when asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.diagnostics.silence import hides
from toolgen.compiler.source.nodes import MappingNode, ScalarNode

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic
    from toolgen.compiler.diagnostics.silence import Silenced
    from toolgen.compiler.source.nodes import Node
    from toolgen.compiler.source.split import SplitText


class Origins:
    """The files of diagnostics. `sources` has their texts, by path; it may grow."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._roots: dict[str, Node | None] = {}
        self._splits: dict[str, SplitText | None] = {}
        self._imported: dict[tuple[str, str], bool] = {}
        self._lines: dict[str, tuple[list[int], list[str]]] = {}

    def toolset(self, file: str) -> str:
        """Return the toolset of a file; empty if it has none."""
        root = self._root(file)
        node = root.get("toolset") if isinstance(root, MappingNode) else None
        return str(node.value) if isinstance(node, ScalarNode) else ""

    def is_imported(self, found: Diagnostic) -> bool:
        """Whether a warning is about a tool that an import wrote, or about what such a file has beside its tools."""
        if found.severity is Severity.ERROR:
            return False
        file, line = found.span.file, found.span.line
        split = self._split(file)
        if split is None:
            return _is_imported(self._root(file), line)
        key = self._key(split, line)
        return self._is_tool_imported(split, key) if key is not None else self._has_imported(split)

    def _key(self, split: SplitText, line: int) -> str | None:
        """Return the tool that a line is of."""
        if split.path not in self._lines:
            self._lines[split.path] = [lines.first for lines in split.tools.values()], [*split.tools]
        firsts, keys = self._lines[split.path]
        at = bisect_right(firsts, line) - 1
        return keys[at] if at >= 0 and line < split.tools[keys[at]].end else None

    def _is_tool_imported(self, split: SplitText, key: str) -> bool:
        """Whether an import wrote a tool; the whole file is read only if the tool cannot be read alone."""
        place = (split.path, key)
        if place not in self._imported:
            from toolgen.compiler.source.read import parse_source

            sink = Diagnostics()
            spec = parse_source(split.only([key]), sink) if _may_be_imported(split.tools[key].text) else None
            root = self._root(split.path) if sink else None if spec is None else spec.root
            self._imported[place] = root is not None and _written(root.at(("tools", key)))
        return self._imported[place]

    def _has_imported(self, split: SplitText) -> bool:
        return any(self._is_tool_imported(split, key) for key in split.tools)

    def _split(self, file: str) -> SplitText | None:
        if file not in self._splits:
            from toolgen.compiler.source.split import split_tools

            text = self._sources.get(file)
            self._splits[file] = None if text is None else split_tools(file, text)
        return self._splits[file]

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


def _is_imported(root: Node | None, line: int) -> bool:
    """Whether a line of a file is in an imported tool, or in no tool, and the file has an imported one."""
    tools = root.get("tools") if isinstance(root, MappingNode) else None
    if root is None or not isinstance(tools, MappingNode):
        return False
    own = [key for key, tool in tools.entries() if not _written(tool)]
    places = [(tools.key_span(key).line, root.span_at(("tools", key)).end_line) for key in own]
    return len(own) < len(tools.keys()) and not any(start <= line <= end for start, end in places)


def _written(tool: Node) -> bool:
    """Whether an import wrote a tool."""
    return tool.child("imported") is not None


def _may_be_imported(text: str) -> bool:
    """Whether the text of a tool can have the key of an import, which may be written with escapes."""
    return "imported" in text or "\\" in text
