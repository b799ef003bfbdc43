"""Requirements of the universal action catalog: how an action becomes a call of its target."""

from __future__ import annotations

import ast
import builtins
import inspect
import io
import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from generated.catalogs import universal
from specs.examples.router.app import Router
from tests.project.checkout import ROOT
from tests.project.examples.entries import EVERY_ENTRY, TARGET_CALLS
from tests.requirements.uac.universal import Universal
from tests.unit.compiler.specs import resolved, toolset
from toolgen.contract.actions import ActionRule, ArgsNotMapped, ResolvedAction, UnknownActionError
from toolgen.llm.actions.listing import ARGS_HINT
from toolgen.llm.tool_use import RunOps
from toolgen.runtime import Runtime, load
from toolgen.runtime.calls.result import PROPOSED
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest
from toolgen.toolsets.actions import ActionTools

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Universal:
    return Universal(tmp_path)


def resolve(name: str, args: dict[str, Any]) -> ResolvedAction:
    return universal.TABLES.resolve(name, args)


def test_uac_09_tool_ids_begin_with_the_name_of_their_server(world: Universal) -> None:
    tools = json.loads(world.invoke_well("mcp__list_tools", {"server": "time"}))
    ids = [tool["id"] for tool in tools]
    assert "time__get_current_time" in ids
    assert all(each.startswith("time__") and each != "time__" for each in ids)
    others = json.loads(world.invoke_well("mcp__list_tools", {"server": "units"}))
    assert others
    assert not {tool["id"] for tool in others} & set(ids)


@pytest.mark.parametrize(
    ("tool", "server", "name"), [("srv__a__b", "srv", "a__b"), ("time__get_current_time", "time", "get_current_time")]
)
def test_uac_10_a_tool_id_is_split_at_the_first_separator(tool: str, server: str, name: str) -> None:
    assert resolve("mcp__call_tool", {"tool": tool, "tool_args": {"x": 1}}) == ResolvedAction(
        "mcp_admin.call_mcp_tool", {"server": server, "tool": name, "args": {"x": 1}}
    )


@pytest.mark.parametrize("tool", ["nosep", "__t", "s__", "", 7, None])
def test_uac_10_a_tool_id_without_both_parts_calls_nothing(world: Universal, tool: Any) -> None:
    given: tuple[dict[str, Any], ...] = ({"tool": tool, "tool_args": {}}, {"tool_args": {}})
    for args in given:
        answer = world.invoke("mcp__call_tool", args)
        assert answer.is_error
        assert json.loads(answer.text) == {
            "error": "Invalid args of 'mcp__call_tool'",
            "reason": "`tool` must be text of the form `<server>__<tool>`",
            "suggestions": [],
            "hint": ARGS_HINT,
        }
    assert [(event.kind, event.tool) for event in world.record()] == [("tool_failed", "mcp_admin.call_mcp_tool")] * 2


def test_uac_10_the_tool_of_a_server_is_called(world: Universal) -> None:
    answer = world.invoke("mcp__call_tool", {"tool": "time__get_current_time", "tool_args": {"timezone": "UTC"}})
    assert not answer.is_error, answer.text
    assert world.calls() == ["mcp_admin.call_mcp_tool"]


def test_reg_66_issues_in_the_args_of_an_action_contain_no_secrets(world: Universal) -> None:
    args = {"tool": "time__x", "tool_args": "as hunter2hunter", "api_key": "hunter2hunter"}
    answer = world.invoke("mcp__call_tool", args)
    assert answer.is_error
    assert "- /api_key: remove `api_key`: known fields are `tool_args`, `tool` (found [redacted])" in answer.text
    assert '- /tool_args: use an object (found "as [redacted]")' in answer.text
    assert "hunter2" not in answer.text


def test_uac_13_target_tools_are_hidden_and_stay_registered(world: Universal) -> None:
    shown = [tool.name for tool in world.tool_listing.tools]
    assert shown == ["list_actions", "describe_action", "invoke_action"]
    backing = {rule.target for rule in (*universal.OPERATION_RULES.values(), *universal.RESOURCE_RULES.values())}
    assert {"router.invoke_skill", "router.delegate_to_agent", "mcp_admin.call_mcp_tool"} < backing
    assert {world.tool_use.catalog.definition(ident).name for ident in backing} == backing
    for ident in backing:  # the wrappers lead to them; a model cannot call them
        for name in (ident, world.tool_use.catalog.wire_name(ident)):
            assert world.ask(name, {}).text.startswith("unknown tool")
    assert set(world.refused()) == {(ident, "not_offered") for ident in backing}
    assert {event.kind for event in world.record()} == {"tool_denied"}


