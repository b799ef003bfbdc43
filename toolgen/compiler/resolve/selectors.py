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
    pattern = re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL) if name else None
    return [
        tool
        for toolset in toolsets
        for tool in toolset.tools
        if (pattern is None or name == toolset.name or pattern.fullmatch(tool.ident)) and set(tags) <= set(tool.tags)
    ]


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
        names = [toolset.name for toolset in toolsets] + [tool.ident for toolset in toolsets for tool in toolset.tools]
        sink.report("TG504", span, f"`{selector}` matches no tool", fix=nearest(selector.split("+")[0], names))
