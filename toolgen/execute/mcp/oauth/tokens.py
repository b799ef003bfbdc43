"""Tokens that outlive the process: kept after a login, refreshed by the SDK, and used by every connection."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl

from toolgen.execute.mcp.oauth.store import LoginStore

_CLIENT: Final = "toolgen"


async def stored_auth(url: str, store: LoginStore | None = None) -> OAuthClientProvider | None:
    """Return what signs requests to a server that was signed in to, and refreshes its tokens; None for another."""
    kept = store or LoginStore()
    login = await asyncio.to_thread(kept.get, url)
    if login is None:
        return None
    tokens = Tokens(url, kept, login)

    async def refuse(page: str) -> None:
        raise OAuthFlowError(f"the login has expired: run `toolgen login --url {url}`")

    async def never() -> AuthorizationCodeResult:
        raise AssertionError

    auth = OAuthClientProvider(url, client_metadata("http://127.0.0.1/callback"), tokens, refuse, never)
    auth.context.token_expiry_time = login.get("expires_at")
    if "server" in login:  # where to refresh
        auth.context.oauth_metadata = OAuthMetadata.model_validate(login["server"])
    if "resource" in login:
        auth.context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(login["resource"])
    tokens.auth = auth
    return auth


class Tokens:
    """The SDK's `TokenStorage` over a login store."""

    auth: OAuthClientProvider

    def __init__(self, url: str, store: LoginStore, login: dict[str, Any]) -> None:
        self._url, self._store, self.login = url, store, login

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens of the last login."""
        found = self.login.get("tokens")
        return None if found is None else OAuthToken.model_validate(found)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens, with the time at which they expire."""
        self.login["tokens"] = tokens.model_dump(mode="json", exclude_none=True)
        self.login["expires_at"] = None if tokens.expires_in is None else time.time() + tokens.expires_in
        await self.save()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the client as the server has registered it."""
        found = self.login.get("client")
        return None if found is None else OAuthClientInformationFull.model_validate(found)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep the client until it is stored with its tokens."""
        self.login["client"] = client_info.model_dump(mode="json", exclude_none=True)

    async def save(self) -> None:
        """Store the login, once there is one, with what the SDK found of the server."""
        if "tokens" not in self.login:
            return
        context = self.auth.context
        for key, found in (("server", context.oauth_metadata), ("resource", context.protected_resource_metadata)):
            if found is not None:
                self.login[key] = found.model_dump(mode="json", exclude_none=True)
        await asyncio.to_thread(self._store.put, self._url, self.login)


def client_metadata(redirect: str) -> OAuthClientMetadata:
    """Return what a server is told of the client; `redirect` is the page at which the browser arrives."""
    return OAuthClientMetadata(client_name=_CLIENT, redirect_uris=[AnyUrl(redirect)])
