"""The record of calls: events in a store, their order, and failures of the store."""

from __future__ import annotations

import asyncio
import gc
import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.programs.forks import in_child
from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import add, call, catalog_of, code_of, idle_executors, must_not_run, runtime_of
from toolgen.contract.records import (
    Bounds,
    ContentBlock,
    FailureKind,
    Issue,
    ToolCallMeta,
    ToolError,
    ToolRequest,
    ToolResult,
)
from toolgen.record.artifacts import Artifacts
from toolgen.record.calls import RecordedCall, caller_of, calls_of
from toolgen.record.memory import MemoryStore
from toolgen.record.sqlite import SqliteReader, SqliteStore
from toolgen.record.stores import open_store
from toolgen.runtime import Runtime, deny_all, load
from toolgen.runtime.base.effects import Effect
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.calls.call import Denial, GateDecision
from toolgen.runtime.events.records import RunNotFound, RunRecord, StoreError
from toolgen.runtime.policy.permission import Decision

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.events.records import Event

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
META = ToolCallMeta(user="ann", run_id="r1")


def record_of(catalog: Catalog, *requests: ToolRequest, run: Any = None, **settings: Any) -> RunRecord:
    """Make calls in the run r1 and return its record."""

    async def all_of_them() -> RunRecord:
        store = MemoryStore()
        runtime = runtime_of(catalog, store=store, **settings)
        for request in requests:
            await runtime.invoke(request, meta=META, run=run)
        return await store.read("r1")

    return asyncio.run(all_of_them())


def request(payload: str = "{}", name: str = "own.tool", tool_call_id: str = "c1") -> ToolRequest:
    return ToolRequest(name=name, payload=payload, tool_call_id=tool_call_id)


def kinds(record: RunRecord) -> list[str]:
    return [event.kind for event in record.events]


def the_call(record: RunRecord) -> RecordedCall:
    (found,) = calls_of(record)
    return found


def stages(record: RunRecord) -> list[tuple[str, str]]:
    return [(stage.stage, stage.decision) for stage in the_call(record).stages]


def test_reg_67_a_call_is_recorded_before_it_runs() -> None:
    async def check() -> None:
        store = MemoryStore()
        seen: list[str] = []

        async def handler(_args: Any) -> str:
            seen.extend(kinds(await store.read("r1")))
            return "ran"

        await runtime_of(catalog_of(handler), store=store).invoke(request('{"b": 1, "a": [2]}'), meta=META)
        record = await store.read("r1")
        assert seen == ["tool_started"]
        assert kinds(record) == ["tool_started", "tool_completed"]
        assert record.events[0].data["args"] == {"a": [2], "b": 1}
        assert "args" not in record.events[1].data, "they are recorded once"
        assert record.results[0].content == {"value": "ran"}

    asyncio.run(check())


def test_reg_68_progress_of_a_call_is_recorded_between_start_and_end() -> None:
    async def handler(_args: Any, meta: ToolCallMeta) -> str:
        meta.report({"done": 1})
        await asyncio.sleep(0)
        meta.report({"done": 2})
        return "ran"

    record = record_of(catalog_of(handler), request())
    assert kinds(record) == ["tool_started", "tool_progress", "tool_progress", "tool_completed"]
    assert [event.data for event in record.events[1:3]] == [{"done": 1}, {"done": 2}]


def test_a_handler_in_a_thread_can_report_until_the_call_ends() -> None:
    from toolgen.runtime import blocking

    kept: list[ToolCallMeta] = []

    @blocking
    def handler(_args: Any, meta: ToolCallMeta) -> str:
        meta.report({"done": 1})
        kept.append(meta)
        return "ran"

    async def check() -> list[str]:
        store = MemoryStore()
        await runtime_of(catalog_of(handler), store=store).invoke(request(), meta=META)
        kept[0].report({"done": 2})
        return kinds(await store.read("r1"))

    assert asyncio.run(check()) == ["tool_started", "tool_progress", "tool_completed"]


def test_the_trace_contains_the_decision_of_each_stage() -> None:
    record = record_of(
        catalog_of(metadata={"limits": {"daily_limit": 9}, "gate": True}),
        request(),
        permission=lambda _request: Decision.ALLOW_ONCE,
        gate=lambda _call: GateDecision(approved=True),
        hooks=[Hook()],
    )
    assert stages(record) == [
        ("decode", ""),
        ("limits", ""),
        ("hooks", ""),
        ("permission", "allow_once"),
        ("gate", ""),
        ("record", ""),
        ("execute", ""),
        ("encode", ""),
        ("post_hooks", ""),
    ]
    assert all(stage.us > 0 for stage in the_call(record).stages)


