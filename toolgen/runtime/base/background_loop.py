"""The background loop: one event loop in a thread, for all calls of callers that cannot await."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, TypeVar
from weakref import finalize

from toolgen.runtime.base.processes import at_exit, at_fork

T = TypeVar("T")

_END_SECONDS: Final = 5.0
"""How long the end of the process waits for the end of a loop, which closes what belongs to it."""

_running: Final[dict[threading.Thread, Callable[[], None]]] = {}
"""The threads of loops, and what stops each."""

_has_ended: Final = threading.Event()
"""Set when the process ends: a thread that were started then would never run."""


class BackgroundLoop:
    """Runs coroutines in one event loop, whose thread is started by the first of them.

    Connections belong to a loop, so a loop for each call would open its own. The loop ends with this object, or with
    the process: tasks that still run in it, such as those of connections, are cancelled.
    """

    def __init__(self) -> None:
        self._begin()
        at_fork(after_in_child=self._begin_in_child)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: finalize[Any, BackgroundLoop] | None = None

    def _begin_in_child(self) -> None:
        """Begin without the loop of the parent, whose thread stayed there."""
        if self._ended is not None:
            self._ended.detach()  # it would wake the loop of the parent
        self._begin()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine with the context variables of the caller, and wait for it; who is interrupted cancels it.

        Another loop may run in the thread of the caller. Raises RuntimeError in this one, which would wait for itself,
        and at the end of the process, as in a `__del__`.
        """
        if _has_ended.is_set() or sys.is_finalizing():
            coroutine.close()
            raise RuntimeError("the process is ending: no call can be made any more")
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("a call that another sync call makes in its event loop would never end: await it")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        except BaseException:  # also an interruption; cancelling what has ended has no effect
            future.cancel()
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                started: Future[tuple[asyncio.AbstractEventLoop, Callable[[], None]]] = Future()
                self._thread = threading.Thread(target=_serve, args=(started,), name="toolgen-sync-calls", daemon=True)
                self._thread.start()
                self._loop, stop = started.result()
                _running[self._thread] = stop
                at_exit(_end_all)  # again in a process that was forked
                self._ended = finalize(self, stop)
                self._ended.atexit = False
            return self._loop


def _serve(started: Future[tuple[asyncio.AbstractEventLoop, Callable[[], None]]]) -> None:
    async def serve() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()

        def stop() -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(stopped.set)

        started.set_result((loop, stop))
        await stopped.wait()

    try:
        asyncio.run(serve())
    except BaseException as error:  # who starts the thread gets it, as without a free file descriptor
        if started.done():
            raise
        started.set_exception(error)
    finally:
        _running.pop(threading.current_thread(), None)


def _end_all() -> None:
    _has_ended.set()
    running = [(thread, stop) for thread, stop in [*_running.items()] if thread.is_alive()]
    for _, stop in running:
        stop()
    for thread, _ in running:
        thread.join(_END_SECONDS)


def _forget_all() -> None:
    """Forget the threads, in a process that was forked: they stayed in the parent."""
    _running.clear()


at_exit(_end_all)
at_fork(after_in_child=_forget_all)
