from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import time
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from tests.unit.cli.command_line import toolgen
from tests.unit.serve.conftest import TOKENS, Listening, Project
from tests.unit.serve.test_tools import exists
from toolgen.runtime.base.received import REQUEST_VALUES

pytestmark = pytest.mark.xdist_group("serve")

GOOD = {
    "Authorization": f"Bearer {TOKENS['ana']}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer ana-0123456789abcdeF"}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": f"Basic {TOKENS['ana']}"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "tools.example.com"}, 421),
        ({"Host": "127.0.0.1.example.com:80"}, 421),
        ({"Origin": "https://evil.example.com"}, 403),
        ({"Origin": "http://localhost.example.com"}, 403),
        ({"Origin": "http://localhost:evil.example.com"}, 403),
        ({"Origin": "http://localhost:1@evil.example.com"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost:evil.example.com"}, 421),
        ({"Host": "localhost:80@evil.example.com"}, 421),
        ({"Content-Type": "text/plain"}, 400),
    ],
    ids=str,
)
def test_a_request_that_must_not_be_served(listening: Listening, headers: dict[str, str], status: int) -> None:
    answer = httpx2.post(listening.url, json=LIST, headers={**GOOD, **headers})
    assert answer.status_code == status, answer.text
    assert ("WWW-Authenticate" in answer.headers) is (status == 401)


def test_two_origins_are_none_that_is_allowed(listening: Listening) -> None:
    for origins in (["http://localhost", "https://evil.example.com"], ["https://evil.example.com", "http://localhost"]):
        headers = [*GOOD.items(), *(("Origin", origin) for origin in origins)]
        assert httpx2.post(listening.url, json=LIST, headers=headers).status_code == 403


def test_the_name_of_the_server_has_no_case(listening: Listening) -> None:
    headers = {**GOOD, "Host": "LOCALHOST", "Origin": "HTTP://LocalHost:3000"}
    assert httpx2.post(listening.url, json=LIST, headers=headers).status_code == 400  # there is no session


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_a_stream_that_was_lost_is_not_resumed(listening: Listening, version: str) -> None:
    headers = {**GOOD, "Accept": "text/event-stream", "MCP-Protocol-Version": version, "Last-Event-ID": "1"}
    answer = httpx2.get(listening.url, headers=headers)
    assert (answer.status_code, answer.text) == (400, "streams are not resumed: open one without Last-Event-ID")


def test_a_body_that_is_too_large_is_refused(listening: Listening) -> None:
    assert httpx2.post(listening.url, content=b" " * (4 * 1024 * 1024 + 1), headers=GOOD).status_code == 413


