"""The record of calls: what a call costs whose events are in memory, in SQLite and in Postgres, beside bare inserts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.processes import report_of, summary
from tests.programs.postgres import new_server

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale


def measure(scale: Scale, projects: Projects) -> dict[str, Any]:
    """Return microseconds for each call; without Postgres nothing is measured, and the report has the reason."""
    folder = projects.built(scale.calls[0])
    try:
        with new_server() as server:
            found = report_of(
                folder,
                "-m",
                "benchmarks.measured.records",
                server.new_database(),
                str(scale.rounds),
                str(min(scale.repeats, 640)),
            )
    except pytest.skip.Exception as missing:
        return {"skipped": str(missing)}
    return {
        "microseconds": {
            name: {kind: summary(values, digits=0) for kind, values in kinds.items()} for name, kinds in found.items()
        }
    }
