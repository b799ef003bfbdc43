"""Constraints of each keyword, in each draft, as jsonschema-rs has them.

It follows `dependencies` in drafts that no longer have them, and ignores `additionalItems` without a list of items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.reading.constraint import ANY, INTEGER, NUMBERS, WHOLE, Constraint
from toolgen.schema.comparison.reading.evaluated import (
    certain_fields,
    evaluated_fields,
    evaluated_items,
    possible_fields,
)
from toolgen.schema.json_values import canonical, is_array, is_number, is_object
from toolgen.schema.pointer import escape

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading.constraint import Schema
    from toolgen.schema.comparison.reading.document import Document


class MalformedError(ValueError):
    """A keyword has a value that JSON Schema does not allow."""


class Reading:
    """The schema that is read."""

    def __init__(self, document: Document, schema: Schema, raw: Mapping[str, Any]) -> None:
        self.document = document
        self.schema = schema
        self.raw = raw

    def at(self, keyword: str, raw: Any, *steps: str | int) -> Schema:
        """Return the subschema below a keyword."""
        if not (is_object(raw) or isinstance(raw, bool)):
            raise MalformedError(keyword)
        path = "".join(f"/{escape(str(step))}" for step in (keyword, *steps))
        return self.document.schema(raw, self.schema.pointer + path)

    def each(self, keyword: str, raws: Any) -> tuple[Schema, ...]:
        """Return the subschemas in a list."""
        return tuple(self.at(keyword, raw, index) for index, raw in enumerate(_list(keyword, raws)))

    def named(self, keyword: str, raws: Any) -> list[tuple[str, Schema]]:
        """Return the subschemas in a map, by name."""
        return [(name, self.at(keyword, raw, name)) for name, raw in _map(keyword, raws).items()]


_Reader = Callable[[Reading, str, Any], Iterator[Constraint]]


def read_keywords(document: Document, schema: Schema, raw: Mapping[str, Any]) -> Iterator[Constraint]:
    """Return the constraints of all keywords but references; a malformed one is opaque."""
    reading = Reading(document, schema, raw)
    readers = _READERS[document.draft]
    for keyword, value in raw.items():
        if keyword in readers:
            try:
                yield from list(readers[keyword](reading, keyword, value))
            except MalformedError:
                yield document.opaque(schema, keyword)


def _list(keyword: str, value: Any) -> list[Any]:
    if not is_array(value):
        raise MalformedError(keyword)
    return value


def _map(keyword: str, value: Any) -> dict[str, Any]:
    if not is_object(value):
        raise MalformedError(keyword)
    return value


def _names(keyword: str, value: Any) -> tuple[str, ...]:
    names = _list(keyword, value)
    if not all(isinstance(name, str) for name in names):
        raise MalformedError(keyword)
    return tuple(dict.fromkeys(names))


def _number(keyword: str, value: Any) -> int | float:
    if not is_number(value):
        raise MalformedError(keyword)
    return value


def _count(keyword: str, value: Any) -> int:
    number = _number(keyword, value)
    if number < 0 or number != int(number):
        raise MalformedError(keyword)
    return int(number)


def _type(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    names = _names(keyword, value if is_array(value) else [value])
    integers = frozenset({INTEGER} if reading.document.draft == "draft-04" else {INTEGER, WHOLE})
    kinds = frozenset[str]()
    for name in names:
        kinds |= NUMBERS if name == "number" else integers if name == "integer" else frozenset({name})
    if not kinds <= ANY:
        raise MalformedError(keyword)
    yield Constraint("type", kinds, (), keyword)


def _values(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    values = [value] if keyword == "const" else _list(keyword, value)
    yield Constraint("values", tuple(sorted({canonical(each) for each in values})), (), keyword)


def _bound(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    """Read `minimum` and `maximum`; in draft 04, `exclusiveMinimum` tells whether the bound itself is rejected."""
    exclusive = f"exclusive{keyword.capitalize()}"
    is_exclusive = reading.document.draft == "draft-04" and reading.raw.get(exclusive) is True
    yield Constraint(keyword, (_number(keyword, value), is_exclusive), (), keyword)


def _exclusive_bound(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    yield Constraint(keyword.removeprefix("exclusive").lower(), (_number(keyword, value), True), (), keyword)


def _multiple(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    if _number(keyword, value) <= 0:
        raise MalformedError(keyword)
    yield Constraint("multipleOf", value, (), keyword)


def _size(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    size = _count(keyword, value)
    if size or keyword.startswith("max"):
        yield Constraint(keyword, size, (), keyword)


def _unique(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    if not isinstance(value, bool):
        raise MalformedError(keyword)
    if value:
        yield Constraint(keyword, None, (), keyword)


def _pattern(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    if not isinstance(value, str):
        raise MalformedError(keyword)
    yield Constraint(keyword, value, (), keyword)


def _format(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    if reading.document.asserts_formats:
        yield Constraint("format", (canonical(value), reading.document.draft), (), keyword)


def _content(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    """Read `contentEncoding` and `contentMediaType`, which jsonschema-rs checks where it checks formats."""
    if reading.document.asserts_formats and not (keyword == "contentMediaType" and "contentEncoding" in reading.raw):
        both = [reading.raw.get("contentEncoding"), reading.raw.get("contentMediaType"), reading.document.draft]
        yield Constraint("content", canonical(both), (), keyword)


def _items(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    """Read the keywords for items as one constraint: a schema for each of the first, and one for the rest."""
    draft_2020 = reading.document.draft == "2020-12"
    if keyword == "prefixItems" or (is_array(value) and not draft_2020):
        rest = "items" if draft_2020 else "additionalItems"
        after = (reading.at(rest, reading.raw[rest]),) if rest in reading.raw else ()
        first = reading.each(keyword, value)
        yield Constraint("items", (len(first), bool(after)), (*first, *after), keyword)
    elif not (draft_2020 and "prefixItems" in reading.raw):
        yield Constraint("items", (0, True), (reading.at(keyword, value),), keyword)


def _contains(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    schema = reading.at(keyword, value)
    is_counted = reading.document.draft in ("2019-09", "2020-12")
    least = _count(keyword, reading.raw.get("minContains", 1)) if is_counted else 1
    yield Constraint("atLeast", least, (schema,), keyword)  # `minContains: 0` still evaluates items
    if is_counted and "maxContains" in reading.raw:
        yield Constraint("atMost", _count(keyword, reading.raw["maxContains"]), (schema,), "maxContains")


def _properties(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    for name, schema in reading.named(keyword, value):
        yield Constraint("property", name, (schema,), f"{keyword}/{escape(name)}")


def _pattern_properties(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    for name, schema in reading.named(keyword, value):
        yield Constraint("pattern property", name, (schema,), f"{keyword}/{escape(name)}")


def _additional(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    named = frozenset(_map(keyword, reading.raw.get("properties", {})))
    patterns = frozenset(_map(keyword, reading.raw.get("patternProperties", {})))
    yield Constraint("others", (named, patterns), (reading.at(keyword, value),), keyword)


def _required(_reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    yield from (Constraint("required", name, (), keyword) for name in _names(keyword, value))


def _dependent(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    for name, each in _map(keyword, value).items():
        if is_array(each):
            yield Constraint("dependentRequired", (name, _names(keyword, each)), (), keyword)
        else:
            yield Constraint("dependentSchema", name, (reading.at(keyword, each, name),), keyword)


def _property_names(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    yield Constraint(keyword, None, (reading.at(keyword, value),), keyword)


def _combined(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    yield Constraint(keyword, None, reading.each(keyword, value), keyword)


def _not(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    yield Constraint(keyword, None, (reading.at(keyword, value),), keyword)


def _if(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    anything = reading.document.anything
    branches = [reading.at(each, reading.raw[each]) if each in reading.raw else anything for each in ("then", "else")]
    yield Constraint(keyword, None, (reading.at(keyword, value), *branches), keyword)


def _unevaluated(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    """Read `unevaluated…`: where what is evaluated does not depend on the value, it is like `additionalProperties`."""
    schema = reading.at(keyword, value)
    beside = reading.schema.constraints_beside(keyword)
    if keyword == "unevaluatedProperties" and (fields := evaluated_fields(beside)) is not None:
        if fields.are_all:
            return
        yield Constraint("others", (fields.names, fields.patterns), (schema,), keyword)
    elif keyword == "unevaluatedItems" and (count := evaluated_items(beside)) is not None:
        if count >= 0:
            anything = (reading.document.anything,) * count
            yield Constraint("items", (count, True), (*anything, schema), keyword)
    else:
        shape = tuple((each.name, each.value, len(each.schemas)) for each in beside)
        bounds = (possible_fields(beside), certain_fields(beside)) if keyword == "unevaluatedProperties" else ()
        below = (each for constraint in beside for each in constraint.schemas)
        yield Constraint(keyword, (shape, *bounds), (schema, *below), keyword)


_DRAFT_04: Final[Mapping[str, _Reader]] = {
    "type": _type,
    "enum": _values,
    **dict.fromkeys(("minimum", "maximum"), _bound),
    "multipleOf": _multiple,
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _size),
    "uniqueItems": _unique,
    "pattern": _pattern,
    "format": _format,
    "items": _items,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "required": _required,
    "dependencies": _dependent,
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), _combined),
    "not": _not,
}
_DRAFT_06: Final[Mapping[str, _Reader]] = {
    **_DRAFT_04,
    "const": _values,
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), _exclusive_bound),
    "contains": _contains,
    "propertyNames": _property_names,
    **dict.fromkeys(("contentEncoding", "contentMediaType"), _content),
}
_DRAFT_07: Final[Mapping[str, _Reader]] = {**_DRAFT_06, "if": _if}
_DRAFT_2019: Final[Mapping[str, _Reader]] = {
    **_DRAFT_07,
    **dict.fromkeys(("dependentRequired", "dependentSchemas"), _dependent),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _unevaluated),
}
_READERS: Final[Mapping[str, Mapping[str, _Reader]]] = {
    "draft-04": _DRAFT_04,
    "draft-06": _DRAFT_06,
    "draft-07": _DRAFT_07,
    "2019-09": _DRAFT_2019,
    "2020-12": {**_DRAFT_2019, "prefixItems": _items},
}
