"""`toolgen build --check`: its advice works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgen.cli.front import run

if TYPE_CHECKING:
    from pathlib import Path

SPEC = "toolgen: 1\ntoolset: shop\ntools: {find: {description: Find., args: {}}}\n"
WITH_A_WARNING = "toolgen: 1\nagent: clerk\nuse: [nowhere]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a built project as the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/shop.yaml").write_text(SPEC)
    assert run(["build"]) == 0
    return tmp_path


def advice(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the last line of a check of a package that differs from its specs."""
    capsys.readouterr()
    assert run(["build", "--check"]) == 1
    return capsys.readouterr().err.splitlines()[-1]


def test_a_changed_spec_needs_a_build(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "specs/shop.yaml").write_text(SPEC.replace("Find.", "Find it."))

    assert advice(capsys).endswith(" differences; run `toolgen build`")
    assert [run(["build"]), run(["build", "--check"])] == [0, 0]


def test_a_stray_must_be_deleted_by_hand(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stray = folder / "generated/stray.py"
    stray.write_text("x\n")

    assert advice(capsys) == "generated: 1 difference; delete strays, or move them elsewhere"
    assert [run(["build"]), run(["build", "--force"]), run(["build", "--check"])] == [1, 1, 1]
    output = capsys.readouterr()
    assert output.out.count("generated/stray.py: stray\n") == 3, "a build and a check report the same"
    assert output.err.count("generated: 1 difference; delete strays, or move them elsewhere\n") == 3
    stray.unlink()
    assert run(["build", "--check"]) == 0


def test_a_manual_edit_needs_a_forced_build(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "generated/TOOLS.md").write_text("mine\n")

    overwritten = "move edits elsewhere, and run `toolgen build --force`, which overwrites them"
    assert advice(capsys) == f"generated: 1 difference; {overwritten}"
    assert [run(["build"]), run(["build", "--force"]), run(["build", "--check"])] == [1, 0, 0]


def test_a_foreign_file_at_the_path_of_a_generated_one_is_an_edit(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "specs/more.yaml").write_text(SPEC.replace("toolset: shop", "toolset: more"))
    (folder / "generated/tools/more").mkdir()
    (folder / "generated/tools/more/__init__.py").write_text("mine\n")
    (folder / "generated/stray.py").write_text("x\n")

    overwritten = "move edits elsewhere, and run `toolgen build --force`, which overwrites them"
    assert advice(capsys).endswith(f" differences; {overwritten}; delete strays, or move them elsewhere")
    assert [run(["build"]), run(["build", "--force"])] == [1, 1]
    assert (folder / "generated/tools/more/__init__.py").read_text() != "mine\n"


def test_an_edited_lock_needs_a_plain_build(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = folder / "generated/toolgen.lock"
    lock.write_text(f"{lock.read_text()}\n")

    assert advice(capsys) == "generated: 1 difference; run `toolgen build`"
    assert [run(["build"]), run(["build", "--check"])] == [0, 0]


@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_warnings_are_errors_if_requested(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    (folder / "specs/odd.yaml").write_text(WITH_A_WARNING)
    before = {path: path.read_bytes() for path in (folder / "generated").rglob("*") if path.is_file()}
    capsys.readouterr()

    assert run(["build", *arguments, "--warnings-as-errors"]) == 1
    output = capsys.readouterr().err
    assert "warning[TG504]" in output
    what = "checked" if arguments else "built"
    assert output.splitlines()[-1] == (
        f"generated: not {what}: `--warnings-as-errors` is given, and there are warnings"
    )
    assert {path: path.read_bytes() for path in (folder / "generated").rglob("*") if path.is_file()} == before


def test_warnings_are_errors_even_if_nothing_changed(folder: Path) -> None:
    (folder / "specs/odd.yaml").write_text(WITH_A_WARNING)

    assert [run(["build"]), run(["build"]), run(["build", "--check"])] == [0, 0, 0]
    assert [run(["build", "--warnings-as-errors"]), run(["build", "--check", "--warnings-as-errors"])] == [1, 1]


def test_without_a_warning_warnings_as_errors_changes_nothing(folder: Path) -> None:
    assert [run(["build", "--warnings-as-errors"]), run(["build", "--check", "--warnings-as-errors"])] == [0, 0]
    (folder / "specs/shop.yaml").write_text(SPEC.replace("Find.", "Find it."))
    assert [run(["build", "--warnings-as-errors"]), run(["build", "--check"])] == [0, 0]
