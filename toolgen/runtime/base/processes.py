"""Processes: what belongs to one process, though others are forked from it, and what is done as a process ends.

A connection that two processes use answers one of them with what the other asked, a lock that another thread held is
never released in a child, and threads stay in the parent. Whoever has one of these says here what happens at a fork.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from threading import TIMEOUT_MAX, RLock
from types import MethodType
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

_Hook: TypeAlias = "Callable[[], object]"

_LAST: Final = -1000
"""The priority of what is done as a process of multiprocessing ends: after its own children have."""

_Hooks: TypeAlias = "WeakKeyDictionary[Any, Callable[[Any], object]]"
"""Objects, and what is called with them; or functions."""

_before: Final[_Hooks] = WeakKeyDictionary()
_in_parent: Final[_Hooks] = WeakKeyDictionary()
_in_child: Final[_Hooks] = WeakKeyDictionary()

_ends: Final[dict[_Hook, _Hook | None]] = {}
"""The functions that were registered in this process, and what takes them back with multiprocessing."""

_inherited: Final[list[Any]] = []
"""What belongs to a process that this one was forked from. It is kept, because collecting it would close it."""


def at_fork(
    *, before: _Hook | None = None, after_in_parent: _Hook | None = None, after_in_child: _Hook | None = None
) -> None:
    """Do as `os.register_at_fork` does, with methods, as long as their objects live, one of each, or with functions.

    The functions run in no order, and in a child before anything else does: they replace values, and wait for nothing.
    Programs that fork without Python's knowledge, as uWSGI does by default, call none of them.
    """
    for hooks, hook in ((_before, before), (_in_parent, after_in_parent), (_in_child, after_in_child)):
        if isinstance(hook, MethodType):
            hooks[hook.__self__] = hook.__func__
        elif hook is not None:
            hooks[hook] = _call


class ForkSafeLock:
    """A lock that its own thread may take again, and that is free in a child, whichever other thread held it.

    What it guards may be half changed in that child, unless it is replaced as a whole.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        if self.acquire(timeout=0):  # free, or held by the thread that forked, which goes on
            self.release()
        else:
            self._lock = RLock()

    def acquire(self, *, timeout: float = TIMEOUT_MAX) -> bool:
        """Take the lock within that many seconds; return whether it was taken."""
        return self._lock.acquire(timeout=min(timeout, TIMEOUT_MAX))

    def release(self) -> None:
        """Release the lock once. Raises RuntimeError if this thread does not hold it."""
        self._lock.release()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def keep_inherited(value: object) -> None:
    """Never release a value of the parent in this process, which was forked."""
    _inherited.append(value)


def at_exit(end: _Hook) -> None:
    """Call a function as this process ends, perhaps twice; registered again, it has no more effect.

    Python's `atexit` is not enough: it does nothing in the processes that multiprocessing forks.
    """
    if end not in _ends:
        atexit.register(end)
        _ends[end] = _at_end_of_multiprocessing(end)


def not_at_exit(end: _Hook) -> None:
    """Do not call a function as this process ends."""
    atexit.unregister(end)
    forget = _ends.pop(end, None)
    if forget is not None:
        forget()


def _at_end_of_multiprocessing(end: _Hook) -> _Hook | None:
    """Call a function as a process of multiprocessing ends, if this is one; return what takes that back."""
    processes = sys.modules.get("multiprocessing.process")
    if processes is None or processes.parent_process() is None:
        return None
    from multiprocessing.util import Finalize  # loaded in each such process

    return Finalize(None, end, exitpriority=_LAST).cancel


def _call(hook: _Hook) -> object:
    return hook()


def _run(hooks: _Hooks) -> None:
    """Run all hooks, also if one fails; Python reports what is raised, and forks."""
    failures: list[Exception] = []
    for reference in hooks.keyrefs():  # a copy: other threads may add some
        owner = reference()
        if owner is not None:
            try:
                hooks[owner](owner)
            except Exception as error:  # noqa: BLE001  # raised with the others
                failures.append(error)
    if failures:
        raise ExceptionGroup("something could not be told of a fork", failures)


def _run_before() -> None:
    _run(_before)


def _run_in_parent() -> None:
    _run(_in_parent)


def _run_in_child() -> None:
    _ends.clear()  # multiprocessing forgets its own as well
    _run(_in_child)


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_run_before, after_in_parent=_run_in_parent, after_in_child=_run_in_child)
