"""Calls that wait for one attempt, to connect or to list tools, share how it ends: none makes one of its own."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from pathlib import Path

from toolgen.contract.records import ToolRequest
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.execute.mcp.connection import SharedAttempts
from toolgen.runtime import Runtime, allow_all, load

MANY = 20
FEW = 8
"""Attempts of so many calls at most: those that come when one has failed make the next."""

RAW_SERVER = Path(__file__).with_name("raw_server.py")


def failures(package: str, shell: str, *, rounds: int = 1) -> list[set[str]]:
    """Make many calls at once to a server that is started by a line of shell; return how they failed, by round."""
    server = McpServer(stdio=("sh", "-c", shell), retries=0)
    executor = mcp_executor(load(package), "mcp.shop", McpHost(timeout=60), server=server)
    runtime = Runtime(load(package), executors=[executor], permission=allow_all)

    async def all_of_them() -> list[set[str]]:
        found: list[set[str]] = []
        for _ in range(rounds):
            request = ToolRequest(name="mcp.shop.echo", payload="{}")
            results = await asyncio.gather(*(runtime.invoke(request) for _ in range(MANY)))
            found.append({"" if each.error is None else each.error.message for each in results})
        return found

    return asyncio.run(all_of_them())


def test_a_server_that_does_not_start_is_not_started_for_each_call_that_waits(
    tmp_path: Path, demo_package: str
) -> None:
    log = tmp_path / "starts"
    found = failures(demo_package, f"echo start >> {shlex.quote(str(log))}; read line; exit 1", rounds=2)
    for messages in found:
        assert all(message.startswith("cannot connect to sh ") for message in messages)
    assert 2 <= log.read_text().count("start") <= 2 * FEW


def test_tools_that_cannot_be_listed_are_not_listed_for_each_call_that_waits(tmp_path: Path, demo_package: str) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [], "nextCursor": "again"}))
    log = tmp_path / "requests"
    program = shlex.join([sys.executable, str(RAW_SERVER), str(tmp_path)])
    ((message,),) = failures(demo_package, f"tee -a {shlex.quote(str(log))} | {program}")
    assert "it repeats a page" in message
    assert 1 <= log.read_text().count('"cursor":"again"') <= FEW


def test_what_an_attempt_raises_is_raised_for_those_that_waited_and_for_no_later_one() -> None:
    attempts, made = SharedAttempts(), list[str]()

    async def make(name: str, error: BaseException | None) -> str:
        try:
            async with attempts.attempt():
                made.append(name)
                await asyncio.sleep(0)
                if error is not None:
                    raise error
        except ValueError as caught:
            return str(caught)
        return "made"

    async def all_of_them() -> list[object]:
        together = await asyncio.gather(
            make("a", ValueError("no")), make("b", None), make("c", None), return_exceptions=True
        )
        cancelled = asyncio.ensure_future(make("d", asyncio.CancelledError()))
        waiting = asyncio.ensure_future(make("e", None))
        await asyncio.wait([cancelled, waiting])
        return [*together, cancelled.cancelled(), waiting.result(), await make("f", None)]

    assert asyncio.run(all_of_them()) == ["no", "no", "no", True, "made", "made"]
    assert made == ["a", "d", "e", "f"]
