"""The bridge: what every adapter does. It lists the tools of a run, and makes each call through the runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.llm.conversation import provider_named
from toolgen.llm.presentations.enumerate_all import EnumerateAll
from toolgen.llm.presentations.protocol import read_turn, text_of
from toolgen.llm.presentations.retrieval import Retrieval
from toolgen.llm.tool_use import ToolUse
from toolgen.providers.lenient import convert_schema
from toolgen.providers.protocol import ModelReply, UnsupportedCapability
from toolgen.providers.schema_dialects import MCP, OPENAI
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.calls.result import PROPOSED
from toolgen.runtime.policy.approval import answered, ask_before_call, question_data, question_id
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import checked_proposal, proposal_text
from toolgen.runtime.runs.run import Session
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.contract.records import Response, ToolResult
    from toolgen.llm.presentations.protocol import Presentation, ToolListing, Turn
    from toolgen.providers.protocol import Incomplete, OfferedTool
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Run

ContextT = TypeVar("ContextT")

_DIALECTS = {"openai": OPENAI, "mcp": MCP}

_DENIED = "permission was denied"

_NOT_RUN = frozenset(
    {
        FailureKind.INVALID_CALL,
        FailureKind.TOOL_NOT_AVAILABLE,
        FailureKind.PERMISSION_DENIED,
        FailureKind.RATE_LIMITED,
        FailureKind.DOMAIN_REJECTION,
        FailureKind.SKIPPED,
    }
)
"""Failures of calls that did nothing."""

_NOT_SENT = frozenset({"host_unreachable", "server_unreachable", "limits_unavailable"})
"""Codes of calls that did nothing because what they need cannot be reached."""

_META_FIELDS = tuple(field.name for field in fields(ToolCallMeta))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptedCall:
    """One call as the framework gave it: read by the presentation, with its meta and what it would ask first.

    `scope` is what the id of the call is unique in, for a framework whose calls outlive a run; else the run.
    """

    turn: Turn
    meta: ToolCallMeta
    question: PermissionRequest | None
    scope: str = ""

    @property
    def question_id(self) -> str:
        """The id of the question, which an answer has to name; empty without a question."""
        return "" if self.question is None else question_id(self.question, self.scope)

    @property
    def asks(self) -> bool:
        """Whether a framework asks a person whom it does not name: not what only people who are known may allow."""
        return self.question is not None and not self.question.obstacle(None)

    @property
    def identity(self) -> str:
        """What only a repetition of the call has too: a digest of who makes it, its scope and id, its tool and args.

        The contract of the tool is that of the runtime, which does not change.
        """
        call = self.turn.calls[0]
        request = call.request or call.asked
        who = self.meta.user, self.meta.session_id
        return sha256(
            repr((self.scope, who, call.asked.tool_call_id, request.name, request.payload)).encode()
        ).hexdigest()

    def proposal_problem(self, decision: PermissionDecision) -> str:
        """Return why the proposal of an answer cannot be given to the model; empty if it can, or there is none."""
        if self.question is None or decision.proposal is None:
            return ""
        try:
            self.question.check_proposal(decision.proposal)
        except InvalidPayload as error:
            return str(error)
        return ""

    def question_data(self) -> dict[str, Any]:
        """Return the question as JSON, with its id, to show or store it. Secrets are redacted."""
        assert self.question is not None
        return question_data(self.question, self.scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """What came of a call: the text for the model, and the result; None if the call was refused unread."""

    text: str
    is_error: bool
    result: ToolResult[Any] | None

    @property
    def is_invalid(self) -> bool:
        """Whether the model should correct the call."""
        kind = self.result.error.kind if self.result is not None and self.result.error is not None else None
        return self.is_error and kind in (None, FailureKind.INVALID_CALL)

    @property
    def data(self) -> Any:
        """What the model is shown, as JSON: the value of a result that is shown as it is, else the text."""
        if self.result is None or self.is_error or text_of(self.result) != self.text:
            return self.text
        blocks = self.result.content
        return blocks[0].data if len(blocks) == 1 and blocks[0].type == "json" else self.text

    @property
    def artifact(self) -> dict[str, str] | None:
        """The value for the program, as its framework may store it: `typed_result` reads it. None if it is cut.

        It has texts only: what frameworks store loses its types, and MessagePack has no large integers.
        """
        if self.result is None or not self.result.shown_payload:
            return None
        return {"tool": self.result.tool_name, "value": self.result.shown_payload.decode()}


class Bridge(Generic[ContextT]):
    """The tools of one run, for one framework, whose calls come with a context of type `ContextT`.

    `presentation` is what shows the tools (`ToolUse.presentation`), all of them by default. `meta` returns the meta of
    a call by its context; fields that it leaves out are those of the run. `lists_once` is for frameworks that read the
    list of tools only at the start.

    Raises ValueError for a presentation that the framework cannot work with.
    """

    def __init__(
        self,
        runtime: Runtime,
        run: Run,
        meta: Callable[[ContextT], ToolCallMeta] | None = None,
        presentation: Presentation | None = None,
        provider: str = "openai",
        *,
        lists_once: bool = False,
    ) -> None:
        self._runtime = runtime
        self._run = run
        self._meta = meta
        self._presentation = (
            EnumerateAll(ToolUse(runtime.catalog).candidates(run, provider)) if presentation is None else presentation
        )
        self._provider = provider
        listing = self._presentation.build_presentation()
        if not listing.tools and listing.prompt:
            raise ValueError("the presentation lists no tools, so a framework cannot call any: use a `Conversation`")
        if lists_once and isinstance(presentation, Retrieval):
            raise ValueError(
                "the presentation `retrieval` adds tools to the list as they are found, and this framework lists the "
                "tools once: use `enumerate-all` or `universal-category`"
            )
        self._listed: tuple[ToolListing, tuple[OfferedTool, ...]] | None = None

    @property
    def prompt(self) -> str:
        """The section of the system prompt about tools; empty if the list of tools is enough."""
        return self._presentation.build_presentation().prompt

    @property
    def tools(self) -> tuple[OfferedTool, ...]:
        """The tools that a model is shown now, the same object until they change.

        Raises `UnsupportedCapability` for a tool whose args no API takes.
        """
        listing = self._presentation.build_presentation()
        if self._listed is None or self._listed[0] is not listing:
            self._listed = listing, tuple(self._converted(tool) for tool in listing.tools)
        return self._listed[1]

    async def read(
        self,
        name: str,
        payload: bytes | str,
        call_id: str,
        context: ContextT,
        scope: str = "",
        incomplete: Incomplete | None = None,
    ) -> AdaptedCall:
        """Read a call. `payload` is JSON text, `call_id` the framework's own id of the call, or empty.

        `incomplete` is why the response of the call is, where the framework knows.
        """
        asked = ToolRequest(name=name, payload=payload, tool_call_id=call_id or f"call_{token_hex(8)}")
        turn = read_turn(self._presentation, ModelReply(calls=(asked,), incomplete=incomplete))
        meta = self._meta_of(context)
        request = turn.calls[0].request
        asks = request is not None and self._runtime.permission is ask_before_call
        question = await self._runtime.permission_request(request, self._run, meta=meta) if asks and request else None
        return AdaptedCall(turn=turn, meta=meta, question=question, scope=scope)

    async def make(self, call: AdaptedCall, decision: PermissionDecision | None = None) -> CallOutcome:
        """Make a call. `decision` is the framework's answer to its question. Only cancellation is raised."""
        if call.turn.incomplete is not None:
            (refused,) = call.turn.answers
            return CallOutcome(text=refused.text, is_error=True, result=None)
        question = call.question
        with nullcontext() if question is None or decision is None else answered(question, decision):
            done = await self._presentation.execute(call.turn, _Calls(self._runtime, self._run, call.meta))
        (answer,) = (await self._presentation.format_feedback(done)).answers
        result = done.results[0] if done.results else None
        return CallOutcome(text=answer.text, is_error=answer.is_error, result=result)

    def may_call(self, call: AdaptedCall) -> bool:
        """Whether the run may call the tool now: it offers the tool, and is not over."""
        request = call.turn.calls[0].request
        ident = None if request is None else self._runtime.catalog.resolve(request.name)
        return ident is not None and ident in self._run.effective and not self._run.progress.is_over

    def may_have_run(self, outcome: CallOutcome) -> bool:
        """Whether a call took effect, or may have: it failed amid its work, and its tool is not idempotent."""
        result = outcome.result
        if result is None or result.error is None:
            return result is not None
        if result.error.kind in _NOT_RUN or result.error.code in _NOT_SENT:
            return False
        entry = self._runtime.catalog.entries.get(result.tool_name)
        return entry is None or not entry.is_repeatable

    async def record_denial(self, name: str, payload: str, call_id: str, context: ContextT, reason: str) -> None:
        """Put a call on record that the framework did not make, because its question was answered with a denial.

        `reason` is what the framework told the model, as `denial_message` writes it, or any other text. It takes the
        pipeline up to its question, in a session without grants, so that nothing else can answer.
        """
        text, is_proposal, proposed = reason.rpartition(f"\n{PROPOSED}")
        proposal = _object_of(proposed) if is_proposal else None
        decision = PermissionDecision(
            decision=Decision.DENY, reason=reason if proposal is None else text, proposal=proposal
        )
        ungranted = copy(self)
        ungranted._run = replace(self._run, session=Session())  # noqa: SLF001  # it is a copy of this one
        call = await ungranted.read(name, payload, call_id, context)
        if call.question is not None:
            await ungranted.make(call, decision)

    def _meta_of(self, context: ContextT) -> ToolCallMeta:
        of_run = self._run.meta
        if self._meta is None:
            return of_run
        given = self._meta(context)
        unset = {name: getattr(of_run, name) for name in _META_FIELDS if not getattr(given, name)}
        return given.with_fields(**unset)

    def _converted(self, tool: OfferedTool) -> OfferedTool:
        args, problems, _ = convert_schema(tool.name, tool.args, _DIALECTS[self._provider])
        if problems:
            raise UnsupportedCapability(provider_named(self._provider).name, problems)
        return replace(tool, args=args)


