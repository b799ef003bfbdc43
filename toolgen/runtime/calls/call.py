"""The data of the stages: a tool, the settings of the host, and one call; and what hooks of the host see of it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from pydantic_core import from_json

from toolgen.contract.records import NOTHING, PARTIAL_OUTPUT, CallContext, ToolCallMeta, ToolResult, setter
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.policy.path_starts import IN_PROJECT, PathStarts
from toolgen.runtime.redact.call_secrets import hide_data, hide_from_person, secrets_of_call
from toolgen.runtime.redact.warning import warn
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from datetime import datetime

    from toolgen.runtime.catalog.definition import Permission, PolicyEntry, ToolDefinition
    from toolgen.runtime.catalog.handler_signature import Handler
    from toolgen.runtime.codec.codec import Codec
    from toolgen.runtime.events.records import ArtifactStore, Trace
    from toolgen.runtime.policy.paths import PathPolicy
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.runtime.policy.policy import Policies
    from toolgen.runtime.policy.rate_limits import Counters
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.runs.children import ChildRun, Starts
    from toolgen.runtime.runs.run import Run

_TEXT: Final = (str, bytes)

KEPT_REPORTS: Final = 100
"""Maximum progress reports kept of a call in case it is aborted."""

MOST_REPORTS: Final = 1_000
MOST_REPORT_BYTES: Final = 1024 * 1024
"""Maximum reports of one kind that are kept of a call, and bytes of their JSON."""

_NOT_KEPT: Final = b'{"message":"further reports of this kind are not kept"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, to which stages are bound.

    `toolset` is its toolset as it was compiled; empty for a registered tool. `preview` returns what a call with these
    args sends, if its executor can. `hosts` are those that every call reaches, if its executor or its server says so.
    `login` returns the id of the stored login that a call would use, if its executor uses them. `handler` is the
    function of the host that runs a compiled tool, if one does. `starts` is where paths of its calls start.
    """

    definition: ToolDefinition
    entry: PolicyEntry
    args: Codec[Any]
    result: Codec[Any]
    form: Form
    secrets: Secrets
    toolset: Mapping[str, Any]
    preview: Callable[[Mapping[str, Any]], str] | None = None
    hosts: tuple[str, ...] | None = None
    login: Callable[[], str] | None = None
    handler: Handler | None = None
    starts: PathStarts = IN_PROJECT

    @property
    def access(self) -> Mapping[str, Any]:
        """What a call touches, by key: the args that name it, and the hosts that a tool of the network reaches."""
        named = self.definition.settings.access.named
        is_known = self.hosts is not None and "network" in self.entry.tags
        return {**named, "hosts": self.hosts} if is_known else named


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The settings of the host for all tools. Timeouts are in seconds."""

    permission: PermissionCallback
    policies: Policies
    counters: Counters
    hooks: tuple[Hook, ...]
    gate: Gate | None
    inject: Mapping[str, Callable[[ToolCallMeta], Any]]
    artifacts: ArtifactStore | None
    clock: Callable[[], datetime]
    paths: Callable[[], PathPolicy]
    start_child: Callable[[Call, str, Iterable[str] | None, str | None], ChildRun]
    permission_timeout: float
    gate_timeout: float


OnReport: TypeAlias = "Callable[[Call, str, Mapping[str, Any]], None]"
"""Receives a progress report of a call: the kind of the event, and its data."""


class Call:
    """One call, as stages see it. Created only if a stage, a run or a store needs it, or if the call fails.

    `given` is the executor's argument, in the form it takes, once the args are decoded. `run` is None for a call
    outside of runs. A stage sets `decision` if it decided more than to let the call pass, and `at_end` to release what
    it holds during the call. `hook` is the outcome of the hooks, and `permission` the reason and the metadata of the
    permission decision. The executor has begun once the call `is_started`; `reports` are its progress reports, `starts`
    starts agents for it. `unconfirmed` must be awaited before the result is returned: it raises if the start of the
    call cannot be recorded. `trace` is set if there is a store.
    """

    # Class-level defaults: creating a call sets only what differs.
    given: Any = None
    trace: Trace | None = None
    decision: str = ""
    hook: str = ""
    permission: Mapping[str, Any] = NOTHING
    starts: Starts | None = None
    unconfirmed: Awaitable[None] | None = None
    is_started: bool = False
    at_end: tuple[Callable[[], None], ...] = ()
    reports: tuple[Mapping[str, Any], ...] = ()
    _reported: dict[str, tuple[int, int]] | None = None
    _arguments: bytes | None = None
    _args: Any = None
    _checked: CheckedCall | None = None
    _on_report: OnReport | None = None
    _secrets: tuple[Mapping[str, Any], Secrets] | None = None

    def __init__(
        self,
        tool: Tool,
        meta: ToolCallMeta,
        run: Run | None,
        payload: bytes | str | None,
        context: CallContext | None = None,
    ) -> None:
        """Without a payload the args are typed. `context` is that of the meta."""
        self.tool = tool
        self.meta = meta
        self.run = run
        self._payload = payload
        self._context = context

    @property
    def is_typed(self) -> bool:
        """Whether the args are typed, from a program."""
        return self._payload is None

    def copy_args(self) -> Any:
        """Return a copy of typed args, from their JSON: later changes by the caller do not affect the call."""
        return self.tool.args.decode(self.arguments) if self.tool.form is Form.TYPED else self.given

    @property
    def arguments(self) -> bytes:
        """The canonical JSON of the args as received: changes by a handler do not affect it."""
        if self._arguments is None:
            if self._payload is None and self.tool.form is Form.TYPED:
                self._arguments = self.tool.args.encode(self.given)
            else:
                self._arguments = _canonical(self.given if self._payload is None else self._payload)
        return self._arguments

    @property
    def args_text(self) -> bytes | str:
        """The args as JSON text; as received, if they were received as text."""
        payload = self._payload
        return payload if isinstance(payload, _TEXT) else self.arguments

    @property
    def checked(self) -> CheckedCall:
        """The call as the host's code sees it."""
        seen = self._checked
        if seen is None:
            seen = self._checked = CheckedCall(self)
        return seen

    @property
    def args(self) -> Any:
        """The args as JSON. Must not be modified."""
        if self._args is None:
            self._args = from_json(self.arguments)
        return self._args

    @property
    def has_secrets(self) -> bool:
        """Whether the call may have secrets: by the schema of its tool, or those of the call that started its run."""
        return self.tool.secrets.is_watched or (self.run is not None and self.run.secrets is not None)

    @property
    def secrets(self) -> Secrets:
        """The secrets of this call, with their values, which are collected on first use."""
        injected: Mapping[str, Any] = self.meta.injected
        if self._secrets is None or self._secrets[0] is not injected:
            is_sent = not self.is_typed or self.given is None
            payload = self._payload if is_sent else lambda: self.arguments
            above = self.run.secrets if self.run is not None else None
            self._secrets = injected, secrets_of_call(self.tool.secrets, payload, injected, above)
        return self._secrets[1]

    def begin(self, on_report: OnReport | None) -> None:
        """Mark the call as started: from here on its meta is linked to it, and it may report progress."""
        self.is_started = True
        self._on_report = on_report
        if self._context is not None:
            self._context.call = self

    def release(self) -> None:
        """Release what stages hold for the call, and the link from its meta; its run is told what is secret in it."""
        if self.run is not None and self.run.on_secrets is not None:
            self.run.on_secrets(self.meta.tool_call_id, self.secrets)
        if self._context is not None:
            self._context.call = None
        for release in self.at_end:
            release()

    def close(self) -> None:
        """Clear references to the call itself when it is no longer used, to avoid cyclic garbage."""
        self._checked = None

    def report(self, kind: str, data: Mapping[str, Any]) -> None:
        """Keep a progress report, which is shown if the call is aborted."""
        try:
            text = canonical(dict(data))
        except (ValueError, TypeError) as error:
            warn("the progress report of %s is not JSON", self.tool.entry.ident, error=error, secrets=self.secrets)
            return
        if kind != PARTIAL_OUTPUT:
            if self._reported is None:
                self._reported = {}
            count, size = self._reported.get(kind, (0, 0))
            if count > MOST_REPORTS:
                return
            count, size = count + 1, size + len(text)
            if count > MOST_REPORTS or size > MOST_REPORT_BYTES:
                count, text = MOST_REPORTS + 1, _NOT_KEPT
            self._reported[kind] = count, size
        data = json.loads(text)  # a copy: the caller may change it
        if kind in ("tool_progress", PARTIAL_OUTPUT):
            self.reports = (*self.reports[1 - KEPT_REPORTS :], data)
        if self._on_report is not None and kind != PARTIAL_OUTPUT:
            self._on_report(self, kind, data)
        if self.run is not None and self.run.on_progress is not None and kind == "tool_progress":
            self.run.on_progress(self.meta.tool_call_id, hide_data(data, self.secrets))


