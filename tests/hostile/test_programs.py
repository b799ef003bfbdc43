"""Programs that toolgen starts: a table of them, and that none takes its code from the project it looks at."""

from __future__ import annotations

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click
import pytest

from tests.project.checkout import ROOT, parsed
from tests.project.extras import PACKAGES
from tests.unit.authoring.diff.repository import ORDERS
from tests.unit.cli.command_line import toolgen
from toolgen.cli.commands import COMMANDS, SERVING, module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

STARTING: Final = {
    "subprocess": None,
    "multiprocessing": None,
    "webbrowser": None,
    "pty": None,
    "runpy": None,
    "pydantic_monty": None,
    "mcp.client.stdio": None,
    "concurrent.futures": {"ProcessPoolExecutor"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell", "subprocess"},
    "anyio": {"open_process", "run_process"},
    "os": {"system", "popen", "startfile", "fork", "forkpty"},
}
"""Modules that start programs: all of them, or by some names."""

MENTIONED: Final = re.compile(rf"\b({'|'.join(sorted({module.partition('.')[0] for module in STARTING}))})\b")
"""What is in the text of each module that starts programs."""

SERVER: Final = """
import asyncio
from pathlib import Path
from toolgen.authoring.language_server.session import Checker
from toolgen.authoring.language_server.workspace import Project

async def check():
    project = Project(Path.cwd())
    checker = Checker()
    try:
        print((await checker.check(project, project.config().targets[0], {})).tools is not None)
    finally:
        checker.close()

if __name__ == "__main__":
    asyncio.run(check())
"""


def starts(text: str) -> Iterator[str]:
    """Yield what in a module starts programs."""
    if not MENTIONED.search(text):
        return
    for node in _nodes(parsed(text)):
        match node:
            case ast.Import(names):
                yield from (each.name for each in names if _starts(each.name, None))
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{each.name}" for each in names if _starts(module, each.name))
                yield from (f"{module}.{each.name}" for each in names if _starts(f"{module}.{each.name}", None))
            case ast.Attribute(ast.Name(module), name) if module in ("os", "asyncio", "anyio"):
                if _starts(module, name) or (module == "os" and re.match("exec[lv]|spawn|posix_spawn", name)):
                    yield f"{module}.{name}"
            case ast.Call(ast.Name("import_module" | "__import__"), [ast.Constant(str(module)), *_]):
                if _starts(module, None):
                    yield module


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what a module runs: nothing that is for type checkers alone."""
    yield tree
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for each in node.orelse:
                yield from _nodes(each)
        else:
            yield from _nodes(node)


def _starts(module: str, name: str | None) -> bool:
    if module in STARTING:
        names = STARTING[module]
        return names is None or name in names
    return False


@pytest.mark.xdist_group("source")
def test_the_table_of_programs_has_each_module_that_starts_one() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "toolgen").rglob("*.py")
        if any(starts(path.read_text(encoding="utf-8")))
    }
    text = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")
    section = text.partition("## Programs that toolgen starts")[2].partition("\n## ")[0]
    assert found == set(re.findall(r"^\| `(toolgen/\S+?\.py)` \|", section, re.MULTILINE))


def test_what_starts_programs_is_found() -> None:
    for text in (
        "import subprocess",
        "import os.path, subprocess as s",
        "from subprocess import run",
        "from mcp.client import stdio",
        "from mcp.client.stdio import stdio_client",
        "from concurrent.futures import ProcessPoolExecutor",
        "import os\nos.execv('x', [])",
        "import os\nos.posix_spawnp('x', [], {})",
        "import asyncio\nasyncio.create_subprocess_exec('x')",
        "from importlib import import_module\nimport_module('pydantic_monty')",
        "def f():\n    import multiprocessing",
    ):
        assert list(starts(text)), text
    assert not list(starts("import os, asyncio\nfrom concurrent.futures import ThreadPoolExecutor\nos.path.join('a')"))


LINES: Final[dict[str, str]] = {
    "init": "init new",
    "import mcp": "import mcp tools.json --toolset mcp.shop",
    "import openapi": "import openapi api.json --toolset api",
    "import python": "import python app_of_project:find --toolset own",
    "login": "login mcp.shop",
    "build": "build",
    "dev": "dev",
    "lint": "lint --all",
    "fmt": "fmt --check",
    "diff": "diff --against .",
    "explain": "explain 208",
    "lsp": "lsp",
    "schema": "schema --evaluations",
    "ir": "ir",
    "list": "list",
    "show": "show shop.orders.find",
    "search": "search order",
    "docs": "docs",
    "policy explain": "policy explain shop.orders.find",
    "export": "export openai",
    "prompt": "prompt",
    "stats": "stats",
    "call": 'call shop.orders.find {"customer":"a"} --yes',
    "explore": "explore --no-open --http 127.0.0.1:0",
    "serve": "serve --stdio --yes",
    "log head": "log head run --store runs.db",
    "log show": "log show --store runs.db",
    "log verify": "log verify run --store runs.db",
    "eval from-dataset": "eval from-dataset calls.jsonl",
    "eval from-log": "eval from-log run --store runs.db",
    "eval run": "eval run",
    "eval suggest": "eval suggest",
    "replay": "replay calls.jsonl",
    "worker": "worker app_of_project:host --database durable.db",
    "runs approve": "runs approve --database durable.db run",
    "runs cancel": "runs cancel --database durable.db run",
    "runs deny": "runs deny --database durable.db run",
    "runs fork": "runs fork --database durable.db run 1",
    "runs list": "runs list --database durable.db",
    "runs prune": "runs prune --database durable.db",
    "runs resume": "runs resume --database durable.db run",
    "runs schedules add": "runs schedules add --database durable.db nightly",
    "runs schedules list": "runs schedules list --database durable.db",
    "runs schedules pause": "runs schedules pause --database durable.db nightly",
    "runs schedules remove": "runs schedules remove --database durable.db nightly",
    "runs schedules resume": "runs schedules resume --database durable.db nightly",
    "runs show": "runs show --database durable.db run",
    "runs signal": "runs signal --database durable.db run go",
    "runs start": "runs start --database durable.db",
    "runs tail": "runs tail --database durable.db run",
    "runs workers": "runs workers --database durable.db",
}
"""A command line of each command of the table, and of each below one."""

RUNNING: Final = frozenset({"call", "serve", "explore", "worker", "eval run", "import python"})
"""Commands that run the project's own code: what is not installed may come from it."""

EXTRAS: Final = frozenset[str]().union(*PACKAGES.values())
DEPENDENCIES: Final = frozenset({
    *("click", "datamodel_code_generator", "docstring_parser", "genson", "jinja2", "jsonschema", "jsonschema_rs"),
    *("pydantic", "pydantic_core", "referencing", "regress", "rich", "ruff", "typing_extensions", "yaml"),
    *("sitecustomize", "usercustomize"),
})  # fmt: skip
APP: Final = '''\
def find(customer: str, limit: int = 10, token: str | None = None) -> list[dict[str, str]]:
    """Find."""
    return []


def host(engine):
    raise RuntimeError("there is no host")
'''
FILES: Final = {
    "specs/orders.yaml": ORDERS.replace("readonly\n", "readonly\n    handler: app_of_project:find\n"),
    "evals/orders.eval.yaml": "toolgen: 1\neval: orders\ncases:\n"
    "  one: {question: Find orders., expect: [{call: shop.orders.find}]}\n",
    "tools.json": '{"tools": [{"name": "get", "inputSchema": {"type": "object"}}]}',
    "api.json": '{"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, '
    '"servers": [{"url": "https://a.example"}], "paths": {}}',
    "calls.jsonl": '{"tool": "shop.orders.find", "arguments": {"customer": "a"}, "question": "Find."}\n',
    "app_of_project.py": APP,
    "ruff.toml": "line-length = 20\n",
    ".ruff.toml": "line-length = 20\n",
}
"""A project, whose own code runs its tool."""

WITHOUT: Final = """
import sys
from importlib.machinery import PathFinder

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        if path is not None or name not in {names!r}:
            return None
        found = PathFinder.find_spec(name, [each for each in sys.path if "site-packages" not in each])
        if found is None:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return found

sys.meta_path.insert(0, NotInstalled())
from toolgen.cli.front import run

sys.exit(run(sys.argv[1:]))
"""


def lines_of(command: click.Command, *words: str) -> Iterator[str]:
    """Yield the name of a command that does something, or those below a group."""
    if not isinstance(command, click.Group):
        yield " ".join(words)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from lines_of(below, *words, name)


def shadow(project: Path, mark: Path, names: Iterable[str]) -> None:
    """Write modules with the names of others: each says in a file that it was run."""
    for name in names:
        (project / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({f'{name} '!r})\n")


def test_each_command_of_the_table_has_a_line() -> None:
    found = [each for name in COMMANDS for each in lines_of(import_module(module_of(name)).command, name)]
    assert sorted(found) == sorted(LINES)
    assert LINES.keys() >= RUNNING


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built project."""
    folder = tmp_path_factory.mktemp("looked_at")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    assert toolgen(folder, "build").code == 0
    return folder


def _with_and_without_extras(name: str) -> Iterator[Any]:
    """Yield a command twice; without extras, most of those that run no code of the project stop at once."""
    yield pytest.param(name, True, id=f"{name}-with extras")
    marks = () if name in RUNNING else pytest.mark.long
    yield pytest.param(name, False, id=f"{name}-without extras", marks=marks)


@pytest.mark.parametrize(("name", "are_installed"), [each for name in LINES for each in _with_and_without_extras(name)])
def test_no_command_takes_code_from_the_folder_it_looks_at(
    project: Path, tmp_path: Path, name: str, *, are_installed: bool
) -> None:
    folder, mark = tmp_path / "project", tmp_path / "mark"
    shutil.copytree(project, folder)
    extras = EXTRAS if are_installed or name not in RUNNING else frozenset[str]()
    shadow(folder, mark, (sys.stdlib_module_names | DEPENDENCIES | extras) - {"__main__"})
    code = WITHOUT.format(names=set[str]() if are_installed else set(EXTRAS))
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", code, *LINES[name].split()],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    try:
        for line in process.stdout:
            said += line
            if name in SERVING and ("http://" in line or "surface" in line.lower()):
                process.send_signal(signal.SIGINT)
                break
        said += process.communicate(timeout=300)[0]
    finally:
        process.kill()
    assert "Traceback" not in said, said
    assert "No such" not in said, said
    assert not mark.exists(), f"{mark.read_text()}\n{said}"


def test_the_language_server_takes_no_code_from_the_folder_it_looks_at(project: Path, tmp_path: Path) -> None:
    folder, mark, script = tmp_path / "project", tmp_path / "mark", tmp_path / "server_of_tests.py"
    shutil.copytree(project, folder)
    shadow(folder, mark, sys.stdlib_module_names | DEPENDENCIES | EXTRAS)
    script.write_text(SERVER)  # as the installed `toolgen` is one, in another folder
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "True\n", done.stderr
    assert not mark.exists(), mark.read_text()
