"""What a call sends, for a person who is asked about it: the method and the URL, without credentials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolgen.execute.http.operation import Operation
from toolgen.execute.http.requests import without_body
from toolgen.execute.http.routes import Routes
from toolgen.runtime.base.errors import ToolNotFound

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog


def previewed(
    operations: Mapping[str, Operation], routes: Routes, base_url_of: Callable[[Operation], str]
) -> Callable[[str, Mapping[str, Any]], str]:
    """Return a function that returns the method and the URL of the request of a call.

    It raises `ToolNotFound`, and `CallFailed` for args that no request can have.
    """

    def preview(ident: str, args: Mapping[str, Any]) -> str:
        operation = operations.get(ident)
        if operation is None:
            raise ToolNotFound(ident)
        return f"{operation.method} {without_body(operation, args, routes).url(base_url_of(operation))}"

    return preview


def specified_preview(catalog: Catalog, toolset: str) -> Callable[[str, Mapping[str, Any]], str] | None:
    """Return the same for a toolset as its spec has it; None where a tool has no URL there."""
    api: Mapping[str, Any] = catalog.section("toolsets")[toolset].get("api", {})
    found = {ident: Operation.of(catalog.definition(ident)) for ident in catalog.toolsets[toolset]}
    base_url: str = api.get("base_url", "")
    if not all(each.base_url or base_url for each in found.values()):
        return None
    return previewed(found, Routes(found.values(), base_url), lambda operation: operation.base_url or base_url)
