"""Calls that end while their handler runs in a thread: it writes nothing after that, and the error says what it did."""

from __future__ import annotations

import asyncio
import json
import os
from contextvars import copy_context
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import needs_ripgrep
from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.base.effects import CallEnded, Effect, ThreadCall
from toolgen.runtime.catalog.execution import run_handler
from toolgen.toolsets.code import text
from toolgen.toolsets.generated.tools import code

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.toolsets.code.world import World

OLD = "old\n"
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("write_file", {"path": "new.txt", "content": "new"}),
    ("write_file", {"path": "a.txt", "content": "new", "overwrite": True}),
    ("edit_file", {"path": "a.txt", "edits": [{"old": "old", "new": "new"}]}),
    ("edit_file", {"path": "new.txt", "edits": [{"old": "", "new": "new"}], "create_if_missing": True}),
]


def held(monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[Event, Event]:
    """Let a function of `os` wait: return what it sets when it begins, and what it waits for."""
    begun, may_go_on = Event(), Event()
    function: Callable[..., Any] = getattr(os, name)

    def wait(*args: Any, **options: Any) -> Any:
        begun.set()
        assert may_go_on.wait(60)
        return function(*args, **options)

    monkeypatch.setattr(os, name, wait)
    return begun, may_go_on


def effect_of_a_cancelled_call(world: World, tool: str, args: dict[str, Any], begun: Event, may_go_on: Event) -> Effect:
    """Cancel a call once it has `begun`, let its thread go on to its end, and return the effect that is reported."""

    async def cancelled() -> Effect:
        typed = code.codecs.args(getattr(code, tool.upper())).decode(json.dumps(args))
        call = asyncio.ensure_future(run_handler(getattr(world.tools, tool))(typed, ToolCallMeta()))
        assert await asyncio.to_thread(begun.wait, 60)
        call.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await call
        may_go_on.set()
        effect: Effect = caught.value.args[0]
        return effect

    return asyncio.run(cancelled())  # waits for all threads


@pytest.mark.parametrize(("tool", "args"), WRITES)
def test_a_call_that_ends_before_the_file_is_renamed_writes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, tool: str, args: dict[str, Any]
) -> None:
    world.put("project/a.txt", OLD)
    begun, may_go_on = held(monkeypatch, "fsync")
    assert effect_of_a_cancelled_call(world, tool, args, begun, may_go_on) is Effect.NONE
    assert world.contents(world.project) == {str(world.project / "a.txt"): OLD.encode()}


@pytest.mark.parametrize(("tool", "args"), WRITES)
def test_a_call_that_ends_while_the_file_is_renamed_may_have_taken_effect(
    world: World, monkeypatch: pytest.MonkeyPatch, tool: str, args: dict[str, Any]
) -> None:
    world.put("project/a.txt", OLD)
    begun, may_go_on = held(monkeypatch, "replace")
    assert effect_of_a_cancelled_call(world, tool, args, begun, may_go_on) is Effect.POSSIBLE
    assert (world.project / args["path"]).read_text().startswith("new")


def test_a_folder_that_was_made_is_an_effect(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go_on = held(monkeypatch, "fsync")
    args = {"path": "made/new.txt", "content": "new"}
    assert effect_of_a_cancelled_call(world, "write_file", args, begun, may_go_on) is Effect.POSSIBLE
    assert [path.name for path in world.project.rglob("*")] == ["made"]


@pytest.mark.parametrize("line", ["x\n", "x"])
def test_lines_are_not_skipped_for_a_call_that_has_ended(line: str) -> None:
    call = ThreadCall(is_guarded=True)

    class Endless:
        reads = 0

        def readline(self, _size: int) -> str:
            self.reads += 1
            if self.reads == 3:
                call.end()
            assert self.reads < 10, "it goes on"
            return line

    lines: Any = Endless()
    with pytest.raises(CallEnded):
        copy_context().run(call.run, lambda: text.skip_lines(lines, 10**9))


def test_the_host_is_not_told_of_instructions_for_a_call_that_has_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put("project/AGENTS.md", "Be brief.\n")
    seen: list[object] = []
    world.tools = world.tools_with(on_instructions=lambda instructions, _meta: seen.append(instructions))
    begun, may_go_on = held(monkeypatch, "fstat")
    effect_of_a_cancelled_call(world, "read_file", {"path": "AGENTS.md"}, begun, may_go_on)
    assert seen == []
    world.call("read_file", path="AGENTS.md")
    assert len(seen) == 1


@needs_ripgrep
def test_a_search_that_has_ended_reads_no_more_lines(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has a byte order mark, so its lines are counted up to the one that was found."""
    world.put("project/a.txt", ("\n" * 100 + "x\n").encode("utf-16"))
    begun, may_go_on, ended = Event(), Event(), list[type[BaseException]]()
    skip = text.skip_lines

    def skip_slowly(*args: Any) -> int:
        begun.set()
        assert may_go_on.wait(60)
        try:
            return skip(*args)
        except CallEnded:
            ended.append(CallEnded)
            raise

    monkeypatch.setattr("toolgen.toolsets.code.search.skip_lines", skip_slowly)
    effect_of_a_cancelled_call(world, "search", {"query": "x"}, begun, may_go_on)
    assert ended == [CallEnded]
