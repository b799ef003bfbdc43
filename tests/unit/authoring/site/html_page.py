"""A page as a strict reader sees it: every element closed in order, ids unique, attributes known, links collected."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_VOID: Final = frozenset({"meta", "link", "input", "wbr", "br", "hr", "img"})
_KNOWN: Final = frozenset({
    *("html", "head", "meta", "title", "link", "script", "body", "a", "header", "div", "search", "label", "input"),
    *("kbd", "span", "p", "main", "nav", "ol", "ul", "li", "h1", "h2", "h3", "h4", "section", "table", "caption"),
    *("thead", "tbody", "tr", "th", "td", "code", "pre", "details", "summary", "dl", "dt", "dd", "figure"),
    *("img", "figcaption", "footer", "time", "wbr", "svg", "g", "path", "text", "rect", "br", "strong", "em"),
    "blockquote",
})  # fmt: skip
_ATTRIBUTES: Final = frozenset({
    *("lang", "data-root", "charset", "http-equiv", "content", "name", "rel", "href", "src", "defer", "class", "id"),
    *("for", "type", "placeholder", "autocomplete", "spellcheck", "maxlength", "aria-describedby", "aria-hidden"),
    *("aria-live", "aria-label", "aria-labelledby", "tabindex", "hidden", "scope", "open", "title", "datetime"),
    *("data-language", "viewbox", "width", "height", "role", "d", "x", "y", "rx", "start", "alt"),
})  # fmt: skip

_BLOCKS: Final = frozenset({"td", "th", "dt", "dd", "li", "p", "a", "summary", "caption", "span", "figcaption"})
"""Elements whose texts are words of their own."""


@dataclass
class Page(HTMLParser):
    """A parsed page. Raises AssertionError for what is not well-formed, and for elements that no template has."""

    skeleton: list[str] = field(default_factory=list[str])
    ids: list[str] = field(default_factory=list[str])
    links: list[str] = field(default_factory=list[str])
    texts: list[str] = field(default_factory=list[str])
    headings: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []

    @classmethod
    def of(cls, text: str) -> Page:
        page = cls()
        page.feed(text)
        page.close()
        assert page._open == []
        assert len(page.ids) == len(set(page.ids)), sorted(page.ids)
        return page

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _KNOWN, tag
        names = [name for name, _ in attrs]
        assert set(names) <= _ATTRIBUTES, names
        assert len(names) == len(set(names)), names
        given = dict(attrs)
        if tag == "img":
            assert given.get("alt"), "an image without words for those who do not see it"
        self.skeleton.append(tag)
        if given.get("id") is not None:
            self.ids.append(given["id"] or "")
        self.links += [value for name in ("href", "src") if (value := given.get(name)) is not None]
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append(int(tag[1]))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag not in _VOID
        assert self._open.pop() == tag, (tag, self._open)
        self.skeleton.append(f"/{tag}")
        if tag in _BLOCKS:
            self.texts.append(" ")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:80]}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data[:80]}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data[:80]}")


def broken_links(files: Mapping[str, str], *, outside: str = "") -> Iterator[tuple[str, str]]:
    """Yield each link of a site that leads nowhere, or out of it, with its page; those to `outside` may."""
    pages = {path: Page.of(text) for path, text in files.items() if path.endswith(".html")}
    for path, page in pages.items():
        for link in page.links:
            if not (outside and link.startswith(outside)) and not _leads_somewhere(path, link, files, pages):
                yield path, link


def _leads_somewhere(path: str, link: str, files: Mapping[str, str], pages: Mapping[str, Page]) -> bool:
    parts = urlsplit(link)
    target = normpath(join(dirname(path), unquote(parts.path))) if parts.path else path
    if parts.scheme or parts.netloc or target not in files:
        return False
    return not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].ids
