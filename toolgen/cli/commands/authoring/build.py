"""`toolgen build`: compile specs into packages, or check that the committed ones are what the specs give."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import click

from toolgen.authoring.evaluations import checked_evaluations
from toolgen.cli.exit_codes import USAGE
from toolgen.cli.output import Listing, echo, listing_options, progress, show_diagnostics, show_json
from toolgen.cli.project import project
from toolgen.compiler.build import DELETE_STRAYS, STRAY, UNWRITABLE, build_target, check_target
from toolgen.compiler.project.collector import paused
from toolgen.compiler.project.forks import usable_cores
from toolgen.compiler.source.origins import reporting
from toolgen.schema.json_values import is_object
from toolgen.spec.derived import DERIVED, write_derived
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.build import BuiltTarget, CheckedTarget
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Config, Target


# Timings: what a build took, by stage. A clock is called with the name of each stage when it begins.


@dataclass
class StageClock:
    """Takes the seconds of stages. `stages` are those that have ended, in the order of their first begin."""

    stages: dict[str, float] = field(default_factory=dict[str, float])
    _current: str = ""
    _since: float = 0.0

    def __call__(self, stage: str) -> None:
        """Begin a stage; the one before ends."""
        now = time.perf_counter()
        if self._current:
            self.stages[self._current] = self.stages.get(self._current, 0.0) + now - self._since
        self._current, self._since = stage, now

    def stop(self) -> None:
        """End the last stage."""
        self("")


def peak_memory() -> int | None:
    """Return the most memory in bytes that a process of this command has held; None where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return most if sys.platform == "darwin" else most * 1024


# Builds and checks of one target, for the command `build`: what they show, as text or as JSON.


def _build(
    config: Config, target: Target, listing: Listing, *, force: bool, warnings_as_errors: bool, timings: bool
) -> tuple[int, dict[str, Any]]:
    """Build a target, and show it. Returns the exit code, and the outcome as JSON."""
    sink, clock = reporting(config.silence), StageClock()
    with progress(clock) as stage, paused(freeze=True):
        built = build_target(
            config,
            target,
            sink,
            force=force,
            warnings_as_errors=warnings_as_errors,
            all_warnings=listing.is_complete,
            processes=usable_cores(),
            progress=stage,
        )
    published, package = built.published, config.root / target.out
    is_compiled = published is not None and bool(built.sources)  # there are none where nothing changed
    if is_compiled:
        _note_findings(config, package, len(sink))
    outcome = _outcome(target, sink, listing)
    if published is not None:
        outcome |= {
            "written": list(published.written),
            "removed": list(published.removed),
            "unchanged": len(published.unchanged),
            "strays": list(built.strays),
        }
    if listing.is_text:
        listing.show(list(sink), built.sources, command="build", packages=[package] if is_compiled else [])
        before = "" if built.sources else _as_before(config, package)
        _show_built(target, built, sink, before, err=not listing.has_blocks)
    if timings:
        outcome["timings"] = _timings(target, clock, built.cache, listing)
    return _code(sink, fine=published is not None and not built.strays), outcome


_FINDINGS: Final = "build.findings.json"
_MOST_NOTED: Final = 1_000_000


def _note_findings(config: Config, package: Path, count: int) -> None:
    """Note how many findings the specs of a package have, for builds that do not compile them."""
    write_derived(package, _FINDINGS, json.dumps({"findings": count, **_silence(config)}).encode())


def _as_before(config: Config, package: Path) -> str:
    """Say how many findings there are where specs that did not change were not compiled; empty if none is known.

    Their number is not known where other ones are silenced now.
    """
    try:
        noted = json.loads(read_file(package / DERIVED / _FINDINGS, _MOST_NOTED))
    except (OSError, ValueError, RecursionError):
        return ""
    count = noted.pop("findings", 0) if is_object(noted) else 0
    if not isinstance(count, int) or not count or noted != _silence(config):
        return ""
    return f"; findings as before: {count:,}, see `toolgen build --all`"


def _silence(config: Config) -> dict[str, Any]:
    """Return what is silenced, as it is noted."""
    return {"silence": [[[*each.codes], [*each.paths], [*each.toolsets]] for each in config.silence]}


def _show_built(target: Target, built: BuiltTarget, sink: Diagnostics, before: str, *, err: bool) -> None:
    published = built.published
    if published is None:
        echo(f"{target.out}: not built{_why(sink)}", err=True)
        return
    is_changed = published.written or published.removed
    if not is_changed:
        echo(f"{target.out}: up to date{before}", err=err)
        if not built.strays:
            return
    from toolgen.runtime.issues.issue_text import counted  # brings the records of calls

    if is_changed:
        written = counted(len(published.written), "file")
        echo(f"{target.out}: {written} written, {len(published.removed)} removed", err=err)
    for path in built.strays:
        echo(f"{target.out}/{path}: {STRAY}", err=err)
    if built.strays:
        echo(f"{target.out}: {counted(len(built.strays), 'difference')}; {DELETE_STRAYS}", err=True)


def _check(
    config: Config, target: Target, listing: Listing, *, warnings_as_errors: bool, timings: bool
) -> tuple[int, dict[str, Any]]:
    """Check a target, and show it. Returns the exit code, and the outcome as JSON."""
    sink, clock = reporting(config.silence), StageClock()
    with progress(clock) as stage, paused(freeze=True):
        checked = check_target(
            config,
            target,
            sink,
            warnings_as_errors=warnings_as_errors,
            all_warnings=listing.is_complete,
            processes=usable_cores(),
            progress=stage,
        )
    changes = checked.changes
    outcome = _outcome(target, sink, listing)
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
    if listing.is_text:
        listing.show(list(sink), checked.sources, command="build", packages=[])
        before = "" if checked.sources else _as_before(config, config.root / target.out)
        _show_checked(target, checked, sink, listing, before)
    if timings:
        outcome["timings"] = _timings(target, clock, checked.cache, listing)
    return _code(sink, fine=changes == ()), outcome


