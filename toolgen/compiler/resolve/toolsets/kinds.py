"""Kinds of toolsets: the keys of a tool that only some of them have, and those that they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.toolset import ToolsetFile, ToolSpec

ONLY_FOR: Final = {
    "handler": ("service",),
    "bind": ("service",),
    "user": ("agent",),
    "system": ("agent",),
    "command": ("command",),
    "http": ("http",),
    "remote": ("mcp", "http"),
    "imported": ("mcp", "http", "service"),
    "source": ("mcp", "http", "service"),
    "kept": ("mcp", "http", "service"),
    "annotations": ("mcp",),
    "icons": ("mcp",),
    "result_inferred": ("mcp",),
}
"""The keys of a tool that only some kinds of toolsets have, and those kinds."""

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
