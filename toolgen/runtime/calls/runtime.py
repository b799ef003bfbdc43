"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from toolgen.contract.records import NOTHING, MalformedRequest, ToolCallMeta, ToolRequest, ToolResult
from toolgen.runtime.base.errors import (
    CallFailed,
    ExecutorError,
    InvalidPayload,
    RunEnded,
    RunStopped,
    ToolNotFound,
    ToolRateLimited,
    ToolUnavailable,
    TurnEnded,
)
from toolgen.runtime.base.processes import at_fork
from toolgen.runtime.calls.call import Call, Host, Tool
from toolgen.runtime.calls.host_args import (
    check_call_args,
    check_run,
    check_run_args,
    check_runtime_args,
    check_turn_args,
)
from toolgen.runtime.calls.plan import bind_plan, bind_question
from toolgen.runtime.calls.refusals import Refusals, resolve
from toolgen.runtime.calls.result import with_raw_id
from toolgen.runtime.catalog.assignment import assign, find_missing, find_runner
from toolgen.runtime.events.records import ABORTED
from toolgen.runtime.policy.contract import contract_of
from toolgen.runtime.policy.hosts import hosts_by_tool, with_hosts
from toolgen.runtime.policy.path_starts import check_path_starts, path_starts
from toolgen.runtime.policy.policy import Policies, PolicyAnswer
from toolgen.runtime.policy.rate_limits import MemoryCounters
from toolgen.runtime.redact.call_secrets import secrets_of_tool
from toolgen.runtime.runs.misuse import id_of, misuse_of, name_of
from toolgen.runtime.runs.run import Agents, check_may_call, why_over, with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import Response, ToolsetRegistration
    from toolgen.runtime.calls.call import Gate, Hook
    from toolgen.runtime.calls.plan import Plan, Question
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import PolicyEntry, ToolDefinition
    from toolgen.runtime.events.records import ArtifactStore, Store
    from toolgen.runtime.policy.paths import PathPolicy
    from toolgen.runtime.policy.permission import PermissionCallback, PermissionRequest
    from toolgen.runtime.policy.rate_limits import Counters
    from toolgen.runtime.runs.children import ChildRun
    from toolgen.runtime.runs.run import Run, Session
    from toolgen.runtime.telemetry import Telemetry


A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)
R = TypeVar("R")

if TYPE_CHECKING:

    class NoSuch(Generic[A_co]):
        """A type without values."""

    ArgsOf: TypeAlias = A | NoSuch[Callable[[], A]]
    """Args of the class that the ident beside them names.

    mypy infers from callables last. The one in this union makes it infer the class from the ident alone, so that its
    message on other args has the class that was expected; with `A` it is "Cannot infer value of type parameter".
    """

_now: Final = partial(datetime.now, UTC)


