"""Requirements of typed toolsets run by agents: inline, as separate runs, linked to the call."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grimp
import pytest

from tests.unit.runtime.responses import RESPONSES
from tests.unit.toolsets.agent.agents.world import (
    FOUND,
    VERDICT,
    VERIFY,
    World,
    call_of,
    scripted_agent,
    search,
    value_of,
)
from toolgen.agents import Message, ModelPlanner, planner_loop, run_agent, subscribe
from toolgen.agents.exported import AgentExecutor, agent_executor
from toolgen.agents.planner import RunOutcome, ScriptedPlanner
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest, ToolResult
from toolgen.execute.command import CommandHost
from toolgen.execute.command import command_executor as commands
from toolgen.runtime import load
from toolgen.runtime.base.errors import ToolNotFound
from toolgen.runtime.calls.result import tool_error_from_error
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.agents.runs import AgentRun
    from toolgen.runtime.runs.run import Run


@pytest.mark.parametrize("name", ["orchestrator.research.serach", "search", "", "router.web_search"])
def test_goa_29_the_agent_executor_reports_an_unknown_tool_with_this_message(name: str) -> None:
    async def never(_run: AgentRun) -> RunOutcome:
        raise AssertionError("it ran")

    agents = AgentExecutor(load("generated"), "orchestrator.research", never)
    with pytest.raises(ToolNotFound) as raised:
        asyncio.run(agents.execute(ToolRequest(name=name), ToolCallMeta()))
    assert_unknown(raised.value)


@pytest.mark.parametrize("name", ["local.nothing", "count_lines", "", "code.read_file"])
def test_goa_29_the_command_executor_reports_an_unknown_tool_with_this_message(name: str, tmp_path: Path) -> None:
    made = commands(load("generated"), "local", CommandHost(paths=PathPolicy(tmp_path))).executor
    assert made is not None

    async def call() -> Any:
        outcome: Any = made.execute(ToolRequest(name=name), ToolCallMeta())
        return await outcome

    with pytest.raises(ToolNotFound) as raised:
        asyncio.run(call())
    assert_unknown(raised.value)


def assert_unknown(raised: ToolNotFound) -> None:
    """Check the error that the pipeline returns to the caller."""
    error = tool_error_from_error(raised)
    assert (error.message, error.kind, error.code) == (
        "unknown tool", FailureKind.TOOL_NOT_AVAILABLE, "tool_not_available",
    )  # fmt: skip


HIT = {"id": "1", "score": 0.5, "text": "A"}


@dataclass
class ResearchCall:
    """One call of the researcher: its run, the input of the child, and how the call ended."""

    world: World
    parent: Run
    child: AgentRun
    result: ToolResult[Any]


def research_call(request: ToolRequest | None = None, answer: Any = FOUND) -> ResearchCall:
    """Call the researcher, which searches twice in one turn and once in another."""
    runs: list[AgentRun] = []

    async def run_agent(run: AgentRun) -> RunOutcome:
        runs.append(run)
        await run.turn([call_of("router.web_search", query="a"), call_of("router.web_search", query="b")])
        await run.turn([call_of("router.web_search", query="c")])
        return RunOutcome(value=answer, telemetry={"tokens": 7})

    pages = ToolResult[Any](value=[HIT], telemetry={"pages": 1})
    world = World(run_agent, tools={"router.web_search": lambda _args, _meta: pages})
    parent = world.start()
    result = world.one(request or search(), run=parent)
    return ResearchCall(world, parent, runs[0], result)


@pytest.mark.parametrize(
    ("request_", "answer", "decoded"),
    [
        (call_of(VERIFY, claim="it is", sources=[]), VERDICT, 0),
        (search(), FOUND, 1),
    ],
)
def test_goa_09_a_payload_is_decoded_only_if_a_prompt_needs_it(
    request_: ToolRequest, answer: Any, decoded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    decodings: list[str] = []

    def counted(text: str) -> Any:
        decodings.append(text)
        return json.loads(text)

    monkeypatch.setattr("toolgen.agents.exported.from_json", counted)
    found = research_call(request_, answer)
    assert found.result.success
    assert len(decodings) == decoded
    text = found.child.messages[1].content
    assert (text == '{"claim":"it is","sources":[]}') == (not decoded), "without a template it is the canonical JSON"


def test_goa_19_an_agent_toolset_runs_inline_in_the_loop_of_its_caller() -> None:
    registration = agent_executor(load("generated"), "orchestrator.research", scripted_agent())
    assert registration.inline
    seen: list[tuple[object, object]] = []

    async def run_agent(_run: AgentRun) -> RunOutcome:
        seen.append((threading.current_thread(), asyncio.get_running_loop()))
        return RunOutcome(value=FOUND)

    world = World(run_agent)

    async def main() -> None:
        await world.turn(search())
        assert seen == [(threading.current_thread(), asyncio.get_running_loop())]

    asyncio.run(main())


def test_goa_19_a_runtime_knows_which_tools_are_inline() -> None:
    """An engine schedules no activity for them."""
    runtime = World(scripted_agent()).runtime
    assert runtime.is_inline("orchestrator.research.search")
    assert not runtime.is_inline("router.web_search")
    with pytest.raises(ToolNotFound):
        runtime.is_inline("router.nothing")


def test_goa_20_the_agent_runs_as_a_child_with_its_own_run() -> None:
    found = research_call()
    child, parent = found.child.run.meta, found.parent.meta
    assert child.run_id
    assert child.run_id != parent.run_id
    assert (child.parent_run_id, child.parent_agent_id) == (parent.run_id, parent.agent_id)
    assert [event.tool for event in found.world.events(child.run_id, "tool_completed")] == ["router.web_search"] * 3


def test_goa_21_the_call_contains_the_run_of_the_parent_and_its_own_id() -> None:
    metas: list[ToolCallMeta] = []

    async def delegate(_args: Any, meta: ToolCallMeta) -> str:
        metas.append(meta)
        return "done"

    world = World(scripted_agent(), tools={"router.delegate_to_agent": delegate})
    parent = world.start()
    result = world.one(call_of("router.delegate_to_agent", to="default_sub", request="go"), run=parent)
    assert [(meta.run_id, meta.tool_call_id) for meta in metas] == [(parent.meta.run_id, result.tool_call_id)]
    found = research_call()
    child = found.child.run.meta
    assert (child.parent_run_id, child.parent_tool_call_id) == (found.parent.meta.run_id, found.result.tool_call_id)


def test_goa_22_the_child_receives_exactly_a_system_and_a_user_message() -> None:
    system, user = research_call(search("Who was first?")).child.messages
    assert (system.role, user.role) == ("system", "user")
    assert system.content.startswith("You are a careful researcher.")
    assert user.content.startswith("Question: Who was first?\n")


def test_goa_23_the_result_has_the_payload_the_telemetry_the_count_and_the_link() -> None:
    found = research_call()
    child = found.child.run.meta
    assert found.result.payload == b'{"answer":"yes","sources":[]}'
    assert found.result.telemetry == {"tokens": 7, "pages": 3}
    assert found.result.metadata["children_count"] == 3
    assert found.result.metadata["run_link"] == {
        "run_id": child.run_id,
        "agent": "orchestrator.researcher",
        "agent_id": child.agent_id,
    }
    assert value_of(found.result).answer == "yes"


def test_goa_23_the_child_plans_executes_and_resumes_until_it_has_an_answer() -> None:
    histories: list[list[str]] = []

    class Planner(ScriptedPlanner):
        async def plan(self, messages: Any, tools: Any, meta: ToolCallMeta, /) -> Any:
            histories.append([message.role for message in messages])
            return await super().plan(messages, tools, meta)

    planner = Planner(
        [call_of("router.web_search", query="a"), call_of("router.web_search", query="b")],
        [call_of("router.web_search", query="c")],
        answer=FOUND,
    )
    pages = ToolResult[Any](value=[HIT], telemetry={"pages": 1})
    world = World(
        lambda run: planner_loop(planner, world.catalog)(run), tools={"router.web_search": lambda _args, _meta: pages}
    )
    parent = world.start()
    result = world.one(search(), run=parent)
    first = ["system", "user"]
    second = [*first, "assistant", "tool", "tool"]
    assert histories == [first, second, [*second, "assistant", "tool"]]
    (child,) = {run_id for run_id, _ in world.ran}
    assert child != parent.meta.run_id
    assert (result.payload, result.telemetry) == (b'{"answer":"yes","sources":[]}', {"pages": 3})
    assert (result.metadata["children_count"], result.metadata["run_link"]["run_id"]) == (3, child)


def test_goa_24_the_record_of_the_parent_links_to_the_child_between_start_and_end() -> None:
    found = research_call()
    events = found.world.events(found.parent.meta.run_id)
    assert [event.kind for event in events] == [
        "tool_started",
        "agent_run_started",
        "agent_run_ended",
        "tool_completed",
    ]
    assert {event.tool_call_id for event in events} == {found.result.tool_call_id}
    assert events[1].data["run_id"] == found.child.run.meta.run_id
    assert events[2].data == {**events[1].data, "state": "completed"}


@pytest.mark.parametrize(
    ("ends", "state"), [(None, "completed"), (ValueError("no sources"), "failed"), ("abort", "cancelled")]
)
def test_goa_24_the_link_records_how_the_child_ended(ends: Any, state: str) -> None:
    parents: list[Run] = []

    async def run_agent(_run: AgentRun) -> RunOutcome:
        if ends == "abort":
            parents[0].abort("stop")
            await asyncio.sleep(5)
        if isinstance(ends, ValueError):
            raise ends
        return RunOutcome(value=FOUND)

    world = World(run_agent)
    parents.append(world.start())
    result = world.one(search(), run=parents[0])
    assert result.success is (state == "completed")
    (started,) = world.events(parents[0].meta.run_id, "agent_run_started")
    (ended,) = world.events(parents[0].meta.run_id, "agent_run_ended")
    assert ended.data == {**started.data, "state": state}
    assert ended.tool_call_id == started.tool_call_id == result.tool_call_id


@pytest.mark.parametrize("module", ["toolgen.agents.planner", "toolgen.agents.model_planner"])
def test_goa_37_planners_import_no_codec(module: str) -> None:
    graph = grimp.build_graph("toolgen", exclude_type_checking_imports=True)
    needed = graph.find_upstream_modules(module)
    assert [each for each in sorted(needed) if each.startswith("toolgen.runtime.codec")] == []
    run = f"import {module}, sys; print([each for each in sys.modules if each.startswith('toolgen.runtime.codec')])"
    assert subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_goa_37_what_a_planner_returns_is_validated_by_the_runtime_and_the_hints_are_for_the_model() -> None:
    """The planner passes on what the model wrote, valid or not."""
    call = ToolRequest(name="router.web_search", payload='{"qeury": "a"}', tool_call_id="c1")
    model = ScriptedModel(call, RESPONSES["openai"]("sorry", []))
    world = World(scripted_agent())
    start = (Message(role="user", content="go"),)
    result = asyncio.run(run_agent(world.runtime, "main", start, ModelPlanner(model)))
    assert result.outcome == RunOutcome(value="sorry", telemetry={"requests": 1})
    assert world.ran == []
    answer = model.requests[1].messages[-1]
    assert answer["role"] == "tool"
    assert all(part in answer["content"] for part in ("invalid payload", "`query`", "args that fit: "))


@pytest.mark.parametrize("children", [True, False], ids=["all", "one"])
def test_goa_24_a_subscriber_attaches_to_all_children_or_to_one(children: bool) -> None:
    """The stream has the progress of the tools as well."""

    def found(_args: Any, meta: ToolCallMeta) -> Any:
        meta.report({"pages": 1})
        return [HIT]

    async def run_agent(run: AgentRun) -> RunOutcome:
        await run.turn([call_of("router.web_search", query="a")])
        return RunOutcome(value=FOUND)

    world = World(run_agent, tools={"router.web_search": found})

    async def main() -> tuple[list[Any], ToolResult[Any]]:
        run = world.start()
        (result,) = await world.turn(search(), run=run)
        await world.runtime.end_run(run)
        attached = str(run.meta.run_id) if children else result.metadata["run_link"]["run_id"]
        return [event async for event in subscribe(world.store, attached, children=children)], result

    events, result = asyncio.run(main())
    child = result.metadata["run_link"]["run_id"]
    of_child = ["tool_started", "tool_progress", "tool_completed", "run_ended"]
    assert [event.kind for event in events if event.run_id == child] == of_child
    kinds = [event.kind for event in events]
    if children:
        assert kinds[:3] == ["tool_started", "agent_run_started", "tool_started"]
        assert kinds[-2:] == ["tool_completed", "run_ended"]
        assert events[1].data["run_id"] == child
    else:
        assert kinds == of_child
