"""Runs that calls start: a call that ends leaves none, and one that is made again finds its own."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from dbos._dbos import _get_dbos_instance
from sqlalchemy import exc

from tests.unit.engine.app import SEARCH, read, request, search
from tests.unit.engine.engines import until
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.engine.dbos import tables
from toolgen.engine.dbos.worker import _working
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from tests.unit.engine.engines import Engines, Running

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)
WAITS = search([("router.web_search", {"query": "x"})])
"""A call that starts an agent, which waits for a person."""


async def child_of(running: Running, run_id: str) -> str:
    """Wait until a run of an agent that a run started asks something, and return its id."""
    engine: Any = running.engine
    (child,) = await until(partial(engine.runs, states=["waiting"]), lambda runs: len(runs) == 1)
    assert child.run_id.startswith(f"{run_id}.")
    found: str = child.run_id
    return found


async def allow(running: Running, run_id: str) -> None:
    (asked,) = await running.questions(run_id)
    await running.engine.decide(run_id, asked.id, ALLOW, by="ann")


async def state(running: Running, run_id: str) -> str:
    try:
        return (await running.engine.info(run_id)).state
    except RunNotFound:
        return "not found"


def test_a_call_that_is_cancelled_while_it_starts_an_agent_leaves_none(engines: Engines) -> None:
    async def body(running: Running) -> None:
        engine: Any = running.engine
        start, started, may_return = engine.start, asyncio.Event(), asyncio.Event()
        ids: list[str] = []

        async def start_slowly(request_: Any) -> str:
            run_id: str = await start(request_)
            ids.append(run_id)
            started.set()
            await may_return.wait()
            return run_id

        engine.start = start_slowly
        runtime = running.host.runtime
        run = runtime.start_run("main", meta=ToolCallMeta(run_id="r1", idempotency_key="r1:c1"))
        called = ToolRequest(name=SEARCH, payload=json.dumps(WAITS[1]), tool_call_id="c1")
        call = asyncio.create_task(runtime.invoke(called, meta=run.meta, run=run))
        await started.wait()
        call.cancel()
        await asyncio.sleep(0)
        may_return.set()
        await asyncio.wait([call])
        (child,) = ids
        assert await until(partial(state, running, child), lambda found: found in ("cancelled", "not found"))

    engines.run(body)


def test_an_agent_that_is_cancelled_alone_ends_its_call_and_not_the_run(durable: Engines) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([WAITS], [read("b")], run_id="r1"))
        await running.engine.cancel(await child_of(running, "r1"))
        end = await running.engine.result("r1", 300)
        answers = [message.is_error for message in end.messages if message.role == "tool"]
        assert (end.stopped, answers, running.marks()) == ("completed", [True, False], ["b"])

    durable.run(body)


def test_a_call_whose_run_is_not_its_own_any_more_does_not_end(durable: Engines) -> None:
    """What a call is told of the run that it waits for is read together with whether its own run goes on with it."""

    async def body(running: Running) -> None:
        engine: Any = running.engine
        database = _get_dbos_instance()._sys_db
        await engine.start(request([WAITS], run_id="r1"))
        child = await child_of(running, "r1")
        owner = database.get_workflow_owner("r1")
        assert owner is not None

        def told(of: str) -> bool | None:
            return tables.is_cancelled_for(database, "r1", of, child)

        assert (told(owner), told("another"), told("")) == (False, None, None)
        await engine.cancel("r1")
        assert (told(owner), told("")) == (None, None)
        await engine.resume("r1")
        await running.questions(child)
        again = await until(lambda: database.get_workflow_owner("r1"))
        assert (told(owner), told(again)) == (None, False)
        tables.cancel_run(database, child)
        assert told(again) is True
        tables.give_up(database, "r1", owner)  # of the execution that has lost the run
        assert database.get_workflow_owner("r1") in (again, None)  # None once it has ended

    durable.run(body)


def test_an_execution_that_is_lost_cancels_no_agent(durable: Engines) -> None:
    """A worker whose lease has run out gives its runs up, and the database may still say that they are its own."""

    async def body(running: Running) -> None:
        database = _get_dbos_instance()._sys_db
        await running.engine.start(request([WAITS], answer=7, run_id="r1"))
        child = await child_of(running, "r1")
        owner = database.get_workflow_owner("r1")
        execution = _working[0]._executions["r1"]
        execution.lose()
        await until(lambda: "r1" not in _working[0]._executions)
        assert await state(running, child) == "waiting"
        assert database.get_workflow_owner("r1") == owner
        tables.give_up(database, "r1", str(owner))
        await allow(running, child)
        end = await running.engine.result("r1", 300)
        assert (end.value, end.messages[-1].is_error) == (7, False)
        assert running.marks() == ["x"]

    durable.run(body)


def test_a_run_that_is_executed_again_for_its_database_keeps_its_agents(durable: Engines) -> None:
    """What the database says of one call of a turn does not end the others."""

    async def body(running: Running) -> None:
        database = _get_dbos_instance()._sys_db
        record = database.record_operation_result
        refusals: list[str] = []

        def refuse(result: Any, **options: Any) -> None:
            if result["function_name"].startswith(f"inline {SEARCH} ") and len(refusals) < 2:
                refusals.append(result["workflow_uuid"])
                raise exc.TimeoutError("no connection is free")
            record(result, **options)

        vars(database)["record_operation_result"] = refuse
        await running.engine.start(request([WAITS, search()], answer=7, run_id="r1"))
        await until(lambda: running.count("inline") == 4)  # both were made again
        child = await child_of(running, "r1")
        assert await state(running, child) == "waiting"
        await allow(running, child)
        end = await running.engine.result("r1", 300)
        assert (end.value, [message.is_error for message in end.messages if message.role == "tool"]) == (7, [False] * 2)
        assert refusals == ["r1", "r1"]

    durable.run(body)
