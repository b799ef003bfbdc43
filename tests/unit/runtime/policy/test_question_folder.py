"""The folder of a question is that of the call: a person is asked about the files that are accessed.

Relative paths start where what runs a tool opens them, be that a command, a server, a function or a built-in tool.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.case import write
from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate
from toolgen.contract.records import ToolRequest, ToolsetRegistration
from toolgen.execute import (
    CommandExecutor,
    CommandHost,
    HttpExecutor,
    HttpHost,
    McpExecutor,
    McpHost,
    McpServer,
    command_executor,
    load_user_tools,
)
from toolgen.runtime import PathPolicy, Runtime, ToolDefinition, allow_all, deny_all, load
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.policy.path_starts import PathStarts, check_path_starts, path_starts
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.scope import PATH_KEYS, accessed_resources
from toolgen.toolsets.code import CodeTools
from toolgen.toolsets.generated.tools import code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from toolgen.runtime import Catalog


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


@pytest.mark.slow
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


# --- where paths start, for whatever runs a tool


@dataclass(frozen=True)
class Runner:
    """What runs a tool: where its paths start, and the files that it opens for one path, as the system sees them."""

    starts: PathStarts
    opened: Callable[[str], Sequence[str]]


def definition(**metadata: Any) -> ToolDefinition:
    schema = {"type": "object", "properties": {"at": {"type": "string"}, "path": {"type": "string"}}}
    access = {key: ["at" if key == "cwd" else "path"] for key in metadata.pop("keys", ["read"])}
    return ToolDefinition(
        name="own.tool", description="x", input_schema=schema, metadata={"access": access, **metadata}
    )


@dataclass(frozen=True)
class World:
    """A project with links that lead out of it, a home with secrets, and another folder in which the process runs."""

    top: Path
    paths: PathPolicy

    def runners(self) -> Mapping[str, Runner]:
        """Return each kind of runner by its name."""
        project, home, here = self.top / "project", str(self.top / "home"), self.top / "here"

        def program(folder: Path) -> Callable[[str], Sequence[str]]:
            """Return what a program opens, whether it takes `~` for the home or not."""
            return lambda path: [str(folder / each) for each in {path, with_home(path)}]

        def with_home(path: str) -> str:
            return home + path[1:] if path == "~" or path.startswith("~/") else path

        server, of_project = {"stdio": ["serve"], "cwd": str(here / "sub")}, str(project)
        built_in = CodeTools(project, policy=self.paths).registration()
        plain = ToolsetRegistration(toolset="own", handlers={})
        command = definition(command={"exec": ["cat"], "cwd": "sub"})
        return {
            "a command": Runner(path_starts(command, {}), program(project / "sub")),
            "a function in place of a command": Runner(
                path_starts(command, {}, registration=plain, has_handler=True),
                lambda path: [*program(here)(path), *program(project)(path)],
            ),
            "a server": Runner(path_starts(definition(), {"server": server}), program(here / "sub")),
            "a function": Runner(
                path_starts(definition(), {}, registration=plain),
                lambda path: [*program(here)(path), *program(project)(path)],
            ),
            "a function with a folder": Runner(path_starts(definition(), {}, folder=of_project), program(project)),
            "a built-in tool": Runner(
                path_starts(definition(), {}, registration=built_in, folder=of_project, has_handler=True),
                lambda path: [str(project / with_home(path))],
            ),
        }


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    top = tmp_path_factory.mktemp("starts").resolve()
    for folder in ("project/sub/deep", "home/.ssh", "here/sub", "elsewhere"):
        (top / folder).mkdir(parents=True)
    for file in ("home/.ssh/id", "project/sub/cert.pem", "project/note", "project/sub/note", "here/note", "here/.env"):
        (top / file).write_text("x")
    (top / "project/sub/out").symlink_to(top / "elsewhere")
    (top / "project/keys").symlink_to(top / "home/.ssh")
    (top / "here/sub/up").symlink_to("..")
    before = Path.cwd()
    os.chdir(top / "here")
    yield World(top, PathPolicy(top / "project", home=top / "home"))
    os.chdir(before)


PARTS = ["..", ".", "~", "sub", "deep", "out", "up", "keys", "home", "here", "project", ".ssh", "id", "note", ".env"]


@given(parts=st.lists(st.sampled_from([*PARTS, "cert.pem"]), min_size=1, max_size=6), key=st.sampled_from(PATH_KEYS))
@settings(max_examples=100, deadline=None)
def test_what_is_judged_of_a_path_is_what_is_opened_whatever_runs_the_tool(
    world: World, parts: list[str], key: str
) -> None:
    given_path = "/".join(parts)
    for name, runner in world.runners().items():
        found = accessed_resources({key: ["path"]}, {"path": given_path}, lambda: world.paths, runner.starts)
        assert not found.problem
        shown = {value for _, value in found.scope or ()}
        for path in runner.opened(given_path):
            real = os.path.realpath(path)
            answer = world.paths.judge(path)
            concern = {"read": answer.read_concern, "search": answer.search_concern}.get(key, answer.write_concern)
            if concern is None:
                assert real in shown or str(Path(real).parent) in shown, (name, path)
            else:
                assert real in found.concerning, (name, path)
                assert real in shown, (name, path)
            if key == "cwd" and answer.root is None:
                assert found.is_cwd_outside


@pytest.mark.parametrize("name", ["a command", "a function", "a server"])
def test_other_paths_may_start_in_the_working_directory_of_the_call(world: World, name: str) -> None:
    starts = world.runners()[name].starts
    args = {"at": str(world.top / "project/sub"), "path": "cert.pem"}
    found = accessed_resources({"read": ["path"], "cwd": ["at"]}, args, lambda: world.paths, starts)
    assert str(world.top / "project/sub/cert.pem") in found.concerning


def test_a_path_in_the_home_of_another_user_is_refused_but_for_tools_that_have_a_file_of_that_name(
    world: World,
) -> None:
    problems = {
        name: accessed_resources({"read": ["path"]}, {"path": "~ann/x"}, lambda: world.paths, runner.starts).problem
        for name, runner in world.runners().items()
    }
    assert [name for name, problem in problems.items() if not problem] == ["a built-in tool"]
    assert "`./`" in problems["a command"]


def test_a_working_directory_that_was_removed_judges_the_project(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = world.runners()["a function"].starts
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    assert starts.resolved(world.paths) == (str(world.top / "project"),)


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_tool_with_paths_that_is_called_over_the_network_is_refused(transport: str) -> None:
    executor = CommandExecutor({}, CommandHost(paths=PathPolicy(".")))
    sent = ToolsetRegistration(toolset="code", executor=executor, server={transport: "https://h.example"})
    with pytest.raises(ExecutorError, match=r"the `access` of code\.\w+ names paths, but .* over the network"):
        check_path_starts(load("toolgen.toolsets.generated"), [sent])


COMMANDS = """
toolgen: 1
toolset: files
kind: command
tools:
  read: {description: x, permission: readonly, args: {file: string}, result: string, access: {read: file},
    command: {exec: [cat, --, "{{args.file}}"], cwd: sub}}
  write: {description: x, args: {file: string}, result: string, access: {write: file},
    command: {exec: [touch, "{{args.file}}"], cwd: sub}}
