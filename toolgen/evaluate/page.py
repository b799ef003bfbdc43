"""The page of a report: figures, the matrix of each model, and every case, in one HTML file without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Final

from toolgen.evaluate.matching import NO_TOOL
from toolgen.evaluate.rendering import figures, headline, named, percent, uncompared, verdict
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.evaluate.reports import Report, Summary
    from toolgen.evaluate.running import Outcome

_MOST_TOOLS: Final = 40
"""Rows and columns of a matrix: the tools that were confused most often."""

_STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #8886; padding: .2rem .5rem; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.matrix th.called { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.matrix td { text-align: center; min-width: 2rem; }
.right { background: #2a82; } .wrong { background: #c332; }
.scroll { overflow-x: auto; }
details { border-bottom: 1px solid #8884; padding: .3rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def render_page(report: Report) -> str:
    """Return a report as a page of HTML, which loads nothing and runs nothing."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>Evaluation of tools</title>'
    yield f"<style>{_STYLE}</style></head><body><h1>Evaluation of tools</h1>"
    for summary in report.summaries:
        yield from _summary(summary, report)
    for comparison in report.comparisons:
        yield f"<h2>{_text(comparison.label)}, against {_text(report.against)}</h2>"
        yield f"<p>{_text(verdict(comparison))}</p><ul>"
        for what, cases in (("broken", comparison.broken), ("fixed", comparison.fixed)):
            yield from (f"<li>{what}: {_text(case)}</li>" for case in cases)
        yield from (f"<li>{_text(line)}</li>" for line in uncompared(comparison))
        yield "</ul>"
    if report.uncovered:
        yield f"<h2>Tools that no case expects</h2><p>{_text(', '.join(report.uncovered))}</p>"
    yield "</body></html>"


def _summary(summary: Summary, report: Report) -> Iterator[str]:
    yield f"<h2>{_text(summary.label)}</h2><p>{_text(headline(summary))}; {_text(figures(summary))}</p>"
    yield from _matrix(summary)
    if summary.wrong_args:
        yield "<table><tr><th>tool</th><th>arg</th><th>rejected by</th><th>times</th></tr>"
        for wrong, count in summary.wrong_args.items():
            cells = "".join(f"<td>{_text(each)}</td>" for each in (wrong.ident, wrong.shown, wrong.keyword))
            yield f'<tr>{cells}<td class="n">{count}</td></tr>'
        yield "</table>"
    for outcome in summary.outcomes:
        yield from _case(outcome, report.questions.get(outcome.case, ""))


def _matrix(summary: Summary) -> Iterator[str]:
    """Yield the tools that were expected by those that were called; first those that were confused."""
    confused = {name: 0 for pair in summary.confusion for name in pair}
    for (expected, called), count in summary.confusion.items():
        if expected != called:
            confused[expected] += count
            confused[called] += count
    names = sorted(confused, key=lambda name: (name == NO_TOOL, -confused[name], name))[:_MOST_TOOLS]
    figures_of = {each.ident: each for each in summary.tools}
    yield '<div class="scroll"><table class="matrix"><tr><th>expected \\ called</th>'
    yield "".join(f'<th class="called">{_text(named(name))}</th>' for name in names)
    yield "<th>precision</th><th>recall</th></tr>"
    for row in names:
        cells = "".join(_cell(summary.confusion.get((row, column), 0), is_right=row == column) for column in names)
        tool = figures_of.get(row)
        shares = (None, None) if tool is None else (tool.precision, tool.recall)
        last = "".join(f'<td class="n">{percent(each)}</td>' for each in shares)
        yield f"<tr><th>{_text(named(row))}</th>{cells}{last}</tr>"
    yield "</table></div>"
    if len(confused) > len(names):
        yield f"<p>and {len(confused) - len(names)} tools more</p>"


def _cell(count: int, *, is_right: bool) -> str:
    if not count:
        return "<td></td>"
    return f'<td class="{"right" if is_right else "wrong"}">{count}</td>'


def _case(outcome: Outcome, question: str) -> Iterator[str]:
    is_right = outcome.state == "passed"
    mark = "right" if is_right else "wrong"
    yield f'<details><summary><span class="{mark}">{outcome.state}</span> {_text(outcome.case)}</summary>'
    yield f"<pre>{_text(question)}</pre><ul>"
    yield from (f"<li>{_text(problem)}</li>" for problem in outcome.problems)
    yield "</ul>"
    for call in outcome.calls:
        shown = call.shown_args
        yield f"<pre>{_text(call.ident or call.name)} {_text(shown)}</pre>"
    if outcome.text:
        yield f"<pre>{_text(outcome.text)}</pre>"
    yield "</details>"


def _text(text: str) -> str:
    return escape("\n".join(map(visible, text.split("\n"))))
