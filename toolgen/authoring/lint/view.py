"""View: a compiled target as rules see it, with the places that findings are at."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar
from zlib import crc32

from toolgen.compiler.compile import code_digest
from toolgen.compiler.project.cache import Cache
from toolgen.compiler.project.listing import BUILTIN_PREFIX
from toolgen.compiler.source.nodes import MappingNode, SequenceNode
from toolgen.compiler.source.split import split_tools
from toolgen.schema.keywords import required_of
from toolgen.schema.references import definition_of, target_of
from toolgen.spec.tool_settings import written
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import ActionCatalog, Agent, Catalog, Policy, Tool, Toolset
    from toolgen.compiler.project.config import Config, Target
    from toolgen.compiler.source.nodes import Node
    from toolgen.compiler.source.split import SplitText


# Places in specs: what a finding is at, independent of lines; and the way from a JSON Schema back to its spec.

Path = tuple["str | int", ...]


@dataclass(frozen=True)
class SpecPlace:
    """A value of a spec, or with `key` its key. A path that does not exist means its nearest existing parent."""

    document: Document[Any]
    path: Path
    key: bool = False

    def __truediv__(self, step: str | int) -> SpecPlace:
        """Return the place of a value below."""
        return SpecPlace(self.document, (*self.path, step))

    @property
    def of_key(self) -> SpecPlace:
        """The key of the value."""
        return SpecPlace(self.document, self.path, key=True)

    @property
    def node(self) -> Node:
        """The value, or its nearest existing parent."""
        return self.document.root.at(self.path)

    @property
    def exists(self) -> bool:
        """Whether there is a value at the path itself."""
        node: Node | None = self.document.root
        for step in self.path:
            node = None if node is None else node.child(step)
        return node is not None

    @property
    def is_shared(self) -> bool:
        """Whether the value may be that of other places too: it is in a named type, or an alias leads to it."""
        node: Node = self.document.root
        text = node.source.text
        for step in self.path:
            inner = node.child(step)
            if inner is None:
                break
            if not node.start <= inner.start <= inner.end <= node.end or text.startswith("&", inner.start):
                return True
            node = inner
        return self.path[:1] == ("types",)

    @property
    def span(self) -> Span:
        """The lines and columns; those of the key if the value begins on a line below it."""
        span = self.document.root.span_at(self.path, key=self.key)
        parent = self.document.root.at(self.path[:-1])
        if self.key or not self.path or not self.exists or not isinstance(parent, MappingNode):
            return span
        key = parent.key_span(str(self.path[-1]))
        return key if key.line < span.line else span

    def to_json(self) -> tuple[str, Path, bool]:
        """Return what `Project.place_at` finds the place by in another run."""
        return self.document.path, self.path, self.key

    @property
    def name(self) -> str:
        """The place in words that stay when lines move: `shop.orders:tools/refund/args`, or a path for shared files."""
        heads = (self.document.root.child(head) for head in ("toolset", "agent", "catalog", "policy"))
        head = next((str(node.to_data()) for node in heads if node is not None), self.document.path)
        return f"{head}:{'/'.join(map(str, self.path))}"


def property_place(place: SpecPlace, name: str) -> SpecPlace:
    """Return the place of a field of an object schema: in JSON Schema, or in the short form with its marks."""
    node = place.node
    if isinstance(node, MappingNode) and isinstance(node.get("properties"), MappingNode):
        return place / "properties" / name
    if isinstance(node, MappingNode):
        for key in (name, f"{name}?", f"{name}!"):
            if node.get(key) is not None:
                return place / key
    return place


def items_place(place: SpecPlace) -> SpecPlace:
    """Return the place of the items of an array schema: `items`, or the item of the short form `[X]`."""
    return place / 0 if isinstance(place.node, SequenceNode) else place / "items"


def definition_place(place: SpecPlace, name: str, documents: Mapping[str, Document[Any]]) -> SpecPlace:
    """Return the place of a type that the schema at a place refers to: in this file, another one, or the schema."""
    document = place.document
    for _ in range(len(documents) + 1):
        there = SpecPlace(document, ("types", name))
        if not there.exists:
            break
        node = there.node
        reference = node.child("$ref") if isinstance(node, MappingNode) else None
        text = "" if reference is None else str(reference.to_data())
        file, _, pointer = text.partition("#")
        if not file or not pointer.startswith("/types/"):
            return there
        other = documents.get(posixpath.normpath(posixpath.join(posixpath.dirname(document.path), file)))
        if other is None:
            return there
        document, name = other, pointer.removeprefix("/types/")
    return place


# The parts of a tool's schemas: every field and item with its JSON Schema, and its place in the spec.

_CHOICES: Final = ("anyOf", "oneOf", "allOf")
_BESIDE: Final = ("default", "examples", "format", "writeOnly")
"""Keywords beside a reference that say more of the place than its target does."""

_MOST: Final = 5_000
"""Maximum number of parts of one schema: definitions are walked wherever they are used."""


@dataclass(frozen=True)
class SchemaPart:
    """A part of a schema. `schema` is without a reference at its root; `path` are the field names down to it.

    `name` is that of the field, empty for items and alternatives, whose `owner` is the field that they are of.
    `required` is whether the object that it is in requires it; `depth` counts the objects around it.
    `place` is where its schema is written, `field` where the field is: they differ if the schema is a named type.
    """

    schema: Mapping[str, Any]
    name: str
    owner: str
    path: tuple[str, ...]
    required: bool
    depth: int
    place: SpecPlace
    field: SpecPlace
    description: str

    @property
    def has_own_field(self) -> bool:
        """Whether the field itself is written at `field`: it is not where a definition beside it is the schema."""
        return str(self.field.path[-1]).rstrip("?!") == self.name

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types that `type` allows, or those of its values; without null."""
        kinds = self.schema.get("type")
        listed = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
        if not listed and "enum" in self.schema:
            listed = ["string"] if all(isinstance(each, str) for each in self.schema["enum"]) else []
        choices = [each for key in ("anyOf", "oneOf") for each in self.schema.get(key, ()) if isinstance(each, dict)]
        listed = listed or [each["type"] for each in choices if isinstance(each.get("type"), str)]
        return tuple(dict.fromkeys(kind for kind in listed if isinstance(kind, str) and kind != "null"))

    def is_a(self, *kinds: str) -> bool:
        """Whether it takes values of these JSON types and no others."""
        return bool(self.types) and set(self.types) <= set(kinds)


