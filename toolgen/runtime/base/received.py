"""Received: what the answer of a peer may cost, wherever one is read. The one place that bounds it.

An answer is an HTTP response, a message of an MCP server, a token of an authorization server, a document of an import,
or vectors. Its bytes are bounded before and after their content coding, which is undone in pieces; its text is decoded
by codecs that take linear time; its JSON is counted before an object is made of it. So is that of a request that a
client sends to a server.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any, Final

from pydantic_core import from_json

from toolgen.runtime.base.json_text import MAX_DEPTH, NotJson, check_keys
from toolgen.schema.json_values import is_array, is_object, value_of
from toolgen.spec.http import codec_of

ANSWER_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one answer, as it is sent and as it is decoded."""

ERROR_BYTES: Final = 256 * 1024
"""Bytes that are read of an answer that says only what is wrong, and of the answers of an authorization server."""

ANSWER_VALUES: Final = 250_000
"""JSON values of one answer: parsing so many holds up an event loop for some 50 ms."""

ERROR_VALUES: Final = 2_000
"""JSON values of an answer that says only what is wrong."""

REQUEST_VALUES: Final = 100_000
"""JSON values of one request: what is made of so many, and of their call, holds up an event loop for half a second."""

ACCEPT_ENCODING: Final = "gzip, deflate"
"""The content codings that are undone."""

_PIECE: Final = 256 * 1024
"""Bytes that are decompressed at a time."""

_WINDOW: Final = 1024 * 1024
"""Bytes in which values are counted at a time: a pattern does not let other threads run."""

LONGEST_LIFETIME: Final = 10 * 365 * 24 * 3600
"""Seconds that a token is used, at most."""

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_STRINGS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*"?', re.DOTALL)
_WHOLE_STRINGS: Final = re.compile(rb'(?:[^"]*+"[^"\\]*+(?:\\.[^"\\]*+)*")*', re.DOTALL)
_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_CHARSET: Final = re.compile(r';\s*charset\s*=\s*"?([\w.:+-]+)', re.IGNORECASE)


class TooMuch(Exception):
    """An answer exceeds a limit. The message names the limit and quotes nothing of the answer."""


class Unreadable(Exception):
    """An answer is not coded as it says, or in a way that is not read. The message quotes nothing of it."""


