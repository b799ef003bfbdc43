"""`toolgen replay`: check recorded calls against the generated codecs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.names import check_toolset
from toolgen.cli.output import echo, format_option, show_json
from toolgen.cli.packages import built_catalog, built_project
from toolgen.cli.recordings import recorded_lines
from toolgen.record.replay import AmbiguousTool, replay
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.cli.recordings import RecordedLines
    from toolgen.record.replay import Outcome, Report


@click.command("replay")
@click.argument("file")
@click.option("--toolset", help="Resolve tool names in this toolset only.")
@format_option
def command(*, file: str, toolset: str | None, output_format: str) -> int:
    """Check the calls recorded in FILE (`-` for stdin) against the generated codecs.

    FILE is JSON Lines: {"tool", "arguments" or "result", "accept"?}, as `toolgen.testing` records calls too, or a store
    of runs: a file, or a postgresql:// URL. A verdict in "accept" is compared with that of today; calls that are
    recorded with their result, or the error of their tool, were accepted. `[redacted]` stands for anything. Each
    accepted value is decoded, encoded again and compared with the original. Exit code 1 if any of it differs.
    """
    config = built_project()
    catalogs = [built_catalog(config, target) for target in config.targets]
    check_toolset(toolset, {name for catalog in catalogs for name in catalog.toolsets})
    try:
        with recorded_lines(file) as lines:
            report = replay(lines, catalogs, toolset=toolset)
    except AmbiguousTool as error:
        idents = ", ".join(error.idents)
        raise click.UsageError(f"`{error.name}` is ambiguous: {idents}. Choose one with --toolset.") from None
    if output_format == "json":
        show_json(_json(report, lines))
    else:
        _show(lines, report)
    return 0 if report.total and not (report.disagree or report.altered or report.broken) else 1


def _json(report: Report, lines: RecordedLines) -> dict[str, Any]:
    return {
        "total": report.total,
        "accepted": report.accepted,
        "rejected": report.rejected,
        "agree": report.agree,
        "disagree": [_outcome(outcome, lines) for outcome in report.disagree],
        "rejections": [_outcome(outcome, lines) for outcome in report.rejections],
        "altered": report.altered,
        "broken": [
            {"line": line, "column": found.column, "reason": found.reason} for line, found in report.broken.items()
        ],
    }


def _outcome(outcome: Outcome, lines: RecordedLines) -> dict[str, Any]:
    issues = [asdict(issue) for issue in outcome.issues]
    return {
        "line": outcome.line,
        "place": lines.place(outcome.line),
        "tool": outcome.tool,
        "expected": outcome.expected,
        "got": outcome.got,
        "side": outcome.side,
        "issues": issues,
    }


def _show(lines: RecordedLines, report: Report) -> None:
    for line, broken in report.broken.items():
        echo(visible(f"{lines.place(line)}:{broken.column}: {broken.reason}"))
    for outcome in sorted([*report.disagree, *report.rejections], key=lambda outcome: outcome.line):
        echo(visible(f"{lines.place(outcome.line)}: {outcome.tool} {_said(outcome)}"))
        for issue in outcome.issues:
            echo(visible(f"  {issue.pointer or '/'}: {issue.hint}"))
    for line in report.altered:
        echo(visible(f"{lines.place(line)}: the value differs after decoding and encoding"))
    if not report.total:
        echo(f"{lines.name}: contains no calls, so nothing was checked", err=True)
    calls = "call" if report.total == 1 else "calls"
    echo(f"{report.total} {calls}: {report.accepted} accepted, {report.rejected} rejected")
    found = f"{report.agree} agree, {len(report.disagree)} disagree, {len(report.altered)} altered"
    echo(f"{found}, {len(report.broken)} broken lines" if report.broken else found)


def _said(outcome: Outcome) -> str:
    if outcome.got is None:
        return "is not a tool"
    what = "is" if outcome.side == "args" else "has a result that is"
    verdict = f"{what} accepted" if outcome.got else f"{what} rejected"
    return verdict if outcome.expected is None else f"{verdict}, which differs from the recorded verdict"
