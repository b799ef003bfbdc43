"""Built-in toolsets: their specs are compiled like those of the project, wherever toolgen is installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.compiler.installed import install, run
from toolgen.compiler.build import build_target
from toolgen.compiler.compile import compile_specs
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import BUILTIN_TOOLSETS, Target, load_config
from toolgen.compiler.project.listing import builtin_folder, list_specs
from toolgen.compiler.publish.lock import read_noted
from toolgen.compiler.publish.tree import Tree

if TYPE_CHECKING:
    from toolgen.compiler.compile import Compiled
    from toolgen.compiler.ir.catalog import Catalog

OWN = "toolgen: 1\ntoolset: own\ntools:\n  ping: {{description: Say pong., result: {result}}}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with an empty spec folder."""
    (tmp_path / "specs").mkdir()
    return tmp_path


def compiled(root: Path, *builtin: str) -> tuple[Compiled, list[str]]:
    """Compile the specs of a project with built-in toolsets; return the diagnostics as `code file message`."""
    sink = Diagnostics()
    made = compile_specs(root, Target(builtin=builtin), sink)
    return made, [f"{found.code} {found.span.file} {found.message}" for found in sink]


def tools(catalog: Catalog) -> list[str]:
    return [tool.ident for toolset in catalog.toolsets for tool in toolset.tools]


def test_the_configuration_accepts_all_of_them() -> None:
    assert [f"{toolset}.yaml" for toolset in BUILTIN_TOOLSETS] == [
        listed.path for listed in list_specs(Path(builtin_folder()))
    ]


@pytest.mark.parametrize("toolset", BUILTIN_TOOLSETS)
def test_each_is_one_file_with_its_name_and_without_references_to_others(root: Path, toolset: str) -> None:
    made, reported = compiled(root, toolset)

    assert reported == []
    assert [each.name for each in made.catalog.toolsets] == [toolset]
    assert [*made.sources] == [f"toolgen://{toolset}.yaml"]


def test_they_are_compiled_beside_the_projects_own_toolsets(root: Path) -> None:
    (root / "specs/own.yaml").write_text(OWN.format(result="string"))
    (root / "specs/main.yaml").write_text("toolgen: 1\nagent: main\nuse: [own, code.read_file, internal]\n")

    made, reported = compiled(root, "code", "internal")

    assert reported == []
    assert {"code.read_file", "internal.load_skill", "own.ping"} < {*tools(made.catalog)}


def test_unnamed_built_in_toolsets_are_not_compiled(root: Path) -> None:
    (root / "specs/main.yaml").write_text("toolgen: 1\nagent: main\nuse: [code.read_file]\n")

    _, reported = compiled(root, "internal")

    assert [found.partition(" ")[0] for found in reported] == ["TG504"]


def test_their_files_cannot_be_referenced(root: Path) -> None:
    (root / "specs/own.yaml").write_text(OWN.format(result='{$ref: "toolgen://agent.yaml#/types/Task"}'))

    _, reported = compiled(root, "agent")

    assert len(reported) == 1
    assert reported[0].startswith("TG204 specs/own.yaml ")


def files_below(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.slow
def test_they_do_not_depend_on_the_installation_path_and_changes_are_drift(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """One test, since it needs a copy of toolgen and a process for each command."""
    package = install(tmp_path_factory.mktemp("site"))
    untouched = files_below(package)
    (root / "toolgen.toml").write_text('targets = [{builtin = ["code"]}]\n')
    (root / "specs/main.yaml").write_text("toolgen: 1\nagent: main\nuse: [code.read_file]\n")

    sink = Diagnostics()
    config = load_config(root)
    assert build_target(config, config.targets[0], sink).published is not None
    built = files_below(root / "generated")
    noted = read_noted(Tree(root, "generated"), built["toolgen.lock"])
    assert noted is not None
    assert noted.inputs.specs.keys() == {"specs/main.yaml", "toolgen://code.yaml"}

    done = run(package, "-m", "toolgen", "build", "--check", cwd=root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "generated: up to date\n", "")
    shutil.rmtree(root / "generated")
    assert run(package, "-m", "toolgen", "build", cwd=root).returncode == 0
    shown = {  # what the command noted of what it showed
        "_derived/build.warnings.json": b"[]",
        "_derived/build.findings.json": b'{"findings": 0, "silence": []}',
    }
    assert files_below(root / "generated") == {**built, **shown}
    assert files_below(package) == untouched

    spec = package / "toolsets/specs/code.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("List a directory.", "List a folder."), encoding="utf-8")
    done = run(package, "-m", "toolgen", "build", "--check", cwd=root)
    assert done.returncode == 1
    assert "generated/toolgen.lock: built-in toolset changed (toolgen://code.yaml)\n" in done.stdout
    assert "generated/TOOLS.md: built-in toolset changed (toolgen://code.yaml)\n" in done.stdout
    done = run(package, "-m", "toolgen", "call", "code.list_dir", cwd=root)
    assert done.returncode == 2
    assert done.stderr.endswith("Error: generated is out of date. Run `toolgen build` first.\n")

    spec.unlink()
    done = run(package, "-m", "toolgen", "build", cwd=root)
    assert done.returncode == 1
    assert done.stderr == (
        "error[TG001]: this file cannot be read: No such file or directory\n"
        " --> toolgen://code.yaml:1:1\n\n1 error\ngenerated: not built\n"
    )
