"""Lines of text. They end at LF, CR LF and CR, as in YAML, in editors and in Python's own source.

`str.splitlines` ends them at eight more characters, such as U+2028, which people write inside of lines.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

BLANKS: Final = " \t\r\n"
"""What separates lines and words in YAML. `str.strip` also removes spaces that are text there, such as U+00A0."""

LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return the offset of each line start."""
    return [0, *(match.end() for match in LINE_BREAK.finditer(text))]


def whole_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends, without an empty last one."""
    return [text[start:end] for start, end in pairwise([*line_starts(text), len(text)]) if start < end]


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends, and without an empty last one."""
    lines = LINE_BREAK.split(text)
    return lines if lines[-1] else lines[:-1]
