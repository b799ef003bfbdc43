"""Calls in a model's response: execution and answers, shared by presentations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.llm.presentations.protocol import RequestedCall, Turn
from toolgen.providers.protocol import CallAnswer
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.llm.presentations.protocol import PresentationOps
    from toolgen.providers.protocol import ModelReply


Respond: TypeAlias = "Callable[[RequestedCall, ToolResult[Any]], Awaitable[CallAnswer]]"
"""Returns the answer to one call with its result."""


def interpreted(reply: ModelReply, requested: Callable[[ToolRequest], RequestedCall]) -> Turn:
    """Convert a response to a turn, each call with `requested`; without calls it is final."""
    return Turn(text=reply.text, calls=tuple(requested(call) for call in reply.calls))


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


async def answered(turn: Turn, respond: Respond | None = None) -> Turn:
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
