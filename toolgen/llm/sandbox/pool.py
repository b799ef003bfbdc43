"""The pool: warm processes that check and run snippets. Each serves one at a time, and keeps nothing of it."""

from __future__ import annotations

import os
import weakref
from contextlib import asynccontextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.llm.sandbox.checker import check
from toolgen.llm.sandbox.process import DIED, OUT_OF_MEMORY, Process, SnippetFailed, WorkerLost
from toolgen.llm.sandbox.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from toolgen.llm.codeact.limits import CodeActLimits
    from toolgen.llm.sandbox.checker import TypeCheckError

_Kind: TypeAlias = "tuple[str, CodeActLimits]"

_USES: Final = 500
"""Snippets after which a process is replaced: the type checker keeps some memory of each."""


class WorkerPool:
    """Processes that wait for snippets, at most `idle` of a kind; more are started as they are needed, and ended.

    Conversations share them. They are started on first use and end with `close`, with the host, or when the object is
    collected. A process that was stopped or died is replaced.
    """

    def __init__(self, idle: int = 2) -> None:
        self._idle = _Idle(idle)
        self._live: set[Process] = set()
        self._finalizer = weakref.finalize(self, self._idle.close)

    def close(self) -> None:
        """End the processes that wait. One that runs a snippet waits for the next when it is done."""
        self._live.difference_update(self._idle.close())

    @property
    def pids(self) -> list[int]:
        """The ids of the processes, those that run a snippet and those that wait."""
        return [process.pid for process in list(self._live) if process.pid is not None]

    async def check(self, text: str, limits: CodeActLimits) -> list[TypeCheckError]:
        """List what the type checker has against a text; nothing of it is run.

        Raises `SnippetFailed` for a syntax error, `SandboxUnavailable`, and `WorkerLost`.
        """
        while True:
            async with self._process(("check", limits)) as process:
                was_used = process.uses > 0
                try:
                    return await check(process, text, limits)
                except WorkerLost as lost:
                    if not was_used or lost.reason not in (DIED, OUT_OF_MEMORY):
                        raise  # what earlier texts left behind has no part in it

    @asynccontextmanager
    async def worker(self, limits: CodeActLimits, border: str, state: bytes | None) -> AsyncGenerator[Worker]:
        """Open a sandbox for one snippet, empty or with the variables that `state` holds.

        `border` is the name of the function that leads out of it. Raises `SandboxUnavailable` and `WorkerLost`.
        """
        async with self._process(
            ("run", limits)
        ) as process:  # one that died while it waited is replaced by the library
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
            is_done = True  # the text was wrong, and not the process
            raise
        finally:
            process.uses += 1
            is_spent = not is_done or process.is_lost or process.uses >= _USES
            if is_spent or not self._idle.give(kind, process):
                self._live.discard(process)
                await process.end()


class _Idle:
    """Processes that nothing uses, by what they are for."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._processes: dict[_Kind, list[Process]] = {}
        self._inherited: list[dict[_Kind, list[Process]]] = []
        self._owner = os.getpid()

    def take(self, kind: _Kind) -> Process | None:
        with self._lock:
            self._check_owner()
            waiting = self._processes.get(kind)
            return waiting.pop() if waiting else None

    def give(self, kind: _Kind, process: Process) -> bool:
        """Keep a process, if there is room."""
        with self._lock:
            self._check_owner()
            waiting = self._processes.setdefault(kind, [])
            if len(waiting) >= self._size:
                return False
            waiting.append(process)
            return True

    def close(self) -> list[Process]:
        """End them all, and give them."""
        with self._lock:
            self._check_owner()
            ended = [process for waiting in self._processes.values() for process in waiting]
            self._processes.clear()
        for process in ended:
            process.close()
        return ended

    def _check_owner(self) -> None:
        """Leave alone what was there before a fork: the processes are those of the parent, which talks to them."""
        if self._owner != os.getpid():
            self._inherited.append(self._processes)
            self._processes, self._owner = {}, os.getpid()
