"""Builds, cold and without changes, compared with one call of datamodel-code-generator for the same schemas."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.processes import in_turn, ratio, seconds_of, summary
from benchmarks.projects import build
from benchmarks.tools import json_schemas, make_toolsets

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale


def measure(scale: Scale, projects: Projects) -> list[dict[str, Any]]:
    return [_measure(projects, tools, files, scale.runs) for tools, files in scale.builds]


def _measure(projects: Projects, tools: int, files: int, runs: int) -> dict[str, Any]:
    toolsets = make_toolsets(tools, files)
    project = projects.new(toolsets)
    schemas = project / "schemas.json"
    schemas.write_text(json.dumps(json_schemas(toolsets)), encoding="utf-8")
    build(project)
    found = in_turn(
        runs,
        {
            "datamodel_code_generator": partial(
                seconds_of, project, "-m", "benchmarks.measured.generate_models", schemas.name
            ),
            "cold": lambda: build(projects.copy(project)),
            "unchanged": partial(build, project),
            "check": partial(seconds_of, project, "-m", "toolgen", "build", "--check"),
        },
    )
    peer = found["datamodel_code_generator"]
    return {
        "tools": tools,
        "files": files,
        "seconds": {name: summary(values) for name, values in found.items()},
        "ratio_to_datamodel_code_generator": {name: ratio(values, peer) for name, values in found.items()},
    }
