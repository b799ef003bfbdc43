"""Update: merges the current tools of a source into the data of a spec, new or edited. Nothing a person wrote is lost.

Each tool, each type and the head of the file are merged on their own (`merge`). The base of each is in the spec, under
`imported`, by the name that the tool has at its source. A tool that the source no longer has stays, disabled.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.tool_texts import imported_of
from toolgen.compiler.documents.base import ToolKeyPattern
from toolgen.compiler.documents.toolset import ONLY_FOR
from toolgen.compiler.importers.merge import ABSENT, UNKNOWN, Base, Merge, differences, leaves
from toolgen.compiler.importers.removals import returned
from toolgen.compiler.importers.shared_definitions import SIDES, TYPE, types_referred_to, with_shared_definitions
from toolgen.compiler.resolve import keywords
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.resolve.toolsets.tools import tool_names, types_module
from toolgen.schema.json_values import canonical, is_object
from toolgen.schema.references import pointer_of, steps_of
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    from toolgen.compiler.importers.merge import Path
    from toolgen.compiler.importers.offer import OfferedTool


# Keys of imported tools in a spec. Chosen once, stored, and kept from then on.

_KEY: Final = re.compile(ToolKeyPattern)
_LONGEST: Final = 128
"""Maximum characters of a key, as for names in MCP. A longer one is truncated."""

_HASH_LENGTH: Final = 6


def choose_keys(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a key for each tool, by its name at the source; `taken` are existing keys of the spec.

    If possible, a key depends only on the name: if two would conflict in Python, the one closer to its name gets it,
    and the other ends in a hash of its name. The order of names does not matter.
    """
    claimed = {claim for key in taken for claim in _claims(key)}
    keys: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (_changes(name), name)):
        keys[name] = next(key for key in _candidates(name) if claimed.isdisjoint(_claims(key)))
        claimed.update(_claims(keys[name]))
    return keys


def spelled(name: str) -> str:
    """Convert a name to a key: `chat-with-${X}` is `chat-with-X`, `search.issues` is `search_issues`."""
    if _KEY.fullmatch(name) and len(name) <= _LONGEST:
        return name
    joined = re.sub(r"[^A-Za-z0-9]+", lambda run: re.sub(r"[^_-]", "", run[0]) or "_", _ascii(name))
    key = joined.strip("_-")[:_LONGEST]
    if not key or key[0].isdigit():
        key = f"tool_{key}".rstrip("_")
    return f"{key}_{name_digest(name)}" if _loses(name) else key


def _candidates(name: str) -> Iterator[str]:
    """Return the key of a name, and alternatives if it is taken."""
    key = spelled(name)
    yield key
    for attempt in count():
        yield f"{key}_{name_digest(name + chr(0) * attempt)}"


def _changes(name: str) -> int:
    """Return how much the key differs from the name, and the Python name from the key: less takes precedence."""
    key = spelled(name)
    if key != name:
        return 2
    return 0 if tool_names(key).function == key else 1


def _claims(key: str) -> set[str]:
    """Return the names that a tool with that key claims in the generated package."""
    names = tool_names(key)
    return {*names.claimed, f"{types_module(names)}.py"}


