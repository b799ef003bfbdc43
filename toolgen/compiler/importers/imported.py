"""Imported: the outcome of an import, and what is reported of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.suspicions import OtherTools, Reviewed, suspicions_beside_tools, suspicions_of
from toolgen.changes.tool_texts import has_texts
from toolgen.compiler.importers.update import identity_of, new_spec, source_name, updated_spec
from toolgen.compiler.source.nodes import MappingNode, SequenceNode
from toolgen.schema.references import steps_of

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.importers.offer import Offer, OfferedTool
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.nodes import Node
    from toolgen.compiler.source.read import SpecFile


_FEW: Final = 10
"""Of another source, one tool in so many has to be left, or it is taken for another API or server."""

_NOT_COUNTED: Final = frozenset({"tools", "imported", "source", "kept"})
"""Keys of a file that are not among `Imported.changed_keys`: tools are counted, and the others are notes."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of an import: the update of the spec, and the comment at the start of a new one.

    `left_out` are the source's names of broken tools; `warnings` counts the warnings of a later build, by code.
    `others` are the names of what the source has beside tools, by kind. `changed_keys` are the keys of the file beside
    `tools` whose values changed in an update, such as `api`.
    """

    update: Update
    comment: str
    left_out: tuple[str, ...]
    warnings: Mapping[str, int]
    others: Mapping[str, tuple[str, ...]]
    changed_keys: tuple[str, ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """The whole data of the spec."""
        return self.update.data

    @property
    def is_incomplete(self) -> bool:
        """Whether something that was there is not in force any more: a tool, or what a person wrote."""
        return bool(self.update.gone or self.update.kept or self.update.returned)


def data_of(spec: str | SpecFile, toolset: str, kind: str, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a spec, or of a new one without tools, that keeps where they are from, under `import`."""
    if not isinstance(spec, str):
        return {**spec.root.to_data(), "import": dict(origin)}
    return {"toolgen": 1, "toolset": toolset, **({"kind": kind} if kind != "service" else {}), "import": dict(origin)}


def imported(
    spec: str | SpecFile,
    data: Mapping[str, Any],
    offer: Offer,
    sink: Diagnostics,
    *,
    source: str,
    comment: str,
    said: Mapping[str, Any] | None = None,
    others: Collection[str] = (),
    unselected: Collection[str] = (),
    is_other: bool = False,
    neighbours: OtherTools | None = None,
) -> Imported | None:
    """Write the tools of an offer into the data of a spec: a new one, if `spec` is a path, or an update of the one.

    `source` is what the tools come from, such as `the server`, and `said` what it says of the toolset. Of a new spec,
    that is in its data. `others` and `unselected` are those of `updated_spec`. `is_other` is whether the source is not
    the one that the spec names: None if it is, and hardly any tool of the spec is left, which is reported.

    What is suspicious in texts that the spec did not have is reported; `neighbours` are the tools of other toolsets.
    """
    changed_keys: tuple[str, ...] = ()
    review = _Review(spec, source, neighbours, sink)
    if isinstance(spec, str):
        review.read(data, offer)
        update = new_spec(data, offer.tools)
    else:
        update = updated_spec(data, offer.tools, head=said or {}, others=others, unselected=unselected)
        present: dict[str, Any] = spec.root.to_data()
        enabled = sum(not tool.get("disabled") for tool in present["tools"].values())
        if is_other and update.gone and (enabled - len(update.gone)) * _FEW <= enabled:
            _report_other_source(spec, len(update.gone), enabled, source, sink)
            return None
        review.read(said or {}, offer)
        _report_update(spec, update, offer.left_out, source, sink)
        keys = dict.fromkeys([*present, *update.data])
        changed_keys = tuple(
            key for key in keys if key not in _NOT_COUNTED and present.get(key) != update.data.get(key)
        )
    return Imported(update, comment, offer.left_out, offer.warnings, offer.others, changed_keys)


class _Review:
    """Reports what is suspicious in the texts of an offer, at their places at the source.

    Texts that the source had at the last import were reviewed then, whatever people made of them in the spec.
    """

    def __init__(self, spec: str | SpecFile, source: str, neighbours: OtherTools | None, sink: Diagnostics) -> None:
        present: dict[str, Any] = {} if isinstance(spec, str) else spec.root.to_data()
        self._reviewed = None if isinstance(spec, str) else Reviewed(present)
        self._imported = {
            name: tool.get("imported", "")
            for key, tool in present.get("tools", {}).items()
            for name in (source_name(key, tool), identity_of(key, tool))
        }
        self._neighbours = OtherTools() if neighbours is None else neighbours
        self._source, self._sink = source, sink

    def read(self, said: Mapping[str, Any], offer: Offer) -> None:
        """Search the tools, and what the source says of the toolset."""
        for tool in offer.tools:
            self._read_tool(tool)
        for found in suspicions_beside_tools(said, self._reviewed, self._neighbours):
            place = offer.said_at or offer.tools[0].place_of(())
            of = "" if found.pointer == ("description",) else f" in `{'.'.join(map(str, found.pointer))}`"
            message = f"what {self._source} says of the toolset{of}: {found.message}"
            self._sink.report(found.code, place, message, fix=found.fix)

    def _read_tool(self, tool: OfferedTool) -> None:
        texts = {"name": tool.name, **tool.said}
        before = self._imported.get(tool.name) or self._imported.get(identity_of(tool.name, tool.spec), "")
        if has_texts(before, tool.spec.get("title", ""), tool.spec["description"]):
            texts |= {"title": None, "description": None}
        for found in suspicions_of(texts, self._reviewed, self._neighbours):
            place = tool.place_of(found.pointer)
            self._sink.report(found.code, place, f"`{tool.name}`: {found.message}", fix=found.fix)


