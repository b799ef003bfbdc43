"""Closed schemas, which describe everything that a valid value can contain, so that codecs may take the fast path."""

from __future__ import annotations

from typing import Any, Final, get_args, get_origin

from toolgen.runtime.codec.types.pydantic_types import bare, is_json_value, model_class, wire_name, without_none
from toolgen.schema.json_values import is_object
from toolgen.schema.subschemas import definitions_of

_SURPRISES: Final = ("$dynamicRef", "$id", "$recursiveRef", "id", "patternProperties", "prefixItems")
_NULL: Final = {"type": "null"}


def is_closed(schema: Any, kind: Any = None) -> bool:
    """Whether a valid value contains only what `schema` describes: scalars by type, closed objects, arrays of these.

    Then the validator rejects every infinite number (it does so wherever a `type` is given), and nothing is nested
    deeper than the schema. With a type, `kind`, its classes must have every field too: then no object has a key that
    its class lacks. Not closed: recursion, and alternatives other than null.
    """
    return _Closedness(schema).check(schema, kind)


class _Closedness:
    def __init__(self, root: Any) -> None:
        self._definitions = definitions_of(root)
        self._known: dict[tuple[str, Any], bool] = {}

    def check(self, node: Any, kind: Any) -> bool:
        if not is_object(node) or any(keyword in node for keyword in _SURPRISES):
            return False
        if "$ref" in node:
            return self._refers_to_closed(node["$ref"], kind)
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                branches = [branch for branch in node[keyword] if branch != _NULL]
                return len(branches) == 1 and self.check(branches[0], kind)
        named = node.get("type", "string" if "enum" in node else ())
        types = {named} if isinstance(named, str) else set(named)
        if "object" in types and not self._is_closed_object(node, _present(kind)):
            return False
        if "array" in types and not self.check(node.get("items"), _items_of(_present(kind))):
            return False
        return bool(types)

    def _refers_to_closed(self, ref: str, kind: Any) -> bool:
        key = (ref, kind)
        if key not in self._known:
            self._known[key] = False  # until computed: a recursive schema is not closed
            self._known[key] = self.check(self._definitions.get(ref), kind)
        return self._known[key]

    def _is_closed_object(self, node: dict[str, Any], kind: Any) -> bool:
        fields = _fields_of(kind)
        return node.get("additionalProperties") is False and all(
            (fields is None or name in fields) and self.check(field, fields and fields[name])
            for name, field in node.get("properties", {}).items()
        )


def _present(kind: Any) -> Any:
    return bare(without_none(bare(kind))[0])


def _items_of(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is list else kind


def _fields_of(kind: Any) -> dict[str, Any] | None:
    """Map wire names to types; None if any key is allowed."""
    if kind is None or is_json_value(kind):
        return None
    model = model_class(kind)
    fields = model.model_fields if model else {}
    return {wire_name(name, field): field.annotation for name, field in fields.items()}
