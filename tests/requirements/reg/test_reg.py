"""Requirements of the tool registry that the compiler meets."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.compiler.specs import raw, resolved, toolset
from toolgen.providers.table import PROVIDERS, provider
from toolgen.spec.wire_names import fits, wire_name, wire_table

IDENT = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*\.[A-Za-z_][A-Za-z0-9_-]*")
ADVERSARIAL = st.text(alphabet="ab_.", min_size=1, max_size=6) | st.text(max_size=80)
"""Idents that become equal if characters are replaced, and any others."""


def test_reg_04_an_ident_is_the_toolset_a_dot_and_the_key() -> None:
    specs = [
        toolset({"read_file": {}}, name="code"),
        toolset({"create-issue": {}}, name="mcp.git-hub", kind="mcp"),
        toolset({"create_sub_agent": {}}, name="agent"),
        toolset({"load_skill": {}}, name="internal"),
    ]
    idents = list(resolved(*specs).tools)
    assert idents == ["agent.create_sub_agent", "code.read_file", "internal.load_skill", "mcp.git-hub.create-issue"]
    assert all(IDENT.fullmatch(ident) for ident in idents)


@pytest.mark.parametrize("key", ["read file", "read.file", "2nd", "größe", ""])
def test_reg_04_a_key_that_makes_an_invalid_ident_is_a_compile_error(key: str) -> None:
    assert resolved(toolset({key: {}})).codes == ["TG105"]


@pytest.mark.parametrize("name", PROVIDERS)
@given(st.sets(ADVERSARIAL, max_size=20))
@example({"x.y__z", "x__y.z", "x.y.z", "x__y__z", "x.y_z", "x_y.z", "x.y._z", "x.y_.z"})
@example({"a" * 64, "a" * 65, "a" * 66, "a." + "b" * 70, "a." + "b" * 71})
def test_reg_06_wire_names_map_back_to_their_idents(name: str, idents: set[str]) -> None:
    grammar = provider(name).grammar
    names = {ident: wire_name(ident, grammar) for ident in idents}
    assert all(fits(name, grammar) for name in names.values())
    table = wire_table(names.items())
    assert {table[names[ident]] for ident in idents} == idents
    assert len(table) == len(idents)


def test_reg_06_a_plain_ident_is_readable_in_its_wire_name() -> None:
    assert wire_name("internal.load_skill") == "internal__load_skill"
    assert wire_name("mcp.git-hub.create_issue") == "mcp__git-hub__create_issue"


def test_reg_06_a_collision_is_a_compile_error() -> None:
    found = resolved(
        toolset({"a": {"wire_name": "same"}, "b": {"wire_name": "same"}, "c": {"wire_name": "shop__d"}, "d": {}})
    )
    assert [message.partition(" `")[2] for message in found.messages] == [
        "shop.b` and `shop.a` have the same wire name `same`",
        "shop.d` and `shop.c` have the same wire name `shop__d`",
    ]


ALLOWED: dict[str, Any] = {
    "type": "object",
    "description": "Everything that the subset has.",
    "properties": {
        "text": {"type": "string", "minLength": 1, "enum": ["a", "b"], "default": "a"},
        "count": {"type": "integer", "minimum": 0, "exclusiveMaximum": 10},
        "ratio": {"type": "number", "multipleOf": 0.5},
        "flag": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}, "maxItems": 3},
        "named": {"$ref": "#/types/Point"},
    },
    "required": ["text"],
    "additionalProperties": False,
}


def test_reg_13_the_core_profile_is_accepted() -> None:
    types = {"Point": {"x": "number", "inner": {"y": "string"}}}
    assert resolved(toolset({"add": {"args": ALLOWED}}, types=types), profile="core").messages == []


@pytest.mark.parametrize(
    ("keyword", "schema"),
    [
        ("oneOf", {"oneOf": [{"type": "string"}]}),
        ("anyOf", {"anyOf": [{"type": "string"}]}),
        ("allOf", {"allOf": [{"type": "string"}]}),
        ("if", {"type": "string", "if": {"minLength": 1}}),
        ("then", {"type": "string", "then": {"minLength": 1}}),
        ("else", {"type": "string", "else": {"minLength": 1}}),
        ("patternProperties", {"type": "object", "patternProperties": {"^x": {"type": "string"}}}),
        ("$ref", {"$ref": "#/properties/a"}),
    ],
)
@pytest.mark.parametrize("profile", ["core", "full"])
def test_reg_14_keywords_outside_the_core_profile_are_reported_with_their_path(
    keyword: str, schema: Any, profile: str
) -> None:
    args = {"type": "object", "properties": {"a": {"type": "array", "items": raw(schema)}}}
    found = resolved(toolset({"add": {"args": args}}), profile=profile)
    outside = f"`{keyword}` at `$.properties.a.items` is outside profile `core`"
    assert [message.split(" ", 2)[2] for message in found.messages] == ([outside] if profile == "core" else [])
