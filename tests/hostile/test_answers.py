"""Answers that cost more than they are worth, to everything that reads one over HTTP: each is refused at its limit."""

from __future__ import annotations

import asyncio
import re
import time
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.peers import ATTACKS, Attack, Peer, answering, empty_blocks
from tests.unit.execute.http.api import invoke
from toolgen.cli.importers.openapi import DescriptionFiles
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.execute.mcp import McpHost, McpServer
from toolgen.execute.mcp.sign_in import mcp_sign_in, offer_of
from toolgen.execute.mcp.tokens import LoginStore, stored_auth
from toolgen.llm.search.embedding import EmbeddingError, EndpointClass
from toolgen.llm.search.endpoint import EndpointEmbedder
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from toolgen.runtime import Catalog

MOST_SENT = 40 << 20
"""The bound of an answer, 16 MiB, with what sockets hold."""


def call(catalog: Catalog, peer: Peer, _folder: Path) -> str:
    result = invoke(catalog, "get", base_url=peer.url, environment={})
    return "" if result.error is None else result.error.message


def token(catalog: Catalog, peer: Peer, _folder: Path) -> str:
    definition = catalog.section("toolsets")["shop.api"]["api"]["auth"]["client"]
    definition["token_url"] = f"{peer.url}/token"
    environment = {"CLIENT": "the-client", "SECRET": "the-secret"}
    result = invoke(catalog, "signed", base_url=peer.url, environment=environment)
    assert result.error is not None
    return result.error.message


def document(_catalog: Catalog, peer: Peer, folder: Path) -> str:
    try:
        DescriptionFiles(folder, peer.url, {}).read(f"{peer.url}/a.yaml", "b.yaml")
    except Unreadable as error:
        return str(error)
    return ""


def vectors(_catalog: Catalog, peer: Peer, _folder: Path) -> str:
    settings = EndpointClass(url=peer.url, model="m", timeout_seconds=60)
    try:
        EndpointEmbedder(settings, environment={}, sleep=lambda _: None).embed(["a"])
    except EmbeddingError as error:
        return str(error)
    return ""


