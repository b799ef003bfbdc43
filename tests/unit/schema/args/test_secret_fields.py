"""Secrets: every place of a value that a schema marks is found, and what cannot be told counts as one."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.schema.args.secret_fields import secret_pointers

PIN = {"type": "string", "writeOnly": True}
HOLDER = {"properties": {"pin": PIN}}


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"type": "string"}, []),
        (True, []),
        (PIN, [""]),
        ({"properties": {"a/b": {"format": "password"}, "c": {}}}, ["/a~1b"]),
        ({"items": HOLDER}, ["/*/pin"]),
        ({"items": [PIN, {}]}, ["/*"]),
        ({"prefixItems": [{}, PIN]}, ["/*"]),
        ({"additionalItems": PIN}, ["/*"]),
        ({"patternProperties": {"^x": HOLDER}}, ["/*/pin"]),
        ({"additionalProperties": PIN}, ["/*"]),
        ({"anyOf": [HOLDER, {"type": "null"}]}, ["/pin"]),
        ({"if": HOLDER}, ["/pin"]),
        ({"properties": {"a": {"propertyNames": PIN}}}, ["/a"]),
        ({"dependentSchemas": {"x": HOLDER}}, ["/pin"]),
        ({"dependencies": {"x": HOLDER, "y": ["x"]}}, ["/pin"]),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": HOLDER}}, ["/a/pin"]),
        ({"properties": {"a": {"$ref": "#/$defs/an%20a~1b"}}, "$defs": {"an a/b": HOLDER}}, ["/a/pin"]),
        ({"properties": {"a": {"$ref": "#/allOf/0"}}, "allOf": [HOLDER]}, ["/a/pin", "/pin"]),
        ({"$defs": {"Unused": HOLDER}}, []),
    ],
)
def test_every_marked_place_is_found(schema: Any, pointers: list[str]) -> None:
    assert secret_pointers(schema) == tuple(pointers)


@pytest.mark.parametrize(
    "reference",
    [{"$ref": "#pin"}, {"$ref": "other#/$defs/A"}, {"$ref": "#/$defs/Lost"}, {"$dynamicRef": "#pin"}],
)
def test_what_cannot_be_followed_is_secret_where_anything_is(reference: dict[str, str]) -> None:
    definitions = {"A": {"$anchor": "pin", "$dynamicAnchor": "pin", **PIN}, "Other": {"$id": "other", "$defs": {}}}
    assert secret_pointers({"properties": {"a": reference}, "$defs": definitions}) == ("/a",)
    assert secret_pointers({"properties": {"a": reference}}) == ()


def test_a_type_that_contains_itself_is_followed_once_and_deeper_secret_as_a_whole() -> None:
    types = {
        "Person": {"properties": {"pin": PIN, "friends": {"items": {"$ref": "#/$defs/Person"}}}},
        "Tree": {"properties": {"children": {"items": {"$ref": "#/$defs/Tree"}}}},
    }
    schema = {"properties": {"who": {"$ref": "#/$defs/Person"}, "tree": {"$ref": "#/$defs/Tree"}}, "$defs": types}
    assert secret_pointers(schema) == ("/who/friends/*", "/who/pin")


def test_a_schema_with_too_many_places_is_secret_as_a_whole() -> None:
    types: dict[str, Any] = {f"T{number}": {"properties": {}} for number in range(20)}
    for number in range(19):
        types[f"T{number}"]["properties"] = {key: {"$ref": f"#/$defs/T{number + 1}"} for key in "ab"}
    types["T19"] = HOLDER
    assert secret_pointers({"$ref": "#/$defs/T0", "$defs": types}) == ("",)
