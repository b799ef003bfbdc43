"""Servers and security schemes of a description: the base URL, and the `auth`, of a spec; secrets are variables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from toolgen.compiler.importers.openapi.files import Fault
from toolgen.compiler.resolve.names import constant
from toolgen.compiler.resolve.toolsets.http import is_base_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.importers.openapi.files import Part


@dataclass(frozen=True, slots=True)
class Auth:
    """What `auth` of a spec can express, by name, and the places of schemes that it cannot."""

    schemes: Mapping[str, dict[str, Any]]
    others: dict[str, Fault]
    places: Mapping[Any, str]
    """The names of schemes, by their location: OpenAPI 3.2 refers to them by URI too."""

    def security(self, owner: Part) -> list[list[str]] | None:
        """Return the alternatives that a description or an operation lists; None where it lists none.

        One with a scheme that is not expressible is left out; one without any scheme comes last. Raises `Fault`.
        """
        if owner.raw("security") is None:
            return None
        found = [[self._name(name, each) for name, each in entry.raw_entries()] for entry in owner.items("security")]
        usable = [names for names in found if all(name in self.schemes for name in names)]
        return sorted(usable, key=lambda names: not names)

    def _name(self, text: str, part: Part) -> str:
        """The name of the scheme that a requirement names, or refers to."""
        if text not in self.schemes and text not in self.others:
            try:
                location = part.files.target(part, text).followed().location if "#" in text or "/" in text else None
            except Fault:
                location = None
            if location in self.places:
                return self.places[location]
            self.others[text] = Fault("is not declared", part)
        return text


def auth_of(root: Part, toolset: str, url: str, *, is_swagger: bool) -> Auth:
    """Read the security schemes. `url` is what relative URLs are relative to. Raises `Fault`."""
    owner = root if is_swagger else root.mapping("components")
    listed = owner.mapping("securityDefinitions" if is_swagger else "securitySchemes") if owner is not None else None
    schemes: dict[str, dict[str, Any]] = {}
    others: dict[str, Fault] = {}
    places: dict[Any, str] = {}
    for name, part in listed.raw_entries() if listed is not None else []:
        try:
            scheme = part.followed()
            places[scheme.location] = places[part.location] = name
            if not isinstance(scheme.value, dict):
                raise Fault("it is no object", part)
            made = _scheme(scheme, f"$env.{constant(toolset)}_{constant(name)}", url)
        except Fault as fault:
            others[name] = Fault(f"cannot be read ({fault.message})", fault.part)
            continue
        if made is None:
            others[name] = Fault("is of a type that no spec expresses", part)
        else:
            schemes[name] = made
    return Auth(schemes, others, places)


def _scheme(part: Part, variable: str, url: str) -> dict[str, Any] | None:
    """One scheme; None for what `auth` has no type for, such as HTTP digest and mutual TLS."""
    kind, scheme = part.text("type"), part.text("scheme").lower()
    if kind == "apiKey" and part.text("in") in ("header", "query", "cookie") and part.text("name"):
        return {"type": "api_key", "in": part.text("in"), "name": part.text("name"), "value": f"{variable}_KEY"}
    if kind == "basic" or (kind == "http" and scheme == "basic"):
        return {"type": "basic", "username": f"{variable}_USERNAME", "password": f"{variable}_PASSWORD"}
    if kind == "http" and scheme == "bearer":
        return {"type": "bearer", "token": f"{variable}_TOKEN"}
    if kind == "oauth2":
        return _oauth(part, variable, url)
    return {"type": "bearer", "token": f"{variable}_TOKEN"} if kind == "openIdConnect" else None


def _oauth(part: Part, variable: str, url: str) -> dict[str, Any]:
    """Client credentials where they are the only flow or the first; another flow ends in a token that the host has."""
    flow = part.at("flows", "clientCredentials") if part.child("flows") is not None else part
    is_client = flow is not None and (flow is not part or part.text("flow") == "application")
    token_url = urljoin(url, flow.text("tokenUrl")) if flow is not None and is_client else ""
    if not is_base_url(token_url):
        return {"type": "bearer", "token": f"{variable}_TOKEN"}
    return {"type": "oauth2", "token_url": token_url, "client_id": f"{variable}_CLIENT_ID",
            "client_secret": f"{variable}_CLIENT_SECRET"}  # fmt: skip


def server_url(owner: Part, url: str) -> str | None:
    """Return the URL of the first server that a part lists, variables at their defaults; None where it lists none.

    `url` is that of the description, which relative servers are relative to. Empty for a server without a host.
    """
    servers = owner.items("servers")
    if not servers:
        return None
    server = servers[0]
    if not isinstance(server.value, dict):
        raise Fault("a server is an object", server)

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
