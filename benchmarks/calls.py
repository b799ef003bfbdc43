"""One call with an empty body: the first of a process, and a steady one, compared with the floors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import report_of, summary

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

FLOOR: Final = "pydantic"
"""validate_json, an awaited body, dump_json."""


def measure(scale: Scale, projects: Projects) -> list[dict[str, Any]]:
    return [_measure(projects.built(tools), tools, scale) for tools in scale.calls]


def _measure(project: Path, tools: int, scale: Scale) -> dict[str, Any]:
    steady = partial(report_of, project, "-m", "benchmarks.measured.call", str(scale.rounds), str(scale.repeats))
    first = partial(report_of, project, "-m", "benchmarks.measured.first_call")
    names = list(steady())
    steady_reports: list[dict[str, list[float]]] = []
    first_reports: list[dict[str, float]] = []
    for _ in range(scale.runs):
        steady_reports.append(steady())
        first_reports.append({name: first(name)[name] for name in names})
    return {
        "tools": tools,
        "first_call_ms": {name: summary([report[name] for report in first_reports], digits=2) for name in names},
        "steady_call_us": {
            name: summary([median(report[name]) for report in steady_reports], digits=2) for name in names
        },
        "steady_ratio_to_floor": {name: _ratio(steady_reports, name) for name in names},
        "stages_us": report_of(project, "-m", "benchmarks.measured.stages", str(min(scale.repeats, 2000))),
        "stubs_us": report_of(
            project, "-m", "benchmarks.measured.stubs", str(scale.rounds), str(min(scale.repeats, 500))
        ),
        "telemetry_adds_us": report_of(
            project, "-m", "benchmarks.measured.telemetry", str(scale.rounds), str(min(scale.repeats, 500))
        ),
    }


def _ratio(reports: Sequence[dict[str, list[float]]], name: str) -> float:
    pairs = (pair for report in reports for pair in zip(report[name], report[FLOOR], strict=True))
    return round(median(value / floor for value, floor in pairs), 2)
