"""Executions of runs in a process: which of them go on, and which only wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from toolgen.engine.dbos.database import QUEUE, SUSPECTS
from toolgen.engine.dbos.private import ActiveWorkflowById

if TYPE_CHECKING:
    from toolgen.engine.dbos.lease import Lease


class Execution:
    """One execution of a run, by a task, in a term of the lease of its worker.

    `owner` is the token by which DBOS knows it: the row of the run has it as long as it is executed here. `token` is
    its fencing token, once it has one, which its calls draw one at a time. `is_fenced` says that it was lost because
    the lease is not held.
    """

    def __init__(self, task: asyncio.Task[Any], term: int = 0, owner: str = "") -> None:
        self.has_run = True
        self.has_come_further = False
        self.is_fenced = False
        self.term: Final = term
        self.owner: Final = owner
        self.token: int | None = None
        self.drawing: Final = asyncio.Lock()
        self.restored: asyncio.Task[None] | None = None
        self._task: Final = task
        self._doing = 0
        self._waiting = 0
        self._pausing = 0

    def lose(self) -> None:
        """Do nothing more: the run was cancelled, and another execution may have it."""
        self.has_run = False
        self._task.cancel()

    def fence(self) -> None:
        """Do nothing more, because the worker does not hold its lease: the run is for whoever holds one."""
        self.is_fenced = True
        self.lose()

    def lose_soon(self) -> None:
        """Do nothing more, as `lose`, called in another thread than that of the task."""
        self.has_run = False
        with suppress(RuntimeError):  # the loop is closed, and its tasks are gone
            self._task.get_loop().call_soon_threadsafe(self.lose)

    def will_be_repeated(self) -> None:
        """Make no call of this execution end: the run is executed again, and waits for the same runs."""
        self.has_run = False

    @property
    def is_waiting(self) -> bool:
        """Whether all that it does is to wait, for a person or for agents."""
        return 0 < self._doing == self._waiting

    @property
    def is_idle(self) -> bool:
        """Whether it only waits or pauses."""
        return 0 < self._doing == self._waiting + self._pausing

    @contextmanager
    def doing(self) -> Generator[None]:
        """Do something, as a context."""
        self._doing += 1
        try:
            yield
        finally:
            self._doing -= 1

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Wait in what is done, as a context."""
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    @contextmanager
    def pausing(self) -> Generator[None]:
        """Do nothing in what is done, as a context: until another attempt, or because the worker stops."""
        self._pausing += 1
        try:
            yield
        finally:
            self._pausing -= 1


class DbosCaller:
    """A call that is made in an execution. Implements `Caller`.

    `cancel` and `is_cancelled` do for the execution what their names say in the tables, by the id of the run that the
    call started; the latter returns None if the execution does not have its own run any more. `lease` is that of the
    worker.
    """

    def __init__(
        self,
        execution: Execution,
        lease: Lease,
        cancel: Callable[[str], Awaitable[None]],
        is_cancelled: Callable[[str], Awaitable[bool | None]],
    ) -> None:
        self._execution: Final = execution
        self._lease: Final = lease
        self._cancel: Final = cancel
        self._is_cancelled: Final = is_cancelled
        self._agents = 0
        self._wait: Final = ExitStack()

    @property
    def is_waiting(self) -> bool:
        """Whether the call waits for agents."""
        return self._agents > 0

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Wait for an agent, as a context. A call that waits for several waits once."""
        if not self._agents:
            self._wait.enter_context(self._execution.waiting())
        self._agents += 1
        try:
            yield
        finally:
            self._agents -= 1
            if not self._agents:
                self._wait.close()

    @property
    def fencing_token(self) -> int | None:
        """The fencing token of the execution."""
        return self._execution.token

    def check(self) -> None:
        """Raise `CancelledError` if another worker may have the run: see `Caller.check`."""
        execution = self._execution
        if execution.has_run and self._lease.holds(execution.term):
            return
        if execution.has_run:
            execution.fence()
        task = asyncio.current_task()
        if task is not None:
            task.cancel()  # else the call would fail, and that be its outcome
        raise asyncio.CancelledError

    async def cancel(self, run_id: str, /) -> None:
        """Cancel the run, because the call has ended. An execution without its run makes no call end."""
        if self._execution.has_run:
            await self._cancel(run_id)

    async def is_cancelled(self, run_id: str, /) -> bool:
        """Whether the run was cancelled, and that of the call was not. Raises CancelledError as `Caller` says."""
        cancelled = await self._is_cancelled(run_id)
        if cancelled is None:
            self._execution.lose()
            raise asyncio.CancelledError
        return cancelled


class ActiveRuns(ActiveWorkflowById):
    """What DBOS counts against the concurrency of the queue, without runs that wait.

    Those that wait for agents would keep these from being executed, and those that wait for a person do so for weeks;
    DBOS has no word for that. A worker without its lease has no room for any run. A suspect holds up the next one until
    it has come further, and has a place like all others.
    """

    def __init__(self, executions: Mapping[str, Execution], lease: Lease) -> None:
        super().__init__()
        self._executions: Final = executions
        self._lease: Final = lease

    def count_for_queue(self, queue_name: str) -> int:
        """Return how many runs of the queue are executed here."""
        if not self._lease.is_held:
            return sys.maxsize
        executions = list(self._executions.items())
        if queue_name == SUSPECTS:
            free = sum(
                each.is_waiting or each.has_come_further for run_id, each in executions if self._is_suspect(run_id)
            )
            return super().count_for_queue(SUSPECTS) - free
        active = super().count_for_queue(QUEUE) + super().count_for_queue(SUSPECTS)
        return active - sum(each.is_waiting for _, each in executions)

    def _is_suspect(self, run_id: str) -> bool:
        with self._lock:
            return any(bucket is not None and bucket[0] == SUSPECTS for bucket in self._m.get(run_id, ()))