@pytest.mark.parametrize(
    ("args", "target_args"),
    [
        ({"x": 1}, {"name": "foo", "input": {"x": 1}}),
        ({"input": [1, 2]}, {"name": "foo", "input": [1, 2]}),
        ({"input": None, "x": 1}, {"name": "foo", "input": None}),
        ({"name": "other"}, {"name": "foo", "input": {"name": "other"}}),
        ({}, {"name": "foo", "input": {}}),
    ],
)
def test_uac_35_a_skill_receives_all_args_as_its_input(args: dict[str, Any], target_args: dict[str, Any]) -> None:
    assert resolve("skill__foo", args) == ResolvedAction("router.invoke_skill", target_args)


@pytest.mark.parametrize("args", [{"message": "hi"}, {"message": "hi", "to": "bob"}, {"message": "hi", "request": "x"}])
def test_uac_36_a_peer_receives_a_message(args: dict[str, Any]) -> None:
    assert resolve("agent.peer__alice", args) == ResolvedAction(
        "router.delegate_to_agent", {"to": "alice", "request": "hi"}
    )


def test_uac_37_a_memory_entry_is_read() -> None:
    assert resolve("memory_entry__tides", {"layer": "shared", "slug": "other"}) == ResolvedAction(
        "router.read_memory_body", {"slug": "tides", "layer": "shared"}
    )


def test_uac_38_a_single_corpus_is_searched() -> None:
    assert resolve("rag_corpus__meetings", {"query": "Q3 roadmap"}) == ResolvedAction(
        "router.recall", {"sources": ["meetings"], "query": "Q3 roadmap"}
    )
    args = {"query": "Q3 roadmap", "sources": ["others"], "top_k": 3}
    assert resolve("rag_corpus__meetings", args).target_args == {
        "sources": ["meetings"],
        "query": "Q3 roadmap",
        "top_k": 3,
    }


def test_uac_39_routing_has_no_side_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [*universal.OPERATION_RULES, *(f"{category}__some entry" for category in universal.RESOURCE_RULES)]

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("routing reached outside")

    for module, name in ((builtins, "open"), (io, "open"), (os, "open"), (socket, "socket")):
        monkeypatch.setattr(module, name, refuse)
    for name in ("call", "invoke", "turn", "start_run"):
        monkeypatch.setattr(Runtime, name, refuse)
    monkeypatch.setattr(builtins, "__import__", refuse)
    resolved = [universal.TABLES.resolve(name, {"tool": "a__b"}).target_tool_name for name in names]
    monkeypatch.undo()
    assert len(resolved) == len(names)
    assert set(resolved) <= set(load("generated"))


def test_uac_39_the_generated_module_imports_types_and_the_tables_only() -> None:
    imported = set[str]()
    for node in ast.walk(ast.parse(inspect.getsource(universal))):
        if isinstance(node, ast.Import):
            imported.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(f"{'.' * node.level}{node.module or ''}")
        assert not (isinstance(node, ast.Call) and ast.unparse(node.func) in ("__import__", "import_module"))
    assert imported == {"__future__", "collections.abc", "typing", "toolgen.contract"}
    code = "import sys, generated.catalogs.universal as made; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    contract = {"toolgen.contract", *(f"toolgen.contract.{name}" for name in ("actions", "ident", "lazy", "picklable"))}
    assert {name for name in loaded if name.startswith("toolgen.")} == contract
    assert not {"pydantic", "socket", "asyncio", "subprocess"} & loaded


