"""Files of an API description: parsed once. References are followed here, across files, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar
from urllib.parse import unquote

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.bounds import Reading
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode, Source
from toolgen.compiler.source.yaml_text import parse_yaml
from toolgen.contract.picklable import Picklable
from toolgen.contract.records import NOTHING
from toolgen.schema.references import Place, path_to

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.source.nodes import Node

Read: TypeAlias = Callable[[str, str], Source]
"""Reads the file that a reference names: given the file that has the reference, and the reference without fragment.

The path of the source identifies the file. Raises `Unreadable`.
"""

_MOST_HOPS: Final = 100
"""References that are followed for one, at most: those that it leads to, and those that its pointer leads through."""

_HTTP_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_TEXTS: Final = ("summary", "description")
"""What may stand beside a reference to an object that is no schema (OpenAPI 3.1, Reference Object)."""

_PLAIN_TEXTS: Final = (".md", ".markdown", ".txt")


class Unreadable(Exception):
    """A file that a reference names cannot be read, or may not be. The text says why."""


class Fault(Picklable):
    """A part of a description cannot be used."""

    def __init__(self, message: str, part: Part) -> None:
        self.message = message
        self.part = part
        super().__init__(message)


class RefusedNumber(float):
    """Stands for a number that no value can be, such as `1e400` (TG009). `check_numbers` finds where it has come to."""

    __slots__ = ("file", "message", "path")

    def __new__(cls, message: str, file: str, path: tuple[str | int, ...]) -> RefusedNumber:
        """Create one, with its place."""
        made = super().__new__(cls)
        made.message, made.file, made.path = message, file, path
        return made

    message: str
    file: str
    path: tuple[str | int, ...]


@dataclass
class Files:
    """The files of one description, by path. The first is the one that is imported.

    `credential_in` returns where a URL has a credential, such as `the path of the URL`; empty if it has none.
    """

    read: Read
    credential_in: Callable[[str], str]
    _first: str = ""
    _data: dict[str, Any] = field(default_factory=dict[str, Any])
    _nodes: dict[str, Node] = field(default_factory=dict[str, "Node"])
    _targets: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    _named: dict[str, Part] = field(default_factory=dict[str, "Part"])
    _resources: dict[Any, Part] = field(default_factory=dict[Any, "Part"])
    _reading: Reading = field(default_factory=Reading)
    _refused: bool = False
    _depth: int = 0
    _hops: int = 0

    def open(self, source: Source, sink: Diagnostics) -> Part | None:
        """Parse the first file; None where its text is neither JSON nor YAML."""
        root = self._parsed(source, sink)
        if root is None:
            return None
        self._first = source.path
        self._add(source.path, root)
        return self.root

    @property
    def root(self) -> Part:
        """The whole first file."""
        return self._whole(self._first)

    def target(self, part: Part, reference: str) -> Part:
        """Return what a reference in a part leads to, which may be another reference. Raises `Fault`."""
        self._hops = self._hops + 1 if self._depth else 1
        if self._hops > _MOST_HOPS:
            raise Fault(f"`{reference}` leads to itself", part)
        self._depth += 1
        try:
            return self._target(part, reference)
        finally:
            self._depth -= 1

    def span(self, part: Part) -> Span:
        """Return where a part is in its file."""
        keyed = bool(part.path) and part.path[-1] in _HTTP_METHODS
        return self._nodes[part.file].span_at(part.path, key=keyed)

    def node(self, part: Part) -> Node:
        """Return the node of a part, or the nearest one around it."""
        return self._nodes[part.file].at(part.path)

    def check_numbers(self, made: Any) -> None:
        """Raise `Fault` if what was made of parts has a number that its file could not give."""
        pending = [made] if self._refused else []
        while pending:
            match pending.pop():
                case RefusedNumber() as found:
                    raise Fault(found.message, Part(self, found.file, found.path, found))
                case dict() as each:
                    pending += each.values()
                case list() as each:
                    pending += each
                case _:
                    pass

    def _target(self, part: Part, reference: str) -> Part:
        name, _, fragment = reference.partition("#")
        roots = self._roots(part, name)
        if not fragment:
            return roots[0]
        if not fragment.startswith("/") and unquote(fragment).startswith("/"):
            fragment = unquote(fragment)
        if not fragment.startswith("/"):
            found = self._named.get(f"{roots[-1].file}#{unquote(fragment)}")
            if found is None:
                raise Fault(f"`{reference}` leads nowhere: no `$anchor` has this name", part)
            return found
        steps = [unquote(step).replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:]]
        for root in roots:
            found = root
            for step in steps:
                # A pointer may lead through references: published documents are cut into files after they are written.
                inner = found.raw(step) or (found.followed().raw(step) if found.reference is not None else None)
                if inner is None:
                    break
                found = inner
            else:
                return found
        raise Fault(f"`{reference}` leads nowhere", part)

    def _roots(self, part: Part, name: str) -> list[Part]:
        """Return what a pointer starts at: the resource (`$id`) that a part is in, if it is in one, and its file."""
        if name and name in self._named:
            return [self._named[name]]
        if name:
            return [self._whole(self._file(part, name))]
        whole = self._whole(part.file)
        around = ((part.file, part.path[:steps]) for steps in range(len(part.path), 0, -1))
        return [*(self._resources[place] for place in around if place in self._resources), whole]

    def _whole(self, file: str) -> Part:
        return Part(self, file, (), self._data[file])

    def _file(self, part: Part, name: str) -> str:
        key = (part.file, name)
        if key not in self._targets:
            try:
                source = self._reading.read(lambda: self.read(part.file, name))
            except Unreadable as error:
                raise Fault(f"`{name}` cannot be read: {error}", part) from error
            except ValueError as error:
                raise Fault(f"`{name}` is not read: {error}", part) from error
            if source.path not in self._data:
                sink = Diagnostics()
                root = self._parsed(source, sink)
                if root is None:
                    problem = next(iter(sink), None)
                    reason = f": {problem.message}" if problem else ""
                    raise Fault(f"`{name}` is neither JSON nor YAML{reason}", part)
                try:
                    self._reading.parsed(root.to_data())
                except ValueError as error:
                    raise Fault(f"`{name}` is not read: {error}", part) from error
                self._add(source.path, root)
            self._targets[key] = source.path
        return self._targets[key]

    def _parsed(self, source: Source, sink: Diagnostics) -> Node | None:
        problems = Diagnostics()
        root = _parsed(source, problems)
        for found in problems:
            sink.report(found.code, found.span, found.message, related=found.related, fix=found.fix)
        refused = {found.span: found.message for found in problems if found.code == "TG009"}
        if root is not None and refused:
            self._refused = True
            _mark(root, source.path, refused)
        return root

    def _add(self, path: str, root: Node) -> None:
        """Add a file, with the names that its parts give themselves: `$id`, `$anchor`, and `$self` of OpenAPI 3.2."""
        self._nodes[path], self._data[path] = root, root.to_data()
        whole = self._whole(path)
        if not any(name in root.source.text for name in ("$id", "$anchor", "$dynamicAnchor", "$self")):
            return
        if isinstance(whole.value, dict) and isinstance(whole.value.get("$self"), str):
            self._named.setdefault(whole.value["$self"], whole)
        pending = [whole]
        while pending:
            each = pending.pop()
            if isinstance(each.value, dict):
                for key, prefix in (("$id", ""), ("$anchor", f"{path}#"), ("$dynamicAnchor", f"{path}#")):
                    if isinstance(each.value.get(key), str):
                        kept = self._named.setdefault(f"{prefix}{each.value[key]}", each)
                        if kept is each and "$id" in each.value:
                            self._resources[each.location] = each
            pending += [inner for _, inner in each.raw_entries()] or each.raw_items()


@dataclass(frozen=True, slots=True)
class Part:
    """One value of a file, with its place. `beside` are parts that stand beside the reference that led here.

    What is raw is as written, which schemas and what is read one by one need; everything else follows references.
    """

    files: Files
    file: str
    path: tuple[str | int, ...]
    value: Any
    beside: Mapping[str, Part] = NOTHING

    @property
    def location(self) -> tuple[str, tuple[str | int, ...]]:
        """What identifies the part."""
        return self.file, self.path

    @property
    def span(self) -> Span:
        """Where the part is."""
        return self.files.span(self)

    @property
    def reference(self) -> str | None:
        """The reference that the part is; None where it is none. A field called `$ref` has a schema, and no text."""
        found = self.value.get("$ref") if isinstance(self.value, dict) else None
        return found if isinstance(found, str) else None

    def raw(self, step: str | int) -> Part | None:
        """Return the part under a key or an index; a text of digits is an index in a list."""
        value = self.value
        if isinstance(value, dict):
            key = str(step)
            if key in self.beside:
                return self.beside[key]
            return Part(self.files, self.file, (*self.path, key), value[key]) if key in value else None
        if isinstance(value, list):
            index = int(step) if isinstance(step, int) or (step.isascii() and step.isdigit() and len(step) < 10) else -1
            return Part(self.files, self.file, (*self.path, index), value[index]) if 0 <= index < len(value) else None
        return None

    def raw_entries(self) -> list[tuple[str, Part]]:
        """Return the keys of a mapping with their parts, without vendor extensions; nothing where it is none."""
        keys = [key for key in self.value if not key.startswith("x-")] if isinstance(self.value, dict) else []
        return [(key, part) for key in keys if (part := self.raw(key)) is not None]

    def raw_items(self) -> list[Part]:
        """Return the parts of a list; nothing where it is none."""
        indices = range(len(self.value)) if isinstance(self.value, list) else ()
        return [part for index in indices if (part := self.raw(index)) is not None]

    def child(self, step: str | int) -> Part | None:
        """Return the part under a key or an index. Raises `Fault` for a reference that cannot be followed."""
        found = self.raw(step)
        return found.followed() if found is not None else None

    def at(self, *steps: str | int) -> Part | None:
        """Return the part at the end of a path; None where there is none. Raises `Fault`."""
        found: Part | None = self.followed()
        for step in steps:
            found = found.child(step) if found is not None else None
        return found

    def mapping(self, key: str) -> Part | None:
        """Return the mapping under a key; None where there is nothing. Raises `Fault` for anything else."""
        found = self.child(key)
        if found is None or found.value is None:
            return None
        if not isinstance(found.value, dict):
            raise Fault(f"`{key}` is no object", found)
        return found

    def mappings(self) -> list[tuple[str, Part]]:
        """Return the keys of a mapping of mappings with their parts, without vendor extensions. Raises `Fault`."""
        found = [(key, part.followed()) for key, part in self.raw_entries()]
        for key, part in found:
            if not isinstance(part.value, dict | None):
                raise Fault(f"`{key}` is no object", part)
        return found

    def raw_list(self, key: str) -> list[Part]:
        """Return the parts of the list under a key, as written. Raises `Fault` for anything else."""
        found = self.child(key)
        return found.list_items(key) if found is not None else []

    def list_items(self, name: str) -> list[Part]:
        """Return the parts of this list, as written; nothing where it is null. Raises `Fault` for anything else."""
        if not isinstance(self.value, list | None):
            raise Fault(f"`{name}` is no list", self)
        return self.raw_items()

    def items(self, key: str) -> list[Part]:
        """Return the parts of the list under a key. Raises `Fault` for anything else."""
        return [part.followed() for part in self.raw_list(key)]

    def hops(self) -> Iterator[Part]:
        """Return the part, and each that its reference leads to, as written. Raises `Fault`."""
        part = self
        yield part
        for _ in range(_MOST_HOPS):
            reference = part.reference
            if reference is None:
                return
            part = self.files.target(part, reference)
            yield part
        raise Fault(f"`{self.reference}` leads to itself", self)

    def followed(self, *, whole: bool = False) -> Part:
        """Return the part that a reference leads to in the end, or the part itself. Raises `Fault`.

        Texts beside the reference replace those of the part, with `whole` all that stands there.
        """
        if self.reference is None:
            return self
        *passed, found = self.hops()
        beside: dict[str, Part] = {}
        for each in passed:
            beside = {
                key: part for key, part in each.raw_entries() if key != "$ref" and (whole or key in _TEXTS)
            } | beside
        if not isinstance(found.value, dict) or not beside:
            return found
        value = {**found.value, **{key: part.value for key, part in beside.items()}}
        return Part(found.files, found.file, found.path, value, beside)

    def text(self, *keys: str) -> str:
        """Return the first text under these keys that is not blank; empty where there is none. Raises `Fault`."""
        for key in keys:
            found = self.child(key)
            if found is not None and isinstance(found.value, str) and found.value.strip():
                return found.value.strip()
            if (
                found is not None
                and not isinstance(found.value, str)
                and found.location != (self.file, (*self.path, key))
            ):
                raise Fault(f"`{key}` refers to what is no text", self)
        return ""

    def flag(self, key: str) -> bool | None:
        """Return true or false as it is written under a key; None where it is not."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if isinstance(found, bool) else None


