"""One answer of a model with all its calls: the answers to them, and the record."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.unit.llm.tags.bot import ANN, learning, registry, tool
from toolgen.contract.records import ToolResult
from toolgen.llm.tags import TagTurn, ToolContext, run_tags

if TYPE_CHECKING:
    from toolgen.llm.tags import TagRegistry

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def turn(made: TagRegistry, raw: str) -> TagTurn:
    return asyncio.run(run_tags(made, raw, ANN))


async def silent(_ctx: ToolContext) -> ToolResult[Any]:
    return ToolResult(audit={"kept": True})


async def broken(_ctx: ToolContext) -> ToolResult[Any]:
    raise ValueError("the index is down")


def test_tel_20_each_call_is_recorded_and_those_with_output_are_answered() -> None:
    made = registry(tool("research"), tool("source", silent), clock=lambda: NOON, monotonic=lambda: 0)
    found = turn(made, "On it.\nSOURCE: a\nRESEARCH: tides")
    stamps = {"ts": "2026-03-01T12:00:00+00:00", "duration_ms": 0}
    assert found.audit == [{"tool": "research", **stamps}, {"kept": True, "tool": "source", **stamps}]
    assert (found.display, found.messages) == ("On it.", ["tides"])


def test_tel_20_an_empty_message_is_no_reply() -> None:
    async def empty(_ctx: ToolContext) -> ToolResult[Any]:
        return ToolResult(message="")

    found = turn(registry(tool("source", empty), tool("research")), "SOURCE: a\nRESEARCH: tides")
    assert found.messages == ["tides"]
    assert [entry["tool"] for entry in found.audit] == ["research", "source"]


def test_tel_20_an_answer_without_tags_is_only_text() -> None:
    assert turn(registry(tool("research")), "Hello.") == TagTurn(display="Hello.", results=())


def test_tel_31_a_failed_call_does_not_stop_the_next() -> None:
    made = registry(tool("claim", broken), tool("research", daily_limit=1), learning(), clock=lambda: NOON)
    found = turn(made, "RESEARCH: a\nRESEARCH: b\nCLAIM: c\nLEARNING: factual d")
    assert [result.success for result in found.results] == [False, True, True, False]
    assert found.messages == [
        "the index is down",
        "factual + d",
        "a",
        "research cannot run: rate limit exceeded",
    ]
    assert [entry["tool"] for entry in found.audit] == ["claim", "learning", "research", "research"]


def test_tel_31_no_call_receives_the_result_of_another() -> None:
    seen: list[ToolContext] = []

    async def handler(ctx: ToolContext) -> ToolResult[Any]:
        seen.append(ctx)
        return ToolResult(message="RESEARCH: again", value="secret")

    found = turn(registry(tool("claim", handler), tool("research", handler)), "CLAIM: one\nRESEARCH: two")
    assert [vars(ctx) for ctx in seen] == [
        {**vars(ANN), "raw_arg": raw, "args": {"raw_arg": raw}} for raw in ("one", "two")
    ]
    assert len(found.results) == 2
