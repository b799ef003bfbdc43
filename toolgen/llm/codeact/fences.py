"""Fences: the code of an answer, and what it said beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`]*?)[ \t]*")
_DEEPER: Final = 3
"""Blanks by which a fence that ends a block may be indented deeper than the one that began it."""

_CODE: Final = frozenset({"", "py", "python", "python3"})


@dataclass(frozen=True, slots=True)
class Fenced:
    """The fenced blocks of code of an answer; `is_cut` where the last one of any kind has no end."""

    blocks: tuple[str, ...]
    text: str
    is_cut: bool


def read_fences(answer: str) -> Fenced:
    """Take an answer apart by CommonMark's rules for fences. Blocks of other languages than Python are text.

    A fence may be indented by any number of blanks, as in an item of a list, whose own indent is not looked for.
    """
    blocks: list[str] = []
    text: list[str] = []
    lines: list[str] = []
    opened: re.Match[str] | None = None
    for line in answer.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.fullmatch(line)
        if opened is None:
            opened = fence
            if fence is None or not _is_code(fence):
                text.append(line)
        elif fence is not None and _ends(fence, opened):
            if _is_code(opened):
                blocks.append("\n".join(lines))
            else:
                text += [*lines, line]
            lines, opened = [], None
        else:
            indent = min(len(opened["indent"]), len(line) - len(line.lstrip(" ")))
            lines.append(line[indent:])
    is_cut = opened is not None and _is_code(opened)
    if opened is not None and not is_cut:
        text += lines
    return Fenced(tuple(blocks), "\n".join(text).strip(), is_cut)


def _ends(fence: re.Match[str], opened: re.Match[str]) -> bool:
    is_deeper = len(fence["indent"]) > len(opened["indent"]) + _DEEPER
    return not fence["info"] and not is_deeper and fence["marks"].startswith(opened["marks"])


def _is_code(fence: re.Match[str]) -> bool:
    return fence["info"].partition(" ")[0].lower() in _CODE
