"""A session with an MCP server that is a child process: JSON-RPC, a line for each message, on its stdin and stdout.

As in https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, Field, JsonValue

from specs.examples.router.handlers.refusals import rejected
from toolgen.runtime import CallFailed, FailureKind

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

PROTOCOL: Final = "2025-06-18"
SECONDS: Final = 10.0
"""How long a session may take, with all that is done in it."""

_GRACE_SECONDS: Final = 1.0
_LONGEST_LINE: Final = 1024 * 1024
_MOST_PAGES: Final = 100
_METHOD_NOT_FOUND: Final = -32601


class McpTool(BaseModel):
    """A tool as its server lists it."""

    name: str
    description: str = ""
    input_schema: dict[str, JsonValue] = Field(alias="inputSchema")


class _Page(BaseModel):
    tools: list[McpTool]
    next_cursor: str | None = Field(None, alias="nextCursor")


class _Called(BaseModel):
    content: list[dict[str, JsonValue]] = []
    structured_content: JsonValue = Field(None, alias="structuredContent")
    is_error: bool = Field(False, alias="isError")

    @property
    def text(self) -> str:
        return "\n".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")


class McpSession:
    """What is said to a server that runs. `open_session` makes one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = count(1)

    async def initialize(self) -> None:
        """Agree on the protocol, which has to be done first."""
        client = {"name": "toolgen-router-example", "version": "1.0"}
        await self._request("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=client)
        await self._send({"method": "notifications/initialized"})

    async def tools(self) -> list[McpTool]:
        """List all tools of the server."""
        found: list[McpTool] = []
        cursor: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            page = _Page.model_validate(await self._request("tools/list", **cursor))
            found += page.tools
            if page.next_cursor is None:
                return found
            cursor = {"cursor": page.next_cursor}
        raise _unusable("its list of tools does not end")

    async def call(self, tool: str, args: dict[str, JsonValue]) -> JsonValue:
        """Call a tool: give its structured content, or else its text. Raises `CallFailed` with `tool_failed`."""
        called = _Called.model_validate(await self._request("tools/call", name=tool, arguments=args))
        if called.is_error:
            raise rejected("tool_failed", called.text or "the tool failed, and does not say why")
        return called.text if called.structured_content is None else called.structured_content

    async def _request(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        await self._send({"id": number, "method": method, "params": params})
        while True:
            line = await self._reader.readline()
            if not line:
                raise _unusable("it ended before it answered")
            message = json.loads(line)
            if "method" in message:
                await self._decline(message)
            elif message["id"] == number:
                break
        if "error" in message:
            raise rejected("server_refused", f"the server refuses: {message['error']['message']}")
        return message["result"]

    async def _decline(self, message: dict[str, Any]) -> None:
        """Answer what a server asks: it may look whether we are there, and nothing else. Notifications get none."""
        if "id" in message:
            error = {"error": {"code": _METHOD_NOT_FOUND, "message": "this client offers nothing"}}
            await self._send({"id": message["id"], **({"result": {}} if message["method"] == "ping" else error)})

    async def _send(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self._writer.drain()


@asynccontextmanager
async def open_session(argv: Sequence[str], *, seconds: float = SECONDS) -> AsyncGenerator[McpSession]:
    """Start a server, speak with it, and end it. It sees `PATH` of the environment alone.

    Raises `CallFailed`: `server_unusable` where it does not start, ends early, or says what is not MCP, `timeout`.
    """
    environment = {"PATH": os.environ.get("PATH", os.defpath)}
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LONGEST_LINE,
            start_new_session=True,
        )
    except OSError as error:
        raise _unusable("it cannot be started") from error
    assert process.stdin is not None
    assert process.stdout is not None
    session = McpSession(process.stdout, process.stdin)
    try:
        async with asyncio.timeout(seconds):
            await session.initialize()
            yield session
    except TimeoutError as error:
        message = f"the server took longer than {seconds:g} s"
        raise CallFailed(FailureKind.TIMEOUT, "timeout", message) from error
    except (ValueError, LookupError, TypeError) as error:  # from `json`, from pydantic, and where a field is missing
        raise _unusable("what it says is not MCP") from error
    except ConnectionError as error:
        raise _unusable("it ended before it was asked") from error
    finally:
        process.stdin.close()
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Wait for a server whose stdin was closed, which tells it to end; kill it where it does not."""
    try:
        async with asyncio.timeout(_GRACE_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _unusable(why: str) -> CallFailed:
    return CallFailed(FailureKind.UNAVAILABLE, "server_unusable", f"the server cannot be used: {why}")
