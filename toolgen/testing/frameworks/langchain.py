"""A scripted model as a chat model of LangChain. Needs the extra `langchain`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from toolgen.providers.apis.response_json import payload_text

if TYPE_CHECKING:
    from toolgen.testing.models import ScriptedModel


class ScriptedChatModel(BaseChatModel):
    """Plays a script. `offered` are the tools that it was bound to, in the form of OpenAI."""

    script: Any
    offered: list[dict[str, Any]] = []

    @property
    def _llm_type(self) -> str:
        return "toolgen-scripted"

    def bind_tools(self, tools: Any, **_more: Any) -> Any:
        """Return the same model with tools."""
        return self.model_copy(update={"offered": [convert_to_openai_tool(tool) for tool in tools]})

    def _generate(self, messages: list[BaseMessage], *_: Any, **_more: Any) -> ChatResult:
        said: Any = convert_to_openai_messages(messages)
        reply = self.script.reply(said, {"tools": self.offered} if self.offered else {})
        calls: list[Any] = []
        invalid: list[Any] = []
        for call in reply.calls:
            text = payload_text(call.payload)
            try:
                args = json.loads(text)
            except ValueError:
                args = None
            if isinstance(args, dict):
                calls.append({"name": call.name, "args": args, "id": call.tool_call_id})
            else:
                invalid.append({"name": call.name, "args": text, "id": call.tool_call_id, "error": None})
        answer = AIMessage(reply.text, tool_calls=calls, invalid_tool_calls=invalid)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def model_of(script: ScriptedModel) -> ScriptedChatModel:
    """Return a model that plays a script; its streams have one chunk."""
    return ScriptedChatModel(script=script)
