"""Presentations: how tools are shown to a model, and how its responses are parsed as calls.

They connect a model with the pipeline, and are independent of policies and registries: they receive the candidates, and
make calls through `PresentationOps`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolgen.contract.records import NOT_OFFERED, MalformedRequest, ToolRequest
from toolgen.providers.protocol import CallAnswer
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from toolgen.contract.records import Issue, Response, ToolResult
    from toolgen.providers.protocol import Incomplete, ModelReply, OfferedTool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolListing:
    """The tools in one request to a model.

    `tools` are in the request's list of tools, in this order. `dispatchable` are the idents that a response may call:
    at least those of `tools`, and more if tools are reached indirectly. `prompt` is a section of the system prompt, or
    empty.
    """

    tools: tuple[OfferedTool, ...]
    dispatchable: Container[str]
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """One call of a response: as the model wrote it, and its resolution.

    That is a request to the pipeline, which also rejects what cannot be run. Without one, nothing was called at all, as
    by an incomplete response, and `refusal` is the answer.
    """

    asked: ToolRequest
    request: ToolRequest | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One response of a model, and its outcome. Each step returns a turn with more fields set.

    After parsing: `text` is for people, `calls` are the requested calls, and `code` is code to run. After execution:
    `results` are those of the calls that have a request, in order; for code, `calls` are the calls that it made, and
    `report` is its outcome. As feedback to the model: `answers` to its calls, and `report`, a message. `messages` are
    appended to the conversation, in the format of the provider's API.

    A turn of an `incomplete` response requests nothing that can be run, and already has its feedback.
    """

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    code: str | None = None
    results: tuple[ToolResult[Any], ...] = ()
    answers: tuple[CallAnswer, ...] = ()
    report: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    incomplete: Incomplete | None = None

    @property
    def is_final(self) -> bool:
        """Whether the model requested nothing, and is told nothing: this is its final answer."""
        return not self.calls and self.code is None and not self.report

    @property
    def made(self) -> list[tuple[RequestedCall, ToolResult[Any]]]:
        """The calls that were made, each with its result."""
        return list(zip((call for call in self.calls if call.request is not None), self.results, strict=True))


class PresentationOps(Protocol):
    """The operations of a presentation: calls through the pipeline, in its run."""

    async def call(self, requests: Sequence[ToolRequest], /, response: Response | None = None) -> list[ToolResult[Any]]:
        """Make all calls of one turn, and return a result for each, in order. Only cancellation is raised.

        `response` is the same for turns of one response.
        """
        ...


class Presentation(Protocol):
    """A way to show tools, in one conversation. Final turns are not executed."""

    def build_presentation(self) -> ToolListing:
        """Return the tool listing of the next request; the same object if nothing has changed."""
        ...

    def interpret(self, reply: ModelReply, /) -> Turn:
        """Parse a response. Runs and raises nothing: invalid parts become rejected calls."""
        ...

    async def execute(self, turn: Turn, ops: PresentationOps, /) -> Turn:
        """Execute what a response requests."""
        ...

    async def format_feedback(self, turn: Turn, /) -> Turn:
        """Add the feedback for the model."""
        ...


# Candidates: the tools that may be shown to a model in one run.


class Candidates:
    """Tools by ident, in order, loaded on access. Runs with the same effective set share it."""

    def __init__(self, idents: Iterable[str], read: Callable[[str], OfferedTool], spell: Callable[[str], str]) -> None:
        """Take the idents, a function that loads one, and a function that returns its name for the provider."""
        self._idents = dict.fromkeys(sorted(idents))
        self.idents = frozenset(self._idents)
        self._read = read
        self._spell = spell
        self._found: dict[str, OfferedTool] = {}

    def __contains__(self, ident: object) -> bool:
        return ident in self._idents

    def __iter__(self) -> Iterator[str]:
        return iter(self._idents)

    def __len__(self) -> int:
        return len(self._idents)

    def __getitem__(self, ident: str) -> OfferedTool:
        """Return one tool. Raises KeyError if it is not a candidate."""
        found = self._found.get(ident)
        if found is None:
            if ident not in self._idents:
                raise KeyError(ident)
            found = self._found[ident] = self._read(ident)
        return found

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """The idents by provider names."""
        return {self._spell(ident): ident for ident in self._idents}

    @cached_property
    def flat(self) -> ToolListing:
        """The tool listing of all candidates."""
        return ToolListing(tools=self.offered(self), dispatchable=self)

    def offered(self, idents: Iterable[str]) -> tuple[OfferedTool, ...]:
        """Return the offered tools of some idents."""
        return tuple(self[ident] for ident in idents)


# Calls in a model's response: execution and answers, shared by presentations.

_Respond: TypeAlias = "Callable[[RequestedCall, ToolResult[Any]], Awaitable[CallAnswer]]"
"""Returns the answer to one call with its result."""


def interpreted(reply: ModelReply, requested: Callable[[ToolRequest], RequestedCall]) -> Turn:
    """Convert a response to a turn, each call with `requested`; without calls it is final.

    A call whose args could not be read is one of the same tool, and stays malformed.
    """
    return Turn(text=reply.text, calls=tuple(_interpreted(call, requested) for call in reply.calls))


