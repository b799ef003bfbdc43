"""The tag registry: tools that a model calls with lines of text, and the pipeline that runs them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from inspect import iscoroutinefunction, signature
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolgen.contract.records import NOTHING, FailureKind, ToolCallMeta, ToolRequest, ToolsetRegistration
from toolgen.llm.tags.definition import TOOL_FAILED, TagLine, TagResult, prompt_block, tag_idents, tool_defs
from toolgen.runtime.base.errors import CallFailed, CatalogError, ToolNotFound, ToolRateLimited
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls.result import is_result
from toolgen.runtime.calls.runtime import Runtime
from toolgen.runtime.catalog.catalog import Catalog
from toolgen.runtime.catalog.definition import ToolDefinition
from toolgen.runtime.catalog.handler_signature import function_of, name_of
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.policy import MAY_WRITE, Policies
from toolgen.runtime.policy.rate_limits import MemoryCounters

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.llm.tags.definition import TagHandler, ToolContext, ToolDef
    from toolgen.runtime.calls.call import CheckedCall, GateDecision
    from toolgen.runtime.catalog.execution import Execute
    from toolgen.runtime.events.records import Store
    from toolgen.runtime.policy.permission import PermissionCallback, PermissionRequest
    from toolgen.runtime.policy.rate_limits import Counters

_CONTEXT: Final = "tag_context"
"""The attribute of a call's meta with its `ToolContext`, for the gate and the handler."""


class TagGate(Protocol):
    """The eval gate of a tag registry: asked about calls of tools with `requires_gate`."""

    def check(self, tool: ToolDef, ctx: ToolContext, /) -> GateDecision | Awaitable[GateDecision]:
        """Decide about a call; the reason of a refusal is shown to the user."""
        ...


def _now() -> datetime:
    return datetime.now(UTC)


def _allow_registered(request: PermissionRequest) -> PermissionDecision:
    """Allow what asks only because it may write: the host registered it to be run. Deny what a person must allow."""
    if request.reasons == (MAY_WRITE,):
        return PermissionDecision(decision=Decision.ALLOW_ONCE)
    reason = f"a person must allow it, and nobody can be asked ({'; '.join(request.reasons)})"
    return PermissionDecision(decision=Decision.DENY, reason=reason)


