"""The file tools in a runtime: permission requests for paths, and that a handler only accepts granted ones."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import needs_ripgrep
from toolgen.contract.records import ToolRequest
from toolgen.runtime import Runtime, allow_all, deny_all, load
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from pathlib import Path


class ToolHost:
    """A project with a secret in it and a file beside it, and a person with a fixed answer."""

    def __init__(self, folder: Path, answer: Decision = Decision.DENY) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        (self.project / "notes.txt").write_text("hello\n")
        (self.project / ".env").write_text("TOKEN=1\n")
        (self.project / "link.txt").symlink_to(".env")
        (folder / "beside.txt").write_text("outside\n")
        self.answer = answer
        self.reasons: list[tuple[str, ...]] = []

    def _ask(self, request: PermissionRequest) -> Decision:
        self.reasons.append(request.reasons)
        return self.answer

    def call(self, tool: str, permission: Any = None, **args: Any) -> str:
        """Make a call and return the code of its error, or `ok`."""
        runtime = Runtime(
            load("toolgen.toolsets.generated"),
            missing=load("toolgen.toolsets.generated").toolsets,
            executors=[CodeTools(self.project).registration()],
            permission=permission or self._ask,
            project=self.project,
        )
        result = asyncio.run(runtime.invoke(ToolRequest(name=f"code.{tool}", payload=json.dumps(args))))
        return result.error.code if result.error else "ok"


@pytest.mark.parametrize("path", [".env", "./x/../.env", "link.txt", "/proc/self/environ"])
def test_reg_52_a_sensitive_read_needs_permission(tmp_path: Path, path: str) -> None:
    host = ToolHost(tmp_path)
    assert host.call("read_file", path=path) == "permission_denied"
    assert host.reasons == [(f"paths: {path} is sensitive",)]


def test_reg_52_an_allowed_file_is_read(tmp_path: Path) -> None:
    host = ToolHost(tmp_path, Decision.ALLOW_ONCE)
    assert host.call("read_file", path=".env") == "ok"
    assert host.call("read_file", allow_all, path="link.txt") == "ok"


def test_reg_85_a_plain_read_needs_no_permission(tmp_path: Path) -> None:
    host = ToolHost(tmp_path)
    assert host.call("read_file", path="notes.txt") == "ok"
    assert host.reasons == []


@pytest.mark.parametrize(
    ("tool", "args", "is_asked"),
    [
        ("read_file", {"path": "notes.txt"}, False),
        ("list_dir", {}, False),
        ("list_dir", {"path": "..", "recursive": True}, False),
        pytest.param("search", {"query": "hello"}, False, marks=needs_ripgrep),
        ("write_file", {"path": "new.txt", "content": "x"}, True),
        ("edit_file", {"path": "notes.txt", "edits": [{"old": "hello", "new": "x"}]}, True),
        ("run_command", {"argv": ["touch", "made"]}, True),
        ("read_file", {"path": ".env"}, True),
        ("list_dir", {"path": "secrets.key"}, True),
        pytest.param("search", {"query": "hello", "path": ".env"}, True, marks=needs_ripgrep),
    ],
)
def test_reg_44_85_reads_run_unasked_and_writes_commands_and_sensitive_reads_ask(
    tmp_path: Path, tool: str, args: dict[str, Any], is_asked: bool
) -> None:
    """A listing outside of the project is a plain read; one of a sensitive folder is not."""
    host = ToolHost(tmp_path)
    (host.project / "secrets.key").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert host.call(tool, **args) == ("permission_denied" if is_asked else "ok")
    assert len(host.reasons) == is_asked
    assert host.call(tool, deny_all, **args) == ("permission_denied" if is_asked else "ok")
    assert sorted(tmp_path.rglob("*")) == before
    assert (host.project / "notes.txt").read_text() == "hello\n"
    host.answer = Decision.ALLOW_ONCE
    assert host.call(tool, **args) == "ok"


def test_reg_73_a_write_outside_the_roots_needs_permission_with_that_reason(tmp_path: Path) -> None:
    host = ToolHost(tmp_path)
    assert host.call("write_file", path="../beside.txt", content="x", overwrite=True) == "permission_denied"
    assert host.reasons == [("write", "paths: ../beside.txt is outside roots")]
    assert host.call("write_file", deny_all, path="../beside.txt", content="x", overwrite=True) == "permission_denied"
    assert (tmp_path / "beside.txt").read_text() == "outside\n"
    host.answer = Decision.ALLOW_ONCE
    assert host.call("write_file", path="../beside.txt", content="new", overwrite=True) == "ok"
    assert (tmp_path / "beside.txt").read_text() == "new"


def test_a_missing_file_is_reported_by_the_tool(tmp_path: Path) -> None:
    assert ToolHost(tmp_path).call("read_file", path="nothing.txt") == "file_not_found"
    assert ToolHost(tmp_path / "project").call("read_file", path="a\0b") not in ("ok", "handler_error")
