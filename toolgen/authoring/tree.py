"""A spec as it is written: values with their style, anchors and comments, from the events of libyaml's parser."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from toolgen.authoring.text import SUPPRESSION, layout_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents.base import SharedFile
from toolgen.compiler.documents.evaluation import EVALUATION_HEAD, EvalFile
from toolgen.compiler.documents.read import HEADS, known_keys
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse
from toolgen.compiler.source.yaml_text import with_plain_breaks
from toolgen.spec.text import BLANKS, LINE_BREAK, line_starts, lines_of, visible

if TYPE_CHECKING:
    from yaml.events import Event

    from toolgen.authoring.text import Comment, Layout
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.source.nodes import Node, Scalar


# The canonical order of keys: that of the documents' models, with what a reader looks for first at the start.

_TOOL: Final = (
    "handler", "remote", "imported", "disabled", "wire_name", "title", "description", "permission", "tags", "roles",
    "annotations", "http", "args", "one_of", "inject", "result", "result_inferred", "bounded", "access", "confirm",
)  # fmt: skip
_TOOLSET: Final = ("toolset", "kind", "description", "tags", "import", "dialect", "server", "api", "types", "methods")
_KEPT: Final = frozenset(
    {"args", "fields", "result", "types", "payload", "server_data", "annotations", "icons", "source", "kept"}
)
"""Keys whose values are schemas, what fits them, or a server's: their order is part of what a model sees."""


def model_of(root: Node) -> type[SpecFileHead] | None:
    """Return the model of a file, by its head; None if it is not a spec."""
    return model_with(root.keys()) if isinstance(root, MappingNode) else None


def model_with(keys: Iterable[str]) -> type[SpecFileHead] | None:
    """Return the model of a file that has these keys; None if it is not a spec."""
    names = list(keys)
    heads: dict[str, type[SpecFileHead]] = {**HEADS, EVALUATION_HEAD: EvalFile}
    return next((heads[key] for key in names if key in heads), SharedFile) if "toolgen" in names else None


