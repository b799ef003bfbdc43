"""Tokens that outlive the process, in a file; the keyring of the system needs the extra `login`."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Literal, cast
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, OAuthFlowError, OAuthTokenError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from pydantic import AnyUrl

from toolgen.execute.user_file import UserFile, user_folder
from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.base.received import lifetime_of
from toolgen.runtime.redact.exceptions import class_name, explanation, hiding
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.schema.json_values import is_object
from toolgen.spec.hosts import host_of, is_internal
from toolgen.spec.http import is_bearer_token
from toolgen.spec.locks import PAUSE, release, take

if TYPE_CHECKING:
    from pathlib import Path


# Logins: the tokens of each server, in the system's keyring where there is one, else in a file of the user's.

_SERVICE: Final = "toolgen-mcp"
_IN_KEYRING: Final = "keyring"
"""What the file has for a login that is in the keyring, followed by the id of the login."""


def _default_file() -> Path:
    return user_folder() / "logins.json"


@dataclass(frozen=True, slots=True)
class LoginStore:
    """The logins of a user, by the URL of the server.

    `file` names each server that was signed in to, so that the keyring is only asked for one that it has. Without the
    package `keyring`, or a keyring of the system, the file has the tokens; only its user can read it.
    """

    file: Path = field(default_factory=_default_file)

    def get(self, url: str) -> dict[str, Any] | None:
        """Return what was stored for a server. Raises `ExecutorError` for a file that others can read, or is broken."""
        found: Any = UserFile(self.file).read().get(url)
        if not isinstance(found, str):
            return cast("dict[str, Any] | None", found)
        keyring = _keyring()
        with _keyring_errors():
            text = None if keyring is None else keyring.get_password(_SERVICE, url)
        return None if text is None else cast("dict[str, Any]", json.loads(text))

    def id_of(self, url: str) -> str:
        """Return the id of the login that is stored for a server, which a refresh keeps; empty without one.

        It is no secret, and tells nothing of the account. Raises what `get` raises.
        """
        return _id_of(UserFile(self.file).read().get(url))

    def state_of(self, url: str) -> Literal["none", "stored", "expired"]:
        """Return whether a login is stored for a server, and whether it is over; the keyring is not asked.

        So one in the keyring is `stored`, and so is one that can be refreshed. Raises what `get` raises.
        """
        found: Any = UserFile(self.file).read().get(url)
        if found is None:
            return "none"
        if not is_object(found) or not isinstance(ends := found.get("expires_at"), int | float):
            return "stored"
        tokens = found.get("tokens")
        is_refreshed = is_object(tokens) and bool(tokens.get("refresh_token"))
        return "stored" if is_refreshed or ends > time.time() else "expired"

    def put(self, url: str, login: Mapping[str, Any], *, is_refresh: bool = False) -> None:
        """Store what a server gave. Raises `ExecutorError` where it cannot be stored.

        A refresh of a login that is not the stored one any more is not stored: somebody has signed in anew.
        """
        keyring = _keyring()
        with UserFile(self.file).changed() as logins:
            if is_refresh and _id_of(logins.get(url)) != _id_of(login):
                return
            if keyring is not None:
                with _keyring_errors():
                    keyring.set_password(_SERVICE, url, json.dumps(login))
            logins[url] = dict(login) if keyring is None else f"{_IN_KEYRING}{_id_of(login)}"


def _id_of(stored: Any) -> str:
    """Return the id of a login, as the file has it; empty without one."""
    if stored is None or isinstance(stored, str):
        return (stored or "").removeprefix(_IN_KEYRING)
    return str(stored.get("id", ""))


@contextmanager
def _keyring_errors() -> Generator[None]:
    try:
        yield
    except Exception as error:  # each backend has errors of its own, beside `KeyringError`
        raise ExecutorError(
            f"the keyring of the system cannot be used: {explanation(error, hiding(NO_SECRETS)) or class_name(error)}"
        ) from error


def _keyring() -> Any:
    """Return the system's keyring, or None without one."""
    try:
        import keyring
        from keyring.backends import fail
    except ImportError:
        return None
    backend = keyring.get_keyring()
    return None if isinstance(backend, fail.Keyring) or backend.priority <= 0 else backend


_CLIENT: Final = "toolgen"

_REFRESH_SECONDS: Final = 30.0
"""Seconds without a byte after which a refresh is given up."""

_PATIENCE: Final = 60.0
"""Seconds in which others can refresh a login; then the request of whoever waits fails."""

