"""What a process needs to execute runs: the runtime, the planners, and the activities of a run."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from secrets import token_hex
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from pydantic_core import to_jsonable_python

from toolgen.agents.loop import RunTools
from toolgen.agents.planner import RunOutcome, call_from_json, checked, message_as_json, message_from_json
from toolgen.agents.runs import in_span, observed
from toolgen.changes.rules import Level
from toolgen.changes.wire import compare_schemas
from toolgen.contract.records import FailureKind, as_one_call
from toolgen.engine.calls import result_as_json
from toolgen.engine.children import caller
from toolgen.engine.failures import hope_of, wait_of
from toolgen.engine.protocol import ApprovalAnswer
from toolgen.engine.requests import DEFAULT_PLANNER
from toolgen.engine.signals import WAITS, call_with
from toolgen.engine.steps import ToolSecrets
from toolgen.execute.trace_context import continued
from toolgen.llm.presentations.protocol import text_of
from toolgen.runtime.base.answers import answer_of
from toolgen.runtime.base.errors import CatalogError, InvalidPayload, UnknownAgent
from toolgen.runtime.base.packages import read_package_file
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.policy.approval import answered, ask_before_call, decision_of, question_data, question_id
from toolgen.runtime.policy.effective import ToolsNotGranted
from toolgen.runtime.policy.grants import MemoryGrants
from toolgen.runtime.redact.call_secrets import hide_result, hide_text
from toolgen.runtime.redact.exceptions import shown_error
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.runs.misuse import name_of
from toolgen.runtime.runs.run import RunningAgents, Session
from toolgen.runtime.runs.schedule import group_of
from toolgen.schema.json_values import canonical, is_object, value_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from toolgen.agents.planner import Message, Planner
    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.engine.protocol import Activity, Report
    from toolgen.engine.requests import Json, RunRequest
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.policy.grants import Grant
    from toolgen.runtime.policy.permission import PermissionDecision, PermissionRequest
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.runs.run import Run
    from toolgen.runtime.telemetry import TracedOperation


# Contracts of tools: whether a call that was planned with an earlier one may be made with the one of today.

_RENAMED: Final = "WIRE211"


def without_effect(ident: str, before: Any, after: Any, args: Any) -> list[str]:
    """Return which args of a call, that the schema of today accepts, have lost their effect, by the rules of `diff`.

    An arg that is gone, or has another name, is accepted where the args are open: a call with `dry_run` would become a
    real one. What the schema of today rejects, a validator finds.
    """
    changes = compare_schemas(ident, "args", before, after, path=())
    return [
        change.message
        for change in changes
        if (change.level is Level.IGNORED or change.code == _RENAMED) and _gives(args, (change.before_path or ())[1:])
    ]


def _gives(value: Any, path: Sequence[str]) -> bool:
    """Whether a value has what a path in its schema leads to; where that is not told, it may."""
    while path:
        if path[0] != "properties" or len(path) < 2:
            return True
        if not is_object(value) or path[1] not in value:
            return False
        value, path = value[path[1]], path[2:]
    return True


_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""Ids of calls that are used as they are. Other keys have a `~`, so no id is one of them, and none has a `:`."""

_CLEAR: Final = (UnknownAgent, ToolsNotGranted, CatalogError, ValueError)
"""Errors of requests that no host with this catalog can execute: their texts need no name of a type."""

AGENTS: Final = "agents"
"""What an outcome of a call says of the number of agents that it started: see `EngineHost.restore`."""

_LOCK_LENGTH: Final = 12
_DIGEST_LENGTH: Final = 8
"""Characters of the contract of a tool, which each planned call keeps: 32 bits tell that the tool has changed."""

CANCELLED: Final = "cancelled"
"""The reason of the end of a run that was cancelled, by a person or because its time was up, on record."""

_END_SECONDS: Final = 900.0
"""How long it is tried to record the end of a run whose store is away."""

_FIRST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 30.0

_WORTH_REPEATING: Final = frozenset({FailureKind.UNAVAILABLE, FailureKind.TIMEOUT})


