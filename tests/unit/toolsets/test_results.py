"""The built-in toolsets in the package of a team: every tool runs, and its result has the classes of that package."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.agents.planner import RunOutcome
from toolgen.compiler.project.config import BUILTIN_TOOLSETS
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.runtime import Runtime, allow_all, load
from toolgen.toolsets.actions import ActionTools
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.agent.agents import FORK, AgentTools
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import TaskGraph
from toolgen.toolsets.code import CodeTools
from toolgen.toolsets.internal import InternalTools, Skills
from toolgen.toolsets.internal.memory import Memories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.agents.runs import AgentRun

# One worker builds the package.
pytestmark = pytest.mark.xdist_group("team_tools")

PACKAGE: Final = "team_tools"

CONFIGURATION: Final = """\
targets = [{ out = "team_tools", builtin = ["internal", "code", "agent", "actions"] }]

[executors]
code = "app:code" # the handlers themselves
internal = "app:internal" # a registration
agent = "app:agent"
"""
AGENT: Final = """\
toolgen: 1
agent: {name}
description: It does what it is told.
role: {role}
use: [agent, "code.*", internal]
"""
APP: Final = """\
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.code import CodeTools
from toolgen.toolsets.internal import InternalTools
from toolgen.toolsets.internal.memory import Memories
from toolgen.toolsets.internal import Skills
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import TaskGraph

code = CodeTools("project")
internal = InternalTools(skills=Skills("skills"), memory=Memories("memories")).registration()
agent = agent_registration(tasks=TaskTools(TaskGraph()))
"""


@dataclass
class Team:
    """A project of a team, and a runtime for its built package."""

    folder: Path
    seen: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        catalog = load(PACKAGE)
        executors = [
            CodeTools(self.folder / "project").registration(),
            InternalTools(
                skills=Skills(self.folder / "skills"), memory=Memories(self.folder / "memories")
            ).registration(),
            agent_registration(tasks=TaskTools(TaskGraph()), agents=AgentTools(catalog, answers)),
            ActionTools(ToolUse(catalog, ToolUseConfig(embedding_class="lexical"))).registration(),
        ]
        self.catalog = catalog
        self.runtime = Runtime(catalog, permission=allow_all, executors=executors, project=self.folder / "project")
        self.run = self.runtime.start_run("main", meta=ToolCallMeta(user="ann", session_id="s"))

    def call(self, ident: str, /, **args: Any) -> Any:
        """Make a call that must succeed; the value has a class of the team's package, or is plain JSON."""
        self.seen.add(ident)
        request = ToolRequest(name=ident, payload=json.dumps(args))
        result = asyncio.run(self.runtime.invoke(request, run=self.run))
        assert result.error is None, result.error
        module = type(result.value).__module__
        assert module == "builtins" or module.startswith(f"{PACKAGE}.tools."), module
        return result.value