def _canonical(payload: bytes | str) -> bytes:
    return canonical(from_json(payload))


Decode: TypeAlias = Callable[[Any], Any]
"""Converts a payload to the executor's argument."""

Accept: TypeAlias = Callable[[Any], Any]
"""Converts typed args to the executor's argument."""

Before: TypeAlias = Callable[[Call], Awaitable[None] | None]
"""Checks a call before it runs, and raises an exception of `errors` to end it."""

Encode: TypeAlias = Callable[[Any, str], ToolResult[Any]]
"""Converts the executor's return value to the result of the call with that id."""

After: TypeAlias = Callable[[Call, ToolResult[Any]], ToolResult[Any] | Awaitable[ToolResult[Any]]]
"""Processes the result of a call after it ran, and returns it or its replacement."""


# A call as the host's code (hooks and the eval gate) sees it. Nothing they do to it changes the call.


class CheckedCall:
    """One call whose args fit their schema."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def tool(self) -> ToolDefinition:
        """The definition of the tool; costs and similar facts are in its metadata."""
        return self._call.tool.definition

    @property
    def tool_name(self) -> str:
        """The ident of the tool."""
        return self._call.tool.entry.ident

    @property
    def permission(self) -> Permission:
        """`readonly` or `write`."""
        return self._call.tool.entry.permission

    @property
    def tags(self) -> Set[str]:
        """The tags of the tool, including its permission."""
        return self._call.tool.definition.tags

    @property
    def arguments(self) -> bytes:
        """The canonical JSON of the args, without injected fields and including secrets: must not be shown."""
        return self._call.arguments

    @property
    def summary(self) -> str:
        """The args on one line, safe to show to a person or a model: as in `PermissionRequest.summary`."""
        from toolgen.runtime.redact.shown_args import summary  # few hooks show args

        return summary(hide_from_person(self._call.args, self._call.secrets))

    @property
    def meta(self) -> ToolCallMeta:
        """The context of the call."""
        return self._call.meta


# The eval gate: an approver that knows what a call costs. It fails open, and cannot override a denial.


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class GateDecision:
    """The answer of a gate. The reason of a refusal is shown to the model."""

    approved: bool
    reason: str = ""

    def __init__(self, *, approved: bool, reason: str = "") -> None:
        # As dataclasses would write it, and a third faster.
        _set_approved(self, approved)
        _set_reason(self, reason)


_set_approved, _set_reason = setter(GateDecision, "approved"), setter(GateDecision, "reason")


Gate: TypeAlias = "Callable[[CheckedCall], GateDecision | Awaitable[GateDecision]]"


@dataclass(frozen=True, slots=True)
class Denial:
    """A denial by a hook. The reason is shown to the model."""

    reason: str


class Hook(Protocol):
    """Callbacks before and after a call.

    A hook that fails before a call denies it; one that fails after it is logged.
    """

    def pre_tool_use(self, call: CheckedCall, /) -> Denial | Awaitable[Denial | None] | None:
        """Check a call before permission is requested; a `Denial` ends it."""
        ...

    def post_tool_use(self, call: CheckedCall, result: ToolResult[Any], /) -> Awaitable[None] | None:
        """Receive the result of a call that was executed, whether it succeeded or failed."""
        ...
