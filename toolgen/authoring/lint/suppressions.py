"""Suppressions: comments in a YAML spec that silence rules for one line, each with a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import yaml

from toolgen.authoring.text.comments import comments_of
from toolgen.authoring.text.edits import Fix, TextEdit
from toolgen.compiler.diagnostics.lint_settings import near_rule, rule_named
from toolgen.compiler.source.nodes import Source
from toolgen.spec.lines import BLANKS, LINE_BREAK, lines_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from toolgen.authoring.text.comments import Comment
    from toolgen.compiler.diagnostics import Span

_MARK: Final = re.compile(r"#\s*toolgen:\s*ignore\b(?P<rules>.*?)(?:\s--(?P<reason>.*))?$")

_ANY: Final = re.compile(r"#\s*toolgen:\s*ignore")
"""What a text without suppressions does not have: most need not be scanned for comments."""


@dataclass
class Suppression:
    """One comment `# toolgen: ignore TL203 -- reason`, for the findings of `rules` on `line`.

    `used` are the rules that it silenced a finding of. `words` are the rules as they are written, at
    `listed`, and also names that are of no rule; `removal` removes the comment.
    """

    rules: tuple[str, ...]
    line: int
    span: Span
    removal: Fix
    words: tuple[str, ...]
    listed: TextEdit
    used: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Misuse:
    """A suppression that has no effect, by the rule that reports it."""

    code: str
    span: Span
    message: str
    help: str
    fix: Fix | None = None


def suppressions_of(path: str, text: str) -> tuple[list[Suppression], list[Misuse]]:
    """Return the suppressions in a spec, and those that have no effect. JSON has no comments, and so none."""
    if path.lower().endswith(".json") or not _ANY.search(text):
        return [], []
    source = Source(path, text)
    try:
        comments = comments_of(text)
    except yaml.YAMLError:
        return [], []  # reported as a syntax error where the file was read
    found: list[Suppression] = []
    misused: list[Misuse] = []
    for comment in comments:
        match = _MARK.match(comment.text)
        if match is None:
            continue
        span = source.span(comment.start, comment.end)
        words = re.split(r"[\s,]+", match["rules"].strip()) if match["rules"].strip() else []
        known = [code for word in words if (code := rule_named(word))]
        misused += _misuses(words, match["reason"], span)
        if known and (match["reason"] or "").strip():
            removal = Fix("Remove the suppression", (_removal(path, text, comment),))
            rules = TextEdit(path, comment.start + match.start("rules"), comment.start + match.end("rules"), "")
            found.append(
                Suppression(tuple(known), _line_meant(text, comment, span), span, removal, tuple(words), rules)
            )
    return found, misused


def unused(suppressions: list[Suppression]) -> Iterator[tuple[Suppression, list[str]]]:
    """Yield each suppression with the rules of it that silenced nothing."""
    for each in suppressions:
        if idle := [code for code in each.rules if code not in each.used]:
            yield each, idle


def without_rules(suppression: Suppression, doomed: Collection[str]) -> Fix:
    """Return the fix that removes rules of a suppression, and with the last one the suppression."""
    left = [word for word in suppression.words if rule_named(word) not in doomed]
    if not left:
        return suppression.removal
    return Fix("Remove the rule of the suppression", (replace(suppression.listed, new_text=f" {', '.join(left)}"),))


def _misuses(words: list[str], reason: str | None, span: Span) -> Iterator[Misuse]:
    if not words:
        yield Misuse("TL002", span, "the suppression names no rule", "write `# toolgen: ignore TL203 -- reason`")
    for word in words:
        if not rule_named(word):
            hint = near_rule(word) or "`toolgen explain` lists the rules"
            yield Misuse("TL002", span, f"there is no lint rule `{word}`", hint)
    if not (reason or "").strip():
        message = "a suppression needs a reason, and has no effect without one"
        yield Misuse("TL003", span, message, f"write `# toolgen: ignore {' '.join(words) or 'TL203'} -- reason`")


def _line_meant(text: str, comment: Comment, span: Span) -> int:
    """Return the line of a comment after content; for one alone, the next line that is not a comment or blank."""
    if not comment.is_alone:
        return span.line
    line = span.line
    for below in lines_of(text[comment.end :])[1:]:
        line += 1
        if (content := below.strip(BLANKS)) and not content.startswith("#"):
            return line
    return span.line


def _removal(path: str, text: str, comment: Comment) -> TextEdit:
    """Return the edit that removes a comment: its whole line if it is alone, else also the blanks before it."""
    start, end = comment.start, comment.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t":
        end += 1
    if comment.is_alone:
        ends = LINE_BREAK.search(text, end)
        end = ends.end() if ends else len(text)
    return TextEdit(path, start, end, "")
