"""The text of a file that is changed, keeping its encoding and line ends."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import StringIO, TextIOWrapper
from mimetypes import MimeTypes
from typing import IO, TYPE_CHECKING, Final, NamedTuple, TextIO

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import shown
from toolgen.runtime.base.effects import check_call
from toolgen.runtime.base.errors import CallFailed, rejected
from toolgen.spec.text import common_length
from toolgen.toolsets.generated.tools.code import ReadFileResult

if TYPE_CHECKING:
    from toolgen.execute.paths import PathAccess
    from toolgen.runtime.policy.paths import PathAnswer
    from toolgen.toolsets.generated.tools.code import ReadFileArgs

# Encodings of text files: detected by their first bytes, and kept when the file is changed.

SAMPLE_BYTES: Final = 8192
"""How much of a file is examined to detect binary files: a NUL in it makes it binary, as for git."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec, and a byte order mark, if any."""

    codec: str
    mark: bytes = b""

    @property
    def errors(self) -> str:
        """How invalid content is decoded and encoded, so that it is preserved."""
        return "surrogateescape" if self.codec == "utf-8" else "surrogatepass"


# The order matters: the mark of UTF-32 LE begins with that of UTF-16 LE.
_MARKED: Final = (
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-32-le", codecs.BOM_UTF32_LE),
    Encoding("utf-32-be", codecs.BOM_UTF32_BE),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
)


_TYPES: Final = MimeTypes()
"""Python's own table: what is installed beside it does not count."""


def detect(sample: bytes) -> Encoding | None:
    """Detect the encoding of a file by its first bytes; None for a binary file. Without a mark it is UTF-8."""
    for encoding in _MARKED:
        if sample.startswith(encoding.mark):
            return encoding
    return None if b"\0" in sample[:SAMPLE_BYTES] else Encoding("utf-8")


def binary_file(path: str, size: int) -> CallFailed:
    """Describe a binary file by its path as it was given, and its size in bytes."""
    kind = _TYPES.guess_type(path)[0] or "of unknown type"
    return rejected("binary_file", f"{shown(path)} is a binary file of {size} bytes, {kind}; its content is not shown")


class Change(NamedTuple):
    """Replaces `view[start:end]` by `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file. Changes apply to `view`, in which every line ends in LF.

    `crlf` has a byte for each line end: 1 where the file has CRLF. `new_end` is that of new lines: of most lines of the
    file as it was read. `is_foreign` if the file is in an unknown encoding, of which only ASCII is certain.
    """

    view: str
    crlf: bytes
    new_end: bytes
    encoding: Encoding
    is_foreign: bool

    @staticmethod
    def of(raw: str, encoding: Encoding, *, is_foreign: bool = False) -> FileText:
        """Return the text of a file from its characters."""
        view = normalised(raw)
        ends, crlf = view.count("\n"), len(raw) - len(view)
        if crlf in (0, ends):
            marks = _end(is_crlf=crlf > 0) * ends
        else:
            marks = bytes(line.endswith("\r") for line in raw.split("\n")[:-1])
        return FileText(view, marks, _end(is_crlf=2 * crlf > ends), encoding, is_foreign)

    @staticmethod
    def decode(content: bytes) -> FileText | None:
        """Decode the content of a file; None for a binary one. Invalid bytes are preserved."""
        encoding = detect(content)
        if encoding is None:
            return None
        text = content[len(encoding.mark) :]
        try:
            return FileText.of(text.decode(encoding.codec), encoding)
        except UnicodeDecodeError:
            pass
        try:
            raw = text.decode(encoding.codec, encoding.errors)
        except UnicodeDecodeError:
            return None
        return FileText.of(raw, encoding, is_foreign=encoding.codec == "utf-8")

    def encode(self) -> bytes:
        """Encode it in the format of its file."""
        return self.encoding.mark + self.raw.encode(self.encoding.codec, self.encoding.errors)

    @property
    def raw(self) -> str:
        """The characters of the file."""
        count = self.crlf.count(1)
        if count in (0, len(self.crlf)):
            return self.view.replace("\n", "\r\n") if count else self.view
        *lines, last = self.view.split("\n")
        ends = ("\n", "\r\n")
        return "".join(f"{line}{ends[mark]}" for line, mark in zip(lines, self.crlf, strict=True)) + last

    def replaced(self, old: str, new: str) -> FileText:
        """Replace all occurrences of a text that is not empty, from the beginning. Raises as `changed` does."""
        if "\n" in old or "\n" in new:
            return self.changed(_occurrences(self.view, old, new))
        self._check_new(new)
        return replace(self, view=self.view.replace(old, new))

    def changed(self, changes: Iterable[Change]) -> FileText:
        """Make changes, ordered and without overlaps. Everything between them is preserved byte by byte.

        Lines that replace others end as these did, one by one, and more lines as most of the file do. Raises
        `CallFailed` with `unsupported_encoding` if the file's encoding does not support them.
        """
        view, crlf, at, line = StringIO(), bytearray(), 0, 0
        for start, end, new in changes:
            check_call()
            self._check_new(new)
            first = line + self.view.count("\n", at, start)
            view.write(self.view[at:start])
            view.write(new)
            last, ends = first + self.view.count("\n", start, end), new.count("\n")
            crlf += self.crlf[line : min(last, first + ends)]
            crlf += self.new_end * (ends - (last - first))
            line = last
            at = end
        view.write(self.view[at:])
        return replace(self, view=view.getvalue(), crlf=bytes(crlf + self.crlf[line:]))

    def _check_new(self, new: str) -> None:
        encoded(new)
        if self.is_foreign and not new.isascii():
            raise rejected(
                "unsupported_encoding",
                "the file is neither UTF-8 nor UTF-16, but the new text is not plain ASCII",
                "convert the file first, or write ASCII",
            )


