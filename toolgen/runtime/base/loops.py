"""Loops: what belongs to one event loop, such as the connections that it made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from toolgen.runtime.base.processes import at_fork, keep_inherited

T = TypeVar("T")


class OfLoop(Generic[T]):
    """One value for each event loop. A value goes once its loop is closed and another loop asks for one.

    Weak references to the loops would not do: a connection refers to the loop that made it. In a process that is forked
    no loop has a value yet.
    """

    def __init__(self) -> None:
        self._values: dict[asyncio.AbstractEventLoop, T] = {}
        at_fork(after_in_child=self._forget)

    def get(self) -> T | None:
        """Return the value of the running loop; None if it has none."""
        return self._values.get(asyncio.get_running_loop())

    def get_or_make(self, make: Callable[[], T]) -> T:
        """Return the value of the running loop, which `make` makes if it has none."""
        loop = asyncio.get_running_loop()
        if loop not in self._values:
            self.set(make())
        return self._values[loop]

    def set(self, value: T) -> None:
        """Give the running loop a value."""
        for loop in [*self._values]:  # other threads may do the same
            if loop.is_closed():
                self._values.pop(loop, None)
        self._values[asyncio.get_running_loop()] = value

    def pop(self) -> T | None:
        """Return the value of the running loop, and forget it; None if it has none."""
        return self._values.pop(asyncio.get_running_loop(), None)

    def values(self) -> list[T]:
        """Return the values of all loops."""
        return [*self._values.values()]

    def _forget(self) -> None:
        """Begin without values, in a process that was forked: those of the parent must not be closed here."""
        if self._values:
            keep_inherited(self._values)
        self._values = {}
