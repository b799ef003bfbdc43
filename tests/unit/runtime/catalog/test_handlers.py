"""Unexpected behaviour of handlers: every call still ends with a result that blames the handler."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import signal
import sys
from contextlib import closing
from dataclasses import asdict
from functools import partial
from threading import Lock
from typing import Any

import pytest
from pydantic import BaseModel

from tests.unit.runtime.endings import ENDINGS, IN_OWN_TASKS
from tests.unit.runtime.tools import call_now, catalog_of, code_of, runtime_of
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolError, ToolRequest, ToolResult
from toolgen.record.memory import MemoryStore
from toolgen.runtime.base.errors import CallFailed, CatalogError, InvalidPayload, ToolNotFound
from toolgen.runtime.issues.issues import issue


def result_of(handler: Any, **settings: Any) -> ToolResult[Any]:
    return call_now(runtime_of(catalog_of(handler), **settings))


def raising(error: BaseException) -> Any:
    def handler(_args: Any) -> None:
        raise error

    return handler


class UnprintableError(Exception):
    def __str__(self) -> str:
        return self.detail  # type: ignore[attr-defined,no-any-return]  # that is what is wrong with it


class Booking(BaseModel):
    seats: int


def validation_error() -> Exception:
    try:
        Booking.model_validate({"seats": "many"})
    except ValueError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (UnprintableError(), "the tool failed with UnprintableError"),
        (KeyError("o-9"), "KeyError: 'o-9'"),
        (validation_error(), "Booking: seats: Input should be a valid integer, unable to parse string as an integer"),
        (SystemExit(7), "7"),
        (BaseExceptionGroup("many", [SystemExit()]), "many (1 sub-exception)"),
        (InvalidPayload([issue("/x", "type", "a string", "1", "use a string")]), "/x: use a string"),
        (ToolNotFound("a.b"), "no tool is named 'a.b'"),
        (CatalogError("damaged"), "damaged"),
    ],
    ids=repr,
)
def test_an_exception_of_a_handler_fails_its_call(error: BaseException, message: str) -> None:
    result = result_of(raising(error))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.INTERNAL, "handler_error")
    assert (result.error.message, result.error.issues) == (message, ())
    assert result.error.cause is error


class _OnSignal:
    def __call__(self, _number: int, _frame: object) -> None:
        raise SystemExit(7)

    def method(self, number: int, frame: object) -> None:
        self(number, frame)


def _on_signal(code: int, _number: int, _frame: object) -> None:
    sys.exit(code)


@pytest.mark.parametrize(
    "on_signal",
    [partial(_on_signal, 7), _OnSignal(), _OnSignal().method, lambda *_: sys.exit(7)],
    ids=["partial", "object", "method", "lambda"],
)
def test_what_a_handler_of_a_signal_raises_amid_a_tool_ends_the_host(on_signal: Any) -> None:
    def handler(_args: Any) -> None:
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, on_signal)
    try:
        with pytest.raises(SystemExit) as ended:
            result_of(handler)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended.value.code == 7
    assert result_of(raising(SystemExit(7))).error is not None


def test_a_tool_that_awaits_a_cancelled_task_does_not_cancel_its_caller() -> None:
    async def handler(_args: Any) -> None:
        task = asyncio.ensure_future(asyncio.sleep(9))
        task.cancel()
        await task

    result = result_of(handler)
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.ABORTED, "cancelled")


@pytest.mark.slow
@pytest.mark.parametrize("made", ["invoke", "invoke_apart", "turn"])
@pytest.mark.variants(1)
def test_what_would_end_the_caller_fails_the_call(made: str) -> None:
    """Where the call has no task of its own, a tool that cancels that cancels the caller."""

    async def check(how: str, ending: Any) -> None:
        async def handler(_args: Any) -> Any:
            return await ending()

        store, request = MemoryStore(), ToolRequest(name="own.tool")
        runtime = runtime_of(catalog_of(handler), store=store)
        run = runtime.start_run(meta=ToolCallMeta(run_id="r1"))
        called: Any = getattr(runtime, made)
        answer = await (called([request], run) if made == "turn" else called(request, run=run))
        result = answer[0] if made == "turn" else answer
        await asyncio.sleep(0)  # where a task learns that it was cancelled
        assert code_of(result) in ("cancelled", "handler_error"), how
        kinds = [event.kind for event in (await store.read("r1")).events]
        assert kinds == ["tool_started", "tool_failed"], how

    for how, ending in (ENDINGS if made == "invoke" else IN_OWN_TASKS).items():
        asyncio.run(check(how, ending))


@pytest.mark.parametrize("how", ENDINGS)
def test_a_hook_that_raises_what_ends_a_program_fails_the_call(how: str) -> None:
    class Hook:
        async def pre_tool_use(self, _call: Any) -> None:
            await ENDINGS[how]()

        def post_tool_use(self, _call: Any, _result: Any) -> None:
            raise AssertionError("nothing ran")

    assert code_of(call_now(runtime_of(catalog_of(), hooks=[Hook()]))) == "host_error"


@pytest.mark.parametrize("how", ["an interruption", "an exit in groups"])
def test_a_callback_that_raises_what_ends_a_program_denies(how: str) -> None:
    async def permission(_request: Any) -> Any:
        return await ENDINGS[how]()

    runtime = runtime_of(catalog_of(permission="write"), permission=permission)
    assert code_of(call_now(runtime)) == "permission_denied"


@pytest.mark.parametrize("is_of_asyncio", [True, False])
def test_ctrl_c_amid_a_tool_ends_the_host(is_of_asyncio: bool) -> None:
    """Both where `asyncio.run` takes the signal, and where Python does."""

    async def handler(_args: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(3600)

    calling = runtime_of(catalog_of(handler)).invoke(ToolRequest(name="own.tool"))
    with closing(asyncio.new_event_loop()) as loop:
        run: Any = asyncio.run if is_of_asyncio else loop.run_until_complete
        with pytest.raises(KeyboardInterrupt):
            run(calling)


@pytest.mark.parametrize(
    "request_", [None, ToolRequest(name=None), ToolRequest(name="own.tool", payload=5)]  # type: ignore[arg-type]  # wrong
)  # fmt: skip
def test_a_request_of_the_wrong_types_is_a_failed_call(request_: Any) -> None:
    result = asyncio.run(runtime_of(catalog_of()).invoke(request_))
    assert result.error is not None


def test_failing_settings_fail_the_call() -> None:
    def broken() -> str:
        raise ZeroDivisionError

    runtime = runtime_of(catalog_of(), new_id=broken)
    result = asyncio.run(runtime.invoke(ToolRequest(name="own.tool")))
    assert result.error is not None
    meta: Any = {"user": "x"}
    assert asyncio.run(runtime_of(catalog_of()).invoke(ToolRequest(name="own.tool"), meta=meta)).error is not None


def test_a_failed_result_can_be_copied_whatever_its_cause() -> None:
    result = result_of(raising(ValueError("held", Lock())))
    assert result.error is not None
    assert isinstance(result.error.cause, ValueError)
    for twin in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert twin == result
        assert twin.error is not None
        assert twin.error.cause is None
    assert asdict(result)["error"]["code"] == "handler_error"


def generator() -> Any:
    yield 1


@pytest.mark.parametrize(
    "value",
    [{1}, [b"x"], {"a": 1j}, generator(), iter([1]), sys],
    ids=["set", "bytes", "complex", "generator", "iterator", "module"],
)
def test_a_non_json_value_is_not_a_result(value: Any) -> None:
    assert code_of(result_of(lambda _args: value)) == "malformed_result"


def test_a_cyclic_value_is_not_a_result() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert code_of(result_of(lambda _args: endless)) == "malformed_result"


def test_a_returned_error_ends_the_call() -> None:
    error = ToolError(message="no such file", kind=FailureKind.DOMAIN_REJECTION, code="file_not_found")
    result = result_of(lambda _args: error)
    assert (result.success, result.error) == (False, error)
    result = result_of(raising(CallFailed(FailureKind.DOMAIN_REJECTION, "file_not_found", "no such file")))
    assert result.error == error
