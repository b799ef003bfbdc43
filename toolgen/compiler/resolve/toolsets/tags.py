"""Tags: the words that policies match, and the `tag` blocks with which a line of text calls a tool."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.tag_pattern import PatternRefused, TagPattern
from toolgen.spec.tool_settings import Tag

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.toolset import TagSpec

BUILTIN: Final = {
    "internal": "Belongs to the core itself.",
    "agent": "Starts or talks to another agent.",
    "mcp": "Runs on an MCP server.",
    "code": "Works on source code.",
    "declarative": "Is a command, declared and not programmed.",
    "dangerous": "Can do damage that is hard to undo.",
    "filesystem": "Touches files.",
    "network": "May reach other hosts.",
    "readonly": "Changes nothing outside the core.",
    "write": "Changes something outside the core.",
}
"""Built-in tags, and their meanings."""


def resolve_tag(
    spec: TagSpec, key: str, args: Sequence[tuple[str, Any]], span: Span, pattern_span: Span, sink: Diagnostics
) -> Tag:
    """Complete a `tag` block. `args` are the wire names and schemas of the required args, in order."""
    names = tuple(name for name, _ in args)
    pattern = spec.pattern if spec.pattern is not None else r"\s+".join(_group(schema) for _, schema in args)
    prefix = spec.prefix or key.upper()
    if not args:
        sink.report(
            "TG407",
            span,
            "a tag needs at least one required arg for the text after the colon",
            fix="remove `args` for one text called `raw_arg`, or make a field required",
        )
        return Tag(prefix, "(.+)", ("raw_arg",), spec.example, spec.strip_from_display)
    try:
        groups = TagPattern.parse(pattern).groups
    except PatternRefused as refused:
        sink.report("TG407", pattern_span, f"the pattern {refused.reason}", fix=refused.hint)
    else:
        if groups != len(names):
            shown = ", ".join(f"`{name}`" for name in names)
            sink.report(
                "TG407",
                pattern_span,
                f"the pattern has {groups} groups, and the tool has {len(names)} required args: {shown}",
                fix="write one group for each required arg, and `(?:…)` for the rest",
            )
    return Tag(prefix, pattern, names, spec.example, spec.strip_from_display)


def _group(schema: Any) -> str:
    words = schema.get("enum") if isinstance(schema, dict) else None
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        return f"({'|'.join(re.escape(word) for word in words)})"
    return "(.+)"
