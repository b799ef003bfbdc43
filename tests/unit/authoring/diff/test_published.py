"""Two versions of published MCP servers and of an OpenAPI document: the report says what a person reads in them."""

from __future__ import annotations

import shlex
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ROOT / ".venv" / "programs" / "npm" / "node_modules"
AFTER = {
    "filesystem": "@modelcontextprotocol/server-filesystem",
    "memory": "@modelcontextprotocol/server-memory",
    "everything": "@modelcontextprotocol/server-everything",
}

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (PACKAGES / "notion-before").is_dir(), reason="programs are not installed: run `make test-long`"
    ),
]


def breaking(folder: Path) -> Counter[str]:
    report = toolgen(folder / "after", "diff", "--against", "../before", "--format", "json").json
    return Counter(each["code"] for each in report["changes"] if each["level"] == "breaking")


def of_server(name: str, folder: Path) -> Counter[str]:
    for side, package in (("before", f"server-{name}-before"), ("after", AFTER[name])):
        (folder / side / "specs").mkdir(parents=True)
        (folder / side / "toolgen.toml").write_text('[[targets]]\nspecs = "specs"\n')
        arguments = [str(folder)] if name == "filesystem" else []
        program = shlex.join(["node", str(PACKAGES / package / "dist" / "index.js"), *arguments])
        done = toolgen(folder / side, "import", "mcp", "--stdio", program, "--toolset", f"mcp.{name}")
        assert done.code == 0, done.err
    return breaking(folder)


def test_a_filesystem_returns_embedded_resources(tmp_path: Path) -> None:
    assert of_server("filesystem", tmp_path) == {"WIRE304": 1, "CODE102": 1, "CODE207": 1}


def test_a_memory_describes_its_results(tmp_path: Path) -> None:
    assert of_server("memory", tmp_path) == {"CODE104": 9}


def test_a_server_spells_its_tools_otherwise(tmp_path: Path) -> None:
    assert of_server("everything", tmp_path) == {"WIRE101": 6, "WIRE103": 3, "CODE102": 1, "CODE501": 1}


def test_an_api_replaces_databases_by_data_sources(tmp_path: Path) -> None:
    for side in ("before", "after"):
        (tmp_path / side / "specs").mkdir(parents=True)
        (tmp_path / side / "toolgen.toml").write_text('[[targets]]\nspecs = "specs"\n')
        shutil.copy(PACKAGES / f"notion-{side}" / "scripts" / "notion-openapi.json", tmp_path / side / "api.json")
        done = toolgen(tmp_path / side, "import", "openapi", "api.json", "--toolset", "notion")
        assert done.code == 0, done.err
    found = breaking(tmp_path)
    assert {code: count for code, count in found.items() if code.startswith("WIRE")} == {"WIRE101": 3, "WIRE203": 3}
    assert found["CODE301"] == 11
