"""Rendering: a report as text, Markdown, and JUnit's XML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from toolgen.evaluate.matching import NO_TOOL
from toolgen.evaluate.reports import FEWEST_PAIRS
from toolgen.runtime.issues.issue_text import counted
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.evaluate.reports import Comparison, Report, Summary
    from toolgen.evaluate.running import Outcome

_LISTED: Final = 20
"""Rows of a table or a list; the others are counted."""

_STATES: Final = {
    "error": "not judged, because of an error",
    "stale": "stale, a model is needed again",
    "skipped": "not asked",
}


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "-" if share is None else f"{100 * share:.1f} %"


def named(ident: str) -> str:
    """Return the name of a tool in reports."""
    return ident if ident != NO_TOOL else "(none)"


def render_text(report: Report) -> str:
    """Return a report for people, in lines, of which no name of a model makes further ones."""
    return "\n".join(map(visible, _lines(report))).rstrip("\n") + "\n"


def _lines(report: Report) -> Iterator[str]:
    for summary in report.summaries:
        yield from _summary_lines(summary)
        yield ""
    for comparison in report.comparisons:
        yield from _comparison_lines(comparison, report.against)
        yield ""
    if report.uncovered:
        yield f"no case expects {_some(report.uncovered)}"


def _summary_lines(summary: Summary) -> Iterator[str]:
    yield headline(summary)
    yield f"  {figures(summary)}"
    for state, what in _STATES.items():
        if rows := summary.of_state(state):  # type: ignore[arg-type]  # the keys are states
            yield f"  {what} ({len(rows)}):"
            yield from _listed(f"    {each.case}: {each.problems[0]}" for each in rows)
    failed = summary.of_state("failed")
    if failed:
        yield f"  failed ({len(failed)}):"
        yield from _listed(line for each in failed for line in _problem_lines(each))
    wrong = [row for row in summary.tools if row.called != row.right or row.expected != row.right]
    if wrong:
        yield "  tools that were confused:"
        width = max(len(each.ident) for each in wrong[:_LISTED])
        yield from _listed(
            f"    {each.ident:{width}}  precision {percent(each.precision):>7}  recall {percent(each.recall):>7}"
            for each in wrong
        )
        yield from _listed(
            f"    {count} x {named(expected)} expected, {named(called)} called"
            for (expected, called), count in summary.confusion.items()
            if expected != called
        )
    if summary.wrong_args:
        yield "  args that were wrong:"
        yield from _listed(
            f"    {count} x {wrong.ident} `{wrong.shown}`: {wrong.keyword}"
            for wrong, count in summary.wrong_args.items()
        )


def headline(summary: Summary) -> str:
    """Return the success of a model in one line."""
    low, high = summary.interval
    return (
        f"{summary.label}: {summary.passed} of {counted(len(summary.judged), 'case')} right, "
        f"{percent(summary.success)} ({percent(low)} to {percent(high)})"
    )


def figures(summary: Summary) -> str:
    """Return the turns, tokens, cost and time of a model in one line, as far as they are known."""
    parts = [f"{summary.turns:.1f} turns a case"]
    tokens = [summary.tokens(name) for name in ("input_tokens", "output_tokens")]
    if any(tokens):
        parts.append(f"{tokens[0]:,.0f} input and {tokens[1]:,.0f} output tokens")
    if summary.cost or not summary.is_cost_known:
        more = "" if summary.is_cost_known else " and what requests cost that failed or did not tell their tokens"
        parts.append(f"cost {summary.cost:.4f}{more}")
    if summary.seconds is not None:
        parts.append(f"{summary.seconds:.2f} s a case")
    return ", ".join(parts)


def verdict(comparison: Comparison) -> str:
    """Return the comparison of a model in one line."""
    return (
        f"{comparison.verdict} in {counted(comparison.count, 'case')}: {percent(comparison.before)} before, "
        f"{percent(comparison.after)} now; {len(comparison.fixed)} fixed, {len(comparison.broken)} broken, "
        f"p = {comparison.p_value:.3f}"
    )


def uncompared(comparison: Comparison) -> Iterator[str]:
    """Yield the cases that are of one version only, or that were not judged in both, a line for each kind."""
    if comparison.left_out:
        yield f"not judged in both: {_some(comparison.left_out)}"
    if comparison.removed:
        yield f"no longer there: {_some(comparison.removed)}"


def _comparison_lines(comparison: Comparison, against: str) -> Iterator[str]:
    yield f"{comparison.label}, against {against}: {verdict(comparison)}"
    for what, cases in (("broken", comparison.broken), ("fixed", comparison.fixed)):
        yield from _listed(f"  {what}: {case}" for case in cases)
    yield from (f"  {line}" for line in uncompared(comparison))
    for each in comparison.differences:
        range_ = f"no interval with fewer than {FEWEST_PAIRS} cases"
        if each.interval is not None:
            range_ = "{:+.4g} to {:+.4g}".format(*each.interval)
        yield f"  {each.name} a case: {each.mean:+.4g} ({range_})"
    yield f"  to see a difference of five points takes {comparison.needed:,} cases"


def _problem_lines(outcome: Outcome) -> Iterator[str]:
    yield from (f"    {outcome.case}: {problem}" for problem in outcome.problems)


def _listed(lines: Iterator[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:_LISTED]
    if len(every) > _LISTED:
        yield f"    and {len(every) - _LISTED} more"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


# Markdown, for a comment on a pull request.


def render_markdown(report: Report) -> str:
    """Return a report for a comment on a pull request."""
    return "\n".join(_markdown(report)).rstrip("\n") + "\n"


def _markdown(report: Report) -> Iterator[str]:
    yield "| model | presentation | right | success | interval | not judged |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for each in report.summaries:
        low, high = each.interval
        cells = (
            _cell(each.model), _cell(each.presentation), f"{each.passed} of {len(each.judged)}", percent(each.success),
            f"{percent(low)} to {percent(high)}", str(len(each.outcomes) - len(each.judged)),
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    for comparison in report.comparisons:
        yield ""
        yield f"**{_cell(comparison.label)}**, against {_cell(report.against)}: {verdict(comparison)}."
        yield from _items(f"broken: {_code(case)}" for case in comparison.broken)
        yield from _items(f"fixed: {_code(case)}" for case in comparison.fixed)
        yield from _items(_cell(line) for line in uncompared(comparison))
        yield f"- to see a difference of five points takes {comparison.needed:,} cases"
    for each in report.summaries:
        rows = [one for one in each.outcomes if one.state != "passed"]
        if rows:
            yield f"\n<details><summary>{_cell(each.label)}: {counted(len(rows), 'case')} not right</summary>\n"
            yield from _items(f"{_code(one.case)} {one.state}: {_cell('; '.join(one.problems))}" for one in rows)
            yield "\n</details>"
    if report.uncovered:
        yield f"\nNo case expects {_cell(_some(report.uncovered))}."


def _items(lines: Iterator[str]) -> Iterator[str]:
    every = [f"- {line}" for line in lines]
    yield from every[:_LISTED]
    if len(every) > _LISTED:
        yield f"- and {len(every) - _LISTED} more"


def _cell(text: str) -> str:
    """Return a text as text of Markdown, in one line."""
    shown = visible(" ".join(text.split())).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{char}" if char in "\\`*_|[]#@~" else char for char in shown)


def _code(text: str) -> str:
    return f"`{visible(text).replace('`', ' ')}`"


# JUnit's XML, which most CI services read.


def render_junit(report: Report) -> str:
    """Return a report as JUnit's XML: a suite for each model, a test for each case. What is not judged is an error."""
    root = ElementTree.Element("testsuites")
    for summary in report.summaries:
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_xml(summary.label),
            tests=str(len(summary.outcomes)),
            failures=str(len(summary.of_state("failed"))),
            errors=str(len(summary.outcomes) - len(summary.judged)),
        )
        for each in summary.outcomes:
            evaluation, _, name = each.case.partition("/")
            test = ElementTree.SubElement(
                suite, "testcase", classname=_xml(evaluation), name=_xml(name), time=f"{each.seconds or 0:.3f}"
            )
            if each.state != "passed":
                kind = "failure" if each.state == "failed" else "error"
                found = ElementTree.SubElement(test, kind, type=each.state, message=_xml(each.problems[0]))
                found.text = "\n".join(map(_xml, (*each.problems, *map(str, each.calls))))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Return a text without the characters that XML cannot have."""
    return "\n".join(map(visible, text.split("\n")))
