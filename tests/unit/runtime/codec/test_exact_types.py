"""Types that check everything in their schema: which ones, and that the schema accepts every text they accept."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

import pytest
from pydantic import Field, JsonValue

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.exact_types import Doubt, compare_type_to_schema
from toolgen.runtime.codec.models import ClosedModel, OpenModel

NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False}
NULL = {"type": "null"}


class Named(ClosedModel):
    name: str | None = None


class Order(ClosedModel):
    id: str
    from_: Annotated[str | None, Field(alias="from")] = None
    count: int = 1
    state: Literal["open", "closed"] = "open"
    holder: Named | None = None
    tags: list[str] | None = None


ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "An id.", "x-note": 1},
        "from": {"type": ["string", "null"]},
        "count": {"type": "integer", "default": 1},
        "state": {"enum": ["open", "closed"]},
        "holder": {"anyOf": [{"$ref": "#/$defs/Named"}, NULL]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {"Named": NAMED},
}


class Open(OpenModel):
    name: str | None = None


OPEN: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}


class Nested(ClosedModel):
    inner: Nested | None = None


def one(schema: Any, kind: Any) -> tuple[Any, Any]:
    """Return an object schema with one required field."""
    model = type("One", (ClosedModel,), {"__annotations__": {"x": kind}, "__module__": __name__})
    return {"type": "object", "properties": {"x": schema}, "required": ["x"]}, model


AtMostNine: TypeAlias = Annotated[int, Field(le=9)]


@pytest.mark.parametrize(
    ("schema", "kind", "expected"),
    [
        (ORDER, Order, Doubt.NULL),
        (NAMED, Named, Doubt.NULL),
        ({**NAMED, "properties": {"name": {"type": ["null", "string"]}}}, Named, Doubt.NONE),
        ({**NAMED, "properties": {"name": {"anyOf": [NULL, {"type": "string"}]}}}, Named, Doubt.NONE),
        ({"type": "object", "properties": NAMED["properties"]}, Named, Doubt.NULL),
        (*one({"type": "boolean"}, bool), Doubt.NONE),
        (*one({"type": "string", "format": "date"}, str), Doubt.NONE),
        (*one({"type": "string", "minLength": 1}, Annotated[str, Field(min_length=1)]), Doubt.NONE),
        (*one({"type": "integer", "maximum": 9}, AtMostNine | None), Doubt.NULL),
        (*one({"type": "array", "items": {"type": "string", "pattern": "a"}, "minItems": 2},
              Annotated[list[Annotated[str, Field(pattern="a")]], Field(min_length=2)]), Doubt.NONE),
        (*one({"const": "a"}, Literal["a"]), Doubt.NONE),
        # constraints of the schema beyond the type
        (*one({"const": "a"}, Literal["a", "b"]), None),
        (*one({"type": "string", "minLength": 2}, Annotated[str, Field(min_length=1)]), None),
        (*one({"type": "integer", "minimum": 0, "maximum": 9}, Annotated[int, Field(ge=0)]), None),
        (*one({"type": "integer", "minimum": 1}, Annotated[int, Field(gt=1)]), None),
        (*one({"type": "string", "minLength": 1}, str), None),
        (*one({"type": "string", "unknown": 1}, str), None),
        (*one({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, list[str]), None),
        ({**NAMED, "minProperties": 1}, Named, None),
        ({**NAMED, "required": ["name"]}, Named, None),
        ({**NAMED, "required": ["other"]}, Named, None),
        # values of the type beyond the schema
        (*one({"type": "integer"}, str), None),
        (*one({"enum": ["a"]}, Literal["a", "b"]), None),
        (*one({"enum": [1, "a"]}, Literal[1, "a"]), None),
        (*one({"type": "object", "properties": {}, "additionalProperties": False}, Named), None),
        (*one({"oneOf": [{"$ref": "#/$defs/N"}, NULL]}, str | None), None),
        (NAMED, Open, None),
        (OPEN | {"additionalProperties": {"type": "string"}}, Open, None),
        (OPEN | {"properties": {**OPEN["properties"], "more": {"type": "string"}}}, Open, None),
        (OPEN, Open, Doubt.NULL | Doubt.ANY_JSON),
        (*one({"type": "number"}, int | float), Doubt.ANY_JSON),
        (*one({"type": ["number", "null"]}, int | float | None), Doubt.ANY_JSON),
        (*one({"type": "number"}, int | float | None), Doubt.NULL | Doubt.ANY_JSON),
        (*one({"type": "number", "minimum": 0.5},
              Annotated[int, Field(ge=1)] | Annotated[float, Field(ge=0.5)]), Doubt.ANY_JSON),
        (*one({"type": "number", "minimum": 0.5},
              Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0.5)]), None),
        (*one({"type": "number", "minimum": 0.5}, Annotated[int, Field(ge=1)] | float), None),
        (*one({"type": "number", "multipleOf": 2}, int | float), None),
        (*one({"type": "number"}, float), None),
        (*one({"type": "number"}, int | str | float), None),
        # invalid JSON that pydantic's parser accepts
        (*one({}, JsonValue), None),
        ({"type": "object", "properties": {"inner": {"$ref": "#"}}}, Nested, None),
        ({"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/N"}}}}},
         Nested, None),
        # not a class
        ({"type": "string"}, str, None),
        (True, Named, None),
    ],
)  # fmt: skip
def test_types_are_exact_if_they_check_everything_in_the_schema(schema: Any, kind: Any, expected: Doubt | None) -> None:
    assert compare_type_to_schema(schema, kind) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a"}',
        '{"id": "a", "from": null, "holder": null}',
        '{"id": "null", "tags": ["null"]}',
        '{"id": "a", "count": 2.0}',
        '{"id": "a:b", "tags": ["::", "\\u003a"], "holder": {"name": ":"}}',
        '{"id": "a", "holder": {"name": "b"}, "state": "closed"}',
    ],
)
@pytest.mark.parametrize("encode", [str, str.encode], ids=["text", "bytes"])
def test_values_of_an_exact_type_are_preserved(text: str, encode: Any) -> None:
    decoded = Codec.of(ORDER, Order).decode(encode(text))
    assert isinstance(decoded, Order)
    assert json.loads(Codec.of(ORDER, Order).encode(decoded)) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "a", "tags": null}',
        '{"id": "a", "holder": {"name": null}}',
        '{"id": "a", "count": 1e400}',
        '{"id": "a", "count": true}',
        '{"id": "a", "from_": "b"}',
        '{"id": "a", "more": 1}',
        '{"id": "\\ud800"}',
        '{"id": "a"} x',
        "null",
        "{}",
    ],
)
def test_an_exact_type_refuses_what_the_schema_refuses(text: str) -> None:
    with pytest.raises(InvalidPayload):
        Codec.of(ORDER, Order).decode(text)


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", f"1{'0' * 400}.0", "true", '"1"']
)
def test_an_exact_type_refuses_invalid_numbers(number: str) -> None:
    codec = Codec.of(*one({"type": "number"}, int | float))
    with pytest.raises(InvalidPayload):
        codec.decode(f'{{"x": {number}}}')


@pytest.mark.parametrize(
    "number", ["1", "1.0", "-0.0", "1e3", "0.1", "9007199254740993", "1" * 40, "1.7976931348623157e308"]
)
def test_numbers_are_preserved(number: str) -> None:
    codec = Codec.of(*one({"type": "number"}, int | float))
    decoded = codec.decode(f'{{"x": {number}}}')
    assert repr(decoded.x) == repr(json.loads(number))
    assert json.loads(codec.encode(decoded)) == {"x": json.loads(number)}


def test_asserted_formats_are_not_left_to_types() -> None:
    schema, model = one({"type": "string", "format": "date"}, str)
    assert Codec.of(schema, model).decode('{"x": "today"}')
    with pytest.raises(InvalidPayload):
        Codec.of(schema, model, assert_formats=True).decode('{"x": "today"}')


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a"}',
        '{"name": "a", "more": {"x": [1, 2.5, null, "é"], "y": 12345678901234567890}}',
        '{"more": {"NaN": "Infinity", "a:b": ":"}, "x": [{"y": {}}]}',
        '{"name": "a", "more": 1e5}',
    ],
)
@pytest.mark.parametrize("encode", [str, str.encode], ids=["text", "bytes"])
def test_an_open_class_keeps_additional_fields(text: str, encode: Any) -> None:
    decoded = Codec.of(OPEN, Open).decode(encode(text))
    assert isinstance(decoded, Open)
    assert json.loads(Codec.of(OPEN, Open).encode(decoded)) == json.loads(text)


@pytest.mark.parametrize(
    ("schema", "kind", "text", "pointer"),
    [
        (ORDER, Order, '{"id": "a", "count": 1, "count": 2}', "/count"),
        (ORDER, Order, '{"id": "a", "count": 1, "count": 1, "holder": {"name": "b:c"}}', "/count"),
        (ORDER, Order, '{"id": "a", "holder": {"name": "b", "name": "c"}}', "/holder/name"),
        (ORDER, Order, '{"id": ":", "from": null, "from": null, "tags": ["\\u003a"]}', "/from"),
        (ORDER, Order, '{"id": "a", "i\\u0064": "b"}', "/id"),
        (OPEN, Open, '{"more": 1, "more": {"NaN": "Infinity"}}', "/more"),
        (OPEN, Open, '{"name": "a", "x": {"y": [{"z": 1, "z": ":"}]}}', "/x/y/0/z"),
    ],
)
@pytest.mark.parametrize("encode", [str, str.encode], ids=["text", "bytes"])
def test_a_key_that_is_there_twice_is_refused(schema: Any, kind: Any, text: str, pointer: str, encode: Any) -> None:
    codec = Codec.of(schema, kind)
    for decode in (codec.decode, codec.decode_json):
        with pytest.raises(InvalidPayload) as caught:
            decode(encode(text))
        (issue,) = caught.value.issues
        assert (issue.pointer, issue.hint) == (pointer, f"send `{pointer.rpartition('/')[2]}` once")


@pytest.mark.parametrize(
    "text",
    [
        '{"more": NaN}',
        '{"more": [-Infinity]}',
        '{"more": 1e400}',
        f'{{"more": {"9" * 310}.0}}',
        f'{{"more": {"[" * 201}{"]" * 201}}}',
        '{"name": null}',
        '{"more": "\\ud800"}',
    ],
)
@pytest.mark.parametrize("encode", [str, str.encode], ids=["text", "bytes"])
def test_an_open_class_refuses_non_json_additional_fields(text: str, encode: Any) -> None:
    with pytest.raises(InvalidPayload):
        Codec.of(OPEN, Open).decode(encode(text))