class Hook:
    def __init__(self, denial: Denial | None = None) -> None:
        self._denial = denial

    def pre_tool_use(self, _call: object, /) -> Denial | None:
        return self._denial

    def post_tool_use(self, _call: object, _result: object, /) -> None:
        return None


def _raises(error: BaseException) -> Callable[[Any], Any]:
    def raising(_request: Any) -> Any:
        raise error

    return raising


BROKEN = _raises(OSError())


async def never_answers(_request: object) -> None:
    await asyncio.sleep(3600)


def refuses(_call: object) -> GateDecision:
    return GateDecision(approved=False)


@pytest.mark.parametrize(
    ("settings", "tool", "kind", "code", "stage"),
    [
        ({}, {"input_schema": SCHEMA}, "tool_failed", "validation_error", ("decode", "validation_error")),
        ({"permission": deny_all}, {}, "tool_denied", "permission_denied", ("permission", "permission_denied")),
        ({"permission": BROKEN}, {}, "permission_failed", "permission_denied", ("permission", "permission_denied")),
        (
            {"permission": never_answers, "permission_timeout": 0.01}, {},
            "permission_failed", "permission_denied", ("permission", "permission_denied"),
        ),
        ({"hooks": [Hook(Denial("no"))]}, {}, "tool_denied", "hook_denied", ("hooks", "hook_denied")),
        ({"gate": refuses}, {"metadata": {"gate": True}}, "tool_denied", "gate_refused", ("gate", "gate_refused")),
        ({}, {"metadata": {"inject": ["account"]}}, "tool_failed", "not_injected", ("execute", "not_injected")),
        ({}, {"result_schema": {"type": "integer"}}, "tool_failed", "malformed_result", ("encode", "malformed_result")),
    ],
)  # fmt: skip
def test_reg_96_98_a_failed_call_is_recorded_with_the_stage_that_ended_it(
    settings: Any, tool: Any, kind: str, code: str, stage: tuple[str, str]
) -> None:
    record = record_of(catalog_of(lambda _args: "ran", **tool), request(), **settings)
    assert kinds(record)[-1] == kind
    assert record.events[-1].data["code"] == code
    assert stage in stages(record)
    assert [result.success for result in record.results] == [False]
    has_begun = stage[0] in ("execute", "encode")
    assert kinds(record)[:-1] == ["tool_started"] * has_begun
    if code != "validation_error":
        assert record.events[0].data["args"] == {}, "the args are recorded, whether it began or not"


def test_reg_29_an_unavailable_tool_is_recorded_with_the_real_reason() -> None:
    async def check() -> list[Any]:
        store = MemoryStore()
        runtime = Runtime(
            load("generated"),
            executors=idle_executors(load("generated")),
            permission=deny_all,
            disabled_policies=["bot"],
            store=store,
        )
        run = runtime.start_run("default_worker", meta=META)
        for name in ("code.write_file", "mcp.assets.put_asset", "own.nothing"):
            await runtime.invoke(request(name=name), run=run)
        return [(event.kind, event.tool, event.data) for event in (await store.read("r1")).events]

    unavailable = {"code": "tool_not_available", "user": "ann", "agent": "default_worker"}
    assert asyncio.run(check()) == [
        ("tool_denied", "code.write_file", {**unavailable, "reason": "not_used"}),
        ("tool_denied", "mcp.assets.put_asset", {**unavailable, "reason": "not_used"}),
        ("tool_denied", "own.nothing", unavailable),
    ]


def test_skipped_calls_of_a_turn_are_recorded_too() -> None:
    async def check() -> list[tuple[str, str]]:
        store, catalog = MemoryStore(), catalog_of(_raises(ValueError("broken")))
        run = run_of(catalog)[1]
        runtime = runtime_of(catalog, store=store)
        results = await runtime.turn([request(tool_call_id="c1"), request(tool_call_id="c2")], run)
        (summary,) = await store.runs()
        record = await store.read(summary.run_id)
        assert [code_of(result) for result in results] == ["handler_error", "skipped"]
        return [(event.tool_call_id, event.kind) for event in record.events]

    assert asyncio.run(check()) == [("c1", "tool_started"), ("c1", "tool_failed"), ("c2", "tool_failed")]


def test_reg_66_secrets_reach_no_store() -> None:
    schema = {"type": "object", "properties": {"note": {"type": "string"}, "password": {"type": "string"}}}
    record = record_of(
        catalog_of(lambda _args: {"token": "tk-1"}, input_schema=schema, metadata={"args_secrets": ["/note"]}),
        request('{"note": "mine", "password": "hunter2"}'),
        request('{"note": 5, "password": "hunter2"}', tool_call_id="c2"),
    )
    stored = json.dumps([event.data for event in record.events] + [result.content for result in record.results])
    assert record.events[0].data["args"] == {"note": "[redacted]", "password": "[redacted]"}
    assert not any(secret in stored for secret in ("mine", "hunter2", "tk-1"))


