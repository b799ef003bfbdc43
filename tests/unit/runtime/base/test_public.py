from __future__ import annotations

import json
import subprocess
import sys

import pytest

import toolgen.agents
import toolgen.engine
import toolgen.execute
import toolgen.llm
import toolgen.record
import toolgen.runtime


def test_at_most_17_names_are_public() -> None:
    names = dir(toolgen.runtime)
    assert len(names) <= 17
    assert {"Decision", "Runtime", "Session", "ToolError", "ToolRequest", "allow_all", "deny_all", "load"} <= set(names)
    assert all(getattr(toolgen.runtime, name).__doc__ for name in names)


@pytest.mark.parametrize(
    ("package", "expected"),
    [
        (toolgen.llm, {"CodeAct", "Conversation", "TagRegistry", "ToolUse", "Turn", "read_tool_use", "system_prompt"}),
        (toolgen.record, {"Artifacts", "MemoryStore", "PostgresStore", "SqliteStore"}),
        (toolgen.execute, {"CommandHost", "HandlerModules", "command", "load_user_tools", "specified_executors"}),
        (
            toolgen.agents,
            {"Calls", "Message", "ModelPlanner", "Outcome", "Planner", "executor", "planned", "run_agent"},
        ),
        (toolgen.engine, {"Engine", "EngineHost", "LocalEngine", "RunEnd", "RunRequest"}),
    ],
)
def test_each_package_exports_the_common_names(package: object, expected: set[str]) -> None:
    names = dir(package)
    assert expected <= set(names)
    assert all(getattr(package, name).__doc__ for name in names)


@pytest.mark.parametrize(
    "package", ["toolgen.agents", "toolgen.engine", "toolgen.execute", "toolgen.llm", "toolgen.record"]
)
def test_a_package_imports_its_modules_on_use(package: str) -> None:
    program = (
        f"import json, sys, {package}; print(json.dumps([name for name in sys.modules if name.startswith('toolgen')]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) == {"toolgen", "toolgen.contract", "toolgen.contract.lazy", package}
