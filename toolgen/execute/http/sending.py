"""Sending: one request until there is a response, with credentials, redirects, repetitions and bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import httpx2

from toolgen.contract.records import FailureKind
from toolgen.execute.http.responses import Response
from toolgen.execute.sent_call import SentCall
from toolgen.execute.trace_context import attempt_span, outgoing_headers
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.loops import OfLoop, finish
from toolgen.runtime.base.received import ACCEPT_ENCODING, ERROR_BYTES, Body, TooMuch, Unreadable, error_of
from toolgen.runtime.policy.policy import PolicyAnswer
from toolgen.runtime.runs.run import check_guard
from toolgen.spec.hosts import host_of
from toolgen.spec.http import is_binary, shown_url

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.execute.http.credentials import Credentials
    from toolgen.execute.http.host import HttpHost
    from toolgen.execute.http.requests import Request
    from toolgen.runtime.policy.policy import Policies

ATTEMPT: Final = "http_attempt"
"""The kind of the event that each attempt adds to the record of its run."""

_FIRST_WAIT, _LONGEST_WAIT = 0.2, 5.0
"""Seconds before the first repetition, doubled for each more, and the most of them, where the API says nothing."""

_TRY_LATER: Final = frozenset({408, 425, 429, 502, 503, 504})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS: Final = 5

_NOT_CONNECTED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""Errors before anything is sent."""