def test_uac_40_the_tables_are_immutable() -> None:
    for name in ("CATEGORIES", "OPERATION_RULES", "RESOURCE_RULES"):
        assert universal.__annotations__[name].startswith("Final"), name
    for name in ("OPERATION_RULES", "RESOURCE_RULES"):
        assert universal.__annotations__[name] == "Final[Mapping[str, ActionRule]]"
        for key, rule in getattr(universal, name).items():
            assert isinstance(rule, ActionRule), key
            assert isinstance(rule.target, str), key
            assert callable(rule.transform), key
            with pytest.raises(AttributeError):
                setattr(rule, "target", "other")  # noqa: B010  # an assignment would not pass the type checker
    assert all(name.partition("__")[0] in universal.CATEGORIES for name in universal.OPERATION_RULES)
    assert universal.RESOURCE_RULES.keys() <= set(universal.CATEGORIES)


def test_uac_40_the_rule_of_an_entry_precedes_the_rule_of_its_category() -> None:
    assert universal.OPERATION_RULES["web__search"].target == "router.web_search"
    assert universal.RESOURCE_RULES["skill"].target == "router.invoke_skill"
    own = universal.TABLES
    both = type(own)(
        categories=own.categories,
        operations={**own.operations, "skill__special": own.operations["web__search"]},
        resources=own.resources,
    )
    assert both.resolve("skill__special", {}).target_tool_name == "router.web_search"
    assert both.resolve("skill__other", {}).target_tool_name == "router.invoke_skill"


def test_uac_41_every_rule_returns_a_frozen_action() -> None:
    names = [*universal.OPERATION_RULES, *(f"{category}__x" for category in universal.RESOURCE_RULES)]
    for name in names:
        entry = next(each for each in EVERY_ENTRY if each == name or each.startswith(name.removesuffix("x")))
        target, args = TARGET_CALLS[entry]
        given = dict(EVERY_ENTRY[entry])
        resolved = resolve(entry, given)
        assert resolved == ResolvedAction(target, args)
        assert given == EVERY_ENTRY[entry], "the args of the caller are not changed"
        for field in ("target_tool_name", "target_args"):
            with pytest.raises(AttributeError):
                setattr(resolved, field, "other")


def test_uac_42_an_unknown_action_contains_similar_names() -> None:
    with pytest.raises(UnknownActionError) as caught:
        universal.TABLES.resolve("web__serch", {})
    assert caught.value.suggestions[0] == "web__search"
    with pytest.raises(UnknownActionError) as caught:
        universal.TABLES.resolve("skil__foo", {}, names=["skill__foo"])
    assert caught.value.suggestions == ("skill__foo",)


@pytest.mark.parametrize(
    ("rule", "place", "key"),
    [
        ("actions: {add: gone_tool}", "2.yaml:5:", "gone_tool"),
        ("actions: {gone_tool: }", "2.yaml:5:", "gone_tool"),
        ("target: gone_tool", "2.yaml:5:", "gone_tool"),
        ("actions: {add: other.add}", "2.yaml:5:", "other.add"),
    ],
)
def test_uac_43_a_rule_to_an_undeclared_tool_is_a_compile_error_with_file_and_key(
    rule: str, place: str, key: str
) -> None:
    catalog = f"toolgen: 1\ncatalog: all\nfrom: shop\ncategories:\n  first: {{description: A., {rule}}}\n"
    found = resolved(toolset({"add": {}}), catalog)
    assert found.has_errors
    assert all(place in message for message in found.messages)
    assert any(key in message for message in found.messages)


def test_uac_43_every_category_with_a_rule_has_entries_in_a_complete_world(world: Universal) -> None:
    ruled = {name.partition("__")[0] for name in universal.OPERATION_RULES} | universal.RESOURCE_RULES.keys()
    assert ruled == set(universal.CATEGORIES)
    for category in universal.CATEGORIES:
        assert world.names(category=[category]), category


def test_uac_10_a_name_that_cannot_be_split_raises() -> None:
    with pytest.raises(ArgsNotMapped, match="must be text of the form"):
        resolve("mcp__call_tool", {"tool": "nosep"})


def test_uac_56_two_steps_are_enough_to_call_an_action(world: Universal) -> None:
    """A client that knows only a filtered list builds valid args."""
    item = next(item for item in world.listing(category=["web"])["items"] if "fetch" not in item["qualified_name"])
    answer = world.invoke(item["qualified_name"], args_by(item["input_schema"]))
    assert not answer.is_error, answer.text
    assert world.calls() == ["actions.list_actions", "router.web_search"]


