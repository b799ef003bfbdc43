"""One call through each agent framework: of a tool of an adapter, and of a plain function."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.processes import report_of, summary

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale


def measure(scale: Scale, projects: Projects) -> dict[str, Any]:
    project = projects.built(min(scale.calls))
    repeats = str(max(scale.repeats // 20, 5))
    reports: list[dict[str, dict[str, list[float]]]] = [
        report_of(project, "-m", "benchmarks.measured.adapters", str(scale.rounds), repeats) for _ in range(scale.runs)
    ]
    return {
        framework: {
            **{what: summary([median(report[framework][what]) for report in reports], digits=1) for what in times},
            "added_by_the_adapter_us": round(
                median(
                    adapter - own
                    for report in reports
                    for adapter, own in zip(report[framework]["adapter"], report[framework]["own"], strict=True)
                ),
                1,
            ),
        }
        for framework, times in reports[0].items()
    }
