"""Completion: keys, fixed values, and the names of types, methods, tools, toolsets, tags and args."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.authoring.language_server.keys import keys_at, values_at
from toolgen.authoring.language_server.symbols import Kind, entries
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.source.nodes import MappingNode, ScalarNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.authoring.language_server.context import Step, Writing
    from toolgen.authoring.language_server.workspace import Index

_SELECTORS: Final = frozenset({"use", "on_request", "suggest"})
_ARGS: Final = frozenset({"access", "one_of", "bounded"})
_SCHEMAS: Final = frozenset({"args", "result", "payload"})


@dataclass(frozen=True, slots=True)
class Offer:
    """One completion: the text that is inserted, what it is, and a description in Markdown."""

    text: str
    what: str
    description: str = ""
    is_key: bool = False


def offers_at(path: str, writing: Writing, index: Index) -> list[Offer]:
    """Return what can be written, each text once."""
    found: dict[str, Offer] = {}
    for offer in _offers(path, writing, index):
        found.setdefault(offer.text, offer)
    return list(found.values())


def _offers(path: str, writing: Writing, index: Index) -> Iterator[Offer]:
    data = writing.root.to_data()
    if writing.parent is not None:
        if _are_rules(writing.parent):
            yield from _selectors(writing.word, index)
        present = writing.root.at(writing.parent)
        keys = present.keys() if isinstance(present, MappingNode) else ()
        for key, schema in keys_at(data, writing.parent).items():
            if key not in keys:
                yield Offer(key, "key", str(schema.get("description", "")), is_key=True)
    if writing.value:
        yield from _names(path, writing, index, writing.value)
        for text, description in values_at(data, writing.value).items():
            yield Offer(text, "value", description)


def _names(path: str, writing: Writing, index: Index, at: Sequence[Step]) -> Iterator[Offer]:
    """Yield the names that a value may be."""
    key, above = at[-1], at[:-1]
    if key == "$ref":
        section = "methods" if above[:1] == ("methods",) and len(above) == 2 else "types"
        yield from _references(path, index, Kind.METHOD if section == "methods" else Kind.TYPE, section)
    elif key == "bind":
        yield from _of_file(path, index, Kind.METHOD)
    elif at[0] in _SELECTORS:
        yield from _selectors(writing.word, index)
    elif at[0] == "export" or key == "from":
        yield from _symbols(index, Kind.TOOLSET)
    elif key == "target" or (at[0] == "categories" and len(at) == 4 and at[2] == "actions"):
        yield from _targets(writing, index, at)
    elif "tags" in at[:4] and isinstance(key, int):
        yield from _tags(index)
    elif at[0] == "tools" and len(at) > 3 and at[2] in _ARGS and key != "next":
        args = writing.root.at((*at[:2], "args"))
        fields = args.get("properties") if isinstance(args, MappingNode) and "properties" in args.keys() else args
        yield from (Offer(name.rstrip("?!"), "arg") for name, _ in entries(fields))
    elif at[0] == "types" or (len(at) > 2 and at[2] in _SCHEMAS):
        yield from _of_file(path, index, Kind.TYPE)


def _are_rules(at: Sequence[Step]) -> bool:
    return at[:1] == ("rules",) or (at[:1] in (("roles",), ("modes",)) and len(at) == 2)


def _references(path: str, index: Index, kind: Kind, section: str) -> Iterator[Offer]:
    for name in index.names(kind):
        file, _, last = name.partition("#")
        where = "" if file == path else posixpath.relpath(file, posixpath.dirname(path) or ".")
        yield Offer(f"{where}#/{section}/{last}", kind.value, "" if file == path else f"In `{file}`.")


def _of_file(path: str, index: Index, kind: Kind) -> Iterator[Offer]:
    for name in index.names(kind):
        file, _, last = name.partition("#")
        if file == path:
            yield Offer(last, kind.value)


def _symbols(index: Index, kind: Kind) -> Iterator[Offer]:
    for name in index.names(kind):
        symbol = index.symbols[kind, name]
        description = symbol.node.get("description") if isinstance(symbol.node, MappingNode) else None
        text = description.value if isinstance(description, ScalarNode) else ""
        yield Offer(name, kind.value, str(text or ""))


def _selectors(word: str, index: Index) -> Iterator[Offer]:
    name, plus, _ = word.rpartition("+")
    if plus:
        yield from (Offer(f"{name}+{tag.text}", tag.what, tag.description) for tag in _tags(index))
        return
    yield from _symbols(index, Kind.TOOLSET)
    yield from _symbols(index, Kind.TOOL)


def _targets(writing: Writing, index: Index, at: Sequence[Step]) -> Iterator[Offer]:
    category = writing.root.at(at[:2])
    homes = [node.get("from") for node in (category, writing.root) if isinstance(node, MappingNode)]
    home = next((str(node.value) for node in homes if isinstance(node, ScalarNode)), "")
    for offer in _symbols(index, Kind.TOOL):
        if home and offer.text.startswith(f"{home}."):
            yield Offer(offer.text.removeprefix(f"{home}."), offer.what, offer.description)
        yield offer


def _tags(index: Index) -> Iterator[Offer]:
    for tag, meaning in BUILTIN.items():
        yield Offer(tag, "tag", meaning)
    for tag in index.names(Kind.TAG):
        node = index.symbols[Kind.TAG, tag].node
        yield Offer(tag, "tag", str(node.value) if isinstance(node, ScalarNode) else "")
