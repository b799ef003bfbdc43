"""The records of one call: the request, its caller, and the result."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar, cast

# Setters of attributes, for constructors of frozen classes that are written by hand.


def setter(kind: type, name: str) -> Callable[[Any, Any], None]:
    """Return what sets a slot of instances of a class, also of a frozen one; `__dict__` sets all attributes."""
    return cast("Callable[[Any, Any], None]", vars(kind)[name].__set__)


ResultT = TypeVar("ResultT")
ResultT_co = TypeVar("ResultT_co", covariant=True)

_new = object.__new__


class _Nothing(Mapping[str, Any]):
    """An immutable empty mapping, which all records can share."""

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
    """The type of `ABSENT`, which marks an omitted argument; `None` would be sent as null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


PARTIAL_OUTPUT: Final = "partial_output"
"""The kind of report that a cancelled call makes of its output so far."""


NOT_OFFERED: Final = " (not offered)"
"""Suffix of a request's name for something that the model was not offered.

No tool has such a name. The pipeline rejects it, and records which tool the name before the suffix refers to, if any.
"""


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ToolRequest:
    """One call as requested by a model or a program; not validated.

    `payload` is JSON text. An empty `tool_call_id` gets one from the runtime.
    """

    name: str
    payload: bytes | str = b"{}"
    tool_call_id: str = ""

    def __init__(self, *, name: str, payload: bytes | str = b"{}", tool_call_id: str = "") -> None:
        # As dataclasses would write it, and a third faster: one is made of every call.
        _set_name(self, name)
        _set_payload(self, payload)
        _set_call_id(self, tool_call_id)


_set_name, _set_payload, _set_call_id = (setter(ToolRequest, name) for name in ("name", "payload", "tool_call_id"))


MALFORMED: Final = " (malformed)"
"""Suffix of the name of a `MalformedRequest`. No tool has such a name, so it reaches none."""


@dataclass(frozen=True, kw_only=True, init=False)
class MalformedRequest(ToolRequest):
    """One call that cannot be read as that of a tool, though a model made it: the pipeline rejects and records it.

    `tool` is what it was to call, as far as that is known, and the name follows from it. `issues` say what is wrong, as
    of any invalid call.
    """

    tool: str
    issues: tuple[Issue, ...]

    def __init__(
        self,
        *,
        tool: str,
        issues: tuple[Issue, ...],
        payload: bytes | str = b"{}",
        tool_call_id: str = "",
        name: str = "",  # `dataclasses.replace` passes it
    ) -> None:
        ToolRequest.__init__(self, name=f"{tool}{MALFORMED}", payload=payload, tool_call_id=tool_call_id)
        object.__setattr__(self, "tool", tool)
        object.__setattr__(self, "issues", issues)


class CallContext:
    """The link from the meta of a call to the running call.

    The meta is frozen and has this from the start; the pipeline sets `call` when the handler begins, and clears it
    when the call has ended.
    """

    __slots__ = ("call",)

    def __init__(self) -> None:
        self.call: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ancestor:
    """A run above another one: its compiled agent (empty if it has none), its ids, its call that started the next."""

    agent: str
    agent_id: str
    run_id: str
    tool_call_id: str


