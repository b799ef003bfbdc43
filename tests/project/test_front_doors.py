"""The front doors offer what type checkers see, one name for one thing, and import it on use."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict

import pytest

from tests.project.checkout import ROOT
from tests.project.front_doors import CONTRACT, DOORS, lazy_origins, origins


@pytest.mark.parametrize("door", DOORS)
def test_a_door_offers_the_names_that_type_checkers_see(door: str) -> None:
    assert origins(door) == lazy_origins(door) != {}
    assert sorted(origins(door)) == dir(importlib.import_module(door))


@pytest.mark.parametrize("door", DOORS)
def test_each_name_of_a_door_is_what_its_module_defines(door: str) -> None:
    package = importlib.import_module(door)
    for name, origin in origins(door).items():
        assert getattr(package, name) is getattr(importlib.import_module(origin), name), name


@pytest.mark.parametrize("door", DOORS)
def test_no_name_of_a_door_is_that_of_a_module_below(door: str) -> None:
    """Python sets a module as an attribute of its package when it is imported, in place of what was there."""
    package = importlib.import_module(door)
    below = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert below & {*origins(door)} == set()


def test_a_name_means_one_thing_at_all_doors() -> None:
    homes = defaultdict[str, set[str]](set)
    for door in DOORS:
        for name, origin in origins(door).items():
            homes[name].add(door if not origin.startswith(CONTRACT) else origin)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


@pytest.mark.parametrize("door", [door for door in DOORS if door not in ("toolgen.explore", "toolgen.serve")])
def test_a_door_imports_its_modules_on_use(door: str) -> None:
    program = (
        f"import json, sys, {door}; print(json.dumps([name for name in sys.modules if name.startswith('toolgen')]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) == {"toolgen", "toolgen.contract", "toolgen.contract.lazy", door}


@pytest.mark.parametrize(
    ("door", "package", "extra"),
    [
        ("toolgen.serve", "mcp", "mcp"),
        ("toolgen.explore", "jinja2", "explore"),
        ("toolgen.explore", "sse_starlette", "explore"),
    ],
)
def test_a_door_says_which_extra_it_needs(door: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules['{package}'] = None; import {door}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f'pip install "toolgen[{extra}]"' in done.stderr


OF_USERS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "templates").rglob("*.jinja"),
    *(ROOT / "toolgen" / "cli" / "example").rglob("*.py"),
    *(ROOT / "generated").rglob("*.py"),
    *(ROOT / "tests" / "cases").glob("*/expected/**/*.py"),
]
"""What users read and run: documents, templates of generated code and its results, and the project of `init`."""


def test_documents_examples_and_generated_code_import_from_the_doors_only() -> None:
    imported = {
        name
        for file in OF_USERS
        for name in re.findall(r"^ *(?:from|import) (toolgen[\w.]*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(imported) > len(DOORS) / 2
    frameworks = {name for name in imported if name.startswith("toolgen.adapters.")}
    assert imported - frameworks - {*DOORS} == set()
