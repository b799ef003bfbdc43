"""Planners that ask by the SDKs of OpenAI, Anthropic and Google, with fakes of their APIs that check each request."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.adapters.sdks import ASKS, serving
from tests.unit.adapters.shop import Host
from toolgen.agents import Message, ModelPlanner, run_agent
from toolgen.agents.planner import message_as_json, message_from_json
from toolgen.runtime import allow_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]

# SDKs take seconds to import.
pytestmark = pytest.mark.xdist_group("providers")

SCRIPT: Any = [
    ("Let me look.", [("call_1", "store__find", {"word": "k"})]),
    ("", [("call_2", "store__find", {"word": "kettle"}), ("call_3", "store__gift", {})]),
    ("", [("call_4", "store__close", {})]),
    ("", [("call_5", "store__buy", {"id": 1})]),
    ("Done.", []),
]
START = (Message(role="system", content="You are a clerk."), Message(role="user", content="A kettle, please."))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", ASKS)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.variants(3)
def test_a_whole_task_each_step_with_a_new_planner(load_store: LoadStore, name: str, stream: bool) -> None:
    """Between the steps there is nothing but the messages, as JSON, as where each runs in another process."""
    host = Host(load_store(), allow_all)
    messages: tuple[Message, ...] = START
    telemetry: list[Any] = []

    async def step() -> Any:
        planner = ModelPlanner(ASKS[name](api.url, stream=stream), name)
        run = host.runtime.start_run("clerk", session=host.run.session, meta=host.run.meta)  # the one before has ended
        result = await run_agent(host.runtime, "clerk", messages, planner, run=run, max_turns=1)
        telemetry.append(result.telemetry)
        return result

    with serving(name, SCRIPT) as api:
        while (result := asyncio.run(step())).stopped == "max_turns":
            stored = json.dumps([message_as_json(message) for message in result.messages])
            messages = tuple(message_from_json(message) for message in json.loads(stored))
    assert result.outcome is not None
    assert result.outcome.value == "Done."
    assert host.store.names == ["find", "gift", "buy"]
    assert asyncio.run(host.outcomes()) == [
        ("store.find", "invalid_call"), ("store.find", "ok"), ("store.gift", "ok"),
        ("store.close", "tool_not_available"), ("store.buy", "ok"),
    ]  # fmt: skip
    last_request = json.dumps(api.requests[-1])
    assert all(word in last_request for word in ("You are a clerk.", "red kettle", "a ribbon", "unknown tool", "2500"))
    assert "store__close" not in [tool.get("name") for tool in api.requests[-1]["tools"]]
    assert [each["requests"] for each in telemetry] == [1] * 5
    if name == "anthropic":
        assert [(each["input_tokens"], each["output_tokens"]) for each in telemetry] == [(1, 1)] * 5
