"""Builds, cold and with nothing changed, beside one call of datamodel-code-generator over the same schemas."""

from __future__ import annotations

import json
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks.processes import in_turn, ratio, seconds_of, summary
from benchmarks.projects import build, copy_project, workplace
from benchmarks.tools import json_schemas, make_toolsets, write_specs

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.scale import Scale


def measure(scale: Scale) -> dict[str, Any]:
    with workplace() as folder:
        return {
            f"{tools} tools in {files} files": _measure(folder, tools, files, scale.runs)
            for tools, files in scale.builds
        }


def _measure(folder: Path, tools: int, files: int, runs: int) -> dict[str, Any]:
    project = folder / f"{tools}-{files}"
    toolsets = make_toolsets(tools, files)
    write_specs(toolsets, project / "specs")
    schemas = project / "schemas.json"
    schemas.write_text(json.dumps(json_schemas(toolsets)), encoding="utf-8")
    build(project)
    copies = (folder / f"{project.name}-{number}" for number in count())
    found = in_turn(
        runs,
        {
            "datamodel_code_generator": partial(
                seconds_of, project, "-m", "benchmarks.measured.generate_models", schemas.name
            ),
            "cold": lambda: build(copy_project(project, next(copies))),
            "unchanged": partial(build, project),
            "check": partial(seconds_of, project, "-m", "toolgen", "build", "--check"),
        },
    )
    peer = found["datamodel_code_generator"]
    return {
        "seconds": {name: summary(values) for name, values in found.items()},
        "ratio_to_datamodel_code_generator": {name: ratio(values, peer) for name, values in found.items()},
    }
