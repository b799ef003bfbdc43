"""The pool of warm processes that check and run snippets. Each serves one at a time, and keeps no state."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.llm.sandbox.checker import check
from toolgen.llm.sandbox.process import DIED, OUT_OF_MEMORY, Process, SnippetFailed, WorkerLost
from toolgen.llm.sandbox.worker import Worker
from toolgen.runtime.base.processes import ForkSafeLock, at_fork, keep_inherited

if TYPE_CHECKING:
    from toolgen.llm.sandbox.checker import TypeCheckError
    from toolgen.llm.sandbox.process import CodeActLimits

_Kind: TypeAlias = "tuple[str, CodeActLimits]"

_USES: Final = 500
"""Number of snippets after which a process is replaced: the type checker leaks some memory for each."""


class SandboxPool:
    """Processes for snippets, at most `idle` idle ones of a kind; more are started on demand, and ended after use.

    Conversations share them. They are started on first use and end with `close`, with the host, or when the object is
    collected. A process that was stopped or died is replaced.
    """

    def __init__(self, idle: int = 2) -> None:
        self._idle = _Idle(idle)
        self._live: set[Process] = set()
        weakref.finalize(self, self._idle.close_later).atexit = False
        _pools.add(self)
        at_fork(after_in_child=self._forget)

    def close(self) -> None:
        """End the idle processes. A busy one becomes idle when it is done."""
        self._live.difference_update(self._idle.close())

    @property
    def pids(self) -> list[int]:
        """The ids of all processes, busy and idle."""
        return [process.pid for process in list(self._live) if process.pid is not None]

    def _forget(self) -> None:
        """Forget the processes, in a process that was forked: they belong to the parent."""
        keep_inherited(self._live)
        self._live = set()

    async def check(self, text: str, limits: CodeActLimits) -> list[TypeCheckError]:
        """Return the type errors of a text without running it.

        Raises `SnippetFailed` for a syntax error, `SandboxUnavailable`, and `WorkerLost`.
        """
        while True:
            async with self._process(("check", limits)) as process:
                was_used = process.uses > 0
                try:
                    return await check(process, text, limits)
                except WorkerLost as lost:
                    if not was_used or lost.reason not in (DIED, OUT_OF_MEMORY):
                        raise  # not caused by earlier texts

    @asynccontextmanager
    async def worker(self, limits: CodeActLimits, border: str, state: bytes | None) -> AsyncGenerator[Worker]:
        """Open a sandbox for one snippet, empty or with the variables in `state`.

        `border` is the name of the function that calls the host. Raises `SandboxUnavailable` and `WorkerLost`.
        """
        async with self._process(("run", limits)) as process:  # the library replaces a process that died while idle
            worker = Worker(process, limits, border)
            await worker.open(state)
            yield worker
            await worker.close()

    @asynccontextmanager
    async def _process(self, kind: _Kind) -> AsyncGenerator[Process]:
        process = self._idle.take(kind) or Process(kind[1].seconds)
        self._live.add(process)
        is_done = False
        try:
            yield process
            is_done = True
        except SnippetFailed:
            is_done = True  # an error in the text, not in the process
            raise
        finally:
            process.uses += 1
            is_spent = not is_done or process.is_lost or process.uses >= _USES
            if is_spent or not self._idle.give(kind, process):
                self._live.discard(process)
                await process.end()


class _Idle:
    """Idle processes, by kind."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._processes: dict[_Kind, list[Process]] = {}
        at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        keep_inherited(self._processes)
        self._lock, self._processes = Lock(), {}

    def take(self, kind: _Kind) -> Process | None:
        with self._lock:
            waiting = self._processes.get(kind)
            return waiting.pop() if waiting else None

    def give(self, kind: _Kind, process: Process) -> bool:
        """Add a process, if there is room; return whether there was."""
        with self._lock:
            waiting = self._processes.setdefault(kind, [])
            if len(waiting) >= self._size:
                return False
            waiting.append(process)
        _start_thread()
        return True

    def close(self) -> list[Process]:
        """End, remove and return all processes."""
        ended = self._remove()
        for process in ended:
            process.close()
        return ended

    def close_later(self) -> None:
        """End all processes in the thread for it: the collector calls this at any point of any code."""
        ended = self._remove()
        if ended:
            _collected.put(ended)

    def _remove(self) -> list[Process]:
        with self._lock:
            removed = [process for waiting in self._processes.values() for process in waiting]
            self._processes.clear()
        return removed


_pools: Final[weakref.WeakSet[SandboxPool]] = weakref.WeakSet()
_collected: Final[SimpleQueue[list[Process]]] = SimpleQueue()
"""Processes of pools that were collected. Its `put` is one that finalizers may call."""

_ending: Final = ForkSafeLock()

_threads: Final[list[Thread]] = []
"""The thread that ends those, once this process has started it."""


def _forget_threads() -> None:
    _threads.clear()


at_fork(after_in_child=_forget_threads)


def _start_thread() -> None:
    """Start the thread that ends the processes of collected pools, unless this process has it."""
    if not _threads:
        _threads.append(Thread(target=_end_collected, name="codeact-pools", daemon=True))
        _threads[0].start()


def _end_collected() -> None:
    while True:
        ended = _collected.get()
        with _ending:
            for process in ended:
                process.close()


@atexit.register
def _close_all() -> None:
    """End all processes with the host."""
    for pool in list(_pools):
        pool.close()
    with _ending, suppress(Empty):
        while True:
            for process in _collected.get_nowait():
                process.close()
