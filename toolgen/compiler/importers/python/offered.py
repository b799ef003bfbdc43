"""Functions and tool objects as offered tools: each is tried by the resolver, and left out if it could not be built."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolgen.compiler.importers.offer import Offer, OfferedTool
from toolgen.compiler.importers.python.docstrings import Docstring
from toolgen.compiler.importers.trial import try_tool
from toolgen.compiler.importers.written_schema import mapping, nodes_of, scalar, written_args, written_result
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.source.nodes import ScalarNode, Source
from toolgen.spec.wire_names import title_of_name, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.changes.sources.described import Described
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.importers.trial import Circumstances, Trial
    from toolgen.compiler.source.nodes import Node


@dataclass(frozen=True, slots=True)
class PythonTool:
    """A tool in Python: the reference to what runs it, what it says of itself, and where it is written."""

    handler: str
    described: Described
    place: Span


def offer_of(
    tools: Iterable[tuple[str, PythonTool]],
    circumstances: Circumstances,
    present: Mapping[str, Mapping[str, Any]],
    sink: Diagnostics,
) -> Offer:
    """Return the tools that can be built, under the keys given. `left_out` has the handlers of the others."""
    offered: list[OfferedTool] = []
    left_out: list[str] = []
    warnings: Counter[str] = Counter()
    for key, tool in tools:
        spec, tried = _tried(key, tool, present.get(key, {}), circumstances, sink)
        if tried.errors:
            sink.report("TG841", tool.place, f"`{tool.handler}` is left out: {tried.errors[0].message}")
            left_out.append(tool.handler)
            continue
        warnings.update(found.code for found in tried.warnings)
        if tried.rename:
            spec["rename"] = dict(tried.rename)
        _report(tool, present.get(key, {}), sink)
        offered.append(OfferedTool(key, spec, _hints(tool.described)))
    return Offer(tuple(offered), tuple(left_out), warnings)


def _tried(
    key: str, tool: PythonTool, present: Mapping[str, Any], circumstances: Circumstances, sink: Diagnostics
) -> tuple[dict[str, Any], Trial]:
    """Resolve a tool, without its result if only that is at fault."""
    place = ScalarNode(Source(tool.place.file, ""), 0, 0, None)
    nodes = _nodes(tool, place, circumstances.dialect)
    rename = present.get("rename", {})
    tried = try_tool(mapping(place, nodes), rename, circumstances)
    if tried.errors and "result" in nodes:
        without = {name: node for name, node in nodes.items() if name != "result"}
        bare = try_tool(mapping(place, without), rename, circumstances)
        if not bare.errors:
            message = f"the result of `{tool.handler}` is any JSON: {tried.errors[0].message}"
            sink.report("TG843", tool.place, message)
            nodes, tried = without, bare
    spec = {name: node.to_data() for name, node in nodes.items()}
    if "result" not in spec and "result" in present:  # people wrote it
        spec["result"] = present["result"]
    return spec, tried


def _nodes(tool: PythonTool, place: Node, dialect: str) -> dict[str, Node]:
    said = tool.described
    docstring = Docstring.of(said.docstring)
    description = said.description.strip() or docstring.description or f"{title_of_name(said.name)}."
    nodes: dict[str, Node] = {"handler": scalar(place, tool.handler), "description": scalar(place, description)}
    if said.title.strip():
        nodes["title"] = scalar(place, said.title.strip())
    nodes["args"] = written_args(nodes_of(docstring.with_args(said.args), place), place)
    if said.result is not None:
        nodes["result"] = written_result(nodes_of(docstring.with_result(said.result), place), dialect)
    return nodes


def _report(tool: PythonTool, present: Mapping[str, Any], sink: Diagnostics) -> None:
    """Report what a tool does not say of itself."""
    said = tool.described
    written = present.get("description", default := f"{title_of_name(said.name)}.") != default
    if not written and not said.description.strip() and not Docstring.of(said.docstring).description:
        fix = "write a docstring, or a `description` in the spec"
        sink.report("TG844", tool.place, f"`{tool.handler}` has no docstring: models choose tools by it", fix=fix)
    for name in said.untyped:
        message = f"the parameter `{name}` of `{tool.handler}` has no annotation, so it is any JSON"
        sink.report("TG842", tool.place, message)
    if said.result_problem:
        sink.report("TG843", tool.place, f"the result of `{tool.handler}` is any JSON: {said.result_problem}")


def _hints(said: Described) -> dict[str, Any]:
    """Return what a tool only suggests: permission and tags. Nothing says that a function changes nothing."""
    readonly = said.annotations.get("readOnlyHint") is True
    tags = [word for tag in sorted(said.tags) if (word := "-".join(words(tag)).lower()) and word not in BUILTIN]
    if said.annotations.get("destructiveHint") is True and not readonly:
        tags.append("dangerous")
    return {**({"permission": "readonly"} if readonly else {}), **({"tags": tags} if tags else {})}
