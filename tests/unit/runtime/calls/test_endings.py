"""How interrupted calls end: once, with one recorded result, and without leaving anything running."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import catalog_of, code_of, runtime_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.record.calls import calls_of
from toolgen.record.memory import MemoryStore
from toolgen.runtime.policy.permission import Decision

if TYPE_CHECKING:
    from toolgen.runtime import Catalog
    from toolgen.runtime.runs.run import Run

CALL = ToolRequest(name="own.tool", tool_call_id="c1")
SLOW = {"limits": {"timeout_ms": 50}}


def run_in(catalog: Catalog) -> Run:
    run = run_of(catalog)[1]
    vars(run.meta)["run_id"] = "r1"
    return run


async def ends(store: MemoryStore) -> list[tuple[str, Any]]:
    """Return the events of each call except its start, as kind and code."""
    events = (await store.read("r1")).events
    return [(event.kind, event.data.get("code")) for event in events if event.kind != "tool_started"]


class SlowHook:
    """A hook that is slow after a call."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()

    def pre_tool_use(self, _call: object, /) -> None:
        return None

    async def post_tool_use(self, _call: object, _result: object, /) -> None:
        self.reached.set()
        await asyncio.sleep(60)


@pytest.mark.parametrize("answers", ["a value", "an error"])
def test_a_handler_that_outlives_its_timeout_does_not_affect_its_caller(answers: str) -> None:
    async def handler(_args: Any) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if answers == "an error":
                raise RuntimeError("cleaned up") from None
        return "cleaned up"

    async def check() -> None:
        runtime = runtime_of(catalog_of(handler, metadata=SLOW))
        task = asyncio.current_task()
        assert task is not None
        await runtime.invoke(CALL)
        assert task.cancelling() == 0
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(60), 0.01)

    asyncio.run(check())


def test_an_ended_call_is_recorded_even_if_its_caller_is_cancelled() -> None:
    async def check() -> None:
        store, hook, catalog = MemoryStore(), SlowHook(), catalog_of()
        runtime = runtime_of(catalog, store=store, hooks=[hook])
        calling = asyncio.ensure_future(runtime.invoke(CALL, meta=ToolCallMeta(run_id="r1")))
        await hook.reached.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        assert await ends(store) == [("tool_completed", None)]

    asyncio.run(check())


@pytest.mark.parametrize("how", ["turn", "invoke"])
def test_an_abort_after_the_result_of_a_call_does_not_replace_it(how: str) -> None:
    async def check() -> None:
        store, hook, catalog = MemoryStore(), SlowHook(), catalog_of()
        runtime, run = runtime_of(catalog, store=store, hooks=[hook]), run_in(catalog)
        making = asyncio.ensure_future(runtime.turn([CALL], run) if how == "turn" else runtime.invoke(CALL, run=run))
        await hook.reached.wait()
        run.abort("stop")
        made: Any = await making
        result = made[0] if how == "turn" else made
        assert (code_of(result), result.value) == ("ok", "ran")
        assert await ends(store) == [("tool_completed", None)]

    asyncio.run(check())


def test_reg_71_an_abort_reaches_a_call_outside_of_turns() -> None:
    async def check() -> None:
        begun, store = asyncio.Event(), MemoryStore()

        async def handler(_args: Any) -> None:
            begun.set()
            await asyncio.sleep(60)

        catalog = catalog_of(handler)
        runtime, run = runtime_of(catalog, store=store), run_in(catalog)
        calling = asyncio.ensure_future(runtime.invoke(CALL, run=run))
        await begun.wait()
        run.abort("stop")
        result = await calling
        assert (code_of(result), result.metadata["abort_reason"]) == ("aborted", "stop")
        assert await ends(store) == [("tool_failed", "aborted")]
        assert run.progress.running == set()

    asyncio.run(check())


def test_a_permission_granted_after_an_abort_runs_nothing() -> None:
    async def check() -> None:
        asked, ran = asyncio.Event(), list[Any]()

        async def permission(_request: Any) -> Decision:
            asked.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            return Decision.ALLOW_ONCE

        catalog = catalog_of(ran.append)
        run = run_in(catalog)
        calling = asyncio.ensure_future(runtime_of(catalog, permission=permission).invoke(CALL, run=run))
        await asked.wait()
        run.abort()
        assert (code_of(await calling), ran) == ("aborted", [])

    asyncio.run(check())


def test_a_call_whose_handler_cancels_its_task_ends_once() -> None:
    async def handler(_args: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)

    async def check() -> None:
        store, catalog = MemoryStore(), catalog_of(handler)
        (result,) = await runtime_of(catalog, store=store).turn([CALL], run_in(catalog))
        assert code_of(result) == "cancelled"
        assert await ends(store) == [("tool_failed", "cancelled")]

    asyncio.run(check())


def test_a_turn_that_is_cancelled_twice_leaves_nothing_running() -> None:
    async def check() -> None:
        begun = asyncio.Event()

        async def handler(_args: Any) -> None:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.05)

        catalog = catalog_of(handler)
        turn = asyncio.ensure_future(runtime_of(catalog).turn([CALL], run_in(catalog)))
        await begun.wait()
        turn.cancel()
        await asyncio.sleep(0)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    asyncio.run(check())


def test_a_nested_call_has_its_own_id_and_no_state_of_the_outer_call() -> None:
    seen: list[ToolCallMeta] = []

    async def check() -> None:
        store = MemoryStore()

        async def outer(args: Any, meta: ToolCallMeta) -> str:
            seen.append(meta)
            if not args:
                await runtime.invoke(ToolRequest(name="own.tool", payload='{"n": 1}'), meta=meta)
            return "ran"

        runtime = runtime_of(catalog_of(outer, metadata={"inject": ["account"]}), store=store, inject={"account": id})
        await runtime.invoke(CALL, meta=ToolCallMeta(user="ann", run_id="r1"))
        first, second = seen
        assert (first.tool_call_id, first.user, second.user) == ("c1", "ann", "ann")
        assert second.tool_call_id not in ("", "c1")
        assert [call.state for call in calls_of(await store.read("r1"))] == ["completed"] * 2

    asyncio.run(check())


def test_modifying_typed_args_later_does_not_change_the_call() -> None:
    async def check() -> None:
        given: dict[str, Any] = {"n": 1}
        ran, asked = list[Any](), list[bytes]()

        async def permission(request: Any) -> Decision:
            asked.append(request.arguments)
            given["n"] = 1_000_000
            return Decision.ALLOW_ONCE

        from toolgen.contract.ident import Ident

        runtime = runtime_of(catalog_of(ran.append), permission=permission)
        await runtime.call(Ident("own.tool"), given)
        assert (asked, ran) == ([b'{"n":1}'], [{"n": 1}])

    asyncio.run(check())
