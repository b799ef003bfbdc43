"""The import: functions and tool objects of Python modules to a spec with handlers, new or brought up to date."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.imported import imported, report_update
from toolgen.compiler.importers.keys import choose_keys, spelled
from toolgen.compiler.importers.python.offered import offer_of
from toolgen.compiler.importers.trial import Circumstances
from toolgen.compiler.importers.update import LATEST, new_spec, of_kind, updated_spec

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.python.offered import PythonTool
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.read import SpecFile

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
    circumstances = Circumstances(toolset, "service", present.get("dialect", LATEST), profile)
    offer = offer_of([(keys[tool.handler], tool) for tool in tools], circumstances, old, sink)
    if isinstance(spec, str):
        if not offer.tools:
            return None
        said = {**({"description": description} if description else {}), **_declared(offer.tools)}
        head = {"toolgen": 1, "toolset": toolset, **said, "import": {"python": sorted(sources)}}
        return imported(new_spec(head, offer.tools), _COMMENT, offer)
    here = {tool.handler for tool in tools}.union(broken)
    handlers = {key: tool["handler"] for key, tool in old.items() if "handler" in tool}
    gone = {key for key, handler in handlers.items() if _is_below(handler, sources) and handler not in here}
    others = old.keys() - gone - {tool.name for tool in offer.tools}
    known: list[str] = present.get("import", {}).get("python", [])
    present["import"] = {"python": sorted({*known, *sources})}
    is_whole = bool(description) and known == sorted(sources)
    said = {**({"description": description} if is_whole else {}), **_declared(offer.tools)}
    update = updated_spec(present, offer.tools, head=said, others=others)
    report_update(spec, update, "the code", sink)
    _report_kind(spec, update, sink)
    return imported(update, _COMMENT, offer)


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
