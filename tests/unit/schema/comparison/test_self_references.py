"""Schemas that refer to themselves, beside and below each keyword: each comparison ends, and claims nothing untrue."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from tests.work import at_most_calls
from toolgen.changes.drift import CompiledTool, compare_tool
from toolgen.changes.rules import Level
from toolgen.schema.comparison.compare import Comparison, Verdict, compare
from toolgen.schema.comparison.reading import DRAFTS
from toolgen.schema.keywords import ASSERTIONS, DEFINITIONS, REFERENCES, SCHEMA, SCHEMA_LIST, SCHEMA_MAP

Schema = dict[str, Any]
LINKS: Final = ("$ref", "allOf", "anyOf", "if", "dependentSchemas", "items")
"""Keywords by which a schema may lead to itself."""

OTHERS: Final[Schema] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), 2),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), 2),
    **dict.fromkeys(("minContains", "maxContains"), 2),
    "type": ["object", "array", "string"], "enum": ["a", {}], "const": {}, "pattern": "^a", "format": "date",
    "uniqueItems": True, "required": ["a"], "dependentRequired": {"a": ["b"]},
}  # fmt: skip
KEYWORDS: Final = sorted(ASSERTIONS | (SCHEMA | SCHEMA_LIST | SCHEMA_MAP) - {*DEFINITIONS} - {*REFERENCES})
KINDS: Final = [f"https://json-schema.org/draft/{draft}/schema" for draft in DRAFTS[3:]] + [
    f"http://json-schema.org/{draft}/schema#" for draft in DRAFTS[:3]
]


def value_of(keyword: str, schema: Schema) -> Any:
    """Return a value of a keyword, with a schema where it can have one."""
    if keyword in REFERENCES:
        return "#"
    if keyword in SCHEMA_MAP:
        return {"a": schema}
    if keyword in SCHEMA_LIST and keyword != "items":
        return [schema, {"type": "string"}]
    return schema if keyword in SCHEMA or keyword == "items" else OTHERS[keyword]


def compared(kind: str, itself: Schema, beside: Schema) -> tuple[Comparison, Comparison]:
    """Compare a schema that refers to itself with another one, and with one that differs in what it has beside that."""
    after: Schema = {
        "$schema": kind,
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/A"}},
        "$defs": {"A": itself},
    }
    plain: Schema = {**after, "$defs": {"A": beside}}
    return compare({"$schema": kind, "type": "object"}, after), compare(plain, after)


@pytest.mark.parametrize("keyword", KEYWORDS)
@pytest.mark.variants(12)
def test_a_comparison_ends_with_a_schema_that_refers_to_itself_beside_a_keyword(keyword: str) -> None:
    back: Schema = {"$ref": "#/$defs/A"}
    for kind, link in product(KINDS, LINKS):
        for inner in (back, {"type": "string"}):
            beside = {keyword: value_of(keyword, inner)}
            itself = {link: value_of(link, back) if link != "$ref" else back["$ref"], **beside}
            for found in compared(kind, itself, beside):
                assert isinstance(found, Comparison)


@pytest.mark.parametrize("keyword", ["unevaluatedProperties", "unevaluatedItems"])
@pytest.mark.parametrize("link", ["$ref", "allOf", "anyOf"])
def test_a_chain_and_a_fan_of_definitions_take_bounded_work(keyword: str, link: str) -> None:
    """Each level led to the levels below it again."""

    def to(number: int) -> Schema:
        target = {"$ref": f"#/$defs/d{number}"}
        return target if link == "$ref" else {link: [target, target]}

    definitions: Schema = {f"d{number}": {**to(number + 1), keyword: False} for number in range(1_000)}
    before: Schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d1000": {"type": "object"}}}
    after: Schema = {**before, "$defs": {**before["$defs"], "d1000": {"type": "array"}}}
    with at_most_calls(4_000_000):
        assert compare(before, after).lost.verdict is not Verdict.NONE


@pytest.mark.parametrize(
    ("keyword", "inner"),
    [("unevaluatedProperties", {"properties": {"a": {}}}), ("unevaluatedItems", {"prefixItems": [{}]})],
)
def test_nothing_is_unevaluated_beside_what_evaluates_the_rest(keyword: str, inner: Schema) -> None:
    before: Schema = {"allOf": [{**inner, keyword: {"type": "string"}}]}
    found = compare(before, {**before, keyword: False})
    assert (found.lost.verdict, found.gained.verdict) == (Verdict.NONE, Verdict.NONE)


def test_a_server_that_sends_one_has_changed_the_tool() -> None:
    tool = CompiledTool(name="t", args={"type": "object", "properties": {"a": {"type": "string"}}})
    for keyword, link in product(("unevaluatedProperties", "unevaluatedItems"), ("anyOf", "allOf", "oneOf")):
        itself = {link: [{"$ref": "#/$defs/A"}, {"type": "string"}], keyword: False}
        args = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": itself}}
        assert Level.BREAKING in {each.level for each in compare_tool(tool, {"name": "t", "inputSchema": args})}
