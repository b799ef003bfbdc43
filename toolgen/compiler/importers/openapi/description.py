"""A whole description: what it says of its API, and the operations that it lists."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.openapi.files import Fault
from toolgen.compiler.importers.openapi.operations import Operation, name_of_path
from toolgen.compiler.importers.openapi.servers import Auth, auth_of, server_url, swagger_url
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.openapi.files import Part

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_OPERATION: Final = frozenset({"operationId", "parameters", "requestBody", "responses"})
"""Keys by which an operation is recognized."""

_BESIDE_METHODS: Final = frozenset({"summary", "description", "parameters", "servers", "additionalOperations"})
_VERSION: Final = re.compile(r"3\.[0-2](\.|$)")
_PARAMETER: Final = re.compile(r"\{[^{}]*\}")
_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class Description:
    """A description. `url` is where it is, empty for a file; `base_url` is empty where it names no host."""

    root: Part
    is_swagger: bool
    is_old: bool
    url: str
    base_url: str
    auth: Auth

    @classmethod
    def of(cls, root: Part, toolset: str, url: str, sink: Diagnostics) -> Description | None:
        """Read what a description says of its API; None where it is none, which is reported."""
        version = _version(root)
        is_swagger = version == "2.0"
        if not is_swagger and not _VERSION.match(version):
            found = f"it says `{version}`" if version else "it says neither `openapi: 3…` nor `swagger: '2.0'`"
            message = f"this is no description of an API in OpenAPI 3.0 to 3.2 or Swagger 2.0: {found}"
            sink.report("TG830", root.span, message)
            return None
        server: str | None = None
        auth = Auth({}, {}, {})
        try:
            server = swagger_url(root, url) if is_swagger else server_url(root, url)
        except Fault as fault:
            sink.report("TG834", fault.part.span, f"the servers cannot be read: {fault.message}")
            server = ""
        try:
            auth = auth_of(root, toolset, url, is_swagger=is_swagger)
        except Fault as fault:
            sink.report("TG834", fault.part.span, f"the security schemes cannot be read: {fault.message}")
        return cls(
            root=root,
            is_swagger=is_swagger,
            is_old=is_swagger or version.startswith("3.0"),
            url=url,
            base_url=_default_server(url) if server is None else server,
            auth=auth,
        )

    def media_types(self, key: str, operation: Part) -> list[str]:
        """Return `consumes` or `produces` of Swagger 2.0: the operation's, or those of all."""
        for part in (operation, self.root):
            found = part.child(key)
            if found is not None and isinstance(found.value, list):
                return [each for each in found.value if isinstance(each, str)]
        return []

    def text(self, sink: Diagnostics) -> str:
        """Return what the API is, in a line or two."""
        try:
            info = self.root.mapping("info")
            title, text = (info.text("title"), info.text("description")) if info is not None else ("", "")
        except Fault as fault:
            sink.report("TG836", fault.part.span, f"the text of the API is left out: {fault.message}")
            return ""
        first = text.split("\n\n")[0].strip()
        return f"{title}: {first}" if title and first and first != title else title or first

    def operations(self, sink: Diagnostics) -> list[Operation]:
        """Return the operations, each with a name of its own. Those that cannot be read are reported."""
        found: list[Operation] = []
        seen: dict[tuple[str, str], Operation] = {}
        for operation in self._listed(sink):
            shape = (operation.method, _PARAMETER.sub("{}", operation.path))
            first = seen.setdefault(shape, operation)
            if first is not operation:
                message = f"`{operation.method} {operation.path}` is the same request as that of `{first.path}`"
                sink.report("TG831", operation.part.span, f"{message}, and is left out")
            else:
                found.append(operation)
        return list(_named_apart(_named_by_functions(found), sink))

    def tags(self, operations: list[Operation], sink: Diagnostics) -> dict[str, str]:
        """Return the tags that operations have, by the word of a spec, with their meaning."""
        meanings: dict[str, str] = {}
        try:
            for part in self.root.items("tags"):
                if not isinstance(part.value, dict):
                    raise Fault("a tag is an object", part)
                if part.text("name"):
                    meanings[part.text("name")] = part.text("summary", "description").split("\n")[0].strip()
        except Fault as fault:
            sink.report("TG836", fault.part.span, f"meanings of tags are left out: {fault.message}")
        used = dict.fromkeys(tag for operation in operations for tag in operation.tags)
        return {tag_word(tag): meanings.get(tag) or f"{tag}." for tag in used}

    def own_base_url(self, operation: Operation) -> str:
        """Return the URL of an operation whose servers are not those of the API; empty for any other."""
        for part in (operation.part, operation.item):
            url = server_url(part, self.url)
            if url is not None:
                return url if url != self.base_url else ""
        return ""

    def _listed(self, sink: Diagnostics) -> Iterator[Operation]:
        """Read the operations. What a reference leads to is checked: a part of a path item is no operation."""
        try:
            paths = self.root.mapping("paths")
        except Fault as fault:
            sink.report("TG831", fault.part.span, f"all paths are left out: {fault.message}")
            return
        for path, entry in paths.raw_entries() if paths is not None else []:
            try:
                item = _path_item(entry)
                methods = list(_methods_of(item))
            except Fault as fault:
                sink.report("TG831", fault.part.span, f"the path `{path}` is left out: {fault.message}")
                continue
            path = path if path.startswith("/") else f"/{path}"
            for method, part in methods:
                try:
                    yield _operation(method, path, item, part)
                except Fault as fault:
                    message = f"`{method.upper()} {path}` is left out: {fault.message}"
                    sink.report("TG831", fault.part.span, message)


