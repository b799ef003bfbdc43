"""Normal form: one form of schemas that mean the same and differ in order, in names of definitions, or in noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.drafts import as_2020_12
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.keywords import ANNOTATIONS, SILENT, with_schemas
from toolgen.schema.references import all_references, at, is_resource

MOST_PARTS: Final = 20_000
"""Parts of a schema after its references are replaced; definitions that refer to each other can make them many."""

_BACK: Final = "$ref to what it is in"
_UNORDERED: Final = frozenset({"required", "enum", "type", "examples"})
_EMPTY: Final[Mapping[str, Any]] = {
    "required": [], "properties": {}, "patternProperties": {}, "dependentRequired": {}, "dependentSchemas": {},
    "additionalProperties": True, "items": True, "unevaluatedProperties": True, "unevaluatedItems": True,
    "minLength": 0, "minItems": 0, "minProperties": 0, "uniqueItems": False,
}  # fmt: skip
"""Values with which a keyword allows everything."""


class TooLargeError(ValueError):
    """A schema has more than `MOST_PARTS` parts after its references are replaced."""


def normal_form(schema: Any, *, texts: bool = False) -> Any:
    """Return the normal form of a schema: equal forms accept the same values.

    References inside the schema are replaced by what they refer to. What refers to itself is marked by `$recursive`,
    and a reference to it becomes the number of such marks that it leads back: `{"$ref": 1}` is the innermost, and
    `{"$ref": 0}` only refers to itself.
    Keywords that assert nothing are left out; with `texts`, titles and descriptions are kept. Raises `TooLargeError`.
    """
    root = as_2020_12(schema) if is_object(schema) else schema
    return _numbered(_Form(root, texts=texts).of(root, ("#",)), ())


class _Form:
    def __init__(self, root: Any, *, texts: bool) -> None:
        self._root = root
        self._left_out = SILENT | (ANNOTATIONS - {"title", "description"} if texts else ANNOTATIONS)
        self._parts = 0
        self._recursive = set[str]()

    def of(self, schema: Any, behind: tuple[str, ...]) -> Any:
        """Return the form of a part. `behind` are the references that led to it, the last at the end."""
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise TooLargeError(f"more than {MOST_PARTS} parts")
        if schema == {}:
            return True
        if not is_object(schema) or self._refers_to_itself(schema):
            return schema
        form = {
            keyword: _ordered(keyword, with_schemas(keyword, value, lambda part: self.of(part, behind)))
            for keyword, value in schema.items()
            if keyword != "$ref" and keyword not in self._left_out and not keyword.startswith("x-")
        }
        form = {keyword: value for keyword, value in form.items() if not _is_empty(keyword, value)}
        whole = self._referred(schema["$ref"], form, behind) if "$ref" in schema else form or True
        return self._marked(whole, "#") if schema is self._root else whole

    def _refers_to_itself(self, schema: dict[str, Any]) -> bool:
        """Whether a part has references, and a base URI of its own, so that they lead into the part."""
        is_apart = schema is not self._root and is_resource(schema)
        return is_apart and any(True for _ in all_references(schema))

    def _referred(self, reference: Any, beside: dict[str, Any], behind: tuple[str, ...]) -> Any:
        found = at(self._root, reference)
        if found is None:
            target: Any = {"$ref": reference}
        elif reference in behind:
            self._recursive.add(reference)
            target = {_BACK: reference}
        else:
            target = self._marked(self.of(found, (*behind, reference)), reference)
        if not beside:
            return target
        if beside.keys() <= ANNOTATIONS and is_object(target):
            return {**target, **beside}
        return {**beside, "allOf": [*beside.get("allOf", []), target]}

    def _marked(self, form: Any, reference: str) -> Any:
        if reference not in self._recursive or not is_object(form):
            return form
        self._recursive.remove(reference)
        return {"$recursive": reference, **({"allOf": [form]} if "$recursive" in form else form)}


def _numbered(form: Any, marks: tuple[str, ...]) -> Any:
    if is_array(form):
        return [_numbered(part, marks) for part in form]
    if not is_object(form):
        return form
    if _BACK in form:
        places = [place for place, mark in enumerate(marks) if mark == form[_BACK]]
        return {"$ref": len(marks) - places[-1] if places else 0}  # 0: a reference to nothing but itself
    inside = (*marks, form["$recursive"]) if "$recursive" in form else marks
    return {keyword: True if keyword == "$recursive" else _numbered(part, inside) for keyword, part in form.items()}


def _ordered(keyword: str, value: Any) -> Any:
    if keyword in _UNORDERED and is_array(value):
        ordered = sorted(value, key=canonical)
        return ordered[0] if keyword == "type" and len(ordered) == 1 else ordered
    return value


def _is_empty(keyword: str, value: Any) -> bool:
    if keyword not in _EMPTY:
        return False
    empty = _EMPTY[keyword]
    return type(value) is type(empty) and bool(value == empty)
