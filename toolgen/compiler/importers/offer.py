"""Offer: the tools that an importer found at a source, in the terms of a spec, each tried whether it can be built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.documents import read_documents
from toolgen.compiler.importers.bounds import Making
from toolgen.compiler.ir.shapes import ClassType
from toolgen.compiler.resolve import keywords, resolve
from toolgen.compiler.resolve.names import attribute
from toolgen.compiler.resolve.schemas import is_type_reference
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.schema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP

if TYPE_CHECKING:
    from collections import Counter

    from toolgen.changes.model_texts import Pointer
    from toolgen.compiler.diagnostics import Diagnostic, Span
    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.compiler.source.nodes import Node

# External JSON Schema, written so that it has exactly the same meaning in a spec.
#
# A spec treats a mapping as JSON Schema only if one of its keys is a keyword; any other mapping is the fields of a
# closed object. Converted nodes keep their places.

_FIRST: Final[tuple[str, ...]] = ("$schema", "$id", "type", "title", "description")
_LAST: Final[tuple[str, ...]] = ("required", "properties", "$defs", "definitions")
"""Keywords that come first because readers look for them, and last because they are long; others keep their order."""

_DESCRIBES: Final = frozenset({
    *("type", "enum", "const", "properties", "patternProperties", "allOf", "anyOf", "oneOf"),
    *("$ref", "$dynamicRef", "$recursiveRef"),
})  # fmt: skip
"""A schema without these does not describe the fields of an object."""


def written_args(schema: Node | None, tool: Node) -> Node:
    """Convert the schema of a tool's args: an empty one becomes an open object."""
    open_object: dict[str, Node] = {"type": scalar(schema or tool, "object")}
    if schema is None or (isinstance(schema, ScalarNode) and schema.value in (None, True)):
        return mapping(schema or tool, open_object)
    if isinstance(schema, MappingNode) and not _reads_as_schema(schema):
        return mapping(schema, {**open_object, **dict(_ordered(schema).entries())})
    return _in_order(schema)


def written_result(schema: Node, dialect: str) -> Node:
    """Convert the schema of a tool's result, of any type. `dialect` is that of schemas without `$schema`."""
    if isinstance(schema, ScalarNode) and schema.value is True:
        return scalar(schema, "any")
    if isinstance(schema, MappingNode) and not schema.keys():
        return scalar(schema, "any")
    if isinstance(schema, MappingNode) and not _reads_as_schema(schema):
        return mapping(
            schema, {"$schema": scalar(schema, keywords.DIALECTS[dialect]), **dict(_ordered(schema).entries())}
        )
    return _in_order(schema)


def bare_fields(schema: Node | None) -> list[str]:
    """Return the fields of a root that is a map of fields instead of a schema, as some servers have; else none."""
    if not isinstance(schema, MappingNode) or not _DESCRIBES.isdisjoint(schema.keys()):
        return []
    unknown = ((key, node) for key, node in schema.entries() if key not in keywords.ALL and not key.startswith("x-"))
    return [key for key, node in unknown if isinstance(node, MappingNode)]


def scalar(place: Node, value: Any) -> ScalarNode:
    """Create a scalar node at the place of another node."""
    return ScalarNode(place.source, place.start, place.end, value)


def mapping(place: Node, entries: Mapping[str, Node]) -> MappingNode:
    """Create a mapping node. The place of a key is that of its value."""
    return MappingNode(
        place.source, place.start, place.end, {key: (node, node.start, node.end) for key, node in entries.items()}
    )


def nodes_of(value: Any, place: Node) -> Node:
    """Create the nodes of a JSON value, all at the place of another node."""
    if isinstance(value, dict):
        return mapping(place, {key: nodes_of(inner, place) for key, inner in value.items()})
    if isinstance(value, list):
        return SequenceNode(place.source, place.start, place.end, [nodes_of(inner, place) for inner in value])
    return scalar(place, value)


def _reads_as_schema(schema: MappingNode) -> bool:
    return any(key in keywords.RAW for key in schema.keys())


def _in_order(schema: Node) -> Node:
    return _ordered(schema) if isinstance(schema, MappingNode) else schema


def _ordered(schema: MappingNode) -> MappingNode:
    """Return the schema with its keywords, and those of its subschemas, in readable order."""
    entries = {key: _keyword(key, node) for key, node in schema.entries()}
    first = {key: entries[key] for key in _FIRST if key in entries}
    last = {key: entries[key] for key in _LAST if key in entries}
    between = {key: node for key, node in entries.items() if key not in first and key not in last}
    return mapping(schema, {**first, **between, **last})


