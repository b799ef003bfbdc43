"""Model texts: what a model reads of a spec, or the person who approves its calls. Imports and lint search the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.schema.json_values import is_array, is_object

Pointer = tuple["str | int", ...]

OF_TOOLS: Final = frozenset({
    *("title", "description", "args", "result", "annotations", "examples", "tag", "hints", "confirm"),
    *("inputSchema", "outputSchema"),
})  # fmt: skip
"""Keys of a tool that are read, whole: those of a spec, and the two schemas as `tools/list` has them."""

MEMBERS: Final[Mapping[str, frozenset[str]]] = {"http": frozenset({"errors"})}
"""Keys of a tool of which only some members are read."""

PROMPTS: Final = frozenset({"user", "system", "reminder"})
"""Keys of a tool that instruct a model: that is what they are for."""

UNREAD: Final = frozenset({
    *("permission", "tags", "wire_name", "roles", "result_inferred", "validate_responses", "remote", "imported"),
    *("icons", "access", "one_of", "inject", "limits", "cost", "gate", "retry_hints", "bind", "handler", "command"),
    *("bounded", "server_data", "rename", "disabled", "kept", "source", "dialect"),
})  # fmt: skip
"""Keys of a tool that no model reads: settings, and names that have no blanks."""

_ALL, _KEYS = "*", "keys"
"""Steps of a path to every value, and to every key, which is a text as well."""

_OF_FILES: Final[tuple[tuple[str, ...], ...]] = (
    ("description",), ("tags", _ALL), ("categories", _ALL, "description"), ("categories", _ALL, "invoke"),
    ("categories", _ALL, "actions", _KEYS),
)  # fmt: skip
_PROMPTS_OF_FILES: Final[tuple[tuple[str, ...], ...]] = (("system",), ("prompt",), ("mandates", _ALL, "text"))
"""Paths of texts beside tools: of toolsets, tags, agents and action catalogs."""

KEYS_BESIDE_TOOLS: Final = frozenset(path[0] for path in (*_OF_FILES, *_PROMPTS_OF_FILES))
"""The keys of a spec file that have them."""


def parts_of_tool(tool: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """Yield each key of a tool that is read, with its value, and whether it is a prompt."""
    for key, value in tool.items():
        if key in MEMBERS and is_object(value):
            yield key, {name: value[name] for name in value if name in MEMBERS[key]}, False
        elif key in OF_TOOLS or key in PROMPTS:
            yield key, value, key in PROMPTS


def texts_beside_tools(data: Any) -> Iterator[tuple[Pointer, str, bool]]:
    """Yield the texts of a spec file that are read and of no tool: with their paths, and whether each is a prompt."""
    for is_prompt, paths in ((False, _OF_FILES), (True, _PROMPTS_OF_FILES)):
        for path in paths:
            for place, value in _at(data, path):
                if isinstance(value, str):
                    yield place, value, is_prompt


def _at(value: Any, path: tuple[str, ...], place: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    if not path:
        yield place, value
    elif is_object(value) and path[0] == _KEYS:
        yield from (((*place, key), key) for key in value)
    elif is_object(value):
        for key in value if path[0] == _ALL else (path[0],):
            if key in value:
                yield from _at(value[key], path[1:], (*place, key))
    elif is_array(value) and path[0] == _ALL:
        for index, each in enumerate(value):
            yield from _at(each, path[1:], (*place, index))