def parts_of(root: Any, place: SpecPlace, documents: Mapping[str, Document[Any]]) -> list[SchemaPart]:
    """Return all parts below the root of a schema, in order; a definition that contains itself is entered once."""
    walk = _Walk(root, documents)
    found: list[SchemaPart] = []
    waiting = [walk.below(walk.start(root, place), ())]
    while waiting and len(found) < _MOST:
        entered = next(waiting[-1], None)
        if entered is None:
            waiting.pop()
            continue
        part, seen = entered
        found.append(part)
        if seen is not None:
            waiting.append(walk.below(part, seen))
    return found


_Entered: TypeAlias = tuple[SchemaPart, tuple[str, ...] | None]
"""A part, and the references that it is inside; None for a definition that contains itself."""


class _Walk:
    def __init__(self, root: Any, documents: Mapping[str, Document[Any]]) -> None:
        self._root = root
        self._documents = documents

    def start(self, schema: Any, place: SpecPlace) -> SchemaPart:
        return self._part(
            schema, SchemaPart({}, "", "", (), required=True, depth=0, place=place, field=place, description="")
        )

    def below(self, part: SchemaPart, seen: tuple[str, ...]) -> Iterator[_Entered]:
        """Yield the parts of a part, which is inside the references `seen`."""
        schema = part.schema
        required = required_of(schema)
        properties = schema.get("properties")
        for name, inner in (properties if isinstance(properties, dict) else {}).items():
            where = property_place(part.place, name)
            yield self._enter(
                inner,
                SchemaPart(
                    {}, name, name, (*part.path, name), name in required, part.depth + 1, where, where, description=""
                ),
                seen,
            )
        if isinstance(schema.get("items"), dict):
            yield self._inner(part, schema["items"], items_place(part.place), seen)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            yield self._inner(part, extra, part.place / "additionalProperties", seen)
        for key in _CHOICES:
            choices = schema.get(key)
            for index, inner in enumerate(choices if isinstance(choices, list) else ()):
                yield self._inner(part, inner, part.place / key / index, seen)

    def _inner(self, part: SchemaPart, schema: Any, place: SpecPlace, seen: tuple[str, ...]) -> _Entered:
        made = SchemaPart({}, "", part.owner, part.path, True, part.depth, place, place, description="")
        return self._enter(schema, made, seen)

    def _enter(self, schema: Any, part: SchemaPart, seen: tuple[str, ...]) -> _Entered:
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        made = self._part(schema, part)
        if not isinstance(reference, str):
            return made, seen
        return made, None if reference in seen else (*seen, reference)

    def _part(self, schema: Any, part: SchemaPart) -> SchemaPart:
        place, description, marks = part.place, "", set[str]()
        while isinstance(schema, dict):
            text = schema.get("description")
            description = description or (text if isinstance(text, str) else "")
            reference = schema.get("$ref")
            if not isinstance(reference, str) or reference in marks:
                break
            marks.add(reference)
            target, place = self._target(schema, place)
            annotations = {key: value for key, value in schema.items() if key in _BESIDE}
            schema = {**target, **annotations} if isinstance(target, dict) else target
        return SchemaPart(
            schema if isinstance(schema, dict) else {},
            part.name, part.owner, part.path, part.required, part.depth, place, part.field, description,
        )  # fmt: skip

    def _target(self, schema: dict[str, Any], place: SpecPlace) -> tuple[Any, SpecPlace]:
        if (definition := definition_of(schema.get("$ref"))) is not None:
            place = definition_place(place, definition[1], self._documents)
        return target_of(schema, self._root), place


