"""One of two schemas that are compared: its draft, its parts, and what its references refer to."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.reading.constraint import Constraint, Schema
from toolgen.schema.comparison.reading.keywords import read_keywords
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.pointer import child, escape, key_of
from toolgen.schema.subschemas import schemas_below

if TYPE_CHECKING:
    from collections.abc import Iterator

DRAFTS: Final = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")
"""In the order of publication."""

_OLD: Final = frozenset(DRAFTS[:3])
_META: Final = {
    **{f"http://json-schema.org/{draft}/schema": draft for draft in DRAFTS[:3]},
    **{f"https://json-schema.org/draft/{draft}/schema": draft for draft in DRAFTS[3:]},
}
_LATEST: Final = "https://json-schema.org/draft/2020-12/schema"


class Document:
    """A schema with everything that its references refer to."""

    def __init__(self, raw: Any, *, asserts_formats: bool) -> None:
        declared = raw.get("$schema", _LATEST) if is_object(raw) else _LATEST
        self.raw = raw
        self.draft = _META.get(str(declared).removesuffix("#"), "")
        """Its draft; empty for one that is not known."""
        self.asserts_formats = asserts_formats
        self._schemas: dict[str, Schema] = {}
        self.root = self.schema(raw, "")
        self.anything = Schema(self, True, "")
        """The schema that accepts everything."""

    @property
    def ignores_beside_references(self) -> bool:
        """Whether keywords next to a `$ref` are ignored."""
        return self.draft in _OLD

    def schema(self, raw: Any, pointer: str) -> Schema:
        """Return the schema at a pointer; always the same object for one pointer."""
        found = self._schemas.get(pointer)
        if found is None:
            found = self._schemas[pointer] = Schema(self, raw, pointer)
        return found

    def read(self, schema: Schema) -> tuple[Constraint, ...]:
        """Return the constraints of a schema."""
        raw = schema.raw
        if isinstance(raw, bool):
            return ()
        if not is_object(raw) or not self.draft or (schema.pointer and self._is_resource(raw)):
            return (self.opaque(schema),)
        if self.ignores_beside_references and "$ref" in raw:
            return (self._reference(schema, "$ref"),)
        references = [self._reference(schema, name) for name in ("$ref", *self._dynamic_keywords) if name in raw]
        return (*references, *read_keywords(self, schema, raw))

    def opaque(self, schema: Schema, keyword: str = "") -> Constraint:
        """Return a constraint of unknown meaning: it is equal to another only where both documents are equal."""
        return Constraint("opaque", (self._text, schema.pointer, keyword), keyword=keyword)

    @cached_property
    def _dynamic_keywords(self) -> tuple[str, ...]:
        return {"2020-12": ("$dynamicRef",), "2019-09": ("$recursiveRef",)}.get(self.draft, ())

    def _reference(self, schema: Schema, keyword: str) -> Constraint:
        found = self._target(schema.raw[keyword], is_dynamic=keyword != "$ref")
        return self.opaque(schema, keyword) if found is None else Constraint("ref", None, (found,), keyword)

    def _target(self, reference: Any, *, is_dynamic: bool) -> Schema | None:
        if not isinstance(reference, str) or (is_dynamic and self._has_resources):
            return None
        base, mark, fragment = reference.partition("#")
        if base and base != self._own_id:
            return None
        if not fragment:
            return self.root if mark or base else None
        if not fragment.startswith("/"):
            return self._anchors.get(key_of(fragment))
        node, pointer = self.raw, ""
        for step in map(key_of, fragment.split("/")[1:]):
            node, pointer = child(node, step), f"{pointer}/{escape(step)}"
            if is_object(node) and self._is_resource(node):
                return None
        return self.schema(node, pointer) if is_object(node) or isinstance(node, bool) else None

    def _is_resource(self, raw: dict[str, Any]) -> bool:
        """Whether a part of the document has a base URI or a draft of its own."""
        name = raw.get("id" if self.draft == "draft-04" else "$id")
        return (isinstance(name, str) and not name.startswith("#")) or isinstance(raw.get("$schema"), str)

    @cached_property
    def _own_id(self) -> str:
        name = self.raw.get("id" if self.draft == "draft-04" else "$id") if is_object(self.raw) else None
        return name.rstrip("#") if isinstance(name, str) else ""

    @cached_property
    def _has_resources(self) -> bool:
        return any(self._is_resource(raw) for raw, pointer in self._all() if pointer)

    @cached_property
    def _anchors(self) -> dict[str, Schema]:
        found: dict[str, Schema] = {}
        if self._has_resources:
            return found
        for raw, pointer in self._all():
            for keyword in ("$anchor", "$dynamicAnchor", "$id", "id"):
                name = raw.get(keyword)
                if isinstance(name, str) and (name.startswith("#") or (keyword.startswith("$") and "nchor" in keyword)):
                    found.setdefault(name.removeprefix("#"), self.schema(raw, pointer))
        return found

    def _all(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Return all schemas of the document, with their pointers."""
        waiting: list[tuple[Any, str]] = [(self.raw, "")]
        while waiting:
            raw, pointer = waiting.pop()
            if not is_object(raw):
                continue
            yield raw, pointer
            for keyword, value in raw.items():
                below = list(schemas_below(keyword, value))
                at = f"{pointer}/{escape(keyword)}"
                if not below:
                    continue
                if is_array(value):
                    waiting += [(each, f"{at}/{index}") for index, each in enumerate(value)]
                elif below[0] is value:
                    waiting.append((value, at))
                else:
                    waiting += [(each, f"{at}/{escape(name)}") for name, each in value.items()]

    @cached_property
    def _text(self) -> bytes:
        return canonical([self.draft, self.asserts_formats, self.raw])
