"""Toolset files to toolsets: their packages, methods and tools, with checks for conflicting names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeGuard
from urllib.parse import urlsplit

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Related, listing
from toolgen.compiler.documents.toolset import MethodReference, MethodSpec, ToolsetFile
from toolgen.compiler.ir.catalog import (
    Binding,
    Method,
    Part,
    Server,
    Step,
    Tool,
    Toolset,
    ToolsetKind,
    Transform,
    joined,
    sorted_tools,
)
from toolgen.compiler.ir.shapes import PACKAGE_MODULE, AliasType, Array, ClassRef, ClassType, Map, Scalar, Shape, Union
from toolgen.compiler.resolve.names import KEYWORDS, Namespace, package_of, pascal, snake
from toolgen.compiler.resolve.shapes.algebra import is_within
from toolgen.compiler.resolve.shapes.reader import Owner
from toolgen.compiler.resolve.shapes.shapes import Shapes
from toolgen.compiler.resolve.toolsets.http import check_headers, closed_request, resolve_api
from toolgen.compiler.resolve.toolsets.sides import Sides, field_names
from toolgen.compiler.resolve.toolsets.tools import ToolResolver, tool_names, types_module
from toolgen.schema.json_values import are_equal
from toolgen.spec.templates import VARIABLE
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import Schema
    from toolgen.compiler.ir.shapes import Field
    from toolgen.compiler.resolve.schemas import Schemas


# Bindings: compares the shapes of a tool and its method, field by field.
#
# A side fits if every field of the target has a source of the same name and type, or is optional, and nothing of the
# source is lost. What is below such a field must have the same defaults, because it is passed as it was given, and no
# value of the source may be beyond the bounds of the target. A side that does not fit gets no transform, and a note
# with the reason.

_OTHER_TYPES: Final = "has different types on the two sides"
_TOO_MANY_VALUES: Final = "may have values on one side that are not allowed on the other"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a side has no transform."""

    reason: str


def fit(
    source: Schema, target: Schema, classes: Mapping[str, ClassType], injected: Collection[str] = ()
) -> Transform | Misfit:
    """Return the transform from values of `source` to values of `target`, or why there is none.

    `injected` are wire names of fields of the target that come from the call's context.
    """
    passes = Transform(source.type_name, target.type_name)
    if source.shape == target.shape and not injected:
        difference = _difference(source.shape, target.shape, classes, set())
        return Misfit(f"it {difference}") if difference else passes
    if not isinstance(source.shape, ClassRef) or not isinstance(target.shape, ClassRef):
        return Misfit("the two sides have different types that are not both objects with named fields")
    made, wanted = classes[source.shape.name], classes[target.shape.name]
    given = {field.wire: field for field in made.fields}
    steps: list[Step] = []
    compared: set[tuple[str, str]] = set()
    for field in wanted.fields:
        if field.wire in injected:
            steps.append(Step(field.python, field.shape, None))
            continue
        other = given.pop(field.wire, None)
        if other is None and field.required:
            return Misfit(f"`{field.wire}` is required, but has no counterpart")
        if other is None and made.open:
            return Misfit(f"`{field.wire}` has no counterpart, but could be an additional key of an open object")
        if other is None:
            continue
        if difference := _difference(other.shape, field.shape, classes, compared):
            return Misfit(f"`{field.wire}` {difference}")
        optional = not _always_there(other)
        if optional and field.required:
            return Misfit(f"`{field.wire}` is required on one side, and may be absent on the other")
        if optional and field.default is not None:
            return Misfit(f"`{field.wire}` has a default on one side, and may be absent on the other")
        steps.append(
            Step(field.python, field.shape, other.python, rebuilt=other.shape != field.shape, optional=optional)
        )
    lost = [wire for wire in given if wire not in injected]
    if lost:
        return Misfit(f"`{lost[0]}` has no counterpart, and would be lost")
    if made.open and not wanted.open:
        return Misfit("keys beyond the named fields are allowed on one side only, and would be lost")
    return Transform(source.type_name, target.type_name, tuple(steps), extra=made.open)


