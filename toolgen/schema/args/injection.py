"""The schema of args without injected fields: it rejects them, and does not require them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.pointer import at

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def without_fields(
    schema: Mapping[str, Any], injected: Collection[str], *, is_old: bool, id_keyword: str = "$id"
) -> dict[str, Any]:
    """Return the schema of an object that rejects some fields. A closed one need not mention them.

    `is_old` is whether its draft ignores keywords beside a `$ref`; `id_keyword` is the draft's keyword for its URI.
    """
    relaxed: dict[str, Any] = _Relaxing(schema, injected, is_old=is_old, id_keyword=id_keyword).part(schema)
    closed = relaxed.get("additionalProperties") is False and "patternProperties" not in relaxed
    refused = {} if closed else dict.fromkeys(injected, False)
    fields = relaxed.get("properties")
    properties = {name: field for name, field in fields.items() if name not in injected} if is_object(fields) else {}
    return {**relaxed, "properties": {**properties, **refused}}


class _Relaxing:
    """Removes fields from `required` wherever it applies to the root: directly, in `allOf`, and in `$ref` targets."""

    def __init__(self, root: Mapping[str, Any], injected: Collection[str], *, is_old: bool, id_keyword: str) -> None:
        self._root = root
        self._injected = injected
        self._is_old = is_old
        self._id_keyword = id_keyword
        self._behind: dict[str, Any] = {}

    def part(self, schema: Any) -> Any:
        """Return a converted schema that applies to the root's value."""
        if not is_object(schema) or (schema is not self._root and self._is_apart(schema)):
            return schema
        reference = schema.get("$ref")
        target = at(self._root, reference) if isinstance(reference, str) else None
        relaxed = self._behind.get(str(reference))
        if relaxed is None:
            self._behind[str(reference)] = target  # until computed: recursive references are unchanged
            self._behind[str(reference)] = relaxed = self.part(target)
        if self._is_old and "$ref" in schema:
            return schema if relaxed == target else relaxed
        made = dict(schema)
        if is_array(required := schema.get("required")):
            made["required"] = [name for name in required if name not in self._injected]
            if not made["required"]:
                del made["required"]
        others = schema.get("allOf")
        parts = [self.part(each) for each in others] if is_array(others) else []
        if relaxed != target:
            del made["$ref"]
            parts.append(relaxed)
        return {**made, "allOf": parts} if parts else made

    def _is_apart(self, schema: dict[str, Any]) -> bool:
        """Whether a schema is a resource of its own, whose references do not lead into this one."""
        if self._is_old and "$ref" in schema:
            return False
        uri = schema.get(self._id_keyword)
        return isinstance(uri, str) and bool(uri) and not uri.startswith("#")
