"""Addresses: the path of every page, safe and unique on every file system, whatever the name is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Contents
    from toolgen.compiler.ir.catalog import Tool, Toolset


_LONGEST: Final = 120
"""Maximum characters of a file name, without `.html`; file systems allow 255 bytes."""

_SAFE: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?", re.ASCII)
_OTHERS: Final = re.compile(r"[^A-Za-z0-9_-]+", re.ASCII)
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""Names that Windows reserves, also in front of a dot."""


class Kind(StrEnum):
    """What a page is about. The value is the folder of its pages."""

    TOOLSET = "toolsets"
    TOOL = "tools"
    AGENT = "agents"
    CATALOG = "catalogs"
    POLICY = "policies"


class Addresses:
    """The paths of the pages of a site."""

    def __init__(self, names: Mapping[Kind, Iterable[str]]) -> None:
        """Take all names of each kind."""
        self._paths = {kind: file_names(each) for kind, each in names.items()}

    def path(self, kind: Kind, name: str) -> str:
        """Return the path of a page, relative to the site. Raises KeyError if there is no such page."""
        return f"{kind.value}/{self._paths[kind][name]}.html"

    def find(self, kind: Kind, name: str) -> str:
        """Return the path of a page; empty if there is none."""
        return self.path(kind, name) if name in self._paths.get(kind, {}) else ""


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each name: the name itself if it is safe and differs from others by more than case.

    Otherwise it is made of the safe characters of the name and ten digits of a hash of the name.
    """
    every = list(dict.fromkeys(names))
    folded = Counter(name.casefold() for name in every)
    return {name: name if _is_safe(name) and folded[name.casefold()] == 1 else _hashed(name) for name in every}


def _is_safe(name: str) -> bool:
    is_device = name.partition(".")[0].casefold() in _DEVICES
    return _SAFE.fullmatch(name) is not None and len(name) <= _LONGEST and not is_device


def _hashed(name: str) -> str:
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    readable = _OTHERS.sub("-", name).strip("-").lower()[:40].strip("-")
    return f"{readable or 'page'}--{digest}"


# Links: names that lead to pages, and rows of lists of tools.


@dataclass(frozen=True, slots=True)
class Link:
    """A name and the path of its page, relative to the site; empty if it has none."""

    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool in a list. `note` is what the list adds, such as the answer of the policies."""

    link: Link
    permission: str
    tags: tuple[str, ...]
    summary: str
    note: str = ""


def link_to(contents: Contents, kind: Kind, name: str) -> Link:
    """Return the link to a page, or only the name if there is no such page."""
    return Link(name, contents.addresses.find(kind, name))


def tool_row(contents: Contents, tool: Tool, *, text: str = "", note: str = "") -> ToolRow:
    """Return the row of a tool; `text` stands for its ident."""
    return ToolRow(
        Link(text or tool.ident, contents.addresses.path(Kind.TOOL, tool.ident)),
        tool.permission.value,
        tool_tags(tool, contents.tools[tool.ident].toolset),
        summary(tool.description),
        note,
    )


def tool_tags(tool: Tool, toolset: Toolset) -> tuple[str, ...]:
    """Return the tags of a tool, without its permission and the kind of its toolset, which are among them."""
    return tuple(tag for tag in tool.tags if tag not in (tool.permission.value, toolset.kind.value))


def summary(description: str) -> str:
    """Return the first paragraph of a description, as one line of at most 200 characters."""
    line = " ".join(description.strip().split("\n\n", 1)[0].split())
    return line if len(line) <= 200 else f"{line[:199]}…"
