from __future__ import annotations

import json
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, JsonValue, ValidationError

from toolgen.runtime.base.errors import InvalidPayload, TypesDisagree
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.codec_source import CodecSource
from toolgen.runtime.codec.models import ClosedModel, OpenModel
from toolgen.runtime.codec.validation import is_closed
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from tests.unit.runtime.package import Shop


class Tree(ClosedModel):
    child: Tree | None = None
    children: list[Tree] | None = None


TREE = {
    "type": "object",
    "properties": {"child": {"$ref": "#"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    "additionalProperties": False,
}


class Point(OpenModel):
    x: int | float
    n: int = 0
    tag: Literal[1, 2] | None = None
    from_: Annotated[str | None, Field(alias="from")] = None
    j: JsonValue = None


POINT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "x": {"type": "number"},
        "n": {"type": "integer", "default": 0},
        "tag": {"enum": [1, 2]},
        "from": {"type": "string"},
        "j": {},
    },
    "required": ["x"],
}


@pytest.mark.parametrize(
    "payload",
    [
        '{"x": 1}',
        '{"x": 1.5, "n": 3, "tag": 2}',
        '{"x": 1, "from": "a", "from_": "b"}',
        '{"x": 1, "from_": {"kept": true}}',
        '{"x": 1, "j": null}',
        '{"x": 1, "j": [{"a": [1, 2.5, "t"]}], "model_config": 1, "__class__": 2, "": 3, "__dict__": 4}',
    ],
)
def test_values_survive_the_round_trip_through_a_type(payload: str) -> None:
    codec = Codec.of(POINT, Point)
    assert codec.encode(codec.decode(payload)) == canonical(json.loads(payload))


def test_integral_floats_are_integers_where_the_schema_requires_one() -> None:
    codec = Codec.of(POINT, Point)
    value = codec.decode('{"x": 2.0, "n": 3.0, "tag": 1.0}')
    assert (value.n, value.tag) == (3, 1)
    assert json.loads(codec.encode(value)) == {"x": 2, "n": 3, "tag": 1}


@pytest.mark.parametrize(
    "payload", ['{"x": true}', '{"x": "1"}', '{"x": 1, "n": 1.5}', '{"x": 1, "n": "1"}', "[]", "null"]
)
def test_there_is_no_coercion(payload: str) -> None:
    with pytest.raises(InvalidPayload):
        Codec.of(POINT, Point).decode(payload)


@pytest.mark.parametrize(
    "payload", ['{"x": 1, "j": NaN}', '{"x": 1, "j": 1e999}', '{"x": 1} 2', '{"x": 1, "j": "\\ud800"}']
)
def test_non_json_values_are_refused_even_by_an_open_schema(payload: str) -> None:
    with pytest.raises(InvalidPayload) as refused:
        Codec.of(POINT, Point).decode(payload)
    assert [issue.keyword for issue in refused.value.issues] == ["json"]


def test_absent_fields_read_as_their_default_and_are_not_encoded() -> None:
    codec = Codec.of(POINT, Point)
    value = codec.decode('{"x": 1}')
    assert (value.n, value.from_) == (0, None)
    assert codec.encode(value) == b'{"x":1}'
    assert codec.encode(Point(x=1, n=0)) == b'{"n":0,"x":1}'


def test_none_means_absent_only_if_null_is_not_allowed(shop: Shop) -> None:
    refund, refund_args = shop.type("RefundArgs"), shop.refund_codec()
    value = refund(order_id="o", amount=None, reason=None, note=None)
    assert refund_args.encode(value) == b'{"note":null,"order_id":"o"}'


def test_none_for_a_nested_field_means_absent_too(shop: Shop) -> None:
    order, orders = shop.type("Order"), shop.module("shop.tools.orders")
    assert (
        orders.codecs.result(orders.FIND).encode([order(id="a", from_=None), order(id="b", total=2)])
        == b'[{"id":"a"},{"id":"b","total":2}]'
    )


def test_a_null_that_is_data_is_never_dropped() -> None:
    codec = Codec.of({"type": "object", "additionalProperties": {"type": "string"}}, dict[str, JsonValue])
    with pytest.raises(InvalidPayload, match="/a: use a string"):
        codec.encode({"a": None, "b": "c"})


def test_encoding_validates_against_the_schema(shop: Shop) -> None:
    codec = shop.refund_codec()
    with pytest.raises(InvalidPayload, match="/amount: use a number of at most 1000"):
        codec.encode(shop.type("RefundArgs")(order_id="o", amount=5000))


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_lacks_are_refused_when_encoding(number: float) -> None:
    for value in (Point(x=number), Point(x=1, j=[number])):
        with pytest.raises(InvalidPayload):
            Codec.of(POINT, Point).encode(value)
    with pytest.raises(InvalidPayload):
        Codec.of({"type": "array"}, list[JsonValue]).encode([number])
    with pytest.raises(InvalidPayload):
        Codec.of(True).encode({"a": number})


