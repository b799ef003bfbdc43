"""What a process needs to execute runs: the runtime, the planners, and the activities of a run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_jsonable_python

from toolgen.adapters.approval import answered, ask_framework, decision_of, question_data
from toolgen.agents.loop import RunTools
from toolgen.agents.messages import call_from_json, message_as_json, message_from_json
from toolgen.agents.planner import Outcome
from toolgen.contract.records import FailureKind, ToolRequest
from toolgen.engine.requests import DEFAULT_PLANNER
from toolgen.llm.presentations.calls import text_of
from toolgen.runtime.base.errors import CatalogError, InvalidPayload, UnknownAgent
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.policy.effective import ToolsNotGranted
from toolgen.runtime.redact.warning import warn
from toolgen.runtime.runs.schedule import batches
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from toolgen.agents.planner import Planner
    from toolgen.contract.records import ToolResult
    from toolgen.engine.protocol import Activity
    from toolgen.engine.requests import Json, RunRequest
    from toolgen.runtime.calls.pipeline import Runtime
    from toolgen.runtime.runs.run import Run

_NO_RUN: Final = (UnknownAgent, ToolsNotGranted, CatalogError, ValueError)
"""What `start_run` raises for an agent that this catalog does not have."""

_WORTH_REPEATING: Final = frozenset({FailureKind.UNAVAILABLE, FailureKind.TIMEOUT})


class EngineHost:
    """Executes the activities of runs in this process. Implements `Activities`.

    `runtime` must have been made with `permission=ask_framework`: questions become approvals of the run. `planners` are
    one planner, or several by name. Raises TypeError for another permission callback.
    """

    def __init__(self, runtime: Runtime, planners: Planner | Mapping[str, Planner]) -> None:
        if runtime.permission is not ask_framework:
            raise TypeError(
                "the runtime of an engine needs `permission=ask_framework`, so that a run can wait for an answer "
                "longer than this process lives"
            )
        self.runtime: Final = runtime
        self.planners: Final = planners if isinstance(planners, Mapping) else {DEFAULT_PLANNER: planners}
        self._runs: Final[dict[str, Run]] = {}
        self._digests: Final[dict[str, str]] = {}

    async def execute(self, request: RunRequest, activity: Activity, /) -> Json:
        """Execute one activity. What fails has an outcome too.

        An outcome is kept in the database: what has its usual value is left out.
        """
        try:
            run = self._run(request)
        except _NO_RUN as error:
            return {"error": str(error)}
        match activity.name:
            case "plan":
                return await self._plan(request, run, activity.args)
            case "skip":
                return _outcome(await self.runtime.skip(self._request(activity.args), run))
            case _:
                return await self._call(run, activity.args)

    def forget(self, run_id: str, reason: str) -> None:
        """Abort what this process still does for a run, and forget it."""
        run = self._runs.pop(run_id, None)
        if run is not None:
            run.abort(reason)

    def _run(self, request: RunRequest) -> Run:
        run = self._runs.get(request.run_id)
        if run is None:
            run = self._runs[request.run_id] = self.runtime.start_run(
                request.agent, role=request.role, mode=request.mode, requested=request.requested, meta=request.meta
            )
        return run

    async def ended(self, request: RunRequest, reason: str, /) -> None:
        """Record the end of a run; that of a run that a call started is recorded with the call."""
        if request.parent_tool_call_id is not None:
            return
        try:
            await self.runtime.end_run(self._run(request), reason)
        except _NO_RUN:  # it could not begin, and its result says so
            return
        except StoreError as error:  # the run has happened: whoever waits for it gets its result
            warn("the end of a run of %s is not recorded", request.agent, error=error)

    async def _plan(self, request: RunRequest, run: Run, args: Json) -> Json:
        """Ask the planner. Each call of its message gets a key, which is its id if that is new to the run."""
        planner = self.planners.get(request.planner)
        if planner is None:
            known = ", ".join(sorted(self.planners)) or "none"
            return {"error": f"this host has no planner {request.planner!r}; it has {known}"}
        history = [message_from_json(message) for message in args["messages"]]
        try:
            plan = await planner.plan(history, RunTools(self.runtime.catalog, run), run.meta)
            if isinstance(plan, Outcome):
                value = to_jsonable_python(plan.value)
                canonical(value)
                return {"outcome": value, **_telemetry(plan.telemetry)}
        except Exception as error:  # noqa: BLE001  # planners are the host's; the run says what they raise
            return {"error": f"{type(error).__name__}: {error}", "may_repeat": True}
        catalog, calls = self.runtime.catalog, plan.message.calls
        ids = [call.tool_call_id for call in calls]
        keys = _keys(ids, args["turn"], set(args["keys"]))
        idents = [catalog.resolve(call.name) or "" for call in calls]
        planned: Json = {
            "message": message_as_json(plan.message),
            "digests": [self._digest(ident) for ident in idents],
            "batches": [[batch.group.value, list(batch.places)] for batch in batches(map(catalog.entries.get, idents))],
            **_telemetry(plan.telemetry),
        }
        if keys != ids:
            planned["keys"] = keys
        if inline := [at for at, ident in enumerate(idents) if ident and self.runtime.is_inline(ident)]:
            planned["inline"] = inline
        if self.runtime.may_continue:
            planned["may_continue"] = True
        return planned

    async def _call(self, run: Run, args: Json) -> Json:
        """Make a call, or return what a person has to decide first.

        A tool that is not the one that the planner was shown is called if it still takes the args.
        """
        request = self._request(args)
        changed = self._changed(run, request, args["digest"])
        if changed:
            return {"changed": changed}
        meta = run.meta.with_fields(idempotency_key=f"{run.meta.run_id}:{args['key']}")
        question = await self.runtime.permission_request(request, run)
        context: AbstractContextManager[None] = nullcontext()
        if question is not None:
            data = question_data(question)
            answer = args.get("answer")
            if answer is None or answer["question"] != data:
                return {"asks": data}
            context = answered(question, decision_of(answer["decision"]))
        denied = run.progress.denied
        denied[args["key"]] = False
        try:
            with context:
                result = await self.runtime.invoke(request, meta=meta, run=run)
        finally:
            was_denied = denied.pop(args["key"])
        about = {
            "denied": was_denied,
            "may_repeat": self._may_repeat(result),
            "aborted": run.progress.is_aborted,
        }
        return {**_outcome(result), **{name: True for name, is_so in about.items() if is_so}}

    def _request(self, args: Json) -> ToolRequest:
        call = call_from_json(args["call"])
        return ToolRequest(name=call.name, payload=call.payload, tool_call_id=args["key"])

    def _changed(self, run: Run, request: ToolRequest, digest: str) -> str:
        """Return why a call that was planned with another definition of its tool cannot be made; empty if it can."""
        ident = self.runtime.catalog.resolve(request.name) or ""
        if not digest or digest == self._digest(ident):
            return ""
        if ident not in run.effective:
            return f"{request.name} is not a tool of this run any more"
        try:
            self.runtime.catalog.codec(ident, "args").decode(request.payload)
        except InvalidPayload as error:
            return f"{ident} has changed, and does not take these args any more: {error}"
        return ""

    def _digest(self, ident: str) -> str:
        """Return the digest of a tool's args schema; empty for no tool."""
        if not ident:
            return ""
        digest = self._digests.get(ident)
        if digest is None:
            schema = self.runtime.catalog.schema(ident, "args")
            digest = self._digests[ident] = sha256(canonical(schema)).hexdigest()[:16]
        return digest

    def _may_repeat(self, result: ToolResult[Any]) -> bool:
        """Whether a failed call may be made again: it may work later, and its tool does the same twice as once."""
        error = result.error
        if error is None or error.kind not in _WORTH_REPEATING:
            return False
        entry = self.runtime.catalog.entries.get(result.tool_name)
        return entry is not None and (entry.permission == "readonly" or "idempotent" in entry.tags)


def _outcome(result: ToolResult[Any]) -> Json:
    """Return what the body of a run needs of a result: what a model is shown, and how the call ended."""
    outcome: Json = {"content": text_of(result), **_telemetry(result.telemetry)}
    if result.error is not None:
        outcome |= {"kind": result.error.kind.value, "code": result.error.code}
        if result.error.retry_after is not None:
            outcome["retry_after"] = result.error.retry_after
    return outcome


def _telemetry(telemetry: Mapping[str, Any]) -> Json:
    return {"telemetry": dict(telemetry)} if telemetry else {}


def _keys(ids: Sequence[str], turn: int, taken: set[str]) -> list[str]:
    """Return keys for the calls of a turn: their ids, where these are not taken."""
    keys: list[str] = []
    for place, call_id in enumerate(ids):
        key = call_id if call_id and call_id not in taken else f"{call_id or 'call'}~{turn}.{place}"
        taken.add(key)
        keys.append(key)
    return keys
