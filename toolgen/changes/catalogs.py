"""Catalogs: two whole catalogs compared, as documents of `catalog.json`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.actions import ActionCatalogs, Routing, compare_actions
from toolgen.changes.defaults import compare_defaults
from toolgen.changes.model_surface import changed_value, compare_parameters
from toolgen.changes.rules import Change, names
from toolgen.changes.wire import compare_wire
from toolgen.schema.comparison.compare import Verdict, compare
from toolgen.schema.json_values import are_equal, canonical
from toolgen.spec.tool_settings import KEYS, TRUE_UNLESS_WRITTEN
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.changes.rules import Path

_TOOLSET: Final = (
    ("ROUTE107", "kind", "its kind changed"),
    ("ROUTE107", "exported_by", "another agent runs it"),
    ("ROUTE105", "server", "its server changed"),
    ("ROUTE105", "api", "its API changed"),
    ("ROUTE105", "closed", "the operations that no value of a path may reach changed"),
    ("MODEL304", "description", "the description changed"),
)
_AGENT: Final = (
    ("ROUTE303", "role", "the role changed"),
    ("ROUTE303", "on_request", "what it may request changed"),
    ("ROUTE303", "suggest", "what it suggests changed"),
    ("ROUTE303", "export", "what it exports changed"),
    ("MODEL301", "system", "the system prompt changed"),
    ("MODEL301", "description", "the description changed"),
)


@dataclass(frozen=True, slots=True)
class Sets:
    """What the runs of an agent may call: the answer of the policies by ident, for each mode; `""` is no mode.

    Computed by the runtime, with all policies of the catalog.
    """

    modes: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a package: its catalog, and what the runs of its agents may call.

    `routing` says how the action catalogs map args, and what is visible, by module.
    """

    catalog: Mapping[str, Any]
    sets: Mapping[str, Sets] = field(default_factory=dict[str, Sets])
    routing: Mapping[str, Routing] = field(default_factory=dict[str, Routing])

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section of the catalog; empty if it has none."""
        found: Mapping[str, Any] = self.catalog.get(name, {})
        return found

    def wire_name(self, ident: str) -> str:
        """Return the name of a tool in requests."""
        name: str = self.section("wire_names").get(ident) or wire_name(ident)
        return name

    def formats(self) -> bool:
        """Return whether `format` is checked."""
        return bool(self.catalog.get("formats", "annotate") != "annotate")

    def actions(self) -> ActionCatalogs:
        """Return its action catalogs."""
        return ActionCatalogs(self.section("catalogs"), self.section("tools"), self.routing, self.formats())


def compare_versions(before: Version, after: Version) -> Iterator[Change]:
    """Yield the changes from one version to another, in the categories WIRE, MODEL and ROUTE."""
    yield from _formats(before, after)
    yield from _toolsets(before, after)
    renamed = _renamed_tools(before, after)
    yield from _tools(before, after, renamed)
    yield from _agents(before, after, renamed)
    yield from compare_actions(before.actions(), after.actions())
    yield from _policies(before, after)
    if "tags" in before.catalog and "tags" in after.catalog:
        yield from changed_value(
            "ROUTE312", "tags", "the declared tags changed", before.catalog, after.catalog, "tags", ()
        )


def _formats(before: Version, after: Version) -> Iterator[Change]:
    if before.formats() == after.formats():
        return
    schemas = (schema for tool in _every(after) for schema in (tool["args"], tool.get("result", True)))
    if any(_has_formats(schema) for schema in schemas):
        code, what = ("WIRE402", "checked now") if after.formats() else ("WIRE403", "not checked any more")
        yield from changed_value(code, "formats", f"formats are {what}", before.catalog, after.catalog, "formats", ())


def _has_formats(schema: Any) -> bool:
    """Return whether a schema may reject values only where formats are checked."""
    checked = compare(schema, schema, formats_after=True, search=False)
    return checked.lost.verdict is not Verdict.NONE


def _every(version: Version) -> Iterable[Mapping[str, Any]]:
    return version.section("tools").values()


def _toolsets(before: Version, after: Version) -> Iterator[Change]:
    old, new = before.section("toolsets"), after.section("toolsets")
    for name in (name for name in old if name in new):
        for code, key, what in _TOOLSET:
            yield from changed_value(code, name, what, old[name], new[name], key, ("toolsets", name))


def _renamed_tools(before: Version, after: Version) -> dict[str, str]:
    old, new = before.section("tools"), after.section("tools")
    return _renamed(
        {ident: tool for ident, tool in old.items() if ident not in new},
        {ident: tool for ident, tool in new.items() if ident not in old},
    )


def _tools(before: Version, after: Version, renamed: Mapping[str, str]) -> Iterator[Change]:
    old, new = before.section("tools"), after.section("tools")
    gone, come = [ident for ident in old if ident not in new], [ident for ident in new if ident not in old]
    for ident in gone:
        if ident in renamed:
            yield Change(
                code="WIRE103",
                subject=ident,
                message=f"the tool is `{renamed[ident]}` now",
                before_path=("tools", ident),
                after_path=("tools", renamed[ident]),
                before=ident,
                after=renamed[ident],
            )
        else:
            yield Change(
                code="WIRE101", subject=ident, message="the tool is gone", before_path=("tools", ident), before=ident
            )
    for ident in come:
        if ident not in renamed.values():
            yield Change(
                code="WIRE102", subject=ident, message="the tool is new", after_path=("tools", ident), after=ident
            )
    formats = before.formats(), after.formats()
    for ident, other in renamed.items():
        for change in compare_tools(other, old[ident], new[other], formats):
            path = change.before_path and ("tools", ident, *change.before_path[2:])
            yield replace(change, before_path=path)
    for ident in (ident for ident in old if ident in new):
        yield from _names(ident, before, after)
        if not are_equal(old[ident], new[ident]) or _order(old[ident]) != _order(new[ident]):
            yield from compare_tools(ident, old[ident], new[ident], formats)


def compare_tools(
    ident: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    formats: tuple[bool, bool] = (False, False),
) -> Iterator[Change]:
    """Yield the changes of a tool that both catalogs have, given as their entries of it."""
    path = ("tools", ident)
    yield from compare_wire(ident, before, after, path=path, formats=formats)
    old, new = ({**TRUE_UNLESS_WRITTEN, **tool} for tool in (before, after))
    for name, key in KEYS.items():
        if key.change is not None:
            yield from changed_value(key.change[0], ident, key.change[1], old, new, name, path)
    yield from compare_parameters(ident, before, after, path=path)
    yield from compare_defaults(ident, before["args"], after["args"], path=path)
    yield from _compare_routes(ident, before, after, path=path)


def _names(ident: str, before: Version, after: Version) -> Iterator[Change]:
    old, new = before.wire_name(ident), after.wire_name(ident)
    if old != new:
        for code, message in (
            ("WIRE104", f"the wire name is `{new}` now"),
            ("MODEL108", f"models see it as `{new}` now"),
        ):
            yield Change(
                code=code,
                subject=ident,
                message=message,
                before_path=("tools", ident, "wire_name"),
                after_path=("tools", ident, "wire_name"),
                before=old,
                after=new,
            )


def _renamed(gone: Mapping[str, Mapping[str, Any]], come: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the new idents of tools without ambiguous ones.

    A tool kept its schemas, and its description or its key; or it is spelled in the same words in the same toolset.
    """
    found: dict[str, str] = {}
    by_schemas: dict[bytes, list[str]] = {}
    by_words: dict[str, list[str]] = {}
    for ident, tool in come.items():
        by_schemas.setdefault(_schemas(tool), []).append(ident)
        by_words.setdefault(_words(ident), []).append(ident)
    for ident, tool in gone.items():
        alike = by_words.get(_words(ident)) or [
            other
            for other in by_schemas.get(_schemas(tool), ())
            if come[other]["description"] == tool["description"] or _key(other) == _key(ident)
        ]
        if len(alike) == 1 and alike[0] not in found.values():
            found[ident] = alike[0]
    return found