def test_the_end_of_a_run_is_recorded_with_its_reason() -> None:
    async def reasons() -> list[Any]:
        store, catalog = MemoryStore(), catalog_of()
        runtime = runtime_of(catalog, store=store)
        found: list[Any] = []
        for abort, reason in ((False, "completed"), (True, "completed")):
            run = run_of(catalog)[1]
            vars(run.meta)["run_id"] = f"r{abort}"
            if abort:
                run.abort("enough")
            await runtime.end_run(run, reason)
            found += [(event.kind, event.data) for event in (await store.read(f"r{abort}")).events]
        return found

    assert asyncio.run(reasons()) == [
        ("run_ended", {"end_reason": "completed"}),
        ("run_ended", {"end_reason": "aborted_tools"}),
    ]


def test_an_end_that_could_not_be_recorded_is_recorded_when_it_is_tried_again() -> None:
    class Full(MemoryStore):
        is_full = True

        def append(self, event: Any, /) -> None:
            if self.is_full:
                raise StoreError("the disk is full")
            super().append(event)

    async def kinds() -> list[Any]:
        store, catalog = Full(), catalog_of()
        runtime, run = runtime_of(catalog, store=store), run_of(catalog)[1]
        vars(run.meta)["run_id"] = "r1"
        with pytest.raises(StoreError):
            await runtime.end_run(run, "completed")
        store.is_full = False
        assert code_of(await call(runtime, "own.tool", run=run)) == "run_ended"
        for reason in ("completed", "failed"):
            await runtime.end_run(run, reason)
        return [(event.kind, event.data) for event in (await store.read("r1")).events if event.kind == "run_ended"]

    assert asyncio.run(kinds()) == [("run_ended", {"end_reason": "completed"})]


def test_calls_outside_of_runs_are_recorded_in_a_separate_run() -> None:
    async def runs() -> list[int]:
        store = MemoryStore()
        runtime = runtime_of(catalog_of(), store=store)
        await call(runtime)
        await call(runtime)
        return [summary.completed for summary in await store.runs()]

    assert asyncio.run(runs()) == [2]


def test_a_handler_that_modifies_its_args_does_not_change_the_record() -> None:
    def handler(args: dict[str, Any]) -> str:
        args["n"] = 99
        return "ran"

    record = record_of(catalog_of(handler, input_schema=SCHEMA), request('{"n": 1}'))
    assert record.events[0].data["args"] == {"n": 1}


@pytest.mark.parametrize("name", ["code.\ud800", "own.tool"])
@pytest.mark.parametrize("tool_call_id", ["c\udcff", "c1"])
def test_names_and_ids_with_lone_surrogates_are_recorded_escaped(name: str, tool_call_id: str) -> None:
    record = record_of(catalog_of(), request(name=name, tool_call_id=tool_call_id))
    assert len(record.results) == 1
    assert record.events[-1].tool == name.replace("\ud800", "\\ud800")
    assert record.events[-1].tool_call_id == tool_call_id.replace("\udcff", "\\udcff")


class ClosedStore(MemoryStore):
    """A store that was closed while in use."""

    def __init__(self) -> None:
        super().__init__()
        self._closed = True


def test_no_call_runs_unrecorded(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> ToolResult[Any]:
        return await call(runtime_of(catalog_of(must_not_run), store=ClosedStore()))

    result = asyncio.run(check())
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "not_recorded")
    assert result.error.message == "own.tool cannot run: the call cannot be recorded"
    assert [record.message for record in caplog.records] == ["the end of a call of own.tool is not recorded"]


def test_a_write_waits_until_its_start_is_durable_and_a_read_does_not() -> None:
    """A store whose writes become durable when the test decides."""

    class Slow:
        def __init__(self) -> None:
            self.durable = asyncio.Event()
            self.confirmed: list[str] = []

        def append(self, event: Any, /) -> Awaitable[None]:
            self.confirmed.append(event.kind)
            return asyncio.ensure_future(self._wait())

        def finish(self, event: Any, _result: Any, /) -> None:
            self.confirmed.append(event.kind)

        async def _wait(self) -> None:
            await self.durable.wait()

    async def check(permission: str) -> bool:
        store: Any = Slow()
        ran: list[bool] = []
        catalog = catalog_of(lambda _args: ran.append(store.durable.is_set()), permission=permission)
        running = asyncio.ensure_future(call(runtime_of(catalog, store=store)))
        for _ in range(5):
            await asyncio.sleep(0)
        store.durable.set()
        assert code_of(await running) == "ok"
        return ran[0]

    assert asyncio.run(check("write")) is True
    assert asyncio.run(check("readonly")) is False


