"""Tables of fields: types, bounds, nesting, recursion, and a size that is linear in that of the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from tests.hostile.building import compiled
from tests.properties.schemas import toolsets
from tests.unit.authoring.site.html_page import broken_links
from toolgen.authoring.site.build import site_files
from toolgen.authoring.site.contents import Part
from toolgen.pages.fields import bounds_of, side_of

if TYPE_CHECKING:
    from tests.properties.schemas import Toolset
    from toolgen.pages.fields import Row, Side, TypeParts


def words(parts: TypeParts) -> str:
    return "".join(text for text, _ in parts)


def rows(side: Side, table: int = 0) -> list[tuple[int, str, str]]:
    return [(row.depth, row.name, words(row.type)) for row in side.tables[table].rows]


def field(schema: Any) -> Row:
    (row,) = side_of({"type": "object", "properties": {"x": schema}}, "args").tables[0].rows
    return row


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": "array", "items": {"type": "integer"}}, "array of integer"),
        ({"type": "array"}, "array"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "map of number"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}, "string or integer or null"),
        ({"enum": ["a", "b", 1]}, "string or integer"),
        ({"const": True}, "boolean"),
        ({}, "any"),
        (True, "any"),
        (False, "nothing"),
        ({"allOf": [{"type": "string"}]}, "string"),
        ({"$ref": "#/nowhere"}, "any"),
        ({"$ref": "https://example.com/x"}, "any"),
    ],
)
def test_types_are_in_words(schema: Any, expected: str) -> None:
    assert words(field(schema).type) == expected


@pytest.mark.parametrize(("levels", "expected"), [(8, "string"), (9, "any")])
def test_types_are_followed_through_eight_levels(levels: int, expected: str) -> None:
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"anyOf": [schema]}
    assert words(field(schema).type) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"minimum": 1, "exclusiveMaximum": 5}, ["≥ 1", "< 5"]),
        ({"multipleOf": 0.5}, ["multiple of 0.5"]),
        ({"minLength": 1}, ["at least 1 character"]),
        ({"minLength": 2, "maxLength": 2}, ["2 characters"]),
        ({"minItems": 1, "maxItems": 9, "uniqueItems": True}, ["1 to 9 items", "no duplicates"]),
        ({"maxProperties": 3}, ["at most 3 fields"]),
        ({"pattern": "^a", "format": "date"}, ["pattern ^a", "format date"]),
        ({"items": {"minimum": 0}}, ["each: ≥ 0"]),
        ({"anyOf": [{"maximum": 3}, {"type": "null"}]}, ["≤ 3"]),
        ({"minLength": 0, "minimum": "x", "pattern": 3}, []),
    ],
)
def test_bounds_are_short(schema: Any, expected: list[str]) -> None:
    assert [" ".join(filter(None, bound)) for bound in bounds_of(schema)] == expected


def test_a_row_has_all_of_its_field() -> None:
    row = field({"type": "string", "enum": ["a", "b"], "default": "a", "description": "What.", "writeOnly": True})
    assert (row.required, row.default, row.values, row.description) == (False, '"a"', ('"a"', '"b"'), "What.")
    assert row.flags == ("secret",)
    side = side_of({"properties": {"x": {"default": None}}, "required": ["x", "y"]}, "args", ["x"])
    assert [(row.name, row.required, row.default) for row in side.tables[0].rows] == [
        ("x", True, "null"),
        ("y", True, None),
    ]
    assert side.tables[0].rows[0].flags == ("injected by the host",)


def test_small_objects_are_rows_below_their_field_and_large_ones_have_a_table() -> None:
    small = {"type": "array", "items": {"properties": {"b": {"properties": {"c": {}}}}}}
    large: dict[str, Any] = {"properties": {f"f{number}": {} for number in range(13)}}
    side = side_of({"properties": {"a": small, "big": large}}, "args")
    assert rows(side) == [(0, "a", "array of object"), (1, "b", "object"), (2, "c", "any"), (0, "big", "object")]
    assert side.tables[1].title == "big"
    assert len(side.tables[1].rows) == 13
    assert not side.tables[1].is_open
    assert side.tables[0].rows[3].type == (("object", side.tables[1].anchor),)


def test_recursion_ends_in_a_link() -> None:
    node = {"properties": {"next": {"$ref": "#/$defs/Node"}, "all": {"type": "array", "items": {"$ref": "#"}}}}
    side = side_of({"properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}, "args")
    assert [table.title for table in side.tables] == ["", "Node"]
    assert rows(side, 1) == [(0, "next", "Node"), (0, "all", "array of the whole object")]
    assert side.tables[1].rows[0].type == (("Node", side.tables[1].anchor),)
    assert side.tables[1].rows[1].type[1][1] == "args"
    outer = side_of({"$ref": "#/$defs/Node", "$defs": {"Node": node}}, "args")
    assert [table.title for table in outer.tables] == [""]


@pytest.mark.parametrize(
    "schema", [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}]}, {"items": {"$ref": "#"}, "type": "array"}]
)
def test_a_schema_that_is_only_itself_ends(schema: Any) -> None:
    assert side_of(schema, "result").tables == ()


def test_all_of_is_merged_and_alternatives_are_linked() -> None:
    side = side_of(
        {
            "allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"$ref": "#/$defs/B"}],
            "oneOf": [{"$ref": "#/$defs/C"}, {"required": ["a"]}, {"properties": {"d": {}}}],
            "$defs": {"B": {"properties": {"b": {}}}, "C": {"properties": {"c": {}}}},
        },
        "args",
    )
    assert [row.name for row in side.tables[0].rows] == ["a", "b"]
    assert [table.title for table in side.tables[1:]] == ["C", "alternative"]
    assert words(side.tables[0].notes[0]) == "It also fits exactly one of: C, object"


def test_only_required_fields_are_shown_as_required() -> None:
    schema = {
        "properties": {"a": {}, "b": {}},
        "patternProperties": {"^x-": {"type": "string"}},
        "required": ["b", "c"],
    }
    (table,) = side_of(schema, "args").tables
    assert [(row.name, row.required) for row in table.rows] == [
        ("a", False),
        ("b", True),
        ("/^x-/", False),
        ("c", True),
    ]


def test_what_is_not_an_object_has_a_type_and_bounds() -> None:
    side = side_of(
        {"type": "array", "maxItems": 3, "items": {"properties": {"a": {}}}, "description": "All."}, "result"
    )
    assert words(side.type) == "array of object"
    assert side.bounds == (("at most 3 items", ""),)
    assert side.description == "All."
    assert [row.name for row in side.tables[0].rows] == ["a"]


def test_the_size_of_tables_is_linear() -> None:
    """Each type refers to the next one twice: inline there would be 2 ** 60 rows."""
    definitions = {
        f"T{number}": {"properties": {side: {"$ref": f"#/$defs/T{number + 1}"} for side in "ab"}}
        for number in range(60)
    }
    unions = {
        f"U{number}": {"anyOf": [{"$ref": f"#/$defs/U{number + 1}"}, {"items": {"$ref": f"#/$defs/U{number + 1}"}}]}
        for number in range(60)
    }
    side = side_of({"properties": {"t": {"$ref": "#/$defs/T0"}}, "$defs": definitions}, "args")
    assert sum(len(table.rows) for table in side.tables) < 130
    side = side_of({"properties": {"u": {"$ref": "#/$defs/U0"}}, "$defs": unions}, "args")
    assert sum(len(row.type) for table in side.tables for row in table.rows) < 2_000


@settings(max_examples=settings().max_examples // 2)
@given(toolsets(tools=2))
def test_every_schema_has_tables_whose_links_resolve(drawn: Toolset) -> None:
    found = compiled({"a.json": drawn.spec()})
    if found.errors:
        return
    files = dict(site_files([Part("generated", found.catalog)]))
    assert [*broken_links(files)] == []


@pytest.mark.long
@settings(max_examples=300)
@given(toolsets())
def test_many_schemas_have_tables_whose_links_resolve(drawn: Toolset) -> None:
    for each in drawn.sides:
        side = side_of(drawn.document(each.schema), "args")
        anchors = [table.anchor for table in side.tables]
        rows = [row for table in side.tables for row in table.rows]
        assert len(anchors) == len({*anchors})
        assert {anchor for row in rows for _, anchor in row.type if anchor} <= {*anchors}
