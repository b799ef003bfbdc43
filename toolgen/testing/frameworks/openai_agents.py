"""A scripted model as a model of OpenAI Agents. Needs the extra `openai-agents`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import FunctionTool, Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from toolgen.providers.apis.response_json import payload_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agents import Handoff, Tool

    from toolgen.testing.models import ScriptedModel


class _Model(Model):
    """Plays a script."""

    def __init__(self, script: ScriptedModel) -> None:
        self._script = script

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  # the name is the framework's
        model_settings: Any,
        tools: list[Tool],
        output_schema: Any,
        handoffs: list[Handoff[Any, Any]],
        tracing: Any,
        **_more: Any,
    ) -> ModelResponse:
        output = self._output(system_instructions, input, tools, handoffs)
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Any,  # noqa: A002  # the name is the framework's
        model_settings: Any,
        tools: list[Tool],
        output_schema: Any,
        handoffs: list[Handoff[Any, Any]],
        tracing: Any,
        **_more: Any,
    ) -> AsyncIterator[Any]:
        response = Response(
            id="response",
            created_at=0,
            model="scripted",
            object="response",
            output=self._output(system_instructions, input, tools, handoffs),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)

    def _output(self, system: str | None, said: Any, tools: list[Tool], handoffs: list[Handoff[Any, Any]]) -> list[Any]:
        named = [
            (tool.name, tool.description, tool.params_json_schema) for tool in tools if isinstance(tool, FunctionTool)
        ]
        named += [(each.tool_name, each.tool_description, each.input_json_schema) for each in handoffs]
        offered = [
            {"type": "function", "name": name, "description": description, "parameters": schema}
            for name, description, schema in named
        ]
        messages = [{"role": "user", "content": said}] if isinstance(said, str) else said
        fields = {"tools": offered, **({"instructions": system} if system else {})}
        reply = self._script.reply(messages, fields)
        calls = [
            ResponseFunctionToolCall(
                type="function_call", name=call.name, call_id=call.tool_call_id, arguments=payload_text(call.payload)
            )
            for call in reply.calls
        ]
        text: Any = ResponseOutputText(type="output_text", text=reply.text, annotations=[])
        message = ResponseOutputMessage(
            id="message", type="message", role="assistant", status="completed", content=[text]
        )
        return [*([message] if reply.text or not calls else []), *calls]


def model_of(script: ScriptedModel) -> Model:
    """Return a model that plays a script; its streams have one event."""
    return _Model(script)
