"""Responses of every provider, mutated: a reader returns a reply of texts, or raises `MalformedResponse`."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.unit.providers.apis.conversations import CONVERSATIONS
from tests.unit.runtime.responses import RESPONSES
from toolgen.providers.protocol import CallAnswer, MalformedResponse, ModelReply
from toolgen.providers.table import PROVIDERS, provider

if TYPE_CHECKING:
    from collections.abc import Sequence

CALLS: Final = [("c1", "shop__find", {"text": "hat", "limit": 3}), ("c2", "shop__ping", {})]
MCP_REQUEST: Final = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "shop__find", "arguments": {"text": "hat"}},
}


def _deep(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


JUNK: Final[Sequence[Any]] = (
    *(None, True, False, 0, -1, 1.5, 10**5000, -(10**4300), 2**64, float("nan"), float("inf"), -0.0),
    *("", "x", "\ud800", "\n", "a\x00", "tool_use", "function_call", "custom_tool_call", "failed", "message"),
    *([], {}, [None], [[]], [{}], {"text": 7}, {"": {}}, {"type": []}, ["text"]),
    *({1: 2}, {None: 1}, {(1, 2): 3}, b"bytes", object(), {1, 2}, (1, 2)),
    "x" * 100_000,
)
"""JSON values, and values that a client with another parser may pass."""
DEEP: Final = _deep(100_000)


def samples(name: str) -> list[dict[str, Any]]:
    """Return valid responses."""
    if name == "mcp":
        return [MCP_REQUEST, {**MCP_REQUEST, "id": "seven"}]
    found = list(CONVERSATIONS[name].answers)
    made = RESPONSES.get(name)
    return found if made is None else [*found, made("Let me look.", CALLS), made("", [])]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every member of every object and array: its container and its key."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, Any]] = []
    for key, member in members:
        found += [(value, key), *places(member)]
    return found


def mutated(random_: random.Random, response: Any) -> Any:
    """Return a response with up to three of its members replaced, removed, renamed, duplicated, swapped or wrapped."""
    response = deepcopy(response)
    for _ in range(random_.randint(1, 3)):
        found = places(response)
        if not found or random_.random() < 0.02:
            return random_.choice(JUNK)
        holder, key = random_.choice(found)
        if random_.random() < 0.05:
            holder[key] = random_.choice([DEEP, {"text": DEEP}])
            return response
        match random_.randrange(7):
            case 0 if isinstance(holder, dict):
                holder[random_.choice(["", "text", "type", "content", "id", "x" * 500])] = holder.pop(key)
            case 1:
                del holder[key]
            case 2 if isinstance(holder, list):
                holder.append(deepcopy(holder[key]))
            case 3:
                holder[key] = [holder[key]]
            case 4:
                holder[key] = {"value": holder[key]}
            case 5:
                other, at = random_.choice(found)
                holder[key] = deepcopy(other.get(at) if isinstance(other, dict) else other[min(at, len(other) - 1)])
            case _:
                holder[key] = deepcopy(random_.choice(JUNK))
        if len(places(response)) > 2_000:
            break
    return response


def check(name: str, response: Any) -> bool:
    """Read a response and answer it; return whether it could be read."""
    made = provider(name)
    reply, malformed = None, ""
    try:
        reply = made.read(response)
    except MalformedResponse as error:
        malformed = str(error)
    if reply is None:
        assert len(malformed) < 200
        assert "xxx" not in malformed, "responses are not quoted"
        return False
    assert isinstance(reply, ModelReply)
    texts = [reply.text, *(text for call in reply.calls for text in (call.tool_call_id, call.name, str(call.payload)))]
    assert all(isinstance(text, str) for text in texts)
    answers = tuple(
        CallAnswer(tool_call_id=call.tool_call_id, name=call.name, text="done", is_error=False) for call in reply.calls
    )
    messages = made.messages(response, answers)
    assert isinstance(messages, list)
    return True


def fuzz(name: str, seed: int, count: int) -> None:
    random_ = random.Random(seed)
    originals = samples(name)
    read = [check(name, mutated(random_, random_.choice(originals))) for _ in range(count)]
    assert 0.02 < sum(read) / count < 0.98, "some can be read, and some cannot"


ALL = pytest.mark.parametrize("name", PROVIDERS)


@ALL
def test_unmutated_samples_can_be_read(name: str) -> None:
    for response in samples(name):
        assert check(name, response)


@pytest.mark.slow
@ALL
def test_a_mutated_response_is_read_or_malformed(name: str) -> None:
    fuzz(name, 1, 500)


@pytest.mark.long
@ALL
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_mutated_responses_are_read_or_malformed(name: str, seed: int) -> None:
    fuzz(name, seed, 5_000)


@ALL
@pytest.mark.parametrize(
    "value", [10**5000, _deep(100_000), object(), {(1, 2): 3}], ids=["digits", "depth", "object", "key"]
)
def test_args_that_cannot_be_written_are_malformed(name: str, value: Any) -> None:
    """If args are an object. If they are text, the runtime parses them."""
    if name == "mcp":
        response: Any = {**MCP_REQUEST, "params": {"name": "shop__find", "arguments": {"text": value}}}
    elif type(provider(name)).__name__ in ("Anthropic", "Gemini", "Bedrock"):
        response = RESPONSES[name.removesuffix("-strict")]("", [("c1", "shop__find", {"text": value})])
    else:
        assert json.loads(provider(name).read(RESPONSES[name]("", CALLS)).calls[0].payload) == CALLS[0][2]
        return
    with pytest.raises(MalformedResponse, match="of the response cannot be written as JSON"):
        provider(name).read(response)


@pytest.mark.parametrize(
    "asked",
    [10**5000, 1.5, True, [], {}, _deep(100_000), object()],
    ids=["digits", "fraction", "boolean", "array", "object", "depth", "no JSON"],
)
def test_an_id_of_a_request_is_text_or_an_integer(asked: Any) -> None:
    with pytest.raises(MalformedResponse, match=r"^id of the response is "):
        provider("mcp").read({**MCP_REQUEST, "id": asked})
