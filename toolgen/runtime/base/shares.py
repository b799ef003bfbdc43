"""Shares: what a server has of something, such as places for calls, divided between those who want it.

Nobody takes more than what is still free: one alone gets half, two get a third each, so whoever comes next finds some.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Generator, Hashable
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Final


class ShareUsedUp(Exception):
    """One has as much as is left for all others. Whoever waits until a part of it is given back gets more."""


class Shares:
    """What there is `total` of, such as open requests, or bytes that are held for them."""

    def __init__(self, total: int) -> None:
        self.free = total
        self._held: dict[Hashable, int] = {}

    def take(self, who: Hashable, amount: int = 1) -> bool:
        """Take an amount, and return whether it fits into a share; nothing is taken otherwise."""
        held = self._held.get(who, 0) + amount
        if amount and held > self.free:
            return False
        if held:
            self._held[who] = held
        self.free -= amount
        return True

    def give_back(self, who: Hashable, amount: int = 1) -> None:
        """Give back an amount that was taken."""
        self.free += amount
        left = self._held.pop(who, 0) - amount
        if left:
            self._held[who] = left

    @contextmanager
    def held(self, who: Hashable) -> Generator[None]:
        """Hold one. Raises `ShareUsedUp`."""
        if not self.take(who):
            raise ShareUsedUp
        try:
            yield
        finally:
            self.give_back(who)


class Places:
    """Places in which something runs, with a queue for each who waits for one; the queues take turns.

    `waiting` bounds all queues together, in shares too.
    """

    def __init__(self, total: int, waiting: int) -> None:
        self._places, self._waiting = Shares(total), Shares(waiting)
        self._queues: dict[Hashable, deque[asyncio.Future[None]]] = {}

    def held(self, who: Hashable) -> Place:
        """Wait for a place, and hold it. Raises `ShareUsedUp` where too much is waiting already."""
        return Place(self, who)

    async def take(self, who: Hashable) -> None:
        """Wait for a place, and take it. Raises `ShareUsedUp` as `held` does."""
        if who in self._queues or not self._places.take(who):
            with self._waiting.held(who):
                await self._turn(who)

    async def take_again(self, who: Hashable) -> None:
        """Wait for a place in the queue, however much is waiting: for what has begun, which is bounded elsewhere."""
        if who in self._queues or not self._places.take(who):
            await self._turn(who)

    def give_back(self, who: Hashable) -> None:
        """Give back a place that was taken."""
        self._places.give_back(who)
        self._admit()

    async def _turn(self, who: Hashable) -> None:
        """Wait until a place was taken for the head of a queue."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(who, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the place came with the cancellation
                self._places.give_back(who)
            self._admit()
            raise

    def _admit(self) -> None:
        """Give free places to the queues in turn, as far as shares go."""
        admitted = bool(self._queues)
        while admitted:
            admitted = False
            for who, queue in list(self._queues.items()):
                while queue and queue[0].cancelled():
                    queue.popleft()
                if queue and self._places.take(who):
                    queue.popleft().set_result(None)
                    self._queues[who] = self._queues.pop(who)  # behind the others
                    admitted = True
                if not queue:
                    del self._queues[who]


class Place:
    """One place, as a context: a generator for it would cost more. Code within it finds it by `place_left`."""

    __slots__ = ("_is_held", "_leaving", "_places", "_returning", "_token", "_who")

    def __init__(self, places: Places, who: Hashable) -> None:
        self._places, self._who, self._is_held, self._leaving = places, who, False, 0
        self._returning = asyncio.Lock()

    async def __aenter__(self) -> None:
        await self._places.take(self._who)
        self._is_held = True
        self._token = _current_place.set(self)

    async def __aexit__(self, *raised: object) -> None:
        _current_place.reset(self._token)
        self._leaving += 1  # for ever: what goes on after the end takes no place
        self._give_back()

    def _give_back(self) -> None:
        if self._is_held:
            self._is_held = False
            self._places.give_back(self._who)

    @asynccontextmanager
    async def left(self) -> AsyncGenerator[None]:
        """Leave the place to others within the context; the last of several waits for one again at its end.

        What is cancelled meanwhile does not wait: it ends, or goes on without a place.
        """
        self._leaving += 1
        self._give_back()
        is_cancelled = False
        try:
            yield
        except asyncio.CancelledError:
            is_cancelled = True
            raise
        finally:
            self._leaving -= 1
            if not is_cancelled:
                await self._take_again()

    async def _take_again(self) -> None:
        async with self._returning:
            if not (self._leaving or self._is_held):
                await self._places.take_again(self._who)
                self._is_held = True
                if self._leaving:  # since then
                    self._give_back()


_current_place: Final[ContextVar[Place | None]] = ContextVar("_current_place", default=None)


@asynccontextmanager
async def place_left() -> AsyncGenerator[None]:
    """Leave the place of the current call, if it has one, to others within the context: while it waits for a person."""
    place = _current_place.get()
    if place is None:
        yield
    else:
        async with place.left():
            yield