async def answers(run: AgentRun) -> RunOutcome:
    """A planner loop whose agents answer with their messages."""
    return RunOutcome(value=run.messages[-1].content)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a project with all built-in toolsets and agents that use them, built and on the import path."""
    folder = tmp_path_factory.mktemp("team")
    (folder / "toolgen.toml").write_text(CONFIGURATION)
    (folder / "app.py").write_text(APP)
    for place in ("specs", "project/sub", "skills/greet", "memories"):
        (folder / place).mkdir(parents=True)
    for role in ("main", "sub", "worker", "fork"):
        name = FORK if role == "fork" else role
        (folder / f"specs/{name}.yaml").write_text(AGENT.format(name=name, role=role))
    (folder / "project/sub/a.txt").write_text("one\n")
    (folder / "skills/greet/SKILL.md").write_text("Say hello.")
    (folder / "memories/tea.md").write_text("Ann likes green tea.")
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def team(project: Path) -> Team:
    (project / "project/a.txt").write_text("one\n")
    return Team(project)


def test_reg_37_every_built_in_tool_runs_in_the_package_of_a_team(team: Team) -> None:
    assert team.call("code.read_file", path="a.txt").content == "one\n"
    assert [entry.kind for entry in team.call("code.list_dir", path="sub").entries] == ["file"]
    assert team.call("code.write_file", path="new/b.txt", content="two\n").bytes_written == 4
    assert team.call("code.edit_file", path="a.txt", edits=[{"old": "one", "new": "six"}]).replacements == 1
    assert team.call("code.run_command", argv=["cat", "a.txt"]).stdout == "six\n"
    if shutil.which("rg"):
        assert team.call("code.search", query="six").matches[0].path == "a.txt"

    assert team.call("internal.load_skill", name="greet").instructions == "Say hello."
    assert [memory.text for memory in team.call("internal.recall_memory", query="tea").memories] == [
        "Ann likes green tea."
    ]

    assert team.call("agent.plan_template")
    first, second = {"id": "a", "title": "First"}, {"id": "b", "title": "Second", "needs": ["a"]}
    assert team.call("agent.task_template").steps
    task = team.call("agent.task_create", title="Tea", steps=[first, second])
    assert [(step.id, step.state) for step in task.steps] == [("a", "ready"), ("b", "pending")]
    of_task = {"task_id": task.id}
    assert team.call("agent.task_claim_step", **of_task, step_id="a").state == "claimed"
    assert team.call("agent.task_update_step", **of_task, step_id="a", state="done", note="Hot").state == "done"
    assert [step.id for step in team.call("agent.task_query_steps", **of_task)] == ["b"]
    assert [step.id for step in team.call("agent.task_update", **of_task, steps=[]).steps] == ["a"]
    assert team.call("agent.task_get", **of_task).steps[0].note == "Hot"
    assert team.call("agent.task_list").tasks[0].done == 1
    assert team.call("agent.task_complete", **of_task, summary="Done").outcome == "Done"
    for ending, words in (("task_fail", {"reason": "No tea"}), ("task_cancel", {})):
        other = team.call("agent.task_create", title="Tea", steps=[first])
        assert team.call(f"agent.{ending}", task_id=other.id, **words).state in ("failed", "cancelled")

    assert team.call("agent.list_agent_definitions")[0].description == "It does what it is told."
    assert all(worker.free for worker in team.call("agent.list_workers"))
    child = team.call("agent.create_sub_agent", agent_definition_id="sub", prompt="Say hello")
    assert child.result == "Say hello"
    assert "completed" in team.call("agent.inspect_agent", agent_id=child.agent_id)
    assert team.call("agent.fork_agent", prompt="Go on").result == "Go on"
    assert team.call("agent.dispatch_worker", agent_definition_id="worker", **of_task, step_id="b").result

    listed = team.call("actions.list_actions", category=["code"], limit=1)
    assert listed["items"][0]["qualified_name"] == "code__edit_file"
    assert team.call("actions.describe_action", action_name="code__read_file")["metadata"]["category"] == "code"
    assert team.call("actions.search_actions", query="read a file", limit=1)["items"][0]["qualified_name"]
    assert team.call("actions.search_tools", query="read a file", limit=1).tools[0].name == "code.read_file"

    assert team.seen | {"code.search"} == set(team.catalog)
    assert set(team.catalog.toolsets) == set(BUILTIN_TOOLSETS)


def test_typed_args_of_the_teams_package_are_accepted_too(team: Team) -> None:
    code = import_module(f"{PACKAGE}.tools.code")
    result = asyncio.run(team.runtime.call(code.READ_FILE, code.ReadFileArgs(path="a.txt", max_lines=1)))
    assert result.value == code.ReadFileResult(content="one\n", start_line=1, truncated=False, truncated_lines=[])


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        ("code.list_dir", {"path": "sub"}, {"entries": [{"path": "sub/a.txt", "kind": "file"}], "truncated": False}),
        ("internal.load_skill", {"name": "greet"}, {"name": "greet", "instructions": "Say hello."}),
        ("agent.task_list", {}, {"tasks": [], "truncated": False}),
    ],
)
def test_toolgen_call_runs_them_with_the_configured_executors(
    project: Path, tool: str, args: dict[str, Any], expected: Any
) -> None:
    done = toolgen(project, "call", tool, json.dumps(args), "--format", "json")

    assert done.code == 0, done.err
    assert done.json["result"] == expected
