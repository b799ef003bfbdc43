from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.contract.records import FailureKind, ToolRequest
from toolgen.execute.command import CommandHost
from toolgen.execute.user_tools import load_user_tools
from toolgen.runtime import Catalog, Runtime, allow_all, deny_all
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.calls.call import Denial
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.runtime.policy.permission import Decision, PermissionRequest

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.contract.records import ToolResult

TOOL: dict[str, Any] = {
    "name": "local.show",
    "description": "Show a word.",
    "input_schema": {
        "type": "object",
        "properties": {"word": {"type": "string"}, "max": {"type": "integer"}, "list": {"type": "array"}},
        "required": ["word"],
        "additionalProperties": False,
    },
    "command": "./show",
    "args": [["--max", "{{args.max}}"], "--", "{{args.word}}"],
}
FULL: dict[str, Any] = TOOL | {
    "permission": "readonly",
    "tags": ["filesystem"],
    "command_type": "exec",
    "working_dir": "inside",
    "command": "../show",
    "env_allowlist": ["MODE"],
    "timeout_ms": 5000,
    "stdout_limit_bytes": 1000,
    "stderr_limit_bytes": 100,
}
SHELL: dict[str, Any] = {key: value for key, value in TOOL.items() if key != "args"} | {
    "command_type": "shell",
    "command": "./show {{args.word}} | cat",
}
SHOW = """#!/bin/sh
for argument in "$@"; do shown="$shown[$argument]"; done
printf '{"success": true, "message": "%s %s %s", "value": "%s"}' "${PWD##*/}" "$MODE" "$SECRET" "$shown"
"""