ENVELOPE = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"team__notes__read","arguments":%s}}'
MANY = b",".join(b'"%d":1' % at for at in range(REQUEST_VALUES))


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    "body",
    [
        ENVELOPE % (b'{"book":[%s1]}' % (b"1," * REQUEST_VALUES)),
        ENVELOPE % (b'{"book":[%s1]}' % (b"[]," * REQUEST_VALUES)),
        ENVELOPE % b"{%s}" % MANY,
        b'{"jsonrpc":"2.0","id":1,"method":"ping",%s}' % MANY,
        b"[%s{}]" % (b"{}," * REQUEST_VALUES),
        ENVELOPE % (b"[" * 201 + b"]" * 201),
    ],
    ids=["numbers", "lists", "members", "members at the top", "a batch", "depth"],
)
def test_a_body_that_costs_too_much_is_refused_before_it_is_read(
    listening: Listening, body: bytes, version: str
) -> None:
    headers = {**GOOD, "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "team__notes__read"}
    answer = httpx2.post(listening.url, content=body, headers=headers)
    assert answer.status_code == 413
    assert re.fullmatch(
        r"the request (has more than 100,000 JSON values|is nested more than 200 levels deep)", answer.text
    )


TWICE = (ENVELOPE % b'{"book":"a","book":"b"}').decode()


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    "body",
    [
        TWICE.encode("utf-8-sig"),
        TWICE.encode("utf-16"),
        TWICE.encode("utf-16-le"),
        TWICE.encode("utf-32"),
        TWICE.replace("read", r"\ud800").encode(),
        TWICE.encode() + b"}",
        b"",
    ],
    ids=["mark", "utf-16", "utf-16-le", "utf-32", "half", "more", "empty"],
)
def test_a_body_that_cannot_be_checked_is_refused_whatever_else_could_read_it(
    listening: Listening, body: bytes, version: str
) -> None:
    headers = {**GOOD, "MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "team__notes__read"}
    answer = httpx2.post(listening.url, content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.text.startswith("the body is not JSON that can be read: ")


def test_a_body_with_a_key_twice_is_refused_and_the_key_is_named(listening: Listening) -> None:
    headers = {**GOOD, "Mcp-Method": "tools/call", "Mcp-Name": "team__notes__read"}
    answer = httpx2.post(listening.url, content=ENVELOPE % b'{"book":"a","book":"b:c"}', headers=headers)
    assert answer.status_code == 400
    assert re.fullmatch(r"`book` is there twice \(at \S+/book\): send it once", answer.text)


def test_arguments_as_text_are_refused_with_the_way_to_send_them(listening: Listening) -> None:
    headers = {**GOOD, "Mcp-Method": "tools/call", "Mcp-Name": "team__notes__read"}
    answer = httpx2.post(listening.url, content=ENVELOPE % b'"{}"', headers=headers)
    assert answer.status_code == 400
    assert answer.text == "`arguments` of a call must be an object: send an object, not a string that holds one"


def test_a_large_call_of_one_user_holds_up_no_other(listening: Listening) -> None:
    """The args do not fit, so they are searched for secrets."""
    args = b'{"book":"home",%s}' % b",".join(b'"k%d":"v%d"' % (at, at) for at in range(REQUEST_VALUES - 20))
    initialize = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    }

    async def session(client: httpx2.AsyncClient, token: str) -> dict[str, str]:
        headers = {**GOOD, "Authorization": f"Bearer {token}", "MCP-Protocol-Version": "2025-11-25"}
        answer = await client.post(listening.url, json=initialize, headers=headers)
        return {**headers, "Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}

    async def use() -> list[float]:
        async with httpx2.AsyncClient(timeout=60) as client:
            ana, bo = await session(client, str(TOKENS["ana"])), await session(client, TOKENS["bo"][0])
            call = asyncio.create_task(client.post(listening.url, content=ENVELOPE % args, headers=ana))
            waits: list[float] = []
            while not call.done():
                started = time.monotonic()
                ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                await client.post(listening.url, json=ping, headers=bo)
                waits.append(time.monotonic() - started)
            assert "invalid payload" in (await call).text
            return waits

    assert max(asyncio.run(use())) < 3  # on a busy machine


def test_there_is_one_path(listening: Listening) -> None:
    assert httpx2.get(listening.url.replace("/mcp", "/"), headers=GOOD).status_code == 404


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_running_calls_end_before_the_process_and_no_other_begins(project: Project, mode: Any) -> None:
    listening = project.start("--tokens", "tokens.json")
    name, results = f"drained-{mode}", []

    async def post_again_and_again() -> None:
        while True:  # until the process has its signal; it ends connections that it has not answered
            async with httpx2.AsyncClient() as client:
                with suppress(httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError):
                    await client.post(listening.url, json=LIST, headers=GOOD)

    async def use() -> None:
        async with project.by_http(listening.url, str(TOKENS["ana"]), mode=mode) as client:
            await client.list_tools()  # or the client would list them after the call, to check its result
            call = asyncio.create_task(client.call_tool("team__jobs__wait", {"name": name, "seconds": 5}))
            await exists(project.folder / f"{name}.started")
            listening.process.send_signal(signal.SIGTERM)
            with pytest.raises(httpx2.ConnectError):
                await asyncio.wait_for(post_again_and_again(), 60)
            assert not call.done()
            results.append(await call)

    try:
        asyncio.run(use())
    except* httpx2.ConnectError:  # a client of a session says that it leaves, and nobody is there any more
        assert mode == "legacy"
    assert [result.structured_content for result in results] == [{"waited": 5}]
    _, said = listening.process.communicate(timeout=30)
    assert listening.process.returncode == 0, said
    assert not (project.folder / f"{name}.cancelled").exists()


def test_calls_that_take_too_long_are_cancelled(project: Project) -> None:
    listening = project.start("--grace", "0.2")

    async def use() -> None:
        async with project.by_http(listening.url) as client:
            call = asyncio.create_task(client.call_tool("team__jobs__wait", {"name": "cut", "seconds": 300}))
            await exists(project.folder / "cut.started")
            listening.process.send_signal(signal.SIGTERM)
            await exists(project.folder / "cut.cancelled")
            with pytest.raises(MCPError):
                await call

    asyncio.run(use())
    _, said = listening.process.communicate(timeout=30)
    assert listening.process.returncode == 0, said


def test_a_call_that_does_not_end_is_named_and_the_process_ends(project: Project) -> None:
    listening = project.start("--grace", "0.1", "--store", "stubborn.db")

    async def use() -> None:
        async with project.by_http(listening.url) as client:
            call = asyncio.create_task(client.call_tool("team__jobs__stubborn", {}))
            await exists(project.folder / "stubborn.started")
            listening.process.send_signal(signal.SIGTERM)
            with pytest.raises(MCPError):
                await call

    asyncio.run(use())
    _, said = listening.process.communicate(timeout=30)
    assert listening.process.returncode == 1
    assert "stopped with calls that do not end: team.jobs.stubborn" in said


def test_a_server_ends_whatever_its_tools_do(project: Project) -> None:
    """A thread that does not return, and a call that blocks the event loop; over stdio the client may just leave."""
    kinds = {"thread": "sleep_long (app.py:", "blocks": "team.jobs.wait, MainThread in sleep_long (app.py:"}
    listening = {kind: project.start("--grace", "0.1") for kind in kinds}

    async def use(kind: str) -> None:
        with suppress(MCPError, httpx2.HTTPError, BaseExceptionGroup):
            async with project.by_http(listening[kind].url) as client:
                call = asyncio.create_task(client.call_tool("team__jobs__wait", {"name": kind, "seconds": 1}))
                await exists(project.folder / f"{kind}.started")
                listening[kind].process.send_signal(signal.SIGTERM)
                await call

    async def use_both() -> None:
        await asyncio.gather(*map(use, kinds))

    with subprocess.Popen(
        project.command(),
        env=project.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as left:
        (project.folder / "thread.started").unlink(missing_ok=True)
        assert left.stdin is not None
        left.stdin.write(calling("thread"))
        left.stdin.flush()
        asyncio.run(exists(project.folder / "thread.started"))
        left.stdin.close()
        left.stdin = None
        (project.folder / "thread.started").unlink()
        asyncio.run(use_both())
        ended = {kind: each.process.communicate(timeout=60)[1] for kind, each in listening.items()}
        ended["left"] = left.communicate(timeout=60)[1].decode()
    assert left.returncode == 1
    assert [each.process.returncode for each in listening.values()] == [1, 1]
    for kind, said in {**kinds, "left": kinds["thread"]}.items():
        (line,) = [line for line in ended[kind].splitlines() if line.startswith("cut off: ")]
        assert said in line


def test_a_request_for_a_websocket_is_a_plain_request(listening: Listening) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x"}
    assert httpx2.get(listening.url, headers=upgrade).status_code == 401


def calling(name: str) -> bytes:
    """Return what a client sends over stdio to call a tool."""
    return (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
        b'"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n'
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"team__jobs__wait",'
        b'"arguments":{"name":"%s","seconds":1}}}\n' % name.encode()
    )


def test_a_stdio_server_lets_calls_end_too(project: Project) -> None:
    command = project.command()
    buffered = {name: value for name, value in project.environment.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command, env=buffered, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(calling("piped"))
        process.stdin.flush()
        asyncio.run(exists(project.folder / "piped.started"))
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        lines = process.stdout.read().decode().splitlines()
        assert process.wait(30) == 0
    assert '"waited":1' in lines[-1]
    assert all(line.startswith("{") for line in lines)  # what handlers print is not among them


def test_a_stdio_server_ends_with_a_client_that_no_longer_reads(project: Project) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        project.command(), env=project.environment, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        process.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
            b'"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n'
        )
        process.stdin.flush()  # and stdin stays open
        assert process.wait(30) == 0
        assert process.stderr is not None
        *notes, serving = process.stderr.read().decode().splitlines()
        assert serving == "serving 115 tools"
        assert [note.partition(" will run: ")[0] for note in notes] == ["no call of team.jobs.twice"]


@pytest.mark.parametrize("closed", ["<&-", ">&- </dev/null"])
@pytest.mark.variants(1)
def test_a_stdio_server_without_stdin_or_stdout_says_so(project: Project, closed: str) -> None:
    command = f'exec "$0" "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, *project.command()],
        env=project.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "needs stdin and stdout, and one of them is closed" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--http", "0.0.0.0:0"], "0.0.0.0 can be reached from other machines: clients need tokens there"),
        (["--http", "0.0.0.0:0"], "clients of other machines also need --host-name"),
        (["--http", "x"], "this is not [HOST:]PORT"),
        (["--http", "0", "--stdio"], "exclude each other"),
        (["--http", "0", "--grace", "-1"], "-1.0 is not in the range x>=0"),
        (["--http", "0", "--origin", "example.com"], "`example.com` is not an origin, such as https://app.example.com"),
        (["--http", "0", "--host-name", "http://x"], "`http://x` is not a host name"),
        (["--tokens", "tokens.json"], "are for --http"),
        (["--http", "0", "--tokens", "open.json"], "can be read by others: `chmod 600 open.json`"),
        (["--http", "0", "--tokens", "none.json"], "cannot be read"),
        (["--http", "0", "--token-env", "NO_SUCH_TOKEN"], "the environment has no variable NO_SUCH_TOKEN"),
        (["--agent", "nobody"], "There is no agent `nobody`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_server_that_cannot_start_says_why(project: Project, arguments: list[str], said: str) -> None:
    (project.folder / "open.json").write_text('{"ana": "0123456789abcdef"}')
    os.chmod(project.folder / "open.json", 0o644)  # noqa: PTH101  # as a shell would
    done = toolgen(project.folder, "serve", *arguments)
    assert done.code == 2
    assert said in done.err


def test_a_port_that_is_taken_is_an_error(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = toolgen(project.folder, "serve", "--http", str(taken.getsockname()[1]))
    assert done.code == 2
    assert "Address already in use" in done.err
