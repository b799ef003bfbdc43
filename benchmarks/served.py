"""One call of a tool that another process serves: by MCP, compared with the SDK and FastMCP, and by an HTTP API."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measured.http_calls import FLOOR as API_FLOOR
from benchmarks.measured.http_calls import SPEC
from benchmarks.processes import report_of, summary
from benchmarks.projects import build

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
    api = projects.of({"shop.yaml": SPEC})
    build(api)
    of_an_api = report_of(api, "-m", "benchmarks.measured.http_calls", str(scale.rounds), repeats)
    return {
        **_compared(report, FLOOR, "ratio_to_sdk"),
        "http": {name: _compared(cases, HTTP_FLOOR, "ratio_to_sdk") for name, cases in over_http.items()},
        "api": _compared(of_an_api, API_FLOOR, "ratio_to_client"),
    }


def _compared(report: dict[str, list[float]], floor: str, ratio: str) -> dict[str, Any]:
    return {
        "call_us": {name: summary(values, digits=0) for name, values in report.items()},
        ratio: {
            name: round(median(value / least for value, least in zip(values, report[floor], strict=True)), 2)
            for name, values in report.items()
        },
    }
