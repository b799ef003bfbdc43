"""Calls in a model's answer: how presentations that take them run them, and what they say of each afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.llm.presentations.protocol import RequestedCall, Turn
from toolgen.providers.messages import CallAnswer
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from toolgen.contract.records import ToolResult
    from toolgen.llm.presentations.protocol import Ops
    from toolgen.providers.messages import ModelReply


Told: TypeAlias = "Callable[[RequestedCall, ToolResult[Any]], Awaitable[CallAnswer]]"
"""Says to a model what came of one call."""


def interpreted(reply: ModelReply, requested: Callable[[ToolRequest], RequestedCall]) -> Turn:
    """Read an answer, each call of it by `requested`; one without calls is the last word."""
    return Turn(text=reply.text, calls=tuple(requested(call) for call in reply.calls))


def request(ident: str, asked: ToolRequest, payload: str | None = None) -> RequestedCall:
    """Ask for a call of a tool, with the args as the model wrote them, or others."""
    arguments = (asked.payload or "{}") if payload is None else payload
    return RequestedCall(
        asked=asked, request=ToolRequest(name=ident, payload=arguments, tool_call_id=asked.tool_call_id)
    )


def not_offered(asked: ToolRequest, name: str = "") -> RequestedCall:
    """Ask for what a model was not offered: the pipeline knows no such tool, and has it on record.

    The name may be that of a tool all the same; so it is put as no tool can be called.
    """
    return request(f"{name or asked.name}{NOT_OFFERED}", asked)


def is_offered(call: RequestedCall) -> bool:
    """Whether a call was read as one of something that was offered."""
    return call.request is None or not call.request.name.endswith(NOT_OFFERED)


def answer_unknown(call: RequestedCall, names: Iterable[str]) -> CallAnswer:
    """Answer a call of what was not offered, by the nearest of the names that were."""
    meant = nearest(call.asked.name, names)
    hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
    return CallAnswer(
        tool_call_id=call.asked.tool_call_id, name=call.asked.name, text=f"unknown tool{hint}", is_error=True
    )


async def run_calls(turn: Turn, ops: Ops) -> Turn:
    """Have all calls of an answer made that can be, at once."""
    requests = [call.request for call in turn.calls if call.request is not None]
    return replace(turn, results=tuple(await ops.call(requests)) if requests else ())


async def answered(turn: Turn, told: Told | None = None) -> Turn:
    """Answer every call: by what it came to, as `told` says it, or by why it was refused."""
    results = iter(turn.results)
    answers: list[CallAnswer] = []
    for call in turn.calls:
        if call.request is None:
            answers.append(_refused(call))
        elif told is None:
            answers.append(answer(call, next(results)))
        else:
            answers.append(await told(call, next(results)))
    return replace(turn, answers=tuple(answers))


def answer(call: RequestedCall, result: ToolResult[Any]) -> CallAnswer:
    """Answer a call by the result as it is shown to models."""
    return CallAnswer(
        tool_call_id=call.asked.tool_call_id,
        name=call.asked.name,
        text=text_of(result),
        is_error=result.is_error,
    )


def answer_json(call: RequestedCall, value: Any, *, is_error: bool = False) -> CallAnswer:
    """Answer a call by a JSON value."""
    return CallAnswer(
        tool_call_id=call.asked.tool_call_id, name=call.asked.name, text=compact_json(value), is_error=is_error
    )


def _refused(call: RequestedCall) -> CallAnswer:
    return CallAnswer(tool_call_id=call.asked.tool_call_id, name=call.asked.name, text=call.refusal, is_error=True)


def text_of(result: ToolResult[Any]) -> str:
    """Return what a model is shown of a result: text as it is, anything else as compact JSON, a block a line."""
    return "\n".join(
        block.data if isinstance(block.data, str) else compact_json(block.data) for block in result.content
    )
