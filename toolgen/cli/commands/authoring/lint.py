"""`toolgen lint`: report what compiles and is still bad for models and for people, and fix what can be fixed safely."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from toolgen.authoring.diff.git import folder_in_repository
from toolgen.authoring.evaluations import linted_evaluations
from toolgen.authoring.inputs import BASELINE
from toolgen.authoring.lint.baseline import BaselineBroken, load_baseline, present_baseline, write_baseline
from toolgen.authoring.lint.fixing import fix
from toolgen.authoring.lint.lint import Linted, lint
from toolgen.authoring.lint.registry import rule_texts
from toolgen.cli.commands.authoring.spec_files import difference_of, paths_of, write_texts
from toolgen.cli.output import Listing, echo, listing_options, show_diagnostics, show_json
from toolgen.cli.project import project
from toolgen.compiler.compile import read_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Severity
from toolgen.compiler.project.cache import open_cache
from toolgen.runtime.issues.issue_text import counted
from toolgen.spec.text import line_end, with_line_end

if TYPE_CHECKING:
    from toolgen.authoring.lint.baseline import BaselineEntry
    from toolgen.authoring.report import ReportEntry
    from toolgen.compiler.diagnostics.codes import Code
    from toolgen.compiler.project.config import Config, Target
    from toolgen.compiler.source.read import SpecFile


@click.command("lint")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option("--fix", "do_fix", is_flag=True, help="Apply the fixes that are safe.")
@click.option("--diff", "show_diff", is_flag=True, help="Print what `--fix` would change, and write nothing.")
@click.option("--notes", is_flag=True, help="List notes too, which otherwise are only counted.")
@click.option("--write-baseline", "accept", is_flag=True, help=f"Accept all present findings, in {BASELINE}.")
@listing_options(sarif="for code scanning", github="for annotations of a pull request")
def command(
    *,
    paths: Sequence[str],
    do_fix: bool,
    show_diff: bool,
    notes: bool,
    all_: bool,
    statistics: bool,
    accept: bool,
    output_format: str,
) -> int:
    """Report what is bad for models and for people in specs that compile; of PATHs only, if any are given.

    The cases of `evals/*.eval.yaml` are checked too. Exits with 1 if there are errors or warnings; notes are
    suggestions. `toolgen explain TL101` explains a rule; the table `lint` of the configuration selects them. In YAML a
    comment `# toolgen: ignore TL101 -- reason` on a line, or above it, silences a rule there.
    """
    listing = Listing(output_format, statistics, all_)
    if accept and (paths or do_fix or show_diff):
        raise click.UsageError("`--write-baseline` accepts the findings of all specs: give it alone.")
    config = project()
    only = paths_of(config, paths)
    files, errors, sources = _read(config)
    if errors:
        _show(config, Linted(errors=errors, sources=dict(sources)), listing, only, notes=notes)
        return 1
    if accept:
        return _accept(config, files)
    baseline = _baseline(config)
    left: Collection[str] = ()
    if do_fix or show_diff:
        fixed = fix(config, files, baseline, only, open_cache(config.root))
        found = fixed.left
        originals = {each.path: each.text for read in files.values() for each in read}
        changed: Collection[str] = fixed.texts
        if show_diff:
            echo(difference_of(originals, fixed.texts), nl=False)
        else:
            changed = write_texts(config, originals, fixed.texts, command="toolgen lint --fix")
        if output_format == "text":
            would = "would be fixed" if show_diff else "fixed"
            count = sum(fixed.counts[path] for path in changed)
            echo(f"{counted(count, 'finding')} {would} in {counted(len(changed), 'file')}", err=True)
        left = fixed.texts.keys() - changed
        if left:  # what is found in them is of what they were
            only = (paths_of(config, [str(config.root)]) if only is None else only) or set()
            only -= left
        if show_diff and not found.errors:
            return 1 if fixed.texts else 0
    else:
        found = lint(config, files, baseline, cache=open_cache(config.root))
    if not found.errors:
        evaluations = linted_evaluations(config)
        found.errors += evaluations if only is None else [each for each in evaluations if each.span.file in only]
        found.sources |= evaluations.sources
    _show(config, found, listing, only, notes=notes)
    return 1 if left or _fails(found, only) else 0


def _read(config: Config) -> tuple[dict[Target, list[SpecFile]], list[Diagnostic], Mapping[str, str]]:
    sink = Diagnostics()
    files = {target: read_files(config.root, target, sink) for target in config.targets}
    return files, [found for found in sink if found.severity is Severity.ERROR], sink.sources


def _baseline(config: Config) -> dict[BaselineEntry, int]:
    try:
        return load_baseline(config.root)
    except BaselineBroken as error:
        raise click.UsageError(f"{error}. Delete it, or restore it.") from None


def _accept(config: Config, files: Mapping[Target, Sequence[SpecFile]]) -> int:
    try:
        before = present_baseline(config.root)
    except OSError as error:
        raise click.UsageError(f"{BASELINE} cannot be written: {error.strerror}.") from error
    found = lint(config, files, cache=open_cache(config.root))
    if found.errors:
        show_diagnostics(found.errors, found.sources)
        return 1
    entries = found.entries
    again = "toolgen lint --write-baseline"
    text = with_line_end(write_baseline(entries), line_end(before or ""))
    if not write_texts(config, {BASELINE: before}, {BASELINE: text}, command=again):
        return 1
    echo(f"{BASELINE}: {counted(len(entries), 'finding')} accepted")
    return 0


def _chosen(found: Linted, only: Collection[str] | None) -> list[Diagnostic]:
    """Return the errors, because of which no rule has run on any file, and the findings that were asked for."""
    return found.errors + [each for each in found.findings if only is None or each.span.file in only]


def _fails(found: Linted, only: Collection[str] | None) -> bool:
    return any(each.severity is not Severity.NOTE for each in _chosen(found, only))


def _show(config: Config, found: Linted, listing: Listing, only: Collection[str] | None, *, notes: bool) -> None:
    root, output_format = config.root, listing.output_format
    listed = _chosen(found, only)
    if output_format == "json":
        show_json(listing.to_json(listed) if listing.statistics else [_json(each, found) for each in listed])
    elif output_format == "sarif":
        from toolgen.authoring.report import sarif_log

        show_json(sarif_log(_entries(listed, found), _rules(found), folder_in_repository(root)))
    elif output_format == "github":
        from toolgen.authoring.report import github_annotations

        echo(github_annotations(_entries(listed, found), folder_in_repository(root)), nl=False)
    elif listing.statistics:
        listing.show(listed, found.sources, command="lint", packages=[])
    else:
        shown = [each for each in listed if notes or each.severity is not Severity.NOTE]
        packages = [root / target.out for target in config.targets] if only is None else []
        listing.show(shown, found.sources, command="lint", packages=packages)
        hidden = len(listed) - len(shown)
        fixable = sum(each in found.fixes for each in listed)
        if hidden:
            echo(f"{counted(hidden, 'note')} not shown: add `--notes`", err=True)
        if fixable:
            echo(f"{fixable} of {len(listed)} can be fixed: `toolgen lint --fix`", err=True)
        if not listed:
            echo("no findings", err=True)


def _rules(found: Linted) -> Mapping[str, Code]:
    return {**rule_texts(), **(CODES if found.errors else {})}


def _entries(listed: Sequence[Diagnostic], found: Linted) -> Iterator[ReportEntry]:
    from toolgen.authoring.report import entries_of

    return entries_of(listed, _rules(found), found.fixes)


def _json(each: Diagnostic, found: Linted) -> dict[str, Any]:
    from toolgen.compiler.diagnostics.render import render_json

    made = render_json([each])[0]
    fixing = found.fixes.get(each)
    edits = (
        [{"file": edit.file, "start": edit.start, "end": edit.end, "text": edit.new_text} for edit in fixing.edits]
        if fixing
        else []
    )
    return {**made, "edits": edits}
