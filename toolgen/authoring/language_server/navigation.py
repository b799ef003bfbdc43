"""Navigation: from a use to the definition and back, and new names for both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.authoring.language_server.completion import description_at, node_at
from toolgen.authoring.language_server.symbols import Kind, Reference, Symbol
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.documents.base import GRAMMAR, DottedNamePattern, ToolKeyPattern, TypeNamePattern, WordPattern
from toolgen.compiler.project.config import Target
from toolgen.compiler.project.listing import is_evaluation
from toolgen.compiler.resolve import resolve
from toolgen.compiler.resolve.selectors import Selectable
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.spec.selector import names_one_of
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.authoring.language_server.workspace import File, Index
    from toolgen.authoring.language_server.written import Name, TextRange, WrittenScalar
    from toolgen.compiler.documents.read import Document


_PATTERNS: Final[Mapping[Kind, str]] = {
    Kind.TOOLSET: DottedNamePattern,
    Kind.AGENT: DottedNamePattern,
    Kind.TOOL: ToolKeyPattern,
    Kind.TYPE: TypeNamePattern,
    Kind.METHOD: WordPattern,
    Kind.TAG: WordPattern,
    Kind.CATALOG: WordPattern,
    Kind.POLICY: WordPattern,
}


@dataclass(frozen=True, slots=True)
class Found:
    """The symbol at a position, and where the position is."""

    symbol: Symbol
    place: TextRange


class RenameRefused(ValueError):
    """A name cannot be given; the message says why."""


def symbol_at(index: Index, path: str, offset: int) -> Found | None:
    """Return the symbol that is defined or used at an offset of a file; None if there is none, or it is not defined."""
    file = next((each for each in index.files if each.path == path), None)
    if file is None:
        return None
    for symbol in file.symbols.defined:
        if _holds(symbol.place, offset):
            return Found(symbol, symbol.place)
    for used in file.symbols.used:
        if _holds(used.place, offset) and (meant := index.find(used.kind, used.names)):
            return Found(meant, used.place)
    return None


def uses_of(index: Index, symbol: Symbol) -> list[Reference]:
    """Return all references to a symbol, each place once."""
    found: dict[TextRange, Reference] = {}
    for used in _uses(index, symbol):
        found.setdefault(used.place, used)
    return list(found.values())


def _uses(index: Index, symbol: Symbol) -> Iterator[Reference]:
    """Yield all references to a symbol; one that is written once with an anchor, as often as an alias repeats it."""
    for used in _references(index):
        if symbol.name in used.names and index.find(used.kind, used.names) == symbol:
            yield used


def _references(index: Index) -> Iterator[Reference]:
    return (used for file in index.files for used in file.symbols.used)


def renamed(index: Index, symbol: Symbol, name: str) -> list[tuple[TextRange, str]]:
    """Return the edits that give a symbol another name, everywhere. `name` is the key of a tool, not its ident.

    Where a tool has another name that would be lost, such as the prefix of its tag, its ident is written. Raises
    RenameRefused if the name is not allowed or taken, the symbol is of a built-in toolset, a name or a pattern would
    mean other tools, an action has the name of the tool, or a file cannot be edited so that it reads as before but for
    the name.
    """
    pattern = _PATTERNS[symbol.kind]
    if not re.fullmatch(pattern, name):
        raise RenameRefused(f"{name!r} cannot be the name of a {symbol.kind.value}: {GRAMMAR[pattern]}")
    prefix = symbol.name[: len(symbol.name) - len(short_name(symbol))]
    if (symbol.kind, f"{prefix}{name}") in index.symbols:
        raise RenameRefused(f"there is a {symbol.kind.value} `{name}` already")
    if "://" in symbol.place.path:
        raise RenameRefused(f"`{short_name(symbol)}` is of a built-in toolset")
    names = [(symbol.written, name)]
    for used in _uses(index, symbol):
        if symbol.kind is Kind.TOOL and used.names_entry:
            entry = f"the action `{used.written.text}` in {used.place.path}"
            raise RenameRefused(f"{entry} has the name of the tool for its target: write the `target` first")
        names.append((used.written, _written(used, symbol, f"{prefix}{name}", name)))
    idents = {symbol.name: f"{prefix}{name}"}
    if symbol.kind is Kind.TOOLSET:
        idents = _idents(index, symbol.name, name)
        names += _of_toolset(index, symbol.name, name)
    elif symbol.kind is Kind.TOOL:
        for used in _patterns(index):
            _check_pattern(used, idents.items())
    else:
        return _edits(index, names)
    return _edits(index, [*names, *_other_names(index, names, idents)])


def short_name(symbol: Symbol) -> str:
    """Return the name as it is written where the symbol is defined: the key of a tool, the name of a type."""
    if symbol.kind is Kind.TOOL:
        return symbol.name.rpartition(".")[2]
    return symbol.name.rpartition("#")[2]


def _written(used: Reference, symbol: Symbol, ident: str, name: str) -> str:
    """Return what is written in place of a use: an ident or a wire name of a tool where it was one, else the name."""
    if symbol.kind is Kind.TOOL:
        if used.written.text == wire_name(symbol.name):
            return wire_name(ident)
        if used.written.text == symbol.name:
            return ident
    return name


def _idents(index: Index, toolset: str, name: str) -> dict[str, str]:
    """Return the idents that the tools of a toolset get with another name of it."""
    tools = index.names(Kind.TOOL)
    return {each: f"{name}.{each.rpartition('.')[2]}" for each in tools if each.rpartition(".")[0] == toolset}


def _other_names(
    index: Index, names: Sequence[tuple[Name, str]], idents: Mapping[str, str]
) -> Iterator[tuple[Name, str]]:
    """Yield the new idents of tools where they have a name that is neither an ident nor a wire name, and loses it.

    `names` are the other names that are written, and `idents` the new idents of tools. What a name means is what the
    compiler says, before and after. Raises RenameRefused for a name that would mean other tools, or of several tools.
    """
    others = [used for used in _references(index) if used.kind is Kind.TOOL and not index.find(used.kind, used.names)]
    if not others:
        return
    edits = _edits(index, names)
    before = _selectable(each.document for each in index.files)
    if not idents.keys() <= {*before.names.known}:
        first = f"`{others[0].written.text}` in {others[0].place.path}"
        raise RenameRefused(f"{first} may mean a tool whose file has errors: correct them first")
    after = _selectable(_document_after(each, edits) for each in index.files)
    for used in others:
        text = used.written.text
        meant = {tool.ident for tool in before.select(text, restricts=True)}
        if {idents.get(each, each) for each in meant} == {tool.ident for tool in after.select(text, restricts=True)}:
            continue
        if len(meant) != 1 or not meant <= idents.keys():
            raise RenameRefused(f"`{text}` in {used.place.path} would mean other tools: write the idents first")
        yield used.written, idents[meant.pop()]


def _selectable(documents: Iterable[Document[Any] | None]) -> Selectable:
    """Return the tools of documents, with all their names."""
    target = Target()  # nothing that it says has to do with names
    specs = [each for each in documents if each is not None and not is_evaluation(each.path)]
    catalog = resolve(specs, Diagnostics(), profile=target.profile, formats=target.formats)
    return Selectable.of(catalog.toolsets, catalog.catalogs, ())


def _document_after(file: File, edits: Sequence[tuple[TextRange, str]]) -> Document[Any] | None:
    """Return the document of a file after edits."""
    own = [edit for edit in edits if edit[0].path == file.path]
    if not own:
        return file.document
    text = _edited(file.text, own)
    root = parse(text, file.path, Diagnostics())
    return None if root is None else next(iter(read_documents([SpecFile(file.path, text, root)], Diagnostics())), None)


def _edited(text: str, edits: Iterable[tuple[TextRange, str]]) -> str:
    for place, written in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = f"{text[: place.start]}{written}{text[place.end :]}"
    return text


def _of_toolset(index: Index, toolset: str, name: str) -> Iterator[tuple[Name, str]]:
    """Yield the new names of the idents of a toolset's tools, and of the patterns that select only these."""
    tools = index.names(Kind.TOOL)
    own = _idents(index, toolset, name)
    for used in _references(index):
        found = index.find(used.kind, used.names)
        if found is None or found.kind is not Kind.TOOL or found.name not in own:
            continue
        written = _written(used, found, own[found.name], "")
        if written:
            yield used.written, written
    for used in _patterns(index):
        pattern = used.names[0]
        selected = [each for each in tools if names_one_of(each, [pattern])]
        if pattern.startswith(f"{toolset}.") and selected and own.keys() >= set(selected):
            yield used.written, f"{name}{pattern.removeprefix(toolset)}"
        else:
            _check_pattern(used, own.items())


