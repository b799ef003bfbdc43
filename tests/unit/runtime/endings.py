"""Handlers that do what would end a program, a task or an event loop: none of it ends who has made the call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def _nested(error: BaseException, depth: int = 3) -> BaseException:
    for _ in range(depth):
        error = BaseExceptionGroup("many", [ValueError("one"), error])
    return error


def _raising(make: Callable[[], BaseException]) -> Callable[[], Awaitable[Any]]:
    async def ending() -> NoReturn:
        raise make()

    return ending


def _task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


async def _cancels_itself() -> None:
    _task().cancel()
    await asyncio.sleep(3600)


async def _cancels_itself_after_a_wait() -> None:
    await asyncio.sleep(0)
    await _cancels_itself()


async def _cancels_itself_and_fails() -> None:
    await asyncio.sleep(0)
    _task().cancel()
    raise ValueError("failed")


async def _has_itself_cancelled() -> None:
    asyncio.get_running_loop().call_soon(_task().cancel)
    await asyncio.sleep(3600)


async def _starts_a_task_that_exits() -> None:
    async def exits() -> None:
        raise SystemExit(3)

    await asyncio.create_task(exits())


ENDINGS: dict[str, Callable[[], Awaitable[Any]]] = {
    "an interruption": _raising(KeyboardInterrupt),
    "an exit": _raising(lambda: SystemExit(3)),
    "the end of a coroutine": _raising(GeneratorExit),
    "an interruption in a group": _raising(lambda: BaseExceptionGroup("g", [ValueError(), KeyboardInterrupt()])),
    "an interruption in groups": _raising(lambda: _nested(KeyboardInterrupt())),
    "an exit in groups": _raising(lambda: _nested(SystemExit(3))),
    "an interruption in more groups than functions": _raising(lambda: _nested(KeyboardInterrupt(), 5_000)),
    "a cancellation of nothing": _raising(asyncio.CancelledError),
    "a cancellation of nothing in groups": _raising(lambda: _nested(asyncio.CancelledError())),
}
"""What a handler does, by its name: the call fails, in every way of making it."""

IN_OWN_TASKS: dict[str, Callable[[], Awaitable[Any]]] = {
    **ENDINGS,
    "cancels itself": _cancels_itself,
    "cancels itself after a wait": _cancels_itself_after_a_wait,
    "cancels itself and fails": _cancels_itself_and_fails,
    "has itself cancelled": _has_itself_cancelled,
}
"""Those that are failures wherever a call has a task of its own: in turns, servers, engines and commands."""

IN_OWN_LOOPS = {**IN_OWN_TASKS, "starts a task that exits": _starts_a_task_that_exits}
"""Those that the commands of toolgen are safe from too: they have an event loop of their own."""
