"""`toolgen build`: compile specs into packages, or check that the committed ones are what the specs give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.commands.builds.targets import build_target, check_target
from toolgen.cli.output import format_option, show_json
from toolgen.cli.project import project

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config


@click.command("build")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 where a build would change something.")
@click.option("--force", is_flag=True, help="Overwrite generated files that were edited by hand.")
@click.option(
    "--warnings-as-errors", is_flag=True, help="Exit 1 where there is a warning, and write nothing of that target."
)
@click.option("--watch", is_flag=True, help="Build now, and again after each change of specs or configuration.")
@click.option("--all", "all_", is_flag=True, help="Show every warning, also those of imported tools.")
@click.option("--timings", is_flag=True, help="Show the seconds of each stage, what was cached, and the peak memory.")
@format_option
def command(
    *, only_check: bool, force: bool, warnings_as_errors: bool, watch: bool, all_: bool, timings: bool, style: str
) -> int:
    """Compile the specs of every target into its package.

    A build is all or nothing: where a spec has an error, or a generated file was edited by hand, nothing changes.
    Files in a package that toolgen did not write are left alone and reported, and the exit code is 1.
    """
    if only_check and force:
        raise click.UsageError("`--check` writes nothing, so there is nothing to force.")
    if only_check and watch:
        raise click.UsageError("`--check` writes nothing, so there is nothing to watch for.")

    def run(config: Config) -> tuple[bool, list[dict[str, Any]]]:
        outcomes = [
            check_target(config, target, style, warnings_as_errors=warnings_as_errors, timings=timings, all_=all_)
            if only_check
            else build_target(
                config, target, style, force=force, warnings_as_errors=warnings_as_errors, timings=timings, all_=all_
            )
            for target in config.targets
        ]
        return all(fine for fine, _ in outcomes), [outcome for _, outcome in outcomes]

    if watch:
        from toolgen.cli.commands.builds.watching import rebuild

        rebuild(run, style)
    fine, outcomes = run(project())
    if style == "json":
        show_json({"targets": outcomes})
    return 0 if fine else 1
