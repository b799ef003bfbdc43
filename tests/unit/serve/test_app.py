"""The ASGI app in the process of a host, without a socket."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Mount

from toolgen.record import MemoryStore
from toolgen.runtime import Catalog, Runtime, ToolCallMeta
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.serve import CannotAsk, HttpSettings, ask_client, ask_person, http, mcp_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp_types import ElicitResult

    from toolgen.serve.server import ToolServer

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"Accept": "application/json, text/event-stream"}


async def user_of(token: str) -> str | None:
    return token.removeprefix("user-") if token.startswith("user-") else None


def make_server(**options: Any) -> tuple[Runtime, ToolServer]:
    catalog = Catalog()

    @catalog.tool("host.name", permission="readonly", input_schema={"type": "object"})
    async def name(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Return the name of the user."""
        return meta.user or "nobody"

    @catalog.tool("host.ask", permission="readonly", input_schema={"type": "object"})
    async def ask(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Ask the person something."""
        try:
            return str(await ask_person("What?", {"type": "object", "properties": {"word": {"type": "string"}}}))
        except CannotAsk as error:
            return str(error)

    @catalog.tool("host.twice", permission="readonly", input_schema={"type": "object"})
    async def twice(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Ask the person two things."""
        form = {"type": "object", "properties": {"word": {"type": "string"}}}
        return f"{await ask_person('First?', form)} {await ask_person('Second?', form)}"

    runtime = Runtime(catalog, permission=ask_client, store=MemoryStore())
    return runtime, mcp_server(runtime, runtime.start_run(), **options)


def client_of(app: Any, token: str = "", url: str = "http://localhost") -> httpx2.AsyncClient:
    headers = {**HEADERS, **({"Authorization": f"Bearer {token}"} if token else {})}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=url, headers=headers)


def test_it_is_mounted_in_another_app_and_asks_a_callback_who_calls() -> None:
    async def use() -> str:
        _, server = make_server(http=HttpSettings(authenticate=user_of))
        app = Starlette(routes=[Mount("/tools", server)])
        async with (
            client_of(app, "user-ana") as http,
            Client(streamable_http_client("http://localhost/tools/mcp", http_client=http)) as client,
        ):
            said = (await client.call_tool("host__name")).content[0].model_dump()["text"]
        async with client_of(app, "nobody") as http:
            assert (await http.post("/tools/mcp", json=LIST)).status_code == 401
        await server.close()
        return str(said)

    assert asyncio.run(use()) == "ana"


def test_requests_of_a_user_are_bounded_and_others_are_served() -> None:
    async def use() -> list[int]:
        _, server = make_server(http=HttpSettings(authenticate=user_of, per_minute=2))
        async with client_of(server, "user-ana") as ana, client_of(server, "user-bo") as bo:
            answers = [await ana.post("/mcp", json=LIST) for _ in range(3)]
            answers.append(await bo.post("/mcp", json=LIST))
        assert 0 < int(answers[2].headers["Retry-After"]) <= 31
        await server.close()
        return [answer.status_code for answer in answers]

    assert asyncio.run(use()) == [400, 400, 429, 400]  # 400: there is no session


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_BODY_SECONDS", 0.05)

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(30)

    async def use() -> int:
        _, server = make_server()
        async with client_of(server) as client:
            answer = await client.post("/mcp", content=slow(), headers={"Content-Type": "application/json"})
        await server.close()
        return answer.status_code

    assert asyncio.run(use()) == 408


@pytest.mark.parametrize(
    ("settings", "headers", "status"),
    [
        (HttpSettings(), {"Host": "tools.example.com"}, 421),
        (HttpSettings(hosts=("tools.example.com",)), {"Host": "tools.example.com"}, 400),
        (HttpSettings(hosts=("tools.example.com",)), {"Host": "localhost"}, 421),
        (HttpSettings(), {"Origin": "https://app.example.com"}, 403),
        (HttpSettings(origins=("https://app.example.com",)), {"Origin": "https://app.example.com"}, 400),
        (HttpSettings(), {"Origin": "http://localhost:3000"}, 400),
    ],
)
def test_the_names_and_origins_that_are_served_are_set(
    settings: HttpSettings, headers: dict[str, str], status: int
) -> None:
    async def use() -> int:
        _, server = make_server(http=settings)
        async with client_of(server) as client:
            answer = await client.post("/mcp", json=LIST, headers=headers)
        await server.close()
        return answer.status_code

    assert asyncio.run(use()) == status


