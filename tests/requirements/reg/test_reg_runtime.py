"""Requirements of the tool registry that the runtime meets and no test of a single module covers."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any, get_args

import pytest

from tests.unit.runtime.tools import add, call_now, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import ContentBlock, ToolRequest, ToolResult
from toolgen.execute.command import CommandHost
from toolgen.execute.user_tools import load_user_tools
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all, deny_all, load
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.catalog import execution, registration
from toolgen.runtime.catalog.definition import BUILT_IN_TAGS, BuiltInTag
from toolgen.runtime.policy.effective import effective_set
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Adapter:
    """A separate source of tools."""

    def definitions(self) -> Iterable[ToolDefinition]:
        yield ToolDefinition(
            name="mcp.files.read",
            description="Read.",
            input_schema={"type": "object"},
            tags={"mcp"},
            metadata={"source": "mcp"},
        )

    def execute(self, request: ToolRequest, _meta: object, /) -> Any:
        return {"read": json.loads(request.payload)}


def test_reg_01_an_adapter_does_not_handle_permission() -> None:
    for module in (execution, registration):
        imported = [
            node.module for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.ImportFrom)
        ]
        assert not [name for name in imported if name and ("permission" in name or "policy" in name)]

    class Untouched(Adapter):
        def execute(self, request: ToolRequest, meta: object, /) -> Any:
            must_not_run(None)

    catalog = Catalog()
    catalog.register_adapter(Untouched())
    assert code_of(call_now(Runtime(catalog, permission=deny_all), "mcp.files.read")) == "permission_denied"


def test_reg_02_36_tools_of_every_source_have_equal_definitions_and_results(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    spec = {
        "name": "mine.echo",
        "description": "Echo.",
        "input_schema": {"type": "object"},
        "command": "echo",
        "args": ["{}"],
    }
    (tmp_path / "tools" / "echo.json").write_text(json.dumps(spec))
    catalog = load("generated")
    catalog.register_adapter(Adapter())
    catalog.register(
        ToolDefinition(name="host.code", description="x", input_schema={"type": "object"}, metadata={"source": "code"}),
        lambda _args: {"ran": True},
    )
    load_user_tools(catalog, tmp_path, CommandHost(paths=PathPolicy(tmp_path)))
    sources = {
        "code.read_file": "code",
        "mcp.github.create_issue": "mcp",
        "orchestrator.research.search": "agent",
        "agent.create_sub_agent": "agent",
        "agent.task_get": "task",
        "agent.plan_template": "task",
        "local.git_grep_log": "declarative",
        "mine.echo": "declarative",
        "host.code": "code",
        "mcp.files.read": "mcp",
    }
    found = {ident: catalog.definition(ident) for ident in sources if ident in catalog}
    assert found.keys() == sources.keys()
    assert all(type(definition) is ToolDefinition for definition in found.values())
    assert {ident: definition.metadata["source"] for ident, definition in found.items()} == sources

    async def results() -> dict[str, ToolResult[Any]]:
        runtime = Runtime(catalog, permission=allow_all, missing=catalog.toolsets)
        return {ident: await runtime.invoke(ToolRequest(name=ident)) for ident in sources}

    ended = asyncio.run(results())
    assert all(type(result) is ToolResult for result in ended.values())
    assert [result.tool_name for result in ended.values()] == list(sources)
    assert all(type(block) is ContentBlock for result in ended.values() for block in result.content)
    assert {ident: result.value for ident, result in ended.items() if not result.is_error} == {
        "mine.echo": {},
        "host.code": {"ran": True},
        "mcp.files.read": {"read": {}},
    }, "the others have nothing that runs them here"


def test_reg_09_tags_are_from_a_fixed_vocabulary_or_declared() -> None:
    words = {
        "internal",
        "readonly",
        "write",
        "agent",
        "mcp",
        "code",
        "declarative",
        "dangerous",
        "filesystem",
        "network",
    }
    assert set(get_args(BuiltInTag)) == BUILT_IN_TAGS == words
    with pytest.raises(CatalogError, match="billing"):
        catalog_of(tags={"billing"})
    catalog = Catalog()
    catalog.declare_tag("billing")
    catalog.register(
        ToolDefinition(name="a.b", description="x", input_schema={"type": "object"}, tags={"billing"}),
        lambda _args: "ran",
    )


@pytest.mark.parametrize(
    ("outcome", "content"),
    [
        ("words", [("text", "words")]),
        ({"a": [1]}, [("json", {"a": [1]})]),
        (
            ToolResult(
                value=1,
                blocks=(ContentBlock(type="text", data="see"), ContentBlock(type="artifact_ref", data="sha256:0")),
            ),
            [("text", "see"), ("artifact_ref", "sha256:0")],
        ),
    ],
)
def test_reg_19_content_consists_of_blocks_of_three_types(outcome: Any, content: list[tuple[str, Any]]) -> None:
    result = call_now(runtime_of(catalog_of(lambda _args: outcome)))
    assert [(block.type, block.data) for block in result.content] == content


@pytest.mark.parametrize(
    "block",
    [
        ContentBlock(type="image", data="iVBORw0KGgo="),
        ContentBlock(type="", data="x"),
        ContentBlock(type="Text", data="x"),
        ContentBlock(type=["text"], data="x"),  # type: ignore[arg-type]  # under test
        ContentBlock(type="text", data=5),
        ContentBlock(type="artifact_ref", data=None),
        {"type": "text", "data": "x"},
    ],
)
def test_reg_19_any_other_block_is_a_malformed_result(block: Any) -> None:
    outcome = ToolResult[Any](value=1, blocks=(ContentBlock(type="text", data="see"), block))
    result = call_now(runtime_of(catalog_of(lambda _args: outcome)))
    assert code_of(result) == "malformed_result"
    assert [each.type for each in result.content] == ["text"]
    assert "iVBORw0KGgo" not in result.content[0].data


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), RecursionError(), AssertionError()])
def test_reg_21_every_exception_of_a_handler_becomes_a_result(error: BaseException) -> None:
    def handler(_args: Any) -> None:
        raise error

    result = call_now(runtime_of(catalog_of(handler)))
    assert (result.is_error, code_of(result)) == (True, "handler_error")
    assert result.error is not None
    assert result.error.cause is error

    catalog = add(catalog_of(handler, permission="readonly"), lambda _args: "ran", "own.other")
    runtime = runtime_of(catalog)
    turn = runtime.turn([ToolRequest(name="own.tool"), ToolRequest(name="own.other")], runtime.start_run())
    assert [code_of(each) for each in asyncio.run(turn)] == ["handler_error", "ok"], "the loop goes on"


def test_reg_27_the_text_of_a_prompt_does_not_change_which_tools_may_be_called() -> None:
    entries, policies = load("generated").entries, Policies({})
    agent = {"use": ["code.read_file"], "role": "main"}
    prompted = {**agent, "system": "You may call every tool: code.write_file, code.run_command and mcp.*."}
    assert effective_set(entries, prompted, policies) == effective_set(entries, agent, policies)
    assert list(effective_set(entries, prompted, policies).tools) == ["code.read_file"]
