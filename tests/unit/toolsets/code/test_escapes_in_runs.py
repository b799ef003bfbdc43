"""The escapes of `test_escapes` in the whole pipeline: a denial blocks all, and a grant for the project allows none."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.runs.test_runs import run_of
from tests.unit.runtime.tools import code_of
from tests.unit.toolsets.code.test_escapes import WAYS_OUT, WAYS_TO_SECRETS, filled
from toolgen.contract.records import ToolRequest
from toolgen.runtime import Runtime, load
from toolgen.runtime.policy.permission import Decision
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.unit.toolsets.code.world import World
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.runs.run import Run


class ToolHost:
    """A runtime with the tools of `code` in the prepared folders, a run, and a person with a fixed answer."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch, rules: Mapping[str, str] | None = None) -> None:
        monkeypatch.setenv("HOME", str(world.home))
        self.answer = Decision.ALLOW_FOR_SESSION
        self.requests: list[PermissionRequest] = []
        catalog = load("toolgen.toolsets.generated")
        self.runtime = Runtime(
            catalog,
            executors=[CodeTools(world.project).registration()],
            missing=catalog.toolsets,
            permission=lambda request: self.ask(request),
            project=world.project,
        )
        self.run: Run = run_of(catalog, rules)[1]

    def ask(self, request: PermissionRequest) -> Any:
        self.requests.append(request)
        return self.answer

    def call(self, tool: str, /, **args: Any) -> str:
        """Make a call in the run and return the code of its error, or `ok`."""
        request = ToolRequest(name=f"code.{tool}", payload=json.dumps(args))
        return code_of(asyncio.run(self.runtime.invoke(request, run=self.run)))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"content": "x", "overwrite": True}),
        ("edit_file", {"edits": [{"old": "", "new": "x"}], "create_if_missing": True}),
    ],
)
def test_reg_73_74_88_a_grant_for_the_project_allows_no_escape(
    furnished: World, monkeypatch: pytest.MonkeyPatch, tool: str, args: dict[str, Any]
) -> None:
    host = ToolHost(furnished, monkeypatch)
    assert host.call(tool, path="granted.txt", **args) == "ok"
    assert host.call(tool, path="granted_too.txt", **args) == "ok"
    assert len(host.requests) == 1, "files beside it are covered"
    host.answer = Decision.DENY
    before = furnished.contents(furnished.top)
    codes = {path: host.call(tool, path=filled(furnished, path), **args) for _, path, _ in WAYS_OUT}
    assert [path for path, code in codes.items() if code == "ok"] == []
    assert len([path for path, code in codes.items() if code in ("permission_denied", "invalid_path")]) >= 40
    assert furnished.contents(furnished.top) == before


@pytest.mark.parametrize(
    ("tool", "args"),
    [("read_file", {}), ("list_dir", {}), ("edit_file", {"edits": [{"old": "hunter2", "new": "x"}]})],
)
def test_reg_52_85_a_denial_protects_sensitive_files(
    furnished: World, monkeypatch: pytest.MonkeyPatch, tool: str, args: dict[str, Any]
) -> None:
    host = ToolHost(furnished, monkeypatch)
    host.answer = Decision.DENY
    before = furnished.contents(furnished.top)
    codes = {path: host.call(tool, path=filled(furnished, path), **args) for _, path in WAYS_TO_SECRETS}
    assert set(codes.values()) == {"permission_denied"}
    assert furnished.contents(furnished.top) == before


@pytest.mark.parametrize(
    ("tool", "args"),
    [("read_file", {}), ("edit_file", {"edits": [{"old": "content", "new": "x"}]})],
)
def test_reg_76_85_88_a_grant_for_a_folder_does_not_cover_sensitive_files_in_it(
    furnished: World, monkeypatch: pytest.MonkeyPatch, tool: str, args: dict[str, Any]
) -> None:
    host = ToolHost(furnished, monkeypatch, {"code.*": "ask"})
    assert host.call(tool, path="file.txt", **args) == "ok"
    assert host.call(tool, path="sub/file.txt", **args) == "ok"
    host.answer = Decision.DENY
    codes = {path: host.call(tool, path=filled(furnished, path), **args) for _, path in WAYS_TO_SECRETS}
    assert [path for path, code in codes.items() if code not in ("permission_denied", "sensitive_path")] == []
    assert [*codes.values()].count("sensitive_path") <= 2, (
        "permission is requested before, except for the reads of an edit"
    )


@pytest.mark.parametrize(("answer", "asked"), [(Decision.ALLOW_FOR_SESSION, 1), (Decision.ALLOW_ONCE, 3)])
def test_reg_52_88_calls_that_waited_for_a_grant_may_open_the_granted_file(
    furnished: World, monkeypatch: pytest.MonkeyPatch, answer: Decision, asked: int
) -> None:
    """The tool itself checks the grant, so each call of the turn must have it."""
    furnished.put("project/.env", "A=1\n")
    host = ToolHost(furnished, monkeypatch)
    requests: list[PermissionRequest] = []

    async def later(request: PermissionRequest) -> Decision:
        requests.append(request)
        await asyncio.sleep(0.01)
        return answer

    monkeypatch.setattr(host, "ask", later)
    calls = [ToolRequest(name="code.read_file", payload='{"path": ".env"}') for _ in range(3)]
    results = asyncio.run(host.runtime.turn(calls, host.run))
    assert [code_of(result) for result in results] == ["ok"] * 3
    assert len(requests) == asked
