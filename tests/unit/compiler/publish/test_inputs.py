"""The inputs of a package: which files are specs, and what changes a digest."""

from __future__ import annotations

import importlib.metadata
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import toolgen
from tests.project.checkout import ROOT
from tests.unit.compiler.installed import install, run
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project import versions
from toolgen.compiler.project.config import Target
from toolgen.compiler.project.listing import list_specs
from toolgen.compiler.project.versions import installed_version, output_version
from toolgen.compiler.publish.inputs import current_inputs, digest, spec_digests
from toolgen.compiler.source.read import read_specs


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Return a spec folder with everything that may confuse a listing."""
    folder = tmp_path / "specs"
    for path in ("b.yaml", "a/c.yml", "a/d.json", "Z.YAML", ".hidden.yaml", ".hidden/e.yaml", "README.md", "empty/x"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("{}")
    return folder


def test_spec_files_are_found_at_any_depth_and_sorted(specs: Path) -> None:
    assert [listed.path for listed in list_specs(specs)] == ["Z.YAML", "a/c.yml", "a/d.json", "b.yaml"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_the_digested_files_are_those_that_are_read(specs: Path) -> None:
    (specs / "again.yaml").symlink_to("b.yaml")
    (specs / "loop").symlink_to(".")
    (specs / "more").symlink_to(".hidden")
    (specs / "y.yaml").symlink_to(".hidden.yaml")

    read = [spec.path for spec in read_specs(specs, specs.parent, Diagnostics())]

    assert [*spec_digests(specs.parent, "specs")] == sorted(read)
    assert "specs/more/e.yaml" in read


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_diagnostics_of_reading_are_included(specs: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (specs / "out").symlink_to(tmp_path / "outside")
    (specs / "dangling.yaml").symlink_to("nowhere")

    assert {"out", "dangling.yaml"} < {listed.path for listed in list_specs(specs)}
    assert spec_digests(tmp_path, "specs")["specs/dangling.yaml"] == "unreadable"
    assert [listed.path for listed in list_specs(tmp_path / "missing")] == ["."]


def test_each_input_has_its_own_digest(specs: Path) -> None:
    root, target = specs.parent, Target()
    before = current_inputs(root, target)

    (specs / "b.yaml").write_text("toolgen: 1 # changed\n")
    after = current_inputs(root, target)

    assert after == replace(before, specs={**before.specs, "specs/b.yaml": digest(b"toolgen: 1 # changed\n")})
    assert current_inputs(root, replace(target, profile="core")).config != before.config
    assert before.formatter == output_version("ruff")


def test_a_built_in_toolset_is_an_input_of_the_targets_that_name_it(specs: Path) -> None:
    content = (ROOT / "specs/builtin/code.yaml").read_bytes()
    own = current_inputs(specs.parent, Target()).specs

    named = current_inputs(specs.parent, Target(builtin=("code",)))

    assert named.specs == {**own, "toolgen://code.yaml": digest(content)}


@pytest.mark.parametrize(
    ("installed", "output"),
    [
        ("0.15.0", "0.15"),
        ("0.16.10", "0.15"),
        ("0.17.99", "0.15"),
        ("0.14.14", "0.14.14"),
        ("0.18.0", "0.18.0"),
        ("1.16.0", "1.16.0"),
        ("", ""),
    ],
)
def test_versions_with_the_same_output_are_one_input(
    specs: Path, installed: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that people with different versions of ruff build the same package, lock included."""
    monkeypatch.setattr(versions, "installed_version", lambda _: installed)

    assert current_inputs(specs.parent, Target()).formatter == output


@pytest.mark.parametrize("distribution", ["ruff", "Jinja2", "datamodel_code_generator", "no-such-distribution"])
def test_an_installed_version_comes_from_its_metadata(distribution: str) -> None:
    try:
        expected = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        expected = ""

    assert installed_version(distribution) == expected


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a copy of toolgen with the layout of its wheel."""
    return install(tmp_path / "site")


def generator_digest(package: Path) -> str:
    """Return the digest that the toolgen in `package` computes for itself."""
    command = "from toolgen.compiler.publish.inputs import generator_digest; print(generator_digest())"
    done = run(package, "-c", command, cwd=package.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_digest_of_the_generator_does_not_depend_on_its_path(installed: Path) -> None:
    assert generator_digest(installed) == generator_digest(Path(toolgen.__file__).parent)


@pytest.mark.slow
@pytest.mark.parametrize("path", ["compiler/publish/lock.py", "schema/json_values.py", "spec/wire_names.py"])
@pytest.mark.variants(1)
def test_any_change_of_the_generator_changes_its_digest(installed: Path, path: str) -> None:
    before = generator_digest(installed)

    with (installed / path).open("a") as file:
        file.write("# changed\n")

    assert generator_digest(installed) != before


def test_templates_belong_to_the_generator(installed: Path) -> None:
    before = generator_digest(installed)
    (installed / "templates/another.jinja").write_text("")

    assert generator_digest(installed) != before
