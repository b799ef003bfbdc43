"""Deadlines: one timer per loop for all calls in it, because a timer per call costs more than most of a call."""

from __future__ import annotations

import asyncio
from inspect import isawaitable
from math import ceil
from threading import Lock
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import TimedOut

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Generator

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.catalog.execution import Execute

_PER_SECOND: Final = 100
"""Calls whose deadlines lie within the same so-many-th of a second end together; none ends early."""


class _Deadlines:
    """The deadlines of one loop, by slots of time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._slots: dict[int, set[_Deadline]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, seconds: float) -> _Deadline:
        slot = ceil((self._loop.time() + seconds) * _PER_SECOND)
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline needs a task")
        deadline = _Deadline(task, slot)
        waiting = self._slots.setdefault(slot, set())
        waiting.add(deadline)
        if self._timer is None or slot < self._timer.when() * _PER_SECOND:
            self._set_timer(slot)
        return deadline

    def remove(self, deadline: _Deadline) -> None:
        waiting = self._slots.get(deadline.slot)
        if waiting is not None:
            waiting.discard(deadline)
            if not waiting:
                del self._slots[deadline.slot]

    def _set_timer(self, slot: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(slot / _PER_SECOND, self._end)

    def _end(self) -> None:
        now = self._loop.time() * _PER_SECOND
        for slot in [slot for slot in self._slots if slot <= now]:
            for deadline in self._slots.pop(slot):
                deadline.end()
        self._timer = None
        if self._slots:
            self._set_timer(min(self._slots))


class _Deadline:
    """The deadline of one call."""

    __slots__ = ("_cancelling", "_task", "is_over", "slot")

    def __init__(self, task: asyncio.Task[Any], slot: int) -> None:
        self.slot = slot
        self.is_over = False
        self._task = task
        self._cancelling = task.cancelling()

    def end(self) -> None:
        self.is_over = True
        self._task.cancel()

    def uncancel(self) -> bool:
        """Whether this deadline alone cancelled the task; then it is not being cancelled any more. Once is enough."""
        if not self.is_over:
            return False
        self.is_over = False
        return self._task.uncancel() <= self._cancelling


_new_loops: Final = Lock()
_of_loops: Final[dict[asyncio.AbstractEventLoop, _Deadlines]] = {}


def _of_new_loop(loop: asyncio.AbstractEventLoop) -> _Deadlines:
    with _new_loops:  # each thread may have a loop
        for closed in [known for known in _of_loops if known.is_closed()]:
            del _of_loops[closed]
        return _of_loops.setdefault(loop, _Deadlines(loop))


async def within(seconds: float, waiting: Awaitable[Any]) -> Any:
    """Wait for what a handler does. Raises `TimedOut` when it takes longer; it is cancelled then."""
    loop = asyncio.get_running_loop()
    deadlines = _of_loops.get(loop) or _of_new_loop(loop)
    deadline = deadlines.add(seconds)
    try:
        return await waiting
    except asyncio.CancelledError as error:
        if deadline.uncancel():
            raise TimedOut(seconds) from error
        raise
    finally:
        deadlines.remove(deadline)
        deadline.uncancel()  # the handler may have caught it, and gone on to an end of its own


class _Suspended:
    """What is left of a coroutine that was run up to its first wait. Awaited, it goes on as `await` would have."""

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
                except BaseException as error:  # noqa: BLE001  # whatever is thrown in is the coroutine's (PEP 380)
                    waiting_for = coroutine.throw(error)
                else:
                    waiting_for = coroutine.send(sent)
        except StopIteration as done:
            return done.value


def in_time(execute: Execute, seconds: float) -> Execute:
    """Make what runs a call and raises `TimedOut`. A handler that runs in the loop itself cannot be stopped.

    One that never waits needs no deadline, which costs more than such a call.
    """

    def run(given: Any, meta: ToolCallMeta) -> Any:
        outcome = execute(given, meta)
        if outcome.__class__ is CoroutineType:
            try:
                waiting_for = outcome.send(None)
            except StopIteration as done:
                return done.value
            return within(seconds, _Suspended(outcome, waiting_for))
        return within(seconds, outcome) if isawaitable(outcome) else outcome

    return run
