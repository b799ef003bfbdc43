"""Embeddings from an endpoint over a socket: batches, order, errors, and the handling of the key."""

from __future__ import annotations

import json
import socket
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.llm.search.embedding import EmbeddingError, EndpointClass
from toolgen.llm.search.endpoint import EndpointEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Server:
    """A local server that returns the queued answers, and then vectors."""

    url: str = ""
    queued: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str | None] = field(default_factory=list[str | None])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    requests: int = 0


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.requests += 1
            self.send_error(405)

        def do_POST(self) -> None:
            server.requests += 1
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append({"path": self.path, **asked})
            server.keys.append(self.headers["Authorization"])
            status, body = server.queued.pop(0) if server.queued else (200, vectors(asked["input"]))
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name there
            """Say nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.url = f"http://127.0.0.1:{listening.server_port}/v1"
    try:
        yield server
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


def vectors(texts: list[str]) -> dict[str, Any]:
    """Return the answer of OpenAI's server in reverse order, since clients must use the index."""
    rows = [{"index": place, "embedding": [len(text), 1]} for place, text in enumerate(texts)]
    return {"object": "list", "data": rows[::-1]}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


def embedder(server: Server, waited: list[float] | None = None) -> EndpointEmbedder:
    settings = EndpointClass(url=server.url, model="small", key_variable="EMBEDDING_KEY", timeout_seconds=5)
    sleep = (waited if waited is not None else []).append
    return EndpointEmbedder(settings, environment={"EMBEDDING_KEY": "sk-secret"}, sleep=sleep)


def failure(embedder: EndpointEmbedder) -> str:
    with pytest.raises(EmbeddingError) as failed:
        embedder.embed(["a", "bb"])
    return str(failed.value)


def test_texts_are_sent_in_batches_with_the_key_and_vectors_keep_their_order(server: Server) -> None:
    texts = ["x" * length for length in range(1, 201)]
    assert embedder(server).embed(texts) == [[float(length), 1.0] for length in range(1, 201)]
    assert [len(asked["input"]) for asked in server.asked] == [96, 96, 8]
    assert {(asked["path"], asked["model"]) for asked in server.asked} == {("/v1/embeddings", "small")}
    assert set(server.keys) == {"Bearer sk-secret"}


def test_without_a_key_no_authorization_is_sent(server: Server) -> None:
    EndpointEmbedder(EndpointClass(url=server.url, model="small"), environment={}).embed(["a"])
    assert server.keys == [None]


def test_requests_to_a_busy_server_are_retried(server: Server) -> None:
    waited: list[float] = []
    server.queued = [(429, {}), (503, b"<html>")]
    assert embedder(server, waited).embed(["a", "bb"]) == [[1.0, 1.0], [2.0, 1.0]]
    assert waited == [0.5, 2.0]


def test_retries_of_a_busy_server_are_limited(server: Server) -> None:
    server.queued = [(500, {})] * 3
    assert failure(embedder(server)) == "the embedding endpoint at 127.0.0.1 returned 500"
    assert len(server.asked) == 3


def test_a_refused_request_is_not_retried_and_its_reason_is_reported_in_one_line(server: Server) -> None:
    server.queued = [(401, {"error": {"message": "Wrong key.\nGet a new one." + "!" * 1_000}})]
    message = failure(embedder(server))
    assert message.startswith("the embedding endpoint at 127.0.0.1 returned 401: Wrong key. Get a new one.!!")
    assert len(message) < 300
    assert len(server.asked) == 1


def test_messages_of_a_server_are_shown_without_keys_and_control_characters(server: Server) -> None:
    server.queued = [(401, {"error": {"message": "Incorrect key: Bearer sk-secret \x1b[31m\u202e"}})]
    wanted = r"the embedding endpoint at 127.0.0.1 returned 401: Incorrect key: Bearer *** \x1b[31m\u202e"
    assert failure(embedder(server)) == wanted


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_server_that_answers_slowly_times_out(start: bytes) -> None:
    sent: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            client, _ = listening.accept()
            with client, suppress(OSError):
                client.sendall(start)
                for _ in range(100):
                    client.sendall(b" ")
                    sent.append(b" ")
                    time.sleep(0.05)

        Thread(target=drip, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        message = failure(EndpointEmbedder(EndpointClass(url=url, model="small", timeout_seconds=0.3)))
        assert message == "the embedding endpoint at 127.0.0.1 did not answer within 0.3 seconds"
        assert len(sent) < 100, "it waited for all of the answer"


def test_a_busy_server_is_not_retried_after_the_timeout(server: Server) -> None:
    server.queued = [(503, {})] * 3
    impatient = EndpointEmbedder(EndpointClass(url=server.url, model="small", timeout_seconds=0.4))
    assert failure(impatient) == "the embedding endpoint at 127.0.0.1 returned 503"
    assert len(server.asked) == 1


def rows(*pairs: tuple[Any, Any]) -> dict[str, Any]:
    return {"data": [{"index": index, "embedding": embedding} for index, embedding in pairs]}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        {"data": [{"index": 0}]},
        rows((0, ["x"])),
        rows((0, "12"), (1, "12")),
        rows((0, []), (1, [])),
        rows((0, [1]), (0, [2])),
        rows((0, [1]), (2, [2])),
        rows((0, [1]), (True, [2])),
        rows((0, [10**400]), (1, [2])),
    ],
)
def test_an_answer_without_embeddings_is_an_error(server: Server, body: Any) -> None:
    server.queued = [(200, body)]
    assert failure(embedder(server)).startswith("the embedding endpoint at 127.0.0.1 returned no embeddings")