def report_other_server(spec: SpecFile, path: Sequence[str], kept: str, offered: str, sink: Diagnostics) -> None:
    """Report that the tools are those of another server than the spec has at a path, where calls still go."""
    key = ".".join(path)
    stays = kept or "left out"
    message = (
        f"the source names {offered} as the server, and `{key}` stays {stays}: calls go there, with its credentials"
    )
    fix = f"if calls are to go to {offered}, write it as `{key}`"
    sink.report("TG848", spec.root.span_at(tuple(path)), message, fix=fix)


def _report_other_source(spec: SpecFile, gone: int, enabled: int, source: str, sink: Diagnostics) -> None:
    data = spec.root.to_data()
    key = "server" if "server" in data else "import"
    message = (
        f"{source} does not offer {gone:,} of {enabled:,} tools of `{data['toolset']}`, and is not the "
        "source that the spec names: nothing is written"
    )
    fix = (
        f"import it into another toolset, with --toolset; if the tools are there now, write that under `{key}` in the "
        "spec, and import with --toolset alone"
    )
    sink.report("TG849", spec.root.span_at((key if key in data else "toolset",)), message, fix=fix)


def _report_update(spec: SpecFile, update: Update, left_out: Collection[str], source: str, sink: Diagnostics) -> None:
    """Report what a person has to look at. `left_out` are the source's names of tools that were skipped."""
    tools = update.data["tools"]
    present: Mapping[str, Any] = spec.root.to_data()["tools"]
    for key in update.gone:
        place = spec.root.span_at(("tools", key), key=True)
        name = present[key].get("handler") or present[key].get("remote", key)
        why = f"{source} does not offer `{name}`"
        fix = f"if it has another name now, take over into that tool what you wrote in `{key}`, then remove `{key}`"
        if name in left_out:
            why, fix = f"`{name}` of {source} is skipped", "correct it at the source, and import again"
        sink.report("TG807", place, f"{why}, so `{key}` is disabled", fix=fix)
    for pointer in update.conflicts:
        path = tuple(steps_of(pointer))
        what = _named(path)
        message = f"{source} has changed {what}, which you have edited: yours stays, the other is under `source`"
        fix = "replace yours by it, or leave both"
        sink.report("TG808", _place(path, spec.root), message, fix=fix)
    for pointer in update.kept:
        path = tuple(steps_of(pointer))
        what = _named(path)
        message = f"{source} no longer has the part that you edited: {what} is not in force, and is under `kept`"
        fix = "write it where it belongs now, and remove it under `kept`"
        sink.report("TG809", _place(path, spec.root), message, fix=fix)
    for pointer, now in update.returned:
        path = tuple(steps_of(pointer))
        what = "what you removed there" if path[-1] in ("enum", "const") else "which you removed"
        message = f"{source} has {_named(path)}, {what}, at another place now: {_named(tuple(steps_of(now)))}"
        fix = "remove it there too if nobody may send it, and remove the note under `kept`"
        sink.report("TG809", _place(path[:-1], spec.root), message, fix=fix)
    for key, former, request in update.moved:
        place_of_tool = spec.root.span_at(("tools", key), key=True)
        message = f"`{key}` makes another request than when you reviewed it: {request}, before {former}"
        fix = "look at its permission, its policies and its limits: they were written for the other request"
        sink.report("TG850", place_of_tool, message, fix=fix)
    for key, kept, offered in update.servers:
        report_other_server(spec, ("tools", key, "http", "base_url"), kept, offered, sink)
    for key, former, name in update.renamed:
        if key in tools:
            place = spec.root.span_at(("tools", key), key=True)
            sink.report("TG822", place, f"`{former}` is called `{name}` now: `{key}` keeps what you wrote")


def _named(path: tuple[str, ...]) -> str:
    return f"`{'.'.join(path[2:])}` of `{path[1]}`" if path[0] == "tools" else f"`{'.'.join(path)}`"


def _place(path: tuple[str, ...], root: Node) -> Span:
    """Return the span of a path, of which some steps are indexes of lists."""
    steps: list[str | int] = []
    node: Node | None = root
    for step in path:
        steps.append(int(step) if isinstance(node, SequenceNode) else step)
        node = node.at((steps[-1],)) if node is not None and _has(node, steps[-1]) else None
    return root.span_at(tuple(steps))


def _has(node: Node, step: str | int) -> bool:
    if isinstance(node, MappingNode):
        return step in node.keys()
    return isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.items)
