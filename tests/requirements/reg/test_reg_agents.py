"""Requirements of the tool registry on child agents: their tools, their number, and their permission requests."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.responses import RESPONSES
from tests.unit.toolsets.agent.agents.world import (
    DELEGATE,
    FORK,
    Held,
    World,
    call_of,
    code_of,
    in_loop,
    scripted_agent,
    search,
    sub,
    value_of,
    worker,
)
from toolgen.agents import Message, ModelPlanner, run_agent
from toolgen.agents.planner import RunOutcome
from toolgen.agents.runs import run_to_end
from toolgen.contract.records import FailureKind
from toolgen.runtime.policy.approval import question_data
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.terminal import described
from toolgen.runtime.runs.children import start_child
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from toolgen.agents.runs import AgentRun
    from toolgen.contract.records import ToolRequest

CHILDREN_NEVER_HOLD = {
    "agent.plan_template", "agent.task_template", "agent.task_create", "agent.task_update", "agent.task_complete",
    "agent.task_fail", "agent.task_cancel", "agent.task_list", "agent.create_sub_agent", "agent.fork_agent",
    "agent.list_agent_definitions", "agent.list_workers", "agent.dispatch_worker",
}  # fmt: skip
"""The tools named in REG-32, and the task tools excluded by REG-33."""

WORKER_SET = {
    "agent.task_claim_step",
    "agent.task_get",
    "agent.task_query_steps",
    "agent.task_update_step",
    "code.list_dir",
    "code.read_file",
    "code.search",
}


def held_of(request: ToolRequest, **parent: Any) -> set[str]:
    """Return the tools of the agent that a call starts."""
    runs: list[AgentRun] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        runs.append(run)
        return RunOutcome(value="done")

    world = World(run_agent)
    assert code_of(world.one(request, run=world.start(**parent))) == "ok"
    return set(runs[0].run.effective.tools)


def test_reg_24_a_child_has_its_own_default_set_instead_of_its_parents() -> None:
    assert held_of(worker()) == WORKER_SET
    assert held_of(worker(), requested=["agent.dispatch_worker"]) == WORKER_SET


def test_reg_22_a_child_of_a_run_in_a_mode_is_in_that_mode() -> None:
    """The mode `plan` of the policy also forbids writes to children."""
    held: list[tuple[str, bool]] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        held.append((run.run.mode, "code.write_file" in run.run))
        return RunOutcome(value="done")

    world = World(run_agent)
    for mode in ("", "plan"):
        assert code_of(world.one(sub(), run=world.start(mode=mode))) == "ok"
    assert held == [("", True), ("plan", False)]


def test_reg_25_allowed_tools_beyond_the_base_set_fail_validation_and_start_nothing() -> None:
    world = World(scripted_agent(answer="never"))
    run = world.start()
    result = world.one(worker(allowed_tools=["code.read_file", "mcp.github.create_issue"]), run=run)
    error = result.error
    assert error is not None
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, "validation_error")
    assert error.message == (
        "default_worker cannot be granted mcp.github.create_issue: not in its `use` or `on_request`"
    )
    assert error.hint == "remove them from allowed_tools; without it the agent has its default tools"
    assert world.events(run.meta.run_id, "agent_run_started") == []
    assert value_of(world.one(call_of("agent.list_workers")))[0].free


@pytest.mark.parametrize("name", ["code__write_file", "code.write_file", "nothing"])
def test_reg_29_the_next_request_to_the_model_has_the_error_of_an_unavailable_tool(name: str) -> None:
    calls: list[Any] = [("c1", name, {"path": "a", "content": "x"}), ("c2", "code__list_dir", {})]
    model = ScriptedModel(RESPONSES["openai"]("", calls), "sorry")
    world = World(scripted_agent(), tools={"code.list_dir": lambda _args, _meta: {"entries": [], "truncated": False}})
    run = world.start("default_worker")
    start = (Message(role="user", content="go"),)
    result = asyncio.run(run_agent(world.runtime, "default_worker", start, ModelPlanner(model), run=run))
    assert (result.stopped, result.turns, result.outcome and result.outcome.value) == ("completed", 2, "sorry")
    answers = {
        message["tool_call_id"]: message["content"]
        for message in model.requests[1].messages
        if message["role"] == "tool"
    }
    assert answers.keys() == {"c1", "c2"}
    assert answers["c1"].startswith("unknown tool")
    assert [ident for _, ident in world.ran] == ["code.list_dir"]
    (denied,) = world.events(run.meta.run_id, "tool_denied")
    assert (denied.tool_call_id, denied.data["code"]) == ("c1", "tool_not_available")


@pytest.mark.parametrize("start", [sub, lambda **more: call_of(FORK, prompt="go", **more)], ids=["sub", "fork"])
def test_reg_32_tools_forbidden_to_children_are_absent_even_if_requested(start: Any) -> None:
    assert not held_of(start()) & CHILDREN_NEVER_HOLD
    assert held_of(start(allowed_tools=[*sorted(CHILDREN_NEVER_HOLD), "agent.task_get"])) == {"agent.task_get"}


def test_reg_32_a_child_that_calls_a_forbidden_tool_gets_tool_not_available() -> None:
    codes: list[str] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        codes.extend(code_of(result) for result in await run.turn([sub(), worker(), call_of(FORK, prompt="go")]))
        return RunOutcome(value="done")

    assert code_of(World(run_agent).one(sub())) == "ok"
    assert codes == ["tool_not_available"] * 3


def test_reg_38_an_agent_tool_is_an_ordinary_call_whose_handler_starts_a_run() -> None:
    world = World(scripted_agent([call_of("code.list_dir")], answer="three files"))
    result = world.one(sub("List the files."))
    child = value_of(result)
    assert child.result == "three files"
    assert world.ran == [(child.run_id, "code.list_dir")]


def test_reg_38_an_unknown_definition_is_an_error_with_suggestions() -> None:
    error = World(scripted_agent()).one(sub(definition="defautl_sub")).error
    assert error is not None
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, "unknown_agent")
    assert error.message == "no agent of the role sub has the definition id 'defautl_sub'"
    assert error.hint == "did you mean default_sub?"


def test_reg_79_adjacent_agent_tools_start_together_for_every_kind_of_toolset() -> None:
    """Each child waits for the others, so that none would end if they ran one by one."""
    meet = asyncio.Barrier(4)

    async def run_agent(run: AgentRun) -> RunOutcome:
        await meet.wait()
        return RunOutcome(value={"answer": "yes", "sources": []} if run.run.agent.startswith("orch") else "done")

    results = World(run_agent).now(worker("s1"), worker("s2"), sub(), search())
    assert [code_of(result) for result in results] == ["ok"] * 4


def test_reg_79_agent_tools_wait_for_calls_of_other_classes() -> None:
    order: list[str] = []

    async def run_agent(_run: AgentRun) -> RunOutcome:
        order.append("agent")
        return RunOutcome(value="done")

    def listed(_args: Any, _meta: Any) -> Any:
        order.append("read")
        return {"entries": [], "truncated": False}

    world = World(run_agent, tools={"code.list_dir": listed})
    world.now(call_of("code.list_dir"), worker(), worker(), call_of("code.list_dir"))
    assert order == ["read", "agent", "agent", "read"]


def test_reg_80_the_number_of_children_of_a_run_is_limited() -> None:
    world = World(scripted_agent(), workers=9)
    run = world.start()
    results = world.now(*(worker(f"s{number}") for number in range(6)), run=run)
    assert [code_of(result) for result in results] == ["ok"] * 4 + ["child_agent_limit_exceeded"] * 2
    started = world.events(run.meta.run_id, "agent_run_started")
    assert [event.tool_call_id for event in started] == [result.tool_call_id for result in results[:4]]


@pytest.mark.parametrize("at_once", [False, True])
def test_reg_80_a_call_that_starts_many_agents_takes_a_place_for_each(*, at_once: bool) -> None:
    ended: list[Any] = []

    async def run_agent(_run: AgentRun) -> RunOutcome:
        return RunOutcome(value="done")

    async def many(_args: Any, meta: Any) -> Any:
        children = iter([start_child(meta, "default_sub") for _ in range(6)] if at_once else [])
        for _ in range(6):
            child = next(children, None) or start_child(meta, "default_sub")
            ended.append((await run_to_end(child, "", "go", run_agent, meta)).value)

    world = World(run_agent, tools={DELEGATE: many})
    run = world.start()
    result = world.one(call_of(DELEGATE, to="default_sub", request="go"), run=run)
    assert code_of(result) == "child_agent_limit_exceeded"
    assert ended == ([] if at_once else ["done"] * 4)
    assert run.session.agents.count == 0


def test_reg_80_the_number_of_concurrent_children_in_a_session_is_limited() -> None:
    held = Held(8)
    world = World(held, workers=20)
    first = world.start()
    runs = [first, *(world.start(session=first.session) for _ in range(2))]

    async def main() -> None:
        turns = [asyncio.ensure_future(world.runtime.turn([worker()] * 4, run)) for run in runs]
        await held.all_started.wait()
        held.let_go.set()
        codes = [[code_of(result) for result in await turn] for turn in turns]
        assert codes == [["ok"] * 4, ["ok"] * 4, ["child_agent_limit_exceeded"] * 4]

    in_loop(main)


def test_reg_80_the_number_of_workers_is_limited() -> None:
    held = Held(2)
    world = World(held, workers=2)

    async def main() -> None:
        turn = asyncio.ensure_future(world.runtime.turn([worker("s1"), worker("s2"), worker("s3")], world.start()))
        await held.all_started.wait()
        held.let_go.set()
        results = await turn
        assert [code_of(result) for result in results] == ["ok", "ok", "child_agent_limit_exceeded"]
        error = results[2].error
        assert error is not None
        assert (error.message, error.hint) == ("all 2 workers are busy", "wait until one has finished its step")

    in_loop(main)


def test_reg_80_permission_is_requested_for_each_child() -> None:
    def permission(request: PermissionRequest) -> Decision:
        return Decision.DENY if request.tool_name == DELEGATE else Decision.ALLOW_ONCE

    world = World(scripted_agent(), permission=permission)
    run = world.start()
    results = world.now(sub(), call_of(DELEGATE, to="default_sub", request="go"), run=run)
    assert [code_of(result) for result in results] == ["ok", "permission_denied"]
    assert len(world.events(run.meta.run_id, "agent_run_started")) == 1


def test_reg_81_a_failed_child_cancels_no_others_and_every_call_has_its_result() -> None:
    """The others end after the failed one, and so are running when it fails."""
    failed = asyncio.Event()

    async def run_agent(run: AgentRun) -> RunOutcome:
        if "step s2" in run.messages[1].content:
            failed.set()
            raise ValueError("the step makes no sense")
        await failed.wait()
        await asyncio.sleep(0)
        await run.turn([call_of("code.list_dir")])
        return RunOutcome(value="done")

    world = World(run_agent, tools={"code.list_dir": lambda _args, _meta: {"entries": [], "truncated": False}})
    run = world.start()
    results = world.now(worker("s1"), worker("s2"), worker("s3"), run=run)
    assert [code_of(result) for result in results] == ["ok", "handler_error", "ok"]
    assert [result.metadata["children_count"] for result in results] == [1, 0, 1]
    record = asyncio.run(world.store.read(str(run.meta.run_id)))
    ended = {stored.tool_call_id: stored.success for stored in record.results}
    assert ended == {result.tool_call_id: result.success for result in results}


@pytest.mark.parametrize("start", [sub(), worker(allowed_tools=["code.write_file"]), call_of(FORK, prompt="go")])
def test_reg_91_a_child_uses_the_same_callback_and_identifies_itself(start: ToolRequest) -> None:
    asked: list[PermissionRequest] = []

    async def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    children: list[AgentRun] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        children.append(run)
        written = await run.turn([call_of("code.write_file", path="a", content="x")])
        assert code_of(written[0]) == "ok"
        return RunOutcome(value="done")

    def write(_args: Any, _meta: Any) -> Any:
        return {"bytes_written": 1, "created": True}

    world = World(run_agent, tools={"code.write_file": write}, permission=permission)
    parent = world.start()
    assert code_of(world.one(start, run=parent)) == "ok"
    meta = next(request.meta for request in asked if request.tool_name == "code.write_file")
    ids = (meta.agent_id, meta.run_id, meta.parent_agent_id, meta.parent_run_id, meta.agent_role)
    child = children[0].run
    assert None not in ids
    assert ids == (child.meta.agent_id, child.meta.run_id, parent.meta.agent_id, parent.meta.run_id, child.role)
    assert (meta.user, meta.session_id) == ("ann", "s")


def test_reg_91_a_request_has_every_agent_above_the_one_that_asks() -> None:
    """A child of a child asks; a person is shown the chain up to the first run."""
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    async def run_agent(run: AgentRun) -> RunOutcome:
        if run.run.agent == "default_sub":
            await run.turn([search()])
            return RunOutcome(value="done")
        await run.turn([call_of("router.web_search", query="a")])
        return RunOutcome(value={"answer": "yes", "sources": []})

    world = World(run_agent, permission=permission)
    parent = world.start()
    result = world.one(call_of(DELEGATE, to="default_sub", request="go"), run=parent)
    assert code_of(result) == "ok"
    first = asked[0]
    assert (first.tool_name, first.agent, first.meta.ancestors) == (DELEGATE, "main", ())
    last = next(request for request in asked if request.tool_name == "router.web_search")
    assert last.agent == "orchestrator.researcher"
    root, middle = last.meta.ancestors
    assert (root.agent, root.agent_id, root.run_id) == ("main", parent.meta.agent_id, parent.meta.run_id)
    assert root.tool_call_id == result.tool_call_id
    assert middle.agent == "default_sub"
    assert middle.run_id == result.metadata["run_link"]["run_id"] == last.meta.parent_run_id
    assert (middle.agent_id, middle.tool_call_id) == (last.meta.parent_agent_id, last.meta.parent_tool_call_id)
    shown = described(last)
    assert f"agent | sub orchestrator.researcher {last.meta.agent_id}\n" in shown
    assert f"started by | default_sub {middle.agent_id}, by main {root.agent_id}" in shown
    assert question_data(last)["ancestors"] == [asdict(root), asdict(middle)]