@pytest.mark.parametrize("category", universal.CATEGORIES)
def test_uac_56_the_schema_in_a_list_is_enough_for_valid_args(world: Universal, category: str) -> None:
    items = world.listing(category=[category], limit=200)["items"]
    assert items
    for item in items:
        answer = world.invoke(item["qualified_name"], args_by(item["input_schema"]))
        assert "Invalid args" not in answer.text
        assert "invalid payload" not in answer.text
    ended = [event for event in world.record() if event.kind not in ("tool_started", "tool_progress")]
    assert [event.tool for event in ended[1:]] == [
        world.tool_use.view(world.run).rule(item["qualified_name"])[0].target for item in items
    ]
    assert "actions.describe_action" not in world.calls()
    assert not [event.tool for event in ended if event.data.get("code") == "validation_error"]


def args_by(schema: dict[str, Any]) -> dict[str, Any]:
    """Return args that a model writes from a schema alone: the required fields, each with a plain value."""
    (choice, *_) = schema.get("oneOf", [{}])
    required = [*schema.get("required", ()), *choice.get("required", ())]
    return {name: value_by(schema["properties"][name]) for name in required}


def value_by(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [value_by(schema["items"])] * schema.get("minItems", 0)
    if schema.get("type") == "object":
        return args_by(schema)
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", 1)
    return "time__now" if "__" in schema.get("description", "") else "tides"


def test_uac_63_a_command_is_a_list_of_words_without_a_shell(world: Universal) -> None:
    text = world.invoke_well("exec__run", {"argv": ["echo", "$HOME; echo two", "*"]})
    assert json.loads(text)["stdout"] == "$HOME; echo two *\n"
    assert world.invoke("exec__run", {"argv": "echo one"}).is_error


@pytest.mark.parametrize("extra", ["router.web_search", "router__web_search", "code.read_file"])
def test_uac_28_the_name_of_a_target_is_not_an_action(world: Universal, extra: str) -> None:
    answer = world.invoke(extra, {"query": "tides"})
    assert answer.is_error
    assert json.loads(answer.text)["error"] == f"Unknown action '{extra}'"
    ident = extra.replace("__", ".")
    assert world.refused() == [(ident, "not_offered")]
    assert world.calls() == [ident]


@pytest.mark.parametrize(
    ("name", "args", "expected_text"),
    [
        ("agent.peer__alice", {"message": ""}, "/message: "),
        ("agent.peer__alice", {"message": "hi", "why": 1}, "known fields are `message`"),
        ("agent.peer__alice", {}, "add the field `message` (string)"),
        ("rag_corpus__meetings", {"query": 7}, "/query: "),
        ("mcp__call_tool", {"tool": "time__now", "tool_args": 7}, "/tool_args: "),
    ],
)
def test_wrong_args_are_reported_by_the_names_that_the_caller_used(
    world: Universal, name: str, args: dict[str, Any], expected_text: str
) -> None:
    answer = world.invoke(name, args)
    assert answer.is_error
    assert expected_text in answer.text
    assert "request" not in answer.text
    assert "`to`" not in answer.text
    assert "args that fit" not in answer.text


def test_a_proposal_reaches_a_caller_only_in_the_args_that_the_caller_uses(world: Universal) -> None:
    def deny(request: PermissionRequest) -> PermissionDecision:
        args = json.loads(request.arguments)
        return PermissionDecision(decision=Decision.DENY, reason="not so", proposal=args)

    catalog = world.runtime.catalog
    executors = [*Router(world.folder / "denied").registrations, ActionTools(world.tool_use).registration()]
    runtime = Runtime(catalog, executors=executors, missing=catalog.toolsets, permission=deny)
    world.ops = RunOps(runtime, runtime.start_run())
    args = {"path": "a.txt", "content": "x"}
    mapped, same = world.invoke("agent.peer__alice", {"message": "hi"}), world.invoke("file__write", args)
    for answer in (mapped, same):
        assert answer.is_error
        assert "permission was denied: not so" in answer.text
    assert PROPOSED not in mapped.text
    assert json.loads(same.text.splitlines()[-1].removeprefix(PROPOSED)) == args
