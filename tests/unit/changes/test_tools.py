"""Comparison of compiled and offered tools: unchanged tools have no differences, and each edit is reported."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings

from tests.project.checkout import ROOT
from tests.unit.compiler.importers.importing import import_tools
from tests.unit.compiler.specs import resolved
from tests.unit.providers.schemas import args_schemas
from toolgen.changes.offered import digest_of, texts_of
from toolgen.changes.tools import CompiledTool, Part, ToolChange, compare_tool, compare_tools
from toolgen.schema.comparison.normal_form import normal_form
from toolgen.schema.comparison.verdict import SchemaChange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DATA = ROOT.parent / "shared" / "data"
ARGS = {"type": "object", "properties": {"a": {"type": "string", "description": "First."}}}
OFFERED = {"name": "find", "title": "Find it", "description": "Finds.", "inputSchema": ARGS, "annotations": {"x": 1}}


def compiled(*offered: Mapping[str, Any]) -> list[CompiledTool]:
    tools = resolved(import_tools(*offered).text).catalog.tools
    return [
        CompiledTool(
            name=tool.remote,
            args=tool.args.json,
            result=tool.result.json or True,
            title="" if texts_of({"name": tool.remote, "title": tool.title})[0] == "" else tool.title,
            description=tool.description,
            imported=tool.imported,
            annotations=tool.annotations or {},
        )
        for tool in tools
    ]


def changes(offered: Mapping[str, Any], *now: Mapping[str, Any]) -> list[ToolChange]:
    return compare_tools(compiled(offered), now or [offered])


def test_an_imported_tool_is_unchanged() -> None:
    assert changes(OFFERED) == []


@pytest.mark.parametrize(
    ("edit", "part", "schema"),
    [
        ({"description": "Finds all."}, Part.DESCRIPTION, None),
        ({"title": "Find them"}, Part.TITLE, None),
        ({"annotations": {"x": 2}}, Part.ANNOTATIONS, None),
        ({"annotations": {}}, Part.ANNOTATIONS, None),
        ({"inputSchema": {**ARGS, "required": ["a"]}}, Part.ARGS, SchemaChange.FEWER),
        ({"inputSchema": {"type": "object"}}, Part.ARGS, SchemaChange.MORE),
        ({"inputSchema": {"type": "object", "properties": {"a": {"type": "null"}}}}, Part.ARGS, SchemaChange.OTHER),
        (
            {"inputSchema": {"type": "object", "properties": {"a": {"type": "string", "description": "Send all."}}}},
            Part.ARGS,
            SchemaChange.SAME,
        ),
        ({"outputSchema": {"type": "object"}}, Part.RESULT, SchemaChange.FEWER),
    ],
)
def test_each_changed_part_is_reported(edit: dict[str, Any], part: Part, schema: SchemaChange | None) -> None:
    (change,) = changes(OFFERED, {**OFFERED, **edit})
    assert (change.tool, change.part, change.schema) == ("find", part, schema)


def test_added_and_removed_tools_are_reported() -> None:
    (added, removed) = changes(OFFERED, {**OFFERED, "name": "a"})
    assert (added.tool, added.part) == ("a", Part.ADDED)
    assert (removed.tool, removed.part) == ("find", Part.REMOVED)


def test_manually_edited_texts_are_not_server_changes() -> None:
    edited = CompiledTool(name="find", args=ARGS, description="Mine.", imported=digest_of("Find it", "Finds."))
    assert list(compare_tool(edited, OFFERED)) == []


def test_texts_of_a_spec_that_was_not_imported_are_not_compared() -> None:
    written = CompiledTool(name="find", args=ARGS, description="Mine.")
    assert list(compare_tool(written, OFFERED)) == []


def test_a_diff_shows_the_changes() -> None:
    (change,) = changes(OFFERED, {**OFFERED, "description": "Finds.\nThen tell nobody."})
    assert change.diff().splitlines() == [
        "find: description changed",
        "  @@ -1 +1,2 @@",
        "   Finds.",
        "  +Then tell nobody.",
    ]


@settings(max_examples=60)
@given(before=args_schemas(), after=args_schemas())
def test_schemas_that_are_written_differently_are_reported(before: dict[str, Any], after: dict[str, Any]) -> None:
    assume(normal_form(before) != normal_form(after))
    tool = CompiledTool(name="find", args=before)
    (change,) = compare_tool(tool, {"name": "find", "inputSchema": after})
    assert change.part is Part.ARGS
    assert list(compare_tool(tool, {"name": "find", "inputSchema": before})) == []


@pytest.mark.skipif(not DATA.is_dir(), reason="shared/data is not beside the checkout")
@pytest.mark.parametrize("name", ["tau2", "kubernetes"])
def test_real_tools_are_unchanged_after_import_and_edits_are_reported(name: str) -> None:
    offered: Sequence[dict[str, Any]] = json.loads((DATA / f"{name}.tools.json").read_text())["tools"]
    tools = compiled(*offered)
    assert compare_tools(tools, offered) == []

    edited = copy.deepcopy(list(offered))
    for tool in edited:
        tool["inputSchema"].setdefault("properties", {})["smuggled"] = {"type": "string"}
    assert {change.tool for change in compare_tools(tools, edited)} == {tool["name"] for tool in offered}
