"""Tools as they were compiled, compared with what their server offers now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from toolgen.changes.defaults import compare_defaults
from toolgen.changes.model_surface import changed_value, compare_parameters
from toolgen.changes.rules import Change
from toolgen.changes.tool_texts import has_texts, hints_of, texts_of
from toolgen.changes.wire import compare_schemas
from toolgen.schema.comparison.normal_form import TooLargeError, normal_form
from toolgen.schema.json_values import canonical

TOOL_REMOVED: Final = "WIRE101"
TOOL_ADDED: Final = "WIRE102"
MOST_COMPARED: Final = 250_000
"""Characters of a tool that is compared part by part. Of a larger one, only whether it is the same is told."""

_ORDERS: Final = frozenset({"MODEL204", "MODEL206"})
"""Rules about an order, which a model sees as it was compiled, not as a server lists it now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledTool:
    """A tool as it was compiled. `name` is the server's own.

    `imported` is what the spec keeps of the last import (`imported_of`). Texts are not compared without it, nor are
    `annotations` of None and a `result` of None. A `result` of True is that of a server that described none.
    """

    name: str
    args: Any
    result: Any = None
    title: str = ""
    description: str = ""
    imported: str = ""
    annotations: Mapping[str, Any] | None = None


def compare_tools(compiled: Sequence[CompiledTool], offered: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Return all changes, sorted by tool. `offered` are entries of `tools/list`, as JSON; of equal names, all count."""
    known = {tool.name: tool for tool in compiled}
    present: dict[str, list[Mapping[str, Any]]] = {}
    for tool in offered:
        present.setdefault(tool["name"], []).append(tool)
    changes: list[Change] = []
    for name in sorted(known.keys() | present.keys()):
        if name not in present:
            changes.append(removed_tool(known[name]))
        elif name not in known:
            changes += [
                Change(code=TOOL_ADDED, subject=name, message="the tool is new", after_path=("tools", name), after=each)
                for each in present[name]
            ]
        else:
            changes += [change for each in present[name] for change in compare_tool(known[name], each)]
    return changes


def removed_tool(tool: CompiledTool) -> Change:
    """Return the change of a tool that its server has no more."""
    shown = {"name": tool.name, "description": tool.description, "inputSchema": tool.args}
    return Change(
        code=TOOL_REMOVED,
        subject=tool.name,
        message="the tool is gone",
        before_path=("tools", tool.name),
        before=shown,
    )


def compare_tool(compiled: CompiledTool, offered: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the changes of one tool, by the rules of WIRE and MODEL, and of defaults, which the server sets.

    Schemas that accept the same values are compared in a normal form, in which names of definitions and order have no
    effect: an import that moves definitions shows no change. A changed tool of more than `MOST_COMPARED` characters has
    one change, which is breaking: what changed cannot be told in a bounded time.
    """
    name, path = compiled.name, ("tools", compiled.name)
    args = offered.get("inputSchema", {"type": "object"})
    result = offered.get("outputSchema", True) if compiled.result is not None else compiled.result
    sides = (("args", compiled.args, args), ("result", compiled.result, result))
    changed = [side for side in sides if not _have_same_form(*side[1:])]
    texts = [*_texts(compiled, offered)]
    defaults = [*compare_defaults(name, compiled.args, args, path=path)]
    if (changed or texts or defaults) and is_larger(offered, MOST_COMPARED):
        message = f"the tool changed, and has too much text to be compared: more than {MOST_COMPARED:,} characters"
        yield Change(code="WIRE205", subject=name, message=message, before_path=path, after_path=path)
        return
    yield from (*texts, *defaults)
    for side, before, after in changed:
        wire = list(compare_schemas(name, side, before, after, path=path))
        yield from wire or _of_same_values(name, side, before, after)
    if compiled.annotations is not None:
        pair = {"annotations": dict(compiled.annotations)}, {"annotations": hints_of(offered)}
        yield from changed_value("MODEL107", name, "the annotations changed", *pair, "annotations", path)


def is_larger(value: Any, most: int) -> bool:
    """Whether a JSON value has more than so many characters, about. It is read no further than that."""
    left, pending = most, [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            left -= len(each) + 2
        elif isinstance(each, list | dict):
            left -= len(each) + 2
            if left >= 0:
                pending += each if isinstance(each, list) else chain(each, each.values())
        else:
            left -= 4
        if left < 0:
            return True
    return False


def _texts(compiled: CompiledTool, offered: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the changes of title and description, if the server changed either since the import."""
    title, description = texts_of(offered)
    if not compiled.imported or has_texts(compiled.imported, title, description):
        return
    before, after = {"title": compiled.title, "description": compiled.description}, {"title": title}
    path = ("tools", compiled.name)
    yield from changed_value("MODEL101", compiled.name, "the title changed", before, after, "title", path)
    if compiled.description != description or compiled.title == title:
        yield Change(
            code="MODEL102",
            subject=compiled.name,
            message="the description changed",
            before_path=(*path, "description"),
            after_path=(*path, "description"),
            before=compiled.description,
            after=description,
        )


def _of_same_values(name: str, side: str, before: Any, after: Any) -> list[Change]:
    """Return what else differs between two schemas that accept the same values: texts, defaults, how it is written."""
    pair = (
        ({"args": before}, {"args": after})
        if side == "args"
        else ({"args": {}, side: each} for each in (before, after))
    )
    path = ("tools", name)
    found = [each for each in compare_parameters(name, *pair, path=path) if each.code not in _ORDERS]
    return found or [
        Change(
            code="MODEL207" if side == "args" else "MODEL208",
            subject=name,
            message=f"the schema of the {side} is written otherwise",
            before_path=(*path, side),
            after_path=(*path, side),
            before=before,
            after=after,
        )
    ]


def _have_same_form(before: Any, after: Any) -> bool:
    if canonical(before) == canonical(after):
        return True
    try:
        return canonical(normal_form(before, texts=True)) == canonical(normal_form(after, texts=True))
    except (TooLargeError, RecursionError):
        return False
