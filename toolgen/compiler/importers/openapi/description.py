"""A whole description: what it says of its API, and the operations that it lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from toolgen.compiler.importers.openapi.files import Fault, ReadOnce
from toolgen.compiler.importers.openapi.operations import Operation, name_of_path
from toolgen.compiler.importers.update import name_digest
from toolgen.compiler.resolve.names import constant
from toolgen.compiler.resolve.toolsets.http import is_base_url
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.spec.http import credential_names
from toolgen.spec.text import has_parts
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.openapi.files import Part


# Servers and security schemes of a description: the base URL, and the `auth`, of a spec; secrets are variables.

_VARIABLE: Final = re.compile(r"\{([^{}]+)\}")


class UnusableServer(Fault):
    """A server whose URL is none to send requests to, or none for a spec: it has no host, or it has a credential."""


@dataclass(frozen=True, slots=True, eq=False)
class Security:
    """The alternatives that a description or an operation lists; equal ones of one description are one object.

    `credentials` are the places and the names of what requests with them have, which is no arg.
    """

    alternatives: list[list[str]]
    credentials: frozenset[tuple[str, str]]


NO_SECURITY: Final = Security([], frozenset())


@dataclass(slots=True)
class Auth:
    """What `auth` of a spec can express, by name, and the places of schemes that it cannot."""

    schemes: Mapping[str, dict[str, Any]]
    others: dict[str, Fault]
    places: Mapping[Any, str]
    """The names of schemes, by their location: OpenAPI 3.2 refers to them by URI too."""
    _lists: ReadOnce[Security] = field(init=False)
    _securities: dict[tuple[tuple[str, ...], ...], Security] = field(init=False)

    def __post_init__(self) -> None:
        """Nothing has been read of any part."""
        self._lists, self._securities = ReadOnce(self._listed), {(): NO_SECURITY}

    def security(self, owner: Part) -> Security | None:
        """Return what a description or an operation lists; None where it lists nothing.

        One with a scheme that is not expressible is left out; one without any scheme comes last. Raises `Fault`.
        """
        listed = owner.child("security")
        return self._lists.of(listed) if listed is not None else None

    def _listed(self, part: Part) -> Security:
        entries = [each.followed() for each in part.list_items("security")]
        found = [tuple(self._name(name, each) for name, each in entry.raw_entries()) for entry in entries]
        usable = [names for names in found if all(name in self.schemes for name in names)]
        alternatives = tuple(sorted(usable, key=lambda names: not names))
        if alternatives not in self._securities:
            names = [list(names) for names in alternatives]
            self._securities[alternatives] = Security(names, credential_names(self.schemes, names, {}))
        return self._securities[alternatives]

    def _name(self, text: str, part: Part) -> str:
        """The name of the scheme that a requirement names, or refers to."""
        if text not in self.schemes and text not in self.others:
            try:
                location = part.files.target(part, text).followed().location if "#" in text or "/" in text else None
            except Fault:
                location = None
            if location in self.places:
                return self.places[location]
            self.others[text] = Fault("is not declared", part)
        return text


def auth_of(root: Part, toolset: str, url: str, kept: Mapping[str, Any], *, is_swagger: bool) -> Auth:
    """Read the security schemes. `url` is what relative URLs are relative to, `kept` the `auth` of the spec so far.

    Raises `Fault`.
    """
    owner = root if is_swagger else root.mapping("components")
    listed = owner.mapping("securityDefinitions" if is_swagger else "securitySchemes") if owner is not None else None
    schemes: dict[str, dict[str, Any]] = {}
    others: dict[str, Fault] = {}
    places: dict[Any, str] = {}
    entries = listed.raw_entries() if listed is not None else []
    variables = _variables([name for name, _ in entries], toolset, kept)
    for name, part in entries:
        try:
            scheme = part.followed()
            places[scheme.location] = places[part.location] = name
            if not isinstance(scheme.value, dict):
                raise Fault("it is no object", part)
            made = _scheme(scheme, variables[name], url)
        except Fault as fault:
            others[name] = Fault(f"cannot be read ({fault.message})", fault.part)
            continue
        if made is None:
            others[name] = Fault("is of a type that no spec expresses", part)
        else:
            schemes[name] = made
    return Auth(schemes, others, places)


_SECRETS: Final = ("_KEY", "_USERNAME", "_PASSWORD", "_TOKEN", "_CLIENT_ID", "_CLIENT_SECRET")
"""The ends of the variables of schemes."""


def _variables(names: list[str], toolset: str, kept: Mapping[str, Any]) -> dict[str, str]:
    """Return what the variables of each scheme begin with: no two schemes have the same.

    Of several names that give one, such as `apiKey` and `api_key`, the one that has it in the spec gets it, or else the
    first by the alphabet; the others end in a hash of their names. The order of schemes does not matter.
    """
    plain = {name: f"$env.{constant(toolset)}_{constant(name)}" for name in names}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(names, key=lambda name: (not _has_variable(kept.get(name), plain[name]), name)):
        candidates = (f"{plain[name]}_{name_digest(name + chr(0) * attempt).upper()}" for attempt in count())
        found[name] = next(each for each in chain((plain[name],), candidates) if each not in taken)
        taken.add(found[name])
    return found


def _has_variable(scheme: Any, start: str) -> bool:
    values = scheme.values() if isinstance(scheme, dict) else ()
    return any(value in {f"{start}{end}" for end in _SECRETS} for value in values if isinstance(value, str))


def _scheme(part: Part, variable: str, url: str) -> dict[str, Any] | None:
    """One scheme; None for what `auth` has no type for, such as HTTP digest and mutual TLS."""
    kind, scheme = part.text("type"), part.text("scheme").lower()
    if kind == "apiKey" and part.text("in") in ("header", "query", "cookie") and part.text("name"):
        return {"type": "api_key", "in": part.text("in"), "name": part.text("name"), "value": f"{variable}_KEY"}
    if kind == "basic" or (kind == "http" and scheme == "basic"):
        return {"type": "basic", "username": f"{variable}_USERNAME", "password": f"{variable}_PASSWORD"}
    if kind == "http" and scheme == "bearer":
        return {"type": "bearer", "token": f"{variable}_TOKEN"}
    if kind == "oauth2":
        return _oauth(part, variable, url)
    return {"type": "bearer", "token": f"{variable}_TOKEN"} if kind == "openIdConnect" else None


def _oauth(part: Part, variable: str, url: str) -> dict[str, Any]:
    """Client credentials where they are the only flow or the first; another flow ends in a token that the host has."""
    flow = part.at("flows", "clientCredentials") if part.child("flows") is not None else part
    is_client = flow is not None and (flow is not part or part.text("flow") == "application")
    token_url = urljoin(url, flow.text("tokenUrl")) if flow is not None and is_client else ""
    if not is_base_url(token_url):
        return {"type": "bearer", "token": f"{variable}_TOKEN"}
    _refuse_credential(token_url, part)
    return {"type": "oauth2", "token_url": token_url, "client_id": f"{variable}_CLIENT_ID",
            "client_secret": f"{variable}_CLIENT_SECRET"}  # fmt: skip


def server_url(owner: Part, url: str) -> str | None:
    """Return the URL of the first server that a part lists, variables at their defaults; None where it lists none.

    `url` is that of the description, which relative servers are relative to. Raises `Fault`, and `UnusableServer` for
    a server whose URL is none to send requests to.
    """
    listed = owner.child("servers")
    if listed is not None and not isinstance(listed.value, list | None):
        raise Fault("`servers` is no list", listed)
    server = listed.child(0) if listed is not None else None
    if server is None:
        return None
    if not isinstance(server.value, dict):
        raise Fault("a server is an object", server)

    def default(found: re.Match[str]) -> str:
        variable = server.at("variables", found[1])
        value = variable.value.get("default") if variable is not None and isinstance(variable.value, dict) else None
        return str(value) if isinstance(value, str | int) else found[0]

    return _usable(_VARIABLE.sub(default, server.text("url")), url, server)


def swagger_url(root: Part, url: str) -> str | None:
    """Return the URL of an API of Swagger 2.0, by `schemes`, `host` and `basePath`; None where it lists none.

    Raises `Fault`, and `UnusableServer` as `server_url` does.
    """
    schemes = root.child("schemes")
    offered = schemes.value if schemes is not None and isinstance(schemes.value, list) else []
    scheme = "https" if "https" in offered or not offered else str(offered[0])
    host, path = root.text("host"), root.text("basePath")
    if not host and not path:
        return None
    place = root.child("host" if host else "basePath")
    return _usable(f"{scheme}://{host}{path}" if host else path, url, place or root)


def _usable(server: str, url: str, place: Part) -> str:
    variables = [f"`{name}`" for name in _VARIABLE.findall(server)]
    if variables:
        raise UnusableServer(f"`{server}` has no default for {' and '.join(variables)}", place)
    try:
        joined = urljoin(url, server or "/").split("#")[0].split("?")[0]
        is_relative = not urlsplit(joined).scheme
    except ValueError:
        joined, is_relative = server, False
    if is_relative:
        raise UnusableServer(f"`{server}` is relative, and a description in a file has no host", place)
    if not is_base_url(joined):
        raise UnusableServer(f"`{server}` is no URL that requests are sent to", place)
    _refuse_credential(joined, place)
    return joined.rstrip("/")


def _refuse_credential(url: str, place: Part) -> None:
    found = place.files.credential_in(url)
    if found:
        raise UnusableServer(f"{found} has a credential, and specs are committed", place)


_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_OPERATION: Final = frozenset({"operationId", "parameters", "requestBody", "responses"})
"""Keys by which an operation is recognized."""

_BESIDE_METHODS: Final = frozenset({"summary", "description", "parameters", "servers", "additionalOperations"})
_VERSION: Final = re.compile(r"3\.[0-2](\.|$)")
_PARAMETER: Final = re.compile(r"\{[^{}]*\}")
_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True, slots=True)
class Description:
    """A description. `url` is where it is, empty for a file; `base_url` is empty where it names no host.

    `server_fault` is why its servers cannot be read or used.
    """

    root: Part
    is_swagger: bool
    is_old: bool
    url: str
    base_url: str
    server_fault: Fault | None
    auth: Auth

    @classmethod
    def of(cls, root: Part, toolset: str, url: str, sink: Diagnostics, kept: Mapping[str, Any]) -> Description | None:
        """Read what a description says of its API; None where it is none, which is reported.

        `kept` is the `auth` of the spec so far.
        """
        version = _version(root)
        is_swagger = version == "2.0"
        if not is_swagger and not _VERSION.match(version):
            found = f"it says `{version}`" if version else "it says neither `openapi: 3…` nor `swagger: '2.0'`"
            message = f"this is no description of an API in OpenAPI 3.0 to 3.2 or Swagger 2.0: {found}"
            sink.report("TG830", root.span, message)
            return None
        server: str | None
        server_fault: Fault | None = None
        auth = Auth({}, {}, {})
        try:
            server = swagger_url(root, url) if is_swagger else server_url(root, url)
            if server is None:
                server = _default_server(url)
                _refuse_credential(server, root)
        except Fault as fault:
            server, server_fault = "", fault
        try:
            auth = auth_of(root, toolset, url, kept, is_swagger=is_swagger)
        except Fault as fault:
            sink.report("TG834", fault.part.span, f"the security schemes cannot be read: {fault.message}")
        return cls(
            root=root,
            is_swagger=is_swagger,
            is_old=is_swagger or version.startswith("3.0"),
            url=url,
            base_url=server,
            server_fault=server_fault,
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
        told: dict[str, list[str]] = {}
        for tag in used:  # several may be one word
            told.setdefault(tag_word(tag), []).append(meanings.get(tag) or f"{tag}.")
        return {word: " ".join(dict.fromkeys(texts)) for word, texts in told.items()}

    def lists(self, base_url: str) -> bool:
        """Return whether a URL is that of a server that the description lists, whatever values its variables have.

        Also where it lists none: where a description was fetched says little about where its API is called.
        """
        if self.is_swagger:
            return base_url == self.base_url or not (self.root.text("host") or self.root.text("basePath"))
        servers = [each.text("url") for each in self.root.items("servers") if isinstance(each.value, dict)]
        return not servers or any(self._can_be(server, base_url) for server in servers)

    def _can_be(self, server: str, base_url: str) -> bool:
        try:
            joined = server if _VARIABLE.match(server) else urljoin(self.url, server)
        except ValueError:  # such as `https://[x`
            return False
        parts = _VARIABLE.split(joined)[::2]
        return has_parts(base_url, parts) or has_parts(f"{base_url}/", parts)

    def own_base_url(self, operation: Operation) -> str:
        """Return the URL of an operation whose servers are not those of the API; empty for any other.

        Raises `Fault` as `server_url` does.
        """
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
