"""Descriptions cut into files: subtrees of a description replaced by references that lead to them.

A grammar says which parts of a description are read as what, so that only values are replaced that a document may
refer to, in all the ways in which documents do.
"""

from __future__ import annotations

import copy
import json
import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from tests.unit.compiler.importers.importing import written
from tests.unit.compiler.importers.openapi.api import TOOLSET, Outcome
from tests.unit.compiler.specs import resolved
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.read import parse
from toolgen.runtime.redact.spec_credentials import credential_in_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

Path = tuple[str | int, ...]
ROOT: Final = "docs/api.json"

_METHODS = ("get", "put", "post", "delete", "patch", "query")
_SCHEMA = {
    **dict.fromkeys(("items", "additionalProperties", "not"), "schema"),
    **dict.fromkeys(("properties", "patternProperties"), "schemas"),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), "schema list"),
}
GRAMMAR: Final[dict[str, dict[str, str]]] = {
    "document": {
        "paths": "paths", "components": "components", "info": "info", "tags": "tags", "definitions": "schemas",
        "parameters": "parameters", "responses": "responses", "securityDefinitions": "security schemes",
    },
    "info": {"description": "text"},
    "tags": {"*": "tag"},
    "tag": {"description": "text"},
    "components": {
        "schemas": "schemas", "parameters": "parameters", "requestBodies": "bodies", "responses": "responses",
        "securitySchemes": "security schemes", "pathItems": "paths", "headers": "headers", "examples": "examples",
        "links": "links", "mediaTypes": "content",
    },
    "paths": {"*": "item"},
    "item": {**dict.fromkeys(_METHODS, "operation"), "parameters": "parameters", "additionalOperations": "operations"},
    "operations": {"*": "operation"},
    "operation": {"parameters": "parameters", "requestBody": "body", "responses": "responses", "description": "text"},
    "parameters": {"*": "parameter"},
    "parameter": {"schema": "schema", "content": "content", "examples": "examples", "description": "text"},
    "bodies": {"*": "body"},
    "body": {"content": "content", "description": "text"},
    "content": {"*": "media type"},
    "media type": {"schema": "schema", "encoding": "encodings", "examples": "examples"},
    "encodings": {"*": "encoding"},
    "encoding": {"headers": "headers"},
    "responses": {"*": "response"},
    "response": {
        "content": "content", "schema": "schema", "headers": "headers", "links": "links", "description": "text",
    },
    "headers": {"*": "header"},
    "header": {"schema": "schema"},
    "links": {"*": "link"},
    "link": {},
    "examples": {"*": "example"},
    "example": {},
    "security schemes": {"*": "security scheme"},
    "security scheme": {"flows": "flows"},
    "flows": {"*": "flow"},
    "flow": {},
    "schemas": {"*": "schema"},
    "schema list": {"*": "schema"},
    "schema": _SCHEMA,
    "text": {},
}  # fmt: skip

MERGED: Final = frozenset({"item", "operation"})
"""What keeps everything that stands beside its reference."""

UNREAD: Final = frozenset({"headers", "links", "examples"})
"""Keys of what no tool depends on."""


