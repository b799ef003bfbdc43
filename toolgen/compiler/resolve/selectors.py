"""Selectors: a toolset, an ident, or a pattern, and tags that a tool must have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics.diagnostic import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.ir.catalog import Tool, Toolset

_GRAMMAR = re.compile(r"[A-Za-z0-9_.*-]*(\+[A-Za-z][A-Za-z0-9_-]*)*")


def select(selector: str, toolsets: Iterable[Toolset]) -> list[Tool]:
    """The tools that a selector names."""
    name, *tags = selector.split("+")
    wanted, parts = set(tags), name.split("*")
    return [
        tool
        for toolset in toolsets
        for tool in toolset.tools
        if (not name or name == toolset.name or _matches(parts, tool.ident)) and wanted.issubset(tool.tags)
    ]


def _matches(parts: list[str], ident: str) -> bool:
    """Whether an ident is the parts with any text between them. A regular expression may take exponential time."""
    first, *rest = parts
    if not rest:
        return ident == first
    last = rest.pop()
    if len(ident) < len(first) + len(last) or not (ident.startswith(first) and ident.endswith(last)):
        return False
    at, end = len(first), len(ident) - len(last)
    for part in rest:
        at = ident.find(part, at, end) + len(part)
        if at < len(part):
            return False
    return True


def check_selector(
    selector: str, toolsets: Iterable[Toolset], tags: Iterable[str], span: Span, sink: Diagnostics
) -> None:
    """Report a selector that is none, that names an unknown tag, or that matches nothing."""
    toolsets = list(toolsets)
    if not selector or not _GRAMMAR.fullmatch(selector):
        sink.report(
            "TG503",
            span,
            f"`{selector}` is not a selector",
            fix="write a toolset, an ident, or a pattern with `*`, then `+tag`",
        )
        return
    known_tags = set(tags)
    for tag in selector.split("+")[1:]:
        if tag not in known_tags:
            sink.report("TG405", span, f"`{tag}` is not a tag", fix=nearest(tag, known_tags))
            return
    if not select(selector, toolsets):
        name = selector.split("+")[0]
        known = {toolset.name for toolset in toolsets} | {tool.ident for toolset in toolsets for tool in toolset.tools}
        sink.report("TG504", span, f"`{selector}` matches no tool", fix=nearest(name, sorted(known - {name})))
