"""Models of frameworks as planners: one step of the model at a time, the calls made by the runtime."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from tests.unit.adapters.sdks import serving
from tests.unit.adapters.shop import Host
from toolgen.agents import Message, run_agent
from toolgen.agents.planner import message_as_json, message_from_json
from toolgen.runtime import allow_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]

# Frameworks take seconds to import.
pytestmark = [
    pytest.mark.xdist_group("providers"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]

SCRIPT: Any = [
    ("Let me look.", [("call_1", "store__find", {"word": "kettle"}), ("call_2", "store__gift", {})]),
    ("", [("call_3", "store__close", {})]),
    ("", [("call_4", "store__buy", {"id": 1})]),
    ("Done.", []),
]
START = (Message(role="system", content="You are a clerk."), Message(role="user", content="A kettle, please."))


def pydantic_ai(url: str) -> Any:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    from toolgen.adapters.pydantic_ai import planner

    return planner(AnthropicModel("fake", provider=AnthropicProvider(api_key="none", base_url=url)))


def openai_agents(url: str) -> Any:
    from agents import OpenAIResponsesModel
    from openai import AsyncOpenAI

    from toolgen.adapters.openai_agents import planner

    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return planner(OpenAIResponsesModel("fake", client))


class ScriptedChat(BaseChatModel):
    """Answers from a script, with a thought that must come back with its signature, and checks what it is sent."""

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


def langchain(_url: str) -> Any:
    from toolgen.adapters.langchain import planner

    return planner(ScriptedChat(script=SCRIPT))


@pytest.mark.parametrize(
    ("make", "api"),
    [(pydantic_ai, "anthropic"), (openai_agents, "openai-responses"), (langchain, "openai")],
    ids=["pydantic-ai", "openai-agents", "langchain"],
)
def test_a_model_of_a_framework_plans_a_run(load_store: LoadStore, make: Callable[[str], Any], api: str) -> None:
    """Each step has a new planner, which has only the messages, as JSON."""
    host = Host(load_store(), allow_all)
    messages: tuple[Message, ...] = START
    telemetry: list[Any] = []

    async def step() -> Any:
        planner = make(server.url)
        run = host.runtime.start_run("clerk", session=host.run.session, meta=host.run.meta)  # the one before has ended
        result = await run_agent(host.runtime, "clerk", messages, planner, run=run, max_turns=1)
        telemetry.append(dict(result.telemetry))
        return result

    with serving(api, SCRIPT) as server:
        while (result := asyncio.run(step())).stopped == "max_turns":
            stored = json.dumps([message_as_json(message) for message in result.messages])
            messages = tuple(message_from_json(message) for message in json.loads(stored))
    assert result.outcome is not None
    assert result.outcome.value == "Done."
    assert host.store.names == ["find", "gift", "buy"]
    assert asyncio.run(host.outcomes()) == [
        ("store.find", "ok"), ("store.gift", "ok"), ("store.close", "tool_not_available"), ("store.buy", "ok"),
    ]  # fmt: skip
    assert [message.content for message in result.messages if message.role == "assistant"] == ["Let me look.", "", ""]
    if make is not langchain:
        last_request = json.dumps(server.requests[-1])
        assert all(word in last_request for word in ("You are a clerk.", "red kettle", "a ribbon", "unknown tool"))
        assert ("reasoning" in last_request) is (make is openai_agents)
    if make is not openai_agents:
        assert [(each["input_tokens"], each["output_tokens"]) for each in telemetry] == [(1, 1)] * 4