def test_a_call_whose_result_cannot_be_recorded_still_returns_it(caplog: pytest.LogCaptureFixture) -> None:
    class Full(MemoryStore):
        def finish(self, event: Any, result: ToolResult[Any], /) -> None:
            raise StoreError("the disk is full")

    async def check() -> ToolResult[Any]:
        return await call(runtime_of(catalog_of(), store=Full()))

    assert asyncio.run(check()).value == "ran"
    assert [record.message for record in caplog.records] == ["the end of a call of own.tool is not recorded"]


def test_a_call_cancelled_with_its_caller_is_recorded() -> None:
    async def check() -> list[tuple[str, Any]]:
        store, begun = MemoryStore(), asyncio.Event()

        async def handler(_args: Any) -> None:
            begun.set()
            await asyncio.sleep(60)

        calling = asyncio.ensure_future(runtime_of(catalog_of(handler), store=store).invoke(request(), meta=META))
        await begun.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        return [(event.kind, event.data.get("code")) for event in (await store.read("r1")).events]

    assert asyncio.run(check()) == [("tool_started", None), ("tool_failed", "cancelled")]


class AsyncStore(MemoryStore):
    """A host's store whose methods are coroutine functions, as the type of `Store` allows. Writes take their time."""

    async def append(self, event: Any, /) -> None:  # type: ignore[override]  # as above
        await asyncio.sleep(0.01)
        super().append(event)

    async def finish(self, event: Any, result: ToolResult[Any], /) -> None:  # type: ignore[override]  # as above
        await asyncio.sleep(0.01)
        super().finish(event, result)


@pytest.mark.parametrize("permission", ["readonly", "write"])
def test_a_store_of_coroutine_functions_has_all_of_a_call_that_is_cancelled(permission: str) -> None:
    async def check() -> list[str]:
        store, begun = AsyncStore(), asyncio.Event()

        async def handler(_args: Any, meta: ToolCallMeta) -> None:
            meta.report({"half": True})
            begun.set()
            await asyncio.sleep(60)

        runtime = runtime_of(catalog_of(handler, permission=permission), store=store)
        calling = asyncio.ensure_future(runtime.invoke(request(), meta=META))
        await begun.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        while True:
            with suppress(RunNotFound):
                if len(found := kinds(await store.read("r1"))) == 3:
                    return found
            await asyncio.sleep(0.01)

    assert asyncio.run(check()) == ["tool_started", "tool_progress", "tool_failed"]


def test_a_store_of_coroutine_functions_has_the_events_of_a_run_in_order() -> None:
    class Faster:
        """A store that takes less time for each event than for the one before."""

        def __init__(self) -> None:
            self.kept = MemoryStore()
            self.pause = 0.05

        async def append(self, event: Any, /) -> None:
            self.pause /= 2
            await asyncio.sleep(self.pause)
            self.kept.append(event)

        async def finish(self, event: Any, result: ToolResult[Any], /) -> None:
            self.kept.finish(event, result)

    async def check() -> list[str]:
        store: Any = Faster()
        runtime = runtime_of(catalog_of(lambda _args, meta: meta.report({"half": True})), store=store)
        await runtime.invoke(request(), meta=META)
        return kinds(await store.kept.read("r1"))

    assert asyncio.run(check()) == ["tool_started", "tool_progress", "tool_completed"]


def test_a_store_of_coroutine_functions_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(AsyncStore):
        async def append(self, event: Any, /) -> None:  # type: ignore[override]  # as above
            if event.kind == "tool_progress":
                raise StoreError("the disk is full")
            await super().append(event)

    async def check() -> str:
        runtime = runtime_of(catalog_of(lambda _args, meta: meta.report({"half": True})), store=Failing())
        return code_of(await call(runtime))

    assert asyncio.run(check()) == "ok"
    assert [record.message for record in caplog.records] == ["the progress of own.tool is not recorded"]


@pytest.mark.filterwarnings("error")
def test_a_call_that_is_cancelled_amid_a_hook_after_it_is_recorded_without_noise(tmp_path: Path) -> None:
    class Late:
        def __init__(self) -> None:
            self.begun = asyncio.Event()

        def pre_tool_use(self, _call: Any, /) -> None:
            return None

        async def post_tool_use(self, _call: Any, _result: Any, /) -> None:
            self.begun.set()
            await asyncio.sleep(60)

    async def check() -> list[str]:
        store, hook = SqliteStore(tmp_path / "calls.sqlite"), Late()
        runtime = runtime_of(catalog_of(), store=store, hooks=[hook])
        calling = asyncio.ensure_future(runtime.invoke(request(), meta=META))
        await hook.begun.wait()
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await store.close()
        return kinds(SqliteReader(tmp_path / "calls.sqlite").read("r1"))

    assert asyncio.run(check()) == ["tool_started", "tool_completed"]
    gc.collect()


