"""A worker: takes runs from the queue of a database and executes them, and takes over those of workers that died."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast
from weakref import WeakValueDictionary

from dbos import DBOS
from dbos import error as dbos_errors
from sqlalchemy.exc import SQLAlchemyError

from toolgen import __version__
from toolgen.contract.records import NOTHING
from toolgen.engine.body import DEFAULT_RETRIES, Body
from toolgen.engine.children import caller
from toolgen.engine.dbos import tables
from toolgen.engine.dbos.adoption import Adoption, count_deaths_of, with_connections
from toolgen.engine.dbos.connections import (
    ADOPTION,
    BESIDE_WORKER,
    LEASE,
    RUNS,
    close_connections,
    open_connections,
)
from toolgen.engine.dbos.contracts import add_contracts, contract_of
from toolgen.engine.dbos.database import (
    APPLICATION,
    QUEUE,
    RUN,
    SUSPECTS,
    VERSION,
    ExpectedErrors,
    Failure,
    JsonSerializer,
    Unanswered,
    close_client,
    failure_of,
    open_client,
    passes_soon,
    prepare_database,
    read_steps_at_once,
    reason_of,
    retry_lost_connections,
    text_of,
    warn_of,
    write_steps_at_once,
)
from toolgen.engine.dbos.executions import ActiveRuns, DbosCaller, Execution
from toolgen.engine.dbos.flow import DbosFlow
from toolgen.engine.dbos.lease import DEAD_AFTER, INTERVAL, Lease, NameTaken, Watch, draw_token
from toolgen.engine.dbos.metrics import Metrics
from toolgen.engine.dbos.private import (
    active_runs,
    current_owner_xid,
    database_of,
    give_up_lost_connections,
    set_active_runs,
)
from toolgen.engine.dbos.reports import Reports
from toolgen.engine.dbos.retention import keep_deleting
from toolgen.engine.dbos.schedules import keep_starting
from toolgen.engine.host import CANCELLED
from toolgen.engine.protocol import LONGEST_AGE, MOST_AT_A_TIME, RunFailed, reason_of_end
from toolgen.engine.requests import RunRequest, text_problem
from toolgen.engine.steps import step_name
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.redact.call_secrets import hide_text
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    import sqlalchemy as sa
    from dbos import DBOSClient, DBOSConfig

    from toolgen.engine.body import Retries
    from toolgen.engine.dbos.connections import Limits
    from toolgen.engine.dbos.private import SystemDatabase
    from toolgen.engine.host import EngineHost
    from toolgen.engine.protocol import Activity, Pruned, Reason
    from toolgen.engine.requests import Json

T = TypeVar("T")

_PAUSE: Final = 0.05
"""Seconds until a run looks again whether its worker holds its lease, and a worker that stops at what still runs."""

_DETAIL_LENGTH: Final = 500
"""Characters of the reason of a failure that lists of runs show."""

_expected: Final = ExpectedErrors()

_working: list[DbosWorker] = []
"""The worker of this process, if any: DBOS has one instance per process."""


@DBOS.workflow(name=RUN, max_recovery_attempts=None)  # see `adoption`
async def _execute_run(fields: Json) -> Json:
    """Execute a run. A failure is an outcome: the database has no exceptions."""
    worker = _working[0]
    run_id = DBOS.workflow_id or ""
    try:
        request = RunRequest.from_json(run_id, fields)
    except (TypeError, ValueError) as error:  # of another version, or no object
        detail = f"this worker cannot read the request: {error}"
        await worker.note_failure(run_id, "engine", detail)
        raise RunFailed(hide_text(detail, NO_SECRETS)) from None
    with worker.executing(request, cast("asyncio.Task[Any]", asyncio.current_task())) as execution:
        try:
            body = Body(DbosFlow(worker, request, execution, worker.metrics.writes_again), request, worker.retries)
            end = await worker.observe(request, body.run())
            reason = reason_of_end(end)
            if reason:
                await worker.note_failure(run_id, reason, end.get("reason") or f"no answer after {end['turns']} turns")
                raise Unanswered(end)
            return end
        except Unanswered:
            raise
        except asyncio.CancelledError as error:
            if execution.has_run:
                raise
            if execution.is_fenced:
                await worker.give_up(request.run_id)
            raise dbos_errors.DBOSWorkflowConflictIDError(request.run_id) from error
        except Exception as error:  # defects of ours or of the database; the run says so
            if isinstance(error, SQLAlchemyError) and failure_of(error) is not Failure.OF_VALUE:
                warn("a run of %s is executed again", request.agent, error=error)
                await asyncio.sleep(INTERVAL)  # what the database did not do, it may not do at once
                await worker.give_up(request.run_id)
                raise dbos_errors.DBOSWorkflowConflictIDError(request.run_id) from error  # it is not of this execution
            if worker.is_draining:  # DBOS fails what begins while it ends: another worker executes it
                raise dbos_errors.DBOSWorkflowConflictIDError(run_id) from error
            warn("a run of %s failed", request.agent, error=error)
            text = text_of(error)
            await worker.note_failure(run_id, "engine", text)
            raise RunFailed(hide_text(text, NO_SECRETS)) from None  # DBOS writes it to its log


_QUEUE_THREADS: Final = "queue-worker-"
"""The beginning of the names of DBOS's threads that take runs from queues."""


