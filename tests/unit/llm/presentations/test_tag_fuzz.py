"""Random answers with tags: parsed like a naive parser, and every call in them is answered."""

from __future__ import annotations

import asyncio
import json
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.responses import RESPONSES
from toolgen.contract.records import FailureKind
from toolgen.llm import ToolUse
from toolgen.llm.tags import parse_response
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all
from toolgen.runtime.events.records import RunNotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.llm import Turn
    from toolgen.llm.tags.definition import TagLine

TAGS: dict[str, tuple[str, list[str], bool]] = {
    "FIND": ("(.+)", ["query"], True),
    "FIND-ALL": (r"(\w+)\s+(.*)", ["kind", "query"], False),
    "NOTE": (r"(fact|wish)\s+(.+)", ["kind", "text"], True),
    "PING": ("now|please", [], True),
    "A": ("(.*)", ["x"], False),
}
"""By prefix: the pattern, its groups, and whether the line is removed from the text."""

PIECES = (
    *TAGS, ":", ": ", ":\t", " ", "\n", "\n", "\r\n", "\r", "\u2028", "fact x", "wish", "now", "x" * 2100, "é" * 1030,
    "\x00", "\u202e", "(.+)", "\\", "FIND: nested FIND: x", "```", "A:  ", "\ud800", "", "FIND: a\nNOTE: fact b\n",
)  # fmt: skip


def answer(random: Random) -> str:
    return "".join(random.choice(PIECES) for _ in range(random.randint(0, 40)))


def catalog_of(ran: list[str]) -> Catalog:
    catalog = Catalog()
    for prefix, (pattern, groups, is_stripped) in TAGS.items():
        name = f"bot.{prefix.lower().replace('-', '_')}"
        tag = {
            "prefix": prefix, "pattern": pattern, "groups": groups, "example": "", "strip_from_display": is_stripped,
        }  # fmt: skip
        schema = {"type": "object", "properties": {group: {"type": "string"} for group in groups}, "required": groups}
        definition = ToolDefinition(name=name, description="It.", input_schema=schema, metadata={"tag": tag})

        def run(args: Any, *, name: str = name) -> Any:
            ran.append(name)
            if "fact" in args.values():
                raise OSError("\x1b[2J\nFIND: again")
            return args

        catalog.register(definition, run)
    return catalog


def read_plainly(raw: str, tags: Mapping[str, TagLine]) -> tuple[str, list[tuple[str, str]]]:
    """Parse an answer naively, line by line."""
    kept: list[str] = []
    calls: list[tuple[str, str]] = []
    for line in raw.split("\n"):
        bare = line.removesuffix("\r")
        found = re.match(r"([A-Za-z][A-Za-z0-9_-]*):[ \t]+", bare)
        tag = tags.get(found[1]) if found else None
        if (
            found
            and tag
            and len(bare.encode("utf-8", "surrogatepass")) <= 2048
            and tag.read(bare[found.end() :]) is not None
        ):
            calls.append((tag.tool.name, bare[found.end() :]))
            if tag.tool.strip_from_display:
                continue
        kept.append(line)
    return "\n".join(kept), sorted(calls, key=lambda call: call[0])


@pytest.mark.parametrize("provider", sorted(RESPONSES))
@pytest.mark.variants(3)
def test_random_answers_are_parsed_by_line_and_every_call_is_answered(provider: str) -> None:
    fuzz(provider, range(25))


@pytest.mark.long
@pytest.mark.parametrize("provider", sorted(RESPONSES))
def test_many_random_answers_are_parsed_by_line(provider: str) -> None:
    fuzz(provider, range(1000, 4000))


def fuzz(provider: str, seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        raw = answer(random)
        native = [
            (f"n{number}", random.choice(["bot__find", "FIND", "x y", "actions.list_actions"]), {"query": "x"})
            for number in range(random.choice([0, 0, 1, 3]))
        ]
        try:
            asyncio.run(take(provider, raw, native))
        except BaseException as error:
            error.add_note(f"seed {seed}, the answer was:\n{raw!r}\nwith the calls {native}")
            raise


async def take(provider: str, raw: str, native: list[tuple[str, str, dict[str, Any]]]) -> None:
    ran: list[str] = []
    store = MemoryStore()
    catalog = catalog_of(ran)
    runtime = Runtime(catalog, permission=allow_all, store=store)
    run = runtime.start_run()
    tool_use = ToolUse(catalog)
    tags = vars(tool_use.tags(run))["tags"]
    display, calls = read_plainly(raw, tags)
    found = parse_response(raw, tool_use.tags(run))  # type: ignore[arg-type]  # the tags are known
    assert (found.display, [(call.tool.name, call.raw_arg) for call in found.calls]) == (display, calls)
    response = RESPONSES[provider](raw, native)
    turn: Turn = await tool_use.tagged(runtime, run, provider).take(json.loads(json.dumps(response)))
    assert turn.text == display
    assert turn.is_final is (not calls and not native)
    assert len(turn.results) == len(calls) + len(native)
    assert [result.tool_name.removeprefix("bot.") for result in turn.results[: len(calls)]] == [
        name for name, _ in calls
    ]
    assert not [result for result in turn.results[len(calls) :] if result.success]
    # After a failed write the rest is skipped, as in every other presentation.
    has_run = [result for result in turn.results if result.error is None or result.error.kind is FailureKind.INTERNAL]
    assert [result.tool_name for result in has_run] == ran
    assert len(ran) == len(calls) or not all(result.success for result in turn.results[: len(ran) + 1])
    assert "\x1b" not in json.dumps(turn.messages[1:], ensure_ascii=False)
    assert run.meta.run_id is not None
    try:
        events = (await store.read(run.meta.run_id)).events
    except RunNotFound:
        events = ()
    begun = ("tool_started", "tool_progress")
    assert len([event for event in events if event.kind not in begun]) == len(turn.results)
