"""Messages of an editor that no language server could serve: each request is answered, and the server serves on."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Any, Final

import pytest

from tests.project.checkout import ROOT, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOVER: Final = "textDocument/hover"
PLACE: Final = {"textDocument": {"uri": "file:///nowhere/specs/a.yaml"}, "position": {"line": 0, "character": 0}}

BROKEN: Final[list[dict[str, Any]]] = [
    {"jsonrpc": "2.0", "method": HOVER},
    {"jsonrpc": "2.0", "method": HOVER, "params": None},
    {"jsonrpc": "2.0", "method": HOVER, "params": 5},
    {"jsonrpc": "2.0", "method": HOVER, "params": [1, 2]},
    {"jsonrpc": "2.0", "method": HOVER, "params": {"textDocument": 5, "position": {}}},
    {"jsonrpc": "2.0", "method": HOVER, "params": {**PLACE, "position": {"line": -1, "character": 1}}},
    {"jsonrpc": "2.0", "method": HOVER, "params": {**PLACE, "position": {"line": 1e99, "character": "x"}}},
    {"jsonrpc": "2.0", "method": HOVER, "params": {"textDocument": {"jsonrpc": "2.0", "id": 5, "method": HOVER}}},
    {"jsonrpc": "1.0", "method": HOVER, "params": PLACE},
    {"jsonrpc": 2, "method": HOVER, "params": PLACE},
    {"method": HOVER, "params": PLACE},
    {"jsonrpc": "2.0", "method": "\ud800\x1b[31m", "params": PLACE},
    {"jsonrpc": "2.0", "method": None, "params": PLACE},
    {"jsonrpc": "2.0", "method": {}, "params": PLACE},
    {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": 5},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": 5},
]
"""Requests, which get an id."""

DROPPED: Final = [
    b"",
    b"{",
    b"\xff\xfe",
    b"5",
    b"[1, {}]",
    b"[" * 100_000,
    b'{"jsonrpc": "2.0", "id": [], "result": 1}',
    b'{"jsonrpc": "2.0", "id": 77, "result": 1}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": 7}',
    b'{"jsonrpc": "2.0", "method": "$/cancelRequest"}',
]
"""What is no request: no answer is due."""


def send(stream: IO[bytes], message: Any) -> None:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def answers(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the answers, in the order in which they come."""
    while head := stream.readline():
        length = int(head.removeprefix(b"Content-Length: "))
        while stream.readline() != b"\r\n":
            pass
        message = json.loads(stream.read(length))
        if "method" not in message:
            yield message


def test_every_request_of_an_editor_is_answered(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "toolgen", "lsp"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        told = answers(server.stdout)
        start: dict[str, Any] = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
        send(server.stdin, {"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": start})
        assert next(told)["id"] == "start"
        for number, broken in enumerate(BROKEN):
            send(server.stdin, {"id": number, **broken})
            send(server.stdin, {"jsonrpc": "2.0", "id": "after", "method": HOVER, "params": PLACE})
            found = next(told)
            assert (found["id"], "error" in found) == (number, True), broken
            assert next(told) == {"jsonrpc": "2.0", "id": "after", "result": None}
        for dropped in DROPPED:
            send(server.stdin, dropped)
            send(server.stdin, {"jsonrpc": "2.0", "id": "after", "method": HOVER, "params": PLACE})
            assert next(told) == {"jsonrpc": "2.0", "id": "after", "result": None}, dropped
        send(server.stdin, {"jsonrpc": "2.0", "id": "end", "method": "shutdown"})
        assert next(told) == {"jsonrpc": "2.0", "id": "end", "result": None}
        send(server.stdin, {"jsonrpc": "2.0", "id": "late", "method": HOVER, "params": PLACE})
        send(server.stdin, {"jsonrpc": "2.0", "method": "exit"})
        assert next(told)["error"]["code"] == -32600
        assert server.wait(20) == 0


OWN_FILES: Final = {"toolgen/authoring/site/build.py"}
"""Modules that read files which come with toolgen."""


@pytest.mark.xdist_group("source")
def test_what_runs_on_and_on_reads_files_of_a_project_by_the_one_function_that_never_waits() -> None:
    for folder in ("authoring", "explore"):
        for path in sorted((ROOT / "toolgen" / folder).rglob("*.py")):
            for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
                function = node.func if isinstance(node, ast.Call) else None
                name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                if name not in ("read_text", "read_bytes", "open"):
                    continue
                on = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
                is_read = on in ("", "io", "os") if name == "open" else on != ""
                where = path.relative_to(ROOT).as_posix()
                assert not is_read or where in OWN_FILES, f"{where} reads a file: let toolgen/spec/files.py do it"
