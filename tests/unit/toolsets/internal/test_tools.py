"""The tools of `internal` in a runtime: results for models, and notifications of the host."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import FailureKind, ToolCallMeta, ToolRequest
from toolgen.runtime import Runtime, allow_all, load
from toolgen.toolsets.internal import InternalTools, Skill, Skills
from toolgen.toolsets.internal.memory import Memories, Memory, MemoryWriter

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.contract.records import ToolResult
    from toolgen.toolsets.generated.tools.internal import Handlers


class ToolHost:
    """A home with a skill and some memories, and a host that records its notifications."""

    def __init__(self, home: Path, package: str) -> None:
        (home / "skills" / "greeting").mkdir(parents=True)
        (home / "skills" / "greeting" / "SKILL.md").write_text("Say hello.")
        writer = MemoryWriter(home / "memory")
        for name, text in {"ann.md": "Ann likes tea.", "ben.md": "Ben likes tea and coffee."}.items():
            writer.write(name, text)
        self.notified: list[tuple[Any, ToolCallMeta]] = []
        self.threads = set[threading.Thread]()
        self.tools = InternalTools(
            skills=Skills(home / "skills"),
            memory=Memories(home / "memory"),
            on_skill=self._note,
            on_memories=self._note,
        )
        self.runtime = Runtime(
            load(package),
            permission=allow_all,
            executors=[self.tools.registration()],
            missing=load(package).toolsets,
        )

    def _note(self, found: Skill | tuple[Memory, ...], meta: ToolCallMeta) -> None:
        self.notified.append((found, meta))
        self.threads.add(threading.current_thread())

    def result(self, tool: str, /, **args: Any) -> ToolResult[Any]:
        request = ToolRequest(name=f"internal.{tool}", payload=json.dumps(args), tool_call_id="c1")
        return asyncio.run(self.runtime.invoke(request, meta=ToolCallMeta(user="ann")))


@pytest.fixture(params=["toolgen.toolsets.generated", "generated"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> ToolHost:
    return ToolHost(tmp_path, request.param)


def handlers_of(tools: InternalTools) -> Handlers:
    """Return the tools; the type checker compares them with the generated protocol."""
    return tools


def test_the_host_is_notified_of_a_loaded_skill(host: ToolHost) -> None:
    result = host.result("load_skill", name="greeting")
    assert json.loads(result.payload) == {"name": "greeting", "instructions": "Say hello."}
    assert host.notified == [
        (Skill(name="greeting", instructions="Say hello."), ToolCallMeta(tool_call_id="c1", user="ann"))
    ]
    assert threading.main_thread() not in host.threads


def test_the_host_is_notified_of_recalled_memories(host: ToolHost) -> None:
    result = host.result("recall_memory", query="coffee tea", limit=1)
    assert json.loads(result.payload) == {
        "memories": [{"name": "ben.md", "text": "Ben likes tea and coffee.", "truncated": False}]
    }
    assert [found for found, _meta in host.notified] == [
        (Memory(name="ben.md", text="Ben likes tea and coffee.", truncated=False),)
    ]


def test_the_host_is_not_notified_if_nothing_is_found(host: ToolHost) -> None:
    assert json.loads(host.result("recall_memory", query="quantum").payload) == {"memories": []}
    missing = host.result("load_skill", name="greetings")
    assert missing.error is not None
    assert (missing.error.kind, missing.error.code) == (FailureKind.DOMAIN_REJECTION, "skill_not_found")
    assert missing.content[0].data == "there is no skill with that name\ndid you mean greeting?"
    assert host.notified == []


def test_notifications_are_optional(tmp_path: Path) -> None:
    host = ToolHost(tmp_path, "generated")
    tools = InternalTools(skills=Skills(tmp_path / "skills"), memory=Memories(tmp_path / "memory"))
    host.runtime = Runtime(
        load("generated"),
        permission=allow_all,
        executors=[tools.registration()],
        missing=load("generated").toolsets,
    )
    assert host.result("load_skill", name="greeting").error is None
    assert host.result("recall_memory", query="tea").error is None


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("load_skill", {"name": ""}),
        ("load_skill", {"name": "x" * 65}),
        ("recall_memory", {"query": ""}),
        ("recall_memory", {"query": "x", "limit": 21}),
        ("recall_memory", {"query": "x", "limit": 0}),
    ],
)
def test_args_refused_by_the_schemas(host: ToolHost, tool: str, args: dict[str, Any]) -> None:
    error = host.result(tool, **args).error
    assert error is not None
    assert error.code == "validation_error"
