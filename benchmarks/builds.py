"""Builds, cold, incremental and without changes, and the commands that answer from what a build leaves.

Compared with one call of datamodel-code-generator for the same schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.processes import in_turn, ratio, seconds_of, summary
from benchmarks.projects import build, build_on_one_core, changed
from benchmarks.tools import json_schemas, make_toolsets

if TYPE_CHECKING:
    from benchmarks.projects import Projects
    from benchmarks.scale import Scale
    from benchmarks.tools import Toolset


def measure(scale: Scale, projects: Projects) -> list[dict[str, Any]]:
    return [_measure(projects, tools, files, sizes, scale.runs) for tools, files, sizes in scale.builds]


def _measure(projects: Projects, tools: int, files: int, sizes: Sequence[int], runs: int) -> dict[str, Any]:
    toolsets = make_toolsets(tools, files, sizes)
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
            "cold_on_one_core": lambda: build_on_one_core(projects.copy(project)),
            "one_changed": lambda: build(changed(project)),
            "unchanged": partial(build, project),
            "check": partial(seconds_of, project, "-m", "toolgen", "build", "--check"),
            **{name: partial(seconds_of, project, "-m", "toolgen", *words) for name, words in _commands(toolsets)},
        },
    )
    peer = found["datamodel_code_generator"]
    return {
        "tools": tools,
        "files": files,
        "args": max(sizes),
        "seconds": {name: summary(values) for name, values in found.items()},
        "ratio_to_datamodel_code_generator": {name: ratio(values, peer) for name, values in found.items()},
    }


def _commands(toolsets: Sequence[Toolset]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The commands that answer from what a build has left."""
    yield "list", ("list",)
    yield "show", ("show", f"{toolsets[0].name}.{next(iter(toolsets[0].tools))}")
    yield "search", ("search", "create an invoice")
    yield "explain", ("explain", "TG104")