def test_reg_71_an_aborted_call_keeps_its_progress_reports() -> None:
    async def check() -> None:
        store, begun = MemoryStore(), asyncio.Event()

        async def handler(_args: Any, meta: ToolCallMeta) -> None:
            meta.report({"rows": 1})
            meta.report({"rows": 2})
            begun.set()
            await asyncio.sleep(60)

        catalog = add(catalog_of(handler), must_not_run, "own.later")
        run = run_of(catalog)[1]
        vars(run.meta)["run_id"] = "r1"
        runtime = runtime_of(catalog, store=store)
        turn = asyncio.ensure_future(runtime.turn([request(), request(name="own.later", tool_call_id="c2")], run))
        await begun.wait()
        run.abort("the user pressed stop")
        first, second = await turn
        await runtime.end_run(run)
        assert [first.is_error, second.is_error] == [True, True]
        assert first.metadata == {"aborted": True, "partial": True, "abort_reason": "the user pressed stop"}
        assert second.metadata == {"aborted": True, "partial": False, "abort_reason": "the user pressed stop"}
        assert [block.data for block in first.content] == [
            f"aborted\nthe user stopped the run; {Effect.POSSIBLE}",
            {"partial": [{"rows": 1}, {"rows": 2}]},
        ]
        record = await store.read("r1")
        assert kinds(record) == [
            "tool_started", "tool_progress", "tool_progress", "tool_failed", "tool_failed", "run_ended",
        ]  # fmt: skip
        assert record.events[-1].data == {"end_reason": "aborted_tools"}
        assert [result.content["error"]["code"] for result in record.results] == ["aborted"] * 2
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    asyncio.run(check())


def test_reg_71_a_large_partial_output_becomes_an_artifact(tmp_path: Path) -> None:
    """All fields at once: the error, the end, the stored data, and the events."""

    async def check() -> None:
        store, begun = MemoryStore(), asyncio.Event()
        artifacts = Artifacts(tmp_path / "artifacts")

        async def handler(_args: Any, meta: ToolCallMeta) -> None:
            meta.report({"rows": [f"row {number}" for number in range(200)], "password": "s3cr3t"})
            begun.set()
            await asyncio.sleep(60)

        catalog = catalog_of(handler, metadata={"limits": {"result_bytes": 200}})
        run = run_of(catalog)[1]
        vars(run.meta)["run_id"] = "r1"
        runtime = runtime_of(catalog, store=store, artifacts=artifacts)
        turn = asyncio.ensure_future(runtime.turn([request()], run))
        await begun.wait()
        run.abort("the user pressed stop")
        (result,) = await turn
        await runtime.end_run(run)
        assert (result.is_error, code_of(result)) == (True, "aborted")
        reported = {key: result.metadata[key] for key in ("aborted", "partial", "abort_reason")}
        assert reported == {"aborted": True, "partial": True, "abort_reason": "the user pressed stop"}
        assert [block.type for block in result.content] == ["text", "text", "artifact_ref"]
        assert result.content[0].data == f"aborted\nthe user stopped the run; {Effect.POSSIBLE}"
        assert "[cut: these are the first " in result.content[1].data
        kept = json.loads(artifacts.get(result.content[2].data).data)
        assert kept == {"partial": [{"rows": [f"row {number}" for number in range(200)], "password": "[redacted]"}]}
        record = await store.read("r1")
        assert kinds(record) == ["tool_started", "tool_progress", "tool_failed", "run_ended"]
        assert record.events[2].data["code"] == "aborted"
        assert record.events[3].data == {"end_reason": "aborted_tools"}
        content = record.results[0].content
        assert content["metadata"] == {**reported, "truncated": True}
        assert content["blocks"][2] == {"type": "artifact_ref", "data": result.content[2].data}

    asyncio.run(check())


def test_reg_70_the_end_of_a_call_is_durable_before_its_caller_has_the_result(tmp_path: Path) -> None:
    async def check() -> RunRecord:
        store = SqliteStore(tmp_path / "store.db")
        await runtime_of(catalog_of(), store=store).invoke(request(), meta=META)
        from toolgen.record.sqlite import SqliteReader

        record = SqliteReader(tmp_path / "store.db").read("r1")  # without the writer, as another process would
        await store.close()
        return record

    record = asyncio.run(check())
    assert kinds(record) == ["tool_started", "tool_completed"]
    assert [result.sequence for result in record.results] == [1]


