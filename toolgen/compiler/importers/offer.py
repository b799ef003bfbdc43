"""Offer: the tools that an importer found at a source, in the terms of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.schemas import is_type_reference
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.schema.keywords import SCHEMA, SCHEMA_LIST, SCHEMA_MAP

if TYPE_CHECKING:
    from collections import Counter

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
    once, and from then on belong to the people who edit the spec.
    """

    name: str
    spec: Mapping[str, Any]
    hints: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of a source.

    `left_out` are the names of broken tools, which were reported; `warnings` counts warnings of a later build, by code.
    `others` are the names of what the source has beside tools, by kind, such as the prompts of an MCP server.
    """

    tools: tuple[OfferedTool, ...]
    left_out: tuple[str, ...]
    warnings: Counter[str]
    instructions: str = ""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