def _code(sink: Diagnostics, *, fine: bool) -> int:
    """Return the exit code of a target."""
    if any(found.code in UNWRITABLE for found in sink):
        return USAGE
    return 0 if fine else 1


def _show_checked(target: Target, checked: CheckedTarget, sink: Diagnostics, listing: Listing, before: str) -> None:
    changes, err = checked.changes, not listing.has_blocks
    for change in changes or ():
        because = f" ({', '.join(change.because)})" if change.because else ""
        echo(f"{target.out}/{change.path}: {', '.join(cause.value for cause in change.causes)}{because}", err=err)
        if change.diff and listing.has_blocks:
            echo(change.diff)
    if changes:
        from toolgen.runtime.issues.issue_text import counted

        echo(f"{target.out}: {counted(len(changes), 'difference')}; {checked.advice}", err=True)
    elif changes is not None:
        echo(f"{target.out}: up to date{before}", err=err)
    else:
        echo(f"{target.out}: not checked{_why(sink)}", err=True)


def _outcome(target: Target, sink: Diagnostics, listing: Listing) -> dict[str, Any]:
    """Return the outcome as JSON; findings are in `statistics` where only their counts are asked for."""
    found = listing.to_json(list(sink)) if listing.output_format == "json" else []
    return {
        "specs": target.specs,
        "out": target.out,
        "statistics" if listing.statistics else "diagnostics": found,
    }


def _why(sink: Diagnostics) -> str:
    """Say so where warnings alone, which are no errors otherwise, are the reason."""
    return "" if sink.has_errors else ": `--warnings-as-errors` is given, and there are warnings"


def _timings(target: Target, clock: StageClock, cache: Cache | None, listing: Listing) -> dict[str, Any]:
    """Return the timings of a target, and show them as text."""
    clock.stop()
    total = sum(clock.stages.values())
    hits, misses = (cache.hits, cache.misses) if cache else (Counter[str](), Counter[str]())
    cached = {kind: {"found": hits[kind], "missing": misses[kind]} for kind in sorted({*hits, *misses})}
    memory = peak_memory()
    if listing.is_text:
        rows = [f"  {seconds:7.3f} s {seconds / (total or 1):6.1%}  {name}" for name, seconds in clock.stages.items()]
        rows.append(f"  {total:7.3f} s         in all")
        rows += [f"  cache: {row['found']} of {row['found'] + row['missing']} {kind}" for kind, row in cached.items()]
        rows += [] if memory is None else [f"  peak memory: {memory / 1_000_000:.0f} MB"]
        echo("\n".join([f"{target.out}: timings", *rows]), err=not listing.has_blocks)
    stages = {
        name: {"seconds": round(value, 6), "share": round(value / (total or 1), 4)}
        for name, value in clock.stages.items()
    }
    return {"seconds": round(total, 6), "stages": stages, "cache": cached, "peak_memory_bytes": memory}


@click.command("build")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 where a build would change something.")
@click.option("--force", is_flag=True, help="Overwrite generated files that were edited by hand.")
@click.option(
    "--warnings-as-errors", is_flag=True, help="Exit 1 where there is a warning, and write nothing of that target."
)
@click.option("--watch", is_flag=True, help="Build now, and again after each change of specs or configuration.")
@click.option("--timings", is_flag=True, help="Show the seconds of each stage, what was cached, and the peak memory.")
@listing_options()
def command(
    *,
    only_check: bool,
    force: bool,
    warnings_as_errors: bool,
    watch: bool,
    timings: bool,
    all_: bool,
    statistics: bool,
    output_format: str,
) -> int:
    """Compile the specs of every target into its package.

    A build is all or nothing: where a spec has an error, or a generated file was edited by hand, nothing changes.
    Files in a package that toolgen did not write are left alone and reported, and the exit code is 1. The cases of
    `evals/*.eval.yaml` are checked against the packages that were built; errors in them exit 1 too. Where no spec has
    changed, only the number of the findings is told; --all, --statistics and formats for programs give them again.
    """
    if only_check and force:
        raise click.UsageError("`--check` writes nothing, so there is nothing to force.")
    if only_check and watch:
        raise click.UsageError("`--check` writes nothing, so there is nothing to watch for.")
    listing = Listing(output_format, statistics, all_)

    def run(config: Config) -> tuple[int, dict[str, Any]]:
        outcomes = [
            _check(config, target, listing, warnings_as_errors=warnings_as_errors, timings=timings)
            if only_check
            else _build(config, target, listing, force=force, warnings_as_errors=warnings_as_errors, timings=timings)
            for target in config.targets
        ]
        shown: dict[str, Any] = {"targets": [outcome for _, outcome in outcomes]}
        if code := max(code for code, _ in outcomes):
            return code, shown
        sink = checked_evaluations(config, is_kept=not only_check)
        found = list(sink)
        if found and listing.has_blocks:
            show_diagnostics(found, sink.sources)
        elif found and listing.is_text:
            listing.show(found, sink.sources, command="build", packages=[])
        elif listing.output_format == "json":
            shown["evaluations"] = listing.to_json(found)
        return int(sink.has_errors), shown

    if watch:
        from toolgen.cli.commands.authoring.watching import rebuild

        rebuild(run, output_format)
    code, outcome = run(project())
    if output_format == "json":
        show_json(outcome)
    return code
