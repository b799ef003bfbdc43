"""Fences: separates the code of a response from its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`]*?)[ \t]*")
_DEEPER: Final = 3
"""Spaces by which a closing fence may be indented deeper than the opening one."""

_CODE: Final = frozenset({"", "py", "python", "python3"})


@dataclass(frozen=True, slots=True)
class Fenced:
    """The fenced code blocks of a response; `is_cut` if the last block of any kind is not closed."""

    blocks: tuple[str, ...]
    text: str
    is_cut: bool


def read_fences(answer: str) -> Fenced:
    """Parse a response by CommonMark's rules for fences. Blocks of languages other than Python are text.

    A fence may be indented by any number of spaces, as in a list item, whose indentation is not examined.
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
