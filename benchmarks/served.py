"""One call of a tool that another process serves by MCP over stdio, compared with the SDK and FastMCP."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import report_of, summary

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

FLOOR: Final = "SDK server and client"
_REPEATS: Final = 200


def measure(scale: Scale, projects: Projects) -> dict[str, Any]:
    folder = projects.built(scale.calls[0])
    repeats = str(min(scale.repeats, _REPEATS))
    report = report_of(folder, "-m", "benchmarks.measured.mcp_calls", str(scale.rounds), repeats)
    return {
        "call_us": {name: summary(values, digits=0) for name, values in report.items()},
        "ratio_to_sdk": {
            name: round(median(value / floor for value, floor in zip(values, report[FLOOR], strict=True)), 2)
            for name, values in report.items()
        },
    }
