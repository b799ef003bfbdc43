"""`toolgen diff`: what changed between two versions of the specs, and whom it breaks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from toolgen.authoring.diff.compare import compare_sides
from toolgen.authoring.diff.git import DiffError, SpecsError, folder_in_repository
from toolgen.authoring.diff.recorded import Recording
from toolgen.authoring.diff.sides import other_side, working_tree
from toolgen.changes.rules import Category, Level
from toolgen.cli.names import GivenName
from toolgen.cli.output import echo, show_diagnostics, show_json, takes_color
from toolgen.cli.project import project
from toolgen.cli.recordings import recorded_lines
from toolgen.compiler.project.cache import open_cache
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.authoring.diff.compare import Report
    from toolgen.compiler.project.config import Config


class _Words(click.ParamType[tuple[Category | Level, ...]]):
    """Categories, or also levels, separated by commas."""

    def __init__(self, name: str, *kinds: type[Category | Level]) -> None:
        self.name = name
        self._what = name
        self._known: dict[str, Category | Level] = {each.value: each for kind in kinds for each in kind}

    def convert(
        self, value: str | tuple[Category | Level, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Category | Level, ...]:
        if not isinstance(value, str):
            return value
        words = [word.strip().lower() for word in value.split(",") if word.strip()]
        for word in words:
            if word not in self._known:
                self.fail(f"there is no {self._what} `{word}`; they are {', '.join(self._known)}", param, ctx)
        return tuple(self._known[word] for word in words)


@click.command("diff")
@click.option(
    "--against",
    type=GivenName(),
    metavar="REF|DIR|PACKAGE",
    help="The version before: a git commit, a project or generated package in a folder, or an installed package. "
    "Default: where the working tree left the default branch.",
)
@click.option(
    "--fail-on",
    type=_Words("category or level", Category, Level),
    metavar="CATEGORIES|LEVELS",
    default=(),
    help="Exit 1 for changes in these categories that are not additions, or of these levels: wire,code or ignored.",
)
@click.option(
    "--only",
    type=_Words("category", Category),
    metavar="CATEGORIES",
    default=tuple(Category),
    help="Show these categories only.",
)
@click.option(
    "--calls",
    type=GivenName(),
    metavar="FILE",
    help="Recorded calls, as `toolgen replay` reads them from lines or a store, to check against both.",
)
@click.option("--bump", is_flag=True, help="Print only the part of the version to raise: major, minor, patch or none.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "sarif", "github", "markdown"]),
    default="text",
    show_default=True,
    help="Output format: sarif for code scanning, github for annotations, markdown for a comment.",
)
def command(
    *,
    against: str | None,
    fail_on: Sequence[Category | Level],
    only: Sequence[Category],
    calls: str | None,
    bump: bool,
    output_format: str,
) -> int:
    """Compare the specs with another version of them.

    Both are compiled, and compared in four categories: WIRE (calls and results that were valid and are not any more),
    CODE (typed Python that uses the package), MODEL (what a model sees), ROUTE (what runs a call, and who may make it).
    Exit code 1 only with --fail-on: where one of its categories has changes that are not additions, or there are
    changes of one of its levels: breaking, ignored (calls stay valid, and an arg has no effect), change, note,
    compatible.
    """
    if bump and output_format not in ("text", "json"):
        raise click.UsageError(f"`--bump` prints text or JSON, not {output_format}.")
    if not only:
        raise click.UsageError(f"`--only` needs a category: {', '.join(Category)}.")
    config = project()
    try:
        recording = _recording(calls)
        report = _report(config, against or "", recording)
    except SpecsError as error:
        show_diagnostics(error.diagnostics, error.sources)
        echo(visible(f"{error}: nothing was compared"), err=True)
        return 1
    except DiffError as error:
        raise click.UsageError(str(error)) from None
    shown = report.of(only)
    if bump:
        _show_bump(shown, output_format)
    else:
        _show(shown, output_format, config.root)
    return 1 if report.failing(fail_on) else 0


def _report(config: Config, against: str, recording: Recording | None) -> Report:
    cache = open_cache(config.root)
    with other_side(config, against, cache) as before:
        if recording is not None and before.packages:
            left = recording.check([package.catalog for package in before.packages.values()])
            if left:
                echo(f"note: {left}", err=True)
        report = compare_sides(before, working_tree(config, cache), recording)
    cache.prune()
    return report


def _recording(calls: str | None) -> Recording | None:
    if calls is None:
        return None
    with recorded_lines(calls) as lines:
        return Recording(lines, lines.place)


def _show(report: Report, output_format: str, root: Path) -> None:
    if output_format == "text":
        from toolgen.authoring.diff.report import render_text

        text = render_text(report, color=takes_color(sys.stdout))
    elif output_format == "github":
        from toolgen.authoring.diff.report import render_github

        text = render_github(report, folder_in_repository(root))
    elif output_format == "markdown":
        from toolgen.authoring.diff.report import render_markdown

        text = render_markdown(report)
    else:
        from toolgen.authoring.diff.report import to_json, to_sarif

        show_json(to_json(report) if output_format == "json" else to_sarif(report, folder_in_repository(root)))
        return
    echo(text.encode("utf-8", "backslashreplace"), nl=False)


def _show_bump(report: Report, output_format: str) -> None:
    part = report.bump.value if report.bump else "none"
    codes = sorted({each.change.code for each in report.changes if each.change.rule.bump is report.bump})
    if output_format == "json":
        show_json({"bump": part, "because": codes})
        return
    echo(part)
    for code in codes:
        subjects = sorted({each.change.subject for each in report.changes if each.change.code == code})
        rule = next(each.change.rule for each in report.changes if each.change.code == code)
        echo(visible(f"  {code} {rule.name}: {', '.join(subjects[:5])}{', …' if len(subjects) > 5 else ''}"))
