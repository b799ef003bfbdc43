"""JSON Schema of others, written so that a spec means exactly the same by it.

A spec reads a mapping as JSON Schema only where one of its keys says so; any other mapping is the fields of a closed
object. The nodes that come out keep the places of those that went in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.resolve.schemas import keywords
from toolgen.compiler.resolve.schemas.types import is_type_reference
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.source.nodes import Node

_FIRST: Final[tuple[str, ...]] = ("$schema", "$id", "type", "title", "description")
_LAST: Final[tuple[str, ...]] = ("required", "properties", "$defs", "definitions")
"""What a reader looks for first, and what is long. Other keywords stay between, in the order they came in."""

_DESCRIBES: Final = frozenset({
    *("type", "enum", "const", "properties", "patternProperties", "allOf", "anyOf", "oneOf"),
    *("$ref", "$dynamicRef", "$recursiveRef"),
})  # fmt: skip
"""A schema with none of these says nothing of what an object holds."""


def written_args(schema: Node | None, tool: Node) -> Node:
    """Write the schema of a tool's args: one that says nothing is an open object, which is what it takes."""
    open_object: dict[str, Node] = {"type": scalar(schema or tool, "object")}
    if schema is None or (isinstance(schema, ScalarNode) and schema.value in (None, True)):
        return mapping(schema or tool, open_object)
    if isinstance(schema, MappingNode) and not _reads_as_schema(schema):
        return mapping(schema, {**open_object, **dict(_ordered(schema).entries())})
    return _in_order(schema)


def written_result(schema: Node, dialect: str) -> Node:
    """Write the schema of a tool's result, which may be of any kind. `dialect` is that of schemas that name none."""
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
    """The fields of a root that is no schema but a map of fields, as some servers write it; none where it is one."""
    if not isinstance(schema, MappingNode) or not _DESCRIBES.isdisjoint(schema.keys()):
        return []
    unknown = ((key, node) for key, node in schema.entries() if key not in keywords.ALL and not key.startswith("x-"))
    return [key for key, node in unknown if isinstance(node, MappingNode)]


def scalar(place: Node, value: Any) -> ScalarNode:
    """A value of ours, at the place of what it stands for."""
    return ScalarNode(place.source, place.start, place.end, value)


def mapping(place: Node, entries: Mapping[str, Node]) -> MappingNode:
    """A mapping of ours. The place of a key is that of its value."""
    return MappingNode(
        place.source, place.start, place.end, {key: (node, node.start, node.end) for key, node in entries.items()}
    )


def _reads_as_schema(schema: MappingNode) -> bool:
    return any(key in keywords.RAW for key in schema.keys())


def _in_order(schema: Node) -> Node:
    return _ordered(schema) if isinstance(schema, MappingNode) else schema


def _ordered(schema: MappingNode) -> MappingNode:
    """The same schema, the keywords of it and of all schemas in it in the order of a reader."""
    entries = {key: _keyword(key, node) for key, node in schema.entries()}
    first = {key: entries[key] for key in _FIRST if key in entries}
    last = {key: entries[key] for key in _LAST if key in entries}
    between = {key: node for key, node in entries.items() if key not in first and key not in last}
    return mapping(schema, {**first, **between, **last})


def _keyword(key: str, node: Node) -> Node:
    match node:
        case MappingNode() if key in keywords.SCHEMA_MAP:
            return mapping(node, {name: _in_order(inner) for name, inner in node.entries()})
        case MappingNode() if key in keywords.SCHEMA:
            return _ordered(node)
        case SequenceNode(items=items) if key in keywords.SCHEMA_LIST:
            return SequenceNode(node.source, node.start, node.end, [_in_order(item) for item in items])
        case ScalarNode(value=str() as reference) if key == "$ref" and is_type_reference(reference):
            # To a spec `#/types/` leads to its own types. An escape says the same to JSON Schema alone.
            return scalar(node, reference.replace("#/types/", "#/%74ypes/"))
        case _:
            return node
