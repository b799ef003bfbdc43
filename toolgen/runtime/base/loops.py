"""Loops: what belongs to one event loop, such as the connections that it made."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from typing import Any, Final, Generic, NamedTuple, TypeVar
from weakref import WeakSet

T = TypeVar("T")

_STEPS: Final = 100
"""How often what closes a connection may let others run, at most."""

_CLOSE_SECONDS: Final = 1.0


class OfLoop(Generic[T]):
    """One value for each event loop. A value goes once its loop is closed and another loop asks for one.

    `abandon` ends what such a value holds, without awaiting anything: processes, sockets, and descriptors; it is None
    where a value holds none. It is also called when this object or the process ends. The loop can be closed with tasks
    that still use the value: they never run again. A value from before a fork belongs to the parent.

    Weak references to the loops would not do: a connection refers to the loop that made it.
    """

    def __init__(self, abandon: Callable[[T], None] | None) -> None:
        self._values: dict[asyncio.AbstractEventLoop, _Held[T]] = {}
        self._abandon = abandon
        if abandon is not None:
            _abandoning.add(self)

    def __del__(self) -> None:  # not `finalize`, which would keep values that refer to the owner of this object
        self.abandon_closed()

    def get(self) -> T | None:
        """Return the value of the running loop; None if it has none."""
        held = self._values.get(asyncio.get_running_loop())
        return None if held is None else held.value

    def get_or_make(self, make: Callable[[], T]) -> T:
        """Return the value of the running loop, which `make` makes if it has none."""
        loop = asyncio.get_running_loop()
        if loop not in self._values:
            self.set(make())
        return self._values[loop].value

    def set(self, value: T) -> None:
        """Give the running loop a value."""
        self._values[asyncio.get_running_loop()] = _Held(value, os.getpid())
        self.abandon_closed()

    def pop(self) -> T | None:
        """Return the value of the running loop, and forget it; None if it has none."""
        held = self._values.pop(asyncio.get_running_loop(), None)
        return None if held is None else held.value

    def values(self) -> list[T]:
        """Return the values of all loops."""
        return [held.value for held in [*self._values.values()]]

    def abandon_closed(self) -> None:
        """Forget the values of closed loops, and end what they hold."""
        _abandon_closed(self._values, self._abandon)


class _Held(NamedTuple, Generic[T]):
    value: T
    process: int


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


def _abandon_closed(values: dict[asyncio.AbstractEventLoop, _Held[T]], abandon: Callable[[T], None] | None) -> None:
    for loop in [*values]:  # other threads may do the same
        held = values.pop(loop, None) if loop.is_closed() else None
        if held is not None and abandon is not None and held.process == os.getpid():
            with _transports_end(loop), suppress(Exception):  # it is forgotten in any case
                abandon(held.value)


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


@atexit.register
def _end_all() -> None:
    for of_loop in [*_abandoning]:
        of_loop.abandon_closed()
