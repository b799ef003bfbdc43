"""An engine in this process, with nothing to install: runs end with the process, and wait for people meanwhile."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import Counter, deque
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from secrets import token_hex
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgen import __version__
from toolgen.contract.records import NOTHING
from toolgen.engine.body import DEFAULT_RETRIES, Body
from toolgen.engine.calls import CALL_PREFIX
from toolgen.engine.host import AGENTS, CANCELLED
from toolgen.engine.protocol import (
    AlreadyAnswered,
    Approval,
    ApprovalAnswer,
    NeedsOthers,
    NotApprover,
    NotAsked,
    NotForkable,
    NotResumable,
    Pruned,
    RunCancelled,
    RunFailed,
    RunInfo,
    WorkerInfo,
    check_age,
    check_resumable,
    check_selection,
    check_turns,
    reason_of_end,
)
from toolgen.engine.requests import MOST_TURNS, RunEnd, new_run_id, text_problem
from toolgen.engine.schedules import ScheduleInfo, ScheduleNotFound, check_by
from toolgen.engine.signals import NotSignalled, RunSignal, RunSignals, kept
from toolgen.engine.steps import KeptStep, has_failed, kept_before, shown_end, shown_steps, step_name, steps_to_repeat
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.approvers import Approver
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import checked_proposal
from toolgen.runtime.redact.call_secrets import hide_text
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.engine.body import Retries
    from toolgen.engine.host import EngineHost
    from toolgen.engine.protocol import Activities, Activity, Reason, Retention, RunState, RunStep
    from toolgen.engine.requests import Json, RunRequest
    from toolgen.engine.schedules import Schedule
    from toolgen.runtime.codec.codec import Codec

NO_ANSWER: Final = PermissionDecision(decision=Decision.DENY, reason="nobody answered in time")

_REASON_LENGTH: Final = 10_000
"""Characters of the reason of an answer at most."""

_ROLES: Final = 1_000
"""Roles of someone who answers at most: the groups of a user are among them."""

NOBODY: Final = Approver("", via="")

_LOOK_AGAIN: Final = 5.0
"""Seconds after which a schedule looks at the clock again, which may have been set."""


ENDED_RUNS: Final = 1000
"""How many runs that ended an engine in memory knows."""

_ENDED: Final = frozenset({"ended", "failed", "cancelled"})
_RESUMABLE: Final = frozenset({"failed", "cancelled"})
_TOGETHER: Final = 1.0
"""Seconds before a run ended in which those that its calls started were cancelled with it."""


@dataclass(slots=True)
class _Running:
    """A run: its task, its questions with their answers, those that it waits for, and what it has done, by number."""

    request: RunRequest
    created: float
    task: asyncio.Task[Json] | asyncio.Future[Json] | None = None
    context: Context = field(default_factory=copy_context)
    questions: Mapping[str, Json] = NOTHING
    answers: dict[str, ApprovalAnswer] = field(default_factory=dict[str, "ApprovalAnswer"])
    waiting: dict[str, asyncio.Future[None]] = field(default_factory=dict[str, "asyncio.Future[None]"])
    updated: float = 0.0
    forked_from: str | None = None
    allowed: dict[str, list[ApprovalAnswer]] = field(default_factory=dict[str, "list[ApprovalAnswer]"])
    steps: dict[int, KeptStep] = field(default_factory=dict[int, "KeptStep"])
    awaited: tuple[str, ...] = ()
    progress: Json | None = None
    signals: list[RunSignal] = field(default_factory=list["RunSignal"])
    unread: list[RunSignal] = field(default_factory=list["RunSignal"])
    doing: int = 0
    signalled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def goes_on(self) -> bool:
        """Whether it takes answers and signals: not from the moment on in which it is cancelled, or its time is up."""
        return isinstance(self.task, asyncio.Task) and not self.task.done() and not self.task.cancelling()


@dataclass(slots=True)
class _Scheduled:
    """A schedule, since when it goes on, and the task that starts its runs."""

    info: ScheduleInfo
    since: float
    token: str = field(default_factory=partial(token_hex, 8))
    task: asyncio.Task[None] | None = None


class LocalEngine:
    """Executes runs as tasks of the running event loop. Implements `Engine`.

    It knows the last 1,000 runs that ended; those before are not found any more. A run whose event loop was closed
    while it went on is cancelled.
    """

    def __init__(self, host: EngineHost, retries: Retries = DEFAULT_RETRIES) -> None:
        self.name: Final = f"{socket.gethostname()}-{os.getpid()}"
        self._host: Final = host
        self._retries: Final = retries
        self._runs: Final[dict[str, _Running]] = {}
        self._last_ended: Final[deque[str]] = deque()
        host.on_progress = self._report
        self._schedules: Final[dict[str, _Scheduled]] = {}

    async def start(self, request: RunRequest, /) -> str:
        """Start a run, unless there is one with its id; return the id."""
        if request.run_id not in self._runs:
            self._begin(_Running(request, time()))
        return request.run_id

    def _begin(self, run: _Running) -> None:
        self._runs[run.request.run_id] = run
        if run.request.run_id in self._last_ended:
            self._last_ended.remove(run.request.run_id)
        run.updated = time()
        run.waiting, run.signalled, run.context = {}, asyncio.Event(), copy_context()  # the last loop had others
        run.task = task = asyncio.create_task(self._execute(run), context=run.context)
        task.add_done_callback(lambda _: self._ended(run, task))  # also of one that was cancelled before it began

    async def result(self, run_id: str, /, seconds: float | None = None) -> RunEnd:
        """Wait for the end of a run. Raises as `Engine.result` does."""
        task = self._task(run_id)
        if not task.done():
            await asyncio.wait([task], timeout=seconds)
        if not task.done():
            raise TimeoutError(f"{run_id} has not ended in {seconds} seconds")
        if task.cancelled():
            raise RunCancelled(f"{run_id} was cancelled")
        error = task.exception()
        if isinstance(error, TimeoutError):
            raise RunCancelled(f"{run_id} was cancelled: its time was up")
        if error is not None:
            raise RunFailed(f"{run_id} could not be executed: {shown_error(error)}") from error
        return RunEnd.from_json(task.result())

    async def cancel(self, run_id: str, /) -> None:
        """Cancel a run, the calls that it makes, and the runs that these started. Raises `RunNotFound`."""
        task = self._task(run_id)
        self._host.forget(run_id, "the run was cancelled")
        if not task.done():
            task.cancel()
            await asyncio.wait([task])

    async def approvals(self, run_id: str, /) -> list[Approval]:
        """Return the questions that a run waits for. Raises `RunNotFound`."""
        return _open(self._find(run_id))

    async def answers(self, run_id: str, /) -> list[ApprovalAnswer]:
        """Return the answers that a run was given, in order. Raises `RunNotFound`."""
        return [*self._find(run_id).answers.values()]

    async def decide(
        self, run_id: str, question: str, decision: PermissionDecision, /, *, by: Approver | str
    ) -> ApprovalAnswer:
        """Answer a question. Raises as `Engine.decide` does."""
        run = self._find(run_id)
        if question in run.answers:
            raise AlreadyAnswered(run_id, run.answers[question])
        asked = next((each for each in _open(run) if each.id == question), None)
        if asked is None:
            raise NotAsked(run_id, question)
        has_proposal = decision.proposal is not None
        codec = self._host.runtime.catalog.codec(asked.question["tool"], "args") if has_proposal else None
        answer = checked_answer(asked, run.request.user, decision, by, codec)
        allowed = run.allowed.setdefault(question, [])
        missing = with_others(asked, run.request.user, answer, allowed)
        if isinstance(missing, ApprovalAnswer):
            return _answer(run, missing)
        if answer.by not in (each.by for each in allowed):
            allowed.append(answer)
        raise NeedsOthers(question, answer.by, missing)

    async def signal(self, run_id: str, name: str, value: Any = None, /, *, by: str, key: str = "") -> RunSignal:
        """Send a signal to a run; return it. Raises as `Engine.signal` does."""
        run, sent = self._find(run_id), RunSignal(name=name, value=value, by=by, at=time(), key=key)
        before = kept(run_id, sent, run.signals)
        if before is not None:
            return before
        if not run.goes_on:
            is_done = self._task(run_id).done()
            raise NotSignalled(run_id, name, f"it is {self._state(run) if is_done else 'being cancelled'}")
        run.signals.append(sent)
        run.unread.append(sent)
        run.signalled.set()
        return sent

    async def signals(self, run_id: str, /) -> RunSignals:
        """Return the signals that a run waits for, and those that it was sent. Raises `RunNotFound`."""
        run = self._find(run_id)
        awaited = run.awaited if run.goes_on else ()
        return RunSignals(awaited=awaited, received=tuple(run.signals))

    async def progress(self, run_id: str, /) -> Json | None:
        """Return what a single call has reported of its progress last. Raises `RunNotFound`."""
        return self._find(run_id).progress

    def _report(self, run_id: str, data: Mapping[str, Any]) -> None:
        run = self._runs.get(run_id)
        if run is not None:
            run.progress = dict(data)

    async def info(self, run_id: str, /) -> RunInfo:
        """Return the state of a run. Raises `RunNotFound`."""
        return self._info(self._find(run_id))

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
        """Return at most `limit` runs, the newest first. See `Engine.runs`."""
        check_selection(limit, {"before": before, "after": after}, {"agent": agent, "user": user, "worker": worker})
        newest = sorted(map(self._info, self._all()), key=lambda info: info.created, reverse=True)
        found = (
            info
            for info in newest
            if (not states or info.state in states)
            and agent in (None, info.agent)
            and user in (None, info.user)
            and worker in (None, info.worker)
            and (before is None or info.created <= before)
            and (after is None or info.created >= after)
        )
        return list(islice(found, limit))

    async def asking(
        self, *, user: str | None = None, in_turn: bool = False, skip: int = 0, limit: int = 100
    ) -> list[RunInfo]:
        """Return at most `limit` runs that ask a person, the oldest question first. See `Engine.asking`."""
        check_selection(limit, {}, {"user": user}, skip=skip)
        found = [self._info(run) for run in self._all() if _open(run) and user in (None, run.request.user)]
        found.sort(key=lambda info: (info.updated, info.run_id))
        if in_turn:
            before = Counter[str | None]()
            turns = {}
            for info in found:
                before[info.user] += 1
                turns[info.run_id] = before[info.user]
            found.sort(key=lambda info: turns[info.run_id])
        return found[skip : skip + limit]

    async def unfinished_calls(self, user: str | None, /) -> tuple[int, int]:
        """Return how many single calls of a user have not ended, and how many of all users."""
        users = [
            run.request.user
            for run in self._all()
            if run.request.run_id.startswith(CALL_PREFIX) and run.task is not None and not run.task.done()
        ]
        return users.count(user), len(users)

    async def timeline(self, run_id: str, /) -> list[RunStep]:
        """Return what was done in a run, in order. Raises `RunNotFound`."""
        return shown_steps(self._find(run_id).steps.values())

    async def shown_end(self, run_id: str, /) -> Json:
        """Return how a run has ended, for people. See `Engine.shown_end`."""
        return await shown_end(self, run_id, self._find(run_id).steps.values())

    async def resume(self, run_id: str, /, *, turns: int = 0) -> None:
        """Let a run go on. Raises as `Engine.resume` does."""
        check_turns(turns)
        run = self._find(run_id)
        state, parent = self._state(run), self._runs.get(run.request.parent_run_id or "")
        if state not in _RESUMABLE:
            raise NotResumable(run_id, state)
        is_waited_for = run.request.parent_tool_call_id is not None
        if parent is not None and is_waited_for and self._state(parent) in _RESUMABLE:
            raise NotResumable(run_id, state, f"resume {parent.request.run_id}, which waits for it")
        if parent is not None and is_waited_for and self._state(parent) == "ended":
            raise NotResumable(run_id, state, f"{parent.request.run_id}, whose call started it, has ended")
        check_resumable(run_id, state, self._failure(run)[0], turns)
        again = [run]
        for each in again:  # those that its calls started go on too, before it asks for their results
            ended_after = [
                below
                for below in self._runs.values()
                if below.request.parent_run_id == each.request.run_id
                and below.request.parent_tool_call_id is not None
                and self._state(below) == "cancelled"
                and below.updated >= run.updated - _TOGETHER
            ]
            again += ended_after
        run.request = replace(run.request, max_turns=min(MOST_TURNS, run.request.max_turns + turns))
        for each in again:
            each.questions = NOTHING
            done = [(at, step.name, has_failed(step), 0) for at, step in sorted(each.steps.items())]
            for number in steps_to_repeat(done)[0]:
                del each.steps[number]
            self._begin(each)

    async def fork(self, run_id: str, step: int, /, *, new_id: str = "") -> str:
        """Start a run that has done what another one had before a step. Raises as `Engine.fork` does."""
        run = self._find(run_id)
        parent = run.request.parent_run_id if run.request.parent_tool_call_id is not None else None
        kept = kept_before(run_id, parent, run.steps.values(), step)
        try:
            request = replace(run.request, run_id=new_id or new_run_id())
        except ValueError as error:
            raise NotForkable(run_id, str(error)) from error
        if request.run_id in self._runs:
            raise NotForkable(run_id, f"there is a run {request.run_id} already")
        forked = _Running(request, time(), forked_from=run_id, steps={each.number: each for each in kept})
        self._begin(forked)
        return request.run_id

    async def prune(self, seconds: float, /) -> Pruned:
        """Forget the runs that ended at least so many seconds ago. See `Engine.prune`."""
        check_age(seconds)
        before = time() - seconds
        infos = [self._info(run) for run in self._all()]
        goes_on = {info.run_id for info in infos if info.state not in _ENDED}
        old = [
            info
            for info in infos
            if info.state in _ENDED and info.updated <= before and self._first_of(info.run_id) not in goes_on
        ]
        for info in old:
            del self._runs[info.run_id]
            self._last_ended.remove(info.run_id)
        states = Counter[str](info.state for info in old)
        agents = Counter(info.agent or "-" for info in old)
        return Pruned(runs=len(old), states=states, agents=agents)

    async def workers(self) -> list[WorkerInfo]:
        """Return this process, which is the only worker."""
        states = [self._state(run) for run in self._all()]
        return [
            WorkerInfo(
                name=self.name,
                lease="held",
                beat_age=0.0,
                runs=states.count("running"),
                waiting=states.count("waiting"),
                activities=sum(run.doing for run in self._runs.values()),
                version=__version__,
                package=self._host.package,
            )
        ]

    async def retention(self) -> Retention | None:
        """Return None: runs that ended are forgotten by their number."""
        return None

    async def close(self) -> None:
        """Cancel the runs that go on."""
        for run_id in list(self._runs):
            if not self._task(run_id).done():
                await self.cancel(run_id)

    def _first_of(self, run_id: str) -> str:
        """Return the run at the top of the chain of calls that started a run."""
        run = self._runs.get(run_id)
        while run is not None and run.request.parent_tool_call_id is not None and run.request.parent_run_id:
            run_id = run.request.parent_run_id
            run = self._runs.get(run_id)
        return run_id

    def _info(self, run: _Running) -> RunInfo:
        reason, detail = self._failure(run)
        return RunInfo(
            run_id=run.request.run_id,
            agent=run.request.agent,
            state=self._state(run),
            user=run.request.user,
            parent_run_id=run.request.parent_run_id,
            created=run.created,
            updated=run.updated,
            worker=self.name,
            forked_from=run.forked_from,
            reason=reason,
            detail=detail,
        )

    async def set_schedule(self, schedule: Schedule, /, *, by: str) -> ScheduleInfo:
        """Add a schedule, or replace that of its name, unless it is the same; return it. A paused one stays paused."""
        check_by(by)
        before = self._schedules.get(schedule.name)
        if before is None or before.info.schedule.as_json() != schedule.as_json():
            is_paused = before is not None and before.info.is_paused
            if before is not None:
                self._stop(before)
            added = _Scheduled(ScheduleInfo(schedule=schedule, by=by, is_paused=is_paused), since=time())
            self._schedules[schedule.name] = added
            if not is_paused:
                self._go_on(added)
        return self._schedules[schedule.name].info

    async def pause_schedule(self, name: str, /, *, paused: bool = True) -> None:
        """Let a schedule start nothing, or start again. Raises `ScheduleNotFound`."""
        found = self._scheduled(name)
        if found.info.is_paused != paused:
            self._stop(found)
            found.info = replace(found.info, is_paused=paused, next_at=None)
            if not paused:
                self._go_on(found)

    async def remove_schedule(self, name: str, /) -> None:
        """Remove a schedule. Raises `ScheduleNotFound`."""
        self._stop(self._scheduled(name))
        del self._schedules[name]

    async def schedules(self) -> list[ScheduleInfo]:
        """Return all schedules, by name."""
        return [self._schedules[name].info for name in sorted(self._schedules)]

    def _scheduled(self, name: str) -> _Scheduled:
        if name not in self._schedules:
            raise ScheduleNotFound(name)
        return self._schedules[name]

    def _go_on(self, scheduled: _Scheduled) -> None:
        next_at = scheduled.info.schedule.next_time(scheduled.since, time())
        scheduled.info = replace(scheduled.info, next_at=next_at)
        scheduled.task = asyncio.create_task(self._keep_starting(scheduled))

    def _stop(self, scheduled: _Scheduled) -> None:
        if scheduled.task is not None and not scheduled.task.get_loop().is_closed():
            scheduled.task.cancel()

    async def _keep_starting(self, scheduled: _Scheduled) -> None:
        """Start a run whenever the time has come, by the clock of this machine."""
        while (next_at := scheduled.info.next_at) is not None:
            now = time()
            if now < next_at:
                await asyncio.sleep(min(next_at - now, _LOOK_AGAIN))
                continue
            schedule = scheduled.info.schedule
            latest = schedule.latest_time(scheduled.since, next_at, now)
            run_id = await self.start(schedule.request_at(latest, scheduled.token))
            next_at = schedule.next_time(scheduled.since, now)
            scheduled.info = replace(scheduled.info, next_at=next_at, last_at=latest, last_run_id=run_id)

    def _state(self, run: _Running) -> RunState:
        task = self._task(run.request.run_id)
        if not task.done():
            return "waiting" if _open(run) or run.awaited else "running"
        if task.cancelled() or isinstance(task.exception(), TimeoutError):
            return "cancelled"
        return "failed" if task.exception() is not None or reason_of_end(task.result()) else "ended"

    def _failure(self, run: _Running) -> tuple[Reason | Literal[""], str]:
        """Return why a run has failed, in a word and in a sentence."""
        if self._state(run) != "failed":
            return "", ""
        task = self._task(run.request.run_id)
        error = task.exception()
        if error is not None:
            return "engine", shown_error(error)
        end = task.result()
        detail = end.get("reason") or f"no answer after {end['turns']} turns"
        return reason_of_end(end), hide_text(detail, NO_SECRETS)

    async def _execute(self, run: _Running) -> Json:
        try:
            async with asyncio.timeout(run.request.timeout):
                if agents := sum(map(_agents_in, run.steps.values())):  # of a run that goes on, or was forked
                    self._host.restore(run.request, agents)
                body = Body(_LocalFlow(self._host, run), run.request, self._retries)
                return await self._host.observe(run.request, body.run())
        except (asyncio.CancelledError, TimeoutError):
            await self._host.ended(run.request, CANCELLED)
            raise
        finally:
            self._host.forget(run.request.run_id, "the run has ended")

    def _ended(self, run: _Running, task: asyncio.Future[Json]) -> None:
        if run.task is not task or run.request.run_id not in self._runs:
            return  # it was resumed, or is forgotten
        run.updated = time()
        self._last_ended.append(run.request.run_id)
        if len(self._last_ended) > ENDED_RUNS:
            del self._runs[self._last_ended.popleft()]

    def _find(self, run_id: str) -> _Running:
        if run_id not in self._runs:
            raise RunNotFound(run_id)
        self._end_lost(self._runs[run_id])
        return self._runs[run_id]

    def _all(self) -> list[_Running]:
        for run in [*self._runs.values()]:
            self._end_lost(run)
        return [*self._runs.values()]

    def _end_lost(self, run: _Running) -> None:
        """Cancel a run whose event loop was closed while it went on: its task can neither end nor be cancelled."""
        task = run.task
        if not isinstance(task, asyncio.Task) or task.done() or not task.get_loop().is_closed():
            return
        coroutine = task.get_coro()
        assert isinstance(coroutine, Coroutine)
        with suppress(Exception):  # what it does at its end may need the loop
            run.context.run(coroutine.close)
        run.doing = 0
        lost: asyncio.Future[Json] = asyncio.Future(loop=task.get_loop())
        run.task = lost
        lost.cancel()
        self._ended(run, lost)

    def _task(self, run_id: str) -> asyncio.Future[Json]:
        task = self._find(run_id).task
        if task is None:
            raise RunNotFound(run_id)
        return task


def _agents_in(step: KeptStep) -> int:
    """Return how many agents a step started that is not made again."""
    return step.outcome.get(AGENTS, 0) if is_object(step.outcome) else 0


class _LocalFlow:
    """The flow of a run in memory. Implements `Flow`."""

    def __init__(self, host: Activities, run: _Running) -> None:
        self._host = host
        self._run = run
        self._steps = 0

    async def activities(self, activities: Sequence[Activity], /) -> list[Json]:
        numbers = [self._next() for _ in activities]
        return await together(map(self._execute, numbers, activities))

    async def _execute(self, number: int, activity: Activity) -> Json:
        name = step_name(activity)
        kept = self._run.steps.get(number)
        if kept is not None:
            outcome: Json = kept.outcome
            return outcome
        step = KeptStep(number=number, name=name, started=time(), ended=None)
        self._run.doing += 1
        try:
            outcome = await self._host.execute(self._run.request, activity)
        except Exception as error:  # whatever a step raises is its recorded end; raised again
            self._run.steps[number] = replace(step, ended=time(), error=shown_error(error))
            raise
        finally:
            self._run.doing -= 1
        self._run.steps[number] = replace(step, ended=time(), outcome=outcome)
        return outcome

    def _next(self) -> int:
        self._steps += 1
        return self._steps

    async def ask(self, questions: Mapping[str, Json], /) -> None:
        self._run.questions = questions
        self._run.updated = time()

    async def answer(self, call: str, question: Json, seconds: float, /) -> Json:
        number, started = self._next(), time()
        kept = self._run.steps.get(number)
        if kept is not None:  # of the run that this one was forked from
            answer: Json = kept.outcome
            return answer
        given = self._run.answers.get(question["id"])
        if given is None:
            waiting = self._run.waiting[question["id"]] = asyncio.get_running_loop().create_future()
            try:
                await asyncio.wait([waiting], timeout=seconds)
            finally:
                del self._run.waiting[question["id"]]
            given = self._run.answers.get(question["id"]) or _answer(
                self._run, new_answer(call, question, NO_ANSWER, NOBODY)
            )
        answer = given.as_json()
        self._run.steps[number] = KeptStep(number=number, name="answer", started=started, ended=time(), outcome=answer)
        return answer

    async def awaits(self, signals: Sequence[str], /) -> None:
        self._run.awaited = tuple(signals)
        self._run.updated = time()

    async def signal(self, name: str, seconds: float, /) -> Json | None:
        number, started = self._next(), time()
        kept_step = self._run.steps.get(number)
        if kept_step is not None:
            before: Json | None = kept_step.outcome
            return before
        found = await self._signalled(name, seconds)
        step = KeptStep(number=number, name=f"signal {name}", started=started, ended=time(), outcome=found)
        self._run.steps[number] = step
        return found

    async def _signalled(self, name: str, seconds: float) -> Json | None:
        run = self._run
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    found = next((each for each in run.unread if each.name == name), None)
                    if found is not None:
                        run.unread.remove(found)
                        return found.as_json()
                    run.signalled.clear()
                    await run.signalled.wait()
        return None

    async def sleep(self, seconds: float, /) -> None:
        number, started = self._next(), time()
        if number not in self._run.steps:
            await asyncio.sleep(seconds)
            self._run.steps[number] = KeptStep(number=number, name="sleep", started=started, ended=time())

    async def ended(self, reason: str, /) -> None:
        await self._host.ended(self._run.request, reason)


def _open(run: _Running) -> list[Approval]:
    return [
        Approval(run_id=run.request.run_id, call=call, question=question)
        for call, question in run.questions.items()
        if run.goes_on and question["id"] not in run.answers
    ]


def _answer(run: _Running, answer: ApprovalAnswer) -> ApprovalAnswer:
    run.answers[answer.question] = answer
    run.updated = answer.at
    waiting = run.waiting.get(answer.question)
    if waiting is not None and not waiting.done():
        waiting.set_result(None)
    return answer


def checked_answer(
    asked: Approval, user: str | None, decision: PermissionDecision, by: Approver | str, codec: Codec[Any] | None
) -> ApprovalAnswer:
    """Return the answer that someone gives now to a question of a user's run. `codec` is that of the tool's args.

    All doors to the runs of an engine go through here; the permission stage checks the same when the call is made.

    Raises `NotApprover`, and ValueError for texts that cannot be kept, such as a reason of more than 10,000 characters,
    and for a proposal that does not fit the tool, also where its codec is not known.
    """
    by = Approver(by) if isinstance(by, str) else by
    texts = [("by", by.name), ("via", by.via), *(("a role", role) for role in by.roles)]
    problems = [f"{what} {problem}" for what, text in texts if (problem := text_problem(text))]
    if problem := text_problem(decision.reason, _REASON_LENGTH):
        problems.append(f"the reason {problem}")
    if len(by.roles) > _ROLES:
        problems.append(f"{len(by.roles)} roles are given; there may be {_ROLES}")
    if problems:
        raise ValueError(problems[0])
    refusal = asked.approvers.refusal(user, by)
    if refusal:
        raise NotApprover(asked.id, by.name, refusal)
    if decision.proposal is not None:
        decision = replace(decision, proposal=checked_proposal(codec, decision.proposal))
    return new_answer(asked.call, asked.question, decision, by)


def with_others(
    asked: Approval, user: str | None, answer: ApprovalAnswer, allowed: Sequence[ApprovalAnswer]
) -> ApprovalAnswer | str:
    """Return an answer together with those of others who have allowed the call before, or what is still missing.

    Whoever denies does so at once. What each allowed holds: for the session only if all did.
    """
    if answer.decision is Decision.DENY:
        return answer
    others = [each for each in allowed if each.by != answer.by]
    notes = tuple({"by": each.by, "at": each.at, "via": each.via, "roles": list(each.roles)} for each in others)
    for_session = all(each.decision is Decision.ALLOW_FOR_SESSION for each in (*others, answer))
    decision = Decision.ALLOW_FOR_SESSION if for_session else Decision.ALLOW_ONCE
    together_ = replace(answer, others=notes, decision=decision)
    return asked.approvers.missing(user, together_.people) or together_


def new_answer(call: str, question: Mapping[str, Any], decision: PermissionDecision, by: Approver) -> ApprovalAnswer:
    """Return the answer that is given now to a question about a call."""
    return ApprovalAnswer(
        question=question["id"],
        call=call,
        tool=question["tool"],
        decision=decision.decision,
        reason=decision.reason,
        by=by.name,
        at=time(),
        via=by.via,
        roles=by.roles,
        proposal=decision.proposal,
    )


async def together(outcomes: Iterable[Coroutine[Any, Any, Json]]) -> list[Json]:
    """Await coroutines concurrently; return their outcomes, in order. If one raises, the others are cancelled."""
    first, *others = outcomes
    if not others:
        return [await first]  # most turns have one call, and a task costs time
    tasks = [asyncio.create_task(outcome) for outcome in (first, *others)]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
