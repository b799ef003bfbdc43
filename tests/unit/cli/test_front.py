"""Start-up: folders without a project, explanations of diagnostics, and Ctrl-C at any time."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click
import pytest

from tests.project.checkout import ROOT
from tests.project.extras import PACKAGES
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from toolgen.cli import front
from toolgen.cli.commands import COMMANDS, GROUPS, ONE_SHOT, module_of
from toolgen.cli.front import FOR_ARGUMENT, run
from toolgen.runtime import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLAIN = [("build",), ("list",), ("show", "x"), ("ir",), ("call", "x"), ("policy", "explain", "x")]


@pytest.mark.parametrize("command", PLAIN, ids=lambda command: command[0])
def test_a_folder_without_a_project_is_reported(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = toolgen(tmp_path, *command)

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == (
        "Error: There is no project here: neither toolgen.toml nor pyproject.toml configures toolgen, and there is no "
        "folder `specs`. Create one with `toolgen init`, or give its folder with -C."
    )


def test_a_project_above_is_named_and_not_used(tmp_path: Path) -> None:
    below = tmp_path / "my specs" / "more"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.toolgen]\ntargets = [{}]\n")

    done = toolgen(tmp_path, "-C", str(below), "policy", "explain", "x")
    assert (done.code, done.out) == (2, "")
    above = f"{below}/../.."
    expected = f"There is one in `{above}`: `toolgen -C '{above}' policy explain`"
    assert done.err.splitlines()[-1].endswith(f"no folder `specs`. {expected}")

    here = [forked_python(), "-m", "toolgen", "serve"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    served = subprocess.run(here, cwd=below.parent, env=environment, capture_output=True, text=True, check=False)
    assert served.stderr.endswith("There is one in `..`: `toolgen -C .. serve`\n")

    (tmp_path / "pyproject.toml").write_text("[project\n")
    assert "Create one with `toolgen init`" in toolgen(below, "build").err


@pytest.mark.parametrize(
    ("folders", "hint"), [(("specs",), "Did you mean `specs`?"), ((), "Create it and write a spec there.")]
)
def test_a_configured_spec_folder_that_is_missing_is_reported(
    tmp_path: Path, folders: tuple[str, ...], hint: str
) -> None:
    (tmp_path / "toolgen.toml").write_text('targets = [{specs = "sepcs"}]\n')
    for folder in folders:
        (tmp_path / folder).mkdir()

    done = toolgen(tmp_path, "build")

    assert done.code == 2
    expected = f"Error: toolgen.toml: the `specs` folder `sepcs` of a target does not exist. {hint}"
    assert done.err.splitlines()[-1] == expected


def test_a_folder_that_was_deleted_is_reported(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && "{sys.executable}" -m toolgen list'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "Error: The current folder was deleted: change to another one.\n" in done.stderr


def test_a_diagnostic_is_explained_by_number_code_or_name(tmp_path: Path) -> None:
    by_number, by_code, by_name = (toolgen(tmp_path, "explain", code) for code in ("208", "tg208", "default-refused"))

    assert by_number == by_code == by_name
    assert by_number.out.startswith("TG208 default-refused (warning)\n")


def test_ctrl_c_while_libraries_load_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "toolgen", "list"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_help_lists_each_command_in_its_group_and_imports_none(tmp_path: Path) -> None:
    code = (
        "import sys; from toolgen.cli.front import run; run(['--help'])\n"
        "print(*(name for name in sys.modules if name.startswith('toolgen.cli.commands.') or name in "
        "('jinja2', 'jsonschema', 'jsonschema_rs', 'pydantic', 'rich', 'toolgen.runtime', 'yaml')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    sections = re.findall(r"^(\w.*):\n((?:  .*\n)+)", done.stdout, re.MULTILINE)
    listed = {title: re.findall(r"^  (\w+)  ", lines, re.MULTILINE) for title, lines in sections}

    del listed["Options"]
    assert listed == {group.title: list(group.commands) for group in GROUPS.values()}
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_commands_with_commands_has_whole_sentences(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = import_module(module_of(name)).command
    assert run([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "..." not in out.partition("\nCommands:\n")[2]
    assert ("\nCommands:\n" in out) is isinstance(command, click.Group)


WITHOUT_EXTRAS = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, NotInstalled())
from toolgen.cli.front import run

for words in {lines!r}:
    print(run(words), *words, file=sys.stderr)
"""


def without_extras(folder: Path, *lines: list[str]) -> tuple[str, list[str]]:
    """Run command lines without what extras bring. Returns their output, and lines of stderr with each exit code."""
    code = WITHOUT_EXTRAS.format(names=set().union(*PACKAGES.values()), lines=lines)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=True)
    return done.stdout, done.stderr.splitlines()


