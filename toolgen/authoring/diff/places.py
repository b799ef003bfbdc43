"""Places: where the parts of a compiled catalog stand in its specs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse, parse_source
from toolgen.compiler.source.split import split_tools
from toolgen.spec.tool_settings import KEYS

if TYPE_CHECKING:
    from toolgen.changes.rules import Path
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.ir.catalog import Catalog

_LOCAL: Final = "#/types/"


class Places:
    """Finds the span of a path of a catalog in the specs that it was compiled from."""

    def __init__(self, catalog: Catalog, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._roots: dict[str, Node | None] = {}
        self._spans: dict[tuple[str, str], Span] = {
            **{("toolsets", each.name): each.span for each in catalog.toolsets},
            **{("agents", each.name): each.span for each in catalog.agents},
            **{("catalogs", each.name): each.span for each in catalog.catalogs},
            **{("policies", each.name): each.span for each in catalog.policies},
        }
        self._tools = {tool.ident: tool for toolset in catalog.toolsets for tool in toolset.tools}

    def span(self, path: Path) -> Span | None:
        """Return the span of the key at a path, or of its nearest parent that is in a spec; None if there is none."""
        section, *rest = path or ("",)
        if section == "tools" and rest:
            return self._of_tool(rest[0], rest[1:])
        found = self._spans.get((section, rest[0])) if rest else None
        if found is None or len(rest) < 2:
            return found
        root = self._root(found.file)
        return root.key_span(rest[1]) if isinstance(root, MappingNode) and root.get(rest[1]) else found

    def _of_tool(self, ident: str, steps: Sequence[str]) -> Span | None:
        tool = self._tools.get(ident)
        if tool is None:
            return None
        root = self._with_tool(tool.span.file, tool.key)
        node = root.at(("tools", tool.key)) if root else None
        if not steps or not isinstance(node, MappingNode):
            return tool.span
        known = KEYS.get(steps[0])
        key = known.spec if known and known.spec else steps[0]
        inner = node.get(key)
        if inner is None or root is None:
            return tool.span
        return _in_schema(inner, node.key_span(key), steps[1:], root)

    def _with_tool(self, file: str, key: str) -> Node | None:
        """Return the nodes of a file, of a large one without other tools."""
        split = split_tools(file, self._sources.get(file, ""))
        if split is None or key not in split.tools:
            return self._root(file)
        sink = Diagnostics()
        spec = parse_source(split.only([key]), sink)
        return self._root(file) if spec is None or sink else spec.root

    def _root(self, file: str) -> Node | None:
        if file not in self._roots:
            text = self._sources.get(file)
            self._roots[file] = None if text is None else parse(text, file, Diagnostics())
        return self._roots[file]


def _in_schema(node: Node, span: Span, steps: Sequence[str], root: Node) -> Span:
    """Return the span of a part of a written schema, which may be in the short form."""
    steps = list(steps)
    visited = set[str]()
    while True:
        named = _type_name(node)
        target = root.at(("types",)).child(named) if named and named not in visited else None
        if target is not None and steps:
            visited.add(named)
            node = target
            continue
        if not steps:
            return span
        step = steps.pop(0)
        if step in ("$defs", "definitions") and steps:
            types, name = root.child("types"), steps.pop(0)
            inner = types.child(name) if types else None
            if inner is None or not isinstance(types, MappingNode):
                return span
            node, span = inner, types.key_span(name)
            continue
        if step == "properties" and isinstance(node, MappingNode) and node.get("properties") is None:
            continue  # the short form: fields stand in the mapping itself
        if step == "items" and isinstance(node, SequenceNode):
            step = "0"
        key = _written(node, step)
        inner = node.child(key)
        if inner is None:
            return span
        span = node.key_span(key) if isinstance(node, MappingNode) else inner.span
        node = inner


def _written(node: Node, name: str) -> str:
    """Return the key of a field as it is written: `name`, `name?` or `name!`."""
    if isinstance(node, MappingNode):
        return next((key for key in (name, f"{name}?", f"{name}!") if node.get(key) is not None), name)
    return name


def _type_name(node: Node) -> str:
    """Return the local type that a schema refers to; empty if it refers to none."""
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return node.value
    reference = node.child("$ref") if isinstance(node, MappingNode) else None
    if isinstance(reference, ScalarNode) and isinstance(reference.value, str) and reference.value.startswith(_LOCAL):
        return reference.value.removeprefix(_LOCAL)
    return ""
