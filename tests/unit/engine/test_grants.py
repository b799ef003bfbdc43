"""Grants that answers gave a run: for the tool as it was, until a call revokes them, and in that run only."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import read, request, write
from tests.unit.engine.test_failures import Unsteady, failed, planned_by
from tests.unit.engine.test_signals import is_waiting, waits
from toolgen.engine.body import Body
from toolgen.runtime.policy.approvers import Approver
from toolgen.runtime.policy.grants.sqlite import SqliteGrants
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.runs.run import Session
from toolgen.runtime.runs.schedule import Group

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.unit.engine.engines import Engines, Running
    from toolgen.engine.protocol import Activity
    from toolgen.engine.requests import Json

FOR_SESSION = PermissionDecision(decision=Decision.ALLOW_FOR_SESSION)
BY = Approver("bob", roles=("finance",))
WRITE = "code.write_file"


async def answered(running: Running, run_id: str) -> None:
    """Answer the one question of a run, for the session."""
    (asked,) = await running.questions(run_id)
    await running.engine.decide(run_id, asked.id, FOR_SESSION, by=BY)


async def ended(running: Running, run_id: str, answers: int) -> None:
    """Wait for the end of a run that was given so many answers."""
    assert (await running.engine.result(run_id, 300)).stopped == "completed"
    assert len(await running.engine.answers(run_id)) == answers


CHANGES: list[dict[str, Any]] = [
    {},
    {"changed": {"code.read_file": {"description": "Another tool."}}},
    {"approvers": {WRITE: {"roles": ["finance"]}}},
    {"changed": {WRITE: {"tags": ["filesystem", "write", "dangerous"]}}},
    {"changed": {WRITE: {"description": "Write any file."}}},
    {"changed": {WRITE: {"confirm": "Write it?"}}},
]


@pytest.mark.parametrize("settings", CHANGES, ids=["same", "other", "approvers", "dangerous", "described", "confirm"])
@pytest.mark.parametrize("is_stored", [False, True], ids=["of the run", "stored"])
@pytest.mark.variants(2)
def test_a_grant_does_not_hold_after_a_restart_with_other_approvers_or_another_tool(
    durable: Engines, tmp_path: Path, settings: dict[str, Any], *, is_stored: bool
) -> None:
    holds = WRITE not in str(settings)

    async def body() -> None:
        with closing(SqliteGrants(tmp_path / "grants.db")) as grants:
            session = (lambda _request: Session(grants.of("ann", "s"))) if is_stored else None
            async with durable.opened(session=session) as running:
                run_id = await running.engine.start(request([write("a")], [waits("go")], [write("b")]))
                await answered(running, run_id)
                await is_waiting(running, run_id, "go")
            async with durable.opened(session=session, **settings) as running:
                await running.engine.signal(run_id, "go", by="ann")
                if not holds:
                    await answered(running, run_id)
                await ended(running, run_id, 1 if holds else 2)

    asyncio.run(body())


async def as_before(_running: Running, _run_id: str) -> None:
    """Let a run go on in the process and the execution that it has."""


async def as_another_process(running: Running, run_id: str) -> None:
    running.host.forget(run_id, "as another process")


async def executed_again(running: Running, run_id: str) -> None:
    await running.engine.cancel(run_id)
    await running.engine.resume(run_id)
    await is_waiting(running, run_id, "go")


@pytest.mark.parametrize("go_on", [as_before, as_another_process, executed_again])
def test_a_revocation_holds_for_the_rest_of_the_run_and_so_does_a_grant_after_it(engines: Engines, go_on: Any) -> None:
    async def body(running: Running) -> None:
        turns = [[write("a")], [read("revokes")], [waits("go")], [write("b")], [waits("go")], [write("c")]]
        run_id = await running.engine.start(request(*turns))
        await answered(running, run_id)
        for is_revoked in (True, False):
            await is_waiting(running, run_id, "go")
            await go_on(running, run_id)
            await running.engine.signal(run_id, "go", by="ann")
            if is_revoked:
                await answered(running, run_id)
        await ended(running, run_id, 2)

    engines.run(body)


def test_a_revocation_holds_after_the_planner_has_failed(engines: Engines) -> None:
    planner = Unsteady(lambda asked: TypeError("the planner is broken") if asked == 3 else None)

    async def body(running: Running) -> None:
        run_id = await running.engine.start(request([write("a")], [read("revokes")], [write("b")]))
        await answered(running, run_id)
        await failed(running, run_id, "planner")
        await running.engine.resume(run_id)
        await answered(running, run_id)
        await ended(running, run_id, 2)

    engines.run(body, change=planned_by(planner))


def test_a_revocation_holds_after_a_restart(durable: Engines) -> None:
    async def body() -> None:
        async with durable.opened() as running:
            run_id = await running.engine.start(request([write("a")], [read("revokes")], [waits("go")], [write("b")]))
            await answered(running, run_id)
            await is_waiting(running, run_id, "go")
        async with durable.opened() as running:
            await running.engine.signal(run_id, "go", by="ann")
            await answered(running, run_id)
            await ended(running, run_id, 2)

    asyncio.run(body())


GRANT = [WRITE, [["write", "/project"]], "terms"]
OTHER = [WRITE, [["write", "/other"]], "terms"]


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([{"given": [GRANT]}, {}], [GRANT]),
        ([{"given": [GRANT]}, {"revoked": [GRANT]}], []),
        ([{"revoked": [GRANT]}, {"given": [GRANT]}], []),
        ([{"given": [GRANT, OTHER]}, {"revoked": [GRANT]}], [OTHER]),
        ([{"given": [GRANT], "revoked": [GRANT]}, {}], []),
        ([{"given": [GRANT], "run": "another"}, {"given": [OTHER]}], [OTHER]),
    ],
)
def test_of_calls_that_are_made_together_a_revocation_counts(outcomes: list[Json], expected: list[Any]) -> None:
    """Which of them was first is not known."""
    noted = [{"content": "", "grants": each and {"run": "r", **each}} for each in outcomes]
    flow: Any = Scripted(noted)
    asyncio.run(Body(flow, request([read("a"), read("b")], [read("c")], run_id="r")).run())
    assert flow.granted == [(), (), tuple(expected)]


class Scripted:
    """A flow of a run that makes two calls and then one. `granted` are the grants that its calls were made with."""

    def __init__(self, outcomes: list[Json]) -> None:
        self.granted: list[tuple[Any, ...]] = []
        self._outcomes = outcomes

    async def activities(self, activities: Sequence[Activity], /) -> list[Json]:
        if activities[0].name == "plan":
            count = 0 if len(self.granted) == 3 else 1 if self.granted else 2
            if not count:
                return [{"outcome": "done"}]
            calls = [
                {"name": "code.read_file", "payload": "{}", "tool_call_id": f"c{count}{at}"} for at in range(count)
            ]
            return [{"message": {"role": "assistant", "calls": calls}, "tools": [[Group.READONLY.value, ""]] * count}]
        self.granted += [each.args["granted"] for each in activities]
        return self._outcomes[: len(activities)]

    async def ended(self, _reason: str, /) -> None: ...


@pytest.mark.parametrize("place", ["plan", "call"])
def test_a_fork_asks_again(engines: Engines, place: str) -> None:
    """It has the steps of the other run, and not its grants, but those of its own."""

    async def body(running: Running) -> None:
        engine = running.engine
        await engine.start(request([write("a")], [write("b")], [waits("go")], [write("c")], run_id="first"))
        await answered(running, "first")
        await is_waiting(running, "first", "go")
        steps = await engine.timeline("first")
        call = [each.number for each in steps if each.name == f"call {WRITE}"][-1]
        plan = max(each.number for each in steps if each.name == "plan" and each.number < call)
        forks = [await engine.fork("first", plan if place == "plan" else call, new_id="second")]
        await answered(running, "second")
        await is_waiting(running, "second", "go")
        later = next(each.number for each in await engine.timeline("second") if "waits" in str(each.args))
        forks.append(await engine.fork("second", later, new_id="third"))
        await is_waiting(running, "third", "go")
        for run_id in ("first", *forks):
            running.host.forget(run_id, "as another process")
            await engine.signal(run_id, "go", by="ann")
        await answered(running, "third")
        for run_id in ("first", *forks):
            assert (await engine.result(run_id, 300)).stopped == "completed"
        assert [len(await engine.answers(each)) for each in ("first", "second")] == [1, 1]

    engines.run(body)


def test_a_fork_of_a_session_that_the_host_keeps_has_its_grants(engines: Engines, tmp_path: Path) -> None:
    async def body(running: Running) -> None:
        await running.engine.start(request([write("a")], run_id="first"))
        await answered(running, "first")
        await running.engine.result("first", 300)
        await running.engine.fork("first", 1, new_id="second")
        await ended(running, "second", 0)

    with closing(SqliteGrants(tmp_path / "grants.db")) as grants:
        engines.run(body, session=lambda _request: Session(grants.of("ann", "s")))
