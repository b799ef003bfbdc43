"""Formatting of one spec: its text in canonical order and style, with the same values and comments."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from toolgen.authoring.scalars import is_literal, json_text, key_text, literal_lines, scalar_text
from toolgen.authoring.text import comments_of
from toolgen.authoring.tree import (
    BLANK,
    Tree,
    TreeEntry,
    Value,
    folded,
    key_order,
    model_of,
    read_tree,
    reads_as,
    reindented,
)
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse
from toolgen.compiler.source.scalars import resolve_plain
from toolgen.schema.json_values import canonical
from toolgen.spec.text import BLANKS, line_end, with_line_end

if TYPE_CHECKING:
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.source.nodes import Node


# The text of a tree: two columns for each level, plain text where every parser reads it back, brackets as written.

WIDTH: Final = 120
"""Columns. A collection in brackets that does not fit goes on several lines; only text that was folded is folded."""

_STEP: Final = 2
_PARTED: Final = frozenset({"tools"})
"""Keys of a file with a blank line above and below them, if they take more than a line."""

_LONGEST_KEY: Final = 1000
"""Characters; a longer key is written after a `?`, because parsers look for its colon within 1,024 characters."""


def print_tree(tree: Tree, text: str, model: type[SpecFileHead] | None) -> str:
    """Return the formatted text. `text` is the original, `model` that of the file, which orders keys."""
    printer = _Printer(text, model, has_aliases=tree.has_aliases)
    printer.lines(tree.head, 0)
    printer.root(tree.root)
    printer.lines(tree.tail, 0)
    return printer.text()


class _Printer:
    """Collects lines. A `lead` is what stands before a value on its first line."""

    def __init__(self, text: str, model: type[SpecFileHead] | None, *, has_aliases: bool) -> None:
        self.out: list[str] = []
        self._text = text
        self._model = model
        self._has_aliases = has_aliases
        self._is_sealed = False
        """Whether the last line ends a block of text that keeps its blank lines: another one would be part of it."""

    def text(self) -> str:
        """Return all lines, without blank ones at the end that are not part of a text."""
        while self.out and not self.out[-1] and not self._is_sealed:
            self.out.pop()
        return "\n".join(self.out) + "\n"

    def lines(self, lines: list[str], indent: int) -> None:
        """Write comments and blank lines, one blank line at most, and none at the start."""
        for line in lines:
            if line != BLANK:
                self._add(" " * indent + line)
            else:
                self._blank()

    def root(self, value: Value) -> None:
        """Write the value of the file."""
        if value.kind == "collection" and value.entries and not value.anchor:
            self._entries(value, 0, (), None)
        else:
            at = len(self.out)
            self._value("", value, 0, (), None)
            self.out[at] = self.out[at].lstrip(" ") or "null"  # without a text it would have no value

    def _add(self, line: str) -> None:
        self.out.append(line)
        self._is_sealed = False

    def _blank(self) -> None:
        if self.out and self.out[-1] and not self._is_sealed and not self._opens():
            self.out.append("")

    def _opens(self) -> bool:
        """Whether the last line starts a collection: blank lines are between its entries, not before the first."""
        return self._opened == len(self.out)

    _opened: int = -1

    def _entries(self, value: Value, indent: int, path: tuple[str, ...], lead: str | None) -> None:
        """Write the entries of a block. The first one follows `lead`, if there is one."""
        entries = value.entries if value.is_list else self._ordered(value, path)
        spaced = path == ("tools",)
        was_long = was_parted = False
        for index, entry in enumerate(entries):
            begin = len(self.out)
            if lead is None or index:
                self.lines(entry.before, indent)
            at = len(self.out)
            self._entry(entry, indent, path, lead if index == 0 else None)
            is_long = len(self.out) - at > 1
            is_parted = not path and is_long and _name(entry) in _PARTED
            if index and (is_parted or was_parted or (spaced and (is_long or was_long))):
                self._part(begin)
            was_long, was_parted = is_long, is_parted
        if value.after:
            self.lines(value.after, indent)

    def _part(self, at: int) -> None:
        """Insert a blank line before the line at an index, unless there is one, or it would be part of a text."""
        if self.out[at] != "" and self.out[at - 1] != "":
            self.out.insert(at, "")

    def _ordered(self, value: Value, path: tuple[str, ...]) -> list[TreeEntry]:
        """Return the entries of a mapping in the canonical order, unless an alias would come before its anchor."""
        order = key_order(self._model, path) if self._model is not None else ()
        ranks = {key: rank for rank, key in enumerate(order)}
        ordered = (
            sorted(value.entries, key=lambda entry: ranks.get(_name(entry), len(ranks))) if order else value.entries
        )
        if (
            order
            and self._has_aliases
            and [_anchors(entry) for entry in ordered if _anchors(entry)]
            != [_anchors(entry) for entry in value.entries if _anchors(entry)]
        ):
            return value.entries
        return ordered

    def _entry(self, entry: TreeEntry, indent: int, path: tuple[str, ...], lead: str | None) -> None:
        lead = " " * indent if lead is None else lead
        if entry.key is None:
            self._value(f"{lead}-", entry.value, indent, (*path, "*"), entry)
            return
        name = f"&{entry.key.anchor} " if entry.key.anchor else ""
        written = name + self._key(entry.key)
        if len(written) > _LONGEST_KEY:
            self._add(f"{lead}? {written}")
            lead, written = " " * indent, ""
        self._value(f"{lead}{written}:", entry.value, indent, (*path, entry.key.text), entry)

    def _key(self, key: Value, *, in_flow: bool = False) -> str:
        """Write a key; a number or the like with an anchor as it is, because an alias reads its value."""
        if key.anchor and not key.style and not key.is_tagged and not isinstance(resolve_plain(key.text), str):
            return key.text
        return key_text(key.text, in_flow=in_flow)

    def _value(self, lead: str, value: Value, indent: int, path: tuple[str, ...], entry: TreeEntry | None) -> None:
        """Write a value after `lead`, or below it. `indent` is that of its entry; the value of the file has none.

        Brackets at a suppression stay on one line, or on several: it is about what is on the line of its entry.
        """
        comment = f"  {entry.trailing[0]}" if entry is not None and entry.trailing else ""
        is_item = entry is not None and entry.key is None
        head = f"{lead} &{value.anchor}" if value.anchor else lead
        room = WIDTH - len(head) - 1
        if entry is not None and entry.is_suppressed and value.kind == "collection":
            room = sys.maxsize if value.is_one_line else 0
        inline = self._inline(value, room)
        if inline is not None:
            self._add(f"{head} {inline}{comment}".rstrip(BLANKS) if inline else f"{head}{comment}")
            return
        if value.kind == "scalar":
            self._text_block(head, value, indent, comment)
            return
        if is_item and not comment and not value.anchor and not _starts_with_comment(value):
            self._entries(value, indent + _STEP, path, f"{head} ")
            return
        if head or comment:
            self._add(f"{head}{comment}")
            self._opened = len(self.out)
        self._entries(value, indent + _STEP if head else 0, path, None)

    def _text_block(self, head: str, value: Value, indent: int, comment: str) -> None:
        """Write text on several lines."""
        margin = indent + _STEP
        text = str(value.data)
        if value.is_block_text and (value.style == ">" or not is_literal(text)):
            header, lines = reindented(value.written, text, value.style, margin)
            if not reads_as(header, lines, margin, text):
                self._add(f"{head} {scalar_text(text, in_flow=False)}{comment}")
                return
        elif is_literal(text):
            header, lines = literal_lines(text, margin)
        else:
            header, lines = folded(text, margin, WIDTH)
        self._add(f"{head} {header}{comment}")
        self.out += lines
        self._is_sealed = "+" in header

    def _inline(self, value: Value, room: int, *, in_flow: bool = False) -> str | None:
        """Write a value on one line; None if it does not fit, or is written below."""
        if value.kind == "alias":
            return f"*{value.text}"
        if value.kind == "scalar":
            return self._scalar(value, room, in_flow=in_flow)
        if not value.entries:
            return ("[]" if value.is_list else "{}") if not value.after else None
        if not value.is_flow or value.holds_comments():
            return None
        parts: list[str] = []
        for entry in value.entries:
            text = self._inline(entry.value, room, in_flow=True)
            if text is None:
                return None
            text = f"&{entry.value.anchor} {text}".rstrip(BLANKS) if entry.value.anchor else text
            if entry.key is not None:
                anchor = f"&{entry.key.anchor} " if entry.key.anchor else ""
                text = f"{anchor}{self._key(entry.key, in_flow=True)}: {text}"
            parts.append(text)
        joined = ", ".join(parts)
        written = f"[{joined}]" if value.is_list else f"{{{joined}}}"
        return written if len(written) <= room else None

    def _scalar(self, value: Value, room: int, *, in_flow: bool) -> str | None:
        if not isinstance(value.data, str):
            if value.data is None and value.text == "" and not value.is_tagged and not in_flow and not value.anchor:
                return ""
            is_number = isinstance(value.data, int | float) and not isinstance(value.data, bool)
            return value.text if is_number and not value.is_tagged else scalar_text(value.data, in_flow=in_flow)
        if in_flow:
            return scalar_text(value.data, in_flow=True) if not value.is_block_text else None
        if value.style in ("|", ">") and value.data.strip():
            return None
        if is_literal(value.data):
            return None
        written = scalar_text(value.data, in_flow=False)
        spans_lines = not value.style and "\n" in self._text[value.start : value.end].replace("\r", "\n")
        spans_lines = spans_lines or (value.style in ("'", '"') and "\n" in self._text[value.start : value.end])
        can_fold = spans_lines and len(written) > room and folded(value.data, 0, WIDTH)[1] != []
        return None if can_fold else written


def _name(entry: TreeEntry) -> str:
    return "" if entry.key is None else entry.key.text


def _starts_with_comment(value: Value) -> bool:
    return any(line != BLANK for line in value.entries[0].before)


def _anchors(entry: TreeEntry) -> list[str]:
    """Return the anchors and aliases of an entry, in order."""
    found = [f"&{entry.key.anchor}"] if entry.key is not None and entry.key.anchor else []
    return found + _anchors_of(entry.value)


def _anchors_of(value: Value) -> list[str]:
    if value.kind == "alias":
        return [f"*{value.text}"]
    found = [f"&{value.anchor}"] if value.anchor else []
    return found + [name for entry in value.entries for name in _anchors(entry)]


# JSON specs in canonical form: keys in order, two columns for each level; numbers stay as they are written.


def print_json(node: Node, model: type[SpecFileHead] | None) -> str:
    """Return the formatted text of a JSON spec."""
    return _node_text(node, 0, (), model) + "\n"


def _node_text(node: Node, indent: int, path: tuple[str, ...], model: type[SpecFileHead] | None) -> str:
    inner = " " * (indent + 2)
    if isinstance(node, MappingNode) and node.keys():
        order = {key: rank for rank, key in enumerate(key_order(model, path) if model is not None else ())}
        entries = sorted(node.entries(), key=lambda entry: order.get(entry[0], len(order)))
        parts = [f"{json_text(key)}: {_node_text(value, indent + 2, (*path, key), model)}" for key, value in entries]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{' ' * indent}}}"
    if isinstance(node, SequenceNode) and node.items:
        parts = [_node_text(item, indent + 2, (*path, "*"), model) for item in node.items]
        return "[\n" + ",\n".join(inner + part for part in parts) + f"\n{' ' * indent}]"
    if isinstance(node, ScalarNode) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.source.text[node.start : node.end]
    return json_text(node.to_data())


def formatted(path: str, text: str, root: Node) -> str:
    """Return the formatted text of a spec, given with its parsed content. Lines end as most lines of it do.

    Raises RuntimeError if the result would have other values or comments, which is a defect of the formatter.
    """
    model = model_of(root)
    if path.lower().endswith(".json"):
        made = with_line_end(print_json(root, model), line_end(text))
        comments: tuple[list[str], list[str]] = ([], [])
    else:
        tree = read_tree(text, root)
        made = with_line_end(print_tree(tree, text, model), line_end(text))
        comments = (sorted(tree.comments), sorted(comment.text for comment in comments_of(made)))
    again = parse(made, path, Diagnostics())
    if again is None or canonical(again.to_data()) != canonical(root.to_data()):
        raise RuntimeError(f"{path}: formatting would change a value; nothing was written")
    if comments[0] != comments[1]:  # keys move with their comments, so the order may differ
        raise RuntimeError(f"{path}: formatting would lose a comment; nothing was written")
    return made
