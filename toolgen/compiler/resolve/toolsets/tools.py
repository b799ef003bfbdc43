"""One tool of a toolset file to one tool of the IR: applies defaults, chooses names, checks references."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import listing
from toolgen.compiler.documents.toolset import ONLY_FOR, AccessSpec, LimitsSpec, ToolDefaultsSpec, ToolSpec
from toolgen.compiler.ir.catalog import Permission, Schema, Tool, ToolNames
from toolgen.compiler.ir.shapes import Literals, Scalar, Shape, Union
from toolgen.compiler.resolve.names import KEYWORDS, RESERVED_MODULES, constant, is_attribute, pascal, snake
from toolgen.compiler.resolve.shapes.reader import Owner, Rename
from toolgen.compiler.resolve.toolsets.http import host_of, hosts_of, is_in_process, resolve_http
from toolgen.compiler.resolve.toolsets.sides import field_names, field_shape, is_open_object, is_sound, required_fields
from toolgen.compiler.resolve.toolsets.tags import BUILTIN, resolve_tag
from toolgen.compiler.resolve.validity import violations
from toolgen.schema.args import with_one_of
from toolgen.schema.references import steps_of
from toolgen.spec.shell import misplaced
from toolgen.spec.templates import BEYOND_A_NAME, BRACES, joined_path, joined_path_problem
from toolgen.spec.tool_settings import Access, Bounded, CommandSettings, Example, Limits, Tag, ToolSettings
from toolgen.spec.wire_names import STRICT, fits, title_of_name

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.toolset import CommandSpec, ToolsetFile
    from toolgen.compiler.resolve.shapes.shapes import Shapes
    from toolgen.compiler.resolve.toolsets.sides import Sides
    from toolgen.spec.tool_settings import Role


# The template language: only `{{args.name}}` in text.

_FIELD = re.compile(r"(args|result)\.(.+)", re.DOTALL)


def fields(template: str) -> Iterator[tuple[str, str]]:
    """Return the references of a checked template: pairs of `args` or `result`, and a field."""
    for inner in BRACES.findall(template):
        match = _FIELD.fullmatch(inner)
        if match:
            yield match[1], match[2]


def check_template(
    template: str, args: Collection[str], span: Span, sink: Diagnostics, *, result: Collection[str] | None = None
) -> None:
    """Report everything in braces that is not a field. `result` is given if the template may use it."""
    for inner in BRACES.findall(template):
        match = _FIELD.fullmatch(inner)
        known = {"args": args, "result": result}.get(match[1]) if match else None
        if match is None or known is None:
            allowed = "`{{args.name}}`" if result is None else "`{{args.name}}` and `{{result.name}}`"
            sink.report("TG402", span, f"`{{{{{inner}}}}}` is not a template: only {allowed} is allowed here")
        elif match[2] not in known and BEYOND_A_NAME.split(match[2])[0] in known:
            sink.report("TG402", span, f"`{{{{{inner}}}}}` is more than the name of a field: no filters, no nesting")
        elif match[2] not in known:
            fix = sink.nearest(match[2], known) or listing("fields", sorted(known))
            sink.report("TG401", span, f"`{{{{{inner}}}}}` names an unknown field", fix=fix)
    rest = BRACES.sub("", template)
    if "{{" in rest or "}}" in rest:
        sink.report("TG402", span, "`{{` and `}}` do not match up", fix="write `{{args.name}}`")


# Kinds of toolsets: the keys of a tool that only some of them have, and those that they need.

_NEEDS: Final = {
    "command": ("a tool of a command toolset needs `command`", "write `command: {exec: [program, arg]}`"),
    "http": ("a tool of an HTTP API needs `http`", "write `http: {method: GET, path: /items}`"),
}
"""The key that a tool of a kind needs, which has the name of the kind: the message without it, and how to fix it."""


def check_kind(key: str, spec: ToolSpec, document: Document[ToolsetFile], sink: Diagnostics) -> None:
    """Report keys of a tool that its kind does not have, and one that it lacks."""
    kind = document.file.kind
    for name, kinds in ONLY_FOR.items():
        if name in spec.model_fields_set and kind not in kinds:
            place = document.span("tools", key, name, key=True)
            message = f"`{name}` is for toolsets of kind {' or '.join(kinds)}, but this one is {kind}"
            sink.report("TG406", place, message)
    if spec.handler is not None and spec.bind is not None:
        place = document.span("tools", key, "bind", key=True)
        sink.report("TG406", place, "`bind` and `handler` are two ways to run a tool", fix="remove one of them")
    if kind in _NEEDS and getattr(spec, kind) is None:
        message, fix = _NEEDS[kind]
        sink.report("TG406", document.span("tools", key, key=True), message, fix=fix)


# The `command` block of a tool: argv or a shell line, with templates that can only refer to args.


def resolve_command(
    spec: CommandSpec,
    key: str,
    args: Mapping[str, Shape],
    document: Document[ToolsetFile],
    *,
    paths: Collection[str],
    may_shell: bool,
    sink: Diagnostics,
) -> CommandSettings:
    """Check a `command` block against the args of its tool. `paths` are those that `access` names as paths."""
    if spec.exec == [] and "exec" in spec.model_fields_set and not spec.shell:
        span = document.span("tools", key, "command", "exec")
        sink.report("TG410", span, "`exec` is empty, so it runs nothing", fix="write `exec: [program, arg, …]`")
    elif bool(spec.exec) == bool(spec.shell):
        sink.report(
            "TG410",
            document.span("tools", key, "command", key=True),
            "a command needs exactly one of `exec` and `shell`",
            fix="prefer `exec: [program, arg, …]`",
        )
    program = spec.exec[0] if spec.exec else spec.shell.strip().partition(" ")[0]
    if not isinstance(program, str) or "{{" in program:
        sink.report(
            "TG410",
            document.span("tools", key, "command", *(("exec", 0) if spec.exec else ("shell",))),
            "a command starts with its program, which a model cannot choose",
            fix="write the program, and put templates after it",
        )
    if spec.shell and not may_shell:
        sink.report(
            "TG410",
            document.span("tools", key, "command", "shell"),
            "a shell line needs `permission: write` or the tag `dangerous`",
            fix="use `exec`, which passes every value unchanged, or add `tags: [dangerous]`",
        )
    for index, part in enumerate(spec.exec):
        for element in [part] if isinstance(part, str) else part:
            span = document.span("tools", key, "command", "exec", index)
            _check(element, args, span, sink)
            _check_paths(element, paths, span, sink)
        if not isinstance(part, str) and not any(True for element in part for _ in fields(element)):
            sink.report(
                "TG410",
                document.span("tools", key, "command", "exec", index),
                "a nested list is omitted if one of its args is absent, but this one has no args",
                fix="move its elements to the outer list",
            )
    if spec.shell:
        shell_span = document.span("tools", key, "command", "shell")
        _check(spec.shell, args, shell_span, sink)
        _check_paths(spec.shell, paths, shell_span, sink)
        found = misplaced(BRACES.split(spec.shell)[::2])
        if found is not None:
            template = f"{{{{{BRACES.findall(spec.shell)[found.number]}}}}}"
            sink.report("TG410", shell_span, f"`{template}` is {found.place}", fix=found.fix)
    if "{{" in spec.cwd:
        sink.report("TG402", document.span("tools", key, "command", "cwd"), "`cwd` is fixed; a model cannot set it")
    return CommandSettings(
        tuple(part if isinstance(part, str) else tuple(part) for part in spec.exec),
        spec.shell,
        spec.cwd,
        tuple(spec.env),
        spec.stderr_bytes,
    )


def _check_paths(template: str, paths: Collection[str], span: Span, sink: Diagnostics) -> None:
    if name := joined_path(template, paths):
        message, fix = joined_path_problem(name)
        sink.report("TG410", span, message, fix=fix)


def _check(template: str, args: Mapping[str, Shape], span: Span, sink: Diagnostics) -> None:
    check_template(template, args, span, sink)
    for side, name in fields(template):
        if side == "args" and name in args and not _is_text(args[name]):
            sink.report(
                "TG410",
                span,
                f"`{name}` can be an array or an object, which is not one argument",
                fix="read it from stdin, where all args arrive as JSON",
            )


def _is_text(shape: Shape) -> bool:
    match shape:
        case Scalar() | Literals():
            return True
        case Union(members):
            return all(_is_text(member) for member in members)
        case _:
            return False


_KIND_TAGS: Final = {"agent": "agent", "mcp": "mcp", "command": "declarative"}
_IN_SPECS: Final = tuple(each.name for each in fields_of(ToolSettings) if each.name in ToolSpec.model_fields)
"""The settings that a spec may have."""

_NO_ARGS: Final = {"type": "object", "properties": {}, "additionalProperties": False}
_RAW_ARG: Final = {
    "type": "object",
    "properties": {"raw_arg": {"type": "string"}},
    "required": ["raw_arg"],
    "additionalProperties": False,
}


@cache
def tool_names(key: str) -> ToolNames:
    """Return the names of a tool in generated code."""
    return ToolNames(constant(key), snake(key, KEYWORDS), snake(key), f"{pascal(key)}Args", f"{pascal(key)}Result")


def types_module(names: ToolNames) -> str:
    """Return the module of one tool, in the package of its toolset."""
    return snake(names.stem, RESERVED_MODULES)


class ToolResolver:
    """Resolves the tools of one toolset file."""

    def __init__(
        self, document: Document[ToolsetFile], sides: Sides, shapes: Shapes, tags: Mapping[str, str], sink: Diagnostics
    ) -> None:
        self._document = document
        self._file = document.file
        self._sides = sides
        self._shapes = shapes
        self._tags = tags
        self._sink = sink

    def resolve(self, key: str, injectable: Collection[str], secrets: Collection[str] = ()) -> Tool:
        """Return one tool. `injectable` are the payload fields of its method, `secrets` pointers to the secret ones."""
        spec = self._file.tools[key]
        names = tool_names(key)
        module = types_module(names)
        absent = _RAW_ARG if spec.tag is not None else _NO_ARGS
        rename = {wire: Rename(python, self._span(key, "rename", wire)) for wire, python in spec.rename.items()}
        owner = Owner(module, names.args, self._span(key, "args"), rename)
        args = self._sides.args(("tools", key, "args"), owner, absent)
        named = field_names(args, self._shapes)
        inject = tuple(name for name in self._effective(spec, "inject") if name in named or name in injectable)
        if inject or spec.one_of:
            self._sides.check_root(args, owner.span, inject)
        args = self._sides.without(args, owner, inject)
        self._sides.check_injected(args, owner.span, inject)
        injected = {pointer for pointer in secrets if steps_of(pointer)[:1] and steps_of(pointer)[0] in inject}
        args = replace(args, secrets=tuple(sorted({*args.secrets, *injected})))
        args = replace(args, json=with_one_of(args.json, spec.one_of))
        result = self._sides.value(
            ("tools", key, "result"), Owner(module, names.result, self._span(key, "result"), rename)
        )
        fields = _given_fields(args, inject, self._shapes) if is_sound(args) else None
        check_kind(key, spec, self._document, self._sink)
        self._check_rename(key, spec, names)
        self._check_one_of(key, spec.one_of, fields, required_fields(args, self._shapes))
        self._check_inject(key, spec.inject, named if is_sound(args) else None, injectable)
        permission = Permission(self._effective(spec, "permission") or "write")
        access = self._access(key, spec, fields)
        tags = self._tag_words(key, spec, permission, access)
        self._check_text(key, spec, fields, result)
        written = Tool(
            ident=f"{self._file.toolset}.{key}",
            key=key,
            names=names,
            title=spec.title or title_of_name(spec.remote or "") or title_of_name(key),
            description=spec.description.strip(),
            args=args,
            result=result,
            permission=permission,
            span=self._span(key, key_of=True),
            tags=tags,
            remote=(spec.remote or key) if self._file.kind in ("mcp", "http") else "",
            wire_name=self._wire_name(key, spec),
            **self._as_written(spec),
        )
        return replace(  # values that are not those of the spec as they are
            written,
            roles=self._roles(spec),
            access=access,
            inject=inject,
            limits=self._limits(spec),
            examples=self._examples(key, spec, args, result),
            tag=self._tag(key, spec, args),
            command=self._command(key, spec, fields, args, tags, access),
            http=self._http(key, spec, fields, args),
            source_name=spec.remote or "" if spec.remote != key and self._file.kind in ("mcp", "http") else "",
            validate_responses=self._file.api is None or self._file.api.validate_responses or result.json in (True, {}),
            hints={name: text for name, text in (("call", spec.hints.call), ("result", spec.hints.result)) if text},
            bounded=self._bounded(key, spec, fields, result),
            server_data={
                name: self._sides.value(
                    ("tools", key, "server_data", name),
                    Owner(module, f"{pascal(key)}{pascal(name)}Data", self._span(key, "server_data", name), rename),
                ).json
                for name in spec.server_data
            },
            args_secrets=args.secrets,
            result_secrets=result.secrets,
        )

    def _span(self, key: str, *path: str | int, key_of: bool = False) -> Span:
        return self._document.span("tools", key, *path, key=key_of)

    def _effective(self, spec: ToolDefaultsSpec, name: str) -> Any:
        """Return a key of the tool, or of the file's defaults."""
        is_own = name in spec.model_fields_set or name not in ToolDefaultsSpec.model_fields
        return getattr(spec if is_own else self._file.defaults, name)

    def _as_written(self, spec: ToolSpec) -> dict[str, Any]:
        """Return the settings with the values of the spec, or of the file's defaults."""
        found = {name: self._effective(spec, name) for name in _IN_SPECS}
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in found.items()
            if value is not None
        }

    def _roles(self, spec: ToolSpec) -> tuple[Role, ...] | None:
        roles = self._effective(spec, "roles")
        return None if roles is None or roles == "any" else tuple(roles)

    def _limits(self, spec: ToolSpec) -> Limits:
        merged: dict[str, Any] = {}
        for limits in (self._file.defaults.limits, spec.limits):
            if isinstance(limits, LimitsSpec):
                merged.update({name: getattr(limits, name) for name in limits.model_fields_set})
        return Limits(**merged)

    def _access(self, key: str, spec: ToolSpec, fields: Collection[str] | None) -> Access:
        merged: dict[str, tuple[str, ...]] = {}
        for given in (self._file.defaults.access, spec.access):
            if isinstance(given, AccessSpec):
                for name in given.model_fields_set:
                    value = getattr(given, name)
                    merged[name] = (value,) if isinstance(value, str) else tuple(value)
        if self._file.kind == "http" and spec.http is not None:
            merged.setdefault("hosts", hosts_of(spec.http, self._file.api))
        server = self._file.server if "network" in (*self._file.defaults.tags, *spec.tags) else None
        if server is not None and (host := host_of(server.http or server.sse or "")):
            merged.setdefault("hosts", (host,))
        for name, args in merged.items():
            if name != "hosts":
                self._check_args(key, f"access.{name}", args, fields, "access", name)
        access = Access(**merged)
        is_sent = self._file.kind == "http" and not is_in_process(self._file.api)
        is_sent |= self._file.kind == "mcp" and self._file.server is not None and not self._file.server.stdio
        if access.paths and is_sent:
            self._sink.report(
                "TG406",
                self._span(key, "access", key_of=True),
                "`access` names paths, but calls are sent over the network: where a path starts there is unknown, so "
                "it cannot be judged here",
                fix="name these args in `scope`",
            )
        return access

    def _tag_words(self, key: str, spec: ToolSpec, permission: Permission, access: Access) -> tuple[str, ...]:
        written = [*self._file.defaults.tags, *spec.tags]
        for index, tag in enumerate(spec.tags):
            self._check_tag(tag, self._span(key, "tags", index))
        for index, tag in enumerate(self._file.defaults.tags):
            self._check_tag(tag, self._document.span("defaults", "tags", index))
        derived = [permission.value]
        if self._file.kind in _KIND_TAGS:
            derived.append(_KIND_TAGS[self._file.kind])
        if access.has_paths:
            derived.append("filesystem")
        if (self._file.kind == "http" and not is_in_process(self._file.api)) or access.url or access.hosts:
            derived.append("network")
        other = "write" if permission is Permission.READONLY else "readonly"
        if other in written:
            self._sink.report(
                "TG405",
                self._span(key, "tags"),
                f"the tag `{other}` contradicts `permission: {permission.value}`",
                fix="remove the tag: it follows from `permission`",
            )
        return tuple(sorted({*written, *derived}))

    def _check_tag(self, tag: str, span: Span) -> None:
        if tag not in BUILTIN and tag not in self._tags:
            self._sink.report(
                "TG405",
                span,
                f"`{tag}` is not a tag",
                fix=self._sink.nearest(tag, [*BUILTIN, *self._tags])
                or f"declare it in a shared file: `tags: {{{tag}: What it means.}}`",
            )

    def _check_args(
        self, key: str, what: str, names: Sequence[str], fields: Collection[str] | None, *path: str
    ) -> None:
        if fields is None:
            return
        for name in names:
            if name not in fields:
                self._sink.report(
                    "TG401",
                    self._span(key, *(path or (what,))),
                    f"`{what}` names `{name}`, which is not an arg",
                    fix=self._sink.nearest(name, fields) or listing("args", sorted(fields)),
                )

    def _check_one_of(
        self, key: str, names: Sequence[str], fields: Collection[str] | None, required: Collection[str]
    ) -> None:
        self._check_args(key, "one_of", names, fields)
        span = self._span(key, "one_of")
        if names and len(set(names)) < max(2, len(names)):
            fix = "name each of them once; make an arg that must always be given required"
            self._sink.report("TG412", span, "`one_of` is a choice between two args or more", fix=fix)
        for name in names:
            if fields is not None and name in required:
                message = f"`one_of` names `{name}`, which is required, so no other can be given"
                self._sink.report("TG412", span, message, fix=f"make it optional: `{name}?`")

    def _check_inject(
        self, key: str, inject: Sequence[str], fields: Collection[str] | None, injectable: Collection[str]
    ) -> None:
        if fields is None:
            return
        for name in inject:
            if name not in fields and name not in injectable:
                known = {*fields, *injectable}
                self._sink.report(
                    "TG401",
                    self._span(key, "inject"),
                    f"`inject` names `{name}`, which is not a field of the payload or the args",
                    fix=self._sink.nearest(name, known) or listing("fields", sorted(known)),
                )

    def _check_rename(self, key: str, spec: ToolSpec, names: ToolNames) -> None:
        for wire, python in spec.rename.items():
            span = self._span(key, "rename", wire)
            if not is_attribute(python):
                self._sink.report(
                    "TG304",
                    span,
                    f"`{python}` cannot be an attribute of a generated model",
                    fix="use ASCII letters, digits and `_`, and no name reserved by Python or pydantic",
                )
            elif not {(names.args, wire), (names.result, wire)} & self._shapes.renamed:
                self._sink.report(
                    "TG304", span, f"`rename` names {wire!r}, which no object of this tool has as a field"
                )

    def _check_text(self, key: str, spec: ToolSpec, fields: Collection[str] | None, result: Schema) -> None:
        if fields is None:
            return
        outcome = field_names(result, self._shapes)
        for name in ("user", "system", "confirm"):
            if name in spec.model_fields_set:
                check_template(getattr(spec, name), fields, self._span(key, name), self._sink)
        if spec.hints.call:
            check_template(spec.hints.call, fields, self._span(key, "hints", "call"), self._sink)
        if spec.hints.result:
            check_template(spec.hints.result, fields, self._span(key, "hints", "result"), self._sink, result=outcome)

    def _examples(self, key: str, spec: ToolSpec, args: Schema, result: Schema) -> tuple[Example, ...]:
        for index, example in enumerate(spec.examples):
            sides = [("args", args, example.args)]
            if "result" in example.model_fields_set:
                sides.append(("result", result, example.result))
            for name, schema, value in sides:
                for path, message in violations(schema.json, value):
                    self._sink.report(
                        "TG209",
                        self._span(key, "examples", index, name, *path),
                        f"the example does not fit the schema of `{name}`: {message}",
                    )
        return tuple(
            Example(example.args, "result" in example.model_fields_set, example.result) for example in spec.examples
        )

    def _tag(self, key: str, spec: ToolSpec, args: Schema) -> Tag | None:
        if spec.tag is None:
            return None
        properties = args.json.get("properties", {})
        required = [(name, properties.get(name)) for name in required_fields(args, self._shapes)]
        return resolve_tag(
            spec.tag, key, required, self._span(key, "tag", key_of=True), self._span(key, "tag", "pattern"), self._sink
        )

    def _command(
        self,
        key: str,
        spec: ToolSpec,
        fields: Collection[str] | None,
        args: Schema,
        tags: Collection[str],
        access: Access,
    ) -> Any:
        if spec.command is None or fields is None:
            return None
        shapes = {name: shape for name in fields if (shape := field_shape(args, name, self._shapes)) is not None}
        may_shell = "write" in tags or "dangerous" in tags
        return resolve_command(
            spec.command, key, shapes, self._document, paths=access.paths, may_shell=may_shell, sink=self._sink
        )

    def _http(self, key: str, spec: ToolSpec, fields: Collection[str] | None, args: Schema) -> Mapping[str, Any] | None:
        if spec.http is None or fields is None:
            return None
        properties, required = args.json.get("properties", {}), args.json.get("required", ())
        inject = self._effective(spec, "inject")
        known = {*fields, *properties, *inject}
        return resolve_http(spec.http, key, known, {*required, *inject}, self._document, self._sink)

    def _wire_name(self, key: str, spec: ToolSpec) -> str:
        if spec.wire_name is not None and not fits(spec.wire_name, STRICT):
            self._sink.report(
                "TG303",
                self._span(key, "wire_name"),
                f"`{spec.wire_name}` is not a name that providers accept",
                fix="use at most 64 letters, digits, `_` and `-`",
            )
        return spec.wire_name or ""

    def _bounded(self, key: str, spec: ToolSpec, fields: Collection[str] | None, result: Schema) -> Bounded | None:
        if spec.bounded is None:
            return None
        self._check_args(key, "bounded.cursor", [spec.bounded.cursor], fields, "bounded", "cursor")
        if (spec.bounded.next is None) is (spec.bounded.next_header is None):
            message = "`bounded` needs either `next`, a field of the result, or `next_header`"
            self._sink.report("TG409", self._span(key, "bounded", key_of=True), message)
            return None
        if spec.bounded.next is None:
            if self._file.kind != "http":
                message = f"`next_header` is for toolsets of kind http, and this one is {self._file.kind}"
                self._sink.report("TG409", self._span(key, "bounded", "next_header", key_of=True), message)
            return Bounded(spec.bounded.cursor, next_header=spec.bounded.next_header or "")
        outcome = field_names(result, self._shapes)
        if spec.bounded.next not in outcome and not is_open_object(result):
            self._sink.report(
                "TG409",
                self._span(key, "bounded", "next"),
                f"`bounded.next` names `{spec.bounded.next}`, which is not a field of the result",
                fix=self._sink.nearest(spec.bounded.next, outcome) or listing("fields", sorted(outcome)),
            )
        return Bounded(spec.bounded.cursor, spec.bounded.next)


def _given_fields(args: Schema, inject: Collection[str], shapes: Shapes) -> list[str]:
    """Return the fields that a caller can give: an open object names the injected ones, to refuse them."""
    return [name for name in field_names(args, shapes) if name not in inject]
