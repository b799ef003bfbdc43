"""All files of the site: the README as its first page, a page for each document, and one for each code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from code_pages import GROUPS, code_pages
from jinja2 import ChoiceLoader, FileSystemLoader
from markdown_page import Document

from toolgen import __version__
from toolgen.authoring.site.build import ASSETS, TEMPLATES, row, script
from toolgen.pages.rendering import environment
from toolgen.pages.styles import STYLE_SHEET, style_sheet

if TYPE_CHECKING:
    from code_pages import CodePage
    from jinja2 import Environment

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDERS: Final = {
    "tutorial": "Tutorial",
    "how-to/import": "How to import tools",
    "how-to/authoring": "How to write, check and change specs",
    "how-to/models": "How to show tools to models",
    "how-to/runtime": "How to run calls and agents",
    "reference": "Reference",
    "reference/api": "Public API",
    "explanation": "Explanation",
}
"""The folders of documents, in the order of the first page, and their titles."""

KINDS: Final = {
    "": "start",
    "tutorial": "tutorial",
    "how-to": "how-to guide",
    "reference": "reference",
    "explanation": "explanation",
    "codes": "code",
}
"""What the search calls the pages of each top-level folder."""


def docs_files() -> Iterator[tuple[str, str | bytes]]:
    """Yield the path and the content of every file."""
    codes = code_pages()
    documents = _documents({page.code for page in codes})
    listed = [(title, [each for each in documents if each.folder == folder]) for folder, title in FOLDERS.items()]
    yield STYLE_SHEET, style_sheet()
    for name in ASSETS:
        yield name, (TEMPLATES / name).read_text(encoding="utf-8")
    for image in sorted((ROOT / "docs").rglob("*.png")):
        yield image.relative_to(ROOT / "docs").as_posix(), image.read_bytes()
    for each in documents:
        folders = listed if each.path == "index.html" else []
        yield each.path, _render(each.path, "document", page=each, folders=folders, group=FOLDERS.get(each.folder, ""))
    groups = [(title, [page for page in codes if page.group == title]) for title in GROUPS]
    yield "codes/index.html", _render("codes/index.html", "codes", groups=groups)
    for number, page in enumerate(codes):
        beside = [codes[at] if 0 <= at < len(codes) else None for at in (number - 1, number + 1)]
        yield page.path, _render(page.path, "code", page=page, previous=beside[0], following=beside[1])
    yield "search-data.js", script([*KINDS.values()], [*map(_row, documents), *map(_code_row, codes)])


def _documents(codes: set[str]) -> list[Document]:
    files = [ROOT / "README.md"]
    files += [path for folder in FOLDERS for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
    shown = [path for path in files if not path.name.endswith(".intro.md")]
    return [Document.read(path, ROOT, shown, codes) for path in shown]


def _row(document: Document) -> list[Any]:
    return row(
        [*KINDS].index(document.folder.partition("/")[0]),
        document.title,
        document.summary,
        f"{document.title} {document.headings_text}",
        document.text,
        document.path,
    )


def _code_row(page: CodePage) -> list[Any]:
    name = f"{page.code} {page.name}"
    return row([*KINDS].index("codes"), name, page.explanation, name, page.explanation, page.path)


@cache
def _environment() -> Environment:
    own = FileSystemLoader(Path(__file__).resolve().parent / "templates")
    return environment(TEMPLATES).overlay(loader=ChoiceLoader([own, FileSystemLoader(TEMPLATES)]))


def _render(path: str, template: str, **values: Any) -> str:
    root = "../" * path.count("/")
    return _environment().get_template(f"{template}.html.jinja").render(root=root, version=__version__, **values)
