"""Projects for measurements: generated tools, and beside them the one tool that is called."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

from benchmarks.processes import one_core, seconds_of
from benchmarks.tools import make_toolsets, write_specs

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.tools import Toolset

_DESCRIPTION: Final = re.compile(r"(description: ['\"]?)(?:Edit \d+\. )?(?=[A-Za-z])")

PACKAGE: Final = "generated"
"""Import name of the package of a project."""

CALLED: Final = """\
toolgen: 1
toolset: bench.issues
description: The tool that is called, which the peers' benchmarks call too.
types:
  Filters:
    author: {type: [string, "null"], default: null}
    assignee: {type: [string, "null"], default: null}
    created_after: {type: [string, "null"], default: null}
    min_comments: {type: integer, default: 0}
  SearchResult: {total: integer, items: [{id: integer, title: string}]}
tools:
  search_issues:
    description: Search the issues of a repository. Its objects are closed, as they are in the short form.
    permission: readonly
    args:
      query: {type: string, description: Words to look for.}
      limit: {type: integer, default: 10, description: Most rows to return.}
      labels: {type: [array, "null"], items: {type: string}, default: null, description: Labels an issue must carry.}
      state: {enum: [open, closed, all], default: open, description: Which issues.}
      filters: {anyOf: [{$ref: "#/types/Filters"}, {type: "null"}], default: null, description: Extra filters.}
    result: SearchResult
  search_guarded_issues:
    description: The same behind a limit and the eval gate.
    permission: readonly
    limits: {daily_limit: 1000000000}
    cost: cheap
    gate: true
    args:
      query: {type: string, description: Words to look for.}
      limit: {type: integer, default: 10, description: Most rows to return.}
      labels: {type: [array, "null"], items: {type: string}, default: null, description: Labels an issue must carry.}
      state: {enum: [open, closed, all], default: open, description: Which issues.}
      filters: {anyOf: [{$ref: "#/types/Filters"}, {type: "null"}], default: null, description: Extra filters.}
    result: SearchResult
  search_open_issues:
    description: The same with open objects, as most servers publish them; what they are sent beyond it is kept.
    permission: readonly
    args:
      type: object
      properties:
        query: {type: string, description: Words to look for.}
        limit: {type: integer, default: 10, description: Most rows to return.}
        labels: {type: [array, "null"], items: {type: string}, default: null, description: Labels an issue must carry.}
        state: {enum: [open, closed, all], default: open, description: Which issues.}
        filters:
          anyOf:
            - type: object
              properties:
                author: {type: [string, "null"], default: null}
                assignee: {type: [string, "null"], default: null}
                created_after: {type: [string, "null"], default: null}
                min_comments: {type: integer, default: 0}
            - type: "null"
          default: null
          description: Extra filters.
      required: [query]
    result: SearchResult
"""

POLICY: Final = """\
toolgen: 1
policy: bench
rules: {bench.*: allow}
"""


class Projects:
    """Projects in one folder, which is removed at the end, because file systems are slow at reusing freed space."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = (f"project{number}" for number in count())
        self._built: dict[int, Path] = {}

    def new(self, toolsets: Sequence[Toolset]) -> Path:
        """Write a project without building it."""
        project = self._folder / next(self._names)
        write_specs(toolsets, project / "specs")
        return project

    def of(self, specs: Mapping[str, str]) -> Path:
        """Write a project of these specs, by file name, without building it."""
        project = self._folder / next(self._names)
        (project / "specs").mkdir(parents=True)
        for name, text in specs.items():
            (project / "specs" / name).write_text(text, encoding="utf-8")
        return project

    def copy(self, project: Path) -> Path:
        """Copy the specs of a project without its package."""
        copied = self._folder / next(self._names)
        shutil.copytree(project / "specs", copied / "specs")
        return copied

    def built(self, tools: int) -> Path:
        """Build a package of this many tools, once; three of them are called."""
        if tools not in self._built:
            project = self._built[tools] = self.new(make_toolsets(tools - 3, files=min(20, tools - 3)))
            (project / "specs" / "issues.yaml").write_text(CALLED, encoding="utf-8")
            (project / "specs" / "policy.yaml").write_text(POLICY, encoding="utf-8")
            build(project)
        return self._built[tools]


def changed(project: Path) -> Path:
    """Change the description of one tool of a project, and return the project."""
    spec = min((project / "specs").glob("*.yaml"))
    head, tools, text = spec.read_text(encoding="utf-8").partition("\ntools:")
    text = _DESCRIPTION.sub(rf"\g<1>Edit {time.monotonic_ns()}. ", text, count=1)
    spec.write_text(f"{head}{tools}{text}", encoding="utf-8")
    return project


def build_on_one_core(project: Path) -> float:
    """Build a project as where there is one core; return the wall-clock seconds."""
    with one_core():
        return build(project)


def build(project: Path) -> float:
    """Build a project; return the wall-clock seconds."""
    return seconds_of(project, "-m", "toolgen", "build")
