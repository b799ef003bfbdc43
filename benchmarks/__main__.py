"""`python -m benchmarks`: run all or the named ones, and print one JSON object."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from benchmarks import (
    adapters,
    builds,
    calls,
    durable,
    editing,
    imports,
    loads,
    payloads,
    real,
    records,
    searches,
    served,
)
from benchmarks.projects import Projects
from benchmarks.scale import FULL, TINY

if TYPE_CHECKING:
    from benchmarks.scale import Scale

BENCHMARKS: Final[dict[str, Callable[[Scale, Projects], Any]]] = {
    "imports": imports.measure,
    "builds": builds.measure,
    "real": real.measure,
    "editing": editing.measure,
    "loads": loads.measure,
    "calls": calls.measure,
    "records": records.measure,
    "searches": searches.measure,
    "payloads": payloads.measure,
    "adapters": adapters.measure,
    "served": served.measure,
    "durable": durable.measure,
}
_LIBRARIES: Final = (
    "datamodel-code-generator",
    "pydantic",
    "jsonschema-rs",
    "pygls",
    "ruff",
    "msgspec",
    "orjson",
    "pydantic-ai-slim",
    "openai-agents",
    "langchain-core",
    "fastmcp",
    "dbos",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure toolgen beside its peers; print JSON."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)}")
    parser.add_argument(
        "--tiny", action="store_true", help="a few tools, one run: shows that it works, and no figure of worth"
    )
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in BENCHMARKS]:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    scale = TINY if arguments.tiny else FULL
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "versions": _versions(),
        "runs": scale.runs,
    }
    before = _load_average()
    with TemporaryDirectory(prefix="toolgen-bench-") as folder:
        projects = Projects(Path(folder))
        for name in arguments.names or BENCHMARKS:
            print(f"benchmarks: {name}", file=sys.stderr)
            report[name] = BENCHMARKS[name](scale, projects)
    print(json.dumps({**report, "load_average": {"before": before, "after": _load_average()}}, indent=2))


def _versions() -> dict[str, str | None]:
    return {library: _version(library) for library in _LIBRARIES}


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _load_average() -> float | None:
    """Return the load average of the machine; None if unavailable."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


if __name__ == "__main__":
    main()
