"""`toolgen fmt`: format specs, with their comments, or check that they are formatted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    keep their order, because models see it. A file that YAML or JSON does not allow is reported and left as it is;
    other errors of specs keep none from being formatted.
    """
    config = project()
    only = paths_of(config, paths)
    sink = Diagnostics()
    before, after, defects = _formatted(config, only, sink)
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
        unchanged = len(before) - len(after) - len(defects)
        echo(
            f"{counted(len(after), 'file')} to format, {unchanged} unchanged"
            if check or diff
            else f"{counted(len(changed), 'file')} formatted, {unchanged} unchanged",
            err=True,
        )
    if defects:
        raise ExceptionGroup("files that could not be formatted, and were left as they are", defects)
    is_left = len(changed) < len(after)
    return 1 if sink.has_errors or is_left or (after and (check or diff)) else 0


def _formatted(
    config: Config, only: set[str] | None, sink: Diagnostics
) -> tuple[dict[str, str], dict[str, str], list[Exception]]:
    """Return the texts of all files that can be read, the new texts of those that change, and defects of the formatter.

    A defect at one file keeps no other from being formatted.
    """
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    defects: list[Exception] = []
    for spec in _readable(config, only, sink):
        if spec.path in before:
            continue
        before[spec.path] = spec.text
        try:
            made = formatted(spec.path, spec.text, spec.root)
        except Exception as error:  # noqa: BLE001  # raised again when the others are written
            error.add_note(f"in {spec.path}")
            defects.append(error)
            continue
        if made != spec.text:
            after[spec.path] = made
    return before, after, defects


def _readable(config: Config, only: set[str] | None, sink: Diagnostics) -> Iterator[SpecFile]:
    """Yield the files that can be read, or those of them that are meant; what is wrong with others is reported."""
    for folder in dict.fromkeys(target.specs for target in config.targets):
        if only is not None and only.isdisjoint(specs_of(config, folder)):
            continue
        found = Diagnostics()
        yield from _sound(read_specs(config.root / folder, config.root, found), found, only, sink)
    found = Diagnostics()
    evaluations = read_listed(list_evaluations(config.root), found)
    parsed = [spec for path, text in evaluations.items() if (spec := parse_spec(path, text, found))]
    yield from _sound(parsed, found, only, sink)


def _sound(
    specs: Iterable[SpecFile], found: Diagnostics, only: set[str] | None, sink: Diagnostics
) -> Iterator[SpecFile]:
    """Yield the files that are meant and have no errors among those `found`, which are reported."""
    broken = {each.span.file for each in found}
    yield from (spec for spec in specs if spec.path not in broken and (only is None or spec.path in only))
    for each in found:
        if only is None or each.span.file in only:
            sink.add(each)
    sink.sources |= found.sources
