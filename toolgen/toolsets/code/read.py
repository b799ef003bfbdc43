"""read_file: reads lines of a text file; the file and its lines may be of any size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final, TextIO

from toolgen.execute.paths import shown
from toolgen.runtime.base.errors import rejected
from toolgen.toolsets.code.text import SAMPLE_BYTES, binary_file, detect
from toolgen.toolsets.generated.tools.code import ReadFileResult

if TYPE_CHECKING:
    from toolgen.execute.paths import PathAccess
    from toolgen.runtime.policy.paths import PathAnswer
    from toolgen.toolsets.generated.tools.code import ReadFileArgs

LINE_BYTES: Final = 4096
"""Maximum bytes of UTF-8 shown of one line, without its end."""

_CHUNK: Final = 65536


def read_file(args: ReadFileArgs, answer: PathAnswer, access: PathAccess) -> ReadFileResult:
    """Read lines of a checked file. CRLF becomes LF; invalid bytes become U+FFFD.

    Raises `CallFailed` with `file_not_found`, `not_a_file`, `binary_file` or `line_out_of_range`.
    """
    with access.open_file(answer) as file:
        sample = file.read(SAMPLE_BYTES)
        encoding = detect(sample)
        if encoding is None:
            raise binary_file(args.path, os.fstat(file.fileno()).st_size)
        file.seek(len(encoding.mark))
        with TextIOWrapper(file, encoding=encoding.codec, errors="replace", newline="\n") as text:
            return _read_lines(args, text)


def _read_lines(args: ReadFileArgs, text: TextIO) -> ReadFileResult:
    skipped = _skip(text, args.start_line - 1)
    content, cut = list[str](), list[int]()
    number = args.start_line
    for line, was_cut in _lines(text, args.max_lines):
        content.append(line)
        if was_cut:
            cut.append(number)
        number += 1
    if not content and args.start_line > 1:
        raise rejected("line_out_of_range", f"{shown(args.path)} has {skipped} lines", "start at an earlier line")
    more = bool(text.read(1))
    return ReadFileResult(
        content="".join(content),
        start_line=args.start_line,
        truncated=more,
        next_start_line=number if more else None,
        truncated_lines=cut,
    )


def _skip(text: TextIO, count: int) -> int:
    """Skip lines; return how many there were."""
    for done in range(count):
        if not _pass_line(text):
            return done
    return count


def _pass_line(text: TextIO) -> bool:
    """Skip the rest of a line; return whether there was any."""
    chunk = text.readline(_CHUNK)
    found = bool(chunk)
    while chunk and not chunk.endswith("\n"):
        chunk = text.readline(_CHUNK)
    return found


def _lines(text: TextIO, count: int) -> Iterator[tuple[str, bool]]:
    """Return the next lines with their ends, and whether each was truncated."""
    for _ in range(count):
        line = text.readline(LINE_BYTES + len("\r\n"))
        if not line:
            return
        ended = line.endswith("\n") or _pass_line(text)
        shown_line, was_cut = cut_line(line.removesuffix("\n").removesuffix("\r"))
        yield shown_line + "\n" * ended, was_cut


def cut_line(line: str) -> tuple[str, bool]:
    """Truncate a line to `LINE_BYTES`, between characters; return it and whether it was truncated."""
    data = line.encode()
    if len(data) <= LINE_BYTES:
        return line, False
    return data[:LINE_BYTES].decode(errors="ignore"), True
