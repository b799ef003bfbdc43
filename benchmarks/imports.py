"""What an import costs, in a fresh process each time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import in_turn, ratio, report_of, seconds_of, summary
from benchmarks.projects import PACKAGE, build, make_project, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.scale import Scale

FLOOR: Final = "pydantic"
_STATEMENTS: Final = {
    FLOOR: "import pydantic; pydantic.BaseModel; pydantic.TypeAdapter",
    "toolgen.runtime": "import toolgen.runtime",
    "toolgen.runtime, all of its names": "from toolgen.runtime import *",
    "generated package and idents": f"from {PACKAGE}.bench.tools import issues; issues.SEARCH_ISSUES",
}
_CHILD: Final = """\
import json, sys, time
start = time.perf_counter()
{statement}
print(json.dumps({{"ms": (time.perf_counter() - start) * 1000, "pydantic": "pydantic" in sys.modules}}))
"""


def measure(scale: Scale) -> dict[str, Any]:
    with workplace() as folder:
        make_project(folder, tools=10, files=1)
        build(folder)
        cases = {name: partial(_ms_of, folder, statement) for name, statement in _STATEMENTS.items()}
        cases["python -c pass, the whole process"] = lambda: seconds_of(folder, "-c", "pass") * 1000
        found = in_turn(scale.runs * 3, cases)
        return {
            "ms": {name: summary(values, digits=1) for name, values in found.items()},
            "ratio_to_pydantic": {
                name: ratio(values, found[FLOOR]) for name, values in found.items() if name in _STATEMENTS
            },
            "loads_pydantic": {name: _report(folder, statement)["pydantic"] for name, statement in _STATEMENTS.items()},
        }


def _ms_of(folder: Path, statement: str) -> float:
    ms: float = _report(folder, statement)["ms"]
    return ms


def _report(folder: Path, statement: str) -> dict[str, Any]:
    return report_of(folder, "-c", _CHILD.format(statement=statement))
