"""How commands run, which parts of the host they can access, and the handling of their output."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import (
    ContentBlock,
    FailureKind,
    ToolCallMeta,
    ToolRequest,
    ToolResult,
    ToolsetRegistration,
)
from toolgen.execute.command import Command, CommandExecutor, CommandHost, ExecLine, command_executor
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.policy.effective import effective_set
from toolgen.runtime.policy.paths import PathPolicy, PathRules
from toolgen.runtime.policy.permission import Decision
from toolgen.runtime.policy.policy import Policies
from toolgen.runtime.runs.run import Run, Session

if TYPE_CHECKING:
    from tests.unit.execute.conftest import Project
    from tests.unit.runtime.package import Shop
    from toolgen.runtime import Catalog
    from toolgen.runtime.policy.permission import PermissionRequest


class Artifacts:
    """Stored artifacts as (content, media type); the reference is the index."""

    def __init__(self) -> None:
        self.kept: list[tuple[bytes, str]] = []

    def keep(self, content: bytes, media_type: str) -> str:
        self.kept.append((content, media_type))
        return f"artifact-{len(self.kept)}"

    async def keep_later(self, content: bytes, media_type: str) -> str:
        await asyncio.sleep(0)
        return self.keep(content, media_type)


def output_of(project: Project, value: Any, tool: str = "say") -> Any:
    return project.invoke(tool, {"text": value if isinstance(value, str) else json.dumps(value)})


def test_reg_54_the_args_arrive_on_stdin_as_canonical_json(project: Project) -> None:
    assert project.value("echo", {"b": [1, {"c": None}], "a": "é\n"}) == {"a": "é\n", "b": [1, {"c": None}]}
    large = {"a": "x" * 1_000_000}
    assert project.value("echo", large, result_bytes=10**7) == large


def test_reg_54_stdout_is_a_json_result(project: Project) -> None:
    result = output_of(
        project,
        {
            "success": True,
            "message": "sent",
            "content": [{"type": "text", "data": "two"}, {"type": "json", "data": {"n": 2}}],
            "side_effects": ["mail: a", "mail: b"],
            "audit": {"to": 2},
        },
    )
    assert result.value == {"n": 2}
    assert result.content == (ContentBlock(type="text", data="two"), ContentBlock(type="json", data={"n": 2}))
    assert (result.message, result.side_effects, result.audit) == ("sent", ("mail: a", "mail: b"), {"to": 2})


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ({"success": True}, None),
        ({"success": True, "message": "done"}, "done"),
        ({"success": True, "message": "done", "value": [1]}, [1]),
        ({"success": True, "value": None, "message": "done"}, None),
        ({"success": True, "content": [{"type": "text", "data": "a"}, {"type": "text", "data": "b"}]}, "a\nb"),
        ({"success": True, "content": [{"type": "json", "data": 1}, {"type": "json", "data": 2}]}, [1, 2]),
        ({"success": "yes"}, {"success": "yes"}),
        ({"lines": 3}, {"lines": 3}),
        ([1], [1]),
        (" ", None),
    ],
)
def test_reg_54_values_of_printed_results(project: Project, printed: Any, value: Any) -> None:
    result = output_of(project, printed)
    assert (result.error, result.value) == (None, value)


def test_reg_54_a_json_result_may_report_a_failure(project: Project) -> None:
    error = output_of(project, {"success": False, "message": "the branch is protected"}).error
    assert (error.kind, error.code, error.message) == (
        FailureKind.DOMAIN_REJECTION,
        "command_rejected",
        "the branch is protected",
    )
    assert output_of(project, {"success": False}).error.message == "the command reported a failure"


@pytest.mark.parametrize(
    ("printed", "pointer", "hint"),
    [
        ("no json", "", "the command must print JSON"),
        ('{"a": 1, "a": 2}', "/a", "the command must print JSON: send it once"),
        ('{"a": [NaN]}', "/a/0", "the command must print JSON: send a number, null or a text"),
        ({"success": True, "mesage": "x"}, "/mesage", "did you mean 'message'?"),
        ({"success": True, "message": 1}, "/message", "give a text, or null"),
        ({"success": True, "side_effects": [1]}, "/side_effects", "give a list of texts"),
        ({"success": True, "content": [{"type": "text", "data": 1}]}, "/content", "give a list of {type, data}"),
        ({"success": True, "content": [{"type": "image", "data": ""}]}, "/content", "give a list of {type, data}"),
    ],
)
def test_reg_54_other_output_is_malformed(project: Project, printed: Any, pointer: str, hint: str) -> None:
    error = output_of(project, printed).error
    assert (error.kind, error.issues[0].pointer) == (FailureKind.MALFORMED_RESULT, pointer)
    assert error.issues[0].hint.startswith(hint)


def test_reg_54_printed_results_must_match_the_result_schema(project: Project) -> None:
    assert output_of(project, {"lines": 3}, "say_lines").value.lines == 3
    assert output_of(project, {"success": True, "value": {"lines": 3}}, "say_lines").value.lines == 3
    assert output_of(project, {"lines": "3"}, "say_lines").error.kind is FailureKind.MALFORMED_RESULT


def test_a_result_schema_with_a_success_field_gets_the_object_unchanged(project: Project) -> None:
    result = output_of(project, {"success": False}, "say_success")
    assert (result.error, result.value.success) == (None, False)


def test_reg_54_and_66_another_exit_code_is_an_error_with_the_end_of_stderr(project: Project) -> None:
    result = project.invoke("fail", {"code": 3})
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.DOMAIN_REJECTION, "command_failed")
    assert result.error.message == "the command failed with exit code 3"
    first, second, third = result.error.hint.splitlines()
    assert first == "its last output:"
    assert second == "cannot open ./a.txt"  # instead of the folder of the host
    assert third.startswith("it is locked; token=")
    assert "abcdefgh12345678" not in third
    assert result.metadata["exit_code"] == 3
    assert result.content[0].data == f"{result.error.message}\n{result.error.hint}"


def test_reg_54_a_command_killed_by_a_signal(project: Project) -> None:
    error = project.error("crash")
    assert (error.kind, error.code) == (FailureKind.INTERNAL, "command_killed")
    assert (error.message, error.hint) == ("the command was ended by SIGSEGV", "it printed nothing")


def test_reg_54_stderr_is_a_log(project: Project) -> None:
    result = project.invoke("log")
    assert (result.value, result.metadata["log"]) == ("found\n", "looking\n")


def test_stdout_is_the_result_if_the_result_is_a_string(project: Project) -> None:
    (project.folder / "log").write_text("#!/bin/sh\nprintf ' \\n{\"a\": 1}\\377\\n'")
    assert project.value("log") == ' \n{"a": 1}\ufffd\n'


def test_reg_61_a_command_runs_in_its_folder(project: Project) -> None:
    assert project.value("where") == f"{(project.folder / 'inside').resolve()}\n"


def runtime_with(catalog: Catalog, host: CommandHost) -> Runtime:
    return Runtime(catalog, permission=allow_all, executors=[command_executor(catalog, "local", host)])


def test_reg_61_the_folder_is_inside_the_roots(project: Project) -> None:
    (project.folder / "inside").rmdir()
    (project.folder / "inside").symlink_to(project.folder.parent)
    catalog = load(project.package)
    with pytest.raises(ExecutorError, match=r"local\.where cannot run: the folder 'inside' is outside the roots"):
        runtime_with(catalog, project.host)
    both = PathPolicy(project.folder, rules=[PathRules(write_roots=[".", ".."])])
    runtime_with(catalog, CommandHost(paths=both))


def test_reg_61_a_sensitive_folder_is_not_allowed(project: Project) -> None:
    secret = PathPolicy(project.folder, rules=[PathRules(sensitive=["inside"])])
    with pytest.raises(ExecutorError, match=r"local\.where cannot run: the folder 'inside' is outside the roots"):
        runtime_with(load(project.package), CommandHost(paths=secret))


def test_reg_61_a_folder_moved_out_of_the_roots_later_is_refused(project: Project) -> None:
    catalog = load(project.package)
    runtime = Runtime(catalog, permission=allow_all, executors=[command_executor(catalog, "local", project.host)])
    (project.folder / "inside").rmdir()
    (project.folder / "inside").symlink_to(project.folder.parent)
    result = asyncio.run(runtime.invoke(ToolRequest(name="local.where")))
    assert result.error is not None
    assert (result.error.kind, result.error.code) == (FailureKind.PERMISSION_DENIED, "outside_roots")


def test_reg_61_and_62_a_model_can_set_neither_folder_nor_environment(project: Project) -> None:
    assert project.error("where", {"cwd": "/"}).code == "validation_error"
    assert "MODE=fast" in project.value("environment", {"env": {"MODE": "other", "PATH": "/evil"}})


def test_reg_62_the_environment_contains_only_allowed_variables(project: Project) -> None:
    def variables(**changes: Any) -> list[str]:
        lines = project.value("environment", **changes).splitlines()
        return sorted(
            line.partition("=")[0]
            for line in lines
            if not line.startswith(("PWD=", "_=", "OLDPWD=", "TOOLGEN_SESSION="))
        )

    assert variables() == ["HOME", "MODE", "PATH"]  # TMPDIR is not set, and the shell adds its own variables
    assert variables(environment={**project.host.environment, "TMPDIR": "/t"}) == ["HOME", "MODE", "PATH", "TMPDIR"]


def test_reg_62_the_variables_of_a_shell_line_are_not_passed_on(project: Project) -> None:
    (project.folder / "show").write_text("#!/bin/sh\nenv\n")
    assert "_toolgen" not in project.value("show_in_shell", {"value": "_toolgen"})


def test_reg_63_a_command_that_takes_too_long_is_killed(project: Project) -> None:
    error = project.error("wait")  # the pipeline and the executor both kill it, and either may be first
    assert (error.kind, error.code) == (FailureKind.TIMEOUT, "timeout")


def test_reg_63_the_error_of_a_timeout_contains_the_last_output(project: Project) -> None:
    registration = command_executor(load(project.package), "local", project.host)
    assert registration.executor is not None
    (project.folder / "wait").write_text("#!/bin/sh\necho half of it\nsleep 60\n")
    result = asyncio.run(_awaited(registration.executor.execute(ToolRequest(name="local.wait"), ToolCallMeta())))
    assert (result.error.kind, result.error.code) == (FailureKind.TIMEOUT, "timeout")
    assert result.error.message == "the command took longer than 100 ms"
    assert result.error.hint == "its last output:\nhalf of it"


def test_reg_63_no_tool_can_exceed_the_maximum_timeout(project: Project) -> None:
    assert project.error("wait_in_shell", max_timeout_ms=60).message == "the command took longer than 60 ms"
    assert project.error("wait_in_shell", timeout_ms=10, max_timeout_ms=50).message.endswith("50 ms")


def test_reg_63_a_command_without_a_timeout_has_the_maximum(project: Project) -> None:
    host = CommandHost(paths=project.host.paths, timeout_ms=20, max_timeout_ms=60)
    for own, longest in ((0, 60), (None, 20), (40, 40), (90, 60)):
        command = Command(line=ExecLine.parse(["sleep", "60"], {}), fields={}, timeout_ms=own)
        request = ToolRequest(name="own.wait", payload="{}")
        result = asyncio.run(_awaited(CommandExecutor({"own.wait": command}, host).execute(request, ToolCallMeta())))
        assert result.error.message == f"the command took longer than {longest} ms"


def test_reg_64_small_output_is_inline(project: Project) -> None:
    artifacts = Artifacts()
    result = project.invoke("print", {"bytes": 1000}, keep=artifacts.keep)
    assert (result.value, result.content[0].data, artifacts.kept) == ("x" * 1000, "x" * 1000, [])


@pytest.mark.parametrize("later", [False, True])
def test_reg_64_large_output_becomes_an_artifact(project: Project, later: bool) -> None:
    artifacts = Artifacts()
    result = project.invoke("print", {"bytes": 1001}, keep=artifacts.keep_later if later else artifacts.keep)
    cut = f"{'x' * 1000}\n[cut: these are the first 1000 of 1001 bytes]"
    assert artifacts.kept == [(b"x" * 1001, "text/plain; charset=utf-8")]
    assert result.content == (
        ContentBlock(type="text", data=cut),
        ContentBlock(type="artifact_ref", data="artifact-1"),
    )
    assert (result.value, result.metadata) == (cut, {"truncated": True})


def test_reg_64_without_artifacts_large_output_is_truncated(project: Project) -> None:
    result = project.invoke("print", {"bytes": 5000})
    assert result.value == f"{'x' * 1000}\n[cut: these are the first 1000 of 5000 bytes]"
    assert [block.type for block in result.content] == ["text"]


def test_reg_64_large_json_is_still_the_complete_value(project: Project) -> None:
    artifacts = Artifacts()
    text = json.dumps({"success": True, "value": {"text": "é" * 100}}, ensure_ascii=False)
    result = project.invoke("print_json", {"text": text}, keep=artifacts.keep)
    assert result.value == {"text": "é" * 100}
    assert artifacts.kept == [(text.encode(), "application/json")]
    assert [block.type for block in result.content] == ["text", "artifact_ref"]


def test_reg_64_a_truncated_character_is_left_out(project: Project) -> None:
    (project.folder / "print").write_text(f"#!/bin/sh\nprintf 'x{'é' * 600}'")
    value = project.value("print", {"bytes": 0})
    assert value.startswith("x" + "é" * 499 + "\n[cut: ")


def test_reg_64_output_of_a_failed_command_is_kept(project: Project) -> None:
    artifacts = Artifacts()
    (project.folder / "print").write_text('#!/bin/sh\nhead -c 2000 /dev/zero | tr "\\0" y\nexit 1\n')
    result = project.invoke("print", {"bytes": 0}, keep=artifacts.keep)
    assert artifacts.kept == [(b"y" * 2000, "text/plain; charset=utf-8")]
    assert [block.type for block in result.content] == ["text", "artifact_ref"]
    assert result.content[0].data.startswith("the command failed with exit code 1\nits last output:\nyyyy")


def test_a_missing_program_or_folder(project: Project) -> None:
    missing, nowhere = project.error("missing"), project.error("missing_folder")
    assert (missing.kind, missing.code) == (FailureKind.UNAVAILABLE, "program_not_found")
    assert missing.message == "the program no-such-program was not found"
    assert nowhere.code == "file_not_found"
    assert str(project.folder) not in missing.message + missing.hint + nowhere.message + nowhere.hint


def test_only_toolsets_of_commands_have_commands(project: Project, shop: Shop) -> None:
    with pytest.raises(ExecutorError, match=r"there is no toolset locl in the catalog"):
        command_executor(load(project.package), "locl", project.host)
    with pytest.raises(ExecutorError, match=r"is not a command: shop\.orders is of kind service"):
        command_executor(load(shop.name), "shop.orders", project.host)


def test_a_host_s_commands_see_its_own_environment_by_default(project: Project) -> None:
    assert CommandHost(paths=project.host.paths).environment == dict(os.environ)
    assert isinstance(command_executor(load(project.package), "local", project.host), ToolsetRegistration)


async def _awaited(waiting: Any) -> Any:
    return await waiting


def test_reg_71_an_aborted_command_keeps_its_output(project: Project) -> None:
    (project.folder / "wait").write_text(
        "#!/bin/sh\necho $$ > pid\nprintf '%0300d' 7\necho half >&2\n: > printed\nsleep 60\n"
    )

    async def aborted() -> ToolResult[Any]:
        catalog = load(project.package)
        runtime = Runtime(catalog, permission=allow_all, executors=[command_executor(catalog, "local", project.host)])
        effective = effective_set(catalog.entries, {"use": ["*"]}, Policies({}))
        run = Run(agent="a", role="main", mode="", effective=effective, session=Session())
        turn = asyncio.ensure_future(runtime.turn([ToolRequest(name="local.wait_long")], run))
        while not (project.folder / "printed").exists():
            await asyncio.sleep(0.01)
        run.abort("enough")
        (result,) = await turn
        return result

    result = asyncio.run(aborted())
    assert result.metadata["partial"] is True
    assert result.content[1].data == {"partial": [{"stdout": "0" * 299 + "7", "stderr": "half\n"}]}
    with pytest.raises(ProcessLookupError):
        os.kill(int((project.folder / "pid").read_text()), 0)


def test_reg_62_63_policies_limit_the_environment_and_timeout_of_commands(project: Project) -> None:
    stack = {
        "one": {
            "env": ["PATH", "LANG", "HOME"],
            "limits": {"timeout_ms": 50, "max_timeout_ms": 9000, "result_bytes": 0},
        },
        "two": {"env": ["LANG", "PATH"], "limits": {"timeout_ms": 0, "max_timeout_ms": 8000, "result_bytes": 700}},
    }
    line = ExecLine.parse(["/usr/bin/env"], {})
    shows = Command(line=line, fields={}, result_schema={"type": "string"}, env=["MODE"])
    for policies, shown in ((Policies(stack), {"PATH", "LANG", "MODE"}), (Policies({}), {"PATH", "HOME", "MODE"})):
        runs = CommandExecutor({"own.show": shows}, project.host).under(policies)
        result = asyncio.run(_awaited(runs.execute(ToolRequest(name="own.show"), ToolCallMeta())))
        names = {line.partition("=")[0] for line in str(result.value).splitlines()}
        assert {name for name in names if not name.startswith("TOOLGEN_")} == shown
    wait = Command(line=ExecLine.parse(["sleep", "60"], {}), fields={})
    for host, policies, longest in (
        (project.host, Policies(stack), 50),
        (replace(project.host, timeout_ms=20), Policies(stack), 20),
        (replace(project.host, timeout_ms=70), Policies(stack), 50),
        (replace(project.host, timeout_ms=9000), Policies({"p": {"limits": {"max_timeout_ms": 30}}}), 30),
    ):
        runs = CommandExecutor({"own.wait": wait}, host).under(policies)
        result = asyncio.run(_awaited(runs.execute(ToolRequest(name="own.wait"), ToolCallMeta())))
        assert result.error.message == f"the command took longer than {longest} ms"


def test_reg_66_a_secret_printed_by_a_command_is_in_no_error_and_no_artifact(project: Project) -> None:
    artifacts = Artifacts()
    error = project.error("leak", {"word": "sw0rdf1sh", "code": 1}, keep=artifacts.keep)
    assert error.hint == "its last output:\nno login as bob with [redacted]"
    result = project.invoke("leak", {"word": "sw0rdf1sh", "code": 0}, keep=artifacts.keep)
    assert result.blocks[-1].type == "artifact_ref"
    assert artifacts.kept[-1][0].endswith(b"[redacted]\n")
    assert not any(b"sw0rdf1sh" in content for content, _ in artifacts.kept)


@pytest.mark.parametrize("tool", ["read_inline", "read_named", "read_renamed", "read_whole"])
@pytest.mark.parametrize("args", [{}, {"path": "inside/a.txt"}])
def test_what_is_judged_and_shown_of_a_call_is_what_runs(project: Project, tool: str, args: dict[str, str]) -> None:
    """Wherever a default is written: rules of paths, the question and the command go by the same value."""
    asked: list[PermissionRequest] = []

    def allow(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    catalog = load(project.package)
    runtime = Runtime(
        catalog, permission=allow, executors=[command_executor(catalog, "local", project.host)], project=project.folder
    )
    result = asyncio.run(runtime.invoke(ToolRequest(name=f"local.{tool}", payload=json.dumps(args))))

    path = args.get("path", ".env")
    assert result.value == f"1\n{path}"
    assert [request.program for request in asked] == [f"./show {path}"] * (not args or tool == "read_whole")
    assert all(f"paths: {path} is sensitive" in request.reasons for request in asked) or bool(args)
    assert all(request.confirm == f"Read {path}?" for request in asked if tool == "read_whole")