class TagRegistry:
    """Tag tools by name, run by a `Runtime` of their own.

    Policies of compiled tools are in force: tools that they exclude or deny are left out. `permission` is asked as by a
    `Runtime`; without it, a registered tool may write, and what must be asked about for another reason is denied: by a
    rule, for a host or a path, and `dangerous` tools. Tools are registered at startup, until the first call or
    `freeze`. The `gate` is asked for tools with a gate, and a call runs if the gate fails or does not answer within
    2 s. `counters` count attempts for limits per user, by `clock`; `monotonic` returns seconds, for durations. `store`
    records every call. `inject` has the functions for injected fields, as that of a `Runtime`: handlers find their
    values among the args.
    """

    def __init__(
        self,
        *,
        permission: PermissionCallback = _allow_registered,
        gate: TagGate | None = None,
        counters: Counters | None = None,
        store: Store | None = None,
        inject: Mapping[str, Callable[[ToolCallMeta], Any]] = NOTHING,
        clock: Callable[[], datetime] = _now,
        monotonic: Callable[[], float] = monotonic,
    ) -> None:
        self._permission = permission
        self._gate = gate
        self._counters = MemoryCounters() if counters is None else counters
        self._store = store
        self._inject = inject
        self._clock = clock
        self._monotonic = monotonic
        self._own = _Source(Catalog(), ())
        self._tags: dict[str, TagLine] = {}
        self._idents: dict[str, str] = {}
        self._tools: dict[str, TagLine] = {}
        self._sources: dict[str, _Source] = {}
        self._is_frozen = False

    @property
    def tags(self) -> Mapping[str, TagLine]:
        """The lines that call tools, by prefix."""
        return MappingProxyType(self._tags)

    def register(self, tool: ToolDef) -> None:
        """Add a tool.

        Raises `CatalogError` for a name or a prefix that is taken, a handler that is not `async` or does not accept a
        `ToolContext`, a pattern that does not match the args, an invalid name or description, and after `freeze`.
        """
        ident, run, line = f"tags.{tool.name}", _run(tool), self._line(tool)
        self._own.catalog.register(_definition(tool, ident), run)
        self._add(line, ident, self._own)

    def register_compiled(
        self, catalog: Catalog, handlers: Mapping[str, TagHandler], *, disabled_policies: Collection[str] = ()
    ) -> None:
        """Add all tag tools of a compiled catalog; `handlers` are by name, the key of an ident.

        Each call is held to all that the tool's spec says, as by a `Runtime`: the schemas of its args and its result
        too. All policies of the catalog are in force, but for `disabled_policies`: tools that they exclude or deny are
        left out. Raises `CatalogError` as `register` does, for an unknown policy, and for a handler that is missing or
        does not belong to a tag tool.
        """
        idents = tag_idents(catalog)
        for name in handlers:
            if name not in idents:
                meant = nearest(name, idents, count=1)
                raise CatalogError(f"there is no tag tool {name!r}{f'; did you mean {meant[0]!r}?' if meant else ''}")
        policies = Policies(catalog.section("policies"), catalog.names, disabled=disabled_policies)
        source = _Source(catalog, disabled_policies)
        for tool in tool_defs(catalog, handlers):
            ident, run = idents[tool.name], _run(tool)
            if not policies.judge(catalog.entry(ident), "main", "").denies_every_call:
                line = self._line(tool, catalog.schema(ident, "args"))
                source.runs[ident] = run
                self._add(line, ident, source)

    def freeze(self) -> None:
        """End registration: the tools are fixed from here on."""
        self._is_frozen = True

    def get(self, name: str) -> ToolDef | None:
        """Return the tool with that name; None if there is none."""
        line = self._tools.get(name)
        return None if line is None else line.tool

    def all_tools(self) -> list[ToolDef]:
        """Return all tools, sorted by name."""
        return [line.tool for _, line in sorted(self._tools.items())]

    def prompt_block(self) -> str:
        """Return the prompt with all tools: how each is called, and what it does."""
        return prompt_block(self.all_tools())

    async def execute(self, name: str, ctx: ToolContext) -> ToolResult[Any]:
        """Run a tool as `invoke` does. Raises `ToolNotFound`, and `ToolRateLimited` if a limit is exceeded."""
        result = await self.invoke(name, ctx)
        refused = _rate_limit(result)
        if refused is not None:
            raise ToolRateLimited(name, refused.retry_after)
        return result

    async def invoke(self, name: str, ctx: ToolContext) -> ToolResult[Any]:
        """Run a tool with `ctx.raw_arg`. Every failure is a result; only cancellation is raised.

        A failure has a message for the user, unless the handler reported it by a `TagResult` without one.

        The audit of the result is that of the handler, with the `tool`, its end time (`ts`, in UTC), its duration
        (`duration_ms`), and the side effects, if any. Raises `ToolNotFound`.
        """
        line = self._tools.get(name)
        if line is None:
            raise ToolNotFound(name, nearest(name, self._tools))
        self.freeze()
        runtime = self._runtime_of(self._sources[name])
        start = self._monotonic()
        args = line.read(ctx.raw_arg)
        payload = json.dumps(ctx.raw_arg if args is None else args)  # a text is rejected: args are an object
        result = await runtime.invoke(
            ToolRequest(name=self._idents[name], payload=payload),
            meta=ToolCallMeta(user=ctx.user, attributes={_CONTEXT: replace(ctx, args=args or {})}),
        )
        took = self._monotonic() - start
        effects = {"side_effects": list(result.side_effects)} if result.side_effects else {}
        stamps = {"tool": name, "duration_ms": int(took * 1000), "ts": self._clock().astimezone(UTC).isoformat()}
        message = result.message
        if message is None and result.error is not None and result.error.code != TOOL_FAILED:
            message = f"this does not match {line.form}" if args is None else _failure(name, result)
        return replace(result, message=message, audit={**effects, **result.audit, **stamps})

    def _line(self, tool: ToolDef, args: Any = True) -> TagLine:
        """Return the line of a tool that can be added. Raises `CatalogError`."""
        if self._is_frozen:
            raise CatalogError("the registry is frozen: register tools before the first call")
        if tool.name in self._tools:
            raise CatalogError(f"{tool.name} is already registered; names must be unique")
        line = TagLine.of(tool, args)
        first = self._tags.get(tool.tag_prefix)
        if first is not None:
            raise CatalogError(
                f"the tag {tool.tag_prefix} already calls {first.tool.name}; choose another one for {tool.name}"
            )
        return line

    def _add(self, line: TagLine, ident: str, source: _Source) -> None:
        tool = line.tool
        self._tools[tool.name] = self._tags[tool.tag_prefix] = line
        self._idents[tool.name] = ident
        self._sources[tool.name] = source

    def _runtime_of(self, source: _Source) -> Runtime:
        if source.runtime is None:
            catalog = source.catalog.run_by(source.runs)
            executors = [*_registrations(catalog, source.runs)]
            source.runtime = Runtime(
                catalog,
                executors=executors,
                missing=catalog.toolsets.keys() - {each.toolset for each in executors},
                permission=self._permission,
                disabled_policies=source.disabled_policies,
                gate=None if self._gate is None else self._asking(self._gate),
                counters=self._counters,
                store=self._store,
                inject=self._inject,
                clock=self._clock,
            )
        return source.runtime

    def _asking(self, gate: TagGate) -> Callable[[CheckedCall], GateDecision | Awaitable[GateDecision]]:
        tools = {ident: self._tools[name].tool for name, ident in self._idents.items()}
        return lambda call: gate.check(tools[call.tool_name], call.meta.attributes[_CONTEXT])


