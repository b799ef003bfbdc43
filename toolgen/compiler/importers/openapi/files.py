"""Files of an API description: parsed once, with references followed across them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.yaml_text import parse_yaml

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.source.nodes import Node

Read: TypeAlias = Callable[[str, str], Source]
"""Reads the file that a reference names: given the file that has the reference, and the reference without fragment.

The path of the source identifies the file. Raises `Unreadable`.
"""

_LONGEST_CHAIN: Final = 50
"""References that lead to references, at most."""

_HTTP_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


class Unreadable(Exception):
    """A file that a reference names cannot be read, or may not be. The text says why."""


class Fault(Exception):
    """A part of a description cannot be used."""

    def __init__(self, message: str, part: Part) -> None:
        self.message = message
        self.part = part
        super().__init__(message)


@dataclass
class Files:
    """The files of one description, by path. The first is the one that is imported."""

    read: Read
    _data: dict[str, Any] = field(default_factory=dict[str, Any])
    _nodes: dict[str, Node] = field(default_factory=dict[str, "Node"])
    _targets: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def open(self, source: Source, sink: Diagnostics) -> Part | None:
        """Parse the first file; None where its text is neither JSON nor YAML."""
        root = _parsed(source, sink)
        if root is None:
            return None
        self._nodes[source.path], self._data[source.path] = root, root.to_data()
        return Part(self, source.path, (), self._data[source.path])

    def target(self, part: Part, reference: str) -> Part:
        """Return what a reference leads to. Raises `Fault`."""
        name, _, fragment = reference.partition("#")
        file = self._file(part, name) if name else part.file
        steps = [unquote(step).replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:]]
        if fragment and not fragment.startswith("/"):
            raise Fault(f"`{reference}` is not a JSON pointer: anchors are not followed", part)
        found = Part(self, file, (), self._data[file])
        for step in steps:
            inner = found.child(step)
            if inner is None:
                raise Fault(f"`{reference}` leads nowhere", part)
            found = inner
        return found

    def span(self, part: Part) -> Span:
        """Return where a part is in its file."""
        keyed = bool(part.path) and part.path[-1] in _HTTP_METHODS
        return self._nodes[part.file].span_at(part.path, key=keyed)

    def node(self, part: Part) -> Node:
        """Return the node of a part, or the nearest one around it."""
        return self._nodes[part.file].at(part.path)

    def _file(self, part: Part, name: str) -> str:
        key = (part.file, name)
        if key not in self._targets:
            try:
                source = self.read(part.file, name)
            except Unreadable as error:
                raise Fault(f"`{name}` cannot be read: {error}", part) from error
            if source.path not in self._data:
                sink = Diagnostics()
                root = _parsed(source, sink)
                if root is None:
                    problem = next(iter(sink), None)
                    reason = f": {problem.message}" if problem else ""
                    raise Fault(f"`{name}` is neither JSON nor YAML{reason}", part)
                self._nodes[source.path], self._data[source.path] = root, root.to_data()
            self._targets[key] = source.path
        return self._targets[key]


@dataclass(frozen=True, slots=True)
class Part:
    """One value of a file, with its place."""

    files: Files
    file: str
    path: tuple[str | int, ...]
    value: Any

    @property
    def location(self) -> tuple[str, tuple[str | int, ...]]:
        """What identifies the part."""
        return self.file, self.path

    @property
    def span(self) -> Span:
        """Where the part is."""
        return self.files.span(self)

    def child(self, step: str | int) -> Part | None:
        """Return the part under a key or an index; a text of digits is an index in a list."""
        value = self.value
        if isinstance(value, dict):
            return (
                Part(self.files, self.file, (*self.path, str(step)), value[str(step)]) if str(step) in value else None
            )
        if isinstance(value, list):
            index = int(step) if isinstance(step, int) or (step.isascii() and step.isdigit() and len(step) < 10) else -1
            return Part(self.files, self.file, (*self.path, index), value[index]) if 0 <= index < len(value) else None
        return None

    def at(self, *steps: str | int) -> Part | None:
        """Return the part at the end of a path, references followed; None where there is none."""
        found: Part | None = self.followed()
        for step in steps:
            found = found.child(step) if found is not None else None
            found = found.followed() if found is not None else None
        return found

    def followed(self) -> Part:
        """Return the part that a reference leads to in the end, or the part itself. Raises `Fault`."""
        part = self
        for _ in range(_LONGEST_CHAIN):
            reference = part.value.get("$ref") if isinstance(part.value, dict) else None
            if not isinstance(reference, str):
                return part
            part = self.files.target(part, reference)
        raise Fault(f"`{self.value['$ref']}` leads to itself", self)

    def entries(self) -> list[tuple[str, Part]]:
        """Return the keys of a mapping with their parts, without vendor extensions; nothing where it is none."""
        if not isinstance(self.value, dict):
            return []
        return [(key, Part(self.files, self.file, (*self.path, key), inner))
                for key, inner in self.value.items() if not key.startswith("x-")]  # fmt: skip

    def items(self) -> list[Part]:
        """Return the parts of a list; nothing where it is none."""
        if not isinstance(self.value, list):
            return []
        return [Part(self.files, self.file, (*self.path, index), inner) for index, inner in enumerate(self.value)]

    def text(self, *keys: str) -> str:
        """Return the first text under these keys that is not blank; empty where there is none."""
        found = (self.value.get(key) for key in keys) if isinstance(self.value, dict) else ()
        return next((text.strip() for text in found if isinstance(text, str) and text.strip()), "")

    def flag(self, key: str) -> bool | None:
        """Return true or false as it is written under a key; None where it is not."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found if isinstance(found, bool) else None


def _parsed(source: Source, sink: Diagnostics) -> Node | None:
    """Parse a text as JSON if it starts like JSON, else as YAML. Every problem is reported."""
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
