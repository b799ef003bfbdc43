"""Signing in: the SDK's OAuth flow, with tokens that outlive the process."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl

from toolgen.execute.mcp.host import McpHost
from toolgen.execute.mcp.oauth.redirect import Redirect
from toolgen.execute.mcp.oauth.store import LoginStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.execute.mcp.server import McpServer

_CLIENT: Final = "toolgen"
_WAIT: Final = 300.0
"""Seconds until a person has signed in."""


async def sign_in(server: McpServer, show: Callable[[str], None], store: LoginStore | None = None) -> bool:
    """Sign in to a server with a URL; return whether it wanted that. `show` is given the page to open in a browser.

    Raises `ExecutorError` for a server that cannot be reached, or that refuses.
    """
    from toolgen.execute.mcp.offer import offer_of

    async with Redirect() as redirect:

        async def open_page(url: str) -> None:
            show(url)

        url = server.http or server.sse
        tokens = _Tokens(url, store or LoginStore(), {})
        auth = OAuthClientProvider(url, _metadata(redirect.url), tokens, open_page, redirect.wait)
        tokens.auth = auth
        await offer_of(server, McpHost(auth=auth, timeout=_WAIT))
        await tokens.save()
        return tokens.login.get("tokens") is not None


async def stored_auth(url: str, store: LoginStore | None = None) -> OAuthClientProvider | None:
    """Return what signs requests to a server that was signed in to, and refreshes its tokens; None for another."""
    kept = store or LoginStore()
    login = await asyncio.to_thread(kept.get, url)
    if login is None:
        return None
    tokens = _Tokens(url, kept, login)

    async def refuse(page: str) -> None:
        raise OAuthFlowError(f"the login has expired: run `toolgen login --url {url}`")

    async def never() -> AuthorizationCodeResult:
        raise AssertionError

    auth = OAuthClientProvider(url, _metadata("http://127.0.0.1/callback"), tokens, refuse, never)
    auth.context.token_expiry_time = login.get("expires_at")
    if "server" in login:  # where to refresh
        auth.context.oauth_metadata = OAuthMetadata.model_validate(login["server"])
    if "resource" in login:
        auth.context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(login["resource"])
    tokens.auth = auth
    return auth


class _Tokens:
    """The SDK's `TokenStorage` over a login store."""

    auth: OAuthClientProvider

    def __init__(self, url: str, store: LoginStore, login: dict[str, Any]) -> None:
        self._url, self._store, self.login = url, store, login

    async def get_tokens(self) -> OAuthToken | None:
        found = self.login.get("tokens")
        return None if found is None else OAuthToken.model_validate(found)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.login["tokens"] = tokens.model_dump(mode="json", exclude_none=True)
        self.login["expires_at"] = None if tokens.expires_in is None else time.time() + tokens.expires_in
        await self.save()

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        found = self.login.get("client")
        return None if found is None else OAuthClientInformationFull.model_validate(found)

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
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


def _metadata(redirect: str) -> OAuthClientMetadata:
    return OAuthClientMetadata(client_name=_CLIENT, redirect_uris=[AnyUrl(redirect)])
