"""MCP: what `tools/list` of a server answered, saved as JSON, to a spec of kind `mcp`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Related, nearest
from toolgen.compiler.importers.offer import Offer, OfferedTool
from toolgen.compiler.importers.spec_text import new_text, updated_text
from toolgen.compiler.importers.trial import Circumstances, try_tool
from toolgen.compiler.importers.update import new_spec, source_name, updated_spec
from toolgen.compiler.importers.written_schema import bare_fields, mapping, scalar, written_args, written_result
from toolgen.compiler.resolve.names import title as in_words
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode, Source
from toolgen.compiler.source.read import SpecFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostic, Span
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.nodes import Node

_SCHEMAS: Final = ("inputSchema", "outputSchema")
_KEYS: Final = ("name", "title", "description", *_SCHEMAS, "annotations", "execution", "icons", "_meta")
_SHOWN_REASONS: Final = 5
_NO_RENAMES: Final[Mapping[str, str]] = {}
_HEAD: Final = ("toolgen", "toolset", "kind", "dialect")
_LATEST: Final = "2020-12"


_COMMENT: Final = "Written by `toolgen import mcp`. Review permissions and tags: the server only hinted at them."


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import. Keys of tools are sorted; `left_out` names broken tools as their server does."""

    text: str
    total: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: Mapping[str, int]


def import_mcp(
    text: str, path: str, spec: str | SpecFile, toolset: str, sink: Diagnostics, *, dialect: str | None, profile: str
) -> Imported | None:
    """Make a spec of what a server answered, or bring one up to date: `spec` is the path of a new one, or the one.

    `path` is that of the text, as it is shown; `dialect` the draft of schemas that name none, where it is not that of
    the spec or 2020-12. None where no tool is left to write: why is in the sink, as is what was left out.
    """
    present = spec.root.to_data() if isinstance(spec, SpecFile) else {"toolgen": 1, "toolset": toolset, "kind": "mcp"}
    if dialect is not None and dialect != present.get("dialect", _LATEST):
        rest = {key: value for key, value in present.items() if key not in _HEAD}
        present = {key: {**present, "dialect": dialect}[key] for key in _HEAD} | rest
    renames = {source_name(key, tool): tool.get("rename", {}) for key, tool in present.get("tools", {}).items()}
    circumstances = Circumstances(toolset, "mcp", present.get("dialect", _LATEST), profile)
    offer = read_tools(text, path, circumstances, renames, sink)
    if offer is None or not offer.tools:
        return None
    if isinstance(spec, SpecFile):
        update = updated_spec(present, offer.tools)
        _report_gone(spec, update, offer, sink)
        written = updated_text(spec, update)
    else:
        update = new_spec(present, offer.tools)
        written = new_text(spec, update.data, _COMMENT)
    return Imported(
        written, len(update.data["tools"]), update.added, update.changed, update.gone, offer.left_out, offer.warnings
    )


def _report_gone(spec: SpecFile, update: Update, offer: Offer, sink: Diagnostics) -> None:
    for key in update.gone:
        name = source_name(key, present) if isinstance(present := spec.root.at(("tools", key)).to_data(), dict) else key
        if name not in offer.left_out:
            sink.report(
                "TG807",
                spec.root.span_at(("tools", key), key=True),
                f"the server has no `{name}` any more, so it is taken out",
            )


def read_tools(
    text: str, path: str, circumstances: Circumstances, renames: Mapping[str, Mapping[str, str]], sink: Diagnostics
) -> Offer | None:
    """Read the result of `tools/list`, a JSON-RPC response that holds it, or the list alone.

    `renames` are the renamed fields that a spec has already, by the server's name for the tool. A tool that could not
    be built is reported, at its place in the text, and left out. None where the text is no list of tools.
    """
    source, syntax = Source(path, text), Diagnostics()
    root = parse_json(source, syntax)
    listed = None if root is None else _list_of_tools(root)
    outside = [found for found in syntax if listed is None or not _is_within(found.span, listed.items)]
    for found in outside:
        sink.report(found.code, found.span, found.message, related=found.related, fix=found.fix)
    if root is None or outside:
        return None
    if listed is None:
        sink.report(
            "TG801",
            root.span_at(()),
            "this is no list of tools",
            fix='save what `tools/list` answers: `{"tools": […]}`',
        )
        return None
    if not listed.items:
        sink.report("TG801", listed.span, "the list of tools is empty, so there is nothing to write a spec of")
        return None
    _check_whole(root, sink)
    reader = _Reader(circumstances, renames, list(syntax), sink)
    for node in listed.items:
        reader.read(node)
    return Offer(tuple(reader.tools.values()), tuple(reader.left_out), reader.warnings)


def _list_of_tools(root: Node) -> SequenceNode | None:
    for path in ((), ("tools",), ("result", "tools")):
        node: Node | None = root
        for key in path:
            node = node.get(key) if isinstance(node, MappingNode) else None
        if isinstance(node, SequenceNode):
            return node
    return None


def _check_whole(root: Node, sink: Diagnostics) -> None:
    for path in (("nextCursor",), ("result", "nextCursor")):
        cursor = root.at(path)
        if isinstance(cursor, ScalarNode) and cursor.value:
            sink.report("TG802", root.span_at(path, key=True), "the list goes on: the server has more tools than are here",
                        fix="ask again with this cursor until there is none, and put all tools into one list")  # fmt: skip


def _is_within(span: Span, nodes: Sequence[Node]) -> bool:
    return any(_contains(node.span, span) for node in nodes)


