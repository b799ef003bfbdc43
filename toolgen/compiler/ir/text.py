"""The IR as text, one line for one fact, so that two versions can be compared by eye, and the facts of a tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.shapes import (
    PACKAGE_MODULE,
    AliasType,
    Array,
    ClassRef,
    ClassType,
    Json,
    Literals,
    Map,
    Scalar,
    Shape,
    Union,
)
from toolgen.spec.tool_settings import KEYS, Access, Bounded, CommandSettings, Limits, ToolSettings, as_json
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog, Schema, Tool, Toolset

_TOOL_LINES: Final = ("ident", "key", "names", "args", "result", "span")
_REPEATED: Final = ("source_name", "method", "args_secrets", "result_secrets")
"""What a tool has for the catalog, and `remote`, `binding` and the schemas say already."""


def catalog_text(catalog: Catalog) -> str:
    """Print a whole catalog."""
    return "\n".join(_catalog(catalog)) + "\n"


def shape_text(shape: Shape) -> str:
    """Print a shape in the words of the spec language."""
    match shape:
        case Scalar(kind, format=name):
            return f"{kind.value} ({name})" if name else kind.value
        case Json():
            return "any"
        case Literals(values):
            return "(" + " | ".join(json.dumps(value, ensure_ascii=False) for value in values) + ")"
        case Array(items):
            return f"[{shape_text(items)}]"
        case Map(values):
            return f"{{*: {shape_text(values)}}}"
        case Union(members):
            return " | ".join(shape_text(member) for member in members)
        case ClassRef(name):
            return name


def tool_text(tool: Tool) -> str:
    """Print one tool."""
    return "\n".join(_tool(tool)) + "\n"


def toolset_text(toolset: Toolset) -> str:
    """Print one toolset with its tools."""
    return "\n".join(_toolset(toolset)) + "\n"


def _catalog(catalog: Catalog) -> Iterator[str]:
    for made in catalog.shared_types:
        yield from _type(made)
    for toolset in catalog.toolsets:
        yield from _toolset(toolset)
    for what, records in (("agent", catalog.agents), ("catalog", catalog.catalogs), ("policy", catalog.policies)):
        for record in records:
            yield f"{what} {record.name}"
            yield from _record(record, "  ", {"name", "span"})
    for tag, meaning in catalog.tags.items():
        yield f"tag {tag}: {meaning}"


def _toolset(toolset: Toolset) -> Iterator[str]:
    yield f"toolset {toolset.name} ({toolset.kind.value}) in {'/'.join(toolset.package)}"
    for made in toolset.types:
        if made.module != PACKAGE_MODULE:
            yield from (f"  {line}" for line in _type(made))
    for method in toolset.methods:
        yield f"  method {method.name}: {method.payload.type_name} -> {method.result.type_name}"
    yield from _record(toolset, "  ", {"name", "kind", "package", "types", "methods", "tools", "span"})
    for tool in toolset.tools:
        yield from (f"  {line}" for line in _tool(tool))


def _type(made: ClassType | AliasType) -> Iterator[str]:
    if isinstance(made, AliasType):
        yield f"type {made.module}.{made.name} = {shape_text(made.shape)}"
        return
    yield f"type {made.module}.{made.name} ({'open' if made.open else 'closed'})"
    for field in made.fields:
        renamed = f" as {field.python}" if field.python != field.wire else ""
        default = f" = {_value(field.default)}" if field.has_default else ""
        yield f"  {field.wire}{'' if field.required else '?'}{renamed}: {shape_text(field.shape)}{default}"


def _tool(tool: Tool) -> Iterator[str]:
    yield f"tool {tool.ident}"
    yield f"  names {tool.names.constant} {tool.names.function}"
    yield f"  args {_schema(tool.args)}"
    yield f"  result {_schema(tool.result)}"
    yield from _record(tool, "  ", {*_TOOL_LINES, *_REPEATED})


def _schema(schema: Schema) -> str:
    return f"{schema.type_name} = {shape_text(schema.shape)} of {schema.dialect} {_value(schema.json)}"


def _record(record: Any, indent: str, leave_out: set[str]) -> Iterator[str]:
    """What differs from empty, a line each."""
    for item in fields(record):
        value = getattr(record, item.name)
        if item.name not in leave_out and value not in (None, "", (), {}, False, item.default):
            yield f"{indent}{item.name} {_value(value)}"


def _value(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Records as mappings of what they set."""
    match value:
        case Enum():
            return value.value
        case tuple() | list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case _ if isinstance(value, Scalar | Json | Literals | Array | Map | Union | ClassRef):
            return shape_text(value)
        case _ if is_dataclass(value):
            set_ = ((item.name, getattr(value, item.name)) for item in fields(value))
            return {name: _plain(inner) for name, inner in set_ if inner not in (None, "", (), {})}
        case _:
            return value


# Facts: what is set of a tool besides its texts and schemas, as `TOOLS.md`, `toolgen show` and the site list it.

_FIRST: Final = (
    *("permission", "tags", "wire_name", "source_name", "roles", "confirm", "limits", "cost", "gate"),
    *("one_of", "inject"),
)
"""The keys that come first, in this order; the others follow in that of the catalog."""

_DEFAULTS: Final = ToolSettings()


@dataclass(frozen=True, slots=True)
class Fact:
    """A key of a tool and its value. `key` is its name in spec files, `label` that for people.

    `codes` are the values that are shown as code, `text` is a sentence; one of the two is empty. `is_listed` is whether
    `TOOLS.md` has it too.
    """

    key: str
    label: str
    is_listed: bool
    codes: tuple[str, ...] = ()
    text: str = ""


def facts_of(tool: Tool) -> Iterator[Fact]:
    """Yield the keys of a tool that are set and have a label."""
    for name in dict.fromkeys((*_FIRST, *KEYS)):
        key = KEYS[name]
        value = _set_value(tool, name)
        if not key.label or value == getattr(_DEFAULTS, name, ()):
            continue
        codes = tuple(_codes(value))
        text = key.true_text if value is True else value if key.is_prose else "" if codes else "none"
        yield Fact(key.spec or name, key.label, key.is_listed, () if text else codes, text)


def _set_value(tool: Tool, name: str) -> Any:
    match name:
        case "permission":
            return tool.permission.value
        case "tags":
            return tuple(tag for tag in tool.tags if tag != tool.permission.value)
        case "wire_name":
            return tool.wire_name or wire_name(tool.ident)
        case "http":
            return tool.http and f"{tool.http['method']} {tool.http['path']}"
        case _:
            return getattr(tool, name)


def _codes(value: Any) -> Iterator[str]:
    match value:
        case CommandSettings(shell=str(line)) if line:
            yield line
        case CommandSettings():
            yield " ".join(each if isinstance(each, str) else f"[{' '.join(each)}]" for each in value.exec)
        case Bounded():
            yield from (value.cursor, value.next or value.next_header)
        case Access() | Limits():
            for name, member in as_json(value).items():
                yield f"{name}: {', '.join(member) if isinstance(member, list) else member}"
        case tuple():
            yield from map(str, value)
        case _:
            yield str(value)
