"""Update: merges the current tools of a source into the data of a spec, new or edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.sources.offered import digest_of
from toolgen.compiler.importers.keys import choose_keys
from toolgen.compiler.importers.shared_definitions import (
    SIDES,
    TYPE,
    types_referred_to,
    with_shared_definitions,
)
from toolgen.compiler.resolve.toolsets.kinds import ONLY_FOR
from toolgen.compiler.resolve.toolsets.tools import tool_names
from toolgen.schema.json_values import canonical
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from toolgen.compiler.importers.offer import OfferedTool

_OWN: Final = ("description", "annotations", "icons", "args", "result", "rename")
"""The keys of a tool that its source determines: removed if the source no longer has them."""

_TEXTS: Final = ("title", "description")
"""The keys of a tool that both its source and people write: edited text stays until the source changes."""

LATEST: Final = "2020-12"
"""The default draft of JSON Schema of a spec."""

_OF_ONE_KIND: Final = ("methods", "server", "imported", "api")
"""The keys of a file that only one kind of toolset has."""

_FIRST: Final = ("handler", "remote", "imported", *_TEXTS, "permission", "tags")
_LAST: Final = ("annotations", "icons", "http", "args", "result", "result_inferred", "rename")


@dataclass(frozen=True, slots=True)
class Update:
    """The whole data of a spec, and the keys of added, changed and removed tools.

    `replaced` are possibly edited texts that the source changed: keys of the tool and the text.
    """

    data: dict[str, Any]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()


def new_spec(head: Mapping[str, Any], offered: Sequence[OfferedTool]) -> Update:
    """Create a spec. Tools are sorted by key; common properties and definitions are written once."""
    keys = choose_keys(tool.name for tool in offered)
    moved, types = with_shared_definitions(offered, _classes(keys.values()), head.get("dialect", LATEST))
    shared = _tags_of_all(offered)
    tools = {keys[tool.name]: _tool(keys[tool.name], tool, shared) for tool in moved}
    data = {
        **head,
        **({"defaults": {"tags": shared}} if shared else {}),
        **({"types": types} if types else {}),
        "tools": dict(sorted(tools.items())),
    }
    return Update(data, tuple(sorted(tools)), (), ())


def updated_spec(
    present: Mapping[str, Any], offered: Sequence[OfferedTool], others: Collection[str] = frozenset()
) -> Update:
    """Update a spec. Keys stay, and so does everything that people decide; what the source determines is replaced.

    `others` are keys of tools that are not of this source: they stay as they are.
    """
    old: dict[str, dict[str, Any]] = present["tools"]
    names = {tool.name for tool in offered}
    known = {source_name(key, tool) for key, tool in old.items()}
    keys = choose_keys(sorted(names - known), old)
    imported = _imported_types(present)
    kept = {name: body for name, body in present.get("types", {}).items() if name not in imported}
    taken = {*kept, *_classes([*old, *keys.values()])}
    moved, types = with_shared_definitions(offered, taken, present.get("dialect", LATEST))
    by_name = {tool.name: tool for tool in moved}
    tools = {
        key: dict(tool) if key in others else _merged(key, tool, by_name[name])
        for key, tool in old.items()
        if (name := source_name(key, tool)) in by_name or key in others
    }
    shared = present.get("defaults", {}).get("tags", [])
    for name, key in sorted(keys.items(), key=lambda entry: entry[1]):
        tools = _inserted(tools, key, _tool(key, by_name[name], shared))
    changed = [key for key in tools if key in old and canonical(tools[key]) != canonical(old[key])]
    gone = [key for key in old if key not in tools]
    replaced = [(key, name) for key in changed for name in _replaced_texts(old[key], tools[key])]
    data = _with_types({**present, "tools": tools}, {**kept, **types}, imported)
    return Update(data, tuple(sorted(keys.values())), tuple(changed), tuple(gone), tuple(replaced))


def of_kind(data: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the data of a spec as one of another kind. Its tools stay, without what only other kinds have."""
    head = {name: value for name, value in data.items() if name not in ("kind", *_OF_ONE_KIND)}
    tools = {
        key: {name: value for name, value in tool.items() if kind in ONLY_FOR.get(name, (kind,))}
        for key, tool in data["tools"].items()
    }
    return {**head, **({"kind": kind} if kind != "service" else {}), "tools": tools}


def _imported_types(present: Mapping[str, Any]) -> dict[str, Any]:
    """Return the types that only schemas of the source refer to, so that the source determines them."""
    types: Mapping[str, Any] = present.get("types", {})
    sides = [tool[side] for tool in present["tools"].values() for side in SIDES if side in tool]
    found: dict[str, Any] = {}
    pending = list(types_referred_to(sides))
    while pending:
        name = pending.pop()
        if name in types and name not in found:
            found[name] = types[name]
            pending.extend(types_referred_to(types[name]))
    return found


