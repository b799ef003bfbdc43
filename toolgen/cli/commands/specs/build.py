"""`toolgen build`: compile specs into packages, or check that the committed ones are what the specs give."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.output import diagnostics_json, format_option, progress, show_diagnostics, show_json
from toolgen.cli.project import project
from toolgen.compiler import build, check
from toolgen.compiler.build import DELETE_STRAYS, STRAY
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.runtime.issues.issue_text import counted

if TYPE_CHECKING:
    from collections.abc import Generator

    from toolgen.compiler.config import Config, Target


@click.command("build")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 where a build would change something.")
@click.option("--force", is_flag=True, help="Overwrite generated files that were edited by hand.")
@click.option(
    "--warnings-as-errors", is_flag=True, help="Exit 1 where there is a warning, and write nothing of that target."
)
@format_option
def command(*, only_check: bool, force: bool, warnings_as_errors: bool, style: str) -> int:
    """Compile the specs of every target into its package.

    A build is all or nothing: where a spec has an error, or a generated file was edited by hand, nothing changes.
    Files in a package that toolgen did not write are left alone and reported, and the exit code is 1.
    """
    if only_check and force:
        raise click.UsageError("`--check` writes nothing, so there is nothing to force.")
    config = project()
    with _without_collector():
        outcomes = [
            _check(config, target, style, warnings_as_errors=warnings_as_errors)
            if only_check
            else _build(config, target, style, force=force, warnings_as_errors=warnings_as_errors)
            for target in config.targets
        ]
    if style == "json":
        show_json({"targets": [outcome for _, outcome in outcomes]})
    return 0 if all(fine for fine, _ in outcomes) else 1


@contextmanager
def _without_collector() -> Generator[None]:
    """Let garbage lie: a build needs nearly all it makes to its end, and looking for the rest takes a tenth of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _build(
    config: Config, target: Target, style: str, *, force: bool, warnings_as_errors: bool
) -> tuple[bool, dict[str, Any]]:
    sink = Diagnostics()
    with progress() as stage:
        built = build(config, target, sink, force=force, warnings_as_errors=warnings_as_errors, progress=stage)
    published = built.published
    outcome: dict[str, Any] = {
        "specs": target.specs,
        "out": target.out,
        "diagnostics": diagnostics_json(sink) if style == "json" else [],
    }
    if published is not None:
        outcome |= {
            "written": list(published.written),
            "removed": list(published.removed),
            "unchanged": len(published.unchanged),
            "strays": list(built.strays),
        }
    if style == "text":
        show_diagnostics(sink, built.sources)
        if published is None:
            click.echo(f"{target.out}: not built{_why(sink)}", err=True)
        elif not published.written and not published.removed:
            click.echo(f"{target.out}: up to date")
        else:
            click.echo(
                f"{target.out}: {counted(len(published.written), 'file')} written, {len(published.removed)} removed"
            )
        for path in built.strays if published else ():
            click.echo(f"{target.out}/{path}: {STRAY}")
        if published and built.strays:
            click.echo(f"{target.out}: {counted(len(built.strays), 'difference')}; {DELETE_STRAYS}", err=True)
    return published is not None and not built.strays, outcome


def _why(sink: Diagnostics) -> str:
    """Say so where warnings alone, which are no errors otherwise, are the reason."""
    return "" if sink.has_errors else ": `--warnings-as-errors` is given, and there are warnings"


def _check(config: Config, target: Target, style: str, *, warnings_as_errors: bool) -> tuple[bool, dict[str, Any]]:
    sink = Diagnostics()
    with progress() as stage:
        checked = check(config, target, sink, warnings_as_errors=warnings_as_errors, progress=stage)
    changes = checked.changes
    outcome: dict[str, Any] = {
        "specs": target.specs,
        "out": target.out,
        "diagnostics": diagnostics_json(sink) if style == "json" else [],
    }
    if changes is not None:
        outcome["changes"] = [
            {
                "path": change.path,
                "causes": [cause.value for cause in change.causes],
                "because": list(change.because),
                "diff": change.diff,
            }
            for change in changes
        ]
    if style == "text":
        show_diagnostics(sink, checked.sources)
        for change in changes or ():
            because = f" ({', '.join(change.because)})" if change.because else ""
            click.echo(f"{target.out}/{change.path}: {', '.join(cause.value for cause in change.causes)}{because}")
            if change.diff:
                click.echo(change.diff)
        if changes:
            click.echo(f"{target.out}: {counted(len(changes), 'difference')}; {checked.advice}", err=True)
        elif changes is not None:
            click.echo(f"{target.out}: up to date")
        else:
            click.echo(f"{target.out}: not checked{_why(sink)}", err=True)
    return changes == (), outcome
