"""ROUTE: what runs a call, how it is treated, and who may make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.model_surface import changed_value
from toolgen.changes.rules import Change, names

if TYPE_CHECKING:
    from toolgen.changes.rules import Path

_ORDERED_BY_STRICTNESS: Final = ("allow", "ask", "deny")


@dataclass(frozen=True, slots=True)
class Sets:
    """What the runs of an agent may call: the answer of the policies by ident, for each mode; `""` is no mode.

    Computed by the runtime, with all policies of the catalog.
    """

    modes: Mapping[str, Mapping[str, str]]


def compare_routes(
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


def compare_sets(
    agent: str, before: Sets, after: Sets, *, has_tool: tuple[Callable[[str], bool], Callable[[str], bool]]
) -> Iterator[Change]:
    """Yield the changes of what an agent may call. Tools that only one of the catalogs has are left out."""
    path: Path = ("agents", agent)
    told = set[tuple[str, tuple[str, ...]]]()
    for mode in dict.fromkeys(("", *before.modes, *after.modes)):
        old = before.modes.get(mode, before.modes[""])
        new = after.modes.get(mode, after.modes[""])
        lost = [ident for ident in old if ident not in new and has_tool[1](ident)]
        gained = [ident for ident in new if ident not in old and has_tool[0](ident)]
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
