"""The runtime: one path for every call, from a request to its result. Nothing raises out of it."""

from __future__ import annotations

import os
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Final, TypeGuard, TypeVar

from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime.call import Call, Form, Host, Steps, Tool
from toolgen.runtime.counters.memory import MemoryCounters
from toolgen.runtime.effective import effective_set
from toolgen.runtime.errors import CatalogError, ToolNotFound
from toolgen.runtime.executors.assignment import assign, find_runner
from toolgen.runtime.policy import Answer, Policies
from toolgen.runtime.result import failed, with_raw_id, with_raw_name
from toolgen.runtime.run import Run, Session
from toolgen.runtime.stages import children, decode, encode, gate, hooks, limits, permission
from toolgen.runtime.stages.resolve import resolve
from toolgen.runtime.stopping import ends_the_caller
from toolgen.runtime.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from toolgen.contract.ident import Ident
    from toolgen.contract.records import ToolResult, ToolsetRegistration
    from toolgen.runtime.call import Execute
    from toolgen.runtime.catalog import Catalog
    from toolgen.runtime.counters.protocol import Counters
    from toolgen.runtime.definition import ToolDefinition
    from toolgen.runtime.gate import Gate
    from toolgen.runtime.hooks import Hook
    from toolgen.runtime.paths.policy import PathPolicy
    from toolgen.runtime.permission import PermissionCallback

A = TypeVar("A")
R = TypeVar("R")

STAGES: Final = (limits.bind, hooks.bind, permission.bind, gate.bind, children.bind)
"""What a call goes through between decoding and executing, in this order. A stage is bound to a tool once."""


def _now() -> datetime:
    return datetime.now(UTC)


