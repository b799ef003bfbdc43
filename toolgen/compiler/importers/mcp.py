"""MCP: lists of tools to specs of kind `mcp`, and recorded results to their result schemas."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from genson import SchemaBuilder  # type: ignore[import-untyped]  # it has no annotations

from toolgen.changes.tool_texts import imported_of, texts_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Related, nearest
from toolgen.compiler.importers.imported import imported, report_other_server
from toolgen.compiler.importers.offer import (
    Offer,
    OfferedTool,
    TrialContext,
    bare_fields,
    mapping,
    scalar,
    try_tool,
    written_args,
    written_result,
)
from toolgen.compiler.importers.update import LATEST, source_name
from toolgen.compiler.resolve import keywords
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.schema.json_values import is_array, is_object, value_of

if TYPE_CHECKING:
    from toolgen.changes.suspicions import OtherTools
    from toolgen.compiler.diagnostics import Diagnostic, Span
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.source.nodes import Node, Source
    from toolgen.compiler.source.read import SpecFile


# MCP tools: converts each entry of a `tools/list` result to a tool of a spec, or to an error.

_SCHEMAS: Final = ("inputSchema", "outputSchema")
_KEYS: Final = ("name", "title", "description", *_SCHEMAS, "annotations", "execution", "icons", "_meta")
TOOLS: Final = 5_000
"""Tools of one import, which takes some milliseconds for each."""

Malformed: TypeAlias = Mapping[int, Sequence[tuple[Sequence[str | int], str]]]
"""Entries of a list that are known to be no tools of MCP, by index: paths in them, and what is wrong there."""

_PLACES: Final = ((), ("tools",), ("result", "tools"))
"""Paths of the list: alone, in the result, in the JSON-RPC response."""

_OTHERS: Final = ("resources", "resourceTemplates", "prompts")
_SHOWN: Final = 5
"""Maximum number of reasons or names in a message."""


def read_tools(
    answer: Source,
    context: TrialContext,
    present: Mapping[str, Mapping[str, Any]],
    sink: Diagnostics,
    malformed: Malformed = MappingProxyType({}),
) -> Offer | None:
    """Parse the result of `tools/list`, a JSON-RPC response with it, or only the list.

    `renames` are existing renamed fields of a spec, by the server's name of the tool. A tool that cannot be built, or
    is known to be malformed, is reported, at its place in the text, and skipped. None if the text is not a list of
    tools.
    """
    syntax = Diagnostics()
    root = parse_json(answer, syntax)
    listed = None if root is None else _list_of_tools(root)
    entries = [] if listed is None else listed.items
    outside = [found for found in syntax if not any(_contains(entry.span, found.span) for entry in entries)]
    for found in outside:
        sink.report(found.code, found.span, found.message, related=found.related, fix=found.fix)
    if root is None or outside:
        return None
    if listed is None:
        _report_no_list(root, sink)
        return None
    if not entries:
        sink.report("TG801", listed.span, "the list of tools is empty, so there is no spec to write")
        return None
    if _is_too_long(listed, sink):
        return None
    _check_whole(root, sink)
    reader = _Reader(context, present, list(syntax), sink)
    for index, entry in enumerate(entries):
        reader.read(entry, malformed.get(index, ()))
    instructions, said_at = _text(root, "instructions").strip(), root.span_at(("instructions",))
    tools, left_out = tuple(reader.tools.values()), tuple(reader.left_out)
    return Offer(tools, left_out, reader.warnings, instructions, _others(root), said_at)


def offered_tools(
    answer: Source, sink: Diagnostics, malformed: Malformed = MappingProxyType({})
) -> list[dict[str, Any]] | None:
    """Return the entries of a list of tools that have a name, as JSON, without those that are known to be malformed.

    None where the text is no list of tools.
    """
    root = parse_json(answer, sink)
    listed = None if root is None else _list_of_tools(root)
    if root is not None and listed is None:
        _report_no_list(root, sink)
    if listed is None or _is_too_long(listed, sink):
        return None
    well_formed = (entry for index, entry in enumerate(listed.items) if index not in malformed)
    return [entry.to_data() for entry in well_formed if _string(entry, "name")]


def _report_no_list(root: Node, sink: Diagnostics) -> None:
    fix = 'save the answer of `tools/list`: `{"tools": […]}`'
    sink.report("TG801", root.span_at(()), "this is not a list of tools", fix=fix)


def _is_too_long(listed: SequenceNode, sink: Diagnostics) -> bool:
    if len(listed.items) <= TOOLS:
        return False
    sink.report(
        "TG801", listed.span, f"the list has {len(listed.items):,} tools, and an import takes at most {TOOLS:,}"
    )
    return True


def _list_of_tools(root: Node) -> SequenceNode | None:
    for path in _PLACES:
        node: Node | None = root
        for key in path:
            node = node.get(key) if isinstance(node, MappingNode) else None
        if isinstance(node, SequenceNode):
            return node
    return None


def _others(root: Node) -> dict[str, tuple[str, ...]]:
    """Return the names of what a text lists beside tools, by kind."""
    listed = {kind: root.child(kind) for kind in _OTHERS}
    return {
        kind: tuple(name for each in node.items if (name := _string(each, "name") or _string(each, "uri")))
        for kind, node in listed.items()
        if isinstance(node, SequenceNode) and node.items
    }


def _check_whole(root: Node, sink: Diagnostics) -> None:
    for path in (("nextCursor",), ("result", "nextCursor")):
        cursor = root.at(path)
        if isinstance(cursor, ScalarNode) and cursor.value:
            message = "the list is incomplete: the server has more tools"
            fix = "request the next pages with this cursor until there is none, and put all tools into one list"
            sink.report("TG802", root.span_at(path, key=True), message, fix=fix)


def _contains(outer: Span, inner: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


@dataclass
class _Reader:
    """Parses the entries of a list. `syntax` are the syntax errors of the text."""

    context: TrialContext
    present: Mapping[str, Mapping[str, Any]]
    syntax: Sequence[Diagnostic]
    sink: Diagnostics
    tools: dict[str, OfferedTool] = field(default_factory=dict[str, OfferedTool])
    left_out: list[str] = field(default_factory=list[str])
    warnings: Counter[str] = field(default_factory=Counter[str])
    _places: dict[str, Span] = field(default_factory=dict[str, "Span"])

    def read(self, entry: Node, faults: Sequence[tuple[Sequence[str | int], str]] = ()) -> None:
        """Parse one entry: a tool, or an error. `faults` are known ones."""
        place, name = entry.span_at(("name",)), _string(entry, "name")
        if not isinstance(entry, MappingNode) or not name:
            self.sink.report("TG803", place, "this entry is not a tool: a tool is an object with a `name`")
            return
        first = self._places.setdefault(name, place)
        if first is not place:
            related = [Related(first, "first here")]
            self.sink.report("TG804", place, f"`{name}` occurs twice, and the second is skipped", related=related)
            return
        self._check_keys(entry)
        known = [(entry.span_at(path), f"{'.'.join(map(str, path))}: {fault}") for path, fault in faults]
        reasons = known or self._reasons_of_text(entry) or _schema_problems(entry) or self._try(name, entry)
        if reasons:
            related = [Related(*other) for other in reasons[1:_SHOWN]]
            place, reason = reasons[0]
            fix = "" if known else self._other_dialect(name, entry)
            self.sink.report("TG805", place, f"`{name}` is skipped: {reason}", related=related, fix=fix)
            self.left_out.append(name)

    def _check_keys(self, entry: MappingNode) -> None:
        for key in entry.keys():
            meant = "" if key in _KEYS else nearest(key, [schema for schema in _SCHEMAS if entry.get(schema) is None])
            if meant:
                self.sink.report("TG806", entry.key_span(key), f"MCP has no `{key}`, so it is ignored", fix=meant)

    def _reasons_of_text(self, entry: MappingNode) -> list[_Reason]:
        return [(found.span, found.message) for found in self.syntax if _contains(entry.span, found.span)]

    def _other_dialect(self, name: str, entry: MappingNode) -> str:
        """Return a fix with a draft of JSON Schema under which a broken tool is valid; empty if there is none."""
        if self._reasons_of_text(entry) or _schema_problems(entry):
            return ""
        for dialect in keywords.DIALECTS:
            other = replace(self.context, dialect=dialect)
            if not try_tool(mapping(entry, _as_spec(name, entry, dialect)), {}, other).errors:
                return f"import with `--dialect {dialect}`: under that draft the tool is valid"
        return ""

    def _try(self, name: str, entry: MappingNode) -> list[_Reason]:
        """Add a tool, or return why it cannot be built."""
        tool = _as_spec(name, entry, self.context.dialect)
        tried = try_tool(mapping(entry, tool), self.present.get(name, {}).get("rename", {}), self.context)
        self.warnings.update(found.code for found in tried.warnings)
        if tried.errors:
            return [(found.span, found.message) for found in tried.errors]
        offered = entry.to_data()
        self.tools[name] = tried.offered(name, tool, _hints(entry), imported_of(*texts_of(offered), offered), entry)
        return []


_Reason = tuple["Span", str]
"""Why a tool is skipped, and the span of the error."""


def _schema_problems(entry: MappingNode) -> list[_Reason]:
    """Return errors in the schemas of a tool that a spec would interpret differently."""
    reasons: list[_Reason] = []
    for key in _SCHEMAS:
        match entry.get(key):
            case None | MappingNode() | ScalarNode(value=bool() | None):
                pass
            case node:
                reasons.append((node.span, f"`{key}` is not a JSON Schema, which is an object"))
    schema = entry.get("inputSchema")
    fields = bare_fields(schema)
    if schema is not None and fields:
        shown = ", ".join(f"`{name}`" for name in fields[:_SHOWN])
        message = f"`inputSchema` does not describe an object: {shown} at its root should be under `properties`"
        reasons.append((schema.span, message))
    return reasons


def _as_spec(name: str, entry: MappingNode, dialect: str) -> dict[str, Node]:
    """Return the properties of a tool that the server determines, as nodes with their places."""
    texts = {key: text.to_data() for key in ("title", "description", "annotations") if (text := entry.get(key))}
    title, description = texts_of({"name": name, **texts})
    tool: dict[str, Node] = {"description": scalar(entry.get("description") or entry, description)}
    if title:
        tool["title"] = scalar(entry, title)
    tool["args"] = written_args(entry.get("inputSchema"), entry)
    result = entry.get("outputSchema")
    if result is not None and not (isinstance(result, ScalarNode) and result.value is None):
        tool["result"] = written_result(result, dialect)
    annotations = entry.get("annotations")
    hints = dict(annotations.entries()) if isinstance(annotations, MappingNode) else {}
    hints.pop("title", None)
    if hints:
        tool["annotations"] = mapping(entry, hints)
    icons = entry.get("icons")
    shown: list[Node] = []
    if isinstance(icons, SequenceNode):
        shown += [icon for icon in icons.items if isinstance(icon, MappingNode)]
    if icons is not None and shown:
        tool["icons"] = SequenceNode(icons.source, icons.start, icons.end, shown)
    return tool


def _hints(entry: MappingNode) -> dict[str, Any]:
    """Return the explicit annotations. MCP's defaults for missing ones are not applied; people decide these."""
    annotations = entry.get("annotations")
    hints = annotations.to_data() if isinstance(annotations, MappingNode) else {}
    readonly = hints.get("readOnlyHint") is True
    tags: list[str] = []
    if hints.get("destructiveHint") is True and not readonly:
        tags.append("dangerous")
    if hints.get("openWorldHint") is True:
        tags.append("network")
    return {**({"permission": "readonly"} if readonly else {}), **({"tags": tags} if tags else {})}


