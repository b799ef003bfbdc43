"""One call of a tool that another process serves by MCP, over stdio and HTTP, compared with the SDK and FastMCP."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import report_of, summary

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

FLOOR: Final = "SDK server and client"
HTTP_FLOOR: Final = "SDK server"
_REPEATS: Final = 200


def measure(scale: Scale, projects: Projects) -> dict[str, Any]:
    folder = projects.built(scale.calls[0])
    repeats = str(min(scale.repeats, _REPEATS))
    report = report_of(folder, "-m", "benchmarks.measured.mcp_calls", str(scale.rounds), repeats)
    over_http = report_of(folder, "-m", "benchmarks.measured.mcp_http", str(scale.rounds), repeats)
    return {
        **_compared(report, FLOOR),
        "http": {name: _compared(cases, HTTP_FLOOR) for name, cases in over_http.items()},
    }


def _compared(report: dict[str, list[float]], floor: str) -> dict[str, Any]:
    return {
        "call_us": {name: summary(values, digits=0) for name, values in report.items()},
        "ratio_to_sdk": {
            name: round(median(value / least for value, least in zip(values, report[floor], strict=True)), 2)
            for name, values in report.items()
        },
    }