def typed_result(runtime: Runtime, artifact: Mapping[str, str] | None) -> Any:
    """Return the typed value of a result by what a framework has of it beside the text for the model, also stored.

    `artifact` has the ident of the tool, and the value as JSON text; None for a failure, and for a result that is too
    large to be shown: the text says where all of it is. Then this returns None too. Raises `ToolNotFound` and
    `InvalidPayload` for an artifact of other specs than those of the runtime.
    """
    if artifact is None:
        return None
    return runtime.catalog.codec(artifact["tool"], "result").decode(artifact["value"])


def denial_message(runtime: Runtime, name: str, reason: str = "", proposal: Any = None) -> str:
    """Return what a model is told of a denial with a proposal, where a framework takes a text from who denies a call.

    `name` is that of the tool as the framework has it, `proposal` are args that would be allowed. The text is the
    reason and, as the last line, the proposal, as in a denial that the runtime tells. The record has both as data.
    Raises `InvalidPayload` for a proposal that does not fit the tool.
    """
    if proposal is None:
        return reason
    ident = runtime.catalog.resolve(name)
    codec = None if ident is None else runtime.catalog.codec(ident, "args")
    return f"{reason or _DENIED}\n{PROPOSED}{proposal_text(checked_proposal(codec, proposal))}"


def _object_of(text: str) -> dict[str, Any] | None:
    try:
        value: Any = parse(text)
    except NotJson:
        return None
    return value if is_object(value) else None


@dataclass(frozen=True, slots=True)
class _Calls:
    """Makes the calls that a presentation asks for. Frameworks give one call at a time."""

    runtime: Runtime
    run: Run
    meta: ToolCallMeta

    async def call(self, requests: Sequence[ToolRequest], response: Response | None = None) -> list[ToolResult[Any]]:
        assert response is None, "no presentation of an adapter makes several turns"
        return [await self.runtime.invoke_apart(request, meta=self.meta, run=self.run) for request in requests]
