"""The `command` block of a tool: argv or a shell line, with templates that can only refer to args."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgen.compiler.ir.catalog import Command
from toolgen.compiler.ir.shapes import Literals, Scalar, Shape, Union
from toolgen.compiler.resolve.toolsets import templates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.toolset import CommandSpec, ToolsetFile

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def resolve_command(
    spec: CommandSpec,
    key: str,
    args: Mapping[str, Shape],
    document: Document[ToolsetFile],
    *,
    may_shell: bool,
    sink: Diagnostics,
) -> Command:
    """Check a `command` block against the args of its tool."""
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
            _check(element, args, document.span("tools", key, "command", "exec", index), sink)
        if not isinstance(part, str) and not any(True for element in part for _ in templates.fields(element)):
            sink.report(
                "TG410",
                document.span("tools", key, "command", "exec", index),
                "a nested list is omitted if one of its args is absent, but this one has no args",
                fix="move its elements to the outer list",
            )
    if spec.shell:
        shell_span = document.span("tools", key, "command", "shell")
        _check(spec.shell, args, shell_span, sink)
        if any("{{" in quoted for quoted in _QUOTED.findall(spec.shell)):
            sink.report(
                "TG410",
                shell_span,
                "a template inside quotes would be quoted twice",
                fix="remove the quotes: every value is quoted",
            )
    if "{{" in spec.cwd:
        sink.report("TG402", document.span("tools", key, "command", "cwd"), "`cwd` is fixed; a model cannot set it")
    return Command(
        tuple(part if isinstance(part, str) else tuple(part) for part in spec.exec),
        spec.shell,
        spec.cwd,
        tuple(spec.env),
        spec.stderr_bytes,
    )


def _check(template: str, args: Mapping[str, Shape], span: Span, sink: Diagnostics) -> None:
    templates.check_template(template, args, span, sink)
    for side, name in templates.fields(template):
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
