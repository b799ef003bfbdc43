"""The executor of toolsets of kind `mcp`: sends each call to its server, under the contract that was compiled."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from itertools import accumulate
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from toolgen.changes.drift import TOOL_REMOVED
from toolgen.changes.suspicions import OtherTools
from toolgen.contract.records import FailureKind, ToolResult, ToolsetRegistration
from toolgen.execute.mcp.connection import Connection, SharedAttempts
from toolgen.execute.mcp.content import result_of
from toolgen.execute.mcp.contract import (
    Contract,
    Drift,
    Offer,
    compared_offer,
    other_tools,
    source_name,
    suspicions_among,
)
from toolgen.execute.mcp.failures import (
    HTTP_ERROR,
    ServerUnreachable,
    answer_refused,
    connection_lost,
    failed,
    http_error,
    is_connect_error,
    is_refusal,
    malformed,
    malformed_list,
    malformed_tool,
    other_login,
    unreachable,
)
from toolgen.execute.mcp.server import McpHost, McpServer
from toolgen.execute.mcp.tokens import LoginStore
from toolgen.execute.reach import variables_of
from toolgen.execute.result_texts import ResultTexts
from toolgen.execute.sent_call import SentCall
from toolgen.execute.servers import CheckedServer, ServerState
from toolgen.execute.trace_context import attempt_span, describe_call
from toolgen.runtime.base.errors import CallFailed, ExecutorError, ToolNotFound
from toolgen.runtime.base.json_text import LONG_BYTES
from toolgen.runtime.base.loops import OfLoop
from toolgen.runtime.policy.hosts import hosts_of_calls, url_of_server
from toolgen.runtime.redact.sent import SentCredentials
from toolgen.runtime.runs.run import check_guard

if TYPE_CHECKING:
    from mcp_types import CallToolResult, LoggingMessageNotificationParams, RequestParamsMeta

    from toolgen.changes.rules import Change
    from toolgen.changes.suspicions import Suspicion
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.execute.servers import LeftOut, LoginState
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition

ATTEMPT: Final = "mcp_attempt"
CHANGED: Final = "mcp_tool_changed"
LOG: Final = "mcp_log"
"""Kinds of the events that a call adds to the record of its run."""

IDEMPOTENCY_KEY: Final = "toolgen/idempotency-key"
"""The member of `_meta` of a call that has its idempotency key; `toolgen serve` with a database honours it."""

FENCING: Final = "toolgen/fencing-token"
"""The member of `_meta` of a call that has its fencing token, a whole number."""

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
"""Seconds before the first repetition, doubled for each more, and the most of them."""

_SEARCHED: Final = 2_000_000
"""Characters of changed tools that a check searches for what is suspicious, which takes a second for each million."""

_COMPARISONS: Final = 6
"""How often a tool is looked for in the list before a call; it is another one if the server changed it meanwhile."""

_QUESTIONS: Final = 3
"""How often a person is asked about one call whose tool changes again while they decide."""


class McpExecutor:
    """Runs the tools of one server. It fits `ToolExecutor`, with `decode_in_executor`.

    It connects at the first call, and again after the connection ended. `async with`, or `close`, ends the connection;
    so does the end of the event loop.
    """

    def __init__(
        self,
        definitions: Mapping[str, ToolDefinition],
        server: McpServer,
        host: McpHost,
        others: Callable[[], OtherTools] = OtherTools,
    ) -> None:
        self._definitions, self._server, self._host = definitions, server, host
        self._others = cache(others)
        self._contract = Contract(definitions, self._others)
        self._credentials = SentCredentials(server.credentials(host.environment))
        self._connections = OfLoop(Connection.abandon)
        self._offers = OfLoop[Offer](abandon=None)
        self._opening = OfLoop(_Opening.abandon)
        self._running: list[ToolCallMeta] = []
        self._asking = OfLoop[dict[tuple[str, str], asyncio.Lock]](abandon=None)
        self._accepted: dict[tuple[str, str], bool] = {}
        self._failed: ServerUnreachable | None = None
        self._texts: dict[str, ResultTexts] = {}

    async def execute(self, request: ToolRequest, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call. Raises `ToolNotFound`, and `CallFailed` for a server that cannot be reached or changed."""
        definition = self._definitions.get(request.name)
        if definition is None:
            raise ToolNotFound(request.name)
        args: dict[str, Any] = {**json.loads(request.payload), **meta.injected}
        call = SentCall(may_repeat=_is_repeatable(definition))
        self._running.append(meta)
        try:
            answer = await self._answer(definition, args, meta, call)
            result = await result_of(answer, texts=self._texts_of(definition), keep=self._host.keep)
        except CallFailed as error:
            failure = call.failure(error)
            hidden = self._credentials.hide_failure(failure)
            raise hidden from (error if hidden is failure else None)
        finally:
            self._running.remove(meta)
        if len(result.payload) > LONG_BYTES:
            return await asyncio.to_thread(self._credentials.hide_result, result)
        return self._credentials.hide_result(result)

    def hosts(self, specified: str) -> dict[str, tuple[str, ...]]:
        """Return the hosts that every call of each tool reaches. `specified` is the URL of the spec, or empty."""
        resolved = self._server.resolved(self._host.environment)
        url = resolved.http or resolved.sse
        named = {ident: each.settings.access.hosts for ident, each in self._definitions.items()}
        return {ident: hosts_of_calls(hosts, [url], [specified]) for ident, hosts in named.items()}

    def login(self) -> str:
        """Return the id of the login that is stored for the server now. Raises `CallFailed` where it cannot be read."""
        resolved = self._server.resolved(self._host.environment)
        try:
            return LoginStore().id_of(resolved.http or resolved.sse)
        except ExecutorError as error:
            raise CallFailed(FailureKind.UNAVAILABLE, "login_unreadable", str(error)) from error

    def state(self) -> ServerState:
        """Return what is known of the server. Nothing is started or sent."""
        is_connected = any(each.is_open for each in self._connections.values())
        failed = None if is_connected else self._failed
        return ServerState(
            connection="connected" if is_connected else "not connected" if failed is None else "failed",
            login=self._login_state(failed),
            failure="" if failed is None else self._credentials.hide(str(failed)),
        )

    async def check(self, most: int, left_out: LeftOut | None = None) -> CheckedServer:
        """List the tools of the server anew, and compare all of them with what was compiled.

        The first `most` changes are returned, and what is suspicious in their tools. `left_out` returns the names of
        those that an import would not add; it is called in a thread, if there are new ones. Raises `CallFailed` for a
        server that cannot be reached or does not list its tools.
        """
        try:
            _, listed = await self._connected(lists_again=True)
        except (_NotSentError, CallFailed) as error:
            failure = error.failure if isinstance(error, _NotSentError) else error
            raise self._credentials.hide_failure(failure) from error
        return await asyncio.to_thread(self._checked, listed, most, left_out)

    async def close(self) -> None:
        """End the connection of the running event loop."""
        connection = self._connections.pop()
        if connection is not None:
            await connection.close()

    async def __aenter__(self) -> McpExecutor:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    @cached_property
    def may_sign_in(self) -> bool:
        """Whether a login that a person made would be used: the host and the spec give no credentials of their own."""
        headers = self._server.resolved(self._host.environment).headers
        return not self._server.stdio and self._host.auth is None and "authorization" not in map(str.lower, headers)

    def _texts_of(self, definition: ToolDefinition) -> ResultTexts:
        found = self._texts.get(definition.name)
        if found is None:
            found = self._texts[definition.name] = ResultTexts(definition.result_schema, definition.name)
        return found

    def _login_state(self, failed: ServerUnreachable | None) -> LoginState:
        server, host = self._server, self._host
        stored: LoginState = "none"
        if self.may_sign_in:
            resolved = server.resolved(host.environment)
            try:
                stored = LoginStore().state_of(resolved.http or resolved.sse)
            except ExecutorError:
                return "unreadable"
        if failed is not None and failed.wants_login:
            return "needed" if stored == "none" else "expired"
        is_given = host.headers is not None or variables_of(server.as_compiled())
        is_host = not server.stdio and not self.may_sign_in
        return "given" if stored == "none" and (is_given or is_host) else stored

    def _checked(self, listed: Sequence[Mapping[str, Any]], most: int, left_out: LeftOut | None) -> CheckedServer:
        definitions = [*self._definitions.values()]
        compared = compared_offer(definitions, listed, partial(left_out, listed) if left_out else tuple)
        every = compared.changes
        changes = every[:most]
        subjects = {each.subject for each in changes}
        changed = [tool for tool in listed if tool["name"] in subjects]
        sizes = accumulate(len(json.dumps(tool)) for tool in changed)
        searched = [tool for tool, size in zip(changed, sizes, strict=True) if size <= _SEARCHED]
        suspicions = suspicions_among(definitions, searched, changes, self._others())
        return CheckedServer(
            tools=len(listed),
            changes=tuple(replace(each, **self._without_credentials(each)) for each in changes),
            changes_count=len(every),
            suspicions=tuple(replace(each, **self._without_credentials(each)) for each in suspicions[:most]),
            suspicions_count=len(suspicions),
            unsearched=len(changed) - len(searched),
            left_out=tuple(self._credentials.hide_data([*compared.left_out[:most]])),
        )

    def _without_credentials(self, found: Change | Suspicion) -> dict[str, Any]:
        """Return the fields of a change or a suspicion, all of which may be the server's words, without credentials."""
        hide = self._credentials.hide_data
        hidden: dict[str, Any] = {}
        for each in fields(found):
            value: Any = getattr(found, each.name)
            hidden[each.name] = tuple(hide([*value])) if isinstance(value, tuple) else hide(value)
        return hidden | {"code": found.code}

    async def _answer(
        self, definition: ToolDefinition, args: dict[str, Any], meta: ToolCallMeta, call: SentCall
    ) -> CallToolResult:
        """Send a call, and again where that is safe: if it was never sent, or may run twice."""
        wait = _FIRST_WAIT
        for attempt in range(1, self._server.retries + 2):
            started = monotonic()
            with attempt_span(attempt) as mark_failed:
                try:
                    answer = await self._attempt(definition, args, meta, call)
                except _NotSentError as error:
                    call.is_refused()
                    failure, repeats = error.failure, True
                except _NoAnswerError as error:
                    failure, repeats = error.failure, call.may_repeat
                else:
                    _report(meta, attempt, started, "answered")
                    return answer
                mark_failed(failure.code)
            _report(meta, attempt, started, failure.code)
            if not repeats or attempt > self._server.retries:
                raise failure
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)
        raise AssertionError

    async def _attempt(
        self, definition: ToolDefinition, args: dict[str, Any], meta: ToolCallMeta, call: SentCall
    ) -> CallToolResult:
        connection = await self._listed(definition, meta)
        name = source_name(definition)
        if connection.login is not None and meta.login not in (None, connection.login):
            if not connection.in_flight:
                await connection.close()
            raise _NotSentError(other_login(self._server.name))
        describe_call(connection.attributes)
        check_guard(meta)  # connecting takes time, and so does the wait before another attempt
        connection.in_flight += 1
        sent, before = connection.sent, connection.refusals.copy()
        call.is_sent()
        try:
            return await connection.client.call_tool(
                name, args, progress_callback=self._progress(meta), meta=_sent_meta(meta)
            )
        except (RuntimeError, ValidationError) as error:
            raise malformed(error) from error
        except MCPError as error:
            statuses = connection.refusals - before
            if statuses and error.message == HTTP_ERROR:
                call.is_answered(max(statuses))
                raise _NoAnswerError(http_error(self._server.name)) from error
            if not connection.is_lost(error):
                if is_refusal(error):
                    call.is_refused()
                raise failed(error, connection.hide) from error
            is_alone = connection.in_flight == 1
            await connection.close()
            if connection.refused:
                raise answer_refused(connection.refused) from error
            if (refused := connection.not_sent(sent)) is not None:
                self._failed = refused
                raise _NotSentError(unreachable(refused)) from error
            lost = connection_lost(self._server.name)
            if connection.is_session_lost(error) or (is_alone and is_connect_error(connection.failure)):
                raise _NotSentError(lost) from error
            raise _NoAnswerError(lost) from error
        finally:
            connection.in_flight -= 1

    async def _listed(self, definition: ToolDefinition, meta: ToolCallMeta) -> Connection:
        """Return a connection on which the server lists the tool as it was compiled, or as the toolset allows.

        A person who is asked decides about what was listed then. So the list is read again after each answer, about the
        call or about a change, and nothing is awaited between the check of the last list and the call.
        """
        is_old = meta.was_asked
        for asked in range(_QUESTIONS + 1):
            connection, offer = await self._compared(definition.name, lists_again=is_old)
            drift = self._drift(offer.drift(definition.name), meta)
            if drift is None:
                return connection
            if asked == _QUESTIONS:
                break
            if not await self._accepts(drift):
                raise _changed(drift)
            is_old = True
        message = f"the server changed this tool {_QUESTIONS} times while a person was asked about it"
        raise CallFailed(FailureKind.TOOL_NOT_AVAILABLE, "tool_keeps_changing", message)

    async def _compared(self, ident: str, *, lists_again: bool) -> tuple[Connection, Offer]:
        """Return a connection, and what the server lists on it now, in which a tool was compared.

        Raises `CallFailed` for a server whose list is another one after each comparison.
        """
        for _ in range(_COMPARISONS):
            connection, listed = await self._connected(lists_again=lists_again)
            self._check_form(ident, connection)
            offer = self._offers.get()
            if offer is None or offer.listed is not listed:
                offer = Offer(self._contract, listed)
                self._offers.set(offer)
            if offer.is_compared(ident):
                return connection, offer
            await offer.compare(ident)
            lists_again = False
        message = f"the server changed its tools {_COMPARISONS - 1} times while this one was compared"
        raise CallFailed(FailureKind.TOOL_NOT_AVAILABLE, "tool_keeps_changing", message)

    def _check_form(self, ident: str, connection: Connection) -> None:
        """Raise `CallFailed` for a tool that the server lists in another way than MCP says."""
        name = self._contract.compiled[ident].name
        for each in connection.malformed:
            if each.name == name:
                raise malformed_tool(self._server.name, each)

    async def _connected(self, *, lists_again: bool) -> tuple[Connection, Sequence[Mapping[str, Any]]]:
        """Return a connection, and what the server lists on it."""
        try:
            connection = await self._connection()
            if lists_again:
                connection.forget_tools()
            try:
                return connection, await connection.tools()
            except MCPError as error:
                if not connection.is_lost(error):
                    raise _NotSentError(failed(error, connection.hide)) from error
                await connection.close()
                reason = connection.refused or "the connection ended while it listed its tools"
                ended = ServerUnreachable(self._server.name, reason)
                raise connection.login_refused or ended from error
            except ValidationError as error:
                raise malformed_list(self._server.name, error) from error
        except ServerUnreachable as error:
            self._failed = error
            raise _NotSentError(unreachable(error)) from error

    async def _connection(self) -> Connection:
        opening = self._opening.get_or_make(_Opening)
        async with opening.attempts.attempt():
            connection = self._connections.get()
            if connection is None or not connection.is_open:
                opening.connection = connection = Connection(self._server, self._host, self._log, self._credentials)
                await connection.open()
                self._connections.set(connection)
                self._failed = None
            return connection

    def _drift(self, drift: Drift | None, meta: ToolCallMeta) -> Drift | None:
        """Return what has to be asked before a call of a listed tool is sent; None if it can be sent now.

        This is the one check of the contract: each call passes it right before it is sent. Raises `CallFailed` for a
        tool that cannot be called any more.
        """
        if drift is None:
            return None
        event: dict[str, Any] = {"server": self._server.name, "changes": [*drift.summaries], "diff": drift.diff}
        if drift.suspicions:
            event["suspicions"] = [f"{each.code} {each.message}" for each in drift.suspicions]
        meta.report(self._credentials.hide_data(event), CHANGED)
        if drift.changes[0].code == TOOL_REMOVED:
            message = f"the server has no tool {drift.changes[0].subject} any more"
            raise CallFailed(FailureKind.TOOL_NOT_AVAILABLE, "tool_removed", message)
        if self._server.on_drift == "warn":
            return None
        is_accepted = self._accepted.get(drift.key)
        if self._server.on_drift == "refuse" or is_accepted is False:
            raise _changed(drift)
        return None if is_accepted else drift

    async def _accepts(self, drift: Drift) -> bool:
        """Ask the host about a change, once for what the server lists; calls that ask the same wait for the answer."""
        ask = self._host.accept_changes
        if ask is None:
            return False
        asking = self._asking.get_or_make(dict[tuple[str, str], asyncio.Lock])
        async with asking.setdefault(drift.key, asyncio.Lock()):
            if drift.key not in self._accepted:
                self._accepted[drift.key] = await ask(drift.ident, drift.changes) is True
            asking.pop(drift.key, None)
        return self._accepted[drift.key]

    def _progress(self, meta: ToolCallMeta) -> Any:
        async def report(progress: float, total: float | None, message: str | None) -> None:
            said = None if message is None else self._credentials.hide(message)
            given = {"progress": progress, "total": total, "message": said}
            meta.report({key: value for key, value in given.items() if value is not None})

        return report

    def _log(self, params: LoggingMessageNotificationParams) -> None:
        """Add a message of the server to each call that is running: the protocol does not say whose it is."""
        data = self._credentials.hide_data(params.model_dump(mode="json", by_alias=True, exclude_none=True))
        for meta in self._running:
            meta.report(data, LOG)


