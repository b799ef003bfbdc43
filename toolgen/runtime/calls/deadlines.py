"""Deadlines of handlers. A handler that never waits has none: a timer costs more than such a call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Generator
from inspect import isawaitable
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.effects import effect_of
from toolgen.runtime.base.errors import CallFailed, TimedOut
from toolgen.runtime.runs.misuse import HOST_AT_FAULT

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.execution import Execute


class _Deadline:
    """The deadline of one call, with a timer of the event loop."""

    def __init__(self, seconds: float) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline requires a task")
        self._task = task
        self._cancelling = task.cancelling()
        self._is_over = False
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        self._is_over = True
        self._task.cancel()

    def uncancel(self) -> bool:
        """Undo the cancellation of the task if only this deadline cancelled it; return whether it did. Idempotent."""
        self._timer.cancel()
        if not self._is_over:
            return False
        self._is_over = False
        return self._task.uncancel() <= self._cancelling


async def within(seconds: float, waiting: Awaitable[Any], *, is_repeatable: bool = True) -> Any:
    """Await a handler, and cancel it after `seconds`. Raises `TimedOut`, with the effect unless it `is_repeatable`.

    Unlike `asyncio.timeout`, it never confuses a TimeoutError that the handler raised with its own.
    """
    deadline = _Deadline(seconds)
    try:
        return await waiting
    except asyncio.CancelledError as error:
        if deadline.uncancel():
            raise TimedOut(seconds, None if is_repeatable else effect_of(error)) from error
        raise
    finally:
        deadline.uncancel()  # the handler may have caught the cancellation and returned


class _Suspended:
    """The rest of a coroutine that ran up to its first wait. Awaiting it continues the coroutine."""

    __slots__ = ("_coroutine", "_waiting_for")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], waiting_for: Any) -> None:
        self._coroutine = coroutine
        self._waiting_for = waiting_for

    def __await__(self) -> Generator[Any, Any, Any]:
        coroutine, waiting_for = self._coroutine, self._waiting_for
        try:
            while True:
                try:
                    sent = yield waiting_for
                except GeneratorExit:
                    coroutine.close()
                    raise
                except BaseException as error:  # noqa: BLE001  # thrown exceptions belong to the coroutine (PEP 380)
                    waiting_for = coroutine.throw(error)
                else:
                    waiting_for = coroutine.send(sent)
        except StopIteration as done:
            return done.value


_NEEDS_TASK: Final = "a tool that waits needs a task of asyncio; a host of anyio has them with its backend `asyncio`"


def _is_in_task() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:  # no event loop of asyncio, such as that of trio
        return False


def in_time(execute: Execute, seconds: float, *, is_repeatable: bool) -> Execute:
    """Return a function that runs a call and raises `TimedOut`. A sync handler in the event loop cannot be stopped.

    A handler that never waits gets no deadline, which would cost more than the call.
    """

    def run(given: Any, meta: ToolCallMeta) -> Any:
        outcome = execute(given, meta)
        if outcome.__class__ is CoroutineType:
            if not _is_in_task():
                outcome.close()
                raise CallFailed(FailureKind.INTERNAL, "host_error", _NEEDS_TASK, HOST_AT_FAULT)
            try:
                waiting_for = outcome.send(None)
            except StopIteration as done:
                return done.value
            return within(seconds, _Suspended(outcome, waiting_for), is_repeatable=is_repeatable)
        return within(seconds, outcome, is_repeatable=is_repeatable) if isawaitable(outcome) else outcome

    return run
