"""Events and results of one small tool, as a pipeline writes them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import FailureKind, Issue, ToolError, ToolResult
from toolgen.record.chain import ChainKey
from toolgen.record.sqlite import SqliteStore
from toolgen.runtime.events.records import EventKind, NewEvent
from toolgen.runtime.redact.secrets import Secrets

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    from toolgen.runtime.events.records import Store

TOOL = "shop.orders.refund"
KEY = ChainKey(b"a key that is only known to tests")
STAGES: list[dict[str, Any]] = [
    {"stage": "permission", "decision": "allow_once", "us": 12},
    {"stage": "execute", "us": 3400},
]


def started(call: str = "c1", run: str = "r1", args: dict[str, Any] | None = None, secrets: Any = ()) -> NewEvent:
    text = json.dumps({"order": 7} if args is None else args).encode()
    return NewEvent(EventKind.TOOL_STARTED, run, TOOL, call, args=text, secrets=Secrets(*secrets))


def progress(call: str = "c1", run: str = "r1", **data: Any) -> NewEvent:
    return NewEvent(EventKind.TOOL_PROGRESS, run, TOOL, call, data)


def ended(
    kind: str = EventKind.TOOL_COMPLETED, call: str = "c1", run: str = "r1", secrets: Any = (), **data: Any
) -> NewEvent:
    return NewEvent(kind, run, TOOL, call, {"stages": STAGES, **data}, secrets=Secrets(*secrets))


def result(call: str = "c1", value: Any = None) -> ToolResult[Any]:
    given = {"refunded": True} if value is None else value
    return ToolResult(tool_name=TOOL, tool_call_id=call, value=given, payload=json.dumps(given).encode())


def denied(call: str = "c1", message: str = "not allowed to run", issues: tuple[Issue, ...] = ()) -> ToolResult[Any]:
    error = ToolError(
        message=message, kind=FailureKind.PERMISSION_DENIED, code="permission_denied", issues=issues, hint="ask"
    )
    return ToolResult(tool_name=TOOL, tool_call_id=call, error=error)


async def write(store: Store, *events: NewEvent) -> None:
    """Write events and wait for them."""
    for event in events:
        await done(store.append(event))


async def done(write: Awaitable[None] | None) -> None:
    if write is not None:
        await write


async def one_call(store: Store, call: str = "c1", run: str = "r1") -> None:
    """A call from start to end."""
    await done(store.append(started(call, run)))
    await done(store.finish(ended(call=call, run=run), result(call)))


def record(path: Path, calls: int = 3, run: str = "r1") -> None:
    """Write calls to a store with a chain; each is two events."""

    async def write_all() -> None:
        store = SqliteStore(path, key=KEY)
        for number in range(calls):
            await one_call(store, f"c{number}", run)
        await store.close()

    asyncio.run(write_all())


def record_calls(path: Path, tool: str, *pairs: tuple[Any, Any]) -> None:
    """Write calls of a tool to a store, each by its args and its result."""

    async def write_all() -> None:
        store = SqliteStore(path)
        for number, (args, value) in enumerate(pairs):
            call = f"c{number}"
            await done(store.append(started(call, args=args)._replace(tool=tool)))
            await done(store.finish(ended(call=call)._replace(tool=tool), replace(result(call, value), tool_name=tool)))
        await store.close()

    asyncio.run(write_all())