READERS: dict[str, tuple[Callable[[Any, Peer, Path], str], dict[str, str]]] = {
    "call": (call, {}),
    "token": (
        token,
        dict.fromkeys(["endless", "endless nothing", "bomb", "values", "depth"], "token endpoint|refused"),
    ),
    "document": (document, {"depth": "", "values": "JSON values"}),
    "vectors": (
        vectors,  # which asks for no content coding, and reads none
        dict.fromkeys(
            ["layers", "repeated header", "bomb", "no coding", "cut", "unasked", "endless nothing"], "no embeddings|MiB"
        ),
    ),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.variants(12)
def test_an_answer_costs_no_more_than_its_bound(catalog: Catalog, tmp_path: Path, name: str, reader: str) -> None:
    attack = ATTACKS[name]
    read, differs = READERS[reader]
    with answering(attack) as peer:
        attack.body()  # made before it is measured
        tracemalloc.start()
        try:
            said = read(catalog, peer, tmp_path)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    limit = differs.get(name, attack.limit)
    assert re.search(limit, said), said
    assert peer.sent <= (110 << 20 if reader == "document" else MOST_SENT)
    assert peak <= (300 << 20 if reader == "document" else 100 << 20)


def test_the_charset_of_an_answer_may_not_cost_more_than_its_bytes(catalog: Catalog, tmp_path: Path) -> None:
    for charset in ("punycode", "idna", "utf-7", "unicode_escape"):
        attack = Attack(
            lambda: [b"a" * 50_000 + b"-" + b"9" * 400_000], "", (f"Content-Type: text/plain; charset={charset}",)
        )
        with answering(attack) as peer:
            assert call(catalog, peer, tmp_path) == ""


def test_a_redirect_to_another_host_is_refused_before_it_is_followed(tmp_path: Path) -> None:
    with answering(Attack(lambda: [b"{}"], "")) as other:
        moved = Attack(list, "", (f"Location: {other.url}/secret", "Content-Length: 0"), status="302 Found")
        with answering(moved) as peer, pytest.raises(Unreadable, match="another host"):
            DescriptionFiles(tmp_path, peer.url, {}).read(f"{peer.url}/a.yaml", "b.yaml")
        assert other.requests == []


WANTS_LOGIN = b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


async def listed(peer: Peer, _logins: LoginStore) -> None:
    await offer_of(McpServer(http=f"{peer.url}/mcp", retries=0), McpHost())


async def listed_by_events(peer: Peer, _logins: LoginStore) -> None:
    await offer_of(McpServer(sse=f"{peer.url}/mcp", retries=0), McpHost())


async def login(peer: Peer, logins: LoginStore) -> None:
    await mcp_sign_in(McpServer(http=f"{peer.url}/mcp", retries=0), print, logins)


async def refresh(peer: Peer, logins: LoginStore) -> None:
    url = f"{peer.url}/mcp"
    server = {"issuer": peer.url, "authorization_endpoint": f"{peer.url}/page", "token_endpoint": f"{peer.url}/token"}
    logins.put(
        url,
        {
            "tokens": {"access_token": "a", "refresh_token": "r", "token_type": "Bearer"},
            "expires_at": 1.0,
            "client": {"client_id": "c", "redirect_uris": ["http://127.0.0.1/callback"]},
            "server": {**server, "response_types_supported": ["code"]},
        },
    )
    await offer_of(McpServer(http=url, retries=0), McpHost(auth=await stored_auth(url, logins)))


SERVERS: dict[str, tuple[Callable[[Peer, LoginStore], Awaitable[None]], bytes]] = {
    "the server": (listed, b"/mcp"),
    "the server by events": (listed_by_events, b"/mcp"),
    "where to sign in": (login, b"/.well-known"),
    "the registration": (login, b"/register"),
    "the token": (refresh, b"/token"),
}
"""Who reads answers of an MCP server and of what it signs in to, and the path of the answer that attacks."""


@pytest.mark.parametrize(
    ("name", "place"),
    [
        # The registration is read as what says where to sign in.
        pytest.param(
            name,
            place,
            marks=pytest.mark.long if place == "the registration" and name not in ("bomb", "values") else (),
        )
        for name in ATTACKS
        for place in SERVERS
    ],
)
@pytest.mark.variants(12)
def test_an_answer_to_a_login_or_an_import_of_a_server_costs_no_more_than_its_bound(
    tmp_path: Path, name: str, place: str
) -> None:
    read, path = SERVERS[place]
    attack = ATTACKS[name]
    if "events" in place:
        attack = replace(attack, headers=("Content-Type: text/event-stream", *attack.headers[1:]))
    logins = LoginStore(tmp_path / "logins.json")
    with answering(attack, (path,), WANTS_LOGIN) as peer:
        attack.body()  # made before it is measured
        tracemalloc.start()
        try:
            with pytest.raises(ExecutorError):
                asyncio.run(asyncio.wait_for(read(peer, logins), 90))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert any(request.split(b" ")[1].startswith(path) for request in peer.requests), "the attack was not read"
    assert peer.sent <= 2 * MOST_SENT
    assert peak <= 100 << 20


@pytest.mark.parametrize("charset", ["punycode", "utf-16-le", "utf-7"])
@pytest.mark.parametrize("place", ["the server", "the server by events"])
def test_the_charset_that_a_server_names_costs_nothing(tmp_path: Path, charset: str, place: str) -> None:
    """Punycode takes quadratic time, and UTF-16 hides values from the check of UTF-8."""
    read, path = SERVERS[place]
    text = b"a" * 700_000 + b"-" + b"ab" * 150_000
    if charset != "punycode":
        text = ('data: {"jsonrpc":"2.0","id":1,"result":[0' + ",0" * 1_500_000 + "]}\n\n").encode(charset)
    attack = Attack(lambda: [text, b"\n\n"], "", (f"Content-Type: text/event-stream; charset={charset}",))
    with answering(attack, (path,), WANTS_LOGIN) as peer:
        start = time.process_time()
        with pytest.raises(ExecutorError):
            asyncio.run(asyncio.wait_for(read(peer, LoginStore(tmp_path / "logins.json")), 90))
        assert time.process_time() - start < 5


@pytest.mark.parametrize("charset", ["punycode", "utf-16-le", "utf-8"])
def test_the_reason_of_a_refused_registration_is_read_as_utf_8(tmp_path: Path, charset: str) -> None:
    headers = (f"Content-Type: text/plain; charset={charset}",)
    attack = Attack(lambda: [b"no clients here, please"], "", headers, status="400 Bad Request")
    with (
        answering(attack, (b"/register",), WANTS_LOGIN) as peer,
        pytest.raises(ExecutorError, match="no clients here, please"),
    ):
        asyncio.run(asyncio.wait_for(login(peer, LoginStore(tmp_path / "logins.json")), 90))


def comments() -> Iterator[bytes]:
    while True:
        yield b":\n\n" * 1_000


@pytest.mark.parametrize("body", [comments, empty_blocks], ids=["comments", "empty blocks"])
def test_a_stream_of_events_without_any_ends(tmp_path: Path, body: Callable[[], Iterator[bytes]]) -> None:
    """A client waits for a server that says nothing, and not for one that says nothing without end."""
    coding = ("Content-Encoding: gzip",) if body is empty_blocks else ()
    attack = Attack(body, "", ("Content-Type: text/event-stream", *coding))
    with answering(attack) as peer, pytest.raises(ExecutorError):
        asyncio.run(asyncio.wait_for(listed_by_events(peer, LoginStore(tmp_path / "logins.json")), 90))
    assert peer.sent <= MOST_SENT


def test_a_server_that_opens_a_stream_and_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    async def open_(peer: Peer) -> None:
        await offer_of(McpServer(sse=f"{peer.url}/mcp", retries=0), McpHost(timeout=0.5))

    def slowly() -> Iterator[bytes]:
        while True:
            yield b":\n\n"
            time.sleep(0.05)

    attack = Attack(slowly, "", ("Content-Type: text/event-stream",))
    with answering(attack) as peer, pytest.raises(ExecutorError, match="no answer in"):
        asyncio.run(asyncio.wait_for(open_(peer), 60))