def _keyword(key: str, node: Node) -> Node:
    match node:
        case MappingNode() if key in SCHEMA_MAP:
            return mapping(node, {name: _in_order(inner) for name, inner in node.entries()})
        case MappingNode() if key in SCHEMA:
            return _ordered(node)
        case SequenceNode(items=items) if key in SCHEMA_LIST:
            return SequenceNode(node.source, node.start, node.end, [_in_order(item) for item in items])
        case ScalarNode(value=str() as reference) if key == "$ref" and is_type_reference(reference):
            # In a spec `#/types/` refers to types of the file. An escape keeps its meaning for JSON Schema.
            return scalar(node, reference.replace("#/types/", "#/%74ypes/"))
        case _:
            return node


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool. `name` is its name at the source.

    `spec` are the keys of a spec that the source determines. `hints` are keys that it only suggests: they are written
    once, and from then on belong to the people who edit the spec. `imported` is what the spec keeps of this import; by
    default that is of the texts alone. `said` is the tool as its source has it, in the keys of a spec or of
    `tools/list`, and `place_of` returns where a part of that is.
    """

    name: str
    spec: Mapping[str, Any]
    hints: Mapping[str, Any]
    said: Mapping[str, Any]
    place_of: Callable[[Pointer], Span]
    imported: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of a source.

    `left_out` are the names of broken tools, which were reported; `warnings` counts warnings of a later build, by code.
    `others` are the names of what the source has beside tools, by kind, such as the prompts of an MCP server.
    `said_at` is where the source says what it is.
    """

    tools: tuple[OfferedTool, ...]
    left_out: tuple[str, ...]
    warnings: Counter[str]
    instructions: str = ""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    said_at: Span | None = None


# Trial: a tool is resolved, to check that it can be built, and which fields need other names in Python.

_KEY: Final = "tool"
_HASH_LENGTH: Final = 6


@dataclass(frozen=True, slots=True)
class TrialContext:
    """The context of the trials of one import: the toolset, the build settings of its target, and what they took."""

    toolset: str
    kind: str
    dialect: str
    profile: str
    making: Making = field(default_factory=Making)


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome: errors, warnings, and the fields to rename."""

    errors: Sequence[Diagnostic]
    warnings: Sequence[Diagnostic]
    rename: Mapping[str, str]

    def offered(
        self,
        name: str,
        nodes: Mapping[str, Node],
        hints: Mapping[str, Any],
        imported: str = "",
        source: Node | None = None,
    ) -> OfferedTool:
        """Return the tool that was tried, under its name at the source.

        `source` is the tool as it is there, by default that of the nodes.
        """
        spec = {key: node.to_data() for key, node in nodes.items()}
        renamed = {"rename": dict(self.rename)} if self.rename else {}
        if source is None:
            return OfferedTool(name, {**spec, **renamed}, hints, spec, mapping(nodes["args"], nodes).span_at, imported)
        return OfferedTool(name, {**spec, **renamed}, hints, source.to_data(), source.span_at, imported)


def try_name(toolset: str, kind: str) -> list[str]:
    """Return why a toolset cannot have a name; empty if it can."""
    sink = Diagnostics()
    text = json.dumps({"toolgen": 1, "toolset": toolset, "kind": kind, "tools": {}})
    root = parse(text, "name.json", sink)
    documents = [] if root is None else read_documents([SpecFile("name.json", text, root)], sink)
    resolve(documents, sink, profile="full", formats="annotate")
    return [f"{found.message}; {found.fix}" if found.fix else found.message for found in sink]


def try_tool(tool: MappingNode, rename: Mapping[str, str], context: TrialContext) -> Trial:
    """Resolve one tool. `rename` are existing renamed fields of a spec; those that still exist are kept.

    Raises `TooMuch` where the tools of the import are too large together.
    """
    context.making.made(tool)
    catalog, tried = _resolve(tool, {}, context)
    renamed = _renamed(catalog, rename)
    if renamed:
        _, tried = _resolve(tool, renamed, context)
    return replace(tried, rename=renamed)


def _resolve(tool: MappingNode, rename: Mapping[str, str], context: TrialContext) -> tuple[Catalog, Trial]:
    """Resolve a spec with only this tool, built from the nodes of the source, so that findings have their spans."""
    entries = dict(tool.entries())
    if rename:
        entries["rename"] = mapping(tool, {wire: scalar(tool, python) for wire, python in rename.items()})
    head: dict[str, Any] = {
        "toolgen": 1,
        "toolset": context.toolset,
        "kind": context.kind,
        "dialect": context.dialect,
    }
    values = {name: scalar(tool, value) for name, value in head.items()}
    root = mapping(tool, {**values, "tools": mapping(tool, {_KEY: mapping(tool, entries)})})
    sink = Diagnostics()
    documents = read_documents([SpecFile(tool.source.path, tool.source.text, root)], sink)
    catalog = resolve(documents, sink, profile=context.profile, formats="annotate")
    errors = [found for found in sink if found.severity is Severity.ERROR]
    return catalog, Trial(errors, [found for found in sink if found.severity is Severity.WARNING], {})


def _renamed(catalog: Catalog, rename: Mapping[str, str]) -> dict[str, str]:
    """Return new Python names for conflicting fields, in addition to existing ones."""
    classes = [made for toolset in catalog.toolsets for made in toolset.types if isinstance(made, ClassType)]
    wires = [[field.wire for field in made.fields] for made in classes]
    names = {wire: rename[wire] for fields in wires for wire in fields if wire in rename}
    for fields in wires:
        names.update(_disambiguate(fields, names))
    return names


def _disambiguate(wires: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return names for conflicting fields of an object. Renamed fields take precedence, then exact names."""
    taken: set[str] = set()
    new: dict[str, str] = {}
    for wire in sorted(wires, key=lambda wire: (wire not in names, attribute(wire).rstrip("_") != wire.rstrip("_"))):
        python = names.get(wire, attribute(wire))
        if python in taken:
            digest = hashlib.sha256(wire.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
            python = new[wire] = f"{attribute(wire).rstrip('_')}_{digest}"
        taken.add(python)
    return new
