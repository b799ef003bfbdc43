"""`toolgen import mcp` from servers that mean harm, or repeat what they should not: nothing is written, or shown."""

from __future__ import annotations

import json
import shlex
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.execute.mcp.test_malformed import PROGRAM as RAW_SERVER
from toolgen.cli.front import run
from toolgen.execute.mcp import connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECRET = "hunter2/secret+pw"
OBJECT = {"type": "object"}


class Hostile(BaseHTTPRequestHandler):
    """Answers `tools/list` by the function `listed` of the server, given the params and the header Authorization."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in request:
            return self.answer(202, {})
        match request["method"]:
            case "initialize":
                info = {"name": "x", "version": "1"}
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
                answer: dict[str, Any] = {"result": result}
            case "tools/list":
                listed: Any = self.server.listed  # type: ignore[attr-defined]  # added to the server
                answer = listed(request.get("params") or {}, self.headers.get("Authorization", ""))
            case _:
                answer = {"error": {"code": -32601, "message": "there is no such method"}}
        return self.answer(200, {"jsonrpc": "2.0", "id": request["id"], **answer})

    def answer(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # the client did not wait
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # a name of http.server
        """Print nothing."""


@pytest.fixture
def imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., tuple[int, str]]]:
    """Imports from a server that lists its tools as a function says; returns the exit code and all that is shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", SECRET)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def use(listed: Any, *options: str) -> tuple[int, str]:
        server.listed = listed  # type: ignore[attr-defined]  # added to the server
        url = f"http://127.0.0.1:{server.server_port}/mcp"
        header = ["--header", "Authorization=Bearer $env.TOKEN"]
        code = run(["import", "mcp", "--url", url, *(options or header), "--toolset", "mcp.shop"])
        return code, "".join(capsys.readouterr())

    yield use
    server.shutdown()
    server.server_close()


def listing(*tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"result": {"tools": [{"inputSchema": OBJECT, **tool} for tool in tools], **more}}


def test_a_list_without_an_end_is_an_error_and_not_a_part_of_it(
    imported: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection, "_PAGES", 5)

    def endless(params: dict[str, Any], _: str) -> dict[str, Any]:
        page = int(params.get("cursor", 0))
        return listing({"name": f"t{page}"}, nextCursor=str(page + 1))

    code, shown = imported(endless)
    assert (code, "the list of tools does not end: it has more than 5 pages" in shown) == (2, True), shown
    assert not (tmp_path / "specs").exists()


def test_a_page_that_leads_to_itself_is_an_error(imported: Any) -> None:
    code, shown = imported(lambda *_: listing({"name": "t"}, nextCursor="same"))
    assert (code, "the list of tools does not end: it repeats a page" in shown) == (2, True), shown


