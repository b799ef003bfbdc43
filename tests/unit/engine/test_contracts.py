"""Runs whose tool has changed meanwhile: calls that mean the same are made, others wait for the tool as it was."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.engine.app import read, request, write
from tests.unit.engine.engines import until
from toolgen.engine.host import without_effect
from toolgen.runtime.policy.permission import Decision, PermissionDecision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.unit.engine.engines import Engines

ALLOW = PermissionDecision(decision=Decision.ALLOW_ONCE)


def args(*names: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, **more}


OLD = args("text", "dry_run")
CASES = [
    (args("text", "dry_run", "more"), "compatible", ""),
    (args("text"), "compatible", "own.note has changed: the arg `dry_run` is gone"),
    (args("text", "dry_run", "more"), "wait", "own.note has changed since the call was planned"),
    (args("text", additionalProperties=False), "compatible", "own.note has changed, and does not take these args"),
]


@pytest.mark.parametrize(("new", "mode", "reason"), CASES, ids=["compatible", "ignored", "strict", "rejected"])
@pytest.mark.variants(2)
def test_a_planned_call_is_made_where_it_means_the_same(
    durable: Engines, new: dict[str, Any], mode: str, reason: str
) -> None:
    async def body() -> None:
        async with durable.opened(own=OLD) as running:
            run_id = await running.engine.start(request([("own.note", {"text": "x", "dry_run": "y"})]))
            (asked,) = await running.questions(run_id)
        async with durable.opened(own=new, worker={"on_tool_change": mode}) as running:
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            if reason:
                info = await until(partial(running.engine.info, run_id), lambda info: info.state == "failed")
                assert info.reason == "tool_changed"
                assert info.detail.startswith(reason)
                return
            (again,) = await until(
                partial(running.engine.approvals, run_id), lambda found: found and found[0].id != asked.id
            )
            await running.engine.decide(run_id, again.id, ALLOW, by="ann")
            assert (await running.engine.result(run_id, 300)).stopped == "completed"

    asyncio.run(body())


WRITE = "code.write_file"
CHANGES: list[Mapping[str, Any]] = [
    {"description": "Write any file."},
    {"permission": "write", "tags": ["filesystem", "write", "dangerous"]},
    {"handler": "app.files:write"},
    {"access": {"write": ["path"], "scope": ["content"]}},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(reversed(change)))
@pytest.mark.parametrize("mode", ["wait", "compatible"])
@pytest.mark.variants(3)
def test_only_a_worker_that_waits_for_the_tool_as_it_was_cares_for_more_than_its_args(
    durable: Engines, change: Mapping[str, Any], mode: str
) -> None:
    async def body() -> None:
        async with durable.opened() as running:
            run_id = await running.engine.start(request([write("a")]))
            (asked,) = await running.questions(run_id)
        async with durable.opened(changed={WRITE: change}, worker={"on_tool_change": mode}) as running:
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            if mode == "wait":
                info = await until(partial(running.engine.info, run_id), lambda info: info.state == "failed")
                assert (info.reason, info.detail) == (
                    "tool_changed",
                    f"{WRITE} has changed since the call was planned",
                )
                assert running.marks() == []
                return
            (again,) = await until(
                partial(running.engine.approvals, run_id), lambda found: found and found[0].id != asked.id
            )
            await running.engine.decide(run_id, again.id, ALLOW, by="ann")
            assert (await running.engine.result(run_id, 300)).stopped == "completed"

    asyncio.run(body())


@pytest.mark.parametrize("changed", [{}, {"code.read_file": {"description": "Another tool."}}], ids=["same", "other"])
def test_no_run_waits_where_its_tool_is_as_it_was(durable: Engines, changed: Mapping[str, Any]) -> None:
    async def body() -> None:
        async with durable.opened() as running:
            run_id = await running.engine.start(request([write("a")]))
            (asked,) = await running.questions(run_id)
        async with durable.opened(changed=changed, worker={"on_tool_change": "wait"}) as running:
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            assert (await running.engine.result(run_id, 300)).stopped == "completed"
            assert running.marks() == ["a"]

    asyncio.run(body())


def test_a_run_waits_for_a_worker_that_has_the_tool_as_it_was(durable: Engines) -> None:
    async def body() -> None:
        async with durable.opened(own=OLD) as running:
            run_id = await running.engine.start(request([read("a"), ("own.note", {"text": "x", "dry_run": "y"})]))
            (asked,) = await running.questions(run_id)
        async with durable.opened(own=args("text"), worker={"tool_wait": 600}) as running:
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            await until(partial(running.engine.info, run_id), lambda info: info.state == "queued")
        async with durable.opened(own=OLD) as running:
            assert (await running.engine.result(run_id, 300)).stopped == "completed"
            assert running.marks() == ["a"]

    asyncio.run(body())


def test_a_run_that_has_waited_long_enough_for_a_tool_fails(durable: Engines) -> None:
    async def body() -> None:
        async with durable.opened(own=OLD) as running:
            run_id = await running.engine.start(request([("own.note", {"text": "x", "dry_run": "y"})]))
            (asked,) = await running.questions(run_id)
        async with durable.opened(own=args("text"), worker={"tool_wait": 1}) as running:
            await running.engine.decide(run_id, asked.id, ALLOW, by="ann")
            info = await until(partial(running.engine.info, run_id), lambda info: info.state == "failed")
            assert info.reason == "tool_changed"

    asyncio.run(body())


@pytest.mark.parametrize(
    ("before", "after", "given", "is_lost"),
    [
        (args("a", "b"), args("a"), {"b": "x"}, True),
        (args("a", "b"), args("a"), {"a": "x"}, False),
        (args("a"), args("b"), {"a": "x"}, True),
        (args("a"), args("a", "b"), {"a": "x"}, False),
        (args("a"), args("a"), {"other": "x"}, False),
        (
            {"type": "object", "properties": {"o": args("a", "b")}},
            {"type": "object", "properties": {"o": args("a")}},
            {"o": {"b": "x"}},
            True,
        ),
        (
            {"type": "object", "properties": {"o": args("a", "b")}},
            {"type": "object", "properties": {"o": args("a")}},
            {"o": {"a": "x"}},
            False,
        ),
    ],
)
def test_args_that_lost_their_effect_are_found(before: Any, after: Any, given: Any, is_lost: bool) -> None:
    assert bool(without_effect("own.note", before, after, given)) == is_lost
