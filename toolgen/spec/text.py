"""Text of any origin: its lines and how they differ, and characters that hide text or control a terminal."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

IGNORABLE: Final = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""Characters that are drawn as nothing, as a class of expressions: Default_Ignorable_Code_Point of the Unicode
Character Database without Bidi_Control. Variation selectors, of which there are 256, can carry any text."""

_UNSEEN: Final = re.compile(rf"[{IGNORABLE}\u2800\U0001d159]")
"""These, and letters that are drawn as a blank."""

_STYLED: Final = re.compile(r"[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]\ufe0f")
"""A symbol that is drawn as an emoji: the one use of a variation selector that is seen."""

_SAFE_SPACES: Final = frozenset("\u3000")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


# Lines end at LF, CR LF and CR, as in YAML, in editors and in Python's own source.
#
# `str.splitlines` ends them at eight more characters, such as U+2028, which people write inside of lines.

BLANKS: Final = " \t\r\n"
"""What separates lines and words in YAML. `str.strip` also removes spaces that are text there, such as U+00A0."""

LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")


def line_end(text: str) -> str:
    """Return the line end of most lines of a text: the first one of equally many, LF if the text has none."""
    counts = Counter(LINE_BREAK.findall(text))
    return max(counts, key=counts.__getitem__, default="\n")


def with_line_end(text: str, end: str) -> str:
    """Return a text whose lines all end in the same way."""
    return LINE_BREAK.sub(end, text)


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


def first_line(text: str) -> str:
    """Return the short description: the first line that is not blank."""
    return next((line.strip() for line in lines_of(text) if line.strip()), "")


_COMPARED: Final = 2_000
_HUNK: Final = re.compile(r"([-+])(\d+)")


def hunks(before: Sequence[str], after: Sequence[str], around: int) -> tuple[list[str], bool]:
    """Return the hunks of a unified diff of lines, with so many lines around, and whether they are all.

    Where more lines differ, the first 2,000 of each side are compared, because the time grows with their square.
    """
    from difflib import unified_diff  # slow to import

    start = max(0, count_equal(zip(before, after, strict=False)) - around)
    before, after = before[start:], after[start:]
    tail = min(count_equal(zip(reversed(before), reversed(after), strict=False)), len(before), len(after))
    end = max(0, tail - around)
    before, after = before[: len(before) - end], after[: len(after) - end]
    lines = [*unified_diff(before[:_COMPARED], after[:_COMPARED], n=around, lineterm="")][2:]
    return [_moved(line, start) for line in lines], max(len(before), len(after)) <= _COMPARED


def count_equal(pairs: Iterable[tuple[str, str]]) -> int:
    """Count the pairs at the start that are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _moved(line: str, by: int) -> str:
    """Return a line of a diff; the head of a hunk counts from so many lines further up."""
    return _HUNK.sub(lambda at: f"{at[1]}{int(at[2]) + by}", line) if line.startswith("@@") else line


def is_hidden(char: str) -> bool:
    """Whether a character controls a terminal, reorders text, or is invisible, so that it is shown as an escape.

    Control, bidi, zero-width, private-use and unassigned characters, variation selectors, line separators, and all
    spaces but U+0020 and the ideographic U+3000, which is plain text in Japanese.
    """
    if char.isascii():
        return not char.isprintable()
    return not (char.isprintable() or char in _SAFE_SPACES) or _UNSEEN.match(char) is not None


def escaped(char: str) -> str:
    r"""Return one character as `\n`, `\xNN`, `\uNNNN` or `\UNNNNNNNN`."""
    named = _NAMED.get(char)
    if named is not None:
        return named
    number = ord(char)
    if number <= 0xFF:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def visible(text: str) -> str:
    """Return the text on one line, with every hidden character as an escape."""
    return with_escapes(text, escaped)


def common_length(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def visible_json(text: str) -> str:
    """Return JSON text with every hidden character but line breaks as an escape of JSON, so that its value is the same.

    All that can be hidden in JSON, but for line breaks between its parts, is in its strings.
    """
    return "\n".join(with_escapes(line, json_escaped) for line in text.split("\n"))


def with_escapes(text: str, escape: Callable[[str], str]) -> str:
    """Return a text with every hidden character as an escape, but the selector of an emoji."""
    if text.isprintable() and (text.isascii() or not _UNSEEN.search(text)):
        return text
    seen = {match.end() - 1 for match in _STYLED.finditer(text)}
    return "".join(escape(char) if is_hidden(char) and at not in seen else char for at, char in enumerate(text))


def json_escaped(char: str) -> str:
    r"""Return one character as `\uNNNN`, two of them beyond U+FFFF, or `\n` and the like."""
    return json.dumps(char)[1:-1] if char != "\x7f" else r"\u007f"  # which JSON allows as it is


_NAME: Final = 100


def shown_name(name: str) -> str:
    """Return a name that nobody here gave as it is shown and kept: escaped, and of at most 100 characters."""
    return cut(visible(name[: _NAME + 1]), _NAME)


def has_parts(text: str, parts: Sequence[str]) -> bool:
    """Whether a text is the parts, in order, with anything between two of them. It takes linear time per part."""
    first, *others = parts
    if not others:
        return text == first
    *between, last = others
    at, end = len(first), len(text) - len(last)
    if at > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for part in between:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: one that is longer ends in `…`."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
