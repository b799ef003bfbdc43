"""YAML text to nodes: the events of libyaml's parser, with scalars of the core schema of YAML 1.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml.reader import ReaderError

from toolgen.compiler.diagnostics import Related
from toolgen.compiler.source.limits import MAX_DEPTH, MAX_VALUES, TEXT_WEIGHT, GaveUp, Problems
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.compiler.source.scalars import NumberRefused, resolve_plain, to_float
from toolgen.spec.text import BLANKS, escaped, visible

if TYPE_CHECKING:
    from yaml.events import Event

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.source.nodes import MappingEntry, Node, Scalar, Source


# Readable messages for libyaml's errors: a span, a message and a fix.

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_SPACE_AFTER_COLON: Final = re.compile(r"\s*(?:- )?[\w.-]+[?!]?(:)[^\s:/]")
_HEX_ESCAPE: Final = re.compile(r"\\([xuU])([0-9a-fA-F]{0,8})")
_LOW_SURROGATE: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_MAX_KEY: Final = 1024
"""Maximum characters that libyaml looks ahead for the colon of a key."""

_QUOTE: Final = "quote the value"
_SPACES: Final = "indent with spaces"
_SINGLE_QUOTES: Final = "in single quotes a `\\` is literal"


class _Problem(NamedTuple):
    """Where libyaml failed (`at`), and where the construct began (`since`): offsets into `text`."""

    text: str
    at: int
    since: int

    @property
    def line_before(self) -> str:
        """The part of the line before the problem."""
        return self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]

    @property
    def found(self) -> str:
        """What was found instead of what was expected."""
        if not self.text[self.at :].strip():
            return "the end of the file"
        char = self.text[self.at]
        return "the end of the line" if char in "\r\n" else f"`{visible(char)}`"

    @property
    def opening(self) -> str:
        """The first character of the construct being parsed."""
        return self.text[self.since : self.since + 1]


class _Explanation(NamedTuple):
    """What to report, from `start` to `end`. `opened` is where the broken construct begins, if known."""

    start: int
    end: int
    message: str
    fix: str
    opened: int | None = None
    code: str = "TG003"


def report_syntax_error(error: MarkedYAMLError, source: Source, sink: Diagnostics) -> None:
    """Report where and why libyaml failed."""
    at = 0 if error.problem_mark is None else min(error.problem_mark.index, len(source.text))
    since = at if error.context_mark is None else min(error.context_mark.index, at)
    found = _explanation(error.context or "", error.problem or "", _Problem(source.text, at, since))
    related = () if found.opened is None else (Related(source.span(found.opened, found.opened + 1), "it starts here"),)
    sink.report(
        found.code,
        source.span(found.start, found.end),
        found.message,
        related=related,
        fix=found.fix,
    )


def report_forbidden_character(source: Source, sink: Diagnostics) -> None:
    """Report the first character that YAML does not allow; libyaml only gives its byte."""
    match = _FORBIDDEN.search(source.text)
    assert match is not None, "libyaml rejects exactly these characters"
    message = f"the character U+{ord(match[0]):04X} must be escaped in YAML"
    fix = f"remove it, or write `{escaped(match[0])}` in double quotes"
    sink.report("TG003", source.span(match.start(), match.end()), message, fix=fix)


def _explanation(context: str, words: str, problem: _Problem) -> _Explanation:
    explain = _BY_PROBLEM.get(words)
    if explain is None:
        explain = next((_BY_CONTEXT[end] for end in _BY_CONTEXT if context.endswith(end)), None)
    if explain is None:
        return _Explanation(problem.at, problem.at + 1, f"{words} {context}".strip(), "")
    return explain(problem)


def _here(message: str, fix: str) -> Callable[[_Problem], _Explanation]:
    """An explanation with a fixed message, at the place of the problem."""
    return lambda problem: _Explanation(problem.at, problem.at + 1, message, fix)


def _since(message: str, fix: str) -> Callable[[_Problem], _Explanation]:
    """The same, from the start of the construct that libyaml did not understand; `{0}` is its first character."""

    def explain(problem: _Problem) -> _Explanation:
        return _Explanation(
            problem.since,
            max(problem.at, problem.since + 1),
            message.format(problem.opening),
            fix.format(problem.opening),
        )

    return explain


def _cannot_start(problem: _Problem) -> _Explanation:
    char = problem.text[problem.at]
    if char == "\t":
        return _Explanation(problem.at, problem.at + 1, "a tab cannot indent YAML", _SPACES)
    return _Explanation(problem.at, problem.at + 1, f"a value cannot start with `{visible(char)}`", _QUOTE)


def _second_colon(problem: _Problem) -> _Explanation:
    """Explain `a: b: c`, a missing space after the colon above, or a key below a plain text value."""
    at, before = problem.at, problem.line_before
    if re.search(r":\s", before):
        return _Explanation(at, at + 1, "plain text cannot contain `: `", _QUOTE)
    if len(before) > _MAX_KEY:
        message = f"a key is at most {_MAX_KEY} characters long"
        return _Explanation(at, at + 1, message, "write `? key`, and `: value` on the next line")
    above = problem.text[: at - len(before)].rstrip()
    line_start = above.rfind("\n") + 1
    if colon := _NO_SPACE_AFTER_COLON.match(above, line_start):
        return _missing_space(colon)
    fix = "align it with the keys above, or quote the value above"
    return _Explanation(
        at - len(before.lstrip()), at, "a key is not allowed here: the key above already has a value", fix
    )


def _no_colon(problem: _Problem) -> _Explanation:
    if colon := _NO_SPACE_AFTER_COLON.match(problem.text, problem.since):
        return _missing_space(colon)
    line = problem.text[problem.since :].partition("\n")[0].rstrip()
    fix = "write `key: value`; indent multi-line text under `|`"
    return _Explanation(
        problem.since, problem.since + max(len(line), 1), "this is not a key, because `: ` is missing", fix
    )


def _missing_space(colon: re.Match[str]) -> _Explanation:
    return _Explanation(*colon.span(1), "there is no space after this colon", "write `key: value`")


def _in_brackets(closing: str) -> Callable[[_Problem], _Explanation]:
    def explain(problem: _Problem) -> _Explanation:
        at, since = problem.at, problem.since
        if not problem.text[at:].strip():
            return _Explanation(
                since, since + 1, f"this `{problem.opening}` is never closed", f"close it with `{closing}`"
            )
        message = f"expected `,` or `{closing}`, found {problem.found}"
        same_line = "\n" not in problem.text[since:at]
        fix = (
            "text with brackets, commas or `: ` must be quoted"
            if same_line
            else f"close the list or mapping with `{closing}`"
        )
        return _Explanation(at, at + 1, message, fix, since)

    return explain


def _in_block(expected: str) -> Callable[[_Problem], _Explanation]:
    def explain(problem: _Problem) -> _Explanation:
        fix = "indent all its parts equally, and do not mix keys with list items"
        message = f"expected {expected}, found {problem.found}"
        return _after_closing(problem) or _Explanation(problem.at, problem.at + 1, message, fix, problem.since)

    return explain


def _after_closing(problem: _Problem) -> _Explanation | None:
    """Explain text after a closing quote or bracket: `'it's'`, `{{args.x}} and more`."""
    last = problem.line_before.rstrip()[-1:]
    if last not in _AFTER_CLOSING:
        return None
    return _Explanation(problem.at, problem.at + 1, f"unexpected text after the closing `{last}`", _AFTER_CLOSING[last])


_AFTER_CLOSING: Final[Mapping[str, str]] = {
    "'": "quote the whole value once; inside single quotes write `'` as `''`",
    '"': 'quote the whole value once; inside double quotes write `"` as `\\"`',
    "}": "quote the whole value",
    "]": "quote the whole value",
}


def _no_value(problem: _Problem) -> _Explanation:
    message = f"expected a value, found {problem.found}"
    return _Explanation(problem.at, problem.at + 1, message, "quote it if it is text")


def _no_end(problem: _Problem) -> _Explanation:
    message = f"expected the end of the file, found {problem.found}"
    plain = _Explanation(
        problem.at, problem.at + 1, message, "a file is one mapping: `key: value` lines from the first column"
    )
    return _after_closing(problem) or plain


def _marker_in_quotes(problem: _Problem) -> _Explanation:
    marker = problem.text[problem.at : problem.at + 3]
    message = f"a line that starts with `{marker}` ends the document, in the middle of quoted text"
    return _Explanation(
        problem.at, problem.at + 3, message, "indent the line, or close the quotes before it", problem.since
    )


def _unclosed_quote(problem: _Problem) -> _Explanation:
    quote = problem.opening
    return _Explanation(problem.since, problem.since + 1, f"this `{quote}` is never closed", f"close it with `{quote}`")


def _unknown_escape(problem: _Problem) -> _Explanation:
    char = visible(problem.text[problem.at + 1 : problem.at + 2])
    fix = f"write `\\\\{char}`, or use single quotes: {_SINGLE_QUOTES}"
    return _Explanation(problem.at, problem.at + 2, f"`\\{char}` is not an escape", fix)


def _hex_escape(problem: _Problem) -> _Explanation:
    """Explain an escape with too few digits, half a surrogate pair, or a number beyond Unicode."""
    start = problem.text.rfind("\\", 0, problem.at)
    match = _HEX_ESCAPE.match(problem.text, start)
    assert match is not None, "libyaml was reading a hexadecimal escape"
    kind = match[1]
    length = {"x": 2, "u": 4, "U": 8}[kind]
    digits = match[2][:length]
    end = start + 2 + len(digits)
    if len(digits) < length:
        message = f"`\\{kind}` takes {length} hexadecimal digits"
        return _Explanation(start, end, message, f"write them all, or use single quotes: {_SINGLE_QUOTES}")
    number = int(digits, 16)
    if not 0xD800 <= number <= 0xDFFF:
        return _Explanation(start, end, f"there is no character U+{number:X}", "the last one is U+10FFFF")
    fix = "remove it"
    low = _LOW_SURROGATE.match(problem.text, end)
    if number < 0xDC00 and low:
        character = 0x10000 + ((number - 0xD800) << 10) + int(low[1], 16) - 0xDC00
        end, fix = low.end(), f"write `\\U{character:08x}`, or the character itself"
    return _Explanation(
        start, end, "YAML has no surrogate pairs, and half of one is not a character", fix, code="TG008"
    )


def _version(problem: _Problem) -> _Explanation:
    line = problem.text[problem.at :].partition("\n")[0].rstrip()
    return _Explanation(problem.at, problem.at + len(line), "this is not YAML 1.2", "remove the `%YAML` line")


_BY_PROBLEM: Final[Mapping[str, Callable[[_Problem], _Explanation]]] = {
    "found character that cannot start any token": _cannot_start,
    "found a tab character that violates indentation": _here("a tab cannot indent YAML", _SPACES),
    "found a tab character where an indentation space is expected": _here("a tab cannot indent YAML", _SPACES),
    "mapping values are not allowed in this context": _second_colon,
    "mapping keys are not allowed in this context": _here("a value cannot start with `? `", _QUOTE),
    "block sequence entries are not allowed in this context": _here(
        "a list item cannot start in the middle of a line", "put `- …` on the next line, or quote it if it is text"
    ),
    "could not find expected ':'": _no_colon,
    "did not find expected ',' or ']'": _in_brackets("]"),
    "did not find expected ',' or '}'": _in_brackets("}"),
    "did not find expected key": _in_block("a key"),
    "did not find expected '-' indicator": _in_block("the `-` of a list item"),
    "did not find expected node content": _no_value,
    "did not find expected <document start>": _no_end,
    "found unexpected end of stream": _unclosed_quote,
    "found unexpected document indicator": _marker_in_quotes,
    "found unknown escape character": _unknown_escape,
    "did not find expected hexdecimal number": _hex_escape,
    "found invalid Unicode character escape code": _hex_escape,
    "found incompatible YAML document": _version,
}

_BY_CONTEXT: Final[Mapping[str, Callable[[_Problem], _Explanation]]] = {
    "an alias": _since("`{0}` starts an alias, but this is not an alias name", _QUOTE),
    "an anchor": _since("`{0}` starts an anchor, but this is not an anchor name", _QUOTE),
    "a tag": _since("`{0}` starts a tag, but this is not a tag", _QUOTE),
    "a node": _since("`{0}` starts a tag, but this tag is unknown", _QUOTE),
    "directive": _since("a line that starts with `%` is a directive, but this one is unknown", "remove it"),
    "a block scalar": _here("only indented lines of text can follow `|` or `>`", "start the text on the next line"),
}
"""Used where the context tells more than the problem; `a node` fails by itself only for a tag's prefix."""


