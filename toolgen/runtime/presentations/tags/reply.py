"""Replies: the answer of a model, read as the calls in it and the text that is left for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from toolgen.runtime.presentations.tags.line import is_too_long, split_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime.presentations.tags.definition import ToolDef
    from toolgen.runtime.presentations.tags.line import TagLine


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCall:
    """One call: the tool, all that stands after the tag, and the args in it by name."""

    tool: ToolDef
    raw_arg: str
    args: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered: the text for people, and the calls, by the names of their tools and then in order."""

    display: str
    calls: tuple[TagCall, ...]


class KnowsTags(Protocol):
    """What is known of tags: a `TagRegistry`."""

    @property
    def tags(self) -> Mapping[str, TagLine]:
        """The lines that call tools, by prefix."""
        ...


def parse_response(raw: str, registry: KnowsTags) -> Reply:
    r"""Read an answer of a model, in time linear in it.

    A tag stands on a line of its own: `^{prefix}:[ \t]+{pattern}$`, the pattern beginning behind all of the blanks.
    Lines end in LF or CR LF. What fits no pattern, and what is longer than `MAX_LINE`, is text like everything else.
    """
    tags = registry.tags
    lines = [(line, _call(line.removesuffix("\r"), tags)) for line in raw.split("\n")]
    calls = [call for _, call in lines if call is not None]
    return Reply(
        display="\n".join(line for line, call in lines if call is None or not call.tool.strip_from_display),
        calls=tuple(sorted(calls, key=lambda call: call.tool.name)),  # those of one tool stay in their order
    )


def _call(line: str, tags: Mapping[str, TagLine]) -> TagCall | None:
    """Read a line as a call; None where it is text."""
    found = split_line(line)
    tag = tags.get(found[0]) if found else None
    if found is None or tag is None or is_too_long(line):
        return None
    args = tag.read(found[1])
    return None if args is None else TagCall(tool=tag.tool, raw_arg=found[1], args=args)
