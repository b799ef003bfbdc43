"""An MCP server that wants OAuth, with its own authorization server: `python oauth_server.py FOLDER PORT`.

Whoever opens the page of a login is signed in, or refused where FOLDER has a file `refuse`, as is a refresh. Access
tokens are valid for as many seconds as the file `seconds` says. Each token that was given is a line of the file
`tokens`, and the token of each call one of the file `calls`.
"""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl

FOLDER, PORT = Path(sys.argv[1]), int(sys.argv[2])
URL = f"http://127.0.0.1:{PORT}"


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Everything in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.refreshing: dict[str, RefreshToken] = {}
        self.tokens: dict[str, AccessToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if (FOLDER / "refuse").exists():
            raise AuthorizeError("access_denied", "not you")
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=str(client.client_id),
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client: Any, authorization_code: str) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client: Any, authorization_code: AuthorizationCode) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._given("code", client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> RefreshToken | None:
        if (FOLDER / "refuse").exists():
            return None
        found = self.refreshing.get(refresh_token)
        if found is None:
            self._revoke(str(client.client_id))
        return found

    async def exchange_refresh_token(self, client: Any, refresh_token: RefreshToken, scopes: list[str]) -> OAuthToken:
        del self.refreshing[refresh_token.token]
        return self._given("refresh", client, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)

    def _revoke(self, client_id: str) -> None:
        """Revoke all tokens of a login, one of whose refresh tokens was used twice (RFC 9700, 4.14.2)."""
        for tokens in (self.refreshing, self.tokens):
            for token in [each for each, found in tokens.items() if found.client_id == client_id]:
                del tokens[token]
        with (FOLDER / "tokens").open("a") as given:
            given.write("revoked all\n")

    def _given(self, by: str, client: Any, scopes: list[str], resource: str | None) -> OAuthToken:
        seconds = int((FOLDER / "seconds").read_text()) if (FOLDER / "seconds").exists() else 3600
        token, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        expires = int(time.time()) + seconds
        found = {"client_id": client.client_id, "scopes": scopes, "resource": resource}
        self.tokens[token] = AccessToken(token=token, expires_at=expires, **found)
        self.refreshing[refresh] = RefreshToken(token=refresh, **found)
        with (FOLDER / "tokens").open("a") as tokens:
            tokens.write(f"{by} {token}\n")
        return OAuthToken(access_token=token, expires_in=seconds, scope=" ".join(scopes), refresh_token=refresh)


SERVER = MCPServer(
    "private",
    auth_server_provider=Provider(),
    auth=AuthSettings(
        issuer_url=AnyHttpUrl(URL),
        resource_server_url=AnyHttpUrl(f"{URL}/mcp"),
        client_registration_options=ClientRegistrationOptions(enabled=True),
        validate_token_resource=False,
    ),
)


@SERVER.tool()
def secret() -> str:
    """Return the secret."""
    token = get_access_token()
    with (FOLDER / "calls").open("a") as calls:
        calls.write(f"{token.token if token else ''}\n")
    return "42"


if __name__ == "__main__":
    uvicorn.run(SERVER.streamable_http_app(), host="127.0.0.1", port=PORT, log_level="warning")
