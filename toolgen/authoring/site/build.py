"""The site: all its files, as text by path. Nothing is read but templates, and nothing is written here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen import __version__
from toolgen.authoring.site.addresses import Kind
from toolgen.authoring.site.contents import Contents
from toolgen.authoring.site.diagram import diagram_of
from toolgen.authoring.site.history import History
from toolgen.authoring.site.pages.others import agent_page, catalog_page, index_page, policy_page, toolset_page
from toolgen.authoring.site.pages.shown import Shown
from toolgen.authoring.site.pages.tool import tool_page
from toolgen.authoring.site.pages.uses import Uses
from toolgen.authoring.site.render import TEMPLATES, render
from toolgen.authoring.site.search_data import search_script

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.authoring.site.contents import Part

ASSETS: Final = ("style.css", "search.js", "site.js")
CHANGES: Final = "changes.html"
_NO_HISTORY: Final = History()


def site_files(parts: Sequence[Part], history: History = _NO_HISTORY) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file of the site of a project, given as its targets."""
    contents = Contents(parts)
    changes = history.by_subject()
    uses = Uses(contents)
    shown = {id(part): Shown(part) for part in parts}
    for name in ASSETS:
        yield name, (TEMPLATES / name).read_text(encoding="utf-8")
    yield "search-data.js", search_script(contents)
    yield _page("index.html", "index", index_page(contents, diagram_of(contents), history))
    if history.versions:
        links = {name: contents.addresses.find(kind, name) for kind, name in _names(contents)}
        yield _page(CHANGES, "changes", history, links=links)
    for name, (part, toolset) in contents.toolsets.items():
        page: Any = toolset_page(contents, part, toolset, changes.get(name, ()))
        yield _page(contents.addresses.path(Kind.TOOLSET, name), "toolset", page)
    for name, (part, agent) in contents.agents.items():
        page = agent_page(contents, part, agent, changes.get(name, ()))
        yield _page(contents.addresses.path(Kind.AGENT, name), "agent", page)
    for name, (part, catalog) in contents.catalogs.items():
        page = catalog_page(contents, part, catalog, changes.get(name, ()))
        yield _page(contents.addresses.path(Kind.CATALOG, name), "catalog", page)
    for name, (_, policy) in contents.policies.items():
        page = policy_page(policy, changes.get(name, ()))
        yield _page(contents.addresses.path(Kind.POLICY, name), "policy", page)
    for name, place in contents.tools.items():
        page = tool_page(contents, place, shown[id(place.part)], uses, changes.get(name, ()))
        yield _page(contents.addresses.path(Kind.TOOL, name), "tool", page)


def _page(path: str, template: str, page: Any, **more: Any) -> tuple[str, str]:
    root = "../" * path.count("/")
    return path, render(f"{template}.html.jinja", page=page, root=root, version=__version__, **more)


def _names(contents: Contents) -> Iterator[tuple[Kind, str]]:
    """Yield the kind and name of every page; tools last, because a change of a name is rather that of a tool."""
    yield from ((Kind.POLICY, name) for name in contents.policies)
    yield from ((Kind.CATALOG, name) for name in contents.catalogs)
    yield from ((Kind.AGENT, name) for name in contents.agents)
    yield from ((Kind.TOOLSET, name) for name in contents.toolsets)
    yield from ((Kind.TOOL, name) for name in contents.tools)
