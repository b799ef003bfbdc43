"""Operations: the requests of tools, as catalogs have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import NOTHING
from toolgen.execute.result_texts import ResultTexts
from toolgen.schema.fields import fields_of, merged, resolved
from toolgen.schema.json_values import is_object
from toolgen.spec.http import http_path

if TYPE_CHECKING:
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.spec.http import HttpPath

_DEFAULT_STYLES: Final = {
    "path": "simple",
    "header": "simple",
    "query": "form",
    "cookie": "form",
    "querystring": "form",
}

PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
"""What a value of the path replaces."""

REPEATABLE: Final = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"})
"""Methods that may be sent twice (RFC 9110, section 9.2.2; QUERY by its draft)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    r"""Where and how an arg is sent. `explode` None is the default of the style.

    `separators` says what `/`, `\`, `;`, `?` and `#` in a value of the path do: `refuse`, `encode`, or `keep_slash`.
    """

    arg: str
    place: str
    name: str
    style: str
    explode: bool | None = None
    allow_reserved: bool = False
    content: str = ""
    separators: str = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How a field of a form or multipart body is sent."""

    content_type: str = ""
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    base64: bool = False
    type_arg: str = ""
    name_arg: str = ""
    file_name: str = ""
    """The file name of one call, of `name_arg`; empty for that of the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The body: one arg, or all args without a place, as fields."""

    media_type: str
    arg: str = ""
    required: bool = False
    names: Mapping[str, str] = NOTHING
    encoding: Mapping[str, Encoding] = NOTHING
    base64: bool = False
    type_arg: str = ""
    fields: frozenset[str] = frozenset()
    """The fields of a form that the spec names, where the path has a query: no arg may be taken for a field of that."""

    @property
    def other_args(self) -> frozenset[str]:
        """The args that are media types and file names, and no fields."""
        of_fields = (arg for each in self.encoding.values() for arg in (each.type_arg, each.name_arg))
        return frozenset({self.type_arg, *of_fields})


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """The request of one tool. `query` are the parts that each request has; `security` None is that of the API.

    Of a page, `next_header` is the header with the next cursor, and `cursor` the name of the arg for it in the query.
    """

    ident: str
    method: str
    path: str
    query: tuple[str, ...] = ()
    params: tuple[Param, ...]
    body: Body | None
    base_url: str
    security: tuple[tuple[str, ...], ...] | None
    idempotency_header: str
    errors: Mapping[str, str]
    texts: ResultTexts
    next_header: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, definition: ToolDefinition) -> Operation:
        """Read the request of a compiled tool."""
        spec, bounded = definition.settings.http, definition.settings.bounded
        assert spec is not None, "it is a tool of an HTTP API"
        security, path = spec.get("security"), http_path(spec["path"])
        params = tuple(_param(arg, given) for arg, given in spec.get("params", {}).items())
        cursor = bounded.cursor if bounded else ""
        return cls(
            ident=definition.name,
            method=spec["method"].upper(),
            path=path.path,
            query=path.sent_query,
            params=params,
            body=_body(spec["body"], definition, path) if "body" in spec else None,
            base_url=spec.get("base_url", ""),
            security=None if security is None else tuple(tuple(each) for each in security),
            idempotency_header=spec.get("idempotency_header", ""),
            errors=spec.get("errors", NOTHING),
            texts=ResultTexts(definition.result_schema, definition.name),
            next_header=bounded.next_header if bounded else "",
            cursor=next((param.name for param in params if param.arg == cursor), cursor),
        )

    @classmethod
    def closed(cls, toolset: str, request: Mapping[str, Any]) -> Operation:
        """Read a request of the API that no tool makes, by which paths are judged alone."""
        path = http_path(request["path"])
        return cls(
            ident=f"{toolset}: {request['method']} {request.get('base_url', '')}{request['path']}",  # no tool has it
            method=request["method"].upper(),
            path=path.path,
            query=path.sent_query,
            params=tuple(_param(arg, given) for arg, given in request.get("params", {}).items()),
            body=None,
            base_url=request.get("base_url", ""),
            security=None,
            idempotency_header="",
            errors=NOTHING,
            texts=ResultTexts(None, ""),
        )

    @property
    def is_repeatable(self) -> bool:
        """Whether the request may be sent twice by its method alone."""
        return self.method in REPEATABLE


def _param(arg: str, given: str | Mapping[str, Any]) -> Param:
    spec: Mapping[str, Any] = {"in": given} if isinstance(given, str) else given
    return Param(
        arg=arg,
        place=spec["in"],
        name=spec.get("name", arg),
        style=spec.get("style", _DEFAULT_STYLES[spec["in"]]),
        explode=spec.get("explode"),
        allow_reserved=spec.get("allow_reserved", False),
        content=spec.get("content", ""),
        separators=spec.get("separators", "refuse"),
    )


def _body(spec: Mapping[str, Any], definition: ToolDefinition, path: HttpPath) -> Body:
    encoding = {name: Encoding(**each) for name, each in spec.get("encoding", {}).items()}
    others = {name: value for name, value in spec.items() if name != "encoding"}
    body = Body(**others, encoding=encoding)
    if not path.query:
        return body
    schema: Any = definition.input_schema
    written = dict(_declared(schema, schema))
    fields = dict(_declared(written.get(body.arg), schema)) if body.arg else written
    return replace(body, fields=frozenset(body.names.get(name, name) for name in fields))


def _declared(node: Any, root: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields that the schema of an object names, also in alternatives, each with a schema of it."""
    queue, seen = [node], set[int]()
    for each in queue:
        found, _ = resolved(each, root)
        if not is_object(found) or id(found) in seen:
            continue
        seen.add(id(found))
        yield from ((field.name, field.written) for field in fields_of(found, root))
        parts = [found, *merged(found, root)]
        queue += [branch for part in parts for key in ("anyOf", "oneOf") for branch in part.get(key, ())]
