"""A chat model of LangChain that answers from a script, and checks what it is sent."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class ScriptedChat(BaseChatModel):
    """Its answers have a thought, which must come back with its signature."""

    script: list[Any]
    offered: list[Any] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_more: Any) -> Any:
        return self.model_copy(update={"offered": list(tools)})

    def _generate(self, messages: list[BaseMessage], *_: Any, **_more: Any) -> ChatResult:
        assert "store__find" in [tool["function"]["name"] for tool in self.offered]
        assert [type(message) for message in messages[:2]] == [SystemMessage, HumanMessage]
        own = [message for message in messages if isinstance(message, AIMessage)]
        for message in own:
            assert isinstance(message.content, list)
            assert message.content[0] == {"type": "thinking", "thinking": "Hm.", "signature": "s1"}
        asked = [call["id"] for message in own for call in message.tool_calls]
        assert [message.tool_call_id for message in messages if isinstance(message, ToolMessage)] == asked
        text, calls = self.script[len(own)]
        thought = {"type": "thinking", "thinking": "Hm.", "signature": "s1"}
        answer = AIMessage(
            content=[thought, *([{"type": "text", "text": text}] if text else [])],
            tool_calls=[{"id": call_id, "name": name, "args": args} for call_id, name, args in calls],
            usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
        )
        return ChatResult(generations=[ChatGeneration(message=answer)])