@dataclass(frozen=True, kw_only=True)
class ToolCallMeta:
    """The context of a call: user, session, run and so on. Every handler receives it.

    All ids are opaque text. `ancestors` are the runs above that of the call, from the first, which no call started, to
    the parent. `granted` are resolved paths that a person allowed for this call, in addition to those that policies
    allow. `was_asked` says whether a person was asked about this call, so that time has passed since it was checked.
    `login` is the stored login that they were asked about, if its executor has one; None if they were not asked.
    `injected` are the fields that the host injects, by name: they may be secret, and are not in its `repr`.
    `idempotency_key`, if not empty, is the same whenever an engine makes the same call again, and of no other call.
    `fencing_token`, if an engine gives one, is greater than those of all earlier executions of the run: who has seen a
    greater one for the run refuses the call, which comes from a process that has lost the run and does not know it.
    `attributes` belongs to the host and is never read.
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
    ancestors: tuple[Ancestor, ...] = ()
    granted: tuple[str, ...] = ()
    was_asked: bool = False
    login: str | None = None
    injected: Mapping[str, Any] = field(default=NOTHING, repr=False)
    idempotency_key: str = ""
    fencing_token: int | None = None
    attributes: Mapping[str, Any] = NOTHING

    def report(self, data: Mapping[str, Any], kind: str = "tool_progress") -> None:
        """Report progress: an event in the record of the run, whose data is a JSON object.

        Reports are shown to the model if the call is aborted. A report of kind `PARTIAL_OUTPUT` is only for that case
        and is not an event. Reports after the end of the call are ignored.
        """
        call = running_call(self)
        if call is not None:
            call.report(kind, data)

    def with_fields(self, **fields: Any) -> ToolCallMeta:
        """Return a copy for the same call, with other values in some fields."""
        meta = _new(ToolCallMeta)
        meta.__dict__.update(self.__dict__, **fields)
        return meta

    def __getstate__(self) -> dict[str, Any]:
        return _fields_of(self)

    # Created for every call. A frozen class sets fields slowly, so fields with their default are not set.

    def for_call(self, tool_call_id: str, context: CallContext | None = None) -> ToolCallMeta:
        """Return a copy for another call, without the fields that belong to this call."""
        meta = _new(ToolCallMeta)
        fields = self.__dict__.copy()
        fields["tool_call_id"] = tool_call_id
        if "_context" in fields or fields.get("injected", NOTHING) is not NOTHING:
            for name in _OF_ONE_CALL:
                fields.pop(name, None)
        if context is not None:
            fields["_context"] = context
        _set_fields(meta, fields)
        return meta

    @property
    def is_of_a_call(self) -> bool:
        """Whether it belongs to a running call: calls that its handler makes need other ids."""
        return running_call(self) is not None


_set_fields = setter(ToolCallMeta, "__dict__")

_COUNTED_AS: Final = "_counted_as"
_OF_ONE_CALL: Final = (
    "_context",
    "granted",
    "was_asked",
    "login",
    "injected",
    "idempotency_key",
    "fencing_token",
    _COUNTED_AS,
)

ANONYMOUS: Final = ToolCallMeta()
"""The meta of calls without one."""


def running_call(meta: ToolCallMeta) -> Any:
    """Return the running call of a meta; None before its handler begins, after its end, and outside of calls."""
    context: CallContext | None = meta.__dict__.get("_context")
    return None if context is None else context.call


def as_one_call(meta: ToolCallMeta, identity: str) -> ToolCallMeta:
    """Return a copy for a call that an engine may make again: limits count all attempts with this identity once.

    It is no field: a copy that a handler makes for calls of its own, in any way, does not have it.
    """
    return meta.with_fields(**{_COUNTED_AS: identity})


def counted_as(meta: ToolCallMeta) -> str:
    """Return what limits count a call as: the same for all attempts of it; empty for one that no engine makes."""
    identity: str = meta.__dict__.get(_COUNTED_AS, "")
    return identity


def _fields_of(record: ToolCallMeta | ToolError) -> dict[str, Any]:
    """Return the fields of a record that can be copied and pickled, without those bound to the process."""
    return {name: value for name, value in record.__dict__.items() if not name.startswith("_")}


@dataclass(slots=True)
class Response:
    """A response of a model whose calls are made in several turns, as its code makes them: whether one was denied."""

    was_denied: bool = False


class FailureKind(StrEnum):
    """Why a call failed. Closed: later versions add codes, not kinds."""

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
    """One error of a payload.

    `pointer` is the JSON pointer of the value (RFC 6901, empty for the root) or of the field that is missing, `keyword`
    the JSON Schema keyword that rejects it, `hint` how to fix it, in terms that a model can act on.
    """

    pointer: str
    keyword: str
    expected: str
    found: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class ToolError:
    """Why a call failed: a kind to branch on, an open code, a message for a reader, and the issues.

    `retry_after` is in seconds, if waiting helps. For an invalid call, `prior_input` is the payload, truncated (empty
    if it was the service that rejected the args), and `example` are valid args, both as JSON text. `proposal` are
    the args that who denied the call would allow, as JSON text without secrets. `cause` is the exception, if there was
    one: it stays in the process, and is not a field, because exceptions can often be neither copied nor pickled.
    """

    message: str
    kind: FailureKind = FailureKind.INTERNAL
    code: str = ""
    issues: tuple[Issue, ...] = ()
    hint: str = ""
    retry_after: float | None = None
    prior_input: str = ""
    example: str = ""
    proposal: str = ""

    @property
    def cause(self) -> BaseException | None:
        """The exception that ended the call."""
        cause: BaseException | None = self.__dict__.get("_cause")
        return cause

    def caused_by(self, cause: BaseException) -> ToolError:
        """Return the same error with a cause."""
        error = replace(self)
        error.__dict__["_cause"] = cause
        return error

    def __getstate__(self) -> dict[str, Any]:
        return _fields_of(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryHint:
    """How to correct a call: why it failed, the JSON pointers of the args that are wrong, and valid args as JSON text.

    The issues of the error say what is wrong with each. There are no pointers if the payload is wrong as a whole, such
    as text that is not JSON.
    """

    reason: str
    fields: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentBlock:
    """One block of what a model is shown: `type` is `text` (data: str), `json` (any JSON) or `artifact_ref` (str)."""

    type: str
    data: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How a page of results relates to all results.

    It has `returned` items of `total` (None if unknown). If it is `truncated`, there is a `next_cursor` for the next
    call, or a `refinement_hint` on how to narrow the request.
    """

    returned: int
    truncated: bool = False
    total: int | None = None
    next_cursor: str | None = None
    refinement_hint: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolResult(Generic[ResultT_co]):
    """How one call ended. Either `value` (on success) or `error` is meaningful, never both.

    `tool_name` is the canonical ident; the runtime sets it and `tool_call_id`. The name in the request is in
    `metadata["raw_tool_name"]`. `payload` is the encoded result: compact JSON, empty on failure. `blocks` is what the
    model is shown if that is not simply the payload. `message` is for people, or None.
    `side_effects` describe what was done (`created:notes/a.md`), `audit` is a JSON object for the record, `telemetry`
    one with figures, `server_data` typed data by name, for timelines and evidence: none of these is sent to the model.
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
        """Whether the call ran and returned a result that fits its schema."""
        return self.error is None

    @property
    def is_error(self) -> bool:
        """The opposite of `success`."""
        return self.error is not None

    @property
    def retry_hint(self) -> RetryHint | None:
        """How to correct an invalid call; None for other results.

        A call is invalid if its args do not fit the schema, or if the service itself rejected them and the tool has
        `retry_hints`. The model is shown the same.
        """
        error = self.error
        if error is None or not error.issues or error.kind is not FailureKind.INVALID_CALL:
            return None
        fields = tuple(dict.fromkeys(issue.pointer for issue in error.issues if issue.pointer))
        return RetryHint(reason=error.message, fields=fields, example=error.example)

    @property
    def is_cut(self) -> bool:
        """Whether the result is too large to be shown, so that `content` has its beginning, and where the rest is."""
        return bool(self.blocks and self.metadata.get("truncated"))

    @property
    def shown_payload(self) -> bytes:
        """The payload, for what sends or stores the value beside `content`; empty if it is cut, and on failure."""
        return b"" if self.is_cut else self.payload

    @property
    def content(self) -> tuple[ContentBlock, ...]:
        """What the model is shown: `blocks`, or else the payload as one block: `text` for a string, else `json`."""
        if self.blocks or not self.payload:
            return self.blocks
        data = json.loads(self.payload)
        return (ContentBlock(type="text" if isinstance(data, str) else "json", data=data),)


Returns: TypeAlias = "ResultT | ToolResult[ResultT] | Awaitable[ResultT | ToolResult[ResultT]]"
"""What a handler returns: its result, or a `ToolResult` with more fields, or an awaitable of either."""


class ToolExecutor(Protocol):
    """Runs the tools of one toolset, given validated, canonical JSON."""

    def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any] | Awaitable[ToolResult[Any]]:
        """Run one call; `request.name` is the ident.

        A result may have a typed `value`, or only a `payload`; the runtime encodes and validates it in both cases.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsetRegistration:
    """Assigns handlers or an executor to a toolset; `Runtime(executors=[...])` takes a list of them.

    Exactly one of `handlers` (ident -> function of typed args and meta) and `executor` is set.
    `inline` calls run in the caller's loop even if an engine schedules others; with `decode_in_executor` the executor
    receives the raw JSON, validated but not decoded. `missing` are idents of the toolset that have no executor here: no
    run has them. `preview` returns what a call of an ident with these args sends, such as `GET https://host/items/5`,
    for a person who is asked about the call. It raises `CallFailed` for a call that the executor refuses.
    `under` is for executors that keep to policies themselves, such as those of commands: a runtime calls
    it with its policies, and uses the registration that it returns. `folder` is where relative paths of calls start,
    for executors of files and programs: a runtime asks about the same paths. `home` is what `~` stands for there, for
    executors that expand it; of others a runtime judges both what it may stand for. `server` is the MCP server that
    gets the calls, as a spec has it, with the folder `cwd` in which a program runs: a person who is asked is shown this
    one. `hosts` has, by ident, the hosts that every call reaches, for executors that send calls to a URL, and those of
    their token endpoints: policies judge these. `login` returns the id of the stored login that a call would use, empty
    without one: an answer is for it.
    """

    toolset: str
    handlers: Mapping[str, Callable[[Any, ToolCallMeta], Any]] | None = None
    executor: ToolExecutor | None = None
    inline: bool = False
    decode_in_executor: bool = False
    missing: frozenset[str] = frozenset()
    preview: Callable[[str, Mapping[str, Any]], str] | None = None
    under: Callable[[Any], ToolsetRegistration] | None = None
    folder: str = ""
    home: str = ""
    server: Mapping[str, Any] | None = None
    hosts: Mapping[str, tuple[str, ...]] | None = None
    login: Callable[[], str] | None = None
