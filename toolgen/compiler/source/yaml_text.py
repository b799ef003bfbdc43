"""YAML text to nodes: the events of libyaml's parser, with scalars of the core schema of YAML 1.2."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
from toolgen.compiler.source.yaml_errors import report_forbidden_character, report_syntax_error
from toolgen.spec.lines import BLANKS

if TYPE_CHECKING:
    from yaml.events import Event

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.source.nodes import MappingEntry, Node, Scalar, Source

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


def parse_yaml(source: Source, sink: Diagnostics) -> Node | None:
    """Parse one YAML document. Errors are reported to the sink; returns None if parsing cannot continue."""
    text, restore = with_plain_breaks(source.text)
    builder = _Builder(source, sink, restore)
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

    def __init__(self, source: Source, sink: Diagnostics, restore: dict[int, str]) -> None:
        self._source = source
        self._report = Problems(source, sink).report
        self._restore = restore
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
            self._report("TG003", 0, 0, "the file is empty", fix="start it with `toolgen: 1`")
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
