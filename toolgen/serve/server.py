"""The server: the tools of a run over MCP, by stdio and by streamable HTTP, through the pipeline of its runtime."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    PaginatedRequestParams,
)

from toolgen import __version__
from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.runtime.base.shares import Places
from toolgen.schema.json_values import compact_json
from toolgen.serve.bounds import CALLS, UNFINISHED, check_unfinished
from toolgen.serve.calls import (
    QUESTION_SECONDS,
    CannotAsk,
    Progress,
    ServedCall,
    answer_of,
    can_ask,
    elicited,
    fields_of,
    is_modern,
)
from toolgen.serve.durable import DurableCalls, add_tasks
from toolgen.serve.http import HttpEndpoint, HttpSettings
from toolgen.serve.tool_listing import OfferedTools, UnknownCursor
from toolgen.serve.users import UserRuns, user_of_token
from toolgen.spec.text import shown_name

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import Receive, Scope, Send

    from toolgen.contract.records import ToolResult
    from toolgen.engine.protocol import Engine
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.runs.run import Run
    from toolgen.serve.tool_listing import Offered

_PAGE: Final = 100
"""Tools of one page of a list."""

_FRESH_MS: Final = 300_000
"""How long a client may keep the list of tools: it changes only with the process."""

_KEY: Final = "permission"


class ToolServer:
    """An ASGI app, and a server for stdio: `mcp_server` makes it.

    As an app it answers at `/mcp`. `close` ends what is left of its calls; an app that is told of the end of its
    process (the lifespan protocol of ASGI) does so itself.
    """

    def __init__(
        self, runtime: Runtime, run: Run, *, name: str, page_size: int, http: HttpSettings, engine: Engine | None
    ) -> None:
        self._runtime = runtime
        self._runs = UserRuns(runtime, run, self._on_progress)
        self._tools = OfferedTools(runtime.catalog, run.effective)
        self._page_size = page_size
        self._calls: dict[str, ServedCall] = {}
        self._left: dict[str, ServedCall] = {}
        """Calls that no request attends to: they wait for an answer, which comes with another request."""
        self._places = Places(CALLS, 2 * UNFINISHED)  # never used up: `check_unfinished` lets fewer begin
        self._attending = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._is_draining = False
        name = name or run.agent or runtime.catalog.package or "toolgen"
        hint = CacheHint(ttl_ms=_FRESH_MS, scope="private")
        self.protocol: Server[Any] = Server(
            name,
            version=__version__,
            instructions=_instructions(runtime.catalog, run) or None,
            cache_hints={"tools/list": hint, "server/discover": hint},
            get_tool_input_schema=self._input_schema,
        )
        self.protocol.add_request_handler("tools/list", PaginatedRequestParams, self._list_tools)
        self.protocol.add_request_handler("tools/call", CallToolRequestParams, self._call_tool)
        self._durable = None if engine is None else DurableCalls(engine, run, self._tools)
        if self._durable is None:
            security = RequestStateSecurity.ephemeral(ttl=QUESTION_SECONDS)
            self.protocol.middleware.append(RequestStateBoundary(security, default_audience=name))
        else:
            add_tasks(self.protocol, self._durable)
        self._http = HttpEndpoint(self.protocol, http, on_stop=self.close, is_stateless=engine is not None)

    def __len__(self) -> int:
        """The number of tools that are offered."""
        return len(self._tools)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, as an ASGI app."""
        await self._http(scope, receive, send)

    async def serve_stdio(self, *, grace: float = 10.0, stopped: asyncio.Event | None = None) -> None:
        """Serve one client over stdin and stdout, until it leaves or the process gets SIGTERM or SIGINT.

        Calls that run by then have `grace` seconds to end. With an event, that is waited for instead of the signals.
        """
        from toolgen.serve.stdio import serve_stdio

        _let_each_call_have_a_thread()
        await serve_stdio(self, grace, stopped)

    async def serve_http(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        grace: float = 10.0,
        on_listening: Callable[[str], None] | None = None,
        stopped: asyncio.Event | None = None,
    ) -> None:
        """Serve over HTTP at `/mcp`, until the process gets SIGTERM or SIGINT; port 0 is any free one.

        `on_listening` is called with the URL once connections are taken. Calls that run by then have `grace` seconds to
        end, and no other begins. With `stopped`, that is waited for instead of the signals. Raises OSError for an
        address that cannot be had, and ValueError for one beyond this machine where nothing authenticates clients.
        """
        from toolgen.serve.listener import serve_http

        _let_each_call_have_a_thread()
        await serve_http(self, self._http, host, port, grace, on_listening, stopped)

    async def drain(self, seconds: float) -> None:
        """Refuse new calls, and wait until those that run have ended, for so many seconds at most."""
        self._is_draining = True
        self._http.is_draining = True
        with anyio.move_on_after(seconds):
            await self._idle.wait()

    async def close(self) -> None:
        """End sessions, cancel what is left of the calls, and put the ends of runs on record. Raises `StoreError`."""
        self._is_draining = True
        if self._durable is not None:
            self._durable.is_stopping = True
        await self._http.stop()
        await asyncio.gather(*(call.cancel() for call in self._calls.values()))
        await self._runs.close()

    @property
    def unfinished(self) -> list[str]:
        """The tools of calls that still run, sorted: after `close`, those whose handlers do not end when cancelled."""
        return sorted({call.tool for call in self._calls.values()})

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema by which the SDK checks the headers of a call; None where it declares none."""
        tool = self._tools.find(name)
        return tool.modern["inputSchema"] if tool is not None and tool.has_headers else None

    def _on_progress(self, call_id: str, data: Mapping[str, Any]) -> None:
        call = self._calls.get(call_id)
        if call is not None:
            call.report(data)

    async def _list_tools(self, ctx: ServerRequestContext[Any, Any], params: PaginatedRequestParams) -> dict[str, Any]:
        try:
            tools, cursor = self._tools.page(params.cursor, self._page_size)
        except UnknownCursor:
            raise MCPError(code=INVALID_PARAMS, message="there is no such cursor: list from the beginning") from None
        listed = [tool.entry(is_modern=is_modern(ctx)) for tool in tools]
        return {"resultType": "complete", "tools": listed, **({"nextCursor": cursor} if cursor else {})}

    async def _call_tool(
        self, ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> dict[str, Any] | InputRequiredResult:
        user = user_of_token()
        tool = self._tools.find(params.name)
        if tool is None:
            # The pipeline refuses such a name, and has the attempt on record.
            await self._runtime.invoke(ToolRequest(name=f"{params.name}{NOT_OFFERED}"), run=self._runs.run_of(user))
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {shown_name(params.name)}")
        if self._durable is not None and not self._runs.are_over:  # else the pipeline refuses the call
            with self._attended():
                return await self._durable.call(ctx, params, tool)
        is_new = params.request_state is None
        call = self._start(ctx, tool, params, user) if is_new else self._resume(params)
        with self._attended():
            try:
                return await self._attend(call, ctx, tool)
            except BaseException:  # also a cancelled request: the call ends with it
                await call.cancel()
                raise
            finally:
                if call.leave():
                    self._left[call.id] = call

    @contextmanager
    def _attended(self) -> Generator[None]:
        """Wait for this when draining."""
        self._attending += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._attending -= 1
            if not self._attending:
                self._idle.set()

    def _start(
        self, ctx: ServerRequestContext[Any, Any], tool: Offered, params: CallToolRequestParams, user: str | None
    ) -> ServedCall:
        if self._is_draining:
            raise MCPError(code=INTERNAL_ERROR, message="the server is shutting down")
        check_unfinished(sum(call.user == user for call in self._calls.values()), len(self._calls))
        call = ServedCall(f"call_{secrets.token_hex(8)}", tool.ident, user, can_ask=can_ask(ctx))
        request = ToolRequest(name=tool.ident, payload=compact_json(params.arguments or {}), tool_call_id=call.id)
        self._calls[call.id] = call
        call.start(lambda: self._placed(request, user))
        call.task.add_done_callback(lambda _: self._forget(call))
        return call

    def _forget(self, call: ServedCall) -> None:
        del self._calls[call.id]
        self._left.pop(call.id, None)

    async def _placed(self, request: ToolRequest, user: str | None) -> ToolResult[Any]:
        """Run a call in one of the places that users share."""
        run = self._runs.run_of(user)
        async with self._places.held(user):
            return await self._runtime.invoke_apart(request, run=run)

    def _resume(self, params: CallToolRequestParams) -> ServedCall:
        """Find the call that a person was asked about, and pass the answer to it. The state is sealed for its user."""
        call_id, _, number = (params.request_state or "").partition(":")
        call = self._left.get(call_id)
        if call is None or str(call.questions) != number:
            raise MCPError(code=INVALID_PARAMS, message="no call is waiting for this answer: make the call again")
        responses = params.input_responses or {}
        if responses.keys() - {_KEY}:
            unknown = ", ".join(sorted(responses.keys() - {_KEY}))
            raise MCPError(code=INVALID_PARAMS, message=f"{unknown} is no open question of this call")
        del self._left[call_id]
        if _KEY in responses:
            call.answer(fields_of(responses[_KEY]))
        return call

    async def _attend(
        self, call: ServedCall, ctx: ServerRequestContext[Any, Any], tool: Offered
    ) -> dict[str, Any] | InputRequiredResult:
        """Pass on what happens to a call, until it is over, or a question has to be answered in another request."""
        modern = is_modern(ctx)
        while (event := await call.next_event()) is not None:
            if isinstance(event, Progress):
                await ctx.session.report_progress(event.progress, event.total, event.message)
            elif modern:
                form = ElicitRequestFormParams(message=event.message, requested_schema=dict(event.schema))
                state = f"{call.id}:{call.questions}"
                return InputRequiredResult(input_requests={_KEY: ElicitRequest(params=form)}, request_state=state)
            else:
                try:
                    call.answer(await elicited(ctx, event))
                except CannotAsk as error:
                    call.refuse(error)
        is_structured = "outputSchema" in tool.entry(is_modern=modern)
        return answer_of(await call.task, is_structured=is_structured)


def _let_each_call_have_a_thread() -> None:
    """Let blocking handlers of all calls run at the same time: the usual few threads would be a queue for all users."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(CALLS, thread_name_prefix="toolgen"))


def mcp_server(
    runtime: Runtime,
    run: Run,
    *,
    name: str = "",
    page_size: int = _PAGE,
    http: HttpSettings | None = None,
    engine: Engine | None = None,
) -> ToolServer:
    """Offer the tools of a run over MCP: `mcp_server(runtime, runtime.start_run("support"))` is an ASGI app.

    Its calls are made in that run; where `http` authenticates clients, in one like it for each user. `name` is what
    the server calls itself: by default the agent, or else the package. With an `engine` its workers make the calls, and
    `runtime` runs none.
    """
    return ToolServer(
        runtime, run, name=name, page_size=page_size, http=HttpSettings() if http is None else http, engine=engine
    )


def _instructions(catalog: Catalog, run: Run) -> str:
    """What clients are told of the whole: the description of the agent, or those of the toolsets."""
    if run.agent:
        described: str = catalog.section("agents")[run.agent].get("description", "")
        return described
    toolsets = sorted({catalog.toolset_of(ident) for ident in run.effective.offered})
    texts = {toolset: text for toolset in toolsets if (text := catalog.toolset_description(toolset))}
    return next(iter(texts.values())) if len(toolsets) == 1 and texts else "\n".join(map(": ".join, texts.items()))