def _always_there(field: Field) -> bool:
    return field.required or field.has_default


def _difference(first: Shape, second: Shape, classes: Mapping[str, ClassType], compared: set[tuple[str, str]]) -> str:
    """Return why a value of one shape is not one of the other as it is; empty if it is.

    Classes are compared by their fields, not by name, and those in `compared`, which grows, not again.
    """
    pending = [(first, second)]
    while pending:
        match pending.pop():
            case ClassRef(one), ClassRef(other):
                if one != other and (one, other) not in compared:
                    compared.add((one, other))
                    made, wanted = classes[one], classes[other]
                    others = {field.wire: field for field in wanted.fields}
                    if made.open != wanted.open or {field.wire for field in made.fields} != others.keys():
                        return _OTHER_TYPES
                    for field in made.fields:
                        same = others[field.wire]
                        if field.required != same.required:
                            return _OTHER_TYPES
                        if field.has_default != same.has_default or not are_equal(field.default, same.default):
                            return f"has another default of `{field.wire}` on the two sides"
                        pending.append((field.shape, same.shape))
            case (Array(one) as given, Array(other) as wanted) | (Map(one) as given, Map(other) as wanted):
                if not is_within(given, wanted):
                    return _TOO_MANY_VALUES
                pending.append((one, other))
            case Union(ones), Union(others) if len(ones) == len(others):
                pending += zip(ones, others, strict=True)
            case Scalar() as one, Scalar() as other if one == other:
                if not is_within(one, other):
                    return _TOO_MANY_VALUES
            case one, other:
                if one != other:
                    return _OTHER_TYPES
    return ""


