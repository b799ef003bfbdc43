"""The SDKs of OpenAI, Anthropic and Google in the loop of a conversation, with fakes of their APIs."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.adapters.sdks import ASKS, serving
from tests.unit.adapters.shop import Host
from tests.unit.providers.apis.conversations import CONVERSATIONS
from toolgen.llm.conversation import CallRequested, TextDelta, TurnEnded
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime import Catalog

    LoadStore = Callable[[], Catalog]

# SDKs take seconds to import.
pytestmark = pytest.mark.xdist_group("providers")

SCRIPT: Any = [
    ("Let me look.", [("call_1", "store__find", {"word": "k"})]),
    ("", [("call_2", "store__find", {"word": "kettle"})]),
    ("", [("call_3", "store__gift", {})]),
    ("", [("call_4", "store__gift", {})]),
    ("", [("call_5", "store__buy", {"id": 1}), ("call_6", "store__price", {"id": 3})]),
    ("", [("call_7", "store__buy", {"id": 2, "count": 9})]),
    ("Done.", []),
]


def decide(request: PermissionRequest) -> PermissionDecision:
    if b'"count":9' in request.arguments:
        return PermissionDecision(decision=Decision.DENY, reason="too many")
    return PermissionDecision(decision=Decision.ALLOW_ONCE)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", ASKS)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.variants(3)
def test_a_whole_task_with_an_approval_a_denial_a_limit_and_a_wrong_call(
    load_store: LoadStore, name: str, stream: bool
) -> None:
    host = Host(load_store(), decide)
    conversation = host.tool_use.conversation("chat", host.runtime, host.run, name)
    events: list[Any] = []
    with serving(name, SCRIPT) as api:
        ask = ASKS[name](api.url, stream=stream)
        opening = CONVERSATIONS[name].opening
        outcome = asyncio.run(conversation.run(ask, [opening], on_event=events.append))
    assert outcome.stopped == "completed"
    assert outcome.text == "Done."
    assert outcome.turns == 7
    assert outcome.messages[0] == opening
    assert host.store.names == ["find", "gift", "buy", "price"]
    assert host.store.orders == [1]
    assert asyncio.run(host.outcomes()) == [
        ("store.find", "invalid_call"), ("store.find", "ok"), ("store.gift", "ok"), ("store.gift", "rate_limited"),
        ("store.buy", "ok"), ("store.price", "ok"), ("store.buy", "permission_denied"),
    ]  # fmt: skip
    last_request = json.dumps(api.requests[-1])
    assert all(word in last_request for word in ("red kettle", "a ribbon", "rate limit", "2500", "too many"))
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(texts) == "Let me look.Done."
    assert (len(texts) > 2) is stream
    assert len([event for event in events if isinstance(event, CallRequested)]) == 7
    assert [event.number for event in events if isinstance(event, TurnEnded)] == [1, 2, 3, 4, 5, 6, 7]
