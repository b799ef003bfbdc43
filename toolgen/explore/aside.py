"""Aside: work that may take seconds, in few threads, so that other pages are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS: Final = 2
"""Threads share one interpreter, so more are no faster, and others are left for stores."""


class Aside:
    """The threads of an explorer."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_THREADS)

    async def __call__(self, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Do work in a thread."""
        async with self._free:
            return await asyncio.to_thread(work, *args, **options)
