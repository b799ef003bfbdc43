"""The built wheel: its content, and that it works without anything else installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from tests.project.checkout import ROOT, pyproject
from tests.project.installed.environment import Environment
from tests.project.installed.wheels import build
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

# One worker builds and installs, once.
pytestmark = pytest.mark.xdist_group("wheel")

BASE = {
    "annotated-types",
    "jsonschema_rs",
    "pydantic",
    "pydantic_core",
    "toolgen",
    "typing-inspection",
    "typing_extensions",
}

EXAMPLES = """\
[[targets]]
specs = "specs/examples"
out = "generated"
builtin = ["actions", "agent", "code", "internal"]
"""
"""The configuration of the committed examples."""

RUNTIME = {
    "agents",
    "contract",
    "engine",
    "execute",
    "llm",
    "providers",
    "record",
    "runtime",
    "schema",
    "search",
    "spec",
}

IMPORT_ALL = f"""\
import importlib, pkgutil
loaded, missing = set(), set()
for room in {sorted(RUNTIME)}:
    package = importlib.import_module("toolgen." + room)
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        try:
            importlib.import_module(found.name)
            loaded.add(room)
        except ImportError as error:  # of a library, or the message that names the extra
            missing.add((error.name or str(error).rpartition("[")[2].partition("]")[0]).partition(".")[0])
print(*loaded)
print(*missing)
"""


@pytest.fixture(scope="session")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment after `pip install toolgen`."""
    environment = Environment.make(tmp_path_factory.mktemp("base"))
    environment.install(str(wheel))
    return environment


@pytest.fixture(scope="session")
def full(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment after `pip install toolgen[compiler]`."""
    environment = Environment.make(tmp_path_factory.mktemp("full"))
    environment.install(f"{wheel}[compiler]")
    return environment


def run_runtime_tests(environment: Environment, folder: Path, marks: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of the runtime and of the modules based on it, with only the examples of the checkout."""
    for room in ("execute", "llm", "record", "runtime", "search"):
        shutil.copytree(ROOT / "tests" / "unit" / room, folder / "tests" / "unit" / room)
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "tests")
    shutil.copytree(ROOT / "tests" / "programs", folder / "tests" / "programs")
    shutil.copytree(ROOT / "generated", folder / "generated")
    (folder / "benchmarks").mkdir()
    shutil.copy(ROOT / "benchmarks" / "hashed_vectors.py", folder / "benchmarks")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return environment.run("-m", "pytest", "-m", marks, "tests", cwd=folder)


def test_the_wheel_holds_the_package_templates_built_in_specs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    places = {"toolgen": "toolgen", "templates": "toolgen/templates", "specs/builtin": "toolgen/toolsets/specs"}
    expected = {
        f"{place}/{file.relative_to(ROOT / folder).as_posix()}"
        for folder, place in places.items()
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc" and ".toolgen" not in file.parts
    }
    assert names == expected
    assert "toolgen/py.typed" in names
    assert "toolgen/toolsets/specs/code.yaml" in names
    assert any(name.startswith("toolgen/templates/") for name in names)


@pytest.mark.long
def test_the_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path / "sdist")
    pip = [sys.executable, "-m", "pip", "wheel", "--isolated", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", tmp_path, sdist], check=True)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.long
def test_toolgen_without_extras_has_two_dependencies(base: Environment) -> None:
    assert base.installed() == BASE


def test_a_command_that_needs_the_extra_reports_it_in_one_line(base: Environment) -> None:
    run = base.run("-m", "toolgen", "build")
    assert run.returncode == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert "toolgen[compiler]" in run.stderr


def test_the_runtime_imports_nothing_of_the_compiler_and_runs_a_package(base: Environment, tmp_path: Path) -> None:
    run = base.run("-c", IMPORT_ALL)
    assert run.returncode == 0, run.stderr
    loaded, missing = (set(line.split()) for line in run.stdout.splitlines())
    assert loaded >= RUNTIME
    assert missing <= {*pyproject()["project"]["optional-dependencies"]} - {"compiler"}
    for folder, command in ((tmp_path, ("init", "shop")), (tmp_path / "shop", ("build",))):
        done = toolgen(folder, *command)
        assert done.code == 0, done.err
    used = subprocess.run([base.python, "app.py"], cwd=tmp_path / "shop", capture_output=True, text=True, check=False)
    assert used.returncode == 0, used.stderr
    assert "refunded" in used.stdout


@pytest.mark.long  # an import is found by the test above or, in a function, by the contracts of imports
def test_the_runtime_passes_its_tests_without_the_compiler(wheel: Path, tmp_path: Path) -> None:
    environment = Environment.make(tmp_path / "environment")
    environment.install(str(wheel), "pytest", "hypothesis")
    run = run_runtime_tests(environment, tmp_path, "not long and not slow and not hypothesis")
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_extra_includes_the_compiler_with_its_templates(full: Environment, tmp_path: Path) -> None:
    for arguments in (["--help"], ["init", "shop"], ["-C", "shop", "build"], ["-C", "shop", "build", "--check"]):
        run = full.run("-m", "toolgen", *arguments, cwd=tmp_path)
        assert run.returncode == 0, run.stdout + run.stderr
    run = full.run("-c", "import sys; sys.path.insert(0, 'shop'); import generated", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


@pytest.mark.long
def test_the_extra_includes_the_built_in_toolsets(full: Environment, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "specs" / "examples", tmp_path / "specs" / "examples")
    shutil.copytree(ROOT / "generated", tmp_path / "generated")
    (tmp_path / "toolgen.toml").write_text(EXAMPLES, encoding="utf-8")
    run = full.run("-m", "toolgen", "build", "--check", cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == "generated: up to date\n"


def test_the_extra_installs_the_command(full: Environment) -> None:
    command = [str(full.folder / "bin" / "toolgen"), "--help"]
    assert "build" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_the_runtime_passes_its_tests_on_the_oldest_allowed_dependencies(wheel: Path, tmp_path: Path) -> None:
    environment = Environment.make(tmp_path / "environment")
    environment.install(str(wheel), *oldest(pyproject()["project"]["dependencies"]), "pytest", "hypothesis", index=True)
    run = run_runtime_tests(environment, tmp_path, "not long")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.long
def test_the_oldest_dependencies_of_the_extra_build_identical_packages(wheel: Path, tmp_path: Path) -> None:
    project = pyproject()["project"]
    environment = Environment.make(tmp_path / "environment")
    pins = oldest(project["dependencies"] + project["optional-dependencies"]["compiler"])
    environment.install(f"{wheel}[compiler]", *pins, index=True)
    shutil.copytree(ROOT / "specs" / "examples", tmp_path / "specs" / "examples")
    shutil.copytree(ROOT / "generated", tmp_path / "generated")
    (tmp_path / "toolgen.toml").write_text(EXAMPLES, encoding="utf-8")
    run = environment.run("-m", "toolgen", "build", "--check", cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


def oldest(requirements: list[str]) -> list[str]:
    """Pin each requirement to its lower bound."""
    bounds = [(one, bound) for one in map(Requirement, requirements) for bound in one.specifier]
    return [f"{one.name}=={bound.version}" for one, bound in bounds if bound.operator in (">=", "~=", "==")]