def _contains(outer: Span, inner: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= (
        outer.end_line,
        outer.end_column,
    )


@dataclass
class _Reader:
    """Reads the entries of a list, one by one. `syntax` is what the text itself has wrong."""

    circumstances: Circumstances
    renames: Mapping[str, Mapping[str, str]]
    syntax: Sequence[Diagnostic]
    sink: Diagnostics
    tools: dict[str, OfferedTool] = field(default_factory=dict[str, OfferedTool])
    left_out: list[str] = field(default_factory=list[str])
    warnings: Counter[str] = field(default_factory=Counter[str])
    _places: dict[str, Span] = field(default_factory=dict[str, "Span"])

    def read(self, node: Node) -> None:
        """Read one entry: a tool, or a reason why there is none."""
        name = node.get("name") if isinstance(node, MappingNode) else None
        if (
            not isinstance(node, MappingNode)
            or not isinstance(name, ScalarNode)
            or not isinstance(name.value, str)
            or not name.value
        ):
            self.sink.report(
                "TG803", node.span_at(("name",)), "this entry is no tool: a tool is an object with a `name`"
            )
        else:
            self._read_tool(name.value, node)

    def _read_tool(self, name: str, node: MappingNode) -> None:
        place = node.span_at(("name",))
        first = self._places.setdefault(name, place)
        if first is not place:
            self.sink.report(
                "TG804",
                place,
                f"`{name}` is here twice, and the second is left out",
                related=[Related(first, "first here")],
            )
            return
        self._check_keys(node)
        reasons = [
            (found.span, found.message) for found in self.syntax if _contains(node.span, found.span)
        ] or _broken_schemas(node)
        if not reasons:
            tool = _as_spec(name, node, self.circumstances.dialect)
            tried = try_tool(mapping(node, tool), self.renames.get(name, _NO_RENAMES), self.circumstances)
            reasons = [(found.span, found.message) for found in tried.errors]
            self.warnings.update(found.code for found in tried.warnings)
        if reasons:
            self._leave_out(name, reasons)
            return
        spec = {key: value.to_data() for key, value in tool.items()}
        if tried.rename:
            spec["rename"] = dict(tried.rename)
        self.tools[name] = OfferedTool(name, spec, _hints(node))

    def _leave_out(self, name: str, reasons: Sequence[tuple[Span, str]]) -> None:
        span, reason = reasons[0]
        related = [Related(*other) for other in reasons[1:_SHOWN_REASONS]]
        self.sink.report("TG805", span, f"`{name}` is left out: {reason}", related=related)
        self.left_out.append(name)

    def _check_keys(self, node: MappingNode) -> None:
        for key in node.keys():
            meant = "" if key in _KEYS else nearest(key, [schema for schema in _SCHEMAS if schema not in node.keys()])
            if meant:
                self.sink.report("TG806", node.key_span(key), f"MCP has no `{key}`, so it is passed over", fix=meant)


def _broken_schemas(node: MappingNode) -> list[tuple[Span, str]]:
    """What is wrong with the schemas of a tool at first sight, before the resolver takes it for something else."""
    reasons: list[tuple[Span, str]] = []
    for key in _SCHEMAS:
        schema = node.get(key)
        is_schema = isinstance(schema, MappingNode | None) or (
            isinstance(schema, ScalarNode) and isinstance(schema.value, bool | None)
        )
        if not is_schema:
            reasons.append((node.span_at((key,)), f"`{key}` is not a JSON Schema, which is an object"))
    schema = node.get("inputSchema")
    fields = bare_fields(schema)
    if schema is not None and fields:
        shown = ", ".join(f"`{name}`" for name in fields[:_SHOWN_REASONS])
        reasons.append(
            (schema.span, f"`inputSchema` describes no object: {shown} at its root would have to be below `properties`")
        )
    return reasons


def _as_spec(name: str, node: MappingNode, dialect: str) -> dict[str, Node]:
    """What the server decides of a tool, as nodes, each at the place it comes from."""
    title = _text(node, "title") or _text(node.get("annotations"), "title")
    description = (
        _text(node, "description") or f"{(title or in_words(name)).rstrip('.')}. The server does not describe it."
    )
    result = node.get("outputSchema")
    tool: dict[str, Node] = {"description": scalar(node.get("description") or node, description)}
    if title:
        tool["title"] = scalar(node, title)
    tool["args"] = written_args(node.get("inputSchema"), node)
    if result is not None and not (isinstance(result, ScalarNode) and result.value is None):
        tool["result"] = written_result(result, dialect)
    return tool


def _hints(node: MappingNode) -> dict[str, Any]:
    """What the annotations say outright. What MCP assumes where they say nothing is left to people."""
    annotations = node.get("annotations")
    hints = annotations.to_data() if isinstance(annotations, MappingNode) else {}
    readonly = hints.get("readOnlyHint") is True
    tags: list[str] = []
    if hints.get("destructiveHint") is True and not readonly:
        tags.append("dangerous")
    if hints.get("openWorldHint") is True:
        tags.append("network")
    return {**({"permission": "readonly"} if readonly else {}), **({"tags": tags} if tags else {})}


def _text(node: Node | None, key: str) -> str:
    """A text of an object; empty where there is none to read."""
    found = node.get(key) if isinstance(node, MappingNode) else None
    return found.value if isinstance(found, ScalarNode) and isinstance(found.value, str) and found.value.strip() else ""
