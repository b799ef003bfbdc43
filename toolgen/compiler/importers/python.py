"""Python: converts what functions and tool objects say of themselves to specs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from docstring_parser import ParseError, parse

from toolgen.compiler.importers.imported import imported
from toolgen.compiler.importers.offer import (
    Offer,
    OfferedTool,
    TrialContext,
    mapping,
    nodes_of,
    scalar,
    try_tool,
    written_args,
    written_result,
)
from toolgen.compiler.importers.update import LATEST, choose_keys, of_kind, spelled
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.source.nodes import ScalarNode, Source
from toolgen.spec.wire_names import title_of_name, words

if TYPE_CHECKING:
    from toolgen.changes.model_texts import Pointer
    from toolgen.changes.tool_texts import Described
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.offer import Trial
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.nodes import Node
    from toolgen.compiler.source.read import SpecFile


# Functions and tool objects as offered tools: each is tried by the resolver, and left out if it could not be built.

# Docstrings in the styles of Google, NumPy and Sphinx: what a tool does, and what its args are.


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring: the text without its sections, the args that it describes, and what it says of the result."""

    description: str
    args: Mapping[str, str]
    result: str

    @classmethod
    def of(cls, text: str) -> Docstring:
        """Read a docstring. One that no style fits is a description as a whole."""
        try:
            found = parse(text)
        except ParseError:
            return cls(text.strip(), {}, "")
        args = {each.arg_name.lstrip("*"): _joined(each.description) for each in found.params}
        result = _joined(found.returns.description) if found.returns is not None else ""
        return cls((found.description or "").strip(), {name: said for name, said in args.items() if said}, result)

    def with_args(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return a schema of args with the descriptions that it lacks."""
        fields: Mapping[str, Any] = schema.get("properties", {})
        described = {name: _described(field, self.args.get(name, "")) for name, field in fields.items()}
        return {**schema, "properties": described} if fields else dict(schema)

    def with_result(self, schema: Any) -> Any:
        """Return a schema of a result with a description, if it lacks one."""
        return _described(schema, self.result)


def _described(schema: Any, text: str) -> Any:
    if not text or not isinstance(schema, dict) or "description" in schema:
        return schema
    return {**schema, "description": text}


def _joined(text: str | None) -> str:
    """Return the paragraphs of a text, each on one line."""
    return "\n\n".join(" ".join(each.split()) for each in (text or "").split("\n\n")).strip()


@dataclass(frozen=True, slots=True)
class PythonTool:
    """A tool in Python: the reference to what runs it, what it says of itself, and where it is written."""

    handler: str
    described: Described
    place: Span


def offer_of(
    tools: Iterable[tuple[str, PythonTool]],
    context: TrialContext,
    present: Mapping[str, Mapping[str, Any]],
    sink: Diagnostics,
) -> Offer:
    """Return the tools that can be built, under the keys given. `left_out` has the handlers of the others."""
    offered: list[OfferedTool] = []
    left_out: list[str] = []
    warnings: Counter[str] = Counter()
    for key, tool in tools:
        spec, tried = _tried(key, tool, present.get(key, {}), context, sink)
        if tried.errors:
            sink.report("TG841", tool.place, f"`{tool.handler}` is left out: {tried.errors[0].message}")
            left_out.append(tool.handler)
            continue
        warnings.update(found.code for found in tried.warnings)
        if tried.rename:
            spec["rename"] = dict(tried.rename)
        _report(tool, present.get(key, {}), sink)
        offered.append(OfferedTool(key, spec, _hints(tool.described), spec, partial(_place_of, tool)))
    return Offer(tuple(offered), tuple(left_out), warnings)


def _place_of(tool: PythonTool, _pointer: Pointer) -> Span:
    return tool.place


def _tried(
    key: str, tool: PythonTool, present: Mapping[str, Any], context: TrialContext, sink: Diagnostics
) -> tuple[dict[str, Any], Trial]:
    """Resolve a tool, without its result if only that is at fault."""
    place = ScalarNode(Source(tool.place.file, ""), 0, 0, None)
    nodes = _nodes(tool, place, context.dialect)
    rename = present.get("rename", {})
    tried = try_tool(mapping(place, nodes), rename, context)
    if tried.errors and "result" in nodes:
        without = {name: node for name, node in nodes.items() if name != "result"}
        bare = try_tool(mapping(place, without), rename, context)
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


# The import: functions and tool objects of Python modules to a spec with handlers, new or brought up to date.

_SOURCE: Final = "the code"
_COMMENT: Final = "Written by `toolgen import python`. Review permissions: a function does not say what it changes."


def import_python(
    tools: Sequence[PythonTool],
    sources: Collection[str],
    spec: str | SpecFile,
    toolset: str,
    description: str,
    sink: Diagnostics,
    *,
    profile: str,
    broken: Collection[str] = (),
) -> Imported | None:
    """Make a spec of tools in Python, or bring one up to date: `spec` is the path of a new one, or the one.

    `sources` are the references that were read: a tool of the spec whose handler is below one of them, and that is not
    among `tools`, is gone, unless it is `broken`. Tools of other sources, and those without a handler, stay. None where
    no tool is left to write; why is in the sink.
    """
    present = {} if isinstance(spec, str) else _as_service(spec, sink)
    old: dict[str, dict[str, Any]] = present.get("tools", {})
    keys = _keys(tools, old)
    context = TrialContext(toolset, "service", present.get("dialect", LATEST), profile)
    offer = offer_of([(keys[tool.handler], tool) for tool in tools], context, old, sink)
    if isinstance(spec, str):
        if not offer.tools:
            return None
        said = {**({"description": description} if description else {}), **_declared(offer.tools)}
        head = {"toolgen": 1, "toolset": toolset, **said, "import": {"python": sorted(sources)}}
        return imported(spec, head, offer, sink, source=_SOURCE, comment=_COMMENT)
    here = {tool.handler for tool in tools}.union(broken)
    handlers = {key: tool["handler"] for key, tool in old.items() if "handler" in tool}
    gone = {key for key, handler in handlers.items() if _is_below(handler, sources) and handler not in here}
    others = old.keys() - gone - {tool.name for tool in offer.tools}
    known: list[str] = present.get("import", {}).get("python", [])
    present["import"] = {"python": sorted({*known, *sources})}
    is_whole = bool(description) and known == sorted(sources)
    said = {**({"description": description} if is_whole else {}), **_declared(offer.tools)}
    made = imported(spec, present, offer, sink, source=_SOURCE, comment=_COMMENT, said=said, others=others)
    if made is not None:
        _report_kind(spec, made.update, sink)
    return made


def _as_service(spec: SpecFile, sink: Diagnostics) -> dict[str, Any]:
    """Return the data of a spec as one of kind `service`. Its tools stay, without what only another kind has."""
    data: dict[str, Any] = spec.root.to_data()
    kind = data.get("kind", "service")
    if kind == "service":
        return data
    sink.report(
        "TG845",
        spec.root.span_at(("kind",)),
        f"the toolset is of kind {kind}, and becomes one of kind service: its tools keep all but what runs them",
    )
    return of_kind(data, "service")


def _keys(tools: Sequence[PythonTool], old: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the key of each tool, by its handler: the one that the spec has, or else its name, if only one has it."""
    keys = {tool["handler"]: key for key, tool in old.items() if "handler" in tool}
    new = {tool.handler: tool.described.name for tool in tools if tool.handler not in keys}
    counts = Counter(map(spelled, new.values()))
    names: dict[str, str] = {}
    for handler, name in new.items():
        key = spelled(name)
        if counts[key] == 1 and key in old and "handler" not in old[key] and "bind" not in old[key]:
            keys[handler] = key
        else:
            names[handler] = name if counts[key] == 1 and key not in old else handler.replace(":", ".")
    chosen = choose_keys(names.values(), old)
    return {**keys, **{handler: chosen[name] for handler, name in names.items()}}


def _is_below(handler: str, sources: Collection[str]) -> bool:
    return any(handler.startswith(f"{source}{'.' if ':' in source else ':'}") for source in sources)


def _declared(tools: Sequence[Any]) -> dict[str, dict[str, str]]:
    """Return the tags of tools that the spec has to declare, with a text for people to replace."""
    tags = sorted({tag for tool in tools for tag in tool.hints.get("tags", ()) if tag != "dangerous"})
    return {"tags": {tag: f"The tools call it `{tag}`." for tag in tags}} if tags else {}


def _report_kind(spec: SpecFile, update: Update, sink: Diagnostics) -> None:
    if spec.root.to_data().get("kind", "service") == "service":
        return
    for key, tool in update.data["tools"].items():
        if "handler" not in tool:
            place = spec.root.span_at(("tools", key), key=True)
            sink.report("TG846", place, f"no function was imported for `{key}`, so nothing runs it")