def test_a_list_that_is_too_large_is_an_error(imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LARGEST", 10_000)

    def large(params: dict[str, Any], _: str) -> dict[str, Any]:
        page = int(params.get("cursor", 0))
        return listing({"name": f"t{page}", "description": "x" * 3_000}, nextCursor=str(page + 1))

    code, shown = imported(large)
    assert (code, "it has more than 10,000 bytes" in shown) == (2, True), shown


def test_a_list_that_takes_too_long_is_an_error(imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LIST_SECONDS", 0.2)
    released = threading.Event()

    def slow(*_: Any) -> dict[str, Any]:
        released.wait(30)
        return listing({"name": "t"})

    code, shown = imported(slow)
    released.set()
    assert (code, "it takes more than 0.2 s" in shown) == (2, True), shown


def test_an_error_of_a_server_shows_neither_credentials_nor_control_characters(imported: Any) -> None:
    def refused(_: Any, header: str) -> dict[str, Any]:
        return {"error": {"code": -32000, "message": f"\x1b]0;title\x07not good: {header} \u202e"}}

    code, shown = imported(refused)
    assert code == 2
    assert "not good: Bearer $env.TOKEN" in shown
    assert SECRET not in shown
    assert not any(char in shown for char in "\x1b\x07\u202e"), shown


@pytest.mark.parametrize("value", [f"{SECRET}\n", f"{SECRET}\n{SECRET}", f"ö{SECRET}"])
def test_a_credential_that_no_header_can_have_is_not_shown(imported: Any, monkeypatch: Any, value: str) -> None:
    """The HTTP client quotes the header in its error, and a line break at the end is a common mistake."""
    monkeypatch.setenv("TOKEN", value)
    code, shown = imported(lambda *_: listing({"name": "t"}))
    assert code == 2
    assert SECRET not in shown
    assert repr(SECRET)[1:-1] not in shown


@pytest.mark.parametrize("where", ["description", "schema"])
def test_a_credential_that_a_server_repeats_does_not_get_into_a_spec(imported: Any, tmp_path: Path, where: str) -> None:
    def repeating(_: Any, header: str) -> dict[str, Any]:
        if where == "schema":
            return listing({"name": "t", "inputSchema": OBJECT | {"properties": {"a": {"default": header}}}})
        return listing({"name": "t", "description": f"Signed in by {header.split()[-1]}."})

    code, shown = imported(repeating)
    assert code == 2
    assert "repeats the value of $env.TOKEN in its tools or instructions" in shown
    assert SECRET not in shown
    assert not (tmp_path / "specs").exists()


def test_a_value_that_is_no_credential_may_be_repeated(imported: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """Such as the folder that a server may read."""
    monkeypatch.setenv("FOLDER", "/srv/documents")
    header = "X-Folder=$env.FOLDER"
    described = {"name": "t", "description": "Reads /srv/documents."}
    assert imported(lambda *_: listing(described), "--header", header)[0] == 0
    assert "/srv/documents" in (tmp_path / "specs" / "shop.yaml").read_text()


MALFORMED: list[Any] = [
    {"annotations": {"destructiveHint": [1]}},
    {"inputSchema": 3},
    {"title": 4},
    {"outputSchema": "x"},
    {"icons": 3},
    {"execution": 3},
    {"_meta": []},
]


@pytest.mark.parametrize("wrong", MALFORMED)
def test_a_malformed_tool_is_reported_by_name_and_the_others_are_imported(
    imported: Any, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    (path,) = wrong

    def listed(params: dict[str, Any], _: str) -> dict[str, Any]:
        if "cursor" in params:
            return listing({"name": "last"})
        return listing({"name": "first"}, {"name": "wrong", **wrong}, {"name": "second"}, nextCursor="2")

    code, shown = imported(listed)
    assert code == 1
    assert f"`wrong` is skipped: {path}" in shown
    assert "3 tools, 3 new" in shown
    assert "wrong" not in (tmp_path / "specs/shop.yaml").read_text()


def test_entries_without_a_name_are_reported_and_the_others_are_imported(imported: Any) -> None:
    code, shown = imported(
        lambda *_: {"result": {"tools": [3, None, {}, {"name": 5}, {"name": "t", "inputSchema": OBJECT}]}}
    )
    assert code == 1
    assert shown.count("this entry is not a tool") == 4
    assert "1 tool, 1 new" in shown


def test_malformed_tools_count_for_the_size_of_a_list(imported: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LARGEST", 10_000)

    def large(params: dict[str, Any], _: str) -> dict[str, Any]:
        page = int(params.get("cursor", 0))
        return listing({"name": 4, "description": "x" * 3_000}, nextCursor=str(page + 1))

    code, shown = imported(large)
    assert (code, "it has more than 10,000 bytes" in shown) == (2, True), shown


def test_a_check_leaves_out_a_malformed_tool(imported: Any, tmp_path: Path) -> None:
    fine, wrong = {"name": "fine"}, {"name": "wrong", "title": 4}
    imported(lambda *_: listing(fine, wrong))
    assert toolgen(tmp_path, "build").code == 0
    checked = toolgen(tmp_path, "import", "mcp", "--check", "--toolset", "mcp.shop", "--yes")
    assert (checked.code, "mcp.shop: 1 tool (1 left out), unchanged" in checked.out) == (0, True), checked


def test_a_malformed_tool_of_a_program_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tools = [{"name": "fine", "inputSchema": OBJECT}, {"name": "wrong", "inputSchema": OBJECT, **MALFORMED[0]}]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}))
    program = shlex.join([forked_python(), str(RAW_SERVER), str(tmp_path)])
    assert run(["import", "mcp", "--stdio", program, "--toolset", "mcp.shop"]) == 1
    shown = "".join(capsys.readouterr())
    assert "`wrong` is skipped: annotations.destructiveHint: Input should be a valid boolean" in shown
    assert "1 tool, 1 new" in shown
