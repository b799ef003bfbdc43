"""The site: all its files, as text by path. Nothing is read but templates, and nothing is written here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from toolgen import __version__
from toolgen.authoring.site.addresses import Kind
from toolgen.authoring.site.contents import Contents, Uses
from toolgen.authoring.site.diagram import diagram_of
from toolgen.authoring.site.history import History
from toolgen.authoring.site.indexes import agent_page, catalog_page, index_page, policy_page, toolset_page
from toolgen.authoring.site.model_views import Shown
from toolgen.authoring.site.search_data import search_script
from toolgen.authoring.site.tool import tool_page
from toolgen.spec.visible import escaped, is_hidden

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Part


# Rendering: records to HTML. Every text is escaped; only what is made here is markup.

TEMPLATES: Final = Path(__file__).resolve().parent / "templates"

_HIDDEN_IN_LINES: Final = re.compile(r"[^\x20-\x7e\n\t]")
_CODE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n\s*")


@cache
def environment() -> Environment:
    """Return the environment of the templates."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    made.filters.update(prose=prose, line=line, pre=pre, breakable=breakable)
    return made


def render(template: str, **values: Any) -> str:
    """Render one template. Raises jinja2.UndefinedError if a value is missing."""
    return environment().get_template(template).render(values)


def visible_lines(text: str) -> str:
    """Return a text with its lines and tabs, and with every other hidden character as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN_IN_LINES.sub(lambda found: escaped(found[0]) if is_hidden(found[0]) else found[0], text)


def prose(text: str) -> Markup:
    """Return a description as paragraphs. Line ends stay, and text between backticks is code."""
    paragraphs = _PARAGRAPHS.split(visible_lines(text).strip())
    return Markup("\n").join(Markup("<p>{}</p>").format(line(each)) for each in paragraphs if each)


def line(text: str) -> Markup:
    """Return a text inside a line; text between backticks is code."""
    parts = _CODE.split(visible_lines(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else pre(part) for number, part in enumerate(parts)
    )


def pre(text: str) -> Markup:
    """Return a text for an element. Quotes need no escape there, which keeps JSON readable and small."""
    shown = visible_lines(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return Markup(shown)  # noqa: S704  # escaped above


def breakable(name: str) -> Markup:
    """Return a name that may be broken at its dots and underscores."""
    return Markup(re.sub(r"([._/]+)", r"\1<wbr>", str(pre(name))))  # noqa: S704  # escaped by `pre`


def _finalized(value: Any) -> Any:
    return visible_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


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
