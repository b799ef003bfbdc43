"""Lines that call a tool: a tag, a colon, spaces, and text that matches the pattern of the tool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.errors import CatalogError
from toolgen.spec.tag_pattern import PatternRefused, TagPattern

if TYPE_CHECKING:
    from toolgen.llm.tags.definition import ToolDef


MAX_LINE: Final = 2048
"""Maximum bytes of UTF-8, including the tag. A longer line is not a call."""

_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_BLANKS: Final = " \t"


@dataclass(frozen=True, slots=True)
class TagLine:
    """The form of the line of one tool, and its parser."""

    tool: ToolDef
    pattern: TagPattern

    @classmethod
    def of(cls, tool: ToolDef) -> TagLine:
        """Return the line of a tool. Raises `CatalogError` for an invalid prefix or pattern."""
        if not _PREFIX.fullmatch(tool.tag_prefix):
            raise CatalogError(
                f"the tag prefix of {tool.name} is {tool.tag_prefix!r}: write letters, digits, `_` and `-`, "
                "a letter first"
            )
        try:
            pattern = TagPattern.parse(tool.arg_pattern)
        except PatternRefused as refused:
            hint = f"; {refused.hint}" if refused.hint else ""
            raise CatalogError(f"the pattern of {tool.name} {refused.reason}{hint}") from None
        names = tool.arg_groups
        if pattern.groups != len(names) or len({*names}) < len(names):
            shown = ", ".join(names) or "none"
            raise CatalogError(f"the pattern of {tool.name} has {pattern.groups} groups, and its args are {shown}")
        return cls(tool, pattern)

    @property
    def form(self) -> str:
        """The form of the line: the tool's example, or else its prefix and the names of its args, if any."""
        args = " ".join(f"[{name}]" for name in self.tool.arg_groups) or self.tool.arg_pattern
        return self.tool.prompt_example or f"{self.tool.tag_prefix}: {args}"

    def read(self, raw_arg: str) -> dict[str, str] | None:
        """Return the args in the text after the tag, by name; None if it does not match, or is too long."""
        if is_too_long(raw_arg):
            return None
        caught = self.pattern.match(raw_arg)
        return None if caught is None else dict(zip(self.tool.arg_groups, caught, strict=True))


def split_line(line: str) -> tuple[str, str] | None:
    """Split a line into the tag and the text after it; None if it has no colon followed by a space."""
    prefix, _, rest = line.partition(":")
    raw_arg = rest.lstrip(_BLANKS)
    return None if len(raw_arg) == len(rest) else (prefix, raw_arg)


def is_too_long(line: str) -> bool:
    """Whether a line is too long to be a call."""
    return len(line) > MAX_LINE or len(line.encode("utf-8", "surrogatepass")) > MAX_LINE


# The prompt of tag tools. It always has all of them, because a model can only write tags that it knows.

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
