"""Aside: work that may take seconds, in few threads, so that other pages are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Final, ParamSpec, TypeVar

from toolgen.explore.visit import Refused
from toolgen.runtime.base.shares import Places, ShareUsedUp

P = ParamSpec("P")
T = TypeVar("T")

_PLACES: Final = 3
"""Places of each kind, of which one visitor has two: threads share one interpreter, and others are left for stores."""

_WAITING: Final = 200
"""Requests that wait for a place."""


class Aside:
    """The places of an explorer for work of one kind, which its visitors share."""

    def __init__(self) -> None:
        self._places = Places(_PLACES, _WAITING)

    @asynccontextmanager
    async def held(self, visitor: Hashable) -> AsyncGenerator[None]:
        """Wait for a place, and hold it. Raises `Refused` where as much of this visitor is waiting as may."""
        try:
            await self._places.take(visitor)
        except ShareUsedUp:
            raise Refused(429, "too much of what you asked for is being done: wait for it") from None
        try:
            yield
        finally:
            self._places.give_back(visitor)

    async def __call__(self, visitor: Hashable, work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Do work for a visitor in a thread. Raises `Refused` as `held` does."""
        async with self.held(visitor):
            return await asyncio.to_thread(work, *args, **options)