def _end(*, is_crlf: bool) -> bytes:
    return bytes([is_crlf])


def _occurrences(view: str, old: str, new: str) -> Iterator[Change]:
    """Find all occurrences, without overlaps, and what is different in them: what is alike keeps its line ends."""
    start = common_length(old, new)
    end = common_length(old[start:][::-1], new[start:][::-1])
    at = view.find(old)
    while at >= 0:
        yield Change(at + start, at + len(old) - end, new[start : len(new) - end])
        at = view.find(old, at + len(old))


def normalised(text: str) -> str:
    """Return a text with LF instead of CRLF."""
    return text.replace("\r\n", "\n")


def new_text() -> FileText:
    """Return the text of a new file."""
    return FileText.of("", Encoding("utf-8"))


def encoded(text: str) -> bytes:
    """Encode a text as UTF-8. Raises `CallFailed` for a lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        message = f"the content contains a lone surrogate at {error.start}, which cannot be encoded"
        raise CallFailed(FailureKind.INVALID_CALL, "validation_error", message) from error


# `read_file`: reads lines of a text file; the file and its lines may be of any size.

_LINE_BYTES: Final = 4096
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
        with text_of(file, encoding) as text:
            return _read_lines(args, text)


def text_of(file: IO[bytes], encoding: Encoding) -> TextIO:
    """Return a reader of a file from its beginning, which closes the file. Invalid bytes become U+FFFD."""
    file.seek(len(encoding.mark))
    return TextIOWrapper(file, encoding=encoding.codec, errors="replace", newline="\n")


def _read_lines(args: ReadFileArgs, text: TextIO) -> ReadFileResult:
    skipped = skip_lines(text, args.start_line - 1)
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


def skip_lines(text: TextIO, count: int) -> int:
    """Skip lines; return how many there were."""
    for done in range(count):
        if not _pass_line(text):
            return done
    return count


def line_start(text: TextIO, most: int) -> str:
    """Read a line, and return up to `most` characters of it; its end is one of them."""
    start = text.readline(most)
    if not start.endswith("\n"):
        _pass_line(text)
    return start


def _pass_line(text: TextIO) -> bool:
    """Skip the rest of a line; return whether there was any."""
    check_call()
    chunk = text.readline(_CHUNK)
    found = bool(chunk)
    while chunk and not chunk.endswith("\n"):
        check_call()
        chunk = text.readline(_CHUNK)
    return found


def _lines(text: TextIO, count: int) -> Iterator[tuple[str, bool]]:
    """Return the next lines with their ends, and whether each was truncated."""
    for _ in range(count):
        line = text.readline(_LINE_BYTES + len("\r\n"))
        if not line:
            return
        ended = line.endswith("\n") or _pass_line(text)
        shown_line, was_cut = cut_line(line.removesuffix("\n").removesuffix("\r"))
        yield shown_line + "\n" * ended, was_cut


def cut_line(line: str) -> tuple[str, bool]:
    """Truncate a line to `_LINE_BYTES`, between characters; return it and whether it was truncated."""
    data = line.encode()
    if len(data) <= _LINE_BYTES:
        return line, False
    return data[:_LINE_BYTES].decode(errors="ignore"), True