_Meaning = TypeVar("_Meaning")


class ReadOnce(Generic[_Meaning]):
    """Reads each part once, however many operations have it or refer to it. `read` may raise `Fault`."""

    def __init__(self, read: Callable[[Part], _Meaning]) -> None:
        self._read = read
        self._found: dict[Any, _Meaning | Fault] = {}

    def of(self, part: Part) -> _Meaning:
        """Return what a part means. Raises `Fault`, each time that a part is asked for which has one."""
        key = (part.location, *((name, each.location) for name, each in part.beside.items()))
        if key not in self._found:
            try:
                self._found[key] = self._read(part)
            except Fault as fault:
                self._found[key] = fault
        found = self._found[key]
        if isinstance(found, Fault):
            raise Fault(found.message, found.part)
        return found


def _mark(root: Node, file: str, refused: Mapping[Span, str]) -> None:
    """Put what stands for it in the place of each refused number."""
    pending: list[tuple[Place, Node]] = [(None, root)]
    while pending:
        place, node = pending.pop()
        match node:
            case MappingNode():
                pending += [((place, key), inner) for key, inner in node.entries()]
            case SequenceNode(items=items):
                pending += [((place, index), inner) for index, inner in enumerate(items)]
            case ScalarNode() if (message := refused.get(node.span)) is not None:
                node.value = RefusedNumber(message, file, path_to(place))
            case _:
                pass


def _parsed(source: Source, sink: Diagnostics) -> Node | None:
    """Parse a text as JSON if it starts like JSON, else as YAML; Markdown is one text. Every problem is reported."""
    if source.path.lower().endswith(_PLAIN_TEXTS):
        return ScalarNode(source, 0, len(source.text), source.text)
    problems = Diagnostics()
    is_json = source.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
    root = (parse_json if is_json else parse_yaml)(source, problems)
    is_unclear = is_json and not source.path.endswith(".json") and {found.code for found in problems} == {"TG003"}
    if root is None and is_unclear:
        other = Diagnostics()
        flow = parse_yaml(source, other)  # a flow mapping of YAML starts like JSON
        if flow is not None:
            root, problems = flow, other
    for found in problems:
        sink.report(found.code, found.span, found.message, related=found.related, fix=found.fix)
    return root
