"""The folder of a question is that of the call: a person is asked about the files that are accessed."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.contract.records import ToolRequest, ToolsetRegistration
from toolgen.execute import (
    CommandExecutor,
    CommandHost,
    HttpExecutor,
    HttpHost,
    McpExecutor,
    McpHost,
    McpServer,
    load_user_tools,
)
from toolgen.runtime import PathPolicy, Runtime, allow_all, load
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.toolsets.code import CodeTools
from toolgen.toolsets.generated.tools import code

if TYPE_CHECKING:
    from collections.abc import Callable
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


@pytest.mark.parametrize("given", ["CodeTools('files')", "CodeTools('files').registration()"])
def test_tools_that_the_configuration_names_ask_about_their_own_folder(tmp_path: Path, given: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "files").mkdir()
    (tmp_path / "specs" / "agent.yaml").write_text('toolgen: 1\nagent: coder\nuse: ["code.*"]\n')
    app = f"from toolgen.toolsets.code import CodeTools\n\ncode = {given}\n".replace("files", str(tmp_path / "files"))
    (tmp_path / "app.py").write_text(app)
    config = 'executors = {code = "app:code"}\n[[targets]]\nout = "asking_files"\nbuiltin = ["code"]\n'
    (tmp_path / "toolgen.toml").write_text(config)
    assert toolgen(tmp_path, "build").code == 0

    asked = toolgen(tmp_path, "call", "code.write_file", '{"path": "note.txt", "content": "x"}')

    shown = "".join(asked.err.replace("|", "").split())  # lines of a terminal
    assert f"folder{tmp_path}/filesbecause" in shown


@pytest.mark.parametrize(
    ("executor", "name"),
    [
        (lambda: CommandExecutor({}, CommandHost(paths=PathPolicy("."))), "under"),
        (lambda: HttpExecutor({}, {}, HttpHost()), "under"),
        (lambda: McpExecutor({}, McpServer(http="https://h.example"), McpHost()), "hosts"),
    ],
)
def test_executors_that_keep_to_policies_are_passed_by_their_registration(
    executor: Callable[[], Any], name: str
) -> None:
    catalog = load("toolgen.toolsets.generated")
    own = ToolsetRegistration(toolset="code", executor=executor())
    with pytest.raises(ExecutorError, match=f"does not say the `{name}` of its executor"):
        Runtime(catalog, executors=[own], missing=[*catalog.toolsets], permission=allow_all)


def test_handlers_that_keep_to_policies_are_passed_as_their_registration() -> None:
    catalog = load("toolgen.toolsets.generated")
    with pytest.raises(ExecutorError, match=r"pass CodeTools\(…\)\.registration\(\)"):
        Runtime(catalog, executors=[code.executor(CodeTools("."))], missing=[*catalog.toolsets], permission=allow_all)