# What rules look at: a compiled target with the documents that it came from.

T = TypeVar("T")

READING: Final = frozenset(
    ["get", "list", "read", "search", "find", "show", "view", "describe", "lookup", "query", "count", "fetch"]
)
"""Words that names of tools start with that only read."""


def first_word(name: str) -> str:
    """Return the first word of a name, in lower case."""
    return next(iter(words(name)), "").lower()


@dataclass(frozen=True)
class LintedTool:
    """One tool, with its place, and the parts of its schemas."""

    project: Project
    toolset: Toolset
    tool: Tool
    place: SpecPlace

    @property
    def key(self) -> SpecPlace:
        """The place of its name."""
        return self.place.of_key

    @cached_property
    def digest(self) -> str:
        """The digest of what models see of it, and of its names and hints."""
        tool = self.tool
        names = [tool.ident, tool.wire_name, tool.remote, tool.title, tool.description, tool.permission.value]
        return _digest([*names, tool.args.json, tool.result.json, [*tool.inject], tool.annotations])

    @cached_property
    def texts(self) -> dict[str, Any]:
        """The keys of the tool, as specs have them, from its name and schemas to the hints of its errors."""
        tool = self.tool
        whole = {"name": tool.remote or tool.key, "title": tool.title, "description": tool.description}
        return {**whole, "args": tool.args.json, "result": tool.result.json, **written(tool)}

    @cached_property
    def texts_digest(self) -> str:
        """The digest of `texts`, and of what `digest` is of."""
        rest = {key: value for key, value in self.texts.items() if key not in ("args", "result")}
        return _digest([self.digest, rest])

    @cached_property
    def spec_digest(self) -> str:
        """The digest of all that specs say of it: of its own text, and of all texts beside tools."""
        split = self.project.splits[self.place.document.path]
        own = "" if split is None else split.tools[self.tool.key].text
        return _digest([self.digest, self.place.document.path, own, self.project.digest_beside_tools])

    def threshold(self, code: str) -> float:
        """Return the threshold of a rule: as configured, or its default."""
        return self.project.threshold(code)

    def name_of(self, part: SchemaPart) -> str:
        """Return a part of its args and the tool in words, for a message."""
        return f"`{'.'.join(part.path)}` of `{self.tool.ident}`"

    @cached_property
    def args(self) -> list[SchemaPart]:
        """All parts of its args."""
        return parts_of(self.tool.args.json, self.place / "args", self.project.by_path)

    @cached_property
    def result(self) -> list[SchemaPart]:
        """All parts of its result."""
        return parts_of(self.tool.result.json, self.place / "result", self.project.by_path)

    @cached_property
    def fields(self) -> list[SchemaPart]:
        """The named parts of its args, at any depth."""
        return [part for part in self.args if part.name]

    @cached_property
    def parameters(self) -> list[SchemaPart]:
        """Its args: the named parts at the root."""
        return [part for part in self.fields if part.depth == 1]

    @property
    def is_write(self) -> bool:
        """Whether it may change anything."""
        return self.tool.permission.value == "write"

    @cached_property
    def changes_things(self) -> bool:
        """Whether it is a write tool that is meant to be one: by its spec, or its name is not one that only reads."""
        return self.is_write and (self.sets("permission") or first_word(self.tool.key) not in READING)

    def sets(self, key: str) -> bool:
        """Whether the tool, or the defaults of its file, set a key."""
        return (self.place / key).exists or SpecPlace(self.place.document, ("defaults", key)).exists


