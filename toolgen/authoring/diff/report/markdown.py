"""Changes as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgen.authoring.diff.compare import counted
from toolgen.authoring.diff.report.text import summary
from toolgen.changes.rules import Level
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.authoring.diff.compare import Group, Report

_TITLES: Final = {
    Level.BREAKING: "Breaking",
    Level.IGNORED: "Without effect",
    Level.CHANGE: "Changes",
    Level.NOTE: "Notes",
    Level.COMPATIBLE: "Compatible",
}
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&@:$])")
_MOST: Final = 50_000
"""Characters: a comment on GitHub has at most 65,536."""


def render_markdown(report: Report) -> str:
    """Return the report as Markdown: a section for each level, breaking changes first, additions folded.

    Texts of specs cannot make links, mentions, HTML or tables. A long report is cut, and says so.
    """
    parts = [f"### Tool specs: {_escaped(summary(report))}\n"]
    if report.bump:
        parts.append(f"Version: **{report.bump.value}**\n")
    for level in Level:
        found = [group for group in report.groups() if group.first.change.level is level]
        if found:
            parts += _section(_TITLES[level], found, is_open=level in (Level.BREAKING, Level.IGNORED))
    text, size = list[str](), 0
    for number, part in enumerate(parts):
        if size + len(part) > _MOST:
            text.append(f"\n{len(parts) - number} more lines: run `toolgen diff`.\n")
            break
        text.append(part)
        size += len(part)
    return "\n".join(text)


def _section(title: str, found: Sequence[Group], *, is_open: bool) -> Iterator[str]:
    lines = "\n".join(map(_line, found))
    changes = [each for group in found for each in (group.first, *group.others)]
    count = f"{len(changes)} ({counted(changes)})"
    if is_open:
        yield f"#### {title}: {count}\n\n{lines}\n"
    else:
        yield f"<details><summary>{title}: {count}</summary>\n\n{lines}\n\n</details>\n"


def _line(group: Group) -> str:
    located = group.first
    change = located.change
    evidence = f"; {_escaped(change.evidence)}" if change.evidence else ""
    evidence += "".join(f"; {each.change.code} {_escaped(each.change.summary())}" for each in group.parts)
    place = located.after or located.before
    where = f" ({_escaped(f'{place.file}:{place.line}')})" if place else ""
    return f"- **{change.code}** {_escaped(change.rule.name)}: {_escaped(group.summary())}{evidence}{where}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", visible(text))
