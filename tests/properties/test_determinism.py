"""The same specs give the same bytes, regardless of hash seed, file order, folder and environment."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.case import differences
from tests.project.checkout import ROOT
from tests.properties.schemas import toolsets
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from random import Random

    from tests.properties.schemas import Toolset

# One worker builds the package that the others are compared with.
pytestmark = pytest.mark.xdist_group("determinism")

SPECS: Final = ROOT / "specs" / "examples"
CONFIGURATION: Final = 'targets = [{builtin = ["actions", "agent", "code", "internal"]}]\n'
RUFF: Final = 'line-length = 40\nindent-width = 2\n[format]\nquote-style = "single"\nindent-style = "tab"\n'
ODD: Final = {
    "COLUMNS": "20",
    "FORCE_COLOR": "1",
    "LANG": "C",
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "RUFF_LINE_LENGTH": "40",
    "RUFF_OUTPUT_FORMAT": "json",
    "TERM": "dumb",
    "TZ": "Asia/Kathmandu",
}

Package = dict[str, bytes]


def write_specs(project: Path, *, backwards: bool = False, renamed: bool = False) -> Path:
    """Copy the example specs into a project: in another order, or under names that sort in another order."""
    project.mkdir(exist_ok=True)
    (project / "toolgen.toml").write_text(CONFIGURATION, encoding="utf-8")
    files = sorted((path for path in SPECS.rglob("*") if path.is_file()), reverse=backwards)
    for number, path in enumerate(files):
        place = project / "specs" / path.relative_to(SPECS)
        if renamed and path.name != "shared.yaml":  # others refer to that one by its name
            place = place.with_name(f"{99 - number}.{path.name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return project


def build(
    project: Path,
    *,
    inside: bool = True,
    umask: int = 0o022,
    environment: Mapping[str, str] | None = None,
    strays: Sequence[str] = (),
) -> Package:
    """Run `toolgen build` in a project, or with `-C` from elsewhere, and read its output including the lock."""
    options = [] if inside else ["-C", str(project)]
    done = subprocess.run(
        [sys.executable, "-m", "toolgen", *options, "build"],
        cwd=project if inside else "/",
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", **(environment or {})},
        umask=umask,
        capture_output=True,
        check=False,
    )
    assert done.returncode == (1 if strays else 0), done.stderr
    made = project / "generated"
    paths = (path for path in made.rglob("*") if path.is_file() and path.name not in strays)
    return {path.relative_to(made).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    package = build(write_specs(tmp_path_factory.mktemp("project")))
    assert package.keys() > {"__init__.py", "catalog.json", "toolgen.lock"}
    return package


def test_the_hash_seed_has_no_effect(package: Package, tmp_path: Path) -> None:
    assert differences(package, build(write_specs(tmp_path), environment={"PYTHONHASHSEED": "1"})) == ""


def test_the_order_of_files_has_no_effect(package: Package, tmp_path: Path) -> None:
    assert differences(package, build(write_specs(tmp_path, backwards=True))) == ""


@pytest.mark.long
def test_the_working_directory_and_the_project_path_have_no_effect(package: Package, tmp_path: Path) -> None:
    assert differences(package, build(write_specs(tmp_path / "another place"), inside=False)) == ""


@pytest.mark.long
def test_the_environment_and_the_configuration_of_other_tools_have_no_effect(package: Package, tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    for place in (home / ".config" / "ruff", home, project, project / "generated"):
        place.mkdir(parents=True, exist_ok=True)
        (place / "ruff.toml").write_text(RUFF, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 40\n", encoding="utf-8")
    (project / "pyproject.toml").write_text("[tool.black]\nline-length = 40\n", encoding="utf-8")
    (project / ".editorconfig").write_text("[*]\nindent_size = 8\nend_of_line = crlf\n", encoding="utf-8")
    (project / ".gitignore").write_text("*\n", encoding="utf-8")
    environment = {**ODD, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}

    made = build(write_specs(project), umask=0o077, environment=environment, strays=["ruff.toml"])

    assert (project / "generated" / "ruff.toml").read_text(encoding="utf-8") == RUFF
    assert differences(package, made) == ""


@pytest.mark.long
def test_the_names_of_files_have_no_effect(package: Package, tmp_path: Path) -> None:
    made = build(write_specs(tmp_path, renamed=True))
    assert made["shop/tools/orders/find.py"] != package["shop/tools/orders/find.py"], "its first line names the file"
    assert differences(*map(without_origins, (package, made))) == ""


def without_origins(package: Package) -> Package:
    """Return a package without the lines that name spec files, the lock, and the warnings that were shown of them."""
    return {
        path: b"".join(line for line in data.splitlines(keepends=True) if not line.startswith(b"# Generated by "))
        for path, data in package.items()
        if path not in ("toolgen.lock", "_derived/build.warnings.json")
    }


@settings(
    max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(toolsets(tools=2, depth=2), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_toolsets_compile_to_the_same_bytes_in_any_files(made: list[Toolset], random: Random) -> None:
    specs = [json.dumps({**toolset.spec(), "toolset": f"made.up_{number}"}) for number, toolset in enumerate(made)]
    packages = []
    for _ in range(2):
        random.shuffle(specs)
        found = resolved(*specs)
        assume(not any(message.startswith("TG216") for message in found.messages))
        assert not found.has_errors, found.messages
        packages.append(generate(found.catalog))
    assert differences(*map(_without_sources, packages)) == ""


def _without_sources(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files without the name of the spec file, which is in their first lines."""
    return {path: re.sub(rb"from \d+\.json", b"", content) for path, content in files.items()}
