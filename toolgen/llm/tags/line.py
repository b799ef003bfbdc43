"""Lines that call a tool: a tag, a colon, blanks, and what the pattern of the tool matches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.runtime.base.errors import CatalogError
from toolgen.spec.tag_pattern import PatternRefused, TagPattern

if TYPE_CHECKING:
    from toolgen.llm.tags.definition import ToolDef

MAX_LINE: Final = 2048
"""In bytes of UTF-8, with the tag. What is longer calls nothing."""

_PREFIX: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_BLANKS: Final = " \t"


@dataclass(frozen=True, slots=True)
class TagLine:
    """How the line of one tool is written, and read."""

    tool: ToolDef
    pattern: TagPattern

    @classmethod
    def of(cls, tool: ToolDef) -> TagLine:
        """Make ready to read what a tool is called by. Raises `CatalogError` for a prefix or a pattern that is none."""
        if not _PREFIX.fullmatch(tool.tag_prefix):
            raise CatalogError(
                f"the tag prefix of {tool.name} is {tool.tag_prefix!r}: write letters, digits, `_` and `-`, "
                "a letter first"
            )
        try:
            pattern = TagPattern.parse(tool.arg_pattern)
        except PatternRefused as refused:
            mend = f"; {refused.hint}" if refused.hint else ""
            raise CatalogError(f"the pattern of {tool.name} {refused.reason}{mend}") from None
        names = tool.arg_groups
        if pattern.groups != len(names) or len({*names}) < len(names):
            shown = ", ".join(names) or "none"
            raise CatalogError(f"the pattern of {tool.name} has {pattern.groups} groups, and its args are {shown}")
        return cls(tool, pattern)

    @property
    def form(self) -> str:
        """How the line is written: the tool's example, or else its prefix and the names of its args, if it has any."""
        args = " ".join(f"[{name}]" for name in self.tool.arg_groups) or self.tool.arg_pattern
        return self.tool.prompt_example or f"{self.tool.tag_prefix}: {args}"

    def read(self, raw_arg: str) -> dict[str, str] | None:
        """Return the args in what stands after the tag, by name; None where it does not fit, or is too long."""
        if is_too_long(raw_arg):
            return None
        caught = self.pattern.match(raw_arg)
        return None if caught is None else dict(zip(self.tool.arg_groups, caught, strict=True))


def split_line(line: str) -> tuple[str, str] | None:
    """Cut a line into the tag and what stands after it; None where it has no colon with a blank behind it."""
    prefix, _, rest = line.partition(":")
    raw_arg = rest.lstrip(_BLANKS)
    return None if len(raw_arg) == len(rest) else (prefix, raw_arg)


def is_too_long(line: str) -> bool:
    """Whether a line is longer than one that calls a tool can be."""
    return len(line) > MAX_LINE or len(line.encode("utf-8", "surrogatepass")) > MAX_LINE
