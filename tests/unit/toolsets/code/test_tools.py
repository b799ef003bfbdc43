"""The toolset `code` in a runtime: its results for a model."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import needs_ripgrep
from toolgen.contract.records import FailureKind, ToolRequest
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.runtime.policy.policy import Policies
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World
    from toolgen.contract.records import ToolResult
    from toolgen.toolsets.generated.tools.code import Handlers


EDITS = [{"old": "one", "new": "two"}]
DIFF = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"


def invoke(world: World, tool: str, **args: Any) -> ToolResult[Any]:
    catalog = load("toolgen.toolsets.generated")
    runtime = Runtime(catalog, permission=allow_all, executors=[world.tools.registration()], missing=catalog.toolsets)
    return asyncio.run(runtime.invoke(ToolRequest(name=f"code.{tool}", payload=json.dumps(args))))


def test_the_handlers_implement_the_generated_protocol(world: World) -> None:
    handlers: Handlers = world.tools
    assert handlers is world.tools


def test_reg_37_all_six_tools_run(world: World) -> None:
    world.put("project/a.txt", "one\n")
    calls: dict[str, dict[str, Any]] = {
        "read_file": {"path": "a.txt"},
        "list_dir": {},
        "write_file": {"path": "b.txt", "content": ""},
        "edit_file": {"path": "a.txt", "edits": [{"old": "one", "new": "two"}]},
        "run_command": {"argv": ["true"]},
    }
    for tool, args in calls.items():
        assert invoke(world, tool, **args).error is None
    found = invoke(world, "search", query="two")
    assert found.error is None or found.error.code == "ripgrep_missing"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        pytest.param("read_file", {"path": "a", "max_lines": 1001}, id="reg_39_too_many_lines"),
        pytest.param("read_file", {"path": "a", "start_line": 0}, id="reg_39_no_such_line"),
        pytest.param("edit_file", {"path": "a"}, id="reg_47_neither"),
        pytest.param("edit_file", {"path": "a", "edits": EDITS, "unified_diff": DIFF}, id="reg_47_both"),
        pytest.param("edit_file", {"path": "a", "edits": [], "unified_diff": ""}, id="reg_47_both_empty"),
        pytest.param("edit_file", {"path": "a", "edits": EDITS, "dry_run": True}, id="reg_47_dry_run"),
        pytest.param("run_command", {"argv": "ls -l"}, id="reg_50_a_shell_string"),
        pytest.param("run_command", {"argv": []}, id="reg_50_nothing"),
        pytest.param("run_command", {"argv": ["ls"], "env": {"A": "1"}}, id="reg_50_env"),
    ],
)
def test_reg_39_reg_47_reg_50_args_refused_by_the_schemas(world: World, tool: str, args: dict[str, Any]) -> None:
    world.put("project/a", "one\n")
    result = invoke(world, tool, **args)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.INVALID_CALL, "validation_error")
    assert world.contents(world.project) == {str(world.project / "a"): b"one\n"}, "nothing ran"


def test_reg_42_a_missing_file_is_reported_in_the_result(world: World) -> None:
    result = invoke(world, "read_file", path="missing.txt")
    assert result.error is not None
    assert result.error.code == "file_not_found"
    assert result.content[0].data == "'missing.txt' does not exist\nlook for it with list_dir"


def test_reg_73_the_handler_refuses_ungranted_paths_even_if_everything_is_allowed(world: World) -> None:
    result = invoke(world, "write_file", path=f"{world.outside}/a.txt", content="x")
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.PERMISSION_DENIED, "outside_roots")
    assert str(world.outside) not in result.content[0].data
    assert not (world.outside / "a.txt").exists()


def test_a_policy_of_another_project_is_refused(world: World) -> None:
    with pytest.raises(ValueError, match="the path policy is for another project than"):
        CodeTools(world.project, policy=PathPolicy(world.outside))


@needs_ripgrep
def test_policies_in_force_apply_to_searches_writes_and_commands(world: World) -> None:
    policies = Policies({"p": {"sensitive": ["private"], "write_roots": ["src"], "env": ["LANG"]}})
    tools = CodeTools(world.project, environment={"LANG": "C", "HOME": "/nowhere"}).under(policies)
    for path in ("project/private/plan.txt", "project/src/plain.txt"):
        world.put(path, "a secret\n")

    matches = world.call("search", tools=tools, query="secret").matches
    assert [match.path for match in matches] == ["src/plain.txt"]
    with pytest.raises(CallFailed, match="outside"):
        world.call("write_file", tools=tools, path="other.txt", content="x")
    lines = world.call("run_command", tools=tools, argv=["/usr/bin/env"], cwd="src").stdout.splitlines()
    assert [line for line in lines if not line.startswith("TOOLGEN_")] == ["LANG=C"]


def test_without_a_policy_the_default_rules_apply(world: World) -> None:
    assert CodeTools(world.project).policy.judge("a").root == str(world.project)
    assert CodeTools(world.project).policy.judge(".env").sensitive
