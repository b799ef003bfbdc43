"""MCP servers that attack their client, over each transport: the call ends, and says at which limit."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import resource
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.forked_python import forked_python
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.execute.mcp import McpHost, McpServer, connection, mcp_executor
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.policy import policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.contract.records import ToolResult

MEMORY_KIB = 400 * 1024
"""The most that this process may grow by while it reads an attack."""


def called(
    package: str, server: McpServer, folder: Path, *names: str, host: McpHost | None = None
) -> tuple[list[ToolResult[Any]], list[Any]]:
    """Call tools one after the other on one connection; with the events of their run."""

    async def main() -> tuple[list[ToolResult[Any]], list[Any]]:
        store = MemoryStore()
        catalog = load(package)
        registration = mcp_executor(catalog, "mcp.shop", host or McpHost(cwd=folder), server=server)
        runtime = Runtime(catalog, executors=[registration], permission=allow_all, store=store)
        found: list[Any] = []
        runs: Any = registration.executor
        async with runs:
            for name in names:
                request = ToolRequest(name=f"mcp.shop.{name}", payload="{}")
                found.append(await asyncio.wait_for(runtime.invoke(request, meta=ToolCallMeta(run_id="r")), 100))
        return found, list((await store.read("r")).events)

    return asyncio.run(main())


REFUSED = {
    "long": "16,777,216 bytes",
    "values": "JSON values",
    "depth": "recursion|not one of JSON-RPC|nested",
    "blocks": "1,000 content blocks",
    "invalid_blocks": "1,000 content blocks|JSON values",
    "many_members": "32 members",
    "broken": "JSON",
    "wrong": "JSON",
}


@pytest.mark.parametrize(
    ("transport", "name"),
    [
        *((transport, name) for transport in ("stdio", "events") for name in REFUSED),
        *(
            pytest.param("http", name, marks=() if name in ("long", "values", "broken") else pytest.mark.long)
            for name in REFUSED  # what is checked after an answer was read is the same for each transport
        ),
    ],
)
@pytest.mark.variants(6)
def test_an_answer_that_costs_too_much_or_cannot_be_read_ends_its_call(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str, name: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (result, after), _ = called(package, peer(transport), tmp_path, name, "fine")
    assert result.error is not None
    assert (result.error.kind, result.error.code) == ("malformed_result", "answer_refused"), result.error
    assert re.search(REFUSED[name], result.error.message), result.error.message
    assert after.error is None, after.error  # the next call has a connection that works
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY_KIB


@pytest.mark.parametrize("name", ["comments", "lines"])
def test_a_stream_of_events_has_a_bound_of_lines(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, name: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (result, after), _ = called(package, peer("events"), tmp_path, name, "fine")
    assert result.error is not None
    assert "50,000 lines of events" in result.error.message
    assert after.error is None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_events_that_the_sdk_does_not_know_reach_no_terminal(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (result,), _ = called(package, peer("events"), tmp_path, "unknown")
    assert result.error is None
    assert capfd.readouterr().err == ""


def test_a_log_of_the_host_has_the_words_of_a_server_escaped(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    called(package, peer("events"), tmp_path, "unknown")
    assert "Unknown SSE event: \\x1b[2J\\u202e\\x9bAllow? [y/N]" in caplog.messages


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_that_does_not_connect_is_given_up_in_time_and_leaves_nothing(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str
) -> None:
    async def main() -> None:
        catalog = load(package)
        host = McpHost(cwd=tmp_path, timeout=0.5)
        registration = mcp_executor(catalog, "mcp.shop", host, server=peer(transport, "mute"))
        runtime = Runtime(catalog, executors=[registration], permission=allow_all)
        request = ToolRequest(name="mcp.shop.fine", payload="{}")
        result = await asyncio.wait_for(runtime.invoke(request, meta=ToolCallMeta()), 100)
        assert result.error is not None
        assert result.error.code == "server_unreachable"
        assert "no answer in 0.5 s" in result.error.message
        assert asyncio.all_tasks() == {asyncio.current_task()}
        if transport == "stdio":
            assert processes_in(tmp_path) == []

    asyncio.run(main())


def test_a_session_ends_also_if_its_server_does_not_confirm_it(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_CLOSE_SECONDS", 0.5)

    async def main() -> None:
        catalog = load(package)
        registration = mcp_executor(catalog, "mcp.shop", McpHost(), server=peer("http", "clinging"))
        runtime = Runtime(catalog, executors=[registration], permission=allow_all)
        request = ToolRequest(name="mcp.shop.fine", payload="{}")
        assert (await runtime.invoke(request, meta=ToolCallMeta())).error is None
        runs: Any = registration.executor
        await asyncio.wait_for(runs.close(), 60)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("transport", "name"),
    [
        *(("stdio", name) for name in ("notifications", "answers", "mixed")),
        ("events", "notifications"),  # there, any answer in the stream of a request is taken for its own
    ],
)
@pytest.mark.variants(2)
def test_messages_without_end_end_the_connection(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str, name: str
) -> None:
    """Also where answers to requests that nobody made are among them."""
    (result, after), _ = called(package, peer(transport), tmp_path, name, "fine")
    assert result.error is not None
    assert "10,000 messages" in result.error.message
    assert after.error is None


@pytest.mark.parametrize("transport", ["stdio", "events"])
@pytest.mark.parametrize("name", ["progress", "logs"])
@pytest.mark.variants(2)
def test_reports_of_a_call_are_kept_up_to_a_bound(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str, name: str
) -> None:
    (result,), events = called(package, peer(transport), tmp_path, name)
    assert result.error is None, result.error
    kept = [event for event in events if event.kind in ("tool_progress", "mcp_log")]
    assert 100 < len(kept) <= 1_001
    assert sum(len(json.dumps(event.data)) for event in kept) <= 1_100_000
    assert "are not kept" in json.dumps(kept[-1].data)


@pytest.mark.parametrize("transport", ["stdio", "events"])
def test_a_list_that_changes_with_each_reading_ends_the_call(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str
) -> None:
    (first, second, third), _ = called(package, peer(transport), tmp_path, "list_storm", "fine", "fine")
    assert first.error is None
    for result in (second, third):
        assert result.error is not None
        assert "changed 5 times while it was read" in result.error.message
    assert len((tmp_path / "lists").read_text().splitlines()) <= 12


def test_what_a_server_prints_beside_its_messages_is_ignored(
    package: str, peer: Callable[..., McpServer], tmp_path: Path
) -> None:
    (result,), _ = called(package, peer("stdio"), tmp_path, "noise")
    assert result.value == "null" or result.error is None


def test_stderr_of_a_server_is_shown_with_its_name_and_escaped(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    called(package, peer("stdio"), tmp_path, "stderr", "fine")
    shown = capfd.readouterr().err
    prefix = f"[{forked_python()}"
    lines = [line for line in shown.splitlines() if "Allow" in line or "long" in line or "not shown" in line]
    assert all(line.startswith(prefix[:50]) for line in lines)
    assert "\\x1b[2J\\rAllow mcp.shop.pay? [y/N] \\u202ey" in lines[0]
    assert "\x1b" not in shown
    assert len(shown) < 700_000
    assert "not shown" in lines[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="survivors are searched in /proc")
def test_what_a_server_started_ends_with_it(package: str, peer: Callable[..., McpServer], tmp_path: Path) -> None:
    called(package, peer("stdio"), tmp_path, "daemon")
    assert processes_in(tmp_path) == []


def processes_in(folder: Path) -> list[str]:
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.joinpath("cwd").readlink() == folder.resolve():
                found.append(entry.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("transport", ["stdio", "http", "events"])
def test_a_call_without_an_answer_ends_at_the_default_timeout(
    package: str, peer: Callable[..., McpServer], tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert policy.TIMEOUT_MS == 120_000
    monkeypatch.setattr(policy, "TIMEOUT_MS", 2_000)
    (result, after), _ = called(package, peer(transport), tmp_path, "silent", "fine")
    assert result.error is not None
    assert (result.error.kind, result.error.code) == ("timeout", "timeout")
    assert after.error is None


@pytest.mark.parametrize("transport", ["stdio", "http", "events"])
def test_credentials_that_a_server_repeats_reach_neither_models_nor_the_record(
    package: str,
    peer: Callable[..., McpServer],
    tmp_path: Path,
    transport: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    server = peer(transport)
    given = "tok-0123456789-abcdef"
    if transport == "stdio":
        server = replace(server, env=("SERVER_PRIVATE_KEY", "SERVER_TOKEN"))
        key = "\n".join(f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ{line:02}" for line in range(30))
        host = McpHost(cwd=tmp_path, environment={**os.environ, "SERVER_PRIVATE_KEY": key, "SERVER_TOKEN": given})
    else:
        server = replace(server, headers={"Authorization": "Bearer $env.SERVER_TOKEN"})
        host = McpHost(cwd=tmp_path, environment={"SERVER_TOKEN": given})
    results, events = called(package, server, tmp_path, "repeat", "reject", "refuse", host=host)
    ended = [result.error and result.error.code for result in results]
    assert ended == [None, "tool_error", "mcp_error_-32000"]  # the code that the SDK has for closed connections, too
    shown = "".join(f"{result} {result.payload.decode()}" for result in results) + repr(events)
    if transport == "stdio":  # else the server is a process of this test
        log = capfd.readouterr().err
        assert "x" * 990 in log
        assert not any(given[at : at + 6] in log for at in range(len(given) - 5))
        shown += log
    assert shown.count("[redacted]") > 10
    encoded = [given, base64.b64encode(given.encode()).decode()[:20], given.encode().hex(), f"%{ord(given[0]):02x}%"]
    assert [text for text in encoded if text in shown] == []
