"""Shapes: a type accepts every value that its schema accepts, and preserves it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import Field, JsonValue

from tests.unit.compiler.specs import raw, resolved, toolset
from toolgen.compiler.emit.python.annotations import annotation
from toolgen.compiler.emit.python.models import render_models
from toolgen.compiler.ir.shapes import ClassType
from toolgen.compiler.ir.text import shape_text
from toolgen.runtime.codec.building import typed_default
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.formats import FormattedDate, FormattedDateTime, FormattedTime, FormattedUUID
from toolgen.runtime.codec.models import ClosedModel, OpenModel

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

NAMES = st.sampled_from(["a", "b", "from", "x-y", "Address", "model_fields", ""])
TEXT = st.text(st.characters(codec="utf-8"), max_size=3)
NUMBERS = st.integers(-9, 9) | st.sampled_from([0.5, 1.0, -2.0])
VALUES = st.none() | st.booleans() | NUMBERS | TEXT
ANY = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2), max_leaves=5
)


FORMATS = {
    "date": st.sampled_from(["2026-01-01", "0001-02-03", "2026-02-30"]),
    "date-time": st.sampled_from(["2026-01-01t00:00:00.000Z", "9999-12-31T23:59:59-23:59", "2026-01-01T00:00:00"]),
    "time": st.sampled_from(["09:30:00z", "09:30:00.1234567-00:00", "09:30:00"]),
    "uuid": st.uuids().map(lambda value: str(value).upper()),
    "email": st.sampled_from(["ada@example.com", "ada"]),
    "duration": st.just("P1D"),
}

SCALARS: dict[str, SearchStrategy[Any]] = {
    "string": TEXT,
    "integer": st.integers(-9, 9) | st.just(1.0),
    "number": NUMBERS,
    "boolean": st.booleans(),
    "null": st.none(),
}


@dataclass(frozen=True)
class Sample:
    """A schema and values, most of which are valid."""

    schema: Any
    values: SearchStrategy[Any]


@st.composite
def samples(draw: DrawFn, depth: int = 2) -> Sample:
    """Draw schemas of every kind that types distinguish, and of kinds that they do not."""
    plain = [_scalars(), _values(), st.just(Sample(True, ANY)), st.just(Sample({"minimum": 0, "minLength": 1}, ANY))]
    below = samples(depth - 1) if depth else st.nothing()
    made = [_arrays(below), _maps(below), _objects(below), _choices(below), _conditions(below)] if depth else []
    sample: Sample = draw(st.one_of(*plain, *made))
    return sample


def _scalars() -> SearchStrategy[Sample]:
    kinds = st.lists(st.sampled_from(sorted(SCALARS)), min_size=1, unique=True)
    return kinds.map(lambda kinds: Sample({"type": kinds}, st.one_of([SCALARS[kind] for kind in kinds]))) | (
        st.sampled_from(sorted(SCALARS)).map(lambda kind: Sample({"type": kind}, SCALARS[kind]))
        | st.sampled_from(sorted(FORMATS)).map(lambda name: Sample({"type": "string", "format": name}, FORMATS[name]))
    )


def _values() -> SearchStrategy[Sample]:
    listed = st.lists(VALUES, min_size=1, max_size=4, unique_by=json.dumps)
    return listed.map(lambda values: Sample({"enum": values}, st.sampled_from(values))) | ANY.map(
        lambda value: Sample({"const": value}, st.just(value))
    )


@st.composite
def _arrays(draw: DrawFn, below: SearchStrategy[Sample]) -> Sample:
    items = draw(below)
    schema = {"type": "array", "items": items.schema}
    if draw(st.booleans()):
        return Sample(schema, st.lists(items.values, max_size=3))
    first = draw(below)
    listed = st.tuples(first.values, st.lists(items.values, max_size=2)).map(lambda value: [value[0], *value[1]])
    return Sample({**schema, "prefixItems": [first.schema]}, listed)


@st.composite
def _maps(draw: DrawFn, below: SearchStrategy[Sample]) -> Sample:
    values = draw(below)
    schema = {"type": "object", "additionalProperties": values.schema}
    return Sample(schema, st.dictionaries(NAMES, values.values, max_size=3))


@st.composite
def _objects(draw: DrawFn, below: SearchStrategy[Sample]) -> Sample:
    """Draw objects with named fields, open or closed, including required fields without a schema."""
    fields = draw(st.dictionaries(NAMES, below, min_size=1, max_size=3))
    required = draw(st.lists(st.sampled_from([*fields, "b"]), unique=True, max_size=2))
    schema = {
        "type": draw(st.sampled_from(["object", ["object", "null"]])),
        "properties": {name: field.schema for name, field in fields.items()},
        "required": required,
        **draw(st.sampled_from([{}, {"additionalProperties": False}, {"patternProperties": {"^x": {"minLength": 1}}}])),
    }
    if draw(st.booleans()):
        schema[draw(st.sampled_from(["allOf", "anyOf", "oneOf"]))] = [draw(below).schema]
    named = {name: field.values for name, field in fields.items()}
    there = {name: named.get(name, ANY) for name in required}
    values = st.fixed_dictionaries(there, optional={name: named[name] for name in named.keys() - there.keys()})
    others = st.dictionaries(NAMES, ANY, max_size=1)
    return Sample(schema, st.builds(lambda extra, value: {**extra, **value}, others, values) | st.none())


@st.composite
def _choices(draw: DrawFn, below: SearchStrategy[Sample]) -> Sample:
    options = draw(st.lists(below, min_size=1, max_size=3))
    keyword = draw(st.sampled_from(["anyOf", "oneOf", "allOf"]))
    return Sample({keyword: [option.schema for option in options]}, st.one_of([option.values for option in options]))


@st.composite
def _conditions(draw: DrawFn, below: SearchStrategy[Sample]) -> Sample:
    one, other = draw(below), draw(below)
    schema = draw(st.sampled_from([{"if": one.schema, "then": other.schema}, {"not": one.schema}]))
    return Sample(schema, one.values | other.values)


def type_of(schema: Any, formats: str = "annotate") -> Any:
    """Return the type that the compiler generates for a result schema, evaluated without a package."""
    found = resolved(toolset({"get": {"result": raw(schema)}}), formats=formats)
    (compiled,) = found.catalog.toolsets
    (tool,) = compiled.tools
    assert set(found.codes) <= {"TG203", "TG208", "TG214"}, found.messages
    models = render_models([[made for made in compiled.types if isinstance(made, ClassType)]])[0]
    known: dict[str, Any] = {
        "Annotated": Annotated, "ClosedModel": ClosedModel, "Field": Field, "JsonValue": JsonValue, "Literal": Literal,
        "OpenModel": OpenModel, "TypeAlias": TypeAlias, "typed_default": typed_default,
        "FormattedDate": FormattedDate, "FormattedDateTime": FormattedDateTime, "FormattedTime": FormattedTime,
        "FormattedUUID": FormattedUUID,
    }  # fmt: skip
    for model in models.values():
        exec(f"from __future__ import annotations\n{model.source}", known)  # noqa: S102  # it executes generated code
    for name in models:
        known[name].model_rebuild(_types_namespace=known)
    return eval(annotation(tool.result.shape), known)  # noqa: S307  # the same


@settings(
    max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(st.data(), samples(), st.sampled_from(["annotate", "typed"]))
def test_a_type_accepts_and_preserves_all_values_of_its_schema(
    data: st.DataObject, sample: Sample, formats: str
) -> None:
    asserted = formats == "typed"
    is_valid = jsonschema_rs.validator_for(sample.schema, validate_formats=asserted).is_valid
    value = data.draw(sample.values)
    assume(is_valid(value))
    codec = Codec.of(sample.schema, type_of(sample.schema, formats), assert_formats=asserted)
    assert is_same(json.loads(codec.encode(codec.decode(json.dumps(value)))), value)


def is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal, comparing numbers by value."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        ({}, "any"),
        (True, "any"),
        (False, "any"),
        ({"type": "string", "minLength": 3}, "string"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": ["integer", "number"]}, "number"),
        ({"minimum": 3}, "any"),
        ({"enum": ["a", "b"]}, '("a" | "b")'),
        ({"enum": ["a", None]}, '("a") | null'),
        ({"enum": [1, 2.0]}, "(1 | 2)"),
        ({"enum": [1, 2.5]}, "number"),
        ({"enum": ["a", 1]}, "any"),
        ({"enum": [1, True]}, "any"),
        ({"const": {"a": 1}}, "any"),
        ({"const": None}, "null"),
        ({"type": "array"}, "[any]"),
        ({"type": "array", "items": {"type": "string"}}, "[string]"),
        ({"type": "array", "items": False}, "[any]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, "[any]"),
        ({"type": "object"}, "{*: any}"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{*: integer}"),
        ({"type": "object", "additionalProperties": {"type": "null"}, "patternProperties": {"x": True}}, "{*: any}"),
        ({"type": "object", "properties": {"a": True}}, "GetResult"),
        ({"type": ["object", "null"], "properties": {"a": True}}, "GetResultObject | null"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"anyOf": [{"type": "string"}, {}]}, "any"),
        ({"oneOf": [{"type": "integer", "minimum": 1}, {"type": "integer", "maximum": -1}]}, "integer"),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, "string"),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "number"),
        ({"not": {"type": "string"}}, "any"),
        ({"if": {"type": "string"}, "then": {"minLength": 1}}, "any"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}, "integer"),
        ({"$ref": "#/$defs/A", "maximum": 3, "$defs": {"A": {"type": "integer"}}}, "integer"),
        ({"$ref": "#a", "$defs": {"A": {"$anchor": "a", "type": "integer"}}}, "any"),
        ({"$dynamicRef": "#a", "$defs": {"A": {"$dynamicAnchor": "a", "type": "integer"}}}, "any"),
    ],
)  # fmt: skip
def test_shapes_of_schemas(schema: Any, shape: str) -> None:
    tool = resolved(toolset({"get": {"result": raw(schema)}})).tools["shop.get"]
    assert shape_text(tool.result.shape) == shape


DATE, DATE_TIME = {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        (DATE, "string (date)"),
        ({**DATE, "minLength": 10}, "string (date)"),
        ({"type": ["string", "null"], "format": "uuid"}, "string (uuid) | null"),
        ({"type": "array", "items": DATE}, "[string (date)]"),
        ({"type": "object", "additionalProperties": DATE_TIME}, "{*: string (date-time)}"),
        ({"anyOf": [DATE, DATE_TIME, {"const": "never"}]}, 'string (date) | string (date-time) | ("never")'),
        ({"anyOf": [DATE, {"type": "string"}, {"type": "integer"}]}, "string | integer"),
        ({"anyOf": [{"type": "string"}, DATE]}, "string"),
        ({**DATE, "enum": ["2026-01-01"]}, '("2026-01-01")'),
        ({**DATE, "const": "2026-01-01"}, '("2026-01-01")'),
        ({"type": "integer", "format": "date"}, "integer"),
        ({"type": "string", "format": "duration"}, "string"),
        ({"format": "date"}, "any"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "format": "time"}, "string (time)"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "format": "uuid"}, "string"),
    ],
)  # fmt: skip
def test_formats_with_a_type_if_the_target_requests_them(schema: Any, shape: str) -> None:
    spec = toolset({"get": {"result": raw(schema)}})
    assert shape_text(resolved(spec, formats="typed").tools["shop.get"].result.shape) == shape
    assert "(date" not in shape_text(resolved(spec, formats="assert").tools["shop.get"].result.shape)


@pytest.mark.parametrize(("formats", "refused"), [("annotate", []), ("assert", ["TG208"]), ("typed", ["TG208"])])
def test_a_default_refused_by_its_format_is_reported_if_formats_are_asserted(formats: str, refused: list[str]) -> None:
    spec = toolset({"get": {"args": {"day": {**DATE, "default": "2026-02-30"}}, "result": "string"}})
    assert resolved(spec, formats=formats).codes == refused


def test_a_default_without_a_value_in_python_is_left_to_the_schema() -> None:
    spec = toolset({"get": {"args": {"day": {**DATE, "default": "0000-01-01"}}, "result": "string"}})
    found = resolved(spec, formats="typed")
    assert found.codes == []
    (made,) = (made for made in found.catalog.toolsets[0].types if isinstance(made, ClassType))
    assert not made.fields[0].has_default


@pytest.mark.parametrize(
    ("schema", "fields"),
    [
        ({"properties": {"a": {"type": "string"}}, "required": ["a"]}, ["a: string"]),
        ({"properties": {"a": {"type": "string"}}}, ["a?: string"]),
        ({"properties": {"a": {"type": "string", "default": "x"}}}, ['a?: string = "x"']),
        ({"properties": {"a": {"type": "string", "default": 1}}}, ["a?: string"]),
        ({"properties": {"a": {"type": "string"}}, "required": ["b"]}, ["a?: string", "b: any"]),
        ({"properties": {"a": True}, "allOf": [{"properties": {"a": {"type": "string"}}}]}, ["a?: string"]),
        ({"properties": {"a": True}, "allOf": [{"required": ["a"]}]}, ["a: any"]),
        ({"properties": {"class": True, "x-y": True}}, ["class? as class_: any", "x-y? as x_y: any"]),
    ],
)  # fmt: skip
def test_fields_of_a_class(schema: Any, fields: list[str]) -> None:
    found = resolved(toolset({"get": {"result": {"type": "object", **schema}}}))
    (made,) = (made for made in found.catalog.toolsets[0].types if made.name == "GetResult")
    assert isinstance(made, ClassType)
    written = [
        f"{field.wire}{'' if field.required else '?'}{f' as {field.python}' if field.python != field.wire else ''}: "
        f"{shape_text(field.shape)}{f' = {json.dumps(field.default)}' if field.has_default else ''}"
        for field in made.fields
    ]
    assert written == fields


def test_a_choice_between_recursive_objects_is_untyped() -> None:
    options = [{"type": "object", "properties": {name: {"$ref": "#/types/Tree"}}} for name in "ab"]
    found = resolved(toolset({"get": {"result": "Tree"}}, types={"Tree": {"anyOf": options}}))
    classes = {made.name: made for made in found.catalog.toolsets[0].types if isinstance(made, ClassType)}
    assert [shape_text(field.shape) for made in classes.values() for field in made.fields] == ["any", "any"]
