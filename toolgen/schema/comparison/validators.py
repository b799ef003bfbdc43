"""Validators of the parts of documents, as the runtime compiles schemas."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from toolgen.schema.bounds import Bounds, Reach, compiled_validator, excess, is_usable, registry_of
from toolgen.schema.evaluations import MAX_EVALUATIONS, evaluations
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from jsonschema_rs import Registry, Validator

    from toolgen.schema.comparison.reading import Document, Schema

_BASE: Final = "toolgen:///schema"


class DocumentValidators:
    """The validators of one document: of the whole, and of its parts."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._bounds = Bounds(document.raw)
        self._parts: dict[str, Validator] = {}

    @cached_property
    def is_usable(self) -> bool:
        """Return whether the document can be compiled."""
        return excess(self._document.raw) is None and is_usable(
            self._document.raw, self._bounds, assert_formats=self._document.asserts_formats
        )

    @cached_property
    def whole(self) -> Validator:
        """The validator of the document. Raises what `compiled_validator` raises."""
        return compiled_validator(self._document.raw, self._bounds, assert_formats=self._document.asserts_formats)

    def is_checkable(self, value: Any) -> bool:
        """Return whether a value takes bounded time to validate; a runtime rejects others."""
        return self._bounds.are_foreseen or evaluations(Reach(self._bounds.graph), value) <= MAX_EVALUATIONS

    def is_valid(self, schema: Schema, value: Any) -> bool:
        """Return whether a value fits a part of the document."""
        if isinstance(schema.raw, bool):
            return schema.raw
        if not schema.pointer:
            return self.whole.is_valid(value)
        found = self._parts.get(schema.pointer)
        if found is None:
            found = self._parts[schema.pointer] = self._part(schema.pointer)
        return found.is_valid(value)

    def _part(self, pointer: str) -> Validator:
        raw = self._document.raw
        declared = {"$schema": raw["$schema"]} if is_object(raw) and "$schema" in raw else {}
        return compiled_validator(
            {**declared, "$ref": f"{self._base}#{quote(pointer, safe='/~')}"},
            self._bounds,
            assert_formats=self._document.asserts_formats,
            registry=self._registry,
        )

    @cached_property
    def _base(self) -> str:
        raw = self._document.raw
        own = raw.get("$id", raw.get("id")) if is_object(raw) else None
        return own.partition("#")[0] if isinstance(own, str) and "://" in own else _BASE

    @cached_property
    def _registry(self) -> Registry:
        return registry_of(self._base, self._document.raw)


class Validators:
    """The validators of all documents of a comparison."""

    def __init__(self, *documents: Document) -> None:
        self._of = {id(document): DocumentValidators(document) for document in documents}

    def of(self, document: Document) -> DocumentValidators:
        """Return the validators of a document."""
        return self._of[id(document)]

    def is_valid(self, schema: Schema, value: Any) -> bool:
        """Return whether a value fits a schema."""
        return self.of(schema.document).is_valid(schema, value)
