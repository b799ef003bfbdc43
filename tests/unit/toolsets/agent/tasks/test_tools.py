"""The tools for plans and tasks in a runtime: their results in toolgen's own package and in a host's."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.effective import ExclusionReason
from toolgen.runtime.policy.permission import Decision
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.agent.agents import AgentTools
from toolgen.toolsets.agent.tasks import PLANS, TASKS, TaskTools
from toolgen.toolsets.agent.tasks.task import Step, TaskGraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.toolsets.generated.tools.agent import Handlers

ANN = ToolCallMeta(agent_id="ann", run_id="r1", agent_role="main")
WORKER = ToolCallMeta(agent_id="w1", run_id="r2", agent_role="worker")
OTHER_WORKER = ToolCallMeta(agent_id="w2", run_id="r3", agent_role="worker")

STEPS = [
    {"id": "a", "title": "first"},
    {"id": "b", "title": "second", "instructions": "Go on.", "needs": ["a"]},
    {"id": "c", "title": "third"},
]


def no(_request: PermissionRequest) -> Decision:
    """A permission callback that must not be called."""
    return Decision.DENY


class ToolHost:
    """A graph with tasks t0, t1 and so on, and a runtime whose calls are made by the named agent."""

    def __init__(self, package: str) -> None:
        numbers = count()
        self.threads = set[threading.Thread]()
        self.graph = TaskGraph(clock=self._now, new_id=lambda: f"t{next(numbers)}")
        self.tools = TaskTools(self.graph)
        self.catalog = load(package)
        self.runtime = Runtime(
            self.catalog, permission=no, executors=[agent_registration(tasks=self.tools)], missing=self.catalog.toolsets
        )

    def _now(self) -> datetime:
        self.threads.add(threading.current_thread())
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def result(self, tool: str, /, meta: ToolCallMeta = ANN, **args: Any) -> ToolResult[Any]:
        request = ToolRequest(name=f"agent.{tool}", payload=json.dumps(args))
        return asyncio.run(self.runtime.invoke(request, meta=meta))

    def call(self, tool: str, /, meta: ToolCallMeta = ANN, **args: Any) -> Any:
        """Make a call that must succeed and return its result as JSON."""
        result = self.result(tool, meta, **args)
        assert result.error is None, result.error
        return json.loads(result.payload)

    def code(self, tool: str, /, meta: ToolCallMeta = ANN, **args: Any) -> str:
        error = self.result(tool, meta, **args).error
        return error.code if error else "ok"


@pytest.fixture(params=["toolgen.toolsets.generated", "generated"])
def host(request: pytest.FixtureRequest) -> Iterator[ToolHost]:
    host = ToolHost(request.param)
    yield host
    host.graph.close()


class Both(TaskTools, AgentTools):
    """All tools of the toolset in one class, which the type checker compares with the generated protocol."""


def handlers_of(both: Both) -> Handlers:
    return both


def test_the_handlers_implement_the_generated_protocol(host: ToolHost) -> None:
    made = agent_registration(tasks=host.tools)
    table = made.handlers
    assert table is not None
    assert {*table, *made.missing} == {ident for ident in host.catalog if ident.startswith("agent.")}
    assert not made.missing & set(table)
    assert all(table[ident].__name__ == ident.removeprefix("agent.") for ident in table if ".task_" in ident)


def test_a_task_from_its_template_to_its_end(host: ToolHost) -> None:
    created = host.call("task_create", **host.call("task_template", kind="bug"))
    assert (created["id"], created["state"], created["updated"]) == ("t0", "open", "2026-01-02T03:04:05+00:00")
    order = []
    while ready := host.call("task_query_steps", task_id="t0"):
        step_id = ready[0]["id"]
        order.append(host.call("task_claim_step", task_id="t0", step_id=step_id)["id"])
        ended = host.call("task_update_step", task_id="t0", step_id=step_id, state="done", note="done")
        assert (ended["state"], ended["claimed_by"], ended["note"]) == ("done", "ann", "done")
    assert order == ["reproduce", "find", "test", "fix", "verify"]
    closed = host.call("task_complete", task_id="t0", summary="It is fixed.")
    assert (closed["state"], closed["outcome"]) == ("done", "It is fixed.")
    assert host.call("task_get", task_id="t0") == closed
    assert host.code("task_cancel", task_id="t0") == "task_closed"


def test_a_claimed_step_includes_the_results_of_the_steps_it_needs(host: ToolHost) -> None:
    host.call("task_create", title="a task", steps=STEPS)
    host.call("task_claim_step", task_id="t0", step_id="a")
    host.call("task_update_step", task_id="t0", step_id="a", state="done", note="the key is under the mat")
    assert host.call("task_claim_step", task_id="t0", step_id="b") == {
        "id": "b",
        "title": "second",
        "needs": ["a"],
        "state": "claimed",
        "instructions": "Go on.",
        "claimed_by": "ann",
        "inputs": [{"step_id": "a", "note": "the key is under the mat"}],
    }


def test_a_task_is_changed_and_closed(host: ToolHost) -> None:
    for _ in range(3):
        host.call("task_create", title="a task", steps=STEPS)
    changed = host.call("task_update", task_id="t0", title="renamed", steps=[{"id": "z", "title": "only this"}])
    assert (changed["title"], [step["id"] for step in changed["steps"]]) == ("renamed", ["z"])
    assert host.call("task_fail", task_id="t1", reason="no way")["outcome"] == "no way"
    assert "outcome" not in host.call("task_cancel", task_id="t2")
    assert host.call("task_list") == {
        "tasks": [
            {
                "id": task_id,
                "title": title,
                "state": state,
                "updated": "2026-01-02T03:04:05+00:00",
                "steps": n,
                "done": 0,
            }
            for task_id, title, state, n in (
                ("t2", "a task", "cancelled", 3),
                ("t1", "a task", "failed", 3),
                ("t0", "renamed", "open", 1),
            )
        ],
        "truncated": False,
    }
    assert [task["id"] for task in host.call("task_list", state="open")["tasks"]] == ["t0"]
    cut = host.call("task_list", limit=2)
    assert ([task["id"] for task in cut["tasks"]], cut["truncated"]) == (["t2", "t1"], True)


@pytest.mark.parametrize("kind", TASKS)
def test_a_task_can_be_created_from_every_template(host: ToolHost, kind: str) -> None:
    created = host.call("task_create", **host.call("task_template", kind=kind))
    assert any(step["state"] == "ready" for step in created["steps"])
    assert any(step["needs"] for step in created["steps"])


def test_plans_have_templates_by_kind(host: ToolHost) -> None:
    texts = {kind: host.call("plan_template", kind=kind) for kind in PLANS}
    assert len(set(texts.values())) == len(texts)
    for text in texts.values():
        assert text.startswith("# Plan: <")
        assert "\n## Done when\n" in text
        assert "\n## Steps\n" in text
    assert host.call("plan_template") == texts["general"]
    assert host.call("task_template") == host.call("task_template", kind="general")
    assert set(PLANS) == set(TASKS)


@pytest.mark.parametrize("tool", ["plan_template", "task_template"])
def test_an_unknown_kind_gets_the_list_of_kinds(host: ToolHost, tool: str) -> None:
    error = host.result(tool, kind="feature").error
    assert error is not None
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, "validation_error")
    assert [issue.hint for issue in error.issues] == ['use one of "general", "change", "bug", "research"']


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("task_create", {"title": "a task", "steps": []}),
        ("task_create", {"title": "", "steps": STEPS}),
        ("task_create", {"title": "a task", "steps": [{"id": "a", "title": "first", "state": "done"}]}),
        ("task_create", {"title": "a task", "steps": [{"id": f"s{n}", "title": "s"} for n in range(101)]}),
        ("task_update_step", {"task_id": "t0", "step_id": "a", "state": "pending"}),
        ("task_update_step", {"task_id": "t0", "step_id": "a", "state": "done", "note": "x" * 4001}),
        ("task_complete", {"task_id": "t0", "summary": ""}),
        ("task_list", {"limit": 0}),
    ],
)
def test_args_refused_by_the_schemas(host: ToolHost, tool: str, args: dict[str, Any]) -> None:
    assert host.code(tool, **args) == "validation_error"


def test_errors_shown_to_a_model(host: ToolHost) -> None:
    host.call("task_create", title="a task", steps=STEPS)
    result = host.result("task_claim_step", task_id="t0", step_id="b")
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.DOMAIN_REJECTION, "step_not_ready")
    assert result.content[0].data == ("step 'b' is not ready: it waits for 'a'\nfind ready steps with task_query_steps")
    assert host.code("task_get", task_id="t9") == "unknown_task"


def test_agents_are_identified_by_their_id_or_their_run(host: ToolHost) -> None:
    host.call("task_create", title="a task", steps=STEPS)
    host.call("task_claim_step", task_id="t0", step_id="a")
    later = ToolCallMeta(agent_id="ann", run_id="r9")
    assert host.call("task_update_step", later, task_id="t0", step_id="a", state="done")["state"] == "done"
    nameless = ToolCallMeta(run_id="r4")
    assert host.call("task_claim_step", nameless, task_id="t0", step_id="c")["claimed_by"] == "r4"
    assert host.code("task_update_step", ToolCallMeta(run_id="r5"), task_id="t0", step_id="c", state="done") == (
        "step_not_yours"
    )
    assert host.code("task_claim_step", ToolCallMeta(), task_id="t0", step_id="b") == "no_agent"


def test_a_child_without_an_id_has_no_claims(host: ToolHost) -> None:
    host.call("task_create", title="a task", steps=STEPS)
    seen = host.call("task_get", ToolCallMeta(agent_role="sub"), task_id="t0")["steps"]
    assert [step["id"] for step in seen] == ["a", "c"]


def test_steps_of_an_agent_are_released_when_its_run_ends(host: ToolHost) -> None:
    host.call("task_create", title="a task", steps=STEPS)
    host.call("task_claim_step", WORKER, task_id="t0", step_id="a")
    host.tools.release(OTHER_WORKER)
    host.tools.release(ToolCallMeta())
    assert host.code("task_claim_step", task_id="t0", step_id="a") == "step_claimed"
    host.tools.release(WORKER)
    assert host.call("task_claim_step", task_id="t0", step_id="a")["claimed_by"] == "ann"


def test_disk_access_does_not_block_the_loop(host: ToolHost) -> None:
    host.call("task_create", title="a task", steps=STEPS)
    host.call("task_claim_step", task_id="t0", step_id="a")
    assert host.threads
    assert threading.main_thread() not in host.threads


@pytest.mark.parametrize("tool", ["task_list", "list_workers"])
def test_the_toolset_is_unavailable_if_the_host_registers_only_half_of_it(tool: str) -> None:
    runtime = Runtime(
        load("generated"), permission=allow_all, executors=[agent_registration()], missing=load("generated").toolsets
    )
    result = asyncio.run(runtime.invoke(ToolRequest(name=f"agent.{tool}")))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "no_executor")
    assert result.error.message == f"agent.{tool} is unavailable: this runtime has no executor for the toolset agent"
    run = runtime.start_run()
    assert run.effective.excluded[f"agent.{tool}"] is ExclusionReason.NO_EXECUTOR


DAMAGE = {
    "bytes of a row": "UPDATE tasks SET body = x'00ff'",
    "a row of another type": "UPDATE tasks SET body = 5",
    "another JSON": """UPDATE tasks SET body = CAST('{"id": "s3cret"}' AS BLOB)""",
    "text that is no UTF-8": "UPDATE tasks SET body = CAST(x'ff' AS TEXT)",
    "no table": "DROP TABLE tasks",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_with_a_damaged_file_a_model_sees_that_tasks_are_unusable(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tasks.db"
    with closing(TaskGraph(path, new_id=lambda: "t0")) as graph:
        graph.create("Paint", [Step(id="a", title="first")])
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(DAMAGE[damage])
        catalog = load("generated")
        executors = [agent_registration(tasks=TaskTools(graph))]
        runtime = Runtime(catalog, permission=allow_all, executors=executors, missing=catalog.toolsets)
        asked = [
            ("task_get", {"task_id": "t0"}),
            ("task_list", {}),
            ("task_update", {"task_id": "t0", "title": "Wash"}),
            ("task_query_steps", {"task_id": "t0"}),
            ("task_claim_step", {"task_id": "t0", "step_id": "a"}),
            ("task_cancel", {"task_id": "t0"}),
        ]
        for tool, args in asked:
            request = ToolRequest(name=f"agent.{tool}", payload=json.dumps(args))
            result = asyncio.run(runtime.invoke(request, meta=ANN))
            assert result.error is not None, tool
            assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "task_graph_unavailable"), tool
            assert result.error.message == "the tasks cannot be read or written"
            assert "the host is at fault" in result.error.hint
        with pytest.raises(CallFailed, match="the tasks cannot be read or written"):
            graph.release("ann")
    assert "the task graph cannot be read or written" in caplog.text
