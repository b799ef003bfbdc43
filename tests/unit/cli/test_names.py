"""Names of tools and toolsets: every command accepts the same spellings and makes suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("names")

SPEC = """\
toolgen: 1
toolset: mcp.a
kind: mcp
tools:
  x: {remote: y, description: One., args: {}, permission: readonly}
  z: {remote: x, description: Two., args: {}, permission: readonly}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a built project with a tool whose name at its source is the name of another tool."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "specs").mkdir()
    (folder / "specs/a.yaml").write_text(SPEC)
    (folder / "calls.jsonl").write_text('{"tool": "x", "arguments": {}}\n')
    assert toolgen(folder, "build").code == 0
    return folder


@pytest.mark.parametrize(
    "command", [("show", "x"), ("call", "x"), ("policy", "explain", "x"), ("replay", "calls.jsonl")]
)
def test_an_ambiguous_name_is_an_error_for_every_command(folder: Path, command: tuple[str, ...]) -> None:
    done = toolgen(folder, *command)

    assert done.code == 2
    assert "`x` is ambiguous: mcp.a.x, mcp.a.z." in done.err


def test_the_ir_of_all_tools_with_a_name_is_printed(folder: Path) -> None:
    done = toolgen(folder, "ir", "x")

    assert [line for line in done.out.splitlines() if line.startswith("tool ")] == ["tool mcp.a.x", "tool mcp.a.z"]


@pytest.mark.parametrize("command", ["show", "call", "ir"])
@pytest.mark.parametrize("name", ["mcp.a", "mcp"])
def test_the_name_of_toolsets_is_answered_with_their_tools(folder: Path, command: str, name: str) -> None:
    done = toolgen(folder, command, name)

    assert done.code == 2
    assert f"Error: `{name}` is no tool, but the start of `mcp.a.x`, `mcp.a.z`.\n" in done.err


@pytest.mark.parametrize("command", ["show", "call", "ir"])
def test_an_unknown_tool_gets_suggestions(folder: Path, command: str) -> None:
    done = toolgen(folder, command, "mcp.a.xx")

    assert done.code == 2
    assert "There is no tool `mcp.a.xx`. Did you mean `mcp.a.x`?" in done.err


@pytest.mark.parametrize("command", [("list",), ("replay", "calls.jsonl")])
def test_an_unknown_toolset_is_a_usage_error(folder: Path, command: tuple[str, ...]) -> None:
    done = toolgen(folder, *command, "--toolset", "mcp.b")

    assert done.code == 2
    assert "There is no toolset `mcp.b`. Did you mean `mcp.a`?" in done.err
