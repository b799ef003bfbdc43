"""Answers that cost more than they are worth, to everything that reads one over HTTP: each is refused at its limit."""

from __future__ import annotations

import re
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.peers import ATTACKS, Attack, Peer, answering
from tests.unit.execute.http.api import invoke, package_of
from toolgen.cli.commands.specs.import_openapi import _Reader
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.llm.search.embedding import EmbeddingError, EndpointClass
from toolgen.llm.search.endpoint import EndpointEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from toolgen.runtime import Catalog

SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api:
  base_url: https://api.shop.example
  auth: {client: {type: oauth2, token_url: TOKEN_URL, client_id: $env.CLIENT, client_secret: $env.SECRET}}
tools:
  get: {description: x, permission: readonly, args: {}, http: {method: GET, path: /items, security: []}}
  signed: {description: x, permission: readonly, args: {}, http: {method: GET, path: /items, security: [[client]]}}
"""
MOST_SENT = 40 << 20
"""The bound of an answer, 16 MiB, with what sockets hold."""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(
        tmp_path_factory.mktemp("answers"), "compiled_answers", SPEC.replace("TOKEN_URL", "https://t.example")
    )


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
        _Reader(folder, peer.url).read(f"{peer.url}/a.yaml", "b.yaml")
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
def test_an_answer_costs_no_more_than_its_bound(catalog: Catalog, tmp_path: Path, name: str, reader: str) -> None:
    attack = ATTACKS[name]
    read, differs = READERS[reader]
    with answering(attack) as peer:
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
            _Reader(tmp_path, peer.url).read(f"{peer.url}/a.yaml", "b.yaml")
        assert other.requests == []