def _words(ident: str) -> str:
    """Return an ident without what joins its words: `shop.getOrder` and `shop.get-order` are spellings of one."""
    toolset, _, key = ident.rpartition(".")
    return f"{toolset}.{key.replace('_', '').replace('-', '').lower()}"


def _schemas(tool: Mapping[str, Any]) -> bytes:
    return canonical([tool["args"], tool.get("result", True)])


def _key(ident: str) -> str:
    return ident.rpartition(".")[2]


def _order(tool: Mapping[str, Any]) -> list[Any]:
    return list(tool["args"].get("properties", ()))


def _agents(before: Version, after: Version, renamed: Mapping[str, str]) -> Iterator[Change]:
    old, new = before.section("agents"), after.section("agents")
    both = {renamed.get(ident, ident) for ident in before.section("tools")}.intersection(after.section("tools"))
    yield from _gone_and_come(("ROUTE301", "ROUTE302"), "agent", "agents", old, new)
    for name in (name for name in old if name in new):
        for code, key, what in _AGENT:
            yield from changed_value(code, name, what, old[name], new[name], key, ("agents", name))
        if name in before.sets and name in after.sets:
            yield from _compare_sets(
                name,
                _with_names(before.sets[name], renamed),
                after.sets[name],
                both,
            )


def _with_names(sets: Sets, renamed: Mapping[str, str]) -> Sets:
    """Return sets with the new idents of tools."""
    modes = sets.modes.items()
    return Sets(
        {mode: {renamed.get(ident, ident): answer for ident, answer in answers.items()} for mode, answers in modes}
    )