def places(document: Any, kind: str = "document", path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Return all paths of a description at which a reference may stand, innermost first, with what is there."""
    keys = GRAMMAR[kind]
    entries: Any = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in list(entries):
        inner = keys.get(str(key)) or keys.get("*")
        is_reference = isinstance(value, dict) and isinstance(value.get("$ref"), str)
        if inner and isinstance(value, dict | list | str) and not is_reference and not str(key).startswith("x-"):
            yield from places(value, inner, (*path, key))
            if isinstance(value, dict | list) or inner == "text":
                yield (*path, key), inner


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


@dataclass
class Cut:
    """A description that is cut into files. `files` are JSON values by path, and Markdown texts."""

    files: dict[str, Any]
    random: Random
    numbers: int = field(default=0)

    @classmethod
    def of(cls, document: Mapping[str, Any], random: Random) -> Cut:
        return cls({ROOT: copy.deepcopy(dict(document))}, random)

    def cut(self, path: Path, kind: str) -> None:
        """Replace the value at a path of the first file by a reference to it."""
        value = at(self.files[ROOT], path)
        beside = self._beside(value, kind)
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            file, fragment = self._moved(value)
            value = {"$ref": self._written(file, fragment)}
        value = {**value, **beside}
        at(self.files[ROOT], path[:-1])[path[-1]] = value

    def texts(self) -> dict[str, str]:
        """Return the texts of all files."""
        return {path: value if isinstance(value, str) else json.dumps(value) for path, value in self.files.items()}

    def _beside(self, value: Any, kind: str) -> dict[str, Any]:
        """Take keys out of a value that stay beside the reference."""
        if not isinstance(value, dict) or self.random.random() < 0.6:
            return {}
        if kind in MERGED:
            keys = [key for key in value if self.random.random() < 0.5 and key != "$ref"]
            keys = keys[:-1] if len(keys) == len(value) else keys
            if kind == "operation" and not {"parameters", "requestBody", "responses"} & (set(value) - set(keys)):
                return {}
        elif kind in ("parameter", "body", "response"):
            keys = [key for key in ("description",) if key in value]
        else:
            return {}
        return {key: value.pop(key) for key in keys}

    def _moved(self, value: Any) -> tuple[str, list[str]]:
        """Put a value into a file, and return the file and the steps to the value."""
        self.numbers += 1
        number = self.numbers
        file = self.random.choice([ROOT, f"docs/p{number}.json", f"docs/a b/é{number}.yaml", f"parts/{number}.yml"])
        if isinstance(value, str):
            file = f"docs/texts/{number}.md" if file != ROOT else file
        steps = self.random.choice([[], ["x"], ["a/b", "~c%20"], ["x", "é {}"]]) if file != ROOT else [
            "x-parts", self.random.choice([f"p{number}", f"p/{number}~", f"%2F{number}"]),
        ]  # fmt: skip
        if file.endswith(".md"):
            steps = []
        inside = self._relative_to(value, file)
        if file == ROOT:
            self.files[ROOT].setdefault("x-parts", {})[steps[1]] = inside
        else:
            for step in reversed(steps):
                inside = {step: inside}
            self.files[file] = inside
        return file, steps

    def _written(self, file: str, steps: list[str]) -> str:
        """Write a reference of the first file: escaped, and some of it percent-encoded."""
        safe = self.random.choice(["", "é{} "])
        pointer = "".join(f"/{quote(step.replace('~', '~0').replace('/', '~1'), safe=safe + '~')}" for step in steps)
        return f"{relative(file, ROOT)}{'#' if pointer or file == ROOT else self.random.choice(['', '#'])}{pointer}"

    def _relative_to(self, value: Any, file: str) -> Any:
        """Rewrite the references of a value of the first file for another one."""
        if file == ROOT:
            return value
        if isinstance(value, list):
            return [self._relative_to(each, file) for each in value]
        if not isinstance(value, dict):
            return value
        made = {key: self._relative_to(each, file) for key, each in value.items()}
        if isinstance(value.get("$ref"), str):
            made["$ref"] = rewritten(value["$ref"], file)
        if isinstance(value.get("mapping"), dict):
            made["mapping"] = {
                name: rewritten(each, file) if "/" in each else each for name, each in value["mapping"].items()
            }
        return made


def relative(file: str, base: str) -> str:
    """Return the reference from one file to another, percent-encoded; empty for the same file."""
    return "" if file == base else quote(posixpath.relpath(file, posixpath.dirname(base)), safe="/.")


def rewritten(reference: str, file: str) -> str:
    """Return a reference of the first file as one of another file."""
    name, hash_sign, fragment = reference.partition("#")
    target = absolute(ROOT, name) if name else ROOT
    return f"{relative(target, file)}{hash_sign}{fragment}"


def absolute(file: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(reference)))


def import_files(texts: Mapping[str, str]) -> Outcome:
    """Import the first of several files."""
    sink = Diagnostics()

    def read(file: str, reference: str) -> Source:
        path = absolute(file, reference)
        if path not in texts:
            raise Unreadable("there is no such file")
        return Source(path, texts[path])

    imported = import_openapi(
        Source(ROOT, texts[ROOT]),
        "",
        read,
        "specs/api.yaml",
        TOOLSET,
        Selection(),
        sink,
        profile="full",
        credential_in=credential_in_url,
    )
    data: dict[str, Any] = {}
    if imported is not None:
        text = written(imported, "specs/api.yaml")
        made = parse(text, "specs/api.yaml", Diagnostics())
        assert made is not None
        data = made.to_data()
        assert not resolved(text).has_errors
    return Outcome(imported, data, [f"{each.code} {each.message}" for each in sink], [str(each.span) for each in sink])


def meaning(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec with all references of its schemas replaced by what they lead to, as far as 12 levels."""
    types = data.get("types", {})
    tools = {
        key: {part: expanded(value, types) if part in ("args", "result") else value for part, value in tool.items()}
        for key, tool in data.get("tools", {}).items()
    }
    return {**{key: value for key, value in data.items() if key not in ("tools", "types", "imported")}, "tools": tools}


def expanded(schema: Any, types: Mapping[str, Any]) -> Any:
    definitions = (
        {f"#/$defs/{name}": each for name, each in schema.get("$defs", {}).items()} if isinstance(schema, dict) else {}
    )
    definitions |= {f"#/types/{name}": each for name, each in types.items()}

    def of(value: Any, levels: int) -> Any:
        if levels == 0 and isinstance(value, dict | list):
            return "..."
        if isinstance(value, list):
            return [of(each, levels - 1) for each in value]
        if not isinstance(value, dict):
            return value
        found = {key: each for key, each in value.items() if key not in ("$defs", "$ref")}
        target = value.get("$ref")
        if isinstance(target, str):
            led = of(definitions[target], levels)
            return {**led, **{key: of(each, levels - 1) for key, each in found.items()}} if found else led
        return {key: of(each, levels - 1) for key, each in found.items()}

    return of(schema, 12)
