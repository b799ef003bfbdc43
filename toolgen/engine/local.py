"""An engine in this process, with nothing to install: runs end with the process, and wait for people meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from time import time
from typing import TYPE_CHECKING, Any, Final, Literal

from toolgen.contract.records import NOTHING
from toolgen.engine.body import DEFAULT_RETRIES, Body
from toolgen.engine.protocol import (
    AlreadyAnswered,
    Answer,
    Approval,
    NotAsked,
    RunCancelled,
    RunFailed,
    RunInfo,
    reason_of_end,
)
from toolgen.engine.requests import RunEnd
from toolgen.runtime.events.records import RunNotFound
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Mapping, Sequence

    from toolgen.engine.body import Retries
    from toolgen.engine.protocol import Activities, Activity, Reason, State
    from toolgen.engine.requests import Json, RunRequest

NO_ANSWER: Final = PermissionDecision(decision=Decision.DENY, reason="nobody answered in time")

ENDED_RUNS: Final = 1000
"""How many runs that ended an engine in memory knows."""


@dataclass(slots=True)
class _Running:
    """A run: its task, its questions with their answers, and those that it waits for."""

    request: RunRequest
    created: float
    task: asyncio.Task[Json] | None = None
    questions: Mapping[str, Json] = NOTHING
    answers: dict[str, Answer] = field(default_factory=dict[str, "Answer"])
    waiting: dict[str, asyncio.Future[None]] = field(default_factory=dict[str, "asyncio.Future[None]"])
    updated: float = 0.0


class LocalEngine:
    """Executes runs as tasks of the running event loop. Implements `Engine`.

    It knows the last 1,000 runs that ended; those before are not found any more.
    """

    def __init__(self, host: Activities, retries: Retries = DEFAULT_RETRIES) -> None:
        self._host: Final = host
        self._retries: Final = retries
        self._runs: Final[dict[str, _Running]] = {}
        self._last_ended: Final[deque[str]] = deque()

    async def start(self, request: RunRequest, /) -> str:
        """Start a run, unless there is one with its id; return the id."""
        if request.run_id not in self._runs:
            run = self._runs[request.run_id] = _Running(request, time())
            run.updated = run.created
            run.task = asyncio.create_task(self._execute(run))
            run.task.add_done_callback(lambda _: self._ended(run))  # also of one that was cancelled before it began
        return request.run_id

    async def result(self, run_id: str, /, seconds: float | None = None) -> RunEnd:
        """Wait for the end of a run. Raises as `Engine.result` does."""
        task = self._task(run_id)
        done, _ = await asyncio.wait([task], timeout=seconds)
        if not done:
            raise TimeoutError(f"{run_id} has not ended in {seconds} seconds")
        if task.cancelled():
            raise RunCancelled(f"{run_id} was cancelled")
        error = task.exception()
        if isinstance(error, TimeoutError):
            raise RunCancelled(f"{run_id} was cancelled: its time was up")
        if error is not None:
            raise RunFailed(f"{run_id} could not be executed: {type(error).__name__}: {error}") from error
        return RunEnd.from_json(task.result())

    async def cancel(self, run_id: str, /) -> None:
        """Cancel a run, the calls that it makes, and the runs that these started. Raises `RunNotFound`."""
        self._host.forget(run_id, "the run was cancelled")
        task = self._task(run_id)
        task.cancel()
        await asyncio.wait([task])

    async def approvals(self, run_id: str, /) -> list[Approval]:
        """Return the questions that a run waits for. Raises `RunNotFound`."""
        return _open(self._find(run_id))

    async def answers(self, run_id: str, /) -> list[Answer]:
        """Return the answers that a run was given, in order. Raises `RunNotFound`."""
        return [*self._find(run_id).answers.values()]

    async def decide(self, run_id: str, question: str, decision: PermissionDecision, /, *, by: str) -> Answer:
        """Answer a question. Raises as `Engine.decide` does."""
        run = self._find(run_id)
        if question in run.answers:
            raise AlreadyAnswered(run_id, run.answers[question])
        asked = next((each for each in _open(run) if each.id == question), None)
        if asked is None:
            raise NotAsked(run_id, question)
        return _answer(run, new_answer(asked.call, asked.question, decision, by))

    async def info(self, run_id: str, /) -> RunInfo:
        """Return the state of a run. Raises `RunNotFound`."""
        run = self._find(run_id)
        reason, detail = self._failure(run)
        return RunInfo(
            run_id=run_id,
            agent=run.request.agent,
            state=self._state(run),
            user=run.request.user,
            parent_run_id=run.request.parent_run_id,
            created=run.created,
            updated=run.updated,
            worker="",
            reason=reason,
            detail=detail,
        )

    def _state(self, run: _Running) -> State:
        task = self._task(run.request.run_id)
        if not task.done():
            return "waiting" if _open(run) else "running"
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
            return "engine", f"{type(error).__name__}: {error}"
        end = task.result()
        return reason_of_end(end), end.get("reason") or f"no answer after {end['turns']} turns"

    async def _execute(self, run: _Running) -> Json:
        try:
            async with asyncio.timeout(run.request.timeout):
                body = Body(_LocalFlow(self._host, run), run.request, self._retries)
                return await self._host.observe(run.request, body.run())
        finally:
            self._host.forget(run.request.run_id, "the run has ended")

    def _ended(self, run: _Running) -> None:
        run.updated = time()
        self._last_ended.append(run.request.run_id)
        if len(self._last_ended) > ENDED_RUNS:
            del self._runs[self._last_ended.popleft()]

    def _find(self, run_id: str) -> _Running:
        if run_id not in self._runs:
            raise RunNotFound(run_id)
        return self._runs[run_id]

    def _task(self, run_id: str) -> asyncio.Task[Json]:
        task = self._find(run_id).task
        if task is None:
            raise RunNotFound(run_id)
        return task


class _LocalFlow:
    """The flow of a run in memory. Implements `Flow`."""

    def __init__(self, host: Activities, run: _Running) -> None:
        self._host = host
        self._run = run

    async def activities(self, activities: Sequence[Activity], /) -> list[Json]:
        return await together(self._host.execute(self._run.request, each) for each in activities)

    async def ask(self, questions: Mapping[str, Json], /) -> None:
        self._run.questions = questions
        self._run.updated = time()

    async def answer(self, call: str, question: Json, seconds: float, /) -> Json:
        given = self._run.answers.get(question["id"])
        if given is None:
            waiting = self._run.waiting[question["id"]] = asyncio.get_running_loop().create_future()
            try:
                await asyncio.wait([waiting], timeout=seconds)
            finally:
                del self._run.waiting[question["id"]]
            given = self._run.answers.get(question["id"]) or _answer(
                self._run, new_answer(call, question, NO_ANSWER, "")
            )
        return given.as_json()

    async def sleep(self, seconds: float, /) -> None:
        await asyncio.sleep(seconds)

    async def ended(self, reason: str, /) -> None:
        await self._host.ended(self._run.request, reason)


def _open(run: _Running) -> list[Approval]:
    return [
        Approval(run_id=run.request.run_id, call=call, question=question)
        for call, question in run.questions.items()
        if question["id"] not in run.answers
    ]


def _answer(run: _Running, answer: Answer) -> Answer:
    run.answers[answer.question] = answer
    run.updated = answer.at
    waiting = run.waiting.get(answer.question)
    if waiting is not None and not waiting.done():
        waiting.set_result(None)
    return answer


def new_answer(call: str, question: Mapping[str, Any], decision: PermissionDecision, by: str) -> Answer:
    """Return the answer that is given now to a question about a call."""
    return Answer(
        question=question["id"],
        call=call,
        tool=question["tool"],
        decision=decision.decision,
        reason=decision.reason,
        by=by,
        at=time(),
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
