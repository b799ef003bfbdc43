"""Waiting for the host's own callbacks, with a timeout."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

_AnswerT = TypeVar("_AnswerT")


class Cancelled(Exception):
    """The callback was cancelled, not the caller that waits for it."""


class Exited(Exception):
    """The callback raised an exception that ends a process or a coroutine, such as SystemExit."""


async def answer_within(seconds: float, waiting: Awaitable[_AnswerT]) -> _AnswerT:
    """Wait for an awaitable; cancel it after `seconds`, and do not wait if it ignores the cancellation.

    Raises TimeoutError, whatever the awaitable raises, `Cancelled` if it was itself cancelled, and `Exited` in place of
    an exception such as SystemExit, which would stop the event loop.
    """
    asking = asyncio.ensure_future(_contained(waiting))
    try:
        done, _ = await asyncio.wait([asking], timeout=seconds)
    finally:
        asking.cancel()
    if not done:
        raise TimeoutError
    if asking.cancelled():
        raise Cancelled
    return asking.result()


async def _contained(waiting: Awaitable[_AnswerT]) -> _AnswerT:
    try:
        return await waiting
    except (Exception, asyncio.CancelledError, KeyboardInterrupt):  # for the awaiting code
        raise
    except BaseException as error:  # a callback that exits ends its answer, not the process
        raise Exited(type(error).__name__) from error