_ATTEMPTS: Final = 2
"""How often a request is sent: again with tokens that were stored meanwhile."""


async def stored_auth(url: str, store: LoginStore | None = None) -> StoredAuth | None:
    """Return what signs requests to a server that was signed in to, and refreshes its tokens; None for another."""
    kept = LoginStore() if store is None else store
    login = await asyncio.to_thread(kept.get, url)
    if login is None:
        return None
    tokens = Tokens(url, kept, login)
    auth = StoredAuth(url, tokens)
    if "server" in login:  # where to refresh
        auth.context.oauth_metadata = OAuthMetadata.model_validate(login["server"])
    if "resource" in login:
        auth.context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(login["resource"])
    tokens.auth = auth
    return auth


def login_id(auth: OAuthClientProvider) -> str:
    """Return the id of the login that signs requests, as `LoginStore.id_of` does."""
    storage = auth.context.storage
    return _id_of(storage.login) if isinstance(storage, Tokens) else ""


class LoginAuth(OAuthClientProvider):
    """The SDK's flow, which takes of new tokens only what can be used."""

    def __init__(
        self,
        url: str,
        metadata: OAuthClientMetadata,
        tokens: Tokens,
        show: Callable[[str], Awaitable[None]],
        wait: Callable[[], Awaitable[AuthorizationCodeResult]],
    ) -> None:
        async def show_checked(page: str) -> None:
            self.check(page)
            await show(page)

        super().__init__(url, metadata, tokens, show_checked, wait)
        self.context = _Context(url, metadata, tokens, show_checked, wait)

    def check(self, url: str) -> None:
        """Raise `OAuthFlowError` for a URL that a server must not name for a login.

        An authorization server is reached by HTTPS only (MCP, authorization, "Communication Security"), and a server
        of the internet may not send requests to this machine or its network.
        """
        server = self.context.server_url
        if urlsplit(server).scheme == "https" and urlsplit(url).scheme != "https":
            raise OAuthFlowError(f"the server names {_origin(url)} for the login, which is not HTTPS")
        if not is_internal(host_of(server)) and is_internal(host_of(url)):
            raise OAuthFlowError(f"the server names {_origin(url)} for the login, which is not on the internet")

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Yield the requests of the flow; those that are not `request` itself are checked before they are sent."""
        async with aclosing(super().async_auth_flow(request)) as flow:
            with suppress(StopAsyncIteration):
                outgoing = await anext(flow)
                while True:
                    if outgoing is not request:
                        self.check(str(outgoing.url))
                    outgoing = await flow.asend((yield outgoing))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


class StoredAuth(LoginAuth):
    """A login that was made before. It is refreshed where it was made; nobody is there to sign in anew.

    So a server that takes it no more is asked nothing for that: the hosts it would name are those of nobody's choice.
    A refresh token can be used once, and other connections have it, too. So one of them refreshes at a time, and those
    that waited go on with the tokens that it stored. `sent` counts the requests to the server itself.
    """

    def __init__(self, url: str, tokens: Tokens) -> None:
        async def never(*_: object) -> Any:
            raise AssertionError

        super().__init__(url, client_metadata("http://127.0.0.1/callback"), tokens, never, never)
        self.sent = 0
        self._tokens = tokens
        self._refused = set[int]()

    def has_sent_since(self, sent: int) -> bool:
        """Return whether a request was sent, when so many had been, and was not refused because of the login."""
        return any(number not in self._refused for number in range(sent, self.sent))

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Yield the refresh of the tokens, and the request. Raises `OAuthFlowError` where a person has to sign in."""
        async with self.context.lock:
            if not self._initialized:
                await self._initialize()
            self.context.protocol_version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
            if self._is_over():
                async with self._tokens.alone():
                    await self._take_stored()
                    if self._is_over():
                        refresh = await self._refresh_token()
                        refresh.extensions["timeout"] = httpx2.Timeout(_REFRESH_SECONDS).as_dict()
                        await self._take_refreshed((yield refresh))
        for _ in range(_ATTEMPTS):
            self._add_auth_header(request)
            number, self.sent = self.sent, self.sent + 1
            answered = yield request
            if not _is_refused(answered):
                return
            self._refused.add(number)
            if not await self._has_other(request):
                break
        raise self._expired()

    async def _initialize(self) -> None:
        await super()._initialize()
        self.context.token_expiry_time = self._tokens.login.get("expires_at")

    def _is_over(self) -> bool:
        """Return whether the access token has to be refreshed, and can be."""
        return not self.context.is_token_valid() and self.context.can_refresh_token()

    async def _take_stored(self) -> None:
        """Go on with the tokens that another connection has stored, if it has."""
        if await self._tokens.reload():
            await self._initialize()

    async def _take_refreshed(self, answered: httpx2.Response) -> None:
        """Store new tokens. Raises `OAuthFlowError` where there will be none, and `ExecutorError` for a failure."""
        if await self._handle_refresh_response(answered):
            return
        self._initialized = False  # the tokens are gone from the context
        status = answered.status_code
        if status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ExecutorError(f"the login cannot be refreshed now: the authorization server answered with {status}")
        raise self._expired()

    async def _has_other(self, request: httpx2.Request) -> bool:
        """Return whether there are other tokens by now than those of a request that was refused."""
        async with self.context.lock, self._tokens.alone():  # who refreshes now stores them before it ends
            await self._take_stored()
            tokens = self.context.current_tokens
            return tokens is not None and request.headers.get("Authorization") != f"Bearer {tokens.access_token}"

    def _expired(self) -> OAuthFlowError:
        return OAuthFlowError(f"the login has expired: run `toolgen login --url {self.context.server_url}`")