def test_all_fields_of_a_result_are_recorded() -> None:
    def handler(_args: Any) -> ToolResult[Any]:
        return ToolResult(
            value=1, message="done", side_effects=("created:a.md",), audit={"rows": 2}, telemetry={"tokens": 3}
        )

    (result,) = record_of(catalog_of(handler), request()).results
    assert result.content == {
        "value": 1, "message": "done", "side_effects": ["created:a.md"], "audit": {"rows": 2},
        "telemetry": {"tokens": 3},
    }  # fmt: skip


def stored_by(store: Any, handler: Callable[..., Any], **tool: Any) -> tuple[ToolResult[Any], RunRecord]:
    """Make a call and return its result and record."""

    async def check() -> tuple[ToolResult[Any], RunRecord]:
        runtime = runtime_of(catalog_of(handler, **tool), store=store)
        result = await runtime.invoke(request(), meta=META)
        record = await store.read("r1")
        await store.close()
        return result, record

    return asyncio.run(check())


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "memory":
        return MemoryStore()
    return open_store(request.getfixturevalue("postgres_url") if request.param == "postgres" else tmp_path / "store.db")


DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("reported", "hint", "found"),
    [
        ({"telemetry": {"rate": float("nan")}}, "set `telemetry` to JSON", "Out of range float values"),
        ({"audit": {"at": datetime(2026, 3, 1, tzinfo=UTC)}}, "set `audit` to JSON", "datetime is not JSON"),
        ({"audit": {"file": PurePosixPath("a.md")}}, "set `audit` to JSON", "PurePosixPath is not JSON"),
        ({"audit": {"rows": {7: "x"}}}, "set `audit` to JSON", "a key is not text"),
        ({"audit": {"rows": DEEP}}, "set `audit` to JSON", "it is nested too deeply"),
        ({"metadata": {"at": object()}}, "set `metadata` to JSON", "object is not JSON"),
        ({"metadata": None}, "set `metadata` to a JSON object", "a value of NoneType"),
        ({"server_data": 5}, "set `server_data` to values by name", "a value of int"),
        ({"server_data": {5: 1}}, "declare it in the spec of the tool", "5"),
        ({"message": 5}, "set `message` to text, or None", "a value of int"),
        ({"message": "\ud800"}, "set `message` to JSON", "it holds a lone surrogate"),
        ({"side_effects": (5,)}, "set `side_effects` to a tuple of texts", "a value of tuple"),
        ({"side_effects": "created:a.md"}, "set `side_effects` to a tuple of texts", "a value of str"),
        ({"blocks": (ContentBlock(type="json", data=object()),)}, "set `blocks` to JSON", "object is not JSON"),
        ({"blocks": (ContentBlock(type="json", data={7: 1}),)}, "set `blocks` to JSON", "a key is not text"),
        ({"blocks": (ContentBlock(type="text", data=5),)}, "set `blocks` to a tuple of ContentBlocks", "tuple"),
        ({"bounds": 5}, "set `bounds` to Bounds of counts and texts, or None", "a value of int"),
        ({"bounds": Bounds(returned=cast("int", "5"))}, "set `bounds` to Bounds of counts", "a value of Bounds"),
    ],
)
def test_a_field_that_cannot_be_recorded_fails_the_call_and_is_named(
    store: Any, reported: Any, hint: str, found: str
) -> None:
    result, record = stored_by(store, lambda _args: ToolResult(value=1, **reported))
    assert code_of(result) == "malformed_result"
    (issue,) = record.results[0].content["error"]["issues"]
    assert hint in issue["hint"]
    assert found in issue["found"]
    assert kinds(record) == ["tool_started", "tool_failed"]


INTERNAL: Any = "internal"
ISSUE: Any = Issue(pointer="", keyword="", expected="", found=cast("str", 5), hint="")


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (ToolError(message="x", kind=INTERNAL), "set `kind` to a FailureKind (found a value of str)"),
        (ToolError(message="x", code=cast("str", 5)), "set `code` to text (found a value of int)"),
        (ToolError(message=cast("str", None)), "set `message` to text (found a value of NoneType)"),
        (ToolError(message="x", hint=cast("str", 5)), "set `hint` to text (found a value of int)"),
        (ToolError(message="x", hint="\ud800"), "set `hint` to JSON (found it holds a lone surrogate)"),
        (ToolError(message="x", issues=(ISSUE,)), "set `issues` to a tuple of Issues whose fields are text (found "),
        (ToolError(message="x", retry_after=float("inf")), "set `retry_after` to JSON (found Out of range float"),
        (ToolResult(error=cast("ToolError", "broken")), "set `error` to a ToolError (found a value of str)"),
    ],
)  # fmt: skip
def test_an_error_that_cannot_be_recorded_is_replaced(store: Any, error: Any, what: str) -> None:
    result, record = stored_by(store, lambda _args: error)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.INTERNAL, "malformed_error")
    assert result.error.message.startswith(f"the tool failed, and its error is malformed: {what}")
    assert record.results[0].content["error"]["message"] == result.error.message


