"""The flow of a run as a DBOS workflow: activities are steps, answers are messages, questions are an event."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dbos import DBOS
from dbos import error as dbos_errors

from toolgen.engine.dbos.database import QUESTIONS
from toolgen.engine.local import together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.engine.dbos.executions import Execution
    from toolgen.engine.protocol import Activities, Activity
    from toolgen.engine.requests import Json, RunRequest

_NAME_LENGTH: Final = 100


class DbosFlow:
    """Implements `Flow`. Must be used in the workflow of the run only."""

    def __init__(self, host: Activities, request: RunRequest, execution: Execution) -> None:
        self._host: Final = host
        self._request: Final = request
        self._execution: Final = execution

    async def activities(self, activities: Sequence[Activity], /) -> list[Json]:
        """Execute each activity as a step. Cancelling the run cancels those that are under way."""
        steps = [DBOS.reserve_step() for _ in activities]  # in this order, whichever begins first
        return await together(
            step.run_async({"name": _name(activity), "preemptible": True}, self._execute, activity)
            for step, activity in zip(steps, activities, strict=True)
        )

    async def _execute(self, activity: Activity) -> Json:
        if not self._execution.has_run:
            raise dbos_errors.DBOSWorkflowConflictIDError(self._request.run_id)
        with self._execution.doing():
            return await self._host.execute(self._request, activity)

    async def ask(self, questions: Mapping[str, Json], /) -> None:
        """Show the questions that the run waits for."""
        await DBOS.set_event_async(QUESTIONS, dict(questions))

    async def answer(self, question: str, seconds: float, /) -> Json | None:
        """Wait for the answer to a question."""
        with self._execution.doing(), self._execution.waiting():
            answer: Json | None = await DBOS.recv_async(topic_of(question), seconds)
        return answer

    async def sleep(self, seconds: float, /) -> None:
        """Wait, across restarts too.

        DBOS waits until a time of day. Where the clock is behind that of the worker that began, that would be later.
        """
        with self._execution.doing(), self._execution.pausing(), suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await DBOS.sleep_async(seconds)

    async def ended(self, reason: str, /) -> None:
        """Record the end of the run."""
        await self._host.ended(self._request, reason)


def _name(activity: Activity) -> str:
    """Return the name of a step, for timelines: what is done, and for a call its tool, as the planner named it."""
    call = activity.args.get("call")
    return activity.name if call is None else f"{activity.name} {call['name'][:_NAME_LENGTH]}"


def topic_of(question: str) -> str:
    """Return the topic of the messages that answer a question, by its id."""
    return f"answer:{question}"
