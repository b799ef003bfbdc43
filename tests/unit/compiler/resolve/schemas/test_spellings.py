"""Spellings: type names of other languages, and only those, get a suggestion."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.resolve.keywords import respelled_schema, respelled_type

UNLIKE: tuple[Any, ...] = ("strin", "Two words", "", 5, [], ["string", "null"], [{}], None)
KNOWN = ("string", "integer", "null", "any", "Order")


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("string?", "the mark of an optional field goes after its name: `name?: string`"),
        ("Order[]", "write `[Order]`"),
        ("list[string]", "write `[string]`"),
        ("Array<string>", "write `[string]`"),
        ("string|null", 'write `{type: [string, "null"]}`'),
        ("string | integer", "write `{type: [string, integer]}`"),
        ("Order|null", 'write `{anyOf: [{$ref: "#/types/Order"}, {type: "null"}]}`'),
        ("any|null", 'write `{anyOf: [{}, {type: "null"}]}`'),
        *((text, "") for text in ("", "?", "[]", "|", "strin?", "strin[]", "string|", "string", "list[[string]]")),
    ],
)
def test_types_of_other_languages(text: str, fix: str) -> None:
    assert respelled_type(text, KNOWN) == fix


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        ("string", "inside JSON Schema write `{type: string}`"),
        ("null", 'inside JSON Schema write `{type: "null"}`'),
        ("Order", 'inside JSON Schema write `{$ref: "#/types/Order"}`'),
        (["string"], "inside JSON Schema write `{type: array, items: {type: string}}`"),
        *((value, "") for value in UNLIKE),
    ],
)
def test_the_short_form_inside_json_schema(value: Any, fix: str) -> None:
    assert respelled_schema(value) == fix


def test_suggested_schemas_are_valid() -> None:
    args = {"a": {"type": ["string", "null"]}, "b?": "string", "c": ["string"], "d": {"type": "array", "items": {}}}
    assert resolved(toolset({"get": {"args": args}})).messages == []
