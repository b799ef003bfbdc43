"""Reading of schemas for a comparison: constraints that mean the same in all drafts, and which schemas are equal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

from toolgen.schema.json_values import canonical, is_array, is_number, is_object
from toolgen.schema.keywords import subschemas
from toolgen.schema.references import child, escape, id_keyword, is_resource, parsed, pointer_of

# Schemas as constraints: what each keyword means, in one form for all drafts.

NULL: Final = "null"
BOOLEAN: Final = "boolean"
INTEGER: Final = "integer"
WHOLE: Final = "1.0"
FRACTION: Final = "fraction"
STRING: Final = "string"
ARRAY: Final = "array"
OBJECT: Final = "object"

NUMBERS: Final = frozenset({INTEGER, WHOLE, FRACTION})
KINDS: Final = (NULL, BOOLEAN, INTEGER, WHOLE, FRACTION, STRING, ARRAY, OBJECT)
"""The kinds of values. `WHOLE` are numbers such as `1.0`, which draft 04 does not count as integers."""

ANY: Final = frozenset(KINDS)
_STRINGS: Final = frozenset({STRING})
_ARRAYS: Final = frozenset({ARRAY})
_OBJECTS: Final = frozenset({OBJECT})

APPLIES_TO: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format", "content"), _STRINGS),
    **dict.fromkeys(("items", "minItems", "maxItems", "uniqueItems", "atLeast", "atMost", "unevaluatedItems"), _ARRAYS),
    **dict.fromkeys(
        ("property", "pattern property", "others", "required", "dependentRequired", "dependentSchema"), _OBJECTS
    ),
    **dict.fromkeys(("propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"), _OBJECTS),
}
"""The kinds of values that a constraint can reject; all for those that are not listed."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One assertion of a schema.

    `value` is what of it is no schema, hashable, and `schemas` are its subschemas; `keyword` is where it is written.
    `name` is a keyword of JSON Schema, or one of these: `property`, `pattern property` and `others` for the fields with
    a name, with a pattern, and with neither; `atLeast` and `atMost` for a number of items that fit a schema; `values`
    for `enum` and `const`; `if` has three schemas; `opaque` is not understood.
    """

    name: str
    value: Hashable
    schemas: tuple[Schema, ...] = ()
    keyword: str = ""

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What constraints with equal meaning have in common."""
        return (self.name, self.value, *(schema.colour for schema in self.schemas))

    def applies_to(self, kind: str) -> bool:
        """Return whether it can reject values of a kind."""
        return kind in APPLIES_TO.get(self.name, ANY)


