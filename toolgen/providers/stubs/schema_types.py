"""Annotations of parameters, keys and results, from JSON Schema.

An annotation accepts at least what the schema accepts: if Python has no such type, it is `Any`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.stubs.stub import choice
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.literals import literal

if TYPE_CHECKING:
    from collections.abc import Callable

ANY: Final = "Any"

_SCALARS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",  # to a type checker an int is one
    "boolean": "bool",
    "null": "None",
}
_DEPTH: Final = 64
_LIMIT: Final = 1_000
"""Maximum levels of a schema, and characters of one annotation; anything beyond is `Any`."""

_NAMES: Final = 4_096
"""Number of cached class names: names of keys repeat."""

_WORDS: Final = re.compile(r"[A-Za-z0-9]+")


class SchemaTypes:
    """The annotations of the parts of one schema; targets of references are converted once."""

    def __init__(self, root: Any, new_class: Callable[[dict[str, Any], str], str] | None = None) -> None:
        """Take the schema that references are resolved in.

        `new_class` returns the annotation of an object with named properties, given its schema and a name; it reads the
        properties later, so that objects may be recursive. Without it, objects are `dict[str, Any]`.
        """
        self._root = root
        self._new_class = new_class
        self._referred: dict[str, str] = {}

    def read(self, schema: Any, name: str = "", depth: int = 0) -> str:
        """Return the annotation of a part of the schema; `name` is for a class created for it."""
        if not is_object(schema) or depth > _DEPTH:
            return ANY
        found = self._read(schema, name, depth)
        return found if len(found) <= _LIMIT else ANY

    def _read(self, schema: dict[str, Any], name: str, depth: int) -> str:
        if isinstance(reference := schema.get("$ref"), str):
            return self._follow(reference, depth)
        listed = [schema["const"]] if "const" in schema else schema.get("enum")
        if is_array(listed) and listed and all(isinstance(each, str | bool | int | None) for each in listed):
            return choice(listed, literal)
        if "type" in schema:
            types = schema["type"] if is_array(schema["type"]) else [schema["type"]]
            return _union([self._of_type(each, schema, name, depth) for each in types])
        for keyword in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(keyword)
            if is_array(branches) and branches and (keyword != "allOf" or len(branches) == 1):
                return _union([self.read(branch, name, depth + 1) for branch in branches])
        return ANY

    def _of_type(self, kind: Any, schema: dict[str, Any], name: str, depth: int) -> str:
        if kind == "array":
            is_plain = is_object(schema.get("items")) and "prefixItems" not in schema
            return f"list[{self.read(schema['items'], f'{name}Item', depth + 1) if is_plain else ANY}]"
        if kind == "object":
            return self._of_object(schema, name, depth)
        return _SCALARS.get(str(kind), ANY)

    def _of_object(self, schema: dict[str, Any], name: str, depth: int) -> str:
        if is_object(schema.get("properties")) and schema["properties"] and self._new_class:
            return self._new_class(schema, name)
        values = schema.get("additionalProperties")
        is_plain = is_object(values) and not schema.get("properties") and "patternProperties" not in schema
        return f"dict[str, {self.read(values, f'{name}Value', depth + 1) if is_plain else ANY}]"

    def _follow(self, reference: str, depth: int) -> str:
        if reference not in self._referred:
            self._referred[reference] = ANY  # for recursive references
            name = pascal(reference.rpartition("/")[2])
            self._referred[reference] = self.read(_target(self._root, reference), name, depth + 1)
        return self._referred[reference]


@lru_cache(_NAMES)
def pascal(text: str) -> str:
    """Convert a name to a class name: `created_by` to `CreatedBy`."""
    return "".join(word[:1].upper() + word[1:] for word in _WORDS.findall(text)).lstrip("0123456789") or "Object"


def target_of(schema: Any, root: Any) -> Any:
    """Follow a schema that is only a reference, a limited number of times."""
    for _ in range(_DEPTH):
        if not is_object(schema) or not isinstance(schema.get("$ref"), str) or "properties" in schema:
            break
        schema = _target(root, schema["$ref"])
    return schema


def _target(root: Any, reference: str) -> Any:
    """Follow a JSON pointer; None if there is no target."""
    if not reference.startswith("#"):
        return None
    place = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        place = place.get(key) if is_object(place) else None
    return place


def _union(types: list[str]) -> str:
    found = dict.fromkeys(types)
    return ANY if ANY in found else " | ".join(found)
