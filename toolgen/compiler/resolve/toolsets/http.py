"""The `api` of a toolset and the `http` of its tools: every arg has a place, and every name leads somewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from toolgen.compiler.diagnostics.diagnostic import listing
from toolgen.compiler.documents.toolset import ParamSpec
from toolgen.spec import hosts
from toolgen.spec.http import (
    CONNECTION_HEADERS,
    charset_of,
    codec_of,
    credential_names,
    http_path,
    is_credential,
    is_header_name,
    is_header_value,
    token_urls,
)
from toolgen.spec.templates import VARIABLE, has_nameless_variable

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.toolset import ApiSpec, AuthSpec, HttpSpec, ToolsetFile

PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")

_NEEDS: Final = {
    "api_key": ("in", "name", "value"),
    "basic": ("username", "password"),
    "bearer": ("token",),
    "oauth2": ("token_url", "client_id", "client_secret"),
}
"""The keys that each type of `auth` needs."""

_SECRETS: Final = ("value", "password", "token", "client_secret")
_STYLES: Final = {
    "path": ("simple", "label", "matrix", "spaceDelimited", "pipeDelimited", "tabDelimited"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"),
    "header": ("simple", "spaceDelimited", "pipeDelimited", "tabDelimited"),
    "cookie": ("form", "cookie"),
    "querystring": (),
}
"""The styles of each place. Swagger 2.0 has its list separators in headers and paths too."""

_PLACE: Final = re.compile(r"[\w.:$\[\]-]+", re.ASCII)
"""A host and a port as every client reads them: other letters and dots are mapped to these by some."""

_SPLIT_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]?\{")
_STATUS: Final = re.compile(r"[1-5](?:[0-9]{2}|XX)|default")
_HEADER_FIX: Final = "use letters, digits, and `-` or `_`"
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


def resolve_api(document: Document[ToolsetFile], sink: Diagnostics) -> dict[str, Any] | None:
    """Check the `api` of a toolset and return it as JSON, without what is default."""
    spec = document.file.api
    if spec is None:
        return None
    if document.file.kind != "http":
        message = f"`api` is for toolsets of kind http, and this one is {document.file.kind}"
        sink.report("TG406", document.span("api", key=True), message)
    if spec.base_url is not None and not is_base_url(spec.base_url):
        fix = "write `https://host/path`"
        sink.report("TG420", document.span("api", "base_url"), f"`{spec.base_url}` is not the URL of an API", fix=fix)
    check_headers(spec.headers, ("api", "headers"), document, sink, "TG420")
    if spec.idempotency_header is not None and not is_header_name(spec.idempotency_header):
        message = _no_header_name(spec.idempotency_header)
        sink.report("TG420", document.span("api", "idempotency_header"), message, fix=_HEADER_FIX)
    for name, auth in spec.auth.items():
        _check_auth(name, auth, document, sink)
    _check_security(spec.security, spec, ("api", "security"), document, sink)
    return spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def check_headers(
    headers: Mapping[str, str], place: tuple[str, ...], document: Document[ToolsetFile], sink: Diagnostics, code: str
) -> None:
    """Check headers that stand in a spec, which are reported with a code."""
    for name, value in headers.items():
        if not is_header_name(name):
            sink.report(code, document.span(*place, name, key=True), _no_header_name(name), fix=_HEADER_FIX)
        if not is_header_value(value):
            message = f"the value of `{name}` has a line break or a control character, which no header has"
            sink.report(code, document.span(*place, name), message)
        if has_nameless_variable(value):
            message = f"`{value}` has no name of an environment variable behind `$env.`"
            fix = "write `$env.NAME`, with letters, digits and `_`"
            sink.report(code, document.span(*place, name), message, fix=fix)


def _no_header_name(name: str, what: str = "header") -> str:
    return f"`{name}` is not the name of a {what}"


def resolve_http(
    spec: HttpSpec,
    key: str,
    fields: Collection[str],
    required: Collection[str],
    document: Document[ToolsetFile],
    sink: Diagnostics,
) -> dict[str, Any]:
    """Check the `http` of a tool against its args, and return it as JSON, without what is default."""
    checks = _Checks(spec, ("tools", key, "http"), fields, document, sink)
    checks.check_url()
    checks.check_path(required)
    checks.check_params()
    checks.check_body()
    checks.check_header_names()
    checks.check_credentials(document.file.api)
    _check_security(spec.security, document.file.api, ("tools", key, "http", "security"), document, sink)
    for status in spec.errors:
        if not _STATUS.fullmatch(status):
            fix = "write `404`, `4XX` or `default`"
            checks.report(f"`{status}` is not a status", "errors", status, fix=fix, is_key=True)
    return spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def hosts_of(spec: HttpSpec, api: ApiSpec | None) -> tuple[str, ...]:
    """Return the hosts that the requests of a tool go to, if the spec names that of the API: policies match them.

    They include those of token endpoints. Which of several alternatives is used depends on the environment of a call.
    """
    url = spec.base_url or (api.base_url if api else None)
    if is_in_process(api) or url is None or not is_base_url(url) or not (host := host_of(url)):
        return ()
    security = api.security if api and spec.security is None else spec.security
    auth = {name: each.model_dump(by_alias=True) for name, each in api.auth.items()} if api else {}
    return tuple(dict.fromkeys([host, *filter(None, map(host_of, token_urls(auth, security)))]))


def closed_request(spec: HttpSpec) -> dict[str, Any]:
    """Return the request of a disabled tool, as far as it is compared: which values of other paths would lead to it."""
    spans = {
        arg: each.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        for arg, each in spec.params.items()
        if isinstance(each, ParamSpec) and each.in_ == "path" and each.separators == "keep_slash"
    }
    found = {"method": spec.method, "path": spec.path, "base_url": spec.base_url, "params": spans}
    return {name: value for name, value in found.items() if value}


def host_of(url: str) -> str:
    """Return the host of a URL as policies judge it; empty if there is none, or one with a variable of the environment.

    Only the host counts: a variable may be behind it.
    """
    scheme, _, rest = url.partition("://")
    place = rest.partition("/")[0]
    return "" if not place or "$env." in place else hosts.host_of(f"{scheme}://{place}")


def is_in_process(api: ApiSpec | None) -> bool:
    """Return whether an app answers the requests of an API, so that they never reach the network."""
    return api is not None and api.app is not None


def is_base_url(text: str) -> bool:
    """Return whether a text is an absolute URL of HTTP, without a query, a fragment or a password.

    The host is ASCII (Punycode for other letters), so that the one that is shown is the one that is reached.
    """
    try:
        url = urlsplit(text)
        is_whole = bool(url.hostname) and url.port != 0
    except ValueError:
        return False
    is_plain = not (url.query or url.fragment or url.username or url.password) and "{" not in text
    is_plain = is_plain and _PLACE.fullmatch(url.netloc) is not None
    return is_whole and is_plain and url.scheme in ("http", "https") and not re.search(r"\s", text)


class _Checks:
    """Checks of one `http` block. `fields` are the args of the tool."""

    def __init__(
        self,
        spec: HttpSpec,
        place: Sequence[str],
        fields: Collection[str],
        document: Document[ToolsetFile],
        sink: Diagnostics,
    ) -> None:
        self._spec, self._place, self._fields = spec, place, fields
        self._document, self._sink = document, sink
        self._params = {
            arg: each if isinstance(each, ParamSpec) else ParamSpec.model_validate({"in": each})
            for arg, each in spec.params.items()
        }

    def report(self, message: str, *path: str, fix: str = "", is_key: bool = False, code: str = "TG421") -> None:
        self._sink.report(code, self._document.span(*self._place, *path, key=is_key), message, fix=fix)

    def check_url(self) -> None:
        url = self._spec.base_url
        if url is not None and not is_base_url(url):
            self.report(f"`{url}` is not the URL of an API", "base_url", fix="write `https://host/path`")

    def check_path(self, required: Collection[str]) -> None:
        """Each placeholder of the path has an arg, and each arg of the path a placeholder."""
        path, query, _ = written = http_path(self._spec.path)
        if not path.startswith("/"):
            self.report(f"`{path}` is not a path: it starts with `/`", "path", fix="write `/items/{id}`")
        if not is_header_value(self._spec.path) or "\t" in self._spec.path:
            self.report("a path has no line breaks and no control characters", "path", fix="percent-encode them")
        if PLACEHOLDER.search(query):
            message = f"`{query}` has a placeholder: what stands in the path is the same in each request"
            self.report(message, "path", fix="place args of the query under `params`")
        for arg, each in self._params.items():
            if each.in_ == "query" and (each.name or arg) in written.names:
                self.report(f"the query of the path has `{each.name or arg}` already", "params", arg, is_key=True)
        if any(not segment.strip(".") and segment for segment in path.split("/")) or _SPLIT_ESCAPE.search(path):
            fix = "write the path as it is sent"
            self.report(f"`{path}` has a segment of dots, or a `%` that a value would complete", "path", fix=fix)
        names = set(PLACEHOLDER.findall(path))
        placed = {each.name or arg: arg for arg, each in self._params.items() if each.in_ == "path"}
        for name in sorted(names - placed.keys()):
            others = (placed.keys() | set(self._fields) - self._params.keys()) - names
            fix = "" if name in self._fields else self._sink.nearest(name, others)
            fix = fix or f"write `params: {{{name}: path}}`"
            self.report(f"no arg fills `{{{name}}}`", "path", fix=fix)
        for name, arg in placed.items():
            if name not in names:
                self.report(f"the path has no `{{{name}}}`", "params", arg, is_key=True)
            elif arg in self._fields and arg not in required:
                message = f"`{arg}` is part of the path, so it cannot be optional"
                self.report(message, "params", arg, is_key=True, fix="make the arg required")

    def check_params(self) -> None:
        seen: dict[tuple[str, str], str] = {}
        for arg, each in self._params.items():
            self._check_arg(arg, "params", arg)
            if each.style is not None and each.style not in _STYLES[each.in_]:
                fix = listing("styles there", list(_STYLES[each.in_])) if _STYLES[each.in_] else ""
                self.report(f"the style `{each.style}` is not for args in `{each.in_}`", "params", arg, fix=fix)
            if each.separators != "refuse" and each.in_ != "path":
                message = f"`separators` is for args in `path`, and `{arg}` is in `{each.in_}`"
                self.report(message, "params", arg, "separators", is_key=True)
            if each.content is not None and (each.style is not None or each.explode is not None):
                self.report("a value has a `content` or a style, not both", "params", arg)
            name = (each.in_, (each.name or arg).lower() if each.in_ == "header" else each.name or arg)
            if seen.setdefault(name, arg) != arg:
                message = f"`{seen[name]}` and `{arg}` are both sent as `{each.name or arg}` in `{each.in_}`"
                self.report(message, "params", arg, is_key=True)

    def check_body(self) -> None:
        body = self._spec.body
        if body is None:
            for name in sorted(set(self._fields) - self._params.keys()):
                fix = f"write `params: {{{name}: query}}`, or give the request a `body`"
                self.report(f"the arg `{name}` has no place in the request", fix=fix, is_key=True)
            return
        if body.arg is None:
            for arg in body.names:
                self._check_arg(arg, "body", "names")
                if arg in self._params:
                    message = f"`{arg}` is sent in `{self._params[arg].in_}`, so it is no field of the body"
                    self.report(message, "body", "names")
        else:
            self._check_arg(body.arg, "body", "arg")
            if body.arg in self._params:
                self.report(f"`{body.arg}` is sent in `{self._params[body.arg].in_}` already", "body", "arg")
            for name in sorted(set(self._fields) - self._params.keys() - {body.arg, body.type_arg}):
                message = f"the arg `{name}` has no place in the request: `{body.arg}` is the whole body"
                self.report(message, "body", is_key=True, fix=f"write `params: {{{name}: query}}`")
        if body.encoding and body.media_type.partition(";")[0].strip().lower() not in _FORMS:
            self.report(
                f"`encoding` is for forms and multipart bodies, not for `{body.media_type}`", "body", "encoding"
            )
        for type_arg, *path in (
            (body.type_arg, "type_arg"),
            *((arg, "encoding") for each in body.encoding.values() for arg in (each.type_arg, each.name_arg)),
        ):
            if type_arg is not None:
                self._check_arg(type_arg, "body", *path)
            if type_arg in self._params:
                self.report(f"`{type_arg}` is sent in `{self._params[type_arg].in_}` already", "body", *path)
        if body.type_arg is not None and body.arg is None:
            self.report("`type_arg` is for a body that is one arg", "body", "type_arg", fix="write `arg: body`")
        if body.base64 and body.arg is None:
            self.report("`base64` is for a body that is one arg", "body", "base64", fix="write `arg: body`")

    def check_header_names(self) -> None:
        for arg, each in self._params.items():
            name = each.name or arg
            if each.in_ == "header" and name.lower() in CONNECTION_HEADERS:
                message = f"`{name}` says where a request goes or ends: the client sets it, and no arg"
                self.report(message, "params", arg, is_key=True)
            what = "header" if each.in_ == "header" else "cookie" if each.style == "cookie" else ""
            if what and not is_header_name(name):
                self.report(_no_header_name(name, what), "params", arg, is_key=True, fix=_HEADER_FIX)
        key, body = self._spec.idempotency_header, self._spec.body
        if key is not None and not is_header_name(key):
            self.report(_no_header_name(key), "idempotency_header", fix=_HEADER_FIX)
        fields = body.encoding.items() if body else ()
        of_fields = [
            (each.content_type or "", each.base64, ("encoding", name, "content_type")) for name, each in fields
        ]
        whole = [(body.media_type, body.base64, ("media_type",))] if body else []
        for text, is_base64, path in [*whole, *of_fields]:
            charset = charset_of(text)
            if not is_header_value(text):
                self.report("a media type has no line breaks and no control characters", "body", *path)
            elif charset and not is_base64 and not codec_of(charset):
                message = f"`{charset}` is no charset in which texts are sent"
                self.report(message, "body", *path, fix="write `charset=utf-8`")

    def check_credentials(self, api: ApiSpec | None) -> None:
        """No arg and no fixed query has the name of a credential: an API may take it for that."""
        if api is None:
            return
        auth = {name: each.model_dump(by_alias=True) for name, each in api.auth.items()}
        security = api.security if self._spec.security is None else self._spec.security
        names = credential_names(auth, security, api.headers)
        for arg, each in self._params.items():
            name = each.name or arg
            if is_credential(each.in_, name, names):
                message = f"`{name}` in `{each.in_}` is a credential or a header of the host, which no arg sets"
                fix = "remove the arg, or write `security: []` if the request has no credentials"
                self.report(message, "params", arg, is_key=True, fix=fix)
        for name in http_path(self._spec.path).names:
            if is_credential("query", name, names):
                self.report(f"the query of the path has `{name}`, which is a credential of the API", "path")

    def _check_arg(self, name: str, *path: str) -> None:
        if name not in self._fields:
            fix = self._sink.nearest(name, self._fields) or listing("args", sorted(self._fields))
            self.report(f"`{name}` is not an arg", *path, fix=fix, is_key=True, code="TG401")


def _check_auth(name: str, auth: AuthSpec, document: Document[ToolsetFile], sink: Diagnostics) -> None:
    given = auth.model_dump(by_alias=True, exclude_unset=True)
    needed = _NEEDS[auth.type]
    place = ("api", "auth", name)
    for key in needed:
        if given.get(key) is None:
            sink.report("TG420", document.span(*place, key=True), f"`{auth.type}` needs `{key}`")
    for key in given:
        if key not in (*needed, "type", *(["scopes"] if auth.type == "oauth2" else [])):
            sink.report("TG420", document.span(*place, key, key=True), f"`{key}` is not for `{auth.type}`")
    if auth.name is not None and auth.in_ in ("header", "cookie") and not is_header_name(auth.name):
        sink.report("TG420", document.span(*place, "name"), _no_header_name(auth.name, auth.in_), fix=_HEADER_FIX)
    for key in _SECRETS:
        value = given.get(key)
        if isinstance(value, str) and not VARIABLE.fullmatch(value):
            sink.report(
                "TG420",
                document.span(*place, key),
                f"`{key}` is a secret, which no spec has",
                fix="write `$env.NAME`, and put the value into the variable",
            )
    if auth.token_url is not None and not is_base_url(auth.token_url.partition("?")[0]):
        sink.report("TG420", document.span(*place, "token_url"), f"`{auth.token_url}` is not a URL")


def _check_security(
    security: list[list[str]] | None,
    api: ApiSpec | None,
    place: tuple[str, ...],
    document: Document[ToolsetFile],
    sink: Diagnostics,
) -> None:
    known = api.auth if api else {}
    for index, name in _names(security or []):
        if name not in known:
            fix = (
                sink.nearest(name, known) or listing("`auth`", sorted(known)) if known else "add it to `auth` of `api`"
            )
            sink.report("TG420", document.span(*place, index), f"`api` has no `auth` called `{name}`", fix=fix)


def _names(security: list[list[str]]) -> Iterator[tuple[int, str]]:
    for index, alternative in enumerate(security):
        for name in alternative:
            yield index, name
