"""The cost of imports, in a fresh process each time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import in_turn, ratio, report_of, seconds_of, summary
from benchmarks.projects import PACKAGE

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale

FLOOR: Final = "pydantic"
_COMMON: Final = (
    "Catalog, Codec, Decision, InvalidPayload, Runtime, Session, ToolAdapter, ToolCallMeta, ToolDefinition, ToolError, "
    "ToolNotFound, ToolRequest, ToolResult, allow_all, blocking, deny_all, load"
)
_STATEMENTS: Final = {
    FLOOR: "import pydantic; pydantic.BaseModel; pydantic.TypeAdapter",
    "toolgen.runtime": "import toolgen.runtime",
    "toolgen.runtime, what most hosts use": f"from toolgen.runtime import {_COMMON}",
    "generated package and idents": f"from {PACKAGE}.bench.tools import issues; issues.SEARCH_ISSUES",
}
_CHILD: Final = """\
import json, sys, time
start = time.perf_counter()
{statement}
print(json.dumps({{"ms": (time.perf_counter() - start) * 1000, "pydantic": "pydantic" in sys.modules}}))
"""


def measure(scale: Scale, projects: Projects) -> dict[str, Any]:
    project = projects.built(min(scale.calls))
    loads_pydantic: dict[str, bool] = {}

    def milliseconds(name: str) -> float:
        report = report_of(project, "-c", _CHILD.format(statement=_STATEMENTS[name]))
        loads_pydantic[name] = report["pydantic"]
        return float(report["ms"])

    cases: dict[str, Callable[[], float]] = {name: partial(milliseconds, name) for name in _STATEMENTS}
    cases["python -c pass, the whole process"] = lambda: seconds_of(project, "-c", "pass") * 1000
    found = in_turn(scale.imports, cases)
    return {
        "ms": {name: summary(values, digits=1) for name, values in found.items()},
        "ratio_to_pydantic": {name: ratio(found[name], found[FLOOR]) for name in _STATEMENTS},
        "loads_pydantic": loads_pydantic,
    }
