"""Durable runs in a database, seen from any process: started, steered and looked at. Workers execute them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial, wraps
from secrets import token_hex
from time import time
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_args

from dbos import error as dbos_errors
from pydantic import BaseModel, ValidationError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from toolgen.contract.records import Ancestor  # noqa: TC001  # pydantic reads annotations
from toolgen.engine.children import caller
from toolgen.engine.dbos.connections import CLIENT
from toolgen.engine.dbos.contracts import contract_of
from toolgen.engine.dbos.database import (
    AWAITED,
    PROGRESS,
    QUESTIONS,
    RUN,
    STATES,
    YEAR_10_000,
    Failure,
    StepFailed,
    Unanswered,
    close_client,
    enqueue_options,
    failure_of,
    lacks_tables,
    open_client,
    parent_of,
    reason_of,
    warn_of,
)
from toolgen.engine.dbos.flow import once_of_key
from toolgen.engine.dbos.lease import workers_of
from toolgen.engine.dbos.private import database_of
from toolgen.engine.dbos.reading import UNREADABLE, reading
from toolgen.engine.dbos.retention import OldRuns, retention_of
from toolgen.engine.dbos.schedules import (
    pause_schedule,
    remove_schedule,
    schedule_token,
    schedules_of,
    set_schedule,
)
from toolgen.engine.dbos.tables import (
    add_allowed,
    add_answer,
    add_signal,
    answers_of,
    asking_runs,
    cancel_run,
    event_of,
    fork_run,
    load_of,
    resume_run,
    signals_of,
    turns_of,
    unfinished_calls,
    waiting_of,
)
from toolgen.engine.dbos.turns import Turns
from toolgen.engine.local import checked_answer, with_others
from toolgen.engine.protocol import (
    AlreadyAnswered,
    Approval,
    ApprovalAnswer,
    NeedsOthers,
    NotAsked,
    NotForkable,
    NotResumable,
    Pruned,
    RunCancelled,
    RunFailed,
    RunInfo,
    RunState,
    check_age,
    check_resumable,
    check_selection,
    check_turns,
)
from toolgen.engine.requests import RunEnd, is_run_id, new_run_id
from toolgen.engine.schedules import check_by, check_schedule_name
from toolgen.engine.signals import RunSignal, RunSignals
from toolgen.engine.steps import KeptStep, kept_before, shown_end, shown_steps
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.events.reading import readable
from toolgen.runtime.events.records import DamagedRun, RunNotFound, StoreError
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from dbos import WorkflowStatus

    from toolgen.engine.dbos.connections import Limits
    from toolgen.engine.dbos.metrics import Load
    from toolgen.engine.protocol import Retention, RunStep, WorkerInfo
    from toolgen.engine.requests import Json, RunRequest
    from toolgen.engine.schedules import Schedule, ScheduleInfo
    from toolgen.runtime.policy.approvers import Approver
    from toolgen.runtime.policy.permission import PermissionDecision

MethodT = TypeVar("MethodT", bound=Callable[..., Coroutine[Any, Any, Any]])
T = TypeVar("T")

_PAUSE: Final = 0.5
"""Seconds until an engine looks again whether its database is back."""

_ALLSTATES: Final = get_args(RunState)
_FAILED: Final = ("ERROR", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
"""The states of DBOS that are those of failed runs, beside the ones of `STATES`."""

_BATCH: Final = 1000
"""How many runs are deleted, or looked at, at a time."""


def _reads(method: MethodT) -> MethodT:
    """Let a method raise `DamagedRun` for what it cannot read: who can write to a database can write anything there."""

    @wraps(method)
    async def reading(*args: Any, **kwargs: Any) -> Any:
        try:
            return await method(*args, **kwargs)
        except RunNotFound:
            raise
        except UNREADABLE as error:
            about = f" of {args[1]!a}" if len(args) > 1 and isinstance(args[1], str) else ""
            why = shown_error(error)
            raise DamagedRun(f"the database of the runs has values{about} that cannot be read: {why}") from error

    return cast("MethodT", reading)


class DbosEngine:
    """The runs in one database. Implements `Engine`.

    `url` is that of the database, which a worker has prepared; results are looked for every `poll` seconds. With
    `waits`, everything waits for a database that has gone away, instead of raising `StoreError`. `limits` are those of
    its connections. Raises `StoreError` if it cannot be reached now.
    """

    def __init__(self, url: str, *, poll: float = 0.1, waits: bool = True, limits: Limits = CLIENT) -> None:
        self._client: Final = open_client(url, waits=waits, limits=limits)
        self._tables: Final = database_of(self._client)
        self._poll: Final = poll
        self._waits: Final = waits
        self._turns: Final = Turns()

    async def start(self, request: RunRequest, /) -> str:
        """Enqueue a run, unless there is one with its id; return the id. Users whose runs wait are served in turn."""
        with self._turns.starting(request.user) as turns:
            turn = None
            if request.parent_tool_call_id is None:
                queued = await self._with_database(lambda: asyncio.to_thread(turns_of, self._tables, request.user))
                turn = turns.next(*queued)
            options = enqueue_options(request, turn)
            await self._with_database(lambda: self._client.enqueue_async(options, request.as_json()))
        return request.run_id

    @_reads
    async def result(self, run_id: str, /, seconds: float | None = None) -> RunEnd:
        """Wait for the end of a run. Raises as `Engine.result` does."""
        await self._status(run_id)
        wait = partial(self._tables.await_workflow_result_async, run_id, self._poll, fail_if_missing=True)
        try:
            async with asyncio.timeout(seconds):
                outcome = await self._with_database(wait)
        except TimeoutError:
            raise TimeoutError(f"{run_id} has not ended in {seconds} seconds") from None
        except dbos_errors.DBOSAwaitedWorkflowCancelledError as error:
            raise RunCancelled(f"{run_id} was cancelled") from error
        except dbos_errors.DBOSNonExistentWorkflowError as error:  # deleted meanwhile
            raise RunNotFound(run_id) from error
        except Unanswered as error:
            outcome = error.end
        except (dbos_errors.DBOSException, RunFailed) as error:
            detail = (await self.info(run_id)).detail or error
            raise RunFailed(f"{run_id} could not be executed: {detail}") from error
        return RunEnd.from_json(outcome)

    async def cancel(self, run_id: str, /) -> None:
        """Cancel a run, and the runs that its calls started, whichever worker executes them. Raises `RunNotFound`."""
        await self._status(run_id)
        await self._with_database(lambda: asyncio.to_thread(cancel_run, self._tables, run_id))

    async def resume(self, run_id: str, /, *, turns: int = 0) -> None:
        """Let a run go on that was cancelled or has failed, with the runs that were cancelled with it.

        It goes on from the step that failed, and keeps all before it. It has its whole timeout again, and may have so
        many more turns than before, which one that failed by `max_turns` needs. Raises `RunNotFound`, `NotResumable`
        for any other run, and ValueError for a negative number of turns.
        """
        check_turns(turns)
        status = await self._status(run_id)
        state = _state(status)
        if state not in ("cancelled", "failed"):
            raise NotResumable(run_id, state)
        parent = _parent(status)
        above = [*map(_checked, await self._rows(workflow_ids=[parent]))] if parent else []
        if any(_state(each) in ("cancelled", "failed") for each in above):
            raise NotResumable(run_id, state, f"resume {parent}, which waits for it")
        check_resumable(run_id, state, _info(status, is_waiting=False).reason, turns)
        if parent and not any(_state(each) in ("queued", "running") for each in above):
            raise NotResumable(run_id, state, f"{parent}, whose call started it, has ended")
        resumed = partial(resume_run, self._tables, run_id, parent, turns, token_hex(8))
        if not await self._with_database(lambda: asyncio.to_thread(resumed)):
            raise NotResumable(run_id, _state(await self._status(run_id)))

    async def fork(self, run_id: str, step: int, /, *, new_id: str = "") -> str:
        """Start a run that has done what another one had before a step. Raises as `Engine.fork` does."""
        status = await self._status(run_id)
        kept_before(run_id, _parent(status) or None, await self._kept_steps(run_id), step)
        new_id = new_id or new_run_id()
        if not is_run_id(new_id):
            raise NotForkable(run_id, f"{new_id[:100]!a} is no id of a run")
        timeout = status.workflow_timeout_ms
        with self._turns.starting(status.authenticated_user) as turns:
            user = status.authenticated_user
            queued = await self._with_database(lambda: asyncio.to_thread(turns_of, self._tables, user))
            made = partial(fork_run, self._tables, run_id, new_id, step, turns.next(*queued), timeout, token_hex(8))
            if not await self._with_database(lambda: asyncio.to_thread(made)):
                raise NotForkable(run_id, f"there is a run {new_id} already")
        return new_id

    async def prune(self, seconds: float, /) -> Pruned:
        """Delete old runs, by the clock of the database. See `Engine.prune`."""
        check_age(seconds)
        total, old = Pruned(), OldRuns(self._tables, seconds)
        while (batch := await self._with_database(lambda: asyncio.to_thread(old.delete_batch))) is not None:
            total += batch
        return total

    @_reads
    async def workers(self) -> list[WorkerInfo]:
        """Return the workers, by name. See `Engine.workers`."""
        return await self._with_database(lambda: asyncio.to_thread(workers_of, self._tables.engine))

    @_reads
    async def retention(self) -> Retention | None:
        """Return what workers delete by themselves; None if none does, or has done so."""
        return await self._with_database(lambda: asyncio.to_thread(retention_of, self._tables))

    async def approvals(self, run_id: str, /) -> list[Approval]:
        """Return the questions that a run waits for. Raises `RunNotFound`."""
        status = await self._status(run_id)
        return await self._open(run_id) if _state(status) == "running" else []

    async def answers(self, run_id: str, /) -> list[ApprovalAnswer]:
        """Return the answers that a run was given, in order. Raises `RunNotFound`."""
        await self._status(run_id)
        return await self._answers(run_id)

    async def decide(
        self, run_id: str, question: str, decision: PermissionDecision, /, *, by: Approver | str
    ) -> ApprovalAnswer:
        """Answer a question. Raises as `Engine.decide` does."""
        asked = next((each for each in await self.approvals(run_id) if each.id == question), None)
        if asked is None:
            given = next((each for each in await self.answers(run_id) if each.question == question), None)
            raise NotAsked(run_id, question) if given is None else AlreadyAnswered(run_id, given)
        user = (await self._status(run_id)).authenticated_user
        codec = None if decision.proposal is None else await self._codec(asked)
        answer = checked_answer(asked, user, decision, by, codec)
        allowed: list[ApprovalAnswer] = []
        while isinstance(missing := with_others(asked, user, answer, allowed), str):
            if answer.by in (each.by for each in allowed):
                raise NeedsOthers(question, answer.by, missing)
            allowed.append(await self._allowed(run_id, len(allowed), answer))
        sent = {**missing.as_json(), "token": token_hex(8)}
        add = partial(add_answer, self._tables, self._client, run_id, question, sent)
        kept = await self._with_database(lambda: asyncio.to_thread(add))
        answer = _answer(run_id, kept)
        if kept != sent:
            raise AlreadyAnswered(run_id, answer)
        return answer

    async def _codec(self, asked: Approval) -> Codec[Any] | None:
        """Return the codec of the args that a question is about; None where no worker has told their schema."""
        args = asked.question.get("args_schema")
        if args is None:
            return None
        look = partial(contract_of, self._tables.engine, asked.question["tool"], args["digest"])
        with reading(f"the args schema of {asked.question['tool']!a}"):
            schema = await self._with_database(lambda: asyncio.to_thread(look))
            return None if schema is None else Codec.of(schema, assert_formats=args["assert_formats"])

    async def _allowed(self, run_id: str, place: int, answer: ApprovalAnswer) -> ApprovalAnswer:
        """Note that someone has allowed a call which several people must; return who has the place."""
        add = partial(add_allowed, self._tables, self._client, run_id, answer.question, place, answer.as_json())
        return _answer(run_id, await self._with_database(lambda: asyncio.to_thread(add)))

    async def signal(self, run_id: str, name: str, value: Any = None, /, *, by: str, key: str = "") -> RunSignal:
        """Send a signal to a run; return it. Raises as `Engine.signal` does."""
        sent = RunSignal(name=name, value=value, by=by, at=time(), key=key)
        await self._status(run_id)
        add = partial(add_signal, self._tables, self._client, run_id, sent, once_of_key(key or token_hex(16)))
        return await self._with_database(lambda: asyncio.to_thread(add))

    @_reads
    async def signals(self, run_id: str, /) -> RunSignals:
        """Return the signals that a run waits for, and those that it was sent. Raises `RunNotFound`."""
        is_running = _state(await self._status(run_id)) == "running"
        awaited = await self._event(AWAITED, run_id) if is_running else ()
        received = await self._with_database(lambda: asyncio.to_thread(signals_of, self._tables, run_id))
        return RunSignals(awaited=tuple(awaited or ()), received=tuple(received))

    @_reads
    async def progress(self, run_id: str, /) -> Json | None:
        """Return what a single call has reported of its progress last, None also where there is no such run."""
        found: Json | None = await self._event(PROGRESS, run_id)
        return found

    async def info(self, run_id: str, /) -> RunInfo:
        """Return the state of a run. Raises `RunNotFound`."""
        (info,) = await self._infos([await self._status(run_id)])
        return info

    async def runs(
        self,
        *,
        states: Sequence[RunState] = (),
        agent: str | None = None,
        user: str | None = None,
        worker: str | None = None,
        before: float | None = None,
        after: float | None = None,
        limit: int = 100,
    ) -> list[RunInfo]:
        """Return at most `limit` runs, the newest first. See `Engine.runs`.

        One whose row cannot be read is left out, with a warning.
        """
        check_selection(limit, {"before": before, "after": after}, {"agent": agent, "user": user, "worker": worker})
        options = {
            "user": user,
            "executor_id": worker,
            "attributes": {"agent": agent} if agent and self._tables.engine.name == "postgresql" else None,
            "end_time": None if before is None else _as_date(before),
            "start_time": None if after is None else _as_date(after),
        }
        wanted = [status for status, state in STATES.items() if state in states] if states else None
        if wanted is not None and "failed" in states:
            wanted += _FAILED
        if wanted is not None and "waiting" in states and "PENDING" not in wanted:
            wanted.append("PENDING")
        # Whether a run waits is not known before its questions are read, so many are looked at together.
        batch = max(limit, _BATCH) if states and ("waiting" in states) != ("running" in states) else limit
        infos: list[RunInfo] = []
        looked_at = 0
        while len(infos) < limit:
            found = await self._rows(status=wanted, **options, limit=batch, offset=looked_at, sort_desc=True)
            each = await self._of_agent(agent, readable(found, _checked))
            infos += [info for info in each if info.state in (states or _ALLSTATES)]
            looked_at += len(found)
            if len(found) < batch:
                break
        return infos[:limit]

    async def asking(
        self, *, user: str | None = None, in_turn: bool = False, skip: int = 0, limit: int = 100
    ) -> list[RunInfo]:
        """Return at most `limit` runs that ask a person, the oldest question first. See `Engine.asking`."""
        check_selection(limit, {}, {"user": user}, skip=skip)
        look = partial(asking_runs, self._tables, user, in_turn=in_turn, skip=skip, limit=limit)
        since = await self._with_database(lambda: asyncio.to_thread(look))
        statuses = readable(await self._rows(workflow_ids=[*since]), _checked) if since else []
        infos = {info.run_id: info for info in await self._infos(statuses)}  # without those that were deleted meanwhile
        return [replace(infos[run_id], updated=at / 1000) for run_id, at in since.items() if run_id in infos]

    async def unfinished_calls(self, user: str | None, /) -> tuple[int, int]:
        """Return how many single calls of a user have not ended, and how many of all users."""
        return await self._with_database(lambda: asyncio.to_thread(unfinished_calls, self._tables, user))

    async def _of_agent(self, agent: str | None, found: Sequence[WorkflowStatus]) -> list[RunInfo]:
        """Return those runs that are of an agent, if one is given: DBOS selects them on Postgres only."""
        return await self._infos([each for each in found if agent is None or _agent(each) == agent])

    @_reads
    async def timeline(self, run_id: str, /) -> list[RunStep]:
        """Return what was done in a run, in order. Raises `RunNotFound`."""
        await self._status(run_id)
        return shown_steps(await self._kept_steps(run_id))

    @_reads
    async def shown_end(self, run_id: str, /) -> Json:
        """Return how a run has ended, for people. See `Engine.shown_end`."""
        await self._status(run_id)
        return await shown_end(self, run_id, await self._kept_steps(run_id))

    @_reads
    async def _kept_steps(self, run_id: str) -> list[KeptStep]:
        kept = await self._with_database(lambda: self._client.list_workflow_steps_async(run_id))
        if not all(isinstance(step["function_name"], str) for step in kept):
            raise TypeError(f"a step of {run_id} has no text as its name")
        return [
            KeptStep(
                number=step["function_id"],
                name=step["function_name"],
                started=(step["started_at_epoch_ms"] or 0) / 1000,
                ended=None if step["completed_at_epoch_ms"] is None else step["completed_at_epoch_ms"] / 1000,
                outcome=step["error"].outcome if isinstance(step["error"], StepFailed) else step["output"],
                error="" if step["error"] is None or isinstance(step["error"], StepFailed) else str(step["error"]),
            )
            for step in kept
        ]

    async def set_schedule(self, schedule: Schedule, /, *, by: str) -> ScheduleInfo:
        """Add a schedule, or replace that of its name, unless it is the same; return it."""
        check_by(by)
        return await self._with_database(lambda: asyncio.to_thread(set_schedule, self._tables, schedule, by))

    async def pause_schedule(self, name: str, /, *, paused: bool = True) -> None:
        """Let a schedule start nothing, or start again. Raises `ScheduleNotFound`."""
        check_schedule_name(name)
        pause = partial(pause_schedule, self._tables, name, paused=paused)
        await self._with_database(lambda: asyncio.to_thread(pause))

    async def remove_schedule(self, name: str, /) -> None:
        """Remove a schedule. Raises `ScheduleNotFound`."""
        check_schedule_name(name)
        token = await self._with_database(lambda: asyncio.to_thread(schedule_token, self._tables, name))
        await self._with_database(lambda: asyncio.to_thread(remove_schedule, self._tables, name, token))

    @_reads
    async def schedules(self) -> list[ScheduleInfo]:
        """Return all schedules, by name."""
        return await self._with_database(lambda: asyncio.to_thread(schedules_of, self._tables))

    @_reads
    async def load(self) -> Load:
        """Return what waits in the database, for its metrics."""
        return await self._with_database(lambda: asyncio.to_thread(load_of, self._tables))

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.to_thread(close_client, self._client)

    async def _infos(self, statuses: Sequence[WorkflowStatus]) -> list[RunInfo]:
        running = [each.workflow_id for each in statuses if _state(each) == "running"]
        look = partial(waiting_of, self._tables, running)
        waiting = await self._with_database(lambda: asyncio.to_thread(look)) if running else set[str]()
        return [_info(each, is_waiting=each.workflow_id in waiting) for each in statuses]

    @_reads
    async def _open(self, run_id: str) -> list[Approval]:
        """Return the questions of a run that have no answers, also where no worker has read the answers of others."""
        kept = await self._event(QUESTIONS, run_id)
        asked = {} if kept is None else _questions(run_id, kept)
        answered = {answer.question for answer in await self._answers(run_id)} if asked else set[str]()
        return [
            Approval(run_id=run_id, call=call, question=question)
            for call, question in asked.items()
            if question["id"] not in answered
        ]

    @_reads
    async def _event(self, key: str, run_id: str) -> Any:
        return await self._with_database(lambda: asyncio.to_thread(event_of, self._tables, key, run_id))

    @_reads
    async def _answers(self, run_id: str) -> list[ApprovalAnswer]:
        given = await self._with_database(lambda: asyncio.to_thread(answers_of, self._tables, run_id))
        return [_answer(run_id, each) for each in given]

    async def _status(self, run_id: str) -> WorkflowStatus:
        found = await self._rows(workflow_ids=[run_id]) if is_run_id(run_id) else []
        if not found:
            raise RunNotFound(run_id)
        return _checked(found[0])

    @_reads
    async def _rows(self, **options: Any) -> list[WorkflowStatus]:
        """Return rows of the table of runs, which may have any values: see `_checked`."""
        return await self._with_database(
            lambda: self._client.list_workflows_async(name=RUN, load_input=False, load_output=False, **options)
        )

    async def _with_database(self, action: Callable[[], Awaitable[T]]) -> T:
        """Do something with the database, again if it is away. Raises `StoreError` if this engine does not wait.

        DBOS waits for most lost connections, but not for every way in which a server is away. Raises `StoreError` also
        for what waiting does not help against, such as missing tables or permissions.
        """
        is_away = False
        while True:
            try:
                return await action()
            except (dbos_errors.DBOSQueryTimeoutError, SQLAlchemyError) as error:
                # A call that starts a run waits as its own run does: see `failure_of`.
                waits = caller.get() is not None
                if isinstance(error, SQLAlchemyError):
                    failure = failure_of(error)
                    waits = failure is Failure.PASSES or (failure is Failure.OF_OPERATOR and waits)
                if not (self._waits and waits):
                    raise _store_error(error) from error
                if not is_away:
                    warn_of("the database of the runs cannot be reached; this waits for it", error=error)
                is_away = True
                await asyncio.sleep(_PAUSE)


def _store_error(error: SQLAlchemyError | dbos_errors.DBOSQueryTimeoutError) -> StoreError:
    if isinstance(error, dbos_errors.DBOSQueryTimeoutError):
        return StoreError(f"the database of the runs takes too long: {error}")
    if isinstance(error, DBAPIError) and lacks_tables(error):
        return StoreError(
            "the database has no tables of runs: a worker makes them when it starts, and so does `prepare_database`"
        )
    return StoreError(f"the database of the runs fails: {reason_of(error)}")


def _checked(status: WorkflowStatus) -> WorkflowStatus:
    """Return a row of the table of runs. Raises `DamagedRun` for what DBOS writes into none.

    SQLite takes any value for any column.
    """
    with reading(f"the run {status.workflow_id!a}"):
        about: Any = {} if status.attributes is None else status.attributes
        if not is_object(about):
            raise TypeError(f"{type(about).__name__} instead of an object")
        texts = (status.workflow_id, status.status, status.authenticated_user, status.executor_id, status.forked_from)
        more = (status.queue_name, *map(about.get, ("agent", "parent", "reason", "detail")))
        times = (status.created_at, status.updated_at, status.completed_at)
        for kind, values in ((str, (*texts, *more)), (int, times)):
            for value in values:
                if not isinstance(value, kind | None):
                    raise TypeError(f"{type(value).__name__} instead of {kind.__name__}")
                if isinstance(value, int) and not 0 <= value < YEAR_10_000:
                    raise ValueError(f"{value} is no time")
        if status.status not in (*STATES, *_FAILED):
            raise ValueError(f"{status.status!a} is no state of a run")
    return status


class _Approvers(BaseModel):
    """See `Approvers`."""

    user: bool
    roles: list[list[str]]
    people: int


class _Contract(BaseModel):
    """By what a proposal is checked: see `contract_of`."""

    digest: str
    assert_formats: bool


class _Question(BaseModel):
    """A question of a run as it is kept: see `question_data`."""

    id: str
    tool: str
    permission: str
    arguments: str
    summary: str
    confirm: str
    request: str
    program: str
    cwd: str
    env: list[str]
    hosts: list[str]
    tags: list[str]
    hook: str
    scope: list[list[str]] | None
    dangerous: bool
    reasons: list[str]
    suggested: str
    agent: str
    ancestors: list[Ancestor]
    approvers: _Approvers | None = None
    args_schema: _Contract | None = None


def _questions(run_id: str, kept: Any) -> dict[str, Json]:
    """Return the questions of a run, by the keys of their calls. Raises TypeError and ValueError for anything else."""
    if not is_object(kept):
        raise TypeError(f"{type(kept).__name__} instead of questions in {run_id!a}")
    try:
        return {call: _Question.model_validate(each).model_dump(exclude_unset=True) for call, each in kept.items()}
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{first['msg']}: {'/'.join(map(str, first['loc']))} of a question of {run_id!a}") from None


def _state(status: WorkflowStatus) -> RunState:
    """Return the state of a run as its row has it."""
    return STATES.get(status.status, "failed")


def _answer(run_id: str, kept: Any) -> ApprovalAnswer:
    with reading(f"an answer of {run_id!a}"):
        if not is_object(kept):
            raise TypeError(f"{type(kept).__name__} instead of an object")
        return ApprovalAnswer.from_json({name: value for name, value in kept.items() if name != "token"})


def _info(status: WorkflowStatus, *, is_waiting: bool) -> RunInfo:
    about = status.attributes or {}
    state: RunState = "waiting" if is_waiting else _state(status)
    return RunInfo(
        run_id=status.workflow_id,
        agent=_agent(status),
        state=state,
        user=status.authenticated_user,
        parent_run_id=about.get("parent") or None,
        created=(status.created_at or 0) / 1000,
        updated=(status.updated_at or 0) / 1000,
        worker=status.executor_id or "",
        forked_from=status.forked_from,
        reason=about.get("reason", "engine") if state == "failed" else "",
        detail=about.get("detail", "") if state == "failed" else "",
    )


def _parent(status: WorkflowStatus) -> str:
    return parent_of(status.priority, status.attributes or {})


def _agent(status: WorkflowStatus) -> str:
    agent: str = (status.attributes or {}).get("agent", "")
    return agent


def _as_date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
