"""Start-up: which libraries commands load. Importing them takes most of the time of a short command."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.specs import toolset

if TYPE_CHECKING:
    from pathlib import Path

HEAVY: Final = (
    *("pydantic", "jsonschema_rs", "jinja2", "yaml", "datamodel_code_generator", "rich", "mcp", "asyncio"),
    *("toolgen.contract.records", "toolgen.providers.stubs", "toolgen.search.documents"),
)
CHILD: Final = """\
import sys
from toolgen.cli.front import run
code = run(sys.argv[1:])
print("loaded:", *sorted(name for name in {heavy} if name in sys.modules))
sys.exit(code)
"""


def copy_examples(folder: Path) -> None:
    shutil.copytree(ROOT / "specs" / "examples", folder / "specs")
    (folder / "toolgen.toml").write_text(
        '[[targets]]\nspecs = "specs"\nbuiltin = ["actions", "agent", "code", "internal"]\n'
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with shared types, agents and policies that was built."""
    folder = tmp_path_factory.mktemp("project")
    copy_examples(folder)
    made = toolgen(folder, "build")
    assert made.code == 0, made.err
    return folder


def loaded(folder: Path, *arguments: str) -> tuple[str, set[str]]:
    """Run a command in a new process, and return what it prints, and the heavy libraries that it has loaded."""
    command = [sys.executable, "-c", CHILD.format(heavy=HEAVY), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown, _, names = done.stdout.rpartition("loaded:")
    return shown, set(names.split())


def ident(folder: Path) -> str:
    return str(toolgen(folder, "list", "--format", "json").json[0]["tool"])


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (("explain", "TG104"), set()),
        (("--help",), set()),
        (("list",), set()),
        (("build",), set()),
        (("build", "--check"), set()),
        (("search", "create"), {"toolgen.contract.records", "toolgen.search.documents"}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_command_loads_no_library_that_it_does_not_need(
    project: Path, arguments: tuple[str, ...], needed: set[str]
) -> None:
    assert loaded(project, *arguments)[1] <= needed


def test_show_loads_no_library_of_the_compiler_or_the_runtime(project: Path) -> None:
    shown, found = loaded(project, "show", ident(project))

    assert shown.startswith(ident(project))
    assert found <= {"toolgen.contract.records"}


def test_list_and_show_follow_the_specs_without_a_build(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "shop.yaml"
    spec.write_text(toolset({"add": {"args": {}}}), encoding="utf-8")
    before = toolgen(tmp_path, "list").out
    spec.write_text(toolset({"find": {"args": {"text": "string"}}}), encoding="utf-8")

    assert toolgen(tmp_path, "list").out.split()[0] == "shop.find"
    assert "text: string" in toolgen(tmp_path, "show", "find").out
    assert toolgen(tmp_path, "show", "shop.add").code == 2
    spec.write_text(toolset({"add": {"args": {}}}), encoding="utf-8")
    assert toolgen(tmp_path, "list").out == before


def test_show_compiles_what_the_cache_has_lost(project: Path) -> None:
    shown = toolgen(project, "show", ident(project))
    for entry in (project / ".toolgen" / "cache").glob("toolset-*"):
        entry.write_bytes(b"damaged")

    assert toolgen(project, "show", ident(project)) == shown


def test_list_shows_the_errors_of_specs(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "a.yaml").write_text("toolgen: 1\ntoolset: a\ntools: {x: {description: X., args: Nothing}}\n")
    found = toolgen(tmp_path, "list")

    assert (found.code, found.out) == (1, "")
    assert "TG201" in found.err


VALIDATORS: Final = """\
import toolgen.compiler.documents
from toolgen.compiler.documents.base import Spec

models = [Spec]
for model in models:  # it grows
    models += model.__subclasses__()
assert "PathsSpec" in [model.__name__ for model in models]
print(*(model.__name__ for model in models if model.__pydantic_complete__))
"""


def test_validators_of_spec_models_are_built_by_the_specs_that_need_them() -> None:
    done = subprocess.run([sys.executable, "-c", VALIDATORS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
