"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from types import CoroutineType
from typing import TYPE_CHECKING, Any, TypeVar

from toolgen.contract.records import NOT_OFFERED, NOTHING, ToolCallMeta, ToolRequest, ToolResult
from toolgen.runtime.base.cancellation import ends_the_caller
from toolgen.runtime.base.errors import RunStopped, ToolNotFound
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls import lifecycle
from toolgen.runtime.calls.call import Call, Host, Tool
from toolgen.runtime.calls.plan import bind_steps
from toolgen.runtime.calls.result import failed, failed_call, shown_failure, with_raw_id, with_raw_name
from toolgen.runtime.calls.stages.resolve import is_not_offered, resolve
from toolgen.runtime.catalog.assignment import assign, find_missing, find_runner
from toolgen.runtime.events.trace import begin
from toolgen.runtime.policy.effective import ExclusionReason
from toolgen.runtime.policy.policy import Answer, Policies
from toolgen.runtime.policy.rate_limits.memory import MemoryCounters
from toolgen.runtime.redact.call_secrets import secrets_of_call, secrets_of_tool
from toolgen.runtime.runs.misuse import check_text, host_failure, id_of, misuse_of, name_of
from toolgen.runtime.runs.run import Agents, with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.runtime.base.errors import CallFailed
    from toolgen.runtime.calls.gate import Gate
    from toolgen.runtime.calls.hooks import Hook
    from toolgen.runtime.calls.plan import Steps
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.events.artifacts import ArtifactStore
    from toolgen.runtime.events.store import Store
    from toolgen.runtime.policy.paths.policy import PathPolicy
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.runtime.policy.rate_limits.protocol import Counters
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.runs.children import Child
    from toolgen.runtime.runs.run import Run, Session

A = TypeVar("A")
R = TypeVar("R")


def _now() -> datetime:
    return datetime.now(UTC)


