"""Extras: what needs one says so in its first line, is imported by nothing else, and its error has the one form."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT, parsed, pyproject, sources
from tests.project.extras import PACKAGES
from toolgen.contract.extras import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OF_THE_HOST: Final = {"toolgen.execute.python.frameworks", "toolgen.execute.trace_context"}
"""Modules that import from a library only if the host has imported it already."""


def test_each_extra_is_in_the_table() -> None:
    assert {*PACKAGES, "compiler"} == pyproject()["project"]["optional-dependencies"].keys()


def test_each_extra_is_in_the_readme() -> None:
    table = (ROOT / "README.md").read_text("utf-8").partition("## Extras")[2].partition("\n## ")[0]
    named = [name for row in table.splitlines() if row.startswith("|") for name in re.findall("`([a-z-]+)`", row)]
    assert sorted(named) == sorted(pyproject()["project"]["optional-dependencies"])


@pytest.mark.xdist_group("source")
def test_what_needs_an_extra_says_so_in_its_first_line() -> None:
    silent = [
        f"{module} imports {package}, and neither its first line nor that of its package names an extra that brings it"
        for module in modules()
        for package in imported(module, of_functions=True)
        if extras_of(package) and not extras_of(package) & named(module) and module not in OF_THE_HOST
    ]
    assert silent == []


@pytest.mark.xdist_group("source")
def test_what_needs_an_extra_is_imported_by_nothing_else() -> None:
    """At the top of a module: what may need an extra is otherwise imported where it is used."""
    everywhere = [
        f"{module} imports {other}, which needs {sorted(needed(other))}"
        for module in modules()
        for other in imported(module, of_functions=False)
        if needed(other) and not needed(other) & (named(module) | brought_by(module))
    ]
    assert everywhere == []


def test_the_install_command_stands_in_one_module() -> None:
    written = [str(file.relative_to(ROOT)) for file in sources("toolgen") if "pip install" in file.read_text("utf-8")]
    assert written == ["toolgen/cli/commands/calls/telemetry.py", "toolgen/contract/extras.py"]  # one is of an SDK


@pytest.mark.parametrize("extra", PACKAGES)
def test_the_error_has_the_command_that_installs_the_extra(extra: str) -> None:
    error = MissingExtra("this needs that", extra)
    assert str(error) == f'this needs that: pip install "toolgen[{extra}]"'


@pytest.mark.xdist_group("source")
def test_each_missing_extra_is_one_of_the_project() -> None:
    calls = (
        ast.literal_eval(node.args[1])
        for file in sources("toolgen")
        if "MissingExtra" in (text := file.read_text(encoding="utf-8"))
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call) and _is_name(node.func, "MissingExtra")
    )
    assert {*calls} <= {*PACKAGES, "compiler"}


@cache
def modules() -> dict[str, Path]:
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
        for file in sources("toolgen")
    }


@cache
def tree(module: str) -> ast.Module:
    return parsed(modules()[module].read_text(encoding="utf-8"))


def extras_of(package: str) -> set[str]:
    return {extra for extra, packages in PACKAGES.items() if package in packages}


@cache
def named(module: str) -> set[str]:
    """Return the extras in the first line of a module, and of the packages that it is in."""
    parts = module.split(".")
    found = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    lines = ((ast.get_docstring(tree(each)) or "").partition("\n")[0] for each in found if each in modules())
    return {extra for line in lines for extra in re.findall(r"extra `([\w-]+)`", line)}


@cache
def needed(module: str) -> set[str]:
    """Return the extras without which a module cannot be imported, because of itself or of what it imports."""
    if module not in modules():
        return set()
    names = imported(module, of_functions=False)
    own = {extra for name in names for extra in extras_of(name)} & named(module)
    return own.union(*(needed(name) for name in names)) if module not in OF_THE_HOST else own


def brought_by(module: str) -> set[str]:
    """Return extras that come with those of a module: what has the MCP SDK has its HTTP client."""
    return {"http", "otel"} if "mcp" in named(module) else set()


@cache
def imported(module: str, *, of_functions: bool) -> frozenset[str]:
    """Return what a module imports when it runs: modules of toolgen, and the top names of other packages."""
    return frozenset(_imported(tree(module), of_functions))


def _imported(node: ast.AST, of_functions: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (_name(each.name) for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        inner = {f"{node.module}.{each.name}" for each in node.names}
        yield from inner & modules().keys() or {_name(node.module or "")}
    elif of_functions and isinstance(node, ast.Call) and _is_name(node.func, "find_spec", "import_module"):
        yield from (_name(str(each.value)) for each in node.args[:1] if isinstance(each, ast.Constant))
    below: list[ast.AST]
    if isinstance(node, ast.If) and _is_name(node.test, "TYPE_CHECKING"):
        below = [*node.orelse]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not of_functions:
        below = []
    else:
        below = [*ast.iter_child_nodes(node)]
    for each in below:
        yield from _imported(each, of_functions)


def _is_name(node: ast.expr, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _name(name: str) -> str:
    return name if name in modules() else name.partition(".")[0]
