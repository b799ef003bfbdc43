"""What the stages know: of a tool before its first call, of what the host decided for all, and of one call."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic_core import from_json

from toolgen.contract.records import NOTHING, PARTIAL_OUTPUT, CallContext, ToolCallMeta, ToolResult
from toolgen.runtime.calls.checked_call import CheckedCall
from toolgen.runtime.catalog.execution import Form
from toolgen.runtime.redact.call_secrets import hide_data, secrets_of_call
from toolgen.runtime.redact.warning import warn
from toolgen.schema.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from toolgen.runtime.calls.gate import Gate
    from toolgen.runtime.calls.hooks import Hook
    from toolgen.runtime.catalog.definition import Entry, ToolDefinition
    from toolgen.runtime.codec.codec import Codec
    from toolgen.runtime.events.artifacts import ArtifactStore
    from toolgen.runtime.events.trace import Trace
    from toolgen.runtime.policy.paths.policy import PathPolicy
    from toolgen.runtime.policy.permission import PermissionCallback
    from toolgen.runtime.policy.policy import Policies
    from toolgen.runtime.policy.rate_limits.protocol import Counters
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.runs.children import Child, Starts
    from toolgen.runtime.runs.run import Run

KEPT_REPORTS: Final = 100
"""How many reports of progress are kept of a call, for the case that it is aborted. Events are written of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, as its stages are bound to it."""

    definition: ToolDefinition
    entry: Entry
    args: Codec[Any]
    result: Codec[Any]
    form: Form
    secrets: Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the host decided for all tools. Timeouts are in seconds."""

    permission: PermissionCallback
    policies: Policies
    counters: Counters
    hooks: tuple[Hook, ...]
    gate: Gate | None
    inject: Mapping[str, Callable[[ToolCallMeta], Any]]
    artifacts: ArtifactStore | None
    clock: Callable[[], datetime]
    paths: Callable[[], PathPolicy]
    start_child: Callable[[Call, str, Iterable[str] | None, str | None], Child]
    permission_timeout: float
    gate_timeout: float


OnReport: TypeAlias = "Callable[[Call, str, Mapping[str, Any]], None]"
"""Told what a call says of its progress: the kind of the event, and its data."""


class Call:
    """One call: what the stages see of it. It exists where a stage, a run or a store has use for it, or it fails.

    `given` is what the executor will be given, in the form it takes, once the args are decoded. `run` is None for a
    call outside any run. A stage says in `decision` what it decided, if it is more than to let the call pass, and in
    `at_end` how to give back what it took for the time of the call. `hook` is what the hooks said, and
    `permission` what a person said beside the decision: its reason and its metadata. The executor has
    begun once the call `is_started`; `reports` are what it says of its progress, `starts` is what starts agents for it.
    `unconfirmed` is to be awaited before its result is given: it raises where the start of the call is not on record.
    `trace` is there where a record is kept.
    """

    # Defaults of the class, so that a call takes time only for what becomes of it.
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
        """Without a payload the args came typed. `context` is that of the meta."""
        self.tool = tool
        self.meta = meta
        self.run = run
        self._payload = payload
        self._context = context

    @property
    def is_typed(self) -> bool:
        """Whether the args came typed, from a program."""
        return self._payload is None

    def copy_args(self) -> Any:
        """Give typed args anew, from their JSON: what the caller does to his own from here on changes no call."""
        return self.tool.args.decode(self.arguments) if self.tool.form is Form.TYPED else self.given

    @property
    def arguments(self) -> bytes:
        """The canonical JSON of the args, as they came: nothing that a handler does to them shows here."""
        if self._arguments is None:
            if self._payload is None and self.tool.form is Form.TYPED:
                self._arguments = self.tool.args.encode(self.given)
            else:
                self._arguments = _canonical(self.given if self._payload is None else self._payload)
        return self._arguments

    @property
    def args_text(self) -> bytes | str:
        """The args as JSON text, as they came if they came so."""
        payload = self._payload
        return payload if isinstance(payload, str | bytes) else self.arguments

    @property
    def checked(self) -> CheckedCall:
        """The call as the host's own code sees it."""
        seen = self._checked
        if seen is None:
            seen = self._checked = CheckedCall(self)
        return seen

    @property
    def args(self) -> Any:
        """The args as JSON. Not to be changed."""
        if self._args is None:
            self._args = from_json(self.arguments)
        return self._args

    @property
    def has_secrets(self) -> bool:
        """Whether the call may have secrets: by the schema of its tool, or those of the call that started its run."""
        return self.tool.secrets.is_watched or (self.run is not None and self.run.secrets is not None)

    @property
    def secrets(self) -> Secrets:
        """What is secret in this call, with its values; they are collected when they are first looked for."""
        injected: Mapping[str, Any] = self.meta.injected
        if self._secrets is None or self._secrets[0] is not injected:
            is_sent = not self.is_typed or self.given is None
            payload = self._payload if is_sent else lambda: self.arguments
            above = self.run.secrets if self.run is not None else None
            self._secrets = injected, secrets_of_call(self.tool.secrets, payload, injected, above)
        return self._secrets[1]

    def begin(self, on_report: OnReport | None) -> None:
        """Say that the executor is about to begin: from here on its meta leads to the call, which may report."""
        self.is_started = True
        self._on_report = on_report
        if self._context is not None:
            self._context.call = self

    def release(self) -> None:
        """End what the call holds: its stages' own, and the way of its meta to it."""
        if self._context is not None:
            self._context.call = None
        for release in self.at_end:
            release()

    def close(self) -> None:
        """Let go of what refers to the call itself, once nobody looks at it any more: no garbage is to be collected."""
        self._checked = None

    def report(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take note of what the call says of its progress: it is what is left of it when it is aborted."""
        try:
            data = json.loads(canonical(dict(data)))  # as it is now: whoever reports may change it
        except (ValueError, TypeError) as error:
            warn("what %s reports is no JSON", self.tool.entry.ident, error=error, secrets=self.secrets)
            return
        if kind in ("tool_progress", PARTIAL_OUTPUT):
            self.reports = (*self.reports[1 - KEPT_REPORTS :], data)
        if self._on_report is not None and kind != PARTIAL_OUTPUT:
            self._on_report(self, kind, data)
        if self.run is not None and self.run.on_progress is not None and kind == "tool_progress":
            self.run.on_progress(self.meta.tool_call_id, hide_data(data, self.secrets))


def _canonical(payload: bytes | str) -> bytes:
    return canonical(from_json(payload))


Decode: TypeAlias = Callable[[Any], Any]
"""Turns a payload into what the executor takes."""

Accept: TypeAlias = Callable[[Any], Any]
"""Turns typed args into what the executor takes."""

Before: TypeAlias = Callable[[Call], Awaitable[None] | None]
"""Looks at a call before it runs, and raises an exception of `errors` where it must not."""

Encode: TypeAlias = Callable[[Any, str], ToolResult[Any]]
"""Turns what the executor gave into the result of the call with that id."""

After: TypeAlias = Callable[[Call, ToolResult[Any]], ToolResult[Any] | Awaitable[ToolResult[Any]]]
"""Looks at the result of a call after it ran, and gives it, or what it becomes."""
