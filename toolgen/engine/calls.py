"""Single calls by an engine: each is a run without a planner, which any worker executes, once for each key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.agents.planner import Message
from toolgen.contract.records import (
    ANONYMOUS,
    Bounds,
    ContentBlock,
    FailureKind,
    Issue,
    ToolError,
    ToolRequest,
    ToolResult,
    ToolsetRegistration,
)
from toolgen.engine.protocol import NotApprover, NotAsked, RunCancelled, RunFailed
from toolgen.engine.requests import RunRequest, new_run_id
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.proposal import InvalidProposal
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import canonical, value_of

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.engine.protocol import Approval, Engine
    from toolgen.engine.requests import Json, RunEnd
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.policy.permission import PermissionDecision


# Results of calls as JSON, whole: what a run without a planner keeps of its calls.

_OBJECTS: Final = ("audit", "telemetry", "server_data", "metadata")


def result_as_json(result: ToolResult[Any]) -> Json:
    """Return a result of the pipeline as a JSON object, without fields that have their default.

    The typed value is left out, because the payload has it, and so is the exception of an error.
    """
    fields: Json = {"tool_name": result.tool_name, "tool_call_id": result.tool_call_id}
    if result.payload:
        fields["payload"] = result.payload.decode()
    if result.error is not None:
        fields["error"] = asdict(result.error)
    if result.blocks:
        fields["blocks"] = [{"type": block.type, "data": block.data} for block in result.blocks]
    if result.message is not None:
        fields["message"] = result.message
    if result.side_effects:
        fields["side_effects"] = list(result.side_effects)
    if result.bounds is not None:
        fields["bounds"] = asdict(result.bounds)
    return fields | {name: dict(value) for name in _OBJECTS if (value := getattr(result, name))}


def result_from_json(fields: Mapping[str, Any]) -> ToolResult[Any]:
    """Return the result that `result_as_json` wrote; its value is plain JSON.

    Raises KeyError, TypeError or ValueError for anything else.
    """
    given = dict(fields)
    if "payload" in given:
        given["value"] = value_of(given["payload"])
        given["payload"] = given["payload"].encode()
    if "error" in given:
        given["error"] = _error(given["error"])
    if "bounds" in given:
        given["bounds"] = Bounds(**given["bounds"])
    given["blocks"] = tuple(ContentBlock(**block) for block in given.get("blocks", ()))
    given["side_effects"] = tuple(given.get("side_effects", ()))
    return ToolResult(**given)


def _error(fields: Mapping[str, Any]) -> ToolError:
    issues = tuple(Issue(**issue) for issue in fields["issues"])
    return ToolError(**{**fields, "kind": FailureKind(fields["kind"]), "issues": issues})


CALL_PREFIX: Final = "call_"
"""What the ids of the runs of single calls begin with."""

_KEY: Final = "call"
"""The key of the call in its run."""

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
"""Seconds between looks at the questions of a call, at first and at most."""


async def call_by_engine(
    engine: Engine,
    request: ToolRequest,
    meta: ToolCallMeta = ANONYMOUS,
    *,
    agent: str = "",
    mode: str = "",
    role: str = "",
    ask: Callable[[Approval], Awaitable[PermissionDecision]] | None = None,
) -> ToolResult[Any]:
    """Make a call by an engine, and wait for its result. Every failure is a result, as of `Runtime.invoke`.

    `ask` answers what it asks, as the user of `meta`, or as somebody nobody knows; without it the call waits for an
    answer to its run. A proposal of its denial that does not fit the tool is left out, and a warning is logged.
    Cancelling does not cancel the run.
    """
    run_id = await engine.start(call_request(request, meta, agent=agent, mode=mode, role=role))
    known: set[str] = set()
    while True:
        event = await next_event(engine, run_id, known=known, asks=ask is not None)
        if isinstance(event, ToolResult):
            return event
        if event is not None and ask is not None:
            known.add(event.id)
            decision, by = await ask(event), meta.user or "(caller)"
            with suppress(NotAsked, NotApprover):  # somebody else has answered, or has to
                try:
                    await engine.decide(run_id, event.id, decision, by=by)
                except InvalidProposal as error:  # as of a callback: the denial stands
                    warn("the denial of %s has no proposal", event.question["tool"], error=error)
                    await engine.decide(run_id, event.id, replace(decision, proposal=None), by=by)


def call_request(
    request: ToolRequest, meta: ToolCallMeta = ANONYMOUS, *, agent: str = "", mode: str = "", role: str = ""
) -> RunRequest:
    """Return the run that makes one call for the user of `meta`, with the tools of an agent.

    A call with a key, the `idempotency_key` of `meta` or else the id of the request, is made once: the id of its run is
    the same for the same key, user, agent and call. Without a key the id is random.
    """
    payload = request.payload if isinstance(request.payload, str) else request.payload.decode(errors="replace")
    key = meta.idempotency_key or request.tool_call_id
    identity = [key, meta.user, agent, mode, role, request.name, payload]
    made = ToolRequest(name=request.name, payload=payload, tool_call_id=_KEY)
    return RunRequest(
        run_id=CALL_PREFIX
        + (sha256(canonical(identity)).hexdigest()[:32] if key else new_run_id().removeprefix("run_")),
        agent=agent,
        messages=(Message(role="assistant", calls=(made,)),),
        planner="",
        user=meta.user,
        session_id=meta.session_id,
        mode=mode,
        role=role,
        attributes=meta.attributes,
    )


async def next_event(
    engine: Engine,
    run_id: str,
    *,
    known: Collection[str] = (),
    seconds: float | None = None,
    asks: bool = True,
) -> ToolResult[Any] | Approval | None:
    """Wait until a call has ended, or asks something; None after so many seconds.

    `known` has the keys of questions that are left out; without `asks` all are. Raises `RunNotFound`.
    """
    loop = asyncio.get_running_loop()
    end = None if seconds is None else loop.time() + seconds
    ended = asyncio.create_task(call_result(engine, run_id))
    pause = _FIRST_PAUSE
    try:
        while True:
            left = None if end is None else max(0.0, end - loop.time())
            wait = pause if asks else None
            await asyncio.wait([ended], timeout=min((each for each in (left, wait) if each is not None), default=None))
            if ended.done():
                return ended.result()
            if asks:
                for approval in await engine.approvals(run_id):
                    if approval.id not in known:
                        return approval
            if end is not None and loop.time() >= end:
                return None
            pause = min(2 * pause, _LONGEST_PAUSE)
    finally:
        ended.cancel()


async def call_result(engine: Engine, run_id: str) -> ToolResult[Any]:
    """Wait for the result of a call. Its value is plain JSON. Raises `RunNotFound`."""
    try:
        return result_of(await engine.result(run_id))
    except RunCancelled as error:
        return failed_call(FailureKind.ABORTED, "run_cancelled", str(error))
    except RunFailed as error:
        return failed_call(FailureKind.INTERNAL, "run_failed", str(error))


def result_of(end: RunEnd) -> ToolResult[Any]:
    """Return the result of a call by the end of its run."""
    if end.value:
        return result_from_json(end.value[0])
    return failed_call(FailureKind.UNAVAILABLE, end.stopped, end.reason)


def failed_call(kind: FailureKind, code: str, message: str) -> ToolResult[Any]:
    """Return the result of a call that its run does not have."""
    error = ToolError(kind=kind, code=code, message=message)
    return ToolResult(error=error, blocks=(ContentBlock(type="text", data=message),))


def run_by_workers(catalog: Catalog) -> list[ToolsetRegistration]:
    """Return executors for a process that makes calls by an engine only: they run nothing."""
    return [ToolsetRegistration(toolset=toolset, executor=_ByWorkers()) for toolset in catalog.toolsets]


class _ByWorkers:
    async def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> ToolResult[Any]:
        message = f"{request.name} is run by the workers of an engine, not by this process"
        raise CallFailed(FailureKind.UNAVAILABLE, "run_by_workers", message)
