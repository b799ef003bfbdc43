"""Answers of a host's own code, waited for no longer than the host says."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable

_AnswerT = TypeVar("_AnswerT")


class Cancelled(Exception):
    """What should have answered was cancelled, and not who waits for it."""


class Exited(Exception):
    """What should have answered raised what is meant to end a process or a coroutine, such as SystemExit."""


async def answer_within(seconds: float, waiting: Awaitable[_AnswerT]) -> _AnswerT:
    """Wait for an answer, which is cancelled after `seconds`, and not longer for one that will not stop.

    Raises what it raises, TimeoutError, and `Cancelled` where it ends in a cancellation of its own, `Exited` where it
    ends like a process: a task that does would take the loop along.
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
    except (Exception, asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise Exited(type(error).__name__) from error
