"""The diagram: what runs toolsets, the toolsets, and the agents that use them, in three columns of boxes with lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from toolgen.authoring.site.contents import Kind
from toolgen.compiler.ir.catalog import ToolsetKind

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Contents
    from toolgen.compiler.ir.catalog import Toolset

T = TypeVar("T")

_MOST: Final = 100
"""Maximum toolsets; of more, those with the most tools are drawn."""

_WIDTH: Final = 228
_HEIGHT: Final = 46
_ROW: Final = 58
_COLUMN: Final = 356
_TOP: Final = 34
_LETTERS: Final = 27
"""Maximum letters of a label that surely fit into a box."""

_WORDS: Final = {
    ToolsetKind.SERVICE: "service",
    ToolsetKind.AGENT: "agent",
    ToolsetKind.MCP: "MCP server",
    ToolsetKind.COMMAND: "commands",
    ToolsetKind.HTTP: "HTTP API",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A box at `x`, `y`, its upper left corner, in pixels; `path` is the page that it links to, if it has one."""

    x: int
    y: int
    name: str
    words: str
    path: str
    kind: str
    width: int = _WIDTH
    height: int = _HEIGHT

    @property
    def label(self) -> str:
        """The name, cut to the width of the box."""
        return self.name if len(self.name) <= _LETTERS else f"{self.name[: _LETTERS - 1]}…"


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes, lines as SVG paths, and how many toolsets are not drawn. Sizes are in pixels."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    columns: tuple[tuple[int, str], ...]
    width: int
    height: int
    left_out: int


def diagram_of(contents: Contents) -> Diagram:
    """Draw the diagram of a project."""
    every = [toolset for _, toolset in contents.toolsets.values()]
    drawn = sorted(every, key=lambda toolset: (-len(toolset.tools), toolset.name))[:_MOST]
    toolsets = sorted(drawn, key=lambda toolset: (_source_of(toolset), toolset.name))
    sources = sorted({_source_of(toolset) for toolset in toolsets})
    agents = list(contents.agents)
    rows = max(len(sources), len(toolsets), len(agents), 1)
    middle = _column(toolsets, 1, rows)
    left = _column(sources, 0, rows)
    right = _column(agents, 2, rows)
    boxes = [
        *(Box(x, y, name, words, _agent_path(contents, name, words), "source") for (words, name), (x, y) in left),
        *(
            Box(x, y, each.name, _tools(each), contents.addresses.path(Kind.TOOLSET, each.name), "toolset")
            for each, (x, y) in middle
        ),
        *(
            Box(
                x,
                y,
                name,
                f"agent, {contents.agents[name][1].role}",
                contents.addresses.path(Kind.AGENT, name),
                "agent",
            )
            for name, (x, y) in right
        ),
    ]
    places_of_sources, places = dict(left), {each.name: place for each, place in middle}
    lines = [_line(places_of_sources[_source_of(each)], place) for each, place in middle]
    for name, place in right:
        part = contents.agents[name][0]
        used = part.effective_sets[name].tools.keys()
        using = (each for each in toolsets if any(tool.ident in used for tool in each.tools))
        lines += [_line(places[each.name], place) for each in using]
    headings = ((0, "Run by"), (_COLUMN, "Toolsets"), *(((2 * _COLUMN, "Agents"),) if agents else ()))
    width = _COLUMN * (len(headings) - 1) + _WIDTH
    return Diagram(tuple(boxes), tuple(lines), headings, width, _TOP + rows * _ROW, len(every) - len(toolsets))


def _source_of(toolset: Toolset) -> tuple[str, str]:
    """Return what runs a toolset, in words, and its name."""
    kind, words = toolset.kind, _WORDS[toolset.kind]
    if kind is ToolsetKind.AGENT:
        return words, toolset.exported_by or "any agent"
    if kind is ToolsetKind.COMMAND:
        return words, "this machine"
    if kind is ToolsetKind.HTTP:
        url = str((toolset.api or {}).get("base_url", ""))
        return words, urlsplit(url).netloc or url or toolset.name
    if kind is ToolsetKind.MCP:
        return words, toolset.name.removeprefix("mcp.")
    return words, toolset.name.rpartition(".")[0] or "the host"


def _agent_path(contents: Contents, name: str, words: str) -> str:
    return contents.addresses.find(Kind.AGENT, name) if words == _WORDS[ToolsetKind.AGENT] else ""


def _column(each: Iterable[T], number: int, rows: int) -> list[tuple[T, tuple[int, int]]]:
    """Place records below each other, in the middle of the height."""
    listed: Sequence[T] = list(each)
    top = _TOP + (rows - len(listed)) * _ROW // 2
    return [(one, (number * _COLUMN, top + at * _ROW)) for at, one in enumerate(listed)]


def _tools(toolset: Toolset) -> str:
    return f"{toolset.kind.value}, {len(toolset.tools)} tool{'s' if len(toolset.tools) > 1 else ''}"


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = start[0] + _WIDTH, start[1] + _HEIGHT // 2
    x2, y2 = end[0], end[1] + _HEIGHT // 2
    half = (x2 - x1) // 2
    return f"M{x1} {y1}C{x1 + half} {y1} {x2 - half} {y2} {x2} {y2}"