class Runtime:
    """Runs the calls of one catalog, and freezes it.

    What runs: `executors` run the toolsets; `missing` names toolsets without an executor, whose tools no run has.
    `inject` has, for each name of an injected field, a function that returns its value for the meta of a call.
    `project` is the folder that paths in calls are relative to, by default that of the executors of files and programs.
    If it is not given, functions of the host may also open paths in the working directory, and both are judged.

    Who decides: all compiled policies of the catalog are in force, but for `disabled_policies`, by name. `permission`
    is the callback that is asked before a tool runs that is not readonly, or if a policy requires it; it must answer
    within `permission_timeout` seconds. `hooks` check every call before that, and see its result. The eval `gate` is
    asked last, for tools with a gate; after `gate_timeout` seconds the call runs without it.

    What is kept: `store` records every call, `artifacts` stores results that are too large to be shown, `counters`
    count attempts for limits per user, and `telemetry` records spans and metrics.

    For tests: `clock` returns the time by which limits are counted; `new_id` creates ids of calls, runs and agents,
    given `call`, `run` or `agent`.

    Raises `ExecutorError` for executors that do not fit the catalog and for a toolset that has no executor and is not
    in `missing`; `CatalogError` for an unknown policy and for a restricting rule that matches no tool; TypeError for
    an argument of another kind, such as a path for the store.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        permission: PermissionCallback,
        executors: Sequence[ToolsetRegistration] = (),
        missing: Collection[str] = (),
        inject: Mapping[str, Callable[[ToolCallMeta], Any]] = NOTHING,
        project: Path | None = None,
        disabled_policies: Collection[str] = (),
        permission_timeout: float = 300.0,
        hooks: Sequence[Hook] = (),
        gate: Gate | None = None,
        gate_timeout: float = 2.0,
        store: Store | None = None,
        artifacts: ArtifactStore | None = None,
        counters: Counters | None = None,
        telemetry: Telemetry | None = None,
        clock: Callable[[], datetime] = _now,
        new_id: Callable[[str], str] | None = None,
    ) -> None:
        check_runtime_args(
            catalog=catalog,
            permission=permission,
            inject=inject,
            permission_timeout=permission_timeout,
            hooks=hooks,
            gate=gate,
            gate_timeout=gate_timeout,
            store=store,
            artifacts=artifacts,
            counters=counters,
            telemetry=telemetry,
            clock=clock,
            new_id=new_id,
        )
        for slow in ("jsonschema_rs", "toolgen.runtime.codec.models"):  # the first pydantic model takes 50 ms
            import_module(slow)  # now, not in the first call
        catalog.freeze()
        self._catalog = catalog
        in_force = Policies(catalog.section("policies"), catalog.names, disabled=disabled_policies)
        self._assigned = assign(catalog, executors, in_force)
        self._registrations = MappingProxyType({each.toolset: each for each in executors})
        self._hosts = hosts_by_tool(catalog, executors)
        check_path_starts(catalog, executors)
        self._servers = {each.toolset: each.server for each in executors if each.server is not None}
        self._logins = {each.toolset: each.login for each in executors if each.login is not None}
        self._handlers = {ident: run for each in executors for ident, run in (each.handlers or {}).items()}
        self._previews = {each.toolset: each.preview for each in executors if each.preview is not None}
        self._inline = frozenset(each.toolset for each in executors if each.inline)
        self._project = "" if project is None else os.fspath(project)
        self._new_id = new_id or _UniqueIds().new
        self._host = Host(
            permission=permission,
            policies=in_force,
            counters=MemoryCounters() if counters is None else counters,
            hooks=tuple(hooks),
            gate=gate,
            inject=inject,
            artifacts=artifacts,
            clock=clock,
            paths=cache(partial(_path_policy, _folder(project, executors, catalog), in_force)),
            start_child=self._start_child,
            permission_timeout=permission_timeout,
            gate_timeout=gate_timeout,
        )
        self._recorder = None if store is None else _recorder(store, partial(self._new_id, "run"))
        self._refusals = Refusals(catalog, self._recorder, self._new_id)
        self._telemetry = telemetry
        self._refused, self._never_ran = self._refusals.refused, self._refusals.never_ran
        if telemetry is not None:
            self._refused = telemetry.calls.traced_refusal(self._refused, catalog)
            self._never_ran = telemetry.calls.traced_refusal(self._never_ran, catalog)
        self._agents = Agents(catalog, in_force, find_missing(catalog, executors, missing), self._hosts)
        self._plans: dict[str, Plan] = {}
        self._questions: dict[str, Question] = {}

    @property
    def permission(self) -> PermissionCallback:
        """The permission callback."""
        return self._host.permission

    @property
    def catalog(self) -> Catalog:
        """The catalog; no tool can be registered any more."""
        return self._catalog

    @property
    def policies(self) -> Policies:
        """The policies in force."""
        return self._host.policies

    @property
    def executors(self) -> Mapping[str, ToolsetRegistration]:
        """What runs the toolsets, by their names."""
        return self._registrations

    @property
    def may_continue(self) -> bool:
        """Whether the policies let readonly calls of a turn run after a denial."""
        return self._host.policies.may_continue

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
        """Start a run of a compiled agent, or of one that uses all tools. Its effective set is fixed from here on.

        `role` defaults to that of the agent; `requested` are the tools that a dispatch requests, by any of their names.
        Missing ids of `meta`, the meta of its calls, are generated. Raises `UnknownAgent`, `ToolsNotGranted` for
        requested tools that the agent may not have, ValueError for an unknown role, and `CatalogError` for a mode that
        no active policy has.
        """
        check_run_args(session, meta)
        filled = with_ids(ToolCallMeta() if meta is None else meta, self._new_id)
        run = self._agents.new_run(agent, role=role, mode=mode, requested=requested, session=session, meta=filled)
        return run if self._telemetry is None else replace(run, telemetry=self._telemetry)

    async def end_run(self, run: Run, reason: str = "completed") -> None:
        """Record the end of a run and its reason, which is `aborted_tools` if it was aborted. It makes no more calls.

        Runs of agents that it started, and that still go on, are aborted. A run has one end on record: later reasons
        are ignored. Call it in the run's event loop. Raises `StoreError`; it may then be called again.
        """
        check_run(run)
        run.end()
        progress = run.progress
        if self._recorder is None or progress.has_end_on_record:
            return
        progress.has_end_on_record = True
        try:
            await self._recorder.run_ended(run.meta, ABORTED if progress.is_aborted else reason)
        except BaseException:  # also where this is cancelled
            progress.has_end_on_record = False
            raise

    def call(
        self, ident: Ident[A, R], args: ArgsOf[A], *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> Coroutine[Any, Any, ToolResult[R]]:
        """Call a tool with typed args, when awaited. Every failure is a result; only cancellation is raised."""
        request = ToolRequest(name=ident)
        try:
            plan = self._plans[ident]
        except BaseException:  # noqa: BLE001  # an unknown name, or not a name
            return self._bind_and_call(request, meta, run, args)
        return plan(request, meta, run, args)

    def invoke(
        self, request: ToolRequest, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> Coroutine[Any, Any, ToolResult[Any]]:
        """Call a tool by any of its names, with JSON args, when awaited.

        Every failure is a result; only cancellation is raised. In a run only its tools can be called, and its meta is
        the default.
        """
        try:
            plan = self._plans[request.name]
        except BaseException:  # noqa: BLE001  # as above; the coroutine reports it
            return self._bind_and_call(request, meta, run)
        return plan(request, meta, run)

    async def invoke_apart(
        self, request: ToolRequest, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> ToolResult[Any]:
        """Call a tool as `invoke` does, in a task of its own, as servers and engines need it.

        So a tool that cancels this task, or has it cancelled, has failed: it does not cancel its caller.
        """
        from toolgen.runtime.runs.turn import together  # imports asyncio, which single calls do not need

        async def refuse(request: ToolRequest, error: BaseException, *, is_on_record: bool = False) -> ToolResult[Any]:
            if run is not None and run.progress.guard is not None:
                run.progress.guard()  # it has cancelled the call, if the run is not this process's any more
            return await self._never_ran(run, request, error, is_on_record=is_on_record)

        (result,) = await together([request], partial(self.invoke, meta=meta, run=run), refuse)
        return result

    async def _bind_and_call(
        self, request: ToolRequest, meta: ToolCallMeta | None, run: Run | None, *typed: Any
    ) -> ToolResult[Any]:
        """Call a tool by a name that has not been used before, or reject the call."""
        if isinstance(request, MalformedRequest):
            return await self._refused(InvalidPayload(request.issues), request, meta, run)
        try:
            plan = self._find_plan(request.name, run)
        except BaseException as error:  # noqa: BLE001  # exceptions for the caller are raised again
            return await self._refused(error, request, meta, run)
        return await plan(request, meta, run, *typed)

    def _find_plan(self, name: str, run: Run | None) -> Plan:
        """Return the plan of the tool with a name. Raises `ToolNotFound` if it may not be called."""
        ident = resolve(self._catalog, name, run.effective if run else self._agents)
        if run is not None:
            check_may_call(run, ident)
        elif (
            self._host.policies
            and self._host.policies.judge(self._entry(ident), "main", "").answer is PolicyAnswer.EXCLUDE
        ):
            raise ToolNotFound(ident)
        plan = self._plans.get(ident) or self._bound(ident)
        self._plans[ident] = self._plans[name] = plan
        return plan

    async def turn(
        self, requests: Sequence[ToolRequest], run: Run, *, response: Response | None = None
    ) -> list[ToolResult[Any]]:
        """Make all calls of one response of a model; return a result for each, in order, with its call id.

        Adjacent readonly calls run concurrently, and so do tools that start agents; writes run one at a time, in order.
        After a failed write, or a denial of permission, the rest is skipped. `Run.abort` stops it. Turns with the same
        `response` are of one response, whose code made one call after another: a denial counts in those after it too.
        """
        from toolgen.runtime.runs.turn import run_turn  # imports asyncio, which single calls do not need

        check_turn_args(requests, run)
        idents = [self._catalog.resolve(name_of(request)) for request in requests]
        results = await run_turn(
            self._with_own_ids(requests, run),
            [self._catalog.entries.get(ident) if ident else None for ident in idents],
            run,
            partial(self.invoke, run=run),
            partial(self._never_ran, run),
            may_continue=self.may_continue,
            response=response,
        )
        return [with_raw_id(result, id_of(request)) for result, request in zip(results, requests, strict=True)]

    async def skip(self, request: ToolRequest, run: Run) -> ToolResult[Any]:
        """Record that a call of a run is not made, for a caller that schedules calls itself; return its result.

        The reason is that the run is over, or that its turn has ended.
        """
        check_call_args(request, run)
        return await self._never_ran(run, request, why_over(run) if run.progress.is_over else TurnEnded())

    def _with_own_ids(self, requests: Sequence[ToolRequest], run: Run) -> list[ToolRequest]:
        """Return the requests with ids that no other call of the turn has, nor one of another turn of the run."""
        taken = {"", *run.progress.denied}
        named: list[ToolRequest] = []
        for request in requests:
            is_own = id_of(request) not in taken or misuse_of(request, None, None) is not None
            named.append(request if is_own else replace(request, tool_call_id=self._new_id("call")))
            taken.add(id_of(named[-1]))
        return named

    async def permission_request(
        self, request: ToolRequest, run: Run, *, meta: ToolCallMeta | None = None
    ) -> PermissionRequest | None:
        """Return what a call would ask the permission callback if it were made now, without making it.

        None for a call that would ask nothing, and for one that would fail before it asks: the tool may not be called,
        the args are invalid, a limit is exceeded, or a policy denies it. Hooks are not consulted. Nothing is counted or
        recorded.
        """
        check_call_args(request, run)
        try:
            ident = resolve(self._catalog, request.name, run.effective)
            check_may_call(run, ident)
            question = self._questions.get(ident)
            if question is None:
                question = self._questions[ident] = bind_question(self._tool(ident), self._host)
            return await question(request, meta or run.meta, run)
        except (CallFailed, InvalidPayload, RunEnded, RunStopped, ToolNotFound, ToolRateLimited, ToolUnavailable):
            return None  # the call will say so itself

    def tool_spec(self, ident: Ident[Any, Any]) -> ToolDefinition:
        """Return the definition of a tool. Raises `ToolNotFound`."""
        return self._catalog.definition(ident)

    def tool_schema(self, ident: Ident[Any, Any]) -> dict[str, Any]:
        """Return a copy of the JSON Schema of a tool's args. Raises `ToolNotFound`."""
        schema: dict[str, Any] = self._catalog.schema(ident, "args")
        return schema

    def contract(self, ident: str) -> str:
        """Return a digest of a tool and its toolset as they were compiled or registered, with the servers of the host.

        It is the same in any process and build as long as the tool is the same. Raises `ToolNotFound`.
        """
        return contract_of(self._catalog.definition(ident), self._toolset(self._catalog.toolset_of(ident)))

    def is_inline(self, ident: str) -> bool:
        """Whether calls of a tool run in the loop of their caller, even if an engine schedules others.

        The registration of its toolset says so. Raises `ToolNotFound`.
        """
        return self._catalog.toolset_of(ident) in self._inline

    def _start_child(self, call: Call, agent: str, requested: Iterable[str] | None, mode: str | None) -> ChildRun:
        """Start a run for a call, in the same session, and link it in the record of the call."""
        from toolgen.runtime.events.records import EventKind
        from toolgen.runtime.runs.children import ChildRun, above, child_id, started, tie  # few calls start agents

        parent, meta = call.run, call.meta
        if parent is not None and parent.progress.is_over:  # a handler may ignore its cancellation
            raise why_over(parent)
        start = partial(
            self.start_run,
            agent,
            session=parent.session_of(meta) if parent else None,
            mode=mode if mode is not None else parent.mode if parent else "",
            meta=ToolCallMeta(
                user=meta.user,
                session_id=meta.session_id,
                run_id=child_id(meta, len(call.at_end)),  # it grows with each start
                parent_agent_id=meta.agent_id,
                parent_run_id=meta.run_id,
                parent_tool_call_id=meta.tool_call_id,
                ancestors=() if parent is None else above(parent, meta.tool_call_id),
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
        return ChildRun(run=run, turn=partial(self.turn, run=run), end=partial(self.end_run, run))

    def _bound(self, ident: str) -> Plan:
        """Return the plan of a tool, created at its first call."""
        execute, _ = find_runner(self._catalog, self._assigned, ident, self._host.policies)
        tool, telemetry = self._tool(ident), self._telemetry
        if telemetry is None:
            return bind_plan(tool, self._host, execute, self._recorder, self._refusals)
        plan = bind_plan(tool, self._host, execute, self._recorder, self._refusals, telemetry.calls.on_end)
        return telemetry.calls.traced(plan, ident, tool.definition.kind)

    def _tool(self, ident: str) -> Tool:
        definition, name = self._catalog.definition(ident), self._catalog.toolset_of(ident)
        toolset = self._toolset(name)
        registered, registration = self._catalog.registered(ident), self._registrations.get(name)
        starts = path_starts(
            definition,
            {} if registered else toolset,
            registration=None if registered else registration,
            folder=(registered.folder if registered else getattr(registration, "folder", "")) or self._project,
            has_handler=ident in self._handlers,
        )
        return Tool(
            definition=definition,
            entry=self._entry(ident),
            args=self._catalog.codec(ident, "args"),
            result=self._catalog.codec(ident, "result"),
            form=find_runner(self._catalog, self._assigned, ident, self._host.policies)[1],
            secrets=secrets_of_tool(definition),
            preview=self._preview(ident),
            toolset=toolset,
            hosts=self._hosts.get(ident),
            login=self._logins.get(name),
            handler=self._handlers.get(ident),
            starts=starts,
        )

    def _toolset(self, name: str) -> Mapping[str, Any]:
        """Return a toolset as it was compiled, with the server that the host has passed; empty if it was not."""
        compiled: Mapping[str, Any] = self._catalog.section("toolsets").get(name, {})
        return {**compiled, "server": self._servers[name]} if name in self._servers else compiled

    def _entry(self, ident: str) -> PolicyEntry:
        return with_hosts(self._catalog.entry(ident), self._hosts.get(ident))

    def _preview(self, ident: str) -> Callable[[Mapping[str, Any]], str] | None:
        if not self._previews or self._catalog.registered(ident) is not None:
            return None
        preview = self._previews.get(self._catalog.toolset_of(ident))
        return None if preview is None else partial(preview, ident)


def _recorder(store: Store, new_run: Callable[[], str]) -> Recorder:
    from toolgen.runtime.calls.recording import Recorder  # few scripts keep a record

    return Recorder(store, new_run)


def _folder(project: Path | None, executors: Sequence[ToolsetRegistration], catalog: Catalog) -> Path:
    """Return the folder that paths in questions start at: that of the executors, so that both mean the same files.

    Raises `ExecutorError` where they are for several folders, or for another one than `project`.
    """
    given = {**catalog.folders, **{each.folder: each.toolset for each in executors if each.folder}}
    folders = {os.path.realpath(folder): name for folder, name in given.items()}
    found = Path(next(iter(folders), "") if project is None else os.path.realpath(project))
    others = [f"{name} for {folder}" for folder, name in folders.items() if folder != str(found)]
    if others:
        raise ExecutorError(
            f"executors are for several folders: the runtime is for {found}, and {', '.join(others)}; people "
            "would be asked about other files than a call accesses: use one folder, and `Runtime(project=…)` for it"
        )
    return found if folders or project is not None else Path.cwd()


def _path_policy(project: Path, policies: Policies) -> PathPolicy:
    from toolgen.runtime.policy.paths import PathPolicy  # only tools that access files need it

    return PathPolicy(project).under(policies)


class _UniqueIds:
    """Numbers calls, with a random prefix per runtime and process; ids of runs and agents cannot be guessed.

    The id of an agent gives access to what it did; the id of a call gives access to nothing.
    """

    def __init__(self) -> None:
        self._begin()
        at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._prefix, self._numbers = f"call_{os.urandom(6).hex()}_", count(1)

    def new(self, what: str) -> str:
        """Return an id of a call, a run or an agent."""
        return f"{self._prefix}{next(self._numbers)}" if what == "call" else f"{what}_{os.urandom(16).hex()}"