def _patterns(index: Index) -> Iterator[Reference]:
    return (used for used in _references(index) if used.kind is Kind.PATTERN)


def _check_pattern(used: Reference, renamed_tools: Iterable[tuple[str, str]]) -> None:
    """Raise RenameRefused for a pattern that selects a tool by its old name and not by the new one, or the reverse."""
    pattern = used.names[0]
    for old, new in renamed_tools:
        before, after = _matches(pattern, old), _matches(pattern, new)
        if before != after:
            does = f"does not select `{new}`, as it does `{old}`" if before else f"selects `{new}` and not `{old}`"
            raise RenameRefused(f"`{pattern}` in {used.place.path} {does}: change it first")


def _matches(pattern: str, ident: str) -> bool:
    """Whether a pattern matches a tool, by its ident or, in a rule that restricts, by its wire name."""
    return any(names_one_of(each, [pattern]) for each in (ident, wire_name(ident)))


# Edits: names are written so that each file reads as before, but for them.

_Part: TypeAlias = "tuple[int, int, str]"
"""What to write in place of a part of a scalar's value."""


def _edits(index: Index, names: Iterable[tuple[Name, str]]) -> list[tuple[TextRange, str]]:
    """Return the edits that write other names, each as often as it occurs. Raises RenameRefused."""
    parts: dict[str, dict[WrittenScalar, Counter[_Part]]] = {}
    for written, name in names:
        scalars = parts.setdefault(written.scalar.place.path, {})
        scalars.setdefault(written.scalar, Counter())[written.start, written.end, name] += 1
    edits: list[tuple[TextRange, str]] = []
    for file in index.files:
        if file.spec is None:
            raise RenameRefused(f"{file.path} cannot be read, so the name may be used there: correct it first")
        if file.path in parts:
            edits += _edits_of_file(file, file.spec.root, parts[file.path])
    return edits