class Runtime:
    """Runs the calls of one catalog, which it freezes.

    `executors` says what runs the toolsets; `missing` names those that nothing runs here: no run has their tools.
    `permission` is asked before a tool runs that is not plainly readonly, or where one of the `policies`, which are
    named, says so; it has to answer within `permission_timeout` seconds.
    `hooks` look at every call before that, and after it ran. The eval `gate` is asked last, about tools that want it;
    after `gate_timeout` seconds the call runs without it. `counters` count attempts for limits per user, by `clock`.
    `store` keeps a record of every call, `artifacts` what of their results is too large to be shown. `inject` gives the
    fields that specs have the host fill, by name, from the meta of a call. `project` is the folder that paths in calls
    are relative to. `new_id` makes ids of calls, runs and agents, given the word `call`, `run` or `agent`.

    Raises `ExecutorError` for executors that do not fit the catalog and for a toolset that nothing runs and that is not
    named in `missing`, `CatalogError` for an unknown policy and for a rule of one that restricts tools that there are
    not, and TypeError for a permission that cannot be asked and for executors that are no registrations.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        permission: PermissionCallback,
        executors: Sequence[ToolsetRegistration] = (),
        missing: Collection[str] = (),
        policies: Sequence[str] = (),
        hooks: Sequence[Hook] = (),
        gate: Gate | None = None,
        counters: Counters | None = None,
        store: Store | None = None,
        artifacts: ArtifactStore | None = None,
        inject: Mapping[str, Callable[[ToolCallMeta], Any]] = NOTHING,
        clock: Callable[[], datetime] = _now,
        project: Path | None = None,
        permission_timeout: float = 300.0,
        gate_timeout: float = 2.0,
        new_id: Callable[[str], str] | None = None,
    ) -> None:
        if not callable(permission):
            raise TypeError(f"permission is {permission!r}; it must be a callback, allow_all or deny_all")
        import_module("toolgen.runtime.codec.models")  # pydantic's first model takes 50 ms, which no call should take
        catalog.freeze()
        self._catalog = catalog
        self._assigned = assign(catalog, executors)
        self._new_id = new_id or _unique_ids()
        in_force = Policies(catalog.section("policies"), policies, catalog.names)
        self._host = Host(
            permission=permission,
            policies=in_force,
            counters=counters or MemoryCounters(),
            hooks=tuple(hooks),
            gate=gate,
            inject=inject,
            artifacts=artifacts,
            clock=clock,
            paths=cache(partial(_path_policy, project or Path.cwd(), in_force)),
            start_child=self._start_child,
            permission_timeout=permission_timeout,
            gate_timeout=gate_timeout,
        )
        self._recorder = None if store is None else _recorder(store, self._new_id("run"))
        self._agents = Agents(catalog, in_force, find_missing(catalog, executors, missing))
        self._has_policies = bool(policies)
        self._steps: dict[str, Steps] = {}
        self._is_excluded = cache(self._judge_excluded)

    def start_run(
        self,
        agent: str = "",
        *,
        session: Session | None = None,
        role: str = "",
        mode: str = "",
        requested: Iterable[str] | None = None,
        meta: ToolCallMeta | None = None,
    ) -> Run:
        """Start a run of a compiled agent, or of one that uses all tools: what it may call is fixed from here on.

        `role` is the agent's own, `requested` what a dispatch asks for, in any spelling. The `meta` of its calls is
        given the ids that it lacks. Raises `UnknownAgent`, `ToolsNotGranted` for a request of more than it may have,
        ValueError for an unknown role, and `CatalogError` for a mode that no policy in force has.
        """
        filled = with_ids(meta or ToolCallMeta(), self._new_id)
        return self._agents.new_run(agent, role=role, mode=mode, requested=requested, session=session, meta=filled)

    async def end_run(self, run: Run, reason: str = "completed") -> None:
        """Put on record that a run is over, and why; of one that was aborted the reason is `aborted_tools`.

        Raises `StoreError`.
        """
        if self._recorder is not None:
            await self._recorder.run_ended(run.meta, "aborted_tools" if run.progress.is_aborted else reason)

    async def call(
        self, ident: Ident[A, R], args: A, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> ToolResult[R]:
        """Call a tool with typed args. Every failure is a result; only cancellation passes."""
        return await self.invoke(_TypedRequest(name=ident, args=args), meta=meta, run=run)

    async def invoke(
        self, request: ToolRequest, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> ToolResult[Any]:
        """Call a tool by any of its names, with JSON args. Every failure is a result; only cancellation passes.

        In a run only its tools can be called, and its meta is used where none is given.
        """
        name = ident = call_id = ""
        steps: Steps | None = None
        is_running = False
        try:
            name = ident = request.name
            meta = meta or (run.meta if run else None)
            call_id = request.tool_call_id or self._call_id(meta)
            if call_id.__class__ is not str:
                check_text(call_id)
            call_meta = meta.for_call(call_id) if meta else ToolCallMeta.anonymous(call_id)
            if name not in self._steps:
                ident = resolve(self._catalog, name, run.effective.tools if run else None)
            if run is not None or self._has_policies:
                self._check_allowed(ident, run)
            steps = self._steps.get(ident) or self._bound(ident)
            if steps.needs_call or run is not None:
                decode = partial(_decode, steps, request)
                call = Call(steps.tool, call_meta, run, _sent(request), begin(steps.names))
                return await lifecycle.make(steps, call, decode, request, self._recorder)
            given = _decode(steps, request)
            is_running = steps.runs_handler
            outcome = steps.execute(given, call_meta)
            if outcome.__class__ is CoroutineType or lifecycle.is_waiting(outcome):  # the first is cheap, and usual
                outcome = await outcome
            is_running = False
            result = steps.encode(outcome, call_id)
            if result.error is not None:
                result = shown_failure(result, _secrets(steps, request))
            if steps.size is not None and (result.blocks or len(result.payload) > steps.shown_bytes):
                sized = steps.size(result, partial(_secrets, steps, request))
                result = sized if isinstance(sized, ToolResult) else await sized
        except BaseException as error:  # handlers may raise anything; a bug of ours must stay in its call
            if not isinstance(error, Exception) and ends_the_caller(error):
                raise
            misused = misuse_of(request, meta, run)
            if misused is not None:
                return await self._misused(misused, request)
            if steps is None:
                ident = self._meant(ident)
                result = failed(ident, call_id, host_failure(error, "the preparation of the call"))
            else:
                secrets = _secrets(steps, request)
                result = failed_call(
                    ident, call_id, error, _sent(request), steps.example, by_handler=is_running, secrets=secrets
                )
            if ident != name:
                result = with_raw_name(result, name)
            if self._recorder is not None:
                await self._recorder.refused(result, meta, _exclusion_reason(run, ident, name))
            return result
        return result if ident == name else with_raw_name(result, name)

    async def turn(self, requests: Sequence[ToolRequest], run: Run) -> list[ToolResult[Any]]:
        """Make all calls of one answer of a model; give a result for each, in their order, paired by the id.

        Adjacent readonly calls run together, and so do tools that start agents; writes run alone and in order. After a
        write that failed, or a person's no, the rest is skipped. `Run.abort` stops it.
        """
        from toolgen.runtime.runs.turn import run_turn  # brings asyncio, which single calls can do without

        idents = [self._catalog.resolve(name_of(request)) for request in requests]
        results = await run_turn(
            self._with_own_ids(requests),
            [self._catalog.entries.get(ident) if ident else None for ident in idents],
            run,
            partial(self.invoke, run=run),
            partial(self._refuse, run),
            may_continue=self._host.policies.may_continue,
        )
        return [with_raw_id(result, id_of(request)) for result, request in zip(results, requests, strict=True)]

    def _with_own_ids(self, requests: Sequence[ToolRequest]) -> list[ToolRequest]:
        """Give each call an id that no other of the turn has."""
        taken = {""}
        named: list[ToolRequest] = []
        for request in requests:
            is_own = id_of(request) not in taken or misuse_of(request, None, None) is not None
            named.append(request if is_own else replace(request, tool_call_id=self._new_id("call")))
            taken.add(id_of(named[-1]))
        return named

    async def _refuse(
        self, run: Run, request: ToolRequest, error: BaseException, *, is_on_record: bool = False
    ) -> ToolResult[Any]:
        """Give the result of a call that has no turn any more."""
        name, call_id = name_of(request), id_of(request) or self._new_id("call")
        ident = self._catalog.resolve(name) or name
        result = failed(ident, call_id, error)
        if ident != name:
            result = with_raw_name(result, name)
        if self._recorder is not None and not is_on_record:
            await self._recorder.refused(result, run.meta)
        return result

    async def _misused(self, misused: CallFailed, request: Any) -> ToolResult[Any]:
        """Give the result of a call that cannot be made of what the host passed."""
        result = failed(name_of(request), id_of(request) or self._new_id("call"), misused)
        if self._recorder is not None:
            await self._recorder.refused(result, None)
        return result

    def tool_spec(self, ident: Ident[Any, Any]) -> ToolDefinition:
        """Give the definition of a tool. Raises `ToolNotFound`."""
        return self._catalog.definition(ident)

    def tool_schema(self, ident: Ident[Any, Any]) -> dict[str, Any]:
        """Give a copy of the JSON Schema of a tool's args. Raises `ToolNotFound`."""
        schema: dict[str, Any] = self._catalog.schema(ident, "args")
        return schema

    def _start_child(self, call: Call, agent: str, requested: Iterable[str] | None, mode: str | None) -> Child:
        """Start a run for a call, in the same session, and link to it from the record of the call."""
        from toolgen.runtime.events.records import EventKind
        from toolgen.runtime.runs.children import Child, started, tie  # few calls start agents

        parent, meta = call.run, call.meta
        if parent is not None and parent.progress.is_aborted:  # a handler may have gone on nonetheless
            raise RunStopped(parent.progress.abort_reason)
        start = partial(
            self.start_run,
            agent,
            session=parent.session if parent else None,
            mode=mode if mode is not None else parent.mode if parent else "",
            meta=ToolCallMeta(
                user=meta.user,
                session_id=meta.session_id,
                parent_agent_id=meta.agent_id,
                parent_run_id=meta.run_id,
                parent_tool_call_id=meta.tool_call_id,
                attributes=meta.attributes,
            ),
        )
        idents = None if requested is None else self._agents.idents(requested)
        run = started(lambda wanted: start(requested=wanted), idents, parent)
        if call.has_secrets:
            run = replace(run, secrets=call.secrets.values)
        call.at_end = (*call.at_end, tie(run, parent))
        link = {"run_id": run.meta.run_id, "agent": agent, "agent_id": run.meta.agent_id}
        meta.report(link, EventKind.AGENT_RUN_STARTED)
        return Child(run=run, turn=partial(self.turn, run=run), end=partial(self.end_run, run))

    def _call_id(self, meta: ToolCallMeta | None) -> str:
        """Name a call that came without an id; the id of its meta is that of another call, where one runs under it."""
        if meta is None or meta.is_of_a_call:
            return self._new_id("call")
        return meta.tool_call_id or self._new_id("call")

    def _check_allowed(self, ident: str, run: Run | None) -> None:
        """Raise `ToolNotFound` for a tool that may not be called at all in a run, or outside of any."""
        if run is None:
            if self._is_excluded(ident):
                raise ToolNotFound(ident)
        elif run.progress.is_aborted:
            raise RunStopped(run.progress.abort_reason)
        elif ident not in run.effective:
            raise ToolNotFound(ident, nearest(ident, run.effective.tools))

    def _meant(self, name: str) -> str:
        """Name what was asked for, for the record: of what was not offered, the tool that the name before it means."""
        if not is_not_offered(name):
            return name
        return self._catalog.resolve(name.removesuffix(NOT_OFFERED)) or name

    def _judge_excluded(self, ident: str) -> bool:
        return self._host.policies.judge(self._catalog.entry(ident), "main", "").answer is Answer.EXCLUDE

    def _bound(self, ident: str) -> Steps:
        """Make a tool ready at its first call."""
        execute, form = find_runner(self._catalog, self._assigned, ident)
        definition = self._catalog.definition(ident)
        tool = Tool(
            definition=definition,
            entry=self._catalog.entry(ident),
            args=self._catalog.codec(ident, "args"),
            result=self._catalog.codec(ident, "result"),
            form=form,
            secrets=secrets_of_tool(definition),
        )
        steps = self._steps[ident] = bind_steps(tool, self._host, execute, is_recorded=self._recorder is not None)
        return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class _TypedRequest(ToolRequest):
    """A request by a program, with typed args in the place of a payload."""

    args: Any


