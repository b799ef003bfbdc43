"""Find: the palette, which leads to tools, runs and pages by a part of their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.explore.links import address
from toolgen.runtime.events.records import RunFilter, StoreError

if TYPE_CHECKING:
    from toolgen.explore.app import Explorer
    from toolgen.explore.visit import Data, Visit
    from toolgen.explore.visitors import Visitor

_SCREENS: Final = {"surface": "Tools", "models": "Models", "runs": "Runs", "inbox": "Inbox", "servers": "Servers"}

_MOST: Final = 12
"""Places of each kind."""


def screens_of(explorer: Explorer, visitor: Visitor | None) -> dict[str, str]:
    """Return the pages that each page links to, by the words of their paths."""
    has_project = explorer.project is not None and visitor is not None and visitor.sees_all
    return {**_SCREENS, "changes": "Changes"} if has_project else _SCREENS


async def find(visit: Visit) -> Data:
    """Return the places whose names have a text in them, and the tools that a model would find by it."""
    query = visit.fields.get("query", "")[:400].strip()
    places = [
        {"kind": "page", "name": name, "path": address(word, view=visit.query)}
        for word, name in screens_of(visit.explorer, visit.visitor).items()
        if query.lower() in name.lower()
    ]
    if query:
        tools = [
            {"kind": "tool", "name": ident, "path": address("tools", ident, view=visit.query)}
            for ident in _tools(visit, query)
        ]
        places = [*tools, *places, *await _runs(visit, query)]
    return {"query": query, "places": places}


def _tools(visit: Visit, query: str) -> list[str]:
    effective = visit.run.effective
    named = [ident for ident in sorted({*effective.tools, *effective.discovery}) if query.lower() in ident.lower()]
    found = [hit.key for hit in visit.explorer.index.search(query, _MOST, frozenset(effective.offered))]
    return [*dict.fromkeys([*named[:_MOST], *found])][:_MOST]


async def _runs(visit: Visit, query: str) -> list[dict[str, str]]:
    """Return runs by their ids; of a host's users none, because whose they are is known only once they are read."""
    if visit.explorer.records is None or not visit.visitor.sees_all:
        return []
    try:
        found = await visit.explorer.records.latest_runs(_MOST, which=RunFilter(part=query))
    except StoreError:
        return []
    runs = [each.run_id for each in found.runs]
    return [{"kind": "run", "name": run, "path": address("runs", run)} for run in runs]
