"""The form of args as a browser reads it from a page, and as it sends it when nobody has touched it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class _Form(HTMLParser):
    """The inputs of the form of args: each name with its value, after what browsers do to values of its type."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._is_inside = False
        self._area = self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: dict[str, Any] = dict(attrs)
        self._is_inside = given.get("id") == "editor" if tag == "form" else self._is_inside
        name = given.get("name", "")
        if not self._is_inside:
            return
        if tag == "input" and name:
            self.values[name] = _sanitized(given.get("type", "text"), given.get("value") or "")
        elif tag == "textarea":
            self._area = name
            self.values[name] = ""
        elif tag == "select":
            self._select = name
            self.values.setdefault(name, "")
        elif tag == "option" and "selected" in given:
            self.values[self._select] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data


def _sanitized(kind: str, value: str) -> str:
    """Return what an input makes of its value."""
    if kind == "hidden":
        return value
    value = value.replace("\r", "").replace("\n", "")
    if kind == "date":
        return value if _DATE.fullmatch(value) else ""
    return value.strip(" \t\f") if kind in ("email", "url") else value


def sent_form(page: bytes) -> dict[str, str]:
    """Return what a browser sends of the form of args on a page: with CR LF for each end of a line."""
    text = page.decode().replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    form = _Form()
    form.feed(text)
    form.close()
    return {_lines(name): _lines(value.removeprefix("\n")) for name, value in form.values.items()}


def _lines(text: str) -> str:
    return re.sub(r"\r\n|\r|\n", "\r\n", text)
