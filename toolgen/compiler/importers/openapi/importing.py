"""The import: a description of an HTTP API to a spec of kind `http`, new or brought up to date."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.imported import imported
from toolgen.compiler.importers.openapi.description import Description
from toolgen.compiler.importers.openapi.files import Fault, Files
from toolgen.compiler.importers.openapi.offered import offer_of
from toolgen.compiler.importers.spec_text import new_text, updated_text
from toolgen.compiler.importers.trial import Circumstances
from toolgen.compiler.importers.update import LATEST, new_spec, of_kind, source_name, updated_spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.offer import Offer, OfferedTool
    from toolgen.compiler.importers.openapi.files import Read
    from toolgen.compiler.importers.openapi.operations import Operation
    from toolgen.compiler.importers.openapi.selection import Selection
    from toolgen.compiler.importers.update import Update
    from toolgen.compiler.source.nodes import Source
    from toolgen.compiler.source.read import SpecFile

_COMMENT: Final = "Written by `toolgen import {}`. Review permissions: they follow from the methods alone."
_HEAD: Final = ("toolgen", "toolset", "kind", "dialect", "description", "tags", "api")


def import_openapi(
    text: Source,
    url: str,
    read: Read,
    spec: str | SpecFile,
    toolset: str,
    selection: Selection,
    sink: Diagnostics,
    *,
    profile: str,
    app: str = "",
) -> Imported | None:
    """Make a spec of a description, or bring one up to date: `spec` is the path of a new one, or the one.

    `url` is where the description was fetched, empty for a file; `read` reads other files that it refers to;
    `app` is the reference to the ASGI app that it is of. None where
    no tool is left to write; why is in the sink, as is what was left out.
    """
    root = Files(read).open(text, sink)
    description = Description.of(root, toolset, url, sink) if root is not None else None
    if description is None:
        return None
    operations = description.operations(sink)
    selected = [operation for operation in operations if selection.has(operation)]
    if not selected:
        found = f"none of its {len(operations)} operations is selected" if operations else "it has no operation"
        sink.report("TG830", description.root.span, f"there is nothing to import: {found}")
        return None
    head = _head(description, toolset, selected, app, sink)
    present = {} if isinstance(spec, str) else _as_http(spec, selected, sink)
    if present is None:
        return None
    circumstances = Circumstances(toolset, "http", present.get("dialect", LATEST), profile)
    renames = {source_name(key, tool): tool.get("rename", {}) for key, tool in present.get("tools", {}).items()}
    offer = offer_of(description, selected, circumstances, renames, sink)
    if not offer.tools:
        return None
    _report_auth(description, sink)
    if isinstance(spec, str):
        update = new_spec(head, offer.tools)
        return imported(new_text(spec, update.data, _COMMENT.format("python" if app else "openapi")), update, offer)
    update = updated_spec(_with_head(present, head), [_with_separators(tool, present) for tool in offer.tools])
    _report_changes(spec, present, update, offer, sink)
    return imported(updated_text(spec, update), update, offer)


def _head(
    description: Description, toolset: str, operations: list[Operation], app: str, sink: Diagnostics
) -> dict[str, Any]:
    api: dict[str, Any] = {"base_url": description.base_url} if description.base_url and not app else {}
    if app:
        api["app"] = app
    auth = description.auth
    if auth.schemes:
        api["auth"] = dict(auth.schemes)
        try:
            api["security"] = auth.security(description.root) or []
        except Fault as fault:
            sink.report("TG834", fault.part.span, f"the security of the API cannot be read: {fault.message}")
    api["validate_responses"] = False
    text, tags = description.text(sink), description.tags(operations, sink)
    return {
        "toolgen": 1,
        "toolset": toolset,
        "kind": "http",
        **({"description": text} if text else {}),
        **({"tags": tags} if tags else {}),
        **({"api": api} if api else {}),
    }


def _with_head(present: dict[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    """A spec with the tags and the schemes that are new at the source. What it has already is people's."""
    changed = dict(present)
    tags = {**head.get("tags", {}), **present.get("tags", {})}
    if tags:
        changed["tags"] = tags
    api, new = dict(present.get("api") or {}), head.get("api", {})
    if "app" in new and api.keys().isdisjoint(("app", "base_url")):
        api["app"] = new["app"]
    auth = {**new.get("auth", {}), **api.get("auth", {})}
    if auth:
        api["auth"] = auth
    if api:
        changed["api"] = api
    return {key: changed[key] for key in _HEAD if key in changed} | changed


def _with_separators(tool: OfferedTool, present: Mapping[str, Any]) -> OfferedTool:
    """Return a tool with the `separators` that people wrote into the spec: no description has them."""
    tools: dict[str, dict[str, Any]] = present.get("tools", {})
    old = next((each for key, each in tools.items() if source_name(key, each) == tool.name), {})
    params: dict[str, Any] = old.get("http", {}).get("params", {})
    written = {
        each.get("name", arg): each["separators"]
        for arg, each in params.items()
        if isinstance(each, dict) and "separators" in each
    }
    http: dict[str, Any] = tool.spec["http"]
    placed: dict[str, Any] = {}
    for arg, each in http.get("params", {}).items():
        spec: dict[str, Any] = {"in": each} if isinstance(each, str) else each
        name = spec.get("name", arg)
        placed[arg] = {**spec, "separators": written[name]} if spec["in"] == "path" and name in written else each
    return replace(tool, spec={**tool.spec, "http": {**http, "params": placed}}) if written else tool


def _as_http(spec: SpecFile, operations: Iterable[Operation], sink: Diagnostics) -> dict[str, Any] | None:
    """Return the data of a spec as one of kind `http`; None where it has tools that are no operations."""
    data: dict[str, Any] = spec.root.to_data()
    kind = data.get("kind", "service")
    if kind == "http":
        return data
    place, names = spec.root.span_at(("kind",) if "kind" in data else ("toolset",)), {each.name for each in operations}
    others = [key for key, tool in data["tools"].items() if source_name(key, tool) not in names]
    if others:
        message = f"the toolset is of kind {kind}, and the API has no {', '.join(f'`{key}`' for key in others)}"
        sink.report("TG847", place, message, fix="import the API into another toolset, or remove them")
        return None
    message = f"the toolset is of kind {kind}, and becomes one of kind http: its tools keep all but what runs them"
    sink.report("TG845", place, message)
    return of_kind(data, "http")


def _report_auth(description: Description, sink: Diagnostics) -> None:
    for name, fault in description.auth.others.items():
        message = f"the security scheme `{name}` {fault.message}: the host adds its credentials"
        sink.report("TG834", fault.part.span, message, fix="pass `HttpHost(headers=…)` or `HttpHost(auth=…)`")


def _report_changes(
    spec: SpecFile, present: Mapping[str, Any], update: Update, offer: Offer, sink: Diagnostics
) -> None:
    for key in update.gone:
        name = source_name(key, present["tools"][key])
        if name not in offer.left_out:
            place = spec.root.span_at(("tools", key), key=True)
            sink.report("TG807", place, f"the API no longer has `{name}`, or it is not selected, so it is removed")
    for key, text in update.replaced:
        message = f"the API has changed `{key}`, and its `{text}` replaces this one"
        sink.report(
            "TG808", spec.root.span_at(("tools", key, text)), message, fix="restore yours if it is still correct"
        )