_ACCEPT: Final = {
    "Accept": "application/json, */*;q=0.5",
    "Accept-Encoding": ACCEPT_ENCODING,
    "User-Agent": "toolgen",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """One request on the wire."""

    method: str
    url: httpx2.URL
    headers: Mapping[str, str]
    data: bytes | None
    with_auth: bool = True
    meta: ToolCallMeta | None = None
    """That of the call that it is sent for; none for a token."""
    call: SentCall | None = None
    """The call that it makes; none for a token, and for what a response says to read."""


class _NoToken(Exception):
    """A token endpoint did not answer, so the request that needs the token was not sent. Its cause says why."""


class Sender:
    """Sends the requests of one API, with one client for each event loop. Cookies of responses are not kept."""

    def __init__(self, host: HttpHost, credentials: Credentials, retries: int) -> None:
        self._host, self._credentials, self._retries = host, credentials, retries
        self._clients = OfLoop[httpx2.AsyncClient](lambda client: finish(client.aclose()))
        self._policies: Policies | None = None

    def under(self, policies: Policies) -> Sender:
        """Return a sender with the same connections that keeps to the network rules of policies."""
        bound = copy(self)
        bound._policies = policies  # noqa: SLF001  # it is a copy of this one
        return bound

    async def send(
        self,
        request: Request,
        base_url: str,
        security: Sequence[Sequence[str]] | None,
        meta: ToolCallMeta,
        call: SentCall,
        *,
        is_repeatable: bool,
    ) -> Response:
        """Send a request, and again where that is safe. Raises `CallFailed` where no response comes.

        `call` is told what happens to it.
        """
        wait = _FIRST_WAIT
        failure: CallFailed | None = None
        response: Response | None = None
        for attempt in range(1, self._retries + 2):
            started, failure, response = monotonic(), None, None
            try:
                with attempt_span(attempt) as mark_failed:
                    response = await self._authorized(request, base_url, security, meta, call)
                    if response.status >= 400:
                        mark_failed(str(response.status))
            except (httpx2.RequestError, _NoToken) as error:
                failure, repeats = self._failure(error), True
            else:
                repeats = response.status in _TRY_LATER
                wait = wait if (asked := response.retry_after()) is None else asked
            outcome = failure.code if failure else str(response.status if response else "")
            _report(meta, attempt, started, outcome)
            is_safe = is_repeatable or not call.may_have_effect
            if not (repeats and is_safe) or attempt > self._retries or wait > self._host.max_wait:
                break
            await asyncio.sleep(wait)
            wait = min(2 * wait or _FIRST_WAIT, _LONGEST_WAIT)
        if response is None:
            assert failure is not None
            raise failure
        return response

    def _failure(self, error: httpx2.RequestError | _NoToken) -> CallFailed:
        """Return the failure of a request without a response."""
        cause, where = error.__cause__ if isinstance(error, _NoToken) else error, ""
        assert isinstance(cause, httpx2.RequestError), "it is what no token came for"
        if cause is not error:
            where = f" of the token endpoint {shown_url(str(cause.request.url))}"
        reason = str(cause) or type(cause).__name__
        match cause:
            case _ if isinstance(cause, _NOT_CONNECTED):
                message = f"cannot connect to {shown_url(str(cause.request.url))} ({reason})"  # `token: x` is redacted
                return CallFailed(FailureKind.UNAVAILABLE, "host_unreachable", message)
            case httpx2.TimeoutException():
                message = f"no response{where} within {self._host.timeout:g} s"
                return CallFailed(FailureKind.TIMEOUT, "no_response", message)
            case _:
                message = f"the connection ended before the response{where}: {reason}"
                return CallFailed(FailureKind.UNAVAILABLE, "connection_lost", message)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.pop()
        if client is not None:
            await client.aclose()

    async def _authorized(
        self,
        request: Request,
        base_url: str,
        security: Sequence[Sequence[str]] | None,
        meta: ToolCallMeta,
        call: SentCall,
    ) -> Response:
        """Send a request with credentials, and once more with a new token where the API refused the one there was."""
        response, used = await self._sent(request, base_url, security, meta, call)
        if response.status == 401 and self._credentials.forget(used):
            response, _ = await self._sent(request, base_url, security, meta, call)
        return response

    async def _sent(
        self,
        request: Request,
        base_url: str,
        security: Sequence[Sequence[str]] | None,
        meta: ToolCallMeta,
        call: SentCall,
    ) -> tuple[Response, tuple[str, ...]]:
        added = replace(request, query=[*request.query], headers={**request.headers}, cookies=[*request.cookies])
        used: tuple[str, ...] = ()
        if self._host.headers is not None:
            for name, text in (await self._host.headers()).items():
                added.set_header(name, text)
        elif self._host.auth is None:
            used = await self._credentials.apply(added, security, self._fetch)
        given = {name.lower() for name in added.headers}
        own = {**_ACCEPT, **outgoing_headers()}
        if added.cookies:
            given_cookies = [text for name, text in added.headers.items() if name.lower() == "cookie"]
            added.set_header("Cookie", "; ".join([*given_cookies, *added.cookies]))
        if added.content is not None:
            added.set_header("Content-Type", added.content.media_type)
        headers = {name: text for name, text in own.items() if name.lower() not in given} | added.headers
        try:
            url = httpx2.URL(added.url(base_url))
        except httpx2.InvalidURL as error:
            raise CallFailed(FailureKind.INVALID_CALL, "invalid_url", f"no request has this URL: {error}") from error
        data = None if added.content is None else added.content.data
        target = _Target(method=added.method, url=url, headers=headers, data=data, meta=meta, call=call)
        return await self._followed(target), used

    async def _followed(self, target: _Target) -> Response:
        """Send a request, and follow redirects within the network policy."""
        for _ in range(_MAX_REDIRECTS + 1):
            self._check_host(target.url)
            response = await self._once(target)
            location = response.headers.get("location")
            if response.status not in _REDIRECTS or not location:
                return response
            target = self._redirected(target, response.status, location)
        raise CallFailed(FailureKind.UNAVAILABLE, "too_many_redirects", f"more than {_MAX_REDIRECTS} redirects")

    def _redirected(self, target: _Target, status: int, location: str) -> _Target:
        try:
            url = target.url.join(location)
        except httpx2.InvalidURL as error:
            message = f"the API redirects to what is no URL: {error}"
            raise CallFailed(FailureKind.UNAVAILABLE, "invalid_redirect", message) from error
        if url.userinfo != target.url.userinfo:  # it would replace the credentials of the host
            url = url.copy_with(userinfo=b"")
        becomes_get = (status == 303 and target.method != "HEAD") or (status in (301, 302) and target.method == "POST")
        if becomes_get:  # the call was made; what follows reads what it says
            target = replace(target, method="GET", data=None, call=None)
        method, data = target.method, target.data
        headers = {name: value for name, value in target.headers.items() if data is not None or name != "Content-Type"}
        if _origin(url) == _origin(target.url):
            return replace(target, url=url, headers=headers)
        if refusal := self._refusal(target.url, url):
            message = f"the API redirects to {url.scheme}://{url.host}, {refusal}"
            raise CallFailed(FailureKind.PERMISSION_DENIED, "redirect_refused", message)
        if method not in ("GET", "HEAD"):
            message = f"the API redirects a {method} request to {url.scheme}://{url.host}, and no other host gets one"
            raise CallFailed(FailureKind.PERMISSION_DENIED, "redirect_refused", message)
        return replace(target, url=url, headers=_ACCEPT, data=None, with_auth=False)

    def _refusal(self, old: httpx2.URL, new: httpx2.URL) -> str:
        """Return why a redirect may not leave its origin; empty if it may: to HTTPS, or to a host that is allowed."""
        if new.scheme not in ("http", "https"):
            return "which is not HTTP"
        if (old.scheme, new.scheme) == ("https", "http"):
            return "and no request goes on from HTTPS without it"
        is_upgrade = new.host == old.host and new.scheme != old.scheme
        return "" if is_upgrade or self._judged(new) is PolicyAnswer.ALLOW else "which no policy allows"

    def _check_host(self, url: httpx2.URL) -> None:
        if self._judged(url) in (PolicyAnswer.DENY, PolicyAnswer.EXCLUDE):
            raise CallFailed(FailureKind.PERMISSION_DENIED, "host_denied", f"a policy forbids requests to {url.host}")

    def _judged(self, url: httpx2.URL) -> PolicyAnswer | None:
        """Return what policies answer for the host of a URL; None without any."""
        return self._policies.judge_hosts([host_of(str(url))]).answer if self._policies else None

    async def _once(self, target: _Target) -> Response:
        client = self._clients.get_or_make(self._new_client)
        try:
            encoded = [(name.encode("ascii"), text.encode()) for name, text in target.headers.items()]
            request = client.build_request(target.method, target.url, headers=encoded, content=target.data)
        except (UnicodeEncodeError, ValueError) as error:
            raise CallFailed(FailureKind.INVALID_CALL, "invalid_request", f"no request has this: {error}") from error
        if target.data is None and target.method in ("POST", "PUT", "PATCH"):
            request.headers["Content-Length"] = "0"
        auth = self._host.auth if target.with_auth else None
        if target.meta is not None:
            check_guard(target.meta)  # tokens, redirects, and the wait before another attempt take time
        call = SentCall(may_repeat=True) if target.call is None else target.call
        try:
            answer = await client.send(request, stream=True, auth=auth)
        except httpx2.RequestError as error:
            if not isinstance(error, _NOT_CONNECTED):
                call.is_sent()
            raise
        call.is_answered(answer.status_code)
        self._credentials.sent.add_headers(answer.request.headers.items())
        try:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            response = Response(status=answer.status_code, headers=headers, body=b"")
            keeps = response.is_success and self._host.keep is not None and is_binary(response.media_type)
            bound = self._host.artifact_bytes if keeps else self._host.response_bytes
            if not response.is_success:
                bound = min(bound, ERROR_BYTES)
            body = Body(answer.headers.get("content-encoding", ""), bound)
            async for chunk in answer.aiter_raw():
                for _ in body.take(chunk):
                    await asyncio.sleep(0)  # a few bytes may stand for many: others get their turn in between
                if not body.is_complete:
                    break
            if body.is_complete:
                body.close()
            return replace(response, body=bytes(body.data), is_complete=body.is_complete)
        except Unreadable as error:
            status = f"; its status is {answer.status_code}"
            raise CallFailed(FailureKind.MALFORMED_RESULT, "unreadable_response", f"{error}{status}") from error
        finally:
            await answer.aclose()

    async def _fetch(self, url: str, form: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        """Post a form to a token endpoint."""
        all_headers = {**_ACCEPT, **headers, "Content-Type": "application/x-www-form-urlencoded"}
        target = _Target(method="POST", url=httpx2.URL(url), headers=all_headers, data=form)
        self._check_host(target.url)
        try:
            response = await self._once(target)
        except httpx2.RequestError as error:
            raise _NoToken from error
        except CallFailed as error:
            message = f"the token endpoint {shown_url(url)} gave no token ({error})"
            raise CallFailed(FailureKind.UNAVAILABLE, "no_token", message) from error
        try:
            return response.status, error_of(response.body[:ERROR_BYTES].decode("utf-8", "replace"))
        except (ValueError, TooMuch):
            return response.status, None

    def _new_client(self) -> httpx2.AsyncClient:
        app = self._host.app
        return httpx2.AsyncClient(
            transport=None if app is None else httpx2.ASGITransport(app=app, raise_app_exceptions=False),
            timeout=httpx2.Timeout(self._host.timeout),
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        )


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, port


def _report(meta: ToolCallMeta, attempt: int, started: float, outcome: str) -> None:
    meta.report({"attempt": attempt, "ms": round((monotonic() - started) * 1000, 3), "outcome": outcome}, ATTEMPT)
