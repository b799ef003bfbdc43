"""Connections: one session with one server, kept open by a task of its own until the server or the host ends it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cached_property, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import httpx2
from mcp import Client
from mcp.client.auth import OAuthFlowError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    Implementation,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from toolgen.execute.mcp.failures import CLOSED, SESSION_TERMINATED, ServerUnreachable, causes_of, reason_of
from toolgen.execute.mcp.limits import AnswerRefused, Incoming, Outgoing, bounded_client
from toolgen.execute.mcp.lists import Malformed, without_malformed
from toolgen.execute.mcp.stdio import stdio_server
from toolgen.execute.mcp.tokens import StoredAuth, login_id, stored_auth
from toolgen.runtime.base.loops import finish
from toolgen.runtime.base.peer_logs import escape_logs
from toolgen.runtime.base.received import ANSWER_BYTES

if TYPE_CHECKING:
    from mcp.client.session import IncomingMessage
    from mcp_types import LoggingMessageNotificationParams

    from toolgen.execute.mcp.server import McpHost, McpServer
    from toolgen.runtime.redact.sent import SentCredentials

escape_logs("mcp.client", "client", shown=False)

_READ_TIMEOUT: Final = 300.0
"""Seconds without a byte after which a response is given up; a server may hold one open for as long as a call takes."""

_CLOSE_SECONDS: Final = 10.0
"""Seconds in which a server can confirm the end of a session; then it is ended without it."""

_BETWEEN_SUBSCRIPTIONS: Final = 1.0
"""Seconds from the end of a subscription to the next."""

_LISTS: Final = 5
"""How often a list that changes while it is read is read again."""

_OF_ONE_NAME: Final = 10
"""Tools of one name in a list, at most: each of them is compared with the compiled one."""

_PAGES: Final = 1_000
_LARGEST: Final = 64 * 1024 * 1024
_LIST_SECONDS: Final = 120.0
"""Pages, bytes and seconds of a list of tools, at most: a server whose list does not end cannot hang a call."""


class SharedAttempts:
    """Attempts of one kind, one at a time. What one raises is also raised for those who waited for it to end.

    Else many calls at once would make one attempt each, of which each takes its time.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._failed = 0
        self._failure: Exception | None = None

    @property
    def is_running(self) -> bool:
        """Whether an attempt is being made."""
        return self._turn.locked()

    @asynccontextmanager
    async def attempt(self) -> AsyncGenerator[None]:
        """Make an attempt in the context. Raises what the attempt raised that this one waited for."""
        failed = self._failed
        async with self._turn:
            if self._failure is not None and failed != self._failed:
                raise self._failure
            try:
                yield
            except Exception as error:  # whatever it is; raised again
                self._failed, self._failure = self._failed + 1, error
                raise
            self._failure = None


