"""Operations: each method of each path to one tool with one flat object of args.

The rule for names: an arg has the name of its parameter, or of its field of the body. Where several have the same, the
first has it, in the order path, query, header, cookie, querystring, body; the others end in `_` and their place:
`id_query`, `id_body`. A body that is no plain object is one arg, `body`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_plus

from toolgen.compiler.importers.openapi.bodies import request_body
from toolgen.compiler.importers.openapi.files import Fault
from toolgen.compiler.importers.openapi.media import type_schema
from toolgen.compiler.importers.openapi.parameters import PLACES, parameters
from toolgen.compiler.resolve.toolsets.http import PLACEHOLDER
from toolgen.spec.http import HttpPath, http_path
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.compiler.importers.openapi.bodies import Field as BodyField
    from toolgen.compiler.importers.openapi.bodies import RequestBody
    from toolgen.compiler.importers.openapi.files import Part
    from toolgen.compiler.importers.openapi.parameters import Parameter
    from toolgen.compiler.importers.openapi.responses import Responses
    from toolgen.compiler.importers.openapi.schemas import Schemas

_IDEMPOTENCY: Final = "idempotency-key"
_LONGEST_TITLE: Final = 80
_FILE_NAME: Final = {"type": "string", "minLength": 1, "description": "The name of the file."}
_JOINED: Final[dict[str, Any]] = {"explode": False}
"""How a value that was declared as a part of the path is sent in the query."""

_QUERY_TEMPLATE: Final = re.compile(r"\{[?&]([^{}]*)\}")
"""Parameters of the query as RFC 6570 has them: `/items{?limit,offset}`."""

_WILDCARD: Final = re.compile(r"[+*](\w+)|(\w+)(?:[+*]|:path)")
"""Placeholders of several segments, as gateways and frameworks write them into descriptions."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path. `name` is what it is called at its source, `tags` those of the description."""

    name: str
    method: str
    path: str
    item: Part
    part: Part
    tags: tuple[str, ...]


@dataclass
class _Args:
    """The args as they come together: schemas by name, required ones, and their places in the request."""

    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    required: list[str] = field(default_factory=list[str])
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    together: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, name: str, place: str, schema: Any, *, required: bool) -> str:
        """Add an arg, under a name that is free."""
        arg = name
        while arg in self.properties:
            arg = f"{arg}_{place}"
        self.properties[arg] = schema
        if required:
            self.required.append(arg)
        return arg


def tool_of(
    operation: Operation,
    schemas: Schemas,
    consumes: list[str],
    is_credential: Callable[[str, str, Part], bool],
    *,
    is_swagger: bool,
) -> dict[str, Any]:
    """Return the keys of a tool that a description decides, but for the result and the errors. Raises `Fault`.

    `is_credential` is given the place, the name and the part of each parameter, and returns whether it is no arg.
    """
    found = parameters(operation.item, operation.part, is_swagger=is_swagger)
    path, found = _placed(operation, found)
    found = [each for each in found if not is_credential(each.place, each.name, each.schema)]
    for name in http_path(path).names:
        if is_credential("query", name, operation.part):
            raise Fault(f"the query of its path has `{name}`, which is a credential", operation.part)
    body = request_body(operation.item, operation.part, schemas, consumes, is_swagger=is_swagger)
    args = _Args()
    for parameter in sorted(found, key=lambda each: PLACES.index(each.place)):
        _add_parameter(parameter, args, schemas)
    http: dict[str, Any] = {"method": operation.method, "path": path}
    body_spec = {} if body is None else _add_body(body, args)
    if args.params:
        http["params"] = args.params
    if body_spec:
        http["body"] = body_spec
    key = next((each.name for each in found if each.place == "header" and each.name.lower() == _IDEMPOTENCY), "")
    if key and operation.method in ("POST", "PATCH"):
        http["idempotency_header"] = key
    schema: dict[str, Any] = {"type": "object", "properties": args.properties}
    if args.required:
        schema["required"] = args.required
    if args.together:
        schema["dependentRequired"] = args.together
    schema["additionalProperties"] = False if body is None else body.extra
    made = {**_texts(operation), "http": http, "args": schemas.with_definitions(schema, "args")}
    operation.part.files.check_numbers(made)
    return made


