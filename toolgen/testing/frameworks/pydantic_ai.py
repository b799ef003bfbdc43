"""A scripted model as a model of pydantic-ai. Needs the extra `pydantic-ai`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from toolgen.providers.apis.response_json import payload_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toolgen.providers.protocol import ModelReply
    from toolgen.testing.models import ScriptedModel


def model_of(script: ScriptedModel) -> FunctionModel:
    """Return a model that plays a script, also in streams."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        reply = _reply(script, messages, info)
        calls = [
            ToolCallPart(call.name, payload_text(call.payload), tool_call_id=call.tool_call_id) for call in reply.calls
        ]
        return ModelResponse(parts=[*([TextPart(reply.text)] if reply.text or not calls else []), *calls])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        reply = _reply(script, messages, info)
        if reply.text or not reply.calls:
            yield reply.text
        for index, call in enumerate(reply.calls):
            yield {index: DeltaToolCall(call.name, payload_text(call.payload), tool_call_id=call.tool_call_id)}

    return FunctionModel(answer, stream_function=stream)


def _reply(script: ScriptedModel, messages: list[ModelMessage], info: AgentInfo) -> ModelReply:
    tools = [
        {"name": tool.name, "description": tool.description or "", "parameters": tool.parameters_json_schema}
        for tool in (*info.function_tools, *info.output_tools)
    ]
    return script.reply(ModelMessagesTypeAdapter.dump_python(messages, mode="json"), {"tools": tools})