class DbosWorker:
    """Executes runs of a database in this process, from `start` to `stop`. Implements `Activities`.

    `host` has the runtime and the planners. At most `concurrency` runs are executed at a time, here and in each other
    worker: the last that was started decides. Those that wait, for a person, for agents or for one of the next bounds,
    do not count, and go on at once when they need not wait any more. `per_user` and `per_tool`, by ident, bound the
    calls that are made at a time here, without those of tools that start agents: these wait for other runs, whose calls
    count. The queue is looked at every `poll` seconds. `name` must be unique; by default it has the names of host and
    process.

    A call that was planned with another definition of its tool is made if the rules of `toolgen diff` show that its
    args mean the same (`on_tool_change="compatible"`), or only by the tool as it was (`"wait"`): with its schemas,
    texts, permission, tags and what runs it, all that `Runtime.contract` covers. Else its run waits `tool_wait` seconds
    for a worker that has the tool as it was, and then fails. With `keep`, runs that ended so many seconds ago are
    deleted once in an hour, by one of the workers; `on_deleted` is called with what this one deleted. Raises ValueError
    for bounds below 1 or above a million, for tools that are unknown or start agents, and for other values.
    """

    def __init__(
        self,
        host: EngineHost,
        url: str,
        *,
        name: str = "",
        concurrency: int = 100,
        per_user: int | None = None,
        per_tool: Mapping[str, int] = NOTHING,
        poll: float = 0.1,
        retries: Retries = DEFAULT_RETRIES,
        on_tool_change: Literal["compatible", "wait"] = "compatible",
        tool_wait: float = 600.0,
        keep: float | None = None,
        on_deleted: Callable[[Pruned], object] = str,
    ) -> None:
        for what, value in (("concurrency", concurrency), ("per_user", per_user), *per_tool.items()):
            if value is not None and not 1 <= value <= MOST_AT_A_TIME:
                raise ValueError(f"{what} is {value}; it must be at least 1, and at most {MOST_AT_A_TIME}")
        if on_tool_change not in ("compatible", "wait"):
            raise ValueError(f"on_tool_change is {on_tool_change!r}; it must be 'compatible' or 'wait'")
        if not 0 <= tool_wait < math.inf:
            raise ValueError(f"tool_wait is {tool_wait}; it must be a number of seconds, 0 or more")
        if keep is not None and not 0 < keep <= LONGEST_AGE:
            raise ValueError(f"keep is {keep}; it must be more than 0 seconds, and at most a hundred years")
        if problem := text_problem(name):
            raise ValueError(f"name {problem}")
        host.is_strict = on_tool_change == "wait"
        host.contract = self._contract
        self._tool_wait: Final = tool_wait
        self._keep: Final = keep
        self._on_deleted: Final = on_deleted
        catalog = host.runtime.catalog
        for tool in per_tool:
            if tool not in catalog:
                raise ValueError(f"per_tool: there is no tool {tool!r}{_meant(catalog.suggestions(tool))}")
            if host.starts_agents(tool):
                raise ValueError(
                    f"per_tool: {tool} starts agents, and its calls wait for these: bound the tools that the agents "
                    "call, or set children_per_session in a policy"
                )
        self.name: Final = name or f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"
        self.retries: Final = retries
        self.metrics: Final = Metrics()
        self._host: Final = host
        self._url: Final = url
        self._concurrency: Final = concurrency
        self._poll: Final = poll
        self._per_user: Final = per_user
        self._of_user: Final = WeakValueDictionary[str, asyncio.Semaphore]()
        self._of_tool: Final = {ident: asyncio.Semaphore(count) for ident, count in per_tool.items()}
        self._running: Final[dict[asyncio.Task[Any], DbosCaller]] = {}
        self._ending: Final[set[asyncio.Task[None]]] = set()
        self._executions: Final[dict[str, Execution]] = {}
        self._draining = asyncio.Event()
        self._is_aborting = False
        self._closing: asyncio.Task[None] | None = None
        self._replaced: Final = asyncio.Event()
        self._has_stopped: Final = threading.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._reports: Final = Reports()
        host.on_progress = self._reports.add
        self._threads: Final[list[threading.Thread]] = []
        self._connections: Final[list[sa.Engine]] = []
        self._lease: Lease | None = None
        self._dbos: DBOS | None = None

    async def __aenter__(self) -> DbosWorker:
        await self.start()
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.stop()

    @property
    def is_draining(self) -> bool:
        """Whether it starts nothing any more."""
        return self._draining.is_set()

    async def until_replaced(self) -> None:
        """Wait until another process has taken the name of this worker, while it stood still, and with it the runs.

        The worker begins nothing more then, and is to be stopped: it gets no lease again.
        """
        await self._replaced.wait()

    @property
    def activities_running(self) -> int:
        """How many activities it executes, without calls that wait for agents."""
        return sum(not each.is_waiting for each in self._running.values())

    @property
    def unfinished(self) -> list[str]:
        """What it executes, by activity and run: after `stop`, what ignores that it was cancelled."""
        return sorted(task.get_name() for task in self._running)

    async def start(self) -> None:
        """Prepare the database, and begin, also again after `stop`.

        Raises RuntimeError for a second worker in the process, `NameTaken` if a running worker has the name, and
        `StoreError`.
        """
        if _working:
            raise RuntimeError("this process has a worker already")
        _working.append(self)
        self._draining.clear()  # it may have stopped before
        self._is_aborting, self._closing, self._dbos = False, None, None
        self.metrics.draining.set(0)
        try:
            self._lease = lease = Lease(self._open(LEASE), self.name, about=self._about)
            died = await self._again(lambda: asyncio.to_thread(self._prepare, lease))
            if died:  # not again: a death whose count was not answered would count twice
                await asyncio.to_thread(self._count_deaths)
            self._has_stopped.clear()
            self._start_thread("toolgen-lease", partial(self._beat, lease))
            runs = self._open(RUNS)
            self._dbos = await self._again(lambda: self._launch(runs, lease))
            retry_lost_connections(database_of(self._dbos), Failure.PASSES, Failure.OF_OPERATOR)
            read_steps_at_once(database_of(self._dbos), self._executions)
            write_steps_at_once(database_of(self._dbos))
        except BaseException as error:  # also a cancelled start leaves nothing behind
            await self._close()
            if isinstance(error, SQLAlchemyError):
                raise StoreError(f"the database of the runs cannot be prepared: {reason_of(error)}") from error
            raise
        database = with_connections(database_of(self._dbos), self._open(ADOPTION))
        loop = asyncio.get_running_loop()
        self._start_thread("toolgen-adoption", partial(self._adopt, lease, database, loop))
        tables_ = database_of(self._dbos)
        self._tasks = [
            asyncio.create_task(keep_starting(tables_)),
            asyncio.create_task(self._reports.keep_writing(tables_)),
        ]
        if self._keep is not None:
            self._tasks.append(asyncio.create_task(keep_deleting(tables_, self.name, self._keep, self._deleted)))

    def _about(self) -> Json:
        """Return what operators see of this worker: see `WorkerInfo`."""
        executions = list(self._executions.values())
        waiting = sum(each.is_waiting for each in executions)
        return {
            "runs": len(executions) - waiting,
            "waiting": waiting,
            "activities": self.activities_running,
            "concurrency": self._concurrency,
            "version": __version__,
            "package": self._host.package,
        }

    def _deleted(self, pruned: Pruned) -> None:
        """Say what this worker has deleted."""
        self.metrics.deleted.inc(pruned.runs)
        self._on_deleted(pruned)

    def _open(self, limits: Limits) -> sa.Engine:
        self._connections.append(open_connections(self._url, limits, self.name))
        return self._connections[-1]

    def _start_thread(self, name: str, target: Callable[[], None]) -> None:
        """Do something in a thread of its own: code of the host that blocks the event loop does not hold it up."""
        self._threads.append(threading.Thread(target=target, name=name, daemon=True))
        self._threads[-1].start()

    async def _again(self, part: Callable[[], Awaitable[T]]) -> T:
        """Do one part of the start, some times if need be: the database may end a connection at any moment."""
        for pause in (0.1, 1.0):
            try:
                return await part()
            except (SQLAlchemyError, StoreError) as error:
                cause = error.__cause__ if isinstance(error, StoreError) else error
                if cause is None or not passes_soon(cause):
                    raise
            await asyncio.sleep(pause)
        return await part()

    def _prepare(self, lease: Lease) -> bool:
        """Prepare the database before DBOS begins, and return whether the last worker of the name died.

        DBOS would notice a new queue a second later.
        """
        prepare_database(self._url)
        died = lease.prepare()
        with self._client() as client:
            for queue, concurrency, poll in ((QUEUE, self._concurrency, self._poll), (SUSPECTS, 1, 5 * self._poll)):
                client.register_queue(
                    queue, worker_concurrency=concurrency, polling_interval_sec=poll, on_conflict="always_update"
                )
            add_contracts(database_of(client).engine, self._host.contracts())
        return died

    def _count_deaths(self) -> None:
        """Count the death of the last worker of the name for its runs: DBOS enqueues them again when it begins."""
        with self._client() as client:
            for run_id, detail in count_deaths_of(database_of(client), self.name).items():
                self._has_failed(run_id, "crashes", detail)

    @contextmanager
    def _client(self) -> Generator[DBOSClient]:
        client = open_client(self._url, limits=BESIDE_WORKER)
        try:
            yield client
        finally:
            close_client(client)

    async def _launch(self, connections: sa.Engine, lease: Lease) -> DBOS:
        """Let DBOS begin, or leave nothing of it behind."""
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": self._url,
            "system_database_engine": connections,
            "application_version": VERSION,
            "executor_id": self.name,
            "serializer": JsonSerializer(),
            "log_level": "WARNING",
            "enable_otlp": False,
            "notification_listener_polling_interval_sec": 5 * self._poll,  # SQLite is asked for each waiting run
        }
        logging.getLogger("dbos").addFilter(_expected)
        launched = DBOS(config=config)
        set_active_runs(launched, ActiveRuns(self._executions, lease))
        try:
            DBOS.launch()
        except SQLAlchemyError:
            await self._destroy()
            raise
        return launched

    async def _destroy(self) -> None:
        if self._dbos is not None:
            give_up_lost_connections(database_of(self._dbos))
        await asyncio.to_thread(DBOS.destroy)
        # DBOS has made its threads those of the loop, and has closed them.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))

    async def stop(self, grace: float = 30.0) -> None:
        """Start no further activity, let those that run end within `grace` seconds, and leave the runs to others.

        Calls that wait for agents are not waited for: other workers make them again, and these wait for the same runs.
        A worker whose stop is cancelled waits for nothing more, and has stopped then too.
        """
        self._drain()
        try:
            for task in self._tasks:
                task.cancel()
            loop = asyncio.get_running_loop()
            end = loop.time() + grace
            while self.activities_running and loop.time() < end:  # a call may begin to wait, or go on
                await asyncio.wait(self._running, timeout=min(_PAUSE, end - loop.time()))
            left = list(self._running)
            self._is_aborting = True
            for task in left:
                task.cancel()
            if left:
                await asyncio.wait(left, timeout=1)
            await self._until_taken_runs_have_begun()
            await self._until_outcomes_are_written()
            await self._until_ends_are_recorded()
        finally:
            if self._closing is None:
                self._closing = asyncio.create_task(self._close())
            await asyncio.shield(self._closing)

    def _drain(self) -> None:
        """Begin no further activity, and take no further run from the queue."""
        self._draining.set()
        if self._dbos is not None:
            for event in self._dbos.background_thread_stop_events:
                event.set()
        self.metrics.draining.set(1)

    def _end(self) -> None:
        self._drain()
        self._replaced.set()

    async def _until_taken_runs_have_begun(self) -> None:
        """Wait for runs that were taken from the queue: DBOS begins each a moment later, which needs its threads."""
        for thread in threading.enumerate():
            if thread.name.startswith(_QUEUE_THREADS) and thread.is_alive():  # one that starts now ends at once
                await asyncio.to_thread(thread.join, DEAD_AFTER)  # not for ever: the database may be away
        for _ in range(150):
            if self._dbos is None or self._executed() == self._executions.keys():
                return
            await asyncio.sleep(0.02)

    async def _until_outcomes_are_written(self) -> None:
        """Wait until no execution is between two steps, for three seconds at most: the database may be away."""
        for _ in range(150):
            if all(each.is_idle for each in self._executions.values()):
                return
            await asyncio.sleep(0.02)

    async def _until_ends_are_recorded(self) -> None:
        """Wait a second at most for the ends of cancelled runs, and leave none behind: DBOS closes its threads next."""
        if self._ending:
            await asyncio.wait(self._ending, timeout=1)
        left = list(self._ending)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _close(self) -> None:
        self._is_aborting = True
        self._has_stopped.set()
        for thread in self._threads:
            await asyncio.to_thread(thread.join, DEAD_AFTER)  # not for ever: the database may be away
        await self._destroy()
        if self._lease is not None:
            with suppress(SQLAlchemyError):  # others see that it has stopped
                await asyncio.to_thread(self._lease.leave)
        for connections in self._connections:
            await asyncio.to_thread(close_connections, connections)
        self._connections.clear()
        with suppress(ValueError):  # it has never started
            _working.remove(self)

    async def observe(self, request: RunRequest, body: Awaitable[Json], /) -> Json:
        """Await the body of a run in a span."""
        return await self._host.observe(request, body)

    async def execute(self, request: RunRequest, activity: Activity, /) -> Json:
        """Execute one activity, when the user and the tool may have one more call."""
        assert self._lease is not None  # the worker has started
        execution = self._executions[request.run_id]
        call = DbosCaller(
            execution,
            self._lease,
            partial(self._cancel_child, request.run_id, execution.owner),
            partial(self._is_child_cancelled, request.run_id, execution.owner),
        )
        caller.set(call)
        tool = activity.args["call"]["name"] if "call" in activity.args else ""
        starts_agents = self._host.starts_agents(tool)
        if starts_agents:
            await self._restored(request, execution)
        bounds = [] if starts_agents or activity.name in ("plan", "skip") else self._bounds(request, tool)
        async with AsyncExitStack() as held:
            with execution.waiting():
                for semaphore in bounds:
                    await held.enter_async_context(semaphore)
            is_read = not bounds  # else others may have the run by now
            await self._until_it_may(execution, request.run_id, is_call=activity.name != "plan", is_read=is_read)
            return await self._execute(request, activity, call)

    async def _until_it_may(self, execution: Execution, run_id: str, *, is_call: bool, is_read: bool) -> None:
        """Wait until this worker holds its lease. Raises DBOSWorkflowConflictIDError if the run is another's by then.

        Before a call it also draws the fencing token of the execution, and then asks the database whether the run is
        still its own: whoever takes it over after that draws a greater one. `is_read` says that the database has just
        been asked, as it is before each step: see `read_steps_at_once`.
        """
        lease = self._lease
        assert lease is not None  # as above
        while True:
            with execution.pausing():
                while execution.has_run and execution.term == lease.term and not lease.is_held:
                    is_read = False
                    await asyncio.sleep(_PAUSE)
            if execution.has_run and execution.term != lease.term:
                execution.fence()
            if execution.has_run and is_call:
                if execution.token is None:
                    async with execution.drawing:
                        if execution.token is None:
                            execution.token = await self._with_database(lambda database: draw_token(database.engine))
                    is_read = False
                if not is_read and not await self._with_database(
                    lambda database: tables.is_owned(database, run_id, execution.owner)
                ):
                    execution.lose()
            if not execution.has_run:
                raise dbos_errors.DBOSWorkflowConflictIDError(run_id)
            if lease.holds(execution.term):
                return

    async def _restored(self, request: RunRequest, execution: Execution) -> None:
        """Wait until the host knows how many agents earlier executions of the run started, before this one does."""

        async def restore() -> None:
            agents = await self._with_database(lambda database: tables.agents_of(database, request.run_id))
            if execution.has_run:  # else what the host has of the run is that of the next execution
                self._host.restore(request, agents)

        if execution.restored is None:
            execution.restored = asyncio.create_task(restore())
        await asyncio.shield(execution.restored)

    async def _execute(self, request: RunRequest, activity: Activity, call: DbosCaller) -> Json:
        if self.is_draining:
            with self._executions[request.run_id].pausing():
                await asyncio.get_running_loop().create_future()  # until the process ends: another worker executes it
        task: asyncio.Task[Any] | None = asyncio.current_task()
        if task is not None:
            task.set_name(f"{step_name(activity)} of {request.run_id}")
            self._running[task] = call
        outcome: Json | None = None
        began = self.metrics.began(activity.name, activity.attempt)
        try:
            outcome = await self._host.execute(request, activity)
            return outcome
        finally:
            self.metrics.ended(activity.name, began, outcome)
            if task is not None:
                self._running.pop(task, None)

    async def ended(self, request: RunRequest, reason: str, /) -> None:
        """Record the end of a run. One whose tool has changed waits for a worker that has it as it was.

        An execution without its run records no end: it may be another one by now, or be cancelled.
        """
        execution = self._executions[request.run_id]
        if reason == "tool_changed" and self._tool_wait > 0:
            wait = partial(tables.wait_for_tool, run_id=request.run_id, owner=execution.owner, seconds=self._tool_wait)
            if await self._with_database(wait):
                raise dbos_errors.DBOSWorkflowConflictIDError(request.run_id)  # this execution owns it no more
        await self._until_it_may(execution, request.run_id, is_call=True, is_read=False)
        with execution.doing(), execution.pausing():  # for as long as its store is away
            await self._host.ended(request, reason)

    @contextmanager
    def executing(self, request: RunRequest, task: asyncio.Task[Any]) -> Generator[Execution]:
        """Execute a run by a task, as a context. If it was cancelled, that is recorded afterwards.

        A run that was cancelled and resumed is executed again while an earlier execution may not have noticed. That one
        must do nothing more, and each has the state of its calls for itself.
        """
        assert self._lease is not None  # the worker has started
        run_id = request.run_id
        execution = Execution(task, self._lease.term, current_owner_xid(run_id) or "")
        if run_id in self._executions:
            self._executions[run_id].lose()
            self.forget(run_id, "the run is executed again")
        self._executions[run_id] = execution
        try:
            yield execution
        except (Unanswered, RunFailed):
            raise
        except BaseException:  # cancelled, or lost: the database knows; raised again
            if not self._has_stopped.is_set():  # else the loop ends, and the database is closed
                ending = asyncio.create_task(self._end_if_cancelled(request))
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)
            raise
        finally:
            execution.has_run = False
            if self._executions.get(run_id) is execution:
                del self._executions[run_id]
                self.forget(run_id, "this worker does not execute the run any more")

    async def _end_if_cancelled(self, request: RunRequest) -> None:
        """Record the end of a run if it is cancelled now: it may be another worker's, or go on here again."""
        run_id = request.run_id
        is_cancelled = await self._with_database(lambda database: tables.cancelled_of(database, [run_id]))
        if is_cancelled and run_id not in self._executions:
            await self._host.ended(request, CANCELLED)
            if run_id not in self._executions:
                self.forget(run_id, "the run was cancelled")

    def forget(self, run_id: str, reason: str, /) -> None:
        """Abort what this process still does for a run, and forget it."""
        self._host.forget(run_id, reason)

    async def give_up(self, run_id: str) -> None:
        """Leave a run that this worker executes in the present workflow of DBOS to whoever holds a lease."""
        owner = current_owner_xid(run_id) or ""
        await self._with_database(lambda database: tables.give_up(database, run_id, owner))

    async def _contract(self, tool: str, digest: str) -> Any:
        """Return the args schema that a tool had, by its digest; None where no worker has had it."""
        return await self._with_database(lambda database: contract_of(database.engine, tool, digest))

    async def note_failure(self, run_id: str, reason: Reason, detail: str) -> None:
        """Say in the log, the metrics and the lists of runs that a run fails, and why."""
        shown = hide_text(detail, NO_SECRETS)[:_DETAIL_LENGTH]
        owner = current_owner_xid(run_id) or ""
        await self._with_database(lambda database: tables.note(database, run_id, owner, reason, shown))
        self._has_failed(run_id, reason, shown)

    def _has_failed(self, run_id: str, reason: Reason, detail: str) -> None:
        self.metrics.failed.labels(reason).inc()
        warn("the run %s failed (%s): %s", run_id, reason, detail)

    async def _cancel_child(self, parent: str, owner: str, run_id: str) -> None:
        """Cancel a run for the call that waits for it, unless that is made elsewhere: see `tables.cancel_child`."""
        if not self._is_aborting:  # else the call is made again elsewhere, and waits for the same run
            await self._with_database(lambda database: tables.cancel_child(database, parent, owner, run_id))

    async def _is_child_cancelled(self, parent: str, owner: str, run_id: str) -> bool | None:
        """Return whether a run was cancelled for the call that waits for it: see `tables.is_cancelled_for`."""
        return await self._with_database(lambda database: tables.is_cancelled_for(database, parent, owner, run_id))

    async def _with_database(self, action: Callable[[SystemDatabase], T]) -> T:
        """Do something with the database, again as long as it is away."""
        assert self._dbos is not None  # the worker has started
        while True:
            try:
                return await asyncio.to_thread(action, database_of(self._dbos))
            except SQLAlchemyError as error:
                if failure_of(error) is Failure.OF_VALUE:
                    raise
                await asyncio.sleep(INTERVAL)

    def _bounds(self, request: RunRequest, tool: str) -> list[asyncio.Semaphore]:
        bounds: list[asyncio.Semaphore] = []
        if self._of_tool:
            ident = self._host.runtime.catalog.resolve(tool) or ""
            bounds += [self._of_tool[ident]] if ident in self._of_tool else []
        if self._per_user is not None and request.user is not None:
            bounds.append(self._of_user.setdefault(request.user, asyncio.Semaphore(self._per_user)))
        return bounds

    def _beat(self, lease: Lease) -> None:
        """Renew the lease; if it was lost, others have the runs of this worker, which begins nothing more for them."""
        while not self._has_stopped.wait(INTERVAL):
            try:
                if lease.is_lost:  # `_adopt` is to begin another one
                    continue
                if lease.beat():
                    self.metrics.beaten()
                    continue
                self.metrics.leases_lost.inc()
                warn("worker %s has lost its lease: its runs are executed again", self.name)
                for execution in list(self._executions.values()):
                    execution.lose_soon()
            except Exception as error:  # noqa: BLE001  # the database is away: DBOS waits for it as well
                warn_of("worker %s cannot reach its database", self.name, error=error)

    def _adopt(self, lease: Lease, database: SystemDatabase, loop: asyncio.AbstractEventLoop) -> None:
        """Take over the runs of workers that died, and drop runs that nobody waits for.

        What fails, such as for a row that somebody has locked, holds up nothing else, and is tried again. The worker
        ends by the event loop if another process has its name.
        """
        watch, adoption = (
            Watch(database.engine, self.name),
            Adoption(database, self.name, lambda run_id, detail: self._has_failed(run_id, "crashes", detail)),
        )
        tasks: list[Callable[[], None]] = [
            partial(adoption.begin_again, lease),
            partial(adoption.take_over_dead, watch, self.metrics.adopted_after),
            partial(adoption.search, lease, self._executed),
            partial(self._drop_lost, database),
            partial(tables.cancel_orphans, database),
        ]
        failed = ""
        while not self._has_stopped.wait(INTERVAL):
            was, failed = failed, ""
            for task in tasks:
                try:
                    task()
                except NameTaken as error:
                    warn("worker %s begins nothing more", self.name, error=error)
                    with suppress(RuntimeError):  # the loop is closed: the worker has ended
                        loop.call_soon_threadsafe(self._end)
                    return
                except Exception as error:  # noqa: BLE001  # it is tried again
                    failed = failed or type(error).__name__
                    if failed != was:
                        warn_of("worker %s could not look after runs of others", self.name, error=error)

    def _executed(self) -> set[str]:
        """Return the runs that this worker executes, also in the moment in which it begins."""
        assert self._dbos is not None  # the worker has started
        return {*self._executions, *active_runs(self._dbos).activeList()}

    def _drop_lost(self, database: SystemDatabase) -> None:
        """Let go of runs that were cancelled, also of those that another worker has by now, since they were resumed."""
        executions = dict(self._executions)  # those that begin from now on are of runs that were resumed
        for run_id in tables.lost_of(database, {run_id: each.owner for run_id, each in executions.items()}):
            executions[run_id].lose_soon()


def _meant(names: Sequence[str]) -> str:
    return f"; did you mean {names[0]!r}?" if names else ""
