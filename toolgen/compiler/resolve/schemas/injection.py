"""The schema of args without injected fields: it rejects them, and does not require them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.compiler.resolve.schemas import keywords
from toolgen.schema.pointer import at

if TYPE_CHECKING:
    from collections.abc import Collection


def without_fields(json: dict[str, Any], injected: Collection[str], dialect: str) -> dict[str, Any]:
    """Return the schema of an object that rejects some fields. A closed one need not mention them."""
    relaxed: dict[str, Any] = _Relaxing(json, injected, dialect).part(json)
    closed = relaxed.get("additionalProperties") is False and "patternProperties" not in relaxed
    refused = {} if closed else dict.fromkeys(injected, False)
    properties = {name: schema for name, schema in relaxed.get("properties", {}).items() if name not in injected}
    return {**relaxed, "properties": {**properties, **refused}}


class _Relaxing:
    """Removes fields from `required` wherever it applies to the root: directly, in `allOf`, and in `$ref` targets."""

    def __init__(self, root: dict[str, Any], injected: Collection[str], dialect: str) -> None:
        self._root = root
        self._injected = injected
        self._dialect = dialect
        self._behind: dict[str, Any] = {}

    def part(self, schema: Any) -> Any:
        """Return a converted schema that applies to the root's value."""
        if not isinstance(schema, dict) or (schema is not self._root and self._is_apart(schema)):
            return schema
        reference = schema.get("$ref")
        target = at(self._root, reference) if isinstance(reference, str) else None
        relaxed = self._behind.get(str(reference))
        if relaxed is None:
            self._behind[str(reference)] = target  # until computed: recursive references are unchanged
            self._behind[str(reference)] = relaxed = self.part(target)
        if keywords.definitions_keyword(self._dialect) == "definitions" and "$ref" in schema:
            return schema if relaxed == target else relaxed
        made = dict(schema)
        if isinstance(required := schema.get("required"), list):
            made["required"] = [name for name in required if name not in self._injected]
            if not made["required"]:
                del made["required"]
        parts = [self.part(each) for each in schema.get("allOf", ())]
        if relaxed != target:
            del made["$ref"]
            parts.append(relaxed)
        return {**made, "allOf": parts} if parts else made

    def _is_apart(self, schema: dict[str, Any]) -> bool:
        return bool(keywords.resource_name(schema, self._dialect))
