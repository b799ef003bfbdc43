"""Tools that start agents, called by an agent: the messages, tools and answers of the child."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.agent.agents.world import (
    FORK,
    WORKER,
    Held,
    World,
    call_of,
    code_of,
    in_loop,
    run_link,
    scripted_agent,
    sub,
    value_of,
    worker,
)
from toolgen.agents.planner import RunOutcome
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.toolsets.agent.agents import AGENTS, CALLS
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import Step, TaskGraph

if TYPE_CHECKING:
    from toolgen.agents.runs import AgentRun
    from toolgen.contract.records import ToolResult


class Listening:
    """A planner loop that records its runs."""

    def __init__(self, answer: Any = "done") -> None:
        self.runs: list[AgentRun] = []
        self._answer = answer

    async def __call__(self, run: AgentRun) -> RunOutcome:
        self.runs.append(run)
        return RunOutcome(value=self._answer)


def started(request: ToolRequest) -> AgentRun:
    """Return the run that a call starts."""
    listening = Listening()
    assert code_of(World(listening).one(request)) == "ok"
    return listening.runs[0]


def texts(run: AgentRun) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in run.messages]


def inspected(world: World, agent_id: str, meta: ToolCallMeta | None = None) -> ToolResult[Any]:
    request = call_of("agent.inspect_agent", agent_id=agent_id)
    return world.one(request, run=world.runtime.start_run("main", meta=meta)) if meta else world.one(request)


def test_a_sub_agent_receives_its_system_text_and_the_prompt() -> None:
    run = started(sub("Find out who was first.", "orchestrator.researcher"))
    system = "You are a careful researcher. Every statement needs a source."
    assert texts(run) == [("system", system), ("user", "Find out who was first.")]
    assert (run.run.agent, run.run.role) == ("orchestrator.researcher", "sub")


def test_a_fork_receives_the_prompt_and_the_run_that_it_continues() -> None:
    listening = Listening()
    world = World(listening)
    parent = world.start()
    assert code_of(world.one(call_of(FORK, prompt="Try the other way."), run=parent)) == "ok"
    run = listening.runs[0]
    assert texts(run) == [("system", ""), ("user", "Try the other way.")]
    assert (run.run.role, run.run.meta.parent_run_id) == ("fork", parent.meta.run_id)


def test_a_worker_receives_its_step_and_the_task() -> None:
    run = started(call_of(WORKER, task_id="t{1}", step_id="s-2"))
    assert run.messages[1].content == (
        "Claim step s-2 of task t{1}, do what it asks for, and report on it there.\n"
        "Your last answer goes to the agent that gave you the step."
    )
    assert (run.run.agent, run.run.role) == ("default_worker", "worker")


def test_the_result_identifies_the_agent() -> None:
    result = World(scripted_agent(answer="It was Ada.")).one(sub())
    link = run_link(result)
    child = value_of(result)
    assert child.result == "It was Ada."
    assert (child.agent_id, child.run_id) == (link["agent_id"], link["run_id"])


def test_an_answer_that_is_not_text_is_returned_as_json() -> None:
    result = World(scripted_agent(answer={"b": [1, None], "a": "ü"})).one(sub())
    assert value_of(result).result == '{"b":[1,null],"a":"ü"}'


def test_a_failed_child_returns_a_link_to_its_record() -> None:
    async def run_agent(_run: AgentRun) -> RunOutcome:
        raise ValueError("the model is gone")

    result = World(run_agent).one(sub())
    assert result.error is not None
    assert (result.error.message, result.payload) == ("the model is gone", b"")
    assert run_link(result)["agent"] == "default_sub"


@pytest.mark.parametrize("spelling", ["code.read_file", "code__read_file"])
def test_allowed_tools_narrow_the_set_in_every_spelling(spelling: str) -> None:
    run = started(worker(allowed_tools=[spelling]))
    assert set(run.run.effective.tools) == {"code.read_file"}


def test_a_dispatch_may_request_tools_that_the_definition_allows_on_request() -> None:
    run = started(worker(allowed_tools=["code.read_file", "code.write_file"]))
    assert set(run.run.effective.tools) == {"code.read_file", "code.write_file"}


def test_an_empty_list_of_allowed_tools_gives_a_child_without_tools() -> None:
    assert set(started(sub(allowed_tools=[])).run.effective.tools) == set()


@pytest.mark.parametrize(
    "request_",
    [
        sub(definition="default_worker"),
        sub(definition="main"),
        worker(agent_definition_id="default_sub"),
    ],
)
def test_an_agent_of_another_role_cannot_be_started(request_: ToolRequest) -> None:
    world = World(Listening())
    result = world.one(request_)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.INVALID_CALL, "unknown_agent")


def test_the_list_of_definitions_contains_their_descriptions() -> None:
    result = World(scripted_agent()).one(call_of("agent.list_agent_definitions"))
    assert json.loads(result.payload) == [
        {"id": "default_sub", "role": "sub"},
        {"id": "default_worker", "role": "worker"},
        {"id": "orchestrator.researcher", "role": "sub", "description": "Answers questions from sources."},
    ]


def test_the_list_of_workers_shows_which_are_free() -> None:
    held = Held(1)
    world = World(held, workers=2)

    def free(result: ToolResult[Any]) -> dict[str, bool]:
        return {each.id: each.free for each in value_of(result)}

    async def main() -> None:
        step = asyncio.ensure_future(world.runtime.turn([worker()], world.start()))
        await held.all_started.wait()
        listed = await world.runtime.turn([call_of("agent.list_workers")], world.start())
        assert free(listed[0]) == {"worker-1": False, "worker-2": True}
        held.let_go.set()
        await step
        listed = await world.turn(call_of("agent.list_workers"))
        assert free(listed[0]) == {"worker-1": True, "worker-2": True}

    in_loop(main)


def test_a_worker_claims_its_step_and_updates_it() -> None:
    graph = TaskGraph()
    task = graph.create("Ship it", [Step(id="build", title="Build it")])
    step = {"task_id": task.id, "step_id": "build"}
    script = scripted_agent(
        [call_of("agent.task_claim_step", **step)],
        [call_of("agent.task_update_step", **step, state="done", note="built")],
        answer="It is built.",
    )
    result = World(script, tasks=TaskTools(graph)).one(call_of(WORKER, **step))
    assert value_of(result).result == "It is built."
    built = graph.get(task.id).steps[0]
    assert (built.state, built.claimed_by, built.note) == ("done", run_link(result)["agent_id"], "built")


def test_a_worker_that_ends_without_an_update_releases_its_step() -> None:
    graph = TaskGraph()
    task = graph.create("Ship it", [Step(id="build", title="Build it")])
    step = {"task_id": task.id, "step_id": "build"}
    claims = scripted_agent([call_of("agent.task_claim_step", **step)])

    async def fails(run: AgentRun) -> RunOutcome:
        await claims(run)
        assert graph.get(task.id).steps[0].state == "claimed"
        raise ValueError("no")

    for run_agent in (claims, fails):
        World(run_agent, tasks=TaskTools(graph)).one(call_of(WORKER, **step))
        assert graph.get(task.id).steps[0].state == "ready"


def test_an_agent_that_failed_leaves_its_worker_free() -> None:
    async def run_agent(_run: AgentRun) -> RunOutcome:
        raise ValueError("no")

    world = World(run_agent, workers=1)
    assert [code_of(result) for result in (world.one(worker("s1")), world.one(worker("s2")))] == ["handler_error"] * 2


def test_the_calls_of_an_agent_can_be_inspected_afterwards() -> None:
    script = scripted_agent(
        [call_of("code.read_file", path="a.md"), call_of("code.read_file", lines=3)],
        [call_of("code.no_such"), call_of("router.invoke_skill", name="x", input={"api_key": "hunter2"})],
        answer="done",
    )
    page = {"content": "", "start_line": 1, "truncated": False, "truncated_lines": []}
    world = World(script, tools={"code.read_file": lambda _args, _meta: page})
    link = run_link(world.one(sub()))
    assert value_of(inspected(world, link["agent_id"])).splitlines() == [
        f"default_sub (sub), run {link['run_id']}: completed, calls: 4",
        '1. code.read_file {"path":"a.md"}: ok',
        '2. code.read_file {"lines":3}: validation_error, invalid payload',
        "3. code.no_such {}: tool_not_available, unknown tool",
        '4. router.invoke_skill {"input":{"api_key":"[redacted]"},"name":"x"}: ok',
    ]


def test_only_the_last_calls_and_the_beginning_of_long_args_are_shown() -> None:
    calls = [call_of("code.list_dir", path=f"{number}{'x' * 200}") for number in range(CALLS + 7)]
    listing = {"entries": [], "truncated": False}
    world = World(scripted_agent(calls), tools={"code.list_dir": lambda _args, _meta: listing})
    lines = value_of(inspected(world, run_link(world.one(sub()))["agent_id"])).splitlines()
    assert lines[1:3] == ["(the first 7 are left out)", f'8. code.list_dir {{"path":"7{"x" * 110}…: ok']
    assert len(lines) == 2 + CALLS


def test_a_payload_that_is_not_json_is_not_shown() -> None:
    world = World(scripted_agent([ToolRequest(name="code.read_file", payload=b'{"path": hunter2')]))
    text = value_of(inspected(world, run_link(world.one(sub()))["agent_id"]))
    assert "1. code.read_file (no JSON): validation_error, invalid payload" in text


@pytest.mark.parametrize("meta", [ToolCallMeta(user="eve", session_id="s"), ToolCallMeta(user="ann", session_id="t")])
def test_an_agent_can_be_inspected_only_in_its_own_session(meta: ToolCallMeta) -> None:
    world = World(scripted_agent())
    agent_id = run_link(world.one(sub()))["agent_id"]
    assert inspected(world, agent_id).success
    result = inspected(world, agent_id, meta)
    assert result.error is not None
    assert (result.error.code, result.error.message) == (
        "unknown_agent",
        f"there is no record of an agent with the id '{agent_id}'",
    )


@pytest.mark.parametrize(("raised", "state"), [(None, "completed"), (ValueError("no"), "failed")])
def test_an_inspection_shows_how_an_agent_ended(raised: Exception | None, state: str) -> None:
    async def run_agent(_run: AgentRun) -> RunOutcome:
        if raised:
            raise raised
        return RunOutcome(value="done")

    world = World(run_agent)
    assert f": {state}, calls: 0" in value_of(inspected(world, run_link(world.one(sub()))["agent_id"]))


def test_an_agent_can_be_inspected_while_running_and_after_an_abort() -> None:
    held = Held(1)
    world = World(held)
    run = world.start()

    async def state() -> str:
        agent_id = str(held.runs[0].run.meta.agent_id)
        result = await world.runtime.turn([call_of("agent.inspect_agent", agent_id=agent_id)], world.start())
        return str(value_of(result[0])).partition(": ")[2]

    async def main() -> None:
        turn = asyncio.ensure_future(world.runtime.turn([sub()], run))
        await held.all_started.wait()
        assert await state() == "running, calls: 0"
        run.abort()
        await turn
        assert await state() == "cancelled, calls: 0"

    in_loop(main)


def test_the_oldest_agents_are_forgotten_if_there_are_many() -> None:
    world = World(scripted_agent())
    first, *others = [run_link(world.one(sub()))["agent_id"] for _ in range(AGENTS + 1)]
    assert code_of(inspected(world, first)) == "unknown_agent"
    assert all(inspected(world, other).success for other in (others[0], others[-1]))
