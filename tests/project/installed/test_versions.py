"""Versions of the libraries that write code: the extra allows just those with which the same bytes are generated."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.project.checkout import ROOT, pyproject
from tests.project.installed.environment import Environment
from toolgen.compiler.project.versions import SAME_OUTPUT

if TYPE_CHECKING:
    from pathlib import Path

GENERATE = """\
import sys
from hashlib import sha256
from tests.case import CASES, PAIRS, ROOT, Case
from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit.python import models
from toolgen.compiler.project.config import load_config

models.common_patterns = dict  # all comes from the library
for folder in sorted(CASES.iterdir()):
    if folder.name != PAIRS and (folder / "expected").is_dir():
        for path, content in sorted(Case(folder).compile().files.items()):
            print(folder.name, path, sha256(content).hexdigest())
for target in load_config(ROOT).targets:
    compiled = compile_specs(ROOT, target, Diagnostics())
    for path, content in sorted(generate(compiled.catalog, export=target.export).items()):
        print(target.out, path, sha256(content).hexdigest())
"""
"""Compiles the cases and the committed packages, and prints a digest of each generated file."""


def test_the_extra_allows_the_versions_with_the_same_output() -> None:
    extra = [Requirement(line) for line in pyproject()["project"]["optional-dependencies"]["compiler"]]
    allowed = {one.name: one.specifier for one in extra if one.name in SAME_OUTPUT}
    assert allowed == {
        name: SpecifierSet(f">={'.'.join(map(str, oldest))},<{'.'.join(map(str, newer))}")
        for name, (oldest, newer) in SAME_OUTPUT.items()
    }


@pytest.fixture(scope="module")
def generated() -> list[str]:
    """Return what is generated here."""
    done = subprocess.run([sys.executable, "-c", GENERATE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
@pytest.mark.xdist_group("wheel")
@pytest.mark.parametrize(
    ("ruff", "library"),
    [("0.15.0", "0.57.*"), ("0.15.*", "0.65.*"), ("0.16.*", "0.75.*"), ("0.17.0", "0.83.*"), ("0.17.*", "0.89.*")],
)
def test_each_allowed_version_generates_the_same_bytes_beside_a_project_that_pins_it(
    wheel: Path, ruff: str, library: str, generated: list[str], tmp_path: Path
) -> None:
    environment = Environment.make(tmp_path / "environment")
    pins = [f"ruff=={ruff}", f"datamodel-code-generator=={library}"]
    environment.install(f"{wheel}[compiler]", *pins, index=True)
    for folder in ("tests/cases", "specs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("tests/case.py", "tests/project/checkout.py", "pyproject.toml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    done = environment.run("-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{GENERATE}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == generated
    assert len(generated) > 500
    for folder in ("generated", "toolgen/toolsets/generated"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    check = environment.run("-m", "toolgen", "build", "--check", cwd=tmp_path)
    assert check.returncode == 0, check.stdout + check.stderr
