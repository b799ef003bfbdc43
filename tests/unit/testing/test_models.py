"""A scripted model: its turns for each API, what it refuses, and what it has seen."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.testing.world import catalog, orders_of
from toolgen.agents import Message, ModelPlanner, run_agent
from toolgen.contract.records import ToolRequest
from toolgen.llm import ToolUse
from toolgen.providers.protocol import ModelReply
from toolgen.providers.table import PROVIDERS, provider
from toolgen.runtime import Runtime, allow_all
from toolgen.testing import ModelRequest, ScriptedModel, ScriptError, stub_executors

if TYPE_CHECKING:
    from toolgen.runtime import Catalog

__all__ = ["catalog"]

APIS = [name for name in PROVIDERS if provider(name).turns is not None]
START = {"role": "user", "content": "refund o-1"}


class Host:
    """A runtime with stubs, and a conversation with a model."""

    def __init__(self, catalog: Catalog, name: str = "openai") -> None:
        self.stubs = stub_executors(catalog)
        self.runtime = Runtime(catalog, executors=self.stubs, permission=allow_all)
        self.conversation = ToolUse(catalog).conversation("chat", self.runtime, self.runtime.start_run(), name)

    def talk(self, model: ScriptedModel) -> Any:
        return asyncio.run(self.conversation.run(model, [START]))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", APIS)
def test_turns_become_responses_of_each_api(catalog: Catalog, name: str, stream: bool) -> None:
    if stream and provider(name).reader is None:
        with pytest.raises(ValueError, match=f"streams of {name} cannot be read"):
            ScriptedModel(provider=name, stream=True)
        return
    orders, host = orders_of(catalog), Host(catalog, name)
    model = ScriptedModel(
        orders.new_refund_call(order_id="o-1"),
        [orders.new_find_call(customer="ann"), orders.new_find_call(customer="bob")],
        ModelReply(text="one more", calls=(orders.new_refund_call(order_id="o-2"),)),
        "done",
        provider=name,
        stream=stream,
    )
    outcome = host.talk(model)
    assert (outcome.text, outcome.turns, outcome.stopped) == ("done", 4, "completed")
    assert [call.arguments for call in host.stubs.calls] == [
        {"order_id": "o-1"},
        {"customer": "ann"},
        {"customer": "bob"},
        {"order_id": "o-2"},
    ]
    assert [request.number for request in model.requests] == [0, 1, 2, 3]
    assert len(model.requests[0].offered) == len(catalog) - 1  # all but the one that a policy denies
    model.check()


@pytest.mark.parametrize("name", APIS)
def test_a_call_of_a_tool_that_was_not_offered_is_refused(catalog: Catalog, name: str) -> None:
    host = Host(catalog, name)
    with pytest.raises(ScriptError, match=r"calls 'shop\.orders\.refnud', which was not offered; did you mean shop"):
        host.talk(ScriptedModel(ToolRequest(name="shop.orders.refnud"), provider=name))
    with pytest.raises(ScriptError, match=r"shop\.orders\.purge"):
        host.talk(ScriptedModel(ToolRequest(name="shop.orders.purge"), provider=name))
    assert host.stubs.calls == ()


def test_a_function_answers_each_request(catalog: Catalog) -> None:
    orders, host = orders_of(catalog), Host(catalog)

    def play(request: ModelRequest) -> Any:
        if request.number < 2:
            assert "shop__orders__refund" in request.offered
            return orders.new_refund_call(order_id=f"o-{request.number}")
        return json.dumps(request.messages[-1])

    model = ScriptedModel(play)
    assert "refunded" in host.talk(model).text
    model.check()


def test_a_response_of_the_api_is_sent_as_it_is(catalog: Catalog) -> None:
    host = Host(catalog)
    made_up = provider("openai").turns
    assert made_up is not None
    response = made_up.response(ModelReply(calls=(ToolRequest(name="made_up", tool_call_id="c1"),)))
    outcome = host.talk(ScriptedModel(response, "sorry"))
    assert outcome.text == "sorry"
    assert "no tool is named" in json.dumps(outcome.messages) or "unknown" in json.dumps(outcome.messages)


def test_a_script_must_fit_the_number_of_requests(catalog: Catalog) -> None:
    orders, host = orders_of(catalog), Host(catalog)
    with pytest.raises(ScriptError, match="the script has 1 turns, and the model was asked once more"):
        host.talk(ScriptedModel(orders.new_find_call(customer="ann")))
    model = ScriptedModel("done", "more")
    host.talk(model)
    with pytest.raises(ScriptError, match="1 of the 2 turns"):
        model.check()
    with pytest.raises(ScriptError, match="one function and nothing else"):
        host.talk(ScriptedModel(lambda _request: "x", "done"))
    with pytest.raises(ScriptError, match="not of type int"):
        host.talk(ScriptedModel(5))  # type: ignore[arg-type]  # what type checkers refuse
    with pytest.raises(ValueError, match="mcp is not a model API"):
        ScriptedModel("done", provider="mcp")


@pytest.mark.parametrize("name", APIS)
def test_a_planner_asks_it(catalog: Catalog, name: str) -> None:
    orders, host = orders_of(catalog), Host(catalog, name)
    model = ScriptedModel(orders.new_refund_call(order_id="o-1"), "refunded", provider=name)
    messages = (Message(role="user", content="refund o-1"),)
    result = asyncio.run(run_agent(host.runtime, "", messages, ModelPlanner(model, name)))
    assert result.outcome is not None
    assert result.outcome.value == "refunded"
    host.stubs.assert_called(orders.REFUND, times=1)
