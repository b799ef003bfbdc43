"""JSON text to nodes: strict RFC 8259, with spans for all nodes and readable syntax errors."""

from __future__ import annotations

import re
from enum import Enum
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Related
from toolgen.compiler.source.limits import MAX_DEPTH, MAX_VALUES, GaveUp, Problems
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.compiler.source.scalars import NumberRefused, to_float, to_int
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.source.nodes import MappingEntry, Node, Scalar, Source

_TOKEN: Final = re.compile(
    r"""[ \t\n\r]*+ (?: (?P<comma>,) [ \t\n\r]*+ )? (?:
        (?P<string>  "[^"\\\x00-\x1f]*+" ) (?: [ \t\n\r]*+ (?P<colon>:) )?
      | (?P<mark>    [\[\]{}:] )
      | (?P<integer> -?(?:0|[1-9][0-9]*+) (?![\w.+-]) )
      | (?P<float>   -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)? (?![\w.+-]) )
      | (?P<word>    [\w.+-]++ )
      | (?P<other>   . )
      | \Z
    )""",
    re.VERBOSE | re.DOTALL,
)
"""One token with the comma before it, and a string with the colon after it. Matching them together halves the time."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPED: Final = re.compile(
    r"\\(?: u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2} | (?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2}) | . )",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Final[dict[str, bool | None]] = {"null": None, "true": True, "false": False}
_OTHER_SPELLINGS: Final = {
    **dict.fromkeys(("none", "nil", "undefined", "null"), "write `null`"),
    **dict.fromkeys(("true", "yes"), "write `true`"),
    **dict.fromkeys(("false", "no"), "write `false`"),
}
_NOT_FINITE: Final = frozenset({"NaN", "Infinity", "-Infinity"})
_CLOSING: Final = {"[": "]", "{": "}"}
_SHOWN: Final = 40
"""Maximum characters of an unexpected token quoted in a message."""

_decode_string: Final = JSONDecoder().raw_decode


class _Expected(Enum):
    """What may come next; the values are its descriptions in messages."""

    VALUE = "a value"
    VALUE_OR_END = "a value or `]`"
    KEY = "a key in double quotes"
    KEY_OR_END = "a key in double quotes or `}`"
    COLON = "`:`"
    COMMA_OR_END = "`,` or the closing bracket"
    NOTHING = "the end of the file"


_VALUES: Final = (_Expected.VALUE, _Expected.VALUE_OR_END)
_KEYS: Final = (_Expected.KEY, _Expected.KEY_OR_END)
_ENDS: Final = (_Expected.VALUE_OR_END, _Expected.KEY_OR_END, _Expected.COMMA_OR_END)


def parse_json(source: Source, sink: Diagnostics, *, start: str = "") -> Node | None:
    """Parse one JSON text. Errors are reported to the sink; returns None if parsing cannot continue.

    `start` is how such a file starts, for one that is empty.
    """
    try:
        return _JsonReader(source, sink, start).read()
    except GaveUp:
        return None


class _Frame:
    """An array or object being parsed. `key` is None if the key of the next value was rejected."""

    __slots__ = ("entries", "items", "key", "node")

    def __init__(self, node: Node, items: list[Node], entries: dict[str, MappingEntry] | None) -> None:
        self.node = node
        self.items = items
        self.entries = entries
        self.key: tuple[str, int, int] | None = None


class _JsonReader:
    """Parses token by token, without recursion, so that no text can exhaust the stack."""

    def __init__(self, source: Source, sink: Diagnostics, start: str) -> None:
        self._source = source
        self._how_to_start = start
        self._text = source.text
        self._report = Problems(source, sink).report
        self._stack: list[_Frame] = []
        self._expected = _Expected.VALUE
        self._root: Node | None = None
        self._position = 0
        self._values = 0

    def read(self) -> Node | None:
        """Parse the whole text. Raises GaveUp after reporting."""
        if not self._text.strip(" \t\n\r"):
            self._report(
                "TG003", 0, 0, "the file is empty", fix=self._how_to_start and f"start it with `{self._how_to_start}`"
            )
            raise GaveUp
        match_token, text, end_of_text = _TOKEN.match, self._text, len(self._text.rstrip(" \t\n\r"))
        while self._position < end_of_text:
            match = match_token(text, self._position)
            assert match is not None, "any character is a token, and so is the end"
            if match["comma"] is not None:
                self._comma(match.start("comma"))
            kind = match.lastgroup
            if kind == "comma":
                break
            if kind == "colon":
                if self._expected in _KEYS:
                    self._key(match["string"][1:-1], *match.span("string"))
                    self._expected = _Expected.VALUE
                    self._position = match.end()
                    continue
                kind = "string"  # and then the colon, which is rejected
            assert kind is not None, "every token is in a group"
            start, end = match.span(kind)
            self._position = end
            if kind == "string":
                self._string(text[start + 1 : end - 1], start, end)
            elif kind == "mark":
                self._mark(text[start], start)
            elif kind == "other":
                self._string_with_escapes(start)
            else:
                self._scalar(kind, text[start:end], start, end)
        if self._expected is not _Expected.NOTHING:
            raise self._unfinished()
        return self._root

    def _comma(self, start: int) -> None:
        if self._expected is not _Expected.COMMA_OR_END:
            raise self._unexpected(start, start + 1)
        self._expected = _Expected.VALUE if self._stack[-1].entries is None else _Expected.KEY

    def _mark(self, mark: str, start: int) -> None:
        expected = self._expected
        if mark in _CLOSING and expected in _VALUES:
            self._open(mark, start)
        elif mark == ":" and expected is _Expected.COLON:
            self._expected = _Expected.VALUE
        elif expected in _ENDS and mark == self._closing:
            node = self._stack.pop().node
            node.end = start + 1
            self._value(node)
        else:
            raise self._unexpected(start, start + 1)

    def _open(self, mark: str, start: int) -> None:
        if len(self._stack) >= MAX_DEPTH:
            message = f"this is nested more than {MAX_DEPTH} levels deep"
            self._report("TG005", start, start + 1, message, fix="give the inner part a name under `types`")
            raise GaveUp
        self._count(start, start + 1)
        if mark == "{":
            entries: dict[str, MappingEntry] = {}
            self._stack.append(_Frame(MappingNode(self._source, start, start, entries), [], entries))
            self._expected = _Expected.KEY_OR_END
        else:
            items: list[Node] = []
            self._stack.append(_Frame(SequenceNode(self._source, start, start, items), items, None))
            self._expected = _Expected.VALUE_OR_END

    def _string(self, value: str, start: int, end: int) -> None:
        if self._expected in _VALUES:
            self._count(start, end)
            self._value(ScalarNode(self._source, start, end, value))
        elif self._expected in _KEYS:
            self._key(value, start, end)
        else:
            raise self._unexpected(start, end)

    def _key(self, key: str, start: int, end: int) -> None:
        frame = self._stack[-1]
        frame.key = (key, start, end)
        if frame.entries is not None and key in frame.entries:
            _, first_start, first_end = frame.entries[key]
            first = Related(self._source.span(first_start, first_end), "first written here")
            message = f"duplicate key `{key}`"
            self._report("TG004", start, end, message, related=(first,), fix="remove or rename one of them")
            frame.key = None
        self._expected = _Expected.COLON

    def _scalar(self, kind: str, token: str, start: int, end: int) -> None:
        if self._expected not in _VALUES:
            raise self._unexpected(start, end)
        self._count(start, end)
        value: Scalar
        try:
            match kind:
                case "integer":
                    value = to_int(token)
                case "float":
                    value = to_float(token)
                case _:
                    value = self._word(token, start, end)
        except NumberRefused as refusal:
            self._report("TG009", start, end, f"this number is {refusal}", fix="quote it if it is text")
            value = 0
        self._value(ScalarNode(self._source, start, end, value))

    def _word(self, word: str, start: int, end: int) -> Scalar:
        if word in _WORDS:
            return _WORDS[word]
        if word in _NOT_FINITE:
            raise NumberRefused("not finite")
        fix = _OTHER_SPELLINGS.get(word.lower(), "put text in double quotes")
        if word[0] in "+-.0123456789":
            fix = "JSON numbers have no leading `+` or zeros, and digits on both sides of the point"
        raise self._syntax_error(start, end, f"`{word}` is not a JSON value", fix)

    def _count(self, start: int, end: int) -> None:
        """Count one more value, at `start` to `end`."""
        self._values += 1
        if self._values > MAX_VALUES:
            message = f"the file has more than {MAX_VALUES:,} values up to here"
            self._report("TG006", start, end, message, fix="split the file")
            raise GaveUp

    def _value(self, node: Node) -> None:
        """Add a completed value to the innermost open array or object."""
        if not self._stack:
            self._root = node
            self._expected = _Expected.NOTHING
            return
        frame = self._stack[-1]
        if frame.entries is None:
            frame.items.append(node)
        elif frame.key is not None:
            key, start, end = frame.key
            frame.entries[key] = (node, start, end)
        self._expected = _Expected.COMMA_OR_END

    def _string_with_escapes(self, start: int) -> None:
        """Parse a string with escapes, or report an invalid token."""
        if self._text[start] != '"':
            raise self._unexpected(start, start + 1)
        try:
            value, end = _decode_string(self._text, start)
        except JSONDecodeError as error:
            raise self._bad_string(error, start) from None
        self._position = end
        if _SURROGATE.search(value):
            self._lone_surrogate(start, end)
            value = _SURROGATE.sub("\ufffd", value)
        self._string(value, start, end)

    def _bad_string(self, error: JSONDecodeError, start: int) -> GaveUp:
        at = error.pos
        char = self._text[at : at + 1]
        if error.msg.startswith("Unterminated") or char in ("\n", "\r"):
            fix = 'close it with `"`; a line break inside is written `\\n`'
            return self._syntax_error(start, start + 1, "this string is not closed on its line", fix)
        if error.msg.startswith("Invalid control"):
            message = f"the character U+{ord(char):04X} must be escaped in JSON"
            return self._syntax_error(at, at + 1, message, f"write `\\u{ord(char):04x}`")
        at = self._text.rfind("\\", start, at + 1)
        end = at + (6 if self._text[at + 1] == "u" else 2)
        fix = 'an escape is one of `\\" \\\\ \\/ \\b \\f \\n \\r \\t`, or `\\u` and four hexadecimal digits'
        return self._syntax_error(at, end, f"`{self._text[at:end]}` is not an escape", fix)

    def _lone_surrogate(self, start: int, end: int) -> None:
        lone = next(match for match in _ESCAPED.finditer(self._text, start, end) if match["lone"])
        message = f"`{lone[0]}` is half of a surrogate pair, not a character"
        self._report("TG008", lone.start(), lone.end(), message, fix="write both halves, or remove it")

    @property
    def _closing(self) -> str:
        return "]" if self._stack[-1].entries is None else "}"

    def _unexpected(self, start: int, end: int) -> GaveUp:
        found = self._text[start:end]
        expected = self._expected
        if found[0] in "/#":
            return self._syntax_error(start, end, "JSON has no comments", "remove it, or use YAML")
        if found[0] == "'":
            return self._syntax_error(start, end, "JSON strings use double quotes", 'write `"`')
        if (
            found in ("]", "}")
            and expected in (_Expected.VALUE, _Expected.KEY)
            and self._text[:start].rstrip().endswith(",")
        ):
            return self._syntax_error(start, end, f"JSON allows no comma before `{found}`", "remove the comma")
        shown = cut(found, _SHOWN)
        if expected is _Expected.COMMA_OR_END:
            start_of_all = self._stack[-1].node.start
            opened = Related(self._source.span(start_of_all, start_of_all + 1), "it starts here")
            message = f"expected `,` or `{self._closing}`, found `{shown}`"
            return self._syntax_error(start, end, message, related=(opened,))
        return self._syntax_error(start, end, f"expected {expected.value}, found `{shown}`")

    def _unfinished(self) -> GaveUp:
        if not self._stack:
            return self._syntax_error(0, 1, "expected a value, found the end of the file")
        start = self._stack[-1].node.start
        message = f"this `{self._text[start]}` is never closed"
        return self._syntax_error(start, start + 1, message, f"close it with `{self._closing}`")

    def _syntax_error(
        self, start: int, end: int, message: str, fix: str = "", *, related: tuple[Related, ...] = ()
    ) -> GaveUp:
        """Report a syntax error, and return the exception to raise."""
        self._report("TG003", start, end, message, related=related, fix=fix)
        return GaveUp()
