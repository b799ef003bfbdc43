"""Other versions of Python: generated code, the runtime and the command line run on each that this machine has."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.project.checkout import ROOT, pyproject
from tests.project.installed.environment import Environment
from tests.project.installed.test_wheel import EXAMPLES, run_runtime_tests
from tests.unit.cli.command_line import toolgen

# The worker that builds the wheel.
pytestmark = pytest.mark.xdist_group("wheel")

BINARY = {"black", "hypothesis", "markupsafe", "pydantic_core", "pytokens", "pyyaml", "rpds_py"}
"""The packages installed here whose wheels are for one version of Python."""

VERSIONS = [
    version
    for classifier in pyproject()["project"]["classifiers"]
    if "." in (version := classifier.removeprefix("Programming Language :: Python :: ")) and version[0] == "3"
]


@cache
def interpreter_of(version: str) -> Path | None:
    """Return an interpreter of a version: one on the path, or one that is installed beside that of the tests."""
    name = f"python{version}"
    beside = Path(sys.base_prefix).parent.glob(f"{version}*/bin/{name}")
    on_path = shutil.which(name)
    for found in (*([Path(on_path)] if on_path else []), *beside):
        if subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            return found
    return None


def others() -> list[Any]:
    """Return a parameter for each supported version besides that of the tests; those without interpreter are skipped.

    `make test` runs what is built on the newest that is here; `make test-long` builds too, on all.
    """
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    versions = [version for version in VERSIONS if version != own]
    present = [version for version in versions if interpreter_of(version)]
    marks = {
        version: pytest.mark.skip(reason=f"no Python {version}") if version not in present else pytest.mark.long
        for version in versions
        if version not in present[-1:]
    }
    return [pytest.param(version, marks=marks.get(version, ())) for version in versions]


@pytest.fixture(scope="module", params=others())
def bare(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment of another version after `pip install toolgen`, which runs what this one has built."""
    return made(request.param, wheel, tmp_path_factory.mktemp("bare"), {"pydantic_core"})


@pytest.fixture(
    scope="module", params=[pytest.param(each.values[0], marks=(*each.marks, pytest.mark.long)) for each in others()]
)
def environment(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment of another version after `pip install toolgen[compiler]`.

    Its libraries are installed and compiled for a quarter of a minute: what is built is not of a version.
    """
    return made(request.param, wheel, tmp_path_factory.mktemp("full"), BINARY, "[compiler]", "pytest", "hypothesis")


def made(version: str, wheel: Path, folder: Path, binary: set[str], extra: str = "", *others: str) -> Environment:
    interpreter = interpreter_of(version)
    assert interpreter is not None
    environment = Environment.make(folder / "environment", interpreter)
    environment.download(folder, binary)
    environment.install(f"{wheel}{extra}", *others, beside=folder)
    return environment


def succeeds(environment: Environment, *arguments: str, cwd: Path) -> str:
    run = environment.run(*arguments, cwd=cwd)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_a_project_is_created_built_and_used(environment: Environment, tmp_path: Path) -> None:
    succeeds(environment, "-m", "toolgen", "init", "shop", cwd=tmp_path)
    folder = tmp_path / "shop"
    succeeds(environment, "-m", "toolgen", "build", cwd=folder)
    run = subprocess.run([environment.python, "app.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "refunded" in run.stdout
    assert "shop.orders.refund" in succeeds(environment, "-m", "toolgen", "list", cwd=folder)


def test_the_same_package_is_generated(environment: Environment, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "specs" / "examples", tmp_path / "specs" / "examples")
    shutil.copytree(ROOT / "generated", tmp_path / "generated")
    (tmp_path / "toolgen.toml").write_text(EXAMPLES, encoding="utf-8")
    assert succeeds(environment, "-m", "toolgen", "build", "--check", cwd=tmp_path) == "generated: up to date\n"


@pytest.mark.variants(1)
def test_a_built_project_is_used(bare: Environment, tmp_path: Path) -> None:
    for folder, command in ((tmp_path, ("init", "shop")), (tmp_path / "shop", ("build",))):
        built = toolgen(folder, *command)
        assert built.code == 0, built.err
    run = subprocess.run([bare.python, "app.py"], cwd=tmp_path / "shop", capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "refunded" in run.stdout


def test_every_generated_module_can_be_imported(bare: Environment) -> None:
    code = (
        "import generated, importlib, pkgutil\n"
        "for found in pkgutil.walk_packages(generated.__path__, 'generated.'):\n"
        "    module = importlib.import_module(found.name)\n"
        "    [getattr(module, name) for name in getattr(module, '__all__', ())]\n"
        "    print(found.name)"
    )
    run = subprocess.run([bare.python, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "generated.shop.tools.orders.find" in run.stdout


@pytest.mark.long
def test_the_runtime_passes_its_tests(environment: Environment, tmp_path: Path) -> None:
    run = run_runtime_tests(environment, tmp_path, "not long and not slow")
    assert run.returncode == 0, run.stdout + run.stderr