def test_too_few_vectors_are_an_error(server: Server) -> None:
    server.queued = [(200, vectors(["a"]))]
    assert failure(embedder(server)) == "the embedding endpoint at 127.0.0.1 returned 1 vectors for 2 texts"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_key_is_not_sent_to_a_redirect(status: int, server: Server) -> None:
    with serving() as other:
        server.queued = [(status, {})]
        server.headers = {"Location": f"{other.url}/embeddings"}
        assert failure(embedder(server)) == f"the embedding endpoint at 127.0.0.1 returned {status}"
        assert other.requests == 0


def test_an_unreachable_server_is_an_error() -> None:
    with serving() as gone:
        pass
    assert failure(embedder(gone)).startswith("the embedding endpoint at 127.0.0.1 cannot be reached: ")


@pytest.mark.parametrize("url", ["", "ftp://example.com/v1", "file:///etc/passwd", "api.example.com", "https://"])
def test_an_invalid_url_is_refused_at_once(url: str) -> None:
    with pytest.raises(EmbeddingError, match="the url of an embedding endpoint starts with https://"):
        EndpointEmbedder(EndpointClass(url=url, model="small"))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://user:p4ssw0rd@example.com/v1", "must not contain a user or password"),
        ("https://example.com/v1?x=1", "must not contain spaces"),
        ("https://exam ple.com/v1", "must not contain spaces"),
        ("https://example.com/v1\r\nX: y", "must not contain spaces"),
        ("https://example.com:99999999/v1", "starts with https://"),
        ("http://[::1/v1", "starts with https://"),
    ],
)
def test_an_unusable_url_is_refused_and_not_quoted(url: str, why: str) -> None:
    with pytest.raises(EmbeddingError) as refused:
        EndpointEmbedder(EndpointClass(url=url, model="small"))
    assert why in str(refused.value)
    assert "p4ss" not in str(refused.value)


def with_key(url: str, key: str) -> EndpointEmbedder:
    settings = EndpointClass(url=url, model="small", key_variable="EMBEDDING_KEY")
    return EndpointEmbedder(settings, environment={"EMBEDDING_KEY": key})


@pytest.mark.parametrize("host", ["example.com", "10.0.0.1", "localhost.example.com"])
def test_a_key_is_sent_over_http_only_to_localhost(host: str) -> None:
    with pytest.raises(EmbeddingError, match=f"the key for embeddings is not sent to {host} over http://"):
        with_key(f"http://{host}/v1", "sk-secret")
    for here in ("localhost", "127.0.0.1", "[::1]"):
        with_key(f"http://{here}/v1", "sk-secret")


@pytest.mark.parametrize("key", ["sk secret", "sk-\u201d", "sk\nsecret"])
def test_an_invalid_key_is_refused_at_once(key: str) -> None:
    with pytest.raises(EmbeddingError) as refused:
        with_key("https://example.com/v1", key)
    assert str(refused.value).startswith("the environment variable EMBEDDING_KEY has an invalid key")


def test_a_line_end_after_a_key_is_removed(server: Server) -> None:
    with_key(server.url, "sk-secret\n").embed(["a"])
    assert server.keys == ["Bearer sk-secret"]


def test_a_missing_key_is_refused_at_once() -> None:
    settings = EndpointClass(url="https://example.com/v1", model="small", key_variable="EMBEDDING_KEY")
    with pytest.raises(EmbeddingError, match=r"^the environment variable EMBEDDING_KEY has no key for embeddings$"):
        EndpointEmbedder(settings, environment={})
