"""Projects to measure in: made-up tools, and beside them the one tool that is called."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from benchmarks.processes import seconds_of
from benchmarks.tools import make_toolsets, write_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE: Final = "generated"
"""Import name of the package that a project is built into."""

CALLED: Final = """\
toolgen: 1
toolset: bench.issues
description: The tool that is called; the peers' benchmarks use the same.
tools:
  search_issues:
    description: Search the issues of a repository.
    permission: readonly
    args:
      query: {type: string, description: Words to look for.}
      limit: {type: integer, default: 10, description: Most rows to return.}
      labels?: {anyOf: [{type: array, items: {type: string}}, {type: "null"}], description: Labels an issue must carry.}
      state: {enum: [open, closed, all], default: open, description: Which issues.}
      filters?:
        anyOf:
          - type: object
            properties:
              author: {anyOf: [{type: string}, {type: "null"}], default: null}
              assignee: {anyOf: [{type: string}, {type: "null"}], default: null}
              created_after: {anyOf: [{type: string}, {type: "null"}], default: null}
              min_comments: {type: integer, default: 0}
          - type: "null"
        description: Extra filters.
    result: {total: integer, items: [{id: integer, title: string}]}
"""


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder that is removed at the end, and not before: file systems are slow to give out again what was just freed."""
    with TemporaryDirectory(prefix="toolgen-bench-") as folder:
        yield Path(folder)


def make_project(folder: Path, tools: int, files: int) -> None:
    """Write a project that is not built yet; one of the tools is the one that is called."""
    write_specs(make_toolsets(tools - 1, files), folder / "specs")
    (folder / "specs" / "issues.yaml").write_text(CALLED, encoding="utf-8")


def copy_project(project: Path, folder: Path) -> Path:
    """Copy the specs of a project, and not what was built from them."""
    shutil.copytree(project / "specs", folder / "specs")
    return folder


def build(folder: Path) -> float:
    """Build a project; wall-clock seconds."""
    return seconds_of(folder, "-m", "toolgen", "build")
