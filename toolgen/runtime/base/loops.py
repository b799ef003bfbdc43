"""Loops: what belongs to one event loop, such as the connections that it made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from typing import Any, Final, Generic, TypeVar
from weakref import WeakSet

from toolgen.runtime.base.processes import at_exit, at_fork, keep_inherited

T = TypeVar("T")

_STEPS: Final = 100
"""How often what closes a connection may let others run, at most."""

_CLOSE_SECONDS: Final = 1.0


class OfLoop(Generic[T]):
    """One value for each event loop. A value goes once its loop is closed and another loop asks for one.

    `abandon` ends what such a value holds, without awaiting anything: processes, sockets, and descriptors; it is None
    where a value holds none. It is also called when this object or the process ends. The loop can be closed with tasks
    that still use the value: they never run again. In a process that is forked no loop has a value yet.

    Weak references to the loops would not do: a connection refers to the loop that made it.
    """

    def __init__(self, abandon: Callable[[T], None] | None) -> None:
        self._values: dict[asyncio.AbstractEventLoop, T] = {}
        self._abandon = abandon
        if abandon is not None:
            _abandoning.add(self)
        at_fork(after_in_child=self._forget)

    def __del__(self) -> None:  # not `finalize`, which would keep values that refer to the owner of this object
        self.abandon_closed()

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
        self._values[asyncio.get_running_loop()] = value
        self.abandon_closed()

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

    def abandon_closed(self) -> None:
        """Forget the values of closed loops, and end what they hold."""
        _abandon_closed(self._values, self._abandon)


def finish(closing: Coroutine[Any, Any, Any]) -> None:
    """Run what closes connections of a closed loop, as far as it waits for nothing. For `abandon` of `OfLoop`."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(asyncio.wait_for(closing, _CLOSE_SECONDS))
        return
    try:
        for _ in range(_STEPS):
            closing.send(None)
    except StopIteration:
        pass
    finally:
        closing.close()


def _abandon_closed(values: dict[asyncio.AbstractEventLoop, T], abandon: Callable[[T], None] | None) -> None:
    for loop in [*values]:  # other threads may do the same
        value = values.pop(loop, None) if loop.is_closed() else None
        if value is not None and abandon is not None:
            with _transports_end(loop), suppress(Exception):  # it is forgotten in any case
                abandon(value)


@contextmanager
def _transports_end(loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """Let transports of a closed loop end at once: they would schedule that on the loop, which refuses.

    Whatever else is scheduled, such as what wakes tasks, never runs. uvloop has ended its transports itself.
    """

    def call_soon(callback: Callable[..., Any], *args: Any, context: Any = None) -> None:
        if isinstance(getattr(callback, "__self__", None), asyncio.BaseTransport):
            with suppress(Exception):  # its protocol wakes tasks
                callback(*args)

    changed: Any = loop
    with suppress(AttributeError):
        changed.call_soon = call_soon
    try:
        yield
    finally:
        with suppress(AttributeError):
            del changed.call_soon


_abandoning: Final[WeakSet[OfLoop[Any]]] = WeakSet()


def _end_all() -> None:
    for of_loop in [*_abandoning]:
        of_loop.abandon_closed()


at_exit(_end_all)