def tag_word(tag: str) -> str:
    """Spell a tag of a description as one of a spec; empty where nothing is left of it."""
    word = tag if _TAG.fullmatch(tag) else "-".join(words(tag)).lower()[:90]
    if word[:1].isdigit() or word in BUILTIN:
        word = f"api-{word}"
    return word


def _path_item(entry: Part) -> Part:
    """Return a path item, references followed. Raises `Fault`."""
    item = entry.followed(whole=True)
    if item.value is None and entry.reference is None:
        return item
    if not isinstance(item.value, dict):
        raise Fault("it is no object", entry)
    if entry.reference is not None and not any(True for _ in _methods_of(item)) and set(item.value) - _BESIDE_METHODS:
        raise Fault(f"`{entry.reference}` leads to what is no path item: it has no method", entry)
    return item


def _methods_of(item: Part) -> Iterator[tuple[str, Part]]:
    for key, part in item.raw_entries():
        if key in _METHODS:
            yield key, part
    more = item.mapping("additionalOperations")
    for key, part in more.raw_entries() if more is not None else []:
        if key.isalpha():
            yield key, part


def _operation(method: str, path: str, item: Part, entry: Part) -> Operation:
    """Return an operation, references followed. Raises `Fault`."""
    part = entry.followed(whole=True)
    if not isinstance(part.value, dict):
        raise Fault("it is no object", entry)
    if entry.reference is not None and _OPERATION.isdisjoint(part.value):
        raise Fault(f"`{entry.reference}` leads to what is no operation", entry)
    tags = [each.value for each in part.items("tags") if isinstance(each.value, str)]
    usable = tuple(tag for tag in dict.fromkeys(tags) if tag_word(tag))
    name = part.text("operationId") or name_of_path(method, path)
    return Operation(name, method.upper(), path, item, part, usable)


def _named_by_functions(operations: list[Operation]) -> list[Operation]:
    """An operation whose id FastAPI made of function, path and method is called by the function, if that is free."""
    short = [_function_of(operation) or operation.name for operation in operations]
    counts = Counter(short)
    return [
        replace(operation, name=name) if counts[name] == 1 else operation
        for operation, name in zip(operations, short, strict=True)
    ]


def _function_of(operation: Operation) -> str:
    """Return the function of an operation, by the rule of FastAPI's `generate_unique_id`; empty for another id."""
    made = re.sub(r"\W", "_", operation.path) + f"_{operation.method.lower()}"
    name = operation.name.removesuffix(made)
    return name if name != operation.name and name.isidentifier() else ""


def _named_apart(operations: list[Operation], sink: Diagnostics) -> Iterator[Operation]:
    """Operations whose id is that of another as well are called by their method and path."""
    counts = Counter(operation.name for operation in operations)
    for operation in operations:
        if counts[operation.name] == 1:
            yield operation
            continue
        name = name_of_path(operation.method, operation.path)
        message = f"several operations are called `{operation.name}`, so this one is `{name}`"
        sink.report("TG832", operation.part.span, message)
        yield replace(operation, name=name)


def _default_server(url: str) -> str:
    """The server of a description that lists none: the host that it comes from."""
    found = re.match(r"https?://[^/]+", url)
    return found[0] if found else ""


def _version(root: Part) -> str:
    value: Any = root.value.get("openapi", root.value.get("swagger")) if isinstance(root.value, dict) else None
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
