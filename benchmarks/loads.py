"""Loading a catalog, and the first call of a tool after that."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.processes import report_of, summary
from benchmarks.projects import build, make_project, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.scale import Scale


def measure(scale: Scale) -> dict[str, Any]:
    with workplace() as folder:
        return {f"{tools} tools": _measure(folder / str(tools), tools, scale.runs) for tools in scale.loads}


def _measure(project: Path, tools: int, runs: int) -> dict[str, Any]:
    make_project(project, tools, files=min(20, tools - 1))
    build(project)
    load = partial(report_of, project, "-m", "benchmarks.measured.load")
    load()
    reports = [load() for _ in range(runs)]
    return {name: summary([report[name] for report in reports], digits=2) for name in reports[0]}