def test_the_other_fields_of_a_failed_result_are_recorded(store: Any) -> None:
    error = ToolError(message="full", kind=FailureKind.UNAVAILABLE, code="disk_full", retry_after=1.5)
    _result, record = stored_by(store, lambda _args: ToolResult(error=error, audit={"rows": [1, (2,)]}))
    assert record.results[0].content["error"]["code"] == "disk_full"
    assert record.results[0].content["audit"] == {"rows": [1, [2]]}


@pytest.mark.parametrize("reported", [{"x": object()}, {"x": float("nan")}, "text"])
def test_a_non_json_report_is_not_recorded_and_fails_no_call(
    store: Any, reported: Any, caplog: pytest.LogCaptureFixture
) -> None:
    result, record = stored_by(store, lambda _args, meta: meta.report(reported))
    assert code_of(result) == "ok"
    assert kinds(record) == ["tool_started", "tool_completed"]
    assert [entry.message for entry in caplog.records] == ["the progress report of own.tool is not JSON"]


def test_modifying_a_report_later_does_not_change_the_record(store: Any) -> None:
    reported, audit = {"rows": [1]}, {"rows": [1]}

    class Changing:
        def pre_tool_use(self, _call: object, /) -> None:
            return None

        def post_tool_use(self, _call: object, _result: object, /) -> None:
            reported["rows"].append(2)

    def handler(_args: Any, meta: ToolCallMeta) -> ToolResult[Any]:
        meta.report(reported)
        return ToolResult(value=1, audit=audit)

    async def check() -> RunRecord:
        await runtime_of(catalog_of(handler), store=store, hooks=[Changing()]).invoke(request(), meta=META)
        audit["rows"].append(2)
        record: RunRecord = await store.read("r1")
        await store.close()
        return record

    record = asyncio.run(check())
    assert reported == audit == {"rows": [1, 2]}
    assert record.events[1].data == {"rows": [1]}
    assert record.results[0].content["audit"] == {"rows": [1]}


@pytest.mark.parametrize("user", ["ann", None])
def test_the_fencing_token_of_a_call_is_on_record(user: str | None) -> None:
    async def made() -> RunRecord:
        store = MemoryStore()
        meta = ToolCallMeta(user=user, run_id="r1", fencing_token=7)
        await runtime_of(catalog_of(lambda _args: {}), store=store).invoke(request(), meta=meta)
        return await store.read("r1")

    started = asyncio.run(made()).events[0]
    assert started.kind == "tool_started"
    assert (started.data.get("user"), started.data["fencing"]) == (user, 7)


@pytest.mark.parametrize("agent", ["", "default_worker"])
@pytest.mark.parametrize(
    ("name", "payload", "kind"),
    [
        ("code.read_file", '{"path": "x"}', "tool_started"),
        ("code.read_file", "{}", "tool_failed"),
        ("own.nothing", "{}", "tool_denied"),
    ],
)
def test_the_agent_of_a_call_is_named_in_its_first_event(agent: str, name: str, payload: str, kind: str) -> None:
    async def made() -> Event:
        catalog, store = load("generated"), MemoryStore()
        runtime = runtime_of(catalog, executors=idle_executors(catalog), store=store)
        await runtime.invoke(request(payload, name), run=runtime.start_run(agent, meta=META))
        return (await store.read("r1")).events[0]

    first = asyncio.run(made())
    assert (first.kind, caller_of(first)) == (kind, ("ann", agent or None))


def test_what_a_call_reports_is_not_taken_for_what_the_runtime_says() -> None:
    said = {"user": "bob", "agent": "main", "stages": [{"stage": "permission", "decision": "allow"}]}
    _result, record = stored_by(MemoryStore(), lambda _args, meta: meta.report(said, "note"))
    (made,) = calls_of(record)
    assert record.events[1].data == said
    assert [caller_of(event) for event in record.events] == [("ann", None), (None, None), (None, None)]
    assert all(stage.decision == "" for stage in made.stages)


@pytest.mark.parametrize(
    "kind", ["tool_started", "tool_completed", "tool_failed", "tool_denied", "permission_failed", "run_ended"]
)
def test_a_call_cannot_report_events_of_the_runtime(kind: str) -> None:
    result, record = stored_by(MemoryStore(), lambda _args, meta: meta.report({"code": "x"}, kind))
    assert result.error is not None
    assert result.error.message == f"a call cannot report {kind}: such events are reserved for the runtime"
    assert kinds(record) == ["tool_started", "tool_failed"]