@dataclass(slots=True, eq=False)
class Schema:
    """A schema inside a document. `colour` is the same for two schemas only if they accept the same values."""

    document: Document
    raw: Any
    pointer: str
    colour: int = -1
    _constraints: tuple[Constraint, ...] | None = field(default=None, repr=False)
    _evaluating: tuple[Constraint, ...] | None = field(default=None, repr=False)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints of a schema."""
        if self._constraints is None:
            self._constraints = self.document.read(self, _READERS)
        return self._constraints

    @property
    def evaluating(self) -> tuple[Constraint, ...]:
        """The constraints of a schema, where only matters which fields and items they evaluate.

        What it says of unevaluated ones evaluates them all. It is read without a look at other schemas, which would
        lead back to this one where schemas refer to themselves.
        """
        if self._evaluating is None:
            self._evaluating = self.document.read(self, _EVALUATING_READERS)
        return self._evaluating

    def behind(self) -> Schema:
        """Return the target of a schema that is only a reference, else itself."""
        schema, seen = self, set[int]()
        while id(schema) not in seen and [each.name for each in schema.constraints] == ["ref"]:
            seen.add(id(schema))
            schema = schema.constraints[0].schemas[0]
        return schema

    def constraints_beside(self, keyword: str) -> list[Constraint]:
        """Return the constraints of its other keywords, without those on what is unevaluated."""
        others = {name: value for name, value in self.raw.items() if name != keyword and "unevaluated" not in name}
        return list(self.document.read(Schema(self.document, others, self.pointer), _READERS))


# What is evaluated beside `unevaluatedProperties` and `unevaluatedItems`, where it does not depend on the value.

MOST_FOLLOWED: Final = 100_000
"""Constraints of other schemas that are looked at for what is unevaluated, in one document."""

_FIELDS: Final = frozenset({"property", "pattern property", "others"})
_ITEMS: Final = frozenset({"items", "atLeast", "atMost"})
_IN_PLACE: Final = frozenset({"ref", "allOf"})
_CHOICES: Final = frozenset({"anyOf", "oneOf", "if", "dependentSchema"})
_NEGATED: Final = frozenset({"not"})


class Fields(NamedTuple):
    """The fields that are evaluated: by name, by pattern, or all."""

    names: frozenset[str]
    patterns: frozenset[str]
    are_all: bool

    @classmethod
    def of(cls, constraints: Iterable[Constraint]) -> Fields:
        """Return the fields that constraints evaluate."""
        found = [each for each in constraints if each.name in _FIELDS]
        return cls(
            frozenset(cast("str", each.value) for each in found if each.name == "property"),
            frozenset(cast("str", each.value) for each in found if each.name == "pattern property"),
            any(each.name == "others" for each in found),
        )


def evaluated_fields(constraints: Iterable[Constraint]) -> Fields | None:
    """Return the fields that constraints evaluate; None if they depend on the value."""
    all_ = _together(constraints, _FIELDS)
    return None if all_ is None else Fields.of(all_)


def possible_fields(constraints: Iterable[Constraint]) -> Fields:
    """Return the fields that constraints may evaluate, depending on the value."""
    found = [each for each, _ in _applied(constraints, _IN_PLACE | _CHOICES | _NEGATED)]
    fields = Fields.of(found)
    return fields._replace(are_all=True) if any(each.name == "opaque" for each in found) else fields


def certain_fields(constraints: Iterable[Constraint]) -> Fields:
    """Return the fields that constraints evaluate in each value that fits them."""
    return Fields.of(each for each, _ in _applied(constraints, _IN_PLACE))


def evaluated_items(constraints: Iterable[Constraint]) -> int | None:
    """Return how many of the first items constraints evaluate, -1 for all; None if it depends on the value."""
    all_ = _together(constraints, _ITEMS)
    if all_ is None or any(each.name != "items" for each in all_):
        return None
    counts = [cast("tuple[int, bool]", each.value) for each in all_]
    return -1 if any(has_rest for _, has_rest in counts) else max((count for count, _ in counts), default=0)


def _together(constraints: Iterable[Constraint], wanted: frozenset[str]) -> list[Constraint] | None:
    """Return the wanted constraints that apply to the value in any case; None if there are others."""
    found: list[Constraint] = []
    for each, is_certain in _applied(constraints, _IN_PLACE | _CHOICES):
        if each.name == "opaque" or (each.name in wanted and not is_certain):
            return None
        if each.name in wanted:
            found.append(each)
    return found


def _applied(constraints: Iterable[Constraint], through: frozenset[str]) -> Iterator[tuple[Constraint, bool]]:
    """Yield constraints, and those inside them that apply to the same value; whether they do in any case.

    Each schema is followed once, as far as the steps of its document reach: then an opaque constraint is yielded.
    """
    seen = set[int]()
    waiting = [(each, True) for each in constraints]
    while waiting:
        each, is_certain = waiting.pop()
        yield each, is_certain
        for schema in each.schemas if each.name in through else ():
            if id(schema) in seen:
                continue
            seen.add(id(schema))
            if not schema.document.follows(schema):
                yield _UNKNOWN, is_certain
                return
            waiting += [(below, is_certain and each.name in _IN_PLACE) for below in schema.evaluating]


_UNKNOWN: Final = Constraint("opaque", None)


# Constraints of each keyword, in each draft, as jsonschema-rs has them.
#
# It follows `dependencies` in drafts that no longer have them, and ignores `additionalItems` without a list of items.


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


def read_keywords(
    document: Document, schema: Schema, raw: Mapping[str, Any], readers: Mapping[str, _Reader]
) -> Iterator[Constraint]:
    """Return the constraints of all keywords but references; a malformed one is opaque."""
    reading = Reading(document, schema, raw)
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
    """Read `contentEncoding` and `contentMediaType`, which jsonschema-rs checks where it checks formats.

    It does so in the drafts 06 and 07: later ones have them as annotations.
    """
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


def _evaluates_all(reading: Reading, keyword: str, value: Any) -> Iterator[Constraint]:
    schemas = (reading.at(keyword, value),)
    if keyword == "unevaluatedItems":
        yield Constraint("items", (0, True), schemas, keyword)
    else:
        yield Constraint("others", (frozenset[str](), frozenset[str]()), schemas, keyword)


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
}
_DRAFT_07: Final[Mapping[str, _Reader]] = {**_DRAFT_06, "if": _if}
_CONTENT: Final[Mapping[str, _Reader]] = dict.fromkeys(("contentEncoding", "contentMediaType"), _content)
_DRAFT_2019: Final[Mapping[str, _Reader]] = {
    **_DRAFT_07,
    **dict.fromkeys(("dependentRequired", "dependentSchemas"), _dependent),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _unevaluated),
}
_READERS: Final[Mapping[str, Mapping[str, _Reader]]] = {
    "draft-04": _DRAFT_04,
    "draft-06": {**_DRAFT_06, **_CONTENT},
    "draft-07": {**_DRAFT_07, **_CONTENT},
    "2019-09": _DRAFT_2019,
    "2020-12": {**_DRAFT_2019, "prefixItems": _items},
}
_EVALUATING_READERS: Final[Mapping[str, Mapping[str, _Reader]]] = {
    draft: {keyword: _evaluates_all if reader is _unevaluated else reader for keyword, reader in readers.items()}
    for draft, readers in _READERS.items()
}


# One of two schemas that are compared: its draft, its parts, and what its references refer to.

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
        self._left = MOST_FOLLOWED
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

    def read(self, schema: Schema, readers: Mapping[str, Mapping[str, _Reader]]) -> tuple[Constraint, ...]:
        """Return the constraints of a schema, by the readers of each draft. That of `false` is a type of no value."""
        raw = schema.raw
        if isinstance(raw, bool):
            return () if raw else (Constraint("type", frozenset[str]()),)
        if not is_object(raw) or not self.draft or (schema.pointer and self._is_resource(raw)):
            return (self.opaque(schema),)
        if self.ignores_beside_references and "$ref" in raw:
            return (self._reference(schema, "$ref"),)
        references = [self._reference(schema, name) for name in ("$ref", *self._dynamic_keywords) if name in raw]
        return (*references, *read_keywords(self, schema, raw, readers[self.draft]))

    def follows(self, schema: Schema) -> bool:
        """Return whether a schema may be looked at for what another evaluates: no more than `MOST_FOLLOWED` are."""
        self._left -= 1 + len(schema.evaluating)
        return self._left >= 0

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
        found = parsed(reference)
        if found is None or (is_dynamic and self._has_resources) or found.resource not in ("", self._own_id):
            return None
        if found.anchor:
            return self._anchors.get(found.anchor)
        node, pointer = self.raw, ""
        for step in found.steps:
            node, pointer = child(node, step), f"{pointer}/{escape(step)}"
            if is_object(node) and self._is_resource(node):
                return None
        return self.schema(node, pointer) if is_object(node) or isinstance(node, bool) else None

    def _is_resource(self, raw: dict[str, Any]) -> bool:
        """Whether a part of the document has a base URI or a draft of its own."""
        return is_resource(raw, id_keyword(self.raw)) or isinstance(raw.get("$schema"), str)

    @cached_property
    def _own_id(self) -> str:
        name = self.raw.get(id_keyword(self.raw)) if is_object(self.raw) else None
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
        for path, raw in subschemas(self.raw):
            yield raw, pointer_of(path)

    @cached_property
    def _text(self) -> bytes:
        return canonical([self.draft, self.asserts_formats, self.raw])