class Runtime:
    """Runs the calls of one catalog, which it freezes.

    `executors` says what runs the toolsets. `permission` is asked before a tool runs that is not plainly readonly, or
    where one of the `policies`, which are named, says so; it has to answer within `permission_timeout` seconds.
    `hooks` look at every call before that, and after it ran. The eval `gate` is asked last, about tools that want it;
    after `gate_timeout` seconds the call runs without it. `counters` count attempts for limits per user, by `clock`.
    `project` is the folder that paths in calls are relative to. `new_call_id` names calls that come without an id.

    Raises `ExecutorError` for executors that do not fit the catalog, `CatalogError` for an unknown policy, and
    TypeError for a permission that cannot be asked.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        permission: PermissionCallback,
        executors: Sequence[ToolsetRegistration] = (),
        policies: Sequence[str] = (),
        hooks: Sequence[Hook] = (),
        gate: Gate | None = None,
        counters: Counters | None = None,
        clock: Callable[[], datetime] = _now,
        project: Path | None = None,
        permission_timeout: float = 300.0,
        gate_timeout: float = 2.0,
        new_call_id: Callable[[], str] | None = None,
    ) -> None:
        if not callable(permission):
            raise TypeError(f"permission is {permission!r}; it must be a callback, allow_all or deny_all")
        import_module("toolgen.runtime.models")  # pydantic's first model takes 50 ms: now, and not in the first call
        catalog.freeze()
        self._catalog = catalog
        self._assigned = assign(catalog, executors)
        in_force = Policies(catalog.section("policies"), policies)
        self._host = Host(
            permission=permission,
            policies=in_force,
            counters=counters or MemoryCounters(),
            hooks=tuple(hooks),
            gate=gate,
            clock=clock,
            paths=cache(partial(_path_policy, project or Path.cwd(), in_force)),
            permission_timeout=permission_timeout,
            gate_timeout=gate_timeout,
        )
        self._has_policies = bool(policies)
        self._new_call_id = new_call_id or _unique_call_ids()
        self._steps: dict[str, Steps] = {}

    def start_run(
        self,
        agent: str,
        *,
        session: Session | None = None,
        role: str = "",
        mode: str = "",
        requested: Iterable[str] | None = None,
        meta: ToolCallMeta | None = None,
    ) -> Run:
        """Start a run of a compiled agent: what it may call is fixed from here on.

        `role` is the agent's own, `requested` what a dispatch asks for, by ident. Raises `CatalogError` for an unknown
        agent, and `OutsideBase` for a request of more than it may have.
        """
        agents = self._catalog.section("agents")
        if agent not in agents:
            raise CatalogError(f"there is no agent {agent} in the catalog; there are {', '.join(agents) or 'none'}")
        in_role: str = role or agents[agent]["role"]
        policies, entries = self._host.policies, self._catalog.entries
        effective = effective_set(
            entries, agents[agent], policies, name=agent, role=in_role, mode=mode, requested=requested
        )
        return Run(
            agent=agent,
            role=in_role,
            mode=mode,
            effective=effective,
            session=session or Session(),
            meta=meta or ToolCallMeta(),
        )

    async def call(self, ident: Ident[A, R], args: A, *, meta: ToolCallMeta | None = None) -> ToolResult[R]:
        """Call a tool with typed args. Every failure is a result; only cancellation passes."""
        return await self.invoke(_TypedRequest(name=ident, args=args), meta=meta)

    async def invoke(
        self, request: ToolRequest, *, meta: ToolCallMeta | None = None, run: Run | None = None
    ) -> ToolResult[Any]:
        """Call a tool by any of its names, with JSON args. Every failure is a result; only cancellation passes.

        In a run only its tools can be called, and its meta is used where none is given.
        """
        name = ident = call_id = ""
        call = after = None
        is_running = False
        try:
            name = ident = request.name
            meta = meta or (run.meta if run else None)
            call_id = request.tool_call_id or (meta and meta.tool_call_id) or self._new_call_id()
            call_meta = meta.for_call(call_id) if meta else ToolCallMeta.of_nobody(call_id)
            steps = self._steps.get(name)
            if steps is None or run is not None or self._has_policies:
                ident = resolve(self._catalog, name, run.effective.tools if run else None)
                steps = self._steps_in(run, ident)
            given = steps.accept(request.args) if type(request) is _TypedRequest else steps.decode(request.payload)
            if steps.stages or steps.after:
                call = Call(given=given, meta=call_meta, run=run)
                for stage in steps.stages:
                    waiting = stage(call)
                    if waiting is not None:
                        await waiting
            after = steps.after
            is_running = steps.runs_handler
            outcome = steps.execute(given, call_meta)
            if outcome.__class__ is CoroutineType or _is_waiting(outcome):  # the first is cheap, and usual
                outcome = await outcome
            is_running = False
            result = steps.encode(outcome, call_id)
        except BaseException as error:  # handlers may raise anything; a bug of ours must stay in its call
            if not isinstance(error, Exception) and ends_the_caller(error):
                raise
            result = failed(ident, call_id, error, by_handler=is_running)
        finally:
            if call is not None:
                for give_back in call.at_end:
                    give_back()
        if call is not None and after is not None:
            await after(call, result)
        return result if ident == name else with_raw_name(result, name)

    async def turn(self, requests: Sequence[ToolRequest], run: Run) -> list[ToolResult[Any]]:
        """Make all calls of one answer of a model; give a result for each, in their order, paired by the id.

        Adjacent readonly calls run together, and so do tools that start agents; writes run alone and in order. After a
        write that failed, or a person's no, the rest is skipped. `Run.abort` stops it.
        """
        from toolgen.runtime.turn import run_turn  # brings asyncio, which single calls can do without

        named = [self._with_own_id(request, requests[:place]) for place, request in enumerate(requests)]
        idents = [self._catalog.resolve(request.name) for request in named]
        results = await run_turn(
            named,
            [self._catalog.entry(ident) if ident else None for ident in idents],
            run,
            lambda request: self.invoke(request, run=run),
            may_continue=self._host.policies.may_continue,
        )
        return [with_raw_id(result, request.tool_call_id) for result, request in zip(results, requests, strict=True)]

    def _with_own_id(self, request: ToolRequest, earlier: Sequence[ToolRequest]) -> ToolRequest:
        is_own = request.tool_call_id and all(request.tool_call_id != each.tool_call_id for each in earlier)
        return request if is_own else replace(request, tool_call_id=self._new_call_id())

    def tool_spec(self, ident: Ident[Any, Any]) -> ToolDefinition:
        """Give the definition of a tool. Raises `ToolNotFound`."""
        return self._catalog.definition(ident)

    def tool_schema(self, ident: Ident[Any, Any]) -> dict[str, Any]:
        """Give a copy of the JSON Schema of a tool's args. Raises `ToolNotFound`."""
        schema: dict[str, Any] = self._catalog.schema(ident, "args")
        return schema

    def _steps_in(self, run: Run | None, ident: str) -> Steps:
        """Give what a call of a tool goes through, if it may be called at all in a run, or outside of any."""
        if run is not None:
            if ident not in run.effective:
                raise ToolNotFound(ident, nearest(ident, run.effective.tools))
        elif self._host.policies.judge(self._catalog.entry(ident), "main", "").answer is Answer.EXCLUDE:
            raise ToolNotFound(ident)
        return self._steps_of(ident)

    def _steps_of(self, ident: str) -> Steps:
        """Make a tool ready at its first call."""
        known = self._steps.get(ident)
        if known is not None:
            return known
        execute, form = find_runner(self._catalog, self._assigned, ident)
        tool = Tool(
            definition=self._catalog.definition(ident),
            entry=self._catalog.entry(ident),
            args=self._catalog.codec(ident, "args"),
            result=self._catalog.codec(ident, "result"),
            form=form,
        )
        stages = (bind(tool, self._host) for bind in STAGES)
        decode_payload, accept = decode.bind(tool)
        steps = self._steps[ident] = Steps(
            decode=decode_payload,
            accept=accept,
            stages=tuple(stage for stage in stages if stage is not None),
            execute=self._in_time(execute, tool.definition),
            encode=encode.bind(tool),
            runs_handler=form is Form.TYPED,
            after=hooks.bind_after(tool, self._host),
        )
        return steps

    def _in_time(self, execute: Execute, definition: ToolDefinition) -> Execute:
        """End calls that take too long. Commands are ended by their executor, which knows what they said until then."""
        policies = self._host.policies
        wanted: int = definition.metadata.get("limits", {}).get("timeout_ms", 0) or policies.timeout_ms
        if not wanted or definition.metadata.get("kind") == "command":
            return execute
        from toolgen.runtime.deadlines import in_time  # brings asyncio, which a call without a timeout can do without

        return in_time(execute, min(wanted, policies.max_timeout_ms or wanted) / 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class _TypedRequest(ToolRequest):
    """A request by a program, with typed args in the place of a payload."""

    args: Any


def _path_policy(project: Path, policies: Policies) -> PathPolicy:
    from toolgen.runtime.paths.policy import PathPolicy  # only tools that touch files need it
    from toolgen.runtime.paths.rules import PathRules

    return PathPolicy(project, rules=[PathRules(**rules) for rules in policies.paths] or [PathRules()])


def _unique_call_ids() -> Callable[[], str]:
    """Number the calls of one runtime, behind a random word that tells runtimes apart."""
    prefix = f"call_{os.urandom(6).hex()}_"
    numbers = count(1)
    return lambda: f"{prefix}{next(numbers)}"


def _is_waiting(outcome: Any) -> TypeGuard[Awaitable[Any]]:
    """Whether an outcome is still to come."""
    return isinstance(outcome, Awaitable)
