"""Rendering: templates to HTML. Every text is escaped; only what is made here is markup.

A text is for eyes: its hidden characters are shown as escapes. A value that a browser sends back, or that a script
reads, goes through the filter `exact`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from toolgen.spec.text import escaped, is_hidden

if TYPE_CHECKING:
    from pathlib import Path

_HIDDEN_IN_LINES: Final = re.compile(r"[^\x20-\x7e\n\t]")
_NOT_IN_PAGES: Final = re.compile(r"[\x00\ud800-\udfff]")
_CODE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n\s*")


@cache
def environment(folder: Path) -> Environment:
    """Return the environment of the templates in a folder."""
    made = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    del made.filters["urlencode"]  # fails for half of a surrogate pair: code makes addresses
    made.filters.update(prose=prose, line=line, pre=pre, breakable=breakable, exact=exact)
    return made


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


def exact(value: object) -> Markup:
    """Return what an input or a script must give back as it is: no hidden character becomes an escape.

    Only NUL and halves of surrogate pairs do, which no page can have.
    """
    text = _NOT_IN_PAGES.sub(lambda found: escaped(found[0]), str(value))
    return Markup(escape(text).replace("\r", Markup("&#13;")))  # noqa: S704  # escaped here


def breakable(name: str) -> Markup:
    """Return a name that may be broken at its dots and underscores."""
    return Markup(re.sub(r"([._/]+)", r"\1<wbr>", str(pre(name))))  # noqa: S704  # escaped by `pre`


def _finalized(value: Any) -> Any:
    return visible_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value
