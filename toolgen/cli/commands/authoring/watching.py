"""Builds that are repeated after each change, in one process, until Ctrl-C."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from toolgen.authoring.watch import versions
from toolgen.cli.output import diagnostics_json, echo, show_diagnostics
from toolgen.cli.project import check_folders
from toolgen.compiler.project.config import Config, ConfigError

_NAMED: Final = 3
"""Maximum number of changed files that are named."""


def rebuild(build: Callable[[Config], tuple[int, dict[str, Any]]], output_format: str) -> NoReturn:
    """Build the project of the working directory now and after each change, without end.

    `build` shows what it did, and returns it. As JSON there is one line for each build. A configuration that cannot be
    used is shown, and the next change awaited.
    """
    for version in versions(Path.cwd()):
        started = time.perf_counter()
        if output_format != "json" and version.changed:
            echo(f"\n{time.strftime('%H:%M:%S')} {_listed(version.changed)} changed", err=output_format != "text")
        outcome = _built(version.config, build, output_format)
        gc.unfreeze()
        gc.collect()
        if output_format == "json":
            echo(json.dumps({"changed": version.changed, **outcome}))
        else:
            echo(
                f"watching for changes; the last build took {time.perf_counter() - started:.2f} s",
                err=output_format != "text",
            )
    raise AssertionError("versions have no end")


def _built(
    config: Config | ConfigError, build: Callable[[Config], tuple[int, dict[str, Any]]], output_format: str
) -> dict[str, Any]:
    """Build once, and return the outcome as JSON."""
    if isinstance(config, ConfigError):
        if output_format != "json":
            show_diagnostics(config.diagnostics, config.sources)
        return {"diagnostics": diagnostics_json(config.diagnostics)}
    try:
        check_folders(config)
    except click.UsageError as error:
        echo(error.format_message(), err=True)
        return {"error": error.format_message()}
    return build(config)[1]


def _listed(paths: tuple[str, ...]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
