"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.contract.records import NOTHING, ToolCallMeta, ToolRequest, ToolResult
from toolgen.runtime.base.errors import RunStopped, ToolNotFound
from toolgen.runtime.calls.call import Call, Host, Tool
from toolgen.runtime.calls.plan import bind_plan
from toolgen.runtime.calls.refusals import Refusals
from toolgen.runtime.calls.result import with_raw_id
from toolgen.runtime.calls.stages.resolve import resolve
from toolgen.runtime.catalog.assignment import assign, find_missing, find_runner
from toolgen.runtime.policy.policy import Answer, Policies
from toolgen.runtime.policy.rate_limits.memory import MemoryCounters
from toolgen.runtime.redact.call_secrets import secrets_of_tool
from toolgen.runtime.runs.misuse import id_of, misuse_of, name_of
from toolgen.runtime.runs.run import Agents, check_may_call, with_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.runtime.calls.gate import Gate
    from toolgen.runtime.calls.hooks import Hook
    from toolgen.runtime.calls.plan import Plan
    from toolgen.runtime.calls.recording import Recorder
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.events.artifacts import ArtifactStore
    from toolgen.runtime.events.store import Store
    from toolgen.runtime.policy.paths.policy import PathPolicy
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.runtime.policy.rate_limits.protocol import Counters
    from toolgen.runtime.runs.children import Child
    from toolgen.runtime.runs.run import Run, Session

A = TypeVar("A")
R = TypeVar("R")


_now: Final = partial(datetime.now, UTC)


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
        for slow in ("jsonschema_rs", "toolgen.runtime.codec.models"):  # the first model of pydantic takes 50 ms
            import_module(slow)  # now, and not in the first call
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
        self._refusals = Refusals(catalog, self._recorder, self._new_id)
        self._agents = Agents(catalog, in_force, find_missing(catalog, executors, missing))
        self._plans: dict[str, Plan] = {}

    @property
    def catalog(self) -> Catalog:
        """The catalog; no tool can be registered any more."""
        return self._catalog

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

    def call(
        self, ident: Ident[A, R], args: A, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> Coroutine[Any, Any, ToolResult[R]]:
        """Call a tool with typed args, when it is awaited. Every failure is a result; only cancellation passes."""
        request = ToolRequest(name=ident)
        try:
            plan = self._plans[ident]
        except BaseException:  # noqa: BLE001  # a name that was not called yet, or no name at all
            return self._call_for_the_first_time(request, meta, run, args)
        return plan(request, meta, run, args)

    def invoke(
        self, request: ToolRequest, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> Coroutine[Any, Any, ToolResult[Any]]:
        """Call a tool by any of its names, with JSON args, when it is awaited.

        Every failure is a result; only cancellation passes. In a run only its tools can be called, and its meta is used
        where none is given.
        """
        try:
            plan = self._plans[request.name]
        except BaseException:  # noqa: BLE001  # as above; what it is, the coroutine says
            return self._call_for_the_first_time(request, meta, run)
        return plan(request, meta, run)

    async def _call_for_the_first_time(
        self, request: ToolRequest, meta: ToolCallMeta | None, run: Run | None, *typed: Any
    ) -> ToolResult[Any]:
        """Call a tool by a name that it was not called by before, or refuse the call."""
        try:
            plan = self._find_plan(request.name, run)
        except BaseException as error:  # noqa: BLE001  # what is for the caller is raised anew
            return await self._refusals.refused(error, request, meta, run)
        return await plan(request, meta, run, *typed)

    def _find_plan(self, name: str, run: Run | None) -> Plan:
        """Find the tool that a name means, and make it ready. Raises `ToolNotFound` where it may not be called."""
        ident = resolve(self._catalog, name, run.effective.tools if run else None)
        if run is not None:
            check_may_call(run, ident)
        elif (
            self._host.policies
            and self._host.policies.judge(self._catalog.entry(ident), "main", "").answer is Answer.EXCLUDE
        ):
            raise ToolNotFound(ident)
        plan = self._plans.get(ident) or self._bound(ident)
        self._plans[ident] = self._plans[name] = plan
        return plan

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
            partial(self._refusals.never_ran, run),
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

    def _bound(self, ident: str) -> Plan:
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
        return bind_plan(tool, self._host, execute, self._recorder, self._refusals)


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
