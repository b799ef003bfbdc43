"""The `core` profile: the subset of JSON Schema that every provider and every model supports.

A schema is checked with its definitions inlined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.keywords import DEFINITIONS, SCHEMA_MAP
from toolgen.schema.references import at, definition_of, id_keyword, is_resource

_ANNOTATIONS: Final = frozenset(
    {"$schema", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_BOUNDS: Final = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    }
)
_STRUCTURE: Final = frozenset({"type", "enum", "required", "properties", "items", "additionalProperties"})
_CORE: Final = _ANNOTATIONS | _BOUNDS | _STRUCTURE
_DATA: Final = frozenset({"const", "default", "enum", "examples"})

_MOST_PARTS: Final = 100_000
"""Maximum number of JSON values in a schema with its definitions inlined."""

_MOST_LEVELS: Final = 100
"""Maximum depth of the same: each level takes five nested Python calls."""


def core_violations(schema: Any, path: str = "$") -> Iterator[tuple[str, str]]:
    """Return the path and keyword of everything outside `core`, in the order of the schema.

    Local definitions must be inlined already (`with_definitions_in_place`); those left are reported where they are
    referenced. A path reads `$.properties.a.items`.
    """
    if not is_object(schema):
        if schema is not True:
            yield path, "false"
        return
    for keyword, value in schema.items():
        if keyword == "properties" and is_object(value):
            for name, field in value.items():
                yield from core_violations(field, f"{path}.properties.{name}")
        elif keyword == "items" and is_object(value):
            yield from core_violations(value, f"{path}.items")
        elif not (_allowed(keyword, value) or keyword.startswith("x-")):
            yield path, keyword


def _allowed(keyword: str, value: Any) -> bool:
    match keyword:
        case "additionalProperties":
            return value is False
        case "type":
            return isinstance(value, str)
        case "items":
            return value is True
        case _:
            return keyword in _CORE or keyword in DEFINITIONS


def with_definitions_in_place(schema: Any) -> Any:
    """Copy a schema with its local references (`#/$defs/…`) replaced by their definitions.

    A recursive reference stays, and so does one next to keywords that restrict it further; annotations next to a
    reference override those of the definition. Definitions that are no longer referenced are removed. A schema that
    would exceed the bounds is returned unchanged.
    """
    try:
        placed = _Placing(schema).placed(schema, ())
    except _Oversized:
        return schema
    if is_object(placed) and not any(ref.startswith("#") for ref in _references(placed)):
        return {keyword: value for keyword, value in placed.items() if keyword not in DEFINITIONS}
    return placed


class _Oversized(Exception):
    """A schema with its definitions inlined has too many parts or is nested too deeply."""


class _Placing:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._id_keyword = id_keyword(root)
        self._parts = self._levels = 0

    def placed(self, node: Any, inside: tuple[tuple[str, str], ...]) -> Any:
        self._parts += 1
        if self._parts > _MOST_PARTS or self._levels > _MOST_LEVELS:
            raise _Oversized
        self._levels += 1
        made = self._placed(node, inside)
        self._levels -= 1
        return made

    def _placed(self, node: Any, inside: tuple[tuple[str, str], ...]) -> Any:
        if is_array(node):
            return [self.placed(item, inside) for item in node]
        if not is_object(node) or (node is not self._root and is_resource(node, self._id_keyword)):
            return node  # the references of a part with a base URI of its own lead into itself
        ref = node.get("$ref")
        siblings = {keyword: value for keyword, value in node.items() if keyword != "$ref"}
        definition = definition_of(ref)
        target = at(self._root, ref) if definition is not None and definition not in inside else None
        if definition is not None and is_object(target) and _ANNOTATIONS.issuperset(siblings):
            return {**self.placed(target, (*inside, definition)), **siblings}
        return {keyword: self._placed_below(keyword, value, inside) for keyword, value in node.items()}

    def _placed_below(self, keyword: str, value: Any, inside: tuple[tuple[str, str], ...]) -> Any:
        if keyword in _DATA:
            return value
        if keyword in SCHEMA_MAP and is_object(value):
            return {name: self.placed(each, inside) for name, each in value.items()}
        return self.placed(value, inside)


def _references(node: Any) -> Iterator[str]:
    if is_array(node):
        for item in node:
            yield from _references(item)
    elif is_object(node):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