def _is_refused(answered: httpx2.Response) -> bool:
    """Return whether a server did not take the login, or wants one that allows more."""
    if answered.status_code == HTTPStatus.FORBIDDEN:
        return extract_field_from_www_auth(answered, "error") == "insufficient_scope"
    return answered.status_code == HTTPStatus.UNAUTHORIZED


class _Context(OAuthContext):
    """The state of the flow."""

    def update_token_expiry(self, token: OAuthToken) -> None:
        """Note when new tokens expire, before they are kept. Raises `OAuthTokenError` for one that no request has."""
        texts = [text for text in (token.access_token, token.refresh_token) if text is not None]
        if not all(map(is_bearer_token, texts)):
            self.clear_tokens()
            raise OAuthTokenError("the authorization server gave a token that no request has")
        lifetime = lifetime_of(token.expires_in)
        token.expires_in = None if lifetime is None else int(lifetime)
        super().update_token_expiry(token)


class Tokens:
    """The SDK's `TokenStorage` over a login store."""

    auth: OAuthClientProvider

    def __init__(self, url: str, store: LoginStore, login: dict[str, Any]) -> None:
        self._url, self._store, self.login = url, store, login
        self._is_stored = "tokens" in login

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens of the last login."""
        found = self.login.get("tokens")
        return None if found is None else OAuthToken.model_validate(found)

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new tokens, with the time at which they expire."""
        self.login["tokens"] = tokens.model_dump(mode="json", exclude_none=True)
        lifetime = lifetime_of(tokens.expires_in)
        self.login["expires_at"] = None if lifetime is None else time.time() + lifetime
        await self.save()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """Let one holder of the login at a time refresh it, as a context, among all processes of the user.

        Raises `ExecutorError` if others have done so for all the time that is waited, and where there is no lock.
        """
        file, deadline = self._store.file, time.monotonic() + _PATIENCE
        digest = hashlib.sha256(self._url.encode("utf-8", "surrogatepass")).hexdigest()
        place = file.with_name(f".{file.name}.{digest[:16]}.lock")
        try:
            while (lock := take(place)) is None:  # not in a thread, with which a lock would be lost at a cancellation
                if time.monotonic() >= deadline:
                    raise ExecutorError(f"the login has been refreshed elsewhere for {_PATIENCE:g} s: try again")
                await asyncio.sleep(PAUSE)
        except OSError as error:
            raise ExecutorError(f"{place} cannot be written: {error.strerror}") from error
        try:
            yield
        finally:
            release(place, lock)

    async def reload(self) -> bool:
        """Take the tokens of the same login that others have stored; return whether there are new ones.

        Raises what `LoginStore.get` raises.
        """
        found = await asyncio.to_thread(self._store.get, self._url)
        if found is None or _id_of(found) != _id_of(self.login) or found.get("tokens") == self.login.get("tokens"):
            return False
        self.login |= {key: found.get(key) for key in ("tokens", "expires_at")}
        return True

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
        await asyncio.to_thread(self._store.put, self._url, self.login, is_refresh=self._is_stored)


def client_metadata(redirect: str) -> OAuthClientMetadata:
    """Return what a server is told of the client; `redirect` is the page at which the browser arrives."""
    return OAuthClientMetadata(client_name=_CLIENT, redirect_uris=[AnyUrl(redirect)])