def test_encoding_refuses_lone_surrogates_and_endless_values() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in ("\ud800", endless):
        with pytest.raises(InvalidPayload):
            Codec.of(True).encode(value)


@pytest.mark.parametrize(
    "payload",
    ['{"child":' * 199 + "{}" + "}" * 199, '{"children":[' * 99 + "{}" + "]}" * 99],
    ids=["objects", "objects and arrays"],
)
def test_recursive_types_support_all_levels_that_json_text_may_have(payload: str) -> None:
    codec = Codec.of(TREE, Tree)
    assert codec.encode(codec.decode(payload)) == canonical(json.loads(payload))


def test_types_that_cannot_hold_a_valid_value_raise_types_disagree() -> None:
    codec = Codec.of({"type": "object"}, Tree, name="shop.tree (args)")
    with pytest.raises(TypesDisagree, match=r"shop\.tree \(args\).*toolgen build"):
        codec.decode('{"other": 1}')


def test_check_reports_issues_of_a_value_of_any_depth() -> None:
    codec = Codec.of(POINT)
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert codec.check({"x": 1}) == ()
    assert [issue.keyword for issue in codec.check({})] == ["required"]
    assert [issue.keyword for issue in codec.check({"x": 1, "j": deep})] == ["json"]
    while isinstance(deep, list):
        deep = deep.pop()


@pytest.mark.parametrize(
    ("schema", "accepted"),
    [
        ({"format": "date"}, True),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "format": "date"}, True),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "contentMediaType": "application/json"}, True),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]}, True),
    ],
)
def test_formats_and_content_annotate(schema: dict[str, Any], accepted: bool) -> None:
    assert (Codec.of(schema).check("no date, {no json") == ()) is accepted
    if "format" in schema:
        assert Codec.of(schema, assert_formats=True).check("no date") != ()


def test_the_dialect_of_the_schema_is_used() -> None:
    draft_07 = {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "null"}]}
    assert Codec.of(draft_07).check([1]) != ()
    assert Codec.of({"prefixItems": [{"type": "null"}]}).check([1]) != ()
    assert Codec.of({"$schema": draft_07["$schema"], "prefixItems": [{"type": "null"}]}).check([1]) == ()


def test_normalizing_returns_values_of_their_type(shop: Shop) -> None:
    orders, order = shop.module("shop.tools.orders"), shop.type("Order")
    value, payload = orders.codecs.result(orders.FIND).normalize([{"id": "a"}, order(id="b")])
    assert value == [order(id="a"), order(id="b")]
    assert payload == b'[{"id":"a"},{"id":"b"}]'
    value, _ = orders.codecs.result(orders.REFUND).normalize({"refunded": True, "order": {"id": "a"}})
    assert isinstance(value, shop.type("RefundResult"))
    with pytest.raises(InvalidPayload, match="return a RefundResult, not a RefundArgs"):
        orders.codecs.result(orders.REFUND).normalize(shop.type("RefundArgs")(order_id="o"))


def test_goa_35_call_builders_create_canonical_requests(shop: Shop) -> None:
    calls = shop.module("shop.tools.orders.refund")
    request = calls.new_refund_call(order_id="ö", note=None)
    assert (request.name, request.payload) == ("shop.orders.refund", '{"note":null,"order_id":"ö"}'.encode())
    assert calls.new_refund_call(order_id="o").payload == b'{"order_id":"o"}'
    with pytest.raises(InvalidPayload, match="/reason: use one of"):
        calls.new_refund_call(order_id="o", reason="bored")


def test_codecs_of_a_package_load_on_first_use(shop: Shop) -> None:
    (shop.folder / "catalog.json").rename(shop.folder / "elsewhere.json")
    orders = shop.module("shop.tools.orders")
    (shop.folder / "elsewhere.json").rename(shop.folder / "catalog.json")
    assert orders.codecs.args(orders.REFUND).decode('{"order_id": "o"}').order_id == "o"
    assert Codec.of_package(shop.name, "shop.orders.refund", "args") is orders.codecs.args(orders.REFUND)


NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False}


class Named(ClosedModel):
    name: str | None = None


class Holder(ClosedModel):
    one: Named | None = None
    many: list[Named] | None = None


