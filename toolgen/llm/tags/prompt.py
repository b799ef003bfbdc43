"""The prompt of tag tools. It always has all of them, because a model can only write tags that it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.llm.tags.line import TagLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.llm.tags.definition import ToolDef

_HOW: Final = (
    "You can use the tools below by tags in your answer. A tag is one line, written exactly as shown, with your own "
    "words in place of the brackets. Nothing precedes it on its line."
)


def prompt_block(tools: Iterable[ToolDef]) -> str:
    """Describe all tools, ordered by name: how each is called, what it does, and the allowed values of args.

    Empty without tools. Raises `CatalogError` for a tool that no line can call.
    """
    entries = [_entry(TagLine.of(tool)) for tool in sorted(tools, key=lambda tool: tool.name)]
    return "\n\n".join([_HOW, *entries]) if entries else ""


def _entry(line: TagLine) -> str:
    words = [
        f"[{name}] is one of: {', '.join(choice)}."
        for name, choice in zip(line.tool.arg_groups, line.pattern.words, strict=True)
        if choice
    ]
    return "\n".join([line.form, line.tool.description, *words])
