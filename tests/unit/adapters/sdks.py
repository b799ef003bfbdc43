"""Fake APIs for three SDKs on a socket, with complete responses or streams; and functions that call them."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tests.unit.llm.tool_use.streams import EVENTS
from tests.unit.providers.apis.conversations import CONVERSATIONS
from tests.unit.runtime.responses import RESPONSES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator

Said: TypeAlias = tuple[str, Sequence[tuple[str, str, Mapping[str, Any]]]]
"""A text, and calls: id, name and args."""

_ENVELOPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "openai": {"id": "c1", "object": "chat.completion", "created": 1, "model": "fake"},
    "openai-responses": {
        "id": "r1", "object": "response", "created_at": 1, "model": "fake", "parallel_tool_calls": True,
        "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
    },
    "anthropic": {
        "id": "m1", "type": "message", "model": "fake", "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "gemini": {},
}  # fmt: skip


@dataclass
class Api:
    """Answers from a script, as complete responses or streams, and keeps the requests.

    It refuses what the API refuses.
    """

    provider: str
    script: list[Said]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.requests.append(request)
        fault = CONVERSATIONS[self.provider].refuses(request)
        if fault:
            return 400, {"error": {"message": fault, "type": "invalid_request_error"}}
        text, calls = self.script.pop(0)
        answer = {**_ENVELOPES[self.provider], **RESPONSES[self.provider](text, calls)}
        if self.provider == "openai-responses" and calls:
            reasoning = {"id": f"rs_{len(self.requests)}", "type": "reasoning", "summary": [], "encrypted_content": "x"}
            answer["output"] = [reasoning, *answer["output"]]
        return 200, answer


@contextmanager
def serving(provider: str, script: Sequence[Said]) -> Generator[Api]:
    api = Api(provider, list(script))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = api.answer(request)
            is_stream = status == 200 and (request.get("stream") or "streamGenerateContent" in self.path)
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
            self.end_headers()
            if not is_stream:
                self.wfile.write(json.dumps(answer).encode())
                return
            for event in EVENTS[provider](answer):
                name = f"event: {event['type']}\n" if "type" in event else ""
                self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            if provider == "openai":
                self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name is given by the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask_openai(url: str, *, stream: bool) -> Callable[..., Any]:
    sdk: Any = import_module("openai")

    async def ask(messages: list[dict[str, Any]], tools: Mapping[str, Any]) -> Any:
        client = sdk.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        return await client.chat.completions.create(model="fake", messages=messages, stream=stream, **tools)

    return ask


def ask_responses(url: str, *, stream: bool) -> Callable[..., Any]:
    sdk: Any = import_module("openai")

    async def ask(messages: list[dict[str, Any]], tools: Mapping[str, Any]) -> Any:
        client = sdk.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        return await client.responses.create(model="fake", input=messages, stream=stream, **tools)

    return ask


def ask_anthropic(url: str, *, stream: bool) -> Callable[..., Any]:
    sdk: Any = import_module("anthropic")
    settings: Any = {"model": "fake", "max_tokens": 1000}

    async def ask(messages: list[dict[str, Any]], tools: Mapping[str, Any]) -> Any:
        client = sdk.AsyncAnthropic(base_url=url, api_key="none", max_retries=0)
        return await client.messages.create(messages=messages, **settings, **tools)

    async def ask_helper(messages: list[dict[str, Any]], tools: Mapping[str, Any]) -> AsyncIterator[Any]:
        client = sdk.AsyncAnthropic(base_url=url, api_key="none", max_retries=0)
        async with client.messages.stream(messages=messages, **settings, **tools) as events:
            async for event in events:
                yield event

    return ask_helper if stream else ask


def ask_gemini(url: str, *, stream: bool) -> Callable[..., Any]:
    sdk: Any = import_module("google.genai")

    async def ask(messages: list[dict[str, Any]], tools: Mapping[str, Any]) -> Any:
        models = sdk.Client(api_key="none", http_options={"base_url": url}).aio.models
        create = models.generate_content_stream if stream else models.generate_content
        return await create(model="fake", contents=messages, config=dict(tools))

    return ask


ASKS: Final[Mapping[str, Callable[..., Callable[..., Any]]]] = {
    "openai": ask_openai,
    "openai-responses": ask_responses,
    "anthropic": ask_anthropic,
    "gemini": ask_gemini,
}
