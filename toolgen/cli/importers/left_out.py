"""Left out: the tools of an MCP server that an import would not add to a spec, because of the spec or because of them.

As a program, it reads the list of a server from stdin, and prints the names: `toolgen explore` runs it in a project.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.importers.spec_place import present_spec
from toolgen.cli.output import echo
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.mcp import import_mcp
from toolgen.compiler.importers.update import source_name
from toolgen.compiler.project.config import ConfigError, load_config
from toolgen.compiler.source.nodes import Source
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.project.config import Config


def left_out_at_import(
    offered: Sequence[Mapping[str, Any]], config: Config, toolset: str, *, dialect: str | None = None
) -> frozenset[str]:
    """Return the names of offered tools that would not be compiled after another import into the spec of a toolset.

    A person removed them from the spec, or disabled them there, or they are broken. Raises click.UsageError for a spec
    that is invalid.
    """
    answer = Source("offered.json", json.dumps({"tools": [*offered]}))
    target, present = present_spec(config, toolset)
    spec = present or f"{toolset}.yaml"
    imported = import_mcp(answer, spec, toolset, Diagnostics(), dialect=dialect, profile=target.profile)
    tools: dict[str, dict[str, Any]] = {} if imported is None else imported.data["tools"]
    compiled = {source_name(key, tool) for key, tool in tools.items() if not tool.get("disabled")}
    return frozenset(str(tool["name"]) for tool in offered) - compiled


def main(toolset: str) -> int:
    """Print what the spec of a toolset leaves out, as JSON; return the exit code."""
    try:
        names = sorted(left_out_at_import(json.load(sys.stdin), load_config(Path.cwd()), toolset))
    except (click.ClickException, ConfigError) as error:
        echo(visible(error.message if isinstance(error, click.ClickException) else str(error)), err=True)
        return 2
    sys.stdout.write(json.dumps(names))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
