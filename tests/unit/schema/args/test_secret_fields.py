"""Secrets: every marked place of a value is found, and uncertain places count as secret."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.schema.args import secret_pointers

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
def test_unresolvable_references_are_secret_if_the_schema_has_secrets(reference: dict[str, str]) -> None:
    definitions = {"A": {"$anchor": "pin", "$dynamicAnchor": "pin", **PIN}, "Other": {"$id": "other", "$defs": {}}}
    assert secret_pointers({"properties": {"a": reference}, "$defs": definitions}) == ("/a",)
    assert secret_pointers({"properties": {"a": reference}}) == ()


def test_a_recursive_type_is_followed_once_and_deeper_levels_are_secret() -> None:
    types = {
        "Person": {"properties": {"pin": PIN, "friends": {"items": {"$ref": "#/$defs/Person"}}}},
        "Tree": {"properties": {"children": {"items": {"$ref": "#/$defs/Tree"}}}},
    }
    schema = {"properties": {"who": {"$ref": "#/$defs/Person"}, "tree": {"$ref": "#/$defs/Tree"}}, "$defs": types}
    assert secret_pointers(schema) == ("/who/friends/*", "/who/pin")


def test_a_schema_with_too_many_places_is_completely_secret() -> None:
    types: dict[str, Any] = {f"T{number}": {"properties": {}} for number in range(20)}
    for number in range(19):
        types[f"T{number}"]["properties"] = {key: {"$ref": f"#/$defs/T{number + 1}"} for key in "ab"}
    types["T19"] = HOLDER
    assert secret_pointers({"$ref": "#/$defs/T0", "$defs": types}) == ("",)