class _RunGrants(MemoryGrants):
    """The grants of a run, in memory. `revoked` are those that were revoked, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.revoked: Final[list[Grant]] = []

    def revoke(self, tool: str = "", /) -> None:
        """Remove the grants of a tool, or all."""
        before = set(self)
        super().revoke(tool)
        self.revoked.extend(sorted(before - self))


class EngineHost:
    """Executes the activities of runs in this process. Implements `Activities`.

    `runtime` must have been made with `permission=ask_before_call`: questions become approvals of the run. `planners`
    are one planner, or several by name. `session` returns the session of a run. By default each run has one for itself,
    whose grants, and their revocations by its calls, are kept with the run, and do not hold in its forks; with stored
    grants an answer for the session holds in other runs of it too. A session in memory that `session` returns ends with
    the process. `on_progress` takes what single calls report, if it is set. Raises TypeError for another permission
    callback.
    """

    def __init__(
        self,
        runtime: Runtime,
        planners: Planner | Mapping[str, Planner],
        *,
        session: Callable[[RunRequest], Session] | None = None,
    ) -> None:
        if runtime.permission is not ask_before_call:
            raise TypeError(
                "the runtime of an engine needs `permission=ask_before_call`, so that a run can wait for an answer "
                "longer than this process lives"
            )
        self.runtime: Final = runtime
        self.planners: Final = planners if isinstance(planners, Mapping) else {DEFAULT_PLANNER: planners}
        self.contract: Callable[[str, str], Awaitable[Any]] | None = None
        """Returns the args schema that a tool had, by its ident and a digest; an engine sets it."""
        self.is_strict = False
        """Whether a planned call is made with the very definition of its tool only; an engine sets it."""
        self.on_progress: Report | None = None
        self._session: Final = session
        self._runs: Final[dict[str, Run]] = {}
        self._agents: Final = WeakValueDictionary[str, RunningAgents]()
        self._granted: Final[dict[str, set[Grant]]] = {}
        self._digests: Final[dict[str, str]] = {}
        self._secrets: Final = ToolSecrets(runtime.catalog)

    @cached_property
    def package(self) -> str:
        """The generated package and its lock, as `WorkerInfo.package` has them; empty without one."""
        package = self.runtime.catalog.package
        try:
            lock = read_package_file(package, "toolgen.lock") if package else b""
        except (CatalogError, OSError):  # there is only the text of its catalog
            return package
        return f"{package} {sha256(lock).hexdigest()[:_LOCK_LENGTH]}" if lock else package

    async def observe(self, request: RunRequest, body: Awaitable[Json], /) -> Json:
        """Await the body of a run in a span, in the trace of the request; return its end.

        A run that is executed again has a further span. One that a call started has that of the call, and a single call
        needs none.
        """
        with continued(request.trace_context), self._span(request) as span:
            end = await body
            if span is not None and end["stopped"] != "completed":
                span.failed(end["stopped"])
            return end

    def _span(self, request: RunRequest) -> AbstractContextManager[TracedOperation | None]:
        if not request.planner or request.parent_tool_call_id is not None:
            return nullcontext()
        try:
            return in_span(self._run(request))
        except Exception:  # noqa: BLE001  # it cannot begin, and its result says so
            return nullcontext()

    async def execute(self, request: RunRequest, activity: Activity, /) -> Json:
        """Execute one activity. What fails has an outcome too.

        An outcome is kept in the database: what has its usual value is left out.
        """
        try:
            run = self._run(request)
        except _CLEAR as error:
            return {"error": str(error)}
        except Exception as error:  # noqa: BLE001  # code of the host failed
            return _failure(error, NO_SECRETS)
        match activity.name:
            case "plan":
                return await self._plan(request, run, activity.args)
            case "skip":
                return self._outcome(activity.args, await self.runtime.skip(self._request(activity.args), run), request)
            case _:
                return await self._call(request, run, activity.args)

    def starts_agents(self, tool: str) -> bool:
        """Whether a tool, by any of its names, starts agents, which `children_per_run` bounds.

        Its calls wait for runs whose calls need places, so they take none of those that bound calls at a time.
        """
        entry = self.runtime.catalog.entries.get(self.runtime.catalog.resolve(tool) or "")
        return entry is not None and "agent" in entry.tags

    def restore(self, request: RunRequest, agents: int) -> None:
        """Count the agents that calls of a run started in earlier executions, by their outcomes: `AGENTS` in each."""
        with suppress(Exception):  # it cannot begin, and its result says so
            self._run(request).progress.children += agents

    def forget(self, run_id: str, reason: str) -> None:
        """Abort what this process still does for a run, and forget it."""
        self._granted.pop(run_id, None)
        run = self._runs.pop(run_id, None)
        if run is not None:
            run.abort(reason)

    def _run(self, request: RunRequest) -> Run:
        run = self._runs.get(request.run_id)
        if run is None:
            run = self.runtime.start_run(
                request.agent,
                session=self._own_session(request) if self._session is None else self._session(request),
                role=request.role,
                mode=request.mode,
                requested=request.requested,
                meta=request.meta,
            )
            if not request.planner and self.on_progress is not None:
                report = self.on_progress
                run = replace(run, on_progress=lambda _call, data: report(request.run_id, data))
            self._runs[request.run_id] = run
        return run

    def _own_session(self, request: RunRequest) -> Session:
        """Return a session for one run, whose agents are counted with those of all runs below the same one, here."""
        first = request.ancestors[0].run_id if request.ancestors else request.run_id
        return Session(_RunGrants(), self._agents.setdefault(first, RunningAgents()))

    async def ended(self, request: RunRequest, reason: str, /) -> None:
        """Record the end of a run; that of a run that a call started is recorded with the call.

        While the store cannot be written it is tried again, for a quarter of an hour, except for a run that was
        cancelled: nobody waits for it.
        """
        if request.parent_tool_call_id is not None:
            return
        try:
            run = self._run(request)
        except Exception:  # noqa: BLE001  # it could not begin, and its result says so
            return
        left, wait = 0.0 if reason == CANCELLED else _END_SECONDS, _FIRST_WAIT
        while True:
            try:
                await self.runtime.end_run(run, reason)
            except StoreError as error:  # the run has happened: whoever waits for it gets its result in the end
                if left <= 0:
                    warn("the end of a run of %s is not recorded", request.agent, error=error)
                    return
            else:
                return
            await asyncio.sleep(min(left, wait))
            left, wait = left - wait, min(2 * wait, _LONGEST_WAIT)

    async def _plan(self, request: RunRequest, run: Run, args: Json) -> Json:
        """Ask the planner, unless calls are to be made first.

        Each call gets a key, which is its id if that is new to the run.
        """
        history = [message_from_json(message) for message in args["messages"]]
        if history and history[-1].calls:
            return self._planned(history[-1], args)
        planner = self.planners.get(request.planner)
        if planner is None:
            known = ", ".join(sorted(self.planners)) or "none"
            return {"error": f"this host has no planner {request.planner!r}; it has {known}"}
        tools = RunTools(self.runtime.catalog, run)
        began = monotonic()
        try:
            plan = checked(await answer_of(observed(planner, run).plan(history, tools, run.meta)))
            telemetry = _as_json("telemetry", dict(plan.telemetry))
            if isinstance(plan, RunOutcome):
                return {**self._answered(plan, history), **_telemetry(telemetry)}
            return {**self._planned(plan.message, args), **_telemetry(telemetry)}
        except Exception as error:  # noqa: BLE001  # planners are the host's; the run says what they raise
            return {**_failure(error, self._secrets.of_run(history)), "seconds": round(monotonic() - began, 3)}

    def _answered(self, plan: RunOutcome, history: Sequence[Message]) -> Json:
        """Return the outcome of a planner; `shown` is what people may see of an answer that repeats a secret."""
        answer = _as_json("outcome", plan.value)
        shown = hide_result(answer, self._secrets.of_run(history))
        return {"outcome": answer} if shown is answer else {"outcome": answer, "shown": shown}

    def _planned(self, message: Message, args: Json) -> Json:
        """Return what the body needs to make the calls of a message. Raises TypeError for one that is not JSON.

        With a tool that has limits the plan gets an `id`: that of its run may be used again once the run is deleted.
        """
        catalog, calls = self.runtime.catalog, message.calls
        ids = [call.tool_call_id for call in calls]
        keys = _keys(ids, args["turn"], set(args["keys"]))
        idents = [catalog.resolve(name_of(call)) or "" for call in calls]
        planned: Json = {
            "message": _storable(message_as_json(message)),
            "tools": [[group_of(catalog.entries.get(ident)).value, self._digest(ident)] for ident in idents],
        }
        if keys != ids:
            planned["keys"] = keys
        if inline := [at for at, ident in enumerate(idents) if ident and self.runtime.is_inline(ident)]:
            planned["inline"] = inline
        if any(ident and catalog.definition(ident).settings.limits.are_per_user for ident in idents):
            planned["id"] = token_hex(8)
        if self.runtime.may_continue:
            planned["may_continue"] = True
        if shown := self._secrets.shown_calls(idents, calls):
            planned["shown"] = shown
        return planned

    async def _call(self, asked: RunRequest, run: Run, args: Json) -> Json:
        """Make a call, or return what a person has to decide first.

        A tool that is not the one that the planner was shown is called if it still takes the args.
        """
        request = self._request(args)
        changed = await self._changed(run, request, args["digest"])
        if changed:
            return {"changed": hide_text(changed, self._secrets.of_call(request))}
        made = caller.get()
        if made is not None:
            run.progress.guard = made.check
        token = None if made is None else made.fencing_token
        key = idempotency_key(asked.run_id, args["key"])
        meta = run.meta.with_fields(idempotency_key=key, fencing_token=token)
        meta = as_one_call(meta, f"{key}:{args['plan']}")
        self._give_grants(run, args.get("granted", ()))
        question = await self.runtime.permission_request(request, run, meta=meta)
        context: AbstractContextManager[None] = nullcontext()
        if question is not None:
            answers, answer = args.get("answers", 0), args.get("answer")
            if answer is None or answer["question"] != question_id(question, _asking(run, answers - 1)):
                args = {"digest": self._digest(question.tool_name), "assert_formats": self._asserts_formats(question)}
                return {"asks": {**question_data(question, _asking(run, answers)), "args_schema": args}}
            context = answered(question, _decision(answer))
        grants = run.session.grants if isinstance(run.session.grants, _RunGrants) else _RunGrants()
        before, revoked = frozenset(grants), len(grants.revoked)
        denied, started = run.progress.denied, run.progress.started
        denied[args["key"]], started[args["key"]] = False, 0
        try:
            with context, call_with(args.get("signals", ())) as signals:
                result = await self.runtime.invoke_apart(request, meta=meta, run=run)
        finally:
            was_denied, agents = denied.pop(args["key"]), started.pop(args["key"])
        given = sorted(grants - before)
        self._granted.setdefault(asked.run_id, set()).update(given)
        changes = _present({"given": _as_lists(given), "revoked": _as_lists(grants.revoked[revoked:])})
        kept = {AGENTS: agents, "grants": changes and {**changes, "run": asked.run_id}}
        if signals.wanted is not None and result.error is not None and result.error.code == WAITS:
            return {"waits": signals.wanted, **_present(kept)}
        about = {
            "denied": was_denied,
            "may_repeat": self._may_repeat(result, run, agents),
            "aborted": run.progress.is_aborted,
            **kept,
        }
        return {**self._outcome(args, result, asked), **_present(about)}

    def _outcome(self, args: Json, result: ToolResult[Any], asked: RunRequest) -> Json:
        """Return what the body of a run needs of a result: what a model is shown, and how the call ended.

        A run without a planner keeps the whole result. `shown` is what people may see of one with secrets.
        """
        outcome: Json = {"content": text_of(result), **_telemetry(result.telemetry)}
        shown = self._secrets.shown_result(args["call"]["payload"], result, outcome["content"])
        if shown is not None:
            outcome["shown"] = shown
        if result.error is not None:
            outcome |= {"kind": result.error.kind.value, "code": result.error.code}
            if result.error.retry_after is not None:
                outcome["retry_after"] = result.error.retry_after
        return outcome if asked.planner else {**outcome, "result": result_as_json(result)}

    def _give_grants(self, run: Run, grants: Iterable[Any]) -> None:
        """Give a run the grants that its calls got in other processes, once: they can be revoked here."""
        known = self._granted.setdefault(run.meta.run_id or "", set())
        for ident, scope, terms in grants:
            grant = (ident, tuple((what, value) for what, value in scope), terms)
            if self._session is None and grant not in known:
                known.add(grant)
                run.session.grants.add(grant)

    def _request(self, args: Json) -> ToolRequest:
        call = call_from_json(args["call"])
        return replace(call, tool_call_id=args["key"])

    def contracts(self) -> dict[tuple[str, str], str]:
        """Return the args schemas of all tools as JSON texts, by the ident and the digest that planned calls have."""
        schema = self.runtime.catalog.schema
        idents = self.runtime.catalog.entries
        return {(ident, self._digest(ident)): canonical(schema(ident, "args")).decode() for ident in idents}

    async def _changed(self, run: Run, request: ToolRequest, digest: str) -> str:
        """Return why a call that was planned with another definition of its tool cannot be made; empty if it can."""
        ident = self.runtime.catalog.resolve(name_of(request)) or ""
        if not digest or digest == self._digest(ident):
            return ""
        if ident not in run.effective:
            return f"{request.name} is not a tool of this run any more"
        try:
            self.runtime.catalog.codec(ident, "args").decode(request.payload)
        except InvalidPayload as error:
            return f"{ident} has changed, and does not take these args any more: {error}"
        if self.is_strict:
            return f"{ident} has changed since the call was planned"
        before = None if self.contract is None else await self.contract(ident, digest)
        if before is None:  # no worker has told: what the schema accepts is all that is known
            return ""
        after = self.runtime.catalog.schema(ident, "args")
        lost = await asyncio.to_thread(without_effect, ident, before, after, value_of(request.payload))
        return f"{ident} has changed: {'; '.join(lost)}" if lost else ""

    def _asserts_formats(self, question: PermissionRequest) -> bool:
        return question.codec is not None and question.codec.asserts_formats

    def _digest(self, ident: str) -> str:
        """Return the digest of a tool, a part of its contract; empty for no tool."""
        if not ident:
            return ""
        if ident not in self._digests:
            self._digests[ident] = self.runtime.contract(ident)[:_DIGEST_LENGTH]
        return self._digests[ident]

    def _may_repeat(self, result: ToolResult[Any], run: Run, agents: int) -> bool:
        """Whether a failed call may be made again: it may work later, and its tool does the same twice as once.

        A call that took a place for an agent would take another one, and find the same agent, which has ended. One that
        took none, because too many run at a time, may work later, but not in a run that may start no more.
        """
        error = result.error
        if agents or error is None or error.kind not in _WORTH_REPEATING:
            return False
        entry = self.runtime.catalog.entries.get(result.tool_name)
        if entry is None or ("agent" in entry.tags and run.progress.children >= self.runtime.policies.children_per_run):
            return False
        return entry.is_repeatable


def _as_lists(grants: Iterable[Grant]) -> list[Any]:
    """Return grants as the JSON values that they are once they were stored."""
    return [[ident, [list(part) for part in scope], terms] for ident, scope, terms in grants]


def _storable(message: Json) -> Json:
    """Return a message that engines can store, also with texts that are no Unicode. Raises TypeError."""
    try:
        json.dumps(message, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"the message of the planner is not JSON: {error}") from error
    return message


def _as_json(what: str, value: Any) -> Any:
    """Return a value of a planner as JSON values, in which dataclasses and models become objects. Raises TypeError."""
    try:
        converted = to_jsonable_python(value)
        canonical(converted)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"the {what} of the planner is not JSON: {error}") from error
    return converted


def idempotency_key(run_id: str, key: str) -> str:
    """Return the idempotency key of a call by its key in its run: see `_keys`.

    Ids of runs may have a `:`, keys of calls have none, so no two calls of two runs have the same.
    """
    return f"{run_id}:{key}"


def _asking(run: Run, answers: int) -> str:
    """Return what the id of a question is unique in: a call that asks the same after other answers asks anew."""
    return f"{run.meta.run_id}:{answers}"


def _decision(answer: Json) -> PermissionDecision:
    """Return the decision of an answer; who gave it, and when, goes on record with the call."""
    given = ApprovalAnswer.from_json({name: value for name, value in answer.items() if name != "token"})
    return replace(decision_of(answer), metadata=given.about, people=given.people)


def _failure(error: Exception, secrets: Secrets) -> Json:
    """Return the outcome of an activity that failed, and whether it helps to execute it again."""
    failure: Json = {"error": shown_error(error, secrets), "hope": hope_of(error).value}
    wait = wait_of(error)
    return failure if wait is None else {**failure, "retry_after": wait}


def _present(about: Json) -> Json:
    """Return what has another value than the usual one."""
    return {name: value for name, value in about.items() if value}


def _telemetry(telemetry: Mapping[str, Any]) -> Json:
    return {"telemetry": dict(telemetry)} if telemetry else {}


def _keys(ids: Sequence[str], turn: int, taken: set[str]) -> list[str]:
    """Return keys for the calls of a turn: their ids, where these are plain and not taken.

    A key is on command lines, in URLs and in the record; a model, or its API, may send anything as an id.
    """
    keys: list[str] = []
    for place, call_id in enumerate(ids):
        key = call_id if _PLAIN_ID.fullmatch(call_id) and call_id not in taken else f"call~{turn}.{place}"
        taken.add(key)
        keys.append(key)
    return keys