def _decode(steps: Steps, request: ToolRequest) -> Any:
    return steps.accept(request.args) if type(request) is _TypedRequest else steps.decode(request.payload)


def _sent(request: ToolRequest) -> bytes | str | None:
    """The payload of a call; None where its args came typed."""
    return None if type(request) is _TypedRequest else request.payload


def _secrets(steps: Steps, request: ToolRequest) -> Secrets:
    """What is secret in a call that has failed and that nobody observes, which is none where secrets are injected."""
    args = partial(steps.tool.args.encode, request.args) if type(request) is _TypedRequest else request.payload
    return secrets_of_call(steps.tool.secrets, args)


def _exclusion_reason(run: Run | None, ident: str, name: str) -> str:
    """Why a tool may not be called: for the record, and never for a model."""
    if run is None:
        return ""
    reason = run.effective.excluded.get(ident)
    if reason is None and is_not_offered(name):
        return ExclusionReason.NOT_OFFERED.value
    return reason.value if reason else ""


def _recorder(store: Store, own_run: str) -> Recorder:
    from toolgen.runtime.calls.recording import Recorder  # few scripts keep a record

    return Recorder(store, own_run)


def _path_policy(project: Path, policies: Policies) -> PathPolicy:
    from toolgen.runtime.policy.paths.policy import PathPolicy  # only tools that touch files need it

    return PathPolicy.under(policies, project)


def _unique_ids() -> Callable[[str], str]:
    """Number calls, behind a random word that tells runtimes apart; ids of runs and agents cannot be guessed.

    Whoever knows the id of an agent may ask what it did. That of a call gives access to nothing.
    """
    word = os.urandom(6).hex()
    numbers = count(1)
    return lambda what: f"{what}_{word}_{next(numbers)}" if what == "call" else f"{what}_{os.urandom(16).hex()}"