def _loses(name: str) -> bool:
    """Whether a key loses so much of its name that other names are likely to have the same."""
    return (
        len(name) > _LONGEST
        or not any(map(str.isalnum, _ascii(name)))
        or any(char.isalnum() and not _ascii(char) for char in name)
    )


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def name_digest(name: str) -> str:
    """Return what is put behind a name that is taken: it depends on the name alone."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]


LATEST: Final = "2020-12"
"""The default draft of JSON Schema of a spec."""

_OF_ONE_KIND: Final = ("methods", "server", "api", "import")
"""The keys of a file that only one kind of toolset has."""

_NOTES: Final = ("remote", "imported", "source", "kept")
"""The keys of a tool in which an import keeps what it needs to know."""

_HINTS: Final = ("permission", "tags")
"""The keys of a tool that a source only suggests."""

_FIRST: Final = ("handler", "remote", "imported", "disabled", "title", "description", "permission", "tags")
_LAST: Final = ("annotations", "icons", "http", "args", "result", "result_inferred", "rename", "source", "kept")

_HEAD: Final = "#/"
_SAID: Final = ("description", "tags", "api")
"""The keys of a file that a source has something to say of."""

_PARAMETER: Final = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Update:
    """The whole data of a spec, and the keys of its tools by what became of them.

    `gone` are tools that the source no longer has, which are disabled now; `removed` are tools that the filters leave
    out and nobody edited; `renamed` have their former and their new name at the source; `skipped` are names of tools
    that a person removed from the spec. `conflicts` are JSON pointers to what both the source and a person changed, and
    `kept` to edits of what the source no longer has. `returned` are pointers to what a person removed, each with one to
    the place where the source has it now. `moved` are tools of other requests than before, with both requests, and
    `servers` those that the source has at another server, with that where their calls still go, and the other.
    """

    data: dict[str, Any]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str, str], ...] = ()
    skipped: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    returned: tuple[tuple[str, str], ...] = ()
    moved: tuple[tuple[str, str, str], ...] = ()
    servers: tuple[tuple[str, str, str], ...] = ()


def new_spec(head: Mapping[str, Any], offered: Sequence[OfferedTool]) -> Update:
    """Create a spec. Tools are sorted by key; common properties and definitions are written once."""
    shared = _tags_of_all(offered)
    present = {**head, **({"defaults": {"tags": shared}} if shared else {}), "tools": {}}
    return updated_spec(present, offered, head={key: head[key] for key in _SAID if key in head})


def updated_spec(
    present: Mapping[str, Any],
    offered: Sequence[OfferedTool],
    *,
    head: Mapping[str, Any],
    others: Collection[str] = frozenset(),
    unselected: Collection[str] = frozenset(),
) -> Update:
    """Update a spec: keys stay, what people wrote stays, what an import wrote follows the source.

    `head` is what the source says of the toolset. `others` are keys of tools that are not of this source: they stay as
    they are. `unselected` are the tools that the source has and the filters leave out, as `identity_of` names them.
    """
    return _Updater(present, others, unselected).update(offered, head)


def of_kind(data: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the data of a spec as one of another kind. Its tools stay, without what only other kinds have."""
    head = {name: value for name, value in data.items() if name not in ("kind", *_OF_ONE_KIND)}
    tools = {
        key: {name: value for name, value in tool.items() if kind in ONLY_FOR.get(name, (kind,))}
        for key, tool in data["tools"].items()
    }
    return {**head, **({"kind": kind} if kind != "service" else {}), "tools": tools}


def source_name(key: str, tool: Mapping[str, Any]) -> str:
    """Return the name of a tool at its source."""
    name: str = tool.get("remote", key)
    return name


def identity_of(key: str, tool: Mapping[str, Any]) -> str:
    """Return what identifies a tool at its source: the request, the handler, or else the name."""
    http = tool.get("http")
    if is_object(http) and "method" in http and "path" in http:
        return request_of(http["method"], http["path"])
    handler: str = tool.get("handler") or source_name(key, tool)
    return handler


def request_of(method: str, path: str) -> str:
    """Return what identifies an operation: its method and its path, whatever its parameters are called."""
    return f"{method} {_PARAMETER.sub('{}', path)}"


def origin_of(url: str) -> tuple[str, str]:
    """Return what a URL has before its path: the scheme, and the host with its port."""
    scheme, _, rest = url.partition("://")
    return scheme.lower(), rest.partition("/")[0].lower()


def _imported(tool: OfferedTool, theirs: Mapping[str, Any]) -> str:
    return tool.imported or imported_of(theirs.get("title") or "", theirs["description"])


