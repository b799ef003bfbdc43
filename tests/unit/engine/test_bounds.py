"""Bounds and answers of a run hold whichever process executes it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from tests.unit.engine import app
from tests.unit.engine.app import ScriptPlanner, request, search, write
from tests.unit.engine.engines import LateEngine, until
from tests.unit.runtime.tools import idle_executors
from tests.unit.toolsets.agent.agents.world import sub
from toolgen.agents.exported import agent_executor
from toolgen.cli.commands.runs.runs import command as runs
from toolgen.contract.records import ToolsetRegistration
from toolgen.engine import EngineHost, LocalEngine, run_children
from toolgen.engine.dbos import DbosWorker, database_url, prepare_database
from toolgen.engine.schedules import Schedule, ScheduleNotFound
from toolgen.runtime import Runtime, load
from toolgen.runtime.policy.approval import ask_before_call
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.toolsets.agent import agent_registration
from toolgen.toolsets.agent.agents import AgentTools
from toolgen.toolsets.agent.tasks import TaskTools
from toolgen.toolsets.agent.tasks.task import TaskGraph

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.engine.engines import Engines, Running
    from toolgen.engine import RunEnd

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
ALLOW_FOR_SESSION = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)
WAITS = search([("router.web_search", {"query": "x"})])
"""A call that starts an agent, which waits for a person."""


def refused(end: RunEnd) -> list[bool]:
    """Return for each call of a run, in order, whether there were too many agents."""
    return [
        "this run has started 4 agents, the maximum" in each.content for each in end.messages if each.role == "tool"
    ]


async def allow(running: Running, run_id: str, decision: PermissionDecision = ALLOW) -> None:
    (asked,) = await running.questions(run_id)
    await running.engine.decide(run_id, asked.id, decision, by="ann")


async def children_that_wait(running: Running) -> list[str]:
    """Wait until an agent asks a person, and return the ids of those that do."""
    engine: Any = running.engine
    waiting = await until(lambda: engine.runs(states=["waiting"]), lambda runs: any("." in run.run_id for run in runs))
    return [run.run_id for run in waiting]


def test_agents_of_a_run_are_counted_over_restarts(durable: Engines) -> None:
    async def body() -> None:
        async with asyncio.timeout(100):
            async with durable.opened() as running:
                turns = [search()] * 3, [write("a")], [search()] * 3
                await running.engine.start(request(*turns, run_id="r1"))
                await running.questions("r1")
            async with durable.opened() as running:
                await allow(running, "r1")
                end = await running.engine.result("r1", 300)
        before, after = refused(end)[:4], refused(end)[4:]
        assert (before, sorted(after)) == ([False] * 4, [False, True, True])  # the last three are made together

    asyncio.run(body())


class FailingOnce(ScriptPlanner):
    """Follows the script of the run, and fails once after four calls."""

    has_failed = False

    async def plan(self, messages: Any, *args: Any) -> Any:
        if not self.has_failed and sum(message.role == "tool" for message in messages) == 4:
            self.has_failed = True
            raise TypeError("the planner failed")
        return await super().plan(messages, *args)


def test_agents_of_a_run_are_counted_when_it_is_resumed_and_forked(
    engines: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        await engine.start(request([search()] * 4, [search()] * 2, run_id="r1"))
        assert (await engine.result("r1", 300)).stopped == "failed"
        await engine.resume("r1")
        end = await engine.result("r1", 300)
        assert refused(end) == [False] * 4 + [True] * 2
        plans = [step.number for step in await engine.timeline("r1") if step.name == "plan"]
        fork = await engine.fork("r1", plans[-1])
        assert refused(await engine.result(fork, 300)) == [False] * 4 + [True] * 2

    def use(host: EngineHost) -> None:
        monkeypatch.setattr(host, "planners", {"default": FailingOnce()})

    engines.run(body, change=use)


FAILING_PLANNER = [["router.web_search", 5, 6, 7]]
"""The calls of a turn that the planner of an agent cannot read."""


@pytest.mark.parametrize("failing", range(1, 5))
def test_an_agent_that_fails_is_started_once_and_takes_one_place(engines: Engines, failing: int) -> None:
    agents = [(app.SEARCH, {"query": json.dumps({"turns": [FAILING_PLANNER], "n": n})}) for n in range(failing)]
    turns = [[agent] for agent in agents] + [[search()] for _ in range(5 - failing)]

    async def body(running: Running) -> None:
        await running.engine.start(request(*turns, run_id="r1"))
        end = await running.engine.result("r1", 300)
        assert refused(end) == [False] * 4 + [True]
        ends = [message.content for message in end.messages if message.role == "tool"]
        assert ["ended without an answer" in each for each in ends] == [True] * failing + [False] * (5 - failing)
        assert running.count("call") + running.count("inline") == 5, "nothing was made again"
        assert sum(info.parent_run_id == "r1" for info in await running.engine.runs()) == 4

    engines.run(body)


def test_agents_at_a_time_are_those_of_all_runs_below_the_same_one(tmp_path: Path) -> None:
    """Three agents start three each, which wait for a person: with themselves, eight may run at a time."""
    subs = [sub(json.dumps({"turns": [[WAITS] * 3], "answer": "done"}))] * 3
    calls = [(each.name, json.loads(each.payload)) for each in subs]

    async def body() -> None:
        late = LateEngine()
        catalog = load("generated")
        run_agent = run_children(late)
        runtime = Runtime(
            catalog,
            executors=[
                agent_executor(catalog, "orchestrator.research", run_agent),
                agent_registration(agents=AgentTools(catalog, run_agent), tasks=TaskTools(TaskGraph())),
                ToolsetRegistration(toolset="router", executor=app.Effects(tmp_path)),
                *idle_executors(catalog, "orchestrator.research", "agent", "router"),
            ],
            permission=ask_before_call,
            disabled_policies=["bot"],
        )
        engine = late.engine = LocalEngine(EngineHost(runtime, ScriptPlanner()))
        await engine.start(request(calls, run_id="r1"))
        most = 0
        while (await engine.info("r1")).state not in ("ended", "failed"):
            below = [info for info in await engine.runs(limit=100) if "." in info.run_id and info.state != "ended"]
            most = max(most, len(below))
            if len(below) >= 8 or most == 8:
                for info in below:
                    for asked in await engine.approvals(info.run_id):
                        await engine.decide(info.run_id, asked.id, ALLOW, by="ann")
            await asyncio.sleep(0.05)
        assert (most, len(await engine.runs(limit=100))) == (8, 13), "what is too many waits until others have ended"

    asyncio.run(body())


def test_an_agent_counts_once_when_its_call_is_made_again(durable: Engines) -> None:
    """Three calls of a turn have ended, and a fourth is made again: there is none left for a fifth."""

    async def body() -> None:
        async with asyncio.timeout(100):
            async with durable.opened() as running:
                engine: Any = running.engine
                await engine.start(request([WAITS, *[search()] * 3], [search()], run_id="r1"))
                await children_that_wait(running)
                await until(lambda: engine.timeline("r1"), lambda steps: len(steps) == 4)  # a plan, and three calls
            async with durable.opened() as running:
                (child,) = await children_that_wait(running)
                await allow(running, child)
                end = await running.engine.result("r1", 300)
        assert refused(end) == [False] * 4 + [True]

    asyncio.run(body())


def test_an_answer_for_the_session_holds_in_its_run_after_a_restart(durable: Engines) -> None:
    async def body() -> None:
        async with asyncio.timeout(100):
            async with durable.opened() as running:
                await running.engine.start(request([write("a")], [WAITS], [write("a")], run_id="r1"))
                await allow(running, "r1", ALLOW_FOR_SESSION)
                (child,) = await children_that_wait(running)
            async with durable.opened() as running:
                await allow(running, child)
                assert (await running.engine.result("r1", 300)).stopped == "completed"
                assert running.marks() == ["a", "x", "a"]
                other = await running.engine.start(request([write("a")]))
                await running.questions(other)

    asyncio.run(body())


INF, NAN = float("inf"), float("nan")
OF_RUNS: list[tuple[dict[str, Any], str]] = [
    *(({what: time}, f"{what} is") for what in ("before", "after") for time in (INF, -INF, NAN, 1e300, -1.0, "1")),
    *(({"limit": limit}, "limit is") for limit in (10**30, -1, 2.5, NAN, "5")),
    *(({what: "a\udcff"}, f"{what} has half") for what in ("user", "agent", "worker")),
    ({"user": "a\0"}, "user has a NUL"),
    ({"user": 5}, "user is no text"),
]


def test_what_selects_no_runs_of_any_database_is_refused(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        for selection, message in OF_RUNS:
            with pytest.raises(ValueError, match=message):
                await engine.runs(**selection)
        for seconds in (INF, NAN, -1.0, 1e300, "5"):
            with pytest.raises(ValueError, match="seconds is"):
                await engine.prune(seconds)
        with pytest.raises(ValueError, match="turns is"):
            await engine.resume("r", turns=10**30)
        with pytest.raises(ValueError, match="by has half"):
            await engine.set_schedule(Schedule(name="s", request=request([]), every=60.0), by="a\udcff")
        for name in ("a\udcff", "a\0", ""):
            for steer in (engine.pause_schedule, engine.remove_schedule):
                with pytest.raises(ScheduleNotFound):
                    await steer(name)
        assert await engine.runs(limit=0, before=0.0, after=253_402_300_799.0) == []
        assert (await engine.prune(36_500 * 24 * 3600.0)).runs == 0

    engines.run(body)


@pytest.mark.parametrize(
    "args",
    [
        ["list", "--older-than", "99999999d"],
        ["list", "--newer-than", "1e300"],
        ["list", "--limit", "99999999999999999999999"],
        ["list", "--user", "a\udcff"],
        ["cancel", "--agent", "a\udcff", "--yes"],
        ["list", "--worker", "x" * 2000],
        ["prune", "--older-than", "1e300"],
        ["prune", "--older-than", "nan"],
        ["prune", "--older-than", "99999999d"],
        ["prune", "--older-than", "30", "--yes"],
        ["resume", "r", "--turns", "99999999999999999999999"],
        ["schedules", "pause", "a\udcff"],
        ["show", "a\udcff"],
        ["signal", "r", "go", "1", "--key", "a\udcff"],
    ],
    ids=lambda args: ascii(" ".join(args))[:40],
)
def test_commands_bound_what_they_are_given(args: list[str], tmp_path: Path) -> None:
    database = tmp_path / "runs.sqlite"
    prepare_database(database_url(database))
    done = CliRunner().invoke(runs, args, env={"TOOLGEN_DATABASE": str(database)})
    assert done.exit_code == 2, done.output
    assert "database of the runs" not in done.output


def test_commands_take_the_greatest_age(tmp_path: Path) -> None:
    database = tmp_path / "runs.sqlite"
    prepare_database(database_url(database))
    for args in (["list", "--older-than", "36500d"], ["prune", "--older-than", "36500d", "--yes"]):
        done = CliRunner().invoke(runs, args, env={"TOOLGEN_DATABASE": str(database)})
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"concurrency": 10**30}, "concurrency is"),
        ({"per_user": 10**30}, "per_user is"),
        ({"keep": 1e300}, "keep is"),
        ({"name": "a\udcff"}, "name has half"),
    ],
)
def test_a_worker_refuses_bounds_beyond_all_databases(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    late: Any = LateEngine()
    with pytest.raises(ValueError, match=message):
        DbosWorker(app.host(late, tmp_path), database_url(tmp_path / "runs.sqlite"), **settings)
