"""The folder of a question is that of the call: a person is asked about the files that are accessed."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import ToolRequest
from toolgen.execute import CommandHost, load_user_tools
from toolgen.runtime import PathPolicy, Runtime, load
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.toolsets.code import CodeTools

if TYPE_CHECKING:
    from pathlib import Path


def runtime_of(asked: list[PermissionRequest], tools: CodeTools, **settings: Any) -> Runtime:
    def permit(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    catalog = load("toolgen.toolsets.generated")
    missing = [each for each in catalog.toolsets if each != "code"]
    return Runtime(catalog, executors=[tools.registration()], missing=missing, permission=permit, **settings)


@pytest.mark.parametrize("is_given", [True, False])
def test_a_question_is_about_the_files_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_given: bool
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    asked: list[PermissionRequest] = []
    runtime = runtime_of(asked, CodeTools(project), **({"project": project} if is_given else {}))
    args = {"path": "note.txt", "content": "x"}
    result = asyncio.run(runtime.invoke(ToolRequest(name="code.write_file", payload=json.dumps(args))))
    assert result.error is None, result.error
    assert (project / "note.txt").read_text() == "x"
    assert str(project) in str(asked[0])
    assert str(elsewhere) not in str(asked[0])


def test_a_runtime_for_another_folder_than_its_executors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with pytest.raises(ExecutorError, match="executors are for several folders"):
        runtime_of([], CodeTools(tmp_path / "a"), project=tmp_path / "b")


def test_a_runtime_for_another_folder_than_the_tools_of_the_user_is_refused(tmp_path: Path) -> None:
    for folder in ("tools", "a", "b"):
        (tmp_path / folder).mkdir(mode=0o755)
    tool = {"name": "mine.mark", "description": "Mark.", "input_schema": {"type": "object"}, "command": "touch"}
    (tmp_path / "tools" / "mark.json").write_text(json.dumps({**tool, "args": ["mark"]}))

    def runtime(**settings: Any) -> Runtime:
        catalog = load("toolgen.toolsets.generated")
        load_user_tools(catalog, tmp_path, CommandHost(paths=PathPolicy(tmp_path / "a")))

        def permit(request: PermissionRequest) -> Decision:
            asked.append(request.cwd)
            return Decision.ALLOW_ONCE

        return Runtime(catalog, missing=[*catalog.toolsets], permission=permit, **settings)

    asked: list[str] = []
    asyncio.run(runtime().invoke(ToolRequest(name="mine.mark")))
    assert asked == [str(tmp_path / "a")]
    assert (tmp_path / "a" / "mark").exists()
    with pytest.raises(ExecutorError, match=r"mine\.mark for"):
        runtime(project=tmp_path / "b")
