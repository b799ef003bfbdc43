"""Damage of a `catalog.json` that is read from a package: parts that are not of the kind that the compiler writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import is_object, kind_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SECTIONS: Final = {
    "agents": "object", "catalogs": "object", "policies": "object", "tools": "object", "toolsets": "object",
    "tags": "string", "wire_names": "string",
}  # fmt: skip
"""The kind of each entry of a section."""

_KEYS: Final = {
    **dict.fromkeys(("access", "command", "limits", "rules", "modes", "network", "server"), "object"),
    **dict.fromkeys(("args_type", "result_type", "description", "permission", "title", "system", "user"), "string"),
    **dict.fromkeys(("method", "confirm", "cost", "source_name", "module", "package", "kind", "role"), "string"),
    **dict.fromkeys(
        ("examples", "inject", "one_of", "use", "export", "suggest", "on_request", "categories", "tags"), "array"
    ),
}
_NEEDED: Final = ("permission", "args")
"""What the compiler writes for each tool."""

_LISTS_OF_TEXT: Final = ("inject", "roles", "tags", "use", "export", "suggest", "on_request")


def damage_of(text: bytes) -> str:
    """Return the first part of a `catalog.json` that is damaged, and how; empty if there is none."""
    try:
        document = value_of(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON: {error}"
    return next(_damages(document), "") if is_object(document) else "it is not a JSON object"


def _damages(document: Mapping[str, Any]) -> Iterator[str]:
    for section, kind in _SECTIONS.items():
        entries = document.get(section, {})
        if not is_object(entries):
            yield f"`{section}` is {kind_of(entries)}, not object"
            return
        for name, entry in entries.items():
            if kind_of(entry) != kind:
                yield f"`{name}` of `{section}` is {kind_of(entry)}, not {kind}"
            elif kind == "object":
                yield from _damages_of(f"`{name}` of `{section}`", entry)
                if section == "tools":
                    yield from (f"`{name}` of `tools` has no `{key}`" for key in _NEEDED if key not in entry)


def _damages_of(place: str, entry: Mapping[str, Any]) -> Iterator[str]:
    for key, value in entry.items():
        if key in _KEYS and kind_of(value) != _KEYS[key]:
            yield f"`{key}` of {place} is {kind_of(value)}, not {_KEYS[key]}"
        elif key in _LISTS_OF_TEXT and isinstance(value, list) and not all(isinstance(each, str) for each in value):
            yield f"`{key}` of {place} has a value that is not string"
