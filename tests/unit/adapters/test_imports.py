"""Each framework is imported only in its own module, and a missing one is an error that says what to install."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import toolgen
from tests.project.checkout import parsed
from tests.project.extras import PACKAGES

ROOT = Path(toolgen.__file__).parent
EXTRAS = {
    file.stem: file.stem.replace("_", "-")
    for file in sorted((ROOT / "adapters").glob("*.py"))
    if file.stem not in ("__init__", "bridge")
}
"""The extra of each adapter, which is named after its module."""

MODULES = {
    module: PACKAGES.get(extra, set()).difference(*(each for other, each in PACKAGES.items() if other != extra))
    for module, extra in EXTRAS.items()
}
"""The packages of the framework of each adapter: those that no other extra brings."""

IMPORTED_TOOLS = ROOT / "execute" / "python" / "frameworks.py"
"""Runs tool objects of frameworks, which the host has imported."""


@cache
def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(parsed(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def test_each_adapter_has_an_extra_that_brings_its_framework() -> None:
    assert all(MODULES.values())


@pytest.mark.xdist_group("source")
def test_each_framework_is_imported_only_in_its_own_module() -> None:
    for framework in set().union(*MODULES.values()):
        (own,) = (module for module, frameworks in MODULES.items() if framework in frameworks)
        found = {file for file in ROOT.rglob("*.py") if framework in imported(file)}
        played = ROOT / "testing" / "frameworks" / f"{own}.py"  # a scripted model for the framework, on request
        assert found - {IMPORTED_TOOLS, played} == {ROOT / "adapters" / f"{own}.py"}, framework


def test_a_missing_framework_is_an_error_that_says_what_to_install() -> None:
    code = (
        "import importlib, sys\n"
        f"for name in {sorted(set().union(*MODULES.values()))!r}: sys.modules[name] = None\n"
        f"for name in {sorted(MODULES)!r}:\n"
        "    try: importlib.import_module(f'toolgen.adapters.{name}')\n"
        "    except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.partition("pip install ")[2] for line in lines] == [
        f'"toolgen[{EXTRAS[name]}]"' for name in sorted(MODULES)
    ]
