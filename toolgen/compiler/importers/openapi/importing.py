"""The import: a description of an HTTP API to a spec of kind `http`, new or brought up to date."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.importers.imported import imported, report_other_server
from toolgen.compiler.importers.merge import Base
from toolgen.compiler.importers.offer import (
    Offer,
    OfferedTool,
    TrialContext,
    mapping,
    nodes_of,
    try_tool,
    written_args,
    written_result,
)
from toolgen.compiler.importers.openapi.description import NO_SECURITY, Description, UnusableServer, tag_word
from toolgen.compiler.importers.openapi.files import Fault, Files
from toolgen.compiler.importers.openapi.operations import result_of, tool_of, wildcard_name
from toolgen.compiler.importers.openapi.responses import Responses
from toolgen.compiler.importers.openapi.schemas import Schemas
from toolgen.compiler.importers.update import (
    LATEST,
    identity_of,
    of_kind,
    origin_of,
    request_of,
    source_name,
)
from toolgen.compiler.resolve.toolsets.http import PLACEHOLDER
from toolgen.compiler.source.nodes import MappingNode
from toolgen.schema.comparison.compare import compare
from toolgen.spec.http import http_path, is_credential
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.changes.suspicions import OtherTools
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.importers.offer import Trial
    from toolgen.compiler.importers.openapi.files import Part, Read
    from toolgen.compiler.importers.openapi.operations import Operation
    from toolgen.compiler.source.nodes import Node, Source
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
    credential_in: Callable[[str], str],
    app: str = "",
    origin: Mapping[str, Any] | None = None,
    is_other: bool = False,
    neighbours: OtherTools | None = None,
) -> Imported | None:
    """Make a spec of a description, or bring one up to date: `spec` is the path of a new one, or the one.

    `url` is where the description was fetched, empty for a file; `read` reads other files that it refers to;
    `app` is the reference to the ASGI app that it is of. `origin` is what the spec keeps under `import`, and `is_other`
    whether its description is another one so far. `credential_in` returns where a URL has a credential: a server whose
    URL has one is not taken. None where no tool is left to write, or where the description is of
    another API; why is in the sink, as is what was left out.
    """
    root = Files(read, credential_in).open(text, sink)
    kept = {} if isinstance(spec, str) else (spec.root.to_data().get("api") or {}).get("auth") or {}
    description = Description.of(root, toolset, url, sink, kept) if root is not None else None
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
    offer = _offer_of(description, selected, context, renames, sink)
    if not offer.tools:
        return None
    _leave_out_unused_auth(head["api"], [tool.spec for tool in offer.tools], present)
    if not app and {"app", "base_url"}.isdisjoint(present.get("api") or {}):
        _report_server(description, sink)
    _report_auth(description, sink)
    comment = _COMMENT.format("python" if app else "openapi")
    origin = {"import": dict(origin)} if origin else {}
    if isinstance(spec, str):
        data = {**head, **origin}
        return imported(spec, data, offer, sink, source=_SOURCE, comment=comment, neighbours=neighbours)
    unselected = {request_of(each.method, each.path) for each in operations} - {
        request_of(each.method, each.path) for each in selected
    }
    said: dict[str, Any] = {key: head[key] for key in ("description", "tags", "api") if key in head}
    api: Mapping[str, Any] = present.get("api") or {}
    is_other_server = _is_other_server(description, present)
    if not {"app", "base_url"}.isdisjoint(api) and "api" in said:
        unsaid = {key for key in ("app", "base_url") if key not in api or is_other_server}
        said["api"] = {key: value for key, value in said["api"].items() if key not in unsaid}
    made = imported(
        spec,
        {**present, **origin},
        offer,
        sink,
        source=_SOURCE,
        comment=comment,
        said=said,
        unselected=unselected,
        is_other=is_other,
        neighbours=neighbours,
    )
    if made is not None and is_other_server:
        report_other_server(spec, ("api", "base_url"), api["base_url"], description.base_url, sink)
    return made


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
            api["security"] = (auth.security(description.root) or NO_SECURITY).alternatives
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


def _is_other_server(description: Description, present: Mapping[str, Any]) -> bool:
    """Return whether a description names a server that is not `base_url`, and that no earlier import has seen."""
    kept: str = (present.get("api") or {}).get("base_url", "")
    if not kept or not description.base_url or description.lists(kept):
        return False
    before = Base.parsed(present.get("imported", {}).get("#/api", ""))
    return not before.wrote(("base_url",), description.base_url)  # else a person knew of it, and wrote another one


def _report_server(description: Description, sink: Diagnostics) -> None:
    fault = description.server_fault
    if fault is not None:
        problem = "server cannot be used" if isinstance(fault, UnusableServer) else "servers cannot be read"
        fix = "write `base_url` under `api` in the spec, or pass `HttpHost(base_url=…)`"
        sink.report("TG834", fault.part.span, f"the {problem}: {fault.message}", fix=fix)


def _report_auth(description: Description, sink: Diagnostics) -> None:
    for name, fault in description.auth.others.items():
        message = f"the security scheme `{name}` {fault.message}: the host adds its credentials"
        sink.report("TG834", fault.part.span, message, fix="pass `HttpHost(headers=…)` or `HttpHost(auth=…)`")


# Operations as offered tools: each is tried by the resolver, and left out with its reason if it could not be built.

_READONLY: Final = frozenset({"GET", "HEAD"})

_MOST_PAIRS: Final = 10
_MOST_COMPARISONS: Final = 40
"""Pairs of alternatives of one schema, and of all, that are compared: a report is worth no more time."""

_LONGEST_VALUE: Final = 80


def _offer_of(
    description: Description,
    operations: Sequence[Operation],
    context: TrialContext,
    renames: Mapping[str, Mapping[str, str]],
    sink: Diagnostics,
) -> Offer:
    """Return the tools of a description. `renames` are the renamed fields that a spec has, by name and by request."""
    reader = _Reader(description, context, renames, sink)
    for operation in operations:
        reader.read(operation)
    reader.report_overlaps()
    reader.report_left_out()
    said_at = description.root.files.node(description.root).span_at(("info",), key=True)
    return Offer(tuple(reader.tools), tuple(reader.left_out), reader.warnings, said_at=said_at)


class _Reader:
    """Reads operations one by one."""

    def __init__(
        self,
        description: Description,
        context: TrialContext,
        renames: Mapping[str, Mapping[str, str]],
        sink: Diagnostics,
    ) -> None:
        self._description, self._context = description, context
        self._renames, self._sink = renames, sink
        self._schemas = Schemas(description.is_old)
        self._responses = Responses(self._schemas, is_swagger=description.is_swagger)
        self.tools: list[OfferedTool] = []
        self.left_out: list[str] = []
        self.warnings: Counter[str] = Counter()

    def read(self, operation: Operation) -> None:
        """Take one operation, or report why not."""
        is_swagger = self._description.is_swagger
        try:
            consumes = self._description.media_types("consumes", operation.part)
            given = partial(self._is_credential, self._credentials(operation))
            tool = tool_of(operation, self._schemas, consumes, given, is_swagger=is_swagger)
            errors = self._responses.hints(operation.part)
            self._add_source(tool, operation)
        except Fault as fault:
            self._leave_out(operation, fault.message, fault)
            return
        if errors:
            tool["http"]["errors"] = errors
        if wildcards := [name for name in PLACEHOLDER.findall(operation.path) if wildcard_name(name)]:
            message = f"`{operation.path}` takes several segments for `{wildcards[0]}`, and values with `/` are refused"
            fix = "write `separators: keep_slash` beside the param, if every path that it leads to is meant"
            self._sink.report("TG835", operation.part.span, message, fix=fix)
        result = self._result(operation)
        nodes = self._nodes(operation, tool, result)
        tried = self._tried(operation, nodes)
        if tried.errors and result is not True:
            without = {key: node for key, node in nodes.items() if key != "result"}
            bare = self._tried(operation, without)
            if not bare.errors:
                self._report_result(operation, tried.errors[0].message)
                tried, nodes = bare, without
        if tried.errors:
            self._leave_out(operation, tried.errors[0].message)
            return
        self.warnings.update(found.code for found in tried.warnings)
        self.tools.append(tried.offered(operation.name, nodes, self._hints(operation)))

    def report_overlaps(self) -> None:
        """Report the alternatives of args that overlap, each with a value that fits two of them."""
        left = _MOST_COMPARISONS
        for part, branches in list(self._schemas.relaxed.values()):
            pairs = list(islice(combinations(branches, 2), min(_MOST_PAIRS, left)))
            left -= len(pairs)
            value = next(_common(pairs, self._schemas), None)
            if value is not None:
                message = (
                    f"`{value}` fits two alternatives of a `oneOf`, so the args take what fits any of them (`anyOf`)"
                )
                self._sink.report("TG837", part.span, message)

    def report_left_out(self) -> None:
        """Report the conditions that no spec has, each where it is written."""
        for part, keywords in self._schemas.left_out.values():
            self._sink.report("TG838", part.span, f"a condition is left out, so more values fit: {keywords}")

    def _add_source(self, tool: dict[str, Any], operation: Operation) -> None:
        """Add what the description says of the server and the credentials of an operation, where it is its own."""
        try:
            base_url = self._description.own_base_url(operation)
        except UnusableServer as fault:
            message = f"the server of `{operation.name}` cannot be used: {fault.message}"
            fix = "write `base_url` under `http` of the tool, or its calls go to that of the API"
            self._sink.report("TG834", fault.part.span, message, fix=fix)
            base_url = ""
        if base_url:
            tool["http"]["base_url"] = base_url
            self._report_own_server(operation, base_url)
        auth = self._description.auth
        security = auth.security(operation.part)
        if security is not None and auth.schemes and security is not auth.security(self._description.root):
            tool["http"]["security"] = security.alternatives

    def _report_own_server(self, operation: Operation, base_url: str) -> None:
        """Report that calls of a new tool go to another host than that of the API."""
        of_api = self._description.base_url
        is_known = operation.name in self._renames or request_of(operation.method, operation.path) in self._renames
        if is_known or not of_api or origin_of(base_url) == origin_of(of_api):
            return
        message = f"calls of `{operation.name}` go to {base_url}, and not to {of_api}, with the credentials of the API"
        fix = "if they are not for that host, remove `base_url` under `http` of the tool"
        self._sink.report("TG848", operation.part.span, message, fix=fix)

    def _credentials(self, operation: Operation) -> frozenset[tuple[str, str]]:
        auth = self._description.auth
        security = auth.security(operation.part)
        if security is None:
            try:
                security = auth.security(self._description.root)
            except Fault:  # which is reported of the API
                security = None
        return (security or NO_SECURITY).credentials

    def _is_credential(self, names: frozenset[tuple[str, str]], place: str, name: str, part: Part) -> bool:
        if not is_credential(place, name, names):
            return False
        message = f"`{name}` in `{place}` is a credential, which the host sends: it is no arg"
        self._sink.report("TG839", part.span, message)
        return True

    def _result(self, operation: Operation) -> Any:
        produces = self._description.media_types("produces", operation.part)
        try:
            return result_of(operation, self._schemas, self._responses, produces)
        except Fault as fault:
            self._report_result(operation, fault.message, fault)
            return True

    def _tried(self, operation: Operation, nodes: Mapping[str, Node]) -> Trial:
        """Resolve a tool alone, without the credentials, which are the toolset's."""
        place, http = _node(operation), nodes["http"]
        assert isinstance(http, MappingNode)
        request = {key: node for key, node in http.entries() if key != "security"}
        tool = mapping(place, {**nodes, "http": mapping(place, request)})
        known = self._renames.get(request_of(operation.method, operation.path))
        rename = known or self._renames.get(operation.name, {})
        return try_tool(tool, rename, self._context)

    def _nodes(self, operation: Operation, tool: dict[str, Any], result: Any) -> dict[str, Node]:
        place = _node(operation)
        nodes = {key: nodes_of(value, place) for key, value in tool.items()}
        nodes["args"] = written_args(nodes["args"], place)
        if result is not True:
            nodes["result"] = written_result(nodes_of(result, place), self._context.dialect)
        return nodes

    def _hints(self, operation: Operation) -> dict[str, Any]:
        tags = list(dict.fromkeys(tag_word(tag) for tag in operation.tags))
        readonly = {"permission": "readonly"} if operation.method in _READONLY else {}
        rejects = {"retry_hints": True} if self._responses.tell_fields(operation.part) else {}
        return {**readonly, **rejects, **({"tags": tags} if tags else {})}

    def _leave_out(self, operation: Operation, reason: str, fault: Fault | None = None) -> None:
        self.left_out.append(operation.name)
        message = f"`{operation.method} {operation.path}` (`{operation.name}`) is left out: {reason}"
        self._report("TG831", message, operation, fault)

    def _report_result(self, operation: Operation, reason: str, fault: Fault | None = None) -> None:
        message = f"the result of `{operation.method} {operation.path}` (`{operation.name}`) is any JSON: {reason}"
        self._report("TG833", message, operation, fault)

    def _report(self, code: str, message: str, operation: Operation, fault: Fault | None) -> None:
        place = operation.part.span
        other = fault.part.span if fault is not None else place
        self._sink.report(code, place, message, related=[Related(other, "here")] if other != place else [])


def _node(operation: Operation) -> Node:
    return operation.part.files.node(operation.part)


def _common(pairs: list[tuple[Any, Any]], schemas: Schemas) -> Iterator[str]:
    """Values that fit both schemas of a pair, as short JSON text."""
    for one, other in pairs:
        try:
            both = schemas.with_definitions({"allOf": [one, other]}, "args")
        except Fault:
            continue
        definitions = {"$defs": both["$defs"]} if "$defs" in both else {}
        found = compare({"allOf": [one], **definitions}, {"not": other, **definitions}).lost.counterexample
        if found is not None:
            yield cut(json.dumps(found.value, ensure_ascii=False), _LONGEST_VALUE)
