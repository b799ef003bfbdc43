"""Requirements of the file tools, whole: in a run, with a person who may be asked, from the args to the next call."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import needs_ripgrep
from toolgen.contract.records import ToolRequest, ToolResult
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, deny_all, load
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.runtime.policy.permission import PermissionCallback

OUTSIDE = ["{folder}/beside", "../beside", "sub/../../beside", "to_beside", "{folder}", "/etc", "~"]


class Host:
    """A run in a project, and a person with one answer to every question."""

    def __init__(self, folder: Path, permission: PermissionCallback | None = None) -> None:
        self.folder, self.project = folder, folder / "project"
        for name in ("project/sub", "beside"):
            (folder / name).mkdir(parents=True)
        (self.project / "to_beside").symlink_to(folder / "beside")
        (self.project / "notes.txt").write_text("a needle --in here\n")
        (self.project / ".env").write_text("needle\n")
        (self.project / "image.png").write_bytes(b"\x89PNG\0secret")
        (folder / "beside/other.txt").write_text("a needle beside\n")
        self.answer = Decision.DENY
        self.asked: list[PermissionRequest] = []
        self.store = MemoryStore()
        catalog = load("toolgen.toolsets.generated")
        self.runtime = Runtime(
            catalog,
            executors=[CodeTools(self.project).registration()],
            missing=catalog.toolsets,
            permission=permission or self._ask,
            project=self.project,
            store=self.store,
        )
        self.run = self.runtime.start_run()

    def _ask(self, request: PermissionRequest) -> Decision:
        self.asked.append(request)
        return self.answer

    def turn(self, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult[Any]]:
        requests = [ToolRequest(name=f"code.{tool}", payload=json.dumps(args)) for tool, args in calls]
        return asyncio.run(self.runtime.turn(requests, self.run))

    def call(self, tool: str, /, **args: Any) -> ToolResult[Any]:
        (result,) = self.turn((tool, args))
        return result

    def found(self, **args: Any) -> list[str]:
        """Return the lines that a search finds."""
        return [match["text"] for match in json.loads(self.call("search", **args).payload)["matches"]]

    def code(self, tool: str, /, **args: Any) -> str:
        """Return the code of the error of a call, or `ok`."""
        result = self.call(tool, **args)
        return result.error.code if result.error else "ok"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_reg_42_a_binary_and_a_missing_file_are_results_and_the_run_goes_on(host: Host) -> None:
    calls = [("read_file", {"path": path}) for path in ("image.png", "gone.txt", "notes.txt")]
    binary, missing, read = host.turn(*calls)

    assert binary.error is not None
    assert (binary.error.code, binary.is_error) == ("binary_file", True)
    assert binary.content[0].data == "'image.png' is a binary file of 11 bytes, image/png; its content is not shown"
    assert "secret" not in repr((binary, binary.content))
    assert missing.error is not None
    assert (missing.error.code, missing.is_error) == ("file_not_found", True)
    assert read.value is not None
    assert read.value.content == "a needle --in here\n"
    assert host.code("read_file", path="notes.txt") == "ok", "and so do later turns"
    asyncio.run(host.runtime.end_run(host.run))
    assert host.run.meta.run_id is not None
    events = asyncio.run(host.store.read(host.run.meta.run_id)).events
    (end,) = [event for event in events if event.kind == "run_ended"]
    assert dict(end.data) == {"end_reason": "completed"}


@needs_ripgrep
def test_reg_45_a_search_is_of_the_project_by_default_and_a_query_with_a_dash_is_a_pattern(host: Host) -> None:
    assert host.found(query="needle") == ["a needle --in here"]
    assert host.found(query="--in") == ["a needle --in here"]
    assert host.found(query="needle", glob="*.md") == []
    assert host.call("search", query="needle", path="notes.txt", limit=1).success
    assert host.asked == []


@needs_ripgrep
@pytest.mark.parametrize("path", OUTSIDE)
def test_reg_45_a_search_outside_of_the_project_asks_however_it_is_spelled(host: Host, path: str) -> None:
    path = path.format(folder=host.folder)
    assert host.code("search", query="needle", path=path, glob="other.txt") == "permission_denied"
    (asked,) = host.asked
    assert asked.reasons == (f"paths: {path} is outside project",)
    assert asked.suggested is Decision.DENY
    assert asked.scope is not None
    assert [what for what, _ in asked.scope] == ["outside project search"]


@needs_ripgrep
@pytest.mark.parametrize("path", OUTSIDE[:4])
def test_reg_45_an_allowed_search_outside_shows_nothing_sensitive(host: Host, path: str) -> None:
    (host.folder / "beside/server.pem").write_text("a needle in a key\n")
    host.answer = Decision.ALLOW_ONCE
    assert host.found(query="needle", path=path.format(folder=host.folder)) == ["a needle beside"]
    assert len(host.asked) == 1


@pytest.mark.parametrize("path", OUTSIDE)
def test_reg_45_92_without_a_callback_nothing_outside_is_searched(tmp_path: Path, path: str) -> None:
    host = Host(tmp_path, deny_all)
    assert host.code("search", query="needle", path=path.format(folder=tmp_path)) == "permission_denied"
    assert host.code("read_file", path="notes.txt") == "ok"


def test_reg_45_a_sensitive_path_asks_inside_of_the_project_too(host: Host) -> None:
    assert host.code("search", query="needle", path=".env") == "permission_denied"
    assert host.asked[0].reasons == ("paths: .env is sensitive",)


def test_reg_46_a_file_that_exists_is_kept_unless_a_person_lets_it_be_overwritten(host: Host) -> None:
    place = host.project / "notes.txt"
    before = place.read_text()
    host.answer = Decision.ALLOW_ONCE
    assert host.code("write_file", path="notes.txt", content="new") == "path_conflict"
    assert place.read_text() == before
    host.answer = Decision.DENY
    assert host.code("write_file", path="notes.txt", content="new", overwrite=True) == "permission_denied"
    assert place.read_text() == before
    assert [(each.permission, each.reasons) for each in host.asked] == [("write", ("write",))] * 2
    assert json.loads(host.asked[-1].summary)["overwrite"] is True, "the person sees what is overwritten"
    host.answer = Decision.ALLOW_ONCE
    assert host.code("write_file", path="notes.txt", content="new", overwrite=True) == "ok"
    assert place.read_text() == "new"
    assert len(host.asked) == 3


def test_reg_46_folders_are_created_by_default(host: Host) -> None:
    host.answer = Decision.ALLOW_ONCE
    assert host.code("write_file", path="new/folder/a.txt", content="x") == "ok"
    assert (host.project / "new/folder/a.txt").read_text() == "x"
    assert host.code("write_file", path="none/a.txt", content="x", create_dirs=False) == "file_not_found"
    fields = host.runtime.catalog.definition("code.write_file").input_schema["properties"]
    assert {name: field.get("default") for name, field in fields.items()} == {
        "path": None, "content": None, "create_dirs": True, "overwrite": False,
    }  # fmt: skip