@pytest.mark.parametrize(
    ("schema", "kind", "closed"),
    [
        (NAMED, Named, True),
        (NAMED, None, True),
        (NAMED, JsonValue, True),
        (
            {"type": ["object", "null"], **{key: NAMED[key] for key in ("properties", "additionalProperties")}},
            Named | None,
            True,
        ),
        ({"anyOf": [NAMED, {"type": "null"}]}, Named | None, True),
        ({"type": "array", "items": {"$ref": "#/$defs/N"}, "$defs": {"N": NAMED}}, list[Named], True),
        (
            {
                **NAMED,
                "properties": {"one": {"$ref": "#/$defs/N"}, "many": {"type": "array", "items": NAMED}},
                "$defs": {"N": NAMED},
            },
            Holder,
            True,
        ),
        ({**NAMED, "properties": {"one": {**NAMED, "properties": {"other": {"type": "string"}}}}}, Holder, False),
        ({**NAMED, "properties": {"name": {"type": "string"}, "more": {"type": "string"}}}, Named, False),
        ({**NAMED, "properties": {"name": {}}}, Named, False),
        ({**NAMED, "additionalProperties": {"type": "string"}}, None, False),
        ({**NAMED, "patternProperties": {"^x": {}}}, None, False),
        ({"anyOf": [NAMED, {"type": "string"}]}, None, False),
        ({"type": "array"}, None, False),
        ({"id": "http://a/b", **NAMED}, Named, False),
        ({"$id": "http://a/b", **NAMED}, Named, False),
        (TREE, Tree, False),
        (True, None, False),
        ({"enum": [1, "a"]}, None, True),
    ],
)
def test_a_closed_schema_describes_all_fields_of_a_value(schema: Any, kind: Any, closed: bool) -> None:
    assert is_closed(schema, kind) is closed


class HostPoint(BaseModel):
    x: float | None
    names: dict[str, float] = {}
    near: HostPoint | None = None


NAN = HostPoint(x=float("nan"))


@pytest.mark.parametrize("point", [NAN, HostPoint(x=1, names={"a": float("-inf")}), HostPoint(x=None, near=NAN)])
def test_a_number_that_json_lacks_is_refused_and_not_written_as_null(point: HostPoint) -> None:
    codec = Codec[Any](lambda: CodecSource(name="x", schema={}, type=HostPoint, foreign=True))
    with pytest.raises(InvalidPayload, match="which JSON does not have"):
        codec.encode(point)
    with pytest.raises(InvalidPayload, match="which JSON does not have"):
        codec.normalize(point)
    assert codec.encode(HostPoint(x=None, names={"a": 1})) == b'{"names":{"a":1.0},"x":null}'


NOT_JSON: list[Any] = [b"x", bytearray(b"x"), {"a"}, frozenset("a"), 1j, (each for each in "ab"), iter("ab")]


@pytest.mark.parametrize("value", NOT_JSON, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("kind", [None, Point])
def test_a_value_that_only_pydantic_can_write_is_none_of_json_in_whatever_holds_it(kind: Any, value: Any) -> None:
    codec = Codec[Any].of({"type": "object"}, kind)
    for held in ({"x": 1, "from": value}, {"x": 1, "more": value}, {"x": 1, "j": [{"deep": value}]}):
        with pytest.raises(InvalidPayload, match=f"a {type(value).__name__} is not a JSON value"):
            codec.normalize(held)
    with pytest.raises(ValidationError, match="not a valid JSON value"):
        Point.model_validate({"x": 1, "more": value})


def _cycles() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    members: dict[str, Any] = {"a": [items]}
    members["self"] = members
    return [items, members, [members], {"a": items}]


@pytest.mark.parametrize("kind", [None, list[str], list[Any], dict[str, Any], dict[str, list[str]]])
def test_a_value_that_contains_itself_is_refused(kind: Any) -> None:
    codec: Codec[Any] = Codec.of(True) if kind is None else Codec.of(True, kind)
    for value in _cycles():
        with pytest.raises(InvalidPayload):
            codec.normalize(value)


class Session(ClosedModel):
    """A result whose fields are what a host made of them."""

    session: int
    more: list[Session] = []


class HostSession(BaseModel):
    """The same of a host."""

    session: int
    more: list[HostSession] = []


@pytest.mark.parametrize("kind", [Session, HostSession])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("wrong", ["Zq7wXk2mPv9", b"Zq7wXk2mPv9", ["Zq7wXk2mPv9"], None, 1.5])
def test_no_value_is_quoted_by_a_warning_of_pydantic(kind: Any, nested: bool, wrong: Any) -> None:
    schema = {"type": "object", "properties": {"session": {"type": "integer"}}}
    source = CodecSource(name="x", schema=schema, type=kind, foreign=kind is HostSession)
    value = kind.model_construct(session=wrong)
    value = kind.model_construct(session=1, more=[value]) if nested else value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codec = Codec[Any](lambda: source)
        for write in (codec.encode, codec.normalize, codec.fast_dump[1]):
            with suppress(InvalidPayload, ValueError):
                write(value)
