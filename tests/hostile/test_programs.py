"""Programs that toolgen starts: a table of them, and that none takes its code from the project it looks at."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT, parsed
from tests.unit.authoring.diff.repository import ORDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
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

SHADOWING: Final = ("multiprocessing", "pickle", "signal", "subprocess", "selectors", "click", "ruff", "sitecustomize")
COMMANDS: Final = """
from toolgen.cli.front import run

print(*(f"{name} {run([name])}" for name in ("build", "docs", "lint")), sep=", ")
"""
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


def test_no_command_takes_code_from_the_folder_it_looks_at(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/orders.yaml").write_text(ORDERS)
    mark = tmp_path.parent / f"{tmp_path.name}-mark"
    for name in SHADOWING:
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r})\n")
    for name in ("ruff.toml", ".ruff.toml"):
        (tmp_path / name).write_text("line-length = 20\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.splitlines()[-1] == "build 0, docs 0, lint 1", done.stdout
    assert not mark.exists(), mark.read_text()
    script = tmp_path.parent / f"{tmp_path.name}-server.py"  # as the installed `toolgen` is one, in another folder
    script.write_text(SERVER)
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "True\n", done.stderr
    assert not mark.exists(), mark.read_text()
    dev = subprocess.Popen(
        [sys.executable, "-P", "-m", "toolgen", "dev"],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert dev.stdout is not None
    try:
        for line in dev.stdout:
            if "surface" in line.lower():
                break
        dev.send_signal(signal.SIGINT)
        dev.communicate(timeout=300)
    finally:
        dev.kill()
    assert not mark.exists(), mark.read_text()
