"""Kept: what rules find in a project, of which what they find in each tool is kept from run to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.lint.registry import Finding
from toolgen.authoring.text import Fix, TextEdit

if TYPE_CHECKING:
    from toolgen.authoring.lint.registry import Rule, ToolCheck
    from toolgen.authoring.lint.view import LintedTool, Project

_NOT_KEPT: Final = 0
"""Instead of what was found in a tool: a fix of it edits a text whose place may change while the tool does not."""


def findings_of(project: Project, rules: Mapping[str, Rule]) -> Iterator[tuple[str, Finding]]:
    """Yield what rules, by id, find in a project, with their ids."""
    for code, rule in rules.items():
        if rule.check is not None:
            for finding in rule.check(project):
                yield code, finding
    checks = {code: rule.check_tool for code, rule in rules.items() if rule.check_tool is not None}
    settings = {code: project.config.lint.thresholds.get(code) for code in checks}
    found = project.of_each_tool("findings", lambda each: _to_json(each, checks), settings, attrgetter("spec_digest"))
    for tool in project.tools:
        rows = found[tool.tool.ident]
        yield from _checked(tool, checks) if rows == _NOT_KEPT else _from_json(tool, rows)


def _checked(tool: LintedTool, checks: Mapping[str, ToolCheck]) -> Iterator[tuple[str, Finding]]:
    for code, check in checks.items():
        for finding in check(tool):
            yield code, finding


def _to_json(tool: LintedTool, checks: Mapping[str, ToolCheck]) -> Any:
    rows: list[Any] = []
    for code, found in _checked(tool, checks):
        related = [(place.to_json(), message) for place, message in found.related]
        fix = None if found.fix is None else _fix_to_json(tool, found.fix)
        if fix == _NOT_KEPT:
            return _NOT_KEPT
        rows.append((code, found.place.to_json(), found.message, found.help, related, fix))
    return rows


def _from_json(tool: LintedTool, rows: list[Any]) -> Iterator[tuple[str, Finding]]:
    for code, place, message, help_, related, fix in rows:
        others = tuple((tool.project.place_at(each), text) for each, text in related)
        made = None if fix is None else _fix_from_json(tool, fix)
        yield code, Finding(tool.project.place_at(place), message, help_, others, made)


def _fix_to_json(tool: LintedTool, fix: Fix) -> Any:
    """Return a fix whose edits are counted from the start of the tool, or from that of a text that does not move."""
    edits: list[Any] = []
    own, start, end = tool.place.document.path, *_range(tool)
    for edit in fix.edits:
        split = tool.project.splits[edit.file]
        if split is None or edit.end <= len(split.head.text):
            edits.append((edit.file, edit.start, edit.end, edit.new_text, False))
        elif edit.file == own and start <= edit.start and edit.end <= end:
            edits.append((own, edit.start - start, edit.end - start, edit.new_text, True))
        else:
            return _NOT_KEPT
    return fix.title, edits


def _fix_from_json(tool: LintedTool, row: Any) -> Fix:
    title, edits = row
    start, _ = _range(tool)
    return Fix(
        title,
        tuple(
            TextEdit(path, first + start * is_own, last + start * is_own, text)
            for path, first, last, text, is_own in edits
        ),
    )


def _range(tool: LintedTool) -> tuple[int, int]:
    """Return the offsets of a tool in the text of its file: all of it, if that is not divided."""
    split = tool.project.splits[tool.place.document.path]
    return (0, 0) if split is None else split.offsets(tool.tool.key)
