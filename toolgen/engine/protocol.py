"""The protocols of engines: what starts and steers runs, and what the body of a run needs of its engine.

The pipeline knows nothing of either. An engine keeps the outcome of every activity, so that a run that is executed
again after a crash repeats none that has an outcome.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence

    from toolgen.engine.requests import Json, RunEnd, RunRequest
    from toolgen.runtime.policy.permission import PermissionDecision

State: TypeAlias = Literal["queued", "running", "waiting", "ended", "cancelled", "failed"]
"""The state of a run: `waiting` is for the answer of a person; `failed` means that the engine could not execute it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One thing to do whose outcome is kept. `key` is unique within the run.

    `name` is `plan`, `call`, `inline` or `skip`. An inline call is one of a toolset that is registered as such:
    it starts an agent and waits for it, in the loop of the run, and counts for no bound of calls.
    """

    name: str
    key: str
    args: Json


class Flow(Protocol):
    """What the body of a run needs of its engine. A body must do the same each time, given the same outcomes."""

    async def activities(self, activities: Sequence[Activity], /) -> list[Json]:
        """Execute activities concurrently; return their outcomes, in order.

        Each is executed at least once, and not again once its outcome is kept.
        """
        ...

    async def ask(self, questions: Mapping[str, Json], /) -> None:
        """Show the questions that the run waits for, by the keys of their calls; they replace those before."""
        ...

    async def answer(self, question_id: str, seconds: float, /) -> Json | None:
        """Wait for the answer to a question, by its `question_id`; None after so many seconds."""
        ...

    async def sleep(self, seconds: float, /) -> None:
        """Wait, across restarts too."""
        ...

    async def ended(self, reason: str, /) -> None:
        """Record the end of the run. A body that is executed again does this again."""
        ...


def question_id(call: str, question: Mapping[str, Any]) -> str:
    """Return the id of a question about a call.

    If a call asks something else when it is made again, an answer that was given twice does not count for that.
    """
    return sha256(json.dumps([call, question], sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question to a person that a run waits for. `question` has what to decide; `call` is the key of its call."""

    run_id: str
    call: str
    question: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run, in a list. Times are in seconds since 1970; `worker` executes it, or did so last."""

    run_id: str
    agent: str
    state: State
    user: str | None
    parent_run_id: str | None
    created: float
    updated: float
    worker: str
    reason: str = ""


class Engine(Protocol):
    """Starts and steers runs, which its workers execute."""

    async def start(self, request: RunRequest, /) -> str:
        """Start a run, unless there is one with its id; return the id."""
        ...

    async def result(self, run_id: str, /, seconds: float | None = None) -> RunEnd:
        """Wait for the end of a run, at most so many seconds.

        Raises `RunNotFound`, `RunCancelled`, `RunFailed` if the engine could not execute it, and TimeoutError.
        """
        ...

    async def cancel(self, run_id: str, /) -> None:
        """Cancel a run, the calls that it makes, and the runs that these started. Raises `RunNotFound`."""
        ...

    async def approvals(self, run_id: str, /) -> list[Approval]:
        """Return the questions that a run waits for. Raises `RunNotFound`."""
        ...

    async def decide(self, run_id: str, call: str, decision: PermissionDecision, /) -> None:
        """Answer a question. Raises `RunNotFound`, and `NotAsked` if the run does not wait for that answer."""
        ...

    async def info(self, run_id: str, /) -> RunInfo:
        """Return the state of a run. Raises `RunNotFound`."""
        ...


class RunCancelled(Exception):
    """A run was cancelled, by a person or because its time was up."""


class RunFailed(Exception):
    """An engine could not execute a run."""


class NotAsked(LookupError):
    """A run does not wait for that answer."""

    def __init__(self, run_id: str, call: str) -> None:
        self.run_id = run_id
        self.call = call
        super().__init__(f"{run_id} does not wait for an answer about {call!r}")

    def __reduce__(self) -> tuple[type[NotAsked], tuple[str, str]]:
        return (NotAsked, (self.run_id, self.call))


class NotResumable(Exception):
    """A run cannot be resumed, because of its state, or for another reason."""

    def __init__(self, run_id: str, state: State, why: str = "") -> None:
        self.run_id = run_id
        self.state: State = state
        self.why = why
        super().__init__(f"{run_id} is {state}: {why or 'only a run that was cancelled or has failed can be resumed'}")

    def __reduce__(self) -> tuple[type[NotResumable], tuple[str, State, str]]:
        return (NotResumable, (self.run_id, self.state, self.why))


class Activities(Protocol):
    """What executes activities in a process."""

    async def observe(self, request: RunRequest, body: Awaitable[Json], /) -> Json:
        """Await the body of a run, observed as an operation of its own; return its end. Raises what the body raises."""
        ...

    async def execute(self, request: RunRequest, activity: Activity, /) -> Json:
        """Execute one; return its outcome. Raises only cancellation, and what ends the process."""
        ...

    async def ended(self, request: RunRequest, reason: str, /) -> None:
        """Record the end of a run. Raises only cancellation, and what ends the process."""
        ...

    def forget(self, run_id: str, reason: str, /) -> None:
        """Abort what this process still does for a run, and forget it."""
        ...
