"""Facts: what is set of a tool besides its texts and schemas, as `TOOLS.md`, `toolgen show` and the site list it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.spec.tool_settings import KEYS, Access, Bounded, CommandSettings, Limits, ToolSettings, as_json
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool

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
        value = _value(tool, name)
        if not key.label or value == getattr(_DEFAULTS, name, ()):
            continue
        codes = tuple(_codes(value))
        text = key.true_text if value is True else value if key.is_prose else "" if codes else "none"
        yield Fact(key.spec or name, key.label, key.is_listed, () if text else codes, text)


def _value(tool: Tool, name: str) -> Any:
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
