"""A document in Markdown as a page: links lead to pages, headings have anchors, and codes link to their pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from posixpath import dirname, join, normpath, relpath
from typing import TYPE_CHECKING, Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.renderer import RendererHTML

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_NAMED: Final = re.compile(r"file=(\S+)")


@dataclass(frozen=True)
class Document:
    """A document. `path` is that of its page, `folder` is empty for the README. `sections` are anchors and titles."""

    path: str
    folder: str
    title: str
    body: Markup
    sections: tuple[tuple[str, str], ...]
    summary: str
    headings_text: str
    text: str

    @classmethod
    def read(cls, file: Path, root: Path, files: Sequence[Path], codes: Collection[str]) -> Document:
        """Read a document. `files` are those that have pages; links to other files of the project are only text."""
        pages = {path.relative_to(root).as_posix(): page_path(path, root) for path in files}
        source = file.relative_to(root).as_posix()
        tokens = _MARKDOWN.parse(file.read_text(encoding="utf-8"))
        headings = list(_anchored(tokens))
        _set_cells(tokens)
        for token in tokens:
            if token.children:
                token.children = [*_linked(token.children, source, pages, codes, is_heading=token in _inside(tokens))]
        paragraphs = [token.content for token in tokens if token.type == "inline"]
        (title, *_) = [text for level, _, text in headings if level == 1]
        return cls(
            path=pages[source],
            folder=pages[source].rpartition("/")[0],
            title=title,
            body=Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})),  # noqa: S704  # without HTML of the text
            sections=tuple((anchor, text) for level, anchor, text in headings if level == 2),
            summary=_plain(next(text for text in paragraphs if text != title)),
            headings_text=" ".join(text for _, _, text in headings),
            text=" ".join(paragraphs),
        )


def page_path(file: Path, root: Path) -> str:
    """Return the path of the page of a document."""
    path = file.relative_to(root)
    return "index.html" if path.name == "README.md" else path.relative_to("docs").with_suffix(".html").as_posix()


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as forges make it."""
    return re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-")


def _plain(text: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("**", "")


def _inside(tokens: Sequence[Token]) -> list[Token]:
    """Return the texts of headings."""
    return [inner for opening, inner in pairwise(tokens) if opening.type == "heading_open"]


def _anchored(tokens: Sequence[Token]) -> Iterator[tuple[int, str, str]]:
    """Give headings their anchors; yield the level, anchor and text of each."""
    seen: dict[str, int] = {}
    for opening, inner in pairwise(tokens):
        if opening.type == "heading_open":
            text = _plain(inner.content)
            anchor = anchor_of(text)
            seen[anchor] = seen.get(anchor, -1) + 1
            anchor = f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
            opening.attrSet("id", anchor)
            yield int(opening.tag[1]), anchor, text


def _set_cells(tokens: Sequence[Token]) -> None:
    """Align cells by a class, because pages allow no styles of elements; an empty heading is no heading."""
    for opening, inner, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type in ("th_open", "td_open"):
            if "right" in str(opening.attrs.pop("style", "")):
                opening.attrSet("class", "number")
            if not inner.content:
                opening.tag = closing.tag = "td"


def _linked(
    children: Sequence[Token], source: str, pages: dict[str, str], codes: Collection[str], *, is_heading: bool
) -> Iterator[Token]:
    """Yield the parts of a line, with links to pages, and with links from codes to their pages."""
    page = pages[source]
    dropped: list[bool] = []
    for token in children:
        if token.type == "link_open":
            target = _target(str(token.attrGet("href")), source, pages)
            dropped.append(target is None)
            if target is not None:
                token.attrSet("href", target)
                yield token
        elif token.type == "link_close":
            if not dropped.pop():
                yield token
        elif token.type == "code_inline" and token.content in codes and not dropped and not is_heading:
            href = relpath(f"codes/{token.content}.html", dirname(page) or ".")
            yield Token("link_open", "a", 1, attrs={"href": href})
            yield token
            yield Token("link_close", "a", -1)
        else:
            yield token


def _target(href: str, source: str, pages: dict[str, str]) -> str | None:
    """Return where a link leads on the site; None for a file of the project that has no page."""
    if re.match(r"[a-z]+:", href):
        return href
    file, mark, anchor = href.partition("#")
    if not file:
        return href
    found = pages.get(normpath(join(dirname(source), file)))
    return None if found is None else f"{relpath(found, dirname(pages[source]) or '.')}{mark}{anchor}"


def _fence(_renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    rest = token.info.strip().partition(" ")[2]
    named = _NAMED.search(rest)
    caption = named[1] if named else "Output" if rest == "output" else ""
    code = Markup('<pre class="code"><code>{}</code></pre>').format(token.content.rstrip("\n"))
    if not caption:
        return f"{code}\n"
    figure = Markup('<figure class="example"><figcaption>{}</figcaption>{}</figure>')
    return f"{figure.format(caption, code)}\n"


_MARKDOWN.add_render_rule("fence", _fence)
_MARKDOWN.add_render_rule("table_open", lambda *_: '<div class="scroll"><table>\n')
_MARKDOWN.add_render_rule("table_close", lambda *_: "</table></div>\n")
