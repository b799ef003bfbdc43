"""Results of recorded calls, from which result schemas are inferred for tools without one."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.authoring.format.update import updated_text
from toolgen.cli.named_files import STDIN, named_lines
from toolgen.compiler.importers.mcp import recorded_value, value_of_text, with_inferred_results
from toolgen.record.stores import name_of_target, open_reader
from toolgen.runtime.base.postgres import is_postgres_url
from toolgen.runtime.events.records import RunNotFound, StoreError
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.cli.commands.specs.spec_place import SpecPlace


_SQLITE: Final = b"SQLite format 3\0"


def infer_results(place: SpecPlace, toolset: str, file: str) -> tuple[str, ...]:
    """Write result schemas into the spec of a toolset; return the keys of the tools that got one.

    The file is a store, or JSON Lines. Raises click.UsageError for a toolset without a spec, and for another file.
    """
    if place.present is None:
        raise click.UsageError(f"There is no spec of {toolset}: import its tools first.")
    data, inferred = with_inferred_results(place.present, _in_store(file) if _is_store(file) else _in_lines(file))
    if inferred:
        place.write(updated_text(place.present, data))
    return inferred


def _is_store(file: str) -> bool:
    if file == STDIN:
        return False
    if is_postgres_url(file):
        return True
    with named_lines(file) as lines:
        return next(lines, b"").startswith(_SQLITE)


def _in_store(file: str) -> dict[str, list[Any]]:
    """Read the results of a store. Values that were too large for it, and failures, are left out."""
    found: defaultdict[str, list[Any]] = defaultdict(list)
    try:
        with closing(open_reader(file)) as store:
            for run in store.runs():
                for result in store.read(run.run_id).results:
                    if "value" in result.content:
                        value = result.content["value"]
                        found[result.tool].append(value_of_text(value) if isinstance(value, str) else value)
    except ImportError as error:
        raise click.UsageError(f"{error}.") from None
    except (StoreError, RunNotFound) as error:  # a run may be deleted meanwhile
        raise click.UsageError(f"{name_of_target(file)}: {error}.") from None
    return found


def _in_lines(file: str) -> dict[str, list[Any]]:
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