_CORE: Final = "tag:yaml.org,2002:"
_TAGS: Final[dict[str, tuple[type, ...]]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
    "map": (),
    "seq": (),
}
"""The tags of the core schema, and the types of their scalars."""

_TAG: Final = re.compile(r"!\S*")
_OLD_BREAKS: Final = "\x85\u2028\u2029"

_Anchored: TypeAlias = "tuple[Node, int, int]"
"""A node, its expanded size, and its height."""


def parse_yaml(source: Source, sink: Diagnostics, *, start: str = "") -> Node | None:
    """Parse one YAML document. Errors are reported to the sink; returns None if parsing cannot continue.

    `start` is how such a file starts, for one that is empty.
    """
    text, restore = with_plain_breaks(source.text)
    builder = _Builder(source, sink, restore, start)
    try:
        return builder.build(yaml.CBaseLoader(text))
    except MarkedYAMLError as error:
        report_syntax_error(error, source, sink)
    except ReaderError:
        report_forbidden_character(source, sink)
    except GaveUp:
        pass
    return None


def with_plain_breaks(text: str) -> tuple[str, dict[int, str]]:
    """Hide the characters from libyaml that end a line in YAML 1.1 and are plain text in 1.2.

    Each is replaced by a character that the text does not use, so that offsets stay; the map restores them.
    """
    breaks = [char for char in _OLD_BREAKS if char in text]
    if not breaks:
        return text, {}
    used = set(text)
    unused = (char for char in map(chr, range(0xE000, 0x110000)) if char not in used)
    marks = list(zip(breaks, unused, strict=False))
    for char, mark in marks:
        text = text.replace(char, mark)
    return text, {ord(mark): char for char, mark in marks}


