"""Difference: a unified diff that stays readable and fast for large texts."""

from __future__ import annotations

import re
from difflib import unified_diff
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LINES: Final = 200
WIDTH: Final = 240
_CONTEXT: Final = 3
_CONTEXT_WIDTH: Final = WIDTH // 4
_COMPARED: Final = 2_000
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def difference(path: str, old: bytes | None, new: bytes | None) -> str:
    """Show how `old` becomes `new`, as `diff -u` does, in at most about `LINES` lines of `WIDTH` characters.

    A longer line is truncated, around the first difference if it replaces another. None means no file. Control
    characters, and bytes that are not UTF-8, are escaped.
    """
    before, after = _lines(old), _lines(new)
    same = _length(zip(before, after, strict=False))
    start = max(0, same - _CONTEXT)
    before, after = before[start:], after[start:]
    tail = min(_length(zip(reversed(before), reversed(after), strict=False)), len(before), len(after))
    end = max(0, tail - _CONTEXT)
    before, after = before[: len(before) - end], after[: len(after) - end]
    lines = unified_diff(
        before[:_COMPARED],
        after[:_COMPARED],
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
        n=_CONTEXT,
        lineterm="",
    )
    found = [*islice(lines, LINES + 1)]
    shown = [_shown(line, start, skipped) for line, skipped in zip(found, _skipped(found), strict=True)]
    if len(shown) > LINES or max(len(before), len(after)) > _COMPARED:
        shown = [*shown[:LINES], "(the rest is not shown)"]
    return "\n".join(shown)


def _lines(content: bytes | None) -> list[str]:
    lines = (content or b"").decode(errors="backslashreplace").split("\n")
    last = lines.pop()
    return [*lines, last, "\\ No newline at end of file"] if last else lines


def _length(pairs: Iterable[tuple[str, str]]) -> int:
    """Count the pairs at the start that are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _skipped(lines: Sequence[str]) -> list[int]:
    """Return how many characters to skip at the start of each line, so that a replaced one shows the difference."""
    skipped = [0] * len(lines)
    removed: list[int] = []
    for number, line in enumerate(lines):
        if line.startswith("-"):
            removed.append(number)
        elif line.startswith("+") and removed:
            other = removed.pop(0)
            same = _length(zip(lines[other][1:], line[1:], strict=False))
            skipped[other] = skipped[number] = max(0, same - _CONTEXT_WIDTH) if same >= WIDTH // 2 else 0
        else:
            removed.clear()
    return skipped


def _shown(line: str, start: int, skipped: int) -> str:
    """Return a line made safe and short for a terminal; a hunk's header counts from the start of the file."""
    if hunk := _HUNK.fullmatch(line):
        old, old_length, new, new_length = hunk.groups(default="")
        return f"@@ -{int(old) + start}{old_length} +{int(new) + start}{new_length} @@"
    if skipped and len(line) > WIDTH:
        line = f"{line[0]}…{line[1 + skipped :]}"
    clipped = line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
    return "\t".join(visible(part) for part in clipped.split("\t"))
