"""Loading a catalog, and the first call of a tool afterwards."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.processes import ratio, report_of, summary

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale


def measure(scale: Scale, projects: Projects) -> list[dict[str, Any]]:
    return [_measure(projects, tools, scale.runs) for tools in scale.loads]


def _measure(projects: Projects, tools: int, runs: int) -> dict[str, Any]:
    load = partial(report_of, projects.built(tools), "-m", "benchmarks.measured.load")
    load()
    reports = [load() for _ in range(runs)]
    values = {name: [report[name] for report in reports] for name in reports[0]}
    return {
        "tools": tools,
        **{name: summary(each, digits=2) for name, each in values.items()},
        "ratio_to_floor": ratio(values["load_ms"], values["floor_ms"]),
    }
