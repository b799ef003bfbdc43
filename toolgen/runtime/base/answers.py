"""Waiting for code of the host in tasks of its own: what it raises, and that it cancels itself, ends no caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any, TypeVar

from toolgen.runtime.base.errors import ends_the_caller

_AnswerT = TypeVar("_AnswerT")


class Cancelled(Exception):
    """The callback was cancelled, not the caller that waits for it."""


class Exited(Exception):
    """The callback raised an exception that ends a process or a coroutine, such as SystemExit."""


async def answer_within(seconds: float, waiting: Awaitable[_AnswerT]) -> _AnswerT:
    """Wait for an awaitable; cancel it after `seconds`, and do not wait if it ignores the cancellation.

    Raises TimeoutError, and what `answer_of` raises.
    """
    asking = _asked(waiting)
    try:
        done, _ = await asyncio.wait([asking], timeout=seconds)
    finally:
        asking.cancel()
    if not done:
        raise TimeoutError
    return _answer(asking)


async def answer_of(waiting: Awaitable[_AnswerT]) -> _AnswerT:
    """Wait for an awaitable; when the caller is cancelled, it is cancelled too, and waited for.

    Raises whatever the awaitable raises, `Cancelled` if it was itself cancelled, and `Exited` in place of an exception
    such as SystemExit, which would stop the event loop.
    """
    asking = _asked(waiting)
    try:
        await asyncio.wait([asking])
    finally:
        await all_ended([asking])
    return _answer(asking)


def _asked(waiting: Awaitable[_AnswerT]) -> asyncio.Future[_AnswerT]:
    """Wait in a task; one that is cancelled before it begins closes a coroutine that nobody has awaited."""
    asking = asyncio.ensure_future(_contained(waiting))
    if isinstance(waiting, Coroutine):
        asking.add_done_callback(lambda _: waiting.close())
    return asking


def _answer(asked: asyncio.Future[_AnswerT]) -> _AnswerT:
    if asked.cancelled():
        raise Cancelled("it cancelled itself")
    return asked.result()


async def _contained(waiting: Awaitable[_AnswerT]) -> _AnswerT:
    try:
        return await waiting
    except (Exception, asyncio.CancelledError):  # for the awaiting code
        raise
    except BaseException as error:  # a callback that exits ends its answer, not the process
        if ends_the_caller(error):
            raise
        raise Exited(type(error).__name__) from error


async def all_ended(tasks: Sequence[asyncio.Future[Any]]) -> None:
    """Cancel the tasks that still run, and wait for them, even if the caller is cancelled repeatedly."""
    cancelled: asyncio.CancelledError | None = None
    left: list[asyncio.Future[Any]] = [task for task in tasks if task.cancel()]
    while left:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = error
        left = [task for task in left if not task.done()]
    if cancelled is not None:
        raise cancelled
