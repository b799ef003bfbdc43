"""Changes of tools: what was compiled, compared with what a server offers now."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from toolgen.changes.offered import digest_of, texts_of
from toolgen.schema.comparison.compare import compare
from toolgen.schema.comparison.normal_form import TooLargeError, normal_form
from toolgen.schema.comparison.verdict import SchemaChange
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Part(StrEnum):
    """What of a tool changed; `ADDED` and `REMOVED` are of the whole tool."""

    ADDED = "added"
    REMOVED = "removed"
    ARGS = "args"
    RESULT = "result"
    TITLE = "title"
    DESCRIPTION = "description"
    ANNOTATIONS = "annotations"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledTool:
    """A tool as it was compiled. `name` is the server's own.

    `imported` is the digest of the server's texts at the last import; without it, texts are not compared, and neither
    are `annotations` of None and a `result` of None. A `result` of True is that of a server that described none.
    """

    name: str
    args: Any
    result: Any = None
    title: str = ""
    description: str = ""
    imported: str = ""
    annotations: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """One change of one tool. `schema` says how the values that are accepted changed, where it is of a schema."""

    tool: str
    part: Part
    before: Any = None
    after: Any = None
    schema: SchemaChange | None = None

    def summary(self) -> str:
        """Return the change in one line: `create_issue: args accept fewer values`."""
        match self.part:
            case Part.ADDED | Part.REMOVED:
                return f"{self.tool}: {self.part.value}"
            case Part.ARGS | Part.RESULT:
                return f"{self.tool}: {_schema_words(self.part, self.schema or SchemaChange.OTHER)}"
            case _:
                return f"{self.tool}: {self.part.value} changed"

    def diff(self) -> str:
        """Return the change as a unified diff, with its summary as first line."""
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), lineterm="", n=2)
        return "\n".join([self.summary(), *(f"  {line}" for line in list(lines)[2:])])


def compare_tools(compiled: Sequence[CompiledTool], offered: Sequence[Mapping[str, Any]]) -> list[ToolChange]:
    """Return all changes, sorted by tool. `offered` are entries of `tools/list`, as JSON; of equal names, all count."""
    known = {tool.name: tool for tool in compiled}
    present: dict[str, list[Mapping[str, Any]]] = {}
    for tool in offered:
        present.setdefault(tool["name"], []).append(tool)
    changes: list[ToolChange] = []
    for name in sorted(known.keys() | present.keys()):
        if name not in present:
            changes.append(ToolChange(tool=name, part=Part.REMOVED, before=_shown(known[name])))
        elif name not in known:
            changes += [ToolChange(tool=name, part=Part.ADDED, after=each) for each in present[name]]
        else:
            changes += [change for each in present[name] for change in compare_tool(known[name], each)]
    return changes


def compare_tool(compiled: CompiledTool, offered: Mapping[str, Any]) -> Iterator[ToolChange]:
    """Yield the changes of one tool."""
    name = compiled.name
    title, description = texts_of(offered)
    if compiled.imported and compiled.imported != digest_of(title, description):
        if compiled.title != title:
            yield ToolChange(tool=name, part=Part.TITLE, before=compiled.title, after=title)
        if compiled.description != description or compiled.title == title:
            yield ToolChange(tool=name, part=Part.DESCRIPTION, before=compiled.description, after=description)
    yield from _of_schema(name, Part.ARGS, compiled.args, offered.get("inputSchema", {"type": "object"}))
    if compiled.result is not None:
        yield from _of_schema(name, Part.RESULT, compiled.result, offered.get("outputSchema", True))
    annotations = {hint: value for hint, value in (offered.get("annotations") or {}).items() if hint != "title"}
    if compiled.annotations is not None and dict(compiled.annotations) != annotations:
        yield ToolChange(tool=name, part=Part.ANNOTATIONS, before=dict(compiled.annotations), after=annotations)


def _of_schema(name: str, part: Part, before: Any, after: Any) -> Iterator[ToolChange]:
    kind = compare(before, after, search=False).change
    if kind is not SchemaChange.SAME or not _have_same_texts(before, after):
        yield ToolChange(tool=name, part=part, before=before, after=after, schema=kind)


def _have_same_texts(before: Any, after: Any) -> bool:
    try:
        return canonical(normal_form(before, texts=True)) == canonical(normal_form(after, texts=True))
    except (TooLargeError, RecursionError):
        return False


def _shown(tool: CompiledTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.args}


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return value.splitlines()
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True).splitlines()


def _schema_words(part: Part, change: SchemaChange) -> str:
    if change is SchemaChange.SAME:
        return f"texts or spelling of the {part.value} changed"
    accept = "args accept" if part is Part.ARGS else "result accepts"
    return f"the {accept} {change.value} values"
