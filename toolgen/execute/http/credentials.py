"""Credentials: which `auth` of an API a request uses, and how it is added."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus, unquote_plus

from toolgen.contract.records import FailureKind
from toolgen.execute.environment import variables_in, with_variables
from toolgen.execute.http.styles import percent_encoded
from toolgen.runtime.base.errors import CallFailed, ExecutorError
from toolgen.runtime.base.received import lifetime_of
from toolgen.runtime.redact.redact import is_secret_field
from toolgen.runtime.redact.sent import SentCredentials
from toolgen.schema.json_values import is_object
from toolgen.spec.http import credential_names, is_bearer_token, is_credential, query_fields, shown_url, token_urls

if TYPE_CHECKING:
    from toolgen.execute.http.requests import Request

    Fetch = Callable[[str, bytes, Mapping[str, str]], Awaitable[tuple[int, Any]]]
    """Posts a form to a token endpoint; returns the status and the JSON of the response."""

_EARLY: Final = 30.0
"""Seconds before its end that a token is replaced."""

_USUAL: Final = 3600.0
"""Seconds that a token is used where the endpoint says nothing."""

_LONGEST_REASON: Final = 200
"""Characters of an endpoint's reason that are shown."""

_SECRETS: Final = ("value", "password", "token", "client_secret")


@dataclass(slots=True)
class _Token:
    value: str
    until: float