def result_of(operation: Operation, schemas: Schemas, responses: Responses, produces: list[str]) -> Any:
    """Return the schema of the result; True where nothing certain is said. Raises `Fault`."""
    schema = responses.schema(operation.part, operation.method, produces)
    made = schemas.with_definitions(schema, "result") if isinstance(schema, dict) else schema
    operation.part.files.check_numbers(made)
    return made


def _add_parameter(parameter: Parameter, args: _Args, schemas: Schemas) -> None:
    schema = _described(schemas.written(parameter.schema, "args"), parameter.description, parameter.deprecated)
    arg = args.add(parameter.name, parameter.place, schema, required=parameter.required)
    spec = {"in": parameter.place, **({"name": parameter.name} if arg != parameter.name else {}), **parameter.spec}
    args.params[arg] = spec if len(spec) > 1 else parameter.place


def _placed(operation: Operation, found: list[Parameter]) -> tuple[str, list[Parameter]]:
    """Return the path, and the parameters by what it says of them. Raises `Fault`.

    A query in the path is the same in each request, so its names are no parameters; a placeholder in it is a parameter
    of the query. The path has the names of its parameters: `{path+}` and `{path*}` are `path`.
    """
    path, query, fragment = http_path(_QUERY_TEMPLATE.sub("", operation.path))
    templates = ",".join(_QUERY_TEMPLATE.findall(operation.path)).split(",")
    in_query = {name.rstrip("*"): name.rstrip("*") for name in templates if name}
    declared = {each.name for each in found if each.place == "path"}

    def named(match: re.Match[str]) -> str:
        name = next((each for each in (match[1], wildcard_name(match[1])) if each in declared), None)
        if name is None:
            raise Fault(f"the path has `{match[0]}`, and no parameter describes it", operation.part)
        return f"{{{name}}}"

    path = PLACEHOLDER.sub(named, path)
    items = [each for each in query.split("&") if each]
    fixed = [each for each in items if not PLACEHOLDER.search(each)]
    sent = in_query | {name: key for key, name in (_filled(each, operation) for each in items if each not in fixed)}
    moved = [
        replace(each, place="query", name=sent[each.name], spec=_JOINED)
        if each.name in sent and each.place == "path" and f"{{{each.name}}}" not in path
        else each
        for each in found
    ]
    written = HttpPath(path, "&".join(fixed), fragment or "&".join(sorted(set(sent.values()) - in_query.keys())))
    missing = set(sent.values()) - {each.name for each in moved if each.place == "query"}
    if missing:
        raise Fault(f"the path has `{min(missing)}` in its query, and no parameter describes it", operation.part)
    left = [
        each
        for each in moved
        if not (each.place == "query" and each.name in written.names)
        and not (each.place == "path" and f"{{{each.name}}}" not in path)  # published documents have them
    ]
    return f"{path}{'?' if fixed else ''}{written.query}{'#' if written.fragment else ''}{written.fragment}", left


def _filled(item: str, operation: Operation) -> tuple[str, str]:
    """The name of a part of the query, and of the parameter that is its value: `a={b}`. Raises `Fault`."""
    name, _, value = item.partition("=")
    found = PLACEHOLDER.fullmatch(value)
    if found is None or PLACEHOLDER.search(name):
        raise Fault(f"the query of the path has `{item}`, which is no `name={{parameter}}`", operation.part)
    return unquote_plus(name), found[1]


def wildcard_name(placeholder: str) -> str:
    """Return the parameter of a placeholder that several segments fill (`{path+}`); empty for any other."""
    found = _WILDCARD.fullmatch(placeholder)
    return (found[1] or found[2]) if found else ""


