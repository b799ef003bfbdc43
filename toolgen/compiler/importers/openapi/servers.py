"""Servers: the URL that paths are appended to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from toolgen.compiler.resolve.toolsets.http import is_base_url

if TYPE_CHECKING:
    from toolgen.compiler.importers.openapi.files import Part


def server_url(owner: Part, url: str) -> str | None:
    """Return the URL of the first server that a part lists, variables at their defaults; None where it lists none.

    `url` is that of the description, which relative servers are relative to. Empty for a server without a host.
    """
    listed = owner.child("servers")
    servers = listed.items() if listed is not None else []
    if not servers:
        return None
    server = servers[0].followed()

    def default(found: re.Match[str]) -> str:
        variable = server.at("variables", found[1])
        value = variable.value.get("default") if variable is not None and isinstance(variable.value, dict) else None
        return str(value) if isinstance(value, str | int) else found[0]

    return _usable(re.sub(r"\{([^{}]+)\}", default, server.text("url")), url)


def swagger_url(root: Part, url: str) -> str:
    """Return the URL of an API of Swagger 2.0, by `schemes`, `host` and `basePath`; empty without a host."""
    schemes = root.child("schemes")
    offered = schemes.value if schemes is not None and isinstance(schemes.value, list) else []
    scheme = "https" if "https" in offered or not offered else str(offered[0])
    host = root.text("host")
    return _usable(f"{scheme}://{host}{root.text('basePath')}" if host else root.text("basePath"), url)


def _usable(server: str, url: str) -> str:
    try:
        joined = urljoin(url, server).split("#")[0].split("?")[0]
    except ValueError:
        return ""
    return joined.rstrip("/") if is_base_url(joined) else ""
