"""The records of one call: what is asked, who asks, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)

_new = object.__new__


class _Nothing(Mapping[str, Any]):
    """An empty mapping that nobody can fill, so that all records can share it."""

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "{}"


NOTHING: Final[Mapping[str, Any]] = _Nothing()


class Absent(StrEnum):
    """The type of `ABSENT`: an argument that is left out, where `None` would be sent as null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


PARTIAL_OUTPUT: Final = "partial_output"
"""What a call reports when it is cancelled: what there is of its output."""


NOT_OFFERED: Final = " (not offered)"
"""What the name of a request ends in that means something a model was not offered.

No tool can be called so. The pipeline refuses it, and puts on record which tool the name before it means, if any.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One call as a model or a program asks for it; nothing in it has been checked.

    `payload` is JSON text. An empty `tool_call_id` gets one from the runtime.
    """

    name: str
    payload: bytes | str = b"{}"
    tool_call_id: str = ""


class CallContext:
    """What leads from the meta of a call to the call itself: None until its handler begins, and once it is over.

    The meta is frozen and holds this from the start; whoever runs the call sets and clears `call`.
    """

    __slots__ = ("call",)

    def __init__(self) -> None:
        self.call: Any = None


@dataclass(frozen=True, kw_only=True)
class ToolCallMeta:
    """In whose name a call runs. Comes with every call and reaches every handler.

    All ids are opaque text. `granted` are resolved paths that somebody allowed for this call, beyond what policies do.
    `injected` are the fields that the tool's spec has the host fill, by name: they may be secret, and no part of its
    `repr`. `attributes` is the host's own, carried along and never read.
    """

    tool_call_id: str = ""
    user: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    agent_id: str | None = None
    agent_role: str | None = None
    parent_agent_id: str | None = None
    parent_run_id: str | None = None
    parent_tool_call_id: str | None = None
    granted: tuple[str, ...] = ()
    injected: Mapping[str, Any] = field(default=NOTHING, repr=False)
    attributes: Mapping[str, Any] = NOTHING

    def report(self, data: Mapping[str, Any], kind: str = "tool_progress") -> None:
        """Say how far the call is: an event in the record of its run, whose data is a JSON object.

        It is shown to the model if the call is aborted; what is reported as `PARTIAL_OUTPUT` is for that case alone,
        and no event. Once the call is over nobody listens.
        """
        call = running_call(self)
        if call is not None:
            call.report(kind, data)

    def with_fields(self, **fields: Any) -> ToolCallMeta:
        """The same meta of the same call, with other values in some fields."""
        meta = _new(ToolCallMeta)
        meta.__dict__.update(self.__dict__, **fields)
        return meta

    def __getstate__(self) -> dict[str, Any]:
        return _fields_of(self)

    # One of these is made for every call, and a frozen class sets fields slowly; those with a default need not be set.

    def for_call(self, tool_call_id: str, context: CallContext | None = None) -> ToolCallMeta:
        """The same, for that call: without what is another call's own."""
        meta = _new(ToolCallMeta)
        fields = meta.__dict__
        fields.update(self.__dict__)
        fields["tool_call_id"] = tool_call_id
        if "_context" in fields or fields.get("injected", NOTHING) is not NOTHING:
            for name in ("_context", "granted", "injected"):
                fields.pop(name, None)
        if context is not None:
            fields["_context"] = context
        return meta

    @property
    def is_of_a_call(self) -> bool:
        """Whether a call runs under it: one that its handler makes has to have an id of its own."""
        return running_call(self) is not None


ANONYMOUS: Final = ToolCallMeta()
"""What a call comes with that was made in nobody's name."""


def running_call(meta: ToolCallMeta) -> Any:
    """Return the call that runs under a meta; None before its handler begins, once it is over, and outside of any."""
    context: CallContext | None = meta.__dict__.get("_context")
    return None if context is None else context.call


def _fields_of(record: ToolCallMeta | ToolError) -> dict[str, Any]:
    """What of a record can be copied and pickled: its fields, and not what it holds of the process."""
    return {name: value for name, value in record.__dict__.items() if not name.startswith("_")}