def command_lines(command: click.Command, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a command and of all below it."""
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from command_lines(below, *words, name)


def test_help_needs_no_extra(tmp_path: Path) -> None:
    found = [words for name in COMMANDS for words in command_lines(import_module(module_of(name)).command, name)]
    _, told = without_extras(tmp_path, *([*words, "--help"] for words in found))
    assert ("import", "mcp") in found
    assert told == [f"0 {' '.join(words)} --help" for words in found]


def test_a_saved_answer_of_a_server_is_imported_without_an_extra(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "a.json").write_text('{"tools": [{"name": "now", "inputSchema": {"type": "object"}}]}')
    importing = ["import", "mcp", "a.json", "--toolset", "mcp.clock"]
    out, told = without_extras(tmp_path, importing, ["import", "mpc"])
    assert out == "specs/clock.yaml: 1 tool, 1 new\n"
    assert told[0] == f"0 {' '.join(importing)}"
    assert told[-2:] == ["Error: There is no command `mpc`. Did you mean `mcp`?", "2 import mpc"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("biuld",), "Did you mean `build`?"),
        (("import", "mpc"), "Did you mean `mcp`?"),
        (("policy", "explan"), "Did you mean `explain`?"),
        (("runs", "schedules", "lst"), "Did you mean `list`?"),
        (("runs", "zzz"), "See `toolgen runs --help`."),
    ],
)
def test_a_command_that_does_not_exist_gets_a_suggestion_in_each_group(
    words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    err = capsys.readouterr().err
    assert err.startswith("Usage: toolgen ")
    assert err.endswith(f"\n\nError: There is no command `{words[-1]}`. {hint}\n")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("list", "--json"), "Did you mean '--format json'?"),
        (("diff", "--markdown"), "Did you mean '--format markdown'?"),
        (("serve", "--port", "80"), "Did you mean '--http'?"),
        (("list", "--formt", "json"), "Did you mean '--format'?"),
        (("list", "shop"), "(shop). Give the toolset as `--toolset`."),
        (("diff", "main"), "(main). Give the version to compare with as `--against`."),
        (("build", "a", "b"), "(a b). It compiles the specs of all targets."),
        (("lsp", "x"), "(x)"),
    ],
)
def test_what_is_written_in_another_way_elsewhere_gets_a_hint(
    words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert capsys.readouterr().err.endswith(f"{hint}\n")


def test_each_hint_names_an_option_of_its_command() -> None:
    for name, hint in FOR_ARGUMENT.items():
        command = import_module(module_of(name)).command
        options = {option for each in command.params for option in each.opts}
        assert set(re.findall("`(--[a-z]+)`", hint)) <= options, name


def test_the_choices_of_an_argument_are_printed_without_escapes(tmp_path: Path) -> None:
    done = toolgen(tmp_path, "export")
    assert done.code == 2
    assert "  openai," in done.err.splitlines()
    assert "\\t" not in done.err


def test_each_module_of_a_command_is_in_the_table() -> None:
    """A command is a module with a function `command`; `schedules` is below `runs`."""
    files = (ROOT / "toolgen" / "cli" / "commands").glob("*/*.py")
    written = {file for file in files if re.search(r"^def command\(", file.read_text(encoding="utf-8"), re.MULTILINE)}
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in written}

    assert names - {"toolgen.cli.commands.runs.schedules"} == set(map(module_of, COMMANDS))


@pytest.mark.parametrize("name", COMMANDS)
def test_one_shot_commands_run_without_garbage_collection(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    module = import_module(module_of(name))
    options = {option for parameter in module.command.params for option in parameter.opts}
    monkeypatch.setattr(module, "command", click.Command(name, callback=lambda: seen.append(gc.isenabled())))
    try:
        assert run([name]) == 0
    finally:
        gc.unfreeze()
    assert seen == [name not in ONE_SHOT]
    assert gc.isenabled()
    assert name not in ONE_SHOT or options.isdisjoint(["--watch", "--http"])


@pytest.mark.parametrize("kind", [click.UsageError, RuntimeError])
def test_no_command_ends_with_a_credential_that_an_error_quotes(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Libraries and programs of a project put URLs with logins, and headers, into their errors."""

    def fail(*_: object) -> int:
        raise kind("GET https://ann:TopSecretPw9@shop.example failed; Authorization: Bearer abcdef0123456789")

    monkeypatch.setattr(front, "_run", fail)
    assert front.run(["list"]) in (2, 3)
    told = capsys.readouterr().err
    assert "GET https://[redacted]@shop.example failed" in told
    assert not [each for each in ("TopSecretPw9", "abcdef0123456789") if each in told]


def test_a_package_that_was_imported_before_a_command_is_imported_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though a command has imported another one of the same name, which most projects give theirs."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "toolgen.toml").touch()
    tool = "{description: Count., permission: readonly, args: {}, result: integer}"
    (tmp_path / "specs" / "own.yaml").write_text(f"toolgen: 1\ntoolset: own\ntools:\n  count: {tool}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT))
    found = import_module("generated.tools")
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "generated"}
    assert run(["build"]) == 0
    assert run(["call", "own.count", "{}", "--stub"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].isdecimal()
    assert {name: module for name, module in sys.modules.items() if name in before} == before
    assert import_module("generated.tools") is found
    assert "own.count" not in [tool.ident for tool in load("generated").spelled_tools()]