def _add_body(body: RequestBody, args: _Args) -> dict[str, Any]:
    """Add the args of a body; returns the `body` of the spec.

    A body that is not required may be left out, all its fields at once: one needs those that are required.
    """
    spec: dict[str, Any] = {"media_type": body.media_type}
    if body.required:
        spec["required"] = True
    if body.fields is None:
        schema = _described(body.whole, body.description, deprecated=False)
        spec["arg"] = args.add("body", "body", schema, required=body.required)
        if body.base64:
            spec["base64"] = True
        if body.media_types:
            schema = type_schema(body.media_types, "the body")
            spec["type_arg"] = args.add("content_type", "body", schema, required=body.required)
            if not body.required:
                args.together = {spec["arg"]: [spec["type_arg"]], spec["type_arg"]: [spec["arg"]]}
        return spec
    needed: list[str] = []
    made: list[str] = []
    choices: dict[str, str] = {}
    of_files: dict[str, str] = {}
    names: dict[str, str] = {}
    encoding: dict[str, Any] = {}
    for name, each in body.fields.items():
        arg = args.add(name, "body", each.schema, required=each.required and body.required)
        needed += [arg] if each.required and not body.required else []
        made.append(arg)
        if arg != name:
            names[arg] = name
        if each.encoding:
            encoding[name] = each.encoding
        if each.media_types:
            schema = type_schema(each.media_types, f"`{arg}`")
            chosen = args.add(f"{arg}_content_type", "body", schema, required=arg in args.required)
            encoding[name] = {**each.encoding, "type_arg": chosen}
            choices[arg] = chosen
    for arg, name in zip(made, body.fields, strict=True):  # last, so that fields keep their names
        if _is_file(body, body.fields[name]):
            named = args.add(f"{arg}_name", "body", _FILE_NAME, required=False)
            encoding[name] = {**encoding[name], "name_arg": named}
            of_files[named] = arg
    spec |= {key: value for key, value in (("names", names), ("encoding", encoding)) if value}
    together = {arg: [each for each in needed if each != arg] for arg in made}
    for arg, chosen in choices.items():
        together[arg] = [*together[arg], *([chosen] if chosen not in args.required else [])]
        together[chosen] = [each for each in dict.fromkeys((arg, *needed)) if each not in args.required]
    for named, arg in of_files.items():
        together[named] = [each for each in dict.fromkeys((arg, *needed)) if each not in args.required]
    args.together = {arg: others for arg, others in together.items() if others}
    return spec


def _is_file(body: RequestBody, field: BodyField) -> bool:
    """Whether a field is one file, which has a name."""
    is_one = isinstance(field.schema, dict) and field.schema.get("type") == "string"
    return body.media_type.startswith("multipart/") and field.encoding.get("base64") is True and is_one


def _described(schema: Any, description: str, deprecated: bool) -> Any:
    """A schema with what its parameter says of it, where it says nothing itself."""
    said = {**({"description": description} if description else {}), **({"deprecated": True} if deprecated else {})}
    if not said or schema is False:
        return schema
    return {**said, **(schema if isinstance(schema, dict) else {})}


def _texts(operation: Operation) -> dict[str, Any]:
    """Title and description; without either the method and the path, which a model can read."""
    summary, description = operation.part.text("summary"), operation.part.text("description")
    if not summary and not description:
        summary, description = operation.item.text("summary"), operation.item.text("description")
    if description and summary == operation.name.replace("_", " ").title():
        summary = ""  # FastAPI makes it of the function's name
    title = summary if summary and len(summary) <= _LONGEST_TITLE and "\n" not in summary else ""
    if description and summary and not description.lower().startswith(summary.rstrip(".").lower()):
        description = f"{summary.rstrip('.')}.\n\n{description}"
    text = description or summary
    if not text:
        text = f"{title_of_name(operation.name).rstrip('.')}: {operation.method} {operation.path}."
    if operation.part.flag("deprecated"):
        text = f"Deprecated. {text}"
    return {"description": text, **({"title": title.rstrip(".")} if title.rstrip(".") else {})}


def name_of_path(method: str, path: str) -> str:
    """Return what an operation without an id is called: `get_pets_petId` for `GET /pets/{petId}`."""
    words = re.findall(r"[A-Za-z0-9]+", path)
    return "_".join([method.lower(), *words]) if words else f"{method.lower()}_root"
