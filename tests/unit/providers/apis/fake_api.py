"""A fake HTTP API on a local socket: it answers from a script and keeps the requests."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence


@dataclass
class FakeApi:
    """`url` is its address. A request for which `refuses` returns an error gets status 400 and the error."""

    answers: list[dict[str, Any]]
    refuses: Callable[[dict[str, Any]], str]
    url: str = ""
    paths: list[str] = field(default_factory=list[str])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def answer(self, path: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answer one request."""
        self.paths.append(path)
        self.requests.append(request)
        fault = self.refuses(request)
        if fault:
            return 400, {"error": {"message": fault, "type": "invalid_request_error"}, "message": fault}
        return 200, self.answers[len(self.requests) - 1]


@contextmanager
def serving(answers: Sequence[dict[str, Any]], refuses: Callable[[dict[str, Any]], str]) -> Generator[FakeApi]:
    """Serve until the end of the block."""
    api = FakeApi(list(answers), refuses)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, answer = api.answer(self.path, json.loads(body))
            sent = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name is given by the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