@dataclass
class Credentials:
    """The `auth` and the `headers` of an API, with the environment that has their secrets.

    `security` are the alternatives of the API; None is each `auth` alone.
    """

    auth: Mapping[str, Mapping[str, Any]]
    security: Sequence[Sequence[str]] | None
    environment: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str]
    _tokens: dict[str, _Token] = field(default_factory=dict[str, _Token], repr=False)
    _fetching: dict[str, asyncio.Task[_Token]] = field(default_factory=dict[str, "asyncio.Task[_Token]"], repr=False)

    def check(self) -> None:
        """Raise `ExecutorError` if no alternative of the API has all its variables."""
        alternatives = self._alternatives(None)
        if alternatives and self._chosen(alternatives) is None:
            missing = ", ".join(dict.fromkeys(name for each in alternatives for name in self._missing(each)))
            raise ExecutorError(f"the environment has no variable {missing}, which the API needs to authenticate")

    def are_known(self, security: Sequence[Sequence[str]] | None) -> bool:
        """Whether the environment has all variables of an alternative, or none is needed."""
        alternatives = self._alternatives(security)
        return not alternatives or self._chosen(alternatives) is not None

    def token_urls(self, security: Sequence[Sequence[str]] | None, *, chosen: bool = False) -> tuple[str, ...]:
        """Return the token endpoints of all alternatives, or of the `chosen` one, which the environment decides."""
        alternatives = self._alternatives(security)
        if chosen:
            used = self._chosen(alternatives)
            alternatives = [] if used is None else [used]
        return token_urls(self.auth, alternatives)

    def resolved(self, value: str) -> str:
        """Return a text with the values of its variables. Raises `ExecutorError` for one that is not set."""
        return with_variables(value, self.environment, "the API")

    def admit(self, request: Request, security: Sequence[Sequence[str]] | None) -> None:
        """Drop headers that args may not set, since the host does. Raises `CallFailed` for such fields and cookies."""
        security = self.security if security is None else security
        names = credential_names(self.auth, security, self.headers)
        request.headers = {
            name: text for name, text in request.headers.items() if not is_credential("header", name, names)
        }
        cookies = (unquote_plus(each.partition("=")[0]) for each in request.cookies)
        for place, found in (("query", (name for name, _ in query_fields(request.query))), ("cookie", cookies)):
            for name in found:
                if is_credential(place, name, names):
                    message = f"an arg is sent as `{name}` in the {place}, which is a credential of the API"
                    raise CallFailed(FailureKind.INVALID_CALL, "credential_in_args", message, "leave that field out")

    async def apply(self, request: Request, security: Sequence[Sequence[str]] | None, fetch: Fetch) -> tuple[str, ...]:
        """Add credentials to a request; returns the names of the `auth` used. Raises `CallFailed` without any."""
        alternatives = self._alternatives(security)
        if not alternatives:
            return ()
        chosen = self._chosen(alternatives)
        if chosen is None:
            missing = ", ".join(dict.fromkeys(name for each in alternatives for name in self._missing(each)))
            message = f"the host has no credentials for this operation: the environment has no variable {missing}"
            raise CallFailed(FailureKind.UNAVAILABLE, "missing_credentials", message)
        for name in chosen:
            await self._add(name, request, fetch)
        return tuple(chosen)

    def forget(self, names: Iterable[str]) -> bool:
        """Drop the tokens of these `auth`, which the API refused; returns whether there was one."""
        dropped = [self._tokens.pop(name, None) for name in names]
        return any(token is not None for token in dropped)

    @cached_property
    def sent(self) -> SentCredentials:
        """The credentials of the API, and the last ones that were sent to it, which no answer may show."""
        values = [spec[key] for spec in self.auth.values() for key in _SECRETS if key in spec]
        values += [value for name, value in self.headers.items() if is_secret_field(f"/{name}")]
        known = [self.resolved(value) for value in values if not self._missing_in(value)]
        return SentCredentials(known)

    def _alternatives(self, security: Sequence[Sequence[str]] | None) -> list[Sequence[str]]:
        if security is None:
            security = self.security
        return [[name] for name in self.auth] if security is None else list(security)

    def _chosen(self, alternatives: Sequence[Sequence[str]]) -> Sequence[str] | None:
        return next((each for each in alternatives if not self._missing(each)), None)

    def _missing(self, alternative: Sequence[str]) -> list[str]:
        values = [value for name in alternative for value in self.auth[name].values() if isinstance(value, str)]
        return [name for value in values for name in self._missing_in(value)]

    def _missing_in(self, value: str) -> list[str]:
        return [name for name in variables_in(value) if name not in self.environment]

    async def _add(self, name: str, request: Request, fetch: Fetch) -> None:
        spec = self.auth[name]
        match spec["type"]:
            case "api_key":
                _add_key(request, spec["in"], spec["name"], self.resolved(spec["value"]))
            case "basic":
                pair = f"{self.resolved(spec['username'])}:{self.resolved(spec['password'])}"
                request.set_header("Authorization", f"Basic {base64.b64encode(pair.encode()).decode()}")
            case "bearer":
                request.set_header("Authorization", f"Bearer {self.resolved(spec['token'])}")
            case _:
                request.set_header("Authorization", f"Bearer {await self._token(name, fetch)}")

    async def _token(self, name: str, fetch: Fetch) -> str:
        token = self._tokens.get(name)
        if token is None or token.until <= monotonic():
            fetching = self._fetching.get(name)
            if fetching is None or fetching.done() or fetching.get_loop() is not asyncio.get_running_loop():
                fetching = self._fetching[name] = asyncio.ensure_future(self._fetched(self.auth[name], fetch))
            token = self._tokens[name] = await asyncio.shield(fetching)
            self.sent.add(token.value)
        return token.value

    async def _fetched(self, spec: Mapping[str, Any], fetch: Fetch) -> _Token:
        """Request a token with client credentials (RFC 6749, sections 4.4 and 2.3.1)."""
        pair = ":".join(quote_plus(self.resolved(spec[key])) for key in ("client_id", "client_secret"))
        form = "grant_type=client_credentials"
        if spec.get("scopes"):
            form += f"&scope={quote_plus(' '.join(spec['scopes']))}"
        authorization = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        url = spec["token_url"]
        status, answer = await fetch(url, form.encode(), authorization)
        endpoint = f"the token endpoint {shown_url(url)}"
        found: dict[str, Any] = answer if is_object(answer) else {}
        token, reason = found.get("access_token"), found.get("error")
        if not 200 <= status < 300 or not isinstance(token, str):
            said = reason[:_LONGEST_REASON] if isinstance(reason, str) and reason else f"status {status}"
            raise CallFailed(FailureKind.UNAVAILABLE, "no_token", f"{endpoint} refused the client: {said}")
        if not is_bearer_token(token):
            raise CallFailed(FailureKind.UNAVAILABLE, "no_token", f"{endpoint} gave a token that no request has")
        lifetime = lifetime_of(found.get("expires_in"))
        seconds = _USUAL if lifetime is None else lifetime
        return _Token(token, monotonic() + max(seconds - _EARLY, seconds / 2))


def _add_key(request: Request, place: str, name: str, value: str) -> None:
    match place:
        case "header":
            request.set_header(name, value)
        case "query":
            request.query.append(f"{percent_encoded(name)}={percent_encoded(value)}")
        case _:
            request.cookies.append(f"{name}={value}")
