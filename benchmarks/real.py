"""Builds of published tools: those of `shared/data` beside the checkout, again and again up to a number.

Prints null where that folder is not there.
"""

from __future__ import annotations

import json
from functools import partial
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import ROOT, in_turn, memory_of, one_core, seconds_of, summary
from benchmarks.projects import build, build_on_one_core, changed

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

DATA: Final = ROOT.parent / "shared" / "data"
_PER_FILE: Final = 112
"""Tools of one toolset: public servers have 1 to 2,000."""


def measure(scale: Scale, projects: Projects) -> dict[str, Any] | None:
    if not DATA.is_dir():
        return None
    project = projects.new(())
    _import(project, scale.real)
    build(project)
    found = in_turn(
        scale.runs,
        {
            "cold": lambda: build(projects.copy(project)),
            "cold_on_one_core": lambda: build_on_one_core(projects.copy(project)),
            "one_changed": lambda: build(changed(project)),
            "unchanged": partial(build, project),
            "list": partial(seconds_of, project, "-m", "toolgen", "list"),
        },
    )
    return {
        "tools": scale.real,
        "seconds": {name: summary(values) for name, values in found.items()},
        "cold_megabytes": round(memory_of(projects.copy(project), "-m", "toolgen", "build") / 1e6),
        "cold_megabytes_on_one_core": _megabytes_on_one_core(projects.copy(project)),
    }


def _megabytes_on_one_core(project: Path) -> int:
    with one_core():
        return round(memory_of(project, "-m", "toolgen", "build") / 1e6)


def _import(project: Path, tools: int) -> None:
    """Import published tools as MCP servers. A name that a server has already gets a number."""
    read = [json.loads(path.read_text(encoding="utf-8"))["tools"] for path in sorted(DATA.glob("*.tools.json"))]
    wanted = islice(cycle(tool for server in read for tool in server), tools)
    numbered = [{**tool, "name": f"{tool['name']}_{number}"} for number, tool in enumerate(wanted)]
    for start in range(0, tools, _PER_FILE):
        name = f"s{start // _PER_FILE}"
        source = project / f"{name}.json"
        source.write_text(json.dumps({"tools": numbered[start : start + _PER_FILE]}), encoding="utf-8")
        seconds_of(project, "-m", "toolgen", "import", "mcp", source.name, "--toolset", f"mcp.{name}", fails=(1,))