def _with_types(data: dict[str, Any], types: dict[str, Any], imported: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec with other types, and those of `imported` that edited parts use."""
    people = [{key: value for key, value in tool.items() if key not in SIDES} for tool in data["tools"].values()]
    referred = {*types_referred_to([tool[side] for tool in data["tools"].values() for side in SIDES if side in tool])}
    while more := {
        name: body
        for name, body in imported.items()
        if name not in types and (name in referred or _mentions([people, types], name))
    }:
        types = {**types, **more}
    present = data.get("types", {})
    ordered = {name: types[name] for name in (*present, *sorted(types)) if name in types}
    if not ordered or "types" in data:
        return {key: ordered if key == "types" else value for key, value in data.items() if ordered or key != "types"}
    return {key: value for name, own in data.items()
            for key, value in (*([("types", ordered)] if name == "tools" else []), (name, own))}  # fmt: skip


def _mentions(value: Any, name: str) -> bool:
    """Whether a value uses a type, in the short form or by a reference."""
    match value:
        case str():
            return value in (name, f"{TYPE}{name}")
        case dict():
            return any(_mentions(inner, name) for inner in value.values())
        case list():
            return any(_mentions(inner, name) for inner in value)
        case _:
            return False


def _classes(keys: Iterable[str]) -> set[str]:
    """Return the class names of tools with these keys."""
    return {name for key in keys for name in tool_names(key).classes}


def source_name(key: str, tool: Mapping[str, Any]) -> str:
    """Return the name of a tool at its source."""
    name: str = tool.get("remote", key)
    return name


def _tool(key: str, tool: OfferedTool, shared: Sequence[str]) -> dict[str, Any]:
    """Return a new tool."""
    hints = dict(tool.hints)
    hints["tags"] = [tag for tag in hints.get("tags", ()) if tag not in shared]
    if not hints["tags"]:
        del hints["tags"]
    return _ordered({**_spec(key, tool), **hints})


def _merged(key: str, old: Mapping[str, Any], tool: OfferedTool) -> dict[str, Any]:
    """Merge an edited tool with its current properties at the source."""
    spec = _spec(key, tool)
    if "result_inferred" in old and "result" not in spec:  # the server still has none
        spec["result"] = old["result"]
    own = {*_OWN, *(_TEXTS if _is_as_imported(old) else ())}
    if "result" in tool.spec:
        own.add("result_inferred")
    if old.get("imported") == spec["imported"]:
        own -= {*_TEXTS}
        spec = {name: value for name, value in spec.items() if name not in _TEXTS}
    merged = _ordered({**{name: value for name, value in old.items() if name not in own}, **spec})
    unmarked = {name: value for name, value in merged.items() if name != "imported"}
    return unmarked if canonical(unmarked) == canonical(old) else merged


def _replaced_texts(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the keys of changed texts of a tool, unless they were unedited."""
    return [] if _is_as_imported(old) else [name for name in _TEXTS if name in old and old[name] != new.get(name)]


def _is_as_imported(tool: Mapping[str, Any]) -> bool:
    """Whether the texts of a tool in a spec are unedited."""
    return tool.get("imported") == digest_of_texts(tool)


def digest_of_texts(tool: Mapping[str, Any]) -> str:
    """A digest of the texts of a tool."""
    return digest_of(tool.get("title") or "", tool["description"])


def _spec(key: str, tool: OfferedTool) -> dict[str, Any]:
    spec = dict(tool.spec)
    if spec.get("title") == title_of_name(tool.name):
        del spec["title"]
    spec["imported"] = digest_of_texts(spec)
    return spec if tool.name == key else {"remote": tool.name, **spec}


def _ordered(tool: Mapping[str, Any]) -> dict[str, Any]:
    between = [key for key in tool if key not in _FIRST and key not in _LAST]
    return {key: tool[key] for key in (*_FIRST, *between, *_LAST) if key in tool}


def _inserted(tools: Mapping[str, Any], key: str, tool: dict[str, Any]) -> dict[str, Any]:
    """Insert a tool before the first with a greater key, so that sorted tools stay sorted."""
    entries = list(tools.items())
    index = next((index for index, (other, _) in enumerate(entries) if other > key), len(entries))
    return dict([*entries[:index], (key, tool), *entries[index:]])


def _tags_of_all(offered: Sequence[OfferedTool]) -> list[str]:
    first = offered[0].hints.get("tags", ()) if offered else ()
    return [tag for tag in first if all(tag in tool.hints.get("tags", ()) for tool in offered)]