class FailureKind(StrEnum):
    """Why a call has no result. Closed: later versions add codes, not kinds."""

    INVALID_CALL = "invalid_call"
    TOOL_NOT_AVAILABLE = "tool_not_available"
    PERMISSION_DENIED = "permission_denied"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    DOMAIN_REJECTION = "domain_rejection"
    UNAVAILABLE = "unavailable"
    MALFORMED_RESULT = "malformed_result"
    ABORTED = "aborted"
    SKIPPED = "skipped"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing that is wrong with a payload.

    `pointer` is the JSON pointer of the value (RFC 6901, empty for the root), `keyword` the JSON Schema keyword
    that refuses it, `hint` what to do about it, in words a model can act on.
    """

    pointer: str
    keyword: str
    expected: str
    found: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class ToolError:
    """Why a call failed: a kind to branch on, an open code, a message for a reader, and the issues.

    `retry_after` is in seconds, where waiting helps. Where a call was invalid, `prior_input` is what was sent, cut to a
    bound, and `example` args that fit, both as JSON text. `cause` is the exception behind it, if there was one: it
    stays in the process, and is no field, for exceptions can often be neither copied nor pickled.
    """

    message: str
    kind: FailureKind = FailureKind.INTERNAL
    code: str = ""
    issues: tuple[Issue, ...] = ()
    hint: str = ""
    retry_after: float | None = None
    prior_input: str = ""
    example: str = ""

    @property
    def cause(self) -> BaseException | None:
        """The exception that ended the call."""
        cause: BaseException | None = self.__dict__.get("_cause")
        return cause

    def caused_by(self, cause: BaseException) -> ToolError:
        """The same, with a cause."""
        error = replace(self)
        error.__dict__["_cause"] = cause
        return error

    def __getstate__(self) -> dict[str, Any]:
        return _fields_of(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentBlock:
    """One block of what a model is shown: `type` is `text` (data: str), `json` (any JSON) or `artifact_ref` (str)."""

    type: str
    data: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a result that is a page says of the whole.

    `returned` items of `total` (None where that is not known); where it is `truncated`, there is a `next_cursor` to
    call again with, or a `refinement_hint` on how to ask for less.
    """

    returned: int
    truncated: bool = False
    total: int | None = None
    next_cursor: str | None = None
    refinement_hint: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolResult(Generic[ResultT_co]):
    """How one call ended. Exactly one of `value` (on success) and `error` counts.

    `tool_name` is the canonical ident, which the runtime sets, as it does `tool_call_id`; the name as it was asked for
    is `metadata["raw_tool_name"]`. `payload` is the encoded result: compact JSON, empty on failure. `blocks` is what a
    model is shown where that is not simply the payload. `message` is for people, None says nothing to them.
    `side_effects` are words on what was done (`created:notes/a.md`), `audit` a JSON object for the record, `telemetry`
    one with figures, `server_data` typed data by name, for timelines and evidence: none of these reaches a model.
    `bounds` are those of a page, for tools that are `bounded`.
    """

    tool_name: str = ""
    tool_call_id: str = ""
    value: ResultT_co | None = None
    error: ToolError | None = None
    payload: bytes = b""
    blocks: tuple[ContentBlock, ...] = ()
    message: str | None = None
    side_effects: tuple[str, ...] = ()
    audit: Mapping[str, Any] = NOTHING
    telemetry: Mapping[str, Any] = NOTHING
    server_data: Mapping[str, Any] = NOTHING
    bounds: Bounds | None = None
    metadata: Mapping[str, Any] = NOTHING

    @property
    def success(self) -> bool:
        """Whether the call ran and gave a result that fits its schema."""
        return self.error is None

    @property
    def is_error(self) -> bool:
        """The opposite of `success`."""
        return self.error is not None

    @property
    def content(self) -> tuple[ContentBlock, ...]:
        """What a model is shown: `blocks`, or else the payload as one block: `text` for a string, `json` otherwise."""
        if self.blocks or not self.payload:
            return self.blocks
        data = json.loads(self.payload)
        return (ContentBlock(type="text" if isinstance(data, str) else "json", data=data),)


Returns: TypeAlias = "ResultT | ToolResult[ResultT] | Awaitable[ResultT | ToolResult[ResultT]]"
"""What a handler gives: its result, or that with what there is to say beside it; now, or to be awaited."""


class ToolExecutor(Protocol):
    """What runs the tools of one toolset, given checked, canonical JSON."""

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        """Run one call; `request.name` is the ident.

        A result may carry a typed `value`, or a `payload` alone; the runtime encodes and checks it either way.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsetRegistration:
    """Ties a toolset to what runs it; `Runtime(executors=[...])` takes a list of them.

    Exactly one of `handlers` (ident -> function of typed args and meta) and `executor` is set.
    `inline` calls run in the caller's loop even where an engine schedules others; with `decode_in_executor`
    the executor gets the raw JSON as it came, checked against the schema but not decoded. `missing` are idents of the
    toolset that nothing runs here: no run has them.
    """

    toolset: str
    handlers: Mapping[str, Callable[[Any, ToolCallMeta], Any]] | None = None
    executor: ToolExecutor | None = None
    inline: bool = False
    decode_in_executor: bool = False
    missing: frozenset[str] = frozenset()
