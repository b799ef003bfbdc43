"""The flow of a run as a DBOS workflow: activities are steps, answers are messages, questions are an event."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from dbos import DBOS
from dbos import error as dbos_errors
from sqlalchemy.exc import SQLAlchemyError

from toolgen.engine.body import is_failure
from toolgen.engine.dbos.database import AWAITED, QUESTIONS, Failure, StepFailed, failure_of
from toolgen.engine.dbos.private import current_step, database_of_process
from toolgen.engine.local import NO_ANSWER, NOBODY, new_answer, together
from toolgen.engine.steps import step_name
from toolgen.runtime.runs.schedule import Group

if TYPE_CHECKING:
    from prometheus_client import Counter

    from toolgen.engine.dbos.executions import Execution
    from toolgen.engine.dbos.private import StepReservation
    from toolgen.engine.protocol import Activities, Activity
    from toolgen.engine.requests import Json, RunRequest

TOPIC: Final = "answer:"
"""What the topics of answers begin with."""

ALLOWED: Final = "allowed:"
"""What the topics of notes begin with that someone has allowed a call which several people must allow."""

SIGNAL: Final = "signal:"
"""What those of signals begin with."""

_READ_SECONDS: Final = 60.0


class DbosFlow:
    """Implements `Flow`. Must be used in the workflow of the run only."""

    def __init__(self, host: Activities, request: RunRequest, execution: Execution, writes_again: Counter) -> None:
        self._host: Final = host
        self._request: Final = request
        self._execution: Final = execution
        self._writes_again: Final = writes_again
        self._begun = 0
        self._is_replaying = False

    async def activities(self, activities: Sequence[Activity], /) -> list[Json]:
        """Execute each activity as a step. Cancelling the run cancels those that are under way: see `Execution.lose`.

        DBOS can do so too (`preemptible`), by one more task for each step: a tenth of what a step costs.
        """
        steps = [DBOS.reserve_step() for _ in activities]  # in this order, whichever begins first
        begun = self._begun
        outcomes = await together(self._step(step, each) for step, each in zip(steps, activities, strict=True))
        self._is_replaying = self._begun == begun
        return outcomes

    async def _step(self, step: StepReservation, activity: Activity) -> Json:
        """Execute an activity as a step. One that ends the run is a step that failed: resuming executes it again."""
        try:
            outcome: Json = await step.run_async({"name": step_name(activity)}, self._execute, activity)
        except StepFailed as error:
            return error.outcome
        except SQLAlchemyError as error:
            if failure_of(error) is not Failure.OF_VALUE:
                self._execution.will_be_repeated()  # before the activities beside it are cancelled
            raise
        return outcome

    async def _execute(self, activity: Activity) -> Json:
        if not self._execution.has_run:
            raise dbos_errors.DBOSWorkflowConflictIDError(self._request.run_id)
        self._begun += 1
        if self._is_replaying and activity.args.get("group") == Group.WRITE.value and activity.name != "skip":
            self._writes_again.inc()  # the execution before may have begun it: it has no outcome
        with self._execution.doing():
            outcome = await self._host.execute(self._request, activity)
        self._execution.has_come_further = True
        if is_failure(outcome):
            raise StepFailed(outcome)
        return outcome

    async def ask(self, questions: Mapping[str, Json], /) -> None:
        """Show the questions that the run waits for."""
        await DBOS.set_event_async(QUESTIONS, dict(questions))

    async def answer(self, call: str, question: Json, seconds: float, /) -> Json:
        """Wait for the answer to a question. When the time is up, a denial is sent, unless somebody has answered."""
        topic = topic_of(question["id"])
        await self._note_wait()
        with self._execution.doing(), self._execution.waiting():
            answer: Json | None = await DBOS.recv_async(topic, seconds)
            if answer is None:
                run_id, denial = self._request.run_id, new_answer(call, question, NO_ANSWER, NOBODY).as_json()
                await DBOS.send_async(run_id, denial, topic, idempotency_key=once_of(run_id, question["id"]))
                answer = await DBOS.recv_async(topic, _READ_SECONDS)
        assert answer is not None  # there is one by now, of whoever came first
        return answer

    async def _note_wait(self) -> None:
        """Note whether the wait that begins had ended in an execution before: if not, none has begun what follows."""
        if self._is_replaying:
            step = current_step() + 1
            database = database_of_process()
            kept = partial(database.check_operation_execution, self._request.run_id, step, "DBOS.recv")
            self._is_replaying = await asyncio.to_thread(kept) is not None

    async def awaits(self, signals: Sequence[str], /) -> None:
        """Show the names of the signals that the run waits for."""
        await DBOS.set_event_async(AWAITED, list(signals))

    async def signal(self, name: str, seconds: float, /) -> Json | None:
        """Wait for a signal, also one that came before."""
        await self._note_wait()
        with self._execution.doing(), self._execution.waiting():
            found: Json | None = await DBOS.recv_async(signal_topic(name), seconds)
        return found

    async def sleep(self, seconds: float, /) -> None:
        """Wait, across restarts too.

        DBOS waits until a time of day. Where the clock is behind that of the worker that began, that would be later. A
        run that waits for hours until its model is back takes no place of another one.
        """
        with self._execution.doing(), self._execution.waiting(), suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await DBOS.sleep_async(seconds)

    async def ended(self, reason: str, /) -> None:
        """Record the end of the run."""
        await self._host.ended(self._request, reason)


def topic_of(question: str) -> str:
    """Return the topic of the message that answers a question, by its id."""
    return f"{TOPIC}{question}"


def allowed_topic_of(question: str, place: int) -> str:
    """Return the topic of the note that someone has allowed a call which several people must allow."""
    return f"{ALLOWED}{question}:{place}"


def signal_topic(name: str) -> str:
    """Return the topic of signals with a name."""
    return f"{SIGNAL}{name}"


def once_of(run_id: str, question: str) -> str:
    """Return the key by which a database takes one answer to a question only, whoever sends it."""
    return f"{run_id} {question}"


def once_of_key(key: str) -> str:
    """Return the key by which a database takes one signal with a key to a run only.

    DBOS appends the id of the run. It is a digest, as keys may have any text and length; no id of a run has a `~`, so
    it is no `once_of`.
    """
    return f"~{SIGNAL}{sha256(key.encode()).hexdigest()}"