"""


def built(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, **replaced: str) -> Catalog:
    """Return the catalog of the commands above, in which words are replaced once they are compiled."""
    write(folder / name, generate(resolved(COMMANDS).catalog))
    catalog = folder / name / "catalog.json"
    for word, other in replaced.items():
        catalog.write_text(catalog.read_text().replace(f"{{{{args.{word}}}}}", other))
    monkeypatch.syspath_prepend(str(folder))
    return load(name)


def test_a_command_with_a_folder_asks_about_the_file_that_it_opens(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(world.top / "home"))
    catalog = built(tmp_path, "asking_commands", monkeypatch)
    own = command_executor(catalog, "files", CommandHost(paths=world.paths))
    runtime = Runtime(catalog, executors=[own], permission=deny_all)

    def asked(tool: str, file: str) -> PermissionRequest | None:
        request = ToolRequest(name=f"files.{tool}", payload=json.dumps({"file": file}))
        return asyncio.run(runtime.permission_request(request, runtime.start_run()))

    sensitive, outside, inside = (
        asked("read", "../../home/.ssh/id"),
        asked("write", "out/evil.txt"),
        asked("write", "n.txt"),
    )
    assert sensitive is not None
    assert sensitive.reasons == ("paths: ../../home/.ssh/id is sensitive",)
    assert asked("read", "../note") is None
    assert outside is not None
    assert outside.scope == (("outside roots write", str(world.top / "elsewhere/evil.txt")),)
    assert outside.suggested is Decision.DENY
    assert inside is not None
    assert inside.scope == (("write", str(world.top / "project/sub")),)
    assert inside.cwd == str(world.top / "project/sub")
    denied = asyncio.run(runtime.invoke(ToolRequest(name="files.read", payload='{"file": "../../home/.ssh/id"}')))
    assert denied.error is not None
    assert denied.error.code == "permission_denied"


def test_a_command_of_which_an_arg_is_only_a_part_of_a_path_cannot_run(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = built(tmp_path, "joining_commands", monkeypatch, file="data/{{args.file}}")
    with pytest.raises(ExecutorError, match=r"the command of files\.read cannot run: .* only a part of a path"):
        command_executor(catalog, "files", CommandHost(paths=world.paths))
