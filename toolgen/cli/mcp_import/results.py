"""Results of recorded calls, from which result schemas are inferred for tools without one."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.named_files import named_lines
from toolgen.compiler.importers.mcp.results import recorded_value, with_inferred_results
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.cli.commands.specs.spec_place import SpecPlace


def infer_results(place: SpecPlace, toolset: str, file: str) -> tuple[str, ...]:
    """Write result schemas into the spec of a toolset; return the keys of the tools that got one.

    Raises click.UsageError for a toolset without a spec, and for a file that is no recording.
    """
    if place.present is None:
        raise click.UsageError(f"There is no spec of {toolset}: import its tools first.")
    text, inferred = with_inferred_results(place.present, _recorded(file))
    if inferred:
        place.write(text)
    return inferred


def _recorded(file: str) -> dict[str, list[Any]]:
    """Read JSON Lines: `{"tool", "result"}`, where a result is a value or a `CallToolResult`; other lines are calls."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    with named_lines(file) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            place = f"{Path(file).name}:{number}"
            try:
                recorded = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise click.UsageError(f"{place}: the line is not JSON: {error}.") from None
            if not is_object(recorded) or not isinstance(recorded.get("tool"), str):
                raise click.UsageError(f'{place}: the line is no recorded call, {{"tool": …, "result": …}}.')
            if "result" in recorded and recorded.get("accept", True):
                tells, value = recorded_value(recorded["result"])
                if tells:
                    found[recorded["tool"]].append(value)
    return found