def _policies(before: Version, after: Version) -> Iterator[Change]:
    old, new = before.section("policies"), after.section("policies")
    yield from _gone_and_come(("ROUTE308", "ROUTE309"), "policy", "policies", old, new)
    for name in (name for name in old if name in new):
        was, now = dict(old[name]), new[name]
        modes = was.get("modes", {}), now.get("modes", {})
        for mode in (mode for mode in modes[0] if mode not in modes[1]):
            place = ("policies", name, "modes", mode)
            message = f"the mode `{mode}` is gone"
            yield Change(code="ROUTE313", subject=name, message=message, before_path=place, before=modes[0][mode])
        was["modes"] = {mode: rules for mode, rules in modes[0].items() if mode in modes[1]}
        now = {**now, "modes": modes[1]}
        changed = [key for key in dict.fromkeys((*was, *now)) if was.get(key) != now.get(key)]
        for key in changed:
            message = f"the policy's `{key}` changed"
            yield from changed_value("ROUTE310", name, message, was, now, key, ("policies", name))


def _gone_and_come(
    codes: tuple[str, str], what: str, section: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    gone, come = (name for name in old if name not in new), (name for name in new if name not in old)
    yield from chain(
        (
            Change(code=codes[0], subject=name, message=f"the {what} is gone", before_path=(section, name))
            for name in gone
        ),
        (
            Change(code=codes[1], subject=name, message=f"the {what} is new", after_path=(section, name))
            for name in come
        ),
    )


# Routes: what runs a call, how it is treated, and who may make it.

_ORDERED_BY_STRICTNESS: Final = ("allow", "ask", "deny")


def _compare_routes(
    subject: str, before: Mapping[str, Any], after: Mapping[str, Any], *, path: Path
) -> Iterator[Change]:
    """Yield the ROUTE changes of a tool, given as its entries of two catalogs."""
    yield from _roles(subject, before, after, path)
    tags = [set(tool.get("tags", ())) - {"readonly", "write"} for tool in (before, after)]
    if tags[0] != tags[1]:
        changed = [*(f"+{tag}" for tag in sorted(tags[1] - tags[0])), *(f"-{tag}" for tag in sorted(tags[0] - tags[1]))]
        yield Change(
            code="ROUTE202",
            subject=subject,
            message=f"the tags changed: {', '.join(changed)}",
            before_path=(*path, "tags"),
            after_path=(*path, "tags"),
            before=sorted(tags[0]),
            after=sorted(tags[1]),
        )


def _compare_sets(agent: str, before: Sets, after: Sets, tools: Collection[str]) -> Iterator[Change]:
    """Yield the changes of what an agent may call of the tools that both catalogs have, by their new idents."""
    path: Path = ("agents", agent)
    told = set[tuple[str, tuple[str, ...]]]()
    for mode in dict.fromkeys(("", *before.modes, *after.modes)):
        old = before.modes.get(mode, before.modes[""])
        new = after.modes.get(mode, after.modes[""])
        lost = [ident for ident in old if ident not in new and ident in tools]
        gained = [ident for ident in new if ident not in old and ident in tools]
        ranks = [
            (ident, _ORDERED_BY_STRICTNESS.index(new[ident]) - _ORDERED_BY_STRICTNESS.index(old[ident]))
            for ident in old
            if ident in new
        ]
        where = f" in mode `{mode}`" if mode else ""
        for code, listed, what in (
            ("ROUTE304", lost, "it may not call"),
            ("ROUTE305", gained, "it may call"),
            ("ROUTE306", [ident for ident, rank in ranks if rank > 0], "policies are stricter with"),
            ("ROUTE307", [ident for ident, rank in ranks if rank < 0], "policies are less strict with"),
        ):
            key = (code, tuple(sorted(listed)))
            if not listed or key in told:
                continue
            told.add(key)
            answers = [{ident: answers.get(ident) for ident in sorted(listed)} for answers in (old, new)]
            now = " any more" if code == "ROUTE304" else " now" if code == "ROUTE305" else ""
            yield Change(
                code=code,
                subject=agent,
                message=f"{what} {names(sorted(listed))}{now}{where}",
                before_path=path,
                after_path=path,
                before=answers[0],
                after=answers[1],
            )


def _roles(subject: str, before: Mapping[str, Any], after: Mapping[str, Any], path: Path) -> Iterator[Change]:
    """Yield the change of the roles; a tool without the key may be held in any role, one with no roles in none."""
    old, new = ({"roles": ", ".join(tool["roles"]) or "none" if "roles" in tool else "any"} for tool in (before, after))
    message = f"the roles that may hold it were {old['roles']}, and are {new['roles']} now"
    yield from changed_value("ROUTE203", subject, message, old, new, "roles", path)
