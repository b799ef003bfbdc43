"""Checks of a Postgres store, and changes of its tables that no store makes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import psycopg

from tests.unit.record.sample import KEY
from toolgen.record.chain import verify_chain
from toolgen.record.postgres import PostgresReader, PostgresStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import LiteralString

    from toolgen.record.chain import ChainKey


def use(url: str, check: Callable[[PostgresStore], Awaitable[Any]], **settings: Any) -> None:
    """Run a coroutine function with a store and close it."""

    async def run() -> None:
        store = PostgresStore(url, **settings)
        try:
            await check(store)
        finally:
            await store.close()

    asyncio.run(run())


def change(url: str, *statements: LiteralString) -> None:
    """Change the database in a way that no store does."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def intact_calls(url: str, run: str = "r1", key: ChainKey = KEY) -> dict[str, list[str]]:
    """Verify a run; return the kinds of events of each call. Its events must be numbered without gaps, with results."""
    reader = PostgresReader(url)
    record = reader.read(run)
    assert [event.sequence for event in record.events] == list(range(len(record.events)))
    assert verify_chain(reader.chain(run), reader.head(run), key) == []
    ends = [event.sequence for event in record.events if event.kind == "tool_completed"]
    assert ends == [result.sequence for result in record.results]
    [summary] = [summary for summary in reader.runs() if summary.run_id == run]
    assert (summary.events, summary.completed) == (len(record.events), len(record.results))
    reader.close()
    calls: defaultdict[str, list[str]] = defaultdict(list)
    for event in record.events:
        calls[event.tool_call_id].append(event.kind)
    return dict(calls)
