"""The loop's own time: no answer of a peer or a model keeps the event loop from all else for longer than a bound.

Measured is the time of the processor in the longest step of the loop, beside that of a piece of work (`loop_steps`).
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.hostile.loop_steps import watched_steps
from tests.hostile.peers import ATTACKS, Attack, answering
from tests.hostile.test_answers import SERVERS, WANTS_LOGIN, call, token
from tests.hostile.test_mcp_peers import called
from tests.later import later
from tests.unit.llm.codeact.code_host import code_host, reply
from tests.unit.llm.tags.bot import ANN, learning, registry, tool
from toolgen.execute.mcp.server import McpHost
from toolgen.execute.mcp.sign_in import offer_of
from toolgen.execute.mcp.tokens import LoginStore
from toolgen.llm.presentations.protocol import Turn
from toolgen.llm.search.embedding import EndpointClass
from toolgen.llm.search.endpoint import EndpointEmbedder
from toolgen.llm.search.index import SearchIndex, ToolSearch
from toolgen.llm.search.vectors import Vectors
from toolgen.llm.tags import run_tags
from toolgen.runtime.base.errors import ExecutorError
from toolgen.search.documents import SearchDocument

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from toolgen.execute.mcp import McpServer
    from toolgen.runtime import Catalog

LONGEST = 20
"""Units of work in one step: with the bounds the longest takes 7, without them some take more than 30."""

OTHERS = later(["stdio", "http"])
"""Transports on which the same readers are measured as on the others."""

_TEXT = ("Content-Type: text/plain",)


def within_bounds(body: Callable[[], bytes], headers: tuple[str, ...] = ("Content-Type: application/json",)) -> Attack:
    """Return an answer that no limit refuses, and that is as costly as it may be."""
    return Attack(lambda: [body()], "", headers)


COSTLY = {
    "some values": within_bounds(lambda: b"[" + b'{"a":1},' * 50_000 + b"1]"),
    "some strings": within_bounds(
        lambda: b"[" + b",".join([b'"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"'] * 80_000) + b"]"
    ),
    "values": within_bounds(lambda: b"[" + b'{"a":1},' * 120_000 + b"1]"),
    "strings": within_bounds(lambda: b"[" + b",".join([b'"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"'] * 230_000) + b"]"),
    "keys": within_bounds(lambda: b"{%s}" % b",".join(b'"key%d":"v%d"' % (each, each) for each in range(120_000))),
    "quotes": within_bounds(lambda: b'a"' * (7 << 20), _TEXT),
    "no text": within_bounds(lambda: b"\xff" * (15 << 20), _TEXT),
    "an error": Attack(
        lambda: [b"[" + b'{"loc":["a"],"msg":"b"},' * 9_000 + b"1]"], "", status="422 Unprocessable Entity"
    ),
}


@pytest.mark.parametrize("reader", [call, pytest.param(token, marks=pytest.mark.long)], ids=["call", "token"])
@pytest.mark.parametrize(
    "name",
    [
        "some values",
        "some strings",
        "an error",
        *later(["values", "strings", "keys", "quotes", "no text", *(each for each in ATTACKS if each != "values")]),
    ],
)
@pytest.mark.variants(1)
def test_no_answer_of_an_api_holds_up_the_loop(
    catalog: Catalog, tmp_path: Path, name: str, reader: Callable[..., str]
) -> None:
    attack = {**ATTACKS, **COSTLY}[name]
    attack.body()  # made before it is measured
    with answering(attack) as peer, watched_steps() as steps:
        reader(catalog, peer, tmp_path)
    assert steps.count > 10, "no loop was watched"
    assert steps.longest < LONGEST


@pytest.mark.parametrize("place", [place for place in SERVERS if "events" not in place])
@pytest.mark.parametrize(
    "name",
    ["values", *later(["strings", "keys", "quotes", "bomb", "depth"])],
)
@pytest.mark.variants(1)
def test_no_answer_to_a_login_or_an_import_of_a_server_holds_up_the_loop(tmp_path: Path, name: str, place: str) -> None:
    read, path = SERVERS[place]
    attack = {"bomb": ATTACKS["bomb"], "depth": ATTACKS["depth"], **COSTLY}[name]
    attack.body()  # made before it is measured
    with answering(attack, (path,), WANTS_LOGIN) as peer, watched_steps() as steps, pytest.raises(ExecutorError):
        asyncio.run(asyncio.wait_for(read(peer, LoginStore(tmp_path / "logins.json")), 90))
    assert steps.longest < LONGEST


@pytest.mark.parametrize("transport", ["events", *OTHERS])
@pytest.mark.parametrize(
    "name",
    [
        *("many_strings", "long_text", "values"),
        *later(["longest_text", "many_keys", "many_members", "many_lines", "invalid_blocks"]),
    ],
)
@pytest.mark.variants(1)
def test_no_answer_of_a_server_holds_up_the_loop(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str, name: str
) -> None:
    with watched_steps() as steps:
        called(package, peer(transport), tmp_path, "fine", name)
    assert steps.count > 10, "no loop was watched"
    assert steps.longest < LONGEST


@pytest.mark.parametrize("transport", ["events", *OTHERS])
@pytest.mark.parametrize(
    "name",
    [
        "many_changes",
        "long_text",
        "many_alternatives",
        *later(["many_lines", "many_args", "many_texts", "many_values"]),
    ],
)
@pytest.mark.variants(1)
def test_no_changed_tool_of_a_server_holds_up_the_loop(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str, name: str
) -> None:
    with watched_steps() as steps:
        results, events = called(package, peer(transport, f"changed={name}"), tmp_path, "fine", "fine", "reject")
    changed, again, other = results
    assert changed.error is not None
    assert changed.error == again.error
    assert changed.error.code == "tool_changed"
    assert len(changed.error.message) < 4_000
    assert other.error is None or other.error.code != "tool_changed"
    (event, _) = [each.data for each in events if each.kind == "mcp_tool_changed"]
    assert [each[:5] for each in event.get("suspicions", ())] == ([] if name == "many_changes" else ["TG816"])
    last = "and 11,980 more changes" if name == "many_changes" else "too much text to be compared"
    assert last in event["changes"][-1]
    assert len(event["changes"]) <= 21
    assert steps.longest < LONGEST


@pytest.mark.parametrize("transport", ["sse", *OTHERS, *later(["events"])])
@pytest.mark.parametrize(
    "name",
    ["many_keys", "values", "many_tools", *later(["many_strings", "many_members", "many_lines", "invalid_blocks"])],
)
@pytest.mark.variants(1)
def test_no_list_of_a_server_holds_up_the_loop_of_an_import(
    peer: Callable[..., McpServer], tmp_path: Path, transport: str, name: str
) -> None:
    server = peer(transport, f"listing={name}")
    with watched_steps() as steps, suppress(ExecutorError):
        asyncio.run(asyncio.wait_for(offer_of(server, McpHost(cwd=tmp_path)), 90))
    assert (tmp_path / "lists").exists(), "the list was not asked for"
    assert steps.count > 10, "no loop was watched"
    assert steps.longest < LONGEST


def test_no_answer_with_vectors_holds_up_the_loop(tmp_path: Path) -> None:
    numbers = json.dumps({"data": [{"index": 0, "embedding": [0.5] * 200_000}]}).encode()
    documents = {"a": SearchDocument(key="a", names=("drawer",), description="A drawer.")}
    index = SearchIndex.build(documents.values())
    for attack in (within_bounds(lambda: numbers), ATTACKS["endless"], ATTACKS["values"]):
        with answering(attack) as peer, watched_steps() as steps:
            embedder = EndpointEmbedder(EndpointClass(url=peer.url, model="m"), environment={}, sleep=lambda _: None)
            vectors = Vectors(index, embedder, lambda names: (documents[name] for name in names), None, patience=60)
            found = asyncio.run(ToolSearch(index, vectors).search("drawer", 1, ["a"]))
        assert [hit.key for hit in found] == ["a"]
        assert peer.requests, "nothing was asked for"
        assert steps.longest < LONGEST


MODEL_TEXT = 48_000
"""Characters of a text of a model: about as many as code may have."""

ENDS = ["", "e", "`", "\\"]


async def _searches(text: str) -> None:
    index = SearchIndex.build([SearchDocument(key="a", names=("drawer",), description="A drawer.")])
    await ToolSearch(index).search(text, 1, ["a"])


async def _answers(text: str) -> None:
    code_host().codeact().interpret(reply(text))


async def _writes_code(text: str) -> None:
    pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")
    world = code_host()
    await world.codeact().execute(Turn(code=text), world)


async def _writes_tags(text: str) -> None:
    await run_tags(registry(tool("research"), learning()), f"RESEARCH: {text}\nLEARNING: factual {text}", ANN)


@pytest.mark.parametrize("door", [_searches, _answers, _writes_code, _writes_tags], ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    "part",
    [
        *("a", "~", "\\'", "f'{", "len({})\n", "lab__echo(y=[1])\n"),
        *later(["ya", "`", " ", "\n", "'", '"', "(", "[", "{", ".", "#", "A", "1", "aB", "雨", "- ", "not ", "x()\n"]),
    ],
)
@pytest.mark.variants(8)
def test_no_text_of_a_model_holds_up_the_loop(door: Callable[[str], Awaitable[None]], part: str) -> None:
    async def take(text: str) -> None:
        await asyncio.sleep(0)
        await door(text)

    for end in [""] if ")" in part else ENDS:
        with watched_steps() as steps:
            asyncio.run(take((part * MODEL_TEXT)[:MODEL_TEXT] + end))
        assert steps.longest < LONGEST, end
