"""Operations as offered tools: each is tried by the resolver, and left out with its reason if it could not be built."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.importers.offer import Offer, OfferedTool, mapping, nodes_of, written_args, written_result
from toolgen.compiler.importers.openapi.description import tag_word
from toolgen.compiler.importers.openapi.files import Fault
from toolgen.compiler.importers.openapi.operations import result_of, tool_of, wildcard_name
from toolgen.compiler.importers.openapi.responses import tells_fields
from toolgen.compiler.importers.openapi.schemas import Schemas
from toolgen.compiler.importers.trial import try_tool
from toolgen.compiler.importers.update import request_of
from toolgen.compiler.resolve.toolsets.http import PLACEHOLDER
from toolgen.compiler.source.nodes import MappingNode
from toolgen.schema.comparison.compare import compare

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.importers.openapi.description import Description
    from toolgen.compiler.importers.openapi.operations import Operation
    from toolgen.compiler.importers.trial import Trial, TrialContext
    from toolgen.compiler.source.nodes import Node

_READONLY: Final = frozenset({"GET", "HEAD"})

_MOST_PAIRS: Final = 10
_MOST_COMPARISONS: Final = 40
"""Pairs of alternatives of one schema, and of all, that are compared: a report is worth no more time."""

_LONGEST_VALUE: Final = 80


def offer_of(
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
    return Offer(tuple(reader.tools), tuple(reader.left_out), reader.warnings)


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
        self.tools: list[OfferedTool] = []
        self.left_out: list[str] = []
        self.warnings: Counter[str] = Counter()

    def read(self, operation: Operation) -> None:
        """Take one operation, or report why not."""
        is_swagger = self._description.is_swagger
        try:
            consumes = self._description.media_types("consumes", operation.part)
            tool = tool_of(operation, self._schemas, consumes, is_swagger=is_swagger)
            self._add_source(tool, operation)
        except Fault as fault:
            self._leave_out(operation, fault.message, fault)
            return
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
        self.tools.append(tried.offered(operation.name, nodes, _hints(operation)))

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

    def _add_source(self, tool: dict[str, Any], operation: Operation) -> None:
        """Add what the description says of the server and the credentials of an operation, where it is its own."""
        base_url = self._description.own_base_url(operation)
        if base_url:
            tool["http"]["base_url"] = base_url
        auth = self._description.auth
        security = auth.security(operation.part)
        if security is not None and auth.schemes and security != auth.security(self._description.root):
            tool["http"]["security"] = security
        if "errors" in tool["http"]:  # last, as in the spec language
            tool["http"]["errors"] = tool["http"].pop("errors")

    def _result(self, operation: Operation) -> Any:
        produces = self._description.media_types("produces", operation.part)
        try:
            return result_of(operation, self._schemas, produces, is_swagger=self._description.is_swagger)
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


def _hints(operation: Operation) -> dict[str, Any]:
    tags = list(dict.fromkeys(tag_word(tag) for tag in operation.tags))
    readonly = {"permission": "readonly"} if operation.method in _READONLY else {}
    rejects = {"retry_hints": True} if tells_fields(operation.part) else {}
    return {**readonly, **rejects, **({"tags": tags} if tags else {})}


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
            text = json.dumps(found.value, ensure_ascii=False)
            yield text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
