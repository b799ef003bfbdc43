"""An engine in this process, with nothing to install: runs end with the process, and wait for people meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from time import time
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import NOTHING
from toolgen.engine.body import DEFAULT_RETRIES, Body
from toolgen.engine.protocol import Approval, NotAsked, RunCancelled, RunFailed, RunInfo, question_id
from toolgen.engine.requests import RunEnd
from toolgen.runtime.events.records import RunNotFound

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Mapping, Sequence

    from toolgen.engine.body import Retries
    from toolgen.engine.protocol import Activities, Activity, State
    from toolgen.engine.requests import Json, RunRequest
    from toolgen.runtime.policy.permission import PermissionDecision

ENDED_RUNS: Final = 1000
"""How many runs that ended an engine in memory knows."""


@dataclass(slots=True)
class _Running:
    """A run: its task, the questions that it waits for, and the answers."""

    request: RunRequest
    created: float
    task: asyncio.Task[Json] | None = None
    questions: Mapping[str, Json] = NOTHING
    answers: dict[str, asyncio.Future[Json]] = field(default_factory=dict[str, "asyncio.Future[Json]"])
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
        return [
            Approval(run_id=run_id, call=call, question=question)
            for call, question in self._find(run_id).questions.items()
        ]

    async def decide(self, run_id: str, call: str, decision: PermissionDecision, /) -> None:
        """Answer a question. Raises `RunNotFound` and `NotAsked`."""
        run = self._find(run_id)
        if call not in run.questions:
            raise NotAsked(run_id, call)
        waiting = _answer(run, question_id(call, run.questions[call]))
        if not waiting.done():
            waiting.set_result(decision_as_json(decision))

    async def info(self, run_id: str, /) -> RunInfo:
        """Return the state of a run. Raises `RunNotFound`."""
        run = self._find(run_id)
        return RunInfo(
            run_id=run_id,
            agent=run.request.agent,
            state=self._state(run),
            user=run.request.user,
            parent_run_id=run.request.parent_run_id,
            created=run.created,
            updated=run.updated,
            worker="",
        )

    def _state(self, run: _Running) -> State:
        task = self._task(run.request.run_id)
        if not task.done():
            return "waiting" if run.questions else "running"
        if task.cancelled() or isinstance(task.exception(), TimeoutError):
            return "cancelled"
        return "ended" if task.exception() is None else "failed"

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

    async def answer(self, question: str, seconds: float, /) -> Json | None:
        waiting = _answer(self._run, question)
        await asyncio.wait([waiting], timeout=seconds)
        del self._run.answers[question]
        return waiting.result() if waiting.done() else None

    async def sleep(self, seconds: float, /) -> None:
        await asyncio.sleep(seconds)

    async def ended(self, reason: str, /) -> None:
        await self._host.ended(self._run.request, reason)


def _answer(run: _Running, question: str) -> asyncio.Future[Json]:
    if question not in run.answers:
        run.answers[question] = asyncio.get_running_loop().create_future()
    return run.answers[question]


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


def decision_as_json(decision: PermissionDecision) -> Json:
    """Return a decision as engines send it."""
    return {"decision": str(decision.decision), "reason": decision.reason}
