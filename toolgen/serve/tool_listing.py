"""Offered tools: the effective set of a run as MCP shows tools, in both revisions of the protocol, page by page."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.schema.args import without_injected
from toolgen.schema.compact import types_of
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.policy.effective import EffectiveSet


_HINTS: Final = {"destructiveHint": "dangerous", "openWorldHint": "network"}
"""Annotations of MCP, and the tag that says the same."""


class UnknownCursor(ValueError):
    """A cursor that no page of this list ended with."""


@dataclass(frozen=True)
class Offered:
    """One tool. `modern` and `legacy` are its entries of `tools/list` in 2026-07-28 and before."""

    ident: str
    modern: Mapping[str, Any]

    @cached_property
    def legacy(self) -> Mapping[str, Any]:
        """Before 2026-07-28 an output schema describes an object; any other is left out."""
        output = self.modern.get("outputSchema")
        if output is None or output.get("type") == "object":
            return self.modern
        return {key: value for key, value in self.modern.items() if key != "outputSchema"}

    @cached_property
    def has_headers(self) -> bool:
        """Whether args are repeated in headers (`x-mcp-header`), which must agree with them."""
        schema = self.modern["inputSchema"]
        return find_invalid_x_mcp_header(schema) is None and bool(x_mcp_header_map(schema))

    def entry(self, *, is_modern: bool) -> Mapping[str, Any]:
        """Return the entry of `tools/list` in a revision."""
        return self.modern if is_modern else self.legacy


class OfferedTools:
    """The tools that a run offers, by wire name, in the order of their idents.

    The set of a run never changes, so neither does this list.
    """

    def __init__(self, catalog: Catalog, effective: EffectiveSet) -> None:
        idents = sorted((*effective.offered, *effective.offered_discovery))
        self._catalog = catalog
        self._names = [catalog.wire_name(ident) for ident in idents]
        self._idents = dict(zip(self._names, idents, strict=True))
        self._known: dict[str, Offered] = {}

    def __len__(self) -> int:
        return len(self._names)

    def find(self, name: str) -> Offered | None:
        """Return a tool by its wire name; None if it is not offered."""
        ident = self._idents.get(name)
        if ident is None:
            return None
        if name not in self._known:
            self._known[name] = Offered(ident, _entry(name, self._catalog.definition(ident), self._output(ident)))
        return self._known[name]

    def find_ident(self, ident: str) -> Offered | None:
        """Return a tool by its ident; None if it is not offered."""
        return self.find(self._catalog.wire_name(ident)) if ident in self._catalog else None

    def page(self, cursor: str | None, size: int) -> tuple[Sequence[Offered], str | None]:
        """Return the tools after a cursor, and the cursor of the next page. Raises `UnknownCursor`."""
        start = 0 if cursor is None else self._place(cursor) + 1
        names = self._names[start : start + size]
        is_last = start + size >= len(self._names)
        found = [tool for tool in map(self.find, names) if tool is not None]
        return found, None if is_last else base64.urlsafe_b64encode(names[-1].encode()).decode()

    def _output(self, ident: str) -> Any:
        """The schema of the result; None where the result may be null, which the SDK sends as if it were absent."""
        schema = self._catalog.definition(ident).result_schema
        if not is_object(schema) or not schema:
            return None
        types = types_of(schema)
        if types:
            return None if "null" in types else schema
        try:
            self._catalog.codec(ident, "result").decode(b"null")
        except InvalidPayload:
            return schema
        return None

    def _place(self, cursor: str) -> int:
        try:
            return self._names.index(base64.urlsafe_b64decode(cursor.encode()).decode())
        except (ValueError, binascii.Error):  # not in the list, or no cursor at all
            raise UnknownCursor(cursor) from None


def _entry(name: str, definition: ToolDefinition, output: Any) -> dict[str, Any]:
    return {
        "name": name,
        **({"title": definition.title} if definition.title else {}),
        "description": definition.description,
        "inputSchema": _input_schema(definition),
        **({} if output is None else {"outputSchema": output}),
        "annotations": _annotations(definition),
        **({"icons": list(definition.settings.icons)} if definition.settings.icons else {}),
    }


def _input_schema(definition: ToolDefinition) -> dict[str, Any]:
    """The whole schema, so that an import gets all of it; without the fields that the host fills."""
    return {"type": "object", **without_injected(definition.input_schema, definition.settings.inject)}


def _annotations(definition: ToolDefinition) -> dict[str, Any]:
    """The hints of the server that a tool was imported from, corrected by what its spec says now."""
    hints: dict[str, Any] = dict(definition.settings.annotations or {})
    hints["readOnlyHint"] = definition.permission == "readonly"
    for hint, tag in _HINTS.items():
        if tag in definition.tags:
            hints[hint] = True
        elif hints.get(hint) is True:
            del hints[hint]
    return hints
