"""A conversation with one model: the tools of each request, and the calls of each response."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeGuard

from toolgen.contract.records import ContentBlock, FailureKind, MalformedRequest
from toolgen.llm.presentations.protocol import RequestedCall, read_turn, text_of
from toolgen.providers.protocol import NotRestored, OfferedTool, UnsupportedCapability, request_fields
from toolgen.providers.table import PROVIDERS
from toolgen.providers.table import provider as provider_of
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.calls.result import error_text
from toolgen.runtime.issues.issue_text import issue
from toolgen.runtime.runs.run import check_not_ended
from toolgen.schema.compact import model_args_schema
from toolgen.schema.json_values import compact_json, is_object

if TYPE_CHECKING:
    from toolgen.contract.records import Response, ToolRequest, ToolResult
    from toolgen.llm.presentations.protocol import Presentation, PresentationOps, ToolListing, Turn
    from toolgen.providers.protocol import ChoiceMode, Incomplete, ModelReply, Provider, ToolPayload
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.runs.run import Run
    from toolgen.runtime.telemetry import TracedOperation

# The loop of a conversation: ask the model, make its calls, tell it the results, until it has nothing more to ask.

AskModel: TypeAlias = Callable[[list[dict[str, Any]], Mapping[str, Any]], Any]
"""The host's own call of an SDK, given the messages and the members of the request that list the tools.