class _Frame:
    """A collection being parsed: `items` of a sequence, or `entries` of a mapping.

    `key` is the key of the next value; None drops the value, because the key was rejected. `end` is where the last part
    ended. `size` is the number of values with all aliases expanded, `height` the nesting depth, itself included.
    """

    __slots__ = ("anchor", "awaits_key", "end", "entries", "height", "items", "key", "node", "size")

    def __init__(
        self, node: Node | None, items: list[Node] | None, entries: dict[str, MappingEntry] | None, anchor: str | None
    ) -> None:
        self.node = node
        self.items = items
        self.entries = entries
        self.anchor = anchor
        self.awaits_key = entries is not None
        self.key: tuple[str, int, int] | None = None
        self.end = 0 if node is None else node.end
        self.size = 1
        self.height = 1


class _Builder:
    """Builds nodes from events. The outermost frame is the stream, a sequence of documents."""

    def __init__(self, source: Source, sink: Diagnostics, restore: dict[int, str], start: str) -> None:
        self._source = source
        self._report = Problems(source, sink).report
        self._restore = restore
        self._how_to_start = start
        self._documents: list[Node] = []
        self._stack = [_Frame(None, self._documents, None, None)]
        self._anchors: dict[str, _Anchored | None] = {}
        self._values = 0

    def build(self, parser: yaml.CBaseLoader) -> Node | None:
        """Process all events. Raises GaveUp after reporting, and the parser's exceptions."""
        take: dict[type, Callable[[Any], None]] = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start_mapping,
            MappingEndEvent: self._end,
            SequenceStartEvent: self._start_sequence,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._start_document,
        }  # all others are the ends of documents and the stream
        while (event := parser.get_event()) is not None:
            taken_by = take.get(type(event))
            if taken_by is not None:
                taken_by(event)
        if not self._documents:
            self._report(
                "TG003", 0, 0, "the file is empty", fix=self._how_to_start and f"start it with `{self._how_to_start}`"
            )
            return None
        return self._documents[0]

    def _start_document(self, event: DocumentStartEvent) -> None:
        if self._documents:
            start, end = _range(event)
            self._report("TG007", start, end, "a second document starts here", fix="move it to a separate file")
            raise GaveUp

    def _scalar(self, event: ScalarEvent) -> None:
        start, end = _range(event)
        text = event.value
        if self._restore:
            text = text.translate(self._restore)
        frame = self._stack[-1]
        if frame.awaits_key:
            self._key(frame, event, text, start, end)
            return
        if event.style in ("|", ">"):
            end = start + len(self._source.text[start:end].rstrip(BLANKS))
        value = text if event.tag is None and not event.implicit[0] else self._resolve(event, text, start, end)
        node = ScalarNode(self._source, start, end, value)
        size = 1 + len(text) // TEXT_WEIGHT
        self._count(size, start, end)
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, size, 0)
        self._attach(node, end, size, 0)

    def _key(self, frame: _Frame, event: ScalarEvent, text: str, start: int, end: int) -> None:
        """Add a key: its text, whatever it would resolve to as a value."""
        frame.awaits_key = False
        frame.key = None
        frame.end = end
        weight = len(text) // TEXT_WEIGHT
        frame.size += weight
        self._count(weight, start, end)
        plain = event.implicit[0]
        if event.anchor is not None:
            node = ScalarNode(self._source, start, end, self._resolve(event, text, start, end))
            self._anchors[event.anchor] = (node, 1 + weight, 0)
        if event.tag not in (None, "!", _CORE + "str"):
            self._report("TG007", start, end, "a key is text, and cannot have a tag", fix="remove the tag")
        elif plain and text == "<<":
            fix = "write the keys here, or move them to a type and use its name"
            self._report("TG007", start, end, "`<<` is a merge key in YAML 1.1; YAML 1.2 has none", fix=fix)
        elif plain and not text:
            self._report("TG007", start, end, "there is no key before this `:`", fix='an empty key is written `""`')
        elif frame.entries is not None and text in frame.entries:
            _, first_start, first_end = frame.entries[text]
            first = Related(self._source.span(first_start, first_end), "first written here")
            message = f"duplicate key `{text}`"
            self._report("TG004", start, end, message, related=(first,), fix="remove or rename one of them")
        else:
            frame.key = (text, start, end)

    def _resolve(self, event: ScalarEvent, text: str, start: int, end: int) -> Scalar:
        """Return the value of a scalar by its tag, or by the core schema if it is plain. Reports invalid ones."""
        tag = event.tag
        try:
            if tag is None:
                return resolve_plain(text) if event.implicit[0] else text
            if tag == "!":
                return text
            name = tag.removeprefix(_CORE)
            types = _TAGS.get(name, ()) if tag.startswith(_CORE) else ()
            if str in types:
                return text
            value = resolve_plain(text) if types else None
            if type(value) in types:
                return to_float(str(value)) if name == "float" else value
            self._refuse_tag(tag, start)
        except NumberRefused as refusal:
            self._report("TG009", start, end, f"this number is {refusal}", fix="quote it if it is text")
            return 0
        return text

    def _start_mapping(self, event: MappingStartEvent) -> None:
        entries: dict[str, MappingEntry] = {}
        self._start(MappingNode(self._source, *_range(event), entries), None, entries, event, "map")

    def _start_sequence(self, event: SequenceStartEvent) -> None:
        items: list[Node] = []
        self._start(SequenceNode(self._source, *_range(event), items), items, None, event, "seq")

    def _start(
        self,
        node: Node,
        items: list[Node] | None,
        entries: dict[str, MappingEntry] | None,
        event: MappingStartEvent | SequenceStartEvent,
        tag: str,
    ) -> None:
        self._count(1, node.start, node.start + 1)
        if len(self._stack) > MAX_DEPTH:
            raise self._too_deep(node.start, node.start + 1)
        if event.tag not in (None, "!", _CORE + tag):
            self._refuse_tag(event.tag, node.start)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Frame(node, items, entries, event.anchor))

    def _end(self, event: MappingEndEvent | SequenceEndEvent) -> None:
        frame = self._stack.pop()
        node = frame.node
        assert node is not None, "the stream is never ended by a collection"
        start, end = _range(event)
        node.end = end if end > start else frame.end
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (node, frame.size, frame.height)
        self._attach(node, node.end, frame.size, frame.height)

    def _alias(self, event: AliasEvent) -> None:
        start, end = _range(event)
        name = event.anchor or ""
        if self._stack[-1].awaits_key:
            self._stack[-1].awaits_key = False
            self._stack[-1].key = None
            self._report("TG007", start, end, "an alias cannot be a key", fix="write the key here")
            return
        if name not in self._anchors:
            message = f"there is no anchor `&{name}` above"
            self._report("TG003", start, end, message, fix=f'write `"*{name}"` if it is text')
            self._attach(ScalarNode(self._source, start, end, f"*{name}"), end, 1, 0)
            return
        anchored = self._anchors[name]
        if anchored is None:
            self._report(
                "TG006",
                start,
                end,
                f"`*{name}` is inside the collection that it refers to",
                fix="write the values here",
            )
            raise GaveUp
        node, size, height = anchored
        self._count(size, start, end)
        if len(self._stack) - 1 + height > MAX_DEPTH:
            raise self._too_deep(start, end)
        self._attach(node, end, size, height)

    def _attach(self, node: Node, end: int, size: int, height: int) -> None:
        """Add a completed value to the innermost open collection."""
        frame = self._stack[-1]
        frame.end = end
        frame.size += size
        if height >= frame.height:
            frame.height = height + 1
        if frame.items is not None:
            frame.items.append(node)
        elif frame.awaits_key:
            frame.awaits_key = False
            frame.key = None
            template = self._source.text.startswith("{{", node.start - 1)
            fix = "quote the whole value; templates must be quoted" if template else "a key is text: quote it"
            self._report("TG007", node.start, node.end, "a mapping or a list cannot be a key", fix=fix)
        else:
            frame.awaits_key = True
            if frame.key is not None and frame.entries is not None:
                name, key_start, key_end = frame.key
                frame.entries[name] = (node, key_start, key_end)

    def _count(self, values: int, start: int, end: int) -> None:
        """Count the values that begin at `start`, aliases expanded."""
        self._values += values
        if self._values > MAX_VALUES:
            message = f"the file has more than {MAX_VALUES:,} values up to here, aliases expanded"
            self._report("TG006", start, end, message, fix="split the file, and move repeated parts to `types`")
            raise GaveUp

    def _too_deep(self, start: int, end: int) -> GaveUp:
        message = f"this is nested more than {MAX_DEPTH} levels deep"
        self._report("TG005", start, end, message, fix="give the inner part a name under `types`")
        return GaveUp()

    def _refuse_tag(self, tag: str, start: int) -> None:
        match = _TAG.search(self._source.text, start)
        assert match is not None, "a tag starts with an exclamation mark"
        name = tag.removeprefix(_CORE)
        shown = f"!!{name}" if tag.startswith(_CORE) else tag
        if shown == f"!!{name}" and name in _TAGS:
            self._report("TG007", *match.span(), f"the value does not match its tag `{shown}`", fix="remove the tag")
            return
        fix = "remove the tag, or quote the value if the `!` is text"
        self._report("TG007", *match.span(), f"the tag `{shown}` is not part of the spec language", fix=fix)


def _range(event: Event) -> tuple[int, int]:
    assert event.start_mark is not None, "libyaml marks every event"
    assert event.end_mark is not None, "libyaml marks every event"
    return event.start_mark.index, event.end_mark.index