def _edits_of_file(
    file: File, root: Node, parts: Mapping[WrittenScalar, Counter[_Part]]
) -> list[tuple[TextRange, str]]:
    occurrences = Counter(_places_of(root))
    for scalar, counted in parts.items():
        if occurrences[scalar.place.start, scalar.place.end] > max(counted.values()):
            message = f"an alias in {file.path} repeats `{scalar.value}` where it is no name"
            raise RenameRefused(f"{message}: write the text in place of the alias first")
    edits = [edit for scalar, counted in parts.items() for edit in scalar.edits(counted)]
    values = {(scalar.place.start, scalar.place.end): scalar.replaced(counted) for scalar, counted in parts.items()}
    after = parse(_edited(file.text, edits), file.path, Diagnostics())
    if after is None or _reading(after, {}) != _reading(root, values):
        raise RenameRefused(f"{file.path} would not read as before but for the name: write it there by hand")
    return edits


def _places_of(node: Node) -> Iterator[tuple[int, int]]:
    """Yield where each key and scalar of a node starts and ends; again for each alias that repeats it."""
    if isinstance(node, MappingNode):
        for key, inner in node.entries():
            yield node.key_range(key)
            yield from _places_of(inner)
    elif isinstance(node, SequenceNode):
        for item in node.items:
            yield from _places_of(item)
    else:
        yield node.start, node.end


def _reading(node: Node, values: Mapping[tuple[int, int], str]) -> Any:
    """Return what a node reads as, with other values at some places. A mapping is a list: two keys may become equal."""
    if isinstance(node, MappingNode):
        return [(values.get(node.key_range(key), key), _reading(inner, values)) for key, inner in node.entries()]
    if isinstance(node, SequenceNode):
        return [_reading(item, values) for item in node.items]
    return values.get((node.start, node.end), node.to_data())


def _holds(place: TextRange, offset: int) -> bool:
    return place.start <= offset <= place.end


# Hover: what a name or a key means, in Markdown.

_LINES = 30
"""Maximum number of lines of a definition that are shown."""


def hover_at(index: Index, file: File, offset: int) -> str:
    """Return what is at an offset of a file, in Markdown; empty if nothing is known about it."""
    found = symbol_at(index, file.path, offset)
    if found is not None:
        return _of_symbol(found.symbol)
    for used in file.symbols.used:
        if used.kind is Kind.TAG and used.place.start <= offset <= used.place.end and used.names[0] in BUILTIN:
            return f"**tag `{used.names[0]}`** (built in)\n\n{BUILTIN[used.names[0]]}"
    if file.spec is None:
        return ""
    at = node_at(file.spec.root, offset)
    if not at.on_key:
        return ""
    text = description_at(file.spec.root.to_data(), at.path)
    return f"**`{at.path[-1]}`**\n\n{text}" if text else ""


def _of_symbol(symbol: Symbol) -> str:
    name = symbol.name if symbol.kind is Kind.TOOL else short_name(symbol)
    head = f"**{symbol.kind.value} `{name}`**"
    if symbol.kind is Kind.TAG:
        return f"{head}\n\n{_scalar_text(symbol.node)}"
    description = _scalar_text(_get(symbol.node, "description"))
    shown = ""
    if symbol.kind is Kind.TOOL:
        permission = _scalar_text(_get(symbol.node, "permission"))
        parts = [_quoted(f"{side}:", _get(symbol.node, side)) for side in ("args", "result")]
        shown = "\n".join([f"`{permission}`\n" if permission else "", *filter(None, parts)])
    elif symbol.kind in (Kind.TYPE, Kind.METHOD):
        shown = _quoted(f"{short_name(symbol)}:", symbol.node)
    return "\n\n".join(filter(None, (head, description, shown.strip())))


def _quoted(label: str, node: Node | None) -> str:
    """Return the text of a node as a block of YAML, its first lines if it is long."""
    if node is None:
        return ""
    text = node.source.text
    start = text.rfind("\n", 0, node.start) + 1
    indent = text[start : node.start] if not text[start : node.start].strip() else ""
    lines = [line.removeprefix(indent) for line in f"{indent}{text[node.start : node.end]}".rstrip().split("\n")]
    lines = [f"{label} {lines[0]}"] if len(lines) == 1 else [label, *(f"  {line}" for line in lines)]
    more = [f"# {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    fence = "````" if "```" in text else "```"
    return "\n".join([f"{fence}yaml", *lines[:_LINES], *more, fence])


def _get(node: Node, key: str) -> Node | None:
    return node.get(key) if isinstance(node, MappingNode) else None


def _scalar_text(node: Node | None) -> str:
    return str(node.value) if isinstance(node, ScalarNode) and node.value is not None else ""