class Project:
    """A compiled target. `tools` are those of the project's own files, by ident; the catalog has built-in ones too.

    `cache` has what earlier runs have found out about tools.
    """

    def __init__(
        self,
        config: Config,
        target: Target,
        catalog: Catalog,
        documents: Sequence[Document[Any]],
        cache: Cache | None = None,
    ) -> None:
        self.config = config
        self.target = target
        self.catalog = catalog
        self._cache = Cache() if cache is None else cache
        self.documents = [each for each in documents if not each.path.startswith(BUILTIN_PREFIX)]
        self.by_path = {document.path: document for document in documents}
        self._computed: dict[Callable[[Project], Any], Any] = {}

    def once(self, compute: Callable[[Project], T]) -> T:
        """Return what a function computes from this project; it is called once, and several rules share the outcome."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        found: T = self._computed[compute]
        return found

    def of_each_tool(
        self,
        kind: str,
        compute: Callable[[LintedTool], T],
        settings: Any = None,
        digest: Callable[[LintedTool], str] = attrgetter("digest"),
    ) -> dict[str, T]:
        """Return what a function finds out about each tool, as JSON other than null, by ident.

        It may use what `digest` is of, and `settings`, which are JSON, and nothing else: of pieces of tools that did
        not change it is not asked again. Keep the outcome by `once`.
        """
        found: dict[str, T] = {}
        start = _digest([code_digest("authoring/lint", "changes"), kind, settings])
        for piece in _pieces(self.tools):
            key = _digest([start, *map(digest, piece)])
            values: list[T] | None = self._cache.get("lint", key)
            if values is None:
                values = [compute(each) for each in piece]
                self._cache.put("lint", key, values)
            found.update(zip((each.tool.ident for each in piece), values, strict=True))
        return found

    @cached_property
    def splits(self) -> dict[str, SplitText | None]:
        """The texts of the documents in tools and the rest, by path; None for one that is not divided."""
        return {each.path: _split(each) for each in self.by_path.values()}

    @cached_property
    def digest_beside_tools(self) -> str:
        """The digest of all texts but those of tools in files that are divided, and of the settings of the target."""
        beside = [
            (path, self.by_path[path].root.source.text if split is None else split.head.text + split.tail.text)
            for path, split in sorted(self.splits.items())
        ]
        return _digest([str(self.target), beside])

    @cached_property
    def tools(self) -> list[LintedTool]:
        """The tools of the project's own files."""
        found: list[LintedTool] = []
        for toolset in self.toolsets:
            document = self.by_path[toolset.span.file]
            found += [
                LintedTool(self, toolset, tool, SpecPlace(document, ("tools", tool.key))) for tool in toolset.tools
            ]
        return sorted(found, key=lambda each: each.tool.ident)

    @property
    def toolsets(self) -> list[Toolset]:
        """The toolsets of the project's own files."""
        return [each for each in self.catalog.toolsets if not each.span.file.startswith(BUILTIN_PREFIX)]

    def place(self, record: Toolset | Agent | Policy | ActionCatalog, *path: str | int) -> SpecPlace:
        """Return a place in the file of a toolset, an agent, a policy or an action catalog."""
        return SpecPlace(self.by_path[record.span.file], path)

    def place_at(self, row: Sequence[Any]) -> SpecPlace:
        """Return the place that `SpecPlace.to_json` made a row of."""
        path, steps, key = row
        return SpecPlace(self.by_path[path], tuple(steps), key)

    def threshold(self, code: str) -> float:
        """Return the threshold of a rule: as configured, or its default."""
        return self.config.lint.threshold(code)


def _split(document: Document[Any]) -> SplitText | None:
    """Divide the text of a document, if each of its tools is found where the parser found it."""
    tools = document.root.child("tools")
    split = split_tools(document.path, document.root.source.text)
    return split if split and isinstance(tools, MappingNode) and [*split.tools] == [*tools.keys()] else None


def _digest(values: list[Any]) -> str:
    return sha256(json.dumps(values).encode()).hexdigest()


_TOGETHER: Final = 16
"""About how many tools share an entry of the cache."""


def _pieces(tools: Sequence[LintedTool]) -> Iterator[list[LintedTool]]:
    """Yield tools that follow each other. Where a piece ends depends on idents, so that others stay as they are."""
    piece: list[LintedTool] = []
    for each in tools:
        piece.append(each)
        if crc32(each.tool.ident.encode()) % _TOGETHER == 0:
            yield piece
            piece = []
    if piece:
        yield piece