class Home:
    """A home, a project with a program, and the tools registered from the home to run in the project."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        (self.home / "tools").mkdir(parents=True)
        (self.project / "inside").mkdir(parents=True)
        (self.project / "show").write_text(SHOW)
        (self.project / "show").chmod(0o755)
        environment = {"PATH": "/usr/bin:/bin", "MODE": "fast", "SECRET": "secret"}
        self.host = CommandHost(paths=PathPolicy(self.project, home=self.home), environment=environment)
        self.catalog = Catalog()

    def write(self, name: str, content: Any) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.home / "tools" / name).write_text(text, encoding="utf-8")

    def load(self) -> tuple[str, ...]:
        return load_user_tools(self.catalog, self.home, self.host)

    def invoke_program(self, script: str, **limits: Any) -> ToolResult[Any]:
        """Call a tool that runs a program, with limits; those that are None are not in its file."""
        (self.project / "program").write_text(script)
        (self.project / "program").chmod(0o755)
        given = {name: value for name, value in limits.items() if value is not None}
        self.write("show.json", TOOL | {"command": "./program"} | given)
        self.load()
        return self.invoke({"word": "w"})

    def problem(self, **changes: Any) -> str:
        self.write("show.json", TOOL | changes)
        with pytest.raises(CatalogError) as raised:
            self.load()
        assert list(self.catalog) == []
        return str(raised.value)

    def invoke(self, args: Any, permission: Any = allow_all, hooks: Any = ()) -> ToolResult[Any]:
        runtime = Runtime(self.catalog, permission=permission, hooks=hooks)
        return asyncio.run(runtime.invoke(ToolRequest(name="local.show", payload=json.dumps(args))))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_reg_53_user_tools_are_registered_and_run(home: Home) -> None:
    home.write("show.json", TOOL)
    home.write("notes.txt", "no tool")
    assert home.load() == ("local.show",)
    assert home.invoke({"word": "a; rm -rf / 'x'"}).value == "[--][a; rm -rf / 'x']"
    assert home.invoke({"word": "-x", "max": 3}).value == "[--max][3][--][-x]"
    definition = home.catalog.definition("local.show")
    assert (definition.permission, definition.tags) == ("write", {"write", "declarative"})
    assert {**definition.metadata, "command": None} == {
        "kind": "command",
        "source": "declarative",
        "command": None,
        "limits": {},
    }


def test_reg_53_projects_declare_no_tools(home: Home) -> None:
    for folder in (home.project, home.project / ".toolgen", home.home / "tools" / "deeper"):
        (folder / "tools").mkdir(parents=True)
        (folder / "tools" / "show.json").write_text(json.dumps(TOOL))
    assert home.load() == ()


def test_reg_53_a_home_without_tools_is_valid(home: Home) -> None:
    (home.home / "tools").rmdir()
    assert home.load() == ()


def test_reg_55_every_field_has_its_effect(home: Home) -> None:
    home.write("show.json", FULL)
    home.load()
    definition = home.catalog.definition("local.show")
    assert (definition.permission, definition.tags) == ("readonly", {"readonly", "declarative", "filesystem"})
    assert definition.metadata["limits"] == {"timeout_ms": 5000, "result_bytes": 1000}
    result = home.invoke({"word": "w"})
    assert result.message == "inside fast "  # the folder, the allowed variable, and no other
    assert home.invoke({"word": "x" * 2000}).metadata["truncated"] is True


@pytest.mark.parametrize(("stderr_limit", "shown"), [(6, "56789"), (None, "the first\nline of 0123456789")])
def test_reg_55_stderr_is_shown_to_its_limit(home: Home, stderr_limit: int | None, shown: str) -> None:
    fails = "#!/bin/sh\nprintf 'the first\\nline of 0123456789\\n' >&2; exit 3\n"
    result = home.invoke_program(fails, stderr_limit_bytes=stderr_limit)
    assert result.error is not None
    assert result.error.hint == f"its last output:\n{shown}"


@pytest.mark.parametrize(("limit", "is_cut"), [(20, True), (None, False)])
def test_reg_55_stdout_is_shown_to_its_limit(home: Home, limit: int | None, is_cut: bool) -> None:
    printed = '{"success": true, "value": "0123456789"}'
    result = home.invoke_program(f"#!/bin/sh\nprintf '%s' '{printed}'\n", stdout_limit_bytes=limit)
    assert result.value == "0123456789"
    cut = f"{printed[:20]}\n[cut: these are the first 20 of 40 bytes]"
    assert result.content[0].data == (cut if is_cut else "0123456789")


def test_reg_55_a_tool_is_ended_after_its_timeout(home: Home) -> None:
    result = home.invoke_program("#!/bin/sh\nexec sleep 60\n", timeout_ms=300)
    assert result.error is not None
    assert (result.error.kind, result.error.message) == (
        FailureKind.TIMEOUT,
        "the command took longer than 300 ms",
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"timeout": 5}, "there is no field 'timeout'; did you mean 'timeout_ms'?"),
        ({"env": []}, "there is no field 'env'; there are name, description, input_schema, permission, tags, "),
        ({"name": 5}, "`name` must be a text"),
        ({"name": "show"}, "'show' is not a valid tool name: it needs a dot"),
        ({"description": ""}, "`description` must be a text"),
        ({"input_schema": True}, "`input_schema` must be a JSON Schema of an object"),
        ({"input_schema": {"type": "object", "$defs": 5}}, "`input_schema` must be a JSON Schema of an object"),
        ({"permission": "admin"}, "`permission` must be one of readonly, write"),
        ({"permission": ["write"]}, "`permission` must be one of readonly, write"),
        ({"tags": "code"}, "`tags` must be a list of words"),
        ({"tags": ["readonly"]}, "local.show has permission write, so it cannot have both permission tags"),
        ({"command_type": "bash"}, "`command_type` must be one of exec, shell"),
        ({"command": ""}, "`command` must be a text"),
        ({"args": "a b"}, "`args` must be a list of texts, and of lists of texts"),
        ({"args": [[]]}, "`args` must be a list of texts, and of lists of texts"),
        ({"args": [1]}, "`args` must be a list of texts, and of lists of texts"),
        ({"env_allowlist": ["A=B"]}, "`env_allowlist` must be a list of names of variables"),
        ({"timeout_ms": 0}, "`timeout_ms` must be a whole number above 0"),
        ({"timeout_ms": True}, "`timeout_ms` must be a whole number above 0"),
        ({"stdout_limit_bytes": 1.5}, "`stdout_limit_bytes` must be a whole number above 0"),
        ({"stderr_limit_bytes": "1"}, "`stderr_limit_bytes` must be a whole number above 0"),
    ],
)
def test_reg_55_errors_name_the_file_and_the_field(home: Home, changes: dict[str, Any], problem: str) -> None:
    assert home.problem(**changes).startswith(f"tools/show.json: {problem}")


@pytest.mark.parametrize("field", ["name", "description", "input_schema", "command"])
def test_reg_55_required_fields(home: Home, field: str) -> None:
    home.write("show.json", {key: value for key, value in TOOL.items() if key != field})
    with pytest.raises(CatalogError, match=rf"tools/show\.json: the field '{field}' is missing"):
        home.load()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "tools/show.json: it is not JSON: "),
        ("[]", "tools/show.json: it is not an object; a tool is one object"),
        ('{"name": "a.b", "name": "a.c"}', "tools/show.json: it is not JSON: `name` is there twice"),
    ],
)
def test_reg_55_files_without_a_tool(home: Home, text: str, problem: str) -> None:
    home.write("show.json", text)
    with pytest.raises(CatalogError) as raised:
        home.load()
    assert str(raised.value).startswith(problem)


def test_reg_55_every_problem_of_a_file_is_a_separate_line(home: Home) -> None:
    changes = {"name": "", "timeout_ms": None, "tags": ["", 5], "args": [[], 1], "colour": "red"}
    lines = home.problem(**changes).splitlines()
    starts = ("`name` must be a text", "`tags` must be a list of words", "`args` must be", "there is no field 'colour'")
    assert len(lines) == len(starts)
    assert all(line.startswith(f"tools/show.json: {start}") for line, start in zip(lines, starts, strict=True))


def test_reg_55_all_files_are_checked_and_none_is_registered_after_an_error(home: Home) -> None:
    home.write("good.json", TOOL)
    home.write("bad.json", TOOL | {"naem": "x"})
    with pytest.raises(CatalogError) as raised:
        home.load()
    assert str(raised.value).splitlines() == [
        "tools/bad.json: there is no field 'naem'; did you mean 'name'?",
    ]
    assert list(home.catalog) == []


def test_errors_of_the_catalog_are_reported_too(home: Home) -> None:
    home.write("a.json", TOOL)
    home.write("b.json", TOOL)
    with pytest.raises(CatalogError, match=r"local\.show is already defined"):
        home.load()
    (home.home / "tools" / "b.json").unlink()
    home.write("a.json", TOOL | {"tags": ["mine"]})
    with pytest.raises(CatalogError, match=r"local\.show has the undeclared tag 'mine'"):
        home.load()
    home.catalog.declare_tag("mine")
    assert home.load() == ("local.show",)
    home.catalog.freeze()
    with pytest.raises(CatalogError, match="the catalog is frozen"):
        home.load()


def test_reg_14_schemas_must_be_within_the_profile_like_those_of_specs(home: Home) -> None:
    schema = {"type": "object", "properties": {"word": {"anyOf": [{"type": "string"}]}}}
    assert "uses `anyOf` at $.properties.word" in home.problem(input_schema=schema, args=[])
    assert "does not describe an object" in home.problem(input_schema={"type": "string"}, args=[])
    wrong = {"type": "object", "properties": {"word": {"type": "strin"}}}
    assert "is not a valid JSON Schema" in home.problem(input_schema=wrong, args=[])


class NoCalls:
    def pre_tool_use(self, _call: object, /) -> Denial:
        return Denial("not today")

    def post_tool_use(self, _call: object, _result: object, /) -> None: ...


@pytest.mark.parametrize(
    ("permission", "tags", "loads"),
    [("readonly", [], False), ("readonly", ["dangerous"], True), ("write", [], True), ("write", ["dangerous"], True)],
)
def test_reg_56_a_shell_line_is_dangerous_or_writes(home: Home, permission: str, tags: list[str], loads: bool) -> None:
    home.write("show.json", SHELL | {"permission": permission, "tags": tags})
    if loads:
        home.load()
        assert home.invoke({"word": "a'b; $(id)"}).value == "[a'b; $(id)]"
        asked: list[PermissionRequest] = []

        def deny(request: PermissionRequest) -> Decision:
            asked.append(request)
            return Decision.DENY

        (home.project / "show").write_text("#!/bin/sh\n: > ran\n")
        for answer, hooks in ((deny, ()), (deny_all, ()), (pytest.fail, [NoCalls()])):
            denied = home.invoke({"word": "a"}, answer, hooks).error
            assert denied is not None
            assert denied.kind is FailureKind.PERMISSION_DENIED
        assert [(request.tool_name, request.dangerous) for request in asked] == [("local.show", "dangerous" in tags)]
        assert not (home.project / "ran").exists()
    else:
        with pytest.raises(CatalogError, match="`command_type`: a shell line needs `permission: write` or the tag"):
            home.load()


def test_reg_56_args_are_only_allowed_with_a_program(home: Home) -> None:
    changes = {"command_type": "shell", "command": "./show"}
    assert "`args` are for command_type exec" in home.problem(**changes)
    assert "`command`: `{{args.word}}` is inside quotes" in home.problem(
        command_type="shell", command="./show '{{args.word}}'", args=[]
    )


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{{env.HOME}}", "`{{env.HOME}}` is not a template"),
        ("{{args.word.x}}", "`{{args.word.x}}` is more than the name of a field"),
        ("{{args.word|upper}}", "`{{args.word|upper}}` is more than the name of a field"),
        ("{{word}}", "`{{word}}` is not a template"),
    ],
)
def test_reg_57_templates_may_only_name_args(home: Home, template: str, problem: str) -> None:
    assert home.problem(args=[template]).startswith(f"tools/show.json: `args`: {problem}")
    shell = {"command_type": "shell", "command": f"echo {template}", "args": []}
    assert home.problem(**shell).startswith(f"tools/show.json: `command`: {problem}")


def test_reg_57_the_program_cannot_be_a_template(home: Home) -> None:
    assert "`command`: a model cannot choose the program" in home.problem(command="{{args.word}}")


def test_reg_58_a_template_names_a_field_of_the_schema(home: Home) -> None:
    problem = home.problem(args=["{{args.wrod}}"])
    assert problem == (
        "tools/show.json: `args`: `{{args.wrod}}` names a field that the args do not have; did you mean 'word'?"
    )
    assert "`input_schema`: 'list' is used in a template" in home.problem(args=["{{args.list}}"])


def test_reg_58_values_come_from_checked_args(home: Home) -> None:
    home.write("show.json", TOOL)
    home.load()
    (home.project / "show").write_text("#!/bin/sh\n: > ran\nprintf '{\"success\": true}'\n")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"word": 5}, "/word"),
        ({"word": "a", "cwd": "/"}, "/cwd"),
        ({"word": "a", "max": "1; id"}, "/max"),
        ({"max": 1}, "/word"),
    ]
    for args, pointer in wrong:
        error = home.invoke(args).error
        assert error is not None
        assert (error.code, [issue.pointer for issue in error.issues]) == ("validation_error", [pointer])
    assert not (home.project / "ran").exists()
    assert not home.invoke({"word": "a"}).is_error
    assert (home.project / "ran").exists()


@pytest.mark.parametrize(("working_dir", "folder"), [(None, ""), (".", ""), ("inside", "inside"), ("inside/..", "")])
def test_reg_61_62_a_tool_runs_in_the_project_with_the_allowed_variables_only(
    home: Home, monkeypatch: pytest.MonkeyPatch, working_dir: str | None, folder: str
) -> None:
    """Wherever the process of the host is, and whatever its own environment has."""
    monkeypatch.chdir(home.home)
    for name in ("HOME", "TMPDIR", "MODE", "TOKEN"):
        monkeypatch.setenv(name, str(home.home))
    home.host = CommandHost(paths=home.host.paths)
    (home.project / "program").write_text('#!/bin/sh\n{ pwd; env; } > "$0.seen"\necho null\n')
    (home.project / "program").chmod(0o755)
    chosen = {} if working_dir is None else {"working_dir": working_dir}
    program = str(home.project / "program")
    for allowed, names in ([], {"HOME", "PATH", "TMPDIR"}), (["MODE"], {"HOME", "MODE", "PATH", "TMPDIR"}):
        home.catalog = Catalog()
        home.write("show.json", TOOL | {"command": program, "env_allowlist": allowed} | chosen)
        home.load()
        assert not home.invoke({"word": "w"}).is_error
        where, *variables = (home.project / "program.seen").read_text().splitlines()
        assert where == str((home.project / folder).resolve())
        given = {line.partition("=")[0] for line in variables} - {"PWD", "OLDPWD", "_", "SHLVL"}
        assert {name for name in given if not name.startswith("TOOLGEN_")} == names


@pytest.mark.parametrize("folder", ["..", "/", "inside/../..", "~", "link"])
def test_reg_61_the_folder_is_inside_the_roots(home: Home, folder: str) -> None:
    (home.project / "link").symlink_to(home.home)
    problem = home.problem(working_dir=folder)
    assert problem.startswith(f"tools/show.json: `working_dir`: the folder {folder!r} is outside the roots")