def key_order(model: type[SpecFileHead], path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of the mapping at a path in the canonical order; empty where the author's order counts.

    A path has `*` for each index, and names stay as they are written.
    """
    if not _KEPT.isdisjoint(path):
        return ()
    return _order(model, ("tools", "name", *path[2:]) if len(path) > 1 and path[0] == "tools" else path)


@cache
def _order(model: type[SpecFileHead], path: tuple[str, ...]) -> tuple[str, ...]:
    known = known_keys(model, tuple(0 if step == "*" else step for step in path))
    if not path:
        return tuple(dict.fromkeys(("toolgen", *(_TOOLSET if "toolset" in known else ()), *known)))
    first = _TOOL if len(path) == 2 and path[0] == "tools" else ()
    return tuple(dict.fromkeys((*first, *known))) if known else ()


# Text on several lines: blocks moved to another indentation, and long text folded.


def reindented(written: str, value: str, style: str, margin: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a block of text, moved to the column `margin`.

    `written` is the block as it is, from its header to the end of its last line; `value` is its value, which decides
    how its end is written.
    """
    lines = _content(written, value)
    ends = len(value) - len(value.rstrip("\n"))
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    lines += [""] * (ends - 1)
    leads = next((line for line in lines if line), "")
    size = str(2) if leads.startswith((" ", "\t")) or (lines and not lines[0]) else ""
    return f"{style}{size}{chomping}", [" " * margin + line if line else "" for line in lines]


def length(written: str, value: str) -> int:
    """Return the length of a block of text up to the end of the last line that has a character of its value."""
    if value.rstrip("\n").rpartition("\n")[2].strip(BLANKS):
        return len(written.rstrip(BLANKS))
    ends = [match.start() for match in LINE_BREAK.finditer(written)] + [len(written)]
    return ends[len(_content(written, value))]


def _content(written: str, value: str) -> list[str]:
    """Return the lines of a block without its indentation; blanks beyond that are part of the text."""
    raw = lines_of(written)[1:]
    width = _first_indent(raw) - _first_indent(value.split("\n"))
    lines = [line[width:] for line in raw]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _first_indent(lines: list[str]) -> int:
    """Return the indentation of the first line that is not blank."""
    first = next((line for line in lines if line.strip(" ")), "")
    return len(first) - len(first.lstrip(" "))


def reads_as(header: str, lines: list[str], margin: int, text: str) -> bool:
    """Whether a parser reads a block of text as this text."""
    document = "\n".join([f"{' ' * (margin - 2)}- {header}", *lines]) + "\n"
    root = parse(document, "block.yaml", Diagnostics())
    return root is not None and root.to_data() == [text]


def folded(text: str, margin: int, width: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a text without line ends, folded at blanks; no lines where that changes it."""
    words = text.split(" ")
    if "\n" in text or "" in words or visible(text) != text or len(words) < 2 or text[:1] == "\t" or "\t" in text:
        return ">-", []
    lines: list[str] = [words[0]]
    for word in words[1:]:
        if margin + len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return ">-", [" " * margin + line for line in lines]


_NEXT_LINE: Final = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t]*")

BLANK: Final = ""
"""A blank line among the lines before an entry."""


@dataclass
class Value:
    """A scalar, an alias or a collection. `start` and `end` are offsets of its text, with anchor and tag.

    `content` is where it starts without them; there can be comments between.

    `style` is YAML's for scalars: empty if plain, or one of `'"|>`. `entries` are those of a collection, None for
    others; `is_list` tells lists from mappings, and `is_flow` brackets from blocks. Brackets over several lines are
    `is_broken`. `after` are the comments at the end of a collection. `written` is a `|` or `>` block with the blank
    lines at its end. `target` is the value of an alias that an update keeps. `node_end` is where its node ends, which
    can be below the last character of a block of text.
    """

    kind: Literal["scalar", "alias", "collection"]
    start: int
    end: int
    data: Scalar = None
    text: str = ""
    written: str = ""
    style: str = ""
    anchor: str = ""
    is_tagged: bool = False
    is_list: bool = False
    is_flow: bool = False
    is_broken: bool = False
    entries: list[TreeEntry] = field(default_factory=list["TreeEntry"])
    after: list[str] = field(default_factory=list[str])
    target: Value | None = None
    node_end: int = 0
    content: int = 0

    @property
    def is_block_text(self) -> bool:
        """Whether it is written as a `|` or `>` block."""
        return self.kind == "scalar" and self.style in ("|", ">")

    @property
    def is_one_line(self) -> bool:
        """Whether all that is in it is on one line, as its author wrote it."""
        return self.kind != "collection" or not self.entries or (self.is_flow and not self.is_broken)

    def holds_comments(self) -> bool:
        """Whether there is a comment below, so that it cannot be written on one line."""
        return bool(self.after) or any(
            any(line != BLANK for line in entry.before) or entry.trailing or entry.value.holds_comments()
            for entry in self.entries
        )


@dataclass
class TreeEntry:
    """An entry of a mapping, or an item of a list, which has no key.

    `before` are the comments above it, and blank lines; `trailing` are those at the end of its first line. `column` is
    that of its start, from 0.
    """

    key: Value | None
    value: Value
    start: int
    column: int
    before: list[str] = field(default_factory=list[str])
    trailing: list[str] = field(default_factory=list[str])

    @property
    def is_suppressed(self) -> bool:
        """Whether one of its comments silences rules of lint."""
        return any(SUPPRESSION.match(line) for line in (*self.before, *self.trailing))


@dataclass
class Tree:
    """A whole file: comments at its start, its value, and comments at its end. `comments` are the texts of all.

    `head` is what is above the first entry, up to the last blank line: comments below that line are of the entry.
    `owners` are the comments as they were read, each with the entry that it is about; None at an end, or at the start.
    """

    head: list[str]
    root: Value
    tail: list[str]
    has_aliases: bool
    comments: list[str]
    owners: list[tuple[Comment, TreeEntry | None]] = field(default_factory=list["tuple[Comment, TreeEntry | None]"])


class Lines:
    """The lines of a text: where they start, and which follow a blank one. Offsets count from 0."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = line_starts(text)
        self._after_blank = {end for start, end in pairwise(self._starts) if not text[start:end].strip(BLANKS)}

    def start_of(self, offset: int) -> int:
        """Return where the line of an offset starts."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def is_after_blank(self, offset: int, last: TreeEntry | None) -> bool:
        """Whether the line above that of an offset is blank, and not one of the text of `last`, the entry before."""
        start = self.start_of(offset)
        if start not in self._after_blank or last is None or not last.value.is_block_text:
            return start in self._after_blank
        return self._text[last.value.end : start] not in ("\n", "\r\n", "\r")


def read_tree(text: str, node: Node) -> Tree:
    """Return the tree of a YAML text, whose values are those of `node`, the same text parsed."""
    hidden, restore = with_plain_breaks(text)
    events = list(yaml.parse(hidden, Loader=yaml.CBaseLoader))
    lines = Lines(text)
    layout = layout_of(text)
    root = _Builder(text, lines, events, restore, layout).value()
    _resolve(root, node)
    has_aliases = any(isinstance(event, AliasEvent) for event in events)
    tree = Tree([], root, [], has_aliases, [comment.text for comment in layout.comments])
    _Comments(text, lines, tree).attach(layout.comments)
    return tree


class _Builder:
    """Builds values from events."""

    def __init__(
        self, text: str, lines: Lines, events: Sequence[Event], restore: dict[int, str], layout: Layout
    ) -> None:
        self._text = text
        self._lines = lines
        self._restore = restore
        self._contents = layout.contents
        self._dashes = iter(layout.dashes)
        kinds = (ScalarEvent, AliasEvent, MappingStartEvent, MappingEndEvent, SequenceStartEvent, SequenceEndEvent)
        self._events = iter([event for event in events if isinstance(event, kinds)])

    def value(self) -> Value:
        """Return the next value. Recursion is bounded by the nesting that specs may have."""
        return self._of(next(self._events))

    def _of(self, event: Event) -> Value:
        assert event.start_mark is not None, "libyaml marks every event"
        assert event.end_mark is not None, "libyaml marks every event"
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, AliasEvent):
            return Value("alias", start, end, text=event.anchor or "", content=start)
        assert isinstance(event, ScalarEvent | MappingStartEvent | SequenceStartEvent), "an end has no start"
        has_properties = event.anchor is not None or event.tag is not None
        content = self._contents[start] if has_properties else start
        if isinstance(event, ScalarEvent):
            style = event.style or ""
            text = event.value.translate(self._restore) if self._restore else event.value
            found = Value("scalar", start, end, text=text, style=style, anchor=event.anchor or "")
            found.is_tagged = event.tag is not None
            found.content = min(content, end)  # of a value without a text, it is where the next one starts
            if style in ("|", ">"):
                found.written = self._text[content:end]
                found.end = content + length(found.written, text)
            return found
        is_list = isinstance(event, SequenceStartEvent)
        found = Value("collection", start, end, anchor=event.anchor or "", is_list=is_list, content=content)
        found.is_flow = bool(event.flow_style)
        for inner in self._events:
            if isinstance(inner, MappingEndEvent | SequenceEndEvent):
                assert inner.end_mark is not None, "libyaml marks every event"
                found.end = inner.end_mark.index if found.is_flow else self._end_of(found)
                break
            dash = next(self._dashes) if is_list and not found.is_flow else None
            first = self._of(inner)
            key = None if is_list else first
            value = first if is_list else self.value()
            begin = first.start if dash is None else dash
            found.entries.append(TreeEntry(key, value, begin, begin - self._lines.start_of(begin)))
        found.is_broken = found.is_flow and LINE_BREAK.search(self._text, content, found.end) is not None
        return found

    def _end_of(self, block: Value) -> int:
        """Return where a block ends: with its last entry."""
        return max(block.entries[-1].value.end, block.entries[-1].start) if block.entries else block.start


def _resolve(value: Value, node: Node) -> None:
    """Copy the data of scalars, and of aliases of scalars, from the parsed nodes, which have the same structure."""
    value.node_end = node.end
    if value.kind != "collection" and isinstance(node, ScalarNode):
        value.data = node.value
    elif isinstance(node, SequenceNode):
        for entry, item in zip(value.entries, node.items, strict=True) if value.kind == "collection" else ():
            _resolve(entry.value, item)
    elif isinstance(node, MappingNode) and value.kind == "collection":
        for entry, (_, inner) in zip(value.entries, node.entries(), strict=True):
            _resolve(entry.value, inner)


class _Comments:
    """Gives each comment to the entry that it is about."""

    def __init__(self, text: str, lines: Lines, tree: Tree) -> None:
        self._text = text
        self._lines = lines
        self._tree = tree
        pairs = list(_entries(tree.root))
        self._entries = [entry for _, entry in pairs]
        self._starts = [entry.start for entry in self._entries]
        self._parents = {id(entry): parent for parent, entry in pairs}
        self._owners = {id(entry.value): entry for entry in self._entries}

    def attach(self, comments: Sequence[Comment]) -> None:
        first = self._above_first(comments)
        for comment in comments:
            at = bisect_left(self._starts, comment.start)
            last = self._entries[at - 1] if at else None
            following = self._entries[at] if at < len(self._entries) else None
            if comment.is_alone:
                blank = [BLANK] if self._lines.is_after_blank(comment.start, last) else []
                if last is None:
                    self._tree.head += blank
                    owner = self._give(following if comment.start >= first else None, [comment.text], self._tree.head)
                else:
                    owner = self._above(comment, [*blank, comment.text], last, following)
            elif last is None:
                owner = self._give(None, [comment.text], self._tree.head)
            else:
                owner = self._beside(comment, last)
            self._tree.owners.append((comment, owner))
        for last, entry in pairwise([None, *self._entries]):
            assert entry is not None, "only the first has none before it"
            start = self._tree.root.start if last is None else entry.start
            starts_line = not self._text[self._lines.start_of(start) : start].strip(" -?")
            if starts_line and self._lines.is_after_blank(start, last):
                (self._tree.head if last is None else entry.before).append(BLANK)
            entry.before += entry.trailing[:-1]  # of a key and of a value below it, one has room beside them
            del entry.trailing[:-1]

    def _above_first(self, comments: Sequence[Comment]) -> int:
        """Return where the comments right above the first entry start; what is above a blank line is about the file."""
        at = self._starts[0] if self._starts else len(self._text)
        for comment in reversed(comments[: bisect_left(comments, at, key=attrgetter("start"))]):
            if not (comment.is_alone and _NEXT_LINE.fullmatch(self._text, comment.end, at)):
                break
            at = comment.start
        return at

    def _give(self, entry: TreeEntry | None, lines: list[str], others: list[str]) -> TreeEntry | None:
        """Add lines to those above an entry, or to others where there is none; return the entry."""
        (others if entry is None else entry.before).extend(lines)
        return entry

    def _beside(self, comment: Comment, last: TreeEntry) -> TreeEntry:
        """Attach a comment after content: to the widest entry that ends before it on its line, or the last begun."""
        line = self._lines.start_of(comment.start)
        chosen = last
        for entry in self._around(last):
            value = entry.value
            is_inline = not value.is_block_text and (value.kind != "collection" or value.is_flow)
            if is_inline and line <= value.end <= comment.start:
                chosen = entry
        chosen.trailing.append(comment.text)
        return chosen

    def _above(
        self, comment: Comment, lines: list[str], last: TreeEntry, following: TreeEntry | None
    ) -> TreeEntry | None:
        """Attach a comment on a line of its own: to the next entry, or to the end of a collection."""
        flow = self._flow_around(comment.start, last)
        if flow is not None and not flow.entries:  # nothing is written between its brackets
            return self._give(self._owners.get(id(flow)), lines, flow.after)
        if flow is not None:
            return self._give(following if following and following.start < flow.end else None, lines, flow.after)
        if last.value.content > comment.start:  # between a key and its value
            is_block = last.value.kind == "collection" and not last.value.is_flow
            if is_block and following is not None:
                return self._give(following, lines, self._tree.tail)
            return self._give(last, [line for line in lines if line != BLANK], self._tree.tail)
        column = comment.start - self._lines.start_of(comment.start)
        block = self._ending_block(last, column, following)
        if block is not None:
            return self._give(None, lines, block.after)
        return self._give(following, lines, self._tree.tail)

    def _ending_block(self, last: TreeEntry, column: int, following: TreeEntry | None) -> Value | None:
        """Return the block that a comment is at the end of, by its column; None if it is above what follows."""
        at_least = -1 if following is None else following.column
        for entry in self._around(last):
            parent = self._parents[id(entry)]
            if not parent.is_flow and at_least < entry.column <= column:
                return None if parent is self._tree.root else parent
        return None

    def _around(self, entry: TreeEntry | None) -> Iterator[TreeEntry]:
        """Yield an entry, and those that it is in, from the innermost on."""
        while entry is not None:
            yield entry
            entry = self._owners.get(id(self._parents[id(entry)]))

    def _flow_around(self, offset: int, last: TreeEntry) -> Value | None:
        """Return the innermost collection in brackets around an offset."""
        values = [entry.value for entry in self._around(last)] + [self._tree.root]
        return next(
            (
                each
                for each in values
                if each.kind == "collection" and each.is_flow and each.content < offset < each.end
            ),
            None,
        )


def _entries(value: Value) -> Iterator[tuple[Value, TreeEntry]]:
    """Yield every entry below a value with the collection that it is in, in the order of the text."""
    for entry in value.entries:
        yield value, entry
        yield from _entries(entry.value)
