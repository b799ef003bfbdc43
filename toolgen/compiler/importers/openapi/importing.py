"""The import: a description of an HTTP API to a spec of kind `http`, new or brought up to date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.imported import imported
from toolgen.compiler.importers.openapi.description import Description
from toolgen.compiler.importers.openapi.files import Fault, Files
from toolgen.compiler.importers.openapi.offered import offer_of
from toolgen.compiler.importers.trial import TrialContext
from toolgen.compiler.importers.update import (
    LATEST,
    identity_of,
    of_kind,
    request_of,
    source_name,
)
from toolgen.spec.http import http_path

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.openapi.files import Read
    from toolgen.compiler.importers.openapi.operations import Operation
    from toolgen.compiler.source.nodes import Source
    from toolgen.compiler.source.read import SpecFile


# Selection: which operations are imported, by tag, path and operation id.

KINDS: Final = ("tag", "path", "operation")


@dataclass(frozen=True, slots=True)
class Selection:
    """Patterns such as `tag:orders`, `path:/v1/*` and `operation:get*`, with `*` and `?` as in file names.

    An operation is imported if no pattern of `exclude` matches it, and one of `include` does where there are any.
    """

    include: tuple[tuple[str, str], ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, include: Sequence[str], exclude: Sequence[str]) -> Selection:
        """Read the patterns. Raises ValueError for one that is none."""
        return cls(tuple(map(_pattern, include)), tuple(map(_pattern, exclude)))

    def has(self, operation: Operation) -> bool:
        """Return whether an operation is imported."""
        if any(_matches(each, operation) for each in self.exclude):
            return False
        return not self.include or any(_matches(each, operation) for each in self.include)


def _pattern(text: str) -> tuple[str, str]:
    kind, colon, pattern = text.partition(":")
    if kind not in KINDS or not colon or not pattern:
        raise ValueError(f"`{text}` is not a pattern of operations: write `tag:…`, `path:…` or `operation:…`")
    return kind, pattern


def _matches(pattern: tuple[str, str], operation: Operation) -> bool:
    kind, text = pattern
    paths = (operation.path, http_path(operation.path).path)
    named = {"tag": operation.tags, "path": paths, "operation": (operation.name,)}
    return any(fnmatchcase(name, text) for name in named[kind])


OPERATIONS: Final = 5_000
"""Operations of one import, which takes some milliseconds for each."""

_SOURCE: Final = "the API"
_COMMENT: Final = "Written by `toolgen import {}`. Review permissions: they follow from the methods alone."


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
    origin: Mapping[str, Any] | None = None,
) -> Imported | None:
    """Make a spec of a description, or bring one up to date: `spec` is the path of a new one, or the one.

    `url` is where the description was fetched, empty for a file; `read` reads other files that it refers to;
    `app` is the reference to the ASGI app that it is of. `origin` is what the spec keeps under `import`. None where
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
    if len(selected) > OPERATIONS:
        chosen = f"{len(selected):,} of its {len(operations):,} operations are selected"
        fix = "import it in parts, each into its own toolset, with --include tag:T or path:P"
        sink.report("TG830", description.root.span, f"{chosen}, and an import takes at most {OPERATIONS:,}", fix=fix)
        return None
    head = _head(description, toolset, selected, app, sink)
    present = {} if isinstance(spec, str) else _as_http(spec, selected, sink)
    if present is None:
        return None
    context = TrialContext(toolset, "http", present.get("dialect", LATEST), profile)
    renames = {
        name: tool.get("rename", {})
        for key, tool in present.get("tools", {}).items()
        for name in (source_name(key, tool), identity_of(key, tool))
    }
    offer = offer_of(description, selected, context, renames, sink)
    if not offer.tools:
        return None
    _leave_out_unused_auth(head["api"], [tool.spec for tool in offer.tools], present)
    _report_auth(description, sink)
    comment = _COMMENT.format("python" if app else "openapi")
    origin = {"import": dict(origin)} if origin else {}
    if isinstance(spec, str):
        return imported(spec, {**head, **origin}, offer, sink, source=_SOURCE, comment=comment)
    unselected = {request_of(each.method, each.path) for each in operations} - {
        request_of(each.method, each.path) for each in selected
    }
    said: dict[str, Any] = {key: head[key] for key in ("description", "tags", "api") if key in head}
    if not {"app", "base_url"}.isdisjoint(present.get("api") or {}) and "api" in said:
        said["api"] = {key: value for key, value in said["api"].items() if key not in ("app", "base_url")}
    data = {**present, **origin}
    return imported(spec, data, offer, sink, source=_SOURCE, comment=comment, said=said, unselected=unselected)


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


def _leave_out_unused_auth(api: dict[str, Any], offered: list[Mapping[str, Any]], present: Mapping[str, Any]) -> None:
    """Keep only the credentials that a tool may need, also one that a person wrote: nobody has to set others."""
    written: Mapping[str, Any] = present.get("api") or {}
    of_tools = [tool.get("http") or {} for tool in (*offered, *present.get("tools", {}).values())]
    if all("security" in each for each in of_tools) and "security" in api:
        api["security"] = []  # nobody follows it
    security = [each.get("security") or [] for each in (api, written, *of_tools)]
    used = {name for alternatives in security for names in alternatives for name in names}
    auth = {name: scheme for name, scheme in api.pop("auth", {}).items() if name in used}
    if auth:
        api["auth"] = auth
        return
    for owner in (api, *(tool["http"] for tool in offered)):
        owner.pop("security", None)


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
