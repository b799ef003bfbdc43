"""`toolgen docs`: a static site of the project's tools."""

from __future__ import annotations

from pathlib import Path

import click

from toolgen.authoring.site.build import site_files
from toolgen.authoring.site.contents import Part
from toolgen.authoring.site.history import History, read_history
from toolgen.authoring.site.write import SiteError, site_folder, write_site
from toolgen.cli.folders import import_name
from toolgen.cli.output import echo, progress
from toolgen.cli.project import compilations, project
from toolgen.spec.text import visible


@click.command("docs")
@click.option("-o", "--output", default="site", show_default=True, metavar="DIR", help="The folder of the site.")
@click.option(
    "--history",
    "commits",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Show what the last N commits that changed the specs changed. 0 shows no history.",
)
def command(*, output: str, commits: int) -> int:
    """Write a static site of the tools: pages of toolsets, tools, agents, action catalogs and policies, and a search.

    It needs no server and no network: open `index.html`, or publish the folder. A site that is there is replaced as a
    whole; a folder with other files is refused.
    """
    config = project()
    try:
        site_folder(Path(output))
        with progress() as stage:
            stage("compiling")
            made = compilations(config)
            if made is None:
                return 1
            history = read_history(config, commits, stage)
            stage("writing pages")
            parts = [Part(import_name(config.root, each.target.out)[1], each.catalog) for each in made]
            count, size = write_site(Path(output), site_files(parts, history))
    except SiteError as error:
        raise click.UsageError(visible(str(error))) from None
    except OSError as error:
        raise click.UsageError(f"{visible(output)} cannot be written: {error.strerror}") from None
    echo(f"{output}/index.html: {count:,} files, {size / 1e6:.1f} MB")
    _note(history, commits)
    return 0


def _note(history: History, commits: int) -> None:
    if commits and history.problem:
        echo(f"without history: {visible(history.problem)}", err=True)
