"""`toolgen fmt`: format specs, with their comments, or check that they are formatted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from toolgen.authoring.format.format import formatted
from toolgen.cli.commands.authoring.spec_files import difference_of, paths_of, specs_of, write_texts
from toolgen.cli.output import echo, format_option, show_diagnostics, show_json
from toolgen.cli.project import project
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.listing import list_evaluations
from toolgen.compiler.source.read import parse_spec, read_listed, read_specs
from toolgen.runtime.issues.issue_text import counted

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config
    from toolgen.compiler.source.read import SpecFile


@click.command("fmt")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit 1 where a file is not formatted.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change, and exit 1 where something would.")
@format_option
def command(*, paths: Sequence[str], check: bool, diff: bool, output_format: str) -> int:
    """Format specs and evaluations, or PATHs: canonical order of keys, quotes, indentation and blank lines.

    Comments stay with what they are about, and the specs compile to the same. Tools, fields and keywords of schemas
    keep their order, because models see it. A file with errors is reported and left as it is.
    """
    config = project()
    only = paths_of(config, paths)
    sink = Diagnostics()
    before, after = _formatted(config, only, sink)
    changed = sorted(after)
    if not (check or diff):
        changed = sorted(write_texts(config, before, after, command="toolgen fmt"))
    show_diagnostics(sink, sink.sources)
    if output_format == "json":
        show_json({"checked": len(before), "changed": changed})
    else:
        if diff:
            echo(difference_of(before, after), nl=False)
        for path in changed:
            echo(f"{path}: {'not formatted' if check or diff else 'formatted'}", err=diff)
        unchanged = len(before) - len(after)
        echo(
            f"{counted(len(after), 'file')} to format, {unchanged} unchanged"
            if check or diff
            else f"{counted(len(changed), 'file')} formatted, {unchanged} unchanged",
            err=True,
        )
    is_left = len(changed) < len(after)
    return 1 if sink.has_errors or is_left or (after and (check or diff)) else 0


def _formatted(config: Config, only: set[str] | None, sink: Diagnostics) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts of all files that can be formatted, and the new texts of those that change."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for folder in dict.fromkeys(target.specs for target in config.targets):
        if only is not None and only.isdisjoint(specs_of(config, folder)):
            continue
        _format(read_specs(config.root / folder, config.root, found := Diagnostics()), found, only, before, after, sink)
    evaluations = read_listed(list_evaluations(config.root), found := Diagnostics())
    parsed = [spec for path, text in evaluations.items() if (spec := parse_spec(path, text, found))]
    _format(parsed, found, only, before, after, sink)
    return before, after


def _format(
    specs: Iterable[SpecFile],
    found: Diagnostics,
    only: set[str] | None,
    before: dict[str, str],
    after: dict[str, str],
    sink: Diagnostics,
) -> None:
    """Format files in which errors were `found`, or none."""
    for spec in specs:
        broken = any(each.span.file == spec.path for each in found)
        if spec.path in before or broken or (only is not None and spec.path not in only):
            continue
        before[spec.path] = spec.text
        made = formatted(spec.path, spec.text, spec.root)
        if made != spec.text:
            after[spec.path] = made
    for each in found:
        if only is None or each.span.file in only:
            sink.add(each)
    sink.sources |= found.sources
