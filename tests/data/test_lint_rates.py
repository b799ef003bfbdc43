"""The rates of lint rules in the reference are those on the real tools."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from tests.data.sets import place
from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

SERVERS: Final = ("tau", "tau2", "kubernetes", "acebench")
APIS: Final = ("notion", "twilio_verify")
MANY_APIS: Final = "acebench"
ROW: Final = re.compile(r"^\| \[?(TL\d{3})\b.*?\| (?P<many>[\d.-]+) \| (?P<one>[\d.-]+) \|$", re.MULTILINE)

pytestmark = pytest.mark.long


def test_the_reference_has_the_rate_of_every_rule(tmp_path: Path) -> None:
    tools: Counter[bool] = Counter()
    found: Counter[tuple[str, bool]] = Counter()
    for name in (*SERVERS, *APIS):
        folder = tmp_path / name
        folder.mkdir()
        if name in SERVERS:
            toolgen(folder, "import", "mcp", str(place(f"{name}.tools.json")), "--toolset", f"mcp.{name}")
        else:
            toolgen(folder, "import", "openapi", str(place(f"{name}.openapi.json")), "--toolset", name)
        written = next((folder / "specs").iterdir())  # as a person wrote it: rules on imported tools are fewer
        written.write_text(re.sub(r"(?m)^ +imported: .*\n", "", written.read_text(encoding="utf-8")), encoding="utf-8")
        linted = toolgen(folder, "lint", "--format", "json").json
        text = next((folder / "specs").iterdir()).read_text(encoding="utf-8")
        tools[name == MANY_APIS] += len(re.findall(r"^  \S.*:$", text.partition("\ntools:\n")[2], re.MULTILINE))
        found.update((each["code"], name == MANY_APIS) for each in linted)
    assert tools == {True: 2342, False: 319}

    rates = {
        code: tuple(f"{found[code, many] * 100 / tools[many]:.1f}" for many in (True, False))
        for code in sorted({code for code, _ in found})
    }
    page = (ROOT / "docs" / "reference" / "lint.intro.md").read_text(encoding="utf-8")
    documented = {row[1]: (row["many"], row["one"]) for row in ROW.finditer(page)}
    assert documented == rates
