"""Shared definitions: equal definitions of several schemas become one type of the spec with the same meaning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.importers.importing import import_tools, spec_file, tool
from toolgen.schema.json_values import canonical

TEXT = {"type": "string"}
ITEM = {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}
ORDER = {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/$defs/Item"}}}}
TREE = {"type": "object", "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}


def args(definitions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "$defs": definitions}


def of(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def test_equal_definitions_become_one_type_with_all_types_they_refer_to() -> None:
    definitions = {"Order": ORDER, "Item": ITEM}
    imported = import_tools(
        tool("get", args(definitions, order=of("Order"))),
        tool("put", args(definitions, order=of("Order")), outputSchema={**args(definitions, item=of("Item"))}),
        tool("name", args({"Name": TEXT}, name=of("Name"))),
    )

    order = {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/types/Item"}}}}
    assert imported.data["types"] == {"Item": ITEM, "Order": order}
    assert imported.tools["get"]["args"] == {"type": "object", "properties": {"order": {"$ref": "#/types/Order"}}}
    assert imported.tools["name"]["args"]["$defs"] == {"Name": TEXT}
    assert "\ntypes:\n  Item: {" in imported.text
    imported.resolved()


def test_a_recursive_definition_is_a_type_that_refers_to_itself() -> None:
    imported = import_tools(*(tool(name, args({"Tree": TREE}, root=of("Tree"))) for name in "ab"))

    assert list(imported.data["types"]) == ["Tree"]
    assert imported.resolved()["a"].args.json["properties"] == {"root": of("Tree")}


def test_of_different_definitions_the_most_frequent_becomes_the_type() -> None:
    other = {"type": "object", "properties": {"id": {"type": "integer"}}}
    tools = [tool(name, args({"Item": ITEM}, item=of("Item"))) for name in "abc"]
    tools += [tool(name, args({"Item": other}, item=of("Item"))) for name in "de"]

    imported = import_tools(*tools)

    assert imported.data["types"] == {"Item": ITEM}
    assert imported.tools["d"]["args"]["$defs"] == {"Item": other}
    imported.resolved()


@pytest.mark.parametrize(
    "schema",
    [
        args({"Item": ITEM}, item=of("Item"), id={"$ref": "#/$defs/Item/properties/id"}),
        args({"Item": {**ITEM, "$id": "item.json"}}, item={"$ref": "item.json"}),
        args({"Item": {**ITEM, "$anchor": "item"}}, item={"$ref": "#item"}),
        args({"item": ITEM}, item=of("item")),
        args({"AArgs": ITEM}, item=of("AArgs")),
        args({"Field": ITEM}, item=of("Field")),
        args({"Item": {"description": "What it is."}}, item=of("Item")),
        args({"Item": {"type": "object", "properties": {"x-y": TEXT, "x_y": TEXT}}}, item=of("Item")),
        args({"Item": {"type": "object", "properties": {"up": {"$ref": "#"}}}}, item=of("Item")),
        {**args({"Item": ITEM}, item={"$ref": "#/$defs/Item"}), "$schema": "https://json-schema.org/draft/2019-09/schema"},
        args({"Item": True}, item=of("Item")),
        args({"Item": of("item"), "item": ITEM}, item=of("Item")),
        args({"Item": of("Item")}, item=of("Item")),
    ],
)  # fmt: skip
def test_a_definition_whose_meaning_would_change_is_not_shared(schema: dict[str, Any]) -> None:
    imported = import_tools(tool("a", schema), tool("b", schema))

    assert "types" not in imported.data
    assert imported.tools["a"]["args"] == imported.tools["b"]["args"]
    assert imported.resolved()


def test_importing_again_leaves_the_spec_unchanged() -> None:
    tools = [tool(name, args({"Item": ITEM}, item=of("Item"))) for name in "ab"]
    first = import_tools(*tools)

    assert import_tools(*tools, spec=spec_file(first.text)).text == first.text


def test_imported_types_follow_the_source_and_manual_ones_are_kept() -> None:
    first = import_tools(*(tool(name, args({"Item": ITEM, "Name": TEXT}, item=of("Item"), name=of("Name")))
                           for name in "ab"))  # fmt: skip
    text = first.text.replace("types:\n", "types:\n  Mine: {text: string}   # ours\n")
    text = text.replace("tools:\n", "# All that there is.\ntools:\n").replace(
        "  b:\n", "  b:\n    server_data: {seen: [Name]}\n"
    )
    changed = {"type": "object", "properties": {"id": {"type": "integer"}}}

    again = import_tools(*(tool(name, args({"Item": changed}, item=of("Item"))) for name in "ab"), spec=spec_file(text))

    assert again.data["types"] == {"Mine": {"text": "string"}, "Item": changed, "Name": TEXT}
    assert "# All that there is.\ntools:\n" in again.text
    again.resolved()


def test_a_name_of_a_manual_type_is_not_reused() -> None:
    first = import_tools(tool("a"), tool("b"))
    text = first.text.replace("tools:\n", "types:\n  Item: {text: string}\n\ntools:\n")

    again = import_tools(*(tool(name, args({"Item": ITEM}, item=of("Item"))) for name in "ab"), spec=spec_file(text))

    assert again.data["types"] == {"Item": {"text": "string"}}
    assert again.tools["a"]["args"]["$defs"] == {"Item": ITEM}
    assert "  Item: {text: string}\n" in again.text


def test_definitions_that_differ_in_their_examples_are_one_type() -> None:
    shown = {**ITEM, "properties": {"id": {**TEXT, "examples": ["i-1"]}}}
    sides = args({"Item": shown}, item=of("Item")), args({"Item": ITEM}, item=of("Item"))
    imported = import_tools(tool("a", sides[0], outputSchema=sides[1]))
    assert imported.data["types"] == {"Item": shown}
    assert "$defs" not in imported.tools["a"]["args"]
    assert "$defs" not in imported.tools["a"]["result"]


def test_types_are_removed_with_the_last_tool_that_has_them() -> None:
    first = import_tools(*(tool(name, args({"Item": ITEM}, item=of("Item"))) for name in "ab"))

    again = import_tools(tool("a", args({"Item": ITEM}, item=of("Item"))), tool("b"), spec=spec_file(first.text))
    assert again.data["types"] == {"Item": ITEM}

    gone = import_tools(tool("a"), tool("b"), spec=spec_file(again.text))
    assert "types" not in gone.data


bodies = st.sampled_from([TEXT, ITEM, {"type": "integer"}])
names = st.sampled_from(["A", "B", "C"])
definitions = st.dictionaries(
    names,
    st.one_of(bodies, names.map(of), names.map(lambda name: {"type": "object", "properties": {"inner": of(name)}})),
    min_size=1,
)


@given(st.lists(definitions, min_size=2, max_size=5))
def test_every_tool_accepts_the_same_values_as_before(several: list[dict[str, Any]]) -> None:
    """The schemas of a build equal those of the source, and each type has one class."""
    schemas = [args(each, **{name: of(name) for name in each}) for each in several]
    whole = [schema for schema in schemas if {*"ABC"} & _references(schema) <= schema["$defs"].keys()]
    imported = import_tools(*(tool(f"t{index}", schema) for index, schema in enumerate(whole)))
    if imported.outcome is None:
        return
    resolved = imported.resolved()
    for index, schema in enumerate(whole):
        if f"t{index}" in resolved:
            assert canonical(resolved[f"t{index}"].args.json) == canonical(schema)


def _references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"][-1]} if "$ref" in value else set()
        return own.union(*(_references(inner) for inner in value.values()))
    return set()
