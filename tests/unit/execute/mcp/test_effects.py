"""Failures of writes: each says whether the write may have taken effect, and who says what is not mixed up."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.execute.mcp.conftest import TOOLS
from toolgen.contract.records import ToolRequest
from toolgen.execute.mcp import McpServer, failures, mcp_executor
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.contract.records import ToolResult

POSSIBLE = "the call may have taken effect: check whether it did before you repeat it"


def error(code: int, message: str) -> dict[str, Any]:
    return {"body": {"error": {"code": code, "message": message}}}


def body(**fields: Any) -> dict[str, Any]:
    return {"body": fields}


AFTER: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "says that the session is over": (error(-32603, "Session terminated"), "mcp_error_-32603", POSSIBLE, "terminated"),
    "says so as the SDK does": (error(-32600, "Session terminated"), "mcp_error_-32600", POSSIBLE, "terminated"),
    "says that the connection is": (error(-32000, "Connection closed"), "mcp_error_-32000", POSSIBLE, "closed"),
    "says that it failed": (
        error(-32603, "Server returned an error response"),
        "mcp_error_-32603",
        POSSIBLE,
        "returned an error",
    ),
    "does not know the method": (error(-32601, "no"), "method_not_found", "", "no"),
    "does not take the args": (error(-32602, "no"), "invalid_params", "", "no"),
    "cannot parse the request": (error(-32700, "a\nb"), "answer_refused", POSSIBLE, "^a$"),
    "timed out": (error(-32001, "late"), "server_timeout", POSSIBLE, "late"),
    "no content": (body(result={}), "invalid_answer", POSSIBLE, "content: Field required"),
    "another content": (body(result={"content": [], "x": 1}), "invalid_structured_content", POSSIBLE, "structured"),
    "no object": (body(result=None), "answer_refused", POSSIBLE, "result: Input should be an object$"),
    "a list": (body(result=[]), "answer_refused", POSSIBLE, "result: Input should be an object$"),
    "nothing": (body(), "answer_refused", POSSIBLE, "result: Field required$"),
    "no error": (body(error={"code": "x", "message": "m"}), "answer_refused", POSSIBLE, "error.code: Input should be"),
    "no JSON": ({"raw": "[1,"}, "answer_refused", POSSIBLE, "Invalid JSON: EOF"),
    "no number": (
        {"raw": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":NaN}}}'},
        "malformed_result",
        POSSIBLE,
        "NaN",
    ),
    "too much": ({"raw": "[" + "1," * 300_000 + "1]"}, "answer_refused", POSSIBLE, "JSON values"),
    "no answer": ({"status": 202}, "mcp_error_-32600", POSSIBLE, "202"),
    "another media type": ({"type": "text/plain", "raw": "x"}, "mcp_error_-32600", POSSIBLE, "content type"),
    "a stream without an answer": (
        {"type": "text/event-stream", "raw": ":\n\n"},
        "mcp_error_-32000",
        POSSIBLE,
        "stream",
    ),
    "a stream that is too long": (
        {"type": "text/event-stream", "raw": ":\n" * 60_000},
        "answer_refused",
        POSSIBLE,
        "lines",
    ),
    "is busy": ({"status": 503}, "server_error", POSSIBLE, "HTTP error"),
    "waited too long": ({"status": 408}, "server_error", POSSIBLE, "HTTP error"),
    "refuses": ({"status": 400}, "server_error", "", "HTTP error"),
    "does not know the session": ({"status": 404}, "connection_lost", "", "ended before the answer"),
}
"""How a server answers a call, the code of the failure, what a write says of its effect, and a part of the message."""

OTHERWISE = {"server_unreachable", "login_changed", "invalid_list", "too_many_questions"}
"""Codes of failures before a call is sent, and of a server that asks again and again."""


@contextmanager
def answering(answer: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Serve all tools, each of which answers so; gives the URL and the names of the tools that are called."""
    calls: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            match request["method"]:
                case "initialize":
                    info = {"name": "x", "version": "1"}
                    self.send(
                        body(
                            result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
                        ),
                        request,
                    )
                case "tools/list":
                    self.send(body(result={"tools": TOOLS}), request)
                case "tools/call":
                    calls.append(request["params"]["name"])
                    self.send(answer, request)
                case _:
                    self.send({"status": 202}, request)

        def send(self, answer: dict[str, Any], request: dict[str, Any]) -> None:
            number = request.get("id")
            text = answer.get("raw", json.dumps({"jsonrpc": "2.0", "id": number, **answer.get("body", {})}))
            data = text.replace("ID", str(number)).encode() if "status" not in answer else b""
            self.send_response(answer.get("status", 200))
            self.send_header("Content-Type", answer.get("type", "application/json"))
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Mcp-Session-Id", "s")
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            self.send({"status": 405}, {})

        def do_DELETE(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name there
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", calls
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def called(package: str, url: str, tool: str) -> ToolResult[Any]:
    async def main() -> ToolResult[Any]:
        catalog = load(package)
        registration = mcp_executor(catalog, "mcp.shop", server=McpServer(http=url, retries=2))
        runs: Any = registration.executor
        async with runs:
            runtime = Runtime(catalog, executors=[registration], permission=allow_all)
            return await asyncio.wait_for(runtime.invoke(ToolRequest(name=f"mcp.shop.{tool}")), 60)

    return asyncio.run(main())


@pytest.mark.parametrize("name", AFTER)
def test_a_failure_after_a_write_was_sent_says_whether_it_may_have_taken_effect(demo_package: str, name: str) -> None:
    answer, code, effect, says = AFTER[name]
    with answering(answer) as (url, calls):
        failed = called(demo_package, url, "echo").error
    assert failed is not None
    assert (failed.code, failed.hint) == (code, effect)
    assert re.search(says, failed.message), failed.message
    assert "pydantic" not in failed.message
    assert len(calls) == (3 if name == "does not know the session" else 1)


@pytest.mark.parametrize("name", AFTER)
def test_a_readonly_tool_says_nothing_of_effects(demo_package: str, name: str) -> None:
    with answering(AFTER[name][0]) as (url, _):
        failed = called(demo_package, url, "crash_read").error
    assert failed is None or "effect" not in failed.message + failed.hint


def test_each_failure_of_a_server_is_one_of_these() -> None:
    """A new one needs a case here."""
    written = Path(failures.__file__).read_text(encoding="utf-8")
    found = set(re.findall(r'FailureKind\.\w+,\s+"(\w+)"', written))
    assert found == {code for _, code, _, _ in AFTER.values() if not code.startswith("mcp_error")} | OTHERWISE
