from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from mcp.shared.exceptions import MCPError

from tests.unit.runtime.endings import IN_OWN_LOOPS
from tests.unit.serve.conftest import MANY, TOKENS, Listening, Mode, Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from mcp import Client
    from mcp_types import TextContent, Tool

pytestmark = pytest.mark.xdist_group("serve")

Connect: TypeAlias = "Callable[..., AbstractAsyncContextManager[Client]]"

ALL = MANY + 10
"""All tools but the one that a policy denies."""


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, project: Project) -> Any:
    """Connects a client of the SDK by one of the transports."""

    def connected(mode: Mode, **options: Any) -> Any:
        if request.param == "stdio":
            return project.by_stdio("--user", "ana", mode=mode, **options)
        listening: Listening = request.getfixturevalue("listening")
        return project.by_http(listening.url, str(TOKENS["ana"]), mode=mode, **options)

    return connected


MODES = pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])


@MODES
def test_a_client_lists_calls_and_is_told_of_failures(connect: Connect, mode: Mode, version: str) -> None:
    async def use() -> None:
        async with connect(mode) as client:
            assert client.protocol_version == version
            await lists_pages(client)
            await calls(client, is_modern=mode == "auto")
            await fails(client)

    asyncio.run(use())


async def lists_pages(client: Client) -> None:
    tools: list[Tool] = []
    cursor, pages = None, 0
    while True:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        pages += 1
        if client.protocol_version >= "2026-07-28":
            assert (page.ttl_ms, page.cache_scope) == (300_000, "private")
        cursor = page.next_cursor
        if cursor is None:
            break
    assert pages == 2
    assert len(tools) == ALL
    names = [tool.name for tool in tools]
    assert names == sorted(names)
    assert "team__notes__wipe" not in names
    read = next(tool for tool in tools if tool.name == "team__notes__read")
    assert (read.title, read.description) == ("Read notes", "Read the notes of a book.")
    assert read.annotations is not None
    assert read.annotations.read_only_hint is True
    browse = next(tool for tool in tools if tool.name == "team__jobs__browse")
    assert browse.annotations is not None
    assert browse.annotations.open_world_hint is True
    with pytest.raises(MCPError, match="no such cursor"):
        await client.list_tools(cursor="bm9uZQ==")


async def calls(client: Client, *, is_modern: bool) -> None:
    read = await client.call_tool("team__notes__read", {"book": "empty"})
    assert [block.model_dump(exclude_none=True) for block in read.content] == [{"type": "text", "text": "[]"}]
    # Before 2026-07-28 structured content is an object.
    assert read.structured_content == ([] if is_modern else None)
    waited = await client.call_tool("team__jobs__wait", {"name": "w", "seconds": 0})
    assert waited.structured_content == {"waited": 0}
    assert json.loads(text_of(waited)) == waited.structured_content
    nothing = await client.call_tool("team__jobs__nothing")
    assert (text_of(nothing), nothing.is_error) == ("null", False)


async def fails(client: Client) -> None:
    invalid = await client.call_tool("team__notes__read", {"bok": "a"})
    assert invalid.is_error
    assert "remove `bok` (did you mean `book`?)" in text_of(invalid)
    assert 'args that fit: {"book": "text"}' in text_of(invalid)
    failed = await client.call_tool("team__jobs__fail")
    assert failed.is_error
    assert text_of(failed).startswith("the printer is on fire\nthe tool failed although the call was valid")
    for name in ("team__notes__wipe", "team.notes.wipe", "nothing"):
        with pytest.raises(MCPError, match=f"Unknown tool: {name}") as unknown:
            await client.call_tool(name)
        assert unknown.value.code == -32602


@MODES
def test_progress_reaches_the_client_and_only_rises(connect: Connect, mode: Mode, version: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def use() -> None:
        async with connect(mode) as client:
            await client.call_tool("team__jobs__wait", {"name": "p", "seconds": 0.01}, progress_callback=note)

    asyncio.run(use())
    assert seen == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3"), (4, None, '{"rows":7}')]


@MODES
def test_numbers_that_no_client_reads_end_no_connection(connect: Connect, mode: Mode, version: str) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        if message == "odd":
            seen.append((progress, total))

    async def use() -> None:
        async with connect(mode) as client:
            for name in ("odd", "after"):
                answer = await client.call_tool(
                    "team__jobs__wait", {"name": name, "seconds": 0.01}, progress_callback=note
                )
                assert not answer.is_error

    asyncio.run(use())
    assert seen == [(number, None) for number in range(1, 6)]


@MODES
def test_cancellation_reaches_the_handler(connect: Connect, mode: Mode, version: str, project: Project) -> None:
    for mark in project.folder.glob("c.*"):
        mark.unlink()

    async def use() -> None:
        async with connect(mode) as client:
            call = asyncio.create_task(client.call_tool("team__jobs__wait", {"name": "c", "seconds": 300}))
            await exists(project.folder / "c.started")
            call.cancel()
            await exists(project.folder / "c.cancelled")
            assert (await client.call_tool("team__jobs__wait", {"name": "w", "seconds": 0})).is_error is False

    asyncio.run(use())


def test_an_agent_is_served_its_own_tools_and_says_what_it_is_for(project: Project) -> None:
    async def use() -> None:
        async with project.by_stdio("--agent", "clerk") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                "team__notes__add",
                "team__notes__read",
            ]
            assert client.instructions == "Keeps notes."
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("team__jobs__who")

    asyncio.run(use())


async def exists(path: Any) -> None:
    async with asyncio.timeout(30):
        while not path.exists():
            await asyncio.sleep(0.02)


def text_of(result: Any) -> str:
    (block,) = result.content
    found: TextContent = block
    return found.text


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_tool_that_would_end_the_server_has_failed_and_others_go_on(
    transport: str, project: Project, tmp_path: Path
) -> None:
    server = project.start("--user", "ana") if transport == "http" else None

    async def use() -> None:
        async with project.by_http(server.url) if server else project.by_stdio("--user", "ana") as client:
            args = {"name": str(tmp_path / "goes_on"), "seconds": 3}
            beside = asyncio.create_task(client.call_tool("team__jobs__wait", args))
            await exists(tmp_path / "goes_on.started")
            for how in IN_OWN_LOOPS:
                result = await client.call_tool("team__jobs__end", {"how": how})
                assert result.is_error, how
            assert (await beside).structured_content == {"waited": 3}

    asyncio.run(use())
    if server is not None:
        code, said = server.stop()
        assert code == 0, said
