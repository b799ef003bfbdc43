"""Previews: what a person is shown of a stubbed call of an HTTP API. Without the extra `http` there are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog


def preview_of(catalog: Catalog, toolset: str) -> Callable[[str, Mapping[str, Any]], str] | None:
    """Return what shows the requests of a toolset as the real executor does; None without what would send them."""
    if find_spec("httpx2") is None:
        return None
    from toolgen.execute.http.requests import specified_preview

    return specified_preview(catalog, toolset)