_BLANK: Final = re.compile(r"\s")
_RENAME_TOOL: Final = "give one of them another key; for an MCP tool keep the server's name as `remote`"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a toolset is resolved with: other files, shared types, the tags of the target, and its profile."""

    documents: Mapping[str, Document[SpecFileHead]]
    shared: Shapes
    tags: Mapping[str, str]
    profile: str


def resolve_toolset(
    document: Document[ToolsetFile], schemas: Schemas, surroundings: Surroundings, sink: Diagnostics
) -> Toolset:
    """Return one toolset. Its types, methods and tools share one namespace in Python, with the shared types."""
    keys = document.file.tools.keys()
    part, _ = resolve_part(document, keys, schemas, surroundings, sink, names=keys, with_head=True)
    _check_names(part.toolset, document, sink)
    return part.toolset


def resolve_part(
    document: Document[ToolsetFile],
    keys: Iterable[str],
    schemas: Schemas,
    surroundings: Surroundings,
    sink: Diagnostics,
    *,
    names: Iterable[str],
    with_head: bool,
) -> tuple[Part, Collection[str]]:
    """Return a toolset with the tools of some keys, with or without all that belongs to no tool.

    `names` are the keys of all its tools, of which the document may have some. The types are those that the part uses,
    in the order of their use. They depend on which of some names classes of tools have, and on nothing else that is not
    in the part. These names are returned with it.
    """
    file = document.file
    classes_of_tools = [name for key in names for name in tool_names(key).classes]
    shapes = Shapes(file.types, classes_of_tools, sink, shared=surroundings.shared)
    sides = Sides(document, schemas, shapes, sink, profile=surroundings.profile)
    methods = _methods(document, surroundings.documents, schemas, shapes, sink) if with_head else {}
    resolver = ToolResolver(document, sides, shapes, surroundings.tags, sink)
    tools: list[Tool] = []
    for key in keys:
        if file.tools[key].disabled:
            continue  # nothing else of it is checked: its source may no longer have it
        method = _method_of(document, key, methods, sink)
        injectable = field_names(method.payload, shapes) if method else {}
        tools.append(resolver.resolve(key, injectable, method.payload.secrets if method else ()))
    if with_head:
        _check_name(document, sink)
        sides.local_types(file.types)
    types = shapes.types
    classes = {made.name: made for made in types if isinstance(made, ClassType)}
    tools = [_bound(tool, _method_of(document, tool.key, methods, sink), classes, document, sink) for tool in tools]
    toolset = Toolset(
        name=file.toolset,
        kind=ToolsetKind(file.kind),
        package=package_of(file.toolset),
        description=file.description.strip(),
        tools=sorted_tools(tools),
        types=types,
        span=document.span("toolset"),
        methods=tuple(method for method in methods.values() if method),
        server=_server(document, sink) if with_head else None,
        api=resolve_api(document, sink) if with_head else None,
        closed=tuple(closed_request(each.http) for key in keys if (each := file.tools[key]).disabled and each.http),
    )
    return Part(toolset, {**shapes.nested, **shapes.homes}, tuple(file.types) if with_head else ()), shapes.asked


def join_parts(head: Part, parts: Sequence[Part]) -> Toolset | None:
    """Return the toolset of a head and of parts in the order of the file; None where it must be resolved as a whole.

    That is where parts have classes of one name that differ or come from different places, or names that conflict.
    """
    types: dict[str, ClassType | AliasType] = {}
    homes: dict[str, tuple[str, str] | None] = {}
    for part in (head, *parts):
        if any(types.setdefault(made.name, made) != made for made in part.toolset.types):
            return None
        named = {*part.homes, *(made.name for made in part.toolset.types)}
        if any(homes.setdefault(name, part.homes.get(name)) != part.homes.get(name) for name in named):
            return None
    toolset = joined(head, parts)
    found = Diagnostics()
    _claim_names(toolset, dict.fromkeys(head.types, toolset.span), found)
    return None if found.has_errors else toolset


def _check_name(document: Document[ToolsetFile], sink: Diagnostics) -> None:
    file, span = document.file, document.span("toolset")
    for part in file.toolset.split("."):
        if "__" in part or part.endswith("_"):
            sink.report(
                "TG305",
                span,
                f"`{part}` contains `__` or ends in `_`, which wire names use to separate parts",
                fix=f"call it `{part.replace('__', '_').rstrip('_')}`",
            )
    is_mcp = file.toolset.split(".")[0] == "mcp" and "." in file.toolset
    if is_mcp != (file.kind == "mcp"):
        fix = "write `kind: mcp`" if is_mcp else "name it `mcp.<server>`"
        sink.report("TG306", span, "toolsets of kind `mcp` are exactly those named `mcp.<server>`", fix=fix)
    elif is_mcp and file.toolset.count(".") != 1:
        sink.report("TG306", span, "an MCP toolset is named after its server: `mcp.<server>`, with one dot")
    if file.methods and file.kind != "service":
        sink.report(
            "TG406",
            document.span("methods", key=True),
            f"`methods` is for toolsets of kind service, but this one is {file.kind}",
        )


def _server(document: Document[ToolsetFile], sink: Diagnostics) -> Server | None:
    spec = document.file.server
    if spec is None:
        return None
    span = document.span("server", key=True)
    if document.file.kind != "mcp":
        sink.report("TG406", span, f"`server` is for toolsets of kind mcp, but this one is {document.file.kind}")
    ways = [name for name in ("http", "sse", "stdio") if getattr(spec, name) is not None]
    if len(ways) != 1:
        sink.report(
            "TG411",
            span,
            f"a server needs exactly one transport, but this has {' and '.join(ways) or 'none'}",
            fix="write one of `http`, `sse` and `stdio`",
        )
    for name in ("http", "sse"):
        url = getattr(spec, name)
        if url is not None and not _is_url(url) and not VARIABLE.match(url):
            place, fix = document.span("server", name), "write `https://host/path`"
            sink.report("TG411", place, f"`{url}` is not the URL of a server", fix=fix)
    check_headers(spec.headers, ("server", "headers"), document, sink, "TG411")
    return Server(
        http=spec.http or "",
        sse=spec.sse or "",
        stdio=tuple(spec.stdio or ()),
        headers=dict(spec.headers),
        env=tuple(spec.env),
        retries=spec.retries,
        on_drift=spec.on_drift,
    )


def _is_url(text: str) -> bool:
    try:
        url = urlsplit(text)
        is_whole = bool(url.hostname) and url.port != 0
    except ValueError:
        return False
    return is_whole and url.scheme in ("http", "https") and not _BLANK.search(url.netloc)


def _methods(
    document: Document[ToolsetFile],
    documents: Mapping[str, Document[SpecFileHead]],
    schemas: Schemas,
    shapes: Shapes,
    sink: Diagnostics,
) -> dict[str, Method | None]:
    """Return the methods of a file by name; None for one whose reference was reported."""
    methods: dict[str, Method | None] = {}
    for name in document.file.methods:
        span = document.span("methods", name, key=True)
        found = _definition(document, name, documents, span, sink, schemas.read, frozenset())
        if found is None:
            methods[name] = None
            continue
        home, original = found
        sides = Sides(home, schemas, shapes, sink, profile="full")
        path = ("methods", original)
        payload = sides.value((*path, "payload"), Owner("methods", f"{pascal(name)}Payload", span, {}))
        result = sides.value((*path, "result"), Owner("methods", f"{pascal(name)}MethodResult", span, {}))
        methods[name] = Method(name, snake(name, KEYWORDS), payload, result, span)
    return methods


def _definition(
    document: Document[ToolsetFile],
    name: str,
    documents: Mapping[str, Document[SpecFileHead]],
    span: Span,
    sink: Diagnostics,
    read: set[str],
    seen: frozenset[tuple[str, str]],
) -> tuple[Document[ToolsetFile], str] | None:
    """Return the file that defines a method, and its name there; references are followed, to files noted in `read`."""
    spec = document.file.methods.get(name)
    if isinstance(spec, MethodSpec):
        return document, name
    if isinstance(spec, MethodReference):
        file, _, fragment = spec.ref.partition("#/methods/")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), file))
        read.add(path)
        target = documents.get(path)
        if _has_method(target, fragment) and (path, fragment) not in seen:
            return _definition(target, fragment, documents, span, sink, read, seen | {(path, fragment)})
        sink.report(
            "TG403",
            document.span("methods", name, "$ref"),
            f"`{spec.ref}` does not refer to a method",
            fix="write `file.yaml#/methods/Name`",
        )
    return None


def _has_method(document: Document[SpecFileHead] | None, name: str) -> TypeGuard[Document[ToolsetFile]]:
    return document is not None and isinstance(document.file, ToolsetFile) and name in document.file.methods


def _method_of(
    document: Document[ToolsetFile], key: str, methods: Mapping[str, Method | None], sink: Diagnostics
) -> Method | None:
    """Return the method that a tool is bound to; None if it has none, which is reported where it names one.

    Raises KeyError for a method of the file that was not resolved with the tool.
    """
    bind = document.file.tools[key].bind
    if bind is None:
        return None
    if bind not in document.file.methods:
        known = sink.nearest(bind, methods) or listing("methods", methods)
        sink.report("TG403", document.span("tools", key, "bind"), f"there is no method `{bind}`", fix=known)
        return None
    return methods[bind]


def _bound(
    tool: Tool,
    method: Method | None,
    classes: Mapping[str, ClassType],
    document: Document[ToolsetFile],
    sink: Diagnostics,
) -> Tool:
    if method is None:
        return tool
    span = document.span("tools", tool.key, "bind")
    to_payload = fit(tool.args, method.payload, classes, tool.inject)
    to_result = fit(method.result, tool.result, classes)
    for side, outcome in (
        ("args to the method's payload", to_payload),
        ("the method's result to the tool's", to_result),
    ):
        if isinstance(outcome, Misfit):
            sink.report(
                "TG404", span, f"no transform from {side}: {outcome.reason}", fix="map it by hand in the executor"
            )
    binding = Binding(
        method.name,
        None if isinstance(to_payload, Misfit) else to_payload,
        None if isinstance(to_result, Misfit) else to_result,
    )
    return replace(tool, binding=binding, method=method.name)


def _check_names(toolset: Toolset, document: Document[ToolsetFile], sink: Diagnostics) -> None:
    """Report conflicting names in the generated package of a toolset."""
    _claim_names(toolset, {name: document.span("types", name, key=True) for name in document.file.types}, sink)


def _claim_names(toolset: Toolset, types: Mapping[str, Span], sink: Diagnostics) -> None:
    package = Namespace()
    for name, span in types.items():
        package.claim([name], f"the type `{name}`", span, sink, fix="rename the type")
    for method in toolset.methods:
        names = [method.payload.type_name, method.result.type_name]
        package.claim(names, f"the method `{method.name}`", method.span, sink, fix="rename the method, or the type")
    for tool in toolset.tools:
        claimed = [*tool.names.claimed, f"{types_module(tool.names)}.py"]
        package.claim(claimed, f"the tool `{tool.key}`", tool.span, sink, fix=_RENAME_TOOL)


def check_toolsets(toolsets: Sequence[Toolset], sink: Diagnostics) -> None:
    """Report conflicts between toolsets."""
    names: dict[str, Toolset] = {}
    packages = Namespace()
    for toolset in toolsets:
        first = names.setdefault(toolset.name, toolset)
        if first is not toolset:
            sink.report(
                "TG301",
                toolset.span,
                f"the toolset `{toolset.name}` is defined twice",
                related=[Related(first.span, "first here")],
                fix="put its tools into one file, or rename one",
            )
            continue
        folder = "/".join(toolset.package)
        if toolset.package[0] == PACKAGE_MODULE:
            sink.report(
                "TG302",
                toolset.span,
                f"the package of `{toolset.name}` would hide the module `{PACKAGE_MODULE}`, which has the types of "
                "shared files",
                fix="give the toolset another name",
            )
        packages.claim([folder], f"`{toolset.name}`", toolset.span, sink, fix="give one of them another name")
    by_package = {toolset.package: toolset for toolset in toolsets}
    for other in toolsets:
        for length in range(len(other.package)):
            outer = by_package.get(other.package[:length])
            if outer is not None:
                sink.report(
                    "TG302",
                    other.span,
                    f"the package of `{other.name}` would be inside that of `{outer.name}`",
                    related=[Related(outer.span, f"`{outer.name}` is here")],
                    fix="give one of them another name",
                )
    tools = [tool for toolset in names.values() for tool in toolset.tools]
    _check_wire_names(tools, sink)
    _check_tag_tools(tools, sink)


def _check_wire_names(tools: Sequence[Tool], sink: Diagnostics) -> None:
    taken: dict[str, Tool] = {}
    for tool in tools:
        name = tool.wire_name or wire_name(tool.ident)
        first = taken.setdefault(name, tool)
        if first is not tool:
            sink.report(
                "TG303",
                tool.span,
                f"`{tool.ident}` and `{first.ident}` have the same wire name `{name}`",
                related=[Related(first.span, "the other is here")],
                fix="give one of them another `wire_name`",
            )


def _check_tag_tools(tools: Sequence[Tool], sink: Diagnostics) -> None:
    prefixes: dict[str, Tool] = {}
    keys: dict[str, Tool] = {}
    for tool in tools:
        if tool.tag is None:
            continue
        for taken, name, what in ((prefixes, tool.tag.prefix, "prefix"), (keys, tool.key, "key")):
            first = taken.setdefault(name, tool)
            if first is not tool:
                sink.report(
                    "TG408",
                    tool.span,
                    f"two tag tools have the {what} `{name}`",
                    related=[Related(first.span, "the other is here")],
                    fix=f"give one of them another {what}",
                )