class _Updater:
    """One update of a spec."""

    def __init__(self, present: Mapping[str, Any], others: Collection[str], unselected: Collection[str]) -> None:
        self._present, self._others, self._unselected = present, others, unselected
        self._old: dict[str, dict[str, Any]] = present["tools"]
        self._table = {name: Base.parsed(text) for name, text in present.get("imported", {}).items()}
        self._names = self._names_in_table()
        self._written = {name: self._table[name] for name in self._removed}
        self._written |= {name: self._table[name] for key, name in self._names.items() if key in others}
        self._renamed: list[tuple[str, str, str]] = []
        self._conflicts: list[str] = []
        self._kept: list[str] = []
        self._returned: dict[str, str] = {}
        self._moved: list[tuple[str, str, str]] = []
        self._servers: list[tuple[str, str, str]] = []
        self._types_now: dict[str, Any] = {}
        self._bases_of_types = {name: self._table[f"{TYPE}{name}"] for name in self._imported_types}
        self._source: dict[str, Any] = {}
        self._kept_of_types: dict[str, Any] = {}

    def update(self, offered: Sequence[OfferedTool], head: Mapping[str, Any]) -> Update:
        """Merge what the source offers."""
        matched = self._matched(offered)
        used = {tool.name for tool in matched.values()}
        skipped = [tool.name for tool in offered if tool.name not in used and _identity(tool) in self._removed]
        tools = [tool for tool in offered if tool.name not in skipped]
        keys = choose_keys(sorted(tool.name for tool in tools if tool.name not in used), self._old)
        moved, types = self._types(tools, keys.values(), matched)
        self._types_now = types
        made, gone, dropped = self._tools({tool.name: tool for tool in moved}, matched, keys)
        changed = [key for key in made if key in self._old and canonical(made[key]) != canonical(self._old[key])]
        data = self._head({**self._present, "tools": made}, head)
        data = _with_types(data, types, self._imported_types)
        for place in (f"{TYPE}{name}" for name in data.get("types", {})):
            if place in self._table:
                self._written.setdefault(place, self._table[place])
        return Update(
            data=self._with_table(data),
            added=tuple(sorted(keys.values())),
            changed=tuple(key for key in changed if key not in gone),
            gone=tuple(gone),
            removed=tuple(dropped),
            renamed=tuple(self._renamed),
            skipped=tuple(sorted(skipped)),
            conflicts=tuple(self._conflicts),
            kept=tuple(self._kept),
            returned=tuple(self._returned.items()),
            moved=tuple(self._moved),
            servers=tuple(self._servers),
        )

    def _names_in_table(self) -> dict[str, str]:
        """Return where the base of each tool is. One whose key or path a person changed is found by its parts."""
        direct = {key: name for key, tool in self._old.items() if (name := identity_of(key, tool)) in self._table}
        free = [name for name in self._table if name not in direct.values() and not name.startswith(_HEAD)]
        for key, tool in self._old.items():
            if key in direct or "imported" not in tool:
                continue
            body, size = _body(tool), sum(1 for _ in leaves(_body(tool)))
            best = sorted(((self._table[name].overlap(body), name) for name in free), reverse=True)[:2]
            if best and 2 * best[0][0] >= size and (len(best) == 1 or best[0][0] > best[1][0]):
                direct[key] = best[0][1]
                free.remove(best[0][1])
        return direct

    def _base(self, key: str) -> Base:
        return self._table.get(self._names.get(key, ""), UNKNOWN)

    @property
    def _removed(self) -> set[str]:
        """The entries whose tools a person removed."""
        return {name for name in self._table.keys() - self._names.values() if not name.startswith(_HEAD)}

    def _matched(self, offered: Sequence[OfferedTool]) -> dict[str, OfferedTool]:
        """Return the tool of the source for each key: by what identifies it, by its name, or if all else is equal."""
        rest = {key: tool for key, tool in self._old.items() if key not in self._others}
        found: dict[str, OfferedTool] = {}
        by_identity = {_identity(tool): tool for tool in offered}
        found |= {
            key: by_identity[name] for key, tool in rest.items() if (name := identity_of(key, tool)) in by_identity
        }
        used = {tool.name for tool in found.values()}
        by_name = {tool.name: tool for tool in offered if tool.name not in used}
        found |= {key: by_name[name] for key, tool in rest.items()
                  if key not in found and (name := source_name(key, tool)) in by_name}  # fmt: skip
        used = {tool.name for tool in found.values()}
        lost: dict[frozenset[bytes], list[str]] = {}
        for key in rest:
            if key not in found and (entries := self._base(key).without_leaf(("disabled",), True).entries):
                lost.setdefault(entries, []).append(key)
        new: dict[frozenset[bytes], list[OfferedTool]] = {}
        for tool in offered if lost else ():
            if tool.name not in used:
                new.setdefault(Base.of(_theirs(tool, self._shared_tags)).entries, []).append(tool)
        for entries, tools in new.items():
            if len(tools) == 1 and len(keys := lost.get(entries, [])) == 1:
                found[keys[0]] = tools[0]
        for key, tool in found.items():
            former = source_name(key, self._old[key])
            if former != tool.name and "imported" in self._old[key]:
                self._renamed.append((key, former, tool.name))
        return found

    @property
    def _shared_tags(self) -> list[str]:
        tags: list[str] = self._present.get("defaults", {}).get("tags", [])
        return tags

    @property
    def _imported_types(self) -> dict[str, Any]:
        """The types that an import wrote."""
        types: Mapping[str, Any] = self._present.get("types", {})
        return {name: body for name, body in types.items() if f"{TYPE}{name}" in self._table}

    def _types(
        self, tools: Sequence[OfferedTool], keys: Iterable[str], matched: Mapping[str, OfferedTool]
    ) -> tuple[list[OfferedTool], dict[str, Any]]:
        """Return the tools without shared definitions, and all types, merged."""
        imported = self._imported_types
        types = {name: body for name, body in self._present.get("types", {}).items() if name not in imported}
        taken = {*types, *_classes([*self._old, *keys])}
        dialect = self._present.get("dialect", LATEST)
        pinned = {
            (tool.name, side): set(_edited_definitions(self._old[key].get(side), side, self._base(key)))
            for key, tool in matched.items()
            for side in SIDES
        }
        moved, offered = with_shared_definitions(tools, taken, dialect, known=imported, pinned=pinned)
        kept: Mapping[str, Any] = self._present.get("kept", {})
        for name in dict.fromkeys([*imported, *offered, *(steps_of(pointer)[1] for pointer in kept)]):
            place = pointer_of(("types", name))
            known = {key.removeprefix(place): each for key, each in kept.items() if key.startswith(f"{place}/")}
            merged = self._merged_type(name, imported.get(name, ABSENT), offered.get(name, ABSENT), known)
            if merged is not ABSENT:
                types[name] = merged
        return moved, types

    def _merged_type(self, name: str, ours: Any, theirs: Any, known: Mapping[str, Any]) -> Any:
        """Merge a type; `known` are edits of it that were kept earlier. `ABSENT` if nothing of it is left."""
        base, place = self._table.get(f"{TYPE}{name}", UNKNOWN), pointer_of(("types", name))
        merge = Merge(base, [()])
        merged = merge.merged(ours, theirs)
        if merged is ABSENT and theirs is not ABSENT:  # a person removed it, and the source refers to it
            merged = theirs
        if is_object(merged):
            merged = merge.restored(merged, known)
        else:
            merge.kept |= known
        if merged is not ABSENT:
            self._written[f"{TYPE}{name}"] = base if theirs is ABSENT else Base.of(theirs)
        if merged is not ABSENT and theirs is not ABSENT:
            self._source |= {f"{place}{pointer_of(path)}": value for path, value in differences(merged, theirs)}
        self._note(merge, place, known)
        self._kept_of_types |= {f"{place}{pointer}": value for pointer, value in merge.kept.items()}
        return merged

    def _tools(
        self, offered: Mapping[str, OfferedTool], matched: Mapping[str, OfferedTool], keys: Mapping[str, str]
    ) -> tuple[dict[str, Any], list[str], list[str]]:
        """Return all tools, merged, and the keys of those that are gone, and of those that are left out."""
        made: dict[str, Any] = {}
        gone: list[str] = []
        dropped: list[str] = []
        for key, tool in self._old.items():
            if key in self._others:
                made[key] = dict(tool)
            elif key in matched:
                made[key] = self._merged(key, tool, offered[matched[key].name])
            elif identity_of(key, tool) in self._unselected and not self._base(key).edited(_body(tool), ()):
                dropped.append(key)
            else:
                made[key] = self._disabled(key, tool)
                if not tool.get("disabled"):
                    gone.append(key)
        new = {key: self._new(key, offered[name]) for name, key in keys.items()}
        return _inserted(made, new), gone, dropped

    def _new(self, key: str, tool: OfferedTool) -> dict[str, Any]:
        theirs = _theirs(tool, self._shared_tags)
        self._written[_identity(tool)] = Base.of(theirs)
        return _ordered({**_remote(key, tool, {}), "imported": _imported(tool, theirs), **theirs})

    def _disabled(self, key: str, tool: dict[str, Any]) -> dict[str, Any]:
        """A tool that the source no longer has. That an import disabled it is in its base, so another enables it."""
        base = self._base(key)
        if not tool.get("disabled"):
            base = base.with_leaf(("disabled",), True)
        if key in self._names:
            self._written[self._names[key]] = base
        return _ordered({**tool, "disabled": True})

    def _merged(self, key: str, old: dict[str, Any], tool: OfferedTool) -> dict[str, Any]:
        """Merge an edited tool with its current properties at the source."""
        theirs = _theirs(tool, self._shared_tags)
        ours = _body(old)
        if "result" in theirs and "result_inferred" in ours:  # the source says it itself now
            ours = {name: value for name, value in ours.items() if name not in ("result", "result_inferred")}
        base = self._base(key)
        offered, (theirs, is_told) = theirs, self._at_its_server(key, ours, theirs, base)
        self._written[_identity(tool)] = Base.of(theirs if is_told else offered)
        reviewed, (ours, base) = ours, self._with_own_definitions(ours, theirs, base)
        merge = Merge(base)
        if self._is_other_request(key, old, theirs) and not base.had(("permission",)) and "permission" in ours:
            merge.kept["/permission"] = ours["permission"]
            ours = {name: value for name, value in ours.items() if name != "permission"}
        merged: dict[str, Any] = merge.merged(ours, _tightened(ours, theirs, base))
        merged = merge.restored(merged, old.get("kept", {}))
        if "imported" not in old:  # a person wrote it before the source had it, so the source changed nothing
            merge.conflicts.clear()
        else:
            self._find_returned(key, reviewed, merged, merge)
        self._note(merge, f"/tools{pointer_of((key,))}", known=old.get("kept", {}))
        view = {pointer_of(path): value for path, value in differences(merged, theirs) if path[0] not in _HINTS}
        return _ordered({
            **_remote(key, tool, old),
            "imported": _imported(tool, theirs),
            **merged,
            **({"source": view} if view else {}),
            **({"kept": dict(merge.kept)} if merge.kept else {}),
        })  # fmt: skip

    def _at_its_server(
        self, key: str, ours: Mapping[str, Any], theirs: dict[str, Any], base: Base
    ) -> tuple[dict[str, Any], bool]:
        """Return what the source says, without a server on another host: calls go there with credentials.

        Also whether that is reported: not where a person wrote the server and the source says what it said before.
        """
        if "http" not in theirs or "http" not in ours:
            return theirs, False
        of_api: str = (self._present.get("api") or {}).get("base_url", "")
        present, offered = ours["http"].get("base_url", ""), theirs["http"].get("base_url", "")
        kept, other = present or of_api, offered or of_api
        if origin_of(kept) == origin_of(other):
            return theirs, False
        place = ("http", "base_url")
        is_new = not base.wrote(place, offered) if offered else base.had(place)
        if is_new:
            self._servers.append((key, kept, other))
        http = {name: value for name, value in theirs["http"].items() if name != "base_url"}
        return {**theirs, "http": {**http, **({"base_url": present} if present else {})}}, is_new

    def _is_other_request(self, key: str, old: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
        """Whether a tool makes another request now, and the source does not say that it changes nothing."""
        former, now = identity_of(key, old), identity_of(key, theirs)
        if former == now or "http" not in old or theirs.get("permission") == "readonly":
            return False
        self._moved.append((key, former, now))
        return True

    def _find_returned(self, key: str, ours: Mapping[str, Any], merged: Mapping[str, Any], merge: Merge) -> None:
        """Keep what a person removed from a tool or its types, and the source has at another place now."""
        tool = f"/tools{pointer_of((key,))}"
        before = ours, self._present.get("types", {})
        for each in returned(before, (merged, self._types_now), {**self._bases_of_types, "": merge.base}):
            place = pointer_of(each.path)
            if each.owner:
                pointer = f"{pointer_of(('types', each.owner))}{place}"
                is_known = pointer in self._present.get("kept", {})
                self._kept_of_types.setdefault(pointer, each.note)
            else:
                pointer = f"{tool}{place}"
                is_known = place in merge.kept
                merge.kept.setdefault(place, each.note)
            if not is_known:
                now = pointer_of(("types", each.now_owner)) if each.now_owner else tool
                self._returned.setdefault(pointer, f"{now}{pointer_of(each.now_path)}")

    def _with_own_definitions(
        self, ours: dict[str, Any], theirs: dict[str, Any], base: Base
    ) -> tuple[dict[str, Any], Base]:
        """Return a tool with a copy of each type that is now a definition of its own at the source, with its edits."""
        parts: dict[Path, Base] = {}
        for side in SIDES:
            keyword = keywords.definitions_keyword(self._present.get("dialect", LATEST))
            own = theirs[side].get(keyword) if is_object(theirs.get(side)) else None
            if not is_object(own) or not is_object(ours.get(side)):
                continue
            used = {*types_referred_to(ours[side])} & own.keys() & self._imported_types.keys()
            copies = {name: self._imported_types[name] for name in used - ours[side].get(keyword, {}).keys()}
            if copies:
                ours = {**ours, side: {**ours[side], keyword: {**ours[side].get(keyword, {}), **copies}}}
                parts |= {(side, keyword, name): self._table[f"{TYPE}{name}"] for name in copies}
        return ours, replace(base, parts=parts) if parts else base

    def _head(self, data: dict[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data with what the source says of the toolset: its description follows, all else is only added."""
        made = {key: value for key, value in data.items() if key not in ("source", "kept")}
        self._written |= {f"{_HEAD}{key}": base for key in _SAID if (base := self._table.get(f"{_HEAD}{key}"))}
        for key, theirs in head.items():
            ours, place = data.get(key, ABSENT), f"{_HEAD}{key}"
            merge = Merge(self._table.get(place, UNKNOWN), ())
            merged = merge.merged(ours, theirs if key == "description" else _added(ours, theirs))
            made |= {key: merged} if merged is not ABSENT else {}
            self._written[place] = Base.of(theirs)
            self._note(merge, f"/{key}")
            if key == "description" and merged not in (ABSENT, theirs):
                self._source[f"/{key}"] = theirs
        if "description" not in head and "/description" in (known := data.get("source", {})):
            self._source["/description"] = known["/description"]
        notes = {"source": self._source, "kept": self._kept_of_types}
        return {**made, **{key: note for key, note in notes.items() if note}}

    def _note(self, merge: Merge, place: str, known: Mapping[str, Any] | None = None) -> None:
        self._conflicts += [f"{place}{pointer_of(path)}" for path in merge.conflicts]
        edits = [f"{place}{pointer}" for pointer in merge.kept if pointer not in (known or {})]
        self._kept += [pointer for pointer in edits if pointer not in self._returned]

    def _with_table(self, data: dict[str, Any]) -> dict[str, Any]:
        table = {name: base.text for name, base in sorted(self._written.items()) if base.entries}
        rest = {key: value for key, value in data.items() if key != "imported"}
        return {**rest, "imported": table}


def _added(ours: Any, theirs: Any) -> Any:
    """Return what the source says, with all that a spec has in place of what the source says of it."""
    if ours is ABSENT:
        return theirs
    if is_object(ours) and is_object(theirs):
        return {**{key: _added(ours[key], value) if key in ours else value for key, value in theirs.items()},
                **{key: value for key, value in ours.items() if key not in theirs}}  # fmt: skip
    return ours


def _tightened(ours: Mapping[str, Any], theirs: Mapping[str, Any], base: Base) -> dict[str, Any]:
    """Return what the source says, as far as a tool that is in a spec follows it.

    A source may withdraw that a tool is readonly, and call it dangerous, but it may not loosen what was reviewed.
    """
    made = dict(theirs)
    if not base.had(("permission",)):
        made.pop("permission", None)
    present: list[str] = ours.get("tags", [])
    offered: list[str] = theirs.get("tags", [])
    tags = [tag for tag in offered if tag in BUILTIN or tag in present] + [tag for tag in present if tag not in offered]
    made.pop("tags", None)
    return {**made, **({"tags": tags} if tags else {})}


def _edited_definitions(schema: Any, side: str, base: Base) -> Iterable[str]:
    """Return the definitions of a schema that a person edited."""
    for keyword in ("$defs", "definitions"):
        found = schema.get(keyword) if is_object(schema) else None
        if is_object(found):
            yield from (name for name, body in found.items() if base.edited(body, (side, keyword, name)))


def _with_types(data: dict[str, Any], types: dict[str, Any], imported: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec with other types, and those of `imported` that edited parts use."""
    while more := {
        name: body
        for name, body in imported.items()
        if name not in types and _mentions([list(data["tools"].values()), types], name)
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


def _identity(tool: OfferedTool) -> str:
    return identity_of(tool.name, tool.spec)


def _remote(key: str, tool: OfferedTool, old: Mapping[str, Any]) -> dict[str, str]:
    return {"remote": tool.name} if tool.name != key or "remote" in old else {}


def _body(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a tool that is merged."""
    return {name: value for name, value in tool.items() if name not in _NOTES}


def _theirs(tool: OfferedTool, shared: Sequence[str]) -> dict[str, Any]:
    """Return a tool as the source offers it; `shared` are the tags of all tools of the spec."""
    spec = {name: value for name, value in tool.spec.items() if name not in _NOTES}
    if spec.get("title") == title_of_name(tool.name):
        del spec["title"]
    hints = dict(tool.hints)
    hints["tags"] = [tag for tag in hints.get("tags", ()) if tag not in shared]
    if not hints["tags"]:
        del hints["tags"]
    return {**spec, **hints}


def _ordered(tool: Mapping[str, Any]) -> dict[str, Any]:
    between = [key for key in tool if key not in _FIRST and key not in _LAST]
    return {key: tool[key] for key in (*_FIRST, *between, *_LAST) if key in tool}


def _inserted(tools: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Insert each new tool before the first with a greater key, so that sorted tools stay sorted."""
    made: dict[str, Any] = {}
    pending = sorted(new, reverse=True)
    for key, tool in tools.items():
        while pending and pending[-1] < key:
            name = pending.pop()
            made[name] = new[name]
        made[key] = tool
    return made | {key: new[key] for key in reversed(pending)}


def _tags_of_all(offered: Sequence[OfferedTool]) -> list[str]:
    first = offered[0].hints.get("tags", ()) if offered else ()
    return [tag for tag in first if all(tag in tool.hints.get("tags", ()) for tool in offered)]