class Decoder:
    """Undoes the content coding of an answer, in pieces.

    Raises `Unreadable` for a content coding that is not one of `ACCEPT_ENCODING`, and for several of them: each layer
    multiplies what one byte stands for.
    """

    def __init__(self, encoding: str) -> None:
        codings = [name for each in encoding.lower().split(",") if (name := each.strip()) not in ("", "identity")]
        if len(codings) > 1:
            raise Unreadable(f"the answer has {len(codings)} layers of content coding, and one is read")
        if codings and codings[0] not in ("gzip", "x-gzip", "deflate"):
            raise Unreadable(f"the answer has a content coding that was not asked for: {codings[0][:20]!r}")
        self._is_gzip = bool(codings) and codings[0] != "deflate"
        self._inflate: Any = _inflate_of(is_gzip=self._is_gzip) if codings else None
        self._is_begun = False

    @property
    def is_cut(self) -> bool:
        """Whether more bytes must follow."""
        return self._inflate is not None and self._is_begun and not self._inflate.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what bytes stand for. Raises `Unreadable` for bytes that are not those of the content coding."""
        if self._inflate is None:
            yield chunk
            return
        for start in range(0, len(chunk), _PIECE):
            rest = chunk[start : start + _PIECE]
            while rest:
                piece, rest = self._next(rest)
                yield piece

    def _next(self, data: bytes) -> tuple[bytes, bytes]:
        """Return a piece of what compressed bytes stand for, and those that are left."""
        inflate = self._inflate
        if inflate.eof:
            if not self._is_gzip or not data.startswith(b"\x1f\x8b"):
                return b"", b""  # what follows the end is no content
            inflate = self._inflate = _inflate_of(is_gzip=True)  # the next member (RFC 1952, section 2.2)
        try:
            piece = inflate.decompress(data, _PIECE)
        except zlib.error as error:
            if self._is_gzip or self._is_begun:
                raise Unreadable("the answer is not compressed as it says") from error
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)  # some send deflate without its header
            self._is_begun = True
            return self._next(data)
        self._is_begun = True
        return piece, inflate.unused_data if inflate.eof else inflate.unconsumed_tail


class Body:
    """The content of an answer, up to `bound` bytes: of those that are sent, and of those that they stand for.

    Raises what `Decoder` raises.
    """

    def __init__(self, encoding: str, bound: int = ANSWER_BYTES) -> None:
        self._decoder = Decoder(encoding)
        self._bound = bound
        self._received = 0
        self.data = bytearray()
        self.is_complete = True

    def take(self, chunk: bytes) -> Iterator[None]:
        """Receive bytes as they were sent; yield after each piece of what they stand for, until it is too much.

        Raises `Unreadable`.
        """
        self._received += len(chunk)
        self.is_complete = self._received <= self._bound
        for piece in self._decoder.pieces(chunk):
            room = self._bound - len(self.data)
            self.data += piece[:room]
            self.is_complete = self.is_complete and len(piece) <= room
            yield
            if not self.is_complete:
                return

    def close(self) -> bytes:
        """Return all of it. Raises `TooMuch` for more than the bound, and `Unreadable` for an end that is missing."""
        if not self.is_complete:
            raise TooMuch(f"the answer has more than {self._bound:,} bytes")
        if self._decoder.is_cut:
            raise Unreadable("the compressed answer has no end")
        return bytes(self.data)


def _inflate_of(*, is_gzip: bool) -> Any:
    return zlib.decompressobj(zlib.MAX_WBITS | 16 if is_gzip else zlib.MAX_WBITS)


def text_of(data: bytes, content_type: str = "") -> str:
    """Return the text of an answer, by the charset of its media type; without a known one, it is UTF-8.

    What cannot be decoded becomes U+FFFD. Codecs that may take more than linear time, such as Punycode's, are unknown.
    """
    found = _CHARSET.search(content_type)
    name = codec_of(found[1]) if found else ""
    return data.decode(name or "utf-8", "replace").removeprefix("\ufeff")


def check_request(data: bytes) -> Any:
    """Return the JSON value of a request of a client, whatever reads it afterwards.

    Raises `TooMuch` for one that holds more than `REQUEST_VALUES`, or is nested too deep; `NotJson` for what is no JSON
    in UTF-8, which another parser may read otherwise than it was counted here; and `RepeatedKey` for one with an object
    that has a key twice: what reads it would take one of the values.
    """
    check_json(data, REQUEST_VALUES, "the request")
    if _is_deeper(data, MAX_DEPTH):
        raise _too_deep("the request")
    try:
        value = from_json(data)
    except ValueError as error:
        from toolgen.runtime.base.json_advice import why_not_json  # nearly all requests are JSON

        raise NotJson(*why_not_json(data, str(error))) from None
    check_keys(data, value)
    return value


def check_json(data: bytes, values: int = ANSWER_VALUES, what: str = "the answer") -> None:
    """Raise `TooMuch` if a JSON text has more than `values` values, before anything is made of them.

    Counts separators and opening brackets, outside of strings if there are too many. Any bytes will do.
    """
    if _separators(data) < values:
        return
    count = at = 0
    while at < len(data):
        whole = _WHOLE_STRINGS.match(data, at, at + _WINDOW)
        end = whole.end() if whole else at
        if end == at:  # no string ends in this window: there is none, or a long one
            quote = data.find(b'"', at, at + _WINDOW)
            if quote < 0:
                end = at + _WINDOW
            else:
                count += _separators(data[at:quote])
                string = _STRINGS.match(data, quote)
                at = string.end() if string else len(data)
                continue
        count += _separators(_STRINGS.sub(b"", data[at:end]))
        if count >= values:
            raise TooMuch(f"{what} has more than {values:,} JSON values")
        at = end


def _is_deeper(data: bytes, levels: int) -> bool:
    """Return whether brackets outside of strings are nested deeper. Those without a match count as if they had one."""
    if data.count(b"[") + data.count(b"{") <= levels:
        return False
    brackets = _STRINGS.sub(b"", data).translate(_BRACKETS, _NO_BRACKETS)
    for level in range(levels):
        outer = brackets.replace(b"[]", b"")
        if len(outer) == len(brackets):
            return level + outer.count(b"[") > levels
        brackets = outer
    return bool(brackets)


def _separators(data: bytes) -> int:
    return data.count(b",") + data.count(b"[") + data.count(b"{")


def json_of(text: str, values: int = ANSWER_VALUES) -> Any:
    """Parse the JSON text of an answer. Raises `TooMuch`, and ValueError for what is not JSON."""
    check_json(text.encode("utf-8", "surrogatepass"), values)
    try:
        value = value_of(text)
    except RecursionError:
        raise _too_deep("the answer") from None
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [member for item in level for member in _members(item)]
        if not level:
            return value
    raise _too_deep("the answer")


def error_of(text: str) -> Any:
    """Parse the JSON text of an answer that says what is wrong, whose texts are shown. Raises what `json_of` raises.

    Halves of surrogate pairs, which no text that is sent has, become U+FFFD.
    """
    return _sendable(json_of(text, ERROR_VALUES))


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if is_object(value):
        return {_SURROGATES.sub("\ufffd", name): _sendable(item) for name, item in value.items()}
    return [_sendable(item) for item in value] if is_array(value) else value


def lifetime_of(seconds: Any) -> float | None:
    """Return how long a token is used, by its `expires_in`, up to `LONGEST_LIFETIME`; None if that is no number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(min(max(0, seconds), LONGEST_LIFETIME))  # an int may be too large to be a float


def _members(value: Any) -> Iterator[Any]:
    found = value.values() if is_object(value) else value if is_array(value) else ()
    return (member for member in found if is_object(member) or is_array(member))


def _too_deep(what: str) -> TooMuch:
    return TooMuch(f"{what} is nested more than {MAX_DEPTH} levels deep")