def test_an_app_that_ends_refuses_new_requests_and_calls() -> None:
    async def use() -> int:
        _, server = make_server()
        await server.drain(0)
        async with client_of(server) as client:
            return (await client.post("/mcp", json=LIST)).status_code

    assert asyncio.run(use()) == 503


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_handler_asks_the_person(mode: Any) -> None:
    from mcp_types import ElicitResult

    async def answer(context: Any, params: Any) -> ElicitResult:
        assert params.message == "What?"
        return ElicitResult(action="accept", content={"word": "tea"})

    async def use() -> list[str]:
        said: list[str] = []
        for callback in (answer, None):
            _, server = make_server()
            async with Client(server.protocol, mode=mode, elicitation_callback=callback) as client:
                said.append((await client.call_tool("host__ask")).content[0].model_dump()["text"])
            await server.close()
        return said

    assert asyncio.run(use()) == ["{'word': 'tea'}", "the client cannot ask a person: it does not support elicitation"]


def test_an_answer_is_taken_once_and_from_the_user_who_was_asked() -> None:
    async def use() -> None:
        _, server = make_server(http=HttpSettings(authenticate=user_of))
        form = {"action": "accept", "content": {"word": "x"}}
        async with client_of(server, "user-ana") as ana, client_of(server, "user-bo") as bo:
            asked = (await call(ana, "host__ask")).json()["result"]
            assert asked["resultType"] == "input_required"
            state = asked["requestState"]
            stolen = await call(bo, "host__ask", inputResponses={"permission": form}, requestState=state)
            assert stolen.json()["error"]["code"] == -32602
            tampered = await call(ana, "host__ask", inputResponses={"permission": form}, requestState=f"{state}x")
            assert tampered.json()["error"]["code"] == -32602
            again = (await call(ana, "host__ask", requestState=state)).json()["result"]
            assert again["resultType"] == "input_required"  # nothing was answered
            done = await call(ana, "host__ask", inputResponses={"permission": form}, requestState=state)
            assert done.json()["result"]["content"] == [{"type": "text", "text": "{'word': 'x'}"}]
            late = await call(ana, "host__ask", inputResponses={"permission": form}, requestState=state)
            assert "no call is waiting for this answer" in late.json()["error"]["message"]
        await server.close()

    asyncio.run(use())


def test_an_answer_to_one_question_is_none_to_the_next() -> None:
    async def use() -> None:
        _, server = make_server()
        first, second = ({"action": "accept", "content": {"word": word}} for word in "ab")
        async with client_of(server) as client:
            state = (await call(client, "host__twice")).json()["result"]["requestState"]
            asked = await call(client, "host__twice", inputResponses={"permission": first}, requestState=state)
            again = await call(client, "host__twice", inputResponses={"permission": first}, requestState=state)
            assert "no call is waiting for this answer" in again.json()["error"]["message"]
            state = asked.json()["result"]["requestState"]
            done = await call(client, "host__twice", inputResponses={"permission": second}, requestState=state)
            assert done.json()["result"]["content"][0]["text"] == "{'word': 'a'} {'word': 'b'}"
        await server.close()

    asyncio.run(use())


async def call(client: httpx2.AsyncClient, name: str, **params: Any) -> httpx2.Response:
    """One call in the revision 2026-07-28, written by hand."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    }
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": {}, "_meta": meta, **params},
    }
    return await client.post("/mcp", json=body, headers=headers)


def test_calls_that_wait_for_an_answer_end_with_the_server() -> None:
    async def use() -> None:
        _, server = make_server()
        async with client_of(server) as client:
            assert (await call(client, "host__ask")).json()["result"]["resultType"] == "input_required"
            (waiting,) = server._calls.values()
            await server.close()
            assert waiting.task.done()

    asyncio.run(use())


def test_permission_outside_of_a_server() -> None:
    request = PermissionRequest(
        tool_name="a.b", permission="write", tags=frozenset(), arguments=b"{}", meta=ToolCallMeta()
    )
    assert asyncio.run(ask_client(request)).decision is Decision.DENY
