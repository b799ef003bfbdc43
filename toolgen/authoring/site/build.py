"""The site: all its files, as text by path. Nothing is read but templates, and nothing is written here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen import __version__
from toolgen.authoring.site.contents import Contents, Kind, Uses, summary
from toolgen.authoring.site.history import History
from toolgen.authoring.site.indexes import agent_page, catalog_page, diagram_of, index_page, policy_page, toolset_page
from toolgen.authoring.site.tool import Shown, tool_page
from toolgen.pages.rendering import environment
from toolgen.pages.styles import STYLE_SHEET, style_sheet
from toolgen.schema.json_values import is_object
from toolgen.search.synonyms import related
from toolgen.search.words import STOP_WORDS, stem
from toolgen.spec.text import cut, visible

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Part
    from toolgen.compiler.ir.catalog import Tool


# Search data: what the script of the site searches, as a script file, which a page can load without a server.

Row: TypeAlias = "list[Any]"

_WORD: Final = re.compile(r"\w+")
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_a-zA-Z0-9]+")

_SUMMARY: Final = 110
"""Maximum characters of a description in the list of results."""

_LONGEST: Final = 40
"""Maximum characters of a word; what is longer is no word of a language."""


def search_script(contents: Contents) -> str:
    """Return the search data of a project. The path of a page that follows from its kind and name is left out."""
    kinds = list(Kind)
    rows: list[Row] = []
    for kind, name, text, names, others in _documents(contents):
        path = contents.addresses.path(kind, name)
        is_regular = path == f"{kind.value}/{name}.html"
        rows.append(row(kinds.index(kind), name, text, names, others, "" if is_regular else path))
    return script([kind.value for kind in kinds], rows)


def row(kind: int, name: str, text: str, names: str, others: str, path: str) -> Row:
    """Return the row of a page: its kind, name, summary, the words of its names, its other words, and its path.

    Words are in lower case, each once, sorted, separated by spaces.
    """
    first = _words(names)
    found = [kind, visible(name), _summary_of(text), " ".join(sorted(first)), " ".join(sorted(_words(others) - first))]
    return [*found, path] if path else found


def script(kinds: list[str], rows: list[Row]) -> str:
    """Return the script file: a call with all rows, and what is known of their words.

    Characters that could end a script are escapes.
    """
    lines = ",\n".join(map(_script_text, rows))
    return f"toolgenSearch({_script_text(kinds)}, [\n{lines}\n], {_script_text(_vocabulary(rows))});\n"


def _vocabulary(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the stem of each word, by stem the related words that pages have, and the words that are ignored.

    They are those of `toolgen search`.
    """
    words = {word for each in rows for words in each[3:5] for word in words.split()}
    stems = {word: stem(word) for word in sorted(words)}
    held = {*stems.values()}
    meant = {word: " ".join(other for other in others if other in held) for word, others in related().items()}
    return {
        "stems": stems,
        "synonyms": {word: others for word, others in sorted(meant.items()) if others},
        "ignored": " ".join(sorted(STOP_WORDS)),
    }


def _documents(contents: Contents) -> Iterator[tuple[Kind, str, str, str, str]]:
    """Yield the kind and name of each page, its description, the text of its names, and all other text."""
    for name, (_, toolset) in contents.toolsets.items():
        yield Kind.TOOLSET, name, toolset.description, name, f"{toolset.description} {toolset.kind.value}"
    for name, (_, agent) in contents.agents.items():
        yield Kind.AGENT, name, agent.description, name, f"{agent.description} {agent.role}"
    for name, (_, catalog) in contents.catalogs.items():
        words = " ".join(f"{each.name} {each.description} {' '.join(each.actions)}" for each in catalog.categories)
        yield Kind.CATALOG, name, catalog.prompt, name, f"{catalog.prompt} {words}"
    for name, (_, policy) in contents.policies.items():
        yield Kind.POLICY, name, "", name, " ".join(policy.rules)
    for name, place in contents.tools.items():
        tool = place.tool
        yield Kind.TOOL, name, tool.description, f"{name} {tool.title}", f"{tool.description} {_args_text(tool)}"


def _args_text(tool: Tool) -> str:
    """Return the names and descriptions of the args of a tool, and its tags."""
    properties = tool.args.json.get("properties")
    texts = [*tool.tags, tool.permission.value]
    for name, schema in properties.items() if is_object(properties) else ():
        texts += [name, str(schema.get("description", "")) if is_object(schema) else ""]
    return " ".join(texts)


def _words(text: str) -> set[str]:
    """Return the words of a text in lower case: whole words, and the parts of names such as `getItem_2`."""
    found = set[str]()
    for word in _WORD.findall(text):
        found.update(part.lower() for part in (word, *_PARTS.findall(word)) if len(part) <= _LONGEST)
    return found


def _summary_of(text: str) -> str:
    return cut(visible(summary(text)), _SUMMARY)


def _script_text(value: Any) -> str:
    """Return JSON that is safe in a script, wherever it stands."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


# Rendering: records to HTML.

TEMPLATES: Final = Path(__file__).resolve().parent / "templates"


def render(template: str, **values: Any) -> str:
    """Render one template. Raises jinja2.UndefinedError if a value is missing."""
    return environment(TEMPLATES).get_template(template).render(values)


ASSETS: Final = ("search.js", "site.js")
CHANGES: Final = "changes.html"
_NO_HISTORY: Final = History()


def site_files(parts: Sequence[Part], history: History = _NO_HISTORY) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file of the site of a project, given as its targets."""
    contents = Contents(parts)
    changes = history.by_subject()
    uses = Uses(contents)
    shown = {id(part): Shown(part) for part in parts}
    yield STYLE_SHEET, style_sheet()
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
