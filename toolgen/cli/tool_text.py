"""Tool text: one tool, for a person to read: its args and its result, with the fields of their types one level in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.shapes import ClassType, Literals, classes_in
from toolgen.compiler.ir.text import shape_text
from toolgen.schema.json_types import is_array, is_object
from toolgen.schema.pointer import at
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.compiler.ir.catalog import Schema, Toolset
    from toolgen.compiler.ir.shapes import Shape

_BOUNDS: Final = (
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
)
_INNER: Final = ("items", "additionalProperties", "anyOf", "oneOf", "allOf")
_LONGEST: Final = 60
"""In characters. A bound that is longer is not shown."""

_LEVELS: Final = 2
"""Fields are shown of the args and the result themselves, and of the types of these fields."""


def args_lines(toolset: Toolset, args: Schema) -> list[str]:
    """Show the args of a tool, one line a field."""
    return [*_Side(toolset, args).fields(args.shape, args.json, 1)]


def result_lines(toolset: Toolset, result: Schema) -> list[str]:
    """Show the result of a tool: its shape, and one line a field."""
    side = _Side(toolset, result)
    return [visible(f"  -> {side.value(result.shape, result.json)}"), *side.fields(result.shape, result.json, 2)]


class _Side:
    """One side of a tool: shapes say which fields there are, and the schema how they are bounded."""

    def __init__(self, toolset: Toolset, schema: Schema) -> None:
        self._classes = {made.name: made for made in toolset.types if isinstance(made, ClassType)}
        self._schema = schema.json

    def fields(self, shape: Shape, schema: Any, depth: int, levels: int = _LEVELS) -> Iterator[str]:
        """Show the fields of every class in a shape, and of the types of these fields."""
        for name in sorted(classes_in(shape)):
            made = self._classes[name]
            properties = self._properties_of(made, schema)
            for field in made.fields:
                inner = properties.get(field.wire, True)
                default = f" = {json.dumps(field.default, ensure_ascii=False)}" if field.has_default else ""
                named = f"{field.wire}{'' if field.required else '?'}: {self.value(field.shape, inner)}{default}"
                yield visible(f"{'  ' * depth}{named}  {' '.join(field.description.split())}".rstrip())
                if levels > 1:
                    yield from self.fields(field.shape, inner, depth + 1, levels - 1)

    def value(self, shape: Shape, schema: Any) -> str:
        """Show a shape and the bounds of its schema."""
        found = self._resolved(schema)
        bounds = [f"{key} {_text(found[key])}" for key in _BOUNDS if key in found]
        if "enum" in found and not isinstance(shape, Literals):
            bounds.insert(0, f"one of {', '.join(map(_text, found['enum']))}")
        shown = ", ".join(bound for bound in bounds if len(bound) <= _LONGEST)
        return f"{shape_text(shape)} ({shown})" if shown else shape_text(shape)

    def _properties_of(self, made: ClassType, schema: Any) -> Mapping[str, Any]:
        """The schemas of a class's fields, in the first object schema that has them all."""
        wanted = {field.wire for field in made.fields}
        for found in self._inside(schema, set()):
            properties = found.get("properties")
            if is_object(properties) and wanted <= properties.keys():
                return properties
        return {}

    def _inside(self, schema: Any, seen: set[int]) -> Iterator[Mapping[str, Any]]:
        """A schema, and those that its values, items or members fit."""
        found = self._resolved(schema)
        if not found or id(found) in seen:
            return
        seen.add(id(found))
        yield found
        for key in _INNER:
            inner = found.get(key, [])
            for each in inner if is_array(inner) else [inner]:
                yield from self._inside(each, seen)

    def _resolved(self, schema: Any) -> Mapping[str, Any]:
        """A schema, or the one that it refers to; empty for `true` and `false`."""
        seen: set[str] = set()
        while is_object(schema) and isinstance(place := schema.get("$ref"), str) and place not in seen:
            seen.add(place)
            schema = self._at(place)
        return schema if is_object(schema) else {}

    def _at(self, place: str) -> Any:
        """Follow a reference inside the schema, which needs no other: `#`, or a JSON pointer behind it."""
        found = at(self._schema, place)
        return True if found is None else found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
