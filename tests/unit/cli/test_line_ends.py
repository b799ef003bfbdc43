"""Line ends of files that people write: each command that changes one keeps them, whatever a checkout made of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from toolgen.cli.front import run

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
toolgen: 1
toolset: shop

tools:
  sign_in:
    description: Opens a session.
    permission: write
    args:
      password:
        type: string
"""
IMPORT = ["import", "mcp", "found.json", "--toolset", "mcp.found"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as git checks it out on Windows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "toolgen.toml").touch()
    write(tmp_path / "specs" / "a.yaml", SPEC)
    return tmp_path


def write(file: Path, text: str, end: str = "\r\n") -> None:
    file.write_bytes(text.replace("\n", end).encode())


def read(file: Path, end: str = "\r\n") -> str:
    """Return the text of a file with LF, all of whose lines end in one way."""
    text = file.read_bytes().decode()
    lines = text.split(end)
    assert [line for line in lines if "\r" in line or "\n" in line] == []
    return "\n".join(lines)


def test_a_formatted_spec_is_formatted_with_any_line_ends(project: Path) -> None:
    assert run(["fmt", "--check"]) == 0
    write(project / "specs" / "a.yaml", SPEC.replace("\n\n", "\n"))
    assert run(["fmt"]) == 0
    assert read(project / "specs" / "a.yaml") == SPEC
    assert run(["fmt", "--check"]) == 0


def test_the_lines_of_a_formatted_spec_end_as_most_of_them_did(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "specs" / "a.yaml"
    file.write_bytes(file.read_bytes().replace(b"shop\r\n", b"shop\n"))
    assert run(["fmt", "--diff"]) == 1
    assert "\n toolgen: 1\n-toolset: shop\\n\n+toolset: shop\n \n tools:\n" in capsys.readouterr().out
    assert run(["fmt"]) == 0
    assert read(file) == SPEC


def test_a_json_spec_keeps_its_line_ends(project: Path) -> None:
    file = project / "specs" / "b.json"
    write(file, '{"toolset": "b",\n"toolgen": 1}\n')
    assert run(["fmt"]) == 0
    assert read(file) == '{\n  "toolgen": 1,\n  "toolset": "b"\n}\n'


def test_fixes_of_lint_keep_line_ends(project: Path) -> None:
    run(["lint", "--fix"])
    assert "        writeOnly: true\n        type: string\n" in read(project / "specs" / "a.yaml")


def test_the_baseline_keeps_its_line_ends(project: Path) -> None:
    file = project / "toolgen-lint-baseline.json"
    assert run(["lint", "--write-baseline"]) == 0
    text = read(file, "\n")
    write(file, text)
    assert run(["lint"]) == 0
    assert run(["lint", "--write-baseline"]) == 0
    assert read(file) == text


def test_an_import_keeps_line_ends(project: Path) -> None:
    file = project / "specs" / "found.yaml"
    offered(project, "Find.")
    assert run(IMPORT) == 0
    write(file, read(file, "\n").replace("\ntools:", "\n# Mine.\ntools:"))
    offered(project, "Find a word.")
    assert run(IMPORT) == 0
    text = read(file)
    assert "# Mine.\ntools:\n" in text
    assert "description: Find a word.\n" in text


def offered(project: Path, description: str) -> None:
    tool = {"name": "find", "description": description, "inputSchema": {"type": "object"}}
    (project / "found.json").write_text(json.dumps({"tools": [tool]}))


def test_lines_that_init_adds_end_as_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / ".gitignore"
    write(file, "mine\n/build/")
    assert run(["init", "--bare", str(tmp_path)]) == 0
    assert read(file).startswith("mine\n/build/\n")
