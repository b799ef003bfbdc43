"""`toolgen fmt` and `toolgen lint`: every file that can be read, whatever is in the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.authoring.format.format import formatted
from toolgen.cli.exit_codes import INTERNAL
from toolgen.cli.front import run

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.source.nodes import Node

GOOD = "toolset: shop\ntoolgen: 1\n"
FORMATTED = "toolgen: 1\ntoolset: shop\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "toolgen.toml").touch()
    (tmp_path / "specs" / "z.yaml").write_text(GOOD)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n# only comments\n",
        "# toolgen: ignore TL206 -- why\n---\n",
        "--- |# toolgen: ignore TL206 -- why\n  text\n",
        "toolgen: 1\ntoolset: a\ndescription: |# toolgen: ignore TL206 -- why\n  text\n",
        "toolgen: 1\ntoolset: a\ndescription: &x\n# toolgen: ignore TL206 -- why\n  text\n",
        "- a\n- b\n",
        "toolgen: 1\ntoolgen: 1\n",
        "a: [\n",
        "\x00",
        "? [a]\n: b\n",
        "a: *b\n",
    ],
)
def test_no_text_of_a_file_ends_a_command_with_a_traceback_or_keeps_others_from_it(project: Path, text: str) -> None:
    (project / "specs" / "a.yaml").write_text(text)

    done = [toolgen(project, *command) for command in (["fmt"], ["lint"], ["lint", "--fix"], ["build"])]

    assert {each.code for each in done} <= {0, 1}, [each.err for each in done]
    assert (project / "specs" / "z.yaml").read_text() == FORMATTED


def test_a_defect_at_one_file_is_shown_after_the_others_are_formatted(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (project / "specs" / "a.yaml").write_text(GOOD)

    def formatted_or_not(path: str, text: str, root: Node) -> str:
        if path.endswith("a.yaml"):
            raise AssertionError("a defect")
        return formatted(path, text, root)

    monkeypatch.setattr("toolgen.cli.commands.authoring.fmt.formatted", formatted_or_not)

    assert run(["fmt"]) == INTERNAL
    assert (project / "specs" / "a.yaml").read_text() == GOOD
    assert (project / "specs" / "z.yaml").read_text() == FORMATTED
    shown = capfd.readouterr()
    assert "1 file formatted, 0 unchanged" in shown.err
    assert "in specs/a.yaml" in shown.err


@pytest.mark.parametrize("command", [["fmt"], ["lint", "--fix"], ["lint", "--write-baseline"]], ids=" ".join)
@pytest.mark.parametrize("mode", [0o444, 0o400])
def test_a_file_that_may_only_be_read_stays_and_the_others_are_written(
    project: Path, command: list[str], mode: int
) -> None:
    spec = f"{GOOD}tools:\n  a:\n    description: Find  it.\n    permission: readonly\n"
    files = [project / "specs" / "a.yaml", project / "specs" / "b.yaml", project / "toolgen-lint-baseline.json"]
    for name, file in zip(("shop", "mall"), files, strict=False):
        file.write_text(spec.replace("shop", name))
    if "--write-baseline" in command:
        files[2].write_text("")
    (project / "specs" / "z.yaml").unlink()
    closed = files[2] if "--write-baseline" in command else files[0]
    closed.chmod(mode)
    before = closed.read_bytes()

    done = toolgen(project, *command)

    assert (done.code, "cannot be written: Permission denied" in done.err) == (2, True), done.err
    assert (closed.read_bytes(), closed.stat().st_mode & 0o777) == (before, mode)
    if closed == files[0]:
        assert files[1].read_text() != spec.replace("shop", "mall")
