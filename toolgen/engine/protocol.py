"""The protocols of engines: what starts and steers runs, and what the body of a run needs of its engine.

The pipeline knows nothing of either. An engine keeps the outcome of every activity, so that a run that is executed
again after a crash repeats none that has an outcome.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import NOTHING
from toolgen.engine.requests import MOST_TURNS, text_problem
from toolgen.runtime.base.field_types import (
    COUNTS,
    OPTIONAL_JSON_OBJECT,
    TEXT,
    TEXTS,
    TIME,
    WHOLE_NUMBER,
    FieldType,
    check_fields,
    is_finite,
    record_of,
    shown,
)
from toolgen.runtime.issues.issue_text import counted
from toolgen.runtime.policy.approvers import ANYONE, Approver, Approvers
from toolgen.runtime.policy.permission import Decision
from toolgen.schema.json_values import is_object, is_text

if TYPE_CHECKING:
    from toolgen.engine.requests import Json, RunEnd, RunRequest
    from toolgen.engine.schedules import Schedule, ScheduleInfo
    from toolgen.engine.signals import RunSignal, RunSignals
    from toolgen.runtime.policy.permission import PermissionDecision

RunState: TypeAlias = Literal["queued", "running", "waiting", "ended", "cancelled", "failed"]
"""The state of a run.

`waiting` is for the answer of a person or a signal; `ended` means with an answer, `failed` without one.
"""

Reason: TypeAlias = Literal["planner", "tool_changed", "max_turns", "aborted", "crashes", "engine"]
"""Why a run has failed.

