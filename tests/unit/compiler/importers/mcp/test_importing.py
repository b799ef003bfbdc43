"""Importing from MCP: the content of the spec, and diagnostics for tools that cannot be imported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.compiler.importers.importing import import_text, import_tools, tool, without_fingerprints
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.source.nodes import Source

ANSWER = """\
{
  "tools": [
    {
      "name": "search.issues",
      "title": "Find issues",
      "description": "Search issues.\\nAll words must occur.",
      "inputSchema": {
        "properties": {"query": {"type": "string"}, "state": {"enum": ["open", "closed"], "default": "open"}},
        "required": ["query"],
        "type": "object"
      },
      "outputSchema": {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object"}}}},
      "annotations": {"readOnlyHint": true, "openWorldHint": true}
    },
    {
      "name": "delete_issue",
      "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}, " id ": {"type": "string"}}},
      "annotations": {"title": "Delete an issue", "destructiveHint": true, "openWorldHint": true}
    }
  ]
}
"""
SPEC = """\
# Written by `toolgen import mcp`. Review permissions and tags: the server only hinted at them.
toolgen: 1
toolset: mcp.shop
kind: mcp
defaults: {tags: [network]}

tools:
  delete_issue:
    imported: 9ZR2kjCzzbK6NV5QZhgCzA.pgjVvsKVfLd6KlPXkR4mEQ
    title: Delete an issue
    description: Delete an issue. The server does not describe it.
    tags: [dangerous]
    annotations: {destructiveHint: true, openWorldHint: true}
    args:
      type: object
      properties:
        id: {type: integer}
        " id ": {type: string}
    rename: {" id ": id_0b188b}

  search_issues:
    remote: search.issues
    imported: NBXdtDz86bwPWmCiNC8GZQ.Ay_7wD0lHvlSnO4R9K4azw
    title: Find issues
    description: |-
      Search issues.
      All words must occur.
    permission: readonly
    annotations: {readOnlyHint: true, openWorldHint: true}
    args:
      type: object
      required: [query]
      properties:
        query: {type: string}
        state: {enum: [open, closed], default: open}
    result:
      type: object
      properties: {items: {type: array, items: {type: object}}}
"""


def test_reg_04_a_spec_from_the_answer_of_a_server() -> None:
    imported = import_text(ANSWER)

    assert imported.messages == []
    assert without_fingerprints(imported.text) == SPEC
    assert imported.outcome is not None
    assert imported.outcome.update.added == ("delete_issue", "search_issues")
    search = imported.resolved()["search_issues"]
    assert (search.ident, search.remote, search.permission) == ("mcp.shop.search_issues", "search.issues", "readonly")
    assert search.tags == ("mcp", "network", "readonly")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tools: tools,
        lambda tools: {"tools": tools},
        lambda tools: {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
    ],
)
def test_a_list_a_result_and_a_response_are_all_read(wrap: Any) -> None:
    imported = import_text(json.dumps(wrap([tool("look")])))

    assert imported.messages == []
    assert list(imported.tools) == ["look"]


def test_the_order_in_which_a_server_lists_its_tools_does_not_matter() -> None:
    tools = [tool("b.c"), tool("a"), tool("b c"), tool("b_c")]
    assert import_tools(*tools).text == import_tools(*reversed(tools)).text


def test_one_page_of_several_is_noted() -> None:
    imported = import_text(json.dumps({"tools": [tool("look")], "nextCursor": "p2"}, indent=1))

    assert imported.messages == ["TG802 answer.json:9:2 the list is incomplete: the server has more tools"]
    assert list(imported.tools) == ["look"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "TG801 answer.json:1:1 this is not a list of tools"),
        ('{"error": {"code": -32601}}', "TG801 answer.json:1:1 this is not a list of tools"),
        ('{"tools": []}', "TG801 answer.json:1:11 the list of tools is empty, so there is no spec to write"),
        ('{"tools": [', "TG003 answer.json:1:11 this `[` is never closed"),
        ('{"tools": [{"name": "look"}], "tools": 1}', "TG004 answer.json:1:31 duplicate key `tools`"),
    ],
)
def test_an_answer_without_a_tool_list_gives_no_spec(text: str, message: str) -> None:
    imported = import_text(text)

    assert imported.outcome is None
    assert imported.messages == [message]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (
            '{"name": "bad", "inputSchema": ^{"city": {"type": "string"}, "required": ["city"]}}',
            "`inputSchema` does not describe an object: `city` at its root should be under `properties`",
        ),
        (
            '{"name": "bad", "inputSchema": ^{"type": "string"}}',
            "args must be an object, but this schema describes something else",
        ),
        ('{"name": "bad", "inputSchema": ^["a"]}', "`inputSchema` is not a JSON Schema, which is an object"),
        ('{"name": "bad", "outputSchema": ^"object"}', "`outputSchema` is not a JSON Schema, which is an object"),
        ('{"name": "bad", "inputSchema": {"properties": {"a": {"type": ^"strin"}}}}', "`strin` is not a JSON type"),
        (
            '{"name": "bad", "inputSchema": {"properties": {"a": {"pattern": ^"["}}}}',
            "no engine supports the pattern '['",
        ),
        (
            '{"name": "bad", "outputSchema": {"properties": {"a": {"$ref": ^"#/$defs/A"}}}}',
            "a reference has no target: Pointer '/$defs/A' does not exist",
        ),
        (
            '{"name": "bad", "inputSchema": {"$schema": ^"http://json-schema.org/draft-03/schema#"}}',
            "`http://json-schema.org/draft-03/schema#` is not a draft that toolgen supports",
        ),
        (
            '{"name": "bad", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": ^"strin"}}',
            "`strin` is not a JSON type",
        ),
        ('{"name": "bad", "inputSchema": {"type": "object", ^"type": "object"}}', "duplicate key `type`"),
    ],
)
def test_a_broken_tool_is_left_out_with_a_location_and_a_reason(broken: str, reason: str) -> None:
    imported = import_text(f'[{{"name": "good", "description": "Good."}},\n{broken.replace("^", "")}]')

    assert imported.outcome is not None
    assert imported.outcome.left_out == ("bad",)
    assert list(imported.resolved()) == ["good"]
    [message] = imported.messages
    assert message.startswith(f"TG805 answer.json:2:{broken.index('^') + 1} `bad` is skipped: ")
    assert message.endswith(reason)


def test_all_problems_of_a_tool_are_one_message() -> None:
    imported = import_tools(tool("good"), tool("bad", {"properties": {"a": {"type": 1}, "b": {"type": 2}}}))

    assert [message.partition(" ")[0] for message in imported.messages] == ["TG805"]


@pytest.mark.parametrize("entry", [5, {}, {"name": ""}, {"name": 5}, {"description": "Nameless."}])
def test_an_entry_without_a_name_is_left_out(entry: Any) -> None:
    imported = import_tools(tool("look"), entry)

    assert list(imported.tools) == ["look"]
    assert [message.split(" ", 2)[::2] for message in imported.messages] == [
        ["TG803", "this entry is not a tool: a tool is an object with a `name`"]
    ]


def test_of_two_tools_with_the_same_name_the_first_is_imported() -> None:
    imported = import_tools(tool("look", description="First."), tool("look", description="Second."))

    assert imported.tools["look"]["description"] == "First."
    assert [message.split(" ", 2)[::2] for message in imported.messages] == [
        ["TG804", "`look` occurs twice, and the second is skipped"]
    ]


def test_a_misspelt_schema_is_reported() -> None:
    imported = import_tools({"name": "look", "input_schema": {"type": "object"}})

    assert [message.split(" ", 2)[::2] for message in imported.messages] == [
        ["TG806", "MCP has no `input_schema`, so it is ignored"]
    ]


def test_there_is_no_spec_if_no_tool_is_left() -> None:
    imported = import_tools(tool("bad", {"type": "string"}))

    assert imported.outcome is None
    assert len(imported.messages) == 1


@pytest.mark.parametrize(
    ("annotations", "written"),
    [
        ({}, {}),
        ({"readOnlyHint": True}, {"permission": "readonly"}),
        ({"readOnlyHint": False}, {}),
        ({"readOnlyHint": "yes"}, {}),
        ({"destructiveHint": True}, {"tags": ["dangerous"]}),
        ({"readOnlyHint": True, "destructiveHint": True}, {"permission": "readonly"}),
        ({"openWorldHint": True, "destructiveHint": True}, {"tags": ["dangerous", "network"]}),
        ({"openWorldHint": False}, {}),
        (None, {}),
        ([], {}),
    ],
)
def test_only_explicit_annotations_of_a_server_are_written(annotations: Any, written: dict[str, Any]) -> None:
    look = import_tools(tool("look", annotations=annotations), tool("see")).tools["look"]
    assert {key: value for key, value in look.items() if key in ("permission", "tags")} == written


@pytest.mark.parametrize(
    ("given", "title", "description"),
    [
        ({"description": "Looks."}, None, "Looks."),
        ({"title": "Look"}, None, "Look. The server does not describe it."),
        ({"title": "Look around."}, "Look around.", "Look around. The server does not describe it."),
        ({"description": " ", "annotations": {"title": "Seek"}}, "Seek", "Seek. The server does not describe it."),
        ({"description": "Looks.", "title": "A", "annotations": {"title": "B"}}, "A", "Looks."),
        ({"description": 5, "title": 5}, None, "Look. The server does not describe it."),
        ({"description": "{{args.x}} # ${X}"}, None, "{{args.x}} # ${X}"),
    ],
)
def test_titles_and_descriptions(given: dict[str, Any], title: str | None, description: str) -> None:
    look = import_tools({"name": "look", **given}).tools["look"]
    assert (look.get("title"), look["description"]) == (title, description)


def test_fields_that_clash_in_python_are_renamed() -> None:
    args = {
        "type": "object",
        "properties": {"a-b": {"type": "object", "properties": {"x": {}, " x": {}}}, "a_b": {}, "a b": {}},
    }
    imported = import_tools(tool("look", args, outputSchema=args))

    rename = imported.tools["look"]["rename"]
    assert rename.keys() == {"a-b", "a b", " x"}
    assert rename["a-b"].startswith("a_b_")
    assert imported.resolved()["look"].remote == "look"


def test_oddities_in_schemas_are_only_counted() -> None:
    args = {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": "x", "minmum": 1}, "b": {"titel": "B"}},
    }
    imported = import_tools(tool("look", args))

    assert imported.messages == []
    assert imported.outcome is not None
    assert imported.outcome.warnings == {"TG203": 2, "TG208": 1}


def test_a_tool_that_is_valid_in_another_draft_is_reported_with_it() -> None:
    sink = Diagnostics()
    args = {"type": "object", "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": True}}}
    answer = json.dumps([tool("good"), tool("old", args), tool("bad", {"type": "string"})])
    import_mcp(Source("answer.json", answer), "specs/shop.yaml", "mcp.shop", sink, dialect=None, profile="full")

    assert [(found.message, found.fix) for found in sink] == [
        (
            "`old` is skipped: `exclusiveMinimum` must be a number, but is true",
            "import with `--dialect draft-04`: under that draft the tool is valid",
        ),
        ("`bad` is skipped: args must be an object, but this schema describes something else", ""),
    ]


def test_the_default_title_is_the_source_name_without_a_hash() -> None:
    tools = import_tools(tool("get_user"), tool("get.user"), tool("get user", title="Get user")).resolved()
    assert {found.title for found in tools.values()} == {"Get user"}


def test_tools_outside_the_profile_of_the_target_are_left_out() -> None:
    union = {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}
    imported = import_text(json.dumps([tool("plain"), tool("union", union)]), profile="core")

    assert list(imported.tools) == ["plain"]
    assert imported.outcome is not None
    assert imported.outcome.left_out == ("union",)


@pytest.mark.parametrize(
    "text", ['"""', "\\", "a\nb", "{{ x }}", "{% y %}", "#", "\0", "\u202e", "\u200b", "a\u2028b", "x" * 10_000]
)
def test_hostile_text_reads_back_as_it_was(text: str) -> None:
    args = {
        "type": "object",
        "title": text,
        "description": text,
        "properties": {text: {"const": text, "default": text}},
    }
    imported = import_tools(tool(text, args, title=f"The {text}", description=text))

    [look] = imported.tools.values()
    assert (look["remote"], look["title"], look["description"], look["args"]) == (text, f"The {text}", text, args)
    assert len(imported.resolved()) == 1


def test_an_import_of_more_tools_than_are_read_is_refused() -> None:
    made = import_tools(*({"name": f"t{number}", "inputSchema": {"type": "object"}} for number in range(5_001)))
    assert [problem for problem in made.messages if "5,001 tools, and an import takes at most 5,000" in problem]
    assert made.outcome is None
