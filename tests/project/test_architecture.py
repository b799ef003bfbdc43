"""The structure of the code: imports and identifiers."""

from __future__ import annotations

import ast
import subprocess
import sys
import tokenize
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT, parsed, sources

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_imports_keep_the_contracts_of_pyproject() -> None:
    # In a separate process, because it configures logging for the whole process.
    lint_imports = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint_imports, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.xdist_group("source")
def test_no_two_modules_import_each_other() -> None:
    """At run time, directly or through others, at the top of a module or on use; types may refer to each other."""
    modules = {_name_of(file): file for file in sources("toolgen")}
    imported = {name: {*_imports(name, file, modules)} for name, file in modules.items()}
    assert any(len(names) > 5 for names in imported.values())
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        raise AssertionError(f"these modules import each other: {' <- '.join(error.args[1])}") from None


def test_identifiers_are_ascii() -> None:
    files = sources("toolgen", "tests", "benchmarks", "docs")
    assert [place for file in files for place in _odd_identifiers(file)] == []


def _name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(module: str, file: Path, modules: dict[str, Path]) -> Iterator[str]:
    """Return the modules among `modules` that one imports; of a package and its module, only the module."""
    for statement in _at_run_time(parsed(file.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            found = {each.name for each in statement.names}
        else:
            inner = {f"{statement.module}.{each.name}" for each in statement.names}
            found = inner & modules.keys() or {statement.module or ""}
        yield from found & modules.keys() - {module}


def _at_run_time(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return the imports below a node, without those for type checkers only."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    below = node.orelse if isinstance(node, ast.If) and is_for_types else ast.iter_child_nodes(node)
    for child in below:
        yield from _at_run_time(child)


def _odd_identifiers(file: Path) -> list[str]:
    if not any(f"_{each}".isidentifier() for each in {*file.read_text(encoding="utf-8")} if not each.isascii()):
        return []
    with tokenize.open(file) as text:
        names = [token for token in tokenize.generate_tokens(text.readline) if token.type == tokenize.NAME]
    place = file.relative_to(ROOT)
    return [f"{place}:{name.start[0]}: {name.string}" for name in names if not name.string.isascii()]
