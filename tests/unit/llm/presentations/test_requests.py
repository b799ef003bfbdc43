"""The tools in a request to a provider: exactly the effective set, and unchanged until it changes."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.llm.presentations.model import SteppedModel
from tests.unit.llm.presentations.shop import ACTIONS, Visit
from tests.unit.runtime.responses import RESPONSES
from toolgen.agents import Message, ModelPlanner, run_agent
from toolgen.contract.records import ToolCallMeta
from toolgen.llm import ToolUse
from toolgen.providers.protocol import MalformedResponse, UnsupportedCapability
from toolgen.providers.table import PROVIDERS
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, allow_all

if TYPE_CHECKING:
    from collections.abc import Callable

    LoadShop = Callable[[], Catalog]


def of_one_tool(schema: dict[str, Any]) -> tuple[ToolUse, Runtime]:
    catalog = Catalog()
    catalog.tool("odd.tool", description="An odd tool.", input_schema=schema, profile="full")(lambda _: None)
    return ToolUse(catalog), Runtime(catalog, permission=allow_all)


def test_reg_15_a_tool_that_a_provider_cannot_represent_is_an_error_before_the_first_request() -> None:
    tool_use, runtime = of_one_tool({"type": "object", "properties": {" asset_id ": {"type": "string"}}})
    run = runtime.start_run()
    with pytest.raises(UnsupportedCapability) as caught:
        tool_use.conversation("chat", runtime, run, "anthropic")
    assert caught.value.code == "unsupported_capability"
    assert [problem.tool for problem in caught.value.problems] == ["odd__tool"]
    assert "' asset_id '" in caught.value.problems[0].reason
    assert tool_use.conversation("chat", runtime, run, "openai").request()["tools"]


def test_reg_15_a_run_whose_tools_the_provider_cannot_have_fails_and_asks_no_model() -> None:
    catalog = of_one_tool({"type": "object", "properties": {" asset_id ": {"type": "string"}}})[0].catalog
    store = MemoryStore()
    runtime = Runtime(catalog, permission=allow_all, store=store)
    run = runtime.start_run(meta=ToolCallMeta(run_id="r1"))

    async def check() -> list[tuple[str, Any]]:
        planner = ModelPlanner(lambda _messages, _request: pytest.fail("a model was asked"), "anthropic")
        with pytest.raises(UnsupportedCapability) as caught:
            await run_agent(runtime, "", (Message(role="user", content="go"),), planner, run=run)
        assert caught.value.code == "unsupported_capability"
        return [(event.kind, event.data) for event in (await store.read("r1")).events]

    assert asyncio.run(check()) == [("run_ended", {"end_reason": "failed"})]


@pytest.mark.parametrize("provider", sorted(RESPONSES))
def test_reg_26_the_tools_of_a_request_are_the_effective_set(shop_catalog: LoadShop, provider: str) -> None:
    for is_closed, excluded in (False, set[str]()), (True, {"shop.open_safe", "shop.greet_customer"}):
        shop = Visit(shop_catalog(), "enumerate-all", allow_all, is_closed=is_closed)
        offered = SteppedModel(shop.conversation(provider), provider).offered
        effective = {ident for ident in shop.run.effective.offered if not ident.startswith("actions.")}
        assert effective == set(ACTIONS) - excluded
        assert offered == {shop.spelled(ident, provider) for ident in effective}


@pytest.mark.parametrize("presentation", ["enumerate-all", "universal-category", "retrieval", "codeact"])
def test_a_request_is_the_same_object_while_nothing_changes(shop_catalog: LoadShop, presentation: Any) -> None:
    shop = Visit(shop_catalog(), presentation, allow_all)
    conversation = shop.conversation()
    first = conversation.request()
    asyncio.run(SteppedModel(conversation).say("hi"))
    assert conversation.request() is first
    if presentation in ("enumerate-all", "universal-category"):
        shop.run = shop.runtime.start_run()
        assert shop.conversation().request() is first


def test_a_tool_choice_is_sent_beside_the_tools(shop_catalog: LoadShop) -> None:
    conversation = Visit(shop_catalog(), "enumerate-all", allow_all).conversation()
    chosen = conversation.request("named", "shop__get_price")
    assert chosen["tool_choice"] == {"type": "function", "function": {"name": "shop__get_price"}}
    assert chosen["tools"] == conversation.request()["tools"]


def test_an_invalid_response_raises_and_the_conversation_continues(shop_catalog: LoadShop) -> None:
    conversation = Visit(shop_catalog(), "enumerate-all", allow_all).conversation()
    with pytest.raises(MalformedResponse):
        asyncio.run(conversation.take({"error": {"message": "overloaded"}}))
    assert asyncio.run(SteppedModel(conversation).say("hi")).is_final


@pytest.mark.parametrize(
    ("layer", "provider", "message"),
    [("chats", "openai", "no layer 'chats'"), ("chat", "open-ai", "no provider 'open-ai'; did you mean 'openai'")],
)
def test_unknown_names_are_reported(shop_catalog: LoadShop, layer: Any, provider: str, message: str) -> None:
    shop = Visit(shop_catalog(), "enumerate-all", allow_all)
    with pytest.raises(ValueError, match=message):
        shop.tool_use.conversation(layer, shop.runtime, shop.run, provider)


def test_every_provider_has_a_sample_response() -> None:
    assert set(PROVIDERS) - set(RESPONSES) == {"mcp", "anthropic-strict"}


def test_several_calls_of_one_response_are_one_turn(shop_catalog: LoadShop) -> None:
    shop = Visit(shop_catalog(), "enumerate-all", allow_all)
    model = SteppedModel(shop.conversation())
    turn = asyncio.run(
        model.say(
            "Let me look.",
            ("shop__get_price", {"id": 1}),
            ("shop__get_price", {"id": 9}),
            ("shop__none", {}),
            ("shop__buy_good", {"id": 1}),
        )
    )
    assert turn.text == "Let me look."
    assert [result.success for result in turn.results] == [True, False, False, True]
    answers = [message for message in turn.messages if message["role"] == "tool"]
    assert [answer["tool_call_id"] for answer in answers] == ["call_1", "call_2", "call_3", "call_4"]
    assert answers[0]["content"] == "2500"
    assert json.loads(answers[3]["content"]) == {"order": 1, "cost": 2500}


def test_an_mcp_client_receives_titles_and_readonly_hints(shop_catalog: LoadShop) -> None:
    shop = Visit(shop_catalog(), "enumerate-all", allow_all)
    tools = {tool["name"]: tool for tool in shop.conversation("mcp").request()["tools"]}
    assert tools["shop__get_price"]["annotations"] == {"readOnlyHint": True, "title": "Get price"}
    assert tools["shop__buy_good"]["annotations"]["readOnlyHint"] is False


def test_injected_fields_are_in_no_request() -> None:
    catalog = Catalog()
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "tenant": False}}
    catalog.tool(
        "notes.keep", description="Keep.", input_schema=schema, metadata={"inject": ["tenant"]}, profile="full"
    )(lambda _: None)
    runtime = Runtime(catalog, permission=allow_all)
    for provider in PROVIDERS:
        conversation = ToolUse(catalog).conversation("chat", runtime, runtime.start_run(), provider)
        assert "tenant" not in json.dumps(dict(conversation.request())), provider