def _run(tool: ToolDef) -> Execute:
    """Return a function that runs calls with the handler of a tool. Raises `CatalogError` if no call could run it."""
    handler = tool.handler
    if handler is None:
        raise CatalogError(f"{tool.name} has no handler")
    if not iscoroutinefunction(function_of(handler)):
        raise CatalogError(f"{name_of(handler)} is not async, but handlers of tag tools must be: write `async def`")
    try:
        signature(handler).bind(None)
    except TypeError as error:
        message = f"{name_of(handler)} cannot run {tool.name}: it receives only a ToolContext; {error}"
        raise CatalogError(message) from None

    async def run(_args: Any, meta: ToolCallMeta) -> ToolResult[Any]:
        context: ToolContext = meta.attributes[_CONTEXT]
        result: Any = await handler(replace(context, args={**context.args, **meta.injected}))
        if isinstance(result, TagResult):
            return result.as_tool_result()
        if not is_result(result):
            message = f"the handler returned {type(result).__name__} instead of a TagResult or a ToolResult"
            raise CallFailed(FailureKind.MALFORMED_RESULT, "malformed_result", message)
        return result

    return run


@dataclass(slots=True)
class _Source:
    """Where tools come from: their catalog, the policies in force, and what runs them, once one is called.

    `runs` has functions for tools of the catalog that something else may run elsewhere.
    """

    catalog: Catalog
    disabled_policies: Collection[str]
    runs: dict[str, Execute] = field(default_factory=dict[str, "Execute"])
    runtime: Runtime | None = None


def _definition(tool: ToolDef, ident: str) -> ToolDefinition:
    return ToolDefinition(
        name=ident,
        description=tool.description,
        input_schema={
            "type": "object",
            "properties": {name: {"type": "string"} for name in tool.arg_groups},
            "required": tool.arg_groups,
            "additionalProperties": False,
        },
        metadata={
            "cost": tool.cost,
            "gate": tool.requires_gate,
            "limits": {"cooldown_seconds": tool.cooldown_seconds, "daily_limit": tool.daily_limit},
        },
    )


def _registrations(catalog: Catalog, runs: Mapping[str, Execute]) -> Iterator[ToolsetRegistration]:
    """Yield what runs the compiled tools among these; the other tools of their toolsets cannot be called."""
    for toolset, idents in catalog.toolsets.items():
        handlers = {ident: runs[ident] for ident in idents if ident in runs}
        if handlers:
            yield ToolsetRegistration(toolset=toolset, handlers=handlers, missing=frozenset(idents) - handlers.keys())


def _rate_limit(result: ToolResult[Any]) -> ToolRateLimited | None:
    """Return the error of the limits stage; a handler may exceed other limits, which do not count here."""
    error = result.error
    is_limited = error is not None and error.kind is FailureKind.RATE_LIMITED
    return error.cause if error and is_limited and isinstance(error.cause, ToolRateLimited) else None


def _failure(name: str, result: ToolResult[Any]) -> str:
    """Describe for a person why a call failed."""
    refused = _rate_limit(result)
    if refused is not None:
        return str(ToolRateLimited(name, refused.retry_after))
    error = result.error
    if error is None:
        return ""
    return f"{error.message}: {error.hint}" if error.kind is FailureKind.INVALID_CALL else error.message
