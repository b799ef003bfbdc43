"""Signing in: the SDK's OAuth flow, with a person in front of a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mcp.client.auth import OAuthClientProvider

from toolgen.execute.mcp.host import McpHost
from toolgen.execute.mcp.oauth.redirect import Redirect
from toolgen.execute.mcp.oauth.store import LoginStore
from toolgen.execute.mcp.oauth.tokens import Tokens, client_metadata
from toolgen.execute.mcp.offer import offer_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.execute.mcp.server import McpServer

_WAIT: Final = 300.0
"""Seconds until a person has signed in."""


async def sign_in(server: McpServer, show: Callable[[str], None], store: LoginStore | None = None) -> bool:
    """Sign in to a server with a URL; return whether it wanted that. `show` is given the page to open in a browser.

    Raises `ExecutorError` for a server that cannot be reached, or that refuses.
    """
    async with Redirect() as redirect:

        async def open_page(url: str) -> None:
            redirect.expect(url)
            show(url)

        host = McpHost(timeout=_WAIT)
        resolved = server.resolved(host.environment)
        url = resolved.http or resolved.sse
        tokens = Tokens(url, store or LoginStore(), {})
        auth = OAuthClientProvider(url, client_metadata(redirect.url), tokens, open_page, redirect.wait)
        tokens.auth = auth
        await offer_of(server, replace(host, auth=auth))
        await tokens.save()
        return tokens.login.get("tokens") is not None