def _interpreted(call: ToolRequest, requested: Callable[[ToolRequest], RequestedCall]) -> RequestedCall:
    if not isinstance(call, MalformedRequest):
        return requested(call)
    found = requested(ToolRequest(name=call.tool, payload=call.payload, tool_call_id=call.tool_call_id))
    if found.request is None or isinstance(found.request, MalformedRequest) or not is_offered(found):
        return found
    return replace(found, request=replace(call, tool=found.request.name))


_CUT_OFF: Final[Mapping[Incomplete, str]] = {
    "token_limit": "nothing was called: your answer was cut off at the token limit before its calls were complete; "
    "make them again, in a shorter answer",
    "malformed_call": "nothing was called: your call was not written as the API requires; make it again",
    "stopped": "nothing was called: your answer was cut off before its calls were complete",
}


def read_turn(presentation: Presentation, reply: ModelReply) -> Turn:
    """Parse a response by a presentation. Nothing in an incomplete one is run: the model is told why."""
    turn = presentation.interpret(reply)
    return turn if reply.incomplete is None else _cut_off(turn, reply, reply.incomplete)


def _cut_off(turn: Turn, reply: ModelReply, incomplete: Incomplete) -> Turn:
    """Refuse all calls of an incomplete response, and its code. Calls that the API could not parse are not in it."""
    if turn.is_final and incomplete != "malformed_call":
        return replace(turn, incomplete=incomplete)
    refusal = _CUT_OFF[incomplete]
    return Turn(
        text=turn.text,
        calls=tuple(RequestedCall(asked=call.asked, refusal=refusal) for call in turn.calls),
        answers=tuple(_refused(RequestedCall(asked=call, refusal=refusal)) for call in reply.calls),
        report="" if reply.calls else refusal,
        incomplete=incomplete,
    )


def request(ident: str, asked: ToolRequest, payload: str | None = None) -> RequestedCall:
    """Return a requested call of a tool, with the args from the model, or with `payload`."""
    arguments = (asked.payload or "{}") if payload is None else payload
    return RequestedCall(
        asked=asked, request=ToolRequest(name=ident, payload=arguments, tool_call_id=asked.tool_call_id)
    )


def not_offered(asked: ToolRequest, name: str = "") -> RequestedCall:
    """Return a requested call of something that was not offered: the pipeline rejects and records it.

    The name may be that of a tool, so it gets a suffix that no tool name has.
    """
    return request(f"{name or asked.name}{NOT_OFFERED}", asked)


def malformed(asked: ToolRequest, tool: str, found: Issue) -> RequestedCall:
    """Return a requested call that cannot be read as one of a tool: the pipeline rejects and records it as invalid."""
    payload, call_id = asked.payload, asked.tool_call_id
    return RequestedCall(
        asked=asked, request=MalformedRequest(tool=tool, issues=(found,), payload=payload, tool_call_id=call_id)
    )


def is_offered(call: RequestedCall) -> bool:
    """Whether a call is one of an offered tool."""
    return call.request is None or not call.request.name.endswith(NOT_OFFERED)


def answer_unknown(call: RequestedCall, names: Iterable[str]) -> CallAnswer:
    """Answer a call of something that was not offered, with the closest offered names."""
    meant = nearest(call.asked.name, names)
    hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
    return CallAnswer(
        tool_call_id=call.asked.tool_call_id, name=call.asked.name, text=f"unknown tool{hint}", is_error=True
    )


async def run_calls(turn: Turn, ops: PresentationOps) -> Turn:
    """Make all executable calls of a response in one turn."""
    requests = [call.request for call in turn.calls if call.request is not None]
    return replace(turn, results=tuple(await ops.call(requests)) if requests else ())


async def answered(turn: Turn, respond: _Respond | None = None) -> Turn:
    """Answer every call: with its result, formatted by `respond`, or with why it was rejected."""
    results = iter(turn.results)
    answers: list[CallAnswer] = []
    for call in turn.calls:
        if call.request is None:
            answers.append(_refused(call))
        elif respond is None:
            answers.append(answer(call, next(results)))
        else:
            answers.append(await respond(call, next(results)))
    return replace(turn, answers=tuple(answers))


def answer(call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
    """Answer a call with its result as shown to models."""
    return CallAnswer(
        tool_call_id=call.asked.tool_call_id,
        name=call.asked.name,
        text=text_of(result),
        is_error=result.is_error,
    )


def answer_json(call: RequestedCall, value: Any, *, is_error: bool = False) -> CallAnswer:
    """Answer a call with a JSON value."""
    return CallAnswer(
        tool_call_id=call.asked.tool_call_id, name=call.asked.name, text=compact_json(value), is_error=is_error
    )


def _refused(call: RequestedCall) -> CallAnswer:
    return CallAnswer(tool_call_id=call.asked.tool_call_id, name=call.asked.name, text=call.refusal, is_error=True)


def text_of(result: ToolResult[Any]) -> str:
    """Return the text of a result for a model: text unchanged, anything else as compact JSON, one block per line."""
    return "\n".join(
        block.data if isinstance(block.data, str) else compact_json(block.data) for block in result.content
    )
