"""Requirements of the tool registry met by the built-in toolsets: tasks, skills, memories."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime import Runtime, load
from toolgen.runtime.policy.permission import Decision
from toolgen.runtime.runs.run import Session
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import TaskGraph
from toolgen.toolsets.code import CodeTools
from toolgen.toolsets.internal import InternalTools, Skill, Skills
from toolgen.toolsets.internal.memory import Memories, MemoryWriter, NoteRefused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Run

TASK_TOOLS = {
    *("agent.task_template", "agent.task_create", "agent.task_get", "agent.task_list", "agent.task_update"),
    *("agent.task_query_steps", "agent.task_claim_step", "agent.task_update_step"),
    *("agent.task_complete", "agent.task_fail", "agent.task_cancel"),
}
CODE_TOOLS = {f"code.{name}" for name in ("read_file", "list_dir", "search", "write_file", "edit_file", "run_command")}
WORKERS_OWN = {"agent.task_get", "agent.task_query_steps", "agent.task_claim_step", "agent.task_update_step"}
CHILDREN = ["default_sub", "default_fork", "default_worker"]


class Home:
    """A home with a skill and a memory, a project, and a runtime with the agents of the coding example.

    All permission requests are denied.
    """

    def __init__(self, folder: Path, *, disabled: tuple[str, ...] = ("bot",)) -> None:
        self.memory, self.project = folder / "home" / "memory", folder / "project"
        self.project.mkdir()
        (folder / "home" / "skills" / "greeting").mkdir(parents=True)
        (folder / "home" / "skills" / "greeting" / "SKILL.md").write_text("Say hello.")
        MemoryWriter(self.memory).write("ann.md", "Ann likes tea.")
        self.context: list[Skill] = []
        self.asked: list[PermissionRequest] = []
        self.graph = TaskGraph(new_id=lambda: "t0")
        self.internal = InternalTools(
            skills=Skills(folder / "home" / "skills"),
            memory=Memories(self.memory),
            on_skill=lambda skill, _meta: self.context.append(skill),
        )
        self.catalog = load("generated")
        self.session = Session()
        self.runtime = Runtime(
            self.catalog,
            permission=self._ask,
            disabled_policies=disabled,
            project=self.project,
            executors=[
                agent_registration(tasks=TaskTools(self.graph)),
                self.internal.registration(),
                CodeTools(self.project).registration(),
            ],
            missing=self.catalog.toolsets,
        )

    def _ask(self, request: PermissionRequest) -> Decision:
        self.asked.append(request)
        return Decision.DENY

    def run(self, agent: str, agent_id: str = "", **more: Any) -> Run:
        return self.runtime.start_run(
            agent, session=self.session, meta=ToolCallMeta(agent_id=agent_id or agent, session_id="s"), **more
        )

    def result(self, run: Run, tool: str, /, **args: Any) -> ToolResult[Any]:
        return asyncio.run(self.runtime.invoke(ToolRequest(name=tool, payload=json.dumps(args)), run=run))

    def call(self, run: Run, tool: str, /, **args: Any) -> Any:
        result = self.result(run, tool, **args)
        assert result.error is None, result.error
        return json.loads(result.payload)

    def code(self, run: Run, tool: str, /, **args: Any) -> str:
        error = self.result(run, tool, **args).error
        return error.code if error else "ok"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    home.graph.close()


@pytest.mark.parametrize("agent", ["main", "default_sub"])
def test_reg_20_a_skill_becomes_context_without_being_a_write(home: Home, agent: str) -> None:
    assert home.catalog.definition("internal.load_skill").permission == "readonly"
    assert "write" not in home.catalog.definition("internal.load_skill").tags
    no_writes = home.run(agent, mode="plan")
    assert home.call(no_writes, "internal.load_skill", name="greeting")["instructions"] == "Say hello."
    assert home.context == [Skill(name="greeting", instructions="Say hello.")]
    assert home.asked == []


def test_reg_30_a_worker_calls_its_tools_and_no_others(home: Home) -> None:
    worker = home.run("default_worker")
    assert set(worker.effective.tools) == WORKERS_OWN | {"code.read_file", "code.list_dir", "code.search"}
    for name in sorted(set(home.catalog) - set(worker.effective.tools) - set(worker.effective.discovery)):
        assert home.code(worker, name) == "tool_not_available"


def test_reg_31_writes_of_a_worker_still_need_permission(home: Home) -> None:
    worker = home.run("default_worker", requested=[*WORKERS_OWN, "code.write_file"])
    assert home.code(worker, "code.write_file", path="a.txt", content="x") == "permission_denied"
    assert [request.tool_name for request in home.asked] == ["code.write_file"]
    assert list(home.project.iterdir()) == []


@pytest.mark.parametrize("agent", CHILDREN)
def test_reg_32_reg_33_children_have_only_the_task_tools_for_their_own_step(home: Home, agent: str) -> None:
    kept = {name for name in home.run(agent).effective.tools if name.startswith("agent.")}
    assert kept == WORKERS_OWN
    for name in sorted({"agent.plan_template"} | TASK_TOOLS - WORKERS_OWN):
        assert home.code(home.run(agent), name) == "tool_not_available"


@pytest.mark.parametrize("agent", CHILDREN)
def test_reg_33_children_claim_ready_steps_and_see_and_update_only_their_own(home: Home, agent: str) -> None:
    main, one, other = home.run("main"), home.run(agent, "one"), home.run(agent, "other")
    steps = [
        {"id": "a", "title": "first"},
        {"id": "b", "title": "beside it"},
        {"id": "c", "title": "after both", "needs": ["a", "b"]},
        {"id": "d", "title": "free"},
    ]
    home.call(main, "agent.task_create", title="a task", steps=steps)

    def seen(run: Run) -> list[str]:
        return [step["id"] for step in home.call(run, "agent.task_get", task_id="t0")["steps"]]

    def found(run: Run, state: str) -> list[str]:
        return [step["id"] for step in home.call(run, "agent.task_query_steps", task_id="t0", state=state)]

    assert home.call(one, "agent.task_claim_step", task_id="t0", step_id="a")["claimed_by"] == "one"
    assert home.call(other, "agent.task_claim_step", task_id="t0", step_id="b")["claimed_by"] == "other"
    assert (seen(one), seen(other), seen(main)) == (["a", "d"], ["b", "d"], ["a", "b", "c", "d"])
    assert (found(one, "claimed"), found(one, "ready"), found(one, "pending")) == (["a"], ["d"], [])
    assert (found(main, "claimed"), found(main, "pending")) == (["a", "b"], ["c"])

    assert home.code(other, "agent.task_claim_step", task_id="t0", step_id="a") == "step_claimed"
    for step_id in ("a", "c", "d"):
        report = {"task_id": "t0", "step_id": step_id, "state": "done"}
        assert home.code(other, "agent.task_update_step", **report) == "step_not_yours"
    assert home.call(one, "agent.task_update_step", task_id="t0", step_id="a", state="done")["state"] == "done"
    assert (seen(one), found(one, "done"), found(other, "done")) == (["a", "d"], ["a"], [])


@pytest.mark.parametrize("agent", CHILDREN)
def test_reg_34_only_the_main_agent_recalls_memories(home: Home, agent: str) -> None:
    assert home.code(home.run(agent), "internal.recall_memory", query="tea") == "tool_not_available"
    recalled = home.call(home.run("main"), "internal.recall_memory", query="tea")
    assert [memory["name"] for memory in recalled["memories"]] == ["ann.md"]


def test_reg_35_no_tool_writes_memories(home: Home) -> None:
    assert {name for name in home.catalog if "memor" in name and name.startswith("internal.")} == {
        "internal.recall_memory"
    }
    assert set(home.internal.registration().handlers or {}) == {"internal.load_skill", "internal.recall_memory"}
    held = [value for value in vars(home.internal).values() if isinstance(value, MemoryWriter)]
    assert held == []
    assert not {"registration", "definitions", "execute"} & {name for name, _ in inspect.getmembers(MemoryWriter)}


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "linked/evil.md", "a/../../evil.md", "linked.md"])
def test_reg_35_the_memory_writer_stays_in_its_folder(home: Home, name: str) -> None:
    (home.memory / "linked").symlink_to(home.project)
    (home.memory / "linked.md").symlink_to(home.project / "evil.md")
    with pytest.raises((NoteRefused, OSError)):
        MemoryWriter(home.memory).write(name, "evil")
    assert list(home.project.iterdir()) == []
    assert {path.name for path in home.memory.parent.iterdir()} == {"memory", "skills"}


@pytest.mark.parametrize("agent", CHILDREN)
@pytest.mark.parametrize("path", ["{memory}/new.md", "{memory}/ann.md", "../home/memory/new.md", "linked/new.md"])
def test_reg_35_the_memory_folder_is_outside_the_write_roots_of_agents(tmp_path: Path, agent: str, path: str) -> None:
    home = Home(tmp_path, disabled=("bot", "coding"))  # the policy of the example allows writes to /tmp
    (home.project / "linked").symlink_to(home.memory)
    run = home.run(agent, requested=["code.write_file"])
    args = {"path": path.format(memory=home.memory), "content": "evil", "overwrite": True}
    assert home.code(run, "code.write_file", **args) == "permission_denied"
    assert [request.reasons[-1] for request in home.asked] == [f"paths: {args['path']} is outside roots"]
    assert [(file.name, file.read_text()) for file in home.memory.iterdir()] == [("ann.md", "Ann likes tea.")]
    home.graph.close()


def test_reg_37_all_built_in_tools_exist(home: Home) -> None:
    built_in = {"agent.plan_template"} | TASK_TOOLS | CODE_TOOLS
    assert len(built_in) == 18
    assert built_in <= set(home.catalog)
    assert {name for name in home.catalog if name.startswith(("code.", "agent.task_", "agent.plan"))} == built_in
    main = home.run("main")
    assert built_in <= set(main.effective.tools)
    for name in sorted({"agent.plan_template"} | TASK_TOOLS):
        assert home.code(main, name) in ("ok", "validation_error")
