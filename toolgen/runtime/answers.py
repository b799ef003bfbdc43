"""Answers of a host's own code, waited for no longer than the host says."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable

_AnswerT = TypeVar("_AnswerT")


class Cancelled(Exception):
    """What should have answered was cancelled, and not who waits for it."""


async def answer_within(seconds: float, waiting: Awaitable[_AnswerT]) -> _AnswerT:
    """Wait for an answer, which is cancelled after `seconds`, and not longer for one that will not stop.

    Raises what it raises, TimeoutError, and `Cancelled` where it ends in a cancellation of its own.
    """
    asking = asyncio.ensure_future(waiting)
    try:
        done, _ = await asyncio.wait([asking], timeout=seconds)
    finally:
        asking.cancel()
    if not done:
        raise TimeoutError
    if asking.cancelled():
        raise Cancelled
    return asking.result()