class Connection:
    """One session. Raises `ExecutorError` for an environment variable that is not set.

    `tools` are what the server offers, as JSON; None until they are listed, or listed again. `malformed` are members of
    that list which are no tools of MCP. `refusals` are the HTTP statuses of 400 and more that messages were answered
    with. `login` is the id of the stored login that signs its requests, empty without one, and None where none could.
    A client of the SDK must be closed by the task that opened it, so a task of its own keeps it.
    """

    def __init__(
        self,
        server: McpServer,
        host: McpHost,
        on_log: Callable[[LoggingMessageNotificationParams], None],
        credentials: SentCredentials,
    ) -> None:
        self._server, self._host, self._on_log = server, host, on_log
        self.credentials = credentials
        self._resolved = server.resolved(host.environment)
        self._ended = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._listing = SharedAttempts()
        self._tools: list[dict[str, Any]] | None = None
        self.malformed: list[Malformed] = []
        self._left_out: list[Malformed] = []
        self._left_out_bytes = 0
        self._version = 0
        self._is_unauthorized = False
        self.refusals = Counter[int]()
        self._incoming: Incoming | None = None
        self._at_abandon: list[Callable[[], object]] = []
        self.in_flight = 0
        self.login: str | None = None
        self._stored: StoredAuth | None = None
        self.failure: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls can be sent."""
        return self._client is not None and not self._ended.is_set()

    async def open(self) -> None:
        """Connect. Raises `ServerUnreachable`."""
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[Client] = loop.create_future()
        self._keeper = loop.create_task(self._keep(opened))
        try:
            async with asyncio.timeout(self._host.timeout):
                self._client = await asyncio.shield(opened)
        except BaseException as error:  # also a cancelled start ends the server; raised again
            opened.cancel()
            self._keeper.cancel()  # it waits for the server, and may do so for ever
            await self.close()
            if isinstance(error, TimeoutError):
                raise ServerUnreachable(self._server.name, f"no answer in {self._host.timeout:g} s") from error
            raise

    async def close(self) -> None:
        """Close the session, and end a server that was started.

        One that is not open yet is given up at once, and one whose server does not confirm the end after a while.
        """
        self._ended.set()
        keeper = self._keeper
        if keeper is None:
            return
        if self._client is not None:
            await asyncio.wait([keeper], timeout=_CLOSE_SECONDS)
        if not keeper.done():
            keeper.cancel()
            await asyncio.wait([keeper])

    def abandon(self) -> None:
        """End the server, or the connections to it, of a loop that is closed: the session cannot be closed any more."""
        self._ended.set()
        for end in self._at_abandon:
            end()

    @property
    def client(self) -> Client:
        """The client of the SDK, once the connection is open."""
        assert self._client is not None
        return self._client

    @cached_property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes of a span of a call on it, once it is open, by the semantic conventions for MCP."""
        url = httpx2.URL(self._resolved.http or self._resolved.sse)
        return {
            "mcp.method.name": "tools/call",
            "mcp.protocol.version": self.client.protocol_version,
            "network.transport": "pipe" if self._resolved.stdio else "tcp",
            "server.address": url.host or None,
            "server.port": url.port,
        }

    @property
    def refused(self) -> str:
        """Why the connection was ended from here; empty if it was not."""
        if self._incoming is not None and self._incoming.failure:
            return self._incoming.failure
        causes = () if self.failure is None else causes_of(self.failure)
        return next((str(cause) for cause in causes if isinstance(cause, AnswerRefused | httpx2.SSEError)), "")

    @property
    def login_refused(self) -> ServerUnreachable | None:
        """Why the login is not taken any more, which ended the connection; None if it ended for another reason."""
        failure = self.failure
        if failure is None or not any(isinstance(each, OAuthFlowError) for each in causes_of(failure)):
            return None
        return self._unreachable(failure)

    @property
    def sent(self) -> int:
        """How many requests the stored login has signed, for `not_sent`."""
        return 0 if self._stored is None else self._stored.sent

    def is_lost(self, error: MCPError) -> bool:
        """Return whether an error means that the connection ended, and not that the server answered so."""
        is_closed = error.code == CONNECTION_CLOSED and error.message == CLOSED
        return (is_closed and self._ended.is_set()) or self.is_session_lost(error)

    def is_session_lost(self, error: MCPError) -> bool:
        """Return whether the server refused a request because it no longer knows the session."""
        return error.message == SESSION_TERMINATED and self.refusals[HTTPStatus.NOT_FOUND] > 0

    def not_sent(self, sent: int) -> ServerUnreachable | None:
        """Return why no request was sent since so many had been; None if one may have been.

        The login of a request is refreshed before it is sent, and a refresh that fails ends the connection.
        """
        if self.failure is None or self._stored is None or self._stored.has_sent_since(sent):
            return None
        return self._unreachable(self.failure)

    def hide(self, text: str) -> str:
        """Return what the server or the SDK says without credentials, and without values of the environment."""
        return self.credentials.hide(self._hide_variables(text))

    @cached_property
    def _hide_variables(self) -> Callable[[str], str]:
        return self._server.hider(self._host.environment)

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools that the server offers now; listed again after it said that they changed."""
        async with self._listing.attempt():
            for _ in range(_LISTS):
                if self._tools is not None:
                    return self._tools
                version = self._version
                self._left_out, self._left_out_bytes = [], 0
                listed = await self._list("tools", self.client.list_tools)
                if max(Counter(tool["name"] for tool in listed).values(), default=0) > _OF_ONE_NAME:
                    message = f"the list of tools has more than {_OF_ONE_NAME} tools of one name"
                    raise MCPError(code=INTERNAL_ERROR, message=message)
                if version == self._version:  # else it changed meanwhile
                    self._tools, self.malformed = listed, self._left_out
                    return listed
            raise _endless("tools", f"it changed {_LISTS} times while it was read")

    async def others(self) -> tuple[dict[str, list[dict[str, Any]]], dict[str, str]]:
        """Return what the server offers beside tools, by kind, and why kinds that it announces cannot be listed.

        Kinds are `resources`, `resourceTemplates` and `prompts`; one without members is left out.
        """
        announced, client = self.client.server_capabilities, self.client
        lists: dict[str, tuple[str, Callable[..., Awaitable[Any]]]] = {}
        if announced.resources is not None:
            lists["resources"] = "resources", client.list_resources
            lists["resourceTemplates"] = "resource_templates", client.list_resource_templates
        if announced.prompts is not None:
            lists["prompts"] = "prompts", client.list_prompts
        listed: dict[str, list[dict[str, Any]]] = {}
        failures: dict[str, str] = {}
        for kind, (field, page_of) in lists.items():
            try:
                members = await self._list(field, page_of)
            except MCPError as error:
                if error.code != METHOD_NOT_FOUND:  # a server with resources need not have templates
                    failures[kind] = self.hide(error.message)
            except ValidationError:
                failures[kind] = "the answer is not that of MCP"
            else:
                if members:
                    listed[kind] = members
        return listed, failures

    async def _list(self, kind: str, page_of: Callable[..., Awaitable[Any]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        size, cursors = 0, set[str]()
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                for _ in range(_PAGES):
                    page = await page_of(cursor=cursor, cache_mode="refresh")
                    for member in getattr(page, kind):
                        size += len(member.model_dump_json(by_alias=True, exclude_none=True))
                        found.append(member.model_dump(mode="json", by_alias=True, exclude_none=True))
                    cursor = page.next_cursor
                    if not cursor:
                        return found
                    if cursor in cursors:
                        raise _endless(kind, "it repeats a page")
                    if size + (self._left_out_bytes if kind == "tools" else 0) > _LARGEST:
                        raise _endless(kind, f"it has more than {_LARGEST:,} bytes")
                    cursors.add(cursor)
        except TimeoutError:
            raise _endless(kind, f"it takes more than {_LIST_SECONDS:g} s") from None
        raise _endless(kind, f"it has more than {_PAGES:,} pages")

    def forget_tools(self) -> None:
        """Let the tools be listed again before the next call."""
        self._tools = None
        self._version += 1

    async def _keep(self, opened: asyncio.Future[Client]) -> None:
        try:
            async with AsyncExitStack() as stack:
                transport = self._watched(await self._transport(stack))
                client = await stack.enter_async_context(
                    Client(
                        transport,
                        elicitation_callback=self._host.on_elicitation,
                        logging_callback=self._log,
                        log_level="info",
                        message_handler=self._on_message,
                        client_info=Implementation(**self._host.client_info),
                        cache=None,
                    )
                )
                if not opened.done():
                    opened.set_result(client)
                await self._serve(client)
        except Exception as error:  # noqa: BLE001  # the SDK raises anything; it is raised where the call waits
            self.failure = error
            if not opened.done():
                opened.set_exception(self._unreachable(error))
        finally:
            self._ended.set()
            if not opened.done():
                opened.cancel()

    def _unreachable(self, error: BaseException) -> ServerUnreachable:
        """Return why nothing can be sent, from what the SDK raises."""
        shown = self._server.name
        reason = self.hide(reason_of(error).replace(self._resolved.name, shown))
        is_login = any(isinstance(each, OAuthFlowError) for each in causes_of(error))
        is_unauthorized = self._is_unauthorized or "401 Unauthorized" in reason
        if is_unauthorized and not is_login:
            reason = f"it wants a login: run `toolgen login --url {shown}`"
        return ServerUnreachable(shown, reason, wants_login=is_login or is_unauthorized)

    async def _serve(self, client: Client) -> None:
        """Wait for the end; where the protocol has no notifications of its own, subscribe to changes of the list."""
        listens = _announces_changes(client) and client.protocol_version >= "2026-07-28"
        listener = asyncio.ensure_future(self._listen(client)) if listens else None
        try:
            await self._ended.wait()
        finally:
            if listener is not None:
                listener.cancel()
                with suppress(asyncio.CancelledError):
                    await listener

    async def _listen(self, client: Client) -> None:
        """Subscribe to changes of the list, and again when the subscription ends, which ends no call.

        The list is forgotten each time, because a change in between is not announced. A server that refuses a
        subscription announces nothing: its list is that of the connection.
        """
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    self.forget_tools()
                    async for _ in changes:
                        self.forget_tools()
            except MCPError:
                return
            except (SubscriptionLost, TimeoutError):
                pass  # as a subscription that the server ended
            self.forget_tools()
            await asyncio.sleep(_BETWEEN_SUBSCRIPTIONS)

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.forget_tools()

    async def _log(self, params: LoggingMessageNotificationParams) -> None:
        self._on_log(params)

    async def _transport(self, stack: AsyncExitStack) -> Any:
        server, host = self._resolved, self._host
        if server.stdio:
            env = server.variables(host.environment)
            return stdio_server(
                list(server.stdio),
                env=env,
                cwd=host.cwd,
                name=self._server.name,
                hide=self.hide,
                at_abandon=self._at_abandon,
            )
        headers = dict(server.headers)
        if host.headers is not None:
            headers |= await host.headers()
        auth = host.auth
        if auth is None and not any(name.lower() == "authorization" for name in headers):
            stored = await stored_auth(server.http or server.sse)
            auth, self.login, self._stored = stored, "" if stored is None else login_id(stored), stored
        if server.sse:
            factory = partial(self._client_of, server.sse)
            return sse_client(server.sse, headers=headers, auth=auth, httpx_client_factory=factory)
        timeout = httpx2.Timeout(host.timeout, read=_READ_TIMEOUT)
        client = self._client_of(server.http, headers, timeout, auth)
        client.event_hooks["response"].append(self._look)
        opened = await stack.enter_async_context(client)
        return streamable_http_client(server.http, http_client=opened, max_sse_event_size=ANSWER_BYTES)

    def _client_of(self, url: str, *settings: Any, **more: Any) -> httpx2.AsyncClient:
        client = bounded_client(url, self.credentials, *settings, **more)
        self._at_abandon.append(lambda: finish(client.aclose()))
        return client

    async def _look(self, response: httpx2.Response) -> None:
        """Note what the SDK does not say, or says in words that a server may say too."""
        self._is_unauthorized = response.status_code == HTTPStatus.UNAUTHORIZED
        if response.status_code >= HTTPStatus.BAD_REQUEST and response.request.method == "POST":
            self.refusals[response.status_code] += 1

    @asynccontextmanager
    async def _watched(self, transport: Any) -> AsyncGenerator[Any]:
        async with transport as (incoming, outgoing):
            self._incoming = Incoming(incoming, self._ended, self._read)
            yield self._incoming, Outgoing(outgoing, self._incoming)

    def _read(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result without members of a list of tools that are none, while tools are listed."""
        if self._client is None or not self._listing.is_running or "tools" not in result:
            return result
        result, malformed = without_malformed(result, self._client.protocol_version)
        self._left_out += malformed
        self._left_out_bytes += sum(each.size for each in malformed)
        return result


def _endless(kind: str, why: str) -> MCPError:
    return MCPError(code=INTERNAL_ERROR, message=f"the list of {kind.replace('_', ' ')} does not end: {why}")


def _announces_changes(client: Client) -> bool:
    tools = client.server_capabilities.tools
    return tools is not None and bool(tools.list_changed)
