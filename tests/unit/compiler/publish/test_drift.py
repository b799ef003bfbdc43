"""Drift: each way in which a package differs from its specs, and its cause."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import py_compile
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import TYPE_CHECKING, Any

import pytest

import toolgen
from toolgen.compiler.project.cache import FOLDER, open_cache
from toolgen.compiler.project.config import Target
from toolgen.compiler.publish.drift import Cause, Change, drift, fast_check
from toolgen.compiler.publish.inputs import current_inputs
from toolgen.compiler.publish.lock import note_state, read_lock
from toolgen.compiler.publish.tree import LOCK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.unit.compiler.publish.conftest import Project
    from toolgen.compiler.publish.inputs import Inputs

FILES = {"__init__.py": "", "shop/a.py": "a = 1\n"}


@pytest.fixture
def built(project: Project) -> Project:
    """Return a project whose package matches its only spec."""
    (project.root / "specs").mkdir()
    (project.root / "specs/a.yaml").write_text("toolgen: 1\n")
    project.inputs = current_inputs(project.root, Target())
    assert project.publish(FILES)
    return project


def changes(project: Project, expected: Mapping[str, str], inputs: Inputs | None = None) -> list[Change]:
    """Compare the package with the output of a build from `inputs`."""
    lock = read_lock(project.tree, project.sink)
    files = {path: text.encode() for path, text in expected.items()}
    return [*drift(project.tree, lock, inputs or project.inputs, files, {})]


def quick_changes(project: Project, **noted: Any) -> tuple[Change, ...] | None:
    """Compare the package with its specs by the lock, as if these inputs had been recorded."""
    note_state(project.tree, replace(project.inputs, **noted))
    return fast_check(project.tree, Target())


def test_a_package_that_matches_its_specs_has_no_drift(built: Project) -> None:
    assert changes(built, FILES) == []
    assert fast_check(built.tree, Target()) == ()


def test_a_changed_spec_is_reported_with_the_files_it_changes(built: Project) -> None:
    (built.root / "specs/a.yaml").write_text("toolgen: 1 # new\n")
    inputs = current_inputs(built.root, Target())

    assert changes(built, {**FILES, "shop/a.py": "a = 2\n"}, inputs) == [
        Change(
            "shop/a.py",
            (Cause.SPEC,),
            ("specs/a.yaml",),
            "--- a/generated/shop/a.py\n+++ b/generated/shop/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2",
        ),
        Change(LOCK, (Cause.SPEC,), ("specs/a.yaml",)),
    ]
    assert fast_check(built.tree, Target()) == (Change(LOCK, (Cause.SPEC,), ("specs/a.yaml",)),)


def test_an_added_or_removed_spec_is_a_change(built: Project) -> None:
    (built.root / "specs/a.yaml").rename(built.root / "specs/b.yaml")

    assert fast_check(built.tree, Target()) == (Change(LOCK, (Cause.SPEC,), ("specs/a.yaml", "specs/b.yaml")),)


@pytest.mark.parametrize(
    ("noted", "cause"),
    [({"generator": "f" * 64}, Cause.GENERATOR), ({"config": "f" * 64}, Cause.CONFIGURATION)],
)
def test_every_other_input_is_a_separate_cause(built: Project, noted: dict[str, Any], cause: Cause) -> None:
    assert quick_changes(built, **noted) == (Change(LOCK, (cause,)),)
    assert changes(built, FILES) == [], "the generated files are equal"
    assert changes(built, {**FILES, "shop/a.py": "a = 2\n"})[0].causes == (cause,)


@pytest.mark.parametrize(("formatter", "reported"), [("9.9.9", "9.9.9"), ("", "not installed")])
def test_another_formatter_version_is_reported(built: Project, formatter: str, reported: str) -> None:
    inputs = replace(built.inputs, formatter=formatter)

    (change,) = changes(built, FILES, inputs)
    assert (change.path, change.causes) == (LOCK, (Cause.FORMATTER,))
    assert change.because == (f"ruff {built.inputs.formatter} -> {reported}",)


def test_a_changed_built_in_toolset_is_a_separate_cause(built: Project) -> None:
    specs = {"toolgen://code.yaml": "f" * 64}
    assert quick_changes(built, specs={**built.inputs.specs, **specs}) == (
        Change(LOCK, (Cause.BUILTIN,), ("toolgen://code.yaml",)),
    )
    assert quick_changes(built, specs=specs) == (
        Change(LOCK, (Cause.SPEC, Cause.BUILTIN), ("specs/a.yaml", "toolgen://code.yaml")),
    )


def test_another_version_of_toolgen_is_reported(built: Project) -> None:
    text = (built.out / LOCK).read_text()
    built.write(LOCK, text.replace(f"generator {toolgen.__version__}", "generator 0.0.1"))

    (change,) = changes(built, FILES)
    assert (change.causes, change.because) == ((Cause.GENERATOR,), (f"toolgen 0.0.1 -> {toolgen.__version__}",))


def test_an_equivalent_spec_is_not_drift(built: Project) -> None:
    (built.root / "specs/a.yaml").write_text("toolgen: 1 # new\n")

    assert fast_check(built.tree, Target()) == (Change(LOCK, (Cause.SPEC,), ("specs/a.yaml",)),)
    assert changes(built, FILES, current_inputs(built.root, Target())) == []


def test_in_a_new_checkout_the_lock_is_insufficient_and_several_causes_are_possible(built: Project) -> None:
    shutil.rmtree(built.root / FOLDER)

    assert fast_check(built.tree, Target()) is None
    assert changes(built, FILES) == []
    assert [change.causes for change in changes(built, {**FILES, "shop/a.py": "a = 2\n"})] == [(Cause.OUTDATED,)] * 2


def kept_state(project: Project) -> Path:
    (found,) = (project.root / FOLDER).glob("built-*")
    return found


@pytest.mark.parametrize("state", ["", "{", "[]", '{"files": "", "inputs": {}}'])
def test_a_state_that_no_build_of_this_user_kept_is_none(built: Project, state: str) -> None:
    assert fast_check(built.tree, Target()) is not None
    kept = kept_state(built)
    code, _, _ = kept.read_text().partition("\n")
    kept.write_text(f"{code}\n{state}")

    assert fast_check(built.tree, Target()) is None


def test_a_state_that_another_user_kept_is_none(built: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(built.root / "of another user"))

    assert fast_check(built.tree, Target()) is None


@pytest.mark.parametrize("state", [[], {"files": ""}, {"files": "", "inputs": {"specs": {}, "of": "another one"}}])
def test_a_state_of_another_toolgen_is_none(built: Project, state: Any) -> None:
    open_cache(built.root).put("built", kept_state(built).name.removeprefix("built-"), state)

    assert fast_check(built.tree, Target()) is None


def test_a_changed_setting_of_the_target_is_drift(built: Project) -> None:
    assert fast_check(built.tree, Target(formats="assert")) == (Change(LOCK, (Cause.CONFIGURATION,)),)
    assert fast_check(built.tree, Target(named="a catalog")) == (Change(LOCK, (Cause.SETTINGS,)),)


def test_an_edited_file_is_drift(built: Project) -> None:
    built.write("shop/a.py", "a = 'mine'\n")

    assert fast_check(built.tree, Target()) == (Change("shop/a.py", (Cause.EDITED,)),)
    (change,) = changes(built, FILES)
    assert change.causes == (Cause.EDITED,)
    assert change.diff.endswith("@@ -1 +1 @@\n-a = 'mine'\n+a = 1")


def test_an_edited_file_that_a_build_would_change_too_has_both_causes(built: Project) -> None:
    built.write("shop/a.py", "a = 'mine'\n")
    inputs = replace(built.inputs, specs={})

    change, _ = changes(built, {**FILES, "shop/a.py": "a = 2\n"}, inputs)
    assert (change.causes, change.because) == ((Cause.EDITED, Cause.SPEC), ("specs/a.yaml",))


def test_a_missing_file_is_drift(built: Project) -> None:
    (built.out / "shop/a.py").unlink()

    assert fast_check(built.tree, Target()) == (Change("shop/a.py", (Cause.MISSING,)),)
    (change,) = changes(built, FILES)
    assert change.diff == "--- /dev/null\n+++ b/generated/shop/a.py\n@@ -0,0 +1 @@\n+a = 1"


def test_a_file_added_or_removed_by_a_changed_spec_is_attributed_to_it(built: Project) -> None:
    inputs = replace(built.inputs, specs={})

    found = changes(built, {"__init__.py": "", "shop/b.py": "b = 1\n"}, inputs)

    assert [(change.path, change.causes) for change in found] == [
        ("shop/a.py", (Cause.SPEC,)),
        ("shop/b.py", (Cause.SPEC,)),
        (LOCK, (Cause.SPEC,)),
    ]


def test_a_stray_file_is_drift(built: Project) -> None:
    built.write("shop/extra.py", "")

    assert fast_check(built.tree, Target()) == (Change("shop/extra.py", (Cause.STRAY,)),)
    assert changes(built, FILES) == [Change("shop/extra.py", (Cause.STRAY,))]


@pytest.mark.parametrize(
    "path",
    ["__pycache__/a.cpython-311.pyc", ".mypy_cache/x", ".ruff_cache/y", "shop/.gitattributes", "py.typed"],
)
def test_files_that_other_tools_leave_in_a_package_are_not_strays(built: Project, path: str) -> None:
    built.write(path, "")

    assert fast_check(built.tree, Target()) == ()


@pytest.mark.parametrize("suffix", importlib.machinery.all_suffixes())
@pytest.mark.parametrize("module", ["shop/a/__init__", "shop/__init__", "a"])
def test_a_file_that_python_imports_is_drift(built: Project, module: str, suffix: str) -> None:
    built.write(f"{module}{suffix}", "")

    assert fast_check(built.tree, Target()) == (Change(f"{module}{suffix}", (Cause.STRAY,)),)
    assert changes(built, FILES) == [Change(f"{module}{suffix}", (Cause.STRAY,))]


@pytest.mark.parametrize("mode", PycInvalidationMode)
def test_bytecode_that_python_runs_whatever_the_time_of_its_source_is_drift(
    built: Project, mode: PycInvalidationMode
) -> None:
    path = importlib.util.cache_from_source("shop/a.py")
    py_compile.compile(str(built.out / "shop/a.py"), str(built.out / path), invalidation_mode=mode)
    strays = () if mode is PycInvalidationMode.TIMESTAMP else (Change(path, (Cause.STRAY,)),)

    assert fast_check(built.tree, Target()) == strays
    assert changes(built, FILES) == [*strays]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_bytecode_that_is_a_link_is_drift(built: Project, tmp_path: Path) -> None:
    for place in ("__pycache__/a.cpython-311.pyc", "shop/__pycache__"):
        (built.out / place).parent.mkdir(exist_ok=True)
        (built.out / place).symlink_to(tmp_path)

    found = fast_check(built.tree, Target())

    assert found is not None
    assert [change.path for change in found] == ["__pycache__/a.cpython-311.pyc", "shop/__pycache__"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_file_replaced_by_a_link_is_drift_for_any_target(built: Project, tmp_path: Path) -> None:
    (built.out / "shop/a.py").rename(tmp_path / "a.py")
    (built.out / "shop/a.py").symlink_to(tmp_path / "a.py")
    (built.out / "linked").symlink_to(tmp_path)

    assert fast_check(built.tree, Target()) == (
        Change("linked", (Cause.STRAY,)),
        Change("shop/a.py", (Cause.EDITED,)),
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_lock_that_is_a_link_is_not_read(built: Project, tmp_path: Path) -> None:
    (built.out / LOCK).rename(tmp_path / "elsewhere")
    (built.out / LOCK).symlink_to(tmp_path / "elsewhere")

    assert fast_check(built.tree, Target()) is None
    assert read_lock(built.tree, built.sink) is None
    assert built.messages == ["TG606 generated/toolgen.lock cannot be read: it is a link, not a regular file"]


def test_a_lock_that_is_a_folder_is_drift(built: Project) -> None:
    (built.out / LOCK).unlink()
    (built.out / LOCK).mkdir()

    assert fast_check(built.tree, Target()) is None
    assert changes(built, FILES) == [Change(LOCK, (Cause.MISSING,))]
    assert built.messages == ["TG606 generated/toolgen.lock cannot be read: it is a folder, not a regular file"]


def test_an_output_folder_that_is_a_file_lacks_all_files(project: Project) -> None:
    project.out.write_text("mine")

    assert fast_check(project.tree, Target()) is None
    assert {change.causes for change in drift(project.tree, None, project.inputs, {"a.py": b""}, {})} == {
        (Cause.MISSING,)
    }


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read anywhere")
def test_unreadable_files_count_as_edited(built: Project) -> None:
    (built.out / "shop/a.py").chmod(0)

    assert fast_check(built.tree, Target()) == (Change("shop/a.py", (Cause.EDITED,)),)


def test_a_lock_in_another_layout_is_drift(built: Project) -> None:
    text = (built.out / LOCK).read_text()
    built.write(LOCK, f"{text}\n")

    assert fast_check(built.tree, Target()) is None
    assert changes(built, FILES) == [Change(LOCK, (Cause.OUTDATED,))]


def test_a_lock_that_disagrees_with_the_files_is_drift(built: Project) -> None:
    text = (built.out / LOCK).read_text()
    built.write(LOCK, re.sub("shop/a.py .*", f"shop/a.py {'0' * 32}", text))

    assert [change.path for change in changes(built, FILES)] == [LOCK]


@pytest.mark.parametrize("lock", [None, "no lock"])
def test_without_a_readable_lock_the_quick_check_returns_none(built: Project, lock: str | None) -> None:
    (built.out / LOCK).unlink()
    if lock is not None:
        built.write(LOCK, lock)

    assert fast_check(built.tree, Target()) is None
    (change,) = changes(built, FILES)
    assert change == Change(LOCK, (Cause.MISSING,) if lock is None else (Cause.EDITED,))


def test_an_unbuilt_package_lacks_every_file(project: Project) -> None:
    assert [(change.path, change.causes) for change in changes(project, FILES)] == [
        ("__init__.py", (Cause.MISSING,)),
        ("shop/a.py", (Cause.MISSING,)),
        (LOCK, (Cause.MISSING,)),
    ]


def test_the_quick_check_does_not_import_the_compiler(project: Project) -> None:
    (project.root / "specs").mkdir()
    (project.root / "toolgen.toml").write_text('targets = [{builtin = ["code"]}]')
    project.inputs = current_inputs(project.root, Target(builtin=("code",)))
    assert project.publish(FILES)
    program = """
import sys
from pathlib import Path
from toolgen.compiler.project.config import load_config
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.publish.drift import fast_check
from toolgen.compiler.publish.publish import recover
from toolgen.compiler.publish.tree import Tree

config = load_config(Path("."))
tree = Tree(config.root, config.targets[0].out)
assert recover(tree, sink=Diagnostics())
assert fast_check(tree, config.targets[0]) == ()
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(toolgen.__file__).parent.parent)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=project.root, env=environment, capture_output=True, check=False)

    assert not done.stderr.decode()
    loaded = {*done.stdout.decode().split()}
    assert loaded - {"toolgen", "sitecustomize", "usercustomize"} <= {*sys.stdlib_module_names, "__main__"} | {
        name for name in loaded if name.startswith(("_", "site"))
    }
    assert not loaded & {"subprocess", "asyncio", "typing_extensions", "importlib.metadata"}
