"""The import: functions and tool objects of Python modules to a spec with handlers, new or brought up to date."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.imported import imported
from toolgen.compiler.importers.keys import choose_keys, spelled
from toolgen.compiler.importers.python.offered import offer_of
from toolgen.compiler.importers.spec_text import new_text, updated_text
from toolgen.compiler.importers.trial import Circumstances
from toolgen.compiler.importers.update import LATEST, digest_of_texts, new_spec, of_kind, updated_spec

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.python.offered import PythonTool
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.read import SpecFile

_COMMENT: Final = "Written by `toolgen import python`. Review permissions: a function does not say what it changes."
_HEAD: Final = ("toolgen", "toolset", "kind", "dialect", "description", "tags")


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
        head = {"toolgen": 1, "toolset": toolset, **({"description": description} if description else {})}
        tags = _declared([], offer.tools)
        update = new_spec({**head, **({"tags": tags} if tags else {})}, offer.tools)
        return imported(new_text(spec, update.data, _COMMENT), update, offer)
    for tool in offer.tools:
        if tool.name in old and "handler" not in old[tool.name]:
            # Written before there was a function: its texts are those of a person.
            old[tool.name]["imported"] = digest_of_texts(tool.spec)
    here = {tool.handler for tool in tools}.union(broken)
    handlers = {key: tool["handler"] for key, tool in old.items() if "handler" in tool}
    gone = {key for key, handler in handlers.items() if _is_below(handler, sources) and handler not in here}
    others = old.keys() - gone - {tool.name for tool in offer.tools}
    if tags := _declared(present.get("tags", {}), offer.tools):
        present["tags"] = {**present.get("tags", {}), **tags}
    head = {key: present[key] for key in _HEAD if key in present}
    update = updated_spec({**head, **present}, offer.tools, others)
    _report_changes(spec, update, sink)
    return imported(updated_text(spec, update), update, offer)


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


def _declared(present: Collection[str], tools: Sequence[Any]) -> dict[str, str]:
    """Return the tags of tools that the spec has to declare, with a text for people to replace."""
    tags = sorted({tag for tool in tools for tag in tool.hints.get("tags", ()) if tag != "dangerous"})
    return {tag: f"The tools call it `{tag}`." for tag in tags if tag not in present}


def _report_changes(spec: SpecFile, update: Update, sink: Diagnostics) -> None:
    data = spec.root.to_data()
    for key in update.gone:
        place = spec.root.span_at(("tools", key), key=True)
        sink.report("TG807", place, f"there is no `{data['tools'][key]['handler']}` any more, so `{key}` is removed")
    for key, text in update.replaced:
        message = f"the docstring of `{key}` has changed, and its `{text}` replaces this one"
        place = spec.root.span_at(("tools", key, text))
        sink.report("TG808", place, message, fix="restore yours if it is still correct")
    if data.get("kind", "service") == "service":
        return
    for key, tool in update.data["tools"].items():
        if "handler" not in tool:
            place = spec.root.span_at(("tools", key), key=True)
            sink.report("TG846", place, f"no function was imported for `{key}`, so nothing runs it")
