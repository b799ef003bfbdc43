"""The ASGI app in the process of a host, without a socket."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.unit.engine import app as engine_app
from tests.unit.engine.app import add_policy
from tests.unit.engine.engines import LateEngine
from tests.unit.serve.test_tools import text_of
from toolgen.engine import LocalEngine
from toolgen.record import MemoryStore
from toolgen.runtime import Catalog, Runtime, ToolCallMeta
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.serve import CannotAsk, HttpSettings, ask_client, ask_person, calls, http, listener, mcp_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from mcp_types import ElicitResult

    from toolgen.runtime.runs.run import Run
    from toolgen.serve.server import ToolServer

RELEASED: list[bool] = []
"""Not empty once the handler that ignores being cancelled may end."""

OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ROUTED = {
    "type": "object",
    "properties": {"place": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}},
}
HEADERS = {"Accept": "application/json, text/event-stream"}


async def user_of(token: str) -> str | None:
    return token.removeprefix("user-") if token.startswith("user-") else None


def make_server(policy: Mapping[str, Any] | None = None, **options: Any) -> tuple[Runtime, ToolServer]:
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

    @catalog.tool("host.write", input_schema={"type": "object"}, metadata={"access": {"scope": ["book"]}})
    async def write(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Write in a book, by permission."""
        return "written"

    @catalog.tool("host.stubborn", permission="readonly", input_schema={"type": "object"})
    async def stubborn(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Ignore being cancelled."""
        while not RELEASED:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)
        return "at last"

    @catalog.tool("host.routed", permission="readonly", input_schema=ROUTED)
    async def routed(args: dict[str, Any], meta: ToolCallMeta) -> str:
        """Proxies route this by a header that repeats an arg."""
        return "routed"

    if policy is not None:
        add_policy(catalog, policy)
    runtime = Runtime(catalog, permission=ask_client, store=MemoryStore())
    return runtime, mcp_server(runtime, runtime.start_run(), **options)


def client_of(app: Any, token: str = "", url: str = "http://localhost") -> httpx2.AsyncClient:
    headers = {**HEADERS, **({"Authorization": f"Bearer {token}"} if token else {})}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=url, headers=headers)


@pytest.mark.parametrize("body", [b"", b"[", b"5", b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'])
def test_a_request_that_opens_no_session_is_given_none(body: bytes) -> None:
    async def use() -> tuple[int, bool]:
        _, server = make_server()
        async with client_of(server) as http:
            refused = await http.post("/mcp", content=body, headers={"Content-Type": "application/json"})
        await server.close()
        return refused.status_code, "mcp-session-id" in refused.headers

    assert asyncio.run(use()) == (400, False)


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


@pytest.mark.parametrize("header", ["Host", "Origin"])
def test_a_log_has_the_headers_of_clients_escaped(header: str, caplog: pytest.LogCaptureFixture) -> None:
    async def use() -> None:
        _, server = make_server()
        async with client_of(server) as client:
            await client.post("/mcp", json=LIST, headers=[(header.encode(), b"http://evil\x9b31m")])
        await server.close()

    asyncio.run(use())
    assert f"Invalid {header} header: http://evil\\x9b31m" in caplog.messages


def test_an_app_that_ends_refuses_new_requests_and_calls() -> None:
    async def use() -> int:
        _, server = make_server()
        await server.drain(0)
        async with client_of(server) as client:
            return (await client.post("/mcp", json=LIST)).status_code

    assert asyncio.run(use()) == 503


def test_an_app_that_was_closed_refuses_requests() -> None:
    async def use() -> list[int]:
        _, server = make_server()
        async with client_of(server) as client:
            before = await client.post("/mcp", json=LIST)
            await server.close()
            return [before.status_code, (await client.post("/mcp", json=LIST)).status_code]

    assert asyncio.run(use()) == [400, 503]


def test_a_client_without_an_address_is_served() -> None:
    """The ASGI specification lets a server leave out the address, and some do so for Unix sockets."""

    async def use() -> list[int]:
        _, server = make_server()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await server({**scope, "client": None}, receive, send)

        async def app_without(scope: Any, receive: Any, send: Any) -> None:
            await server({key: value for key, value in scope.items() if key != "client"}, receive, send)

        found: list[int] = []
        for each in (app, app_without):
            async with client_of(each) as client:
                found.append((await client.post("/mcp", json=LIST)).status_code)
        await server.close()
        return found

    assert asyncio.run(use()) == [400, 400]


def test_a_user_cannot_use_up_the_sessions_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_SESSIONS", 2)

    async def use() -> list[int]:
        _, server = make_server(http=HttpSettings(authenticate=user_of))
        async with client_of(server, "user-ana") as ana, client_of(server, "user-bo") as bo:
            answers = [await ana.post("/mcp", json=OPENING) for _ in range(3)]
            answers.append(await bo.post("/mcp", json=OPENING))
        await server.close()
        return [answer.status_code for answer in answers]

    assert asyncio.run(use()) == [200, 200, 503, 200]


@pytest.mark.parametrize(("origin", "may"), [("https://app.example.com", True), ("https://evil.example.com", False)])
def test_a_page_of_an_allowed_origin_can_call_from_a_browser(origin: str, may: bool) -> None:
    async def use() -> tuple[httpx2.Response, httpx2.Response]:
        settings = HttpSettings(authenticate=user_of, origins=("https://app.example.com",))
        _, server = make_server(http=settings)
        preflight = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
        }
        async with client_of(server) as page:
            asked = await page.options("/mcp", headers=preflight)
        async with client_of(server, "user-ana") as page:
            opened = await page.post("/mcp", json=OPENING, headers={"Origin": origin})
        await server.close()
        return asked, opened

    asked, opened = asyncio.run(use())
    assert (asked.status_code, opened.status_code) == ((200, 200) if may else (400, 403))
    for answer in (asked, opened):
        assert answer.headers.get("Access-Control-Allow-Origin") == (origin if may else None)
    if may:
        assert "mcp-protocol-version" in asked.headers["Access-Control-Allow-Headers"]
        assert "Mcp-Session-Id" in opened.headers["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"origins": ("app.example.com",)}, "`app.example.com` is not an origin"),
        ({"origins": ("https://app.example.com/",)}, "is not an origin"),
        ({"origins": ("*",)}, "is not an origin"),
        ({"hosts": ("https://tools.example.com",)}, "is not a host name"),
        ({"hosts": ("",)}, "is not a host name"),
        ({"hosts": ("*.example.com",)}, "is not a host name"),
    ],
)
def test_a_name_or_an_origin_that_no_request_has_is_refused(settings: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("*", ".")):
        HttpSettings(**settings)


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    with suppress(ConnectionResetError):  # the server did not read all that was sent
        return await reader.read()
    return b""


def test_connections_on_which_no_request_comes_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_HEAD_SECONDS", 0.2)

    async def use() -> list[bytes]:
        _, server = make_server()
        port: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def announce(url: str) -> None:
            port.set_result(int(url.split(":")[2].split("/")[0]))

        serving = asyncio.create_task(server.serve_http(on_listening=announce))
        streams = [await asyncio.open_connection("127.0.0.1", await port) for _ in range(2)]
        streams[1][1].write(b"GET /mcp HTTP/1.1\r\nX: ")

        async def drip() -> None:
            while True:
                streams[1][1].write(b"x")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        async with asyncio.timeout(20):
            received = [await rest_of(reader) for reader, _ in streams]
        dripping.cancel()
        for _, writer in streams:
            writer.close()
        async with httpx2.AsyncClient(headers=HEADERS) as client:  # the time for a call is not that for a request
            url = f"http://127.0.0.1:{port.result()}/mcp"
            received.append((await client.post(url, json=LIST)).content)
            await asyncio.sleep(0.5)
            received.append((await client.post(url, json=LIST)).content)
        signal.raise_signal(signal.SIGTERM)
        await serving
        await server.close()
        return received

    received = asyncio.run(use())
    assert received[:2] == [b"", b""]
    assert all(b"Missing session ID" in each for each in received[2:])


def test_connections_without_a_request_give_way_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "_HEAD_SECONDS", 3600)
    monkeypatch.setattr(listener, "_CONNECTIONS", 20)
    begun = [b"", b"POST /mcp HTTP/1.1\r\nX: ", b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"]

    async def use() -> tuple[list[int], bytes]:
        _, server = make_server()
        port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(
            server.serve_http(on_listening=lambda url: port.set_result(int(url.split(":")[2].split("/")[0])))
        )
        idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        statuses: list[int] = []
        limits = httpx2.Limits(max_keepalive_connections=0)
        async with asyncio.timeout(20), httpx2.AsyncClient(headers=HEADERS, limits=limits) as client:
            for number in range(60):
                idle.append(await asyncio.open_connection("127.0.0.1", await port))
                idle[-1][1].write(begun[number % 3])
                answer = await client.post(f"http://127.0.0.1:{port.result()}/mcp", json=OPENING)
                statuses.append(answer.status_code)
            first = await rest_of(idle[0][0])
        for _, writer in idle:
            writer.close()
        signal.raise_signal(signal.SIGTERM)
        await serving
        await server.close()
        return statuses, first

    statuses, first = asyncio.run(use())
    assert statuses == [200] * 60
    assert first == b""


async def call_started(server: ToolServer) -> None:
    while not server.unfinished:
        await asyncio.sleep(0.01)


def test_a_handler_that_ignores_being_cancelled_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_CANCEL_SECONDS", 0.1)

    async def use() -> list[str]:
        _, server = make_server()
        async with client_of(server) as client:
            waiting = asyncio.create_task(call(client, "host__stubborn"))
            await call_started(server)
            async with asyncio.timeout(20):
                await server.close()
            left = server.unfinished
            RELEASED.append(True)
            await asyncio.wait([waiting])
        return left

    try:
        assert asyncio.run(use()) == ["host.stubborn"]
    finally:
        RELEASED.clear()


def test_a_question_that_nobody_answers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "QUESTION_SECONDS", 0.05)

    async def use() -> str:
        _, server = make_server()
        async with client_of(server) as client:
            assert (await call(client, "host__ask")).json()["result"]["resultType"] == "input_required"
            (waiting,) = server._calls.values()
            async with asyncio.timeout(20):
                result = await waiting.task
        await server.close()
        return str(result.payload)

    assert "None" in asyncio.run(use())


def test_a_question_that_a_client_never_answers_does_not_hold_back_the_next() -> None:
    """A client that went away cannot be told from one whose person still reads: both calls are asked about."""

    async def use() -> None:
        _, server = make_server()
        async with client_of(server) as client, asyncio.timeout(20):
            asked = [(await call(client, "host__write", arguments={"book": "a"})).json()["result"] for _ in range(2)]
            assert [each["resultType"] for each in asked] == ["input_required"] * 2
            form = {"action": "accept", "content": {"decision": "allow_once"}}
            for each in reversed(asked):
                answer = {"inputResponses": {"permission": form}, "requestState": each["requestState"]}
                done = await call(client, "host__write", arguments={"book": "a"}, **answer)
                assert done.json()["result"]["content"][0]["text"] == "written"
        await server.close()

    asyncio.run(use())


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


@pytest.mark.parametrize(
    ("rule", "token", "why"),
    [
        ({"people": 2}, "user-ana", "it needs the answer of 2 people, and one person answers here"),
        ({"roles": ["finance"]}, "user-ana", "only finance may answer"),
        ({"user": True}, "", "it needs the answer of the user of the run, and nobody knows who answers here"),
    ],
)
def test_a_client_is_not_asked_what_its_user_alone_may_not_allow(rule: dict[str, Any], token: str, why: str) -> None:
    async def use() -> dict[str, Any]:
        options = {"http": HttpSettings(authenticate=user_of)} if token else {}
        _, server = make_server({"approvers": {"host.write": rule}}, **options)
        async with client_of(server, token) as client:
            result: dict[str, Any] = (await call(client, "host__write", arguments={"book": "a"})).json()["result"]
        await server.close()
        return result

    result = asyncio.run(use())
    assert (result["resultType"], result["isError"]) == ("complete", True)
    assert why in result["content"][0]["text"]
    assert "`toolgen runs approve` takes such answers" in result["content"][0]["text"]


def test_the_user_of_a_token_answers_where_a_policy_says_that_the_user_may() -> None:
    async def use() -> dict[str, Any]:
        policy = {"approvers": {"host.write": {"user": True}}}
        _, server = make_server(policy, http=HttpSettings(authenticate=user_of))
        async with client_of(server, "user-ana") as client:
            asked = (await call(client, "host__write", arguments={"book": "a"})).json()["result"]
            assert "approvers | the user of the run" in asked["inputRequests"]["permission"]["params"]["message"]
            form = {"action": "accept", "content": {"decision": "allow_once"}}
            answered = {"inputResponses": {"permission": form}, "requestState": asked["requestState"]}
            result = (await call(client, "host__write", arguments={"book": "a"}, **answered)).json()["result"]
        await server.close()
        return dict(result)

    assert not asyncio.run(use()).get("isError")


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


@pytest.mark.parametrize(
    ("headers", "arguments", "status"),
    [
        ({"Mcp-Param-Region": "eu"}, {"place": {"region": "eu"}}, 200),
        ({"Mcp-Param-Region": "us"}, {"place": {"region": "eu"}}, 400),
        ({"Mcp-Param-Region": "us"}, {}, 400),
        ({}, {"place": {"region": "eu"}}, 400),
        ({}, {}, 200),
    ],
)
def test_headers_that_repeat_args_agree_with_them(
    headers: dict[str, str], arguments: dict[str, Any], status: int
) -> None:
    async def use() -> httpx2.Response:
        _, server = make_server()
        async with client_of(server) as client:
            client.headers.update(headers)
            answer = await call(client, "host__routed", arguments=arguments)
        await server.close()
        return answer

    assert asyncio.run(use()).status_code == status


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=9), st.just(b"x" * 40_000), st.none()), max_size=12))
def test_what_is_written_arrives_in_order_whatever_is_joined(parts: list[bytes | None]) -> None:
    async def main() -> bytes:
        async def serve() -> None:
            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_connection(asyncio.Protocol, sock=ours)
            joined = listener._Joined(transport)
            for part in parts:
                if part is None:
                    await asyncio.sleep(0)
                else:
                    joined.write(part)
            joined.close()

        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=theirs)
        received, _ = await asyncio.gather(reader.read(), serve())
        writer.close()
        return received

    assert asyncio.run(main()) == b"".join(part for part in parts if part)


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


def test_the_garbage_collector_of_a_host_program_is_left_alone() -> None:
    frozen: list[int] = []

    async def use() -> None:
        _, server = make_server()
        stopped = asyncio.Event()

        def announce(_: str) -> None:
            asyncio.get_running_loop().call_later(0.1, stopped.set)

        await server.serve_http(on_listening=announce, stopped=stopped)
        frozen.append(gc.get_freeze_count())
        await server.close()

    before = gc.get_freeze_count()
    asyncio.run(use())

    assert frozen == [before]
    assert gc.isenabled()


@pytest.mark.parametrize(
    "end", [Runtime.end_run, lambda _runtime, run: run.abort("stop all")], ids=["ended", "aborted"]
)
@pytest.mark.parametrize("is_durable", [False, True], ids=["in the process", "by an engine"])
def test_no_user_calls_a_server_whose_run_is_over_whether_they_came_before_or_not(
    tmp_path: Path, is_durable: bool, end: Callable[[Runtime, Run], Any]
) -> None:
    late: Any = LateEngine()
    host = engine_app.host(late, tmp_path)
    late.engine = LocalEngine(host)
    run = host.runtime.start_run("main")
    engine: Any = late if is_durable else None
    server = mcp_server(host.runtime, run, http=HttpSettings(authenticate=user_of), engine=engine)

    async def read(user: str) -> Any:
        async with (
            client_of(server, f"user-{user}") as http,
            Client(streamable_http_client("http://localhost/mcp", http_client=http)) as client,
        ):
            return await client.call_tool("code__read_file", {"path": user})

    async def use() -> list[Any]:
        before = await read("ana")
        if (ending := end(host.runtime, run)) is not None:
            await ending
        after = [await read("ana"), await read("bo")]
        await server.close()
        return [before, *after]

    before, *after = asyncio.run(use())
    assert not before.is_error
    assert all(each.is_error for each in after)
    assert {text_of(each).split("\n")[0] for each in after} == {"aborted"}
    assert engine_app.rows(tmp_path, "SELECT path FROM attempts") == [("ana",)]
