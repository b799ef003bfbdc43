"""Selectors: a toolset, an ident, or a pattern, and tags that a tool must have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics.diagnostic import nearest
from toolgen.contract.selector import Selector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.ir.catalog import Tool, Toolset


def select(selector: str, toolsets: Iterable[Toolset]) -> list[Tool]:
    """The tools that a selector names."""
    asked = Selector.parse(selector)
    return [
        tool
        for toolset in toolsets
        for tool in toolset.tools
        if asked.matches(tool.ident, toolset.name, frozenset(tool.tags))
    ]


def check_selector(
    selector: str, toolsets: Iterable[Toolset], tags: Iterable[str], span: Span, sink: Diagnostics
) -> None:
    """Report a selector that names an unknown tag, or that matches nothing."""
    toolsets = list(toolsets)
    known_tags = set(tags)
    for tag in selector.split("+")[1:]:
        if tag not in known_tags:
            sink.report("TG405", span, f"`{tag}` is not a tag", fix=nearest(tag, known_tags))
            return
    if not select(selector, toolsets):
        name = selector.split("+")[0]
        known = {toolset.name for toolset in toolsets} | {tool.ident for toolset in toolsets for tool in toolset.tools}
        sink.report("TG504", span, f"`{selector}` matches no tool", fix=nearest(name, sorted(known - {name})))