Its planner failed, or no host could plan; a tool that it had asked for has changed; it had no answer after its turns;
the program aborted it; workers died while they executed it; the engine could not execute it. All but those that were
aborted can be resumed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One thing to do whose outcome is kept. `key` is unique within the run.

    `name` is `plan`, `call`, `inline` or `skip`. An inline call is one of a toolset that is registered as such:
    it starts an agent and waits for it, in the loop of the run. `attempt` counts how often it was begun because it had
    failed.
    """

    name: str
    key: str
    args: Json
    attempt: int = 1


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

    async def answer(self, call: str, question: Json, seconds: float, /) -> Json:
        """Wait for the answer to a question about a call, as `ApprovalAnswer.as_json` writes it.

        Where nobody answers in so many seconds, the answer is a denial, and no later one counts.
        """
        ...

    async def awaits(self, signals: Sequence[str], /) -> None:
        """Show the names of the signals that the run waits for; they replace those before."""
        ...

    async def signal(self, name: str, seconds: float, /) -> Json | None:
        """Wait for a signal, as `RunSignal.as_json` writes it, or one that came before; None after that time."""
        ...

    async def sleep(self, seconds: float, /) -> None:
        """Wait, across restarts too."""
        ...

    async def ended(self, reason: str, /) -> None:
        """Record the end of the run. A body that is executed again does this again."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question to a person that a run waits for. `question` has what to decide; `call` is the key of its call."""

    run_id: str
    call: str
    question: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The id of the question, which an answer has to name: see `toolgen.runtime.policy.approval.question_id`."""
        found: str = self.question["id"]
        return found

    @property
    def approvers(self) -> Approvers:
        """Who may answer; anyone who can where no policy says so."""
        given = self.question.get("approvers")
        return ANYONE if given is None else Approvers.from_json(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswer:
    """The answer to a question of a run: the only one.

    `by` says who gave it, `at` when, in seconds since 1970, and `via` from where; `roles` are those of that person.
    Without `by` nobody has answered in time. `others` have allowed it before, where several people must. A denial may
    have a `proposal`: args that fit the tool, without secrets.
    """

    question: str
    call: str
    tool: str
    decision: Decision
    by: str
    at: float
    reason: str = ""
    via: str = ""
    roles: tuple[str, ...] = ()
    others: tuple[Mapping[str, Any], ...] = ()
    proposal: Mapping[str, Any] | None = None

    def as_json(self) -> Json:
        """Return it as a JSON object; `proposal` is left out where there is none."""
        fields = asdict(replace(self, proposal=None))
        del fields["proposal"]
        return {
            **fields,
            **({} if self.proposal is None else {"proposal": dict(self.proposal)}),
            "decision": str(self.decision),
            "roles": list(self.roles),
            "others": [dict(each) for each in self.others],
        }

    @property
    def people(self) -> tuple[Approver, ...]:
        """Those who have decided so: whoever was before, and who gave the answer."""
        if not self.by:
            return ()
        before = (Approver(each["by"], tuple(each["roles"]), each["via"]) for each in self.others)
        return (*before, Approver(self.by, self.roles, self.via))

    @property
    def about(self) -> Json:
        """Who has answered, when, and from where, for the record of the call."""
        about: Json = {"by": self.by, "at": self.at, "via": self.via}
        if self.roles:
            about["roles"] = list(self.roles)
        return {**about, "others": [dict(each) for each in self.others]} if self.others else about

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> ApprovalAnswer:
        """Return what `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        given = {**fields, "decision": Decision(fields["decision"])}
        given |= {name: tuple(given.get(name, ())) for name in ("roles", "others")}
        answer = record_of(cls, given, "the answer")
        check_fields(answer, _ANSWER)
        for each in answer.others:
            check_fields(Approver(each["by"], tuple(each["roles"]), each["via"]), _APPROVER, "others.")
        return answer

    def __str__(self) -> str:
        when = datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        by = " and ".join([*(each["by"] for each in self.others), self.by]) or "nobody: the time was up"
        via = f", from {self.via}" if self.via else ""
        proposal = "" if self.proposal is None else " with a proposal"
        return f"{self.decision}{proposal} for {self.tool}, by {by}, at {when}{via}"


_ANSWER: Final = {
    **dict.fromkeys(("question", "call", "tool", "by", "reason", "via"), TEXT),
    "at": TIME,
    "roles": TEXTS,
    "others": FieldType("be an array of objects", lambda value: all(map(is_object, value))),
    "proposal": OPTIONAL_JSON_OBJECT,
}
_APPROVER: Final = {"name": TEXT, "roles": TEXTS, "via": TEXT}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run, in a list. Times are in seconds since 1970; `worker` executes it, or did so last.

    `reason` is why it has failed, in a word, and `detail` in a sentence; both are empty for other runs.
    `forked_from` is the run that it was forked from, if any.
    """

    run_id: str
    agent: str
    state: RunState
    user: str | None
    parent_run_id: str | None
    created: float
    updated: float
    worker: str
    forked_from: str | None = None
    reason: Reason | Literal[""] = ""
    detail: str = ""


LeaseState: TypeAlias = Literal["held", "late", "dead", "left"]
"""The lease of a worker: it begins calls; it may begin none now; others take over its runs; it has stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """One step of a run. `number` is its place in the run; `started` and `ended` are in seconds since 1970.

    `name` is what was done, for a call with its tool as the planner named it. `args` are those of a call, as JSON;
    `result` is its text for the model, or what a planner decided. `error` says how the call, the planner or the engine
    failed. In args, result and error secrets are redacted.
    """

    number: int
    name: str
    started: float
    ended: float | None
    args: Any = None
    result: Any = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerInfo:
    """A worker. `beat_age` is the seconds since its last beat, by the clock of the database; None if none was seen.

    It executes `runs` of at most `concurrency` (None for any number), and holds others that are `waiting`, for a
    person, a signal, agents or a time. `activities` are the calls and plans that it makes now. `version` is that of
    toolgen, `package` the import name of the generated package with the first digits of the SHA-256 of its
    `toolgen.lock`. What a worker has not told is empty.
    """

    name: str
    lease: LeaseState
    beat_age: float | None = None
    runs: int = 0
    waiting: int = 0
    activities: int = 0
    concurrency: int | None = None
    version: str = ""
    package: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """The runs that were deleted: how many, and how many of each state and agent (`-` without one)."""

    runs: int = 0
    states: Mapping[str, int] = NOTHING
    agents: Mapping[str, int] = NOTHING

    def as_json(self) -> Json:
        """Return it as a JSON object."""
        return {"runs": self.runs, "states": dict(self.states), "agents": dict(self.agents)}

    @classmethod
    def from_json(cls, fields: Any) -> Pruned:
        """Return what `as_json` wrote. Raises ValueError for anything else."""
        pruned = record_of(cls, fields, "what was deleted")
        check_fields(pruned, {"runs": WHOLE_NUMBER, "states": COUNTS, "agents": COUNTS})
        return pruned

    def __add__(self, other: Pruned) -> Pruned:
        """Return both together."""
        states, agents = Counter(self.states), Counter(self.agents)
        states.update(other.states)
        agents.update(other.agents)
        return Pruned(runs=self.runs + other.runs, states=dict(states), agents=dict(agents))

    def __str__(self) -> str:
        counts = (
            ", ".join(f"{count} {name}" for name, count in sorted(each.items(), key=lambda pair: (-pair[1], pair[0])))
            for each in (self.states, self.agents)
        )
        states, agents = counts
        return f"deleted {counted(self.runs, 'run')}" + (f": {states}; by agent: {agents}" if self.runs else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What workers delete by themselves: runs that ended `seconds` ago. Times are in seconds since 1970.

    `worker` does it now, or did it last. The last round that was done `ended` then, None for none so far, and `deleted`
    these; the `next` one begins then, at the earliest.
    """

    seconds: float
    worker: str
    ended: float | None
    next: float
    deleted: Pruned


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

    async def answers(self, run_id: str, /) -> list[ApprovalAnswer]:
        """Return the answers that a run was given, in order, also before it has read them. Raises `RunNotFound`."""
        ...

    async def decide(
        self, run_id: str, question: str, decision: PermissionDecision, /, *, by: Approver | str
    ) -> ApprovalAnswer:
        """Answer a question, by its id; return the answer. `by` is who answers: whoever calls this must know it.

        A name alone has no roles.

        One answer to a question counts. Raises `RunNotFound`, `AlreadyAnswered` with the one that counts, `NotAsked` if
        the run does not ask that, `NotApprover` for who may not answer it, `NeedsOthers` if this was noted, and more
        people must allow the call, and ValueError for texts that cannot be kept, such as a reason of more than 10,000
        characters, and for a proposal that does not fit the tool (`InvalidPayload`).
        """
        ...

    async def signal(self, run_id: str, name: str, value: Any = None, /, *, by: str, key: str = "") -> RunSignal:
        """Send a signal to a run, which keeps it until it waits for it; return it. `by` says who sends it.

        With a `key` it is sent once: a repetition returns the first. Raises `RunNotFound`, ValueError for what is no
        `RunSignal`, and `NotSignalled` if the run takes it not.
        """
        ...

    async def signals(self, run_id: str, /) -> RunSignals:
        """Return the signals that a run waits for, and those that it was sent. Raises `RunNotFound`."""
        ...

    async def progress(self, run_id: str, /) -> Json | None:
        """Return what a single call has reported of its progress last, without secrets; None if it has not.

        An engine in a database has it a second later, and no more than 2,000 bytes of it.
        """
        ...

    async def info(self, run_id: str, /) -> RunInfo:
        """Return the state of a run. Raises `RunNotFound`."""
        ...

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
        """Return at most `limit` runs, the newest first; by default of all states, agents, users and workers.

        `before` and `after` bound when they were started, in seconds since 1970. Raises ValueError for times that no
        calendar has, for names that no run can have, and for a limit that is negative or above a million.
        """
        ...

    async def asking(
        self, *, user: str | None = None, in_turn: bool = False, skip: int = 0, limit: int = 100
    ) -> list[RunInfo]:
        """Return at most `limit` runs that ask a person, by default of all users, after the first `skip` of them.

        The one that has asked for longest, by `updated`, is the first; `in_turn` lists that of each user before the
        second one of any. A run whose answers no worker has read is among them. Raises ValueError for a name that no
        run can have, and for a number that is negative or above a million.
        """
        ...

    async def unfinished_calls(self, user: str | None, /) -> tuple[int, int]:
        """Return how many single calls of a user have not ended, and how many of all users."""
        ...

    async def timeline(self, run_id: str, /) -> list[RunStep]:
        """Return what was done in a run, in order. Raises `RunNotFound`."""
        ...

    async def shown_end(self, run_id: str, /) -> Json:
        """Return how a run has ended, for people: as `RunEnd.as_json`, without messages, and secrets are redacted.

        Of a run that was cancelled, could not be executed or goes on, there is only a `reason`. Raises `RunNotFound`.
        """
        ...

    async def resume(self, run_id: str, /, *, turns: int = 0) -> None:
        """Let a run go on that was cancelled or has failed, with the runs that were cancelled with it.

        It goes on from the step that failed, and keeps all before it. It has its whole timeout again, and may have so
        many more turns than before, which one that failed by `max_turns` needs. Raises `RunNotFound`, `NotResumable`
        for any other run, and ValueError for a negative number of turns.
        """
        ...

    async def fork(self, run_id: str, step: int, /, *, new_id: str = "") -> str:
        """Start a run that has done what another one had before a step, by its number; return its id.

        It makes that step and all after it anew, with idempotency keys and questions of its own, and without the grants
        that answers gave the other run. Raises `RunNotFound`, and `NotForkable`.
        """
        ...

    async def prune(self, seconds: float, /) -> Pruned:
        """Delete the runs that ended at least so many seconds ago, with all that they have done.

        Runs that calls started are kept as long as the run at the top is: it may go on, and ask for their results.
        Raises ValueError for a time that is negative, or longer than a hundred years.
        """
        ...

    async def workers(self) -> list[WorkerInfo]:
        """Return the workers, by name; those that were taken over are not among them any more."""
        ...

    async def retention(self) -> Retention | None:
        """Return what workers delete by themselves; None if none does, or has done so."""
        ...

    async def close(self) -> None:
        """Close what the engine has open."""
        ...

    async def set_schedule(self, schedule: Schedule, /, *, by: str) -> ScheduleInfo:
        """Add a schedule, or replace that of its name; return it. One that is the same already goes on as it is.

        One that is paused stays so: whoever has paused it resumes it.
        """
        ...

    async def pause_schedule(self, name: str, /, *, paused: bool = True) -> None:
        """Let a schedule start nothing, or start again; times that pass meanwhile are left out.

        Raises `ScheduleNotFound`.
        """
        ...

    async def remove_schedule(self, name: str, /) -> None:
        """Remove a schedule; runs that it started go on. Raises `ScheduleNotFound`."""
        ...

    async def schedules(self) -> list[ScheduleInfo]:
        """Return all schedules, by name."""
        ...


class RunCancelled(Exception):
    """A run was cancelled, by a person or because its time was up."""


def reason_of_end(end: Mapping[str, Any]) -> Reason | Literal[""]:
    """Return why a run has failed, by its end as a JSON object; empty if it has an answer."""
    if end["stopped"] == "completed" or end["value"] is not None:  # a call that was aborted has a result all the same
        return ""
    stopped: Any = end["stopped"]
    return "planner" if stopped == "failed" else stopped


class RunFailed(Exception):
    """An engine could not execute a run."""


class NotAsked(Picklable, LookupError):
    """A run does not ask that question."""

    def __init__(self, run_id: str, question: str) -> None:
        self.run_id = run_id
        self.question = question
        super().__init__(f"{run_id} does not ask {question!r}")


class AlreadyAnswered(NotAsked):
    """A question was answered before. `answer` is the one that counts."""

    def __init__(self, run_id: str, answer: ApprovalAnswer) -> None:
        super().__init__(run_id, answer.question)
        self.answer = answer
        self.args = (f"the question {answer.question} of {run_id} was answered before: {answer}",)


class NotApprover(Picklable, PermissionError):
    """Someone may not answer a question: see `Approvers`."""

    def __init__(self, question: str, by: str, why: str) -> None:
        self.question = question
        self.by = by
        self.why = why
        super().__init__(f"{by or 'nobody'} may not answer {question}: {why}")


class NeedsOthers(NotApprover):
    """Someone has allowed a call, and others must do so too before it is made."""


class NotResumable(Picklable):
    """A run cannot be resumed, because of its state, or for another reason."""

    def __init__(self, run_id: str, state: RunState, why: str = "") -> None:
        self.run_id = run_id
        self.state: RunState = state
        self.why = why
        super().__init__(f"{run_id} is {state}: {why or 'only a run that was cancelled or has failed can be resumed'}")


class NotForkable(Picklable, ValueError):
    """A run cannot be forked from a step."""

    def __init__(self, run_id: str, why: str) -> None:
        self.run_id = run_id
        self.why = why
        super().__init__(f"{run_id} cannot be forked: {why}")


def check_turns(turns: int) -> None:
    """Raise ValueError for a number of turns that no run can have more than before."""
    if not (WHOLE_NUMBER.accepts(turns) and 0 <= turns <= MOST_TURNS):
        raise ValueError(f"turns is {shown(turns)}; it must be 0 or more, and at most {MOST_TURNS}")


LONGEST_AGE: Final = 36_500 * 24 * 3600.0
"""The greatest age of runs that can be asked for, in seconds: about a hundred years."""

MOST_LISTED: Final = 1_000_000
"""How many runs a list has at most."""

MOST_AT_A_TIME: Final = 1_000_000
"""How many runs or calls at a time a worker allows at most."""


def check_age(seconds: float) -> None:
    """Raise ValueError for what is no age of runs, in seconds."""
    if not (is_finite(seconds) and 0 <= seconds <= LONGEST_AGE):
        raise ValueError(f"seconds is {shown(seconds)}; it must be from 0 to {LONGEST_AGE:.0f}, a hundred years")


def check_selection(
    limit: int, times: Mapping[str, float | None], names: Mapping[str, str | None], *, skip: int = 0
) -> None:
    """Raise ValueError for what selects no runs of any database: bounds, and names that no run can have."""
    for what, number in {"limit": limit, "skip": skip}.items():
        if not (WHOLE_NUMBER.accepts(number) and 0 <= number <= MOST_LISTED):
            raise ValueError(f"{what} is {shown(number)}; it must be a whole number from 0 to {MOST_LISTED}")
    for what, time in times.items():
        if time is not None and not TIME.accepts(time):
            raise ValueError(f"{what} is {shown(time)}; it must {TIME.what}")
    for what, name in names.items():
        problem = "" if name is None else text_problem(name) if is_text(name) else "is no text"
        if problem:
            raise ValueError(f"{what} {problem}: {shown(name)}")


def check_resumable(run_id: str, state: RunState, reason: Reason | Literal[""], turns: int) -> None:
    """Raise `NotResumable` for a run that has failed so that resuming it changes nothing."""
    if reason == "aborted":
        raise NotResumable(run_id, state, "the program aborted it; start a new run")
    if reason == "max_turns" and not turns:
        raise NotResumable(run_id, state, "it has had all of its turns; resume it with more (`turns`)")


Report: TypeAlias = "Callable[[str, Mapping[str, Any]], None]"
"""Takes the id of a run of a single call, and what the call reports of its progress, in any thread."""


class Activities(Protocol):
    """What executes activities in a process."""

    async def observe(self, request: RunRequest, body: Awaitable[Json], /) -> Json:
        """Await the body of a run, observed as an operation of its own; return its end. Raises what the body raises."""
        ...

    async def execute(self, request: RunRequest, activity: Activity, /) -> Json:
        """Execute one; return its outcome. Raises only cancellation, and what ends the process."""
        ...

    async def ended(self, request: RunRequest, reason: str, /) -> None:
        """Record the end of a run, once however often it is said.

        Raises only cancellation, and what ends the process.
        """
        ...

    def forget(self, run_id: str, reason: str, /) -> None:
        """Abort what this process still does for a run, and forget it."""
        ...