def test_the_kind_of_a_report_is_text() -> None:
    result, _record = stored_by(MemoryStore(), lambda _args, meta: meta.report({}, None))
    assert result.error is not None
    assert result.error.message == "the kind of a progress report must be text, not NoneType"


@pytest.mark.parametrize("kind", ["tool_progress", "agent_run_started", "agent_run_ended", "cache_hit"])
def test_a_call_can_report_progress_agents_and_events_of_the_host(kind: str) -> None:
    result, record = stored_by(MemoryStore(), lambda _args, meta: meta.report({"n": 1}, kind))
    assert code_of(result) == "ok"
    assert kinds(record) == ["tool_started", kind, "tool_completed"]


@pytest.mark.parametrize("error", [OSError("gone"), RuntimeError("broken"), ValueError("odd")])
def test_a_store_that_raises_anything_fails_no_call(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(MemoryStore):
        def append(self, event: Any, /) -> None:
            if event.kind == "tool_progress":
                raise error
            super().append(event)

        def finish(self, event: Any, result: ToolResult[Any], /) -> None:
            raise error

    result, _record = stored_by(Broken(), lambda _args, meta: meta.report({"n": 1}) or "ran")
    assert result.value == "ran"
    assert [entry.message for entry in caplog.records] == [
        "the progress of own.tool is not recorded",
        "the end of a call of own.tool is not recorded",
    ]


def test_a_store_that_fails_later_fails_no_call(caplog: pytest.LogCaptureFixture) -> None:
    class Late(MemoryStore):
        def finish(self, event: Any, result: ToolResult[Any], /) -> Any:
            return _fails()

    async def _fails() -> None:
        raise OSError("gone")

    assert stored_by(Late(), lambda _args: "ran")[0].value == "ran"
    assert [entry.message for entry in caplog.records] == ["the end of a call of own.tool is not recorded"]


@pytest.mark.parametrize(
    ("outcome", "data", "kept"),
    [
        (ToolResult(value=7, metadata={"n": 1}), {}, {"value": 7}),
        (ToolError(message="full", kind=FailureKind.UNAVAILABLE, code="disk_full"), {"code": "disk_full"}, "disk_full"),
    ],
)  # fmt: skip
def test_value_and_code_are_recorded_even_if_the_end_is_not_json(
    store: Any, outcome: Any, data: Any, kept: Any
) -> None:
    class Spoiling:
        def pre_tool_use(self, _call: object, /) -> None:
            return None

        def post_tool_use(self, _call: object, result: ToolResult[Any], /) -> None:
            vars(result)["metadata"] = {"n": object()}

    async def check() -> RunRecord:
        await runtime_of(catalog_of(lambda _args: outcome), store=store, hooks=[Spoiling()]).invoke(
            request(), meta=META
        )
        record: RunRecord = await store.read("r1")
        await store.close()
        return record

    record = asyncio.run(check())
    confirmed = {name: value for name, value in record.events[-1].data.items() if name != "stages"}
    assert confirmed == {**data, "reason": "the rest is not JSON"}
    content = record.results[0].content
    assert (content["error"]["code"] if "error" in content else content) == kept


@pytest.mark.parametrize(
    "error",
    [CallFailed(FailureKind.DOMAIN_REJECTION, "no_such_row", "there is no row 7"), ValueError("x")],
)
def test_the_exception_of_a_handler_is_recorded(error: Exception) -> None:
    (result,) = record_of(catalog_of(_raises(error)), request()).results
    assert result.content["error"]["message"] == str(error)


def test_a_failure_returned_by_an_executor_is_the_decision_of_encode() -> None:
    failure = ToolError(message="full", kind=FailureKind.UNAVAILABLE, code="disk_full")
    record = record_of(catalog_of(lambda _args: failure), request())
    assert stages(record)[-1] == ("encode", "disk_full")


def test_calls_of_processes_that_are_forked_have_ids_and_runs_of_their_own() -> None:
    store = MemoryStore()
    runtime = runtime_of(catalog_of(), store=store)

    async def calls() -> list[tuple[str, str]]:
        for _ in range(2):
            await runtime.invoke(ToolRequest(name="own.tool"))
        records = [await store.read(run.run_id) for run in await store.runs()]
        return [(event.run_id, event.tool_call_id) for each in records for event in each.events]

    made = [in_child(lambda: asyncio.run(calls())) for _ in range(2)] + [asyncio.run(calls())]
    for ids in made:
        assert [len({*column}) for column in zip(*ids, strict=True)] == [1, 2]  # a run for each process, an id per call
    assert len({run for ids in made for run, _ in ids}) == 3
    assert len({call_id for ids in made for _, call_id in ids}) == 6
