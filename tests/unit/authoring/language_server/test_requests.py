"""Requests that no editor should send: each is answered, and the server goes on."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from typing import TYPE_CHECKING, Any, Final

from tests.unit.authoring.language_server.test_checker import with_checkout

if TYPE_CHECKING:
    from pathlib import Path

_METHODS: Final = [
    *("hover", "definition", "implementation", "references", "prepareRename", "rename"),
    *("completion", "documentSymbol", "formatting", "codeAction"),
]
_VALUES: Final[list[Any]] = [None, True, -1, 5, 1e300, "", "x" * 1_000, [], [1], {}, {"uri": 5}, {"line": "a"}]


class Raw:
    """A server that is sent any bytes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._writer, self._reader = process.stdin, process.stdout

    async def send(self, body: bytes) -> None:
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        await self._writer.drain()

    async def ask(self, message_id: int | str, method: str, **more: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        await self.send(json.dumps({"jsonrpc": "2.0", "id": message_id, "method": method, **more}).encode())
        while True:
            head = await self._reader.readuntil(b"\r\n\r\n")
            size = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
            answer: dict[str, Any] = json.loads(await self._reader.readexactly(size))
            if answer.get("id") == message_id and "method" not in answer:
                return answer


def test_every_request_is_answered_whatever_its_params(project: Path) -> None:
    shuffled = random.Random(0)
    uri = next(project.glob("specs/*.yaml")).as_uri()

    def params() -> dict[str, Any]:
        position = {"line": shuffled.choice([0, -1, 10**9, "a", 2**40]), "character": shuffled.choice([0, -5, 10**9])}
        document = {"uri": shuffled.choice([uri, "http://elsewhere.example/a", "file:///%00", "\ud800", 5])}
        given: dict[str, Any] = {
            "textDocument": document, "position": position, "newName": "b", "context": {"diagnostics": []},
            "options": {"tabSize": 2, "insertSpaces": True}, "range": {"start": position, "end": position},
        }  # fmt: skip
        for key in shuffled.sample(sorted(given), shuffled.randint(0, 2)):
            given[key] = shuffled.choice(_VALUES)
        return given

    async def use() -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "toolgen", "lsp",
            cwd=project, env=with_checkout(), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        server = Raw(process)
        await server.ask(1, "initialize", params={"processId": None, "rootUri": project.as_uri(), "capabilities": {}})
        await server.send(b'{"jsonrpc": "2.0", "method": "initialized", "params": {}}')
        refused = 0
        for number in range(10, 210):
            method = f"textDocument/{_METHODS[number % len(_METHODS)]}"
            more = shuffled.choice(
                [{"params": params()}, {"params": params()}, {"params": shuffled.choice(_VALUES)}, {}]
            )
            answer = await server.ask(number if number % 3 else f"n{number}", method, **more)
            assert answer.keys() & {"result", "error"}
            refused += "error" in answer
        assert 20 < refused < 200
        for body in (b"", b"5", b"null", b"[" * 20_000, b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', b"\xff"):
            await server.send(body)
        position = {"line": 0, "character": 1}
        last = await server.ask(
            "last", "textDocument/hover", params={"textDocument": {"uri": uri}, "position": position}
        )
        assert "result" in last
        process.kill()
        await process.wait()

    asyncio.run(asyncio.wait_for(use(), 120))