@dataclass(slots=True)
class _Opening:
    """The connection that is opened in one event loop, one after the other."""

    attempts: SharedAttempts = field(default_factory=SharedAttempts)
    connection: Connection | None = None

    def abandon(self) -> None:
        """End a connection, also one that was not open yet when the loop was closed."""
        if self.connection is not None:
            self.connection.abandon()


class _NotSentError(Exception):
    """The server cannot have run the call."""

    def __init__(self, failure: CallFailed) -> None:
        self.failure = failure


class _NoAnswerError(Exception):
    """The server may have run the call."""

    def __init__(self, failure: CallFailed) -> None:
        self.failure = failure


def mcp_executor(
    catalog: Catalog, toolset: str, host: McpHost | None = None, *, server: McpServer | None = None
) -> ToolsetRegistration:
    """Return what runs a compiled toolset of kind `mcp`: `Runtime(executors=[executor(catalog, "mcp.github")])`.

    `server` replaces the server of the spec: a person who is asked is shown it, and policies judge its host. Raises
    `ExecutorError` for a toolset that is missing or of another kind, without a server, and for environment variables
    that are not set.
    """
    if toolset not in catalog.toolsets:
        raise ExecutorError(f"there is no toolset {toolset} in the catalog")
    compiled = catalog.section("toolsets")[toolset]
    if compiled.get("kind") != "mcp":
        raise ExecutorError(f"{toolset} is of kind {compiled.get('kind')}, not mcp")
    if server is None and "server" not in compiled:
        raise ExecutorError(f"the spec of {toolset} has no `server`: add one, or pass `server=`")
    reached = McpServer.from_catalog(compiled["server"]) if server is None else server
    given = McpHost() if host is None else host
    reached.check(given.environment)
    definitions = {ident: catalog.definition(ident) for ident in catalog.toolsets[toolset]}
    resolved, shown = reached.resolved(given.environment), reached.as_compiled()
    if reached.stdio:
        given = replace(given, cwd=os.path.realpath(given.cwd or os.curdir))  # it runs where a person is told
        shown |= {"stdio": (resolved.stdio[0], *reached.stdio[1:]), "cwd": given.cwd}
    runs = McpExecutor(definitions, reached, given, partial(other_tools, catalog, toolset))
    return ToolsetRegistration(
        toolset=toolset,
        executor=runs,
        decode_in_executor=True,
        server=shown,
        hosts=runs.hosts(url_of_server(compiled.get("server") or {})),
        login=runs.login if runs.may_sign_in else None,
    )


def _changed(drift: Drift) -> CallFailed:
    message = f"the server changed this tool since it was imported: {'; '.join(drift.summaries)}"
    return CallFailed(FailureKind.TOOL_NOT_AVAILABLE, "tool_changed", message)


def _is_repeatable(definition: ToolDefinition) -> bool:
    annotations = definition.settings.annotations or {}
    return definition.permission == "readonly" or annotations.get("idempotentHint") is True


def _report(meta: ToolCallMeta, attempt: int, started: float, outcome: str) -> None:
    meta.report({"attempt": attempt, "ms": round((monotonic() - started) * 1000, 3), "outcome": outcome}, ATTEMPT)


def _sent_meta(meta: ToolCallMeta) -> RequestParamsMeta | None:
    """Return the `_meta` of a call: by which a server can tell that it is made again, or too late."""
    sent: dict[str, Any] = {IDEMPOTENCY_KEY: meta.idempotency_key} if meta.idempotency_key else {}
    if meta.fencing_token is not None:
        sent[FENCING] = meta.fencing_token
    return cast("RequestParamsMeta", sent) if sent else None  # an open type, as mypy does not know