It returns the response, an object of the SDK or plain JSON, or an async iterator of the events of its stream. It is
sync, then it runs in a thread, or async, or an async generator.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """Some text of the model, as it comes. Without a stream it is the text of the whole response."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequested:
    """A call that the model asked for, complete, before it is made.

    The calls of code come while it runs; `call.asked` is then the request.
    """

    call: RequestedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """One response was taken, and its calls were made. `turn.messages` are to be kept, for a restart."""

    number: int
    turn: Turn


ConversationEvent: TypeAlias = TextDelta | CallRequested | TurnEnded
OnEvent: TypeAlias = Callable[[ConversationEvent], Awaitable[None] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationResult:
    """How a conversation went. `messages` are all of it, those that were given first.

    `text` is that of the last response. `stopped` is why it ended: the model had nothing more to ask (`completed`), the
    API cut its last text off (`incomplete`), the bound was reached (`max_turns`), or the run was aborted. After
    `max_turns`, `run(ask, outcome.messages)` goes on.
    """

    text: str
    messages: list[dict[str, Any]]
    turns: int
    stopped: Literal["completed", "incomplete", "max_turns", "aborted"]


async def response_of(ask: AskModel, messages: list[dict[str, Any]], request: Mapping[str, Any]) -> Any:
    """Call `ask`; return the response as plain JSON, or an async iterator of events."""
    if inspect.iscoroutinefunction(ask) or inspect.isasyncgenfunction(ask):
        response = ask(messages, request)
    else:
        response = await asyncio.to_thread(ask, messages, request)
    if inspect.isawaitable(response):
        response = await response
    return response if is_stream(response) else plain_json(response)


def is_stream(response: Any) -> TypeGuard[AsyncIterable[Any]]:
    """Whether a response comes as the events of a stream."""
    return isinstance(response, AsyncIterable)


async def read_stream(provider: Provider, events: AsyncIterator[Any], on_text: Callable[[str], Awaitable[None]]) -> Any:
    """Read a streamed response to its end; return it as plain JSON. The stream is closed whatever happens.

    Raises `UnsupportedCapability` for a provider whose streams cannot be read, and `MalformedResponse`.
    """
    reader = provider.stream_reader()
    try:
        async for event in events:
            text = reader.add(plain_json(event))
            if text:
                await on_text(text)
    finally:
        close = getattr(events, "aclose", None) or getattr(events, "close", None)
        if close is not None:
            await close()
    return reader.response()


def plain_json(value: Any) -> dict[str, Any]:
    """Return a response or an event of an SDK as plain JSON, without members that are null. Raises TypeError."""
    if is_object(value):
        return value
    dump: Any = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(
            f"`ask` gave a {type(value).__qualname__}: return the response of the SDK, its JSON as a dict, or an async "
            "iterator of the events of its stream"
        )
    dumped: dict[str, Any] = dump(mode="json", exclude_none=True, warnings=False)
    return dumped


# Observed requests: the requests of a conversation to its model, in spans, if the runtime has telemetry.


class Observed:
    """The spans of one conversation with a provider. Without a run, or its telemetry, they do nothing."""

    def __init__(self, run: Run | None, provider: Provider) -> None:
        self._run: Final = run
        self._telemetry: Final = None if run is None else run.telemetry
        self._provider: Final = provider

    @contextmanager
    def conversation(self) -> Generator[Callable[[str], None]]:
        """Be in the span of the run; yields a function that takes why the conversation stopped."""
        if self._telemetry is None or self._run is None:
            yield _ignore
            return
        with self._telemetry.agent_run(self._run) as operation:
            yield lambda stopped: None if stopped == "completed" else operation.failed(stopped)

    @contextmanager
    def request(self) -> Generator[Callable[[Mapping[str, Any], Turn], None]]:
        """Be in the span of a request; yields a function that takes the response, and how it was read."""
        if self._telemetry is None:
            yield _ignore
            return
        with self._telemetry.model_request(self._provider.telemetry_name) as operation:
            yield lambda response, turn: self._describe(operation, response, turn)

    def _describe(self, operation: TracedOperation, response: Mapping[str, Any], turn: Turn) -> None:
        from toolgen.runtime.telemetry.operation import OUTPUT_MESSAGES, RESPONSE_MODEL

        model = next((response[name] for name in ("model", "modelVersion", "model_version") if response.get(name)), "")
        if model and isinstance(model, str):
            operation.labels[RESPONSE_MODEL] = model
            operation.set({RESPONSE_MODEL: model})
        turns = self._provider.turns
        tokens = turns.tokens_of(response) if turns is not None else {}
        operation.used(tokens.get("input_tokens"), tokens.get("output_tokens"))
        if self._telemetry is not None and self._telemetry.contents and operation.is_recording:
            operation.set({OUTPUT_MESSAGES: compact_json([self._answer(turn)])})

    def _answer(self, turn: Turn) -> dict[str, Any]:
        """Return what a model answered, as the conventions have it, without the args of its calls."""
        from toolgen.runtime.redact.call_secrets import hide_data
        from toolgen.runtime.redact.secrets import NO_SECRETS

        parts = [{"type": "text", "content": turn.text}] if turn.text else []
        parts += [{"type": "tool_call", "id": call.asked.tool_call_id, "name": call.asked.name} for call in turn.calls]
        complete = "stop" if turn.is_final else "tool_call"
        reason = complete if turn.incomplete is None else _FINISH_REASONS[turn.incomplete]
        answer = {"role": "assistant", "parts": parts, "finish_reason": reason}
        hidden: dict[str, Any] = hide_data(
            answer, NO_SECRETS._replace(values=None if self._run is None else self._run.secrets)
        )
        return hidden


_FINISH_REASONS: Final[Mapping[Incomplete, str]] = {
    "token_limit": "length",
    "malformed_call": "error",
    "stopped": "content_filter",
}


def _ignore(*_: object) -> None:
    pass


class Conversation:
    """The exchange with one model, with one presentation. Created by `ToolUse.conversation`; not for concurrent use."""

    def __init__(
        self,
        presentation: Presentation,
        provider: Provider,
        ops: PresentationOps,
        payload_of: Callable[[ToolListing], ToolPayload],
        run: Run | None = None,
    ) -> None:
        self._presentation = presentation
        self._provider = provider
        self._ops = ops
        self._payload_of = payload_of
        self._run = run
        self._observed = Observed(run, provider)
        self._last: tuple[ToolListing, ToolPayload] | None = None

    @property
    def prompt(self) -> str:
        """The section of the system prompt about tools; empty if the list of tools is enough."""
        return self._presentation.build_presentation().prompt

    def request(self, choice: ChoiceMode | None = None, name: str = "") -> Mapping[str, Any]:
        """Return the members of the next request with the tools, such as `{"tools": [...]}`.

        `choice` is whether the model may or must call tools; with `named`, `name` is the tool that it must call.

        Must not be modified: without changes and choice it is the same object. Raises `UnsupportedCapability` for a
        choice that the API does not support, and for too many tools.
        """
        payload = self._payload()
        if choice is None:
            return payload.fields
        return request_fields(payload, self._provider.tool_choice(choice, name))

    async def run(
        self,
        ask: AskModel,
        messages: Iterable[Mapping[str, Any]],
        *,
        max_turns: int = 20,
        on_event: OnEvent | None = None,
    ) -> ConversationResult:
        """Ask the model, make its calls and tell it the results, until it asks for nothing more, at most `max_turns`.

        `ask` is the host's own call of an SDK. `messages` are those of the API, and are not changed; `on_event`, sync
        or async, is told of text, calls and turns. Cancelling it cancels `ask` and the calls that run. Raises what
        `ask` and `on_event` raise, `MalformedResponse`, TypeError for what is no response, and `RunEnded` once the run
        has ended; the turns before have been told to `on_event`.
        """
        if max_turns < 1:
            raise ValueError(f"max_turns is {max_turns}; it must be at least 1")
        history = [dict(message) for message in messages]
        with self._observed.conversation() as stopped:
            result = await self._loop(ask, history, max_turns, on_event)
            stopped(result.stopped)
        return result

    async def _loop(
        self, ask: AskModel, history: list[dict[str, Any]], max_turns: int, on_event: OnEvent | None
    ) -> ConversationResult:
        text = ""
        for number in range(1, max_turns + 1):
            if self._is_aborted:
                return ConversationResult(text=text, messages=history, turns=number - 1, stopped="aborted")
            if self._run is not None:
                check_not_ended(self._run)
            request = self.request()
            with self._observed.request() as answered:
                response = await response_of(ask, list(history), request)
                is_stream = isinstance(response, AsyncIterable)
                if is_stream:
                    response = await read_stream(
                        self._provider, aiter(response), lambda delta: _tell(on_event, TextDelta(text=delta))
                    )
                asked = self._interpret(response)
                answered(response, asked)
            if asked.text and not is_stream:
                await _tell(on_event, TextDelta(text=asked.text))
            for call in asked.calls if asked.incomplete is None else ():
                await _tell(on_event, CallRequested(call=call))
            ops = self._ops if asked.code is None else _ToldOps(self._ops, on_event)
            turn = await self._finish(response, asked, ops)
            text = turn.text
            history += turn.messages
            await _tell(on_event, TurnEnded(number=number, turn=turn))
            if turn.is_final:
                ended: Literal["completed", "incomplete"] = "completed" if turn.incomplete is None else "incomplete"
                return ConversationResult(text=text, messages=history, turns=number, stopped=ended)
        stopped: Literal["aborted", "max_turns"] = "aborted" if self._is_aborted else "max_turns"
        return ConversationResult(text=text, messages=history, turns=max_turns, stopped=stopped)

    @property
    def _is_aborted(self) -> bool:
        return self._run is not None and self._run.progress.is_aborted

    async def take(self, response: Mapping[str, Any]) -> Turn:
        """Execute the calls of a response. `response` is that of the API, as plain JSON.

        Errors of calls are reported to the model. Raises `MalformedResponse` if it is not a response.
        """
        return await self._finish(response, self._interpret(response), self._ops)

    def _interpret(self, response: Mapping[str, Any]) -> Turn:
        return read_turn(self._presentation, restored(self._provider.read(response), self._payload()))

    async def _finish(self, response: Mapping[str, Any], turn: Turn, ops: PresentationOps) -> Turn:
        """Make the calls of a turn that was read, and write the messages that follow."""
        if not turn.is_final and turn.incomplete is None:
            payload = self._payload()
            done = await self._presentation.execute(turn, ops)
            turn = await self._presentation.format_feedback(with_errors_as_sent(done, payload))
        return replace(turn, messages=self._provider.messages(response, turn.answers, turn.report))

    def _payload(self) -> ToolPayload:
        listing = self._presentation.build_presentation()
        if self._last is None or self._last[0] is not listing:
            payload = self._payload_of(listing)
            if payload.problems:
                raise UnsupportedCapability(self._provider.name, payload.problems)
            self._last = (listing, payload)
        return self._last[1]


class _ToldOps:
    """The operations of code, which tell of each call before they make it. Implements `PresentationOps`."""

    def __init__(self, ops: PresentationOps, on_event: OnEvent | None) -> None:
        self._ops: Final = ops
        self._on_event: Final = on_event

    async def call(self, requests: Sequence[ToolRequest], /, response: Response | None = None) -> list[ToolResult[Any]]:
        """Make the calls. Raises what `on_event` raises."""
        for request in requests:
            await _tell(self._on_event, CallRequested(call=RequestedCall(asked=request, request=request)))
        return await self._ops.call(requests, response)


async def _tell(on_event: OnEvent | None, event: ConversationEvent) -> None:
    waiting = on_event(event) if on_event is not None else None
    if inspect.isawaitable(waiting):
        await waiting


# Tools as they are offered to a model, and the args of its calls as the tools have them.


def offered_tool(definition: ToolDefinition, name: str) -> OfferedTool:
    """Return a tool as a model is shown it, under a name, without the fields that the host injects."""
    return OfferedTool(
        ident=definition.name,
        name=name,
        title=definition.title,
        description=definition.description,
        permission=definition.permission,
        tags=frozenset(definition.tags),
        args=model_args_schema(definition.input_schema, definition.settings.inject),
        result=definition.result_schema,
    )


def restored(reply: ModelReply, payload: ToolPayload) -> ModelReply:
    """Convert the args of calls from the provider's schemas back to those of the tools.

    A call whose args cannot be converted becomes a malformed one.
    """
    if not payload.restorers:
        return reply
    return replace(reply, calls=tuple(_restored(call, payload) for call in reply.calls))


def _restored(call: ToolRequest, payload: ToolPayload) -> ToolRequest:
    try:
        return replace(call, payload=payload.restore(call.name, call.payload))
    except NotRestored as error:
        found = issue(error.pointer, "json", "args that can be converted", error.found, error.hint)
        return MalformedRequest(tool=call.name, issues=(found,), payload=call.payload, tool_call_id=call.tool_call_id)


def with_errors_as_sent(turn: Turn, payload: ToolPayload) -> Turn:
    """Show errors of invalid args in the form of the provider's schema: what the model sent is not repeated."""
    if not payload.projectors:
        return turn
    made = turn.made
    return replace(turn, results=tuple(_as_sent(call, result, payload) for call, result in made)) if made else turn


def _as_sent(call: RequestedCall, result: ToolResult[Any], payload: ToolPayload) -> ToolResult[Any]:
    error = result.error
    if error is None or error.kind is not FailureKind.INVALID_CALL or text_of(result) != error_text(error):
        return result
    if call.request is None or call.request.payload != call.asked.payload:  # of a target, with other args
        return result
    shown = replace(error, prior_input="", example=payload.project(call.asked.name, error.example))
    return replace(result, blocks=(ContentBlock(type="text", data=error_text(shown)),))


def provider_named(name: str) -> Provider:
    """Return a provider. Raises ValueError for an unknown one."""
    if name not in PROVIDERS:
        meant = nearest(name, PROVIDERS, count=1)
        hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(PROVIDERS)}"
        raise ValueError(f"there is no provider {name!r}; {hint}")
    return provider_of(name)
