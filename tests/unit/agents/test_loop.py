"""The loop of an agent: plan, make the calls, resume; in a run of its own and in runs that calls start."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.telemetry.spans import Kept
from tests.unit.toolsets.agent.agents.world import World, call_of, code_of, scripted_agent, sub
from toolgen.agents import Message, PlannedCalls, RunOutcome, ScriptedPlanner, planner_loop, run_agent
from toolgen.agents.planner import message_as_json, message_from_json
from toolgen.runtime import RunEnded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.agents.planner import Plan
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.definition import ToolDefinition

READ = call_of("code.list_dir", path=".")
WRITE = call_of("code.write_file", path="a", content="x")
FOUND = {"entries": [{"path": "b.txt", "kind": "file"}], "truncated": False}
START = (Message(role="user", content="go"),)


class Noting:
    """A planner that notes what it was given, and follows a script."""

    def __init__(self, planner: Any) -> None:
        self.seen: list[tuple[Message, ...]] = []
        self.tools: Mapping[str, ToolDefinition] = {}
        self.meta: ToolCallMeta | None = None
        self._planner = planner

    async def plan(
        self, messages: Sequence[Message], tools: Mapping[str, ToolDefinition], meta: ToolCallMeta, /
    ) -> Plan:
        self.seen.append(tuple(messages))
        self.tools, self.meta = tools, meta
        plan: Plan = await self._planner.plan(messages, tools, meta)
        return plan


def test_an_agent_plans_calls_and_resumes_with_the_results_until_it_has_an_answer() -> None:
    world = World(scripted_agent(), tools={"code.list_dir": lambda _args, _meta: FOUND})
    planner = Noting(ScriptedPlanner([READ, call_of("code.nowhere")], [WRITE], answer={"n": 1}))
    result = asyncio.run(run_agent(world.runtime, "main", START, planner))
    assert (result.outcome, result.turns, result.stopped) == (RunOutcome(value={"n": 1}), 3, "completed")
    first, second, third = planner.seen
    assert first == START
    assert second[:1] == START
    assert second[1] == Message(role="assistant", calls=(READ, call_of("code.nowhere")))
    answered, unknown = second[2:]
    assert (answered.role, answered.name, answered.content, answered.is_error) == (
        "tool", "code.list_dir", json.dumps(FOUND, separators=(",", ":")), False,
    )  # fmt: skip
    assert unknown.is_error
    assert third[: len(second)] == second
    assert result.messages == third
    assert [tool for _, tool in world.ran] == ["code.list_dir", "code.write_file"]


def test_the_tools_of_a_planner_are_those_of_its_run() -> None:
    world = World(scripted_agent())
    planner = Noting(ScriptedPlanner())
    run = world.start("default_sub")
    asyncio.run(run_agent(world.runtime, "default_sub", START, planner, run=run))
    assert set(planner.tools) == set(run.effective.offered)
    assert len(planner.tools) == len(run.effective.offered)
    assert set(run.effective.tools) - set(planner.tools) == {"local.git_grep_log"}, "a policy denies it"
    assert planner.tools["code.read_file"].input_schema == world.catalog.definition("code.read_file").input_schema
    assert "agent.create_sub_agent" not in planner.tools
    with pytest.raises(KeyError):
        planner.tools["agent.create_sub_agent"]
    assert planner.meta == run.meta


def test_after_max_turns_the_conversation_can_go_on() -> None:
    world = World(scripted_agent())
    planner = ScriptedPlanner([READ], [READ], answer="late")
    first = asyncio.run(run_agent(world.runtime, "main", START, planner, max_turns=2))
    assert (first.outcome, first.turns, first.stopped) == (None, 2, "max_turns")
    rest = asyncio.run(run_agent(world.runtime, "main", first.messages, planner))
    assert (rest.outcome, rest.turns) == (RunOutcome(value="late"), 1)


@pytest.mark.parametrize("max_turns", [0, -1])
def test_an_agent_plans_at_least_once(max_turns: int) -> None:
    world = World(scripted_agent())
    with pytest.raises(ValueError, match=f"max_turns is {max_turns}; it must be at least 1"):
        asyncio.run(run_agent(world.runtime, "main", START, ScriptedPlanner(), max_turns=max_turns))


def test_an_aborted_run_plans_no_more() -> None:
    world = World(scripted_agent())
    run = world.start()

    class Aborting:
        async def plan(self, *_: Any) -> Plan:
            run.abort("enough")
            return PlannedCalls(message=Message(role="assistant", calls=(WRITE,)), telemetry={"tokens": 3})

    result = asyncio.run(run_agent(world.runtime, "main", START, Aborting(), run=run))
    assert (result.outcome, result.turns, result.stopped) == (None, 1, "aborted")
    assert result.messages[-1].is_error
    assert world.ran == []


def test_a_run_that_ends_while_its_agent_works_plans_no_more_and_has_one_end() -> None:
    world = World(scripted_agent())
    run = world.start()
    asked: list[int] = []

    class Ending:
        async def plan(self, *_: Any) -> Plan:
            asked.append(len(asked))
            await world.runtime.end_run(run, "shut down")
            return PlannedCalls(message=Message(role="assistant", calls=(WRITE,)))

    with pytest.raises(RunEnded):
        asyncio.run(run_agent(world.runtime, "main", START, Ending(), run=run))
    assert (asked, world.ran) == ([0], [])
    assert [event.data["end_reason"] for event in world.events(run.meta.run_id, "run_ended")] == ["shut down"]


def test_the_end_of_a_run_ends_the_agents_that_it_started() -> None:
    """Whatever their planners do: none makes a call, and none is asked again, after the end of the run above."""
    asked: list[int] = []

    class Writing:
        async def plan(self, *_: Any) -> Plan:
            asked.append(len(asked))
            if len(asked) == 3:
                await world.runtime.end_run(run)
            return PlannedCalls(message=Message(role="assistant", calls=(WRITE,)))

    world = World(lambda child: planner_loop(Writing(), world.catalog)(child))
    run = world.start()

    (result,) = asyncio.run(world.runtime.turn([sub()], run))
    assert result.error is not None
    assert (result.error.code, result.metadata["abort_reason"]) == ("aborted", "the run that started it has ended")
    assert (len(asked), len(world.ran)) == (3, 2)


def test_a_run_that_has_ended_is_not_run_again() -> None:
    world = World(scripted_agent())
    run = world.start()
    asyncio.run(run_agent(world.runtime, "main", START, ScriptedPlanner([READ]), run=run))
    before = len(world.events(run.meta.run_id, "run_ended"))
    with pytest.raises(RunEnded, match=r"^the run has ended; start another one, with its session if its grants go on$"):
        asyncio.run(run_agent(world.runtime, "main", START, ScriptedPlanner([READ]), run=run))
    assert (before, len(world.events(run.meta.run_id, "run_ended"))) == (1, 1)


@pytest.mark.parametrize(
    ("planner", "reason"),
    [
        (ScriptedPlanner([READ]), "completed"),
        (ScriptedPlanner([READ], [READ], [READ]), "max_turns"),
    ],
    ids=["with an answer", "without one"],
)
def test_the_end_of_a_run_is_on_record(planner: ScriptedPlanner, reason: str) -> None:
    world = World(scripted_agent())
    run = world.start()
    asyncio.run(run_agent(world.runtime, "main", START, planner, run=run, max_turns=2))
    assert [event.data["end_reason"] for event in world.events(run.meta.run_id, "run_ended")] == [reason]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(KeyError("x"), "failed"), (asyncio.CancelledError(), "cancelled")],
    ids=["error", "cancelled"],
)
def test_a_planner_that_fails_ends_its_run(error: BaseException, reason: str) -> None:
    class Failing:
        async def plan(self, *_: Any) -> Plan:
            raise error

    world = World(scripted_agent())
    run = world.start()
    with pytest.raises(type(error)):
        asyncio.run(run_agent(world.runtime, "main", START, Failing(), run=run))
    assert [event.data["end_reason"] for event in world.events(run.meta.run_id, "run_ended")] == [reason]


def test_a_planner_executes_the_agents_that_calls_start() -> None:
    planner = Noting(ScriptedPlanner([READ], answer="found"))
    runs: list[Any] = []

    async def execute(run: Any) -> RunOutcome:
        runs.append(run)
        return await planner_loop(planner, world.catalog, max_turns=2)(run)

    world = World(execute)
    assert code_of(world.one(sub("look"))) == "ok"
    assert [message.role for message in planner.seen[0]] == ["system", "user"]
    assert planner.seen[0][1].content == "look"
    assert planner.meta == runs[0].run.meta
    assert [tool for _, tool in world.ran] == ["code.list_dir"]


def test_an_agent_without_an_answer_fails_the_call_that_started_it() -> None:
    world = World(lambda run: planner_loop(ScriptedPlanner([READ], [READ]), world.catalog, max_turns=1)(run))
    error = world.one(sub()).error
    assert error is not None
    assert (error.code, error.message) == ("max_turns", "default_sub had no answer after 1 turns")


@pytest.mark.parametrize(
    "message",
    [
        Message(role="user", content="é"),
        Message(role="assistant", calls=(READ, WRITE), response={"id": "r", "content": []}),
        Message(role="tool", name="a.b", tool_call_id="c", content="{}", is_error=True),
    ],
    ids=lambda message: message.role,
)
def test_messages_survive_json(message: Message) -> None:
    fields = message_as_json(message)
    assert message_from_json(fields) == message
    assert None not in fields.values()


@pytest.mark.parametrize("telemetry", [False, True])
@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (None, "the planner returned a NoneType; it must return Calls with a Message, or an Outcome"),
        (PlannedCalls(message=Message(role="assistant", calls=(None,))), "whose call 0 has a NoneType as its name"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_a_planner_that_returns_no_plan_is_told_so(plan: Any, reason: str, telemetry: bool) -> None:
    class Junk:
        async def plan(self, *_: object) -> Any:
            return plan

    world = World(scripted_agent(), telemetry=Kept().telemetry if telemetry else None)
    with pytest.raises(TypeError, match=reason):
        asyncio.run(run_agent(world.runtime, "main", START, Junk()))
