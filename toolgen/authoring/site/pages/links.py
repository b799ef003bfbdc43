"""Links: names that lead to pages, and rows of lists of tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.authoring.site.addresses import Kind

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Contents
    from toolgen.compiler.ir.catalog import Tool, Toolset


@dataclass(frozen=True, slots=True)
class Link:
    """A name and the path of its page, relative to the site; empty if it has none."""

    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool in a list. `note` is what the list adds, such as the answer of the policies."""

    link: Link
    permission: str
    tags: tuple[str, ...]
    summary: str
    note: str = ""


def link_to(contents: Contents, kind: Kind, name: str) -> Link:
    """Return the link to a page, or only the name if there is no such page."""
    return Link(name, contents.addresses.find(kind, name))


def tool_row(contents: Contents, tool: Tool, *, text: str = "", note: str = "") -> ToolRow:
    """Return the row of a tool; `text` stands for its ident."""
    return ToolRow(
        Link(text or tool.ident, contents.addresses.path(Kind.TOOL, tool.ident)),
        tool.permission.value,
        tool_tags(tool, contents.tools[tool.ident].toolset),
        summary(tool.description),
        note,
    )


def tool_tags(tool: Tool, toolset: Toolset) -> tuple[str, ...]:
    """Return the tags of a tool, without its permission and the kind of its toolset, which are among them."""
    return tuple(tag for tag in tool.tags if tag not in (tool.permission.value, toolset.kind.value))


def summary(description: str) -> str:
    """Return the first paragraph of a description, as one line of at most 200 characters."""
    line = " ".join(description.strip().split("\n\n", 1)[0].split())
    return line if len(line) <= 200 else f"{line[:199]}…"
