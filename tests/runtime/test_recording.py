"""The record of calls: what a store is told, in which order, and what happens when it cannot be told."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.runtime.test_runs import run_of
from tests.runtime.tools import add, call, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolError, ToolRequest, ToolResult
from toolgen.runtime import Runtime, deny_all, load
from toolgen.runtime.errors import CallFailed
from toolgen.runtime.gate import GateDecision
from toolgen.runtime.hooks import Denial
from toolgen.runtime.stores.calls import RecordedCall, calls_of
from toolgen.runtime.stores.memory import MemoryStore
from toolgen.runtime.stores.records import RunRecord, StoreError
from toolgen.runtime.stores.sqlite import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from toolgen.runtime.catalog import Catalog

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
META = ToolCallMeta(user="ann", run_id="r1")


def record_of(catalog: Catalog, *requests: ToolRequest, run: Any = None, **settings: Any) -> RunRecord:
    """Make calls in the run r1, and give what a store was told of it."""

    async def all_of_them() -> RunRecord:
        store = MemoryStore()
        runtime = runtime_of(catalog, store=store, **settings)
        for request in requests:
            await runtime.invoke(request, meta=META, run=run)
        return await store.read("r1")

    return asyncio.run(all_of_them())


def request(payload: str = "{}", name: str = "code.tool", tool_call_id: str = "c1") -> ToolRequest:
    return ToolRequest(name=name, payload=payload, tool_call_id=tool_call_id)


def kinds(record: RunRecord) -> list[str]:
    return [event.kind for event in record.events]


def the_call(record: RunRecord) -> RecordedCall:
    (found,) = calls_of(record)
    return found


def stages(record: RunRecord) -> list[tuple[str, str]]:
    return [(stage.stage, stage.decision) for stage in the_call(record).stages]


def test_reg_67_a_call_is_on_record_before_it_runs() -> None:
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
        assert "args" not in record.events[1].data, "they are on record once"
        assert record.results[0].content == {"value": "ran"}

    asyncio.run(check())


def test_reg_68_what_a_call_says_of_its_progress_lies_between_start_and_end() -> None:
    async def handler(_args: Any, meta: ToolCallMeta) -> str:
        meta.report({"done": 1})
        await asyncio.sleep(0)
        meta.report({"done": 2})
        return "ran"

    record = record_of(catalog_of(handler), request())
    assert kinds(record) == ["tool_started", "tool_progress", "tool_progress", "tool_completed"]
    assert [event.data for event in record.events[1:3]] == [{"done": 1}, {"done": 2}]


def test_a_handler_in_a_thread_reports_as_well_and_nobody_listens_after_the_call() -> None:
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


def test_the_trace_says_what_each_stage_decided() -> None:
    record = record_of(
        catalog_of(metadata={"limits": {"daily_limit": 9}, "gate": True}),
        request(),
        permission=lambda _request: "allow_once",
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


def refuses(_call: object) -> GateDecision:
    return GateDecision(approved=False)


@pytest.mark.parametrize(
    ("settings", "tool", "kind", "code", "stage"),
    [
        ({}, {"input_schema": SCHEMA}, "tool_failed", "validation_error", ("decode", "validation_error")),
        ({"permission": deny_all}, {}, "tool_denied", "permission_denied", ("permission", "permission_denied")),
        ({"permission": BROKEN}, {}, "permission_failed", "permission_denied", ("permission", "permission_denied")),
        ({"hooks": [Hook(Denial("no"))]}, {}, "tool_denied", "hook_denied", ("hooks", "hook_denied")),
        ({"gate": refuses}, {"metadata": {"gate": True}}, "tool_denied", "gate_refused", ("gate", "gate_refused")),
        ({}, {"metadata": {"inject": ["account"]}}, "tool_failed", "not_injected", ("execute", "not_injected")),
        ({}, {"result_schema": {"type": "integer"}}, "tool_failed", "malformed_result", ("encode", "malformed_result")),
    ],
)  # fmt: skip
def test_reg_96_98_a_call_that_fails_is_on_record_with_the_stage_that_ended_it(
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
        assert record.events[0].data["args"] == {}, "the args are on record, whether it began or not"


def test_reg_29_a_tool_that_is_not_there_is_on_record_with_the_true_reason() -> None:
    async def check() -> list[Any]:
        store = MemoryStore()
        runtime = Runtime(load("generated"), permission=deny_all, policies=["coding"], store=store)
        run = runtime.start_run("default_worker", meta=META)
        for name in ("code.write_file", "mcp.assets.put_asset", "code.nothing"):
            await runtime.invoke(request(name=name), run=run)
        return [(event.kind, event.tool, event.data) for event in (await store.read("r1")).events]

    unavailable = {"code": "tool_not_available"}
    assert asyncio.run(check()) == [
        ("tool_denied", "code.write_file", {**unavailable, "reason": "not_used"}),
        ("tool_denied", "mcp.assets.put_asset", {**unavailable, "reason": "not_used"}),
        ("tool_denied", "code.nothing", unavailable),
    ]


def test_skipped_calls_of_a_turn_are_on_record_too() -> None:
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


def test_a_run_that_ends_says_why() -> None:
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


def test_calls_outside_of_runs_are_on_record_under_one_of_their_own() -> None:
    async def runs() -> list[int]:
        store = MemoryStore()
        runtime = runtime_of(catalog_of(), store=store)
        await call(runtime)
        await call(runtime)
        return [summary.completed for summary in await store.runs()]

    assert asyncio.run(runs()) == [2]


def test_what_a_handler_does_to_its_args_does_not_change_the_record() -> None:
    def handler(args: dict[str, Any]) -> str:
        args["n"] = 99
        return "ran"

    record = record_of(catalog_of(handler, input_schema=SCHEMA), request('{"n": 1}'))
    assert record.events[0].data["args"] == {"n": 1}


@pytest.mark.parametrize("name", ["code.\ud800", "code.tool"])
@pytest.mark.parametrize("tool_call_id", ["c\udcff", "c1"])
def test_a_name_or_an_id_that_is_no_text_is_on_record_as_well_as_can_be(name: str, tool_call_id: str) -> None:
    record = record_of(catalog_of(), request(name=name, tool_call_id=tool_call_id))
    assert len(record.results) == 1
    assert record.events[-1].tool == name.replace("\ud800", "\\ud800")
    assert record.events[-1].tool_call_id == tool_call_id.replace("\udcff", "\\udcff")


class ClosedStore(MemoryStore):
    """A store that has been closed under its host."""

    def __init__(self) -> None:
        super().__init__()
        self._closed = True


def test_nothing_runs_off_the_record(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> ToolResult[Any]:
        return await call(runtime_of(catalog_of(must_not_run), store=ClosedStore()))

    result = asyncio.run(check())
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.UNAVAILABLE, "not_recorded")
    assert result.error.message == "code.tool cannot run now: its call cannot be recorded"
    assert [record.message for record in caplog.records] == ["the end of a call of code.tool is not on record"]


def test_a_write_waits_until_its_start_is_durable_and_a_read_does_not() -> None:
    """A store whose writes become durable when somebody says so."""

    class Slow:
        def __init__(self) -> None:
            self.durable = asyncio.Event()
            self.told: list[str] = []

        def append(self, event: Any, /) -> Awaitable[None]:
            self.told.append(event.kind)
            return asyncio.ensure_future(self._wait())

        def finish(self, event: Any, _result: Any, /) -> None:
            self.told.append(event.kind)

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


def test_a_call_whose_result_cannot_be_recorded_still_has_it(caplog: pytest.LogCaptureFixture) -> None:
    class Full(MemoryStore):
        def finish(self, event: Any, result: ToolResult[Any], /) -> None:
            raise StoreError("the disk is full")

    async def check() -> ToolResult[Any]:
        return await call(runtime_of(catalog_of(), store=Full()))

    assert asyncio.run(check()).value == "ran"
    assert [record.message for record in caplog.records] == ["the end of a call of code.tool is not on record"]


def test_a_call_that_ends_with_its_caller_is_on_record() -> None:
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


def test_reg_71_an_aborted_call_keeps_what_it_said_of_its_progress() -> None:
    async def check() -> None:
        store, begun = MemoryStore(), asyncio.Event()

        async def handler(_args: Any, meta: ToolCallMeta) -> None:
            meta.report({"rows": 1})
            meta.report({"rows": 2})
            begun.set()
            await asyncio.sleep(60)

        catalog = add(catalog_of(handler), must_not_run, "code.later")
        run = run_of(catalog)[1]
        vars(run.meta)["run_id"] = "r1"
        runtime = runtime_of(catalog, store=store)
        turn = asyncio.ensure_future(runtime.turn([request(), request(name="code.later", tool_call_id="c2")], run))
        await begun.wait()
        run.abort("the user pressed stop")
        first, second = await turn
        await runtime.end_run(run)
        assert [first.is_error, second.is_error] == [True, True]
        assert first.metadata == {"aborted": True, "partial": True, "abort_reason": "the user pressed stop"}
        assert second.metadata == {"aborted": True, "partial": False, "abort_reason": "the user pressed stop"}
        assert [block.data for block in first.content] == [
            "aborted\nthe user stopped the run",
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


def test_reg_70_the_end_of_a_call_is_durable_before_its_caller_has_the_result(tmp_path: Path) -> None:
    async def check() -> RunRecord:
        store = SqliteStore(tmp_path / "store.db")
        await runtime_of(catalog_of(), store=store).invoke(request(), meta=META)
        from toolgen.runtime.stores.sqlite_reader import SqliteReader

        record = SqliteReader(tmp_path / "store.db").read("r1")  # beside the writer, as another process would
        await store.close()
        return record

    record = asyncio.run(check())
    assert kinds(record) == ["tool_started", "tool_completed"]
    assert [result.sequence for result in record.results] == [1]


def test_all_that_a_result_says_is_on_record() -> None:
    def handler(_args: Any) -> ToolResult[Any]:
        return ToolResult(
            value=1, message="done", side_effects=("created:a.md",), audit={"rows": 2}, telemetry={"tokens": 3}
        )

    (result,) = record_of(catalog_of(handler), request()).results
    assert result.content == {
        "value": 1, "message": "done", "side_effects": ["created:a.md"], "audit": {"rows": 2},
        "telemetry": {"tokens": 3},
    }  # fmt: skip


@pytest.mark.parametrize("field", ["audit", "telemetry", "metadata"])
def test_what_is_no_json_beside_a_result_fails_the_call(field: str) -> None:
    def handler(_args: Any) -> ToolResult[Any]:
        said: Any = {field: {"at": object()}}
        return ToolResult(value=1, **said)

    record = record_of(catalog_of(handler), request())
    assert record.results[0].content["error"]["code"] == "malformed_result"


@pytest.mark.parametrize(
    "error",
    [CallFailed(FailureKind.DOMAIN_REJECTION, "no_such_row", "there is no row 7"), ValueError("x")],
)
def test_what_a_handler_raises_is_on_record(error: Exception) -> None:
    (result,) = record_of(catalog_of(_raises(error)), request()).results
    assert result.content["error"]["message"] == str(error)


def test_a_failure_that_an_executor_gives_is_the_decision_of_encode() -> None:
    failure = ToolError(message="full", kind=FailureKind.UNAVAILABLE, code="disk_full")
    record = record_of(catalog_of(lambda _args: failure), request())
    assert stages(record)[-1] == ("encode", "disk_full")