def _string(node: Node | None, key: str) -> str:
    found = node.child(key) if node is not None else None
    return found.value if isinstance(found, ScalarNode) and isinstance(found.value, str) else ""


def _text(node: Node | None, key: str) -> str:
    """Return a text member of an object; empty if there is none."""
    text = _string(node, key)
    return text if text.strip() else ""


# Results: recorded results of tools whose server has no result schema, to schemas that are marked as inferred.


def with_inferred_results(
    spec: SpecFile, recorded: Mapping[str, Sequence[Any]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the data of a spec with a result schema for each tool that has none and was recorded; and their keys.

    `recorded` are values by the ident of the tool, its key, or its name at its source. A schema that was inferred
    before is widened.
    """
    data: dict[str, Any] = spec.root.to_data()
    tools: dict[str, dict[str, Any]] = data["tools"]
    inferred = {
        key: {**tool, "result": schema, "result_inferred": True}
        for key, tool in tools.items()
        if (values := _of_tool(recorded, f"{data['toolset']}.{key}", key, source_name(key, tool)))
        and (schema := _widened(tool, values)) not in (None, tool.get("result"))
    }
    return {**data, "tools": {**tools, **inferred}}, tuple(inferred)


def recorded_value(result: Any) -> tuple[bool, Any]:
    """Return whether a recorded result tells something, and the value that a call has of it.

    It is the value itself, or a `CallToolResult` of MCP, from which the executor takes its structured content, the text
    of its only block (`RecordedText`), or its blocks. The result of a failed call tells nothing.
    """
    if not _is_call_tool_result(result):
        return True, result
    if result.get("isError"):
        return False, None
    if "structuredContent" in result:
        return True, result["structuredContent"]
    content: list[Any] = result["content"]
    only = content[0] if len(content) == 1 else {}
    if only.keys() != {"type", "text"}:
        return True, content
    return True, RecordedText(only["text"])


class RecordedText(str):
    """A result that came as a text, which is JSON for some result schemas (`ResultTexts` of the executors)."""

    __slots__ = ()


def _values_of(recorded: Sequence[Any]) -> list[Any]:
    """Return the values of one tool, where each text is the JSON that it is, or the text.

    If one of them is no JSON, the tool returns texts: `1.10` beside `v1.10` is one as well.
    """
    values = [_json_in(each) if isinstance(each, RecordedText) else each for each in recorded]
    if any(isinstance(value, RecordedText) for value in values):
        pairs = zip(recorded, values, strict=True)
        values = [str(each) if isinstance(each, RecordedText) and _is_scalar(value) else value for each, value in pairs]
    return values


def _is_scalar(value: Any) -> bool:
    return value is not None and not is_object(value) and not is_array(value)


def _json_in(text: RecordedText) -> Any:
    try:
        return value_of(text)
    except (ValueError, RecursionError):
        return text


def _of_tool(recorded: Mapping[str, Sequence[Any]], *names: str) -> list[Any]:
    return [value for name in dict.fromkeys(names) for value in recorded.get(name, ())]


def _is_call_tool_result(result: Any) -> bool:
    if not is_object(result):
        return False
    content = result.get("content")
    return is_array(content) and all(is_object(block) and "type" in block for block in content)


def _widened(tool: Mapping[str, Any], values: Sequence[Any]) -> Any:
    """Return a schema of all values, and of those of an earlier inference; None for a tool with a schema of its own."""
    if "result" in tool and not tool.get("result_inferred"):
        return None
    builder = SchemaBuilder()
    if "result" in tool:
        builder.add_schema(tool["result"])
    for value in _values_of(values):
        builder.add_object(value)
    return {key: value for key, value in builder.to_schema().items() if key != "$schema"}


# MCP: converts a server's answer to `tools/list`, saved as JSON, to a spec of kind `mcp`.

_SOURCE: Final = "the server"
_COMMENT: Final = "Written by `toolgen import mcp`. Review permissions and tags: the server only hinted at them."
_WAYS: Final = ("http", "sse", "stdio")
_HEAD: Final = ("toolgen", "toolset", "kind", "description", "import", "dialect", "server")


def import_mcp(
    answer: Source,
    spec: str | SpecFile,
    toolset: str,
    sink: Diagnostics,
    *,
    dialect: str | None,
    profile: str,
    server: Mapping[str, Any] | None = None,
    file: str = "",
    others: OtherTools | None = None,
    malformed: Malformed = MappingProxyType({}),
    is_other: bool = False,
) -> Imported | None:
    """Create a spec from a server's answer, or update one: `spec` is the path of a new spec, or an existing one.

    `file` is the path of a saved answer, for the next import. `dialect` is the draft of schemas without `$schema`, by
    default that of the spec, or 2020-12. `malformed` are entries that are skipped. None if there are no
    valid tools, or if `is_other`, the source is not the one that the spec names, and hardly any of its tools is left;
    the reasons, and skipped tools, are reported.
    """
    if isinstance(spec, str):
        head = _with_head({"toolgen": 1, "toolset": toolset, "kind": "mcp"}, dialect, server, file)
        offer = read_tools(answer, _context(head, profile), {}, sink, malformed)
        if offer is None or not offer.tools:
            return None
        said = _said(offer.instructions)
        whole = {**head, **said}
        return imported(spec, whole, offer, sink, source=_SOURCE, comment=_COMMENT, neighbours=others)
    present = _with_head(spec.root.to_data(), dialect, server, file)
    tools = {source_name(key, tool): tool for key, tool in present["tools"].items()}
    offer = read_tools(answer, _context(present, profile), tools, sink, malformed)
    if offer is None or not offer.tools:
        return None
    said = _said(offer.instructions)
    made = imported(
        spec,
        present,
        offer,
        sink,
        source=_SOURCE,
        comment=_COMMENT,
        said=said,
        is_other=is_other,
        neighbours=others,
    )
    kept: Mapping[str, Any] = present.get("server") or {}
    if made is not None and server is not None and address_of(kept) != address_of(server):
        report_other_server(spec, ("server",), address_of(kept), address_of(server), sink)
    return made


def address_of(server: Mapping[str, Any]) -> str:
    """Return the URL of a server, or its command; empty for none."""
    way = next((server[way] for way in _WAYS if way in server), "")
    return way if isinstance(way, str) else shlex.join(way)


def _with_head(
    data: dict[str, Any], dialect: str | None, server: Mapping[str, Any] | None, file: str
) -> dict[str, Any]:
    """Return the data of a spec with another draft or file if one is given, and with a server if it has none."""
    changed = dict(data)
    if dialect is not None and dialect != data.get("dialect", LATEST):
        changed["dialect"] = dialect
    if server is not None:
        changed.setdefault("server", dict(server))
        changed.pop("import", None)  # the server is asked from now on
    if file:
        changed["import"] = {"mcp": file}
    return _in_order(changed)


def _said(instructions: str) -> dict[str, Any]:
    """Return what the server says of the toolset."""
    return {"description": instructions} if instructions else {}


def _in_order(data: dict[str, Any]) -> dict[str, Any]:
    return {key: data[key] for key in _HEAD if key in data} | data


def _context(head: Mapping[str, Any], profile: str) -> TrialContext:
    return TrialContext(head["toolset"], "mcp", head.get("dialect", LATEST), profile)
